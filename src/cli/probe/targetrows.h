/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * targetrows.h - the options that name what `probe funcs`, `lines` and `vars` look into.
 */
#ifndef SONDE_CLI_PROBE_TARGETROWS_H
#define SONDE_CLI_PROBE_TARGETROWS_H

#include "base/options.h"
#include "probe/look/target.h"

/* type: the struct of the command's options; field: its struct probe_target. */
#define PROBETARGET_ROWS(type, field)                                                   \
	{OPTION_STRING,                                                                 \
	 'x',                                                                           \
	 "exec",                                                                        \
	 "PROGRAM",                                                                     \
	 "use this program or library",                                                 \
	 offsetof(type, field.program),                                                 \
	 .complete = "file"},                                                           \
		{OPTION_STRING,                                                         \
		 'm',                                                                   \
		 "module",                                                              \
		 "MODULE",                                                              \
		 "use this kernel module: its name, or the path of its file",           \
		 offsetof(type, field.module)},                                         \
		{OPTION_STRING,                                                         \
		 'k',                                                                   \
		 "vmlinux",                                                             \
		 "FILE",                                                                \
		 "file with debug information: the kernel (vmlinux) or a module (.ko)", \
		 offsetof(type, field.vmlinux),                                         \
		 .complete = "file"},                                                   \
		{OPTION_STRING,                                                         \
		 's',                                                                   \
		 "source",                                                              \
		 "DIR",                                                                 \
		 "look for source files here",                                          \
		 offsetof(type, field.source_dir),                                      \
		 .complete = "dir"},                                                    \
		{OPTION_STRING,                                                         \
		 0,                                                                     \
		 "debug-dir",                                                           \
		 "DIR",                                                                 \
		 "look for separate debug information here (default: /usr/lib/debug)",  \
		 offsetof(type, field.debug_dir),                                       \
		 .complete = "dir"},                                                    \
	{                                                                               \
		OPTION_FLAG, 0, "json", .help = "print one JSON object",                \
					.offset = offsetof(type, field.json)            \
	}

#endif
