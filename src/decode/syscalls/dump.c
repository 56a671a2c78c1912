// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * dump.c - the bytes that a call read or wrote, for -e read=FD and -e write=FD.
 *
 *	 | 00000  68 65 6c 6c 6f 0a                                 hello.           |
 *
 * A vector has such lines for each of its pieces, below a line with their number. What was not
 * recorded is told by its length.
 */
#include "base/array.h"
#include "decode/syscalls/text_int.h"
#include "store/events/syscallevents.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#define LINE_BYTES 16
#define PIECES_MAX 1024

enum form {
	BYTES_RETURNED,
	BYTES_GIVEN,
	VECTOR_RETURNED,
	VECTOR_GIVEN,
	MESSAGE_RETURNED,
	MESSAGE_GIVEN
};

/* The buffer is args[1], its length the result or args[2]; the descriptor is args[0]. */
static const struct {
	const char *call;
	enum form form;
} calls[] = {
	{"mq_timedreceive", BYTES_RETURNED},
	{"mq_timedsend", BYTES_GIVEN},
	{"pread64", BYTES_RETURNED},
	{"preadv", VECTOR_RETURNED},
	{"preadv2", VECTOR_RETURNED},
	{"pwrite64", BYTES_GIVEN},
	{"pwritev", VECTOR_GIVEN},
	{"pwritev2", VECTOR_GIVEN},
	{"read", BYTES_RETURNED},
	{"readv", VECTOR_RETURNED},
	{"recvfrom", BYTES_RETURNED},
	{"recvmsg", MESSAGE_RETURNED},
	{"sendmsg", MESSAGE_GIVEN},
	{"sendto", BYTES_GIVEN},
	{"write", BYTES_GIVEN},
	{"writev", VECTOR_GIVEN},
};

static void add_line(struct printing *p, const uint8_t *b, size_t at, size_t n)
{
	textbuf_addf(p->tb, " | %05zx ", at);
	for (size_t i = 0; i < LINE_BYTES; i++) {
		if (i % 8 == 0)
			add(p, " ");
		if (i < n)
			textbuf_addf(p->tb, "%02x ", b[i]);
		else
			add(p, "   ");
	}
	add(p, " ");
	for (size_t i = 0; i < LINE_BYTES; i++)
		textbuf_add_char(p->tb, i < n ? isprint(b[i]) ? (char)b[i] : '.' : ' ');
	add(p, " |\n");
}

static void add_bytes(struct printing *p, uint64_t address, uint64_t n)
{
	uint8_t flags;
	size_t known = 0;
	const uint8_t *b = n ? peek_some(p, address, n, &known, &flags) : NULL;

	for (size_t at = 0; b && at < known; at += LINE_BYTES)
		add_line(p, b + at, at, known - at < LINE_BYTES ? known - at : LINE_BYTES);
	if (known < n)
		textbuf_addf(p->tb, " | %" PRIu64 " bytes were not recorded |\n", n - known);
}

/* n pieces, which have n_bytes altogether. */
static void add_pieces(struct printing *p, uint64_t vector, uint64_t n, uint64_t n_bytes)
{
	for (uint64_t i = 0; i < n && i < PIECES_MAX && n_bytes; i++) {
		const uint8_t *b = peek(p, vector + 16 * i, 16);
		uint64_t len = b ? load64(b + 8) : 0;

		if (!b)
			return;
		len = len < n_bytes ? len : n_bytes;
		n_bytes -= len;
		if (!len)
			continue;
		textbuf_addf(p->tb, " * %" PRIu64 " bytes in buffer %" PRIu64 "\n", len, i);
		add_bytes(p, load64(b), len);
	}
}

static void add_message(struct printing *p, uint64_t n_bytes)
{
	const uint8_t *b = peek(p, arg_of(p, 1), 56);

	if (b)
		add_pieces(p, load64(b + 16), load64(b + 24), n_bytes);
}

static int compare(const void *name, const void *row)
{
	return strcmp(name, *(const char *const *)row);
}

static bool is_chosen(const uint64_t *fds, uint64_t fd)
{
	return fds && fd < SYSCALLTEXT_FDS && fds[fd / 64] >> fd % 64 & 1;
}

void sysdump_fmt(struct printing *p)
{
	const typeof(calls[0]) *c;
	bool returned;

	if ((!p->o->dumped_reads && !p->o->dumped_writes) || !p->type || !p->returned || p->failed)
		return;
	c = bsearch(p->type->name, calls, ARRAY_LEN(calls), sizeof(*calls), compare);
	if (!c)
		return;
	returned = c->form == BYTES_RETURNED || c->form == VECTOR_RETURNED ||
		   c->form == MESSAGE_RETURNED;
	if (!is_chosen(returned ? p->o->dumped_reads : p->o->dumped_writes, (uint32_t)arg_of(p, 0)))
		return;
	p->when = returned ? SYSCALLEVENTS_AT_EXIT : SYSCALLEVENTS_AT_ENTRY;
	switch (c->form) {
	case BYTES_RETURNED:
		add_bytes(p, arg_of(p, 1), (uint64_t)p->call->ret);
		break;
	case BYTES_GIVEN:
		add_bytes(p, arg_of(p, 1), arg_of(p, 2));
		break;
	case VECTOR_RETURNED:
		add_pieces(p, arg_of(p, 1), arg_of(p, 2), (uint64_t)p->call->ret);
		break;
	case VECTOR_GIVEN:
		add_pieces(p, arg_of(p, 1), arg_of(p, 2), UINT64_MAX);
		break;
	case MESSAGE_RETURNED:
		add_message(p, (uint64_t)p->call->ret);
		break;
	case MESSAGE_GIVEN:
		add_message(p, UINT64_MAX);
		break;
	}
}
