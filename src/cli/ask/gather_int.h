/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gather_int.h - what the files gather*.c share.
 */
#ifndef SONDE_CLI_ASK_GATHER_INT_H
#define SONDE_CLI_ASK_GATHER_INT_H

#include "base/errmsg.h"
#include "capture/plan.h"
#include "cli/ask/gather.h"
#include "decode/filter/filter.h"

#define TEXT_MAX_BYTES (256u << 20)

int gather_keep_word(struct plan_words *list, const char *word, struct errmsg *err);

struct gather_filters {
	struct filter **list;
	size_t n;
};

/* -F, and of a file also -f, which a running kernel is told. To be released in any case. */
int gather_make_filters(struct gather_filters *fs, const struct gather_options *o,
			struct formats *f, bool with_plan, struct errmsg *err);
void gather_release_filters(struct gather_filters *fs);

#endif
