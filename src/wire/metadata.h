/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metadata.h - what is known about a recording before its first page, as the bytes that are sent ahead
 * of them: a trace.dat of this machine's byte order without buffers.
 *
 * Version 7 has everything; it is what protocol 3 carries. For protocol 1 there is version 6 up to the
 * names of tasks: the other end adds the rest.
 */
#ifndef SONDE_WIRE_METADATA_H
#define SONDE_WIRE_METADATA_H

#include "store/tracefile.h"

struct textbuf;

struct metadata {
	int protocol;		      /* 1 or 3 */
	enum compression compression; /* how the other end shall write the file … */
	bool plain_data;	      /* … but for its pages */
	uint8_t long_size;
	uint32_t page_size, n_cpus;
	struct piece texts[TRACEFILE_TEXT_KINDS];
	const struct tracefile_option *options; /* none that says where something lies */
	size_t n_options;
};

#define METADATA_TEXTS "texts" /* in place of a version of "none": see metadata.c */

/* Appends to out; look at out->overflow. */
void metadata_fmt(const struct metadata *m, struct textbuf *out);

/* What goes to sender_add_late(): an option, or SNF_OPTION_CMDLINES with the text. */
void metadata_fmt_late(uint16_t id, struct piece data, struct textbuf *out);

/* The options of a trace that say nothing about places in it: may be sent as they are. */
bool metadata_is_portable(const struct tracefile *tf, const struct tracefile_option *o);

#endif
