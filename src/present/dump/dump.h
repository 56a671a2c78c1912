/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump.h - prints the structure of a trace file: its head, sections, options and texts. */
#ifndef SONDE_PRESENT_DUMP_DUMP_H
#define SONDE_PRESENT_DUMP_DUMP_H

#include "inputs/inputs.h"

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

/* Receives the text in pieces. */
typedef void dump_put(void *ctx, const char *text, size_t len);

/*
 * Prints the items (enum dump_item) of a file that was opened at least with inputs_spec.no_events.
 * Skips damaged or missing parts and adds them to the file's damage. Returns 0 or -ENOMEM.
 */
int dump_emit(struct inputs_file *file, unsigned items, dump_put *put, void *ctx);

#endif
