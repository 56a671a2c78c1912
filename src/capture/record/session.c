// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session.c - what every recording does, whatever happens to the events.
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
#include "capture/record/privileges.h"
#include "capture/record/session.h"
#include "capture/setup/setup_int.h"

#include "base/errmsg.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NAMES_MAX_BYTES (64u << 20)
#define PATIENCE_MS	1000
#define TASKS_MS	200   /* how often to check whether they still exist */
#define WATCH_MS	1000  /* how often to count hits of probes */
#define LIST_BYTES	16384 /* list of tasks; a longer list means that not all have ended */
#define LIMIT_MS	100   /* … with --max-rate: a shorter time until the limit acts */
#define WAKE_PERCENT	"25"  /* how full a buffer is when its reader wakes; the default is 50 */

/*
 * --- the beginning -----------------------------------------------------------------------------
 */

static void end_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGQUIT);
}

/*
 * nohup and shells that run us in the background ignore some of them: these stay ignored. But
 * SIGINT ends a recording, also from a script, whose shell ignores it for everything started with
 * '&'.
 */
static int open_signals(struct session *s, struct errmsg *err)
{
	sigset_t set;

	signal(SIGINT, SIG_DFL);
	end_signals(&set);
	for (int sig = 1; sig < 32; sig++) {
		struct sigaction old;

		if (sigismember(&set, sig) && !sigaction(sig, NULL, &old) &&
		    old.sa_handler == SIG_IGN)
			sigdelset(&set, sig);
	}
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return s->signal_fd < 0 ? errmsg_set_errno(err, -errno, "cannot wait for signals") : 0;
}

