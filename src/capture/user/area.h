/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * area.h - a place for an image's code in a process, near enough for jumps.
 */
#ifndef SONDE_CAPTURE_USER_AREA_H
#define SONDE_CAPTURE_USER_AREA_H

#include <stddef.h>
#include <stdint.h>

/*
 * A gap of n_bytes (whole pages) between the mappings, so that everything from low to high (final
 * addresses) and the gap are within reach of a jump. maps: the text of /proc/PID/maps. taken:
 * gaps already promised to other images, n_taken pairs of begin and end. -ENOSPC: there is none.
 */
struct userarea {
	uint64_t begin, end;
};

int userarea_find(const char *maps, size_t maps_bytes, uint64_t low, uint64_t high, size_t n_bytes,
		  const struct userarea *taken, size_t n_taken, uint64_t *ret_address);

#endif
