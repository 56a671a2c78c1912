// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * close.c - turns a file with holes between its regions into one without.
 *
 *	D │ R0▒▒▒▒▒▒▒▒▒▒ │ R1▒▒▒▒▒▒▒▒▒▒▒ │ R2▒▒▒▒▒▒▒▒ │ tail        ▒ hole
 *	D │ R0 │ R1 │ R2 │ final tail
 *
 * If the process is killed at any moment, the file must be readable, or livefile_repair() must be
 * able to repair it. These are the steps; after each, a matching directory is written (one small
 * pwrite()):
 *
 *	1  the directory contains the final amount of data, and the flag FINISHING
 *	2  holes are closed, by one of
 *	   a  FALLOC_FL_COLLAPSE_RANGE, from the last hole to the first: nothing is copied. If we
 *	      die between it and the directory, the file is shorter than the directory says by
 *	      exactly the length of the last hole that it describes, so a repair knows what
 *	      happened.
 *	   b  moving, from the first region to the last, if collapsing is not supported: pieces are
 *	      copied to the front, noted in the marker (`moving`, `moved`), and punched out behind.
 *	      The row changes when the region is complete; until then its front reads as empty
 *	      pages. Temporary files are moved in the same way.
 *	3  the tail: names of tasks, late options, strings, over the old tail; the file is truncated
 *	   after it
 *	4  the directory with links to it and its true length (TAIL)
 *	5  BUFFER headers to their places, then the final directory, without marker
 *
 * No step needs more disk space than the data and the tail already occupy (except on a file system
 * that never overwrites in place). Moving needs space for a piece; when the disk is full, the
 * spare part of the tail is released for it.
 *
 * Between the data of two buffers there is room for the headers of the later one (and of empty ones
 * in between): `lead`.
 */
#include "base/scope.h"
#include "base/textbuf.h"
#include "format/tracedat.h"
#include "store/live/livefile_int.h"
#include "store/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE_BYTES	  (4u << 20)
#define SMALL_PIECE_BYTES (256u << 10) /* on a full disk */
#define COPY_BYTES	  (256u << 10)
#define TAIL_SLACK_BYTES  4096 /* headers of sections and the like */

/*
 * --- what lies where ---------------------------------------------------------------------------
 */

struct row { /* all regions with data */
	struct liveregion **regions;
	uint32_t n;
};

static void row_release(struct row *row)
{
	free(row->regions);
}

/* Finds the regions with data. */
static int find_row(const struct livefile *f, struct row *ret)
{
	ret->n = 0;
	ret->regions = malloc((f->n_regions + 1) * sizeof(struct liveregion *));
	if (!ret->regions)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->n_regions; i++)
		if (liveregion_has_data(f->regions[i]))
			ret->regions[ret->n++] = f->regions[i];
	return 0;
}

static uint32_t rank_of(const struct livefile *f, const struct row *row, uint32_t i)
{
	return i < row->n ? f->buffers[row->regions[i]->buffer].rank : f->n_buffers - 1;
}

/*
 * Returns the room for headers before region i of the row, or before the tail if there is no such
 * region.
 */
static uint64_t lead_before(const struct livefile *f, const struct row *row, uint32_t i)
{
	if (!i || f->w->config.version == 6)
		return 0;
	return round_up_to((rank_of(f, row, i) - rank_of(f, row, i - 1)) *
				   (uint64_t)LIVEFILE_HEADER_STEP,
			   f->align);
}

/* Returns the final position of region i, or of the tail: directly after its predecessor. */
static uint64_t place_of(const struct livefile *f, const struct row *row, uint32_t i)
{
	uint64_t before = i ? round_up_to(row->regions[i - 1]->end, f->align) : f->data_at;

	return before + lead_before(f, row, i);
}

static uint64_t place_now(const struct livefile *f, const struct row *row, uint32_t i)
{
	return i < row->n ? round_down_to(row->regions[i]->start, f->align) : f->tail_at;
}

/* Returns true if every final position is free. This is so for every file that sonde wrote. */
static bool has_room(const struct livefile *f, const struct row *row)
{
	for (uint32_t i = 0; i <= row->n; i++) {
		bool is_temp = (i && row->regions[i - 1]->temp_name) ||
			       (i < row->n && row->regions[i]->temp_name);

		if (!is_temp && place_of(f, row, i) > place_now(f, row, i) &&
		    !(i == row->n && f->flags & LIVEFILE_TEMP))
			return false;
	}
	return true;
}

