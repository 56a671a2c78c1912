// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callrules.c - from "work: depth=2, stack" to the rule that the runtime follows.
 *
 * The actions are rows of one table: a word, what it sets, whether it takes a number or a time.
 * Options that are shorter to write (--inside, --not-inside) make the same rules.
 */
#include "capture/steer/callrules.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/user/choice.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define RULES_MAX   1024
#define TIME_MAX_NS 10000000000u /* records wait that long in their rings */
/*
 * A call that leads to no target is dropped at its end, if that comes within this time. Longer, and
 * threads with more than 2 million such calls a second would wait for room in their rings.
 */
#define LEADING_NS  100000000u

struct callrule {
	char *text;
	struct userchoice match; /* one rule */
	struct snrt_rule what;
	uint64_t min_ns;
	bool is_used; /* a function matches */
};

enum takes { TAKES_NOTHING, TAKES_NUMBER, TAKES_TIME };

static const struct action {
	const char *word;
	uint32_t flag, excludes; /* enum snrt_rule_flag */
	enum takes takes;
	size_t at; /* of the number in struct snrt_rule */
	bool is_for_signals;
} actions[] = {
	{"on", SNRT_RULE_ON, SNRT_RULE_OFF | SNRT_RULE_FINISH, TAKES_NOTHING, 0, true},
	{"off", SNRT_RULE_OFF, SNRT_RULE_ON | SNRT_RULE_FINISH, TAKES_NOTHING, 0, true},
	{"finish", SNRT_RULE_FINISH, SNRT_RULE_ON | SNRT_RULE_OFF, TAKES_NOTHING, 0, true},
	{"stack", SNRT_RULE_STACK, 0, TAKES_NOTHING, 0, false},
	{"counters", SNRT_RULE_COUNTERS, 0, TAKES_NOTHING, 0, false},
	{"always", SNRT_RULE_ALWAYS, 0, TAKES_NOTHING, 0, false},
	{"inside", SNRT_RULE_ONLY, SNRT_RULE_NEVER, TAKES_NOTHING, 0, false},
	{"not-inside", SNRT_RULE_NEVER, SNRT_RULE_ONLY, TAKES_NOTHING, 0, false},
	{"depth", SNRT_RULE_DEPTH, 0, TAKES_NUMBER, 0, false},
	{"min-time", SNRT_RULE_MIN_TIME, 0, TAKES_TIME, 0, false},
	{"limit", 0, 0, TAKES_NUMBER, offsetof(struct snrt_rule, limit), false},
	{"call", 0, 0, TAKES_NUMBER, offsetof(struct snrt_rule, nth), false},
};

static const struct action *find_action(const char *word, size_t len)
{
	return ARRAY_FIND(actions, ARRAY_LEN(actions), i,
			  strlen(actions[i].word) == len && !strncmp(actions[i].word, word, len));
}

/*
 * --- numbers -----------------------------------------------------------------------------------
 */

static int parse_time(const char *where, const char *text, uint64_t *ret, struct errmsg *err)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	double ns = -1;
	char *end;
	double value = strtod(text, &end);

	for (size_t i = 0; i < ARRAY_LEN(units) && end != text; i++)
		if (!strcmp(end, units[i].unit))
			ns = value * units[i].ns;
	if (!(ns >= 0 && ns <= TIME_MAX_NS))
		return errmsg_set(err, -EINVAL,
				  "%s takes a time up to 10 s with its unit, such as 10us or 2ms, "
				  "not '%s'",
				  where, text);
	*ret = (uint64_t)ns;
	return 0;
}

static void note_min_time(struct callrules *r, uint64_t ns)
{
	r->has_min_ns = true;
	if (ns > r->longest_ns)
		r->longest_ns = ns;
}

int callrules_set_min_time(struct callrules *r, const char *option, const char *text,
			   struct errmsg *err)
{
	int code = parse_time(option, text, &r->min_ns, err);

