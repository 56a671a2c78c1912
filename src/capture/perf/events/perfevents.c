// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfevents.c - reads a list of events, as -e of perf takes it, from left to right.
 *
 *	cycles:u , { instructions , sched:sched_switch/max-stack=3/ } :S , cpu/event=0x3c/k ,
 *	mem:0x1000/4:w
 *	word mods    group                                       mods    word  terms  mods
 *
 * The first word decides. Up to the next ',', '}', '/' or ':' it is
 *
 *	mem                             a breakpoint, which has its own form
 *	a name of every machine         builtin.c
 *	r and hexadecimal digits        raw, of the processor's PMU
 *	before '/': a PMU               pmus.c; several alike give several events
 *	an event of a PMU               its directory events/ has the name
 *	before ':', or with * or ?      a system of tracepoints
 *	anything else                   a tracepoint without its system, if only one has the name
 *
 * so cycles:u is an event with a modifier, and sched:u would be a tracepoint. On a hybrid processor
 * (two PMUs of cores, none named "cpu") a hardware event becomes one event of each PMU.
 *
 * Defaults are perf's: nothing is excluded but guests; a modifier u, k or h excludes the others.
 */
#include "capture/perf/events/perfevents.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/perf/events/builtin.h"
#include "capture/perf/events/perfevents_int.h"

#include <ctype.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODIFIERS "ukhIGHpPSDWeb"

static void release_event(struct perfevents_event *e)
{
	free(e->name);
	free(e->pmu);
	free(e->cpumask);
	free(e->cpus);
	free(e->unit);
	free(e->wish.call_graph);
}

static void cut_list(struct perfevents *list, size_t n)
{
	while (list->n > n)
		release_event(&list->events[--list->n]);
}

void perfevents_release(struct perfevents *list)
{
	cut_list(list, 0);
	free(list->events);
	*list = (struct perfevents){0};
}

struct perfevents_event *perfevents_add(struct eventparser *p, enum perfevents_kind kind,
					const char *name, size_t len)
{
	struct perfevents *list = p->list;
	struct perfevents_event *e;

	if (!ARRAY_ROOM(list->events, list->cap, list->n + 1, PERFEVENTS_MAX)) {
		errmsg_set(p->err, -E2BIG, "these are more than %u events; name fewer",
			   PERFEVENTS_MAX);
		return NULL;
	}
	e = &list->events[list->n];
	*e = (struct perfevents_event){.kind = kind, .scale = 1, .leader = (uint32_t)list->n};
	e->attr.size = sizeof(e->attr);
	e->attr.exclude_guest = 1;
	e->wish = (struct perfevents_wish){.inherit = -1, .overwrite = -1, .time = -1};
	e->name = strndup(name, len);
	if (!e->name)
		return NULL;
	list->n++;
	return e;
}

/*
 * --- modifiers ----------------------------------------------------------------------------------
 */

static size_t modifiers_len(const char *text)
{
	size_t len = strspn(text, MODIFIERS);

	return isalnum((unsigned char)text[len]) || text[len] == '_' || text[len] == '-' ? 0 : len;
}

/*
 * u, k and h say what to count; whatever is not said is excluded. A group adds to its events' own.
 */
static void apply_rings(struct perfevents_event *e, const char *text, size_t len)
{
	bool u = memchr(text, 'u', len), k = memchr(text, 'k', len), h = memchr(text, 'h', len);

	if (!u && !k && !h)
		return;
	if (!e->has_user_modifier)
		e->attr.exclude_user = e->attr.exclude_kernel = e->attr.exclude_hv = 1;
	e->has_user_modifier = true;
	if (u)
		e->attr.exclude_user = 0;
	if (k)
		e->attr.exclude_kernel = 0;
	if (h)
		e->attr.exclude_hv = 0;
}

