// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * outplace.c - resolves a path to an open directory and a name in it, and opens files there.
 *
 *  /home/ann/link/trace.dat   open "/" ─ "home" ─ "ann" ─ "link": a link: check its owner, continue
 *                             from there ─ "trace.dat" is the last: stop
 *
 * Each step opens one name with O_PATH|O_NOFOLLOW, relative to the step before: so the checked
 * file is the one that is used, even if another process renames it in the meantime. A link is read
 * from its own descriptor. Directories need no check: a user who can put a directory there could
 * write there anyway.
 *
 * Root follows only links that belong to root: stricter than fs.protected_symlinks, which applies
 * only to sticky directories. For other users that setting is applied here, as these steps would
 * bypass it.
 *
 * Existing files that are written in place could be traps, too: a hard link to somebody's file, a
 * pipe, or a file in /tmp that another user can read. Root refuses these in directories where
 * others can write.
 *
 * A text does not overwrite a file that we read. A replaced file may be: its bytes stay until we
 * close it.
 *
 * Links in /proc/…/fd (/dev/stdout, >(…) of a shell) lead to open files, not to the names that
 * they show. Text output is written to those open files.
 */
#include "base/files/outplace.h"
#include "base/files/caller.h"
#include "base/errmsg.h"
#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MAX    40 /* the kernel's maximum */
#define HIDDEN_TRIES 16
#define NEW_MODE     0600
#define INPUT_FDS    512 /* number of descriptors to check; mapfile.c keeps none above it */

#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0x1000
#endif

struct walk {
	const char *shown; /* the path as the user wrote it */
	enum outplace_use use;
	bool is_for_root; /* the process is root, even if it uses the caller's rights */
	bool is_strict;	  /* root's rights are used: follow only root's links */
	uid_t uid;	  /* the user who follows links */
	char *rest;	  /* the rest of the path */
	int n_links;
	int dir;
	struct stat dir_st;
	char *name;
	bool exists, is_magic;
	struct stat st; /* valid if the file exists */
};

/*
 * --- the walk ----------------------------------------------------------------------------------
 */

static bool is_shared(const struct stat *dir)
{
	return (dir->st_mode & S_ISVTX) && (dir->st_mode & 022);
}

/* Returns true if only root and this user can create files in the directory. */
static bool is_safe_dir(const struct walk *w)
{
	const struct stat *st = &w->dir_st;

	return (st->st_uid == w->uid || !st->st_uid) && !(st->st_mode & 022);
}

static int check_link(const struct walk *w, const struct stat *link, struct errmsg *err)
{
	bool is_mine = link->st_uid == w->uid || !link->st_uid;

	if (is_mine ||
	    (!w->is_strict && (!is_shared(&w->dir_st) || link->st_uid == w->dir_st.st_uid)))
		return 0;
	return errmsg_set(err, -EACCES,
			  "cannot write %s: '%s' is a symbolic link of user %u, which sonde "
			  "does not follow; name its target",
			  w->shown, w->name, (unsigned)link->st_uid);
}

static int enter_dir(struct walk *w, int fd)
{
	if (fd < 0)
		return -errno;
	if (w->dir >= 0)
		close(w->dir);
	w->dir = fd;
	return fstat(fd, &w->dir_st) < 0 ? -errno : 0;
}

/* Continues with the target of the link. */
static int follow(struct walk *w, int link)
{
	char to[PATH_MAX], *rest;
	ssize_t n = readlinkat(link, "", to, sizeof(to) - 1);

	if (n <= 0)
		return n ? -errno : -ENOENT;
	to[n] = 0;
	if (++w->n_links > LINKS_MAX)
		return -ELOOP;
	if (asprintf(&rest, "%s%s%s", to, *w->rest ? "/" : "", w->rest) < 0)
		return -ENOMEM;
	free(w->rest);
	w->rest = rest;
	return *to == '/' ? enter_dir(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) : 0;
}

