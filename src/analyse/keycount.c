// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * keycount.c - counts records by the values of their keys.
 *
 *	record ──▶ a value for each key, 64 bits each ──▶ row of that tuple ──▶ n++
 *
 * No text is made before the end: some 30 ns for an event with two keys.
 */
#include "analyse/keycount.h"

#include "base/errmsg.h"
#include "decode/filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS_MAX	(1u << 20)
#define ARENA_MAX_BYTES (16u << 20)

struct keycount {
	const struct keycount_config *config;
	struct formats *f;
	struct keyreader keys;
	struct keytable table;
	struct arena arena;
	char words[KEYS_MAX][KEY_WORD_MAX];
	size_t n_words;
	struct key_slot **events; /* by id: n_words slots; NULL: not counted */
	uint8_t *wanted;
	struct keycount_row **rows;
	size_t n_rows;
	uint64_t n_total, n_gaps, n_dropped;
};

int keycount_parse_words(struct keycount_config *c, const char *text, struct errmsg *err)
{
	const char *p = text;

	do {
		size_t len = strcspn(p, ",");

		if (c->n_words == KEYS_MAX)
			return errmsg_set(err, -EINVAL, "--by takes up to %d words", KEYS_MAX);
		if (!len || len >= KEY_WORD_MAX)
			return errmsg_set(err, -EINVAL,
					  "--by takes fields, $comm, $pid, $task, $cpu and $event, "
					  "with commas between, not '%s'",
					  text);
		snprintf(c->words[c->n_words++], KEY_WORD_MAX, "%.*s", (int)len, p);
		p += len + (p[len] == ',');
	} while (*p);
	return 0;
}

/* --- events ------------------------------------------------------------------------------------ */

static bool is_asked_for(const struct keycount_config *c, const struct event *ev, bool *found)
{
	bool any = false;

	for (size_t i = 0; i < c->n_events; i++)
		if (key_event_matches(c->events[i], ev->system, ev->name))
			any = found[i] = true;
	return any;
}

static bool has_event_word(const struct keycount *k)
{
	for (size_t i = 0; i < k->config->n_words; i++)
		if (!strcmp(k->config->words[i], "$event") || !strcmp(k->config->words[i], "event"))
			return true;
	return false;
}

static int settle_words(struct keycount *k, size_t n_events, struct errmsg *err)
{
	if (n_events > 1 && !has_event_word(k)) {
		if (k->config->n_words == KEYS_MAX)
			return errmsg_set(err, -EINVAL,
					  "several events take up to %d words after --by",
					  KEYS_MAX - 1);
		snprintf(k->words[k->n_words++], KEY_WORD_MAX, "$event");
	}
	for (size_t i = 0; i < k->config->n_words; i++)
		memcpy(k->words[k->n_words++], k->config->words[i], KEY_WORD_MAX);
	return 0;
}

static int bind_events(struct keycount *k, struct errmsg *err)
{
	bool known[KEYS_MAX] = {false};

	for (size_t id = 0; id < k->f->n_table; id++) {
		const struct event *ev;

		if (!k->wanted[id])
			continue;
		ev = formats_find(k->f, (int)id);
		k->events[id] = arena_alloc_array(&k->arena, KEYS_MAX, sizeof(**k->events));
		if (!ev || !k->events[id])
			return errmsg_set_errno(err, -ENOMEM, "cannot count");
		for (size_t i = 0; i < k->n_words; i++) {
			k->events[id][i] = key_bind(ev, k->words[i]);
			known[i] |= k->events[id][i].kind != KEY_ABSENT;
		}
	}
	for (size_t i = 0; i < k->n_words; i++)
		if (!known[i])
			return errmsg_set(err, -ENOENT,
					  "no event that is counted has a field '%s' (--by); "
					  "$comm, $pid, $task, $cpu and $event are known for all",
					  k->words[i]);
	return 0;
}

static int find_events(struct keycount *k, struct errmsg *err)
{
	const struct keycount_config *c = k->config;
	bool found[KEYCOUNT_EVENTS_MAX] = {false};
	size_t n = 0;
	int r;

	if (c->n_events > KEYCOUNT_EVENTS_MAX)
		return errmsg_set(err, -E2BIG, "count takes up to %d events (-e)",
				  KEYCOUNT_EVENTS_MAX);
	for (size_t i = 0; i < k->f->n_events; i++) {
		const struct event *ev = k->f->by_id[i];

		if ((size_t)ev->id >= k->f->n_table || !is_asked_for(c, ev, found))
			continue;
		k->wanted[ev->id] = 1;
		n++;
	}
	for (size_t i = 0; i < c->n_events; i++)
		if (!found[i])
			return key_refuse_event(k->f, c->events[i], err);
	r = settle_words(k, n, err);
	return r < 0 ? r : bind_events(k, err);
}

/* --- counting ---------------------------------------------------------------------------------- */

