/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * values.h - arguments, return values and events as text.
 */
#ifndef SONDE_PRESENT_UFTRACE_VALUES_H
#define SONDE_PRESENT_UFTRACE_VALUES_H

#include "analyse/uftrace/valuetext.h"
#include "analyse/uftrace/walk.h"
#include "present/uftrace/out.h"

/* What uftrace appends to the name of a function, at most 1023 bytes. */
void uft_values_add(struct uft_out *o, struct uft_walk *w, struct uft_lane *l,
		    const struct uft_values *v, unsigned form);

/* "linux:schedule"; user events by their names of events.txt. */
void uft_event_name(const char *events_text, uint64_t id, char *buf, size_t n_bytes);
/*
 * "comm=sh", "vmsize=1KB …": the data of an event; false: it has none. signs: differences get a
 * sign. kernel: may be NULL if there is none.
 */
bool uft_event_data(struct uft_kernel *kernel, uint64_t id, const struct uft_values *v, bool signs,
		    char *buf, size_t n_bytes);

#endif
