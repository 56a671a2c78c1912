// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * btf.c - opens BTF and finds types by name.
 *
 *  header  u16 magic 0xeb9f, u8 version, u8 flags, u32 header length,
 *          u32 type offset, type length, string offset, string length  (from the header's end)
 *  type    u32 name, u32 info, u32 size or type  + data that depends on the kind
 *  info    bits 0-15 number of members, 24-28 kind, 31 a flag whose meaning depends on the
 *          kind
 *  name    offset of a string that ends with NUL; 0: none
 *
 * Types have no ids in the file: the first is 1, the next 2 … and in a module's BTF the first
 * follows the kernel's last. Strings continue in the same way. So opening is one pass that notes
 * the position of each type and checks that it is complete (0.6 ms for 126 000 types); later reads
 * need no bounds checks. References between types are not checked then: btf_get() returns "void"
 * for an unknown id, and all walks have limits, so that a cycle ends.
 *
 * Names. A program that resolves one definition needs one or two names; a table of all names would
 * cost 10 ms. So the first MAX_SCANS names are found by a search: first the name is searched among
 * the strings, which is fast, and then its offset among the types. (The tools that make BTF store
 * each string once. If a tool does not, or shares the end of a longer string, all names are
 * compared as text.) After that there is a hash. It holds only the first type of each kind and
 * name, so that a file full of equal names cannot make it slow.
 *
 * The kernel's file can be mapped since 6.16; on older kernels it is read.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/hash.h"
#include "base/files/regular.h"
#include "base/scope.h"
#include "symbols/btf/btf_int.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BTF_DIRECTORY  "/sys/kernel/btf"
#define BTF_MAX_BYTES  (128u << 20)
#define BTF_MAGIC      0xeb9f
#define HEADER_BYTES   24
#define MAX_TYPES      (1u << 24)
#define MAX_SCANS      3
#define NAME_MAX_BYTES 512 /* the kernel's limit for a symbol */

struct btf_names {
	uint64_t seed;
	unsigned n_scans;
	uint32_t *slots; /* ids of types; 0: free */
	size_t n_slots;	 /* a power of two; 0: not built yet */
};

/* The data after a type, by its kind: fixed bytes, and bytes for each member. */
static const struct {
	uint8_t fixed, each;
	bool is_searched; /* btf_find() searches types of this kind by name */
} kinds[BTF_N_KINDS] = {
	[BTF_INT] = {4, 0, true},      [BTF_ARRAY] = {12, 0},	   [BTF_STRUCT] = {0, 12, true},
	[BTF_UNION] = {0, 12, true},   [BTF_ENUM] = {0, 8, true},  [BTF_TYPEDEF] = {0, 0, true},
	[BTF_FUNC] = {0, 0, true},     [BTF_FUNC_PROTO] = {0, 8},  [BTF_VAR] = {4, 0, true},
	[BTF_DATASEC] = {0, 12, true}, [BTF_FLOAT] = {0, 0, true}, [BTF_DECL_TAG] = {4, 0},
	[BTF_ENUM64] = {0, 12, true},
};

const struct types *btf_types(const struct btf *b)
{
	return &b->types;
}

const char *btf_string(const struct btf *b, uint32_t offset)
{
	if (b->base && offset < b->first_string)
		b = b->base;
	offset -= b->first_string;
	return offset < b->strings.len ? (const char *)b->strings.data + offset : "";
}

void btf_get(const struct btf *b, uint64_t id, struct btf_type *ret)
{
	const uint8_t *p;
	uint32_t info;

	if (b->base && id < b->first_id)
		b = b->base;
	*ret = (struct btf_type){.owner = b};
	if (id < b->first_id || id >= b->end_id)
		return;
	p = b->type_bytes.data + b->offsets[id - b->first_id];
	info = bytes_get32(p + 4, b->swap);
	ret->kind = info >> 24 & 31;
	ret->name = bytes_get32(p, b->swap);
	ret->vlen = info & 0xffff;
	ret->flag = info >> 31;
	ret->size = bytes_get32(p + 8, b->swap);
	ret->more = p + BTF_TYPE_BYTES;
}

/*
 * --- names
 * ----------------------------------------------------------------------------------------
 */

static const uint8_t *type_at(const struct btf *b, uint32_t id)
{
	return b->type_bytes.data + b->offsets[id - b->first_id];
}

static enum btf_kind kind_at(const struct btf *b, uint32_t id)
{
	return bytes_get32(type_at(b, id) + 4, b->swap) >> 24 & 31;
}

static const char *name_at(const struct btf *b, uint32_t id)
{
	return btf_string(b, bytes_get32(type_at(b, id), b->swap));
}

static bool is_name(const char *have, const char *name, size_t len)
{
	return !strncmp(have, name, len) && !have[len];
}

/* Finds the name among the strings, if each string is stored once. Returns 0 if it is not found. */
static uint32_t find_string(const struct btf *b, const char *name, size_t len)
{
	char text[NAME_MAX_BYTES + 2] = {0};
	const uint8_t *p;

	memcpy(text + 1, name, len);
	p = memmem(b->strings.data, b->strings.len, text, len + 2);
	return p ? b->first_string + (uint32_t)(p + 1 - b->strings.data) : 0;
}

static uint32_t scan_offset(const struct btf *b, enum btf_kind kind, uint32_t name)
{
	for (uint32_t id = b->first_id; name && id < b->end_id; id++)
		if (bytes_get32(type_at(b, id), b->swap) == name && kind_at(b, id) == kind)
			return id;
	return 0;
}

static uint32_t scan(const struct btf *b, enum btf_kind kind, const char *name, size_t len)
{
	uint32_t found = scan_offset(b, kind, find_string(b, name, len));

	/* a module's types can have names from the kernel's strings */
	if (!found && b->base)
		found = scan_offset(b, kind, find_string(b->base, name, len));
	for (uint32_t id = b->first_id; !found && id < b->end_id; id++)
		if (kind_at(b, id) == kind && is_name(name_at(b, id), name, len))
			found = id;
	return found;
}

/* Returns the slot that has the type, or the free slot for it. */
static uint32_t *find_slot(const struct btf *b, enum btf_kind kind, const char *name, size_t len)
{
	struct btf_names *n = b->names;
	size_t at = hash_text(n->seed + 2 * kind, name, len, n->n_slots);

	while (n->slots[at] &&
	       (kind_at(b, n->slots[at]) != kind || !is_name(name_at(b, n->slots[at]), name, len)))
		at = (at + 1) & (n->n_slots - 1);
	return &n->slots[at];
}

static bool make_names(const struct btf *b)
{
	struct btf_names *n = b->names;
	size_t n_slots = 16;

	while (n_slots < 2 * (size_t)(b->end_id - b->first_id))
		n_slots *= 2;
	n->slots = calloc(n_slots, sizeof(*n->slots));
	if (!n->slots)
		return false;
	n->n_slots = n_slots;
	for (uint32_t id = b->first_id; id < b->end_id; id++) {
		enum btf_kind kind = kind_at(b, id);
		const char *name = name_at(b, id);
		size_t len = kinds[kind].is_searched ? strnlen(name, NAME_MAX_BYTES) : 0;
		uint32_t *slot;

		if (!len || len == NAME_MAX_BYTES)
			continue;
		slot = find_slot(b, kind, name, len);
		if (!*slot)
			*slot = id;
	}
	return true;
}

static uint32_t find_own(const struct btf *b, enum btf_kind kind, const char *name, size_t len)
{
	struct btf_names *n = b->names;

	if (!n->n_slots && (++n->n_scans <= MAX_SCANS || !make_names(b)))
		return scan(b, kind, name, len);
	return *find_slot(b, kind, name, len);
}

uint32_t btf_find(const struct btf *b, enum btf_kind kind, const char *name, size_t len)
{
	uint32_t found;

	if (!len || len >= NAME_MAX_BYTES || memchr(name, 0, len))
		return 0;
	found = find_own(b, kind, name, len);
	return found || !b->base ? found : find_own(b->base, kind, name, len);
}

int btf_find_function(const struct btf *b, const char *name, size_t len, struct type *ret_type)
{
	uint32_t id = btf_find(b, BTF_FUNC, name, len);
	struct btf_type t;

	if (!id)
		return -ENOENT;
	btf_get(b, id, &t);
	*ret_type = (struct type){&b->types, t.size};
	return 0;
}

uint32_t btf_function_number(const struct btf *b, const char *name, size_t len)
{
	return btf_find(b, BTF_FUNC, name, len);
}

const char *btf_function_name(const struct btf *b, uint32_t id)
{
	struct btf_type t;

	btf_get(b, id, &t);
	return t.kind == BTF_FUNC ? btf_string(t.owner, t.name) : "";
}

uint32_t btf_typedef_number(const struct btf *b, const char *name, size_t len)
{
	return btf_find(b->base ? b->base : b, BTF_TYPEDEF, name, len);
}

int btf_find_variable(const struct btf *b, const char *section, const char *name,
		      struct type *ret_type, uint32_t *ret_offset)
{
	const struct btf *kernel = b->base ? b->base : b;
	uint32_t id = btf_find(kernel, BTF_VAR, name, strlen(name));
	struct btf_type all, variable;

	btf_get(kernel, btf_find(kernel, BTF_DATASEC, section, strlen(section)), &all);
	for (unsigned i = 0; id && all.kind == BTF_DATASEC && i < all.vlen; i++) {
		if (btf_word(&all, 3 * i) != id)
			continue;
		btf_get(kernel, id, &variable);
		*ret_type = (struct type){&kernel->types, variable.size};
		*ret_offset = btf_word(&all, 3 * i + 1);
		return 0;
	}
	return -ENOENT;
}

int btf_each_function(const struct btf *b,
		      int (*visit)(void *ctx, const char *name, struct type prototype), void *ctx)
{
	int r = b->base ? btf_each_function(b->base, visit, ctx) : 0;

	for (uint32_t id = b->first_id; id < b->end_id && r >= 0; id++) {
		struct btf_type t;

		if (kind_at(b, id) != BTF_FUNC)
			continue;
		btf_get(b, id, &t);
		r = visit(ctx, btf_string(b, t.name), (struct type){&b->types, t.size});
	}
	return r;
}

/*
 * --- opening
 * --------------------------------------------------------------------------------------
 */

static bool take_part(struct piece all, uint64_t start, uint64_t len, struct piece *ret)
{
	if (start > all.len || len > all.len - start)
		return false;
	*ret = (struct piece){all.data + start, len};
	return true;
}

static bool take_parts(struct btf *b)
{
	const uint8_t *h = b->all.data;
	uint64_t body;

	if (b->all.len < HEADER_BYTES || b->all.len > BTF_MAX_BYTES)
		return false;
	b->swap = bytes_get16(h, false) != BTF_MAGIC;
	body = bytes_get32(h + 4, b->swap);
	return bytes_get16(h, b->swap) == BTF_MAGIC && h[2] == 1 && body >= HEADER_BYTES &&
	       take_part(b->all, body + bytes_get32(h + 8, b->swap), bytes_get32(h + 12, b->swap),
			 &b->type_bytes) &&
	       take_part(b->all, body + bytes_get32(h + 16, b->swap), bytes_get32(h + 20, b->swap),
			 &b->strings) &&
	       (!b->strings.len || !b->strings.data[b->strings.len - 1]);
}

/*
 * Stores the position of each type. Returns 0, -EINVAL if a type is incomplete or has an unknown
 * kind, or -ENOMEM.
 */
static int note_types(struct btf *b)
{
	size_t pos = 0, len = b->type_bytes.len, n = 0, cap = 0;

	if (!ARRAY_ROOM(b->offsets, cap, len / 24 + 16, ARRAY_NO_MAX))
		return -ENOMEM;
	while (pos < len) {
		uint32_t info, kind;

		if (len - pos < BTF_TYPE_BYTES || n == MAX_TYPES)
			break;
		info = bytes_get32(b->type_bytes.data + pos + 4, b->swap);
		kind = info >> 24 & 31;
		if (!kind || kind >= BTF_N_KINDS)
			break;
		if (!ARRAY_ROOM(b->offsets, cap, n + 1, ARRAY_NO_MAX))
			return -ENOMEM;
		b->offsets[n++] = pos;
		pos += BTF_TYPE_BYTES + kinds[kind].fixed +
		       (size_t)kinds[kind].each * (info & 0xffff);
	}
	b->end_id = b->first_id + n;
	return pos == len ? 0 : -EINVAL;
}

/* Reads the parts of b->all. After a failure b may be incomplete; the caller releases it. */
static int btf_read(struct btf *b, const char *path, struct errmsg *err)
{
	bool is_whole = take_parts(b);
	int r;

	b->first_id = b->base ? b->base->end_id : 1;
	b->first_string = b->base ? b->base->first_string + b->base->strings.len : 0;
	r = is_whole ? note_types(b) : -EINVAL;
	b->names = calloc(1, sizeof(*b->names));
	if (r == -ENOMEM || !b->names)
		return errmsg_set(err, -ENOMEM, "not enough memory to read %s", path);
	if (r < 0)
		return errmsg_set(err, r,
				  "%s is damaged, or newer than the BTF that this program knows",
				  path);
	b->names->seed = hash_seed();
	return 0;
}

static struct btf *btf_new(const struct btf *base)
{
	struct btf *b = calloc(1, sizeof(*b));

	if (b) {
		b->types = (struct types){&btf_types_ops, 8, "BTF"};
		b->base = base;
		b->type_bytes = b->strings = b->all = PIECE_EMPTY;
	}
	return b;
}

int btf_open_bytes(struct btf **ret_btf, struct piece bytes, const struct btf *base,
		   struct errmsg *err)
{
	struct btf *b = btf_new(base);
	int r;

	if (!b)
		return errmsg_set(err, -ENOMEM, "not enough memory to read BTF");
	b->all = bytes;
	r = btf_read(b, "this text", err);
	if (r < 0)
		btf_close(b);
	else
		*ret_btf = b;
	return r;
}

/* Reads the file, because older kernels cannot map it. */
static int read_bytes(int fd, size_t size, struct piece *ret)
{
	uint8_t *p = malloc(size);
	size_t done = 0;
	ssize_t n = 1;

	while (p && done < size && n > 0) {
		n = read(fd, p + done, size - done);
		done += n > 0 ? n : 0;
	}
	if (!p || n < 0) {
		int r = p ? -errno : -ENOMEM;

		free(p);
		return r;
	}
	*ret = (struct piece){p, done};
	return 0;
}

static int load(struct btf *b, const char *path)
{
	int fd = regular_open(path, BTF_MAX_BYTES), r = 0;
	struct stat st;
	void *p;

	TRY(fd);
	if (fstat(fd, &st) || st.st_size <= 0 || st.st_size > BTF_MAX_BYTES) {
		close(fd);
		return -EINVAL;
	}
	p = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p != MAP_FAILED) {
		b->all = (struct piece){p, st.st_size};
		b->is_mapped = true;
	} else {
		r = read_bytes(fd, st.st_size, &b->all);
		b->is_heap = r >= 0;
	}
	close(fd);
	return r;
}

