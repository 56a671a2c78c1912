// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * textkinds.c - finds the fields of an event in its texts.
 *
 *	workqueue_execute_end: work struct 00000000f3a5c3d1: function vmstat_update     no fields
 *	block_rq_issue: …                                                               no fields
 *	sched_stat_runtime: comm=bash pid=7 runtime=12345 [ns]      comm, pid, runtime
 *
 * An event of known.c has the kernel's own fields. Of any other, NAME=VALUE and NAME: VALUE are
 * fields: 64-bit numbers if all values are numbers, otherwise strings. If every text of the kind is
 * its fields between the same words, these words are its print format. If one is not, the whole text
 * is a further field, `text`, and is what a report prints: so the text always comes back as it was.
 *
 * Kinds are told apart by their name and by whether known.c reads the text: if one sched_switch has
 * a strange text, only this one becomes an event without the kernel's fields (system "text").
 */
#include "inputs/foreign/textkinds.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/textbuf.h"
#include "inputs/foreign/known.h"
#include "inputs/foreign/maker.h"
#include "store/events/eventformats.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED	       1
#define FIRST_ID       1000 /* below are those of the kernel's function events */
#define ARENA_BYTES    (64u << 20)
#define FIELDS_MAX     16
#define FIELD_NAME_MAX 40
#define NAME_MAX_LEN   64
#define WORDS_MAX      1024 /* bytes of the words between values */
#define GAP	       '\1' /* stands for a value among them */

enum { IS_NUMBER = 1, IS_DEC = 2, IS_HEX = 4, IS_ALL = 7 };

struct textkind_field {
	char name[FIELD_NAME_MAX + 1];
	unsigned is; /* what all values are */
	uint32_t offset;
};

struct textkind {
	struct textkind *next; /* of the same hash */
	const char *name;
	const struct known_event *known;
	uint16_t id;
	bool has_text; /* the words differ */
	const char *words;
	size_t n_words;
	struct textkind_field fields[FIELDS_MAX];
	size_t n_fields;
	uint32_t n_bytes; /* without strings */
};

/* One text, taken apart. */
struct pair {
	struct piece name, value;
};

struct pairs {
	struct pair list[FIELDS_MAX];
	size_t n;
	char words[WORDS_MAX];
	size_t n_words;
	bool is_cut; /* there are more words or fields */
};

void textkinds_init(struct textkinds *k)
{
	*k = (struct textkinds){0};
	arena_init(&k->arena, ARENA_BYTES);
}

void textkinds_release(struct textkinds *k)
{
	map_release(&k->by_name);
	free(k->list);
	arena_release(&k->arena);
}

/*
 * --- a text ------------------------------------------------------------------------------------
 */

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/*
 * Finds the next NAME= or "NAME: " from `at` on. Returns its beginning; NULL: there is none.
 * *ret_value: what follows.
 */
static const char *find_name(const char *start, const char *at, const char *end,
			     const char **ret_name_end, const char **ret_value)
{
	for (const char *p = at; p < end; p++) {
		const char *name = p;

		if (!isalpha((unsigned char)*p) && *p != '_')
			continue;
		if (p > start && (is_name_char(p[-1]) || !strchr(" ,([{;", p[-1])))
			continue;
		while (p < end && is_name_char(*p))
			p++;
		*ret_name_end = p;
		if (p < end && *p == '=' && p + 1 < end && p[1] != '=' && p[1] != ' ') {
			*ret_value = p + 1;
			return name;
		}
		if (p + 2 < end && p[0] == ':' && p[1] == ' ' && isxdigit((unsigned char)p[2]) &&
		    (name == start || (name - start > 1 && name[-2] == ','))) {
			*ret_value = p + 2;
			return name;
		}
		p--;
	}
	return NULL;
}

static const char *number_end(const char *at, const char *end, uint64_t *ret, unsigned *ret_is)
{
	bool is_hex = end - at > 2 && at[0] == '0' && at[1] == 'x', is_negative = *at == '-';
	const char *start = at += is_hex ? 2 : is_negative;
	uint64_t v = 0;

	for (; at < end && (is_hex ? isxdigit((unsigned char)*at) : isdigit((unsigned char)*at));
	     at++)
		v = is_hex ? v << 4 | (isdigit((unsigned char)*at) ? *at - '0'
								   : (*at | 32) - 'a' + 10)
			   : v * 10 + (*at - '0');
	if (at == start || at - start > (is_hex ? 16 : 18))
		return NULL;
	*ret = is_negative ? -v : v;
	/* printed again it is the same: no zeros in front, no capitals */
	*ret_is = IS_NUMBER;
	if (*start != '0' || at - start == 1)
		*ret_is |= is_hex ? IS_HEX : is_negative && !v ? 0 : IS_DEC;
	for (const char *p = start; is_hex && p < at; p++)
		if (isupper((unsigned char)*p))
			*ret_is &= ~IS_HEX;
	return at;
}

