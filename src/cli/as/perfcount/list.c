// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * list.c - `perf list`: the events that this machine has, with perf's columns.
 *
 *	  context-switches OR cs                             [Software event]
 *
 * An argument selects kinds (hw, sw, cache, pmu, tracepoint …) or names by a glob. Metrics of
 * processors are not listed: they are in perf's own tables, which sonde has not.
 */
#include "base/array.h"
#include "base/scope.h"
#include "capture/perf/events/perfevents.h"
#include "capture/tracefs/eventdir.h"
#include "cli/as/perf_words.h"
#include "cli/as/perfcount/perfcount.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_WIDTH 50

struct list_options {
	bool ignored, is_raw;
};

/* perf's order: hardware, software, tools, caches, PMUs, forms, tracepoints. */
static const struct kind_row {
	enum perfevents_kind kind;
	const char *words[2]; /* arguments that select it */
	const char *text;
} kinds[] = {
	{PERFEVENTS_HARDWARE, {"hw", "hardware"}, "Hardware event"},
	{PERFEVENTS_SOFTWARE, {"sw", "software"}, "Software event"},
	{PERFEVENTS_TOOL, {"sw", "software"}, "Tool event"},
	{PERFEVENTS_CACHE, {"cache", "hwcache"}, "Hardware cache event"},
	{PERFEVENTS_PMU, {"pmu", "pmu"}, "Kernel PMU event"},
};

struct wanted {
	const char *word; /* NULL: all */
	bool is_raw;
	size_t n_printed;
};

static bool is_kind(const struct kind_row *row, const char *word)
{
	return !strcmp(row->words[0], word) || !strcmp(row->words[1], word);
}

static bool names_a_kind(const char *word)
{
	return ARRAY_ANY(ARRAY_LEN(kinds), i, is_kind(&kinds[i], word)) ||
	       !strcmp(word, "tracepoint") || !strcmp(word, "sdt") || !strcmp(word, "metric") ||
	       !strcmp(word, "metrics") || !strcmp(word, "metricgroup") ||
	       !strcmp(word, "metricgroups");
}

static void print_row(struct wanted *w, const char *name, const char *text)
{
	if (w->is_raw)
		printf("%s ", name);
	else
		printf("  %-*s [%s]\n", NAME_WIDTH, name, text);
	w->n_printed++;
}

static bool matches(const char *word, const char *name)
{
	char glob[256];

	snprintf(glob, sizeof(glob), "*%s*", word);
	return name && fnmatch(glob, name, FNM_CASEFOLD) == 0;
}

static int print_event(void *ctx, const struct perfevents_known *event)
{
	struct wanted *w = ctx;
	const struct kind_row *row =
		ARRAY_FIND(kinds, ARRAY_LEN(kinds), i, kinds[i].kind == event->kind);
	char name[512];

	if (!row || !event->is_there)
		return 0;
	if (w->word && (names_a_kind(w->word) ? !is_kind(row, w->word)
					      : !matches(w->word, event->name) &&
							!matches(w->word, event->alias)))
		return 0;
	if (event->kind == PERFEVENTS_PMU && event->alias)
		snprintf(name, sizeof(name), "%s OR %s", event->alias, event->name);
	else if (event->alias && !w->is_raw)
		snprintf(name, sizeof(name), "%s OR %s", event->name, event->alias);
	else
		snprintf(name, sizeof(name), "%s", event->name);
	print_row(w, name, row->text);
	return 0;
}

static void print_forms(struct wanted *w)
{
	if (w->word)
		return;
	print_row(w, "rNNN", "Raw hardware event descriptor");
	print_row(w, "cpu/t1=v1[,t2=v2,t3 ...]/modifier", "Raw hardware event descriptor");
	print_row(w, "mem:<addr>[/len][:access]", "Hardware breakpoint");
}

static int print_tracepoint(void *ctx, const char *system, const char *event)
{
	struct wanted *w = ctx;
	char name[2 * TRACEFS_NAME_MAX];

	/* of the formats of ftrace, these two are events */
	if (!strcmp(system, "ftrace") && strcmp(event, "function") && strcmp(event, "print"))
		return 0;
	snprintf(name, sizeof(name), "%s:%s", system, event);
	if (!w->word || !strcmp(w->word, "tracepoint") ||
	    (!names_a_kind(w->word) && matches(w->word, name)))
		print_row(w, name, "Tracepoint event");
	return 0;
}

static int print_all(struct wanted *w, struct errmsg *err)
{
	struct perfevents_place place = {.sysfs = getenv("SONDE_SYSFS")};
	struct errmsg quiet = {0};
	struct tracefs t;

	perfevents_each(&place, print_event, w);
	if (!w->word || names_a_kind(w->word))
		print_forms(w);
	if (tracefs_open(&t, &quiet) >= 0)
		eventdir_each(&t, "", print_tracepoint, w, &quiet);
	if (w->is_raw)
		puts("");
	return 0;
}

#define AT(member) offsetof(struct list_options, member)
static const struct option_row rows[] = {
	ROW_FLAG('d', "desc", "Print extra event descriptions. --no-desc to not print.",
		 AT(ignored)),
	ROW_FLAG('v', "long-desc", "Print longer event descriptions.", AT(ignored)),
	ROW_FLAG(0, "debug", "Enable debugging output", AT(ignored)),
	ROW_FLAG(0, "deprecated", "Print deprecated events.", AT(ignored)),
	ROW_FLAG(0, "details",
		 "Print information on the perf event names and expressions used internally by "
		 "events.",
		 AT(ignored)),
	ROW_FLAG(0, "no-desc", "Do not print descriptions", AT(ignored), .hidden = true),
	ROW_FLAG(0, "raw-dump", "Dump raw events", AT(is_raw), .hidden = true),
	ROW_END,
};

int perf_list(int argc, char **argv, struct errmsg *err)
{
	static const char *const lines[] = {
		"perf list [<options>] "
		"[hw|sw|cache|tracepoint|pmu|sdt|metric|metricgroup|event_glob]",
		NULL};
	const struct perf_usage usage = {lines, rows, ""};
	struct list_options o = {0};
	bool help = false;
	int n = options_parse(rows, &o, argc, argv, 0, &help, err);

	if (help || n < 0) {
		perf_usage_print(&usage, NULL, help ? stdout : stderr);
		err->code = n < 0 ? -EPIPE : 0;
		return PERF_USAGE;
	}
	if (!o.is_raw && isatty(STDOUT_FILENO))
		puts("\nList of pre-defined events (to be used in -e or -M):\n");
	for (int i = 0; i < (n ? n : 1); i++) {
		struct wanted w = {.word = n ? argv[1 + i] : NULL, .is_raw = o.is_raw};

		TRY(print_all(&w, err));
	}
	return 0;
}
