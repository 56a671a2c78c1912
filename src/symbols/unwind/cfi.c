// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * cfi.c - reads .eh_frame and .debug_frame.
 *
 *	.eh_frame_hdr   version, encodings, pointer, count, then pairs (first address, place of its
 *	                FDE), sorted
 *	.eh_frame       CIE: what functions have in common, and instructions for their first row
 *	                FDE: begin, length, instructions; it names its CIE
 *
 * The instructions of an FDE build a table: for each address a rule for the CFA (the stack pointer
 * before the call) and one for each register of the caller. Only the row of one address is built,
 * by running the CIE's instructions and then the FDE's until the next row would begin behind the
 * address.
 *
 * Without a usable .eh_frame_hdr the FDEs are listed once and sorted. The format differs between
 * the two sections: in .debug_frame the id of a CIE is ~0 and pointers to it are offsets in the
 * section; in .eh_frame the id is 0 and pointers go back from where they are.
 */
#include "symbols/unwind/cfi.h"

#include "base/array.h"
#include "symbols/unwind/cfi_int.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTION_MAX_BYTES (512u << 20)
#define ENTRIES_MAX	  (8u << 20)
#define STATES_MAX	  8 /* nested DW_CFA_remember_state */
#define CFA_NEGATE_RA	  0x2d

struct entry {
	uint64_t begin, end;
	uint32_t at; /* of the FDE */
};

/* A section in memory. */
struct section {
	uint8_t *data;
	size_t n_bytes;
	uint64_t address;
};

struct cfi {
	struct section frames, header;
	bool is_debug;
	const uint8_t *table; /* of .eh_frame_hdr; NULL: entries */
	size_t n_table;
	struct entry *entries;
	size_t n_entries, cap_entries;
	struct cfi *debug; /* .debug_frame of the same file; NULL: none */
};

/* What a CIE says. */
struct common {
	uint64_t code_unit;
	int64_t data_unit;
	uint64_t ra_reg;
	uint8_t encoding;
	bool has_augmentation, is_signal;
	struct cfi_reader code;
};

struct frame {
	uint64_t begin, end;
	struct common common;
	struct cfi_reader code;
};

/*
 * --- pointers ----------------------------------------------------------------------------------
 */

static struct cfi_reader reader_at(const struct section *s, uint64_t offset)
{
	struct cfi_reader r = {s->data, s->data + s->n_bytes, false};

	if (offset > s->n_bytes) {
		r.at = r.end;
		r.is_bad = true;
	} else {
		r.at += offset;
	}
	return r;
}

/* A number in one of the forms DW_EH_PE_…, without what it is relative to. */
static uint64_t read_form(struct cfi_reader *r, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return cfi_read(r, 8);
	case DW_EH_PE_udata4:
		return cfi_read(r, 4);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int64_t)(int32_t)cfi_read(r, 4);
	case DW_EH_PE_udata2:
		return cfi_read(r, 2);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int64_t)(int16_t)cfi_read(r, 2);
	case DW_EH_PE_uleb128:
		return cfi_read_uleb(r);
	case DW_EH_PE_sleb128:
		return (uint64_t)cfi_read_sleb(r);
	default:
		r->is_bad = true;
		return 0;
	}
}

static uint64_t read_pointer(const struct section *s, struct cfi_reader *r, uint8_t encoding)
{
	uint64_t here = s->address + (uint64_t)(r->at - s->data), v = read_form(r, encoding);

	if (encoding & DW_EH_PE_indirect)
		r->is_bad = true;
	switch (encoding & 0x70) {
	case DW_EH_PE_absptr:
		return v;
	case DW_EH_PE_pcrel:
		return v + here;
	case DW_EH_PE_datarel:
		return v + s->address;
	default:
		r->is_bad = true;
		return 0;
	}
}

/*
 * --- entries -----------------------------------------------------------------------------------
 */

/* Reads the length of an entry, and limits the reader to it. Returns false at the end. */
static bool begin_entry(struct cfi_reader *r, bool *ret_is_64)
{
	uint64_t n = cfi_read(r, 4);

	*ret_is_64 = n == 0xffffffff;
	if (*ret_is_64)
		n = cfi_read(r, 8);
	if (r->is_bad || !n || n > (uint64_t)(r->end - r->at))
		return false;
	r->end = r->at + n;
	return true;
}

