// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * expand.c - finds the functions or marks of a program that match a pattern, and writes a
 * definition for each.
 *
 * A function is written by its name; if several C++ functions share a name, with its parameters:
 * put(int). Characters with a meaning in definitions get a backslash. Each definition is tried: a
 * function without the variables to be recorded is skipped, and a note gives the number.
 *
 *  points of the pattern ──▶ names, sorted, unique ──▶ tried ──▶ texts
 *  USDT notes            ──▶ PROVIDER:NAME, likewise; NAME@1, NAME@2 if types of arguments differ
 *
 * Events are expensive: the kernel needs up to a tenth of a second to disable and remove one,
 * because it waits until no CPU uses it. So there is a limit (prober.max_functions).
 */
#include "probe/expand.h"

#include "base/array.h"
#include "base/scope.h"
#include "probe/findprogram.h"
#include "probe/resolve/resolve_int.h"
#include "symbols/cxx/signature.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#define NAMES_SHOWN 3
#define NAMES_MAX   65536

struct expansion {
	struct resolution r; /* only for its error messages; it resolves nothing */
	char **names;
	size_t n, n_room;
	struct probe_expansion *out;
	size_t n_left_out;
	char left_out[200];  /* names of the first skipped functions */
	unsigned n_inlined;  /* copies that were skipped */
	unsigned n_refused;  /* places that cannot be probed */
	const char *refused; /* the reason for the first refused place */
	struct errmsg why;   /* the reason for the first skipped function */
};

/*
 * --- names ---------------------------------------------------------------------------------------
 */

static int add_name(struct expansion *x, const char *name)
{
	if (!ARRAY_ROOM(x->names, x->n_room, x->n + 1, NAMES_MAX))
		return resolve_no_memory(&x->r);
	x->names[x->n] = strdup(name);
	return x->names[x->n++] ? 0 : resolve_no_memory(&x->r);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_names(struct expansion *x)
{
	size_t n = 0;

	if (x->n)
		qsort(x->names, x->n, sizeof(*x->names), compare_names);
	for (size_t i = 0; i < x->n; i++) {
		if (n && !strcmp(x->names[n - 1], x->names[i]))
			free(x->names[i]);
		else
			x->names[n++] = x->names[i];
	}
	x->n = n;
}

/* Returns true if there is another function of the same name, with other parameters. */
static bool is_overloaded(const struct debuginfo_points *points, const struct debuginfo_point *pt)
{
	for (size_t i = 0; pt->choice && i < points->n; i++)
		if (!strcmp(points->list[i].function, pt->function) && points->list[i].choice &&
		    strcmp(points->list[i].choice, pt->choice))
			return true;
	return false;
}

static int find_functions(struct expansion *x, struct debuginfo *info)
{
	const struct definition *d = x->r.d;
	struct debuginfo_where where = resolve_debuginfo_where(&x->r);
	struct debuginfo_points points;
	struct errmsg why = {0};
	int r;

	where.wants_variables = false; /* functions without a variable are removed later */
	r = debuginfo_points(info, &where, &points, &why);
	if (r < 0)
		return RESOLVE_REFUSE(&x->r, d->function_span, r, "%s", why.text);
	for (size_t i = 0; i < points.n && r >= 0; i++) {
		const struct debuginfo_point *pt = &points.list[i];

		r = add_name(x, is_overloaded(&points, pt) ? pt->choice : pt->function);
	}
	x->n_inlined = points.n_inlined;
	x->n_refused = points.n_refused;
	x->refused = points.refused;
	debuginfo_points_release(&points);
	return r;
}

static int visit_mark(void *ctx, const struct debuginfo_mark *mark)
{
	struct expansion *x = ctx;
	const struct definition *d = x->r.d;
	char name[512];

	if ((d->provider && fnmatch(d->provider, mark->provider, 0)) ||
	    fnmatch(d->function, mark->name, 0))
		return 0;
	snprintf(name, sizeof(name), "%.250s:%.250s", mark->provider, mark->name);
	return add_name(x, name);
}

static int find_marks(struct expansion *x, struct debuginfo *info)
{
	const struct definition *d = x->r.d;
	struct errmsg why = {0};
	int r = debuginfo_marks(info, visit_mark, x, &why);

	if (r < 0)
		return why.code ? RESOLVE_REFUSE(&x->r, d->function_span, r, "%s", why.text) : r;
	if (!x->n)
		return RESOLVE_REFUSE(&x->r, d->function_span, -ENOENT,
				      "no mark matches %s%s%s; 'sonde probe funcs --marks -x "
				      "PROGRAM' lists them",
				      d->provider ? d->provider : "", d->provider ? ":" : "",
				      d->function);
	return 0;
}

/*
 * --- trying --------------------------------------------------------------------------------------
 */

/*
 * Finds the arguments of a return: those that its entry must have, or those of the return itself.
 */
static size_t args_of(const struct definition *d, bool of_entry, struct definition_arg *args)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_args; i++) {
		const struct expression *e = d->args[i].value;

		while (e->left)
			e = e->left;
		if (e->kind != EXPRESSION_DURATION && (e->kind != EXPRESSION_RESULT) == of_entry)
			args[n++] = d->args[i];
	}
	return n;
}

