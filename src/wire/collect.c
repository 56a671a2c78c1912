// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collect.c - turns the bytes of a session into a trace.dat.
 *
 * The metadata is a complete trace.dat without its buffers, version 6 or 7, so tracefile.h reads
 * it. It is kept in TARGET.head until it is complete. Then there are two modes:
 *
 *	grows   TARGET exists at once and gets the pages as they come (livefile.h): data is
 *	        written once, and the file can be opened at any time. This is the usual mode.
 *	parts   TARGET.cpuN get the pages; collector_finish() combines them with writer.h. For the
 *	        old protocol, which does not mark the end of the metadata, and for clients of the
 *	        other byte order.
 *
 * Datagrams are whole pages, except the last one of a recorder, which may be the used part of a
 * page, followed by zeros for the rest. If a datagram does not complete the open page, that page is
 * padded and the datagram begins a new one. So a lost datagram costs one page, not all following
 * pages.
 *
 * Threads: head, late data, flush and finish belong to the session's thread. Each CPU's stream
 * belongs to one thread; they share the sum of bytes and the first failure, both atomic.
 */
#include "wire/collect.h"

#include "base/errmsg.h"
#include "base/files/outplace.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "wire/collect_int.h"
#include "wire/message.h"
#include "wire/metadata.h"
#include "store/live/livefile.h"
#include "store/writer.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PATH_BYTES 4096

struct stream {
	int fd;			   /* parts: -1 until data arrives */
	struct liveregion *region; /* grows */
	uint8_t *page;		   /* grows: the incomplete page */
	uint64_t n_bytes;
	uint64_t n_short;
};

struct collector {
	char *path;
	uint32_t n_cpus, page_size;
	uint64_t max_bytes;
	int head_fd;
	uint64_t head_bytes;
	struct livefile *live; /* NULL: mode parts */
	bool swap;
	uint8_t long_size, data_offset;
	struct textbuf late;
	struct stream *streams;
	_Atomic uint64_t n_bytes;
	_Atomic int failure; /* the first failure, a negative errno */
};

/*
 * --- files -------------------------------------------------------------------------------------
 */

static int part_path(const struct collector *c, const char *suffix, char path[PATH_BYTES])
{
	return snprintf(path, PATH_BYTES, "%s.%s", c->path, suffix) < PATH_BYTES ? 0
										 : -ENAMETOOLONG;
}

static int open_part(const struct collector *c, const char *suffix)
{
	struct errmsg ignored = {0};
	char path[PATH_BYTES];

	TRY(part_path(c, suffix, path));
	return outplace_open_file(path, OUTPLACE_CREATE, &ignored);
}

static void remove_part(const struct collector *c, const char *suffix)
{
	char path[PATH_BYTES];

	if (!part_path(c, suffix, path))
		outplace_unlink(path);
}

static void cpu_suffix(uint32_t cpu, char suffix[16])
{
	snprintf(suffix, 16, "cpu%u", cpu);
}

static void remove_parts(struct collector *c)
{
	char suffix[16];

	remove_part(c, "head");
	for (uint32_t i = 0; i < c->n_cpus; i++)
		if (c->streams[i].fd >= 0) {
			cpu_suffix(i, suffix);
			remove_part(c, suffix);
		}
}

static void collector_free(struct collector *c)
{
	for (uint32_t i = 0; c->streams && i < c->n_cpus; i++) {
		if (c->streams[i].fd >= 0)
			close(c->streams[i].fd);
		free(c->streams[i].page);
	}
	if (c->head_fd >= 0)
		close(c->head_fd);
	livefile_free(c->live);
	textbuf_release(&c->late);
	free(c->streams);
	free(c->path);
	free(c);
}

