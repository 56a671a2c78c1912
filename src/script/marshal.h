/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marshal.h - writes values in the form that Python's module marshal reads.
 *
 * marshal.loads() builds dicts as fast as Python itself does, about ten times faster than code that
 * unpacks bytes in Python. The form is that of version 4, which every Python since 3.4 reads.
 *
 * A name that comes often is written once in a batch and then referred to by its number: the reader
 * makes one string of it. Names are compared by address.
 */
#ifndef SONDE_SCRIPT_MARSHAL_H
#define SONDE_SCRIPT_MARSHAL_H

#include "base/map.h"
#include "base/textbuf.h"

#include <stdbool.h>
#include <stdint.h>

struct marshal {
	struct textbuf *out;
	struct map names; /* address to number + 1 */
	uint32_t n_names;
};

void marshal_release(struct marshal *m);
/* All names are forgotten. */
void marshal_restart(struct marshal *m);

void marshal_put_int(struct marshal *m, int64_t v);
void marshal_put_uint(struct marshal *m, uint64_t v);
void marshal_put_real(struct marshal *m, double v);
void marshal_put_bool(struct marshal *m, bool v);
void marshal_put_none(struct marshal *m);
/* Bytes that are not UTF-8 become '?'. */
void marshal_put_text(struct marshal *m, const char *text, size_t len);
void marshal_put_name(struct marshal *m, const char *name, size_t len);
void marshal_open_dict(struct marshal *m);
void marshal_close_dict(struct marshal *m);
/*
 * The number of values must be known, or is set later: the return value is for marshal_set_count().
 */
size_t marshal_open_list(struct marshal *m);
size_t marshal_open_values(struct marshal *m); /* a tuple, in the same way */
void marshal_open_tuple(struct marshal *m, uint8_t n);
void marshal_set_count(struct marshal *m, size_t at, uint32_t n);

#endif
