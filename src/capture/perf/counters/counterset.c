// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counterset.c - opens one counter for each event, task and CPU.
 *
 *	                   task a    task b            CPU 0   CPU 1
 *	    cycles          fd 3      fd 5     or       fd 3    fd 5
 *	    instructions    fd 4      fd 6              fd 4    fd 6     group of the fd above
 *
 * perf_event_open() has few error numbers for many reasons. They mean:
 *
 *	EINVAL with exclude_guest         a PMU that cannot exclude guests: ask again without
 *	EINVAL with exclude_* as well     an uncore PMU that cannot exclude modes: the same
 *	EACCES, EPERM                     perf_event_paranoid: ask again for user mode only, unless
 *	                                  the user asked for the kernel
 *	ENOENT, ENODEV, EOPNOTSUPP, …     the machine does not count this event: it is omitted
 *	ESRCH                             the thread has exited: it is omitted
 *	EMFILE                            the limit of descriptors is raised as far as we may, once
 *
 * Members of a group have the leader's descriptor of the same task and CPU. If the leader is
 * omitted, so is the group; if a weak group (:W) is refused, its members are opened without one.
 *
 * Counters of events of a PMU with a cpumask (memory controllers, caches shared by cores) belong to
 * no task: they are opened on the CPUs of the mask.
 */
#include "capture/perf/counters/counterset.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/perf/counters/cpulist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#define COUNTERS_MAX (1u << 20)

struct opened {
	bool is_there;	   /* at least one counter is open */
	bool is_user_only; /* after EACCES */
	int why;	   /* the errno, if none is open */
	bool without_group;
};

struct counterset {
	struct counterset_config config;
	const struct countersource *source;
	struct counterset_counter *counters;
	size_t n, cap;
	struct opened *events;
	bool has_raised_limit, has_thread;
};