/* A value ends where the next name begins; a number, or a text in quotes, ends by itself. */
static const char *value_end(const char *value, const char *next, const char *end)
{
	const char *stop = next ? next : end, *number;
	unsigned is;
	uint64_t v;

	if (value < stop && *value == '"') {
		const char *quote = memchr(value + 1, '"', (size_t)(stop - value - 1));

		if (quote)
			return quote + 1;
	}
	number = value < stop ? number_end(value, stop, &v, &is) : NULL;
	if (number && (number == stop || strchr(" ,)]};", *number)))
		return number;
	while (stop > value && strchr(" ,;([{)]}", stop[-1]))
		stop--;
	return stop;
}

static void add_words(struct pairs *p, const char *from, const char *to)
{
	size_t n = (size_t)(to - from);

	if (p->n_words + n > sizeof(p->words)) {
		p->is_cut = true;
		return;
	}
	memcpy(p->words + p->n_words, from, n);
	p->n_words += n;
	for (; from < to; from++)
		p->is_cut |= (unsigned char)*from < ' ';
}

static void add_gap(struct pairs *p)
{
	if (p->n_words < sizeof(p->words))
		p->words[p->n_words++] = GAP;
	else
		p->is_cut = true;
}

static bool has_name(const struct pairs *p, struct piece name)
{
	return ARRAY_ANY(p->n, i,
			 p->list[i].name.len == name.len &&
				 !memcmp(p->list[i].name.data, name.data, name.len));
}

static bool is_usable(const struct pairs *p, struct piece name)
{
	return p->n < FIELDS_MAX && name.len <= FIELD_NAME_MAX &&
	       !(name.len == 4 && !memcmp(name.data, "text", 4)) &&
	       !(name.len > 7 && !memcmp(name.data, "common_", 7)) && !has_name(p, name);
}

static void take_apart(struct piece text, struct pairs *p)
{
	const char *start = (const char *)text.data, *end = start + text.len;
	const char *at = start, *name_end, *value, *name;

	p->n = p->n_words = 0;
	p->is_cut = false;
	name = find_name(start, at, end, &name_end, &value);
	while (name) {
		const char *next_end = NULL, *next_value = NULL;
		const char *next = find_name(start, value, end, &next_end, &next_value);
		const char *stop = value_end(value, next, end);
		struct piece called = {(const uint8_t *)name, (size_t)(name_end - name)};

		if (is_usable(p, called)) {
			p->list[p->n++] = (struct pair){
				called, {(const uint8_t *)value, (size_t)(stop - value)}};
			add_words(p, at, value);
			add_gap(p);
			at = stop;
		}
		name = next;
		name_end = next_end;
		value = next_value;
	}
	add_words(p, at, end);
}

/*
 * --- kinds -------------------------------------------------------------------------------------
 */

static struct textkind *find(struct textkinds *k, struct piece name,
			     const struct known_event *known, void ***ret_slot)
{
	uint64_t hash = hash_of_text(SEED, (const char *)name.data, name.len) + !!known;
	void **slot = map_take(&k->by_name, hash, MAKER_KINDS_MAX);
	struct textkind *kind = slot ? *slot : NULL;

	*ret_slot = slot;
	while (kind && (kind->known != known || strlen(kind->name) != name.len ||
			memcmp(kind->name, name.data, name.len)))
		kind = kind->next;
	return kind;
}

static int take(struct textkinds *k, struct piece name, const struct known_event *known,
		struct textkind **ret)
{
	void **slot;
	struct textkind *kind = find(k, name, known, &slot);

