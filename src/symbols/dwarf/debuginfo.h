/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * debuginfo.h - the functions, lines and variables of a program, a library, a module or the kernel,
 * from its ELF symbols and its DWARF.
 *
 *  debuginfo_open ─▶ debuginfo_functions, _lines, _points ─▶ each point's scope ─▶ debuginfo_close
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

#include "base/scope.h"
#include "symbols/place.h"

struct arch;
struct errmsg;
struct debuginfo;

struct debuginfo_paths {
	const char *path;	/* the program, library, vmlinux or .ko; required */
	const char *debug_dir;	/* NULL: /usr/lib/debug */
	const char *source_dir; /* searched first for source files; NULL: use DWARF's paths */
	bool only_symbols;	/* ignore DWARF: opening is much faster */
};

int debuginfo_open(struct debuginfo **ret_info, const struct debuginfo_paths *paths,
		   struct errmsg *err);
void debuginfo_close(struct debuginfo *d);
SCOPED_POINTER(struct debuginfo, debuginfo_close)

bool debuginfo_has_dwarf(const struct debuginfo *d);
/*
 * Returns the remedy if there is no DWARF: "install bash-dbgsym (from the debug archive), or build
 * it with -g".
 */
const char *debuginfo_remedy(struct debuginfo *d);
/* Sets the message that there is no DWARF, with the places that were searched. Returns -ENODATA. */
int debuginfo_refuse_dwarf(struct debuginfo *d, struct errmsg *err);
/* Returns true if functions have names. A stripped program has none. */
bool debuginfo_has_symbols(struct debuginfo *d);
/*
 * Returns true if there are symbols outside the file's own tables: in a separate debug file, or in
 * .gnu_debugdata.
 */
bool debuginfo_has_more_symbols(struct debuginfo *d);
/* Returns the address where a program starts, or 0. */
uint64_t debuginfo_entry(const struct debuginfo *d);
/* Returns true if there is a section, or a symbol of that name, defined here or in another file. */
bool debuginfo_has_name(const struct debuginfo *d, const char *name);
/* Returns the file with the DWARF, or NULL. */
const char *debuginfo_dwarf_path(const struct debuginfo *d);
/* Returns the build id as hex digits, or "" if there is none. */
const char *debuginfo_build_id(const struct debuginfo *d);
const struct arch *debuginfo_arch(const struct debuginfo *d);
const struct types *debuginfo_types(const struct debuginfo *d);

/*
 * --- names -------------------------------------------------------------------------------------
 */

struct debuginfo_function {
	const char *name; /* the name as in the source: "work", "ns::Box::get" */
	const char *
		/*
		 * the name with parameters, "ns::Box::put(int)", if another function has the same
		 * name; else NULL
		 */
		choice;
	const char *
		/*
		 * the name in the symbol table: "work.isra.0", "_ZN2ns3Box3getEv"; NULL: the
		 * function is only inlined
		 */
		symbol;
	uint64_t address; /* 0: the function is inlined everywhere */
	uint64_t n_bytes;
	const char *file; /* NULL: unknown */
	unsigned line;
	unsigned n_inlined; /* number of inlined copies */
	bool is_alias;	    /* symbol differs from name by .isra, .constprop, .part, .cold */
};

/*
 * Returns true if the name is a pattern: "wor*". Stars in the parameters after it, "put(char*)", do
 * not count.
 */
bool debuginfo_is_glob(const char *name);
/* Returns true if there is a function of that name, perhaps with parameters. Not for a glob. */
bool debuginfo_has_function(struct debuginfo *d, const char *name);

/*
 * Visits all functions, sorted by name. pattern is NULL or a glob, perhaps with parameters:
 * "ns::Box::put(int)".
 */
int debuginfo_functions(struct debuginfo *d, const char *pattern,
			int (*visit)(void *ctx, const struct debuginfo_function *f), void *ctx,
			struct errmsg *err);

/*
 * --- lines -------------------------------------------------------------------------------------
 */