static void read_augmentation(struct cfi_reader *r, const char *letters, struct common *ret)
{
	uint64_t n = cfi_read_uleb(r);
	const uint8_t *end = r->at + n;

	if (n > (uint64_t)(r->end - r->at)) {
		r->is_bad = true;
		return;
	}
	ret->has_augmentation = true;
	for (letters++; *letters; letters++) {
		if (*letters == 'R')
			ret->encoding = (uint8_t)cfi_read(r, 1);
		else if (*letters == 'S')
			ret->is_signal = true;
		else if (*letters == 'L')
			cfi_read(r, 1);
		else if (*letters == 'P')
			read_form(r, (uint8_t)cfi_read(r, 1));
		else if (*letters != 'B')
			break; /* unknown: the length says where its data ends */
	}
	r->at = end;
}

static bool read_common(const struct cfi *c, uint64_t offset, struct common *ret)
{
	struct cfi_reader r = reader_at(&c->frames, offset);
	const char *letters;
	uint8_t version;
	bool is_64;
	uint64_t id;

	*ret = (struct common){0};
	if (!begin_entry(&r, &is_64))
		return false;
	id = cfi_read(&r, is_64 && c->is_debug ? 8 : 4);
	if (c->is_debug ? id != (is_64 ? ~UINT64_C(0) : 0xffffffff) : id != 0)
		return false;
	version = (uint8_t)cfi_read(&r, 1);
	letters = (const char *)r.at;
	if (!memchr(r.at, 0, (size_t)(r.end - r.at)))
		return false;
	r.at += strlen(letters) + 1;
	if (version >= 4)
		cfi_read(&r, 2); /* sizes of addresses and of segments */
	ret->code_unit = cfi_read_uleb(&r);
	ret->data_unit = cfi_read_sleb(&r);
	ret->ra_reg = version == 1 ? cfi_read(&r, 1) : cfi_read_uleb(&r);
	if (*letters == 'z')
		read_augmentation(&r, letters, ret);
	else if (*letters)
		return false;
	ret->code = r;
	return !r.is_bad;
}

static bool read_frame(const struct cfi *c, uint64_t offset, struct frame *ret)
{
	struct cfi_reader r = reader_at(&c->frames, offset);
	uint64_t pointer_at, pointer;
	bool is_64;

	if (!begin_entry(&r, &is_64))
		return false;
	pointer_at = (uint64_t)(r.at - c->frames.data);
	pointer = cfi_read(&r, is_64 && c->is_debug ? 8 : 4);
	if (!c->is_debug && (!pointer || pointer > pointer_at))
		return false;
	if (c->is_debug && pointer == (is_64 ? ~UINT64_C(0) : 0xffffffff))
		return false;
	if (!read_common(c, c->is_debug ? pointer : pointer_at - pointer, &ret->common))
		return false;
	ret->begin = read_pointer(&c->frames, &r, ret->common.encoding);
	ret->end = ret->begin + read_form(&r, ret->common.encoding);
	if (ret->common.has_augmentation) {
		uint64_t n = cfi_read_uleb(&r);

		if (n > (uint64_t)(r.end - r.at))
			return false;
		r.at += n;
	}
	ret->code = r;
	return !r.is_bad && ret->end > ret->begin;
}

ARRAY_ORDER(by_begin, struct entry, COMPARE(x->begin, y->begin))

/* Lists all FDEs. */
static void list_entries(struct cfi *c)
{
	uint64_t offset = 0;

	while (offset + 4 <= c->frames.n_bytes) {
		struct cfi_reader r = reader_at(&c->frames, offset);
		struct frame f;
		bool is_64;

		if (!begin_entry(&r, &is_64))
			break;
		if (read_frame(c, offset, &f)) {
			if (!ARRAY_ROOM(c->entries, c->cap_entries, c->n_entries + 1, ENTRIES_MAX))
				break;
			c->entries[c->n_entries++] =
				(struct entry){f.begin, f.end, (uint32_t)offset};
		}
		offset = (uint64_t)(r.end - c->frames.data);
	}
	if (c->n_entries)
		qsort(c->entries, c->n_entries, sizeof(*c->entries), by_begin);
}

