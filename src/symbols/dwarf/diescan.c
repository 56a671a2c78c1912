// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diescan.c - from one DIE of a unit to the next, without reading what is in it.
 *
 *	.debug_abbrev   1: compile_unit, children, name:strp, low_pc:addr, …     what DIEs with code 1 consist of
 *	                2: base_type, byte_size:data1, name:strp                 5 bytes, always
 *	                3: subprogram, children, sibling:ref4, …                 behind its children: where sibling says
 *	.debug_info     header | 1 … | 2 xxxxx | 2 xxxxx | 3 … (2 xxxxx 0) | 0
 *
 * Most DIEs of a unit are types and declarations out of headers that nobody asked for. libdw finds
 * the end of each by looking at every attribute; here the table is read once and most codes turn
 * out to have a fixed size, so that passing one costs an addition. What is of interest is then read
 * by libdw.
 *
 * The same table tells of four bytes somewhere, which could be the offset of a name, whether they
 * are one: where names have a fixed place in their DIEs, the code must stand that far before them.
 *
 * It owns the table. Whatever is unusual (codes that do not count up, DW_FORM_indirect, forms of a
 * later version) is refused as a whole, and the caller goes the slow way.
 */
#include "symbols/dwarf/diescan.h"

#include "base/array.h"
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#define KINDS_MAX 65536
#define FORMS_MAX (1u << 20)
#define N_REFS	  (sizeof(((struct diescan_kind *)0)->refs_at) / sizeof(int))

/*
 * --- forms -------------------------------------------------------------------------------------
 */

enum size {
	SIZE_UNKNOWN, /* of a form that is not in the table */
	SIZE_0,
	SIZE_1,
	SIZE_2,
	SIZE_3,
	SIZE_4,
	SIZE_8,
	SIZE_16,
	SIZE_ADDRESS,
	SIZE_OFFSET,
	SIZE_REF_ADDR,
	SIZE_LEB, /* from here on one has to look */
	SIZE_STRING,
	SIZE_BLOCK_1,
	SIZE_BLOCK_2,
	SIZE_BLOCK_4,
	SIZE_BLOCK_LEB,
};

static const uint8_t sizes[] = {
	[DW_FORM_addr] = SIZE_ADDRESS,
	[DW_FORM_block2] = SIZE_BLOCK_2,
	[DW_FORM_block4] = SIZE_BLOCK_4,
	[DW_FORM_data2] = SIZE_2,
	[DW_FORM_data4] = SIZE_4,
	[DW_FORM_data8] = SIZE_8,
	[DW_FORM_string] = SIZE_STRING,
	[DW_FORM_block] = SIZE_BLOCK_LEB,
	[DW_FORM_block1] = SIZE_BLOCK_1,
	[DW_FORM_data1] = SIZE_1,
	[DW_FORM_flag] = SIZE_1,
	[DW_FORM_sdata] = SIZE_LEB,
	[DW_FORM_strp] = SIZE_OFFSET,
	[DW_FORM_udata] = SIZE_LEB,
	[DW_FORM_ref_addr] = SIZE_REF_ADDR,
	[DW_FORM_ref1] = SIZE_1,
	[DW_FORM_ref2] = SIZE_2,
	[DW_FORM_ref4] = SIZE_4,
	[DW_FORM_ref8] = SIZE_8,
	[DW_FORM_ref_udata] = SIZE_LEB,
	[DW_FORM_sec_offset] = SIZE_OFFSET,
	[DW_FORM_exprloc] = SIZE_BLOCK_LEB,
	[DW_FORM_flag_present] = SIZE_0,
	[DW_FORM_strx] = SIZE_LEB,
	[DW_FORM_addrx] = SIZE_LEB,
	[DW_FORM_ref_sup4] = SIZE_4,
	[DW_FORM_strp_sup] = SIZE_OFFSET,
	[DW_FORM_data16] = SIZE_16,
	[DW_FORM_line_strp] = SIZE_OFFSET,
	[DW_FORM_ref_sig8] = SIZE_8,
	[DW_FORM_implicit_const] = SIZE_0,
	[DW_FORM_loclistx] = SIZE_LEB,
	[DW_FORM_rnglistx] = SIZE_LEB,
	[DW_FORM_ref_sup8] = SIZE_8,
	[DW_FORM_strx1] = SIZE_1,
	[DW_FORM_strx2] = SIZE_2,
	[DW_FORM_strx3] = SIZE_3,
	[DW_FORM_strx4] = SIZE_4,
	[DW_FORM_addrx1] = SIZE_1,
	[DW_FORM_addrx2] = SIZE_2,
	[DW_FORM_addrx3] = SIZE_3,
	[DW_FORM_addrx4] = SIZE_4,
};