/* Returns true for a link to an open file instead of a name. */
static bool is_magic(const struct walk *w)
{
	struct statfs fs;

	return (w->use == OUTPLACE_WRITE || w->use == OUTPLACE_APPEND) &&
	       fstatfs(w->dir, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* Takes the next name from the path. Returns 1, or 0 if there is none. */
static int next_name(struct walk *w)
{
	size_t skip = strspn(w->rest, "/"), n = strcspn(w->rest + skip, "/");

	if (!n)
		return 0;
	free(w->name);
	w->name = strndup(w->rest + skip, n);
	memmove(w->rest, w->rest + skip + n, strlen(w->rest + skip + n) + 1);
	return w->name ? 1 : -ENOMEM;
}

/* Handles one name. Returns 1 if the name is the last one, the file, and 0 if more names follow. */
static int step(struct walk *w, struct errmsg *err)
{
	bool is_last = !*w->rest && w->use != OUTPLACE_DIR,
	     is_dots = w->name[0] == '.' && (!w->name[1] || (w->name[1] == '.' && !w->name[2]));
	SCOPED(scope_close) int fd = -1;
	struct stat st;
	int dir;

	if (is_last && is_dots)
		return -EISDIR;
	fd = openat(w->dir, w->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT && is_last ? 1 : -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode)) {
		TRY(check_link(w, &st, err));
		if (!(is_last && is_magic(w)))
			return follow(w, fd);
	}
	if (is_last) {
		w->exists = true;
		w->is_magic = S_ISLNK(st.st_mode);
		w->st = st;
		return 1;
	}
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	dir = fd;
	fd = -1; /* w owns it */
	return enter_dir(w, dir);
}

static int walk(struct walk *w, const char *path, struct errmsg *err)
{
	int r;

	w->dir = -1;
	w->rest = strdup(path);
	if (!w->rest)
		return -ENOMEM;
	if (!*path)
		return -ENOENT;
	r = enter_dir(w, open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
	while (!r && (r = next_name(w)) > 0)
		r = step(w, err);
	TRY(r);
	return r || w->use == OUTPLACE_DIR ? 0 : -EISDIR; /* the path ends in a slash */
}

static void walk_release(struct walk *w)
{
	if (w->dir >= 0)
		close(w->dir);
	free(w->rest);
	free(w->name);
}

/*
 * --- what is there -----------------------------------------------------------------------------
 */

static int refuse_device(const char *path, struct errmsg *err)
{
	return errmsg_set(err, -ESPIPE,
			  "cannot write %s: a trace needs a regular file, not a device or pipe",
			  path);
}

/*
 * Returns false for another user's file in a directory such as /tmp, which the caller could not
 * remove.
 */
static bool may_replace(const struct walk *w, bool as_caller)
{
	if (as_caller)
		return !is_shared(&w->dir_st) || w->st.st_uid == w->uid ||
		       w->dir_st.st_uid == w->uid;
	return faccessat(w->dir, w->name, W_OK, 0) == 0;
}

static int check_replaced(const struct walk *w, bool as_caller, struct errmsg *err)
{
	if (!w->exists)
		return 0;
	if (S_ISDIR(w->st.st_mode))
		return -EISDIR;
	if (!S_ISREG(w->st.st_mode))
		return refuse_device(w->shown, err);
	return may_replace(w, as_caller) ? 0 : -EACCES;
}

/*
 * Checks a file that is written in place, which another user may have put there as a trap for root.
 */
static int check_planted(const struct walk *w, const struct stat *st, struct errmsg *err)
{
	const char *why = NULL;

	if (!w->is_for_root || is_safe_dir(w) || w->is_magic)
		return 0;
	if (is_shared(&w->dir_st) && st->st_uid != w->uid && st->st_uid != w->dir_st.st_uid)
		why = "it belongs to another user";
	else if (w->is_strict && !S_ISREG(st->st_mode))
		why = "it is not a regular file";
	else if (w->is_strict && st->st_nlink > 1)
		why = "the file has another name as well";
	return why ? errmsg_set(err, -EACCES,
				"cannot write %s: %s, in a directory where other users can write; "
				"remove it or choose another file",
				w->shown, why)
		   : 0;
}

/* Returns true if this process has the file open for reading, as mapfile.c does. */
static bool is_input(const struct stat *st)
{
	struct stat other;

	for (int fd = 0; S_ISREG(st->st_mode) && fd < INPUT_FDS; fd++)
		if (!fstat(fd, &other) && other.st_ino == st->st_ino &&
		    other.st_dev == st->st_dev && (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY &&
		    !(fcntl(fd, F_GETFL) & O_PATH))
			return true;
	return false;
}

static int refuse_input(const char *path, struct errmsg *err)
{
	return errmsg_set(err, -EBUSY,
			  "cannot write %s: it is a file that is read; name another one", path);
}

int outplace_check_input(const char *path, struct errmsg *err)
{
	struct stat st;

	return stat(path, &st) == 0 && is_input(&st) ? refuse_input(path, err) : 0;
}

/*
 * --- opening -----------------------------------------------------------------------------------
 */

static char *make_hidden(const char *name)
{
	uint64_t number;
	char *hidden;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return NULL;
	return asprintf(&hidden, ".%.200s.%012llx", name,
			(unsigned long long)(number & 0xffffffffffff)) < 0
		       ? NULL
		       : hidden;
}

/* Opens a file without a name. It gets its name later, through /proc. */
static int open_nameless(const struct walk *w)
{
	if (access("/proc/self/fd", F_OK) < 0)
		return -1;
	return openat(w->dir, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, NEW_MODE);
}

static int open_replace(struct outplace *p, const struct walk *w, struct errmsg *err)
{
	TRY(check_replaced(w, p->as_caller, err));
	p->fd = open_nameless(w);
	for (int i = 0; p->fd < 0 && i < HIDDEN_TRIES; i++) {
		free(p->hidden);
		p->hidden = make_hidden(w->name);
		if (!p->hidden)
			return -ENOMEM;
		p->fd = openat(w->dir, p->hidden,
			       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, NEW_MODE);
		p->has_hidden = p->fd >= 0;
		if (p->fd < 0 && errno != EEXIST)
			return -errno;
	}
	return p->fd < 0 ? -errno : 0;
}

static int open_create(struct outplace *p, const struct walk *w, struct errmsg *err)
{
	p->fd = openat(w->dir, w->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		       NEW_MODE);
	return p->fd < 0 ? -errno : 0;
}

/* Truncates the file only after the checks. */
static int open_text(struct outplace *p, const struct walk *w, struct errmsg *err)
{
	int append = w->use == OUTPLACE_APPEND ? O_APPEND : 0;
	int how = w->is_magic ? 0 : O_NOFOLLOW | O_CREAT;
	/* opening a planted pipe must not wait for its reader */
	bool may_wait = w->exists && !S_ISREG(w->st.st_mode);
	struct stat st;
	int r;

	if (w->exists && S_ISDIR(w->st.st_mode))
		return -EISDIR;
	TRY(w->exists ? check_planted(w, &w->st, err) : 0);
	if (!may_wait)
		how |= O_NONBLOCK;
	p->fd = openat(w->dir, w->name, O_WRONLY | O_NOCTTY | O_CLOEXEC | append | how, NEW_MODE);
	if (p->fd < 0 || fstat(p->fd, &st) < 0)
		return -errno;
	r = check_planted(w, &st, err); /* the name may lead to another file by now */
	TRY(r);
	if (!w->is_magic && is_input(&st))
		return refuse_input(w->shown, err);
	if (!may_wait && fcntl(p->fd, F_SETFL, append) < 0)
		return -errno;
	if (append || w->is_magic ||
	    !S_ISREG(st.st_mode)) /* an open file may have contents to keep */
		return 0;
	return ftruncate(p->fd, 0) < 0 ? -errno : 0;
}

static int open_update(struct outplace *p, const struct walk *w, struct errmsg *err)
{
	struct stat st;

	p->fd = openat(w->dir, w->name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (p->fd < 0 || fstat(p->fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return refuse_device(w->shown, err);
	return check_planted(w, &st, err);
}

/*
 * Opens a directory. Kernels before 5.8 cannot check access for the fsuid; there the caller's
 * rights count as insufficient.
 */
static int open_dir(struct outplace *p, const struct walk *w, struct errmsg *err)
{
#ifdef SYS_faccessat2
	if (p->as_caller &&
	    syscall(SYS_faccessat2, w->dir, "", W_OK | X_OK, AT_EMPTY_PATH | AT_EACCESS) == 0)
		return 0;
#endif
	return p->as_caller ? -EACCES : 0;
}

static int (*const openers[])(struct outplace *, const struct walk *, struct errmsg *) = {
	[OUTPLACE_REPLACE] = open_replace, [OUTPLACE_CREATE] = open_create,
	[OUTPLACE_WRITE] = open_text,	   [OUTPLACE_APPEND] = open_text,
	[OUTPLACE_UPDATE] = open_update,   [OUTPLACE_DIR] = open_dir,
};

static int open_once(struct outplace *p, const char *path, enum outplace_use use, bool as_caller,
		     struct errmsg *err)
{
	struct caller c = {.uid = geteuid()};
	SCOPED(walk_release) struct walk w = {.shown = path, .use = use};
	int r;

	*p = OUTPLACE_NONE;
	p->as_caller = as_caller;
	if (as_caller)
		caller_find(&c);
	w.uid = c.uid;
	w.is_for_root = as_caller || !c.uid;
	w.is_strict = !c.uid;
	r = walk(&w, path, err);
	if (!r)
		r = openers[use](p, &w, err);
	if (r < 0) {
		outplace_close(p);
	} else {
		p->dir = w.dir;
		p->name = w.name;
		w.dir = -1;
		w.name = NULL;
	}
	return r;
}

/*
 * Opens with the caller's rights if there is a caller. Uses our own rights if there is none, or if
 * the caller's are insufficient.
 */
static int open_both(struct outplace *p, const char *path, enum outplace_use use,
		     struct errmsg *err)
{
	struct caller_scope scope;
	struct errmsg why = {0};
	int r;

	if (!caller_enter(&scope))
		return open_once(p, path, use, false, err);
	r = open_once(p, path, use, true, &why);
	caller_leave(&scope);
	/* a setuid program writes nothing that its user could not write */
	if ((r == -EACCES || r == -EPERM) && !caller_is_secure() && !geteuid())
		return open_once(p, path, use, false, err);
	if (why.code)
		errmsg_set(err, why.code, "%s", why.text);
	return r;
}

int outplace_open(struct outplace *ret, const char *path, enum outplace_use use, struct errmsg *err)
{
	struct outplace p;
	struct stat st;
	int r;

	/* the target of /dev/stdout has no usable name */
	if ((use == OUTPLACE_REPLACE || use == OUTPLACE_UPDATE) && stat(path, &st) == 0 &&
	    !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return refuse_device(path, err);
	r = open_both(&p, path, use, err);
	if (r == -EISDIR)
		return errmsg_set(err, r, "cannot write %s: it is a directory", path);
	if (r < 0)
		return errmsg_set_errno(
			err, r, "cannot %s %s",
			use == OUTPLACE_REPLACE && r == -ENOENT ? "create" : "write", path);
	*ret = p;
	return 0;
}

int outplace_open_file(const char *path, enum outplace_use use, struct errmsg *err)
{
	struct outplace p;
	int r = outplace_open(&p, path, use, err), fd;

	TRY(r);
	fd = p.fd;
	p.fd = -1;
	outplace_close(&p);
	return fd;
}

/*
 * --- names -------------------------------------------------------------------------------------
 */

/*
 * Switches to the user who opened the place: on some network file systems root has fewer rights
 * than the owner.
 */
static bool enter_for(const struct outplace *p, struct caller_scope *scope)
{
	*scope = (struct caller_scope){0};
	return p->as_caller && caller_enter(scope);
}

static int give_hidden_name(struct outplace *p)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", p->fd);
	for (int i = 0; !p->has_hidden && i < HIDDEN_TRIES; i++) {
		free(p->hidden);
		p->hidden = make_hidden(p->name);
		if (!p->hidden)
			return -ENOMEM;
		p->has_hidden = linkat(AT_FDCWD, link, p->dir, p->hidden, AT_SYMLINK_FOLLOW) == 0;
		if (!p->has_hidden && errno != EEXIST)
			return -errno;
	}
	return p->has_hidden ? 0 : -EEXIST;
}

/*
 * Closes the file and checks for errors: network file systems report a full disk when a file is
 * closed.
 */
static int close_file(struct outplace *p)
{
	int fd = p->fd;

	p->fd = -1;
	return close(fd) < 0 ? -errno : 0;
}

static int take_name(struct outplace *p, bool closes)
{
	TRY(give_hidden_name(p));
	if (closes)
		TRY(close_file(p));
	if (renameat(p->dir, p->hidden, p->dir, p->name) < 0)
		return -errno;
	p->has_hidden = false;
	return 0;
}

int outplace_take_name(struct outplace *p, bool closes)
{
	struct caller_scope scope;
	int r;

	enter_for(p, &scope);
	r = take_name(p, closes);
	caller_leave(&scope);
	return r;
}

int outplace_create_in(const struct outplace *p, const char *name)
{
	struct caller_scope scope;
	int fd;

	enter_for(p, &scope);
	unlinkat(p->dir, name, 0);
	fd = openat(p->dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, NEW_MODE);
	caller_leave(&scope);
	return fd < 0 ? -errno : fd;
}

int outplace_open_in(const struct outplace *p, const char *name)
{
	struct caller_scope scope;
	int fd;

	enter_for(p, &scope);
	fd = openat(p->dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	caller_leave(&scope);
	return fd < 0 ? -errno : fd;
}

int outplace_mkdir_in(const struct outplace *p, const char *name, mode_t mode)
{
	struct caller_scope scope;
	int r;

	enter_for(p, &scope);
	r = mkdirat(p->dir, name, mode) < 0 ? -errno : 0;
	caller_leave(&scope);
	return r;
}

int outplace_unlink_in(const struct outplace *p, const char *name)
{
	struct caller_scope scope;
	int r;

	enter_for(p, &scope);
	r = unlinkat(p->dir, name, 0) < 0 ? -errno : 0;
	caller_leave(&scope);
	return r;
}

int outplace_unlink(const char *path)
{
	const char *slash = strrchr(path, '/');
	SCOPED(scope_free) char *dir = slash ? strndup(path, slash - path + 1) : strdup(".");
	SCOPED(outplace_close) struct outplace p = OUTPLACE_NONE;
	struct errmsg ignored = {0};

	TRY(dir ? outplace_open(&p, dir, OUTPLACE_DIR, &ignored) : -ENOMEM);
	return outplace_unlink_in(&p, slash ? slash + 1 : path);
}

void outplace_close(struct outplace *p)
{
	if (p->has_hidden)
		outplace_unlink_in(p, p->hidden);
	if (p->fd >= 0)
		close(p->fd);
	if (p->dir >= 0)
		close(p->dir);
	free(p->name);
	free(p->hidden);
	*p = OUTPLACE_NONE;
}

int outplace_find_dir(const char *dir, char **ret, struct errmsg *err)
{
	SCOPED(outplace_close) struct outplace place = OUTPLACE_NONE;
	char link[32], *path;

	if (outplace_open(&place, dir, OUTPLACE_DIR, err) < 0) /* this follows no foreign links */
		return errmsg_code(err);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", place.dir);
	path = realpath(link, NULL);
	if (!path || access(path, W_OK | X_OK) < 0) {
		errmsg_set_errno(err, -errno, "cannot write to %s", dir);
		free(path);
		return err->code;
	}
	*ret = path;
	return 0;
}
