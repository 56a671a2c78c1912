// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * keycount.c - counts records by the values of their keys.
 *
 *	record ──▶ a value for each key, 64 bits each ──▶ row of that tuple ──▶ n++
 *
 * Values become text only at the end. Counting an event with two keys takes about 30 ns.
 */
#include "analyse/keycount.h"

#include "analyse/own.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "decode/filter/filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS_MAX	  (1u << 20)
#define ARENA_MAX_BYTES	  (16u << 20)
#define FIELDS_TEXT_BYTES 600 /* size of a message */

struct keycount {
	const struct keycount_config *config;
	struct formats *f;
	struct own own;
	struct keyreader keys;
	struct keytable table;
	struct arena arena;
	char words[KEYS_MAX][KEY_WORD_MAX];
	uint64_t folds[KEYS_MAX];
	size_t n_words;		  /* number of words, including the summed one */
	struct key_slot **events; /* n_words slots by event id; NULL: the event is not counted */
	uint8_t *wanted;
	struct keycount_row **rows;
	size_t n_rows;
	uint64_t n_total, n_gaps, n_dropped;
	uint64_t total_before, dropped_before; /* values at the last keycount_finish() */
	uint64_t total_shown, dropped_shown;
};

static size_t n_keys(const struct keycount *k)
{
	return k->n_words - k->config->has_sum;
}

/*
 * --- words -------------------------------------------------------------------------------------
 */

/* Splits "bytes.log2" into "bytes" and KEYCOUNT_LOG2. */
static int parse_fold(char *word, uint64_t *ret_fold, struct errmsg *err)
{
	char *dot = strrchr(word, '.'), *end;

	*ret_fold = 0;
	if (!dot)
		return 0;
	if (!strcmp(dot, ".log2")) {
		*ret_fold = KEYCOUNT_LOG2;
	} else if (!strncmp(dot, ".buckets=", 9)) {
		*ret_fold = strtoull(dot + 9, &end, 0);
		if (*end || !dot[9] || dot[9] == '-' || !*ret_fold || *ret_fold > INT64_MAX)
			return errmsg_set(
				err, -EINVAL,
				"how wide are the ranges of %.*s? .buckets= takes a number "
				"above 0, not '%s'",
				(int)(dot - word), word, dot + 9);
	} else {
		return errmsg_set(err, -EINVAL,
				  "'%s' of %.*s is not known; ranges are %.*s.log2 and "
				  "%.*s.buckets=100",
				  dot, (int)(dot - word), word, (int)(dot - word), word,
				  (int)(dot - word), word);
	}
	*dot = 0;
	return *word ? 0 : errmsg_set(err, -EINVAL, "ranges of what? as in bytes.log2");
}

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
		snprintf(c->words[c->n_words], KEY_WORD_MAX, "%.*s", (int)len, p);
		TRY(parse_fold(c->words[c->n_words], &c->folds[c->n_words], err));
		key_take_argument(c->words[c->n_words]);
		c->n_words++;
		p += len + (p[len] == ',');
	} while (*p);
	return 0;
}

int keycount_parse_sum(struct keycount_config *c, const char *text, struct errmsg *err)
{
	if (c->n_words == KEYS_MAX)
		return errmsg_set(err, -EINVAL, "with --sum, --by takes up to %d words",
				  KEYS_MAX - 1);
	if (!*text || strlen(text) >= KEY_WORD_MAX || strpbrk(text, ",."))
		return errmsg_set(err, -EINVAL, "--sum takes one field, not '%s'", text);
	snprintf(c->words[c->n_words], KEY_WORD_MAX, "%s", text);
	key_take_argument(c->words[c->n_words++]);
	c->has_sum = true;
	return 0;
}

void keycount_put_first(struct keycount_config *c, const char *word)
{
	memmove(c->words[1], c->words[0], c->n_words * KEY_WORD_MAX);
	memmove(&c->folds[1], &c->folds[0], c->n_words * sizeof(*c->folds));
	snprintf(c->words[0], KEY_WORD_MAX, "%s", word);
	c->folds[0] = 0;
	c->n_words++;
}

