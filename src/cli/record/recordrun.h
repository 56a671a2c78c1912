/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recordrun.h - recording as `sonde record` does it, for commands that do something with it
 * meanwhile.
 */
#ifndef SONDE_CLI_RECORD_RECORDRUN_H
#define SONDE_CLI_RECORD_RECORDRUN_H

#include "base/errmsg.h"
#include "cli/record/recordopts.h"
#include "live/request.h"

/*
 * Into o->output, until the command ends or a signal comes; tells how it went. argv: the command or
 * NULL. The exit status, or a negative errno with a sentence.
 */
int record_run(struct live_request *o, char **argv, struct errmsg *err);

#endif
