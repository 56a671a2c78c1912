/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch.h - one argument of a definition, turned into what the kernel's probes fetch.
 *
 *	file->f_path.dentry->d_name.name   ─▶   +0(+40(+72(%di))):string
 *
 * Stays in this room. One thread at a time.
 */
#ifndef SONDE_PROBE_FETCH_FETCH_H
#define SONDE_PROBE_FETCH_FETCH_H

#include "probe/probe.h"
#include "symbols/place.h"

struct debuginfo;

#define FETCH_MAX_BYTES	 63 /* the kernel's limit of an argument without its name */
#define FETCH_NAME_BYTES 32
#define FETCH_GONE	 "\\0xdeade12d" /* PROBE_GONE */

/* What all arguments at one place have in common. */
struct fetch_place {
	const struct definition *definition;
	const struct probe_kernel *kernel;
	const struct arch *arch;
	struct scope *scope;	   /* NULL: no variable is known here; why_none says why */
	const char *why_none;	   /* a clause with its remedy */
	const char *why_empty;	   /* the same if scope has not one variable; NULL: it has none */
	const struct types *types; /* for casts, where scope is NULL; NULL: none are known */
	const char *function;	   /* for sentences */
	bool is_program;	   /* of a program: all memory is its own */
	bool is_return;
	bool is_event;		/* on an event, with its fields */
	bool by_number;		/* the probe knows $argN and $stackN, but no registers (fprobes) */
	uint64_t data_offset;	/* of a program: what to take from an address for @+OFFSET */
	struct debuginfo *info; /* of a program; NULL */
	struct prober *prober;	/* of the kernel: its symbols, for hints; NULL */
	const char *const *mark_args; /* of a mark: what $argN is, ready to be written; NULL */
	unsigned n_mark_args;
};

struct fetch {
	char text[FETCH_MAX_BYTES + 1]; /* with its type */
	struct type type;		/* world NULL: not known */
	enum probe_show show;
	bool is_gone; /* PLACE_NOWHERE: text is what stands for it, and a sentence is in why */
	char why[256];
	bool why_helps; /* … which says where to look instead */
	char note[256]; /* a sentence about what was recorded in another way than was asked; "" */
};

/* The sentence in err points at the spot. -ENODATA: the variable lives, but not here. */
int fetch_resolve(const struct fetch_place *p, const struct definition_arg *arg,
		  struct fetch *ret_fetch, struct errmsg *err);
/* The same of a variable that nobody wrote: $vars, $params. -EINVAL: it is no single value. */
int fetch_variable(const struct fetch_place *p, const struct variable *v, struct span span,
		   struct fetch *ret_fetch, struct errmsg *err);
/* Whether a parameter can still be had where the function returns; else only where it is entered. */
bool fetch_is_kept(const struct fetch_place *p, const struct variable *v);

/* The field's name after what is read: the last member, "ret", "arg2", "comm". */
void fetch_name(const struct expression *e, char name[FETCH_NAME_BYTES]);

#endif
