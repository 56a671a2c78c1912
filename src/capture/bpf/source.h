/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - finds the source of an event's field for a BPF program (count.h).
 *
 *	bpfsource_of_probe    from the definition of the probe: registers, memory
 *	bpfsource_of_function from a function's arguments, if it can be counted without a probe
 *	bpfsource_of_raw      from the arguments of a tracepoint, without a record: a small table of
 *	                      well-known ones
 *	bpfsource_of_call     the same for a system call
 *	bpfsource_of_record   from the record, at the field's offset
 *	bpftask_find          the fields of a task that a program can read without a call
 */
#ifndef SONDE_CAPTURE_BPF_SOURCE_H
#define SONDE_CAPTURE_BPF_SOURCE_H

#include "capture/bpf/program.h"
#include "capture/tracefs/probes.h"

struct btf;

#define BPFFUNCTION_ARGS_MAX 6

/*
 * Finds the fields of a task, and tests the access once: kernels before 5.11 have no typed task
 * pointer.
 */
bool bpftask_find(struct btf **btf, struct bpftask *ret_task);
/* Returns the id of the tracepoint in BTF, or 0. */
uint32_t bpftracepoint_find(struct btf **btf, const char *name);

/* A field as the event's format describes it. */
struct bpffield {
	const char *name;
	uint32_t offset, n_bytes;
	bool is_signed, is_text;
	uint32_t n_text;	      /* maximum length of the text; 0: any length */
	bool is_dynamic, is_relative; /* __data_loc, __rel_data_loc */
};

/* Returns false if a program cannot read the field this way. */
bool bpfsource_of_probe(const struct probe_defined *p, const struct bpffield *f,
			struct bpfsource *ret_source);
/*
 * A function in BTF. A probe at its entry or return can be counted there without the probe.
 * bpffunction_find() returns false if that is not possible.
 */
struct bpffunction {
	uint32_t number; /* id in BTF */
	bool is_return;
	unsigned n_args;
	uint8_t n_bytes[BPFFUNCTION_ARGS_MAX]; /* size of each argument */
};
bool bpffunction_find(struct btf **btf, const struct probe_defined *p,
		      struct bpffunction *ret_function);
bool bpfsource_of_function(const struct bpffunction *function, const struct probe_defined *p,
			   const struct bpffield *f, struct bpfsource *ret_source);
/*
 * Finds the source in the arguments of a tracepoint. Opens the kernel's BTF when it is first
 * needed; the caller closes *btf if it is not NULL.
 */
bool bpfsource_of_raw(struct btf **btf, const char *system, const char *event,
		      const struct bpffield *f, struct bpfsource *ret_source);
/*
 * Finds the tracepoint and the conditions of one system call's event (sys_enter_openat). It is
 * counted at the tracepoint for all calls, which makes no record. Returns false if not enough is
 * known about the call.
 */
bool bpfcall_find(struct btf **btf, const char *event, const char **ret_tracepoint,
		  struct bpfcondition ret_conditions[BPFPROGRAM_CONDITIONS_MAX]);
bool bpfsource_of_call(const char *tracepoint, const struct bpffield *f,
		       struct bpfsource *ret_source);
bool bpfsource_of_record(const char *system, const struct bpffield *f,
			 struct bpfsource *ret_source);

#endif
