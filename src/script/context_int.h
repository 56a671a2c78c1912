/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context_int.h - the argument of a script's function: an item of a replay as keys and values.
 */
#ifndef SONDE_SCRIPT_CONTEXT_INT_H
#define SONDE_SCRIPT_CONTEXT_INT_H

#include "base/textbuf.h"
#include "decode/print/print.h"
#include "script/language.h"

struct formats;
struct replay_item;
struct script_event;
struct script_spec;

struct context {
	const struct language *lang;
	void *run;
	struct printer printer;
	struct textbuf text;
	bool has_printer;
};

/* 0 or -ENOMEM. Release it on failure, too. */
int context_init(struct context *c, const struct language *lang, void *run, struct formats *f);
void context_release(struct context *c);

void context_put_begin(struct context *c, const struct script_spec *spec);
/*
 * REPLAY_ENTER, REPLAY_LEAVE, REPLAY_OPEN. as_uftrace: only the keys that uftrace has; each key
 * costs a script 30 ns.
 */
void context_put_call(struct context *c, const struct replay_item *item, bool as_uftrace);
/* as_uftrace: the event's text has the key "args", not "info". */
void context_put_event(struct context *c, const struct replay_item *item, bool as_uftrace);
void context_put_foreign(struct context *c, const struct replay_item *item,
			 const struct script_event *event, bool as_uftrace);
void context_put_loss(struct context *c, const struct replay_item *item);

#endif
