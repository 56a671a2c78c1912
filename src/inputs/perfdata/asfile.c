// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * asfile.c - writes the samples of a perf.data as events of a trace file.
 *
 *                         ┌─ of a tracepoint: its raw bytes are the event ─▶ the top buffer
 *  session ─▶ a sample ───┤
 *                         └─ others, and those with a call chain ─▶ perf:sample, in buffer "perf"
 *             LOST ─▶ missed events of that CPU
 *
 * The formats of tracepoints are those of the feature TRACING_DATA, which has the form of a
 * trace.dat of version 6 and is read as one. The clock is the one that perf record used; without -k
 * it is the one that ftrace calls "perf".
 *
 * A sample without a CPU (perf record of a command does not ask for it) is put on CPU 0. Names of
 * tasks are the last ones that they had.
 */
#include "inputs/perfdata/asfile.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "format/bytes.h"
#include "inputs/foreign/formats.h"
#include "inputs/perfdata/asfile_int.h"
#include "inputs/perfdata/session.h"
#include "store/packedtext.h"
#include "store/events/sampleevents.h"
#include "store/events/userevents.h"
#include "store/writer.h"
#include "symbols/processes.h"

#include <string.h>
#include <time.h>

#define TEXT_MAX_BYTES (1u << 30)
#define TEXTS_OF(c)                                                                   \
	{                                                                             \
		&(c)->kallsyms, &(c)->formats, &(c)->header_page, &(c)->header_event, \
			&(c)->ftrace, &(c)->printk, &(c)->cmdlines, &(c)->samples     \
	}

static void release(struct perffile *c)
{
	struct textbuf *texts[] = TEXTS_OF(c);

	writer_free(c->writer);
	perfmetadata_close(&c->metadata);
	processes_free(c->processes);
	perfsession_close(c->session);
	lanes_release(&c->lanes);
	map_release(&c->symbols);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		textbuf_release(texts[i]);
}

/*
 * --- records -----------------------------------------------------------------------------------
 */

static uint32_t cpu_of(struct perffile *c, const struct perfdata_sample *s)
{
	if (s->cpu >= 0 && (uint32_t)s->cpu < LANES_CPUS_MAX)
		return (uint32_t)s->cpu;
	c->n_without_cpu++;
	return 0;
}

static int add(struct perffile *c, enum perffile_buffer buffer, const struct perfdata_sample *s,
	       const void *data, uint32_t n_bytes)
{
	int r = lanes_add(&c->lanes, buffer, cpu_of(c, s), s->time_ns, data, n_bytes);

	c->n_events[buffer] += r >= 0;
	c->n_too_long += r == -E2BIG;
	return r == -E2BIG ? 0 : r;
}

/* The stack from the inside out; its first place is the sample's own. */
static int add_sample(struct perffile *c, const struct perfsample *sample)
{
	struct perfplace chain[SAMPLEEVENTS_STACK_MAX];
	size_t n = perfsession_chain(c->session, sample, chain, ARRAY_LEN(chain));
	struct sampleevents_sample rec = {
		.type = SAMPLEEVENTS_SAMPLE,
		.pid = sample->s.tid < 0 ? 0 : sample->s.tid,
		.period = sample->s.period,
		.event = (uint32_t)(sample->s.event - perfsession_data(c->session)->events),
		.tgid = sample->s.pid,
	};

	for (size_t i = 0; i < n; i++) {
		if (chain[i].is_return) /* the place is inside of the call */
			perfsession_resolve(c->session, sample->thread, chain[i].ip - 1,
					    chain[i].is_kernel, &chain[i]);
		if (perffile_add_place(c, &chain[i], &rec.stack[i]) < 0)
			return -ENOMEM;
	}
	rec.ip = n ? rec.stack[0] : 0;
	return add(c, PERFFILE_SAMPLES, &sample->s, &rec, sampleevents_set_stack(&rec, n));
}

static bool is_tracepoint(const struct perffile *c, const struct perfdata_sample *s)
{
	return s->event->attr.type == PERF_TYPE_TRACEPOINT && s->raw.len >= 8 && c->metadata.file;
}

static int take_sample(struct perffile *c, const struct perfsample *sample)
{
	bool is_event = is_tracepoint(c, &sample->s);

	if (is_event && !sample->s.chain.len)
		c->n_plain++;
	if (is_event)
		TRY(add(c, PERFFILE_EVENTS, &sample->s, sample->s.raw.data,
			(uint32_t)sample->s.raw.len));
	return is_event && !sample->s.chain.len ? 0 : add_sample(c, sample);
}

static int take_loss(struct perffile *c, const struct perfsample *loss)
{
	const struct perfdata_event *e = loss->s.event;
	bool is_event = e && e->attr.type == PERF_TYPE_TRACEPOINT && c->metadata.file;

	return lanes_add_missed(&c->lanes, is_event ? PERFFILE_EVENTS : PERFFILE_SAMPLES,
				cpu_of(c, &loss->s), loss->s.period);
}

static int take_all(struct perffile *c, struct errmsg *err)
{
	struct perfsample sample;
	int r;

	while ((r = perfsession_next(c->session, &sample)) > 0) {
		r = r == PERFSESSION_SAMPLE ? take_sample(c, &sample) : take_loss(c, &sample);
		if (r < 0)
			break;
	}
	if (r >= 0)
		r = lanes_finish(&c->lanes);
	return r < 0 ? errmsg_set_errno(err, r, "cannot convert %s", c->config->input) : 0;
}

/*
 * --- what was omitted --------------------------------------------------------------------------
 */

