// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * traceinfo_json.c - prints `sonde info --json`: one object per file, with every number of the
 * text.
 *
 * Names are those of the text. An unknown value is null; a missing item (a trace id, guests) is
 * absent or an empty array. Times are those of the report, in nanoseconds or units of the clock.
 */
#include "base/json/jsonwriter.h"
#include "inputs/info/traceinfo.h"
#include "present/traceinfo.h"

static void add_known(struct jsonwriter *j, const char *key, bool known, uint64_t v)
{
	if (known)
		jsonwriter_add_uint(j, key, v);
	else
		jsonwriter_add_null(j, key);
}

static void add_rate(struct jsonwriter *j, double per_second)
{
	if (per_second >= 0)
		jsonwriter_add_real(j, "per_second", per_second, 3);
	else
		jsonwriter_add_null(j, "per_second");
}

static void add_span(struct jsonwriter *j, const struct info_span *span)
{
	add_known(j, "first", span->known, span->first);
	add_known(j, "last", span->known, span->last);
	if (span->known && span->in_time)
		jsonwriter_add_real(j, "seconds", span->seconds, 9);
	else
		jsonwriter_add_null(j, "seconds");
}

static void add_loss(struct jsonwriter *j, const struct info_loss *l, bool counted)
{
	jsonwriter_open(j, "lost", '{');
	add_known(j, "gaps", counted, l->n_gaps);
	add_known(j, "gaps_of_unknown_size", counted, l->n_gaps_unknown);
	add_known(j, "missed", counted, l->n_missed);
	add_known(j, "overrun", l->has_stat, l->n_overrun);
	add_known(j, "commit_overrun", l->has_stat, l->n_commit_overrun);
	add_known(j, "dropped", l->has_stat, l->n_dropped);
	add_known(j, "entries", l->has_stat, l->n_entries);
	add_known(j, "read", l->has_stat, l->n_read);
	if (l->n_hits_missed)
		jsonwriter_add_uint(j, "hits_of_probes", l->n_hits_missed);
	jsonwriter_close(j);
}

static void add_recording(struct jsonwriter *j, const struct traceinfo *info)
{
	jsonwriter_add_string(j, "machine", info->machine);
	jsonwriter_add_string(j, "recorded_by", info->recorder);
	jsonwriter_add_string(j, "clock", info->clock);
	jsonwriter_add_string(j, "clocks", info->clocks);
	if (info->tsc_mult) {
		jsonwriter_open(j, "tsc2nsec", '{');
		jsonwriter_add_uint(j, "mult", info->tsc_mult);
		jsonwriter_add_uint(j, "shift", info->tsc_shift);
		jsonwriter_close(j);
	}
	if (info->has_date)
		jsonwriter_add_int(j, "date_us", info->date_us);
	if (info->time_offset)
		jsonwriter_add_int(j, "time_offset", info->time_offset);
	if (info->trace_id)
		jsonwriter_add_hex(j, "trace_id", info->trace_id);
	if (info->peer_id) {
		jsonwriter_open(j, "guest_of", '{');
		jsonwriter_add_hex(j, "trace_id", info->peer_id);
		jsonwriter_add_uint(j, "cpus", info->n_peer_cpus);
		jsonwriter_add_uint(j, "samples", info->n_peer_samples);
		jsonwriter_close(j);
	}
	jsonwriter_open(j, "guests", '[');
	for (size_t i = 0; i < info->n_guests; i++) {
		jsonwriter_open(j, NULL, '{');
		jsonwriter_add_string(j, "name", info->guests[i].name);
		jsonwriter_add_hex(j, "trace_id", info->guests[i].trace_id);
		jsonwriter_add_uint(j, "cpus", info->guests[i].n_cpus);
		jsonwriter_close(j);
	}
	jsonwriter_close(j);
}

static void add_lists(struct jsonwriter *j, const struct traceinfo *info)
{
	jsonwriter_add_strings(j, "hooks", (const char *const *)info->hooks, info->n_hooks);
	jsonwriter_open(j, "mappings", '[');
	for (size_t i = 0; i < info->n_maps; i++) {
		jsonwriter_open(j, NULL, '{');
		jsonwriter_add_int(j, "pid", info->maps[i].pid);
		jsonwriter_add_string(j, "comm", info->maps[i].comm);
		jsonwriter_add_uint(j, "ranges", info->maps[i].n);
		jsonwriter_close(j);
	}
	jsonwriter_close(j);
	jsonwriter_add_strings(j, "recorded", (const char *const *)info->seen, info->n_seen);
	jsonwriter_open(j, "describes", '{');
	jsonwriter_add_uint(j, "events", info->n_formats);
	jsonwriter_add_uint(j, "systems", info->n_systems);
	add_known(j, "symbols", info->symbols_counted, info->n_symbols);
	jsonwriter_add_uint(j, "symbol_bytes", info->n_symbol_bytes);
	jsonwriter_add_uint(j, "printk_formats", info->n_printk);
	jsonwriter_add_uint(j, "task_names", info->n_cmdlines);
	jsonwriter_close(j);
}

