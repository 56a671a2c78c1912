// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * trigger.c - parses filters and triggers, and finds the functions that they name.
 *
 *	NAME [@ WORD [, WORD]…] [; …]
 *
 * A word is an action, a value (arg1/s), or the name of a library. Words that are none of these
 * name a library that does not exist: then nothing matches, which the caller reports.
 */
#include "analyse/uftrace/trigger.h"

#include "base/array.h"
#include "base/scope.h"

#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PROTOTYPES_MAX	65536
#define TRIGGERS_MAX	(4u << 20)
#define ARENA_MAX_BYTES (512u << 20)

void uft_triggers_init(struct uft_triggers *t, bool is_glob)
{
	*t = (struct uft_triggers){.is_glob = is_glob};
	arena_init(&t->arena, ARENA_MAX_BYTES);
}

void uft_triggers_release(struct uft_triggers *t)
{
	map_release(&t->by_sym);
	arena_release(&t->arena);
}

/* How a name is compared. */
struct pattern {
	const char *text;
	enum { PATTERN_PLAIN, PATTERN_REGEX, PATTERN_GLOB, PATTERN_NONE } kind;
	regex_t regex;
};

static void pattern_init(struct pattern *p, const char *text, bool is_glob)
{
	p->text = text;
	if (!text[strcspn(text, is_glob ? "?*[]{}" : ".?*+-^$|()[]{}\\")])
		p->kind = PATTERN_PLAIN;
	else if (is_glob)
		p->kind = PATTERN_GLOB;
	else
		p->kind = regcomp(&p->regex, text, REG_NOSUB | REG_EXTENDED) ? PATTERN_NONE
									     : PATTERN_REGEX;
}

static void pattern_release(struct pattern *p)
{
	if (p->kind == PATTERN_REGEX)
		regfree(&p->regex);
}

static bool pattern_matches(const struct pattern *p, const char *name)
{
	switch (p->kind) {
	case PATTERN_PLAIN:
		return !strcmp(p->text, name);
	case PATTERN_REGEX:
		return !regexec(&p->regex, name, 0, NULL, 0);
	case PATTERN_GLOB:
		return !fnmatch(p->text, name, 0);
	case PATTERN_NONE:
		break;
	}
	return false;
}

/* One word, taken apart. */
struct word {
	const char *name, *module;
	bool only_plt, is_kernel;
	struct uft_trigger tr;
};

static uint64_t parse_time(const char *s)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	char *end;
	uint64_t v = strtoull(s, &end, 0);

	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (!strncmp(end, units[i].unit, strlen(units[i].unit)))
			return v * units[i].ns;
	return v;
}

static bool parse_depth(struct uft_trigger *tr, const char *s)
{
	tr->depth = (int)strtol(s, NULL, 10);
	return true;
}

static bool parse_limit_time(struct uft_trigger *tr, const char *s)
{
	tr->time_ns = parse_time(s);
	return true;
}

static bool parse_limit_size(struct uft_trigger *tr, const char *s)
{
	tr->size = (uint32_t)strtoul(s, NULL, 0);
	return true;
}

static bool parse_colour(struct uft_trigger *tr, const char *s)
{
	static const struct {
		const char *name;
		char code;
	} colours[] = {{"red", 'R'},	 {"green", 'G'}, {"blue", 'B'}, {"yellow", 'Y'},
		       {"magenta", 'M'}, {"cyan", 'C'},	 {"gray", 'g'}, {"bold", 'b'}};

	for (size_t i = 0; i < ARRAY_LEN(colours); i++)
		if (!strcmp(s, colours[i].name))
			tr->colour = colours[i].code;
	return tr->colour;
}

static const struct {
	const char *name;
	unsigned action;
	bool (*parse)(struct uft_trigger *tr, const char *value); /* NULL: takes no value */
} actions[] = {
	{"filter", UFT_DO_SELECT, NULL},	  {"notrace", UFT_DO_EXCLUDE, NULL},
	{"depth=", UFT_DO_DEPTH, parse_depth},	  {"time=", UFT_DO_TIME, parse_limit_time},
	{"size=", UFT_DO_SIZE, parse_limit_size}, {"color=", UFT_DO_COLOUR, parse_colour},
	{"backtrace", UFT_DO_BACKTRACE, NULL},	  {"trace", UFT_DO_KEEP, NULL},
	{"trace_on", UFT_DO_SWITCH_ON, NULL},	  {"traceon", UFT_DO_SWITCH_ON, NULL},
	{"trace-on", UFT_DO_SWITCH_ON, NULL},	  {"trace_off", UFT_DO_SWITCH_OFF, NULL},
	{"traceoff", UFT_DO_SWITCH_OFF, NULL},	  {"trace-off", UFT_DO_SWITCH_OFF, NULL},
	{"caller", UFT_DO_CALLER, NULL},	  {"hide", UFT_DO_HIDE, NULL},
	{"finish", UFT_DO_FINISH, NULL},	  {"recover", UFT_DO_NOTHING, NULL},
	{"auto-args", UFT_DO_NOTHING, NULL},
};

