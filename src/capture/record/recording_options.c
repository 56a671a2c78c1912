// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording_options.c - makes the options of a trace file, which contain further information about
 * the machine.
 *
 * The time of day (--date): programs cannot read the trace clock, but a line written to
 * trace_marker gets a timestamp. So sonde writes a few lines in an instance with the same clock;
 * the fastest one gives the difference between the two clocks in microseconds.
 *
 * The counter (tsc2nsec): counter.h has its conversion to nanoseconds.
 */
#include "capture/record/recording_int.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "store/events/userevents.h"
#include "capture/kernel/counter.h"
#include "format/tracedat.h"
#include "store/packedtext.h"
#include "symbols/processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define DATE_TRIES     10
#define MAPS_MAX_BYTES (1u << 20)

struct option_sink {
	int (*put)(void *ctx, uint16_t id, struct piece data, struct errmsg *err);
	void *ctx;
	struct errmsg *err;
};

static int put_text(const struct option_sink *sink, uint16_t id, const char *text)
{
	return sink->put(sink->ctx, id, (struct piece){(const uint8_t *)text, strlen(text) + 1},
			 sink->err);
}

/*
 * --- the time of day ---------------------------------------------------------------------------
 */

static int64_t wall_us(void)
{
	struct timeval tv;

	gettimeofday(&tv, NULL);
	return tv.tv_sec * 1000000LL + tv.tv_usec;
}

/* Parses "  sonde-12  [000] .....  1234.567890: tracing_mark_write: sonde 3". */
static bool find_mark(const char *text, int number, int64_t *ret_us)
{
	char mark[64];
	const char *p, *q;
	long long s, us;

	snprintf(mark, sizeof(mark), ": sonde date %d\n", number);
	p = strstr(text, mark);
	if (!p)
		return false;
	while (p > text && p[-1] != '\n')
		p--;
	q = strstr(p, "] ");
	q = q ? q + 2 : p;
	while (*q && (*q < '0' || *q > '9' || strcspn(q, " ") != strspn(q, "0123456789.:")))
		q += *q == ' ' ? 1 : strcspn(q, " ");
	if (sscanf(q, "%lld.%6lld:", &s, &us) != 2)
		return false;
	*ret_us = s * 1000000 + us;
	return true;
}

static int measure_date(struct session *s, const char *clock, int64_t *ret_us)
{
	struct errmsg ignored = {0};
	int64_t before[DATE_TRIES], width[DATE_TRIES], mark, best = INT64_MAX;
	char name[64];
	struct textbuf text;
	int r;

	snprintf(name, sizeof(name), "sonde.%d.date", (int)getpid());
	TRY(journal_add_instance(s->journal, name, &ignored));
	tracefs_try_write(&s->t, name, "trace_clock", clock, TRACEFS_SET);
	for (int i = 0; i < DATE_TRIES; i++) {
		char line[64];

		snprintf(line, sizeof(line), "sonde date %d\n", i);
		before[i] = wall_us();
		tracefs_try_write(&s->t, name, "trace_marker", line, TRACEFS_SET);
		width[i] = wall_us() - before[i];
	}
	textbuf_init(&text, 1 << 20);
	r = tracefs_read(&s->t, name, "trace", &text);
	textbuf_add(&text, "", 1);
	for (int i = 0; i < DATE_TRIES && r >= 0; i++)
		if (width[i] < best && find_mark(text.start, i, &mark)) {
			best = width[i];
			*ret_us = before[i] + width[i] / 2 - mark;
		}
	textbuf_release(&text);
	tracefs_remove_instance(&s->t, name, &ignored);
	return best == INT64_MAX ? -ENODATA : 0;
}

static int put_date(struct session *s, const struct option_sink *sink)
{
	char clock[64], text[32];
	int64_t us;

	session_clock(s, 0, clock, sizeof(clock));
	if (measure_date(s, clock, &us) < 0)
		return errmsg_set(
			sink->err, -ENOTSUP,
			"the clock '%s' cannot be compared with the time of day (--date); use "
			"-C mono",
			clock);
	snprintf(text, sizeof(text), "0x%llx", (long long)us);
	return put_text(sink, SNF_OPTION_DATE, text);
}

/*
 * --- the counter -------------------------------------------------------------------------------
 */

static int put_counter(const struct option_sink *sink)
{
	struct {
		uint32_t mult, shift;
		uint64_t offset;
	} data = {0};
	struct counter_rate rate;

	if (counter_read_rate(&rate) < 0)
		return errmsg_set(
			sink->err, -ENOTSUP,
			"the kernel does not provide the rate of its counter (tsc2nsec); use "
			"-C mono");
	data.mult = rate.mult;
	data.shift = rate.shift;
	return sink->put(sink->ctx, SNF_OPTION_TSC2NSEC,
			 (struct piece){(const uint8_t *)&data, sizeof(data)}, sink->err);
}

/*
 * --- what tasks have mapped --------------------------------------------------------------------
 */

