/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_probe.h - the options of `perf probe`, as parsed, and what its files share.
 *
 *	perf_probe.c          options, which of the commands is meant
 *	perf_probe_add.c      -a, -D: definitions into the kernel, or as lines
 *	perf_probe_names.c    names and arguments as perf writes them
 *	perf_probe_why.c      why a definition is refused, in perf's words
 *	perf_probe_list.c     -l, -d
 *	perf_probe_look.c     -F, -L
 *	perf_probe_vars.c     -V
 */
#ifndef SONDE_CLI_AS_PERF_PROBE_H
#define SONDE_CLI_AS_PERF_PROBE_H

#include "base/errmsg.h"
#include "capture/tracefs/draft.h"
#include "cli/probe/opts.h"
#include "probe/look/target.h"

#define PERF_PROBE_MAX 128 /* definitions of one command line, as perf has it */

/* What -x and -m said last before a definition; neither: the kernel. */
struct perf_probe_target {
	const char *program; /* an absolute path */
	const char *module;
};

struct perf_probe_definition {
	struct definition *d;
	struct perf_probe_target target;
};

struct perf_probe_options {
	char command; /* the letter of its option; 0: none */
	struct perf_probe_definition definitions[PERF_PROBE_MAX];
	size_t n_definitions;
	char *filter;	   /* of -l, -d, -F, --filter; NULL */
	const char *lines; /* of -L */
	struct perf_probe_target target;
	bool target_used;
	char **texts; /* what targets and names point to */
	size_t n_texts;
	const char *vmlinux, *source_dir, *symfs;
	long long max_probes;
	int ns_pid; /* --target-ns; 0: none */
	int verbose;
	bool externs, range, force, dry_run, quiet, no_inlines, cache, bootconfig;
	bool demangle, no_demangle, demangle_kernel;
	char refused; /* the letter of the option whose value is wrong; 0: it has none */
	bool is_told; /* what is wrong with it was printed */
};

/* To stderr, unless -q. */
void perf_probe_say(const struct perf_probe_options *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* "  Error: SENTENCE", our own reason below it; the exit status that perf makes of the code. */
int perf_probe_fail(const struct perf_probe_options *o, const char *sentence, int code,
		    const struct errmsg *why);

/* Where the target's functions and lines are looked for; path: room for --symfs. */
void perf_probe_where(const struct perf_probe_options *o, const struct perf_probe_target *target,
		      char path[PATH_MAX], struct probe_target *ret);

/* Into the mounts of --target-ns, and back; the number to go back with, -1 if there is nothing to do. */
int perf_probe_enter(const struct perf_probe_options *o);
void perf_probe_leave(int own);

/* A text that lives as long as the options; NULL: no room. */
const char *perf_probe_keep(struct perf_probe_options *o, const char *text);

/* How many places one definition may mean. */
static inline size_t perf_probe_most(const struct perf_probe_options *o)
{
	return o->max_probes ? o->max_probes : PERF_PROBE_MAX;
}

/* The commands: exit statuses. */
int perf_probe_add(struct perf_probe_options *o);
int perf_probe_list(const struct perf_probe_options *o);
int perf_probe_del(const struct perf_probe_options *o);
int perf_probe_funcs(const struct perf_probe_options *o);
int perf_probe_lines(const struct perf_probe_options *o);
int perf_probe_vars(const struct perf_probe_options *o);

/* -L: -EINVAL with perf's sentence if it is no range. */
struct perf_line_range {
	char name[512]; /* FUNC or SRC */
	char file[512]; /* of FUNC@SRC; "" */
	bool is_function;
	int first, last; /* last INT_MAX: to the end */
};
int perf_probe_parse_lines(const char *text, struct perf_line_range *ret, struct errmsg *err);

/* --- perf_probe_names.c --- */

/* "sum_up:6@prog.c": the place as perf writes it. */
void perf_probe_fmt_point(const struct definition *d, struct textbuf *tb);
/* "  probe_prog:work      (on work in /path/prog with a b)" */
void perf_probe_fmt_event(const char *group, const char *event, const struct probe_draft *draft,
			  const char *module, struct textbuf *tb);
/* The last 30 bytes of a long path, from a slash on. */
const char *perf_probe_short_path(const char *path);
/* The name of the event before a number is needed. function: where the place is, if it names none. */
void perf_probe_event_name(const struct definition *d, const char *function, char *name,
			   size_t n_bytes);
/* Arguments that perf hands on as they are: so, and without names if they have none. */
int perf_probe_plain_args(struct perf_probe_options *o, struct probe_draft *draft);

/* --- perf_probe_why.c --- */

/* A definition that could not be parsed: perf's sentence. The code perf would return. */
int perf_probe_say_semantic(const struct perf_probe_options *o, const char *text,
			    const struct errmsg *err);
/* One that could not be resolved. target: as shown, NULL is the kernel. */
int perf_probe_say_why(const struct perf_probe_options *o, const struct perf_probe_definition *of,
		       struct definition *d, struct prober *prober, int code);
/* A pattern that means more than --max-probes: perf's sentences, -ERANGE or -E2BIG. */
int perf_probe_check_number(const struct perf_probe_options *o,
			    const struct perf_probe_definition *of, size_t n_functions,
			    size_t n_points);

#endif
