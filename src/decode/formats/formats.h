/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * formats.h - everything needed to decode the records of one trace file: its event formats,
 * symbols, printk formats, and which handlers ("plugins") print what.
 *
 * formats_new() reads only names and ids; an event's text is parsed when formats_find() first gets
 * its id, the symbols when first needed. All functions here belong to one thread at a time (the one
 * that walks the trace); any thread may then read the returned events and tables.
 */
#ifndef SONDE_DECODE_FORMATS_FORMATS_H
#define SONDE_DECODE_FORMATS_FORMATS_H

#include "base/arena.h"
#include "decode/formats/event.h"
#include "decode/record.h"
#include "decode/timefmt.h"
#include "format/bytes.h"
#include "store/tracefile.h"
#include "symbols/kallsyms.h"
#include "symbols/pauses.h"
#include "symbols/printkfmt.h"

struct errmsg;
struct syscall_table;

#define PLUGIN_OPTIONS_N 5

struct plugin_options { /* report -O */
	bool fgraph_tailprint, fgraph_depth;
	bool ftrace_parent, ftrace_no_indent, ftrace_offset;
	/* requests without and with a plugin's name, see plugin_options.c */
	uint8_t asked[PLUGIN_OPTIONS_N][2];
};

struct sources;

struct formats_config {
	bool no_plugins; /* report -N and -L: events have no handlers */
	struct plugin_options plugins;
	const char *kallsyms_path; /* report --kallsyms */
	bool short_names;	   /* functions of programs: without template arguments */
	enum time_style time_style;
	/* programs of a live trace; NULL: use those of the file */
	struct programs *programs;
	/* processes of a live trace; NULL: use those of the file */
	const struct processes *processes;
};

struct common_field {
	uint32_t offset, size; /* size 0: the field does not exist */
};

struct formats {
	struct tracefile *tf;
	struct formats_config config;
	struct arena arena;
	struct event **by_id; /* sorted by id */
	size_t n_events;
	struct event **table; /* events by id, for ids below n_table; NULL: no such event */
	size_t n_table;
	bool swap, big_endian;
	uint8_t long_size;
	struct common_field type, flags, preempt_count, pid, lock_depth, migrate_disable;
	struct kallsyms kallsyms;
	/*
	 * accessed with __atomic: printers check whether the symbols were loaded since the last
	 * record
	 */
	bool kallsyms_loaded;
	struct printkfmts printk;
	bool printk_loaded;
	struct programs *programs;	 /* programs of the file, owned; NULL: none */
	struct processes *own_processes; /* processes of the file, owned; NULL: none */
	/* processes of the file or of a live trace; NULL: unknown */
	const struct processes *processes;
	struct sources *sources; /* source lines of programs' functions, owned; NULL: none */
	struct pauses pauses;	 /* of the recording of user functions; loaded with the sources */
	bool sources_loaded;
	void *extra_kallsyms;		/* memory of the text of kallsyms_path */
	const struct guests *guests;	/* guests to which kvm events refer; NULL: unknown */
	const struct event *graph_exit; /* funcgraph_exit, which is folded into entries */
	size_t n_bad;			/* texts without name or id */
};

int formats_new(struct formats **ret, struct tracefile *tf, const struct formats_config *config,
		struct errmsg *err);
/*
 * Creates formats without a trace, for events of this machine that are parsed elsewhere. They have
 * no events, and the symbols of this machine's kernel. Returns NULL if out of memory.
 */
struct formats *formats_new_bare(void);
void formats_free(struct formats *f);

/* Finds the event of that id, parsed and compiled, or returns NULL. */
struct event *formats_find_slow(struct formats *f, int id);

static inline struct event *formats_find(struct formats *f, int id)
{
	struct event *ev = (unsigned)id < f->n_table ? f->table[id] : NULL;

	return ev && ev->compiled ? ev : formats_find_slow(f, id);
}

/*
 * Returns the system calls of the trace's machine or, without a trace, of this machine. Returns
 * NULL if they are unknown.
 */
const struct syscall_table *formats_syscalls(const struct formats *f);

/*
 * Finds an event by name, and parses it. If system is NULL, any system matches, and the lowest id
 * wins.
 */
struct event *formats_find_name(struct formats *f, const char *system, const char *name);
/* Parses the event, unless it is parsed already. Does not compile it. */
void formats_parse(struct formats *f, struct event *ev);

/* Returns all events sorted by system, then name, then id. The caller frees the array. */
struct event **formats_list(struct formats *f);

/* Returns the symbols, which are loaded on first use. Never returns NULL. */
const struct kallsyms *formats_kallsyms(struct formats *f);
/* For those who show no names: symbols are never read, which takes 20 ms for a whole kernel. */
void formats_forgo_symbols(struct formats *f);
/*
 * Adds symbols of a trace that is still being recorded; others may look up meanwhile. The text is
 * copied. One thread at a time. Returns 0 or -ENOMEM.
 */
int formats_add_symbols(struct formats *f, struct piece text);
/*
 * Returns where a function of a program begins in its source, "parse.c:120", or NULL. address: as
 * in the events.
 */
const char *formats_find_source(struct formats *f, uint64_t address);
/* Returns when no user function was recorded, although the recording ran. */
const struct pauses *formats_pauses(struct formats *f);
const struct printkfmts *formats_printk(struct formats *f);

/* Finds a helper function of print formats, or returns NULL. Without plugins there are none. */
const struct print_function *formats_print_function(const struct formats *f, const char *name);

uint8_t formats_long_size(const struct formats *f);

static inline int formats_record_id(const struct formats *f, const uint8_t *data, uint32_t size)
{
	return f->type.offset + f->type.size <= size
		       ? (int)bytes_get(data + f->type.offset, f->type.size, f->swap)
		       : -1;
}

static inline int formats_common(const struct formats *f, const struct common_field *c,
				 const uint8_t *data, uint32_t size)
{
	return c->offset + c->size <= size ? (int)bytes_get(data + c->offset, c->size, f->swap) : 0;
}

/* Reads a number of up to 8 bytes. False: there is no such field, or the record ends before it. */
static inline bool formats_read(const struct formats *f, const struct record *rec,
				const struct field *field, uint64_t *ret)
{
	if (!field || field->size > 8 || field->offset > rec->size ||
	    rec->size - field->offset < field->size)
		return false;
	*ret = bytes_get(rec->data + field->offset, field->size, f->swap);
	return true;
}

#endif
