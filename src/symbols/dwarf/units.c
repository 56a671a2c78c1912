// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * units.c - lists the compile units, and finds those that may contain a name.
 *
 * Walking the top level of all units takes 3 ms for a program of 1 MB of .debug_info and seconds
 * for a kernel. Most look-ups are for one name, and .debug_str has each name once:
 *
 *	.debug_str   … vfs_read\0 …            the name's offset: 0x4711
 *	.debug_info  … 11 47 00 00 …           the unit around these four bytes may have the
 *	                                        name: it is parsed, all others are not
 *
 * So a search is two passes over bytes, at some GB/s. False matches only cost the parsing of one
 * more unit. A miss must not happen, so every other encoding of a name is searched as well:
 *
 *	text in .debug_info itself (DW_FORM_string)         searched as text, if it is so short that
 *	                                                    an offset would be longer, or is not in
 *	                                                    .debug_str
 *	the tail of a longer text ("xread" holds "read")    every place where the name ends with NUL
 *	                                                    counts
 *	a name with template arguments ("max<int>")         '<' ends it, too
 *	an index (DW_FORM_strx)                             the offset is searched in
 *	                                                    .debug_str_offsets, whose parts belong
 *	                                                    to units
 *	in an alternate file, in a split unit               all such units count; those of an
 *	                                                    alternate file follow the others, and
 *	                                                    may contain functions
 *
 * The same is done for the names of source files and line tables; there a name can also be the end
 * of a path.
 */
#include "format/bytes.h"
#include "symbols/dwarf/debuginfo_int.h"
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OFFSETS_MAX 64 /* places of one name in .debug_str; with more, all units count */
#define UNITS_MAX   (1u << 20)

/*
 * --- the list ----------------------------------------------------------------------------------
 */

static struct unit *add_unit(struct debuginfo *d, size_t *n_room)
{
	if (!ARRAY_ROOM(d->units, *n_room, d->n_units + 1, UNITS_MAX))
		return NULL;
	return &d->units[d->n_units++];
}

static int list_dwarf(struct debuginfo *d, Dwarf *dwarf, size_t *n_room)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t kind;

	while (dwarf_get_units(dwarf, cu, &cu, NULL, &kind, &die, NULL) == 0) {
		struct unit *u;

		/* there is no DIE of a unit that libdw cannot read */
		if (kind == DW_UT_type || kind == DW_UT_split_type || !die.addr)
			continue;
		memset(&split, 0, sizeof(split));
		if (kind == DW_UT_skeleton && !debuginfo_can_split(d, &die))
			continue;
		if (kind == DW_UT_skeleton &&
		    dwarf_cu_info(cu, NULL, NULL, NULL, &split, NULL, NULL, NULL))
			memset(&split, 0, sizeof(split));
		u = add_unit(d, n_room);
		if (!u)
			return -ENOMEM;
		u->is_split = kind == DW_UT_skeleton && split.addr;
		u->skeleton = die;
		u->die = u->is_split ? split : die;
		u->offset = dwarf_dieoffset(&die);
	}
	return 0;
}

int units_list(struct debuginfo *d)
{
	size_t n_room = 0;
	int r;

	if (d->has_units || !d->dwarf)
		return 0;
	d->info = debuginfo_section(d, ".debug_info");
	r = list_dwarf(d, d->dwarf, &n_room);
	d->n_own_units = d->n_units;
	if (r >= 0 && d->alternate)
		r = list_dwarf(d, d->alternate, &n_room);
	d->has_units = true;
	return r;
}

/* Reads the attributes of units that only some look-ups need. */
static void read_attributes(struct unit *u)
{
	Dwarf_Attribute a;
	Dwarf_Word v;

	if (u->has_attributes)
		return;
	u->has_attributes = true;
	u->lines = dwarf_attr(&u->skeleton, DW_AT_stmt_list, &a) && !dwarf_formudata(&a, &v)
			   ? v
			   : (Dwarf_Word)-1;
	u->strings =
		dwarf_attr(&u->skeleton, DW_AT_str_offsets_base, &a) && !dwarf_formudata(&a, &v)
			? v
			: 0;
}

/*
 * --- marking -----------------------------------------------------------------------------------
 */

/* Returns the last unit whose header is at or before the offset. */
static struct unit *unit_at_offset(struct debuginfo *d, Dwarf_Off offset)
{
	size_t n = ARRAY_BISECT(d->n_own_units, i, d->units[i].offset <= offset);

	return n ? &d->units[n - 1] : NULL;
}

