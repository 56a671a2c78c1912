// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * layout.c - the layout of a file that is being recorded.
 *
 *	version 7                                        version 6
 *	┌───────────────────────────────────────────┐   ┌─────────────────────────────────────┐
 *	│ head, texts, OPTIONS: where they are  ──┐  │   │ head, texts, room for names of tasks │
 *	├─────────────────────────────────────────┼─┤   │ number of CPUs, options              │
 *	│ OPTIONS: CMDLINES, BUFFER … DONE     ◀──┘ │   ├─────────────────────────────────────┤
 *	│ BUFFER header, header …                   │ D │ flyrecord table, flyrecord table …   │
 *	│ marker                                    │   │ marker                               │
 *	├─────────────────────────────────────────── data_at ──────────────────────────────────┤
 *	│ region 0 …                     hole       │   │                                      │
 *	│ region 1 …                     hole       │   │ the same                             │
 *	├─────────────────────────────────────────── tail_at ──────────────────────────────────┤
 *	│ STRINGS, CMDLINES filled up with zeros    │   │ zeros                                │
 *	└───────────────────────────────────────────┘   └─────────────────────────────────────┘
 *
 * Only D, the directory, changes while data is added and dropped. It is built in memory and
 * written with one pwrite(), so that a crash in between is very unlikely. Its size never changes.
 *
 * During the recording every CPU has a row, with data or not, and its offset is the beginning of
 * its region. The BUFFER sections of version 7 are next to each other: each header is followed by
 * 16 unused bytes, and the last one spans the marker and all regions. In the complete file rows
 * without data are omitted (the section keeps its size; nothing reads what follows DONE), and each
 * BUFFER header is before the data of its buffer.
 *
 * The marker says that the file is incomplete and describes its state:
 *
 *	"sonde-recording\0"  u32 version  u32 flags  u64 data_at  u64 tail_at  u64 tail_bytes
 *	u32 moving  u32 0  u64 moved  u32 align  u32 regions  u16 length, name of the temporary
 *	                                                      directory
 *
 * The distance of two regions is the most that a region can need, within the limits of the file
 * system and TOTAL_MAX_BYTES for all; nothing is stored in between. They begin at multiples of
 * `align`, which is a multiple of the file system's blocks (the unit of holes) and of the
 * sub-buffers. A file system that cannot punch holes may not support holes at all, and gets
 * temporary files. The tail is allocated at the start, so that a full disk does not prevent a
 * proper end.
 */
#include "base/scope.h"
#include "base/textbuf.h"
#include "format/tracedat.h"
#include "store/live/livefile_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* ext4 supports files of 16 TB, and the kernel mappings of 128 TB */
#define TOTAL_MAX_BYTES	 ((uint64_t)8 << 40)
/* if less space is available, regions become temporary files */
#define REGION_MIN_BYTES ((uint64_t)4 << 30)
#define BLOCK_MAX_BYTES	 65536u
#define ALIGN_MAX_BYTES	 (64u << 20)
#define TAIL_MIN_BYTES	 ((uint64_t)1 << 20) /* space for the names of 50 000 tasks */
#define TAIL_CPU_BYTES	 512		     /* space for the statistics of a CPU */
#define LIVE_SYMBOLS_MAX (64u << 20)
#define LIVE_TAIL_MAX	 (64u << 20)
#define MARKER_MAGIC	 "sonde-recording"
#define MARKER_VERSION	 1
#define MARKER_BYTES	 74 /* size of the marker without the name of the directory */
#define MARKER_MOVED_AT	 48

int livefile_pwrite(int fd, const void *data, size_t n_bytes, uint64_t pos)
{
	const char *p = data;

	while (n_bytes) {
		ssize_t n = pwrite(fd, p, n_bytes, pos);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		p += n;
		pos += n;
		n_bytes -= n;
	}
	return 0;
}

bool livefile_punch(int fd, uint64_t from, uint64_t to)
{
	return from >= to ||
	       fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, to - from) == 0;
}

/*
 * --- the directory -----------------------------------------------------------------------------
 */

static const struct writer_out *buffer_out(const struct livefile *f, uint32_t rank)
{
	return &f->w->buffers[f->order[rank]];
}

