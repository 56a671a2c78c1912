// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resolve.c - translates a definition for the kernel: chooses the kind of place, and resolves the
 * arguments.
 *
 *	TARGET with '/', or -x             a program          program.c
 *	SOURCE:LINE, not the kernel's      the command's program
 *	%PROVIDER:NAME                     a mark             mark.c
 *	TARGET:NAME is an event            its fields         event.c
 *	TARGET is a module, or none        the kernel         kernel.c
 *	TARGET is in PATH or a library     a program
 *	p:… r:… f:… e:… t:…                passed through     raw.c
 *
 * One arena (struct resolved) owns everything of a probe.
 *
 * An event with several places has the same fields at each of them. A variable that does not exist
 * at one place but at others is recorded there as 0xdeade12d, as in perf, or as "?" if it is a
 * string, and a note reports this. A variable that exists at no place is refused. Of $vars and
 * $params, variables that are the same at all places are recorded; a note names the others.
 */
#include "base/array.h"
#include "base/scope.h"
#include "probe/findprogram.h"
#include "probe/resolve/resolve_int.h"
#include "symbols/arch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LIST_MAX_BYTES (64u << 20)
#define TEXT_MAX_BYTES 65536

/*
 * --- a probe grows -------------------------------------------------------------------------------
 */

int resolve_no_memory(struct resolution *r)
{
	return errmsg_set(r->err, -ENOMEM, "not enough memory for the probe");
}

void resolve_note(struct resolution *r, const char *fmt, ...)
{
	struct probe *p = &r->out->probe;
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < p->n_notes; i++)
		if (!strcmp(p->notes[i], text))
			return;
	if (p->n_notes == PROBE_MAX_NOTES)
		return;
	if (!p->notes)
		p->notes = arena_alloc_array(&r->out->memory, PROBE_MAX_NOTES, sizeof(*p->notes));
	r->left_out[p->n_notes] = NULL;
	if (p->notes && (p->notes[p->n_notes] = arena_strndup(&r->out->memory, text, strlen(text))))
		p->n_notes++;
}

struct probe_place *resolve_add_place(struct resolution *r, const char *text)
{
	struct probe *p = &r->out->probe;
	struct arena *a = &r->out->memory;
	struct probe_place *place;

	if (!p->places)
		p->places = arena_alloc_array(a, r->prober->world.max_places, sizeof(*p->places));
	if (!p->places || p->n_places == r->prober->world.max_places)
		return NULL;
	place = &p->places[p->n_places];
	*place = (struct probe_place){
		0}; /* the entry may contain data of a place that was removed */
	place->text = arena_strndup(a, text, strlen(text));
	if (!place->text)
		return NULL;
	p->n_places++;
	return place;
}

int resolve_try(struct resolution *r, int (*add)(void *ctx), void *ctx, struct errmsg *ret_why)
{
	struct probe *p = &r->out->probe;
	size_t n_places = p->n_places, n_args = p->n_args, n_notes = p->n_notes;
	struct arg_origin origins[DEFINITION_MAX_ARGS];
	size_t n_apart_bytes = strlen(r->apart);
	unsigned n_apart = r->n_apart;
	struct errmsg *err = r->err, own = {0};
	int result;

	memcpy(origins, r->origins, sizeof(origins));
	r->err = &own;
	result = add(ctx);
	r->err = err;
	if (result == -ENOENT) {
		p->n_places = n_places;
		p->n_args = n_args;
		p->n_notes = n_notes;
		memcpy(r->origins, origins, sizeof(origins));
		r->n_apart = n_apart;
		r->apart[n_apart_bytes] = 0;
		if (!ret_why->code)
			*ret_why = own;
	} else if (result < 0) {
		*err = own;
	}
	return result;
}

/*
 * --- arguments -----------------------------------------------------------------------------------
 */

/* All arguments at one place, while they are collected. */
struct gathering {
	struct resolution *r;
	const struct fetch_place *place;
	size_t n;			  /* number of collected arguments */
	size_t number;			  /* index of the current argument of the definition */
	const struct definition_arg *arg; /* $vars, $params: the origin of the variables */
	int result;
};

