// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * growing.c - runs a recording that continues while the viewer shows it.
 *
 *	server                            keeper                      recorder
 *	  fork ───────────────────────────▶ fork ──────────────────────▶ `sonde record` (root)
 *	  drops rights                    waits for both
 *	  waits for the file, serves
 *	  closes the pipe ────────────────▶ SIGTERM ───────────────────▶ finishes the file
 *	  waits for the keeper ◀──────────  removes temporary files
 *
 * Recording needs root's rights, and serving must not have them, so they are separate processes. A
 * server without root's rights can neither signal the recorder nor remove its files, so there is a
 * keeper between them. The pipe also closes if the server dies. If the recorder ends by itself (its
 * command ended), the file stays until the server ends.
 *
 * The recorder creates the file under its name when it starts and replaces an earlier one, so a new
 * inode means that the file exists. Under sudo that directory often belongs to the caller, who can
 * put a link to any file there at any moment. So the server gives up root's rights before it opens
 * the path. Only the file of a temporary directory, which is root's, is opened before that, and
 * given to the caller. Locks on the file show whether it is still being recorded, and when its data
 * must not be read (livefile.h).
 */
#include "live/growing.h"
#include "base/scope.h"
#include "base/files/caller.h"
#include "base/errmsg.h"
#include "base/files/outplace.h"
#include "capture/plan.h"
#include "store/live/livefile.h"

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
#define BEGIN_MS  120000 /* a tracer for all functions takes half a minute on a slow machine */

/* --- the two processes ------------------------------------------------------------------------ */

static int status_of(int wait_status)
{
	return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 1;
}

static int run_recorder(struct live_request *o, char **argv,
			int (*record)(struct live_request *o, char **argv))
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* the keeper forwards one Ctrl-C; a second one would end the recorder at once */
	setpgid(0, 0);
	return record(o, argv);
}

static void remove_temporary(const struct growing *lv)
{
	if (!lv->temp_dir)
		return;
	unlinkat(lv->dir, LIVE_NAME, 0);
	/* rmdir() does not follow a link, and removes only an empty directory */
	rmdir(lv->temp_dir);
}

/* Waits until the server ends, or the recorder fails. */
static int keep(const struct growing *lv, pid_t recorder, int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	bool is_running = true;
	int status = 0;

	/* Ctrl-C reaches all processes; the keeper waits for the end of the recorder */
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

static int start_keeper(struct growing *lv, struct live_request *o, char **argv,
			int (*record)(struct live_request *o, char **argv), struct errmsg *err)
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
			_exit(run_recorder(o, argv, record));
		}
		_exit(recorder < 0 ? 1 : keep(lv, recorder, fds[0]));
	}
	close(fds[0]);
	lv->hold = fds[1];
	return lv->keeper < 0 ? errmsg_set_errno(err, -errno, "cannot record") : 0;
}

/* --- the file --------------------------------------------------------------------------------- */

/*
 * Makes a temporary file in a separate directory. The directory stays ours even if another user
 * serves the file, because a user who can write there could place a link for root to follow. That
 * user gets only the file, and may enter the directory.
 */
static int make_temporary(struct growing *lv, struct errmsg *err)
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
	if (lv->dir < 0 || fstat(lv->dir, &st) < 0)
		return errmsg_set_errno(err, -errno, "cannot use %s", lv->temp_dir);
	if (st.st_uid != geteuid())
		return errmsg_set(err, -EPERM, "somebody has replaced %s", lv->temp_dir);
	if (caller_find(&c) && fchmod(lv->dir, 0711) < 0)
		return errmsg_set_errno(err, -errno, "cannot use %s", lv->temp_dir);
	if (asprintf(&lv->path, "%s/" LIVE_NAME, lv->temp_dir) < 0) {
		lv->path = NULL;
		return errmsg_set_errno(err, -ENOMEM, "cannot record");
	}
	return 0;
}

/*
 * Checks that the caller may write to the path. If not, the recorder would create a file of root,
 * which the server cannot read.
 */
static int check_place(const char *path, struct errmsg *err)
{
	struct outplace p;
	struct caller c;
	bool is_callers;
	int r = caller_find(&c) ? outplace_open(&p, path, OUTPLACE_REPLACE, err) : 1;

	if (r)
		return r < 0 ? r : 0;
	is_callers = p.as_caller;
	outplace_close(&p);
	return is_callers
		       ? 0
		       : errmsg_set(err, -EACCES,
				    "user %u, who serves the recording, may not write %s: use -o "
				    "with a file in a directory of that user, or leave -o out",
				    (unsigned)c.uid, path);
}

