/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitmap.h - names of code that a process makes: /tmp/perf-PID.map.
 *
 *	jitmap_new ─▶ jitmap_look, while the process lives ─▶ jitmap_find, at the end ─▶ jitmap_free
 */
#ifndef SONDE_CAPTURE_PERF_JITMAP_H
#define SONDE_CAPTURE_PERF_JITMAP_H

#include <stddef.h>
#include <stdint.h>

struct jitmap;

/* NULL: out of memory. */
struct jitmap *jitmap_new(int pid);
void jitmap_free(struct jitmap *j);
/* Opens the file, if it exists and is not open yet. */
void jitmap_look(struct jitmap *j);
/* The name at an address of the process, valid as long as j; NULL: none. Reads the file once. */
const char *jitmap_find(struct jitmap *j, uint64_t address, uint64_t *ret_start);

/* Reads a text in the form of such a file, n_bytes, instead of the file. Returns 0 or -ENOMEM. */
int jitmap_parse(struct jitmap *j, const char *text, size_t n_bytes);

#endif