int resolve_add_arg(struct resolution *r, const struct fetch *f, const char *name, struct span span)
{
	struct probe *p = &r->out->probe;
	struct arena *a = &r->out->memory;
	struct probe_arg *arg;
	char unique[FETCH_NAME_BYTES];

	if (!p->args)
		p->args = arena_alloc_array(a, DEFINITION_MAX_ARGS, sizeof(*p->args));
	if (!p->args)
		return resolve_no_memory(r);
	if (p->n_args == DEFINITION_MAX_ARGS ||
	    (r->prober->kernel.max_args && p->n_args >= r->prober->kernel.max_args))
		return RESOLVE_REFUSE(
			r, span, -E2BIG,
			"these are more than %zu arguments, the maximum for one probe; omit "
			"some",
			p->n_args);
	resolve_field_name(p, name, unique);
	arg = &p->args[p->n_args];
	*arg = (struct probe_arg){
		.name = arena_strndup(a, unique, strlen(unique)),
		.fetch = arena_strndup(a, f->text, strlen(f->text)),
		.type = f->type,
		.show = f->show,
		.span = span,
	};
	if (!arg->name || !arg->fetch)
		return resolve_no_memory(r);
	p->n_args++;
	return 0;
}

const char *resolve_fetch_type(const char *fetch)
{
	const char *colon = strrchr(fetch, ':');

	return colon ? colon + 1 : "";
}

/* Returns the index of the same argument at the earlier places, or n_args if there is none. */
static size_t find_same(const struct gathering *g, const struct fetch *f, const char *variable)
{
	const struct probe *p = &g->r->out->probe;
	size_t i;

	for (i = 0; i < p->n_args; i++) {
		const struct arg_origin *o = &g->r->origins[i];

		if (o->number != g->number || o->n_found + 1u != p->n_places ||
		    (variable && strcmp(o->variable, variable)))
			continue;
		if (strcmp(resolve_fetch_type(f->text), resolve_fetch_type(p->args[i].fetch)) ||
		    (variable && f->show != p->args[i].show))
			return p->n_args;
		break;
	}
	return i;
}

static int refuse_other(struct gathering *g, struct span span)
{
	const struct probe *p = &g->r->out->probe;
	const char *choice = g->r->choice;

	if (choice)
		return RESOLVE_REFUSE(g->r, span, -EINVAL,
				      "this is something else in '%s' than in the other "
				      "functions of that name; select one by writing %s like "
				      "that",
				      choice, strchr(choice, '(') ? "its parameters" : "its file");
	return RESOLVE_REFUSE(
		g->r, span, -EINVAL,
		"this is something else at the place %s than at the others; %s",
		p->places[p->n_places - 1].text,
		g->place->mark_args
			? "omit the name of the event, so that each kind of place becomes an "
			  "event; or select one: %PROVIDER:NAME@1"
			: "give it a type that fits all, as in :x64, or name one place");
}

/* Returns true if a note already reports why it is not recorded. */
static bool is_told(const struct resolution *r, const char *name)
{
	return ARRAY_ANY(r->out->probe.n_notes, i, r->left_out[i] && !strcmp(r->left_out[i], name));
}

static void note_left_out(struct resolution *r, const char *name, const char *why, size_t len)
{
	size_t n = r->out->probe.n_notes;

	resolve_note(r, "%s is left out: %.*s", name, (int)len, why);
	if (r->out->probe.n_notes > n)
		r->left_out[n] = arena_strndup(&r->out->memory, name, strlen(name));
}

static void leave_apart(struct resolution *r, const char *name)
{
	size_t len = strlen(r->apart), n = strlen(name);

	if (is_told(r, name))
		return;
	for (const char *s = r->apart; (s = strstr(s, name)); s += n)
		if ((s == r->apart || s[-1] == ' ') && (!s[n] || s[n] == ','))
			return;
	r->n_apart++;
	if (len + n + 8 < sizeof(r->apart))
		snprintf(r->apart + len, sizeof(r->apart) - len, "%s%s", len ? ", " : "", name);
	else if (r->apart[len - 1] != '.')
		snprintf(r->apart + len, sizeof(r->apart) - len, " ...");
}

/* Adds the fetch of an argument at another place. */
static int add_fetch(struct gathering *g, const struct fetch *f, const char *variable,
		     struct span span)
{
	struct probe *p = &g->r->out->probe;
	struct probe_place *place = &p->places[p->n_places - 1];
	struct arena *a = &g->r->out->memory;
	size_t i = find_same(g, f, variable);

	if (i == p->n_args && variable && !g->r->choice) {
		leave_apart(g->r, variable);
		return 0;
	}
	if (i == p->n_args)
		return refuse_other(g, span);
	if (!place->fetches)
		place->fetches = arena_alloc_array(a, p->n_args, sizeof(*place->fetches));
	if (place->fetches)
		place->fetches[i] = arena_strndup(a, f->text, strlen(f->text));
	g->r->origins[i].n_found++;
	g->r->origins[i].n_gone += f->is_gone;
	return place->fetches && place->fetches[i] ? 0 : resolve_no_memory(g->r);
}