int collector_open(struct collector **ret_collector, const struct collector_config *config,
		   struct errmsg *err)
{
	struct collector *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return errmsg_set_errno(err, -ENOMEM, "cannot receive a trace");
	c->path = strdup(config->path);
	c->streams = calloc(config->n_cpus, sizeof(*c->streams));
	c->n_cpus = config->n_cpus;
	c->page_size = config->page_size;
	c->max_bytes = config->max_bytes;
	textbuf_init(&c->late, COLLECT_LATE_MAX);
	for (uint32_t i = 0; c->streams && i < c->n_cpus; i++)
		c->streams[i].fd = -1;
	c->head_fd = c->path && c->streams ? open_part(c, "head") : -ENOMEM;
	if (c->head_fd < 0) {
		r = errmsg_set_errno(err, c->head_fd, "cannot write %s.head", config->path);
		collector_free(c);
		return r;
	}
	*ret_collector = c;
	return 0;
}

static int write_all(int fd, const void *data, size_t n)
{
	const uint8_t *from = data;

	while (n) {
		ssize_t part = write(fd, from, n);

		if (part < 0 && errno == EINTR)
			continue;
		if (part < 0)
			return -errno;
		from += part;
		n -= part;
	}
	return 0;
}

int collector_add_head(struct collector *c, struct piece bytes, struct errmsg *err)
{
	int r;

	if (bytes.len > COLLECT_HEAD_MAX - c->head_bytes)
		return errmsg_set(err, -EFBIG,
				  "received more than %u MB of metadata, which is not plausible",
				  COLLECT_HEAD_MAX >> 20);
	r = write_all(c->head_fd, bytes.data, bytes.len);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot write %s.head", c->path);
	c->head_bytes += bytes.len;
	return 0;
}

/*
 * --- the head ----------------------------------------------------------------------------------
 */

struct head {
	void *map;
	size_t n_bytes;
	struct tracefile *tf;
};

static void head_release(struct head *h)
{
	if (h->tf)
		tracefile_close(h->tf);
	if (h->map)
		munmap(h->map, h->n_bytes);
}

static int head_open(struct head *h, struct collector *c, struct errmsg *err)
{
	if (!c->head_bytes)
		return errmsg_set(err, -ENODATA, "received no metadata, so the data is useless");
	h->n_bytes = c->head_bytes;
	h->map = mmap(NULL, h->n_bytes, PROT_READ, MAP_PRIVATE, c->head_fd, 0);
	if (h->map == MAP_FAILED) {
		h->map = NULL;
		return errmsg_set_errno(err, -errno, "cannot read %s.head", c->path);
	}
	TRY(tracefile_open_memory(&h->tf, c->path, (struct piece){h->map, h->n_bytes}, err));
	if (h->tf->page_size < MESSAGE_PAGE_MIN || h->tf->page_size > MESSAGE_PAGE_MAX)
		return errmsg_set(err, -EBADMSG,
				  "the metadata has an invalid page size of %u bytes",
				  h->tf->page_size);
	c->page_size = h->tf->page_size;
	c->swap = h->tf->swap;
	c->long_size = h->tf->long_size;
	c->data_offset = h->tf->data_offset;
	return 0;
}

static bool wants_plain_data(const struct tracefile *tf)
{
	return tf->version == 7 && tf->compression == COMPRESSION_NONE &&
	       !strcmp(tf->compression_version, METADATA_TEXTS);
}

static enum compression compression_of(const struct tracefile *tf)
{
	return tf->compression == COMPRESSION_UNKNOWN || wants_plain_data(tf) ? COMPRESSION_ZSTD
									      : tf->compression;
}

/*
 * Checks a page at the end of a broken connection: its used part must be complete; the rest is
 * zeros.
 */
static bool is_sound(const struct collector *c, struct piece page)
{
	struct byte_reader r = {page.data, page.data + page.len, c->swap, false};
	uint64_t used;

	if (page.len == c->page_size)
		return true;
	byte_reader_take_number(&r, 8);
	used = byte_reader_take_number(&r, c->long_size) & SNF_COMMIT_MASK;
	return !r.failed && page.len >= c->data_offset && used <= page.len - c->data_offset;
}

