// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * functionopts.c - what the options of `sonde functions` mean together.
 *
 * For a file, -l and -n select what is shown. For a live run they select what is traced, which is
 * much cheaper; then the time of other functions counts as self time of their callers. With -u, -u
 * itself selects what is traced, and -l and -n what is shown.
 */
#include "cli/calls/functionopts.h"

#include "base/array.h"
#include "base/scope.h"
#include "live/request.h"

#include <errno.h>
#include <unistd.h>

static void set_shown(struct functions_options *o, const struct plan_words *only,
		      const struct plan_words *never)
{
	o->config.only = (const char *const *)only->words;
	o->config.n_only = only->n;
	o->config.never = (const char *const *)never->words;
	o->config.n_never = never->n;
}

int functionopts_check(struct functions_options *o, struct errmsg *err)
{
	struct plan_buffer *b = &o->gather.record.plan.buffers[0];

	if (o->by)
		TRY(calltimes_parse_groups(&o->config, o->by, err));
	if (o->sort)
		TRY(calltimes_sort_parse("-s", o->sort, &o->config, err));
	if (o->fields)
		TRY(calltimes_columns_parse("-f", o->fields, &o->columns, err));
	for (size_t i = 0; i < o->columns.n; i++)
		calltimes_column_need(o->columns.list[i], &o->config);
	if (o->gather.record.has_user) {
		o->only = b->functions;
		o->never = b->no_functions;
		b->functions = b->no_functions = (struct plan_words){0};
	}
	set_shown(o, o->gather.record.has_user ? &o->only : &b->functions,
		  o->gather.record.has_user ? &o->never : &b->no_functions);
	return 0;
}

bool functionopts_are_about_file(const struct functions_options *o, int n_words)
{
	const struct live_request *req = &o->gather.record;
	const struct plan_buffer *b = &req->plan.buffers[0];

	return !n_words && !o->gather.input && !req->has_user && !b->functions.n &&
	       !b->no_functions.n && !b->graph_functions.n && !b->no_graph_functions.n &&
	       !b->modules.n && !b->pids.n && !req->plan.graph_depth && !o->gather.interval &&
	       !access(FUNCTIONOPTS_FILE, F_OK);
}

int functionopts_choose_tracer(struct functions_options *o, struct errmsg *err)
{
	const struct live_request *req = &o->gather.record;
	const struct plan_buffer *b = &req->plan.buffers[0];

	if (o->gather.input)
		return 0;
	if (req->has_user && !req->has_kernel_depth &&
	    (b->graph_functions.n || b->no_graph_functions.n || b->modules.n ||
	     req->plan.graph_depth))
		return errmsg_set(err, -EINVAL,
				  "-g, --graph-notrace, --module and --max-graph-depth are for "
				  "functions of the kernel; with -u add --kernel-depth N, or "
				  "leave them out");
	if (!req->has_user && req->has_kernel_depth)
		return errmsg_set(err, -EINVAL,
				  "--kernel-depth is for functions of programs (-u); use "
				  "--max-graph-depth");
	return req->has_user ? 0 : recordopts_tracer(o, "function_graph", err);
}

struct useless {
	bool is_given;
	const char *name;
};

static const char *find_useless(const struct useless *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].is_given)
			return list[i].name;
	return NULL;
}

static const char *find_live(const struct functions_options *o)
{
	const struct plan *plan = &o->gather.record.plan;
	const struct plan_buffer *b = &plan->buffers[0];
	const struct useless list[] = {
		{b->graph_functions.n, "-g"},
		{b->no_graph_functions.n, "--graph-notrace"},
		{b->modules.n, "--module"},
		{plan->graph_depth, "--max-graph-depth or --kernel-depth"},
		{b->pids.n, "-P"},
		{plan->only_command, "--only-command"},
		{plan->children, "-c"},
		{o->gather.interval, "--interval"},
	};

	return find_useless(list, ARRAY_LEN(list));
}

static const char *find_of_samples(const struct functions_options *o)
{
	const struct sample_options *s = &o->samples;
	const struct useless list[] = {
		{o->percent, "--percent-limit"}, {s->inlines, "--inline"},
		{s->no_inline, "--no-inline"},	 {s->event, "-e"},
		{s->off_cpu, "--off-cpu"},	 {s->wakeup, "--wakeup"},
		{s->only, "--samples"},		 {s->comm, "--comm"},
		{s->cpu_words, "--cpu"},
	};

	return find_useless(list, ARRAY_LEN(list));
}

int functionopts_refuse(const struct functions_options *o, bool of_samples, struct errmsg *err)
{
	const char *name = o->gather.input ? find_live(o) : NULL;

	if (name)
		return errmsg_set(err, -EINVAL, "%s is for a live run, not for a file; omit it",
				  name);
	name = of_samples ? NULL : find_of_samples(o);
	if (name)
		return errmsg_set(err, -EINVAL, "%s is for samples, not for calls; omit it", name);
	if (of_samples && o->fields)
		return errmsg_set(err, -EINVAL,
				  "-f is for calls; the columns of samples follow from --by");
	return 0;
}

int functionopts_check_file(const struct functions_options *o, struct errmsg *err)
{
	bool has_range = o->gather.from || o->gather.to;

	if (o->diff.path && (!o->gather.input || o->config.n_groups))
		return errmsg_set(err, -EINVAL, "--diff compares two files, without --by");
	if (o->sources && (!o->gather.input || o->diff.path))
		return errmsg_set(err, -EINVAL,
				  "--srcline shows source lines of one file; record the program "
				  "first (sonde record -u)");
	if (has_range && !o->gather.input)
		return errmsg_set(err, -EINVAL, "--from and --to are for a file");
	if (has_range && o->diff.path)
		return errmsg_set(err, -EINVAL,
				  "--diff compares whole files, without --from and --to");
	return 0;
}
