// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * repair.c - completes what a dead recorder left behind.
 *
 *	outplace_open ─▶ marker? ─▶ struct livefile, from its directory ─▶ more pages? ─▶ livefile_close
 *	                    └ no: nothing to do, or not ours
 *
 * The file is opened once, and read and written through that descriptor: a user who can write to
 * its directory can replace the file at any moment.
 *
 * The usual reader reads the file; its results are checked again, because we write here: rows in
 * order, inside the file, whole pages. The marker adds what only a recorder knows (see layout.c).
 * If anything is inconsistent, the file is not changed.
 *
 * The directory has the state of the last flush. Data that reached the file later follows the data
 * that the directory names. Accepted are uncompressed sub-buffers that are completely stored, not
 * partly a hole, and have a plausible header (a time that is not 0 and not before that of the
 * previous page, a length that fits), and compressed chunks that contain such pages. If the
 * recorder died while it completed the file, its directory is complete, and what follows a region
 * may be another one that was moved there: nothing is added.
 *
 * A killed repair can be repaired again. A repair that finds a lock does nothing.
 */
#include "base/files/outplace.h"
#include "format/tracedat.h"
#include "store/live/livefile_int.h"
#include "store/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_MAX_BYTES (16u << 20) /* the maximum of readers */
#define CHUNK_EXTRA	4096u	    /* what compression may add */
#define MARKER_WORD	"sonde-recording"

struct shape { /* of sub-buffers */
	bool swap;
	uint8_t long_size, data_offset;
	enum compression compression;
};

/*
 * --- what was not in the directory -------------------------------------------------------------
 */

/* Can it be a page that comes after *last? If so, sets *last to its time. */
static bool is_believable(const struct shape *s, const uint8_t *page, uint32_t page_size,
			  uint64_t *last)
{
	uint64_t ts = bytes_get64(page, s->swap);
	uint64_t used = bytes_get(page + 8, s->long_size, s->swap) & SNF_COMMIT_MASK;

	if (!ts || ts < *last || !used || used > page_size - s->data_offset)
		return false;
	*last = ts;
	return true;
}

static bool read_exactly(int fd, void *to, size_t n, uint64_t pos)
{
	return pread(fd, to, n, pos) == (ssize_t)n;
}

/* The end of the data stored at pos; if unknown, everything counts as stored. */
static uint64_t stored_end(int fd, uint64_t pos, uint64_t limit)
{
	off_t hole = lseek(fd, pos, SEEK_HOLE), data = lseek(fd, pos, SEEK_DATA);

	if (hole < 0 && errno == ENXIO)
		return pos;
	if (hole < 0)
		return limit;
	return data != (off_t)pos ? pos : (uint64_t)hole;
}

static void find_pages(struct liveregion *r, const struct shape *s, uint64_t limit)
{
	uint64_t last = 0, stored = r->end;
	uint8_t header[16];

	if (r->end > r->start && read_exactly(r->fd, header, 16, r->end - r->page_size))
		last = bytes_get64(header, s->swap);
	while (limit > r->end && limit - r->end >= r->page_size) {
		if (stored < r->end + r->page_size)
			stored = stored_end(r->fd, r->end, limit);
		if (stored < r->end + r->page_size ||
		    !read_exactly(r->fd, header, sizeof(header), r->end) ||
		    !is_believable(s, header, r->page_size, &last))
			return;
		r->end += r->page_size;
	}
}

/* The size of a chunk with its header, or 0 if there is none at pos. */
static uint64_t chunk_at(const struct liveregion *r, const struct shape *s, uint64_t pos,
			 uint64_t limit, uint32_t *ret_plain)
{
	uint8_t header[8];
	uint32_t packed;

	if (pos >= limit || limit - pos < 8 || !read_exactly(r->fd, header, 8, pos))
		return 0;
	packed = bytes_get32(header, s->swap);
	*ret_plain = bytes_get32(header + 4, s->swap);
	if (!packed || !*ret_plain || *ret_plain > CHUNK_MAX_BYTES || *ret_plain % r->page_size ||
	    packed > *ret_plain + CHUNK_EXTRA || packed > limit - pos - 8)
		return 0;
	return 8 + (uint64_t)packed;
}

