// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names.c - writes places, events and arguments as perf does.
 *
 *	  probe_prog:work_L3   (on work:3@src/prog.c in /path/prog with a x=p->x)
 *	  └── group:event ──┘      └── point ──────┘    └ module ─┘      └ arguments
 *
 * An argument is named after its last member, and a variable with a type after both (n:u8 is n_u8).
 * Expressions that perf passes to the kernel unchanged (%di, $retval, +8(%sp)) have no name unless
 * one is given: the kernel then names them arg1, arg2 and so on, and records them as 64 bits in
 * hex.
 */
#include "base/textbuf.h"
#include "capture/tracefs/draft.h"
#include "cli/as/perfprobe/perfprobe.h"
#include "probe/definition/definition.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#define PATH_SHOWN 30

/* --- places ----------------------------------------------------------------------------------- */

const char *perf_probe_short_path(const char *path)
{
	size_t len = strlen(path);
	const char *slash;

	if (len <= PATH_SHOWN)
		return path;
	slash = strchr(path + len - PATH_SHOWN, '/');
	return slash ? slash + 1 : path + len - PATH_SHOWN;
}

void perf_probe_fmt_point(const struct definition *d, struct textbuf *tb)
{
	if (d->form == DEFINITION_MARK)
		textbuf_add_char(tb, '%');
	if (d->has_address)
		textbuf_addf(tb, "0x%llx", (unsigned long long)d->address);
	if (d->function) {
		textbuf_add_str(tb, d->function);
		if (d->offset)
			textbuf_addf(tb, "+%llu", (unsigned long long)d->offset);
		else if (d->line)
			textbuf_addf(tb, ":%u", d->line);
		else if (d->is_return && d->form != DEFINITION_RAW)
			textbuf_add_str(tb, "%return");
	}
	if (d->file) {
		textbuf_addf(tb, "@%s", perf_probe_short_path(d->file));
		if (!d->function && d->line)
			textbuf_addf(tb, ":%u", d->line);
	}
}

/* --- events ----------------------------------------------------------------------------------- */

/* Removes the suffix that a compiler or a linker has appended to the name. */
static void clean_name(const char *from, char *name, size_t n_bytes)
{
	size_t n = 0;

	from += *from == '.';
	for (; *from && (!strchr(".@(", *from) || !n) && n + 1 < n_bytes; from++) {
		bool is_letter = isalnum((unsigned char)*from) || *from == '_';

		if (is_letter || (n && name[n - 1] != '_'))
			name[n++] = is_letter ? *from : '_';
	}
	name[n] = 0;
}

void perf_probe_event_name(const struct definition *d, const char *function, char *name,
			   size_t n_bytes)
{
	char base[200];

	if (d->event)
		snprintf(base, sizeof(base), "%s", d->event);
	else if (d->has_address)
		snprintf(base, sizeof(base), "abs_%llx", (unsigned long long)d->address);
	else
		clean_name(d->function ? d->function : function, base, sizeof(base) - 16);
	if (!d->event && d->function && d->line && !d->offset)
		snprintf(base + strlen(base), 16, "_L%u", d->line);
	snprintf(name, n_bytes, "%s%s", base, d->is_return ? "__return" : "");
}

/* --- arguments -------------------------------------------------------------------------------- */

static const struct expression *base_of(const struct expression *e)
{
	while (e->left)
		e = e->left;
	return e;
}

static bool is_variable(const struct expression *e)
{
	return base_of(e)->kind == EXPRESSION_NAME;
}

/* Returns true if perf passes the expression to the kernel unchanged, also for programs. */
static bool is_handed_on(const struct expression *e)
{
	switch (base_of(e)->kind) {
	case EXPRESSION_REGISTER:
	case EXPRESSION_RESULT:
	case EXPRESSION_COMM:
	case EXPRESSION_STACK:
	case EXPRESSION_ADDRESS:
	case EXPRESSION_FILE_AT:
	case EXPRESSION_NUMBER:
	case EXPRESSION_TEXT:
		break;
	default:
		return false;
	}
	for (; e->left; e = e->left)
		if (e->kind != EXPRESSION_LOAD)
			return false;
	return true;
}

