// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * columns.c - libsonde: fields of many events as arrays, for numpy and the like.
 *
 *	kind of event ──▶ plan: for each column, what to read in such an event
 *	event ──▶ one value in each column
 *
 * A plan is made at the first event of its kind. The first kind that has a field decides the
 * column's type: 8 bytes for a number, or a number of 4 bytes that stands for a text. Texts are
 * kept once: traces repeat the same few names. A byte for each row says which values are null; it
 * exists from the first null on.
 *
 * The arrays hold one value for each event read, so their size is what the caller asked for; only
 * max_rows limits it.
 */
#include "library/library_int.h"

#include "analyse/namepool.h"
#include "base/array.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "decode/formats/formats.h"
#include "format/bytes.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 1024
#define PLANS_MAX   1000000
#define TEXTS_MAX   (1u << 24)

enum op {
	OP_NULL,
	OP_TS,
	OP_CPU,
	OP_PID,
	OP_TGID,
	OP_COMM,
	OP_EVENT,
	OP_SYSTEM,
	OP_NUMBER,
	OP_TEXT
};

/* What one column reads in events of one kind. */
struct cell {
	enum op op;
	const struct field *field; /* NUMBER */
	bool swap;
	struct key_slot slot; /* TEXT */
	struct map codes;     /* TEXT: the number of a text, plus 1, by value */
};

struct plan {
	size_t n;
	struct cell cells[];
};

struct column {
	char *name;
	enum op general; /* a word with $; OP_NULL: a field */
	bool as_text, is_bound;
	enum sonde_type type;
	union {
		uint64_t *numbers;
		double *reals;
		int32_t *codes;
	};
	size_t cap, cap_nulls;
	uint8_t *nulls;
	const char **texts;
	size_t n_texts, cap_texts;
	struct map codes_by_text; /* plus 1, by the address of a text in the pool */
	/* the last name of a task or event, and its number */
	const char *last;
	int32_t last_code;
};

struct sonde_columns {
	struct column *list;
	size_t n, n_rows;
	struct map plans; /* struct plan by the address of an event */
	const struct event *last;
	struct plan *last_plan;
	struct namepool pool;
	bool has_fields;
	struct sonde_events *events; /* while they are read */
	struct textbuf text;
	struct errmsg *err;
};

/* --- words ------------------------------------------------------------------------------------ */

static const struct {
	const char *word;
	enum op op;
	enum sonde_type type;
} general[] = {
	{"$ts", OP_TS, SONDE_UNSIGNED},	    {"$cpu", OP_CPU, SONDE_INTEGER},
	{"$pid", OP_PID, SONDE_INTEGER},    {"$tgid", OP_TGID, SONDE_INTEGER},
	{"$comm", OP_COMM, SONDE_TEXT},	    {"$event", OP_EVENT, SONDE_TEXT},
	{"$system", OP_SYSTEM, SONDE_TEXT},
};

static int init_column(struct column *c, const char *word, struct errmsg *err)
{
	static const char as_text[] = ":text";
	size_t len = strlen(word), n = sizeof(as_text) - 1;

	c->as_text = len > n && !strcmp(word + len - n, as_text);
	c->name = strndup(word, c->as_text ? len - n : len);
	if (!c->name)
		return -ENOMEM;
	if (*word != '$')
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(general); i++)
		if (!strcmp(general[i].word, word)) {
			c->general = general[i].op;
			c->type = general[i].type;
			c->is_bound = true;
			return 0;
		}
	return errmsg_set(err, -EINVAL,
			  "there is no column '%s'; there are $ts, $cpu, $pid, $tgid, $comm, "
			  "$event, $system and the names of fields",
			  word);
}

/* --- plans ------------------------------------------------------------------------------------ */

static enum sonde_type field_type(const struct field *f)
{
	return sonde_field_type((const struct sonde_field *)(const void *)f);
}

static struct cell bind_field(struct column *c, const struct event *ev)
{
	const struct field *f = ev ? event_find_any(ev, c->name) : NULL;
	enum sonde_type type = f ? field_type(f) : SONDE_NULL;
	struct cell cell = {.op = OP_NULL, .field = f};

	if (!f)
		return cell;
	cell.slot = key_bind(ev, c->name);
	cell.swap = ev->formats->swap;
	if (c->as_text || type == SONDE_TEXT || cell.slot.is_array)
		type = cell.slot.kind == KEY_ABSENT ? SONDE_NULL : SONDE_TEXT;
	if (type == SONDE_NULL || type == SONDE_BYTES)
		return cell;
	if (!c->is_bound) {
		c->is_bound = true;
		c->type = type;
	}
	if (c->type == SONDE_TEXT)
		cell.op = OP_TEXT;
	else if (type != SONDE_TEXT && (type == SONDE_REAL) <= (c->type == SONDE_REAL))
		cell.op = OP_NUMBER;
	return cell;
}

