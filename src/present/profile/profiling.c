// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profiling.c - makes a profile of every source from its records, and prints the result.
 *
 *	hooks of the command line ─┐
 *	hooks of a file ───────────┴─▶ profile of a source ◀── its records
 *	                                     └──▶ head, tasks, tail: text, JSON, trace-cmd's format
 *
 * Every buffer of every file has its own profile: two buffers may contain the same events. Hooks
 * come from the command line (-H) and from files that were recorded with hooks.
 */
#include "present/profile/profiling.h"

#include "analyse/profile/profile.h"
#include "base/array.h"
#include "base/scope.h"
#include "decode/formats/formats.h"
#include "format/tracedat.h"
#include "present/line.h"
#include "present/profile/profilejson.h"
#include "present/profile/profilepeer.h"
#include "present/profile/profiletext.h"
#include "store/tracefile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES     (256u << 10) /* write when this much text has accumulated */
#define TEXT_MAX_BYTES (256u << 20)

/* --- hooks ------------------------------------------------------------------------------------ */

static int add_hook(struct profiling *pf, const char *text, size_t len, struct errmsg *err)
{
	if (pf->n_hooks == PROFILE_HOOKS_MAX)
		return errmsg_set(err, -E2BIG, "there are more than %d hooks", PROFILE_HOOKS_MAX);
	if (!ARRAY_ONE_MORE(pf->hooks, pf->n_hooks, PROFILE_HOOKS_MAX))
		return errmsg_set_errno(err, -ENOMEM, "cannot read hooks");
	TRY(profile_hook_parse(&pf->hooks[pf->n_hooks], text, len, err));
	pf->n_hooks++;
	return 0;
}

/* Adds the hooks with which a file was recorded. An unreadable hook counts as damage. */
static void add_file_hooks(struct profiling *pf, struct tracefile *tf)
{
	for (size_t i = 0; i < tf->n_options; i++) {
		const struct tracefile_option *o = &tf->options[i];
		struct errmsg err = {0};

		if (o->id != SNF_OPTION_HOOK)
			continue;
		if (add_hook(pf, (const char *)o->data.data,
			     strnlen((const char *)o->data.data, o->data.len), &err) < 0)
			tracefile_add_damage(tf, "%s: %s", tf->path, err.text);
		else
			pf->hooks[pf->n_hooks - 1].may_be_absent = true;
	}
}

static int gather_hooks(struct profiling *pf, struct errmsg *err)
{
	const struct profiling_spec *o = pf->spec;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < o->hooks.n; i++)
		r = add_hook(pf, o->hooks.words[i], strlen(o->hooks.words[i]), err);
	TRY(r);
	pf->n_asked = pf->n_hooks;
	for (size_t i = 0; i < pf->n_hooks; i++)
		pf->hooks[i].may_be_absent = o->peer_text;
	for (size_t i = 0; i < pf->in->n_files; i++) {
		pf->first_hook[i] = pf->n_hooks;
		add_file_hooks(pf, pf->in->files[i].tf);
	}
	pf->first_hook[pf->in->n_files] = pf->n_hooks;
	return 0;
}

/* --- profiles --------------------------------------------------------------------------------- */

static size_t file_of(const struct profiling *pf, size_t source)
{
	size_t i = 0;

	while (i + 1 < pf->in->n_files && pf->in->files[i].formats != pf->sources[source].formats)
		i++;
	return i;
}

static bool is_filtered(const struct inputs_spec *o)
{
	return o->n_filters || o->pids.n || o->comms.n || o->n_cpus || o->no_irq || o->no_softirq;
}

/* Reports a hook of the file on an event that the file does not describe. */
static void tell_absent(const struct profiling *pf, struct formats *f, const struct profile_hook *h)
{
	bool start = formats_find_name(f, h->start_system, h->start_event);
	char text[1024];

	if (!pf->spec->tell || !h->may_be_absent ||
	    (start && formats_find_name(f, h->end_system, h->end_event)))
		return;
	snprintf(text, sizeof(text), "ignoring the hook %s..%s: the trace has no event '%s'",
		 h->start_event, h->end_event, start ? h->end_event : h->start_event);
	pf->spec->tell(text);
}

static int make_profile(struct profiling *pf, size_t source, struct errmsg *err)
{
	const struct profiling_spec *o = pf->spec;
	size_t file = file_of(pf, source), n = 0;
	struct profile_config config = {.global = o->global,
					.by_comm = o->by_comm,
					.as_trace_cmd = o->peer_text,
					.with_own = o->with_own,
					.filtered = is_filtered(pf->in->spec),
					.hooks = pf->list};

	for (size_t i = 0; i < pf->n_asked; i++)
		pf->list[n++] = pf->hooks[i];
	for (size_t i = pf->first_hook[file]; i < pf->first_hook[file + 1]; i++)
		pf->list[n++] = pf->hooks[i];
	config.n_hooks = n;
	for (size_t i = 0; i < n; i++)
		tell_absent(pf, pf->in->files[file].formats, &pf->list[i]);
	return profile_new(&pf->profiles[source], pf->in->files[file].formats,
			   &pf->in->files[file].tasks, &config, err);
}

