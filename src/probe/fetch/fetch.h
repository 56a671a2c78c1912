/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch.h - translates one argument of a definition into a fetch argument of the kernel.
 *
 *	file->f_path.dentry->d_name.name   ─▶   +0(+40(+72(%di))):string
 *
 * Used only in this room. One thread at a time.
 */
#ifndef SONDE_PROBE_FETCH_FETCH_H
#define SONDE_PROBE_FETCH_FETCH_H

#include "probe/probe.h"
#include "symbols/place.h"

struct debuginfo;

#define FETCH_MAX_BYTES	 63 /* the kernel's limit for an argument without its name */
#define FETCH_NAME_BYTES 32
#define FETCH_GONE	 "\\0xdeade12d" /* PROBE_GONE */

/* The context that all arguments at one place share. */
struct fetch_place {
	const struct definition *definition;
	const struct probe_kernel *kernel;
	const struct arch *arch;
	/* NULL: no variables are known here, and why_none has the reason */
	struct scope *scope;
	const char *why_none; /* a clause with the reason and the remedy */
	/* such a clause for a scope without variables; NULL: no reason is known */
	const char *why_empty;
	const struct types *types; /* types for casts, if scope is NULL; NULL: none are known */
	const char *function;	   /* for messages */
	bool is_program;	   /* the probe is in a program: all memory belongs to it */
	bool is_return;
	bool is_event;		/* the probe is on an event, with its fields */
	bool by_number;		/* the probe knows $argN and $stackN, but no registers (fprobes) */
	uint64_t data_offset;	/* in a program: value to subtract from an address for @+OFFSET */
	struct debuginfo *info; /* in a program: its debug information; NULL: none */
	struct prober *prober;	/* in the kernel: access to its symbols, for hints; NULL: none */
	const char *const *mark_args; /* at a mark: the texts for $argN; NULL: none */
	unsigned n_mark_args;
};

struct fetch {
	char text[FETCH_MAX_BYTES + 1]; /* the text with its type */
	struct type type;		/* world NULL: unknown */
	enum probe_show show;
	bool is_gone; /* PLACE_NOWHERE: text is the substitute, and why has a message */
	char why[256];
	bool why_helps; /* why names a place where the variable exists */
	/* a message if a value is recorded in another way than requested; "": none */
	char note[256];
};

/*
 * Resolves an argument. On failure err points to the position. Returns -ENODATA if the variable
 * exists, but not here.
 */
int fetch_resolve(const struct fetch_place *p, const struct definition_arg *arg,
		  struct fetch *ret_fetch, struct errmsg *err);
/*
 * Like fetch_resolve(), for a variable from $vars or $params. Returns -EINVAL if it is not a single
 * value.
 */
int fetch_variable(const struct fetch_place *p, const struct variable *v, struct span span,
		   struct fetch *ret_fetch, struct errmsg *err);
/*
 * Returns true if a parameter is still available at the return, and false if it is so only at the
 * entry.
 */
bool fetch_is_kept(const struct fetch_place *p, const struct variable *v);

/* Derives the field's name from the expression: the last member, "ret", "arg2", "comm". */
void fetch_name(const struct expression *e, char name[FETCH_NAME_BYTES]);

#endif
