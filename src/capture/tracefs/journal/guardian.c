// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * guardian.c - the process that restores the tracing directory when its owner is killed.
 *
 *	owner ── pipe ──▶ guardian        a byte: all is done, exit;  end of file: the owner is dead
 *
 * The owner forks the guardian before the first change and before it starts threads. The guardian
 * leads its own session, so that neither a signal to the owner's process group nor the end of the
 * terminal reaches it. It ignores signals that ask it to end. It closes the owner's standard files
 * (a pipeline would wait for them) and leaves the owner's directory. It reads the journal, whose
 * lock it inherited, and undoes the changes. Changes that it cannot undo stay in the journal for
 * the next sonde.
 *
 * Only the owner has the writing end of the pipe. The end is close-on-exec, so that a command that
 * the owner runs does not keep it open.
 *
 * The owner changes nothing until the guardian has its own session: before that, a signal to the
 * process group would end both. A second pipe tells the owner that the session exists: only the
 * guardian has the writing end of this pipe, and closes it together with all other files.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "capture/tracefs/journal/journal_int.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define REMOVE_PATIENCE_S 60 /* number of tries; each takes a second while the instance is in use */

static void leave_the_owner(int *pipe_fd, int *journal_fd)
{
	static const int ignored[] = {SIGINT,  SIGTERM, SIGHUP,	 SIGQUIT,
				      SIGPIPE, SIGTSTP, SIGUSR1, SIGUSR2};
	int null = open("/dev/null", O_RDWR);

	setsid();
	for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
		signal(ignored[i], SIG_IGN);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	/* move both above any low number first, so that 3 and 4 are free */
	*pipe_fd = dup2(fcntl(*pipe_fd, F_DUPFD, 64), 3);
	*journal_fd = dup2(fcntl(*journal_fd, F_DUPFD, 64), 4);
	close_range(5, ~0u, 0);
	if (chdir("/"))
		_exit(1);
	prctl(PR_SET_NAME, "sonde guardian");
}

/* Waits for the owner. Returns true if the owner died without sending a byte. */
static bool wait_for_end(int pipe_fd)
{
	char word;
	ssize_t n;

	do
		n = read(pipe_fd, &word, 1);
	while (n < 0 && errno == EINTR);
	return n <= 0;
}

static void guard(struct journal *j, int pipe_fd)
{
	struct errmsg ignored = {0};
	struct notes notes;
	int fd = j->fd;

	leave_the_owner(&pipe_fd, &fd);
	if (wait_for_end(pipe_fd) && notes_read(fd, &notes) >= 0) {
		int r = notes_undo(&j->t, &notes, &ignored);

		/*
		 * another process may have a file of the instance open, for example a command that
		 * writes marks
		 */
		for (int i = 0; r < 0 && i < REMOVE_PATIENCE_S; i++)
			r = notes_remove(&j->t, &notes, &ignored);
		journal_leave(&notes, j->path);
	}
	_exit(0);
}

static void close_pipe(int *ends)
{
	close(ends[0]);
	close(ends[1]);
}

int guardian_start(struct journal *j, struct errmsg *err)
{
	int ends[2], ready[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return errmsg_set_errno(err, -errno, "cannot begin");
	if (pipe2(ready, O_CLOEXEC)) {
		close_pipe(ends);
		return errmsg_set_errno(err, -errno, "cannot begin");
	}
	pid = fork();
	if (pid < 0) {
		close_pipe(ends);
		close_pipe(ready);
		return errmsg_set_errno(err, -errno, "cannot start the guardian process");
	}
	if (!pid) {
		close(ends[1]);
		guard(j, ends[0]);
	}
	close(ends[0]);
	close(ready[1]);
	wait_for_end(ready[0]);
	close(ready[0]);
	j->guardian = pid;
	j->pipe = ends[1];
	return 0;
}

void guardian_stop(struct journal *j)
{
	if (j->guardian <= 0)
		return;
	if (write(j->pipe, "d", 1) != 1)
		kill(j->guardian, SIGKILL); /* the guardian has died or does not react */
	close(j->pipe);
	while (waitpid(j->guardian, NULL, 0) < 0 && errno == EINTR)
		;
	j->guardian = 0;
}

int journal_guardian(const struct journal *j)
{
	return (int)j->guardian;
}
