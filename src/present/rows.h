/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h - records for other programs: JSON objects or comma-separated values, one per line.
 *
 * The same printers and sources as for text lines (line.h). Names of keys and columns are stable.
 */
#ifndef SONDE_PRESENT_ROWS_H
#define SONDE_PRESENT_ROWS_H

#include "decode/order/sequence.h"
#include "present/line.h"

/* {"ts":…,"cpu":…,"pid":…,"comm":…,"system":…,"event":…,"fields":{…},"info":…} */
size_t rows_add_json(struct line_printer *lp, const struct batch *b, size_t from, size_t max_bytes);

/* ts,cpu,pid,tgid,comm,buffer,missed,system,event,info */
size_t rows_add_csv(struct line_printer *lp, const struct batch *b, size_t from, size_t max_bytes);
extern const char rows_csv_header[];

/* Parts of such an object, for code that builds its own. rec->event must be known. */
void rows_add_fields(struct line_printer *lp, const struct record *rec); /* {"name":value,…} */
void rows_add_info(struct line_printer *lp, const struct record *rec);	 /* "text" */
/* ["symbol",…] for a kernel stack; false: it is not one, adds nothing. */
bool rows_add_stack(struct line_printer *lp, const struct record *rec);

#endif