/* Adds "pid count name", then "start end path" for each mapped file, all numbers in hex. */
static int put_maps(const struct option_sink *sink, unsigned pid)
{
	char path[64], line[4096 + 128], comm[64] = "";
	SCOPED(textbuf_release) struct textbuf maps = {.max_bytes = MAPS_MAX_BYTES};
	SCOPED(textbuf_release) struct textbuf all = {.max_bytes = MAPS_MAX_BYTES + 256};
	unsigned n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	f = fopen(path, "re");
	if (f && fgets(comm, sizeof(comm), f))
		comm[strcspn(comm, "\n")] = 0;
	if (f)
		fclose(f);
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		unsigned long start, end;
		char file[4096];

		if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %4095[^\n]", &start, &end, file) == 3 &&
		    *file == '/') {
			textbuf_addf(&maps, "%lx %lx %s\n", start, end, file);
			n++;
		}
	}
	if (f)
		fclose(f);
	textbuf_addf(&all, "%x %x %s\n", pid, n, comm);
	if (n)
		textbuf_add(&all, maps.start, textbuf_len(&maps));
	textbuf_add(&all, "", 1);
	if (n && !all.overflow && !maps.overflow)
		TRY(put_text(sink, SNF_OPTION_PROCMAPS, all.start));
	return 0;
}

static int put_all_maps(struct session *s, const struct option_sink *sink)
{
	int r = s->has_child ? put_maps(sink, s->child.pid) : 0;

	for (size_t i = 0; i < s->setup->n_buffers; i++)
		for (size_t k = 0; k < s->setup->buffers[i].plan->pids.n && r >= 0; k++)
			r = put_maps(sink, atoi(s->setup->buffers[i].plan->pids.words[k]));
	return r;
}

/*
 * --- processes ---------------------------------------------------------------------------------
 */

int recording_processes(struct session *s,
			int (*put)(void *ctx, uint16_t id, struct piece data, struct errmsg *err),
			void *ctx, struct errmsg *err)
{
	const struct processes *p = census_processes(s->census);
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = PROCESSES_MAX_BYTES};
	SCOPED(textbuf_release) struct textbuf packed = {.max_bytes = PROCESSES_MAX_BYTES};

	if (!p)
		return 0;
	processes_fmt(p, &text);
	if (textbuf_len(&text)) { /* the part beyond the limit is missing */
		TRY(packedtext_fmt(PIECE_OF_TEXT(&text), &packed));
		TRY(put(ctx, SNF_OPTION_PROCESSES, PIECE_OF_TEXT(&packed), err));
	}
	return 0;
}

/*
 * --- all ---------------------------------------------------------------------------------------
 */

/* Adds the difference between the time of day and the clock of user functions, in microseconds. */
static int put_raw_date(const struct option_sink *sink)
{
	struct timespec raw;
	char text[32];

	clock_gettime(CLOCK_MONOTONIC_RAW, &raw);
	snprintf(text, sizeof(text), "0x%llx",
		 (long long)wall_us() - raw.tv_sec * 1000000LL - raw.tv_nsec / 1000);
	return put_text(sink, SNF_OPTION_DATE, text);
}

static int put_machine(struct session *s, const struct recording_config *config,
		       const struct option_sink *sink)
{
	uint32_t n_cpus = s->n_cpus;
	uint64_t id = config->trace_id;
	char clock[4096];

	if (!id && getrandom(&id, sizeof(id), 0) != sizeof(id))
		id = (uint64_t)wall_us() << 20 | (getpid() & 0xfffff);
	if (!s->setup->n_buffers)
		snprintf(clock, sizeof(clock), "[%s]", USEREVENTS_CLOCK);
	else if (tracefs_read_short(&s->t, s->setup->buffers[0].instance, "trace_clock", clock,
				    sizeof(clock)) < 0)
		*clock = 0;
	TRY(put_text(sink, SNF_OPTION_TRACECLOCK, clock));
	TRY(put_text(sink, SNF_OPTION_UNAME, s->kernel.uname));
	TRY(put_text(sink, SNF_OPTION_VERSION, config->program));
	TRY(sink->put(sink->ctx, SNF_OPTION_CPUCOUNT, (struct piece){(const uint8_t *)&n_cpus, 4},
		      sink->err));
	return sink->put(sink->ctx, SNF_OPTION_TRACEID, (struct piece){(const uint8_t *)&id, 8},
			 sink->err);
}

int recording_options(struct session *s, const struct recording_config *config,
		      int (*put)(void *ctx, uint16_t id, struct piece data, struct errmsg *err),
		      void *ctx, struct errmsg *err)
{
	struct option_sink sink = {put, ctx, err};

	TRY(put_machine(s, config, &sink));
	if (config->date)
		TRY(s->setup->n_buffers ? put_date(s, &sink) : put_raw_date(&sink));
	if (config->ts_offset)
		TRY(put_text(&sink, SNF_OPTION_OFFSET, config->ts_offset));
	if (config->tsc2nsec)
		TRY(put_counter(&sink));
	if (config->proc_map)
		TRY(put_all_maps(s, &sink));
	for (size_t i = 0; config->hooks && i < config->hooks->n; i++)
		TRY(put_text(&sink, SNF_OPTION_HOOK, config->hooks->words[i]));
	return recording_processes(s, put, ctx, err);
}
