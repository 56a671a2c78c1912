// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * handlers.c - which handler prints which event.
 *
 * The other files of this folder have the handlers, by subject. If two rows are for the same event,
 * the later one wins, as plugins override built-in handlers.
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
	{"ftrace", "function", handle_function_builtin, true, true, {"ip", "parent_ip"}},
	{"ftrace", "funcgraph_entry", handle_graph_entry, true, true, {"func", "depth"}},
	{"ftrace",
	 "funcgraph_exit",
	 handle_graph_exit,
	 true,
	 true,
	 {"rettime", "calltime", "depth", "func"}},
	{"ftrace", "kernel_stack", handle_stack_builtin, true, true, {"caller"}},
	{"ftrace", "function", handle_function, false, true, {"ip", "parent_ip"}},
	{"ftrace", "kernel_stack", handle_stack, false, true, {"caller"}},
	{"ftrace", "user_stack", handle_user_stack, false, true, {"caller"}},
	{"ftrace", "raw_data", handle_raw_data, false, false, {"id", "buf"}},
	{"ftrace",
	 "func_repeats",
	 handle_func_repeats,
	 false,
	 true,
	 {"ip", "parent_ip", "count", "top_delta_ts", "bottom_delta_ts"}},
	{"sched",
	 "sched_switch",
	 handle_sched_switch,
	 false,
	 false,
	 {"prev_pid", "prev_comm", "prev_prio", "prev_state", "next_pid", "next_comm",
	  "next_prio"}},
	{"sched",
	 "sched_wakeup",
	 handle_sched_wakeup,
	 false,
	 false,
	 {"pid", "comm", "prio", "success", "target_cpu"}},
	{"sched",
	 "sched_wakeup_new",
	 handle_sched_wakeup,
	 false,
	 false,
	 {"pid", "comm", "prio", "success", "target_cpu"}},
	{"timer",
	 "hrtimer_start",
	 handle_hrtimer_start,
	 false,
	 true,
	 {"timer", "hrtimer", "function", "expires", "softexpires"}},
	{"timer",
	 "hrtimer_expire_entry",
	 handle_hrtimer_expire,
	 false,
	 true,
	 {"timer", "hrtimer", "function", "now"}},
	{"kvm",
	 "kvm_exit",
	 handle_kvm_exit,
	 false,
	 false,
	 {"exit_reason", "isa", "guest_rip", "info1", "info2"}},
	{"kvm", "kvm_entry", handle_kvm_entry, false, false, {"vcpu_id", "rip"}},
	{"kvm",
	 "kvm_emulate_insn",
	 handle_kvm_insn,
	 false,
	 false,
	 {"rip", "csbase", "len", "flags", "failed", "insn"}},
	{"kvm", "kvm_nested_vmexit", handle_kvm_nested, false, false, KVM_NESTED},
	{"kvm", "kvm_nested_vmexit_inject", handle_kvm_nested_inject, false, false, KVM_NESTED},
	{"kvmmmu", "kvm_mmu_get_page", handle_kvm_get_page, false, false, KVM_PAGE},
	{"kvmmmu", "kvm_mmu_sync_page", handle_kvm_page, false, false, KVM_PAGE},
	{"kvmmmu", "kvm_mmu_unsync_page", handle_kvm_page, false, false, KVM_PAGE},
	{"kvmmmu", "kvm_mmu_zap_page", handle_kvm_page, false, false, KVM_PAGE},
	{"kvmmmu", "kvm_mmu_prepare_zap_page", handle_kvm_page, false, false, KVM_PAGE},
	{"syscalls",
	 "sys_enter_futex",
	 handle_futex,
	 false,
	 false,
	 {"uaddr", "op", "val", "utime", "uaddr2", "val3"}},
	{"syscall", "syscall", handle_syscall, false, false, {"duration"}},
	{"syscall", "syscall_open", handle_syscall, false, false, {"duration"}},
	{"syscall", "syscall_signal", handle_syscall, false, false, {"duration"}},
	{"syscall", "syscall_exit", handle_syscall, false, false, {"duration"}},
	{"tlb", "tlb_flush", handle_tlb_flush, false, false, {"pages", "reason"}},
	{"mac80211", "drv_bss_info_changed", handle_bss_info_changed, false, false, {"vif_type"}},
	{"kmem", "kfree", handle_kmem, false, true, CALL_SITE},
	{"kmem", "kmalloc", handle_kmem, false, true, CALL_SITE},
	{"kmem", "kmalloc_node", handle_kmem, false, true, CALL_SITE},
	{"kmem", "kmem_cache_alloc", handle_kmem, false, true, CALL_SITE},
	{"kmem", "kmem_cache_alloc_node", handle_kmem, false, true, CALL_SITE},
	{"kmem", "kmem_cache_free", handle_kmem, false, true, CALL_SITE},
};

bool handlers_attach(struct event *ev, bool no_plugins)
{
	const struct handler_row *found = NULL, *named = NULL;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (strcmp(rows[i].name, ev->name) || strcmp(rows[i].system, ev->system))
			continue;
		named = &rows[i];
		if (!no_plugins)
			found = &rows[i];
	}
	if (found)
		ev->handler = found->handler;
	/* set the fields even without the handler: order.c uses them */
	for (int i = 0; named && i < EVENT_WANTED_MAX; i++)
		ev->wanted[i] = named->fields[i] ? event_find_any(ev, named->fields[i]) : NULL;
	return found && found->needs_symbols;
}

bool handlers_find(const char *system, const char *name)
{
	return ARRAY_ANY(ARRAY_LEN(rows), i,
			 !strcmp(rows[i].name, name) && !strcmp(rows[i].system, system));
}
