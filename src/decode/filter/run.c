// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * run.c - checks whether a record matches a filter.
 *
 * The first record of an event binds the filter's words to that event's fields, common ones first;
 * COMM and CPU are the task's name and the processor unless the event has fields of these names.
 * After that a record costs one look-up by event id and the tests that decide it.
 *
 * The meaning of a word, as in libtraceevent:
 *
 *	unknown in this event    the test is false, `!=` too; a `!` before it makes it true
 *	as a number              1, 2, 4 or 8 bytes at the field's place, sign-extended if the
 *	                         format says so; 0 for any other size and outside the record
 *	as text                  a string up to its NUL; "(fault)" for a probe's that could not be
 *	                         read; for a pointer or long the symbol that covers
 *	                         the address; for any other number, and an address without a
 *	                         symbol, "0x" and hex digits; and the name of the value in the
 *	                         print format (__print_symbolic), which the library does not support
 *	with a point             for a probe's field that is double or float
 *	unknown in this record   the same as unknown: for a probe, where the variable does not
 *	                         exist; as text it is "?"
 *
 * Arithmetic is unsigned. Order is signed: a signed field has its sign, so that `ret < 0` finds
 * failed system calls (libtraceevent compares unsigned and finds none). Equality compares bits:
 * `ret == -1` and `ret == 0xffffffffffffffff` are the same. Division by zero is 0.
 */
#include "base/number.h"
#include "decode/callevent.h"
#include "decode/filter/filter_int.h"
#include "decode/print/print.h"
#include "format/bytes.h"
#include "symbols/tasks.h"

#include <stdlib.h>
#include <string.h>

#define HEX_TEXT_MAX (2 + NUMBER_MAX_BYTES)

struct filter_run {
	struct filter *flt;
	const struct record *rec;
	const struct filter_binding *bound;
};

/* Fields of probes and call events have number types even if they are shown as symbols. */
static bool shows_symbol(const struct event *ev, const struct field *f)
{
	bool is_user, is_call = call_event_step(ev, &is_user) != CALL_NOT;
	enum number_shown shown =
		is_call || event_is_probe(ev) ? event_shows_number(ev, f) : SHOWN_PLAIN;

	return shown == SHOWN_SYMBOL || shown == SHOWN_FUNCTION;
}

static void bind_field(struct filter_binding *b, const struct event *ev, const struct field *f)
{
	static const bool number_sizes[9] = {[1] = true, [2] = true, [4] = true, [8] = true};

	b->field = f;
	b->offset = f->offset;
	b->size = f->size <= 8 && number_sizes[f->size] ? f->size : 0;
	b->is_signed = f->flags & FIELD_SIGNED;
	b->names = f->flags & FIELD_STRING ? NULL : event_find_value_names(ev, f);
	if (f->flags & FIELD_STRING)
		b->kind = BIND_TEXT;
	else if (f->flags & (FIELD_POINTER | FIELD_LONG) || shows_symbol(ev, f))
		b->kind = BIND_ADDRESS;
	else
		b->kind = BIND_NUMBER;
}

void filter_bind(struct filter *flt, const struct event *ev, struct filter_binding *to)
{
	for (size_t i = 0; i < flt->n_words; i++) {
		const struct field *f = event_find_any(ev, flt->words[i]);

		to[i] = (struct filter_binding){.kind = BIND_UNKNOWN};
		if (f)
			bind_field(&to[i], ev, f);
		else if (!strcmp(flt->words[i], "COMM"))
			to[i].kind = BIND_COMM;
		else if (!strcmp(flt->words[i], "CPU"))
			to[i].kind = BIND_CPU;
	}
}

static uint64_t bound_number(const struct filter_run *run, const struct filter_binding *b)
{
	unsigned unused_bits = 64 - 8 * b->size;
	uint64_t v;

	if (b->kind == BIND_CPU)
		return run->rec->cpu;
	if (!b->size || (uint64_t)b->offset + b->size > run->rec->size)
		return 0;
	v = bytes_get(run->rec->data + b->offset, b->size, run->flt->formats->swap);
	v = field_number(b->field, v);
	return b->is_signed ? (uint64_t)((int64_t)(v << unused_bits) >> unused_bits) : v;
}

static uint64_t operand_number(const struct filter_run *run, const struct filter_operand *o)
{
	return o->word == OPERAND_IS_NUMBER ? o->value : bound_number(run, &run->bound[o->word]);
}

/* Returns true if, for a probe, the variable did not exist at that place. */
static bool is_gone(const struct filter_run *run, const struct filter_binding *b)
{
	return b->field && b->field->flags & FIELD_GAPS &&
	       field_is_gone(b->field, bound_number(run, b));
}

static bool operand_is_known(const struct filter_run *run, const struct filter_operand *o)
{
	return o->word == OPERAND_IS_NUMBER ||
	       (run->bound[o->word].kind != BIND_UNKNOWN && !is_gone(run, &run->bound[o->word]));
}