int profiling_open(struct profiling *pf, const struct profiling_spec *spec, struct inputs *in,
		   const struct lines *lines, struct errmsg *err)
{
	const struct inputs_file *text = inputs_find_text(in);
	int r;

	*pf = (struct profiling){
		.in = in, .spec = spec, .sources = lines->list, .n_sources = lines->n};
	if (text)
		return errmsg_set(err, -ENOTSUP,
				  "%s holds the text of a latency tracer, which has no "
				  "events to profile; 'sonde report' prints it",
				  text->tf->path);
	pf->profiles = calloc(pf->n_sources + 1, sizeof(*pf->profiles));
	pf->first_hook = calloc(in->n_files + 1, sizeof(*pf->first_hook));
	pf->list = calloc(PROFILE_HOOKS_MAX, sizeof(*pf->list));
	if (!pf->profiles || !pf->first_hook || !pf->list)
		return errmsg_set_errno(err, -ENOMEM, "cannot profile");
	r = gather_hooks(pf, err);
	for (size_t i = 0; r >= 0 && i < pf->n_sources; i++)
		r = make_profile(pf, i, err);
	return r;
}

void profiling_add(struct profiling *pf, const struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		profile_add(pf->profiles[b->records[i].source], &b->records[i]);
}

/* --- printing --------------------------------------------------------------------------------- */

static int flush(struct profiling *pf, size_t from_bytes, struct errmsg *err)
{
	int r;

	if (pf->tb.overflow)
		return errmsg_set(err, -EFBIG, "the profile of a task is too large to print");
	if (textbuf_len(&pf->tb) < from_bytes)
		return 0;
	r = pf->write(pf->write_ctx, pf->tb.start, textbuf_len(&pf->tb));
	textbuf_clear(&pf->tb);
	return r;
}

static void add_task(struct profiling *pf, size_t source, const struct profile_task *t)
{
	const struct line_source *ls = &pf->sources[source];
	const struct profile_style style = {.time_style = ls->time_style,
					    .syscalls = ls->syscalls,
					    .file = ls->file,
					    .buffer = ls->buffer};
	struct profile *p = pf->profiles[source];

	if (pf->spec->peer_text)
		profilepeer_fmt_task(p, t, &pf->tb);
	else if (pf->spec->as == LINES_JSON)
		profilejson_fmt_task(p, t, &style, &pf->tb);
	else
		profiletext_fmt_task(p, t, &style, &pf->tb);
}

static void add_head(struct profiling *pf, size_t source)
{
	const struct line_source *ls = &pf->sources[source];
	const struct inputs_file *file = &pf->in->files[file_of(pf, source)];
	const struct profile_style style = {.time_style = ls->time_style,
					    .syscalls = ls->syscalls,
					    .file = file->tf->path,
					    .buffer = ls->buffer,
					    .filtered = is_filtered(pf->in->spec),
					    .traced = pf->traced};

	if (pf->spec->peer_text)
		return;
	if (pf->spec->as == LINES_JSON)
		profilejson_fmt_head(pf->profiles[source], &style, &pf->tb);
	else
		profiletext_fmt_head(pf->profiles[source], &style, pf->any, &pf->tb);
	pf->any = true;
}

static bool has_events(const struct profiling *pf, size_t source)
{
	uint64_t first, last;

	return profile_range(pf->profiles[source], &first, &last);
}

static int print_source(struct profiling *pf, size_t source, struct errmsg *err)
{
	size_t n;
	const struct profile_task *const *tasks = profile_tasks(pf->profiles[source], &n);
	int r = 0;

	if (!has_events(pf, source) && pf->n_sources > 1)
		return 0;
	add_head(pf, source);
	for (size_t i = 0; i < n && !r; i++) {
		add_task(pf, source, tasks[i]);
		r = flush(pf, TEXT_BYTES, err);
	}
	if (!r && !pf->spec->peer_text && pf->spec->as == LINES_TEXT)
		profiletext_fmt_tail(pf->profiles[source], &pf->tb);
	return r;
}

static void print_peer_heads(struct profiling *pf)
{
	for (size_t i = 0; i < pf->n_hooks; i++)
		profilepeer_fmt_hook(&pf->hooks[i], &pf->tb);
	for (size_t i = 0; i < pf->in->n_files; i++)
		lines_add_head(pf->in, i, pf->spec->verbose, &pf->tb);
}

static int print_sources(struct profiling *pf, struct errmsg *err)
{
	bool peer = pf->spec->peer_text;

	if (peer)
		print_peer_heads(pf);
	/* trace-cmd prints files in reverse order: the last file comes first */
	for (size_t i = 0; i < pf->n_sources; i++)
		TRY(print_source(pf, peer ? pf->n_sources - 1 - i : i, err));
	return flush(pf, 0, err);
}

int profiling_print(struct profiling *pf, int (*write)(void *ctx, const char *text, size_t len),
		    void *write_ctx, struct errmsg *err)
{
	int r = 0;

	for (size_t i = 0; i < pf->n_sources && r >= 0; i++)
		r = profile_finish(pf->profiles[i]);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot profile");
	pf->write = write;
	pf->write_ctx = write_ctx;
	textbuf_init(&pf->tb, TEXT_MAX_BYTES);
	r = print_sources(pf, err);
	textbuf_release(&pf->tb);
	return r < 0 ? r : 0;
}

void profiling_close(struct profiling *pf)
{
	for (size_t i = 0; pf->profiles && i < pf->n_sources; i++)
		profile_free(pf->profiles[i]);
	for (size_t i = 0; i < pf->n_hooks; i++)
		profile_hook_release(&pf->hooks[i]);
	free(pf->profiles);
	free(pf->hooks);
	free(pf->first_hook);
	free(pf->list);
}