/* Does the chunk contain plausible pages? */
static bool check_chunk(const struct liveregion *r, const struct shape *s, uint64_t pos,
			uint64_t n_bytes, uint32_t plain, uint64_t *last)
{
	uint8_t *packed = malloc(n_bytes - 8), *pages = malloc(plain);
	struct piece piece = {packed, n_bytes - 8};
	bool good = packed && pages && read_exactly(r->fd, packed, n_bytes - 8, pos + 8) &&
		    unpack(s->compression, piece, pages, plain) == 0;

	for (uint32_t at = 0; at < plain && good; at += r->page_size)
		good = is_believable(s, pages + at, r->page_size, last);
	free(packed);
	free(pages);
	return good;
}

/* Counts the chunks in the directory and searches for more; r->end is the directory's. */
static void find_chunks(struct liveregion *r, const struct shape *s, uint64_t limit)
{
	uint64_t pos = r->start + 4, known = r->end, n, before = 0, before_bytes = 0, last = 0;
	uint32_t plain, before_plain = 0;

	for (; (n = chunk_at(r, s, pos, limit, &plain)); pos += n) {
		if (pos >= known) {
			if (before)
				check_chunk(r, s, before, before_bytes, before_plain, &last);
			before = 0;
			if (!check_chunk(r, s, pos, n, plain, &last))
				break;
		} else {
			before = pos;
			before_bytes = n;
			before_plain = plain;
		}
		r->n_chunks++;
	}
	r->end = r->n_chunks ? pos : r->start;
	r->n_counted = ~r->n_chunks;
}

static int find_more(struct livefile *f, const struct shape *s)
{
	for (uint32_t i = 0; i < f->n_regions; i++) {
		struct liveregion *r = f->regions[i];

		if (livefile_is_packed(f))
			find_chunks(r, s, r->limit);
		else
			find_pages(r, s, r->limit);
		/* from now on its length is that of its data */
		if (r->temp_name && r->fd >= 0 && ftruncate(r->fd, r->end) < 0)
			return -errno;
	}
	return 0;
}

/*
 * --- the file as a struct livefile -------------------------------------------------------------
 */

/* Where the marker would be: after the headers of sections, or the tables. */
static uint64_t marker_place(const struct tracefile *tf)
{
	uint64_t place = 0;

	if (tf->n_buffers && tf->version == 7)
		return tf->buffers[0].section_offset +
		       tf->n_buffers * (uint64_t)LIVEFILE_HEADER_STEP;
	for (size_t i = 0; i < tf->n_buffers; i++) {
		const struct tracefile_buffer *b = &tf->buffers[i];
		uint64_t end = b->section_offset + b->n_cpus * (uint64_t)16;

		if (b->clock)
			end += 8 + strlen(b->clock) + 2;
		place = end > place ? end : place;
	}
	return place;
}

static bool has_marker(const struct tracefile *tf)
{
	uint64_t at = marker_place(tf);

	return at && at < tf->map.len && tf->map.len - at >= sizeof(MARKER_WORD) &&
	       !memcmp(tf->map.data + at, MARKER_WORD, sizeof(MARKER_WORD));
}

static int add_buffers(struct livefile *f, const struct tracefile *tf, struct errmsg *err)
{
	for (size_t i = 0; i < tf->n_buffers; i++) {
		const struct tracefile_buffer *b = &tf->buffers[i];
		struct livefile_buffer lb = {b->name, b->clock, b->page_size, b->n_cpus, 0};
		int r;

		for (size_t k = 0; k < b->n_cpus; k++)
			if (b->cpus[k].cpu != k)
				return -EBADMSG;
		if (b->is_text || (tf->version == 7 && b->compressed != livefile_is_packed(f)) ||
		    (i && !*b->name))
			return -EBADMSG;
		r = livefile_add_buffer(f, &lb, err);
		if (r < 0)
			return r;
	}
	return livefile_make_regions(f, err);
}

static const struct tracefile_section *find_section(const struct tracefile *tf, uint64_t offset)
{
	for (size_t i = 0; i < tf->n_sections; i++)
		if (tf->sections[i].offset == offset)
			return &tf->sections[i];
	return NULL;
}

