// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * samplefunctions.c - prints the functions of samples: a table for each event.
 *
 *	sampleread_open ─▶ sampletable_init of each event ─▶ present/samples/tabletext
 *
 * Events have different units, so their weights are never added. Inlined functions are rows of
 * their own only with --inline; without it the table has the symbols of perf report.
 */
#include "cli/samples/samplefunctions.h"

#include "analyse/samples/sampleset.h"
#include "analyse/samples/sampletable.h"
#include "base/errmsg.h"
#include "base/json/jsonwriter.h"
#include "base/scope.h"
#include "cli/screen/notes.h"
#include "decode/samples/sampleinfo.h"
#include "inputs/samples/sampleread.h"
#include "present/samples/tabletext.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#define TEXT_MAX_BYTES (256u << 20)

static int configure(const struct samplefunctions *f, struct sampletable_config *c,
		     struct errmsg *err)
{
	char *end;

	*c = (struct sampletable_config){
		.keys = {SAMPLEKEY_FUNCTION, SAMPLEKEY_FILE}, .n_keys = 2, .one_event = true};
	if (f->by)
		TRY(sampletable_parse_keys(c, f->by, err));
	if (f->lines && !sampletable_has_key(c, SAMPLEKEY_LINE))
		c->keys[c->n_keys++] = SAMPLEKEY_LINE;
	if (f->sort)
		TRY(sampletable_parse_sort(c, f->sort, err));
	if (!f->min_percent)
		return 0;
	c->min_percent = strtod(f->min_percent, &end);
	if (end == f->min_percent || *end || !(c->min_percent >= 0 && c->min_percent <= 100))
		return errmsg_set(err, -EINVAL,
				  "--percent-limit is a share from 0 to 100, not '%s'",
				  f->min_percent);
	return 0;
}

static bool matches(const struct flow_func *func, const char *const *globs, size_t n)
{
	bool does = false;

	for (size_t i = 0; func && i < n && !does; i++)
		does = !fnmatch(globs[i], func->name, 0);
	return does;
}

/* -l and -n show only some rows; the shares stay those of all samples. */
static void choose_rows(const struct samplefunctions *f, struct sampletable *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_rows; i++)
		if ((!f->n_only || matches(t->rows[i].func, f->only, f->n_only)) &&
		    !matches(t->rows[i].func, f->never, f->n_never))
			t->rows[n++] = t->rows[i];
	t->n_rows = n;
}

static int fmt_event(const struct samplefunctions *f, const struct sampleread *r,
		     const struct sampletable_config *c, struct jsonwriter *w, struct textbuf *tb)
{
	SCOPED(sampletable_release) struct sampletable t = {0};
	const char *name = r->config.source == SAMPLES_TAKEN && r->in.n_files
				   ? sampleinfo_event_name(&r->info, c->event)
				   : r->event;
	struct tabletext_view v = {.table = &t,
				   .config = c,
				   .event = name,
				   .in_time = r->in_time || sampleread_is_time(name),
				   .colour = gather_is_colour(f->gather),
				   .n_rows = (size_t)f->gather->n_rows};

	TRY(sampletable_init(&t, c));
	choose_rows(f, &t);
	if (f->gather->output == GATHER_JSON)
		tabletext_add_json(&v, w);
	else if (f->gather->output == GATHER_CSV)
		tabletext_fmt_csv(&v, tb);
	else
		tabletext_fmt(&v, tb);
	return 0;
}

static int refuse_nothing(const struct samplefunctions *f, const struct sampleread *r,
			  struct errmsg *err)
{
	const struct sample_options *o = f->samples;
	const struct gather_options *g = f->gather;

	if (g->from || g->to || o->event || o->comm || o->n_cpus || f->n_only)
		return errmsg_set(err, -ENODATA, "no sample in %s passes the filters", g->input);
	if (!o->off_cpu && sampleinfo_find_event(&r->info, SAMPLEREAD_OFF_CPU_EVENT) >= 0)
		return errmsg_set(err, -ENODATA,
				  "%s has no samples of CPU time; --off-cpu shows its waits",
				  g->input);
	return errmsg_set(err, -ENODATA, "there are no samples in %s", g->input);
}

static int fmt_all(const struct samplefunctions *f, const struct sampleread *r,
		   struct sampletable_config *c, struct textbuf *tb, struct errmsg *err)
{
	struct jsonwriter w;
	bool any = false;

	jsonwriter_init(&w, tb);
	if (f->gather->output == GATHER_JSON) {
		jsonwriter_open(&w, NULL, '{');
		jsonwriter_add_uint(&w, "lost", r->info.n_lost);
		jsonwriter_open(&w, "events", '[');
	}
	c->one_event = r->config.source == SAMPLES_TAKEN && r->in.n_files;
	for (; sampletable_next_event(r->set, &c->event); c->event++) {
		if (any && f->gather->output == GATHER_TEXT)
			textbuf_add_char(tb, '\n');
		if (fmt_event(f, r, c, &w, tb) < 0)
			return errmsg_set_errno(err, -ENOMEM, "cannot sort the functions");
		any = true;
		if (!c->one_event)
			break;
	}
	if (f->gather->output == GATHER_JSON) {
		jsonwriter_close(&w);
		jsonwriter_close(&w);
		textbuf_add_char(tb, '\n');
	} else if (!any) {
		return refuse_nothing(f, r, err);
	}
	return 0;
}

int samplefunctions_run(const struct samplefunctions *f, struct errmsg *err)
{
	SCOPED(sampleread_close) struct sampleread r = {0};
	struct sampletable_config c;
	struct sampleread_spec spec = sampleopts_spec(f->samples, f->gather->input);
	TEXTBUF(tb, TEXT_MAX_BYTES);
	int e;

	TRY(configure(f, &c, err));
	spec.from = f->gather->from;
	spec.to = f->gather->to;
	spec.keep = sampletable_needs(&c);
	spec.inlines = f->samples->inlines;
	spec.lines = sampletable_has_key(&c, SAMPLEKEY_LINE);
	TRY(sampleread_open(&r, &spec, err));
	c.set = r.set;
	c.names = r.names;
	e = fmt_all(f, &r, &c, &tb, err);
	if (e == -ENODATA) /* why there are none, if the file is damaged */
		notes_print_damage(&r.in, f->gather->record.quiet);
	TRY(e);
	TRY(gather_print(f->gather, &tb, err));
	return sampleopts_finish(&r, f->samples, f->gather->record.quiet);
}
