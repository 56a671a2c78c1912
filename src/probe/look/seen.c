// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * seen.c - finds a place, and the variables visible there, in DWARF or in the kernel's BTF.
 *
 *	TARGET:FUNC without a slash    a module with BTF, else a program
 *	a function of the kernel       its DWARF if it is on this machine, else its BTF, which has
 *	                               the parameters at the beginning of the function
 *	other places                   DWARF
 */
#include "probe/look/seen.h"

#include "base/scope.h"
#include "base/spelling.h"
#include "symbols/arch.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Returns true if the kernel's BTF is sufficient: for the beginning of a function that is not in a
 * program.
 */
static bool is_for_btf(const struct probe_target *t, const struct definition *def)
{
	return def->function && !def->file && !def->offset && !def->pattern &&
	       !(def->has_line && def->line) && !t->program && !t->vmlinux &&
	       (!t->module || !strchr(t->module, '/')) &&
	       (!def->target || !strchr(def->target, '/'));
}

static int add_name(void *ctx, const char *name, struct type prototype)
{
	spelling_add(ctx, name);
	return 0;
}

static int refuse_function(const struct btf *btf, const char *name, struct errmsg *err)
{
	struct spelling sp;

	spelling_init(&sp, name, strlen(name));
	btf_each_function(btf, add_name, &sp);
	return errmsg_set(
		err, -ENOENT,
		"the kernel's BTF has no function '%s'%s%s; what is missing there needs the "
		"kernel's DWARF (-k FILE)",
		name, sp.nearest ? "; the nearest is " : "", sp.nearest ? sp.nearest : "");
}

/* Finds the name of the loaded module that has the function. Returns false if there is none. */
static bool find_module(const struct btf *kernel, const char *function, char name[NAME_MAX + 1])
{
	const char *path = getenv("SONDE_BTF");
	SCOPED(closedir_scoped) DIR *directory = opendir(path ? path : "/sys/kernel/btf");
	struct dirent *entry;
	bool found = false;

	while (directory && !found && (entry = readdir(directory))) {
		struct errmsg ignored = {0};
		struct type prototype;
		struct btf *btf;

		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "vmlinux") ||
		    btf_open_module(&btf, path, entry->d_name, kernel, &ignored) < 0)
			continue;
		found = btf_find_function(btf, function, strlen(function), &prototype) >= 0;
		if (found)
			snprintf(name, NAME_MAX + 1, "%s", entry->d_name);
		btf_close(btf);
	}
	return found;
}

/* Finds the function in the kernel, in the given module, or in the module that has it. */
static int find_function(struct probeseen *s, const char *module, const char *function,
			 struct type *ret_prototype)
{
	int r = btf_find_function(s->btf, function, strlen(function), ret_prototype);
	struct errmsg ignored = {0};
	char name[NAME_MAX + 1];
	struct btf *btf;

	if (r >= 0 || module || !find_module(s->btf, function, name) ||
	    btf_open_kernel(&btf, getenv("SONDE_BTF"), name, &ignored) < 0)
		return r;
	btf_close(s->btf);
	s->btf = btf;
	return btf_find_function(btf, function, strlen(function), ret_prototype);
}

/* Returns -ENODATA if there is no BTF, without a message. */
static int open_btf(struct probeseen *s, const struct probe_target *t, const struct definition *def,
		    struct errmsg *err)
{
	const char *module = def->target ? def->target : t->module;
	struct errmsg ignored = {0};
	struct type prototype;
	int r;

	if (!arch_of_this_kernel() ||
	    btf_open_kernel(&s->btf, getenv("SONDE_BTF"), module, &ignored) < 0)
		return -ENODATA;
	r = find_function(s, module, def->function, &prototype);
	if (r < 0) {
		r = refuse_function(s->btf, def->function, err);
		probeseen_close(s);
		return r;
	}
	btf_scope_init(&s->scope, s->btf, prototype, arch_of_this_kernel(), false);
	s->point = (struct debuginfo_point){
		.function = def->function, .symbol = def->function, .scope = &s->scope.scope};
	s->points = (struct debuginfo_points){&s->point, 1, NULL};
	return 0;
}

static int open_dwarf(struct probeseen *s, const struct definition *def,
		      const struct probeseen_options *o, struct errmsg *err)
{
	/* in put(Mode), the word that would be an argument in a probe selects a function here */
	bool is_chosen = def->chosen && debuginfo_has_function(s->d, def->chosen);
	struct debuginfo_where where = {.function = is_chosen ? def->chosen : def->function,
					.file = def->file,
					.line = def->line,
					.has_line = def->has_line,
					.offset = def->offset,
					.pattern = def->pattern,
					.is_return = def->is_return,
					.wants_variables = !o->at_entry,
					.no_inlines = o->no_inlines};
	int r = debuginfo_points(s->d, &where, &s->points, err);

	if (r < 0) {
		debuginfo_close(s->d);
		s->d = NULL;
	}
	return r;
}

/*
 * Opens a place. A word before ':' is first a module, then a program. The kernel's DWARF comes
 * before its BTF.
 */
int probeseen_open(struct probeseen *s, const struct probe_target *t, const struct definition *def,
		   const struct probeseen_options *o, struct errmsg *err)
{
	bool for_btf = is_for_btf(t, def);
	struct errmsg why = {0};
	int r;

	*s = (struct probeseen){0};
	r = for_btf && def->target ? open_btf(s, t, def, err) : -ENODATA;
	if (r != -ENODATA)
		return r;
	r = probetarget_open(t, def->target, &s->d, &why);
	if (r >= 0)
		return open_dwarf(s, def, o, err);
	s->d = NULL;
	r = for_btf && !def->target ? open_btf(s, t, def, err) : -ENODATA;
	return r == -ENODATA ? errmsg_set(err, why.code, "%s", why.text) : r;
}

void probeseen_close(struct probeseen *s)
{
	if (s->d) {
		debuginfo_points_release(&s->points);
		debuginfo_close(s->d);
	}
	btf_close(s->btf);
	*s = (struct probeseen){0};
}
