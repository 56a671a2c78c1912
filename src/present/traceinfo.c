// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * traceinfo.c - prints `sonde info` as text.
 *
 *	trace.dat
 *	  size         28288 bytes (27.6 KiB)
 *	  format       version 7, zstd 1.5.4, little endian, 64-bit, sub-buffers of 4096 bytes
 *	  …                                                  missing items have no line
 *
 *	  buffer (top), clock local, …
 *	  CPU       events  per second          first …      a row for each CPU, the sum below
 *
 *	  events by count, tasks by events …                 the first rows of each
 *
 * Columns have fixed widths, so that two runs or two files can be compared line by line; a wider
 * number shifts its row. Control characters in strings are shown as \xNN.
 */
#include "present/traceinfo.h"
#include "base/array.h"
#include "decode/timefmt.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define LABEL_WIDTH   13
#define COMMAND_WIDTH 100

static void add_safe(struct textbuf *tb, const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			textbuf_addf(tb, "\\x%02x", (unsigned char)*s);
		else
			textbuf_add_char(tb, *s);
}

/* Adds at most max characters. A longer text ends with "…". */
static void add_short(struct textbuf *tb, const char *s, size_t max)
{
	size_t n = 0, end = 0, cut = 0;

	for (; s[end]; end++) {
		if (((unsigned char)s[end] & 0xc0) == 0x80) /* the position is inside a character */
			continue;
		if (n == max - 1)
			cut = end;
		n++;
	}
	for (size_t i = 0; i < (n > max ? cut : end); i++) {
		char one[] = {s[i], 0};

		add_safe(tb, one);
	}
	if (n > max)
		textbuf_add_str(tb, "…");
}

static void add_label(struct textbuf *tb, const char *label)
{
	textbuf_addf(tb, "  %-*s", LABEL_WIDTH, label);
}

static void add_line(struct textbuf *tb, const char *label, const char *value)
{
	if (!value || !*value)
		return;
	add_label(tb, label);
	add_safe(tb, value);
	textbuf_add_char(tb, '\n');
}

/* Adds "27.6 KiB". */
static void add_size(struct textbuf *tb, uint64_t n_bytes)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double v = (double)n_bytes / 1024;
	size_t i = 0;

	for (; v >= 1024 && i + 1 < ARRAY_LEN(units); i++)
		v /= 1024;
	textbuf_addf(tb, "%.1f %s", v, units[i]);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void add_count(struct textbuf *tb, uint64_t n, const char *noun)
{
	textbuf_addf(tb, "%" PRIu64 " %s%s", n, noun, plural(n));
}

/* --- times ------------------------------------------------------------------------------------ */