static void apply_modifiers(struct perfevents_event *e, const char *text, size_t len)
{
	bool guest = memchr(text, 'G', len), host = memchr(text, 'H', len);
	unsigned precise = 0;

	apply_rings(e, text, len);
	for (size_t i = 0; i < len; i++)
		precise += text[i] == 'p';
	if (precise) {
		e->has_precise = true;
		e->attr.precise_ip = precise > 3 ? 3 : precise;
	}
	if (memchr(text, 'P', len)) {
		e->has_precise = e->is_max_precise = true;
		e->attr.precise_ip = 3;
	}
	if (guest || host) {
		e->attr.exclude_guest = !guest;
		e->attr.exclude_host = !host;
	}
	if (memchr(text, 'I', len))
		e->attr.exclude_idle = 1;
	e->has_leader_sampling |= memchr(text, 'S', len) != NULL;
	e->is_weak |= memchr(text, 'W', len) != NULL;
	e->is_bpf |= memchr(text, 'b', len) != NULL;
}

/* Pinned and exclusive are properties of a group: its leader has them. */
static void apply_leader_modifiers(struct perfevents_event *e, const char *text, size_t len)
{
	if (memchr(text, 'D', len))
		e->attr.pinned = 1;
	if (memchr(text, 'e', len))
		e->attr.exclusive = 1;
}

/* Takes ":ukp", or without a colon after a slash, and applies it to the events from first on. */
static int take_modifiers(struct eventparser *p, size_t first, const char *start, bool after_slash)
{
	const char *text = p->at + (*p->at == ':');
	size_t len = modifiers_len(text);

	if (*p->at != ':' && (!after_slash || !len))
		return 0;
	if (!len)
		return errmsg_set(
			p->err, -EINVAL,
			"event '%.*s': unknown modifier; they are u k h I G H p P S D W e b",
			(int)(text + strcspn(text, ",}") - start), start);
	for (size_t i = first; i < p->list->n; i++) {
		apply_modifiers(&p->list->events[i], text, len);
		apply_leader_modifiers(&p->list->events[i], text, len);
	}
	p->at = text + len;
	return 0;
}

/*
 * An event's name is what was typed, modifiers included, unless a term gave it one or it is a glob.
 */
static int name_events(struct eventparser *p, size_t first, const char *start)
{
	size_t len = p->at - start;

	while (len && isspace((unsigned char)start[len - 1]))
		len--;
	for (size_t i = first; i < p->list->n; i++) {
		struct perfevents_event *e = &p->list->events[i];

		if (e->name[0])
			continue;
		free(e->name);
		e->name = strndup(start, len);
		if (!e->name)
			return -ENOMEM;
	}
	return 0;
}

/*
 * --- kinds of events ----------------------------------------------------------------------------
 */

static int take_terms(struct eventparser *p, const char **ret_terms, size_t *ret_len)
{
	const char *start = ++p->at;
	char quote = 0;

	for (; *p->at && (quote || *p->at != '/'); p->at++) {
		if (quote && *p->at == quote)
			quote = 0;
		else if (!quote && (*p->at == '\'' || *p->at == '"'))
			quote = *p->at;
	}
	if (!*p->at)
		return errmsg_set(p->err, -EINVAL, "event '%s': the closing '/' is missing",
				  p->word);
	*ret_terms = start;
	*ret_len = p->at++ - start;
	return 0;
}

/* Terms of an event that no PMU has: they are about its samples only. */
static int take_general_terms(struct eventparser *p, size_t first)
{
	const char *terms = NULL;
	size_t len = 0;

	if (*p->at != '/')
		return 0;
	TRY(take_terms(p, &terms, &len));
	for (size_t i = first; i < p->list->n; i++)
		TRY(pmus_parse_terms(NULL, terms, len, &p->list->events[i], p->err));
	return 0;
}

static int copy_text(char **to, const char *text)
{
	if (!text[0])
		return 0;
	*to = strdup(text);
	return *to ? 0 : -ENOMEM;
}

static int copy_pmu(struct perfevents_event *e, const struct pmu *pmu)
{
	e->attr.type = pmu->type;
	/* Uncore PMUs cannot exclude modes and guests, and refuse to. */
	e->attr.exclude_guest = pmu->is_core;
	TRY(copy_text(&e->pmu, pmu->name));
	TRY(copy_text(&e->cpumask, pmu->cpumask));
	return copy_text(&e->cpus, pmu->cpus);
}