/*
 * Stores which file the path names, with the caller's rights: the path may be a link of the
 * caller's.
 */
static void keep_old(struct growing *lv)
{
	struct caller_scope scope;
	struct stat st;

	caller_enter(&scope);
	if (stat(lv->path, &st) == 0) {
		lv->old_dev = st.st_dev;
		lv->old_ino = st.st_ino;
	}
	caller_leave(&scope);
}

static int open_file(const struct growing *lv)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

	return lv->temp_dir ? openat(lv->dir, LIVE_NAME, flags | O_NOFOLLOW)
			    : open(lv->path, flags);
}

/* Returns 1 if the new file was opened, as lv->lock; 0 if the path does not name a new file yet. */
static int try_new(struct growing *lv, struct errmsg *err)
{
	int fd = open_file(lv);
	struct stat now;

	if (fd < 0 && errno == EACCES)
		return errmsg_set(err, -EACCES,
				  "user %u may not read %s: use -o with a file in a directory "
				  "that only that user can write, or leave -o out",
				  (unsigned)geteuid(), lv->path);
	if (fd < 0)
		return 0;
	if (fstat(fd, &now) < 0 || !S_ISREG(now.st_mode) || !now.st_size ||
	    (now.st_ino == lv->old_ino && now.st_dev == lv->old_dev)) {
		close(fd);
		return 0;
	}
	lv->lock = fd;
	return 1;
}

int growing_wait(struct growing *lv, struct errmsg *err)
{
	if (lv->lock >= 0)
		return 0;
	for (int ms = 0; ms < BEGIN_MS; ms += POLL_MS) {
		int status, r = try_new(lv, err);

		if (r)
			return r < 0 ? r : 0;
		if (waitpid(lv->keeper, &status, WNOHANG) == lv->keeper) {
			lv->keeper = 0;
			lv->status = status_of(status);
			return -ECANCELED;
		}
		usleep(POLL_MS * 1000);
	}
	return errmsg_set(err, -ETIMEDOUT, "the recording does not begin");
}

/*
 * Gives the file, which only root could create, to the user who called sudo and who will serve it.
 */
static int give_away(struct growing *lv, struct errmsg *err)
{
	struct caller c;
	struct stat st;

	if (fstat(lv->lock, &st) < 0 ||
	    (st.st_uid == geteuid() && caller_find(&c) && fchown(lv->lock, c.uid, c.gid) < 0))
		return errmsg_set_errno(err, -errno, "cannot open %s", lv->path);
	return 0;
}

int growing_record(struct growing *lv, struct live_request *o, char **argv,
		   int (*record)(struct live_request *o, char **argv), struct errmsg *err)
{
	struct live_request with = *o;
	int r = 0;

	*lv = GROWING_NONE;
	if (o->output) {
		lv->path = strdup(o->output);
		r = lv->path ? check_place(lv->path, err)
			     : errmsg_set_errno(err, -ENOMEM, "cannot record");
	} else {
		r = make_temporary(lv, err);
	}
	TRY(r);
	with.output = lv->path;
	keep_old(lv);
	r = start_keeper(lv, &with, argv, record, err);
	if (r >= 0 && lv->temp_dir)
		r = growing_wait(lv, err);
	return r >= 0 && lv->temp_dir ? give_away(lv, err) : r;
}

int growing_follow(struct growing *lv, const char *path, struct errmsg *err)
{
	struct stat st;

	*lv = GROWING_NONE;
	lv->path = strdup(path);
	if (!lv->path)
		return errmsg_set_errno(err, -ENOMEM, "cannot follow %s", path);
	lv->lock = open_file(lv);
	if (lv->lock < 0 || fstat(lv->lock, &st) < 0)
		return errmsg_set_errno(err, -errno, "cannot open %s", path);
	if (!S_ISREG(st.st_mode)) /* opening a pipe would block */
		return errmsg_set(err, -EINVAL,
				  "%s is not an ordinary file: --live follows only those", path);
	return 0;
}

bool growing_begin(struct growing *lv, bool *ret_is_on)
{
	*ret_is_on = lv->lock >= 0 && livefile_ask(lv->lock) != LIVEFILE_DONE;
	if (!*ret_is_on)
		return true;
	if (livefile_hold(lv->lock))
		return true;
	livefile_let_go(lv->lock);
	return false;
}

void growing_done(struct growing *lv)
{
	if (lv->lock >= 0)
		livefile_let_go(lv->lock);
}

int growing_end(struct growing *lv)
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
	*lv = GROWING_NONE;
	return status;
}
