/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernel.h - functions and events of the kernel in a uftrace.data directory.
 *
 *	kernel_header    how records look: PAGE_SIZE, LONG_SIZE, ENDIAN, formats of events
 *	kernel-cpuN.dat  sub-buffers of one CPU, as the kernel wrote them
 *
 * A function has the address that uftrace gives it: the lowest 48 bits. One thread.
 */
#ifndef SONDE_ANALYSE_UFTRACE_KERNEL_H
#define SONDE_ANALYSE_UFTRACE_KERNEL_H

#include "base/textbuf.h"
#include "decode/walker.h"
#include "format/uftrace.h"

struct event;
struct formats;
struct printer;
struct uft_values;

struct uft_kernel_cpu {
	const uint8_t *data;
	size_t n_bytes, pos; /* pos: of the next sub-buffer */
	struct walker page;
	bool has_page;
	int64_t missed; /* events before the current sub-buffer; 0: none, or they were shown */
};

struct uft_kernel {
	struct uft_kernel_cpu *cpus;
	size_t n_cpus;
	size_t page_bytes;
	struct page_layout layout;
	struct formats *formats;
	struct printer *printer;
	struct event **events; /* of the header */
	size_t n_events;
	const struct event *entry, *exit;
};

/*
 * A record of a CPU. The bytes of an event are in the file: uft_kernel_print() makes a text of
 * them.
 */
struct uft_kernel_record {
	struct uft_record rec;
	int tid;
	int next_tid; /* of sched_switch: it belongs to that task if the other is none of ours */
	const uint8_t *data;
	uint32_t n_bytes;
};

/*
 * header: the text of kernel_header, which must stay. The caller sets the data of the CPUs.
 * -EINVAL: the header does not describe calls.
 */
int uft_kernel_new(struct uft_kernel **ret, struct piece header, struct piece kallsyms,
		   size_t n_cpus);
void uft_kernel_free(struct uft_kernel *k);

/* From the first record on. */
void uft_kernel_rewind(struct uft_kernel *k);
/* The next record. False: there are no more. */
bool uft_kernel_read(struct uft_kernel *k, size_t cpu, struct uft_kernel_record *ret);
/* Lines "EVENT: ID SYSTEM:NAME", as events.txt has them. */
void uft_kernel_add_names(const struct uft_kernel *k, struct textbuf *tb);
/* The text of an event's data. */
void uft_kernel_print(struct uft_kernel *k, uint64_t id, const struct uft_values *v,
		      struct textbuf *tb);

#endif
