// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * syscollector.c - makes events of records, and packs them into pages.
 *
 *	ENTRY  ──▶ kept with its thread ─┐
 *	EXIT   ──────────────────────────┴─▶ event "syscall" ──▶ page of its CPU ──▶ take()
 *	slots  ──▶ calls that last ────────▶ event "syscall_open"
 *
 * A CPU's records come in the order of time, so its page is in order, too.
 *
 * A reader that shows calls in the order of their beginnings must soon know about a call that
 * lasts. So every LOOK_NS the table of calls that have not returned is read, and each that has
 * lasted longer becomes an event, once. It is on CPU 0, as its CPU is unknown, and has the time of
 * the reading: what came before is in the pages already.
 *
 * What user space reads here comes from programs that are traced (the memory), but its form comes
 * from the kernel.
 */
#include "capture/syscalls/syscollector.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/map.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/syscalls/sysclock.h"
#include "capture/syscalls/sysexeced.h"
#include "capture/syscalls/sysprograms.h"
#include "capture/syscalls/sysring.h"
#include "format/bytes.h"
#include "store/pagebuilder.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_MIN_US	5000 /* the ring has room for 100 ms of the fastest program */
#define WAIT_MAX_US	20000
#define ROUND_RECORDS	65536
#define LOOK_NS		50000000u
#define TASKS_MAX	(1u << 20)
#define COMM_BYTES	16
#define SIGINFO_BYTES	128
#define EVENT_MAX_BYTES (SYSCALLEVENTS_CALL_BYTES + 2 * SYSCALLEVENTS_MEMORY_MAX)

struct syscpu {
	struct pagebuilder pb; /* its ts is the time of the last event */
	uint32_t n_lost;       /* as its last record said */
	bool is_open;
};

/* What is kept of a thread: only of those with a copied entry or a long call, or that ended. */
struct systask {
	uint64_t start_ns; /* of the call whose entry is kept */
	uint64_t told_ns;  /* beginning of the call that was reported as lasting */
	uint64_t ended_ns; /* beginning of the last long call that has ended */
	uint8_t *memory;
	uint32_t n_bytes, cap;
	struct syssent *ignored;  /* to be shown when its call has ended */
	struct syssent *fatal;	  /* to be shown when the process ends; of its first thread */
	struct sysexeced *execed; /* until the call returns */
	char comm[COMM_BYTES + 1];
};

/* A signal that was sent. */
struct syssent {
	struct sysrecord record;
	uint8_t info[SYSRECORD_SIGINFO];
};

struct syscollector {
	struct syscollector_config config;
	struct sysclock clock;
	struct syscollector_sum sum;
	struct syscpu *cpus;
	struct map tasks;
	uint32_t machines[2];
	uint64_t looked_ns;
	uint64_t n_missed; /* not in a page yet */
	size_t n_sent;	   /* signals that are kept */
	size_t n_execed;   /* programs that are kept */
	unsigned wait_us;
	bool is_final;
	/* the event that is being made */
	uint8_t event[EVENT_MAX_BYTES] __attribute__((aligned(8)));
};

struct syscollector *syscollector_new(const struct syscollector_config *config)
{
	struct syscollector *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->config = *config;
	c->cpus = calloc(config->n_cpus, sizeof(*c->cpus));
	if (!c->cpus) {
		free(c);
		return NULL;
	}
	sysclock_init(&c->clock);
	c->looked_ns = c->clock.last_mono;
	c->wait_us = WAIT_MIN_US;
	for (unsigned i = 0; i < 2; i++)
		c->machines[i] = sysprograms_machine(i);
	return c;
}

void syscollector_free(struct syscollector *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->tasks.n_slots; i++) {
		struct systask *t = c->tasks.slots[i].value;

		if (t) {
			free(t->memory);
			free(t->ignored);
			free(t->fatal);
			free(t->execed);
		}
		free(t);
	}
	map_release(&c->tasks);
	for (unsigned i = 0; i < c->config.n_cpus; i++)
		pagebuilder_release(&c->cpus[i].pb);
	free(c->cpus);
	free(c);
}

/*
 * --- pages -------------------------------------------------------------------------------------
 */

static int close_page(struct syscollector *c, struct syscpu *cpu)
{
	struct piece page;

	if (!cpu->is_open)
		return 0;
	page = pagebuilder_end(&cpu->pb);
	cpu->is_open = false;
	return c->config.take(c->config.ctx, (unsigned)(cpu - c->cpus), page.data, page.len);
}

