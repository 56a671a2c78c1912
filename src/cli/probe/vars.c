// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vars.c - `sonde probe vars`: lists the variables that can be read at a place.
 *
 *	$ sonde probe vars -x ./prog loop:5
 *	loop+31, /src/prog.c:17
 *	  struct s*  p    -24(%bp)
 *	  int        k    -12(%bp)
 *	loop inlined into main, main+16, /src/prog.c:17
 *	  int        k    %dx
 *	  struct s*  p    optimised away here: it lives only at lines 12-14
 *
 * For the kernel without its DWARF, BTF has the parameters of functions at their beginning.
 *
 * There is one paragraph for each instruction of the place. The last column is the place of the
 * variable, in the syntax of the kernel's probes, or the reason why it cannot be read here.
 * --params shows only parameters, --externs adds variables outside functions.
 */
#include "base/array.h"
#include "base/json/jsonwriter.h"
#include "base/scope.h"
#include "cli/screen/output.h"
#include "cli/probe/commands.h"
#include "cli/probe/targetrows.h"
#include "probe/look/seen.h"
#include "symbols/dwarf/debuginfo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES (16u << 20)
#define VARS_MAX       4096

struct vars_options {
	struct probe_target target;
	bool params, externs, no_inlines;
};

static const struct option_row rows[] = {
	PROBETARGET_ROWS(struct vars_options, target),
	ROW_FLAG(0, "params", "show only parameters", offsetof(struct vars_options, params)),
	ROW_FLAG(0, "externs", "also show global variables of the same source file",
		 offsetof(struct vars_options, externs)),
	ROW_FLAG(0, "no-inlines", "ignore inlined copies of the function",
		 offsetof(struct vars_options, no_inlines)),
	ROW_END,
};

/* The variables of one point, kept to align them. */
struct vars_list {
	struct variable *list;
	size_t n;
};

static int keep(void *ctx, const struct variable *v)
{
	struct vars_list *l = ctx;

	if (l->n == VARS_MAX)
		return 0;
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->list[i].name, v->name))
			return 0; /* hidden by an inner variable */
	if (!ARRAY_ONE_MORE(l->list, l->n, VARS_MAX))
		return -ENOMEM;
	l->list[l->n++] = *v;
	return 0;
}

static size_t fmt_type_of(const struct variable *v, struct textbuf *tb)
{
	textbuf_clear(tb);
	type_fmt(v->type, tb);
	return textbuf_len(tb);
}

static void fmt_head(const struct debuginfo_point *p, struct textbuf *tb)
{
	if (p->inlined_into)
		textbuf_addf(tb, "%s inlined into %s, ", p->function, p->inlined_into);
	if (p->symbol)
		textbuf_addf(tb, "%s+%llu", p->symbol, (unsigned long long)p->symbol_offset);
	else
		textbuf_addf(tb, "0x%llx", (unsigned long long)p->address);
	if (p->file)
		textbuf_addf(tb, ", %s:%u", p->file, p->line);
	if (p->is_behind_prologue)
		textbuf_add_str(tb, ", behind the prologue");
	textbuf_add_char(tb, '\n');
}

static void fmt_point(const struct debuginfo *d, const struct debuginfo_point *p,
		      const struct vars_list *l, struct textbuf *tb)
{
	size_t type_width = 0, name_width = 0;
	TEXTBUF(type, 1 << 16);

	fmt_head(p, tb);
	for (size_t i = 0; i < l->n; i++) {
		size_t len = fmt_type_of(&l->list[i], &type), n = strlen(l->list[i].name);

		type_width = len > type_width ? len : type_width;
		name_width = n > name_width ? n : name_width;
	}
	for (size_t i = 0; i < l->n; i++) {
		size_t len = fmt_type_of(&l->list[i], &type);

		textbuf_addf(tb, "  %.*s", (int)len, type.start);
		textbuf_add_fill(tb, ' ', type_width - len + 2);
		textbuf_addf(tb, "%-*s  ", (int)name_width, l->list[i].name);
		if (l->list[i].place.kind == PLACE_NOWHERE)
			textbuf_add_str(tb, "not here: ");
		probetarget_fmt_place(d, &l->list[i], tb);
		textbuf_add_char(tb, '\n');
	}
	if (!l->n)
		textbuf_add_str(tb,
				!p->scope ? "  (no debug information about it)\n"
				: d	  ? "  (no variables)\n"
				    : "  (no parameters in BTF, which has none of assembler)\n");
}

