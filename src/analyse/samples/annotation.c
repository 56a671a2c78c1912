// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * annotation.c - sorts the innermost places of all stacks by function and address.
 *
 * Only the innermost place of a stack says which instruction was running. The rows of the set whose
 * innermost function matches are sorted once by function and place; equal places then stand
 * together and become one. A function of the same name in another file is another function.
 */
#include "analyse/samples/annotation.h"

#include "analyse/calls/callflow.h"
#include "analyse/samples/sampleset.h"
#include "analyse/samples/stacknames.h"
#include "base/array.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* A row of the set whose innermost function matches. */
struct hit {
	const struct flow_func *func;
	struct annotation_place at;
};

ARRAY_ORDER(by_func, struct hit,
	    COMPARE(x->func->number, y->func->number) ?: COMPARE(x->at.place, y->at.place))
ARRAY_ORDER(by_weight, struct annotation,
	    COMPARE(y->weight, x->weight) ?: COMPARE(x->func->number, y->func->number))

static bool matches(const char *pattern, const struct flow_func *f)
{
	const char *at = strrchr(pattern, '@');
	char name[512];

	if (!strcmp(pattern, f->name))
		return true;
	if (at && !strcmp(at + 1, stacknames_file(f)) && (size_t)(at - pattern) < sizeof(name)) {
		memcpy(name, pattern, (size_t)(at - pattern));
		name[at - pattern] = '\0';
		return !fnmatch(name, f->name, 0);
	}
	return !fnmatch(pattern, f->name, 0);
}

/* Makes one annotation of hits of the same function. */
static int add(struct annotations *a, const struct hit *hits, size_t n)
{
	struct annotation *an;

	if (!ARRAY_ONE_MORE(a->list, a->n, ARRAY_NO_MAX))
		return -ENOMEM;
	an = &a->list[a->n];
	*an = (struct annotation){.func = hits->func, .places = calloc(n, sizeof(*an->places))};
	if (!an->places)
		return -ENOMEM;
	a->n++;
	for (size_t i = 0; i < n; i++) {
		struct annotation_place *last = an->n_places ? &an->places[an->n_places - 1] : NULL;

		if (!last || last->place != hits[i].at.place) {
			last = &an->places[an->n_places++];
			last->place = hits[i].at.place;
		}
		last->n += hits[i].at.n;
		last->weight += hits[i].at.weight;
		an->n += hits[i].at.n;
		an->weight += hits[i].at.weight;
	}
	return 0;
}

static size_t find_hits(struct hit *hits, const struct sampleset *set, struct stacknames *names,
			const char *pattern)
{
	size_t n_rows, n = 0;
	const struct sampleset_row *rows = sampleset_rows(set, &n_rows);

	for (size_t i = 0; i < n_rows; i++) {
		struct sampleset_stack s = sampleset_stack(set, rows[i].stack);
		struct stacknames_frames f;

		if (!s.n)
			continue;
		f = stacknames_find(names, s.places[0], false);
		if (!f.funcs[0]->is_name && matches(pattern, f.funcs[0]))
			hits[n++] =
				(struct hit){f.funcs[0], {s.places[0], rows[i].n, rows[i].weight}};
	}
	return n;
}

bool annotations_only_calls(const struct sampleset *set, struct stacknames *names,
			    const char *pattern)
{
	size_t n_rows, n;
	const struct sampleset_row *rows = sampleset_rows(set, &n_rows);

	for (size_t i = 0; i < n_rows; i++) {
		const struct flow_func *const *chain = stacknames_chain(names, rows[i].stack, &n);

		if (ARRAY_ANY(n, k, matches(pattern, chain[k])))
			return true;
	}
	return false;
}

int annotations_init(struct annotations *a, const struct sampleset *set, struct stacknames *names,
		     const char *pattern)
{
	size_t n_rows, n;
	struct hit *hits;
	int r = 0;

	*a = (struct annotations){.n_all = sampleset_n(set), .weight_all = sampleset_weight(set)};
	sampleset_rows(set, &n_rows);
	hits = calloc(n_rows + 1, sizeof(*hits));
	if (!hits)
		return -ENOMEM;
	n = find_hits(hits, set, names, pattern);
	if (n)
		qsort(hits, n, sizeof(*hits), by_func);
	for (size_t at = 0; at < n && r >= 0;) {
		size_t end = at;

		while (end < n && hits[end].func == hits[at].func)
			end++;
		r = add(a, hits + at, end - at);
		at = end;
	}
	free(hits);
	if (a->n)
		qsort(a->list, a->n, sizeof(*a->list), by_weight);
	return r < 0 ? r : n ? 0 : -ENOENT;
}

void annotations_release(struct annotations *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->list[i].places);
	free(a->list);
	*a = (struct annotations){0};
}
