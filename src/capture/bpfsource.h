/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpfsource.h - finds out where a program in the kernel (bpfcount.h) has the value of an event's field from.
 *
 *	bpfsource_of_probe    as the line of the probe says: registers, memory
 *	bpfsource_of_raw      of a tracepoint itself, without its record: a small table of the best known ones
 *	bpfsource_of_record   at its offset in the record
 */
#ifndef SONDE_CAPTURE_BPFSOURCE_H
#define SONDE_CAPTURE_BPFSOURCE_H

#include "capture/bpfcount.h"
#include "capture/probes.h"

struct btf;

/* A field as the event's format describes it. */
struct bpffield {
	const char *name;
	uint32_t offset, n_bytes;
	bool is_signed, is_text;
	bool is_dynamic, is_relative; /* __data_loc, __rel_data_loc */
};

/* false: it cannot be had so. */
bool bpfsource_of_probe(const struct probe_defined *p, const struct bpffield *f,
			struct bpfsource *ret_source);
/* The kernel's BTF is opened when it is first needed; close it, if *btf is not NULL. */
bool bpfsource_of_raw(struct btf **btf, const char *system, const char *event,
		      const struct bpffield *f, struct bpfsource *ret_source);
bool bpfsource_of_record(const char *system, const struct bpffield *f,
			 struct bpfsource *ret_source);

#endif
