// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * setup_pairs.c - a return that knows what it was called with, and how long it took.
 *
 *	-e 'vfs_read%return($retval, count, $duration)'
 *
 * When a function returns, its parameters are gone from their registers, and kernels before 6.9 (in programs:
 * all) remember none. So two probes are defined, and the kernel joins them by task with hist triggers:
 *
 *	p:sonde_1234/vfs_read__return_in vfs_read count=%dx:u64
 *	    hist:keys=common_pid:sonde0t=common_timestamp,sonde0v0=count
 *	r:sonde_1234/vfs_read__return_out vfs_read ret=$retval:s64
 *	    hist:keys=common_pid:sonde0d=common_timestamp-$sonde0t
 *	        :onmatch(sonde_1234.vfs_read__return_in).trace(sonde_1234_vfs_read__return,ret,$sonde0v0,$sonde0d)
 *	s:sonde_1234_vfs_read__return s64 ret; u64 count; u64 duration
 *
 * Only the last, a synthetic event, is recorded; in the file it is synthetic:vfs_read__return. A function that
 * calls itself overwrites what its caller noted, so of a recursion only the innermost call is right.
 * Strings are kept by the triggers up to the kernel's limit of 64 bytes.
 */
#include "capture/setup_int.h"

#include "capture/eventdir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LINE_MAX_BYTES 8192
#define VARS_MAX       14 /* of the kernel's 16, the time is one */

struct setup_pair {
	struct definition in_def, out_def; /* the user's, each with its part of the arguments */
	struct definition_arg *in_args, *out_args;
	struct probe *in; /* the other one is setup_probe.probe */
	char in_name[TRACEFS_NAME_MAX], synth[TRACEFS_NAME_MAX], shown_name[TRACEFS_NAME_MAX];
	char *in_trigger, *out_trigger;
	struct probe shown; /* all arguments together, for the format; they belong to the probes */
	size_t number;
};

/* --- who needs it ------------------------------------------------------------------------------ */

static const struct expression *root_of(const struct expression *e)
{
	while (e->left)
		e = e->left;
	return e;
}

/* Known at the return: what it returns, and what has nothing to do with the call. */
static bool is_of_return(const struct definition_arg *a)
{
	enum expression_kind kind = root_of(a->value)->kind;

	return kind != EXPRESSION_NAME && kind != EXPRESSION_ARGUMENT &&
	       kind != EXPRESSION_PARAMS && kind != EXPRESSION_DURATION;
}

static bool is_duration(const struct definition_arg *a)
{
	return a->value->kind == EXPRESSION_DURATION;
}

bool setup_wants_pair(const struct setup_probe *sp)
{
	const struct definition *d = sp->definition;
	bool has_entry = false;

	if (!d || d->form != DEFINITION_PLACE || !d->is_return)
		return false;
	for (size_t i = 0; i < d->n_args; i++) {
		if (is_duration(&d->args[i]))
			return true;
		has_entry |= !is_of_return(&d->args[i]);
	}
	return has_entry && !sp->probe; /* this kernel does not remember them */
}

/* --- two definitions --------------------------------------------------------------------------- */

static int without_memory(struct errmsg *err)
{
	return errmsg_set_errno(err, -ENOMEM, "cannot define the probes");
}

static int split(struct setup_pair *pair, const struct definition *d, struct errmsg *err)
{
	pair->in_args = calloc(d->n_args, sizeof(*pair->in_args));
	pair->out_args = calloc(d->n_args, sizeof(*pair->out_args));
	if (!pair->in_args || !pair->out_args)
		return without_memory(err);
	pair->in_def = pair->out_def = *d;
	pair->in_def.args = pair->in_args;
	pair->out_def.args = pair->out_args;
	pair->in_def.n_args = pair->out_def.n_args = 0;
	pair->in_def.is_return = false;
	pair->in_def.max_active = 0;
	pair->in_def.filter = pair->out_def.filter = NULL;
	for (size_t i = 0; i < d->n_args; i++) {
		if (is_duration(&d->args[i]))
			continue;
		if (is_of_return(&d->args[i]))
			pair->out_args[pair->out_def.n_args++] = d->args[i];
		else
			pair->in_args[pair->in_def.n_args++] = d->args[i];
	}
	return 0;
}

/* --- the synthetic event ----------------------------------------------------------------------- */

