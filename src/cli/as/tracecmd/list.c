// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * list.c - `trace-cmd list`: lists what the running kernel can trace, in trace-cmd's
 * layout.
 *
 * trace-cmd does not use getopt here: an option is recognized by its first letter, and the word
 * after -e and -f is their expression unless it begins with '-'. Other words are ignored. Lists are
 * the kernel's own files, or the order of its directories.
 *
 * Matching of expressions, and lists with the same text (clocks, compressions, options of plugins),
 * are shared with sonde's own list.
 */
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/tracefs/tracefs.h"
#include "cli/as/tracecmd/tracecmd_int.h"
#include "cli/command.h"
#include "decode/namematch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct command cmd_list;

/* --- events ----------------------------------------------------------------------------------- */

enum event_show { SHOW_NAME, SHOW_FORMAT, SHOW_FORMAT_FULL, SHOW_FILTER, SHOW_TRIGGER };

static void print_format(const char *text, const char *system, bool full)
{
	const char *end = full ? NULL : strstr(text, "print fmt");

	printf("system: %s\n", system);
	fwrite(text, 1, end ? (size_t)(end - text) : strlen(text), stdout);
}

static int print_event(const struct tracefs *t, const char *system, const char *event,
		       enum event_show show, struct errmsg *err)
{
	static const char *const files[] = {"", "format", "format", "filter", "trigger"};
	char file[TRACEFS_PATH_MAX];
	TEXTBUF(tb, 16u << 20);

	if (show == SHOW_NAME) {
		printf("%s:%s\n", system, event);
		return 0;
	}
	snprintf(file, sizeof(file), "events/%s/%s/%s", system, event, files[show]);
	TRY(tracefs_read_text(t, "", file, &tb, err));
	if (show <= SHOW_FORMAT_FULL)
		print_format(tb.start, system, show == SHOW_FORMAT_FULL);
	else
		printf("%s:%s\n%s\n", system, event, tb.start);
	return 0;
}

static DIR *open_events(const struct tracefs *t, const char *system)
{
	char file[TRACEFS_PATH_MAX];

	snprintf(file, sizeof(file), "events%s%s", *system ? "/" : "", system);
	return tc_open_directory(t, "", file);
}

static int list_matching(const struct tracefs *t, const char *re, enum event_show show,
			 struct errmsg *err)
{
	const char *system, *event;
	struct event_match m;
	DIR *dir, *events;
	int r = event_match_init(&m, re, err);

	if (r < 0) {
		err->code = -ENOENT; /* the number that trace-cmd uses here */
		return r;
	}
	dir = open_events(t, "");
	while (dir && r >= 0 && (system = tc_next_directory(dir))) {
		events = open_events(t, system);
		while (events && r >= 0 && (event = tc_next_directory(events)))
			if (event_match_test(&m, system, event))
				r = print_event(t, system, event, show, err);
		if (events)
			closedir(events);
	}
	if (dir)
		closedir(dir);
	event_match_release(&m);
	return r;
}

static void list_systems(const struct tracefs *t)
{
	DIR *dir = open_events(t, "");
	const char *system;

	while (dir && (system = tc_next_directory(dir)))
		puts(system);
	putchar('\n');
	if (dir)
		closedir(dir);
}

/* --- the rest --------------------------------------------------------------------------------- */

static int list_functions(const struct tracefs *t, const char *re, struct errmsg *err)
{
	char path[TRACEFS_PATH_MAX], *line = NULL;
	struct name_match match;
	size_t n = 0;
	FILE *f;
	int r;

	if (!re || !*re)
		return tc_print_file(t, "", "available_filter_functions", err);
	r = name_match_init(&match, re, err);
	TRY(r);
	f = fopen(tracefs_fmt_path(t, "", "available_filter_functions", path), "re");
	if (!f)
		r = errmsg_set(err, -errno, "reading %s", path);
	while (f && getline(&line, &n, f) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (name_match_test(&match, line))
			puts(line);
	}
	if (f)
		fclose(f);
	free(line);
	name_match_release(&match);
	return r;
}

static int list_instances(const struct tracefs *t)
{
	DIR *dir = tc_open_directory(t, "", "instances");
	const char *name;
	bool any = false;

	while (dir && (name = tc_next_directory(dir))) {
		puts(name);
		any = true;
	}
	if (!any)
		puts("No buffer instances defined");
	if (dir)
		closedir(dir);
	return 0;
}

