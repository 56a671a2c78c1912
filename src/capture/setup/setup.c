// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * setup.c - carries out a plan, in this order.
 *
 *  probes            their events must exist before events are looked up
 *  places            the instance of each buffer, tracing_on 0              place.c
 *  per buffer        clock (empties the buffer), sizes, CPU mask, options,
 *                    tasks, function lists, events, filters, triggers       functions.c, events.c
 *                    the tracer last: from then on every function call costs time, even with
 *                    tracing_on 0
 *
 * The master switch /proc/sys/kernel/ftrace_enabled is written only if it is off and the plan
 * traces functions: hardened kernels refuse the write, and events do not need it.
 */
#include "capture/setup/setup.h"

#include "base/array.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "capture/setup/setup_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FTRACE_SWITCH "/proc/sys/kernel/ftrace_enabled"
#define CPUMASK_MAX   2400	      /* size for 8192 CPUs */
#define WORST_US      "1000000000000" /* eleven days, because the kernel counts in nanoseconds */

int setup_save(struct setup *s, const char *instance, const char *file, struct errmsg *err)
{
	struct journal *j = s->journal ? s->journal : s->undo;

	return j ? journal_save(j, instance, file, err) : 0;
}

int setup_write(struct setup *s, const char *instance, const char *file, const char *text,
		enum tracefs_how how, struct errmsg *err)
{
	TRY(setup_save(s, instance, file, err));
	return tracefs_write(&s->t, instance, file, text, how, err);
}

static int write_number(struct setup *s, const char *instance, const char *file, long long v,
			struct errmsg *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", v);
	return setup_write(s, instance, file, text, TRACEFS_SET, err);
}

void setup_note(struct setup *s, const char *fmt, ...)
{
	char **texts;
	va_list ap;

	if (!ARRAY_ROOM(s->notes.texts, s->notes.cap, s->notes.n + 1, ARRAY_NO_MAX))
		return;
	texts = s->notes.texts;
	va_start(ap, fmt);
	if (vasprintf(&texts[s->notes.n], fmt, ap) >= 0)
		s->notes.n++;
	va_end(ap);
	/* report a note that applies to many probes once */
	for (size_t i = 0; i + 1 < s->notes.n; i++)
		if (!strcmp(texts[i], texts[s->notes.n - 1])) {
			free(texts[--s->notes.n]);
			return;
		}
}

int setup_need_file(struct setup *s, const struct setup_buffer *b, const char *file,
		    const char *what, struct errmsg *err)
{
	if (tracefs_exists(&s->t, b->instance, file))
		return 0;
	return errmsg_set(err, -ENOTSUP, "this kernel has no %s (there is no %s%s%s)", what,
			  b->instance, *b->instance ? "/" : "", file);
}

bool setup_traces_functions(const struct setup_buffer *b)
{
	return b->plan->tracer && !strncmp(b->plan->tracer, "function", 8);
}

/*
 * --- options -----------------------------------------------------------------------------------
 */

static int refuse_option(struct setup *s, const struct setup_buffer *b, const char *option,
			 struct errmsg *err)
{
	char names[TRACEFS_PATH_MAX];
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = 65536};
	struct spelling sp;

	spelling_init(&sp, option, strlen(option));
	if (tracefs_read(&s->t, b->instance, "trace_options", &text) >= 0)
		textbuf_add(&text, "", 1);
	*names = 0;
	for (char *p = text.start; p && !text.overflow && *p;) {
		size_t len = strcspn(p, "\n");
		char *next = p + len + !!p[len];

		p[len] = 0;
		spelling_add(&sp, !strncmp(p, "no", 2) ? p + 2 : p);
		p = next;
	}
	errmsg_set(err, -EINVAL,
		   "this kernel has no trace option '%s'%s%s%s; 'sonde list -o' lists them", option,
		   sp.nearest ? "; did you mean '" : "", sp.nearest ? sp.nearest : "",
		   sp.nearest ? "'?" : "");
	return -EINVAL;
}

/*
 * Writes an option. The options of a tracer (func_stack_trace, funcgraph-…) exist once: writing one
 * in an instance changes the top level, too. So the top level's value is noted as well.
 */
static int write_option(struct setup *s, const struct setup_buffer *b, const char *file,
			const char *value, struct errmsg *err)
{
	TRY(setup_save(s, "", file, err));
	return setup_write(s, b->instance, file, value, TRACEFS_SET, err);
}

/* Sets "name", "noname" or, for an option with a value, "name=value". */
static int set_option(struct setup *s, const struct setup_buffer *b, const char *option,
		      struct errmsg *err)
{
	const char *value = strchr(option, '=');
	char file[300];

