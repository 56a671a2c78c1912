// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * prompt.c - the last line of the screen: what the user types, a hint, or the most important keys.
 *
 *	search: sched_switch█
 *
 * Enter takes the text, Escape leaves all as it was. A text that is wrong stays, with the reason in
 * the line above it.
 */
#include "tui/tui_int.h"

#include "base/errmsg.h"
#include "timeline/moment.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const titles[] = {
	[PROMPT_NONE] = "",
	[PROMPT_TEXT] = "search a text: ",
	[PROMPT_EXPRESSION] = "search EVENTS[:EXPRESSION]: ",
	[PROMPT_FILTER] = "list only EVENTS[:EXPRESSION]: ",
	[PROMPT_TIME] = "go to time: ",
};

void tui_hint(struct tui *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->hint, sizeof(t->hint), fmt, ap);
	va_end(ap);
}

void prompt_open(struct tui *t, enum tui_prompt prompt)
{
	const struct tui_found *f = prompt == PROMPT_FILTER ? &t->filter : &t->search;
	bool fits = prompt == PROMPT_FILTER ||
		    (prompt != PROMPT_TIME && f->is_expression == (prompt == PROMPT_EXPRESSION));

	t->prompt = prompt;
	t->hint[0] = 0;
	snprintf(t->typed, sizeof(t->typed), "%s", fits ? f->text : "");
	t->n_typed = strlen(t->typed);
}

static int take_time(struct tui *t, struct errmsg *err)
{
	uint64_t when;

	TRY(moment_parse(t->st->tl, "the time", t->typed, &when, err));
	if (when > t->end)
		return errmsg_set(err, -EINVAL, "the trace ends before %.60s", t->typed);
	view_point(t, when);
	return 0;
}

/* An expression without event names is about all events. */
static void complete(char *text, size_t size)
{
	char all[TUI_PROMPT_SIZE];

	if (!text[0] || strchr(text, ':') || !strpbrk(text, "=<>&!~"))
		return;
	if (snprintf(all, sizeof(all), ".*:%s", text) < (int)sizeof(all))
		snprintf(text, size, "%s", all);
}

static void take(struct tui *t)
{
	struct errmsg err = {0};
	int r;

	if (t->prompt != PROMPT_TEXT && t->prompt != PROMPT_TIME)
		complete(t->typed, sizeof(t->typed));
	if (t->prompt == PROMPT_TIME)
		r = t->typed[0] ? take_time(t, &err) : 0;
	else if (t->prompt == PROMPT_FILTER)
		r = found_set(t, &t->filter, t->typed, true, &err);
	else
		r = found_set(t, &t->search, t->typed, t->prompt == PROMPT_EXPRESSION, &err);
	if (r < 0) {
		t->n_typed = strlen(t->typed);
		tui_hint(t, "%.*s", (int)(err.code ? errmsg_sentence_len(&err) : 0), err.text);
		return;
	}
	if (t->prompt == PROMPT_FILTER && t->filter.sel)
		tui_hint(t, "%llu events pass the filter.",
			 (unsigned long long)selection_count(t->filter.sel));
	else if (t->prompt != PROMPT_FILTER && t->prompt != PROMPT_TIME && t->search.sel)
		tui_hint(t, "%llu events found; n goes to the next one.",
			 (unsigned long long)selection_count(t->search.sel));
	t->prompt = PROMPT_NONE;
}

/* Adds a character as UTF-8. */
static void add(struct tui *t, uint32_t c)
{
	char bytes[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	if (t->n_typed + n + 1 > sizeof(t->typed))
		return;
	for (size_t i = n; i-- > 1; c >>= 6)
		bytes[i] = (char)(0x80 | (c & 0x3f));
	bytes[0] = (char)(n == 1 ? c : (0xf00 >> n & 0xff) | c);
	memcpy(t->typed + t->n_typed, bytes, n);
	t->n_typed += n;
	t->typed[t->n_typed] = 0;
}

void prompt_key(struct tui *t, int key)
{
	t->hint[0] = 0;
	if (key == SCREEN_ESCAPE || key == SCREEN_CTRL('D')) {
		t->prompt = PROMPT_NONE;
	} else if (key == SCREEN_ENTER) {
		take(t);
	} else if (key == SCREEN_BACKSPACE) {
		while (t->n_typed && (t->typed[--t->n_typed] & 0xc0) == 0x80)
			;
		t->typed[t->n_typed] = 0;
	} else if (key == SCREEN_CTRL('U')) {
		t->typed[t->n_typed = 0] = 0;
	} else if (key >= ' ' && key < SCREEN_LEFT) {
		add(t, (uint32_t)key);
	}
}

void prompt_draw(struct tui *t)
{
	static const char keys[] = "? help  q quit  w/s zoom  a/d move  , . step  l track  m mark  "
				   "/ search  Tab";
	unsigned y = t->canvas.height - 1, x = 0;
	int cursor = -1;

	if (t->prompt == PROMPT_NONE) {
		canvas_puts(&t->canvas, 0, y, t->canvas.width, t->hint[0] ? t->hint : keys,
			    t->hint[0] ? STYLE_LOOK(LOOK_BOLD) : STYLE_LOOK(LOOK_DIM));
	} else {
		if (t->hint[0]) {
			canvas_fill(&t->canvas, 0, y - 1, t->canvas.width, L' ', STYLE_PLAIN);
			canvas_puts(&t->canvas, 0, y - 1, t->canvas.width, t->hint,
				    STYLE_LOOK(LOOK_BOLD));
		}
		x = canvas_puts(&t->canvas, 0, y, t->canvas.width, titles[t->prompt],
				STYLE_LOOK(LOOK_BOLD));
		x += canvas_puts(&t->canvas, x, y, t->canvas.width - x - 1, t->typed, STYLE_PLAIN);
		cursor = (int)x;
	}
	screen_show(t->screen, &t->canvas, cursor, (int)y);
}
