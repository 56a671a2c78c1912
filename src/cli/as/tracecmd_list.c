// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracecmd_list.c - `trace-cmd list`: what the running kernel can trace, in trace-cmd's layout.
 *
 * trace-cmd reads these words by hand: an option is known by its first letter, and the word behind -e and
 * -f is their expression unless it begins with '-'. Whatever else stands there is passed over. Lists are
 * the kernel's own files, or the order of its directories.
 *
 * An expression "SYSTEM:EVENT" has one for each; one alone is for systems, whose events are then all
 * meant, and for events of the others. It may match anywhere, in either case.
 */
#include "cli/as/tracecmd_int.h"
#include "cli/command.h"
#include "store/unpack.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern const struct command cmd_options;

/* --- events ------------------------------------------------------------------------------------ */

enum event_show { SHOW_NAME, SHOW_FORMAT, SHOW_FORMAT_FULL, SHOW_FILTER, SHOW_TRIGGER };

struct event_match {
	const char *system, *event; /* expressions; event may be NULL */
	regex_t system_re, event_re;
	bool only_systems; /* "sched:" */
	char text[1024];
};

static int match_init(struct event_match *m, const char *re, struct errmsg *err)
{
	char *colon;

	memset(m, 0, sizeof(*m));
	snprintf(m->text, sizeof(m->text), "%s", re);
	colon = strchr(m->text, ':');
	if (colon)
		*colon = 0;
	m->system = m->text;
	m->event = colon && colon[1] ? colon + 1 : NULL;
	m->only_systems = colon != NULL;
	if (regcomp(&m->system_re, m->system, REG_ICASE | REG_NOSUB))
		return errmsg_set(err, -ENOENT, "'%s' is not a regular expression", m->system);
	if (m->event && regcomp(&m->event_re, m->event, REG_ICASE | REG_NOSUB)) {
		regfree(&m->system_re);
		return errmsg_set(err, -ENOENT, "'%s' is not a regular expression", m->event);
	}
	return 0;
}

static void match_release(struct event_match *m)
{
	regfree(&m->system_re);
	if (m->event)
		regfree(&m->event_re);
}

static bool match_test(const struct event_match *m, bool system_matches, const char *event)
{
	if (system_matches)
		return !m->event || !regexec(&m->event_re, event, 0, NULL, 0);
	return !m->only_systems && !regexec(&m->system_re, event, 0, NULL, 0);
}

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
	struct textbuf tb;
	int r;

	if (show == SHOW_NAME) {
		printf("%s:%s\n", system, event);
		return 0;
	}
	snprintf(file, sizeof(file), "events/%s/%s/%s", system, event, files[show]);
	textbuf_init(&tb, 16u << 20);
	r = tracefs_read_text(t, "", file, &tb, err);
	if (r >= 0 && show <= SHOW_FORMAT_FULL)
		print_format(tb.start, system, show == SHOW_FORMAT_FULL);
	else if (r >= 0)
		printf("%s:%s\n%s\n", system, event, tb.start);
	textbuf_release(&tb);
	return r;
}

/* The directories of a directory, as they come. */
static DIR *open_events(const struct tracefs *t, const char *system)
{
	char file[TRACEFS_PATH_MAX], path[TRACEFS_PATH_MAX];

	snprintf(file, sizeof(file), "events%s%s", *system ? "/" : "", system);
	return opendir(tracefs_fmt_path(t, "", file, path));
}

static const char *next_directory(DIR *dir)
{
	struct dirent *e;

	while ((e = readdir(dir)))
		if (e->d_name[0] != '.' && e->d_type != DT_REG)
			return e->d_name;
	return NULL;
}

static int list_matching(const struct tracefs *t, const char *re, enum event_show show,
			 struct errmsg *err)
{
	const char *system, *event;
	struct event_match m;
	DIR *dir, *events;
	int r = match_init(&m, re, err);

	if (r < 0)
		return r;
	dir = open_events(t, "");
	while (dir && r >= 0 && (system = next_directory(dir))) {
		bool matches = !regexec(&m.system_re, system, 0, NULL, 0);

		events = open_events(t, system);
		while (events && r >= 0 && (event = next_directory(events)))
			if (match_test(&m, matches, event))
				r = print_event(t, system, event, show, err);
		if (events)
			closedir(events);
	}
	if (dir)
		closedir(dir);
	match_release(&m);
	return r;
}

