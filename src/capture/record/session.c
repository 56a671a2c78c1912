// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session.c - does the common steps of every recording.
 *
 * Order of processes: the guardian is forked first, then the command's process, which waits. Only
 * then signals are blocked and read from a descriptor, and only then threads may start. So both
 * processes have the signal mask with which we were started.
 *
 * Our own threads are excluded from the trace (set_event_notrace_pid, set_ftrace_notrace_pid; Linux
 * 5.7): a recorder that records its own system calls creates its own load.
 */
#include "base/array.h"
#include "capture/bpf/tasks.h"
#include "base/clock.h"
#include "capture/kernel/pidspace.h"
#include "store/events/userevents.h"
#include "capture/calls/userrecording.h"
#include "capture/record/endsignals.h"
#include "capture/record/privileges.h"
#include "capture/record/session.h"
#include "capture/setup/setup_int.h"

#include "base/errmsg.h"
#include "base/scope.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <sys/utsname.h>
#include <unistd.h>

#define NAMES_MAX_BYTES (64u << 20)
#define PATIENCE_MS	1000
#define TASKS_MS	200  /* interval of checks whether the tasks still exist */
#define WATCH_MS	1000 /* interval of counting hits of probes */
/* size of a list of tasks; a longer list means that not all have ended */
#define LIST_BYTES	16384
#define LIMIT_MS	100 /* interval with --max-rate, so that the limit acts sooner */
/* fill level of a buffer at which its reader wakes; the default is 50 */
#define WAKE_PERCENT	"25"

/*
 * --- the beginning -----------------------------------------------------------------------------
 */

/* Starts the command. Its environment names the file to which sonde/mark.h writes. */
static int start_child(struct session *s, struct errmsg *err)
{
	char marker[TRACEFS_PATH_MAX + 32], on[TRACEFS_PATH_MAX + 32], path[TRACEFS_PATH_MAX];
	char instance[64];
	const char *env[2 + SESSION_ENV_MAX + 1] = {marker, on, NULL};
	/* who traces a program's functions does not end it by being killed */
	struct child_config config = {s->config.argv, s->config.user, env, s->config.env};

	if (!s->config.argv || !s->config.argv[0])
		return 0;
	snprintf(instance, sizeof(instance), "sonde.%d", (int)getpid());
	if (s->config.plan->use_top)
		*instance = 0;
	snprintf(marker, sizeof(marker), "SONDE_TRACE_MARKER=%s",
		 tracefs_fmt_path(&s->t, instance, "trace_marker", path));
	snprintf(on, sizeof(on), "SONDE_TRACING_ON=%s",
		 tracefs_fmt_path(&s->t, instance, "tracing_on", path));
	for (size_t i = 0; i < SESSION_ENV_MAX && s->config.env && s->config.env[i]; i++)
		env[2 + i] = s->config.env[i];
	if (child_start(&s->child, &config, err) < 0)
		return err->code;
	s->has_child = true;
	return 0;
}

static int read_kernel(struct session *s, struct errmsg *err)
{
	struct kernelinfo_config config = {
		.dir = s->t.root,
		.kallsyms = s->config.no_symbols ? "/dev/null" : NULL,
		.wants = s->config.all_formats ? NULL : setup_wants_event,
		.reformat = setup_fmt_format,
		.rename = setup_name_of_system,
		.ctx = s->setup,
	};
	int r = kernelinfo_read(&s->kernel, &config, err);

	kernelinfo_read_names(s->t.root, NULL, NULL, &s->names);
	return r;
}

static int set_wake_percent(struct session *s, struct errmsg *err)
{
	for (size_t i = 0; i < s->setup->n_buffers; i++) {
		const char *instance = s->setup->buffers[i].instance;
		int r = 0;

		if (tracefs_exists(&s->t, instance, "buffer_percent"))
			r = setup_write(s->setup, instance, "buffer_percent", WAKE_PERCENT,
					TRACEFS_SET, err);
		TRY(r);
	}
	return 0;
}