/*
 * --- a file that grows -------------------------------------------------------------------------
 */

static int live_add_text(void *ctx, enum tracefile_text_kind kind, struct piece text,
			 struct errmsg *err)
{
	return livefile_add_text(ctx, kind, text, err);
}

static int live_add_option(void *ctx, uint16_t id, struct piece data, struct errmsg *err)
{
	return livefile_add_option(ctx, id, data, err);
}

static int live_add_section(void *ctx, uint16_t id, const char *description, struct piece body,
			    struct errmsg *err)
{
	return livefile_add_section(ctx, id, description, body, err);
}

static int live_regions(struct collector *c, int buffer, struct errmsg *err)
{
	for (uint32_t i = 0; i < c->n_cpus; i++) {
		c->streams[i].region = livefile_region(c->live, buffer, i);
		c->streams[i].page = malloc(c->page_size);
		if (!c->streams[i].region || !c->streams[i].page)
			return errmsg_set_errno(err, -ENOMEM, "cannot write %s", c->path);
	}
	return 0;
}

static int live_start(struct collector *c, struct tracefile *tf, struct errmsg *err)
{
	char clock[64];
	int buffer, r = livefile_open(&c->live,
				      &(struct livefile_config){.path = c->path,
								.version = tf->version,
								.compression = compression_of(tf),
								.plain_data = wants_plain_data(tf),
								.long_size = tf->writer_long_size,
								.page_size = tf->page_size,
								.n_cpus = c->n_cpus},
				      err);

	TRY(r);
	head_clock(tf, clock);
	r = head_copy(
		tf, PIECE_EMPTY,
		&(struct head_target){c->live, live_add_text, live_add_option, live_add_section},
		err);
	buffer = r < 0 ? r
		       : livefile_add_buffer(
				 c->live,
				 &(struct livefile_buffer){.name = "",
							   .clock = *clock ? clock : NULL,
							   .page_size = tf->page_size,
							   .n_cpus = c->n_cpus},
				 err);
	r = buffer < 0 ? buffer : livefile_start(c->live, err);
	if (r < 0) {
		livefile_free(c->live); /* a file that never started cannot be completed */
		c->live = NULL;
		return r;
	}
	remove_part(c, "head");
	return live_regions(c, buffer, err);
}

int collector_start(struct collector *c, struct errmsg *err)
{
	SCOPED(head_release) struct head h = {0};
	int r = head_open(&h, c, err);

	if (!r && !h.tf->swap)
		r = live_start(c, h.tf, err);
	return r;
}

static int live_end_page(struct collector *c, struct stream *s, bool datagram)
{
	size_t open = s->n_bytes % c->page_size;
	int r = 0;

	if (!open)
		return 0;
	if (datagram || is_sound(c, (struct piece){s->page, open})) {
		memset(s->page + open, 0, c->page_size - open);
		r = liveregion_append(s->region, s->page, c->page_size);
	}
	s->n_bytes += c->page_size - open;
	return r;
}

/* Adds whole pages without a copy. */
static int live_add(struct collector *c, struct stream *s, struct piece bytes)
{
	while (bytes.len) {
		size_t open = s->n_bytes % c->page_size, n = c->page_size - open;
		const uint8_t *from = bytes.data;
		int r = 0;

		if (!open && bytes.len >= c->page_size) {
			n = bytes.len - bytes.len % c->page_size;
			r = liveregion_append(s->region, from, n);
		} else {
			n = n < bytes.len ? n : bytes.len;
			memcpy(s->page + open, from, n);
			if (open + n == c->page_size)
				r = liveregion_append(s->region, s->page, c->page_size);
		}
		TRY(r);
		s->n_bytes += n;
		bytes.data += n;
		bytes.len -= n;
	}
	return 0;
}

