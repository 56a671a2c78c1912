// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * session.c - samples of a perf.data one by one, while other records change threads and mappings.
 *
 *	records by time ─┬─▶ MMAP, MMAP2, COMM, FORK, NAMESPACES …   threads.c, dsos.c
 *	                 ├─▶ LOST, LOST_SAMPLES                      handed out: they are part of
 *	                                                             the trace
 *	                 └─▶ SAMPLE                                  handed out; a group's: one per
 *	                                                             member
 *
 * A sample of a group (leader sampling, ":S") has the values of all members. Each becomes a sample
 * of its own, whose period is what the member counted since the last one; members that counted
 * nothing have none.
 */
#include "format/bytes.h"
#include "inputs/perfdata/session_int.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_MAX_BYTES (1u << 30)
#define VALUES_MAX	65536u

static void set_build_ids(struct perfsession *s)
{
	struct perfdata_build_id b;
	size_t pos = 0;

	while (perfdata_next_build_id(&s->data, &pos, &b)) {
		struct perfdso *d = perfsession_dso(s, b.path, -1);

		if (!d)
			return;
		memcpy(d->id, b.id, sizeof(d->id));
		d->n_id = b.n_bytes;
	}
}

static int start(struct perfsession *s, struct perfsession **ret, struct errmsg *err)
{
	s->kernel = perfsession_dso(s, "[kernel.kallsyms]", -1);
	set_build_ids(s);
	if (!s->kernel) {
		perfsession_close(s);
		return errmsg_set_errno(err, -ENOMEM, "cannot read the perf.data");
	}
	*ret = s;
	return 0;
}

static struct perfsession *new_session(void)
{
	struct perfsession *s = calloc(1, sizeof(*s));

	if (s) {
		arena_init(&s->arena, ARENA_MAX_BYTES);
		s->seed = hash_seed();
	}
	return s;
}

int perfsession_open(struct perfsession **ret, const char *path, struct errmsg *err)
{
	struct perfsession *s = new_session();
	int r;

	if (!s)
		return errmsg_set_errno(err, -ENOMEM, "cannot open %s", path);
	r = perfdata_open(&s->data, path, err);
	if (r < 0) {
		perfsession_close(s);
		return r;
	}
	return start(s, ret, err);
}

int perfsession_open_memory(struct perfsession **ret, const char *path, struct piece bytes,
			    struct errmsg *err)
{
	struct perfsession *s = new_session();
	int r;

	if (!s)
		return errmsg_set_errno(err, -ENOMEM, "cannot open %s", path);
	r = perfdata_open_memory(&s->data, path, bytes, err);
	if (r < 0) {
		perfsession_close(s);
		return r;
	}
	return start(s, ret, err);
}

void perfsession_close(struct perfsession *s)
{
	if (!s)
		return;
	perfsession_free_threads(s);
	perfsession_free_inlines(s);
	perfsession_free_unwind(s);
	perfsession_free_dsos(s);
	for (size_t i = 0; i < s->last_values.n_slots; i++)
		free(s->last_values.slots[i].value);
	map_release(&s->last_values);
	free(s->values);
	perfdata_close(&s->data);
	arena_release(&s->arena);
	free(s->heap);
	free(s);
}

void perfsession_take(struct perfsession *s, void *heap)
{
	s->heap = heap;
}

struct perfdata *perfsession_data(struct perfsession *s)
{
	return &s->data;
}

struct perfdso *perfsession_dsos(struct perfsession *s)
{
	return s->dsos;
}

const struct symtable *perfsession_kernel(struct perfsession *s)
{
	perfdso_load(s, s->kernel);
	return s->kernel->symbols;
}

uint64_t perfsession_kernel_ref(const struct perfsession *s, const char **ret_name)
{
	*ret_name = s->kernel_ref_name;
	return s->kernel_ref;
}

const struct perfsession_counts *perfsession_counts(const struct perfsession *s)
{
	return &s->counts;
}

/*
 * --- records that are not samples --------------------------------------------------------------
 */

/* A text that ends at the record's trailer at the latest. */
static const char *take_text(struct perfsession *s, const struct byte_reader *r)
{
	return arena_strndup(&s->arena, (const char *)r->pos,
			     strnlen((const char *)r->pos, byte_reader_left(r)));
}

/* "[kernel.kallsyms]_text": pgoff is the address of _text when it was recorded. */
static void note_kernel(struct perfsession *s, const char *path, uint64_t pgoff)
{
	static const char head[] = "[kernel.kallsyms]";

	if (strncmp(path, head, sizeof(head) - 1) || !path[sizeof(head) - 1])
		return;
	s->kernel_ref = pgoff;
	snprintf(s->kernel_ref_name, sizeof(s->kernel_ref_name), "%s", path + sizeof(head) - 1);
}

