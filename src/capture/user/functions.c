// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * functions.c - the functions of an image, from every list that it has.
 *
 *	.symtab          names everything; stripped programs lack it
 *	debug file, .gnu_debugdata   the same for stripped programs, if installed (symbols/dwarf)
 *	.dynsym          names what other images may call
 *	.eh_frame        names nothing, but has every function that compilers made
 *	entry            main() of a stripped program (x86_64/start.c)
 *	.plt             stubs for functions of libraries, if they are wanted (stubs.c)
 *
 * The lists are sorted and merged by address. Of several names at one address the plainest is kept:
 * "free", not "__libc_free". A frame counts if no symbol covers it. A symbol of size 0 (assembler)
 * gets the size of its frame, or reaches to the next function.
 *
 * Reading 50 000 symbols takes a millisecond if names are neither copied nor demangled, so both
 * happen only on request.
 */
#include "capture/user/image_int.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "format/bytes.h"
#include "symbols/dwarf/debuginfo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_MAX (1u << 22)
#define OVERLAP_MAX   4 /* times that the text may be covered by functions */

/* A symbol, before they are in order. */
struct found {
	uint32_t at, n_bytes; /* from the beginning of the text */
	const char *symbol;
	bool is_global, is_resolver, is_source, is_stub;
};

struct listing {
	struct userimage *img;
	struct found *list;
	size_t n, cap;
	const struct elfview_range *code; /* the last one that was found */
	bool has_versions;		  /* names may have them */
};

/*
 * --- symbols -----------------------------------------------------------------------------------
 */

/* The section that contains the address; neighbours come after each other. */
static const struct elfview_range *find_code(struct listing *l, uint64_t address)
{
	const struct elfview *v = &l->img->elf;

	if (l->code && address >= l->code->begin && address < l->code->end)
		return l->code;
	for (size_t i = 0; i < v->n_codes; i++)
		if (address >= v->codes[i].begin && address < v->codes[i].end)
			return l->code = &v->codes[i];
	return NULL;
}

/* Returns 0 also for what is no code. */
static int add_found(struct listing *l, uint64_t address, uint64_t n_bytes, struct found f)
{
	const struct elfview_range *code = find_code(l, address);

	if (!code)
		return 0;
	if (!ARRAY_ROOM(l->list, l->cap, l->n + 1, FUNCTIONS_MAX))
		return -ENOMEM;
	f.at = address - l->img->elf.text.begin;
	f.n_bytes = n_bytes < code->end - address ? n_bytes : code->end - address;
	l->list[l->n++] = f;
	return 0;
}

/* In .symtab of libraries names have versions: "sem_wait@@GLIBC_2.34". */
static const char *cut_version(struct listing *l, const char *symbol)
{
	const char *at = strchr(symbol + 1, '@');

	return at ? arena_strndup(&l->img->arena, symbol, at - symbol) : symbol;
}

static int add_symbol(struct listing *l, const Elf64_Sym *s, const char *symbol)
{
	struct found f = {.symbol = l->has_versions ? cut_version(l, symbol) : symbol,
			  .is_global = ELF64_ST_BIND(s->st_info) != STB_LOCAL,
			  .is_resolver = ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC};

	return f.symbol ? add_found(l, s->st_value, s->st_size, f) : -ENOMEM;
}

static int add_table(struct listing *l, const Elf64_Shdr *section)
{
	const struct elfview *v = &l->img->elf;
	struct piece table = elfview_contents(v, section);
	struct piece strings = elfview_contents(v, elfview_linked(v, section));
	int r = 0;

	if (!ARRAY_ROOM(l->list, l->cap, l->n + table.len / sizeof(Elf64_Sym), FUNCTIONS_MAX))
		return 0;
	l->has_versions =
		section->sh_type == SHT_SYMTAB && elfview_section_of_type(v, SHT_GNU_verdef);
	for (size_t at = 0; r >= 0 && at + sizeof(Elf64_Sym) <= table.len;
	     at += sizeof(Elf64_Sym)) {
		const char *name;
		unsigned type;
		Elf64_Sym s;

		memcpy(&s, table.data + at, sizeof(s));
		type = ELF64_ST_TYPE(s.st_info);
		if ((type == STT_FUNC || type == STT_GNU_IFUNC) && s.st_shndx != SHN_UNDEF &&
		    (name = elfview_string(strings, s.st_name)) && *name)
			r = add_symbol(l, &s, name);
	}
	return r;
}

