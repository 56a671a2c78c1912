// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * place.c - chooses the instance of each buffer of a plan.
 *
 *	named (-B NAME)     that instance; created if it is missing, and then removed at the end
 *	default, journal    our own instance, sonde.PID, so that other users' tracing is not
 *	                    affected; the top level only if the kernel offers the feature only there
 *	default, none       the top level: start, set and similar commands work there, as users
 *	                    expect
 *
 * The kernel shows which features exist only at the top level: an instance has its own
 * available_tracers, and lacks the files that exist once (set_graph_function, max_graph_depth,
 * tracing_thresh, some options).
 *
 * sonde does not use the top level while another program does: a tracer or events are on there, or
 * its buffer has events. Its settings could be restored, but its events would be mixed with ours
 * and then lost. --take-over uses it anyway.
 */
#include "base/array.h"
#include "base/scope.h"
#include "capture/setup/setup_int.h"

#include "base/spelling.h"
#include "capture/tracefs/reset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const latency_tracers[] = {
	"irqsoff", "preemptoff", "preemptirqsoff", "wakeup", "wakeup_rt", "wakeup_dl",
};

bool setup_is_latency(const char *tracer)
{
	return ARRAY_ANY(ARRAY_LEN(latency_tracers), i, !strcmp(latency_tracers[i], tracer));
}

/*
 * --- what only the top level has ---------------------------------------------------------------
 */

static bool has_tracer(const struct tracefs *t, const char *instance, const char *tracer)
{
	struct name_list tracers;
	bool found;

	if (tracefs_words(t, instance, "available_tracers", &tracers) < 0)
		return false;
	found = name_list_find(&tracers, tracer);
	name_list_release(&tracers);
	return found;
}

