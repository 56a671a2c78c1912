// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * codefiles.c - finds and opens files of code.
 *
 * The kernel reports a mapping with a path, as the process sees it, and with a build id or an
 * inode. By now the path may name another file, or a file in another root directory. So these paths
 * are tried in turn, until one has the right build id or inode:
 *
 *	/proc/PID/map_files/START-END    exact, also for deleted files; needs a capability of root
 *	/proc/PID/root/PATH              the root directory of the process (containers)
 *	PATH
 *
 * A build id from the kernel is the best evidence. The inode number is used without the device:
 * overlay file systems report another device in mappings than in stat().
 *
 * The vdso is in no file. It is the same in all 64-bit processes, so a copy of our own one is the
 * file.
 */
#include "capture/perf/codefiles.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/textbuf.h"
#include "store/events/sampleevents.h"
#include "symbols/unwind/cfi.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX   200000u /* with those that have no samples */
#define HEADERS_MAX 64u
#define NOTES_MAX   (64u << 10)
#define VDSO_MAX    (64u << 10)
#define DELETED	    " (deleted)"

struct codefiles {
	struct map by_name; /* of struct codefile, by the hash of path and id */
	struct map by_inode;
	uint64_t seed;
	_Atomic uint32_t n_numbers;
	struct codefile *numbered[SAMPLEEVENTS_FILES_MAX + 1];
};

struct codefiles *codefiles_new(void)
{
	struct codefiles *c = calloc(1, sizeof(*c));

	if (c)
		c->seed = hash_seed();
	return c;
}

static void free_list(struct codefile *f)
{
	while (f) {
		struct codefile *next = f->next;

		if (f->fd >= 0)
			close(f->fd);
		cfi_close(f->cfi);
		free(f->path);
		free(f);
		f = next;
	}
}

void codefiles_free(struct codefiles *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->by_name.n_slots; i++)
		free_list(c->by_name.slots[i].value);
	map_release(&c->by_name);
	map_release(&c->by_inode);
	free(c);
}

/*
 * --- the table ---------------------------------------------------------------------------------
 */

static bool is_same(const struct codefile *f, const struct codefiles_mapping *m, bool is_memory)
{
	if (is_memory)
		return f->state == CODEFILE_MEMORY && f->pid == m->pid && !f->inode;
	return !strcmp(f->path, m->path) && f->inode == m->inode;
}

static struct codefile *new_file(const struct codefiles_mapping *m, bool is_memory)
{
	struct codefile *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->path = strdup(m->path);
	if (!f->path) {
		free(f);
		return NULL;
	}
	f->state = is_memory ? CODEFILE_MEMORY : CODEFILE_NEW;
	f->pid = m->pid;
	f->start = m->start;
	f->end = m->end;
	f->inode = m->inode;
	f->fd = -1;
	return f;
}

static struct codefile *take_file(struct codefiles *c, const struct codefiles_mapping *m,
				  bool is_memory)
{
	uint64_t hash = hash_of_text(c->seed, m->path, strlen(m->path));
	struct codefile *f;
	void **slot;

	hash = hash_step(c->seed, hash, is_memory ? (uint64_t)m->pid : m->inode);
	slot = map_take(&c->by_name, hash, FILES_MAX);
	if (!slot)
		return NULL;
	for (f = *slot; f; f = f->next)
		if (is_same(f, m, is_memory))
			return f;
	f = new_file(m, is_memory);
	if (!f)
		return NULL;
	f->next = *slot;
	*slot = f;
	return f;
}

struct codefile *codefiles_take(struct codefiles *c, const struct codefiles_mapping *m)
{
	return take_file(c, m, false);
}

struct codefile *codefiles_take_memory(struct codefiles *c, int pid)
{
	return take_file(c, &(struct codefiles_mapping){.path = "[anon]", .pid = pid}, true);
}

struct codefile *codefiles_take_hooks(struct codefiles *c)
{
	struct codefile *f = codefiles_take(c, &(struct codefiles_mapping){.path = "[sonde]"});

	if (f)
		f->state = CODEFILE_HOOKS;
	return f;
}

/*
 * --- ELF ---------------------------------------------------------------------------------------
 */

static bool read_at(int fd, void *to, size_t n_bytes, uint64_t offset)
{
	return pread(fd, to, n_bytes, (off_t)offset) == (ssize_t)n_bytes;
}

