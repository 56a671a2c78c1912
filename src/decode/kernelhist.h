/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernelhist.h - parses an event's hist file, the counts of a hist trigger, into a table.
 *
 * The text is parsed, not interpreted: keys stay as the kernel wrote them ("~ 2^10", a stack), and
 * their order stays the same. The arena owns all memory; the text may be freed.
 */
#ifndef SONDE_DECODE_KERNELHIST_H
#define SONDE_DECODE_KERNELHIST_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

#define KERNELHIST_COLUMNS_MAX 16

struct kernelhist_row {
	const char **keys;   /* n_keys keys; a stack has several lines */
	const char **values; /* n_values values as text; "" if the row has none */
	uint64_t *numbers;   /* the same values as numbers */
	/* lines below the row, which onmax() or onchange() saved; NULL: none */
	const char *notes;
};

struct kernelhist {
	const char *trigger; /* "hist:keys=…:size=2048 if …" */
	const char *state;   /* "active", "paused" */
	const char *keys[KERNELHIST_COLUMNS_MAX], *values[KERNELHIST_COLUMNS_MAX];
	size_t n_keys, n_values;
	size_t main_value; /* the value that sorts the rows, else hitcount */
	struct kernelhist_row *rows;
	size_t n_rows;
	uint64_t n_hits, n_entries, n_dropped;
	struct kernelhist *next;
};

/*
 * Parses the histograms of a text, in order; an event may have several. *ret_first is NULL if there
 * are none. Ignores lines that it does not understand. Returns 0 or -ENOMEM.
 */
int kernelhist_parse(const char *text, size_t len, struct arena *arena,
		     struct kernelhist **ret_first);

#endif
