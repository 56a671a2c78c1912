/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* aggtable.h - the table "#fold": partial results of the aggregate that runs (aggregate.h). */
#ifndef SONDE_QUERY_FOLD_AGGTABLE_H
#define SONDE_QUERY_FOLD_AGGTABLE_H

#include "query/fold/aggregate.h"

struct aggtable {
	struct query_trace *trace;
	struct aggregate *now; /* set while its statement is prepared and runs; NULL: no rows */
};

/* at must stay as long as the database. Returns 0 or -ENOMEM. */
int aggtable_register(struct aggtable *at, sqlite3 *db);

#endif
