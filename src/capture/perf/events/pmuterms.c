// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmuterms.c - the terms between the slashes: cpu/event=0x3c,umask=1,name=halted,period=1000/
 *
 * A term is looked for in this order:
 *
 *	the table below       config=, name=, period= …   the same for every PMU
 *	format/TERM           event=0x3c                  bits of config, config1 …, see below
 *	events/TERM           cas_count_read              its text is terms again, one level deep
 *	rHEX                  r1a8                        the whole config
 *	a hardware event      cycles                      for core PMUs, which need no name of their
 *	                                                  own
 *
 * A format is "config:0-7,32-35": the value's lowest eight bits go to the bits 0 to 7 of config,
 * the next four to 32 to 35. A value that needs more bits is refused: the kernel would count
 * something else. A term without a value means 1. An event whose text has "=?" wants a value from
 * the user: domain/event,core=3/.
 */
#include "capture/perf/events/pmus.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "capture/perf/events/builtin.h"
#include "capture/perf/events/pmufiles.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TERM_NAME_MAX  128
#define TERM_VALUE_MAX 256

struct term {
	char name[TERM_NAME_MAX];
	char value[TERM_VALUE_MAX];
	bool has_value;
	uint64_t number; /* of value, 1 without a value; valid if is_number */
	bool is_number;
};

struct terms {
	const struct pmu *pmu; /* NULL: none */
	struct perfevents_event *e;
	const char *text; /* all of it, for messages */
	int len;
	struct errmsg *err;
	bool in_event;		    /* the terms are the text of an event */
	char wanted[TERM_NAME_MAX]; /* the event's text says "wanted=?"; "" if not */
};

/*
 * --- terms that every event has -----------------------------------------------------------------
 */

static bool set_text(char **to, const char *value)
{
	free(*to);
	*to = strdup(value);
	return *to;
}

enum general {
	CONFIG,
	CONFIG1,
	CONFIG2,
	NAME,
	PERIOD,
	FREQ,
	CALL_GRAPH,
	STACK_SIZE,
	MAX_STACK,
	INHERIT,
	NO_INHERIT,
	OVERWRITE,
	NO_OVERWRITE,
	TIME,
	IGNORED,
};

static const struct general_row {
	const char *name;
	enum general what;
	bool is_number;
} general[] = {
	{"config", CONFIG, true},
	{"config1", CONFIG1, true},
	{"config2", CONFIG2, true},
	{"name", NAME, false},
	{"period", PERIOD, true},
	{"freq", FREQ, true},
	{"call-graph", CALL_GRAPH, false},
	{"stack-size", STACK_SIZE, true},
	{"max-stack", MAX_STACK, true},
	{"nr", IGNORED, true},
	{"inherit", INHERIT, true},
	{"no-inherit", NO_INHERIT, true},
	{"overwrite", OVERWRITE, true},
	{"no-overwrite", NO_OVERWRITE, true},
	{"time", TIME, true},
	{"percore", IGNORED, true},
	{"metric-id", IGNORED, false},
};

static bool apply_general(const struct general_row *row, const struct term *term,
			  struct perfevents_event *e)
{
	struct perfevents_wish *w = &e->wish;

	switch (row->what) {
	case CONFIG:
		e->attr.config = term->number;
		return true;
	case CONFIG1:
		e->attr.config1 = term->number;
		return true;
	case CONFIG2:
		e->attr.config2 = term->number;
		return true;
	case NAME:
		return set_text(&e->name, term->value);
	case PERIOD:
		e->attr.sample_period = w->period = term->number;
		e->attr.freq = 0;
		return true;
	case FREQ:
		e->attr.sample_freq = w->freq = term->number;
		e->attr.freq = 1;
		return true;
	case CALL_GRAPH:
		return set_text(&w->call_graph, term->value);
	case STACK_SIZE:
		w->stack_bytes = (uint32_t)term->number;
		return true;
	case MAX_STACK:
		w->max_stack = (uint32_t)term->number;
		return true;
	case INHERIT:
		w->inherit = term->number != 0;
		return true;
	case NO_INHERIT:
		w->inherit = term->number == 0;
		return true;
	case OVERWRITE:
		w->overwrite = term->number != 0;
		return true;
	case NO_OVERWRITE:
		w->overwrite = term->number == 0;
		return true;
	case TIME:
		w->time = term->number != 0;
		return true;
	case IGNORED:
		break;
	}
	return true;
}

/* Returns 1 if the term is one of every event's. */
static int try_general(const struct terms *t, const struct term *term)
{
	const struct general_row *row = ARRAY_FIND(general, ARRAY_LEN(general), i,
						   strcmp(general[i].name, term->name) == 0);

	if (!row)
		return 0;
	if (row->is_number && !term->is_number)
		return errmsg_set(t->err, -EINVAL, "event '%.*s': %s takes a number, not '%s'",
				  t->len, t->text, term->name, term->value);
	if (!row->is_number && !term->has_value)
		return errmsg_set(t->err, -EINVAL, "event '%.*s': %s needs a value: %s=…", t->len,
				  t->text, term->name, term->name);
	return apply_general(row, term, t->e) ? 1 : -ENOMEM;
}

