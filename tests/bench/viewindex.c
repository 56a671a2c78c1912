// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * viewindex.c - what it takes to index a trace for the viewer: time, memory, reopening.
 *
 *	viewindex FILE [CACHE-DIRECTORY]   ──▶ {"open": s, "index": s, "events": n, "bytes": n, …}
 *
 * open: the file and its formats, the times of all sub-buffers, so that a first picture can be drawn.
 * index: from the start of the program to the end of the index. With a directory the sidecar is looked
 * for and kept there: the second run measures reopening. bytes: anonymous memory, all of it, above what
 * the program had at its start; peak: the most it had while it indexed.
 */
#include "base/errmsg.h"
#include "decode/timeconv.h"
#include "timeline/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static uint64_t anonymous_bytes(void)
{
	unsigned long long kb = 0;
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "RssAnon: %llu kB", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb * 1024;
}

static struct timeline *open_trace(const char *path, struct errmsg *err)
{
	struct formats_config fc = {0};
	struct timeconv_config tc = {0};
	struct timeline_source *sources;
	struct tracefile *tf;
	struct formats *f;
	struct timeline *tl;

	if (tracefile_open(&tf, path, err) < 0 || formats_new(&f, tf, &fc, err) < 0)
		return NULL;
	sources = calloc(tf->n_buffers + 1, sizeof(*sources));
	for (size_t i = 0; sources && i < tf->n_buffers; i++) {
		sources[i] = (struct timeline_source){
			.tf = tf, .formats = f, .buffer = &tf->buffers[i], .name = path};
		timeconv_init(&sources[i].time, tf, tf->buffers[i].clock, &tc);
	}
	if (!sources || timeline_new(&tl, sources, tf->n_buffers, 0, err) < 0)
		return NULL;
	free(sources);
	return tl;
}

int main(int argc, char **argv)
{
	double begin = now(), opened, indexed;
	uint64_t before = anonymous_bytes(), bytes, peak = 0;
	struct errmsg err = {0};
	struct timeline *tl;

	if (argc < 2)
		return 2;
	tl = open_trace(argv[1], &err);
	opened = now();
	if (!tl || timeline_start(tl, argc > 2 ? argv[2] : NULL, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	while (timeline_progress(tl) < 1) {
		bytes = anonymous_bytes();
		peak = bytes > peak ? bytes : peak;
		usleep(2000);
	}
	if (timeline_wait(tl) < 0)
		return 1;
	indexed = now();
	bytes = anonymous_bytes();
	peak = bytes > peak ? bytes : peak;
	printf("{\"open\": %.4f, \"index\": %.4f, \"events\": %" PRIu64 ", \"bytes\": %" PRIu64
	       ", \"peak\": %" PRIu64 ", \"told\": %zu}\n",
	       opened - begin, indexed - begin, timeline_n_events(tl), bytes - before,
	       peak - before, timeline_memory(tl));
	timeline_free(tl);
	return 0;
}
