/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * functions_int.h - helper functions with their own file, for the table in functions.c.
 */
#ifndef SONDE_DECODE_FORMATS_FUNCTIONS_INT_H
#define SONDE_DECODE_FORMATS_FUNCTIONS_INT_H

#include <stdint.h>

struct printer;

/* function_scsi.c */
uint64_t call_scsi_trace_parse_cdb(struct printer *p, const uint64_t *args);

#endif
