// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * types.c - implements types.h for DWARF.
 *
 * A type is a DIE. DIEs are kept in a table in order of first use, and a type's id is its index; so
 * types in the alternate file, in type units and in split units are treated in the same way. An
 * array of several dimensions is one DIE in DWARF, but an array of arrays elsewhere:
 *
 *	id   [ dimensions removed : 8 ][ index in the table + 1 : 40 ]
 *
 * A struct that is only declared here is searched by its name in other units; C compilers emit such
 * declarations where a header has only "struct x *".
 *
 * Files are hostile: a typedef may name itself. Walks along types end after PEELS_MAX steps.
 */
#include "base/map.h"
#include "base/array.h"
#include "format/bytes.h"
#include "symbols/dwarf/debuginfo_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DIMENSION_SHIFT 40
#define TYPES_MAX	(1u << 22)
#define PEELS_MAX	32
#define MEMBERS_MAX	(1u << 16)

/*
 * --- the table ---------------------------------------------------------------------------------
 */

void types_release(struct debuginfo *d)
{
	free(d->table.dies);
	map_release(&d->table.numbers);
	free(d->table.definitions);
}

/* Returns the DIE's index + 1, or 0 if out of memory, which means void. */
static uint64_t id_of(struct debuginfo *d, const Dwarf_Die *die)
{
	struct type_table *t = &d->table;
	void **slot = map_take(&t->numbers, (uintptr_t)die->addr, TYPES_MAX);

	if (slot && *slot)
		return (uintptr_t)*slot;
	if (!slot || !ARRAY_ROOM(t->dies, t->dies_room, t->n + 1, TYPES_MAX) ||
	    !ARRAY_ROOM(t->definitions, t->definitions_room, t->n + 1, TYPES_MAX))
		return 0;
	t->dies[t->n++] = *die;
	*slot = (void *)(uintptr_t)t->n;
	return t->n;
}

static struct debuginfo *info_of(const struct types *world)
{
	return (struct debuginfo *)world;
}

static unsigned dimensions_off(uint64_t id)
{
	return id >> DIMENSION_SHIFT & 0xff;
}

static bool die_of(struct debuginfo *d, uint64_t id, Dwarf_Die *ret)
{
	uint64_t at = id & (((uint64_t)1 << DIMENSION_SHIFT) - 1);

	if (!at || at > d->table.n)
		return false;
	*ret = d->table.dies[at - 1];
	return true;
}

/*
 * --- along types -------------------------------------------------------------------------------
 */

/*
 * Finds the real DIE of a type in its own unit (-fdebug-types-section), of which this DIE may have
 * only the signature.
 */
static void follow_signature(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Die type;

	if (dwarf_attr(die, DW_AT_signature, &a) && dwarf_formref_die(&a, &type))
		*die = type;
}

static bool target_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute a;

	if (!dwarf_attr_integrate(die, DW_AT_type, &a) || !dwarf_formref_die(&a, ret))
		return false;
	follow_signature(ret);
	return true;
}

struct type type_of_die(struct debuginfo *d, Dwarf_Die *die)
{
	Dwarf_Die target;

	return (struct type){&d->types, target_of(die, &target) ? id_of(d, &target) : 0};
}

static enum type_kind kind_of(Dwarf_Die *die)
{
	static const struct {
		int tag;
		enum type_kind kind;
	} kinds[] = {
		{DW_TAG_base_type, TYPE_INT},
		{DW_TAG_enumeration_type, TYPE_ENUM},
		{DW_TAG_pointer_type, TYPE_POINTER},
		{DW_TAG_reference_type, TYPE_POINTER},
		{DW_TAG_rvalue_reference_type, TYPE_POINTER},
		{DW_TAG_array_type, TYPE_ARRAY},
		{DW_TAG_structure_type, TYPE_STRUCT},
		{DW_TAG_class_type, TYPE_STRUCT},
		{DW_TAG_union_type, TYPE_UNION},
		{DW_TAG_subroutine_type, TYPE_FUNCTION},
		{DW_TAG_subprogram, TYPE_FUNCTION},
	};
	int tag = dwarf_tag(die);

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (kinds[i].tag == tag)
			return kinds[i].kind;
	return TYPE_UNKNOWN;
}

