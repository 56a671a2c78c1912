// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_recipe.c - `sonde recipe`: named scenarios, traced and summed up.
 *
 *	recipe list              what there is, one line each
 *	recipe show NAME         a recipe as it is written, to read or to copy and change
 *	recipe NAME              trace as it says, then answer its questions
 *	recipe NAME -i FILE      answer its questions from a trace that exists
 *
 * NAME is looked for among the user's own files ($XDG_CONFIG_HOME/sonde/recipes, else ~/.config/…), then
 * among those in the program; a word with a slash or the ending .recipe is a path.
 */
#include "base/json/jsonwriter.h"
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
	{OPTION_STRING, 'i', "input", "FILE", "analyse this trace file instead of recording",
	 offsetof(struct recipe_options, input), .complete = "file"},
	{OPTION_STRING, 'o', "output", "FILE",
	 "write the trace to this file (default: trace-NAME.dat; live recipes keep none by "
	 "default)",
	 offsetof(struct recipe_options, output), .complete = "file"},
	{OPTION_NUMBER, 'd', "duration", "SECONDS", "trace for this long; 0: until Ctrl-C",
	 offsetof(struct recipe_options, seconds)},
	{OPTION_STRING, 'P', "pid", "PID,…", "trace only these threads",
	 offsetof(struct recipe_options, pids)},
	{OPTION_CALL, 'l', "function", "GLOB",
	 "call graphs: show only these functions, and start the graph there; repeatable",
	 .apply = add_function},
	{OPTION_FLAG, 'F', NULL, .help = "trace only the command and its children",
	 .offset = offsetof(struct recipe_options, only_command)},
	{OPTION_FLAG, 0, "self", .help = "include the activity of sonde itself",
	 .offset = offsetof(struct recipe_options, with_own)},
	{OPTION_FLAG, 'q', "quiet", .help = "do not report what differs on this kernel",
	 .offset = offsetof(struct recipe_options, quiet)},
	{OPTION_FLAG, 0, "json", .help = "print one JSON object",
	 .offset = offsetof(struct recipe_options, json)},
	{OPTION_STRING, 0, "color", "WHEN", "use colours: always, never or auto (on a terminal)",
	 offsetof(struct recipe_options, colour), .complete = "auto always never"},
	{OPTION_END},
};

/* --- list and show ----------------------------------------------------------------------------- */

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
	char where[PATH_MAX];
	char *text;
	int r = recipe_find_text(name, &text, where, sizeof(where), err);

	if (r < 0)
		return r;
	fputs(text, stdout);
	free(text);
	return 0;
}

/* --- answers ----------------------------------------------------------------------------------- */

static void fmt_json(const struct recipe_run *run, struct textbuf *tb)
{
	struct jsonwriter w;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "recipe", run->recipe->name);
	jsonwriter_open(&w, "notes", '[');
	for (const char *p = run->notes.start, *end = run->notes.pos; p && p < end;) {
		size_t len = strcspn(p, "\n");

		jsonwriter_add_text(&w, NULL, p, len);
		p += len + 1;
	}
	jsonwriter_close(&w);
	jsonwriter_add_uint(&w, "events", run->studies.range.n_events);
	jsonwriter_add_uint(&w, "first", run->studies.range.first);
	jsonwriter_add_uint(&w, "last", run->studies.range.last);
	jsonwriter_add_uint(&w, "gaps", run->studies.range.n_gaps);
	jsonwriter_open(&w, "answers", '[');
	for (size_t i = 0; i < run->studies.n; i++)
		studytext_fmt_json(run->studies.studies[i], run->studies.in_time, &w);
	jsonwriter_close(&w);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}

static void fmt_text(const struct recipe_run *run, bool colour, struct textbuf *tb)
{
	const struct recipe_studies *rs = &run->studies;

	textbuf_addf(tb, "%s: ", run->recipe->name);
	studytext_fmt_head(&rs->range, rs->in_time, tb);
	for (size_t i = 0; i < rs->n && rs->range.n_events; i++) {
		textbuf_add_char(tb, '\n');
		studytext_fmt(rs->studies[i], rs->in_time, colour, tb);
	}
}

static int print_answers(struct recipe_run *run, struct errmsg *err)
{
	struct output out;
	struct textbuf tb;
	int r = output_open(&out, run->o->json ? "never" : run->o->colour, true, err);

	if (r < 0)
		return r;
	textbuf_init(&tb, TEXT_MAX_BYTES);
	if (run->o->json)
		fmt_json(run, &tb);
	else
		fmt_text(run, out.colour, &tb);
	r = tb.overflow ? errmsg_set(err, -EFBIG, "there is more than can be printed")
			: output_write(&out, tb.start, textbuf_len(&tb));
	textbuf_release(&tb);
	output_close(&out);
	return r;
}

static int answer(struct recipe_run *run, struct errmsg *err)
{
	if (run->has_lines && !run->o->json)
		puts("");
	fflush(stdout);
	return print_answers(run, err);
}

static int open_lines(struct recipe_run *run, struct livereport_spec *ret, struct errmsg *err)
{
	int r = output_open(run->ctx, run->o->colour, true, err);

	if (r >= 0)
		output_aim(run->ctx, ret);
	return r;
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

/* --- the command ------------------------------------------------------------------------------- */

static int carry_out(const char *name, const struct recipe_options *o, char **argv,
		     struct errmsg *err)
{
	struct output lines;
	struct recipe_run run = {.o = o, .ui = &ui, .ctx = &lines};
	struct recipe recipe;
	char where[PATH_MAX];
	char *text;
	int r = recipe_find_text(name, &text, where, sizeof(where), err);

	if (r < 0)
		return r;
	r = recipe_parse(&recipe, text, where, err);
	free(text);
	if (r < 0)
		return r;
	if (o->functions.n && !recipe.has_tracer) {
		recipe_release(&recipe);
		return errmsg_set(
			err, -EINVAL,
			"the recipe %s traces no functions, so -l has nothing to choose from",
			name);
	}
	run.recipe = &recipe;
	textbuf_init(&run.notes, 1 << 16);
	r = recipe_studies_init(&run.studies, &recipe, err);
	run.studies.with_own = o->with_own;
	if (r >= 0)
		r = o->input ? recipe_study_file(&run, o->input, err)
			     : recipe_record(&run, argv, err);
	textbuf_release(&run.notes);
	recipe_release(&recipe);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct recipe_options o = {.seconds = -1};
	int n = command_parse(cmd, &o, argc, argv, err);

	if (n < 0)
		return n;
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
	argv[n + 1] = NULL; /* behind the words that were moved to the front */
	n = carry_out(argv[1], &o, n > 1 ? argv + 2 : NULL, err);
	for (size_t i = 0; i < o.functions.n; i++)
		free(o.functions.words[i]);
	free(o.functions.words);
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
