// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * location.c - finds where a variable is at an instruction, as a struct place.
 *
 * DWARF gives a location as a small program for a stack machine. It is run here with symbols
 * instead of numbers: a value is a register (or a constant, or an address), then loads, then an
 * offset:
 *
 *	fbreg -24                    [bp] - 24                     memory
 *	reg5                         di                            register
 *	breg3 16, deref, plus 8      *([bx] + 16) + 8              memory behind one load
 *	breg3 0, stack_value         the value of bx itself        register
 *	lit5, stack_value            5                             constant
 *	addr 0x4040                  a global
 *
 * The kernel's probes can fetch only these forms. A location that computes more (and, shl, an entry
 * value that needs the caller's registers) has no place here, and `why` contains the reason.
 *
 * At the entry of a function two things are corrected. Parameters that live in memory are not
 * stored there yet; they are read from the registers in which they were passed. Code for the
 * kernel's function tracer begins with a call, and locations are valid only after that call; here
 * they are also used at the entry.
 *
 * Elsewhere a location that begins with a register is verified: see kept.c.
 */
#include "base/array.h"
#include "base/scope.h"
#include "symbols/dwarf/debuginfo_int.h"
#include "symbols/arch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACK_MAX    8
#define NESTING_MAX  4	 /* nested locations, such as a frame base that uses the frame */
#define PROLOGUE_MAX 256 /* limit in bytes */
#define WORD_BYTES   8

enum value_base { BASE_CONSTANT, BASE_REGISTER, BASE_ADDRESS };

struct value {
	enum value_base base;
	unsigned reg;
	unsigned n_loads;
	int64_t loads[4];
	int64_t offset;
};

struct machine {
	const struct location_site *site;
	Dwarf_Attribute *attribute;
	struct value stack[STACK_MAX];
	unsigned n;
	bool is_register; /* the location is the register on the stack, not memory */
	bool is_value;	  /* the value itself is on the stack */
	bool is_done;
	bool is_exact;	      /* the register comes from a table that is exact for this address */
	bool is_early;	      /* refused, because the frame does not exist yet */
	uint64_t piece_bytes; /* size of the first piece; 0: the variable is in one piece */
	unsigned n_bits;      /* number of low bits of the value that count; 0: all */
	const char *why;
};

static const char computed[] = "it is computed here and stored nowhere";
static const char frame_to_come[] =
	"the function's first instructions set the register that leads to it";

/*
 * --- the machine -------------------------------------------------------------------------------
 */

static int evaluate(struct machine *m, const Dwarf_Op *ops, size_t n, unsigned depth);

static int refuse(struct machine *m, const char *why)
{
	m->why = why;
	return -ENODATA;
}

static int push(struct machine *m, struct value v)
{
	if (m->n == STACK_MAX)
		return refuse(m, computed);
	m->stack[m->n++] = v;
	return 0;
}

static int push_register(struct machine *m, unsigned reg, int64_t offset)
{
	return push(m, (struct value){.base = BASE_REGISTER, .reg = reg, .offset = offset});
}

static int push_constant(struct machine *m, int64_t v)
{
	return push(m, (struct value){.base = BASE_CONSTANT, .offset = v});
}

static bool is_list(Dwarf_Attribute *a)
{
	Dwarf_Op *ops;
	size_t n;

	return dwarf_getlocation(a, &ops, &n) != 0;
}

bool instance_frame_register(struct instance *i, unsigned *ret_reg)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(&i->die, DW_AT_frame_base, &a) ||
	    dwarf_getlocation(&a, &ops, &n) != 0 || n != 1 || ops[0].atom < DW_OP_reg0 ||
	    ops[0].atom > DW_OP_reg31)
		return false;
	*ret_reg = ops[0].atom - DW_OP_reg0;
	return true;
}

/* Evaluates a location inside a location: the frame base, the call frame's address. */
static int push_nested(struct machine *m, Dwarf_Attribute *attribute, const Dwarf_Op *ops, size_t n,
		       unsigned depth)
{
	struct machine inner = {.site = m->site, .attribute = attribute};

	if (depth >= NESTING_MAX || evaluate(&inner, ops, n, depth + 1) < 0 || inner.n != 1)
		return refuse(m, "the place of its stack frame is unknown");
	m->is_exact |= inner.is_exact;
	return push(m, inner.stack[0]);
}

