/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * debuginfo_int.h - declarations that the files of this folder share. debuginfo.c has the overview.
 *
 *	debuginfo ──┬── units[]       one for each compile unit; walked when first needed
 *	            │     ├── functions[]   functions that the source defines, in the order of
 *	                                    .debug_info
 *	            │     └── instances[]   their code: functions themselves and inlined copies
 *	            ├── symbols[]     functions of the symbol table, by address
 *	            └── types         a DIE for each type that was returned
 *
 * One arena, freed with the debuginfo, owns everything. A DIE is identified by the address of its
 * bytes, which is unique over the main file, its alternate file and split units.
 */
#ifndef SONDE_SYMBOLS_DWARF_DEBUGINFO_INT_H
#define SONDE_SYMBOLS_DWARF_DEBUGINFO_INT_H

#include "base/map.h"
#include "base/arena.h"
#include "format/bytes.h"
#include "symbols/dwarf/debuginfo.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#define DIE_DEPTH_MAX	    200 /* nested DIEs */
/* a larger .debug_info is not walked to correct a typing error */
#define SPELLING_INFO_BYTES (64u << 20)

/* A function in the source. */
struct function {
	Dwarf_Die die;	     /* the definition, or the abstract instance of inlined copies */
	const char *name;    /* with namespaces and classes */
	const char *plain;   /* without namespaces and classes */
	const char *linkage; /* mangled name; NULL in C */
	const char *file;    /* cached result of function_file() */
	bool has_file;
	struct unit *unit;
};

/* Code of a function. */
struct instance {
	Dwarf_Die die;	 /* a subprogram or an inlined_subroutine, with addresses */
	const void *key; /* address of the DIE of the instance's function */
	struct function *function;
	uint64_t entry;
	int parent; /* index of the instance that contains an inlined copy; -1: none */
};

struct unit {
	Dwarf_Die die;	    /* for a split unit: the DIE in the .dwo, or in the file itself */
	Dwarf_Die skeleton; /* DIE in the file itself */
	Dwarf_Off offset;   /* offset of the DIE */
	Dwarf_Word lines;   /* offset of its table in .debug_line; -1: none */
	Dwarf_Word strings; /* offset of its part of .debug_str_offsets; 0: none */
	bool is_split, is_walked, has_attributes;
	bool has_classes; /* the language of the unit allows functions inside types */
	struct function *functions;
	struct instance *instances;
	size_t n_functions, n_instances;
};

struct symbol {
	const char *name;
	uint64_t address, n_bytes;
	bool is_global;
	bool is_indirect;    /* the symbol is a resolver, which selects an implementation (IFUNC) */
	const char *version; /* "GLIBC_2.2.5" of "sem_wait@@GLIBC_2.2.5"; NULL: none */
};

/* The DIEs of types. The table is outside the arena and grows by doubling. */
struct type_table {
	Dwarf_Die *dies;
	struct map numbers;    /* index in dies + 1, by the address of the DIE's bytes */
	uint32_t *definitions; /* for a declaration: index of its definition + 1; 0: not searched */
	size_t n, dies_room, definitions_room;
};

/* The member that was requested last, for sequential access. */
struct member_cursor {
	const void *of;
	unsigned i;
	Dwarf_Die child;
};

struct debuginfo {
	struct types types; /* must be the first member */
	struct type_table table;
	struct member_cursor cursor;
	struct arena arena;
	const struct arch *arch;
	char *path, *debug_path, *source_dir;
	char *search_path; /* for libdwfl: ":.debug:DIR" */
	char *debug_dir;
	char build_id[129];
	struct unit *last_unit; /* of debuginfo_find_source() */
	const char *remedy;	/* cached result of debuginfo_remedy() */
	Dwfl_Callbacks callbacks;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;     /* the file itself */
	Dwarf *dwarf; /* NULL: none */
	Dwarf *alternate,
		/* file named by .gnu_debugaltlink, and the empty substitute if it is missing */
		*nothing;
	Elf *nothing_elf;
	int alternate_fd;
	uint64_t elf_bias;
	bool is_relocatable; /* a kernel module */
	bool is_kernel;	     /* vmlinux or a module: globals are accessed by symbol name */
	bool has_cfi;
	Dwarf_CFI *eh_cfi, *debug_cfi;
	struct piece info; /* .debug_info, from when units are listed */
	struct unit *units;
	/* n_units includes the units of the alternate file, which follow the own units */
	size_t n_units, n_own_units;
	struct symbol *symbols;
	size_t n_symbols;
	unsigned n_asked; /* number of look-ups of symbols by address */
	bool has_symbols, has_units, is_sorted;
	/* refers: units refer to each other; has_refers: refers is known */
	bool has_refers, refers;
};