static void add_zeros(struct textbuf *tb, size_t n)
{
	static const char zeros[64];

	for (; n > sizeof(zeros); n -= sizeof(zeros))
		textbuf_add(tb, zeros, sizeof(zeros));
	textbuf_add(tb, zeros, n);
}

/*
 * Makes the row of a region. The thread of the region may change its values at any time, so related
 * values are read under one lock.
 */
static struct writer_cpu make_row(const struct livefile *f, struct liveregion *r)
{
	struct writer_cpu row = {.cpu = r->cpu};
	bool has_data;

	pthread_mutex_lock(&r->lock);
	row.offset = r->start;
	row.n_bytes = r->end - r->start;
	has_data = liveregion_has_data(r);
	pthread_mutex_unlock(&r->lock);
	if (!liveregion_in_file(r) || !has_data)
		row.n_bytes = 0;
	if (f->flags & LIVEFILE_FINISHING && liveregion_in_file(r) && !has_data)
		row.offset = f->data_at;
	return row;
}

/* Makes the rows of a buffer. The complete file has only rows with data. */
static size_t make_rows(const struct livefile *f, uint32_t rank, struct writer_cpu *rows,
			bool final)
{
	const struct livebuffer *b = &f->buffers[f->order[rank]];
	size_t n = 0;

	for (uint32_t cpu = 0; cpu < b->n_cpus; cpu++) {
		rows[n] = make_row(f, &b->regions[cpu]);
		n += !final || rows[n].n_bytes;
	}
	return n;
}

static size_t buffer_option_bytes(const struct livefile *f, uint32_t rank, size_t n_rows)
{
	const struct writer_out *b = buffer_out(f, rank);

	return 8 + strlen(b->name) + 1 + (b->clock ? strlen(b->clock) : 0) + 1 + 8 + 20 * n_rows;
}

static size_t options_bytes(const struct livefile *f)
{
	size_t n = 14 + 14; /* CMDLINES and DONE */

	for (uint32_t rank = 0; rank < f->n_buffers; rank++)
		n += 6 + buffer_option_bytes(f, rank, f->buffers[f->order[rank]].n_cpus);
	return n;
}

static void add_buffer_option(struct livefile *f, uint32_t rank, struct writer_cpu *rows,
			      bool final)
{
	struct livebuffer *b = &f->buffers[f->order[rank]];
	size_t n = make_rows(f, rank, rows, final), n_bytes = buffer_option_bytes(f, rank, n);

	writer_add_number(f->w, &f->dir, SNF_OPTION_BUFFER, 2);
	writer_add_number(f->w, &f->dir, n_bytes, 4);
	writer_add_buffer_option_v7(f->w, &f->dir, buffer_out(f, rank), b->header_at, rows, n);
	for (uint32_t cpu = 0; cpu < b->n_cpus; cpu++) {
		b->regions[cpu].row_at = textbuf_len(&f->dir) - 20 * (b->n_cpus - cpu) + 4;
		b->regions[cpu].has_row = !final;
	}
}

/* Returns where the section of a buffer ends: at the next section, or at the tail. */
static uint64_t section_end(const struct livefile *f, uint32_t rank)
{
	return rank + 1 < f->n_buffers ? f->buffers[f->order[rank + 1]].header_at : f->tail_at;
}

/* Returns the place of a BUFFER header that has no data before it. */
static uint64_t waiting_place(const struct livefile *f, uint32_t rank)
{
	return f->dir_at + f->headers_at + rank * (uint64_t)LIVEFILE_HEADER_STEP;
}

static void add_headers(struct livefile *f)
{
	for (uint32_t rank = 0; rank < f->n_buffers; rank++) {
		const struct livebuffer *b = &f->buffers[f->order[rank]];
		uint64_t n = section_end(f, rank) - b->header_at - SNF_SECTION_HEADER_BYTES;

		if (b->header_at == waiting_place(f, rank))
			writer_add_section_header_v7(f->w, &f->dir, SNF_OPTION_BUFFER, b->is_packed,
						     b->description, n);
		else
			add_zeros(&f->dir, SNF_SECTION_HEADER_BYTES);
		add_zeros(&f->dir, LIVEFILE_HEADER_STEP - SNF_SECTION_HEADER_BYTES);
	}
}