	*ret = kind;
	if (kind)
		return 0;
	if (!slot || k->n >= MAKER_KINDS_MAX)
		return -E2BIG;
	kind = arena_alloc(&k->arena, sizeof(*kind));
	if (!kind || !ARRAY_ROOM(k->list, k->cap, k->n + 1, MAKER_KINDS_MAX))
		return -ENOMEM;
	kind->name = arena_strndup(&k->arena, (const char *)name.data, name.len);
	if (!kind->name)
		return -ENOMEM;
	kind->known = known;
	kind->next = *slot;
	*slot = k->list[k->n++] = *ret = kind;
	return 0;
}

static unsigned is_of(struct piece value)
{
	const char *start = (const char *)value.data, *end = start + value.len;
	unsigned is = 0;
	uint64_t v;

	return value.len && number_end(start, end, &v, &is) == end ? is : 0;
}

static void learn_field(struct textkind *kind, const struct pair *p)
{
	struct textkind_field *f =
		ARRAY_FIND(kind->fields, kind->n_fields, i,
			   strlen(kind->fields[i].name) == p->name.len &&
				   !memcmp(kind->fields[i].name, p->name.data, p->name.len));

	if (!f) {
		if (kind->n_fields == FIELDS_MAX)
			return;
		f = &kind->fields[kind->n_fields++];
		f->is = IS_ALL;
		snprintf(f->name, sizeof(f->name), "%.*s", (int)p->name.len,
			 (const char *)p->name.data);
	}
	f->is &= is_of(p->value);
}

int textkinds_learn(struct textkinds *k, struct piece name, struct piece text)
{
	const struct known_event *known = known_find((const char *)name.data, name.len);
	struct known_values values;
	struct pairs p;
	struct textkind *kind;
	int r;

	if (known && !known_match(known, text, &values))
		known = NULL;
	r = take(k, name, known, &kind);
	if (r == -E2BIG) {
		k->n_refused++;
		return 0;
	}
	TRY(r);
	if (known)
		return 0;
	take_apart(text, &p);
	for (size_t i = 0; i < p.n; i++)
		learn_field(kind, &p.list[i]);
	if (!kind->words) {
		kind->n_words = p.n_words;
		kind->words = arena_strndup(&k->arena, p.words, p.n_words);
	}
	if (!kind->words)
		return -ENOMEM;
	kind->has_text |= p.is_cut || !p.n || p.n_words != kind->n_words ||
			  memcmp(p.words, kind->words, p.n_words);
	return 0;
}

/*
 * --- formats -----------------------------------------------------------------------------------
 */

/* The words with a conversion for each gap. */
static void fmt_print(const struct textkind *kind, struct textbuf *tb)
{
	size_t n = 0;

	if (kind->has_text) {
		textbuf_add_str(tb, "\"%s\", __get_str(text)");
		return;
	}
	textbuf_add_char(tb, '"');
	for (size_t i = 0; i < kind->n_words; i++) {
		char c = kind->words[i];

		if (c == GAP && n < kind->n_fields) {
			unsigned is = kind->fields[n++].is;

			textbuf_add_str(tb, is & IS_DEC ? "%lld" : is & IS_HEX ? "0x%llx" : "%s");
			continue;
		}
		if (c == '%' || c == '"' || c == '\\')
			textbuf_add_char(tb, c == '%' ? '%' : '\\');
		textbuf_add_char(tb, c);
	}
	textbuf_add_char(tb, '"');
	for (size_t i = 0; i < n; i++)
		textbuf_addf(tb, kind->fields[i].is & IS_NUMBER ? ", REC->%s" : ", __get_str(%s)",
			     kind->fields[i].name);
}

/* Systems whose events have no handler that would look for other fields. */
static const char *system_of(const struct textkind *kind)
{
	static const struct {
		const char *prefix, *system;
	} rows[] = {{"sched_process_", "sched"}, {"sched_stat_", "sched"},
		    {"sched_migrate_", "sched"}, {"sys_enter_", "syscalls"},
		    {"sys_exit_", "syscalls"},	 {"workqueue_", "workqueue"},
		    {"block_", "block"},	 {"signal_", "signal"},
		    {"task_", "task"},		 {"page_fault_", "exceptions"},
		    {"cpu_", "power"},		 {"timer_", "timer"}};

	if (kind->known)
		return known_system(kind->known);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!strncmp(kind->name, rows[i].prefix, strlen(rows[i].prefix)))
			return rows[i].system;
	return "text";
}

