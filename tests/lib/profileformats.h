/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profileformats.h - the events that a profile understands, with all numbers 64 bits wide, and some
 * that it does not; for tests that make their records of words.
 */
#ifndef SONDE_TESTS_PROFILEFORMATS_H
#define SONDE_TESTS_PROFILEFORMATS_H

#include "memtrace.h"

#define HEAD                                                                           \
	"\nformat:\n"                                                                  \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
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
	{"ftrace", "name: funcgraph_entry\nID: 20" HEAD WORD("func", 8) TAIL},
	{"ftrace", "name: funcgraph_exit\nID: 21" HEAD WORD("func", 8) TAIL},
	{"ftrace",
	 "name: kernel_stack\nID: 22" HEAD WORD(
		 "size",
		 8) "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n" TAIL},
	{"sched", "name: sched_switch\nID: 10" HEAD COMM("prev_comm", 8) WORD("prev_pid", 24)
			  WORD("prev_state", 32) COMM("next_comm", 40) WORD("next_pid", 56) STATES},
	{"sched", "name: sched_wakeup\nID: 11" HEAD COMM("comm", 8) WORD("pid", 24) TAIL},
	{"sched", "name: sched_wakeup_new\nID: 12" HEAD COMM("comm", 8) WORD("pid", 24) TAIL},
	{"raw_syscalls", "name: sys_enter\nID: 13" HEAD WORD("id", 8) TAIL},
	{"raw_syscalls", "name: sys_exit\nID: 14" HEAD WORD("id", 8) TAIL},
	{"irq", "name: softirq_raise\nID: 15" HEAD WORD("vec", 8) TAIL},
	{"irq", "name: softirq_entry\nID: 16" HEAD WORD("vec", 8) TAIL},
	{"irq", "name: softirq_exit\nID: 17" HEAD WORD("vec", 8) TAIL},
	{"irq",
	 "name: irq_handler_entry\nID: 18" HEAD WORD(
		 "irq",
		 8) "\tfield:__data_loc char[] name;\toffset:16;\tsize:4;\tsigned:0;\n" TAIL},
	{"irq", "name: irq_handler_exit\nID: 19" HEAD WORD("irq", 8) TAIL},
	{"exceptions", "name: page_fault_user\nID: 23" HEAD WORD("address", 8) TAIL},
	{"syscalls", "name: sys_enter_read\nID: 24" HEAD WORD("nr", 8) TAIL},
	{"syscalls", "name: sys_exit_read\nID: 25" HEAD WORD("nr", 8) TAIL},
	{"sched", "name: sched_process_exec\nID: 26" HEAD WORD("pid", 8) WORD("old_pid", 16) TAIL},
	{"my", "name: named\nID: 27" HEAD COMM("comm", 8) TAIL},
};

static const char profile_kallsyms[] =
	"0000000000001000 T a\n0000000000002000 T b\n0000000000003000 "
	"T c\n0000000000004000 T end\n";

#define N_PROFILE_FORMATS (sizeof(profile_formats) / sizeof(*profile_formats))

#endif
