// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * textpanel.c - the panels that are texts: marks, states, counts, why, info, one event, help.
 *
 * The texts are those of other commands: the numbers come from timeline/insight, the words from
 * present/insight, as for `sonde states`, `sonde why` and the page. A text is made when its panel
 * is shown, and again when what it is about changes: the range, the task, the marks. Until the
 * trace is indexed there is no text, because its numbers would be wrong.
 */
#include "tui/tui_int.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "inputs/info/info.h"
#include "present/insight/view.h"
#include "present/insight/words.h"
#include "present/traceinfo.h"
#include "timeline/insight/taskgroups.h"
#include "view/stage.h"

#include <stdlib.h>
#include <string.h>

#define INFO_ROWS 40
#define WHY_ROWS  1000

struct panel_view {
	struct insight_view view;
	const char **machines;
};

static int panel_view_init(struct panel_view *v, const struct tui *t)
{
	const struct stage_config *c = &t->st->config;

	v->machines = calloc(c->n_machines + 1, sizeof(*v->machines));
	if (!v->machines)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_machines; i++)
		v->machines[i] = c->machines[i].name;
	v->view = (struct insight_view){.tl = t->st->tl,
					.machines = v->machines,
					.n_machines = c->n_machines,
					.n_rows = SIZE_MAX};
	return 0;
}

static void panel_view_release(struct panel_view *v)
{
	free(v->machines);
}

static int fmt_states(struct tui *t, const struct panel_view *pv, const struct text_key *key,
		      struct textbuf *tb)
{
	SCOPED(insight_tasks_release) struct insight_tasks times = {0};
	SCOPED(task_groups_release) struct task_groups groups = {0};
	SCOPED(scope_free) uint8_t *tasks = NULL;
	struct states_view v = {.view = pv->view, .tasks = &times, .by = GROUP_BY_TASK};

	if (t->only_task && key->task >= 0) {
		tasks = calloc(1, INSIGHT_TASKS / 8);
		if (!tasks)
			return -ENOMEM;
		tasks[key->task / 8] |= 1u << key->task % 8;
	}
	TRY(insight_tasks(&times, t->st->lanes, tasks, key->from, key->to));
	TRY(task_groups_init(&groups, &times, t->st->tl, GROUP_BY_TASK, ORDER_RUNNING));
	v.groups = &groups;
	statestext_fmt(&v, tb);
	insight_fmt_gaps(t->st->tl, false, tb);
	return 0;
}

static int fmt_why(struct tui *t, const struct panel_view *pv, const struct text_key *key,
		   struct textbuf *tb)
{
	SCOPED(why_causes_release) struct why_causes causes = {0};
	SCOPED(insight_why_release) struct insight_why y = {0};
	struct insight_view v = pv->view;

	if (key->task < 0) {
		textbuf_add_str(tb, "There is no task under the cursor. , and . go from span to "
				    "span, L chooses a track.\n");
		return 0;
	}
	v.n_rows = WHY_ROWS;
	TRY(insight_why(&y, t->st->lanes, key->task, key->from, key->to));
	TRY(why_causes_init(&causes, &y, t->st->tl));
	whytext_fmt(&v, &y, &causes, tb);
	insight_fmt_gaps(t->st->tl, true, tb);
	return 0;
}

static int compare_counts(const void *a, const void *b)
{
	const struct kind_count *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n) - (x->n > y->n)
			    : (x->kind > y->kind) - (x->kind < y->kind);
}

/* Counts events by kind, of those that pass the filter. */
static int fmt_counts(struct tui *t, const struct panel_view *pv, const struct text_key *key,
		      struct textbuf *tb)
{
	SCOPED(insight_events_release) struct insight_events e = {0};

	TRY(insight_events(&e, t->st->lanes, t->filter.sel, key->from, key->to));
	qsort(e.kinds, e.n_kinds, sizeof(*e.kinds), compare_counts);
	for (size_t i = 0; i < e.n_kinds; i++) {
		const struct timeline_kind *k = timeline_kind(t->st->tl, e.kinds[i].kind);

		textbuf_addf(tb, "%12llu  %s%s%s\n", (unsigned long long)e.kinds[i].n,
			     k->event ? k->event->system : "", k->event ? "/" : "",
			     k->event ? k->event->name : "unknown");
	}
	textbuf_addf(tb, "%12llu  in all\n", (unsigned long long)e.total);
	return 0;
}

static int fmt_marks(struct tui *t, const struct panel_view *pv, const struct text_key *key,
		     struct textbuf *tb)
{
	marks_fmt(t, tb);
	return 0;
}

