// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record.c - `uftrace record` and `uftrace live`: record with sonde's engine, then write the calls as
 * a uftrace.data directory.
 *
 *	check the program ─▶ sonde record -u (a process of its own) ─▶ trace.dat ─▶ uftwriter ─▶ directory
 *
 * Filters of uftrace (-F, -N, -t, -T, -C, -Z, -L, and -D with -F) are stored in the directory's
 * default.opts: every reader applies them, ours and uftrace's. A depth (-D) or a time (-t) without
 * filters and triggers is sonde record's, too: what nobody is going to see is not recorded. Whether a
 * function exists is known only when the program runs, and uftrace ignores filters that match none;
 * so -F and -N are only the reader's, and their calls cost what they cost.
 *
 * The exit status is uftrace's: 0, 1 if the program returned another status than 0, 2 if a signal
 * killed it.
 */
#include "analyse/calls/replay.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/errmsg.h"
#include "base/files/caller.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/as/uftrace/program.h"
#include "cli/as/uftrace/uftrace.h"
#include "cli/calls/callopts.h"
#include "cli/calls/recordfirst.h"
#include "decode/record.h"
#include "format/tracedat.h"
#include "rewrite/uftrace/uftwriter.h"
#include "store/packedtext.h"
#include "store/tracefile.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX      4096
#define FUNCTIONS_MAX  (256u << 20)
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

