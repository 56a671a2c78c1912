// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dump.c - prints the records of a recording: raw, or as JSON.
 *
 *	13557.272822933  16556: [entry] atoi(560e50ba2070) depth: 1
 *	13557.272822933  16556: [args ] length = 4
 *	  args[0] str: 3
 *
 * The raw form goes through one file after the other, without the order of time between them.
 */
#include "present/uftrace/dump.h"

#include "analyse/uftrace/walk.h"
#include "base/array.h"
#include "format/uftrace.h"
#include "present/uftrace/values.h"
#include "store/uftrace/dir.h"
#include "symbols/uftrace/argspec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Names of bits, for the header. */
static const char *const features[] = {
	"PLTHOOK",   "TASK_SESSION", "KERNEL",	   "ARGUMENT",	"RETVAL",     "SYM_REL_ADDR",
	"MAX_STACK", "EVENT",	     "PERF_EVENT", "AUTO_ARGS", "DEBUG_INFO", "ESTIMATE_RETURN"};
static const char *const items[] = {"EXE_NAME",	    "EXE_BUILD_ID", "EXIT_STATUS", "CMDLINE",
				    "CPUINFO",	    "MEMINFO",	    "OSINFO",	   "TASKINFO",
				    "USAGEINFO",    "LOADINFO",	    "ARG_SPEC",	   "RECORD_DATE",
				    "PATTERN_TYPE", "VERSION"};

static void add_bits(struct uft_out *o, const char *key, uint64_t bits, const char *const *names,
		     size_t n)
{
	const char *sep = "";

	textbuf_addf(&o->tb, "uftrace file header: %-13s = %#" PRIx64 " (", key, bits);
	for (size_t i = 0; i < n; i++) {
		if (!(bits >> i & 1))
			continue;
		textbuf_addf(&o->tb, "%s%s", sep, names[i]);
		sep = " | ";
	}
	textbuf_add_str(&o->tb, ")\n");
}

static void add_header(const struct uftinfo *info, struct uft_out *o)
{
	static const char head[] = "uftrace file header: ";

	textbuf_addf(&o->tb, "%smagic         = ", head);
	for (const char *p = UFT_MAGIC; p < UFT_MAGIC + 8; p++)
		textbuf_addf(&o->tb, "%02x", (unsigned char)*p);
	textbuf_addf(&o->tb, "\n%sversion       = %u\n", head, info->version);
	textbuf_addf(&o->tb, "%sheader size   = %u\n", head, info->header_bytes);
	textbuf_addf(&o->tb, "%sendian        = %u (%s)\n", head, info->endian,
		     info->endian == 1 ? "little" : "big");
	textbuf_addf(&o->tb, "%sclass         = %u (%s bit)\n", head, info->elf_class,
		     info->elf_class == 2 ? "64" : "32");
	add_bits(o, "features", info->features, features, ARRAY_LEN(features));
	add_bits(o, "info", info->items, items, ARRAY_LEN(items));
	textbuf_add_char(&o->tb, '\n');
}

static void add_time(struct uft_out *o, uint64_t ns, int tid)
{
	textbuf_addf(&o->tb, "%" PRIu64 ".%09" PRIu64 "  %5d: ", ns / 1000000000, ns % 1000000000,
		     tid);
}

/* One value of a call, with its format. Returns the bytes that it takes. */
static size_t add_value(struct uft_out *o, const struct uft_arg *a, const uint8_t *data)
{
	uint64_t n = 0;
	uint16_t len;

	switch (a->format) {
	case UFT_ARG_STRING:
	case UFT_ARG_STD_STRING:
		memcpy(&len, data, 2);
		textbuf_addf(&o->tb, "%s: %.*s\n",
			     a->format == UFT_ARG_STRING ? "str" : "std::string", (int)len,
			     (const char *)data + 2);
		return 2u + len;
	case UFT_ARG_STRUCT:
		textbuf_addf(&o->tb, "struct: %s%s\n", a->type_name ? a->type_name : "", "{}");
		return a->size;
	case UFT_ARG_POINTER:
		memcpy(&n, data, a->size < 8 ? a->size : 8);
		textbuf_addf(&o->tb, "p: 0x%" PRIx64 "\n", n);
		return a->size;
	default:
		memcpy(&n, data, a->size < 8 ? a->size : 8);
		textbuf_addf(&o->tb, "%c%u: 0x%0*" PRIx64 "\n", uft_arg_letters[a->format],
			     a->size * 8, (int)(a->size < 8 ? a->size : 8) * 2, n);
		return a->size;
	}
}