int keycount_check_slot(const struct keycount_config *c, size_t word, const struct key_slot *slot,
			struct errmsg *err)
{
	bool is_summed = c->has_sum && word + 1 == c->n_words;
	const struct field *f = slot->field;

	if (slot->kind == KEY_ABSENT || (!is_summed && !c->folds[word]))
		return 0;
	if (slot->kind == KEY_CPU || slot->kind == KEY_PID ||
	    (slot->kind == KEY_NUMBER && !(f->flags & FIELD_REAL)))
		return 0;
	return errmsg_set(err, -EINVAL, "%s is no whole number, which %s", c->words[word],
			  is_summed ? "--sum adds up" : "ranges are made of");
}

/*
 * --- events ------------------------------------------------------------------------------------
 */

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
	return ARRAY_ANY(k->config->n_words, i,
			 !strcmp(k->config->words[i], "$event") ||
				 !strcmp(k->config->words[i], "event"));
}

static void take_words(struct keycount *k, const struct keycount_config *c)
{
	memcpy(k->words, c->words, sizeof(k->words));
	memcpy(k->folds, c->folds, sizeof(k->folds));
	k->n_words = c->n_words;
}

static int settle_words(struct keycount *k, size_t n_events, struct errmsg *err)
{
	struct keycount_config c = *k->config;

	if (n_events > 1 && !k->config->is_joint && !has_event_word(k)) {
		if (c.n_words == KEYS_MAX)
			return errmsg_set(err, -EINVAL,
					  "several events take up to %d words after --by",
					  KEYS_MAX - 1 - c.has_sum);
		keycount_put_first(&c, "$event");
	}
	take_words(k, &c);
	return 0;
}

/*
 * Lists the fields of a single event, as in "count, buf". For several events the list would be too
 * long and stays empty.
 */
static void list_fields(const struct keycount *k, char fields[FIELDS_TEXT_BYTES])
{
	const struct event *only = NULL;
	size_t len = 0;

	for (size_t id = 0; id < k->f->n_table; id++) {
		if (k->events[id] && only)
			return;
		if (k->events[id])
			only = k->f->table[id];
	}
	for (size_t i = 0; only && i < only->n_fields && len < FIELDS_TEXT_BYTES; i++)
		len += snprintf(fields + len, FIELDS_TEXT_BYTES - len, "%s%s", i ? ", " : "",
				only->fields[i].name);
}

/*
 * Refuses a word that is no field. The message lists the fields. It names no command that lists
 * them: when the user runs it, the probe no longer exists.
 */
static int refuse_word(const struct keycount *k, size_t word, struct errmsg *err)
{
	char fields[FIELDS_TEXT_BYTES] = "";
	struct spelling sp;

	spelling_init(&sp, k->words[word], strlen(k->words[word]));
	for (size_t id = 0; id < k->f->n_table; id++)
		if (k->events[id])
			key_spell_field(&sp, k->f->table[id]);
	if (!sp.nearest)
		list_fields(k, fields);
	return errmsg_set(err, -ENOENT,
			  "no counted event has a field '%s' (--%s)%s%s%s; $comm, $pid, $task, "
			  "$cpu and $event work for all",
			  k->words[word], word < n_keys(k) ? "by" : "sum",
			  sp.nearest ? "; the nearest is "
			  : *fields  ? "; there are "
				     : "",
			  sp.nearest ? sp.nearest : "", fields);
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
			size_t own = i + k->config->n_words - k->n_words; /* index without $event */

			k->events[id][i] = key_bind(ev, k->words[i]);
			k->events[id][i].ev = ev;
			known[i] |= k->events[id][i].kind != KEY_ABSENT;
			if (own < KEYS_MAX &&
			    keycount_check_slot(k->config, own, &k->events[id][i], err) < 0)
				return err->code;
		}
	}
	for (size_t i = 0; i < k->n_words; i++)
		if (!known[i])
			return refuse_word(k, i, err);
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

/*
 * --- counting ----------------------------------------------------------------------------------
 */

