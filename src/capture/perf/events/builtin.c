// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * builtin.c - tables of the events that the kernel's interface itself names.
 *
 * perf_event_open(2) has numbers for them; the names are perf's, because users know those. An event
 * of a cache is made of three words, and not every combination exists:
 *
 *	L1-dcache - load - misses       cache, operation (default: load), result (default: access)
 *	config = cache | operation << 8 | result << 16
 *
 *	             load  store  prefetch
 *	L1-dcache     x      x       x
 *	L1-icache     x              x       code is not stored
 *	LLC           x      x       x
 *	dTLB          x      x       x
 *	iTLB          x
 *	branch        x
 *	node          x      x       x
 *
 * An access has the plural of the operation as its name (L1-dcache-loads), a miss the singular and
 * "misses" (L1-dcache-load-misses). perf also has older words for each part; all are accepted.
 */
#include "capture/perf/events/builtin.h"

#include "base/array.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct named {
	const char *name, *alias;
	uint64_t config;
};

static const struct named hardware[] = {
	{"branch-instructions", "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-misses", NULL, PERF_COUNT_HW_BRANCH_MISSES},
	{"bus-cycles", NULL, PERF_COUNT_HW_BUS_CYCLES},
	{"cache-misses", NULL, PERF_COUNT_HW_CACHE_MISSES},
	{"cache-references", NULL, PERF_COUNT_HW_CACHE_REFERENCES},
	{"cpu-cycles", "cycles", PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", NULL, PERF_COUNT_HW_INSTRUCTIONS},
	{"ref-cycles", NULL, PERF_COUNT_HW_REF_CPU_CYCLES},
	{"stalled-cycles-backend", "idle-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{"stalled-cycles-frontend", "idle-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
};

static const struct named software[] = {
	{"alignment-faults", NULL, PERF_COUNT_SW_ALIGNMENT_FAULTS},
	{"bpf-output", NULL, PERF_COUNT_SW_BPF_OUTPUT},
	{"cgroup-switches", NULL, PERF_COUNT_SW_CGROUP_SWITCHES},
	{"context-switches", "cs", PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cpu-clock", NULL, PERF_COUNT_SW_CPU_CLOCK},
	{"cpu-migrations", "migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
	{"dummy", NULL, PERF_COUNT_SW_DUMMY},
	{"emulation-faults", NULL, PERF_COUNT_SW_EMULATION_FAULTS},
	{"major-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{"minor-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{"page-faults", "faults", PERF_COUNT_SW_PAGE_FAULTS},
	{"task-clock", NULL, PERF_COUNT_SW_TASK_CLOCK},
};

static const struct named tools[] = {
	{"duration_time", NULL, PERFEVENTS_DURATION_TIME},
	{"user_time", NULL, PERFEVENTS_USER_TIME},
	{"system_time", NULL, PERFEVENTS_SYSTEM_TIME},
};

struct table {
	enum perfevents_kind kind;
	uint32_t type;
	const struct named *rows;
	size_t n;
};

static const struct table tables[] = {
	{PERFEVENTS_HARDWARE, PERF_TYPE_HARDWARE, hardware, ARRAY_LEN(hardware)},
	{PERFEVENTS_SOFTWARE, PERF_TYPE_SOFTWARE, software, ARRAY_LEN(software)},
	{PERFEVENTS_TOOL, PERF_TYPE_SOFTWARE, tools, ARRAY_LEN(tools)},
};

#define WORDS_MAX 6
/* The first word is the usual one. */
struct words {
	const char *words[WORDS_MAX];
	unsigned operations; /* of a cache: bits of those that exist */
};

enum { LOAD = 1 << 0, STORE = 1 << 1, PREFETCH = 1 << 2 };

static const struct words caches[] = {
	[PERF_COUNT_HW_CACHE_L1D] = {{"L1-dcache", "l1-d", "l1d", "L1-data"},
				     LOAD | STORE | PREFETCH},
	[PERF_COUNT_HW_CACHE_L1I] = {{"L1-icache", "l1-i", "l1i", "L1-instruction"},
				     LOAD | PREFETCH},
	[PERF_COUNT_HW_CACHE_LL] = {{"LLC", "L2"}, LOAD | STORE | PREFETCH},
	[PERF_COUNT_HW_CACHE_DTLB] = {{"dTLB", "d-tlb", "Data-TLB"}, LOAD | STORE | PREFETCH},
	[PERF_COUNT_HW_CACHE_ITLB] = {{"iTLB", "i-tlb", "Instruction-TLB"}, LOAD},
	[PERF_COUNT_HW_CACHE_BPU] = {{"branch", "branches", "bpu", "btb", "bpc"}, LOAD},
	[PERF_COUNT_HW_CACHE_NODE] = {{"node"}, LOAD | STORE | PREFETCH},
};
/* The singular, the plural, and others. */
static const struct words operations[] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = {{"load", "loads", "read"}},
	[PERF_COUNT_HW_CACHE_OP_WRITE] = {{"store", "stores", "write"}},
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {{"prefetch", "prefetches", "speculative-read",
					      "speculative-load"}},
};
static const struct words results[] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = {{"refs", "Reference", "ops", "access"}},
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = {{"misses", "miss"}},
};

/*
 * Finds the longest word of a list that text begins with, up to a '-' or the end. Returns its
 * length, or 0.
 */
static size_t find_word(const struct words *list, size_t n, const char *text, size_t len,
			size_t *ret_index)
{
	size_t best = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t w = 0; w < WORDS_MAX && list[i].words[w]; w++) {
			size_t word = strlen(list[i].words[w]);

			if (word <= best || word > len ||
			    strncasecmp(text, list[i].words[w], word) != 0 ||
			    (word < len && text[word] != '-'))
				continue;
			best = word;
			*ret_index = i;
		}
	}
	return best;
}

static void fill_cache(size_t cache, size_t operation, size_t result, struct builtin_event *ret)
{
	const char *const *word = operations[operation].words;

	*ret = (struct builtin_event){
		.kind = PERFEVENTS_CACHE,
		.type = PERF_TYPE_HW_CACHE,
		.config = cache | operation << 8 | result << 16,
	};
	if (result == PERF_COUNT_HW_CACHE_RESULT_MISS)
		snprintf(ret->name, sizeof(ret->name), "%s-%s-misses", caches[cache].words[0],
			 word[0]);
	else
		snprintf(ret->name, sizeof(ret->name), "%s-%s", caches[cache].words[0], word[1]);
}

/* The words after the cache's may come in any order, each at most once. */
static bool find_cache(const char *name, size_t len, struct builtin_event *ret)
{
	size_t cache = 0, operation = PERF_COUNT_HW_CACHE_OP_READ;
	size_t result = PERF_COUNT_HW_CACHE_RESULT_ACCESS, word;
	bool has_operation = false, has_result = false;
	size_t at = find_word(caches, ARRAY_LEN(caches), name, len, &cache);

	if (!at)
		return false;
	while (at < len) {
		at++; /* the '-' */
		word = has_operation ? 0
				     : find_word(operations, ARRAY_LEN(operations), name + at,
						 len - at, &operation);
		if (word) {
			has_operation = true;
		} else {
			word = has_result ? 0
					  : find_word(results, ARRAY_LEN(results), name + at,
						      len - at, &result);
			has_result = true;
		}
		if (!word)
			return false;
		at += word;
	}
	if (!(caches[cache].operations & 1u << operation))
		return false;
	fill_cache(cache, operation, result, ret);
	return true;
}

static bool is_name(const char *row, const char *name, size_t len)
{
	return row && strlen(row) == len && memcmp(row, name, len) == 0;
}

static void fill(const struct table *t, const struct named *row, struct builtin_event *ret)
{
	*ret = (struct builtin_event){
		.kind = t->kind,
		.tool = t->kind == PERFEVENTS_TOOL ? (enum perfevents_tool)row->config : 0,
		.type = t->type,
		.config = t->kind == PERFEVENTS_TOOL ? PERF_COUNT_SW_DUMMY : row->config,
	};
	snprintf(ret->name, sizeof(ret->name), "%s", row->name);
}

bool builtin_find(const char *name, size_t len, struct builtin_event *ret)
{
	for (size_t t = 0; t < ARRAY_LEN(tables); t++) {
		for (size_t i = 0; i < tables[t].n; i++) {
			const struct named *row = &tables[t].rows[i];

			if (!is_name(row->name, name, len) && !is_name(row->alias, name, len))
				continue;
			fill(&tables[t], row, ret);
			return true;
		}
	}
	return find_cache(name, len, ret);
}

static int each_cache(int (*visit)(void *ctx, const struct builtin_event *event, const char *alias),
		      void *ctx)
{
	struct builtin_event event;

	for (size_t c = 0; c < ARRAY_LEN(caches); c++) {
		for (size_t o = 0; o < ARRAY_LEN(operations); o++) {
			for (size_t r = 0; r < ARRAY_LEN(results); r++) {
				if (!(caches[c].operations & 1u << o))
					continue;
				fill_cache(c, o, r, &event);
				int stop = visit(ctx, &event, NULL);

				if (stop)
					return stop;
			}
		}
	}
	return 0;
}

int builtin_each(enum perfevents_kind kind,
		 int (*visit)(void *ctx, const struct builtin_event *event, const char *alias),
		 void *ctx)
{
	if (kind == PERFEVENTS_CACHE)
		return each_cache(visit, ctx);
	for (size_t t = 0; t < ARRAY_LEN(tables); t++) {
		for (size_t i = 0; tables[t].kind == kind && i < tables[t].n; i++) {
			struct builtin_event event;

			fill(&tables[t], &tables[t].rows[i], &event);
			int stop = visit(ctx, &event, tables[t].rows[i].alias);

			if (stop)
				return stop;
		}
	}
	return 0;
}
