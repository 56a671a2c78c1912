// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * visitors.c - limits strangers at the viewer's port in number and time.
 *
 *	accept ─▶ visitor_enter: a stranger ─┬─ the token ─▶ visitor_trust: no limit any more
 *	                                     ├─ DEADLINE_MS pass             ┐
 *	                                     └─ the oldest of STRANGERS_MAX  ┴─▶ socket shut down
 *
 * Any process of this machine can connect. Without limits, 128 connections that send a byte per
 * minute would block the server for hours: the library's own limit counts all connections alike,
 * and each byte restarts its timeout.
 *
 * This code never waits. If the server accepted more slowly than a client connects, the queue of
 * the listening socket would fill up and the kernel would drop the browser's connection.
 *
 * A client that connects over and over would displace a browser that has connected but not yet sent
 * its request. So connections of other users (peers.c) are counted separately, and displace only
 * each other. Each of these stays at least GRACE_MS, and newer ones are refused at once until then:
 * a refusal costs less than a thread. Other users with the token are served as long as no process
 * floods the port. Among this user's own strangers the oldest is closed at once.
 *
 * A connection is closed by shutting its socket down; its own thread then sees the end and cleans
 * up. The library closes the socket after it has reported the end (visitor_leave), so under the
 * lock the descriptor is valid.
 *
 * The list is in the order of arrival, so its first stranger is the oldest. It has at most
 * VISITORS_MAX entries.
 */
#include "view/visitors.h"

#include "base/clock.h"
#include "base/lock.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#define DEADLINE_MS 10000
#define GRACE_MS    200

struct visitor {
	struct visitor *prev, *next;
	int fd;
	uint64_t since_ms;
	bool is_other; /* the connection belongs to another user */
	bool is_trusted;
	bool is_ended; /* shut down, but its thread has not noticed yet */
};

struct visitors {
	pthread_mutex_t lock;
	struct visitor *first, *last;
	unsigned n_strangers[2]; /* number of strangers by is_other, without ended ones */
	/* is_other of the connection that was admitted, but has not entered */
	bool next_is_other;
};

struct visitors *visitors_new(void)
{
	struct visitors *vs = calloc(1, sizeof(*vs));

	if (vs)
		pthread_mutex_init(&vs->lock, NULL);
	return vs;
}

void visitors_free(struct visitors *vs)
{
	if (!vs)
		return;
	while (vs->first)
		visitor_leave(vs, vs->first);
	pthread_mutex_destroy(&vs->lock);
	free(vs);
}

static bool is_stranger(const struct visitor *v)
{
	return !v->is_trusted && !v->is_ended;
}

/* The caller holds the lock. */
static void end_stranger(struct visitors *vs, struct visitor *v)
{
	shutdown(v->fd, SHUT_RDWR);
	v->is_ended = true;
	vs->n_strangers[v->is_other]--;
}

/* The caller holds the lock. */
static struct visitor *oldest_stranger(struct visitors *vs, bool is_other)
{
	struct visitor *v = vs->first;

	while (v && !(is_stranger(v) && v->is_other == is_other))
		v = v->next;
	return v;
}

bool visitors_make_room(struct visitors *vs, bool is_other)
{
	bool has_room = true;

	LOCKED(&vs->lock);
	if (vs->n_strangers[is_other] >= STRANGERS_MAX) {
		struct visitor *v = oldest_stranger(vs, is_other);

		has_room = !is_other || clock_now_ms() - v->since_ms >= GRACE_MS;
		if (has_room)
			end_stranger(vs, v);
	}
	vs->next_is_other = is_other;
	return has_room;
}

struct visitor *visitor_enter(struct visitors *vs, int fd)
{
	struct visitor *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->fd = fd;
	v->since_ms = clock_now_ms();
	LOCKED(&vs->lock);
	v->prev = vs->last;
	*(vs->last ? &vs->last->next : &vs->first) = v;
	vs->last = v;
	v->is_other = vs->next_is_other;
	vs->n_strangers[v->is_other]++;
	return v;
}

void visitor_leave(struct visitors *vs, struct visitor *v)
{
	pthread_mutex_lock(&vs->lock);
	*(v->prev ? &v->prev->next : &vs->first) = v->next;
	*(v->next ? &v->next->prev : &vs->last) = v->prev;
	if (is_stranger(v))
		vs->n_strangers[v->is_other]--;
	pthread_mutex_unlock(&vs->lock);
	free(v);
}

void visitor_trust(struct visitors *vs, struct visitor *v)
{
	LOCKED(&vs->lock);
	if (is_stranger(v))
		vs->n_strangers[v->is_other]--;
	v->is_trusted = true;
}

void visitors_end_late(struct visitors *vs)
{
	uint64_t now = clock_now_ms();

	LOCKED(&vs->lock);
	for (struct visitor *v = vs->first; v; v = v->next)
		if (is_stranger(v) && now - v->since_ms >= DEADLINE_MS)
			end_stranger(vs, v);
}