static int begin_page(struct syscollector *c, struct syscpu *cpu, uint64_t ns)
{
	if (!cpu->pb.page)
		TRY(pagebuilder_init_host(&cpu->pb, c->config.page_size));
	pagebuilder_begin(&cpu->pb, ns, (int64_t)c->n_missed);
	c->n_missed = 0;
	cpu->is_open = true;
	return 0;
}

/* Adds the event, of n_bytes, to the page of the CPU. */
static int put(struct syscollector *c, unsigned number, uint64_t ns, uint32_t n_bytes)
{
	struct syscpu *cpu = &c->cpus[number < c->config.n_cpus ? number : 0];

	if (ns < cpu->pb.ts)
		ns = cpu->pb.ts;
	c->sum.n_events++;
	if (c->n_missed)
		TRY(close_page(c, cpu));
	for (int i = 0; i < 2; i++) {
		if (!cpu->is_open)
			TRY(begin_page(c, cpu, ns));
		if (pagebuilder_add(&cpu->pb, ns, c->event, n_bytes))
			return 0;
		TRY(close_page(c, cpu));
	}
	return -EINVAL;
}

/*
 * --- events ------------------------------------------------------------------------------------
 */

static struct systask *task_of(struct syscollector *c, uint32_t pid)
{
	void **place = map_take(&c->tasks, pid, TASKS_MAX);

	if (place && !*place)
		*place = calloc(1, sizeof(struct systask));
	return place ? *place : NULL;
}

/* Appends chunks to the event; drops those that do not fit. */
static uint32_t add_memory(struct syscollector *c, uint32_t at, const uint8_t *memory, size_t n)
{
	for (size_t i = 0; i + sizeof(struct syscallevents_chunk) <= n;) {
		struct syscallevents_chunk chunk;
		size_t bytes, len;

		memcpy(&chunk, memory + i, sizeof(chunk));
		bytes = sizeof(chunk) + chunk.n_bytes;
		len = (bytes + 7) & ~(size_t)7;
		if (len > n - i || at + len > SYSCALLEVENTS_CALL_BYTES + SYSCALLEVENTS_MEMORY_MAX)
			break;
		memcpy(c->event + at, memory + i, bytes);
		memset(c->event + at + bytes, 0, len - bytes);
		at += (uint32_t)len;
		i += len;
	}
	return at;
}

static void begin_event(struct syscollector *c, enum syscallevents_id id, const struct sysrecord *r)
{
	struct syscallevents_call *e = (struct syscallevents_call *)c->event;

	*e = (struct syscallevents_call){
		.type = (uint16_t)id,
		.pid = (int32_t)r->pid,
		.ret = r->ret,
		.nr = r->nr,
		.machine = c->machines[r->machine & 1],
		.tgid = (int32_t)r->tgid,
	};
	memcpy(e->args, r->args, sizeof(e->args));
}

static int end_event(struct syscollector *c, unsigned cpu, uint64_t mono_ns, uint64_t start_ns,
		     uint32_t n_bytes)
{
	struct syscallevents_call *e = (struct syscallevents_call *)c->event;
	uint64_t raw = sysclock_raw(&c->clock, mono_ns);

	e->duration = mono_ns > start_ns ? mono_ns - start_ns : 0;
	e->memory_loc = SYSCALLEVENTS_CALL_BYTES | (n_bytes - SYSCALLEVENTS_CALL_BYTES) << 16;
	return put(c, cpu, raw, n_bytes);
}

static int keep_entry(struct syscollector *c, const struct sysrecord *r, size_t n_bytes)
{
	struct systask *t = task_of(c, r->pid);
	uint32_t n = (uint32_t)(n_bytes - sizeof(*r));

	if (!t)
		return -ENOMEM;
	if (t->start_ns)
		c->sum.n_orphans++;
	if (n > t->cap) {
		uint8_t *memory = realloc(t->memory, n);

		if (!memory)
			return -ENOMEM;
		t->memory = memory;
		t->cap = n;
	}
	memcpy(t->memory, r + 1, n);
	t->n_bytes = n;
	t->start_ns = r->start_ns;
	return 0;
}

/*
 * --- signals that are sent ---------------------------------------------------------------------
 *
 * The kernel delivers neither a signal that is ignored nor one that ends its process, but makes
 * SIGKILL of the latter. strace sees them. So they are kept: one that is ignored until the call of
 * its thread has ended, which is when strace shows it; one that can end the process until that has
 * ended by it, or was handled.
 */

