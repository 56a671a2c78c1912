// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collect.c - from the bytes of a session to a trace.dat.
 *
 *	TARGET.head    the metadata as it came: the beginning of a trace.dat, version 6 or 7
 *	TARGET.cpuN    the pages of a CPU
 *	TARGET         put together by the writer in collector_finish(); the others go then
 *
 * The metadata is a whole trace.dat but for its buffers, so tracefile.h reads it. What it says about
 * the kernel and the recording is taken over; where things lie is made anew. The old protocol (1) sends
 * less of it: no names of tasks, no options.
 *
 * Datagrams are whole pages, but for the last of a recorder, which may come as a page's used part and
 * then zeros for the rest. A datagram that does not complete the page before it begins a new one, and
 * the open page is filled up: so a lost datagram costs one page and not all that follow.
 *
 * Threads: head, late data, flush and finish belong to the session's thread. Each CPU's stream belongs
 * to one thread; what they share is the sum of bytes and the first failure, both atomic.
 */
#include "serve/collect.h"

#include "base/errmsg.h"
#include "base/textbuf.h"
#include "serve/message.h"
#include "store/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 4096

struct stream {
	int fd; /* -1: nothing came yet */
	uint64_t n_bytes;
	uint64_t n_short;
};

struct collector {
	char *path;
	uint32_t n_cpus, page_size;
	uint64_t max_bytes;
	int head_fd;
	uint64_t head_bytes;
	struct textbuf late;
	struct stream *streams;
	_Atomic uint64_t n_bytes;
	_Atomic int failure; /* negative errno, the first */
};

/* --- files ------------------------------------------------------------------------------------- */

static int part_path(const struct collector *c, const char *suffix, char path[PATH_BYTES])
{
	return snprintf(path, PATH_BYTES, "%s.%s", c->path, suffix) < PATH_BYTES ? 0
										 : -ENAMETOOLONG;
}

static int open_part(const struct collector *c, const char *suffix)
{
	char path[PATH_BYTES];
	int r = part_path(c, suffix, path);

	if (r < 0)
		return r;
	r = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	return r < 0 ? -errno : r;
}

static void remove_part(const struct collector *c, const char *suffix)
{
	char path[PATH_BYTES];

	if (!part_path(c, suffix, path))
		unlink(path);
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
	for (uint32_t i = 0; c->streams && i < c->n_cpus; i++)
		if (c->streams[i].fd >= 0)
			close(c->streams[i].fd);
	if (c->head_fd >= 0)
		close(c->head_fd);
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
				  "more than %u MB of metadata came, which cannot be right",
				  COLLECT_HEAD_MAX >> 20);
	r = write_all(c->head_fd, bytes.data, bytes.len);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot write %s.head", c->path);
	c->head_bytes += bytes.len;
	return 0;
}

/* --- pages ------------------------------------------------------------------------------------- */

static int fail(struct collector *c, int code)
{
	int none = 0;

	atomic_compare_exchange_strong(&c->failure, &none, code);
	return code;
}

static int open_stream(struct collector *c, uint32_t cpu)
{
	char suffix[16];

	cpu_suffix(cpu, suffix);
	c->streams[cpu].fd = open_part(c, suffix);
	return c->streams[cpu].fd < 0 ? c->streams[cpu].fd : 0;
}

/* Fills the open page of a stream up with zeros, unless these bytes complete it. */
static int end_page(struct collector *c, struct stream *s, size_t n_bytes)
{
	static const uint8_t zeros[4096];
	size_t open = s->n_bytes % c->page_size, left = c->page_size - open;

	s->n_short += n_bytes != c->page_size;
	if (!open || n_bytes == left)
		return 0;
	while (left) {
		size_t n = left < sizeof(zeros) ? left : sizeof(zeros);
		int r = write_all(s->fd, zeros, n);

		if (r < 0)
			return r;
		s->n_bytes += n;
		left -= n;
	}
	return 0;
}

int collector_add_bytes(struct collector *c, uint32_t cpu, struct piece bytes, bool datagram)
{
	struct stream *s = &c->streams[cpu];
	int r = atomic_load(&c->failure);

	if (r < 0 || !bytes.len)
		return r;
	if (c->max_bytes && atomic_fetch_add(&c->n_bytes, bytes.len) + bytes.len > c->max_bytes)
		return fail(c, -EFBIG);
	r = s->fd < 0 ? open_stream(c, cpu) : 0;
	if (!r && datagram)
		r = end_page(c, s, bytes.len);
	if (!r)
		r = write_all(s->fd, bytes.data, bytes.len);
	if (r < 0)
		return fail(c, r);
	s->n_bytes += bytes.len;
	return 0;
}

