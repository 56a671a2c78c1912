// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * programs.c - keeps mapped files and their functions, and converts them to the text in a trace
 * file.
 *
 *	regions[]  start, length ──▶ file    many programs may map the same file, at different
 *	                                     addresses
 *	files[]    path, functions by the addresses of the ELF file
 *
 * In a trace file, all numbers in hex:
 *
 *	file /usr/lib/x86_64-linux-gnu/libc.so.6
 *	11c0 2b add_two                    address, length, name: functions of the file above, by
 *	                                   address
 *	map 0 55c7eeefa000 1000 55c7eeef9000    file, start, length, difference to addresses of the
 *	                                        file
 *	else 400000 1000                        start, length: another program, whose functions are
 *	                                        unknown, uses this range
 *
 * The functions of a file are read when it is first mapped. A region gets its own list of them,
 * with addresses in memory, at the first look-up in it. `lock` protects the creation of the list,
 * which then does not change.
 */
#include "symbols/programs.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/lock.h"
#include "base/textbuf.h"
#include "format/bytes.h"
#include "symbols/dwarf/debuginfo.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILES_MAX     4096
#define REGIONS_MAX   65536
#define FUNCTIONS_MAX (1u << 20) /* limit for one file */
#define NAME_MAX_LEN  1024

struct function {
	uint64_t address, n_bytes;
	const char *name; /* not terminated */
	uint32_t len;
};

struct file {
	char *path;
	uint64_t inode;
	int pid;
	bool is_read;
	struct debuginfo *info; /* owner of the names; NULL: they are in the text of a trace */
	struct function *functions;
	size_t n, cap;
};

struct region {
	struct file *file; /* NULL: the functions are unknown */
	uint64_t start, n_bytes, file_offset;
	uint64_t bias;
	bool has_bias;
	/*
	 * without a file: number of programs that block the region; 0: the region is empty;
	 * __atomic
	 */
	unsigned n_blocks;
	struct ksym *syms; /* one for each function of the file; NULL: no look-up yet; __atomic */
};

struct programs {
	struct file *files[FILES_MAX];
	size_t n_files;
	struct region *regions[REGIONS_MAX];
	size_t n_regions; /* __atomic */
	pthread_mutex_t lock;
};

struct programs *programs_new(void)
{
	struct programs *p = calloc(1, sizeof(*p));

	if (p)
		pthread_mutex_init(&p->lock, NULL);
	return p;
}

static void file_free(struct file *f)
{
	debuginfo_close(f->info);
	free(f->functions);
	free(f->path);
	free(f);
}

void programs_free(struct programs *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_regions; i++) {
		free(p->regions[i]->syms);
		free(p->regions[i]);
	}
	for (size_t i = 0; i < p->n_files; i++)
		file_free(p->files[i]);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/*
 * --- functions of a file -----------------------------------------------------------------------
 */

static int add_function(struct file *f, const char *name, size_t len, uint64_t address,
			uint64_t n_bytes)
{
	if (!len || len > NAME_MAX_LEN || f->n == FUNCTIONS_MAX)
		return 0;
	if (!ARRAY_ROOM(f->functions, f->cap, f->n + 1, FUNCTIONS_MAX))
		return -ENOMEM;
	f->functions[f->n++] = (struct function){address, n_bytes, name, len};
	return 0;
}

/*
 * Adds a function. A function without a length is used only for its own address, because other code
 * may follow.
 */
static int take_function(void *ctx, const char *name, uint64_t address, uint64_t n_bytes)
{
	return add_function(ctx, name, strlen(name), address, n_bytes ? n_bytes : 1);
}

ARRAY_ORDER(compare_functions, struct function, COMPARE(x->address, y->address))

/* Returns true for the file that was mapped, false for another file that has its name by now. */
static bool is_same_file(const struct file *f, const char *path)
{
	struct stat st;

	return !stat(path, &st) && (!f->inode || st.st_ino == f->inode);
}

