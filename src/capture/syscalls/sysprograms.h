/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysprograms.h - BPF programs that record system calls: tables, programs, and their ring.
 *
 *	sysprograms_open      tables and programs; nothing runs yet
 *	sysprograms_start     from now on calls are recorded
 *	sysprograms_stop      no longer; the ring can still be read
 *	sysprograms_close
 */
#ifndef SONDE_CAPTURE_SYSCALLS_SYSPROGRAMS_H
#define SONDE_CAPTURE_SYSCALLS_SYSPROGRAMS_H

#include "capture/bpf/bpf.h"
#include "capture/bpf/tasks.h"
#include "capture/syscalls/sysrecord.h"

struct errmsg;

#define SYSPROGRAMS_CALL_WORDS (SYSROW_CALLS / 64)
#define SYSPROGRAMS_HOOKS      6
#define SYSPROGRAMS_CPUS_MAX   4096

struct sysprograms_config {
	/* all tasks except `not_process`; otherwise those of sysprograms_add_task() */
	bool all_tasks;
	int not_process;
	bool no_children;		  /* do not follow new threads and processes */
	const char *cgroup;		  /* its directory; NULL: any */
	const uint64_t *cpus;		  /* bits of the CPUs whose calls count; NULL: all */
	const uint64_t *calls, *calls_32; /* bits of the numbers of calls; NULL: all */
	bool only_failed, only_ok;
	bool files;	     /* record which file a new descriptor is */
	bool no_signals;     /* neither signals nor ends of tasks */
	uint32_t string_max; /* bytes of strings and buffers */
	uint32_t ring_bytes; /* a power of 2 */
};

struct sysprograms {
	bool is_open;
	struct sysprograms_config config;
	struct bpftasks tasks;
	struct bpf_table ring, slots, numbers, given_back, rows, scratch, cgroups, cpus;
	const struct sysslots *open_calls; /* the slots, mapped */
	uint32_t n_pids;		   /* of the table of numbers */
	int programs[SYSPROGRAMS_HOOKS], links[SYSPROGRAMS_HOOKS];
};

struct sysprograms_counts {
	uint64_t n_lost, n_faults, n_no_slot;
};

/* AUDIT_ARCH_… of records with machine 0, and of those with machine 1; 0: there are none. */
uint32_t sysprograms_machine(unsigned index);
/* exit() and exit_group(). */
bool sysprograms_never_returns(uint32_t machine, uint32_t nr);
/* Needs CAP_BPF and CAP_PERFMON; after sysprograms_start() only reading is needed. */
int sysprograms_open(struct sysprograms *p, const struct sysprograms_config *config,
		     struct errmsg *err);
/* Adds a process with its threads. */
int sysprograms_add_task(struct sysprograms *p, int pid, struct errmsg *err);
int sysprograms_start(struct sysprograms *p, struct errmsg *err);
void sysprograms_stop(struct sysprograms *p);
int sysprograms_count(const struct sysprograms *p, struct sysprograms_counts *ret_counts,
		      struct errmsg *err);
/* A zeroed struct is closed. */
void sysprograms_close(struct sysprograms *p);

#endif
