// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * selection_match.c - tests whether a record matches the expression and the text of a selection.
 *
 *	record ─▶ filter of its source ─▶ "comm-pid event: info" ─▶ text, or regular expression
 *
 * A helper has the state that each thread needs (a compiled filter, a printer). A job takes a free
 * helper and returns it, so there are never more helpers than threads.
 *
 * Formats belong to one thread at a time, and a filter parses the format of an event when it first
 * sees it. So the first record of each kind is matched under the formats' lock.
 */
#include "timeline/index/selection_match.h"

#include "base/lock.h"
#include "base/scope.h"
#include "decode/print/print.h"
#include "symbols/tables/syscalls.h"
#include "timeline/lanes/forms.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES (1u << 20)

/* The data of one thread for one kind table (formats). */
struct helper_part {
	struct filter *filter;
	uint8_t *met; /* one bit for each kind that the filter has seen */
	struct printer printer;
	bool has_printer;
	const struct syscall_table *syscalls; /* system calls whose names the line contains */
};

struct helper {
	struct helper *next;
	struct helper_part *parts; /* by kind table */
	struct textbuf line;
	regex_t regex;
	bool has_regex;
};

/* --- helpers ---------------------------------------------------------------------------------- */

static void helper_free(struct helper *h, size_t n_parts)
{
	if (!h)
		return;
	for (size_t i = 0; h->parts && i < n_parts; i++) {
		filter_free(h->parts[i].filter);
		free(h->parts[i].met);
		if (h->parts[i].has_printer)
			printer_release(&h->parts[i].printer);
	}
	if (h->has_regex)
		regfree(&h->regex);
	textbuf_release(&h->line);
	free(h->parts);
	free(h);
}

/* The caller holds the formats' lock. */
static int part_init(struct making *mk, struct helper *h, size_t i, struct errmsg *err)
{
	const struct selection_wants *w = mk->wants;
	struct helper_part *part = &h->parts[i];
	struct formats *f = mk->tl->kindtables[i].formats;

	if (w->expression && !mk->no_filter[i]) {
		TRY(filter_new(&part->filter, f, w->expression, err));
		part->met = calloc(mk->n_kinds / 8 + 1, 1);
		if (!part->met)
			return errmsg_set_errno(err, -ENOMEM, "cannot search");
	}
	if (w->text && printer_init(&part->printer, f, &h->line) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot search");
	part->has_printer = w->text;
	part->syscalls = forms_syscalls(timeline_source(mk->tl, mk->tl->kindtables[i].source)->tf);
	return 0;
}

static int helper_compile(struct helper *h, const char *text, struct errmsg *err)
{
	int code = regcomp(&h->regex, text, REG_EXTENDED | REG_ICASE | REG_NOSUB);
	char why[128];

	h->has_regex = !code;
	if (!code)
		return 0;
	regerror(code, &h->regex, why, sizeof(why));
	return errmsg_set(err, -EINVAL, "'%.300s' is not a valid regular expression: %s", text,
			  why);
}

int helper_new(struct making *mk, struct helper **ret, struct errmsg *err)
{
	struct helper *h = calloc(1, sizeof(*h));
	size_t n = mk->tl->n_kindtables;
	int r = 0;

	if (h) {
		textbuf_init(&h->line, LINE_MAX_BYTES);
		h->parts = calloc(n + 1, sizeof(*h->parts));
	}
	if (!h || !h->parts)
		r = errmsg_set_errno(err, -ENOMEM, "cannot search");
	timeline_lock_formats(mk->tl);
	for (size_t i = 0; i < n && !r; i++)
		r = part_init(mk, h, i, err);
	timeline_unlock_formats(mk->tl);
	if (!r && mk->wants->text && mk->wants->is_regex)
		r = helper_compile(h, mk->wants->text, err);
	if (r < 0) {
		helper_free(h, n);
		return r;
	}
	*ret = h;
	return 0;
}

struct helper *helper_take(struct making *mk)
{
	struct errmsg err = {0};
	struct helper *h;

	pthread_mutex_lock(&mk->lock);
	h = mk->helpers;
	if (h)
		mk->helpers = h->next;
	pthread_mutex_unlock(&mk->lock);
	if (!h && helper_new(mk, &h, &err) < 0)
		atomic_store(&mk->error, -ENOMEM);
	return h;
}

void helper_give(struct making *mk, struct helper *h)
{
	LOCKED(&mk->lock);
	h->next = mk->helpers;
	mk->helpers = h;
}

/* --- matching --------------------------------------------------------------------------------- */

static bool filter_matches(struct making *mk, struct helper_part *part, uint16_t kind,
			   const struct record *rec)
{
	bool first, r;

	if (!part->filter || kind >= mk->n_kinds)
		return false;
	first = !(part->met[kind / 8] >> kind % 8 & 1);
	if (first)
		timeline_lock_formats(mk->tl);
	r = filter_match(part->filter, rec) == FILTER_MATCH;
	if (first) {
		part->met[kind / 8] |= 1 << kind % 8;
		timeline_unlock_formats(mk->tl);
	}
	return r;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

void lower_all(char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		s[i] = lower(s[i]);
}

static bool text_matches(const struct making *mk, struct helper *h, struct helper_part *part,
			 const struct record *rec)
{
	struct textbuf *tb = &h->line;
	size_t start;

	textbuf_clear(tb);
	textbuf_add_str(tb, rec->task ? rec->task->comm : "<...>");
	textbuf_add_char(tb, '-');
	textbuf_add_signed(tb, rec->task ? rec->task->pid : -1);
	textbuf_add_char(tb, ' ');
	textbuf_add_str(tb, rec->event->name);
	textbuf_add_str(tb, ": ");
	start = textbuf_len(tb);
	printer_print(&part->printer, rec, false);
	if (part->syscalls && !strcmp(rec->event->system, "raw_syscalls"))
		syscalls_add_name(part->syscalls, tb, start);
	if (h->has_regex)
		textbuf_add_char(tb, 0);
	if (tb->overflow)
		return false;
	if (h->has_regex)
		return !regexec(&h->regex, tb->start, 0, NULL, 0);
	lower_all(tb->start, textbuf_len(tb));
	return memmem(tb->start, textbuf_len(tb), mk->needle, mk->needle_len) != NULL;
}

bool record_matches(struct making *mk, struct helper *h, const struct stream *st,
		    const struct walk_event *ev)
{
	struct helper_part *part = &h->parts[st->source->kinds - mk->tl->kindtables];
	struct record rec = {.ts = ev->ts,
			     .data = ev->data,
			     .size = ev->size,
			     .cpu = st->pub.cpu,
			     .task = ev->task < mk->n_tasks ? &mk->tasks[ev->task] : NULL};

	if (ev->kind < mk->n_kinds)
		rec.event = timeline_kind(mk->tl, ev->kind)->event;
	if (!rec.event)
		return false;
	if (mk->wants->expression && !filter_matches(mk, part, ev->kind, &rec))
		return false;
	return !mk->wants->text || text_matches(mk, h, part, &rec);
}

void helpers_free(struct making *mk)
{
	while (mk->helpers) {
		struct helper *h = mk->helpers;

		mk->helpers = h->next;
		helper_free(h, mk->tl->n_kindtables);
	}
}

struct filter *helper_filter(const struct helper *h, size_t table)
{
	return h->parts[table].filter;
}
