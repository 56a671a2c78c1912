// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * events.c - libsonde: the events of a trace, one after the other in the order of time.
 *
 *	sequence (decode/order) ── batch of 1024 records ──▶ struct sonde_event ──▶ the program
 *
 * The sequence runs as for `report -R`: every record is an event, and no exit of a function is
 * folded into its entry. Filters and names of tasks are those of report.
 *
 * The spec of the inputs points to the texts of the caller's struct sonde_select, which need not
 * stay. So they are copied, all into one block.
 */
#include "analyse/keys.h"
#include "decode/order/sequence.h"
#include "inputs/inputs.h"
#include "library/library_int.h"

#include "base/array.h"
#include "base/scope.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 65536

/* --- the selection ---------------------------------------------------------------------------- */

/* Copies texts to one block: first measures (block NULL), then writes. */
struct copying {
	char *block;
	size_t used;
};

static void *take_room(struct copying *c, size_t n_bytes)
{
	size_t at = (c->used + 7) & ~(size_t)7;

	c->used = at + n_bytes;
	return c->block ? c->block + at : NULL;
}

static const char *copy_text(struct copying *c, const char *s)
{
	size_t n = s ? strlen(s) + 1 : 0;
	char *to = n ? take_room(c, n) : NULL;

	return to ? memcpy(to, s, n) : NULL;
}

static struct word_list copy_words(struct copying *c, const char *const *words, size_t n)
{
	const char **to = n ? take_room(c, n * sizeof(*to)) : NULL;

	for (size_t i = 0; i < n; i++) {
		const char *s = copy_text(c, words[i]);

		if (to)
			to[i] = s;
	}
	return (struct word_list){to, to ? n : 0};
}

static void copy_filters(struct copying *c, struct inputs_filter *to, const char *const *texts,
			 size_t n, bool reject)
{
	for (size_t i = 0; i < n; i++) {
		const char *s = copy_text(c, texts[i]);

		if (to)
			to[i] = (struct inputs_filter){.text = s, .reject = reject, .input = -1};
	}
}

static struct inputs_spec copy_select(struct copying *c, const struct sonde_select *s)
{
	size_t n_filters = s->n_filters + s->n_rejects;
	struct inputs_spec spec = {.pids = copy_words(c, s->pids, s->n_pids),
				   .comms = copy_words(c, s->tasks, s->n_tasks),
				   .buffers = copy_words(c, s->buffers, s->n_buffers),
				   .from = copy_text(c, s->from),
				   .to = copy_text(c, s->to)};

	if (n_filters) {
		spec.filters = take_room(c, n_filters * sizeof(*spec.filters));
		spec.n_filters = n_filters;
		copy_filters(c, spec.filters, s->filters, s->n_filters, false);
		copy_filters(c, spec.filters ? spec.filters + s->n_filters : NULL, s->rejects,
			     s->n_rejects, true);
	}
	if (s->n_cpus) {
		spec.cpus = take_room(c, s->n_cpus * sizeof(*spec.cpus));
		spec.n_cpus = s->n_cpus;
		if (spec.cpus)
			memcpy(spec.cpus, s->cpus, s->n_cpus * sizeof(*spec.cpus));
	}
	return spec;
}

