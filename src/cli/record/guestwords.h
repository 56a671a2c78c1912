/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guestwords.h - the guests of a command line (record -A).
 */
#ifndef SONDE_CLI_RECORD_GUESTWORDS_H
#define SONDE_CLI_RECORD_GUESTWORDS_H

#include "base/options.h"
#include "live/remote/guests.h"

/*
 * Takes every -A and what belongs to it out of argv: the options up to the next -A or -B, or to the
 * command. Shortens argc. The words point into argv.
 */
int guest_list_take(struct guest_list *list, const struct option_row *rows, int *argc, char **argv,
		    struct errmsg *err);
void guest_list_release(struct guest_list *list);

#endif
