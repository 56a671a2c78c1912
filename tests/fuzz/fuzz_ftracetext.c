// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_ftracetext.c - lines of ftrace's text, and the fields that are found in them.
 *
 * The trace file itself is not written: only its pages, into a file without a name.
 */
#include "base/errmsg.h"
#include "inputs/foreign/ftraceline.h"
#include "inputs/foreign/graphlines.h"
#include "inputs/foreign/maker.h"
#include "inputs/foreign/textkinds.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct import {
	struct maker maker;
	struct textkinds kinds;
	struct graphlines graph;
	uint8_t *record;
};

static void add(struct import *im, const struct ftraceline *l)
{
	graphlines_add_call(&im->graph, l, l->time_ns + 100);
	if (l->kind != FTRACELINE_EVENT)
		return;
	textkinds_fill(&im->kinds, l->name, l->text, im->record);
	graphlines_add_function(&im->graph, l);
	graphlines_add_stack(&im->graph, l, &l->text, 1);
}

static void each(struct import *im, struct piece text, bool is_learning)
{
	const char *at = (const char *)text.data, *end = at + text.len;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		struct ftraceline l;

		ftraceline_parse((struct piece){(const uint8_t *)at, (size_t)(stop - at)}, &l);
		at = stop + !!newline;
		if (!is_learning)
			add(im, &l);
		else if (l.kind == FTRACELINE_EVENT)
			textkinds_learn(&im->kinds, l.name, l.text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	struct foreign_config config = {.input = "input"};
	struct import im = {.record = malloc(MAKER_RECORD_MAX)};
	struct errmsg err = {0};

	if (im.record && n && maker_init(&im.maker, &config, &err) >= 0) {
		textkinds_init(&im.kinds);
		graphlines_init(&im.graph, &im.maker);
		each(&im, (struct piece){input, n}, true);
		textkinds_settle(&im.kinds, &im.maker);
		each(&im, (struct piece){input, n}, false);
		graphlines_release(&im.graph);
		textkinds_release(&im.kinds);
	}
	maker_release(&im.maker);
	free(im.record);
	return 0;
}
