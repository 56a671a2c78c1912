/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* session_int.h - what the files of a session share: threads.c, dsos.c, session.c. */
#ifndef SONDE_INPUTS_PERFDATA_SESSION_INT_H
#define SONDE_INPUTS_PERFDATA_SESSION_INT_H

#include "base/errmsg.h"
#include "inputs/perfdata/session.h"
#include "store/perfdata/perfdata.h"
#include "symbols/symtable.h"

#define PERFSESSION_THREADS_MAX (1u << 20)
#define PERFSESSION_MAPS_MAX	(1u << 20)
#define PERFSESSION_DSOS_MAX	(1u << 20)

struct perfmaps {
	unsigned n_users;
	struct perfmap *list; /* sorted, no two overlap */
	size_t n, cap;
};

struct perfsession {
	struct perfdata data;
	struct arena arena;
	struct map threads;	/* struct perfthread, by tid + 1 */
	struct map last_values; /* of counters, by id: uint64_t */
	struct map dso_hashes;
	uint64_t seed;
	struct perfdso *dsos;
	struct perfdso *kernel;
	uint64_t kernel_ref;	  /* recorded address of kernel_ref_name; 0: unknown */
	char kernel_ref_name[32]; /* _text, _stext */
	uint8_t kernel_id[SYMTABLE_ID_BYTES];
	struct map inlines; /* struct inlined_frames, by file and address */
	struct map sources; /* struct source_line, by file and address */
	struct perfsession_counts counts;
	void *heap;		 /* the bytes of the file, if they are its own */
	struct perfsample group; /* whose members are being handed out */
	struct perfdata_read_value *values;
	size_t n_values, cap_values, next_value;
};

struct perfthread *perfsession_thread(struct perfsession *s, int32_t tid, int32_t pid);
void perfthread_set_comm(struct perfthread *t, const char *comm, size_t len);
/* The child gets the names and the mappings of its parent. */
int perfsession_fork(struct perfsession *s, int32_t pid, int32_t tid, int32_t ppid, int32_t ptid);
int perfsession_map(struct perfsession *s, struct perfthread *t, const struct perfmap *m);
const struct perfmap *perfmaps_find(const struct perfmaps *maps, uint64_t ip);
void perfsession_free_threads(struct perfsession *s);

/* The object of a path; of anonymous memory of a process. NULL: no memory. */
struct perfdso *perfsession_dso(struct perfsession *s, const char *path, int32_t pid);
/* Reads its functions if that was not tried yet. */
void perfdso_load(struct perfsession *s, struct perfdso *d);
/* The user's frames by the copy of its stack, innermost first. Returns their number. */
size_t perfsession_unwind(struct perfsession *s, const struct perfsample *sample,
			  struct perfplace *ret, size_t max);
void perfsession_free_unwind(struct perfsession *s);
void perfsession_free_inlines(struct perfsession *s);
void perfsession_free_dsos(struct perfsession *s);

#endif