struct marking {
	struct debuginfo *d;
	bool *which;
};

static void mark_info(struct marking *m, size_t at)
{
	struct unit *u = unit_at_offset(m->d, at);

	if (u)
		m->which[u - m->d->units] = true;
}

/* Marks the unit whose line table, or part of .debug_str_offsets, begins last before the place. */
static void mark_by(struct marking *m, size_t at, size_t member)
{
	Dwarf_Word best = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < m->d->n_own_units; i++) {
			struct unit *u = &m->d->units[i];
			Dwarf_Word begin;

			read_attributes(u);
			begin = *(Dwarf_Word *)((char *)u + member);
			if (begin == (Dwarf_Word)-1 || begin > at)
				continue;
			if (!pass && begin > best)
				best = begin;
			else if (pass && begin == best)
				m->which[i] = true;
		}
}

static void mark_lines(struct marking *m, size_t at)
{
	mark_by(m, at, offsetof(struct unit, lines));
}

static void mark_strings(struct marking *m, size_t at)
{
	mark_by(m, at, offsetof(struct unit, strings));
}

static void mark_all(struct marking *m, bool only_split)
{
	for (size_t i = 0; i < m->d->n_units; i++)
		if (!only_split || m->d->units[i].is_split)
			m->which[i] = true;
}

/*
 * --- searching ---------------------------------------------------------------------------------
 */

#define STRIDE 256 /* places that are compared at a time */

/*
 * Finds every place of the four bytes. memmem(3) is slow for such a short needle, but compilers
 * vectorize a byte comparison without branches. The two low bytes are the most selective: the high
 * bytes of offsets are often 0, like many other bytes.
 */
static void search_word(struct marking *m, struct piece in, uint32_t word,
			void (*mark)(struct marking *m, size_t at))
{
	uint8_t b[4];
	size_t i;

	memcpy(b, &word, sizeof(b));
	for (i = 0; i + STRIDE + 3 <= in.len; i += STRIDE) {
		const uint8_t *p = in.data + i;
		uint8_t any = 0;

		for (unsigned k = 0; k < STRIDE; k++)
			any |= (p[k] == b[0]) & (p[k + 1] == b[1]);
		for (unsigned k = 0; any && k < STRIDE; k++)
			if (!memcmp(p + k, b, sizeof(b)))
				mark(m, i + k);
	}
	for (; i + sizeof(b) <= in.len; i++)
		if (!memcmp(in.data + i, b, sizeof(b)))
			mark(m, i);
}

struct name_places {
	uint32_t offsets[OFFSETS_MAX];
	size_t n;
	bool is_too_many;
};

static bool ends_name(uint8_t c)
{
	return c == 0 || c == '<';
}

static void find_places(struct piece strings, const char *name, size_t len, struct name_places *ret)
{
	const uint8_t *p = strings.data, *end = strings.data + strings.len;

	ret->n = 0;
	ret->is_too_many = strings.len > UINT32_MAX;
	while (p < end && (p = memmem(p, end - p, name, len))) {
		if (p + len < end && ends_name(p[len])) {
			if (ret->n == OFFSETS_MAX) {
				ret->is_too_many = true;
				return;
			}
			ret->offsets[ret->n++] = p - strings.data;
		}
		p++;
	}
}

static void add_place(struct name_places *p, size_t offset)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->offsets[i] == offset)
			return;
	if (p->n == OFFSETS_MAX)
		p->is_too_many = true;
	else
		p->offsets[p->n++] = offset;
}

/*
 * Adds the places where directories before the file name begin, because references may point there.
 */
static void add_directories(struct piece strings, struct name_places *p)
{
	size_t n = p->n;

	for (size_t i = 0; i < n; i++)
		for (size_t at = p->offsets[i]; at && strings.data[at - 1]; at--)
			if (at == 1 || !strings.data[at - 2] || strings.data[at - 2] == '/')
				add_place(p, at - 1);
}

/* Searches the text with its end: "name\0" and "name<". */
static void search_text(struct marking *m, struct piece in, const char *name, size_t len,
			void (*mark)(struct marking *m, size_t at))
{
	const uint8_t *p = in.data, *end = in.data + in.len;

	while (p < end && (p = memmem(p, end - p, name, len))) {
		if (p + len < end && ends_name(p[len]))
			mark(m, p - in.data);
		p++;
	}
}

/*
 * Returns the length up to which gcc writes a name in place: not longer than an offset, including
 * its NUL.
 */
static size_t short_name(struct piece info)
{
	bool is_64 = info.len >= 4 && bytes_get32(info.data, false) == UINT32_MAX;

	return is_64 ? 8 : 4;
}

