// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_recipe.c - `sonde recipe`: traces named scenarios and answers their questions.
 *
 *	recipe list              lists the recipes, one per line
 *	recipe show NAME         prints the text of a recipe, to read or to copy and change
 *	recipe NAME              traces as the recipe describes, then answers its questions
 *	recipe NAME -i FILE      answers its questions from an existing trace
 *
 * NAME is searched among the user's own files ($XDG_CONFIG_HOME/sonde/recipes, else ~/.config/…),
 * then among those in the program; a word with a slash or the ending .recipe is a path.
 */
#include "base/scope.h"
#include "capture/recipe_find.h"
#include "cli/command.h"
#include "cli/screen/notes.h"
#include "cli/screen/outcome.h"
#include "cli/screen/output.h"
#include "live/recipe/run.h"
#include "cli/record/recordopts.h"
#include "present/result/studytext.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES_MAX      1000
#define TEXT_MAX_BYTES (64u << 20)

static int add_function(void *opts, const char *value, struct errmsg *err)
{
	struct recipe_options *o = opts;

	return plan_words_add(&o->functions, value) < 0
		       ? errmsg_set_errno(err, -ENOMEM, "cannot keep the options")
		       : 0;
}

static const struct option_row rows[] = {
	ROW_STRING('i', "input", "FILE", "analyse this trace file instead of recording",
		   offsetof(struct recipe_options, input), .complete = "file"),
	ROW_STRING('o', "output", "FILE",
		   "write the trace to this file (default: trace-NAME.dat; live recipes keep none "
		   "by default)",
		   offsetof(struct recipe_options, output), .complete = "file"),
	ROW_NUMBER('d', "duration", "SECONDS", "trace for this long; 0: until Ctrl-C",
		   offsetof(struct recipe_options, seconds)),
	ROW_STRING('P', "pid", "PID,…", "trace only these threads",
		   offsetof(struct recipe_options, pids)),
	ROW_CALL('l', "function", "GLOB",
		 "call graphs: show only these functions, and start the graph there; repeatable",
		 add_function),
	ROW_FLAG('F', NULL, "trace only the command and its children",
		 offsetof(struct recipe_options, only_command)),
	ROW_FLAG(0, "self", "include the activity of sonde itself",
		 offsetof(struct recipe_options, with_own)),
	ROW_FLAG('q', "quiet", "do not report what differs on this kernel",
		 offsetof(struct recipe_options, quiet)),
	ROW_FLAG(0, "json", "print one JSON object", offsetof(struct recipe_options, json)),
	ROW_STRING(0, "color", "WHEN", "use colours: always, never or auto (on a terminal)",
		   offsetof(struct recipe_options, colour), .complete = "auto always never"),
	ROW_END,
};

/* --- list and show ---------------------------------------------------------------------------- */

static void list_one(const char *text, const char *path, const char *remark)
{
	struct errmsg why = {0};
	struct recipe r;

	if (recipe_parse(&r, text, path, &why) < 0) {
		printf("  %-16s %s\n", "?", why.text);
		return;
	}
	printf("  %-16s %s%s\n", r.name, r.summary, remark);
	recipe_release(&r);
}

static int is_recipe(const struct dirent *e)
{
	size_t len = strlen(e->d_name), n = strlen(RECIPE_ENDING);

	return len > n && !strcmp(e->d_name + len - n, RECIPE_ENDING);
}

