/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recipe_run.h - carrying out a recipe: tracing what it says, asking its questions, printing the answers.
 */
#ifndef SONDE_CLI_RECIPE_RUN_H
#define SONDE_CLI_RECIPE_RUN_H

#include "analyse/study/study.h"
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "capture/recipe.h"

#define RECIPE_STUDIES_MAX 16

struct recipe_options {
	const char *input, *output, *colour;
	long long seconds; /* -1: as the recipe says */
	const char *pids;
	struct plan_words functions; /* -l */
	bool json, quiet, only_command;
	bool with_own; /* --self */
};

/* The questions of a recipe, and their answers once there are any. */
struct recipe_studies {
	struct study_spec specs[RECIPE_STUDIES_MAX];
	struct study *studies[RECIPE_STUDIES_MAX];
	size_t n;
	struct study_range range;
	bool in_time;
	bool with_own; /* what sonde itself did counts, too */
};

struct recipe_run {
	const struct recipe *recipe;
	const struct recipe_options *o;
	struct recipe_studies studies;
	struct textbuf notes; /* what is different on this kernel, line by line */
};

/* Parses the questions of the recipe. */
int recipe_studies_init(struct recipe_studies *rs, const struct recipe *r, struct errmsg *err);
int recipe_studies_start(struct recipe_studies *rs, struct formats *f);
void recipe_studies_add(struct recipe_studies *rs, const struct record *rec);
int recipe_studies_finish(struct recipe_studies *rs);
void recipe_studies_release(struct recipe_studies *rs);

/* Asks the questions of a trace file and prints the answers; the exit status, or negative. */
int recipe_study_file(struct recipe_run *run, const char *path, struct errmsg *err);
/* Prints the answers there are. */
int recipe_print(struct recipe_run *run, struct errmsg *err);

/* Traces as the recipe says, argv being the command or NULL, then asks. */
int recipe_record(struct recipe_run *run, char **argv, struct errmsg *err);

#endif
