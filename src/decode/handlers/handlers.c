// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * handlers.c - which handler prints which event.
 *
 * The other files of this folder have the handlers, by subject. A row names the fields that its
 * handler reads, so that they are looked up once for an event, not for each record. Without plugins
 * (report -N) no event has a handler, as in trace-cmd, and print formats print all.
 */
#include "decode/handlers/handlers.h"
#include "base/array.h"
#include "decode/handlers/handler_int.h"

#include <string.h>

/* clang-format off */
#define CALL_SITE {"call_site"}
#define KVM_PAGE  {"role", "root_count", "unsync", "created", "gfn"}
#define KVM_NESTED {"exit_code", "isa", "exit_info1", "exit_info2", "exit_int_info", \
		    "exit_int_info_err", "rip"}
/* clang-format on */

static const struct handler_row rows[] = {
	{"ftrace", "funcgraph_entry", handle_graph_entry, true, {"func", "depth"}},
	{"ftrace",
	 "funcgraph_exit",
	 handle_graph_exit,
	 true,
	 {"rettime", "calltime", "depth", "func"}},
	{"ftrace", "function", handle_function, true, {"ip", "parent_ip"}},
	{"ftrace", "kernel_stack", handle_stack, true, {"caller"}},
	{"ftrace", "user_stack", handle_user_stack, true, {"caller"}},
	{"ftrace", "raw_data", handle_raw_data, false, {"id", "buf"}},
	{"ftrace",
	 "func_repeats",
	 handle_func_repeats,
	 true,
	 {"ip", "parent_ip", "count", "top_delta_ts", "bottom_delta_ts"}},
	{"sched",
	 "sched_switch",
	 handle_sched_switch,
	 false,
	 {"prev_pid", "prev_comm", "prev_prio", "prev_state", "next_pid", "next_comm",
	  "next_prio"}},
	{"sched",
	 "sched_wakeup",
	 handle_sched_wakeup,
	 false,
	 {"pid", "comm", "prio", "success", "target_cpu"}},
	{"sched",
	 "sched_wakeup_new",
	 handle_sched_wakeup,
	 false,
	 {"pid", "comm", "prio", "success", "target_cpu"}},
	{"timer",
	 "hrtimer_start",
	 handle_hrtimer_start,
	 true,
	 {"timer", "hrtimer", "function", "expires", "softexpires"}},
	{"timer",
	 "hrtimer_expire_entry",
	 handle_hrtimer_expire,
	 true,
	 {"timer", "hrtimer", "function", "now"}},
	{"kvm",
	 "kvm_exit",
	 handle_kvm_exit,
	 false,
	 {"exit_reason", "isa", "guest_rip", "info1", "info2"}},
	{"kvm", "kvm_entry", handle_kvm_entry, false, {"vcpu_id", "rip"}},
	{"kvm",
	 "kvm_emulate_insn",
	 handle_kvm_insn,
	 false,
	 {"rip", "csbase", "len", "flags", "failed", "insn"}},
	{"kvm", "kvm_nested_vmexit", handle_kvm_nested, false, KVM_NESTED},
	{"kvm", "kvm_nested_vmexit_inject", handle_kvm_nested_inject, false, KVM_NESTED},
	{"kvmmmu", "kvm_mmu_get_page", handle_kvm_get_page, false, KVM_PAGE},
	{"kvmmmu", "kvm_mmu_sync_page", handle_kvm_page, false, KVM_PAGE},
	{"kvmmmu", "kvm_mmu_unsync_page", handle_kvm_page, false, KVM_PAGE},
	{"kvmmmu", "kvm_mmu_zap_page", handle_kvm_page, false, KVM_PAGE},
	{"kvmmmu", "kvm_mmu_prepare_zap_page", handle_kvm_page, false, KVM_PAGE},
	{"syscalls",
	 "sys_enter_futex",
	 handle_futex,
	 false,
	 {"uaddr", "op", "val", "utime", "uaddr2", "val3"}},
	{"syscall", "syscall", handle_syscall, false, {"duration"}},
	{"syscall", "syscall_open", handle_syscall, false, {"duration"}},
	{"syscall", "syscall_signal", handle_syscall, false, {"duration"}},
	{"syscall", "syscall_exit", handle_syscall, false, {"duration"}},
	{"tlb", "tlb_flush", handle_tlb_flush, false, {"pages", "reason"}},
	{"mac80211", "drv_bss_info_changed", handle_bss_info_changed, false, {"vif_type"}},
	{"kmem", "kfree", handle_kmem, true, CALL_SITE},
	{"kmem", "kmalloc", handle_kmem, true, CALL_SITE},
	{"kmem", "kmalloc_node", handle_kmem, true, CALL_SITE},
	{"kmem", "kmem_cache_alloc", handle_kmem, true, CALL_SITE},
	{"kmem", "kmem_cache_alloc_node", handle_kmem, true, CALL_SITE},
	{"kmem", "kmem_cache_free", handle_kmem, true, CALL_SITE},
};

static const struct handler_row *find_row(const char *system, const char *name)
{
	return ARRAY_FIND(rows, ARRAY_LEN(rows), i,
			  !strcmp(rows[i].name, name) && !strcmp(rows[i].system, system));
}

bool handlers_attach(struct event *ev, bool no_plugins)
{
	const struct handler_row *row = find_row(ev->system, ev->name);

	if (!row)
		return false;
	/* set the fields even without the handler: order.c uses them */
	for (int i = 0; i < EVENT_WANTED_MAX; i++)
		ev->wanted[i] = row->fields[i] ? event_find_any(ev, row->fields[i]) : NULL;
	if (no_plugins)
		return false;
	ev->handler = row->handler;
	return row->needs_symbols;
}

bool handlers_find(const char *system, const char *name)
{
	return find_row(system, name);
}
