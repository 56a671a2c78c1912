// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * control.c - stop, restart, clear, reset, show, snapshot and stack as in trace-cmd: they
 * set switches and copy files.
 *
 * They print nothing on success. An instance that does not exist is refused; trace-cmd acts on the
 * top level instead (stop, restart, stat), which is never intended.
 */
#include "base/array.h"
#include "base/scope.h"
#include "capture/tracefs/defaults.h"
#include "capture/tracefs/reset.h"
#include "cli/as/tracecmd/tracecmd_int.h"
#include "cli/kernel/showfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- which instances -------------------------------------------------------------------------- */

typedef int instance_fn(const struct tracefs *t, const char *instance, struct errmsg *err);

static int each_of_all(const struct tracefs *t, instance_fn *act, struct errmsg *err)
{
	SCOPED(name_list_release) struct name_list all = {0};

	tracefs_instances(t, &all);
	for (size_t i = 0; i < all.n; i++)
		if (act(t, all.names[i], err) < 0)
			return errmsg_code(err);
	return 0;
}

/*
 * Calls act for each selected instance. -B names some, -a selects all. The top level is selected,
 * too, unless some are named without -t; for clear (all_has_top) -a always selects it.
 */
static int each_instance(const struct tc_line *line, bool all_has_top, instance_fn *act,
			 struct errmsg *err)
{
	bool all = tc_has(line, 'a', NULL);
	bool top = tc_has(line, 't', NULL) || !tc_has(line, 'B', NULL) || (all && all_has_top);
	struct tracefs t;

	if (tracefs_open(&t, err) < 0)
		return errmsg_code(err);
	for (size_t i = 0; i < line->n_words; i++)
		if (line->words[i].option->letter == 'B' &&
		    tracefs_find_instance(&t, line->words[i].value, err) < 0)
			return errmsg_code(err);
	if (top && act(&t, "", err) < 0)
		return errmsg_code(err);
	for (size_t i = 0; i < line->n_words && !all; i++)
		if (line->words[i].option->letter == 'B' && act(&t, line->words[i].value, err) < 0)
			return errmsg_code(err);
	return all ? each_of_all(&t, act, err) : 0;
}

static int switch_off(const struct tracefs *t, const char *instance, struct errmsg *err)
{
	return tracefs_write(t, instance, "tracing_on", "0", TRACEFS_SET, err);
}

static int switch_on(const struct tracefs *t, const char *instance, struct errmsg *err)
{
	return tracefs_write(t, instance, "tracing_on", "1", TRACEFS_SET, err);
}

static int empty(const struct tracefs *t, const char *instance, struct errmsg *err)
{
	return tracefs_write(t, instance, "trace", "", TRACEFS_SET, err);
}

int tc_run_stop(struct tc_line *line, struct errmsg *err)
{
	return each_instance(line, false, switch_off, err);
}

int tc_run_restart(struct tc_line *line, struct errmsg *err)
{
	return each_instance(line, false, switch_on, err);
}

int tc_run_clear(struct tc_line *line, struct errmsg *err)
{
	return each_instance(line, true, empty, err);
}

/* --- reset ------------------------------------------------------------------------------------ */

struct setting_row {
	const char *file, *text;
};

static int write_rows(const struct tracefs *t, const char *instance, const struct setting_row *rows,
		      size_t n, struct errmsg *err)
{
	for (size_t i = 0; i < n; i++)
		if (tracefs_exists(t, instance, rows[i].file) &&
		    tracefs_write(t, instance, rows[i].file, rows[i].text, TRACEFS_SET, err) < 0)
			return errmsg_code(err);
	return 0;
}

static void tell(void *ctx, const char *sentence)
{
	fprintf(stderr, "  %s\n", sentence);
}

static void drop_filters(const struct tracefs *t, const char *instance)
{
	struct name_list systems = {0};
	char file[TRACEFS_PATH_MAX];

	tracefs_directories(t, instance, "events", &systems);
	for (size_t i = 0; i < systems.n; i++) {
		snprintf(file, sizeof(file), "events/%s/filter", systems.names[i]);
		tracefs_try_write(t, instance, file, "0", TRACEFS_SET);
	}
	name_list_release(&systems);
}

