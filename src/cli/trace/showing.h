/* SPDX-License-Identifier: GPL-2.0-or-later */
/* showing.h - carries out what the options of `sonde trace` say. */
#ifndef SONDE_CLI_TRACE_SHOWING_H
#define SONDE_CLI_TRACE_SHOWING_H

struct errmsg;
struct traceopts;

/*
 * Shows the calls of a file, shows them live, or records them. argv: the command; NULL: none.
 * Returns the exit status of the command, 1 if the file is damaged, or a negative errno with its
 * text in err.
 */
int trace_show(struct traceopts *o, char **argv, struct errmsg *err);

#endif
