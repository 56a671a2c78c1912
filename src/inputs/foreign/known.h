/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * known.h - events of the kernel whose text has a known form: their fields from the text.
 */
#ifndef SONDE_INPUTS_FOREIGN_KNOWN_H
#define SONDE_INPUTS_FOREIGN_KNOWN_H

#include "format/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct maker;
struct textbuf;

#define KNOWN_FIELDS_MAX 8

struct known_event;

struct known_values {
	int64_t numbers[KNOWN_FIELDS_MAX];
	struct piece texts[KNOWN_FIELDS_MAX];
};

/* Returns NULL if the form of this event is not known. */
const struct known_event *known_find(const char *name, size_t len);
/* Reads the fields. Returns false if the text has another form. */
bool known_match(const struct known_event *ev, struct piece text, struct known_values *ret);
const char *known_system(const struct known_event *ev);
/* Adds the event with its fields and print format to the formats. */
void known_add_format(const struct known_event *ev, struct textbuf *tb, uint32_t id);
/* Writes the fields after the head of a record. Returns the bytes of the record. */
uint32_t known_fill(const struct known_event *ev, const struct known_values *v, uint8_t *record,
		    uint32_t max_bytes);

#endif