	snprintf(file, sizeof(file), "options/%.*s", (int)strcspn(option, "="), option);
	if (tracefs_exists(&s->t, b->instance, file))
		return write_option(s, b, file, value ? value + 1 : "1", err);
	if (!strncmp(option, "no", 2)) {
		snprintf(file, sizeof(file), "options/%s", option + 2);
		if (tracefs_exists(&s->t, b->instance, file))
			return write_option(s, b, file, "0", err);
	}
	return refuse_option(s, b, option, err);
}

static int set_options(struct setup *s, const struct setup_buffer *b, struct errmsg *err)
{
	for (size_t i = 0; i < b->plan->options.n; i++)
		TRY(set_option(s, b, b->plan->options.words[i], err));
	if (s->plan->stacks)
		TRY(set_option(s, b, "stacktrace", err));
	/* include children of the selected tasks */
	if (s->plan->children) {
		TRY(set_option(s, b, "event-fork", err));
		if (tracefs_exists(&s->t, b->instance, "options/function-fork"))
			TRY(set_option(s, b, "function-fork", err));
	}
	return 0;
}

/*
 * --- clock, sizes, CPUs ------------------------------------------------------------------------
 */

static int refuse_clock(struct setup *s, const struct setup_buffer *b, const char *clock,
			struct errmsg *err)
{
	char text[512];

	if (tracefs_read_short(&s->t, b->instance, "trace_clock", text, sizeof(text)) < 0)
		*text = 0;
	return errmsg_set(err, -EINVAL, "this kernel has no trace clock '%s'; it has: %s", clock,
			  text);
}

static int set_clock(struct setup *s, const struct setup_buffer *b, struct errmsg *err)
{
	const char *clock = b->plan->clock;
	struct name_list clocks;
	bool known;

	if (!clock)
		return 0;
	/* the clock is the raw counter, whose rate is stored in the file */
	if (!strcmp(clock, "tsc2nsec"))
		clock = "x86-tsc";
	if (tracefs_words(&s->t, b->instance, "trace_clock", &clocks) < 0)
		return setup_need_file(s, b, "trace_clock", "choice of clocks", err);
	known = name_list_find(&clocks, clock);
	name_list_release(&clocks);
	return known ? setup_write(s, b->instance, "trace_clock", clock, TRACEFS_SET, err)
		     : refuse_clock(s, b, clock, err);
}

/* Writes the mask of all CPUs, in groups of 32 bits as the kernel does. */
static void fmt_all_cpus(const struct tracefs *t, char *buf, size_t n_bytes)
{
	unsigned n = tracefs_cpu_count(t), first = n % 32 ? n % 32 : 32;
	size_t len = snprintf(buf, n_bytes, "%x", 0xffffffffu >> (32 - first));

	for (unsigned left = n - first; left && len < n_bytes; left -= 32)
		len += snprintf(buf + len, n_bytes - len, ",ffffffff");
}

static int set_cpumask(struct setup *s, const struct setup_buffer *b, struct errmsg *err)
{
	const char *mask = b->plan->cpumask;
	struct errmsg why = {0};
	char all[CPUMASK_MAX];
	int r;

	fmt_all_cpus(&s->t, all, sizeof(all));
	mask = !strcmp(mask, "-1") ? all : mask;
	r = setup_write(s, b->instance, "tracing_cpumask", mask, TRACEFS_SET, &why);
	if (r == -EOVERFLOW || r == -EINVAL)
		return errmsg_set(err, -EINVAL,
				  "the mask %s (-M) names a CPU that this machine does not "
				  "have; the mask of all CPUs is %s",
				  mask, all);
	if (r < 0)
		*err = err->code ? *err : why;
	return r;
}

/* Reports the size of sub-buffers, which the kernel rounds to a power of two of its pages. */
static void tell_subbuf(struct setup *s, const struct setup_buffer *b)
{
	long long kb = tracefs_read_number(&s->t, b->instance, "buffer_subbuf_size_kb");

	if (kb > 0 && kb != b->plan->subbuf_kb)
		setup_note(s, "sub-buffers have %lld KB: the kernel does not support %lld KB", kb,
			   b->plan->subbuf_kb);
}

static int set_subbuf(struct setup *s, const struct setup_buffer *b, struct errmsg *err)
{
	TRY(setup_need_file(s, b, "buffer_subbuf_size_kb", "choice of sub-buffer sizes", err));
	TRY(write_number(s, b->instance, "buffer_subbuf_size_kb", b->plan->subbuf_kb, err));
	tell_subbuf(s, b);
	return 0;
}

