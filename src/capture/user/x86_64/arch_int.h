/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch_int.h - shared by the files for x86-64: code that moves elsewhere.
 */
#ifndef SONDE_CAPTURE_USER_X86_64_ARCH_INT_H
#define SONDE_CAPTURE_USER_X86_64_ARCH_INT_H

#include "capture/user/image_int.h"
#include "format/bytes.h"
#include "symbols/insn/instruction.h"

#define JUMP_BYTES	 5 /* jmp rel32 */
#define SHORT_JUMP_BYTES 2 /* jmp rel8 */
#define WHOLE_MAX_BYTES	 512
#define MOVED_MAX	 (WHOLE_MAX_BYTES + 16) /* instructions have at least one byte */

/* Instructions that move from their place to a body. */
struct moved {
	const struct userimage *img;
	uint64_t address; /* of the first one */
	const uint8_t *code;
	unsigned n, n_bytes;
	uint16_t at[MOVED_MAX + 1];	/* where each is, from `address` on; then n_bytes */
	uint16_t new_at[MOVED_MAX + 1]; /* where it will be in the body */
	struct x86_parts parts[MOVED_MAX];
};

/* --- x86_64/start.c --- */

uint64_t x86_find_main(const struct userimage *img);

/* --- x86_64/move.c --- */

/*
 * Takes whole instructions until at least n_bytes are covered, none behind `end`. USERIMAGE_SHORT:
 * `end` comes first; what is there has been taken.
 */
enum userimage_why moved_take(struct moved *m, const struct userimage *img, uint64_t address,
			      uint64_t end, unsigned n_bytes);
/* Can they move, if the first n_patched bytes are overwritten? Then also places them. */
enum userimage_why moved_check(struct moved *m, unsigned n_patched, bool calls_may_move);
/* Whether something comes behind the last one. */
bool moved_is_open(const struct moved *m);
/* Where the instruction at an old address is in the body; -1: none begins there. */
int moved_place(const struct moved *m, uint64_t address);
/* The length of the body; 0: nothing is left of it but the jump back. */
unsigned moved_body_bytes(const struct moved *m);
/* Writes the body; place->bias is added to the file's addresses. body: its final address. */
void moved_emit(const struct moved *m, const struct userimage_place *place, uint64_t body,
		uint8_t *out);

/* Does the instruction call mcount or __fentry__? */
bool x86_calls_counter(const struct userimage *img, uint64_t address, const uint8_t *code,
		       const struct x86_parts *parts);

/* --- x86_64/sieve.c --- */

/* Finds what may be a direct branch to marked bytes. */
struct sieve {
	/* the opcode is at `at`; for jcc rel32 its first byte is 0f */
	void (*visit)(void *ctx, uint64_t at, uint64_t target, uint8_t opcode);
	void *ctx;
	uint8_t *bits; /* one for each byte of the text */
	uint64_t begin, n_bytes;
	uint64_t *starts;      /* by address: marked bytes are among 5 from such a place on */
	size_t n_starts, near; /* the first one that a short branch reaches */
	uint64_t own_start;    /* one more target */
	bool with_lea;	       /* lea counts as a branch */
};

/* Nothing is marked; -ENOMEM. */
int sieve_init(struct sieve *s, const struct userimage *img);
void sieve_release(struct sieve *s);
void sieve_mark(struct sieve *s, uint64_t address);
void sieve_add(struct sieve *s, uint64_t start);
void sieve_run(struct sieve *s, const struct userimage *img, uint64_t begin, uint64_t end);

static inline bool sieve_has(const struct sieve *s, uint64_t address)
{
	uint64_t at = address - s->begin;

	return at < s->n_bytes && s->bits[at / 8] >> at % 8 & 1;
}

/* --- x86_64/scan.c --- */

/* The search for branches into first bytes. */
struct scan {
	struct userimage *img;
	struct sieve sieve; /* its bits: first bytes of functions, without the very first */
	uint32_t owner;	    /* the function in which the scan is */
	uint64_t decoded;   /* an instruction begins here; how far it has been decoded */
	bool is_lost;	    /* cannot be decoded any more */
	size_t n_read;	    /* numbers of tables */
	int error;
};

int x86_scan(struct userimage *img);

/* --- x86_64/tables.c --- */

/* Adds what data leads to. */
void x86_scan_tables(struct scan *s);
/* Every address in data; from: where it is. */
void x86_each_address(const struct userimage *img,
		      void (*visit)(void *ctx, uint64_t from, uint64_t address), void *ctx);

/* --- x86_64/proof.c --- */

int x86_prove(struct userimage *img);

/* --- x86_64/points.c --- */

enum userimage_why x86_plan_points(struct userimage *img, size_t index, bool is_fragment);

static inline int32_t x86_get32(const uint8_t *p)
{
	return (int32_t)bytes_get32(p, bytes_host_is_big());
}

#endif
