// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stat.c - `trace-cmd stat`: prints the tracing settings in trace-cmd's layout.
 *
 * A part is printed only if it differs from the state after boot, under its own heading with an
 * empty line before it. The parts that are one file each are rows. Systems and events come in the
 * order in which the directory has them, as in trace-cmd: a script may take the first one.
 */
#include "base/array.h"
#include "base/scope.h"
#include "capture/tracefs/tracefs.h"
#include "cli/as/tracecmd/tracecmd_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- one file --------------------------------------------------------------------------------- */

struct file_row {
	const char *file, *normal, *heading;
};

static void print_file(const struct tracefs *t, const char *instance, const struct file_row *row)
{
	char *heap;
	const char *text = tc_read(t, instance, row->file, &heap);

	if (text && *text && strcmp(text, row->normal))
		printf("\n%s%s\n", row->heading, text);
	free(heap);
}

/* Indents every line by three blanks; omits comments if the file lists functions. */
static void print_lines(const struct tracefs *t, const char *instance, const char *file,
			const char *heading, bool no_comments)
{
	char *heap;
	const char *text = tc_read(t, instance, file, &heap);
	bool first = true;

	while (text && *text) {
		size_t len = strcspn(text, "\n");

		if (*text != '#' || !no_comments) {
			if (first)
				printf("\n%s:\n", heading);
			first = false;
			printf("   %.*s\n", (int)len, text);
		}
		text += len + (text[len] == '\n');
	}
	free(heap);
}

/* --- events ----------------------------------------------------------------------------------- */

/* Returns '1' for on, '0' for off, 'X' for some, or 0 if there is no such file. */
static char read_switch(const struct tracefs *t, const char *instance, const char *dir)
{
	char file[TRACEFS_PATH_MAX + 8], text[16];

	snprintf(file, sizeof(file), "%s/enable", dir);
	return tracefs_read_short(t, instance, file, text, sizeof(text)) > 0 ? *text : 0;
}

static bool print_whole_systems(const struct tracefs *t, const char *instance)
{
	DIR *dir = tc_open_directory(t, instance, "events");
	char path[TRACEFS_PATH_MAX];
	const char *system;
	bool any = false;

	while (dir && (system = tc_next_directory(dir))) {
		snprintf(path, sizeof(path), "events/%s", system);
		if (read_switch(t, instance, path) != '1')
			continue;
		if (!any)
			puts(" Individual systems:");
		any = true;
		printf("   %s\n", system);
	}
	if (dir)
		closedir(dir);
	return any;
}

static void print_events_of(const struct tracefs *t, const char *instance, const char *system,
			    bool *any)
{
	char path[TRACEFS_PATH_MAX];
	const char *event;
	bool named = false;
	DIR *dir;

	snprintf(path, sizeof(path), "events/%s", system);
	dir = tc_open_directory(t, instance, path);
	while (dir && (event = tc_next_directory(dir))) {
		snprintf(path, sizeof(path), "events/%s/%s", system, event);
		if (read_switch(t, instance, path) != '1')
			continue;
		if (!*any)
			puts(" Individual events:");
		if (!named)
			printf("    %s\n", system);
		*any = named = true;
		printf("        %s\n", event);
	}
	if (dir)
		closedir(dir);
}

static bool print_single_events(const struct tracefs *t, const char *instance)
{
	DIR *dir = tc_open_directory(t, instance, "events");
	char path[TRACEFS_PATH_MAX];
	const char *system;
	bool any = false;

	while (dir && (system = tc_next_directory(dir))) {
		snprintf(path, sizeof(path), "events/%s", system);
		if (read_switch(t, instance, path) == 'X')
			print_events_of(t, instance, system, &any);
	}
	if (dir)
		closedir(dir);
	return any;
}

static void print_events(const struct tracefs *t, const char *instance)
{
	char all = read_switch(t, instance, "events");
	bool any;

	if (!all)
		return;
	puts("\nEvents:");
	if (all == '1' || all == '0') {
		puts(all == '1' ? " All enabled" : " All disabled");
		return;
	}
	any = print_whole_systems(t, instance);
	any |= print_single_events(t, instance);
	if (!any)
		puts("  (none enabled)");
}

/* Prints the filters, or the triggers, of all events. */
static void print_of_events(const struct tracefs *t, const char *instance, const char *name,
			    const char *heading)
{
	DIR *dir = tc_open_directory(t, instance, "events"), *events;
	char file[TRACEFS_PATH_MAX];
	const char *system, *event;
	bool any = false;

	while (dir && (system = tc_next_directory(dir))) {
		snprintf(file, sizeof(file), "events/%s", system);
		events = tc_open_directory(t, instance, file);
		while (events && (event = tc_next_directory(events))) {
			char *heap;
			const char *text;

			snprintf(file, sizeof(file), "events/%s/%s/%s", system, event, name);
			text = tc_read(t, instance, file, &heap);
			if (text && strcmp(text, "none") && *text != '#') {
				if (!any)
					printf("\n%s:\n", heading);
				any = true;
				printf("  %s:%s \"%s\"\n", system, event, text);
			}
			free(heap);
		}
		if (events)
			closedir(events);
	}
	if (dir)
		closedir(dir);
}

/* --- buffers, clock, CPUs --------------------------------------------------------------------- */

static void print_cpu_sizes(const struct tracefs *t, const char *instance)
{
	unsigned n_cpus = tracefs_cpu_count(t);

	for (unsigned cpu = 0; cpu < n_cpus; cpu++) {
		char file[64], text[128];

		snprintf(file, sizeof(file), "per_cpu/cpu%u/buffer_size_kb", cpu);
		if (tracefs_read_short(t, instance, file, text, sizeof(text)) <= 0)
			return;
		printf("%sCPU %u buffer size (kb): %s\n", cpu ? "" : "\n", cpu, text);
	}
}

