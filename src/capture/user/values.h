/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * values.h - arguments and return values of user functions: what the user wants, the programs that
 * fetch them, and the texts that they become.
 *
 *	valuerules_add_…   "work@arg1,arg2/s"   "work(n, name:string)"   "work: n > 10"
 *	      │
 *	uservalues_plan    for each hooked function of an image: types from DWARF, registers by the
 *	      │            calling convention, a program (runtime/snrt.h) for the runtime
 *	uservalues_fmt     what the program has fetched, as a text: 3, "name", {x=1, y=2}
 *
 * The runtime knows no types and the texts need no debug information: only the plan knows both.
 */
#ifndef SONDE_CAPTURE_USER_VALUES_H
#define SONDE_CAPTURE_USER_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;
struct userimage;
struct uservalues;	 /* of a function */
struct uservalues_image; /* of all functions of an image */
struct valuerule;

/* Start with zeros. */
struct valuerules {
	bool is_automatic; /* every function whose types are known */
	bool is_plain;	   /* in uftrace's forms: valueplain.c */
	struct valuerule *list;
	size_t n, cap;
};

/* "FUNC@SPEC,…", "FUNC(EXPRESSION, …)" or "FUNC" alone. -EINVAL with a message. */
int valuerules_add_args(struct valuerules *r, const char *text, struct errmsg *err);
/* "FUNC@retval/FORMAT" or "FUNC". */
int valuerules_add_retval(struct valuerules *r, const char *text, struct errmsg *err);
/* "FUNC: n > 10 && flag != 0" */
int valuerules_add_condition(struct valuerules *r, const char *text, struct errmsg *err);
void valuerules_release(struct valuerules *r);

/* The next rule that matches no function; NULL: there are no more. Start with *i = 0. */
const char *valuerules_next_unused(const struct valuerules *r, size_t *i);

static inline bool valuerules_are_empty(const struct valuerules *r)
{
	return !r->n && !r->is_automatic;
}

/* Gives the image's hooks their programs. *ret: NULL if no function has values. */
int uservalues_plan(struct uservalues_image **ret, struct userimage *img,
		    const struct valuerules *rules, struct errmsg *err);
void uservalues_free(struct uservalues_image *v);
/* NULL: it has none. */
const struct uservalues *uservalues_find(const struct uservalues_image *v, size_t hook);
/* What could not be done as wanted: sentences; NULL: no more. */
const char *uservalues_note(const struct uservalues_image *v, size_t i);

/* A function at an address of the process. False: unknown. */
struct uservalues_names {
	void *ctx;
	bool (*find)(void *ctx, uint64_t address, char *out, size_t size);
};

/*
 * words: what the program fetched, n_bytes; it is not trusted. Returns the length of the text,
 * which is cut to fit.
 */
size_t uservalues_fmt(const struct uservalues *v, bool is_ret, const uint64_t *words,
		      size_t n_bytes, const struct uservalues_names *names, char *out, size_t size);
/* Of is_plain: "arg1/s,arg2", "retval", and lines "E enum …"; each may be NULL. */
struct uservalues_forms {
	const char *args, *ret, *enums;
};
struct uservalues_forms uservalues_forms(const struct uservalues *v);

#endif
