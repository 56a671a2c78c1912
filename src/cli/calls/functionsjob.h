/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functionsjob.h - the answer of `sonde functions` from calls: in a file, or in the running system.
 */
#ifndef SONDE_CLI_CALLS_FUNCTIONSJOB_H
#define SONDE_CLI_CALLS_FUNCTIONSJOB_H

#include "cli/ask/gather.h"

/* ctx is a struct functions_options (functionopts.h). */
extern const struct gather_job functions_job;

#endif
