// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run.c - makes kernel functions fail for one process, from the first change to the last.
 *
 * The order: first everything that can be refused is checked, before anything is changed. Then the
 * guardian (journal) starts, then the command's process, which waits; then signals are blocked, the
 * kernel is armed, and the command runs. At the end the number is read and everything is undone;
 * only then sonde waits for a command that still runs.
 *
 * One thread. SIGINT, SIGTERM, SIGHUP and SIGQUIT come through a signalfd; the second of them has
 * its usual effect, and the guardian undoes the rest.
 */
#include "capture/inject/run.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/errmsg.h"
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
	sigset_t mask; /* as it was before */
};

static int read_comm(int pid, char *comm)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	*comm = 0;
	if (!file)
		return -ESRCH;
	if (fgets(comm, INJECT_COMM_BYTES, file))
		comm[strcspn(comm, "\n")] = 0;
	fclose(file);
	return 0;
}

/* Checks what can be refused without changing anything. */
static int prepare(struct run *run, struct errmsg *err)
{
	const struct inject_config *c = run->c;
	int r = injection_find(&run->site, err);

	if (r >= 0)
		r = injectables_read(&run->functions, run->site.dir, err);
	for (size_t i = 0; i < c->n_faults && r >= 0; i++)
		r = fault_parse(&run->functions, c->faults[i], &run->faults[i], err);
	if (r >= 0 && c->pid && read_comm(c->pid, run->facts.comm) < 0)
		r = errmsg_set(err, -ESRCH, "there is no process %d", c->pid);
	if (r >= 0)
		r = tracefs_open(&run->site.t, err);
	return r;
}

static int open_process(struct run *run, struct errmsg *err)
{
	const char *slash;
	int r;

	if (!run->c->argv) {
		run->facts.pid = run->c->pid;
		run->pid_fd = (int)syscall(SYS_pidfd_open, run->facts.pid, 0);
		return run->pid_fd >= 0 ? 0
					: errmsg_set_errno(err, -errno, "cannot watch process %d",
							   run->facts.pid);
	}
	r = child_start(&run->child, &(struct child_config){.argv = run->c->argv}, err);
	if (r < 0)
		return r;
	run->has_child = true;
	run->facts.pid = run->child.pid;
	run->pid_fd = run->child.pid_fd;
	slash = strrchr(run->c->argv[0], '/');
	snprintf(run->facts.comm, sizeof(run->facts.comm), "%.*s", INJECT_COMM_BYTES - 1,
		 slash ? slash + 1 : run->c->argv[0]);
	return 0;
}

/* Signals that were ignored at our start stay ignored: nohup. */
static int open_signals(struct run *run, struct errmsg *err)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t set;

	signal(SIGINT, SIG_DFL); /* a shell ignores it for everything started with '&' */
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
	int r = journal_open(&run->journal, &run->site.t, err);

	if (r >= 0)
		r = open_process(run, err);
	if (r >= 0)
		r = open_signals(run, err);
	config.pid = run->facts.pid;
	if (r >= 0)
		r = injection_start(&run->site, run->journal, &config, err);
	return r;
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
		    NULL); /* the next one ends us, and the guardian undoes the rest */
}

/* Waits until the process ends, a signal arrives, or there is nothing more to do. */
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

/* The command's exit status, as in a shell. */
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

/* From the first change to the last; the exit status, or negative. */
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
	struct run run = {.c = config, .pid_fd = -1, .signal_fd = -1};
	int r;

	run.facts.faults = run.faults;
	run.facts.n_faults = config->n_faults;
	r = prepare(&run, err);
	if (r >= 0)
		r = start(&run, err);
	if (r >= 0)
		r = go(&run, err);
	release(&run);
	return r;
}
