// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_inject.c - `sonde inject`: makes kernel functions fail for one process, to test how it
 * reacts.
 *
 *	$ sonde inject openat=-ENOENT --after 10 -- cat /etc/hostname
 *	cat: /etc/hostname: No such file or directory
 *	sonde: 1 call was made to fail in process 4711 (cat) and what it started: __x64_sys_openat
 *	with -ENOENT (No such file or directory)
 *
 * This file has the options, lists and messages; capture/inject/run.h does the work.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/inject/injection.h"
#include "capture/inject/run.h"
#include "cli/command.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

struct inject_options {
	const char *faults[INJECTION_FAULTS_MAX];
	size_t n_faults;
	long long pid, times, after, every, probability, seconds;
	bool log, quiet;
};

static int apply_fault(void *opts, const char *value, struct errmsg *err)
{
	struct inject_options *o = opts;

	if (o->n_faults == INJECTION_FAULTS_MAX)
		return errmsg_set(err, -E2BIG, "inject takes up to %d functions (-e)",
				  INJECTION_FAULTS_MAX);
	o->faults[o->n_faults++] = value;
	return 0;
}

#define AT(field) offsetof(struct inject_options, field)

static const struct option_row rows[] = {
	ROW_CALL('e', "fail", "FUNCTION=VALUE",
		 "make this function fail with this value: openat=-ENOENT; repeatable",
		 apply_fault),
	ROW_NUMBER('p', "pid", "PID", "fail in this process, with all its threads", AT(pid)),
	ROW_HEADING("which calls"),
	ROW_NUMBER(0, "times", "N", "fail at most N calls", AT(times)),
	ROW_NUMBER(0, "after", "N", "let the first N calls succeed", AT(after)),
	ROW_NUMBER(0, "every", "N", "of the remaining calls, fail every N-th", AT(every)),
	ROW_NUMBER(0, "probability", "PERCENT", "of these, fail a random share", AT(probability)),
	ROW_HEADING("how to run"),
	ROW_NUMBER('d', "duration", "SECONDS", "stop after this time; the command continues",
		   AT(seconds)),
	ROW_FLAG(0, "log", "write each failure to the kernel log, with its stack", AT(log)),
	ROW_FLAG('q', "quiet", "print only errors", AT(quiet)),
	ROW_END,
};

/* --- list ------------------------------------------------------------------------------------- */

/*
 * Returns true if the function matches. A system call may be named without the prefix of the
 * architecture.
 */
static bool matches(const struct injectable *f, const char *pattern)
{
	const char *call = strstr(f->name, "_sys_");

	return !pattern || !fnmatch(pattern, f->name, 0) ||
	       (call && !fnmatch(pattern, call + strlen("_sys_"), 0));
}

static int list(const char *pattern, struct errmsg *err)
{
	SCOPED(injectables_release) struct injectables in = {0};
	struct injection site;
	bool any = false;

	if (injection_find(&site, err) < 0 || injectables_read(&in, site.dir, err) < 0)
		return errmsg_code(err);
	for (size_t i = 0; i < in.n; i++) {
		const struct injectable *f = &in.list[i];

		if (!matches(f, pattern))
			continue;
		printf("%-40s %-10s returns %s%s%s%s\n", f->name, inject_kind_word(f->kind),
		       inject_kind_meaning(f->kind), *f->module ? " (module " : "", f->module,
		       *f->module ? ")" : "");
		any = true;
	}
	if (any)
		return 0;
	return errmsg_set(err, -ENOENT, "no function that can fail is called '%.200s'%s",
			  pattern ? pattern : "*",
			  pattern && !strpbrk(pattern, "*?[")
				  ? "; a part of a name needs stars: '*NAME*'"
				  : "");
}

/* --- what is asked for ------------------------------------------------------------------------ */