int tc_switch_off(const struct tracefs *t, const char *instance, struct errmsg *err)
{
	static const struct setting_row rows[] = {
		{"tracing_on", "0"},
		{"current_tracer", "nop"},
		{"set_event", ""},
		{"set_event_pid", ""},
		{"set_event_notrace_pid", ""},
		{"set_ftrace_pid", ""},
		{"set_ftrace_notrace_pid", ""},
		{"trace", ""},
	};

	drop_filters(t, instance);
	return write_rows(t, instance, rows, ARRAY_LEN(rows), err);
}

/*
 * Resets the additional settings of trace-cmd reset. Options and, without -b, sizes are not
 * changed.
 */
static int reset_one(const struct tracefs *t, const char *instance, const char *kb,
		     struct errmsg *err)
{
	static const struct setting_row rows[] = {
		{"trace_clock", "local"},   {"set_ftrace_filter", ""}, {"set_ftrace_notrace", ""},
		{"set_graph_function", ""}, {"set_graph_notrace", ""}, {"tracing_max_latency", "0"},
	};
	struct reset reset = {.t = t, .tell = tell};
	char mask[4096];

	reset_events(&reset, instance);
	if (tc_switch_off(t, instance, err) < 0 ||
	    write_rows(t, instance, rows, ARRAY_LEN(rows), err) < 0)
		return errmsg_code(err);
	if (!*instance)
		reset_dynamic_events(&reset, 0);
	if (tracefs_write(t, instance, "tracing_cpumask",
			  defaults_fmt_cpumask(tracefs_cpu_count(t), mask, sizeof(mask)),
			  TRACEFS_SET, err) < 0 ||
	    (kb && tracefs_write(t, instance, "buffer_size_kb", kb, TRACEFS_SET, err) < 0))
		return errmsg_code(err);
	return tracefs_write(t, instance, "tracing_on", "1", TRACEFS_SET, err);
}

/* Applies the options after -B, -a or -t, up to the next of these: -b KB, -d. */
static int reset_group(const struct tracefs *t, const struct tc_line *line, size_t first,
		       struct errmsg *err)
{
	char letter = line->words[first].option->letter;
	SCOPED(name_list_release) struct name_list names = {0};
	const char *kb = NULL;
	bool remove = false;

	for (size_t i = first + 1; i < line->n_words; i++) {
		char c = line->words[i].option->letter;

		if (c == 'B' || c == 'a' || c == 't')
			break;
		kb = c == 'b' ? line->words[i].value : kb;
		remove |= c == 'd';
	}
	if (letter == 't')
		return reset_one(t, "", kb, err);
	if (letter == 'a')
		tracefs_instances(t, &names);
	else if (name_list_add(&names, line->words[first].value, strlen(line->words[first].value)) <
		 0)
		return -ENOMEM;
	for (size_t i = 0; i < names.n; i++)
		if ((remove ? tracefs_remove_instance(t, names.names[i], err)
			    : reset_one(t, names.names[i], kb, err)) < 0)
			return errmsg_code(err);
	return 0;
}

int tc_run_reset(struct tc_line *line, struct errmsg *err)
{
	struct tracefs t;
	bool any = false;

	if (tracefs_open(&t, err) < 0)
		return errmsg_code(err);
	for (size_t i = 0; i < line->n_words; i++)
		if (line->words[i].option->letter == 'B' &&
		    tracefs_find_instance(&t, line->words[i].value, err) < 0)
			return errmsg_code(err);
	for (size_t i = 0; i < line->n_words; i++)
		if (strchr("Bat", line->words[i].option->letter)) {
			any = true;
			if (reset_group(&t, line, i, err) < 0)
				return errmsg_code(err);
		}
	return any ? 0 : reset_one(&t, "", tc_value(line, 'b'), err);
}

/* --- show, snapshot --------------------------------------------------------------------------- */

static int fmt_cpu_file(const char *cpu, const char *file, char *buf, size_t n_bytes,
			struct errmsg *err)
{
	char *end;
	long n;

	if (!cpu) {
		snprintf(buf, n_bytes, "%s", file);
		return 0;
	}
	n = strtol(cpu, &end, 0);
	if (end == cpu)
		return errmsg_set(err, -EINVAL, "'%s' is not the number of a CPU", cpu);
	snprintf(buf, n_bytes, "per_cpu/cpu%ld/%s", n, file);
	return 0;
}

/* Prints the files for which there is an option. */
static int show_files(const struct tracefs *t, const struct tc_line *line, bool *ret_any,
		      struct errmsg *err)
{
	const char *instance = "";

