/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exec.h - a BPF program that keeps the command lines of processes that call exec.
 *
 * A process that lives for a millisecond has left /proc before sonde can read it there.
 */
#ifndef SONDE_CAPTURE_BPF_EXEC_H
#define SONDE_CAPTURE_BPF_EXEC_H

#include "capture/bpf/bpf.h"

struct bpfexec {
	bool is_open;
	struct bpf_table table, scratch;
	int program, link;
};

/*
 * Starts the program. From now on the last 8192 processes are kept. A zeroed struct is closed, and
 * closing it does nothing.
 */
int bpfexec_open(struct bpfexec *e, struct errmsg *err);
/*
 * Visits the command lines. words has n_bytes, each word ended by a NUL; 0 bytes mean that they
 * could not be read. Stops when visit returns a negative value.
 */
int bpfexec_each(const struct bpfexec *e,
		 int (*visit)(void *ctx, int tgid, const char *words, size_t n_bytes, bool is_cut),
		 void *ctx, struct errmsg *err);
void bpfexec_close(struct bpfexec *e);

#endif
