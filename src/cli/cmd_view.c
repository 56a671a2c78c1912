// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_view.c - `sonde view`: serves a trace to a browser on this machine until Ctrl-C.
 *
 *	listen ─▶ a child that will start the browser ─▶ open the files ─▶ drop rights ─▶ serve
 *
 * The order is for safety. What can be opened is restricted before threads exist, so the socket and
 * the cache come first; the browser is started by a child that was forked before, as the server itself
 * cannot start programs any more. Started by sudo, the server becomes the user who called it as soon
 * as the files are open; as root otherwise it keeps its id, without any capability.
 *
 * The address goes to standard output, when requests are answered; everything else to standard error.
 */
#include "cli/command.h"
#include "cli/viewcache.h"
#include "cli/viewtrace.h"
#include "view/httpd.h"
#include "view/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct view_options {
	long long port;
	const char *token, *cache_dir;
	bool no_browser, no_cache, beside, no_sandbox;
};

#define AT(member) offsetof(struct view_options, member)

static const struct option_row rows[] = {
	{OPTION_NUMBER, 'p', "port", "N",
	 "listen on this port of 127.0.0.1; else on any that is free", .offset = AT(port)},
	{OPTION_FLAG, 0, "no-browser", .help = "only print the address, start no browser",
	 .offset = AT(no_browser)},
	{OPTION_STRING, 0, "token", "HEX",
	 "32 hex digits instead of random ones, for an address that stays the same",
	 .offset = AT(token)},
	{OPTION_HEADING, .help = "the index"},
	{OPTION_STRING, 0, "cache-dir", "DIR",
	 "keep the index there, not in $XDG_CACHE_HOME/sonde or ~/.cache/sonde",
	 .offset = AT(cache_dir), .complete = "dir"},
	{OPTION_FLAG, 0, "beside", .help = "keep the index in the directory of the first FILE",
	 .offset = AT(beside)},
	{OPTION_FLAG, 0, "no-cache", .help = "keep no index for the next time",
	 .offset = AT(no_cache)},
	{OPTION_FLAG, 0, "no-sandbox", .help = "keep all rights (to debug the program itself)",
	 .offset = AT(no_sandbox), .hidden = true},
	{OPTION_END},
};

/* --- rights ------------------------------------------------------------------------------------ */

/* Who called sudo; false: nobody did. */
static bool find_caller(uid_t *ret_uid, gid_t *ret_gid)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");

	if (geteuid() != 0 || !uid || !gid || !uid[0] || !gid[0] ||
	    uid[strspn(uid, "0123456789")] || gid[strspn(gid, "0123456789")])
		return false;
	*ret_uid = strtoul(uid, NULL, 10);
	*ret_gid = strtoul(gid, NULL, 10);
	return *ret_uid != 0;
}

static int drop_rights(struct errmsg *err)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {0};
	uid_t uid;
	gid_t gid;

	if (find_caller(&uid, &gid)) {
		if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 ||
		    setresuid(uid, uid, uid) < 0)
			return errmsg_set_errno(err, -errno, "cannot become user %u",
						(unsigned)uid);
		fprintf(stderr, "sonde: serving as user %u, no longer as root\n", (unsigned)uid);
	}
	if (syscall(SYS_capset, &head, none) < 0)
		return errmsg_set_errno(err, -errno, "cannot give up capabilities");
	return 0;
}

/* Pipes are read whole, into files without a name; what is no file at all is told when it is opened. */
static bool are_files(const char *const *paths, size_t n)
{
	struct stat st;

	for (size_t i = 0; i < n; i++)
		if (stat(paths[i], &st) == 0 && !S_ISREG(st.st_mode))
			return false;
	return true;
}

/* --- the browser ------------------------------------------------------------------------------- */

/* Is there a screen, and somebody who is not root in front of it? */
static bool browser_is_wanted(const struct view_options *o)
{
	const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");

	return !o->no_browser && geteuid() != 0 && ((x && x[0]) || (wayland && wayland[0]));
}

static void run_browser(int fd, const char *address)
{
	int null = open("/dev/null", O_RDWR);
	char go;

	if (read(fd, &go, 1) == 1) {
		setsid();
		for (int i = 0; i < 3 && null >= 0; i++)
			dup2(null, i);
		execlp("xdg-open", "xdg-open", address, NULL);
	}
	_exit(0);
}

/* A child that starts the browser when a byte comes through the returned pipe. -1: none. */
static int browser_prepare(const struct view_options *o, const char *address)
{
	int fds[2];
	pid_t pid;

	if (!browser_is_wanted(o) || pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		/* a grandchild, so that nobody has to wait for it */
		close(fds[1]);
		if (fork())
			_exit(0);
		run_browser(fds[0], address);
	}
	close(fds[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return fds[1];
}

static void browser_start(int fd)
{
	if (fd < 0)
		return;
	if (write(fd, "g", 1) != 1)
		fprintf(stderr, "sonde: no browser could be started\n");
	close(fd);
}

/* --- serving ----------------------------------------------------------------------------------- */

/* Until somebody ends it. */
static void wait_for_end(const sigset_t *ends)
{
	int sig;

	sigwait(ends, &sig);
}

static int serve(const struct view_options *o, struct viewtrace *vt, struct httpd *hd,
		 const char *cache, int browser, const sigset_t *ends, struct errmsg *err)
{
	int r = o->no_sandbox ? 0 : drop_rights(err);

	if (r >= 0 && !o->no_sandbox)
		r = sandbox_calls(cache, err);
	if (r >= 0)
		r = stage_start(vt->stage, cache, err);
	if (r >= 0)
		r = httpd_start(hd, vt->stage, err);
	if (r < 0)
		return r;
	printf("%s\n", httpd_address(hd));
	fflush(stdout);
	browser_start(browser);
	wait_for_end(ends);
	return 0;
}

static int view(const struct view_options *o, const char *const *paths, size_t n,
		struct errmsg *err)
{
	struct viewtrace vt = {0};
	struct httpd *hd = NULL;
	char *cache = NULL;
	sigset_t ends;
	int browser = -1, r;

	/* blocked in all threads, so that sigwait() gets them */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (!o->no_cache)
		cache = viewcache_dir(o->beside ? paths[0] : NULL, o->cache_dir);
	r = httpd_listen(&hd, o->port, o->token, err);
	if (r >= 0)
		browser = browser_prepare(o, httpd_address(hd));
	if (r >= 0 && !o->no_sandbox && are_files(paths, n))
		r = sandbox_paths(paths, n, cache, err);
	if (r >= 0)
		r = viewtrace_open(&vt, paths, n, false, err);
	if (r >= 0)
		r = serve(o, &vt, hd, cache, browser, &ends, err);
	httpd_stop(hd);
	viewtrace_close(&vt);
	free(cache);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	static const char *const first[] = {"trace.dat"};
	struct view_options o = {0};
	int n = command_parse(cmd, &o, argc, argv, err);

	if (n < 0)
		return n;
	if (o.port < 0 || o.port > 65535)
		return errmsg_set(err, -EINVAL, "--port is a number up to 65535");
	if (o.no_cache + o.beside + !!o.cache_dir > 1)
		return errmsg_set(err, -EINVAL,
				  "--no-cache, --cache-dir and --beside exclude each other");
	if (!n)
		return view(&o, first, 1, err);
	return view(&o, (const char *const *)argv + 1, n, err);
}

const struct command cmd_view = {
	.name = "view",
	.summary = "look at a trace in a browser",
	.usage = "[options] [FILE…]",
	.options = rows,
	.args_are_files = true,
	.run = run,
};
