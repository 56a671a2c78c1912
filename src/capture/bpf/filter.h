/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h - a filter in the kernel's language, as part of a BPF program.
 *
 *	bpffilter_new     parse the text; the caller says where fields come from
 *	bpffilter_emit    in a program: test the filter
 *	bpffilter_free    after the program is loaded
 */
#ifndef SONDE_CAPTURE_BPF_FILTER_H
#define SONDE_CAPTURE_BPF_FILTER_H

#include "capture/bpf/program.h"

struct bpffilter;

/* The kinds of operands, as the kernel's filters see them. */
enum bpffilter_kind {
	BPFFILTER_NUMBER,
	BPFFILTER_CPU,	  /* a number without bit tests: & is never true */
	BPFFILTER_ARRAY,  /* a text in n_bytes; ignore what follows its end */
	BPFFILTER_TEXT,	  /* a text of any length */
	BPFFILTER_FAR,	  /* … in other memory: no test is true if it cannot be read */
	BPFFILTER_PROBED, /* … read by a probe: `instead` replaces one that cannot be read */
};

struct bpffilter_field {
	enum bpffilter_kind kind;
	struct bpfsource source;
	uint32_t n_bytes;
	bool is_signed;
	const char *instead; /* NULL: equal to no text */
};

/*
 * name: the field, with ".ustring" if the filter has it. Returns false if a program cannot read the
 * field.
 */
typedef bool (*bpffilter_find)(void *ctx, const char *name, struct bpffilter_field *ret_field);

/*
 * Returns -ENOTSUP, with a message for users who insist on BPF, if it is not a filter, or not one
 * that a program can test.
 */
int bpffilter_new(struct bpffilter **ret, const char *text, bpffilter_find find, void *ctx,
		  struct errmsg *err);
void bpffilter_free(struct bpffilter *f);

bool bpffilter_needs_task(const struct bpffilter *f);
/*
 * Jumps to the label if the filter is false. Uses all registers except r6, and 264 bytes of the
 * stack from BPFPROGRAM_STACK on.
 */
void bpffilter_emit(struct bpfcode *c, const struct bpffilter *f, unsigned out);

#endif