/* A pattern of -P or -U, as sonde writes it; '!' before it: not these. */
static void add_pattern(struct words *w, const char *pattern)
{
	bool is_not = *pattern == '!', is_plain;
	char text[1024];

	pattern += is_not;
	is_plain = w->o->match_glob || !strpbrk(pattern, ".?*+-^$|()[]{}");
	snprintf(text, sizeof(text), is_plain ? "%s%s" : "%s/%s/", is_not ? "" : "-u", pattern);
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

/* Which functions: patched ones, instrumented ones, calls into libraries. */
static void add_choice(struct words *w, enum uft_program_kind kind)
{
	if (w->o->patch)
		add_patterns(w);
	else
		add_word(w, "-u");
	if (!w->o->patch && kind != UFT_PROGRAM_CYG)
		add_word(w, "--only-instrumented");
	if (w->o->no_libcall)
		return;
	add_word(w, "--libcalls");
	/* uftrace has ended its recording before this one is called */
	add_word(w, "--no-user");
	add_word(w, "__cxa_finalize");
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

/* "FUNC@finish" of -T; readers do the rest. */
static void add_finish(struct words *w)
{
	char *list = arena_strndup(&w->o->arena, w->o->trigger, strlen(w->o->trigger)), *word;

	while ((word = list ? strsep(&list, ";") : NULL)) {
		char *at = strchr(word, '@'), text[1024];
		bool is_plain;

		if (!at || strcmp(at + 1, "finish"))
			continue;
		*at = 0;
		is_plain = w->o->match_glob || !strpbrk(word, ".?*+-^$|()[]{}");
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
	if (o->signal)
		add_signals(w);
	if (o->trigger)
		add_finish(w);
}

/*
 * --- the directory -----------------------------------------------------------------------------
 */

struct conversion {
	struct uftwriter *writer;
	struct errmsg *err;
	uint32_t
		max_depth; /* -D alone; with -F it is relative to that function, and the reader's */
	bool stop;
};

static void convert_item(void *ctx, const struct replay_item *item)
{
	struct conversion *c = ctx;
	const struct task *task = item->task ? item->task->task : NULL;
	struct uftwriter_call call = {.ts = item->ts, .depth = item->level};
	int r = 0;

	if (item->kind == REPLAY_LOST)
		uftwriter_lose(c->writer, item->n_lost);
	if (!task || !item->func || c->stop || item->level >= c->max_depth)
		return;
	call.tid = task->pid;
	call.tgid = task->tgid;
	call.func = item->func->addr;
	if (item->kind == REPLAY_ENTER)
		r = uftwriter_enter(c->writer, &call, c->err);
	else if (item->kind == REPLAY_LEAVE)
		r = uftwriter_leave(c->writer, &call, c->err);
	c->stop = r < 0;
}

static void visit(void *ctx, const struct record *rec)
{
	replay_add(ctx, rec);
}

SCOPED_POINTER(struct replay, replay_free)
SCOPED_POINTER(struct uftwriter, uftwriter_free)

static int read_functions(const struct callrun *run, struct textbuf *plain, struct piece *ret,
			  struct errmsg *err)
{
	const struct tracefile_option *o =
		tracefile_option_find(run->in.files[0].tf, SNF_OPTION_USER_FUNCTIONS);
	int r = o ? packedtext_read(o->data, plain, ret) : -ENODATA;

	return r < 0 ? errmsg_set_errno(err, r, "cannot read which functions were recorded") : 0;
}

static int convert_calls(const struct uft_opts *o, struct callrun *run, struct uftwriter *writer,
			 struct errmsg *err)
{
	SCOPED(replay_free_scoped) struct replay *rp = NULL;
	struct conversion c = {.writer = writer,
			       .err = err,
			       .max_depth =
				       o->filter || o->depth < 1 ? UINT32_MAX : (uint32_t)o->depth};
	struct replay_config config = {.no_merge = true,
				       .no_events = true,
				       .no_calls = true,
				       .ctx = &c,
				       .emit = convert_item};
	const uint8_t *events;
	size_t n_events;

	TRY(replay_new(&rp, callrun_formats(run), &config, err));
	events = replay_events(rp, &n_events);
	TRY(callrun_walk(run, events, n_events, visit, rp, &c.stop, err));
	replay_finish(rp);
	return c.stop ? errmsg_code(err) : 0;
}

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
		return true;
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

/* A list with ';' between; -F and -N are one list, in which '!' stands before the names of -N. */
static void add_list(const struct uft_opts *o, const char *letter, const char *list,
		     struct piece functions, struct textbuf *tb)
{
	char *copy = list ? strdup(list) : NULL, *rest = copy, *word;

	while ((word = rest ? strsep(&rest, ";") : NULL)) {
		bool is_not = *word == '!';

		if (!is_known(o, word + is_not, functions))
			continue;
		textbuf_addf(tb, "%s '", is_not ? "-N" : letter);
		add_pattern_text(o, word + is_not, tb);
		textbuf_add_str(tb, "'\n");
	}
	free(copy);
}

static void fmt_default_opts(const struct uft_opts *o, struct piece functions, struct textbuf *tb)
{
	add_list(o, "-F", o->filter, functions, tb);
	add_list(o, "-T", o->trigger, functions, tb);
	add_list(o, "-C", o->caller, functions, tb);
	if (o->loc_filter)
		textbuf_addf(tb, "-L '%s'\n", o->loc_filter);
	if (o->depth != UFT_DEPTH_DEFAULT && o->filter)
		textbuf_addf(tb, "-D %d\n", o->depth);
	if (o->size_filter)
		textbuf_addf(tb, "-Z %d\n", o->size_filter);
	if (o->time_filter_ns)
		textbuf_addf(tb, "-t %lluns\n", (unsigned long long)o->time_filter_ns);
}

/* with_filters: readers of the directory get them. */
static int convert(const struct uft_opts *o, struct recordfirst *first, struct uftwriter_run *about,
		   bool with_filters, struct errmsg *err)
{
	TEXTBUF(defaults, TEXT_MAX_BYTES);
	SCOPED(uftwriter_free_scoped) struct uftwriter *writer = NULL;
	SCOPED(textbuf_release) struct textbuf plain = {.max_bytes = FUNCTIONS_MAX};
	struct call_options none = {0};
	struct callrun run;
	struct piece functions = {0};
	int r = callrun_open(&run, &none, first->path, err);

	recordfirst_remove(first);
	if (r == -ENODATA) { /* no calls at all: the directory says so */
		*err = (struct errmsg){0};
		r = 0;
	}
	if (r >= 0)
		r = read_functions(&run, &plain, &functions, err);
	if (r >= 0)
		r = uftwriter_new(&writer, o->dir, functions, err);
	if (with_filters)
		fmt_default_opts(o, functions, &defaults);
	about->default_opts = textbuf_text(&defaults);
	if (r >= 0 && run.src.n)
		r = convert_calls(o, &run, writer, err);
	if (r >= 0)
		r = uftwriter_finish(writer, about, err);
	callrun_close(&run);
	return r;
}

/* What uftrace records and sonde does not. */
static void warn_missing(const struct uft_opts *o)
{
	if (o->args || o->retval || o->auto_args)
		uft_warn(o, "arguments and return values are not recorded (use sonde record -u)");
	if (o->kernel)
		uft_warn(o, "kernel tracing disabled: use sonde record -u -p function_graph");
	if (o->event)
		uft_warn(o, "events are not recorded: use sonde record -u -e EVENT");
	if (o->nest_libcall)
		uft_warn(o, "-l: calls between libraries are not recorded");
	if (o->watch)
		uft_warn(o, "--watch has no effect");
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

/* Records into o->dir. with_filters: readers of the directory get them. */
static int record(struct uft_opts *o, int argc, char **argv, bool with_filters)
{
	struct uftwriter_run about = {
		.max_stack = 1024, .is_glob = o->match_glob, .has_libcalls = !o->no_libcall};
	struct words w = {.o = o};
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
	add_word(&w, "-q");
	add_word(&w, "--");
	add_word(&w, path);
	for (int i = 1; i < argc; i++)
		add_word(&w, argv[i]);
	if (o->no_randomize)
		personality(ADDR_NO_RANDOMIZE);
	began = clock_now_ns();
	if (recordfirst_run(&first, w.n, w.list, &err) < 0) {
		uft_fail(o, "%s", err.text);
		return 1;
	}
	ns = clock_now_ns() - began;
	snprintf(elapsed, sizeof(elapsed), "%llu.%09llu", (unsigned long long)(ns / 1000000000),
		 (unsigned long long)(ns % 1000000000));
	about.exename = path;
	about.elapsed = elapsed;
	about.cmdline = o->cmdline;
	about.wait_status = first.wait_status;
	getrusage(RUSAGE_CHILDREN, &about.usage);
	if (caller_become() < 0 || convert(o, &first, &about, with_filters, &err) < 0) {
		recordfirst_remove(&first);
		uft_fail(o, "%s", err.text[0] ? err.text : "cannot write as the calling user");
		return 1;
	}
	if (o->time)
		print_times(&about);
	fflush(stdout);
	return status_of(o, first.wait_status);
}

int uft_record(struct uft_opts *o, int argc, char **argv)
{
	if (!argc) {
		uft_opts_print_help(stdout);
		return 1;
	}
	if (o->host) {
		uft_fail(o,
			 "--host: sonde cannot send to 'uftrace recv'; copy the directory instead");
		return 1;
	}
	if (o->nop)
		return run_plain(argv);
	return record(o, argc, argv, true);
}

int uft_record_into(struct uft_opts *o, int argc, char **argv)
{
	return record(o, argc, argv, false);
}

int uft_live(struct uft_opts *o, int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR");
	char place[256], dir[300];
	int status;

	if (!argc) {
		uft_opts_print_help(stdout);
		return 1;
	}
	if (o->nop)
		return run_plain(argv);
	snprintf(place, sizeof(place), "%.200s/uftrace-live-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!o->record) {
		if (recordfirst_make_dir(place) < 0) {
			uft_fail(o, "cannot make a directory like %s", place);
			return 1;
		}
		snprintf(dir, sizeof(dir), "%s/data", place);
		o->dir = dir;
	}
	status = record(o, argc, argv, o->record);
	if (o->signal) /* the recording has begun switched off: what there is came later */
		o->disabled = false;
	if (!access(o->dir, F_OK)) {
		const struct uft_command *c = uft_command_find(o->report ? "report" : "replay");

		if (c)
			c->run(o, 0, argv + argc);
	}
	if (!o->record) {
		uftwriter_remove(dir);
		rmdir(place);
	}
	return status;
}