static void add_values(struct uft_out *o, const struct uft_record *rec, int tid,
		       const struct uft_values *v)
{
	const uint8_t *data = v->data;
	bool is_retval = rec->type == UFT_EXIT;
	int i = 0;

	add_time(o, rec->time_ns, tid);
	textbuf_addf(&o->tb, "[%s] length = %zu\n", is_retval ? "retval" : "args ", v->n_bytes);
	for (const struct uft_arg *a = v->list; a; a = a->next) {
		if (is_retval != (a->number == UFT_ARG_RETVAL))
			continue;
		if (is_retval)
			textbuf_add_str(&o->tb, "  retval ");
		else
			textbuf_addf(&o->tb, "  args[%d] ", i++);
		data += (add_value(o, a, data) + 3) & ~(size_t)3;
	}
}

static void add_event_values(struct uft_out *o, const struct uft_record *rec, int tid,
			     const struct uft_values *v)
{
	char name[100], text[200];

	add_time(o, rec->time_ns, tid);
	textbuf_addf(&o->tb, "[%s] length = %zu\n", "data ", v->n_bytes);
	uft_event_name(NULL, rec->addr, name, sizeof(name));
	if (uft_event_data(NULL, rec->addr, v, false, text, sizeof(text)))
		textbuf_addf(&o->tb, "  %s: %s\n", name, text);
}

static void add_record(struct uft_walk *w, struct uft_lane *l, const char *events,
		       struct uft_out *o)
{
	static const char *const words[] = {"entry", "exit ", "lost ", "event"};
	const struct uft_sym *s = uft_walk_rec_sym(w, l, &l->rec);
	char name[200];

	add_time(o, l->rec.time_ns, l->tid);
	if (l->rec.type == UFT_LOST) {
		textbuf_addf(&o->tb, "[%s] %" PRIu64 " events\n", words[2], l->rec.addr);
		return;
	}
	snprintf(name, sizeof(name), "<%" PRIx64 ">", l->rec.addr);
	if (l->rec.type == UFT_EVENT)
		uft_event_name(events, l->rec.addr, name, sizeof(name));
	textbuf_addf(&o->tb, "[%s] %s(", words[l->rec.type], s ? s->name : name);
	textbuf_addf(&o->tb, "%" PRIx64 ") depth: %u\n", l->rec.addr, l->rec.depth);
	if (!l->rec.more)
		return;
	if (l->rec.type == UFT_EVENT)
		add_event_values(o, &l->rec, l->tid, &l->values);
	else
		add_values(o, &l->rec, l->tid, &l->values);
}

/* The records of one task: all others are hidden from the walk. */
static void print_task(struct uftdata *d, struct uft_walk *w, size_t i, const char *events,
		       struct uft_out *o)
{
	struct uft_walk_config c = w->c;
	struct uft_walk *one;
	struct uft_lane *l;

	textbuf_addf(&o->tb, "reading %d.dat\n", d->streams[i].tid);
	c.streams = &d->streams[i];
	c.n_streams = 1;
	c.n_perfs = 0;
	c.kernel = NULL;
	c.tids = NULL;
	c.time_filter_ns = 0;
	if (uft_walk_new(&one, &c) < 0)
		return;
	while (o->status >= 0 && (l = uft_walk_next(one))) {
		const struct uft_sym *s = uft_walk_rec_sym(one, l, &l->rec);

		if (!uft_decide(one, l, NULL))
			continue;
		if (!uft_walk_hides_libcall(one, s))
			add_record(one, l, events, o);
		uft_settle(one, l);
		uft_out_flush(o, false);
	}
	uft_walk_free(one);
}

static bool is_wanted(const struct uft_walk *w, int tid)
{
	const struct uft_lane *l = uft_walk_lane(w, tid);

	return l && l->calls;
}

