/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump.h - what the files of `sonde dump` share.
 */
#ifndef SONDE_CLI_DUMP_H
#define SONDE_CLI_DUMP_H

#include "store/tracefile.h"

enum dump_item {
	DUMP_SUMMARY = 1 << 0,
	DUMP_HEAD_PAGE = 1 << 1,
	DUMP_HEAD_EVENT = 1 << 2,
	DUMP_FTRACE_FORMATS = 1 << 3,
	DUMP_SYSTEMS = 1 << 4,
	DUMP_EVENT_FORMATS = 1 << 5,
	DUMP_KALLSYMS = 1 << 6,
	DUMP_PRINTK = 1 << 7,
	DUMP_CMDLINES = 1 << 8,
	DUMP_OPTIONS = 1 << 9,
	DUMP_FLYRECORD = 1 << 10,
	DUMP_CLOCK = 1 << 11,
	DUMP_SECTIONS = 1 << 12,
	DUMP_STRINGS = 1 << 13,
	DUMP_MODULES = 1 << 14,
	DUMP_ALL = (1 << 15) - 1,
};

struct dump {
	struct tracefile *tf;
	unsigned items; /* of enum dump_item */
	char *strings;	/* version 7: descriptions of sections */
	size_t n_strings;
};

/* Prints if one of the items is wanted. */
void dump_print(const struct dump *d, unsigned items, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A text and a newline behind it. */
void dump_print_text(const struct dump *d, unsigned items, struct piece text);

/* dump_options.c: one option of either version. */
void dump_option(struct dump *d, uint16_t id, struct piece data);

/* "\t[Section …]", as it stands before the content of a section; false if there is none. */
bool dump_section_header(const struct dump *d, unsigned items, uint64_t offset,
			 struct tracefile_section *ret);

#endif
