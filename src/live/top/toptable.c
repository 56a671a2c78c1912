// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * toptable.c - counts equal samples, and makes rows of them when a table is shown.
 *
 *	sample ─▶ cell: event, thread, CPU, stack; how many ─▶ when shown: keys as texts ─▶ row
 *
 * Names come later than samples, so cells have places, and only rows have names. Without callers a
 * stack is cut to its first place: then a busy machine has a few thousand cells. There are at most
 * 512 Ki of them; samples that find no room are counted.
 */
#include "live/top/toptable.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/map.h"
#include "base/scope.h"
#include "live/top/topnames.h"
#include "store/events/sampleevents.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_MAX   (512u << 10)
#define ROWS_MAX    (1u << 20)
#define DEPTH_MAX   64u /* of a stack */
#define CHAIN_DEPTH 6u
#define NAME_BYTES  256
#define CHAINS_MAX  256u

struct cell {
	struct cell *next; /* with the same hash */
	uint32_t event;
	int tid, tgid, cpu;
	double n, weight;
	uint32_t n_stack;
	uint64_t stack[];
};

struct toptable {
	struct map cells; /* hash to the first cell of a list */
	size_t n_cells;
	uint64_t n_dropped;
};

static const struct {
	const char *name, *aliases[3];
} key_names[] = {
	[TOPKEY_FUNCTION] = {"function", {"symbol", "sym", "func"}},
	[TOPKEY_FILE] = {"file", {"dso", "module", "object"}},
	[TOPKEY_COMM] = {"comm", {"command", "name", "comm"}},
	[TOPKEY_THREAD] = {"thread", {"tid", "task", "thread"}},
	[TOPKEY_PROCESS] = {"process", {"pid", "tgid", "process"}},
	[TOPKEY_CPU] = {"cpu", {"cpus", "CPU", "cpu"}},
};

const char *toptable_key_name(enum topkey key)
{
	return key_names[key].name;
}

static int find_key(const char *word, size_t len)
{
	for (int k = 0; k < TOPKEYS; k++) {
		if (strlen(key_names[k].name) == len && !strncmp(key_names[k].name, word, len))
			return k;
		for (size_t a = 0; a < 3; a++)
			if (strlen(key_names[k].aliases[a]) == len &&
			    !strncmp(key_names[k].aliases[a], word, len))
				return k;
	}
	return -1;
}

int toptable_parse_keys(struct toptable_config *config, const char *text, struct errmsg *err)
{
	config->n_keys = 0;
	while (*text) {
		size_t len = strcspn(text, ",");
		int key = find_key(text, len);

		if (key < 0)
			return errmsg_set(
				err, -EINVAL,
				"unknown key '%.*s': they are function (symbol), file (dso), comm, "
				"thread (tid), process (pid), cpu",
				(int)len, text);
		if (!ARRAY_ANY(config->n_keys, i, config->keys[i] == (enum topkey)key))
			config->keys[config->n_keys++] = (enum topkey)key;
		text += len + (text[len] == ',');
	}
	if (!config->n_keys)
		return errmsg_set(err, -EINVAL, "the list of keys is empty");
	return 0;
}

/*
 * --- cells --------------------------------------------------------------------------------------
 */

struct toptable *toptable_new(void)
{
	return calloc(1, sizeof(struct toptable));
}

static void free_cells(struct toptable *t)
{
	for (size_t i = 0; i < t->cells.n_slots; i++)
		for (struct cell *c = t->cells.slots[i].value, *next; c; c = next) {
			next = c->next;
			free(c);
		}
	map_release(&t->cells);
	t->cells = (struct map){0};
	t->n_cells = 0;
}

void toptable_free(struct toptable *t)
{
	if (!t)
		return;
	free_cells(t);
	free(t);
}

static uint64_t hash_of(const struct topsample *s, size_t n_stack)
{
	uint64_t h =
		s->event * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)s->tid << 20 ^ (uint64_t)s->cpu;

	for (size_t i = 0; i < n_stack; i++)
		h = (h ^ s->stack[i]) * UINT64_C(0x9e3779b97f4a7c15) + (h >> 29);
	return h | 1;
}

