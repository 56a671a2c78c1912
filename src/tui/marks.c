// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * marks.c - moments that the user marked: A, B … Z, with the times between them.
 *
 *	   mark           time   since the one before
 *	   A         52.129869
 *	 > B         52.130012            143.000 us
 *
 * The last one that was set is active: Delete removes it.
 */
#include "base/textbuf.h"
#include "tui/tui_int.h"

#include "present/insight/words.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const struct tui_mark *x = a, *y = b;

	return x->t != y->t ? (x->t > y->t) - (x->t < y->t) : x->name - y->name;
}

static bool is_free(const struct tui *t, char name)
{
	for (unsigned i = 0; i < t->n_marks; i++)
		if (t->marks[i].name == name)
			return false;
	return true;
}

void marks_set(struct tui *t, uint64_t when)
{
	char name = 'A';

	if (t->n_marks == TUI_MARKS_MAX) {
		tui_hint(t, "There are %d marks already; Delete removes one.", TUI_MARKS_MAX);
		return;
	}
	while (!is_free(t, name))
		name++;
	t->mark = t->n_marks++;
	t->marks[t->mark] = (struct tui_mark){name, when};
	t->version++;
}

void marks_remove(struct tui *t)
{
	if (!t->n_marks) {
		tui_hint(t, "There is no mark.");
		return;
	}
	for (unsigned i = t->mark; i + 1 < t->n_marks; i++)
		t->marks[i] = t->marks[i + 1];
	t->n_marks--;
	t->mark = t->n_marks ? t->n_marks - 1 : 0;
	t->version++;
}

static void sort(const struct tui *t, struct tui_mark *ret)
{
	for (unsigned i = 0; i < t->n_marks; i++)
		ret[i] = t->marks[i];
	qsort(ret, t->n_marks, sizeof(*ret), compare);
}

void marks_fmt_short(const struct tui *t, struct textbuf *tb)
{
	struct tui_mark marks[TUI_MARKS_MAX + 1];
	const struct timeline *tl = t->st->tl;
	char when[32], length[32];

	sort(t, marks);
	if (t->n_marks == 1)
		textbuf_addf(tb, "%c %s", marks[0].name,
			     moment_fmt(tl, marks[0].t, when, sizeof(when)));
	for (unsigned i = 1; i < t->n_marks; i++)
		textbuf_addf(tb, "%s%c-%c %s", i > 1 ? "  " : "", marks[i - 1].name, marks[i].name,
			     length_fmt(tl, marks[i].t - marks[i - 1].t, length, sizeof(length)));
}

void marks_fmt(const struct tui *t, struct textbuf *tb)
{
	struct tui_mark marks[TUI_MARKS_MAX + 1];
	const struct timeline *tl = t->st->tl;
	char when[32], length[32];

	if (!t->n_marks)
		textbuf_add_str(tb, "No marks yet. M sets a mark at the cursor.\n");
	else
		textbuf_addf(tb, "  mark %16s %22s\n", "time", "since the one before");
	sort(t, marks);
	for (unsigned i = 0; i < t->n_marks; i++) {
		bool is_active = marks[i].name == t->marks[t->mark].name;

		textbuf_addf(tb, "%c %-4c %16s", is_active ? '>' : ' ', marks[i].name,
			     moment_fmt(tl, marks[i].t, when, sizeof(when)));
		if (i)
			textbuf_addf(tb, " %22s",
				     length_fmt(tl, marks[i].t - marks[i - 1].t, length,
						sizeof(length)));
		textbuf_add_char(tb, '\n');
	}
	if (t->n_marks > 2)
		textbuf_addf(tb, "%c to %c: %s\n", marks[0].name, marks[t->n_marks - 1].name,
			     length_fmt(tl, marks[t->n_marks - 1].t - marks[0].t, length,
					sizeof(length)));
}
