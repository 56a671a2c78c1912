/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * visitors.h - who is connected to the viewer's server, and who of them has shown the token.
 *
 * A connection is a stranger until a request with the token has come over it. Strangers are few, each
 * has a deadline, and the oldest has to go when a new connection comes. Those of other users have
 * their own places: however many connections another user opens, this user's are served. Thread-safe.
 */
#ifndef SONDE_VIEW_VISITORS_H
#define SONDE_VIEW_VISITORS_H

#include <stdbool.h>

#define VISITORS_MAX  192 /* connections in all: 128 that have shown the token … */
#define STRANGERS_MAX 32  /* … and these of this user, and as many of all other users */

struct visitors;
struct visitor;

struct visitors *visitors_new(void);
void visitors_free(struct visitors *vs);

/* Before a connection enters: makes room among the strangers, at once. False: refuse it. */
bool visitors_make_room(struct visitors *vs, bool is_other);
/*
 * The connection that room was made for is there, as a stranger. Its socket stays open until
 * visitor_leave(). NULL: no memory.
 */
struct visitor *visitor_enter(struct visitors *vs, int fd);
void visitor_leave(struct visitors *vs, struct visitor *v);
/* It has shown the token. */
void visitor_trust(struct visitors *vs, struct visitor *v);

/* Ends the connections of strangers whose time is up. To be called now and then. */
void visitors_end_late(struct visitors *vs);

#endif