static void read_file(struct file *f)
{
	struct errmsg ignored = {0};
	char path[4096 + 64];

	if (f->is_read)
		return;
	f->is_read = true;
	snprintf(path, sizeof(path), "%s", f->path);
	if (!is_same_file(f, path))
		snprintf(path, sizeof(path), "/proc/%d/root%s", f->pid, f->path);
	if (is_same_file(f, path) &&
	    debuginfo_open(&f->info, &(struct debuginfo_paths){.path = path}, &ignored) >= 0)
		debuginfo_each_symbol(f->info, take_function, f);
	if (f->n)
		qsort(f->functions, f->n, sizeof(*f->functions), compare_functions);
}

/*
 * --- what is mapped ----------------------------------------------------------------------------
 */

static struct file *add_file(struct programs *p, const char *path, size_t len)
{
	struct file *f = p->n_files < FILES_MAX ? calloc(1, sizeof(*f)) : NULL;

	if (!f)
		return NULL;
	f->path = strndup(path, len);
	if (!f->path) {
		free(f);
		return NULL;
	}
	p->files[p->n_files++] = f;
	return f;
}

static struct file *find_file(struct programs *p, const struct program_mapping *m)
{
	struct file *f;

	for (size_t i = 0; i < p->n_files; i++)
		if (p->files[i]->inode == m->inode && !strcmp(p->files[i]->path, m->path))
			return p->files[i];
	f = add_file(p, m->path, strlen(m->path));
	if (f) {
		f->inode = m->inode;
		f->pid = m->pid;
		read_file(
			/*
			 * the file may be replaced later; in another root it is visible only while
			 * the program runs
			 */
			f);
	}
	return f;
}

static bool is_known(const struct programs *p, const struct region *r)
{
	for (size_t i = p->n_regions; i-- > 0;) {
		const struct region *have = p->regions[i];

		if (have->start == r->start && have->file == r->file &&
		    have->n_bytes == r->n_bytes && have->file_offset == r->file_offset)
			return true;
	}
	return false;
}

