// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * move.c - instructions that run elsewhere and do the same.
 *
 *	operand relative to rip      gets another distance
 *	jcc, jmp, rel8 or rel32      rel32, to the old target, or to the moved copy of it
 *	call                         push $return address; jmp target: the address that is pushed is
 *	                             the old one, so unwinding works and the function continues in
 *	                             its old code. The processor mispredicts that return (about 15
 *	                             ns), and a shadow stack (CET) would not accept it, so it is the
 *	                             last resort
 *	call mcount, __fentry__, nop disappear
 *	loop, jrcxz, xbegin          have no long form: they cannot move
 *
 * A body ends with a jump back, unless its last instruction does not continue.
 *
 *	push imm32            68 imm32              sign-extended
 *	movl imm32,4(%rsp)    c7 44 24 04 imm32     the upper half
 */
#include "capture/user/x86_64/arch_int.h"
#include "format/bytes.h"
#include "symbols/insn/instruction.h"

#include <string.h>

#define PUSH_BYTES	13 /* push, movl */
#define CONDITION_BYTES 6  /* 0f 8x rel32 */

/*
 * --- taking ------------------------------------------------------------------------------------
 */

enum userimage_why moved_take(struct moved *m, const struct userimage *img, uint64_t address,
			      uint64_t end, unsigned n_bytes)
{
	struct piece code = userimage_code(img, address);

	m->img = img;
	m->address = address;
	m->code = code.data;
	m->n = m->n_bytes = 0;
	if (end < address || end - address > code.len)
		return USERIMAGE_OUTSIDE;
	while (m->n_bytes < n_bytes) {
		struct x86_parts *p = &m->parts[m->n];

		if (address + m->n_bytes >= end)
			return USERIMAGE_SHORT;
		if (m->n == MOVED_MAX ||
		    !x86_parts(code.data + m->n_bytes, end - address - m->n_bytes, p))
			return USERIMAGE_UNKNOWN;
		m->at[m->n++] = m->n_bytes;
		m->n_bytes += p->n_bytes;
		m->at[m->n] = m->n_bytes;
	}
	return USERIMAGE_HOOKED;
}

bool moved_is_open(const struct moved *m)
{
	if (!m->n)
		return true;
	switch (m->parts[m->n - 1].branch) {
	case X86_JUMP:
	case X86_JUMP_INDIRECT:
	case X86_RETURN:
	case X86_TRAP:
		return false;
	case X86_CALL:
	case X86_CALL_INDIRECT: /* returns to the old code, unless it disappears */
		return m->new_at[m->n] == m->new_at[m->n - 1];
	default:
		return true;
	}
}

/*
 * --- can it move? ------------------------------------------------------------------------------
 */

/* A stub for a library's function: [endbr64] [bnd] jmp *SLOT(%rip). 0: it is none. */
static uint64_t stub_slot(const struct userimage *img, uint64_t address)
{
	struct piece code = userimage_code(img, address);
	struct x86_parts p;

	if (code.len >= 4 && !memcmp(code.data, "\xf3\x0f\x1e\xfa", 4)) {
		code.data += 4;
		code.len -= 4;
		address += 4;
	}
	if (!x86_parts(code.data, code.len, &p) || p.branch != X86_JUMP_INDIRECT || !p.rip_at)
		return 0;
	return address + p.n_bytes + x86_get32(code.data + p.rip_at);
}

bool x86_calls_counter(const struct userimage *img, uint64_t address, const uint8_t *code,
		       const struct x86_parts *parts)
{
	uint64_t target;

	if (!img->n_counters)
		return false;
	if (parts->branch == X86_CALL_INDIRECT && parts->rip_at)
		return userimage_is_counter(img, address + parts->n_bytes +
							 x86_get32(code + parts->rip_at));
	if (parts->branch != X86_CALL)
		return false;
	target = x86_target(code, parts, address);
	return userimage_is_counter(img, target) ||
	       userimage_is_counter(img, stub_slot(img, target));
}

/* Relative to the stack pointer, or a far call: what push does would be in the way. */
static bool is_odd_call(const uint8_t *code, const struct x86_parts *p)
{
	uint8_t modrm = code[p->modrm_at];

	if ((modrm >> 3 & 7) == 3 || p->has_operand_prefix)
		return true;
	return modrm >> 6 == 3 ? (modrm & 7) == 4
			       : (modrm & 7) == 4 && (code[p->modrm_at + 1] & 7) == 4;
}

static bool is_in_image(const struct userimage *img, uint64_t address)
{
	return address >= img->elf.span.begin && address <= img->elf.span.end;
}

static enum userimage_why check_one(const struct moved *m, unsigned i, unsigned n_patched,
				    bool calls_may_move)
{
	const struct x86_parts *p = &m->parts[i];
	const uint8_t *code = m->code + m->at[i];
	uint64_t next = m->address + m->at[i] + p->n_bytes;
	bool is_call = p->branch == X86_CALL || p->branch == X86_CALL_INDIRECT;

	if (p->rip_at && p->has_address_prefix)
		return USERIMAGE_FIXED;
	if (p->rip_at && !is_in_image(m->img, next + x86_get32(code + p->rip_at)))
		return USERIMAGE_DISTANT;
	if (is_call && x86_calls_counter(m->img, next - p->n_bytes, code, p))
		return USERIMAGE_HOOKED;
	/* it would return into the patch; or it is to stay where it is */
	if (is_call && (m->at[i] + p->n_bytes < n_patched || !calls_may_move))
		return USERIMAGE_FIXED;
	if (p->branch == X86_LOOP || (p->branch == X86_CALL_INDIRECT && is_odd_call(code, p)))
		return USERIMAGE_FIXED;
	if (!p->distance_at)
		return USERIMAGE_HOOKED;
	if (p->has_operand_prefix)
		return USERIMAGE_FIXED;
	return is_in_image(m->img, x86_target(code, p, m->address + m->at[i])) ? USERIMAGE_HOOKED
									       : USERIMAGE_DISTANT;
}