	*ret_any = false;
	for (size_t i = 0; i < line->n_words; i++) {
		const struct tc_word *w = &line->words[i];
		int r;

		if (w->option->letter == 'B')
			instance = w->value;
		if (!w->option->to)
			continue;
		*ret_any = true;
		r = tc_print_file(t, instance, w->option->to, err);
		TRY(r);
	}
	return 0;
}

int tc_run_show(struct tc_line *line, struct errmsg *err)
{
	bool pipe = tc_has(line, 'p', NULL), snapshot = tc_has(line, 's', NULL), any;
	const char *instance = tc_value(line, 'B');
	char file[TRACEFS_PATH_MAX], path[TRACEFS_PATH_MAX];
	struct tracefs t;
	int r;

	if (tracefs_open(&t, err) < 0)
		return errmsg_code(err);
	if (pipe && snapshot)
		return errmsg_set(err, -EINVAL, "-s and -p do not go together");
	r = show_files(&t, line, &any, err);
	if (r < 0 || any)
		return r;
	TRY(fmt_cpu_file(tc_value(line, 'c'),
			 pipe	    ? "trace_pipe"
			 : snapshot ? "snapshot"
				    : "trace",
			 file, sizeof(file), err));
	if (tc_has(line, 'f', NULL))
		puts(tracefs_fmt_path(&t, instance ? instance : "", file, path));
	fflush(stdout);
	return pipe ? showfile_follow(&t, instance ? instance : "", file, err)
		    : tc_print_file(&t, instance ? instance : "", file, err);
}

int tc_run_snapshot(struct tc_line *line, struct errmsg *err)
{
	static const struct {
		char letter;
		const char *text;
	} acts[] = {{'r', "2"}, {'f', "0"}, {'s', "1"}};
	const char *instance = tc_value(line, 'B') ? tc_value(line, 'B') : "";
	char file[TRACEFS_PATH_MAX];
	struct tracefs t;
	bool any = false;

	if (tracefs_open(&t, err) < 0)
		return errmsg_code(err);
	if (tc_has(line, 's', NULL) && tc_has(line, 'f', NULL))
		return errmsg_set(err, -EINVAL,
				  "a snapshot is taken (-s) or its memory freed (-f), not both");
	if (fmt_cpu_file(tc_value(line, 'c'), "snapshot", file, sizeof(file), err) < 0)
		return errmsg_code(err);
	if (!tracefs_exists(&t, instance, file))
		return errmsg_set(err, -ENOENT, "there is no %s: this kernel has no snapshots here",
				  file);
	for (size_t i = 0; i < ARRAY_LEN(acts); i++)
		if (tc_has(line, acts[i].letter, NULL)) {
			any = true;
			if (tracefs_write(&t, instance, file, acts[i].text, TRACEFS_APPEND, err) <
			    0)
				return errmsg_code(err);
		}
	return any ? 0 : tc_print_file(&t, instance, file, err);
}

/* --- stack ------------------------------------------------------------------------------------ */

/* Prints the kernel's list without its comments. */
static int print_stack(const struct tracefs *t, struct errmsg *err)
{
	TEXTBUF(tb, SHOWFILE_MAX_BYTES);

	puts(tracefs_read_number(t, "", TC_STACK_SWITCH) > 0 ? "(stack tracer running)"
							     : "(stack tracer not running)");
	if (tracefs_read_text(t, "", "stack_trace", &tb, err) < 0)
		return errmsg_code(err);
	for (const char *p = tb.start; p && *p;) {
		size_t len = strcspn(p, "\n");

		len += p[len] == '\n';
		if (*p != '#')
			fwrite(p, 1, len, stdout);
		p += len;
	}
	return 0;
}

int tc_run_stack(struct tc_line *line, struct errmsg *err)
{
	const char *last = NULL;
	struct tracefs t;

	TRY(tracefs_open(&t, err));
	for (size_t i = 0; i < line->n_words; i++)
		if (!line->words[i].option->to)
			last = line->words[i].option->name;
	if (tracefs_read_number(&t, "", TC_STACK_SWITCH) < 0)
		return errmsg_set(err, -ENOENT,
				  "this kernel has no stack tracer (CONFIG_STACK_TRACER)");
	if (!last)
		return print_stack(&t, err);
	if (!strcmp(last, "reset"))
		return tracefs_write(&t, "", "stack_max_size", "0", TRACEFS_SET, err);
	return tracefs_write(&t, "", TC_STACK_SWITCH, strcmp(last, "start") ? "0" : "1",
			     TRACEFS_SET, err);
}
