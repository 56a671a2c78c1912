/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pagemerge.h - merges two partly filled sub-buffers of a CPU.
 */
#ifndef SONDE_CAPTURE_RECORD_PAGEMERGE_H
#define SONDE_CAPTURE_RECORD_PAGEMERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Appends the events of page, the next sub-buffer, to those in tail. Returns false, and does not
 * change tail, if they cannot be merged.
 */
bool pagemerge_add(uint8_t *tail, const uint8_t *page, size_t page_size);

#endif
