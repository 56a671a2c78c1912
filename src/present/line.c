// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * line.c - assembles lines.
 *
 * All repeated parts are prepared: the task's head (tasks.c), the event's label (print.c), the
 * source's prefix. Each line adds only the CPU, the time, and the event's own text. If a line
 * precedes a record (lost events, start of a sub-buffer), only that line has the prefix, as in
 * trace-cmd.
 */
#include "present/line.h"
#include "base/escaper.h"
#include "decode/walker.h"
#include "format/tracedat.h"
#include "store/tracefile.h"
#include "symbols/tables/syscalls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COLOUR_TASK  ESCAPER_CYAN
#define COLOUR_TIME  ESCAPER_DIM
#define COLOUR_EVENT ESCAPER_BOLD
#define COLOUR_LOST  ESCAPER_RED
#define COLOUR_OFF   ESCAPER_OFF

/* Returns the printer of an earlier source of the same file, or NULL. */
static struct printer *find_printer(const struct line_printer *lp, size_t source)
{
	for (size_t i = 0; i < source; i++)
		if (lp->style->sources[i].formats == lp->style->sources[source].formats)
			return lp->printers[i];
	return NULL;
}

int line_printer_init(struct line_printer *lp, const struct line_style *style)
{
	*lp = (struct line_printer){.style = style};
	lp->printers = calloc(style->n_sources + 1, sizeof(*lp->printers));
	for (size_t i = 0; lp->printers && i < style->n_sources; i++) {
		lp->printers[i] = find_printer(lp, i);
		if (lp->printers[i])
			continue;
		lp->printers[i] = calloc(1, sizeof(**lp->printers));
		if (!lp->printers[i] ||
		    printer_init(lp->printers[i], style->sources[i].formats, NULL) < 0) {
			line_printer_release(lp);
			return -ENOMEM;
		}
	}
	return lp->printers ? 0 : -ENOMEM;
}

void line_printer_aim(struct line_printer *lp, struct textbuf *out)
{
	lp->out = out;
	for (size_t i = 0; i < lp->style->n_sources; i++)
		lp->printers[i]->out = out;
}

void line_printer_release(struct line_printer *lp)
{
	for (size_t i = lp->printers ? lp->style->n_sources : 0; i-- > 0;) {
		if (!lp->printers[i] || find_printer(lp, i))
			continue;
		printer_release(lp->printers[i]);
		free(lp->printers[i]);
	}
	free(lp->printers);
	lp->printers = NULL;
}

static void add_colour(struct line_printer *lp, const char *code)
{
	if (lp->style->colour)
		textbuf_add_str(lp->out, code);
}

static void add_before(struct line_printer *lp, const struct record *rec)
{
	struct textbuf *tb = lp->out;

	if (rec->flags & RECORD_MISSED) {
		add_colour(lp, COLOUR_LOST);
		if (rec->extra->missed > 0)
			textbuf_addf(tb, "CPU:%u [%lld EVENTS DROPPED]", rec->cpu,
				     (long long)rec->extra->missed);
		else
			textbuf_addf(tb, "CPU:%u [EVENTS DROPPED]", rec->cpu);
		add_colour(lp, COLOUR_OFF);
		textbuf_add_char(tb, '\n');
	}
	if (!(rec->flags & RECORD_PAGE_START) || !lp->style->boundary)
		return;
	textbuf_addf(tb, "CPU:%u [SUBBUFFER START]", rec->cpu);
	if (lp->style->debug)
		textbuf_addf(tb, " [%lld:0x%llx]", (long long)rec->extra->page_ts,
			     (unsigned long long)rec->extra->file_offset);
	textbuf_add_char(tb, '\n');
}