static bool is_same(const struct cell *c, const struct topsample *s, size_t n_stack)
{
	return c->event == s->event && c->tid == s->tid && c->cpu == s->cpu &&
	       c->n_stack == n_stack &&
	       memcmp(c->stack, s->stack, n_stack * sizeof(*s->stack)) == 0;
}

static struct cell *make_cell(struct toptable *t, const struct topsample *s, size_t n_stack)
{
	struct cell *c;

	if (t->n_cells >= CELLS_MAX)
		return NULL;
	c = calloc(1, sizeof(*c) + n_stack * sizeof(*c->stack));
	if (!c)
		return NULL;
	c->event = s->event;
	c->tid = s->tid;
	c->tgid = s->tgid;
	c->cpu = s->cpu;
	c->n_stack = (uint32_t)n_stack;
	memcpy(c->stack, s->stack, n_stack * sizeof(*c->stack));
	t->n_cells++;
	return c;
}

void toptable_add(struct toptable *t, const struct topsample *s)
{
	size_t n_stack = s->n_stack > DEPTH_MAX ? DEPTH_MAX : s->n_stack;
	void **slot = map_take(&t->cells, hash_of(s, n_stack), CELLS_MAX);
	struct cell *c = slot ? *slot : NULL;

	while (c && !is_same(c, s, n_stack))
		c = c->next;
	if (!c) {
		c = slot ? make_cell(t, s, n_stack) : NULL;
		if (!c) {
			t->n_dropped++;
			return;
		}
		c->next = *slot;
		*slot = c;
	}
	c->n += 1;
	c->weight += (double)s->period;
}

uint64_t toptable_n_dropped(const struct toptable *t)
{
	return t->n_dropped;
}

void toptable_age(struct toptable *t, double by)
{
	if (by <= 0) {
		free_cells(t);
		return;
	}
	for (size_t i = 0; i < t->cells.n_slots; i++)
		for (struct cell *c = t->cells.slots[i].value; c; c = c->next) {
			c->n *= by;
			c->weight *= by;
		}
}

/*
 * --- rows ---------------------------------------------------------------------------------------
 */

struct making {
	const struct toptable_config *config;
	struct topnamer namer;
	struct toprows *rows;
	struct map by_text; /* hash of the keys to row + 1; texts resolve collisions */
};

static uint64_t mix_text(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = (h ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return h * 31 + 7;
}

static bool is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	if (!list)
		return true;
	for (const char *at = list; *at;) {
		size_t n = strcspn(at, ",");

		if (n == len && !strncmp(at, name, n))
			return true;
		at += n + (at[n] == ',');
	}
	return false;
}

static void fmt_key(const struct making *m, enum topkey key, const struct cell *c, uint64_t place,
		    char *buf)
{
	switch (key) {
	case TOPKEY_FUNCTION:
		topnamer_function(&m->namer, place, buf, NAME_BYTES);
		break;
	case TOPKEY_FILE:
		snprintf(buf, NAME_BYTES, "%s", topnamer_file(&m->namer, place));
		break;
	case TOPKEY_COMM:
		snprintf(buf, NAME_BYTES, "%s", topnamer_task(&m->namer, c->tid));
		break;
	case TOPKEY_THREAD:
		snprintf(buf, NAME_BYTES, "%d:%s", c->tid, topnamer_task(&m->namer, c->tid));
		break;
	case TOPKEY_PROCESS:
		snprintf(buf, NAME_BYTES, "%d:%s", c->tgid, topnamer_task(&m->namer, c->tgid));
		break;
	default:
		snprintf(buf, NAME_BYTES, "%d", c->cpu);
		break;
	}
}

static bool is_same_row(const struct toprow *row, char texts[][NAME_BYTES], size_t n,
			bool is_kernel)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(row->keys[i], texts[i]) != 0)
			return false;
	return row->is_kernel == is_kernel;
}

