// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_samples.c - the texts around samples: folded stacks, what a file says about its samples, what
 * objdump prints.
 *
 *	input: one text, read as each of them, in memory of exactly its size
 *
 * All weight of folded stacks must be in the tree that is made of them; written as folded stacks and
 * read again, they give no more than that (a name that begins with # makes a comment).
 */
#include "analyse/calls/callgraph.h"
#include "analyse/samples/folded.h"
#include "analyse/samples/sampleset.h"
#include "analyse/samples/sampletree.h"
#include "analyse/samples/stacknames.h"
#include "base/textbuf.h"
#include "decode/samples/sampleinfo.h"
#include "present/calls/graphtext.h"
#include "symbols/insn/disassembly.h"

#include <stdlib.h>

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* Reads folded stacks, and writes them again. Returns the sum of their weights. */
static uint64_t fold(struct piece text, struct textbuf *out)
{
	struct sampleset *set = sampleset_new(0);
	struct stacknames_config nc = {.set = set};
	struct stacknames *names = stacknames_new(&nc);
	struct sampletree_config tc = {.set = set, .names = names};
	struct graph_view v = {.file = "x"};
	uint64_t sum;

	folded_is(text);
	folded_parse(set, text);
	sum = sampleset_weight(set);
	v.graph = sampletree_new(&tc);
	check(v.graph && callgraph_root(v.graph)->total == sum);
	graphtext_fmt_folded(&v, out);
	callgraph_free(v.graph);
	stacknames_free(names);
	sampleset_free(set);
	return sum;
}

static void try_folded(struct piece text)
{
	struct textbuf once, twice;
	uint64_t sum;

	textbuf_init(&once, 16 << 20);
	textbuf_init(&twice, 16 << 20);
	sum = fold(text, &once);
	if (!once.overflow && textbuf_len(&once))
		check(fold(PIECE_OF_TEXT(&once), &twice) <= sum);
	textbuf_release(&once);
	textbuf_release(&twice);
}

static void try_info(struct piece text)
{
	struct sampleinfo info;

	if (sampleinfo_parse(&info, text) < 0)
		return;
	for (uint32_t i = 0; i < 20; i++) {
		const struct sample_file *file = sampleinfo_find_file(&info, i);

		check(!file || (file->number == i && file->name && file->path && file->build_id));
		check(sampleinfo_event_name(&info, i) != NULL);
	}
	sampleinfo_release(&info);
}

static void try_disassembly(struct piece text)
{
	struct disassembly d = {0};

	check(disassembly_parse(&d, text) == 0);
	for (size_t i = 0; i < d.n; i++)
		check(d.list[i].text[0]);
	disassembly_release(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	struct piece text = {copy, n};

	if (n)
		memcpy(copy, input, n);
	try_folded(text);
	try_info(text);
	try_disassembly(text);
	free(copy);
	return 0;
}