static int visit_symbol(void *ctx, const char *name, uint64_t address, uint64_t n_bytes)
{
	return add_found(ctx, address, n_bytes, (struct found){.symbol = name, .is_source = true});
}

/* Separate and compressed symbols. What is wrong with them is no reason to stop. */
static int add_debuginfo(struct listing *l)
{
	struct debuginfo_paths paths = {.path = l->img->path, .only_symbols = true};
	struct errmsg ignored = {0};

	if (debuginfo_open(&l->img->debuginfo, &paths, &ignored) < 0 ||
	    !debuginfo_has_more_symbols(l->img->debuginfo))
		return 0;
	return debuginfo_each_symbol(l->img->debuginfo, visit_symbol, l);
}

/* The one function whose name everybody looks for. */
static int add_main(struct listing *l)
{
	const struct userarch *arch = l->img->arch;
	uint64_t address = arch->find_main ? arch->find_main(l->img) : 0;

	return address ? add_found(l, address, 0,
				   (struct found){.symbol = "main", .is_global = true})
		       : 0;
}

static int add_symbols(struct listing *l)
{
	const Elf64_Shdr *table = elfview_section_of_type(&l->img->elf, SHT_SYMTAB);
	int r = table ? add_table(l, table) : add_debuginfo(l);

	if (r >= 0 && !l->n)
		r = add_main(l);
	table = elfview_section_of_type(&l->img->elf, SHT_DYNSYM);
	return r < 0 || !table ? r : add_table(l, table);
}

/*
 * --- order -------------------------------------------------------------------------------------
 */

#define DIGIT_BITS 11
#define DIGITS	   (1u << DIGIT_BITS)

/* Sorts by the upper half, 11 bits at a time; qsort takes ten times as long. */
static void sort_keys(uint64_t *keys, uint64_t *other, size_t n)
{
	for (unsigned shift = 32; shift < 64; shift += DIGIT_BITS) {
		size_t places[DIGITS] = {0}, sum = 0;

		for (size_t i = 0; i < n; i++)
			places[keys[i] >> shift & (DIGITS - 1)]++;
		for (size_t i = 0; i < DIGITS; i++) {
			size_t count = places[i];

			places[i] = sum;
			sum += count;
		}
		for (size_t i = 0; i < n; i++)
			other[places[keys[i] >> shift & (DIGITS - 1)]++] = keys[i];
		memcpy(keys, other, n * sizeof(*keys));
	}
}

/* The numbers of the symbols by address; NULL: no memory. The caller frees it. */
static uint64_t *make_order(const struct listing *l)
{
	uint64_t *keys = malloc((l->n + 1) * sizeof(*keys));
	uint64_t *other = malloc((l->n + 1) * sizeof(*other));

	for (size_t i = 0; keys && i < l->n; i++)
		keys[i] = (uint64_t)l->list[i].at << 32 | i;
	if (keys && other) {
		sort_keys(keys, other, l->n);
	} else {
		free(keys);
		keys = NULL;
	}
	free(other);
	return keys;
}

/* Of several names for one thing, show "free", not "__libc_free". */
static bool is_plainer(const struct found *a, const struct found *b)
{
	size_t n_a = strspn(a->symbol, "_"), n_b = strspn(b->symbol, "_");

	if (a->is_global != b->is_global)
		return a->is_global;
	if (n_a != n_b)
		return n_a < n_b;
	n_a = strlen(a->symbol);
	n_b = strlen(b->symbol);
	return n_a != n_b ? n_a < n_b : strcmp(a->symbol, b->symbol) < 0;
}

static void join_same(struct found *into, const struct found *f)
{
	uint32_t n_bytes = into->n_bytes > f->n_bytes ? into->n_bytes : f->n_bytes;
	bool is_resolver = into->is_resolver || f->is_resolver;

	if (is_plainer(f, into))
		*into = *f;
	into->n_bytes = n_bytes;
	into->is_resolver = is_resolver;
}

/*
 * --- one list ----------------------------------------------------------------------------------
 */

