/* SPDX-License-Identifier: GPL-2.0-or-later */
/* targetrows.h - the options that name the target of `probe funcs`, `lines` and `vars`. */
#ifndef SONDE_CLI_PROBE_TARGETROWS_H
#define SONDE_CLI_PROBE_TARGETROWS_H

#include "base/options.h"
#include "probe/look/target.h"

/* type is the struct of the command's options; field is its member with the files' names. */
#define PROBETARGET_ROWS_FILES(type, field)                                                      \
	ROW_STRING('k', "vmlinux", "FILE",                                                       \
		   "file with debug information: the kernel (vmlinux) or a module (.ko)",        \
		   offsetof(type, field.vmlinux), .complete = "file"),                           \
		ROW_STRING('s', "source", "DIR", "look for source files here",                   \
			   offsetof(type, field.source_dir), .complete = "dir"),                 \
		ROW_STRING(0, "debug-dir", "DIR",                                                \
			   "look for separate debug information here (default: /usr/lib/debug)", \
			   offsetof(type, field.debug_dir), .complete = "dir")

/* The same, where field is a struct probe_target. */
#define PROBETARGET_ROWS(type, field)                                                   \
	ROW_STRING('x', "exec", "PROGRAM", "use this program or library",               \
		   offsetof(type, field.program), .complete = "file"),                  \
		ROW_STRING('m', "module", "MODULE",                                     \
			   "use this kernel module: its name, or the path of its file", \
			   offsetof(type, field.module)),                               \
		PROBETARGET_ROWS_FILES(type, field),                                    \
		ROW_FLAG(0, "json", "print one JSON object", offsetof(type, field.json))

#endif
