// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile.c - makes the profile of a command, or of the machine until Ctrl-C. It writes no file:
 * records are counted when they arrive, and not stored.
 *
 *	run.h ──▶ sequence_fill ──▶ profiling_add
 *	at the end: restore the kernel's settings, then print
 *
 * Memory: livepages and the profile have limits. Further records wait in the kernel's buffer, which
 * counts its losses; sonde reports them at the end.
 */
#include "live/profile.h"

#include "analyse/profile/hook.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/plan.h"
#include "decode/order/sequence.h"
#include "inputs/inputs.h"
#include "live/run.h"
#include "live/source.h"
#include "store/tracefile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LAST_MS	       1000 /* time limit after a second signal, for records that were read */
#define TEXT_MAX_BYTES (1u << 20)

struct profiler {
	const struct live_request *o;
	struct inputs_spec spec; /* all events */
	const struct profiling_spec *how;
	struct liverun run;
	struct livesource in;
	struct lines lines;
	struct profiling pf;
	struct batch batch;
};

/* --- what is traced --------------------------------------------------------------------------- */

/* The events of `--profile`; events that this kernel lacks are skipped. */
static const char *const profile_events[] = {
	"sched:sched_switch",	    "sched:sched_wakeup",	  "sched:sched_wakeup_new",
	"irq:irq_handler_entry",    "irq:irq_handler_exit",	  "irq:softirq_raise",
	"irq:softirq_entry",	    "irq:softirq_exit",		  "raw_syscalls:sys_enter",
	"raw_syscalls:sys_exit",    "exceptions:page_fault_user", "exceptions:page_fault_kernel",
	"sched:sched_process_exec", /* the task gets another name */
};

int live_profile_add_events(struct live_request *o)
{
	for (size_t i = 0; i < ARRAY_LEN(profile_events); i++) {
		TRY(plan_add_default_event(&o->plan, profile_events[i]));
		/*
		 * stacks show where a task was when it was switched out, and where it woke another
		 * task
		 */
		if (i < 3)
			TRY(plan_words_add(&o->plan.buffers[0]
						    .events[o->plan.buffers[0].n_events - 1]
						    .triggers,
					   "stacktrace"));
	}
	return 0;
}

/*
 * Adds function_graph at depth 1, like trace-cmd: the functions by which tasks enter the kernel,
 * and the time that they stay there. Functions that the user names (-l, -g) take precedence.
 */
int live_profile_add_tracer(struct live_request *o)
{
	struct plan_buffer *b = &o->plan.buffers[0];

	if (b->tracer)
		return 0;
	b->tracer = strdup("function_graph");
	if (!o->plan.graph_depth)
		o->plan.graph_depth = 1;
	o->plan.tracer_is_wish = !b->functions.n && !b->no_functions.n && !b->graph_functions.n &&
				 !b->no_graph_functions.n && !b->modules.n;
	return b->tracer ? 0 : -ENOMEM;
}

static int add_half(struct plan *plan, const char *system, const char *event)
{
	char pattern[512];

	snprintf(pattern, sizeof(pattern), "%s%s%s", system ? system : "", system ? ":" : "",
		 event);
	return plan_add_event(plan, pattern, false);
}

/* Adds the events of hooks: without them a hook would measure nothing. */
int live_profile_add_hooks(struct live_request *o, struct errmsg *err)
{
	for (size_t i = 0; i < o->hooks.n; i++) {
		SCOPED(profile_hook_release) struct profile_hook h = {0};

		TRY(profile_hook_parse(&h, o->hooks.words[i], strlen(o->hooks.words[i]), err));
		if (add_half(&o->plan, h.start_system, h.start_event) < 0 ||
		    (h.stack && plan_add_trigger(&o->plan, "stacktrace", err) < 0) ||
		    add_half(&o->plan, h.end_system, h.end_event) < 0)
			return errmsg_set_errno(err, -ENOMEM, "cannot keep the hooks");
	}
	return 0;
}

