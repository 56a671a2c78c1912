// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernelfuncs.c - lists the functions of the running kernel, from /proc/kallsyms.
 *
 *	ffffffff812f0e10 T vfs_read
 *	ffffffffc0a31000 t irqfd_inject	[kvm]
 *
 * Only code (t, T, w, W), sorted by name. This needs no debug information.
 */
#include "probe/look/kernelfuncs.h"

#include "base/array.h"
#include "base/files/mapfile.h"
#include "base/scope.h"
#include "format/bytes.h"
#include "symbols/kallsyms.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 1024

bool probefuncs_are_loaded(const struct probe_target *t)
{
	return !probetarget_is_given(t) ||
	       (t->module && !t->program && !strchr(t->module, '/') && !strstr(t->module, ".ko"));
}

static int compare_names(const void *pa, const void *pb)
{
	const struct ksym *a = pa, *b = pb;
	size_t len = a->name_len < b->name_len ? a->name_len : b->name_len;
	int r = memcmp(a->name, b->name, len);

	return r ? r : a->name_len - b->name_len;
}

/* Returns true for code, which the letter between the address and the name shows. */
static bool is_text(const struct ksym *s, const struct mapfile *map)
{
	const char *letter = s->name - 2;

	return letter >= (const char *)map->data && strchr("tTwW", *letter);
}

/*
 * Returns true if the symbol belongs to the module. Modules have '_' in their names where their
 * files may have '-'.
 */
static bool is_of(const struct ksym *s, const char *module)
{
	if (!s->module || s->module_len != strlen(module))
		return false;
	return !ARRAY_ANY(s->module_len, i, s->module[i] != (module[i] == '-' ? '_' : module[i]));
}

int probefuncs_loaded(const char *module, const char *pattern,
		      int (*visit)(void *ctx, const struct debuginfo_function *f), void *ctx,
		      struct errmsg *err)
{
	const char *path = getenv("SONDE_KALLSYMS");
	struct kallsyms ks = {0};
	struct mapfile map;
	int r;

	TRY(mapfile_open(&map, path ? path : "/proc/kallsyms", err));
	r = kallsyms_add(&ks, (struct piece){map.data, map.n_bytes});
	if (r < 0)
		errmsg_set_errno(err, r, "cannot read the symbols of the kernel");
	else if (ks.n)
		qsort(ks.syms, ks.n, sizeof(*ks.syms), compare_names);
	for (size_t i = 0; r >= 0 && i < ks.n; i++) {
		const struct ksym *s = &ks.syms[i];
		char name[NAME_MAX_BYTES];
		struct debuginfo_function f = {
			.name = name, .symbol = name, .address = s->addr ? s->addr : 1};

		if (s->name_len >= sizeof(name) || !is_text(s, &map) ||
		    (module && !is_of(s, module)))
			continue;
		memcpy(name, s->name, s->name_len);
		name[s->name_len] = 0;
		if (!pattern || !fnmatch(pattern, name, 0))
			r = visit(ctx, &f);
	}
	kallsyms_release(&ks);
	mapfile_release(&map);
	return r;
}
