// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * where.c - names the lines where a variable has a place, if it has none at the requested line.
 *
 * A location list has ranges of addresses; the line table shows which lines of the function begin
 * in them:
 *
 *	"it lives only at lines 12-15, 18"          the ranges nearest to the requested line
 *
 * Ranges that need the caller's registers (entry values) do not count.
 */
#include "base/array.h"
#include "symbols/dwarf/debuginfo_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MAX 512 /* lines to examine; a user needs the nearest few */
#define RUNS_MAX  3

struct lines {
	unsigned list[LINES_MAX];
	size_t n;
};

ARRAY_ORDER(compare_lines, unsigned, COMPARE(*x, *y))

static bool is_useful(const Dwarf_Op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++)
		switch (ops[i].atom) {
		case DW_OP_entry_value:
		case DW_OP_GNU_entry_value:
		case DW_OP_implicit_pointer:
		case DW_OP_GNU_implicit_pointer:
			return false;
		}
	return n;
}

/*
 * Collects the lines of the file that begin in the range. *ret_here is the last line at or before
 * the site.
 */
static void take_range(const struct location_site *site, const char *file, uint64_t begin,
		       uint64_t end, struct lines *to, unsigned *ret_here)
{
	Dwarf_Lines *lines;
	size_t n;

	if (dwarf_getsrclines(&site->unit->die, &lines, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *l = dwarf_onesrcline(lines, i);
		const char *src = dwarf_linesrc(l, NULL, NULL);
		Dwarf_Addr address;
		bool is_stmt;
		int line;

		if (!src || !unit_same_file(site->unit, src, file) || dwarf_lineaddr(l, &address) ||
		    dwarf_lineno(l, &line) || dwarf_linebeginstatement(l, &is_stmt) || !is_stmt ||
		    line <= 0)
			continue;
		if (address <= site->address && instance_covers(site->instance, address))
			*ret_here = line;
		if (address >= begin && address < end && to->n < LINES_MAX)
			to->list[to->n++] = line;
	}
}

struct run {
	unsigned first, last, distance;
};

static unsigned distance_to(unsigned here, unsigned first, unsigned last)
{
	return here < first ? first - here : here > last ? here - last : 0;
}

/* Groups consecutive lines, the nearest groups first. */
static size_t make_runs(struct lines *l, unsigned here, struct run *runs)
{
	size_t n = 0;

	qsort(l->list, l->n, sizeof(*l->list), compare_lines);
	for (size_t i = 0, k; i < l->n; i = k) {
		struct run r = {l->list[i], l->list[i], 0};
		size_t at;

		for (k = i + 1; k < l->n && l->list[k] <= r.last + 1; k++)
			r.last = l->list[k];
		r.distance = distance_to(here, r.first, r.last);
		for (at = n; at && runs[at - 1].distance > r.distance; at--)
			if (at < RUNS_MAX)
				runs[at] = runs[at - 1];
		if (at < RUNS_MAX)
			runs[at] = r;
		if (n < RUNS_MAX)
			n++;
	}
	return n;
}

static void fmt_runs(const struct run *runs, size_t n, char *why, size_t n_bytes)
{
	size_t len = snprintf(why, n_bytes, "it lives only at line%s ",
			      n > 1 || runs[0].first != runs[0].last ? "s" : "");

	for (size_t i = 0; i < n && len < n_bytes; i++) {
		len += snprintf(why + len, n_bytes - len, "%s%u", i ? ", " : "", runs[i].first);
		if (runs[i].last != runs[i].first && len < n_bytes)
			len += snprintf(why + len, n_bytes - len, "-%u", runs[i].last);
	}
}

void location_explain(const struct location_site *site, Dwarf_Attribute *location,
		      struct variable *v)
{
	struct function *f =
		site->instance ? instance_function(site->d, site->unit, site->instance) : NULL;
	const char *file = f ? function_file(f) : NULL;
	struct run runs[RUNS_MAX + 1];
	struct lines lines = {.n = 0};
	Dwarf_Addr base, begin, end;
	unsigned here = 0;
	ptrdiff_t at = 0;
	Dwarf_Op *ops;
	size_t n;

	while (file && (at = dwarf_getlocations(location, at, &base, &begin, &end, &ops, &n)) > 0)
		if (is_useful(ops, n))
			take_range(site, file, begin, end, &lines, &here);
	n = make_runs(&lines, here, runs);
	v->why_helps = n;
	if (n)
		fmt_runs(runs, n, v->why, sizeof(v->why));
	else
		snprintf(v->why, sizeof(v->why), "it has no place at the beginning of any line");
}