static int set_spec(struct sonde_events *e, const struct sonde_select *select, struct errmsg *err)
{
	struct sonde_select all = SONDE_SELECT_INIT;
	struct copying c = {0};

	if (select) {
		if (select->size < sizeof(select->size) || select->size > 4096)
			return errmsg_set(err, -EINVAL,
					  "the size of struct sonde_select is not set: begin it "
					  "with SONDE_SELECT_INIT");
		memcpy(&all, select, select->size < sizeof(all) ? select->size : sizeof(all));
	}
	if (all.n_filters > WORDS_MAX || all.n_rejects > WORDS_MAX || all.n_cpus > WORDS_MAX ||
	    all.n_tasks > WORDS_MAX || all.n_pids > WORDS_MAX || all.n_buffers > WORDS_MAX)
		return errmsg_set(err, -EINVAL, "struct sonde_select has too many words");
	copy_select(&c, &all);
	e->words = calloc(1, c.used + 1);
	if (!e->words)
		return -ENOMEM;
	c = (struct copying){.block = e->words};
	e->spec = copy_select(&c, &all);
	return 0;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* A field that no event has is a mistake here: nobody reads a note. */
static int check_notes(const struct inputs *in, struct errmsg *err)
{
	for (size_t i = 0; i < in->n_notes; i++)
		if (in->notes[i].kind == INPUTS_NO_FIELD)
			return errmsg_set(err, -ENOENT, "%s", in->notes[i].text);
	return 0;
}

static int open_events(struct sonde_events *e, const struct sonde_trace *trace, struct errmsg *err)
{
	struct sequence_config config;
	bool any;

	TRY(library_open(&e->in, &e->spec, trace, err));
	TRY(inputs_filter(&e->in, &any, err));
	TRY(check_notes(&e->in, err));
	config = inputs_sequence_config(&e->spec);
	config.raw = true;
	config.tgids = true;
	TRY(inputs_sources_init(&e->sources, &e->in, &config, err));
	TRY(inputs_sources_set_range(&e->sources, err));
	TRY(batch_init(&e->batch));
	e->shown = calloc(BATCH_RECORDS, sizeof(*e->shown));
	e->readers = calloc(e->in.n_files + 1, sizeof(*e->readers));
	return e->shown && e->readers ? 0 : -ENOMEM;
}

SCOPED_POINTER(struct sonde_events, sonde_events_free)

PUBLIC int sonde_events_new(struct sonde_events **ret, const struct sonde_trace *trace,
			    const struct sonde_select *select, struct sonde_error *error)
{
	SCOPED(sonde_events_free_scoped) struct sonde_events *e = calloc(1, sizeof(*e));
	struct errmsg err = {0};
	int r = e ? 0 : -ENOMEM;

	if (r >= 0) {
		textbuf_init(&e->text, LIBRARY_TEXT_MAX_BYTES);
		r = set_spec(e, select, &err);
	}
	if (r >= 0)
		r = open_events(e, trace, &err);
	if (r < 0)
		return library_fail(error, &err, r);
	*ret = TAKE(e);
	return 0;
}

static void packing_release(struct packing *p)
{
	free(p->list);
	free(p->block);
	map_release(&p->kind_numbers);
	map_release(&p->comm_numbers);
	free(p->kinds);
	free(p->comms);
}

static void reader_release(struct reader *r)
{
	if (!r->is_ready)
		return;
	for (size_t i = 0; i < r->slots.n_slots; i++)
		free(r->slots.slots[i].value);
	map_release(&r->slots);
	keyreader_release(&r->keys);
}

PUBLIC void sonde_events_free(struct sonde_events *e)
{
	if (!e)
		return;
	for (size_t i = 0; e->readers && i < e->in.n_files; i++)
		reader_release(&e->readers[i]);
	free(e->readers);
	free(e->shown);
	packing_release(&e->packing);
	batch_release(&e->batch);
	inputs_sources_release(&e->sources);
	inputs_close(&e->in);
	textbuf_release(&e->text);
	free(e->words);
	free(e);
}

/* --- events ----------------------------------------------------------------------------------- */

static struct sonde_event show(const struct sonde_events *e, const struct record *rec)
{
	const struct task *task = rec->task;
	int64_t missed = 0;

	if (rec->flags & RECORD_MISSED)
		missed = rec->extra && rec->extra->missed > 0 ? rec->extra->missed : -1;
	return (struct sonde_event){
		.ts = rec->ts,
		.kind = library_kind(rec->event),
		.data = rec->data,
		.comm = task ? task->comm : "<...>",
		.size = rec->size,
		.cpu = rec->cpu,
		.pid = task ? task->pid : -1,
		.tgid = task ? task->tgid : -1,
		.file = library_file_of(e, rec->source),
		.source = rec->source,
		.missed = missed,
	};
}

int library_fill(struct sonde_events *e)
{
	int r;

	if (e->at < e->n)
		return 1;
	e->n = e->at = e->n_shown = 0;
	r = e->error < 0 ? e->error : sequence_fill(e->sources.seq, &e->batch);
	if (r < 0 && !e->error) {
		e->error = r;
		errmsg_set_errno(&e->err, r, "cannot read the events of %s",
				 inputs_path(&e->in.files[0]));
	}
	if (r > 0)
		e->n = e->batch.n;
	return r;
}

/* Makes the next record a public event, with all after it in the batch. */
static int fill(struct sonde_events *e)
{
	int r = 1;

	while (r > 0 && e->at == e->n)
		r = library_fill(e);
	if (r > 0 && e->n_shown < e->n)
		for (e->n_shown = e->at; e->n_shown < e->n; e->n_shown++)
			e->shown[e->n_shown] = show(e, &e->batch.records[e->n_shown]);
	return r;
}

PUBLIC int sonde_events_batch(struct sonde_events *e, const struct sonde_event **ret, size_t *ret_n)
{
	int r = fill(e);

	*ret = e->shown + e->at;
	*ret_n = r > 0 ? e->n - e->at : 0;
	if (r > 0)
		e->at = e->n;
	return r;
}

PUBLIC const struct sonde_event *sonde_events_next(struct sonde_events *e)
{
	if ((e->at >= e->n_shown || e->at == e->n) && fill(e) <= 0)
		return NULL;
	return &e->shown[e->at++];
}

PUBLIC int sonde_events_error(const struct sonde_events *e, struct sonde_error *error)
{
	return e->error < 0 ? library_fail(error, &e->err, e->error) : 0;
}

PUBLIC const char *sonde_events_damage(const struct sonde_events *e, size_t *pos)
{
	return inputs_next_damage(&e->in, pos);
}

/* --- packed ----------------------------------------------------------------------------------- */

/* The number of an object that stays at its address; -1: no memory. */
static int64_t number_of(struct map *numbers, const void *object, const void ***list, size_t *n,
			 size_t *cap)
{
	void **slot = map_take(numbers, (uintptr_t)object, UINT32_MAX);

	if (slot && *slot)
		return (int64_t)((uintptr_t)*slot - 1);
	if (!slot)
		return -1;
	if (!ARRAY_ROOM(*list, *cap, *n + 1, UINT32_MAX)) {
		map_remove(numbers, (uintptr_t)object);
		return -1;
	}
	(*list)[*n] = object;
	*slot = (void *)(uintptr_t)(*n + 1);
	return (int64_t)(*n)++;
}

static int pack(struct sonde_events *e, const struct sonde_event *events, size_t n)
{
	struct packing *p = &e->packing;
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		const struct sonde_event *ev = &events[i];
		int64_t kind = number_of(&p->kind_numbers, ev->kind, (const void ***)&p->kinds,
					 &p->n_kinds, &p->cap_kinds);
		int64_t comm = number_of(&p->comm_numbers, ev->comm, (const void ***)&p->comms,
					 &p->n_comms, &p->cap_comms);

		if (kind < 0 || comm < 0)
			return -ENOMEM;
		p->list[i] = (struct sonde_packed){.ts = ev->ts,
						   .missed = ev->missed,
						   .data_at = (uint32_t)used,
						   .size = ev->size,
						   .cpu = ev->cpu,
						   .pid = ev->pid,
						   .tgid = ev->tgid,
						   .kind = (uint32_t)kind,
						   .comm = (uint32_t)comm,
						   .file = ev->file,
						   .source = ev->source};
		memcpy(p->block + used, ev->data, ev->size);
		used += ev->size;
	}
	return 0;
}