static void open_mappings(struct session *s)
{
	const struct plan *plan = s->config.plan;
	bool has_pids = false, has_tasks;

	for (size_t i = 0; i < plan->n_buffers; i++)
		has_pids |= plan->buffers[i].pids.n > 0;
	has_tasks = s->has_child || has_pids;
	if (!setup_records_code(s->setup) && !(has_tasks && setup_records_addresses(s->setup)))
		return;
	if (plan->only_triggers)
		return;
	if (setup_open_mappings(s->setup) < 0 || !setup_records_addresses(s->setup))
		return;
	if (!plan->only_command && !has_pids)
		mappings_watch_others(s->setup->mappings);
	if (s->has_child)
		mappings_add_program(s->setup->mappings, s->child.pid, true);
	for (size_t i = 0; i < plan->n_buffers; i++)
		for (size_t k = 0; k < plan->buffers[i].pids.n; k++)
			mappings_add_program(s->setup->mappings,
					     atoi(plan->buffers[i].pids.words[k]), false);
}

/* Clears the kernel's list of tasks. The journal already has its earlier contents. */
static int forget_tasks(struct session *s, struct errmsg *err)
{
	const struct plan *plan = s->config.plan;

	if (!s->has_own_choice || (!plan->only_command && !plan->buffers[0].pids.n))
		return 0;
	for (size_t i = 0; i < s->setup->n_buffers; i++)
		TRY(tracefs_write(&s->t, s->setup->buffers[i].instance, "set_event_pid", "\n",
				  TRACEFS_SET, err));
	return 0;
}

static void open_census(struct session *s, bool is_live)
{
	struct census_config config = {
		.t = &s->t,
		.plan = s->config.plan,
		.guardian = journal_guardian(s->journal),
		.command = s->has_child ? s->child.pid : 0,
		.argv = s->config.argv,
		.is_live = is_live,
	};

	s->census = census_open(&config);
	s->powers |= census_powers(s->census);
	s->setup->processes = census_processes(s->census);
}

static void tell_left(struct session *s)
{
	const char *why = journal_left(s->journal);
	char text[sizeof(((struct errmsg *)0)->text) + 100];

	if (!why || !s->config.tell)
		return;
	snprintf(text, sizeof(text), "an earlier sonde left settings behind: %s", why);
	s->config.tell(text);
}

int session_open(struct session *s, const struct session_config *config, struct errmsg *err)
{
	struct plan *plan = config->plan;

	memset(s, 0, sizeof(*s));
	s->config = *config;
	s->powers = config->powers;
	s->signal_fd = -1;
	textbuf_init(&s->names, NAMES_MAX_BYTES);
	TRY(plan_check(plan, err));
	TRY(pidspace_check(plan, err));
	if (!pidspace_is_kernels())
		plan->trace_self = true; /* our pid would be that of another process */
	TRY(tracefs_open(&s->t, err));
	TRY(journal_open(&s->journal, &s->t, err));
	tell_left(s);
	TRY(start_child(s, err));
	TRY(endsignals_open(&s->signal_fd, err));
	plan->command = config->argv ? config->argv[0] : NULL;
	TRY(setup_apply(&s->setup, plan, &s->t, s->journal, err));
	TRY(set_wake_percent(s, err));
	if (s->has_child && plan->only_command)
		TRY(setup_set_pid(s->setup, s->child.pid, err));
	TRY(read_kernel(s, err));
	if (config->tell)
		setup_measure_probes(s->setup);
	if (plan->estimate)
		setup_estimate_probes(s->setup, config->tell);
	if (config->tell && !s->setup->n_probes && (plan->max_rate || plan->estimate))
		config->tell("--max-rate and --estimate apply to probes, but no event is a "
			     "probe: they have no effect");
	if (config->prepare)
		TRY(config->prepare(s, config->prepare_ctx, err));
	TRY(forget_tasks(s, err));
	open_mappings(s);
	/*
	 * a session that only sets triggers may still fail; then another session with its own
	 * command follows
	 */
	if (!plan->only_triggers) {
		open_census(s, true);
		privileges_drop(s->powers);
	}
	if (s->setup->mappings)
		mappings_start(s->setup->mappings);
	s->n_cpus = tracefs_cpu_count(&s->t);
	return 0;
}