static int try_definition(struct prober *p, const struct definition *d, struct errmsg *why)
{
	size_t n_names = textbuf_len(&p->names);
	struct probe *probe;

	if (!d->n_args)
		return 0;
	TRY(probe_resolve(p, d, &probe, why));
	probe_free(probe);
	p->names.pos -= textbuf_len(&p->names) - n_names;
	return 0;
}

static int try_return(struct prober *p, struct definition *d, struct errmsg *why)
{
	struct definition_arg args[DEFINITION_MAX_ARGS];
	struct definition entry = *d;

	entry.n_args = args_of(d, true, args);
	entry.args = args;
	entry.is_return = false;
	TRY(try_definition(p, &entry, why));
	d->n_args = args_of(d, false, args);
	d->args = args;
	return try_definition(p, d, why);
}

/*
 * Checks whether the function has the variables to be recorded. Returns -ENOENT, -ENODATA or
 * -EOPNOTSUPP if not; why has the reason.
 */
static int try_function(struct expansion *x, const char *name, struct errmsg *why)
{
	struct definition copy = *x->r.d;
	char provider[256];

	copy.function = name;
	if (copy.form == DEFINITION_MARK) {
		snprintf(provider, sizeof(provider), "%.*s", (int)strcspn(name, ":"), name);
		copy.provider = provider;
		copy.function = name + strcspn(name, ":") + 1;
	}
	copy.chosen = NULL;
	copy.filter = NULL;
	return copy.is_return ? try_return(x->r.prober, &copy, why)
			      : try_definition(x->r.prober, &copy, why);
}

static void leave_out(struct expansion *x, const char *name)
{
	size_t len = strlen(x->left_out), size = sizeof(x->left_out);

	if (x->n_left_out++ < NAMES_SHOWN)
		snprintf(x->left_out + len, size - len, "%s%.50s", len ? ", " : "", name);
}

/*
 * --- writing -------------------------------------------------------------------------------------
 */

/* Writes the name in the form of a definition. Parameters are not changed. */
static void add_escaped(struct textbuf *tb, const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)name[i]) && !strchr("_:.$~", name[i]) &&
		    !(name[i] & 0x80))
			textbuf_add_char(tb, '\\');
		textbuf_add_char(tb, name[i]);
	}
}