	if (code >= 0)
		note_min_time(r, r->min_ns);
	return code;
}

static int take_number(struct callrule *rule, const struct action *a, const char *value,
		       struct errmsg *err)
{
	char *end;
	unsigned long long n = strtoull(value, &end, 10);

	if (!isdigit((unsigned char)*value) || *end || !n || (!a->at && n >= SNRT_DEPTH_ANY))
		return errmsg_set(err, -EINVAL, "'%s': %s takes a number above 0, not '%s'",
				  rule->text, a->word, value);
	if (a->at)
		*(uint64_t *)((char *)&rule->what + a->at) = n;
	else
		rule->what.depth = (uint32_t)n;
	return 0;
}

/*
 * --- rules -------------------------------------------------------------------------------------
 */

static int refuse_action(const char *rule, const char *word, bool for_signal, struct errmsg *err)
{
	char list[256];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(actions); i++)
		if (!for_signal || actions[i].is_for_signals)
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s%s", n ? ", " : "",
					      actions[i].word,
					      actions[i].takes == TAKES_NUMBER ? "=N"
					      : actions[i].takes == TAKES_TIME ? "=TIME"
									       : "");
	return errmsg_set(err, -EINVAL, "'%s': there is no action '%s'; the actions are %s", rule,
			  word, list);
}

/* word: "depth=2"; it is changed. */
static int take_action(struct callrules *r, struct callrule *rule, char *word, struct errmsg *err)
{
	char *value = strchr(word, '=');
	const struct action *a = find_action(word, value ? (size_t)(value - word) : strlen(word));

	if (!a)
		return refuse_action(rule->text, word, false, err);
	if (!value != (a->takes == TAKES_NOTHING))
		return errmsg_set(err, -EINVAL,
				  value ? "'%s': %s takes no value"
					: "'%s': %s needs a value: depth=2, min-time=10us, "
					  "limit=100",
				  rule->text, a->word);
	rule->what.flags = (rule->what.flags & ~a->excludes) | a->flag;
	if (a->takes == TAKES_NUMBER)
		return take_number(rule, a, value + 1, err);
	if (a->takes == TAKES_TIME) {
		int code = parse_time(a->word, value + 1, &rule->min_ns, err);

		if (code < 0)
			return code;
		note_min_time(r, rule->min_ns);
	}
	return 0;
}

static void release(struct callrule *rule)
{
	userchoice_release(&rule->match);
	free(rule->text);
}

/* Takes the rule over if code is not negative. */
static int keep(struct callrules *r, struct callrule *rule, int code, struct errmsg *err)
{
	if (code >= 0 && !ARRAY_ROOM(r->list, r->cap, r->n + 1, RULES_MAX))
		code = errmsg_set(err, -E2BIG, "more than %d rules for functions", RULES_MAX);
	if (code >= 0)
		r->list[r->n++] = *rule;
	else
		release(rule);
	return code;
}

static int begin(struct callrule *rule, const char *text, const char *name, size_t len,
		 struct errmsg *err)
{
	SCOPED(scope_free) char *function = strndup(name, len);
	int code = -ENOMEM;

	*rule = (struct callrule){.text = strdup(text)};
	if (rule->text && function)
		code = userchoice_add(&rule->match, function, false, err);
	else
		errmsg_set_errno(err, code, "cannot take the rule '%s'", text);
	return code;
}

static int add_plain(struct callrules *r, const char *function, uint32_t flag, struct errmsg *err)
{
	struct callrule rule;
	int code = begin(&rule, function, function, strlen(function), err);

	rule.what.flags = flag;
	return keep(r, &rule, code, err);
}

int callrules_add_only(struct callrules *r, const char *function, struct errmsg *err)
{
	return add_plain(r, function, SNRT_RULE_ONLY, err);
}

