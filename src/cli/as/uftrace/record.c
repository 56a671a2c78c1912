// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record.c - `uftrace record` and `uftrace live`: record with sonde's engine, then write the calls
 * as a uftrace.data directory.
 *
 *  check the program ─▶ sonde record -u (a process of its own) ─▶ trace.dat ─▶ uftwriter
 *      ─▶ directory
 *
 * -F, -N and -D leave calls out when the directory is written. The other filters of uftrace (-t,
 * -T, -C, -Z, -L), and these together with them, are stored in the directory's default.opts: every
 * reader applies them, ours and uftrace's. A depth (-D) or a time (-t) without filters and triggers
 * is sonde record's, too: calls that nobody will see are not recorded. Whether a function exists is
 * known only when the program runs, and uftrace ignores filters that match none; so calls outside
 * of -F cost what they cost.
 *
 * The exit status is uftrace's: 0, 1 if the program returned another status than 0, 2 if a signal
 * killed it.
 */
#include "analyse/calls/callfilter.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/errmsg.h"
#include "base/files/caller.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/kernel/taskswitches.h"
#include "cli/as/uftrace/marks.h"
#include "cli/as/uftrace/program.h"
#include "cli/as/uftrace/uftrace.h"
#include "cli/calls/callopts.h"
#include "cli/calls/recordfirst.h"
#include "cli/calls/uftexport.h"
#include "format/bytes.h"
#include "rewrite/uftrace/uftwriter.h"
#include "store/uftrace/newdir.h"
#include "symbols/uftrace/argspec.h"
#include "wire/uftrace/uftsend.h"

#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS_MAX      4096
#define TEXT_MAX_BYTES (1u << 20)
#define TIME_MAX_NS    1000000000u /* of --user-min-time: longer ones are the reader's */

/*
 * --- the words of sonde record -----------------------------------------------------------------
 */

struct words {
	struct uft_opts *o;
	char *list[WORDS_MAX + 1];
	int n;
};

static void add_word(struct words *w, const char *word)
{
	char *copy = arena_strndup(&w->o->arena, word, strlen(word));

	if (copy && w->n < WORDS_MAX)
		w->list[w->n++] = copy;
}

/* A pattern of functions, as sonde writes it. */
static void fmt_pattern(const struct uft_opts *o, const char *pattern, char *out, size_t size)
{
	bool is_plain = o->match_glob || !strpbrk(pattern, ".?*+-^$|()[]{}");

	snprintf(out, size, is_plain ? "%s" : "/%s/", pattern);
}

/* A pattern of -P or -U; '!' before it: not these. */
static void add_pattern(struct words *w, const char *pattern)
{
	bool is_not = *pattern == '!';
	char text[1024] = "-u";

	pattern += is_not;
	fmt_pattern(w->o, pattern, text + (is_not ? 0 : 2), sizeof(text) - 2);
	if (is_not)
		add_word(w, "--no-user");
	add_word(w, text);
}

static void add_patterns(struct words *w)
{
	char *list = arena_strndup(&w->o->arena, w->o->patch, strlen(w->o->patch)), *word;

	while ((word = list ? strsep(&list, ";") : NULL))
		add_pattern(w, word);
}

/*
 * Functions of libraries that uftrace does not show: it has ended its recording before the first
 * one is called, and has functions of its own in place of the others.
 */
static const char *const unseen[] = {"__cxa_finalize",	  "__cxa_throw",     "__cxa_rethrow",
				     "__cxa_begin_catch", "__cxa_end_catch", "_Unwind_Resume"};

/* Which functions: patched ones, instrumented ones, calls into libraries. */
static void add_choice(struct words *w, enum uft_program_kind kind)
{
	if (w->o->patch)
		add_patterns(w);
	else /* libraries may be instrumented, too */
		add_word(w, kind == UFT_PROGRAM_CYG ? "-u" : "-u*@*");
	if (!w->o->patch && kind != UFT_PROGRAM_CYG)
		add_word(w, "--only-instrumented");
	if (w->o->no_libcall)
		return;
	add_word(w, "--libcalls");
	if (w->o->nest_libcall)
		add_word(w, "--nested-libcalls");
	for (size_t i = 0; i < ARRAY_LEN(unseen); i++) {
		add_word(w, "--no-user");
		add_word(w, unseen[i]);
	}
}