/*
 * Sets the descriptions that tracefs supplies in other sessions: page headers, event header, uname.
 */
static void describe_user_events(struct session *s)
{
	struct utsname un;

	s->kernel.page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	for (int kind = 0; kind < TRACEFILE_TEXT_KINDS; kind++)
		textbuf_init(&s->kernel.texts[kind], NAMES_MAX_BYTES);
	userevents_fmt_header_page(&s->kernel.texts[TRACEFILE_HEADER_PAGE], s->kernel.page_size);
	userevents_fmt_header_event(&s->kernel.texts[TRACEFILE_HEADER_EVENT]);
	if (!uname(&un))
		snprintf(s->kernel.uname, sizeof(s->kernel.uname), "%s %s %s %s", un.sysname,
			 un.nodename, un.release, un.machine);
}

int session_open_alone(struct session *s, const struct session_config *config, struct errmsg *err)
{
	/* who traces a program's functions does not end it by being killed */
	struct child_config child = {config->argv, config->user, config->env, config->env};

	memset(s, 0, sizeof(*s));
	s->config = *config;
	s->powers = config->powers;
	s->signal_fd = -1;
	s->has_own_choice = true; /* nothing of ours is in such a trace */
	textbuf_init(&s->names, NAMES_MAX_BYTES);
	s->setup = calloc(1, sizeof(*s->setup));
	if (!s->setup)
		return errmsg_set_errno(err, -ENOMEM, "cannot begin");
	s->setup->plan = config->plan;
	describe_user_events(s);
	if (config->argv) {
		TRY(child_start(&s->child, &child, err));
		s->has_child = true;
	}
	if (config->prepare)
		TRY(config->prepare(s, config->prepare_ctx, err));
	TRY(endsignals_open(&s->signal_fd, err));
	privileges_drop(s->powers);
	s->n_cpus = userrecording_count_cpus();
	return 0;
}

static int stop_buffers(struct session *s, bool keep, struct errmsg *err)
{
	for (size_t i = 0; i < s->setup->n_buffers; i++) {
		const char *instance = s->setup->buffers[i].instance;

		TRY(keep ? journal_set(s->journal, instance, "tracing_on", "0", TRACEFS_SET, err)
			 : tracefs_write(&s->t, instance, "tracing_on", "0", TRACEFS_SET, err));
	}
	return 0;
}

int session_attach(struct session *s, const struct name_list *instances, bool keep,
		   struct errmsg *err)
{
	memset(s, 0, sizeof(*s));
	s->config.all_formats = true;
	s->signal_fd = -1;
	textbuf_init(&s->names, NAMES_MAX_BYTES);
	if (plan_init(&s->own_plan) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot begin");
	for (size_t i = 0; i < instances->n; i++)
		if (*instances->names[i] && !plan_add_buffer(&s->own_plan, instances->names[i]))
			return errmsg_set_errno(err, -ENOMEM, "cannot begin");
	s->config.plan = &s->own_plan;
	TRY(tracefs_open(&s->t, err));
	TRY(journal_open(&s->journal, &s->t, err));
	TRY(setup_attach(&s->setup, &s->own_plan, &s->t, name_list_find(instances, ""), err));
	TRY(stop_buffers(s, keep, err));
	TRY(read_kernel(s, err));
	open_census(s, false);
	s->n_cpus = tracefs_cpu_count(&s->t);
	return 0;
}

struct piece session_text(const struct session *s, enum tracefile_text_kind kind)
{
	const struct textbuf *tb = kind == TRACEFILE_CMDLINES ? &s->names : &s->kernel.texts[kind];

