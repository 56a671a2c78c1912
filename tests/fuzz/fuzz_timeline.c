// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_timeline.c - any bytes as a trace.dat, indexed for the viewer.
 *
 *	input:  a trace.dat  u8 options       bit 0: an expression is searched for  1: a text
 *
 * However damaged the file is, the index must hold what tests/lib/timelinecheck.h asks of it.
 */
#include "../lib/timelinecheck.h"
#include "base/errmsg.h"

#include <string.h>

#define SOURCES_MAX 8

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

static void search(struct timeline *tl, uint8_t options)
{
	struct selection_wants wants = {.expression = options & 1 ? ".*:common_pid > 0" : NULL,
					.text = options & 2 ? "e" : NULL};
	struct errmsg err = {0};
	struct selection *sel;
	event_ref refs[10];

	if (selection_new(&sel, tl, &wants, NULL, NULL, &err) < 0) {
		must(err.text[0]);
		return;
	}
	must(selection_count(sel) <= timeline_n_events(tl));
	must(timeline_rank(tl, sel, TIMELINE_TIME_MAX + 1) == selection_count(sel));
	timeline_rows(tl, sel, selection_count(sel) / 2, refs, NULL, 10);
	selection_free(sel);
}

static void index_all(struct tracefile *tf, struct formats *f, uint8_t options)
{
	struct timeline_source sources[SOURCES_MAX] = {0};
	struct timeconv_config config = {0};
	struct errmsg err = {0};
	struct timeline *tl;
	size_t n = 0;

	for (; n < tf->n_buffers && n < SOURCES_MAX; n++) {
		sources[n] = (struct timeline_source){
			.tf = tf, .formats = f, .buffer = &tf->buffers[n], .machine = n % 2};
		timeconv_init(&sources[n].time, tf, tf->buffers[n].clock, &config);
	}
	if (timeline_new(&tl, sources, n, 1, &err) < 0)
		return;
	if (!timeline_start(tl, NULL, &err) && !timeline_wait(tl)) {
		check_timeline(tl);
		if (options & 3)
			search(tl, options);
	}
	timeline_free(tl);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	struct formats_config config = {0};
	struct errmsg err = {0};
	struct tracefile *tf;
	struct formats *f;
	uint8_t *copy;

	if (n < 2)
		return 0;
	copy = malloc(n - 1);
	memcpy(copy, input, n - 1);
	if (!tracefile_open_memory(&tf, "input", (struct piece){copy, n - 1}, &err)) {
		if (!formats_new(&f, tf, &config, &err)) {
			index_all(tf, f, input[n - 1]);
			formats_free(f);
		}
		tracefile_close(tf);
	}
	free(copy);
	return 0;
}
