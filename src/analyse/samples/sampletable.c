// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sampletable.c - one pass over the rows of a set: each different stack is named once, and its
 * frames become rows of the table.
 *
 *	row of the set ─▶ chain of functions ─▶ for each frame: hash of the keys ─▶ row of the table
 *
 * A recursive function counts once per sample: a row of the table remembers the last row of the set
 * that it counted. Keys that are not of code are the same in all frames.
 */
#include "analyse/samples/sampletable.h"

#include "analyse/calls/callflow.h"
#include "analyse/samples/stacknames.h"
#include "analyse/samples/sampleset.h"
#include "analyse/samples/sampletree.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/hash.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX  (4u << 20)
#define SLOTS_MIN 1024u

static const struct key_row {
	const char *name, *other;
	bool is_code;
	unsigned needs;
} key_rows[] = {
	[SAMPLEKEY_FUNCTION] = {"function", "symbol", true, 0},
	[SAMPLEKEY_FILE] = {"file", "dso", true, 0},
	[SAMPLEKEY_LINE] = {"line", "srcline", true, 0},
	[SAMPLEKEY_TASK] = {"task", "tid", false, SAMPLESET_TASK},
	[SAMPLEKEY_COMM] = {"comm", "command", false, SAMPLESET_TASK},
	[SAMPLEKEY_PROCESS] = {"process", "pid", false, SAMPLESET_TASK},
	[SAMPLEKEY_CPU] = {"cpu", "cpus", false, SAMPLESET_CPU},
};

struct table {
	const struct sampletable_config *config;
	struct sampletable_row *rows;
	uint64_t *hashes, *seen; /* by row; seen: number of the last row of the set + 1 */
	size_t n, cap, cap_hashes, cap_seen;
	uint32_t *slots; /* row + 1 */
	size_t n_slots;
	uint64_t seed, n_cut, n_all, weight;
	const struct flow_func **chain;
	size_t cap_chain;
	/* row + 1 by number of the function, if all keys are of code: most look-ups end here */
	uint32_t *by_func;
	size_t cap_by_func;
	bool is_only_code;
};

/*
 * --- keys --------------------------------------------------------------------------------------
 */

int sampletable_parse_keys(struct sampletable_config *config, const char *words, struct errmsg *err)
{
	config->n_keys = 0;
	while (*words) {
		const char *word = *words == '$' ? words + 1 : words;
		size_t len = strcspn(word, ","), i = 0;

		while (i < ARRAY_LEN(key_rows) && !((strlen(key_rows[i].name) == len &&
						     !memcmp(key_rows[i].name, word, len)) ||
						    (strlen(key_rows[i].other) == len &&
						     !memcmp(key_rows[i].other, word, len))))
			i++;
		if (i == ARRAY_LEN(key_rows))
			return errmsg_set(
				err, -EINVAL,
				"--by knows function, file, line, task, comm, process and "
				"cpu of samples, not '%.*s'",
				(int)len, word);
		if (!sampletable_has_key(config, (enum sampletable_key)i))
			config->keys[config->n_keys++] = (enum sampletable_key)i;
		words = word + len + (word[len] == ',');
	}
	return config->n_keys ? 0 : errmsg_set(err, -EINVAL, "--by needs a key");
}

int sampletable_parse_sort(struct sampletable_config *config, const char *word, struct errmsg *err)
{
	static const char *const words[] = {[SAMPLESORT_SELF] = "self",
					    [SAMPLESORT_TOTAL] = "total",
					    [SAMPLESORT_N] = "samples",
					    [SAMPLESORT_NAME] = "name"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(words[i], word)) {
			config->sort = (enum sampletable_sort)i;
			return 0;
		}
	return errmsg_set(err, -EINVAL,
			  "-s sorts samples by self, total, samples or name, not by '%s'", word);
}

const char *sampletable_key_name(enum sampletable_key key)
{
	return key_rows[key].name;
}

bool sampletable_has_key(const struct sampletable_config *config, enum sampletable_key key)
{
	return ARRAY_ANY(config->n_keys, i, config->keys[i] == key);
}

unsigned sampletable_needs(const struct sampletable_config *config)
{
	unsigned needs = SAMPLESET_EVENT;

	for (size_t i = 0; i < config->n_keys; i++)
		needs |= key_rows[config->keys[i]].needs;
	return needs;
}

static bool has_code(const struct sampletable_config *config)
{
	return ARRAY_ANY(config->n_keys, i, key_rows[config->keys[i]].is_code);
}

