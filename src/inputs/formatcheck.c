// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * formatcheck.c - parses and compiles every event format of a trace.
 *
 * Usually a format is parsed when its first event is read, so a trace may contain formats that were
 * never parsed. Events that sonde adds itself (is_made_up) do not count.
 */
#include "inputs/formatcheck.h"

#include "decode/print/print.h"

#include <errno.h>
#include <stdlib.h>

static enum formatcheck_kind kind_of(struct formats *f, struct event *ev)
{
	formats_parse(f, ev);
	event_compile(ev);
	if (!ev->failed)
		return FORMATCHECK_COMPILED;
	return ev->handler ? FORMATCHECK_HANDLED : FORMATCHECK_FIELDS;
}

int formatcheck_init(struct formatcheck *fc, struct inputs_file *file)
{
	struct formats *f = file->formats;
	struct event **list = formats_list(f);

	*fc = (struct formatcheck){.n_unreadable = f->n_bad,
				   .rows = calloc(f->n_events + 1, sizeof(*fc->rows))};
	if (!list || !fc->rows) {
		free(list);
		formatcheck_release(fc);
		return -ENOMEM;
	}
	for (size_t i = 0; i < f->n_events; i++) {
		struct event *ev = list[i];
		enum formatcheck_kind kind;

		if (ev->is_made_up)
			continue;
		kind = kind_of(f, ev);
		fc->n_of[kind]++;
		fc->rows[fc->n++] =
			(struct formatcheck_row){ev->system, ev->name, kind, ev->why_failed};
	}
	free(list);
	return 0;
}

void formatcheck_release(struct formatcheck *fc)
{
	free(fc->rows);
	*fc = (struct formatcheck){0};
}
