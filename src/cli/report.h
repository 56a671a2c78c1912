/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - what the files of `sonde report` share: the options as parsed, the inputs as opened.
 */
#ifndef SONDE_CLI_REPORT_H
#define SONDE_CLI_REPORT_H

#include "base/errmsg.h"
#include "base/textbuf.h"
#include "decode/filter/filter.h"
#include "decode/formats/formats.h"
#include "decode/order/guests.h"
#include "decode/order/sequence.h"
#include "store/tracefile.h"

struct line_source;
struct output;

struct report_filter {
	const char *text;
	bool reject; /* after -v */
	int input;   /* for this input only; -1: for all */
};

struct report_input {
	const char *path;
	long long ts_offset, ts2secs;
};

struct word_list {
	const char **words;
	size_t n;
};

enum report_output { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

struct report_options {
	struct report_input *inputs;
	size_t n_inputs;
	struct report_filter *filters;
	size_t n_filters;
	struct word_list raw_events, plain_events, pids, comms, buffers;
	uint32_t *cpus;
	size_t n_cpus;
	long long ts2secs;
	bool negate, test_filters;
	bool list_functions, list_printk, list_events, print_events, list_cpus;
	bool first_event, last_event, endian, page_size;
	bool stat, uname, version, check_events, processes;
	const char *event_regex, *kallsyms;
	bool no_irq, no_softirq, nanoseconds, latency, raw, wakeup, quiet;
	bool no_plugins, no_system_plugins, no_date, raw_ts, align_ts;
	bool ts_diff, ts_check, boundary, debug, verbose;
	const char *from, *to, *colour;
	bool with_own; /* --self: results have what sonde itself did, too */
	bool tgid, syscall_names, all_names, no_pager;
	bool profile, profile_global, by_comm; /* --profile, -G, --by-comm */
	bool peer_text;			       /* --profile exactly as trace-cmd prints it */
	struct word_list hooks;		       /* -H */
	enum report_output output;
	struct plugin_options plugins;
};

/* One file, opened. */
struct report_file {
	struct tracefile *tf;
	struct formats *formats;
	struct tasks tasks;
	const struct report_input *input;
	struct filter **filters, **rejects;
	size_t n_filters, n_rejects;
	bool names_first; /* a filter looks at the task's name */
};

struct report {
	const struct report_options *opts;
	struct report_file *files;
	size_t n_files;
	struct guests guests;
	/* live: asked for tasks that the trace does not name, see sequence.h; may be NULL */
	size_t (*find_name)(void *ctx, int pid, char *buf, size_t size);
	void *find_name_ctx;
};

int report_open(struct report *rep, const struct report_options *opts, struct errmsg *err);
void report_close(struct report *rep);
/* Prints what is damaged to stderr; true if there is something. */
bool report_print_damage(const struct report *rep);

/* report_list.c: -f -P -E --events … ; 1 if one was asked for and printed, 0 if none was. */
int report_list(struct report *rep, struct errmsg *err);
void report_print_version(const struct report *rep, size_t file); /* --verbose */
/* "cpus=N" of a file, under its name if there are several; --verbose: CPUs without data before it. */
void report_add_head(const struct report *rep, size_t file, struct textbuf *tb);
/* --verbose: "CPU N is empty" of a buffer. */
void report_add_empty_cpus(const struct tracefile_buffer *b, struct textbuf *tb);

/* report_filter.c: the filters of every file; *ret_any: is there one? */
int report_make_filters(struct report *rep, bool *ret_any, struct errmsg *err);

/* report_run.c: the events themselves. */
int report_run(struct report *rep, struct errmsg *err);

/* report_profile.c: what became of the time instead (--profile). The sequence is started. */
int report_profile(struct report *rep, struct sequence *seq, const struct line_source *sources,
		   size_t n_sources, struct output *out, struct errmsg *err);

#endif