static void add_buffer(struct jsonwriter *j, const struct info_buffer *b, bool counted)
{
	jsonwriter_open(j, NULL, '{');
	jsonwriter_add_string(j, "name", b->name);
	jsonwriter_add_string(j, "clock", b->clock);
	jsonwriter_add_bool(j, "text", b->is_text);
	jsonwriter_add_uint(j, "page_size", b->page_size);
	jsonwriter_add_uint(j, "bytes", b->n_bytes);
	add_known(j, "events", counted, b->n_events);
	add_rate(j, b->per_second);
	add_span(j, &b->span);
	add_loss(j, &b->loss, counted);
	jsonwriter_open(j, "cpus", '[');
	for (size_t i = 0; i < b->n_cpus; i++) {
		const struct info_cpu *c = &b->cpus[i];

		jsonwriter_open(j, NULL, '{');
		jsonwriter_add_uint(j, "cpu", c->cpu);
		jsonwriter_add_uint(j, "bytes", c->n_bytes);
		add_known(j, "events", counted, c->n_events);
		add_rate(j, c->per_second);
		add_span(j, &c->span);
		add_loss(j, &c->loss, counted);
		jsonwriter_close(j);
	}
	jsonwriter_close(j);
	jsonwriter_close(j);
}

static void add_counts(struct jsonwriter *j, const struct traceinfo *info, size_t max)
{
	jsonwriter_open(j, "by_event", '[');
	for (size_t i = 0; i < info->n_events_kinds && i < max; i++) {
		const struct info_event *e = &info->events[i];

		jsonwriter_open(j, NULL, '{');
		jsonwriter_add_string(j, "system", e->system);
		jsonwriter_add_string(j, "name", e->name);
		jsonwriter_add_int(j, "id", e->id);
		jsonwriter_add_uint(j, "events", e->n);
		jsonwriter_add_uint(j, "bytes", e->n_bytes);
		jsonwriter_add_real(j, "percent", e->percent, 3);
		add_rate(j, e->per_second);
		jsonwriter_close(j);
	}
	jsonwriter_close(j);
	jsonwriter_open(j, "by_task", '[');
	for (size_t i = 0; i < info->n_tasks && i < max; i++) {
		jsonwriter_open(j, NULL, '{');
		jsonwriter_add_int(j, "pid", info->tasks[i].pid);
		if (info->tasks[i].tgid >= 0)
			jsonwriter_add_int(j, "tgid", info->tasks[i].tgid);
		jsonwriter_add_string(j, "comm", info->tasks[i].comm);
		if (info->tasks[i].command)
			jsonwriter_add_string(j, "cmdline", info->tasks[i].command);
		jsonwriter_add_uint(j, "events", info->tasks[i].n);
		jsonwriter_add_real(j, "percent", info->tasks[i].percent, 3);
		jsonwriter_close(j);
	}
	jsonwriter_close(j);
}

void traceinfo_fmt_json(const struct traceinfo *info, const struct traceinfo_style *style,
			struct textbuf *tb)
{
	struct jsonwriter j;

	jsonwriter_init(&j, tb);
	jsonwriter_open(&j, NULL, '{');
	jsonwriter_add_string(&j, "path", info->path);
	jsonwriter_add_uint(&j, "size", info->n_bytes);
	jsonwriter_add_int(&j, "version", info->version);
	jsonwriter_add_string(&j, "byte_order", info->big_endian ? "big" : "little");
	jsonwriter_add_uint(&j, "long_bits", info->long_bits);
	jsonwriter_add_uint(&j, "page_size", info->page_size);
	jsonwriter_add_string(&j, "compression", info->compression);
	jsonwriter_add_string(&j, "compression_version", info->compression_version);
	jsonwriter_add_uint(&j, "data_bytes", info->n_data_bytes);
	jsonwriter_add_uint(&j, "stored_bytes", info->n_stored_bytes);
	if (info->ratio > 0)
		jsonwriter_add_real(&j, "ratio", info->ratio, 3);
	add_recording(&j, info);
	add_lists(&j, info);
	jsonwriter_add_uint(&j, "machine_cpus", info->n_machine_cpus);
	jsonwriter_add_bool(&j, "in_time", info->span.in_time);
	add_span(&j, &info->span);
	jsonwriter_add_bool(&j, "counted", info->counted);
	add_known(&j, "events", info->counted, info->n_events);
	add_known(&j, "kinds", info->counted, info->n_events_kinds);
	add_known(&j, "tasks", info->counted, info->n_tasks);
	add_rate(&j, info->per_second);
	add_loss(&j, &info->loss, info->counted);
	jsonwriter_open(&j, "buffers", '[');
	for (size_t i = 0; i < info->n_buffers; i++)
		add_buffer(&j, &info->buffers[i], info->counted);
	jsonwriter_close(&j);
	add_counts(&j, info, style->max_rows);
	jsonwriter_add_strings(&j, "damage", (const char *const *)info->damage, info->n_damage);
	jsonwriter_close(&j);
	textbuf_add_char(tb, '\n');
}