	return PIECE_OF_TEXT(tb);
}

uint32_t session_page_size(const struct session *s, size_t buffer)
{
	long long kb = tracefs_read_number(&s->t, s->setup->buffers[buffer].instance,
					   "buffer_subbuf_size_kb");

	return kb > 0 && kb <= 1 << 16 ? (uint32_t)kb * 1024 : s->kernel.page_size;
}

void session_clock(const struct session *s, size_t buffer, char *buf, size_t n_bytes)
{
	if (tracefs_chosen_word(&s->t, s->setup->buffers[buffer].instance, "trace_clock", buf,
				n_bytes) < 0)
		*buf = 0;
}

/*
 * --- running -----------------------------------------------------------------------------------
 */

struct leaving_out {
	struct session *s;
	struct errmsg *err;
};

static int leave_out_task(void *ctx, const char *task)
{
	static const char *const files[] = {"set_event_notrace_pid", "set_ftrace_notrace_pid"};
	const struct leaving_out *lo = ctx;
	struct session *s = lo->s;

	for (size_t i = 0; i < s->setup->n_buffers; i++) {
		const struct setup_buffer *b = &s->setup->buffers[i];

		for (int f = 0; f < (setup_traces_functions(b) ? 2 : 1); f++)
			if (tracefs_exists(&s->t, b->instance, files[f]))
				TRY(setup_write(s->setup, b->instance, files[f], task,
						TRACEFS_APPEND, lo->err));
	}
	return 0;
}

static int leave_out_process(struct session *s, int pid, struct errmsg *err)
{
	struct leaving_out lo = {s, err};
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	TRY(leave_out_task(&lo, text));
	return setup_each_thread(text, leave_out_task, &lo);
}

/*
 * Excludes threads that these processes start later, with the option event-fork. If tasks are
 * selected, the option would add to the selection, but none of our tasks is in it.
 */
static int follow_self(struct session *s, struct errmsg *err)
{
	const struct plan *plan = s->config.plan;

	for (size_t i = 0; i < s->setup->n_buffers; i++) {
		const struct setup_buffer *b = &s->setup->buffers[i];

		if (!plan->only_command && !b->plan->pids.n &&
		    tracefs_exists(&s->t, b->instance, "options/event-fork"))
			TRY(setup_write(s->setup, b->instance, "options/event-fork", "1",
					TRACEFS_SET, err));
	}
	return 0;
}

static int leave_out_self(struct session *s, struct errmsg *err)
{
	const struct plan *plan = s->config.plan;

	if (plan->trace_self || s->has_own_choice)
		return 0;
	TRY(leave_out_process(s, getpid(), err));
	TRY(leave_out_process(s, journal_guardian(s->journal), err));
	for (size_t i = 0; i < plan->n_own_pids; i++)
		TRY(leave_out_process(s, plan->own_pids[i], err));
	return follow_self(s, err);
}

int session_start(struct session *s, struct errmsg *err)
{
	int r;

	if (s->config.plan->only_triggers)
		privileges_drop(s->powers);
	TRY(leave_out_self(s, err));
	if (s->census)
		census_add_own(s->census);
	if (s->has_child) { /* in this order, because a child that is ready uses a CPU */
		setup_look_at_others(s->setup, s->child.pid);
		child_ready(&s->child);
	}
	TRY(setup_start(s->setup, err));
	s->start_ns = clock_now_ns();
	if (s->config.begin)
		s->config.begin(s->config.prepare_ctx);
	if (!s->has_child)
		return 0;
	if (s->config.waits)
		orphans_adopt(&s->orphans, s->child.pid);
	r = child_go(&s->child, s->config.argv[0], err);
	if (r < 0 && s->child.go_fd < 0) { /* the command could not be run, and has ended */
		child_end(&s->child);
		s->has_child = false;
	}
	return r;
}

/* Handles a signal. From now on the next signal ends the program at once. */
static void take_signal(struct session *s)
{
	int sig = endsignals_take(s->signal_fd, s->has_child ? s->child.pid : 0);

	s->signal = sig ? sig : s->signal;
}

/* Ends the child. sonde does not wait for a child that does not end on request. */
static void end_child(struct session *s)
{
	struct pollfd fd = {s->child.pid_fd, POLLIN, 0};

	int patience_ms = s->signal == ENDSIGNALS_ASKED ? 0 : PATIENCE_MS;

	if (!s->has_child || (s->signal && poll(&fd, 1, patience_ms) != 1))
		return;
	s->child_status = child_end(&s->child);
	s->has_child = false;
}

/*
 * Checks whether the command has threads, which are separate tasks for the kernel, like its
 * children.
 */
static void watch_threads(struct session *s)
{
	const struct plan *plan = s->config.plan;
	char path[64];
	struct stat st;

	if (!s->has_child || !plan->only_command || plan->children || s->has_threads)
		return;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)s->child.pid);
	/* links: itself, its parent, one task */
	s->has_threads = !stat(path, &st) && st.st_nlink > 3;
}

