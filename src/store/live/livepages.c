// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * livepages.c - passes sub-buffers from a recorder to the decoder, with what is known about their
 * order.
 *
 *  round        1         2         3                    waiting: (round in which it was read)
 *  CPU 0    ──[··]──────[···]─────[·]───▶  livepages_add     (1) (2) (3)
 *  CPU 1    ──────[·····]────────────┤─▶  still has some     (1) (2)          read up to round 1
 *  CPU 2    ──┤───────┤────[··]──┤──────▶                    (3)              read up to round 3
 *
 * The CPUs are read sequentially, so when a record of CPU 0 has been read, an earlier one of CPU 2
 * may still be in the kernel. When may the record of CPU 0 be shown? The answer does not need a
 * clock (a program cannot read the usual trace clock):
 *
 *   1. A record that was read in round k was written before round k + 1 began.
 *   2. When CPU b was found empty by a read that began in round r, everything that b wrote before
 *      round r began has been read (set_read).
 *   3. So a record of round k can be shown if for every other CPU b one of these is true: data of
 *      b is waiting (all further data of b is later, and the earliest record of all CPUs is taken
 *      first), or b was found empty in round k + 1 or later.
 *
 * So a record waits for one more round, but only for CPUs without waiting data. A CPU that has
 * more data than one round reads delays the others at its last record. decode/order/sequence.c,
 * which knows the earliest record, applies the rule; this file only provides the numbers of
 * rounds.
 *
 * It assumes that the clocks of the CPUs agree, as any order by time does, and that a record is
 * readable when its time has been taken. A writer that is delayed between the two (a virtual CPU
 * that does not run) for longer than a round makes its record late: it is shown, with its time, out
 * of order.
 *
 * Memory: waiting data stays below max_bytes plus one sub-buffer per CPU, if the recorder calls
 * livepages_has_room(). A part of that is reserved for each CPU, so that a CPU for which others
 * wait can always add data.
 *
 * One lock protects everything: it is taken once per sub-buffer, which takes some microseconds to
 * fill and to decode.
 */
#include "base/errmsg.h"
#include "base/lock.h"
#include "format/bytes.h"
#include "store/live/livepages_int.h"

#include "store/chunk_int.h"
#include "store/tracefile_int.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_BYTES_USUAL (64u << 20)
#define CHUNK_OVERHEAD	(sizeof(struct chunk) + 16) /* plus what malloc() needs */

struct live_cpu {
	/* waiting chunks; link: the place of the pointer to the next one */
	struct chunk *first, **link;
	size_t n_waiting;  /* bytes of waiting chunks */
	uint64_t n_passed; /* bytes added so far */
	uint64_t read_in;  /* the last round in which the CPU was found empty */
};

struct livepages {
	pthread_mutex_t lock;
	struct tracefile *tf;
	struct live_cpu *cpus; /* the CPUs of all buffers, sequentially */
	size_t n_cpus;
	uint64_t round;
	size_t n_waiting, max_bytes;
	bool ended;
};

/* Returns NULL if there is no such CPU. */
static struct live_cpu *cpu_of(struct livepages *lp, size_t buffer, uint32_t cpu)
{
	size_t first = 0;

	if (buffer >= lp->tf->n_buffers || cpu >= lp->tf->buffers[buffer].n_cpus)
		return NULL;
	for (size_t i = 0; i < buffer; i++)
		first += lp->tf->buffers[i].n_cpus;
	return &lp->cpus[first + cpu];
}

uint64_t livepages_begin_round(struct livepages *lp)
{
	uint64_t round;

	LOCKED(&lp->lock);
	round = ++lp->round;
	return round;
}

bool livepages_has_room(struct livepages *lp, size_t buffer, uint32_t cpu)
{
	const struct live_cpu *c = cpu_of(lp, buffer, cpu);

	if (!c)
		return false;
	LOCKED(&lp->lock);
	return lp->n_waiting < lp->max_bytes || c->n_waiting < lp->max_bytes / lp->n_cpus;
}

/*
 * Returns the size of the used part of the sub-buffer: up to its last record and the count of lost
 * records.
 */
static size_t used_bytes(const struct tracefile *tf, const uint8_t *page, size_t n_bytes)
{
	uint64_t commit;
	size_t used;

	if (n_bytes < tf->data_offset || n_bytes < 8u + tf->long_size)
		return n_bytes;
	commit = bytes_get(page + 8, tf->long_size, tf->swap);
	used = tf->data_offset + (commit & SNF_COMMIT_MASK);
	if (commit & SNF_COMMIT_MISSED_STORED)
		used += tf->long_size;
	return used < n_bytes ? used : n_bytes;
}

int livepages_add(struct livepages *lp, size_t buffer, uint32_t cpu, const void *page,
		  size_t n_bytes)
{
	struct live_cpu *c = cpu_of(lp, buffer, cpu);
	struct chunk *chunk;

	if (!c || n_bytes > lp->tf->buffers[buffer].page_size)
		return -EINVAL;
	n_bytes = used_bytes(lp->tf, page, n_bytes);
	chunk = chunk_new(lp->tf, n_bytes, 0);
	if (!chunk)
		return -ENOMEM;
	memcpy(chunk->data, page, n_bytes);
	LOCKED(&lp->lock);
	chunk->offset = c->n_passed;
	chunk->round = lp->round;
	*c->link = chunk;
	c->link = &chunk->next;
	c->n_passed += n_bytes;
	c->n_waiting += n_bytes + CHUNK_OVERHEAD;
	lp->n_waiting += n_bytes + CHUNK_OVERHEAD;
	return 0;
}

