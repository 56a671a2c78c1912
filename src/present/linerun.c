// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * linerun.c - prints all events of the inputs as lines, with several threads.
 *
 *	sequence_fill ──▶ [slot: batch] ──▶ lines into the slot's text ──▶ write
 *	   in order           (conveyor.h: any thread)                      in order
 *
 * A slot's text stops at TEXT_MAX_BYTES. If a batch needs more (a hostile print format), the rest
 * is formatted and written in pieces when it is the batch's turn, so memory stays bounded.
 */
#include "present/linerun.h"

#include "base/conveyor.h"
#include "base/scope.h"
#include "base/shortage.h"
#include "base/textbuf.h"
#include "decode/order/sequence.h"
#include "inputs/sources.h"
#include "present/rows.h"
#include "store/tracefile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SUM_BYTES	  (48u << 20) /* limit of all slots */
#define TEXT_MAX_BYTES	  (2u << 20)  /* limit of one slot */
#define RECORD_MAX_BYTES  (2u << 20)  /* limit of one record; the rest is not shown */
#define SLOTS_MAX	  128
/*
 * So many more than threads: a thread that loses its CPU for 3 ms with the oldest slot does not
 * stop the others. Each may hold the largest chunk of a packed trace, which has fewer for that
 * reason.
 */
#define SLOTS_MORE	  32
#define SLOTS_MORE_PACKED 4

struct slot {
	struct batch batch;
	struct textbuf text;
	size_t done; /* number of records that are in the text so far */
};

struct run {
	const struct linerun_spec *spec;
	const struct linerun_sink *sink;
	struct inputs *in;
	const struct inputs_sources *src;
	lines_add add;
	struct line_style style;
	struct slot *slots;
	size_t n_slots, text_max;
	/* one per thread, with its caches, and one more for draining */
	struct line_printer *printers;
	size_t n_printers;
	uint64_t **last_ts; /* --ts-check: per source and CPU */
};

/* Adds "cpus=N" of every file, before anything else. With several files, their names come first. */
static void add_heads(struct run *run, struct textbuf *tb)
{
	for (size_t i = 0; i < run->in->n_files; i++) {
		const struct tracefile *tf = run->in->files[i].tf;

		lines_add_head(run->in, i, run->spec->verbose, tb);
		for (size_t k = 0; run->spec->verbose && k < tf->n_buffers; k++)
			if (!inputs_is_top(&tf->buffers[k]))
				lines_add_empty_cpus(&tf->buffers[k], tb);
	}
}

static int write_text(struct run *run, const char *text, size_t len)
{
	return run->sink->write(run->sink->ctx, text, len);
}

/* --- the conveyor ----------------------------------------------------------------------------- */

static int fill_slot(void *ctx, void *item)
{
	struct run *run = ctx;
	struct slot *slot = item;

	return run->sink->is_closed(run->sink->ctx) ? 0
						    : sequence_fill(run->src->seq, &slot->batch);
}

static void work_slot(void *ctx, void *item, unsigned thread)
{
	struct run *run = ctx;
	struct slot *slot = item;

	textbuf_clear(&slot->text);
	line_printer_aim(&run->printers[thread], &slot->text);
	slot->done = run->add(&run->printers[thread], &slot->batch, 0, run->text_max);
}

static void check_times(struct run *run, const struct batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct record *rec = &b->records[i];
		uint64_t *last = &run->last_ts[rec->source][rec->cpu];

		if (*last > rec->ts)
			run->sink->note_backwards(run->sink->ctx, rec->cpu, *last, rec->ts);
		*last = rec->ts;
	}
}

static int drain_slot(void *ctx, void *item)
{
	struct run *run = ctx;
	struct slot *slot = item;
	struct line_printer *drainer = &run->printers[run->n_printers - 1];
	int r;

	if (run->last_ts)
		check_times(run, &slot->batch);
	for (;;) {
		r = write_text(run, slot->text.start, textbuf_len(&slot->text));
		if (r < 0 || slot->done == slot->batch.n)
			break;
		textbuf_clear(&slot->text);
		line_printer_aim(drainer, &slot->text);
		slot->done = run->add(drainer, &slot->batch, slot->done, run->text_max);
	}
	run->sink->progress(run->sink->ctx, slot->batch.progress);
	return r;
}

