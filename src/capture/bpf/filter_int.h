/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_int.h - a filter that was read, shared by the files that read it and write programs of it.
 *
 *	a == 1 && !(b & 2 || c ~ "x*")        nodes:  0 a   1 b   2 c   3 1||2   4 not 3   5 0&&4, the root
 */
#ifndef SONDE_CAPTURE_BPF_FILTER_INT_H
#define SONDE_CAPTURE_BPF_FILTER_INT_H

#include "capture/bpf/bpf.h"
#include "capture/bpf/filter.h"

#define BPFFILTER_NODES_MAX   128
#define BPFFILTER_PATTERN_MAX 254
#define BPFFILTER_GLOB_MAX    62 /* characters of a glob that are none of its stars */

enum bpffilter_op {
	FILTER_EQ,
	FILTER_NE,
	FILTER_LE,
	FILTER_LT,
	FILTER_GE,
	FILTER_GT,
	FILTER_AND, /* some of the bits */
	FILTER_GLOB
};

/* How a text is compared. */
enum bpffilter_match {
	MATCH_FULL,
	MATCH_FRONT,
	MATCH_BEFORE_LAST, /* of an array: the bytes before its last one, as the kernel has it */
	MATCH_ALL,
	MATCH_GLOB
};

struct bpffilter_node {
	enum { NODE_TEST, NODE_ALL, NODE_ANY, NODE_NOT } kind;
	uint16_t left, right; /* … or of NODE_NOT left alone */
	/* of a test */
	struct bpffilter_field field;
	enum bpffilter_op op;
	uint64_t number; /* as the field has it: cut to its size, with its sign */
	enum bpffilter_match match;
	bool is_not;	  /* true where the text does not match */
	bool has_instead; /* does what is taken for one that cannot be read? */
	char pattern[BPFFILTER_PATTERN_MAX + 1];
	size_t len;
	/* MATCH_GLOB: filter_glob.c */
	struct bpf_table masks;
	uint64_t end; /* the bits that it has come to, if it matches */
};

struct bpffilter {
	struct bpffilter_node nodes[BPFFILTER_NODES_MAX];
	size_t n_nodes;
	uint16_t root;
};

/* filter_glob.c */

/* The masks of the pattern, with a star before and behind it. -E2BIG: it is too long. */
int bpffilter_glob(struct bpffilter_node *n, bool star_before, bool is_plain, bool star_behind,
		   struct errmsg *err);
/* Goes to the label if the text there is one that could not be read (program.h). */
void bpffilter_emit_fault(struct bpfcode *c, int at, unsigned fault);
/* r9 is not 0 if the text of the field matches; of one elsewhere that cannot be read, it goes to the label. */
void bpffilter_emit_glob(struct bpfcode *c, const struct bpffilter_node *n, int at, unsigned fault);

#endif