static void take_strings(struct livefile *f, const struct tracefile *tf)
{
	for (size_t i = tf->n_sections; i-- > 0;) {
		const struct tracefile_section *s = &tf->sections[i];
		uint64_t start = s->offset + SNF_SECTION_HEADER_BYTES;

		if (s->id != SNF_OPTION_STRINGS || s->flags & SNF_SECTION_COMPRESSED)
			continue;
		if (s->n_bytes <= tf->map.len - start)
			writer_add_bytes(&f->w->strings, tf->map.data + start, s->n_bytes);
		return;
	}
}

static int take_directory_v7(struct livefile *f, const struct tracefile *tf)
{
	const struct tracefile_section *s;
	uint64_t first = tf->buffers[0].section_offset;

	livefile_encode(f, false);
	if (f->dir.overflow || first < f->headers_at)
		return -EBADMSG;
	f->dir_at = first - f->headers_at;
	s = find_section(tf, f->dir_at);
	if (!s || s->id != SNF_SECTION_OPTIONS ||
	    s->n_bytes != f->headers_at - SNF_SECTION_HEADER_BYTES)
		return -EBADMSG;
	f->options_description = s->description;
	for (size_t i = 0; i < f->n_buffers; i++) {
		s = find_section(tf, tf->buffers[i].section_offset);
		if (!s || tf->buffers[i].section_offset != first + i * LIVEFILE_HEADER_STEP)
			return -EBADMSG;
		f->buffers[i].description = s->description;
	}
	/* CMDLINES is the first option, DONE the last one */
	f->cmdlines_at =
		bytes_get64(tf->map.data + f->dir_at + SNF_SECTION_HEADER_BYTES + 6, tf->swap);
	f->next_options = bytes_get64(tf->map.data + first - 8, tf->swap);
	take_strings(f, tf);
	return 0;
}

static int take_directory_v6(struct livefile *f, struct tracefile *tf)
{
	struct piece text = tracefile_text(tf, TRACEFILE_CMDLINES);

	f->dir_at = tf->buffers[0].section_offset - SNF_TAG_BYTES;
	f->w->has_clock_option = tracefile_option_find(tf, SNF_OPTION_TRACECLOCK);
	f->w->cmdlines_at = text.data - tf->map.data;
	f->w->cmdlines_room = text.len;
	f->w->texts[TRACEFILE_CMDLINES].len = strnlen((const char *)text.data, text.len);
	livefile_encode(f, false);
	for (size_t i = 0; i < f->n_buffers; i++)
		if (f->buffers[i].header_at + SNF_TAG_BYTES != tf->buffers[i].section_offset)
			return -EBADMSG;
	return f->dir.overflow ? -EBADMSG : 0;
}

/* Those in the file, or better ones from the caller. */
static int take_cmdlines(struct livefile *f, struct tracefile *tf, struct piece cmdlines)
{
	if (!cmdlines.len && tf->version == 7)
		cmdlines = tracefile_text(tf, TRACEFILE_CMDLINES);
	else
		f->has_late_cmdlines = cmdlines.len;
	writer_add_bytes(&f->cmdlines, cmdlines.data, cmdlines.len);
	return f->cmdlines.overflow ? -ENOMEM : 0;
}

/*
 * --- regions -----------------------------------------------------------------------------------
 */

/* A temporary file of this recording: a regular file of the same owner, or -1. */
static int open_temp(struct livefile *f, const char *name)
{
	struct errmsg ignored = {0};
	struct stat ours, temp;
	int fd;

	/* the file names the directory, so it may belong to anybody */
	if (f->temp.dir < 0 && outplace_open(&f->temp, f->temp_dir, OUTPLACE_DIR, &ignored) < 0)
		return -1;
	fd = outplace_open_in(&f->temp, name);
	if (fd < 0)
		return -1;
	if (fstat(f->fd, &ours) == 0 && fstat(fd, &temp) == 0 && S_ISREG(temp.st_mode) &&
	    temp.st_uid == ours.st_uid && temp.st_size < INT64_MAX)
		return fd;
	close(fd);
	return -1;
}