static unsigned new_bytes(const struct moved *m, unsigned i)
{
	const struct x86_parts *p = &m->parts[i];
	const uint8_t *code = m->code + m->at[i];

	switch (p->branch) {
	case X86_JUMP:
		return JUMP_BYTES;
	case X86_CONDITION:
		return CONDITION_BYTES;
	case X86_CALL:
	case X86_CALL_INDIRECT:
		if (x86_calls_counter(m->img, m->address + m->at[i], code, p))
			return 0;
		return PUSH_BYTES + (p->branch == X86_CALL ? JUMP_BYTES : p->n_bytes);
	default:
		return x86_is_nop(code, p) ? 0 : p->n_bytes;
	}
}

int moved_place(const struct moved *m, uint64_t address)
{
	for (unsigned i = 0; i < m->n; i++)
		if (m->address + m->at[i] == address)
			return m->new_at[i];
	return -1;
}

/* A jump that leads to moved code. */
static bool is_inside(const struct moved *m, unsigned i, uint64_t target)
{
	return m->parts[i].branch != X86_CALL && target >= m->address &&
	       target < m->address + m->n_bytes;
}

enum userimage_why moved_check(struct moved *m, unsigned n_patched, bool calls_may_move)
{
	unsigned at = 0;

	for (unsigned i = 0; i < m->n; i++) {
		enum userimage_why why = check_one(m, i, n_patched, calls_may_move);

		if (why != USERIMAGE_HOOKED)
			return why;
		m->new_at[i] = at;
		at += new_bytes(m, i);
		m->new_at[i + 1] = at;
	}
	for (unsigned i = 0; i < m->n; i++) {
		uint64_t target;

		if (!m->parts[i].distance_at)
			continue;
		target = x86_target(m->code + m->at[i], &m->parts[i], m->address + m->at[i]);
		if (is_inside(m, i, target) && moved_place(m, target) < 0)
			return USERIMAGE_TARGET;
	}
	return USERIMAGE_HOOKED;
}

unsigned moved_body_bytes(const struct moved *m)
{
	return m->n && m->new_at[m->n] ? m->new_at[m->n] + (moved_is_open(m) ? JUMP_BYTES : 0) : 0;
}

/*
 * --- writing -----------------------------------------------------------------------------------
 */

static uint8_t *put32(uint8_t *out, uint32_t value)
{
	memcpy(out, &value, sizeof(value));
	return out + sizeof(value);
}

static uint8_t *put_push(uint8_t *out, uint64_t value)
{
	*out++ = 0x68;
	out = put32(out, (uint32_t)value);
	memcpy(out, "\xc7\x44\x24\x04", 4);
	return put32(out + 4, value >> 32);
}

/* address: that of the copy. */
static void emit_copy(const uint8_t *code, const struct x86_parts *p, uint64_t old_next,
		      uint64_t address, uint8_t *out)
{
	memcpy(out, code, p->n_bytes);
	if (p->rip_at)
		put32(out + p->rip_at,
		      old_next + x86_get32(code + p->rip_at) - (address + p->n_bytes));
}

static void emit_branch(const uint8_t *code, const struct x86_parts *p, uint64_t target,
			uint64_t address, uint8_t *out)
{
	uint8_t opcode = code[p->opcode_at];

	if (p->branch == X86_CONDITION) {
		*out++ = 0x0f;
		*out++ = opcode == 0x0f ? code[p->opcode_at + 1] : opcode + 0x10;
		put32(out, target - (address + CONDITION_BYTES));
	} else {
		*out++ = 0xe9;
		put32(out, target - (address + JUMP_BYTES));
	}
}

static void emit_one(const struct moved *m, unsigned i, uint64_t bias, uint64_t body, uint8_t *out)
{
	const struct x86_parts *p = &m->parts[i];
	const uint8_t *code = m->code + m->at[i];
	uint64_t next = m->address + m->at[i] + p->n_bytes, target = 0;
	uint64_t address = body + m->new_at[i];

	if (p->distance_at) {
		target = x86_target(code, p, next - p->n_bytes);
		target = is_inside(m, i, target) ? body + moved_place(m, target) : target + bias;
	}
	switch (p->branch) {
	case X86_JUMP:
	case X86_CONDITION:
		emit_branch(code, p, target, address, out);
		return;
	case X86_CALL:
		put_push(out, next + bias);
		emit_branch(code, p, target, address + PUSH_BYTES, out + PUSH_BYTES);
		return;
	case X86_CALL_INDIRECT:
		put_push(out, next + bias);
		emit_copy(code, p, next + bias, address + PUSH_BYTES, out + PUSH_BYTES);
		out[PUSH_BYTES + p->modrm_at] += 0x10; /* call is 2 of its group, jmp is 4 */
		return;
	default:
		emit_copy(code, p, next + bias, address, out);
	}
}

void moved_emit(const struct moved *m, const struct userimage_place *place, uint64_t body,
		uint8_t *out)
{
	unsigned n_bytes = m->new_at[m->n];

	for (unsigned i = 0; i < m->n; i++)
		if (m->new_at[i + 1] > m->new_at[i])
			emit_one(m, i, place->bias, body, out + m->new_at[i]);
	if (!moved_is_open(m))
		return;
	out[n_bytes] = 0xe9;
	put32(out + n_bytes + 1,
	      m->address + m->n_bytes + place->bias - (body + n_bytes + JUMP_BYTES));
}
