/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debuginfo.h - the functions, lines and variables of a program, a library, a module or the kernel, from
 * its ELF symbols and its DWARF.
 *
 *	debuginfo_open ─▶ debuginfo_functions, _lines, _points ─▶ each point's scope ─▶ debuginfo_close
 *
 * The DWARF may be in the file itself, or in another one found by build id or by name
 * (/usr/lib/debug/.build-id/…, .gnu_debuglink, /usr/lib/debug/PATH, alternate files), and the symbols in
 * a compressed .gnu_debugdata. Without DWARF functions still have names and addresses, and no variables.
 *
 * Addresses are those of the ELF file (before relocation); debuginfo_file_offset() turns them into what
 * uprobes take.
 */
#ifndef SONDE_SYMBOLS_DWARF_DEBUGINFO_H
#define SONDE_SYMBOLS_DWARF_DEBUGINFO_H

#include "symbols/place.h"

struct arch;
struct errmsg;
struct debuginfo;

struct debuginfo_paths {
	const char *path;	/* the program, library, vmlinux or .ko; must be given */
	const char *debug_dir;	/* NULL: /usr/lib/debug */
	const char *source_dir; /* NULL: as DWARF says; where sources are looked for first */
};

int debuginfo_open(struct debuginfo **ret_info, const struct debuginfo_paths *paths,
		   struct errmsg *err);
void debuginfo_close(struct debuginfo *d);

bool debuginfo_has_dwarf(const struct debuginfo *d);
/* Where there is none, what helps: "install bash-dbgsym (from the debug archive), or build it with -g". */
const char *debuginfo_remedy(struct debuginfo *d);
/* The whole sentence, with where it was looked for; -ENODATA. */
int debuginfo_refuse_dwarf(struct debuginfo *d, struct errmsg *err);
/* Whether functions have names at all; a stripped program has none. */
bool debuginfo_has_symbols(struct debuginfo *d);
/* Where a program begins; 0: nowhere. */
uint64_t debuginfo_entry(const struct debuginfo *d);
/* The name of a symbol, whether it is its own or another file's, or of a section. */
bool debuginfo_has_name(const struct debuginfo *d, const char *name);
/* The file that has the DWARF, or NULL; the build id as hex digits, "" without one. */
const char *debuginfo_dwarf_path(const struct debuginfo *d);
const char *debuginfo_build_id(const struct debuginfo *d);
const struct arch *debuginfo_arch(const struct debuginfo *d);
const struct types *debuginfo_types(const struct debuginfo *d);

/* --- names ------------------------------------------------------------------------------------- */

struct debuginfo_function {
	const char *name; /* as in the source: "work", "ns::Box::get" */
	const char *
		choice; /* with its parameters, "ns::Box::put(int)", if another has that name; NULL */
	const char *
		symbol; /* of the symbol table: "work.isra.0", "_ZN2ns3Box3getEv"; NULL: inlined only */
	uint64_t address; /* 0: inlined everywhere */
	uint64_t n_bytes;
	const char *file; /* NULL: not known */
	unsigned line;
	unsigned n_inlined; /* copies inside others */
	bool is_alias;	    /* symbol differs from name by .isra, .constprop, .part, .cold */
};

/* Whether a name means several: "wor*". Parameters behind it, "put(char*)", do not. */
bool debuginfo_is_glob(const char *name);
/* Whether there is a function of that name, which may have parameters behind it; a glob is none. */
bool debuginfo_has_function(struct debuginfo *d, const char *name);

/* All of them, by name; pattern NULL or a glob, perhaps with parameters: "ns::Box::put(int)". */
int debuginfo_functions(struct debuginfo *d, const char *pattern,
			int (*visit)(void *ctx, const struct debuginfo_function *f), void *ctx,
			struct errmsg *err);

/* --- lines ------------------------------------------------------------------------------------- */

struct debuginfo_line {
	unsigned line;	   /* of the file */
	bool is_probeable; /* a statement starts here */
};

struct debuginfo_source {
	char *path; /* of the source text, as found or as DWARF names it */
	bool is_found;
	unsigned first, last;	/* what was asked for, cut to the file or the function */
	unsigned function_line; /* 0: lines of a file were asked for */
	const char *function;
	unsigned n_others; /* functions of that name elsewhere in the source */
	const char *other; /* "ns::Box::put(int)": one of them in the same file; NULL: none is */
	struct debuginfo_line *lines;
	size_t n_lines;
};

/* "FUNC", "FUNC@SRC", with lines of the function, or lines of "SRC"; first 0: all. Free with _release. */
int debuginfo_source(struct debuginfo *d, const char *function, const char *file, unsigned first,
		     unsigned last, struct debuginfo_source *ret_source, struct errmsg *err);
void debuginfo_source_release(struct debuginfo_source *s);

/* --- points ------------------------------------------------------------------------------------ */

/* What a definition says of its place; what is not given is NULL or 0. */
struct debuginfo_where {
	const char *function, *file;
	unsigned line; /* of the file, or with a function counted from its first line (0 is that) */
	bool has_line;
	uint64_t offset;     /* bytes from the function's entry */
	const char *pattern; /* a lazy line pattern */
	bool is_return;
	/*
	 * Variables will be read: at the entry of a function that keeps all of them in memory (-O0) the
	 * point is moved behind the prologue, where they have arrived.
	 */
	bool wants_variables;
	bool no_inlines; /* leave inlined copies out */
	bool is_probed;	 /* of a program: where no probe can stand is left out, or refused */
};