static enum size size_of_form(uint64_t form)
{
	if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt)
		return SIZE_OFFSET;
	return form < sizeof(sizes) ? sizes[form] : SIZE_UNKNOWN;
}

/* -1: one has to look. */
static int fixed_bytes(const struct diescan *s, enum size size)
{
	static const int8_t plain[] = {[SIZE_1] = 1, [SIZE_2] = 2, [SIZE_3] = 3,
				       [SIZE_4] = 4, [SIZE_8] = 8, [SIZE_16] = 16};

	switch (size) {
	case SIZE_ADDRESS:
		return s->address_bytes;
	case SIZE_REF_ADDR:
		return s->version == 2 ? s->address_bytes : s->offset_bytes;
	case SIZE_OFFSET:
		return s->offset_bytes;
	default:
		return size < SIZE_ADDRESS ? plain[size] : -1;
	}
}

/* Little-endian groups of seven bits; what does not fit into 64 is nonsense. */
static uint64_t take_long_leb(struct byte_reader *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint64_t byte = byte_reader_take_number(r, 1);

		v |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	r->failed = true;
	return 0;
}

static inline uint64_t take_leb(struct byte_reader *r)
{
	bool is_short = !r->failed && r->pos < r->end && *r->pos < 0x80;

	return is_short ? *r->pos++ : take_long_leb(r);
}

static void skip_value(const struct diescan *s, struct byte_reader *r, enum size size)
{
	int n = fixed_bytes(s, size);

	if (n >= 0)
		byte_reader_take(r, n);
	else if (size == SIZE_LEB)
		take_leb(r);
	else if (size == SIZE_STRING)
		byte_reader_take_string(r);
	else if (size == SIZE_BLOCK_LEB)
		byte_reader_take(r, take_leb(r));
	else
		byte_reader_take(r, byte_reader_take_number(r, size == SIZE_BLOCK_1   ? 1
							       : size == SIZE_BLOCK_2 ? 2
										      : 4));
}

/*
 * --- the table ---------------------------------------------------------------------------------
 */

static void note_attribute(const struct diescan *s, struct diescan_kind *k, uint64_t name,
			   uint64_t form, enum size size)
{
	int n = fixed_bytes(s, size), at = k->n_bytes;

	if (form == DW_FORM_ref4 && at >= 0 && k->n_refs < N_REFS)
		k->refs_at[k->n_refs++] = at;
	switch (name) {
	case DW_AT_low_pc:
		k->address_at = n == 8 ? at : -1;
		break;
	case DW_AT_high_pc:
		k->length_at = form == DW_FORM_data8 ? at : -1;
		break;
	case DW_AT_declaration:
		k->is_declaration = form == DW_FORM_flag_present;
		break;
	case DW_AT_name:
		k->name_at = at < 0 ? -2 : at;
		break;
	case DW_AT_sibling:
		if (n == 1 || n == 2 || n == 4 || n == 8) {
			k->sibling_at = at;
			k->sibling_bytes = n;
		}
		break;
	case DW_AT_language:
		if (n == 1 || n == 2) {
			k->language_at = at;
			k->language_bytes = n;
		}
		break;
	}
}

static int add_form(struct diescan *s, struct diescan_kind *k, uint64_t name, uint64_t form)
{
	enum size size = size_of_form(form);
	int n = fixed_bytes(s, size);

	if (!ARRAY_ROOM(s->forms, s->forms_room, s->n_forms + 1, FORMS_MAX))
		return -ENOMEM;
	if (size == SIZE_UNKNOWN)
		return -ENOTSUP;
	note_attribute(s, k, name, form, size);
	k->n_bytes = k->n_bytes < 0 || n < 0 ? -1 : k->n_bytes + n;
	k->n_forms++;
	s->forms[s->n_forms++] = size;
	return 0;
}

