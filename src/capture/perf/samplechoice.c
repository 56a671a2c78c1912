// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * samplechoice.c - reads the options of sampling.
 *
 * Frame pointers are the default kind of stacks: they cost next to nothing, and need no privileges.
 * Programs that were compiled without them have stacks of one or two frames; --stacks dwarf copies
 * 8 KB of the stack with every sample.
 */
#include "capture/perf/samplechoice.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MAX 65536u
#define CPU_MAX	 4095
#define RATE_MAX 1000000u
#define RING_MIN (16u << 10)
#define RING_MAX (1u << 30)

static bool is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

int samplechoice_rate(struct samplechoice *c, const char *text, struct errmsg *err)
{
	char *end;
	double rate = strtod(text, &end);

	if (*end == 'k' || *end == 'K') {
		rate *= 1000;
		end++;
	}
	if (end == text || *end || !(rate >= 1 && rate <= RATE_MAX))
		return errmsg_set(err, -EINVAL,
				  "a rate is a number of samples a second from 1 to %u, not '%s'",
				  RATE_MAX, text);
	c->is_wanted = true;
	c->rate = (uint64_t)rate;
	c->period = 0;
	return 0;
}

int samplechoice_period(struct samplechoice *c, const char *text, struct errmsg *err)
{
	char *end;
	unsigned long long period = strtoull(text, &end, 0);

	if (!isdigit((unsigned char)*text) || *end || !period || period >> 62)
		return errmsg_set(err, -EINVAL,
				  "a period is a number of events, at least 1, not '%s'", text);
	c->is_wanted = true;
	c->period = period;
	c->rate = 0;
	return 0;
}

int samplechoice_event(struct samplechoice *c, const char *text, struct errmsg *err)
{
	c->is_wanted = true;
	TRY(perfevents_parse(text, &c->events, err));
	return 0;
}

int samplechoice_sample(struct samplechoice *c, const char *text, struct errmsg *err)
{
	SCOPED(scope_free) char *copy = NULL;
	char *comma;

	c->is_wanted = c->has_samples = true;
	if (!text || !*text)
		return 0;
	if (isdigit((unsigned char)*text))
		return samplechoice_rate(c, text, err);
	copy = strdup(text);
	if (!copy)
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the options");
	comma = strrchr(copy, ',');
	if (comma && is_number(comma + 1)) {
		*comma = '\0';
		TRY(samplechoice_period(c, comma + 1, err));
	}
	return samplechoice_event(c, copy, err);
}

int samplechoice_counters(struct samplechoice *c, const char *text, struct errmsg *err)
{
	c->is_wanted = true;
	TRY(perfevents_parse(text, &c->counters, err));
	if (c->counters.n > SAMPLESOURCE_EVENTS_MAX)
		return errmsg_set(err, -E2BIG, "these are more than %u counters",
				  SAMPLESOURCE_EVENTS_MAX);
	return 0;
}

int samplechoice_counter_interval(struct samplechoice *c, const char *text, struct errmsg *err)
{
	char *end;
	unsigned long ms = strtoul(text, &end, 10);

	if (end == text || *end || !ms || ms > 3600000)
		return errmsg_set(
			err, -EINVAL,
			"--counters-interval takes milliseconds, from 1 to an hour, not '%s'",
			text);
	c->counter_ms = (unsigned)ms;
	return 0;
}

int samplechoice_stacks(struct samplechoice *c, const char *text, struct errmsg *err)
{
	static const char *const names[] = {[SAMPLESTACKS_FP] = "fp",
					    [SAMPLESTACKS_DWARF] = "dwarf",
					    [SAMPLESTACKS_LBR] = "lbr",
					    [SAMPLESTACKS_NONE] = "none"};
	size_t len = strcspn(text, ",");
	unsigned long bytes = 0;
	char *end;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strlen(names[i]) != len || strncmp(names[i], text, len) ||
		    (text[len] && i != SAMPLESTACKS_DWARF))
			continue;
		if (text[len]) {
			bytes = strtoul(text + len + 1, &end, 0);
			if (end == text + len + 1 || *end || !bytes || bytes > SAMPLING_STACK_MAX)
				return errmsg_set(
					err, -EINVAL,
					"a copy of a stack has 8 to %u bytes, not '%s' (--stacks)",
					SAMPLING_STACK_MAX, text + len + 1);
		}
		c->has_stacks = true;
		c->stacks = (enum samplestacks)i;
		c->stack_bytes = (uint32_t)(bytes + 7) / 8 * 8;
		return 0;
	}
	return errmsg_set(err, -EINVAL, "--stacks is fp, dwarf, dwarf,BYTES, lbr or none, not '%s'",
			  text);
}

