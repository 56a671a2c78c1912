// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * placenames.c - finds the function of every sampled place.
 *
 *  reader's thread                     main thread, twice a second
 *  place ─▶ recent ─▶ seen ─▶ fresh ══▶ the file's symbols, the kernel's, a JIT's map ─▶ lines
 *         (no lock)  (set)   (lock)
 *
 * Names are found while the recording runs, so that a recording that is killed has most of them,
 * and so that the end is quick. A place is looked up once. Files stay open as long as their samples
 * may come: some hundred at most in practice, FILES_OPEN_MAX at the same time.
 *
 * Programs that make code write its names into /tmp/perf-PID.map, "START SIZE NAME" in hex, in
 * their own root directory and with the pid that they know. The file is opened while the process
 * lives, and read at the end, when it is complete.
 *
 * A function without a name begins where its call frame information says, and is called
 * FILE+0xADDRESS.
 */
#include "capture/perf/placenames.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/lock.h"
#include "base/map.h"
#include "base/textbuf.h"
#include "capture/perf/codefiles.h"
#include "capture/perf/jitmap.h"
#include "format/bytes.h"
#include "store/events/eventformats.h"
#include "store/events/sampleevents.h"
#include "symbols/cxx/demangle.h"
#include "symbols/dwarf/debuginfo.h"
#include "symbols/kallsyms.h"
#include "symbols/plt.h"
#include "symbols/unwind/cfi.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_MAX	   (8u << 20)
#define LINES_MAX_BYTES	   (512u << 20)
#define KALLSYMS_MAX_BYTES (128u << 20)
#define NAME_BYTES	   4096

/* What is known of a file, by its number. */
struct namefile {
	struct debuginfo *info;
	struct jitmap *jit;
	struct plt *plt;
	struct cfi *cfi;
	bool is_tried;
	bool has_more; /* plt and cfi were tried: they are needed for places without a symbol */
	char base[128];
};

struct placenames {
	struct codefiles *files;
	bool wants_kernel, each_place;
	uint64_t place;	 /* that is being named */
	struct map seen; /* of the reader's thread */
	pthread_mutex_t lock;
	uint64_t *fresh; /* under the lock */
	size_t n_fresh, cap_fresh;
	/* of the other thread */
	struct namefile *by_number;
	size_t cap_by_number;
	struct map functions; /* places of functions that have a line */
	uint64_t *late;	      /* places of JIT code, whose names come at the end */
	size_t n_late, cap_late;
	struct textbuf lines;
	struct kallsyms kernel;
	struct textbuf kernel_text;
	bool has_kernel;
	size_t n_places, n_unnamed;
};

struct placenames *placenames_new(struct codefiles *files, bool wants_kernel, bool each_place)
{
	struct placenames *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->files = files;
	n->wants_kernel = wants_kernel;
	n->each_place = each_place;
	pthread_mutex_init(&n->lock, NULL);
	textbuf_init(&n->lines, LINES_MAX_BYTES);
	textbuf_init(&n->kernel_text, KALLSYMS_MAX_BYTES);
	if (wants_kernel) /* for readers the last symbol covers its own address only */
		eventformats_add_symbol(&n->lines, UINT64_MAX, "[end]", NULL);
	return n;
}

void placenames_free(struct placenames *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->cap_by_number; i++) {
		debuginfo_close(n->by_number[i].info);
		jitmap_free(n->by_number[i].jit);
		plt_close(n->by_number[i].plt);
		cfi_close(n->by_number[i].cfi);
	}
	free(n->by_number);
	map_release(&n->seen);
	map_release(&n->functions);
	free(n->fresh);
	free(n->late);
	kallsyms_release(&n->kernel);
	textbuf_release(&n->kernel_text);
	textbuf_release(&n->lines);
	pthread_mutex_destroy(&n->lock);
	free(n);
}

void placenames_see_slow(struct placenames *n, uint64_t place)
{
	void **slot = map_take(&n->seen, place, PLACES_MAX);

	if (!slot || *slot)
		return;
	*slot = n; /* any value: the map is a set */
	LOCKED(&n->lock);
	if (ARRAY_ROOM(n->fresh, n->cap_fresh, n->n_fresh + 1, PLACES_MAX))
		n->fresh[n->n_fresh++] = place;
}

/*
 * --- lines -------------------------------------------------------------------------------------
 */

/* A line, unless the function has one. */
static void add_line(struct placenames *n, uint64_t function, const char *name, const char *file)
{
	void **slot;

	if (n->each_place)
		function = n->place;
	slot = map_take(&n->functions, function, PLACES_MAX);
	if (!slot || *slot)
		return;
	*slot = n;
	eventformats_add_symbol(&n->lines, function, name, file);
}

/* begin: where the function begins, as far as it is known; else the place itself. */
static void add_unnamed(struct placenames *n, uint64_t begin, const char *base)
{
	char name[192];

	n->n_unnamed++;
	snprintf(name, sizeof(name), "%s+0x%llx", base,
		 (unsigned long long)sampleevents_address(begin));
	add_line(n, begin, name, base);
}

/*
 * --- the kernel --------------------------------------------------------------------------------
 */

static void read_kernel(struct placenames *n)
{
	int fd;

	if (n->has_kernel)
		return;
	n->has_kernel = true;
	fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (textbuf_add_file(&n->kernel_text, fd) >= 0)
		kallsyms_add(&n->kernel, PIECE_OF_TEXT(&n->kernel_text));
	close(fd);
	kallsyms_sort(&n->kernel);
}