static const struct {
	int tag;
	const char *name; /* NULL: the type's own name */
} peels[] = {
	{DW_TAG_typedef, NULL},
	{DW_TAG_const_type, "const"},
	{DW_TAG_volatile_type, "volatile"},
	{DW_TAG_restrict_type, "restrict"},
	{DW_TAG_atomic_type, ""},
	{DW_TAG_immutable_type, ""},
	{DW_TAG_packed_type, ""},
	{DW_TAG_template_alias, NULL},
};

/*
 * Removes one typedef or qualifier. Returns false if the DIE is neither. *ret.addr is NULL if void
 * follows.
 */
static bool peel_die(Dwarf_Die *die, const char **ret_name, Dwarf_Die *ret)
{
	int tag = dwarf_tag(die);

	for (size_t i = 0; i < ARRAY_LEN(peels); i++) {
		if (peels[i].tag != tag)
			continue;
		*ret_name = peels[i].name ? peels[i].name : dwarf_diename(die);
		if (!*ret_name)
			*ret_name = "";
		if (!target_of(die, ret))
			ret->addr = NULL;
		/* "this" is a const pointer: the variable is const, not what it points to */
		else if (peels[i].name && kind_of(ret) == TYPE_POINTER)
			*ret_name = "";
		return true;
	}
	return false;
}

static int find_type(const struct types *world, enum type_kind kind, const char *name, size_t len,
		     struct type *ret_type);

/*
 * --- facts -------------------------------------------------------------------------------------
 */

static void get_base(Dwarf_Die *die, struct type_facts *f)
{
	Dwarf_Attribute a;
	Dwarf_Word encoding = 0;

	dwarf_formudata(dwarf_attr(die, DW_AT_encoding, &a), &encoding);
	f->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	f->is_char = encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char ||
		     encoding == DW_ATE_UTF;
	f->is_bool = encoding == DW_ATE_boolean;
	if (encoding == DW_ATE_float)
		f->kind = TYPE_FLOAT;
	else if (encoding == DW_ATE_complex_float || encoding == DW_ATE_imaginary_float ||
		 encoding == DW_ATE_decimal_float) {
		f->kind = TYPE_UNKNOWN; /* the type is not a single number of a known kind */
		f->n_floats = encoding == DW_ATE_complex_float ? 2 : 1;
	}
}

/* Returns true for a child that counts as a member; base classes do, too. */
static bool is_member(enum type_kind kind, Dwarf_Die *child)
{
	Dwarf_Attribute a;
	int tag = dwarf_tag(child);

	switch (kind) {
	case TYPE_STRUCT:
	case TYPE_UNION:
		if (tag == DW_TAG_inheritance)
			return true;
		/* static members of C++ classes are globals */
		return tag == DW_TAG_member && !dwarf_attr(child, DW_AT_external, &a) &&
		       !die_flag(child, DW_AT_declaration);
	case TYPE_ENUM:
		return tag == DW_TAG_enumerator;
	case TYPE_FUNCTION:
		return tag == DW_TAG_formal_parameter;
	default:
		return false;
	}
}

static unsigned count_children(Dwarf_Die *die, enum type_kind kind)
{
	unsigned n = 0;
	Dwarf_Die child;

	if (dwarf_child(die, &child) != 0)
		return 0;
	do
		n += is_member(kind, &child);
	while (n < MEMBERS_MAX && dwarf_siblingof(&child, &child) == 0);
	return n;
}

