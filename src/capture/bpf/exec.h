/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exec.h - the command lines that processes execute, kept by a program in the kernel.
 *
 * A process that lives for a millisecond has left /proc before anybody looks there.
 */
#ifndef SONDE_CAPTURE_BPF_EXEC_H
#define SONDE_CAPTURE_BPF_EXEC_H

#include "capture/bpf/bpf.h"

struct bpfexec {
	bool is_open;
	struct bpf_table table, scratch;
	int program, link;
};

/* Zeroed it is not open, and closing it does nothing. From now on the last 8192 processes are kept. */
int bpfexec_open(struct bpfexec *e, struct errmsg *err);
/* words: n_bytes, a NUL behind each; none: it could not be read. Until visit is negative. */
int bpfexec_each(const struct bpfexec *e,
		 int (*visit)(void *ctx, int tgid, const char *words, size_t n_bytes, bool is_cut),
		 void *ctx, struct errmsg *err);
void bpfexec_close(struct bpfexec *e);

#endif
