/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h - executes a recipe: traces its events and answers its questions. */
#ifndef SONDE_LIVE_RECIPE_RUN_H
#define SONDE_LIVE_RECIPE_RUN_H

#include "analyse/study/study.h"
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "capture/recipe.h"
#include "capture/record/recording.h"
#include "decode/formats/formats.h"
#include "live/front.h"

#define RECIPE_STUDIES_MAX 16

struct recipe_options {
	const char *input, *output, *colour;
	long long seconds; /* -1: the duration of the recipe */
	const char *pids;
	struct plan_words functions; /* -l */
	bool json, quiet, only_command;
	bool with_own; /* --self */
};

/* The questions of a recipe, and their answers when they exist. */
struct recipe_studies {
	struct study_spec specs[RECIPE_STUDIES_MAX];
	struct study *studies[RECIPE_STUDIES_MAX];
	size_t n;
	struct study_range range;
	bool in_time;
	bool with_own; /* count the activity of sonde itself, too */
};

struct inputs;
struct livereport_spec;
struct recipe_run;

/* The functions that the command supplies. */
struct recipe_ui {
	const struct live_front *front;
	/* Opens the output for the lines of a live trace. */
	int (*open_lines)(struct recipe_run *run, struct livereport_spec *ret, struct errmsg *err);
	/* Called when a file was written. fd is the result of recording_dup(), or negative. */
	void (*recorded)(int fd, const char *path, const struct recording_sum *sum);
	/* Reports damage. Returns true if the file is damaged. */
	bool (*tell_damage)(const struct inputs *in);
	/* Shows the answers, which are in run->studies. */
	int (*answer)(struct recipe_run *run, struct errmsg *err);
};

struct recipe_run {
	const struct recipe *recipe;
	const struct recipe_ui *ui;
	void *ctx;	/* for the ui */
	bool has_lines; /* print lines of a live trace above the answers */
	const struct recipe_options *o;
	struct recipe_studies studies;
	struct textbuf notes; /* lines about differences on this kernel */
};

/* Parses the questions of the recipe. */
int recipe_studies_init(struct recipe_studies *rs, const struct recipe *r, struct errmsg *err);
int recipe_studies_start(struct recipe_studies *rs, struct formats *f);
void recipe_studies_add(struct recipe_studies *rs, const struct record *rec);
int recipe_studies_finish(struct recipe_studies *rs);
void recipe_studies_release(struct recipe_studies *rs);

/*
 * Answers the questions from a trace file and shows the answers. Returns the exit status, or a
 * negative errno.
 */
int recipe_study_file(struct recipe_run *run, const char *path, struct errmsg *err);

/* Traces according to the recipe, then answers its questions. argv is the command, or NULL. */
int recipe_record(struct recipe_run *run, char **argv, struct errmsg *err);

#endif
