// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filter_glob.c - compiles a pattern with *, ? and [a-z] into BPF code that matches a text.
 *
 *	b?s*h     characters  b ? s h          bits 0 1 2 3, bit 4: the end, bit 5: after the end
 *	          stars: bit 3 may stay for any character
 *
 * The program keeps the possible positions in the pattern as bits: bit 0 at first. For each
 * character of the text, every bit whose pattern character matches moves to the next position, and
 * a bit at a star stays:
 *
 *	at = (at & masks[character]) << 1 | (at & stars[character])
 *
 * The NUL moves the end bit to the next position, where it stays; no other star matches the NUL. So
 * the loop needs a test only after every eighth character. This reduces the work of the kernel's
 * verifier, which follows all rounds of a loop, and for every jump the rest of the program.
 *
 * Masks, stars and the first `at` are in a table of one row. The verifier must not know the first
 * `at`; otherwise it would track all values that `at` can have. Texts that do not fit on the stack
 * are read in pieces: only `at` has to be kept.
 *
 *	[!a-c]    any other character. Without its ] the [ is literal, and so is one after a \
 *
 * Kernels (6.1) let [!a-c] match the end of the text and continue after it; this code does not.
 */
#include "capture/bpf/filter_int.h"

#include "base/errmsg.h"
#include "base/scope.h"

#include <errno.h>
#include <string.h>

#define CHARACTERS 256
#define ROUND	   8
#define PIECE	   240
#define PIECES	   18 /* enough for the longest text in the kernel's events, 4095 bytes */

enum { R0, R1, R2, R3, R4, R5, R8 = 8, R9, STACK };

/*
 * --- the pattern -------------------------------------------------------------------------------
 */

struct row {
	uint64_t masks[CHARACTERS], stars[CHARACTERS], first;
};

struct glob {
	struct row row;
	uint64_t stars;
	unsigned n;
};

static int add(struct glob *g, unsigned char from, unsigned char to)
{
	if (g->n == BPFFILTER_GLOB_MAX)
		return -E2BIG;
	for (unsigned c = 1; c < CHARACTERS; c++)
		if (c >= from && c <= to)
			g->row.masks[c] |= UINT64_C(1) << g->n;
	g->n++;
	return 0;
}

/* Parses a class after a [. Returns its end, or NULL if it is none. */
static const char *add_class(struct glob *g, const char *p)
{
	bool is_not = *p == '!', has[CHARACTERS] = {false};

	p += is_not;
	do {
		unsigned char from = (unsigned char)*p++, to = from;

		if (!from)
			return NULL;
		if (p[0] == '-' && p[1] != ']') {
			to = (unsigned char)p[1];
			p += 2;
			if (!to)
				return NULL;
		}
		for (unsigned c = from; c <= to; c++)
			has[c] = true;
	} while (*p != ']');
	if (g->n == BPFFILTER_GLOB_MAX)
		return p + 1;
	for (unsigned c = 1; c < CHARACTERS; c++)
		if (has[c] != is_not)
			g->row.masks[c] |= UINT64_C(1) << g->n;
	g->n++;
	return p + 1;
}

static int add_pattern(struct glob *g, const char *p)
{
	while (*p) {
		const char *end;
		unsigned char c = (unsigned char)*p++;

		if (g->n == BPFFILTER_GLOB_MAX)
			return -E2BIG;
		if (c == '*') {
			g->stars |= UINT64_C(1) << g->n;
		} else if (c == '?') {
			TRY(add(g, 1, 255));
		} else if (c == '[' && (end = add_class(g, p))) {
			p = end;
		} else {
			if (c == '\\')
				c = (unsigned char)*p++;
			if (!c) /* ignore a \ at the end */
				return 0;
			TRY(add(g, c, c));
		}
	}
	return 0;
}

int bpffilter_glob(struct bpffilter_node *n, bool star_before, bool is_plain, bool star_behind,
		   struct errmsg *err)
{
	struct glob g = {.stars = star_before};
	uint32_t key = 0;
	int r = 0;

	if (is_plain)
		for (size_t i = 0; i < n->len && r >= 0; i++)
			r = add(&g, (unsigned char)n->pattern[i], (unsigned char)n->pattern[i]);
	else
		r = add_pattern(&g, n->pattern);
	if (r < 0)
		return errmsg_set(err, -ENOTSUP, "the pattern '%s' is too long for a BPF program",
				  n->pattern);
	n->end = UINT64_C(3) << g.n;
	g.stars |= UINT64_C(2) << g.n | (uint64_t)star_behind << g.n;
	for (unsigned c = 1; c < CHARACTERS; c++)
		g.row.stars[c] = g.stars;
	g.row.masks[0] = UINT64_C(1) << g.n;
	g.row.stars[0] = UINT64_C(2) << g.n;
	g.row.first = 1;
	n->masks = (struct bpf_table){.type = BPF_MAP_TYPE_ARRAY,
				      .n_key_bytes = sizeof(key),
				      .n_value_bytes = sizeof(g.row),
				      .n_rows = 1,
				      .fd = -1};
	r = bpf_make_table(&n->masks, err);
	if (r >= 0)
		r = bpf_write_row(&n->masks, &key, &g.row);
	return r < 0 ? errmsg_set_errno(err, r, "cannot store the pattern '%s'", n->pattern) : 0;
}

/*
 * --- the program -------------------------------------------------------------------------------
 */

/*
 * Emits a jump out of the loop. The verifier first follows the instructions after a jump, here the
 * way out of the loop. So in each round it knows that path already, and does not follow the rest of
 * the program again.
 */
static void emit_leave_if_zero(struct bpfcode *c, int reg, unsigned out)
{
	unsigned on = bpfcode_label(c);

	bpfcode_jump_if(c, BPF_JNE, reg, 0, on);
	bpfcode_jump(c, out);
	bpfcode_place(c, on);
}

/* Emits the step for one character. r2 is the base of the offset. */
static void emit_character(struct bpfcode *c, int at)
{
	bpfcode_load(c, BPF_B, R3, R2, at);
	bpfcode_alu_number(c, BPF_LSH, R3, 3);
	bpfcode_move(c, R5, R0);
	bpfcode_alu(c, BPF_ADD, R5, R3);
	bpfcode_load(c, BPF_DW, R3, R5, offsetof(struct row, masks));
	bpfcode_load(c, BPF_DW, R4, R5, offsetof(struct row, stars));
	bpfcode_alu(c, BPF_AND, R3, R9);
	bpfcode_alu_number(c, BPF_LSH, R3, 1);
	bpfcode_alu(c, BPF_AND, R9, R4);
	bpfcode_alu(c, BPF_OR, R9, R3);
}

/* Matches the text on the stack. Jumps to `end` after its NUL. */
static void emit_piece(struct bpfcode *c, const struct bpffilter_node *n, int at, int n_bytes,
		       unsigned end)
{
	unsigned again = bpfcode_label(c);

	bpfcode_set_row(c, R0, n->masks.fd);
	bpfcode_set(c, R1, 0);
	bpfcode_place(c, again);
	bpfcode_move(c, R2, STACK);
	bpfcode_alu(c, BPF_ADD, R2, R1);
	for (int i = 0; i < ROUND; i++)
		emit_character(c, at + i);
	emit_leave_if_zero(c, R9, end);
	bpfcode_load(c, BPF_B, R3, R2, at + ROUND - 1);
	emit_leave_if_zero(c, R3, end);
	bpfcode_alu_number(c, BPF_ADD, R1, ROUND);
	bpfcode_jump_if(c, BPF_JLT, R1, n_bytes, again);
}

void bpffilter_emit_fault(struct bpfcode *c, int at, unsigned fault)
{
	bpfcode_load(c, BPF_H, R1, STACK, at);
	bpfcode_jump_if(c, BPF_JEQ, R1,
			__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? BPFPROGRAM_TEXT_FAULT << 8
								  : BPFPROGRAM_TEXT_FAULT,
			fault);
}

/* Emits code that reads the text. Its address is in BPFPROGRAM_NUMBER. */
static void emit_read(struct bpfcode *c, const struct bpffilter_node *n, const struct bpfsource *s,
		      int at, unsigned fault)
{
	bool may_fault = n->field.kind == BPFFILTER_FAR || n->field.kind == BPFFILTER_PROBED;

	if (c->may_sleep) {
		bpfprogram_put_text(c, s, at);
		if (may_fault)
			bpffilter_emit_fault(c, at, fault);
		return;
	}
	for (int i = 0; i < PIECE + ROUND && i < s->n_bytes; i += ROUND)
		bpfcode_store_number(c, BPF_DW, STACK, at + i, 0);
	bpfprogram_read_text(c, s, at);
	if (may_fault)
		bpfcode_jump_if(c, BPF_JSLT, R0, 0, fault);
}

static void emit_pieces(struct bpfcode *c, const struct bpffilter_node *n, int at, unsigned fault,
			unsigned end)
{
	struct bpfsource s = n->field.source;
	unsigned again = bpfcode_label(c);

	if (s.n_bytes < PIECE + ROUND) {
		emit_read(c, n, &s, at, fault);
		return emit_piece(c, n, at, s.n_bytes, end);
	}
	s.n_bytes = PIECE + ROUND;
	bpfcode_set(c, R8, 0);
	bpfcode_place(c, again);
	emit_read(c, n, &s, at, fault);
	emit_piece(c, n, at, PIECE, end);
	bpfcode_alu_number(c, BPF_ADD, BPFPROGRAM_NUMBER, PIECE);
	bpfcode_alu_number(c, BPF_ADD, R8, 1);
	bpfcode_jump_if(c, BPF_JLT, R8, PIECES, again);
}

void bpffilter_emit_glob(struct bpfcode *c, const struct bpffilter_node *n, int at, unsigned fault)
{
	const struct bpfsource *s = &n->field.source;
	unsigned end = bpfcode_label(c);

	if (s->kind == BPFSOURCE_COMM)
		bpfprogram_put_source(c, s, at);
	else
		bpfprogram_find_text(c, s);
	bpfcode_set_row(c, R1, n->masks.fd);
	bpfcode_load(c, BPF_DW, R9, R1, offsetof(struct row, first));
	if (s->kind == BPFSOURCE_COMM)
		emit_piece(c, n, at, BPFPROGRAM_COMM_BYTES, end);
	else
		emit_pieces(c, n, at, fault, end);
	bpfcode_place(c, end);
	bpfcode_set_wide(c, R1, n->end);
	bpfcode_alu(c, BPF_AND, R9, R1);
}
