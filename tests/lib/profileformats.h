/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profileformats.h - the events that a profile understands, with all numbers 64 bits wide, and some
 * that it does not; for tests that make their records of words.
 */
#ifndef SONDE_TESTS_PROFILEFORMATS_H
#define SONDE_TESTS_PROFILEFORMATS_H

#include "decode/record.h"
#include "memtrace.h"

#define WORD(name, at) "\tfield:unsigned long " name ";\toffset:" #at ";\tsize:8;\tsigned:0;\n"
#define COMM(name, at) "\tfield:char " name "[16];\toffset:" #at ";\tsize:16;\tsigned:0;\n"
#define TAIL	       "\nprint fmt: \"\"\n"
#define STATES                                                                      \
	"\nprint fmt: \"%s%s\", (REC->prev_state & 255) ? __print_flags("           \
	"REC->prev_state & 255, \"|\", { 1, \"S\" }, { 2, \"D\" }, { 128, \"I\" })" \
	" : \"R\", REC->prev_state & 256 ? \"+\" : \"\"\n"

enum {
	SWITCH = 10,
	WAKEUP,
	BORN,
	ENTER,
	EXIT,
	RAISE,
	SOFT_ENTRY,
	SOFT_EXIT,
	IRQ_ENTRY,
	IRQ_EXIT,
	GRAPH_ENTRY,
	GRAPH_EXIT,
	STACK,
	FAULT,
	ENTER_READ,
	EXIT_READ,
	EXEC,
	NAMED,
};

static const struct memtrace_format profile_formats[] = {
	{"ftrace", "name: funcgraph_entry\nID: 20" COMMON WORD("func", 8) TAIL},
	{"ftrace", "name: funcgraph_exit\nID: 21" COMMON WORD("func", 8) TAIL},
	{"ftrace",
	 "name: kernel_stack\nID: 22" COMMON WORD(
		 "size",
		 8) "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n" TAIL},
	{"sched", "name: sched_switch\nID: 10" COMMON COMM("prev_comm", 8) WORD("prev_pid", 24)
			  WORD("prev_state", 32) COMM("next_comm", 40) WORD("next_pid", 56) STATES},
	{"sched", "name: sched_wakeup\nID: 11" COMMON COMM("comm", 8) WORD("pid", 24) TAIL},
	{"sched", "name: sched_wakeup_new\nID: 12" COMMON COMM("comm", 8) WORD("pid", 24) TAIL},
	{"raw_syscalls", "name: sys_enter\nID: 13" COMMON WORD("id", 8) TAIL},
	{"raw_syscalls", "name: sys_exit\nID: 14" COMMON WORD("id", 8) TAIL},
	{"irq", "name: softirq_raise\nID: 15" COMMON WORD("vec", 8) TAIL},
	{"irq", "name: softirq_entry\nID: 16" COMMON WORD("vec", 8) TAIL},
	{"irq", "name: softirq_exit\nID: 17" COMMON WORD("vec", 8) TAIL},
	{"irq",
	 "name: irq_handler_entry\nID: 18" COMMON WORD(
		 "irq",
		 8) "\tfield:__data_loc char[] name;\toffset:16;\tsize:4;\tsigned:0;\n" TAIL},
	{"irq", "name: irq_handler_exit\nID: 19" COMMON WORD("irq", 8) TAIL},
	{"exceptions", "name: page_fault_user\nID: 23" COMMON WORD("address", 8) TAIL},
	{"syscalls", "name: sys_enter_read\nID: 24" COMMON WORD("nr", 8) TAIL},
	{"syscalls", "name: sys_exit_read\nID: 25" COMMON WORD("nr", 8) TAIL},
	{"sched",
	 "name: sched_process_exec\nID: 26" COMMON WORD("pid", 8) WORD("old_pid", 16) TAIL},
	{"my", "name: named\nID: 27" COMMON COMM("comm", 8) TAIL},
};

static const char profile_kallsyms[] =
	"0000000000001000 T a\n0000000000002000 T b\n0000000000003000 "
	"T c\n0000000000004000 T end\n";

#define N_PROFILE_FORMATS (sizeof(profile_formats) / sizeof(*profile_formats))

/*
 * Makes records of a fuzzer's bytes, { u8 event  u8 cpu  u8 pid  u8 later  u8 len  len bytes }…, and
 * hands them to add(). The upper two bits of cpu: events were lost before; time goes backwards. Each
 * record is a copy that ends where it does, and is gone after it was added.
 */
static inline void profile_feed(struct formats *formats, const uint8_t *in, size_t n,
				void (*add)(void *ctx, const struct record *rec), void *ctx)
{
	uint64_t now = 1000;

	while (n >= 5) {
		size_t len = in[4] < n - 5 ? in[4] : n - 5;
		uint8_t *data = calloc(1, 8 + len);
		struct record rec = {.data = data, .size = 8 + len, .cpu = in[1] & 0x3f};
		uint16_t id = SWITCH + in[0] % (NAMED - SWITCH + 2);
		int pid = in[2];

		if (!data)
			abort();
		now = in[1] & 0x40 ? now - in[3] : now + in[3];
		rec.ts = now;
		rec.flags = in[1] & 0x80 ? RECORD_MISSED : 0;
		rec.event = formats_find(formats, id);
		memcpy(data, &id, sizeof(id));
		memcpy(data + 4, &pid, sizeof(pid));
		memcpy(data + 8, in + 5, len);
		add(ctx, &rec);
		free(data);
		in += 5 + len;
		n -= 5 + len;
	}
}

#endif
