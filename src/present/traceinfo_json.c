// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * traceinfo_json.c - `sonde info --json`: one object a file, with every number of the text.
 *
 * Names are those of the text; what is not known is null, what is not there (a trace id, guests) is
 * absent or an empty array. Times are those of the report, in nanoseconds or units of the clock.
 */
#include "base/json.h"
#include "present/traceinfo.h"

static void add_known(struct json *j, const char *key, bool known, uint64_t v)
{
	if (known)
		json_add_uint(j, key, v);
	else
		json_add_null(j, key);
}

static void add_rate(struct json *j, double per_second)
{
	if (per_second >= 0)
		json_add_real(j, "per_second", per_second, 3);
	else
		json_add_null(j, "per_second");
}

/* As text: many readers keep numbers as doubles, which cannot hold 64 bits. */
static void add_id(struct json *j, uint64_t trace_id)
{
	char text[NUMBER_MAX_BYTES] = "0x";

	json_add_text(j, "trace_id", text, number_emit_hex(text + 2, trace_id) - text);
}

static void add_span(struct json *j, const struct info_span *span)
{
	add_known(j, "first", span->known, span->first);
	add_known(j, "last", span->known, span->last);
	if (span->known && span->in_time)
		json_add_real(j, "seconds", span->seconds, 9);
	else
		json_add_null(j, "seconds");
}

static void add_loss(struct json *j, const struct info_loss *l, bool counted)
{
	json_open(j, "lost", '{');
	add_known(j, "gaps", counted, l->n_gaps);
	add_known(j, "gaps_of_unknown_size", counted, l->n_gaps_unknown);
	add_known(j, "missed", counted, l->n_missed);
	add_known(j, "overrun", l->has_stat, l->n_overrun);
	add_known(j, "commit_overrun", l->has_stat, l->n_commit_overrun);
	add_known(j, "dropped", l->has_stat, l->n_dropped);
	add_known(j, "entries", l->has_stat, l->n_entries);
	add_known(j, "read", l->has_stat, l->n_read);
	json_close(j);
}

static void add_recording(struct json *j, const struct traceinfo *info)
{
	json_add_string(j, "machine", info->machine);
	json_add_string(j, "recorded_by", info->recorder);
	json_add_string(j, "clock", info->clock);
	json_add_string(j, "clocks", info->clocks);
	if (info->tsc_mult) {
		json_open(j, "tsc2nsec", '{');
		json_add_uint(j, "mult", info->tsc_mult);
		json_add_uint(j, "shift", info->tsc_shift);
		json_close(j);
	}
	if (info->has_date)
		json_add_int(j, "date_us", info->date_us);
	if (info->time_offset)
		json_add_int(j, "time_offset", info->time_offset);
	if (info->trace_id)
		add_id(j, info->trace_id);
	if (info->peer_id) {
		json_open(j, "guest_of", '{');
		add_id(j, info->peer_id);
		json_add_uint(j, "cpus", info->n_peer_cpus);
		json_add_uint(j, "samples", info->n_peer_samples);
		json_close(j);
	}
	json_open(j, "guests", '[');
	for (size_t i = 0; i < info->n_guests; i++) {
		json_open(j, NULL, '{');
		json_add_string(j, "name", info->guests[i].name);
		add_id(j, info->guests[i].trace_id);
		json_add_uint(j, "cpus", info->guests[i].n_cpus);
		json_close(j);
	}
	json_close(j);
}

static void add_lists(struct json *j, const struct traceinfo *info)
{
	json_open(j, "hooks", '[');
	for (size_t i = 0; i < info->n_hooks; i++)
		json_add_string(j, NULL, info->hooks[i]);
	json_close(j);
	json_open(j, "mappings", '[');
	for (size_t i = 0; i < info->n_maps; i++) {
		json_open(j, NULL, '{');
		json_add_int(j, "pid", info->maps[i].pid);
		json_add_string(j, "comm", info->maps[i].comm);
		json_add_uint(j, "ranges", info->maps[i].n);
		json_close(j);
	}
	json_close(j);
	json_open(j, "recorded", '[');
	for (size_t i = 0; i < info->n_seen; i++)
		json_add_string(j, NULL, info->seen[i]);
	json_close(j);
	json_open(j, "describes", '{');
	json_add_uint(j, "events", info->n_formats);
	json_add_uint(j, "systems", info->n_systems);
	json_add_uint(j, "symbols", info->n_symbols);
	json_add_uint(j, "printk_formats", info->n_printk);
	json_add_uint(j, "task_names", info->n_cmdlines);
	json_close(j);
}

