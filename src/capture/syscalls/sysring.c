// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sysring.c - the reader's side of a BPF ring buffer (BPF_MAP_TYPE_RINGBUF, Linux 5.8).
 *
 *	┌ consumer page ┐┌ producer page ┐┌ data ──────────────┐┌ the same data ─────┐
 *	  position, ours   position         [header][record]…      a record never wraps
 *
 * A header has the length of the record, a bit for "not written yet" and one for "discarded". The
 * reader moves its position after a few thousand records, not after each: the page is shared with
 * all writers.
 */
#include "capture/syscalls/sysring.h"

#include "base/errmsg.h"
#include "capture/bpf/bpf.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#define RELEASE_BYTES (256u << 10)

int sysring_open(struct sysring *r, const struct bpf_table *table, struct errmsg *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, table->fd, 0), *rest;

	if (consumer == MAP_FAILED)
		return errmsg_set_errno(err, -errno, "cannot map the ring of system calls");
	rest = mmap(NULL, page + 2 * (size_t)table->n_rows, PROT_READ, MAP_SHARED, table->fd,
		    (off_t)page);
	if (rest == MAP_FAILED) {
		int r2 = -errno;

		munmap(consumer, page);
		return errmsg_set_errno(err, r2, "cannot map the ring of system calls");
	}
	*r = (struct sysring){consumer, rest, (const uint8_t *)rest + page, table->n_rows, page};
	return 0;
}

void sysring_close(struct sysring *r)
{
	if (!r->consumer)
		return;
	munmap(r->consumer, r->page_bytes);
	munmap((void *)r->producer, r->page_bytes + 2 * r->n_bytes);
	*r = (struct sysring){0};
}

int sysring_read(struct sysring *r, unsigned n_max,
		 int (*visit)(void *ctx, const void *record, size_t n_bytes), void *ctx)
{
	unsigned long at = *r->consumer, released = at;
	int n = 0, code = 0;

	while ((unsigned)n < n_max && code >= 0 &&
	       at < __atomic_load_n(r->producer, __ATOMIC_ACQUIRE)) {
		const uint8_t *p = r->data + (at & (r->n_bytes - 1));
		uint32_t head = __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE);
		uint32_t len = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (head & BPF_RINGBUF_BUSY_BIT)
			break;
		if (!(head & BPF_RINGBUF_DISCARD_BIT)) {
			code = visit(ctx, p + BPF_RINGBUF_HDR_SZ, len);
			n++;
		}
		at += (len + BPF_RINGBUF_HDR_SZ + 7) & ~7ul;
		if (at - released >= RELEASE_BYTES) {
			__atomic_store_n(r->consumer, at, __ATOMIC_RELEASE);
			released = at;
		}
	}
	__atomic_store_n(r->consumer, at, __ATOMIC_RELEASE);
	return code < 0 ? code : n;
}
