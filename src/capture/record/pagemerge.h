/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pagemerge.h - two partly filled sub-buffers of a CPU as one.
 */
#ifndef SONDE_CAPTURE_RECORD_PAGEMERGE_H
#define SONDE_CAPTURE_RECORD_PAGEMERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Adds the events of page, which came next, to those in tail. False: they stay two, tail is as it was. */
bool pagemerge_add(uint8_t *tail, const uint8_t *page, size_t page_size);

#endif
