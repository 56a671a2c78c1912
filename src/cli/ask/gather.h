/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gather.h - the common part of latency, functions and count: it makes one result of the records of
 * a file or of the running machine, and prints it at the end or repeatedly.
 *
 *	gather_parse ─▶ gather_run ─▶ gather_release
 *
 * struct gather_options is the first member of a command's options.
 */
#ifndef SONDE_CLI_ASK_GATHER_H
#define SONDE_CLI_ASK_GATHER_H

#include "base/textbuf.h"
#include "capture/plan.h"
#include "cli/record/recordopts.h"
#include "cli/ask/series.h"
#include "live/pace.h"

struct filter;
struct formats;
struct record;
struct tasks;
struct walker;

enum gather_output { GATHER_TEXT, GATHER_JSON, GATHER_CSV };

struct gather_options {
	struct live_request record; /* must be the first member, for recordopts.h */
	const char *input;	    /* NULL: the running machine */
	struct plan_words events;   /* words of -e */
	size_t n_last;		    /* number of events in the last -e */
	struct plan_words
		names; /* names of these events in the trace: for a probe, the name of its event */
	struct plan_words filters; /* -F */
	const char *condition;	   /* condition on the first event, checked here; NULL: none */
	struct plan_words buffers; /* -B, for a file; none: all */
	const char *from, *to;	   /* a range of a file; NULL: no limit */
	uint64_t from_ns, to_ns;   /* the same; to_ns 0: all */
	enum gather_output output;
	bool no_pager, in_program;
	const char *how; /* bpf, hist, program; NULL: the cheapest method that works */
	bool is_last;	 /* the current text is the result at the end of a live run */
	bool on_screen;	 /* the current text is for the screen of a live run, which may be small */
	const char *colour;
	const char *interval; /* seconds between redraws; NULL: the command's default */
	double interval_default;
	struct pace pace;     /* pace of a live run, see gather_set_pace() */
	struct series series; /* with interval: the results so far */
	bool has_printed;     /* the first result of a series was printed */
	int series_error;     /* -o could not be written during the run: negative errno */
	/* cost of the first event, if it is a probe, after it has read the clock; 0: unknown */
	double probe_ns;
	long long n_rows;
};

/* How all CPUs make a result of a file: see inputs/scan.h. */
struct gather_fold {
	/* filters: as for open(), but bound to f. The state keeps them until release(). */
	int (*init)(void *ctx, struct formats *f, struct filter **filters, size_t n_filters,
		    void **ret_state);
	const uint8_t *(*events)(void *state, size_t *ret_n);
	void (*add)(void *state, const struct record *rec);
	/* Optional, with by_task: as in struct gather_job, with the state. */
	void (*run)(void *state, struct walker *w, struct record *rec, uint64_t offset,
		    uint64_t before);
	int (*join)(void *ctx, void *state, struct tasks *tasks);
	void (*release)(void *state);
	/*
	 * Called after open(). Returns false if only one thread can make this result.
	 * *ret_uses_names: the names of tasks are part of the result.
	 */
	bool (*start)(void *ctx, bool *ret_uses_names);
};

/* The functions that make a result. */
struct gather_job {
	void *ctx;
	/*
	 * Prepares the result. filters: those of -F and -f, which an event that they name must
	 * pass.
	 */
	int (*open)(void *ctx, struct formats *f, struct filter **filters, size_t n_filters,
		    struct errmsg *err);
	/* Returns flags of the relevant events, by event id. */
	const uint8_t *(*events)(void *ctx, size_t *ret_n);
	void (*add)(void *ctx, const struct record *rec);
	/* Optional, with by_task: as in struct taskwalk_spec. */
	void (*run)(void *ctx, struct walker *w, struct record *rec, uint64_t offset,
		    uint64_t before);
	/*
	 * Formats the result so far. in_time: times are in ns. Returns 0, or a negative errno with
	 * a message.
	 */
	int (*fmt)(void *ctx, bool in_time, bool colour, struct textbuf *tb, struct errmsg *err);
	void (*close)(void *ctx);
	/*
	 * Lets the kernel do the whole work of a live run. Returns 1 if done, or 0 if it cannot;
	 * then nothing changed. May be NULL.
	 */
	int (*in_kernel)(void *ctx, char **argv, struct errmsg *err);
	/*
	 * For a file: the order of each task's events suffices, and names of tasks are not needed.
	 */
	bool by_task;
	const struct gather_fold *fold; /* NULL: only one thread can make the result */
	const char *needs;		/* the message if nothing to trace is named */
};

void gather_release(struct gather_options *o);

/*
 * Like command_parse(), but accepts the name of a trace file before options. It becomes o->input,
 * and n is 0.
 */
struct command;
int gather_parse(const struct command *cmd, struct gather_options *o, int argc, char **argv,
		 struct errmsg *err);
/*
 * Somebody who writes the name of a trace does not mean a command. Refuses a word that is no
 * command and names a file that cannot be read, is empty or is no trace. 0, or -ENOENT … with a
 * message.
 */
int gather_check_command(const char *word, struct errmsg *err);

/*
 * Runs a job; argv[1..n] is the command. Returns the exit status or a negative errno with a
 * message.
 */
int gather_run(const struct gather_job *job, struct gather_options *o, int n, char **argv,
	       struct errmsg *err);
int gather_file(const struct gather_job *job, struct gather_options *o, struct errmsg *err);
/* Runs a live job. argv is the command, or NULL. */
int gather_live(const struct gather_job *job, struct gather_options *o, char **argv,
		struct errmsg *err);

/* Prints one text to -o, or to standard output. */
int gather_print(struct gather_options *o, const struct textbuf *tb, struct errmsg *err);
/* Returns true if the text shall have colours. */
bool gather_is_colour(const struct gather_options *o);

