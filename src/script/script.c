// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script.c - decides which function of a script an item of a replay belongs to.
 *
 * Names are looked up once: those of calls when the script is opened, those of an event when it
 * first comes. UFTRACE_FUNCS or SONDE_FUNCS, a list in the script, restricts entry and exit to
 * functions whose names match one of its patterns: regular expressions as in uftrace, globs in
 * sonde's own. A function's name is compared once.
 */
#include "script/script.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/formats/event.h"
#include "decode/formats/formats.h"
#include "script/context_int.h"
#include "script/language.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATTERNS_MAX  10000
#define FUNCTIONS_MAX (1u << 20)

static const struct language *const languages[] = {&language_lua, &language_python};

enum hook { HOOK_BEGIN, HOOK_ENTRY, HOOK_EXIT, HOOK_EVENT, HOOK_LOST, HOOK_END, HOOK_N };

/* Whose names a function has. */
enum dialect { DIALECT_SONDE, DIALECT_UFTRACE, DIALECT_PERF, DIALECT_N };

/* In each row the first name that the script defines counts. */
static const char *const hook_names[HOOK_N][DIALECT_N] = {
	[HOOK_BEGIN] = {"sonde_begin", "uftrace_begin", "trace_begin"},
	[HOOK_ENTRY] = {"sonde_entry", "uftrace_entry", NULL},
	[HOOK_EXIT] = {"sonde_exit", "uftrace_exit", NULL},
	[HOOK_EVENT] = {"sonde_event", "uftrace_event", "trace_unhandled"},
	[HOOK_LOST] = {"sonde_lost", NULL, NULL},
	[HOOK_END] = {"sonde_end", "uftrace_end", "trace_end"},
};

enum chosen { CHOSEN_UNKNOWN, CHOSEN_NO, CHOSEN_YES };

struct pattern {
	char *glob;
	regex_t regex;
	bool has_regex;
};

struct script {
	const struct script_spec *spec;
	const struct language *lang;
	void *run;
	struct formats *f;
	struct context ctx;
	int hooks[HOOK_N];
	enum dialect dialects[HOOK_N];
	int *by_event; /* by event id: a function + 2; 0: not looked up */
	bool has_event_functions;
	struct pattern *patterns;
	size_t n_patterns, cap_patterns;
	uint8_t *chosen; /* by number of the function: enum chosen */
	size_t cap_chosen;
	bool is_over;
};

/*
 * --- which functions of the script -------------------------------------------------------------
 */

static void find_hooks(struct script *s)
{
	for (size_t h = 0; h < HOOK_N; h++) {
		s->hooks[h] = LANGUAGE_NONE;
		for (size_t i = 0; i < DIALECT_N && hook_names[h][i] && s->hooks[h] < 0; i++) {
			s->hooks[h] = s->lang->find(s->run, hook_names[h][i]);
			s->dialects[h] = (enum dialect)i;
		}
	}
}

/* SYSTEM__NAME, or the function for all events. */
static int find_for_event(struct script *s, const struct event *ev)
{
	char name[256];
	int function;

	snprintf(name, sizeof(name), "%s__%s", ev->system ? ev->system : "", ev->name);
	function = s->lang->find(s->run, name);
	return function >= 0 ? function : s->hooks[HOOK_EVENT];
}

static int function_of_event(struct script *s, const struct event *ev)
{
	int *known = (size_t)ev->id < s->f->n_table ? &s->by_event[ev->id] : NULL;

	if (!known)
		return find_for_event(s, ev);
	if (!*known)
		*known = find_for_event(s, ev) + 2;
	return *known - 2;
}

/*
 * --- which functions of the trace --------------------------------------------------------------
 */

static void add_glob(void *ctx, const char *text)
{
	struct script *s = ctx;

	if (ARRAY_ROOM(s->patterns, s->cap_patterns, s->n_patterns + 1, PATTERNS_MAX))
		s->patterns[s->n_patterns++] = (struct pattern){.glob = strdup(text)};
}

