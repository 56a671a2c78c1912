// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tracefile.c - the parts of reading a trace.dat that both versions share.
 *
 *  tracefile_open ─▶ head (magic, version, byte order)
 *                      ├─▶ tracefile_v6.c  one fixed order of texts, then tags
 *                      └─▶ tracefile_v7.c  a chain of option sections ─▶ recover.c if it is broken
 *
 * Owns: the mapping, an arena for the directory (options, sections, buffers, CPUs), and the memory
 * of uncompressed texts. The arena's limit bounds the cost of a hostile directory: 48 MB hold over
 * a million CPU entries.
 */
#include "store/tracefile_int.h"

#include "base/array.h"
#include "base/files/regular.h"
#include "store/live/livepages_int.h"
#include "store/unpack.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE_SIZE_USUAL 4096u

int tracefile_add_option(struct tracefile *tf, uint16_t id, struct piece data)
{
	struct tracefile_private *priv = tracefile_private(tf);
	struct tracefile_option *list = (struct tracefile_option *)tf->options;

	if (!ARENA_ONE_MORE(&priv->arena, list, tf->n_options, priv->cap_options,
			    TRACEFILE_OPTIONS_MAX))
		return -ENOMEM;
	list[tf->n_options++] = (struct tracefile_option){.id = id, .data = data};
	tf->options = list;
	return 0;
}

int tracefile_add_section(struct tracefile *tf, const struct tracefile_section *section)
{
	struct tracefile_private *priv = tracefile_private(tf);
	struct tracefile_section *list = (struct tracefile_section *)tf->sections;

	if (!ARENA_ONE_MORE(&priv->arena, list, tf->n_sections, priv->cap_sections,
			    TRACEFILE_SECTIONS_MAX))
		return -ENOMEM;
	list[tf->n_sections++] = *section;
	tf->sections = list;
	return 0;
}

struct tracefile_buffer *tracefile_add_buffer(struct tracefile *tf)
{
	struct tracefile_private *priv = tracefile_private(tf);
	struct tracefile_buffer *b;
	struct tracefile_buffer *list = (struct tracefile_buffer *)tf->buffers;

	if (!ARENA_ONE_MORE(&priv->arena, list, tf->n_buffers, priv->cap_buffers,
			    TRACEFILE_BUFFERS_MAX))
		return NULL;
	tf->buffers = list;
	b = &list[tf->n_buffers++];
	memset(b, 0, sizeof(*b));
	b->name = "";
	b->text = PIECE_EMPTY;
	return b;
}

struct tracefile_cpu *tracefile_add_cpus(struct tracefile *tf, struct tracefile_buffer *b, size_t n)
{
	b->cpus = n > TRACEFILE_CPUS_MAX ? NULL
					 : arena_alloc_array(&tracefile_private(tf)->arena, n + !n,
							     sizeof(*b->cpus));
	b->n_cpus = b->cpus ? n : 0;
	return b->cpus;
}

ARRAY_ORDER(cpu_compare, struct tracefile_cpu, COMPARE(x->cpu, y->cpu))

void tracefile_clip_cpus(struct tracefile *tf, struct tracefile_buffer *b)
{
	uint64_t missing = 0, first = 0;

	for (size_t i = 0; i < b->n_cpus; i++) {
		struct tracefile_cpu *c = &b->cpus[i];
		uint64_t left = c->offset < tf->map.len ? tf->map.len - c->offset : 0;

		c->n_bytes_stated = c->n_bytes;
		if (c->cpu >= b->max_cpus)
			b->max_cpus = c->cpu + 1;
		/* Files by trace-cmd up to 3.1.6 state compressed sizes without the chunk count. */
		if (c->n_bytes > left) {
			missing += c->n_bytes - left;
			first = missing == c->n_bytes - left ? c->cpu : first;
			c->n_bytes = left;
		}
	}
	qsort(b->cpus, b->n_cpus, sizeof(*b->cpus), cpu_compare);
	if (missing)
		tracefile_add_damage(
			tf,
			"%s is truncated: it ends at byte %zu, but its directory promises %llu "
			"bytes more, from CPU %llu on",
			tf->path, tf->map.len, (unsigned long long)missing,
			(unsigned long long)first);
}

void tracefile_add_excess(struct tracefile *tf, const char *what)
{
	tracefile_add_damage(tf,
			     "%s is damaged: it has more %s than possible; sonde ignores the "
			     "rest",
			     tf->path, what);
}

char *tracefile_strndup(struct tracefile *tf, const char *s, size_t len)
{
	return arena_strndup(&tracefile_private(tf)->arena, s, len);
}