/* All records of a CPU, whatever their task and the filters. */
static void print_kernel_cpu(struct uftdata *d, size_t cpu, const char *events, struct uft_out *o)
{
	static const char *const words[] = {"entry", "exit ", "lost ", "event"};
	struct uft_kernel_record r;

	if (!d->kernel->cpus[cpu].n_bytes)
		return;
	textbuf_addf(&o->tb, "reading kernel-cpu%zu.dat\n", cpu);
	while (o->status >= 0 && uft_kernel_read(d->kernel, cpu, &r)) {
		const struct uft_sym *s = uft_module_find(d->names.kernel, r.rec.addr);
		struct uft_values v = {.data = r.data, .n_bytes = r.n_bytes};
		char name[200];

		if (d->kernel->cpus[cpu].missed) {
			add_time(o, 0, r.tid);
			textbuf_addf(&o->tb, "[%s] %d events\n", words[UFT_LOST],
				     (int)d->kernel->cpus[cpu].missed);
			d->kernel->cpus[cpu].missed = 0;
		}
		add_time(o, r.rec.time_ns, uft_task_find(&d->names, r.tid) ? r.tid : r.next_tid);
		snprintf(name, sizeof(name), "<%" PRIx64 ">", r.rec.addr);
		if (r.rec.type == UFT_EVENT) {
			uft_event_name(events, r.rec.addr, name, sizeof(name));
			textbuf_addf(&o->tb, "[event] %s(%" PRIu64 ") ", name, r.rec.addr);
			uft_kernel_print(d->kernel, r.rec.addr, &v, &o->tb);
			textbuf_add_char(&o->tb, '\n');
		} else {
			textbuf_addf(&o->tb, "[%s] %s(%" PRIx64 ") depth: %u\n", words[r.rec.type],
				     s ? s->name : name, r.rec.addr, r.rec.depth);
		}
		uft_out_flush(o, false);
	}
}

static void print_kernel(struct uftdata *d, const char *events, struct uft_out *o)
{
	if (!d->kernel)
		return;
	uft_kernel_rewind(d->kernel);
	textbuf_add_char(&o->tb, '\n');
	for (size_t i = 0; i < d->kernel->n_cpus; i++)
		print_kernel_cpu(d, i, events, o);
}

static void print_cpu(struct uftdata *d, struct uft_walk *w, size_t cpu, struct uft_out *o)
{
	struct uft_perf *p = &d->perfs[cpu];

	if (!p->n_bytes)
		return;
	if (!cpu)
		textbuf_add_char(&o->tb, '\n');
	textbuf_addf(&o->tb, "reading perf-cpu%zu.dat\n", cpu);
	for (p->pos = 0, p->is_valid = false; uft_perf_read(p, d->dir.swaps); p->is_valid = false) {
		char name[100];

		if (!is_wanted(w, p->tid))
			continue;
		uft_event_name(NULL, p->rec.addr, name, sizeof(name));
		add_time(o, p->rec.time_ns, p->tid);
		textbuf_addf(&o->tb, "[event] %s(%" PRIu64 ")\n", name, p->rec.addr);
		uft_out_flush(o, false);
	}
}

void uft_dump_print(struct uftdata *d, struct uft_walk *w, const char *events, struct uft_out *o)
{
	add_header(&d->dir.info, o);
	for (size_t i = 0; i < d->n_streams; i++)
		if (is_wanted(w, d->streams[i].tid))
			print_task(d, w, i, events, o);
	print_kernel(d, events, o);
	for (size_t i = 0; i < d->n_perfs && d->dir.info.features & UFT_FEATURE_PERF_EVENT; i++)
		print_cpu(d, w, i, o);
}

static void add_chrome_names(struct uftdata *d, struct uft_out *o)
{
	static const char *const kinds[] = {"process_name", "thread_name"};

	uftdata_learn_names(d);
	for (size_t i = 0; i < d->n_streams; i++) {
		const struct uft_task *t = uft_task_find(&d->names, d->streams[i].tid);
		int tid = d->streams[i].tid;

		for (size_t k = 0; k < 2; k++)
			textbuf_addf(&o->tb,
				     "{\"ts\":0,\"ph\":\"M\",\"pid\":%d,\"name\":\"%s\","
				     "\"args\":{\"name\":\"[%d] %s\"}},\n",
				     tid, kinds[k], tid, t ? t->comm : "");
	}
}

