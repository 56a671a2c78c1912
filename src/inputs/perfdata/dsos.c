// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * dsos.c - the files with code of a perf.data, and where their functions are found.
 *
 *	a file         the path itself; ~/.debug/.build-id/XX/…/elf, which perf record keeps;
 *	               symbols of /usr/lib/debug/.build-id/XX/….debug. Its build id must be the
 *	               recorded one.
 *	the kernel     /proc/kallsyms if this kernel has the recorded build id; ~/.debug/…/kallsyms.
 *	               Addresses are moved if the kernel was at another place (KASLR).
 *	[vdso]         the one of this process, which is the same file for the same kernel
 *	anonymous      /tmp/perf-PID.map, which compilers at run time write
 *
 * Functions are read when the first address in a file is looked up: a perf.data names every file of
 * the machine.
 */
#include "base/files/mapfile.h"
#include "base/files/regular.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "format/bytes.h"
#include "inputs/perfdata/session_int.h"
#include "store/perfdata/perfdata.h"
#include "symbols/symtable.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#define KALLSYMS_MAX_BYTES (256u << 20)
#define JIT_MAX_BYTES	   (1u << 30)
#define VDSO_MAX_BYTES	   (64u << 10)

/* Names of memory that is not a file with code. */
static bool is_anonymous(const char *path)
{
	return !strncmp(path, "//anon", 6) || !strncmp(path, "/dev/zero", 9) ||
	       !strncmp(path, "/anon_hugepage", 14) || !strncmp(path, "/SYSV", 5) ||
	       !strncmp(path, "[heap]", 6) || !strncmp(path, "[stack", 6);
}

static enum perfdso_kind kind_of(const char *path)
{
	if (!strncmp(path, "[kernel", 7) || !strncmp(path, "[guest.kernel", 13))
		return PERFDSO_KERNEL;
	if (!strcmp(path, "[vdso]"))
		return PERFDSO_VDSO;
	if (!strncmp(path, "/tmp/perf-", 10))
		return PERFDSO_JIT;
	return path[0] == '[' ? PERFDSO_UNKNOWN : PERFDSO_FILE;
}

static const char *short_name(struct perfsession *s, const struct perfdso *d)
{
	const char *slash = strrchr(d->path, '/');
	char name[64];

	if (d->kind == PERFDSO_JIT) {
		snprintf(name, sizeof(name), "[JIT] tid %d", d->pid);
		return arena_strndup(&s->arena, name, strlen(name));
	}
	return slash && slash[1] ? slash + 1 : d->path;
}

struct perfdso *perfsession_dso(struct perfsession *s, const char *path, int32_t pid)
{
	struct perfdso *d;
	char jit[64];
	void **slot;
	uint64_t hash;

	if (is_anonymous(path)) {
		snprintf(jit, sizeof(jit), "/tmp/perf-%d.map", pid);
		path = jit;
	}
	hash = hash_of_text(s->seed, path, strlen(path));
	slot = map_take(&s->dso_hashes, hash, PERFSESSION_DSOS_MAX);
	if (!slot)
		return NULL;
	for (d = *slot; d; d = d->same_hash)
		if (!strcmp(d->path, path))
			return d;
	d = arena_alloc(&s->arena, sizeof(*d));
	if (!d)
		return NULL;
	d->path = arena_strndup(&s->arena, path, strlen(path));
	if (!d->path)
		return NULL;
	d->kind = kind_of(path);
	d->pid = pid;
	if (d->kind == PERFDSO_JIT)
		sscanf(path, "/tmp/perf-%d.map", &d->pid);
	d->short_name = short_name(s, d);
	d->same_hash = *slot;
	*slot = d;
	d->next = s->dsos;
	s->dsos = d;
	return d;
}

/*
 * --- functions ---------------------------------------------------------------------------------
 */

static void fmt_id(const uint8_t *id, size_t n, char *ret)
{
	for (size_t i = 0; i < n; i++)
		snprintf(ret + 2 * i, 3, "%02x", id[i]);
}

static const char *home(void)
{
	const char *dir = getenv("HOME");

	return dir && *dir ? dir : "/root";
}

/* Adds what a file below a directory of build ids has. suffix: "/elf", ".debug". */
static int add_by_id(struct symtable *t, const struct perfdso *d, const char *dir,
		     const char *suffix)
{
	char hex[2 * SYMTABLE_ID_BYTES + 1], path[512];

	if (d->n_id < 2)
		return -ENOENT;
	fmt_id(d->id, d->n_id, hex);
	snprintf(path, sizeof(path), "%.300s/.build-id/%.2s/%s%s", dir, hex, hex + 2, suffix);
	return symtable_add_elf(t, path, d->id, d->n_id);
}

static int load_file(const struct perfdso *d, struct symtable *t)
{
	char cache[300];
	int r = symtable_add_elf(t, d->path, d->n_id ? d->id : NULL, d->n_id);
	size_t n;

	snprintf(cache, sizeof(cache), "%.200s/.debug", home());
	if (r == -ENOENT)
		r = add_by_id(t, d, cache, "/elf");
	if (r >= 0 && !d->n_id) {
		struct perfdso found = *d;

		memcpy(found.id, symtable_build_id(t, &n), sizeof(found.id));
		found.n_id = (uint8_t)n;
		add_by_id(t, &found, "/usr/lib/debug", ".debug");
		return r;
	}
	if (add_by_id(t, d, "/usr/lib/debug", ".debug") >= 0 && r == -ENOENT)
		r = 0;
	return r;
}

