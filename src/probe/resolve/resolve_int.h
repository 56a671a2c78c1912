/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolve_int.h - declarations that the files of the resolver share.
 *
 *	prober.c            keeps files open
 *	resolve.c           chooses the kind of place, resolves arguments
 *	kernel.c    functions of the kernel and of modules: BTF, or DWARF if needed
 *	unknown.c   unknown names
 *	symbols.c   looks up names in the kernel's list of symbols
 *	glob.c      patterns of kernel functions; namesakes.c several of one name
 *	program.c   programs and libraries; mark.c their marks
 *	points.c    the instructions of a definition, from debug information
 *	event.c     fields of existing events
 *	raw.c       lines in the kernel's own grammar
 *	names.c     names of groups, events and fields; conditions
 */
#ifndef SONDE_PROBE_RESOLVE_RESOLVE_INT_H
#define SONDE_PROBE_RESOLVE_RESOLVE_INT_H

#include "base/arena.h"
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "probe/fetch/fetch.h"
#include "symbols/btf/btf.h"
#include "symbols/dwarf/debuginfo.h"

#include <limits.h>

#define PROBER_MAX_OPEN	    64 /* limit of programs and modules */
#define PROBE_NAME_BYTES    64
#define PROBE_MAX_NOTES	    32
#define PROBE_MAX_PLACES    128
#define PROBE_MAX_FUNCTIONS 64 /* the kernel needs up to 0.1 s to disable and remove an event */
#define PROBE_MEMORY_BYTES  (4u << 20)

/* Lists of the kernel, read when they are first needed. */
enum prober_list { PROBER_BLACKLIST, PROBER_HOOKS, PROBER_KALLSYMS, N_PROBER_LISTS };

struct prober_text {
	struct textbuf text; /* the text, ended by NUL, after it was read */
	int state;	     /* 1: read; -1: cannot be read */
};

struct prober_file {
	char *name; /* name of a module, or a path */
	struct btf *btf;
	struct debuginfo *info;
};

struct prober {
	struct probe_world world;
	struct probe_kernel kernel;
	struct btf *btf; /* BTF of the kernel; NULL until it is needed */
	int btf_state;	 /* 1: open; negative: the error */
	struct errmsg btf_err;
	struct prober_file files[PROBER_MAX_OPEN];
	size_t n_files;
	struct prober_text lists[N_PROBER_LISTS];
	/* limit for a pattern in a program; each function is a separate event */
	unsigned max_functions;
	struct textbuf names; /* names of events in use: "\ngroup:event\n…" */
};

/* A probe and the memory that it owns. */
struct resolved {
	struct probe probe; /* must be the first member */
	struct arena memory;
	struct textbuf scratch;
};

/* The origin of an argument, which identifies it at the next place. */
struct arg_origin {
	size_t number;		/* index of the definition's argument */
	const char *variable;	/* one of $vars or $params; NULL: requested by itself */
	unsigned short n_found; /* number of places that have it, with the same meaning */
	unsigned short n_gone;	/* number of places where it does not exist */
};

/* The state while one definition is resolved. */
struct resolution {
	struct prober *prober;
	const struct definition *d;
	struct resolved *out;
	struct errmsg *err;
	size_t n_points;				/* expected number of places; 0: one */
	struct arg_origin origins[DEFINITION_MAX_ARGS]; /* origins of the probe's arguments */
	char why_gone[256];
	bool why_gone_helps;		       /* see fetch.why_helps */
	const char *left_out[PROBE_MAX_NOTES]; /* the variable that a note excludes; NULL: none */
	char apart[200]; /* "a, b": variables of $vars, $params that differ between places */
	unsigned n_apart;
	const char
		/*
		 * the current one of several functions with the same name, "ns::Box::put(int)";
		 * NULL: none
		 */
		*choice;
};

#define SYMBOL_NAME_BYTES  256

#define RESOLVE_UNREADABLE "\\0:x64" /* an argument of a mark that no probe can read */

#define RESOLVE_REFUSE(r, span, code, ...) \
	definition_refuse((r)->d->text, span, (r)->err, code, __VA_ARGS__)

/* The known facts about a kernel function. */
struct found_function {
	char symbol[256], module[64];
	struct btf *btf; /* NULL: the prototype is unknown */
	struct type prototype;
	uint64_t text_offset; /* distance from the kernel's first byte; 0: the name is enough */
};

/* Returns the program or library of a definition, or NULL. path has room for its name. */
const char *resolve_program_of(const struct prober *p, const struct definition *d,
			       char path[PATH_MAX]);
/* Finds the file that has the mark. */
int resolve_mark_file(struct resolution *r, char path[PATH_MAX]);
/*
 * Returns how many kinds of places the mark has: in an event of the kernel, an argument has one
 * type.
 */
int resolve_mark_kinds(struct resolution *r, struct debuginfo *info, unsigned *ret_n);