static void add_directory_v7(struct livefile *f, struct writer_cpu *rows, bool final)
{
	f->headers_at = SNF_SECTION_HEADER_BYTES + options_bytes(f);
	for (uint32_t rank = 0; rank < f->n_buffers && !final; rank++)
		f->buffers[f->order[rank]].header_at = waiting_place(f, rank);
	writer_add_section_header_v7(f->w, &f->dir, SNF_SECTION_OPTIONS, false,
				     f->options_description, options_bytes(f));
	writer_add_number(f->w, &f->dir, SNF_OPTION_CMDLINES, 2);
	writer_add_number(f->w, &f->dir, 8, 4);
	writer_add_number(f->w, &f->dir, f->cmdlines_at, 8);
	for (uint32_t rank = 0; rank < f->n_buffers; rank++)
		add_buffer_option(f, rank, rows, final);
	writer_add_number(f->w, &f->dir, SNF_OPTION_DONE, 2);
	writer_add_number(f->w, &f->dir, 8, 4);
	writer_add_number(f->w, &f->dir, f->next_options, 8);
	/* fill the room of the omitted rows */
	add_zeros(&f->dir, f->headers_at - textbuf_len(&f->dir));
	add_headers(f);
}

static void add_table_v6(struct livefile *f, uint32_t rank)
{
	struct livebuffer *b = &f->buffers[f->order[rank]];
	const char *clock = writer_clock_v6(buffer_out(f, rank));

	b->header_at = f->dir_at + textbuf_len(&f->dir);
	textbuf_add(&f->dir, SNF_TAG_FLY, SNF_TAG_BYTES);
	for (uint32_t cpu = 0; cpu < f->w->cpu_count; cpu++) {
		struct writer_cpu row = {cpu, f->data_at, 0};

		if (cpu < b->n_cpus) {
			row = make_row(f, &b->regions[cpu]);
			b->regions[cpu].row_at = textbuf_len(&f->dir);
			b->regions[cpu].has_row = true;
		}
		writer_add_number(f->w, &f->dir, row.offset, 8);
		writer_add_number(f->w, &f->dir, row.n_bytes, 8);
	}
	if (f->w->has_clock_option) {
		writer_add_number(f->w, &f->dir, strlen(clock) + 2, 8);
		textbuf_add(&f->dir, "[", 1);
		writer_add_bytes(&f->dir, clock, strlen(clock));
		textbuf_add(&f->dir, "]", 1);
	}
}

static void add_marker(struct livefile *f, bool final)
{
	size_t n_dir = f->temp_dir ? strlen(f->temp_dir) : 0;

	f->marker_at = textbuf_len(&f->dir);
	if (final) {
		add_zeros(&f->dir, MARKER_BYTES + n_dir);
		return;
	}
	textbuf_add(&f->dir, MARKER_MAGIC, sizeof(MARKER_MAGIC));
	writer_add_number(f->w, &f->dir, MARKER_VERSION, 4);
	writer_add_number(f->w, &f->dir, f->flags, 4);
	writer_add_number(f->w, &f->dir, f->data_at, 8);
	writer_add_number(f->w, &f->dir, f->tail_at, 8);
	writer_add_number(f->w, &f->dir, f->tail_bytes, 8);
	writer_add_number(f->w, &f->dir, f->moving, 4);
	writer_add_number(f->w, &f->dir, 0, 4);
	writer_add_number(f->w, &f->dir, f->moved, 8);
	writer_add_number(f->w, &f->dir, f->align, 4);
	writer_add_number(f->w, &f->dir, f->n_regions, 4);
	writer_add_number(f->w, &f->dir, n_dir, 2);
	writer_add_bytes(&f->dir, f->temp_dir, n_dir);
}

