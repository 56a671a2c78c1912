/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampling.h - samples of a recording: from perf events to the buffer "perf" of a trace file.
 *
 *	sampling_open        checks what is wanted; opens nothing yet
 *	sampling_attach      opens the events, with all capabilities of root; the command waits
 *	sampling_start       a thread reads the rings; samples go into a buffer of a growing file
 *	sampling_update      now and then: names of functions; sampling_add_new_symbols
 *	sampling_stop        all samples are in the file
 *	sampling_add_…       names and the option for the file's end; sampling_get_sum
 *	sampling_close
 */
#ifndef SONDE_CAPTURE_PERF_SAMPLING_H
#define SONDE_CAPTURE_PERF_SAMPLING_H

#include "capture/perf/samplesource.h"

struct errmsg;
struct livefile;
struct processes;
struct sampling;
struct textbuf;

/* Capabilities that the reader keeps (privileges.h): it opens files of other processes. */
#define SAMPLING_POWERS	     (UINT64_C(1) << 40) /* CAP_CHECKPOINT_RESTORE */
#define SAMPLING_RATE	     997u /* default, samples a second; prime, see the man page */
#define SAMPLING_STACK_BYTES 8192u
#define SAMPLING_STACK_MAX   65528u /* what the kernel allows */

/* What to sample, as plain data. */
struct sampling_config {
	struct perfevents *events; /* none: cycles, or cpu-clock; the caller keeps them */
	uint64_t rate, period;	   /* 0 and 0: SAMPLING_RATE */
	enum samplestacks stacks;
	uint32_t stack_bytes; /* 0: SAMPLING_STACK_BYTES */
	bool has_off_cpu;
	uint64_t off_cpu_min_ns;
	bool no_inherit;
	/* processes with all their threads, and single threads; none, without a command: all */
	const int *pids, *tids;
	size_t n_pids, n_tids;
	const int *cpus; /* none: all */
	size_t n_cpus;
	bool is_everywhere; /* all processes, even if there is a command */
	bool is_alone;	    /* the file has no symbols of the kernel */
	bool is_live;	    /* symbols are for a reader that looks up whole places, not functions */
	size_t ring_bytes;  /* 0: choose */
	/* counters beside the samples (samplecounters.h); NULL or empty: none */
	const struct perfevents *counters;
	unsigned counter_ms; /* between two values; 0: choose */
	bool only_counters;  /* no samples */
};

struct sampling_sum {
	uint64_t n_samples, n_lost, n_waits;
	uint64_t n_counted;   /* values of counters */
	uint64_t n_throttled; /* times that the kernel paused an event because of its rate */
	uint64_t n_cut;	      /* stacks with more than SAMPLEEVENTS_STACK_MAX places */
	uint64_t n_late, n_odd;
	size_t n_places, n_unnamed, n_files;
	uint64_t reader_ns; /* CPU time of the reader */
	double sample_ns;   /* what a sample costs the program; 0: unknown */
	uint64_t rate;	    /* in effect: the kernel has a limit; 0: by period */
	bool is_only_user;  /* the rights were not enough for the kernel */
	bool is_filtered;   /* too many threads: all were sampled, and those of others dropped */
	bool is_clock;	    /* the machine has no cycles, so cpu-clock was sampled */
	size_t ring_bytes;
	size_t n_gone; /* threads that ended before they could be sampled */
};

int sampling_open(struct sampling **ret, const struct sampling_config *config, struct errmsg *err);

/*
 * What an address in code that sonde has put into a program stands for: `function`, of n_bytes in
 * the process; 0: unknown. is_return: the address stands where the function's return address was.
 * is_moved: it is an instruction of the function. Else the code is sonde's own.
 */
struct sampling_hook {
	uint64_t function, n_bytes;
	bool is_return, is_moved;
};
/* inode: of the mapped file. A return address comes as it is in a stack, minus 1. */
typedef bool sampling_finder(void *ctx, uint64_t inode, uint64_t offset, struct sampling_hook *ret);
/* Before the start. find is called by the thread that reads, until sampling_stop(). */
void sampling_set_finder(struct sampling *s, sampling_finder *find, void *ctx);

/*
 * command: the process of the command, before its exec; 0: none. If processes are chosen, or all,
 * it is not sampled, or not alone: the recording lasts until it ends.
 */
int sampling_attach(struct sampling *s, int command, struct errmsg *err);

/* Formats of the events, for the file's start. After sampling_attach(). */
void sampling_add_formats(const struct sampling *s, struct textbuf *tb);
/* The buffer of the file; its index. */
int sampling_add_buffer(struct livefile *file, unsigned n_cpus, uint32_t page_size,
			uint64_t max_bytes, struct errmsg *err);
/* Starts. Events of a command count from its exec on, all others now. */
int sampling_start(struct sampling *s, struct livefile *file, int buffer, unsigned n_cpus,
		   uint32_t page_size, struct errmsg *err);
/*
 * Instead of sampling_start(), for a trace that is read while it is written: pages go to take().
 * The caller's thread calls sampling_read(), which returns how many microseconds to wait before the
 * next call, or a negative errno; is_last: everything is read.
 */
typedef int sampling_taker(void *ctx, unsigned cpu, const void *page, size_t n_bytes);
int sampling_start_live(struct sampling *s, sampling_taker *take, void *ctx, unsigned n_cpus,
			uint32_t page_size, struct errmsg *err);
int sampling_read(struct sampling *s, bool is_last);

/* Becomes readable when the recording cannot continue. */
int sampling_fd(const struct sampling *s);
/* All sampled processes have ended; false if CPUs are sampled. Any thread. */
bool sampling_is_over(const struct sampling *s);
/* Samples and values of counters. */
uint64_t sampling_n_samples(const struct sampling *s);
uint64_t sampling_n_lost(const struct sampling *s);
/* One thread, at any time: adds lines of kallsyms from byte *from on. */
void sampling_add_new_symbols(struct sampling *s, size_t *from, struct textbuf *tb);
/* At any time and in any thread: "PID NAME" lines. */
void sampling_add_names(struct sampling *s, struct textbuf *tb);

/* Returns the failure of the recording, if there was one. A second call does nothing else. */
int sampling_stop(struct sampling *s, struct errmsg *err);

/* After sampling_stop(). */
void sampling_add_symbols(struct sampling *s, struct textbuf *tb);
void sampling_add_processes(struct sampling *s, struct processes *p);
/* Before the start and after the stop: SNF_OPTION_SAMPLES. */
int sampling_add_option(struct sampling *s, struct livefile *file, struct errmsg *err);
void sampling_fmt_option(struct sampling *s, struct textbuf *tb);
void sampling_get_sum(struct sampling *s, struct sampling_sum *ret);
/* s may be NULL. */
void sampling_close(struct sampling *s);

#endif
