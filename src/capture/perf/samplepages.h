/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samplepages.h - packs samples into sub-buffers, CPU by CPU, and hands them on.
 *
 * One thread uses it. Samples of a CPU come in the order of time; one that comes late gets the time
 * of the one before it.
 */
#ifndef SONDE_CAPTURE_PERF_SAMPLEPAGES_H
#define SONDE_CAPTURE_PERF_SAMPLEPAGES_H

#include <stddef.h>
#include <stdint.h>

struct samplepages;

struct samplepages_config {
	unsigned n_cpus;
	uint32_t page_size;
	void *ctx;
	/* A whole page. 0; a negative errno; 1: wants cut() soon. */
	int (*take)(void *ctx, unsigned cpu, const void *page, size_t n_bytes);
	int (*flush)(void *ctx, unsigned cpu); /* nothing more comes for now; may be NULL */
	int (*cut)(void *ctx); /* all that comes is younger; may be NULL if take() never asks */
};

/* NULL: out of memory. */
struct samplepages *samplepages_new(const struct samplepages_config *config);
void samplepages_free(struct samplepages *p);
/* 0, or a negative errno of take(). A CPU that does not exist counts as CPU 0. */
int samplepages_add(struct samplepages *p, unsigned cpu, uint64_t ns, const void *record,
		    uint32_t n_bytes);
/* n records of that CPU were lost before the next one. */
int samplepages_lose(struct samplepages *p, unsigned cpu, uint64_t n);
/* Hands on what there is. */
int samplepages_flush(struct samplepages *p);
uint64_t samplepages_n_late(const struct samplepages *p);

#endif
