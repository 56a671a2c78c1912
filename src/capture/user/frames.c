// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frames.c - reads .eh_frame_hdr and .eh_frame.
 *
 *  .eh_frame_hdr  version │ 3 encodings │ .eh_frame │ n │ n × (function, FDE), relative, by address
 *  .eh_frame      CIE: encodings, first instructions │ FDE: CIE, function, bytes, instructions │ …
 *
 * Exceptions need this table, so it survives stripping: it is the only list of the functions of a
 * stripped program. Compilers split functions, and each part has an FDE of its own. A part that is
 * not the beginning (.cold) is reached by a jump, after registers were saved on the stack. Its FDE
 * shows that before its first advance. A hook there would mistake a saved register for the return
 * address.
 *
 * Only encodings that linkers use are read: a table of 4-byte distances, addresses as 4 or 8 bytes,
 * absolute or relative. libdw reads all, but is several times slower and reads the file on its own.
 */
#include "capture/user/frames.h"
#include "capture/user/elfview.h"

#include <string.h>

/* Encodings of pointers. */
enum {
	ENC_ABSPTR = 0x00,
	ENC_UDATA4 = 0x03,
	ENC_UDATA8 = 0x04,
	ENC_SDATA4 = 0x0b,
	ENC_SDATA8 = 0x0c
};
enum { ENC_FORM = 0x0f, ENC_PCREL = 0x10, ENC_DATAREL = 0x30, ENC_BASE = 0x70, ENC_OMIT = 0xff };

#define ROW_BYTES  8
#define FRAMES_MAX (1u << 22)
#define STEPS_MAX  4096 /* instructions of a frame that are followed */

/*
 * --- numbers -----------------------------------------------------------------------------------
 */

static uint64_t read_uleb(struct byte_reader *r)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = byte_reader_take_number(r, 1);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	r->failed = true;
	return 0;
}

/* address: of the pointer itself. */
static uint64_t read_pointer(struct byte_reader *r, uint8_t encoding, uint64_t address)
{
	uint64_t base = (encoding & ENC_BASE) == ENC_PCREL ? address : 0;

	if ((encoding & ENC_BASE) && (encoding & ENC_BASE) != ENC_PCREL)
		r->failed = true;
	switch (encoding & ENC_FORM) {
	case ENC_ABSPTR:
	case ENC_UDATA8:
	case ENC_SDATA8:
		return base + byte_reader_take_number(r, 8);
	case ENC_UDATA4:
		return base + byte_reader_take_number(r, 4);
	case ENC_SDATA4:
		return base + (int32_t)byte_reader_take_number(r, 4);
	}
	r->failed = true;
	return 0;
}

/*
 * --- the table ---------------------------------------------------------------------------------
 */

void frames_init(struct frames *f, const struct elfview *elf)
{
	const Elf64_Phdr *s = elfview_segment(elf, PT_GNU_EH_FRAME);
	struct piece p = s ? elfview_from(elf, s->p_vaddr) : PIECE_EMPTY;
	struct byte_reader r = {p.data, p.data + p.len};
	uint8_t version = byte_reader_take_number(&r, 1), where = byte_reader_take_number(&r, 1);
	uint8_t count = byte_reader_take_number(&r, 1), table = byte_reader_take_number(&r, 1);
	uint64_t n;

	*f = (struct frames){.address = s ? s->p_vaddr : 0};
	if (r.failed || version != 1 || where == ENC_OMIT || table != (ENC_DATAREL | ENC_SDATA4) ||
	    count != ENC_UDATA4)
		return;
	f->entries_address = read_pointer(&r, where, f->address + 4);
	f->entries = elfview_from(elf, f->entries_address);
	n = byte_reader_take_number(&r, 4);
	if (r.failed || n > FRAMES_MAX || n * ROW_BYTES > byte_reader_left(&r))
		return;
	f->table = (struct piece){r.pos, n * ROW_BYTES};
	f->n = n;
}

uint64_t frames_begin(const struct frames *f, size_t i)
{
	return f->address + (int32_t)bytes_get32(f->table.data + i * ROW_BYTES, false);
}

