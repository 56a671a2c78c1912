// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * viewlive.c - a recording that goes on while it is looked at.
 *
 *	server                            keeper                      recorder
 *	  fork ───────────────────────────▶ fork ──────────────────────▶ `sonde record` (root)
 *	  waits for the file              waits for either
 *	  drops rights, serves
 *	  closes the pipe ────────────────▶ SIGTERM ───────────────────▶ finishes the file
 *	  waits for the keeper ◀──────────  removes temporary files
 *
 * Recording needs root, serving must not have it, so they are processes of their own; and a server
 * that has dropped its rights can neither signal the recorder nor remove its files, so there is a
 * keeper between them. If the server dies the pipe closes as well. If the recorder ends by itself
 * (its command ended), the file stays until the server ends.
 *
 * The file stands under its name when the recorder has begun, in place of what was there before; so
 * another inode tells that it is the new one. Locks on it tell whether it is still
 * recorded, and when its data must not be read (livefile.h).
 */
#include "cli/viewlive.h"
#include "base/caller.h"
#include "base/errmsg.h"
#include "cli/recordrun.h"
#include "store/livefile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIVE_NAME "live.dat"
#define POLL_MS	  50
#define BEGIN_MS  120000 /* a tracer for all functions takes half a minute in a slow machine */

/* --- the two processes ------------------------------------------------------------------------- */

static int status_of(int wait_status)
{
	return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 1;
}

static int run_recorder(struct record_options *o, char **argv)
{
	struct errmsg err = {0};
	int r;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	setpgid(0,
		0); /* Ctrl-C comes through the keeper, once: a second one would end us at once */
	r = record_run(o, argv, &err);
	if (r < 0)
		fprintf(stderr, "sonde: %s\n", err.code ? err.text : strerror(-r));
	fflush(NULL);
	return r < 0 ? 1 : r;
}

static void remove_temporary(const struct viewlive *lv)
{
	if (!lv->temp_dir)
		return;
	unlinkat(lv->dir, LIVE_NAME, 0);
	rmdir(lv->temp_dir); /* does not follow a link, and removes only what is empty */
}

/* Until the server lets go, or the recorder failed. */
static int keep(const struct viewlive *lv, pid_t recorder, int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	bool is_running = true;
	int status = 0;

	/* Ctrl-C goes to all of us; the recorder's end is what counts here */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	while (poll(&p, 1, POLL_MS) <= 0) {
		if (!is_running || waitpid(recorder, &status, WNOHANG) != recorder)
			continue;
		is_running = false;
		if (status_of(status))
			break;
	}
	if (is_running) {
		kill(recorder, SIGTERM);
		while (waitpid(recorder, &status, 0) < 0 && errno == EINTR)
			;
	}
	remove_temporary(lv);
	return status_of(status);
}

static int start_keeper(struct viewlive *lv, struct record_options *o, char **argv,
			struct errmsg *err)
{
	int fds[2], server = (int)getpid();

	if (pipe2(fds, O_CLOEXEC) < 0)
		return errmsg_set_errno(err, -errno, "cannot record");
	fflush(NULL);
	lv->keeper = fork();
	if (!lv->keeper) {
		pid_t recorder = fork();

		close(fds[1]);
		if (!recorder) {
			plan_add_own(&o->plan, server);
			plan_add_own(&o->plan, (int)getppid());
			_exit(run_recorder(o, argv));
		}
		_exit(recorder < 0 ? 1 : keep(lv, recorder, fds[0]));
	}
	close(fds[0]);
	lv->hold = fds[1];
	return lv->keeper < 0 ? errmsg_set_errno(err, -errno, "cannot record") : 0;
}

/* --- the file ---------------------------------------------------------------------------------- */

/*
 * In a directory of its own. It stays ours also if another user will serve the file: whoever can
 * write there could put a link in root's way. That user gets the file alone, and may pass through.
 */
