/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * traceinfo.h - the contents of a trace file as plain data.
 *
 * info_init() fills it (info.h), traceinfo_fmt_text() and traceinfo_fmt_json() show it. Strings
 * and arrays belong to the arena that info_init() used, or to the file. Strings may contain any
 * bytes.
 */
#ifndef SONDE_INPUTS_INFO_TRACEINFO_H
#define SONDE_INPUTS_INFO_TRACEINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct info_span {
	bool known;
	bool in_time;	      /* times are in nanoseconds; otherwise in units of the clock */
	bool is_date;	      /* times count from 1970 */
	uint64_t first, last; /* times as the report shows them */
	double seconds;	      /* time between first and last, if in_time */
};

struct info_loss {				   /* numbers of events that are not in the file */
	uint64_t n_gaps, n_missed, n_gaps_unknown; /* losses that sub-buffers report */
	/* the recorder stored the kernel's counters, which follow: */
	bool has_stat;
	uint64_t n_overrun, n_commit_overrun, n_dropped, n_entries, n_read;
	uint64_t n_hits_missed; /* missed hits of probes, over all CPUs; no event reports them */
};

struct info_cpu {
	uint32_t cpu;
	uint64_t n_bytes; /* uncompressed size of sub-buffers */
	uint64_t n_events;
	double per_second; /* negative: unknown, here and below */
	struct info_span span;
	struct info_loss loss;
};

struct info_buffer {
	const char *name; /* "" for the top-level buffer */
	const char *clock;
	uint32_t page_size;
	bool is_text;
	uint64_t n_bytes; /* size of all CPUs' data, or of the text */
	uint64_t n_events;
	double per_second;
	struct info_span span;
	struct info_loss loss;
	struct info_cpu *cpus; /* CPUs with data or with losses */
	size_t n_cpus;
};

struct info_event {
	const char *system, *name; /* NULL: the file does not describe it */
	int64_t id;
	uint64_t n, n_bytes;
	double per_second, percent;
};

struct info_task {
	int pid, tgid;	     /* tgid -1: unknown */
	const char *command; /* command line of the process; NULL: unknown */
	const char *comm;
	uint64_t n;
	double percent;
};

struct info_guest {
	const char *name;
	uint64_t trace_id;
	uint32_t n_cpus;
};

struct info_maps { /* mappings of a process, as record --proc-map stores them */
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
	const char *compression, *compression_version; /* "none" if the file is not compressed */
	/* size of sub-buffers: uncompressed, and in the file */
	uint64_t n_data_bytes, n_stored_bytes;
	double ratio; /* ratio of the two; 0: not compressed, or no data */

	const char *machine, *recorder; /* NULL: unknown */
	const char *clock;		/* clock of the top-level buffer */
	const char *clocks;		/* all clocks of the machine, the chosen one in [] */
	uint32_t tsc_mult, tsc_shift;	/* mult 0: none */
	bool has_date;
	int64_t date_us, time_offset;
	/* 0: none; peer_id is the host with which this guest was synchronised */
	uint64_t trace_id, peer_id;
	uint32_t n_peer_cpus, n_peer_samples;
	const char **hooks;
	size_t n_hooks;
	struct info_guest *guests;
	size_t n_guests;
	struct info_maps *maps;
	size_t n_maps;
	/* kinds of recorded data that the events show: tracers, markers, stacks */
	const char **seen;
	size_t n_seen;

	size_t n_formats, n_systems, n_printk, n_cmdlines;
	uint64_t n_symbol_bytes; /* uncompressed size of the symbols' text */
	bool symbols_counted;
	size_t n_symbols;
	uint32_t n_machine_cpus;

	bool counted; /* if false, the next members are unknown, and this is the reason: */
	const char *why_not_counted;
	uint64_t n_events, n_uncounted; /* n_uncounted: events of tasks above the limit */
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
