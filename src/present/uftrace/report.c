// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report.c - prints a tally as uftrace report does.
 *
 *	  Total time   Self time       Calls  Function
 *	  ==========  ==========  ==========  ====================
 *	   20.766 ms    1.333 us           1  main
 *
 * Rows are sorted by one key after the other, the largest first; rows that are equal in all keys
 * stay in the order of their names. A difference is that of the other recording to this one.
 */
#include "present/uftrace/report.h"

#include "base/array.h"
#include "present/uftrace/fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_MAX 16

/* The numbers of a row, by the names of fields and keys. */
static const struct {
	const char *name, *header;
	size_t offset;
	bool is_time;
} numbers[] = {
#define NUMBER(name, header, field, is_time)                           \
	{                                                              \
		name, header, offsetof(struct uft_row, field), is_time \
	}
	NUMBER("total", "Total time", total.sum, true),
	NUMBER("total-avg", "Total avg", total.avg, true),
	NUMBER("total-min", "Total min", total.min, true),
	NUMBER("total-max", "Total max", total.max, true),
	NUMBER("self", "Self time", self.sum, true),
	NUMBER("self-avg", "Self avg", self.avg, true),
	NUMBER("self-min", "Self min", self.min, true),
	NUMBER("self-max", "Self max", self.max, true),
	NUMBER("call", "Calls", n_calls, false),
	NUMBER("size", "Size", size, false),
#undef NUMBER
};

#define N_NUMBERS ARRAY_LEN(numbers)

static uint64_t number_of(const struct uft_row *row, size_t i)
{
	uint64_t v;

	memcpy(&v, (const char *)row + numbers[i].offset, sizeof(v));
	return v;
}

struct policy {
	bool absolute, percent, full;
};

static void parse_policy(struct policy *p, const char *words)
{
	*p = (struct policy){.absolute = true};
	for (; words && *words; words += strcspn(words, ","), words += *words == ',') {
		bool on = strncmp(words, "no-", 3);
		const char *w = on ? words : words + 3;

		if (!strncmp(w, "abs", 3))
			p->absolute = on;
		else if (!strncmp(w, "percent", 7))
			p->percent = on;
		else if (!strncmp(w, "full", 4))
			p->full = true;
		else if (!strncmp(w, "compact", 7))
			p->full = false;
	}
}

/* What the rows are sorted by: numbers, or a name (-1), a task (-2), its name (-3). */
enum { KEY_NAME = -1, KEY_TID = -2, KEY_COMM = -3 };

struct keys {
	int list[KEYS_MAX];
	size_t n;
	bool is_diff;
	int column;
	struct policy policy;
};

static int find_key(const char *word, const struct uft_report_config *c)
{
	bool is_avg = !strcmp(word, "avg"), is_min = !strcmp(word, "min");
	char name[64];

	if (c->is_task) {
		static const struct {
			const char *name;
			int key;
		} keys[] = {{"total", 0},
			    {"self", 4},
			    {"func", 8},
			    {"tid", KEY_TID},
			    {"name", KEY_COMM}};

		for (size_t i = 0; i < ARRAY_LEN(keys); i++)
			if (!strcmp(keys[i].name, word))
				return keys[i].key;
		return -100;
	}
	snprintf(name, sizeof(name), "%s", word);
	if ((c->avg_total || c->avg_self) && (is_avg || is_min || !strcmp(word, "max")))
		snprintf(name, sizeof(name), "%s-%.3s", c->avg_total ? "total" : "self", word);
	for (char *p = name; *p; p++)
		*p = *p == '_' ? '-' : *p;
	for (size_t i = 0; i < N_NUMBERS; i++)
		if (!strcmp(numbers[i].name, name))
			return (int)i;
	return strcmp(name, "func") ? -100 : KEY_NAME;
}