/* "SIG@trace_on" of --signal is "SIG=on". */
static void add_signals(struct words *w)
{
	static const struct {
		const char *uftrace, *ours;
	} actions[] = {{"trace_on", "on"},   {"traceon", "on"},	  {"trace-on", "on"},
		       {"trace_off", "off"}, {"traceoff", "off"}, {"trace-off", "off"},
		       {"finish", "finish"}};
	char *list = arena_strndup(&w->o->arena, w->o->signal, strlen(w->o->signal)), *word;

	while ((word = list ? strsep(&list, ";") : NULL)) {
		char *at = strchr(word, '@'), text[128];
		bool found = false;

		for (size_t i = 0; i < ARRAY_LEN(actions) && at && !found; i++) {
			found = !strcmp(at + 1, actions[i].uftrace);
			if (!found)
				continue;
			snprintf(text, sizeof(text), "%.*s=%s", (int)(at - word), word,
				 actions[i].ours);
			add_word(w, "--signal");
			add_word(w, text);
		}
		if (!found)
			uft_warn(w->o, "--signal %s: only trace_on, trace_off and finish work",
				 word);
	}
	add_word(w, "--user-begin");
	add_word(w, w->o->disabled ? "off" : "on");
}

/* Names without signs of a regular expression are globs for us, too. */
static bool is_glob(const struct uft_opts *o, const char *word)
{
	return o->match_glob || !strpbrk(word, ".?*+-^$|()[]{}");
}

/* -C: readers leave out what lasts longer. */
static void add_targets(struct words *w)
{
	char *list = arena_strndup(&w->o->arena, w->o->caller, strlen(w->o->caller)), *word;

	while ((word = list ? strsep(&list, ";") : NULL)) {
		char text[1024];

		snprintf(text, sizeof(text), is_glob(w->o, word) ? "%s" : "/%s/", word);
		add_word(w, "--leading-to");
		add_word(w, text);
	}
}

/* "FUNC@finish" of -T; readers do the rest. */
static void add_finish(struct words *w)
{
	char *list = arena_strndup(&w->o->arena, w->o->trigger, strlen(w->o->trigger)), *word;

	while ((word = list ? strsep(&list, ";") : NULL)) {
		char *at = strchr(word, '@'), *end = at ? strstr(at, "finish") : NULL, text[1024];
		bool is_plain;

		/* one of several words */
		if (!end || !strchr("@,", end[-1]) || (end[6] && end[6] != ','))
			continue;
		*at = 0;
		is_plain = is_glob(w->o, word);
		snprintf(text, sizeof(text), is_plain ? "%s: finish" : "/%s/: finish", word);
		add_word(w, "--at");
		add_word(w, text);
	}
}

/* Calls that no reader shows need not be recorded. */
static void add_rules(struct words *w)
{
	const struct uft_opts *o = w->o;
	bool is_simple = !o->filter && !o->trigger && !o->caller && !o->loc_filter;
	char text[64];

	if (is_simple && o->depth > 0 && o->depth != UFT_DEPTH_DEFAULT) {
		snprintf(text, sizeof(text), "%d", o->depth);
		add_word(w, "--user-depth");
		add_word(w, text);
	}
	if (is_simple && o->time_filter_ns && o->time_filter_ns <= TIME_MAX_NS) {
		snprintf(text, sizeof(text), "%lluns", (unsigned long long)o->time_filter_ns);
		add_word(w, "--user-min-time");
		add_word(w, text);
	}
	if (o->caller && !o->filter && !o->trigger && !o->loc_filter && !strpbrk(o->caller, "@!"))
		add_targets(w);
	if (o->signal)
		add_signals(w);
	if (o->trigger)
		add_finish(w);
}

/*
 * --- values ------------------------------------------------------------------------------------
 */

/*
 * Adds the values of one word, "FUNC@arg1,arg2/s,retval": other actions of a trigger are not ours.
 */
