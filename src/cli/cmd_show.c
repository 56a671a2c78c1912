// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_show.c - `sonde show`: what is in the kernel's buffers, and in any file of the tracing directory.
 *
 *	sonde show                     the events in the buffer, as the kernel prints them
 *	sonde show -p                  … taken out of it as they come, until Ctrl-C
 *	sonde show -c 1 -B one         … of one CPU, of an instance
 *	sonde show --ftrace_filter     a file by the name that trace-cmd gives it
 *	sonde show events/sched/enable … by its own name
 *	sonde show --hist sched_switch what a hist trigger has counted, as a table
 *
 * Files that have an option are rows of a table here. Several may be asked for; they come in the order of
 * the table.
 */
#include "base/textbuf.h"
#include "capture/tracefs/copy.h"
#include "capture/tracefs/eventdir.h"
#include "cli/kernel/instances.h"
#include "cli/kernel/showfile.h"
#include "present/result/histtable.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

enum {
	FILE_TRACING_ON,
	FILE_CURRENT_TRACER,
	FILE_BUFFER_SIZE,
	FILE_BUFFER_TOTAL_SIZE,
	FILE_BUFFER_SUBBUF_SIZE,
	FILE_BUFFER_PERCENT,
	FILE_FTRACE_FILTER,
	FILE_FTRACE_NOTRACE,
	FILE_FTRACE_PID,
	FILE_GRAPH_FUNCTION,
	FILE_GRAPH_NOTRACE,
	FILE_CPUMASK,
	FILE_MAX_LATENCY,
	N_FILES,
};

static const struct {
	const char *file, *missing;
} files[N_FILES] = {
	[FILE_TRACING_ON] = {"tracing_on", NULL},
	[FILE_CURRENT_TRACER] = {"current_tracer", NULL},
	[FILE_BUFFER_SIZE] = {"buffer_size_kb", NULL},
	[FILE_BUFFER_TOTAL_SIZE] = {"buffer_total_size_kb", NULL},
	[FILE_BUFFER_SUBBUF_SIZE] = {"buffer_subbuf_size_kb",
				     "sub-buffers of another size (Linux 6.8 and later have them)"},
	[FILE_BUFFER_PERCENT] = {"buffer_percent", "buffer_percent (Linux 5.0 and later have it)"},
	[FILE_FTRACE_FILTER] = {"set_ftrace_filter", "function tracer (CONFIG_FUNCTION_TRACER)"},
	[FILE_FTRACE_NOTRACE] = {"set_ftrace_notrace", "function tracer (CONFIG_FUNCTION_TRACER)"},
	[FILE_FTRACE_PID] = {"set_ftrace_pid", "function tracer (CONFIG_FUNCTION_TRACER)"},
	[FILE_GRAPH_FUNCTION] = {"set_graph_function",
				 "function graph tracer here (CONFIG_FUNCTION_GRAPH_TRACER; it is "
				 "only at the top level)"},
	[FILE_GRAPH_NOTRACE] = {"set_graph_notrace",
				"function graph tracer here (CONFIG_FUNCTION_GRAPH_TRACER; it is "
				"only at the top level)"},
	[FILE_CPUMASK] = {"tracing_cpumask", NULL},
	[FILE_MAX_LATENCY] = {"tracing_max_latency",
			      "latency tracer (CONFIG_IRQSOFF_TRACER, CONFIG_SCHED_TRACER, …)"},
};

struct show_options {
	const char *buffer, *cpu, *hist, *trigger;
	bool pipe, snapshot, name, json;
	bool wanted[N_FILES];
};

#define FILE_ROW(option, n, text)                                                            \
	{                                                                                    \
		OPTION_FLAG, 0, option, NULL, text, offsetof(struct show_options, wanted[n]) \
	}