static struct plan *make_plan(struct sonde_columns *s, const struct event *ev)
{
	struct plan *p = calloc(1, sizeof(*p) + s->n * sizeof(p->cells[0]));

	if (!p)
		return NULL;
	p->n = s->n;
	for (size_t i = 0; i < s->n; i++) {
		struct column *c = &s->list[i];

		p->cells[i] = c->general ? (struct cell){.op = c->general} : bind_field(c, ev);
	}
	return p;
}

static struct plan *find_plan(struct sonde_columns *s, const struct event *ev)
{
	void **slot;

	if (s->last_plan && s->last == ev)
		return s->last_plan;
	slot = map_take(&s->plans, (uintptr_t)ev, PLANS_MAX);
	if (!slot)
		return NULL;
	if (!*slot) {
		struct plan *made = make_plan(s, ev);

		if (!made) {
			map_remove(&s->plans, (uintptr_t)ev);
			return NULL;
		}
		*slot = made;
	}
	s->last = ev;
	s->last_plan = *slot;
	return *slot;
}

static void free_plans(struct sonde_columns *s)
{
	for (size_t i = 0; i < s->plans.n_slots; i++) {
		struct plan *p = s->plans.slots[i].value;

		for (size_t k = 0; p && k < p->n; k++)
			map_release(&p->cells[k].codes);
		free(p);
	}
	map_release(&s->plans);
	s->last_plan = NULL;
}

/* --- values ----------------------------------------------------------------------------------- */

static int too_many_texts(struct sonde_columns *s, const struct column *c)
{
	return errmsg_set(s->err, -ENOMEM,
			  "the column '%s' has too many different texts (limit: %u MB); read fewer "
			  "rows at a time",
			  c->name, NAMEPOOL_MAX_BYTES >> 20);
}

/* The number of a text, or a negative errno. */
static int code_of(struct sonde_columns *s, struct column *c, const char *text, size_t len)
{
	const struct pooled_name *name = namepool_find(&s->pool, text, len);
	void **slot = name ? map_take(&c->codes_by_text, (uintptr_t)name, TEXTS_MAX) : NULL;

	if (!slot)
		return too_many_texts(s, c);
	if (*slot)
		return (int)((uintptr_t)*slot - 1);
	if (!ARRAY_ROOM(c->texts, c->cap_texts, c->n_texts + 1, TEXTS_MAX)) {
		map_remove(&c->codes_by_text, (uintptr_t)name);
		return too_many_texts(s, c);
	}
	c->texts[c->n_texts] = name->text;
	*slot = (void *)(uintptr_t)(c->n_texts + 1);
	return (int)c->n_texts++;
}

static int code_of_name(struct sonde_columns *s, struct column *c, const char *name)
{
	if (name != c->last) {
		int r = code_of(s, c, name, strlen(name));

		TRY(r);
		c->last = name;
		c->last_code = r;
	}
	return c->last_code;
}

static int code_of_field(struct sonde_columns *s, struct column *c, struct cell *cell,
			 const struct record *rec)
{
	struct reader *reader = library_reader(s->events, library_file_of(s->events, rec->source));
	void **slot;
	uint64_t v;
	int r;

	if (!reader)
		return -ENOMEM;
	v = key_read(&reader->keys, &cell->slot, rec);
	if (!v && cell->slot.kind == KEY_TEXT)
		return too_many_texts(s, c);
	slot = map_take(&cell->codes, v, TEXTS_MAX);
	if (!slot)
		return too_many_texts(s, c);
	if (*slot)
		return (int)((uintptr_t)*slot - 1);
	textbuf_clear(&s->text);
	key_fmt(&reader->keys, &cell->slot, v, &s->text);
	r = code_of(s, c, s->text.start ? s->text.start : "", textbuf_len(&s->text));
	if (r < 0)
		map_remove(&cell->codes, v);
	else
		*slot = (void *)(uintptr_t)(r + 1);
	return r;
}

static int set_null(struct column *c, size_t row)
{
	if (__builtin_expect(row >= c->cap_nulls, 0) &&
	    !ARRAY_ROOM(c->nulls, c->cap_nulls, row + 1, ARRAY_NO_MAX))
		return -ENOMEM;
	c->nulls[row] = 1;
	return 0;
}

