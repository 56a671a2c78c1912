// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_inject.c - `sonde inject`: makes kernel functions fail for one process, to see what it does then.
 *
 *	$ sonde inject openat=-ENOENT --after 10 -- cat /etc/hostname
 *	cat: /etc/hostname: No such file or directory
 *	sonde: 1 call was made to fail in process 4711 (cat) and what it started: __x64_sys_openat with
 *	-ENOENT (No such file or directory)
 *
 * Order: everything that can be refused is refused before anything is changed; then the guardian (journal),
 * the command's process, which waits; signals; the kernel is armed; the command goes. In the end the number is
 * read, everything undone, and only then the command is waited for if it goes on.
 */
#include "base/textbuf.h"
#include "base/clock.h"
#include "capture/record/child.h"
#include "capture/inject/injection.h"
#include "cli/command.h"

#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS	    100
#define PATIENCE_MS 1000
#define COMM_BYTES  32

struct inject_options {
	const char *faults[INJECTION_FAULTS_MAX];
	size_t n_faults;
	long long pid, times, after, every, probability, seconds;
	bool log, quiet;
};

static int apply_fault(void *opts, const char *value, struct errmsg *err)
{
	struct inject_options *o = opts;

	if (o->n_faults == INJECTION_FAULTS_MAX)
		return errmsg_set(err, -E2BIG, "inject takes up to %d functions (-e)",
				  INJECTION_FAULTS_MAX);
	o->faults[o->n_faults++] = value;
	return 0;
}

#define AT(field) offsetof(struct inject_options, field)

static const struct option_row rows[] = {
	{OPTION_CALL, 'e', "fail", "FUNCTION=VALUE",
	 "make this function fail with this value: openat=-ENOENT; repeatable",
	 .apply = apply_fault},
	{OPTION_NUMBER, 'p', "pid", "PID", "fail in this process, with all its threads", AT(pid)},
	{OPTION_HEADING, .help = "which calls"},
	{OPTION_NUMBER, 0, "times", "N", "fail at most N calls", AT(times)},
	{OPTION_NUMBER, 0, "after", "N", "let the first N calls succeed", AT(after)},
	{OPTION_NUMBER, 0, "every", "N", "of the remaining calls, fail every N-th", AT(every)},
	{OPTION_NUMBER, 0, "probability", "PERCENT", "of these, fail a random share",
	 AT(probability)},
	{OPTION_HEADING, .help = "how to run"},
	{OPTION_NUMBER, 'd', "duration", "SECONDS", "stop after this time; the command continues",
	 AT(seconds)},
	{OPTION_FLAG, 0, "log", .help = "write each failure to the kernel log, with its stack",
	 .offset = AT(log)},
	{OPTION_FLAG, 'q', "quiet", .help = "print only errors", .offset = AT(quiet)},
	{OPTION_END},
};

/* --- list -------------------------------------------------------------------------------------- */

/* A system call may be named without the prefix of the architecture here, too. */
static bool matches(const struct injectable *f, const char *pattern)
{
	const char *call = strstr(f->name, "_sys_");

	return !pattern || !fnmatch(pattern, f->name, 0) ||
	       (call && !fnmatch(pattern, call + strlen("_sys_"), 0));
}

static int list(const char *pattern, struct errmsg *err)
{
	struct injectables in;
	struct injection site;
	size_t n = 0;
	int r = injection_find(&site, err);

	if (r >= 0)
		r = injectables_read(&in, site.dir, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < in.n; i++) {
		const struct injectable *f = &in.list[i];

		if (!matches(f, pattern))
			continue;
		printf("%-40s %-10s returns %s%s%s%s\n", f->name, inject_kind_word(f->kind),
		       inject_kind_meaning(f->kind), *f->module ? " (module " : "", f->module,
		       *f->module ? ")" : "");
		n++;
	}
	injectables_release(&in);
	if (!n)
		r = errmsg_set(err, -ENOENT, "no function that can fail is called '%.200s'%s",
			       pattern ? pattern : "*",
			       pattern && !strpbrk(pattern, "*?[")
				       ? "; a part of a name needs stars: '*NAME*'"
				       : "");
	return r;
}

/* --- what is asked for ------------------------------------------------------------------------- */

static int check_range(const char *name, long long v, long long from, long long to,
		       struct errmsg *err)
{
	return v >= from && v <= to
		       ? 0
		       : errmsg_set(err, -EINVAL, "inject: --%s is %lld to %lld, not %lld", name,
				    from, to, v);
}

