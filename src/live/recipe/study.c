// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * study.c - parses the questions of a recipe, and answers them from a trace file.
 *
 * One pass over the records of all buffers, in the order of time, answers all questions. Events
 * have all their fields, and function exits are not folded, because the graph study counts exits.
 */
#include "analyse/study/study.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/recipe.h"
#include "decode/order/sequence.h"
#include "live/recipe/run.h"

#include "inputs/sources.h"

#include <errno.h>
#include <stdio.h>

/* --- questions -------------------------------------------------------------------------------- */

int recipe_studies_init(struct recipe_studies *rs, const struct recipe *r, struct errmsg *err)
{
	int code = 0;

	*rs = (struct recipe_studies){.in_time = true};
	for (size_t i = 0; i < r->n_lines && code >= 0; i++) {
		struct errmsg why = {0};

		if (r->lines[i].key != RECIPE_SHOW)
			continue;
		if (rs->n == RECIPE_STUDIES_MAX)
			return errmsg_set(err, -EFBIG, "the recipe %s has more than %d show lines",
					  r->name, RECIPE_STUDIES_MAX);
		code = study_parse(&rs->specs[rs->n++], r->lines[i].value, &why);
		if (code < 0)
			errmsg_set(err, code, "the recipe %s, show: %s", r->name, why.text);
	}
	return code;
}

int recipe_studies_start(struct recipe_studies *rs, struct formats *f)
{
	for (size_t i = 0; i < rs->n; i++) {
		rs->specs[i].with_own = rs->with_own;
		rs->studies[i] = study_new(&rs->specs[i], f);
		if (!rs->studies[i])
			return -ENOMEM;
	}
	return 0;
}

void recipe_studies_add(struct recipe_studies *rs, const struct record *rec)
{
	study_range_add(&rs->range, rec);
	for (size_t i = 0; i < rs->n; i++)
		study_add(rs->studies[i], rec);
}

int recipe_studies_finish(struct recipe_studies *rs)
{
	for (size_t i = 0; i < rs->n; i++)
		TRY(study_finish(rs->studies[i]));
	return 0;
}

void recipe_studies_release(struct recipe_studies *rs)
{
	for (size_t i = 0; i < rs->n; i++)
		study_free(rs->studies[i]);
	rs->n = 0;
}

/* --- a file ----------------------------------------------------------------------------------- */

static int add_records(struct sequence *seq, struct recipe_studies *rs)
{
	struct batch batch;
	int r = batch_init(&batch);

	TRY(r);
	while ((r = sequence_fill(seq, &batch)) > 0)
		for (size_t i = 0; i < batch.n; i++)
			recipe_studies_add(rs, &batch.records[i]);
	batch_release(&batch);
	return r;
}

static int study_sources(struct inputs *in, struct inputs_sources *src, struct recipe_studies *rs,
			 struct errmsg *err)
{
	struct sequence_config config = inputs_sequence_config(in->spec);

	config.raw = true;
	config.all_names = true;
	TRY(inputs_gather_names(in, err));
	TRY(recipe_studies_start(rs, in->files[0].formats));
	TRY(inputs_sources_init(src, in, &config, err));
	for (size_t i = 0; i < src->n; i++)
		rs->in_time &= src->list[i].config.time.in_time;
	TRY(add_records(src->seq, rs));
	return recipe_studies_finish(rs);
}

static int walk_file(struct inputs *in, struct recipe_studies *rs, struct errmsg *err)
{
	struct inputs_sources src = {0};
	int r = study_sources(in, &src, rs, err);

	inputs_sources_release(&src);
	return r < 0 ? errmsg_set_errno(err, r, "cannot read the events of %s",
					in->files[0].tf->path)
		     : 0;
}

int recipe_study_file(struct recipe_run *run, const char *path, struct errmsg *err)
{
	struct inputs_path file = {.path = path, .is_own = !run->o->input};
	struct inputs_spec spec = {.paths = &file, .n_paths = 1, .all_names = true};
	SCOPED(inputs_close) struct inputs in = {0};
	int r = inputs_open(&in, &spec, err);

	if (r >= 0) {
		r = walk_file(&in, &run->studies, err);
		if (r >= 0)
			r = run->ui->answer(run, err);
		if (r != -EPIPE && run->ui->tell_damage(&in) && r >= 0)
			r = 1;
	}
	recipe_studies_release(&run->studies); /* the studies point into the formats */
	return r;
}