static bool parse_keys(struct keys *k, const struct uft_report_config *c)
{
	const char *words = c->sort_keys;

	if (!words)
		words = c->is_task     ? "total"
			: c->avg_total ? "total_avg"
			: c->avg_self  ? "self_avg"
				       : "total";
	while (*words && k->n < KEYS_MAX) {
		size_t len = strcspn(words, ",");
		char word[64];
		int key;

		snprintf(word, sizeof(word), "%.*s", (int)len, words);
		key = find_key(word, c);
		if (key == -100)
			return false;
		k->list[k->n++] = key;
		words += len + (words[len] == ',');
	}
	return true;
}

bool uft_report_check_keys(const struct uft_report_config *c, bool is_diff)
{
	struct keys k = {.is_diff = is_diff};

	return parse_keys(&k, c);
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* By the difference: as a share of the base, or as a number. */
static int compare_diff(const struct uft_row *a, const struct uft_row *b, size_t i,
			const struct policy *p)
{
	uint64_t base_a = number_of(a, i), base_b = number_of(b, i);
	int64_t da = (int64_t)(number_of(a->pair, i) - base_a);
	int64_t db = (int64_t)(number_of(b->pair, i) - base_b);
	double pa = base_a ? 100.0 * (double)da / (double)base_a : 0;
	double pb = base_b ? 100.0 * (double)db / (double)base_b : 0;

	if (p->percent ? pa == pb : da == db)
		return 0;
	if (p->absolute) {
		da = llabs(da);
		db = llabs(db);
		pa = pa > 0 ? pa : -pa;
		pb = pb > 0 ? pb : -pb;
	}
	if (p->percent)
		return pa > pb ? 1 : -1;
	return da > db ? 1 : -1;
}

static int compare_key(const struct keys *k, int key, const struct uft_row *a,
		       const struct uft_row *b)
{
	if (key == KEY_COMM)
		return strcmp(b->task ? b->task->comm : "", a->task ? a->task->comm : "");
	if (key < 0)
		return strcmp(b->name, a->name);
	if (k->is_diff && k->column == 2)
		return compare_diff(a, b, (size_t)key, &k->policy);
	return compare_u64(number_of(a, (size_t)key), number_of(b, (size_t)key));
}

static int compare_rows(const struct keys *k, const struct uft_row *a, const struct uft_row *b)
{
	for (size_t i = 0; i < k->n; i++) {
		int d = compare_key(k, k->list[i], a, b);

		if (d)
			return d;
	}
	return 0;
}

/*
 * Puts one row after the other in its place, as uftrace does: differences of the same size and
 * another sign are "less" in both directions, so the order of comparisons shows.
 */
static void sort_rows(const struct keys *k, struct uft_row **rows, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct uft_row *row = rows[i];
		size_t low = 0, high = i;

		while (low < high) {
			size_t mid = low + (high - low) / 2;

			if (compare_rows(k, rows[mid], row) < 0)
				high = mid;
			else
				low = mid + 1;
		}
		memmove(&rows[low + 1], &rows[low], (i - low) * sizeof(*rows));
		rows[low] = row;
	}
}

/* A row with the form in which it is printed. */
struct shown {
	const struct uft_row *row;
	const struct policy *policy; /* NULL: no difference */
};

/* The columns, made of the numbers for the form that is printed. */
struct columns {
	struct uft_field table[N_NUMBERS];
	char headers[N_NUMBERS][32];
	size_t n;
};

static void add_both_times(struct uft_out *o, uint64_t base, uint64_t pair)
{
	for (int k = 0; k < 2; k++) {
		uint64_t ns = k ? pair : base;

		if (ns)
			uft_out_time(o, ns);
		else
			textbuf_addf(&o->tb, "%10s", "-");
		textbuf_add_str(&o->tb, "  ");
	}
}

