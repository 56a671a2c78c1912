// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * recover.c - finds the buffers of a version 7 file that has lost its directory.
 *
 * trace-cmd writes a buffer's directory (the BUFFER option) after the buffer's data. If the file
 * is truncated before it, the data exists, but the start of each CPU is unknown. It can be
 * derived:
 *
 *	compressed   each CPU is u32 n, then n × (u32 packed, u32 plain, bytes); the next CPU
 *	             follows at once, or at the next multiple of the page size
 *	plain        sub-buffers at multiples of the page size; time grows within a CPU, so a
 *	             sub-buffer that begins before the previous one ended is the first of the next
 *	             CPU
 *
 * The recorder's statistics (CPUSTAT options) are written before the data. They show which CPUs had
 * events and how many, so CPUs get their true numbers, and a CPU that begins later than its
 * neighbour ended can be separated from it. Buffers are in the file in the order of the statistics,
 * the top one first, so they get their names, too. Without statistics CPUs are numbered in the
 * order found.
 *
 * Nothing found here is trusted later: it goes through the same checks as any data.
 */
#include "base/array.h"
#include "format/tracedat.h"
#include "store/tracefile_int.h"

#include <stdlib.h>
#include <string.h>

#define RECOVER_CPUS_MAX    16384
#define RECOVER_BUFFERS_MAX 64
#define RECOVER_ZEROS_MAX   (64u << 20) /* stop after so many zeros: a file may be one large hole */

struct cpu_stat {
	uint32_t cpu;
	/* records that the recorder read, or that were unread when it stopped */
	uint64_t n_records;
};

struct found {
	uint64_t start, end;
};

struct recovery {
	struct tracefile *tf;
	const char *name;	/* name of the buffer; NULL: unknown */
	struct cpu_stat *stats; /* statistics of CPUs with records, in file order */
	size_t n_stats;
	struct found *cpus;
	size_t n_cpus;
};

/*
 * --- what the recorder counted -----------------------------------------------------------------
 */

/* Returns the position after `key`, or NULL. */
static const uint8_t *find_key(struct piece text, const char *key)
{
	const uint8_t *p = memmem(text.data, text.len, key, strlen(key));

	return p ? p + strlen(key) : NULL;
}

static bool find_number(struct piece text, const char *key, uint64_t *ret)
{
	const uint8_t *p = find_key(text, key), *end = text.data + text.len;

	*ret = 0;
	while (p && p < end && *p == ' ')
		p++;
	if (!p || p == end || *p < '0' || *p > '9')
		return false;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		*ret = *ret * 10 + (*p - '0');
	return true;
}

static void add_stat(struct recovery *rc, struct piece text)
{
	uint64_t cpu, entries, taken;

	if (find_number(text, "CPU:", &cpu) && find_number(text, "entries:", &entries) &&
	    find_number(text, "read events:", &taken) && entries + taken &&
	    cpu < TRACEFILE_CPUS_MAX && rc->n_stats < RECOVER_CPUS_MAX)
		rc->stats[rc->n_stats++] = (struct cpu_stat){cpu, entries + taken};
}

/* Reads the statistics and the name of buffer number `index` in the file; 0 is the top buffer. */
static void read_stats(struct recovery *rc, size_t index)
{
	const struct tracefile *tf = rc->tf;
	size_t current = 0;

	rc->name = index ? NULL : "";
	for (size_t i = 0; i < tf->n_options; i++) {
		struct piece text = tf->options[i].data;
		const uint8_t *name, *end;

		if (tf->options[i].id != SNF_OPTION_CPUSTAT)
			continue;
		name = find_key(text, "Buffer: ");
		if (name && ++current == index) {
			end = memchr(name, '\n', text.data + text.len - name);
			if (end)
				rc->name =
					tracefile_strndup(rc->tf, (const char *)name, end - name);
		} else if (!name && current == index) {
			add_stat(rc, text);
		}
	}
}

/*
 * --- where the data is -------------------------------------------------------------------------
 */