static int add_text(struct expansion *x, const char *name)
{
	const struct definition *d = x->r.d;
	struct span span = d->function_span;
	const char *rest = d->text + span.at + span.len;
	size_t len = signature_name_length(name), next = strspn(rest, " \t");
	struct textbuf tb;
	char *text;

	textbuf_init(&tb, 2 * DEFINITION_MAX_BYTES);
	if (d->form == DEFINITION_MARK) {
		/* "PROG:" before "%PROV:NAME" */
		span.at = d->target ? d->target_span.at + d->target_span.len + 1 : 0;
		textbuf_add(&tb, d->text, span.at);
		textbuf_addf(&tb, "%%%s", name);
	} else {
		textbuf_add(&tb, d->text, span.at);
		add_escaped(&tb, name, len);
		textbuf_add_str(&tb, name + len);
		/*
		 * parentheses after parameters contain the arguments, so the first ones are
		 * certainly parameters
		 */
		if (name[len] && (!rest[next] || !strncmp(rest + next, "if", 2)))
			textbuf_add_str(&tb, "()");
	}
	textbuf_add_str(&tb, rest);
	textbuf_add(&tb, "", 1);
	text = tb.overflow ? NULL : strdup(tb.start);
	textbuf_release(&tb);
	if (!text)
		return resolve_no_memory(&x->r);
	x->out->texts[x->out->n++] = text;
	return 0;
}

/* Writes "PROG:%PROV:NAME@1 …" for each kind of the mark's places, if there are several. */
static int write_kinds(struct expansion *x, struct debuginfo *info)
{
	const struct definition *d = x->r.d;
	size_t at = d->function_span.at + d->function_span.len;
	unsigned n = 0;
	int r = resolve_mark_kinds(&x->r, info, &n);

	if (r < 0 || n < 2)
		return r;
	x->out->texts = calloc(n + 1, sizeof(*x->out->texts));
	for (unsigned i = 1; x->out->texts && i <= n; i++) {
		char *text = NULL;

		if (asprintf(&text, "%.*s@%u%s", (int)at, d->text, i, d->text + at) < 0)
			return resolve_no_memory(&x->r);
		x->out->texts[x->out->n++] = text;
	}
	if (x->out->texts &&
	    asprintf(&x->out->note,
		     "the mark %s has arguments of several types, but an event has one type "
		     "for each argument, so there are %u events",
		     d->function, n) < 0)
		x->out->note = NULL;
	return x->out->texts ? 0 : resolve_no_memory(&x->r);
}

static int refuse_many(struct expansion *x)
{
	const struct definition *d = x->r.d;
	bool is_mark = d->form == DEFINITION_MARK;

	return RESOLVE_REFUSE(
		&x->r, d->function_span, -E2BIG,
		"'%s' matches %zu %s, but a pattern can have at most %u: each becomes an "
		"event, and the kernel needs up to 0.1 s to disable and remove one; write a "
		"narrower pattern%s",
		d->function, x->n, is_mark ? "marks" : "functions", x->r.prober->max_functions,
		is_mark ? "" : ", or a name that makes one event of all, as in all=…");
}

static int write_texts(struct expansion *x)
{
	int r = 0;

	sort_names(x);
	if (x->n > x->r.prober->max_functions)
		return refuse_many(x);
	x->out->texts = calloc(x->n + 1, sizeof(*x->out->texts));
	if (!x->out->texts)
		return resolve_no_memory(&x->r);
	for (size_t i = 0; i < x->n && r >= 0; i++) {
		struct errmsg why = {0};

		r = try_function(x, x->names[i], &why);
		if (r == -ENOENT || r == -ENODATA || r == -EOPNOTSUPP) {
			leave_out(x, x->names[i]);
			x->why = x->why.code ? x->why : why;
			r = 0;
			continue;
		}
		if (r < 0)
			*x->r.err = why;
		else
			r = add_text(x, x->names[i]);
	}
	return r;
}

/*
 * --- the door ------------------------------------------------------------------------------------
 */

static bool is_mark_of_kinds(const struct definition *d)
{
	return d->form == DEFINITION_MARK && d->n_args && !d->event && !d->mark_kind;
}

