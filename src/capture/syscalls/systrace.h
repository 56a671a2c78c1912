/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * systrace.h - system calls of a recording: from the programs in the kernel to the events in the
 * file.
 *
 *	systrace_open        programs in the kernel, which find no task to trace yet (but with
 *	                     all_tasks)
 *	systrace_start       events go into a buffer of a growing file; or systrace_start_live()
 *	systrace_begin       the tasks, from now on
 *	systrace_stop        all events are in the file
 *	systrace_add_…       texts for the file's end; systrace_get_sum
 *	systrace_close
 *
 * Call systrace_open() while sonde has all its rights, and before there are threads.
 */
#ifndef SONDE_CAPTURE_SYSCALLS_SYSTRACE_H
#define SONDE_CAPTURE_SYSCALLS_SYSTRACE_H

#include "capture/syscalls/syscollector.h"
#include "capture/syscalls/sysprograms.h"

struct errmsg;
struct livefile;
struct systrace;
struct textbuf;

#define SYSTRACE_RING_BYTES (32u << 20)
#define SYSTRACE_STRING_MAX 32

struct systrace_sum {
	struct syscollector_sum calls;
	struct sysprograms_counts counts;
};

int systrace_open(struct systrace **ret, const struct sysprograms_config *config,
		  struct errmsg *err);

/* file has been started; buffer: its index, with n_cpus regions of pages of page_size. */
int systrace_start(struct systrace *t, struct livefile *file, int buffer, unsigned n_cpus,
		   uint32_t page_size, struct errmsg *err);
/*
 * For a trace that is read while it is written: pages go to take(). The caller's thread calls
 * systrace_read(): it returns how many microseconds to wait before the next call, or a negative
 * errno. systrace_read_rest() is the last call.
 */
typedef int systrace_taker(void *ctx, unsigned cpu, const void *page, size_t n_bytes);
int systrace_start_live(struct systrace *t, systrace_taker *take, void *ctx, unsigned n_cpus,
			uint32_t page_size, struct errmsg *err);
int systrace_read(struct systrace *t);
int systrace_read_rest(struct systrace *t);

/* Is the command traced although processes are chosen? */
bool systrace_wants_command(const struct systrace *t);
/* Traces a process with its threads, and what they start. Any thread. */
int systrace_begin(struct systrace *t, int pid, struct errmsg *err);
/* Becomes readable when the recording cannot continue. */
int systrace_fd(const struct systrace *t);
/* No more calls are recorded; what is in the ring can still be read. */
void systrace_leave(struct systrace *t);
/* Ends the recording into a file. Returns its failure, if there was one. */
int systrace_stop(struct systrace *t, struct errmsg *err);

/* After the stop: "PID NAME" lines, the file's option, numbers. */
void systrace_add_names(const struct systrace *t, struct textbuf *tb);
int systrace_add_option(struct systrace *t, struct livefile *file, struct errmsg *err);
void systrace_get_sum(const struct systrace *t, struct systrace_sum *ret);
/* t may be NULL. */
void systrace_close(struct systrace *t);

#endif