static int list_all(void)
{
	char dir[PATH_MAX], path[PATH_MAX + 300];
	struct dirent **list;
	int n = recipe_own_dir(dir, sizeof(dir)) ? scandir(dir, &list, is_recipe, alphasort) : -1;

	for (const struct recipe_text *b = recipe_builtin; b->name; b++)
		list_one(b->text, b->name, "");
	for (int i = 0; i < n; i++) {
		char *text;

		snprintf(path, sizeof(path), "%s/%s", dir, list[i]->d_name);
		text = i < FILES_MAX ? recipe_read_text(path) : NULL;
		if (text)
			list_one(text, path, " (your own)");
		free(text);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return 0;
}

static int show(const char *name, struct errmsg *err)
{
	SCOPED(scope_free) char *text = NULL;
	char where[PATH_MAX];

	if (recipe_find_text(name, &text, where, sizeof(where), err) < 0)
		return errmsg_code(err);
	fputs(text, stdout);
	return 0;
}

/* --- answers ---------------------------------------------------------------------------------- */

static int answer(struct recipe_run *run, struct errmsg *err)
{
	const char *colour = run->o->json ? "never" : run->o->colour;
	struct study_report report = {.recipe = run->recipe->name,
				      .studies = run->studies.studies,
				      .n = run->studies.n,
				      .range = &run->studies.range,
				      .in_time = run->studies.in_time,
				      .notes = &run->notes};
	TEXTBUF(tb, TEXT_MAX_BYTES);
	bool has_colour;

	if (run->has_lines && !run->o->json)
		puts("");
	fflush(stdout);
	if (output_find_colour(colour, &has_colour, err) < 0)
		return errmsg_code(err);
	if (run->o->json)
		studytext_fmt_report_json(&report, &tb);
	else
		studytext_fmt_report(&report, has_colour, &tb);
	return output_print(&tb, colour, true, err);
}

static int open_lines(struct recipe_run *run, struct livereport_spec *ret, struct errmsg *err)
{
	if (output_open(run->ctx, run->o->colour, true, err) < 0)
		return errmsg_code(err);
	output_aim(run->ctx, ret);
	return 0;
}

static void recorded(int fd, const char *path, const struct recording_sum *sum)
{
	outcome_show_file(fd, path, sum->events, sum->lost);
}

static bool tell_damage(const struct inputs *in)
{
	return notes_print_damage(in, false);
}

static const struct recipe_ui ui = {.front = &recordopts_front,
				    .open_lines = open_lines,
				    .recorded = recorded,
				    .tell_damage = tell_damage,
				    .answer = answer};

/* --- the command ------------------------------------------------------------------------------ */

static int carry_out(const char *name, const struct recipe_options *o, char **argv,
		     struct errmsg *err)
{
	SCOPED(scope_free) char *text = NULL;
	SCOPED(recipe_release) struct recipe recipe = {0};
	struct output lines;
	struct recipe_run run = {
		.o = o, .ui = &ui, .ctx = &lines, .recipe = &recipe, .notes.max_bytes = 1 << 16};
	char where[PATH_MAX];
	int r;

	if (recipe_find_text(name, &text, where, sizeof(where), err) < 0 ||
	    recipe_parse(&recipe, text, where, err) < 0)
		return errmsg_code(err);
	if (o->functions.n && !recipe.has_tracer)
		return errmsg_set(
			err, -EINVAL,
			"the recipe %s traces no functions, so -l has nothing to choose from",
			name);
	if (recipe_studies_init(&run.studies, &recipe, err) < 0)
		return errmsg_code(err);
	run.studies.with_own = o->with_own;
	r = o->input ? recipe_study_file(&run, o->input, err) : recipe_record(&run, argv, err);
	textbuf_release(&run.notes);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct recipe_options o = {.seconds = -1};
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	if (!n || (n == 1 && !strcmp(argv[1], "list")))
		return list_all();
	if (!strcmp(argv[1], "show"))
		return n == 2 ? show(argv[2], err)
			      : errmsg_set(err, -EINVAL, "recipe show takes the name of a recipe");
	if (o.input && n > 1)
		return errmsg_set(err, -EINVAL, "with -i there is no command to run: '%s'",
				  argv[2]);
	if (o.seconds < -1)
		return errmsg_set(err, -EINVAL, "-d takes a number of seconds");
	argv[n + 1] = NULL; /* after the words that were moved to the front */
	n = carry_out(argv[1], &o, n > 1 ? argv + 2 : NULL, err);
	plan_words_release(&o.functions);
	return n;
}

const struct command cmd_recipe = {
	.name = "recipe",
	.summary = "trace a known scenario and summarize the result",
	.usage = "list | show NAME | NAME [options] [-- COMMAND [ARGUMENT…]]",
	.options = rows,
	.run = run,
	.args = "@recipe",
};