static bool parse_action(struct word *w, const char *text)
{
	for (size_t i = 0; i < ARRAY_LEN(actions); i++) {
		size_t len = strlen(actions[i].name);

		if (actions[i].parse ? strncasecmp(text, actions[i].name, len)
				     : strcasecmp(text, actions[i].name))
			continue;
		if (actions[i].parse && !actions[i].parse(&w->tr, text + len))
			return false;
		w->tr.actions |= actions[i].action;
		return true;
	}
	if (!strncasecmp(text, "read=", 5)) {
		w->tr.actions |= UFT_DO_NOTHING;
		return true;
	}
	return false;
}

static int parse_value(struct uft_triggers *t, struct word *w, const char *text)
{
	struct uft_arg arg;

	if (!uft_arg_parse(text, &t->arena, &arg))
		return 0;
	w->tr.actions |= arg.number == UFT_ARG_RETVAL ? UFT_DO_RETVAL : UFT_DO_ARGS;
	return uft_arg_add(&w->tr.args, &t->arena, &arg);
}

/* The words behind the name; text is taken apart. */
static int parse_words(struct uft_triggers *t, struct word *w, char *text)
{
	for (char *next; text && *text; text = next) {
		next = strchr(text, ',');
		if (next)
			*next++ = 0;
		if (uft_arg_is_spec(text)) {
			if (parse_value(t, w, text) < 0)
				return -ENOMEM;
		} else if (parse_action(w, text)) {
			continue;
		} else if (!strcasecmp(text, "plt")) {
			w->only_plt = true;
		} else if (!strcasecmp(text, "kernel")) {
			w->is_kernel = true;
		} else {
			w->module = text;
		}
	}
	return 0;
}

static struct uft_trigger *take_trigger(struct uft_triggers *t, const struct uft_sym *sym)
{
	void **slot = map_take(&t->by_sym, (uintptr_t)sym, TRIGGERS_MAX);

	if (slot && !*slot)
		*slot = arena_alloc(&t->arena, sizeof(struct uft_trigger));
	return slot ? *slot : NULL;
}

static int add_trigger(struct uft_triggers *t, const struct uft_sym *sym,
		       const struct uft_trigger *tr, bool is_exact, bool is_auto)
{
	struct uft_trigger *to = take_trigger(t, sym);

	if (!to)
		return -ENOMEM;
	if (tr->actions & (UFT_DO_SELECT | UFT_DO_EXCLUDE))
		to->actions &= ~(unsigned)(UFT_DO_SELECT | UFT_DO_EXCLUDE);
	to->actions |= tr->actions;
	if (tr->actions & UFT_DO_DEPTH)
		to->depth = tr->depth;
	if (tr->actions & UFT_DO_TIME)
		to->time_ns = tr->time_ns;
	if (tr->actions & UFT_DO_SIZE)
		to->size = tr->size;
	if (tr->actions & UFT_DO_COLOUR)
		to->colour = tr->colour;
	for (const struct uft_arg *a = tr->args; a; a = a->next) {
		struct uft_arg copy = *a;

		copy.is_exact = is_exact;
		copy.is_auto = is_auto;
		if (uft_arg_add(&to->args, &t->arena, &copy) < 0)
			return -ENOMEM;
	}
	return 0;
}

static bool is_function(const struct uft_sym *s)
{
	return strchr("TtwWVPi", s->type);
}

static bool word_matches(const struct word *w, const struct pattern *p, enum uft_word_kind kind,
			 const struct uft_sym *s)
{
	if (!is_function(s) || (w->only_plt && s->type != UFT_SYM_PLT))
		return false;
	if (kind != UFT_WORDS_FILE)
		return pattern_matches(p, s->name);
	return s->dbg && s->dbg->file && pattern_matches(p, s->dbg->file);
}

static int add_in_module(struct uft_triggers *t, const struct uft_module *m, const struct word *w,
			 const struct pattern *p, enum uft_word_kind kind)
{
	int n = 0;

	for (size_t i = 0; i < m->n_syms; i++) {
		if (!word_matches(w, p, kind, &m->syms[i]))
			continue;
		if (add_trigger(t, &m->syms[i], &w->tr, p->kind == PATTERN_PLAIN, false) < 0)
			return -ENOMEM;
		n++;
	}
	return n;
}

/* Applies a word to all files, or to the one that it names. */
static int add_word(struct uft_triggers *t, const struct uft_names *names, const struct word *w,
		    enum uft_word_kind kind)
{
	struct pattern p;
	int n = 0;

	pattern_init(&p, w->name, t->is_glob);
	for (size_t i = 0; n >= 0 && i < names->n_modules && !w->is_kernel; i++) {
		const struct uft_module *m = names->modules[i];
		int r;

		if (w->module && strncmp(uft_basename(m->path), w->module, strlen(w->module)))
			continue;
		r = add_in_module(t, m, w, &p, kind);
		n = r < 0 ? r : n + r;
	}
	if (w->is_kernel && names->kernel)
		n = add_in_module(t, names->kernel, w, &p, kind);
	pattern_release(&p);
	return n;
}

