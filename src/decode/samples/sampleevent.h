/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sampleevent.h - reads the events perf:sample (store/events/sampleevents.h).
 *
 *  sample_kind_init ─▶ sample_kind_read of each record ─▶ sample_place(…, i), the innermost first
 *
 * Code has a place: a kernel address, or FILE << 48 | address in that file. After
 * sample_kind_init() any thread may read.
 */
#ifndef SONDE_DECODE_SAMPLES_SAMPLEEVENT_H
#define SONDE_DECODE_SAMPLES_SAMPLEEVENT_H

#include "format/bytes.h"

#include <stdbool.h>
#include <stdint.h>

struct event;
struct formats;
struct record;

struct sample_field {
	uint16_t offset, size; /* size 0: the event does not have it */
};

/* Where the numbers of a sample are in its record. */
struct sample_kind {
	const struct event *event; /* NULL: the file does not describe such events */
	bool swap;
	uint16_t min_size; /* of a record with all numbers */
	struct sample_field ip, period, number, tgid, stack;
};

struct sample_event {
	uint64_t ip, period;
	uint32_t event; /* number of its name in sampleinfo.h */
	int32_t tgid;	/* -1: unknown */
	const uint8_t *stack;
	uint32_t n; /* places; 0: only ip */
	bool swap;
};

/* False: the file describes no samples. */
bool sample_kind_init(struct sample_kind *k, struct formats *f);
/* False: the record is too short, or says that its stack lies outside of it. */
bool sample_kind_read(const struct sample_kind *k, const uint8_t *data, uint32_t size,
		      struct sample_event *ret);

static inline uint64_t sample_place(const struct sample_event *s, uint32_t i)
{
	return bytes_get64(s->stack + (size_t)i * 8, s->swap);
}

/*
 * --- places ------------------------------------------------------------------------------------
 */

#define PLACE_ADDRESS_BITS 48
#define PLACE_NAMED	   0x7fffu /* no file: the place is the number of a name, see sampleset.h */

static inline bool place_is_kernel(uint64_t place)
{
	return place >> 63;
}
/* 0: the kernel, or unknown */
static inline uint32_t place_file(uint64_t place)
{
	return place >> 63 ? 0 : (uint32_t)(place >> PLACE_ADDRESS_BITS);
}
static inline uint64_t place_address(uint64_t place)
{
	return place >> 63 ? place : place & ((UINT64_C(1) << PLACE_ADDRESS_BITS) - 1);
}
static inline uint64_t place_of(uint32_t file, uint64_t address)
{
	return (uint64_t)file << PLACE_ADDRESS_BITS |
	       (address & ((UINT64_C(1) << PLACE_ADDRESS_BITS) - 1));
}

#endif
