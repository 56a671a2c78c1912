// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * callevent.c - the table of call events, and the positions of their numbers.
 *
 * An exit event of the kernel contains the times of the call and of the return. Since Linux 6.14
 * only the entry event has the time of the call.
 */
#include "decode/callevent.h"

#include "base/array.h"
#include "decode/formats/formats.h"

#include <string.h>

static const struct call_row {
	const char *system, *name;
	enum call_step step;
	bool is_user;
	const char *func, *depth, *duration, *from, *to, *args, *ret;
} table[] = {
	{"user", "user_entry", CALL_ENTER, true, "func", "depth"},
	{"user", "user_exit", CALL_LEAVE, true, "func", "depth"},
	{"user", "user_call", CALL_WHOLE, true, "func", "depth", "duration"},
	{"user", "user_entry_args", CALL_ENTER, true, "func", "depth", .args = "args"},
	{"user", "user_exit_value", CALL_LEAVE, true, "func", "depth", .ret = "ret"},
	{"user", "user_call_args", CALL_WHOLE, true, "func", "depth", "duration", .args = "args"},
	{"user", "user_call_value", CALL_WHOLE, true, "func", "depth", "duration", .args = "args",
	 .ret = "ret"},
	{"ftrace", "funcgraph_entry", CALL_ENTER, false, "func", "depth"},
	{"ftrace", "fgraph_retaddr_entry", CALL_ENTER, false, "func", "depth"},
	{"ftrace", "funcgraph_exit", CALL_LEAVE, false, "func", "depth", NULL, "calltime",
	 "rettime"},
};

static struct call_number find_number(const struct event *ev, const char *name)
{
	const struct field *f = name ? event_find_field(ev, name) : NULL;

	if (!f || f->offset > UINT16_MAX || (f->size != 4 && f->size != 8))
		return (struct call_number){0};
	return (struct call_number){(uint16_t)f->offset, (uint16_t)f->size};
}

/* Finds a text whose place is in the record: __data_loc. */
static struct call_number find_text(const struct event *ev, const char *name)
{
	const struct field *f = name ? event_find_field(ev, name) : NULL;

	if (!f || f->offset > UINT16_MAX || f->size != 4 || !(f->flags & FIELD_DYNAMIC))
		return (struct call_number){0};
	return (struct call_number){(uint16_t)f->offset, 4};
}

/* Decides whether the fast path of call_kind_read() can be used. */
static void settle_plain(struct call_kind *k)
{
	const struct call_number *numbers[] = {&k->func, &k->depth, &k->duration};

	k->is_plain = !k->swap && k->func.size == 4 && k->depth.size == 4 && !k->from.size &&
		      (!k->duration.size || k->duration.size == 4);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		uint32_t end = (uint32_t)numbers[i]->offset + numbers[i]->size;

		k->is_plain &= end <= UINT16_MAX;
		if (k->is_plain && end > k->plain_size)
			k->plain_size = (uint16_t)end;
	}
}

static void make_kind(struct call_kind *k, const struct call_row *row, const struct event *ev,
		      bool swap)
{
	*k = (struct call_kind){.event = ev,
				.step = row->step,
				.is_user = row->is_user,
				.swap = swap,
				.func = find_number(ev, row->func),
				.depth = find_number(ev, row->depth),
				.duration = find_number(ev, row->duration),
				.from = find_number(ev, row->from),
				.to = find_number(ev, row->to),
				.args = find_text(ev, row->args),
				.ret = find_text(ev, row->ret)};
	settle_plain(k);
}

void call_kinds_init(struct call_kinds *ck, struct formats *f)
{
	_Static_assert(ARRAY_LEN(table) < CALL_KINDS_MAX, "a row for each, and one for the others");
	memset(ck, 0, sizeof(*ck));
	ck->n = 1;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		const struct call_row *row = &table[i];
		const struct event *ev = formats_find_name(f, row->system, row->name);
		struct call_kind *k = &ck->rows[ck->n];

		if (!ev || (unsigned)ev->id >= CALL_IDS)
			continue;
		make_kind(k, row, ev, f->swap);
		if (!k->func.size)
			continue;
		ck->by_id[ev->id] = (uint8_t)ck->n++;
		ck->has_user |= row->is_user;
		ck->has_kernel |= !row->is_user;
	}
}

static const struct call_row *find_row(const struct event *ev)
{
	return ARRAY_FIND(table, ARRAY_LEN(table), i,
			  !strcmp(ev->name, table[i].name) && !strcmp(ev->system, table[i].system));
}

bool call_kind_init(struct call_kind *k, const struct event *ev, bool swap)
{
	const struct call_row *row = find_row(ev);

	*k = (struct call_kind){0};
	if (!row)
		return false;
	make_kind(k, row, ev, swap);
	return k->func.size;
}

enum call_step call_event_step(const struct event *ev, bool *ret_is_user)
{
	const struct call_row *row = find_row(ev);

	if (!row)
		return CALL_NOT;
	*ret_is_user = row->is_user;
	return row->step;
}

bool call_event_has_values(const struct event *ev)
{
	const struct call_row *row = find_row(ev);

	return row && (row->args || row->ret);
}

/*
 * --- arguments and return values ---------------------------------------------------------------
 */

static bool read_text(const struct call_kind *k, struct call_number at, const uint8_t *data,
		      uint32_t size, struct piece *ret)
{
	uint64_t place = 0;
	uint32_t begin, len;

	*ret = PIECE_EMPTY;
	if (!call_number_read(k, at, data, size, &place))
		return false;
	begin = place & 0xffff;
	len = (uint32_t)place >> 16;
	if (begin > size || len > size - begin)
		return false;
	*ret = (struct piece){data + begin, strnlen((const char *)data + begin, len)};
	return true;
}

bool call_values_read(const struct call_kind *k, const uint8_t *data, uint32_t size,
		      struct call_values *ret)
{
	ret->has_args = read_text(k, k->args, data, size, &ret->args) && ret->args.len;
	ret->has_ret = read_text(k, k->ret, data, size, &ret->ret) && ret->ret.len;
	return ret->has_args || ret->has_ret;
}

/* Returns the length of a text in quotes, from its first quote on. */
static size_t quoted_len(const uint8_t *p, size_t n)
{
	size_t i = 1;

	while (i < n && p[i] != p[0])
		i += p[i] == '\\' ? 2 : 1;
	return i < n ? i + 1 : n;
}

bool call_values_next(struct piece *rest, struct piece *ret_value)
{
	const uint8_t *p = rest->data;
	size_t i = 0, depth = 0, skip;

	if (!rest->len)
		return false;
	while (i < rest->len && (depth || p[i] != ',')) {
		depth += p[i] == '{' || p[i] == '[' || p[i] == '(';
		depth -= depth && (p[i] == '}' || p[i] == ']' || p[i] == ')');
		i += p[i] == '"' || p[i] == '\'' ? quoted_len(p + i, rest->len - i) : 1;
	}
	*ret_value = (struct piece){p, i};
	for (skip = i < rest->len; i + skip < rest->len && p[i + skip] == ' ';)
		skip++;
	*rest = (struct piece){p + i + skip, rest->len - i - skip};
	return true;
}