static int add_region(struct programs *p, const struct region *r)
{
	struct region *copy;

	if (is_known(p, r))
		return 0;
	if (p->n_regions == REGIONS_MAX)
		return -E2BIG;
	copy = malloc(sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = *r;
	p->regions[p->n_regions] = copy;
	__atomic_store_n(&p->n_regions, p->n_regions + 1, __ATOMIC_RELEASE);
	return 0;
}

int programs_map(struct programs *p, const struct program_mapping *m)
{
	struct region r = {.start = m->start, .n_bytes = m->n_bytes, .file_offset = m->file_offset};

	LOCKED(&p->lock);
	r.file = find_file(p, m);
	return r.file ? add_region(p, &r) : -E2BIG;
}

static void place_region(struct region *r)
{
	uint64_t address;

	read_file(r->file);
	if (r->has_bias || !r->file->info ||
	    debuginfo_address(r->file->info, r->file_offset, &address) < 0)
		return;
	r->bias = r->start - address;
	r->has_bias = true;
}

static struct region *find_block(struct programs *p, uint64_t start, uint64_t n_bytes)
{
	for (size_t i = 0; i < p->n_regions; i++) {
		struct region *r = p->regions[i];

		if (!r->file && r->start == start && r->n_bytes == n_bytes)
			return r;
	}
	return NULL;
}

int programs_block(struct programs *p, uint64_t start, uint64_t n_bytes)
{
	struct region *have;
	int result = 0;

	LOCKED(&p->lock);
	have = find_block(p, start, n_bytes);
	if (have)
		have->n_blocks++;
	else
		result = add_region(
			p, &(struct region){.start = start, .n_bytes = n_bytes, .n_blocks = 1});
	return result;
}

void programs_unblock(struct programs *p, uint64_t start, uint64_t n_bytes)
{
	struct region *have;

	LOCKED(&p->lock);
	have = find_block(p, start, n_bytes);
	if (have && !--have->n_blocks)
		__atomic_store_n(&have->n_bytes, 0, __ATOMIC_RELAXED);
}

/*
 * --- look-ups ----------------------------------------------------------------------------------
 */

/* Allocates one more than needed, so that an empty list differs from "no look-up yet". */
static const struct ksym *load_region(struct programs *p, struct region *r)
{
	struct ksym *syms;

	LOCKED(&p->lock);
	place_region(r);
	syms = r->syms;
	if (!syms && (syms = calloc(r->file->n + 1, sizeof(*syms)))) {
		for (size_t i = 0; i < r->file->n; i++) {
			const struct function *f = &r->file->functions[i];

			syms[i] = (struct ksym){
				.addr = f->address + r->bias, .name = f->name, .name_len = f->len};
		}
		__atomic_store_n(&r->syms, syms, __ATOMIC_RELEASE);
	}
	return syms;
}

static const struct ksym *find_in(struct programs *p, struct region *r, uint64_t addr)
{
	const struct ksym *syms = __atomic_load_n(&r->syms, __ATOMIC_ACQUIRE);
	const struct function *last;
	size_t n;

	if (!r->file)
		return NULL;
	if (!syms)
		syms = load_region(p, r);
	if (!syms || !r->has_bias)
		return NULL;
	addr -= r->bias;
	n = ARRAY_BISECT(r->file->n, i, r->file->functions[i].address <= addr);
	if (!n)
		return NULL;
	last = &r->file->functions[n - 1];
	return addr - last->address < last->n_bytes ? &syms[n - 1] : NULL;
}

static bool is_same(const struct ksym *a, const struct ksym *b)
{
	return a && b && a->addr == b->addr && a->name_len == b->name_len &&
	       !memcmp(a->name, b->name, a->name_len);
}

const struct ksym *programs_find(struct programs *p, uint64_t addr)
{
	size_t n = p ? __atomic_load_n(&p->n_regions, __ATOMIC_ACQUIRE) : 0;
	const struct ksym *found = NULL;
	bool is_first = true;

	for (size_t i = 0; i < n; i++) {
		struct region *r = p->regions[i];
		const struct ksym *sym;

		if (addr - r->start >= __atomic_load_n(&r->n_bytes, __ATOMIC_RELAXED))
			continue;
		sym = find_in(p, r, addr);
		if (!is_first && !is_same(sym, found))
			return NULL;
		found = sym;
		is_first = false;
	}
	return found;
}

/* Returns the address in region r of what is at `in_file` of its file, or 0. */
static uint64_t address_in(struct region *r, const struct file *file, uint64_t in_file)
{
	if (r->file != file)
		return 0;
	place_region(r);
	return r->has_bias && in_file + r->bias - r->start < r->n_bytes ? in_file + r->bias : 0;
}

uint64_t programs_unify(struct programs *p, uint64_t addr)
{
	size_t n = p ? __atomic_load_n(&p->n_regions, __ATOMIC_ACQUIRE) : 0, i = 0;
	uint64_t first = 0;
	struct region *r;

	while (i < n && addr - p->regions[i]->start >=
				__atomic_load_n(&p->regions[i]->n_bytes, __ATOMIC_RELAXED))
		i++;
	if (i == n || !programs_find(p, addr))
		return addr;
	pthread_mutex_lock(&p->lock);
	r = p->regions[i];
	place_region(r);
	for (size_t k = 0; r->has_bias && k < i && !first; k++)
		first = address_in(p->regions[k], r->file, addr - r->bias);
	pthread_mutex_unlock(&p->lock);
	return first ? first : addr;
}

/*
 * --- the text ----------------------------------------------------------------------------------
 */

static void fmt_file(const struct file *f, struct textbuf *tb)
{
	textbuf_addf(tb, "file %s\n", f->path);
	for (size_t i = 0; i < f->n; i++) {
		const struct function *fn = &f->functions[i];

		textbuf_addf(tb, "%llx %llx %.*s\n", (unsigned long long)fn->address,
			     (unsigned long long)fn->n_bytes, (int)fn->len, fn->name);
	}
}

static bool is_named(const struct region *r)
{
	return r->file && r->file->n && r->has_bias;
}

static bool overlaps_named(const struct programs *p, const struct region *r)
{
	for (size_t i = 0; i < p->n_regions; i++) {
		const struct region *have = p->regions[i];

		if (is_named(have) && r->start < have->start + have->n_bytes &&
		    have->start < r->start + r->n_bytes)
			return true;
	}
	return false;
}

static void fmt_regions(const struct programs *p, const struct file *f, size_t number,
			struct textbuf *tb)
{
	for (size_t i = 0; i < p->n_regions; i++) {
		const struct region *r = p->regions[i];

		if (r->file == f && r->has_bias)
			textbuf_addf(tb, "map %zx %llx %llx %llx\n", number,
				     (unsigned long long)r->start, (unsigned long long)r->n_bytes,
				     (unsigned long long)r->bias);
	}
}

/*
 * Skips files without functions, and their mappings, unless these mappings make other names
 * uncertain.
 */
void programs_fmt(struct programs *p, struct textbuf *tb)
{
	size_t number = 0;

	LOCKED(&p->lock);
	for (size_t i = 0; i < p->n_regions; i++)
		if (p->regions[i]->file)
			place_region(p->regions[i]);
	for (size_t i = 0; i < p->n_files; i++) {
		if (!p->files[i]->n)
			continue;
		fmt_file(p->files[i], tb);
		fmt_regions(p, p->files[i], number++, tb);
	}
	for (size_t i = 0; i < p->n_regions; i++) {
		const struct region *r = p->regions[i];

		if (!is_named(r) && overlaps_named(p, r))
			textbuf_addf(tb, "else %llx %llx\n", (unsigned long long)r->start,
				     (unsigned long long)r->n_bytes);
	}
}

/* Parses a number in hex and one blank. Returns NULL if one is missing. */
static const char *parse_hex(const char *at, const char *end, uint64_t *ret)
{
	const char *start = at;

	*ret = 0;
	for (; at < end && at - start < 16; at++) {
		int c = *at | 0x20;

		if (*at >= '0' && *at <= '9')
			*ret = *ret << 4 | (*at - '0');
		else if (c >= 'a' && c <= 'f')
			*ret = *ret << 4 | (c - 'a' + 10);
		else
			break;
	}
	return at > start && at < end && *at == ' ' ? at + 1 : at > start && at == end ? at : NULL;
}

static int parse_map(struct programs *p, const char *at, const char *end)
{
	struct region r = {.has_bias = true};
	uint64_t file;

	at = parse_hex(at, end, &file);
	at = at ? parse_hex(at, end, &r.start) : NULL;
	at = at ? parse_hex(at, end, &r.n_bytes) : NULL;
	at = at ? parse_hex(at, end, &r.bias) : NULL;
	if (!at || file >= p->n_files)
		return 0;
	r.file = p->files[file];
	return add_region(p, &r) == -ENOMEM ? -ENOMEM : 0;
}

static int parse_else(struct programs *p, const char *at, const char *end)
{
	struct region r = {0};

	at = parse_hex(at, end, &r.start);
	at = at ? parse_hex(at, end, &r.n_bytes) : NULL;
	return at && add_region(p, &r) == -ENOMEM ? -ENOMEM : 0;
}

/* Parses a function. The functions must be in order, because searches rely on it. */
static int parse_function(struct file *f, const char *at, const char *end)
{
	uint64_t address, n_bytes;

	at = f ? parse_hex(at, end, &address) : NULL;
	at = at ? parse_hex(at, end, &n_bytes) : NULL;
	if (!at || (f->n && f->functions[f->n - 1].address >= address))
		return 0;
	return add_function(f, at, end - at, address, n_bytes);
}

int programs_parse(struct programs *p, struct piece text)
{
	const char *at = (const char *)text.data, *all = at + text.len;
	struct file *f = NULL;
	int r = 0;

	while (at < all && *at && r >= 0) {
		const char *nl = memchr(at, '\n', all - at), *end = nl ? nl : all;

		if (end - at > 5 && !memcmp(at, "file ", 5)) {
			f = add_file(p, at + 5, end - at - 5);
			r = f ? 0 : -ENOMEM;
			if (f)
				f->is_read = true;
		} else if (end - at > 4 && !memcmp(at, "map ", 4)) {
			r = parse_map(p, at + 4, end);
		} else if (end - at > 5 && !memcmp(at, "else ", 5)) {
			r = parse_else(p, at + 5, end);
		} else {
			r = parse_function(f, at, end);
		}
		at = end + 1;
	}
	return r;
}
