/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * dir.h - opens a uftrace.data directory: its info file, texts, and the records of tasks.
 *
 *	uftdir_open ─▶ uftdir_read (texts), uftdir_map (records) ─▶ uftdir_close
 *
 * The meaning of what is read is elsewhere: symbols/uftrace for names, analyse/uftrace for calls.
 */
#ifndef SONDE_STORE_UFTRACE_DIR_H
#define SONDE_STORE_UFTRACE_DIR_H

#include "base/arena.h"
#include "base/files/mapfile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;

/* The info file. Texts are NULL if they are missing. */
struct uftinfo {
	uint32_t version;
	uint16_t header_bytes;
	uint8_t endian, elf_class;
	uint64_t features, items;
	uint32_t max_stack;
	const char *exename, *build_id, *cmdline, *cpu, *memory, *kernel, *hostname, *distro;
	const char *n_cpus, *load, *record_date, *elapsed, *pattern, *version_text, *utc_offset;
	const char *exit_status; /* a wait status, as a number */
	const char *sys_time, *user_time, *switches, *max_rss, *page_faults, *io;
	const char *argspec, *retspec, *arg_auto, *ret_auto, *enum_auto;
	bool has_auto_args;
	int *tids;
	size_t n_tids;
};

struct uftdir {
	int fd;
	const char *path;
	struct uftinfo info;
	bool swaps; /* the other byte order */
	struct arena arena;
};

/* Does the path name a directory that uftrace recorded? */
bool uftdir_is(const char *path);
/*
 * Fails with -ENOENT, -ENOTDIR … of the directory, -EINVAL if it has no info file of a known
 * version. Close it on failure, too.
 */
int uftdir_open(struct uftdir *d, const char *path, struct errmsg *err);
void uftdir_close(struct uftdir *d);

/* A whole text file, ended by NUL, for free(). -ENOENT if it is not there. */
int uftdir_read(const struct uftdir *d, const char *name, char **ret, size_t *ret_len);
/* A file as memory; release it. -ENOENT … without a message. */
int uftdir_map(const struct uftdir *d, const char *name, struct mapfile *ret);

#endif