static void add_format(struct textkind *kind, struct textbuf *tb)
{
	TEXTBUF(print, 1u << 16);
	char declaration[FIELD_NAME_MAX + 40];
	struct eventformats f;

	if (kind->known) {
		known_add_format(kind->known, tb, kind->id);
		return;
	}
	/* a text that is numbers in two forms cannot be printed from the numbers */
	for (size_t i = 0; i < kind->n_fields; i++)
		kind->has_text |= kind->fields[i].is == IS_NUMBER;
	eventformats_begin(&f, tb, kind->name, kind->id);
	for (size_t i = 0; i < kind->n_fields; i++) {
		struct textkind_field *kf = &kind->fields[i];
		bool is_number = kf->is & IS_NUMBER;

		kf->offset = f.offset;
		snprintf(declaration, sizeof(declaration), "%s %s",
			 !is_number	   ? "__data_loc char[]"
			 : kf->is & IS_DEC ? "s64"
					   : "u64",
			 kf->name);
		eventformats_add_field(&f, declaration, is_number ? 8 : 4,
				       !is_number || kf->is & IS_DEC);
	}
	kind->n_bytes = f.offset;
	if (kind->has_text) {
		eventformats_add_field(&f, "__data_loc char[] text", 4, true);
		kind->n_bytes += 4;
	}
	fmt_print(kind, &print);
	eventformats_end(&f, textbuf_text(&print));
}

void textkinds_settle(struct textkinds *k, struct maker *m)
{
	uint16_t id = FIRST_ID;

	for (size_t i = 0; i < k->n; i++) {
		const char *system = k->list[i]->id ? NULL : system_of(k->list[i]);
		uint32_t n = 0;

		for (size_t j = i; system && j < k->n; j++)
			n += !k->list[j]->id && !strcmp(system_of(k->list[j]), system);
		if (system)
			eventformats_add_system(&m->formats, system, n);
		for (size_t j = i; system && j < k->n; j++) {
			if (k->list[j]->id || strcmp(system_of(k->list[j]), system))
				continue;
			k->list[j]->id = id++;
			add_format(k->list[j], &m->formats);
		}
	}
}

/*
 * --- records -----------------------------------------------------------------------------------
 */

static uint32_t put_text(uint8_t *record, uint32_t place_at, uint32_t at, struct piece text)
{
	uint32_t place = (uint32_t)(text.len + 1) << 16 | at;

	if (at + text.len + 1 > MAKER_RECORD_MAX)
		return MAKER_RECORD_MAX + 1;
	memcpy(record + place_at, &place, 4);
	if (text.len)
		memcpy(record + at, text.data, text.len);
	record[at + text.len] = 0;
	return at + (uint32_t)text.len + 1;
}

static uint32_t fill_fields(const struct textkind *kind, struct piece text, uint8_t *record)
{
	uint32_t at = kind->n_bytes;
	struct pairs p;

	take_apart(text, &p);
	memset(record + EVENTFORMATS_COMMON_BYTES, 0, at - EVENTFORMATS_COMMON_BYTES);
	for (size_t i = 0; i < kind->n_fields; i++) {
		const struct textkind_field *f = &kind->fields[i];
		const struct pair *pair = ARRAY_FIND(
			p.list, p.n, j,
			strlen(f->name) == p.list[j].name.len &&
				!memcmp(f->name, p.list[j].name.data, p.list[j].name.len));
		struct piece value = pair ? pair->value : PIECE_EMPTY;
		unsigned is;
		uint64_t v;

		if (f->is & IS_NUMBER) {
			if (value.len && number_end((const char *)value.data,
						    (const char *)value.data + value.len, &v, &is))
				memcpy(record + f->offset, &v, 8);
			continue;
		}
		at = put_text(record, f->offset, at, value);
		if (at > MAKER_RECORD_MAX)
			return at;
	}
	return kind->has_text ? put_text(record, kind->n_bytes - 4, at, text) : at;
}

uint32_t textkinds_fill(struct textkinds *k, struct piece name, struct piece text, uint8_t *record)
{
	const struct known_event *known = known_find((const char *)name.data, name.len);
	struct known_values values;
	struct textkind *kind;
	void **slot;

	if (known && !known_match(known, text, &values))
		known = NULL;
	kind = find(k, name, known, &slot);
	if (!kind)
		return 0;
	memcpy(record, &kind->id, 2);
	return known ? known_fill(known, &values, record, MAKER_RECORD_MAX)
		     : fill_fields(kind, text, record);
}
