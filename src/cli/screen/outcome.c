// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * outcome.c - prints the result of a recording in one short line, or in several with --verbose.
 *
 * Events are counted in the file. Only the number of events that were lost before they could be
 * read comes from the kernel's statistics.
 *
 * Overhead, in per cent:
 *
 *	with a command      the time that tracing took (events and lost events × the measured cost
 *	                    of one, and hits of probes), compared with the rest of the command's
 *	                    time. With -F, or if hits of probes are most of it, this is its CPU
 *	                    time; else the elapsed time, as if the command had waited for every
 *	                    event.
 *	without a command   that time and the CPU time of the recorder, compared with the time of
 *	                    all CPUs
 *
 * The cost of a hit is measured in a loop that does nothing else, so the real cost is at least as
 * high. It is unknown which process caused a hit: other processes may run the same program or
 * library. If the numbers show this, only the time is reported, without a percentage.
 */
#include "cli/screen/outcome.h"

#include "base/textbuf.h"
#include "capture/calls/usertrace.h"
#include "inputs/info/filecount.h"
#include "live/remote/network.h"

#include <stdio.h>
#include <sys/wait.h>

/* Factor: hits that take clearly longer than the command ran do not all belong to it. */
#define OTHERS_FACTOR	1.3
#define LEFT_DIVISOR	4 /* if less than this part is left, a percentage is meaningless */
/* Larger files are not counted; counting this size takes half a second. */
#define COUNT_MAX_BYTES ((uint64_t)4 << 30)

/* --- what it cost ----------------------------------------------------------------------------- */