static int set_sizes(struct setup *s, const struct setup_buffer *b, struct errmsg *err)
{
	int r = b->plan->subbuf_kb ? set_subbuf(s, b, err) : 0;

	if (r >= 0 && b->plan->size_kb)
		r = write_number(s, b->instance, "buffer_size_kb", b->plan->size_kb, err);
	if (r == -ENOMEM)
		return errmsg_set(err, r,
				  "the kernel does not have enough memory for buffers of %lld "
				  "KB for each CPU",
				  b->plan->size_kb);
	return r < 0 || !b->plan->cpumask ? r : set_cpumask(s, b, err);
}

/*
 * --- tasks -------------------------------------------------------------------------------------
 */

static int add_pid(struct setup *s, const struct setup_buffer *b, const char *pid,
		   enum tracefs_how how, struct errmsg *err)
{
	TRY(setup_write(s, b->instance, "set_event_pid", pid, how, err));
	if (setup_traces_functions(b))
		TRY(setup_write(s, b->instance, "set_ftrace_pid", pid, how, err));
	return 0;
}

struct thread_adder {
	struct setup *s;
	const struct setup_buffer *b;
	struct errmsg *err;
};

/* Adds a thread. Ignores a thread that has just ended. */
static int add_thread(void *ctx, const char *thread)
{
	const struct thread_adder *ta = ctx;
	int r = add_pid(ta->s, ta->b, thread, TRACEFS_APPEND, ta->err);

	if (r == -ESRCH)
		*ta->err = (struct errmsg){0};
	return r == -ESRCH ? 0 : r;
}

static int set_pids(struct setup *s, const struct setup_buffer *b, struct errmsg *err)
{
	struct thread_adder adder = {s, b, err};
	char path[32];

	for (size_t i = 0; i < b->plan->pids.n; i++) {
		const char *pid = b->plan->pids.words[i];

		if (strspn(pid, "0123456789") != strlen(pid))
			return errmsg_set(err, -EINVAL, "'%s' is not a pid (-P)", pid);
		snprintf(path, sizeof(path), "/proc/%.10s", pid);
		/* the kernel accepts any number, and then nothing is recorded */
		if (access(path, F_OK))
			return errmsg_set(err, -ESRCH, "there is no task with pid %s", pid);
		TRY(add_pid(s, b, pid, TRACEFS_APPEND, err));
		if (s->plan->children)
			TRY(setup_each_thread(pid, add_thread, &adder));
	}
	return 0;
}

int setup_set_pid(struct setup *s, int pid, struct errmsg *err)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	for (size_t i = 0; i < s->n_buffers; i++)
		TRY(add_pid(s, &s->buffers[i], text, TRACEFS_APPEND, err));
	return 0;
}

/*
 * --- the tracer --------------------------------------------------------------------------------
 */

static int set_switch(struct setup *s, const char *tracer, struct errmsg *err)
{
	if (s->plan->ftrace_off)
		return setup_write(s, "", FTRACE_SWITCH, "0", TRACEFS_SET, err);
	if (strncmp(tracer, "function", 8) || tracefs_read_number(&s->t, "", FTRACE_SWITCH) != 0)
		return 0;
	return setup_write(s, "", FTRACE_SWITCH, "1", TRACEFS_SET, err);
}

static int start_tracer(struct setup *s, const struct setup_buffer *b, struct errmsg *err)
{
	const char *tracer = b->plan->tracer;
	int r;

	TRY(set_switch(s, tracer, err));
	if (b->is_latency)
		TRY(setup_write(s, b->instance, "tracing_max_latency", "0", TRACEFS_SET, err));
	if (s->plan->functions_off && tracefs_exists(&s->t, b->instance, "options/function-trace"))
		TRY(set_option(s, b, "nofunction-trace", err));
	TRY(setup_save(s, b->instance, "current_tracer", err));
	r = tracefs_try_write(&s->t, b->instance, "current_tracer", tracer, TRACEFS_SET);
	if (r < 0)
		return errmsg_set_errno(
			err, r,
			"the kernel lists the tracer %s but refuses to start it ('sonde doctor "
			"%s' looks for the reason)",
			tracer, tracer);
	/* this option exists only while the tracer is on */
	if (s->plan->func_stack)
		return set_option(s, b, "func_stack_trace", err);
	return 0;
}

