// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_split.c - `sonde split`: writes a part of a trace, or all of it in pieces, as separate
 * traces.
 *
 * This file has the options; rewrite/split.h does the work. Options that describe buffers follow
 * each other: -t belongs to the -B before it, -b to the --top before it.
 */
#include "base/array.h"
#include "base/scope.h"
#include "cli/command.h"
#include "cli/screen/notes.h"
#include "rewrite/split.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#define CHOICES_MAX 1024

struct split_options {
	const char *input, *output;
	char unit; /* the letter of the option that gives the size of a piece, or 0 */
	unsigned long long amount;
	bool repeat, per_cpu;
	long long cpu;
	struct split_choice choices[CHOICES_MAX];
	size_t n_choices;
	const char *from, *to;
};

static int apply_unit(struct split_options *o, char unit, const char *value, struct errmsg *err)
{
	char *end;

	if (o->unit)
		return errmsg_set(err, -EINVAL, "-%c and -%c: a piece has one measure", o->unit,
				  unit);
	errno = 0;
	o->amount = strtoull(value, &end, 10);
	if (errno || *end || !isdigit((unsigned char)*value) || !o->amount)
		return errmsg_set(err, -EINVAL, "-%c needs a number above 0, not '%s'", unit,
				  value);
	o->unit = unit;
	return 0;
}

static int apply_seconds(void *opts, const char *value, struct errmsg *err)
{
	return apply_unit(opts, 's', value, err);
}

static int apply_milliseconds(void *opts, const char *value, struct errmsg *err)
{
	return apply_unit(opts, 'm', value, err);
}

static int apply_microseconds(void *opts, const char *value, struct errmsg *err)
{
	return apply_unit(opts, 'u', value, err);
}

static int apply_events(void *opts, const char *value, struct errmsg *err)
{
	return apply_unit(opts, 'e', value, err);
}

static int apply_pages(void *opts, const char *value, struct errmsg *err)
{
	return apply_unit(opts, 'p', value, err);
}

static int add_choice(struct split_options *o, const char *name, struct errmsg *err)
{
	if (o->n_choices == CHOICES_MAX)
		return errmsg_set(err, -EINVAL, "at most %d buffers can be named", CHOICES_MAX);
	o->choices[o->n_choices++] = (struct split_choice){name, name};
	return 0;
}

static int apply_buffer(void *opts, const char *value, struct errmsg *err)
{
	if (!*value)
		return errmsg_set(err, -EINVAL, "-B needs a name; --top is the buffer without one");
	return add_choice(opts, value, err);
}

static int apply_top(void *opts, const char *value, struct errmsg *err)
{
	return add_choice(opts, "", err);
}

static int apply_promote(void *opts, const char *value, struct errmsg *err)
{
	struct split_options *o = opts;

	if (!o->n_choices || !*o->choices[o->n_choices - 1].name)
		return errmsg_set(err, -EINVAL,
				  "-t must follow -B: it makes that buffer the top one");
	o->choices[o->n_choices - 1].target = "";
	return 0;
}

static int apply_rename(void *opts, const char *value, struct errmsg *err)
{
	struct split_options *o = opts;

	if (!o->n_choices || *o->choices[o->n_choices - 1].name)
		return errmsg_set(err, -EINVAL, "-b must follow --top: it names that buffer");
	o->choices[o->n_choices - 1].target = value;
	return 0;
}

static const struct option_row rows[] = {
	ROW_STRING('i', "input", "FILE", "read FILE (default: trace.dat)",
		   offsetof(struct split_options, input), .complete = "file"),
	ROW_STRING('o', "output", "FILE", "write FILE.1, or FILE.0001 and on (default: as -i)",
		   offsetof(struct split_options, output), .complete = "file"),
	ROW_HEADING("size of a piece"),
	ROW_CALL('s', "seconds", "N", "N seconds", apply_seconds),
	ROW_CALL('m', "milliseconds", "N", "N milliseconds", apply_milliseconds),
	ROW_CALL('u', "microseconds", "N", "N microseconds", apply_microseconds),
	ROW_CALL('e', "events", "N", "N events", apply_events),
	ROW_CALL('p', "pages", "N", "N sub-buffers of each CPU", apply_pages),
	ROW_FLAG('r', "repeat", "split the whole trace, one file per piece",
		 offsetof(struct split_options, repeat)),
	ROW_FLAG('c', "per-cpu", "measure each CPU separately",
		 offsetof(struct split_options, per_cpu)),
	ROW_HEADING("what to keep"),
	ROW_STRING(0, "from", "TIME", "the same as START", offsetof(struct split_options, from)),
	ROW_STRING(0, "to", "TIME", "the same as END", offsetof(struct split_options, to)),
	ROW_NUMBER('C', "cpu", "CPU", "keep only the events of this CPU",
		   offsetof(struct split_options, cpu)),
	ROW_CALL('B', "buffer", "NAME", "keep only this instance; repeatable", apply_buffer),
	ROW_CALL('t', NULL, NULL, "make the instance of the preceding -B the top-level buffer",
		 apply_promote),
	ROW_CALL(0, "top", NULL, "keep only the top-level buffer, and those given with -B",
		 apply_top),
	ROW_CALL('b', NULL, "NAME",
		 "turn the top-level buffer of the preceding --top into the instance NAME",
		 apply_rename),
	ROW_END,
};

static int split(struct split_options *o, struct errmsg *err)
{
	static const struct {
		char letter;
		enum split_unit unit;
		uint64_t factor;
	} units[] = {{0, SPLIT_ALL, 1},		 {'s', SPLIT_TIME, 1000000000},
		     {'m', SPLIT_TIME, 1000000}, {'u', SPLIT_TIME, 1000},
		     {'e', SPLIT_EVENTS, 1},	 {'p', SPLIT_PAGES, 1}};
	struct split_config config = {.input = o->input ? o->input : "trace.dat",
				      .output = o->output,
				      .repeat = o->repeat,
				      .unit_option = (char[]){'-', o->unit, 0},
				      .per_cpu = o->per_cpu,
				      .cpu = o->cpu,
				      .from = o->from,
				      .to = o->to,
				      .choices = o->choices,
				      .n_choices = o->n_choices,
				      .notes = {notes_print, NULL}};

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (units[i].letter != o->unit)
			continue;
		config.unit = units[i].unit;
		if (__builtin_mul_overflow(o->amount, units[i].factor, &config.amount))
			config.amount = UINT64_MAX;
	}
	return split_trace(&config, err);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	SCOPED(scope_free) struct split_options *o = calloc(1, sizeof(*o));
	int n;

	if (!o)
		return -ENOMEM;
	o->cpu = -1;
	n = command_parse(cmd, o, argc, argv, err);
	TRY(n);
	if (n > 2)
		return errmsg_set(err, -EINVAL,
				  "split: '%s' is one time too many: there is a start and an end",
				  argv[3]);
	o->from = n > 0 ? argv[1] : o->from;
	o->to = n > 1 ? argv[2] : o->to;
	return split(o, err);
}

const struct command cmd_split = {
	.name = "split",
	.summary = "cut a trace file into pieces",
	.usage = "[options] [START [END]]",
	.options = rows,
	.run = run,
};