int samplechoice_off_cpu(struct samplechoice *c, const char *text, struct errmsg *err)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"", 1}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	double value;
	char *end;

	c->is_wanted = c->has_off_cpu = true;
	if (!text || !*text)
		return 0;
	value = strtod(text, &end);
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (end != text && value >= 0 && value < 1e9 && !strcmp(end, units[i].unit)) {
			c->off_cpu_min_ns = (uint64_t)(value * units[i].ns);
			return 0;
		}
	return errmsg_set(err, -EINVAL, "--off-cpu takes a time such as 100us or 2ms, not '%s'",
			  text);
}

static int add_number(int **list, size_t *n, long value, struct errmsg *err)
{
	if (!ARRAY_ONE_MORE(*list, *n, LIST_MAX))
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the options");
	(*list)[(*n)++] = (int)value;
	return 0;
}

/* "1,4-6"; is_range: with ranges. */
static int add_list(int **list, size_t *n, const char *text, long min, long max, bool is_range,
		    const char *what, struct errmsg *err)
{
	const char *p = text;

	do {
		char *end;
		long first = isdigit((unsigned char)*p) ? strtol(p, &end, 10) : -1, last = first;

		if (first >= 0 && is_range && *end == '-' && isdigit((unsigned char)end[1]))
			last = strtol(end + 1, &end, 10);
		if (!is_range && first > max && (!*end || *end == ','))
			return errmsg_set(err, -ESRCH, "there is no process %ld", first);
		if (first < min || last > max || last < first || (*end && *end != ','))
			return errmsg_set(err, -EINVAL, "'%s' is no list of %s", text, what);
		for (long i = first; i <= last; i++)
			TRY(add_number(list, n, i, err));
		p = *end ? end + 1 : end;
	} while (*p);
	return 0;
}

int samplechoice_pids(struct samplechoice *c, const char *text, struct errmsg *err)
{
	return add_list(&c->pids, &c->n_pids, text, 1, 1 << 22, false, "process ids", err);
}

int samplechoice_tids(struct samplechoice *c, const char *text, struct errmsg *err)
{
	return add_list(&c->tids, &c->n_tids, text, 1, 1 << 22, false, "thread ids", err);
}

int samplechoice_cpus(struct samplechoice *c, const char *text, struct errmsg *err)
{
	return add_list(&c->cpus, &c->n_cpus, text, 0, CPU_MAX, true, "CPUs such as 0,2-5", err);
}

int samplechoice_ring(struct samplechoice *c, const char *text, struct errmsg *err)
{
	char *end;
	unsigned long long bytes = strtoull(text, &end, 10);
	int shift = *end == 'K' || *end == 'k' ? 10 : *end == 'M' || *end == 'm' ? 20 : 0;

	if (!isdigit((unsigned char)*text) || end[shift ? 1 : 0] || bytes > RING_MAX >> shift ||
	    bytes << shift < RING_MIN)
		return errmsg_set(err, -EINVAL, "a ring has 16K to 1024M bytes, not '%s'", text);
	c->ring_bytes = RING_MIN;
	while (c->ring_bytes < bytes << shift)
		c->ring_bytes *= 2;
	return 0;
}

void samplechoice_release(struct samplechoice *c)
{
	perfevents_release(&c->counters);
	perfevents_release(&c->events);
	free(c->pids);
	free(c->tids);
	free(c->cpus);
	*c = (struct samplechoice){0};
}

void samplechoice_config(struct samplechoice *c, struct sampling_config *ret)
{
	*ret = (struct sampling_config){
		.events = &c->events,
		.rate = c->rate,
		.period = c->period,
		.stacks = c->stacks,
		.stack_bytes = c->stack_bytes,
		.has_off_cpu = c->has_off_cpu,
		.off_cpu_min_ns = c->off_cpu_min_ns,
		.no_inherit = c->no_inherit,
		.is_everywhere = c->is_everywhere,
		.pids = c->pids,
		.n_pids = c->n_pids,
		.tids = c->tids,
		.n_tids = c->n_tids,
		.cpus = c->cpus,
		.n_cpus = c->n_cpus,
		.ring_bytes = c->ring_bytes,
		.counters = &c->counters,
		.counter_ms = c->counter_ms,
		.only_counters = c->counters.n && !c->has_samples,
	};
}