/*
 * --- terms of a PMU -----------------------------------------------------------------------------
 */

static uint64_t *config_of(struct perfevents_event *e, const char *name, size_t len)
{
	if (len == 6 && memcmp(name, "config", 6) == 0)
		return (uint64_t *)&e->attr.config;
	if (len == 7 && memcmp(name, "config1", 7) == 0)
		return (uint64_t *)&e->attr.config1;
	if (len == 7 && memcmp(name, "config2", 7) == 0)
		return (uint64_t *)&e->attr.config2;
	return NULL;
}

/* Distributes the bits of value as the format says. Returns what did not fit. */
static uint64_t scatter(uint64_t *config, const char *ranges, uint64_t value)
{
	while (*ranges) {
		char *end;
		unsigned long low = strtoul(ranges, &end, 10), high = low;

		if (end == ranges)
			break;
		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		for (unsigned long bit = low; bit <= high && bit < 64; bit++) {
			*config = (*config & ~(UINT64_C(1) << bit)) | (value & 1) << bit;
			value >>= 1;
		}
		ranges = *end == ',' ? end + 1 : "";
	}
	return value;
}

static int try_format(const struct terms *t, const struct term *term)
{
	char dir[PMU_PATH_MAX + 16], format[PMU_TEXT_MAX];
	uint64_t *config;
	const char *colon;

	snprintf(dir, sizeof(dir), "%s/format", t->pmu->dir);
	if (strchr(term->name, '/') || term->name[0] == '.' ||
	    pmufiles_read(dir, term->name, format, sizeof(format)) <= 0)
		return 0;
	colon = strchr(format, ':');
	config = colon ? config_of(t->e, format, colon - format) : NULL;
	if (!config)
		return errmsg_set(t->err, -ENOTSUP,
				  "event '%.*s': sonde does not know the format '%s' of %s", t->len,
				  t->text, format, term->name);
	if (!term->is_number)
		return errmsg_set(t->err, -EINVAL, "event '%.*s': %s takes a number, not '%s'",
				  t->len, t->text, term->name, term->value);
	if (scatter(config, colon + 1, term->number))
		return errmsg_set(t->err, -ERANGE,
				  "event '%.*s': %s=%#" PRIx64 " is too large for its field (%s)",
				  t->len, t->text, term->name, term->number, format);
	return 1;
}

static int parse_list(struct terms *t, const char *text, size_t len);

/* An event's text has terms, and files beside it say how to print its count. */
static int try_event(struct terms *t, const struct term *term)
{
	char dir[PMU_PATH_MAX + 16], text[PMU_TEXT_MAX], file[TERM_NAME_MAX + 16];
	int n;

	if (t->in_event || term->has_value ||
	    !pmus_has_event(t->pmu, term->name, strlen(term->name)))
		return 0;
	snprintf(dir, sizeof(dir), "%s/events", t->pmu->dir);
	n = pmufiles_read(dir, term->name, text, sizeof(text));
	if (n <= 0)
		return 0;
	t->in_event = true;
	TRY(parse_list(t, text, n));
	t->in_event = false;
	snprintf(file, sizeof(file), "%s.unit", term->name);
	if (pmufiles_read(dir, file, text, sizeof(text)) > 0 && !set_text(&t->e->unit, text))
		return -ENOMEM;
	snprintf(file, sizeof(file), "%s.scale", term->name);
	if (pmufiles_read(dir, file, text, sizeof(text)) > 0)
		t->e->scale = strtod(text, NULL);
	snprintf(file, sizeof(file), "%s.snapshot", term->name);
	t->e->is_snapshot |= pmufiles_read(dir, file, text, sizeof(text)) > 0 && text[0] == '1';
	snprintf(file, sizeof(file), "%s.per-pkg", term->name);
	t->e->is_per_package |= pmufiles_read(dir, file, text, sizeof(text)) > 0 && text[0] == '1';
	return 1;
}

static int try_raw(const struct terms *t, const struct term *term)
{
	char *end;

	if (term->has_value || term->name[0] != 'r' || !term->name[1])
		return 0;
	uint64_t config = strtoull(term->name + 1, &end, 16);

	if (*end)
		return 0;
	t->e->attr.config = config;
	return 1;
}

/*
 * A core PMU counts the events that every processor has; its type selects it on a hybrid machine.
 */
static int try_builtin(const struct terms *t, const struct term *term)
{
	struct builtin_event event;

	if (!t->pmu->is_core || term->has_value ||
	    !builtin_find(term->name, strlen(term->name), &event) ||
	    (event.kind != PERFEVENTS_HARDWARE && event.kind != PERFEVENTS_CACHE))
		return 0;
	t->e->attr.type = event.type;
	t->e->attr.config = event.config;
	if (t->pmu->cpus[0])
		t->e->attr.config |= (uint64_t)t->pmu->type << PERF_PMU_TYPE_SHIFT;
	return 1;
}