static int make_room(struct packing *p, size_t n_bytes)
{
	if (!p->list)
		p->list = calloc(BATCH_RECORDS, sizeof(*p->list));
	if (!p->list || !ARRAY_ROOM(p->block, p->cap_block, n_bytes + 1, UINT32_MAX))
		return -ENOMEM;
	return 0;
}

PUBLIC int sonde_events_packed(struct sonde_events *e, const struct sonde_packed **ret,
			       size_t *ret_n, const uint8_t **ret_block, size_t *ret_block_len)
{
	const struct sonde_event *events;
	size_t n_bytes = 0;
	int r = sonde_events_batch(e, &events, ret_n);

	*ret_block_len = 0;
	if (r <= 0)
		return r;
	for (size_t i = 0; i < *ret_n; i++)
		n_bytes += events[i].size;
	r = make_room(&e->packing, n_bytes);
	if (r >= 0)
		r = pack(e, events, *ret_n);
	if (r < 0) {
		*ret_n = 0;
		e->error = errmsg_set_errno(&e->err, r, "cannot copy events");
		return r;
	}
	*ret = e->packing.list;
	*ret_block = e->packing.block;
	*ret_block_len = n_bytes;
	return 1;
}

PUBLIC const struct sonde_kind *sonde_events_kind(const struct sonde_events *e, uint32_t kind)
{
	return kind < e->packing.n_kinds ? e->packing.kinds[kind] : NULL;
}

PUBLIC const char *sonde_events_comm(const struct sonde_events *e, uint32_t comm)
{
	return comm < e->packing.n_comms ? e->packing.comms[comm] : NULL;
}