static inline int set_number(struct column *c, size_t row, const struct cell *cell,
			     const struct record *rec)
{
	const struct field *f = cell->field;
	uint64_t v;

	if (__builtin_expect((uint64_t)f->offset + f->size > rec->size, 0))
		return set_null(c, row);
	v = field_number(f, bytes_get(rec->data + f->offset, f->size, cell->swap));
	if (__builtin_expect(field_is_gone(f, v), 0))
		return set_null(c, row);
	if (f->flags & FIELD_SIGNED && f->size < 8)
		v = (uint64_t)bytes_extend_sign(v, f->size);
	if (c->type != SONDE_REAL)
		c->numbers[row] = v;
	else if (f->flags & FIELD_REAL)
		c->reals[row] = real_of(f, v);
	else
		c->reals[row] = f->flags & FIELD_SIGNED ? (double)(int64_t)v : (double)v;
	return 0;
}

static int set_code(struct column *c, size_t row, int code)
{
	TRY(code);
	c->codes[row] = code;
	return 0;
}

/* The value of a field in one event. */
static inline int set_field(struct sonde_columns *s, struct column *c, struct cell *cell,
			    size_t row, const struct record *rec)
{
	if (__builtin_expect(cell->op == OP_NUMBER, 1))
		return set_number(c, row, cell, rec);
	if (cell->op == OP_NULL || (uint64_t)cell->field->offset + cell->field->size > rec->size)
		return set_null(c, row);
	return set_code(c, row, code_of_field(s, c, cell, rec));
}

/* A column that every event has: records into rows from `row` on. */
static int set_general(struct sonde_columns *s, struct column *c, size_t row,
		       const struct record *list, size_t n)
{
	uint64_t *to = c->numbers + row;

	for (size_t i = 0; i < n; i++) {
		const struct task *task = list[i].task;
		const struct event *ev = list[i].event;

		switch (c->general) {
		case OP_TS:
			to[i] = list[i].ts;
			break;
		case OP_CPU:
			to[i] = list[i].cpu;
			break;
		case OP_PID:
			to[i] = (uint64_t)(task ? task->pid : -1);
			break;
		case OP_TGID:
			to[i] = (uint64_t)(task ? task->tgid : -1);
			break;
		case OP_COMM:
			TRY(set_code(c, row + i, code_of_name(s, c, task ? task->comm : "<...>")));
			break;
		case OP_EVENT:
			TRY(set_code(c, row + i, code_of_name(s, c, ev ? ev->name : "")));
			break;
		default:
			TRY(set_code(c, row + i, code_of_name(s, c, ev ? ev->system : "")));
		}
	}
	return 0;
}

static int make_room(struct sonde_columns *s, size_t n)
{
	bool ok = true;

	for (size_t i = 0; i < s->n && ok; i++) {
		struct column *c = &s->list[i];

		if (c->is_bound && c->type == SONDE_TEXT)
			ok = ARRAY_ROOM(c->codes, c->cap, n, ARRAY_NO_MAX);
		else
			ok = ARRAY_ROOM(c->numbers, c->cap, n, ARRAY_NO_MAX);
	}
	return ok ? 0 : -ENOMEM;
}

/* A column that was unbound has an array of numbers; its rows were null so far. */
static int retype(struct sonde_columns *s, const bool *was_bound, size_t n)
{
	for (size_t i = 0; i < s->n; i++) {
		struct column *c = &s->list[i];

		if (was_bound[i] || !c->is_bound || c->type != SONDE_TEXT)
			continue;
		free(c->numbers);
		c->codes = NULL;
		c->cap = 0;
		if (!ARRAY_ROOM(c->codes, c->cap, n, ARRAY_NO_MAX))
			return -ENOMEM;
	}
	return 0;
}

/* The plan of the event. Columns that it binds get their arrays. */
static int plan_for(struct sonde_columns *s, const struct event *ev, size_t n_room,
		    struct plan **ret)
{
	bool was_bound[COLUMNS_MAX];

	if (s->last_plan && s->last == ev) {
		*ret = s->last_plan;
		return 0;
	}
	for (size_t i = 0; i < s->n; i++)
		was_bound[i] = s->list[i].is_bound;
	*ret = find_plan(s, ev);
	return *ret ? retype(s, was_bound, n_room) : -ENOMEM;
}

static int add_rows(struct sonde_columns *s, const struct record *list, size_t n)
{
	struct plan *plans[BATCH_RECORDS];
	size_t row = s->n_rows;

	TRY(make_room(s, row + n));
	for (size_t i = 0; i < n && s->has_fields; i++)
		TRY(plan_for(s, list[i].event, row + n, &plans[i]));
	for (size_t k = 0; k < s->n; k++) {
		struct column *c = &s->list[k];

		if (c->general)
			TRY(set_general(s, c, row, list, n));
		for (size_t i = 0; !c->general && i < n; i++)
			TRY(set_field(s, c, &plans[i]->cells[k], row + i, &list[i]));
	}
	s->n_rows += n;
	return 0;
}

