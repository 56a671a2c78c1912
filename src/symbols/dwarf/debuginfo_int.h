/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debuginfo_int.h - what the files debuginfo*.c share. debuginfo.c has the picture.
 *
 *	debuginfo ──┬── units[]       one for each compile unit; walked when first needed
 *	            │     ├── functions[]   what the source defines, in the order of .debug_info
 *	            │     └── instances[]   its code: functions themselves and copies inside others
 *	            ├── symbols[]     functions of the symbol table, by address
 *	            └── types         a DIE for each type that was handed out
 *
 * All of it lives in one arena and dies with the debuginfo. A DIE is known by the address of its bytes,
 * which is unique over the main file, its alternate file and split units.
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

#define DIE_DEPTH_MAX	    200		/* of DIEs inside each other */
#define SPELLING_INFO_BYTES (64u << 20) /* no walk through all of a larger .debug_info for a typo */

/* A function as the source has it. */
struct function {
	Dwarf_Die die;	     /* the definition, or the abstract one of inlined copies */
	const char *name;    /* with namespaces and classes */
	const char *plain;   /* without */
	const char *linkage; /* mangled; NULL in C */
	const char *file;    /* of function_file(), which asks once */
	bool has_file;
	struct unit *unit;
};

/* Code of a function. */
struct instance {
	Dwarf_Die die;	 /* a subprogram or an inlined_subroutine, with addresses */
	const void *key; /* of its function's DIE */
	struct function *function;
	uint64_t entry;
	int parent; /* of an inlined one: the instance it is in; -1 */
};

struct unit {
	Dwarf_Die die, skeleton; /* see unit_die() */
	Dwarf *dwarf;		 /* whose unit it is */
	Dwarf_Off begin;	 /* of its header in .debug_info */
	Dwarf_Off offset;	 /* of its DIE */
	Dwarf_Word lines;	 /* of its table in .debug_line; -1: it has none */
	Dwarf_Word strings;	 /* of its part of .debug_str_offsets; 0: none */
	bool is_split, is_walked, has_attributes;
	bool has_classes; /* a language whose functions can stand inside of types */
	struct function *functions;
	struct instance *instances;
	size_t n_functions, n_instances;
};

struct symbol {
	const char *name;
	uint64_t address, n_bytes;
	bool is_global;
	bool is_indirect;    /* a resolver, which chooses an implementation (IFUNC) */
	const char *version; /* "GLIBC_2.2.5" of "sem_wait@@GLIBC_2.2.5"; NULL: none is written */
};

/* Grown by doubling outside the arena. */
struct type_table {
	Dwarf_Die *dies;
	uint32_t *slots; /* by the address of the DIE's bytes: its place in dies + 1 */
	uint32_t *
		definitions; /* of what is only declared: its definition's place + 1; 0: not looked for */
	size_t n, n_slots;
	uint64_t seed;
};

/* The member that was asked for last. */
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
	const char *remedy; /* of debuginfo_remedy(), which asks once */
	Dwfl_Callbacks callbacks;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;     /* of the file itself */
	Dwarf *dwarf; /* NULL: there is none */
	Dwarf *alternate,
		*nothing; /* .gnu_debugaltlink: the file, or what stands for one that is not there */
	Elf *nothing_elf;
	int alternate_fd;
	uint64_t elf_bias;
	bool is_relocatable; /* a kernel module */
	bool is_kernel;	     /* vmlinux or a module: globals are reached by symbol */
	bool has_cfi;
	Dwarf_CFI *eh_cfi, *debug_cfi;
	struct piece info, abbrev; /* the sections of that name, once units are listed */
	struct unit *units;
	size_t n_units, n_own_units; /* behind its own: those of the alternate file */
	struct symbol *symbols;
	size_t n_symbols;
	unsigned n_asked; /* for symbols by address */
	bool has_symbols, has_units, is_sorted;
	bool has_refers, refers; /* units refer to each other */
};

#define DEBUGINFO_FILE_MAX_BYTES (8ull << 30) /* a kernel with debug information has 1 GB */

/* --- files.c --- */

/* For libdwfl; userdata is the debuginfo. */
int debuginfo_find_file(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **ret_path);
/* Sets d->alternate, if d->dwarf names one and it is there. */
void debuginfo_open_alternate(struct debuginfo *d);
void debuginfo_close_alternate(struct debuginfo *d);
/* False if libdw must not look for the other half of this unit: its name is that of a FIFO or a device. */
bool debuginfo_can_split(const struct debuginfo *d, Dwarf_Die *skeleton);

/* --- debuginfo.c --- */

/* The bytes of a section of the file with the DWARF; empty if there is none. */
struct piece debuginfo_section(struct debuginfo *d, const char *name);
/* Numbers in the file are written as this machine writes them. */
bool debuginfo_has_our_order(struct debuginfo *d);
const char *debuginfo_strdup(struct debuginfo *d, const char *s);

/* --- class.c --- */

bool class_is_by_address(Dwarf_Die *die);

/* --- units.c --- */