static const struct pmu *find_core(const struct eventparser *p)
{
	return ARRAY_FIND(p->pmus.pmus, p->pmus.n, i, strcmp(p->pmus.pmus[i].name, "cpu") == 0);
}

static size_t count_cores(const struct eventparser *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->pmus.n; i++)
		n += p->pmus.pmus[i].is_core;
	return n;
}

/* One event of each kind of core: cpu_core/cycles/ and cpu_atom/cycles/. */
static int add_hybrid(struct eventparser *p, const struct builtin_event *b)
{
	char name[PMU_NAME_MAX + EVENTPARSER_WORD_MAX + 2];

	for (size_t i = 0; i < p->pmus.n; i++) {
		const struct pmu *pmu = &p->pmus.pmus[i];
		struct perfevents_event *e;

		if (!pmu->is_core)
			continue;
		snprintf(name, sizeof(name), "%s/%s/", pmu->name, p->word);
		e = perfevents_add(p, b->kind, name, strlen(name));
		if (!e || copy_pmu(e, pmu) < 0)
			return errmsg_code(p->err);
		e->attr.type = b->type;
		e->attr.config = b->config | (uint64_t)pmu->type << PERF_PMU_TYPE_SHIFT;
	}
	return 0;
}

static int add_builtin(struct eventparser *p, const struct builtin_event *b)
{
	struct perfevents_event *e;

	if ((b->kind == PERFEVENTS_HARDWARE || b->kind == PERFEVENTS_CACHE) && !find_core(p) &&
	    count_cores(p) > 1)
		return add_hybrid(p, b);
	e = perfevents_add(p, b->kind, "", 0);
	if (!e)
		return errmsg_code(p->err);
	e->tool = b->tool;
	e->attr.type = b->type;
	e->attr.config = b->config;
	if (b->tool)
		return copy_text(&e->unit, "ns");
	return 0;
}

/* "r1a8"; a name such as "read" is none, because it has other letters. */
static bool is_raw(const char *word, uint64_t *ret)
{
	char *end;

	if (word[0] != 'r' || !isxdigit((unsigned char)word[1]))
		return false;
	*ret = strtoull(word + 1, &end, 16);
	return !*end;
}

static int add_raw(struct eventparser *p, uint64_t config)
{
	struct perfevents_event *e = perfevents_add(p, PERFEVENTS_RAW, "", 0);

	if (!e)
		return errmsg_code(p->err);
	e->attr.type = PERF_TYPE_RAW;
	e->attr.config = config;
	return 0;
}

static int add_pmu_event(struct eventparser *p, const struct pmu *pmu, const char *terms,
			 size_t len)
{
	struct perfevents_event *e = perfevents_add(p, PERFEVENTS_PMU, "", 0);

	if (!e)
		return errmsg_code(p->err);
	TRY(copy_pmu(e, pmu));
	return pmus_parse_terms(pmu, terms, len, e, p->err);
}

/* Returns how many PMUs the word means. */
static int add_pmu_events(struct eventparser *p, const char *terms, size_t len)
{
	bool has_exact = ARRAY_ANY(p->pmus.n, i, strcmp(p->pmus.pmus[i].name, p->word) == 0);
	int n = 0;

	for (size_t i = 0; i < p->pmus.n; i++) {
		const struct pmu *pmu = &p->pmus.pmus[i];

		if (has_exact ? strcmp(pmu->name, p->word) != 0
			      : !pmus_is_meant(pmu, p->word, strlen(p->word)))
			continue;
		TRY(add_pmu_event(p, pmu, terms, len));
		n++;
	}
	return n;
}

static bool means_pmu(const struct eventparser *p)
{
	return ARRAY_ANY(p->pmus.n, i, pmus_is_meant(&p->pmus.pmus[i], p->word, strlen(p->word)));
}

/* A name of a directory events/. Several PMUs alike have it: one event for each of them. */
static int try_pmu_name(struct eventparser *p)
{
	int n = 0;

	for (size_t i = 0; i < p->pmus.n; i++) {
		if (!pmus_has_event(&p->pmus.pmus[i], p->word, strlen(p->word)))
			continue;
		TRY(add_pmu_event(p, &p->pmus.pmus[i], p->word, strlen(p->word)));
		n++;
	}
	return n;
}

