// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recordopts.c - what the options of record and its like do to the plan.
 *
 * Most add a word to a list of the buffer that was named last (-B). The words of guests (-A) never
 * come here: remote/guests.c takes them out before, for the guests' agents.
 */
#include "cli/record/recordopts.h"

#include "analyse/profile/hook.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/bootline.h"
#include "capture/user/choice.h"
#include "capture/user/values.h"
#include "cli/screen/statusline.h"
#include "live/calls/livecalls.h"
#include "live/profile.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define CMDLINES_MAX 32768 /* PID_MAX_DEFAULT of the kernel, which refuses more */

void recordopts_tell(const char *sentence)
{
	fprintf(stderr, "sonde: %s\n", sentence);
}

static void say(const char *line)
{
	fprintf(stderr, "%s\n", line);
}

const struct live_front recordopts_front = {
	.tell = recordopts_tell, .say = say, .end_interrupt = statusline_end_interrupt};

int recordopts_init(struct live_request *o)
{
	return live_request_init(o, &recordopts_front);
}

static struct plan *plan_of(void *opts)
{
	return &((struct live_request *)opts)->plan;
}

static int kept(int r, struct errmsg *err)
{
	return r < 0 ? errmsg_set_errno(err, r, "cannot keep the options") : 0;
}

int recordopts_event(void *opts, const char *value, struct errmsg *err)
{
	struct live_request *o = opts;

	o->has_negated |= o->negate;
	return kept(plan_add_event(&o->plan, value, o->negate), err);
}

int recordopts_filter(void *opts, const char *value, struct errmsg *err)
{
	return plan_add_filter(plan_of(opts), value, err);
}

int recordopts_trigger(void *opts, const char *value, struct errmsg *err)
{
	return plan_add_trigger(plan_of(opts), value, err);
}

int recordopts_negate(void *opts, const char *value, struct errmsg *err)
{
	((struct live_request *)opts)->negate = true;
	return 0;
}

int recordopts_buffer(void *opts, const char *value, struct errmsg *err)
{
	struct live_request *o = opts;
	struct plan_buffer *b;

	if (!*value || *value == '.' || strchr(value, '/'))
		return errmsg_set(err, -EINVAL, "'%s' cannot be the name of an instance (-B)",
				  value);
	for (size_t i = 0; i < o->plan.n_buffers; i++)
		if (!strcmp(o->plan.buffers[i].name, value))
			return errmsg_set(err, -EINVAL, "the instance %s is named twice (-B)",
					  value);
	b = plan_add_buffer(&o->plan, value);
	if (!b)
		return kept(-ENOMEM, err);
	b->is_removed = o->negate;
	o->negate = false;
	return 0;
}

static int set_word(char **word, const char *value, struct errmsg *err)
{
	free(*word);
	*word = strdup(value);
	return kept(*word ? 0 : -ENOMEM, err);
}

int recordopts_tracer(void *opts, const char *value, struct errmsg *err)
{
	struct plan_buffer *b = plan_buffer(plan_of(opts));

	if (b->tracer)
		return errmsg_set(
			err, -EINVAL,
			"a buffer has one tracer, but -p %s and -p %s are given; use -B for a "
			"second buffer",
			b->tracer, value);
	return set_word(&b->tracer, value, err);
}

int recordopts_clock(void *opts, const char *value, struct errmsg *err)
{
	struct live_request *o = opts;

	o->tsc2nsec |= !strcmp(value, "tsc2nsec");
	return set_word(&plan_buffer(&o->plan)->clock, value, err);
}

/* "-1" is every CPU. */
int recordopts_cpumask(void *opts, const char *value, struct errmsg *err)
{
	const char *mask = !strncmp(value, "0x", 2) ? value + 2 : value;

	if (strcmp(value, "-1") &&
	    (!*mask || strspn(mask, "0123456789abcdefABCDEF,") != strlen(mask)))
		return errmsg_set(err, -EINVAL,
				  "'%s' is not a mask of CPUs (-M): hex digits, as f0", value);
	return set_word(&plan_buffer(plan_of(opts))->cpumask, mask, err);
}

