// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * records.c - reads the records of a task from its file.
 *
 * The values behind a record have no length. It follows from what the recorder was asked for, which
 * the triggers know. If they do not, no later record can be found: the task ends there.
 */
#include "analyse/uftrace/walk_int.h"

#include "format/uftrace.h"
#include "symbols/uftrace/argspec.h"

#include <stdio.h>
#include <string.h>

static void warn(struct uft_walk *w, const char *sentence)
{
	if (w->c.warn)
		w->c.warn(w->c.warn_ctx, sentence);
}

/* The values behind a record. False: their length is unknown, or they are cut off. */
static bool read_values(struct uft_lane *l, const struct uft_item *item, struct uft_values *ret)
{
	const uint8_t *data = l->data + l->pos;
	size_t rest = l->n_bytes - l->pos, len = 0;
	const struct uft_trigger *tr;
	uint16_t n;

	*ret = (struct uft_values){.data = data};
	if (item->rec.type == UFT_EVENT) {
		if (rest < 2)
			return false;
		memcpy(&n, data, 2);
		n = l->walk->c.swaps ? bswap_16(n) : n;
		len = 2u + n;
		ret->data = data + 2;
		ret->n_bytes = n;
	} else {
		tr = uft_walk_trigger(l->walk, l, &item->rec, NULL);
		if (!tr || !tr->args ||
		    !uft_args_length(tr->args, item->rec.type == UFT_EXIT, data, rest, &len))
			return false;
		ret->list = tr->args;
		ret->n_bytes = len;
	}
	len = (len + 7) & ~(size_t)7;
	if (len > rest)
		return false;
	l->pos += len;
	return true;
}

static void warn_of_values(struct uft_lane *l, const struct uft_record *rec)
{
	const struct uft_sym *s = uft_walk_sym(l->walk, l, rec->time_ns, rec->addr);
	char text[300];

	snprintf(text, sizeof(text), "record missing argument info for %s",
		 s ? s->name : "an unknown function");
	warn(l->walk, text);
}

bool uft_lane_read(struct uft_lane *l, struct uft_item *ret)
{
	if (l->is_done)
		return false;
	*ret = (struct uft_item){0};
	l->is_done = true;
	if (l->n_bytes - l->pos < UFT_RECORD_BYTES)
		return false;
	if (!uft_record_parse(l->data + l->pos, l->walk->c.swaps, &ret->rec)) {
		warn(l->walk, "invalid rstack read");
		return false;
	}
	l->pos += UFT_RECORD_BYTES;
	l->is_done = false;
	if (ret->rec.more && !read_values(l, ret, &ret->values)) {
		l->is_done = true;
		warn_of_values(l, &ret->rec);
	}
	return !l->is_done;
}