/* Prints the options. One that is off has "no" before it. */
void tc_print_options(const struct tracefs *t, const char *instance, const char *before)
{
	char file[TRACEFS_PATH_MAX], text[16];
	DIR *dir = tc_open_directory(t, instance, "options");
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "options/%s", e->d_name);
		if (tracefs_read_short(t, instance, file, text, sizeof(text)) > 0)
			printf("%s%s%s\n", before, *text == '0' ? "no" : "", e->d_name);
	}
	if (dir)
		closedir(dir);
}

/* Prints what sonde's own list prints for an option. */
static int list_same(const char *option, struct errmsg *err)
{
	char *argv[] = {(char *)"list", (char *)option, NULL};

	return cmd_list.run(&cmd_list, 2, argv, err);
}

/* --- the words -------------------------------------------------------------------------------- */

struct list_words {
	bool has[128]; /* by letter: the option was given */
	bool full, any;
	const char *event_re, *function_re;
};

static const struct list_words *words_parse(const struct tc_line *line, struct list_words *w)
{
	memset(w, 0, sizeof(*w));
	for (int i = 0; i < line->n_args; i++) {
		const char *word = line->args[i], *next = line->args[i + 1];

		if (*word != '-')
			continue;
		if (!strcmp(word, "--full") || !strcmp(word, "--debug")) {
			w->full |= !strcmp(word, "--full");
			continue;
		}
		if (word[1] == '-')
			fprintf(stderr, "list: invalid option -- '%s'\n", word);
		if (!word[1] || !strchr("eBCFRlptPOofsch", word[1])) {
			fprintf(stderr, "list: invalid option -- '%c'\n", word[1]);
			return NULL;
		}
		w->has[(unsigned char)word[1]] = true;
		if (word[1] == 'h')
			return NULL;
		w->any |= !strchr("FRl", word[1]);
		next = next && *next != '-' ? next : NULL;
		if (word[1] == 'e')
			w->event_re = next;
		if (word[1] == 'f')
			w->function_re = next;
	}
	return w;
}

static int list_events(const struct tracefs *t, const struct list_words *w, struct errmsg *err)
{
	enum event_show show = w->has['F']   ? (w->full ? SHOW_FORMAT_FULL : SHOW_FORMAT)
			       : w->has['l'] ? SHOW_FILTER
			       : w->has['R'] ? SHOW_TRIGGER
					     : SHOW_NAME;

	if (w->event_re && *w->event_re)
		return list_matching(t, w->event_re, show, err);
	if (show != SHOW_NAME || w->full)
		return errmsg_set(err, -EINVAL, "-F, -l and -R want an event: -e EVENT");
	return tc_print_file(t, "", "available_events", err);
}

static int list_overview(const struct tracefs *t, struct errmsg *err)
{
	int r;

	puts("event systems:");
	list_systems(t);
	puts("events:");
	r = tc_print_file(t, "", "available_events", err);
	puts("\ntracers:");
	if (r >= 0)
		r = tc_print_file(t, "", "available_tracers", err);
	puts("\noptions:");
	tc_print_options(t, "", "");
	return r < 0 ? r : list_same("-c", err);
}

static int list(const struct tracefs *t, const struct list_words *w, struct errmsg *err)
{
	if (!w->any)
		return list_overview(t, err);
	if (w->has['e'])
		TRY(list_events(t, w, err));
	if (w->has['t'] || w->has['p'])
		TRY(tc_print_file(t, "", "available_tracers", err));
	if (w->has['o'])
		tc_print_options(t, "", "");
	if (w->has['O'])
		TRY(list_same("-O", err));
	if (w->has['f'])
		TRY(list_functions(t, w->function_re, err));
	if (w->has['B'])
		TRY(list_instances(t));
	if (w->has['C'])
		TRY(list_same("-C", err));
	if (w->has['s'])
		list_systems(t);
	return w->has['c'] ? list_same("-c", err) : 0;
}

int tc_run_list(struct tc_line *line, struct errmsg *err)
{
	struct list_words w;
	struct tracefs t;
	int r;

	if (!words_parse(line, &w))
		return tc_usage(line->cmd);
	r = tracefs_open(&t, err);
	return r < 0 ? r : list(&t, &w, err);
}
