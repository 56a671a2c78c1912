// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * repair.c - completes the file of a recorder that was killed.
 *
 *  outplace_open ─▶ marker? ─▶ struct livefile, from its directory ─▶ more pages? ─▶ livefile_close
 *                      └ no: nothing to do, or not ours
 *
 * The file is opened once, and read and written through that descriptor: a user who can write to
 * its directory can replace the file at any moment.
 *
 * The usual reader reads the file. Its results are checked again, because the repair writes to the
 * file: rows in order, inside the file, whole pages. The marker adds what only a recorder knows
 * (see layout.c). If anything is inconsistent, the file is not changed.
 *
 * The directory has the state of the last flush. Data that reached the file later follows the data
 * that the directory names. An uncompressed sub-buffer is accepted if it contains no hole and has
 * a plausible header (a time that is not 0 and not before that of the previous page, a length that
 * fits). A compressed chunk is accepted if it contains such pages. If the recorder was killed
 * while it completed the file, its directory is complete. Then nothing is added, because the data
 * after a region may belong to another region that was moved there.
 *
 * A killed repair can be repaired again. A repair that finds a lock does nothing.
 */
#include "base/array.h"
#include "base/files/outplace.h"
#include "base/scope.h"
#include "format/tracedat.h"
#include "store/live/livefile_int.h"
#include "store/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_MAX_BYTES (16u << 20) /* the maximum that readers accept */
#define CHUNK_EXTRA	4096u	    /* bytes that compression may add to a chunk */
#define MARKER_WORD	"sonde-recording"

struct shape { /* sizes in the header of sub-buffers */
	bool swap;
	uint8_t long_size, data_offset;
	enum compression compression;
};

/*
 * --- what was not in the directory -------------------------------------------------------------
 */

/*
 * Returns true if the page can follow a page with the time *last. Then sets *last to the time of
 * the page.
 */
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

/*
 * Returns the end of the data stored at pos. If it is unknown, everything up to the limit counts as
 * stored.
 */
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

/* Returns the size of the chunk at pos, with its header, or 0 if there is none. */
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

/* Returns true if the chunk contains plausible pages. */
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

/*
 * Counts the chunks in the directory and searches for more. r->end is the end according to the
 * directory.
 */
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

		if (liveregion_is_packed(r))
			find_chunks(r, s, r->limit);
		else
			find_pages(r, s, r->limit);
		/* from now on the length of the temporary file is that of its data */
		if (r->temp_name && r->fd >= 0 && ftruncate(r->fd, r->end) < 0)
			return -errno;
	}
	return 0;
}

/*
 * --- the file as a struct livefile -------------------------------------------------------------
 */

/* Returns where the marker would be: after the headers of sections, or after the tables. */
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
		struct livefile_buffer lb = {
			.name = b->name,
			.clock = b->clock,
			.page_size = b->page_size,
			.n_cpus = b->n_cpus,
			.packed = b->compressed,
		};
		int r;

		for (size_t k = 0; k < b->n_cpus; k++)
			if (b->cpus[k].cpu != k)
				return -EBADMSG;
		if (b->is_text || (i && !*b->name) ||
		    (b->compressed && tf->compression == COMPRESSION_NONE))
			return -EBADMSG;
		r = livefile_add_buffer(f, &lb, err);
		TRY(r);
	}
	return livefile_make_regions(f, err);
}