static struct probe_arg *find_arg(struct probe *p, struct span span, size_t *ret_i)
{
	for (size_t i = 0; i < p->n_args; i++)
		if (p->args[i].span.at == span.at) {
			*ret_i = i;
			return &p->args[i];
		}
	return NULL;
}

static int set_fetch(struct perf_probe_options *o, struct probe *p, size_t i, const char *text)
{
	char *kept = (char *)perf_probe_keep(o, text);

	if (!kept)
		return -ENOMEM;
	p->args[i].fetch = kept;
	for (size_t k = 0; k < p->n_places; k++)
		if (p->places[k].fetches)
			p->places[k].fetches[i] = kept;
	return 0;
}

static int hand_on(struct perf_probe_options *o, const struct definition *d,
		   const struct definition_arg *arg, struct probe *p, size_t i)
{
	const struct span *s = &arg->value->span;
	char text[256];

	p->args[i].name = (char *)perf_probe_keep(o, arg->name ? arg->name : "");
	if (!p->args[i].name)
		return -ENOMEM;
	snprintf(text, sizeof(text), "%.*s%s%s", (int)s->len, d->text + s->at, arg->type ? ":" : "",
		 arg->type ? arg->type : "");
	return strpbrk(text, " \t") && arg->value->kind != EXPRESSION_TEXT
		       ? 0
		       : set_fetch(o, p, i, text);
}

/* n:u8 */
static int name_by_type(struct perf_probe_options *o, const struct definition_arg *arg,
			struct probe *p, size_t i)
{
	char name[64];

	for (const char *c = arg->type; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			return 0;
	snprintf(name, sizeof(name), "%.30s_%.30s", arg->value->text, arg->type);
	p->args[i].name = (char *)perf_probe_keep(o, name);
	return p->args[i].name ? 0 : -ENOMEM;
}

int perf_probe_plain_args(struct perf_probe_options *o, struct probe_draft *draft)
{
	const struct definition *d = draft->d;
	int r = 0;

	if (d->form != DEFINITION_PLACE)
		return 0;
	for (size_t k = 0; k < d->n_args && r >= 0; k++) {
		const struct definition_arg *arg = &d->args[k];
		size_t i;

		if (!find_arg(draft->p, arg->span, &i))
			continue;
		if (is_handed_on(arg->value))
			r = hand_on(o, d, arg, draft->p, i);
		else if (arg->value->kind == EXPRESSION_NAME && arg->type && !arg->name)
			r = name_by_type(o, arg, draft->p, i);
	}
	return r;
}

/* Writes an argument as in the definition, with its final name. */
static void fmt_arg(const struct probe_draft *draft, const struct definition_arg *arg,
		    struct textbuf *tb)
{
	const struct definition *d = draft->d;
	const struct span *s = &arg->value->span;
	size_t i;

	textbuf_add_char(tb, ' ');
	if (arg->name)
		textbuf_addf(tb, "%s=", arg->name);
	else if (arg->value->left && is_variable(arg->value) && find_arg(draft->p, arg->span, &i))
		textbuf_addf(tb, "%s=", draft->p->args[i].name);
	textbuf_add(tb, d->text + s->at, s->len);
	if (arg->type)
		textbuf_addf(tb, ":%s", arg->type);
}

void perf_probe_fmt_event(const char *group, const char *event, const struct probe_draft *draft,
			  const char *module, struct textbuf *tb)
{
	const struct definition *d = draft->d;
	char name[2 * TRACEFS_NAME_MAX];

	snprintf(name, sizeof(name), "%s:%s", group, event);
	textbuf_addf(tb, "  %-20s (on ", name);
	perf_probe_fmt_point(d, tb);
	if (module)
		textbuf_addf(tb, " in %s", module);
	for (size_t i = 0; i < d->n_args; i++) {
		if (!i)
			textbuf_add_str(tb, " with");
		fmt_arg(draft, &d->args[i], tb);
	}
	textbuf_add_str(tb, ")\n");
}