static void add_value_word(struct words *w, char *word)
{
	char *specs = strchr(word, '@'), *spec;
	char function[1024], text[2048];

	if (!specs)
		return;
	*specs++ = 0;
	fmt_pattern(w->o, word, function, sizeof(function));
	while ((spec = strsep(&specs, ","))) {
		bool is_retval = !strncmp(spec, "retval", 6);

		if (!uft_arg_is_spec(spec) && strcmp(spec, "auto-args"))
			continue;
		snprintf(text, sizeof(text), uft_arg_is_spec(spec) ? "%s@%s" : "%s", function,
			 spec);
		add_word(w, is_retval ? "--retval" : "--arg");
		add_word(w, text);
	}
}

/* -A, -R, -a, and triggers with values. */
static void add_values(struct words *w)
{
	const char *lists[] = {w->o->args, w->o->retval, w->o->trigger};
	int n_before = w->n;

	if (w->o->auto_args)
		add_word(w, "--args");
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		char *list = lists[i] ? arena_strndup(&w->o->arena, lists[i], strlen(lists[i]))
				      : NULL,
		     *word;

		while ((word = list ? strsep(&list, ";") : NULL))
			add_value_word(w, word);
	}
	if (w->n > n_before)
		add_word(w, "--plain-values");
}

/*
 * --- the directory -----------------------------------------------------------------------------
 */

/* Does the pattern match a recorded function? uftrace ignores filters that match none. */
static bool is_known(const struct uft_opts *o, const char *pattern, struct piece functions)
{
	size_t len = strcspn(pattern, "@");
	char text[1024], name[1024];
	bool is_plain = !strpbrk(pattern, ".?*+-^$|()[]{}"), found = false;
	const char *line = (const char *)functions.data, *end = line + functions.len;
	regex_t regex;

	snprintf(text, sizeof(text), "%.*s", (int)len, pattern);
	if (!is_plain && !o->match_glob && regcomp(&regex, text, REG_EXTENDED | REG_NOSUB))
		return false; /* uftrace ignores it, too */
	for (; line && line < end && !found; line = memchr(line, '\n', (size_t)(end - line))) {
		line += *line == '\n';
		if (line < end && sscanf(line, "F %*x %*x %*x %1023[^\n]", name) != 1)
			continue;
		found = is_plain	? !strcmp(name, text)
			: o->match_glob ? !fnmatch(text, name, 0)
					: !regexec(&regex, name, 0, NULL, 0);
	}
	if (!is_plain && !o->match_glob)
		regfree(&regex);
	return found;
}

/* Readers take regular expressions unless they are told otherwise, so a glob becomes one. */
static void add_pattern_text(const struct uft_opts *o, const char *pattern, struct textbuf *tb)
{
	size_t len = strcspn(pattern, "@");

	if (!o->match_glob || !strpbrk(pattern, "*?[")) {
		textbuf_add_str(tb, pattern);
		return;
	}
	textbuf_add_char(tb, '^');
	for (size_t i = 0; i < len; i++) {
		if (strchr("*?", pattern[i]))
			textbuf_add_char(tb, '.');
		else if (strchr(".+^$|(){}\\", pattern[i]))
			textbuf_add_char(tb, '\\');
		if (pattern[i] != '?')
			textbuf_add_char(tb, pattern[i]);
	}
	textbuf_addf(tb, "$%s", pattern + len);
}

/* "FUNC@color=red,backtrace": how replay shows it is a matter of each reader. */
static bool is_about_looks(const char *word)
{
	const char *action = strchr(word, '@');

	for (; action; action = strchr(action, ',')) {
		action++;
		if (strncmp(action, "color=", 6) != 0 && strncmp(action, "backtrace", 9) != 0)
			return false;
	}
	return strchr(word, '@');
}

/* A list with ';' between; -F and -N are one list, in which '!' stands before the names of -N. */
static void add_list(const struct uft_opts *o, const char *letter, const char *list,
		     struct piece functions, struct textbuf *tb)
{
	char *copy = list ? strdup(list) : NULL, *rest = copy, *word;

	while ((word = rest ? strsep(&rest, ";") : NULL)) {
		bool is_not = *word == '!';

		if (!is_known(o, word + is_not, functions) || is_about_looks(word))
			continue;
		textbuf_addf(tb, "%s '", is_not ? "-N" : letter);
		add_pattern_text(o, word + is_not, tb);
		textbuf_add_str(tb, "'\n");
	}
	free(copy);
}