/* Adds: irqs off, need-resched, hard/softirq, preempt depth, migrate-disable depth. */
void line_printer_add_flags(struct line_printer *lp, const struct record *rec)
{
	const struct formats *f = lp->style->sources[rec->source].formats;
	unsigned flags = formats_common(f, &f->flags, rec->data, rec->size);
	unsigned depth = formats_common(f, &f->preempt_count, rec->data, rec->size);
	bool hard = flags & SNF_FLAG_HARDIRQ, soft = flags & SNF_FLAG_SOFTIRQ;
	char *s = textbuf_reserve(lp->out, 64);

	*s++ = flags & SNF_FLAG_IRQS_OFF ? 'd' : flags & SNF_FLAG_IRQS_NOSUPPORT ? 'X' : '.';
	*s++ = flags & SNF_FLAG_NEED_RESCHED ? 'N' : '.';
	*s++ = hard && soft ? 'H' : hard ? 'h' : soft ? 's' : '.';
	*s++ = depth & 0xf ? "0123456789abcdef"[depth & 0xf] : '.';
	if (depth & 0xf0)
		s = number_emit_hex(s, depth >> 4);
	else
		*s++ = '.';
	for (int i = 0; i < 2; i++) {
		const struct common_field *c = i ? &f->lock_depth : &f->migrate_disable;
		int v = formats_common(f, c, rec->data, rec->size);

		if (!c->size)
			continue;
		if (v < 0)
			*s++ = '.';
		else
			s = number_emit_dec(s, v);
	}
	textbuf_commit(lp->out, s);
}

static void add_cpu(struct line_printer *lp, uint32_t cpu)
{
	char *s = textbuf_reserve(lp->out, 24);

	if (lp->style->latency) {
		for (unsigned w = number_dec_width(cpu); w < 3; w++)
			*s++ = ' ';
		s = number_emit_dec(s, cpu);
	} else {
		*s++ = '[';
		for (unsigned w = number_dec_width(cpu); w < 3; w++)
			*s++ = '0';
		s = number_emit_dec(s, cpu);
		*s++ = ']';
	}
	textbuf_commit(lp->out, s);
}

static void add_task(struct line_printer *lp, const struct line_source *src,
		     const struct record *rec)
{
	const struct formats *f = src->formats;
	const struct task *t = rec->task;

	if (!t)
		textbuf_addf(lp->out, lp->style->latency ? "%8.8s-%-5d " : "%16s-%-5d ", "<...>",
			     formats_common(f, &f->pid, rec->data, rec->size));
	else if (lp->style->latency)
		textbuf_add(lp->out, t->short_head, t->short_head_len);
	else
		textbuf_add(lp->out, t->head, t->head_len);
}

/* Adds "(  136) ", or "(-----) " if the tgid is unknown. */
static void add_tgid(struct line_printer *lp, const struct task *t)
{
	if (t && t->tgid >= 0)
		textbuf_addf(lp->out, "(%5d) ", t->tgid);
	else
		textbuf_add_str(lp->out, "(-----) ");
}

static void add_time(struct line_printer *lp, const struct line_source *src, uint64_t ts)
{
	char *s = textbuf_reserve(lp->out, TIME_MAX_BYTES + 2);

	if (src->time_style != TIME_UNITS)
		*s++ = ' ';
	s = time_emit(s, ts, src->time_style);
	*s++ = ':';
	textbuf_commit(lp->out, s);
}

static void add_diff(struct line_printer *lp, const struct batch *b, size_t i)
{
	const struct record *rec = &b->records[i];
	uint64_t prev = i ? b->records[i - 1].ts : b->has_prev ? b->prev_ts : 0, ts = rec->ts;
	unsigned prev_source = i ? b->records[i - 1].source : b->prev_source;
	char text[32] = "";

	if (lp->style->sources[prev_source].diff_in_us)
		prev = (prev + 500) / 1000;
	if (lp->style->sources[rec->source].diff_in_us)
		ts = (ts + 500) / 1000;
	if (prev) {
		char *s = text;

		*s++ = '(';
		*s++ = '+';
		s = number_emit_signed(s, ts - prev);
		*s++ = ')';
		*s = 0;
	}
	textbuf_addf(lp->out, " %-8s", text);
}