/* Finds the i-th member. Sequential access continues from the last result. */
static bool get_child(struct debuginfo *d, Dwarf_Die *die, enum type_kind kind, unsigned i,
		      Dwarf_Die *ret)
{
	struct member_cursor *c = &d->cursor;
	bool more = true;

	if (c->of != die->addr || c->i > i) {
		c->of = NULL;
		if (dwarf_child(die, &c->child) != 0)
			return false;
		while (more && !is_member(kind, &c->child))
			more = dwarf_siblingof(&c->child, &c->child) == 0;
		c->i = 0;
	}
	while (more && c->i < i) {
		do
			more = dwarf_siblingof(&c->child, &c->child) == 0;
		while (more && !is_member(kind, &c->child));
		c->i++;
	}
	c->of = more ? die->addr : NULL;
	*ret = c->child;
	return more;
}

static uint64_t count_of(Dwarf_Die *range)
{
	Dwarf_Attribute a;
	Dwarf_Word v, low = 0;

	if (dwarf_formudata(dwarf_attr(range, DW_AT_count, &a), &v) == 0)
		return v;
	dwarf_formudata(dwarf_attr(range, DW_AT_lower_bound, &a), &low);
	if (dwarf_formudata(dwarf_attr(range, DW_AT_upper_bound, &a), &v) == 0 && v < INT64_MAX &&
	    v + 1 > low)
		return v + 1 - low;
	return 0; /* a flexible array, or a length known only at run time */
}

/*
 * Reads the dimensions from `skip` on: the length of the first one, and the total. Returns whether
 * one is left.
 */
static bool get_dimensions(Dwarf_Die *die, unsigned skip, uint64_t *ret_first, uint64_t *ret_all)
{
	Dwarf_Die child;
	unsigned n = 0;

	*ret_first = 0;
	*ret_all = 1;
	if (dwarf_child(die, &child) != 0)
		return false;
	do {
		int tag = dwarf_tag(&child);
		uint64_t count;

		if (tag != DW_TAG_subrange_type && tag != DW_TAG_enumeration_type)
			continue;
		if (n++ < skip)
			continue;
		count = count_of(&child);
		if (n == skip + 1)
			*ret_first = count;
		if (__builtin_mul_overflow(*ret_all, count, ret_all))
			*ret_all = 0;
	} while (dwarf_siblingof(&child, &child) == 0);
	return n > skip + 1;
}

static void get_array(struct debuginfo *d, Dwarf_Die *die, uint64_t id, struct type_facts *f)
{
	struct type_facts element;
	struct type target = type_of_die(d, die);
	uint64_t all;
	bool more = get_dimensions(die, dimensions_off(id), &f->n_elements, &all);

	type_get(target, &element);
	f->n_bytes = 0;
	if (__builtin_mul_overflow(all, element.n_bytes, &f->n_bytes))
		f->n_bytes = 0;
	f->target = more && dimensions_off(id) < 0xff
			    ? (struct type){&d->types, id + ((uint64_t)1 << DIMENSION_SHIFT)}
			    : target;
}

/*
 * Reads the value of an enumerator. Negative numbers have signed forms: 255 as one byte is not -1.
 */
static bool read_enumerator(Dwarf_Die *die, int64_t *ret)
{
	Dwarf_Attribute a;
	Dwarf_Sword v;
	Dwarf_Word word;
	bool is_signed;

	if (!dwarf_attr(die, DW_AT_const_value, &a))
		return false;
	is_signed = a.form == DW_FORM_sdata || a.form == DW_FORM_implicit_const;
	if (is_signed ? dwarf_formsdata(&a, &v) : dwarf_formudata(&a, &word))
		return false;
	*ret = is_signed ? v : (int64_t)word;
	return true;
}

static void get_enum(struct debuginfo *d, Dwarf_Die *die, struct type_facts *f)
{
	struct type_facts base;
	struct type under = type_of_die(d, die);
	Dwarf_Die child;
	int64_t v;

	if (under.id) {
		type_get(under, &base);
		f->is_signed = base.is_signed;
		if (!f->n_bytes)
			f->n_bytes = base.n_bytes;
		return;
	}
	if (dwarf_child(die, &child) == 0)
		do {
			if (read_enumerator(&child, &v) && v < 0)
				f->is_signed = true;
		} while (dwarf_siblingof(&child, &child) == 0);
}

/*
 * Finds the definition of a struct of which this unit has only the name. The result is cached,
 * because the search reads all bytes.
 */
