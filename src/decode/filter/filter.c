// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * filter.c - the events of a filter; creating, freeing and showing a filter.
 *
 *	sched/sched_switch,irq.*: prev_state == 1 && …
 *	└── events ───────────┘ └── expression (parse.c) ──┘
 *
 * The part before the first colon is a list of names, separated by commas. A name is a basic
 * regular expression, ignoring case, that must match the whole name of a system or an event; with a
 * slash, of the system and the event. Every name of the list must match something. Without a colon
 * all records of these events match.
 *
 * filter_new() parses the expression once, for any number of events; their formats are examined
 * when filter_match() first sees them (run.c), so that a filter over all 2 300 events costs no more
 * than the twenty in the trace. If several events have one id, the first named one defines the
 * fields.
 *
 * filter_fmt() shows the expression as parsed for each event, the last named event first, with
 * tests of unknown fields removed:
 *
 *	'sched_switch: (prev_state == 1) && (next_pid > 0)'
 */
#include "base/errmsg.h"
#include "base/array.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "base/textbuf.h"
#include "decode/filter/filter_int.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_MAX_BYTES (64u << 20)
#define SLOTS_MAX	65536 /* ids are 16 bits in the ring buffer */
#define NAME_MAX_BYTES	1000

struct filter_names {
	struct filter *flt;
	const char *whole;
	struct errmsg *err;
	/* position of each event of the formats among the names; 0: not named */
	uint32_t *order;
};