static void open_cfi(struct debuginfo *d)
{
	Dwarf_Addr bias;

	if (d->has_cfi)
		return;
	d->has_cfi = true;
	d->eh_cfi = dwfl_module_eh_cfi(d->module, &bias);
	d->debug_cfi = dwfl_module_dwarf_cfi(d->module, &bias);
}

static int push_cfa_at(struct machine *m, uint64_t address, unsigned depth)
{
	struct debuginfo *d = m->site->d;
	Dwarf_CFI *tables[2];

	open_cfi(d);
	tables[0] = d->eh_cfi;
	tables[1] = d->debug_cfi;
	for (int i = 0; i < 2; i++) {
		Dwarf_Frame *frame = NULL;
		Dwarf_Op *ops;
		size_t n;
		int r;

		if (!tables[i] || dwarf_cfi_addrframe(tables[i], address, &frame) != 0)
			continue;
		r = dwarf_frame_cfa(frame, &ops, &n) == 0 && n ? push_nested(m, NULL, ops, n, depth)
							       : -ENODATA;
		free(frame);
		if (r >= 0) {
			m->is_exact = true;
			return 0;
		}
	}
	return refuse(m, "the place of its stack frame is unknown");
}

static int push_cfa(struct machine *m, unsigned depth)
{
	return push_cfa_at(m, m->site->address, depth);
}

bool location_frame(struct debuginfo *d, uint64_t address, unsigned *ret_reg, int64_t *ret_offset)
{
	struct location_site site = {.d = d, .address = address};
	struct machine m = {.site = &site};

	if (push_cfa_at(&m, address, 0) < 0 || m.stack[0].base != BASE_REGISTER ||
	    m.stack[0].n_loads)
		return false;
	*ret_reg = m.stack[0].reg;
	*ret_offset = m.stack[0].offset;
	return true;
}

bool location_has_frame(struct debuginfo *d, struct instance *i, uint64_t address)
{
	unsigned base, reg;
	int64_t offset;

	return !instance_frame_register(i, &base) || !location_frame(d, address, &reg, &offset) ||
	       reg == base;
}

/*
 * Returns true in the prologue. A frame base that is just a register (clang) is valid only in the
 * body: the prologue sets the register, and the end of the function restores it. The call frame's
 * address does not change; outside the body it is computed from the current registers.
 */
static bool is_in_prologue(const struct location_site *site)
{
	uint64_t entry = site->outer->entry;

	return site->address >= entry && site->address - entry < PROLOGUE_MAX &&
	       site->address < instance_body(site->d, site->unit, site->outer);
}

/* Returns true if the call frame's address is a register and a number. */
static bool is_plain_frame(const struct machine *m)
{
	return m->n && m->stack[m->n - 1].base == BASE_REGISTER && !m->stack[m->n - 1].n_loads;
}

static int push_register_base(struct machine *m, unsigned reg, unsigned depth)
{
	struct machine later = {.site = m->site}, here = {.site = m->site};
	uint64_t body = instance_body(m->site->d, m->site->unit, m->site->outer);
	bool is_known = push_cfa_at(&later, body, depth) >= 0 && is_plain_frame(&later) &&
			later.stack[0].reg == reg && push_cfa(&here, depth) >= 0 &&
			is_plain_frame(&here);

	if (is_known && (is_in_prologue(m->site) || here.stack[0].reg != reg)) {
		here.stack[0].offset -= later.stack[0].offset;
		m->is_exact = true;
		return push(m, here.stack[0]);
	}
	if (!is_in_prologue(m->site))
		return push_register(m, reg, 0);
	m->is_early = true;
	return refuse(m, frame_to_come);
}

static int push_frame_base(struct machine *m, int64_t offset, unsigned depth)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;
	bool is_register;

	if (!m->site->outer || !dwarf_attr_integrate(&m->site->outer->die, DW_AT_frame_base, &a) ||
	    dwarf_getlocation_addr(&a, m->site->address, &ops, &n, 1) < 1)
		return refuse(m, "the place of its stack frame is unknown");
	is_register = n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31;
	TRY(is_register ? push_register_base(m, ops[0].atom - DW_OP_reg0, depth)
			: push_nested(m, &a, ops, n, depth));
	m->is_exact |= is_list(&a);
	m->stack[m->n - 1].offset += offset;
	return 0;
}

