// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracestate_json.c - prints the tracing settings as one JSON object, including defaults.
 *
 *  {"kernel":…,"tracing_directory":…,"ftrace_enabled":true,"stack_tracer":false,"probes":[…],
 *   "instances":[{"name":"","tracing_on":true,"tracer":"nop",…,
 *     "events":[{"system":"sched","on":["sched_switch"],"all":24}],
 *     "filters":[{"event":"sched:sched_switch","text":"…"}],"triggers":[…],
 *     "options":[{"name":"annotate","on":true,"default":true},…],
 *     "cpus":[{"cpu":0,"size_kb":1408,…}],"errors":[…]}]}
 *
 * A file that the kernel lacks is null. A file with one number is a JSON number.
 */
#include "present/tracestate.h"
#include "base/json/jsonwriter.h"

#include <stdlib.h>

static void add_value(struct jsonwriter *w, const struct state_value *v)
{
	char *end = NULL;
	long long n = v->text && v->is_number ? strtoll(v->text, &end, 10) : 0;

	if (!v->text)
		jsonwriter_add_null(w, v->key);
	else if (end && end != v->text && !*end)
		jsonwriter_add_int(w, v->key, n);
	else
		jsonwriter_add_string(w, v->key, v->text);
}

static void add_events(struct jsonwriter *w, const struct state_instance *in)
{
	jsonwriter_open(w, "events", '[');
	for (size_t i = 0; i < in->n_systems; i++) {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_string(w, "system", in->systems[i].name);
		jsonwriter_add_strings(w, "on", in->systems[i].events, in->systems[i].n);
		jsonwriter_add_uint(w, "all", in->systems[i].n_all);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

static void add_of_events(struct jsonwriter *w, const char *key, const struct state_of_event *list,
			  size_t n)
{
	jsonwriter_open(w, key, '[');
	for (size_t i = 0; i < n; i++) {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_string(w, "event", list[i].event);
		jsonwriter_add_string(w, "text", list[i].text);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

/* Adds the options as a list, because the kernel's names must not become our keys. */
static void add_options(struct jsonwriter *w, const struct state_instance *in)
{
	jsonwriter_open(w, "options", '[');
	for (size_t i = 0; i < in->n_options; i++) {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_string(w, "name", in->options[i].name);
		jsonwriter_add_bool(w, "on", in->options[i].on);
		jsonwriter_add_bool(w, "default", in->options[i].is_default);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

static void add_cpus(struct jsonwriter *w, const struct state_instance *in)
{
	jsonwriter_open(w, "cpus", '[');
	for (size_t i = 0; i < in->n_cpus; i++) {
		const struct state_cpu *c = &in->cpus[i];

		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_uint(w, "cpu", c->cpu);
		jsonwriter_add_uint(w, "size_kb", c->size_kb);
		jsonwriter_add_uint(w, "bytes", c->bytes);
		jsonwriter_add_uint(w, "entries", c->n_entries);
		jsonwriter_add_uint(w, "overrun", c->n_overrun);
		jsonwriter_add_uint(w, "commit_overrun", c->n_commit_overrun);
		jsonwriter_add_uint(w, "dropped", c->n_dropped);
		jsonwriter_add_uint(w, "read", c->n_read);
		jsonwriter_add_real(w, "oldest", c->oldest, 6);
		jsonwriter_add_real(w, "now", c->now, 6);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

static void add_instance(struct jsonwriter *w, const struct state_instance *in)
{
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "name", in->name);
	jsonwriter_add_bool(w, "tracing_on", in->is_on);
	if (in->owner)
		jsonwriter_add_int(w, "recorder", in->owner);
	else
		jsonwriter_add_null(w, "recorder");
	jsonwriter_add_bool(w, "snapshot", in->has_snapshot);
	for (size_t i = 0; i < in->n_values; i++)
		add_value(w, &in->values[i]);
	add_events(w, in);
	add_of_events(w, "filters", in->filters, in->n_filters);
	add_of_events(w, "triggers", in->triggers, in->n_triggers);
	for (size_t i = 0; i < in->n_lists; i++)
		jsonwriter_add_strings(w, in->lists[i].key, in->lists[i].items, in->lists[i].n);
	add_options(w, in);
	add_cpus(w, in);
	jsonwriter_add_strings(w, "errors", in->errors, in->n_errors);
	jsonwriter_close(w);
}

static void add_switch(struct jsonwriter *w, const char *key, int state)
{
	if (state < 0)
		jsonwriter_add_null(w, key);
	else
		jsonwriter_add_bool(w, key, state);
}

void tracestate_fmt_json(const struct tracestate *ts, struct textbuf *tb)
{
	struct jsonwriter w;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "kernel", ts->kernel);
	jsonwriter_add_string(&w, "tracing_directory", ts->root);
	add_switch(&w, "ftrace_enabled", ts->ftrace_enabled);
	add_switch(&w, "stack_tracer", ts->stack_tracer);
	jsonwriter_add_strings(&w, "probes", ts->probes.items, ts->probes.n);
	jsonwriter_open(&w, "instances", '[');
	for (size_t i = 0; i < ts->n_instances; i++)
		add_instance(&w, &ts->instances[i]);
	jsonwriter_close(&w);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}