/*
 * -F and -N alone are applied here, as uftrace does while it records: calls around a function are
 * not in the directory. Together with other filters they are the readers'.
 */
static bool filters_here(const struct uft_opts *o)
{
	return o->filter && !strchr(o->filter, '@') && !o->trigger && !o->caller &&
	       !o->loc_filter && !o->size_filter && !o->time_filter_ns;
}

static void fmt_default_opts(const struct uft_opts *o, struct piece functions, struct textbuf *tb)
{
	if (filters_here(o))
		return;
	add_list(o, "-F", o->filter, functions, tb);
	add_list(o, "-T", o->trigger, functions, tb);
	add_list(o, "-C", o->caller, functions, tb);
	if (o->disabled && o->trigger && !o->signal)
		textbuf_add_str(tb, "--disable\n");
	if (o->loc_filter)
		textbuf_addf(tb, "-L '%s'\n", o->loc_filter);
	if (o->depth != UFT_DEPTH_DEFAULT && o->filter)
		textbuf_addf(tb, "-D %d\n", o->depth);
	if (o->size_filter)
		textbuf_addf(tb, "-Z %d\n", o->size_filter);
	if (o->time_filter_ns)
		textbuf_addf(tb, "-t %s\n", o->time_filter);
}

struct choice {
	struct callfilter_word words[CALLOPTS_WORDS_MAX];
	struct callfilter_config config;
};

/* The filter of a walk through the calls; with functions that do not exist it is none. */
static int use_filter(struct uft_opts *o, struct choice *c, struct piece functions,
		      struct callrun *run, struct errmsg *err)
{
	char *list = arena_strndup(&o->arena, o->filter, strlen(o->filter)), *word;
	char text[1024];

	c->config = (struct callfilter_config){
		.words = c->words,
		.is_regex = !o->match_glob,
		.max_depth = o->depth == UFT_DEPTH_DEFAULT ? 0 : (uint32_t)o->depth};
	while ((word = list ? strsep(&list, ";") : NULL)) {
		bool is_not = *word == '!';
		bool is_name = !strpbrk(word + is_not, ".?*+-^$|()[]{}");
		char *copy;

		if (!is_known(o, word + is_not, functions) ||
		    c->config.n_words == CALLOPTS_WORDS_MAX)
			continue;
		snprintf(text, sizeof(text), is_name && !o->match_glob ? "^%s$" : "%s",
			 word + is_not);
		copy = arena_strndup(&o->arena, text, strlen(text));
		if (!copy)
			return errmsg_set_errno(err, -ENOMEM, "cannot use the filters");
		c->words[c->config.n_words++] =
			(struct callfilter_word){is_not ? CALL_NEVER : CALL_ONLY, copy};
	}
	callfilter_free(TAKE(run->filter));
	return callfilter_new(&run->filter, &c->config, err);
}

static int add_switches(struct uft_opts *o, struct uftwriter *writer,
			const struct taskswitches *switches, struct errmsg *err)
{
	for (size_t i = 0; switches && i < taskswitches_cpus(switches); i++)
		TRY(uftwriter_add_switches(writer, taskswitches_data(switches, i), err));
	if (switches && taskswitches_lost(switches))
		uft_warn(o, "%llu task switches were lost",
			 (unsigned long long)taskswitches_lost(switches));
	return 0;
}