static int do_plus(struct machine *m, bool minus)
{
	struct value *a, *b;

	if (m->n < 2)
		return refuse(m, computed);
	a = &m->stack[m->n - 2];
	b = &m->stack[m->n - 1];
	if (b->base != BASE_CONSTANT || b->n_loads) {
		struct value swapped = *a;

		if (minus || a->base != BASE_CONSTANT || a->n_loads)
			return refuse(m, computed);
		*a = *b;
		*b = swapped;
	}
	a->offset = minus ? (uint64_t)a->offset - b->offset : (uint64_t)a->offset + b->offset;
	m->n--;
	return 0;
}

/* Handles "and 0xffffffff", which clang uses for a number in the lower part of a register. */
static int do_mask(struct machine *m)
{
	struct value *mask = m->n >= 2 ? &m->stack[m->n - 1] : NULL;
	uint64_t bits = mask && mask->base == BASE_CONSTANT && !mask->n_loads ? mask->offset : 0;

	if (bits != UINT8_MAX && bits != UINT16_MAX && bits != UINT32_MAX)
		return refuse(m, computed);
	m->n_bits = __builtin_popcountll(bits);
	m->n--;
	return 0;
}

static int do_load(struct machine *m, uint64_t n_bytes)
{
	struct value *v = m->n ? &m->stack[m->n - 1] : NULL;

	if (!v || n_bytes != m->site->d->types.pointer_bytes || v->base == BASE_CONSTANT)
		return refuse(m, computed);
	if (v->n_loads == ARRAY_LEN(v->loads))
		return refuse(m, "too many pointers lead to it");
	v->loads[v->n_loads++] = v->offset;
	v->offset = 0;
	return 0;
}

/* Pushes a constant that the compiler gives for the bytes of the value. */
static int push_implicit(struct machine *m, const Dwarf_Op *op)
{
	Dwarf_Block block;
	int64_t v = 0;

	if (!m->attribute || dwarf_getlocation_implicit_value(m->attribute, op, &block) != 0 ||
	    block.length > sizeof(v))
		return refuse(m, "it is a constant of more than 8 bytes here");
	memcpy(&v, block.data, block.length);
	m->is_value = true;
	return push_constant(m, v);
}

static int push_indexed(struct machine *m, const Dwarf_Op *op, bool is_address)
{
	Dwarf_Attribute a;
	Dwarf_Addr address;
	Dwarf_Word word;

	if (!m->attribute || dwarf_getlocation_attr(m->attribute, op, &a) != 0)
		return refuse(m, computed);
	if (is_address && dwarf_formaddr(&a, &address) == 0)
		return push(m, (struct value){.base = BASE_ADDRESS, .offset = address});
	if (dwarf_formudata(&a, &word) == 0)
		return push_constant(m, word);
	return refuse(m, computed);
}

static int do_piece(struct machine *m, uint64_t n_bytes)
{
	if (m->piece_bytes || !m->n)
		return refuse(m, "it is spread over several registers here");
	m->piece_bytes = n_bytes;
	m->is_done = true;
	return 0;
}

/* Handles the other operations. The caller handles the ranges of numbered operations. */
static int step_other(struct machine *m, const Dwarf_Op *op, unsigned depth)
{
	switch (op->atom) {
	case DW_OP_addr:
		return push(m, (struct value){.base = BASE_ADDRESS, .offset = op->number});
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		return push_indexed(m, op, true);
	case DW_OP_constx:
	case DW_OP_GNU_const_index:
		return push_indexed(m, op, false);
	case DW_OP_regx:
		m->is_register = true;
		return push_register(m, op->number, 0);
	case DW_OP_bregx:
		return push_register(m, op->number, op->number2);
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		return push_register(m, op->number, 0);
	case DW_OP_fbreg:
		return push_frame_base(m, op->number, depth);
	case DW_OP_call_frame_cfa:
		return push_cfa(m, depth);
	case DW_OP_plus_uconst:
		if (!m->n)
			return refuse(m, computed);
		m->stack[m->n - 1].offset += op->number;
		return 0;
	case DW_OP_plus:
	case DW_OP_minus:
		return do_plus(m, op->atom == DW_OP_minus);
	case DW_OP_and:
		return do_mask(m);
	case DW_OP_deref:
		return do_load(m, m->site->d->types.pointer_bytes);
	case DW_OP_deref_size:
		return do_load(m, op->number);
	case DW_OP_stack_value:
		m->is_value = true;
		return 0;
	case DW_OP_piece:
		return do_piece(m, op->number);
	case DW_OP_implicit_value:
		return push_implicit(m, op);
	case DW_OP_nop:
	case DW_OP_GNU_uninit:
	case DW_OP_convert: /* a conversion to fewer bits: fetch fewer */
	case DW_OP_GNU_convert:
		return 0;
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return refuse(m, "what it points to was optimised away here");
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return refuse(m, "its register was reused; only the caller knows it here");
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return refuse(m, "every thread has its own, which probes cannot reach");
	}
	return refuse(m, computed);
}