/* A region whose data is still in its temporary file, or was just moved from there. */
static int take_temp(struct livefile *f, struct liveregion *r, bool is_in_file)
{
	char *name = livefile_temp_name(f, f->w->buffers[r->buffer].name, r->cpu);
	int fd = name && !strchr(name, '/') ? open_temp(f, name) : -1;
	uint64_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);

	if (is_in_file) {
		if (fd >= 0) {
			outplace_unlink_in(&f->temp, name);
			close(fd);
		}
		free(name);
		return name ? 0 : -ENOMEM;
	}
	r->temp_name = name;
	r->fd = fd;
	r->limit = size;
	if (!name || (fd >= 0 && r->start > size))
		return name ? -EBADMSG : -ENOMEM;
	if (fd < 0)
		r->start = r->limit = 0;
	r->end = r->start;
	if (f->flags & LIVEFILE_FINISHING && fd >= 0)
		r->end = livefile_is_packed(f)
				 ? size
				 : r->start + round_down_to(size - r->start, r->page_size);
	return 0;
}

static bool region_is_sound(const struct livefile *f, const struct liveregion *r, uint64_t from)
{
	if (r->start < from || r->end < r->start || r->end > f->tail_at)
		return false;
	return livefile_is_packed(f) ||
	       (r->start % r->page_size == 0 && (r->end - r->start) % r->page_size == 0);
}

static int take_region(struct livefile *f, struct liveregion *r, const struct tracefile_cpu *cpu,
		       uint64_t *pos)
{
	bool finishing = f->flags & LIVEFILE_FINISHING;
	int ret = 0;

	r->fd = f->fd;
	r->start = cpu->offset;
	if (cpu->n_bytes_stated > INT64_MAX || cpu->offset > INT64_MAX)
		return -EBADMSG;
	r->end = r->start + cpu->n_bytes_stated;
	if (f->flags & LIVEFILE_TEMP)
		ret = take_temp(f, r, cpu->n_bytes_stated);
	if (finishing && r->end > r->start)
		r->n_chunks = r->n_counted = 1; /* the data itself has the number */
	if (ret < 0 || r->temp_name || (finishing && !cpu->n_bytes_stated))
		return ret;
	if (!region_is_sound(f, r, *pos))
		return -EBADMSG;
	*pos = r->end;
	return 0;
}

/*
 * A row that promises more than is stored must not make us copy terabytes of holes. Data that was
 * moved already is missing at its front.
 */
static int clip_to_stored(struct livefile *f, struct liveregion *r)
{
	uint64_t n = r->end - r->start, stored;
	uint64_t gone = f->moving == r->number + 1 ? f->moved : 0;

	if (gone >= n)
		return gone == n ? 0 : -EBADMSG;
	stored = stored_end(r->fd, r->start + gone, r->end);
	if (stored >= r->end)
		return 0;
	if (f->flags & LIVEFILE_FINISHING)
		return -EBADMSG;
	if (!livefile_is_packed(f))
		r->end = r->start + round_down_to(stored - r->start, r->page_size);
	return 0;
}

static int take_regions(struct livefile *f, const struct tracefile *tf)
{
	uint64_t pos = f->data_at, limit = f->tail_at;
	int ret = 0;

	for (uint32_t i = 0; i < f->n_regions && !ret; i++) {
		struct liveregion *r = f->regions[i];

		ret = take_region(f, r, &tf->buffers[r->buffer].cpus[r->cpu], &pos);
	}
	for (uint32_t i = f->n_regions; i-- > 0 && !ret;) {
		struct liveregion *r = f->regions[i];

		if (!r->temp_name) {
			r->limit = limit;
			limit = r->start;
		}
	}
	return ret;
}

static int clip_regions(struct livefile *f)
{
	int r = 0;

	for (uint32_t i = 0; i < f->n_regions && !r; i++)
		r = clip_to_stored(f, f->regions[i]);
	return r;
}

/*
 * --- all together ------------------------------------------------------------------------------
 */

/* The length of the file shows whether a hole was closed that the directory still describes. */
static int settle_length(struct livefile *f)
{
	off_t size = lseek(f->fd, 0, SEEK_END);
	uint64_t wanted = f->tail_at + f->tail_bytes;

	if (size < 0)
		return -errno;
	if ((uint64_t)size < wanted && !(f->flags & LIVEFILE_FINISHING))
		return -EBADMSG;
	return livefile_catch_up(f, (uint64_t)size < wanted ? wanted - size : 0);
}

