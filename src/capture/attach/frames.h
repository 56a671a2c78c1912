/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames.h - signal frames on the stacks of threads: where handlers return to. For this folder
 * only.
 */
#ifndef SONDE_CAPTURE_ATTACH_FRAMES_H
#define SONDE_CAPTURE_ATTACH_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct operation;

/* The used part of a thread's stack. False: it has none. */
bool frames_find_range(const struct operation *o, size_t thread, uint64_t *ret_low,
		       uint64_t *ret_high);

/* ip: where a handler returns to; ip_at: the address of that number. True: look no further. */
typedef bool (*frames_visit)(struct operation *o, uint64_t ip, uint64_t ip_at);
/* Whether visit() has said true for a frame of this thread, or its stack cannot be read. */
bool frames_any(struct operation *o, size_t thread, frames_visit visit);

#endif
