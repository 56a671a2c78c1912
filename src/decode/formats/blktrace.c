// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * blktrace.c - makes a format for the records of the block tracer.
 *
 * echo blk > current_tracer puts struct blk_io_trace into the ring buffer; the common fields
 * overwrite its first words. Its event type is in no events directory. In the kernel's list it
 * follows ftrace:user_stack; in older kernels it followed kmem_free, and in the oldest ones power.
 *
 *	 0  common fields       16  sector     24  bytes    28  action   32  pid
 *	36  device   40  cpu    44  error      46  pdu_len  48  data …
 *
 * The text shows little (the pid), as in trace-cmd; report -R shows the fields.
 */
#include "decode/formats/blktrace.h"

#include "base/array.h"
#include "format/bytes.h"

#include <stdio.h>
#include <string.h>

#define TEXT_MAX 2048 /* the text below has about 900 bytes */

static const char head[] = "name: blktrace\n"
			   "ID: %d\n"
			   "format:\n"
			   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\n"
			   "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\n"
			   "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\n"
			   "\tfield:int common_pid;\toffset:4;\tsize:4;\n";

static const char lock_depth[] = "\tfield:int common_lock_depth;\toffset:8;\tsize:4;\n";

static const char body[] = "\n"
			   "\tfield:u64 sector;\toffset:16;\tsize:8;\n"
			   "\tfield:int bytes;\toffset:24;\tsize:4;\n"
			   "\tfield:int action;\toffset:28;\tsize:4;\n"
			   "\tfield:int pid;\toffset:32;\tsize:4;\n"
			   "\tfield:int device;\toffset:36;\tsize:4;\n"
			   "\tfield:int cpu;\toffset:40;\tsize:4;\n"
			   "\tfield:short error;\toffset:44;\tsize:2;\n"
			   "\tfield:short pdu_len;\toffset:46;\tsize:2;\n"
			   "\tfield:void data;\toffset:48;\tsize:0;\n"
			   "\n"
			   "print fmt: \"%d\", REC->pid\n";

static const struct event *find_neighbour(struct formats *f)
{
	static const char *const names[] = {"power", "kmem_free", "user_stack"};
	const struct event *ev = NULL;

	for (size_t i = 0; i < ARRAY_LEN(names) && !ev; i++)
		ev = formats_find_name(f, "ftrace", names[i]);
	return ev;
}

/* Checks that the common fields are at the offsets in the text above. */
static bool is_as_expected(const struct event *ev)
{
	static const struct {
		const char *name;
		uint32_t offset, size;
		bool optional;
	} rows[] = {{"common_type", 0, 2, false},
		    {"common_flags", 2, 1, false},
		    {"common_preempt_count", 3, 1, false},
		    {"common_pid", 4, 4, false},
		    {"common_lock_depth", 8, 4, true}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct field *field = event_find_common(ev, rows[i].name);

		if (!field && rows[i].optional)
			continue;
		if (!field || field->offset != rows[i].offset || field->size != rows[i].size)
			return false;
	}
	return true;
}

struct piece blktrace_fmt_text(struct formats *f)
{
	const struct event *ev = find_neighbour(f);
	char text[TEXT_MAX], *copy;
	int len;

	if (!ev || !is_as_expected(ev))
		return PIECE_EMPTY;
	len = snprintf(text, sizeof(text), head, ev->id + 1);
	len += snprintf(text + len, sizeof(text) - len, "%s%s",
			event_find_common(ev, "common_lock_depth") ? lock_depth : "", body);
	copy = arena_strndup(&f->arena, text, len);
	return copy ? (struct piece){(const uint8_t *)copy, len} : PIECE_EMPTY;
}