static int set_tracer(struct setup *s, const struct setup_buffer *b, struct errmsg *err)
{
	int r;

	if (!b->plan->tracer)
		return s->plan->ftrace_off ? set_switch(s, "nop", err) : 0;
	r = start_tracer(s, b, err);
	if (r >= 0 || !s->plan->tracer_is_wish)
		return r;
	setup_drop_wish(s, b->plan, err->text);
	*err = (struct errmsg){0};
	return 0;
}

/*
 * --- all of it ---------------------------------------------------------------------------------
 */

/* Returns the instance of the depth. In newer kernels each instance has its own. */
static const char *place_of_depth(const struct setup *s, const struct setup_buffer *b)
{
	return tracefs_exists(&s->t, b->instance, "max_graph_depth") ? b->instance : "";
}

static int set_globals(struct setup *s, struct errmsg *err)
{
	const struct plan *p = s->plan;

	for (size_t i = 0; p->graph_depth && i < s->n_buffers; i++)
		TRY(write_number(s, place_of_depth(s, &s->buffers[i]), "max_graph_depth",
				 p->graph_depth, err));
	if (p->cmdlines_size)
		TRY(write_number(s, "", "saved_cmdlines_size", p->cmdlines_size, err));
	if (p->threshold_us >= 0)
		TRY(write_number(s, "", "tracing_thresh", p->threshold_us, err));
	return 0;
}

/*
 * Takes "GROUP/EVENT" of a line such as "p:GROUP/EVENT vfs_read". Returns false if the kernel
 * chooses the name.
 */
static bool name_of_probe(const char *line, char *name, size_t n_bytes)
{
	size_t word = strcspn(line, " \t");
	const char *colon = memchr(line, ':', word);
	const char *group = line[0] == 'e'			    ? "eprobes"
			    : line[word + (line[word] != 0)] == '/' ? "uprobes"
								    : "kprobes";

	if (!colon || colon + 1 == line + word)
		return false;
	word -= colon + 1 - line;
	if (memchr(colon + 1, '/', word))
		snprintf(name, n_bytes, "%.*s", (int)word, colon + 1);
	else
		snprintf(name, n_bytes, "%s/%.*s", group, (int)word, colon + 1);
	return true;
}

static int set_probes(struct setup *s, struct errmsg *err)
{
	for (size_t i = 0; i < s->plan->probes.n; i++) {
		const char *probe = s->plan->probes.words[i];
		const char *file = tracefs_exists(&s->t, "", "dynamic_events") ? "dynamic_events"
									       : "kprobe_events";
		char name[2 * TRACEFS_NAME_MAX];

		if (s->journal && name_of_probe(probe, name, sizeof(name)))
			TRY(journal_add_probe(s->journal, name, err));
		else
			TRY(setup_save(s, "", file, err));
		TRY(tracefs_write(&s->t, "", file, probe, TRACEFS_APPEND, err));
	}
	return 0;
}

static int set_buffer(struct setup *s, const struct setup_buffer *b, struct errmsg *err)
{
	static int (*const steps[])(struct setup *, const struct setup_buffer *,
				    struct errmsg *) = {
		set_clock, set_sizes,	    setup_markers, setup_tgids, set_options,
		set_pids,  setup_functions, setup_events,  setup_names, set_tracer,
	};

	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		TRY(steps[i](s, b, err));
	return 0;
}

static struct setup *setup_new(struct plan *plan, const struct tracefs *t, struct journal *journal)
{
	struct setup *s = calloc(1, sizeof(*s));

	if (s)
		s->buffers = calloc(plan->n_buffers, sizeof(*s->buffers));
	if (!s || !s->buffers) {
		free(s);
		return NULL;
	}
	s->plan = plan;
	s->t = *t;
	s->journal = journal;
	return s;
}

int setup_attach(struct setup **ret_setup, struct plan *plan, const struct tracefs *t,
		 bool with_top, struct errmsg *err)
{
	struct setup *s = setup_new(plan, t, NULL);

	if (!s)
		return errmsg_set_errno(err, -ENOMEM, "cannot begin");
	for (size_t i = 0; i < plan->n_buffers; i++) {
		struct setup_buffer *b = &s->buffers[s->n_buffers];
		char tracer[64];

		if (!*plan->buffers[i].name && !with_top)
			continue;
		b->plan = &plan->buffers[i];
		snprintf(b->instance, sizeof(b->instance), "%s", b->plan->name);
		if (tracefs_read_short(t, b->instance, "current_tracer", tracer, sizeof(tracer)) >
		    0)
			b->is_latency = setup_is_latency(tracer);
		s->n_buffers++;
	}
	*ret_setup = s;
	return 0;
}