static void add_diff(struct uft_out *o, const struct shown *x, size_t i)
{
	uint64_t base = number_of(x->row, i), pair = number_of(x->row->pair, i);

	if (!numbers[i].is_time) {
		if (x->policy->full)
			textbuf_addf(&o->tb, " %9" PRIu64 "  %9" PRIu64, base, pair);
		textbuf_add_str(&o->tb, "  ");
		uft_out_count_diff(o, base, pair);
		return;
	}
	if (x->policy->full)
		add_both_times(o, base, pair);
	else if (x->policy->percent)
		textbuf_add_str(&o->tb, "   ");
	if (x->policy->percent)
		uft_out_percent_diff(o, base, pair);
	else
		uft_out_time_diff(o, base, pair);
}

static void add_number(struct uft_out *o, void *row, size_t i)
{
	const struct shown *x = row;

	if (x->policy)
		add_diff(o, x, i);
	else if (numbers[i].is_time)
		uft_out_time(o, number_of(x->row, i));
	else
		textbuf_addf(&o->tb, "%10" PRIu64, number_of(x->row, i));
}

#define COLUMN(i)                                         \
	static void add_##i(struct uft_out *o, void *row) \
	{                                                 \
		add_number(o, row, i);                    \
	}
COLUMN(0)
COLUMN(1)
COLUMN(2)
COLUMN(3)
COLUMN(4)
COLUMN(5)
COLUMN(6)
COLUMN(7)
COLUMN(8)
COLUMN(9)

static void (*const adders[])(struct uft_out *, void *) = {add_0, add_1, add_2, add_3, add_4,
							   add_5, add_6, add_7, add_8, add_9};

static void add_tid(struct uft_out *o, void *row)
{
	textbuf_addf(&o->tb, "%6d", atoi(((const struct shown *)row)->row->name));
}

static void make_columns(struct columns *c, const struct policy *p)
{
	for (size_t i = 0; i < N_NUMBERS; i++) {
		int width = !p ? 10 : !p->full ? 11 : p->percent || !numbers[i].is_time ? 32 : 35;
		/* uftrace calls the largest self time "Self min" in this form */
		const char *header = p && p->full && i == 7 ? "Self min" : numbers[i].header;

		snprintf(c->headers[i], sizeof(c->headers[i]), "%s%s", header,
			 p && p->full ? " (diff)" : "");
		c->table[c->n++] =
			(struct uft_field){numbers[i].name, NULL, c->headers[i], width, adders[i]};
	}
}

static void make_task_columns(struct columns *c)
{
	c->table[c->n++] = (struct uft_field){"total", NULL, "Total time", 10, add_0};
	c->table[c->n++] = (struct uft_field){"self", NULL, "Self time", 10, add_4};
	c->table[c->n++] = (struct uft_field){"tid", NULL, "TID", 6, add_tid};
	c->table[c->n++] = (struct uft_field){"func", NULL, "Num funcs", 10, add_8};
}

static void print_line(const struct uft_fields *f, struct uft_out *o, int n_space)
{
	if (!f->n)
		return;
	for (size_t i = 0; i < f->n; i++) {
		textbuf_add_fill(&o->tb, ' ', (size_t)n_space);
		textbuf_add_fill(&o->tb, '=', (size_t)f->list[i]->width);
	}
	textbuf_addf(&o->tb, "%*s====================\n", n_space, " ");
}

static void print_rows(struct uft_row **rows, size_t n, const struct uft_fields *f,
		       const struct uft_report_config *c, const struct policy *p, struct uft_out *o,
		       int n_space)
{
	for (size_t i = 0; i < n; i++) {
		struct shown x = {rows[i], p};

		uft_fields_add(f, o, &x, n_space);
		textbuf_addf(&o->tb, "%*s", n_space, " ");
		if (c->is_task)
			textbuf_addf(&o->tb, "%-16s", rows[i]->task ? rows[i]->task->comm : "");
		else
			textbuf_add_str(&o->tb, rows[i]->name);
		if (rows[i]->place)
			uft_out_colour(o, 'g', " [%s:%d]", rows[i]->place->file,
				       rows[i]->place->line);
		textbuf_add_char(&o->tb, '\n');
		uft_out_flush(o, false);
	}
}