/* Adds an argument at the first place, which decides what is recorded. */
static int add_first(struct gathering *g, const struct fetch *f, const char *name, bool is_one,
		     struct span span)
{
	size_t i = g->r->out->probe.n_args;
	int r = resolve_add_arg(g->r, f, name, span);

	TRY(r);
	g->r->origins[i] = (struct arg_origin){g->number, NULL, 1, f->is_gone};
	if (is_one)
		return r;
	g->r->origins[i].variable = arena_strndup(&g->r->out->memory, name, strlen(name));
	return g->r->origins[i].variable ? r : resolve_no_memory(g->r);
}

/* Refuses an argument. The message names the places where it exists, or the available variables. */
static int refuse_gone(struct resolution *r, struct span span, const char *why, bool helps)
{
	return RESOLVE_REFUSE(r, span, -ENODATA, "%s%s", why,
			      helps ? "" : "; 'sonde probe vars' shows what can be");
}

/* Takes an argument. is_one: it was requested by this name, not through $vars. */
static int take_fetch(struct gathering *g, const struct fetch *f, const char *name, bool is_one,
		      struct span span)
{
	if (f->is_gone && (g->r->n_points < 2 || !g->r->prober->kernel.immediates))
		return refuse_gone(g->r, span, f->why, f->why_helps);
	if (f->is_gone) {
		memcpy(g->r->why_gone, f->why, sizeof(g->r->why_gone));
		g->r->why_gone_helps = f->why_helps;
	}
	if (*f->note)
		resolve_note(g->r, "%s", f->note);
	g->n++;
	return g->r->out->probe.n_places > 1 ? add_fetch(g, f, is_one ? NULL : name, span)
					     : add_first(g, f, name, is_one, span);
}

/*
 * Returns true for $params of a return that has no copies of them: the event of the entry has them,
 * and a recording joins both events.
 */
static bool is_of_entry(const struct gathering *g, const struct variable *v)
{
	return g->place->is_return && g->arg->value->kind == EXPRESSION_PARAMS &&
	       v->place.kind != PLACE_NOWHERE && !fetch_is_kept(g->place, v);
}

/*
 * Takes one of $vars. It is skipped with a note if it is not a single value, or does not exist
 * here.
 */
static int take_variable(void *ctx, const struct variable *v)
{
	struct gathering *g = ctx;
	struct errmsg err = {0};
	struct fetch f;

	if (!v->name || !*v->name)
		return 0;
	if (fetch_variable(g->place, v, g->arg->span, &f, &err) < 0 || f.is_gone) {
		if (err.code && is_of_entry(g, v)) {
			*g->r->err = err;
			return g->result = err.code;
		}
		if (!is_told(g->r, v->name))
			note_left_out(g->r, v->name, err.code ? err.text : f.why,
				      err.code ? errmsg_sentence_len(&err) : strlen(f.why));
		return 0;
	}
	g->result = take_fetch(g, &f, v->name, false, g->arg->span);
	return g->result;
}

static int take_many(struct gathering *g, const struct definition_arg *arg)
{
	const struct fetch_place *place = g->place;
	size_t before = g->n;

	g->arg = arg;
	if (place->mark_args) {
		for (unsigned i = 0; i < place->n_mark_args && g->result >= 0; i++) {
			struct expression e = {.kind = EXPRESSION_ARGUMENT, .number = i + 1};
			struct definition_arg one = {.value = &e, .span = arg->span};
			char name[FETCH_NAME_BYTES];
			struct fetch f;

			fetch_name(&e, name);
			if (!strcmp(place->mark_args[i], RESOLVE_UNREADABLE)) {
				resolve_note(g->r,
					     "%s of the mark %s is left out: it is kept in a way "
					     "that probes cannot read",
					     name, place->function);
				continue;
			}
			g->result = fetch_resolve(place, &one, &f, g->r->err);
			if (g->result >= 0)
				g->result = take_fetch(g, &f, name, false, arg->span);
		}
		return g->result;
	}
	if (!place->scope)
		return RESOLVE_REFUSE(g->r, arg->span, -ENOENT,
				      "the variables of %s are unknown: %s", place->function,
				      place->why_none);
	place->scope->ops->each(place->scope, arg->value->kind == EXPRESSION_PARAMS, take_variable,
				g);
	if (g->result >= 0 && g->n == before)
		resolve_note(g->r, "%s has no variables that can be recorded", place->function);
	return g->result;
}

