/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h - compiles a filter in the kernel's syntax for a BPF program.
 *
 *	bpffilter_new     parses the text; the caller finds the fields
 *	bpffilter_emit    adds the test of the filter to a program
 *	bpffilter_free    after the program is loaded
 */
#ifndef SONDE_CAPTURE_BPF_FILTER_H
#define SONDE_CAPTURE_BPF_FILTER_H

#include "capture/bpf/program.h"

struct bpffilter;

/* The kinds of operands, as in the kernel's filters. */
enum bpffilter_kind {
	BPFFILTER_NUMBER,
	BPFFILTER_CPU,	 /* a number without bit tests: & is never true */
	BPFFILTER_ARRAY, /* a text in n_bytes; bytes after its end are ignored */
	BPFFILTER_TEXT,	 /* a text of any length */
	BPFFILTER_FAR,	 /* a text in other memory: no test is true if it cannot be read */
	/* a text that a probe reads: `instead` replaces one that cannot be read */
	BPFFILTER_PROBED,
};

struct bpffilter_field {
	enum bpffilter_kind kind;
	struct bpfsource source;
	uint32_t n_bytes;
	bool is_signed;
	const char *instead; /* NULL: equal to no text */
};

/*
 * Finds a field. name includes ".ustring" if the filter has it. Returns false if a program cannot
 * read the field.
 */
typedef bool (*bpffilter_find)(void *ctx, const char *name, struct bpffilter_field *ret_field);

/*
 * Parses a filter. Returns -ENOTSUP, with a message for users who request BPF, if the text is no
 * filter, or one that a program cannot test.
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
