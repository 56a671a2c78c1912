// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stracetable.c - the summary of system calls in strace's form.
 *
 *	% time     seconds  usecs/call     calls    errors syscall
 *	------ ----------- ----------- --------- --------- ----------------
 *	 51.02    0.001200           4       300         1 read
 *
 * The columns and their widths are strace's. The times are those from the beginning of a call to
 * its end, which strace shows with -w; without it, strace shows the CPU time in the kernel.
 */
#include "present/syscalls/stracetable.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "symbols/syscalls/types.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_US      1000
#define NAME_MAX_WIDTH 16

/* A row of the table, or the total. */
struct line {
	double share;
	uint64_t total, min, max, n, n_errors;
	const char *name;
};

static void fmt_share(const struct line *l, char *buf, size_t size)
{
	snprintf(buf, size, "%.2f", l->share);
}

static void fmt_seconds(uint64_t ns, char *buf, size_t size)
{
	snprintf(buf, size, "%.6f", (double)ns / 1e9);
}

static void fmt_total(const struct line *l, char *buf, size_t size)
{
	fmt_seconds(l->total, buf, size);
}

static void fmt_min(const struct line *l, char *buf, size_t size)
{
	fmt_seconds(l->min, buf, size);
}

static void fmt_max(const struct line *l, char *buf, size_t size)
{
	fmt_seconds(l->max, buf, size);
}

static void fmt_average(const struct line *l, char *buf, size_t size)
{
	snprintf(buf, size, "%" PRIu64, l->n ? l->total / NS_PER_US / l->n : 0);
}

static void fmt_calls(const struct line *l, char *buf, size_t size)
{
	snprintf(buf, size, "%" PRIu64, l->n);
}

static void fmt_errors(const struct line *l, char *buf, size_t size)
{
	*buf = 0;
	if (l->n_errors)
		snprintf(buf, size, "%" PRIu64, l->n_errors);
}

static void fmt_name(const struct line *l, char *buf, size_t size)
{
	snprintf(buf, size, "%s", l->name);
}

static const struct column {
	const char *names[4]; /* for -U */
	const char *title;
	int width; /* negative: left-aligned */
	void (*fmt)(const struct line *l, char *buf, size_t size);
} columns[STRACETABLE_COLUMNS] = {
	{{"time-percent", "time", "time_percent"}, "% time", 6, fmt_share},
	{{"total-time", "time-total", "total_time"}, "seconds", 11, fmt_total},
	{{"avg-time", "time-avg", "avg_time"}, "usecs/call", 11, fmt_average},
	{{"calls", "count"}, "calls", 9, fmt_calls},
	{{"errors", "error"}, "errors", 9, fmt_errors},
	{{"name", "syscall", "syscall-name"}, "syscall", -NAME_MAX_WIDTH, fmt_name},
	{{"min-time", "time-min", "shortest"}, "shortest", 8, fmt_min},
	{{"max-time", "time-max", "longest"}, "longest", 8, fmt_max},
};
#define NAME_COLUMN 5

static const struct stracetable_columns usual = {6, {0, 1, 2, 3, 4, NAME_COLUMN}};

static int add_column(struct stracetable_columns *c, const char *word, struct errmsg *err)
{
	for (unsigned i = 0; i < ARRAY_LEN(columns); i++) {
		if (!ARRAY_ANY(ARRAY_LEN(columns[i].names), k,
			       columns[i].names[k] && !strcmp(word, columns[i].names[k])))
			continue;
		if (ARRAY_ANY(c->n, k, c->index[k] == i))
			return errmsg_set(err, -EINVAL,
					  "column name given more than once: '%s'\nTry 'strace -h' "
					  "for more information.",
					  word);
		c->index[c->n++] = (unsigned char)i;
		return 0;
	}
	return errmsg_set(err, -EINVAL,
			  "unknown column name: '%s'\nTry 'strace -h' for more information.", word);
}

int stracetable_choose(struct stracetable_columns *ret, const char *text, struct errmsg *err)
{
	SCOPED(scope_free) char *copy = strdup(text);
	struct stracetable_columns chosen = {0};
	char *rest = copy, *word;

	if (!copy)
		return errmsg_set_errno(err, -ENOMEM, "cannot choose columns");
	while ((word = strsep(&rest, ",")))
		TRY(add_column(&chosen, word, err));
	if (!ARRAY_ANY(chosen.n, k, chosen.index[k] == NAME_COLUMN))
		chosen.index[chosen.n++] = NAME_COLUMN;
	*ret = chosen;
	return 0;
}

/* A name at the end of the line is not filled up. */
static void add_cell(struct textbuf *tb, const struct column *c, const char *text, bool is_last)
{
	textbuf_addf(tb, "%*s%c", is_last && c->width < 0 ? 0 : c->width, text,
		     is_last ? '\n' : ' ');
}

static void add_titles(struct textbuf *tb, const struct stracetable_columns *c)
{
	for (size_t i = 0; i < c->n; i++)
		add_cell(tb, &columns[c->index[i]], columns[c->index[i]].title, i + 1 == c->n);
}

static void add_rule(struct textbuf *tb, const struct stracetable_columns *c)
{
	for (size_t i = 0; i < c->n; i++) {
		textbuf_add_fill(tb, '-', (size_t)abs(columns[c->index[i]].width));
		textbuf_add_char(tb, i + 1 == c->n ? '\n' : ' ');
	}
}

static void add_line(struct textbuf *tb, const struct stracetable_columns *c, const struct line *l)
{
	for (size_t i = 0; i < c->n; i++) {
		char text[64];

		columns[c->index[i]].fmt(l, text, sizeof(text));
		add_cell(tb, &columns[c->index[i]], text, i + 1 == c->n);
	}
}

static struct line total_of(const struct callsummary_row *const *rows, size_t n)
{
	struct line all = {.share = 100, .name = "total", .min = n ? UINT64_MAX : 0};

	for (size_t i = 0; i < n; i++) {
		const struct latency_spread *s = &rows[i]->spread;

		all.total += s->total;
		all.n += s->n;
		all.n_errors += rows[i]->n_errors;
		all.min = s->min < all.min ? s->min : all.min;
		all.max = s->max > all.max ? s->max : all.max;
	}
	return all;
}

void stracetable_fmt(struct callsummary *s, enum callsummary_key key,
		     const struct stracetable_columns *chosen, struct textbuf *tb)
{
	const struct stracetable_columns *c = chosen && chosen->n ? chosen : &usual;
	size_t n;
	const struct callsummary_row *const *rows = callsummary_sort(s, key, &n);
	struct line all = total_of(rows, n);

	add_titles(tb, c);
	add_rule(tb, c);
	for (size_t i = 0; i < n; i++) {
		const struct latency_spread *sp = &rows[i]->spread;
		const char *name = syscallnames_find(rows[i]->machine, rows[i]->nr);
		struct line l = {0, sp->total, sp->min, sp->max, sp->n, rows[i]->n_errors, name};
		char number[32];

		snprintf(number, sizeof(number), "syscall_%#x", rows[i]->nr);
		l.name = name ? name : number;
		l.share = all.total ? 100.0 * (double)sp->total / (double)all.total : 0;
		add_line(tb, c, &l);
	}
	add_rule(tb, c);
	add_line(tb, c, &all);
	if (callsummary_n_lost(s))
		textbuf_addf(tb, "<... %" PRIu64 " system calls lost ...>\n",
			     callsummary_n_lost(s));
}