static int step(struct machine *m, const Dwarf_Op *op, unsigned depth)
{
	if (m->is_done || (m->is_register && op->atom != DW_OP_piece))
		return refuse(m, "it is spread over several registers here");
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push_constant(m, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts)
		return push_constant(m, op->number);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(m, op->atom - DW_OP_breg0, op->number);
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		m->is_register = true;
		return push_register(m, op->atom - DW_OP_reg0, 0);
	}
	return step_other(m, op, depth);
}

static int evaluate(struct machine *m, const Dwarf_Op *ops, size_t n, unsigned depth)
{
	int r = n ? 0 : refuse(m, "it was optimised away here");

	for (size_t i = 0; r >= 0 && i < n; i++)
		r = step(m, &ops[i], depth);
	if (r >= 0 && m->n != 1)
		r = refuse(m, computed);
	return r;
}

/*
 * --- from a value to a place -------------------------------------------------------------------
 */

static int to_place(struct machine *m, struct place *ret)
{
	const struct arch *arch = m->site->d->arch;
	struct value *v = &m->stack[0];
	struct place p = {.reg = v->reg, .offset = v->offset, .n_loads = v->n_loads};

	memcpy(p.loads, v->loads, sizeof(p.loads));
	if (v->base == BASE_REGISTER && arch && !arch_register(arch, v->reg))
		return refuse(m, "it is in a register that probes cannot read");
	if (v->base == BASE_CONSTANT) {
		if (!m->is_value)
			return refuse(m, computed);
		p.kind = PLACE_CONSTANT;
	} else if (v->base == BASE_ADDRESS) {
		if (m->is_value || v->n_loads)
			return refuse(m, "it is the address of something, stored nowhere");
		p.kind = PLACE_ADDRESS;
		p.address = v->offset;
		p.offset = 0;
	} else if (m->is_register) {
		p.kind = PLACE_REGISTER;
	} else if (!m->is_value) {
		p.kind = PLACE_MEMORY;
	} else if (v->n_loads && !v->offset) {
		/* the value was loaded, so it is in memory, at the last load */
		p.kind = PLACE_MEMORY;
		p.offset = p.loads[--p.n_loads];
	} else if (!v->n_loads && !v->offset) {
		p.kind = PLACE_REGISTER;
	} else {
		return refuse(m, computed);
	}
	*ret = p;
	return 0;
}

/* Replaces the address of a global of the kernel by its symbol. */
static void name_global(const struct location_site *site, Dwarf_Die *variable, struct place *p)
{
	GElf_Sym sym;
	GElf_Off offset;
	const char *name;

	if (p->kind != PLACE_ADDRESS || !site->d->is_kernel)
		return;
	name = dwfl_module_addrinfo(site->d->module, p->address + site->d->elf_bias, &offset, &sym,
				    NULL, NULL, NULL);
	if (name && !offset)
		p->symbol = name;
}

/*
 * --- at the entry ------------------------------------------------------------------------------
 */

static int64_t first_offset(const struct place *p)
{
	return p->n_loads ? p->loads[0] : p->offset;
}

/* Uses the register that still holds the value, or its address, at the entry. */
static void begin_with_register(struct place *p, unsigned reg)
{
	p->reg = reg;
	if (!p->n_loads) {
		p->kind = PLACE_REGISTER;
		p->offset = 0;
		return;
	}
	p->n_loads--;
	memmove(p->loads, p->loads + 1, p->n_loads * sizeof(*p->loads));
}

/*
 * Returns true if the place is in the function's own frame, below the call frame's address.
 * Arguments that the caller put on the stack are above it.
 */