/* Finds the table of .eh_frame_hdr, if it has the form that all linkers write. */
static void find_table(struct cfi *c)
{
	struct cfi_reader r = reader_at(&c->header, 0);
	uint8_t version, pointer_form, count_form, table_form;
	uint64_t n;

	version = (uint8_t)cfi_read(&r, 1);
	pointer_form = (uint8_t)cfi_read(&r, 1);
	count_form = (uint8_t)cfi_read(&r, 1);
	table_form = (uint8_t)cfi_read(&r, 1);
	if (r.is_bad || version != 1 || table_form != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
		return;
	read_form(&r, pointer_form);
	n = read_form(&r, count_form);
	if (r.is_bad || !n || n > (uint64_t)(r.end - r.at) / 8)
		return;
	c->table = r.at;
	c->n_table = n;
}

static uint64_t table_address(const struct cfi *c, size_t i, unsigned column)
{
	int32_t v;

	memcpy(&v, c->table + i * 8 + column * 4, 4);
	return c->header.address + (uint64_t)(int64_t)v;
}

static int find_frame(const struct cfi *c, uint64_t address, struct frame *ret)
{
	uint64_t offset;
	size_t i;

	if (c->table) {
		i = ARRAY_BISECT(c->n_table, k, table_address(c, k, 0) <= address);
		if (!i)
			return -ENOENT;
		offset = table_address(c, i - 1, 1) - c->frames.address;
	} else {
		i = ARRAY_BISECT(c->n_entries, k, c->entries[k].begin <= address);
		if (!i || address >= c->entries[i - 1].end)
			return -ENOENT;
		offset = c->entries[i - 1].at;
	}
	if (!read_frame(c, offset, ret))
		return -EBADMSG;
	return address >= ret->begin && address < ret->end ? 0 : -ENOENT;
}

int cfi_find_range(const struct cfi *c, uint64_t address, uint64_t *ret_begin, uint64_t *ret_end)
{
	struct frame f;
	int r = find_frame(c, address, &f);

	if (r < 0)
		return c->debug ? cfi_find_range(c->debug, address, ret_begin, ret_end) : r;
	*ret_begin = f.begin;
	*ret_end = f.end;
	return 0;
}

/*
 * --- instructions ------------------------------------------------------------------------------
 */

struct state {
	struct cfi_rule regs[CFI_REGS_MAX];
	uint8_t cfa_kind, cfa_reg;
	bool is_signed_ra;
	int32_t cfa_value;
};

struct run {
	const struct cfi *c;
	const struct frame *f;
	uint64_t here, wanted; /* addresses */
	struct state now, first;
	struct state stack[STATES_MAX];
	unsigned n_stack;
	bool is_bad;
};

static void set_rule(struct run *run, uint64_t reg, enum cfi_kind kind, int64_t value)
{
	if (reg >= CFI_REGS_MAX)
		return; /* a vector register */
	if (value != (int32_t)value) {
		run->is_bad = true;
		return;
	}
	run->now.regs[reg] = (struct cfi_rule){(uint8_t)reg, (uint8_t)kind, (int32_t)value};
}

/* A number of units. It may be anything: set_rule() and set_cfa() refuse what is too large. */
static int64_t scaled(uint64_t n, int64_t unit)
{
	return (int64_t)(n * (uint64_t)unit);
}

static void set_cfa(struct run *run, uint64_t reg, int64_t value)
{
	if (reg >= CFI_REGS_MAX || value != (int32_t)value) {
		run->is_bad = true;
		return;
	}
	run->now.cfa_kind = CFI_REGISTER;
	run->now.cfa_reg = (uint8_t)reg;
	run->now.cfa_value = (int32_t)value;
}

/* The position of a block: its length is there. */
static int64_t skip_block(struct run *run, struct cfi_reader *r)
{
	int64_t at = r->at - run->c->frames.data;
	uint64_t n = cfi_read_uleb(r);

	if (n > (uint64_t)(r->end - r->at))
		run->is_bad = true;
	else
		r->at += n;
	return at;
}

static void restore_rule(struct run *run, uint64_t reg)
{
	if (reg < CFI_REGS_MAX)
		run->now.regs[reg] = run->first.regs[reg];
}

/* Instructions about the CFA and about saved states. Returns false if it is none of them. */
static bool run_cfa(struct run *run, struct cfi_reader *r, uint8_t op)
{
	int64_t unit = run->f->common.data_unit;
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = cfi_read_uleb(r);
		set_cfa(run, reg, (int64_t)cfi_read_uleb(r));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = cfi_read_uleb(r);
		set_cfa(run, reg, scaled((uint64_t)cfi_read_sleb(r), unit));
		return true;
	case DW_CFA_def_cfa_register:
		set_cfa(run, cfi_read_uleb(r), run->now.cfa_value);
		return true;
	case DW_CFA_def_cfa_offset:
		set_cfa(run, run->now.cfa_reg, (int64_t)cfi_read_uleb(r));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa(run, run->now.cfa_reg, scaled((uint64_t)cfi_read_sleb(r), unit));
		return true;
	case DW_CFA_def_cfa_expression:
		run->now.cfa_kind = CFI_VAL_EXPRESSION;
		run->now.cfa_value = (int32_t)skip_block(run, r);
		return true;
	case DW_CFA_remember_state:
		if (run->n_stack < STATES_MAX)
			run->stack[run->n_stack++] = run->now;
		else
			run->is_bad = true;
		return true;
	case DW_CFA_restore_state:
		if (run->n_stack)
			run->now = run->stack[--run->n_stack];
		else
			run->is_bad = true;
		return true;
	default:
		return false;
	}
}