static int slots_init(struct run *run, unsigned n_threads, struct errmsg *err)
{
	unsigned n = n_threads < conveyor_n_cpus() ? n_threads : conveyor_n_cpus();

	run->n_slots = n < 2 ? 1 : n + (run->src->unpacker ? SLOTS_MORE_PACKED : SLOTS_MORE);
	if (run->n_slots > SLOTS_MAX)
		run->n_slots = SLOTS_MAX;
	run->text_max = TEXT_SUM_BYTES / run->n_slots;
	if (run->text_max > TEXT_MAX_BYTES)
		run->text_max = TEXT_MAX_BYTES;
	run->slots = calloc(run->n_slots, sizeof(*run->slots));
	for (size_t i = 0; run->slots && i < run->n_slots; i++) {
		textbuf_init(&run->slots[i].text, run->text_max + RECORD_MAX_BYTES);
		if (batch_init(&run->slots[i].batch) < 0)
			return errmsg_set_errno(err, -ENOMEM, "cannot report");
	}
	run->printers = calloc(n_threads + 1, sizeof(*run->printers));
	for (unsigned i = 0; run->printers && i <= n_threads; i++, run->n_printers++)
		if (line_printer_init(&run->printers[i], &run->style) < 0)
			return errmsg_set_errno(err, -ENOMEM, "cannot report");
	return run->slots && run->printers ? 0 : errmsg_set_errno(err, -ENOMEM, "cannot report");
}

static int ts_check_init(struct run *run, struct errmsg *err)
{
	uint32_t n = 0;

	for (size_t i = 0; i < run->in->n_files; i++)
		for (size_t k = 0; k < run->in->files[i].tf->n_buffers; k++)
			if (run->in->files[i].tf->buffers[k].max_cpus > n)
				n = run->in->files[i].tf->buffers[k].max_cpus;
	run->last_ts = calloc(run->src->n + 1, sizeof(*run->last_ts));
	if (!run->last_ts)
		return errmsg_set_errno(err, -ENOMEM, "cannot check times");
	for (size_t i = 0; i < run->src->n; i++) {
		run->last_ts[i] = calloc(n + 1, sizeof(**run->last_ts));
		if (!run->last_ts[i])
			return errmsg_set_errno(err, -ENOMEM, "cannot check times");
	}
	return 0;
}

static int run_conveyor(struct run *run, unsigned n_threads, struct errmsg *err)
{
	void *items[SLOTS_MAX];
	struct conveyor_job job = {.ctx = run,
				   .items = items,
				   .n_items = run->n_slots,
				   .n_threads = n_threads,
				   .fill = fill_slot,
				   .work = work_slot,
				   .drain = drain_slot};
	int r;

	for (size_t i = 0; i < run->n_slots; i++)
		items[i] = &run->slots[i];
	r = conveyor_run(&job);
	if (r == -EPIPE)
		return r;
	return r < 0 ? errmsg_set_errno(err, r, "cannot write the report") : 0;
}

/* --- the end ---------------------------------------------------------------------------------- */

static void add_wakeup_sum(struct textbuf *tb, const struct wakeup_stats *w)
{
	uint64_t avg = w->total / w->n;

	textbuf_addf(tb, "\nAverage wakeup latency: %llu.%03llu usecs\n",
		     (unsigned long long)avg / 1000, (unsigned long long)avg % 1000);
	textbuf_addf(tb, "Maximum Latency: %llu.%03llu usecs at timestamp: %llu.%06llu\n",
		     (unsigned long long)w->max / 1000, (unsigned long long)w->max % 1000,
		     (unsigned long long)w->max_ts / 1000000000,
		     (unsigned long long)((w->max_ts + 500) % 1000000000) / 1000);
	textbuf_addf(tb, "Minimum Latency: %llu.%03llu usecs at timestamp: %llu.%06llu\n\n",
		     (unsigned long long)w->min / 1000, (unsigned long long)w->min % 1000,
		     (unsigned long long)w->min_ts / 1000000000,
		     (unsigned long long)((w->min_ts + 500) % 1000000000) / 1000);
}

