// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * optwords.c - the options of uftrace 0.13 as rows, and what their values mean.
 *
 * The long options of 0.13 are here, those without effect, too: a script that passes them must run.
 * Some are of later versions: --trace, --trigger, --no-callsite. A value that makes no sense gives
 * uftrace's message on standard output, and is ignored.
 */
#include "cli/as/uftrace/optwords.h"

#include "base/array.h"
#include "cli/as/uftrace/uftrace.h"

#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEY_FIRST 1000 /* of options without a letter */

#define USE(...)  printf("Usage: " __VA_ARGS__)

void uft_list_add(struct uft_opts *o, char **list, const char *prefix, const char *value)
{
	size_t n = (*list ? strlen(*list) + 1 : 0) + strlen(prefix) + strlen(value) + 1;
	char *text = arena_alloc(&o->arena, n);

	if (!text)
		return;
	snprintf(text, n, "%s%s%s%s", *list ? *list : "", *list ? ";" : "", prefix, value);
	*list = text;
}

bool uft_is_command(const char *word)
{
	static const char *const words[] = {"record", "replay", "report", "live",   "info",
					    "dump",   "recv",	"graph",  "script", "tui"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}

static void apply_dir(struct uft_opts *o, const char *value)
{
	size_t len = strlen(value);

	o->dir = arena_strndup(&o->arena, value, len && value[len - 1] == '/' ? len - 1 : len);
}

static void apply_depth(struct uft_opts *o, const char *value)
{
	o->depth = (int)strtol(value, NULL, 0);
	if (o->depth > 0 && o->depth < UFT_DEPTH_DEFAULT)
		return;
	USE("invalid depth given: %s (ignoring..)\n", value);
	o->depth = UFT_DEPTH_DEFAULT;
}

static void apply_kernel_depth(struct uft_opts *o, const char *value)
{
	o->kernel = true;
	o->kernel_depth = (int)strtol(value, NULL, 0);
	if (o->kernel_depth >= 1 && o->kernel_depth <= 50)
		return;
	USE("invalid kernel depth: %s (ignoring...)\n", value);
	o->kernel_depth = 0;
}

static void apply_caller(struct uft_opts *o, const char *value)
{
	uft_list_add(o, &o->caller, "", value);
	o->no_sched = true;
}

/* "FILE@hide" is stored as "!FILE". Task switches have no place, so they are not shown. */
static void apply_loc(struct uft_opts *o, const char *value)
{
	size_t len = strlen(value);
	bool hides = len > 5 && !strcmp(value + len - 5, "@hide");
	char *name = arena_strndup(&o->arena, value, hides ? len - 5 : len);

	if (name)
		uft_list_add(o, &o->loc_filter, hides ? "!" : "", name);
	o->no_sched = true;
}

static void apply_time_filter(struct uft_opts *o, const char *value)
{
	if (o->in_default_opts && o->time_filter_ns)
		return;
	o->time_filter_ns = uft_parse_time(o, value, 3);
	o->time_filter = value;
	if (!o->range.start_ns && !o->range.stop_ns)
		return;
	USE("--time-range cannot be used with --time-filter\n");
	o->range = (struct uft_range){0};
}

/* A time stamp, or with a unit the time since the beginning. */
static uint64_t parse_moment(struct uft_opts *o, const char *text, bool *ret_elapsed)
{
	size_t len = strlen(text);
	char *end;
	uint64_t sec, ns = 0;

	*ret_elapsed = len && isalpha((unsigned char)text[len - 1]);
	if (*ret_elapsed)
		return uft_parse_time(o, text, 3);
	sec = strtoull(text, &end, 10);
	if (*end == '.')
		for (int i = 0, digit = 1; i < 9; i++) {
			digit = digit && isdigit((unsigned char)end[1 + i]);
			ns = ns * 10 + (digit ? end[1 + i] - '0' : 0);
		}
	return sec * 1000000000 + ns;
}

static void apply_range(struct uft_opts *o, const char *value)
{
	const char *tilde = strchr(value, '~');
	char *start = tilde ? arena_strndup(&o->arena, value, tilde - value) : NULL;

	if (!start) {
		USE("invalid time range: %s (ignoring...)\n", value);
	} else {
		o->range.start_ns = parse_moment(o, start, &o->range.start_is_elapsed);
		o->range.stop_ns = parse_moment(o, tilde + 1, &o->range.stop_is_elapsed);
	}
	if (!o->time_filter_ns)
		return;
	USE("--time-filter cannot be used with --time-range\n");
	o->time_filter_ns = 0;
}

static void apply_size_filter(struct uft_opts *o, const char *value)
{
	o->size_filter = (int)strtol(value, NULL, 0);
	if (o->size_filter > 0)
		return;
	USE("--size-filter should be positive\n");
	o->size_filter = 0;
}

/* "128K", "1M": bytes. */
static uint64_t parse_size(const char *text)
{
	char *end;
	uint64_t v = strtoull(text, &end, 0);
	const char *unit = *end ? strchr("kmg", tolower((unsigned char)*end)) : NULL;

	if (end == text || (*end && !unit)) {
		USE("invalid size: %s\n", text);
		return 0;
	}
	if (!unit)
		return v;
	return v << (*unit == 'k' ? 10 : *unit == 'm' ? 20 : 30);
}

static uint64_t parse_pages(const char *text)
{
	uint64_t v = parse_size(text), page = (uint64_t)getpagesize();

	if (!(v & (page - 1)))
		return v;
	USE("buffer size should be multiple of page size\n");
	return (v + page - 1) & ~(page - 1);
}

/* Checks the size: the rings of programs have one size. */
static void apply_buffer(struct uft_opts *o, const char *value)
{
	parse_pages(value);
}

static void apply_kernel_buffer(struct uft_opts *o, const char *value)
{
	o->kernel_buffer_bytes = parse_pages(value);
}

static void apply_event(struct uft_opts *o, const char *value)
{
	if (strcmp(value, "list")) {
		uft_list_add(o, &o->event, "", value);
		return;
	}
	USE("'-E list' is deprecated, use --list-event instead.\n");
	o->list_event = true;
}

static void apply_nest_libcall(struct uft_opts *o, const char *value)
{
	(void)value;
	o->nest_libcall = o->force = true;
}

static void apply_tid(struct uft_opts *o, const char *value)
{
	if (strtol(value, NULL, 0) <= 0)
		USE("invalid thread id: %s\n", value);
	else
		uft_list_add(o, &o->tid, "", value);
}

static void apply_max_stack(struct uft_opts *o, const char *value)
{
	o->max_stack = (int)strtol(value, NULL, 0);
	if (o->max_stack > 0 && o->max_stack <= UFT_STACK_DEFAULT)
		return;
	USE("max stack depth should be >0 and <%d\n", UFT_STACK_DEFAULT);
	o->max_stack = UFT_STACK_DEFAULT;
}

static void apply_port(struct uft_opts *o, const char *value)
{
	o->port = (int)strtol(value, NULL, 0);
	if (o->port > 0)
		return;
	USE("invalid port number: %s (ignoring..)\n", value);
	o->port = 8090;
}

static int find_word(const char *word, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}

static const char *const yes_words[] = {"1", "true", "y", "yes", "on", NULL};
static const char *const no_words[] = {"0", "false", "n", "no", "off", NULL};

static void apply_colour(struct uft_opts *o, const char *value)
{
	if (find_word(value, yes_words) >= 0) {
		o->colour = UFT_ON;
	} else if (find_word(value, no_words) >= 0) {
		o->colour = UFT_OFF;
	} else {
		if (strcmp(value, "auto"))
			USE("unknown color setting: %s (ignoring..)\n", value);
		o->colour = UFT_AUTO;
	}
}

/* Of later versions; --trace=off is --disable. */
static void apply_trace(struct uft_opts *o, const char *value)
{
	if (find_word(value, yes_words) < 0 && find_word(value, no_words) < 0)
		USE("unknown trace setting: %s (ignoring..)\n", value);
	else
		o->disabled = find_word(value, no_words) >= 0;
}

static void apply_demangle(struct uft_opts *o, const char *value)
{
	o->demangle = UFT_DEMANGLE_SIMPLE;
	if (!strcmp(value, "full"))
		o->demangle = UFT_DEMANGLE_FULL;
	else if (find_word(value, no_words) >= 0)
		o->demangle = UFT_DEMANGLE_NO;
	else if (strcmp(value, "simple"))
		USE("unknown demangle value: %s (ignoring..)\n", value);
}

static void apply_format(struct uft_opts *o, const char *value)
{
	o->html = !strcmp(value, "html");
	if (o->html && o->colour == UFT_AUTO)
		o->colour = UFT_ON;
	/* later versions: forms of dump */
	o->chrome |= !strcmp(value, "chrome");
	o->flame_graph |= !strcmp(value, "flame-graph");
	o->graphviz |= !strcmp(value, "graphviz");
	o->mermaid |= !strcmp(value, "mermaid");
	if (!o->html && !o->chrome && !o->flame_graph && !o->graphviz && !o->mermaid &&
	    strcmp(value, "normal"))
		USE("invalid format argument: %s\n", value);
}

static void apply_sort_column(struct uft_opts *o, const char *value)
{
	o->sort_column = (int)strtol(value, NULL, 0);
	if (o->sort_column >= 0 && o->sort_column <= 2)
		return;
	USE("invalid column number: %d\n", o->sort_column);
	USE("force to set it to --sort-column=%d for diff percentage\n", 2);
	o->sort_column = 2;
}

static void apply_column_offset(struct uft_opts *o, const char *value)
{
	o->column_offset = (int)strtol(value, NULL, 0);
	if (o->column_offset < 0)
		o->column_offset = 8;
}

static void apply_num_thread(struct uft_opts *o, const char *value)
{
	o->num_thread = (int)strtol(value, NULL, 0);
	if (o->num_thread >= 0)
		return;
	USE("invalid thread number: %s\n", value);
	o->num_thread = 0;
}

static void apply_rt_prio(struct uft_opts *o, const char *value)
{
	o->rt_prio = (int)strtol(value, NULL, 0);
	if (o->rt_prio >= 1 && o->rt_prio <= 99)
		return;
	USE("invalid rt prioity: %d (ignoring...)\n", o->rt_prio);
	o->rt_prio = 0;
}

static void apply_match(struct uft_opts *o, const char *value)
{
	o->match_glob = !strcmp(value, "glob");
	if (!o->match_glob && strcmp(value, "regex"))
		USE("invalid match pattern: %s (ignoring...)\n", value);
}

static void apply_clock(struct uft_opts *o, const char *value)
{
	static const char *const clocks[] = {"mono", "mono_raw", "boot", NULL};

	o->clock = value;
	if (find_word(value, clocks) >= 0)
		return;
	USE("invalid clock source: '%s' (force to use 'mono')\n", value);
	o->clock = "mono";
}

static void apply_sample_time(struct uft_opts *o, const char *value)
{
	o->sample_time_ns = uft_parse_time(o, value, 9);
}

static void apply_kernel_full(struct uft_opts *o, const char *value)
{
	(void)value;
	o->kernel_full = true;
	o->kernel_skip_out = false;
}

static void apply_pid(struct uft_opts *o, const char *value)
{
	o->pid = (int)strtol(value, NULL, 0);
}

static void apply_nothing(struct uft_opts *o, const char *value)
{
	(void)o;
	(void)value;
}

static void apply_debug(struct uft_opts *o, const char *value)
{
	(void)value;
	o->debug++;
}

#define AT(field) offsetof(struct uft_opts, field)
#define FLAG(name, letter, field, help)                                 \
	{                                                               \
		name, letter, NULL, UFT_OPT_FLAG, AT(field), NULL, help \
	}
#define STRING(name, letter, arg, field, help)                           \
	{                                                                \
		name, letter, arg, UFT_OPT_STRING, AT(field), NULL, help \
	}
#define LIST(name, letter, arg, field, help)                           \
	{                                                              \
		name, letter, arg, UFT_OPT_LIST, AT(field), NULL, help \
	}
#define NOT(name, letter, arg, field, help)                                \
	{                                                                  \
		name, letter, arg, UFT_OPT_LIST_NOT, AT(field), NULL, help \
	}
#define CALL(name, letter, arg, apply, help)                    \
	{                                                       \
		name, letter, arg, UFT_OPT_CALL, 0, apply, help \
	}

static const struct uft_option rows[] = {
	FLAG("agent", 'g', agent, "listen for commands while the program runs"),
	LIST("argument", 'A', "FUNC@ARG[,ARG…]", args, "record arguments of functions"),
	FLAG("auto-args", 'a', auto_args, "record arguments and return values of known functions"),
	FLAG("avg-self", 0, avg_self, "report average, minimum and maximum of self times"),
	FLAG("avg-total", 0, avg_total, "report average, minimum and maximum of total times"),
	CALL("buffer", 'b', "SIZE", apply_buffer, "size of a recording buffer"),
	CALL("caller-filter", 'C', "FUNC", apply_caller, "only functions that call FUNC"),
	FLAG("chrome", 0, chrome, "dump as JSON for Chrome's viewer"),
	CALL("clock", 0, "CLOCK", apply_clock, "clock of times: mono, mono_raw, boot"),
	CALL("color", 0, "WHEN", apply_colour, "colours: yes, no, auto"),
	CALL("column-offset", 0, "N", apply_column_offset, "indentation of each column"),
	FLAG("column-view", 0, column_view, "a column for each task"),
	CALL("data", 'd', "DIR", apply_dir, "directory of the recording"),
	CALL("debug", 'v', NULL, apply_debug, "accepted; has no effect"),
	STRING("debug-domain", 0, "DOMAIN", debug_domain, "accepted; has no effect"),
	CALL("demangle", 0, "HOW", apply_demangle, "C++ names: full, simple, no"),
	CALL("depth", 'D', "N", apply_depth, "only calls up to this depth"),
	STRING("diff", 0, "DIR", diff, "compare with another recording"),
	STRING("diff-policy", 0, "POLICY", diff_policy,
	       "how to compare: abs, compact, percent, full, no-…"),
	FLAG("disable", 0, disabled, "begin with tracing switched off"),
	FLAG("estimate-return", 'e', estimate_return, "record entries only, estimate returns"),
	CALL("Event", 'E', "EVENT", apply_event, "record an event"),
	FLAG("event-full", 0, event_full, "show events outside of functions, too"),
	LIST("filter", 'F', "FUNC", filter, "only FUNC and what it calls"),
	FLAG("flame-graph", 0, flame_graph, "dump as folded stacks"),
	FLAG("flat", 0, flat, "one line for each record"),
	FLAG("force", 0, force, "run programs that cannot be traced, too"),
	CALL("format", 0, "FORMAT", apply_format,
	     "output: normal, html; of dump: chrome, flame-graph, graphviz, mermaid"),
	FLAG("graphviz", 0, graphviz, "dump as a graph for dot"),
	FLAG("help", 'h', show_help, "this text"),
	LIST("hide", 'H', "FUNC", hide, "hide FUNC, not what it calls"),
	STRING("host", 0, "HOST", host, "send the recording to a host"),
	FLAG("keep-pid", 0, keep_pid, "run the program in the process of the recorder"),
	FLAG("kernel", 'k', kernel, "record functions of the kernel, too"),
	CALL("kernel-buffer", 0, "SIZE", apply_kernel_buffer, "size of a kernel buffer"),
	CALL("kernel-depth", 'K', "N", apply_kernel_depth,
	     "functions of the kernel up to this depth"),
	CALL("kernel-full", 0, NULL, apply_kernel_full,
	     "show kernel functions outside of functions, too"),
	FLAG("kernel-only", 0, kernel_only, "show only functions of the kernel"),
	FLAG("kernel-skip-out", 0, kernel_skip_out, "the default; deprecated"),
	STRING("libmcount-path", 0, "DIR", libmcount_path, "accepted; has no effect"),
	FLAG("libmcount-single", 0, libmcount_single, "accepted; has no effect"),
	FLAG("libname", 0, libname, "show the library of library calls"),
	FLAG("list-event", 0, list_event, "list the events that can be recorded"),
	CALL("loc-filter", 'L', "PLACE", apply_loc, "only functions of these source files"),
	STRING("logfile", 0, "FILE", logfile, "messages go to a file"),
	CALL("match", 0, "HOW", apply_match, "names of functions are: regex, glob"),
	CALL("max-stack", 0, "N", apply_max_stack, "largest depth that is recorded"),
	FLAG("mermaid", 0, mermaid, "dump as a mermaid graph in a page"),
	CALL("nest-libcall", 'l', NULL, apply_nest_libcall, "record calls between libraries, too"),
	FLAG("no-args", 0, no_args, "show no arguments and return values"),
	CALL("no-callsite", 0, NULL, apply_nothing, "accepted; has no effect"),
	FLAG("no-comment", 0, no_comment, "no names after closing braces"),
	FLAG("no-event", 0, no_event, "no events"),
	FLAG("no-libcall", 0, no_libcall, "no library calls"),
	FLAG("no-merge", 0, no_merge, "two lines for every call"),
	FLAG("no-pager", 0, no_pager, "no pager"),
	FLAG("no-pltbind", 0, no_pltbind, "set LD_BIND_NOT for the program"),
	FLAG("no-randomize-addr", 0, no_randomize, "run the program without random addresses"),
	FLAG("no-sched", 0, no_sched, "no events of the scheduler"),
	FLAG("no-sched-preempt", 0, no_sched_preempt, "no preemptions"),
	FLAG("nop", 0, nop, "run the program without recording"),
	NOT("notrace", 'N', "FUNC", filter, "neither FUNC nor what it calls"),
	CALL("num-thread", 0, "N", apply_num_thread, "accepted; has no effect"),
	STRING("opt-file", 0, "FILE", opt_file, "read options from a file"),
	STRING("output-fields", 'f', "FIELD[,…]", fields,
	       "columns; +FIELD adds to the default, none"),
	LIST("patch", 'P', "FUNC", patch, "trace FUNC of a program that is not instrumented"),
	CALL("pid", 'p', "PID", apply_pid, "control the recording of a process"),
	CALL("port", 0, "PORT", apply_port, "port of --host and recv"),
	FLAG("record", 0, record, "record first"),
	FLAG("report", 0, report, "report first"),
	LIST("retval", 'R', "FUNC@retval", retval, "record return values of functions"),
	CALL("rt-prio", 0, "PRIO", apply_rt_prio, "accepted; has no effect"),
	STRING("run-cmd", 0, "COMMAND", run_cmd, "run a command after a recording was received"),
	CALL("sample-time", 0, "TIME", apply_sample_time, "one sample of a flame graph"),
	STRING("script", 'S', "FILE", script, "run a script"),
	LIST("signal", 0, "SIG@ACTION", signal, "act when the program gets a signal"),
	CALL("size-filter", 'Z', "BYTES", apply_size_filter,
	     "only functions of at least this size"),
	LIST("sort", 's', "KEY[,…]", sort_keys, "order of the report"),
	CALL("sort-column", 0, "N", apply_sort_column, "column by which a comparison is sorted"),
	FLAG("srcline", 0, srcline, "source lines of functions"),
	FLAG("symbols", 0, symbols, "print symbols"),
	FLAG("task", 0, show_task, "tasks instead of functions"),
	FLAG("task-newline", 0, task_newline, "an empty line where the task changes"),
	CALL("tid", 0, "TID[,…]", apply_tid, "only these tasks"),
	FLAG("time", 0, time, "print how long the program took"),
	CALL("time-filter", 't', "TIME", apply_time_filter, "only calls that took this long"),
	CALL("time-range", 'r', "TIME~TIME", apply_range, "only this range of time"),
	CALL("trace", 0, "STATE", apply_trace, "begin with tracing on or off"),
	LIST("trigger", 'T', "FUNC@ACTION[,…]", trigger, "act when FUNC is called"),
	NOT("unpatch", 'U', "FUNC", patch, "do not trace FUNC"),
	FLAG("usage", 0, show_usage, "this text"),
	CALL("verbose", 0, NULL, apply_debug, "accepted; has no effect"),
	FLAG("version", 'V', show_version, "the version"),
	LIST("watch", 'W', "POINT", watch, "record changes of a value"),
	STRING("with-syms", 0, "DIR", with_syms, "use symbol files of a directory"),
};

const struct uft_option *uft_option_of_key(int key)
{
	if (key >= KEY_FIRST && key < KEY_FIRST + (int)ARRAY_LEN(rows))
		return &rows[key - KEY_FIRST];
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].letter && rows[i].letter == key)
			return &rows[i];
	return NULL;
}

