// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * outfile.c - writes beside the target, then takes its name.
 *
 *	open(dir, O_TMPFILE) ─▶ write, skip, patch ─▶ link as dir/.NAME.PID ─▶ rename to dir/NAME
 *
 * outfile_publish() takes the last two steps early; writing goes on in the file that has its name.
 *
 * A nameless file vanishes by itself when we are killed. Where there is none (some network file
 * systems) the hidden name exists from the start and is removed on failure. rename() is what makes
 * the change atomic; a link to a name that exists is not possible.
 *
 * A symbolic link is followed once, at the start: the file it points at is replaced, not the link.
 * The mode of a file that is replaced is kept. Devices and pipes are refused: renaming over /dev/full
 * would destroy it, and the format needs to go back and patch.
 *
 * Small writes are gathered in `buf`. A hole is made by seeking; the size is set at the end, because a
 * hole may come last.
 */
#include "store/outfile.h"

#include "base/errmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUF_BYTES (256u << 10)
#define LINKS_MAX 40 /* as the kernel follows */

struct outfile {
	int fd, error;
	uint64_t pos;	  /* of the next byte */
	uint64_t flushed; /* bytes before this are in the file; the rest is in buf */
	char *path;	  /* the target, links resolved */
	char *shown;	  /* the target as the user calls it */
	char *temp;	  /* the hidden name */
	bool has_name;	  /* the hidden name exists */
	char buf[BUF_BYTES];
};

/* What a link points at, as a path that can be used from here. */
static char *read_link(const char *path)
{
	const char *slash = strrchr(path, '/');
	char to[PATH_MAX], *whole;
	ssize_t n = readlink(path, to, sizeof(to) - 1);

	if (n < 0)
		return NULL;
	to[n] = 0;
	return asprintf(&whole, "%.*s%s", *to == '/' || !slash ? 0 : (int)(slash - path) + 1, path,
			to) < 0
		       ? NULL
		       : whole;
}

/*
 * The target with links resolved, also if they point at nothing yet. A link that the kernel does not let us
 * follow (another's, in /tmp) is not followed here either.
 */
static char *resolve(const char *path)
{
	char *real = realpath(path, NULL), *next;
	struct stat st;

	if (real || (stat(path, &st) && errno != ENOENT))
		return real ? real : strdup(path);
	real = strdup(path);
	for (int i = 0; real && i < LINKS_MAX && (next = read_link(real)); i++) {
		free(real);
		real = next;
	}
	return real;
}

static char *hidden_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	int dir_len = slash ? (int)(slash - path) + 1 : 0;
	char *name;

	return asprintf(&name, "%.*s.%s.%d", dir_len, path, path + dir_len, (int)getpid()) < 0
		       ? NULL
		       : name;
}

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, slash - path + (slash == path)) : strdup(".");
}

/* A nameless file, if it can get a name later: that goes through /proc. */
static int open_nameless(const char *path)
{
	char *dir = directory_of(path);
	int fd = dir && !access("/proc/self/fd", X_OK)
			 ? open(dir, O_RDWR | O_TMPFILE | O_CLOEXEC, 0666)
			 : -1;

	free(dir);
	return fd;
}

static int check_target(const char *path, struct stat *st, struct errmsg *err)
{
	if (S_ISDIR(st->st_mode))
		return errmsg_set(err, -EISDIR, "cannot write %s: it is a directory", path);
	if (!S_ISREG(st->st_mode))
		return errmsg_set(
			err, -ESPIPE,
			"cannot write %s: a trace needs an ordinary file, not a device or pipe",
			path);
	if (access(path, W_OK) < 0)
		return errmsg_set_errno(err, -errno, "cannot write %s", path);
	return 0;
}

static int open_fd(struct outfile *f, const char *path, struct errmsg *err)
{
	struct stat st;
	bool exists = stat(f->path, &st) == 0;
	int r = exists ? check_target(path, &st, err) : 0;

	if (r < 0)
		return r;
	f->fd = open_nameless(f->path);
	if (f->fd < 0) {
		unlink(f->temp); /* left behind by a process that had our number */
		f->fd = open(f->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		f->has_name = f->fd >= 0;
	}
	if (f->fd < 0)
		return errmsg_set_errno(err, -errno, "cannot create %s", path);
	/* whoever may not give files away keeps what he writes; others leave the file its owner */
	if (exists && fchown(f->fd, st.st_uid, st.st_gid) == 0)
		fchmod(f->fd, st.st_mode & 07777);
	else if (exists)
		fchmod(f->fd, st.st_mode & 0777);
	return 0;
}

static struct outfile *outfile_new(const char *path)
{
	struct outfile *f = malloc(sizeof(*f));

	if (!f)
		return NULL;
	memset(f, 0, offsetof(struct outfile, buf));
	f->fd = -1;
	f->shown = strdup(path);
	f->path = resolve(path);
	f->temp = f->shown && f->path ? hidden_name(f->path) : NULL;
	if (!f->temp) {
		outfile_free(f);
		return NULL;
	}
	return f;
}

int outfile_open(struct outfile **ret_file, const char *path, struct errmsg *err)
{
	struct outfile *f = outfile_new(path);
	int r;

	if (!f)
		return errmsg_set_errno(err, -ENOMEM, "cannot write %s", path);
	r = open_fd(f, path, err);
	if (r < 0) {
		outfile_free(f);
		return r;
	}
	*ret_file = f;
	return 0;
}

int outfile_reopen(struct outfile **ret_file, const char *path, struct errmsg *err)
{
	struct outfile *f = outfile_new(path);

	if (!f)
		return errmsg_set_errno(err, -ENOMEM, "cannot write %s", path);
	f->fd = open(f->path, O_RDWR | O_CLOEXEC);
	if (f->fd < 0) {
		int r = errmsg_set_errno(err, -errno, "cannot write %s", path);

		outfile_free(f);
		return r;
	}
	*ret_file = f;
	return 0;
}

uint64_t outfile_pos(const struct outfile *f)
{
	return f->pos;
}

static int write_at(struct outfile *f, const char *data, size_t n_bytes, uint64_t pos)
{
	while (n_bytes && !f->error) {
		ssize_t n = pwrite(f->fd, data, n_bytes, pos);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			f->error = n ? -errno : -EIO;
			break;
		}
		data += n;
		pos += n;
		n_bytes -= n;
	}
	return f->error;
}

