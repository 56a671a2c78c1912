/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debuginfo.h - the functions, lines and variables of a program, a library, a module or the kernel,
 * from its ELF symbols and its DWARF.
 *
 *	debuginfo_open ─▶ debuginfo_functions, _lines, _points ─▶ each point's scope ─▶ debuginfo_close
 *
 * The DWARF may be in the file itself, or in a separate file found by build id or by name
 * (/usr/lib/debug/.build-id/…, .gnu_debuglink, /usr/lib/debug/PATH, alternate files). The symbols
 * may be in a compressed .gnu_debugdata. Without DWARF functions still have names and addresses,
 * but no variables.
 *
 * Addresses are those of the ELF file (before relocation); debuginfo_file_offset() converts them
 * for uprobes.
 */
#ifndef SONDE_SYMBOLS_DWARF_DEBUGINFO_H
#define SONDE_SYMBOLS_DWARF_DEBUGINFO_H

#include "symbols/place.h"

struct arch;
struct errmsg;
struct debuginfo;

struct debuginfo_paths {
	const char *path;	/* the program, library, vmlinux or .ko; required */
	const char *debug_dir;	/* NULL: /usr/lib/debug */
	const char *source_dir; /* searched first for source files; NULL: use DWARF's paths */
};

int debuginfo_open(struct debuginfo **ret_info, const struct debuginfo_paths *paths,
		   struct errmsg *err);
void debuginfo_close(struct debuginfo *d);

bool debuginfo_has_dwarf(const struct debuginfo *d);
/*
 * If there is no DWARF, the remedy: "install bash-dbgsym (from the debug archive), or build it with
 * -g".
 */
const char *debuginfo_remedy(struct debuginfo *d);
/* Sets the whole message, with the places that were searched; returns -ENODATA. */
int debuginfo_refuse_dwarf(struct debuginfo *d, struct errmsg *err);
/* Do functions have names at all? A stripped program has none. */
bool debuginfo_has_symbols(struct debuginfo *d);
/* The address where a program starts; 0: none. */
uint64_t debuginfo_entry(const struct debuginfo *d);
/* Is there a symbol of that name, defined here or in another file, or a section? */
bool debuginfo_has_name(const struct debuginfo *d, const char *name);
/* The file with the DWARF, or NULL; the build id as hex digits, "" without one. */
const char *debuginfo_dwarf_path(const struct debuginfo *d);
const char *debuginfo_build_id(const struct debuginfo *d);
const struct arch *debuginfo_arch(const struct debuginfo *d);
const struct types *debuginfo_types(const struct debuginfo *d);

/*
 * --- names -------------------------------------------------------------------------------------
 */

struct debuginfo_function {
	const char *name; /* as in the source: "work", "ns::Box::get" */
	const char *
		/*
		 * with its parameters, "ns::Box::put(int)", if another function has that name; NULL
		 */
		choice;
	const char *
		/* in the symbol table: "work.isra.0", "_ZN2ns3Box3getEv"; NULL: only inlined */
		symbol;
	uint64_t address; /* 0: inlined everywhere */
	uint64_t n_bytes;
	const char *file; /* NULL: unknown */
	unsigned line;
	unsigned n_inlined; /* inlined copies */
	bool is_alias;	    /* symbol differs from name by .isra, .constprop, .part, .cold */
};

/* Is the name a pattern: "wor*"? Parameters after it, "put(char*)", do not count. */
bool debuginfo_is_glob(const char *name);
/* Is there a function of that name, perhaps with parameters? Not for a glob. */
bool debuginfo_has_function(struct debuginfo *d, const char *name);

/* All functions, by name; pattern NULL or a glob, perhaps with parameters: "ns::Box::put(int)". */
int debuginfo_functions(struct debuginfo *d, const char *pattern,
			int (*visit)(void *ctx, const struct debuginfo_function *f), void *ctx,
			struct errmsg *err);

/*
 * --- lines -------------------------------------------------------------------------------------
 */

struct debuginfo_line {
	unsigned line;	   /* of the file */
	bool is_probeable; /* a statement starts here */
};

struct debuginfo_source {
	char *path; /* of the source text, as found or as in DWARF */
	bool is_found;
	unsigned first, last;	/* the requested range, limited to the file or the function */
	unsigned function_line; /* 0: lines of a file were requested */
	const char *function;
	unsigned n_others; /* functions of that name elsewhere in the source */
	const char *other; /* "ns::Box::put(int)": one of them in the same file; NULL: none */
	struct debuginfo_line *lines;
	size_t n_lines;
};

/*
 * "FUNC", "FUNC@SRC", with lines of the function, or lines of "SRC"; first 0: all. Release it with
 * _release.
 */
int debuginfo_source(struct debuginfo *d, const char *function, const char *file, unsigned first,
		     unsigned last, struct debuginfo_source *ret_source, struct errmsg *err);
void debuginfo_source_release(struct debuginfo_source *s);

/*
 * --- points ------------------------------------------------------------------------------------
 */

/* The place of a definition; NULL or 0: not given. */
struct debuginfo_where {
	const char *function, *file;
	unsigned line; /* in the file, or with a function relative to its first line (0) */
	bool has_line;
	uint64_t offset;     /* bytes from the function's entry */
	const char *pattern; /* a lazy line pattern */
	bool is_return;
	/*
	 * Variables will be read: at the entry of a function that keeps all of them in memory
	 * (-O0), the point is moved after the prologue, which stores them.
	 */
	bool wants_variables;
	bool no_inlines; /* skip inlined copies */
	bool is_probed;	 /* in a program: skip or refuse places that cannot be probed */
};

