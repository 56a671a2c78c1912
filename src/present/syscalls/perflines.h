/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perflines.h - system calls as the lines and the tables of perf trace.
 *
 *	perflines_new
 *	    perflines_name      what a thread is called
 *	    perflines_count     for the tables
 *	    perflines_add       a call, its beginning or its end ──▶ lines in a text
 *	perflines_finish        a call that has not ended
 *	perflines_fmt_tables
 *	perflines_free
 *
 * calllines.c chooses the calls and puts them in order. One thread.
 */
#ifndef SONDE_PRESENT_SYSCALLS_PERFLINES_H
#define SONDE_PRESENT_SYSCALLS_PERFLINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct callorder_item;
struct perflines;
struct record;
struct syscallevents_call;
struct syscalltext;
struct textbuf;

struct perflines_spec {
	bool full_time;	    /* -T: the time itself, not that since the first call */
	bool errnos;	    /* --errno-summary */
	bool events;	    /* other events are shown, too (-e) */
	uint64_t max_lines; /* --max-events; 0: all */
	/* Writes the name of a running thread into buf, and returns its length. NULL: none. */
	size_t (*find_name)(int pid, char *buf, size_t size);
};

/* spec must stay. NULL: out of memory. */
struct perflines *perflines_new(const struct perflines_spec *spec);
void perflines_free(struct perflines *p);
void perflines_name(struct perflines *p, int pid, const char *comm, size_t len);
void perflines_count(struct perflines *p, const struct syscallevents_call *call, size_t n_bytes,
		     struct syscalltext *text);
void perflines_add(struct perflines *p, const struct callorder_item *item, struct syscalltext *text,
		   struct textbuf *tb);
/* The text of another event; its record in callorder.h is a note. */
void perflines_fmt_event(struct perflines *p, const struct record *rec, bool swap,
			 struct textbuf *tb);
void perflines_finish(struct perflines *p, struct textbuf *tb);
/* All lines that were wanted are written. */
bool perflines_is_full(const struct perflines *p);
void perflines_fmt_tables(struct perflines *p, struct textbuf *tb);

#endif