struct option *uft_options_for_getopt(struct arena *a, char *letters, size_t n_bytes)
{
	struct option *longs = arena_alloc_array(a, ARRAY_LEN(rows) + 1, sizeof(*longs));
	char *p = letters, *end = letters + n_bytes - 3;
	size_t n = 0;

	*p++ = '+';
	for (size_t i = 0; longs && i < ARRAY_LEN(rows); i++) {
		const struct uft_option *row = &rows[i];

		if (row->name)
			longs[n++] = (struct option){row->name,
						     row->arg ? required_argument : no_argument,
						     NULL, KEY_FIRST + (int)i};
		if (!row->letter || p >= end)
			continue;
		*p++ = row->letter;
		if (row->arg)
			*p++ = ':';
	}
	*p = 0;
	return longs;
}

void uft_opts_print_help(FILE *to)
{
	fputs("usage: uftrace [COMMAND] [OPTION…] [PROGRAM [ARGUMENT…]]\n\nCommands:\n", to);
	for (const struct uft_command *c = uft_commands; c->name; c++)
		fprintf(to, "  %-8s  %s\n", c->name, c->summary);
	fputs("\nWithout a command: live.\n\nOptions:\n", to);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char word[80];

		snprintf(word, sizeof(word), "%s%s%s%s", rows[i].name ? "--" : "",
			 rows[i].name ? rows[i].name : "", rows[i].arg ? " " : "",
			 rows[i].arg ? rows[i].arg : "");
		fprintf(to, "  %c%c%c %-28s %s\n", rows[i].letter ? '-' : ' ',
			rows[i].letter ? rows[i].letter : ' ',
			rows[i].letter && rows[i].name ? ',' : ' ', word, rows[i].help);
	}
}
