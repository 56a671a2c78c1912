// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * words.c - lists names of the running kernel, by kind, for completing a word.
 *
 * Each kind is a row of the table at the end: a function that offers words to a filter, which
 * passes on those with the right beginning.
 *
 * `sudo sonde record -e <TAB>` runs the completion without root's rights, and only root can read
 * the tracing directory. So each kind has an alternative source: functions and tracepoints by their
 * names in /proc/kallsyms (every tracepoint has a function __traceiter_NAME), tracers and clocks
 * from a list of those that kernels have.
 */
#include "capture/kernel/words.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/tracefs/tracefs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BYTES 512

struct wish {
	const struct tracefs *t; /* NULL: the tracing directory is not available */
	const char *prefix;
	size_t prefix_len;
	void (*take)(void *ctx, const char *word);
	void *ctx;
};

static void offer(const struct wish *w, const char *word)
{
	if (!strncmp(word, w->prefix, w->prefix_len))
		w->take(w->ctx, word);
}

static void offer_list(const struct wish *w, struct name_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		offer(w, list->names[i]);
	name_list_release(list);
}

/* Offers the words of a text, which are separated by blanks. */
static void offer_words(const struct wish *w, const char *words)
{
	char word[WORD_BYTES];
	int len;

	for (; sscanf(words, "%511s%n", word, &len) == 1; words += len)
		offer(w, word);
}

/* Calls take with each line of a file, without its end. Returns false if there is none. */
static bool each_line(const char *path, void (*take)(const struct wish *w, char *line),
		      const struct wish *w)
{
	SCOPED(fclose_scoped) FILE *file = fopen(path, "re");
	SCOPED(scope_free) char *line = NULL;
	size_t room = 0;
	bool has_lines = false;

	while (file && getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = 0;
		take(w, line);
		has_lines = true;
	}
	return has_lines;
}

/*
 * Like each_line(), for a file of the tracing directory. Returns false if it cannot be read, or is
 * empty, as on kernels that trace no functions.
 */
static bool each_tracing_line(const struct wish *w, const char *name,
			      void (*take)(const struct wish *w, char *line))
{
	char path[TRACEFS_PATH_MAX];

	return w->t && each_line(tracefs_fmt_path(w->t, "", name, path), take, w);
}

/* --- events ----------------------------------------------------------------------------------- */

/* Offers "system:event" if a colon was typed, else only the event; systems have a separate list. */
static void take_event(const struct wish *w, char *line)
{
	char *colon = strchr(line, ':');

	if (!colon)
		return;
	if (memchr(w->prefix, ':', w->prefix_len))
		offer(w, line);
	else if (w->prefix_len)
		offer(w, colon + 1);
}

static void take_tracepoint(const struct wish *w, char *line)
{
	static const char mark[] = " __traceiter_";
	char *name = strstr(line, mark);

	if (name) {
		name += sizeof(mark) - 1;
		name[strcspn(name, " \t")] = 0;
		offer(w, name);
	}
}

static void offer_events(const struct wish *w)
{
	struct name_list systems;

	if (!each_tracing_line(w, "available_events", take_event)) {
		each_line("/proc/kallsyms", take_tracepoint, w);
		return;
	}
	if (tracefs_directories(w->t, "", "events", &systems) >= 0)
		offer_list(w, &systems);
	offer(w, "all");
}

/* --- functions, modules, probes --------------------------------------------------------------- */

/* Parses "name" or "name [module]". */
static void take_function(const struct wish *w, char *line)
{
	line[strcspn(line, " ")] = 0;
	offer(w, line);
}

/* Parses "ADDRESS T NAME[\t[MODULE]]". */
static void take_symbol(const struct wish *w, char *line)
{
	char *type = strchr(line, ' ');

	if (!type || !strchr("tTwW", type[1]) || type[2] != ' ')
		return;
	type[3 + strcspn(type + 3, "\t")] = 0;
	offer(w, type + 3);
}