static int take_one(struct gathering *g, const struct definition_arg *arg)
{
	char name[FETCH_NAME_BYTES];
	struct fetch f;
	int r;

	if (arg->value->kind == EXPRESSION_DURATION && arg->type)
		return RESOLVE_REFUSE(
			g->r, arg->type_span, -EINVAL,
			"$duration is nanoseconds in 64 bits and takes no type; omit it");
	if (arg->value->kind == EXPRESSION_DURATION) {
		g->r->out->probe.wants_duration = true;
		return 0;
	}
	if (arg->value->kind == EXPRESSION_VARS || arg->value->kind == EXPRESSION_PARAMS)
		return take_many(g, arg);
	r = fetch_resolve(g->place, arg, &f, g->r->err);
	TRY(r);
	fetch_name(arg->value, name);
	return take_fetch(g, &f, arg->name ? arg->name : name, true, arg->span);
}

int resolve_args(struct resolution *r, const struct fetch_place *place)
{
	struct gathering g = {.r = r, .place = place};
	int result = 0;

	for (; g.number < r->d->n_args && result >= 0; g.number++)
		result = take_one(&g, &r->d->args[g.number]);
	return result;
}

static void drop_arg(struct resolution *r, size_t i)
{
	struct probe *p = &r->out->probe;
	size_t n = --p->n_args - i;

	memmove(&p->args[i], &p->args[i + 1], n * sizeof(*p->args));
	memmove(&r->origins[i], &r->origins[i + 1], n * sizeof(*r->origins));
	for (size_t k = 0; k < p->n_places; k++)
		if (p->places[k].fetches)
			memmove(&p->places[k].fetches[i], &p->places[k].fetches[i + 1],
				n * sizeof(char *));
}

static void drop_apart(struct resolution *r)
{
	const struct probe *p = &r->out->probe;

	for (size_t i = p->n_args; i-- > 0;) {
		const struct arg_origin *o = &r->origins[i];

		if (!o->variable || o->n_found == p->n_places)
			continue;
		leave_apart(r, o->variable);
		drop_arg(r, i);
	}
	if (r->n_apart)
		resolve_note(r, "%s %s left out: %s not the same at all %zu places", r->apart,
			     r->n_apart == 1 ? "is" : "are", r->n_apart == 1 ? "it is" : "they are",
			     p->n_places);
}

int resolve_check_args(struct resolution *r)
{
	const struct probe *p = &r->out->probe;

	drop_apart(r);
	for (size_t i = 0; i < p->n_args; i++) {
		unsigned n_gone = r->origins[i].n_gone;

		if (n_gone && n_gone == p->n_places)
			return refuse_gone(r, p->args[i].span, r->why_gone, r->why_gone_helps);
		if (!n_gone)
			continue;
		resolve_gaps(r, i);
		resolve_note(r,
			     "%s does not exist at %u of %zu places; sonde shows ? there, "
			     "other programs 0xdeade12d",
			     p->args[i].name, n_gone, p->n_places);
	}
	return 0;
}

static bool has_kind(const struct definition *d, const enum expression_kind *kinds, size_t n)
{
	for (size_t i = 0; i < d->n_args; i++)
		for (const struct expression *e = d->args[i].value; e; e = e->left)
			for (size_t k = 0; k < n; k++)
				if (e->kind == kinds[k])
					return true;
	return false;
}

bool resolve_wants_variables(const struct definition *d)
{
	static const enum expression_kind kinds[] = {EXPRESSION_NAME, EXPRESSION_VARS,
						     EXPRESSION_PARAMS};

	return has_kind(d, kinds, ARRAY_LEN(kinds));
}

bool resolve_wants_registers(const struct definition *d)
{
	static const enum expression_kind kinds[] = {EXPRESSION_REGISTER};

	return has_kind(d, kinds, 1);
}

/*
 * --- which way -----------------------------------------------------------------------------------
 */

/*
 * Returns true if the target is a module. Modules have '_' in their names where their files may
 * have '-'.
 */
static bool is_module(const struct prober *p, const char *target, char name[PROBE_NAME_BYTES])
{
	char path[PATH_MAX];

	if (strchr(target, '/') || strlen(target) >= PROBE_NAME_BYTES)
		return false;
	snprintf(name, PROBE_NAME_BYTES, "%s", target);
	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : *c;
	snprintf(path, sizeof(path), "%s/%s",
		 p->world.btf_dir ? p->world.btf_dir : "/sys/kernel/btf", name);
	if (!access(path, F_OK))
		return true;
	/* a module without BTF; built-in code has no state */
	snprintf(path, sizeof(path), "/sys/module/%s/initstate", name);
	return !p->world.btf_dir && !access(path, F_OK);
}