static void watch_probes(struct session *s)
{
	uint64_t now = clock_now_ns();

	if (!s->watched_ns)
		s->watched_ns = s->start_ns;
	if (now - s->watched_ns >= WATCH_MS * 1000000ull) {
		setup_watch_probes(s->setup, (now - s->watched_ns) / 1e9, s->config.tell);
		s->watched_ns = now;
	} else if (s->config.plan->max_rate) {
		setup_limit_probes(s->setup, (now - s->watched_ns) / 1e9, s->config.tell);
	}
}

/* Returns true if the task has ended, or is a zombie. */
static bool has_ended(const char *pid)
{
	char path[64], text[512];
	const char *state;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	f = fopen(path, "re");
	n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = 0;
	state = strrchr(text, ')'); /* "12 (name) S …", with any name */
	return !state || strchr("ZX", state[strspn(state, ") ")]);
}

/* Checks the kernel's own list of tasks. The kernel adds new tasks to it and removes dead ones. */
static bool has_list_ended(const struct session *s, const char *instance)
{
	char text[LIST_BYTES], *word, *rest = text;
	int n = tracefs_read_short(&s->t, instance, "set_event_pid", text, sizeof(text));

	if (n < 0 || n >= (int)sizeof(text) - 1)
		return false;
	while ((word = strsep(&rest, " \n")))
		if (*word && !has_ended(word))
			return false;
	return true;
}

static int ask_task(void *ctx, int task)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", task);
	return has_ended(pid) ? 0 : -EBUSY;
}

/* Returns true if the tasks and all their descendants have ended (-c). */
static bool have_all_ended(const struct session *s)
{
	if (s->has_own_choice)
		return s->own_choice && bpftasks_each(s->own_choice, ask_task, NULL) >= 0;
	return !ARRAY_ANY(s->setup->n_buffers, i,
			  !has_list_ended(s, s->setup->buffers[i].instance));
}

/* Returns true if, without a command, all selected tasks (-P) have ended. */
static bool have_tasks_ended(const struct session *s)
{
	const struct plan *plan = s->config.plan;
	size_t n = 0;

	if (plan->children)
		return have_all_ended(s);
	for (size_t i = 0; i < plan->n_buffers; i++)
		for (size_t k = 0; k < plan->buffers[i].pids.n; k++, n++)
			if (!has_ended(plan->buffers[i].pids.words[k]))
				return false;
	return n > 0;
}

/* Returns true if the command has ended, and the session ends with what it has started. */
static bool waits_for_orphans(const struct session *s)
{
	return s->orphans.is_open && !s->has_child;
}

