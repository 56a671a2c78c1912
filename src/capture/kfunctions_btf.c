// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kfunctions_btf.c - asks the kernel's BTF whether it describes a function.
 *
 * A function that BTF knows and the symbol table does not was inlined everywhere. Only this one question
 * is answered here: the types are stepped over, each by the length its kind has.
 *
 *	header   u16 magic 0xeb9f, u8 version, u8 flags, u32 header length,
 *	         u32 type offset, type length, string offset, string length   (from the end of the header)
 *	type     u32 name, u32 info (bits 0-15 number of members, 24-28 kind), u32 size or type
 *	         + what the kind brings with it
 *
 * The file is mapped by the kernel's sysfs or read whole; it is some 5 MB. A kind that is not known ends
 * the search: its length is not known either.
 */
#include "capture/kfunctions_int.h"
#include "format/bytes.h"

#define BTF_MAX_BYTES (128u << 20)
#define BTF_MAGIC     0xeb9f
#define HEADER_BYTES  24
#define TYPE_BYTES    12
#define KIND_FUNC     12

/* What follows a type, by its kind: so many bytes, and so many for each member. */
static const struct {
	uint8_t fixed, each;
} kinds[] = {
	[1] = {4, 0},  /* int */
	[2] = {0, 0},  /* pointer */
	[3] = {12, 0}, /* array */
	[4] = {0, 12}, /* struct */
	[5] = {0, 12}, /* union */
	[6] = {0, 8},  /* enum */
	[7] = {0, 0},	[8] = {0, 0},	      [9] = {0, 0},  [10] = {0, 0},
	[11] = {0, 0},	[KIND_FUNC] = {0, 0}, [13] = {0, 8}, /* prototype */
	[14] = {4, 0},					     /* variable */
	[15] = {0, 12},					     /* section */
	[16] = {0, 0},					     /* float */
	[17] = {4, 0},					     /* tag of a declaration */
	[18] = {0, 0},					     /* tag of a type */
	[19] = {0, 12},					     /* enum of 64 bits */
};

static bool is_named(struct piece strings, uint32_t offset, const char *name, size_t len)
{
	return offset < strings.len && strings.len - offset > len &&
	       !memcmp(strings.data + offset, name, len + 1);
}

static bool find_function(struct piece types, struct piece strings, const char *name, bool swap)
{
	size_t len = strlen(name), pos = 0;

	while (pos + TYPE_BYTES <= types.len) {
		const uint8_t *type = types.data + pos;
		uint32_t info = bytes_get32(type + 4, swap), kind = info >> 24 & 31;

		if (!kind || kind >= sizeof(kinds) / sizeof(*kinds))
			return false;
		if (kind == KIND_FUNC && is_named(strings, bytes_get32(type, swap), name, len))
			return true;
		pos += TYPE_BYTES + kinds[kind].fixed + (size_t)kinds[kind].each * (info & 0xffff);
	}
	return false;
}

static bool take_part(struct piece all, uint64_t start, uint64_t len, struct piece *ret)
{
	if (start > all.len || len > all.len - start)
		return false;
	*ret = (struct piece){all.data + start, len};
	return true;
}

bool kfunctions_btf_has(struct piece btf, const char *name)
{
	const uint8_t *h = btf.data;
	struct piece types, strings;
	uint64_t base;
	bool swap;

	if (btf.len < HEADER_BYTES)
		return false;
	swap = bytes_get16(h, false) != BTF_MAGIC;
	base = bytes_get32(h + 4, swap);
	return bytes_get16(h, swap) == BTF_MAGIC &&
	       take_part(btf, base + bytes_get32(h + 8, swap), bytes_get32(h + 12, swap), &types) &&
	       take_part(btf, base + bytes_get32(h + 16, swap), bytes_get32(h + 20, swap),
			 &strings) &&
	       find_function(types, strings, name, swap);
}

bool kfunctions_in_btf(const char *path, const char *name)
{
	struct textbuf text;
	bool found;

	textbuf_init(&text, BTF_MAX_BYTES);
	found = kfunctions_read_file(path, &text) >= 0 &&
		kfunctions_btf_has((struct piece){(const uint8_t *)text.start, textbuf_len(&text)},
				   name);
	textbuf_release(&text);
	return found;
}