static double cpu_seconds(const struct rusage *u)
{
	return u->ru_utime.tv_sec + u->ru_stime.tv_sec +
	       (u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
}

static double own_seconds(void)
{
	struct rusage self;

	getrusage(RUSAGE_SELF, &self);
	return cpu_seconds(&self);
}

/* Returns the time that events and hits took, on all CPUs. */
static double tracing_seconds(const struct record_outcome *oc)
{
	const struct sampling_sum *s = &oc->samples;
	double events = oc->is_sample_only ? 0 : oc->sum.events + oc->sum.lost - s->n_samples;

	return (oc->event_ns * events + s->sample_ns * s->n_samples) / 1e9 + oc->probe_seconds;
}

static bool is_mostly_probes(const struct record_outcome *oc)
{
	return oc->probe_seconds > tracing_seconds(oc) / 2;
}

/* Returns a negative number if the overhead is unknown. */
static double overhead_percent(const struct live_request *o, const struct record_outcome *oc)
{
	double tracing = tracing_seconds(oc), command = cpu_seconds(&oc->command), rest;

	if (tracing <= 0)
		return -1;
	if (!oc->ran_command)
		return oc->seconds > 0 && oc->n_cpus ? (tracing + oc->sum.recorder_ns / 1e9) /
							       (oc->seconds * oc->n_cpus) * 100
						     : -1;
	if (is_mostly_probes(oc)) {
		if (command - tracing < command / LEFT_DIVISOR)
			return -1;
		rest = command - tracing;
	} else {
		rest = (o->plan.only_command ? command : oc->seconds) - tracing;
	}
	return rest > 0 ? tracing / rest * 100 : -1;
}

static void add_seconds(struct textbuf *tb, double s)
{
	textbuf_addf(tb, s < 0.01 ? "%.6f s" : "%.3f s", s);
}

static void add_overhead(struct textbuf *tb, const struct live_request *o,
			 const struct record_outcome *oc)
{
	double percent = overhead_percent(o, oc), tracing = tracing_seconds(oc);

	/* after a failure the command continues alone, and its duration is unknown */
	if (tracing <= 0 || (oc->has_failed && oc->ran_command))
		return;
	textbuf_add_str(tb, "; overhead ");
	if (percent >= 0.05) {
		textbuf_addf(tb, "%.1f %%", percent);
	} else if (percent >= 0) {
		textbuf_add_str(tb, "below 0.1 %");
	} else {
		add_seconds(tb, tracing);
		if (oc->ran_command && is_mostly_probes(oc) &&
		    tracing > OTHERS_FACTOR * cpu_seconds(&oc->command))
			textbuf_add_str(tb, ", mostly in other processes");
	}
}

/* Adds the numbers from which the percentage was computed. */
static void add_details(struct textbuf *tb, const struct record_outcome *oc)
{
	double tracing = tracing_seconds(oc);

	textbuf_addf(tb, "recorded for %.3f s; sonde used %.2f s of CPU time", oc->seconds,
		     own_seconds());
	if (tracing > 0) {
		textbuf_add_str(tb, ", tracing about ");
		add_seconds(tb, tracing);
		if (oc->event_ns > 0)
			textbuf_addf(tb, " (%.0f ns per event)", oc->event_ns);
		if (oc->samples.sample_ns > 0)
			textbuf_addf(tb, " (%.0f ns per sample)", oc->samples.sample_ns);
	}
	if (oc->probe_seconds) {
		textbuf_add_str(tb, ", of which ");
		add_seconds(tb, oc->probe_seconds);
		textbuf_add_str(tb, " for probe hits in all processes");
	}
	if (oc->ran_command)
		textbuf_addf(tb, "; the command used %.3f s of CPU time",
			     cpu_seconds(&oc->command));
	textbuf_add_str(tb, "\n");
}

/* --- what is in the file, and what is not ----------------------------------------------------- */

/*
 * Returns the number of events: counted in the file or, if it is too large, from the kernel's
 * counters.
 */
static uint64_t count_events(int fd, const char *path, uint64_t n_counted)
{
	struct filecount count;

	if (filecount_bytes(fd, path) > COUNT_MAX_BYTES || filecount_read(fd, path, &count) < 0)
		return n_counted;
	return count.n_events;
}

static void add_size(struct textbuf *tb, int fd, const char *path)
{
	char size[32];

	textbuf_addf(tb, ", %s", filecount_size(filecount_bytes(fd, path), size, sizeof(size)));
}

/* Adds the name, the events and the size of a file. Returns the number of events. */
static uint64_t outcome_add_file(struct textbuf *tb, int fd, const char *path, uint64_t n_counted)
{
	char words[FILECOUNT_WORDS_BYTES];
	uint64_t n = count_events(fd, path, n_counted);

	textbuf_addf(tb, "%s: %s", path, filecount_words(n, words));
	add_size(tb, fd, path);
	return n;
}

static void add_lost(struct textbuf *tb, uint64_t n_lost)
{
	if (n_lost)
		textbuf_addf(tb, ", %llu lost (use a larger buffer: -b)",
			     (unsigned long long)n_lost);
	else
		textbuf_add_str(tb, ", none lost");
}

void outcome_show_file(int fd, const char *path, uint64_t n_counted, uint64_t n_lost)
{
	TEXTBUF(tb, 8192);

	outcome_add_file(&tb, fd, path, n_counted);
	add_lost(&tb, n_lost);
	fprintf(stderr, "%.*s\n", (int)textbuf_len(&tb), tb.start);
}

void outcome_show_sent(const struct netrecord_sent *sent)
{
	char size[32];

	fprintf(stderr, "%s:%s: %s sent in %.3f s\n", sent->host, sent->port,
		filecount_size(sent->n_bytes, size, sizeof(size)), sent->seconds);
}

void outcome_show_guest(const struct guest_outcome *g)
{
	TEXTBUF(tb, 8192);

	outcome_add_file(&tb, -1, g->path, 0);
	fprintf(stderr, "%.*s; guest %s: %u CPU%s, times %s\n", (int)textbuf_len(&tb), tb.start,
		g->name, g->n_cpus, g->n_cpus == 1 ? "" : "s",
		g->is_synchronised ? "synchronised" : "not synchronised");
}

/* Adds all events that happened but are not in the file, with the reasons. */
static void add_missing(struct textbuf *tb, const struct live_request *o,
			const struct record_outcome *oc, uint64_t n_events)
{
	uint64_t untaken = oc->has_failed && !o->max_kb && n_events < oc->sum.events
				   ? oc->sum.events - n_events
				   : 0;

	if (oc->sum.lost || (!untaken && !oc->n_missed))
		add_lost(tb, oc->sum.lost);
	if (untaken)
		textbuf_addf(tb, ", %llu lost because the file could not take them",
			     (unsigned long long)untaken);
	if (oc->n_missed)
		textbuf_addf(tb, ", %llu probe hit%s missed", (unsigned long long)oc->n_missed,
			     oc->n_missed == 1 ? "" : "s");
}

/* Adds the contents of the file. If it keeps only the last events (-m), also adds the total. */
static uint64_t add_file(struct textbuf *tb, const struct live_request *o,
			 const struct record_outcome *oc)
{
	char words[FILECOUNT_WORDS_BYTES];
	uint64_t n;

	if (!o->max_kb)
		return outcome_add_file(tb, oc->fd, oc->path, oc->sum.events);
	n = count_events(oc->fd, oc->path, oc->sum.events);
	textbuf_addf(tb, "%s: %s", oc->path, filecount_words(n, words));
	if (n < oc->sum.events)
		textbuf_addf(tb, " (the last of %llu, -m)", (unsigned long long)oc->sum.events);
	add_size(tb, oc->fd, oc->path);
	return n;
}

static void add_status(struct textbuf *tb, const struct record_outcome *oc)
{
	if (oc->ran_command && WIFEXITED(oc->command_status) && WEXITSTATUS(oc->command_status))
		textbuf_addf(tb, "the command ended with status %d\n",
			     WEXITSTATUS(oc->command_status));
}

static void add_calls(struct textbuf *tb, const struct usertrace_sum *user)
{
	textbuf_addf(tb, "%llu call%s of %llu function%s", (unsigned long long)user->calls.n_calls,
		     user->calls.n_calls == 1 ? "" : "s", (unsigned long long)user->n_called,
		     user->n_called == 1 ? "" : "s");
}

static void add_lost_calls(struct textbuf *tb, const struct live_request *o,
			   const struct record_outcome *oc)
{
	const struct usertrace_sum *user = &oc->user;
	uint64_t n_lost = user->calls.n_lost;

	if (oc->has_failed) {
		textbuf_add_str(tb, "; later calls could not be recorded");
		return;
	}
	if (user->calls.n_endless)
		textbuf_addf(tb, ", %llu without their end",
			     (unsigned long long)user->calls.n_endless);
	if (!n_lost)
		textbuf_add_str(tb, ", none lost");
	else
		textbuf_addf(tb, ", %llu lost (%s)", (unsigned long long)n_lost,
			     o->user_drops ? "--user-full wait loses none"
					   : "sonde was too slow; trace fewer functions");
}

/*
 * The calls were counted before they were written to the file, which may have only a part of their
 * events: the last ones (-m), or the first ones if it could not take more.
 */
static void add_user_file(struct textbuf *tb, const struct live_request *o,
			  const struct record_outcome *oc)
{
	uint64_t n = count_events(oc->fd, oc->path, oc->sum.events);
	bool is_part = n < oc->sum.events;

	if (is_part)
		textbuf_addf(tb, "the %s %llu of %llu events%s of ", o->max_kb ? "last" : "first",
			     (unsigned long long)n, (unsigned long long)oc->sum.events,
			     o->max_kb ? " (-m)" : "");
	add_calls(tb, &oc->user);
	add_size(tb, oc->fd, oc->path);
	if (is_part && oc->has_failed && !o->max_kb)
		textbuf_addf(tb, "; the file could not take the other %llu",
			     (unsigned long long)(oc->sum.events - n));
	add_lost_calls(tb, o, oc);
}

/* Prints "t.dat: 120 calls of 7 functions, 0.1 MB, none lost". */
static void show_user_only(const struct live_request *o, const struct record_outcome *oc)
{
	TEXTBUF(tb, 65536);

	textbuf_addf(&tb, "%s: ", oc->path);
	add_user_file(&tb, o, oc);
	if (oc->user.cost_percent > 0)
		textbuf_addf(&tb, "; overhead about %.*f %%", oc->user.cost_percent < 10 ? 1 : 0,
			     oc->user.cost_percent);
	textbuf_add_str(&tb, "\n");
	if (o->verbose)
		add_details(&tb, oc);
	add_status(&tb, oc);
	fwrite(tb.start, 1, textbuf_len(&tb), stderr);
}

/* "1204 samples", "1204 samples, 30 values of counters", "30 values of counters". */
static void add_samples(struct textbuf *tb, const struct live_request *o,
			const struct sampling_sum *s)
{
	bool has_counters = o->samples.counters.n;

	if (!has_counters || o->samples.has_samples)
		textbuf_addf(tb, "%llu sample%s%s", (unsigned long long)s->n_samples,
			     s->n_samples == 1 ? "" : "s", has_counters ? ", " : "");
	if (has_counters)
		textbuf_addf(tb, "%llu value%s of counters", (unsigned long long)s->n_counted,
			     s->n_counted == 1 ? "" : "s");
}

/*
 * Prints "t.dat: 1204 samples, 0.1 MB, none lost; overhead below 0.1 %". The overhead is the CPU
 * time of the reader, and what samples cost in the kernel.
 */
static void show_samples_only(const struct live_request *o, const struct record_outcome *oc)
{
	const struct sampling_sum *s = &oc->samples;
	double used = s->reader_ns / 1e9 + tracing_seconds(oc);
	double all = oc->ran_command && !o->samples.is_everywhere ? cpu_seconds(&oc->command)
								  : oc->seconds * oc->n_cpus;
	TEXTBUF(tb, 65536);

	textbuf_addf(&tb, "%s: ", oc->path);
	add_samples(&tb, o, s);
	add_size(&tb, oc->fd, oc->path);
	if (oc->has_failed)
		textbuf_add_str(&tb, "; later samples could not be recorded");
	else if (s->n_lost)
		textbuf_addf(&tb, ", %llu lost (use larger rings: -m, or a lower rate: -F)",
			     (unsigned long long)s->n_lost);
	else
		textbuf_add_str(&tb, ", none lost");
	if (all > used)
		textbuf_addf(&tb, "; overhead %s%.1f %%", used / all < 0.001 ? "below " : "",
			     used / all < 0.001 ? 0.1 : used / all * 100);
	textbuf_add_str(&tb, "\n");
	if (o->verbose)
		add_details(&tb, oc);
	add_status(&tb, oc);
	fwrite(tb.start, 1, textbuf_len(&tb), stderr);
}

void outcome_show(const struct live_request *o, const struct record_outcome *oc)
{
	TEXTBUF(tb, 65536);

	if (oc->is_sample_only) {
		show_samples_only(o, oc);
		return;
	}
	if (oc->is_user_only) {
		show_user_only(o, oc);
		return;
	}
	if (oc->sum.counted) {
		uint64_t n = add_file(&tb, o, oc);

		add_missing(&tb, o, oc, n);
	} else { /* the file has the text of a latency tracer */
		textbuf_addf(&tb, "%s", oc->path);
		add_size(&tb, oc->fd, oc->path);
	}
	add_overhead(&tb, o, oc);
	if (oc->has_samples) {
		textbuf_add_str(&tb, "; ");
		add_samples(&tb, o, &oc->samples);
	}
	if (oc->has_user) {
		textbuf_add_str(&tb, "; ");
		add_calls(&tb, &oc->user);
		add_lost_calls(&tb, o, oc);
	}
	textbuf_add_str(&tb, "\n");
	if (o->verbose)
		add_details(&tb, oc);
	add_status(&tb, oc);
	fwrite(tb.start, 1, textbuf_len(&tb), stderr);
}