/*
 * --- breakpoints --------------------------------------------------------------------------------
 */

static int refuse_breakpoint(const struct eventparser *p, const char *start)
{
	return errmsg_set(
		p->err, -EINVAL,
		"breakpoint '%.*s': write mem:ADDRESS[/LENGTH][:ACCESS], with a length of 1, "
		"2, 4 or 8 and an access of r, w, x",
		(int)strcspn(start, ",}"), start);
}

static bool take_access(struct eventparser *p, uint32_t *ret_type)
{
	static const struct {
		char letter;
		uint32_t type;
	} accesses[] = {{'r', HW_BREAKPOINT_R}, {'w', HW_BREAKPOINT_W}, {'x', HW_BREAKPOINT_X}};
	size_t len = strspn(p->at + 1, "rwx");

	if (*p->at != ':' || !len || isalpha((unsigned char)p->at[1 + len]))
		return false;
	*ret_type = 0;
	for (size_t i = 0; i < len; i++)
		for (size_t a = 0; a < ARRAY_LEN(accesses); a++)
			if (p->at[1 + i] == accesses[a].letter)
				*ret_type |= accesses[a].type;
	p->at += 1 + len;
	return true;
}

static int take_breakpoint(struct eventparser *p, const char *start)
{
	struct perfevents_event *e;
	uint32_t type = HW_BREAKPOINT_RW;
	uint64_t address, len = 0;
	char *end;

	address = strtoull(start + 4, &end, 0);
	if (end == start + 4)
		return refuse_breakpoint(p, start);
	p->at = end;
	if (*p->at == '/') {
		len = strtoull(p->at + 1, &end, 0);
		if (len != 1 && len != 2 && len != 4 && len != 8)
			return refuse_breakpoint(p, start);
		p->at = end;
	}
	take_access(p, &type);
	e = perfevents_add(p, PERFEVENTS_BREAKPOINT, "", 0);
	if (!e)
		return errmsg_code(p->err);
	e->attr.type = PERF_TYPE_BREAKPOINT;
	e->attr.bp_addr = address;
	e->attr.bp_type = type;
	/* the kernel wants a whole word for instructions */
	e->attr.bp_len = len ? len : type == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	return 0;
}

/*
 * --- one event ----------------------------------------------------------------------------------
 */

static bool has_glob(const char *word)
{
	return word[strcspn(word, "*?[")] != '\0';
}

static int take_tracepoint(struct eventparser *p, bool has_system)
{
	char event[EVENTPARSER_WORD_MAX];
	size_t len;

	if (!has_system)
		return tracepoints_add(p, NULL, p->word);
	len = strcspn(p->at + 1, ",}/: \t\n");
	if (!len || len >= sizeof(event))
		return errmsg_set(p->err, -EINVAL, "event '%s:': the event's name is missing",
				  p->word);
	memcpy(event, p->at + 1, len);
	event[len] = '\0';
	p->at += 1 + len;
	return tracepoints_add(p, p->word, event);
}

/* The word is taken, p->at is behind it. Returns 1 if terms may follow that are not taken yet. */
static int take_by_word(struct eventparser *p)
{
	struct builtin_event b;
	uint64_t config;
	const char *terms = NULL;
	size_t len = 0;
	int n;

	if (builtin_find(p->word, strlen(p->word), &b)) {
		TRY(add_builtin(p, &b));
		return 1;
	}
	if (is_raw(p->word, &config)) {
		TRY(add_raw(p, config));
		return 1;
	}
	if (*p->at == '/' && means_pmu(p)) {
		TRY(take_terms(p, &terms, &len));
		TRY(add_pmu_events(p, terms, len));
		return 0;
	}
	n = *p->at == ':' && !modifiers_len(p->at + 1) ? 0 : try_pmu_name(p);
	if (n)
		return n < 0 ? n : 1;
	if (*p->at == '/')
		return perfevents_refuse(p, "PMU");
	if (has_glob(p->word) && *p->at != ':')
		return perfevents_refuse(p, "event");
	TRY(take_tracepoint(p, *p->at == ':'));
	return 1;
}