static bool is_in_kernel(const struct profiler *p, const struct plan_event *e)
{
	char path[TRACEFS_PATH_MAX];
	const char *colon = strchr(e->pattern, ':');

	if (!colon || strpbrk(e->pattern, "*?["))
		return true; /* the setup has already checked words of the user */
	snprintf(path, sizeof(path), "events/%.*s/%s", (int)(colon - e->pattern), e->pattern,
		 colon + 1);
	return tracefs_exists(&p->run.s.t, p->run.s.setup->buffers[0].instance, path);
}

static void list_events(const struct profiler *p, bool there, const char *before,
			struct textbuf *tb)
{
	const struct plan_buffer *b = &p->o->plan.buffers[0];

	for (size_t i = 0; i < b->n_events; i++) {
		const char *name = strchr(b->events[i].pattern, ':');

		if (b->events[i].off || is_in_kernel(p, &b->events[i]) != there)
			continue;
		textbuf_addf(tb, "%s%s", before, name ? name + 1 : b->events[i].pattern);
		before = ", ";
	}
}

/* Reports what the profile can and cannot contain. */
static void tell_events(const struct profiler *p)
{
	const struct plan_buffer *b = &p->o->plan.buffers[0];
	SCOPED(textbuf_release) struct textbuf tb = {.max_bytes = TEXT_MAX_BYTES};

	textbuf_add_str(&tb, "profiling:");
	if (b->tracer)
		textbuf_addf(&tb, " the tracer %s%s", b->tracer, b->n_events ? "," : "");
	list_events(p, true, " ", &tb);
	list_events(p, false, "; not in this kernel: ", &tb);
	if (!p->run.s.has_child)
		textbuf_add_str(&tb, "; Ctrl-C ends it and prints the profile");
	live_request_say(p->o, "%.*s", (int)textbuf_len(&tb), tb.start);
}

/* --- counting --------------------------------------------------------------------------------- */

static int step(void *ctx, struct errmsg *err)
{
	struct profiler *p = ctx;
	int r;

	while ((r = sequence_fill(p->in.src.seq, &p->batch)) > 0)
		profiling_add(&p->pf, &p->batch);
	return r < 0 ? errmsg_set_errno(err, r, "cannot continue profiling")
		     : !livesource_is_late(&p->in);
}

static const struct liverun_taker counting = {
	.step = step,
	.rest_text = "events were not counted, as it was ended",
	.lost_text = "the profile lacks them; a larger buffer (-b) or fewer events help",
	.last_ms = LAST_MS,
};

/* --- the whole -------------------------------------------------------------------------------- */

static int open_counting(struct profiler *p, struct errmsg *err)
{
	struct sequence_config sc = inputs_sequence_config(&p->spec);
	struct tracefile *tf = livetrace_file(p->run.lt);

	sc.raw = true;
	sc.all_names = true;
	TRY(livesource_open(&p->in, tf, &p->spec, &sc, p->run.s.setup, err));
	TRY(lines_init(&p->lines, &p->in.src, true, err));
	TRY(profiling_open(&p->pf, p->how, &p->in.inputs, &p->lines, err));
	p->pf.traced = !p->o->only_named && p->o->plan.n_buffers == 1;
	return batch_init(&p->batch) < 0 ? errmsg_set_errno(err, -ENOMEM, "cannot profile") : 0;
}

static void close_all(struct profiler *p)
{
	struct errmsg ignored = {0};

	profiling_close(&p->pf);
	batch_release(&p->batch);
	lines_release(&p->lines);
	livesource_close(&p->in);
	liverun_close(&p->run, &ignored);
}

int live_profile(struct live_request *o, char **argv, const struct profiling_spec *how,
		 int (*print)(void *ctx, struct profiling *pf, struct errmsg *err), void *ctx,
		 struct errmsg *err)
{
	SCOPED(close_all) struct profiler p = {.o = o, .how = how};
	int r;

	TRY(liverun_open(&p.run, o, argv, err));
	tell_events(&p);
	TRY(open_counting(&p, err));
	TRY(liverun_follow(&p.run, &p.in, &counting, &p, err));
	/* restore only now: after a failure the recorder may still have the instance open */
	r = session_restore(&p.run.s, err);
	TRY(print(ctx, &p.pf, err));
	return r;
}
