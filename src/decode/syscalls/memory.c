// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * memory.c - the memory that a record has of a program, read by address.
 *
 * A record is hostile input: lengths are checked before anything is read, and chunks that overrun
 * the record end the list. A lookup goes through the list, which has a handful of chunks.
 *
 * Memory is that of the call's beginning or of its end. A page that was not there at the beginning
 * is copied at the end, so the beginning's memory is looked for at the end, too; never the other
 * way round.
 */
#include "decode/syscalls/text_int.h"
#include "store/events/syscallevents.h"

#include <errno.h>
#include <linux/audit.h>

int memory_parse(struct printing *p, const struct syscallevents_call *call, size_t n_bytes)
{
	const uint8_t *record = (const void *)call;
	size_t pos, end;

	if (n_bytes < SYSCALLEVENTS_CALL_BYTES)
		return -EBADMSG;
	p->call = call;
	p->n_chunks = 0;
	p->aarch64 = call->machine != AUDIT_ARCH_X86_64;
	pos = call->memory_loc & 0xffff;
	end = pos + (call->memory_loc >> 16);
	if (end > n_bytes || pos < SYSCALLEVENTS_CALL_BYTES)
		return 0; /* without memory */
	while (p->n_chunks < PRINTING_CHUNKS_MAX &&
	       end - pos >= sizeof(struct syscallevents_chunk)) {
		struct syscallevents_chunk c;

		memcpy(&c, record + pos, sizeof(c));
		pos += sizeof(c);
		if (c.n_bytes > end - pos)
			break;
		p->chunks[p->n_chunks++] = (struct syscallchunk){
			c.address, record + pos, c.n_bytes, c.when, c.flags,
		};
		pos += (c.n_bytes + 7u) & ~7u;
		if (pos > end)
			break;
	}
	return 0;
}

static const uint8_t *look(struct printing *p, uint64_t address, size_t min, size_t max,
			   uint8_t when, size_t *ret_n, uint8_t *ret_flags)
{
	for (size_t i = 0; i < p->n_chunks; i++) {
		const struct syscallchunk *c = &p->chunks[i];
		uint64_t skip = address - c->address;

		if (c->when != when || skip > c->n || c->n - skip < min || c->n == skip)
			continue;
		*ret_n = c->n - skip < max ? c->n - skip : max;
		*ret_flags = *ret_n == c->n - skip ? c->flags : 0;
		return c->bytes + skip;
	}
	return NULL;
}

const uint8_t *peek_some(struct printing *p, uint64_t address, size_t max, size_t *ret_n,
			 uint8_t *ret_flags)
{
	const uint8_t *b = look(p, address, 1, max, p->when, ret_n, ret_flags);

	if (!b && p->when == SYSCALLEVENTS_AT_ENTRY)
		b = look(p, address, 1, max, SYSCALLEVENTS_AT_EXIT, ret_n, ret_flags);
	return b;
}

const uint8_t *peek(struct printing *p, uint64_t address, size_t n)
{
	uint8_t flags;
	size_t got;
	const uint8_t *b;

	if (!n)
		return (const uint8_t *)"";
	if (p->no_structures)
		return NULL;
	b = look(p, address, n, n, p->when, &got, &flags);
	if (!b && p->when == SYSCALLEVENTS_AT_ENTRY)
		b = look(p, address, n, n, SYSCALLEVENTS_AT_EXIT, &got, &flags);
	return b;
}

const uint8_t *peek_or_addr(struct printing *p, uint64_t address, size_t n)
{
	const uint8_t *b = peek(p, address, n);

	if (!b)
		fmt_addr(p, address);
	return b;
}

bool peek_u64(struct printing *p, uint64_t address, uint64_t *ret)
{
	const uint8_t *b = peek(p, address, 8);

	if (!b)
		return false;
	*ret = load64(b);
	return true;
}

bool peek_u32(struct printing *p, uint64_t address, uint32_t *ret)
{
	const uint8_t *b = peek(p, address, 4);

	if (!b)
		return false;
	*ret = load32(b);
	return true;
}
