// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * renamed.c - finds the names in this kernel of functions of older kernels.
 *
 * Articles and scripts use the names of older kernels. The rows below list the replacements; the
 * first candidate that this kernel can trace is used. Three kinds of change follow a rule and need
 * no rows:
 *
 *	sys_read, SyS_read          system calls: __x64_sys_read, __arm64_sys_read, …
 *	kmem_cache_alloc            allocators since 6.10: kmem_cache_alloc_noprof
 *	do_bad_area.part.1          copies made by the compiler: .isra.0, .constprop.0, .part.0,
 *	                            .cold
 *
 * To add one, add a row, in any order; put the candidate that does most of the old function's work
 * first.
 */
#include "base/array.h"
#include "capture/kernel/functions/functions_int.h"

#include "base/errmsg.h"

#include <stdio.h>
#include <stdlib.h>

struct renamed {
	const char *old, *now; /* now: candidates, separated by blanks */
};

static const struct renamed table[] = {
	/* interrupts: the entry code was rewritten in C in 5.8 */
	{"smp_apic_timer_interrupt", "__sysvec_apic_timer_interrupt sysvec_apic_timer_interrupt "
				     "arch_timer_handler_phys arch_timer_handler_virt "
				     "hrtimer_interrupt"},
	{"apic_timer_interrupt", "__sysvec_apic_timer_interrupt sysvec_apic_timer_interrupt "
				 "hrtimer_interrupt"},
	{"local_apic_timer_interrupt", "__sysvec_apic_timer_interrupt hrtimer_interrupt"},
	{"do_IRQ", "__common_interrupt common_interrupt do_interrupt_handler gic_handle_irq "
		   "handle_edge_irq"},
	{"common_interrupt", "__common_interrupt handle_edge_irq"},
	{"handle_irq", "__common_interrupt handle_edge_irq generic_handle_irq"},
	{"smp_reschedule_interrupt", "__sysvec_reschedule_ipi sysvec_reschedule_ipi scheduler_ipi "
				     "sched_ttwu_pending"},
	{"smp_call_function_single_interrupt", "__sysvec_call_function_single "
					       "generic_smp_call_function_single_interrupt"},
	{"smp_call_function_interrupt", "__sysvec_call_function "
					"generic_smp_call_function_single_interrupt"},
	{"smp_irq_work_interrupt", "__sysvec_irq_work irq_work_run"},
	{"irq_enter", "irq_enter_rcu"},
	{"irq_exit", "irq_exit_rcu __irq_exit_rcu"},
	{"rcu_irq_enter", "ct_irq_enter rcu_irq_enter_check_tick irq_enter_rcu"},
	{"rcu_irq_exit", "ct_irq_exit irq_exit_rcu"},
	{"do_page_fault", "exc_page_fault do_user_addr_fault handle_mm_fault"},
	{"__do_page_fault", "do_user_addr_fault handle_mm_fault"},
	{"do_bad_area", "bad_area_nosemaphore __bad_area_nosemaphore force_sig_fault"},
	{"__do_softirq", "handle_softirqs"},
	{"handle_softirqs", "__do_softirq"},
	/* the return to user mode */
	{"do_notify_resume", "exit_to_user_mode_loop exit_to_user_mode_prepare "
			     "syscall_exit_to_user_mode_prepare arch_do_signal_or_restart "
			     "task_work_run"},
	{"exit_to_usermode_loop", "exit_to_user_mode_loop exit_to_user_mode_prepare "
				  "arch_do_signal_or_restart"},
	{"prepare_exit_to_usermode", "exit_to_user_mode_prepare exit_to_user_mode_loop"},
	{"do_signal", "arch_do_signal_or_restart get_signal"},
	/* processes and scheduler */
	{"do_fork", "kernel_clone _do_fork"},
	{"_do_fork", "kernel_clone"},
	{"do_execve", "do_execveat_common bprm_execve"},
	{"scheduler_tick", "sched_tick"},
	{"tick_sched_timer", "tick_nohz_handler"},
	{"update_min_vruntime", "avg_vruntime update_curr"},
	{"task_tick_fair", "entity_tick update_curr"},
	{"finish_task_switch", "finish_task_switch.isra.0"},
	{"pick_next_task_fair", "pick_task_fair"},
	/* block devices */
	{"generic_make_request", "submit_bio_noacct __submit_bio submit_bio"},
	{"md_make_request", "md_submit_bio md_handle_request submit_bio_noacct"},
	{"blk_mq_make_request", "blk_mq_submit_bio"},
	{"blk_account_io_start", "__blk_account_io_start blk_mq_start_request"},
	{"blk_account_io_done", "__blk_account_io_done blk_mq_end_request"},
	/* files */
	{"do_sys_open", "do_sys_openat2 do_filp_open"},
	{"vfs_fsync", "vfs_fsync_range"},
	{"__vfs_read", "vfs_read"},
	{"__vfs_write", "vfs_write"},
	{"generic_file_aio_read", "generic_file_read_iter"},
	{"generic_file_aio_write", "generic_file_write_iter"},
	{"bdi_writeback_workfn", "wb_workfn"},
	{"bdi_writeback_thread", "wb_workfn"},
	/* memory */
	{"__alloc_pages_nodemask",
	 "__alloc_pages_noprof __alloc_frozen_pages_noprof __alloc_pages"},
	{"__alloc_pages", "__alloc_pages_noprof __alloc_frozen_pages_noprof"},
	{"alloc_page", "__alloc_pages_noprof __alloc_frozen_pages_noprof __alloc_pages"},
	{"shrink_page_list", "shrink_folio_list"},
	{"mark_page_accessed", "folio_mark_accessed"},
	{"kmalloc", "__kmalloc_noprof __kmalloc"},
	/* network and timers */
	{"netif_receive_skb_internal", "netif_receive_skb_list_internal __netif_receive_skb"},
	{"dev_queue_xmit", "__dev_queue_xmit"},
	{"del_timer", "timer_delete"},
	{"del_timer_sync", "timer_delete_sync __timer_delete_sync"},
	{"kvm_vcpu_kick", "__kvm_vcpu_kick"},
};

