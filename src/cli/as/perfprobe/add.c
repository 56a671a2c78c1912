// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * add.c - `perf probe -a` and `-D`.
 *
 *  globs become one definition for each function ─▶ resolve
 *      ─▶ perf's names and arguments ─▶ define, or print
 *
 * There is one prober for each target that -x and -m name. A probe with several places (an inlined
 * function) is one event with a line for each place, as in perf on kernels that support it. The
 * files of --symfs and --target-ns have another path here than for the kernel.
 */
#include "base/textbuf.h"
#include "capture/tracefs/draft.h"
#include "cli/as/perfprobe/perfprobe.h"

#include "base/array.h"
#include "base/scope.h"
#include "probe/look/kernelfuncs.h"
#include "probe/look/seen.h"
#include "symbols/dwarf/debuginfo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define DRAFTS_MAX 4096
#define FAILED	   "Failed to add events."

struct adding {
	struct perf_probe_options *o;
	struct perf_probe_target targets[PERF_PROBE_MAX];
	struct probe_opened *opened[PERF_PROBE_MAX];
	size_t n_targets;
	struct probe_drafts drafts;
	const struct perf_probe_definition **of; /* the definition of each draft */
	struct errmsg err;
};

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static int find_prober(struct adding *a, const struct perf_probe_target *target,
		       struct probe_opened **ret)
{
	const struct perf_probe_options *o = a->o;
	struct probe_target where;
	struct probe_opened *p;
	char path[PATH_MAX];
	int r;

	for (size_t i = 0; i < a->n_targets; i++)
		if (same(a->targets[i].program, target->program) &&
		    same(a->targets[i].module, target->module)) {
			*ret = a->opened[i];
			return 0;
		}
	p = malloc(sizeof(*p));
	if (!p)
		return errmsg_set_errno(&a->err, -ENOMEM, "cannot open the target");
	perf_probe_where(o, target, path, &where);
	r = probeopts_open(p,
			   &(struct probe_options){.program = where.program,
						   .module = where.module,
						   .vmlinux = where.vmlinux,
						   .source_dir = where.source_dir,
						   .max_places = o->max_probes,
						   .no_inlines = o->no_inlines,
						   .plain_types = true},
			   o->dry_run || o->command == 'D', &a->err);
	if (r < 0) {
		free(p);
		return r;
	}
	a->targets[a->n_targets] = *target;
	a->opened[a->n_targets++] = p;
	*ret = p;
	return 0;
}

static void adding_release(struct adding *a)
{
	probe_drafts_release(&a->drafts);
	for (size_t i = 0; i < a->n_targets; i++) {
		probeopts_close(a->opened[i]);
		free(a->opened[i]);
	}
	free(a->of);
}

/* --- drafts ----------------------------------------------------------------------------------- */

/* Adds a draft. Takes the definition. */
static int add_draft(struct adding *a, const struct perf_probe_definition *of, struct definition *d)
{
	struct probe_drafts *l = &a->drafts;

	if (!ARRAY_ONE_MORE(l->list, l->n, DRAFTS_MAX) ||
	    !ARRAY_ONE_MORE(a->of, l->n, DRAFTS_MAX)) {
		definition_free(d);
		return errmsg_set_errno(&a->err, -ENOMEM, "cannot keep the definitions");
	}
	a->of[l->n] = of;
	l->list[l->n++] = (struct probe_draft){.d = d};
	return 0;
}

static bool is_glob(const struct definition *d)
{
	return d->form == DEFINITION_PLACE && d->function && debuginfo_is_glob(d->function) &&
	       !strstr(d->function, "operator");
}

/* The state while a glob becomes a definition for each matching function. */
struct expansion {
	struct adding *a;
	const struct perf_probe_definition *of;
	const struct definition *d;
	char before[256]; /* the last name */
	size_t n_functions, n_points;
};

static bool can_be_probed(const struct expansion *x, const struct debuginfo_function *f)
{
	bool takes_inlined = !x->d->is_return && !x->a->o->no_inlines;

	return f->address || (f->n_inlined && takes_inlined);
}