/* One instruction, and what can be seen there. */
struct debuginfo_point {
	struct scope *
		scope; /* NULL: only the symbol is known, no variables; lives as long as the debuginfo */
	uint64_t address;
	const char *symbol; /* the ELF symbol that covers it, and how far it is from that */
	uint64_t symbol_offset;
	const char *function; /* as in the source, of the function it belongs to in the source */
	const char *choice;   /* the same with its parameters, "ns::Box::put(int)"; NULL: not C++ */
	const char *inlined_into; /* NULL: it is the function itself */
	const char *file;
	unsigned line;
	bool is_behind_prologue; /* moved, because of wants_variables */
	/* Then: the stack as the caller left it, frame_reg + frame_offset; has_frame: it is known. */
	bool has_frame;
	unsigned frame_reg; /* DWARF's number */
	int64_t frame_offset;
};

struct debuginfo_points {
	struct debuginfo_point *list;
	size_t n;
	struct debuginfo *owner;
	unsigned n_inlined; /* copies that were left out: they do not return, or were not wanted */
	const char *indirect; /* what was meant chooses among these when a program starts; NULL */
	const char *shared;   /* … and another such function that chooses among them, too; NULL */
	unsigned
		n_bare; /* functions without debug information that were left out: variables are wanted */
	unsigned
		n_variants; /* of constructors and destructors that were left out: they call another one */
	unsigned
		n_unclear; /* copies with a line that was meant, which do not say where it begins */
	unsigned
		n_repeated; /* inlined copies that may begin several times, as of a loop that was unrolled: only the first is meant */
	unsigned repeated_line; /* … the first line of one */
	unsigned n_refused; /* instructions on which the kernel's probes in programs cannot stand */
	const char *refused; /* … why the first cannot; NULL */
};

/*
 * Every instruction that is meant: one for each copy of an inlined function. -ENOENT with a sentence that
 * names the nearest function, or the nearest line that can be probed; -EINVAL for a return of what is only
 * inlined, and for an offset into the middle of an instruction; -EOPNOTSUPP if no probe can stand on any of them, with the
 * nearest place where one can.
 */
int debuginfo_points(struct debuginfo *d, const struct debuginfo_where *where,
		     struct debuginfo_points *ret_points, struct errmsg *err);
void debuginfo_points_release(struct debuginfo_points *p);

/*
 * -EINVAL if it is known that no instruction begins there, with the nearest that do; -EOPNOTSUPP if no probe of a program can
 * stand on it.
 */
int debuginfo_check_address(struct debuginfo *d, uint64_t address, struct errmsg *err);

/* Where a loaded byte stands in the file; -ENOENT if the address is in no loaded segment. */
int debuginfo_file_offset(const struct debuginfo *d, uint64_t address, uint64_t *ret_offset);
/* The same of code: a breakpoint in data would change what the program reads. */
int debuginfo_code_offset(const struct debuginfo *d, uint64_t address, uint64_t *ret_offset);

/*
 * Whether the variable at that address may be elsewhere while the library runs: in a program that has a copy of it. slot: where
 * the library keeps a pointer to the one that is in use; 0: it has none.
 */
bool debuginfo_may_be_copied(struct debuginfo *d, uint64_t address, uint64_t *ret_slot);

/* --- the other way round ----------------------------------------------------------------------- */

/* What is at an address. What is not known is NULL or 0. */
struct debuginfo_at {
	const char *function;	      /* as in the source, also of an inlined copy */
	const char *linkage;	      /* its mangled name; NULL in C, and of copies */
	const char *file;	      /* as DWARF names it */
	unsigned line, function_line; /* of the file */
	bool begins_line;	      /* no instruction of the line stands before it */
	bool is_entry;		      /* the first instruction of the function itself */
	const char *symbol;	      /* the ELF symbol that covers it */
	uint64_t symbol_offset;
};

/* -ENOENT: neither a function nor a symbol covers it. */
int debuginfo_at(struct debuginfo *d, uint64_t address, struct debuginfo_at *ret_at);
/*
 * The functions of the symbol table, one for each address, as the source calls them, then the program's jumps to functions of
 * libraries; until visit is negative. n_bytes 0: not known.
 */
int debuginfo_each_symbol(struct debuginfo *d,
			  int (*visit)(void *ctx, const char *name, uint64_t address,
				       uint64_t n_bytes),
			  void *ctx);
/* The address of code at an offset into the file; the opposite of debuginfo_file_offset(). */
int debuginfo_address(const struct debuginfo *d, uint64_t file_offset, uint64_t *ret_address);

/* The variables outside of functions in the point's unit of source, those that have a place. */
int debuginfo_globals(struct debuginfo *d, const struct debuginfo_point *p,
		      int (*visit)(void *ctx, const struct variable *v), void *ctx);
/* The addresses where a variable of the point's function has a place; -ENOENT: there is none of the name. */
int debuginfo_ranges(struct debuginfo *d, const struct debuginfo_point *p, const char *name,
		     int (*visit)(void *ctx, uint64_t begin, uint64_t end), void *ctx);

/* --- marks that the program's author put in (USDT) --------------------------------------------- */

struct debuginfo_mark {
	const char *provider, *name, *arguments; /* "-4@%eax 8@-8(%rbp)" */
	uint64_t address, semaphore;		 /* semaphore: a file offset; 0: it has none */
};

int debuginfo_marks(struct debuginfo *d, int (*visit)(void *ctx, const struct debuginfo_mark *m),
		    void *ctx, struct errmsg *err);

#endif
