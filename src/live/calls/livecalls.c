// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * livecalls.c - opens the trace of system calls for a request.
 *
 * System calls have the times of the clock mono_raw. Kernel events in the same file must have that
 * clock, too: it is their default then, and another one is refused.
 */
#include "live/calls/livecalls.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/bpf/bpf.h"
#include "capture/kernel/pidspace.h"
#include "capture/record/session.h"
#include "live/request.h"
#include "store/events/userevents.h"
#include "symbols/syscalls/choice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool livecalls_are_alone(const struct live_request *o)
{
	return o->syscalls && !plan_does_something(&o->plan) && !o->plan.probes.n;
}

int livecalls_choose(struct live_request *o, const char *text, struct errmsg *err)
{
	struct livecalls_choice *c = o->own_syscalls;

	if (!c)
		c = o->own_syscalls = calloc(1, sizeof(*c));
	if (!c)
		return errmsg_set_errno(err, -ENOMEM, "cannot trace system calls");
	o->syscalls = &c->config;
	if (!text)
		return 0;
	TRY(syscallchoice_parse(text, sysprograms_machine(0), false, c->calls, err));
	c->config.calls = c->calls;
	if (sysprograms_machine(1))
		TRY(syscallchoice_parse(text, sysprograms_machine(1), true, c->calls_32, err));
	c->config.calls_32 = c->calls_32;
	return 0;
}

static int set_clocks(struct live_request *o, struct errmsg *err)
{
	for (size_t i = 0; i < o->plan.n_buffers; i++) {
		struct plan_buffer *b = &o->plan.buffers[i];

		if (!b->clock)
			b->clock = strdup(USEREVENTS_CLOCK);
		if (!b->clock)
			return errmsg_set_errno(err, -ENOMEM, "cannot begin");
		if (strcmp(b->clock, USEREVENTS_CLOCK))
			return errmsg_set(err, -EINVAL,
					  "with system calls the clock is " USEREVENTS_CLOCK
					  "; leave out -C %s",
					  b->clock);
	}
	return 0;
}

/* Without root, the kernel's message does not name the remedy. */
static int refuse(const struct errmsg *why, struct errmsg *err)
{
	return geteuid() ? errmsg_set(err, -EPERM,
				      "only root can trace system calls; run sonde with sudo")
			 : errmsg_set(err, why->code, "%s", why->text);
}

int livecalls_open(struct systrace **ret, struct live_request *o, char **argv, struct errmsg *err)
{
	struct sysprograms_config config = *o->syscalls;
	struct errmsg why = {0};

	if (!config.string_max) { /* sonde record: who looks at the file may want everything */
		config.string_max = SYSTRACE_STRING_MAX;
		config.files = true;
	}
	if (!config.ring_bytes)
		config.ring_bytes = SYSTRACE_RING_BYTES;
	if (!argv && !o->plan.buffers[0].pids.n)
		config.all_tasks = true;
	if (config.all_tasks)
		config.not_process = (int)getpid();
	if (!pidspace_is_kernels())
		return errmsg_set(err, -ENOTSUP,
				  "system calls cannot be traced from inside a pid namespace (a "
				  "container); run sonde on the host");
	TRY(set_clocks(o, err));
	return systrace_open(ret, &config, &why) < 0 ? refuse(&why, err) : 0;
}

uint64_t livecalls_powers(void)
{
	int power = bpf_reading_needs_power();

	return power < 0 ? 0 : UINT64_C(1) << power;
}

int livecalls_begin(struct systrace *t, const struct session *s, struct errmsg *err)
{
	const struct plan *plan = s->config.plan;

	if (s->has_child)
		return systrace_begin(t, s->child.pid, err);
	for (size_t i = 0; i < plan->buffers[0].pids.n; i++)
		TRY(systrace_begin(t, atoi(plan->buffers[0].pids.words[i]), err));
	return 0;
}

int livecalls_do_without(struct live_request *o, bool has_command, struct errmsg *err)
{
	bool all = o->syscalls && o->syscalls->all_tasks;

	o->syscalls = NULL;
	o->plan.only_command = has_command && !all;
	o->plan.children = !all && (has_command || o->plan.buffers[0].pids.n);
	return plan_add_event(&o->plan, "raw_syscalls", false) < 0
		       ? errmsg_set_errno(err, -ENOMEM, "cannot trace system calls")
		       : 0;
}

void livecalls_tell_missing(const struct live_request *o, const struct systrace *t)
{
	struct systrace_sum sum;
	char text[256];

	systrace_get_sum(t, &sum);
	if (o->quiet)
		return;
	if (sum.counts.n_lost) {
		snprintf(text, sizeof(text),
			 "%llu system calls were lost, because the ring was full; a larger one "
			 "(--ring-size) or a faster reader of the output helps",
			 (unsigned long long)sum.counts.n_lost);
		o->front->tell(text);
	}
	if (sum.counts.n_no_slot) {
		snprintf(text, sizeof(text),
			 "%llu system calls are missing: too many threads were inside calls at "
			 "the same time",
			 (unsigned long long)sum.counts.n_no_slot);
		o->front->tell(text);
	}
	if (o->verbose && sum.counts.n_faults) {
		snprintf(text, sizeof(text),
			 "%llu pieces of memory could not be read and are shown as addresses",
			 (unsigned long long)sum.counts.n_faults);
		o->front->tell(text);
	}
}