bool sampletable_next_event(const struct sampleset *set, uint32_t *event)
{
	uint32_t next = UINT32_MAX;
	const struct sampleset_row *rows;
	size_t n;

	rows = sampleset_rows(set, &n);
	for (size_t i = 0; i < n; i++)
		if (rows[i].event >= *event && rows[i].event < next)
			next = rows[i].event;
	*event = next;
	return next != UINT32_MAX;
}

/*
 * --- rows --------------------------------------------------------------------------------------
 */

/* A number that is the same for the same value of a key. Texts are pooled by stacknames. */
static uint64_t value_of(enum sampletable_key key, const struct sampletable_row *r)
{
	switch (key) {
	case SAMPLEKEY_FUNCTION:
		return r->func ? (uintptr_t)r->func->name + r->func->is_inlined : 0;
	case SAMPLEKEY_FILE:
		return r->func ? (uintptr_t)stacknames_file(r->func) : 0;
	case SAMPLEKEY_LINE:
		return r->func ? (uintptr_t)r->func->source : 0;
	case SAMPLEKEY_TASK:
		return r->task ? (uint64_t)(uint32_t)r->task->pid : UINT64_MAX;
	case SAMPLEKEY_COMM:
		return r->task ? hash_of_text(HASH_ODD, r->task->comm, r->task->comm_len) : 0;
	case SAMPLEKEY_PROCESS:
		return (uint32_t)r->tgid;
	default:
		return (uint32_t)r->cpu;
	}
}

static bool is_same_comm(const struct sampletable_row *a, const struct sampletable_row *b)
{
	return !a->task || !b->task || !strcmp(a->task->comm, b->task->comm);
}

static bool is_same(const struct sampletable_config *c, const struct sampletable_row *a,
		    const struct sampletable_row *b)
{
	for (size_t i = 0; i < c->n_keys; i++)
		if (value_of(c->keys[i], a) != value_of(c->keys[i], b) ||
		    (c->keys[i] == SAMPLEKEY_COMM && !is_same_comm(a, b)))
			return false;
	return true;
}

static bool grow(struct table *t)
{
	size_t n = t->n_slots ? t->n_slots * 2 : SLOTS_MIN;
	uint32_t *slots;

	if (t->n * 2 < t->n_slots)
		return true;
	slots = calloc(n, sizeof(*slots));
	if (!slots)
		return false;
	for (size_t i = 0; i < t->n; i++) {
		size_t at = hash_number(t->seed, t->hashes[i], n);

		while (slots[at])
			at = (at + 1) & (n - 1);
		slots[at] = (uint32_t)i + 1;
	}
	free(t->slots);
	t->slots = slots;
	t->n_slots = n;
	return true;
}

/* The index of the row with these keys; -1: no room. */
static int64_t take_row(struct table *t, const struct sampletable_row *like)
{
	const struct sampletable_config *c = t->config;
	uint64_t h = 0;
	size_t at;

	for (size_t i = 0; i < c->n_keys; i++)
		h = hash_step(t->seed, h, value_of(c->keys[i], like));
	if (!grow(t))
		return -1;
	for (at = hash_number(t->seed, h, t->n_slots); t->slots[at];
	     at = (at + 1) & (t->n_slots - 1)) {
		uint32_t i = t->slots[at] - 1;

		if (t->hashes[i] == h && is_same(c, &t->rows[i], like))
			return i;
	}
	if (!ARRAY_ROOM(t->rows, t->cap, t->n + 1, ROWS_MAX) ||
	    !ARRAY_ROOM(t->hashes, t->cap_hashes, t->n + 1, ROWS_MAX) ||
	    !ARRAY_ROOM(t->seen, t->cap_seen, t->n + 1, ROWS_MAX))
		return -1;
	t->rows[t->n] = *like;
	t->rows[t->n].number = (uint32_t)t->n;
	t->hashes[t->n] = h;
	t->seen[t->n] = 0;
	t->slots[at] = (uint32_t)t->n + 1;
	return (int64_t)t->n++;
}

/* The same, by the number of the function if that is enough. */
static int64_t find_row(struct table *t, const struct sampletable_row *like)
{
	size_t number = t->is_only_code && like->func ? like->func->number : SIZE_MAX;
	int64_t at;

	if (number == SIZE_MAX || !ARRAY_ROOM(t->by_func, t->cap_by_func, number + 1, ARRAY_NO_MAX))
		return take_row(t, like);
	if (t->by_func[number])
		return (int64_t)t->by_func[number] - 1;
	at = take_row(t, like);
	if (at >= 0)
		t->by_func[number] = (uint32_t)at + 1;
	return at;
}