static int read_kind(struct diescan *s, struct byte_reader *r)
{
	struct diescan_kind *k;
	int bad = 0;

	if (!ARRAY_ROOM(s->kinds, s->kinds_room, s->n_kinds + 1, KINDS_MAX))
		return -ENOMEM;
	k = &s->kinds[s->n_kinds++];
	*k = (struct diescan_kind){.sibling_at = -1,
				   .name_at = -1,
				   .address_at = -1,
				   .length_at = -1,
				   .language_at = -1,
				   .first_form = s->n_forms};
	k->tag = take_leb(r);
	k->has_children = byte_reader_take_number(r, 1);
	while (!bad) {
		uint64_t name = take_leb(r), form = take_leb(r);

		if (r->failed)
			return -ENOTSUP;
		if (!name && !form)
			break;
		bad = add_form(s, k, name, form);
		if (form == DW_FORM_implicit_const)
			take_leb(r);
	}
	return bad;
}

static int read_table(struct diescan *s, struct piece abbrev)
{
	struct byte_reader r = {abbrev.data, abbrev.data + abbrev.len, false, false};
	int bad = 0;

	byte_reader_take(&r, s->abbrev_at);
	while (!bad) {
		uint64_t code = take_leb(&r);

		if (r.failed || !code)
			break;
		bad = code == s->n_kinds + 1 ? read_kind(s, &r) : -ENOTSUP;
	}
	return r.failed ? -ENOTSUP : bad;
}

/*
 * --- the unit ----------------------------------------------------------------------------------
 */

static int read_header(struct diescan *s)
{
	struct byte_reader r = {s->info.data + s->begin, s->info.data + s->info.len, false, false};
	uint64_t n_bytes = byte_reader_take_number(&r, 4);
	unsigned type = DW_UT_compile;

	s->offset_bytes = 4;
	if (n_bytes == UINT32_MAX) {
		s->offset_bytes = 8;
		n_bytes = byte_reader_take_number(&r, 8);
	}
	if (r.failed || n_bytes > byte_reader_left(&r))
		return -ENOTSUP;
	s->end = r.pos - s->info.data + n_bytes;
	r.end = r.pos + n_bytes;
	s->version = byte_reader_take_number(&r, 2);
	if (s->version >= 5) {
		type = byte_reader_take_number(&r, 1);
		s->address_bytes = byte_reader_take_number(&r, 1);
		s->abbrev_at = byte_reader_take_number(&r, s->offset_bytes);
	} else {
		s->abbrev_at = byte_reader_take_number(&r, s->offset_bytes);
		s->address_bytes = byte_reader_take_number(&r, 1);
	}
	s->first = r.pos - s->info.data;
	return r.failed || s->version < 2 || s->version > 5 ||
			       (type != DW_UT_compile && type != DW_UT_partial)
		       ? -ENOTSUP
		       : 0;
}

int diescan_open_header(struct diescan *ret_scan, struct piece info, size_t begin)
{
	*ret_scan = (struct diescan){.info = info, .begin = begin};
	return begin < info.len ? read_header(ret_scan) : -ENOTSUP;
}

int diescan_open(struct diescan *ret_scan, struct piece info, struct piece abbrev, size_t begin)
{
	int r = diescan_open_header(ret_scan, info, begin);

	return r < 0 ? r : read_table(ret_scan, abbrev);
}

void diescan_release(struct diescan *s)
{
	free(s->kinds);
	free(s->forms);
}

/*
 * --- DIEs --------------------------------------------------------------------------------------
 */

static struct byte_reader reader_at(const struct diescan *s, size_t at)
{
	bool is_inside = at >= s->first && at < s->end;

	return (struct byte_reader){s->info.data + (is_inside ? at : s->end), s->info.data + s->end,
				    false, !is_inside};
}

/* NULL and not failed: the end of those at this level. */
static const struct diescan_kind *take_kind(const struct diescan *s, struct byte_reader *r)
{
	uint64_t code = take_leb(r);

	if (code > s->n_kinds)
		r->failed = true;
	return code && !r->failed ? &s->kinds[code - 1] : NULL;
}

const struct diescan_kind *diescan_kind(const struct diescan *s, size_t at)
{
	struct byte_reader r = reader_at(s, at);

	return take_kind(s, &r);
}