/*
 * --- closing holes in place --------------------------------------------------------------------
 */

static void shift(struct livefile *f, struct row *row, uint32_t from, uint64_t n)
{
	for (uint32_t i = from; i < row->n; i++) {
		row->regions[i]->start -= n;
		row->regions[i]->end -= n;
	}
	f->tail_at -= n;
	f->cmdlines_at -= f->cmdlines_at ? n : 0;
}

static int collapse_holes(struct livefile *f, struct row *row)
{
	int r = 0;

	for (uint32_t i = row->n + 1; i-- > 0 && !r;) {
		uint64_t from = place_of(f, row, i), to = place_now(f, row, i);

		if (from >= to)
			continue;
		if (fallocate(f->fd, FALLOC_FL_COLLAPSE_RANGE, from, to - from) < 0)
			return -errno;
		shift(f, row, i, to - from);
		r = livefile_write_directory(f);
	}
	return r;
}

/* Adapts the positions of a file that is n bytes shorter than its directory describes. */
static int catch_up(struct livefile *f, struct row *row, uint64_t n)
{
	for (uint32_t i = row->n + 1; i-- > 0;) {
		uint64_t from = place_of(f, row, i), to = place_now(f, row, i);

		if (from >= to)
			continue;
		if (to - from != n)
			return -EBADMSG;
		shift(f, row, i, n);
		return 0;
	}
	/* there are no holes: the file was truncated after its tail */
	if (n > f->tail_bytes)
		return -EBADMSG;
	f->tail_bytes -= n;
	return 0;
}

int livefile_catch_up(struct livefile *f, uint64_t n_missing)
{
	SCOPED(row_release) struct row row = {0};

	TRY(find_row(f, &row));
	if (!has_room(f, &row))
		return -EBADMSG;
	return n_missing ? catch_up(f, &row, n_missing) : 0;
}

/*
 * --- moving ------------------------------------------------------------------------------------
 */

static bool is_not_possible(int error)
{
	return error == EINVAL || error == EXDEV || error == EOPNOTSUPP || error == ENOSYS ||
	       error == EBADF || error == ETXTBSY;
}

static int copy_by_hand(int from_fd, uint64_t from, int to_fd, uint64_t to, uint64_t n)
{
	SCOPED(scope_free) char *buf = malloc(COPY_BYTES);
	int r = buf ? 0 : -ENOMEM;

	while (n && !r) {
		ssize_t got = pread(from_fd, buf, n < COPY_BYTES ? n : COPY_BYTES, from);

		if (got < 0 && errno == EINTR)
			continue;
		r = got > 0 ? livefile_pwrite(to_fd, buf, got, to) : got ? -errno : -EIO;
		from += got;
		to += got;
		n -= got;
	}
	return r;
}

static int copy_piece(struct livefile *f, int from_fd, uint64_t from, uint64_t to, uint64_t n)
{
	loff_t in = from, out = to;

	while (n && !f->no_copy_range) {
		ssize_t got = copy_file_range(from_fd, &in, f->fd, &out, n, 0);

		if (got > 0) {
			n -= got;
			continue;
		}
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && !is_not_possible(errno))
			return -errno;
		f->no_copy_range = true; /* also if copy_file_range() returns 0 */
	}
	return n ? copy_by_hand(from_fd, in, f->fd, out, n) : 0;
}

/* Releases the spare part of the tail on a full disk. Returns false if it was released before. */
static bool give_up_spare(struct livefile *f)
{
	uint64_t end = f->tail_at + f->tail_bytes;

	if (f->spare_is_gone || f->tail_bytes < LIVEFILE_SPARE_BYTES)
		return false;
	f->spare_is_gone = true;
	return livefile_punch(f->fd, end - LIVEFILE_SPARE_BYTES, end);
}

/* Returns the size of the next piece of the region that is being moved. */
static uint64_t piece_bytes(const struct livefile *f, const struct liveregion *r, uint64_t to)
{
	uint64_t left = r->end - r->start - f->moved, n = PIECE_BYTES;
	uint64_t pos = r->start + f->moved;

	if (f->spare_is_gone)
		n = SMALL_PIECE_BYTES;
	/* a piece must not overlap itself */
	if (liveregion_in_file(r) && n > r->start - to)
		n = r->start - to;
	n = round_down_to(pos + n, f->align) - pos; /* only whole blocks can be made holes */
	if (!n)
		n = f->align;
	return n < left ? n : left;
}

