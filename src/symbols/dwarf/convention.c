// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * convention.c - finds where a parameter is at the entry of a function: where the caller put it.
 *
 * Locations in the debug information are valid only after the first instructions have stored the
 * parameter in memory, or moved the stack pointer. At the entry, the calling convention gives the
 * place of integers and pointers, if the function follows it. gcc renames a function whose
 * parameters it changed (work.isra.0). clang and rustc drop unused parameters of functions that are
 * not called from outside, and the others move up. In that case the code is examined, see stored.c.
 */
#include "symbols/arch.h"
#include "symbols/dwarf/debuginfo_int.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#define WORD_BYTES 8

/* Returns true for integers and pointers, which take one register or stack word each. */
static bool is_one_word(struct debuginfo *d, Dwarf_Die *parameter)
{
	struct type_facts f;

	type_get(type_of_die(d, parameter), &f);
	return (f.kind == TYPE_INT || f.kind == TYPE_POINTER || f.kind == TYPE_ENUM) &&
	       f.n_bytes <= WORD_BYTES;
}

/* Returns true if the parameter, and all before it, take one word each. */
static bool are_words(const struct location_site *site, int n)
{
	Dwarf_Die child;

	if (dwarf_child(&site->outer->die, &child) != 0)
		return false;
	do {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		if (!is_one_word(site->d, &child))
			return false;
		if (!n--)
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

/* Returns true if the address of the result may have been passed as a hidden first argument. */
static bool has_large_result(const struct location_site *site)
{
	struct type_facts f;

	type_get(type_of_die(site->d, &site->outer->die), &f);
	return site->d->arch->result_takes_arg && (f.kind == TYPE_STRUCT || f.kind == TYPE_UNION);
}

static bool keeps_convention(const struct location_site *site)
{
	const struct symbol *s = symbol_at(site->d, site->outer->entry);

	if (!s)
		return die_flag(&site->outer->die, DW_AT_external);
	if (strchr(s->name, '.'))
		return false;
	return s->is_global || unit_is_gnu(site->unit) ||
	       (site->d->arch->elf_machine != EM_X86_64 &&
		instance_keeps_in_memory(site->d, site->outer));
}

bool parameter_by_convention(const struct location_site *site, int argument, struct place *ret)
{
	const struct arch *arch = site->d->arch;

	if (!arch || argument < 0 || !are_words(site, argument) || has_large_result(site) ||
	    !keeps_convention(site))
		return false;
	if ((unsigned)argument < arch->n_arg_regs)
		*ret = (struct place){.kind = PLACE_REGISTER, .reg = arch->arg_regs[argument]};
	else
		*ret = (struct place){.kind = PLACE_MEMORY,
				      .reg = arch->stack_reg,
				      .offset = arch->entry_stack_skip +
						(argument - arch->n_arg_regs) * WORD_BYTES};
	return true;
}

int debuginfo_find_entry(struct debuginfo *d, uint64_t address, struct debuginfo_entry *ret)
{
	struct unit *u = d->dwarf && units_list(d) >= 0 ? unit_of_address(d, address) : NULL;
	struct location_site site = {.d = d, .unit = u, .address = address};
	struct scope *scope;

	if (!u || unit_walk(d, u) < 0)
		return -ENOENT;
	for (size_t i = 0; i < u->n_instances && !site.outer; i++)
		if (u->instances[i].entry == address &&
		    dwarf_tag(&u->instances[i].die) == DW_TAG_subprogram)
			site.outer = site.instance = &u->instances[i];
	scope = site.outer ? scope_new(d, u, site.outer, address, false) : NULL;
	if (!scope)
		return -ENOENT;
	*ret = (struct debuginfo_entry){
		.scope = scope,
		.keeps_convention =
			keeps_convention(&site) || instance_keeps_in_memory(d, site.outer),
	};
	return 0;
}
