// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collect_head.c - copies received metadata about a kernel and a recording into a file. The writer
 * of the file determines positions in it.
 *
 *	options (u16 id, u32 size, data)    unchanged, except those with positions
 *	sections with an option of their id with a copy of the section (BTF, modules)
 *	texts                               unchanged; late names of tasks replace the early ones
 *
 * Texts and options point into the received bytes. Damaged parts are ignored.
 */
#include "format/tracedat.h"
#include "store/tracefile.h"
#include "wire/collect_int.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "store/writer.h"

#include <stdio.h>
#include <stdlib.h>

static int copy_section(struct tracefile *tf, const struct tracefile_section *s,
			const struct head_target *to, struct errmsg *err)
{
	struct errmsg why = {0};
	struct piece body;
	SCOPED(scope_free) void *heap = NULL;

	if (tracefile_section_body(tf, s, &body, &heap, &why) < 0)
		return 0;
	return to->add_section(to->ctx, s->id, s->id == SNF_OPTION_BTF ? "BTF" : "modules", body,
			       err);
}

int head_copy(struct tracefile *tf, struct piece cmdlines, const struct head_target *to,
	      struct errmsg *err)
{
	for (size_t i = 0; i < tf->n_options; i++) {
		const struct tracefile_option *o = &tf->options[i];
		const struct tracefile_section *s = tracefile_option_section(tf, o);

		if (!writer_makes_option(o->id))
			TRY(s ? copy_section(tf, s, to, err)
			      : to->add_option(to->ctx, o->id, o->data, err));
	}
	for (int kind = 0; kind < TRACEFILE_TEXT_KINDS; kind++)
		TRY(to->add_text(to->ctx, kind,
				 kind == TRACEFILE_CMDLINES && cmdlines.len
					 ? cmdlines
					 : tracefile_text(tf, kind),
				 err));
	return 0;
}

int head_copy_late(struct piece late, bool swap, const struct head_target *to,
		   struct piece *ret_cmdlines, struct errmsg *err)
{
	struct byte_reader b = {late.data, late.data + late.len, swap, false};
	int r = 0;

	while (!r && byte_reader_left(&b)) {
		uint16_t id = byte_reader_take_number(&b, 2);
		struct piece data = byte_reader_take_piece(&b, byte_reader_take_number(&b, 4));

		if (b.failed)
			break;
		if (id == SNF_OPTION_CMDLINES)
			*ret_cmdlines = data;
		else if (to && !writer_makes_option(id))
			r = to->add_option(to->ctx, id, data, err);
	}
	return r;
}

void head_clock(const struct tracefile *tf, char clock[64])
{
	const struct tracefile_option *o = tracefile_option_find(tf, SNF_OPTION_TRACECLOCK);
	const uint8_t *open = o ? memchr(o->data.data, '[', o->data.len) : NULL, *close;
	size_t left = open ? o->data.data + o->data.len - open : 0;

	*clock = 0;
	close = open ? memchr(open, ']', left) : NULL;
	if (close && close - open - 1 < 64 && !memchr(open, 0, close - open))
		snprintf(clock, 64, "%.*s", (int)(close - open - 1), (const char *)open + 1);
}
