// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spans_json.c - writes functions and spans by name, and single spans, for the page:
 * api/stats?what=functions, spans, list.
 *
 * The members are part of the page's protocol (doc/VIEWER.md). Lanes that cannot be evaluated are
 * listed in "refused" with a reason; the answer contains all other lanes. A row has no times if the
 * start or end of all its spans is unknown.
 */
#include "base/json/jsonwriter.h"
#include "present/insight/json.h"
#include "timeline/insight/insight.h"

/* --- functions -------------------------------------------------------------------------------- */

void insight_emit_functions(const struct insight_functions *f, struct jsonwriter *w)
{
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "clock", f->is_wall ? "wall" : "cpu");
	jsonwriter_open(w, "functions", '[');
	for (size_t i = 0; i < f->n_functions; i++) {
		const struct function_times *t = &f->functions[i];

		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_string(w, "name", t->name);
		jsonwriter_add_uint(w, "calls", t->n);
		jsonwriter_add_uint(w, "cut", t->n_cut);
		jsonwriter_add_uint(w, "total", t->total);
		jsonwriter_add_uint(w, "self", t->self);
		jsonwriter_add_uint(w, "off", t->off);
		jsonwriter_add_uint(w, "avg", t->n ? t->total / t->n : 0);
		jsonwriter_add_uint(w, "max", t->max);
		jsonwriter_add_uint(w, "max_at", t->max_at);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	jsonwriter_close(w);
}

/* --- spans ------------------------------------------------------------------------------------ */

static void emit_refused(const struct lanes_refused *r, struct jsonwriter *w)
{
	static const char *const texts[] = {
		[REFUSED_NO_SPANS] = "The lane has no spans.",
		[REFUSED_NO_NAMES] = "The lane has no spans with names.",
		[REFUSED_NO_VALUES] = "The lane has no spans with such a value.",
	};

	jsonwriter_open(w, "refused", '[');
	for (size_t i = 0; i < r->n; i++) {
		const struct lane_refused *l = &r->list[i];

		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_string(w, "lane", l->spec);
		jsonwriter_add_string(w, "why",
				      l->why == REFUSED_BY_LANE ? l->text : texts[l->why]);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

static void emit_row(const struct span_times *t, bool has_quantiles, struct jsonwriter *w)
{
	static const char *const names[] = {"p50", "p95", "p99"};

	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "of", t->of);
	if (t->name)
		jsonwriter_add_string(w, "name", t->name);
	jsonwriter_add_uint(w, "n", t->n);
	jsonwriter_add_uint(w, "cut", t->n_cut);
	jsonwriter_add_uint(w, "inside", t->inside);
	if (t->n) {
		jsonwriter_add_uint(w, "total", t->total);
		jsonwriter_add_uint(w, "avg", t->total / t->n);
		jsonwriter_add_uint(w, "min", t->min);
		jsonwriter_add_uint(w, "max", t->max);
		jsonwriter_add_uint(w, "max_at", t->max_at);
		jsonwriter_add_uint(w, "max_row", t->max_row);
		jsonwriter_add_string(w, "max_lane", t->max_lane);
	}
	for (size_t q = 0; q < 3 && t->n && has_quantiles; q++)
		jsonwriter_add_uint(w, names[q], t->quantiles[q]);
	jsonwriter_close(w);
}

void insight_emit_spans(const struct insight_spans *s, struct jsonwriter *w)
{
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_uint(w, "from", s->from);
	jsonwriter_add_uint(w, "to", s->to);
	emit_refused(&s->refused, w);
	jsonwriter_open(w, "rows", '[');
	for (size_t i = 0; i < s->n_rows; i++)
		emit_row(&s->rows[i], !s->is_over, w);
	jsonwriter_close(w);
	jsonwriter_add_bool(w, "more", s->has_more);
	jsonwriter_add_bool(w, "too_many", s->is_over);
	if (s->part_ns)
		jsonwriter_add_uint(w, "parts_of", s->part_ns);
	jsonwriter_close(w);
}

void insight_emit_list(const struct insight_list *l, struct jsonwriter *w)
{
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_uint(w, "from", l->from);
	jsonwriter_add_uint(w, "to", l->to);
	emit_refused(&l->refused, w);
	jsonwriter_add_uint(w, "n", l->n);
	jsonwriter_add_uint(w, "cut", l->n_cut);
	jsonwriter_add_uint(w, "total", l->total);
	jsonwriter_open(w, "rows", '[');
	for (size_t i = 0; i < l->n_spans; i++) {
		const struct single_span *s = &l->spans[i];

		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_string(w, "lane", s->lane);
		jsonwriter_add_uint(w, "row", s->row);
		jsonwriter_add_uint(w, "start", s->start);
		jsonwriter_add_uint(w, "end", s->end);
		jsonwriter_add_bool(w, "cut", s->is_cut);
		if (s->args)
			jsonwriter_add_string(w, "args", s->args);
		if (s->ret)
			jsonwriter_add_string(w, "ret", s->ret);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	jsonwriter_close(w);
}
