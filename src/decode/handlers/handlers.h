/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * handlers.h - events that are printed by code of their own instead of their print format.
 *
 * What trace-cmd calls plugins, and its built-in handlers: rows of one table (handlers.c). A row
 * names the fields its handler wants; they are looked up once and stand in event->wanted[].
 */
#ifndef SONDE_DECODE_HANDLERS_HANDLERS_H
#define SONDE_DECODE_HANDLERS_HANDLERS_H

#include "decode/formats/event.h"

struct handler_row {
	const char *system, *name;
	event_handler handler;
	bool is_builtin; /* trace-cmd's own, which its plugins override */
	bool needs_symbols;
	const char *fields[EVENT_WANTED_MAX];
};

/* Sets ev->handler and ev->wanted if there is a handler; true if it looks up symbols. */
bool handlers_attach(struct event *ev, bool no_plugins);

/* True if there is a handler for this event. */
bool handlers_find(const char *system, const char *name);

#endif