void tracefile_add_damage(struct tracefile *tf, const char *fmt, ...)
{
	struct tracefile_private *priv = tracefile_private(tf);
	char text[600], *copy;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (tf->n_damage == TRACEFILE_DAMAGE_MAX)
		return;
	if (tf->n_damage == TRACEFILE_DAMAGE_MAX - 1)
		snprintf(text, sizeof(text), "%s has more damage than is listed here", tf->path);
	for (size_t i = 0; i < tf->n_damage; i++)
		if (!strcmp(tf->damage[i], text))
			return;
	copy = tracefile_strndup(tf, text, strlen(text));
	if (copy)
		priv->damage[tf->n_damage++] = copy;
}

/* Finds "field: … NAME; offset:N; size:N;" in header_page text. */
static bool header_field(struct piece text, const char *name, unsigned *ret_offset,
			 unsigned *ret_size)
{
	char line[512], *p = NULL;
	size_t pos = 0;

	while (pos < text.len) {
		const uint8_t *nl = memchr(text.data + pos, '\n', text.len - pos);
		size_t len = (nl ? (size_t)(nl - text.data) : text.len) - pos;
		size_t take = len < sizeof(line) - 1 ? len : sizeof(line) - 1;

		memcpy(line, text.data + pos, take);
		line[take] = 0;
		pos += len + 1;
		p = strstr(line, name);
		if (p &&
		    sscanf(p + strlen(name), "; offset:%u; size:%u", ret_offset, ret_size) == 2)
			return true;
	}
	return false;
}

void tracefile_read_header_page(struct tracefile *tf, struct piece text)
{
	unsigned offset, size;

	tf->long_size = tf->writer_long_size == 4 ? 4 : 8;
	tf->data_offset = 8 + tf->long_size;
	if (!text.len) /* kernels before 2.6.31 */
		return;
	if (header_field(text, " commit", &offset, &size) && offset == 8 &&
	    (size == 4 || size == 8))
		tf->long_size = size;
	tf->data_offset = 8 + tf->long_size;
	if (header_field(text, " data", &offset, &size) && offset >= 12 && offset <= 64)
		tf->data_offset = offset;
}

const char *tracefile_main_clock(const struct tracefile *tf)
{
	for (size_t i = 0; i < tf->n_buffers; i++)
		for (size_t k = 0; k < tf->buffers[i].n_cpus; k++)
			if (tf->buffers[i].cpus[k].n_bytes)
				return tf->buffers[i].clock;
	return tf->n_buffers ? tf->buffers[0].clock : NULL;
}

const char *tracefile_clock_name(struct tracefile *tf, struct piece text)
{
	const uint8_t *open = text.len ? memchr(text.data, '[', text.len) : NULL, *close;

	if (!open)
		return NULL;
	open++;
	close = memchr(open, ']', text.len - (open - text.data));
	return close ? tracefile_strndup(tf, (const char *)open, close - open) : NULL;
}

static int read_head(struct tracefile *tf, struct byte_reader *r, struct errmsg *err)
{
	const uint8_t *magic = byte_reader_take(r, SNF_MAGIC_BYTES);
	const char *version;
	unsigned endian;

	if (!tf->map.len)
		return errmsg_set(err, -EBADMSG, "%s is empty, so it is no trace file", tf->path);
	if (!magic || memcmp(magic, SNF_MAGIC, SNF_MAGIC_BYTES))
		return errmsg_set(err, -EBADMSG,
				  "%s is not a trace file (it does not begin like a trace.dat)",
				  tf->path);
	version = byte_reader_take_string(r);
	tf->version = strspn(version, "0123456789") == strlen(version) ? atoi(version) : 0;
	if (!r->failed && tf->version != 6 && tf->version != 7)
		return errmsg_set(
			err, -ENOTSUP,
			"%s is a trace.dat of version %.20s; sonde reads only versions 6 and 7",
			tf->path, version);
	endian = byte_reader_take_number(r, 1);
	tf->big_endian = endian == 1;
	tf->swap = r->swap = tf->big_endian != bytes_host_is_big();
	tf->writer_long_size = byte_reader_take_number(r, 1);
	tf->page_size = byte_reader_take_number(r, 4);
	if (r->failed)
		return errmsg_set(err, -EBADMSG,
				  "%s is truncated in its first %zu bytes: nothing to read",
				  tf->path, tf->map.len);
	if (!tracefile_page_size_is_sane(tf->page_size)) {
		tracefile_add_damage(tf,
				     "%s is damaged: it states sub-buffers of %u bytes; sonde "
				     "assumes %u",
				     tf->path, tf->page_size, PAGE_SIZE_USUAL);
		tf->page_size = PAGE_SIZE_USUAL;
	}
	return 0;
}