static const struct tracefile_section *find_section(const struct tracefile *tf, uint64_t offset)
{
	return ARRAY_FIND(tf->sections, tf->n_sections, i, tf->sections[i].offset == offset);
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

/* Takes the names of tasks in the file, or better ones from the caller. */
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

/*
 * Opens a temporary file of this recording: a regular file of the same owner. Returns -1 if there
 * is none.
 */
static int open_temp(struct livefile *f, const char *name)
{
	struct errmsg ignored = {0};
	struct stat ours, temp;
	int fd;

	/* the path comes from the file, so the directory may belong to any user */
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

/* Restores a region whose data is still in its temporary file, or was just moved from there. */
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
		r->end = liveregion_is_packed(r)
				 ? size
				 : r->start + round_down_to(size - r->start, r->page_size);
	return 0;
}

static bool region_is_sound(const struct livefile *f, const struct liveregion *r, uint64_t from)
{
	if (r->start < from || r->end < r->start || r->end > f->tail_at)
		return false;
	return liveregion_is_packed(r) ||
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
		r->n_chunks = r->n_counted = 1; /* the data itself has the true number */
	if (ret < 0 || r->temp_name || (finishing && !cpu->n_bytes_stated))
		return ret;
	if (!region_is_sound(f, r, *pos))
		return -EBADMSG;
	*pos = r->end;
	return 0;
}

/*
 * Limits a row to the stored data, so that terabytes of holes are not copied. Data that was already
 * moved is missing at the front of the region.
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
	if (!liveregion_is_packed(r))
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

/*
 * Derives from the length of the file whether a hole was closed that the directory still describes.
 */
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

/* Takes the symbols that came during the recording: they are after the tail, which is replaced. */
static int take_symbols(struct livefile *f, struct tracefile *tf, struct errmsg *err)
{
	struct piece text = f->next_options ? tracefile_text(tf, TRACEFILE_KALLSYMS) : PIECE_EMPTY;

	return text.len ? livefile_add_text(f, TRACEFILE_KALLSYMS, text, err) : 0;
}

static int load(struct livefile *f, struct tracefile *tf, struct piece cmdlines, struct errmsg *err)
{
	struct shape shape = {tf->swap, tf->long_size, tf->data_offset, tf->compression};

	writer_set_cpu_count(f->w, tf->cpu_count);
	TRY(add_buffers(f, tf, err));
	TRY(tf->version == 7 ? take_directory_v7(f, tf) : take_directory_v6(f, tf));
	TRY(livefile_read_marker(f, tf->map));
	TRY(take_regions(f, tf));
	TRY(take_cmdlines(f, tf, cmdlines));
	TRY(settle_length(f));
	TRY(clip_regions(f));
	if (!(f->flags & LIVEFILE_FINISHING))
		TRY(find_more(f, &shape));
	if (!(f->flags & LIVEFILE_TAIL)) {
		TRY(take_symbols(f, tf, err));
		f->next_options = 0;
	}
	return 0;
}

static int open_dead(struct livefile **ret_file, const char *path, struct outplace *place,
		     const struct tracefile *tf, struct errmsg *err)
{
	struct livefile_config lc = {.path = path, .page_size = tf->page_size};
	SCOPED(livefile_free_scoped) struct livefile *f = livefile_new(&lc);
	struct writer_config wc = {.version = tf->version,
				   .compression = tf->compression,
				   .plain_data =
					   true, /* each buffer has its own flag for compression */
				   .big_endian = tf->big_endian,
				   .long_size = tf->writer_long_size,
				   .page_size = tf->page_size,
				   .n_threads = 1};

	if (!f)
		return errmsg_set_errno(err, -ENOMEM, "cannot repair %s", path);
	wc.path = f->path;
	TRY(writer_reopen(&f->w, &wc, place, err));
	f->w->is_live = true;
	f->is_started = true;
	f->fd = outfile_fd(f->w->out);
	if (!livefile_lock(f->fd))
		return errmsg_set(err, -EBUSY,
				  "%s is still being recorded; end the recording first", path);
	*ret_file = TAKE(f);
	return 0;
}

static int load_dead(struct livefile *f, const char *path, struct piece cmdlines, bool *ret_is_live,
		     struct errmsg *err)
{
	SCOPED(tracefile_close_scoped) struct tracefile *tf = NULL;
	int r;

	TRY(tracefile_open_fd(&tf, f->fd, path, err));
	*ret_is_live = has_marker(tf);
	r = *ret_is_live ? load(f, tf, cmdlines, err) : 0;
	if (r < 0)
		return errmsg_set(err, r,
				  "cannot repair %s: its directory is damaged; sonde did not "
				  "change it, and can read it as far as it goes",
				  path);
	return 0;
}

/*
 * Repairs a file that has a marker. The file is read again under the lock, because it may have
 * changed since `first` was read.
 */
static int repair(const char *path, struct outplace *place, const struct tracefile *first,
		  struct piece cmdlines, struct errmsg *err)
{
	SCOPED(livefile_free_scoped) struct livefile *f = NULL;
	bool is_live = false;

	TRY(open_dead(&f, path, place, first, err));
	TRY(load_dead(f, path, cmdlines, &is_live, err));
	return is_live ? livefile_finish(TAKE(f), err) : 0;
}

static int repair_open(const char *path, struct outplace *place, struct piece cmdlines,
		       struct errmsg *err)
{
	struct tracefile *tf;
	int r = tracefile_open_fd(&tf, place->fd, path, err);

	TRY(r);
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

	if (id && !livefile_is_at(path, id)) /* the other file is not even opened */
		return 0;
	r = outplace_open(&place, path, OUTPLACE_UPDATE, err);
	TRY(r);
	if (!id || livefile_fd_is(place.fd, id))
		r = repair_open(path, &place, cmdlines, err);
	outplace_close(&place);
	return r;
}

int livefile_repair(const char *path, struct piece cmdlines, struct errmsg *err)
{
	return livefile_repair_only(path, NULL, cmdlines, err);
}