#define DEBUGINFO_FILE_MAX_BYTES (8ull << 30) /* a kernel with debug information has 1 GB */

/* --- files.c --- */

/* Callback of libdwfl; userdata is the debuginfo. */
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

/* Returns the bytes of a section of the file with the DWARF, or an empty piece. */
struct piece debuginfo_section(struct debuginfo *d, const char *name);
/* Returns true if the file has this machine's byte order. */
bool debuginfo_has_our_order(struct debuginfo *d);
const char *debuginfo_strdup(struct debuginfo *d, const char *s);

/* --- class.c --- */

bool class_is_by_address(Dwarf_Die *die);

/* --- units.c --- */

int units_list(struct debuginfo *d);
/*
 * Marks the units that may contain the text as a name. Returns n_units flags, which the caller
 * frees, or NULL if out of memory.
 */
bool *units_naming(struct debuginfo *d, const char *name, size_t len);
/*
 * Marks the units that may refer to the DIE, including its own. Returns NULL if there are none, or
 * if out of memory.
 */
bool *units_referring(struct debuginfo *d, Dwarf_Die *die);
/* Marks the units whose line table may name that file (the last part of its path). */
bool *units_with_file(struct debuginfo *d, const char *name);
/* Finds the unit with the DIE, or with the address. Returns NULL if there is none. */
struct unit *unit_of_die(struct debuginfo *d, Dwarf_Die *die);
struct unit *unit_of_address(struct debuginfo *d, uint64_t address);

/* --- walk.c --- */

/* Fills functions and instances of a unit. */
int unit_walk(struct debuginfo *d, struct unit *u);
/* Finds the function of an instance, even if it is in another unit. */
struct function *instance_function(struct debuginfo *d, struct unit *u, struct instance *i);
/* Finds the innermost instance at the address, or returns NULL. */
struct instance *unit_instance_at(struct unit *u, uint64_t address);
/* Like unit_instance_at(), if top is known to cover the address. */
struct instance *instance_innermost(struct unit *u, struct instance *top, uint64_t address);
bool instance_covers(struct instance *i, uint64_t address);
/* Returns the file of the declaration, or NULL if it is unknown. */
const char *function_file(struct function *f);
/* Returns the line of the declaration, or 0 if it is unknown. */
unsigned function_line(struct function *f);
/* Returns true if gcc made the unit. */
bool unit_is_gnu(struct unit *u);
const char *die_name(Dwarf_Die *die);
bool die_flag(Dwarf_Die *die, unsigned attribute);

/* --- symbols.c --- */

int symbols_list(struct debuginfo *d);
/* Returns true if the file has only the names that other files link to. */
bool symbols_are_stripped(struct debuginfo *d);
/* Sorts the list by address. */
void symbols_sort(struct debuginfo *d);
/*
 * Finds the symbol that covers the address, or the symbol of that name. Returns NULL if there is
 * none.
 */
const struct symbol *symbol_at(struct debuginfo *d, uint64_t address);
const struct symbol *symbol_named(struct debuginfo *d, const char *name);
/* Visits all symbols of that name, in any version. */
int symbols_each_named(struct debuginfo *d, const char *name,
		       int (*visit)(void *ctx, const struct symbol *symbol), void *ctx);
bool symbol_has_version(struct debuginfo *d, const char *name, const char *version);
/* Returns true if the symbol has that name, and that version if one is given. */
bool symbol_has_name(const struct symbol *s, const char *name, const char *version);
/*
 * Returns true for code that the compiler split off a function, because it seldom runs (work.cold)
 * or to inline the rest (work.part.0). Callers never call such code as that function. A jump leads
 * to .cold, so there is no return address on the stack.
 */
bool symbol_is_piece(const char *name);
bool symbol_is_cold(const char *name);

/* --- standing.c --- */

/*
 * Returns why a probe in a program cannot be put there, or NULL if it can. Moves *address after
 * padding, if the instruction there is equivalent.
 */
