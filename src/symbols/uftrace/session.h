/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * session.h - programs and tasks of a uftrace.data directory: which function is at an address.
 *
 * A session is one program in one process: it begins at exec and has a list of mapped files. A task
 * is a thread; it has one session after the other. Texts come from a reader, so that this can be
 * tested without a directory.
 *
 * Owns everything in its arena; valid until uft_names_release(). One thread.
 */
#ifndef SONDE_SYMBOLS_UFTRACE_SESSION_H
#define SONDE_SYMBOLS_UFTRACE_SESSION_H

#include "base/map.h"
#include "symbols/uftrace/module.h"

#define UFT_COMM_BYTES 16

struct uft_map {
	uint64_t start, end;
	const char *path, *build_id; /* build_id: "" if unknown */
	struct uft_module *module;   /* NULL: no symbols */
};

/* A library that the program opened while it ran. */
struct uft_dlopen {
	uint64_t time_ns, base;
	const char *path;
	struct uft_module *module;
};

struct uft_session {
	const char *sid, *exename;
	int pid;
	uint64_t start_ns;
	struct uft_map *maps; /* in the order of the file */
	size_t n_maps;
	const struct uft_map *exec_map; /* of the program itself, NULL: unknown */
	struct uft_dlopen *dlopens;
	size_t n_dlopens;
	const struct uft_module *kernel; /* NULL: it was not recorded */
};

struct uft_task {
	int tid, pid, ppid; /* ppid: 0 if it was not forked */
	char comm[UFT_COMM_BYTES];
	struct uft_session_ref {
		struct uft_session *session;
		uint64_t start_ns, end_ns;
	} * refs;
	size_t n_refs;
	struct uft_task *parent, *first_child, *last_child, *sibling;
	uint64_t first_ns, run_ns, idle_ns, stamp_ns; /* for reports of tasks */
};

struct uft_names {
	struct arena arena;
	enum uft_names_how how;
	struct uft_session **sessions; /* by pid, then by start */
	size_t n_sessions;
	struct uft_session *first; /* the first of the file */
	struct uft_task **tasks;   /* in the order of the file */
	size_t n_tasks;
	struct map by_tid;
	struct uft_module **modules;
	size_t n_modules;
	struct uft_enum *enums;	   /* of the info file */
	struct uft_module *kernel; /* NULL: it was not recorded */
	const struct uft_names_reader *reader;
};

/* Gives the text of a file of the directory, ended by NUL; the caller frees it. -ENOENT: none. */
struct uft_names_reader {
	void *ctx;
	int (*read)(void *ctx, const char *name, char **ret, size_t *ret_len);
};

struct errmsg;

/* Reads task.txt, the maps and the symbols. Release it on failure, too. */
int uft_names_init(struct uft_names *n, const struct uft_names_reader *reader,
		   enum uft_names_how how, struct errmsg *err);
void uft_names_release(struct uft_names *n);
/* Functions of the kernel, from the text of kallsyms. 0 or -ENOMEM. */
int uft_names_add_kernel(struct uft_names *n, const char *text, size_t len);

struct uft_task *uft_task_find(const struct uft_names *n, int tid);
/* NULL: the task has no program at that time. t may be NULL. */
struct uft_session *uft_session_find(const struct uft_names *n, const struct uft_task *t,
				     uint64_t time_ns);
const struct uft_map *uft_map_find(const struct uft_session *s, uint64_t addr);
/* The symbol at an address of the session: in its maps, or in a library that it has opened. */
const struct uft_sym *uft_sym_find(const struct uft_session *s, uint64_t time_ns, uint64_t addr);
const struct uft_dlopen *uft_dlopen_find(const struct uft_session *s, uint64_t time_ns,
					 uint64_t addr);
/* The map whose file defines a function of that name. */
const struct uft_map *uft_map_of_name(const struct uft_session *s, const char *name);

/* The last part of a path. */
const char *uft_basename(const char *path);

#endif
