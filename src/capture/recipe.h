/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recipe.h - a named scenario: what to trace, how long, and which questions to ask of the result.
 *
 *	recipe_parse ─▶ (recipe_fit ─▶ a plan) … ─▶ recipe_release
 *
 * Users write the text of a recipe in a file; recipe.c explains the lines. Recipes come with the
 * program (recipe_builtin) or from files.
 */
#ifndef SONDE_CAPTURE_RECIPE_H
#define SONDE_CAPTURE_RECIPE_H

#include "base/arena.h"
#include "capture/plan.h"

struct errmsg;
struct textbuf;
struct tracefs;

#define RECIPE_LINES_MAX 64

enum recipe_key {
	RECIPE_NAME,
	RECIPE_SUMMARY,
	RECIPE_ABOUT,
	RECIPE_EVENT,
	RECIPE_FILTER,
	RECIPE_TRACER,
	RECIPE_FUNCTION,
	RECIPE_NO_FUNCTION,
	RECIPE_GRAPH,
	RECIPE_NO_GRAPH,
	RECIPE_DEPTH,
	RECIPE_STACKS,
	RECIPE_TASKS,
	RECIPE_ONLY_COMMAND,
	RECIPE_PROBE,
	RECIPE_DURATION,
	RECIPE_LIVE,
	RECIPE_SHOW,
};

struct recipe_line {
	enum recipe_key key;
	const char *value;
};

struct recipe {
	struct arena arena;
	const char *name, *summary; /* never NULL */
	struct recipe_line lines[RECIPE_LINES_MAX];
	size_t n_lines;
	unsigned duration_s; /* 0: until Ctrl-C */
	bool is_live;	     /* print lines as events arrive */
	bool has_tracer;
};

/*
 * Parses a recipe. text may be freed after the call. On failure err names the line, and there is
 * nothing to release.
 */
int recipe_parse(struct recipe *r, const char *text, const char *path, struct errmsg *err);
void recipe_release(struct recipe *r);

/*
 * Makes a plan from the recipe for this kernel. Adds a line to *notes for each name that differs in
 * this kernel and for each missing item. Returns -ENOENT with a message if nothing is left to
 * trace.
 */
int recipe_fit(const struct recipe *r, const struct tracefs *t, struct plan *plan,
	       struct textbuf *notes, struct errmsg *err);

/*
 * The built-in recipes, ended by a row without a name; tools/gen-recipes makes them from
 * data/recipes.
 */
struct recipe_text {
	const char *name, *text;
};
extern const struct recipe_text recipe_builtin[];

#endif
