// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * setting.c - the files of the tracing directory that do not accept the text they show.
 *
 *	file                      shows                              accepts
 *	trace_clock               [local] global …                   local
 *	buffer_size_kb            7 (expanded: 1408)                 1408
 *	set_ftrace_filter …       #### all functions enabled ####    an empty write
 *	                          vfs_read:traceoff:unlimited        vfs_read:traceoff; '!…' removes
 *	set_ftrace_pid            no pid                             an empty write
 *	set_event                 sched:sched_switch …               the same; '!…' switches off
 *	events/…/filter           none                               0
 *	events/…/trigger          traceoff:count=2 if pid == 1       traceoff:2 if pid == 1; '!…'
 *	                                                             removes
 *	snapshot                  # * Snapshot is freed *            0
 *	dynamic_events            p:kprobes/x do_sys_open            the same; '-:kprobes/x' removes
 *	fail_function/inject      open_ctree [btrfs]                 open_ctree; '!open_ctree'
 *	                                                             removes
 *	fail_function/times       -1                                 -1; 5.10 to 6.0: only
 *	                                                             18446744073709551615
 *
 * A buffer that was never used shows its size as "7 (expanded: 1408)" and cannot return to that
 * state; it gets the expanded size.
 *
 * Lists are compared line by line, and only new or missing lines are written. So lines that another
 * program uses never disappear for a moment. Function lists are the exception: every write patches
 * the kernel, so removing thousands of functions one by one takes too long. If two function lists
 * differ, the list is emptied and written again.
 */
#include "capture/tracefs/setting.h"

#include "base/array.h"
#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SETTING_MAX_BYTES (8u << 20)

enum setting_kind {
	SETTING_VALUE,
	SETTING_CHOICE,
	SETTING_SIZE,
	SETTING_LIST,
	SETTING_EVENTS,
	SETTING_FILTER,
	SETTING_TRIGGER,
	SETTING_SNAPSHOT,
	SETTING_PROBES,
	SETTING_FAILING,
	SETTING_SIGNED,
};

static const struct {
	const char *pattern;
	enum setting_kind kind;
} kinds[] = {
	{"trace_clock", SETTING_CHOICE},
	{"buffer_size_kb", SETTING_SIZE},
	{"per_cpu/*/buffer_size_kb", SETTING_SIZE},
	{"set_ftrace_filter", SETTING_LIST},
	{"set_ftrace_notrace", SETTING_LIST},
	{"set_graph_function", SETTING_LIST},
	{"set_graph_notrace", SETTING_LIST},
	{"set_ftrace_pid", SETTING_LIST},
	{"set_ftrace_notrace_pid", SETTING_LIST},
	{"set_event_pid", SETTING_LIST},
	{"set_event_notrace_pid", SETTING_LIST},
	{"stack_trace_filter", SETTING_LIST},
	{"set_event", SETTING_EVENTS},
	{"events/*/filter", SETTING_FILTER},
	{"events/*/trigger", SETTING_TRIGGER},
	{"snapshot", SETTING_SNAPSHOT},
	{"dynamic_events", SETTING_PROBES},
	{"kprobe_events", SETTING_PROBES},
	{"uprobe_events", SETTING_PROBES},
	{"/*/fail_function/inject", SETTING_FAILING},
	{"/*/fail_function/times", SETTING_SIGNED},
	{"/*/fail_function/space", SETTING_SIGNED},
};

static enum setting_kind kind_of(const char *file)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!fnmatch(kinds[i].pattern, file, 0))
			return kinds[i].kind;
	return SETTING_VALUE;
}

int setting_save(const struct tracefs *t, const char *instance, const char *file,
		 struct textbuf *out)
{
	char head[256];
	int r;

	if (kind_of(file) != SETTING_SNAPSHOT)
		return tracefs_read(t, instance, file, out);
	r = tracefs_read_short(t, instance, file, head,
			       sizeof(head)); /* read only the head, not all the events */
	if (r >= 0)
		/* a snapshot with events has an ordinary header, which does not say "allocated" */
		textbuf_add_str(out, strstr(head, "Snapshot is freed") ? "freed" : "allocated");
	return r < 0 ? r : 0;
}

/*
 * --- lists of lines ----------------------------------------------------------------------------
 */

/* Copies the next line of *p that is not a comment into buf. Returns false at the end. */
static bool next_line(const char **p, char *buf, size_t n_bytes)
{
	while (**p) {
		size_t len = strcspn(*p, "\n");
		const char *line = *p;

		*p += len + !!(*p)[len];
		if (!len || *line == '#' || len >= n_bytes || !strncmp(line, "no pid", 6))
			continue;
		memcpy(buf, line, len);
		buf[len] = 0;
		return true;
	}
	return false;
}

