/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * visitors.h - the connections to the viewer's server, and which of them have shown the token.
 *
 * A connection is a stranger until it sends a request with the token. The number of strangers is
 * limited, each has a deadline, and a new connection displaces the oldest. Other users' strangers
 * have separate places: however many connections another user opens, this user's are served.
 * Thread-safe.
 */
#ifndef SONDE_VIEW_VISITORS_H
#define SONDE_VIEW_VISITORS_H

#include <stdbool.h>

#define VISITORS_MAX  192 /* all connections: 128 that have shown the token … */
#define STRANGERS_MAX 32  /* … 32 strangers of this user, and 32 of all other users */

struct visitors;
struct visitor;

struct visitors *visitors_new(void);
void visitors_free(struct visitors *vs);

/* Call it before a connection enters: makes room among the strangers. False: refuse it. */
bool visitors_make_room(struct visitors *vs, bool is_other);
/*
 * Adds the connection for which room was made, as a stranger. Its socket stays open until
 * visitor_leave(). NULL: out of memory.
 */
struct visitor *visitor_enter(struct visitors *vs, int fd);
void visitor_leave(struct visitors *vs, struct visitor *v);
/* It has shown the token. */
void visitor_trust(struct visitors *vs, struct visitor *v);

/* Closes the connections of strangers that missed their deadline. Call it now and then. */
void visitors_end_late(struct visitors *vs);

#endif
