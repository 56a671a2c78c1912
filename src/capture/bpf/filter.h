/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h - a filter in the kernel's language, as part of a program in the kernel.
 *
 *	bpffilter_new     from its text; who calls says where fields come from
 *	bpffilter_emit    in a program: is it true here?
 *	bpffilter_free    when the program was loaded
 */
#ifndef SONDE_CAPTURE_BPF_FILTER_H
#define SONDE_CAPTURE_BPF_FILTER_H

#include "capture/bpf/program.h"

struct bpffilter;

/* What the filter compares, as the kernel's filters see it. */
enum bpffilter_kind {
	BPFFILTER_NUMBER,
	BPFFILTER_CPU,	  /* a number without bits: & is never true */
	BPFFILTER_ARRAY,  /* a text in n_bytes, whatever is behind its end */
	BPFFILTER_TEXT,	  /* one of any length */
	BPFFILTER_FAR,	  /* … elsewhere: no test is true if it cannot be read */
	BPFFILTER_PROBED, /* … by a probe: one that cannot be read is taken for `instead` */
};

struct bpffilter_field {
	enum bpffilter_kind kind;
	struct bpfsource source;
	uint32_t n_bytes;
	bool is_signed;
	const char *instead; /* NULL: for what is equal to nothing */
};

/* name: of the field, with ".ustring" if the filter says that. False: it cannot be had. */
typedef bool (*bpffilter_find)(void *ctx, const char *name, struct bpffilter_field *ret_field);

/* -ENOTSUP with a sentence for who insists on BPF: it is no filter, or not one for a program. */
int bpffilter_new(struct bpffilter **ret, const char *text, bpffilter_find find, void *ctx,
		  struct errmsg *err);
void bpffilter_free(struct bpffilter *f);

bool bpffilter_needs_task(const struct bpffilter *f);
/* Leaves for the label if it is not true. Uses all registers but r6, and 264 bytes of the stack from BPFPROGRAM_STACK on. */
void bpffilter_emit(struct bpfcode *c, const struct bpffilter *f, unsigned out);

#endif
