/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plans_int.h - what the files behind plans.h share.
 */
#ifndef SONDE_CAPTURE_CALLS_PLANS_PLANS_INT_H
#define SONDE_CAPTURE_CALLS_PLANS_PLANS_INT_H

#include "base/map.h"
#include "base/textbuf.h"
#include "capture/calls/plans/plans.h"
#include "capture/user/image.h"

#include <limits.h>
#include <pthread.h>

/* A file that was analysed. */
struct userfile {
	uint64_t dev, ino, n_bytes, changed_ns;
	bool is_program;
	char *path;
	struct userimage *image;	 /* NULL: it cannot be planned */
	uint32_t first_number;		 /* of its hooked functions in the recording */
	struct uservalues_image *values; /* NULL: none of them has values */
};

/* A piece of code that a process got. */
struct userplan_entry {
	struct userfile *file;
	uint64_t low;  /* where the file begins in the process */
	uint64_t bias; /* what the loader added to its addresses */
	uint64_t area;
	uint32_t first_id;
	pid_t gone_from; /* the last process that closed it; 0: none */
};

/* Adds a text and a newline; control characters become '?'. */
void userplans_add_line(struct textbuf *tb, const char *text);

struct userplan {
	uint32_t *funcs;		  /* [0] is unused */
	const struct uservalues **values; /* the same; NULL: no function has any */
	uint32_t n, cap;
	uint64_t pid_ns;
	char comm[16];
	struct userplan_entry *entries; /* of the process and of its children by fork() */
	size_t n_entries, entries_cap;
};

/* Files whose functions jump to the runtime (snrt.h, enum snrt_detour). */
#define USERPLANS_DETOUR_FILES 8

struct userplans {
	struct userchoice *choice;
	struct userswitch *switches;
	const struct valuerules *values; /* NULL: no values */
	pthread_mutex_t files_lock;	 /* of the next three, and of the files themselves */
	struct userfile **files;
	size_t n_files, files_cap;
	struct userfile *detours[USERPLANS_DETOUR_FILES]; /* NULL from the first free one on */
	uint32_t n_functions;
	uint32_t n_failed;
	char why[256];
	char program[256], larger[256]; /* as in struct userplans_sum */
	/* plans and their arrays grow while the other thread reads them */
	pthread_mutex_t lock;
	struct userplan **plans;
	size_t n_plans, plans_cap;
	struct map codes; /* struct usercode, by the inode of the plan's file (userplans_code.c) */
	/* arrays that were replaced by longer ones; freed at the end */
	void **old;
	size_t n_old, old_cap;
};

struct mapped;

/*
 * --- plans.c ---
 */

/* The file, analysed once, also if image is NULL then; NULL: there is no memory. */
struct userfile *userplans_add_file(struct userplans *p, int fd, const char *path, bool is_program);
/*
 * NULL: it is no ELF file. ret_fd: the file's descriptor, which the caller closes; NULL: not
 * needed.
 */
struct userfile *userplans_add_program(struct userplans *p, const char *path, int *ret_fd);
/* Has it functions to trace? */
bool userplans_want(const struct userplans *p, const struct mapped *m);
/* Before there are other threads; NULL: out of memory. */
struct userplan *userplans_add_plan(struct userplans *p);
/* Room for ids below `need`. */
bool userplans_grow(struct userplans *p, struct userplan *plan, uint32_t need);

struct snrt_range;

/* values.c: programs for the hooks of a file. What is missing becomes a note. */
void userplans_plan_values(struct userplans *p, struct userfile *f, struct errmsg *err);
/* Memory that can be read as long as the process runs: SNRT_RANGES_MAX ranges at most. */
size_t userplans_list_memory(const char *maps, struct snrt_range *ranges, uint64_t *ret_heap);
/* A file in the maps of a process. */
struct mapped {
	uint64_t low; /* where its first mapping begins */
	uint64_t ino;
	char path[PATH_MAX];
	uint64_t code_bytes;
	bool is_exe; /* the file of /proc/PID/exe; of an emulated program this is the emulator */
	bool is_program, has_code;
};

struct mapped_list {
	struct mapped *list;
	size_t n, cap;
	struct textbuf maps;
	bool is_emulated;
};

/*
 * --- maps.c ---
 */

/* maps must be initialised. */
int mapped_list_read(pid_t pid, struct mapped_list *l, struct errmsg *err);
void mapped_list_release(struct mapped_list *l);
/* Is this the place of an area that we made? */
bool mapped_has_area(const struct mapped_list *l, uint64_t area);
/* A descriptor, or a negative errno. */
int mapped_open(pid_t pid, const struct mapped *m);

/*
 * --- userplans_code.c ---
 */

struct usercode;

/* Room for n images, which are then set; NULL: out of memory. */
struct usercode *usercode_new(size_t n);
void usercode_set(struct usercode *c, size_t i, uint64_t at, uint64_t bias,
		  const struct userimage *image);
/* Takes c. */
void userplans_keep_code(struct userplans *p, uint64_t inode, struct usercode *c);
void userplans_release_codes(struct userplans *p);

/*
 * --- userdetours.c ---
 */

/* The file's functions that jump to the runtime; NULL: it has none that this flavour needs. */
struct userfile *userdetours_take(struct userplans *p, pid_t pid, const struct mapped *m,
				  bool is_attached);
/* enum snrt_detour of a hook. */
unsigned userdetours_which(struct userfile *f, size_t hook);
void userdetours_release(struct userplans *p);

#endif
