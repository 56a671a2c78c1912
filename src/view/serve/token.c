// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * token.c - reads the token of the viewer's address.
 *
 * A user with the token can see the trace. So the file must belong to one user only. Under sudo it
 * is opened with the privileges of the calling user; otherwise a path could reveal a line of any of
 * root's files.
 */
#include "view/serve/token.h"

#include "base/errmsg.h"
#include "base/files/caller.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens a file with the caller's privileges only. */
static int open_as_caller(const char *path)
{
	struct caller_scope scope;
	struct caller c;
	int fd;

	if (!caller_enter(&scope) && caller_find(&c)) {
		errno = EPERM;
		return -1;
	}
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	caller_leave(&scope);
	return fd;
}

/* Reads the token from a file. A user who can read the file can see the trace. */
static int token_read_file(const char *path, char token[TOKEN_BYTES], struct errmsg *err)
{
	int fd = open_as_caller(path);
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0) {
		int r = errmsg_set_errno(err, -errno, "cannot read %s", path);

		if (fd >= 0)
			close(fd);
		return r;
	}
	n = S_ISREG(st.st_mode) && !(st.st_mode & 077) ? read(fd, token, TOKEN_BYTES - 1) : -1;
	close(fd);
	if (n < 0)
		return errmsg_set(
			err, -EPERM,
			"%s must be a regular file that only its owner can read; use chmod 600",
			path);
	token[n] = 0;
	token[strcspn(token, "\n")] = 0;
	return *token ? 0 : errmsg_set(err, -EINVAL, "%s has no token in its first line", path);
}

int token_take(char *word, const char *path, char token[TOKEN_BYTES], struct errmsg *err)
{
	*token = 0;
	if (word && path)
		return errmsg_set(err, -EINVAL, "--token and --token-file exclude each other");
	if (path)
		return token_read_file(path, token, err);
	if (!word)
		return 0;
	/* sudo's command line, its log and SUDO_COMMAND also contain the token */
	if (caller_is_raised())
		return errmsg_set(
			err, -EPERM,
			"--token can be seen in the command line of sudo; use --token-file");
	snprintf(token, TOKEN_BYTES, "%s", word);
	memset(word, 'x', strlen(word));
	return *token ? 0 : errmsg_set(err, -EINVAL, "--token is empty");
}
