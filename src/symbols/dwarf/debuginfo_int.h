/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debuginfo_int.h - what the files of this folder share. debuginfo.c has the overview.
 *
 *	debuginfo ──┬── units[]       one for each compile unit; walked when first needed
 *	            │     ├── functions[]   those that the source defines, in the order of .debug_info
 *	            │     └── instances[]   their code: functions themselves and inlined copies
 *	            ├── symbols[]     functions of the symbol table, by address
 *	            └── types         a DIE for each type that was returned
 *
 * One arena, freed with the debuginfo, owns everything. A DIE is identified by the address of its
 * bytes, which is unique over the main file, its alternate file and split units.
 */
#ifndef SONDE_SYMBOLS_DWARF_DEBUGINFO_INT_H
#define SONDE_SYMBOLS_DWARF_DEBUGINFO_INT_H

#include "base/arena.h"
#include "format/bytes.h"
#include "symbols/dwarf/debuginfo.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

struct diescan;

#define DIE_DEPTH_MAX	    200		/* nested DIEs */
#define SPELLING_INFO_BYTES (64u << 20) /* do not walk a larger .debug_info for a typing error */

/* A function in the source. */
struct function {
	Dwarf_Die die;	     /* the definition, or the abstract instance of inlined copies */
	const char *name;    /* with namespaces and classes */
	const char *plain;   /* without */
	const char *linkage; /* mangled; NULL in C */
	const char *file;    /* from function_file(), which looks it up once */
	bool has_file;
	struct unit *unit;
};

/* Code of a function. */
struct instance {
	Dwarf_Die die;	 /* a subprogram or an inlined_subroutine, with addresses */
	const void *key; /* address of its function's DIE */
	struct function *function;
	uint64_t entry;
	int parent; /* for an inlined one: the instance that contains it; -1 */
};

struct unit {
	Dwarf_Die die, skeleton; /* see unit_die() */
	Dwarf *dwarf;		 /* the DWARF that contains it */
	Dwarf_Off begin;	 /* of its header in .debug_info */
	Dwarf_Off offset;	 /* of its DIE */
	Dwarf_Word lines;	 /* its table in .debug_line; -1: none */
	Dwarf_Word strings;	 /* its part of .debug_str_offsets; 0: none */
	bool is_split, is_walked, has_attributes;
	bool has_classes; /* a language whose functions can be inside types */
	struct function *functions;
	struct instance *instances;
	size_t n_functions, n_instances;
};

struct symbol {
	const char *name;
	uint64_t address, n_bytes;
	bool is_global;
	bool is_indirect;    /* a resolver, which selects an implementation (IFUNC) */
	const char *version; /* "GLIBC_2.2.5" of "sem_wait@@GLIBC_2.2.5"; NULL: none */
};

/* Grown by doubling outside the arena. */
struct type_table {
	Dwarf_Die *dies;
	uint32_t *slots;       /* by the address of the DIE's bytes: index in dies + 1 */
	uint32_t *definitions; /* for a declaration: index of its definition + 1; 0: not searched */
	size_t n, n_slots;
	uint64_t seed;
};

/* The member that was requested last. */
struct member_cursor {
	const void *of;
	unsigned i;
	Dwarf_Die child;
};

struct debuginfo {
	struct types types; /* first */
	struct type_table table;
	struct member_cursor cursor;
	struct arena arena;
	const struct arch *arch;
	char *path, *debug_path, *source_dir;
	char *search_path; /* for libdwfl: ":.debug:DIR" */
	char *debug_dir;
	char build_id[129];
	const char *remedy; /* from debuginfo_remedy(), which looks it up once */
	Dwfl_Callbacks callbacks;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;     /* of the file itself */
	Dwarf *dwarf; /* NULL: none */
	Dwarf *alternate,
		*nothing; /* .gnu_debugaltlink: the file, or a substitute if it is missing */
	Elf *nothing_elf;
	int alternate_fd;
	uint64_t elf_bias;
	bool is_relocatable; /* a kernel module */
	bool is_kernel;	     /* vmlinux or a module: globals are accessed by symbol */
	bool has_cfi;
	Dwarf_CFI *eh_cfi, *debug_cfi;
	struct piece info, abbrev; /* the sections of that name, when units are listed */
	struct unit *units;
	size_t n_units, n_own_units; /* units of the alternate file follow its own */
	struct symbol *symbols;
	size_t n_symbols;
	unsigned n_asked; /* look-ups of symbols by address */
	bool has_symbols, has_units, is_sorted;
	bool has_refers, refers; /* units refer to each other */
};