static void name_kernel(struct placenames *n, uint64_t address)
{
	const struct ksym *sym;
	char name[512], module[128];

	if (!n->wants_kernel)
		return;
	read_kernel(n);
	sym = kallsyms_find(&n->kernel, address);
	if (!sym || !sym->addr) {
		n->n_unnamed++;
		add_line(n, address, "[kernel]", NULL);
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)sym->name_len, sym->name);
	snprintf(module, sizeof(module), "%.*s", sym->module ? (int)sym->module_len : 0,
		 sym->module ? sym->module : "");
	add_line(n, sym->addr, name, *module ? module : NULL);
}

/*
 * --- programs ----------------------------------------------------------------------------------
 */

static struct namefile *get_file(struct placenames *n, uint32_t number)
{
	const struct codefile *f = codefiles_get(n->files, number);
	struct namefile *nf;
	const char *slash;

	if (!f ||
	    !ARRAY_ROOM(n->by_number, n->cap_by_number, number + 1, SAMPLEEVENTS_FILES_MAX + 1))
		return NULL;
	nf = &n->by_number[number];
	if (nf->is_tried)
		return nf;
	nf->is_tried = true;
	slash = strrchr(f->path, '/');
	snprintf(nf->base, sizeof(nf->base), "%s", slash && slash[1] ? slash + 1 : f->path);
	nf->base[strcspn(nf->base, " ")] = '\0'; /* " (deleted)" */
	if (f->state == CODEFILE_OPEN) {
		char path[4096];
		struct debuginfo_paths paths = {.path = path, .only_symbols = true};
		struct errmsg ignored = {0};

		codefile_fmt_path(f, path, sizeof(path));
		if (debuginfo_open(&nf->info, &paths, &ignored) < 0)
			nf->info = NULL;
	} else if (f->state == CODEFILE_MEMORY) {
		nf->jit = jitmap_new(f->pid);
	}
	return nf;
}

static void name_symbol(struct placenames *n, const struct namefile *nf, uint64_t place,
			const struct debuginfo_at *at)
{
	char name[NAME_BYTES];

	if (!demangle(at->symbol, name, sizeof(name)))
		snprintf(name, sizeof(name), "%s", at->symbol);
	add_line(n, place - at->symbol_offset, name, nf->base);
}

/* A stub that jumps into a library, or a function of a file that was stripped. */
static void name_without_symbol(struct placenames *n, struct namefile *nf, uint64_t place)
{
	const struct codefile *f = codefiles_get(n->files, sampleevents_file(place));
	uint64_t address = sampleevents_address(place), begin = address, end;
	char name[NAME_BYTES], path[4096];

	if (!nf->has_more && f->state == CODEFILE_OPEN) {
		codefile_fmt_path(f, path, sizeof(path));
		nf->plt = plt_open(path);
		nf->cfi = cfi_open(f->fd);
	}
	nf->has_more = true;
	if (nf->plt && plt_find(nf->plt, address, name, sizeof(name), &begin)) {
		add_line(n, sampleevents_place(f->number, begin), name, nf->base);
		return;
	}
	if (!nf->cfi || cfi_find_range(nf->cfi, address, &begin, &end) < 0)
		begin = address;
	add_unnamed(n, sampleevents_place(f->number, begin), nf->base);
}

static void name_place(struct placenames *n, uint64_t place, bool is_last)
{
	struct namefile *nf;
	struct debuginfo_at at;

	n->place = place;
	if (sampleevents_is_kernel(place)) {
		name_kernel(n, place);
		return;
	}
	nf = get_file(n, sampleevents_file(place));
	if (!nf) {
		n->n_unnamed++;
		add_line(n, place, "[unknown]", NULL);
	} else if (codefiles_get(n->files, sampleevents_file(place))->state == CODEFILE_HOOKS) {
		add_line(n, place, nf->base, nf->base);
	} else if (nf->jit && !is_last) {
		jitmap_look(nf->jit);
		if (ARRAY_ROOM(n->late, n->cap_late, n->n_late + 1, PLACES_MAX))
			n->late[n->n_late++] = place;
	} else if (nf->jit) {
		uint64_t start;
		const char *name = jitmap_find(nf->jit, sampleevents_address(place), &start);

		if (name)
			add_line(n, sampleevents_place(sampleevents_file(place), start), name,
				 "jit");
		else
			add_unnamed(n, place, nf->base);
	} else if (nf->info && debuginfo_at(nf->info, sampleevents_address(place), &at) >= 0 &&
		   at.symbol) {
		name_symbol(n, nf, place, &at);
	} else {
		name_without_symbol(n, nf, place);
	}
}

static uint64_t *take_fresh(struct placenames *n, size_t *ret_n)
{
	LOCKED(&n->lock);
	*ret_n = n->n_fresh;
	n->n_fresh = n->cap_fresh = 0;
	return TAKE(n->fresh);
}

void placenames_update(struct placenames *n)
{
	size_t n_places;
	SCOPED(scope_free) uint64_t *places = take_fresh(n, &n_places);

	n->n_places += n_places;
	for (size_t i = 0; i < n_places; i++)
		name_place(n, places[i], false);
}

void placenames_finish(struct placenames *n)
{
	placenames_update(n);
	for (size_t i = 0; i < n->n_late; i++)
		name_place(n, n->late[i], true);
	n->n_late = 0;
}

void placenames_add(const struct placenames *n, size_t *from, struct textbuf *tb)
{
	size_t len = textbuf_len(&n->lines);

	if (len > *from)
		textbuf_add(tb, n->lines.start + *from, len - *from);
	*from = len;
}

void placenames_count(const struct placenames *n, size_t *ret_places, size_t *ret_unnamed)
{
	*ret_places = n->n_places;
	*ret_unnamed = n->n_unnamed;
}