static int apply(struct setup *s, struct errmsg *err)
{
	TRY(set_probes(s, err));
	TRY(setup_probes(s, err));
	TRY(setup_place(s, err));
	TRY(set_globals(s, err));
	for (size_t i = 0; i < s->n_buffers; i++)
		TRY(set_buffer(s, &s->buffers[i], err));
	return 0;
}

int setup_apply(struct setup **ret_setup, struct plan *plan, const struct tracefs *t,
		struct journal *journal, struct errmsg *err)
{
	struct errmsg ignored = {0};
	struct setup *s;
	int r;

	TRY(plan_check(plan, err));
	s = setup_new(plan, t, journal);
	if (!s)
		return errmsg_set_errno(err, -ENOMEM, "cannot begin");
	/* a user who may write to tracefs, but has no place for a journal, works without it */
	if (!journal && plan->put_back && journal_open(&s->undo, t, &ignored) < 0)
		s->undo = NULL;
	r = apply(s, err);
	if (r < 0) {
		setup_take_back(s);
		setup_free(s);
		return r;
	}
	*ret_setup = s;
	return 0;
}

void setup_take_back(struct setup *s)
{
	struct errmsg ignored = {0};

	/* before the instances and events to which it refers are removed */
	if (s->undo)
		journal_undo(s->undo, &ignored);
	setup_leave(s);
	setup_probes_undo(s);
}

void setup_settle(struct setup *s)
{
	if (s->undo)
		journal_keep(s->undo);
	journal_close(s->undo);
	s->undo = NULL;
}

static int switch_all(struct setup *s, const char *value, struct errmsg *err)
{
	int r = 0, r2;

	for (size_t i = 0; i < s->n_buffers; i++) {
		r2 = setup_write(s, s->buffers[i].instance, "tracing_on", value, TRACEFS_SET, err);
		r = r2 < 0 && !r ? r2 : r;
	}
	return r;
}

/*
 * A latency tracer measures even while tracing is off, and replaces its result whenever it sees a
 * longer latency. With tracing off the new result is empty. So this function writes the tracer's
 * maximum: latencies before the start must not count, and after the end none may be longer.
 */
static int set_worst(struct setup *s, const char *us, struct errmsg *err)
{
	for (size_t i = 0; i < s->n_buffers; i++)
		if (s->buffers[i].is_latency)
			TRY(setup_write(s, s->buffers[i].instance, "tracing_max_latency", us,
					TRACEFS_SET, err));
	return 0;
}

static int rearm(struct setup *s, int *fds, struct errmsg *err)
{
	for (size_t i = 0; i < s->n_buffers; i++) {
		int r = setup_save(s, s->buffers[i].instance, "tracing_on", err);

		fds[i] = tracefs_open_file(&s->t, s->buffers[i].instance, "tracing_on", O_WRONLY);
		TRY(r);
	}
	for (size_t i = 0; i < s->n_buffers; i++)
		TRY(setup_rearm_events(s, &s->buffers[i], err));
	for (size_t i = 0; i < s->n_buffers; i++)
		TRY(setup_rearm_functions(s, &s->buffers[i], fds[i], err));
	return 0;
}

/*
 * Starts tracing. This function resets counts just before it switches tracing on, and opens no file
 * in between: opening a file could be one of the counted events. switch_all() then changes nothing,
 * but reports errors.
 */
int setup_start(struct setup *s, struct errmsg *err)
{
	int *fds = calloc(s->n_buffers + 1, sizeof(*fds)), r;

	for (size_t i = 0; fds && i < s->n_buffers; i++)
		fds[i] = -1;
	r = fds ? rearm(s, fds, err) : -ENOMEM;
	for (size_t i = 0; fds && i < s->n_buffers; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(fds);
	setup_watch_markers(s);
	TRY(r);
	TRY(switch_all(s, "1", err));
	TRY(setup_copy_markers(s, true, err));
	return set_worst(s, "0", err);
}

int setup_stop(struct setup *s, bool keep, struct errmsg *err)
{
	int r = keep ? 0 : set_worst(s, WORST_US, err), r2 = setup_copy_markers(s, false, err),
	    r3 = switch_all(s, "0", err);

	return r < 0 ? r : r2 < 0 ? r2 : r3;
}

void setup_free(struct setup *s)
{
	if (!s)
		return;
	setup_settle(s);
	for (size_t i = 0; i < s->notes.n; i++)
		free(s->notes.texts[i]);
	free(s->notes.texts);
	setup_probes_free(s);
	mappings_close(s->mappings);
	free(s->buffers);
	free(s);
}