void livefile_encode(struct livefile *f, bool final)
{
	struct writer_cpu *rows = malloc((f->n_regions + 1) * sizeof(*rows));

	textbuf_clear(&f->dir);
	f->dir.overflow |= !rows;
	if (rows && f->w->config.version == 7)
		add_directory_v7(f, rows, final);
	for (uint32_t rank = 0; rank < f->n_buffers && f->w->config.version == 6; rank++)
		add_table_v6(f, rank);
	add_marker(f, final);
	f->dir_bytes = textbuf_len(&f->dir);
	free(rows);
}

int livefile_write_directory(struct livefile *f)
{
	livefile_encode(f, false);
	if (f->dir.overflow)
		return -ENOMEM;
	return livefile_pwrite(f->fd, f->dir.start, f->dir_bytes, f->dir_at);
}

int livefile_write_row(struct liveregion *r)
{
	struct writer_cpu row = make_row(r->file, r);
	uint8_t bytes[16];

	if (!r->has_row)
		return 0;
	writer_put(r->file->w, bytes, row.offset, 8);
	writer_put(r->file->w, bytes + 8, row.n_bytes, 8);
	return livefile_pwrite(r->file->fd, bytes, 16, r->file->dir_at + r->row_at);
}

int livefile_write_moved(struct livefile *f)
{
	uint8_t bytes[16];

	writer_put(f->w, bytes, f->moving, 4);
	writer_put(f->w, bytes + 4, 0, 4);
	writer_put(f->w, bytes + 8, f->moved, 8);
	return livefile_pwrite(f->fd, bytes, 16, f->dir_at + f->marker_at + MARKER_MOVED_AT);
}

/*
 * Sets f from the directory and the marker of the file. Returns -ENOENT if there is no marker, and
 * -EBADMSG if it is invalid. The contents of the marker are not trusted until they have been
 * compared with the file.
 */
int livefile_read_marker(struct livefile *f, struct piece map)
{
	uint64_t at = f->dir_at + f->marker_at;
	struct byte_reader r = {map.data, map.data + map.len, f->w->swap, false};
	struct piece dir;

	if (at > map.len || map.len - at < MARKER_BYTES)
		return -ENOENT;
	r.pos += at;
	if (memcmp(byte_reader_take(&r, sizeof(MARKER_MAGIC)), MARKER_MAGIC, sizeof(MARKER_MAGIC)))
		return -ENOENT;
	if (byte_reader_take_number(&r, 4) != MARKER_VERSION)
		return -EBADMSG;
	f->flags = byte_reader_take_number(&r, 4);
	f->data_at = byte_reader_take_number(&r, 8);
	f->tail_at = byte_reader_take_number(&r, 8);
	f->tail_bytes = byte_reader_take_number(&r, 8);
	f->moving = byte_reader_take_number(&r, 4);
	byte_reader_take_number(&r, 4);
	f->moved = byte_reader_take_number(&r, 8);
	f->align = byte_reader_take_number(&r, 4);
	if (byte_reader_take_number(&r, 4) != f->n_regions)
		return -EBADMSG;
	dir = byte_reader_take_piece(&r, byte_reader_take_number(&r, 2));
	at += MARKER_BYTES + dir.len;
	if (r.failed || dir.len > LIVEFILE_TEMP_DIR_MAX || memchr(dir.data, 0, dir.len) ||
	    !f->align || f->align > ALIGN_MAX_BYTES || f->data_at < at || f->data_at % f->align ||
	    f->tail_at < f->data_at || f->tail_at % f->align ||
	    f->tail_at > INT64_MAX - f->tail_bytes || f->tail_bytes > INT64_MAX ||
	    f->moving > f->n_regions || !dir.len != !(f->flags & LIVEFILE_TEMP))
		return -EBADMSG;
	f->temp_dir = dir.len ? strndup((const char *)dir.data, dir.len) : NULL;
	return dir.len && !f->temp_dir ? -ENOMEM : 0;
}

/*
 * --- the tail while recording ------------------------------------------------------------------
 */

/*
 * Makes the sections of the tail during the recording. *ret_cmdlines is where the second section
 * begins.
 */
