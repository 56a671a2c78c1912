// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * browser.c - starts the browser through a file that redirects it, and removes that file
 * afterwards.
 *
 *	server                       keeper
 *	  prepare: fork ──────────────▶ waits
 *	  drops rights, serves
 *	  start: a byte ──────────────▶ writes DIR/open.html (0600), runs xdg-open DIR/open.html
 *	  end, or killed: pipe closes ▶ removes both
 *
 * The address contains the token, which gives access to the whole trace. Every user can see the
 * arguments of a program (ps). So xdg-open gets the name of a file that only this user can read,
 * and that redirects the browser. Jupyter does the same. The directory (mkdtemp, 0700) is in
 * $XDG_RUNTIME_DIR if that is private, otherwise in $TMPDIR or /tmp.
 *
 * The server cannot start programs or remove files once it is in its sandbox; so a child, the
 * keeper, does both. The keeper has its own session, so that Ctrl-C does not reach it, and holds
 * none of the server's resources.
 */
#include "view/serve/browser.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_NAME "open.html"

/* --- the keeper ------------------------------------------------------------------------------- */

struct redirect {
	char dir[4000], path[4096];
	int fd; /* descriptor of dir; -1: none */
};

static bool is_private(const char *dir)
{
	struct stat st;

	return dir && dir[0] == '/' && stat(dir, &st) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid() && !(st.st_mode & 077);
}

static bool make_dir(struct redirect *rd)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR"), *temp = getenv("TMPDIR");
	const char *place = is_private(runtime) ? runtime : temp && temp[0] == '/' ? temp : "/tmp";

	if (snprintf(rd->dir, sizeof(rd->dir), "%s/sonde-view-XXXXXX", place) >=
		    (int)sizeof(rd->dir) ||
	    !mkdtemp(rd->dir))
		return false;
	snprintf(rd->path, sizeof(rd->path), "%s/" FILE_NAME, rd->dir);
	rd->fd = open(rd->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return rd->fd >= 0;
}

/* Writes the page. The address contains only letters, digits and :/. */
static bool write_page(const struct redirect *rd, const char *address)
{
	int fd = openat(rd->fd, FILE_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);
	int n = fd < 0 ? -1
		       : dprintf(fd,
				 "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
				 "<meta name=\"referrer\" content=\"no-referrer\">\n"
				 "<meta http-equiv=\"refresh\" content=\"0;url=%s\">\n"
				 "<title>sonde</title>\n"
				 "<p><a href=\"%s\">The trace</a>\n",
				 address, address);

	if (fd >= 0)
		close(fd);
	return n > 0;
}

static void redirect_remove(struct redirect *rd)
{
	if (rd->fd < 0)
		return;
	unlinkat(rd->fd, FILE_NAME, 0);
	rmdir(rd->dir);
	close(rd->fd);
	rd->fd = -1;
}

static void run_browser(const char *path)
{
	sigset_t none;

	if (fork())
		return;
	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	execlp("xdg-open", "xdg-open", path, NULL);
	_exit(127);
}

/* Reads a byte. Returns false if the server has ended. */
static bool wait_for_server(int fd)
{
	char go;
	ssize_t n;

	do
		n = read(fd, &go, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

static void leave_the_server(int *fd)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP};
	int null = open("/dev/null", O_RDWR);

	setsid();
	for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGCHLD, SIG_IGN); /* the keeper does not wait for the browser */
	for (int i = 0; i < 3 && null >= 0; i++)
		dup2(null, i);
	*fd = dup2(fcntl(*fd, F_DUPFD, 64), 3);
	fcntl(*fd, F_SETFD, FD_CLOEXEC);
	close_range(4, ~0u, 0);
}

static void keep(int fd, const char *address)
{
	struct redirect rd = {.fd = -1};

	leave_the_server(&fd);
	if (wait_for_server(fd)) {
		if (make_dir(&rd) && write_page(&rd, address))
			run_browser(rd.path);
		wait_for_server(fd);
		redirect_remove(&rd);
	}
	_exit(0);
}

/* --- the server ------------------------------------------------------------------------------- */

/* Returns true if there is a display and the user is not root. */
static bool is_wanted(void)
{
	const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");

	return geteuid() != 0 && ((x && x[0]) || (wayland && wayland[0]));
}

void viewbrowser_prepare(struct viewbrowser *b, const char *address)
{
	int fds[2];

	*b = (struct viewbrowser){.fd = -1};
	if (!is_wanted() || pipe2(fds, O_CLOEXEC) < 0)
		return;
	fflush(NULL);
	b->pid = fork();
	if (!b->pid) {
		close(fds[1]);
		keep(fds[0], address);
	}
	close(fds[0]);
	if (b->pid < 0)
		close(fds[1]);
	else
		b->fd = fds[1];
}

int viewbrowser_start(struct viewbrowser *b)
{
	return b->fd >= 0 && write(b->fd, "g", 1) != 1 ? -EPIPE : 0;
}

void viewbrowser_end(struct viewbrowser *b)
{
	if (b->fd < 0)
		return;
	close(b->fd);
	while (waitpid(b->pid, NULL, 0) < 0 && errno == EINTR)
		;
	b->fd = -1;
}