static int take_event(struct eventparser *p)
{
	size_t first = p->list->n, len = strcspn(p->at, ",}/: \t\n{");
	const char *start = p->at;
	bool has_terms;
	int r;

	if (len >= sizeof(p->word))
		return errmsg_set(p->err, -EINVAL, "the name of an event is too long: '%.40s…'",
				  start);
	if (!len)
		return errmsg_set(p->err, -EINVAL, "the name of an event is missing before '%s'",
				  start);
	memcpy(p->word, start, len);
	p->word[len] = '\0';
	if (strcmp(p->word, "mem") == 0 && start[len] == ':') {
		TRY(take_breakpoint(p, start));
		r = 0;
	} else {
		p->at += len;
		r = take_by_word(p);
	}
	if (r < 0)
		return r == -ENOMEM ? errmsg_code(p->err) : r;
	has_terms = p->at[-1] == '/';
	if (r > 0) {
		TRY(take_general_terms(p, first));
		has_terms = p->at[-1] == '/';
	}
	TRY(take_modifiers(p, first, start, has_terms));
	return name_events(p, first, start);
}

/*
 * --- the list -----------------------------------------------------------------------------------
 */

static void skip_space(struct eventparser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

static void close_group(struct eventparser *p, size_t first)
{
	for (size_t i = first; i < p->list->n; i++) {
		p->list->events[i].leader = (uint32_t)first;
		p->list->events[i].in_group = true;
	}
}

static int take_group_modifiers(struct eventparser *p, size_t first, const char *start)
{
	size_t len;

	if (*p->at != ':')
		return 0;
	len = modifiers_len(p->at + 1);
	if (!len)
		return errmsg_set(
			p->err, -EINVAL,
			"group '%.*s': unknown modifier; they are u k h I G H p P S D W e b",
			(int)(p->at - start + 1 + (int)strcspn(p->at + 1, ",}")), start);
	for (size_t i = first; i < p->list->n; i++)
		apply_modifiers(&p->list->events[i], p->at + 1, len);
	apply_leader_modifiers(&p->list->events[first], p->at + 1, len);
	p->at += 1 + len;
	return 0;
}

static int take_group(struct eventparser *p)
{
	const char *start = p->at++;
	size_t first = p->list->n;

	for (;;) {
		skip_space(p);
		TRY(take_event(p));
		skip_space(p);
		if (*p->at != ',')
			break;
		p->at++;
	}
	if (*p->at != '}')
		return errmsg_set(p->err, -EINVAL, "group '%s': the closing '}' is missing", start);
	p->at++;
	close_group(p, first);
	return take_group_modifiers(p, first, start);
}

static int take_list(struct eventparser *p)
{
	for (;;) {
		skip_space(p);
		TRY(*p->at == '{' ? take_group(p) : take_event(p));
		skip_space(p);
		if (!*p->at)
			return 0;
		if (*p->at != ',')
			return errmsg_set(p->err, -EINVAL,
					  "events '%s': '%s' does not belong there; "
					  "a comma separates events",
					  p->text, p->at);
		p->at++;
	}
}

int perfevents_parse_at(const struct perfevents_place *place, const char *text,
			struct perfevents *ret, struct errmsg *err)
{
	struct eventparser p = {.place = place, .text = text, .at = text, .list = ret, .err = err};
	size_t before = ret->n;
	int r;

	p.sysfs = place->sysfs ? place->sysfs : "/sys";
	r = pmus_read(p.sysfs, &p.pmus);
	if (r >= 0)
		r = take_list(&p);
	pmus_release(&p.pmus);
	if (r < 0) {
		cut_list(ret, before);
		return r == -ENOMEM ? errmsg_code(err) : r;
	}
	return (int)(ret->n - before);
}

int perfevents_parse(const char *text, struct perfevents *ret, struct errmsg *err)
{
	return perfevents_parse_at(&(struct perfevents_place){.sysfs = getenv("SONDE_SYSFS")}, text,
				   ret, err);
}
