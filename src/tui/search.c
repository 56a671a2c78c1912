// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * search.c - searches and filters events, with the selections of the timeline that the page uses.
 *
 * A search reads all events, in the language of `sonde report -F` or for a text. Its hits are a
 * lane, found:SEARCH_ID, which is drawn in the ruler; n goes to the next one. A filter limits the
 * event list.
 */
#include "timeline/timeline.h"
#include "tui/tui_int.h"

#include "base/errmsg.h"

#include <stdio.h>

#define SEARCH_ID 1

void found_clear(struct tui *t, struct tui_found *f)
{
	if (f == &t->search)
		lanes_set_selection(t->st->lanes, SEARCH_ID, NULL);
	selection_free(f->sel);
	*f = (struct tui_found){0};
	tile_cache_clear(t->tiles);
	t->list.is_found = false;
	t->version++;
}

int found_set(struct tui *t, struct tui_found *f, const char *text, bool is_expression,
	      struct errmsg *err)
{
	struct selection_wants wants = {.expression = is_expression ? text : NULL,
					.text = is_expression ? NULL : text};
	struct selection *sel = NULL;

	if (text[0])
		TRY(selection_new(&sel, t->st->tl, &wants, NULL, NULL, err));
	found_clear(t, f);
	f->sel = sel;
	f->is_expression = is_expression;
	snprintf(f->text, sizeof(f->text), "%s", text);
	if (sel && f == &t->search)
		lanes_set_selection(t->st->lanes, SEARCH_ID, sel);
	return 0;
}

void search_next(struct tui *t, bool back)
{
	event_ref ref;
	uint64_t row, when;

	if (!t->search.sel) {
		tui_hint(t, "Search first: / for a text, : for an expression.");
		return;
	}
	row = timeline_rank(t->st->tl, t->search.sel, back ? t->cursor : t->cursor + 1);
	if ((back && !row) ||
	    !timeline_rows(t->st->tl, t->search.sel, back ? row - 1 : row, &ref, &when, 1)) {
		tui_hint(t, "There is no hit %s the cursor; there are %llu in all.",
			 back ? "before" : "after",
			 (unsigned long long)selection_count(t->search.sel));
		return;
	}
	view_point(t, when);
	tui_hint(t, "Hit %llu of %llu.", (unsigned long long)(back ? row : row + 1),
		 (unsigned long long)selection_count(t->search.sel));
}

void search_loss(struct tui *t, bool back)
{
	struct timeline_loss loss;

	if (timeline_find_loss(t->st->tl, t->cursor, back, &loss) < 0) {
		tui_hint(t, "No events were lost %s the cursor.", back ? "before" : "after");
		return;
	}
	view_point(t, loss.ts);
	if (loss.missed > 0)
		tui_hint(t, "%lld events were lost here.", (long long)loss.missed);
	else
		tui_hint(t, "Events were lost here; nobody counted them.");
}
