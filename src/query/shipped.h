/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shipped.h - the queries that come with the program (data/sql): sonde sql FILE -q NAME. */
#ifndef SONDE_QUERY_SHIPPED_H
#define SONDE_QUERY_SHIPPED_H

struct shipped_query {
	const char *name, *summary, *sql;
};

extern const struct shipped_query shipped_queries[]; /* by name; ended by an entry without one */

#endif
