/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h - records for other programs: JSON objects and comma-separated values, one a line.
 *
 * The same printers and sources as for text lines (line.h). Names of keys and columns are stable.
 */
#ifndef SONDE_PRESENT_ROWS_H
#define SONDE_PRESENT_ROWS_H

#include "present/line.h"

/* {"ts":…,"cpu":…,"pid":…,"comm":…,"system":…,"event":…,"fields":{…},"info":…} */
size_t rows_add_json(struct line_printer *lp, const struct batch *b, size_t from, size_t max_bytes);

/* ts,cpu,pid,tgid,comm,buffer,missed,system,event,info */
size_t rows_add_csv(struct line_printer *lp, const struct batch *b, size_t from, size_t max_bytes);
extern const char rows_csv_header[];

#endif
