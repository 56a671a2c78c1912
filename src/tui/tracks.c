// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracks.c - the tracks on the screen: which lanes, their names, and the one with the cursor.
 *
 *	> CPU 0        ▂▃█sleep-234████████▁   ▂
 *	  CPU 1            ▁▁  ▂▂▂▂
 *	  sleep-234    ──▒███████████████▒──────
 *
 * There are three choices: the first lanes of the page (firstlanes.c), all CPUs, or all tasks, the
 * longest running first. A lane whose spans nest has a line for each depth, up to ROWS_MAX.
 */
#include "timeline/lanes/lane.h"
#include "tui/tui_int.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/taskstate.h"
#include "present/insight/words.h"
#include "view/picture/lanewords.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACKS_MAX	 4096
#define CPUS_MAX	 4096
#define ROWS_MAX	 6
#define PREPARE_MAX	 512
#define VALUES_MAX_BYTES 4096
#define LABEL_BYTES	 256

struct adding {
	struct tui *t;
	size_t n;
	bool failed;
};

static bool nests(const char *spec)
{
	return !strncmp(spec, "calls:", 6) || !strncmp(spec, "cpucalls:", 9) ||
	       !strncmp(spec, "pair:", 5);
}

static void add_track(void *ctx, const char *spec)
{
	struct adding *a = ctx;
	struct track *track;
	struct lane_words words;
	struct errmsg ignored = {0};
	bool is_task = !strncmp(spec, "task:", 5);

	if (a->n == TRACKS_MAX || strlen(spec) >= sizeof(track->spec))
		return;
	if (!ARRAY_ONE_MORE(a->t->tracks, a->n, TRACKS_MAX)) {
		a->failed = true;
		return;
	}
	track = &a->t->tracks[a->n++];
	*track = (struct track){.rows = 1};
	snprintf(track->spec, sizeof(track->spec), "%s", spec);
	lane_words_get(a->t->st, spec, &words);
	snprintf(track->name, sizeof(track->name), words.more[0] ? "%.60s%s%.30s" : "%.60s",
		 words.name, is_task ? "-" : " ", words.more);
	if (nests(spec) &&
	    lanes_count_rows(a->t->st->lanes, spec, 0, a->t->end, &track->rows, &ignored) < 0)
		track->rows = 1;
	track->rows = track->rows < 1 ? 1 : track->rows > ROWS_MAX ? ROWS_MAX : track->rows;
}

static void add_cpus(struct adding *a)
{
	SCOPED(scope_free) uint32_t *cpus = calloc(CPUS_MAX, sizeof(*cpus));
	char spec[64];

	a->failed |= !cpus;
	for (size_t m = 0; cpus && m < a->t->st->config.n_machines; m++)
		for (size_t i = 0, n = machine_cpus(a->t->st, m, cpus, CPUS_MAX); i < n; i++) {
			snprintf(spec, sizeof(spec), "cpu:%zu:%u", m, cpus[i]);
			add_track(a, spec);
		}
}

struct ranked {
	uint64_t ns, n_events;
	uint32_t machine;
	int pid;
};

ARRAY_ORDER(compare_ranked, struct ranked,
	    COMPARE(y->ns, x->ns)
		    ?: COMPARE(y->n_events, x->n_events)
		    ?: COMPARE(x->machine, y->machine)
		    ?: COMPARE(x->pid, y->pid))

static void add_tasks(struct adding *a)
{
	size_t n = timeline_n_tasks(a->t->st->tl), kept = 0;
	SCOPED(scope_free) struct ranked *all = calloc(n + 1, sizeof(*all));
	char spec[64];

	a->failed |= !all;
	for (size_t i = 0; all && i < n; i++) {
		const struct timeline_task *task = timeline_task(a->t->st->tl, i);

		if (task->pid > 0)
			all[kept++] = (struct ranked){stage_count(&task->running_ns),
						      stage_count(&task->n_events), task->machine,
						      task->pid};
	}
	if (kept)
		qsort(all, kept, sizeof(*all), compare_ranked);
	for (size_t i = 0; i < kept; i++) {
		snprintf(spec, sizeof(spec), "task:%u:%d", all[i].machine, all[i].pid);
		add_track(a, spec);
	}
}

