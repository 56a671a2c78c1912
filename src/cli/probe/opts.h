/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opts.h - the options that say where the names in a definition are looked for, and what they open.
 *
 *	probeopts_open ─▶ definition_parse, probe_resolve ─▶ probeopts_close
 */
#ifndef SONDE_CLI_PROBE_OPTS_H
#define SONDE_CLI_PROBE_OPTS_H

#include "base/errmsg.h"
#include "base/options.h"
#include "capture/tracefs/probes.h"
#include "probe/expand.h"

#include <limits.h>

#define PROBEOPTS_DEFINITIONS_MAX 4096

struct probe_options {
	const char *program, *module, *vmlinux, *source_dir, *debug_dir;
	long long max_places;
	bool no_inlines;
	bool plain_types; /* of struct probe_kernel; no row */
};

#define PROBEOPTS_ROWS(type, field)                                                               \
	{.kind = OPTION_HEADING, .help = "where to look for names"},                              \
		{.kind = OPTION_STRING,                                                           \
		 .letter = 'x',                                                                   \
		 .name = "exec",                                                                  \
		 .arg = "PROGRAM",                                                                \
		 .help = "program or library for definitions that do not name one",               \
		 .offset = offsetof(type, field.program),                                         \
		 .complete = "file"},                                                             \
		{.kind = OPTION_STRING,                                                           \
		 .letter = 'm',                                                                   \
		 .name = "module",                                                                \
		 .arg = "MODULE",                                                                 \
		 .help = "kernel module: its name, or the path of a file with debug information", \
		 .offset = offsetof(type, field.module)},                                         \
		{.kind = OPTION_STRING,                                                           \
		 .letter = 'k',                                                                   \
		 .name = "vmlinux",                                                               \
		 .arg = "FILE",                                                                   \
		 .help = "file with debug information: the kernel (vmlinux) or a module (.ko)",   \
		 .offset = offsetof(type, field.vmlinux),                                         \
		 .complete = "file"},                                                             \
		{.kind = OPTION_STRING,                                                           \
		 .letter = 's',                                                                   \
		 .name = "source",                                                                \
		 .arg = "DIR",                                                                    \
		 .help = "look for source files here",                                            \
		 .offset = offsetof(type, field.source_dir),                                      \
		 .complete = "dir"},                                                              \
		{.kind = OPTION_STRING,                                                           \
		 .name = "debug-dir",                                                             \
		 .arg = "DIR",                                                                    \
		 .help = "look for separate debug information here (default: /usr/lib/debug)",    \
		 .offset = offsetof(type, field.debug_dir),                                       \
		 .complete = "dir"},                                                              \
		{.kind = OPTION_NUMBER,                                                           \
		 .name = "max-probes",                                                            \
		 .arg = "N",                                                                      \
		 .help = "define at most N places per definition (default: 128)",                 \
		 .offset = offsetof(type, field.max_places)},                                     \
	{                                                                                         \
		.kind = OPTION_FLAG, .name = "no-inlines",                                        \
		.help = "ignore inlined copies of the function",                                  \
		.offset = offsetof(type, field.no_inlines)                                        \
	}

struct probe_opened {
	struct tracefs t;
	bool has_tracefs;
	struct probe_site site;
	char program[PATH_MAX]; /* -x, found */
	struct prober *prober;
};

/*
 * dry: without a tracing directory (for anybody but root) a kernel that can do everything is assumed; says so
 * on stderr.
 */
int probeopts_open(struct probe_opened *p, const struct probe_options *o, bool dry,
		   struct errmsg *err);
void probeopts_close(struct probe_opened *p);

/*
 * The definitions among the arguments: each word one, if the first is one for itself (it has parentheses or
 * blanks); else all words together are one, as perf probe takes them. The texts are to be freed.
 */
int probeopts_join(char **argv, int n, char ***ret_texts, size_t *ret_n, struct errmsg *err);
void probeopts_free_texts(char **texts, size_t n);

/*
 * The definitions that a text means: several of a pattern of functions of a program, else the text itself. What was left
 * out is told on stderr, unless quiet. Free with probe_expansion_release().
 */
int probeopts_expand(struct prober *p, const char *text, bool quiet, struct probe_expansion *ret,
		     struct errmsg *err);

/* "kprobe", "uretprobe" … */
const char *probe_kind_word(enum probe_kind kind);

#endif
