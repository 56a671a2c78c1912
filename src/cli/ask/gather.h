/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gather.h - what latency, functions and count have in common: records of a file, or of the running machine,
 * go into one result, which is printed in the end or again and again.
 *
 *	gather_parse ─▶ gather_run ─▶ gather_release
 *
 * A command puts struct gather_options first in its options.
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

enum gather_output { GATHER_TEXT, GATHER_JSON, GATHER_CSV };

struct gather_options {
	struct live_request record; /* first, for recordopts.h */
	const char *input;	    /* NULL: the running machine */
	struct plan_words events;   /* -e, as given */
	size_t n_last;		    /* how many the last -e named */
	struct plan_words
		names; /* the same as the trace calls them: a probe has its event's name */
	struct plan_words filters; /* -F */
	const char *condition;	   /* of the first event, to be checked here; NULL */
	struct plan_words buffers; /* -B, of a file; none: all */
	enum gather_output output;
	bool no_pager, in_program;
	bool on_screen; /* what is written now is for the screen of a live run, which may be small */
	const char *colour;
	const char *interval; /* seconds between redraws; NULL: as the command likes */
	double interval_default;
	struct pace pace;     /* of a live run: gather_set_pace() */
	struct series series; /* with interval: results so far */
	bool has_printed;     /* the first of the series, if it is one */
	int series_error;     /* -o could not be written while it ran: negative errno */
	double probe_ns; /* what the first event, if it is a probe, costs after it has looked at the clock; 0 */
	long long n_rows;
};

/* What a result is made by. */
struct gather_job {
	void *ctx;
	/* filters: of -F and -f, which an event that they name must pass. */
	int (*open)(void *ctx, struct formats *f, struct filter **filters, size_t n_filters,
		    struct errmsg *err);
	/* By event id: those that matter. */
	const uint8_t *(*events)(void *ctx, size_t *ret_n);
	void (*add)(void *ctx, const struct record *rec);
	/* The result so far. in_time: times are in ns. 0, or negative with a sentence. */
	int (*fmt)(void *ctx, bool in_time, bool colour, struct textbuf *tb, struct errmsg *err);
	void (*close)(void *ctx);
	/* Live, done by the kernel alone. 1: done; 0: it cannot, nothing has happened. May be NULL. */
	int (*in_kernel)(void *ctx, char **argv, struct errmsg *err);
	const char *needs; /* the sentence for who names nothing to trace */
};

void gather_release(struct gather_options *o);

/*
 * command_parse(), which lets the name of a trace file stand before options: it becomes o->input, and n is 0.
 */
struct command;
int gather_parse(const struct command *cmd, struct gather_options *o, int argc, char **argv,
		 struct errmsg *err);

/*
 * argv[1..n]: the command. Returns the exit status or a negative errno with a
 * sentence.
 */
int gather_run(const struct gather_job *job, struct gather_options *o, int n, char **argv,
	       struct errmsg *err);
int gather_file(const struct gather_job *job, struct gather_options *o, struct errmsg *err);
/* argv: the command or NULL. */
int gather_live(const struct gather_job *job, struct gather_options *o, char **argv,
		struct errmsg *err);

/* Prints one text: to -o, or to standard output. */
int gather_print(struct gather_options *o, const struct textbuf *tb, struct errmsg *err);
/* Is text to have colours? */
bool gather_is_colour(const struct gather_options *o);

/* Live, and of some threads alone: "the command's first thread". NULL: of all. */
const char *gather_only_in(const struct gather_options *o);

/* How often results are shown, on a terminal or one after the other. */
int gather_set_pace(struct gather_options *o, struct errmsg *err);
/* -I elsewhere than on a terminal, or of JSON and CSV: one result after the other. */
bool gather_is_series(const struct gather_options *o);
/*
 * Makes the text of a live result and shows it: the next of a series; or in place of what stood on the screen before, cut
 * to its height. is_last: prints it, as gather_print() does. -EPIPE without a sentence: nobody reads it any more.
 */
int gather_present(struct gather_options *o, bool is_last,
		   int (*fmt)(void *ctx, bool colour, struct textbuf *tb, struct errmsg *err),
		   void *ctx, struct errmsg *err);

/* Rows call these. */
int gather_event(void *opts, const char *value, struct errmsg *err);
/* Whether gather_event() would take a word for several. */
bool gather_has_comma(const char *value);
int gather_filter(void *opts, const char *value, struct errmsg *err);
int gather_event_filter(void *opts, const char *value, struct errmsg *err);
int gather_rows(void *opts, const char *value, struct errmsg *err);
/* Do two words of -e name one event? A definition is always an event of its own. */
bool gather_is_same_event(const char *a, const char *b);
/*
 * An event that is named several times is wanted if one of its filters (-f) holds, and without one always: the kernel has
 * a single filter for it, which is made of them.
 */
int gather_join_filters(struct gather_options *o, struct errmsg *err);
/* "EVENT:EXPRESSION" for the program, of an event and its -f; the caller frees it. */
char *gather_fmt_filter(const char *event, const char *filter);
int gather_buffer(void *opts, const char *value, struct errmsg *err);
int gather_json(void *opts, const char *value, struct errmsg *err);
int gather_csv(void *opts, const char *value, struct errmsg *err);