static int make_temporary(struct viewlive *lv, struct errmsg *err)
{
	const char *place = caller_is_secure() ? NULL : getenv("TMPDIR");
	struct caller c;
	struct stat st;

	if (asprintf(&lv->temp_dir, "%s/sonde-live-XXXXXX",
		     place && place[0] == '/' ? place : "/tmp") < 0) {
		lv->temp_dir = NULL;
		return errmsg_set_errno(err, -ENOMEM, "cannot record");
	}
	if (!mkdtemp(lv->temp_dir)) {
		int code = -errno;

		errmsg_set_errno(err, code, "cannot make %s", lv->temp_dir);
		free(lv->temp_dir);
		lv->temp_dir = NULL;
		return code;
	}
	lv->dir = open(lv->temp_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (lv->dir < 0 || fstat(lv->dir, &st) < 0 ||
	    (caller_find(&c) && fchmod(lv->dir, 0711) < 0))
		return errmsg_set_errno(err, -errno, "cannot use %s", lv->temp_dir);
	if (st.st_uid != geteuid())
		return errmsg_set(err, -EPERM, "somebody has replaced %s", lv->temp_dir);
	if (asprintf(&lv->path, "%s/" LIVE_NAME, lv->temp_dir) < 0) {
		lv->path = NULL;
		return errmsg_set_errno(err, -ENOMEM, "cannot record");
	}
	return 0;
}

/* Does the path name another file than it did? */
static bool is_new(const char *path, const struct stat *before)
{
	struct stat now;

	return stat(path, &now) == 0 && now.st_size &&
	       (now.st_ino != before->st_ino || now.st_dev != before->st_dev);
}

/* 0: it stands. -ECANCELED: the recorder failed, and has said why. */
static int wait_for_file(struct viewlive *lv, const struct stat *before, struct errmsg *err)
{
	for (int ms = 0; ms < BEGIN_MS; ms += POLL_MS) {
		int status;

		if (is_new(lv->path, before))
			return 0;
		if (waitpid(lv->keeper, &status, WNOHANG) == lv->keeper) {
			lv->keeper = 0;
			lv->status = status_of(status);
			return -ECANCELED;
		}
		usleep(POLL_MS * 1000);
	}
	return errmsg_set(err, -ETIMEDOUT, "the recording does not begin");
}

static void open_lock(struct viewlive *lv)
{
	lv->lock = open(lv->path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (lv->lock < 0)
		lv->lock = open(lv->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* The file that only we could make; who called sudo will serve it. */
static int give_away(struct viewlive *lv, struct errmsg *err)
{
	struct caller c;
	struct stat st;

	lv->lock = openat(lv->dir, LIVE_NAME, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (lv->lock < 0 || fstat(lv->lock, &st) < 0 ||
	    (st.st_uid == geteuid() && caller_find(&c) && fchown(lv->lock, c.uid, c.gid) < 0))
		return errmsg_set_errno(err, -errno, "cannot open %s", lv->path);
	return 0;
}

int viewlive_record(struct viewlive *lv, struct record_options *o, char **argv, struct errmsg *err)
{
	struct record_options with = *o;
	struct stat before = {0};
	int r = 0;

	*lv = (struct viewlive){.hold = -1, .lock = -1, .dir = -1};
	if (o->output) {
		lv->path = strdup(o->output);
		r = lv->path ? 0 : errmsg_set_errno(err, -ENOMEM, "cannot record");
	} else {
		r = make_temporary(lv, err);
	}
	if (r < 0)
		return r;
	with.output = lv->path;
	if (stat(lv->path, &before) < 0)
		before = (struct stat){0};
	r = start_keeper(lv, &with, argv, err);
	if (r >= 0)
		r = wait_for_file(lv, &before, err);
	if (r >= 0 && lv->temp_dir)
		r = give_away(lv, err);
	else if (r >= 0)
		open_lock(lv);
	return r;
}

int viewlive_follow(struct viewlive *lv, const char *path, struct errmsg *err)
{
	struct stat st;

	*lv = (struct viewlive){.hold = -1, .lock = -1, .dir = -1, .path = strdup(path)};
	if (!lv->path)
		return errmsg_set_errno(err, -ENOMEM, "cannot follow %s", path);
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) /* a pipe would wait for itself */
		return errmsg_set(err, -EINVAL,
				  "%s is not an ordinary file: --live follows only those", path);
	open_lock(lv);
	return lv->lock < 0 ? errmsg_set_errno(err, -errno, "cannot open %s", path) : 0;
}

bool viewlive_begin(struct viewlive *lv, bool *ret_is_on)
{
	*ret_is_on = lv->lock >= 0 && livefile_ask(lv->lock) != LIVEFILE_DONE;
	if (!*ret_is_on)
		return true;
	if (livefile_hold(lv->lock))
		return true;
	livefile_let_go(lv->lock);
	return false;
}

void viewlive_done(struct viewlive *lv)
{
	if (lv->lock >= 0)
		livefile_let_go(lv->lock);
}

int viewlive_end(struct viewlive *lv)
{
	int status;

	if (lv->hold >= 0)
		close(lv->hold);
	if (lv->keeper > 0) {
		while (waitpid(lv->keeper, &status, 0) < 0 && errno == EINTR)
			;
		lv->status = status_of(status);
	}
	if (lv->lock >= 0)
		close(lv->lock);
	if (lv->dir >= 0)
		close(lv->dir);
	free(lv->path);
	free(lv->temp_dir);
	status = lv->status;
	*lv = (struct viewlive){.hold = -1, .lock = -1, .dir = -1};
	return status;
}