static int move_pieces(struct livefile *f, struct liveregion *r, uint64_t to)
{
	while (f->moved < r->end - r->start) {
		uint64_t n = piece_bytes(f, r, to), from = r->start + f->moved;
		int error = copy_piece(f, r->fd, from, to + f->moved, n);

		if (error == -ENOSPC && give_up_spare(f))
			continue;
		TRY(error);
		f->moved += n;
		error = livefile_write_moved(f);
		TRY(error);
		livefile_punch(r->fd, round_down_to(from, f->align),
			       round_down_to(from + n, f->align));
	}
	return 0;
}

/* Removes the region's data from its old place. */
static void clear_source(struct livefile *f, struct liveregion *r, uint64_t from, uint64_t end)
{
	uint64_t new_end = round_up_to(r->end, f->align);

	if (r->temp_name) {
		outplace_unlink_in(&f->temp, r->temp_name);
		close(r->fd);
		free(r->temp_name);
		r->temp_name = NULL;
		r->fd = f->fd;
		return;
	}
	from = round_down_to(from, f->align);
	livefile_punch(f->fd, from > new_end ? from : new_end, round_up_to(end, f->align));
}

static int move_region(struct livefile *f, struct liveregion *r, uint64_t to)
{
	uint64_t from = r->start, end = r->end;
	char *temp_name = r->temp_name;
	int ret;

	if (f->moving != r->number + 1)
		f->moved = 0;
	f->moving = r->number + 1;
	if (f->moved > end - from)
		return -EBADMSG;
	ret = move_pieces(f, r, to);
	TRY(ret);
	r->start = to;
	r->end = to + (end - from);
	r->temp_name = NULL; /* from now on the row in the directory describes the region */
	ret = livefile_write_row(r);
	r->temp_name = temp_name;
	f->moving = 0;
	f->moved = 0;
	if (!ret)
		ret = livefile_write_moved(f);
	if (!ret)
		clear_source(f, r, from, end);
	return ret;
}

static int write_tail_and_directory(struct livefile *f, uint64_t before, uint64_t end,
				    struct errmsg *err)
{
	uint64_t after = f->tail_at + f->tail_bytes;
	struct errmsg first = {0};
	int r = livefile_write_live_tail(f, &first);

	if (r == -ENOSPC) { /* release the old tail, except for the common part */
		livefile_punch(f->fd, before > after ? before : after, end);
		r = livefile_write_live_tail(f, err);
	}
	return r < 0 ? r : livefile_write_directory(f);
}

/* Moves the tail to a place after all data. */
static int move_tail(struct livefile *f, uint64_t to, struct errmsg *err)
{
	uint64_t before = f->tail_at;
	int r;

	if (to == before)
		return 0;
	f->tail_at = to;
	r = write_tail_and_directory(f, before, before + f->tail_bytes, err);
	if (r < 0) {
		f->tail_at = before;
		return r;
	}
	return ftruncate(f->fd, to + f->tail_bytes) < 0 ? -errno : 0;
}

static int move_all(struct livefile *f, struct row *row, struct errmsg *err)
{
	int r = 0;

	for (uint32_t i = 0; i < row->n && !r; i++) {
		struct liveregion *region = row->regions[i];
		uint64_t to = place_of(f, row, i) + region->start % f->align;

		if (to != region->start || region->temp_name)
			r = move_region(f, region, to);
	}
	return r < 0 ? r : move_tail(f, place_of(f, row, row->n), err);
}

/* Moves the temporary files into the file, sequentially, after the tail has made room. */
static int put_in_temp(struct livefile *f, struct row *row, struct errmsg *err)
{
	uint64_t end = f->data_at;
	int r;

	for (uint32_t i = 0; i < row->n; i++) {
		const struct liveregion *region = row->regions[i];
		uint64_t n = region->end - region->start;

		end = round_up_to(end + lead_before(f, row, i) + region->start % f->align + n,
				  f->align);
	}
	end += lead_before(f, row, row->n);
	r = end > f->tail_at ? move_tail(f, end, err) : 0;
	return r < 0 ? r : move_all(f, row, err);
}

