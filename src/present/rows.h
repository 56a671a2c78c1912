/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h - prints records for other programs: JSON objects or comma-separated values, one per line.
 *
 * It uses the same printers and sources as text lines (line.h). Names of keys and columns are
 * stable.
 */
#ifndef SONDE_PRESENT_ROWS_H
#define SONDE_PRESENT_ROWS_H

#include "decode/order/sequence.h"
#include "present/line.h"

/* Prints {"ts":…,"cpu":…,"pid":…,"comm":…,"system":…,"event":…,"fields":{…},"info":…}. */
size_t rows_add_json(struct line_printer *lp, const struct batch *b, size_t from, size_t max_bytes);

/* Prints ts,cpu,pid,tgid,comm,buffer,missed,system,event,info. */
size_t rows_add_csv(struct line_printer *lp, const struct batch *b, size_t from, size_t max_bytes);
extern const char rows_csv_header[];

/*
 * These functions add parts of such an object, for code that builds its own object. rec->event must
 * be known.
 */
void rows_add_fields(struct line_printer *lp, const struct record *rec); /* {"name":value,…} */
void rows_add_info(struct line_printer *lp, const struct record *rec);	 /* "text" */
/*
 * Adds ["symbol",…] for a kernel stack. Returns false, and adds nothing, if rec is no kernel stack.
 */
bool rows_add_stack(struct line_printer *lp, const struct record *rec);

#endif