/* with_filters: readers of the directory get them. switches: may be NULL. */
static int convert(struct uft_opts *o, struct recordfirst *first, struct uftwriter_run *about,
		   bool with_filters, const struct taskswitches *switches, struct errmsg *err)
{
	TEXTBUF(defaults, TEXT_MAX_BYTES);
	SCOPED(uftwriter_free_scoped) struct uftwriter *writer = NULL;
	SCOPED(textbuf_release) struct textbuf plain = {.max_bytes = UFTEXPORT_FUNCTIONS_MAX};
	struct call_options none = {0};
	struct choice choice = {0};
	SCOPED(callrun_close) struct callrun run = {0};
	char here[4096];
	struct uftwriter_config config = {.dir = o->dir,
					  .with_sources = o->srcline || o->loc_filter,
					  .source_dir = getcwd(here, sizeof(here))};
	/* with -F it is relative to that function, and the reader's */
	uint32_t max_depth = o->filter || o->depth < 1 ? UINT32_MAX : (uint32_t)o->depth;
	int r = callrun_open(&run, &none, first->path, err);

	recordfirst_remove(first);
	if (r == -ENODATA) { /* no calls at all: the directory says so */
		*err = (struct errmsg){0};
		r = 0;
	}
	TRY(r);
	TRY(uftexport_functions(&run, &plain, &config.functions, err));
	TRY(uftwriter_new(&writer, &config, err));
	if (with_filters)
		fmt_default_opts(o, config.functions, &defaults);
	if (with_filters && filters_here(o))
		TRY(use_filter(o, &choice, config.functions, &run, err));
	about->default_opts = textbuf_text(&defaults);
	if (run.src.n)
		TRY(uftexport_calls(&run, writer, max_depth, about->n_marks, err));
	TRY(add_switches(o, writer, switches, err));
	return uftwriter_finish(writer, about, err);
}

static bool has_function_graph(void)
{
	static const char *const paths[] = {"/sys/kernel/tracing/available_tracers",
					    "/sys/kernel/debug/tracing/available_tracers"};
	char text[1024];

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		SCOPED(fclose_scoped) FILE *f = fopen(paths[i], "re");

		if (f && fgets(text, sizeof(text), f))
			return strstr(text, "function_graph");
	}
	return false;
}

/* May the kernel be recorded? uftrace goes on without it. */
static bool can_trace_kernel(const struct uft_opts *o)
{
	if (geteuid()) {
		uft_warn(o, "kernel tracing requires root privilege");
		return false;
	}
	if (has_function_graph())
		return true;
	uft_warn(o, "kernel tracing disabled due to an error\n"
		    "is CONFIG_FUNCTION_GRAPH_TRACER enabled in the kernel?");
	return false;
}

/* Is it a function that the kernel can trace? */
static bool is_kernel_function(const char *name)
{
	SCOPED(fclose_scoped)
	FILE *f = fopen("/sys/kernel/tracing/available_filter_functions", "re");
	char line[1024];

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, " \t\n")] = 0;
		if (!strcmp(line, name))
			return true;
	}
	return false;
}

/* -F f@kernel and -N f@kernel; patterns are the readers'. */
static void add_kernel_filters(struct words *w)
{
	char *list = w->o->filter ? arena_strndup(&w->o->arena, w->o->filter, strlen(w->o->filter))
				  : NULL,
	     *word;

	while ((word = list ? strsep(&list, ";") : NULL)) {
		bool is_not = *word == '!';
		char *at = strchr(word, '@');

		if (!at || strcmp(at, "@kernel"))
			continue;
		*at = 0;
		if (!is_kernel_function(word + is_not))
			continue;
		add_word(w, is_not ? "--graph-notrace" : "-g");
		add_word(w, word + is_not);
	}
}

/* -E: events of the program, "PROVIDER:NAME" (SDT). */
static void add_marks(struct words *w, const char *path, struct uft_marks *marks)
{
	const struct uft_opts *o = w->o;
	char *list = o->event ? arena_strndup(&w->o->arena, o->event, strlen(o->event)) : NULL,
	     *word, text[4096 + UFT_MARK_BYTES + 32];

	while ((word = list ? strsep(&list, ";") : NULL))
		if (!strstr(word, "@kernel") && strncmp(word, "linux:", 6) != 0)
			uft_marks_add(marks, path, word, o->match_glob);
	if (marks->n && geteuid()) {
		uft_warn(o, "-E: events of programs are recorded by probes of the kernel, which "
			    "needs root");
		marks->n = 0;
	}
	for (size_t i = 0; i < marks->n; i++) {
		uft_marks_fmt(marks, i, path, text, sizeof(text));
		add_word(w, "-e");
		add_word(w, text);
	}
	if (marks->n) {
		add_word(w, "-F");
		add_word(w, "-c");
	}
}

/* -E: events of the kernel, "SYSTEM:NAME@kernel". */
static void add_events(struct words *w, bool has_kernel)
{
	char *list = arena_strndup(&w->o->arena, w->o->event, strlen(w->o->event)), *word;

	while ((word = list ? strsep(&list, ";") : NULL)) {
		char *at = strstr(word, "@kernel");

		if (!at || !has_kernel)
			continue;
		*at = 0;
		add_word(w, "-e");
		add_word(w, word);
	}
}

