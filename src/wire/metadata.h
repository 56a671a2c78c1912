/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metadata.h - what is known about a recording before its first page, as the bytes that are sent
 * first: a trace.dat in this machine's byte order without buffers.
 *
 * Version 7 is complete; protocol 3 uses it. Protocol 1 uses version 6 up to the names of tasks:
 * the other side adds the rest.
 */
#ifndef SONDE_WIRE_METADATA_H
#define SONDE_WIRE_METADATA_H

#include "format/bytes.h"
#include "store/tracefile.h"

struct textbuf;

struct metadata {
	int protocol;		      /* 1 or 3 */
	enum compression compression; /* for the file of the other side … */
	bool plain_data;	      /* … but not for its pages */
	uint8_t long_size;
	uint32_t page_size, n_cpus;
	struct piece texts[TRACEFILE_TEXT_KINDS];
	const struct tracefile_option *options; /* without positions */
	size_t n_options;
};

#define METADATA_TEXTS "texts" /* instead of a version of "none": see metadata.c */

/* Appends to out; check out->overflow. */
void metadata_fmt(const struct metadata *m, struct textbuf *out);

/* For sender_add_late(): an option, or SNF_OPTION_CMDLINES with the text. */
void metadata_fmt_late(uint16_t id, struct piece data, struct textbuf *out);

/* Is it an option without positions, which may be sent unchanged? */
bool metadata_is_portable(const struct tracefile *tf, const struct tracefile_option *o);

#endif