static void add_found(struct recovery *rc, uint64_t start, uint64_t end)
{
	if (rc->n_cpus < RECOVER_CPUS_MAX && end > start)
		rc->cpus[rc->n_cpus++] = (struct found){start, end};
}

/* Returns true if a CPU's chunks can begin at pos: the first chunk's numbers must be plausible. */
static bool is_chunks(const struct tracefile *tf, uint64_t pos, uint64_t end)
{
	uint32_t n, packed, plain;

	if (pos > end || end - pos < 12)
		return false;
	n = bytes_get32(tf->map.data + pos, tf->swap);
	packed = bytes_get32(tf->map.data + pos + 4, tf->swap);
	plain = bytes_get32(tf->map.data + pos + 8, tf->swap);
	return n && packed && plain && plain % tf->page_size == 0 && packed <= plain + 4096;
}

/*
 * Returns the end of one CPU's chunks at `pos`: the end of the last complete chunk, or of the file.
 */
static uint64_t chunks_end(const struct tracefile *tf, uint64_t pos, uint64_t end)
{
	uint32_t n = bytes_get32(tf->map.data + pos, tf->swap);

	for (pos += 4; n; n--) {
		uint32_t packed = end - pos >= 8 ? bytes_get32(tf->map.data + pos, tf->swap) : 0;

		if (end - pos < 8 || packed > end - pos - 8)
			return end;
		pos += 8 + (uint64_t)packed;
	}
	return pos;
}

static uint64_t round_up(uint64_t n, uint32_t to)
{
	return (n + to - 1) / to * to;
}

static void find_chunks(struct recovery *rc, uint64_t pos, uint64_t end)
{
	while (pos < end) {
		uint64_t next;

		if (!is_chunks(rc->tf, pos, end))
			pos = round_up(pos, rc->tf->page_size);
		if (!is_chunks(rc->tf, pos, end))
			break;
		next = chunks_end(rc->tf, pos, end);
		add_found(rc, pos, next);
		pos = next;
	}
}

/*
 * Counts the records of a sub-buffer, as far as it can be read, and finds the time of the last one.
 */
static uint64_t count_records(const struct tracefile *tf, const uint8_t *page, uint64_t len,
			      uint64_t *ts)
{
	uint64_t pos = tf->data_offset, n = 0;
	uint64_t used = bytes_get(page + 8, tf->long_size, tf->swap) & SNF_COMMIT_MASK;
	uint64_t end = used < len - pos ? pos + used : len;

	while (end - pos >= 8) {
		uint32_t header = bytes_get32(page + pos, tf->swap);
		uint32_t word = bytes_get32(page + pos + 4, tf->swap);
		uint32_t type = tf->big_endian ? header >> 27 : header & 31;
		uint64_t delta = tf->big_endian ? header & ((1u << 27) - 1) : header >> 5;
		uint64_t step = type == SNF_TYPE_LONG	    ? 4 + round_up(word, 4)
				: type == SNF_TYPE_PADDING  ? 4 + (uint64_t)word
				: type <= SNF_TYPE_DATA_MAX ? 4 + 4 * type
							    : 8;

		if (step > end - pos)
			break;
		if (type >= SNF_TYPE_TIME_EXTEND)
			delta += (uint64_t)word << SNF_DELTA_BITS;
		*ts = type == SNF_TYPE_TIME_STAMP ? (*ts & 0xf800000000000000u) | delta
						  : *ts + delta;
		n += type <= SNF_TYPE_DATA_MAX;
		pos += step;
	}
	return n;
}

static void find_pages(struct recovery *rc, uint64_t pos, uint64_t end)
{
	const struct tracefile *tf = rc->tf;
	uint64_t start, last = 0, n = 0, zeros = 0;

	start = pos = round_up(pos, tf->page_size);
	for (; pos < end && end - pos > tf->data_offset; pos += tf->page_size) {
		uint64_t len = end - pos < tf->page_size ? end - pos : tf->page_size;
		uint64_t ts = bytes_get64(tf->map.data + pos, tf->swap);

		zeros = ts ? 0 : zeros + len;
		if (zeros >= RECOVER_ZEROS_MAX) {
			end = pos + len - zeros;
			break;
		}
		if (ts < last ||
		    (rc->n_cpus < rc->n_stats && n == rc->stats[rc->n_cpus].n_records)) {
			add_found(rc, start, pos);
			start = pos;
			n = 0;
		}
		n += count_records(tf, tf->map.data + pos, len, &ts);
		last = ts;
	}
	if (start < end)
		add_found(rc, start, end);
}

