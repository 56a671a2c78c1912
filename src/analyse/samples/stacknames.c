// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stacknames.c - places to functions, with a table in front: a trace repeats its places.
 *
 *	place ─▶ map ─▶ frames                        seen before
 *	      └▶ kallsyms of the trace ─▶ function    names and files as the recorder saw them
 *	      └▶ DWARF of the file     ─▶ inlined functions and lines, if its build id is the same
 *
 * A return address may be the first byte behind its function, if the compiler knows that the call
 * does not return. So callers are looked up one byte before it.
 *
 * The file's own symbol names the function that contains inlined ones: the recorder and DWARF may
 * call it differently (work.isra.0, templates), and tables with and without DWARF must agree.
 *
 * A file is opened when its first place appears; files of other build ids, and those without DWARF,
 * are noted as having none.
 */
#include "analyse/samples/stacknames.h"

#include "analyse/namepool.h"
#include "analyse/samples/sampleset.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/map.h"
#include "decode/formats/formats.h"
#include "decode/samples/sampleevent.h"
#include "decode/samples/sampleinfo.h"
#include "symbols/cxx/shorten.h"
#include "symbols/dwarf/debuginfo.h"
#include "symbols/kallsyms.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX_BYTES (256u << 20)
#define PLACES_MAX	 (16u << 20)
#define FUNCS_MAX	 (4u << 20)
#define FILES_OPEN_MAX	 256 /* with DWARF */

struct debug_file {
	struct debuginfo *debuginfo; /* NULL: none, or of another build */
};

struct frames {
	size_t n;
	const struct flow_func *funcs[];
};

struct stacknames {
	const struct stacknames_config *config;
	struct arena arena;
	struct namepool pool;
	struct map places;    /* struct frames */
	struct map funcs;     /* struct func_entry, by a hash of what makes it one */
	struct map files;     /* struct debug_file, by number */
	struct map by_symbol; /* functions without a line that are not inlined, by their ksym */
	uint32_t n_funcs;
	size_t n_open;
	const struct flow_func *unknown;
	const struct flow_func **chain;
	size_t cap_chain;
};

/* A function, and those with the same hash. */
struct func_entry {
	struct flow_func func;
	struct func_entry *same_hash;
};

struct stacknames *stacknames_new(const struct stacknames_config *config)
{
	struct stacknames *sn = calloc(1, sizeof(*sn));

	if (!sn)
		return NULL;
	sn->config = config;
	arena_init(&sn->arena, FRAMES_MAX_BYTES);
	namepool_init(&sn->pool);
	return sn;
}

void stacknames_free(struct stacknames *sn)
{
	if (!sn)
		return;
	for (size_t i = 0; i < sn->files.n_slots; i++) {
		struct debug_file *file = sn->files.slots[i].value;

		if (file && file->debuginfo)
			debuginfo_close(file->debuginfo);
	}
	map_release(&sn->places);
	map_release(&sn->funcs);
	map_release(&sn->files);
	map_release(&sn->by_symbol);
	namepool_release(&sn->pool);
	arena_release(&sn->arena);
	free(sn->chain);
	free(sn);
}

/*
 * --- functions ---------------------------------------------------------------------------------
 */

static const char *pool(struct stacknames *sn, const char *text, size_t len)
{
	const struct pooled_name *name = text ? namepool_find(&sn->pool, text, len) : NULL;

	return name ? name->text : NULL;
}

/* Texts of the function are pooled, so that equal texts have equal addresses. */
static const struct flow_func *take_func(struct stacknames *sn, const struct flow_func *like)
{
	uint64_t h = hash_step(HASH_ODD, (uintptr_t)like->name, (uintptr_t)like->module);
	struct func_entry *e;
	void **slot;

	h = hash_step(HASH_ODD, h, (uintptr_t)like->source);
	h = hash_step(HASH_ODD, h, like->is_user | like->is_inlined << 1 | like->is_name << 2);
	slot = like->name ? map_take(&sn->funcs, h, FUNCS_MAX) : NULL;
	if (!slot)
		return NULL;
	for (e = *slot; e; e = e->same_hash)
		if (e->func.name == like->name && e->func.module == like->module &&
		    e->func.source == like->source && e->func.is_user == like->is_user &&
		    e->func.is_inlined == like->is_inlined && e->func.is_name == like->is_name)
			return &e->func;
	e = arena_alloc(&sn->arena, sizeof(*e));
	if (!e)
		return NULL;
	e->func = *like;
	e->func.name_len = (uint32_t)strlen(like->name);
	e->func.number = sn->n_funcs++;
	e->same_hash = *slot;
	*slot = e;
	return &e->func;
}