static void print_buffers(const struct tracefs *t, const char *instance)
{
	char text[128];

	if (tracefs_read_short(t, instance, "buffer_size_kb", text, sizeof(text)) <= 0 ||
	    strstr(text, "expanded"))
		return;
	if (strcmp(text, "X"))
		printf("\nBuffer size in kilobytes (per cpu):\n   %s\n", text);
	else
		print_cpu_sizes(t, instance);
	if (tracefs_read_short(t, instance, "buffer_total_size_kb", text, sizeof(text)) > 0)
		printf("\nBuffer total size in kilobytes:\n   %s\n", text);
}

static void print_clock(const struct tracefs *t, const char *instance)
{
	char clock[64];

	if (tracefs_chosen_word(t, instance, "trace_clock", clock, sizeof(clock)) >= 0 &&
	    strcmp(clock, "local"))
		printf("\nClock: %s\n", clock);
}

/* Prints the mask, if a CPU is missing in it. */
static void print_cpumask(const struct tracefs *t, const char *instance)
{
	unsigned left = tracefs_cpu_count(t);
	char text[4096];
	size_t len;

	if (tracefs_read_short(t, instance, "tracing_cpumask", text, sizeof(text)) <= 0)
		return;
	len = strlen(text);
	while (len && left) {
		char digit[2] = {text[--len]};
		unsigned long mask;

		if (*digit == ',')
			continue;
		mask = strtoul(digit, NULL, 16);
		for (int bit = 0; bit < 4 && left; bit++, left--)
			if (!(mask & 1ul << bit)) {
				printf("\nCPU mask: %s\n", text);
				return;
			}
	}
}

/* --- all of it -------------------------------------------------------------------------------- */

static void print_pids(const struct tracefs *t, const char *instance)
{
	static const struct file_row rows[] = {
		{"set_event_pid", "", "Filtered event PIDs:\n"},
		{"set_event_notrace_pid", "", "Filtered notrace event PIDs:\n"},
		{"set_ftrace_pid", "no pid", "Filtered function tracer PIDs:\n"},
		{"set_ftrace_notrace_pid", "no pid", "Filtered function tracer notrace PIDs:\n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		print_file(t, instance, &rows[i]);
}

static void print_state(const struct tracefs *t, const char *instance)
{
	printf("\nTracing is %s\n\n",
	       tracefs_read_number(t, instance, "tracing_on") ? "enabled" : "disabled");
	print_file(t, instance, &(struct file_row){"error_log", "", "Error log:\n"});
}

static void print_instances(const struct tracefs *t)
{
	DIR *dir = tc_open_directory(t, "", "instances");
	const char *name;
	bool any = false;

	while (dir && (name = tc_next_directory(dir))) {
		if (!any)
			puts("\nInstances:");
		any = true;
		printf(" %s\n", name);
	}
	if (dir)
		closedir(dir);
}

static void print_instance(const struct tracefs *t, const char *instance, bool options)
{
	print_file(t, instance, &(struct file_row){"current_tracer", "nop", "Tracer: "});
	print_events(t, instance);
	print_of_events(t, instance, "filter", "Filters");
	print_of_events(t, instance, "trigger", "Triggers");
	print_lines(t, instance, "set_ftrace_filter", "Function Filter", true);
	print_lines(t, instance, "set_ftrace_notrace", "Function No Trace", true);
	print_lines(t, instance, "set_graph_function", "Function Graph Filter", true);
	print_lines(t, instance, "set_graph_notrace", "Function Graph No Trace", true);
	print_buffers(t, instance);
	print_clock(t, instance);
	print_cpumask(t, instance);
	print_file(t, instance, &(struct file_row){"tracing_max_latency", "0", "Max Latency: "});
	print_lines(t, instance, "kprobe_events", "Kprobe events", false);
	print_lines(t, instance, "uprobe_events", "Uprobe events", false);
	print_lines(t, instance, "synthetic_events", "Synthetic events", false);
	print_pids(t, instance);
	if (options) {
		puts("\nOptions:");
		tc_print_options(t, instance, "   ");
	}
	print_state(t, instance);
	if (!*instance)
		print_instances(t);
}

static int print_named(const struct tracefs *t, const struct tc_line *line, bool options,
		       struct errmsg *err)
{
	bool first = !tc_has(line, 't', NULL);
	int r = 0;

	/* in trace-cmd, the instance that was named last comes first */
	for (size_t i = line->n_words; i-- > 0 && r >= 0;) {
		const char *name = line->words[i].value;

		if (line->words[i].option->letter != 'B')
			continue;
		r = tracefs_find_instance(t, name, err);
		TRY(r);
		if (!first)
			puts("---------------");
		first = false;
		printf("Instance: %s\n", name);
		print_instance(t, name, options);
	}
	return r;
}

int tc_run_stat(struct tc_line *line, struct errmsg *err)
{
	bool options = tc_has(line, 'o', NULL);
	struct tracefs t;

	TRY(tracefs_open(&t, err));
	if (!tc_has(line, 'B', NULL) || tc_has(line, 't', NULL))
		print_instance(&t, "", options);
	TRY(print_named(&t, line, options, err));
	if (tracefs_read_number(&t, "", TC_STACK_SWITCH) > 0)
		puts("Stack tracing is enabled\n");
	return 0;
}