#define DEBUGINFO_FILE_MAX_BYTES (8ull << 30) /* a kernel with debug information has 1 GB */

/* --- files.c --- */

/* For libdwfl; userdata is the debuginfo. */
int debuginfo_find_file(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **ret_path);
/* Sets d->alternate, if d->dwarf names one and it exists. */
void debuginfo_open_alternate(struct debuginfo *d);
void debuginfo_close_alternate(struct debuginfo *d);
/*
 * Returns false if libdw must not search the other half of this unit: its name is that of a FIFO or
 * a device.
 */
bool debuginfo_can_split(const struct debuginfo *d, Dwarf_Die *skeleton);

/* --- debuginfo.c --- */

/* The bytes of a section of the file with the DWARF; empty if there is none. */
struct piece debuginfo_section(struct debuginfo *d, const char *name);
/* Does the file have this machine's byte order? */
bool debuginfo_has_our_order(struct debuginfo *d);
const char *debuginfo_strdup(struct debuginfo *d, const char *s);

/* --- class.c --- */

bool class_is_by_address(Dwarf_Die *die);

/* --- units.c --- */

int units_list(struct debuginfo *d);
/*
 * Its DIE; for a split unit the one in the .dwo, or in the file itself; NULL: libdw cannot read it.
 */
Dwarf_Die *unit_die(struct unit *u);
Dwarf_Die *unit_skeleton(struct unit *u);
/* For a unit in the file's own .debug_info with the usual layout. Release it in any case. */
int unit_scan(struct debuginfo *d, struct unit *u, struct diescan *ret_scan);
/*
 * Marks the units that may contain the text as a name. which: n_units flags; the caller frees them;
 * NULL: out of memory.
 */
bool *units_naming(struct debuginfo *d, const char *name, size_t len, bool only_functions);
/*
 * Marks the units that may refer to the DIE, including its own; NULL: none does, or out of memory.
 */
bool *units_referring(struct debuginfo *d, Dwarf_Die *die);
/* Marks the units whose line table may name that file (the last part of its path). */
bool *units_with_file(struct debuginfo *d, const char *name);
/* The unit with the DIE, or the address; NULL: none. */
struct unit *unit_of_die(struct debuginfo *d, Dwarf_Die *die);
struct unit *unit_of_address(struct debuginfo *d, uint64_t address);

/* --- walk.c --- */

/* Fills functions and instances. */
int unit_walk(struct debuginfo *d, struct unit *u);
/* The function of an instance, even if it is in another unit. */
struct function *instance_function(struct debuginfo *d, struct unit *u, struct instance *i);
/* The innermost instance at the address; NULL. */
struct instance *unit_instance_at(struct unit *u, uint64_t address);
/* The same, if top is known to cover it. */
struct instance *instance_innermost(struct unit *u, struct instance *top, uint64_t address);
bool instance_covers(struct instance *i, uint64_t address);
/* File and line of the declaration; NULL, 0. */
const char *function_file(struct function *f);
unsigned function_line(struct function *f);
/* scan: NULL, or that of the unit. */
bool unit_is_c(struct unit *u, const struct diescan *scan);
/* Made by gcc. */
bool unit_is_gnu(struct unit *u);
const char *die_name(Dwarf_Die *die);
bool die_flag(Dwarf_Die *die, unsigned attribute);

/* --- symbols.c --- */

int symbols_list(struct debuginfo *d);
/* It has only names that other files link to. */
bool symbols_are_stripped(struct debuginfo *d);
/* Sorts the list by address. */
void symbols_sort(struct debuginfo *d);
/* The symbol that covers the address, or the one of that name; NULL. */
const struct symbol *symbol_at(struct debuginfo *d, uint64_t address);
const struct symbol *symbol_named(struct debuginfo *d, const char *name);
/* All of that name, in any version. */
int symbols_each_named(struct debuginfo *d, const char *name,
		       int (*visit)(void *ctx, const struct symbol *symbol), void *ctx);
