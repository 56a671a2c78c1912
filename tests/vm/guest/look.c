// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * look.c - prints the tracing state of the guest, one fact a line, so that two states can be compared.
 *
 *	look NAMES GROUPS
 *
 * A line is "FILE:LINE", as grep prints it. Called by the agent before and after every job, and by tests
 * through tracefs_snapshot. What counts is what a recording may switch and must put back: definitions,
 * filters, triggers, options, sizes, instances and all of that in each. What the kernel writes by itself does
 * not: buffers, statistics, the latency seen.
 *
 * There are three thousand files, and a guest is an emulated machine: this is one process that opens, reads
 * and closes each of them, which takes a tenth of what grep takes for them. The names of all filters and
 * triggers, and the groups of events they belong to, were written to the files NAMES and GROUPS when the guest
 * came up (state_settle in ./state), because to search for them costs more than to read them; groups that are
 * not in GROUPS came later, with a module or a probe, and are searched.
 *
 * Assumes that no line of a setting is longer than what one file holds in all, MAX_TEXT. A file that cannot be
 * read, because this kernel does not have it, is left out.
 */
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#define TRACING	 "/sys/kernel/tracing"
#define MAX_TEXT (16 << 20) /* a function tracer names forty thousand functions */
#define MAX_READ (64 << 10) /* files below /proc/sys refuse to be asked for megabytes */
#define MAX_NAME 512

/* In the top instance and in every other. trace_options tells of the options of the current tracer
 * only, the files in options/ of all. */
static const char *const state_files[] = {
	"tracing_on",
	"current_tracer",
	"set_event",
	"set_event_pid",
	"set_event_notrace_pid",
	"set_ftrace_filter",
	"set_ftrace_notrace",
	"set_ftrace_pid",
	"set_ftrace_notrace_pid",
	"set_graph_function",
	"set_graph_notrace",
	"max_graph_depth",
	"trace_options",
	"trace_clock",
	"tracing_cpumask",
	"tracing_thresh",
	"buffer_size_kb",
	"buffer_subbuf_size_kb",
	"buffer_percent",
	"options/*",
	"per_cpu/*/buffer_size_kb",
};

/* Once for the whole kernel. */
static const char *const global_files[] = {
	"kprobe_events",
	"uprobe_events",
	"synthetic_events",
	"dynamic_events",
	"saved_cmdlines_size",
	"function_profile_enabled",
	"stack_trace_filter",
	"osnoise/cpus",
	"osnoise/period_us",
	"osnoise/runtime_us",
	"osnoise/stop_tracing_us",
	"osnoise/stop_tracing_total_us",
	"osnoise/options",
	"osnoise/timerlat_period_us",
	"osnoise/print_stack",
	"hwlat_detector/mode",
	"hwlat_detector/width",
	"hwlat_detector/window",
	"/proc/sys/kernel/stack_tracer_enabled",
	"/proc/sys/kernel/ftrace_enabled",
	"/proc/sys/kernel/ftrace_dump_on_oops",
	"/proc/sys/kernel/traceoff_on_warning",
	"/proc/sys/kernel/tracepoint_printk",
	"/sys/kernel/debug/kprobes/enabled",
	"/sys/kernel/debug/kprobes/list",
	"/sys/devices/system/cpu/online",
};

static char text[MAX_TEXT + 1];
static char names[1 << 20], groups[1 << 16];

/* Which lines of a file are told; may cut the line short. */
typedef bool (*line_fn)(char *line);

static bool line_any(char *line)
{
	return true;
}

static bool line_not_zero(char *line)
{
	return strcmp(line, "0") != 0;
}

/* A trigger file without triggers holds comments only, a filter file without a filter the word none. */
static bool line_is_set(char *line)
{
	return line[0] != '#' && strcmp(line, "none") != 0;
}

/* There may be forty thousand functions under trace: they are told by name only. */
static bool line_first_word(char *line)
{
	line[strcspn(line, " ")] = '\0';
	return line[0] != '\0';
}

static bool line_snapshot(char *line)
{
	return strstr(line, "Snapshot is") != NULL;
}

