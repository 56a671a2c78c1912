// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run.c - makes kernel functions fail for one process, from the first change to the last.
 *
 * The order is: first check everything that can be refused, before any change. Then start the
 * guardian (journal), and the command's process, which waits. Then block signals, configure the
 * kernel, and run the command. At the end read the number and undo everything. Only then sonde
 * waits for a command that still runs.
 *
 * All this runs in one thread. SIGINT, SIGTERM, SIGHUP and SIGQUIT come through a signalfd; the
 * second of them has its usual effect, and the guardian undoes the rest.
 */
#include "capture/inject/run.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/inject/injection.h"
#include "capture/record/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_MS	    100
#define PATIENCE_MS 1000

struct run {
	const struct inject_config *c;
	struct injection site;
	struct injectables functions;
	struct fault faults[INJECTION_FAULTS_MAX];
	struct journal *journal;
	struct child child;
	int pid_fd, signal_fd, signal;
	bool has_child;
	struct inject_facts facts;
	sigset_t mask; /* the previous signal mask */
};

static int read_comm(int pid, char *comm)
{
	char path[64];
	SCOPED(fclose_scoped) FILE *file = NULL;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	*comm = 0;
	if (!file)
		return -ESRCH;
	if (fgets(comm, INJECT_COMM_BYTES, file))
		comm[strcspn(comm, "\n")] = 0;
	return 0;
}

/* Checks everything that can be refused, without changing anything. */
static int prepare(struct run *run, struct errmsg *err)
{
	const struct inject_config *c = run->c;

	TRY(injection_find(&run->site, err));
	TRY(injectables_read(&run->functions, run->site.dir, err));
	for (size_t i = 0; i < c->n_faults; i++)
		TRY(fault_parse(&run->functions, c->faults[i], &run->faults[i], err));
	if (c->pid && read_comm(c->pid, run->facts.comm) < 0)
		return errmsg_set(err, -ESRCH, "there is no process %d", c->pid);
	return tracefs_open(&run->site.t, err);
}

static int open_process(struct run *run, struct errmsg *err)
{
	const char *slash;

	if (!run->c->argv) {
		run->facts.pid = run->c->pid;
		run->pid_fd = (int)syscall(SYS_pidfd_open, run->facts.pid, 0);
		return run->pid_fd >= 0 ? 0
					: errmsg_set_errno(err, -errno, "cannot watch process %d",
							   run->facts.pid);
	}
	TRY(child_start(&run->child, &(struct child_config){.argv = run->c->argv}, err));
	run->has_child = true;
	run->facts.pid = run->child.pid;
	run->pid_fd = run->child.pid_fd;
	slash = strrchr(run->c->argv[0], '/');
	snprintf(run->facts.comm, sizeof(run->facts.comm), "%.*s", INJECT_COMM_BYTES - 1,
		 slash ? slash + 1 : run->c->argv[0]);
	return 0;
}

/* Opens a signalfd. Signals that were ignored at our start (nohup) stay ignored. */
static int open_signals(struct run *run, struct errmsg *err)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t set;

	signal(SIGINT, SIG_DFL); /* a shell ignores it for commands started with '&' */
	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		struct sigaction old;

		if (!sigaction(ends[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaddset(&set, ends[i]);
	}
	sigprocmask(SIG_BLOCK, &set, &run->mask);
	run->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return run->signal_fd < 0 ? errmsg_set_errno(err, -errno, "cannot wait for signals") : 0;
}

static int start(struct run *run, struct errmsg *err)
{
	const struct inject_config *c = run->c;
	struct injection_config config = {
		.faults = run->faults,
		.n_faults = c->n_faults,
		.times = c->times,
		.after = c->after,
		.every = c->every,
		.probability = c->probability,
		.log = c->log,
	};

	TRY(journal_open(&run->journal, &run->site.t, err));
	TRY(open_process(run, err));
	TRY(open_signals(run, err));
	config.pid = run->facts.pid;
	return injection_start(&run->site, run->journal, &config, err);
}

static void take_signal(struct run *run)
{
	struct signalfd_siginfo info;

	if (read(run->signal_fd, &info, sizeof(info)) != sizeof(info))
		return;
	run->signal = info.ssi_signo;
	/* the terminal sends signals to all processes in the foreground, kill only to us */
	if (run->has_child && info.ssi_code != SI_KERNEL)
		kill(run->child.pid, run->signal);
	sigprocmask(SIG_SETMASK, &run->mask,
		    NULL); /* the next signal ends us, and the guardian undoes the rest */
}

/* Waits until the process ends, a signal arrives, or the work is done. */
static void wait_for_end(struct run *run)
{
	const struct inject_config *c = run->c;
	uint64_t end_ms = c->seconds ? clock_now_ms() + c->seconds * 1000ull : UINT64_MAX;

	while (clock_now_ms() < end_ms) {
		struct pollfd fds[] = {{run->pid_fd, POLLIN, 0}, {run->signal_fd, POLLIN, 0}};
		bool must_look = c->seconds || (c->times && !run->has_child);

		poll(fds, 2, must_look ? TICK_MS : -1);
		if (fds[0].revents)
			return;
		if (fds[1].revents)
			return take_signal(run);
		if (!run->has_child && c->times && injection_count(&run->site) >= c->times)
			return;
	}
}

/* Returns the command's exit status, as in a shell. */
static int end_child(struct run *run)
{
	struct pollfd fd = {run->child.pid_fd, POLLIN, 0};
	int status;

	/* do not wait for a command that does not end on request */
	if (run->signal && poll(&fd, 1, PATIENCE_MS) != 1)
		return 128 + run->signal;
	status = child_end(&run->child);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/*
 * Runs all steps from the first change to the last. Returns the exit status, or a negative errno.
 */
static int go(struct run *run, struct errmsg *err)
{
	int r = 0, r2, status = 0;
	long long count;

	if (!run->has_child && run->c->started)
		run->c->started(run->c->ctx, &run->facts);
	if (run->has_child)
		r = child_go(&run->child, run->c->argv[0], err);
	if (r >= 0)
		wait_for_end(run);
	count = injection_count(&run->site);
	r2 = journal_undo(run->journal, err);
	if (count >= 0 && run->c->ended)
		run->c->ended(run->c->ctx, &run->facts, count);
	if (r >= 0 && run->has_child) {
		sigprocmask(SIG_SETMASK, &run->mask, NULL);
		status = end_child(run);
		run->has_child = false;
	}
	if (r < 0 || r2 < 0)
		return r < 0 ? r : r2;
	return status;
}

static void release(struct run *run)
{
	if (run->has_child)
		child_cancel(&run->child);
	else if (run->pid_fd >= 0 && !run->c->argv)
		close(run->pid_fd);
	journal_close(run->journal);
	if (run->signal_fd >= 0) {
		close(run->signal_fd);
		sigprocmask(SIG_SETMASK, &run->mask, NULL);
	}
	injectables_release(&run->functions);
}

int inject_run(const struct inject_config *config, struct errmsg *err)
{
	SCOPED(release) struct run run = {.c = config, .pid_fd = -1, .signal_fd = -1};

	run.facts.faults = run.faults;
	run.facts.n_faults = config->n_faults;
	TRY(prepare(&run, err));
	TRY(start(&run, err));
	return go(&run, err);
}