static int take_function(void *ctx, const struct debuginfo_function *f)
{
	struct expansion *x = ctx;
	const struct definition *d = x->d;
	struct span s = d->function_span;
	const char *name = f->is_alias ? f->symbol : f->name;
	struct definition *one;
	char *text;
	int r;

	if (!can_be_probed(x, f) || !strcmp(name, x->before))
		return 0;
	snprintf(x->before, sizeof(x->before), "%s", name);
	x->n_functions += !!f->address;
	x->n_points += !!f->address + (x->a->o->no_inlines ? 0 : f->n_inlined);
	if (x->n_points > perf_probe_most(x->a->o))
		return 0; /* only count it: the pattern will be refused */
	if (asprintf(&text, "%.*s%s%s", (int)s.at, d->text, name, d->text + s.at + s.len) < 0)
		return -ENOMEM;
	r = definition_parse(&one, text, &x->a->err);
	free(text);
	TRY(r);
	return add_draft(x->a, x->of, one);
}

static int expand(struct adding *a, struct perf_probe_definition *of)
{
	struct expansion x = {.a = a, .of = of, .d = of->d};
	struct probe_target where;
	struct debuginfo *info;
	char path[PATH_MAX];
	int r;

	perf_probe_where(a->o, &of->target, path, &where);
	if (probefuncs_are_loaded(&where)) {
		r = probefuncs_loaded(where.module, of->d->function, take_function, &x, &a->err);
	} else {
		r = probetarget_open(&where, NULL, &info, &a->err);
		TRY(r);
		r = debuginfo_functions(info, of->d->function, take_function, &x, &a->err);
		debuginfo_close(info);
	}
	if (r >= 0 && !x.n_points) {
		perf_probe_say(a->o, "Failed to find symbol %s in %s\n", of->d->function,
			       of->target.program ? of->target.program : "kernel");
		r = -ENOENT;
	}
	return r < 0 ? r : perf_probe_check_number(a->o, of, x.n_functions, x.n_points);
}

static int make_drafts(struct adding *a)
{
	int r = 0;

	for (size_t i = 0; i < a->o->n_definitions && r >= 0; i++) {
		struct perf_probe_definition *of = &a->o->definitions[i];

		if (is_glob(of->d)) {
			r = expand(a, of);
		} else {
			r = add_draft(a, of, of->d);
			of->d = NULL;
		}
	}
	return r;
}

/* --- resolving -------------------------------------------------------------------------------- */

/* Sets the path as the kernel must find it: without --symfs, in the mounts of --target-ns. */
static int settle_places(struct adding *a, const struct perf_probe_target *target, struct probe *p)
{
	char root[32], path[PATH_MAX + 64];

	if (!target->program || (!a->o->symfs && !a->o->ns_pid))
		return 0;
	snprintf(root, sizeof(root), "/proc/%d/root", a->o->ns_pid);
	for (size_t i = 0; i < p->n_places; i++) {
		const char *offset = strrchr(p->places[i].text, ':');

		snprintf(path, sizeof(path), "%s%s%s", a->o->ns_pid ? root : "", target->program,
			 offset ? offset : "");
		p->places[i].text = (char *)perf_probe_keep(a->o, path);
		if (!p->places[i].text)
			return -ENOMEM;
	}
	return 0;
}

/* Finds the function that contains file.c:25, after which the event is named. */
static void find_function(const struct adding *a, const struct perf_probe_definition *of,
			  const struct definition *d, char *name, size_t n_bytes)
{
	struct probeseen_options how = {.at_entry = true};
	struct errmsg ignored = {0};
	struct probe_target where;
	struct probeseen seen;
	char path[PATH_MAX];

	snprintf(name, n_bytes, "line");
	perf_probe_where(a->o, &of->target, path, &where);
	if (d->function || d->has_address || probeseen_open(&seen, &where, d, &how, &ignored) < 0)
		return;
	if (seen.points.n && seen.points.list[0].function)
		snprintf(name, n_bytes, "%s", seen.points.list[0].function);
	probeseen_close(&seen);
}