static const struct option_row rows[] = {
	{OPTION_STRING, 'B', "buffer", "INSTANCE", "use this instance",
	 offsetof(struct show_options, buffer)},
	{OPTION_STRING, 'c', "cpu", "CPU", "show only this CPU",
	 offsetof(struct show_options, cpu)},
	{OPTION_FLAG, 'p', "pipe", NULL, "consume events as they arrive (trace_pipe)",
	 offsetof(struct show_options, pipe)},
	{OPTION_FLAG, 's', "snapshot", NULL, "use the snapshot instead of the buffer",
	 offsetof(struct show_options, snapshot)},
	{OPTION_FLAG, 'f', "file", NULL, "first print the name of the file",
	 offsetof(struct show_options, name)},
	{OPTION_STRING, 0, "hist", "EVENT",
	 "show the counts of the event's hist triggers as a table",
	 offsetof(struct show_options, hist)},
	{OPTION_STRING, 0, "trigger", "EVENT", "show the event's triggers",
	 offsetof(struct show_options, trigger)},
	{OPTION_FLAG, 0, "json", NULL, "with --hist: print JSON, one line per trigger",
	 offsetof(struct show_options, json)},
	{OPTION_HEADING, .help = "Files"},
	FILE_ROW("tracing_on", FILE_TRACING_ON, "whether the buffer accepts events"),
	FILE_ROW("current_tracer", FILE_CURRENT_TRACER, "the current tracer"),
	FILE_ROW("buffer_size", FILE_BUFFER_SIZE, "size per CPU, in KB"),
	FILE_ROW("buffer_total_size", FILE_BUFFER_TOTAL_SIZE, "size of all CPUs together, in KB"),
	FILE_ROW("buffer_subbuf_size", FILE_BUFFER_SUBBUF_SIZE, "size of a sub-buffer, in KB"),
	FILE_ROW("buffer_percent", FILE_BUFFER_PERCENT,
		 "how full a buffer must be to wake its reader"),
	FILE_ROW("ftrace_filter", FILE_FTRACE_FILTER,
		 "the functions to trace, and filter commands"),
	FILE_ROW("ftrace_notrace", FILE_FTRACE_NOTRACE, "the functions not to trace"),
	FILE_ROW("ftrace_pid", FILE_FTRACE_PID, "the tasks whose functions are traced"),
	FILE_ROW("graph_function", FILE_GRAPH_FUNCTION, "the functions at which a graph starts"),
	FILE_ROW("graph_notrace", FILE_GRAPH_NOTRACE, "the functions that are left out of graphs"),
	FILE_ROW("cpumask", FILE_CPUMASK, "the traced CPUs"),
	FILE_ROW("max_latency", FILE_MAX_LATENCY, "the longest latency so far, in microseconds"),
	{OPTION_END},
};

/* --- hist and trigger -------------------------------------------------------------------------- */

static int print_hist(const struct tracefs *t, const struct show_options *o, const char *instance,
		      struct errmsg *err)
{
	struct event_name name;
	struct textbuf text, out;
	char file[TRACEFS_PATH_MAX], event[2 * TRACEFS_NAME_MAX];
	int r = eventdir_find(t, instance, o->hist, &name, err);

	if (r < 0)
		return r;
	snprintf(event, sizeof(event), "%s:%s", name.system, name.event);
	eventdir_fmt_path(name.system, name.event, "hist", file);
	if (!tracefs_exists(t, instance, file))
		return errmsg_set(err, -ENOENT,
				  "this kernel has no hist triggers (CONFIG_HIST_TRIGGERS)");
	textbuf_init(&text, SHOWFILE_MAX_BYTES);
	textbuf_init(&out, SHOWFILE_MAX_BYTES);
	r = tracefs_read_text(t, instance, file, &text, err);
	if (r >= 0)
		r = histtable_fmt_all(event, text.start, o->json, &out, err);
	if (r >= 0)
		r = showfile_print_text(&out, err);
	textbuf_release(&text);
	textbuf_release(&out);
	return r;
}

static int print_trigger(const struct tracefs *t, const char *trigger, const char *instance,
			 struct errmsg *err)
{
	struct event_name name;
	char file[TRACEFS_PATH_MAX];
	int r = eventdir_find(t, instance, trigger, &name, err);

	if (r < 0)
		return r;
	eventdir_fmt_path(name.system, name.event, "trigger", file);
	return showfile_print(t, instance, file, NULL, err);
}

/* --- files ------------------------------------------------------------------------------------- */