static int live_finish(struct collector *c, struct errmsg *err)
{
	struct head_target to = {c->live, live_add_text, live_add_option, live_add_section};
	struct piece late = PIECE_OF_TEXT(&c->late);
	struct piece cmdlines = PIECE_EMPTY;
	struct livefile *live = c->live;
	int r = 0;

	for (uint32_t i = 0; i < c->n_cpus; i++)
		if (c->streams[i].page)
			/* a full disk was reported before */
			live_end_page(c, &c->streams[i], false);
	if (late.len)
		r = head_copy_late(late, c->swap, &to, &cmdlines, err);
	if (!r && cmdlines.len)
		r = livefile_add_text(live, TRACEFILE_CMDLINES, cmdlines, err);
	c->live = NULL;
	if (r < 0) {
		livefile_free(live);
		return r;
	}
	return livefile_finish(live, err);
}

/*
 * --- parts -------------------------------------------------------------------------------------
 */

static int part_open(struct collector *c, uint32_t cpu)
{
	char suffix[16];

	cpu_suffix(cpu, suffix);
	c->streams[cpu].fd = open_part(c, suffix);
	return c->streams[cpu].fd < 0 ? c->streams[cpu].fd : 0;
}

static int part_end_page(struct collector *c, struct stream *s)
{
	static const uint8_t zeros[4096];
	size_t left = c->page_size - s->n_bytes % c->page_size;

	while (left) {
		size_t n = left < sizeof(zeros) ? left : sizeof(zeros);
		int r = write_all(s->fd, zeros, n);

		TRY(r);
		s->n_bytes += n;
		left -= n;
	}
	return 0;
}

struct page_source {
	struct collector *c;
	uint32_t cpu;
	const uint8_t *map;
	uint64_t pos;
};

static void unmap_part(struct page_source *src)
{
	if (src->map)
		munmap((void *)src->map, src->c->streams[src->cpu].n_bytes);
	src->map = NULL;
	src->pos = 0;
}

static int next_page(void *ctx, uint32_t *ret_cpu, struct piece *ret_page)
{
	struct page_source *src = ctx;
	uint32_t page_size = src->c->page_size;

	for (; src->cpu < src->c->n_cpus; unmap_part(src), src->cpu++) {
		const struct stream *s = &src->c->streams[src->cpu];
		uint64_t left = s->n_bytes - src->pos;

		if (!left)
			continue;
		if (!src->map) {
			void *map = mmap(NULL, s->n_bytes, PROT_READ, MAP_SHARED, s->fd, 0);

			if (map == MAP_FAILED)
				return -errno;
			src->map = map;
		}
		*ret_cpu = src->cpu;
		*ret_page =
			(struct piece){src->map + src->pos, left < page_size ? left : page_size};
		if (!is_sound(src->c, *ret_page))
			continue;
		src->pos += ret_page->len;
		return 1;
	}
	return 0;
}

static int part_add_text(void *ctx, enum tracefile_text_kind kind, struct piece text,
			 struct errmsg *err)
{
	return writer_add_text(ctx, kind, text, err);
}

static int part_add_option(void *ctx, uint16_t id, struct piece data, struct errmsg *err)
{
	return writer_add_option(ctx, id, data, err);
}

static int part_add_section(void *ctx, uint16_t id, const char *description, struct piece body,
			    struct errmsg *err)
{
	return writer_add_section(ctx, id, description, body, err);
}

static int write_parts(struct collector *c, struct writer *w, struct tracefile *tf,
		       struct errmsg *err)
{
	struct head_target to = {w, part_add_text, part_add_option, part_add_section};
	struct piece late = PIECE_OF_TEXT(&c->late);
	SCOPED(unmap_part) struct page_source src = {.c = c};
	struct piece cmdlines = PIECE_EMPTY;
	char clock[64];
	int buffer;

	if (late.len)
		TRY(head_copy_late(late, tf->swap, &to, &cmdlines, err));
	head_clock(tf, clock);
	TRY(head_copy(tf, cmdlines, &to, err));
	writer_set_cpu_count(w, c->n_cpus);
	buffer = writer_add_buffer(
		w, &(struct writer_buffer){"", *clock ? clock : NULL, tf->page_size}, err);
	TRY(buffer);
	return writer_write_buffer(w, buffer, &(struct writer_source){&src, next_page}, err);
}