/*
 * --- entries -----------------------------------------------------------------------------------
 */

/* An entry of .eh_frame without its length; false: not there, or of 64-bit DWARF. */
static bool open_entry(const struct frames *f, uint64_t address, struct byte_reader *ret)
{
	uint64_t at = address - f->entries_address;
	const uint8_t *p;
	uint32_t n;

	if (at >= f->entries.len || f->entries.len - at < 4)
		return false;
	p = f->entries.data + at;
	n = bytes_get32(p, false);
	if (n < 4 || n > f->entries.len - at - 4)
		return false;
	*ret = (struct byte_reader){p + 4, p + 4 + n};
	return true;
}

/* The letters of the augmentation say what its data is. */
static void read_augmentation(struct byte_reader *r, const char *letters, size_t n,
			      struct frame_kind *ret)
{
	for (size_t i = 0; i < n && !r->failed; i++) {
		switch (letters[i]) {
		case 'R':
			ret->encoding = byte_reader_take_number(r, 1);
			break;
		case 'L':
			byte_reader_take_number(r, 1);
			break;
		case 'P':
			/* only its length matters */
			read_pointer(r, byte_reader_take_number(r, 1) & ENC_FORM, 0);
			break;
		case 'S':
			ret->is_signal = true;
			break;
		case 'B':
			break;
		default:
			r->failed = true;
		}
	}
}

/*
 * --- the stack at an address -------------------------------------------------------------------
 */

/* Where the caller's stack is: a register and a number; is_odd: an expression. */
struct stack_rule {
	uint64_t reg, offset;
	bool is_odd;
};

#define REMEMBERED_MAX 16

struct stack {
	struct stack_rule now, remembered[REMEMBERED_MAX];
	unsigned n_remembered;
	uint64_t at; /* address that the rules are for */
};

/* Instructions that do not concern the stack pointer, and their operands: u a number, e a block. */
static const struct {
	uint8_t code;
	char operands[3];
} others[] = {{0x00, ""},   {0x05, "uu"}, {0x06, "u"},	{0x07, "u"},  {0x08, "u"},
	      {0x09, "uu"}, {0x10, "ue"}, {0x11, "uu"}, {0x14, "uu"}, {0x15, "uu"},
	      {0x16, "ue"}, {0x2d, ""},	  {0x2e, "u"},	{0x2f, "uu"}};

static void skip_other(struct byte_reader *r, uint8_t code)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (others[i].code != code)
			continue;
		for (const char *o = others[i].operands; *o; o++) {
			uint64_t n = read_uleb(r);

			if (*o == 'e')
				byte_reader_take(r, n);
		}
		return;
	}
	r->failed = true;
}

static void change_stack(struct stack *s, struct byte_reader *r, uint8_t code)
{
	uint64_t n;

	switch (code) {
	case 0x0a: /* remember */
		if (s->n_remembered == REMEMBERED_MAX)
			r->failed = true;
		else
			s->remembered[s->n_remembered++] = s->now;
		break;
	case 0x0b: /* restore */
		if (!s->n_remembered)
			r->failed = true;
		else
			s->now = s->remembered[--s->n_remembered];
		break;
	case 0x0c: /* register and offset */
		n = read_uleb(r);
		s->now = (struct stack_rule){n, read_uleb(r), false};
		break;
	case 0x0d:
		s->now.reg = read_uleb(r);
		break;
	case 0x0e:
		s->now.offset = read_uleb(r);
		break;
	case 0x0f: /* an expression */
		s->now.is_odd = true;
		byte_reader_take(r, read_uleb(r));
		break;
	default:
		skip_other(r, code);
	}
}

/* The bytes by which the rules move on, or 0: it is another instruction. */
static uint64_t take_advance(struct byte_reader *r, uint8_t code)
{
	if (code >> 6 == 1)
		return code & 0x3f;
	return code == 0x02   ? byte_reader_take_number(r, 1)
	       : code == 0x03 ? byte_reader_take_number(r, 2)
	       : code == 0x04 ? byte_reader_take_number(r, 4)
			      : 0;
}