/* 'B', 'E', or 0: not shown. */
static char chrome_phase(const struct uft_lane *l)
{
	if (l->rec.type == UFT_ENTRY)
		return 'B';
	if (l->rec.type == UFT_EXIT)
		return 'E';
	if (l->rec.type != UFT_EVENT)
		return 0;
	if (l->rec.addr == UFT_EVENT_SCHED_OUT)
		return 'B';
	return l->rec.addr == UFT_EVENT_SCHED_IN && l->settled_ns ? 'E' : 0;
}

static void add_chrome_record(struct uft_walk *w, struct uft_lane *l, bool no_args,
			      const char **sep, struct uft_out *o)
{
	const struct uft_sym *s = uft_walk_rec_sym(w, l, &l->rec);
	char phase = chrome_phase(l), addr[24];

	if (!phase)
		return;
	snprintf(addr, sizeof(addr), "<%" PRIx64 ">", l->rec.addr);
	textbuf_addf(&o->tb, "%s{\"ts\":%" PRIu64 ".%03u,\"ph\":\"%c\",\"pid\":%d,", *sep,
		     l->rec.time_ns / 1000, (unsigned)(l->rec.time_ns % 1000), phase,
		     l->task ? l->task->pid : l->tid);
	if (l->task && l->task->pid != l->tid)
		textbuf_addf(&o->tb, "\"tid\":%d,", l->tid);
	textbuf_addf(&o->tb, "\"name\":\"%s\"", s ? s->name : addr);
	if (l->rec.more && !no_args && l->rec.type != UFT_EVENT) {
		textbuf_addf(&o->tb, ",\"args\":{\"%s\":\"", phase == 'B' ? "arguments" : "retval");
		uft_values_add(o, w, l, &l->values,
			       UFT_VALUES_MORE | UFT_VALUES_JSON |
				       (phase == 'B' ? UFT_VALUES_PAREN : UFT_VALUES_RETVAL));
		textbuf_add_str(&o->tb, "\"}");
	}
	textbuf_add_char(&o->tb, '}');
	*sep = ",\n";
}

/* Calls that never returned end with the last record of their task. */
static void add_chrome_open(struct uft_walk *w, const char **sep, struct uft_out *o)
{
	for (size_t i = 0; i < w->n_lanes; i++) {
		struct uft_lane *l = &w->lanes[i];

		while (l->calls && l->n_open > 0) {
			struct uft_call *call = uft_call_at(l, --l->n_open);

			if (!call || !call->addr || call->verdict == UFT_HIDDEN ||
			    (uft_is_kernel(call->addr) && !l->n_functions && !w->c.kernel_full))
				continue;
			l->rec = (struct uft_record){
				.time_ns = l->rec.time_ns, .addr = call->addr, .type = UFT_EXIT};
			add_chrome_record(w, l, true, sep, o);
		}
	}
}

void uft_dump_print_chrome(struct uftdata *d, struct uft_walk *w, bool no_args, const char *version,
			   const char *date, struct uft_out *o)
{
	const char *sep = "";
	struct uft_lane *l;

	textbuf_add_str(&o->tb, "{\"traceEvents\":[\n");
	add_chrome_names(d, o);
	while (o->status >= 0 && (l = uft_walk_next(w))) {
		const struct uft_sym *s = uft_walk_rec_sym(w, l, &l->rec);

		if (!uft_walk_wants(w, l) || !uft_decide(w, l, NULL))
			continue;
		if (!uft_walk_hides_libcall(w, s))
			add_chrome_record(w, l, no_args, &sep, o);
		uft_settle(w, l);
		uft_out_flush(o, false);
	}
	add_chrome_open(w, &sep, o);
	textbuf_addf(&o->tb,
		     "\n], \"displayTimeUnit\": \"ns\", \"metadata\": {\n"
		     "\"version\":\"uftrace %s\",\n\"recorded_time\":\"%s\",\n",
		     version, date);
	if (d->dir.info.cmdline)
		textbuf_addf(&o->tb, "\"command_line\":\"%s\"\n", d->dir.info.cmdline);
	textbuf_add_str(&o->tb, "} }\n");
}