static bool is_number(const struct key_slot *slot, uint64_t v)
{
	return slot->kind != KEY_ABSENT && !key_is_text(slot) &&
	       !(slot->kind == KEY_NUMBER && field_is_gone(slot->field, v));
}

/* Interprets the 64 bits as signed or unsigned, according to the field. */
static wide to_wide(const struct key_slot *slot, uint64_t v)
{
	bool is_unsigned = slot->kind == KEY_NUMBER && !(slot->field->flags & FIELD_SIGNED);

	return is_unsigned ? (wide)v : (wide)(int64_t)v;
}

/* Returns the end of the range that is closer to 0. This value represents the range. */
static uint64_t fold(uint64_t fold, const struct key_slot *slot, uint64_t value)
{
	wide v = to_wide(slot, value), width = fold;

	if (!fold || !v)
		return value;
	if (fold == KEYCOUNT_LOG2) {
		uint64_t size = v < 0 ? -value : value;
		uint64_t low = UINT64_C(1) << (63 - __builtin_clzll(size));

		return v < 0 ? -low : low;
	}
	return (uint64_t)(v < 0 ? (v + 1) / width * width - 1 : v / width * width);
}

static void add_to_sum(struct keycount_numbers *c, const struct key_slot *slot, uint64_t value,
		       uint64_t n)
{
	wide v = to_wide(slot, value);

	if (!is_number(slot, value))
		return;
	c->sum += v * n;
	if (!c->has_sum || v < c->min)
		c->min = v;
	if (!c->has_sum || v > c->max)
		c->max = v;
	c->has_sum = true;
}

void keycount_add_values(struct keycount *k, const uint64_t *values,
			 const struct key_slot *const *slots, uint64_t n)
{
	uint64_t folded[KEYS_MAX];
	struct keycount_row *row;

	for (size_t i = 0; i < n_keys(k); i++)
		folded[i] = is_number(slots[i], values[i]) ? fold(k->folds[i], slots[i], values[i])
							   : values[i];
	row = (struct keycount_row *)keytable_get(&k->table, folded, slots);
	k->n_total += n;
	if (!row) {
		k->n_dropped += n;
		return;
	}
	row->so_far.n += n;
	if (k->config->has_sum)
		add_to_sum(&row->so_far, slots[n_keys(k)], values[n_keys(k)], n);
}

void keycount_add(struct keycount *k, const struct record *rec)
{
	const struct key_slot *slots[KEYS_MAX];
	uint64_t values[KEYS_MAX];
	struct key_slot *bound;

	k->n_gaps += rec->flags & RECORD_MISSED ? 1 : 0;
	if (!rec->event || (size_t)rec->event->id >= k->f->n_table)
		return;
	bound = k->events[rec->event->id];
	if (!bound || own_takes_part(&k->own, rec))
		return;
	for (size_t i = 0; i < k->config->n_filters; i++)
		if (filter_match(k->config->filters[i], rec) == FILTER_MISS)
			return;
	for (size_t i = 0; i < k->n_words; i++) {
		slots[i] = &bound[i];
		values[i] = key_read(&k->keys, &bound[i], rec);
	}
	keycount_add_values(k, values, slots, 1);
}

void keycount_add_dropped(struct keycount *k, uint64_t n)
{
	k->n_dropped += n;
	k->n_total += n;
}

bool keycount_uses_names(const struct keycount *k)
{
	for (size_t id = 0; id < k->f->n_table; id++)
		for (size_t i = 0; k->events[id] && i < n_keys(k); i++)
			if (k->events[id][i].kind == KEY_COMM || k->events[id][i].kind == KEY_TASK)
				return true;
	return false;
}

/* Finds the row of k with the values of a part's row. Returns NULL if it cannot be known. */
static struct keycount_row *find_same(struct keycount *k, const struct keycount *part,
				      const struct keycount_row *row)
{
	const struct key_slot *slots[KEYS_MAX];
	uint64_t values[KEYS_MAX];

	for (size_t i = 0; i < n_keys(k); i++) {
		size_t id = row->key.slots[i]->ev->id;

		slots[i] = &k->events[id][row->key.slots[i] - part->events[id]];
		values[i] = key_is_text(slots[i]) ? key_of_same_text(&k->keys, row->key.values[i])
						  : row->key.values[i];
		if (key_is_text(slots[i]) && !values[i])
			return NULL;
	}
	return (struct keycount_row *)keytable_get(&k->table, values, slots);
}

