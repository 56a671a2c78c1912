// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * syscallevents.c - the texts that describe system calls in a trace file.
 *
 * The print format shows numbers, for readers that know no more. sonde itself decodes the arguments
 * (decode/syscalls), with the memory that the record contains. The four events have one layout, so
 * that one piece of code reads all of them.
 */
#include "store/events/syscallevents.h"

#include "base/array.h"
#include "base/textbuf.h"
#include "store/events/eventformats.h"

_Static_assert(sizeof(struct syscallevents_call) == SYSCALLEVENTS_CALL_BYTES, "no gaps");
_Static_assert(sizeof(struct syscallevents_chunk) == 16, "no gaps");
_Static_assert(sizeof(struct syscallevents_file) == 80, "no gaps");

#define ARGS_TEXT "(%llx, %llx, %llx, %llx, %llx, %llx)"
#define ARGS                                                                    \
	"REC->args[0], REC->args[1], REC->args[2], REC->args[3], REC->args[4]," \
	" REC->args[5]"

static const struct {
	const char *name;
	enum syscallevents_id id;
	const char *print;
} events[] = {
	{"syscall", SYSCALLEVENTS_CALL,
	 "\"NR %u " ARGS_TEXT " = %lld <%llu.%06llu s>\", REC->nr, " ARGS
	 ", REC->ret, REC->duration / 1000000000, REC->duration / 1000 % 1000000"},
	{"syscall_open", SYSCALLEVENTS_OPEN,
	 "\"NR %u " ARGS_TEXT " <unfinished>\", REC->nr, " ARGS},
	{"syscall_signal", SYSCALLEVENTS_SIGNAL, "\"signal %u\", REC->nr"},
	{"syscall_exit", SYSCALLEVENTS_EXIT, "\"status %lld\", REC->ret"},
};

void syscallevents_add_formats(struct textbuf *tb)
{
	eventformats_add_system(tb, SYSCALLEVENTS_SYSTEM, ARRAY_LEN(events));
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		struct eventformats f;

		eventformats_begin(&f, tb, events[i].name, events[i].id);
		eventformats_add_field(&f, "s64 ret", 8, true);
		eventformats_add_field(&f, "u64 duration", 8, false);
		eventformats_add_field(&f, "u32 nr", 4, false);
		eventformats_add_field(&f, "u32 machine", 4, false);
		eventformats_add_field(&f, "u64 args[6]", 48, false);
		eventformats_add_field(&f, "s32 tgid", 4, true);
		eventformats_add_field(&f, "__data_loc u8[] memory", 4, false);
		eventformats_end(&f, events[i].print);
	}
}