/* The siginfo of a signal that has none in the kernel. */
static void make_siginfo(const struct syssent *s, uint8_t *info)
{
	const struct sysrecord *r = &s->record;
	siginfo_t made = {.si_signo = (int)r->nr};

	if (!r->args[SYSRECORD_SENT_FAILED]) {
		memcpy(info, s->info, sizeof(s->info));
		return;
	}
	made.si_code = r->args[SYSRECORD_SENT_INFO] ? SI_KERNEL : SI_USER;
	if (made.si_code == SI_USER) {
		made.si_pid = (pid_t)r->args[SYSRECORD_SENT_TGID];
		made.si_uid = (uid_t)r->args[SYSRECORD_SENT_UID];
	}
	memcpy(info, &made, sizeof(s->info));
}

/* Shows a signal at the time and on the CPU of `at`. */
static int put_sent(struct syscollector *c, struct syssent *s, const struct sysrecord *at)
{
	struct {
		struct syscallevents_chunk chunk;
		uint8_t info[SIGINFO_BYTES];
	} memory = {.chunk = {.n_bytes = SIGINFO_BYTES}};
	struct sysrecord r = s->record;
	uint32_t n;

	make_siginfo(s, memory.info);
	r.ret = 0;
	r.pid = at->pid;
	memset(r.args, 0, sizeof(r.args));
	begin_event(c, SYSCALLEVENTS_SIGNAL, &r);
	n = add_memory(c, SYSCALLEVENTS_CALL_BYTES, (const uint8_t *)&memory, sizeof(memory));
	return end_event(c, at->cpu, at->time_ns, at->time_ns, n);
}

static void drop_sent(struct syscollector *c, struct syssent **s)
{
	if (!*s)
		return;
	free(*s);
	*s = NULL;
	c->n_sent--;
}

static int keep_sent(struct syscollector *c, struct syssent **place, const struct syssent *s)
{
	drop_sent(c, place);
	*place = malloc(sizeof(*s));
	if (!*place)
		return -ENOMEM;
	**place = *s;
	c->n_sent++;
	return 0;
}

static int take_sent(struct syscollector *c, const struct sysrecord *r, size_t n_bytes)
{
	struct systask *t;
	struct syssent s;

	if (n_bytes < sizeof(s))
		return 0;
	memcpy(&s, r, sizeof(s));
	if (r->ret && !r->start_ns)
		return put_sent(c, &s, r);
	t = task_of(c, r->ret ? r->pid : r->tgid);
	if (!t)
		return -ENOMEM;
	if (!r->ret)
		return keep_sent(c, &t->fatal, &s);
	/* one of each is pending, as under strace */
	if (t->ignored && t->ignored->record.nr == r->nr)
		return 0;
	if (t->ignored)
		TRY(put_sent(c, t->ignored, r));
	return keep_sent(c, &t->ignored, &s);
}

/* The thread of r has returned from its call, or ends. */
static int put_ignored(struct syscollector *c, const struct sysrecord *r)
{
	struct systask *t = c->n_sent ? map_find(&c->tasks, r->pid) : NULL;

	if (!t || !t->ignored)
		return 0;
	TRY(put_sent(c, t->ignored, r));
	drop_sent(c, &t->ignored);
	return 0;
}

/* The thread of r ends. What ended its process is shown with the first of its threads. */
static int put_fatal(struct syscollector *c, const struct sysrecord *r)
{
	struct systask *t = c->n_sent ? map_find(&c->tasks, r->tgid) : NULL;

	if (!t || !t->fatal)
		return 0;
	if (t->fatal->record.nr == (r->ret & 0x7f))
		TRY(put_sent(c, t->fatal, r));
	drop_sent(c, &t->fatal);
	return 0;
}

static void see_delivered(struct syscollector *c, const struct sysrecord *r)
{
	struct systask *t = c->n_sent ? map_find(&c->tasks, r->tgid) : NULL;

	if (t && t->fatal && t->fatal->record.nr == r->nr)
		drop_sent(c, &t->fatal);
}

/*
 * --- programs that are executed ----------------------------------------------------------------
 */

static void drop_execed(struct syscollector *c, struct systask *t)
{
	if (!t || !t->execed)
		return;
	free(t->execed);
	t->execed = NULL;
	c->n_execed--;
}

static int keep_execed(struct syscollector *c, const struct sysrecord *r, size_t n_bytes)
{
	struct systask *t = task_of(c, r->pid);

	if (!t)
		return -ENOMEM;
	drop_execed(c, t);
	t->execed = sysexeced_new(r, n_bytes);
	c->n_execed += t->execed != NULL;
	return 0;
}

/* Completes the event of a call that returned: n bytes. Returns how many it has now. */
static uint32_t add_execed(struct syscollector *c, const struct sysrecord *r, uint32_t n)
{
	struct systask *t = c->n_execed ? map_find(&c->tasks, r->pid) : NULL;

	if (!t || !t->execed)
		return n;
	n = sysexeced_fill(t->execed, c->event, n);
	drop_execed(c, t);
	return n;
}

