/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schedrun.h - what the sub-commands of `sonde sched` share: a file, or a command that is recorded
 * first; which tasks, CPUs and times of it; where the result goes.
 *
 *	schedrun_parse ─▶ schedrun_open ─▶ schedrun_walk ─▶ schedrun_print … ─▶ schedrun_close
 *
 * A sub-command puts struct sched_options first in its options.
 */
#ifndef SONDE_CLI_SCHED_SCHEDRUN_H
#define SONDE_CLI_SCHED_SCHEDRUN_H

#include "analyse/sched/schedflow.h"
#include "analyse/sched/schedgaps.h"
#include "base/textbuf.h"
#include "cli/calls/recordfirst.h"
#include "cli/command.h"
#include "cli/screen/output.h"
#include "inputs/sources.h"

#define SCHED_WORDS_MAX 256
#define SCHED_CPUS_MAX	8192

struct sched_options {
	const char *input, *from, *to, *buffer, *colour, *output;
	const char *tasks[SCHED_WORDS_MAX];
	size_t n_tasks;
	int tids[SCHED_WORDS_MAX], pids[SCHED_WORDS_MAX]; /* threads; processes */
	size_t n_tids, n_pids;
	uint8_t cpus[SCHED_CPUS_MAX / 8];
	bool has_cpus;
	bool json, self, no_pager, quiet;
	bool wants_stacks; /* a command that is recorded first: with kernel stacks */
};

struct schedrun {
	const struct sched_options *o;
	struct recordfirst first;
	struct inputs_path path;
	struct inputs_spec spec;
	struct inputs in;
	struct inputs_sources src;
	struct schedflow *flow;
	struct schedgaps gaps;
	struct output out;
	bool is_open; /* out */
	int out_error;
	uint64_t from, to; /* to 0: all */
	bool in_time;	   /* times are in ns */
	bool is_partial;   /* what was added up does not fit into its limits */
	struct textbuf text;
};

/*
 * Parses the command line. Words after "--", or a word that is no file, are a command. Returns the
 * number of its words, which begin at *ret_command, or negative.
 */
int schedrun_parse(const struct command *cmd, struct sched_options *o, int argc, char **argv,
		   char ***ret_command, struct errmsg *err);
/* Records the command, if there is one, and opens the file. Close it after a failure, too. */
int schedrun_open(struct schedrun *run, const struct sched_options *o, int n_words, char **command,
		  const struct schedflow_ops *ops, struct errmsg *err);
/* Follows all events; prints run->text from time to time. Returns 0, or negative with a message. */
int schedrun_walk(struct schedrun *run, struct errmsg *err);
/* Prints the rest of run->text, and warns. Returns the exit status, or negative with a message. */
int schedrun_finish(struct schedrun *run, struct errmsg *err);
void schedrun_close(struct schedrun *run);

/* Is the task selected (--task, -p, -t)? run: a struct schedrun. */
bool schedrun_match(void *run, const struct sched_task *t);
bool schedrun_has_cpu(const struct sched_options *o, uint32_t cpu);
bool schedrun_is_in_range(const struct schedrun *run, uint64_t ts);
/* Refuses an empty text for options that select tasks, CPUs or times; else 0. */
int schedrun_refuse_nothing(const struct schedrun *run, struct errmsg *err);
/* Is text for a terminal to have colours? -EINVAL with a message. */
int schedrun_find_colour(const struct sched_options *o, bool *ret, struct errmsg *err);

/* Rows call these. */
int schedopts_task(void *opts, const char *value, struct errmsg *err);
int schedopts_cpus(void *opts, const char *value, struct errmsg *err);
/* Sets the bits of "0,2-3" in cpus, of SCHED_CPUS_MAX bits. */
int sched_cpus_parse(uint8_t *cpus, const char *value, struct errmsg *err);
int schedopts_tid(void *opts, const char *value, struct errmsg *err);
int schedopts_pid(void *opts, const char *value, struct errmsg *err);

#define SCHEDOPTS_AT(field) offsetof(struct sched_options, field)

#define SCHEDOPTS_ROWS_SOURCE                                                                     \
	ROW_HEADING("which events"),                                                              \
		ROW_STRING('i', "input", "FILE", "read this file (default: trace.dat)",           \
			   SCHEDOPTS_AT(input), .complete = "file"),                              \
		ROW_CALL(0, "task", "TASK",                                                       \
			 "show only these tasks: a pid, a name, a glob, or NAME-PID; repeatable", \
			 schedopts_task),                                                         \
		ROW_CALL('C', "cpu", "CPU,…", "use only these CPUs: 0,2-3", schedopts_cpus),      \
		ROW_STRING(0, "from", "TIME",                                                     \
			   "start at this time, as report shows it, or +1.5s after the first "    \
			   "event",                                                               \
			   SCHEDOPTS_AT(from)),                                                   \
		ROW_STRING(0, "to", "TIME", "stop at this time", SCHEDOPTS_AT(to)),               \
		ROW_STRING('B', "buffer", "NAME",                                                 \
			   "use this instance; - is the top-level buffer (default: the first "    \
			   "with switches)",                                                      \
			   SCHEDOPTS_AT(buffer)),                                                 \
		ROW_FLAG(0, "self", "show the tasks of sonde itself, too", SCHEDOPTS_AT(self))

#define SCHEDOPTS_ROWS_RESULT                                                          \
	ROW_FLAG(0, "json", "print JSON", SCHEDOPTS_AT(json)),                         \
		ROW_STRING('o', "output", "FILE", "write the result to this file",     \
			   SCHEDOPTS_AT(output), .complete = "file"),                  \
		ROW_STRING(0, "color", "WHEN",                                         \
			   "use colours: always, never or auto (on a terminal)",       \
			   SCHEDOPTS_AT(colour), .complete = "always never auto"),     \
		ROW_FLAG(0, "no-pager", "do not use a pager", SCHEDOPTS_AT(no_pager)), \
		ROW_FLAG('q', "quiet", "print no warnings", SCHEDOPTS_AT(quiet))

/* The sub-commands, each in its own file, in the order of the help text. */
extern const struct command sched_record, sched_latency, sched_timehist, sched_map, sched_summary,
	sched_chains;
/*
 * Makes the options of `sonde record` that record what sched needs; at most SCHED_RECORD_WORDS.
 * Returns their number.
 */
#define SCHED_RECORD_WORDS 40
int sched_record_words(bool stacks, const char **words);

#endif