static void name_event(struct adding *a, size_t i)
{
	struct probe_draft *draft = &a->drafts.list[i];
	const struct definition *d = draft->d;
	char function[256], group[TRACEFS_NAME_MAX];

	if (d->form == DEFINITION_RAW)
		return;
	if (d->form == DEFINITION_MARK && d->provider && !d->group) {
		snprintf(group, sizeof(group), "sdt_%s", d->provider);
		draft->p->group = (char *)perf_probe_keep(a->o, group);
	}
	find_function(a, a->of[i], d, function, sizeof(function));
	perf_probe_event_name(d, function, draft->event, 64);
}

/*
 * Prints notes. If a probe has too many places, sonde would skip some, but perf refuses the whole
 * probe.
 */
static int say_notes(const struct adding *a, const struct probe *p)
{
	if (p->is_limited) {
		perf_probe_say(a->o, "Too many( > %zu) probe point found.\n", p->n_places);
		return -ERANGE;
	}
	for (size_t i = 0; i < p->n_notes; i++)
		perf_probe_say(a->o, "%s\n", p->notes[i]);
	return 0;
}

static int resolve_one(struct adding *a, size_t i)
{
	struct probe_draft *draft = &a->drafts.list[i];
	const struct perf_probe_definition *of = a->of[i];
	struct probe_opened *opened;
	int r;

	TRY(find_prober(a, &of->target, &opened));
	r = probe_draft_resolve(draft, opened->prober, &a->err);
	if (r < 0)
		return perf_probe_say_why(a->o, of, draft->d, opened->prober, r);
	probe_use_breakpoint(draft->p);
	if (draft->p->entry)
		perf_probe_say(a->o,
			       "Target program is compiled without optimization. Skipping "
			       "prologue.\nProbe on address 0x%llx to force probing at the "
			       "function entry.\n\n",
			       (unsigned long long)draft->p->entry);
	TRY(say_notes(a, draft->p));
	name_event(a, i);
	r = settle_places(a, &of->target, draft->p);
	return r < 0 ? r : perf_probe_plain_args(a->o, draft);
}

/* --- names ------------------------------------------------------------------------------------ */

static int refuse_name(const struct adding *a, const char *event)
{
	perf_probe_say(a->o,
		       "Error: event \"%s\" already exists.\n"
		       " Hint: Remove existing event by 'perf probe -d'\n"
		       "       or force duplicates by 'perf probe -f'\n"
		       "       or set 'force=yes' in BPF source.\n",
		       event);
	return -EEXIST;
}

/*
 * Chooses names. -f appends a number to a name in use; a return then loses its "__return", as in
 * perf.
 */
static int choose_names(struct adding *a)
{
	const struct tracefs *t =
		a->n_targets && a->opened[0]->has_tracefs ? &a->opened[0]->t : NULL;

	for (size_t i = 0; i < a->drafts.n; i++) {
		struct probe_draft *draft = &a->drafts.list[i];
		char *tail = strstr(draft->event, "__return");

		if (!probe_drafts_taken(&a->drafts, t, i, draft->event))
			continue;
		if (!a->o->force)
			return refuse_name(a, draft->event);
		if (tail && !tail[strlen("__return")]) {
			snprintf(tail, strlen(tail) + 1, "_1");
		}
		probe_drafts_add_suffix(&a->drafts, t, i);
	}
	return 0;
}

/* --- showing ---------------------------------------------------------------------------------- */

/* Prints the definitions for the kernel. */
static void print_lines(const struct adding *a, const char *before, FILE *to)
{
	TEXTBUF(tb, 1 << 24);

	for (size_t i = 0; i < a->drafts.n; i++)
		for (size_t k = 0; k < a->drafts.list[i].p->n_places; k++) {
			textbuf_add_str(&tb, before);
			probe_fmt_line(a->drafts.list[i].p, k, NULL, a->drafts.list[i].event, &tb);
			textbuf_add_char(&tb, '\n');
		}
	fwrite(tb.start, 1, textbuf_len(&tb), to);
}