static void raise_limit(struct counterset *set)
{
	struct rlimit limit;

	set->has_raised_limit = true;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static struct perf_event_attr make_attr(const struct counterset *set, size_t event)
{
	const struct perfevents_event *e = &set->config.events->events[event];
	struct perf_event_attr attr = e->attr;
	bool is_leader = !e->in_group || e->leader == event || set->events[event].without_group;

	attr.sample_period = 0;
	attr.freq = 0;
	attr.sample_type = PERF_SAMPLE_IDENTIFIER;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.inherit = set->config.inherits && !e->cpumask;
	/* members run with their leader */
	attr.disabled = is_leader;
	attr.enable_on_exec = is_leader && set->config.starts_at_exec && !e->cpumask;
	if (!is_leader)
		attr.pinned = attr.exclusive = 0;
	if (set->events[event].is_user_only)
		attr.exclude_kernel = attr.exclude_hv = 1;
	return attr;
}

/* Asks again with less, where less still means what the user wants. */
static int open_patiently(struct counterset *set, size_t event, pid_t pid, int cpu, int group,
			  unsigned long flags)
{
	const struct perfevents_event *e = &set->config.events->events[event];
	struct perf_event_attr attr = make_attr(set, event);
	const struct countersource *source = set->source;

	for (;;) {
		int fd = source->open(source->ctx, &attr, pid, cpu, group, flags);

		if (fd >= 0)
			return fd;
		if (fd == -EINVAL && attr.exclude_guest && !attr.exclude_host) {
			attr.exclude_guest = 0;
		} else if ((fd == -EACCES || fd == -EPERM) && !attr.exclude_kernel &&
			   !e->has_user_modifier && e->kind != PERFEVENTS_TRACEPOINT && pid != -1) {
			attr.exclude_kernel = attr.exclude_hv = 1;
			set->events[event].is_user_only = true;
		} else if (fd == -EMFILE && !set->has_raised_limit) {
			raise_limit(set);
		} else {
			return fd;
		}
	}
}

static int find_group(const struct counterset *set, size_t event, uint32_t thread, uint32_t cgroup,
		      int cpu)
{
	const struct perfevents_event *e = &set->config.events->events[event];
	const struct counterset_counter *c;

	if (!e->in_group || e->leader == event || set->events[event].without_group)
		return -1;
	for (size_t i = set->n; i-- > 0;) {
		c = &set->counters[i];
		if (c->event == e->leader && c->thread == thread && c->cgroup == cgroup &&
		    c->cpu == cpu)
			return c->fd;
	}
	return -2; /* the leader is not there */
}

static int refuse_rights(const struct counterset *set, size_t event, int why, struct errmsg *err)
{
	const char *name = set->config.events->events[event].name;

	return errmsg_set(
		err, why,
		"the kernel does not allow this user to count %s%s: become root, add CAP_PERFMON, "
		"or lower /proc/sys/kernel/perf_event_paranoid",
		name, set->config.threads[0] == -1 ? " on whole CPUs" : "");
}

/* Returns 0 if the event or thread is omitted. */
static int note_refusal(struct counterset *set, size_t event, int why, struct errmsg *err)
{
	switch (why) {
	case -EACCES:
	case -EPERM:
		return refuse_rights(set, event, why, err);
	case -EMFILE:
	case -ENFILE:
		return errmsg_set(
			err, why,
			"too many counters (%zu are open): raise the limit of open files (ulimit "
			"-n), or count fewer events, threads or CPUs",
			set->n);
	case -ENOMEM:
		return errmsg_set_errno(err, why, "cannot count %s",
					set->config.events->events[event].name);
	case -ESRCH:
		return 0;
	default:
		set->events[event].why = why;
		set->has_thread = true;
		return 0;
	}
}

static int open_one(struct counterset *set, size_t event, uint32_t thread, uint32_t cgroup, int cpu,
		    struct errmsg *err)
{
	bool is_cgroup = set->config.n_cgroups;
	bool is_uncore = set->config.events->events[event].cpumask;
	pid_t pid = is_cgroup	? set->config.cgroups[cgroup]
		    : is_uncore ? -1
				: set->config.threads[thread];
	int group = find_group(set, event, thread, cgroup, cpu), fd;

	if (group == -2) {
		set->events[event].why = -ENOENT;
		return 0;
	}
	fd = open_patiently(set, event, pid, cpu, group, is_cgroup ? PERF_FLAG_PID_CGROUP : 0);
	if (fd < 0)
		return note_refusal(set, event, fd, err);
	if (!ARRAY_ROOM(set->counters, set->cap, set->n + 1, COUNTERS_MAX)) {
		set->source->close(set->source->ctx, fd);
		return -ENOMEM;
	}
	set->counters[set->n++] = (struct counterset_counter){
		.event = (uint32_t)event, .thread = thread, .cgroup = cgroup, .cpu = cpu, .fd = fd};
	set->events[event].is_there = set->has_thread = true;
	return 0;
}

static int open_on_cpu(struct counterset *set, size_t event, int cpu, struct errmsg *err)
{
	size_t n_cgroups = set->config.n_cgroups ? set->config.n_cgroups : 1;
	size_t n_threads = set->config.events->events[event].cpumask || set->config.n_cgroups
				   ? 1
				   : set->config.n_threads;

	for (size_t g = 0; g < n_cgroups; g++)
		for (size_t t = 0; t < n_threads; t++)
			TRY(open_one(set, event, (uint32_t)t, (uint32_t)g, cpu, err));
	return 0;
}

static bool is_wanted_cpu(const struct counterset *set, int cpu)
{
	if (set->config.cpus[0] < 0)
		return true;
	return ARRAY_ANY(set->config.n_cpus, i, set->config.cpus[i] == cpu);
}

static int open_on_mask(struct counterset *set, size_t event, const char *mask, struct errmsg *err)
{
	SCOPED(cpulist_release) struct cpulist cpus = {0};

	TRY(cpulist_parse(&cpus, mask, err));
	for (size_t i = 0; i < cpus.n; i++)
		if (is_wanted_cpu(set, cpus.cpus[i]) || !set->config.stays_on_cpus)
			TRY(open_on_cpu(set, event, cpus.cpus[i], err));
	return 0;
}

static int open_event(struct counterset *set, size_t event, struct errmsg *err)
{
	const struct perfevents_event *e = &set->config.events->events[event];

	if (e->kind == PERFEVENTS_TOOL) {
		set->events[event].is_there = true;
		return 0;
	}
	if (e->cpumask)
		return open_on_mask(set, event, e->cpumask, err);
	if (e->cpus && set->config.cpus[0] >= 0)
		return open_on_mask(set, event, e->cpus, err);
	for (size_t i = 0; i < set->config.n_cpus; i++)
		TRY(open_on_cpu(set, event, set->config.cpus[i], err));
	return 0;
}

static void close_event(struct counterset *set, size_t event)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->n; i++) {
		if (set->counters[i].event == event)
			set->source->close(set->source->ctx, set->counters[i].fd);
		else
			set->counters[kept++] = set->counters[i];
	}
	set->n = kept;
}

