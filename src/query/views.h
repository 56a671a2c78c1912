/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * views.h - names of Perfetto for what is here in another table, and its statement INCLUDE.
 */
#ifndef SONDE_QUERY_VIEWS_H
#define SONDE_QUERY_VIEWS_H

#include <stddef.h>

struct query_view {
	const char *name, *what, *sql;
};

extern const struct query_view query_views[];
extern const size_t query_n_views;

/*
 * Skips "INCLUDE PERFETTO MODULE name;" at the start of the text: the views are always there.
 * Returns what follows; NULL: the text begins otherwise.
 */
const char *views_skip_include(const char *sql);

#endif
