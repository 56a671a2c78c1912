/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * annotation.h - the samples inside of one function, by address.
 */
#ifndef SONDE_ANALYSE_SAMPLES_ANNOTATION_H
#define SONDE_ANALYSE_SAMPLES_ANNOTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flow_func;
struct stacknames;
struct sampleset;

/* Samples that were taken at a place. */
struct annotation_place {
	uint64_t place;
	uint64_t n, weight;
};

/* A function that has samples. */
struct annotation {
	const struct flow_func *func;	 /* addr: the place where it begins */
	struct annotation_place *places; /* ascending */
	size_t n_places;
	uint64_t n, weight;
};

struct annotations {
	struct annotation *list; /* the one with most samples first */
	size_t n;
	uint64_t n_all, weight_all; /* of the whole set */
};

/*
 * Finds the functions that a pattern names: a glob, or NAME@FILE. Only functions that were running
 * count, not their callers. The names must not have inlined functions. 0, -ENOMEM, or -ENOENT: none
 * has samples.
 */
int annotations_init(struct annotations *a, const struct sampleset *set, struct stacknames *names,
		     const char *pattern);
/* After -ENOENT: does a stack have such a function as a caller? */
bool annotations_only_calls(const struct sampleset *set, struct stacknames *names,
			    const char *pattern);
void annotations_release(struct annotations *a);

#endif
