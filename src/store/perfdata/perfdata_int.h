/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perfdata_int.h - what the files of the reader of perf.data share. */
#ifndef SONDE_STORE_PERFDATA_PERFDATA_INT_H
#define SONDE_STORE_PERFDATA_PERFDATA_INT_H

#include "base/errmsg.h"
#include "format/bytes.h"
#include "store/perfdata/perfdata.h"

#define PERFDATA_EVENTS_MAX 65536u
#define PERFDATA_IDS_MAX    (1u << 22)

__attribute__((format(printf, 2, 3))) void perfdata_add_damage(struct perfdata *pd, const char *fmt,
							       ...);
/* Adds an event; bytes: the attribute. NULL: no memory, or it is too short. */
struct perfdata_event *perfdata_add_event(struct perfdata *pd, struct piece attr);
int perfdata_add_ids(struct perfdata *pd, struct perfdata_event *e, struct piece ids);
/* A name for the event, if it has none yet. */
void perfdata_set_name(struct perfdata *pd, struct perfdata_event *e, const char *name, size_t len);
const struct perfdata_event *perfdata_event_of(const struct perfdata *pd, uint64_t id);
/* Reads all records and sorts them. */
int perfdata_read_records(struct perfdata *pd, struct errmsg *err);
void perfdata_free_chunks(struct perfdata *pd);

#endif