static bool is_kernel(const char *target)
{
	return !strcmp(target, "kernel") || !strcmp(target, "vmlinux");
}

const char *resolve_program_of(const struct prober *p, const struct definition *d,
			       char path[PATH_MAX])
{
	char module[PROBE_NAME_BYTES];

	if (!d->target)
		return p->world.program;
	if (strchr(d->target, '/'))
		return resolve_is_module(d->target) ? NULL : d->target;
	if (resolve_is_event(p, d) || is_kernel(d->target) || is_module(p, d->target, module) ||
	    !findprogram(d->target, false, path))
		return NULL;
	return path;
}

static int resolve_in_kernel(struct resolution *r, const char *module)
{
	const char *f = r->d->function;

	if (f && strchr(f, '('))
		return RESOLVE_REFUSE(r, r->d->function_span, -EINVAL,
				      "parameters select among C++ functions, but the kernel "
				      "has none; omit them: '%.*s'",
				      (int)strcspn(f, "("), f);
	return resolve_kernel(r, module);
}

static int resolve_target(struct resolution *r)
{
	const char *target = r->d->target;
	char path[PATH_MAX], module[PROBE_NAME_BYTES];
	const char *program = resolve_program_of(r->prober, r->d, path);

	if (program)
		return resolve_program(r, program);
	if (resolve_is_of_command(r))
		return resolve_program(r, r->prober->world.command);
	if (!target)
		return resolve_in_kernel(r, r->prober->world.module);
	if (strchr(target, '/'))
		return resolve_in_kernel(r, target);
	if (resolve_is_event(r->prober, r->d))
		return resolve_event(r);
	if (is_kernel(target))
		return resolve_in_kernel(r, NULL);
	if (is_module(r->prober, target, module))
		return resolve_in_kernel(r, module);
	if (resolve_refuse_event(r))
		return r->err->code;
	return RESOLVE_REFUSE(
		r, r->d->target_span, -ENOENT,
		"'%s' is not a loaded module, a program in PATH, a library, or a system with "
		"an event %s; write its path, as in ./%s:%s",
		target, r->d->function ? r->d->function : "of that name", target,
		r->d->function ? r->d->function : "…");
}

/*
 * Returns true if the definition names a file, which probe_world.only_kernel forbids: a path, a
 * program by name, a mark, or a line for the kernel.
 */
static bool names_file(const struct resolution *r)
{
	const struct definition *d = r->d;
	char path[PATH_MAX];

	return d->form == DEFINITION_RAW || d->form == DEFINITION_MARK ||
	       (d->target && strchr(d->target, '/')) || resolve_program_of(r->prober, d, path);
}

static int resolve(struct resolution *r)
{
	int result;

	if (r->prober->world.only_kernel && names_file(r))
		return RESOLVE_REFUSE(
			r, r->d->target ? r->d->target_span : r->d->function_span, -EPERM,
			"only functions of the kernel can be probed here, not programs "
			"or files");
	if (r->d->form == DEFINITION_RAW)
		result = resolve_raw(r);
	else if (r->d->form == DEFINITION_MARK)
		result = resolve_mark(r);
	else
		result = resolve_target(r);
	TRY(result);
	if (r->d->form == DEFINITION_RAW)
		result = resolve_group_and_event(r, NULL, r->d->function, 0);
	return result < 0 ? result : resolve_filter(r);
}

int probe_resolve(struct prober *p, const struct definition *d, struct probe **ret_probe,
		  struct errmsg *err)
{
	struct resolved *out = calloc(1, sizeof(*out));
	struct resolution r = {.prober = p, .d = d, .out = out, .err = err};
	size_t n_names = textbuf_len(&p->names);
	int result;

	if (!out)
		return errmsg_set(err, -ENOMEM, "not enough memory for the probe");
	arena_init(&out->memory, PROBE_MEMORY_BYTES);
	textbuf_init(&out->scratch, TEXT_MAX_BYTES);
	out->probe.prober = p;
	out->probe.definition = d;
	out->probe.max_active = d->max_active;
	result = resolve(&r);
	if (result < 0) {
		p->names.pos -= textbuf_len(&p->names) - n_names; /* the name can be used again */
		probe_free(&out->probe);
		return result;
	}
	*ret_probe = &out->probe;
	return 0;
}

void probe_free(struct probe *p)
{
	struct resolved *out = (struct resolved *)p;

	if (!p)
		return;
	arena_release(&out->memory);
	textbuf_release(&out->scratch);
	free(out);
}
