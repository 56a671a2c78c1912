/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - finds out where a program in the kernel (count.h) has the value of an event's field from.
 *
 *	bpfsource_of_probe    as the line of the probe says: registers, memory
 *	bpfsource_of_function the same of a function's arguments, where it needs no probe to be counted
 *	bpfsource_of_raw      of a tracepoint itself, without its record: a small table of the best known ones
 *	bpfsource_of_call     the same of a system call's
 *	bpfsource_of_record   at its offset in the record
 *	bpftask_find          what of a task and of a tracepoint's arguments is read without a call
 */
#ifndef SONDE_CAPTURE_BPF_SOURCE_H
#define SONDE_CAPTURE_BPF_SOURCE_H

#include "capture/bpf/program.h"
#include "capture/tracefs/probes.h"

struct btf;

#define BPFFUNCTION_ARGS_MAX 6

/* Tries it once: kernels before 5.11 have no such pointer. */
bool bpftask_find(struct btf **btf, struct bpftask *ret_task);
/* Its number in BTF, 0: there is none. */
uint32_t bpftracepoint_find(struct btf **btf, const char *name);

/* A field as the event's format describes it. */
struct bpffield {
	const char *name;
	uint32_t offset, n_bytes;
	bool is_signed, is_text;
	uint32_t n_text;	      /* of a text: the longest that it can be; 0: any */
	bool is_dynamic, is_relative; /* __data_loc, __rel_data_loc */
};

/* false: it cannot be had so. */
bool bpfsource_of_probe(const struct probe_defined *p, const struct bpffield *f,
			struct bpfsource *ret_source);
/*
 * A probe at the entry or the return of a function that BTF knows can be counted there without the probe. Fills
 * *ret_function; false: it cannot.
 */
struct bpffunction {
	uint32_t number; /* in BTF */
	bool is_return;
	unsigned n_args;
	uint8_t n_bytes[BPFFUNCTION_ARGS_MAX]; /* of each */
};
bool bpffunction_find(struct btf **btf, const struct probe_defined *p,
		      struct bpffunction *ret_function);
bool bpfsource_of_function(const struct bpffunction *function, const struct probe_defined *p,
			   const struct bpffield *f, struct bpfsource *ret_source);
/* The kernel's BTF is opened when it is first needed; close it, if *btf is not NULL. */
bool bpfsource_of_raw(struct btf **btf, const char *system, const char *event,
		      const struct bpffield *f, struct bpfsource *ret_source);
/*
 * The event of one system call (sys_enter_openat) is counted at the tracepoint of all, which makes no record: under
 * which conditions it is that one. False: it is not known well enough.
 */
bool bpfcall_find(struct btf **btf, const char *event, const char **ret_tracepoint,
		  struct bpfcondition ret_conditions[BPFPROGRAM_CONDITIONS_MAX]);
bool bpfsource_of_call(const char *tracepoint, const struct bpffield *f,
		       struct bpfsource *ret_source);
bool bpfsource_of_record(const char *system, const struct bpffield *f,
			 struct bpfsource *ret_source);

#endif