/* Clears dropped data that is in the same block as the first remaining page. */
static int clear_remains(struct livefile *f, const struct row *row)
{
	int r = 0;

	for (uint32_t i = 0; i < row->n && !r; i++) {
		const struct liveregion *region = row->regions[i];
		uint64_t n = region->start % f->align;
		char *zeros = n ? calloc(1, n) : NULL;

		if (zeros)
			r = livefile_pwrite(region->fd, zeros, n, region->start - n);
		free(zeros);
	}
	return r;
}

static int close_holes(struct livefile *f, struct row *row, struct errmsg *err)
{
	TRY(f->moving ? 0 : clear_remains(f, row));
	if (f->flags & LIVEFILE_TEMP)
		return put_in_temp(f, row, err);
	/* after a region was partly moved, collapsing is no longer possible */
	if (!f->moving && collapse_holes(f, row) == 0)
		return 0;
	return move_all(f, row, err);
}

/*
 * --- the tail ----------------------------------------------------------------------------------
 */

/* Returns the maximum number of bytes that the tail needs. */
static uint64_t tail_need(const struct livefile *f, size_t cmdlines_bytes)
{
	enum compression kind = f->w->config.compression;
	uint64_t n = pack_bound(kind, cmdlines_bytes + 8) + pack_bound(kind, 1 << 16);

	for (size_t i = 0; i < f->n_late; i++)
		n += pack_bound(kind, f->late[i].n_bytes) + 256;
	return n + textbuf_len(&f->w->options) + 2 * textbuf_len(&f->w->strings) + TAIL_SLACK_BYTES;
}

/*
 * Checks whether the tail fits. On a full disk the file is completed without names of tasks rather
 * than not at all.
 */
static bool tail_fits(struct livefile *f, size_t cmdlines_bytes)
{
	uint64_t have = f->tail_bytes - (f->spare_is_gone ? LIVEFILE_SPARE_BYTES : 0);
	uint64_t need = tail_need(f, cmdlines_bytes);

	return need <= have || fallocate(f->fd, 0, f->tail_at, need) == 0 || errno != ENOSPC;
}

static int write_cmdlines(struct livefile *f, struct errmsg *err)
{
	size_t len = textbuf_len(&f->cmdlines);
	TEXTBUF(body, WRITER_OPTIONS_MAX_BYTES);

	if (!tail_fits(f, len))
		len = 0;
	writer_add_number(f->w, &body, len, 8);
	writer_add_bytes(&body, f->cmdlines.start, len);
	f->cmdlines_at = outfile_pos(f->w->out);
	return writer_section_v7(f->w, SNF_OPTION_CMDLINES, "command lines", PIECE_OF_TEXT(&body),
				 err);
}

/* Writes the tail. *ret_end is the future end of the file. */
static int write_tail_v7(struct livefile *f, uint64_t *ret_end, struct errmsg *err)
{
	struct writer *w = f->w;
	int r;

	outfile_seek(w->out, f->tail_at);
	r = write_cmdlines(f, err);
	for (size_t i = 0; i < f->n_late && !r; i++)
		r = writer_add_section(w, f->late[i].id, f->late[i].description,
				       (struct piece){f->late[i].data, f->late[i].n_bytes}, err);
	f->next_options = textbuf_len(&w->options) ? outfile_pos(w->out) : 0;
	if (!r)
		r = writer_finish_v7(w, err);
	outfile_flush(w->out);
	*ret_end = outfile_pos(w->out);
	return r < 0 ? r : outfile_failure(w->out, err);
}

/* Writes as many complete lines as fit into the reserved place. */
static int write_cmdlines_v6(struct livefile *f)
{
	struct writer *w = f->w;
	uint64_t len = textbuf_len(&f->cmdlines), end = w->cmdlines_at + w->cmdlines_room;
	uint64_t old = w->texts[TRACEFILE_CMDLINES].len;
	char *zeros;
	int r = 0;

	if (len > w->cmdlines_room) {
		const char *nl = memrchr(f->cmdlines.start, '\n', w->cmdlines_room);

		len = nl ? (uint64_t)(nl + 1 - f->cmdlines.start) : 0;
	}
	if (f->has_late_cmdlines) {
		zeros = old > len ? calloc(1, old - len) : NULL;
		r = livefile_pwrite(f->fd, f->cmdlines.start, len, w->cmdlines_at);
		if (!r && zeros)
			r = livefile_pwrite(f->fd, zeros, old - len, w->cmdlines_at + len);
		free(zeros);
	}
	len = len > old ? len : old;
	livefile_punch(f->fd, round_up_to(w->cmdlines_at + len, f->align),
		       round_down_to(end, f->align));
	return r;
}

