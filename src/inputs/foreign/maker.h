/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * maker.h - makes a trace file of events that were read from another tool's file.
 *
 *	maker_init
 *	    eventformats_* to ->formats, maker_add_ftrace     each kind of event
 *	    maker_add, maker_add_missed, maker_name_task, maker_function
 *	maker_write ─▶ maker_release
 *
 * Times of a CPU must not fall. Functions have no addresses in such files: each name gets one.
 */
#ifndef SONDE_INPUTS_FOREIGN_MAKER_H
#define SONDE_INPUTS_FOREIGN_MAKER_H

#include "base/arena.h"
#include "base/map.h"
#include "base/textbuf.h"
#include "format/bytes.h"
#include "inputs/foreign/formats.h"
#include "inputs/foreign/lanes.h"

struct processes;

#define MAKER_KINDS_MAX	 20000u
#define MAKER_RECORD_MAX 4000u /* bytes of an event: it fits into a page */

/* What every event begins with. */
struct maker_head {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
};

struct maker {
	const struct foreign_config *config;
	const char *clock;
	struct lanes lanes;
	struct arena arena;
	struct map functions; /* names, by hash */
	struct map tasks;     /* names, by pid */
	struct map addresses; /* that have a symbol */
	struct processes *processes;
	struct textbuf formats, ftrace, kallsyms;
	uint64_t functions_at; /* address of the first function; the others are 16 apart */
	uint32_t n_functions, n_ftrace, n_cpus;
	uint64_t n_events, n_too_long, n_back;
};

int maker_init(struct maker *m, const struct foreign_config *config, struct errmsg *err);
void maker_release(struct maker *m);

/* Adds the text of one format to those of the system "ftrace". */
void maker_add_ftrace(struct maker *m, const char *text);

/* head->pid: the task. Events longer than a page are counted and dropped. */
int maker_add(struct maker *m, uint32_t cpu, uint64_t time_ns, const void *record,
	      uint32_t n_bytes);
int maker_add_missed(struct maker *m, uint32_t cpu, uint64_t n);
/* The last name counts. tgid: 0 if unknown. */
int maker_name_task(struct maker *m, int pid, int tgid, const char *name, size_t len);
/* Returns the address of the function, which is made up; 0: no memory. */
uint64_t maker_function(struct maker *m, const char *name, size_t len);
/* The function has this address. */
void maker_add_symbol(struct maker *m, uint64_t address, const char *name, size_t len);

/* Writes the file, and notes about what was dropped. */
int maker_write(struct maker *m, struct errmsg *err);

#endif