/* Returns true for a test like n == "?", which finds values that are shown as "?". */
static bool asks_for_gone(const struct filter_run *run, const struct filter_test *t)
{
	return t->kind == TEST_TEXT && t->op == OP_EQ && t->text_len == 1 && t->text[0] == '?' &&
	       t->left.word != OPERAND_IS_NUMBER && is_gone(run, &run->bound[t->left.word]);
}

/* Order comparisons respect the sign; equality compares bits. */
static bool compare(const struct filter_test *t, uint64_t l, bool l_is_signed)
{
	uint64_t r = t->right.value;
	bool l_negative = l_is_signed && (int64_t)l < 0;
	bool lower = l_negative != t->right.is_negative ? l_negative : l < r;

	switch (t->op) {
	case OP_EQ:
		return l == r;
	case OP_NE:
		return l != r;
	case OP_LT:
		return lower;
	case OP_GT:
		return !lower && (l != r || l_negative != t->right.is_negative);
	case OP_LE:
		return lower || (l == r && l_negative == t->right.is_negative);
	default:
		return !lower;
	}
}

static bool is_real(const struct filter_binding *b)
{
	return b->field && b->field->flags & FIELD_REAL;
}

static double real_of_number(uint64_t v, bool is_signed)
{
	return is_signed ? (double)(int64_t)v : (double)v;
}

static bool compare_real(const struct filter_test *t, const struct filter_binding *b, uint64_t bits)
{
	const struct filter_operand *o = &t->right;
	double l = is_real(b) ? real_of(b->field, bits) : real_of_number(bits, b->is_signed);
	double r = o->is_real ? o->real : real_of_number(o->value, o->is_negative);

	switch (t->op) {
	case OP_EQ:
		return l == r;
	case OP_NE:
		return l != r;
	case OP_LT:
		return l < r;
	case OP_GT:
		return l > r;
	case OP_LE:
		return l <= r;
	default:
		return l >= r;
	}
}

static uint64_t calculate(enum filter_op op, uint64_t l, uint64_t r)
{
	switch (op) {
	case OP_ADD:
		return l + r;
	case OP_SUB:
		return l - r;
	case OP_MUL:
		return l * r;
	case OP_DIV:
		return r ? l / r : 0;
	case OP_MOD:
		return r ? l % r : 0;
	case OP_SHIFT_RIGHT:
		return l >> (r & 63);
	case OP_SHIFT_LEFT:
		return l << (r & 63);
	case OP_BIT_AND:
		return l & r;
	case OP_BIT_OR:
		return l | r;
	default:
		return l ^ r;
	}
}

static struct piece address_text(const struct filter_run *run, const struct filter_binding *b,
				 char *hex)
{
	uint64_t v = bound_number(run, b);
	const struct ksym *sym = NULL;

	if (b->kind == BIND_ADDRESS)
		sym = kallsyms_find(formats_kallsyms(run->flt->formats), v);
	if (sym)
		return (struct piece){(const uint8_t *)sym->name, sym->name_len};
	memcpy(hex, "0x", 2);
	return (struct piece){(const uint8_t *)hex, number_emit_hex(hex + 2, v) - hex};
}

static struct piece bound_text(const struct filter_run *run, const struct filter_binding *b,
			       char *hex)
{
	const struct record *rec = run->rec;
	struct piece text;
	const uint8_t *nul;

	if (b->kind == BIND_COMM)
		return rec->task ? (struct piece){(const uint8_t *)rec->task->comm,
						  rec->task->comm_len}
				 : (struct piece){(const uint8_t *)"", 0};
	if (b->kind != BIND_TEXT)
		return address_text(run, b, hex);
	text = printer_field_bytes(&(struct printer){.data = rec->data,
						     .size = rec->size,
						     .swap = run->flt->formats->swap},
				   b->field);
	if (!text.len && b->field->flags & FIELD_FAULTS) /* match the text that is shown */
		return (struct piece){(const uint8_t *)"(fault)", strlen("(fault)")};
	nul = text.len ? memchr(text.data, 0, text.len) : NULL;
	if (nul)
		text.len = nul - text.data;
	return text;
}

bool filter_names_have(const struct arg *names, const char *text, size_t len)
{
	for (size_t i = 0; names && i < names->flags.n_names; i++)
		if (names->flags.names[i].len == len &&
		    !memcmp(names->flags.names[i].text, text, len))
			return true;
	return false;
}

/* Returns the name of the value in the print format, or an empty piece. */
static struct piece value_name(const struct filter_run *run, const struct filter_binding *b)
{
	uint64_t v = b->names ? bound_number(run, b) : 0;
	uint64_t mask = b->names ? field_mask(b->field) : 0;

	for (size_t i = 0; b->names && !is_gone(run, b) && i < b->names->flags.n_names; i++) {
		const struct flag_name *n = &b->names->flags.names[i];

		if (((uint64_t)n->value & mask) == (v & mask))
			return (struct piece){(const uint8_t *)n->text, n->len};
	}
	return (struct piece){(const uint8_t *)"", 0};
}