/* --- reading ---------------------------------------------------------------------------------- */

static int read_rows(struct sonde_columns *s, size_t max_rows)
{
	struct sonde_events *e = s->events;
	int r;

	while ((r = s->n_rows < max_rows ? library_fill(e) : 0) > 0) {
		size_t n = e->n - e->at, left = max_rows - s->n_rows;

		if (n > left)
			n = left;
		TRY(add_rows(s, &e->batch.records[e->at], n));
		e->at += n;
	}
	if (r < 0)
		errmsg_set(s->err, r, "%s", e->err.text);
	return r;
}

/* A field that no event has had is a mistake, if there were events. */
static int check_bound(struct sonde_columns *s)
{
	for (size_t i = 0; i < s->n && s->n_rows; i++) {
		struct spelling sp;

		if (s->list[i].is_bound)
			continue;
		spelling_init(&sp, s->list[i].name, strlen(s->list[i].name));
		for (size_t k = 0; k < s->plans.n_slots; k++) {
			const struct event *ev =
				(const struct event *)(uintptr_t)s->plans.slots[k].key;

			if (s->plans.slots[k].value && ev)
				key_spell_field(&sp, ev);
		}
		return errmsg_set(s->err, -ENOENT,
				  "no event that was read has a field '%s' with a value%s%s%s",
				  s->list[i].name, sp.nearest ? "; did you mean '" : "",
				  sp.nearest ? sp.nearest : "", sp.nearest ? "'?" : "");
	}
	return 0;
}

/* Rows after the last null have no byte yet, and null texts have no number. */
static int complete_nulls(struct sonde_columns *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct column *c = &s->list[i];

		if (!c->nulls)
			continue;
		if (!ARRAY_ROOM(c->nulls, c->cap_nulls, s->n_rows, ARRAY_NO_MAX))
			return -ENOMEM;
		for (size_t k = 0; c->type == SONDE_TEXT && k < s->n_rows; k++)
			if (c->nulls[k])
				c->codes[k] = -1;
	}
	return 0;
}

SCOPED_POINTER(struct sonde_columns, sonde_columns_free)

static int init_columns(struct sonde_columns *s, const char *const *words, size_t n,
			struct errmsg *err)
{
	namepool_init(&s->pool);
	textbuf_init(&s->text, LIBRARY_TEXT_MAX_BYTES);
	s->err = err;
	if (!n || n > COLUMNS_MAX)
		return errmsg_set(err, -EINVAL, "there must be 1 to %d columns, not %zu",
				  COLUMNS_MAX, n);
	s->list = calloc(n, sizeof(*s->list));
	if (!s->list)
		return -ENOMEM;
	for (; s->n < n; s->n++) {
		TRY(init_column(&s->list[s->n], words[s->n], err));
		s->has_fields |= !s->list[s->n].general;
	}
	return 0;
}

PUBLIC int sonde_columns_read(struct sonde_columns **ret, struct sonde_events *events,
			      const char *const *words, size_t n_words, size_t max_rows,
			      struct sonde_error *error)
{
	SCOPED(sonde_columns_free_scoped) struct sonde_columns *s = calloc(1, sizeof(*s));
	struct errmsg err = {0};
	int r = s ? init_columns(s, words, n_words, &err) : -ENOMEM;

	if (r >= 0) {
		s->events = events;
		r = read_rows(s, max_rows ? max_rows : SIZE_MAX);
	}
	if (r >= 0)
		r = check_bound(s);
	if (r >= 0)
		r = complete_nulls(s);
	if (r < 0)
		return library_fail(error, &err, r);
	free_plans(s);
	s->events = NULL;
	s->err = NULL;
	*ret = TAKE(s);
	return 0;
}

PUBLIC void sonde_columns_free(struct sonde_columns *s)
{
	if (!s)
		return;
	free_plans(s);
	for (size_t i = 0; i < s->n; i++) {
		struct column *c = &s->list[i];

		free(c->name);
		free(c->numbers);
		free(c->nulls);
		free(c->texts);
		map_release(&c->codes_by_text);
	}
	free(s->list);
	namepool_release(&s->pool);
	textbuf_release(&s->text);
	free(s);
}

PUBLIC int sonde_columns_get(const struct sonde_columns *s, size_t i, struct sonde_column *ret)
{
	const struct column *c = i < s->n ? &s->list[i] : NULL;

	if (!c)
		return -EINVAL;
	*ret = (struct sonde_column){.type = c->is_bound ? c->type : SONDE_INTEGER,
				     .n = s->n_rows,
				     .values = c->numbers,
				     .nulls = c->nulls,
				     .texts = c->texts,
				     .n_texts = c->n_texts};
	return 0;
}