int btf_open_file(struct btf **ret_btf, const char *path, const struct btf *base,
		  struct errmsg *err)
{
	struct btf *b = btf_new(base);
	int r;

	if (!b)
		return errmsg_set(err, -ENOMEM, "not enough memory to read BTF");
	r = load(b, path);
	if (r == -ENOENT && base)
		errmsg_set(err, r, "there is no BTF of this module (%s): is it loaded?", path);
	else if (r == -ENOENT)
		errmsg_set(err, r,
			   "the kernel has no description of its types (%s is missing): it was "
			   "built without CONFIG_DEBUG_INFO_BTF; $arg1 and %%REG need no types",
			   path);
	else if (r < 0)
		errmsg_set_errno(err, r, "cannot read %s", path);
	else
		r = btf_read(b, path, err);
	if (r < 0)
		btf_close(b);
	else
		*ret_btf = b;
	return r;
}

static int open_name(struct btf **ret_btf, const char *directory, const char *name,
		     const struct btf *base, struct errmsg *err)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", directory ? directory : BTF_DIRECTORY, name);
	return btf_open_file(ret_btf, path, base, err);
}

int btf_open_module(struct btf **ret_btf, const char *directory, const char *module,
		    const struct btf *kernel, struct errmsg *err)
{
	if (strchr(module, '/'))
		return errmsg_set(err, -EINVAL,
				  "'%s' is not the name of a module; /proc/modules lists them",
				  module);
	return open_name(ret_btf, directory, module, kernel, err);
}

int btf_open_kernel(struct btf **ret_btf, const char *directory, const char *module,
		    struct errmsg *err)
{
	struct btf *kernel, *b;
	int r;

	TRY(open_name(&kernel, directory, "vmlinux", NULL, err));
	if (!module) {
		*ret_btf = kernel;
		return 0;
	}
	r = btf_open_module(&b, directory, module, kernel, err);
	if (r < 0) {
		btf_close(kernel);
		return r;
	}
	b->owned_base = kernel;
	*ret_btf = b;
	return 0;
}

void btf_close(struct btf *b)
{
	if (!b)
		return;
	if (b->is_mapped)
		munmap((void *)b->all.data, b->all.len);
	if (b->is_heap)
		free((void *)b->all.data);
	if (b->names)
		free(b->names->slots);
	free(b->names);
	free(b->offsets);
	btf_close(b->owned_base);
	free(b);
}
