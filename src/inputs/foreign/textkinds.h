/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * textkinds.h - formats for events of which only the name and the text are known.
 *
 *	textkinds_init
 *	    textkinds_learn      each event, once
 *	textkinds_settle         ids and formats
 *	    textkinds_fill       each event again: the bytes of its record
 *	textkinds_release
 */
#ifndef SONDE_INPUTS_FOREIGN_TEXTKINDS_H
#define SONDE_INPUTS_FOREIGN_TEXTKINDS_H

#include "base/arena.h"
#include "base/map.h"
#include "format/bytes.h"

#include <stdbool.h>
#include <stdint.h>

struct textkind;
struct maker;

struct textkinds {
	struct arena arena;
	struct map by_name;
	struct textkind **list;
	size_t n, cap;
	uint64_t n_refused; /* events of kinds beyond the limit */
};

void textkinds_init(struct textkinds *k);
void textkinds_release(struct textkinds *k);
int textkinds_learn(struct textkinds *k, struct piece name, struct piece text);
/* Adds all formats to those of m. */
void textkinds_settle(struct textkinds *k, struct maker *m);
/*
 * Writes type and fields into the record, of MAKER_RECORD_MAX bytes, and leaves the other common
 * fields. Returns its bytes, 0 if the event has no kind, or more than that if it does not fit.
 */
uint32_t textkinds_fill(struct textkinds *k, struct piece name, struct piece text, uint8_t *record);

#endif