int units_list(struct debuginfo *d);
/* Its DIE, of a split unit: in the .dwo, or in the file itself; NULL: libdw cannot read it. */
Dwarf_Die *unit_die(struct unit *u);
Dwarf_Die *unit_skeleton(struct unit *u);
/* Of a unit in the file's own .debug_info, if it is written as usual. To be released in any case. */
int unit_scan(struct debuginfo *d, struct unit *u, struct diescan *ret_scan);
/* Marks the units that may contain the text as a name. which: n_units flags, to be freed; NULL: no memory. */
bool *units_naming(struct debuginfo *d, const char *name, size_t len, bool only_functions);
/* Marks the units that may refer to the DIE, its own among them; NULL: none does, or no memory. */
bool *units_referring(struct debuginfo *d, Dwarf_Die *die);
/* Marks the units whose line table may name that file (the last part of its path). */
bool *units_with_file(struct debuginfo *d, const char *name);
/* The one that has the DIE, or the address; NULL: none. */
struct unit *unit_of_die(struct debuginfo *d, Dwarf_Die *die);
struct unit *unit_of_address(struct debuginfo *d, uint64_t address);

/* --- walk.c --- */

/* Fills functions and instances. */
int unit_walk(struct debuginfo *d, struct unit *u);
/* The function of an instance, also if it stands in another unit. */
struct function *instance_function(struct debuginfo *d, struct unit *u, struct instance *i);
/* The innermost instance at the address; NULL. */
struct instance *unit_instance_at(struct unit *u, uint64_t address);
/* The same, if it is known that top covers it. */
struct instance *instance_innermost(struct unit *u, struct instance *top, uint64_t address);
bool instance_covers(struct instance *i, uint64_t address);
/* "file.c" and line of the declaration; NULL, 0. */
const char *function_file(struct function *f);
unsigned function_line(struct function *f);
/* scan: NULL, or of that unit. */
bool unit_is_c(struct unit *u, const struct diescan *scan);
/* Made by gcc. */
bool unit_is_gnu(struct unit *u);
const char *die_name(Dwarf_Die *die);
bool die_flag(Dwarf_Die *die, unsigned attribute);

/* --- symbols.c --- */

int symbols_list(struct debuginfo *d);
/* It has no names but those that other files link to. */
bool symbols_are_stripped(struct debuginfo *d);
/* By address, what was listed. */
void symbols_sort(struct debuginfo *d);
/* The symbol that covers the address, or the one of that name; NULL. */
const struct symbol *symbol_at(struct debuginfo *d, uint64_t address);
const struct symbol *symbol_named(struct debuginfo *d, const char *name);
/* All of that name, in whatever version. */
int symbols_each_named(struct debuginfo *d, const char *name,
		       int (*visit)(void *ctx, const struct symbol *symbol), void *ctx);
bool symbol_has_version(struct debuginfo *d, const char *name, const char *version);
/* Whether it is that name, and that version if one is given. */
bool symbol_has_name(const struct symbol *s, const char *name, const char *version);
/*
 * What the compiler took out of a function, because it seldom runs (work.cold) or to inline the rest (work.part.0). Nobody
 * calls that function by it; .cold is jumped to, so there is no address of return on the stack.
 */
bool symbol_is_piece(const char *name);
bool symbol_is_cold(const char *name);

/* --- standing.c --- */

/* Why no probe in a program can stand there; NULL: one can. From padding the address goes on to what follows, if that is the same. */
const char *code_trouble(struct debuginfo *d, uint64_t *address);
/* Says so, with the nearest place behind it where one can; as FUNCTION+OFFSET from its entry, without a function as an address. */
int code_refuse(struct debuginfo *d, const char *function, uint64_t entry, uint64_t address,
		const char *why, struct errmsg *err);

/* --- code.c --- */

/* The code from the address on, as far as its section goes; nothing if there is no code. */
struct piece code_at(struct debuginfo *d, uint64_t address);
/* Is that offset from the beginning of an instruction inside of another one? Then it is between these offsets. */
bool code_is_inside(struct debuginfo *d, uint64_t from, uint64_t offset, uint64_t *ret_before,
		    uint64_t *ret_behind);
/* Bytes at a function's entry that are there for the kernel's function tracer, and change nothing for the function. */
unsigned code_padding(struct debuginfo *d, uint64_t entry);
/* s: NULL if the address has no symbol. */
typedef int (*symbol_visit)(void *ctx, const struct symbol *s, uint64_t address);
/* The implementations that an indirect function can choose, until visit is negative; perhaps one of them twice. */
int symbol_each_choice(struct debuginfo *d, const struct symbol *resolver, symbol_visit visit,
		       void *ctx);

/* --- functions.c --- */

struct function_list {
	struct function **list;
	size_t n, n_room;
};

/* Functions by name, with or without namespaces; file NULL or the end of its path. To be freed. */
int debuginfo_find_functions(struct debuginfo *d, const char *name, const char *file,
			     struct function_list *ret_list, struct errmsg *err);