int collector_add_late(struct collector *c, struct piece bytes, struct errmsg *err)
{
	textbuf_add(&c->late, (const char *)bytes.data, bytes.len);
	if (!c->late.overflow)
		return 0;
	return errmsg_set(err, -EFBIG, "more than %u MB came after the data, which cannot be right",
			  COLLECT_LATE_MAX >> 20);
}

void collector_flush(struct collector *c)
{
	/* the parts are files of their own: what was written to them is there */
}

/* --- the head ---------------------------------------------------------------------------------- */

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

static int head_open(struct head *h, const struct collector *c, struct errmsg *err)
{
	h->n_bytes = c->head_bytes;
	h->map = mmap(NULL, h->n_bytes ? h->n_bytes : 1, PROT_READ, MAP_PRIVATE, c->head_fd, 0);
	if (h->map == MAP_FAILED) {
		h->map = NULL;
		return errmsg_set_errno(err, -errno, "cannot read %s.head", c->path);
	}
	return tracefile_open_memory(&h->tf, c->path, (struct piece){h->map, h->n_bytes}, err);
}

int collector_start(struct collector *c, struct errmsg *err)
{
	struct head h = {0};
	int r = c->head_bytes ? head_open(&h, c, err)
			      : errmsg_set(err, -EBADMSG,
					   "no metadata came, so the data would mean "
					   "nothing");

	if (!r && (h.tf->page_size < MESSAGE_PAGE_MIN || h.tf->page_size > MESSAGE_PAGE_MAX))
		r = errmsg_set(err, -EBADMSG,
			       "the metadata says that pages have %u bytes, which "
			       "cannot be",
			       h.tf->page_size);
	if (!r)
		c->page_size = h.tf->page_size;
	head_release(&h);
	return r;
}

static bool is_made_by_writer(uint16_t id)
{
	return id == SNF_OPTION_DONE || id == SNF_OPTION_BUFFER || id == SNF_OPTION_CPUCOUNT ||
	       (id >= SNF_OPTION_STRINGS && id <= SNF_OPTION_BUFFER_TEXT);
}

static const struct tracefile_section *find_pointed(const struct tracefile *tf,
						    const struct tracefile_option *o)
{
	uint64_t offset =
		tf->version == 7 && o->data.len == 8 ? bytes_get64(o->data.data, tf->swap) : 0;

	for (size_t i = 0; offset && i < tf->n_sections; i++)
		if (tf->sections[i].offset == offset && tf->sections[i].id == o->id)
			return &tf->sections[i];
	return NULL;
}

static int copy_section(struct writer *w, struct tracefile *tf, const struct tracefile_section *s,
			struct errmsg *err)
{
	struct errmsg why = {0};
	struct piece body;
	void *heap;
	int r;

	if (tracefile_section_body(tf, s, &body, &heap, &why) < 0)
		return 0;
	r = writer_add_section(w, s->id, s->id == SNF_OPTION_BTF ? "BTF" : "modules", body, err);
	free(heap);
	return r;
}

static int copy_options(struct writer *w, struct tracefile *tf, struct errmsg *err)
{
	int r = 0;

	for (size_t i = 0; i < tf->n_options && !r; i++) {
		const struct tracefile_option *o = &tf->options[i];
		const struct tracefile_section *s = find_pointed(tf, o);

		if (is_made_by_writer(o->id))
			continue;
		r = s ? copy_section(w, tf, s, err) : writer_add_option(w, o->id, o->data, err);
	}
	return r;
}

/* Takes the command lines out, gives the rest to the writer; stops where it makes no sense. */
static int copy_late(struct collector *c, struct writer *w, const struct tracefile *tf,
		     struct piece *ret_cmdlines, struct errmsg *err)
{
	struct byte_reader b = {(uint8_t *)c->late.start, (uint8_t *)c->late.pos, tf->swap, false};
	int r = 0;

	while (!r && byte_reader_left(&b)) {
		uint16_t id = byte_reader_take_number(&b, 2);
		struct piece data = byte_reader_take_piece(&b, byte_reader_take_number(&b, 4));

		if (b.failed)
			break;
		if (id == SNF_OPTION_CMDLINES)
			*ret_cmdlines = data;
		else if (!is_made_by_writer(id))
			r = writer_add_option(w, id, data, err);
	}
	return r;
}

static int copy_head(struct collector *c, struct writer *w, struct tracefile *tf,
		     struct errmsg *err)
{
	struct piece cmdlines = tracefile_text(tf, TRACEFILE_CMDLINES);
	int r = copy_options(w, tf, err);

