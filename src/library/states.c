// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * states.c - libsonde: what tasks did, from the index that the viewer uses.
 *
 * The index is made anew for each call, with one thread, so that tasks have the same numbers each
 * time. It is not stored.
 */
#include "decode/taskstate.h"
#include "inputs/inputs.h"
#include "library/library_int.h"

#include "base/scope.h"
#include "timeline/states/states.h"
#include "timeline/timeline.h"

#include <errno.h>
#include <stdlib.h>

#define SAME(state) _Static_assert((int)SONDE_##state == (int)state, "the numbers are the same")
SAME(STATE_UNKNOWN);
SAME(STATE_RUNNING);
SAME(STATE_RUNNABLE);
SAME(STATE_PREEMPTED);
SAME(STATE_SLEEPING);
SAME(STATE_BLOCKED);
SAME(STATE_STOPPED);
SAME(STATE_IDLE);
SAME(STATE_DEAD);

struct visiting {
	struct timeline *tl;
	uint64_t origin;
	int (*visit)(void *ctx, const struct sonde_state *state);
	void *ctx;
	int result; /* of the visits; not 0: no more of them */
};

static void visit_state(void *ctx, uint16_t task, const struct state_span *s)
{
	struct visiting *v = ctx;
	const struct timeline_task *t = timeline_task(v->tl, task);
	const struct timeline_task *waker =
		s->waker >= 0 ? timeline_task(v->tl, (size_t)s->waker) : NULL;

	if (v->result || !t)
		return;
	v->result = v->visit(v->ctx, &(struct sonde_state){
					     .ts = v->origin + s->start,
					     .dur = s->end - s->start,
					     .comm = t->comm,
					     .kind = (enum sonde_state_kind)s->state,
					     .pid = t->pid,
					     .file = t->machine,
					     .cpu = s->cpu,
					     .waker_pid = waker ? waker->pid : -1,
					     .is_open = s->open_end,
				     });
}

/* Makes the index, and visits. */
static int index_states(struct visiting *v, struct inputs *in, struct inputs_sources *src,
			struct timeline_source *sources, struct errmsg *err)
{
	for (size_t i = 0; i < src->n; i++) {
		const struct source_config *c = &src->list[i].config;

		sources[i] = (struct timeline_source){
			.tf = c->tf,
			.formats = c->formats,
			.buffer = c->buffer,
			.time = c->time,
			.name = c->buffer->name,
			.file = inputs_file_name(src->list[i].file),
			.machine = (uint32_t)(src->list[i].file - in->files)};
	}
	TRY(timeline_new(&v->tl, sources, src->n, 1, err));
	TRY(timeline_start(v->tl, NULL, err));
	TRY(timeline_wait(v->tl));
	v->origin = timeline_origin(v->tl);
	return task_states_each(v->tl, 0, UINT64_MAX, visit_state, v);
}

PUBLIC int sonde_states(struct sonde_trace *trace,
			int (*visit)(void *ctx, const struct sonde_state *state), void *ctx,
			struct sonde_error *error)
{
	SCOPED(inputs_close) struct inputs in = {0};
	SCOPED(inputs_sources_release) struct inputs_sources src = {0};
	struct inputs_spec spec = {0};
	struct visiting v = {.visit = visit, .ctx = ctx};
	struct timeline_source *sources = NULL;
	struct errmsg err = {0};
	int r = library_open(&in, &spec, trace, &err);

	if (r >= 0)
		r = inputs_sources_list(&src, &in, &err);
	if (r >= 0) {
		sources = calloc(src.n + 1, sizeof(*sources));
		r = sources ? index_states(&v, &in, &src, sources, &err) : -ENOMEM;
	}
	timeline_free(v.tl);
	free(sources);
	return r < 0 ? library_fail(error, &err, r) : v.result;
}
