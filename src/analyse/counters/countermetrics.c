// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * countermetrics.c - ratios of two counters.
 *
 *	cycles / ns of CPU time             GHz
 *	instructions / cycles               insn per cycle
 *	misses / accesses                   percent, for each cache, the TLBs and branches
 *	CPU time / elapsed time             CPUs utilized
 *	anything else / s of CPU time       per second
 *
 * A ratio is of one mode: cycles:u go with instructions:u. If CPU time was not counted, or the
 * other side of a ratio is 0 or missing, there is no metric. The rows and their words are perf's.
 */
#include "analyse/counters/countertable.h"

#include "base/array.h"

static const struct ratio {
	enum counterrole of, to;
	const char *unit;
} ratios[] = {
	{COUNTERROLE_BRANCH_MISSES, COUNTERROLE_BRANCHES, "of all branches"},
	{COUNTERROLE_CACHE_MISSES, COUNTERROLE_CACHE_REFS, "of all cache refs"},
	{COUNTERROLE_L1D_MISSES, COUNTERROLE_L1D, "of all L1-dcache accesses"},
	{COUNTERROLE_L1I_MISSES, COUNTERROLE_L1I, "of all L1-icache accesses"},
	{COUNTERROLE_LL_MISSES, COUNTERROLE_LL, "of all LL-cache accesses"},
	{COUNTERROLE_DTLB_MISSES, COUNTERROLE_DTLB, "of all dTLB cache accesses"},
	{COUNTERROLE_ITLB_MISSES, COUNTERROLE_ITLB, "of all iTLB cache accesses"},
	{COUNTERROLE_STALLED_FRONT, COUNTERROLE_CYCLES, "frontend cycles idle"},
	{COUNTERROLE_STALLED_BACK, COUNTERROLE_CYCLES, "backend cycles idle"},
};

struct look {
	const struct countertable *t;
	size_t rank, event;
	unsigned mode;
	const char *cgroup;
	double value;
};

/* The value of another event of the same part, mode and cgroup; 0: there is none. */
static double value_of(const struct look *l, enum counterrole role, bool any_mode)
{
	struct countercell cell;

	for (size_t i = 0; i < countertable_n_events(l->t); i++) {
		const struct counterevent *e = countertable_event(l->t, i);

		if (e->role != role || e->cgroup != l->cgroup || (!any_mode && e->mode != l->mode))
			continue;
		countertable_cell(l->t, l->rank, i, &cell);
		if (cell.state == COUNTER_COUNTED && cell.value > 0)
			return cell.value;
	}
	return 0;
}

static size_t put(struct countermetric *ret, double value, const char *unit, unsigned digits)
{
	*ret = (struct countermetric){.value = value, .unit = unit, .digits = digits};
	return 1;
}

static bool has_clock(const struct look *l)
{
	return ARRAY_ANY(countertable_n_events(l->t), i,
			 countertable_event(l->t, i)->role == COUNTERROLE_CLOCK);
}

static size_t per_second(const struct look *l, struct countermetric *ret)
{
	static const char *const units[] = {"/sec",  "K/sec", "M/sec", "G/sec",
					    "T/sec", "P/sec", "E/sec"};
	double clock_ns = value_of(l, COUNTERROLE_CLOCK, true), rate;
	size_t unit = 0;

	if (!has_clock(l))
		return 0;
	/* a task that did not run has a rate of 0, as in perf */
	rate = clock_ns > 0 ? l->value * 1e9 / clock_ns : 0;
	for (; rate > 1000 && unit + 1 < ARRAY_LEN(units); unit++)
		rate /= 1000;
	return put(ret, rate, units[unit], 3);
}

static size_t cpus_utilized(const struct look *l, struct countermetric *ret)
{
	struct countertotals totals;

	countertable_totals(l->t, &totals);
	if (totals.elapsed_s <= 0)
		return 0;
	return put(ret, l->value / 1e9 / totals.elapsed_s, "CPUs utilized", 3);
}

static size_t of_instructions(const struct look *l, struct countermetric *ret)
{
	double cycles = value_of(l, COUNTERROLE_CYCLES, false);
	double front = value_of(l, COUNTERROLE_STALLED_FRONT, false);
	double back = value_of(l, COUNTERROLE_STALLED_BACK, false);
	double stalled = front > back ? front : back;
	size_t n = 0;

	if (cycles > 0)
		n += put(&ret[n], l->value / cycles, "insn per cycle", 2);
	if (n && stalled > 0 && l->value > 0)
		n += put(&ret[n], stalled / l->value, "stalled cycles per insn", 2);
	return n;
}

static size_t of_cycles(const struct look *l, struct countermetric *ret)
{
	double clock_ns = value_of(l, COUNTERROLE_CLOCK, true);

	return clock_ns > 0 ? put(ret, l->value / clock_ns, "GHz", 3) : 0;
}

static size_t ratio_of(const struct look *l, const struct ratio *r, struct countermetric *ret)
{
	double all = value_of(l, r->to, false);

	if (all <= 0)
		return 0;
	put(ret, 100 * l->value / all, r->unit, 2);
	ret->is_percent = true;
	return 1;
}

size_t countermetrics_of(const struct countertable *t, size_t rank, size_t event,
			 struct countermetric ret[COUNTERMETRICS_MAX])
{
	const struct counterevent *e = countertable_event(t, event);
	const struct ratio *r = ARRAY_FIND(ratios, ARRAY_LEN(ratios), i, ratios[i].of == e->role);
	struct countercell cell;
	struct look l = {
		.t = t, .rank = rank, .event = event, .mode = e->mode, .cgroup = e->cgroup};

	countertable_cell(t, rank, event, &cell);
	if (cell.state != COUNTER_COUNTED)
		return 0;
	l.value = cell.value;
	if (e->role == COUNTERROLE_CLOCK)
		return cpus_utilized(&l, ret);
	if (e->role == COUNTERROLE_INSTRUCTIONS)
		return of_instructions(&l, ret);
	if (e->role == COUNTERROLE_CYCLES)
		return of_cycles(&l, ret);
	if (r && value_of(&l, r->to, false) > 0)
		return ratio_of(&l, r, ret);
	return r ? 0 : per_second(&l, ret);
}

const char *countermetrics_unit(enum counterrole role)
{
	const struct ratio *r = ARRAY_FIND(ratios, ARRAY_LEN(ratios), i, ratios[i].of == role);

	if (role == COUNTERROLE_INSTRUCTIONS)
		return "insn per cycle";
	if (role == COUNTERROLE_CLOCK)
		return "CPUs utilized";
	return r ? r->unit : NULL;
}