/* Finds the build id among the notes, n_bytes at that offset. */
static void read_notes(struct codefile *f, uint64_t offset, uint64_t n_bytes)
{
	_Alignas(8) uint8_t notes[4096];
	size_t at = 0, n = n_bytes < sizeof(notes) ? n_bytes : sizeof(notes);

	if (f->n_build_id || n_bytes > NOTES_MAX || !read_at(f->fd, notes, n, offset))
		return;
	while (at + sizeof(ElfW(Nhdr)) <= n) {
		ElfW(Nhdr) note;
		size_t name_at = at + sizeof(note), desc_at;

		memcpy(&note, notes + at, sizeof(note));
		if (note.n_namesz > n || note.n_descsz > n)
			return;
		desc_at = name_at + (note.n_namesz + 3u) / 4 * 4;
		if (desc_at + note.n_descsz > n)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name_at, "GNU", 4) && note.n_descsz &&
		    note.n_descsz <= CODEFILES_BUILD_ID_BYTES) {
			f->n_build_id = note.n_descsz;
			memcpy(f->build_id, notes + desc_at, note.n_descsz);
			return;
		}
		at = desc_at + (note.n_descsz + 3u) / 4 * 4;
	}
}

/* One form for both classes. */
struct segment {
	uint32_t type;
	uint64_t offset, address, n_bytes;
};

static bool read_segment(const struct codefile *f, uint64_t at, struct segment *ret)
{
	Elf64_Phdr p64;
	Elf32_Phdr p32;

	if (f->is_64) {
		if (!read_at(f->fd, &p64, sizeof(p64), at))
			return false;
		*ret = (struct segment){p64.p_type, p64.p_offset, p64.p_vaddr, p64.p_filesz};
	} else {
		if (!read_at(f->fd, &p32, sizeof(p32), at))
			return false;
		*ret = (struct segment){p32.p_type, p32.p_offset, p32.p_vaddr, p32.p_filesz};
	}
	return true;
}

/* Reads the program headers. Returns false if this is no program. */
static bool read_headers(struct codefile *f)
{
	Elf64_Ehdr head;
	uint64_t at, each;
	unsigned n;

	if (!read_at(f->fd, &head, sizeof(Elf32_Ehdr), 0) || memcmp(head.e_ident, ELFMAG, SELFMAG))
		return false;
	f->is_64 = head.e_ident[EI_CLASS] == ELFCLASS64;
	if (f->is_64 && !read_at(f->fd, &head, sizeof(head), 0))
		return false;
	f->machine = head.e_machine;
	at = f->is_64 ? head.e_phoff : ((Elf32_Ehdr *)&head)->e_phoff;
	n = f->is_64 ? head.e_phnum : ((Elf32_Ehdr *)&head)->e_phnum;
	each = f->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	f->n_loads = 0;
	for (unsigned i = 0; i < n && i < HEADERS_MAX; i++) {
		struct segment s;

		if (!read_segment(f, at + i * each, &s))
			break;
		if (s.type == PT_LOAD && f->n_loads < CODEFILES_LOADS_MAX)
			f->loads[f->n_loads++] = (struct codeload){s.offset, s.n_bytes, s.address};
		else if (s.type == PT_NOTE)
			read_notes(f, s.offset, s.n_bytes);
	}
	return true;
}

/*
 * --- opening -----------------------------------------------------------------------------------
 */

/* Whether the open file is the one that was mapped. It is read as a program. */
static bool is_right(struct codefile *f, bool is_mapping, bool *ret_is_elf)
{
	struct stat st;

	if (fstat(f->fd, &st) || !S_ISREG(st.st_mode))
		return false;
	f->n_build_id = 0;
	*ret_is_elf = read_headers(f);
	f->dev = st.st_dev;
	f->opened_inode = st.st_ino;
	f->n_bytes = (uint64_t)st.st_size;
	if (is_mapping || !f->inode || f->inode == st.st_ino)
		return true;
	f->n_build_id = 0;
	return false;
}

static bool try_open(struct codefile *f, const char *path, bool is_mapping)
{
	bool is_elf = false;

	f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (f->fd < 0)
		return false;
	if (is_right(f, is_mapping, &is_elf)) {
		f->state = is_elf ? CODEFILE_OPEN : CODEFILE_MEMORY;
		return true;
	}
	close(f->fd);
	f->fd = -1;
	f->n_loads = 0;
	return false;
}

/*
 * Whether the mapping has the path that was recorded. Then it is the file, although file systems
 * made of layers may show it with another inode.
 */
static bool is_mapping_of(const char *link, const struct codefile *f)
{
	char path[4096];
	ssize_t n = readlink(link, path, sizeof(path));

	return n > 0 && (size_t)n == strlen(f->path) && !memcmp(path, f->path, (size_t)n);
}

static void open_mapped(struct codefile *f)
{
	size_t len = strlen(f->path);
	char path[4096 + 64];

	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", f->pid,
		 (unsigned long long)f->start, (unsigned long long)f->end);
	if (try_open(f, path, is_mapping_of(path, f)))
		return;
	if (len > strlen(DELETED) && !strcmp(f->path + len - strlen(DELETED), DELETED))
		len -= strlen(DELETED);
	snprintf(path, sizeof(path), "/proc/%d/root%.*s", f->pid, (int)len, f->path);
	if (try_open(f, path, false))
		return;
	snprintf(path, sizeof(path), "%.*s", (int)len, f->path);
	if (!try_open(f, path, false))
		f->state = CODEFILE_GONE;
}