/* Returns true if the session ends with the selected tasks. */
static bool waits_for_tasks(const struct session *s)
{
	const struct plan *plan = s->config.plan;
	bool all = plan->n_buffers > 0;

	for (size_t i = 0; i < plan->n_buffers; i++)
		all &= plan->buffers[i].pids.n > 0;
	return all && !s->config.argv;
}

/*
 * Returns how long poll() may wait: until the next tick, or until the next check of probes with a
 * limit.
 */
static int time_left(const struct session *s, bool ticks, uint64_t next_ns)
{
	uint64_t now = clock_now_ns();
	int left = ticks ? (next_ns > now ? (int)((next_ns - now) / 1000000) + 1 : 0) : -1;

	if (s->config.plan->max_rate && s->setup->n_probes && (left < 0 || left > LIMIT_MS))
		return LIMIT_MS;
	if ((waits_for_tasks(s) || waits_for_orphans(s)) && (left < 0 || left > TASKS_MS))
		return TASKS_MS;
	return left;
}

enum session_end session_wait(struct session *s, int recorder_fd, unsigned tick_ms,
			      bool (*tick)(void *ctx), void *ctx)
{
	uint64_t next_ns = clock_now_ns() + tick_ms * 1000000ull;

	for (;;) {
		struct pollfd fds[] = {
			{s->has_child ? s->child.pid_fd : -1, POLLIN, 0},
			{s->signal_fd, POLLIN, 0},
			{recorder_fd, POLLIN, 0},
		};

		poll(fds, 3, time_left(s, tick, next_ns));
		if (fds[0].revents) {
			end_child(s);
			if (!orphans_are_left(&s->orphans))
				return SESSION_COMMAND;
		}
		if (fds[1].revents) {
			take_signal(s);
			return SESSION_SIGNAL;
		}
		if (fds[2].revents)
			return SESSION_FAILURE;
		if (waits_for_tasks(s) && have_tasks_ended(s))
			return SESSION_COMMAND;
		if (waits_for_orphans(s) && !orphans_are_left(&s->orphans))
			return SESSION_COMMAND;
		if (tick || s->config.plan->max_rate)
			watch_probes(s);
		if (tick && clock_now_ns() >= next_ns) {
			next_ns = clock_now_ns() + tick_ms * 1000000ull;
			watch_threads(s);
			if (!tick(ctx))
				return SESSION_TICK;
		}
	}
}

int session_stop(struct session *s, struct errmsg *err)
{
	int r = setup_stop(s->setup, s->config.keep, err);

	s->stop_ns = clock_now_ns();
	if (s->setup->mappings)
		mappings_stop(s->setup->mappings);
	session_tell_missing(s, s->config.tell);
	session_tell_end(s, s->config.tell);
	return r;
}

void session_tell_missing(struct session *s, void (*tell)(const char *sentence))
{
	const char *how = s->config.plan->children_how;
	char text[200];

	s->n_missed = setup_tell_misses(s->setup, tell);
	setup_tell_markers(s->setup, tell);
	if (!s->has_threads || !tell)
		return;
	snprintf(text, sizeof(text),
		 "only the first thread of the command was traced; %s its other threads and "
		 "its children are traced, too",
		 how ? how : "with -c");
	tell(text);
}

void session_tell_signal(int status, const char *more, void (*tell)(const char *sentence))
{
	int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	char text[320];

	if (!tell || !number)
		return;
	snprintf(text, sizeof(text), "signal %d (%s) ended the command%s", number,
		 strsignal(number), more);
	tell(text);
}

void session_tell_end(const struct session *s, void (*tell)(const char *sentence))
{
	if (s->signal)
		return;
	session_tell_signal(
		s->child_status,
		setup_probes_returns(s->setup)
			? "; sonde probed returns of functions, which breaks some programs: "
			  "those that switch stacks, throw exceptions or read their return "
			  "addresses"
			: "",
		tell);
}