static struct toprow *new_row(struct making *m, char texts[][NAME_BYTES], bool is_kernel)
{
	struct toprows *r = m->rows;
	struct toprow *row;

	if (!ARRAY_ROOM(r->rows, r->cap, r->n + 1, ROWS_MAX))
		return NULL;
	row = &r->rows[r->n++];
	*row = (struct toprow){.is_kernel = is_kernel};
	for (size_t i = 0; i < m->config->n_keys; i++) {
		row->keys[i] = strdup(texts[i]);
		if (!row->keys[i])
			return NULL;
	}
	return row;
}

static bool has_function(const struct toptable_config *config)
{
	return ARRAY_ANY(config->n_keys, i, config->keys[i] == TOPKEY_FUNCTION);
}

/* Finds the row of a place in a cell, or makes it. NULL: out of memory. */
static struct toprow *find_row(struct making *m, const struct cell *c, uint64_t place)
{
	char texts[TOPKEYS][NAME_BYTES];
	/* functions of the kernel and of programs may have one name */
	bool is_kernel = has_function(m->config) && sampleevents_is_kernel(place);
	uint64_t h = is_kernel;
	struct toprow *row;
	void **slot;

	for (size_t i = 0; i < m->config->n_keys; i++) {
		fmt_key(m, m->config->keys[i], c, place, texts[i]);
		h = mix_text(h, texts[i]);
	}
	for (;; h++) {
		slot = map_take(&m->by_text, h | 1, ROWS_MAX);
		if (!slot)
			return NULL;
		if (!*slot)
			break;
		row = &m->rows->rows[(uintptr_t)*slot - 1];
		if (is_same_row(row, texts, m->config->n_keys, is_kernel))
			return row;
	}
	row = new_row(m, texts, is_kernel);
	if (row)
		*slot = (void *)(uintptr_t)m->rows->n;
	return row;
}

static bool is_wanted(const struct making *m, const struct cell *c)
{
	const struct toptable_config *config = m->config;
	uint64_t place = c->n_stack ? c->stack[0] : 0;
	char name[NAME_BYTES];

	if (c->event != config->event || (config->no_kernel && sampleevents_is_kernel(place)) ||
	    (config->no_user && !sampleevents_is_kernel(place)))
		return false;
	if (config->comms && !is_listed(config->comms, topnamer_task(&m->namer, c->tid)))
		return false;
	if (config->files && !is_listed(config->files, topnamer_file(&m->namer, place)))
		return false;
	return !config->functions ||
	       is_listed(config->functions,
			 topnamer_function(&m->namer, place, name, sizeof(name)));
}

/* A function that is in a stack twice counts once. */
static int add_callers(struct making *m, const struct cell *c)
{
	size_t seen[DEPTH_MAX], n_seen = 0;

	for (uint32_t i = 0; i < c->n_stack; i++) {
		const struct toprow *row = find_row(m, c, c->stack[i]);
		size_t index = row ? (size_t)(row - m->rows->rows) : 0;

		if (!row)
			return -ENOMEM;
		if (ARRAY_ANY(n_seen, k, seen[k] == index))
			continue;
		seen[n_seen++] = index;
		m->rows->rows[index].total += c->weight;
	}
	return 0;
}

static int add_cell(struct making *m, const struct cell *c)
{
	uint64_t place = c->n_stack ? c->stack[0] : 0;
	struct toprow *row;

	if (!is_wanted(m, c))
		return 0;
	row = find_row(m, c, place);
	if (!row)
		return -ENOMEM;
	row->self += c->weight;
	row->n += c->n;
	m->rows->weight += c->weight;
	m->rows->n_samples += c->n;
	if (sampleevents_is_kernel(place))
		m->rows->kernel += c->weight;
	if (m->config->has_children)
		return add_callers(m, c);
	row->total += c->weight;
	return 0;
}

/*
 * --- callers ------------------------------------------------------------------------------------
 */