static void count(struct table *t, const struct sampletable_row *like,
		  const struct sampleset_row *from, uint64_t stamp, bool is_self)
{
	int64_t at = find_row(t, like);
	struct sampletable_row *row;

	if (at < 0) {
		t->n_cut += is_self ? from->n : 0;
		return;
	}
	row = &t->rows[at];
	if (is_self) {
		row->n_self += from->n;
		row->self += from->weight;
	}
	if (t->seen[at] == stamp)
		return;
	t->seen[at] = stamp;
	row->n_total += from->n;
	row->total += from->weight;
}

/* The functions of a row after the filter, outermost first; -1: it does not count. */
static int find_chain(struct table *t, uint32_t stack)
{
	size_t n;
	const struct flow_func *const *funcs = stacknames_chain(t->config->names, stack, &n);

	if (!ARRAY_ROOM(t->chain, t->cap_chain, n + 1, ARRAY_NO_MAX))
		return -1;
	if (n)
		memcpy(t->chain, funcs, n * sizeof(*funcs));
	return t->config->filter ? sampletree_filter(t->config->filter, t->chain, n) : (int)n;
}

static void add(struct table *t, const struct sampleset_row *from, uint64_t stamp)
{
	const struct sampletable_config *c = t->config;
	struct sampletable_row like = {
		.tgid = from->tgid, .cpu = (int32_t)from->cpu, .task = from->task};
	int n = find_chain(t, from->stack);

	if (n < 0)
		return;
	t->n_all += from->n;
	t->weight += from->weight;
	if (!n || !has_code(c)) {
		count(t, &like, from, stamp, true);
		return;
	}
	for (int i = n; i-- > 0;) {
		like.func = t->chain[i];
		count(t, &like, from, stamp, i == n - 1);
	}
}

/*
 * --- order -------------------------------------------------------------------------------------
 */

static const char *name_of(const struct sampletable_row *r)
{
	return r->func ? r->func->name : r->task ? r->task->comm : "";
}

static int by_name(const struct sampletable_row *x, const struct sampletable_row *y)
{
	int r = strcmp(name_of(x), name_of(y));

	if (!r && x->func && y->func)
		r = strcmp(stacknames_file(x->func), stacknames_file(y->func))
			    ?: strcmp(x->func->source ? x->func->source : "",
				      y->func->source ? y->func->source : "");
	if (!r && x->task && y->task)
		r = strcmp(x->task->comm, y->task->comm) ?: COMPARE(x->task->pid, y->task->pid);
	return r ?: COMPARE(x->tgid, y->tgid) ?: COMPARE(x->cpu, y->cpu);
}

#define ORDER(name, first, second) \
	ARRAY_ORDER(name, struct sampletable_row, \
		    COMPARE(y->first, x->first) ?: COMPARE(y->second, x->second) ?: by_name(x, y))

ORDER(order_self, self, total)
ORDER(order_total, total, self)
ORDER(order_n, n_self, n_total)
ARRAY_ORDER(order_name, struct sampletable_row, by_name(x, y))

/* Leaves out small rows, and sorts the others. */
static void settle(struct table *t, struct sampletable *ret)
{
	static int (*const orders[])(const void *a,
				     const void *b) = {[SAMPLESORT_SELF] = order_self,
						       [SAMPLESORT_TOTAL] = order_total,
						       [SAMPLESORT_N] = order_n,
						       [SAMPLESORT_NAME] = order_name};
	double least = t->config->min_percent / 100 * (double)t->weight;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct sampletable_row *r = &t->rows[i];
		uint64_t what = t->config->sort == SAMPLESORT_TOTAL ? r->total : r->self;

		if ((double)what >= least)
			t->rows[n++] = *r;
	}
	if (n)
		qsort(t->rows, n, sizeof(*t->rows), orders[t->config->sort]);
	ret->rows = t->rows;
	ret->n_rows = n;
	ret->n_left_out = t->n - n;
	ret->n = t->n_all;
	ret->weight = t->weight;
	ret->n_cut = t->n_cut + sampleset_cut(t->config->set);
}

int sampletable_init(struct sampletable *ret, const struct sampletable_config *config)
{
	struct table t = {.config = config, .seed = hash_seed(), .is_only_code = true};
	const struct sampleset_row *rows;
	size_t n;

	for (size_t i = 0; i < config->n_keys; i++)
		t.is_only_code &= key_rows[config->keys[i]].is_code;
	rows = sampleset_rows(config->set, &n);
	for (size_t i = 0; i < n; i++)
		if (!config->one_event || rows[i].event == config->event)
			add(&t, &rows[i], i + 1);
	settle(&t, ret);
	free(t.hashes);
	free(t.seen);
	free(t.slots);
	free(t.chain);
	free(t.by_func);
	return 0;
}

void sampletable_release(struct sampletable *t)
{
	free(t->rows);
	*t = (struct sampletable){0};
}