bool session_cpu_stats(const struct session *s, const char *instance, unsigned cpu,
		       struct cpu_stats *ret_stats, struct textbuf *text)
{
	static const struct {
		const char *name;
		size_t offset;
	} rows[] = {
		{"entries: ", offsetof(struct cpu_stats, entries)},
		{"overrun: ", offsetof(struct cpu_stats, overrun)},
		{"commit overrun: ", offsetof(struct cpu_stats, commit_overrun)},
		{"bytes: ", offsetof(struct cpu_stats, bytes)},
		{"dropped events: ", offsetof(struct cpu_stats, dropped)},
		{"read events: ", offsetof(struct cpu_stats, read_events)},
	};
	char file[64], buf[1024];

	*ret_stats = (struct cpu_stats){0};
	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
	if (tracefs_read_short(&s->t, instance, file, buf, sizeof(buf)) <= 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (const char *p = buf; (p = strstr(p, rows[i].name)); p++)
			if (p == buf || p[-1] == '\n')
				*(uint64_t *)((char *)ret_stats + rows[i].offset) =
					strtoull(p + strlen(rows[i].name), NULL, 10);
	if (text)
		textbuf_addf(text, "%s\n", buf);
	return true;
}

/*
 * --- the end -----------------------------------------------------------------------------------
 */

static void wait_for_command(struct session *s, const struct errmsg *err)
{
	struct pollfd fds[] = {{s->child.pid_fd, POLLIN, 0}, {s->signal_fd, POLLIN, 0}};
	char text[sizeof(err->text) + 100];

	snprintf(text, sizeof(text), "%s; the recording has ended, the command still runs",
		 err->text);
	if (s->config.tell)
		s->config.tell(text);
	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	if (fds[1].revents)
		take_signal(s);
	end_child(s);
	s->has_child = false;
}

/* Keeps the settings, and reports what stays and how to remove it. */
static void keep_settings(struct session *s)
{
	journal_keep(s->journal);
	for (size_t i = 0; s->setup && s->config.tell && i < s->setup->n_buffers; i++) {
		const char *instance = s->setup->buffers[i].instance;
		char text[3 * TRACEFS_NAME_MAX];

		if (*instance)
			snprintf(text, sizeof(text),
				 "the instance %s keeps its settings (-k); 'sonde reset -B %s "
				 "-d' removes it",
				 instance, instance);
		else
			snprintf(text, sizeof(text),
				 "the top level keeps its settings (-k); 'sonde reset' "
				 "restores it");
		s->config.tell(text);
	}
}

int session_restore(struct session *s, struct errmsg *err)
{
	struct errmsg why = {0};
	int r = 0;

	if (s->has_child && s->child.go_fd >= 0) {
		child_cancel(&s->child);
		s->has_child = false;
	} else if (!err->code || s->signal) {
		end_child(s);
		s->has_child = false;
	}
	if (s->journal && s->config.keep && !err->code)
		keep_settings(s);
	else if (s->journal)
		r = journal_undo(s->journal, &why);
	if (r < 0 && err->code &&
	    s->config.tell) /* report what stays, in addition to any other failure */
		s->config.tell(why.text);
	else if (r < 0)
		errmsg_set(err, r, "%s", why.text);
	journal_close(s->journal);
	s->journal = NULL;
	/* after a failure in the middle: the command continues, and we end with it */
	if (s->has_child)
		wait_for_command(s, err);
	endsignals_close(&s->signal_fd);
	return r;
}

int session_close(struct session *s, struct errmsg *err)
{
	int r = session_restore(s, err);

	setup_free(s->setup);
	census_close(s->census);
	s->census = NULL;
	kernelinfo_release(&s->kernel);
	textbuf_release(&s->names);
	plan_release(&s->own_plan);
	s->setup = NULL;
	return r;
}