/* The kinds of places. Each function sets kind, places and arguments. */
int resolve_kernel(struct resolution *r, const char *module);
int resolve_program(struct resolution *r, const char *path);
int resolve_mark(struct resolution *r);
int resolve_raw(struct resolution *r);
int resolve_event(struct resolution *r);
/* Returns true for a source line of the command, because the kernel's DWARF does not have it. */
bool resolve_is_of_command(struct resolution *r);
/* unknown.c: sets the message and returns -ENOENT. btf and module may be NULL. */
int resolve_refuse_function(struct resolution *r, const struct btf *btf, const char *module);
int resolve_refuse_inlined(struct resolution *r);
/* Finds where all functions of that name begin, as far as the kernel shows it; at most max. */
size_t resolve_find_functions(const char *symbols, const char *name, size_t len, uint64_t *starts,
			      size_t max);
/* Returns where the next symbol begins, or UINT64_MAX for the last one. */
uint64_t resolve_find_end(const char *symbols, uint64_t start);
/*
 * Returns false if the list of the kernel's symbols is available and has no such name. nearest is
 * data with a similar name, or "".
 */
bool resolve_has_symbol(struct prober *p, const char *name, char nearest[SYMBOL_NAME_BYTES]);
/* Checks that FUNC+OFFSET is not beyond the end of the function. */
int resolve_check_offset(struct resolution *r, const char *function);
/* Adds a place in the kernel, with all arguments there. */
int resolve_add_function(struct resolution *r, const struct found_function *f);
/* Like resolve_add_function(); if several functions have that name, adds all of them. */
int resolve_namesakes(struct resolution *r, struct found_function *f);
/* Returns the cheapest kind of kernel probe that supports the request. */
enum probe_kind resolve_kernel_kind(const struct resolution *r, const struct found_function *f);
/* Adds places for all functions that match vfs_* and can be probed. */
int resolve_glob(struct resolution *r, const char *module);
bool resolve_is_event(const struct prober *p, const struct definition *d);
/* Finds the first system that has an event of that name. */
bool resolve_find_system(const struct prober *p, const char *event, char system[PROBE_NAME_BYTES]);
/*
 * Handles an unknown target. Returns true, with a message, if a system of events was probably
 * meant.
 */
bool resolve_refuse_event(struct resolution *r);

/* Adds a place. text is copied. */
struct probe_place *resolve_add_place(struct resolution *r, const char *text);
/*
 * Resolves all arguments at the place that was added last. The first place decides which arguments
 * there are. At the others they must be the same; arguments of $vars or $params are dropped if they
 * differ.
 */
int resolve_args(struct resolution *r, const struct fetch_place *place);
/*
 * Adds one of many functions. If it lacks a variable (-ENOENT), removes what was added and keeps
 * the first reason.
 */
int resolve_try(struct resolution *r, int (*add)(void *ctx), void *ctx, struct errmsg *ret_why);
int resolve_add_arg(struct resolution *r, const struct fetch *f, const char *name,
		    struct span span);
/*
 * Checks the arguments after the last place: an argument that exists nowhere is refused, one that
 * exists at some places gets a note; those of $vars that differ between places are dropped.
 */
int resolve_check_args(struct resolution *r);

/* gaps.c: gives an argument that does not exist at some places a value that readers recognize. */
void resolve_gaps(struct resolution *r, size_t arg);

/* Returns what a definition needs from the debug information. */
struct debuginfo_where resolve_debuginfo_where(const struct resolution *r);

/* points.c: adds a place from debug information, and notes where it is inlined. */
int resolve_add_point(struct resolution *r, const char *text, const struct debuginfo_point *pt);
/* Calls add for each instruction, and names the function that contains it, or "line". */
int resolve_each_point(struct resolution *r, struct debuginfo *info,
		       int (*add)(void *ctx, const struct debuginfo_point *pt), void *ctx,
		       const char **ret_function);
void resolve_note(struct resolution *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int resolve_no_memory(struct resolution *r);
/* Returns true if any argument is a variable, or one of its members. */
bool resolve_wants_variables(const struct definition *d);
bool resolve_wants_registers(const struct definition *d);

/* names.c */
int resolve_group_and_event(struct resolution *r, const char *path, const char *function,
			    unsigned line);
int resolve_filter(struct resolution *r);
/* Makes a unique name for the next argument: "name", "name_2". */
void resolve_field_name(const struct probe *p, const char *wanted, char name[FETCH_NAME_BYTES]);

/* Returns true if the path, which may be NULL, is that of a module: FILE.ko, FILE.ko.xz. */
bool resolve_is_module(const char *path);

/* These functions return open files, or -ENOENT and similar with a message. */
int prober_btf(struct prober *p, const char *module, struct btf **ret, struct errmsg *err);
int prober_debuginfo(struct prober *p, const char *path, struct debuginfo **ret,
		     struct errmsg *err);
/* Returns the text of a list, or NULL if it cannot be read. */
const char *prober_list(struct prober *p, enum prober_list which);
/*
 * Returns true if the text contains the name, between `before` (or the beginning of a line) and one
 * of `after`.
 */
bool prober_list_has(const char *text, char before, const char *name, const char *after);

/* return.c */
int resolve_check_return(struct resolution *r, const char *path, struct debuginfo *info);

/* Returns the type behind the last ':' of the kernel's definition of an argument; "": none. */
const char *resolve_fetch_type(const char *fetch);

#endif
