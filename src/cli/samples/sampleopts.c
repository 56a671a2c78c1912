// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sampleopts.c - the options of commands that show samples.
 *
 * A trace may have recorded calls (record -u) and samples. Calls are exact, so they are the default
 * then. The formats of the kernel's function tracers are no sign of calls: every trace has them.
 */
#include "cli/samples/sampleopts.h"

#include "analyse/samples/sampleset.h"
#include "base/errmsg.h"
#include "cli/screen/notes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int parse_cpus(struct sample_options *o, struct errmsg *err)
{
	char *end;

	for (const char *p = o->cpu_words; *p;) {
		long from = strtol(p, &end, 10), to = from;

		if (end != p && *end == '-')
			to = strtol(end + 1, &end, 10);
		if (end == p || (*end && *end != ',') || from < 0 || to < from || to > 65535)
			return errmsg_set(err, -EINVAL,
					  "--cpu takes numbers and ranges with commas between, "
					  "0,2-3, not '%s'",
					  o->cpu_words);
		for (; from <= to; from++) {
			if (o->n_cpus == SAMPLEOPTS_CPUS_MAX)
				return errmsg_set(err, -EINVAL, "--cpu takes at most %d CPUs",
						  SAMPLEOPTS_CPUS_MAX);
			o->cpus[o->n_cpus++] = (uint32_t)from;
		}
		p = end + (*end == ',');
	}
	return 0;
}

int sampleopts_settle(struct sample_options *o, struct errmsg *err)
{
	if (o->off_cpu && o->wakeup)
		return errmsg_set(err, -EINVAL, "--off-cpu and --wakeup exclude each other");
	if (o->event && (o->off_cpu || o->wakeup))
		return errmsg_set(err, -EINVAL, "-e and %s exclude each other",
				  o->off_cpu ? "--off-cpu" : "--wakeup");
	if (o->calls && (o->only || o->event || o->off_cpu || o->wakeup))
		return errmsg_set(err, -EINVAL,
				  "--calls and options of samples exclude each other");
	return o->cpu_words ? parse_cpus(o, err) : 0;
}

bool sampleopts_are_meant(const struct sample_options *o, const char *path)
{
	struct sampleread_look look;

	if (o->calls)
		return false;
	if (o->only || o->event || o->off_cpu || o->wakeup || o->comm || o->n_cpus ||
	    sampleread_is_folded(path))
		return true;
	return sampleread_look(path, &look) && look.has_samples && !look.has_calls;
}

struct sampleread_spec sampleopts_spec(const struct sample_options *o, const char *path)
{
	return (struct sampleread_spec){.path = path,
					.what = o->off_cpu  ? SAMPLEREAD_OFF_CPU
						: o->wakeup ? SAMPLEREAD_WAKEUPS
							    : SAMPLEREAD_ON_CPU,
					.event = o->event,
					.comm = o->comm,
					.cpus = o->cpus,
					.n_cpus = o->n_cpus,
					.inlines = !o->no_inline,
					.lines = o->lines};
}

int sampleopts_finish(const struct sampleread *r, const struct sample_options *o, bool quiet)
{
	bool is_damaged = notes_print_damage(&r->in, quiet);

	if (quiet)
		return is_damaged;
	if (r->other_event)
		fprintf(stderr, "sonde: these are samples of %s; -e %s shows others\n",
			r->config.event, r->other_event);
	if (r->n_bad)
		fprintf(stderr, "sonde: %llu lines are no folded stacks\n",
			(unsigned long long)r->n_bad);
	if (r->info.n_lost)
		fprintf(stderr, "sonde: %llu samples were lost in the recording\n",
			(unsigned long long)r->info.n_lost);
	if (r->set && sampleset_cut(r->set))
		fprintf(stderr, "sonde: %llu samples are not shown: too many different stacks\n",
			(unsigned long long)sampleset_cut(r->set));
	return is_damaged;
}
