/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * plain.h - text without control characters.
 *
 * The kernel reads each line written to a file of the tracing directory as one command. A newline
 * inside a name or a filter would start a second command, which nobody requested and nobody undoes.
 * So text from outside (options, files, hosts) is checked here before it goes to the kernel.
 *
 * Control characters are the bytes 0x01 to 0x1f and 0x7f. A tab counts as a blank, as in the
 * kernel.
 */
#ifndef SONDE_BASE_PLAIN_H
#define SONDE_BASE_PLAIN_H

struct errmsg;

/* Returns the first control character of text, or NULL. */
const char *plain_find(const char *text);

/*
 * Returns -EINVAL if text has a control character; the message names it and `what`, such as "the
 * filter (-f)".
 */
int plain_check(const char *what, const char *text, struct errmsg *err);

#endif
