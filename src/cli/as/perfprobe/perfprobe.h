/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfprobe.h - the parsed options of `perf probe`, and declarations that its files share.
 *
 *	probe.c   options, and the choice of the command
 *	add.c     -a, -D: adds definitions to the kernel, or prints them
 *	names.c   names and arguments as perf writes them
 *	why.c     reasons why a definition is refused, with perf's messages
 *	list.c    -l, -d
 *	look.c    -F, -L
 *	vars.c    -V
 */
#ifndef SONDE_CLI_AS_PERFPROBE_PERFPROBE_H
#define SONDE_CLI_AS_PERFPROBE_PERFPROBE_H

#include "base/errmsg.h"
#include "capture/tracefs/draft.h"
#include "cli/probe/opts.h"
#include "probe/look/target.h"

#define PERF_PROBE_MAX 128 /* limit of definitions in one command line, as in perf */

/* The last -x or -m before a definition. Without either, the target is the kernel. */
struct perf_probe_target {
	const char *program; /* an absolute path */
	const char *module;
};

struct perf_probe_definition {
	struct definition *d;
	struct perf_probe_target target;
};

struct perf_probe_options {
	char command; /* the letter of the command's option; 0: none */
	struct perf_probe_definition definitions[PERF_PROBE_MAX];
	size_t n_definitions;
	char *filter;	   /* filter of -l, -d, -F, --filter; NULL: none */
	const char *lines; /* of -L */
	struct perf_probe_target target;
	bool target_used;
	char **texts; /* texts to which targets and names point */
	size_t n_texts;
	const char *vmlinux, *source_dir, *symfs;
	long long max_probes;
	int ns_pid; /* --target-ns; 0: none */
	int verbose;
	bool externs, range, force, dry_run, quiet, no_inlines, cache, bootconfig;
	bool demangle, no_demangle, demangle_kernel;
	char refused; /* the letter of the option whose value is wrong; 0: none */
	bool is_told; /* the error about it was printed */
};

/* Prints a message to stderr, unless -q is given. */
void perf_probe_say(const struct perf_probe_options *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Prints "  Error: SENTENCE" and our own reason below it. Returns the exit status that perf derives
 * from the code.
 */
int perf_probe_fail(const struct perf_probe_options *o, const char *sentence, int code,
		    const struct errmsg *why);

/* Finds where to search the target's functions and lines. path is memory for --symfs. */
void perf_probe_where(const struct perf_probe_options *o, const struct perf_probe_target *target,
		      char path[PATH_MAX], struct probe_target *ret);

/*
 * Enters the mounts of --target-ns. Returns the argument for leaving them, or -1 if there is
 * nothing to do.
 */
int perf_probe_enter(const struct perf_probe_options *o);
void perf_probe_leave(int own);

/* Copies a text, which stays valid as long as the options. Returns NULL if there is no room. */
const char *perf_probe_keep(struct perf_probe_options *o, const char *text);

/* Returns how many places one definition may have. */
static inline size_t perf_probe_most(const struct perf_probe_options *o)
{
	return o->max_probes ? o->max_probes : PERF_PROBE_MAX;
}

/* Run the commands, and return exit statuses. */
int perf_probe_add(struct perf_probe_options *o);
int perf_probe_list(const struct perf_probe_options *o);
int perf_probe_del(const struct perf_probe_options *o);
int perf_probe_funcs(const struct perf_probe_options *o);
int perf_probe_lines(const struct perf_probe_options *o);
int perf_probe_vars(const struct perf_probe_options *o);

/* Parses the range of -L. Returns -EINVAL with perf's message if it is no range. */
struct perf_line_range {
	char name[512]; /* FUNC or SRC */
	char file[512]; /* SRC of FUNC@SRC, or "" */
	bool is_function;
	int first, last; /* last INT_MAX: up to the end */
};
int perf_probe_parse_lines(const char *text, struct perf_line_range *ret, struct errmsg *err);

/* --- names.c --- */

/* Writes the place as perf writes it: "sum_up:6@prog.c". */
void perf_probe_fmt_point(const struct definition *d, struct textbuf *tb);
/* Writes "  probe_prog:work      (on work in /path/prog with a b)". */
void perf_probe_fmt_event(const char *group, const char *event, const struct probe_draft *draft,
			  const char *module, struct textbuf *tb);
/* Returns the last 30 bytes of a long path, from a slash on. */
const char *perf_probe_short_path(const char *path);
/*
 * Writes the event's name, without a number. function is the function of the place, if the place
 * names none.
 */
void perf_probe_event_name(const struct definition *d, const char *function, char *name,
			   size_t n_bytes);
/* Keeps arguments that perf passes on unchanged, without names if they have none. */
int perf_probe_plain_args(struct perf_probe_options *o, struct probe_draft *draft);

/* --- why.c --- */

/* Prints perf's message about a definition that could not be parsed. Returns perf's code. */
int perf_probe_say_semantic(const struct perf_probe_options *o, const char *text,
			    const struct errmsg *err);
/*
 * Prints perf's message about a definition that could not be resolved. target is as shown; NULL is
 * the kernel.
 */
int perf_probe_say_why(const struct perf_probe_options *o, const struct perf_probe_definition *of,
		       struct definition *d, struct prober *prober, int code);
/*
 * Refuses a pattern with more matches than --max-probes, with perf's messages. Returns -ERANGE or
 * -E2BIG.
 */
int perf_probe_check_number(const struct perf_probe_options *o,
			    const struct perf_probe_definition *of, size_t n_functions,
			    size_t n_points);

#endif