static void skip_values(const struct diescan *s, struct byte_reader *r,
			const struct diescan_kind *k)
{
	if (k->n_bytes >= 0) {
		byte_reader_take(r, k->n_bytes);
		return;
	}
	for (size_t i = 0; i < k->n_forms; i++)
		skip_value(s, r, s->forms[k->first_form + i]);
}

/* A number among the values of the DIE whose code the reader has just passed. */
static uint64_t number_at(const struct byte_reader *r, int at, unsigned n_bytes)
{
	struct byte_reader value = *r;

	byte_reader_take(&value, at);
	return byte_reader_take_number(&value, n_bytes);
}

/* What its DW_AT_sibling says, as a place behind it; 0. */
static size_t sibling_of(const struct diescan *s, const struct byte_reader *r,
			 const struct diescan_kind *k)
{
	size_t here = r->pos - s->info.data;
	uint64_t offset;

	if (!k->has_children || k->sibling_at < 0)
		return 0;
	offset = number_at(r, k->sibling_at, k->sibling_bytes);
	return offset < s->end - s->begin && s->begin + offset > here ? s->begin + offset : 0;
}

size_t diescan_child(const struct diescan *s, size_t at)
{
	struct byte_reader r = reader_at(s, at);
	const struct diescan_kind *k = take_kind(s, &r);

	if (!k || !k->has_children)
		return 0;
	skip_values(s, &r, k);
	return r.failed ? 0 : (size_t)(r.pos - s->info.data);
}

size_t diescan_next(const struct diescan *s, size_t at)
{
	struct byte_reader r = reader_at(s, at);
	size_t depth = 0;

	do {
		const struct diescan_kind *k = take_kind(s, &r);
		size_t sibling;

		if (!k) {
			if (r.failed || !depth)
				return 0;
			depth--;
			continue;
		}
		sibling = sibling_of(s, &r, k);
		if (sibling) {
			r.pos = s->info.data + sibling;
			continue;
		}
		skip_values(s, &r, k);
		depth += k->has_children;
	} while (depth && !r.failed);
	return r.failed ? 0 : (size_t)(r.pos - s->info.data);
}

/*
 * --- names -------------------------------------------------------------------------------------
 */

/* Whether the code stands right before that place. */
static bool has_code_before(const struct diescan *s, size_t at, size_t code)
{
	size_t n = code < 0x80 ? 1 : code < 0x4000 ? 2 : 3;

	if (at < s->first + n)
		return false;
	for (size_t i = 0; i < n; i++) {
		uint8_t byte = (code >> (7 * i) & 0x7f) | (i + 1 < n ? 0x80 : 0);

		if (s->info.data[at - n + i] != byte)
			return false;
	}
	return true;
}

/* Of a program or of the kernel: the upper bits are all the same. */
static bool is_address(uint64_t v)
{
	return v >> 48 == 0 || v >> 48 == 0xffff;
}

/* Behind the code all else must be right as well, as far as that is easy to tell. */
static bool may_be_die(const struct diescan *s, const struct diescan_kind *k, size_t values)
{
	struct byte_reader r = reader_at(s, values);

	for (unsigned i = 0; i < k->n_refs; i++)
		if (number_at(&r, k->refs_at[i], 4) >= s->end - s->begin)
			return false;
	if (k->length_at >= 0 && number_at(&r, k->length_at, 8) > UINT32_MAX)
		return false;
	return k->address_at < 0 || is_address(number_at(&r, k->address_at, 8));
}

bool diescan_may_name(const struct diescan *s, size_t at, bool only_functions, bool declarations)
{
	for (size_t i = 0; i < s->n_kinds; i++) {
		const struct diescan_kind *k = &s->kinds[i];

		if (k->name_at == -1 || (only_functions && k->tag != DW_TAG_subprogram) ||
		    (k->is_declaration && !declarations))
			continue;
		if (k->name_at == -2 ||
		    ((size_t)k->name_at <= at && has_code_before(s, at - k->name_at, i + 1) &&
		     may_be_die(s, k, at - k->name_at)))
			return true;
	}
	return false;
}

unsigned diescan_language(const struct diescan *s)
{
	struct byte_reader r = reader_at(s, s->first);
	const struct diescan_kind *k = take_kind(s, &r);

	return k && k->language_at >= 0 ? number_at(&r, k->language_at, k->language_bytes) : 0;
}