static void json_variable(const struct debuginfo *d, const struct variable *v, struct jsonwriter *w)
{
	TEXTBUF(text, 1 << 16);

	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "name", v->name);
	type_fmt(v->type, &text);
	jsonwriter_add_text(w, "type", text.start, textbuf_len(&text));
	jsonwriter_add_bool(w, "parameter", v->is_parameter);
	textbuf_clear(&text);
	probetarget_fmt_place(d, v, &text);
	jsonwriter_add_text(w, v->place.kind == PLACE_NOWHERE ? "why_not" : "place", text.start,
			    textbuf_len(&text));
	jsonwriter_close(w);
}

static void json_point(const struct debuginfo *d, const struct debuginfo_point *p,
		       const struct vars_list *l, struct jsonwriter *w)
{
	uint64_t offset;

	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "function", p->function);
	jsonwriter_add_string(w, "inlined_into", p->inlined_into);
	jsonwriter_add_hex(w, "address", p->address);
	if (d && debuginfo_file_offset(d, p->address, &offset) >= 0)
		jsonwriter_add_hex(w, "file_offset", offset);
	jsonwriter_add_string(w, "symbol", p->symbol);
	jsonwriter_add_uint(w, "offset", p->symbol_offset);
	jsonwriter_add_string(w, "file", p->file);
	jsonwriter_add_uint(w, "line", p->line);
	jsonwriter_add_bool(w, "behind_prologue", p->is_behind_prologue);
	jsonwriter_open(w, "variables", '[');
	for (size_t i = 0; i < l->n; i++)
		json_variable(d, &l->list[i], w);
	jsonwriter_close(w);
	jsonwriter_close(w);
}

static int fmt_points(const struct vars_options *o, struct debuginfo *d,
		      const struct debuginfo_points *points, struct textbuf *tb)
{
	struct jsonwriter w;
	int r = 0;

	jsonwriter_init(&w, tb);
	if (o->target.json) {
		jsonwriter_open(&w, NULL, '{');
		jsonwriter_open(&w, "points", '[');
	}
	for (size_t i = 0; r >= 0 && i < points->n; i++) {
		const struct debuginfo_point *p = &points->list[i];
		struct vars_list l = {0};

		if (p->scope)
			r = p->scope->ops->each(p->scope, o->params, keep, &l);
		if (r >= 0 && o->externs && d)
			r = debuginfo_globals(d, p, keep, &l);
		if (o->target.json)
			json_point(d, p, &l, &w);
		else
			fmt_point(d, p, &l, tb);
		free(l.list);
	}
	if (o->target.json) {
		jsonwriter_close(&w);
		jsonwriter_close(&w);
		textbuf_add_char(tb, '\n');
	}
	return r;
}

static int print_points(const struct vars_options *o, struct debuginfo *d,
			const struct debuginfo_points *points, struct errmsg *err)
{
	TEXTBUF(tb, TEXT_MAX_BYTES);

	TRY(fmt_points(o, d, points, &tb));
	return output_print(&tb, "never", false, err);
}

static int find_and_print(const struct vars_options *o, const struct definition *def,
			  struct errmsg *err)
{
	struct probeseen_options how = {.no_inlines = o->no_inlines};
	struct probeseen seen;
	int r = probeseen_open(&seen, &o->target, def, &how, err);

	TRY(r);
	if (seen.d && !debuginfo_has_dwarf(seen.d))
		r = debuginfo_refuse_dwarf(seen.d, err);
	else
		r = print_points(o, seen.d, &seen.points, err);
	probeseen_close(&seen);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct vars_options o = {0};
	SCOPED(definition_free_scoped) struct definition *def = NULL;
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	if (n != 1)
		return errmsg_set(err, -EINVAL,
				  n ? "%s: '%s' is one place too many"
				    : "%s: name a function or a line%.0s",
				  cmd->name, n ? argv[2] : "");
	TRY(definition_parse(&def, argv[1], err));
	if (def->form != DEFINITION_PLACE || (!def->function && !def->file))
		return errmsg_set(err, -EINVAL, "%s: '%s' is no function and no line", cmd->name,
				  argv[1]);
	return find_and_print(&o, def, err);
}

const struct command probe_vars = {
	.name = "probe vars",
	.summary = "show the variables that can be read at a place",
	.usage = "[options] FUNC[@FILE][:LINE|+OFFSET] | FILE:LINE",
	.options = rows,
	.run = run,
	.args = "@function",
};
