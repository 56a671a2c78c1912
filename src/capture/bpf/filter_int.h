/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_int.h - a parsed filter, shared by the files that parse it and generate programs from it.
 *
 *  a == 1 && !(b & 2 || c ~ "x*")        nodes:  0 a   1 b   2 c  3 1||2  4 not 3  5 0&&4, the root
 */
#ifndef SONDE_CAPTURE_BPF_FILTER_INT_H
#define SONDE_CAPTURE_BPF_FILTER_INT_H

#include "capture/bpf/bpf.h"
#include "capture/bpf/filter.h"

#define BPFFILTER_NODES_MAX   128
#define BPFFILTER_PATTERN_MAX 254
#define BPFFILTER_GLOB_MAX    62 /* characters of a glob, not counting its stars */

enum bpffilter_op {
	FILTER_EQ,
	FILTER_NE,
	FILTER_LE,
	FILTER_LT,
	FILTER_GE,
	FILTER_GT,
	FILTER_AND, /* true if at least one of the bits is set */
	FILTER_GLOB
};

/* The ways to compare a text. */
enum bpffilter_match {
	MATCH_FULL,
	MATCH_FRONT,
	/* in an array: compares the bytes before the last one, as the kernel does */
	MATCH_BEFORE_LAST,
	MATCH_ALL,
	MATCH_GLOB
};

struct bpffilter_node {
	enum { NODE_TEST, NODE_ALL, NODE_ANY, NODE_NOT } kind;
	uint16_t left, right; /* NODE_NOT uses only left */
	/* members of a test */
	struct bpffilter_field field;
	enum bpffilter_op op;
	uint64_t number; /* converted to the size and sign of the field */
	enum bpffilter_match match;
	bool is_not;	  /* the test is true if the text does not match */
	bool has_instead; /* the text that replaces an unreadable one matches */
	char pattern[BPFFILTER_PATTERN_MAX + 1];
	size_t len;
	/* for MATCH_GLOB: filter_glob.c */
	struct bpf_table masks;
	uint64_t end; /* the bits that are set if the text matches */
};

struct bpffilter {
	struct bpffilter_node nodes[BPFFILTER_NODES_MAX];
	size_t n_nodes;
	uint16_t root;
};

/* filter_glob.c */

/*
 * Makes the masks of the pattern, optionally with a star before and after it. Returns -E2BIG if it
 * is too long.
 */
int bpffilter_glob(struct bpffilter_node *n, bool star_before, bool is_plain, bool star_behind,
		   struct errmsg *err);
/* Jumps to the label if the text could not be read (program.h). */
void bpffilter_emit_fault(struct bpfcode *c, int at, unsigned fault);
/*
 * Emits code that sets r9 to nonzero if the text of the field matches. The code jumps to the label
 * if a text in other memory cannot be read.
 */
void bpffilter_emit_glob(struct bpfcode *c, const struct bpffilter_node *n, int at, unsigned fault);

#endif
