// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * background.c - forks, and lets the first process wait until the second has begun its work.
 *
 *	first    fork ─ waits on a pipe ─────────── a byte: exit 0;  the pipe's end: the second
 *	                                                             one's status
 *	second   setsid ─ sets everything up ─ a byte, standard files to /dev/null ─ works
 *
 * The second process leads a session of its own, so the end of the terminal does not reach it.
 */
#include "cli/record/background.h"

#include "base/errmsg.h"
#include "base/files/outplace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int wait_for(pid_t pid, int fd)
{
	int status = 0;
	char word;
	ssize_t n;

	do
		n = read(fd, &word, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1)
		return 0;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : 1;
}

int background_start(struct background *bg, const char *pid_file, int *ret_status,
		     struct errmsg *err)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return errmsg_set_errno(err, -errno, "cannot go to the background");
	fflush(NULL); /* otherwise both processes would write it */
	pid = fork();
	if (pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return errmsg_set_errno(err, -errno, "cannot go to the background");
	}
	if (pid) {
		close(ends[1]);
		*ret_status = wait_for(pid, ends[0]);
		close(ends[0]);
		return 1;
	}
	close(ends[0]);
	setsid();
	*bg = (struct background){ends[1], pid_file};
	return 0;
}

/* Writes the pid, so that the user can end the process; a failure is ignored. */
static void write_pid(const char *path)
{
	struct errmsg ignored = {0};
	int fd = outplace_open_file(path, OUTPLACE_WRITE, &ignored);

	if (fd < 0)
		return;
	fchmod(fd, 0644); /* a process number is no secret */
	dprintf(fd, "%d\n", (int)getpid());
	close(fd);
}

void background_ready(struct background *bg)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (bg->pid_file)
		write_pid(bg->pid_file);
	fflush(NULL);
	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
	(void)!write(bg->fd, "r", 1);
	close(bg->fd);
	bg->fd = -1;
}

void background_end(struct background *bg)
{
	if (bg->fd >= 0)
		close(bg->fd);
	else if (bg->pid_file)
		outplace_unlink(bg->pid_file);
}
