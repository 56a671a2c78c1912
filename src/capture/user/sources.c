// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sources.c - the source file of each function of an image, from DWARF, for rules that name some.
 *
 * Reading the DWARF of all functions takes time, so this happens only if a rule needs it. A
 * function is connected with its source by its address: names may be there twice, and a compiler
 * changes them. The paths live in the image's arena; the debug information is closed again.
 */
#include "capture/user/image_int.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "symbols/dwarf/debuginfo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SOURCES_MAX (1u << 24)

struct source {
	uint64_t address;
	const char *path;
};

struct sources {
	struct userimage *img;
	struct source *list;
	size_t n, cap;
};

static void release(struct sources *s)
{
	free(s->list);
}

static int visit(void *ctx, const struct debuginfo_function *f)
{
	struct sources *s = ctx;
	const char *path;

	if (!f->address || !f->file)
		return 0;
	/* neighbours often come from the same file */
	path = s->n && !strcmp(s->list[s->n - 1].path, f->file)
		       ? s->list[s->n - 1].path
		       : arena_strndup(&s->img->arena, f->file, strlen(f->file));
	if (!path || !ARRAY_ROOM(s->list, s->cap, s->n + 1, SOURCES_MAX))
		return -ENOMEM;
	s->list[s->n++] = (struct source){f->address, path};
	return 0;
}

static int compare(const void *pa, const void *pb)
{
	const struct source *a = pa, *b = pb;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Both lists are in the order of addresses. */
static void connect(struct userimage *img, const struct sources *s)
{
	size_t k = 0;

	for (size_t i = 0; i < img->n_functions; i++) {
		struct function *f = &img->functions[i];

		while (k < s->n && s->list[k].address < f->pub.address)
			k++;
		if (k < s->n && s->list[k].address == f->pub.address)
			f->source = s->list[k].path;
	}
}

int userimage_find_sources(struct userimage *img, struct errmsg *err)
{
	struct debuginfo_paths paths = {.path = img->path};
	SCOPED(release) struct sources s = {.img = img};
	SCOPED(debuginfo_close_scoped) struct debuginfo *d = NULL;

	TRY(debuginfo_open(&d, &paths, err));
	if (!debuginfo_has_dwarf(d))
		return errmsg_set(err, -ENODATA,
				  "%s has no debug information, so no function can be chosen by "
				  "its source file; %s",
				  img->file, debuginfo_remedy(d));
	TRY(debuginfo_functions(d, NULL, visit, &s, err));
	if (s.n)
		qsort(s.list, s.n, sizeof(*s.list), compare);
	connect(img, &s);
	return 0;
}