/* Instructions about registers. */
static void run_rule(struct run *run, struct cfi_reader *r, uint8_t op)
{
	int64_t unit = run->f->common.data_unit;
	uint64_t reg = op == DW_CFA_GNU_args_size || op == CFA_NEGATE_RA ? 0 : cfi_read_uleb(r);

	switch (op) {
	case DW_CFA_offset_extended:
		set_rule(run, reg, CFI_OFFSET, scaled(cfi_read_uleb(r), unit));
		break;
	case DW_CFA_offset_extended_sf:
		set_rule(run, reg, CFI_OFFSET, scaled((uint64_t)cfi_read_sleb(r), unit));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		set_rule(run, reg, CFI_OFFSET, scaled(0 - cfi_read_uleb(r), unit));
		break;
	case DW_CFA_val_offset:
		set_rule(run, reg, CFI_VAL_OFFSET, scaled(cfi_read_uleb(r), unit));
		break;
	case DW_CFA_val_offset_sf:
		set_rule(run, reg, CFI_VAL_OFFSET, scaled((uint64_t)cfi_read_sleb(r), unit));
		break;
	case DW_CFA_register:
		set_rule(run, reg, CFI_REGISTER, (int64_t)cfi_read_uleb(r));
		break;
	case DW_CFA_expression:
		set_rule(run, reg, CFI_EXPRESSION, skip_block(run, r));
		break;
	case DW_CFA_val_expression:
		set_rule(run, reg, CFI_VAL_EXPRESSION, skip_block(run, r));
		break;
	case DW_CFA_restore_extended:
		restore_rule(run, reg);
		break;
	case DW_CFA_undefined:
		set_rule(run, reg, CFI_UNDEFINED, 0);
		break;
	case DW_CFA_same_value:
		set_rule(run, reg, CFI_SAME, 0);
		break;
	case DW_CFA_GNU_args_size:
		cfi_read_uleb(r);
		break;
	case CFA_NEGATE_RA: /* on other processors: a register window, which none of ours has */
		run->now.is_signed_ra = !run->now.is_signed_ra;
		break;
	default:
		run->is_bad = true;
	}
}

/* Moves to another address. Returns false if the row of the wanted one is complete. */
static bool advance(struct run *run, struct cfi_reader *r, uint8_t op)
{
	uint64_t by = 0;

	if ((op & 0xc0) == DW_CFA_advance_loc)
		by = op & 0x3f;
	else if (op == DW_CFA_set_loc)
		run->here = read_pointer(&run->c->frames, r, run->f->common.encoding);
	else
		by = cfi_read(r, op == DW_CFA_advance_loc1 ? 1 : op == DW_CFA_advance_loc2 ? 2 : 4);
	run->here += by * run->f->common.code_unit;
	return run->here <= run->wanted;
}

static void run_code(struct run *run, struct cfi_reader r)
{
	while (r.at < r.end && !run->is_bad) {
		uint8_t op = (uint8_t)cfi_read(&r, 1);

		switch (op & 0xc0) {
		case DW_CFA_advance_loc:
			if (!advance(run, &r, op))
				return;
			continue;
		case DW_CFA_offset:
			set_rule(run, op & 0x3f, CFI_OFFSET,
				 scaled(cfi_read_uleb(&r), run->f->common.data_unit));
			continue;
		case DW_CFA_restore:
			restore_rule(run, op & 0x3f);
			continue;
		}
		if (op == DW_CFA_nop)
			continue;
		if (op >= DW_CFA_set_loc && op <= DW_CFA_advance_loc4) {
			if (!advance(run, &r, op))
				return;
		} else if (!run_cfa(run, &r, op)) {
			run_rule(run, &r, op);
		}
		run->is_bad |= r.is_bad;
	}
}