/*
 * --- calls and ends ----------------------------------------------------------------------------
 */

static int take_exit(struct syscollector *c, const struct sysrecord *r, size_t n_bytes)
{
	uint32_t at = SYSCALLEVENTS_CALL_BYTES;

	c->sum.n_calls++;
	begin_event(c, SYSCALLEVENTS_CALL, r);
	if (r->has_entry || r->time_ns - r->start_ns >= LOOK_NS) {
		struct systask *t = task_of(c, r->pid);

		if (t && r->has_entry && t->start_ns == r->start_ns) {
			at = add_memory(c, at, t->memory, t->n_bytes);
			t->start_ns = 0;
		}
		if (t)
			t->ended_ns = r->start_ns;
	}
	at = add_memory(c, at, (const uint8_t *)(r + 1), n_bytes - sizeof(*r));
	at = add_execed(c, r, at);
	TRY(end_event(c, r->cpu, r->time_ns, r->start_ns, at));
	return put_ignored(c, r);
}

/* The thread ends: a call that does not return is shown first. */
static int take_death(struct syscollector *c, const struct sysrecord *r)
{
	struct systask *t = task_of(c, r->pid);

	if (!t)
		return -ENOMEM;
	drop_execed(c, t);
	TRY(put_ignored(c, r));
	if (r->ret & 0x7f || r->pid == r->tgid)
		TRY(put_fatal(c, r));
	memcpy(t->comm, r->args, COMM_BYTES);
	t->start_ns = 0;
	free(t->memory);
	t->memory = NULL;
	t->n_bytes = t->cap = 0;
	begin_event(c, SYSCALLEVENTS_EXIT, r);
	return end_event(c, r->cpu, r->time_ns, r->time_ns, SYSCALLEVENTS_CALL_BYTES);
}

/* exit() and exit_group(): nothing comes after this. */
static bool never_returns(const struct syscollector *c, const struct sysrecord *r)
{
	return sysprograms_never_returns(c->machines[r->machine & 1], r->nr);
}

/* slot: has the memory of the entry; NULL: none has it. */
static int take_open(struct syscollector *c, const struct sysrecord *r, const struct sysslot *slot,
		     uint64_t now_ns, unsigned cpu)
{
	struct systask *t = task_of(c, r->pid);
	uint32_t at = SYSCALLEVENTS_CALL_BYTES;

	begin_event(c, SYSCALLEVENTS_OPEN, r);
	if (t && r->has_entry && t->start_ns == r->start_ns)
		at = add_memory(c, at, t->memory, t->n_bytes);
	if (slot && slot->used <= sizeof(slot->memory))
		at = add_memory(c, at, slot->memory, slot->used);
	return end_event(c, cpu, now_ns, r->start_ns, at);
}

/* Every record says how many its CPU has lost, so the losses are known at their place. */
static void see_losses(struct syscollector *c, const struct sysrecord *r)
{
	struct syscpu *cpu = &c->cpus[r->cpu < c->config.n_cpus ? r->cpu : 0];
	uint32_t n = r->n_lost - cpu->n_lost;

	cpu->n_lost = r->n_lost;
	c->n_missed += n;
}

static int take_record(void *ctx, const void *record, size_t n_bytes)
{
	struct syscollector *c = ctx;
	const struct sysrecord *r = record;
	uint32_t at;

	if (n_bytes < sizeof(*r))
		return 0;
	/* one that was sent by an interrupt has no number */
	if (r->kind == SYSRECORD_SENT)
		return take_sent(c, r, n_bytes);
	see_losses(c, r);
	switch (r->kind) {
	case SYSRECORD_ENTRY:
		TRY(keep_entry(c, r, n_bytes));
		return never_returns(c, r) ? take_open(c, r, NULL, r->time_ns, r->cpu) : 0;
	case SYSRECORD_EXIT:
		return take_exit(c, r, n_bytes);
	case SYSRECORD_SIGNAL:
		/* the kernel makes one of every fatal signal; EXIT says which it was */
		if (r->nr == SIGKILL)
			return 0;
		see_delivered(c, r);
		begin_event(c, SYSCALLEVENTS_SIGNAL, r);
		at = add_memory(c, SYSCALLEVENTS_CALL_BYTES, (const uint8_t *)(r + 1),
				n_bytes - sizeof(*r));
		return end_event(c, r->cpu, r->time_ns, r->time_ns, at);
	case SYSRECORD_DEATH:
		return take_death(c, r);
	case SYSRECORD_EXECED:
		return keep_execed(c, r, n_bytes);
	default:
		return 0;
	}
}