static int check_options(const struct inject_options *o, bool has_command, struct errmsg *err)
{
	const struct {
		const char *name;
		long long value, from, to;
	} ranges[] = {
		{"times", o->times, 0, INJECTION_TIMES_MAX},
		{"after", o->after, 0, INJECTION_TIMES_MAX - 1},
		{"every", o->every, 1, INJECTION_TIMES_MAX},
		{"probability", o->probability, 1, 100},
		{"duration", o->seconds, 0, 1000000},
		{"pid", o->pid, 0, 1 << 22},
	};
	int r = 0;

	if (!o->n_faults)
		return errmsg_set(err, -EINVAL,
				  "inject: say what shall fail, and how: openat=-ENOENT; 'sonde "
				  "inject list' shows what can");
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges) && r >= 0; i++)
		r = check_range(ranges[i].name, ranges[i].value, ranges[i].from, ranges[i].to, err);
	if (r < 0)
		return r;
	if (!o->pid && !has_command)
		return errmsg_set(err, -EINVAL,
				  "inject: say where it shall fail: a command, or a process (-p "
				  "PID)");
	if (o->pid && has_command)
		return errmsg_set(err, -EINVAL,
				  "inject: a command and a process (-p) do not go together: it "
				  "fails in one of them only");
	return 0;
}

static int read_comm(int pid, char *comm)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	*comm = 0;
	if (!file)
		return -ESRCH;
	if (fgets(comm, COMM_BYTES, file))
		comm[strcspn(comm, "\n")] = 0;
	fclose(file);
	return 0;
}

/* --- a run ------------------------------------------------------------------------------------- */

struct inject_run {
	const struct inject_options *o;
	char **argv; /* NULL: no command */
	struct injection site;
	struct injectables functions;
	struct fault faults[INJECTION_FAULTS_MAX];
	struct journal *journal;
	struct child child;
	int pid, pid_fd, signal_fd, signal;
	bool has_child;
	char comm[COMM_BYTES];
	sigset_t mask; /* as it was before */
};

/* What can be refused without changing anything. */
static int prepare(struct inject_run *run, struct errmsg *err)
{
	const struct inject_options *o = run->o;
	int r = injection_find(&run->site, err);

	if (r >= 0)
		r = injectables_read(&run->functions, run->site.dir, err);
	for (size_t i = 0; i < o->n_faults && r >= 0; i++)
		r = fault_parse(&run->functions, o->faults[i], &run->faults[i], err);
	if (r >= 0 && o->pid && read_comm((int)o->pid, run->comm) < 0)
		r = errmsg_set(err, -ESRCH, "there is no process %lld", o->pid);
	if (r >= 0)
		r = tracefs_open(&run->site.t, err);
	return r;
}

static int open_process(struct inject_run *run, struct errmsg *err)
{
	const char *slash;
	int r;

	if (!run->argv) {
		run->pid = (int)run->o->pid;
		run->pid_fd = (int)syscall(SYS_pidfd_open, run->pid, 0);
		return run->pid_fd >= 0
			       ? 0
			       : errmsg_set_errno(err, -errno, "cannot watch process %d", run->pid);
	}
	r = child_start(&run->child, &(struct child_config){.argv = run->argv}, err);
	if (r < 0)
		return r;
	run->has_child = true;
	run->pid = run->child.pid;
	run->pid_fd = run->child.pid_fd;
	slash = strrchr(run->argv[0], '/');
	snprintf(run->comm, sizeof(run->comm), "%.*s", COMM_BYTES - 1,
		 slash ? slash + 1 : run->argv[0]);
	return 0;
}