const char *code_trouble(struct debuginfo *d, uint64_t *address);
/*
 * Sets the message, with the nearest later place that works, as FUNCTION+OFFSET, or as an address
 * if there is no function.
 */
int code_refuse(struct debuginfo *d, const char *function, uint64_t entry, uint64_t address,
		const char *why, struct errmsg *err);

/* --- code.c --- */

/* Returns the code from the address to the end of its section, or an empty piece. */
struct piece code_at(struct debuginfo *d, uint64_t address);
/*
 * Returns true if from + offset is inside an instruction; from is the beginning of an instruction.
 * Then the two results are the offsets where that instruction begins and ends.
 */
bool code_is_inside(struct debuginfo *d, uint64_t from, uint64_t offset, uint64_t *ret_before,
		    uint64_t *ret_behind);
/*
 * Returns the number of bytes at a function's entry that only serve the kernel's function tracer.
 */
unsigned code_padding(struct debuginfo *d, uint64_t entry);
/* s is NULL if the address has no symbol. */
typedef int (*symbol_visit)(void *ctx, const struct symbol *s, uint64_t address);
/*
 * Visits the implementations that an indirect function can select, until visit returns a negative
 * value. An implementation may come twice.
 */
int symbol_each_choice(struct debuginfo *d, const struct symbol *resolver, symbol_visit visit,
		       void *ctx);

/* --- functions.c --- */

struct function_list {
	struct function **list;
	size_t n, n_room;
};

/*
 * Finds functions by name, with or without namespaces. file is NULL or the end of a path. The
 * caller frees the list.
 */
int debuginfo_find_functions(struct debuginfo *d, const char *name, const char *file,
			     struct function_list *ret_list, struct errmsg *err);
/*
 * Returns "ns::Box::put(int)", which identifies this function, or NULL in C. The text is in the
 * arena.
 */
const char *function_choice(struct debuginfo *d, const struct function *f);
/* Returns -ENOENT with a message that suggests the nearest name. */
int functions_refuse(struct debuginfo *d, const char *name, struct errmsg *err);
/* Returns the symbol's name in C++, without parameters, in the arena; a C symbol is unchanged. */
const char *symbol_source_name(struct debuginfo *d, const struct symbol *s);
/*
 * Matches a glob, or a C++ name as in debuginfo_find_functions(). Does not match the symbol itself.
 */
bool symbol_is_meant(const struct symbol *s, const char *name);
/* Finds a variable by its symbol. *ret_is_elsewhere is set if the file only refers to it. */
bool symbol_of_data(struct debuginfo *d, const char *name, uint64_t *ret_address,
		    bool *ret_is_elsewhere);
/* Visits all instances of a function, in all units, until visit returns a nonzero value. */
int function_each_instance(struct debuginfo *d, struct function *f,
			   int (*visit)(void *ctx, struct unit *u, struct instance *i), void *ctx);

/* --- lines.c --- */

struct line_visit {
	struct unit *unit;
	struct instance *instance; /* instance with the line; for a file, NULL unless it is known */
	const char *file;
	uint64_t address;
	unsigned line;
	bool begins;  /* the row before belongs to another line, so control comes from elsewhere */
	bool is_weak; /* the row is marked as not the beginning of a statement */
};

/* Returns the instance to which the line belongs: the given one, or one of those around it. */
struct instance *instance_owning(struct debuginfo *d, struct unit *u, struct instance *innermost,
				 const char *file, unsigned line);
/*
 * Visits the addresses where statements of the function begin, including its first line and calls
 * of inlined functions.
 */
int function_each_line(struct debuginfo *d, struct function *f,
		       int (*visit)(void *ctx, const struct line_visit *v), void *ctx);
/*
 * Like function_each_line(), for a file whose path ends with `path`. *ret_path and *ret_unit are
 * those of DWARF, or NULL if no unit has such a file.
 */
int file_each_line(struct debuginfo *d, const char *path, const char **ret_path,
		   struct unit **ret_unit, int (*visit)(void *ctx, const struct line_visit *v),
		   void *ctx);
/*
 * Returns true if the code of the instance, without functions inlined into it, marks the beginning
 * of a statement of another line.
 */
