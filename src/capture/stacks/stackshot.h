/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stackshot.h - the kernel and user stacks of the threads of a process, with names and source
 * lines.
 *
 * A shot owns all its texts; stackshot_free(). Threads: a shot belongs to one.
 */
#ifndef SONDE_CAPTURE_STACKS_STACKSHOT_H
#define SONDE_CAPTURE_STACKS_STACKSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct errmsg;
struct stackshot;

struct stackshot_frame {
	uint64_t address;
	const char *function; /* NULL: unknown */
	uint64_t offset;      /* in the function, if its symbol is known and no line */
	const char *file;     /* of the source; NULL: unknown */
	unsigned line;	      /* 0: unknown */
	const char *module;   /* the mapped file; NULL: unknown */
	bool is_inlined;      /* into the next frame */
};

struct stackshot_thread {
	pid_t tid;
	char comm[32];
	char state;	    /* R S D T t Z … */
	const char *kernel; /* lines "[<0>] function+0x12/0x90"; NULL: no rights, or none */
	int kernel_why;	    /* negative errno if kernel is NULL */
	const struct stackshot_frame *frames;
	size_t n_frames;
	int why; /* 0, or why there are no user frames: see threadstops.h */
	bool is_kernel_thread;
	bool is_cut; /* the user stack is longer, but its copy ends or its rules are unknown */
};

/*
 * Takes the stacks of all threads of pid. If pid is a thread other than the first one: only its.
 * only_kernel: do not stop them. Returns -ESRCH … with a message.
 */
int stackshot_take(struct stackshot **ret, pid_t pid, bool only_kernel, struct errmsg *err);
void stackshot_free(struct stackshot *s);

size_t stackshot_n(const struct stackshot *s);
const struct stackshot_thread *stackshot_at(const struct stackshot *s, size_t i);
/* The process that traces this one already; 0: none. */
pid_t stackshot_tracer(const struct stackshot *s);

#endif
