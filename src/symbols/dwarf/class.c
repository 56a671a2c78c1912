// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * class.c - C++ classes that are returned by address, however small they are.
 *
 * The C++ ABI's rule: classes that cannot be copied by copying their bytes. clang marks them (DWARF
 * 5); for gcc the declarations of the class show it:
 *
 *  ~Name()                       a destructor          ┐ that is not "= default" inside the class,
 *  Name(const Name &), (Name &&) copy or move          ┘ and not made by the compiler
 *  a virtual function or base
 *  a base or a member of such a class
 */
#include "symbols/dwarf/debuginfo_int.h"

#include <string.h>

#define DEPTH_MAX    8
#define CHILDREN_MAX 4096

static bool type_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute a;

	return dwarf_attr_integrate(die, DW_AT_type, &a) && dwarf_formref_die(&a, ret);
}

/* Finds the type without typedefs and qualifiers; for an array, its element. */
static bool bare_type_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	if (!type_of(die, ret))
		return false;
	for (unsigned i = 0; i < 64; i++) {
		int tag = dwarf_tag(ret);

		if (tag != DW_TAG_typedef && tag != DW_TAG_const_type &&
		    tag != DW_TAG_volatile_type && tag != DW_TAG_array_type)
			return true;
		if (!type_of(ret, ret))
			return false;
	}
	return false;
}

static Dwarf_Word number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute a;
	Dwarf_Word v = 0;

	return dwarf_formudata(dwarf_attr(die, name, &a), &v) ? 0 : v;
}

/*
 * Returns true if the method has one parameter besides the object itself, a reference to the class.
 */
static bool takes_its_like(Dwarf_Die *method, const void *class)
{
	Dwarf_Die child, type, target;
	unsigned n = 0;

	if (dwarf_child(method, &child))
		return false;
	do {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter ||
		    die_flag(&child, DW_AT_artificial))
			continue;
		if (++n > 1 || !type_of(&child, &type))
			return false;
	} while (!dwarf_siblingof(&child, &child));
	return n == 1 &&
	       (dwarf_tag(&type) == DW_TAG_reference_type ||
		dwarf_tag(&type) == DW_TAG_rvalue_reference_type) &&
	       bare_type_of(&type, &target) && target.addr == class;
}

/* Returns true if the method is named like its class: "Name" of "Name<int>". */
static bool is_constructor(const char *method, const char *class)
{
	size_t len = strcspn(class, "<");

	return !strncmp(method, class, len) && (!method[len] || method[len] == '<');
}

static bool forbids_bytes(Dwarf_Die *method, const Dwarf_Die *class, const char *class_name)
{
	const char *name = dwarf_diename(method);

	if (die_flag(method, DW_AT_artificial) || die_flag(method, DW_AT_deleted) ||
	    number(method, DW_AT_defaulted) == DW_DEFAULTED_in_class)
		return false;
	if (number(method, DW_AT_virtuality) || (name && *name == '~'))
		return true;
	return name && class_name && is_constructor(name, class_name) &&
	       takes_its_like(method, class->addr);
}

static bool is_class(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool is_by_address(Dwarf_Die *die, unsigned depth)
{
	Dwarf_Word said = number(die, DW_AT_calling_convention);
	const char *name = dwarf_diename(die);
	Dwarf_Die child, type;

	if (said == DW_CC_pass_by_reference || said == DW_CC_pass_by_value)
		return said == DW_CC_pass_by_reference;
	if (depth > DEPTH_MAX || dwarf_child(die, &child))
		return false;
	for (unsigned i = 0; i < CHILDREN_MAX; i++) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram && forbids_bytes(&child, die, name))
			return true;
		if (tag == DW_TAG_inheritance && number(&child, DW_AT_virtuality))
			return true;
		if ((tag == DW_TAG_inheritance ||
		     (tag == DW_TAG_member && !die_flag(&child, DW_AT_external))) &&
		    bare_type_of(&child, &type) && is_class(&type) &&
		    is_by_address(&type, depth + 1))
			return true;
		if (dwarf_siblingof(&child, &child))
			break;
	}
	return false;
}

bool class_is_by_address(Dwarf_Die *die)
{
	return is_class(die) && is_by_address(die, 0);
}
