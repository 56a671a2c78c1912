/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recordrun.h - recording as `sonde record` does it, for commands that do something with it meanwhile.
 */
#ifndef SONDE_CLI_RECORDRUN_H
#define SONDE_CLI_RECORDRUN_H

#include "cli/recordopts.h"

/* What is worth having when nothing was asked for: who ran, when, and what it asked of the kernel. */
int record_add_defaults(struct record_options *o, struct errmsg *err);

/*
 * Into o->output, until the command ends or a signal comes; tells how it went. argv: the command or
 * NULL. The exit status, or a negative errno with a sentence.
 */
int record_run(struct record_options *o, char **argv, struct errmsg *err);

#endif