struct debuginfo_line {
	unsigned line;	   /* line number in the file */
	bool is_probeable; /* a statement starts here */
};

struct debuginfo_source {
	char *path; /* path of the source text, as found or as in DWARF */
	bool is_found;
	unsigned first, last;	/* the requested range, limited to the file or the function */
	unsigned function_line; /* first line of the function; 0: lines of a file were requested */
	const char *function;
	unsigned n_others; /* number of functions of that name elsewhere in the source */
	/* "ns::Box::put(int)", another function of that name in the same file; NULL: none */
	const char *other;
	struct debuginfo_line *lines;
	size_t n_lines;
};

/*
 * Finds lines of "FUNC", of "FUNC@SRC" or of the file "SRC". first 0 means all lines. Release the
 * result with debuginfo_source_release().
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
	/* line in the file; with a function, relative to its first line, which is 0 */
	unsigned line;
	bool has_line;
	uint64_t offset;     /* bytes from the function's entry */
	const char *pattern; /* a lazy line pattern */
	bool is_return;
	/*
	 * Variables will be read. At the entry of a function that keeps all variables in memory
	 * (-O0), the point is moved after the prologue, which stores them.
	 */
	bool wants_variables;
	bool no_inlines; /* skip inlined copies */
	bool is_probed;	 /* for a probe in a program: skip or refuse places that cannot be probed */
};

/* One instruction, and the variables visible there. */
struct debuginfo_point {
	struct scope *
		/* NULL: only the symbol is known, no variables; valid as long as the debuginfo */
		scope;
	uint64_t address;
	const char *symbol; /* the ELF symbol that covers the address, and the distance */
	uint64_t symbol_offset;
	/* the name, as in the source, of the function to which the instruction belongs */
	const char *function;
	const char *choice; /* that name with parameters, "ns::Box::put(int)"; NULL: not C++ */
	/* the function that contains the inlined copy; NULL: the code is not inlined */
	const char *inlined_into;
	const char *file;
	unsigned line;
	bool is_behind_prologue; /* the point was moved because of wants_variables */
	/*
	 * After a move: frame_reg + frame_offset is the stack pointer before the call. has_frame is
	 * false if it is unknown.
	 */
	bool has_frame;
	unsigned frame_reg; /* DWARF number */
	int64_t frame_offset;
};

struct debuginfo_points {
	struct debuginfo_point *list;
	size_t n;
	struct debuginfo *owner;
	unsigned n_inlined; /* skipped copies: they do not return, or were not requested */
	/*
	 * the requested function, if it selects one of these points when a program starts (IFUNC);
	 * else NULL
	 */
	const char *indirect;
	const char *shared; /* another function that also selects among them; NULL: none */
	unsigned
		/* skipped functions without debug information, because variables are wanted */
		n_bare;
	unsigned
		/* skipped constructors and destructors, because they call another point */
		n_variants;
	unsigned n_unclear; /* copies with a requested line that do not mark where it begins */
	unsigned
		/*
		 * inlined copies that may begin several times, as in an unrolled loop; only the
		 * first beginning is used
		 */
		n_repeated;
	unsigned repeated_line; /* the first line of one such copy */
	unsigned n_refused;  /* instructions that the kernel's probes in programs do not support */
	const char *refused; /* the reason for the first refused instruction; NULL: none */
};

/*
 * Finds every instruction of the place: one for each copy of an inlined function. Errors: -ENOENT
 * with a message that names the nearest function, or the nearest line that can be probed; -EINVAL
 * for a return of a function that is only inlined, and for an offset into the middle of an
 * instruction; -EOPNOTSUPP if none of them can be probed, with the nearest place that can.
 */
int debuginfo_points(struct debuginfo *d, const struct debuginfo_where *where,
		     struct debuginfo_points *ret_points, struct errmsg *err);
void debuginfo_points_release(struct debuginfo_points *p);

/*
 * Checks an address. Returns -EINVAL, with the nearest instructions, if certainly no instruction
 * begins there. Returns -EOPNOTSUPP if a probe in a program cannot be put there.
 */
