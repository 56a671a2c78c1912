/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opts.h - the command line of uftrace 0.13, parsed as uftrace parses it.
 *
 * uftrace takes the options of all commands in every command, in any order, and stops at the first
 * word that is no option: the program to run, or the function of `graph`. A bad value is reported
 * on standard output and ignored; an unknown option ends the parsing, and the command runs with
 * what was parsed before it. Scripts depend on this, so we do the same.
 */
#ifndef SONDE_CLI_AS_UFTRACE_OPTS_H
#define SONDE_CLI_AS_UFTRACE_OPTS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define UFT_DIR_NAME	  "uftrace.data"
#define UFT_DEPTH_DEFAULT 1024
#define UFT_STACK_DEFAULT 65535
#define UFT_VERSION	  "v0.13 ( x86_64 dwarf python3 luajit tui perf sched dynamic )"

enum uft_switch { UFT_AUTO, UFT_ON, UFT_OFF };
enum uft_demangle { UFT_DEMANGLE_SIMPLE, UFT_DEMANGLE_FULL, UFT_DEMANGLE_NO };

/* -r: a side is a time stamp, or the time since the first event if is_elapsed. 0: open. */
struct uft_range {
	uint64_t start_ns, stop_ns;
	bool start_is_elapsed, stop_is_elapsed;
};

/* Lists of words (-F, -T, …) are joined with ';', as in the directory's info file. */
struct uft_opts {
	const char *command; /* NULL: none given */
	const char *dir;
	/* what is traced or shown */
	char *filter; /* -F, and -N with '!' before the name */
	char *trigger, *caller, *hide, *loc_filter, *tid, *event, *watch, *signal;
	char *args, *retval, *patch; /* -U: '!' before the name */
	bool auto_args, no_args, no_libcall, nest_libcall, no_event, no_sched, no_sched_preempt;
	bool event_full, kernel, kernel_full, kernel_only, kernel_skip_out;
	bool match_glob, disabled;
	int depth, kernel_depth, size_filter;
	uint64_t time_filter_ns;
	const char *time_filter; /* the same as it was given */
	struct uft_range range;
	/* how it looks */
	const char *fields, *diff, *diff_policy;
	char *sort_keys;
	enum uft_switch colour;
	enum uft_demangle demangle;
	bool html, no_pager, flat, no_merge, no_comment, column_view, task_newline, libname;
	bool srcline, avg_total, avg_self, show_task, symbols;
	bool chrome, flame_graph, graphviz, mermaid;
	int column_offset, sort_column;
	uint64_t sample_time_ns;
	/* how it is recorded */
	uint64_t kernel_buffer_bytes; /* 0: default */
	bool estimate_return, force, no_pltbind, libmcount_single, keep_pid, no_randomize, nop;
	bool time, record, report, list_event, agent;
	int max_stack, num_thread, rt_prio, port, pid;
	const char *clock, *host, *run_cmd, *script, *with_syms, *libmcount_path;
	/* common */
	const char *cmdline; /* all words, as given */
	const char *opt_file, *logfile, *debug_domain;
	int debug;
	bool show_help, show_usage, show_version;
	bool in_default_opts; /* while default.opts of a directory is parsed */
	FILE *log;	      /* warnings go there */
	bool log_colour;
	struct arena arena;
};

void uft_opts_init(struct uft_opts *o);
void uft_opts_release(struct uft_opts *o);

/*
 * argv[0] is "uftrace". Returns the index of the first word that is neither the command nor an
 * option. Messages go to standard output and error, as uftrace's do. Returns -1 if the program must
 * end with *ret_status.
 */
int uft_opts_parse(struct uft_opts *o, int argc, char **argv, int *ret_status);
/* More words, of default.opts or of a script: values that were given before stay. */
void uft_opts_add_text(struct uft_opts *o, const char *text);

/* Warnings and errors in uftrace's form: "WARN: …" on the log. */
void uft_warn(const struct uft_opts *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void uft_fail(const struct uft_opts *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "5us", "1ms", "3": a time in ns; n_digits: how many digits of a fraction count. */
uint64_t uft_parse_time(struct uft_opts *o, const char *text, unsigned n_digits);

/* The options with one line each, for --help. */
void uft_opts_print_help(FILE *to);

#endif