static int refuse_tracer(const struct tracefs *t, const char *tracer, struct errmsg *err)
{
	static const char *const known[] = {"function", "function_graph", "blk",       "mmiotrace",
					    "hwlat",	"osnoise",	  "timerlat",  "irqsoff",
					    "wakeup",	"wakeup_rt",	  "wakeup_dl", "preemptoff",
					    "branch",	"preemptirqsoff"};
	struct name_list tracers;
	struct spelling sp;
	char all[512] = "";
	size_t len = 0;

	if (tracefs_words(t, "", "available_tracers", &tracers) < 0)
		return errmsg_set(err, -ENOENT, "the kernel does not list its tracers");
	spelling_init(&sp, tracer, strlen(tracer));
	for (size_t i = 0; i < tracers.n; i++) {
		spelling_add(&sp, tracers.names[i]);
		if (len < sizeof(all) - 40)
			len += snprintf(all + len, sizeof(all) - len, " %.30s", tracers.names[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (!strcmp(tracer, known[i]))
			sp.nearest = NULL; /* the word is spelled correctly */
	errmsg_set(
		err, -ENOENT,
		"this kernel has no tracer '%s'%s%s%s; it has:%s ('sonde doctor' says what others "
		"need)",
		tracer, sp.nearest ? "; did you mean '" : "", sp.nearest ? sp.nearest : "",
		sp.nearest ? "'?" : "", all);
	name_list_release(&tracers);
	return -ENOENT;
}

/* Writes the name of an option without its "no" and value. */
static void fmt_option_file(const char *option, char *buf, size_t n_bytes)
{
	if (!strncmp(option, "no", 2) && strcmp(option, "nop"))
		option += 2;
	snprintf(buf, n_bytes, "options/%.*s", (int)strcspn(option, "="), option);
}

static bool needs_top(const struct setup *s, const struct plan_buffer *b, const char *instance)
{
	const struct plan *p = s->plan;
	char file[300];

	if (b->tracer && !has_tracer(&s->t, instance, b->tracer) &&
	    has_tracer(&s->t, "", b->tracer))
		return true;
	if ((b->graph_functions.n && !tracefs_exists(&s->t, instance, "set_graph_function")) ||
	    (b->no_graph_functions.n && !tracefs_exists(&s->t, instance, "set_graph_notrace")) ||
	    (p->graph_depth && !tracefs_exists(&s->t, instance, "max_graph_depth")) ||
	    (p->threshold_us >= 0 && !tracefs_exists(&s->t, instance, "tracing_thresh")))
		return true;
	for (size_t i = 0; i < b->options.n; i++) {
		fmt_option_file(b->options.words[i], file, sizeof(file));
		if (!tracefs_exists(&s->t, instance, file) && tracefs_exists(&s->t, "", file))
			return true;
	}
	return false;
}

/*
 * --- taking the top level ----------------------------------------------------------------------
 */

static int check_top_is_free(const struct setup *s, struct errmsg *err)
{
	char text[256];
	long long n;

	if (tracefs_read_short(&s->t, "", "current_tracer", text, sizeof(text)) > 0 &&
	    strcmp(text, "nop"))
		return errmsg_set(
			err, -EBUSY,
			"this needs the top level of the tracing directory, where somebody "
			"uses the tracer %s; 'sonde reset' ends that, --take-over uses it "
			"anyway",
			text);
	if (tracefs_read_short(&s->t, "", "set_event", text, sizeof(text)) > 0)
		return errmsg_set(
			err, -EBUSY,
			"this needs the top level of the tracing directory, where somebody has "
			"enabled events (%.*s …); 'sonde reset' ends that, --take-over uses it "
			"anyway",
			(int)strcspn(text, "\n"), text);
	n = setup_count_top(&s->t, false);
	if (n)
		return errmsg_set(
			err, -EBUSY,
			"this needs the top level of the tracing directory, whose buffer holds "
			"%lld events of an earlier trace; 'sonde extract' saves and 'sonde "
			"clear' drops them, --take-over uses it anyway",
			n);
	return 0;
}

/* Resets settings of other programs that would affect our recording. */
static int clean_top(struct setup *s, struct errmsg *err)
{
	static const struct {
		const char *file, *text;
	} rows[] = {
		{"tracing_on", "0"},
		{"current_tracer", "nop"},
		{"set_event", ""},
		{"set_ftrace_filter", ""},
		{"set_ftrace_notrace", ""},
		{"set_graph_function", ""},
		{"set_graph_notrace", ""},
		{"set_ftrace_pid", ""},
		{"set_ftrace_notrace_pid", ""},
		{"set_event_pid", ""},
		{"set_event_notrace_pid", ""},
		{"trace", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[8];

		/* missing, or closed to all users (a locked-down kernel): not in use */
		if (strcmp(rows[i].file, "trace") &&
		    tracefs_read_short(&s->t, "", rows[i].file, text, sizeof(text)) < 0)
			continue;
		TRY(strcmp(rows[i].file, "trace")
			    ? setup_write(s, "", rows[i].file, rows[i].text, TRACEFS_SET, err)
			    : tracefs_write(&s->t, "", "trace", "", TRACEFS_SET, err));
	}
	return 0;
}

static void note_sentence(void *ctx, const char *sentence)
{
	setup_note(ctx, "%s", sentence);
}

/* Starts with the state after boot (start), not with settings of other programs. */
static int begin_anew(struct setup *s, struct setup_buffer *b, struct errmsg *err)
{
	struct reset reset = {.t = &s->t, .tell = note_sentence, .ctx = s};
	const char *instance = b->instance;
	int pid, r;

	if (journals_find_owner(instance, &pid))
		return errmsg_set(err, -EBUSY,
				  "another sonde (pid %d) is recording there; wait until it ends",
				  pid);
	b->is_anew = !s->plan->keep_before;
	r = s->plan->keep_before ? 0 : reset_instance(&reset, instance, 0, err);
	return r < 0 || s->plan->keep_before
		       ? r
		       : tracefs_write(&s->t, instance, "tracing_on", "0", TRACEFS_SET, err);
}

static int take_top(struct setup *s, struct setup_buffer *b, struct errmsg *err)
{
	if (!s->journal)
		return begin_anew(s, b, err);
	TRY(journal_take_top(s->journal, err));
	if (!s->plan->take_over)
		TRY(check_top_is_free(s, err));
	if (!s->plan->keep_before)
		TRY(clean_top(s, err));
	return 0;
}

/*
 * --- a tracer that is only wished for ----------------------------------------------------------
 */

void setup_drop_wish(struct setup *s, const struct plan_buffer *of, const char *why)
{
	struct plan_buffer *b = &s->plan->buffers[of - s->plan->buffers];

	setup_note(s, "functions are not traced (%s): %s", b->tracer, why);
	free(b->tracer);
	b->tracer = NULL;
	s->plan->graph_depth = 0;
}

/* Checks whether the kernel lacks the tracer. */
static void check_wish(struct setup *s, const struct plan_buffer *b)
{
	if (!has_tracer(&s->t, "", b->tracer))
		setup_drop_wish(s, b, "this kernel does not have the tracer");
	else if (s->plan->graph_depth && !tracefs_exists(&s->t, "", "max_graph_depth"))
		setup_drop_wish(s, b, "this kernel cannot limit the depth (max_graph_depth)");
}

/*
 * Drops the tracer if it needs the top level, which is in use; all other features need only an
 * instance.
 */
static void check_wish_for_top(struct setup *s, struct setup_buffer *b)
{
	const struct plan_buffer *p = b->plan;
	struct errmsg why = {0};

	if (s->plan->tracer_is_wish && p->tracer && !s->plan->take_over &&
	    needs_top(s, p, b->instance) &&
	    (check_top_is_free(s, &why) < 0 || journal_take_top(s->journal, &why) < 0))
		setup_drop_wish(s, p, why.text);
}

/*
 * --- places ------------------------------------------------------------------------------------
 */

static int place_default(struct setup *s, struct setup_buffer *b, struct errmsg *err)
{
	int r;

	if (!s->journal || s->plan->use_top)
		return take_top(s, b, err);
	snprintf(b->instance, sizeof(b->instance), "sonde.%d", (int)getpid());
	r = journal_add_instance(s->journal, b->instance, err);
	if (r == -EEXIST)
		r = errmsg_set(err, r,
			       "the tracing instance %s exists and is not ours; remove it: "
			       "rmdir %s/instances/%s",
			       b->instance, s->t.root, b->instance);
	if (r < 0 && r != -ENOENT) /* -ENOENT: a kernel without instances */
		return r;
	if (r >= 0) {
		check_wish_for_top(s, b);
		if (!needs_top(s, b->plan, b->instance))
			return tracefs_write(&s->t, b->instance, "tracing_on", "0", TRACEFS_SET,
					     err);
		tracefs_remove_instance(&s->t, b->instance, err);
	}
	*b->instance = 0;
	err->code = 0;
	return take_top(s, b, err);
}

static int place_named(struct setup *s, struct setup_buffer *b, struct errmsg *err)
{
	int r;

	snprintf(b->instance, sizeof(b->instance), "%s", b->plan->name);
	r = s->journal ? journal_add_instance(s->journal, b->instance, err)
		       : tracefs_add_instance(&s->t, b->instance, err);
	if (r < 0 && r != -EEXIST)
		return r;
	b->is_new = !s->journal && r != -EEXIST;
	if (needs_top(s, b->plan, b->instance))
		return errmsg_set(
			err, -ENOTSUP,
			"the instance %s cannot do this (%s): this kernel supports it only at "
			"the top level; omit -B",
			b->instance, b->plan->tracer ? b->plan->tracer : "an option");
	if (!s->journal)
		return begin_anew(s, b, err);
	return setup_write(s, b->instance, "tracing_on", "0", TRACEFS_SET, err);
}

static bool is_unused(const struct plan *plan, const struct plan_buffer *b)
{
	return !b->n_events && !b->tracer && !b->functions.n && !b->options.n && !b->size_kb &&
	       !b->clock && !b->pids.n && !plan->use_top;
}

int setup_place(struct setup *s, struct errmsg *err)
{
	for (size_t i = 0; i < s->plan->n_buffers; i++) {
		struct setup_buffer *b = &s->buffers[s->n_buffers];
		const struct plan_buffer *p = &s->plan->buffers[i];

		if (!*p->name && s->plan->n_buffers > 1 && is_unused(s->plan, p))
			continue; /* only -B was given */
		if (!i && s->plan->tracer_is_wish && p->tracer)
			check_wish(s, p);
		if (p->tracer && strcmp(p->tracer, "nop") && !has_tracer(&s->t, "", p->tracer))
			return refuse_tracer(&s->t, p->tracer, err);
		*b = (struct setup_buffer){
			.plan = p,
			.is_latency = p->tracer && setup_is_latency(p->tracer),
		};
		TRY(*p->name ? place_named(s, b, err) : place_default(s, b, err));
		s->n_buffers++;
	}
	return 0;
}

static void ignore_sentence(void *ctx, const char *sentence)
{
}

void setup_leave(struct setup *s)
{
	struct reset reset = {.t = &s->t, .tell = ignore_sentence};
	struct errmsg ignored = {0};

	/* the last one may have failed after its creation; then it is not counted */
	for (size_t i = 0; i < s->plan->n_buffers && i <= s->n_buffers; i++) {
		struct setup_buffer *b = &s->buffers[i];

		if (b->is_new)
			tracefs_remove_instance(&s->t, b->instance, &ignored);
		else if (b->is_anew)
			reset_instance(&reset, b->instance, 0, &ignored);
		b->is_new = b->is_anew = false;
	}
}