int cfi_find_row(const struct cfi *c, uint64_t address, struct cfi_row *ret)
{
	struct frame f;
	struct run run = {.c = c, .f = &f, .wanted = address};
	int r = find_frame(c, address, &f);

	if (r < 0)
		return c->debug ? cfi_find_row(c->debug, address, ret) : r;
	run.here = f.begin;
	run_code(&run, f.common.code);
	run.here = f.begin; /* a CIE does not advance */
	run.first = run.now;
	run.n_stack = 0;
	run_code(&run, f.code);
	if (run.is_bad || f.common.ra_reg >= CFI_REGS_MAX)
		return -EBADMSG;
	*ret = (struct cfi_row){.cfa_kind = run.now.cfa_kind,
				.cfa_reg = run.now.cfa_reg,
				.cfa_value = run.now.cfa_value,
				.ra_reg = (uint8_t)f.common.ra_reg,
				.is_signal = f.common.is_signal,
				.is_signed_ra = run.now.is_signed_ra,
				.is_debug = c->is_debug};
	for (unsigned i = 0; i < CFI_REGS_MAX && ret->n_rules < CFI_RULES_MAX; i++)
		if (run.now.regs[i].kind != CFI_SAME)
			ret->rules[ret->n_rules++] = run.now.regs[i];
	return 0;
}

struct piece cfi_expression(const struct cfi *c, const struct cfi_row *row, int32_t position)
{
	const struct section *s = &(row->is_debug && c->debug ? c->debug : c)->frames;
	struct cfi_reader r = reader_at(s, position < 0 ? UINT64_MAX : (uint64_t)position);
	uint64_t n = cfi_read_uleb(&r);

	if (r.is_bad || n > (uint64_t)(r.end - r.at))
		return (struct piece){0};
	return (struct piece){r.at, n};
}

/*
 * --- files -------------------------------------------------------------------------------------
 */

/* Copies a section; libelf unpacks a compressed one. */
static bool copy_section(Elf_Scn *scn, const GElf_Shdr *sh, struct section *ret)
{
	Elf_Data *data;

	if (sh->sh_type == SHT_NOBITS || sh->sh_size > SECTION_MAX_BYTES)
		return false;
	if (sh->sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0)
		return false;
	data = elf_getdata(scn, NULL);
	if (!data || !data->d_size || data->d_size > SECTION_MAX_BYTES)
		return false;
	ret->data = malloc(data->d_size);
	if (!ret->data)
		return false;
	memcpy(ret->data, data->d_buf, data->d_size);
	ret->n_bytes = data->d_size;
	ret->address = sh->sh_addr;
	return true;
}

static void take_debug_frame(struct cfi *c, struct section *debug)
{
	if (!debug->data)
		return;
	c->debug = calloc(1, sizeof(*c->debug));
	if (!c->debug) {
		free(debug->data);
		return;
	}
	c->debug->frames = *debug;
	c->debug->is_debug = true;
	list_entries(c->debug);
}

static void read_sections(struct cfi *c, Elf *elf)
{
	struct section debug = {0};
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;

		if (!name)
			continue;
		if (!strcmp(name, ".eh_frame") && !c->frames.data)
			copy_section(scn, &sh, &c->frames);
		else if (!strcmp(name, ".eh_frame_hdr") && !c->header.data)
			copy_section(scn, &sh, &c->header);
		else if (!strcmp(name, ".debug_frame") && !debug.data)
			copy_section(scn, &sh, &debug);
	}
	take_debug_frame(c, &debug);
}

static bool is_ours(Elf *elf)
{
	GElf_Ehdr head;

	return gelf_getehdr(elf, &head) && head.e_ident[EI_CLASS] == ELFCLASS64 &&
	       head.e_ident[EI_DATA] == ELFDATA2LSB;
}

struct cfi *cfi_open(int fd)
{
	struct cfi *c = calloc(1, sizeof(*c));
	Elf *elf;

	if (!c)
		return NULL;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && is_ours(elf))
		read_sections(c, elf);
	elf_end(elf);
	if (!c->frames.data && !c->debug) {
		cfi_close(c);
		return NULL;
	}
	if (c->header.data)
		find_table(c);
	if (!c->table)
		list_entries(c);
	return c;
}

struct cfi *cfi_open_bytes(struct piece frames, uint64_t address, bool is_debug_frame)
{
	struct cfi *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->frames.data = malloc(frames.len + 1);
	if (!c->frames.data) {
		free(c);
		return NULL;
	}
	memcpy(c->frames.data, frames.data, frames.len);
	c->frames.n_bytes = frames.len;
	c->frames.address = address;
	c->is_debug = is_debug_frame;
	list_entries(c);
	return c;
}

void cfi_close(struct cfi *c)
{
	if (!c)
		return;
	cfi_close(c->debug);
	free(c->frames.data);
	free(c->header.data);
	free(c->entries);
	free(c);
}
