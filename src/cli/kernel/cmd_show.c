// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_show.c - `sonde show`: prints the kernel's buffers, or any file of the tracing directory.
 *
 *	sonde show                     the events in the buffer, as the kernel prints them
 *	sonde show -p                  consumes and prints events as they arrive, until Ctrl-C
 *	sonde show -c 1 -B one         the events of one CPU, of an instance
 *	sonde show --ftrace_filter     a file by the name that trace-cmd gives it
 *	sonde show events/sched/enable a file by its own name
 *	sonde show --hist sched_switch the counts of a hist trigger, as a table
 *
 * Files that have an option are rows of a table here. Several may be requested; they are printed in
 * the order of the table.
 */
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/tracefs/copy.h"
#include "capture/tracefs/eventdir.h"
#include "cli/kernel/instances.h"
#include "cli/kernel/showfile.h"
#include "present/result/histtable.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#define NO_FUNCTIONS "function tracer (CONFIG_FUNCTION_TRACER)"
#define NO_GRAPH \
	"function graph tracer here (CONFIG_FUNCTION_GRAPH_TRACER; it is only at the top level)"

/* option, file, what a kernel without the file lacks, help */
#define FILES(ROW)                                                                               \
	ROW(tracing_on, "tracing_on", NULL, "whether the buffer accepts events")                 \
	ROW(current_tracer, "current_tracer", NULL, "the current tracer")                        \
	ROW(buffer_size, "buffer_size_kb", NULL, "size per CPU, in KB")                          \
	ROW(buffer_total_size, "buffer_total_size_kb", NULL, "size of all CPUs together, in KB") \
	ROW(buffer_subbuf_size, "buffer_subbuf_size_kb",                                         \
	    "sub-buffers of another size (Linux 6.8 and later have them)",                       \
	    "size of a sub-buffer, in KB")                                                       \
	ROW(buffer_percent, "buffer_percent", "buffer_percent (Linux 5.0 and later have it)",    \
	    "how full a buffer must be to wake its reader")                                      \
	ROW(ftrace_filter, "set_ftrace_filter", NO_FUNCTIONS,                                    \
	    "the functions to trace, and filter commands")                                       \
	ROW(ftrace_notrace, "set_ftrace_notrace", NO_FUNCTIONS, "the functions not to trace")    \
	ROW(ftrace_pid, "set_ftrace_pid", NO_FUNCTIONS, "the tasks whose functions are traced")  \
	ROW(graph_function, "set_graph_function", NO_GRAPH,                                      \
	    "the functions at which a graph starts")                                             \
	ROW(graph_notrace, "set_graph_notrace", NO_GRAPH, "the functions that graphs exclude")   \
	ROW(cpumask, "tracing_cpumask", NULL, "the traced CPUs")                                 \
	ROW(max_latency, "tracing_max_latency",                                                  \
	    "latency tracer (CONFIG_IRQSOFF_TRACER, CONFIG_SCHED_TRACER, …)",                    \
	    "the longest latency so far, in microseconds")

#define FILE_NUMBER(option, ...) FILE_##option,
enum { FILES(FILE_NUMBER) N_FILES };

#define FILE_NAMES(option, file, missing, help) {file, missing},
static const struct {
	const char *file, *missing;
} files[N_FILES] = {FILES(FILE_NAMES)};

struct show_options {
	const char *buffer, *cpu, *hist, *trigger;
	bool pipe, snapshot, name, json;
	bool wanted[N_FILES];
};

