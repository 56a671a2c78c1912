// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filter.c - which calls of a walk are shown: options, filters and triggers.
 *
 * Each task counts its open calls of functions that -F and -N name (filter_in, filter_out), and how
 * many more levels are shown (filter_depth). A frame remembers what it changed; its end undoes it.
 *
 * Some functions of the C library are special: exec does not return, longjmp returns elsewhere, and a
 * child of fork begins where its parent was.
 */
#include "analyse/uftrace/walk_int.h"

#include "base/array.h"
#include "format/uftrace.h"
#include "symbols/uftrace/module.h"

#include <string.h>

/* The name of a function that is special; NULL: it is not. */
static const char *find_special(const struct uft_sym *s)
{
	static const char *const names[] = {
		"execl",      "execlp",	       "execle",  "execv",     "execve",      "execvp",
		"execvpe",    "setjmp",	       "_setjmp", "sigsetjmp", "__sigsetjmp", "longjmp",
		"siglongjmp", "__longjmp_chk", "fork",	  "vfork",     "daemon"};

	for (size_t i = 0; s && i < ARRAY_LEN(names); i++)
		if (!strcmp(names[i], s->name))
			return names[i];
	return NULL;
}

static void note_special(struct uft_walk *w, struct uft_reader *r, struct uft_frame *f,
			 const char *name)
{
	if (!strncmp(name, "exec", 4)) {
		f->flags |= UFT_FRAME_EXEC;
	} else if (strstr(name, "setjmp")) {
		w->setjmp_depth = r->display_depth + 1;
		w->setjmp_frames = r->n_frames;
	} else if (strstr(name, "longjmp")) {
		f->flags |= UFT_FRAME_LONGJMP;
	} else {
		r->fork_display_depth = r->display_depth + 1;
	}
}

/* Applies -F and -N. Returns false if the call is not shown. */
static bool pass_names(struct uft_walk *w, struct uft_reader *r, struct uft_frame *f,
		       unsigned actions)
{
	if (actions & UFT_DO_NOTRACE) {
		r->filter_out++;
		f->flags |= UFT_FRAME_NOTRACE | UFT_FRAME_HIDDEN;
		return false;
	}
	if (actions & UFT_DO_FILTER) {
		r->filter_in++;
		f->flags |= UFT_FRAME_FILTERED;
		r->filter_depth = w->c.depth;
	} else if (w->c.triggers->filters_in && !r->filter_in) {
		f->flags |= UFT_FRAME_HIDDEN;
		return false;
	}
	if (actions & UFT_DO_LOC_NOT || (w->c.triggers->locs_in && !(actions & UFT_DO_LOC))) {
		f->flags |= UFT_FRAME_HIDDEN;
		return false;
	}
	return true;
}

bool uft_walk_enter(struct uft_walk *w, struct uft_reader *r, const struct uft_record *rec,
		    const struct uft_trigger **ret)
{
	struct uft_frame *f = uft_frame_at(r, r->n_frames - 1);
	const struct uft_trigger *tr;
	unsigned actions;
	const char *special;

	*ret = NULL;
	if (!f)
		return false;
	f->orig_depth = r->filter_depth;
	f->flags = 0;
	if (r->filter_out > 0) {
		f->flags |= UFT_FRAME_HIDDEN;
		return false;
	}
	special = find_special(uft_walk_sym(w, r, rec->time_ns, rec->addr));
	if (special)
		note_special(w, r, f, special);
	*ret = tr = uft_walk_trigger(w, r, rec, NULL);
	actions = tr ? tr->actions : 0;
	if (!pass_names(w, r, f, actions))
		return false;
	if (actions & UFT_DO_DEPTH)
		r->filter_depth = tr->depth;
	if (actions & UFT_DO_TRACE_ON)
		w->enabled = true;
	if (actions & UFT_DO_TRACE_OFF) {
		w->enabled = false;
		r->display_depth_set = false;
	}
	if (!w->enabled)
		return false;
	if (r->filter_depth <= 0 || actions & UFT_DO_HIDE) {
		f->flags |= UFT_FRAME_HIDDEN;
		return false;
	}
	r->filter_depth--;
	if (!r->display_depth_set) {
		r->display_depth = r->n_frames - 1;
		r->display_depth_set = true;
	}
	return true;
}

void uft_walk_leave(struct uft_reader *r)
{
	struct uft_frame *f = uft_frame_at(r, r->n_frames);

	if (!f)
		return;
	if (f->flags & UFT_FRAME_FILTERED)
		r->filter_in--;
	else if (f->flags & UFT_FRAME_NOTRACE)
		r->filter_out--;
	f->flags = 0;
	r->filter_depth = f->orig_depth;
}

int uft_walk_update(struct uft_walk *w, struct uft_reader *r, enum uft_type type,
		    struct uft_frame *f)
{
	if (!f)
		return r->display_depth;
	if (type == UFT_EXIT) {
		if (!r->display_depth_set) {
			r->display_depth = r->n_frames + 1;
			r->display_depth_set = true;
		}
		if (r->display_depth > 0)
			r->display_depth--;
		return r->display_depth;
	}
	if (f->flags & UFT_FRAME_EXEC) {
		r->display_depth = r->n_frames = r->n_user = 0;
	} else if (f->flags & UFT_FRAME_LONGJMP) {
		r->display_depth = w->setjmp_depth;
		r->n_frames = r->n_user = w->setjmp_frames;
	} else {
		r->display_depth++;
	}
	f->flags &= ~(unsigned)(UFT_FRAME_EXEC | UFT_FRAME_LONGJMP);
	return r->display_depth;
}

