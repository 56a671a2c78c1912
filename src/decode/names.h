/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * names.h - collects names of tasks from the whole trace, before it is shown (report --all-names).
 */
#ifndef SONDE_DECODE_NAMES_H
#define SONDE_DECODE_NAMES_H

#include "decode/formats/formats.h"
#include "store/tracefile.h"
#include "symbols/tasks.h"

/* Walks all buffers of the file and gives every unnamed task the last name seen for it. */
int names_gather(struct tracefile *tf, struct formats *f, struct tasks *tasks);

#endif