static int fmt_event(struct tui *t, const struct panel_view *pv, const struct text_key *key,
		     struct textbuf *tb)
{
	list_fmt_event(t, tb);
	return 0;
}

static int fmt_help(struct tui *t, const struct panel_view *pv, const struct text_key *key,
		    struct textbuf *tb)
{
	commands_fmt_keys(tb);
	return 0;
}

/* Describes the files as `sonde info --fast` does. */
static int fmt_info(struct tui *t, const struct panel_view *pv, const struct text_key *key,
		    struct textbuf *tb)
{
	const struct traceinfo_style style = {.max_rows = INFO_ROWS, .max_cpus = INFO_ROWS};
	const struct info_config config = {.fast = true};
	struct errmsg err = {0};
	int r = 0;

	timeline_lock_formats(t->st->tl);
	for (size_t i = 0; i < t->config->inputs->n_files && r >= 0; i++) {
		SCOPED(info_release) struct info info = {0};

		r = info_init(&info, &t->config->inputs->files[i], &config, &err);
		info.facts.why_not_counted = "panel 4 does it";
		if (r >= 0)
			traceinfo_fmt_text(&info.facts, &style, tb);
	}
	timeline_unlock_formats(t->st->tl);
	return r;
}

static const struct {
	int (*fmt)(struct tui *t, const struct panel_view *pv, const struct text_key *key,
		   struct textbuf *tb);
	bool in_range, of_task, at_cursor, is_known; /* what the text depends on */
} panels[] = {
	[PANEL_MARKS] = {fmt_marks, .is_known = true},
	[PANEL_STATES] = {fmt_states, .in_range = true, .of_task = true},
	[PANEL_COUNTS] = {fmt_counts, .in_range = true},
	[PANEL_WHY] = {fmt_why, .in_range = true, .of_task = true},
	[PANEL_INFO] = {fmt_info},
	[PANEL_EVENT] = {fmt_event, .at_cursor = true},
	[PANEL_HELP] = {fmt_help, .is_known = true},
};

static struct text_key find_key(struct tui *t)
{
	struct tui_range scope = view_scope(t);
	struct text_key key = {.panel = t->panel, .task = -1, .version = t->version};

	if (panels[t->panel].in_range) {
		key.from = scope.from;
		key.to = scope.to;
	}
	if (panels[t->panel].of_task && (t->panel != PANEL_STATES || t->only_task))
		key.task = tracks_task(t);
	if (panels[t->panel].at_cursor) {
		key.from = t->cursor;
		key.to = t->list.row;
	}
	return key;
}

/* Makes the text, if it is about something else now. */
static void renew(struct tui *t)
{
	struct text_key key = find_key(t), *old = &t->text.key;
	SCOPED(panel_view_release) struct panel_view pv = {0};
	int r;

	if (old->panel == key.panel && old->from == key.from && old->to == key.to &&
	    old->task == key.task && old->version == key.version)
		return;
	if (old->panel != key.panel)
		t->text.first = 0;
	*old = key;
	textbuf_clear(&t->text.tb);
	if (!panels[key.panel].is_known && timeline_progress(t->st->tl) < 1) {
		textbuf_add_str(&t->text.tb, "The trace is still being indexed.\n");
		old->panel = PANEL_NONE; /* not the text yet: make it again */
		return;
	}
	r = panel_view_init(&pv, t);
	r = r < 0 ? r : panels[key.panel].fmt(t, &pv, &key, &t->text.tb);
	if (r < 0)
		textbuf_addf(&t->text.tb, "This cannot be computed: %s\n", strerror(-r));
}

static unsigned count_lines(const char *text, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n' || i + 1 == len;
	return n;
}

void textpanel_draw(struct tui *t)
{
	unsigned n, height = t->at.panel_height, y = 0, line = 0;
	const char *at, *end;

	renew(t);
	at = textbuf_text(&t->text.tb);
	end = at + textbuf_len(&t->text.tb);
	n = count_lines(at, end - at);
	if (t->text.first + height > n)
		t->text.first = n > height ? n - height : 0;
	for (; at < end && y < height; line++) {
		const char *stop = memchr(at, '\n', end - at);

		stop = stop ? stop : end;
		if (line >= t->text.first)
			canvas_put_from(&t->canvas, 0, t->at.panel_y + y++, t->shift, at, stop - at,
					STYLE_PLAIN);
		at = stop + 1;
	}
}

void textpanel_scroll(struct tui *t, int by)
{
	t->text.first = by < 0 && t->text.first < (unsigned)-by ? 0 : t->text.first + by;
}
