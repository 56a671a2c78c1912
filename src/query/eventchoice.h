/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * eventchoice.h - conditions on time, CPU and kind, as what a scan wants.
 */
#ifndef SONDE_QUERY_EVENTCHOICE_H
#define SONDE_QUERY_EVENTCHOICE_H

#include "query/eventcolumns.h"
#include "query/pushdown.h"
#include "query/scan.h"

struct event_choice {
	struct scan_wants wants; /* valid until the choice is released */
	uint8_t **events;	 /* by file: flags by id; NULL: all */
	size_t n_files;
	uint32_t *cpus;
};

/* name NULL: the table of all events. Returns 0 or -ENOMEM; release it then, too. */
int event_choice_init(struct event_choice *c, const struct event_columns *columns,
		      const char *system, const char *name, const struct pushdown *conditions);
void event_choice_release(struct event_choice *c);

#endif
