/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * visitors.h - keeps the connections to the viewer's server, and notes which of them have shown the
 * token.
 *
 * A connection is a stranger until it sends a request with the token. The number of strangers is
 * limited, each has a deadline, and a new connection displaces the oldest. Other users' strangers
 * have separate places. So this user is served, however many connections another user opens.
 * Thread-safe.
 */
#ifndef SONDE_VIEW_VISITORS_H
#define SONDE_VIEW_VISITORS_H

#include <stdbool.h>

/* Limit of all connections: 128 that have shown the token, and 2 * STRANGERS_MAX strangers. */
#define VISITORS_MAX  192
#define STRANGERS_MAX 32 /* limit of strangers of this user, and of all other users together */

struct visitors;
struct visitor;

struct visitors *visitors_new(void);
void visitors_free(struct visitors *vs);

/*
 * Makes room among the strangers, before a connection enters. Returns false if it must be refused.
 */
bool visitors_make_room(struct visitors *vs, bool is_other);
/*
 * Adds the connection for which room was made, as a stranger. Its socket stays open until
 * visitor_leave(). Returns NULL if out of memory.
 */
struct visitor *visitor_enter(struct visitors *vs, int fd);
void visitor_leave(struct visitors *vs, struct visitor *v);
/* Notes that the connection has shown the token. */
void visitor_trust(struct visitors *vs, struct visitor *v);

/* Closes the connections of strangers that missed their deadline. Call it from time to time. */
void visitors_end_late(struct visitors *vs);

#endif
