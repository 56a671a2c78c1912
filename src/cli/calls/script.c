// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script.c - `sonde script`: call the functions of a Lua or Python script for every call and
 * event of a trace.
 *
 *	callrun_walk ──▶ replay_add ──▶ script_add ──▶ the script
 *
 * With --record another sonde records the trace first, into a directory of its own, which is
 * removed before the script runs. The script has the rights of the user who called sonde, also
 * under sudo; --as-root keeps root's.
 */
#include "analyse/calls/replay.h"
#include "base/errmsg.h"
#include "base/files/caller.h"
#include "base/scope.h"
#include "base/shortage.h"
#include "cli/calls/callopts.h"
#include "cli/calls/recordfirst.h"
#include "cli/command.h"
#include "decode/record.h"
#include "inputs/taskwalk.h"
#include "script/script.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct script_options {
	struct call_options calls; /* first */
	const char *example;
	bool no_events, record, as_root;
};

#define AT(field) offsetof(struct script_options, field)

static const struct option_row rows[] = {
	CALLOPTS_ROWS_FILTER,
	ROW_FLAG(0, "no-event", "only calls: no events that are not about calls", AT(no_events)),
	ROW_HEADING("other"),
	ROW_FLAG(0, "record",
		 "record COMMAND first; options of sonde record may precede it (default: -u)",
		 AT(record)),
	ROW_FLAG(0, "as-root", "under sudo: run the script as root, not as the user who called",
		 AT(as_root)),
	ROW_STRING(0, "example", "LANGUAGE", "print a script to begin with: lua or py", AT(example),
		   .complete = "lua py"),
	ROW_FLAG('q', "quiet", "print no warnings", AT(calls.quiet)),
	ROW_END,
};

struct running {
	struct script *script;
	struct errmsg *err;
	int result; /* 1: the script wants no more */
	bool stop;
};

static void add_item(void *ctx, const struct replay_item *item)
{
	struct running *run = ctx;

	if (run->stop)
		return;
	run->result = script_add(run->script, item, run->err);
	run->stop = run->result;
}

static void visit(void *ctx, const struct record *rec)
{
	replay_add(ctx, rec);
}

static int walk(struct script_options *o, struct callrun *run, struct running *running,
		struct errmsg *err)
{
	struct replay_config config = {.filter = run->filter,
				       .from = run->from,
				       .to = run->to,
				       .no_merge = true,
				       .all_events = true,
				       .no_calls = true,
				       .tids = o->calls.tids,
				       .n_tids = o->calls.n_tids,
				       .ctx = running,
				       .emit = add_item};
	SCOPED(replay_free_scoped) struct replay *rp = NULL;
	const uint8_t *events;
	size_t n_events;

	config.no_events = o->no_events || !script_wants_events(running->script);
	TRY(replay_new(&rp, callrun_formats(run), &config, err));
	events = replay_events(rp, &n_events);
	TRY(callrun_walk(run,
			 (struct taskwalk_spec){.events = events,
						.n_events = n_events,
						.visit = visit,
						.ctx = rp,
						.stop = &running->stop},
			 err));
	if (!running->stop)
		replay_finish(rp);
	return running->result < 0 ? running->result : 0;
}

static int give_up_rights(const struct script_options *o, struct errmsg *err)
{
	if (!o->as_root && caller_become() < 0)
		return errmsg_set(err, -EPERM,
				  "cannot give up root's rights for the script; use --as-root if "
				  "it may have them");
	return 0;
}

static int run_script(struct script_options *o, struct callrun *run, const struct script_spec *spec,
		      struct errmsg *err)
{
	SCOPED(script_close_scoped) struct script *script = NULL;
	struct running running = {.err = err};
	int status = 0, damage;

	TRY(give_up_rights(o, err));
	TRY(script_open(&script, spec, callrun_formats(run), err));
	running.script = script;
	running.result = script_begin(script, err);
	if (running.result < 0)
		return running.result;
	running.stop = running.result;
	TRY(walk(o, run, &running, err));
	TRY(script_end(script, &status, err));
	TRY(shortage_check(err, "cannot run the script"));
	damage = callrun_finish(run, &o->calls);
	return status ? status : damage;
}

static int open_and_run(struct script_options *o, struct script_spec *spec,
			struct recordfirst *first, struct errmsg *err)
{
	SCOPED(callrun_close) struct callrun run = {0};
	int r;

	if (o->record) /* the file is the caller's, who may have put a link in its place */
		TRY(give_up_rights(o, err));
	r = callrun_open(&run, &o->calls, o->calls.input, err);
	recordfirst_remove(first);
	return r < 0 ? r : run_script(o, &run, spec, err);
}

/* argv: SCRIPT, and a file or, with --record, the words of the recording. */
static int run_words(struct script_options *o, int n, char **argv, struct script_spec *spec,
		     struct errmsg *err)
{
	struct recordfirst first = {0};

	if (!n)
		return errmsg_set(err, -EINVAL,
				  "script needs a script, FILE.lua or FILE.py (sonde script "
				  "--example lua prints one)");
	spec->path = argv[0];
	if (o->record) {
		TRY(recordfirst_run(&first, n - 1, argv + 1, err));
		o->calls.input = first.path;
		spec->is_recording = true;
	} else if (n > 2) {
		return errmsg_set(err, -EINVAL,
				  "script reads one file, not '%s' and '%s'; arguments of the "
				  "script follow --",
				  argv[1], argv[2]);
	} else if (n == 2) {
		o->calls.input = argv[1];
	}
	if (!o->calls.input)
		o->calls.input = "trace.dat";
	spec->trace = o->calls.input;
	return open_and_run(o, spec, &first, err);
}

static int print_example(const char *language, struct errmsg *err)
{
	const char *text = script_example(language);

	if (!text)
		return errmsg_set(err, -EINVAL, "--example knows lua and py, not '%s'", language);
	fputs(text, stdout);
	return 0;
}

/* Everything behind "--" is the script's; with --record it is the command's. */
static int split_arguments(int argc, char **argv, struct script_spec *spec, bool *ret_records)
{
	*ret_records = false;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--record"))
			*ret_records = true;
		if (strcmp(argv[i], "--") != 0 || *ret_records)
			continue;
		spec->args = (const char *const *)argv + i + 1;
		spec->n_args = (size_t)(argc - i - 1);
		return i;
	}
	return argc;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct script_options o = {0};
	struct script_spec spec = {0};
	struct command parsed = *cmd;
	bool records;
	int n;

	argc = split_arguments(argc, argv, &spec, &records);
	parsed.parse_flags = records ? OPTIONS_STOP_AT_ARGUMENT : 0;
	n = command_parse(&parsed, &o, argc, argv, err);
	if (n < 0)
		return n;
	if (o.example)
		return print_example(o.example, err);
	TRY(callopts_settle(&o.calls, err));
	return run_words(&o, n, argv + 1, &spec, err);
}

const struct command cmd_script = {
	.name = "script",
	.summary = "run a Lua or Python script over a trace",
	.usage = "[options] SCRIPT [FILE|COMMAND…] [-- ARGUMENT…]",
	.options = rows,
	.args = "file",
	.run = run,
};