static void add_regex(void *ctx, const char *text)
{
	struct script *s = ctx;
	struct pattern *p;

	add_glob(ctx, text);
	p = s->n_patterns ? &s->patterns[s->n_patterns - 1] : NULL;
	/* A plain name must be the whole name, as in uftrace. */
	if (p && strpbrk(text, ".?*+-^$|()[]{}"))
		p->has_regex = !regcomp(&p->regex, text, REG_EXTENDED | REG_NOSUB);
}

static bool is_match(const struct pattern *p, const char *name)
{
	if (p->has_regex)
		return !regexec(&p->regex, name, 0, NULL, 0);
	return p->glob && !fnmatch(p->glob, name, 0);
}

static bool matches_any(const struct script *s, const char *name)
{
	for (size_t i = 0; i < s->n_patterns; i++)
		if (is_match(&s->patterns[i], name))
			return true;
	return !s->n_patterns;
}

static bool is_chosen(struct script *s, const struct flow_func *fn)
{
	if (!s->n_patterns || !fn)
		return true;
	if (!ARRAY_ROOM(s->chosen, s->cap_chosen, (size_t)fn->number + 1, FUNCTIONS_MAX))
		return matches_any(s, fn->name);
	if (s->chosen[fn->number] == CHOSEN_UNKNOWN)
		s->chosen[fn->number] = matches_any(s, fn->name) ? CHOSEN_YES : CHOSEN_NO;
	return s->chosen[fn->number] == CHOSEN_YES;
}

/*
 * --- calls -------------------------------------------------------------------------------------
 */

static int call(struct script *s, struct errmsg *err)
{
	int r = s->lang->call(s->run, err);

	s->is_over |= r > 0;
	return r;
}

int script_begin(struct script *s, struct errmsg *err)
{
	if (s->hooks[HOOK_BEGIN] < 0 || s->is_over)
		return s->is_over;
	if (s->dialects[HOOK_BEGIN] == DIALECT_PERF) {
		s->lang->start(s->run, s->hooks[HOOK_BEGIN], false, 0);
		return call(s, err);
	}
	s->lang->start(s->run, s->hooks[HOOK_BEGIN], true, 4);
	context_put_begin(&s->ctx, s->spec);
	return call(s, err);
}

static int add_call(struct script *s, enum hook hook, const struct replay_item *item,
		    struct errmsg *err)
{
	if (s->hooks[hook] < 0 || !is_chosen(s, item->func))
		return 0;
	s->lang->start(s->run, s->hooks[hook], true, 10);
	context_put_call(&s->ctx, item, s->dialects[hook] == DIALECT_UFTRACE);
	return call(s, err);
}

static int add_event(struct script *s, const struct replay_item *item, struct errmsg *err)
{
	int function = function_of_event(s, item->record->event);

	if (function < 0)
		return 0;
	s->lang->start(s->run, function, true, 12);
	context_put_event(&s->ctx, item, s->dialects[HOOK_EVENT] == DIALECT_UFTRACE);
	return call(s, err);
}

static int add_loss(struct script *s, const struct replay_item *item, struct errmsg *err)
{
	if (s->hooks[HOOK_LOST] < 0)
		return 0;
	s->lang->start(s->run, s->hooks[HOOK_LOST], true, 3);
	context_put_loss(&s->ctx, item);
	return call(s, err);
}

int script_add(struct script *s, const struct replay_item *item, struct errmsg *err)
{
	if (s->is_over)
		return 1;
	switch (item->kind) {
	case REPLAY_ENTER:
		return add_call(s, HOOK_ENTRY, item, err);
	case REPLAY_LEAVE:
		return add_call(s, HOOK_EXIT, item, err);
	case REPLAY_OPEN:
		/* uftrace knows no such calls: a script for it must not see a return */
		return s->dialects[HOOK_EXIT] == DIALECT_UFTRACE
			       ? 0
			       : add_call(s, HOOK_EXIT, item, err);
	case REPLAY_EVENT:
		return add_event(s, item, err);
	case REPLAY_LOST:
		return add_loss(s, item, err);
	default:
		return 0;
	}
}