/*
 * --- putting it together -----------------------------------------------------------------------
 */

static void make_buffer(struct recovery *rc, const struct tracefile_section *s)
{
	const struct tracefile_option *clock = tracefile_option_find(rc->tf, SNF_OPTION_TRACECLOCK);
	struct tracefile_buffer *b = tracefile_add_buffer(rc->tf);
	uint32_t number = 0;

	if (!b || !tracefile_add_cpus(rc->tf, b, rc->n_cpus))
		return;
	b->name = rc->name ? rc->name : "recovered";
	b->clock = clock ? tracefile_clock_name(rc->tf, clock->data) : NULL;
	b->page_size = rc->tf->page_size;
	b->section_offset = s->offset;
	b->compressed = s->flags & SNF_SECTION_COMPRESSED;
	for (size_t i = 0; i < rc->n_cpus; i++, number++) {
		uint64_t n_bytes = rc->cpus[i].end - rc->cpus[i].start;

		if (i < rc->n_stats && rc->stats[i].cpu >= number)
			number = rc->stats[i].cpu;
		b->cpus[i] = (struct tracefile_cpu){.cpu = number,
						    .offset = rc->cpus[i].start,
						    .n_bytes = n_bytes,
						    .n_bytes_stated = n_bytes};
	}
	b->max_cpus = number;
}

static bool recover_buffer(struct tracefile *tf, const struct tracefile_section *s, size_t index)
{
	struct recovery rc = {.tf = tf};
	uint64_t start = s->offset + SNF_SECTION_HEADER_BYTES;
	uint64_t left = tf->map.len - start;
	uint64_t end = s->n_bytes && s->n_bytes < left ? start + s->n_bytes : tf->map.len;

	rc.stats = malloc(RECOVER_CPUS_MAX * sizeof(*rc.stats));
	rc.cpus = malloc(RECOVER_CPUS_MAX * sizeof(*rc.cpus));
	if (rc.stats && rc.cpus) {
		read_stats(&rc, index);
		if (s->flags & SNF_SECTION_COMPRESSED)
			find_chunks(&rc, start, end);
		else
			find_pages(&rc, start, end);
		if (rc.n_cpus)
			make_buffer(&rc, s);
	}
	free(rc.stats);
	free(rc.cpus);
	return rc.n_stats;
}

static bool buffer_is_known(const struct tracefile *tf, uint64_t offset)
{
	return ARRAY_ANY(tf->n_buffers, i, tf->buffers[i].section_offset == offset);
}

void tracefile_recover_v7(struct tracefile *tf)
{
	size_t before = tf->n_buffers, index = 0;
	bool numbered = false;

	for (size_t i = 0; i < tf->n_sections && tf->n_buffers < before + RECOVER_BUFFERS_MAX;
	     i++) {
		if (tf->sections[i].id != SNF_OPTION_BUFFER)
			continue;
		if (!buffer_is_known(tf, tf->sections[i].offset))
			numbered = recover_buffer(tf, &tf->sections[i], index);
		index++;
	}
	if (tf->n_buffers > before)
		tracefile_add_damage(tf,
				     "%s is truncated or damaged (it ends at byte %zu) before the "
				     "directory of its last "
				     "buffer: the data up to there is shown, with CPU numbers %s",
				     tf->path, tf->map.len,
				     numbered ? "from the recorder's statistics"
					      : "in the order found");
	else if (!tf->n_buffers)
		tracefile_add_damage(
			tf,
			"%s is truncated at byte %zu, before its first buffer: it has no "
			"events to show",
			tf->path, tf->map.len);
	else
		tracefile_add_damage(
			tf, "the directory of %s is truncated or damaged at its end (byte %zu)",
			tf->path, tf->map.len);
}