static void add_date(struct textbuf *tb, uint64_t ns)
{
	time_t seconds = ns / 1000000000;
	struct tm tm;
	char text[64];

	if (!gmtime_r(&seconds, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		return;
	textbuf_addf(tb, "%s.%06u UTC", text, (unsigned)(ns % 1000000000 / 1000));
}

static char *emit_time(char *p, const struct info_span *span, uint64_t ts)
{
	return time_emit(p, ts, span->in_time ? TIME_MICROSECONDS : TIME_UNITS);
}

static void add_time(struct textbuf *tb, const struct info_span *span, uint64_t ts)
{
	char text[TIME_MAX_BYTES], *end = emit_time(text, span, ts), *s = text;

	while (*s == ' ')
		s++;
	textbuf_add(tb, s, end - s);
}

static void add_span(struct textbuf *tb, const struct info_span *span)
{
	if (!span->known)
		return;
	add_label(tb, "time");
	if (span->is_date)
		add_date(tb, span->first);
	else
		add_time(tb, span, span->first);
	textbuf_add_str(tb, " to ");
	if (span->is_date)
		add_date(tb, span->last);
	else
		add_time(tb, span, span->last);
	if (span->in_time)
		textbuf_addf(tb, ", %.6f seconds\n", span->seconds);
	else
		textbuf_addf(tb, ", %" PRIu64 " units of the clock\n", span->last - span->first);
}

/* --- the file --------------------------------------------------------------------------------- */

static void add_format(struct textbuf *tb, const struct traceinfo *info)
{
	add_label(tb, "size");
	add_count(tb, info->n_bytes, "byte");
	if (info->n_bytes >= 1024) {
		textbuf_add_str(tb, " (");
		add_size(tb, info->n_bytes);
		textbuf_add_char(tb, ')');
	}
	textbuf_add_char(tb, '\n');
	add_label(tb, "format");
	textbuf_addf(tb, "version %d, %s endian, ", info->version,
		     info->big_endian ? "big" : "little");
	if (info->long_bits)
		textbuf_addf(tb, "%u-bit, ", info->long_bits);
	textbuf_addf(tb, "sub-buffers of %u bytes\n", info->page_size);
	add_label(tb, "compression");
	add_safe(tb, info->compression);
	if (info->compression_version[0]) {
		textbuf_add_char(tb, ' ');
		add_safe(tb, info->compression_version);
	}
	if (info->ratio > 0)
		textbuf_addf(tb, ", %" PRIu64 " bytes of events in %" PRIu64 " (ratio %.2f)",
			     info->n_data_bytes, info->n_stored_bytes, info->ratio);
	else if (info->n_data_bytes && strcmp(info->compression, "none"))
		textbuf_add_str(tb, ", of symbols and formats; events are not compressed");
	textbuf_add_char(tb, '\n');
}

static void add_clock(struct textbuf *tb, const struct traceinfo *info)
{
	if (!info->clock && !info->tsc_mult)
		return;
	add_label(tb, "clock");
	add_safe(tb, info->clock ? info->clock : "not said");
	if (info->tsc_mult)
		textbuf_addf(tb, ", counts to nanoseconds by * %u >> %u", info->tsc_mult,
			     info->tsc_shift);
	if (info->has_date)
		textbuf_addf(tb, ", wall clock at +%" PRId64 ".%06u s", info->date_us / 1000000,
			     (unsigned)(info->date_us % 1000000));
	if (info->time_offset)
		textbuf_addf(tb, ", offset %" PRId64, info->time_offset);
	textbuf_add_char(tb, '\n');
}

static void add_relatives(struct textbuf *tb, const struct traceinfo *info)
{
	if (info->trace_id) {
		add_label(tb, "trace id");
		textbuf_addf(tb, "0x%" PRIx64 "\n", info->trace_id);
	}
	if (info->peer_id) {
		add_label(tb, "guest of");
		textbuf_addf(tb, "trace 0x%" PRIx64 ", clocks compared %u time%s on ",
			     info->peer_id, info->n_peer_samples, plural(info->n_peer_samples));
		add_count(tb, info->n_peer_cpus, "CPU");
		textbuf_add_char(tb, '\n');
	}
	for (size_t i = 0; i < info->n_guests; i++) {
		add_label(tb, "guest");
		add_safe(tb, info->guests[i].name);
		textbuf_addf(tb, ", trace 0x%" PRIx64 ", ", info->guests[i].trace_id);
		add_count(tb, info->guests[i].n_cpus, "virtual CPU");
		textbuf_add_char(tb, '\n');
	}
	for (size_t i = 0; i < info->n_hooks; i++)
		add_line(tb, "hook", info->hooks[i]);
	for (size_t i = 0; i < info->n_maps; i++) {
		add_label(tb, "mappings");
		add_safe(tb, info->maps[i].comm);
		textbuf_addf(tb, "-%d, ", info->maps[i].pid);
		add_count(tb, info->maps[i].n, "range");
		textbuf_add_char(tb, '\n');
	}
}

static void add_described(struct textbuf *tb, const struct traceinfo *info)
{
	add_label(tb, "describes");
	add_count(tb, info->n_formats, "event");
	textbuf_add_str(tb, " of ");
	add_count(tb, info->n_systems, "system");
	textbuf_add_str(tb, ", ");
	if (info->symbols_counted)
		add_count(tb, info->n_symbols, "kernel symbol");
	else
		textbuf_add_str(tb, info->n_symbol_bytes ? "kernel symbols" : "no kernel symbols");
	if (info->n_symbol_bytes) {
		textbuf_add_str(tb, " (");
		add_size(tb, info->n_symbol_bytes);
		textbuf_add_char(tb, ')');
	}
	textbuf_add_str(tb, ", ");
	add_count(tb, info->n_printk, "trace_printk format");
	textbuf_add_str(tb, ", ");
	add_count(tb, info->n_cmdlines, "task name");
	textbuf_add_char(tb, '\n');
	if (!info->n_seen)
		return;
	add_label(tb, "recorded");
	for (size_t i = 0; i < info->n_seen; i++)
		textbuf_addf(tb, "%s%s", i ? ", " : "", info->seen[i]);
	textbuf_add_char(tb, '\n');
}

static void add_totals(struct textbuf *tb, const struct traceinfo *info)
{
	add_label(tb, "events");
	if (!info->counted) {
		textbuf_addf(tb, "not counted: %s\n", info->why_not_counted);
		return;
	}
	textbuf_addf(tb, "%" PRIu64, info->n_events);
	if (info->per_second >= 0)
		textbuf_addf(tb, ", %.0f per second", info->per_second);
	textbuf_add_str(tb, ", of ");
	add_count(tb, info->n_events_kinds, "kind");
	textbuf_add_str(tb, ", by ");
	add_count(tb, info->n_tasks, "task");
	textbuf_add_char(tb, '\n');
}

/*
 * Adds the losses. Events that the recorder read and dropped (record -m) are not lost, but they are
 * not in the file either. In a damaged file the contents of the unreadable part are unknown.
 */
static void add_losses(struct textbuf *tb, const struct traceinfo *info)
{
	const struct info_loss *l = &info->loss;
	bool counted = info->counted;

	add_label(tb, "lost");
	if (!counted && !l->has_stat)
		textbuf_add_str(tb, "not counted");
	else if (!l->n_gaps && !l->n_overrun && !l->n_commit_overrun && !l->n_dropped &&
		 !l->n_hits_missed)
		textbuf_add_str(tb, !counted	     ? "nothing, according to the kernel"
				    : info->n_damage ? "nothing in the readable part"
						     : "nothing");
	if (l->n_gaps) {
		textbuf_addf(tb, "%s%" PRIu64 " events at ", l->n_gaps_unknown ? "more than " : "",
			     l->n_missed);
		add_count(tb, l->n_gaps, "place");
	}
	if (l->n_overrun || l->n_commit_overrun || l->n_dropped)
		textbuf_addf(tb,
			     "%sthe kernel counted %" PRIu64 " overwritten, %" PRIu64
			     " nested too deep, %" PRIu64 " dropped",
			     l->n_gaps ? "; " : "", l->n_overrun, l->n_commit_overrun,
			     l->n_dropped);
	else if (!l->has_stat)
		textbuf_add_str(tb, "; the kernel's own counters are not in the file");
	if (l->n_hits_missed)
		textbuf_addf(tb, "%s%" PRIu64 " missed hits of probes",
			     l->n_gaps || l->n_overrun || l->n_commit_overrun || l->n_dropped ? "; "
											      : "",
			     l->n_hits_missed);
	if (counted && l->n_read > info->n_events)
		textbuf_addf(tb,
			     "; %" PRIu64
			     " more were recorded and are not in this file (record -m, "
			     "or a part of a trace)",
			     l->n_read - info->n_events);
	textbuf_add_char(tb, '\n');
}

/* --- buffers ---------------------------------------------------------------------------------- */

static void add_rate(struct textbuf *tb, double per_second)
{
	if (per_second >= 0)
		textbuf_addf(tb, "  %10.0f", per_second);
	else
		textbuf_addf(tb, "  %10s", "-");
}

static void add_column_time(struct textbuf *tb, const struct info_span *span, uint64_t ts)
{
	char text[TIME_MAX_BYTES];

	if (span->known)
		textbuf_addf(tb, "  %15.*s", (int)(emit_time(text, span, ts) - text), text);
	else
		textbuf_addf(tb, "  %15s", "-");
}

static void add_loss_columns(struct textbuf *tb, const struct info_loss *l, bool counted)
{
	char missed[32];

	snprintf(missed, sizeof(missed), "%s%" PRIu64, l->n_gaps_unknown ? ">" : "", l->n_missed);
	textbuf_addf(tb, "  %8s", counted ? missed : "-");
	if (l->has_stat)
		textbuf_addf(tb, "  %8" PRIu64 "  %8" PRIu64, l->n_overrun + l->n_commit_overrun,
			     l->n_dropped);
	else
		textbuf_addf(tb, "  %8s  %8s", "-", "-");
	textbuf_add_char(tb, '\n');
}

static void add_cpu_row(struct textbuf *tb, const struct info_cpu *c, bool counted)
{
	textbuf_addf(tb, "  %4u", c->cpu);
	if (counted)
		textbuf_addf(tb, "  %11" PRIu64, c->n_events);
	else
		textbuf_addf(tb, "  %11s", "-");
	add_rate(tb, c->per_second);
	add_column_time(tb, &c->span, c->span.first);
	add_column_time(tb, &c->span, c->span.last);
	textbuf_addf(tb, "  %11" PRIu64, c->n_bytes);
	add_loss_columns(tb, &c->loss, counted);
}

static void add_sum_row(struct textbuf *tb, const struct info_buffer *b, bool counted)
{
	struct info_cpu sum = {.n_bytes = b->n_bytes,
			       .n_events = b->n_events,
			       .per_second = b->per_second,
			       .span = b->span,
			       .loss = b->loss};
	size_t start = textbuf_len(tb);

	add_cpu_row(tb, &sum, counted);
	if (!tb->overflow)
		memcpy(tb->start + start, "   all", 6);
}

static void add_buffer(struct textbuf *tb, const struct info_buffer *b, bool counted, size_t max)
{
	size_t shown = b->n_cpus < max ? b->n_cpus : max;

	textbuf_add_str(tb, "\n  buffer ");
	add_safe(tb, b->name[0] ? b->name : "(top)");
	if (b->is_text) {
		textbuf_addf(tb, ": text of a latency tracer, %" PRIu64 " bytes\n", b->n_bytes);
		return;
	}
	if (b->clock) {
		textbuf_add_str(tb, ", clock ");
		add_safe(tb, b->clock);
	}
	if (!b->n_cpus) {
		textbuf_add_str(tb, ": empty\n");
		return;
	}
	textbuf_addf(tb, "\n  %4s  %11s  %10s  %15s  %15s  %11s  %8s  %8s  %8s\n", "CPU", "events",
		     "per second", "first", "last", "bytes", "missed", "overrun", "dropped");
	for (size_t i = 0; i < shown; i++)
		add_cpu_row(tb, &b->cpus[i], counted);
	if (shown < b->n_cpus)
		textbuf_addf(tb, "   and %zu more CPU%s (-a shows all)\n", b->n_cpus - shown,
			     plural(b->n_cpus - shown));
	if (b->n_cpus > 1)
		add_sum_row(tb, b, counted);
}

/* --- events and tasks ------------------------------------------------------------------------- */

static void add_events(struct textbuf *tb, const struct traceinfo *info, size_t max)
{
	size_t shown = info->n_events_kinds < max ? info->n_events_kinds : max;

	textbuf_addf(tb, "\n  %11s  %7s  %10s  %11s  %s\n", "events", "share", "per second",
		     "bytes", "by kind");
	for (size_t i = 0; i < shown; i++) {
		const struct info_event *e = &info->events[i];

		textbuf_addf(tb, "  %11" PRIu64 "  %5.1f %%", e->n, e->percent);
		add_rate(tb, e->per_second);
		textbuf_addf(tb, "  %11" PRIu64 "  ", e->n_bytes);
		if (e->name) {
			add_safe(tb, e->system);
			textbuf_add_char(tb, ':');
			add_safe(tb, e->name);
		} else if (e->id >= 0) {
			textbuf_addf(tb, "unknown, id %" PRId64, e->id);
		} else {
			textbuf_add_str(tb, "too short to have an id");
		}
		textbuf_add_char(tb, '\n');
	}
	if (shown < info->n_events_kinds)
		textbuf_addf(tb, "  and %zu more kind%s (-a shows all)\n",
			     info->n_events_kinds - shown, plural(info->n_events_kinds - shown));
}

static void add_tasks(struct textbuf *tb, const struct traceinfo *info, size_t max)
{
	size_t shown = info->n_tasks < max ? info->n_tasks : max;

	textbuf_addf(tb, "\n  %11s  %7s  %s\n", "events", "share", "by task");
	for (size_t i = 0; i < shown; i++) {
		textbuf_addf(tb, "  %11" PRIu64 "  %5.1f %%  ", info->tasks[i].n,
			     info->tasks[i].percent);
		add_safe(tb, info->tasks[i].comm);
		textbuf_addf(tb, "-%d", info->tasks[i].pid);
		if (info->tasks[i].tgid > 0 && info->tasks[i].tgid != info->tasks[i].pid)
			textbuf_addf(tb, " (of %d)", info->tasks[i].tgid);
		if (info->tasks[i].command) {
			textbuf_add_str(tb, "  ");
			add_short(tb, info->tasks[i].command, COMMAND_WIDTH);
		}
		textbuf_add_char(tb, '\n');
	}
	if (shown < info->n_tasks)
		textbuf_addf(tb, "  and %zu more task%s (-a shows all)\n", info->n_tasks - shown,
			     plural(info->n_tasks - shown));
	if (info->n_uncounted)
		textbuf_addf(tb,
			     "  %" PRIu64
			     " events of further tasks (above a million) are not listed\n",
			     info->n_uncounted);
}

void traceinfo_fmt_text(const struct traceinfo *info, const struct traceinfo_style *style,
			struct textbuf *tb)
{
	add_safe(tb, info->path);
	textbuf_add_char(tb, '\n');
	add_format(tb, info);
	add_line(tb, "machine", info->machine);
	add_line(tb, "recorded by", info->recorder);
	add_clock(tb, info);
	add_relatives(tb, info);
	add_described(tb, info);
	add_span(tb, &info->span);
	add_totals(tb, info);
	add_losses(tb, info);
	if (info->n_damage) {
		add_label(tb, "damage");
		add_count(tb, info->n_damage, "place");
		textbuf_add_str(tb, ", reported on standard error\n");
	}
	for (size_t i = 0; i < info->n_buffers; i++)
		add_buffer(tb, &info->buffers[i], info->counted, style->max_cpus);
	if (info->counted && info->n_events_kinds && style->max_rows) {
		add_events(tb, info, style->max_rows);
		add_tasks(tb, info, style->max_rows);
	}
}
