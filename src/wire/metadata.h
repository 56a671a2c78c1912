/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metadata.h - makes the bytes that describe a recording and are sent first: a trace.dat in this
 * machine's byte order without buffers.
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
	enum compression compression; /* compression of the other side's file */
	bool plain_data;	      /* the pages of the file are not compressed */
	uint8_t long_size;
	uint32_t page_size, n_cpus;
	struct piece texts[TRACEFILE_TEXT_KINDS];
	const struct tracefile_option *options; /* options without positions */
	size_t n_options;
};

#define METADATA_TEXTS "texts" /* instead of a version of "none": see metadata.c */

/* Appends the metadata to out. The caller checks out->overflow. */
void metadata_fmt(const struct metadata *m, struct textbuf *out);

/* Makes data for sender_add_late(): an option, or SNF_OPTION_CMDLINES with the text. */
void metadata_fmt_late(uint16_t id, struct piece data, struct textbuf *out);

/* Returns true for an option without positions, which may be sent unchanged. */
bool metadata_is_portable(const struct tracefile *tf, const struct tracefile_option *o);

#endif
