// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * countroles.c - what an event means for the metrics of a result.
 *
 * Only events that every processor has by name get a role, by their type and number. A raw event
 * that happens to count the same gets none: its number means something else on other processors.
 */
#include "live/counters/countroles.h"

#include "base/array.h"

#define CACHE(cache, result) \
	(PERF_COUNT_HW_CACHE_##cache | (uint64_t)PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct {
	uint32_t type;
	uint64_t config;
	enum counterrole role;
} roles[] = {
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, COUNTERROLE_CLOCK},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, COUNTERROLE_CLOCK},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, COUNTERROLE_CYCLES},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, COUNTERROLE_INSTRUCTIONS},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, COUNTERROLE_STALLED_FRONT},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, COUNTERROLE_STALLED_BACK},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, COUNTERROLE_BRANCHES},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, COUNTERROLE_BRANCH_MISSES},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, COUNTERROLE_CACHE_REFS},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, COUNTERROLE_CACHE_MISSES},
	{PERF_TYPE_HW_CACHE, CACHE(L1D, ACCESS), COUNTERROLE_L1D},
	{PERF_TYPE_HW_CACHE, CACHE(L1D, MISS), COUNTERROLE_L1D_MISSES},
	{PERF_TYPE_HW_CACHE, CACHE(L1I, ACCESS), COUNTERROLE_L1I},
	{PERF_TYPE_HW_CACHE, CACHE(L1I, MISS), COUNTERROLE_L1I_MISSES},
	{PERF_TYPE_HW_CACHE, CACHE(LL, ACCESS), COUNTERROLE_LL},
	{PERF_TYPE_HW_CACHE, CACHE(LL, MISS), COUNTERROLE_LL_MISSES},
	{PERF_TYPE_HW_CACHE, CACHE(DTLB, ACCESS), COUNTERROLE_DTLB},
	{PERF_TYPE_HW_CACHE, CACHE(DTLB, MISS), COUNTERROLE_DTLB_MISSES},
	{PERF_TYPE_HW_CACHE, CACHE(ITLB, ACCESS), COUNTERROLE_ITLB},
	{PERF_TYPE_HW_CACHE, CACHE(ITLB, MISS), COUNTERROLE_ITLB_MISSES},
};

enum counterrole countroles_find(const struct perf_event_attr *attr)
{
	for (size_t i = 0; i < ARRAY_LEN(roles); i++)
		if (roles[i].type == attr->type && roles[i].config == attr->config)
			return roles[i].role;
	return COUNTERROLE_NONE;
}

unsigned countroles_mode(const struct perf_event_attr *attr)
{
	return attr->exclude_user | attr->exclude_kernel << 1 | attr->exclude_hv << 2 |
	       attr->exclude_host << 3 | attr->exclude_guest << 4 | attr->exclude_idle << 5;
}
