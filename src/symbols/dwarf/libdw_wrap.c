// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libdw_wrap.c - notes when libdw runs out of memory.
 *
 * libdw does not report it: a unit without lines and one whose lines did not fit into memory look
 * the same, and the next call forgets the reason. So the linker wraps the calls that allocate much,
 * as base/shortage_wrap.c explains, and the wrappers ask for the reason at once.
 *
 * In other places libdw ends the program when memory runs out, with a line on standard error, or
 * does not check at all (0.188: the abbreviation table, read with a unit's first DIE).
 */
#include "base/shortage.h"

#include <elfutils/libdw.h>
#include <errno.h>

#define DW_NO_MEMORY	10	   /* DWARF_E_NOMEM, which no header has */
#define UNIT_ROOM_BYTES (1u << 20) /* more than a unit needs at once */

/*
 * Notes the reason of a failure; errno was 0 before the call. It checks errno, too, because libdw
 * does not always set its code for lack of memory.
 */
static void note_reason(void)
{
	if (errno == ENOMEM || dwarf_errno() == DW_NO_MEMORY)
		shortage_note(ENOMEM);
}

Dwarf_Die *__real_dwarf_offdie(Dwarf *dw, Dwarf_Off offset, Dwarf_Die *ret);
Dwarf_Die *__wrap_dwarf_offdie(Dwarf *dw, Dwarf_Off offset, Dwarf_Die *ret);
Dwarf_Die *__wrap_dwarf_offdie(Dwarf *dw, Dwarf_Off offset, Dwarf_Die *ret)
{
	Dwarf_Die *die;

	if (!shortage_has_room(UNIT_ROOM_BYTES))
		return NULL;
	errno = 0;
	die = __real_dwarf_offdie(dw, offset, ret);
	if (!die)
		note_reason();
	return die;
}

/*
 * dwarf_get_units() also returns -1 for a damaged file, so only the reason shows a lack of memory.
 */
int __real_dwarf_get_units(Dwarf *dw, Dwarf_CU *cu, Dwarf_CU **next, Dwarf_Half *version,
			   uint8_t *kind, Dwarf_Die *die, Dwarf_Die *sub);
int __wrap_dwarf_get_units(Dwarf *dw, Dwarf_CU *cu, Dwarf_CU **next, Dwarf_Half *version,
			   uint8_t *kind, Dwarf_Die *die, Dwarf_Die *sub);
int __wrap_dwarf_get_units(Dwarf *dw, Dwarf_CU *cu, Dwarf_CU **next, Dwarf_Half *version,
			   uint8_t *kind, Dwarf_Die *die, Dwarf_Die *sub)
{
	int r;

	errno = 0;
	r = __real_dwarf_get_units(dw, cu, next, version, kind, die, sub);
	if (r < 0)
		note_reason();
	return r;
}

int __real_dwarf_getsrclines(Dwarf_Die *cu, Dwarf_Lines **lines, size_t *n);
int __wrap_dwarf_getsrclines(Dwarf_Die *cu, Dwarf_Lines **lines, size_t *n);
int __wrap_dwarf_getsrclines(Dwarf_Die *cu, Dwarf_Lines **lines, size_t *n)
{
	int r;

	errno = 0;
	r = __real_dwarf_getsrclines(cu, lines, n);
	if (r)
		note_reason();
	return r;
}

int __real_dwarf_getsrcfiles(Dwarf_Die *cu, Dwarf_Files **files, size_t *n);
int __wrap_dwarf_getsrcfiles(Dwarf_Die *cu, Dwarf_Files **files, size_t *n);
int __wrap_dwarf_getsrcfiles(Dwarf_Die *cu, Dwarf_Files **files, size_t *n)
{
	int r;

	errno = 0;
	r = __real_dwarf_getsrcfiles(cu, files, n);
	if (r)
		note_reason();
	return r;
}