static void find_definition(struct debuginfo *d, Dwarf_Die *die, enum type_kind kind)
{
	const char *name = dwarf_diename(die);
	uint64_t id = id_of(d, die);
	struct type t;

	if (!id || !name)
		return;
	if (!d->table.definitions[id - 1]) {
		bool found = find_type(&d->types, kind, name, strlen(name), &t) == 0;

		d->table.definitions[id - 1] = found ? t.id : id;
	}
	die_of(d, d->table.definitions[id - 1], die);
}

/*
 * Finds the type without names and qualifiers, and the name of the last typedef. Returns false for
 * void.
 */
static bool strip(struct debuginfo *d, uint64_t *id, Dwarf_Die *ret, const char **ret_typedef)
{
	const char *name;
	Dwarf_Die next;

	*ret_typedef = "";
	if (!die_of(d, *id, ret))
		return false;
	for (unsigned i = 0; i < PEELS_MAX && peel_die(ret, &name, &next); i++) {
		if (dwarf_tag(ret) == DW_TAG_typedef)
			*ret_typedef = name;
		if (!next.addr)
			return false;
		*ret = next;
		*id = 0;
	}
	if (die_flag(ret, DW_AT_declaration))
		find_definition(d, ret, kind_of(ret));
	return true;
}

static void get_facts(const struct types *world, uint64_t id, struct type_facts *ret)
{
	struct debuginfo *d = info_of(world);
	Dwarf_Die die;
	Dwarf_Attribute a;
	Dwarf_Word size;
	const char *name, *alias;
	uint64_t own = id;

	*ret = (struct type_facts){.kind = TYPE_VOID, .name = ""};
	if (!strip(d, &own, &die, &alias))
		return;
	if (own != id)
		own = id_of(d, &die);
	name = dwarf_diename(&die);
	ret->kind = kind_of(&die);
	ret->name = name ? name : alias;
	if (dwarf_formudata(dwarf_attr_integrate(&die, DW_AT_byte_size, &a), &size) == 0)
		ret->n_bytes = size;
	ret->n_members = count_children(&die, ret->kind);
	if (ret->kind == TYPE_INT)
		get_base(&die, ret);
	else if (ret->kind == TYPE_ENUM)
		get_enum(d, &die, ret);
	else if (ret->kind == TYPE_ARRAY)
		get_array(d, &die, own, ret);
	else if (ret->kind == TYPE_POINTER || ret->kind == TYPE_FUNCTION)
		ret->target = type_of_die(d, &die);
	if (ret->kind == TYPE_POINTER) {
		ret->is_reference = dwarf_tag(&die) != DW_TAG_pointer_type;
		if (!ret->n_bytes)
			ret->n_bytes = world->pointer_bytes;
	}
	if (die_flag(&die, DW_AT_declaration))
		ret->kind = TYPE_UNKNOWN;
}

/*
 * --- members -----------------------------------------------------------------------------------
 */

/*
 * Finds where the member begins. DW_AT_data_member_location is a number or, in old files,
 * plus_uconst.
 */
static bool member_bytes(Dwarf_Die *die, uint64_t *ret)
{
	Dwarf_Attribute a;
	Dwarf_Word v;
	Dwarf_Op *ops;
	size_t n;

	*ret = 0;
	if (!dwarf_attr_integrate(die, DW_AT_data_member_location, &a))
		return true; /* a union, or DW_AT_data_bit_offset */
	if (dwarf_formudata(&a, &v) == 0) {
		*ret = v;
		return true;
	}
	if (dwarf_getlocation(&a, &ops, &n) == 0 && n == 1 && ops[0].atom == DW_OP_plus_uconst) {
		*ret = ops[0].number;
		return true;
	}
	return false; /* a virtual base class: its place is known only at run time */
}

