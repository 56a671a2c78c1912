// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vcpus.c - finds which thread of the host ran which virtual CPU of the guest.
 *
 * The host's kvm_entry and kvm_exit events show it: their common_pid is the thread, their vcpu_id
 * the number. Events are read only until the number of every thread is known. A thread without
 * such an event runs no virtual CPU; a note reports that it is excluded. Two threads cannot run
 * the same virtual CPU.
 */
#include "base/array.h"
#include "base/conveyor.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/order/sequence.h"
#include "decode/timeconv.h"
#include "format/bytes.h"
#include "rewrite/attach_int.h"
#include "store/pagestream.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>

static void note_record(struct vcpus *v, const struct record *rec)
{
	const struct event *ev = rec->event;
	const struct field *pid = event_find_common(ev, "common_pid"),
			   *vcpu = event_find_field(ev, "vcpu_id");
	bool swap = v->host->swap;
	uint32_t number;

	if (!pid || !vcpu || pid->offset + pid->size > rec->size ||
	    vcpu->offset + vcpu->size > rec->size)
		return;
	number = bytes_get(rec->data + vcpu->offset, vcpu->size, swap);
	for (size_t i = 0; i < v->n; i++)
		if (v->rows[i].vcpu == ATTACH_VCPU_UNKNOWN && number < ATTACH_CPUS_MAX &&
		    (uint32_t)v->rows[i].pid == bytes_get(rec->data + pid->offset, pid->size, swap))
			v->rows[i].vcpu = number;
}

static size_t count_unknown(const struct vcpus *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		n += v->rows[i].vcpu == ATTACH_VCPU_UNKNOWN;
	return n;
}

static int walk(struct vcpus *v, struct sequence *seq, const struct event *const events[2])
{
	struct batch batch;
	int r = batch_init(&batch);

	TRY(r);
	while (count_unknown(v) && (r = sequence_fill(seq, &batch)) > 0)
		for (size_t i = 0; i < batch.n; i++)
			if (batch.records[i].event && (batch.records[i].event == events[0] ||
						       batch.records[i].event == events[1]))
				note_record(v, &batch.records[i]);
	batch_release(&batch);
	return r < 0 ? r : 0;
}

static int walk_buffers(struct vcpus *v, struct formats *formats, struct tasks *tasks,
			const struct event *const events[2])
{
	SCOPED(unpacker_free_scoped)
	struct unpacker *unpacker = unpacker_new(conveyor_default_threads() > 1, 2);
	SCOPED(sequence_free_scoped)
	struct sequence *seq =
		sequence_new(&(struct sequence_config){.raw = true, .to = UINT64_MAX});

	if (!seq || !unpacker)
		return -ENOMEM;
	for (size_t i = 0; i < v->host->n_buffers; i++) {
		struct source_config sc = {.tf = v->host,
					   .formats = formats,
					   .tasks = tasks,
					   .buffer = &v->host->buffers[i]};
		struct timeconv_config time = {0};

		if (v->host->buffers[i].is_text)
			continue;
		timeconv_init(&sc.time, v->host, sc.buffer->clock, &time);
		TRY(sequence_add_source(seq, &sc, unpacker));
	}
	TRY(sequence_start(seq));
	return walk(v, seq, events);
}

static int read_events(struct vcpus *v, struct errmsg *err)
{
	struct formats_config config = {0};
	struct formats *formats;
	struct tasks tasks;
	const struct event *events[2];
	int r = formats_new(&formats, v->host, &config, err);

	TRY(r);
	events[0] = formats_find_name(formats, "kvm", "kvm_entry");
	events[1] = formats_find_name(formats, "kvm", "kvm_exit");
	if (!events[0] && !events[1])
		r = errmsg_set(err, -ENODATA,
			       "%s has no kvm_entry or kvm_exit events, which say what thread is "
			       "which virtual CPU: name them as PID:VCPU",
			       v->host->path);
	else if (tasks_init(&tasks, tracefile_text(v->host, TRACEFILE_CMDLINES)) < 0)
		r = errmsg_set_errno(err, -ENOMEM, "cannot read %s", v->host->path);
	else {
		r = walk_buffers(v, formats, &tasks, events);
		tasks_release(&tasks);
		if (r < 0)
			errmsg_set_errno(err, r, "cannot read the events of %s", v->host->path);
	}
	formats_free(formats);
	return r;
}

ARRAY_ORDER(vcpu_compare, struct guest_vcpu_pid, COMPARE(x->vcpu, y->vcpu))

/* Keeps only known threads, sorted by number. */
static int settle(struct vcpus *v, const struct rewrite_notes *notes, struct errmsg *err)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		if (v->rows[i].vcpu != ATTACH_VCPU_UNKNOWN)
			v->rows[n++] = v->rows[i];
		else
			rewrite_note(notes,
				     "the thread %d runs no virtual CPU in %s; it is left out",
				     v->rows[i].pid, v->host->path);
	v->n = n;
	qsort(v->rows, n, sizeof(*v->rows), vcpu_compare);
	for (size_t i = 1; i < n; i++)
		if (v->rows[i].vcpu == v->rows[i - 1].vcpu)
			return errmsg_set(err, -EINVAL,
					  "the threads %d and %d are both virtual CPU %u: of one "
					  "guest there can be only one",
					  v->rows[i - 1].pid, v->rows[i].pid, v->rows[i].vcpu);
	return n ? 0
		 : errmsg_set(err, -ENODATA, "none of the threads runs a virtual CPU in %s",
			      v->host->path);
}

int vcpus_find(struct vcpus *v, const struct rewrite_notes *notes, struct errmsg *err)
{
	if (count_unknown(v))
		TRY(read_events(v, err));
	return settle(v, notes, err);
}