static int check_options(const struct inject_options *o, bool has_command, struct errmsg *err)
{
	const struct {
		const char *name;
		long long value, from, to;
	} ranges[] = {
		{"times", o->times, 0, INJECTION_TIMES_MAX},
		{"after", o->after, 0, INJECTION_TIMES_MAX - 1},
		{"every", o->every, 1, INJECTION_TIMES_MAX},
		{"probability", o->probability, 1, 100},
		{"duration", o->seconds, 0, 1000000},
		{"pid", o->pid, 0, 1 << 22},
	};

	if (!o->n_faults)
		return errmsg_set(err, -EINVAL,
				  "inject: say what shall fail, and how: openat=-ENOENT; 'sonde "
				  "inject list' shows what can");
	for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
		if (ranges[i].value < ranges[i].from || ranges[i].value > ranges[i].to)
			return errmsg_set(err, -EINVAL, "inject: --%s is %lld to %lld, not %lld",
					  ranges[i].name, ranges[i].from, ranges[i].to,
					  ranges[i].value);
	if (!o->pid && !has_command)
		return errmsg_set(err, -EINVAL,
				  "inject: say where it shall fail: a command, or a process (-p "
				  "PID)");
	if (o->pid && has_command)
		return errmsg_set(err, -EINVAL,
				  "inject: a command and a process (-p) exclude each other");
	return 0;
}

/* --- the command ------------------------------------------------------------------------------ */

static void tell_start(void *ctx, const struct inject_facts *facts)
{
	const struct inject_options *o = ctx;
	char value[100];

	for (size_t i = 0; i < facts->n_faults; i++) {
		fault_fmt_value(&facts->faults[i], value, sizeof(value));
		fprintf(stderr, "sonde: in process %d (%s) %s returns %s\n", facts->pid,
			facts->comm, facts->faults[i].function->name, value);
	}
	if (!o->seconds)
		fputs("sonde: Ctrl-C ends it\n", stderr);
}

static void tell_end(void *ctx, const struct inject_facts *facts, long long count)
{
	char value[100], number[32] = "no call was";

	if (count == 1)
		snprintf(number, sizeof(number), "1 call was");
	else if (count > 1)
		snprintf(number, sizeof(number), "%lld calls were", count);
	fprintf(stderr, "sonde: %s made to fail in process %d (%s) and what it started:", number,
		facts->pid, facts->comm);
	for (size_t i = 0; i < facts->n_faults; i++) {
		fault_fmt_value(&facts->faults[i], value, sizeof(value));
		fprintf(stderr, "%s %s with %s", i ? "," : "", facts->faults[i].function->name,
			value);
	}
	fputc('\n', stderr);
}

/* Returns true for FUNCTION=VALUE, which is not the name of a command. */
static bool is_fault(const char *word)
{
	size_t len =
		strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");

	return len && word[len] == '=';
}

/*
 * Takes the faults without -e, which come first; options may follow each. Returns how many words
 * remain.
 */
static int take_faults(const struct command *cmd, struct inject_options *o, int n, char ***argv,
		       struct errmsg *err)
{
	while (n > 0 && (!o->n_faults || is_fault((*argv)[1]))) {
		int r = apply_fault(o, (*argv)[1], err);

		TRY(r);
		(*argv)++;
		n = command_parse(cmd, o, n, *argv, err);
	}
	return n;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct inject_options o = {.every = 1, .probability = 100};
	int n;

	if (argc >= 2 && !strcmp(argv[1], "list")) {
		if (argc > 3)
			return errmsg_set(err, -EINVAL, "inject list takes one pattern");
		return list(argc == 3 ? argv[2] : NULL, err);
	}
	n = command_parse(cmd, &o, argc, argv, err);
	TRY(n);
	n = take_faults(cmd, &o, n, &argv, err);
	TRY(n);
	TRY(check_options(&o, n > 0, err));
	if (n)
		argv[n + 1] = NULL;
	return inject_run(&(struct inject_config){.faults = o.faults,
						  .n_faults = o.n_faults,
						  .argv = n ? argv + 1 : NULL,
						  .pid = o.pid,
						  .times = o.times,
						  .after = o.after,
						  .every = o.every,
						  .probability = o.probability,
						  .seconds = o.seconds,
						  .log = o.log,
						  .started = o.quiet ? NULL : tell_start,
						  .ended = o.quiet ? NULL : tell_end,
						  .ctx = &o},
			  err);
}

const struct command cmd_inject = {
	.name = "inject",
	.summary = "make a kernel function fail for one process",
	.usage = "[options] FUNCTION=VALUE… [COMMAND [ARGUMENT…]] | list [PATTERN]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run,
	.args = "program",
};