static int flush(struct outfile *f)
{
	write_at(f, f->buf, f->pos - f->flushed, f->flushed);
	f->flushed = f->pos;
	return f->error;
}

int outfile_flush(struct outfile *f)
{
	return flush(f);
}

int outfile_seek(struct outfile *f, uint64_t pos)
{
	flush(f);
	f->pos = f->flushed = pos;
	return f->error;
}

int outfile_fd(const struct outfile *f)
{
	return f->fd;
}

int outfile_write(struct outfile *f, const void *data, size_t n_bytes)
{
	if (f->error || !n_bytes) /* nothing may come with a NULL pointer */
		return f->error;
	if (n_bytes > BUF_BYTES - (f->pos - f->flushed) && flush(f) < 0)
		return f->error;
	if (n_bytes >= BUF_BYTES / 2 && f->pos == f->flushed) {
		write_at(f, data, n_bytes, f->pos);
		f->pos = f->flushed = f->pos + n_bytes;
		return f->error;
	}
	memcpy(f->buf + (f->pos - f->flushed), data, n_bytes);
	f->pos += n_bytes;
	return 0;
}

int outfile_skip(struct outfile *f, uint64_t n_bytes)
{
	if (f->error)
		return f->error;
	/* a short hole costs less as bytes */
	if (n_bytes <= BUF_BYTES - (f->pos - f->flushed) && n_bytes < 4096) {
		memset(f->buf + (f->pos - f->flushed), 0, n_bytes);
		f->pos += n_bytes;
		return 0;
	}
	flush(f);
	f->pos = f->flushed = f->pos + n_bytes;
	return f->error;
}

int outfile_patch(struct outfile *f, uint64_t pos, const void *data, size_t n_bytes)
{
	if (f->error)
		return f->error;
	if (pos < f->flushed && pos + n_bytes > f->flushed)
		flush(f);
	if (pos < f->flushed)
		return write_at(f, data, n_bytes, pos);
	memcpy(f->buf + (pos - f->flushed), data, n_bytes);
	return 0;
}

int outfile_failure(const struct outfile *f, struct errmsg *err)
{
	if (!f->error)
		return 0;
	return errmsg_set_errno(err, f->error, "%s was not written", f->shown);
}

/* The hidden name, for a file that has none yet. */
static int give_hidden_name(struct outfile *f)
{
	char link[64];

	if (f->has_name)
		return 0;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", f->fd);
	unlink(f->temp); /* left behind by a process that had our number */
	if (linkat(AT_FDCWD, link, AT_FDCWD, f->temp, AT_SYMLINK_FOLLOW) < 0)
		return -errno;
	f->has_name = true;
	return 0;
}

static int take_place(struct outfile *f)
{
	if (rename(f->temp, f->path) < 0)
		return -errno;
	f->has_name = false;
	return 0;
}

static int give_name(struct outfile *f)
{
	int r = give_hidden_name(f), fd = f->fd;

	if (r < 0)
		return r;
	f->fd = -1;
	/* network file systems report a full disk here */
	if (close(fd) < 0)
		return -errno;
	return take_place(f);
}

int outfile_publish(struct outfile *f, struct errmsg *err)
{
	flush(f);
	if (!f->error)
		f->error = give_hidden_name(f);
	if (!f->error)
		f->error = take_place(f);
	return outfile_failure(f, err);
}

int outfile_commit(struct outfile *f, struct errmsg *err)
{
	int r;

	if (flush(f) == 0 && ftruncate(f->fd, f->pos) < 0)
		f->error = -errno;
	if (!f->error)
		f->error = give_name(f);
	r = outfile_failure(f, err);
	outfile_free(f);
	return r;
}

void outfile_free(struct outfile *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	if (f->has_name)
		unlink(f->temp);
	free(f->path);
	free(f->shown);
	free(f->temp);
	free(f);
}