/* Returns true if the filters show an event at this point of the task. */
static bool check_event(struct uft_walk *w, struct uft_reader *r)
{
	if (r->filter_out > 0 || r->filter_depth <= 0 ||
	    (w->c.triggers->filters_in && !r->filter_in))
		return false;
	if (r->rec.addr == UFT_EVENT_SCHED_IN)
		return uft_frame_at(r, r->n_frames);
	if (r->rec.addr == UFT_EVENT_SCHED_OUT)
		return uft_frame_at(r, r->n_frames - 1);
	return true;
}

bool uft_walk_check(struct uft_walk *w, struct uft_reader *r)
{
	const struct uft_trigger *tr;
	struct uft_frame *f;

	if (r->rec.type == UFT_ENTRY)
		return uft_walk_enter(w, r, &r->rec, &tr);
	if (r->rec.type == UFT_EVENT)
		return check_event(w, r);
	if (r->rec.type != UFT_EXIT)
		return true;
	f = uft_frame_at(r, r->n_frames);
	if (!f)
		return false;
	if (f->flags & UFT_FRAME_HIDDEN || !w->enabled) {
		uft_walk_leave(r);
		return false;
	}
	uft_walk_update(w, r, UFT_EXIT, f);
	return true;
}

void uft_walk_checked(struct uft_walk *w, struct uft_reader *r)
{
	if (r->rec.type == UFT_ENTRY)
		uft_walk_update(w, r, UFT_ENTRY, uft_frame_at(r, r->n_frames - 1));
	else if (r->rec.type == UFT_EXIT)
		uft_walk_leave(r);
}

/* Returns true for a preemption and for the return from it. --no-sched-preempt hides both. */
static bool is_preemption(struct uft_reader *r)
{
	uint64_t addr = r->rec.addr;

	if (addr == UFT_EVENT_SCHED_OUT_PREEMPT || addr == UFT_EVENT_SCHED_BOTH_PREEMPT) {
		r->preempt_seen = true;
		return true;
	}
	if (addr != UFT_EVENT_SCHED_IN || !r->preempt_seen)
		return false;
	r->preempt_seen = false;
	return true;
}

bool uft_walk_allows(struct uft_walk *w, struct uft_reader *r)
{
	bool is_event = r->rec.type == UFT_EVENT;

	if (w->c.kernel_only && r->rec.type != UFT_LOST)
		return false;
	if (is_event && !w->c.event_full && !r->n_user)
		return false;
	if (is_event && w->c.no_event && !w->c.keeps_events)
		return false;
	if (w->c.no_sched && uft_is_sched(r->rec.addr))
		return false;
	return !w->c.no_sched_preempt || !is_preemption(r);
}

/* Returns true if the filters will show the next record. */
static bool is_next_shown(struct uft_walk *w, struct uft_reader *r)
{
	const struct uft_trigger *tr;
	bool has_session = false;
	unsigned actions;
	int depth = r->filter_depth;
	struct uft_frame *f;

	if (r->filter_out > 0)
		return false;
	if (r->rec.type == UFT_EXIT) {
		f = uft_frame_at(r, r->n_frames - 1);
		return r->n_frames < 1 || (f && !(f->flags & UFT_FRAME_HIDDEN));
	}
	tr = uft_walk_trigger(w, r, &r->rec, &has_session);
	actions = tr ? tr->actions : 0;
	if (!has_session || actions & UFT_DO_NOTRACE)
		return false;
	if (actions & UFT_DO_FILTER)
		depth = w->c.depth;
	else if (!(actions & (UFT_DO_LOC | UFT_DO_LOC_NOT)) &&
		 (w->c.triggers->filters_in || w->c.triggers->locs_in) && !r->filter_in)
		return false;
	if (actions & (UFT_DO_DEPTH | UFT_DO_TRACE_ON))
		return true;
	return !(actions & (UFT_DO_TRACE_OFF | UFT_DO_HIDE)) && depth > 0;
}

/* --no-libcall */
static bool is_hidden_libcall(struct uft_walk *w, struct uft_reader *r)
{
	const struct uft_sym *s;

	if (!w->c.no_libcall || (r->rec.type != UFT_ENTRY && r->rec.type != UFT_EXIT))
		return false;
	s = uft_walk_rec_sym(w, r, &r->rec);
	return s && s->type == UFT_SYM_PLT;
}

struct uft_reader *uft_walk_skip(struct uft_walk *w, struct uft_reader *r, int depth)
{
	struct uft_frame *f = uft_frame_at(r, r->n_frames - 1);
	enum uft_origin origin = r->origin;
	struct uft_reader *next;

	if (!f || f->flags & (UFT_FRAME_EXEC | UFT_FRAME_LONGJMP))
		return NULL;
	while ((next = uft_walk_peek(w))) {
		const struct uft_trigger *tr;
		bool is_outside = next->rec.type == UFT_EVENT && !next->n_user && !w->c.event_full;

		if (next == r && next->origin == origin && depth >= next->rec.depth)
			return next;
		if (next->rec.type == UFT_LOST)
			return NULL;
		if (!is_outside && !is_hidden_libcall(w, next) && is_next_shown(w, next))
			return next;
		uft_walk_take(w, next);
		if (next->rec.type == UFT_ENTRY)
			uft_walk_enter(w, next, &next->rec, &tr);
		else if (next->rec.type == UFT_EXIT)
			uft_walk_leave(next);
		if (!w->enabled)
			return NULL;
	}
	return NULL;
}
