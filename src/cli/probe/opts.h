/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opts.h - the options that name the files in which definitions are resolved, and these files.
 *
 *	probeopts_open ─▶ definition_parse, probe_resolve ─▶ probeopts_close
 */
#ifndef SONDE_CLI_PROBE_OPTS_H
#define SONDE_CLI_PROBE_OPTS_H

#include "base/errmsg.h"
#include "base/options.h"
#include "capture/tracefs/probes.h"
#include "cli/probe/targetrows.h"
#include "probe/expand.h"

#include <limits.h>

#define PROBEOPTS_DEFINITIONS_MAX 4096

struct probe_options {
	const char *program, *module, *vmlinux, *source_dir, *debug_dir;
	long long max_places;
	bool no_inlines;
	bool plain_types; /* value for struct probe_kernel; has no row */
};

#define PROBEOPTS_ROWS(type, field)                                                              \
	ROW_HEADING("where to look for names"),                                                  \
		ROW_STRING('x', "exec", "PROGRAM",                                               \
			   "program or library for definitions that do not name one",            \
			   offsetof(type, field.program), .complete = "file"),                   \
		ROW_STRING(                                                                      \
			'm', "module", "MODULE",                                                 \
			"kernel module: its name, or the path of a file with debug information", \
			offsetof(type, field.module)),                                           \
		PROBETARGET_ROWS_FILES(type, field),                                             \
		ROW_NUMBER(0, "max-probes", "N",                                                 \
			   "define at most N places per definition (default: 128)",              \
			   offsetof(type, field.max_places)),                                    \
		ROW_FLAG(0, "no-inlines", "ignore inlined copies of the function",               \
			 offsetof(type, field.no_inlines))

struct probe_opened {
	struct tracefs t;
	bool has_tracefs;
	struct probe_site site;
	char program[PATH_MAX]; /* the file that was found for -x */
	struct prober *prober;
};

/*
 * Opens the files. dry: without a tracing directory (for users other than root), assumes a kernel
 * with all features, and reports it on stderr.
 */
int probeopts_open(struct probe_opened *p, const struct probe_options *o, bool dry,
		   struct errmsg *err);
void probeopts_close(struct probe_opened *p);

/*
 * Finds the definitions among the arguments. If the first word is a complete definition (it has
 * parentheses or blanks), each word is one; else all words together are one, as in perf probe. The
 * caller frees the texts.
 */
int probeopts_join(char **argv, int n, char ***ret_texts, size_t *ret_n, struct errmsg *err);
void probeopts_free_texts(char **texts, size_t n);

/*
 * Expands a text to definitions: several for a pattern of functions of a program, else the text
 * itself. Reports omitted functions on stderr, unless quiet. Free the result with
 * probe_expansion_release().
 */
int probeopts_expand(struct prober *p, const char *text, bool quiet, struct probe_expansion *ret,
		     struct errmsg *err);

/* Returns "kprobe", "uretprobe" … */
const char *probe_kind_word(enum probe_kind kind);

#endif
