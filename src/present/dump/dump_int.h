/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump_int.h - declarations that the files behind dump.h share. */
#ifndef SONDE_PRESENT_DUMP_DUMP_INT_H
#define SONDE_PRESENT_DUMP_DUMP_INT_H

#include "format/bytes.h"
#include "present/dump/dump.h"
#include "store/tracefile.h"

struct dump {
	struct tracefile *tf;
	unsigned items; /* bits of enum dump_item */
	dump_put *put;
	void *ctx;
	char *strings; /* version 7: descriptions of sections */
	size_t n_strings;
};

/* Prints the text if one of the items is wanted. */
void dump_print(const struct dump *d, unsigned items, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Prints a text and a newline. */
void dump_print_text(const struct dump *d, unsigned items, struct piece text);

/* options.c: prints one option of either version. */
void dump_option(struct dump *d, uint16_t id, struct piece data);

/* Prints "\t[Section …]" before the content of a section. Returns false if there is none. */
bool dump_section_header(const struct dump *d, unsigned items, uint64_t offset,
			 struct tracefile_section *ret);

#endif
