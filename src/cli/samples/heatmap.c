// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * heatmap.c - reads samples with their times, and writes the heat map.
 *
 *	sampleread_open ─▶ heat_init ─▶ present/samples/heatpage
 *
 * Folded stacks are refused: they have no times. The page has the stacks of all samples, so that
 * it works without sonde; analyse/samples/heat.h says how many it takes.
 */
#include "cli/samples/heatmap.h"

#include "analyse/samples/heat.h"
#include "analyse/samples/sampleset.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "inputs/samples/sampleread.h"
#include "present/samples/heatpage.h"

#include <errno.h>
#include <string.h>

#define TEXT_MAX_BYTES (512u << 20)

int heatmap_run(const struct heatmap *m, struct errmsg *err)
{
	const struct call_options *o = m->calls;
	SCOPED(sampleread_close) struct sampleread r = {0};
	SCOPED(heat_release) struct heat h = {0};
	struct sampleread_spec spec = sampleopts_spec(&o->samples, o->input);
	struct heatpage_view v = {.heat = &h,
				  .title = m->title ? m->title : basename(o->input),
				  .script = m->script,
				  .script_len = m->script_len};
	TEXTBUF(tb, TEXT_MAX_BYTES);

	spec.from = o->from;
	spec.to = o->to;
	spec.tids = o->tids;
	spec.n_tids = o->n_tids;
	spec.one_event = true;
	spec.keep = SAMPLESET_TIME | SAMPLESET_TASK;
	TRY(sampleread_open(&r, &spec, err));
	if (!r.in.n_files)
		return errmsg_set(err, -EINVAL, "%s has no times: folded stacks have no heat map",
				  o->input);
	TRY(heat_init(&h, r.set, r.names, true, err));
	v.event = r.event;
	v.in_time = r.in_time;
	if (m->html)
		heatpage_fmt_html(&v, &tb);
	else
		heatpage_fmt_svg(&v, &tb);
	TRY(callopts_print(o, &tb, err));
	return sampleopts_finish(&r, &o->samples, o->quiet);
}