static int write_tail(struct run *run)
{
	const struct wakeup_stats *w = sequence_wakeup(run->src->seq);
	TEXTBUF(tb, 1 << 16);

	if (!run->spec->show->wakeup || !w[0].n || run->spec->show->as != LINES_TEXT)
		return 0;
	add_wakeup_sum(&tb, &w[0]);
	if (w[1].n) {
		textbuf_add_str(&tb, "RT task timings:\n");
		add_wakeup_sum(&tb, &w[1]);
	}
	return write_text(run, tb.start, textbuf_len(&tb));
}

static int write_first(struct run *run)
{
	TEXTBUF(tb, 1 << 20);

	if (run->spec->show->as == LINES_TEXT)
		add_heads(run, &tb);
	else if (run->spec->show->as == LINES_CSV)
		textbuf_add_str(&tb, rows_csv_header);
	return write_text(run, tb.start, textbuf_len(&tb));
}

/* Writes heads, and the text of a latency tracer, which is the only content of such a file. */
static int write_heads(struct run *run, bool *ret_only_text, struct errmsg *err)
{
	*ret_only_text = false;
	TRY(write_first(run));
	for (size_t i = 0; i < run->in->n_files; i++)
		for (size_t k = 0; k < run->in->files[i].tf->n_buffers; k++) {
			const struct tracefile_buffer *b = &run->in->files[i].tf->buffers[k];

			if (!b->is_text)
				continue;
			if (run->in->n_files > 1)
				return errmsg_set(
					err, -EINVAL,
					"%s holds the text of a latency tracer, which cannot be "
					"merged with other inputs",
					run->in->files[i].tf->path);
			*ret_only_text = true;
			TRY(write_text(run, (const char *)b->text.data, b->text.len));
			TRY(write_text(run, "\n", 1));
		}
	return 0;
}

/* Does everything that can fail, before the first line is written. */
static int prepare(struct run *run, unsigned n_threads, struct errmsg *err)
{
	int r = slots_init(run, n_threads, err);

	if (r >= 0 && run->spec->check_times)
		r = ts_check_init(run, err);
	/* lines without some symbols or formats would be wrong */
	return r < 0 ? r : shortage_check(err, "cannot report");
}

static int run_events(struct run *run, unsigned n_threads, struct errmsg *err)
{
	bool only_text;

	TRY(prepare(run, n_threads, err));
	TRY(write_heads(run, &only_text, err));
	if (only_text)
		return 0;
	TRY(run_conveyor(run, n_threads, err));
	return write_tail(run);
}

static void run_release(struct run *run)
{
	for (size_t i = 0; run->slots && i < run->n_slots; i++) {
		batch_release(&run->slots[i].batch);
		textbuf_release(&run->slots[i].text);
	}
	free(run->slots);
	for (size_t i = 0; i < run->n_printers; i++)
		line_printer_release(&run->printers[i]);
	free(run->printers);
	for (size_t i = 0; run->last_ts && i < run->src->n; i++)
		free(run->last_ts[i]);
	free(run->last_ts);
}

int linerun(const struct linerun_spec *spec, const struct inputs_sources *src,
	    const struct lines *lines, const struct linerun_sink *sink, struct errmsg *err)
{
	SCOPED(run_release)
	struct run run = {.spec = spec,
			  .sink = sink,
			  .in = src->in,
			  .src = src,
			  .add = lines_adder(spec->show->as),
			  .style = lines_style(spec->show, lines)};

	run.style.colour = spec->colour && spec->show->as == LINES_TEXT;
	return run_events(&run, conveyor_default_threads(), err);
}