/* "512", "512K", "16M", "1G": the first is KB, too. */
static int parse_kb(const char *value, const char *option, long long *ret_kb, struct errmsg *err)
{
	static const char units[] = "KMG";
	char *end;
	long long kb = strtoll(value, &end, 0);
	const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	int shift = unit ? 10 * (int)(unit - units) : 0;

	if (end == value || end[unit ? 1 : 0] || kb <= 0 || kb > (1LL << 40) >> shift)
		return errmsg_set(err, -EINVAL,
				  "%s takes a size in KB, or with a unit (K, M, G), not '%s'",
				  option, value);
	*ret_kb = kb << shift;
	return 0;
}

int recordopts_size(void *opts, const char *value, struct errmsg *err)
{
	return parse_kb(value, "-b", &plan_buffer(plan_of(opts))->size_kb, err);
}

int recordopts_max_size(void *opts, const char *value, struct errmsg *err)
{
	long long *kb = &((struct live_request *)opts)->max_kb;

	*kb = 0;
	return !strcmp(value, "0") ? 0 : parse_kb(value, "-m", kb, err); /* 0: all, as trace-cmd */
}

int recordopts_cmdlines(void *opts, const char *value, struct errmsg *err)
{
	char *end;
	long long n = strtoll(value, &end, 0);

	if (end == value || *end || n < 1 || n > CMDLINES_MAX)
		return errmsg_set(err, -EINVAL,
				  "--cmdlines-size takes a number of names from 1 to %d, not '%s'",
				  CMDLINES_MAX, value);
	plan_of(opts)->cmdlines_size = n;
	return 0;
}

int recordopts_subbuf(void *opts, const char *value, struct errmsg *err)
{
	return parse_kb(value, "--subbuf-size", &plan_buffer(plan_of(opts))->subbuf_kb, err);
}

int recordopts_option(void *opts, const char *value, struct errmsg *err)
{
	return kept(plan_words_add(&plan_buffer(plan_of(opts))->options, value), err);
}

int recordopts_function(void *opts, const char *value, struct errmsg *err)
{
	return kept(plan_words_add(&plan_buffer(plan_of(opts))->functions, value), err);
}

int recordopts_no_function(void *opts, const char *value, struct errmsg *err)
{
	return kept(plan_words_add(&plan_buffer(plan_of(opts))->no_functions, value), err);
}

int recordopts_graph(void *opts, const char *value, struct errmsg *err)
{
	return kept(plan_words_add(&plan_buffer(plan_of(opts))->graph_functions, value), err);
}

int recordopts_no_graph(void *opts, const char *value, struct errmsg *err)
{
	return kept(plan_words_add(&plan_buffer(plan_of(opts))->no_graph_functions, value), err);
}

int recordopts_module(void *opts, const char *value, struct errmsg *err)
{
	return kept(plan_words_add(&plan_buffer(plan_of(opts))->modules, value), err);
}

int recordopts_pid(void *opts, const char *value, struct errmsg *err)
{
	return kept(plan_words_split(&plan_buffer(plan_of(opts))->pids, value), err);
}

int recordopts_probe(void *opts, const char *value, struct errmsg *err)
{
	return kept(plan_words_add(&plan_of(opts)->probes, value), err);
}

int recordopts_hook(void *opts, const char *value, struct errmsg *err)
{
	return kept(plan_words_add(&((struct live_request *)opts)->hooks, value), err);
}

/* guest_list_take() has taken every -A that is a word of its own. */
int recordopts_guest(void *opts, const char *value, struct errmsg *err)
{
	return errmsg_set(err, -EINVAL, "-A stands by itself, not behind other letters: -A %s",
			  value);
}

int recordopts_sleep(void *opts, const char *value, struct errmsg *err)
{
	char *end;
	long long us = strtoll(value, &end, 0);

	if (end == value || *end || us < 0 || us > 3600000000LL)
		return errmsg_set(err, -EINVAL, "-s takes microseconds, not '%s'", value);
	((struct live_request *)opts)->sleep_us = us;
	return 0;
}