static bool has_line(const char *text, const char *line)
{
	size_t len = strlen(line);

	for (const char *p = text; (p = strstr(p, line)); p += len)
		if ((p == text || p[-1] == '\n') && (p[len] == '\n' || !p[len]))
			return true;
	return false;
}

static bool cut_out(char *line, const char *part, const char *instead)
{
	size_t n = strlen(instead);
	char *p = strstr(line, part);

	if (!p)
		return false;
	/* the new part is shorter than the old part */
	memmove(p + n, p + strlen(part), strlen(p + strlen(part)) + 1);
	memcpy(p, instead, n);
	return true;
}

/*
 * Converts a function command or trigger from the shown form to the accepted form: removes the
 * names of counts.
 */
static void make_writable(char *line, size_t n_bytes)
{
	cut_out(line, ":unlimited", "");
	cut_out(line, ":count=", ":");
	cut_out(line, " [active]", "");
	if (cut_out(line, " [paused]", "") && strlen(line) + strlen(":pause") < n_bytes) {
		char *p = strstr(line, " if ");

		p = p ? p : line + strlen(line);
		memmove(p + strlen(":pause"), p, strlen(p) + 1);
		memcpy(p, ":pause", strlen(":pause"));
	}
}

/*
 * Returns true if this line of set_ftrace_filter is a command, such as vfs_read:traceoff:unlimited,
 * and not a function.
 */
static bool is_command(const char *line)
{
	return strchr(line, ':') != NULL;
}

static int remove_commands(const struct tracefs *t, const char *instance, const char *file,
			   const char *now, const char *saved)
{
	char line[4096], text[4100];
	int r = 0;

	for (const char *p = now; next_line(&p, line, sizeof(line));)
		if (is_command(line) && !has_line(saved, line)) {
			int r2;

			make_writable(line, sizeof(line));
			snprintf(text, sizeof(text), "!%s", line);
			r2 = tracefs_try_write(t, instance, file, text, TRACEFS_APPEND);
			r = r2 < 0 ? r2 : r;
		}
	return r;
}

/*
 * Writes a list. The file is open during the whole list: a function list takes effect on close, and
 * patching the kernel once for all functions is a hundred times faster than once for each.
 */
static int write_lines(const struct tracefs *t, const char *instance, const char *file,
		       const char *lines, bool functions_only)
{
	int fd = tracefs_open_file(t, instance, file, O_WRONLY | O_TRUNC), r = 0;
	char line[4096];

	TRY(fd);
	for (const char *p = lines; next_line(&p, line, sizeof(line) - 1);) {
		size_t len = strcspn(line, " "); /* "name [module]" */

		if (functions_only && is_command(line))
			continue;
		line[len] = '\n';
		if (write(fd, line, len + 1) < 0)
			r = -errno;
	}
	if (close(fd) < 0 && !r)
		r = -errno;
	return r;
}

static int restore_list(const struct tracefs *t, const char *instance, const char *file,
			const char *now, const char *saved)
{
	bool commands = !strcmp(file, "set_ftrace_filter");
	char line[4096];
	int r = 0, r2;

	if (commands)
		r = remove_commands(t, instance, file, now, saved);
	r2 = write_lines(t, instance, file, saved, commands);
	for (const char *p = saved; commands && next_line(&p, line, sizeof(line));)
		if (is_command(line) && !has_line(now, line)) {
			make_writable(line, sizeof(line));
			tracefs_try_write(t, instance, file, line, TRACEFS_APPEND);
		}
	return r2 < 0 ? r2 : r;
}

/* Writes "!line" or line for each line of `these` that `others` does not have. */
static int write_missing(const struct tracefs *t, const char *instance, const char *file,
			 const char *these, const char *others, const char *sign)
{
	char line[4096], text[4100];
	int r = 0;

	for (const char *p = these; next_line(&p, line, sizeof(line));)
		if (!has_line(others, line)) {
			int r2;

			make_writable(line, sizeof(line));
			snprintf(text, sizeof(text), "%s%s", sign, line);
			r2 = tracefs_try_write(t, instance, file, text, TRACEFS_APPEND);
			r = r2 < 0 ? r2 : r;
		}
	return r;
}

