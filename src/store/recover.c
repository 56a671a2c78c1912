// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recover.c - buffers of a version 7 file that lost its directory.
 *
 * trace-cmd writes a buffer's directory (the BUFFER option) after the buffer's data. When the file is
 * cut off before it, the data is there but nothing says where each CPU begins. It can be told:
 *
 *	compressed   each CPU is u32 n, then n × (u32 packed, u32 plain, bytes), one CPU after the other;
 *	             bytes between them (alignment) are zero
 *	plain        sub-buffers at multiples of the page size; time grows within a CPU, so a sub-buffer
 *	             that is older than the one before it begins the next CPU
 *
 * CPUs get numbers in the order found: right unless a CPU had no data. The damage text says so.
 * Nothing here is trusted later: whatever is found wrong goes through the same checks as any data.
 */
#include "store/tracefile_int.h"

#include <string.h>

#define RECOVER_CPUS_MAX 4096

struct found_cpus {
	uint64_t start[RECOVER_CPUS_MAX], end[RECOVER_CPUS_MAX];
	size_t n;
};

static void found_add(struct found_cpus *f, uint64_t start, uint64_t end)
{
	if (f->n < RECOVER_CPUS_MAX && end > start) {
		f->start[f->n] = start;
		f->end[f->n++] = end;
	}
}

/* The end of one CPU's chunks at `pos`, or 0 if there are none. */
static uint64_t chunks_end(const struct tracefile *tf, uint64_t pos, uint64_t end)
{
	uint32_t n = bytes_get32(tf->map.data + pos, tf->swap);

	pos += 4;
	while (n-- && end - pos >= 8) {
		uint32_t packed = bytes_get32(tf->map.data + pos, tf->swap);

		pos += 8;
		if (packed > end - pos)
			return end;
		pos += packed;
	}
	return n == UINT32_MAX ? pos : end;
}

static void find_chunks(const struct tracefile *tf, uint64_t pos, uint64_t end,
			struct found_cpus *f)
{
	while (end - pos >= 12) {
		uint64_t next;

		/* a chunk count is never 0, so zero bytes are alignment */
		if (!bytes_get32(tf->map.data + pos, tf->swap)) {
			pos++;
			continue;
		}
		next = chunks_end(tf, pos, end);
		found_add(f, pos, next);
		pos = next;
	}
}

static void find_pages(const struct tracefile *tf, uint64_t pos, uint64_t end, uint32_t page_size,
		       struct found_cpus *f)
{
	uint64_t start, last = 0;

	pos = (pos + page_size - 1) / page_size * page_size;
	start = pos;
	for (; pos < end && end - pos >= 16; pos += page_size) {
		uint64_t ts = bytes_get64(tf->map.data + pos, tf->swap);

		if (ts < last) {
			found_add(f, start, pos);
			start = pos;
		}
		last = ts;
	}
	if (start < end)
		found_add(f, start, end);
}

static bool buffer_is_known(const struct tracefile *tf, uint64_t offset)
{
	for (size_t i = 0; i < tf->n_buffers; i++)
		if (tf->buffers[i].section_offset == offset)
			return true;
	return false;
}

/* "buffer flyrecord NAME" is what the description of such a section says; we cannot rely on it. */
static void recover_buffer(struct tracefile *tf, const struct tracefile_section *s)
{
	const struct tracefile_option *clock = tracefile_option_find(tf, SNF_OPTION_TRACECLOCK);
	uint64_t start = s->offset + SNF_SECTION_HEADER_BYTES;
	uint64_t left = tf->map.len - start;
	uint64_t end = s->n_bytes && s->n_bytes < left ? start + s->n_bytes : tf->map.len;
	struct tracefile_buffer *b;
	struct found_cpus f;

	f.n = 0;
	if (s->flags & SNF_SECTION_COMPRESSED)
		find_chunks(tf, start, end, &f);
	else
		find_pages(tf, start, end, tf->page_size, &f);
	b = f.n ? tracefile_add_buffer(tf) : NULL;
	if (!b || !tracefile_add_cpus(tf, b, f.n))
		return;
	b->name = tf->n_buffers > 1 ? "recovered" : "";
	b->clock = clock ? tracefile_clock_name(tf, clock->data) : NULL;
	b->page_size = tf->page_size;
	b->section_offset = s->offset;
	b->compressed = s->flags & SNF_SECTION_COMPRESSED;
	b->max_cpus = f.n;
	for (size_t i = 0; i < f.n; i++)
		b->cpus[i] = (struct tracefile_cpu){.cpu = i,
						    .offset = f.start[i],
						    .n_bytes = f.end[i] - f.start[i],
						    .n_bytes_stated = f.end[i] - f.start[i]};
}

void tracefile_recover_v7(struct tracefile *tf)
{
	size_t before = tf->n_buffers;

	for (size_t i = 0; i < tf->n_sections; i++)
		if (tf->sections[i].id == SNF_OPTION_BUFFER &&
		    !buffer_is_known(tf, tf->sections[i].offset))
			recover_buffer(tf, &tf->sections[i]);
	if (tf->n_buffers > before)
		tracefile_add_damage(
			tf,
			"%s is cut off at byte %zu, before the directory of its last buffer: "
			"the data up to there is shown, with CPU numbers in the order found",
			tf->path, tf->map.len);
	else if (!tf->n_buffers)
		tracefile_add_damage(
			tf,
			"%s is cut off at byte %zu, before its first buffer: it has no "
			"events to show",
			tf->path, tf->map.len);
	else
		tracefile_add_damage(tf, "the directory of %s is cut off or damaged at its end",
				     tf->path);
}
