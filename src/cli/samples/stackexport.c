// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stackexport.c - reads calls or samples, and writes them for other programs.
 *
 *	graphing_read ─▶ present/calls/graphtext              folded, Graphviz, Mermaid
 *	sampleread_open ─▶ present/samples/profiles           speedscope, pprof, Firefox
 *	                 └▶ present/perfdata/write             perf.data
 */
#include "cli/samples/stackexport.h"

#include "analyse/samples/sampleset.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/calls/graphing.h"
#include "cli/samples/perfexport.h"
#include "inputs/samples/sampleread.h"
#include "present/calls/graphtext.h"
#include "present/samples/profiles.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX_BYTES (2000u << 20)

static int export_graph(const struct stackexport *x, const struct call_options *calls,
			struct errmsg *err)
{
	SCOPED(graphing_release) struct graphing g = {0};
	struct graph_view v = {.file = x->input};
	TEXTBUF(tb, TEXT_MAX_BYTES);
	int r = 0;

	TRY(graphing_read(&g, calls, x->input, err));
	v.graph = g.graph;
	v.in_time = g.in_time;
	if (x->form == STACKEXPORT_FOLDED)
		graphtext_fmt_folded(&v, &tb);
	else if (x->form == STACKEXPORT_GRAPHVIZ)
		r = graphtext_fmt_graphviz(&v, &tb);
	else
		r = graphtext_fmt_mermaid(&v, &tb);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot write the calls");
	TRY(callopts_print(calls, &tb, err));
	return graphing_finish(&g, calls);
}

static int export_profile(const struct stackexport *x, const struct call_options *calls,
			  struct errmsg *err)
{
	SCOPED(sampleread_close) struct sampleread r = {0};
	struct sampleread_spec spec = sampleopts_spec(x->samples, x->input);
	struct profile_view v = {0};
	TEXTBUF(tb, TEXT_MAX_BYTES);
	int e;

	spec.from = x->from;
	spec.to = x->to;
	spec.one_event = true;
	spec.keep = SAMPLESET_TASK | (x->form == STACKEXPORT_PPROF ? 0 : SAMPLESET_TIME);
	TRY(sampleread_open(&r, &spec, err));
	v = (struct profile_view){.set = r.set,
				  .names = r.names,
				  .info = &r.info,
				  .title = basename(x->input),
				  .event = r.event,
				  .in_time = r.in_time};
	if (!sampleset_n(r.set))
		return errmsg_set(err, -ENODATA, "there are no samples to export in %s", x->input);
	if (x->form == STACKEXPORT_PPROF)
		e = pprof_fmt(&v, &tb);
	else
		e = x->form == STACKEXPORT_FIREFOX ? firefox_fmt(&v, &tb) : speedscope_fmt(&v, &tb);
	if (e < 0)
		return errmsg_set_errno(err, e, "cannot write the samples");
	TRY(callopts_print(calls, &tb, err));
	return sampleopts_finish(&r, x->samples, false);
}

static int export_perf(const struct stackexport *x, const struct call_options *calls,
		       struct errmsg *err)
{
	struct sampleread_spec spec = sampleopts_spec(x->samples, x->input);
	TEXTBUF(tb, TEXT_MAX_BYTES);

	spec.from = x->from;
	spec.to = x->to;
	TRY(perfexport_fmt(&spec, NULL, &tb, err));
	return callopts_print(calls, &tb, err);
}

int stackexport_run(const struct stackexport *x, struct errmsg *err)
{
	struct call_options calls = {.from = x->from,
				     .to = x->to,
				     .output = x->output,
				     .no_pager = true,
				     .short_names = x->short_names,
				     .samples = *x->samples,
				     .filter = {.kernel_full = true}};

	TRY(sampleopts_settle(&calls.samples, err));
	if (x->form < STACKEXPORT_SPEEDSCOPE)
		return export_graph(x, &calls, err);
	if ((x->form == STACKEXPORT_PPROF || x->form == STACKEXPORT_PERF) &&
	    (!x->output || !strcmp(x->output, "-")) && isatty(STDOUT_FILENO))
		return errmsg_set(err, -EINVAL, "this is not for a terminal: name a file with -o");
	return x->form == STACKEXPORT_PERF ? export_perf(x, &calls, err)
					   : export_profile(x, &calls, err);
}
