/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * complete.h - prints words that a shell offers for a value: events, tracers, functions, probes ….
 *
 * The completion scripts contain commands and options. For values they run `sonde help --complete
 * KIND PREFIX`, which calls this code.
 */
#ifndef SONDE_CLI_COMPLETE_H
#define SONDE_CLI_COMPLETE_H

struct errmsg;

/*
 * Prints the words of a kind that begin with prefix, one per line. Prints nothing if the kernel's
 * files cannot be read, so that a shell is not disturbed. Returns -EINVAL with a message if there
 * is no such kind.
 */
int complete_print(const char *kind, const char *prefix, struct errmsg *err);

#endif