static void note_left_out(struct perffile *c)
{
	const struct perfsession_counts *n = perfsession_counts(c->session);
	const struct perfdata *pd = perfsession_data(c->session);
	const struct {
		uint64_t n;
		const char *what;
	} rows[] = {
		{n->n_branch_stacks, "branch stacks"},
		{c->n_not_unwound, "copied user stacks that could not be unwound"},
		{pd->n_of_type[SNF_PERF_AUXTRACE], "blocks of AUX data (Intel PT, CoreSight …)"},
		{pd->n_of_type[PERF_RECORD_AUX], "notes about AUX data"},
		{pd->n_of_type[SNF_PERF_STAT], "counter values of perf stat record"},
		{c->n_too_long, "events longer than a page"},
		{n->n_unparsed, "samples that do not fit their event"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].n)
			foreign_note(c->config, "%s: not converted: %llu %s", c->config->input,
				     (unsigned long long)rows[i].n, rows[i].what);
	if (c->n_without_cpu)
		foreign_note(c->config,
			     "%s does not say on which CPU its samples were taken; they are shown "
			     "on CPU "
			     "0",
			     c->config->input);
	for (size_t i = 0; i < pd->n_damage; i++)
		foreign_note(c->config, "%s", pd->damage[i]);
}

/*
 * --- the file ----------------------------------------------------------------------------------
 */

static const char *clock_name(const struct perfdata *pd)
{
	const struct perf_event_attr *a = &pd->events[0].attr;

	if (!a->use_clockid)
		return "perf";
	switch (a->clockid) {
	case CLOCK_MONOTONIC:
		return "mono";
	case CLOCK_MONOTONIC_RAW:
		return "mono_raw";
	case CLOCK_BOOTTIME:
		return "boot";
	case CLOCK_TAI:
		return "tai";
	}
	return "global";
}

static int next_event(void *ctx, uint32_t *ret_cpu, struct piece *ret)
{
	struct perffile *c = ctx;

	return lanes_next(&c->lanes, PERFFILE_EVENTS, ret_cpu, ret);
}

static int next_sample(void *ctx, uint32_t *ret_cpu, struct piece *ret)
{
	struct perffile *c = ctx;

	return lanes_next(&c->lanes, PERFFILE_SAMPLES, ret_cpu, ret);
}

static int write_texts(struct perffile *c, struct errmsg *err)
{
	const struct {
		enum tracefile_text_kind kind;
		const struct textbuf *tb;
	} texts[] = {{TRACEFILE_HEADER_PAGE, &c->header_page},
		     {TRACEFILE_HEADER_EVENT, &c->header_event},
		     {TRACEFILE_FTRACE_FORMATS, &c->ftrace},
		     {TRACEFILE_EVENT_FORMATS, &c->formats},
		     {TRACEFILE_KALLSYMS, &c->kallsyms},
		     {TRACEFILE_PRINTK, &c->printk},
		     {TRACEFILE_CMDLINES, &c->cmdlines}};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (texts[i].tb->overflow)
			return errmsg_set_errno(err, -ENOMEM, "cannot convert %s",
						c->config->input);
		TRY(writer_add_text(c->writer, texts[i].kind,
				    texts[i].tb->start ? PIECE_OF_TEXT(texts[i].tb) : PIECE_EMPTY,
				    err));
	}
	return 0;
}

static int write_file(struct perffile *c, struct errmsg *err)
{
	const char *clock = clock_name(perfsession_data(c->session));
	struct writer_config config = {.path = c->config->output,
				       .version = c->config->version,
				       .compression = c->config->compression,
				       .plain_data = c->config->plain_data,
				       .big_endian = bytes_host_is_big(),
				       .long_size = sizeof(long),
				       .page_size = LANES_PAGE_BYTES,
				       .is_copy = true};
	struct writer_buffer top = {.name = "", .clock = clock, .page_size = LANES_PAGE_BYTES};
	struct writer_buffer perf = {
		.name = SAMPLEEVENTS_BUFFER, .clock = clock, .page_size = LANES_PAGE_BYTES};
	int events, samples = -1;

	TRY(writer_open(&c->writer, &config, err));
	writer_set_cpu_count(c->writer, perffile_n_cpus(c));
	TRY(write_texts(c, err));
	TRY(perffile_write_options(c, err));
	events = writer_add_buffer(c->writer, &top, err);
	TRY(events);
	if (c->n_events[PERFFILE_SAMPLES]) {
		samples = writer_add_buffer(c->writer, &perf, err);
		TRY(samples);
	}
	TRY(writer_write_buffer(c->writer, events, &(struct writer_source){c, next_event}, err));
	if (samples >= 0)
		TRY(writer_write_buffer(c->writer, samples, &(struct writer_source){c, next_sample},
					err));
	return writer_close(TAKE(c->writer), err);
}

int perffile_convert(const struct foreign_config *config, struct errmsg *err)
{
	SCOPED(release) struct perffile c = {.config = config, .lanes = {.fd = -1}};
	struct textbuf *texts[] = TEXTS_OF(&c);
	int r;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		textbuf_init(texts[i], TEXT_MAX_BYTES);
	c.processes = processes_new();
	r = c.processes ? lanes_init(&c.lanes, PERFFILE_BUFFERS) : -ENOMEM;
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot convert %s", config->input);
	TRY(perfsession_open(&c.session, config->input, err));
	perfmetadata_open(&c.metadata, c.session);
	TRY(take_all(&c, err));
	TRY(perffile_make_texts(&c, err));
	TRY(write_file(&c, err));
	note_left_out(&c);
	return perfsession_data(c.session)->n_damage ? 1 : 0;
}
