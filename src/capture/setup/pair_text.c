// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pair_text.c - makes the texts for the kernel that join a return with its entry, see pairs.c.
 *
 *	definition      "vfs_read%return($retval, count, $duration) if $duration > 1000"
 *	synthetic       "s:sonde_1234_vfs_read__return s64 ret; u64 count; u64 duration"
 *	triggers        hist:keys=…                                     at the entry and at the
 *	                                                                return
 *	condition       "duration > 1000"                               on the synthetic event
 *	format          for the file: the kernel's, with names for numbers and without our pid
 *
 * This file does not access the kernel: the arguments are already resolved.
 */
#include "base/array.h"
#include "base/scope.h"
#include "capture/setup/pair_int.h"
#include "probe/probe.h"

#include <stdio.h>
#include <stdlib.h>

bool setup_pair_is_duration(const struct definition_arg *a)
{
	return a->value->kind == EXPRESSION_DURATION;
}

static const char *keys_of(const struct setup_pair *pair, bool at_entry)
{
	if (!pair->has_frames)
		return "common_pid";
	return at_entry && pair->has_skip ? "common_pid,sonde_frame+sonde_skip"
					  : "common_pid,sonde_frame";
}

/*
 * --- arguments ---------------------------------------------------------------------------------
 */

/* Returns the type for a synthetic event of "+0(%di):string", or NULL if there is none. */
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
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!strcmp(type + 1, rows[i].fetch))
			return rows[i].synth;
	return NULL;
}

bool setup_pair_is_text(const struct probe_arg *a)
{
	const char *type = synth_type(a);

	return type && !strcmp(type, "char[]");
}

void setup_pair_choose_show(struct probe_arg *a)
{
	const char *type = strrchr(a->fetch, ':');

	if (a->show != PROBE_SHOW_AS_IS || !type)
		return;
	if (!strcmp(type, ":symbol"))
		a->show = PROBE_SHOW_FUNCTION;
	else if (type[1] == 'x')
		a->show = PROBE_SHOW_HEX;
}

/* Returns true if the argument came from the entry: the texts are shared. */
static bool is_from_entry(const struct setup_pair *pair, const struct probe_arg *a)
{
	return ARRAY_ANY(pair->in->n_args, i, pair->in->args[i].name == a->name);
}

static bool wants_duration(const struct definition *d)
{
	return ARRAY_ANY(d->n_args, i, setup_pair_is_duration(&d->args[i]));
}

/*
 * --- names of fields ---------------------------------------------------------------------------
 */

/*
 * Both ends of do_filp_open%return($retval->f_path.dentry->d_name.name, pathname->name) have a
 * field "name", so the joined event has name and name_2, in the order of the definition.
 */

static bool is_by_hand(const struct definition *d, const char *name)
{
	return ARRAY_ANY(d->n_args, i, d->args[i].name && !strcmp(d->args[i].name, name));
}

void setup_pair_choose_duration(struct setup_pair *pair, const struct definition *d)
{
	snprintf(pair->duration_name, sizeof(pair->duration_name), "duration");
	for (unsigned n = 2; is_by_hand(d, pair->duration_name); n++)
		snprintf(pair->duration_name, sizeof(pair->duration_name), "duration_%u", n);
	for (size_t i = 0; i < d->n_args; i++)
		if (setup_pair_is_duration(&d->args[i]) && d->args[i].name)
			snprintf(pair->duration_name, sizeof(pair->duration_name), "%s",
				 d->args[i].name);
}

static bool is_taken(const struct setup_pair *pair, const struct definition *d, const char *name)
{
	for (size_t i = 0; i < pair->shown.n_args; i++)
		if (!strcmp(pair->shown.args[i].name, name))
			return true;
	return is_by_hand(d, name) || (wants_duration(d) && !strcmp(name, pair->duration_name));
}

void setup_pair_choose_field(const struct setup_pair *pair, const struct definition *d,
			     struct probe_arg *a, char room[PAIR_FIELD_BYTES])
{
	size_t base = strlen(a->name), stem = base;

	for (size_t i = 0; i < d->n_args; i++)
		if (d->args[i].name && d->args[i].span.at == a->span.at)
			return;
	while (stem && a->name[stem - 1] >= '0' && a->name[stem - 1] <= '9')
		stem--;
	snprintf(room, PAIR_FIELD_BYTES, "%.*s", stem ? (int)stem - 1 : 0, a->name);
	if (stem > 1 && a->name[stem - 1] == '_' && is_taken(pair, d, room))
		base = stem - 1; /* the second one in its own probe does not become name_2_2 */
	snprintf(room, PAIR_FIELD_BYTES, "%.*s", (int)base, a->name);
	for (unsigned n = 2; is_taken(pair, d, room); n++)
		snprintf(room, PAIR_FIELD_BYTES, "%.*s_%u", base < 26 ? (int)base : 26, a->name, n);
	a->name = room;
}

/*
 * --- the synthetic event -----------------------------------------------------------------------
 */

/*
 * Returns the index of the argument before which the duration is written, or the number of
 * arguments if it is the last.
 */