static bool is_in_own_frame(const struct location_site *site, const struct place *p)
{
	unsigned reg = site->d->arch->stack_reg;
	int64_t offset = 0;

	if (p->kind != PLACE_MEMORY)
		return false;
	location_frame(site->d, site->address, &reg, &offset);
	/*
	 * clang: the call frame is relative to the frame pointer, but variables near the stack
	 * pointer are relative to that
	 */
	if (reg != site->d->arch->stack_reg && p->reg == site->d->arch->stack_reg)
		return true;
	return p->reg == reg && first_offset(p) < offset;
}

/* Refuses a parameter that optimised code may store late or never. */
static void doubt_parameter(const struct location_site *site, struct variable *v)
{
	struct type_facts f;

	type_get(v->type, &f);
	if (instance_keeps_in_memory(site->d, site->outer) ||
	    parameter_is_stored(site, &v->place, f.n_bytes))
		return;
	v->place.kind = PLACE_NOWHERE;
	snprintf(v->why, sizeof(v->why),
		 "it came in registers, and is not stored at its described place");
	v->why_helps = false;
}

/*
 * Corrects the place of a parameter whose memory is in the function's own frame. The value is still
 * where the caller put it, or is being moved. is_early: the frame does not exist yet, so its memory
 * has no place.
 */
static void repair_parameter(const struct location_site *site, int argument, bool has_list,
			     bool is_early, struct variable *v)
{
	const struct arch *arch = site->d->arch;
	struct place *p = &v->place;
	bool at_entry = site->outer && site->address == site->outer->entry;
	struct type_facts f;
	int reg = -1;

	if (!arch || argument < 0 || !site->outer || (!at_entry && has_list) ||
	    (!is_early && !is_in_own_frame(site, p)))
		return;
	if (!at_entry && !is_in_prologue(site)) {
		if (!p->n_loads)
			doubt_parameter(site, v);
		return;
	}
	if (at_entry && !p->n_loads && (unsigned)argument < arch->n_arg_regs &&
	    parameter_by_convention(site, argument, p))
		return;
	type_get(v->type, &f);
	if (at_entry && !is_early && p->reg == arch->stack_reg)
		reg = code_stored_register(site->d, site->address, first_offset(p),
					   p->n_loads ? WORD_BYTES : f.n_bytes);
	if (reg >= 0) {
		begin_with_register(p, reg);
		return;
	}
	p->kind = PLACE_NOWHERE;
	snprintf(v->why, sizeof(v->why),
		 "the function's first instructions store it; probe its first line instead");
	v->why_helps = true;
}

/*
 * Finds the location that begins right after the call of the function tracer. Returns 0 if there is
 * none.
 */
static int find_behind_fentry(struct debuginfo *d, Dwarf_Attribute *a, uint64_t address,
			      Dwarf_Op **ops, size_t *n)
{
	unsigned n_bytes = code_padding(d, address);

	for (unsigned i = 1; i <= n_bytes; i++)
		if (dwarf_getlocation_addr(a, address + i, ops, n, 1) == 1)
			return 1;
	return 0;
}

/*
 * --- all together ------------------------------------------------------------------------------
 */

static bool get_constant(Dwarf_Die *variable, struct place *ret)
{
	Dwarf_Attribute a;
	Dwarf_Sword number;
	Dwarf_Block block;
	int64_t v = 0;

	if (!dwarf_attr_integrate(variable, DW_AT_const_value, &a))
		return false;
	if (dwarf_formsdata(&a, &number) == 0) {
		v = number;
	} else if (dwarf_formblock(&a, &block) == 0 && block.length <= sizeof(v)) {
		memcpy(&v, block.data, block.length);
	} else {
		return false;
	}
	*ret = (struct place){.kind = PLACE_CONSTANT, .offset = v};
	return true;
}

/* Checks that the place has all bytes of the type. */
static int check_size(struct machine *m, struct type type)
{
	struct type_facts f;

	if (!m->piece_bytes && !m->n_bits)
		return 0;
	type_get(type, &f);
	if (m->piece_bytes && (!f.n_bytes || f.n_bytes > m->piece_bytes))
		return refuse(m, "it is spread over several registers here");
	if (m->n_bits && (!m->is_value || !f.n_bytes || f.n_bytes * 8 > m->n_bits))
		return refuse(m, computed);
	return 0;
}

/*
 * Returns true if the address list is right. clang's lists ignore that frames are removed at the
 * end.
 */
