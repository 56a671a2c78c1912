// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userfunctions.c - records functions of the traced command.
 *
 * Times of user functions come from the processor's counter and are converted to the clock
 * mono_raw. Kernel events in the same file must have the same clock to be on one time line. So
 * mono_raw is the default then, and another clock is refused.
 */
#include "live/sources/userfunctions.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "store/events/userevents.h"
#include "capture/attach/attach.h"
#include "capture/calls/userlibrary.h"
#include "capture/calls/userrecording.h"
#include "capture/calls/usertrace.h"
#include "capture/record/child.h"
#include "capture/record/session.h"
#include "live/orders.h"
#include "live/request.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool userfunctions_are_alone(const struct live_request *o)
{
	return o->has_user && !plan_does_something(&o->plan) && !o->plan.probes.n;
}

static int check_request(const struct live_request *o, char **argv, struct errmsg *err)
{
	if (!argv && !o->plan.buffers[0].pids.n)
		return errmsg_set(err, -EINVAL,
				  "-u needs a command whose functions are traced, or running "
				  "processes (-P)");
	if (o->file_version != 7)
		return errmsg_set(err, -EINVAL, "-u needs version 7 of the file format");
	if (!argv && callrules_have_signals(&o->user_calls))
		return errmsg_set(
			err, -EINVAL,
			"--signal is for programs that sonde starts; for running processes "
			"(-P) use 'sonde ctl on', off and stop");
#if !defined(__x86_64__)
	if (!valuerules_are_empty(&o->user_values))
		return errmsg_set(err, -ENOTSUP,
				  "arguments and return values can be recorded on x86-64 only; "
				  "leave out --args, --arg, --retval and --if");
#endif
	return 0;
}

/* Checks a program that must be traced by the kernel's probes. */
static int check_probed(const struct live_request *o, const char *file, struct errmsg *err)
{
	bool has_values = !valuerules_are_empty(&o->user_values);

	if (!has_values && callrules_are_empty(&o->user_calls) && o->user_budget <= 0)
		return 0;
	return errmsg_set(err, -ENOTSUP, "%s%s record %s; leave out %s", o->user_probes ? "" : file,
			  o->user_probes ? "probes of the kernel (--user-probes)"
					 : " cannot load sonde's library (it is static, or gains "
					   "rights), and probes of the kernel",
			  has_values ? "no values" : "all calls of the chosen functions",
			  has_values ? "--args, --arg, --retval and --if"
				     : "rules for calls and --budget");
}

/* Running processes: whether hooks are possible in all of them, or root's probes must do it. */
static int check_processes(const struct live_request *o, const struct plan_words *pids,
			   bool *ret_probed, struct errmsg *err)
{
	struct errmsg why = {0};

	if (o->user_probes && geteuid())
		return errmsg_set(err, -EPERM, "only root can set probes (--user-probes)");
	*ret_probed = o->user_probes;
	for (size_t i = 0; i < pids->n && !*ret_probed && !geteuid(); i++) {
		pid_t pid = (pid_t)strtol(pids->words[i], NULL, 10);

		*ret_probed = pid > 0 && attach_check(&pid, &why) == -ENOTSUP;
	}
	if (!*ret_probed)
		return 0;
	TRY(check_probed(o, "a process", err));
	if (why.code)
		live_request_say(o,
				 "a process cannot load sonde's library, so probes of the kernel "
				 "trace the calls; each takes microseconds");
	return 0;
}

/*
 * Checks whether the program can be traced. If not, this is an error unless other events are
 * recorded. *ret_probed: the kernel's probes must do it.
 */
static int check_program(const struct live_request *o, char **argv, bool *ret_probed,
			 struct errmsg *err)
{
	const char *name = argv[0];
	char file[CHILD_FILE_BYTES];
	struct errmsg why = {0};

	if (child_find(name, file) < 0 &&
	    (strpbrk(name, "*?[@!") || (argv[1] && child_find(argv[1], file) >= 0)))
		return errmsg_set(
			err, -EINVAL,
			"there is no command '%s'; if it is a rule of -u, write -u'%s' as "
			"one word, or -- before the command",
			name, name);
	if (child_find(name, file) < 0) /* child_start() has a better message */
		return 0;
	if (o->user_probes && geteuid())
		return errmsg_set(err, -EPERM, "only root can set probes (--user-probes)");
	if (userlibrary_check_program(file, !geteuid() && !o->user, &why) >= 0 && !o->user_probes)
		return 0;
	*ret_probed = why.code != -ENOTSUP && !geteuid();
	if (*ret_probed && !o->user_probes && !o->quiet)
		o->front->tell(
			"this program cannot load sonde's library: probes of the kernel trace "
			"it, and a call takes microseconds");
	if (*ret_probed)
		return check_probed(o, file, err);
	if (userfunctions_are_alone(o))
		return errmsg_set(err, why.code, "%s", why.text);
	if (!o->quiet)
		o->front->tell(why.text);
	return 0;
}