static int add_format_names(const struct pmu *pmu, struct spelling *sp, struct dirent ***ret)
{
	char path[PMU_PATH_MAX + 16];
	int n;

	snprintf(path, sizeof(path), "%s/format", pmu->dir);
	n = scandir(path, ret, NULL, alphasort);
	for (int i = 0; i < n; i++)
		if ((*ret)[i]->d_name[0] != '.')
			spelling_add(sp, (*ret)[i]->d_name);
	return n;
}

struct nearest {
	struct spelling *sp;
	unsigned distance;
	char name[PMU_NAME_MAX];
};

static int note_near(void *ctx, const struct pmu *pmu, const char *event, const char *unit)
{
	struct nearest *n = ctx;

	spelling_add(n->sp, event);
	if (n->sp->nearest == event) {
		snprintf(n->name, sizeof(n->name), "%s", event);
		n->sp->nearest = n->name;
	}
	return 0;
}

static int refuse_term(const struct terms *t, const struct term *term)
{
	struct spelling sp;
	struct nearest near = {.sp = &sp};
	struct dirent **formats = NULL;
	int n = 0, r;

	spelling_init(&sp, term->name, strlen(term->name));
	for (size_t i = 0; i < ARRAY_LEN(general); i++)
		spelling_add(&sp, general[i].name);
	if (t->pmu) {
		n = add_format_names(t->pmu, &sp, &formats);
		pmus_each_event(t->pmu, note_near, &near);
	}
	r = errmsg_set(t->err, -ENOENT, "event '%.*s': %s has no event or field '%s'%s%s%s", t->len,
		       t->text, t->pmu ? t->pmu->name : "it", term->name,
		       sp.nearest ? "; did you mean '" : "", sp.nearest ? sp.nearest : "",
		       sp.nearest ? "'?" : "");
	for (int i = 0; i < n; i++)
		free(formats[i]);
	free(formats);
	return r;
}

static int apply(struct terms *t, const struct term *term)
{
	int r = try_general(t, term);

	if (r)
		return r;
	if (!t->pmu)
		return refuse_term(t, term);
	if (t->in_event && term->has_value && strcmp(term->value, "?") == 0) {
		snprintf(t->wanted, sizeof(t->wanted), "%s", term->name);
		return 0;
	}
	if (strcmp(t->wanted, term->name) == 0)
		t->wanted[0] = '\0';
	r = try_format(t, term);
	if (!r)
		r = try_event(t, term);
	if (!r)
		r = try_raw(t, term);
	if (!r)
		r = try_builtin(t, term);
	return r ? r : refuse_term(t, term);
}

/*
 * --- the list -----------------------------------------------------------------------------------
 */

/* Takes NAME[=VALUE] from *text up to a comma. A value may be in quotes. */
static int take_term(const struct terms *t, const char **text, const char *end, struct term *ret)
{
	const char *p = *text, *start = p;
	char *stop;
	size_t len;

	*ret = (struct term){.number = 1, .is_number = true};
	while (p < end && *p != ',' && *p != '=')
		p++;
	snprintf(ret->name, sizeof(ret->name), "%.*s", (int)(p - start), start);
	if (p < end && *p == '=') {
		const char *value = ++p;
		char quote = p < end && (*p == '\'' || *p == '"') ? *p : 0;

		if (quote) {
			value = ++p;
			while (p < end && *p != quote)
				p++;
			len = p - value;
			p += p < end;
		} else {
			while (p < end && *p != ',')
				p++;
			len = p - value;
		}
		if (len >= sizeof(ret->value))
			return errmsg_set(t->err, -EINVAL,
					  "event '%.*s': the value of %s is too long", t->len,
					  t->text, ret->name);
		memcpy(ret->value, value, len);
		ret->has_value = true;
		errno = 0;
		ret->number = strtoull(ret->value, &stop, 0);
		ret->is_number = !errno && len && !*stop && ret->value[0] != '-';
	}
	*text = p + (p < end && *p == ',');
	return 0;
}

static int parse_list(struct terms *t, const char *text, size_t len)
{
	const char *end = text + len;
	struct term term;

	while (text < end) {
		TRY(take_term(t, &text, end, &term));
		if (!term.name[0])
			continue;
		TRY(apply(t, &term));
	}
	return 0;
}

int pmus_parse_terms(const struct pmu *pmu, const char *terms, size_t len,
		     struct perfevents_event *e, struct errmsg *err)
{
	struct terms t = {.pmu = pmu, .e = e, .text = terms, .len = (int)len, .err = err};

	TRY(parse_list(&t, terms, len));
	if (t.wanted[0])
		return errmsg_set(err, -EINVAL, "event '%.*s' needs a value: add %s=NUMBER",
				  (int)len, terms, t.wanted);
	return 0;
}