/* MMAP: s32 pid, tid, u64 address, length, offset, path. MMAP2: more before the path. */
static int read_mmap(struct perfsession *s, const struct perfdata_record *rec, struct byte_reader r)
{
	bool is_2 = perfdata_type(rec) == PERF_RECORD_MMAP2;
	int32_t pid = (int32_t)byte_reader_take_number(&r, 4);
	int32_t tid = (int32_t)byte_reader_take_number(&r, 4);
	uint64_t start = byte_reader_take_number(&r, 8), len = byte_reader_take_number(&r, 8);
	struct perfmap m = {.start = start, .end = start + len};
	const uint8_t *more;
	struct perfthread *t;
	const char *path;

	m.pgoff = byte_reader_take_number(&r, 8);
	more = is_2 ? byte_reader_take(&r, 32) : NULL;
	if (r.failed)
		return 0;
	path = take_text(s, &r);
	if (!path)
		return -ENOMEM;
	if ((perfdata_misc(rec) & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL) {
		note_kernel(s, path, m.pgoff);
		return 0;
	}
	if (perfdata_misc(rec) & PERF_RECORD_MISC_MMAP_DATA)
		return 0;
	m.dso = perfsession_dso(s, path, pid);
	t = perfsession_thread(s, pid, pid);
	if (!m.dso || !t)
		return -ENOMEM;
	if (more && perfdata_misc(rec) & PERF_RECORD_MISC_MMAP_BUILD_ID && more[0] &&
	    more[0] <= SYMTABLE_ID_BYTES && !m.dso->n_id) {
		memcpy(m.dso->id, more + 4, more[0]);
		m.dso->n_id = more[0];
	}
	(void)tid;
	return perfsession_map(s, t, &m);
}

static int read_comm(struct perfsession *s, const struct perfdata_record *rec, struct byte_reader r)
{
	int32_t pid = (int32_t)byte_reader_take_number(&r, 4);
	int32_t tid = (int32_t)byte_reader_take_number(&r, 4);
	struct perfthread *t = r.failed ? NULL : perfsession_thread(s, tid, pid);

	if (r.failed)
		return 0;
	if (!t)
		return -ENOMEM;
	t->pid = pid;
	perfthread_set_comm(t, (const char *)r.pos,
			    strnlen((const char *)r.pos, byte_reader_left(&r)));
	return 0;
}

static int read_fork(struct perfsession *s, const struct perfdata_record *rec, struct byte_reader r)
{
	int32_t pid = (int32_t)byte_reader_take_number(&r, 4);
	int32_t ppid = (int32_t)byte_reader_take_number(&r, 4);
	int32_t tid = (int32_t)byte_reader_take_number(&r, 4);
	int32_t ptid = (int32_t)byte_reader_take_number(&r, 4);

	/* perf makes such records for threads that were there, with their mappings behind them */
	return r.failed ? 0 : perfsession_fork(s, pid, tid, ppid, ptid);
}

static const struct {
	uint32_t type;
	int (*read)(struct perfsession *s, const struct perfdata_record *rec, struct byte_reader r);
} kinds[] = {
	{PERF_RECORD_MMAP, read_mmap},
	{PERF_RECORD_MMAP2, read_mmap},
	{PERF_RECORD_COMM, read_comm},
	{PERF_RECORD_FORK, read_fork},
};

static bool is_loss(const struct perfdata_record *rec)
{
	uint32_t type = perfdata_type(rec);

	return type == PERF_RECORD_LOST || type == PERF_RECORD_LOST_SAMPLES;
}

/* LOST: u64 id, u64 number. LOST_SAMPLES: u64 number. */
static void read_loss(struct perfsession *s, const struct perfdata_record *rec,
		      struct perfsample *ret)
{
	struct piece body = perfdata_body(rec);
	struct byte_reader r = {body.data, body.data + body.len, false, false};
	struct perfdata_trailer t;

	perfdata_parse_trailer(&s->data, rec->at, &t);
	if (perfdata_type(rec) == PERF_RECORD_LOST)
		byte_reader_take(&r, 8);
	*ret = (struct perfsample){.s = {.event = t.event,
					 .cpu = t.cpu,
					 .pid = t.pid,
					 .tid = t.tid,
					 .time_ns = t.time_ns,
					 .period = byte_reader_take_number(&r, 8)}};
	s->counts.n_lost += ret->s.period;
}

static int read_other(struct perfsession *s, const struct perfdata_record *rec)
{
	struct piece body = perfdata_body(rec);
	struct perfdata_trailer t;

	perfdata_parse_trailer(&s->data, rec->at, &t);
	if (t.n_bytes > body.len)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (kinds[i].type == perfdata_type(rec))
			return kinds[i].read(s, rec,
					     (struct byte_reader){body.data,
								  body.data + body.len - t.n_bytes,
								  false, false});
	return 0;
}

/*
 * --- samples -----------------------------------------------------------------------------------
 */

static int add_value(void *ctx, const struct perfdata_read_value *v)
{
	struct perfsession *s = ctx;

	if (!ARRAY_ROOM(s->values, s->cap_values, s->n_values + 1, VALUES_MAX))
		return -ENOMEM;
	s->values[s->n_values++] = *v;
	return 0;
}

/* What the counter counted since its last value. */
static int take_delta(struct perfsession *s, const struct perfdata_read_value *v, uint64_t *ret)
{
	void **slot = map_take(&s->last_values, v->id, PERFSESSION_THREADS_MAX);
	uint64_t *last;

	if (!slot)
		return -ENOMEM;
	if (!*slot)
		*slot = calloc(1, sizeof(*last));
	last = *slot;
	if (!last)
		return -ENOMEM;
	*ret = v->value - *last;
	*last = v->value;
	return 0;
}

/* The next member of a group that counted something. Returns 0 if there is none. */
static int next_member(struct perfsession *s, struct perfsample *ret)
{
	while (s->next_value < s->n_values) {
		const struct perfdata_read_value *v = &s->values[s->next_value++];
		uint64_t delta;
		size_t i = (uintptr_t)map_find(&s->data.by_id, v->id);

		TRY(take_delta(s, v, &delta));
		if (!i || i > s->data.n_events || !delta)
			continue;
		*ret = s->group;
		ret->s.event = &s->data.events[i - 1];
		ret->s.id = v->id;
		ret->s.period = delta;
		return PERFSESSION_SAMPLE;
	}
	return 0;
}

static void count(struct perfsession *s, const struct perfdata_sample *sample)
{
	s->counts.n_samples++;
	s->counts.n_branch_stacks += sample->n_branches != 0;
}

static int read_sample(struct perfsession *s, const struct perfdata_record *rec,
		       struct perfsample *ret)
{
	struct perfsample sample = {0};

	if (perfdata_parse_sample(&s->data, rec, &sample.s) < 0) {
		s->counts.n_unparsed++;
		return 0;
	}
	count(s, &sample.s);
	sample.thread = perfsession_thread(s, sample.s.tid, sample.s.pid);
	if (!sample.thread)
		return -ENOMEM;
	if (sample.s.event->attr.sample_type & PERF_SAMPLE_READ && sample.s.read.len) {
		s->group = sample;
		s->n_values = s->next_value = 0;
		TRY(perfdata_each_value(&sample.s, add_value, s));
		return next_member(s, ret);
	}
	*ret = sample;
	return PERFSESSION_SAMPLE;
}

int perfsession_next(struct perfsession *s, struct perfsample *ret)
{
	const struct perfdata_record *rec;
	int r = next_member(s, ret);

	while (!r && (rec = perfdata_next(&s->data))) {
		if (perfdata_type(rec) == PERF_RECORD_SAMPLE) {
			r = read_sample(s, rec, ret);
		} else if (is_loss(rec)) {
			read_loss(s, rec, ret);
			r = PERFSESSION_LOST;
		} else {
			r = read_other(s, rec);
		}
	}
	return r;
}

/*
 * --- places ------------------------------------------------------------------------------------
 */

void perfsession_resolve(struct perfsession *s, const struct perfthread *t, uint64_t ip,
			 bool is_kernel, struct perfplace *ret)
{
	const struct perfthread *process = t;
	const struct perfmap *m;

	*ret = (struct perfplace){.ip = ip, .address = ip, .is_kernel = is_kernel};
	if (is_kernel) {
		ret->dso = s->kernel;
		perfdso_load(s, s->kernel);
		if (s->kernel->symbols)
			ret->symbol = symtable_find(s->kernel->symbols, ip);
		return;
	}
	if (t && t->pid != t->tid && t->pid >= 0)
		process = map_find(&s->threads, (uint64_t)(int64_t)t->pid + 1);
	m = process ? perfmaps_find(process->maps, ip) : NULL;
	if (!m)
		return;
	ret->dso = m->dso;
	perfdso_load(s, m->dso);
	if (m->dso->kind == PERFDSO_JIT)
		ret->address = ip;
	else
		ret->address = ip - m->start + m->pgoff;
	if (!m->dso->symbols)
		return;
	if (m->dso->kind != PERFDSO_JIT)
		symtable_address(m->dso->symbols, ret->address, &ret->address);
	ret->symbol = symtable_find(m->dso->symbols, ret->address);
}

static bool is_kernel_mode(uint16_t misc)
{
	unsigned mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL;
}

void perfsession_place(struct perfsession *s, const struct perfsample *sample,
		       struct perfplace *ret)
{
	perfsession_resolve(s, sample->thread, sample->s.ip, is_kernel_mode(sample->s.misc), ret);
}

size_t perfsession_chain(struct perfsession *s, const struct perfsample *sample,
			 struct perfplace *ret, size_t max)
{
	bool is_kernel = is_kernel_mode(sample->s.misc), is_return = false;
	size_t n = 0;

	for (size_t i = 0; i + 8 <= sample->s.chain.len && n < max; i += 8) {
		uint64_t ip = bytes_get64(sample->s.chain.data + i, false);

		if (ip >= PERF_CONTEXT_MAX) {
			is_kernel = ip == PERF_CONTEXT_KERNEL || ip == PERF_CONTEXT_GUEST_KERNEL;
			is_return = false;
			continue;
		}
		perfsession_resolve(s, sample->thread, ip, is_kernel, &ret[n]);
		ret[n++].is_return = is_return;
		is_return = true;
	}
	if (sample->s.regs_abi)
		n += perfsession_unwind(s, sample, ret + n, max - n);
	if (!n && max)
		perfsession_place(s, sample, &ret[n++]);
	return n;
}