#define FILE_ROW(option, file, missing, help) \
	ROW_FLAG(0, #option, help, offsetof(struct show_options, wanted[FILE_##option])),

static const struct option_row rows[] = {
	ROW_STRING('B', "buffer", "INSTANCE", "use this instance",
		   offsetof(struct show_options, buffer)),
	ROW_STRING('c', "cpu", "CPU", "show only this CPU", offsetof(struct show_options, cpu)),
	ROW_FLAG('p', "pipe", "consume events as they arrive (trace_pipe)",
		 offsetof(struct show_options, pipe)),
	ROW_FLAG('s', "snapshot", "use the snapshot instead of the buffer",
		 offsetof(struct show_options, snapshot)),
	ROW_FLAG('f', "file", "first print the name of the file",
		 offsetof(struct show_options, name)),
	ROW_STRING(0, "hist", "EVENT", "show the counts of the event's hist triggers as a table",
		   offsetof(struct show_options, hist)),
	ROW_STRING(0, "trigger", "EVENT", "show the event's triggers",
		   offsetof(struct show_options, trigger)),
	ROW_FLAG(0, "json", "with --hist: print JSON, one line per trigger",
		 offsetof(struct show_options, json)),
	ROW_HEADING("Files"),
	FILES(FILE_ROW) ROW_END,
};

/* --- hist and trigger ------------------------------------------------------------------------- */

static int print_hist(const struct tracefs *t, const struct show_options *o, const char *instance,
		      struct errmsg *err)
{
	struct event_name name;
	TEXTBUF(text, SHOWFILE_MAX_BYTES);
	TEXTBUF(out, SHOWFILE_MAX_BYTES);
	char file[TRACEFS_PATH_MAX], event[2 * TRACEFS_NAME_MAX];

	if (eventdir_find(t, instance, o->hist, &name, err) < 0)
		return errmsg_code(err);
	snprintf(event, sizeof(event), "%s:%s", name.system, name.event);
	eventdir_fmt_path(name.system, name.event, "hist", file);
	if (!tracefs_exists(t, instance, file))
		return errmsg_set(err, -ENOENT,
				  "this kernel has no hist triggers (CONFIG_HIST_TRIGGERS)");
	if (tracefs_read_text(t, instance, file, &text, err) < 0 ||
	    histtable_fmt_all(event, text.start, o->json, &out, err) < 0)
		return errmsg_code(err);
	return showfile_print_text(&out, err);
}

static int print_trigger(const struct tracefs *t, const char *trigger, const char *instance,
			 struct errmsg *err)
{
	struct event_name name;
	char file[TRACEFS_PATH_MAX];

	if (eventdir_find(t, instance, trigger, &name, err) < 0)
		return errmsg_code(err);
	eventdir_fmt_path(name.system, name.event, "trigger", file);
	return showfile_print(t, instance, file, NULL, err);
}

/* --- files ------------------------------------------------------------------------------------ */

static void print_name(const struct tracefs *t, const char *instance, const char *file)
{
	char path[TRACEFS_PATH_MAX];

	puts(tracefs_fmt_path(t, instance, file, path));
}

/* Prints a file by its own name. A directory is listed. */
static int print_named(const struct tracefs *t, const struct show_options *o, const char *instance,
		       const char *word, struct errmsg *err)
{
	char file[TRACEFS_PATH_MAX], path[TRACEFS_PATH_MAX];
	struct name_list names = {0};
	struct stat st;

	TRY(tracefs_fmt_cpu_file(t, o->cpu, word, file, err));
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

	if (tracefs_fmt_cpu_file(t, o->cpu, file, path, err) < 0)
		return errmsg_code(err);
	if (o->name)
		print_name(t, instance, path);
	fflush(stdout);
	if (o->pipe)
		return showfile_follow(t, instance, path, err);
	return showfile_print(t, instance, path,
			      o->snapshot ? "snapshots (CONFIG_TRACER_SNAPSHOT)" : NULL, err);
}

/* Prints the files that options request. *ret_any is set if there was one. */
static int print_wanted(const struct tracefs *t, const struct show_options *o, const char *instance,
			bool *ret_any, struct errmsg *err)
{
	*ret_any = o->hist || o->trigger;
	for (size_t i = 0; i < N_FILES; i++) {
		if (!o->wanted[i])
			continue;
		*ret_any = true;
		if (o->name)
			print_name(t, instance, files[i].file);
		fflush(stdout);
		TRY(showfile_print(t, instance, files[i].file, files[i].missing, err));
	}
	if (o->trigger)
		TRY(print_trigger(t, o->trigger, instance, err));
	return o->hist ? print_hist(t, o, instance, err) : 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct show_options o = {0};
	const char *instance;
	struct tracefs t;
	bool any = false;
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	if (o.pipe && o.snapshot)
		return errmsg_set(err, -EINVAL, "show: -p and -s exclude each other");
	if (o.json && !o.hist)
		return errmsg_set(err, -EINVAL, "show: --json goes with --hist EVENT");
	instance = o.buffer ? o.buffer : "";
	if (tracefs_open(&t, err) < 0 || tracefs_find_instance(&t, instance, err) < 0)
		return errmsg_code(err);
	TRY(print_wanted(&t, &o, instance, &any, err));
	for (int i = 1; i <= n; i++)
		TRY(print_named(&t, &o, instance, argv[i], err));
	return any || n ? 0 : print_buffer(&t, &o, instance, err);
}

const struct command cmd_show = {
	.name = "show",
	.summary = "print the kernel's buffer or files of the tracing directory",
	.usage = "[options] [FILE…]",
	.options = rows,
	.run = run,
};