/* Those that we were told to ignore stay ignored: nohup. */
static int open_signals(struct inject_run *run, struct errmsg *err)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t set;

	signal(SIGINT, SIG_DFL); /* a shell ignores it for what it starts with '&' */
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct sigaction old;

		if (!sigaction(ends[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaddset(&set, ends[i]);
	}
	sigprocmask(SIG_BLOCK, &set, &run->mask);
	run->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return run->signal_fd < 0 ? errmsg_set_errno(err, -errno, "cannot wait for signals") : 0;
}

static int start(struct inject_run *run, struct errmsg *err)
{
	const struct inject_options *o = run->o;
	struct injection_config config = {
		.faults = run->faults,
		.n_faults = o->n_faults,
		.times = o->times,
		.after = o->after,
		.every = o->every,
		.probability = o->probability,
		.log = o->log,
	};
	int r = journal_open(&run->journal, &run->site.t, err);

	if (r >= 0)
		r = open_process(run, err);
	if (r >= 0)
		r = open_signals(run, err);
	config.pid = run->pid;
	if (r >= 0)
		r = injection_start(&run->site, run->journal, &config, err);
	return r;
}

static void take_signal(struct inject_run *run)
{
	struct signalfd_siginfo info;

	if (read(run->signal_fd, &info, sizeof(info)) != sizeof(info))
		return;
	run->signal = info.ssi_signo;
	/* what the terminal sends goes to all in the foreground, what kill sends only to us */
	if (run->has_child && info.ssi_code != SI_KERNEL)
		kill(run->child.pid, run->signal);
	sigprocmask(SIG_SETMASK, &run->mask,
		    NULL); /* the next one ends us, the guardian does the rest */
}

/* Until the process ends, somebody asks us to, or there is nothing more to do. */
static void wait_for_end(struct inject_run *run)
{
	const struct inject_options *o = run->o;
	uint64_t end_ms = o->seconds ? clock_now_ms() + o->seconds * 1000ull : UINT64_MAX;

	while (clock_now_ms() < end_ms) {
		struct pollfd fds[] = {{run->pid_fd, POLLIN, 0}, {run->signal_fd, POLLIN, 0}};
		bool must_look = o->seconds || (o->times && !run->has_child);

		poll(fds, 2, must_look ? TICK_MS : -1);
		if (fds[0].revents)
			return;
		if (fds[1].revents)
			return take_signal(run);
		if (!run->has_child && o->times && injection_count(&run->site) >= o->times)
			return;
	}
}

static void tell_start(const struct inject_run *run)
{
	char value[100];

	for (size_t i = 0; i < run->o->n_faults; i++) {
		fault_fmt_value(&run->faults[i], value, sizeof(value));
		fprintf(stderr, "sonde: in process %d (%s) %s returns %s\n", run->pid, run->comm,
			run->faults[i].function->name, value);
	}
	if (!run->o->seconds)
		fputs("sonde: Ctrl-C ends it\n", stderr);
}

static void tell_end(const struct inject_run *run, long long count)
{
	char value[100], number[32] = "no call was";

	if (count == 1)
		snprintf(number, sizeof(number), "1 call was");
	else if (count > 1)
		snprintf(number, sizeof(number), "%lld calls were", count);
	fprintf(stderr, "sonde: %s made to fail in process %d (%s) and what it started:", number,
		run->pid, run->comm);
	for (size_t i = 0; i < run->o->n_faults; i++) {
		fault_fmt_value(&run->faults[i], value, sizeof(value));
		fprintf(stderr, "%s %s with %s", i ? "," : "", run->faults[i].function->name,
			value);
	}
	fputc('\n', stderr);
}

/* The command's exit status, as a shell would tell it. */
static int end_child(struct inject_run *run)
{
	struct pollfd fd = {run->child.pid_fd, POLLIN, 0};
	int status;

	/* one that does not end when it is asked to is not waited for */
	if (run->signal && poll(&fd, 1, PATIENCE_MS) != 1)
		return 128 + run->signal;
	status = child_end(&run->child);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* From the first change to the last; the exit status, or negative. */
static int go(struct inject_run *run, struct errmsg *err)
{
	int r = 0, r2, status = 0;
	long long count;

	if (!run->has_child && !run->o->quiet)
		tell_start(run);
	if (run->has_child)
		r = child_go(&run->child, run->argv[0], err);
	if (r >= 0)
		wait_for_end(run);
	count = injection_count(&run->site);
	r2 = journal_undo(run->journal, err);
	if (count >= 0 && !run->o->quiet)
		tell_end(run, count);
	if (r >= 0 && run->has_child) {
		sigprocmask(SIG_SETMASK, &run->mask, NULL);
		status = end_child(run);
		run->has_child = false;
	}
	if (r < 0 || r2 < 0)
		return r < 0 ? r : r2;
	return status;
}

static int inject(struct inject_run *run, struct errmsg *err)
{
	int r = prepare(run, err);

	if (r >= 0)
		r = start(run, err);
	if (r >= 0)
		r = go(run, err);
	if (run->has_child)
		child_cancel(&run->child);
	else if (run->pid_fd >= 0 && !run->argv)
		close(run->pid_fd);
	journal_close(run->journal);
	if (run->signal_fd >= 0) {
		close(run->signal_fd);
		sigprocmask(SIG_SETMASK, &run->mask, NULL);
	}
	injectables_release(&run->functions);
	return r;
}

/* FUNCTION=VALUE, as no command is called. */
static bool is_fault(const char *word)
{
	size_t len =
		strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");

	return len && word[len] == '=';
}

/* Faults without their -e stand first, and options may follow each. The number of words that are left. */
static int take_faults(const struct command *cmd, struct inject_options *o, int n, char ***argv,
		       struct errmsg *err)
{
	while (n > 0 && (!o->n_faults || is_fault((*argv)[1]))) {
		int r = apply_fault(o, (*argv)[1], err);

		if (r < 0)
			return r;
		(*argv)++;
		n = command_parse(cmd, o, n, *argv, err);
	}
	return n;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct inject_options o = {.every = 1, .probability = 100};
	struct inject_run run = {.o = &o, .pid_fd = -1, .signal_fd = -1};
	int n, r;

	if (argc >= 2 && !strcmp(argv[1], "list")) {
		if (argc > 3)
			return errmsg_set(err, -EINVAL, "inject list takes one pattern");
		return list(argc == 3 ? argv[2] : NULL, err);
	}
	n = command_parse(cmd, &o, argc, argv, err);
	if (n < 0)
		return n;
	n = take_faults(cmd, &o, n, &argv, err);
	if (n < 0)
		return n;
	r = check_options(&o, n > 0, err);
	if (r < 0)
		return r;
	run.argv = n ? argv + 1 : NULL;
	if (n)
		argv[n + 1] = NULL;
	return inject(&run, err);
}

const struct command cmd_inject = {
	.name = "inject",
	.summary = "make a kernel function fail for one process",
	.usage = "[options] FUNCTION=VALUE… [COMMAND [ARGUMENT…]] | list [PATTERN]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run,
	.args = "program",
};