/* -k, -K and -E: the kernel's functions and events in the traced tasks. */
static void add_kernel(struct words *w)
{
	const struct uft_opts *o = w->o;
	bool has_events = o->event && strstr(o->event, "@kernel"), can;
	char text[32];

	if (!o->kernel && !has_events)
		return;
	can = can_trace_kernel(o);
	if (has_events)
		add_events(w, can);
	if (!can)
		return;
	add_word(w, "-F");
	add_word(w, "-c");
	if (o->kernel_buffer_bytes) {
		snprintf(text, sizeof(text), "%llu",
			 (unsigned long long)(o->kernel_buffer_bytes + 1023) / 1024);
		add_word(w, "-b");
		add_word(w, text);
	}
	if (!o->kernel)
		return;
	snprintf(text, sizeof(text), "%d", o->kernel_depth ? o->kernel_depth : 1);
	add_word(w, "-p");
	add_word(w, "function_graph");
	add_word(w, "--max-graph-depth");
	add_word(w, text);
	add_kernel_filters(w);
}

/* What uftrace records and sonde does not. */
static void warn_missing(const struct uft_opts *o)
{
	if (o->watch)
		uft_warn(o, "--watch has no effect");
	if (o->trigger && strstr(o->trigger, "read="))
		uft_warn(o, "-T: counters (read=) are not recorded");
}

/*
 * --- the commands ------------------------------------------------------------------------------
 */

static int run_plain(char **argv)
{
	pid_t pid = fork();
	int status = 0;

	if (!pid) {
		execvp(argv[0], argv);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return 0;
}

static int status_of(const struct uft_opts *o, int wait_status)
{
	if (WIFSIGNALED(wait_status)) {
		uft_warn(o, "child terminated by signal: %d: %s", WTERMSIG(wait_status),
			 strsignal(WTERMSIG(wait_status)));
		return 2;
	}
	return WEXITSTATUS(wait_status) ? 1 : 0;
}

static void print_times(const struct uftwriter_run *about)
{
	printf("elapsed time: %16s sec\n", about->elapsed);
	printf(" system time: %6ld.%09ld sec\n", (long)about->usage.ru_stime.tv_sec,
	       (long)about->usage.ru_stime.tv_usec * 1000);
	printf("   user time: %6ld.%09ld sec\n", (long)about->usage.ru_utime.tv_sec,
	       (long)about->usage.ru_utime.tv_usec * 1000);
}

SCOPED_POINTER(struct taskswitches, taskswitches_close)

/* Records into o->dir. with_filters: readers of the directory get them. */
static int record(struct uft_opts *o, int argc, char **argv, bool with_filters)
{
	struct uftwriter_run about = {.is_here = true,
				      .date = time(NULL),
				      .max_stack = 1024,
				      .is_glob = o->match_glob,
				      .has_libcalls = !o->no_libcall,
				      /* uftrace writes them when it finishes early */
				      .keeps_open = o->trigger && strstr(o->trigger, "finish"),
				      .has_auto_values = o->auto_args};
	struct words w = {.o = o};
	struct uft_marks marks = {0};
	SCOPED(taskswitches_close_scoped) struct taskswitches *switches = NULL;
	struct recordfirst first = {0};
	struct errmsg err = {0};
	char path[4096], elapsed[64];
	enum uft_program_kind kind;
	uint64_t began, ns;

	if (!uft_program_check(o, argv[0], path, sizeof(path), &kind))
		return 1;
	warn_missing(o);
	add_choice(&w, kind);
	add_rules(&w);
	add_values(&w);
	add_marks(&w, path, &marks);
	add_kernel(&w);
	about.marks = (const char(*)[UFT_MARK_BYTES])marks.names;
	about.n_marks = marks.n;
	add_word(&w, "--wait-children");
	add_word(&w, "-q");
	add_word(&w, "--");
	add_word(&w, path);
	for (int i = 1; i < argc; i++)
		add_word(&w, argv[i]);
	if (o->no_randomize)
		personality(ADDR_NO_RANDOMIZE);
	/* where perf is forbidden, uftrace goes on without it */
	if (!o->no_event && taskswitches_open(&switches, o->no_sched || o->caller) < 0)
		switches = NULL;
	began = clock_now_ns();
	if (recordfirst_run(&first, w.n, w.list, &err) < 0) {
		uft_fail(o, "%s", err.text);
		return 1;
	}
	ns = clock_now_ns() - began;
	if (switches)
		taskswitches_stop(switches);
	snprintf(elapsed, sizeof(elapsed), "%llu.%09llu", (unsigned long long)(ns / 1000000000),
		 (unsigned long long)(ns % 1000000000));
	about.exename = path;
	about.elapsed = elapsed;
	about.cmdline = o->cmdline;
	about.wait_status = first.wait_status;
	getrusage(RUSAGE_CHILDREN, &about.usage);
	if (caller_become() < 0 || convert(o, &first, &about, with_filters, switches, &err) < 0) {
		recordfirst_remove(&first);
		uft_fail(o, "%s", err.text[0] ? err.text : "cannot write as the calling user");
		return 1;
	}
	if (o->time)
		print_times(&about);
	fflush(stdout);
	return status_of(o, first.wait_status);
}

/* A name for a directory that does not exist yet, for recordings that nobody keeps. */
static bool make_temporary(const struct uft_opts *o, const char *what, char *dir, size_t size)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(dir, size, "%.200s/uftrace-%s-XXXXXX", tmp && *tmp ? tmp : "/tmp", what);
	if (recordfirst_make_dir(dir) >= 0)
		return true;
	uft_fail(o, "cannot make a directory like %s", dir);
	return false;
}

