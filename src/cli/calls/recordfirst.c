// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recordfirst.c - runs `sonde record` on a command and waits for it.
 *
 * Ctrl-C goes to all processes of the terminal: the recorder ends its recording, and this process
 * waits for it and goes on with what was recorded.
 */
#include "cli/calls/recordfirst.h"

#include "base/errmsg.h"
#include "base/files/caller.h"
#include "base/scope.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int recordfirst_make_dir(char *template)
{
	struct caller_scope scope;
	int r;

	caller_enter(&scope);
	r = mkdtemp(template) ? 0 : -errno;
	caller_leave(&scope);
	return r;
}

static int make_place(struct recordfirst *rf, struct errmsg *err)
{
	const char *tmp = getenv("TMPDIR");
	int r;

	snprintf(rf->dir, sizeof(rf->dir), "%.200s/sonde-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	r = recordfirst_make_dir(rf->dir);
	if (r < 0) {
		errmsg_set_errno(err, r, "cannot make a directory like %s", rf->dir);
		rf->dir[0] = '\0';
		return r;
	}
	snprintf(rf->path, sizeof(rf->path), "%s/trace.dat", rf->dir);
	return 0;
}

void recordfirst_remove(struct recordfirst *rf)
{
	struct caller_scope scope;

	if (!rf->dir[0])
		return;
	caller_enter(
		&scope); /* the directory is the caller's, who may have put a link in its place */
	unlink(rf->path);
	rmdir(rf->dir);
	caller_leave(&scope);
	rf->dir[0] = '\0';
}

static void run_record(const struct recordfirst *rf, int n_words, char **words)
{
	char **argv = calloc((size_t)n_words + 6, sizeof(*argv));
	char text_record[] = "record", text_output[] = "-o", text_user[] = "-u", name[] = "sonde";
	int n = 0;

	if (!argv)
		_exit(126);
	argv[n++] = name;
	argv[n++] = text_record;
	argv[n++] = text_output;
	argv[n++] = (char *)rf->path;
	if (words[0][0] != '-')
		argv[n++] = text_user;
	for (int i = 0; i < n_words; i++)
		argv[n++] = words[i];
	execv("/proc/self/exe", argv);
	_exit(126);
}

static int wait_for(pid_t pid)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, kept_int, kept_quit;
	int status = 0;

	sigaction(SIGINT, &ignore, &kept_int);
	sigaction(SIGQUIT, &ignore, &kept_quit);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &kept_int, NULL);
	sigaction(SIGQUIT, &kept_quit, NULL);
	return status;
}

/* record ends with the command's status, and with 128 + SIGNAL if a signal killed it. */
static int command_status(int status)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;

	return code > 128 && code <= 128 + SIGRTMAX ? code - 128 : status;
}

int recordfirst_run(struct recordfirst *rf, int n_words, char **words, struct errmsg *err)
{
	pid_t pid;
	int status;

	if (!n_words)
		return errmsg_set(err, -EINVAL, "--record needs a command to record");
	TRY(make_place(rf, err));
	fflush(NULL);
	pid = fork();
	if (!pid)
		run_record(rf, n_words, words);
	status = pid > 0 ? wait_for(pid) : 0;
	rf->wait_status = command_status(status);
	if (pid > 0 && !access(rf->path, F_OK))
		return 0;
	recordfirst_remove(rf);
	if (pid < 0)
		return errmsg_set_errno(err, -errno, "cannot start the recording");
	return errmsg_set(err, -EIO, "nothing was recorded: sonde record ended with status %d",
			  WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}
