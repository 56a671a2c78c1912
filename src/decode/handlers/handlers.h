/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * handlers.h - events that are printed by code instead of their print format.
 *
 * The table (handlers.c) has trace-cmd's plugins and its built-in handlers. A row names the fields
 * of its handler; they are looked up once and stored in event->wanted[].
 */
#ifndef SONDE_DECODE_HANDLERS_HANDLERS_H
#define SONDE_DECODE_HANDLERS_HANDLERS_H

#include "decode/formats/event.h"

struct handler_row {
	const char *system, *name;
	event_handler handler;
	bool needs_symbols;
	const char *fields[EVENT_WANTED_MAX];
};

/*
 * Sets ev->handler and ev->wanted if there is a handler. Returns true if the handler looks up
 * symbols.
 */
bool handlers_attach(struct event *ev, bool no_plugins);

/* Returns true if there is a handler for this event. */
bool handlers_find(const char *system, const char *name);

#endif