static void add_numbers(struct keycount_numbers *to, const struct keycount_numbers *from)
{
	to->n += from->n;
	to->sum += from->sum;
	if (from->has_sum && (!to->has_sum || from->min < to->min))
		to->min = from->min;
	if (from->has_sum && (!to->has_sum || from->max > to->max))
		to->max = from->max;
	to->has_sum |= from->has_sum;
}

int keycount_join(struct keycount *k, struct keycount *part)
{
	if (part->n_dropped)
		return -EAGAIN;
	for (size_t i = 0; i < part->table.n_used; i++) {
		const struct keycount_row *row = (struct keycount_row *)part->table.list[i];
		struct keycount_row *same = find_same(k, part, row);

		if (!same)
			return -EAGAIN;
		add_numbers(&same->so_far, &row->so_far);
	}
	k->n_total += part->n_total;
	k->n_gaps += part->n_gaps;
	part->n_total = part->n_gaps = 0;
	keytable_release(&part->table);
	keytable_init(&part->table, n_keys(part), sizeof(struct keycount_row), ROWS_MAX);
	return 0;
}

void keycount_clear(struct keycount *k)
{
	for (size_t i = 0; i < k->table.n_used; i++)
		((struct keycount_row *)k->table.list[i])->so_far = (struct keycount_numbers){0};
	k->n_total = k->n_dropped = k->n_gaps = 0;
}

/*
 * --- rows --------------------------------------------------------------------------------------
 */

static int compare_values(const struct keycount_row *x, const struct keycount_row *y, size_t i)
{
	const struct pooled_name *a = (const struct pooled_name *)(uintptr_t)x->key.values[i];
	const struct pooled_name *b = (const struct pooled_name *)(uintptr_t)y->key.values[i];
	wide v = to_wide(x->key.slots[i], x->key.values[i]);
	wide w = to_wide(y->key.slots[i], y->key.values[i]);

	if (v == w)
		return 0;
	if (!key_is_text(x->key.slots[i]) || !key_is_text(y->key.slots[i]) || !a || !b)
		return v < w ? -1 : 1;
	return strcmp(a->text, b->text);
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct keycount_row *x = *(struct keycount_row *const *)a,
				  *y = *(struct keycount_row *const *)b;
	const struct keycount *k = ctx;
	int r = 0;

	if (x->now.has_sum && y->now.has_sum && x->now.sum != y->now.sum)
		return x->now.sum < y->now.sum ? 1 : -1;
	if (x->now.n != y->now.n)
		return x->now.n < y->now.n ? 1 : -1;
	for (size_t i = 0; i < n_keys(k) && !r; i++)
		r = compare_values(x, y, i);
	return r;
}

/* Sorts by the other keys first, then by range. */
static int compare_ranges(const void *a, const void *b, void *ctx)
{
	const struct keycount_row *x = *(struct keycount_row *const *)a,
				  *y = *(struct keycount_row *const *)b;
	const struct keycount *k = ctx;
	int r = 0;

	for (int is_range = 0; is_range < 2; is_range++)
		for (size_t i = 0; i < n_keys(k) && !r; i++)
			if (!k->folds[i] == !is_range)
				r = compare_values(x, y, i);
	return r ? r : compare(a, b, ctx);
}

static void settle_row(const struct keycount *k, struct keycount_row *row)
{
	row->now = row->so_far;
	if (k->config->is_each) {
		row->now.n -= row->n_before;
		row->now.sum -= row->sum_before;
	}
	row->n_before = row->so_far.n;
	row->sum_before = row->so_far.sum;
}