static void list_systems(const struct tracefs *t)
{
	DIR *dir = open_events(t, "");
	const char *system;

	while (dir && (system = next_directory(dir)))
		puts(system);
	putchar('\n');
	if (dir)
		closedir(dir);
}

/* --- the rest ---------------------------------------------------------------------------------- */

static int list_functions(const struct tracefs *t, const char *re, struct errmsg *err)
{
	char path[TRACEFS_PATH_MAX], *line = NULL;
	size_t n = 0;
	regex_t reg;
	FILE *f;

	if (!re || !*re)
		return tc_print_file(t, "", "available_filter_functions", err);
	if (regcomp(&reg, re, REG_ICASE | REG_NOSUB))
		return errmsg_set(err, -EINVAL, "'%s' is not a regular expression", re);
	f = fopen(tracefs_fmt_path(t, "", "available_filter_functions", path), "re");
	while (f && getline(&line, &n, f) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (!regexec(&reg, line, 0, NULL, 0))
			puts(line);
	}
	free(line);
	regfree(&reg);
	if (!f)
		return errmsg_set(err, -errno, "reading %s", path);
	fclose(f);
	return 0;
}

static int list_instances(const struct tracefs *t)
{
	char path[TRACEFS_PATH_MAX];
	DIR *dir = opendir(tracefs_fmt_path(t, "", "instances", path));
	const char *name;
	bool any = false;

	while (dir && (name = next_directory(dir))) {
		puts(name);
		any = true;
	}
	if (!any)
		puts("No buffer instances defined");
	if (dir)
		closedir(dir);
	return 0;
}

/* One that is off has "no" before it. */
void tc_print_options(const struct tracefs *t, const char *instance, const char *before)
{
	char path[TRACEFS_PATH_MAX], file[TRACEFS_PATH_MAX], text[16];
	DIR *dir = opendir(tracefs_fmt_path(t, instance, "options", path));
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

/* Whether the kernel tells how its counter becomes nanoseconds, in the page of a perf event. */
static bool has_tsc2nsec(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
	};
	long page = sysconf(_SC_PAGESIZE);
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	struct perf_event_mmap_page *pc = MAP_FAILED;
	bool has = false;

	if (fd >= 0)
		pc = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	if (pc != MAP_FAILED) {
		has = pc->cap_user_time;
		munmap(pc, page);
	}
	if (fd >= 0)
		close(fd);
	return has;
}

static int list_clocks(const struct tracefs *t, struct errmsg *err)
{
	char text[512];
	int r = tracefs_read_short(t, "", "trace_clock", text, sizeof(text));

	if (r < 0)
		return errmsg_set(err, r, "reading trace_clock");
	printf("%s%s\n", text, strstr(text, "x86-tsc") && has_tsc2nsec() ? " tsc2nsec" : "");
	return 0;
}

static void list_compressions(void)
{
	puts("Supported compression algorithms:");
	for (int kind = COMPRESSION_NONE + 1; kind < COMPRESSION_UNKNOWN; kind++)
		printf("\t%s, %s\n", compression_name(kind), compression_version(kind));
}

/* --- the words --------------------------------------------------------------------------------- */

struct list_words {
	bool has[128]; /* by letter */
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
	list_compressions();
	return r;
}

static int list(const struct tracefs *t, const struct list_words *w, struct errmsg *err)
{
	char *no_words[] = {(char *)"options", NULL};
	int r = 0;

	if (!w->any)
		return list_overview(t, err);
	if (w->has['e'])
		r = list_events(t, w, err);
	if (r >= 0 && (w->has['t'] || w->has['p']))
		r = tc_print_file(t, "", "available_tracers", err);
	if (r >= 0 && w->has['o'])
		tc_print_options(t, "", "");
	if (r >= 0 && w->has['O'])
		r = cmd_options.run(&cmd_options, 1, no_words, err);
	if (r >= 0 && w->has['f'])
		r = list_functions(t, w->function_re, err);
	if (r >= 0 && w->has['B'])
		r = list_instances(t);
	if (r >= 0 && w->has['C'])
		r = list_clocks(t, err);
	if (r >= 0 && w->has['s'])
		list_systems(t);
	if (r >= 0 && w->has['c'])
		list_compressions();
	return r;
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