/* "+0(%di):string" as a type of a synthetic event; NULL if there is none for it. */
static const char *synth_type(const struct probe_arg *a)
{
	static const struct {
		const char *fetch, *synth;
	} rows[] = {
		{"string", "char[]"}, {"ustring", "char[]"}, {"symbol", "u64"},
		{"symstr", "char[]"}, {"char", "s8"},	     {"u8", "u8"},
		{"u16", "u16"},	      {"u32", "u32"},	     {"u64", "u64"},
		{"s8", "s8"},	      {"s16", "s16"},	     {"s32", "s32"},
		{"s64", "s64"},	      {"x8", "u8"},	     {"x16", "u16"},
		{"x32", "u32"},	      {"x64", "u64"},
	};
	const char *type = strrchr(a->fetch, ':');

	if (!type)
		return !strcmp(a->fetch, "$comm") ? "char[]" : "u64";
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(type + 1, rows[i].fetch))
			return rows[i].synth;
	return NULL;
}

/* The arguments of both, in the order in which they were written. */
static int gather(struct setup_pair *pair, const struct probe *out, struct errmsg *err)
{
	const struct probe *in = pair->in;
	size_t n = in->n_args + out->n_args, i = 0, k = 0;

	pair->shown = *out;
	pair->shown.args = calloc(n + 1, sizeof(*pair->shown.args));
	pair->shown.n_args = 0;
	if (!pair->shown.args)
		return without_memory(err);
	while (i < in->n_args || k < out->n_args) {
		bool first = k == out->n_args ||
			     (i < in->n_args && in->args[i].span.at < out->args[k].span.at);

		pair->shown.args[pair->shown.n_args++] = first ? in->args[i++] : out->args[k++];
	}
	return 0;
}

/* Which of the two an argument came from: the texts are shared. */
static bool is_from_entry(const struct setup_pair *pair, const struct probe_arg *a)
{
	for (size_t i = 0; i < pair->in->n_args; i++)
		if (pair->in->args[i].name == a->name)
			return true;
	return false;
}

static bool wants_duration(const struct definition *d)
{
	for (size_t i = 0; i < d->n_args; i++)
		if (is_duration(&d->args[i]))
			return true;
	return false;
}

static const char *duration_name(const struct definition *d)
{
	for (size_t i = 0; i < d->n_args; i++)
		if (is_duration(&d->args[i]) && d->args[i].name)
			return d->args[i].name;
	return "duration";
}

static int fmt_synth(const struct setup_pair *pair, const struct definition *d, struct textbuf *tb,
		     struct errmsg *err)
{
	textbuf_addf(tb, "s:%s", pair->synth);
	for (size_t i = 0; i < pair->shown.n_args; i++) {
		const struct probe_arg *a = &pair->shown.args[i];
		const char *type = synth_type(a);

		if (!type)
			return definition_refuse(
				d->text, a->span, err, -EINVAL,
				"arrays and bit fields cannot be taken along to the "
				"return; record them at the entry, with a probe of "
				"its own");
		if (!strcmp(type, "char[]"))
			textbuf_addf(tb, " char %s[];", a->name);
		else
			textbuf_addf(tb, " %s %s;", type, a->name);
	}
	if (wants_duration(d))
		textbuf_addf(tb, " u64 %s;", duration_name(d));
	tb->pos--; /* the last ';' */
	textbuf_add(tb, "", 1);
	return tb->overflow ? without_memory(err) : 0;
}

static char *fmt_in_trigger(const struct setup_pair *pair)
{
	struct textbuf tb;
	char *text;

	textbuf_init(&tb, LINE_MAX_BYTES);
	textbuf_addf(&tb, "hist:keys=common_pid:sonde%zut=common_timestamp", pair->number);
	for (size_t i = 0; i < pair->in->n_args; i++)
		textbuf_addf(&tb, ",sonde%zuv%zu=%s", pair->number, i, pair->in->args[i].name);
	textbuf_add(&tb, "", 1);
	text = tb.overflow ? NULL : strdup(tb.start);
	textbuf_release(&tb);
	return text;
}

static char *fmt_out_trigger(const struct setup_pair *pair, const struct setup_probe *sp)
{
	size_t n_in = 0;
	struct textbuf tb;
	char *text;

	textbuf_init(&tb, LINE_MAX_BYTES);
	textbuf_addf(&tb,
		     "hist:keys=common_pid:sonde%zud=common_timestamp-$sonde%zut:onmatch(%s.%s)."
		     "trace(%s",
		     pair->number, pair->number, sp->group, pair->in_name, pair->synth);
	for (size_t i = 0; i < pair->shown.n_args; i++) {
		const struct probe_arg *a = &pair->shown.args[i];

		if (is_from_entry(pair, a))
			textbuf_addf(&tb, ",$sonde%zuv%zu", pair->number, n_in++);
		else
			textbuf_addf(&tb, ",%s", a->name);
	}
	if (wants_duration(sp->definition))
		textbuf_addf(&tb, ",$sonde%zud", pair->number);
	textbuf_add_char(&tb, ')');
	textbuf_add(&tb, "", 1);
	text = tb.overflow ? NULL : strdup(tb.start);
	textbuf_release(&tb);
	return text;
}