/* Prints the position of the record, and padding and time extends between it and the next one. */
static void add_debug(struct line_printer *lp, const struct line_source *src,
		      const struct record *rec)
{
	static const char *const names[] = {"PADDING", "TIME EXTEND", "TIME STAMP"};
	const struct tracefile *tf = src->formats->tf;
	const struct record_extra *x = rec->extra;
	const uint8_t *pos = rec->data + rec->size;
	struct walker w;
	struct page_layout l = {tf->swap, tf->big_endian, tf->long_size, tf->data_offset};

	textbuf_addf(lp->out, " [%d:0x%x:%d]", x->delta, x->page_pos, rec->size);
	if (!walker_start(&w, x->page, x->page_len, &l))
		return;
	while (w.end - pos >= 8) {
		uint32_t header = bytes_get32(pos, tf->swap), word = bytes_get32(pos + 4, tf->swap);
		unsigned type = tf->big_endian ? header >> 27 : header & 31;
		uint64_t delta = tf->big_endian ? header & ((1u << 27) - 1) : header >> 5;
		uint32_t len = 0;

		if (type < SNF_TYPE_PADDING)
			break;
		if (type == SNF_TYPE_PADDING)
			len = word;
		else
			delta += (uint64_t)word << SNF_DELTA_BITS;
		textbuf_addf(lp->out, "\n %s: %s:%lld length:%u", names[type - SNF_TYPE_PADDING],
			     type == SNF_TYPE_TIME_STAMP ? "timestamp" : "delta", (long long)delta,
			     len);
		if (len > w.end - pos)
			break;
		pos += type == SNF_TYPE_PADDING ? 4 + (size_t)len : 8;
	}
}

void line_printer_add_info(struct line_printer *lp, const struct record *rec, bool raw)
{
	const struct line_source *src = &lp->style->sources[rec->source];
	size_t start = textbuf_len(lp->out);

	printer_print(lp->printers[rec->source], rec, raw);
	if (src->syscalls && !strcmp(rec->event->system, "raw_syscalls"))
		syscalls_add_name(src->syscalls, lp->out, start);
}

/*
 * Adds the stack of a sample, as a kernel_stack looks. A caller's place is behind its call, so the
 * byte before it is looked up.
 */
static void add_stack(struct line_printer *lp, const struct record *rec)
{
	struct formats *f = lp->style->sources[rec->source].formats;
	const struct field *field = event_find_field(rec->event, "stack");
	uint64_t loc, at, n;

	if (strcmp(rec->event->system, "perf") || strcmp(rec->event->name, "sample") ||
	    !formats_read(f, rec, field, &loc))
		return;
	at = loc & 0xffff;
	n = (loc >> 16 & 0xffff) / 8;
	for (uint64_t i = 0; i < n && at + (i + 1) * 8 <= rec->size; i++) {
		uint64_t place = bytes_get64(rec->data + at + i * 8, f->swap);

		textbuf_add_str(lp->out, "\n\t=> ");
		if (printer_add_symbol_name(lp->printers[rec->source], place - (i > 0)))
			textbuf_add_char(lp->out, ' ');
		textbuf_add_char(lp->out, '(');
		textbuf_add_hex(lp->out, place);
		textbuf_add_char(lp->out, ')');
	}
}

static void add_event(struct line_printer *lp, const struct batch *b, size_t i)
{
	const struct record *rec = &b->records[i];
	const struct event *ev = rec->event;

	if (lp->style->ts_diff)
		add_diff(lp, b, i);
	if (!ev) {
		textbuf_add_str(lp->out, " (NULL):               [UNKNOWN EVENT]");
		return;
	}
	add_colour(lp, COLOUR_EVENT);
	textbuf_add(lp->out, ev->label, ev->label_len);
	add_colour(lp, COLOUR_OFF);
	line_printer_add_info(lp, rec, lp->style->raw);
	if (lp->out->pos > lp->out->start && lp->out->pos[-1] == '\n')
		lp->out->pos--;
	if (lp->style->stacks)
		add_stack(lp, rec);
}