/* Prints the kernel's boot configuration: ftrace.event.kprobes.EVENT.probe = 'PLACE ARGS', … */
static int print_bootconfig(const struct adding *a)
{
	struct textbuf tb;

	textbuf_init(&tb, 1 << 24);
	for (size_t i = 0; i < a->drafts.n; i++) {
		const struct probe_draft *draft = &a->drafts.list[i];

		if (strcmp(draft->p->group, "probe"))
			perf_probe_say(a->o, "WARN: Group name %s is ignored\n", draft->p->group);
		if (draft->p->kind > PROBE_KRETPROBE) {
			perf_probe_say(a->o, "ERROR: Bootconfig doesn't support uprobes\n");
			textbuf_release(&tb);
			return -EINVAL;
		}
		textbuf_addf(&tb, "%sftrace.event.kprobes.%s.probe = ", i ? "\n" : "",
			     draft->event);
		for (size_t k = 0; k < draft->p->n_places; k++) {
			struct textbuf line;

			textbuf_init(&line, 1 << 16);
			probe_fmt_line(draft->p, k, NULL, draft->event, &line);
			textbuf_add(&line, "", 1);
			textbuf_addf(&tb, "%s'%s'", k ? ", " : "", strchr(line.start, ' ') + 1);
			textbuf_release(&line);
		}
	}
	textbuf_add_char(&tb, '\n');
	fwrite(tb.start, 1, textbuf_len(&tb), stdout);
	textbuf_release(&tb);
	return 0;
}

static void say_added(const struct adding *a)
{
	const struct probe_drafts *l = &a->drafts;
	const struct probe_draft *last = &l->list[l->n - 1];
	TEXTBUF(tb, 1 << 20);
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->list[i].p->n_places; k++, n++)
			perf_probe_fmt_event(l->list[i].p->group, l->list[i].event, &l->list[i],
					     a->of[i]->target.program ? a->of[i]->target.program
								      : a->of[i]->target.module,
					     &tb);
	perf_probe_say(a->o, "Added new event%s\n%.*s", n > 1 ? "s:" : ":", (int)textbuf_len(&tb),
		       tb.start);
	perf_probe_say(a->o,
		       "\nYou can now use it in all perf tools, such as:\n\n"
		       "\tperf record -e %s:%s -aR sleep 1\n\n",
		       last->p->group, last->event);
}

/* --- the whole -------------------------------------------------------------------------------- */

static int resolve_all(struct adding *a)
{
	struct probe_opened *opened;
	int own, r = 0;

	/* the tracing directory is searched in our own mounts */
	for (size_t i = 0; i < a->o->n_definitions && r >= 0; i++)
		r = find_prober(a, &a->o->definitions[i].target, &opened);
	TRY(r);
	own = perf_probe_enter(a->o);
	r = make_drafts(a);
	for (size_t i = 0; i < a->drafts.n && r >= 0; i++)
		r = resolve_one(a, i);
	perf_probe_leave(own);
	return r;
}

static int show_or_define(struct adding *a)
{
	if (a->o->command == 'D' && a->o->bootconfig)
		return print_bootconfig(a);
	if (a->o->command == 'D') {
		print_lines(a, "", stdout);
		return 0;
	}
	TRY(choose_names(a));
	if (a->o->verbose)
		print_lines(a, "Writing event: ", stderr);
	if (!a->o->dry_run)
		TRY(probe_drafts_define(&a->drafts, &a->opened[0]->t, &a->err));
	say_added(a);
	return 0;
}

int perf_probe_add(struct perf_probe_options *o)
{
	struct adding a = {.o = o};
	int r = resolve_all(&a);

	r = r < 0 ? r : show_or_define(&a);
	adding_release(&a);
	return r < 0 ? perf_probe_fail(o, FAILED, r, &a.err) : 0;
}