static const char *const defaults_plain[] = {"total", "self", "call", NULL};
static const char *const defaults_total[] = {"total-avg", "total-min", "total-max", NULL};
static const char *const defaults_self[] = {"self-avg", "self-min", "self-max", NULL};
static const char *const defaults_task[] = {"total", "self", "tid", "func", NULL};

static const char *const *find_defaults(const struct uft_report_config *c)
{
	if (c->is_task)
		return defaults_task;
	return c->avg_total ? defaults_total : c->avg_self ? defaults_self : defaults_plain;
}

/* -f all: every column. */
static const char *find_words(const struct uft_report_config *c)
{
	if (!c->fields || strcmp(c->fields, "all") || c->is_task)
		return c->fields;
	return "total,total-avg,total-min,total-max,self,self-avg,self-min,self-max,call,size";
}

static bool print_table(struct uft_row **rows, size_t n, const struct uft_report_config *c,
			const struct policy *p, struct uft_out *o)
{
	struct columns columns = {.n = 0};
	struct uft_fields f;
	int n_space = p ? 3 : 2;

	if (c->is_task)
		make_task_columns(&columns);
	else
		make_columns(&columns, p);
	if (!uft_fields_init(&f, find_words(c), columns.table, columns.n, find_defaults(c), o))
		return false;
	uft_fields_header_right(&f, o, "  ", c->is_task ? "Task name" : "Function", n_space);
	if (f.n) {
		if (c->srcline && !c->is_task)
			uft_out_colour(o, 'g', " [Source]");
		textbuf_add_char(&o->tb, '\n');
	}
	print_line(&f, o, n_space);
	print_rows(rows, n, &f, c, p, o, n_space);
	return true;
}

static const struct uft_row no_row;

static const struct uft_row *find_pair(const struct uft_tally *t, const char *name)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int d = strcmp(t->rows[mid]->name, name);

		if (!d)
			return t->rows[mid];
		if (d < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return &no_row;
}

/*
 * The rows of both: those of this recording with their pairs, then those that only the other has.
 */
static size_t join(struct uft_tally *t, struct uft_tally *other, struct uft_row **rows,
		   struct uft_row *only)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		t->rows[i]->pair = find_pair(other, t->rows[i]->name);
		rows[n++] = t->rows[i];
	}
	for (size_t i = 0; i < other->n; i++) {
		if (find_pair(t, other->rows[i]->name) != &no_row)
			continue;
		only[i] = (struct uft_row){.name = other->rows[i]->name, .pair = other->rows[i]};
		rows[n++] = &only[i];
	}
	return n;
}

bool uft_report_print(struct uft_tally *t, struct uft_tally *other,
		      const struct uft_report_config *c, struct uft_out *o)
{
	size_t n_max = t->n + (other ? other->n : 0), n = t->n;
	struct uft_row **rows = calloc(n_max + 1, sizeof(*rows));
	struct uft_row *only = calloc(n_max + 1, sizeof(*only));
	struct keys k = {.is_diff = other, .column = c->sort_column};
	bool ok = rows && only && parse_keys(&k, c);

	parse_policy(&k.policy, c->policy);
	if (ok && other) {
		n = join(t, other, rows, only);
		textbuf_addf(&o->tb, "#\n# uftrace diff\n#  [0] base: %s\t(from %s)\n", c->base,
			     c->base_command ? c->base_command : "");
		textbuf_addf(&o->tb, "#  [1] diff: %s\t(from %s)\n#\n", c->other,
			     c->other_command ? c->other_command : "");
	} else if (ok && n) {
		memcpy(rows, t->rows, n * sizeof(*rows));
	}
	if (ok) {
		sort_rows(&k, rows, n);
		ok = print_table(rows, n, c, other ? &k.policy : NULL, o);
	}
	free(rows);
	free(only);
	return ok;
}