bool *units_naming(struct debuginfo *d, const char *name, size_t len)
{
	struct piece info = d->info;
	struct marking m = {.d = d, .which = calloc(d->n_units + 1, 1)};
	struct piece indices = debuginfo_section(d, ".debug_str_offsets");
	struct name_places places;

	if (!m.which)
		return NULL;
	find_places(debuginfo_section(d, ".debug_str"), name, len, &places);
	if (places.is_too_many || !info.len || !debuginfo_has_our_order(d) || d->alternate) {
		mark_all(&m, false);
		return m.which;
	}
	for (size_t i = 0; i < places.n; i++) {
		search_word(&m, info, places.offsets[i], mark_info);
		if (indices.len)
			search_word(&m, indices, places.offsets[i], mark_strings);
	}
	if (!places.n || len < short_name(info))
		search_text(&m, info, name, len, mark_info);
	mark_all(&m, true);
	return m.which;
}

bool *units_with_file(struct debuginfo *d, const char *name)
{
	struct marking m = {.d = d, .which = calloc(d->n_units + 1, 1)};
	struct piece lines = debuginfo_section(d, ".debug_line");
	struct piece names = debuginfo_section(d, ".debug_line_str");
	struct name_places places;

	if (!m.which)
		return NULL;
	find_places(names, name, strlen(name), &places);
	add_directories(names, &places);
	if (places.is_too_many || !lines.len || !debuginfo_has_our_order(d)) {
		mark_all(&m, false);
		return m.which;
	}
	for (size_t i = 0; i < places.n; i++)
		search_word(&m, lines, places.offsets[i], mark_lines);
	search_text(&m, lines, name, strlen(name), mark_lines);
	mark_all(&m, true);
	return m.which;
}

/*
 * --- references between units ------------------------------------------------------------------
 */

/*
 * Returns true if any unit refers to another one: DW_AT_abstract_origin or DW_AT_specification with
 * DW_FORM_ref_addr.
 */
static bool units_refer(struct debuginfo *d)
{
	struct piece abbrev;

	if (d->has_refers)
		return d->refers;
	abbrev = debuginfo_section(d, ".debug_abbrev");
	d->refers = !abbrev.len;
	for (const uint8_t *p = abbrev.data, *end = p + abbrev.len; !d->refers && end - p > 1;) {
		p = memchr(p + 1, DW_FORM_ref_addr, end - p - 1);
		if (!p)
			break;
		d->refers = p[-1] == DW_AT_abstract_origin || p[-1] == DW_AT_specification;
	}
	d->has_refers = true;
	return d->refers;
}

/* Marks the referring units: they contain the offset in .debug_info, which is searched as bytes. */
bool *units_referring(struct debuginfo *d, Dwarf_Die *die)
{
	struct piece info = d->info;
	uint32_t offset = dwarf_dieoffset(die);
	bool all = d->alternate || !unit_of_die(d, die);
	bool *which;

	if (!all && !units_refer(d))
		return NULL;
	which = calloc(d->n_units + 1, 1);
	for (size_t i = 0; which && i < d->n_units; i++) {
		size_t begin = d->units[i].offset;
		size_t end = i + 1 < d->n_units ? d->units[i + 1].offset : info.len;

		which[i] = all || begin > end || end > info.len ||
			   memmem(info.data + begin, end - begin, &offset, sizeof(offset));
	}
	return which;
}

/*
 * --- by place ----------------------------------------------------------------------------------
 */

struct unit *unit_of_die(struct debuginfo *d, Dwarf_Die *die)
{
	Dwarf_Die cu;
	struct unit *u;

	if (!dwarf_diecu(die, &cu, NULL, NULL))
		return NULL;
	u = unit_at_offset(d, dwarf_dieoffset(&cu));
	if (u && u->die.addr == cu.addr)
		return u;
	return ARRAY_FIND(d->units, d->n_units, i, d->units[i].die.addr == cu.addr);
}

struct unit *unit_of_address(struct debuginfo *d, uint64_t address)
{
	Dwarf_Die cu;

	if (d->dwarf && dwarf_addrdie(d->dwarf, address, &cu)) {
		struct unit *u = unit_at_offset(d, dwarf_dieoffset(&cu));

		if (u && (u->is_split || u->die.addr == cu.addr))
			return u;
	}
	/* not every compiler writes .debug_aranges */
	return ARRAY_FIND(d->units, d->n_units, i, dwarf_haspc(&d->units[i].die, address) > 0);
}
