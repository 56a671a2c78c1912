// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * outfile.c - writes next to the target, then takes its name.
 *
 *	open(dir, O_TMPFILE) ─▶ write, skip, patch ─▶ link as dir/.NAME.RANDOM ─▶ rename to dir/NAME
 *
 * outfile_publish() does the last two steps early; writing continues in the named file.
 *
 * A file without a name disappears if the process is killed. If the file system does not support
 * such files (some network file systems), the hidden name exists from the start and is removed on
 * failure. rename() makes the change atomic; a link cannot replace an existing name.
 *
 * outplace.h opens, names and removes files, and documents whose rights count and which links are
 * followed. A symbolic link is followed once, at the start: its target is replaced, not the link.
 * A trace contains what other users must not see (kernel addresses, names of files), so the file
 * has mode 0600. The mode and the owner of the old file are ignored: another user may have created
 * it to be able to read the new one. Devices and pipes are refused: renaming over /dev/full would
 * destroy it, and the format needs to patch earlier bytes.
 *
 * `buf` collects small writes. A hole is made by seeking. The size is set explicitly at the end,
 * because the file may end with a hole.
 */
#include "store/outfile.h"

#include "base/errmsg.h"
#include "base/files/outplace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUF_BYTES (256u << 10)

struct outfile {
	int error;
	uint64_t pos;	  /* position of the next byte */
	uint64_t flushed; /* bytes before this position are in the file; the rest is in buf */
	struct outplace place;
	char *shown; /* the target's name as the user gave it */
	char buf[BUF_BYTES];
};

static struct outfile *outfile_new(const char *path, struct errmsg *err)
{
	struct outfile *f = malloc(sizeof(*f));

	if (f) {
		memset(f, 0, offsetof(struct outfile, buf));
		f->place = OUTPLACE_NONE;
		f->shown = strdup(path);
	}
	if (f && f->shown)
		return f;
	outfile_free(f);
	errmsg_set_errno(err, -ENOMEM, "cannot write %s", path);
	return NULL;
}

int outfile_open(struct outfile **ret_file, const char *path, struct errmsg *err)
{
	struct outfile *f = outfile_new(path, err);
	int r = f ? outplace_open(&f->place, path, OUTPLACE_REPLACE, err) : -ENOMEM;

	if (r < 0) {
		outfile_free(f);
		return r;
	}
	*ret_file = f;
	return 0;
}

int outfile_reopen(struct outfile **ret_file, const char *path, struct outplace *place,
		   struct errmsg *err)
{
	struct outfile *f = outfile_new(path, err);

	if (!f)
		return -ENOMEM;
	f->place = *place;
	*place = OUTPLACE_NONE;
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
		ssize_t n = pwrite(f->place.fd, data, n_bytes, pos);

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
	return f->place.fd;
}

int outfile_write(struct outfile *f, const void *data, size_t n_bytes)
{
	if (f->error || !n_bytes) /* an empty write may have a NULL pointer */
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
	/* writing zeros costs less than a short hole */
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

int outfile_publish(struct outfile *f, struct errmsg *err)
{
	flush(f);
	if (!f->error)
		f->error = outplace_take_name(&f->place, false);
	return outfile_failure(f, err);
}

int outfile_commit(struct outfile *f, struct errmsg *err)
{
	int r;

	if (flush(f) == 0 && ftruncate(f->place.fd, f->pos) < 0)
		f->error = -errno;
	if (!f->error)
		f->error = outplace_take_name(&f->place, true);
	r = outfile_failure(f, err);
	outfile_free(f);
	return r;
}

void outfile_free(struct outfile *f)
{
	if (!f)
		return;
	outplace_close(&f->place);
	free(f->shown);
	free(f);
}
