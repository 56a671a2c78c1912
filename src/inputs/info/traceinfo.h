/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * traceinfo.h - what is in a trace file, as plain data.
 *
 * info_gather() fills it (info.h), traceinfo_fmt_text() and traceinfo_fmt_json() show it. Strings and arrays belong to
 * the arena it was gathered into, or to the file. Strings may hold anything.
 */
#ifndef SONDE_INPUTS_INFO_TRACEINFO_H
#define SONDE_INPUTS_INFO_TRACEINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct info_span {
	bool known;
	bool in_time;	      /* nanoseconds; otherwise units of the clock */
	bool is_date;	      /* since 1970 */
	uint64_t first, last; /* as the report shows them */
	double seconds;	      /* between them, if in_time */
};

struct info_loss {				   /* how many events are not in the file */
	uint64_t n_gaps, n_missed, n_gaps_unknown; /* where sub-buffers say so */
	bool has_stat;				   /* the recorder kept the kernel's counters: */
	uint64_t n_overrun, n_commit_overrun, n_dropped, n_entries, n_read;
	uint64_t n_hits_missed; /* of probes, of all CPUs: no event tells of them */
};

struct info_cpu {
	uint32_t cpu;
	uint64_t n_bytes; /* of sub-buffers, unpacked */
	uint64_t n_events;
	double per_second; /* negative: not known, here and below */
	struct info_span span;
	struct info_loss loss;
};

struct info_buffer {
	const char *name; /* "" for the top one */
	const char *clock;
	uint32_t page_size;
	bool is_text;
	uint64_t n_bytes; /* of all CPUs, or of the text */
	uint64_t n_events;
	double per_second;
	struct info_span span;
	struct info_loss loss;
	struct info_cpu *cpus; /* with data, or with losses */
	size_t n_cpus;
};

struct info_event {
	const char *system, *name; /* NULL: the file does not describe it */
	int64_t id;
	uint64_t n, n_bytes;
	double per_second, percent;
};

struct info_task {
	int pid, tgid;	     /* tgid -1: not known */
	const char *command; /* line of its process; NULL: not known */
	const char *comm;
	uint64_t n;
	double percent;
};

struct info_guest {
	const char *name;
	uint64_t trace_id;
	uint32_t n_cpus;
};

struct info_maps { /* of a process, as record --proc-map stores them */
	int pid;
	const char *comm;
	uint32_t n;
};

struct traceinfo {
	const char *path;
	uint64_t n_bytes;
	int version;
	bool big_endian;
	unsigned long_bits;
	uint32_t page_size;
	const char *compression, *compression_version; /* "none" */
	uint64_t n_data_bytes, n_stored_bytes;	       /* sub-buffers: unpacked, in the file */
	double ratio; /* of the two; 0: not compressed, or no data */

	const char *machine, *recorder; /* NULL: not said */
	const char *clock;		/* of the top buffer */
	const char *clocks;		/* all that the machine had, the chosen one in [] */
	uint32_t tsc_mult, tsc_shift;	/* mult 0: none */
	bool has_date;
	int64_t date_us, time_offset;
	uint64_t trace_id, peer_id; /* 0: none; of the host this guest was synchronised with */
	uint32_t n_peer_cpus, n_peer_samples;
	const char **hooks;
	size_t n_hooks;
	struct info_guest *guests;
	size_t n_guests;
	struct info_maps *maps;
	size_t n_maps;
	const char **seen; /* what the events tell: tracers, markers, stacks */
	size_t n_seen;

	size_t n_formats, n_systems, n_printk, n_cmdlines;
	uint64_t n_symbol_bytes; /* of their text, unpacked */
	bool symbols_counted;
	size_t n_symbols;
	uint32_t n_machine_cpus;

	bool counted; /* else the next ones are not known, and why: */
	const char *why_not_counted;
	uint64_t n_events, n_uncounted; /* n_uncounted: of tasks beyond the ceiling */
	double per_second;
	struct info_span span;
	struct info_loss loss;
	struct info_buffer *buffers;
	size_t n_buffers;
	struct info_event *events; /* the most frequent first */
	size_t n_events_kinds;
	struct info_task *tasks; /* … */
	size_t n_tasks;

	const char *const *damage;
	size_t n_damage;
};

#endif