void livepages_set_read(struct livepages *lp, size_t buffer, uint32_t cpu, uint64_t round)
{
	struct live_cpu *c = cpu_of(lp, buffer, cpu);

	if (!c)
		return;
	LOCKED(&lp->lock);
	if (round > c->read_in)
		c->read_in = round;
}

void livepages_end(struct livepages *lp)
{
	LOCKED(&lp->lock);
	lp->ended = true;
}

int livepages_take(struct livepages *lp, size_t buffer, uint32_t cpu, struct chunk **ret_chunk,
		   uint64_t *ret_round)
{
	struct live_cpu *c = cpu_of(lp, buffer, cpu);
	int r = 1;

	if (!c)
		return 0;
	LOCKED(&lp->lock);
	if (c->first) {
		struct chunk *chunk = c->first;

		c->first = chunk->next;
		if (!c->first)
			c->link = &c->first;
		c->n_waiting -= chunk->n_bytes + CHUNK_OVERHEAD;
		lp->n_waiting -= chunk->n_bytes + CHUNK_OVERHEAD;
		chunk->next = NULL;
		*ret_chunk = chunk;
	} else {
		/*
		 * read the round under the same lock as the queue: a later value would include data
		 * that is not in the queue yet
		 */
		*ret_round = c->read_in;
		r = lp->ended ? 0 : -EAGAIN;
	}
	return r;
}

size_t livepages_waiting_bytes(struct livepages *lp)
{
	LOCKED(&lp->lock);
	return lp->n_waiting;
}

/*
 * --- the tracefile around it ---------------------------------------------------------------------
 */

struct livepages *tracefile_livepages(const struct tracefile *tf)
{
	return ((const struct tracefile_private *)tf)->live;
}

void livepages_free(struct livepages *lp)
{
	if (!lp)
		return;
	for (size_t i = 0; i < lp->n_cpus; i++)
		while (lp->cpus[i].first) {
			struct chunk *chunk = lp->cpus[i].first;

			lp->cpus[i].first = chunk->next;
			chunk_leave(chunk);
		}
	pthread_mutex_destroy(&lp->lock);
	free(lp->cpus);
	free(lp);
}

static struct livepages *livepages_new(struct tracefile *tf, size_t max_bytes)
{
	struct livepages *lp = calloc(1, sizeof(*lp));

	if (!lp)
		return NULL;
	lp->tf = tf;
	lp->max_bytes = max_bytes ? max_bytes : MAX_BYTES_USUAL;
	for (size_t i = 0; i < tf->n_buffers; i++)
		lp->n_cpus += tf->buffers[i].n_cpus;
	lp->cpus = calloc(lp->n_cpus + 1, sizeof(*lp->cpus));
	if (!lp->cpus) {
		free(lp);
		return NULL;
	}
	for (size_t i = 0; i < lp->n_cpus; i++)
		lp->cpus[i].link = &lp->cpus[i].first;
	pthread_mutex_init(&lp->lock, NULL);
	return lp;
}

static int add_buffer(struct tracefile *tf, const struct live_buffer *from)
{
	struct tracefile_buffer *b = tracefile_add_buffer(tf);

	if (!b || !tracefile_add_cpus(tf, b, from->n_cpus))
		return -ENOMEM;
	b->name = tracefile_strndup(tf, from->name, strlen(from->name));
	b->clock = from->clock ? tracefile_strndup(tf, from->clock, strlen(from->clock)) : NULL;
	b->page_size = from->page_size;
	b->max_cpus = from->n_cpus;
	for (uint32_t i = 0; i < from->n_cpus; i++)
		b->cpus[i].cpu = i;
	if (tf->cpu_count < from->n_cpus)
		tf->cpu_count = from->n_cpus;
	return b->name && (b->clock || !from->clock) ? 0 : -ENOMEM;
}

static int fill_in(struct tracefile_private *priv, const struct live_config *config)
{
	struct tracefile *tf = &priv->pub;

	tf->path = tracefile_strndup(tf, config->name, strlen(config->name));
	if (!tf->path)
		return -ENOMEM;
	for (int i = 0; i < TRACEFILE_TEXT_KINDS; i++) {
		priv->texts[i] = config->texts[i];
		priv->text_loaded[i] = true;
	}
	tracefile_read_header_page(tf, tracefile_text(tf, TRACEFILE_HEADER_PAGE));
	for (size_t i = 0; i < config->n_options; i++)
		if (tracefile_add_option(tf, config->options[i].id, config->options[i].data) < 0)
			return -ENOMEM;
	for (size_t i = 0; i < config->n_buffers; i++)
		if (add_buffer(tf, &config->buffers[i]) < 0)
			return -ENOMEM;
	priv->live = livepages_new(tf, config->max_bytes);
	return priv->live ? 0 : -ENOMEM;
}

int tracefile_open_live(struct tracefile **ret_file, const struct live_config *config,
			struct errmsg *err)
{
	struct tracefile_private *priv = calloc(1, sizeof(*priv));

	if (!priv)
		return errmsg_set_errno(err, -ENOMEM, "cannot trace");
	arena_init(&priv->arena, TRACEFILE_ARENA_MAX_BYTES);
	priv->n_streams = 1;
	priv->pub.map = PIECE_EMPTY;
	priv->pub.damage = priv->damage;
	priv->pub.compression_name = "none";
	priv->pub.compression_version = "";
	priv->pub.version = 7;
	priv->pub.big_endian = bytes_host_is_big();
	priv->pub.writer_long_size = sizeof(long);
	priv->pub.page_size = config->n_buffers ? config->buffers[0].page_size : 4096;
	if (fill_in(priv, config) < 0) {
		tracefile_close(&priv->pub);
		return errmsg_set_errno(err, -ENOMEM, "cannot trace");
	}
	*ret_file = &priv->pub;
	return 0;
}