static void set_bits(struct debuginfo *d, Dwarf_Die *die, struct type_member *m)
{
	Dwarf_Attribute a;
	Dwarf_Word v, bits, storage;
	struct type_facts f;

	if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_bit_size, &a), &bits))
		return;
	m->n_bits = bits;
	if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_data_bit_offset, &a), &v) == 0) {
		m->bit_offset = v;
		return;
	}
	if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_bit_offset, &a), &v))
		return;
	/* DWARF 3 counts from the most significant bit of the storage */
	if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_byte_size, &a), &storage)) {
		type_get(m->type, &f);
		storage = f.n_bytes;
	}
	m->bit_offset += bytes_host_is_big() ? v : storage * 8 - v - bits;
}

static int get_member(const struct types *world, uint64_t id, unsigned i, struct type_member *ret)
{
	struct debuginfo *d = info_of(world);
	struct type_member m = {.name = ""};
	Dwarf_Die die, child;
	const char *name, *alias;
	uint64_t n_bytes = 0;
	enum type_kind kind;

	if (!strip(d, &id, &die, &alias))
		return -ENOENT;
	kind = kind_of(&die);
	if (i >= MEMBERS_MAX || !get_child(d, &die, kind, i, &child))
		return -ENOENT;
	if (kind != TYPE_FUNCTION && !member_bytes(&child, &n_bytes))
		return -ENODATA;
	name = dwarf_tag(&child) == DW_TAG_inheritance ? NULL : die_name(&child);
	m.name = name ? name : "";
	m.type = type_of_die(d, &child);
	m.bit_offset = kind == TYPE_FUNCTION ? 0 : n_bytes * 8;
	if (kind != TYPE_FUNCTION)
		set_bits(d, &child, &m);
	*ret = m;
	return 0;
}

static int get_enumerator(const struct types *world, uint64_t id, unsigned i,
			  struct type_enumerator *ret)
{
	struct debuginfo *d = info_of(world);
	Dwarf_Die die, child;
	const char *alias;
	int64_t v;

	if (!strip(d, &id, &die, &alias) || kind_of(&die) != TYPE_ENUM || i >= MEMBERS_MAX ||
	    !get_child(d, &die, TYPE_ENUM, i, &child) || !read_enumerator(&child, &v))
		return -ENOENT;
	*ret = (struct type_enumerator){dwarf_diename(&child), v};
	return ret->name ? 0 : -ENOENT;
}

static bool peel(const struct types *world, uint64_t id, const char **ret_name, uint64_t *ret_id)
{
	struct debuginfo *d = info_of(world);
	Dwarf_Die die, next;

	if (!die_of(d, id, &die) || !peel_die(&die, ret_name, &next))
		return false;
	*ret_id = next.addr ? id_of(d, &next) : 0;
	return true;
}

/*
 * --- by name -----------------------------------------------------------------------------------
 */

bool die_is_type(Dwarf_Die *die, enum type_kind kind)
{
	struct type_facts f = {.kind = kind_of(die)};

	if (kind == TYPE_UNKNOWN)
		return dwarf_tag(die) == DW_TAG_typedef;
	if (f.kind == TYPE_INT)
		get_base(die, &f);
	return f.kind == kind;
}

static int find_type(const struct types *world, enum type_kind kind, const char *name, size_t len,
		     struct type *ret_type)
{
	struct debuginfo *d = info_of(world);
	Dwarf_Die die;

	if (!find_type_die(d, kind, name, len, &die))
		return -ENOENT;
	*ret_type = (struct type){world, id_of(d, &die)};
	return 0;
}

static void each_name(const struct types *world, enum type_kind kind,
		      void (*visit)(void *ctx, const char *name), void *ctx)
{
	each_type_name(info_of(world), kind, visit, ctx);
}

static bool by_address(const struct types *world, uint64_t id)
{
	const char *alias;
	Dwarf_Die die;

	return strip(info_of(world), &id, &die, &alias) && class_is_by_address(&die);
}

static const struct types_ops ops = {get_facts, get_member, get_enumerator, peel,
				     find_type, each_name,  by_address};

void types_init(struct debuginfo *d)
{
	d->types.ops = &ops;
	d->types.pointer_bytes = sizeof(void *);
	d->types.source = "DWARF";
}