/* The PMU has too few counters for the group, or cannot mix its events: count them by turns. */
static int split_weak_group(struct counterset *set, size_t leader, struct errmsg *err)
{
	for (size_t i = leader; i < set->config.events->n; i++) {
		if (set->config.events->events[i].leader != leader)
			continue;
		close_event(set, i);
		set->events[i] = (struct opened){.without_group = true};
		TRY(open_event(set, i, err));
	}
	return 0;
}

static int open_all(struct counterset *set, struct errmsg *err)
{
	for (size_t i = 0; i < set->config.events->n; i++)
		TRY(open_event(set, i, err));
	for (size_t i = 0; i < set->config.events->n; i++) {
		const struct perfevents_event *e = &set->config.events->events[i];

		if (e->is_weak && !set->events[i].is_there && !set->events[i].without_group)
			TRY(split_weak_group(set, e->leader, err));
	}
	if (!set->has_thread && ARRAY_ANY(set->config.events->n, i,
					  set->config.events->events[i].kind != PERFEVENTS_TOOL))
		return errmsg_set(err, -ESRCH, "the process or thread %d does not exist (any more)",
				  set->config.threads[0]);
	return 0;
}

int counterset_open(struct counterset **ret, const struct counterset_config *config,
		    struct errmsg *err)
{
	struct counterset *set = calloc(1, sizeof(*set));
	int r;

	if (!set)
		return -ENOMEM;
	set->config = *config;
	set->source = config->source ? config->source : &countersource_kernel;
	set->events = calloc(config->events->n + 1, sizeof(*set->events));
	r = set->events ? open_all(set, err) : -ENOMEM;
	if (r < 0) {
		counterset_free(set);
		return r;
	}
	*ret = set;
	return 0;
}

void counterset_free(struct counterset *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->n; i++)
		set->source->close(set->source->ctx, set->counters[i].fd);
	free(set->counters);
	free(set->events);
	free(set);
}

static bool is_leader(const struct counterset *set, size_t event)
{
	return set->config.events->events[event].leader == event ||
	       set->events[event].without_group;
}

int counterset_enable(struct counterset *set, bool only_pmus, struct errmsg *err)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct counterset_counter *c = &set->counters[i];
		int r;

		if (!is_leader(set, c->event) ||
		    (only_pmus && !set->config.events->events[c->event].cpumask))
			continue;
		r = set->source->control(set->source->ctx, c->fd, PERF_EVENT_IOC_ENABLE);
		if (r < 0)
			return errmsg_set_errno(err, r, "cannot start the counter of %s",
						set->config.events->events[c->event].name);
	}
	return 0;
}

void counterset_disable(struct counterset *set)
{
	for (size_t i = 0; i < set->n; i++)
		if (is_leader(set, set->counters[i].event))
			set->source->control(set->source->ctx, set->counters[i].fd,
					     PERF_EVENT_IOC_DISABLE);
}

size_t counterset_n(const struct counterset *set)
{
	return set->n;
}

const struct counterset_counter *counterset_at(const struct counterset *set, size_t i)
{
	return &set->counters[i];
}

int counterset_read(const struct counterset *set, size_t i, struct countersource_value *ret)
{
	return set->source->read(set->source->ctx, set->counters[i].fd, ret);
}

bool counterset_has_event(const struct counterset *set, size_t event, int *ret_why)
{
	*ret_why = set->events[event].why;
	return set->events[event].is_there;
}

bool counterset_is_user_only(const struct counterset *set, size_t event)
{
	return set->events[event].is_user_only;
}