static bool is_pattern(const struct definition *d)
{
	if (d->event || !d->function)
		return false;
	if (d->form == DEFINITION_MARK)
		return strpbrk(d->function, "*?[") || (d->provider && strpbrk(d->provider, "*?["));
	return d->form == DEFINITION_PLACE && debuginfo_is_glob(d->function);
}

static int expand(struct expansion *x)
{
	const struct definition *d = x->r.d;
	struct errmsg why = {0};
	char named[PATH_MAX], found[PATH_MAX], path[PATH_MAX];
	struct debuginfo *info;
	const char *program = NULL; /* may point into named */
	int r = 0;

	if (x->r.prober->world.only_kernel) /* probe_resolve() refuses programs */
		return 0;
	if (d->form == DEFINITION_MARK)
		r = resolve_mark_file(&x->r, path);
	else
		program = resolve_program_of(x->r.prober, d, named);
	TRY(r);
	/* the resolver reports errors of the file later */
	if (d->form != DEFINITION_MARK &&
	    (!program || !findprogram(program, false, found) || !findprogram_real(found, path)))
		return 0;
	if (prober_debuginfo(x->r.prober, path, &info, &why) < 0)
		return 0;
	if (!is_pattern(d))
		return write_kinds(x, info);
	r = d->form == DEFINITION_MARK ? find_marks(x, info) : find_functions(x, info);
	return r < 0 ? r : write_texts(x);
}

static int tell_left_out(struct expansion *x)
{
	const struct definition *d = x->r.d;
	char functions[400] = "", copies[100] = "", places[200] = "";

	if (x->n_left_out && !x->out->n) {
		*x->r.err = x->why;
		return x->why.code;
	}
	if (x->n_left_out)
		snprintf(functions, sizeof(functions),
			 "%zu of %zu %s that fit '%.50s' %s left out, without what is to be "
			 "recorded: %s%s",
			 x->n_left_out, x->n, d->form == DEFINITION_MARK ? "marks" : "functions",
			 d->function, x->n_left_out == 1 ? "is" : "are", x->left_out,
			 x->n_left_out > NAMES_SHOWN ? ", …" : "");
	if (x->n_inlined && (d->is_return || !x->r.prober->world.only_calls))
		snprintf(copies, sizeof(copies), "%u inlined %s left out: %s", x->n_inlined,
			 x->n_inlined == 1 ? "copy is" : "copies are",
			 d->is_return ? "only functions return" : "not wanted");
	if (x->n_refused)
		snprintf(places, sizeof(places), "%u %s left out: %s", x->n_refused,
			 x->n_refused == 1 ? "place is" : "places are", x->refused);
	if (!*functions && !*copies && !*places)
		return 0;
	return asprintf(&x->out->note, "%s%s%s%s%s", functions, *functions && *copies ? "; " : "",
			copies, *places && (*functions || *copies) ? "; " : "", places) < 0
		       ? resolve_no_memory(&x->r)
		       : 0;
}

int probe_expand(struct prober *p, const struct definition *d, struct probe_expansion *ret,
		 struct errmsg *err)
{
	struct probe_expansion out = {0};
	struct expansion x = {.r = {.prober = p, .d = d, .err = err}, .out = &out};
	int r = is_pattern(d) || is_mark_of_kinds(d) ? expand(&x) : 0;

	if (r >= 0)
		r = tell_left_out(&x);
	for (size_t i = 0; i < x.n; i++)
		free(x.names[i]);
	free(x.names);
	if (r < 0) {
		probe_expansion_release(&out);
		return r;
	}
	*ret = out;
	return 0;
}

void probe_expansion_release(struct probe_expansion *x)
{
	for (size_t i = 0; i < x->n; i++)
		free(x->texts[i]);
	free(x->texts);
	free(x->note);
	*x = (struct probe_expansion){0};
}