static bool text_equals(const struct filter_run *run, const struct filter_test *t,
			const struct filter_binding *b)
{
	char hex[HEX_TEXT_MAX];
	struct piece text = b->names ? value_name(run, b) : (struct piece){0};

	if (text.len && text.len == t->text_len && !memcmp(text.data, t->text, text.len))
		return true;
	text = bound_text(run, b, hex);
	return text.len == t->text_len && !memcmp(text.data, t->text, text.len);
}

static bool piece_matches(const struct filter_run *run, const struct filter_test *t,
			  struct piece text)
{
	size_t len = text.len < FILTER_SUBJECT_MAX ? text.len : FILTER_SUBJECT_MAX;

	/* fields and symbols are not terminated, but regexec() needs a terminated text */
	memcpy(run->flt->subject, text.data, len);
	run->flt->subject[len] = 0;
	return !regexec(&t->regex->re, run->flt->subject, 0, NULL, 0);
}

static bool regex_matches(const struct filter_run *run, const struct filter_test *t,
			  const struct filter_binding *b)
{
	char hex[HEX_TEXT_MAX];
	struct piece name = value_name(run, b);

	return (name.len && piece_matches(run, t, name)) ||
	       piece_matches(run, t, bound_text(run, b, hex));
}

static bool regex_matches_memo(const struct filter_run *run, const struct filter_test *t,
			       const struct filter_binding *b)
{
	struct filter_regex *rx = t->regex;
	uint64_t key = b->kind == BIND_COMM ? (uintptr_t)run->rec->task : bound_number(run, b);
	unsigned slot = (key * 0x9e3779b97f4a7c15u) >> 56;

	if (b->kind == BIND_TEXT || b->names) /* do not cache: names belong to one event */
		return regex_matches(run, t, b);
	if (rx->memo[slot].kind != b->kind || rx->memo[slot].key != key) {
		rx->memo[slot].verdict = regex_matches(run, t, b);
		rx->memo[slot].kind = b->kind;
		rx->memo[slot].key = key;
	}
	return rx->memo[slot].verdict;
}

static bool test_run(const struct filter_run *run, const struct filter_test *t)
{
	const struct filter_binding *b;

	if (!operand_is_known(run, &t->left))
		return asks_for_gone(run, t);
	if (t->kind == TEST_NONZERO)
		return operand_is_known(run, &t->right) &&
		       calculate(t->op, operand_number(run, &t->left),
				 operand_number(run, &t->right));
	b = &run->bound[t->left.word];
	if (t->kind == TEST_REGEX)
		return regex_matches_memo(run, t, b) == (t->op == OP_REGEX);
	if (t->kind == TEST_TEXT || (t->kind == TEST_CHARACTER && t->op <= OP_NE &&
				     (b->kind == BIND_TEXT || b->kind == BIND_COMM)))
		return text_equals(run, t, b) == (t->op == OP_EQ);
	if (t->right.is_real || is_real(b))
		return compare_real(t, b, bound_number(run, b));
	return compare(t, bound_number(run, b), b->is_signed);
}

/* Groups nest at most FILTER_DEPTH_MAX deep. */
static bool chain_run(const struct filter_run *run, size_t i, size_t end)
{
	const struct filter *flt = run->flt;
	bool so_far = false;

	while (i < end) {
		const struct filter_element *e = &flt->elements[i];

		if (e->join == JOIN_FIRST || so_far == (e->join == JOIN_AND))
			so_far = (e->test == ELEMENT_IS_GROUP
					  ? chain_run(run, i + 1, e->next)
					  : test_run(run, &flt->tests[e->test])) ^
				 (e->n_not & 1);
		i = e->next;
	}
	return so_far;
}

static struct filter_event *find_event(const struct filter *flt, int id)
{
	size_t low = 0, high = flt->n_events;

	if ((unsigned)id < flt->n_slots)
		return flt->slots[id] ? &flt->events[flt->slots[id] - 1] : NULL;
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (flt->events[mid].ev->id == id)
			return &flt->events[mid];
		if (flt->events[mid].ev->id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

enum filter_result filter_match(struct filter *flt, const struct record *rec)
{
	struct filter_event *fe = rec->event ? find_event(flt, rec->event->id) : NULL;
	struct filter_run run = {flt, rec, fe ? fe->bound : NULL};

	if (!fe)
		return FILTER_NOT_FOUND;
	if (!flt->n_elements)
		return FILTER_MATCH;
	if (!run.bound) {
		fe->bound = arena_alloc_array(&flt->arena, flt->n_words + 1, sizeof(*fe->bound));
		/* without memory for the bindings, bind for this record only */
		run.bound = fe->bound ? fe->bound : flt->scratch;
		formats_parse(flt->formats, fe->ev);
		filter_bind(flt, fe->ev, (struct filter_binding *)run.bound);
	}
	return chain_run(&run, 0, flt->n_elements) ? FILTER_MATCH : FILTER_MISS;
}
