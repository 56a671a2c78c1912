// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * name.c - keeps the recorded file if its name changed during the recording.
 *
 * The recorder writes through its descriptor, so it does not notice when the file is renamed or
 * removed, or when another file takes its name. It checks once, when the file is complete:
 *
 *	the name leads to our file          normal
 *	our file has another name           it stays there, and a message reports where
 *	our file has no name                it is copied to its old name, or next to the file that
 *	                                    is there now
 *
 * The kernel cannot give a removed file a name again (linkat() refuses a file without links), so
 * the bytes are copied; file systems that share blocks do that without moving data.
 */
#include "store/live/livefile_int.h"

#include "base/errmsg.h"
#include "base/files/outplace.h"
#include "base/scope.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NAMES_TRIED 100
#define COPY_BYTES  (64u << 10)
#define RANGE_BYTES (1u << 30)

/* --- which file it is ------------------------------------------------------------------------- */

static int read_id(int dir, const char *path, int flags, struct livefile_id *ret)
{
	struct statx st;

	if (statx(dir, path, flags, STATX_INO | STATX_BTIME, &st) < 0)
		return -errno;
	*ret = (struct livefile_id){makedev(st.stx_dev_major, st.stx_dev_minor), st.stx_ino, 0};
	if (st.stx_mask & STATX_BTIME)
		ret->born_ns = st.stx_btime.tv_sec * 1000000000ull + st.stx_btime.tv_nsec;
	return 0;
}

static bool is_same(const struct livefile_id *a, const struct livefile_id *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->born_ns == b->born_ns;
}

int livefile_get_id(const struct livefile *f, struct livefile_id *ret)
{
	return read_id(f->fd, "", AT_EMPTY_PATH, ret);
}

bool livefile_is_at(const char *path, const struct livefile_id *id)
{
	struct livefile_id now;

	return read_id(AT_FDCWD, path, 0, &now) == 0 && is_same(&now, id);
}

bool livefile_fd_is(int fd, const struct livefile_id *id)
{
	struct livefile_id now;

	return read_id(fd, "", AT_EMPTY_PATH, &now) == 0 && is_same(&now, id);
}

int livefile_dup(const struct livefile *f)
{
	int fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

/*
 * --- where it is now ---------------------------------------------------------------------------
 */

/*
 * Finds the new name of our file in its old directory; returns false if it has none there.
 * /proc/self/fd does not show the new name: the file had no name when it was opened (outfile.c),
 * and the kernel does not update the entry.
 */
static bool find_name(const char *path, const struct stat *st, char *buf, size_t n_bytes)
{
	const char *slash = strrchr(path, '/');
	int len = slash ? (int)(slash - path) + 1 : 0;
	struct stat there;
	struct dirent *e;
	bool found = false;
	DIR *d;

	snprintf(buf, n_bytes, "%.*s", len ? len : 1, len ? path : ".");
	d = opendir(buf);
	while (d && !found && (e = readdir(d)))
		found = e->d_ino == st->st_ino && !fstatat(dirfd(d), e->d_name, &there, 0) &&
			there.st_ino == st->st_ino && there.st_dev == st->st_dev &&
			snprintf(buf, n_bytes, "%.*s%s", len, path, e->d_name) < (int)n_bytes;
	if (d)
		closedir(d);
	return found;
}

/* Returns true if the name exists already: a file, or a link that is broken or not followed. */
static bool is_taken(int code)
{
	return code == -EEXIST || code == -EACCES || code == -ELOOP || code == -ENOENT ||
	       code == -ENOTDIR || code == -EISDIR;
}

/* Creates a new file, at the old name if that is free. */
static int open_new(const char *path, char *name, size_t n_bytes)
{
	int fd = -EEXIST;

	for (int i = 0; i < NAMES_TRIED && is_taken(fd); i++) {
		struct errmsg ignored = {0};

		snprintf(name, n_bytes, i ? "%s.%d" : "%s", path, i);
		fd = outplace_open_file(name, OUTPLACE_CREATE, &ignored);
	}
	return fd;
}

static int copy_by_hand(int from, int to)
{
	char buf[COPY_BYTES];
	off_t pos = lseek(to, 0, SEEK_CUR);

	for (;;) {
		ssize_t n = pread(from, buf, sizeof(buf), pos);
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		r = livefile_pwrite(to, buf, n, pos);
		TRY(r);
		pos += n;
	}
}

static int copy_all(int from, int to, uint64_t n_bytes)
{
	loff_t pos = 0;

	while ((uint64_t)pos < n_bytes) {
		ssize_t n = copy_file_range(from, &pos, to, NULL, RANGE_BYTES, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == ENOSPC)
			return -errno;
		if (n <= 0)
			return copy_by_hand(from, to);
	}
	return 0;
}

static int copy_file(struct livefile *f, const struct stat *st, bool is_replaced,
		     struct errmsg *err)
{
	const char *what = is_replaced ? "replaced" : "removed";
	char name[4200];
	int fd = open_new(f->path, name, sizeof(name));
	int r = fd < 0 ? fd : copy_all(f->fd, fd, st->st_size);

	if (fd >= 0 && close(fd) && r >= 0)
		r = -errno;
	if (r < 0 && fd >= 0)
		outplace_unlink(name);
	if (r < 0)
		return errmsg_set_errno(err, r,
					"%s was %s while it was being recorded, and the recording "
					"is lost: cannot write it again",
					f->path, what);
	return errmsg_set(err, -ESTALE,
			  "%s was %s while it was being recorded; the whole recording is now in %s",
			  f->path, what, name);
}

int livefile_check_name(struct livefile *f, struct errmsg *err)
{
	struct stat ours, there;
	bool is_there = !stat(f->path, &there), is_replaced;
	char name[4200];

	if (fstat(f->fd, &ours))
		return 0;
	if (is_there && there.st_ino == ours.st_ino && there.st_dev == ours.st_dev)
		return 0;
	if (ours.st_nlink && find_name(f->path, &ours, name, sizeof(name)))
		return errmsg_set(err, -ESTALE,
				  "%s was renamed while it was being recorded; the whole recording "
				  "is now in %s",
				  f->path, name);
	if (ours.st_nlink)
		return errmsg_set(
			err, -ESTALE,
			"%s was moved to another directory while it was being recorded; the "
			"whole recording is there",
			f->path);
	is_replaced = !lstat(f->path, &there); /* also true for a broken link */
	return copy_file(f, &ours, is_replaced, err);
}