/* The bytes of a file, at most `size`, with a zero behind them; -1 if it cannot be read. */
static ssize_t file_read(const char *path, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n = 0;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return -1;
	while (len < size && (n = read(fd, buf + len, MIN(size - len, MAX_READ))) > 0)
		len += n;
	close(fd);
	buf[len] = '\0';
	return len || n == 0 ? (ssize_t)len : -1;
}

static void text_tell(const char *path, line_fn is_told)
{
	char *line = text, *end;

	for (; *line; line = end) {
		end = strchrnul(line, '\n');
		if (*end)
			*end++ = '\0';
		if (is_told(line))
			printf("%s:%s\n", path, line);
	}
}

static void file_tell(const char *path, line_fn is_told)
{
	if (file_read(path, text, MAX_TEXT) > 0)
		text_tell(path, is_told);
}

/* All files that a pattern means, in their order. */
static void pattern_tell(const char *top, const char *pattern, line_fn is_told)
{
	char path[MAX_NAME];
	glob_t found;

	snprintf(path, sizeof(path), "%s%s", top, pattern);
	if (!strchr(pattern, '*')) {
		file_tell(path, is_told);
		return;
	}
	if (glob(path, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		file_tell(found.gl_pathv[i], is_told);
	globfree(&found);
}

/* Whether a snapshot is kept; the snapshot itself, which follows, may be long and is no setting. */
static void snapshot_tell(const char *top)
{
	char path[MAX_NAME];

	snprintf(path, sizeof(path), "%ssnapshot", top);
	if (file_read(path, text, 4096) > 0)
		text_tell(path, line_snapshot);
}

/* The filters and triggers of a group of events that was not there when the names were written down. */
static void group_tell(const char *top, const char *group)
{
	static const char *const kinds[] = {"filter", "*/filter", "*/trigger"};
	char pattern[MAX_NAME];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		snprintf(pattern, sizeof(pattern), "%s/%s", group, kinds[i]);
		pattern_tell(top, pattern, line_is_set);
	}
}

static bool group_is_known(const char *group)
{
	char line[MAX_NAME];

	snprintf(line, sizeof(line), "%s/\n", group);
	return strstr(groups, line) != NULL;
}

static void filters_tell(const char *top)
{
	char path[MAX_NAME];
	glob_t found;

	for (const char *name = names, *end; *name; name = end + (*end != '\0')) {
		end = strchrnul(name, '\n');
		snprintf(path, sizeof(path), "%s%.*s", top, (int)(end - name), name);
		file_tell(path, line_is_set);
	}
	if (glob("events/*", GLOB_ONLYDIR, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		if (!group_is_known(found.gl_pathv[i]))
			group_tell(top, found.gl_pathv[i]);
	}
	globfree(&found);
}

static void instance_tell(const char *top)
{
	for (size_t i = 0; i < sizeof(state_files) / sizeof(state_files[0]); i++)
		pattern_tell(top, state_files[i], line_any);
	snapshot_tell(top);
	pattern_tell(top, "events/enable", line_not_zero);
	pattern_tell(top, "events/*/enable", line_not_zero);
	filters_tell(top);
}

static void instances_tell(void)
{
	char top[MAX_NAME];
	glob_t found;

	if (glob("instances/*", GLOB_ONLYDIR, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		puts(found.gl_pathv[i]);
		snprintf(top, sizeof(top), "%s/", found.gl_pathv[i]);
		instance_tell(top);
	}
	globfree(&found);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		errx(2, "usage: look NAMES GROUPS");
	if (file_read(argv[1], names, sizeof(names) - 1) <= 0)
		err(1, "%s", argv[1]);
	if (file_read(argv[2], groups, sizeof(groups) - 1) <= 0)
		err(1, "%s", argv[2]);
	if (chdir(TRACING))
		err(1, TRACING);
	instance_tell("");
	instances_tell();
	for (size_t i = 0; i < sizeof(global_files) / sizeof(global_files[0]); i++)
		file_tell(global_files[i], line_any);
	file_tell("enabled_functions", line_first_word);
	return fflush(stdout) ? 1 : 0;
}