static void offer_functions(const struct wish *w)
{
	if (!each_tracing_line(w, "available_filter_functions", take_function))
		each_line("/proc/kallsyms", take_symbol, w);
}

static void offer_modules(const struct wish *w)
{
	each_line("/proc/modules", take_function, w);
}

/* Parses "p:group/name where …" or "r16:group/name …". */
static void take_probe(const struct wish *w, char *line)
{
	char *name = strchr(line, ':'), *slash;

	if (!name)
		return;
	name++;
	name[strcspn(name, " ")] = 0;
	slash = strchr(name, '/');
	if (slash)
		*slash = ':';
	offer(w, name);
}

static void offer_probes(const struct wish *w)
{
	if (!each_tracing_line(w, "dynamic_events", take_probe)) { /* kernels before 5.0 */
		each_tracing_line(w, "kprobe_events", take_probe);
		each_tracing_line(w, "uprobe_events", take_probe);
	}
}

/* --- tracers, clocks, options, instances ------------------------------------------------------ */

static void offer_tracers(const struct wish *w)
{
	struct name_list list;

	if (w->t && tracefs_words(w->t, "", "available_tracers", &list) >= 0)
		offer_list(w, &list);
	else
		offer_words(w, "blk function function_graph hwlat irqsoff mmiotrace nop osnoise "
			       "preemptirqsoff preemptoff timerlat wakeup wakeup_dl wakeup_rt");
}

static void offer_clocks(const struct wish *w)
{
	struct name_list list;

	if (w->t && tracefs_words(w->t, "", "trace_clock", &list) >= 0)
		offer_list(w, &list);
	else
		offer_words(w, "local global counter uptime perf mono mono_raw boot tai x86-tsc");
	offer(w, "tsc2nsec");
}

/* Offers options. Each has a form that switches it off, which is offered after "no" was typed. */
static void offer_options(const struct wish *w)
{
	struct name_list list;
	char word[WORD_BYTES];

	if (!w->t || tracefs_files(w->t, "", "options", &list) < 0)
		return;
	for (size_t i = 0; w->prefix_len >= 2 && i < list.n; i++) {
		snprintf(word, sizeof(word), "no%s", list.names[i]);
		offer(w, word);
	}
	offer_list(w, &list);
}

static void offer_instances(const struct wish *w)
{
	struct name_list list;

	if (w->t && tracefs_instances(w->t, &list) >= 0)
		offer_list(w, &list);
}

/* --- the table -------------------------------------------------------------------------------- */

static const struct kind_row {
	const char *name;
	void (*offer)(const struct wish *w);
} kinds[] = {
	{"event", offer_events},   {"function", offer_functions}, {"module", offer_modules},
	{"probe", offer_probes},   {"tracer", offer_tracers},	  {"clock", offer_clocks},
	{"option", offer_options}, {"instance", offer_instances},
};

bool kernelwords_each(const char *kind, const char *prefix,
		      void (*take)(void *ctx, const char *word), void *ctx)
{
	struct wish w = {.prefix = prefix, .prefix_len = strlen(prefix), .take = take, .ctx = ctx};
	struct errmsg unseen = {0};
	struct tracefs tracefs;

	if (tracefs_open(&tracefs, &unseen) >= 0)
		w.t = &tracefs;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (strcmp(kinds[i].name, kind))
			continue;
		kinds[i].offer(&w);
		return true;
	}
	return false;
}

bool kernelwords_may_have_tracer(const char *name)
{
	struct errmsg ignored = {0};
	struct name_list tracers;
	struct tracefs t;
	bool has;

	if (tracefs_open(&t, &ignored) < 0 ||
	    tracefs_words(&t, "", "available_tracers", &tracers) < 0)
		return true;
	has = name_list_find(&tracers, name);
	name_list_release(&tracers);
	return has;
}
