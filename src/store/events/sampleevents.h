/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sampleevents.h - samples and counters as a trace file has them: ids, bytes, formats, names.
 *
 * Other readers see ordinary events of a system "perf" in a buffer of that name. A sample has its
 * whole stack: a stack in a table would be lost with the part of a trace that has the table, and
 * the compressed buffer keeps a repeated stack in a few bytes.
 *
 * Code has a place: an address that means the same in the whole file, whatever process was there.
 *
 *	0xffff8000… and above    the kernel's own address
 *	FILE << 48 | ADDRESS     a file that programs mapped, with an address of that file (ELF)
 *	                         or of memory without a file: an address of one process (JIT code)
 *	0 << 48 | …              unknown
 *
 * The first place of a stack, and the first of its user part, is where the processor was. The
 * places of callers lie inside of their calls: return address - 1 (or the call itself), so every
 * place can be looked up as it is.
 *
 * SNF_OPTION_SAMPLES is a text (packedtext.h), one line each:
 *
 *	E NUMBER NAME                   an event that was sampled or counted, as the user names it
 *	F FILE BUILD-ID PATH            a mapped file; FILE in hex; the id in hex, or "-"
 *	J FILE PID PATH                 code of one process without a file; PATH: its map of names,
 *	                                or "-"
 *	C KEY VALUE                     of the recording: the kind of stacks, the rate …
 *	C counters NUMBER cpus|tasks    events from this number on are counters, of CPUs or of tasks
 *	L NUMBER                        samples that the kernel lost, in all
 *
 * A line that begins otherwise is for later versions. Names of functions that have samples are
 * lines of the file's kallsyms, with places as addresses, so that any reader shows them.
 */
#ifndef SONDE_STORE_EVENTS_SAMPLEEVENTS_H
#define SONDE_STORE_EVENTS_SAMPLEEVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct textbuf;

#define SAMPLEEVENTS_BUFFER "perf" /* the instance */
#define SAMPLEEVENTS_SYSTEM "perf"
#define SAMPLEEVENTS_CLOCK  "mono_raw"

/* Below 32768 for KernelShark, see userevents.h. */
enum sampleevents_id {
	SAMPLEEVENTS_SAMPLE = 32731,
	SAMPLEEVENTS_COUNTER,
};

#define SAMPLEEVENTS_STACK_MAX 400u /* places; a record must fit into a sub-buffer of 4 KB */

/* The bytes of a sample, and then its stack: the innermost place first, `ip` included. */
struct sampleevents_sample {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;	  /* of the thread */
	uint64_t ip;	  /* a place */
	uint64_t period;  /* events, or ns of a clock or of a wait, that the sample stands for */
	uint32_t event;	  /* number of its line E */
	int32_t tgid;	  /* of the process; -1: unknown */
	uint32_t n_bytes; /* of data at ip, 0: none; of memory samples */
	uint32_t stack_loc;
	uint64_t stack[SAMPLEEVENTS_STACK_MAX];
};
#define SAMPLEEVENTS_SAMPLE_BYTES 40 /* without its stack */

/* A counter's value since its last event. cpu and pid: what was counted; -1: all. */
struct sampleevents_counter {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	uint64_t value;	  /* counted, not scaled */
	uint64_t enabled; /* ns */
	uint64_t running; /* ns; less than enabled: the counter was shared */
	uint32_t event;
	int32_t of_cpu;
};
#define SAMPLEEVENTS_COUNTER_BYTES 40

#define SAMPLEEVENTS_FILES_MAX	   0x7ffeu
#define SAMPLEEVENTS_ADDRESS_BITS  48

static inline bool sampleevents_is_kernel(uint64_t place)
{
	return place >> 63;
}
/* 0: the kernel, or unknown */
static inline uint32_t sampleevents_file(uint64_t place)
{
	return place >> 63 ? 0 : (uint32_t)(place >> SAMPLEEVENTS_ADDRESS_BITS);
}
static inline uint64_t sampleevents_address(uint64_t place)
{
	return place >> 63 ? place : place & ((UINT64_C(1) << SAMPLEEVENTS_ADDRESS_BITS) - 1);
}
static inline uint64_t sampleevents_place(uint32_t file, uint64_t address)
{
	return (uint64_t)file << SAMPLEEVENTS_ADDRESS_BITS |
	       (address & ((UINT64_C(1) << SAMPLEEVENTS_ADDRESS_BITS) - 1));
}

/* Sets the place of the stack, which has n places, and returns the length of the record. */
uint32_t sampleevents_set_stack(struct sampleevents_sample *s, size_t n);
/* Adds the system "perf". names: of the events, by number. */
void sampleevents_add_formats(struct textbuf *tb, const char *const *names, size_t n_names);

#endif