int tracks_choose(struct tui *t, enum tui_tracks kind)
{
	char spec[sizeof(t->tracks->spec)] = "";
	struct adding a = {.t = t};

	if (t->n_tracks)
		snprintf(spec, sizeof(spec), "%s", t->tracks[t->track].spec);
	t->n_tracks = 0;
	if (kind == TRACKS_FIRST)
		first_lanes_find(t->st, add_track, &a);
	else if (kind == TRACKS_CPUS)
		add_cpus(&a);
	else
		add_tasks(&a);
	if (!a.n)
		add_cpus(&a);
	t->n_tracks = a.n;
	t->kind = kind;
	t->track = t->first_track = 0;
	for (size_t i = 0; i < t->n_tracks; i++)
		if (!strcmp(t->tracks[i].spec, spec))
			t->track = i;
	return a.failed ? -ENOMEM : 0;
}

const char *tracks_spec(const struct tui *t)
{
	return t->track < t->n_tracks ? t->tracks[t->track].spec : NULL;
}

void tracks_move(struct tui *t, int by)
{
	int to = (int)t->track + by, n = (int)t->n_tracks;

	t->track = to < 0 ? 0 : to >= n ? (n ? n - 1 : 0) : to;
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* Chooses the first track so that the current one is visible. */
static void scroll(struct tui *t)
{
	unsigned height = 0;

	if (t->track < t->first_track)
		t->first_track = t->track;
	for (unsigned i = t->track + 1; i-- > t->first_track;) {
		height += t->tracks[i].rows;
		if (height > t->at.tracks_height && i < t->track) {
			t->first_track = i + 1;
			return;
		}
	}
}

static void prepare(struct tui *t)
{
	const char *specs[PREPARE_MAX];
	size_t n = 0;

	for (unsigned i = t->first_track, y = 0;
	     i < t->n_tracks && y < t->at.tracks_height && n < PREPARE_MAX; i++) {
		specs[n++] = t->tracks[i].spec;
		y += t->tracks[i].rows;
	}
	if (n)
		lanes_prepare(t->st->lanes, specs, n);
}

void tracks_draw(struct tui *t)
{
	struct lane_frame f = view_frame(t);
	unsigned y = 0;

	scroll(t);
	prepare(t);
	for (unsigned i = t->first_track; i < t->n_tracks && y < t->at.tracks_height; i++) {
		const struct track *track = &t->tracks[i];
		unsigned room = t->at.tracks_height - y,
			 height = track->rows < room ? track->rows : room;
		bool is_here = i == t->track;

		canvas_puts(&t->canvas, 0, t->at.tracks_y + y, 1, is_here ? ">" : " ",
			    STYLE_LOOK(LOOK_BOLD));
		canvas_puts(&t->canvas, 1, t->at.tracks_y + y, t->at.names - 2, track->name,
			    STYLE_LOOK(is_here ? t->focus == FOCUS_TRACKS ? LOOK_REVERSE : LOOK_BOLD
					       : 0));
		lane_draw(&f, track->spec, &t->canvas, t->at.tracks_y + y, height);
		y += height;
	}
}

void tracks_click(struct tui *t, unsigned y)
{
	unsigned at = t->at.tracks_y;

	for (unsigned i = t->first_track; i < t->n_tracks; i++) {
		if (y >= at && y < at + t->tracks[i].rows)
			t->track = i;
		at += t->tracks[i].rows;
	}
}

/* --- what is under the cursor ----------------------------------------------------------------- */

static bool find_span(struct tui *t, enum lane_step step, struct lane **ret_lane,
		      struct lane_span *ret)
{
	const char *spec = tracks_spec(t);
	struct errmsg ignored = {0};

	*ret_lane = NULL;
	return spec &&
	       lanes_span_at(t->st->lanes, spec, t->cursor, 0, step, ret_lane, ret, &ignored) >= 0;
}

bool tracks_span(struct tui *t, struct lane_span *ret)
{
	struct lane *lane;
	bool found = find_span(t, LANE_AT, &lane, ret);

	lane_put(lane);
	return found;
}

void tracks_step(struct tui *t, bool back)
{
	struct lane_span s;
	struct lane *lane;
	bool found = find_span(t, back ? LANE_PREVIOUS : LANE_NEXT, &lane, &s);

	lane_put(lane);
	if (found)
		view_point(t, s.start);
	else
		tui_hint(t, "There is no span %s the cursor on this track.",
			 back ? "before" : "after");
}

int tracks_task(struct tui *t)
{
	const char *spec = tracks_spec(t);
	struct lane_span s;
	unsigned machine;
	int pid;

	if (!spec)
		return -1;
	if (sscanf(spec, "task:%u:%d", &machine, &pid) == 2 ||
	    sscanf(spec, "calls:%u:%d", &machine, &pid) == 2 ||
	    sscanf(spec, "sys:%u:%d", &machine, &pid) == 2)
		return timeline_find_task(t->st->tl, machine, pid);
	if (strncmp(spec, "cpu:", 4) || !tracks_span(t, &s) ||
	    s.value >= timeline_n_tasks(t->st->tl) || !timeline_task(t->st->tl, s.value)->pid)
		return -1;
	return (int)s.value;
}

static void fmt_cpu(const struct timeline *tl, const struct lane_span *s, struct textbuf *tb)
{
	char name[TASK_NAME_MAX];

	if (s->value >= timeline_n_tasks(tl))
		textbuf_add_str(tb, s->flags & TILE_MISSED ? "unknown, data is missing"
							   : "not recorded");
	else if (!timeline_task(tl, s->value)->pid)
		textbuf_add_str(tb, "idle");
	else
		textbuf_add_str(tb, task_name_fmt(tl, (int)s->value, name, sizeof(name)));
}

static void fmt_state(const struct timeline *tl, const struct lane_span *s, struct textbuf *tb)
{
	char name[TASK_NAME_MAX];

	textbuf_add_str(tb, task_state_name(s->value < STATES_N ? s->value : STATE_UNKNOWN));
	if (s->value == STATE_RUNNING && s->aux != UINT32_MAX)
		textbuf_addf(tb, " on CPU %u", s->aux);
	if (s->waker >= 0)
		textbuf_addf(tb, ", woken by %s", task_name_fmt(tl, s->waker, name, sizeof(name)));
}

static void fmt_value(struct lane *lane, const struct lane_span *s, struct textbuf *tb)
{
	char label[LABEL_BYTES] = "";
	TEXTBUF(args, VALUES_MAX_BYTES);
	TEXTBUF(result, VALUES_MAX_BYTES);

	lane_label(lane, s->value, label, sizeof(label));
	textbuf_add_str(tb, label);
	if (!lane_read_values(lane, s, &args, &result))
		return;
	textbuf_addf(tb, "(%s)", textbuf_text(&args));
	if (textbuf_len(&result))
		textbuf_addf(tb, " = %s", textbuf_text(&result));
}

void tracks_fmt_here(struct tui *t, struct textbuf *tb)
{
	const struct timeline *tl = t->st->tl;
	char when[32], from[32], to[32], length[32];
	struct lane_span s;
	struct lane *lane;

	if (t->track >= t->n_tracks)
		return;
	textbuf_addf(tb, "%s at %s: ", t->tracks[t->track].name,
		     moment_fmt(tl, t->cursor, when, sizeof(when)));
	if (!find_span(t, LANE_AT, &lane, &s)) {
		/* a CPU has spans of tasks, and of times that are unknown */
		textbuf_add_str(tb, strncmp(tracks_spec(t), "cpu:", 4) ? "nothing" : "idle");
		return;
	}
	if (lane_kind(lane) == LANE_CPU)
		fmt_cpu(tl, &s, tb);
	else if (lane_kind(lane) == LANE_STATES)
		fmt_state(tl, &s, tb);
	else if (lane_kind(lane) == LANE_SPANS)
		fmt_value(lane, &s, tb);
	else if (lane_kind(lane) == LANE_COUNTER)
		textbuf_addf(tb, "%.15g", s.number);
	else
		textbuf_add_str(tb, "an event");
	if (s.end > s.start)
		textbuf_addf(tb, ", %s, %s to %s",
			     length_fmt(tl, s.end - s.start, length, sizeof(length)),
			     moment_fmt(tl, s.start, from, sizeof(from)),
			     moment_fmt(tl, s.end, to, sizeof(to)));
	lane_put(lane);
}