/* --- the condition ----------------------------------------------------------------------------- */

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* What an argument of the definition is called as a field; NULL if none stands at s. */
static const char *field_at(const struct setup_pair *pair, const struct definition *d,
			    const char *s, size_t *ret_len)
{
	const char *name = NULL;

	*ret_len = 0;
	for (size_t i = 0; i < d->n_args; i++) {
		struct span span = d->args[i].value->span;

		if (span.len <= *ret_len || strncmp(s, d->text + span.at, span.len) ||
		    is_name_char(s[span.len]))
			continue;
		for (size_t k = 0; k < pair->shown.n_args; k++)
			if (pair->shown.args[k].span.at == d->args[i].span.at) {
				name = pair->shown.args[k].name;
				*ret_len = span.len;
			}
		if (is_duration(&d->args[i])) {
			name = duration_name(d);
			*ret_len = span.len;
		}
	}
	return name;
}

static char *fmt_filter(const struct setup_pair *pair, const struct definition *d)
{
	struct textbuf tb;
	char *text;

	textbuf_init(&tb, LINE_MAX_BYTES);
	for (const char *s = d->filter; *s;) {
		bool is_start = s == d->filter || !is_name_char(s[-1]);
		size_t len = 0;
		const char *name = is_start ? field_at(pair, d, s, &len) : NULL;

		if (name)
			textbuf_add_str(&tb, name);
		else
			textbuf_add_char(&tb, *s);
		s += name ? len : 1;
	}
	textbuf_add(&tb, "", 1);
	text = tb.overflow ? NULL : strdup(tb.start);
	textbuf_release(&tb);
	return text;
}

/* --- defining ---------------------------------------------------------------------------------- */

static int refuse_kernel(struct setup *s, const struct setup_probe *sp,
			 const struct errmsg *why_not, struct errmsg *err)
{
	const struct definition *d = sp->definition;

	if (why_not)
		return errmsg_set(err, why_not->code, "%s", why_not->text);
	for (size_t i = 0; i < d->n_args; i++)
		if (is_duration(&d->args[i]))
			return definition_refuse(
				d->text, d->args[i].span, err, -ENOTSUP,
				s->journal
					? "the time of a call needs hist triggers and synthetic "
					  "events, which this kernel does not have; record %s and "
					  "%s%%return, and ask 'sonde latency'"
					: "the time of a call needs two probes and triggers, which "
					  "only "
					  "a recording sets up: sonde record -e (%s, %s%%return)",
				d->function, d->function);
	return -ENOTSUP;
}

static int define_synth(struct setup *s, const struct setup_pair *pair, const struct definition *d,
			struct errmsg *err)
{
	char name[2 * TRACEFS_NAME_MAX];
	struct textbuf line;
	int r;

	textbuf_init(&line, LINE_MAX_BYTES);
	r = fmt_synth(pair, d, &line, err);
	snprintf(name, sizeof(name), "synthetic/%s", pair->synth);
	if (r >= 0)
		r = journal_add_probe(s->journal, name, err);
	if (r >= 0)
		r = tracefs_write(&s->t, "", "dynamic_events", line.start, TRACEFS_APPEND, err);
	textbuf_release(&line);
	return r;
}

static int resolve(struct setup *s, struct setup_probe *sp, struct errmsg *err)
{
	struct setup_pair *pair = sp->pair;
	int r = split(pair, sp->definition, err);

	probe_free(sp->probe);
	sp->probe = NULL;
	if (r >= 0)
		r = probe_resolve(s->prober, &pair->in_def, &pair->in, err);
	if (r >= 0)
		r = probe_resolve(s->prober, &pair->out_def, &sp->probe, err);
	if (r >= 0 && pair->in->n_args > VARS_MAX)
		r = definition_refuse(
			sp->definition->text, pair->in->args[VARS_MAX].span, err, -E2BIG,
			"at most %d arguments can be taken along to the return; record "
			"the others at the entry",
			VARS_MAX);
	return r < 0 ? r : gather(pair, sp->probe, err);
}

static void choose_names(struct setup *s, struct setup_probe *sp)
{
	struct setup_pair *pair = sp->pair;

	snprintf(sp->group, sizeof(sp->group), "sonde_%d", (int)getpid());
	snprintf(pair->shown_name, sizeof(pair->shown_name), "%.40s", sp->probe->event);
	snprintf(pair->in_name, sizeof(pair->in_name), "%.40s_in", sp->probe->event);
	snprintf(sp->name, sizeof(sp->name), "%.40s_out", sp->probe->event);
	snprintf(pair->synth, sizeof(pair->synth), "sonde_%d_%.40s", (int)getpid(),
		 sp->probe->event);
	pair->number = s->n_probes;
}