int callrules_add_target(struct callrules *r, const char *function, struct errmsg *err)
{
	r->leads = true;
	note_min_time(r, LEADING_NS);
	return add_plain(r, function, SNRT_RULE_ALWAYS | SNRT_RULE_TARGET, err);
}

int callrules_add_never(struct callrules *r, const char *function, struct errmsg *err)
{
	return add_plain(r, function, SNRT_RULE_NEVER, err);
}

/* The last colon: the two of a C++ name are not it, and actions have none. */
static const char *find_colon(const char *text)
{
	const char *colon = strrchr(text, ':');

	return colon && colon > text && colon[-1] != ':' ? colon : NULL;
}

int callrules_add(struct callrules *r, const char *text, struct errmsg *err)
{
	const char *colon = find_colon(text);
	struct callrule rule;
	char *copy, *rest, *word;
	unsigned n = 0;
	int code;

	if (!colon)
		return errmsg_set(err, -EINVAL,
				  "'%s' has no function and action; write 'FUNC: ACTION, …'", text);
	code = begin(&rule, text, text, (size_t)(colon - text), err);
	copy = rest = strdup(colon + 1);
	if (!copy && code >= 0)
		code = errmsg_set_errno(err, -ENOMEM, "cannot take the rule '%s'", text);
	while (code >= 0 && (word = strsep(&rest, ", \t"))) {
		if (*word)
			code = take_action(r, &rule, word, err);
		n += *word != 0;
	}
	if (code >= 0 && !n)
		code = errmsg_set(err, -EINVAL, "'%s' has no action; write 'FUNC: ACTION, …'",
				  text);
	free(copy);
	return keep(r, &rule, code, err);
}

void callrules_release(struct callrules *r)
{
	for (size_t i = 0; i < r->n; i++)
		release(&r->list[i]);
	free(r->list);
	*r = (struct callrules){0};
}

/*
 * --- signals -----------------------------------------------------------------------------------
 */

/* "USR1", "SIGUSR1", "10", "RTMIN+3"; 0: none. */
static int find_signal(const char *name, size_t len)
{
	char word[32], *end;
	long n;

	if (!len || len >= sizeof(word))
		return 0;
	memcpy(word, name, len);
	word[len] = 0;
	n = strtol(word, &end, 10);
	if (!*end)
		return n > 0 && n < (long)SNRT_SIGNALS_MAX ? (int)n : 0;
	name = strncasecmp(word, "SIG", 3) ? word : word + 3;
	if (!strncasecmp(name, "RTMIN", 5)) {
		n = SIGRTMIN + (name[5] == '+' ? strtol(name + 6, NULL, 10) : 0);
		return n <= SIGRTMAX && (!name[5] || name[5] == '+') ? (int)n : 0;
	}
	for (int i = 1; i < NSIG && i < (int)SNRT_SIGNALS_MAX; i++)
		if (sigabbrev_np(i) && !strcasecmp(sigabbrev_np(i), name))
			return i;
	return 0;
}

int callrules_add_signal(struct callrules *r, const char *text, struct errmsg *err)
{
	const char *equals = strchr(text, '=');
	const struct action *a;
	int number;

	if (!equals)
		return errmsg_set(err, -EINVAL,
				  "--signal takes SIGNAL=on, =off or =finish, not '%s'", text);
	number = find_signal(text, (size_t)(equals - text));
	if (!number)
		return errmsg_set(err, -EINVAL, "'%s': there is no signal of that name", text);
	if (number == SIGKILL || number == SIGSTOP)
		return errmsg_set(err, -EINVAL, "'%s': no program can handle this signal", text);
	a = find_action(equals + 1, strlen(equals + 1));
	if (!a || !a->is_for_signals)
		return refuse_action(text, equals + 1, true, err);
	r->on_signal[number] = (uint16_t)a->flag;
	return 0;
}

static uint32_t signal_flags(const struct callrules *r)
{
	uint32_t flags = 0;

	for (size_t i = 0; i < SNRT_SIGNALS_MAX; i++)
		flags |= r->on_signal[i];
	return flags;
}