/* The recorder could not record everything, and says why. */
static void note_stopped(struct tracefile *tf)
{
	const struct tracefile_option *o = tracefile_option_find(tf, SNF_OPTION_STOPPED);
	char reason[100] = "";

	for (size_t i = 0; o && i < o->data.len && i < sizeof(reason) - 1; i++)
		reason[i] = isprint(o->data.data[i]) ? (char)o->data.data[i] : 0;
	if (o)
		tracefile_add_damage(tf, "%s is incomplete: its recording ended early%s%s",
				     tf->path, *reason ? ", because of: " : "", reason);
}

int tracefile_open_memory(struct tracefile **ret_file, const char *path, struct piece map,
			  struct errmsg *err)
{
	struct tracefile_private *priv = calloc(1, sizeof(*priv));
	struct byte_reader r = {.pos = map.data, .end = map.data + map.len};
	int ret;

	if (!priv)
		return errmsg_set_errno(err, -ENOMEM, "cannot open %s", path);
	arena_init(&priv->arena, TRACEFILE_ARENA_MAX_BYTES);
	priv->pub.map = map;
	priv->pub.damage = priv->damage;
	priv->pub.path = tracefile_strndup(&priv->pub, path, strlen(path));
	priv->pub.compression_name = "none";
	priv->pub.compression_version = "";
	ret = priv->pub.path ? read_head(&priv->pub, &r, err)
			     : errmsg_set_errno(err, -ENOMEM, "cannot open %s", path);
	if (ret < 0) {
		tracefile_close(&priv->pub);
		return ret;
	}
	if (priv->pub.version == 6)
		tracefile_read_v6(&priv->pub, r);
	else
		tracefile_read_v7(&priv->pub, r);
	tracefile_settle_extents(&priv->pub);
	note_stopped(&priv->pub);
	*ret_file = &priv->pub;
	return 0;
}

/* Opens a mapped file. Takes the mapping, or releases it on failure. */
static int open_mapped(struct tracefile **ret_file, const char *path, struct mapfile *map,
		       struct errmsg *err)
{
	struct tracefile *tf;
	int r = tracefile_open_memory(&tf, path, (struct piece){map->data, map->n_bytes}, err);

	if (r < 0) {
		mapfile_release(map);
		return r;
	}
	tracefile_private(tf)->map = *map;
	*ret_file = tf;
	return 0;
}

int tracefile_open(struct tracefile **ret_file, const char *path, struct errmsg *err)
{
	struct mapfile map;
	int r = mapfile_open_if(&map, path, SNF_MAGIC, err);

	return r < 0 ? r : open_mapped(ret_file, path, &map, err);
}

int tracefile_open_fd(struct tracefile **ret_file, int fd, const char *path, struct errmsg *err)
{
	struct mapfile map;
	int r = mapfile_open_fd(&map, fd, path, err);

	return r < 0 ? r : open_mapped(ret_file, path, &map, err);
}

int tracefile_open_regular(struct tracefile **ret_file, const char *path, struct errmsg *err)
{
	int fd = regular_open(path, UINT64_MAX), r;

	if (fd < 0)
		return errmsg_set_errno(err, fd, "cannot open %s", path);
	r = tracefile_open_fd(ret_file, fd, path, err);
	close(fd);
	return r;
}

void tracefile_close(struct tracefile *tf)
{
	struct tracefile_private *priv = tracefile_private(tf);

	if (!tf)
		return;
	livepages_free(priv->live);
	while (priv->n_heaps)
		free(priv->heaps[--priv->n_heaps]);
	arena_release(&priv->arena);
	mapfile_release(&priv->map);
	free(priv);
}

struct piece tracefile_text(struct tracefile *tf, enum tracefile_text_kind kind)
{
	struct tracefile_private *priv = tracefile_private(tf);

	if (!priv->text_loaded[kind] && tf->version == 7)
		priv->texts[kind] = tracefile_load_text_v7(tf, kind);
	priv->text_loaded[kind] = true;
	return priv->texts[kind].data ? priv->texts[kind] : PIECE_EMPTY;
}

const struct tracefile_option *tracefile_option_find(const struct tracefile *tf, uint16_t id)
{
	for (size_t i = tf->n_options; i-- > 0;)
		if (tf->options[i].id == id)
			return &tf->options[i];
	return NULL;
}

const struct tracefile_section *tracefile_option_section(const struct tracefile *tf,
							 const struct tracefile_option *o)
{
	uint64_t offset =
		tf->version == 7 && o->data.len == 8 ? bytes_get64(o->data.data, tf->swap) : 0;

	for (size_t i = 0; offset && i < tf->n_sections; i++)
		if (tf->sections[i].offset == offset && tf->sections[i].id == o->id)
			return &tf->sections[i];
	return NULL;
}