static int load(struct livefile *f, struct tracefile *tf, struct piece cmdlines, struct errmsg *err)
{
	struct shape shape = {tf->swap, tf->long_size, tf->data_offset, tf->compression};
	int r;

	writer_set_cpu_count(f->w, tf->cpu_count);
	r = add_buffers(f, tf, err);
	if (!r)
		r = tf->version == 7 ? take_directory_v7(f, tf) : take_directory_v6(f, tf);
	if (!r)
		r = livefile_read_marker(f, tf->map);
	if (!r)
		r = take_regions(f, tf);
	if (!r)
		r = take_cmdlines(f, tf, cmdlines);
	if (!r)
		r = settle_length(f);
	if (!r)
		r = clip_regions(f);
	if (!r && !(f->flags & LIVEFILE_FINISHING))
		r = find_more(f, &shape);
	if (!(f->flags & LIVEFILE_TAIL))
		f->next_options = 0;
	return r;
}

static int open_dead(struct livefile **ret_file, const char *path, struct outplace *place,
		     const struct tracefile *tf, struct errmsg *err)
{
	struct livefile_config lc = {.path = path, .page_size = tf->page_size};
	struct livefile *f = livefile_new(&lc);
	struct writer_config wc = {.version = tf->version,
				   .compression = tf->compression,
				   .plain_data = tf->n_buffers && !tf->buffers[0].compressed,
				   .big_endian = tf->big_endian,
				   .long_size = tf->writer_long_size,
				   .page_size = tf->page_size,
				   .n_threads = 1};
	int r;

	if (!f)
		return errmsg_set_errno(err, -ENOMEM, "cannot repair %s", path);
	wc.path = f->path;
	r = writer_reopen(&f->w, &wc, place, err);
	if (!r) {
		f->w->is_live = true;
		f->is_started = true;
		f->fd = outfile_fd(f->w->out);
		if (!livefile_lock(f->fd))
			r = errmsg_set(err, -EBUSY,
				       "%s is still being recorded; end the recording first", path);
	}
	if (r < 0) {
		livefile_free(f);
		return r;
	}
	*ret_file = f;
	return 0;
}

/*
 * first has a marker. The file is read again after we have the lock; until then it may have
 * changed.
 */
static int repair(const char *path, struct outplace *place, const struct tracefile *first,
		  struct piece cmdlines, struct errmsg *err)
{
	struct livefile *f = NULL;
	struct tracefile *tf;
	int r = open_dead(&f, path, place, first, err);

	if (r < 0)
		return r;
	r = tracefile_open_fd(&tf, f->fd, path, err);
	if (!r && has_marker(tf)) {
		r = load(f, tf, cmdlines, err);
		tracefile_close(tf);
		if (r < 0)
			r = errmsg_set(err, r,
				       "cannot repair %s: its directory is damaged; sonde did not "
				       "change it, and can read it as far as it goes",
				       path);
		if (!r)
			return livefile_finish(f, err);
	} else if (!r) {
		tracefile_close(tf);
	}
	livefile_free(f);
	return r;
}

static int repair_open(const char *path, struct outplace *place, struct piece cmdlines,
		       struct errmsg *err)
{
	struct tracefile *tf;
	int r = tracefile_open_fd(&tf, place->fd, path, err);

	if (r < 0)
		return r;
	if (has_marker(tf))
		r = repair(path, place, tf, cmdlines, err);
	else if (tf->n_damage)
		r = errmsg_set(
			err, -ENOTSUP,
			"%s is not from a recording of sonde, so sonde does not repair it; it "
			"can be read as far as it goes",
			path);
	tracefile_close(tf);
	return r;
}

int livefile_repair_only(const char *path, const struct livefile_id *id, struct piece cmdlines,
			 struct errmsg *err)
{
	struct outplace place;
	int r;

	if (id && !livefile_is_at(path, id)) /* not even opened */
		return 0;
	r = outplace_open(&place, path, OUTPLACE_UPDATE, err);
	if (r < 0)
		return r;
	if (!id || livefile_fd_is(place.fd, id))
		r = repair_open(path, &place, cmdlines, err);
	outplace_close(&place);
	return r;
}

int livefile_repair(const char *path, struct piece cmdlines, struct errmsg *err)
{
	return livefile_repair_only(path, NULL, cmdlines, err);
}