bool instance_has_statements(struct unit *u, struct instance *inst, unsigned but_line);
/*
 * Returns how often the instance seems to begin: more than once if a loop around it was unrolled.
 * *ret_line is its first line, or 0.
 */
unsigned instance_beginnings(struct unit *u, struct instance *inst, unsigned function_line,
			     unsigned *ret_line);
/* Returns the source line that calls an inlined copy, or 0. */
unsigned instance_call_line(struct unit *u, struct instance *i, const char **ret_file);
/* Returns where the body of a function begins, after its prologue; the entry if unknown. */
uint64_t instance_body(struct debuginfo *d, struct unit *u, struct instance *i);
/* Returns true if the path ends with these components. */
bool path_ends_in(const char *path, const char *end);
/* Compares two file names of a unit: clang names a file twice, with and without its directory. */
bool unit_same_file(struct unit *u, const char *one, const char *two);
/* Returns where the file is on this machine, which the caller frees, or NULL. */
char *source_path(struct debuginfo *d, struct unit *u, const char *path);

/* --- points.c --- */

/*
 * Returns true if the function has parameters, and each has one place for the whole function: the
 * code is not optimised.
 */
bool instance_keeps_in_memory(struct debuginfo *d, struct instance *i);

/* --- scope.c --- */

/* Makes the scope of the variables visible at an address inside an instance, in the arena. */
struct scope *scope_new(struct debuginfo *d, struct unit *u, struct instance *i, uint64_t address,
			bool is_return);

/* --- location.c --- */

struct location_site {
	struct debuginfo *d;
	struct unit *unit;
	struct instance *instance; /* NULL for a global */
	struct instance *outer;	   /* the function around the instance, which has the frame */
	uint64_t address;
};

/*
 * Finds the stack pointer after the return, as a register and an offset. Returns false if it is
 * unknown.
 */
bool location_frame(struct debuginfo *d, uint64_t address, unsigned *ret_reg, int64_t *ret_offset);
/*
 * Finds the register that alone is the function's frame base (clang). Returns false if the frame
 * base has another form.
 */
bool instance_frame_register(struct instance *i, unsigned *ret_reg);
/* Returns false if the frame register is known not to be set at the address. */
bool location_has_frame(struct debuginfo *d, struct instance *i, uint64_t address);
/*
 * Finds the variable's place at the site. Sets PLACE_NOWHERE and why if it has none. argument is
 * the index of the parameter, or -1.
 */
void location_get(const struct location_site *site, Dwarf_Die *variable, int argument,
		  struct variable *ret);

/* --- kept.c --- */

/* How long a register holds the value that a location without an address list assumes. */
enum kept { KEPT, KEPT_NOT_YET, KEPT_NO_MORE };

enum kept register_is_kept(const struct location_site *site, unsigned reg);
/*
 * Returns true if optimised code has stored a parameter that came in registers in the frame on
 * every path to the site.
 */
bool parameter_is_stored(const struct location_site *site, const struct place *place,
			 uint64_t n_bytes);

/* --- convention.c --- */

/*
 * Finds where the caller puts the parameter of the function around the site. Returns false if that
 * is not certain.
 */
bool parameter_by_convention(const struct location_site *site, int argument, struct place *ret);

/* --- stored.c --- */

/*
 * Returns the register whose value the function's first instructions store at that offset from the
 * stack pointer at the entry, or -1 if unknown.
 */
int code_stored_register(struct debuginfo *d, uint64_t entry, int64_t offset, uint64_t n_bytes);

/* --- where.c --- */

/*
 * Sets why to a clause about the lines where the variable has a place: "it lives only at lines
 * 12-15".
 */
void location_explain(const struct location_site *site, Dwarf_Attribute *location,
		      struct variable *v);

/* --- types.c --- */

void types_init(struct debuginfo *d);
void types_release(struct debuginfo *d);
/* Returns the type of a DIE, or void if it has none. */
struct type type_of_die(struct debuginfo *d, Dwarf_Die *die);
bool die_is_type(Dwarf_Die *die, enum type_kind kind);

/* --- typenames.c --- */

bool find_type_die(struct debuginfo *d, enum type_kind kind, const char *name, size_t len,
		   Dwarf_Die *ret);
void each_type_name(struct debuginfo *d, enum type_kind kind,
		    void (*visit)(void *ctx, const char *name), void *ctx);

#endif
