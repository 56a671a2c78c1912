/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topnames.h - names of places, tasks and files for one picture of `top`. Internal to live/top. */
#ifndef SONDE_LIVE_TOP_TOPNAMES_H
#define SONDE_LIVE_TOP_TOPNAMES_H

#include "base/arena.h"
#include "base/map.h"
#include "live/top/toptable.h"
#include "symbols/kallsyms.h"

struct topnamer {
	struct kallsyms symbols;
	struct map tasks; /* tid to name */
	struct map files; /* number to name */
	struct arena arena;
};

int topnamer_init(struct topnamer *n, const struct topnames *names);
void topnamer_release(struct topnamer *n);

/* The texts are valid as long as the namer, or until the next call with the same buf. */
const char *topnamer_function(const struct topnamer *n, uint64_t place, char *buf, size_t n_bytes);
const char *topnamer_file(const struct topnamer *n, uint64_t place);
const char *topnamer_task(const struct topnamer *n, int tid);

#endif