int script_add_event(struct script *s, const struct replay_item *item,
		     const struct script_event *event, struct errmsg *err)
{
	if (s->is_over || s->hooks[HOOK_EVENT] < 0)
		return s->is_over;
	s->lang->start(s->run, s->hooks[HOOK_EVENT], true, 8);
	context_put_foreign(&s->ctx, item, event, s->dialects[HOOK_EVENT] == DIALECT_UFTRACE);
	return call(s, err);
}

int script_end(struct script *s, int *ret_status, struct errmsg *err)
{
	if (!s->is_over && s->hooks[HOOK_END] >= 0) {
		s->lang->start(s->run, s->hooks[HOOK_END], false, 0);
		TRY(call(s, err));
	}
	return s->lang->end(s->run, ret_status, err);
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

static const struct language *find_language(const char *path)
{
	const char *point = strrchr(path, '.');

	for (size_t i = 0; point && i < ARRAY_LEN(languages); i++)
		if (!strcmp(point, languages[i]->ending))
			return languages[i];
	return NULL;
}

const char *script_example(const char *language)
{
	for (size_t i = 0; i < ARRAY_LEN(languages); i++)
		if (!strcmp(language, languages[i]->ending + 1))
			return languages[i]->example;
	return !strcmp(language, "python") ? language_python.example : NULL;
}

static int check_hooks(const struct script *s, struct errmsg *err)
{
	for (size_t h = 0; h < HOOK_N; h++)
		if (s->hooks[h] >= 0)
			return 0;
	return s->has_event_functions
		       ? 0
		       : errmsg_set(err, -ENOEXEC,
				    "%s defines none of the functions that sonde calls: "
				    "sonde_begin, sonde_entry, sonde_exit, sonde_event, sonde_end "
				    "(sonde script --example prints a script)",
				    s->spec->path);
}

static int load(struct script *s, struct errmsg *err)
{
	TRY(s->lang->open(&s->run, s->spec, err));
	s->by_event = calloc((s->f ? s->f->n_table : 0) + 1, sizeof(*s->by_event));
	if (!s->by_event || context_init(&s->ctx, s->lang, s->run, s->f) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot run %s", s->spec->path);
	find_hooks(s);
	s->has_event_functions = s->lang->has_event_functions(s->run);
	s->lang->each(s->run, "SONDE_FUNCS", add_glob, s);
	s->lang->each(s->run, "UFTRACE_FUNCS", add_regex, s);
	return check_hooks(s, err);
}

int script_open(struct script **ret, const struct script_spec *spec, struct formats *f,
		struct errmsg *err)
{
	const struct language *lang = find_language(spec->path);
	SCOPED(script_close_scoped) struct script *s = NULL;

	if (!lang)
		return errmsg_set(err, -EINVAL,
				  "%s is neither a Lua nor a Python script: its name must end with "
				  ".lua or .py",
				  spec->path);
	if (access(spec->path, R_OK) < 0)
		return errmsg_set_errno(err, -errno, "cannot read %s", spec->path);
	s = calloc(1, sizeof(*s));
	if (!s)
		return errmsg_set_errno(err, -ENOMEM, "cannot run %s", spec->path);
	*s = (struct script){.spec = spec, .lang = lang, .f = f};
	TRY(load(s, err));
	*ret = TAKE(s);
	return 0;
}

bool script_wants_events(const struct script *s)
{
	return s->hooks[HOOK_EVENT] >= 0 || s->has_event_functions;
}

void script_close(struct script *s)
{
	if (!s)
		return;
	if (s->run)
		s->lang->shut(s->run);
	context_release(&s->ctx);
	for (size_t i = 0; i < s->n_patterns; i++) {
		free(s->patterns[i].glob);
		if (s->patterns[i].has_regex)
			regfree(&s->patterns[i].regex);
	}
	free(s->patterns);
	free(s->chosen);
	free(s->by_event);
	free(s);
}