int debuginfo_check_address(struct debuginfo *d, uint64_t address, struct errmsg *err);

/*
 * Finds the position of a loaded byte in the file. Returns -ENOENT if the address is in no loaded
 * segment.
 */
int debuginfo_file_offset(const struct debuginfo *d, uint64_t address, uint64_t *ret_offset);
/*
 * Like debuginfo_file_offset(), but only for code: a breakpoint in data would change what the
 * program reads.
 */
int debuginfo_code_offset(const struct debuginfo *d, uint64_t address, uint64_t *ret_offset);

/*
 * Returns true if a program may have a copy of the library's variable at that address, and uses the
 * copy. *ret_slot is the place where the library keeps a pointer to the variable in use, or 0.
 */
bool debuginfo_may_be_copied(struct debuginfo *d, uint64_t address, uint64_t *ret_slot);

/*
 * --- the other way round -----------------------------------------------------------------------
 */

/* The function, line and symbol at an address. NULL or 0 means unknown. */
struct debuginfo_at {
	const char *function;	      /* name as in the source, also for an inlined copy */
	const char *linkage;	      /* mangled name of the function; NULL in C, and for copies */
	const char *file;	      /* as DWARF names it */
	unsigned line, function_line; /* line numbers in the file */
	bool begins_line;	      /* no instruction of the line is before the address */
	bool is_entry;		      /* the first instruction of the function itself */
	const char *symbol;	      /* the ELF symbol that covers the address */
	uint64_t symbol_offset;
};

/* Returns -ENOENT if neither a function nor a symbol covers the address. */
int debuginfo_at(struct debuginfo *d, uint64_t address, struct debuginfo_at *ret_at);
/* A function whose code is at an address, and the line that it executes there. */
struct debuginfo_frame {
	const char *function; /* name as in the source */
	const char *linkage;  /* its symbol, if DWARF has one: mangled, or an alias; else NULL */
	const char *file;     /* as DWARF names it; NULL: unknown */
	unsigned line;	      /* 0: unknown */
	bool is_inlined;
};

/*
 * Finds all functions at an address: the innermost inlined copy first, the function that contains
 * all of them last. Only DWARF has them. Returns their number, at most max.
 */
size_t debuginfo_frames(struct debuginfo *d, uint64_t address, struct debuginfo_frame *frames,
			size_t max);
/*
 * Finds where the function that begins at an address is in the source; if it is none, the line of
 * the code there. *ret_file is as DWARF names it. It is quick for addresses in ascending order.
 * Returns -ENOENT if it is unknown.
 */
int debuginfo_find_source(struct debuginfo *d, uint64_t address, const char **ret_file,
			  unsigned *ret_line);
/*
 * Visits the functions of the symbol table, one for each address, with their source names, and then
 * the program's jumps to functions of libraries. Stops when visit returns a negative value. n_bytes
 * is 0 if unknown.
 */
int debuginfo_each_symbol(struct debuginfo *d,
			  int (*visit)(void *ctx, const char *name, uint64_t address,
				       uint64_t n_bytes),
			  void *ctx);
/*
 * Finds the address of code at an offset in the file. This is the reverse of
 * debuginfo_file_offset().
 */
int debuginfo_address(const struct debuginfo *d, uint64_t file_offset, uint64_t *ret_address);

/* A function that begins at an address. */
struct debuginfo_entry {
	struct scope *scope; /* at its first instruction; lives as long as the debuginfo */
	/* Its parameters are where the calling convention says: the compiler has dropped none. */
	bool keeps_convention;
};

/* -ENOENT: no function with debug information begins there. */
int debuginfo_find_entry(struct debuginfo *d, uint64_t address, struct debuginfo_entry *ret);

/* Visits the variables outside functions in the point's compile unit that have a place. */
int debuginfo_globals(struct debuginfo *d, const struct debuginfo_point *p,
		      int (*visit)(void *ctx, const struct variable *v), void *ctx);
/*
 * Visits the address ranges where a variable of the point's function has a place. Returns -ENOENT
 * if there is no variable of that name.
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