int keycount_finish(struct keycount *k)
{
	bool has_ranges = false;

	free(k->rows);
	k->rows = calloc(k->table.n_used + 1, sizeof(struct keycount_row *));
	if (!k->rows)
		return -ENOMEM;
	k->n_rows = 0;
	for (size_t i = 0; i < k->table.n_used; i++) {
		struct keycount_row *row = (struct keycount_row *)k->table.list[i];

		settle_row(k, row);
		if (row->now.n)
			k->rows[k->n_rows++] = row;
	}
	for (size_t i = 0; i < n_keys(k); i++)
		has_ranges |= k->folds[i];
	qsort_r(k->rows, k->n_rows, sizeof(*k->rows), has_ranges ? compare_ranges : compare, k);
	k->total_shown = k->n_total - (k->config->is_each ? k->total_before : 0);
	k->dropped_shown = k->n_dropped - (k->config->is_each ? k->dropped_before : 0);
	k->total_before = k->n_total;
	k->dropped_before = k->n_dropped;
	return 0;
}

const struct keycount_row *const *keycount_rows(const struct keycount *k, size_t *ret_n)
{
	*ret_n = k->n_rows;
	return (const struct keycount_row *const *)k->rows;
}

size_t keycount_n_words(const struct keycount *k)
{
	return n_keys(k);
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
	wide from, to;

	if (!keycount_range(k, row, i, &from, &to)) {
		key_fmt(&k->keys, row->key.slots[i], row->key.values[i], tb);
		return;
	}
	wide_fmt(from, tb);
	if (from == to)
		return;
	textbuf_add_str(tb, "..");
	wide_fmt(to, tb);
}

bool keycount_range(const struct keycount *k, const struct keycount_row *row, size_t i,
		    wide *ret_from, wide *ret_to)
{
	wide v = to_wide(row->key.slots[i], row->key.values[i]);
	wide more = k->folds[i] == KEYCOUNT_LOG2 ? (v < 0 ? -v : v) : (wide)k->folds[i];

	if (!k->folds[i] || !is_number(row->key.slots[i], row->key.values[i]))
		return false;
	more -= more > 0; /* the range of 0 in log2 contains only 0 */
	*ret_from = v < 0 ? v - more : v;
	*ret_to = v < 0 ? v : v + more;
	return true;
}

void wide_fmt(wide v, struct textbuf *tb)
{
	char digits[48], *p = digits + sizeof(digits);
	unsigned __int128 rest = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;

	do
		*--p = '0' + (char)(rest % 10);
	while (rest /= 10);
	if (v < 0)
		*--p = '-';
	textbuf_add(tb, p, digits + sizeof(digits) - p);
}

const char *keycount_summed(const struct keycount *k)
{
	return k->config->has_sum ? k->words[k->n_words - 1] : NULL;
}

wide keycount_sum(const struct keycount *k)
{
	wide sum = 0;

	for (size_t i = 0; i < k->n_rows; i++)
		sum += k->rows[i]->now.sum;
	return sum;
}

uint64_t keycount_total(const struct keycount *k)
{
	return k->total_shown;
}

uint64_t keycount_n_gaps(const struct keycount *k)
{
	return k->n_gaps;
}

uint64_t keycount_n_dropped(const struct keycount *k)
{
	return k->dropped_shown;
}

const uint8_t *keycount_events(const struct keycount *k, size_t *ret_n)
{
	*ret_n = k->f->n_table;
	return k->wanted;
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

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
	if (keyreader_init(&k->keys, f) < 0 || own_init(&k->own, f, config->with_own) < 0 ||
	    !k->wanted || !k->events)
		r = errmsg_set_errno(err, -ENOMEM, "cannot count");
	else
		r = find_events(k, err);
	keytable_init(&k->table, n_keys(k), sizeof(struct keycount_row), ROWS_MAX);
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
	take_words(k, config);
	keytable_init(&k->table, n_keys(k), sizeof(struct keycount_row), ROWS_MAX);
	*ret = k;
	return 0;
}

void keycount_free(struct keycount *k)
{
	if (!k)
		return;
	own_release(&k->own);
	keyreader_release(&k->keys);
	keytable_release(&k->table);
	arena_release(&k->arena);
	free(k->wanted);
	free(k->events);
	free(k->rows);
	free(k);
}
