// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * standing.c - checks whether a probe in a program can be put on an instruction, and if not, finds
 * a place near it.
 *
 *	11f1  test %esi,%esi
 *	11f3  cs nopw 0(%rax,%rax)     a copy begins here: padding, which the kernel's probes do not
 *	                               support
 *	11fd  movslq (%rdi),%rax       equivalent, unless something jumps here
 *
 * A probe after the padding is equivalent to one on it, if no other path leads there. The paths
 * are the jumps of the function and of its split-off parts (work.cold); if one of them is
 * indirect, the paths are unknown.
 */
#include "base/errmsg.h"
#include "format/bytes.h"
#include "symbols/dwarf/points_int.h"
#include "symbols/insn/instruction.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NEAR_MAX_BYTES 256 /* distance to the nearest place that can be probed */

enum ways { WAYS_NONE, WAYS_SOME, WAYS_UNKNOWN };

/*
 * --- who jumps there -----------------------------------------------------------------------------
 */

static enum ways ways_from(struct debuginfo *d, const struct symbol *from, uint64_t to)
{
	struct piece code = code_at(d, from->address);
	size_t len = from->n_bytes < code.len ? from->n_bytes : code.len;
	enum ways ways = len ? WAYS_NONE : WAYS_UNKNOWN;

	for (size_t at = 0; at < len;) {
		unsigned n = instruction_length(d->arch, code.data + at, len - at);
		enum instruction_way way;
		int64_t distance;

		if (!n)
			return WAYS_UNKNOWN;
		way = instruction_way(d->arch, code.data + at, n, &distance);
		if ((way == WAY_CONDITION || way == WAY_JUMP) &&
		    from->address + at + distance == to)
			return WAYS_SOME;
		if (way == WAY_UNKNOWN)
			ways = WAYS_UNKNOWN;
		at += n;
	}
	return ways;
}

static enum ways ways_to(struct debuginfo *d, uint64_t to)
{
	const struct symbol *s = symbol_at(d, to), *cold;
	enum ways ways = s ? ways_from(d, s, to) : WAYS_UNKNOWN;
	char name[400];

	if (ways != WAYS_NONE)
		return ways;
	snprintf(name, sizeof(name), "%.380s.cold", s->name);
	cold = symbol_named(d, name);
	return cold ? ways_from(d, cold, to) : WAYS_NONE;
}

/*
 * --- the nearest ---------------------------------------------------------------------------------
 */

/* Returns the first place after the address that control reaches from there, or 0. */
static uint64_t nearest_behind(struct debuginfo *d, uint64_t address)
{
	struct piece code = code_at(d, address);
	size_t at = 0;

	while (at < code.len && at < NEAR_MAX_BYTES) {
		unsigned n = instruction_length(d->arch, code.data + at, code.len - at);
		enum instruction_way way;
		int64_t distance;

		if (!n)
			return 0;
		if (at && !instruction_trouble(d->arch, code.data + at, code.len - at))
			return address + at;
		way = instruction_way(d->arch, code.data + at, n, &distance);
		if (way != WAY_ON && way != WAY_CONDITION)
			return 0;
		at += n;
	}
	return 0;
}

const char *code_trouble(struct debuginfo *d, uint64_t *address)
{
	struct piece code = code_at(d, *address);
	const char *why = d->arch && !d->is_kernel && !d->is_relocatable && code.len
				  ? instruction_trouble(d->arch, code.data, code.len)
				  : NULL;
	uint64_t next;

	if (!why || !instruction_is_padding(d->arch, code.data, code.len))
		return why;
	next = nearest_behind(d, *address);
	if (next != *address + instruction_length(d->arch, code.data, code.len) ||
	    ways_to(d, next) != WAYS_NONE)
		return why;
	*address = next;
	return NULL;
}

/*
 * --- telling -------------------------------------------------------------------------------------
 */

static void fmt_place(char *text, size_t size, const char *function, uint64_t entry,
		      uint64_t address)
{
	if (!function || address < entry)
		snprintf(text, size, "0x%llx", (unsigned long long)address);
	else if (address == entry)
		snprintf(text, size, "%.400s", function);
	else
		snprintf(text, size, "%.400s+%llu", function,
			 (unsigned long long)(address - entry));
}

int code_refuse(struct debuginfo *d, const char *function, uint64_t entry, uint64_t address,
		const char *why, struct errmsg *err)
{
	uint64_t nearest = nearest_behind(d, address);
	char here[450], there[450];

	fmt_place(here, sizeof(here), function, entry, address);
	if (!nearest)
		return errmsg_set(
			err, -EOPNOTSUPP,
			"cannot probe %s: %s; nothing after it can be probed, either: probe "
			"what comes before it",
			here, why);
	fmt_place(there, sizeof(there), function, entry, nearest);
	return errmsg_set(
		err, -EOPNOTSUPP, "cannot probe %s: %s; the nearest place after it is %s%s", here,
		why, there,
		ways_to(d, nearest) == WAYS_SOME ? ", which is also reached by a jump" : "");
}

bool points_is_refused(struct search *s, uint64_t entry, uint64_t *address)
{
	const char *function = s->where->has_line || s->where->pattern ? NULL : s->where->function;
	const char *why = s->where->is_probed ? code_trouble(s->d, address) : NULL;

	if (why && !s->n_refused++) {
		s->refused = why;
		code_refuse(s->d, function && debuginfo_is_glob(function) ? NULL : function, entry,
			    *address, why, &s->refusal);
	}
	return why;
}