static void add_line(struct line_printer *lp, const struct batch *b, size_t i)
{
	const struct record *rec = &b->records[i];
	const struct line_source *src = &lp->style->sources[rec->source];

	if (src->prefix)
		textbuf_add_str(lp->out, src->prefix);
	if (rec->flags & (RECORD_MISSED | RECORD_PAGE_START))
		add_before(lp, rec);
	if (rec->event) {
		add_colour(lp, COLOUR_TASK);
		add_task(lp, src, rec);
		add_colour(lp, COLOUR_OFF);
		if (lp->style->tgid)
			add_tgid(lp, rec->task);
		add_cpu(lp, rec->cpu);
	} else {
		textbuf_add_str(lp->out, "[UNKNOWN EVENT]");
	}
	if (lp->style->latency && lp->style->raw)
		textbuf_addf(
			lp->out, "-0x%x",
			formats_common(src->formats, &src->formats->flags, rec->data, rec->size));
	else if (lp->style->latency && rec->event)
		line_printer_add_flags(lp, rec);
	else if (lp->style->latency)
		textbuf_add_str(lp->out, "[UNKNOWN EVENT]");
	if (rec->event) {
		add_colour(lp, COLOUR_TIME);
		add_time(lp, src, rec->ts);
		add_colour(lp, COLOUR_OFF);
	} else {
		textbuf_add_str(lp->out, "[UNKNOWN EVENT]");
	}
	add_event(lp, b, i);
	if (lp->style->debug)
		add_debug(lp, src, rec);
	if (rec->flags & RECORD_LATENCY)
		textbuf_addf(lp->out, " Latency: %llu.%03llu usecs",
			     (unsigned long long)rec->extra->latency / 1000,
			     (unsigned long long)rec->extra->latency % 1000);
	textbuf_add_char(lp->out, '\n');
}

/* Writes "    22." at p. The text is cached from line to line. */
static char *emit_seconds(struct line_printer *lp, char *p, uint64_t seconds)
{
	if (__builtin_expect(seconds != lp->seconds || !lp->seconds_len, 0)) {
		char *s = lp->seconds_text;

		*s++ = ' ';
		for (unsigned w = number_dec_width(seconds); w < 5; w++)
			*s++ = ' ';
		s = number_emit_dec(s, seconds);
		*s++ = '.';
		lp->seconds = seconds;
		lp->seconds_len = s - lp->seconds_text;
	}
	memcpy(p, lp->seconds_text, sizeof(lp->seconds_text));
	return p + lp->seconds_len;
}

/* Writes the head of a line without any extras at once. Returns false if it is too long. */
static bool add_plain_head(struct line_printer *lp, const struct record *rec)
{
	const struct event *ev = rec->event;
	const struct task *t = rec->task;
	uint64_t us = (rec->ts + 500) / 1000, seconds = us / 1000000;
	char *s;

	if (!ev || !t || t->head_len + ev->label_len > 800 || rec->cpu > 999)
		return false;
	s = textbuf_reserve(lp->out, 1000);
	textbuf_copy(s, t->head, t->head_len);
	s += t->head_len;
	*s++ = '[';
	*s++ = '0' + rec->cpu / 100;
	memcpy(s, number_pairs + rec->cpu % 100 * 2, 2);
	s[2] = ']';
	s = emit_seconds(lp, s + 3, seconds);
	s = number_emit_dec6(s, us - seconds * 1000000);
	*s++ = ':';
	textbuf_copy(s, ev->label, ev->label_len);
	textbuf_commit(lp->out, s + ev->label_len);
	return true;
}

static void add_plain_line(struct line_printer *lp, const struct batch *b, size_t i)
{
	const struct record *rec = &b->records[i];

	if (rec->flags & (RECORD_MISSED | RECORD_PAGE_START | RECORD_LATENCY) ||
	    !add_plain_head(lp, rec)) {
		add_line(lp, b, i);
		return;
	}
	printer_print(lp->printers[rec->source], rec, false);
	if (lp->out->pos > lp->out->start && lp->out->pos[-1] == '\n')
		lp->out->pos--;
	textbuf_add_char(lp->out, '\n');
}

/* Returns true in the usual case: only head, time, name and text. */
static bool style_is_plain(const struct line_style *st)
{
	return st->n_sources == 1 && !st->sources[0].prefix &&
	       st->sources[0].time_style == TIME_MICROSECONDS && !st->latency && !st->raw &&
	       !st->ts_diff && !st->boundary && !st->debug && !st->colour && !st->tgid &&
	       !st->stacks && !st->sources[0].syscalls;
}

size_t line_printer_add(struct line_printer *lp, const struct batch *b, size_t from,
			size_t max_bytes)
{
	bool plain = style_is_plain(lp->style);

	for (; from < b->n && textbuf_len(lp->out) < max_bytes; from++) {
		if (plain)
			add_plain_line(lp, b, from);
		else
			add_line(lp, b, from);
	}
	return from;
}