static void fmt_chain(const struct making *m, const struct cell *c, char *buf, size_t n_bytes)
{
	char name[NAME_BYTES];
	size_t at = 0;

	buf[0] = '\0';
	for (uint32_t i = 1; i < c->n_stack && i <= CHAIN_DEPTH && at < n_bytes; i++)
		at += (size_t)snprintf(
			buf + at, n_bytes - at, "%s%s", i > 1 ? " <- " : "",
			topnamer_function(&m->namer, c->stack[i], name, sizeof(name)));
}

/* Keeps the heaviest chains of a row; at most CHAINS_MAX. */
static void keep_chain(struct topchain *list, size_t *n, const char *text, double weight)
{
	for (size_t i = 0; i < *n; i++) {
		if (!strcmp(list[i].text, text)) {
			list[i].weight += weight;
			return;
		}
	}
	if (*n >= CHAINS_MAX)
		return;
	list[*n] = (struct topchain){.text = strdup(text), .weight = weight};
	*n += list[*n].text != NULL;
}

ARRAY_ORDER(by_chain, struct topchain, COMPARE(y->weight, x->weight))

static void add_chains(struct making *m, const struct toptable *t, struct toprow *row)
{
	struct topchain list[CHAINS_MAX];
	size_t index = (size_t)(row - m->rows->rows), n = 0;
	char text[(CHAIN_DEPTH + 1) * NAME_BYTES];

	for (size_t i = 0; i < t->cells.n_slots; i++)
		for (struct cell *c = t->cells.slots[i].value; c; c = c->next) {
			const struct toprow *own;

			if (c->n_stack < 2 || !is_wanted(m, c))
				continue;
			own = find_row(m, c, c->stack[0]);
			if (!own || (size_t)(own - m->rows->rows) != index)
				continue;
			fmt_chain(m, c, text, sizeof(text));
			keep_chain(list, &n, text, c->weight);
		}
	qsort(list, n, sizeof(*list), by_chain);
	row = &m->rows->rows[index];
	for (size_t i = 0; i < n; i++) {
		if (i < TOPTABLE_CALLERS)
			row->chains[row->n_chains++] = list[i];
		else
			free(list[i].text);
	}
}

ARRAY_ORDER(by_total, struct toprow,
	    COMPARE(y->total, x->total) ?: COMPARE(y->self, x->self) ?: strcmp(x->keys[0], y->keys[0]))
ARRAY_ORDER(by_self, struct toprow, COMPARE(y->self, x->self) ?: strcmp(x->keys[0], y->keys[0]))

static int make_rows(struct making *m, const struct toptable *t)
{
	struct toprows *r = m->rows;

	for (size_t i = 0; i < t->cells.n_slots; i++)
		for (struct cell *c = t->cells.slots[i].value; c; c = c->next)
			if (add_cell(m, c) < 0)
				return -ENOMEM;
	/* chains of the rows that are large enough to be shown; before sorting moves the rows */
	for (size_t i = 0; m->config->has_callers && i < r->n; i++)
		if (r->rows[i].self * 100 >= r->weight)
			add_chains(m, t, &r->rows[i]);
	if (r->n)
		qsort(r->rows, r->n, sizeof(*r->rows),
		      m->config->has_children ? by_total : by_self);
	return 0;
}

int toptable_rows(const struct toptable *t, const struct toptable_config *config,
		  const struct topnames *names, struct toprows *ret)
{
	struct making m = {.config = config, .rows = ret};
	int r;

	*ret = (struct toprows){0};
	TRY(topnamer_init(&m.namer, names));
	r = make_rows(&m, t);
	topnamer_release(&m.namer);
	map_release(&m.by_text);
	if (r < 0)
		toprows_release(ret);
	return r;
}

void toprows_release(struct toprows *r)
{
	for (size_t i = 0; i < r->n; i++) {
		for (size_t k = 0; k < TOPKEYS; k++)
			free(r->rows[i].keys[k]);
		for (size_t k = 0; k < r->rows[i].n_chains; k++)
			free(r->rows[i].chains[k].text);
	}
	free(r->rows);
	*r = (struct toprows){0};
}