/* What an option means besides its actions. */
static void add_kind(struct word *w, enum uft_word_kind kind)
{
	static const unsigned by_kind[] = {
		[UFT_WORDS_FILTER] = UFT_DO_SELECT,
		[UFT_WORDS_CALLER] = UFT_DO_CALLER,
		[UFT_WORDS_HIDE] = UFT_DO_HIDE,
		[UFT_WORDS_FILE] = UFT_DO_WANT_FILE,
		[UFT_WORDS_RETVAL] = 0,
	};

	w->tr.actions |= by_kind[kind];
	if (w->name[0] == '!') {
		w->name++;
		w->tr.actions &= ~(unsigned)UFT_DO_SELECT;
		w->tr.actions |= UFT_DO_EXCLUDE;
	}
	if (kind == UFT_WORDS_FILE && w->tr.actions & (UFT_DO_HIDE | UFT_DO_EXCLUDE)) {
		w->tr.actions &= ~(unsigned)(UFT_DO_HIDE | UFT_DO_WANT_FILE | UFT_DO_EXCLUDE);
		w->tr.actions |= UFT_DO_DROP_FILE;
	}
}

int uft_triggers_add(struct uft_triggers *t, const struct uft_names *names, enum uft_word_kind kind,
		     const char *words)
{
	char *text = arena_strndup(&t->arena, words, strlen(words));
	int total = 0;

	if (!text)
		return -ENOMEM;
	for (char *next; text && *text; text = next) {
		struct word w = {.name = text};
		char *at;
		int n;

		next = strchr(text, ';');
		if (next)
			*next++ = 0;
		at = strchr(text, '@');
		if (at)
			*at++ = 0;
		if (parse_words(t, &w, at) < 0)
			return -ENOMEM;
		add_kind(&w, kind);
		n = w.tr.actions ? add_word(t, names, &w, kind) : 0;
		if (n < 0)
			return n;
		t->has_selected |= n && w.tr.actions & UFT_DO_SELECT;
		t->has_files |= n && w.tr.actions & UFT_DO_WANT_FILE;
		t->has_callers |= n && w.tr.actions & UFT_DO_CALLER;
		total += n;
	}
	return total;
}

/* Adds the values of a text "@arg1,arg2/s" to a function. */
static int add_values(struct uft_triggers *t, const struct uft_sym *sym, const char *spec)
{
	struct word w = {.name = ""};
	char *text = arena_strndup(&t->arena, spec + (*spec == '@'), strlen(spec + (*spec == '@')));

	if (!text || parse_words(t, &w, text) < 0)
		return -ENOMEM;
	return w.tr.args ? add_trigger(t, sym, &w.tr, false, true) : 0;
}

/* The prototypes of the C library, "NAME@arg1/s;…", by the names that are shown. */
struct prototypes {
	struct prototype {
		const char *name, *spec;
	} * list;
	size_t n, cap;
};

static int parse_prototypes(struct prototypes *p, struct uft_triggers *t, const char *table,
			    enum uft_names_how how)
{
	while (table && *table) {
		size_t len = strcspn(table, ";"), n = strcspn(table, "@;");
		char *raw = arena_strndup(&t->arena, table, n);
		struct prototype e = {0};

		if (n < len) {
			e.spec = arena_strndup(&t->arena, table + n + 1, len - n - 1);
			e.name = raw ? uft_name_shown(&t->arena, raw, how) : NULL;
			if (!e.spec || !e.name ||
			    !ARRAY_ROOM(p->list, p->cap, p->n + 1, PROTOTYPES_MAX))
				return -ENOMEM;
			p->list[p->n++] = e;
		}
		table += len + (table[len] == ';');
	}
	return 0;
}

static int add_from_table(struct uft_triggers *t, const struct uft_sym *sym,
			  const struct prototypes *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->list[i].name, sym->name))
			return add_values(t, sym, p->list[i].spec);
	return 0;
}

static int add_auto(struct uft_triggers *t, const struct uft_sym *sym,
		    const struct prototypes *args, const struct prototypes *retvals)
{
	const struct uft_dbg *d = sym->dbg;

	if (!d) {
		TRY(add_from_table(t, sym, args));
		return add_from_table(t, sym, retvals);
	}
	if (d->args)
		TRY(add_values(t, sym, d->args));
	return d->retval ? add_values(t, sym, d->retval) : 0;
}

static int add_all_auto(struct uft_triggers *t, const struct uft_names *names,
			const struct prototypes *args, const struct prototypes *retvals)
{
	for (size_t i = 0; i < names->n_modules; i++) {
		const struct uft_module *m = names->modules[i];

		for (size_t k = 0; k < m->n_syms; k++)
			if (is_function(&m->syms[k]))
				TRY(add_auto(t, &m->syms[k], args, retvals));
	}
	return 0;
}

int uft_triggers_add_auto(struct uft_triggers *t, const struct uft_names *names, const char *args,
			  const char *retvals)
{
	struct prototypes a = {0}, r = {0};
	int result = parse_prototypes(&a, t, args, names->how);

	if (result >= 0)
		result = parse_prototypes(&r, t, retvals, names->how);
	if (result >= 0)
		result = add_all_auto(t, names, &a, &r);
	free(a.list);
	free(r.list);
	return result;
}