	if (!r)
		r = copy_late(c, w, tf, &cmdlines, err);
	for (int kind = 0; kind < TRACEFILE_TEXT_KINDS && !r; kind++)
		r = writer_add_text(
			w, kind, kind == TRACEFILE_CMDLINES ? cmdlines : tracefile_text(tf, kind),
			err);
	writer_set_cpu_count(w, c->n_cpus);
	return r;
}

/* The clock of a list like "[local] global", or "" */
static void clock_of(const struct tracefile *tf, char clock[64])
{
	const struct tracefile_option *o = tracefile_option_find(tf, SNF_OPTION_TRACECLOCK);
	const uint8_t *open = o ? memchr(o->data.data, '[', o->data.len) : NULL, *close;
	size_t left = open ? o->data.data + o->data.len - open : 0;

	*clock = 0;
	close = open ? memchr(open, ']', left) : NULL;
	if (close && close - open - 1 < 64 && !memchr(open, 0, close - open))
		snprintf(clock, 64, "%.*s", (int)(close - open - 1), (const char *)open + 1);
}

/* --- putting it together ----------------------------------------------------------------------- */

struct page_source {
	struct collector *c;
	const struct tracefile *tf;
	uint32_t cpu;
	const uint8_t *map;
	uint64_t pos;
};

static void unmap_stream(struct page_source *src)
{
	if (src->map)
		munmap((void *)src->map, src->c->streams[src->cpu].n_bytes);
	src->map = NULL;
	src->pos = 0;
}

/* Of the page that a connection broke off in, what is used must be there; the rest is zeros. */
static bool is_sound(const struct tracefile *tf, struct piece page)
{
	struct byte_reader r = {page.data, page.data + page.len, tf->swap, false};
	uint64_t used;

	if (page.len == tf->page_size)
		return true;
	byte_reader_take_number(&r, 8);
	used = byte_reader_take_number(&r, tf->long_size) & SNF_COMMIT_MASK;
	return !r.failed && page.len >= tf->data_offset && used <= page.len - tf->data_offset;
}

static int next_page(void *ctx, uint32_t *ret_cpu, struct piece *ret_page)
{
	struct page_source *src = ctx;
	uint32_t page_size = src->tf->page_size;

	for (; src->cpu < src->c->n_cpus; unmap_stream(src), src->cpu++) {
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
		if (!is_sound(src->tf, *ret_page))
			continue;
		src->pos += ret_page->len;
		return 1;
	}
	return 0;
}

static int put_together(struct collector *c, struct tracefile *tf, struct errmsg *err)
{
	struct page_source src = {.c = c, .tf = tf};
	enum compression packed = tf->compression;
	struct writer *w = NULL;
	char clock[64];
	int r = writer_open(&w,
			    &(struct writer_config){.path = c->path,
						    .version = tf->version,
						    .compression = packed == COMPRESSION_UNKNOWN
									   ? COMPRESSION_ZSTD
									   : packed,
						    .big_endian = tf->big_endian,
						    .long_size = tf->writer_long_size,
						    .page_size = tf->page_size},
			    err);

	clock_of(tf, clock);
	if (!r)
		r = copy_head(c, w, tf, err);
	if (!r)
		r = writer_add_buffer(
			w, &(struct writer_buffer){"", *clock ? clock : NULL, tf->page_size}, err);
	if (r >= 0)
		r = writer_write_buffer(w, r, &(struct writer_source){&src, next_page}, err);
	unmap_stream(&src);
	if (r >= 0) {
		r = writer_close(w, err);
		w = NULL;
	}
	writer_free(w);
	return r < 0 ? r : 0;
}

int collector_finish(struct collector *c, struct collector_result *ret, struct errmsg *err)
{
	struct collector_result sum = {0};
	struct head h = {0};
	int r;

	for (uint32_t i = 0; i < c->n_cpus; i++) {
		sum.n_bytes += c->streams[i].n_bytes;
		sum.n_short += c->streams[i].n_short;
		sum.n_cpus += c->streams[i].n_bytes > 0;
	}
	r = c->head_bytes ? head_open(&h, c, err) : -ENODATA;
	if (!c->head_bytes && sum.n_bytes)
		errmsg_set(err, r, "no metadata came; the data alone is in %s.cpu*", c->path);
	else if (!c->head_bytes)
		errmsg_set(err, r, "nothing came");
	if (!r)
		r = put_together(c, h.tf, err);
	head_release(&h);
	if (!r || !sum.n_bytes)
		remove_parts(c);
	*ret = sum;
	collector_free(c);
	return r;
}