bool symbol_has_version(struct debuginfo *d, const char *name, const char *version);
/* Does it have that name, and that version if one is given? */
bool symbol_has_name(const struct symbol *s, const char *name, const char *version);
/*
 * Code that the compiler split off a function, because it seldom runs (work.cold) or to inline the
 * rest (work.part.0). Callers never call it as that function; .cold is reached by a jump, so there
 * is no return address on the stack.
 */
bool symbol_is_piece(const char *name);
bool symbol_is_cold(const char *name);

/* --- standing.c --- */

/*
 * Why a probe in a program cannot be put there; NULL: it can. Padding is skipped, if the
 * instruction after it is equivalent.
 */
const char *code_trouble(struct debuginfo *d, uint64_t *address);
/*
 * Sets the message, with the nearest later place that works; as FUNCTION+OFFSET, or as an address
 * if there is no function.
 */
int code_refuse(struct debuginfo *d, const char *function, uint64_t entry, uint64_t address,
		const char *why, struct errmsg *err);

/* --- code.c --- */

/* The code from the address to the end of its section; empty if there is no code. */
struct piece code_at(struct debuginfo *d, uint64_t address);
/*
 * Is that offset, from the beginning of an instruction, inside another one? If so, the instruction
 * is between these offsets.
 */
bool code_is_inside(struct debuginfo *d, uint64_t from, uint64_t offset, uint64_t *ret_before,
		    uint64_t *ret_behind);
/*
 * Bytes at a function's entry that are there for the kernel's function tracer, and do not affect
 * the function.
 */
unsigned code_padding(struct debuginfo *d, uint64_t entry);
/* s: NULL if the address has no symbol. */
typedef int (*symbol_visit)(void *ctx, const struct symbol *s, uint64_t address);
/*
 * The implementations that an indirect function can select, until visit returns a negative value;
 * one may come twice.
 */
int symbol_each_choice(struct debuginfo *d, const struct symbol *resolver, symbol_visit visit,
		       void *ctx);

/* --- functions.c --- */

struct function_list {
	struct function **list;
	size_t n, n_room;
};

/*
 * Functions by name, with or without namespaces; file NULL or the end of its path. The caller frees
 * the list.
 */
int debuginfo_find_functions(struct debuginfo *d, const char *name, const char *file,
			     struct function_list *ret_list, struct errmsg *err);
/* "ns::Box::put(int)", which identifies this function; NULL in C. In the arena. */
const char *function_choice(struct debuginfo *d, const struct function *f);
/* -ENOENT with the nearest name. */
int functions_refuse(struct debuginfo *d, const char *name, struct errmsg *err);
/* Its name in C++, without parameters; a C symbol unchanged. In the arena. */
const char *symbol_source_name(struct debuginfo *d, const struct symbol *s);
/*
 * Matches a glob, or a C++ name as in debuginfo_find_functions(). Does not match the symbol itself.
 */
bool symbol_is_meant(const struct symbol *s, const char *name);
/* A variable by its symbol; elsewhere: the file only refers to it. */
bool symbol_of_data(struct debuginfo *d, const char *name, uint64_t *ret_address,
		    bool *ret_is_elsewhere);
/* All instances of a function, in all units; until visit returns a nonzero value. */
int function_each_instance(struct debuginfo *d, struct function *f,
			   int (*visit)(void *ctx, struct unit *u, struct instance *i), void *ctx);

/* --- lines.c --- */

struct line_visit {
	struct unit *unit;
	struct instance *instance; /* for a file: NULL, unless it is known */
	const char *file;
	uint64_t address;
	unsigned line;
	bool begins;  /* the row before belongs to another line: control comes from elsewhere */
	bool is_weak; /* marked as not the beginning of a statement */
};

/* The one of an instance and those around it to which the line belongs. */
struct instance *instance_owning(struct debuginfo *d, struct unit *u, struct instance *innermost,
				 const char *file, unsigned line);
/*
 * Where statements of the function begin, including its first line and calls of inlined functions.
 */
int function_each_line(struct debuginfo *d, struct function *f,
		       int (*visit)(void *ctx, const struct line_visit *v), void *ctx);
/*
 * The same for a file; path: its end. *ret_path, *ret_unit: as in DWARF; NULL if no unit has such a
 * file.
 */