static int parts_finish(struct collector *c, struct errmsg *err)
{
	SCOPED(head_release) struct head h = {0};
	SCOPED(writer_free_scoped) struct writer *w = NULL;

	TRY(head_open(&h, c, err));
	TRY(writer_open(&w,
			&(struct writer_config){.path = c->path,
						.version = h.tf->version,
						.compression = compression_of(h.tf),
						.plain_data = wants_plain_data(h.tf),
						.big_endian = h.tf->big_endian,
						.long_size = h.tf->writer_long_size,
						.page_size = h.tf->page_size},
			err));
	TRY(write_parts(c, w, h.tf, err));
	return writer_close(TAKE(w), err);
}

/*
 * --- both --------------------------------------------------------------------------------------
 */

static int fail(struct collector *c, int code)
{
	int none = 0;

	atomic_compare_exchange_strong(&c->failure, &none, code);
	return code;
}

/* Begins a datagram. If it does not complete the open page, that page is padded. */
static int begin_datagram(struct collector *c, struct stream *s, size_t n_bytes)
{
	size_t open = s->n_bytes % c->page_size;

	s->n_short += n_bytes != c->page_size;
	if (!open || open + n_bytes == c->page_size)
		return 0;
	return c->live ? live_end_page(c, s, true) : part_end_page(c, s);
}

static int add_bytes(struct collector *c, uint32_t cpu, struct piece bytes, bool datagram)
{
	struct stream *s = &c->streams[cpu];

	if (c->max_bytes && atomic_fetch_add(&c->n_bytes, bytes.len) + bytes.len > c->max_bytes)
		return -EFBIG;
	if (!c->live && s->fd < 0)
		TRY(part_open(c, cpu));
	if (datagram)
		TRY(begin_datagram(c, s, bytes.len));
	if (c->live)
		return live_add(c, s, bytes);
	TRY(write_all(s->fd, bytes.data, bytes.len));
	s->n_bytes += bytes.len;
	return 0;
}

int collector_add_bytes(struct collector *c, uint32_t cpu, struct piece bytes, bool datagram)
{
	int r = atomic_load(&c->failure);

	if (r < 0 || !bytes.len)
		return r;
	r = add_bytes(c, cpu, bytes, datagram);
	return r < 0 ? fail(c, r) : 0;
}

int collector_add_late(struct collector *c, struct piece bytes, struct errmsg *err)
{
	textbuf_add(&c->late, (const char *)bytes.data, bytes.len);
	if (!c->late.overflow)
		return 0;
	return errmsg_set(err, -EFBIG,
			  "received more than %u MB after the data, which is not "
			  "plausible",
			  COLLECT_LATE_MAX >> 20);
}

void collector_flush_cpu(struct collector *c, uint32_t cpu)
{
	int r = c->live ? liveregion_flush(c->streams[cpu].region) : 0;

	if (r < 0)
		fail(c, r);
}

int collector_flush(struct collector *c, struct errmsg *err)
{
	/* parts are separate files, whose written data is safe */
	return c->live ? livefile_flush(c->live, err) : 0;
}

int collector_finish(struct collector *c, struct collector_result *ret, struct errmsg *err)
{
	struct collector_result sum = {0};
	int r;

	for (uint32_t i = 0; i < c->n_cpus; i++) {
		sum.n_bytes += c->streams[i].n_bytes;
		sum.n_short += c->streams[i].n_short;
		sum.n_cpus += c->streams[i].n_bytes > 0;
	}
	r = c->live ? live_finish(c, err) : parts_finish(c, err);
	if (!r || !sum.n_bytes)
		remove_parts(c);
	*ret = sum;
	collector_free(c);
	return r;
}