/* Where the command finds the file that sonde/mark.h writes to. */
static int start_child(struct session *s, struct errmsg *err)
{
	char marker[TRACEFS_PATH_MAX + 32], on[TRACEFS_PATH_MAX + 32], path[TRACEFS_PATH_MAX];
	char instance[64];
	const char *env[] = {marker, on, NULL};
	struct child_config config = {s->config.argv, s->config.user, env};

	if (!s->config.argv || !s->config.argv[0])
		return 0;
	snprintf(instance, sizeof(instance), "sonde.%d", (int)getpid());
	if (s->config.plan->use_top)
		*instance = 0;
	snprintf(marker, sizeof(marker), "SONDE_TRACE_MARKER=%s",
		 tracefs_fmt_path(&s->t, instance, "trace_marker", path));
	snprintf(on, sizeof(on), "SONDE_TRACING_ON=%s",
		 tracefs_fmt_path(&s->t, instance, "tracing_on", path));
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

	kernelinfo_read_names(s->t.root, NULL, &s->names);
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
		if (r < 0)
			return r;
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

/* The earlier contents are in the journal already. */
static int forget_tasks(struct session *s, struct errmsg *err)
{
	const struct plan *plan = s->config.plan;
	int r = 0;

	if (!s->has_own_choice || (!plan->only_command && !plan->buffers[0].pids.n))
		return 0;
	for (size_t i = 0; i < s->setup->n_buffers && r >= 0; i++)
		r = tracefs_write(&s->t, s->setup->buffers[i].instance, "set_event_pid", "\n",
				  TRACEFS_SET, err);
	return r;
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
	int r;

	memset(s, 0, sizeof(*s));
	s->config = *config;
	s->signal_fd = -1;
	textbuf_init(&s->names, NAMES_MAX_BYTES);
	r = plan_check(config->plan, err);
	if (r >= 0)
		r = pidspace_check(config->plan, err);
	if (!pidspace_is_kernels())
		config->plan->trace_self = true; /* the pid would be that of another process */
	if (r >= 0)
		r = tracefs_open(&s->t, err);
	if (r >= 0)
		r = journal_open(&s->journal, &s->t, err);
	if (r >= 0)
		tell_left(s);
	if (r >= 0)
		r = start_child(s, err);
	if (r >= 0)
		r = open_signals(s, err);
	config->plan->command = config->argv ? config->argv[0] : NULL;
	if (r >= 0)
		r = setup_apply(&s->setup, config->plan, &s->t, s->journal, err);
	if (r >= 0)
		r = set_wake_percent(s, err);
	if (r >= 0 && s->has_child && config->plan->only_command)
		r = setup_set_pid(s->setup, s->child.pid, err);
	if (r >= 0)
		r = read_kernel(s, err);
	if (r >= 0 && config->tell)
		setup_measure_probes(s->setup);
	if (r >= 0 && config->plan->estimate)
		setup_estimate_probes(s->setup, config->tell);
	if (r >= 0 && config->tell && !s->setup->n_probes &&
	    (config->plan->max_rate || config->plan->estimate))
		config->tell("--max-rate and --estimate apply to probes, but no event is a "
			     "probe: they have no effect");
	if (r >= 0 && config->prepare)
		r = config->prepare(s, config->prepare_ctx, err);
	if (r >= 0)
		r = forget_tasks(s, err);
	if (r >= 0)
		open_mappings(s);
	if (r >= 0 && !config->plan->only_triggers)
		open_census(s, true);
	/*
	 * a plan that only sets triggers may still give up; then another session with its own
	 * command follows
	 */
	if (r >= 0 && !config->plan->only_triggers)
		privileges_drop(s->powers);
	if (r >= 0 && s->setup->mappings)
		mappings_start(s->setup->mappings);
	s->n_cpus = r >= 0 ? tracefs_cpu_count(&s->t) : 0;
	return r;
}

static int stop_buffers(struct session *s, bool keep, struct errmsg *err)
{
	int r = 0;

	for (size_t i = 0; i < s->setup->n_buffers && r >= 0; i++) {
		const char *instance = s->setup->buffers[i].instance;

		r = keep ? journal_set(s->journal, instance, "tracing_on", "0", TRACEFS_SET, err)
			 : tracefs_write(&s->t, instance, "tracing_on", "0", TRACEFS_SET, err);
	}
	return r;
}

int session_attach(struct session *s, const struct name_list *instances, bool keep,
		   struct errmsg *err)
{
	int r;

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
	r = tracefs_open(&s->t, err);
	if (r >= 0)
		r = journal_open(&s->journal, &s->t, err);
	if (r >= 0)
		r = setup_attach(&s->setup, &s->own_plan, &s->t, name_list_find(instances, ""),
				 err);
	if (r >= 0)
		r = stop_buffers(s, keep, err);
	if (r >= 0)
		r = read_kernel(s, err);
	if (r >= 0)
		open_census(s, false);
	s->n_cpus = r >= 0 ? tracefs_cpu_count(&s->t) : 0;
	return r;
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
	int r = 0;

	for (size_t i = 0; i < s->setup->n_buffers && r >= 0; i++) {
		const struct setup_buffer *b = &s->setup->buffers[i];

		for (int f = 0; f < (setup_traces_functions(b) ? 2 : 1) && r >= 0; f++)
			if (tracefs_exists(&s->t, b->instance, files[f]))
				r = setup_write(s->setup, b->instance, files[f], task,
						TRACEFS_APPEND, lo->err);
	}
	return r;
}

static int leave_out_process(struct session *s, int pid, struct errmsg *err)
{
	struct leaving_out lo = {s, err};
	char text[16];
	int r;

	snprintf(text, sizeof(text), "%d", pid);
	r = leave_out_task(&lo, text);
	return r < 0 ? r : setup_each_thread(text, leave_out_task, &lo);
}

/*
 * With the option event-fork, threads that these processes start later are excluded, too. If tasks
 * are selected, the option would add to the selection, but none of our tasks is in it.
 */
static int follow_self(struct session *s, struct errmsg *err)
{
	const struct plan *plan = s->config.plan;
	int r = 0;

	for (size_t i = 0; i < s->setup->n_buffers && r >= 0; i++) {
		const struct setup_buffer *b = &s->setup->buffers[i];

		if (!plan->only_command && !b->plan->pids.n &&
		    tracefs_exists(&s->t, b->instance, "options/event-fork"))
			r = setup_write(s->setup, b->instance, "options/event-fork", "1",
					TRACEFS_SET, err);
	}
	return r;
}

static int leave_out_self(struct session *s, struct errmsg *err)
{
	const struct plan *plan = s->config.plan;
	int r;

	if (plan->trace_self || s->has_own_choice)
		return 0;
	r = leave_out_process(s, getpid(), err);
	if (r >= 0)
		r = leave_out_process(s, journal_guardian(s->journal), err);
	for (size_t i = 0; i < plan->n_own_pids && r >= 0; i++)
		r = leave_out_process(s, plan->own_pids[i], err);
	return r < 0 ? r : follow_self(s, err);
}

int session_start(struct session *s, struct errmsg *err)
{
	int r;

	if (s->config.plan->only_triggers)
		privileges_drop(s->powers);
	r = leave_out_self(s, err);
	if (s->census)
		census_add_own(s->census);
	if (s->has_child) { /* in this order: a child that is ready burns a CPU */
		setup_look_at_others(s->setup, s->child.pid);
		if (r >= 0)
			child_ready(&s->child);
	}
	if (r >= 0)
		r = setup_start(s->setup, err);
	s->start_ns = clock_now_ns();
	if (r >= 0 && s->config.begin)
		s->config.begin(s->config.prepare_ctx);
	if (r >= 0 && s->has_child)
		r = child_go(&s->child, s->config.argv[0], err);
	if (r < 0 && s->has_child && s->child.go_fd < 0) { /* it could not be run, and has ended */
		child_end(&s->child);
		s->has_child = false;
	}
	return r;
}

/* From now on the next signal ends the program at once. */
static void take_signal(struct session *s)
{
	struct signalfd_siginfo info;
	sigset_t set;

	if (read(s->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		s->signal = info.ssi_signo;
		/* the terminal sends signals to all processes in the foreground, kill only to us */
		if (s->has_child && info.ssi_code != SI_KERNEL)
			kill(s->child.pid, s->signal);
	}
	end_signals(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* A child that does not end on request is not waited for: it ends with us, or not at all. */
static void end_child(struct session *s)
{
	struct pollfd fd = {s->child.pid_fd, POLLIN, 0};

	if (!s->has_child || (s->signal && poll(&fd, 1, PATIENCE_MS) != 1))
		return;
	s->child_status = child_end(&s->child);
	s->has_child = false;
}

/* For the kernel its threads are separate tasks, like its children. */
static void watch_threads(struct session *s)
{
	const struct plan *plan = s->config.plan;
	char path[64];
	struct stat st;

	if (!s->has_child || !plan->only_command || plan->children || s->has_threads)
		return;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)s->child.pid);
	s->has_threads = !stat(path, &st) && st.st_nlink > 3; /* itself, its parent, one task */
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

/* Gone, or a zombie. */
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
	state = strrchr(text, ')'); /* "12 (name) S …", whatever the name is */
	return !state || strchr("ZX", state[strspn(state, ") ")]);
}

/*
 * Checks the kernel's own list of tasks, to which it adds new ones and from which it removes dead
 * ones.
 */
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

/* With -c: the tasks and everything that they started. */
static bool have_all_ended(const struct session *s)
{
	if (s->has_own_choice)
		return s->own_choice && bpftasks_each(s->own_choice, ask_task, NULL) >= 0;
	for (size_t i = 0; i < s->setup->n_buffers; i++)
		if (!has_list_ended(s, s->setup->buffers[i].instance))
			return false;
	return true;
}

/* Without a command: have all selected tasks (-P) ended? */
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

/* Whether to wait for that. */
static bool waits_for_tasks(const struct session *s)
{
	const struct plan *plan = s->config.plan;
	bool all = plan->n_buffers > 0;

	for (size_t i = 0; i < plan->n_buffers; i++)
		all &= plan->buffers[i].pids.n > 0;
	return all && !s->config.argv;
}

/* How long poll() may wait: until the next tick, or until the next check of probes with a limit. */
static int time_left(const struct session *s, bool ticks, uint64_t next_ns)
{
	uint64_t now = clock_now_ns();
	int left = ticks ? (next_ns > now ? (int)((next_ns - now) / 1000000) + 1 : 0) : -1;

	if (s->config.plan->max_rate && s->setup->n_probes && (left < 0 || left > LIMIT_MS))
		return LIMIT_MS;
	if (waits_for_tasks(s) && (left < 0 || left > TASKS_MS))
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

void session_tell_end(const struct session *s, void (*tell)(const char *sentence))
{
	int number = WIFSIGNALED(s->child_status) ? WTERMSIG(s->child_status) : 0;
	char text[320];

	if (!tell || !number || s->signal)
		return;
	snprintf(text, sizeof(text), "signal %d (%s) ended the command%s", number,
		 strsignal(number),
		 setup_probes_returns(s->setup)
			 ? "; sonde probed returns of functions, which breaks some programs: "
			   "those that switch stacks, throw exceptions or read their return "
			   "addresses"
			 : "");
	tell(text);
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

/* Earlier signals have had their effect; from now on a signal ends the program as usual. */
static void close_signals(struct session *s)
{
	struct signalfd_siginfo info;
	sigset_t set;

	if (s->signal_fd < 0)
		return;
	while (read(s->signal_fd, &info, sizeof(info)) == sizeof(info))
		;
	close(s->signal_fd);
	s->signal_fd = -1;
	end_signals(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

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

/* Names what stays, and how to remove it. */
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
	    s->config.tell) /* report what stays behind, in addition to any other failure */
		s->config.tell(why.text);
	else if (r < 0)
		errmsg_set(err, r, "%s", why.text);
	journal_close(s->journal);
	s->journal = NULL;
	/* after a failure in the middle: the command continues, and we end with it */
	if (s->has_child)
		wait_for_command(s, err);
	close_signals(s);
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