int file_each_line(struct debuginfo *d, const char *path, const char **ret_path,
		   struct unit **ret_unit, int (*visit)(void *ctx, const struct line_visit *v),
		   void *ctx);
/*
 * Does its code mark the beginning of a statement of another line, not counting functions inlined
 * into it?
 */
bool instance_has_statements(struct unit *u, struct instance *inst, unsigned but_line);
/*
 * How often it seems to begin: more than once if a loop around it was unrolled. line: its first
 * line; 0.
 */
unsigned instance_beginnings(struct unit *u, struct instance *inst, unsigned function_line,
			     unsigned *ret_line);
/* The source line that calls an inlined copy; 0. */
unsigned instance_call_line(struct unit *u, struct instance *i, const char **ret_file);
/* Where the body of a function begins, after its prologue; the entry if unknown. */
uint64_t instance_body(struct debuginfo *d, struct unit *u, struct instance *i);
/* True if the path ends with these components. */
bool path_ends_in(const char *path, const char *end);
/* clang names a file twice, with and without its directory. */
bool unit_same_file(struct unit *u, const char *one, const char *two);
/* Where the file is on this machine; the caller frees it; NULL. */
char *source_path(struct debuginfo *d, struct unit *u, const char *path);
const char *unit_directory(struct unit *u);

/* --- points.c --- */

/* It has parameters, and each has one place for the whole function: nothing was optimised. */
bool instance_keeps_in_memory(struct debuginfo *d, struct instance *i);

/* --- scope.c --- */

/* The variables visible at an address inside an instance. In the arena. */
struct scope *scope_new(struct debuginfo *d, struct unit *u, struct instance *i, uint64_t address,
			bool is_return);

/* --- location.c --- */

struct location_site {
	struct debuginfo *d;
	struct unit *unit;
	struct instance *instance; /* NULL: for a global */
	struct instance *outer;	   /* the function around it, which has the frame */
	uint64_t address;
};

/* The stack pointer after the return: a register and an offset; false: unknown. */
bool location_frame(struct debuginfo *d, uint64_t address, unsigned *ret_reg, int64_t *ret_offset);
/* The register that alone is the function's frame base (clang); false: another form. */
bool instance_frame_register(struct instance *i, unsigned *ret_reg);
/* Returns false if such a register is known not to be set there. */
bool location_has_frame(struct debuginfo *d, struct instance *i, uint64_t address);
/*
 * The variable's place there; PLACE_NOWHERE with why if it has none. argument: the index of the
 * parameter; -1.
 */
void location_get(const struct location_site *site, Dwarf_Die *variable, int argument,
		  struct variable *ret);

/* --- kept.c --- */

/* Whether a register holds what a location without an address list assumes. */
enum kept { KEPT, KEPT_NOT_YET, KEPT_NO_MORE };

enum kept register_is_kept(const struct location_site *site, unsigned reg);
/*
 * In optimised code: has a parameter that came in registers been stored in the frame on every path
 * to the site?
 */
bool parameter_is_stored(const struct location_site *site, const struct place *place,
			 uint64_t n_bytes);

/* --- convention.c --- */

/* Where the caller puts the parameter of the function around the site; false: not certain. */
bool parameter_by_convention(const struct location_site *site, int argument, struct place *ret);

/* --- stored.c --- */

/*
 * The register whose value the function's first instructions store at that offset from the stack
 * pointer at the entry; -1: unknown.
 */
int code_stored_register(struct debuginfo *d, uint64_t entry, int64_t offset, uint64_t n_bytes);

/* --- where.c --- */

/* Why: a clause about the lines where the variable has a place: "it lives only at lines 12-15". */
void location_explain(const struct location_site *site, Dwarf_Attribute *location,
		      struct variable *v);

/* --- types.c --- */

void types_init(struct debuginfo *d);
void types_release(struct debuginfo *d);
/* The type of something that has one; void if it has none. */
struct type type_of_die(struct debuginfo *d, Dwarf_Die *die);
bool die_is_type(Dwarf_Die *die, enum type_kind kind);

/* --- typenames.c --- */

bool find_type_die(struct debuginfo *d, enum type_kind kind, const char *name, size_t len,
		   Dwarf_Die *ret);
void each_type_name(struct debuginfo *d, enum type_kind kind,
		    void (*visit)(void *ctx, const char *name), void *ctx);

#endif
