// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sysexeced.c - completes the event of execve() with what the new program has in its memory.
 *
 * A child of fork() shares the pages of its parent, but those of files, such as constants of the
 * program, come into its memory when it reads them. The programs in the kernel cannot wait for
 * that. So the name and the strings of execl("/bin/echo", "echo", "x", NULL) can be missing when
 * the call begins; when it ends their memory is gone. But execve() copied them to the stack of the
 * new program.
 *
 *	argv of the call     [0x55d0, 0x55d9, 0]     copied when the call began
 *	the new program      "echo\0x\0"            ─▶ chunks: 0x55d0 "echo", 0x55d9 "x"
 *
 * If the file is a script, the arguments are those of its interpreter, and only the name is taken.
 */
#include "capture/syscalls/sysexeced.h"

#include "capture/syscalls/sysprograms.h"
#include "store/events/syscallevents.h"

#include <linux/audit.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 64
#define CHUNK	  sizeof(struct syscallevents_chunk)

struct sysexeced {
	size_t n_words; /* bytes */
	char name[SYSEXECED_NAME];
	char words[SYSEXECED_WORDS + 1];
};

struct sysexeced *sysexeced_new(const struct sysrecord *r, size_t n_bytes)
{
	const char *memory = (const char *)(r + 1);
	size_t n = n_bytes > sizeof(*r) ? n_bytes - sizeof(*r) : 0;
	struct sysexeced *e = n >= SYSEXECED_NAME && n <= SYSEXECED_NAME + SYSEXECED_WORDS
				      ? calloc(1, sizeof(*e))
				      : NULL;

	if (!e)
		return NULL;
	memcpy(e->name, memory, SYSEXECED_NAME - 1);
	e->n_words = r->ret ? 0 : n - SYSEXECED_NAME;
	memcpy(e->words, memory + SYSEXECED_NAME, e->n_words);
	return e;
}

/* Returns which argument is the name; negative: this is another call, or one of 32 bits. */
static int name_argument(const struct syscallevents_call *call)
{
	switch (call->machine) {
	case AUDIT_ARCH_X86_64:
		return call->nr == 59 ? 0 : call->nr == 322 ? 1 : -1;
	case AUDIT_ARCH_AARCH64:
	case AUDIT_ARCH_RISCV64:
		return call->nr == 221 ? 0 : call->nr == 281 ? 1 : -1;
	default:
		return -1;
	}
}

/* The memory at an address when the call began; NULL: it was not copied. */
static const uint8_t *find(const uint8_t *event, uint32_t n, uint64_t address, size_t *ret_n)
{
	for (uint32_t at = SYSCALLEVENTS_CALL_BYTES; at + CHUNK <= n;) {
		struct syscallevents_chunk c;
		uint64_t skip;

		memcpy(&c, event + at, CHUNK);
		skip = address - c.address;
		if (c.when == SYSCALLEVENTS_AT_ENTRY && skip < c.n_bytes) {
			*ret_n = c.n_bytes - skip;
			return event + at + CHUNK + skip;
		}
		at += (uint32_t)((CHUNK + c.n_bytes + 7) & ~(size_t)7);
	}
	return NULL;
}

/* Adds a string, unless it is known. */
static uint32_t add(uint8_t *event, uint32_t n, uint64_t address, const char *text, size_t max)
{
	size_t len = strnlen(text, max), whole = (CHUNK + len + 1 + 7) & ~(size_t)7, known;
	struct syscallevents_chunk c = {
		.address = address,
		.n_bytes = (uint16_t)(len + (len < max)),
		.when = SYSCALLEVENTS_AT_ENTRY,
		.flags = len < max ? 0 : SYSCALLEVENTS_CUT,
	};

	if (!address || find(event, n, address, &known) ||
	    n + whole > SYSCALLEVENTS_CALL_BYTES + SYSCALLEVENTS_MEMORY_MAX)
		return n;
	memset(event + n, 0, whole);
	memcpy(event + n, &c, CHUNK);
	memcpy(event + n + CHUNK, text, len);
	return n + (uint32_t)((CHUNK + c.n_bytes + 7) & ~(size_t)7);
}

uint32_t sysexeced_fill(const struct sysexeced *e, uint8_t *event, uint32_t n)
{
	const struct syscallevents_call *call = (const struct syscallevents_call *)event;
	int name = name_argument(call);
	uint64_t pointers[WORDS_MAX];
	const uint8_t *array;
	size_t n_array = 0, at = 0;

	if (name < 0 || call->ret)
		return n;
	array = find(event, n, call->args[name + 1], &n_array);
	n_array = n_array / 8 < WORDS_MAX ? n_array / 8 : WORDS_MAX;
	if (array)
		memcpy(pointers, array, n_array * 8);
	/* execveat() has made another name of it */
	if (!name)
		n = add(event, n, call->args[0], e->name, sizeof(e->name) - 1);
	for (size_t i = 0; array && i < n_array && pointers[i] && at < e->n_words; i++) {
		size_t left = e->n_words - at;

		n = add(event, n, pointers[i], e->words + at, left);
		at += strnlen(e->words + at, left) + 1;
	}
	return n;
}