int setup_pair(struct setup *s, struct setup_probe *sp, const struct errmsg *why_not,
	       struct errmsg *err)
{
	struct setup_pair *pair;
	char *filter = NULL;
	int r;

	if (!s->journal || !s->site->kernel.hist || !s->site->kernel.synthetic)
		return refuse_kernel(s, sp, why_not, err);
	sp->pair = pair = calloc(1, sizeof(*pair));
	if (!pair)
		return without_memory(err);
	r = resolve(s, sp, err);
	if (r < 0)
		return r;
	choose_names(s, sp);
	pair->in_trigger = fmt_in_trigger(pair);
	pair->out_trigger = fmt_out_trigger(pair, sp);
	filter = sp->definition->filter ? fmt_filter(pair, sp->definition) : NULL;
	if (!pair->in_trigger || !pair->out_trigger || (sp->definition->filter && !filter))
		r = without_memory(err);
	if (r >= 0)
		r = probes_add(&s->t, s->journal, pair->in, sp->group, pair->in_name, err);
	if (r >= 0)
		r = probes_add(&s->t, s->journal, sp->probe, sp->group, sp->name, err);
	if (r >= 0)
		r = define_synth(s, pair, sp->definition, err);
	if (r >= 0)
		r = setup_set_event(sp, "synthetic", pair->synth, filter, err);
	free(filter);
	return r;
}

/* --- switching on and off ---------------------------------------------------------------------- */

static struct setup_probe *find_pair(const struct setup *s, const struct plan_event *e)
{
	for (size_t i = 0; i < s->n_probes; i++)
		if (s->probes[i]->planned == e && s->probes[i]->pair)
			return s->probes[i];
	return NULL;
}

int setup_pair_arm(struct setup *s, const struct setup_buffer *b, const struct plan_event *e,
		   struct errmsg *err)
{
	const struct setup_probe *sp = find_pair(s, e);
	char file[TRACEFS_PATH_MAX];
	int r;

	if (!sp)
		return 0;
	eventdir_fmt_path(sp->group, sp->pair->in_name, "trigger", file);
	r = setup_write(s, b->instance, file, sp->pair->in_trigger, TRACEFS_APPEND, err);
	eventdir_fmt_path(sp->group, sp->name, "trigger", file);
	if (r >= 0)
		r = setup_write(s, b->instance, file, sp->pair->out_trigger, TRACEFS_APPEND, err);
	return r;
}

static void disarm(struct setup *s, const char *instance, const char *group, const char *event,
		   const char *trigger)
{
	char file[TRACEFS_PATH_MAX], text[LINE_MAX_BYTES];

	snprintf(text, sizeof(text), "!%s", trigger);
	tracefs_try_write(&s->t, instance, eventdir_fmt_path(group, event, "trigger", file), text,
			  TRACEFS_APPEND);
}

/* The one that refers to the other goes first. */
void setup_pair_disarm(struct setup *s, struct setup_probe *sp)
{
	for (size_t i = 0; sp->pair && i < s->n_buffers; i++) {
		disarm(s, s->buffers[i].instance, sp->group, sp->name, sp->pair->out_trigger);
		disarm(s, s->buffers[i].instance, sp->group, sp->pair->in_name,
		       sp->pair->in_trigger);
	}
}

void setup_pair_release(struct setup_probe *sp)
{
	struct setup_pair *pair = sp->pair;

	if (!pair)
		return;
	probe_free(pair->in);
	free(pair->in_args);
	free(pair->out_args);
	free(pair->shown.args);
	free(pair->in_trigger);
	free(pair->out_trigger);
	free(pair);
	sp->pair = NULL;
}

const char *setup_name_of_event(const struct setup *s, const char *system, const char *event)
{
	for (size_t i = 0; i < s->n_probes && !strcmp(system, "synthetic"); i++)
		if (s->probes[i]->pair && !strcmp(s->probes[i]->pair->synth, event))
			return s->probes[i]->pair->shown_name;
	return event;
}

/* --- the format -------------------------------------------------------------------------------- */

/* "name: sonde_1234_vfs_read__return" loses what only the kernel needs. */
bool setup_pair_fmt_format(const struct setup *s, const char *event, const char *text, size_t len,
			   struct textbuf *out)
{
	static const char head[] = "name: ";

	for (size_t i = 0; i < s->n_probes; i++) {
		const struct setup_pair *pair = s->probes[i]->pair;
		const char *eol = memchr(text, '\n', len);

		if (!pair || strcmp(pair->synth, event) || !eol ||
		    strncmp(text, head, strlen(head)))
			continue;
		textbuf_addf(out, "%s%s", head, pair->shown_name);
		probe_fmt_format(&pair->shown, eol, len - (eol - text), out);
		return true;
	}
	return false;
}