static void print_name(const struct tracefs *t, const char *instance, const char *file)
{
	char path[TRACEFS_PATH_MAX];

	puts(tracefs_fmt_path(t, instance, file, path));
}

/* A file by its own name; a directory is listed. */
static int print_named(const struct tracefs *t, const struct show_options *o, const char *instance,
		       const char *word, struct errmsg *err)
{
	char file[TRACEFS_PATH_MAX], path[TRACEFS_PATH_MAX];
	struct name_list names = {0};
	struct stat st;
	int r = tracefs_fmt_cpu_file(t, o->cpu, word, file, err);

	if (r < 0)
		return r;
	if (*word == '/' || strstr(word, ".."))
		return errmsg_set(err, -EINVAL,
				  "show: '%s' is no file below %s: name it from there on", word,
				  t->root);
	if (stat(tracefs_fmt_path(t, instance, file, path), &st))
		return tracefs_refuse_name(t, instance, file, err);
	if (o->name)
		puts(path);
	fflush(stdout);
	if (!S_ISDIR(st.st_mode))
		return strstr(file, "trace_pipe") ? showfile_follow(t, instance, file, err)
						  : showfile_print(t, instance, file, NULL, err);
	for (int pass = 0; pass < 2; pass++) {
		(pass ? tracefs_files : tracefs_directories)(t, instance, file, &names);
		for (size_t i = 0; i < names.n; i++)
			printf("%s%s\n", names.names[i], pass ? "" : "/");
		name_list_release(&names);
	}
	return 0;
}

static int print_buffer(const struct tracefs *t, const struct show_options *o, const char *instance,
			struct errmsg *err)
{
	const char *file = o->pipe ? "trace_pipe" : o->snapshot ? "snapshot" : "trace";
	char path[TRACEFS_PATH_MAX];
	int r = tracefs_fmt_cpu_file(t, o->cpu, file, path, err);

	if (r < 0)
		return r;
	if (o->name)
		print_name(t, instance, path);
	fflush(stdout);
	if (o->pipe)
		return showfile_follow(t, instance, path, err);
	return showfile_print(t, instance, path,
			      o->snapshot ? "snapshots (CONFIG_TRACER_SNAPSHOT)" : NULL, err);
}

/* What options ask for by name; whether there was anything. */
static int print_wanted(const struct tracefs *t, const struct show_options *o, const char *instance,
			bool *ret_any, struct errmsg *err)
{
	int r = 0;

	*ret_any = o->hist || o->trigger;
	for (size_t i = 0; r >= 0 && i < N_FILES; i++) {
		if (!o->wanted[i])
			continue;
		*ret_any = true;
		if (o->name)
			print_name(t, instance, files[i].file);
		fflush(stdout);
		r = showfile_print(t, instance, files[i].file, files[i].missing, err);
	}
	if (r >= 0 && o->trigger)
		r = print_trigger(t, o->trigger, instance, err);
	if (r >= 0 && o->hist)
		r = print_hist(t, o, instance, err);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct show_options o = {0};
	const char *instance;
	struct tracefs t;
	bool any = false;
	int n = command_parse(cmd, &o, argc, argv, err), r;

	if (n < 0)
		return n;
	if (o.pipe && o.snapshot)
		return errmsg_set(err, -EINVAL, "show: -p and -s do not go together");
	if (o.json && !o.hist)
		return errmsg_set(err, -EINVAL, "show: --json goes with --hist EVENT");
	instance = o.buffer ? o.buffer : "";
	r = tracefs_open(&t, err);
	if (r >= 0)
		r = tracefs_find_instance(&t, instance, err);
	if (r >= 0)
		r = print_wanted(&t, &o, instance, &any, err);
	for (int i = 1; r >= 0 && i <= n; i++)
		r = print_named(&t, &o, instance, argv[i], err);
	if (r >= 0 && !any && !n)
		r = print_buffer(&t, &o, instance, err);
	return r;
}

const struct command cmd_show = {
	.name = "show",
	.summary = "print the kernel's buffer or files of the tracing directory",
	.usage = "[options] [FILE…]",
	.options = rows,
	.run = run,
};
