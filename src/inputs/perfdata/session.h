/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * session.h - the samples of a perf.data with what the other records say: threads, names, mapped
 * files, functions.
 *
 *	perfsession_open ─▶ perfsession_next … ─▶ perfsession_close
 *	                      └ perfsession_chain, perfsession_resolve
 *
 * Samples come in the order of time. Threads and mappings are those of the time of the sample.
 * Functions come from files of this machine with the same build id: the file itself, ~/.debug,
 * /usr/lib/debug; for the kernel /proc/kallsyms, if it is the same kernel. One owner.
 */
#ifndef SONDE_INPUTS_PERFDATA_SESSION_H
#define SONDE_INPUTS_PERFDATA_SESSION_H

#include "format/bytes.h"
#include "store/perfdata/perfdata.h"
#include "symbols/symtable.h"

#define PERFSESSION_CHAIN_MAX 1024
#define PERFSESSION_COMM_MAX  64

struct cfi;
struct debuginfo;

enum perfdso_kind { PERFDSO_FILE, PERFDSO_KERNEL, PERFDSO_VDSO, PERFDSO_JIT, PERFDSO_UNKNOWN };

/* Something with code: a file, the kernel, memory of a process that has a map of names. */
struct perfdso {
	const char *path, *short_name;
	enum perfdso_kind kind;
	uint8_t id[SYMTABLE_ID_BYTES];
	uint8_t n_id;		     /* 0: unknown */
	int32_t pid;		     /* of PERFDSO_JIT */
	bool tried;		     /* its functions were looked for */
	struct symtable *symbols;    /* NULL: none */
	struct debuginfo *debuginfo; /* for inlined functions; NULL: none */
	bool tried_debuginfo;
	struct cfi *cfi; /* for unwinding; NULL: none */
	bool tried_cfi;
	uint32_t number; /* for the user of the session; 0 at first */
	struct perfdso *next, *same_hash;
};

struct perfmap {
	uint64_t start, end, pgoff;
	struct perfdso *dso;
};

struct perfmaps;

struct perfthread {
	int32_t tid, pid;
	char comm[PERFSESSION_COMM_MAX];
	bool has_comm;
	struct perfmaps *maps;
};

/* Where an address is. */
struct perfplace {
	uint64_t ip;			      /* the address in memory */
	const struct perfdso *dso;	      /* NULL: unknown */
	uint64_t address;		      /* of the file; of memory: ip */
	const struct symtable_symbol *symbol; /* NULL: unknown */
	bool is_kernel;
	bool is_return;	 /* ip is behind the call that leads to the frame before */
	bool is_unwound; /* found in a copy of the stack */
	/* the function that the compiler inlined into symbol here; NULL: symbol itself */
	const char *inlined;
};

struct perfsample {
	struct perfdata_sample s; /* a member of a group has its own event and period */
	const struct perfthread *thread;
};

/* What was in the file, for a message. */
struct perfsession_counts {
	uint64_t n_samples, n_lost, n_branch_stacks, n_unparsed;
};

struct perfsession;

int perfsession_open(struct perfsession **ret, const char *path, struct errmsg *err);
/* The same for bytes in memory that the caller keeps. */
int perfsession_open_memory(struct perfsession **ret, const char *path, struct piece bytes,
			    struct errmsg *err);
/* Gives the session memory that it frees at the end: that of its bytes. */
void perfsession_take(struct perfsession *s, void *heap);
void perfsession_close(struct perfsession *s);
SCOPED_POINTER(struct perfsession, perfsession_close)

struct perfdata *perfsession_data(struct perfsession *s);

enum perfsession_what { PERFSESSION_END, PERFSESSION_SAMPLE, PERFSESSION_LOST };
/*
 * The next sample, or the next loss of records: *ret then has their number in s.period, and the
 * CPU. Returns PERFSESSION_…, or a negative errno.
 */
int perfsession_next(struct perfsession *s, struct perfsample *ret);

/* Where the address is in the sample's thread. */
void perfsession_resolve(struct perfsession *s, const struct perfthread *t, uint64_t ip,
			 bool is_kernel, struct perfplace *ret);
/* Where the sample itself is. */
void perfsession_place(struct perfsession *s, const struct perfsample *sample,
		       struct perfplace *ret);
/* The call chain, innermost first; without one, only the sample's own place. Returns its length. */
size_t perfsession_chain(struct perfsession *s, const struct perfsample *sample,
			 struct perfplace *ret, size_t max);

/*
 * The same with the functions that the compiler inlined, as perf 6.1 shows them: only in frames
 * that were unwound, and a function whose name in DWARF is not that of the symbol counts as
 * inlined.
 */
size_t perfsession_chain_inlined(struct perfsession *s, const struct perfsample *sample,
				 struct perfplace *ret, size_t max);

/*
 * The line of source that runs at the place; of a caller, that of the call. *ret_file is as DWARF
 * names it, and lives as long as the session. Returns false if DWARF has none.
 */
bool perfsession_source(struct perfsession *s, const struct perfplace *place, const char **ret_file,
			unsigned *ret_line);

/* Visits all threads that were seen, in any order; a thread has the last name it had. */
int perfsession_each_thread(struct perfsession *s,
			    int (*visit)(void *ctx, const struct perfthread *t), void *ctx);
struct perfdso *perfsession_dsos(struct perfsession *s);
/* The functions of the kernel, or NULL. */
const struct symtable *perfsession_kernel(struct perfsession *s);
/* The address and name of a symbol that says where the kernel was; 0: unknown. */
uint64_t perfsession_kernel_ref(const struct perfsession *s, const char **ret_name);
const struct perfsession_counts *perfsession_counts(const struct perfsession *s);

#endif