static int load_vdso(struct symtable *t)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	Elf64_Ehdr head;
	uint64_t n;

	if (!image)
		return -ENOENT;
	memcpy(&head, image, sizeof(head));
	n = head.e_shoff + (uint64_t)head.e_shnum * head.e_shentsize;
	if (n > VDSO_MAX_BYTES)
		return -ENOENT;
	return symtable_add_image(t, (struct piece){image, n});
}

static int load_jit(const struct perfdso *d, struct symtable *t)
{
	struct errmsg ignored = {0};
	struct mapfile map;
	int r;

	if (mapfile_open_regular(&map, d->path, JIT_MAX_BYTES, &ignored) < 0)
		return -ENOENT;
	r = symtable_add_jit(t, (struct piece){map.data, map.n_bytes});
	mapfile_release(&map);
	return r;
}

/*
 * --- the kernel --------------------------------------------------------------------------------
 */

/* The build id of the running kernel, out of its notes. */
static size_t running_id(uint8_t *ret)
{
	uint8_t notes[4096];
	SCOPED(scope_close) int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, notes, sizeof(notes));

	for (size_t at = 0; n > 0 && at + 12 <= (size_t)n;) {
		uint32_t name = bytes_get32(notes + at, false);
		uint32_t desc = bytes_get32(notes + at + 4, false);
		uint32_t type = bytes_get32(notes + at + 8, false);
		size_t desc_at = at + 12 + (((size_t)name + 3) & ~(size_t)3);

		if (type == NT_GNU_BUILD_ID && name == 4 && desc <= SYMTABLE_ID_BYTES &&
		    desc_at + desc <= (size_t)n) {
			memcpy(ret, notes + desc_at, desc);
			return desc;
		}
		at = desc_at + (((size_t)desc + 3) & ~(size_t)3);
	}
	return 0;
}

static bool is_running(struct perfsession *s, const struct perfdso *d)
{
	const char *release = perfdata_text(&s->data, SNF_PERF_FEAT_OSRELEASE);
	uint8_t id[SYMTABLE_ID_BYTES];
	size_t n = running_id(id);
	struct utsname now;

	if (d->n_id && n)
		return d->n_id == n && !memcmp(d->id, id, n);
	return release && uname(&now) >= 0 && !strcmp(release, now.release);
}

static int read_text(const char *path, struct textbuf *tb)
{
	SCOPED(scope_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? -errno : textbuf_add_file(tb, fd);
}

/* How far the kernel was moved since the recording, by a symbol whose address perf stored. */
static uint64_t find_shift(const struct perfsession *s, const char *text)
{
	char line[64];
	const char *found;

	if (!s->kernel_ref)
		return 0;
	snprintf(line, sizeof(line), " %s\n", s->kernel_ref_name);
	found = strstr(text, line);
	if (!found || found - text < 18)
		return 0;
	return s->kernel_ref - strtoull(found - 18, NULL, 16);
}

static int load_kernel(struct perfsession *s, const struct perfdso *d, struct symtable *t)
{
	char hex[2 * SYMTABLE_ID_BYTES + 1] = "", path[512];
	TEXTBUF(tb, KALLSYMS_MAX_BYTES);

	if (is_running(s, d)) {
		if (read_text("/proc/kallsyms", &tb) < 0)
			return -ENOENT;
	} else if (d->n_id) {
		fmt_id(d->id, d->n_id, hex);
		snprintf(path, sizeof(path), "%.200s/.debug/[kernel.kallsyms]/%s/kallsyms", home(),
			 hex);
		if (read_text(path, &tb) < 0)
			return -ENOENT;
	}
	if (!textbuf_len(&tb))
		return -ENOENT;
	return symtable_add_kallsyms(t, PIECE_OF_TEXT(&tb), find_shift(s, textbuf_text(&tb)));
}

void perfdso_load(struct perfsession *s, struct perfdso *d)
{
	struct symtable *t;
	int r = -ENOENT;

	if (d->tried)
		return;
	d->tried = true;
	t = symtable_new();
	if (!t)
		return;
	switch (d->kind) {
	case PERFDSO_FILE:
		r = load_file(d, t);
		break;
	case PERFDSO_KERNEL:
		r = load_kernel(s, d, t);
		break;
	case PERFDSO_VDSO:
		r = load_vdso(t);
		break;
	case PERFDSO_JIT:
		r = load_jit(d, t);
		break;
	case PERFDSO_UNKNOWN:
		break;
	}
	if (r < 0) {
		symtable_free(t);
		return;
	}
	symtable_sort(t);
	d->symbols = t;
}

void perfsession_free_dsos(struct perfsession *s)
{
	for (struct perfdso *d = s->dsos; d; d = d->next)
		symtable_free(d->symbols);
	map_release(&s->dso_hashes);
}