/* Forms of a system call's name; those with %s first are older ones. */
static const char *const call_prefixes[] = {
	"__x64_sys_", "__arm64_sys_", "__riscv_sys_", "__s390x_sys_", "__se_sys_",
	"__do_sys_",  "SyS_",	      "ksys_",	      "sys_",
};

static const char *const copy_suffixes[] = {".isra.", ".constprop.", ".part.", ".llvm.", ".cold"};

/* Parses a line of kallsyms: address, type, name. */
static const char *next_symbol(const char *p, struct function_line *ret)
{
	for (int i = 0; i < 2 && *p; i++) {
		p += strcspn(p, " \n");
		p += *p == ' ';
	}
	return kfunctions_next_line(p, ret);
}

static bool is_copy_of(const struct function_line *line, const char *name, size_t len)
{
	if (line->name_len <= len || memcmp(line->name, name, len))
		return false;
	return ARRAY_ANY(
		ARRAY_LEN(copy_suffixes), i,
		line->name_len - len >= strlen(copy_suffixes[i]) &&
			!memcmp(line->name + len, copy_suffixes[i], strlen(copy_suffixes[i])));
}

/*
 * Finds the function or, if it is missing, a copy that the compiler made. The name is in arena
 * memory.
 */
static const char *find_or_copy(struct kfunctions *f, const char *name, size_t len)
{
	bool listed = f->list_state > 0;
	const char *p = listed ? f->list.start : f->symbols.start;
	struct function_line line, copy = {0};
	struct function_pattern pattern = {.is_glob = memchr(name, '*', len)};

	if (len >= sizeof(pattern.name) || (!listed && f->symbols_state <= 0))
		return NULL;
	memcpy(pattern.name, name, len);
	while ((p = listed ? kfunctions_next_line(p, &line) : next_symbol(p, &line))) {
		if (kfunctions_match(&pattern, &line))
			return arena_strndup(&f->arena, name, len);
		/* the cold part seldom runs: any other copy is better */
		if (is_copy_of(&line, name, len) &&
		    (!copy.name || memmem(copy.name, copy.name_len, ".cold", 5)))
			copy = line;
	}
	return copy.name ? arena_strndup(&f->arena, copy.name, copy.name_len) : NULL;
}

static const char *find_system_call(struct kfunctions *f, const char *name)
{
	size_t n = ARRAY_LEN(call_prefixes);
	char form[FUNCTION_NAME_MAX];
	const char *call = NULL, *found = NULL;

	for (size_t i = 0; i < n && !call; i++)
		if (!strncmp(name, call_prefixes[i], strlen(call_prefixes[i])))
			call = name + strlen(call_prefixes[i]);
	if (!call || !*call)
		return NULL;
	for (size_t i = 0; i < n && !found; i++)
		if (snprintf(form, sizeof(form), "%s%s", call_prefixes[i], call) < sizeof(form))
			found = find_or_copy(f, form, strlen(form));
	return found;
}

static const char *find_renamed(struct kfunctions *f, const char *name)
{
	const char *found = NULL;

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		if (strcmp(table[i].old, name))
			continue;
		for (const char *p = table[i].now; *p && !found;) {
			size_t len = strcspn(p, " ");

			found = find_or_copy(f, p, len);
			p += len + (p[len] == ' ');
		}
	}
	return found;
}

const char *kfunctions_substitute(struct kfunctions *f, const char *name)
{
	struct errmsg *no_sentence = &(struct errmsg){0};
	size_t len = strlen(name), stem = strcspn(name, ".");
	char form[FUNCTION_NAME_MAX];
	const char *found;

	if (!len || (kfunctions_read_list(f, no_sentence) < 0 && !kfunctions_read_symbols(f)))
		return NULL;
	found = find_or_copy(f, name, len);
	/* use a copy with another number, or the whole function */
	if (!found && stem && name[stem])
		found = find_or_copy(f, name, stem);
	if (found || stem >= sizeof(form) - 8)
		return found;
	snprintf(form, sizeof(form), "%.*s", (int)stem, name);
	found = find_renamed(f, form);
	if (!found)
		found = find_system_call(f, form);
	if (!found) {
		snprintf(form, sizeof(form), "%.*s_noprof", (int)stem, name);
		found = find_or_copy(f, form, strlen(form));
	}
	return found;
}