#define GATHER_AT(field) offsetof(struct gather_options, field)

/* Whose events. */
#define GATHER_TASKS                                                                           \
	RECORDOPTS_ROW_PID("live: "), RECORDOPTS_ROWS_SELF(""),                                \
		{.kind = OPTION_FLAG,                                                          \
		 .name = "only-command",                                                       \
		 .help = "live: trace only the command's first thread",                        \
		 .offset = RECORDOPTS_AT(plan.only_command)},                                  \
	{                                                                                      \
		.kind = OPTION_FLAG, .letter = 'c',                                            \
		.help = "live: with --only-command or -P, also trace their other threads and " \
			"children",                                                            \
		.offset = RECORDOPTS_AT(plan.children)                                         \
	}

/* Of the events that were named (-e). */
#define GATHER_FILTER                                                                  \
	{                                                                              \
		.kind = OPTION_CALL, .letter = 'f', .name = "filter", .arg = "FILTER", \
		.help = "use the preceding -e only where this is true: 'prio < 100'",  \
		.apply = gather_event_filter                                           \
	}

#define GATHER_IN_PROGRAM                                                                    \
	{                                                                                    \
		.kind = OPTION_FLAG, .name = "in-program",                                   \
		.help = "live: read every event in sonde instead of counting in the kernel", \
		.offset = GATHER_AT(in_program)                                              \
	}

/* Which of a file's buffers. */
#define GATHER_BUFFER                                                                    \
	{                                                                                \
		.kind = OPTION_CALL, .letter = 'B', .name = "buffer", .arg = "NAME",     \
		.help = "of a file: use only this instance; - is the top-level buffer; " \
			"repeatable",                                                    \
		.apply = gather_buffer                                                   \
	}

/* Where records come from. */
#define GATHER_SOURCE                                                                        \
	{.kind = OPTION_STRING,                                                              \
	 .letter = 'i',                                                                      \
	 .name = "input",                                                                    \
	 .arg = "FILE",                                                                      \
	 .help = "read a trace file instead of tracing the running system",                  \
	 .offset = GATHER_AT(input),                                                         \
	 .complete = "file"},                                                                \
		GATHER_BUFFER,                                                               \
	{                                                                                    \
		.kind = OPTION_CALL, .letter = 'F', .name = "event-filter", .arg = "FILTER", \
		.help = "use only events that match EVENT:EXPRESSION, as in report -F",      \
		.apply = gather_filter                                                       \
	}

/* What is printed. */
#define GATHER_RESULT                                                                  \
	{.kind = OPTION_HEADING, .help = "the result"},                                \
		{.kind = OPTION_CALL,                                                  \
		 .name = "json",                                                       \
		 .help = "print one JSON object with all numbers",                     \
		 .apply = gather_json},                                                \
		{.kind = OPTION_CALL,                                                  \
		 .name = "csv",                                                        \
		 .help = "print comma-separated values with a header line",            \
		 .apply = gather_csv},                                                 \
		{.kind = OPTION_CALL,                                                  \
		 .name = "rows",                                                       \
		 .arg = "N",                                                           \
		 .help = "show at most N rows",                                        \
		 .apply = gather_rows},                                                \
		{.kind = OPTION_STRING,                                                \
		 .letter = 'I',                                                        \
		 .name = "interval",                                                   \
		 .arg = "SECONDS",                                                     \
		 .help = "live: show the result every SECONDS (0: only at the end)",   \
		 .offset = GATHER_AT(interval)},                                       \
		{.kind = OPTION_STRING,                                                \
		 .letter = 'o',                                                        \
		 .name = "output",                                                     \
		 .arg = "FILE",                                                        \
		 .help = "write the result to this file",                              \
		 .offset = RECORDOPTS_AT(output),                                      \
		 .complete = "file"},                                                  \
		{.kind = OPTION_STRING,                                                \
		 .name = "color",                                                      \
		 .arg = "WHEN",                                                        \
		 .help = "use colours: always, never or auto (on a terminal)",         \
		 .offset = GATHER_AT(colour),                                          \
		 .complete = "always never auto"},                                     \
	{                                                                              \
		.kind = OPTION_FLAG, .name = "no-pager", .help = "do not use a pager", \
		.offset = GATHER_AT(no_pager)                                          \
	}

/* How the kernel is to do it; the rest of recordopts.h is for recorders. */
#define GATHER_KERNEL                                                                    \
	{.kind = OPTION_HEADING, .help = "buffers and the kernel"}, RECORDOPTS_ROW_SIZE, \
		RECORDOPTS_ROW_CPUMASK, RECORDOPTS_ROW_CLOCK(""), RECORDOPTS_ROW_OPTION, \
		RECORDOPTS_ROWS_TOP, RECORDOPTS_ROWS_RATE, RECORDOPTS_ROW_USER,          \
		RECORDOPTS_ROW_QUIET

#endif