/* Follows instructions up to the address; false: they are damaged or unknown. */
static bool follow(struct stack *s, struct piece code, uint64_t unit, uint64_t address)
{
	struct byte_reader r = {code.data, code.data + code.len};

	for (unsigned steps = 0; byte_reader_left(&r) && !r.failed && steps < STEPS_MAX; steps++) {
		uint8_t op = byte_reader_take_number(&r, 1);
		uint64_t n = take_advance(&r, op);

		if (n && n * unit > address - s->at)
			return !r.failed;
		s->at += n * unit;
		if (n || (op >= 0x02 && op <= 0x04) || op >> 6 == 1 || op >> 6 == 3)
			continue; /* an advance, perhaps by 0; or a register is as it was */
		if (op >> 6 == 2)
			read_uleb(&r); /* a register is saved */
		else
			change_stack(s, &r, op);
	}
	return !r.failed;
}

/*
 * --- descriptions ------------------------------------------------------------------------------
 */

/* Where the caller's stack is at first. */
static bool read_first_rule(struct byte_reader *r, struct frame_kind *ret)
{
	struct stack s = {0};

	if (!follow(&s, (struct piece){r->pos, byte_reader_left(r)}, ret->code_unit, 0))
		return false;
	ret->reg = s.now.reg;
	ret->offset = s.now.offset;
	ret->is_odd = s.now.is_odd;
	return true;
}

static bool read_kind(struct frames *f, uint64_t address)
{
	struct frame_kind kind = {.encoding = ENC_ABSPTR, .address = address};
	struct byte_reader r, data;
	const char *letters;
	struct piece part;

	if (f->kind.address == address)
		return true;
	if (!open_entry(f, address, &r) || byte_reader_take_number(&r, 4) || /* 0: it is a CIE */
	    byte_reader_take_number(&r, 1) != 1)
		return false;
	letters = byte_reader_take_string(&r);
	if (*letters && *letters != 'z')
		return false;
	kind.code_unit = read_uleb(&r);
	read_uleb(&r); /* data unit */
	read_uleb(&r); /* register of the return address */
	if (*letters) {
		kind.is_augmented = true;
		part = byte_reader_take_piece(&r, read_uleb(&r));
		data = (struct byte_reader){part.data, part.data + part.len};
		read_augmentation(&data, letters + 1, strlen(letters) - 1, &kind);
		r.failed |= data.failed;
	}
	if (r.failed || !read_first_rule(&r, &kind))
		return false;
	f->kind = kind;
	return true;
}

bool frames_read(struct frames *f, size_t i, struct frame *ret)
{
	uint64_t address =
		f->address + (int32_t)bytes_get32(f->table.data + i * ROW_BYTES + 4, false);
	struct byte_reader r;
	struct frame out;

	if (!open_entry(f, address, &r) ||
	    !read_kind(f, address + 4 - byte_reader_take_number(&r, 4)))
		return false;
	out.kind = f->kind;
	out.begin = read_pointer(&r, f->kind.encoding, address + 8);
	out.n_bytes = read_pointer(&r, f->kind.encoding & ENC_FORM, 0);
	if (f->kind.is_augmented)
		byte_reader_take(&r, read_uleb(&r));
	if (r.failed || out.begin != frames_begin(f, i))
		return false;
	out.code = (struct piece){r.pos, byte_reader_left(&r)};
	*ret = out;
	return true;
}

bool frame_is_entry(const struct frame *f, uint64_t address, unsigned reg, unsigned n_bytes)
{
	struct stack s;

	if (f->kind.is_signal || address < f->begin || address - f->begin >= f->n_bytes)
		return false;
	s.now = (struct stack_rule){f->kind.reg, f->kind.offset, f->kind.is_odd};
	s.n_remembered = 0;
	s.at = f->begin;
	return follow(&s, f->code, f->kind.code_unit, address) && !s.now.is_odd &&
	       s.now.reg == reg && s.now.offset == n_bytes;
}