/* "ns::Box::put(int)", which means this one only; NULL in C. In the arena. */
const char *function_choice(struct debuginfo *d, const struct function *f);
/* -ENOENT with the nearest name. */
int functions_refuse(struct debuginfo *d, const char *name, struct errmsg *err);
/* What C++ calls it, without parameters; a symbol of C as it is. In the arena. */
const char *symbol_source_name(struct debuginfo *d, const struct symbol *s);
/* A glob, or a name of C++ as debuginfo_find_functions() takes it. Not the symbol itself. */
bool symbol_is_meant(const struct symbol *s, const char *name);
/* A variable by its symbol; elsewhere: the file only refers to it. */
bool symbol_of_data(struct debuginfo *d, const char *name, uint64_t *ret_address,
		    bool *ret_is_elsewhere);
/* All instances of a function, in all units; until visit is not 0. */
int function_each_instance(struct debuginfo *d, struct function *f,
			   int (*visit)(void *ctx, struct unit *u, struct instance *i), void *ctx);

/* --- lines.c --- */

struct line_visit {
	struct unit *unit;
	struct instance *instance; /* of a file: NULL, unless it is known */
	const char *file;
	uint64_t address;
	unsigned line;
	bool begins;  /* the row before is of another line: control comes from elsewhere */
	bool is_weak; /* it is said to be no beginning of a statement */
};

/* Of an instance and those around it the one that the line belongs to. */
struct instance *instance_owning(struct debuginfo *d, struct unit *u, struct instance *innermost,
				 const char *file, unsigned line);
/* Where statements of the function begin, its first line and the calls of what is inlined included. */
int function_each_line(struct debuginfo *d, struct function *f,
		       int (*visit)(void *ctx, const struct line_visit *v), void *ctx);
/* The same of a file; path: its end. *ret_path, *ret_unit: as DWARF has it; NULL if no unit has such a file. */
int file_each_line(struct debuginfo *d, const char *path, const char **ret_path,
		   struct unit **ret_unit, int (*visit)(void *ctx, const struct line_visit *v),
		   void *ctx);
/* Does its code say where a statement of another line begins, leaving aside what is inlined into it? */
bool instance_has_statements(struct unit *u, struct instance *inst, unsigned but_line);
/* How often it seems to begin: more than once if a loop around it was unrolled. line: its first; 0. */
unsigned instance_beginnings(struct unit *u, struct instance *inst, unsigned function_line,
			     unsigned *ret_line);
/* The line of the source that calls an inlined copy; 0. */
unsigned instance_call_line(struct unit *u, struct instance *i, const char **ret_file);
/* Where the body of a function begins, behind its prologue; the entry if that cannot be told. */
uint64_t instance_body(struct debuginfo *d, struct unit *u, struct instance *i);
/* True if the path ends in these parts. */
bool path_ends_in(const char *path, const char *end);
/* clang names a file twice, once with and once without its directory. */
bool unit_same_file(struct unit *u, const char *one, const char *two);
/* Where the file is on this machine, to be freed; NULL. */
char *source_path(struct debuginfo *d, struct unit *u, const char *path);
const char *unit_directory(struct unit *u);

/* --- points.c --- */

/* Has parameters, and each of them one place for the whole function: nothing was optimised. */
bool instance_keeps_in_memory(struct debuginfo *d, struct instance *i);

/* --- scope.c --- */

/* What can be seen at an address inside of an instance. In the arena. */
struct scope *scope_new(struct debuginfo *d, struct unit *u, struct instance *i, uint64_t address,
			bool is_return);

/* --- location.c --- */

struct location_site {
	struct debuginfo *d;
	struct unit *unit;
	struct instance *instance; /* NULL: a global is asked for */
	struct instance *outer;	   /* the function around it, which has the frame */
	uint64_t address;
};

/* The stack pointer as it will be behind the return: a register and an offset; false: not known. */
bool location_frame(struct debuginfo *d, uint64_t address, unsigned *ret_reg, int64_t *ret_offset);
/* The register that alone is the function's frame base (clang); false: it is told otherwise. */
bool instance_frame_register(struct instance *i, unsigned *ret_reg);
/* False if it is known that such a register is not set there. */
bool location_has_frame(struct debuginfo *d, struct instance *i, uint64_t address);
/* The variable's place there; what has none is PLACE_NOWHERE with why. argument: which parameter it is; -1. */
void location_get(const struct location_site *site, Dwarf_Die *variable, int argument,
		  struct variable *ret);

/* --- kept.c --- */

/* Whether a register holds what a location without a list of addresses takes it for. */
enum kept { KEPT, KEPT_NOT_YET, KEPT_NO_MORE };

enum kept register_is_kept(const struct location_site *site, unsigned reg);
/* Of optimised code: has a parameter that came in registers got to its place in the frame on every way to the site? */
bool parameter_is_stored(const struct location_site *site, const struct place *place,
			 uint64_t n_bytes);

/* --- convention.c --- */

/* Where the caller puts the parameter of the function around the site; false: not known for certain. */
bool parameter_by_convention(const struct location_site *site, int argument, struct place *ret);

/* --- stored.c --- */

/*
 * The register whose value the function's first instructions store at that offset from what the stack pointer is at the
 * entry; -1: not known.
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
