/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sampleset.h - samples with their stacks, each different stack kept once.
 *
 *	sampleset_new ─▶ sampleset_add … ─▶ rows and stacks ─▶ sampletable.h, sampletree.h, heat.h,
 *	present/samples ─▶ sampleset_free
 *
 *	row     weight 3000000, n 3, event 0, task 4711 make, CPU 1, stack 17
 *	stack   17: read_all, main, __libc_start_main       places, the innermost first
 *
 * Samples that agree in what is kept of them (enum sampleset_keep) are one row. With
 * SAMPLESET_TIME each sample is a row, in the order of the calls of sampleset_add().
 *
 * A frame may also be a name instead of code (a task, a function of a folded file): its place is
 * sampleset_name(). Only one thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_SAMPLES_SAMPLESET_H
#define SONDE_ANALYSE_SAMPLES_SAMPLESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sampleset;
struct task;

enum sampleset_keep {
	SAMPLESET_TIME = 1,
	SAMPLESET_TASK = 2,
	SAMPLESET_CPU = 4,
	SAMPLESET_EVENT = 8,
};

#define SAMPLESET_STACK_MAX 1024u /* places of a stack; outer ones are cut */

struct sampleset_row {
	uint64_t ts;		 /* with SAMPLESET_TIME, else 0 */
	uint64_t weight;	 /* sum of the periods */
	const struct task *task; /* with SAMPLESET_TASK, else NULL */
	uint32_t n;		 /* samples */
	uint32_t stack;
	uint32_t event;
	int32_t tgid; /* -1: unknown */
	uint32_t cpu;
};

struct sampleset_stack {
	const uint64_t *places; /* the innermost first; all but that are return addresses */
	uint32_t n;
	/*
	 * the place from which on frames are not return addresses but code that was interrupted:
	 * the first of the program behind those of the kernel; n: there is none
	 */
	uint32_t user;
};

/* keep: flags. NULL: no memory. */
struct sampleset *sampleset_new(unsigned keep);
void sampleset_free(struct sampleset *s);

/* Adds a sample: row.stack and row.n are set here. places: the innermost first. */
void sampleset_add(struct sampleset *s, struct sampleset_row row, const uint64_t *places, size_t n);
/* The place of a frame that is a name. The text is copied. */
uint64_t sampleset_name(struct sampleset *s, const char *text, size_t len);
/* NULL: the place is not one of sampleset_name(). */
const char *sampleset_find_name(const struct sampleset *s, uint64_t place);

const struct sampleset_row *sampleset_rows(const struct sampleset *s, size_t *ret_n);
struct sampleset_stack sampleset_stack(const struct sampleset *s, uint32_t stack);
size_t sampleset_n_stacks(const struct sampleset *s);
/* Sums of all rows. */
uint64_t sampleset_n(const struct sampleset *s);
uint64_t sampleset_weight(const struct sampleset *s);
/* Samples for which there was no room. */
uint64_t sampleset_cut(const struct sampleset *s);

#endif