/* One instruction, and what is visible there. */
struct debuginfo_point {
	struct scope *
		/* NULL: only the symbol is known, no variables; lives as long as the debuginfo */
		scope;
	uint64_t address;
	const char *symbol; /* the ELF symbol that covers it, and the distance */
	uint64_t symbol_offset;
	const char *function; /* the source function to which it belongs, as in the source */
	const char *choice;   /* the same with its parameters, "ns::Box::put(int)"; NULL: not C++ */
	const char *inlined_into; /* NULL: the function itself */
	const char *file;
	unsigned line;
	bool is_behind_prologue; /* moved because of wants_variables */
	/*
	 * In that case: the stack as the caller left it, frame_reg + frame_offset; has_frame: it is
	 * known.
	 */
	bool has_frame;
	unsigned frame_reg; /* DWARF number */
	int64_t frame_offset;
};

struct debuginfo_points {
	struct debuginfo_point *list;
	size_t n;
	struct debuginfo *owner;
	unsigned n_inlined; /* copies that were skipped: they do not return, or were not wanted */
	/* the requested function selects one of these when a program starts; NULL */
	const char *indirect;
	const char *shared; /* … and another function that also selects among them; NULL */
	unsigned
		/* functions without debug information that were skipped: variables are wanted */
		n_bare;
	unsigned
		/* constructors and destructors that were skipped: they call another one */
		n_variants;
	unsigned n_unclear; /* copies with a requested line that do not mark where it begins */
	unsigned
		/*
		 * inlined copies that may begin several times, as in an unrolled loop: only the
		 * first is used
		 */
		n_repeated;
	unsigned repeated_line; /* … the first line of one */
	unsigned n_refused;  /* instructions that the kernel's probes in programs do not support */
	const char *refused; /* … the reason for the first; NULL */
};

/*
 * Every instruction of the place: one for each copy of an inlined function. Errors: -ENOENT with a
 * message that names the nearest function, or the nearest line that can be probed; -EINVAL for a
 * return of a function that is only inlined, and for an offset into the middle of an instruction;
 * -EOPNOTSUPP if none of them can be probed, with the nearest place that can.
 */
int debuginfo_points(struct debuginfo *d, const struct debuginfo_where *where,
		     struct debuginfo_points *ret_points, struct errmsg *err);
void debuginfo_points_release(struct debuginfo_points *p);

/*
 * Returns -EINVAL if certainly no instruction begins there, with the nearest ones; -EOPNOTSUPP if a
 * probe in a program cannot be put on it.
 */
int debuginfo_check_address(struct debuginfo *d, uint64_t address, struct errmsg *err);

/* The position of a loaded byte in the file; -ENOENT if the address is in no loaded segment. */
int debuginfo_file_offset(const struct debuginfo *d, uint64_t address, uint64_t *ret_offset);
/* The same for code: a breakpoint in data would change what the program reads. */
int debuginfo_code_offset(const struct debuginfo *d, uint64_t address, uint64_t *ret_offset);

/*
 * Whether the variable at that address may be elsewhere while the library runs: in a program that
 * has a copy of it. slot: where the library keeps a pointer to the one in use; 0: none.
 */
bool debuginfo_may_be_copied(struct debuginfo *d, uint64_t address, uint64_t *ret_slot);

/*
 * --- the other way round -----------------------------------------------------------------------
 */

/* What is at an address. NULL or 0: unknown. */
struct debuginfo_at {
	const char *function;	      /* as in the source, also for an inlined copy */
	const char *linkage;	      /* its mangled name; NULL in C, and for copies */
	const char *file;	      /* as DWARF names it */
	unsigned line, function_line; /* of the file */
	bool begins_line;	      /* no instruction of the line is before it */
	bool is_entry;		      /* the first instruction of the function itself */
	const char *symbol;	      /* the ELF symbol that covers it */
	uint64_t symbol_offset;
};

/* -ENOENT: neither a function nor a symbol covers it. */
int debuginfo_at(struct debuginfo *d, uint64_t address, struct debuginfo_at *ret_at);
/*
 * The functions of the symbol table, one for each address, with their source names, then the
 * program's jumps to functions of libraries; until visit returns a negative value. n_bytes 0:
 * unknown.
 */
int debuginfo_each_symbol(struct debuginfo *d,
			  int (*visit)(void *ctx, const char *name, uint64_t address,
				       uint64_t n_bytes),
			  void *ctx);
/* The address of code at an offset in the file; the reverse of debuginfo_file_offset(). */
int debuginfo_address(const struct debuginfo *d, uint64_t file_offset, uint64_t *ret_address);

/* The variables outside functions in the point's compile unit that have a place. */
int debuginfo_globals(struct debuginfo *d, const struct debuginfo_point *p,
		      int (*visit)(void *ctx, const struct variable *v), void *ctx);
/*
 * The addresses where a variable of the point's function has a place; -ENOENT: no variable of that
 * name.
 */
int debuginfo_ranges(struct debuginfo *d, const struct debuginfo_point *p, const char *name,
		     int (*visit)(void *ctx, uint64_t begin, uint64_t end), void *ctx);

/*
 * --- marks that the program's author put in (USDT) ---------------------------------------------
 */

struct debuginfo_mark {
	const char *provider, *name, *arguments; /* "-4@%eax 8@-8(%rbp)" */
	uint64_t address, semaphore;		 /* semaphore: a file offset; 0: none */
};

int debuginfo_marks(struct debuginfo *d, int (*visit)(void *ctx, const struct debuginfo_mark *m),
		    void *ctx, struct errmsg *err);

#endif