/*
 * --- calls that last ---------------------------------------------------------------------------
 */

struct open_call {
	struct sysrecord record;
	struct sysslot slot;
};

struct looking {
	struct syscollector *c;
	uint64_t now_ns;
	struct open_call *found;
	size_t n, cap;
};

static int look_at_slot(struct looking *l, const struct sysslot *s)
{
	uint32_t pid = s->pid;
	struct open_call *r;
	struct systask *t;

	if (!l->c->is_final && s->start_ns + LOOK_NS > l->now_ns)
		return 0;
	t = task_of(l->c, pid);
	if (!t || (t->told_ns == s->start_ns && !l->c->is_final) ||
	    sysprograms_never_returns(l->c->machines[s->machine & 1], s->nr))
		return 0;
	t->told_ns = s->start_ns;
	if (!ARRAY_ROOM(l->found, l->cap, l->n + 1, TASKS_MAX))
		return -ENOMEM;
	r = &l->found[l->n++];
	r->slot = *s;
	r->record = (struct sysrecord){.machine = s->machine,
				       .has_entry = s->has_entry,
				       .start_ns = s->start_ns,
				       .nr = s->nr,
				       .pid = pid,
				       .tgid = s->tgid};
	memcpy(r->record.args, s->args, sizeof(s->args));
	return 0;
}

/* Finds the calls that last, before the ring is read. */
static void look(struct syscollector *c, struct looking *l)
{
	const struct sysslots *all = c->config.slots;
	uint64_t n = all ? __atomic_load_n(&all->n_used, __ATOMIC_ACQUIRE) + 1 : 0;

	l->c = c;
	l->now_ns = c->clock.last_mono;
	if (!c->is_final && l->now_ns - c->looked_ns < LOOK_NS)
		return;
	c->looked_ns = l->now_ns;
	for (uint64_t i = 1; i < n && i < SYSSLOTS; i++) {
		struct sysslot s;

		/* the kernel may change it meanwhile: then its beginning is another one, or 0 */
		memcpy(&s, &all->slots[i], sizeof(s));
		if (s.start_ns &&
		    __atomic_load_n(&all->slots[i].start_ns, __ATOMIC_ACQUIRE) == s.start_ns)
			look_at_slot(l, &s);
	}
}

/* Reports them, unless their exit was in the ring. */
static int tell_open(struct syscollector *c, struct looking *l)
{
	int r = 0;

	for (size_t i = 0; i < l->n && r >= 0; i++) {
		const struct open_call *call = &l->found[i];
		const struct systask *t = map_find(&c->tasks, call->record.pid);

		if (t && t->ended_ns == call->record.start_ns)
			continue;
		r = take_open(c, &call->record, &call->slot, l->now_ns, 0);
	}
	free(l->found);
	return r;
}

/*
 * --- rounds ------------------------------------------------------------------------------------
 */

int syscollector_flush(struct syscollector *c)
{
	for (unsigned i = 0; i < c->config.n_cpus; i++)
		TRY(close_page(c, &c->cpus[i]));
	return 0;
}

int syscollector_round(struct syscollector *c)
{
	struct looking l = {0};
	int n, r;

	sysclock_read(&c->clock);
	look(c, &l);
	n = sysring_read(c->config.ring, ROUND_RECORDS, take_record, c);
	r = n < 0 ? n : tell_open(c, &l);
	if (n < 0)
		free(l.found);
	TRY(r);
	if (n == ROUND_RECORDS)
		return 0;
	c->wait_us = n ? WAIT_MIN_US : c->wait_us * 2 < WAIT_MAX_US ? c->wait_us * 2 : WAIT_MAX_US;
	return (int)c->wait_us;
}

int syscollector_finish(struct syscollector *c)
{
	int r;

	do
		r = syscollector_round(c);
	while (!r);
	TRY(r);
	c->is_final = true;
	TRY(syscollector_round(c));
	return syscollector_flush(c);
}

void syscollector_get_sum(const struct syscollector *c, struct syscollector_sum *ret)
{
	*ret = c->sum;
}

void syscollector_add_names(const struct syscollector *c, struct textbuf *tb)
{
	for (size_t i = 0; i < c->tasks.n_slots; i++) {
		const struct systask *t = c->tasks.slots[i].value;

		if (t && *t->comm)
			textbuf_addf(tb, "%llu %s\n", (unsigned long long)c->tasks.slots[i].key,
				     t->comm);
	}
}