/* Writes our own vdso into a file without a name. */
static void open_vdso(struct codefile *f)
{
	const Elf64_Ehdr *head = (const void *)getauxval(AT_SYSINFO_EHDR);
	uint64_t n_bytes = f->end - f->start;

	f->state = CODEFILE_GONE;
	if (!head || n_bytes > VDSO_MAX || head->e_ident[EI_CLASS] != ELFCLASS64)
		return;
	/* the last section headers are the end of the image */
	if (head->e_shoff + (uint64_t)head->e_shnum * head->e_shentsize < n_bytes)
		n_bytes = head->e_shoff + (uint64_t)head->e_shnum * head->e_shentsize;
	f->fd = memfd_create("vdso", MFD_CLOEXEC);
	if (f->fd < 0)
		return;
	if (write(f->fd, head, n_bytes) == (ssize_t)n_bytes && read_headers(f)) {
		f->state = CODEFILE_OPEN;
		f->n_bytes = n_bytes;
	}
}

/* A file by two names gets one number. */
static void find_same(struct codefiles *c, struct codefile *f)
{
	void **slot;

	if (f->state != CODEFILE_OPEN || !f->opened_inode)
		return;
	slot = map_take(&c->by_inode, f->opened_inode ^ f->dev << 40, FILES_MAX);
	if (slot && !*slot) {
		*slot = f;
	} else if (slot) {
		struct codefile *other = *slot;

		if (other->dev == f->dev && other->opened_inode == f->opened_inode &&
		    other->n_build_id == f->n_build_id &&
		    !memcmp(other->build_id, f->build_id, f->n_build_id))
			f->same = other;
	}
}

void codefile_open(struct codefiles *c, struct codefile *f)
{
	if (f->state != CODEFILE_NEW)
		return;
	if (!strcmp(f->path, "[vdso]"))
		open_vdso(f);
	else
		open_mapped(f);
	find_same(c, f);
	if (f->same && f->fd >= 0) {
		close(f->fd);
		f->fd = -1;
	}
}

uint64_t codefile_find(const struct codefile *f, uint64_t offset)
{
	for (unsigned i = 0; i < f->n_loads; i++) {
		/* the last page of a segment is mapped as a whole */
		uint64_t begin = f->loads[i].offset & ~UINT64_C(4095);

		if (offset >= begin && offset < f->loads[i].offset + f->loads[i].n_bytes)
			return offset - f->loads[i].offset + f->loads[i].address;
	}
	return offset;
}

/*
 * --- numbers -----------------------------------------------------------------------------------
 */

uint32_t codefiles_number(struct codefiles *c, struct codefile *f)
{
	uint32_t n = atomic_load_explicit(&c->n_numbers, memory_order_relaxed);

	if (f->same)
		f = f->same;
	if (f->number || n >= SAMPLEEVENTS_FILES_MAX)
		return f->number;
	f->number = n + 1;
	c->numbered[n + 1] = f;
	atomic_store_explicit(&c->n_numbers, n + 1, memory_order_release);
	return f->number;
}

uint32_t codefiles_n(const struct codefiles *c)
{
	return atomic_load_explicit(&c->n_numbers, memory_order_acquire);
}

const struct codefile *codefiles_get(const struct codefiles *c, uint32_t number)
{
	return number && number <= codefiles_n(c) ? c->numbered[number] : NULL;
}

void codefile_fmt_path(const struct codefile *f, char *path, size_t n_bytes)
{
	struct stat st;

	if (f->fd < 0 || (!stat(f->path, &st) && st.st_ino == f->opened_inode &&
			  st.st_dev == f->dev && f->path[0] == '/'))
		snprintf(path, n_bytes, "%s", f->path);
	else
		snprintf(path, n_bytes, "/proc/self/fd/%d", f->fd);
}

static void add_path(struct textbuf *tb, const char *path)
{
	for (; *path; path++)
		textbuf_add_char(tb, *path == '\n' ? '?' : *path);
	textbuf_add_char(tb, '\n');
}

void codefiles_fmt(const struct codefiles *c, struct textbuf *tb)
{
	for (uint32_t i = 1; i <= codefiles_n(c); i++) {
		const struct codefile *f = c->numbered[i];

		if (f->state == CODEFILE_MEMORY) {
			textbuf_addf(tb, "J %x %d ", i, f->pid);
			textbuf_addf(tb, "/tmp/perf-%d.map\n", f->pid);
			continue;
		}
		textbuf_addf(tb, "F %x ", i);
		for (unsigned k = 0; k < f->n_build_id; k++)
			textbuf_addf(tb, "%02x", f->build_id[k]);
		textbuf_add_str(tb, f->n_build_id ? " " : "- ");
		add_path(tb, f->path);
	}
}