static size_t duration_place(const struct setup_pair *pair, const struct definition *d)
{
	size_t at = pair->shown.n_args;

	for (size_t i = 0; i < d->n_args; i++)
		for (size_t k = 0; setup_pair_is_duration(&d->args[i]) && k < at; k++)
			if (pair->shown.args[k].span.at > d->args[i].span.at)
				at = k;
	return at;
}

int setup_pair_fmt_synth(const struct setup_pair *pair, const struct definition *d,
			 struct textbuf *tb, struct errmsg *err)
{
	size_t place = duration_place(pair, d);

	textbuf_addf(tb, "s:%s", pair->synth);
	for (size_t i = 0; i <= pair->shown.n_args; i++) {
		const struct probe_arg *a = &pair->shown.args[i];
		const char *type;

		if (i == place && wants_duration(d))
			textbuf_addf(tb, " u64 %s;", pair->duration_name);
		if (i == pair->shown.n_args)
			break;
		type = synth_type(a);
		if (!type)
			return definition_refuse(
				d->text, a->span, err, -EINVAL,
				"arrays and bit fields cannot be passed on to the return; "
				"record them at the entry, with a separate probe");
		if (!strcmp(type, "char[]"))
			textbuf_addf(tb, " char %s[];", a->name);
		else
			textbuf_addf(tb, " %s %s;", type, a->name);
	}
	tb->pos--; /* remove the last ';' */
	textbuf_add(tb, "", 1);
	return tb->overflow ? setup_pair_no_memory(err) : 0;
}

static char *fmt_in_trigger(const struct setup_pair *pair)
{
	SCOPED(textbuf_release) struct textbuf tb = {.max_bytes = PAIR_LINE_BYTES};

	textbuf_addf(&tb, "hist:keys=%s:size=%d:sonde%zut=common_timestamp", keys_of(pair, true),
		     PAIR_CALLS_MAX, pair->number);
	for (size_t i = 0; i < pair->in->n_args; i++)
		textbuf_addf(&tb, ",sonde%zuv%zu=%s", pair->number, i, pair->in->args[i].name);
	textbuf_add(&tb, "", 1);
	return tb.overflow ? NULL : strdup(tb.start);
}

static char *fmt_out_trigger(const struct setup_pair *pair, const struct setup_probe *sp)
{
	size_t n_in = 0, place = duration_place(pair, sp->definition);
	SCOPED(textbuf_release) struct textbuf tb = {.max_bytes = PAIR_LINE_BYTES};

	textbuf_addf(&tb,
		     "hist:keys=%s:size=%d:sonde%zud=common_timestamp-$sonde%zut:onmatch(%s.%s)."
		     "trace(%s",
		     keys_of(pair, false), PAIR_CALLS_MAX, pair->number, pair->number, sp->group,
		     pair->in_name, pair->synth);
	for (size_t i = 0; i <= pair->shown.n_args; i++) {
		const struct probe_arg *a = &pair->shown.args[i];

		if (i == place && wants_duration(sp->definition))
			textbuf_addf(&tb, ",$sonde%zud", pair->number);
		if (i == pair->shown.n_args)
			break;
		if (is_from_entry(pair, a))
			textbuf_addf(&tb, ",$sonde%zuv%zu", pair->number, n_in++);
		else if (strlen(a->name) < 2) /* the kernel does not accept shorter words */
			textbuf_addf(&tb, ",%s.%s.%s", sp->group, sp->name, a->name);
		else
			textbuf_addf(&tb, ",%s", a->name);
	}
	textbuf_add_char(&tb, ')');
	textbuf_add(&tb, "", 1);
	return tb.overflow ? NULL : strdup(tb.start);
}

/*
 * --- the condition -----------------------------------------------------------------------------
 */

const char *setup_pair_duration(const struct setup_pair *pair, const struct definition *d)
{
	return wants_duration(d) ? pair->duration_name : NULL;
}

int setup_pair_fmt_filter(const struct setup_pair *pair, const struct definition *d,
			  char **ret_filter, struct errmsg *err)
{
	SCOPED(textbuf_release) struct textbuf tb = {.max_bytes = PAIR_LINE_BYTES};
	int r;

	r = probe_fmt_condition(&pair->shown, d, setup_pair_duration(pair, d), &tb, err);
	textbuf_add(&tb, "", 1);
	*ret_filter = r < 0 || tb.overflow ? NULL : strdup(tb.start);
	return r < 0 ? r : *ret_filter ? 0 : setup_pair_no_memory(err);
}

int setup_pair_fmt_triggers(struct setup_pair *pair, const struct setup_probe *sp,
			    struct errmsg *err)
{
	free(pair->in_trigger);
	free(pair->out_trigger);
	pair->in_trigger = fmt_in_trigger(pair);
	pair->out_trigger = fmt_out_trigger(pair, sp);
	return pair->in_trigger && pair->out_trigger ? 0 : setup_pair_no_memory(err);
}

/*
 * --- the format --------------------------------------------------------------------------------
 */

/*
 * Writes the format. "name: sonde_1234_vfs_read__return" loses the part that only the kernel needs.
 */
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
