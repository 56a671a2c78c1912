/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filelists.h - prints facts about trace files, in the format of trace-cmd report: symbols,
 * formats, CPUs …
 */
#ifndef SONDE_PRESENT_FILELISTS_H
#define SONDE_PRESENT_FILELISTS_H

#include "base/errmsg.h"
#include "inputs/inputs.h"

/* Selects the list. If several members are true, the first in the order of find_list() counts. */
struct filelists_spec {
	bool page_size, endian;
	bool formats;		 /* formats of all events, or: */
	const char *event_regex; /* formats of these events: SYSTEM:NAME, or part of a name */
	bool check_events, functions, printk, events, processes;
	bool cpus, first_event, last_event;
	bool stat, uname, version;
	bool verbose; /* include CPUs without data; with cpus, print the version of each file */
};

enum filelists_of {
	FILELISTS_NONE,	    /* no list is requested */
	FILELISTS_OF_FIRST, /* the list of the first file */
	FILELISTS_OF_CPUS,  /* the lists of all files, each after its version if verbose */
	FILELISTS_OF_ALL,   /* the lists of all files */
};

/* Receives the text in pieces. */
typedef void filelists_put(void *ctx, const char *text, size_t len);

enum filelists_of filelists_find(const struct filelists_spec *spec);
/* Writes the list that filelists_find() found. */
int filelists_emit(const struct filelists_spec *spec, struct inputs *in, filelists_put *put,
		   void *ctx, struct errmsg *err);

#endif