int userfunctions_open(struct usertrace **ret, struct live_request *o, char **argv,
		       struct errmsg *err)
{
	const struct plan_words *pids = &o->plan.buffers[0].pids;
	struct usertrace_config config = {
		.choice = &o->user_choice,
		.values = valuerules_are_empty(&o->user_values) ? NULL : &o->user_values,
		.calls = callrules_are_empty(&o->user_calls) ? NULL : &o->user_calls,
		.pids = argv ? NULL : pids->words,
		.n_pids = argv ? 0 : pids->n,
		.drops = o->user_drops,
		.only_probes = o->user_probes,
		.budget_percent = o->user_budget};
	char file[CHILD_FILE_BYTES];
	bool is_probed = false;

	TRY(check_request(o, argv, err));
	if (argv)
		TRY(check_program(o, argv, &is_probed, err));
	else
		TRY(check_processes(o, pids, &config.pids_probed, err));
	if (is_probed && child_find(argv[0], file) >= 0)
		config.probed = file;
	TRY(live_request_set_clocks(o, USEREVENTS_CLOCK, "-u", err));
	TRY(usertrace_open(ret, &config, err));
	if (usertrace_keeper(*ret))
		plan_add_own(&o->plan, usertrace_keeper(*ret));
	if (usertrace_guardian(*ret))
		plan_add_own(&o->plan, usertrace_guardian(*ret));
	if (argv && child_find(argv[0], file) >= 0)
		usertrace_prepare(*ret, file);
	return 0;
}

static bool find_code(void *ctx, uint64_t inode, uint64_t offset, struct sampling_hook *ret)
{
	return userplans_find_code(usertrace_plans(ctx), inode, offset, ret);
}

void userfunctions_connect(struct usertrace *user, struct sampling *samples)
{
	sampling_set_finder(samples, find_code, user);
}

int userfunctions_record(struct live_request *o, const struct recording_config *config, char **argv,
			 struct record_outcome *ret_outcome, struct errmsg *err)
{
	struct usertrace *user = config->user;
	struct userrecording_config uc = {.file = config,
					  .user = user,
					  .samples = config->samples,
					  .argv = argv,
					  .waits = o->waits_children,
					  .run_as = o->user};
	struct record_outcome *oc = ret_outcome;
	struct orders orders = {.user = user, .path = config->path, .argv = argv};
	struct userrecording_end end = {0};
	struct userrecording *rec;
	int r = userrecording_open(&rec, &uc, err), r2;

	if (r < 0)
		return r;
	if (o->begun)
		o->begun(o->begun_ctx);
	else if (!argv)
		live_request_say(o, "recording to %s; Ctrl-C ends it", config->path);
	orders_open(&orders);
	r = userrecording_run(rec, &end, err);
	orders_close(&orders);
	o->front->end_interrupt(end.signal, argv);
	if (!end.signal && argv)
		session_tell_signal(end.command_status, "", live_request_tell(o));
	getrusage(RUSAGE_CHILDREN, &oc->command);
	oc->command_status = end.command_status;
	oc->running = end.running;
	oc->seconds = end.seconds;
	oc->n_cpus = end.n_cpus;
	oc->fd = userrecording_dup(rec);
	r2 = userrecording_finish(rec, &oc->sum, err);
	r = r < 0 ? r : r2;
	oc->has_failed = r < 0;
	return r;
}

/*
 * --- what is missing ---------------------------------------------------------------------------
 */

static void tell_plans(const struct live_request *o, const struct usertrace_sum *sum)
{
	const struct userplans_sum *p = &sum->plans;

	if (!p->n_processes && !sum->attached.n_processes)
		live_request_note(
			o, "no program could be traced: none has loaded the library that traces "
			   "functions (a static program, or one that gains rights, cannot)");
	else if (!p->n_functions)
		live_request_note(o, "no function was traced%s%s",
				  p->n_failed	 ? ": "
				  : p->n_without ? ""
						 : "; no function of the program has such a name",
				  p->n_failed ? p->why : "");
	else if (p->n_failed)
		live_request_note(o, "%u file%s could not be traced: %s", p->n_failed,
				  p->n_failed == 1 ? "" : "s", p->why);
	if (sum->n_failures)
		live_request_note(o,
				  "%u file%s could not be changed in a program, perhaps because of "
				  "breakpoints "
				  "or "
				  "probes of another tracer; its functions are missing",
				  sum->n_failures, sum->n_failures == 1 ? "" : "s");
	if (sum->n_refused)
		live_request_note(o, "%u request%s of programs could not be answered",
				  sum->n_refused, sum->n_refused == 1 ? "" : "s");
	/* a user who selects functions knows the program */
	if (*p->larger && !o->user_choice.n_rules)
		live_request_note(o, "most code of %s is in %s; -u'*@%.*s*' traces it", p->program,
				  p->larger, (int)strcspn(p->larger, "."), p->larger);
	if (p->n_without)
		live_request_note(o, "%llu function%s cannot be traced (%s)%s",
				  (unsigned long long)p->n_without, p->n_without == 1 ? "" : "s",
				  p->worst, o->verbose ? "" : "; --verbose lists them");
}

