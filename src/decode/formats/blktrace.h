/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * blktrace.h - the format of the block tracer's records, which the kernel does not publish.
 */
#ifndef SONDE_DECODE_FORMATS_BLKTRACE_H
#define SONDE_DECODE_FORMATS_BLKTRACE_H

#include "decode/formats/formats.h"
#include "format/bytes.h"

/*
 * Guesses the id of ftrace:blktrace from its neighbours in *f, which must be sorted, and makes a
 * format text in f->arena. Returns an empty piece if there is no such neighbour or memory is short.
 */
struct piece blktrace_fmt_text(struct formats *f);

#endif