/*
 * Returns a name if a live run is limited to some threads: "the command's first thread"; NULL: all.
 */
const char *gather_only_in(const struct gather_options *o);

/* Refuses options that do not go with -u. */
int gather_check_user(const struct gather_options *o, bool has_command, struct errmsg *err);
/*
 * With -u: traces only this function ("prog:work", "work", a glob), unless rules of -u choose.
 * *function becomes what the trace calls it: a path loses its directory.
 */
int gather_choose_function(struct gather_options *o, const char **function, struct errmsg *err);

/* Sets how often results are shown, on a terminal or as a series. */
int gather_set_pace(struct gather_options *o, struct errmsg *err);
/*
 * Formats a live result and shows it: as the next of a series, or in place of the previous one on
 * the screen, truncated to its height. is_last: prints it like gather_print(). Returns -EPIPE
 * without a message if the reader has closed the output.
 */
int gather_present(struct gather_options *o, bool is_last,
		   int (*fmt)(void *ctx, bool colour, struct textbuf *tb, struct errmsg *err),
		   void *ctx, struct errmsg *err);

/* Functions for the rows of option tables. */
int gather_event(void *opts, const char *value, struct errmsg *err);
int gather_filter(void *opts, const char *value, struct errmsg *err);
int gather_event_filter(void *opts, const char *value, struct errmsg *err);
int gather_how(void *opts, const char *value, struct errmsg *err);
int gather_rows(void *opts, const char *value, struct errmsg *err);
int gather_buffer(void *opts, const char *value, struct errmsg *err);
int gather_json(void *opts, const char *value, struct errmsg *err);
int gather_csv(void *opts, const char *value, struct errmsg *err);

#define GATHER_AT(field) offsetof(struct gather_options, field)

/* Rows that select tasks. */
#define GATHER_TASKS                                                                            \
	RECORDOPTS_ROW_PID("live: "), RECORDOPTS_ROWS_SELF(""),                                 \
		ROW_FLAG(0, "only-command", "live: trace only the command's first thread",      \
			 RECORDOPTS_AT(plan.only_command)),                                     \
		ROW_FLAG('c', NULL,                                                             \
			 "live: with --only-command or -P, also trace their other threads and " \
			 "children",                                                            \
			 RECORDOPTS_AT(plan.children))

/* Rows for filters of the named events (-e). */
#define GATHER_FILTER                                                          \
	ROW_CALL('f', "filter", "FILTER",                                      \
		 "use the preceding -e only where this is true: 'prio < 100'", \
		 gather_event_filter)

/* Rows for the method that counts or measures; verb: "count". */
#define GATHER_HOW(verb)                                                                        \
	ROW_FLAG(0, "in-program",                                                               \
		 "live: read every event in sonde instead of counting in the kernel",           \
		 GATHER_AT(in_program)),                                                        \
		ROW_CALL(0, "how", "WAY", "live: " verb " only this way: bpf, hist or program", \
			 gather_how, .complete = "bpf hist program")

/* Row that selects buffers of a file. */
#define GATHER_BUFFER                                                                        \
	ROW_CALL('B', "buffer", "NAME",                                                      \
		 "of a file: use only this instance; - is the top-level buffer; repeatable", \
		 gather_buffer)

/* Rows for the source of records. */
#define GATHER_SOURCE                                                                           \
	ROW_STRING('i', "input", "FILE",                                                        \
		   "read a trace file instead of tracing the running system", GATHER_AT(input), \
		   .complete = "file"),                                                         \
		GATHER_BUFFER,                                                                  \
		ROW_CALL('F', "event-filter", "FILTER",                                         \
			 "use only events that match EVENT:EXPRESSION, as in report -F",        \
			 gather_filter)

/* Rows for functions of programs. */
#define GATHER_USER                                                             \
	ROW_HEADING("functions of programs, live"), RECORDOPTS_ROWS_USER_WHICH, \
		RECORDOPTS_ROWS_USER_CALLS

/* Rows for the output. */
#define GATHER_RESULT                                                                             \
	ROW_HEADING("the result"),                                                                \
		ROW_CALL(0, "json", NULL, "print one JSON object with all numbers", gather_json), \
		ROW_CALL(0, "csv", NULL, "print comma-separated values with a header line",       \
			 gather_csv),                                                             \
		ROW_CALL(0, "rows", "N", "show at most N rows", gather_rows),                     \
		ROW_STRING('I', "interval", "SECONDS",                                            \
			   "live: show the result every SECONDS (0: only at the end)",            \
			   GATHER_AT(interval)),                                                  \
		ROW_STRING('o', "output", "FILE", "write the result to this file",                \
			   RECORDOPTS_AT(output), .complete = "file"),                            \
		ROW_STRING(0, "color", "WHEN",                                                    \
			   "use colours: always, never or auto (on a terminal)",                  \
			   GATHER_AT(colour), .complete = "always never auto"),                   \
		ROW_FLAG(0, "no-pager", "do not use a pager", GATHER_AT(no_pager))

/* Rows for settings of the kernel; the rest of recordopts.h is for recorders. */
#define GATHER_KERNEL                                                                       \
	ROW_HEADING("buffers and the kernel"), RECORDOPTS_ROW_SIZE, RECORDOPTS_ROW_CPUMASK, \
		RECORDOPTS_ROW_CLOCK(""), RECORDOPTS_ROW_OPTION, RECORDOPTS_ROWS_TOP,       \
		RECORDOPTS_ROWS_RATE, RECORDOPTS_ROW_USER, RECORDOPTS_ROW_QUIET

#endif
