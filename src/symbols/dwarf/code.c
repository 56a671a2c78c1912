// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * code.c - reads the code for facts that debug information and symbols do not contain.
 *
 *	Where an instruction begins. The kernel puts a breakpoint anywhere; in the middle of an
 *	instruction it corrupts the program. So the code is walked from a place where an instruction
 *	begins: the function's entry, or, in a program without symbols, where its frame changes
 *	(.eh_frame).
 *
 *	The bytes before a function's own first instruction, for the kernel's function tracer.
 *
 *	The targets of an indirect function (IFUNC). The symbol is that of a resolver, which runs
 *	once in each process and returns the implementation to call. Its code contains their
 *	addresses:
 *
 *          48 8d 05 disp32     lea  __memcpy_avx_unaligned(%rip), %rax
 *          b8 imm32            mov  $impl, %eax                         programs at fixed addresses
 *          48 c7 c0 imm32      mov  $impl, %rax
 *
 *	An address counts if a function begins there; in a file without such symbols, if lea leads
 *	to code. For other processors, functions named __NAME_something count, as in the C library.
 */
#include "format/bytes.h"
#include "symbols/dwarf/debuginfo_int.h"
#include "base/errmsg.h"
#include "symbols/arch.h"
#include "symbols/insn/instruction.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RESOLVER_MAX_BYTES 4096

struct piece code_at(struct debuginfo *d, uint64_t address)
{
	Dwarf_Addr in = address + d->elf_bias, bias;
	Elf_Scn *scn = dwfl_module_address_section(d->module, &in, &bias);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	GElf_Shdr sh;

	if (!data || !data->d_buf || in >= data->d_size || !gelf_getshdr(scn, &sh) ||
	    !(sh.sh_flags & SHF_EXECINSTR))
		return PIECE_EMPTY;
	return (struct piece){(uint8_t *)data->d_buf + in, data->d_size - in};
}

/*
 * --- where instructions begin ------------------------------------------------------------------
 */

bool code_is_inside(struct debuginfo *d, uint64_t from, uint64_t offset, uint64_t *ret_before,
		    uint64_t *ret_behind)
{
	struct piece code = code_at(d, from);
	uint64_t at = 0;

	while (d->arch && at < offset && at < code.len) {
		unsigned n = instruction_length(d->arch, code.data + at, code.len - at);

		if (!n)
			return false; /* this is data in the code, or an unknown instruction */
		if (at + n > offset) {
			*ret_before = at;
			*ret_behind = at + n;
			return true;
		}
		at += n;
	}
	return false;
}

#define FENTRY_MAX 16 /* bytes of endbr64 and call __fentry__ */

static bool begins_with(struct piece code, unsigned at, const char *bytes, unsigned n)
{
	return at + n <= code.len && !memcmp(code.data + at, bytes, n);
}

unsigned code_padding(struct debuginfo *d, uint64_t entry)
{
	struct piece code = code_at(d, entry);
	struct instruction_effect e;
	unsigned n = 0;

	if (!code.len) /* a file that has only debug information */
		return d->is_kernel ? FENTRY_MAX : 0;
	if (d->arch && d->arch->elf_machine == EM_X86_64) {
		if (begins_with(code, n, "\xf3\x0f\x1e\xfa", 4)) /* endbr64 */
			n += 4;
		if (begins_with(code, n, "\xe8", 1) || begins_with(code, n, "\x0f\x1f\x44", 3))
			n += 5; /* call __fentry__, or its replacement */
		return n;
	}
	while (d->arch && n < FENTRY_MAX && n < code.len &&
	       instruction_effect(d->arch, code.data + n, code.len - n, &e) && e.is_padding)
		n += e.n_bytes;
	return n;
}

/* Finds a place at or before the address where an instruction begins. */
static bool find_begin(struct debuginfo *d, uint64_t address, uint64_t *ret_begin)
{
	const struct symbol *s = symbol_at(d, address);
	Dwarf_Addr bias, start = 0;
	Dwarf_Frame *frame;
	Dwarf_CFI *cfi;

	if (s && s->n_bytes) {
		*ret_begin = s->address;
		return true;
	}
	cfi = dwfl_module_eh_cfi(d->module, &bias);
	if (!cfi || dwarf_cfi_addrframe(cfi, address, &frame) != 0)
		return false;
	dwarf_frame_info(frame, &start, NULL, NULL);
	free(frame);
	*ret_begin = start;
	return start && start <= address;
}

