// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_syscalltext.c - records of system calls that no kernel wrote, printed in every way.
 *
 *	input:  how the text looks, one byte; records, each a length of two bytes and its bytes
 *
 * A record lies in memory of exactly its size. The parts of the text must lie in it, and a record
 * that the decoder cannot read must not stop it.
 */
#include "base/textbuf.h"
#include "decode/syscalls/syscalltext.h"
#include "store/events/syscallevents.h"

#include <linux/audit.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static int find_path(void *arg, int32_t tgid, int fd, char *path, size_t n)
{
	(void)arg;
	(void)tgid;
	if (fd & 1 || n < 4)
		return -1;
	memcpy(path, "/x/y", 4);
	return 4;
}

static size_t find_comm(int pid, char *buf, size_t size)
{
	if (pid & 1 || size < 4)
		return 0;
	memcpy(buf, "<\\\1a", 4);
	return 4;
}

/* Numbers that mean something are more telling than random ones. */
static void mend(struct syscallevents_call *c, size_t n)
{
	if (n < SYSCALLEVENTS_CALL_BYTES)
		return;
	c->nr %= 600;
	c->machine = c->machine & 1   ? AUDIT_ARCH_AARCH64
		     : c->machine & 6 ? AUDIT_ARCH_X86_64
				      : c->machine;
	c->type = SYSCALLEVENTS_CALL + (c->type & 7) % 5;
	if (c->flags & 1)
		c->memory_loc = SYSCALLEVENTS_CALL_BYTES | (uint32_t)(n - SYSCALLEVENTS_CALL_BYTES)
								   << 16;
	for (unsigned i = 0; c->flags & 2 && i < 6; i++)
		c->args[i] &= 0x3fff;
}

static void print(struct syscalltext *t, const struct syscallevents_call *c, size_t n,
		  struct textbuf *tb)
{
	struct syscalltext_parts parts;
	const char *name;

	textbuf_clear(tb);
	syscalltext_see_child(t, c, n);
	syscalltext_see_name(t, c, n);
	syscalltext_fmt_comm(t, n < SYSCALLEVENTS_CALL_BYTES ? 1 : c->pid, tb);
	textbuf_clear(tb);
	syscalltext_fmt_dump(t, c, n, tb);
	textbuf_clear(tb);
	syscalltext_fmt(t, c, n, tb, &parts);
	check(parts.n_name <= parts.n_args || !parts.n_args);
	check(tb->overflow || parts.n_args <= textbuf_len(tb));
	check(tb->overflow || parts.n_entry <= textbuf_len(tb));
	for (unsigned i = 0; i < 7; i++) {
		textbuf_clear(tb);
		syscalltext_fmt_arg(t, c, n, i, tb, &name);
	}
	textbuf_clear(tb);
	syscalltext_fmt_result(t, c, n, tb);
	syscalltext_see(t, c, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct syscalltext_options o = {.find_path = find_path, .find_comm = find_comm};
	uint64_t fds[SYSCALLTEXT_FDS / 64];
	struct syscalltext *t = NULL;
	struct textbuf tb;

	if (!size)
		return 0;
	o.constants = data[0] & 3;
	o.verbose = data[0] & 4;
	o.hex_strings = data[0] >> 3 & 3;
	o.paths = data[0] >> 5 & 3;
	o.comms = data[0] & 1;
	memset(fds, 0xff, sizeof(fds));
	o.dumped_reads = o.dumped_writes = fds;
	o.string_limit = data[0] & 0x80 ? 1000 : 0;
	if (syscalltext_new(&t, &o) < 0)
		return 0;
	textbuf_init(&tb, 1 << 20);
	for (size_t pos = 1; size - pos >= 2;) {
		size_t n = data[pos] | (size_t)data[pos + 1] << 8;
		struct syscallevents_call *c;

		pos += 2;
		if (n > size - pos)
			n = size - pos;
		c = malloc(n ? n : 1);
		memcpy(c, data + pos, n);
		mend(c, n);
		print(t, c, n, &tb);
		free(c);
		pos += n;
	}
	textbuf_release(&tb);
	syscalltext_free(t);
	return 0;
}