static void add_buffer(struct json *j, const struct info_buffer *b, bool counted)
{
	json_open(j, NULL, '{');
	json_add_string(j, "name", b->name);
	json_add_string(j, "clock", b->clock);
	json_add_bool(j, "text", b->is_text);
	json_add_uint(j, "page_size", b->page_size);
	json_add_uint(j, "bytes", b->n_bytes);
	add_known(j, "events", counted, b->n_events);
	add_rate(j, b->per_second);
	add_span(j, &b->span);
	add_loss(j, &b->loss, counted);
	json_open(j, "cpus", '[');
	for (size_t i = 0; i < b->n_cpus; i++) {
		const struct info_cpu *c = &b->cpus[i];

		json_open(j, NULL, '{');
		json_add_uint(j, "cpu", c->cpu);
		json_add_uint(j, "bytes", c->n_bytes);
		add_known(j, "events", counted, c->n_events);
		add_rate(j, c->per_second);
		add_span(j, &c->span);
		add_loss(j, &c->loss, counted);
		json_close(j);
	}
	json_close(j);
	json_close(j);
}

static void add_counts(struct json *j, const struct traceinfo *info, size_t max)
{
	json_open(j, "by_event", '[');
	for (size_t i = 0; i < info->n_events_kinds && i < max; i++) {
		const struct info_event *e = &info->events[i];

		json_open(j, NULL, '{');
		json_add_string(j, "system", e->system);
		json_add_string(j, "name", e->name);
		json_add_int(j, "id", e->id);
		json_add_uint(j, "events", e->n);
		json_add_uint(j, "bytes", e->n_bytes);
		json_add_real(j, "percent", e->percent, 3);
		add_rate(j, e->per_second);
		json_close(j);
	}
	json_close(j);
	json_open(j, "by_task", '[');
	for (size_t i = 0; i < info->n_tasks && i < max; i++) {
		json_open(j, NULL, '{');
		json_add_int(j, "pid", info->tasks[i].pid);
		json_add_string(j, "comm", info->tasks[i].comm);
		json_add_uint(j, "events", info->tasks[i].n);
		json_add_real(j, "percent", info->tasks[i].percent, 3);
		json_close(j);
	}
	json_close(j);
}

void traceinfo_fmt_json(const struct traceinfo *info, const struct traceinfo_style *style,
			struct textbuf *tb)
{
	struct json j;

	json_init(&j, tb);
	json_open(&j, NULL, '{');
	json_add_string(&j, "path", info->path);
	json_add_uint(&j, "size", info->n_bytes);
	json_add_int(&j, "version", info->version);
	json_add_string(&j, "byte_order", info->big_endian ? "big" : "little");
	json_add_uint(&j, "long_bits", info->long_bits);
	json_add_uint(&j, "page_size", info->page_size);
	json_add_string(&j, "compression", info->compression);
	json_add_string(&j, "compression_version", info->compression_version);
	json_add_uint(&j, "data_bytes", info->n_data_bytes);
	json_add_uint(&j, "stored_bytes", info->n_stored_bytes);
	if (info->ratio > 0)
		json_add_real(&j, "ratio", info->ratio, 3);
	add_recording(&j, info);
	add_lists(&j, info);
	json_add_uint(&j, "machine_cpus", info->n_machine_cpus);
	json_add_bool(&j, "in_time", info->span.in_time);
	add_span(&j, &info->span);
	json_add_bool(&j, "counted", info->counted);
	add_known(&j, "events", info->counted, info->n_events);
	add_known(&j, "kinds", info->counted, info->n_events_kinds);
	add_known(&j, "tasks", info->counted, info->n_tasks);
	add_rate(&j, info->per_second);
	add_loss(&j, &info->loss, info->counted);
	json_open(&j, "buffers", '[');
	for (size_t i = 0; i < info->n_buffers; i++)
		add_buffer(&j, &info->buffers[i], info->counted);
	json_close(&j);
	add_counts(&j, info, style->max_rows);
	json_open(&j, "damage", '[');
	for (size_t i = 0; i < info->n_damage; i++)
		json_add_string(&j, NULL, info->damage[i]);
	json_close(&j);
	json_close(&j);
	textbuf_add_char(tb, '\n');
}