/* Restores a list of dynamic events. "-:kprobes/name" removes "p:kprobes/name place args". */
static int restore_probes(const struct tracefs *t, const char *instance, const char *file,
			  const char *now, const char *saved)
{
	char line[4096], text[4100];
	int r = 0;

	for (const char *p = now; next_line(&p, line, sizeof(line));) {
		char *name = strchr(line, ':');
		int r2;

		if (has_line(saved, line) || !name)
			continue;
		name[strcspn(name, " \t")] = 0; /* synthetic events have a tab after the name */
		snprintf(text, sizeof(text), "-%s", name);
		r2 = tracefs_try_write(t, instance, file, text, TRACEFS_APPEND);
		r = r2 < 0 ? r2 : r;
	}
	return r;
}

/*
 * Restores a list of functions with error injection. The kernel shows functions of a module with
 * the module's name, but does not accept that name.
 */
static int restore_failing(const struct tracefs *t, const char *file, const char *now,
			   const char *saved)
{
	char line[4096], text[4100];
	int r = 0;

	for (const char *p = now; next_line(&p, line, sizeof(line));) {
		int r2;

		if (has_line(saved, line))
			continue;
		snprintf(text, sizeof(text), "!%.*s", (int)strcspn(line, " "), line);
		r2 = tracefs_try_write(t, "", file, text, TRACEFS_APPEND);
		r = r2 < 0 ? r2 : r;
	}
	return r;
}

/*
 * Restores a number. Some kernels show a negative number, but accept it only as an unsigned number.
 */
static int restore_signed(const struct tracefs *t, const char *file, const char *saved)
{
	char text[32];
	int r;

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(saved, "\n"), saved);
	r = tracefs_try_write(t, "", file, text, TRACEFS_SET);
	if (r != -EINVAL || *text != '-')
		return r;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)strtoll(saved, NULL, 10));
	return tracefs_try_write(t, "", file, text, TRACEFS_SET);
}

/*
 * --- one value ---------------------------------------------------------------------------------
 */

static int restore_value(const struct tracefs *t, const char *instance, const char *file,
			 enum setting_kind kind, const char *saved)
{
	char text[4096], *p;

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(saved, "\n"), saved);
	switch (kind) {
	case SETTING_CHOICE:
		p = strchr(text, '[');
		if (!p)
			return -EINVAL;
		memmove(text, p + 1, strlen(p));
		text[strcspn(text, "]")] = 0;
		break;
	case SETTING_SIZE:
		p = strstr(text, "(expanded: ");
		if (p)
			memmove(text, p + strlen("(expanded: "),
				strlen(p) - strlen("(expanded: ") + 1);
		if (*text == 'X') /* the value differs among CPUs: the files of the CPUs have it */
			return 0;
		text[strcspn(text, ")")] = 0;
		break;
	case SETTING_FILTER:
		if (!strcmp(text, "none"))
			snprintf(text, sizeof(text), "0");
		break;
	case SETTING_SNAPSHOT:
		if (!strcmp(text, "allocated"))
			return 0;
		snprintf(text, sizeof(text), "0");
		break;
	default:
		break;
	}
	return tracefs_try_write(t, instance, file, *text ? text : "\n", TRACEFS_SET);
}

static int restore(const struct tracefs *t, const char *instance, const char *file, const char *now,
		   const char *saved)
{
	enum setting_kind kind = kind_of(file);
	int r, r2;

	switch (kind) {
	case SETTING_LIST:
		return restore_list(t, instance, file, now, saved);
	case SETTING_EVENTS:
	case SETTING_TRIGGER:
		r = write_missing(t, instance, file, now, saved, "!");
		r2 = write_missing(t, instance, file, saved, now, "");
		return r < 0 ? r : r2;
	case SETTING_PROBES:
		r = restore_probes(t, instance, file, now, saved);
		r2 = write_missing(t, instance, file, saved, now, "");
		return r < 0 ? r : r2;
	case SETTING_FAILING:
		return restore_failing(t, file, now, saved);
	case SETTING_SIGNED:
		return restore_signed(t, file, saved);
	default:
		return restore_value(t, instance, file, kind, saved);
	}
}

int setting_restore(const struct tracefs *t, const char *instance, const char *file,
		    const char *saved)
{
	SCOPED(textbuf_release) struct textbuf now = {.max_bytes = SETTING_MAX_BYTES};
	int r;

	r = setting_save(t, instance, file, &now);
	textbuf_add(&now, "", 1);
	if (r >= 0 && !now.overflow && strcmp(now.start, saved))
		r = restore(t, instance, file, now.start, saved);
	return r < 0 ? r : 0;
}
