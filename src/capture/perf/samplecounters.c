// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * samplecounters.c - reads counters at regular times, and stores how much each has grown.
 *
 * A value is stored with the time of its reading, as an event of the CPU that was counted; values
 * of tasks are events of CPU 0. A counter that has not grown in two intervals is not stored again:
 * a curve between two zeros is the same, and thousands of idle threads cost nothing.
 */
#include "capture/perf/samplecounters.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/perf/counters/counterset.h"
#include "capture/perf/counters/cpulist.h"
#include "capture/perf/samplepages.h"
#include "store/events/sampleevents.h"

#include <errno.h>
#include <stdlib.h>

struct reading {
	struct countersource_value last;
	bool was_zero;
};

struct samplecounters {
	struct samplecounters_config config;
	struct counterset *set;
	struct reading *readings; /* of each counter */
	struct cpulist cpus;
	uint64_t next_ns;
};

static const int any = -1;

static int open_set(struct samplecounters *c, struct errmsg *err)
{
	const struct samplecounters_config *config = &c->config;
	struct counterset_config set = {
		.events = config->events,
		.cpus = &any,
		.n_cpus = 1,
		.threads = config->tids,
		.n_threads = config->n_tids,
		.inherits = !config->no_inherit,
		.starts_at_exec = config->is_command,
	};

	if (!config->n_tids) {
		set.threads = &any;
		set.n_threads = 1;
		set.cpus = config->cpus;
		set.n_cpus = config->n_cpus;
		set.stays_on_cpus = config->n_cpus;
		if (!config->n_cpus) {
			TRY(cpulist_read_online(&c->cpus, "/sys", err));
			set.cpus = c->cpus.cpus;
			set.n_cpus = c->cpus.n;
		}
	}
	return counterset_open(&c->set, &set, err);
}

/* A recording without one of its counters would only be noticed when somebody looks for it. */
static int check_events(const struct samplecounters *c, struct errmsg *err)
{
	for (size_t i = 0; i < c->config.events->n; i++) {
		const struct perfevents_event *e = &c->config.events->events[i];
		int why;

		if (e->kind == PERFEVENTS_TOOL)
			return errmsg_set(err, -EINVAL, "%s is no counter that can be recorded",
					  e->name);
		if (!counterset_has_event(c->set, i, &why))
			return errmsg_set(err, -EOPNOTSUPP,
					  "this machine does not count %s (sonde counters --list "
					  "lists what it "
					  "counts)",
					  e->name);
	}
	return 0;
}

int samplecounters_open(struct samplecounters **ret, const struct samplecounters_config *config,
			struct errmsg *err)
{
	struct samplecounters *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return -ENOMEM;
	c->config = *config;
	if (!c->config.interval_ms)
		c->config.interval_ms = SAMPLECOUNTERS_MS;
	r = open_set(c, err);
	if (r >= 0)
		r = check_events(c, err);
	if (r >= 0) {
		c->readings = calloc(counterset_n(c->set) + 1, sizeof(*c->readings));
		r = c->readings ? 0 : -ENOMEM;
	}
	/* nothing is written before something is counted: the recording would begin too early */
	for (size_t i = 0; r >= 0 && i < counterset_n(c->set); i++)
		c->readings[i].was_zero = true;
	if (r < 0) {
		samplecounters_free(c);
		return r == -ENOMEM ? errmsg_set_errno(err, r, "cannot count") : r;
	}
	*ret = c;
	return 0;
}

int samplecounters_start(struct samplecounters *c, struct errmsg *err)
{
	return counterset_enable(c->set, c->config.is_command, err);
}

static int read_one(struct samplecounters *c, size_t i, struct samplepages *pages, uint64_t now_ns)
{
	const struct counterset_counter *counter = counterset_at(c->set, i);
	struct reading *r = &c->readings[i];
	struct countersource_value now;
	struct sampleevents_counter event = {
		.type = SAMPLEEVENTS_COUNTER,
		.event = c->config.first_number + counter->event,
		.of_cpu = counter->cpu,
		.pid = c->config.n_tids && counter->cpu < 0 ? c->config.tids[counter->thread] : -1,
	};

	if (counterset_read(c->set, i, &now) < 0)
		return 0; /* its task has ended */
	event.value = now.value - r->last.value;
	event.enabled = now.enabled_ns - r->last.enabled_ns;
	event.running = now.running_ns - r->last.running_ns;
	r->last = now;
	if (!event.value && r->was_zero)
		return 0;
	r->was_zero = !event.value;
	TRY(samplepages_add(pages, counter->cpu < 0 ? 0 : (unsigned)counter->cpu, now_ns, &event,
			    SAMPLEEVENTS_COUNTER_BYTES));
	return 1;
}

int samplecounters_read(struct samplecounters *c, struct samplepages *pages, uint64_t now_ns,
			bool is_last)
{
	int n = 0;

	if (now_ns < c->next_ns && !is_last)
		return 0;
	c->next_ns = now_ns + (uint64_t)c->config.interval_ms * 1000000;
	for (size_t i = 0; i < counterset_n(c->set); i++) {
		int r = read_one(c, i, pages, now_ns);

		TRY(r);
		n += r;
	}
	return n;
}

unsigned samplecounters_interval_ms(const struct samplecounters *c)
{
	return c->config.interval_ms;
}

void samplecounters_free(struct samplecounters *c)
{
	if (!c)
		return;
	counterset_free(c->set);
	cpulist_release(&c->cpus);
	free(c->readings);
	free(c);
}