static void remove_temporary(const char *place, const char *dir)
{
	uftdir_remove(dir);
	rmdir(place);
}

/* --host: the recording goes there, and nothing stays here. */
static int record_and_send(struct uft_opts *o, int argc, char **argv)
{
	const char *name = strrchr(o->dir, '/') ? strrchr(o->dir, '/') + 1 : o->dir;
	struct errmsg err = {0};
	char place[256], dir[300];
	int status, sock = uftsend_connect(o->host, o->port, &err);

	if (sock < 0) {
		uft_fail(o, "%s", err.text);
		return 1;
	}
	if (!make_temporary(o, "send", place, sizeof(place))) {
		close(sock);
		return 1;
	}
	snprintf(dir, sizeof(dir), "%s/data", place);
	o->dir = dir;
	status = record(o, argc, argv, true);
	if (!access(dir, F_OK) && uftsend_directory(sock, dir, name, &err) < 0) {
		uft_fail(o, "%s", err.text);
		status = 1;
	}
	remove_temporary(place, dir);
	close(sock);
	return status;
}

int uft_record(struct uft_opts *o, int argc, char **argv)
{
	if (!argc) {
		uft_opts_print_help(stdout);
		return 1;
	}
	if (o->nop)
		return run_plain(argv);
	return o->host ? record_and_send(o, argc, argv) : record(o, argc, argv, true);
}

int uft_record_into(struct uft_opts *o, int argc, char **argv)
{
	return record(o, argc, argv, false);
}

/* What live shows: calls, and before them the report if it is asked for. */
static void show_recorded(struct uft_opts *o, char **none)
{
	if (o->report) {
		fputs("#\n# uftrace report\n#\n", stdout);
		uft_report(o, 0, none);
		fputs("\n#\n# uftrace replay\n#\n", stdout);
	}
	uft_replay(o, 0, none);
}

int uft_live(struct uft_opts *o, int argc, char **argv)
{
	char place[256], dir[300];
	int status;

	if (!argc) {
		uft_opts_print_help(stdout);
		return 1;
	}
	if (o->nop)
		return run_plain(argv);
	if (!o->record) {
		if (!make_temporary(o, "live", place, sizeof(place)))
			return 1;
		snprintf(dir, sizeof(dir), "%s/data", place);
		o->dir = dir;
	}
	status = record(o, argc, argv, o->record);
	if (o->signal) /* the recording has begun switched off: what there is came later */
		o->disabled = false;
	if (!access(o->dir, F_OK))
		show_recorded(o, argv + argc);
	if (!o->record)
		remove_temporary(place, dir);
	return status;
}