static int add_function(struct userimage *img, uint64_t address, const struct found *f)
{
	if (!ARRAY_ROOM(img->functions, img->functions_cap, img->n_functions + 1, FUNCTIONS_MAX))
		return -ENOMEM;
	img->functions[img->n_functions++] =
		(struct function){.pub = {.address = address, .n_bytes = f->n_bytes},
				  .symbol = f->symbol,
				  .is_source = f->is_source,
				  .is_resolver = f->is_resolver,
				  .is_stub = f->is_stub};
	return 0;
}

/* A frame that no symbol covers, or the size of a symbol without one. */
static uint32_t frame_bytes(struct listing *l, size_t i)
{
	const struct elfview_range *code = find_code(l, frames_begin(&l->img->frames, i));
	struct frame frame;

	if (!code || !frames_read(&l->img->frames, i, &frame))
		return 0;
	return frame.n_bytes < code->end - frame.begin ? frame.n_bytes : code->end - frame.begin;
}

/* Takes the symbols of the next address as one. */
static size_t take_same(const struct listing *l, const uint64_t *order, size_t i, struct found *ret)
{
	*ret = l->list[(uint32_t)order[i]];
	for (i++; i < l->n && l->list[(uint32_t)order[i]].at == ret->at; i++)
		join_same(ret, &l->list[(uint32_t)order[i]]);
	return i;
}

/* Symbols and frames, both by address. */
static int join_lists(struct listing *l, const uint64_t *order)
{
	struct userimage *img = l->img;
	uint64_t covered = 0;
	size_t symbol = 0, frame = 0;
	int r = ARRAY_ROOM(img->functions, img->functions_cap, l->n + 1, FUNCTIONS_MAX) ? 0
											: -ENOMEM;

	while (r >= 0 && (symbol < l->n || frame < img->frames.n)) {
		uint64_t next =
			symbol < l->n ? img->elf.text.begin + (order[symbol] >> 32) : UINT64_MAX;
		uint64_t begin =
			frame < img->frames.n ? frames_begin(&img->frames, frame) : UINT64_MAX;
		struct found f = {0};

		if (next <= begin) {
			symbol = take_same(l, order, symbol, &f);
			if (!f.n_bytes && next == begin)
				f.n_bytes = frame_bytes(l, frame);
		} else if (begin >= covered) {
			f.n_bytes = frame_bytes(l, frame);
			next = begin;
		}
		if (begin <= next)
			frame++;
		if (f.symbol || f.n_bytes)
			r = add_function(img, next, &f);
		if (f.n_bytes && next + f.n_bytes > covered)
			covered = next + f.n_bytes;
	}
	return r;
}

/*
 * Functions without a size reach to the next one, including padding. Functions inside others are
 * rare. A file in which most are like that is hostile, so there each function ends at the next one.
 */
static void correct_sizes(struct userimage *img)
{
	uint64_t left = OVERLAP_MAX * (img->elf.text.end - img->elf.text.begin);

	for (size_t i = 0; i < img->n_functions; i++) {
		struct userimage_function *f = &img->functions[i].pub;
		uint64_t n_bytes = f->n_bytes ? 0 : userimage_limit(img, i) - f->address;

		if (f->n_bytes > left)
			n_bytes = userimage_limit(img, i) - f->address;
		if (n_bytes)
			f->n_bytes = n_bytes;
		left -= f->n_bytes < left ? f->n_bytes : left;
	}
}

/* Stubs are not among the sections with functions. */
static int add_stub(void *ctx, const char *name, uint64_t address, uint32_t n_bytes)
{
	struct listing *l = ctx;

	if (!ARRAY_ROOM(l->list, l->cap, l->n + 1, FUNCTIONS_MAX))
		return -ENOMEM;
	l->list[l->n++] = (struct found){.at = (uint32_t)(address - l->img->elf.text.begin),
					 .n_bytes = n_bytes,
					 .symbol = name,
					 .is_stub = true};
	return 0;
}

int userimage_list(struct userimage *img, bool with_stubs, struct errmsg *err)
{
	struct listing l = {.img = img};
	uint64_t *order;
	int r = add_symbols(&l);

	if (r >= 0 && with_stubs)
		r = userimage_each_stub(&img->elf, add_stub, &l);
	order = r < 0 ? NULL : make_order(&l);

	if (order)
		r = join_lists(&l, order);
	else if (r >= 0)
		r = -ENOMEM;
	correct_sizes(img);
	free(order);
	free(l.list);
	return r < 0 ? errmsg_set_errno(err, r, "cannot list the functions of %s", img->path) : 0;
}