static bool is_list_right(const struct location_site *site, unsigned reg)
{
	unsigned base;

	return !site->outer || !instance_frame_register(site->outer, &base) ||
	       (reg != site->d->arch->stack_reg && reg != base);
}

/* Checks that a register that is the base of memory holds the assumed value. */
static int check_register(struct machine *m)
{
	const struct value *v = &m->stack[0];
	const struct arch *arch = m->site->d->arch;
	bool has_list = is_list(m->attribute);

	if (!arch || v->base != BASE_REGISTER || m->is_register || (m->is_value && !v->n_loads) ||
	    m->is_exact || (has_list && is_list_right(m->site, v->reg)))
		return 0;
	switch (register_is_kept(m->site, v->reg)) {
	case KEPT:
		return 0;
	case KEPT_NOT_YET:
		if (has_list)
			return 0;
		m->is_early = true;
		return refuse(m, frame_to_come);
	case KEPT_NO_MORE:
		break;
	}
	return refuse(m, "the register that leads to it holds something else here");
}

/* Recognizes a struct of up to 16 bytes in two registers: reg, piece 8, reg, piece n. */
static bool find_pair(const Dwarf_Op *ops, size_t n, struct place *ret)
{
	if (n != 4 || ops[1].atom != DW_OP_piece || ops[3].atom != DW_OP_piece ||
	    ops[1].number != 8 || ops[3].number > 8)
		return false;
	for (size_t i = 0; i < n; i += 2)
		if (ops[i].atom < DW_OP_reg0 || ops[i].atom > DW_OP_reg31)
			return false;
	*ret = (struct place){.kind = PLACE_REGISTER,
			      .reg = ops[0].atom - DW_OP_reg0,
			      .is_pair = true,
			      .reg_high = ops[2].atom - DW_OP_reg0};
	return true;
}

static int find_place(struct machine *m, Dwarf_Op *ops, size_t n, struct variable *v)
{
	TRY(evaluate(m, ops, n, 0));
	TRY(check_register(m));
	TRY(check_size(m, v->type));
	return to_place(m, &v->place);
}

/*
 * Evaluates a location. Returns true if there is no place now, but there will be one when the frame
 * exists.
 */
static bool evaluate_at(const struct location_site *site, Dwarf_Attribute *a, Dwarf_Op *ops,
			size_t n, struct variable *v)
{
	struct machine m = {.site = site, .attribute = a};

	if (find_pair(ops, n, &v->place))
		return false;
	if (find_place(&m, ops, n, v) < 0) {
		v->place = (struct place){.kind = PLACE_NOWHERE};
		snprintf(v->why, sizeof(v->why), "%s", m.why ? m.why : computed);
	}
	return m.is_early;
}

void location_get(const struct location_site *site, Dwarf_Die *variable, int argument,
		  struct variable *ret)
{
	Dwarf_Attribute a;
	Dwarf_Addr base, begin, end;
	Dwarf_Op *ops;
	size_t n;
	bool is_early;
	bool at_entry;
	int found;

	ret->place = (struct place){.kind = PLACE_NOWHERE};
	if (get_constant(variable, &ret->place))
		return;
	if (!dwarf_attr_integrate(variable, DW_AT_location, &a)) {
		snprintf(ret->why, sizeof(ret->why), "it was optimised away");
		return;
	}
	at_entry = argument >= 0 && site->outer && site->address == site->outer->entry;
	found = dwarf_getlocation_addr(&a, site->address, &ops, &n, 1);
	if (found < 1 && at_entry)
		found = find_behind_fentry(site->d, &a, site->address, &ops, &n);
	if (found < 1 && at_entry && dwarf_getlocations(&a, 0, &base, &begin, &end, &ops, &n) > 0 &&
	    parameter_by_convention(site, argument, &ret->place))
		return;
	if (found < 1) {
		location_explain(site, &a, ret);
		return;
	}
	is_early = evaluate_at(site, &a, ops, n, ret);
	if (ret->place.kind == PLACE_NOWHERE && ops && n &&
	    (ops[0].atom == DW_OP_entry_value || ops[0].atom == DW_OP_GNU_entry_value))
		location_explain(site, &a, ret);
	repair_parameter(site, argument, is_list(&a), is_early, ret);
	name_global(site, variable, &ret->place);
}