int recordopts_max_rate(void *opts, const char *value, struct errmsg *err)
{
	char *end;
	long long n = strtoll(value, &end, 0);

	if (end == value || *end || n <= 0)
		return errmsg_set(err, -EINVAL,
				  "--max-rate takes a number of hits per second above 0, not '%s'",
				  value);
	plan_of(opts)->max_rate = n;
	return 0;
}

/* Alone it selects all functions of the program, beside what other -u select. */
int recordopts_user(void *opts, const char *value, struct errmsg *err)
{
	struct live_request *o = opts;
	bool is_exclude;

	/* -u=GLOB: the help shows --user-functions[=GLOB], and no name begins like that */
	if (value && *value == '=')
		value++;
	is_exclude = value && *value == '!';
	o->has_user = true;
	if (!value)
		o->user_choice.has_program = true;
	return value ? userchoice_add(&o->user_choice, value + is_exclude, is_exclude, err) : 0;
}

int recordopts_no_user(void *opts, const char *value, struct errmsg *err)
{
	struct live_request *o = opts;

	o->has_user = true;
	return userchoice_add(&o->user_choice, value, true, err);
}

int recordopts_syscalls(void *opts, const char *value, struct errmsg *err)
{
	return livecalls_choose(opts, value, err);
}

int recordopts_exit_status(int wait_status)
{
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

int recordopts_kernel_depth(void *opts, const char *value, struct errmsg *err)
{
	struct live_request *o = opts;
	char *end;

	o->plan.graph_depth = strtoll(value, &end, 10);
	if (*end || end == value || o->plan.graph_depth < 1)
		return errmsg_set(err, -EINVAL, "--kernel-depth is a number of calls, not '%s'",
				  value);
	o->has_kernel_depth = true;
	return 0;
}

/* --kernel-depth without a tracer means function_graph; another tracer has no depth. */
static int use_graph(struct live_request *o, struct errmsg *err)
{
	struct plan_buffer *b = &o->plan.buffers[0];

	if (!b->tracer)
		return recordopts_tracer(o, "function_graph", err);
	return strcmp(b->tracer, "function_graph")
		       ? errmsg_set(err, -EINVAL,
				    "--kernel-depth is for the tracer function_graph, not for %s",
				    b->tracer)
		       : 0;
}

int recordopts_auto_values(void *opts, const char *value, struct errmsg *err)
{
	((struct live_request *)opts)->user_values.is_automatic = true;
	return 0;
}

int recordopts_arg(void *opts, const char *value, struct errmsg *err)
{
	return valuerules_add_args(&((struct live_request *)opts)->user_values, value, err);
}

int recordopts_retval(void *opts, const char *value, struct errmsg *err)
{
	return valuerules_add_retval(&((struct live_request *)opts)->user_values, value, err);
}

int recordopts_condition(void *opts, const char *value, struct errmsg *err)
{
	return valuerules_add_condition(&((struct live_request *)opts)->user_values, value, err);
}

int recordopts_user_full(void *opts, const char *value, struct errmsg *err)
{
	struct live_request *o = opts;

	if (strcmp(value, "wait") && strcmp(value, "drop"))
		return errmsg_set(err, -EINVAL, "--user-full is wait or drop, not '%s'", value);
	o->user_drops = !strcmp(value, "drop");
	o->has_user_full = true;
	return 0;
}

/*
 * The words after -u are globs if a "--" tells where the command begins: -u GLOB becomes -uGLOB.
 * The first replaces the bare -u. The words live until the end.
 */
int recordopts_join_user(int *argc, char **argv, struct errmsg *err)
{
	int end = 1, to = 1;

	while (end < *argc && strcmp(argv[end], "--"))
		end++;
	for (int i = 1; i < *argc; i++) {
		bool is_u = i < end && end < *argc &&
			    (!strcmp(argv[i], "-u") || !strcmp(argv[i], "--user-functions"));
		int bare = to;

		argv[to++] = argv[i];
		for (; is_u && i + 1 < end && argv[i + 1][0] != '-'; i++) {
			char *word;

			if (asprintf(&word, "--user-functions=%s", argv[i + 1]) < 0)
				return errmsg_set_errno(err, -ENOMEM, "cannot keep the options");
			to = bare++;
			argv[to++] = word;
		}
	}
	argv[to] = NULL;
	*argc = to;
	return 0;
}

int recordopts_sample(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_sample(&((struct live_request *)opts)->samples, value, err);
}

int recordopts_counters(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_counters(&((struct live_request *)opts)->samples, value, err);
}

int recordopts_counters_interval(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_counter_interval(&((struct live_request *)opts)->samples, value, err);
}

int recordopts_stacks(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_stacks(&((struct live_request *)opts)->samples, value, err);
}

int recordopts_off_cpu(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_off_cpu(&((struct live_request *)opts)->samples, value, err);
}

int recordopts_verbose(void *opts, const char *value, struct errmsg *err)
{
	((struct live_request *)opts)->verbose = value ? value : "";
	return 0;
}

/* --- all together ----------------------------------------------------------------------------- */

static bool is_list_word(const char *word)
{
	return !strchr(word, ':') || strstr(word, ":mod:");
}

/* Refuses functions without a tracer that uses them; FUNCTION:COMMAND needs no tracer. */
static int check_functions(const struct plan *p, struct errmsg *err)
{
	for (size_t i = 0; i < p->n_buffers && !p->keep_before; i++) {
		const struct plan_buffer *b = &p->buffers[i];
		const char *which = b->graph_functions.n      ? "-g"
				    : b->no_graph_functions.n ? "--graph-notrace"
				    : b->no_functions.n	      ? "-n"
				    : b->modules.n	      ? "--module"
							      : NULL;

		for (size_t k = 0; k < b->functions.n; k++)
			which = is_list_word(b->functions.words[k]) ? "-l" : which;
		if (which && !b->tracer)
			return errmsg_set(err, -EINVAL, "%s needs a tracer: -p function%s", which,
					  which[1] == 'g' || which[2] == 'g'
						  ? "_graph"
						  : " or -p function_graph");
	}
	return 0;
}

static int check_words(const struct live_request *o, struct errmsg *err)
{
	char *end;

	TRY(check_functions(&o->plan, err));
	if (o->negate && !o->has_negated)
		return errmsg_set(err, -EINVAL,
				  "-v excludes the events (-e) that follow it, but none follows");
	if (o->ts_offset && (strtoll(o->ts_offset, &end, 0), end == o->ts_offset || *end))
		return errmsg_set(err, -EINVAL, "--ts-offset takes a number, not '%s'",
				  o->ts_offset);
	for (size_t i = 0; i < o->hooks.n; i++) {
		struct profile_hook hook;

		TRY(profile_hook_parse(&hook, o->hooks.words[i], strlen(o->hooks.words[i]), err));
		profile_hook_release(&hook);
	}
	return 0;
}

int recordopts_check(struct live_request *o, bool has_command, struct errmsg *err)
{
	bool has_pids = false, is_whole_profile;

	for (size_t i = 0; i < o->plan.n_buffers; i++)
		has_pids |= o->plan.buffers[i].pids.n > 0;
	if (o->plan.only_command && !has_command)
		return errmsg_set(err, -EINVAL, "-F needs a command to trace");
	if (o->plan.children && !o->plan.only_command && !has_pids)
		return errmsg_set(
			err, -EINVAL,
			"-c is for the children of what -F or -P picks out; give one of them");
	if (o->has_user && (o->host || o->vsock))
		return errmsg_set(err, -EINVAL,
				  "user functions (-u) cannot be sent to another machine (-N, -V)");
	if (o->samples.is_wanted && (o->host || o->vsock))
		return errmsg_set(err, -EINVAL,
				  "samples (--sample) cannot be sent to another machine (-N, -V)");
	if (!o->samples.counters.n && o->samples.counter_ms)
		return errmsg_set(err, -EINVAL, "--counters-interval is for --counters");
	if (!o->samples.is_wanted && (o->samples.has_stacks || o->samples.is_everywhere ||
				      o->samples.only_threads || o->samples.no_inherit))
		return errmsg_set(err, -EINVAL,
				  "--stacks, --sample-all, --sample-threads and --no-inherit are "
				  "for samples; give --sample");
	if (o->syscalls && (o->host || o->vsock))
		return errmsg_set(
			err, -EINVAL,
			"system calls (--syscalls) cannot be sent to another machine (-N, -V)");
	if (o->waits_children && !has_command)
		return errmsg_set(err, -EINVAL, "--wait-children needs a command");
	if (o->user_probes && !o->has_user)
		return errmsg_set(err, -EINVAL, "--user-probes is for user functions; give -u");
	if ((o->user_choice.has_libcalls || o->user_choice.only_counted) && !o->has_user)
		return errmsg_set(
			err, -EINVAL,
			"--libcalls and --only-instrumented are for user functions; give -u");
	if (o->has_user_full && !o->has_user)
		return errmsg_set(err, -EINVAL, "--user-full is for user functions; give -u");
	if (o->user_values.is_plain && valuerules_are_empty(&o->user_values))
		return errmsg_set(err, -EINVAL,
				  "--plain-values is about values; give --args, --arg or --retval");
	if (!valuerules_are_empty(&o->user_values) && !o->has_user)
		return errmsg_set(
			err, -EINVAL,
			"--args, --arg, --retval and --if are for user functions; give -u");
	if (o->has_user && !plan_does_something(&o->plan) && !o->plan.probes.n &&
	    (o->plan.only_command || (has_pids && has_command) || o->plan.stacks))
		return errmsg_set(
			err, -EINVAL,
			"-F, -T and, with a command, -P are for events of the kernel, and -u "
			"alone records none; leave them out, or add -e or -p");
	if (o->user && !has_command)
		return errmsg_set(err, -EINVAL, "--user needs a command to run");
	if (o->date && o->ts_offset)
		return errmsg_set(err, -EINVAL, "--date and --ts-offset cannot be used together");
	if (o->file_version != 6 && o->file_version != 7)
		return errmsg_set(err, -EINVAL, "--file-version is 6 or 7");
	if (o->rt_priority < 0 || o->rt_priority > 99)
		return errmsg_set(err, -EINVAL, "-r takes a real-time priority from 1 to 99");
	if (o->has_kernel_depth)
		TRY(use_graph(o, err));
	if (o->plan.graph_depth < 0)
		return errmsg_set(err, -EINVAL, "a depth cannot be negative");
	is_whole_profile = o->profile && !o->only_named && o->plan.n_buffers == 1;
	if (is_whole_profile && live_profile_add_tracer(o) < 0)
		return kept(-ENOMEM, err);
	if (!o->is_peer && check_words(o, err) < 0)
		return errmsg_code(err);
	return is_whole_profile ? kept(live_profile_add_events(o), err) : 0;
}

int recordopts_print_bootline(const struct plan *plan, struct errmsg *err)
{
	TEXTBUF(tb, 1 << 20);

	if (bootline_fmt(plan, &tb, recordopts_tell, err) < 0)
		return errmsg_code(err);
	printf("%.*s\n", (int)textbuf_len(&tb) - 1, tb.start + 1);
	return 0;
}

int recordopts_carry_out(struct live_request *o, int n, char **argv, const char *needs,
			 int (*go)(struct live_request *o, char **argv, struct errmsg *err),
			 struct errmsg *err)
{
	if (!plan_does_something(&o->plan) && !o->has_user && !o->syscalls && !o->samples.is_wanted)
		return errmsg_set(err, -EINVAL, "%s", needs);
	if (o->boot)
		return recordopts_print_bootline(&o->plan, err);
	argv[n + 1] = NULL; /* behind the words that were moved to the front */
	return go(o, n > 0 ? argv + 1 : NULL, err);
}
