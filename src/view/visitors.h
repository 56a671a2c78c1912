/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * visitors.h - who is connected to the viewer's server, and who of them has shown the token.
 *
 * A connection is a stranger until a request with the token has come over it. Strangers are few, each
 * has a deadline, and the oldest has to go when a new connection comes: so however many connections
 * somebody opens without the token, one that has it is served. Thread-safe.
 */
#ifndef SONDE_VIEW_VISITORS_H
#define SONDE_VIEW_VISITORS_H

#define VISITORS_MAX  160 /* connections in all: 128 that have shown the token … */
#define STRANGERS_MAX 32  /* … and these */

struct visitors;
struct visitor;

struct visitors *visitors_new(void);
void visitors_free(struct visitors *vs);

/* Before a connection is accepted: makes room among the strangers, which may take a moment. */
void visitors_make_room(struct visitors *vs);
/* A connection is there, as a stranger. The socket stays open until visitor_leave(). NULL: no memory. */
struct visitor *visitor_enter(struct visitors *vs, int fd);
void visitor_leave(struct visitors *vs, struct visitor *v);
/* It has shown the token. */
void visitor_trust(struct visitors *vs, struct visitor *v);

/* Ends the connections of strangers whose time is up. To be called now and then. */
void visitors_end_late(struct visitors *vs);

#endif
