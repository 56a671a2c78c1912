/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uftwriter_int.h - inside uftwriter: modules with their symbols, tasks with their records.
 */
#ifndef SONDE_REWRITE_UFTRACE_UFTWRITER_INT_H
#define SONDE_REWRITE_UFTRACE_UFTWRITER_INT_H

#include "base/arena.h"
#include "base/map.h"
#include "base/textbuf.h"
#include "format/bytes.h"
#include "rewrite/uftrace/uftwriter.h"
#include "store/pagebuilder.h"
#include "symbols/uftrace/argspec.h"

struct uft_symbol {
	uint64_t address; /* as in the file */
	uint32_t n_bytes;
	char type;			 /* T, or P for a stub */
	const char *name, *mangled;	 /* mangled: NULL if it is the same */
	const char *arg_spec, *ret_spec; /* forms of recorded values; NULL: none */
};

/* How the values of a function are stored. */
struct uft_forms {
	struct uft_arg *args, *ret;
};

/* Where a function begins. */
struct uft_source {
	unsigned line;
	const char *path;
};

struct uft_line {
	const char *text;
	struct uft_line *next;
};

/* A program or library. */
struct uft_module {
	const char *path, *sym_name; /* sym_name: of its file in the directory */
	char build_id[65];	     /* "" if unknown */
	uint64_t low, high;	     /* addresses of the file that are loaded */
	uint64_t entry;		     /* where the program begins; 0: unknown */
	uint64_t base;		     /* where low is in the made-up process */
	bool is_invented;	     /* not of the option: each of its functions has 16 bytes */
	struct uft_symbol *symbols;
	size_t n_symbols, cap_symbols;
	struct uft_line *enums;
};

struct uft_task {
	int tid, tgid;
	uint64_t first_ts, last_ts; /* last_ts: of its last record */
	struct textbuf records;
	struct uft_pending {
		uint64_t ts, word;
		size_t at, len; /* its values, in waiting */
	} * pending;		/* entries that are not written yet */
	size_t n_pending, cap_pending;
	struct textbuf waiting;
	bool is_created; /* its file exists */
};

/* The records of one CPU. */
struct uft_cpu {
	struct pagebuilder page;
	struct textbuf pages; /* that wait to be written */
	bool has_page, is_created;
};

struct uft_kernel_out {
	struct formats *formats; /* NULL: without the kernel */
	const struct event *entry, *exit;
	const struct event **events; /* others that were seen */
	size_t n_events, cap_events;
	struct uft_cpu *cpus;
	size_t n_cpus, cap_cpus;
};

struct uftwriter {
	const char *path;
	int dir; /* descriptor */
	struct arena arena;
	struct uft_module *modules;
	size_t n_modules, cap_modules;
	struct map
		addresses;  /* function in events to its made-up address; see uftwriter_address() */
	struct map leavers; /* addresses of stubs whose functions may not return */
	struct map tasks;   /* by tid + 1 */
	struct map parents; /* parent of a process by its pid + 1, from perf's records */
	struct uft_task **order;
	size_t n_tasks, cap_tasks;
	struct map sources;	/* struct uft_source by the function's made-up address */
	const char *source_dir; /* see uftwriter_config */
	bool with_sources;
	struct map forms;   /* of values: struct uft_forms by function in events */
	struct map by_name; /* addresses of functions by the hash of their names */
	bool has_values, has_by_name;
	uint64_t n_lost, first_ts, last_ts;
	struct uftwriter_counts counts;
	struct uft_kernel_out kernel;
	size_t n_perf_cpus;
};

/* --- modules.c --- */

/* Reads the option's text and the programs' files. */
int uftwriter_read_modules(struct uftwriter *w, struct piece functions, struct errmsg *err);
/* The address of a function in the made-up process; 0: no memory. */
uint64_t uftwriter_address(struct uftwriter *w, const struct uftwriter_call *c);
int uftwriter_write_modules(struct uftwriter *w, uint64_t sid, bool with_values,
			    struct errmsg *err);
void uftwriter_free_modules(struct uftwriter *w);

/* --- values.c --- */

/* "A FUNC SPEC" or "R FUNC SPEC" of the option; s: the function. */
int uftwriter_add_forms(struct uftwriter *w, struct uft_symbol *s, const char *line);
/* Adds the bytes of a call's values. Returns how many. */
size_t uftwriter_put_values(struct uftwriter *w, const struct uftwriter_call *c, bool is_return,
			    struct textbuf *tb);
/* The lines of info, and the text of NAME.dbg. */
void uftwriter_fmt_specs(const struct uftwriter *w, bool is_automatic, struct textbuf *tb);
void uftwriter_fmt_debug(const struct uftwriter *w, const struct uft_module *m, bool with_values,
			 struct textbuf *tb);

/* --- sources.c --- */

/* "L FUNC LINE PATH" of the option, when functions have their addresses. 0 or -ENOMEM. */
int uftwriter_add_source(struct uftwriter *w, const char *line);
/* NULL: unknown */
const struct uft_source *uftwriter_find_source(const struct uftwriter *w,
					       const struct uft_module *m,
					       const struct uft_symbol *s);

/* --- kernel.c --- */

int uftwriter_write_kernel(struct uftwriter *w, struct errmsg *err);
void uftwriter_free_kernel(struct uftwriter *w);

/* --- texts.c --- */

int uftwriter_write_texts(struct uftwriter *w, const struct uftwriter_run *run, uint64_t sid,
			  struct errmsg *err);

/* --- uftwriter.c --- */

/* Creates a file of a text; an error if some of the text is missing. */
int uftwriter_write_text(const struct uftwriter *w, const char *name, struct textbuf *tb,
			 struct errmsg *err);
/* Adds to a file, which is_new. */
int uftwriter_append(const struct uftwriter *w, const char *name, bool is_new, const char *data,
		     size_t len, struct errmsg *err);
/* Creates a file of the directory. */
int uftwriter_write_file(const struct uftwriter *w, const char *name, const char *data, size_t len,
			 struct errmsg *err);

#endif