static void make_tail(struct livefile *f, struct textbuf *tb, size_t *ret_cmdlines)
{
	struct writer *w = f->w;
	uint32_t strings = writer_describe_v7(w, "strings");
	uint32_t cmdlines = writer_describe_v7(w, "command lines");
	size_t len = textbuf_len(&f->cmdlines), used;

	writer_add_section_header_v7(w, tb, SNF_OPTION_STRINGS, false, strings,
				     textbuf_len(&w->strings));
	writer_add_bytes(tb, w->strings.start, textbuf_len(&w->strings));
	*ret_cmdlines = textbuf_len(tb);
	used = *ret_cmdlines + SNF_SECTION_HEADER_BYTES + 8;
	if (used + len > f->tail_bytes) /* then the sections are written only at the end */
		len = 0;
	writer_add_section_header_v7(w, tb, SNF_OPTION_CMDLINES, false, cmdlines,
				     f->tail_bytes - *ret_cmdlines - SNF_SECTION_HEADER_BYTES);
	writer_add_number(w, tb, len, 8);
	writer_add_bytes(tb, f->cmdlines.start, len);
	tb->overflow |= used > f->tail_bytes;
}

static int write_tail(struct livefile *f)
{
	struct textbuf tb;
	size_t cmdlines;
	int r;

	textbuf_init(&tb, f->tail_bytes);
	make_tail(f, &tb, &cmdlines);
	r = tb.overflow ? -EFBIG : livefile_pwrite(f->fd, tb.start, textbuf_len(&tb), f->tail_at);
	f->cmdlines_at = f->tail_at + cmdlines;
	f->cmdlines_end = f->tail_at + f->tail_bytes;
	textbuf_release(&tb);
	return r;
}

int livefile_write_live_tail(struct livefile *f, struct errmsg *err)
{
	int r = 0;

	/* without reserved blocks, a full disk may cause a failure at the end */
	if (fallocate(f->fd, 0, f->tail_at, f->tail_bytes) < 0 &&
	    (errno != EOPNOTSUPP || ftruncate(f->fd, f->tail_at + f->tail_bytes) < 0))
		r = -errno;
	if (r == -ENOSPC)
		return errmsg_set(
			err, r, "cannot write %s: a recording needs at least %.1f MB of free space",
			f->path, (double)(f->tail_bytes + f->data_at) / 1e6 + 0.1);
	if (!r && f->w->config.version == 7)
		r = write_tail(f);
	return r < 0 ? errmsg_set_errno(err, r, "cannot write %s", f->path) : 0;
}

/* The length comes after the text, so that a reader never sees a part of a text that is longer. */
int livefile_write_live_names(struct livefile *f)
{
	uint64_t at = f->cmdlines_at + SNF_SECTION_HEADER_BYTES, len = textbuf_len(&f->cmdlines);
	uint8_t bytes[8];

	if (at + 8 + len > f->cmdlines_end - LIVEFILE_SPARE_BYTES)
		return 0;
	TRY(livefile_pwrite(f->fd, f->cmdlines.start, len, at + 8));
	writer_put(f->w, bytes, len, 8);
	return livefile_pwrite(f->fd, bytes, 8, at);
}

/*
 * Makes the sections of later symbols: KALLSYMS, and OPTIONS that name it. The first is filled up,
 * so that both take a multiple of the alignment.
 */
static void make_symbols(struct livefile *f, struct piece text, struct textbuf *tb,
			 uint64_t *ret_options)
{
	const struct writer *w = f->w;
	uint64_t at = f->tail_at + f->tail_bytes, head = SNF_SECTION_HEADER_BYTES, n;
	uint32_t description = writer_describe_v7(f->w, "kallsyms");

	n = round_up_to(head + 4 + text.len + head + 28, f->align) - head - 28;
	writer_add_section_header_v7(w, tb, SNF_OPTION_KALLSYMS, false, description, n - head);
	writer_add_number(w, tb, text.len, 4);
	writer_add_bytes(tb, text.data, text.len);
	add_zeros(tb, n - textbuf_len(tb));
	*ret_options = at + n;
	writer_add_section_header_v7(w, tb, SNF_SECTION_OPTIONS, false, f->options_description, 28);
	writer_add_number(w, tb, SNF_OPTION_KALLSYMS, 2);
	writer_add_number(w, tb, 8, 4);
	writer_add_number(w, tb, at, 8);
	writer_add_number(w, tb, SNF_OPTION_DONE, 2);
	writer_add_number(w, tb, 8, 4);
	writer_add_number(w, tb, 0, 8);
}