static int write_tail(struct livefile *f, struct errmsg *err)
{
	uint64_t end = f->tail_at;

	TRY(f->w->config.version == 6 ? write_cmdlines_v6(f) : write_tail_v7(f, &end, err));
	if (ftruncate(f->fd, end) < 0)
		return -errno;
	f->tail_bytes = end - f->tail_at;
	f->flags |= LIVEFILE_TAIL;
	return livefile_write_directory(f);
}

/*
 * --- the final directory -----------------------------------------------------------------------
 */

static int write_header(struct livefile *f, const struct livebuffer *b, uint64_t end)
{
	TEXTBUF(tb, 256);

	writer_add_section_header_v7(f->w, &tb, SNF_OPTION_BUFFER, b->is_packed, b->description,
				     end - b->header_at - SNF_SECTION_HEADER_BYTES);
	return tb.overflow
		       ? -ENOMEM
		       : livefile_pwrite(f->fd, tb.start, SNF_SECTION_HEADER_BYTES, b->header_at);
}

/*
 * Moves the headers of buffers whose data comes after other data from the directory to their final
 * place.
 */
static void place_headers(struct livefile *f, const struct row *row)
{
	for (uint32_t i = 1; i <= row->n; i++) {
		uint64_t pos = place_now(f, row, i) - lead_before(f, row, i);

		for (uint32_t rank = rank_of(f, row, i - 1) + 1; rank <= rank_of(f, row, i);
		     rank++) {
			f->buffers[f->order[rank]].header_at = pos;
			pos += LIVEFILE_HEADER_STEP;
		}
	}
}

static int write_headers(struct livefile *f, const struct row *row)
{
	int r = 0;

	if (f->w->config.version == 6)
		return 0;
	place_headers(f, row);
	for (uint32_t rank = f->n_buffers; rank-- > 0 && !r;) {
		const struct livebuffer *b = &f->buffers[f->order[rank]];
		uint64_t end = rank + 1 < f->n_buffers ? f->buffers[f->order[rank + 1]].header_at
						       : f->tail_at;

		if (b->header_at >= f->data_at)
			r = write_header(f, b, end);
	}
	return r;
}

/* Removes the temporary files of CPUs that had no data. */
static void remove_empty_temp(struct livefile *f)
{
	for (uint32_t i = 0; i < f->n_regions; i++)
		if (f->regions[i]->temp_name)
			outplace_unlink_in(&f->temp, f->regions[i]->temp_name);
}

static int write_final(struct livefile *f, const struct row *row)
{
	TRY(write_headers(f, row));
	remove_empty_temp(f); /* before the names disappear from the marker */
	livefile_encode(f, true);
	return f->dir.overflow ? -ENOMEM
			       : livefile_pwrite(f->fd, f->dir.start, f->dir_bytes, f->dir_at);
}

/*
 * --- all of it ---------------------------------------------------------------------------------
 */

static int close_file(struct livefile *f, struct errmsg *err)
{
	SCOPED(row_release) struct row row = {0};

	TRY(find_row(f, &row));
	if (!(f->flags & LIVEFILE_TAIL)) {
		TRY(close_holes(f, &row, err));
		TRY(write_tail(f, err));
	}
	return write_final(f, &row);
}

/* Writes data that is still in memory. Returns the first failure that was not reported yet. */
static int flush_regions(struct livefile *f)
{
	int r = 0;

	for (uint32_t i = 0; i < f->n_regions; i++) {
		struct liveregion *region = f->regions[i];
		int error = region->error ? 0 : liveregion_flush(region);

		r = r ? r : error;
		error = liveregion_write_count(region);
		r = r ? r : error;
		/* a repair uses the length of the file as the length of the data */
		if (region->temp_name && region->fd >= 0 && ftruncate(region->fd, region->end) < 0)
			r = r ? r : -errno;
	}
	return r;
}

int livefile_close(struct livefile *f, struct errmsg *err)
{
	int lost = flush_regions(f), r;

	f->flags |= LIVEFILE_FINISHING;
	r = livefile_write_directory(f);
	r = r < 0 ? r : close_file(f, err);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot finish %s", f->path);
	if (lost < 0)
		return errmsg_set_errno(err, lost, "the last events could not be written to %s",
					f->path);
	return 0;
}
