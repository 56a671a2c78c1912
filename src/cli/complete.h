/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * complete.h - words that a shell offers for a value: events, tracers, functions, probes ….
 *
 * The completion scripts know commands and options by themselves. For values they ask
 * `sonde help --complete KIND PREFIX`, which calls this.
 */
#ifndef SONDE_CLI_COMPLETE_H
#define SONDE_CLI_COMPLETE_H

struct errmsg;

/*
 * Prints the words of a kind that begin with prefix, one a line. Prints nothing where the machine does
 * not let us look: a shell must not be disturbed. -EINVAL with a sentence if there is no such kind.
 */
int complete_print(const char *kind, const char *prefix, struct errmsg *err);

#endif
