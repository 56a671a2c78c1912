// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * samples.c - samples beside other sources of a recording, or alone.
 *
 * Who is sampled: the command with its children; without a command the processes of -p and -P and
 * the threads of -t and -P; else all processes; on the CPUs of -C and -M. Samples have the clock
 * mono_raw, so the kernel's events in the same file get it, too.
 */
#include "live/sources/samples.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/record/session.h"
#include "live/request.h"
#include "store/events/sampleevents.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool samples_are_alone(const struct live_request *o)
{
	return o->samples.is_wanted && !plan_does_something(&o->plan) && !o->plan.probes.n;
}

static int check_request(const struct live_request *o, struct errmsg *err)
{
	if (o->file_version != 7)
		return errmsg_set(err, -EINVAL, "--sample needs version 7 of the file format");
	return 0;
}

/* The first thread of a process stands for all; another one, for itself. */
static bool is_process(const char *id)
{
	char path[64], line[256];
	SCOPED(fclose_scoped) FILE *f = NULL;
	int tgid = atoi(id);

	snprintf(path, sizeof(path), "/proc/%d/status", atoi(id));
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %d", &tgid) == 1)
			break;
	return tgid == atoi(id);
}

/* "17,18" */
static int choose_tasks(struct samplechoice *c, const char *list, struct errmsg *err)
{
	SCOPED(scope_free) char *copy = strdup(list);
	char *rest = copy;

	if (!copy)
		return errmsg_set_errno(err, -ENOMEM, "cannot choose what to sample");
	for (const char *id; (id = strsep(&rest, ","));)
		TRY(is_process(id) && !c->only_threads ? samplechoice_pids(c, id, err)
						       : samplechoice_tids(c, id, err));
	return 0;
}

/* "f0", "1,00000000": a mask in hex digits, as the kernel takes it; NULL or "-1": all. */
static int choose_cpus(struct samplechoice *c, const char *mask, struct errmsg *err)
{
	unsigned cpu = 0;

	if (!mask || !strcmp(mask, "-1"))
		return 0;
	for (size_t i = strlen(mask); i-- > 0;) {
		char digit[2] = {mask[i]}, number[16];
		unsigned long bits = strtoul(digit, NULL, 16);

		for (unsigned k = 0; k < 4 && mask[i] != ','; k++, cpu++) {
			snprintf(number, sizeof(number), "%u", cpu);
			if (bits >> k & 1)
				TRY(samplechoice_cpus(c, number, err));
		}
	}
	return 0;
}

int samples_open(struct sampling **ret, struct live_request *o, char **argv, bool is_live,
		 struct errmsg *err)
{
	const struct plan_words *pids = &o->plan.buffers[0].pids;
	struct sampling_config config;

	TRY(check_request(o, err));
	TRY(live_request_set_clocks(o, SAMPLEEVENTS_CLOCK, "--sample", err));
	for (size_t i = 0; i < pids->n && !(argv && o->plan.only_command); i++)
		TRY(choose_tasks(&o->samples, pids->words[i], err));
	TRY(choose_cpus(&o->samples, o->plan.buffers[0].cpumask, err));
	samplechoice_config(&o->samples, &config);
	config.is_alone = samples_are_alone(o);
	config.is_live = is_live;
	return sampling_open(ret, &config, err);
}

int samples_prepare(struct session *s, void *ctx, struct errmsg *err)
{
	s->powers |= SAMPLING_POWERS;
	return sampling_attach(ctx, s->has_child ? s->child.pid : 0, err);
}

void samples_tell(const struct live_request *o, const struct sampling_sum *sum)
{
	if (o->quiet)
		return;
	if (sum->is_clock)
		live_request_note(
			o, "this machine does not count cycles; cpu-clock was sampled instead");
	if (sum->is_only_user)
		live_request_note(o,
				  "only user code was %s: the kernel needs root, or "
				  "kernel.perf_event_paranoid below 2",
				  o->samples.counters.n && !o->samples.has_samples ? "counted"
										   : "sampled");
	if (sum->is_only_user && o->samples.has_off_cpu)
		live_request_note(
			o,
			"waits (--off-cpu) are missing, because they need the right to sample the "
			"kernel");
	if (sum->is_filtered)
		live_request_note(
			o, "there are more threads than open files are allowed (ulimit -n), so all "
			   "processes were sampled, and the samples of others were dropped");
	if (o->samples.rate && sum->rate && sum->rate < o->samples.rate)
		live_request_note(o,
				  "the kernel allows %llu samples a second, not %llu "
				  "(kernel.perf_event_max_sample_rate)",
				  (unsigned long long)sum->rate,
				  (unsigned long long)o->samples.rate);
	if (sum->n_throttled)
		live_request_note(o,
				  "the kernel paused the sampling %llu time%s, because it took too "
				  "much time; "
				  "use a lower rate",
				  (unsigned long long)sum->n_throttled,
				  sum->n_throttled == 1 ? "" : "s");
	if (sum->n_gone)
		live_request_note(o, "%zu thread%s ended before the sampling began", sum->n_gone,
				  sum->n_gone == 1 ? "" : "s");
	if (sum->n_odd)
		live_request_note(o, "%llu records of perf events are damaged",
				  (unsigned long long)sum->n_odd);
	if (o->verbose && sum->n_cut)
		live_request_note(o, "%llu stacks have more than %u frames, and were cut",
				  (unsigned long long)sum->n_cut, SAMPLEEVENTS_STACK_MAX);
	if (o->verbose)
		live_request_note(o,
				  "%llu samples at %zu places of %zu files; rings of %zu KB for "
				  "each CPU; the "
				  "reader used %.3f s of CPU time",
				  (unsigned long long)sum->n_samples, sum->n_places, sum->n_files,
				  sum->ring_bytes >> 10, sum->reader_ns / 1e9);
}