const struct flow_func *stacknames_find_text(struct stacknames *sn, const char *text)
{
	struct flow_func like = {
		.name = pool(sn, text, strlen(text)), .is_user = true, .is_name = true};
	const struct flow_func *func = take_func(sn, &like);
	static const struct flow_func none = {.name = "?", .name_len = 1, .is_name = true};

	return func ? func : &none;
}

const char *stacknames_file(const struct flow_func *func)
{
	if (func->module)
		return func->module;
	return func->is_user ? "" : "[kernel]";
}

/* The symbol of a place, of its own file only. */
static const struct ksym *find_symbol(struct stacknames *sn, uint64_t place)
{
	const struct kallsyms *ks;
	const struct ksym *sym;

	if (!sn->config->formats)
		return NULL;
	ks = formats_kallsyms(sn->config->formats);
	sym = kallsyms_find(ks, place);
	/* kallsyms does not know where the last function ends */
	if (!sym && ks->n && ks->syms[ks->n - 1].addr <= place)
		sym = &ks->syms[ks->n - 1];
	if (!sym || place_is_kernel(sym->addr) != place_is_kernel(place) ||
	    place_file(sym->addr) != place_file(place))
		return NULL;
	return sym;
}

static const char *fmt_unknown(struct stacknames *sn, uint64_t place)
{
	const struct sample_file *file =
		sn->config->info ? sampleinfo_find_file(sn->config->info, place_file(place)) : NULL;
	char text[300];
	int n = file ? snprintf(text, sizeof(text), "%.250s+0x%" PRIx64, file->name,
				place_address(place))
		     : snprintf(text, sizeof(text), "0x%" PRIx64, place);

	return pool(sn, text, (size_t)n);
}

/* A frame that is a name; folded stacks mark functions of the kernel and inlined ones. */
static struct flow_func find_named(struct stacknames *sn, const char *text)
{
	size_t len = strlen(text);
	char mark = len > 4 && text[len - 1] == ']' && !strncmp(text + len - 4, "_[", 2)
			    ? text[len - 2]
			    : 0;

	if (mark)
		len -= 4;
	return (struct flow_func){.name = pool(sn, text, len),
				  .is_user = mark != 'k',
				  .is_inlined = mark == 'i',
				  .is_name = !mark};
}

/* A name from DWARF, as short as those of symbols. */
static const char *pool_name(struct stacknames *sn, const char *name)
{
	const struct formats *f = sn->config->formats;
	size_t n = strlen(name);
	char text[4096];

	if (!f || !f->config.short_names || n >= sizeof(text))
		return pool(sn, name, n);
	memcpy(text, name, n + 1);
	return pool(sn, text, shorten_name(text, n));
}

/* The function itself, without what is inlined into it. */
static struct flow_func find_func(struct stacknames *sn, uint64_t place, const struct ksym *sym)
{
	const struct sample_file *file =
		sn->config->info ? sampleinfo_find_file(sn->config->info, place_file(place)) : NULL;
	const char *text = sn->config->set ? sampleset_find_name(sn->config->set, place) : NULL;
	struct flow_func f = {.addr = sym ? sym->addr : place, .is_user = !place_is_kernel(place)};

	if (text)
		return find_named(sn, text);
	f.name = sym ? pool(sn, sym->name, sym->name_len) : fmt_unknown(sn, place);
	if (file && *file->name)
		f.module = pool(sn, file->name, strlen(file->name));
	else if (sym && sym->module)
		f.module = pool(sn, sym->module, sym->module_len);
	return f;
}

/*
 * --- DWARF -------------------------------------------------------------------------------------
 */

static struct debuginfo *open_debuginfo(struct stacknames *sn, const struct sample_file *file)
{
	struct debuginfo_paths paths = {.path = file->path, .debug_dir = sn->config->debug_dir};
	struct debuginfo *d;
	struct errmsg err = {0};
	char path[4096];

	if (file->pid >= 0 || file->path[0] != '/' || sn->n_open == FILES_OPEN_MAX)
		return NULL;
	if (sn->config->root_dir) {
		snprintf(path, sizeof(path), "%s%s", sn->config->root_dir, file->path);
		paths.path = path;
	}
	if (debuginfo_open(&d, &paths, &err) < 0)
		return NULL;
	if (!debuginfo_has_dwarf(d) ||
	    (file->build_id[0] && strcmp(file->build_id, debuginfo_build_id(d)) != 0)) {
		debuginfo_close(d);
		return NULL;
	}
	sn->n_open++;
	return d;
}

static struct debuginfo *find_debuginfo(struct stacknames *sn, uint64_t place)
{
	uint32_t number = place_file(place);
	const struct sample_file *file =
		sn->config->info ? sampleinfo_find_file(sn->config->info, number) : NULL;
	struct debug_file *known;
	void **slot;

