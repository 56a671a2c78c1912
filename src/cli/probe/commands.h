/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commands.h - the sub-commands of `sonde probe`, each in its own file.
 *
 * A sub-command is a `struct command` with two words as its name ("probe funcs"), so that help
 * texts and messages contain both. Its argv[0] is the second word. cmd_probe.c has the table of
 * them.
 */
#ifndef SONDE_CLI_PROBE_COMMANDS_H
#define SONDE_CLI_PROBE_COMMANDS_H

#include "cli/command.h"

extern const struct command probe_add, probe_del, probe_list, probe_show; /* probecmd_NAME.c */
extern const struct command probe_funcs, probe_lines, probe_vars;

/* Returns the second word of a sub-command's name. */
static inline const char *probecmd_word(const struct command *sub)
{
	return sub->name + sizeof("probe ") - 1;
}

#endif