int debuginfo_check_address(struct debuginfo *d, uint64_t address, struct errmsg *err)
{
	uint64_t begin, before, behind, stands = address;
	const char *why = code_trouble(d, &stands);

	if (find_begin(d, address, &begin) &&
	    code_is_inside(d, begin, address - begin, &before, &behind))
		return errmsg_set(
			err, -EINVAL,
			"0x%llx is in the middle of an instruction, and a probe there would "
			"corrupt the program; the nearest instructions begin at 0x%llx and "
			"0x%llx",
			(unsigned long long)address, (unsigned long long)begin + before,
			(unsigned long long)begin + behind);
	if (!why && stands != address)
		why = "it is padding, which the kernel's probes in programs do not support";
	return why ? code_refuse(d, NULL, 0, address, why, err) : 0;
}

/*
 * --- indirect functions ------------------------------------------------------------------------
 */

static uint32_t read_le32(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Finds the address that an instruction of n bytes loads. Returns false if it loads none. */
static bool loads_address(const uint8_t *code, unsigned n, uint64_t here, uint64_t *ret,
			  bool *ret_is_lea)
{
	bool rex = (code[0] & 0xf8) == 0x48;

	*ret_is_lea = rex && n == 7 && code[1] == 0x8d && (code[2] & 0xc7) == 0x05;
	if (*ret_is_lea)
		*ret = here + n + (int32_t)read_le32(code + 3);
	else if (rex && n == 7 && code[1] == 0xc7 && (code[2] & 0xf8) == 0xc0)
		*ret = read_le32(code + 3);
	else if (n == 5 && (code[0] & 0xf8) == 0xb8)
		*ret = read_le32(code + 1);
	else
		return false;
	return true;
}

static int visit_loads(struct debuginfo *d, const struct symbol *resolver, symbol_visit visit,
		       void *ctx)
{
	struct piece code = code_at(d, resolver->address);
	size_t len = resolver->n_bytes < code.len ? resolver->n_bytes : code.len;
	int r = 0;

	if (len > RESOLVER_MAX_BYTES)
		len = RESOLVER_MAX_BYTES;
	for (size_t at = 0; at < len && r >= 0;) {
		unsigned n = instruction_length(d->arch, code.data + at, len - at);
		const struct symbol *s;
		uint64_t to;
		bool is_lea;

		if (!n)
			break;
		if (loads_address(code.data + at, n, resolver->address + at, &to, &is_lea) &&
		    code_at(d, to).len && to - resolver->address >= resolver->n_bytes) {
			s = symbol_at(d, to);
			if (s && s->address == to)
				r = visit(ctx, s, to);
			else if ((!s || !s->n_bytes) && is_lea)
				r = visit(ctx, NULL, to);
		}
		at += n;
	}
	return r;
}

static int visit_names(struct debuginfo *d, const struct symbol *resolver, symbol_visit visit,
		       void *ctx)
{
	const char *base = resolver->name + strspn(resolver->name, "_");
	size_t len = strlen(base);
	int r = 0;

	for (size_t i = 0; i < d->n_symbols && r >= 0; i++) {
		const struct symbol *s = &d->symbols[i];

		/* __memcpy_chk_… belongs to another function, which continues in __memcpy_… */
		if (!strncmp(s->name, "__", 2) && !strncmp(s->name + 2, base, len) &&
		    s->name[2 + len] == '_' && strncmp(s->name + 2 + len, "_chk", 4) &&
		    s->address != resolver->address && !s->is_indirect)
			r = visit(ctx, s, s->address);
	}
	return r;
}

int symbol_each_choice(struct debuginfo *d, const struct symbol *resolver, symbol_visit visit,
		       void *ctx)
{
	if (d->arch && d->arch->elf_machine == EM_X86_64)
		return visit_loads(d, resolver, visit, ctx);
	return visit_names(d, resolver, visit, ctx);
}