	if (!file)
		return NULL;
	slot = map_take(&sn->files, number, FUNCS_MAX);
	if (!slot)
		return NULL;
	if (!*slot) {
		known = arena_alloc(&sn->arena, sizeof(*known));
		if (!known)
			return NULL;
		*slot = known;
		known->debuginfo = open_debuginfo(sn, file);
	}
	known = *slot;
	return known->debuginfo;
}

static const char *fmt_line(struct stacknames *sn, const struct debuginfo_frame *frame)
{
	const char *base = frame->file ? strrchr(frame->file, '/') : NULL;
	char text[300];
	int n;

	if (!frame->file || !frame->line)
		return NULL;
	n = snprintf(text, sizeof(text), "%.270s:%u", base ? base + 1 : frame->file, frame->line);
	return pool(sn, text, (size_t)n);
}

/*
 * --- places ------------------------------------------------------------------------------------
 */

/* The function of a symbol, with a table in front: a function has many places. */
static const struct flow_func *take_symbol(struct stacknames *sn, uint64_t place,
					   const struct ksym *sym)
{
	void **slot = sym ? map_take(&sn->by_symbol, (uintptr_t)sym, FUNCS_MAX) : NULL;
	struct flow_func own;

	if (slot && *slot)
		return *slot;
	own = find_func(sn, place, sym);
	if (!slot)
		return take_func(sn, &own);
	*slot = (void *)take_func(sn, &own);
	return *slot;
}

static struct frames *make_frames(struct stacknames *sn, uint64_t place)
{
	const struct ksym *sym = find_symbol(sn, place);
	struct debuginfo_frame found[STACKNAMES_FRAMES_MAX];
	struct debuginfo *d =
		sn->config->inlines || sn->config->lines ? find_debuginfo(sn, place) : NULL;
	size_t n = d ? debuginfo_frames(d, place_address(place), found, ARRAY_LEN(found)) : 0;
	size_t n_inner = 0;
	struct flow_func own;
	struct frames *frames;

	while (sn->config->inlines && n_inner < n && found[n_inner].is_inlined)
		n_inner++;
	frames = arena_alloc(&sn->arena, sizeof(*frames) + (n_inner + 1) * sizeof(void *));
	if (!frames)
		return NULL;
	if (!n) {
		frames->funcs[0] = take_symbol(sn, place, sym);
		frames->n = 1;
		return frames->funcs[0] ? frames : NULL;
	}
	own = find_func(sn, place, sym);
	for (size_t i = 0; i < n_inner; i++) {
		struct flow_func f = own;

		f.name = pool_name(sn, found[i].function);
		f.is_inlined = true;
		f.source = sn->config->lines ? fmt_line(sn, &found[i]) : NULL;
		frames->funcs[i] = take_func(sn, &f);
		if (!frames->funcs[i])
			return NULL;
	}
	if (sn->config->lines && n > n_inner)
		own.source = fmt_line(sn, &found[n_inner]);
	frames->funcs[n_inner] = take_func(sn, &own);
	frames->n = n_inner + 1;
	return frames->funcs[n_inner] ? frames : NULL;
}

struct stacknames_frames stacknames_find(struct stacknames *sn, uint64_t place, bool is_return)
{
	uint64_t at = place - (is_return && place_address(place));
	void **slot = map_take(&sn->places, at, PLACES_MAX);

	if (slot && !*slot)
		*slot = make_frames(sn, at);
	if (slot && *slot) {
		const struct frames *f = *slot;

		return (struct stacknames_frames){f->funcs, f->n};
	}
	sn->unknown = stacknames_find_text(sn, "?");
	return (struct stacknames_frames){&sn->unknown, 1};
}

const struct flow_func *const *stacknames_chain(struct stacknames *sn, uint32_t stack,
						size_t *ret_n)
{
	struct sampleset_stack s = sampleset_stack(sn->config->set, stack);
	size_t n = 0;

	for (uint32_t i = s.n; i-- > 0;) {
		bool is_text = place_file(s.places[i]) == PLACE_NAMED;
		struct stacknames_frames f =
			stacknames_find(sn, s.places[i], i && i != s.user && !is_text);

		if (!ARRAY_ROOM(sn->chain, sn->cap_chain, n + f.n, ARRAY_NO_MAX))
			break;
		for (size_t k = f.n; k-- > 0;)
			sn->chain[n++] = f.funcs[k];
	}
	*ret_n = n;
	return sn->chain;
}

uint32_t stacknames_n(const struct stacknames *sn)
{
	return sn->n_funcs;
}