static void tell_calls(const struct live_request *o, const struct usertrace_sum *sum,
		       const char *names)
{
	const struct usercollector_sum *c = &sum->calls;

	if (sum->n_running)
		live_request_note(
			o,
			"%u process%s of the command still run%s and %s no longer recorded "
			"(--wait-children waits)",
			sum->n_running, sum->n_running == 1 ? "" : "es",
			sum->n_running == 1 ? "s" : "", sum->n_running == 1 ? "is" : "are");
	if (sum->n_no_slot)
		live_request_note(
			o,
			"%u thread%s not traced: no ring could be mapped (at most %u threads are "
			"traced at the same time; limits of memory and seccomp filters prevent it)",
			sum->n_no_slot, sum->n_no_slot == 1 ? " was" : "s were",
			USERTRACE_THREADS_MAX);
	if (sum->n_quiet)
		live_request_note(
			o,
			"%u thread%s not traced any more after giving up the right to read the "
			"counter (prctl)",
			sum->n_quiet, sum->n_quiet == 1 ? " was" : "s were");
	if (sum->n_switched_off)
		live_request_note(o,
				  "%u function%s switched off while recording%s: %s, and their "
				  "later calls are "
				  "missing",
				  sum->n_switched_off, sum->n_switched_off == 1 ? " was" : "s were",
				  o->user_budget > 0 ? " (--budget)" : "", names);
	if (c->n_deep)
		live_request_note(o, "%llu call%s not traced: too many inside each other",
				  (unsigned long long)c->n_deep,
				  c->n_deep == 1 ? " was" : "s were");
	if (c->n_broken || c->n_odd)
		live_request_note(
			o,
			"a program has damaged the memory of its trace: %u ring%s left out, %llu "
			"records make no sense",
			c->n_broken, c->n_broken == 1 ? " was" : "s were",
			(unsigned long long)c->n_odd);
	if (c->clock_is_bad)
		live_request_note(
			o, "the processor's counter does not follow the clock: times of user "
			   "functions are not exact");
	if (o->verbose && c->n_late)
		live_request_note(
			o, "%llu user events came late and have the time of their CPU's last event",
			(unsigned long long)c->n_late);
}

/* Rules that had no effect. */
static void tell_rules(const struct live_request *o)
{
	const char *text;
	size_t i = 0;

	while ((text = callrules_next_unused(&o->user_calls, &i)))
		live_request_note(o, "no function that could be traced matches the rule '%s'",
				  text);
	i = 0;
	while ((text = valuerules_next_unused(&o->user_values, &i)))
		live_request_note(o, "no function that could be traced matches '%s'", text);
}

static void tell_attached(const struct live_request *o, const struct userattached_sum *a)
{
	if (*a->why)
		live_request_note(o, "%s", a->why);
	if (a->n_kept)
		live_request_note(o,
				  "%u process%s may still return to code of sonde, which stays "
				  "there and does "
				  "nothing",
				  a->n_kept, a->n_kept == 1 ? "" : "es");
	if (o->verbose && a->n_processes)
		live_request_note(
			o,
			"the processes stood still for %.2f ms at the beginning and %.2f ms at the "
			"end",
			a->attach_ns / 1e6, a->detach_ns / 1e6);
}

void userfunctions_tell_missing(const struct live_request *o, struct usertrace *user,
				const struct usertrace_sum *sum)
{
	char names[512];

	if (o->quiet)
		return;
	tell_plans(o, sum);
	if (usertrace_leaves_out(user))
		live_request_note(
			o,
			"only functions with debug information were traced; -u'*' traces those of "
			"libraries, too");
	usertrace_fmt_switched_off(user, names, sizeof(names));
	tell_calls(o, sum, names);
	tell_rules(o);
	tell_attached(o, &sum->attached);
	if (!valuerules_are_empty(&o->user_values))
		usertrace_tell_values(user, o->front->tell);
	if (o->verbose)
		usertrace_tell_reasons(user, o->front->tell);
}
