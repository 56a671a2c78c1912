/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * eventformats.h - writes the formats of events that sonde itself makes, as a trace file has them.
 *
 *	eventformats_add_system     begins a system with n events
 *	eventformats_begin          begins an event: name, id, the common fields
 *	eventformats_add_field …    the other fields, in the order of their offsets
 *	eventformats_end            the print format; the event is complete
 *
 * The text has the binary form of the section "event formats": u32 number of systems; for each its
 * name with a NUL, u32 number of events; for each event u64 length and its text.
 */
#ifndef SONDE_STORE_EVENTS_EVENTFORMATS_H
#define SONDE_STORE_EVENTS_EVENTFORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct textbuf;

/* The first field behind those that all events have. */
#define EVENTFORMATS_COMMON_BYTES 8

struct eventformats {
	struct textbuf *tb;
	size_t at;	 /* of the length of this event */
	uint32_t offset; /* of the next field */
};

/* tb may be empty. The caller then adds exactly n_events. */
void eventformats_add_system(struct textbuf *tb, const char *name, uint32_t n_events);
void eventformats_begin(struct eventformats *f, struct textbuf *tb, const char *name, uint32_t id);
/* declaration: "u32 func", "__data_loc char[] args". */
void eventformats_add_field(struct eventformats *f, const char *declaration, uint32_t n_bytes,
			    bool is_signed);
void eventformats_end(struct eventformats *f, const char *print);

/*
 * Writes a line of kallsyms. file: a base name, NULL: none. A blank in a name becomes a no-break
 * space, because readers end a name at a blank; control characters become '?'.
 */
void eventformats_add_symbol(struct textbuf *tb, uint64_t address, const char *name,
			     const char *file);

#endif