static uint64_t file_size_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return INT64_MAX;
	return limit.rlim_cur;
}

/*
 * Older symbols stay where they are, because a reader may use them: the tail grows. It is written
 * anew at the end.
 */
int livefile_write_live_symbols(struct livefile *f, struct piece text)
{
	TEXTBUF(tb, LIVE_SYMBOLS_MAX);
	uint64_t options;

	if (f->tail_bytes > LIVE_TAIL_MAX)
		return 0; /* the names come at the end */
	make_symbols(f, text, &tb, &options);
	if (tb.overflow || f->tail_at + f->tail_bytes + textbuf_len(&tb) > file_size_limit())
		return 0;
	TRY(livefile_pwrite(f->fd, tb.start, textbuf_len(&tb), f->tail_at + f->tail_bytes));
	f->tail_bytes += textbuf_len(&tb);
	f->next_options = options;
	return 0;
}

/*
 * --- where regions go --------------------------------------------------------------------------
 */

static uint32_t common_multiple(uint32_t a, uint32_t b)
{
	uint32_t x = a, y = b;

	while (y) {
		uint32_t rest = x % y;

		x = y;
		y = rest;
	}
	return (uint64_t)a / x * b > ALIGN_MAX_BYTES ? 0 : a / x * b;
}

/*
 * Returns a multiple of the file system's blocks and of the sub-buffers of all buffers, or 0 if
 * there is none.
 */
static uint32_t choose_align(const struct livefile *f)
{
	struct stat st;
	uint32_t align = 4096;

	/* network file systems report their preferred transfer size */
	if (fstat(f->fd, &st) == 0 && st.st_blksize > 0 && st.st_blksize <= BLOCK_MAX_BYTES)
		align = common_multiple(align, st.st_blksize);
	for (size_t i = 0; i < f->n_buffers && align; i++)
		align = common_multiple(align, f->w->buffers[i].page_size);
	return align;
}

/*
 * Returns the most that a region can need: twice the size of the file system, which may grow. A
 * region that drops old data is unlimited.
 */
static uint64_t region_need(const struct livefile *f)
{
	struct statvfs st;
	uint64_t need;

	for (size_t i = 0; i < f->n_buffers; i++)
		if (f->buffers[i].max_bytes)
			return TOTAL_MAX_BYTES;
	if (fstatvfs(f->fd, &st) < 0 || st.f_blocks > TOTAL_MAX_BYTES / st.f_frsize)
		return TOTAL_MAX_BYTES;
	need = 2 * (uint64_t)st.f_blocks * st.f_frsize;
	return need < REGION_MIN_BYTES ? REGION_MIN_BYTES : need;
}

/* Symbols that come later make the tail longer; a small file has no room for that. */
static uint64_t growing_tail_bytes(uint64_t spare_bytes)
{
	return spare_bytes / 4 > LIVE_TAIL_MAX ? LIVE_TAIL_MAX : 0;
}

/* Returns the number of bytes that all regions may span, or 0 if there is too little space. */
static uint64_t choose_span(const struct livefile *f, uint64_t other_bytes)
{
	uint64_t total = file_size_limit(), min = f->n_regions * REGION_MIN_BYTES + other_bytes;
	uint64_t need = region_need(f);

	if (total > TOTAL_MAX_BYTES)
		total = TOTAL_MAX_BYTES;
	if (need < TOTAL_MAX_BYTES && total > need * f->n_regions + other_bytes)
		total = need * f->n_regions + other_bytes;
	/* readers map the whole file, with the holes */
	if (sizeof(size_t) < 8 || !livefile_punch(f->fd, f->data_at, f->data_at + f->align))
		return 0;
	for (; total >= min; total /= 2)
		if (ftruncate(f->fd, total) == 0)
			return total - other_bytes - growing_tail_bytes(total - min);
	return 0;
}

/*
 * Places the regions, with room for BUFFER headers before the first region of every buffer except
 * the first.
 */