static char *trim(char *s)
{
	size_t len = strlen(s);

	while (len && isspace((unsigned char)s[len - 1]))
		s[--len] = 0;
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

static int compile_name(struct filter_names *n, regex_t *re, const char *name)
{
	char pattern[NAME_MAX_BYTES + 3];
	const char *why;

	snprintf(pattern, sizeof(pattern), "^%s$", name);
	why = filter_regex_compile(re, pattern);
	return why ? errmsg_set(n->err, -EINVAL, "the filter '%.300s' names an event '%.100s': %s",
				n->whole, name, why)
		   : 0;
}

static bool name_matches(const struct event *ev, const regex_t *system, const regex_t *name)
{
	bool is_name = !regexec(name, ev->name, 0, NULL, 0);

	if (system)
		return is_name && !regexec(system, ev->system, 0, NULL, 0);
	return is_name || !regexec(name, ev->system, 0, NULL, 0);
}

static int list_event(struct filter_names *n, size_t index)
{
	struct filter *flt = n->flt;

	if (!ARRAY_ROOM(flt->listed, flt->cap_listed, flt->n_listed + 1, ARRAY_NO_MAX))
		return errmsg_set_errno(n->err, -ENOMEM, "cannot keep the filter '%.300s'",
					n->whole);
	flt->listed[flt->n_listed++] = flt->formats->by_id[index];
	if (!n->order[index])
		n->order[index] = flt->n_listed;
	return 0;
}

static int find_named(struct filter_names *n, const regex_t *system, const regex_t *name,
		      const char *text)
{
	const struct formats *f = n->flt->formats;
	size_t before = n->flt->n_listed;
	struct spelling sp;
	int r = 0;

	for (size_t i = 0; i < f->n_events && !r; i++)
		if (name_matches(f->by_id[i], system, name))
			r = list_event(n, i);
	if (r || n->flt->n_listed != before)
		return r;
	spelling_init(&sp, text, strlen(text));
	for (size_t i = 0; i < f->n_events; i++)
		spelling_add(&sp, f->by_id[i]->name);
	return errmsg_set(n->err, -ENOENT, "no system or event here is called '%.200s'%s%s%s", text,
			  sp.nearest ? "; did you mean '" : "", sp.nearest ? sp.nearest : "",
			  sp.nearest ? "'?" : "");
}

/* Parses "system/name" or "name", with blanks around it. Changes the text. */
static int add_name(struct filter_names *n, char *text)
{
	char *save, *system, *name, shown[NAME_MAX_BYTES + 1];
	regex_t system_re, name_re;
	int r;

	snprintf(shown, sizeof(shown), "%s", text);
	system = strtok_r(text, "/", &save);
	name = system ? strtok_r(NULL, "/", &save) : NULL;
	if (!system)
		return errmsg_set(n->err, -EINVAL, "the filter '%.300s' lacks the name of an event",
				  n->whole);
	r = compile_name(n, &name_re, trim(name ? name : system));
	TRY(r);
	if (name && (r = compile_name(n, &system_re, trim(system))) < 0) {
		regfree(&name_re);
		return r;
	}
	r = find_named(n, name ? &system_re : NULL, &name_re, trim(shown));
	regfree(&name_re);
	if (name)
		regfree(&system_re);
	return r;
}

static int add_names(struct filter_names *n, const char *text, size_t len)
{
	const char *end = text + len, *comma;
	unsigned n_names = 0;

	do {
		char name[NAME_MAX_BYTES + 1];
		size_t name_len;
		int r;

		comma = memchr(text, ',', end - text);
		name_len = (comma ? comma : end) - text;
		if (name_len > NAME_MAX_BYTES || n_names++ == FILTER_NAMES_MAX)
			return errmsg_set(n->err, -EINVAL,
					  "the filter '%.300s' names too many events: at most %d "
					  "names of %d letters can stand before the ':'",
					  n->whole, FILTER_NAMES_MAX, NAME_MAX_BYTES);
		memcpy(name, text, name_len);
		name[name_len] = 0;
		r = add_name(n, name);
		TRY(r);
		text = comma ? comma + 1 : end;
	} while (comma);
	return 0;
}

/* Makes the table by id. If several events have the same id, the first named one is used. */
static int index_events(struct filter_names *n)
{
	struct filter *flt = n->flt;
	struct formats *f = flt->formats;
	uint32_t best = 0;

	flt->events = calloc(f->n_events + 1, sizeof(*flt->events));
	flt->n_slots = f->n_events ? (size_t)f->by_id[f->n_events - 1]->id + 1 : 0;
	if (flt->n_slots > SLOTS_MAX)
		flt->n_slots = SLOTS_MAX;
	flt->slots = calloc(flt->n_slots + 1, sizeof(*flt->slots));
	if (!flt->events || !flt->slots)
		return errmsg_set_errno(n->err, -ENOMEM, "cannot keep the filter '%.300s'",
					n->whole);
	for (size_t i = 0; i < f->n_events; i++) {
		struct filter_event *last = flt->events + flt->n_events - 1;

		if (!n->order[i])
			continue;
		if (!flt->n_events || last->ev->id != f->by_id[i]->id)
			flt->events[flt->n_events++].ev = f->by_id[i];
		else if (n->order[i] < best)
			last->ev = f->by_id[i];
		else
			continue;
		best = n->order[i];
		if ((size_t)f->by_id[i]->id < flt->n_slots)
			flt->slots[f->by_id[i]->id] = flt->n_events;
	}
	return 0;
}

/* Checks that a name without quotes is the name of a value of the field in some event. */
static int check_name(struct filter *flt, const struct filter_test *t, const char *whole,
		      struct errmsg *err)
{
	const char *word = flt->words[t->left.word];
	struct errmsg_spot spot = {.at = t->name_at - whole, .len = t->text_len};
	struct spelling sp;

	spelling_init(&sp, t->text, t->text_len);
	for (size_t i = 0; i < flt->n_listed; i++) {
		const struct field *f;
		const struct arg *names;

		formats_parse(flt->formats, flt->listed[i]);
		f = event_find_any(flt->listed[i], word);
		names = f ? event_find_value_names(flt->listed[i], f) : NULL;
		if (filter_names_have(names, t->text, t->text_len))
			return 0;
		for (size_t k = 0; names && k < names->flags.n_names; k++) {
			const char *name = arena_strndup(&flt->arena, names->flags.names[k].text,
							 names->flags.names[k].len);

			if (name)
				spelling_add(&sp, name);
		}
	}
	if (sp.nearest)
		return errmsg_set_spot(
			err, -EINVAL, &spot,
			"the filter '%.300s' cannot be read at '%.40s': no value of %s is "
			"called so; the nearest is %s",
			whole, t->name_at, word, sp.nearest);
	return errmsg_set_spot(err, -EINVAL, &spot,
			       "the filter '%.300s' cannot be read at '%.40s': %s", whole,
			       t->name_at, filter_not_a_name);
}

static int find_filter_events(struct filter *flt, const char *text, size_t len, struct errmsg *err)
{
	SCOPED(scope_free)
	uint32_t *order = calloc(flt->formats->n_events + 1, sizeof(*order));
	struct filter_names n = {flt, text, err, order};

	if (!order)
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the filter '%.300s'", text);
	TRY(add_names(&n, text, len));
	return index_events(&n);
}

static int read_filter(struct filter *flt, const char *text, struct errmsg *err)
{
	const char *colon = strchr(text, ':');

	if (strlen(text) > FILTER_TEXT_MAX)
		return errmsg_set(err, -EINVAL, "the filter '%.100s' is longer than %u bytes", text,
				  FILTER_TEXT_MAX);
	if (colon)
		TRY(filter_parse(flt, text, colon + 1, err));
	TRY(find_filter_events(flt, text, colon ? (size_t)(colon - text) : strlen(text), err));
	for (size_t i = 0; i < flt->n_tests; i++)
		if (flt->tests[i].name_at)
			TRY(check_name(flt, &flt->tests[i], text, err));
	return 0;
}

int filter_new(struct filter **ret, struct formats *f, const char *text, struct errmsg *err)
{
	SCOPED(filter_free_scoped) struct filter *flt = calloc(1, sizeof(*flt));

	if (!flt)
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the filter '%.300s'", text);
	arena_init(&flt->arena, ARENA_MAX_BYTES);
	flt->formats = f;
	TRY(read_filter(flt, text, err));
	*ret = TAKE(flt);
	return 0;
}

static void spell_fields(const struct filter *flt, struct spelling *sp)
{
	for (size_t i = 0; i < flt->n_listed; i++)
		for (size_t k = 0; k < flt->listed[i]->n_fields; k++)
			spelling_add(sp, flt->listed[i]->fields[k].name);
}

int filter_check_fields(struct filter *flt, struct errmsg *err)
{
	bool known[FILTER_WORDS_MAX] = {false};
	struct spelling sp;

	for (size_t i = 0; i < flt->n_listed; i++) {
		formats_parse(flt->formats, flt->listed[i]);
		filter_bind(flt, flt->listed[i], flt->scratch);
		for (size_t k = 0; k < flt->n_words; k++)
			known[k] |= flt->scratch[k].kind != BIND_UNKNOWN;
	}
	for (size_t k = 0; k < flt->n_words; k++) {
		if (known[k])
			continue;
		spelling_init(&sp, flt->words[k], strlen(flt->words[k]));
		spell_fields(flt, &sp);
		return errmsg_set(err, -ENOENT,
				  "%s has %s field '%.100s', which the filter tests%s%s%s",
				  flt->n_listed == 1 ? flt->listed[0]->name : "none of the events",
				  flt->n_listed == 1 ? "no" : "a", flt->words[k],
				  sp.nearest ? "; did you mean '" : "",
				  sp.nearest ? sp.nearest : "", sp.nearest ? "'?" : "");
	}
	return 0;
}

void filter_free(struct filter *flt)
{
	if (!flt)
		return;
	for (size_t i = 0; i < flt->n_regexes; i++) {
		regfree(&flt->regexes[i]->re);
		free(flt->regexes[i]);
	}
	free(flt->elements);
	free(flt->tests);
	free(flt->events);
	free(flt->slots);
	free(flt->listed);
	arena_release(&flt->arena);
	free(flt);
}

/* The result of a part of the expression if tests of unknown fields are false. */
enum fold { FOLD_FALSE, FOLD_TRUE, FOLD_OPEN };

struct chain_fold {
	enum fold value;
	size_t start;	/* open: the first remaining element */
	size_t n_joins; /* open: the number of remaining elements after the first */
};

static struct chain_fold fold_chain(const struct filter *flt, size_t i, size_t end);

static enum fold fold_element(const struct filter *flt, size_t i)
{
	const struct filter_element *e = &flt->elements[i];
	enum fold v = FOLD_OPEN;

	if (e->test == ELEMENT_IS_GROUP) {
		v = fold_chain(flt, i + 1, e->next).value;
	} else {
		const struct filter_operand *l = &flt->tests[e->test].left;
		const struct filter_operand *r = &flt->tests[e->test].right;

		if ((l->word >= 0 && flt->scratch[l->word].kind == BIND_UNKNOWN) ||
		    (flt->tests[e->test].kind == TEST_NONZERO && r->word >= 0 &&
		     flt->scratch[r->word].kind == BIND_UNKNOWN))
			v = FOLD_FALSE;
	}
	return v == FOLD_OPEN ? v : (enum fold)(v ^ (e->n_not & 1));
}

static struct chain_fold fold_chain(const struct filter *flt, size_t i, size_t end)
{
	struct chain_fold c = {FOLD_FALSE, 0, 0};

	for (; i < end; i = flt->elements[i].next) {
		enum filter_join join = flt->elements[i].join;
		enum fold v = fold_element(flt, i);
		enum fold neutral = join == JOIN_AND ? FOLD_TRUE : FOLD_FALSE;

		if (join == JOIN_FIRST || c.value == neutral)
			c = (struct chain_fold){v, i, 0};
		else if (c.value == FOLD_OPEN && v == FOLD_OPEN)
			c.n_joins++;
		else if (c.value == FOLD_OPEN && v != neutral)
			c.value = v;
	}
	return c;
}

static void fmt_operand(const struct filter *flt, const struct filter_operand *o,
			struct textbuf *tb)
{
	if (o->word == OPERAND_IS_NUMBER && o->is_real)
		textbuf_addf(tb, "%g", o->real);
	else if (o->word == OPERAND_IS_NUMBER)
		textbuf_add_signed(tb, o->value);
	else
		textbuf_add_str(tb, flt->words[o->word]);
}

static void fmt_test(const struct filter *flt, const struct filter_test *t, struct textbuf *tb)
{
	fmt_operand(flt, &t->left, tb);
	textbuf_addf(tb, " %s ", filter_op_names[t->op]);
	if (t->kind == TEST_TEXT || t->kind == TEST_REGEX) {
		textbuf_add_char(tb, '"');
		textbuf_add(tb, t->text, t->text_len);
		textbuf_add_char(tb, '"');
	} else {
		fmt_operand(flt, &t->right, tb);
	}
}

static void fmt_chain(const struct filter *flt, const struct chain_fold *c, size_t end,
		      struct textbuf *tb);

static void fmt_element(const struct filter *flt, size_t i, struct textbuf *tb)
{
	const struct filter_element *e = &flt->elements[i];

	for (uint32_t n = e->n_not; n; n--)
		textbuf_add(tb, "!(", 2);
	if (e->test == ELEMENT_IS_GROUP) {
		struct chain_fold c = fold_chain(flt, i + 1, e->next);

		fmt_chain(flt, &c, e->next, tb);
	} else {
		fmt_test(flt, &flt->tests[e->test], tb);
	}
	textbuf_add_fill(tb, ')', e->n_not);
}

static void fmt_chain(const struct filter *flt, const struct chain_fold *c, size_t end,
		      struct textbuf *tb)
{
	if (c->value != FOLD_OPEN) {
		textbuf_add_str(tb, c->value == FOLD_TRUE ? "TRUE" : "FALSE");
		return;
	}
	textbuf_add_fill(tb, '(', c->n_joins);
	fmt_element(flt, c->start, tb);
	for (size_t i = flt->elements[c->start].next; i < end; i = flt->elements[i].next) {
		if (fold_element(flt, i) != FOLD_OPEN)
			continue;
		textbuf_addf(tb, ") %s (", flt->elements[i].join == JOIN_AND ? "&&" : "||");
		fmt_element(flt, i, tb);
		textbuf_add_char(tb, ')');
	}
}

void filter_fmt(struct filter *flt, struct textbuf *tb)
{
	struct chain_fold all = {FOLD_TRUE, 0, 0};

	for (size_t i = flt->n_listed; i--;) {
		formats_parse(flt->formats, flt->listed[i]);
		filter_bind(flt, flt->listed[i], flt->scratch);
		if (flt->n_elements)
			all = fold_chain(flt, 0, flt->n_elements);
		textbuf_addf(tb, " '%s: ", flt->listed[i]->name);
		fmt_chain(flt, &all, flt->n_elements, tb);
		textbuf_add(tb, "'\n", 2);
	}
}