void keycount_add(struct keycount *k, const struct record *rec)
{
	const struct key_slot *slots[KEYS_MAX];
	uint64_t values[KEYS_MAX];
	struct key_slot *bound;
	struct keycount_row *row;

	k->n_gaps += rec->flags & RECORD_MISSED ? 1 : 0;
	if (!rec->event || (size_t)rec->event->id >= k->f->n_table)
		return;
	bound = k->events[rec->event->id];
	if (!bound)
		return;
	for (size_t i = 0; i < k->config->n_filters; i++)
		if (filter_match(k->config->filters[i], rec) == FILTER_MISS)
			return;
	k->n_total++;
	for (size_t i = 0; i < k->n_words; i++) {
		slots[i] = &bound[i];
		values[i] = key_read(&k->keys, &bound[i], rec);
	}
	row = (struct keycount_row *)keytable_get(&k->table, values, slots);
	if (row)
		row->n++;
	else
		k->n_dropped++;
}

void keycount_add_values(struct keycount *k, const uint64_t *values,
			 const struct key_slot *const *slots, uint64_t n)
{
	struct keycount_row *row = (struct keycount_row *)keytable_get(&k->table, values, slots);

	k->n_total += n;
	if (row)
		row->n += n;
	else
		k->n_dropped += n;
}

void keycount_add_dropped(struct keycount *k, uint64_t n)
{
	k->n_dropped += n;
	k->n_total += n;
}

void keycount_clear(struct keycount *k)
{
	for (size_t i = 0; i < k->table.n_used; i++)
		((struct keycount_row *)k->table.list[i])->n = 0;
	k->n_total = k->n_dropped = k->n_gaps = 0;
}

static int compare(const void *a, const void *b)
{
	const struct keycount_row *x = *(struct keycount_row *const *)a,
				  *y = *(struct keycount_row *const *)b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return x->key.number < y->key.number ? -1 : x->key.number > y->key.number;
}

int keycount_finish(struct keycount *k)
{
	free(k->rows);
	k->rows = calloc(k->table.n_used + 1, sizeof(struct keycount_row *));
	if (!k->rows)
		return -ENOMEM;
	k->n_rows = 0;
	for (size_t i = 0; i < k->table.n_used; i++) {
		struct keycount_row *row = (struct keycount_row *)k->table.list[i];

		if (row->n)
			k->rows[k->n_rows++] = row;
	}
	qsort(k->rows, k->n_rows, sizeof(struct keycount_row *), compare);
	return 0;
}

const struct keycount_row *const *keycount_rows(const struct keycount *k, size_t *ret_n)
{
	*ret_n = k->n_rows;
	return (const struct keycount_row *const *)k->rows;
}

size_t keycount_n_words(const struct keycount *k)
{
	return k->n_words;
}

const char *keycount_word(const struct keycount *k, size_t i)
{
	return k->words[i];
}

struct keyreader *keycount_keys(struct keycount *k)
{
	return &k->keys;
}

void keycount_fmt(struct keycount *k, const struct keycount_row *row, size_t i, struct textbuf *tb)
{
	key_fmt(&k->keys, row->key.slots[i], row->key.values[i], tb);
}

uint64_t keycount_total(const struct keycount *k)
{
	return k->n_total;
}

uint64_t keycount_n_gaps(const struct keycount *k)
{
	return k->n_gaps;
}

uint64_t keycount_n_dropped(const struct keycount *k)
{
	return k->n_dropped;
}

const uint8_t *keycount_events(const struct keycount *k, size_t *ret_n)
{
	*ret_n = k->f->n_table;
	return k->wanted;
}

/* --- life -------------------------------------------------------------------------------------- */

int keycount_new(struct keycount **ret, struct formats *f, const struct keycount_config *config,
		 struct errmsg *err)
{
	struct keycount *k = calloc(1, sizeof(*k));
	int r;

	if (!k)
		return errmsg_set_errno(err, -ENOMEM, "cannot count");
	k->config = config;
	k->f = f;
	arena_init(&k->arena, ARENA_MAX_BYTES);
	k->wanted = calloc(f->n_table + 1, 1);
	k->events = calloc(f->n_table + 1, sizeof(struct key_slot *));
	if (keyreader_init(&k->keys, f) < 0 || !k->wanted || !k->events)
		r = errmsg_set_errno(err, -ENOMEM, "cannot count");
	else
		r = find_events(k, err);
	keytable_init(&k->table, k->n_words, sizeof(struct keycount_row), ROWS_MAX);
	if (r < 0) {
		keycount_free(k);
		return r;
	}
	*ret = k;
	return 0;
}

int keycount_new_counted(struct keycount **ret, const struct keycount_config *config)
{
	struct keycount *k = calloc(1, sizeof(*k));

	if (!k)
		return -ENOMEM;
	k->config = config;
	arena_init(&k->arena, ARENA_MAX_BYTES);
	keyreader_init_texts(&k->keys);
	for (size_t i = 0; i < config->n_words; i++)
		memcpy(k->words[k->n_words++], config->words[i], KEY_WORD_MAX);
	keytable_init(&k->table, k->n_words, sizeof(struct keycount_row), ROWS_MAX);
	*ret = k;
	return 0;
}

void keycount_free(struct keycount *k)
{
	if (!k)
		return;
	keyreader_release(&k->keys);
	keytable_release(&k->table);
	arena_release(&k->arena);
	free(k->wanted);
	free(k->events);
	free(k->rows);
	free(k);
}