static void place_regions(struct livefile *f, uint64_t stride, uint64_t lead)
{
	uint64_t pos = f->data_at;

	for (uint32_t i = 0; i < f->n_regions; i++) {
		struct liveregion *r = f->regions[i];

		if (i && r->buffer != f->regions[i - 1]->buffer)
			pos += lead;
		r->fd = f->fd;
		r->start = r->end = r->punched = r->flushed = pos;
		pos += stride;
		r->limit = pos;
	}
	f->tail_at = pos + lead;
}

static int open_temp(struct livefile *f, struct liveregion *r, struct errmsg *err)
{
	const char *name = f->w->buffers[r->buffer].name;

	r->temp_name = livefile_temp_name(f, name, r->cpu);
	if (!r->temp_name)
		return errmsg_set_errno(err, -ENOMEM, "cannot write %s", f->path);
	r->fd = outplace_create_in(&f->temp,
				   /* removes the temporary file of a recorder that died */
				   r->temp_name);
	if (r->fd < 0)
		return errmsg_set_errno(err, r->fd, "cannot create the temporary file %s/%s",
					f->temp_dir, r->temp_name);
	r->limit = file_size_limit();
	if (r->max_bytes && !livefile_punch(r->fd, 0, f->align))
		return errmsg_set(
			err, -EOPNOTSUPP,
			"cannot drop old data from %s/%s: its file system cannot release parts "
			"of a file; record without a limit, or to another disk",
			f->temp_dir, r->temp_name);
	return 0;
}

static int place_in_temp(struct livefile *f, struct errmsg *err)
{
	const char *slash = strrchr(f->path, '/');
	int r = 0;

	if (!f->temp_dir)
		f->temp_dir = slash ? strndup(f->path, slash - f->path + (slash == f->path))
				    : strdup(".");
	if (!f->temp_dir || strlen(f->temp_dir) > LIVEFILE_TEMP_DIR_MAX)
		return errmsg_set_errno(err, f->temp_dir ? -ENAMETOOLONG : -ENOMEM,
					"cannot write %s", f->path);
	r = outplace_open(&f->temp, f->temp_dir, OUTPLACE_DIR, err);
	TRY(r);
	f->flags |= LIVEFILE_TEMP;
	livefile_encode(f, false); /* the marker has become longer */
	f->data_at = round_up_to(f->dir_at + f->dir_bytes, f->align);
	f->tail_at = f->data_at;
	for (uint32_t i = 0; i < f->n_regions && !r; i++)
		r = open_temp(f, f->regions[i], err);
	return r;
}

int livefile_place(struct livefile *f, struct errmsg *err)
{
	uint64_t lead, other, span;

	f->align = choose_align(f);
	if (!f->align)
		return errmsg_set(err, -EINVAL,
				  "cannot write %s: the sizes of its sub-buffers do not match; "
				  "record with one size for all",
				  f->path);
	livefile_encode(f, false);
	if (f->dir.overflow)
		return errmsg_set_errno(err, -ENOMEM, "cannot write %s", f->path);
	f->data_at = round_up_to(f->dir_at + f->dir_bytes, f->align);
	f->tail_bytes = LIVEFILE_SPARE_BYTES;
	if (f->w->config.version == 7)
		f->tail_bytes += TAIL_MIN_BYTES + (uint64_t)f->n_regions * TAIL_CPU_BYTES;
	f->tail_bytes = round_up_to(f->tail_bytes, f->align);
	if (f->temp_dir)
		return place_in_temp(f, err);
	lead = round_up_to(f->n_buffers * (uint64_t)LIVEFILE_HEADER_STEP, f->align);
	other = f->data_at + f->tail_bytes + (f->n_buffers + 1) * lead;
	span = choose_span(f, other);
	if (!span)
		return place_in_temp(f, err);
	place_regions(f, round_down_to(span / (f->n_regions ? f->n_regions : 1), f->align), lead);
	if (ftruncate(f->fd, f->tail_at + f->tail_bytes) < 0)
		return errmsg_set_errno(err, -errno, "cannot write %s", f->path);
	return 0;
}