/*
 * --- questions ---------------------------------------------------------------------------------
 */

bool callrules_have_signals(const struct callrules *r)
{
	return signal_flags(r) != 0;
}

bool callrules_are_empty(const struct callrules *r)
{
	return !r->n && !r->depth && !r->has_min_ns && !signal_flags(r) &&
	       r->begin == CALLRULES_BEGIN_AS_NEEDED;
}

static uint32_t all_flags(const struct callrules *r)
{
	uint32_t flags = signal_flags(r);

	for (size_t i = 0; i < r->n; i++)
		flags |= r->list[i].what.flags;
	return flags;
}

bool callrules_are_general(const struct callrules *r)
{
	return r->depth || r->has_min_ns || callrules_begin_off(r) ||
	       all_flags(r) & (SNRT_RULE_ONLY | SNRT_RULE_NEVER | SNRT_RULE_DEPTH | SNRT_RULE_OFF |
			       SNRT_RULE_ON);
}

bool callrules_begin_off(const struct callrules *r)
{
	if (r->begin != CALLRULES_BEGIN_AS_NEEDED)
		return r->begin == CALLRULES_BEGIN_OFF;
	return all_flags(r) & SNRT_RULE_ON;
}

bool callrules_name_sources(const struct callrules *r)
{
	return ARRAY_ANY(r->n, i, userchoice_names_sources(&r->list[i].match));
}

static uint64_t counts_of(const struct callrules *r, uint64_t ns)
{
	return (uint64_t)((double)ns * r->counts_per_ns);
}

uint64_t callrules_delay_counts(const struct callrules *r)
{
	return counts_of(r, r->longest_ns);
}

static uint32_t excluded_by(uint32_t flags)
{
	uint32_t excluded = 0;

	for (size_t i = 0; i < ARRAY_LEN(actions); i++)
		if (actions[i].flag & flags)
			excluded |= actions[i].excludes;
	return excluded;
}

static void add_to(struct snrt_rule *to, const struct callrules *r, const struct callrule *from)
{
	to->flags = (to->flags & ~excluded_by(from->what.flags)) | from->what.flags;
	if (from->what.flags & SNRT_RULE_DEPTH)
		to->depth = from->what.depth;
	if (from->what.flags & SNRT_RULE_MIN_TIME)
		to->min_counts = counts_of(r, from->min_ns);
	if (from->what.limit)
		to->limit = from->what.limit;
	if (from->what.nth)
		to->nth = from->what.nth;
}

bool callrules_find(const struct callrules *r, const char *file, const char *symbol,
		    const char *source, struct snrt_rule *ret)
{
	bool found = false;

	for (size_t i = 0; i < r->n; i++) {
		if (!userchoice_matches(&r->list[i].match, file, symbol, source))
			continue;
		if (!found)
			*ret = (struct snrt_rule){0};
		add_to(ret, r, &r->list[i]);
		r->list[i].is_used = found = true;
	}
	return found;
}

const char *callrules_next_unused(const struct callrules *r, size_t *i)
{
	while (*i < r->n)
		if (!r->list[(*i)++].is_used)
			return r->list[*i - 1].text;
	return NULL;
}

void callrules_fill_general(const struct callrules *r, struct snrt_general *ret)
{
	uint64_t min_ns = r->leads && r->min_ns < LEADING_NS ? LEADING_NS : r->min_ns;

	*ret = (struct snrt_general){.depth = r->depth ? r->depth : SNRT_DEPTH_ANY,
				     .min_counts = counts_of(r, min_ns)};
	if (!callrules_are_empty(r))
		ret->flags = SNRT_RULE_GENERAL | (all_flags(r) & SNRT_RULE_ONLY);
	memcpy(ret->on_signal, r->on_signal, sizeof(ret->on_signal));
}
