// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * composite.c - pointers, arrays and structures: the types that contain other types.
 *
 * A structure is shown as {field=value, …}. Fields that strace shows only with -v are omitted
 * without it; "..." at the end stands for them.
 */
#include "base/textbuf.h"
#include "decode/syscalls/text_int.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"

#define DEPTH_MAX 8

sysfmt_fn *const sysfmt_table[SYSKINDS_N] = {
#define ROW(kind) [SYSKIND_##kind] = sysfmt_##kind,
	SYSKINDS(ROW)
#undef ROW
};

void fmt_value(struct printing *p, const struct systype *t, uint64_t v)
{
	sysfmt_table[t->kind](p, t, v);
}

static bool is_number(const struct systype *t)
{
	return t->kind < SYSKIND_pointer && !(t->flags & SYSTYPE_INLINE);
}

void fmt_at(struct printing *p, const struct systype *t, uint64_t address)
{
	const uint8_t *b;
	uint64_t v = 0;

	if (!is_number(t)) {
		fmt_value(p, t, address);
		return;
	}
	b = peek(p, address, t->bytes);
	if (!b) {
		add(p, "???");
		return;
	}
	memcpy(&v, b, t->bytes);
	if (t->flags & SYSTYPE_SIGNED && t->bytes < 8)
		v = (uint64_t)((int64_t)(v << (64 - 8 * t->bytes)) >> (64 - 8 * t->bytes));
	fmt_value(p, t, v);
}

void fmt_fields(struct printing *p, const struct sysstruct *s, uint64_t address, bool *ret_any)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct sysfield *f = &s->fields[i];

		if (f->type.flags & SYSTYPE_VERBOSE && !p->is_verbose)
			continue;
		if (*ret_any)
			add(p, ", ");
		*ret_any = true;
		if (!(s->flags & SYSSTRUCT_BARE)) {
			add(p, f->name);
			textbuf_add_char(p->tb, '=');
		}
		fmt_at(p, &f->type, address + f->offset);
	}
}

void fmt_struct(struct printing *p, const struct sysstruct *s, uint64_t address)
{
	bool bare = s->flags & SYSSTRUCT_BARE, any = false;

	if (p->depth >= DEPTH_MAX) {
		fmt_addr(p, address);
		return;
	}
	p->depth++;
	textbuf_add_char(p->tb, bare ? '[' : '{');
	fmt_fields(p, s, address, &any);
	if (s->flags & SYSSTRUCT_ABBREVIATED && !p->is_verbose)
		add(p, ", ...");
	textbuf_add_char(p->tb, bare ? ']' : '}');
	p->depth--;
}

void fmt_struct_or_addr(struct printing *p, const struct sysstruct *s, uint64_t address)
{
	if (address && peek(p, address, s->size))
		fmt_struct(p, s, address);
	else
		fmt_addr(p, address);
}

void sysfmt_struct(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_struct_or_addr(p, t->of, v);
}

void fmt_elements(struct printing *p, uint64_t address, uint64_t n, size_t size,
		  void (*fn)(struct printing *p, uint64_t address))
{
	uint64_t shown = p->is_verbose || n < p->o->string_limit ? n : p->o->string_limit;

	if (!address || (n && !peek(p, address, size))) {
		fmt_addr(p, address);
		return;
	}
	textbuf_add_char(p->tb, '[');
	for (uint64_t i = 0; i < shown; i++) {
		if (i)
			add(p, ", ");
		if (!peek(p, address + i * size, size)) {
			textbuf_addf(p->tb, "... /* %#llx */",
				     (unsigned long long)address + i * size);
			shown = n;
			break;
		}
		fn(p, address + i * size);
	}
	if (shown < n)
		add(p, shown ? ", ..." : "...");
	textbuf_add_char(p->tb, ']');
}

void sysfmt_array(struct printing *p, const struct systype *t, uint64_t v)
{
	const struct systype *element = t->of;
	uint64_t n = t->n, shown;
	size_t size = element->size ? element->size : element->bytes;

	if (!n)
		n = t->flags & SYSTYPE_BY_RET ? (uint64_t)p->call->ret : arg_of(p, t->arg);
	if (!v || (n && !peek(p, v, size))) {
		fmt_addr(p, v);
		return;
	}
	shown = p->is_verbose || n <= p->o->string_limit ? n : p->o->string_limit;
	textbuf_add_char(p->tb, '[');
	for (uint64_t i = 0; i < shown; i++) {
		if (i)
			add(p, ", ");
		if (!peek(p, v + i * size, size)) {
			textbuf_addf(p->tb, "... /* %#llx */", (unsigned long long)v + i * size);
			shown = n;
			break;
		}
		fmt_at(p, element, v + i * size);
	}
	if (shown < n)
		add(p, ", ...");
	textbuf_add_char(p->tb, ']');
}

/* What a call writes is shown if it succeeded, otherwise the address. */
void sysfmt_pointer(struct printing *p, const struct systype *t, uint64_t v)
{
	const struct systype *inner = t->of;
	uint8_t when = p->when;

	if (t->flags & SYSTYPE_OUT) {
		entry_ends(p);
		if (!wrote(p) && inner->kind == SYSKIND_msghdr && v && p->returned) {
			fmt_failed_message(p, v);
			return;
		}
		if (!wrote(p) && !(t->flags & SYSTYPE_INOUT && p->returned)) {
			fmt_addr(p, v);
			return;
		}
		if (wrote(p))
			p->when = SYSCALLEVENTS_AT_EXIT;
	}
	if (!v)
		add(p, "NULL");
	else if (inner->kind == SYSKIND_struct || inner->size)
		if (inner->kind != SYSKIND_array && !peek(p, v, inner->size))
			fmt_addr(p, v);
		else
			fmt_at(p, inner, v);
	else
		fmt_value(p, inner, v);
	p->when = when;
}
