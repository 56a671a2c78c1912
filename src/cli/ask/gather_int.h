/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gather_int.h - declarations that the files gather*.c share. */
#ifndef SONDE_CLI_ASK_GATHER_INT_H
#define SONDE_CLI_ASK_GATHER_INT_H

#include "base/errmsg.h"
#include "capture/plan.h"
#include "cli/ask/gather.h"
#include "live/eventfilters.h"

#define TEXT_MAX_BYTES (256u << 20)

int gather_keep_word(struct plan_words *list, const char *word, struct errmsg *err);

/* Compiles the filters of -F and, with with_plan, those of -f. Release fs after a failure, too. */
int gather_init_filters(struct eventfilters *fs, const struct gather_options *o, bool with_plan,
			struct formats *f, struct errmsg *err);
/* Compiles them once more, for other formats of the same trace. Says nothing. */
int gather_copy_filters(struct eventfilters *fs, const struct gather_options *o, struct formats *f);

#endif
