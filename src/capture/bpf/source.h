/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - finds out where a BPF program (count.h) gets the value of an event's field.
 *
 *	bpfsource_of_probe    from the definition of the probe: registers, memory
 *	bpfsource_of_function from a function's arguments, if it can be counted without a probe
 *	bpfsource_of_raw      from the arguments of a tracepoint, without a record: a small table of well-known ones
 *	bpfsource_of_call     the same for a system call
 *	bpfsource_of_record   from the record, at the field's offset
 *	bpftask_find          what a program can read from a task without a call
 */
#ifndef SONDE_CAPTURE_BPF_SOURCE_H
#define SONDE_CAPTURE_BPF_SOURCE_H

#include "capture/bpf/program.h"
#include "capture/tracefs/probes.h"

struct btf;

#define BPFFUNCTION_ARGS_MAX 6

/* Tests it once: kernels before 5.11 have no typed task pointer. */
bool bpftask_find(struct btf **btf, struct bpftask *ret_task);
/* Its id in BTF; 0: none. */
uint32_t bpftracepoint_find(struct btf **btf, const char *name);

/* A field as the event's format describes it. */
struct bpffield {
	const char *name;
	uint32_t offset, n_bytes;
	bool is_signed, is_text;
	uint32_t n_text;	      /* the longest possible text; 0: any length */
	bool is_dynamic, is_relative; /* __data_loc, __rel_data_loc */
};

/* Returns false if a program cannot read the field this way. */
bool bpfsource_of_probe(const struct probe_defined *p, const struct bpffield *f,
			struct bpfsource *ret_source);
/*
 * A probe at the entry or the return of a function in BTF can be counted there without the probe.
 * Fills *ret_function; false: not possible.
 */
struct bpffunction {
	uint32_t number; /* id in BTF */
	bool is_return;
	unsigned n_args;
	uint8_t n_bytes[BPFFUNCTION_ARGS_MAX]; /* of each */
};
bool bpffunction_find(struct btf **btf, const struct probe_defined *p,
		      struct bpffunction *ret_function);
bool bpfsource_of_function(const struct bpffunction *function, const struct probe_defined *p,
			   const struct bpffield *f, struct bpfsource *ret_source);
/* Opens the kernel's BTF when it is first needed; the caller closes *btf if it is not NULL. */
bool bpfsource_of_raw(struct btf **btf, const char *system, const char *event,
		      const struct bpffield *f, struct bpfsource *ret_source);
/*
 * The event of one system call (sys_enter_openat) is counted at the tracepoint for all calls, which
 * makes no record. Returns the conditions that select the call. False: not enough is known about
 * it.
 */
bool bpfcall_find(struct btf **btf, const char *event, const char **ret_tracepoint,
		  struct bpfcondition ret_conditions[BPFPROGRAM_CONDITIONS_MAX]);
bool bpfsource_of_call(const char *tracepoint, const struct bpffield *f,
		       struct bpfsource *ret_source);
bool bpfsource_of_record(const char *system, const struct bpffield *f,
			 struct bpfsource *ret_source);

#endif
