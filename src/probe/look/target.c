// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * target.c - finds the file for -x, -m, -k, or for none of them.
 *
 *	-x PROGRAM    a path, or a name that is searched here, in $PATH and then among the
 *	              libraries: "bash", "libc.so.6", "./a.out"
 *	-m MODULE     a path, or a name that is searched in /lib/modules/RELEASE/modules.dep; the
 *	              module with its debug information, if there is one in /usr/lib/debug, is found
 *	              by its build id
 *	-k FILE       the kernel's vmlinux
 *	nothing       the vmlinux of the running kernel, at one of the places in the table below
 */
#include "probe/look/target.h"

#include "base/scope.h"
#include "base/textbuf.h"
#include "probe/findprogram.h"
#include "symbols/arch.h"
#include "symbols/package.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Places where distributions install vmlinux; %s is the release. */
static const char *const kernel_places[] = {
	"/usr/lib/debug/boot/vmlinux-%s",
	"/usr/lib/debug/lib/modules/%s/vmlinux",
	"/usr/lib/debug/usr/lib/modules/%s/vmlinux",
	"/lib/modules/%s/build/vmlinux",
	"/lib/modules/%s/vmlinux",
	"/boot/vmlinux-%s",
};

#define N_OF(a) (sizeof(a) / sizeof(*(a)))

bool probetarget_is_given(const struct probe_target *t)
{
	return t->program || t->module || t->vmlinux;
}

static int find_program(const char *name, bool here_first, char path[PATH_MAX], struct errmsg *err)
{
	if (findprogram(name, here_first, path))
		return 0;
	if (strchr(name, '/')) {
		snprintf(path, PATH_MAX, "%s", name);
		return 0; /* opening it reports the error */
	}
	return errmsg_set(err, -ENOENT,
			  "there is no program '%s' here or in $PATH and no library of that name; "
			  "give its path",
			  name);
}

/*
 * Returns true if the path is that of the module: "kernel/drivers/kvm/kvm-intel.ko.xz" is
 * kvm_intel.
 */
static bool is_module(const char *path, size_t len, const char *name)
{
	const char *base = memrchr(path, '/', len);

	for (path = base ? base + 1 : path; *name; path++, name++)
		if (*path != *name && !(*path == '-' && *name == '_') &&
		    !(*path == '_' && *name == '-'))
			return false;
	return *path == '.';
}

static int find_module(const char *name, char *path, size_t n_bytes, struct errmsg *err)
{
	char list[256], *line = NULL;
	struct utsname u;
	size_t room = 0;
	SCOPED(fclose_scoped) FILE *f = NULL;
	int r = -ENOENT;

	if (strchr(name, '/') || strstr(name, ".ko")) {
		snprintf(path, n_bytes, "%s", name);
		return 0;
	}
	uname(&u);
	snprintf(list, sizeof(list), "/lib/modules/%s/modules.dep", u.release);
	f = fopen(list, "re");
	while (r < 0 && f && getline(&line, &room, f) > 0) {
		size_t len = strcspn(line, ":\n");

		if (!is_module(line, len, name))
			continue;
		snprintf(path, n_bytes, "/lib/modules/%s/%.*s", u.release, (int)len, line);
		r = 0;
	}
	free(line);
	return r < 0 ? errmsg_set(err, r, "there is no module '%s' in %s; give its path", name,
				  list)
		     : 0;
}

static int find_kernel(char *path, size_t n_bytes, struct errmsg *err)
{
	char remedy[PACKAGE_REMEDY_MAX];
	struct utsname u;

	uname(&u);
	for (size_t i = 0; i < N_OF(kernel_places); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(path, n_bytes, kernel_places[i], u.release);
#pragma GCC diagnostic pop
		if (!access(path, R_OK))
			return 0;
	}
	package_fmt_kernel_remedy(remedy);
	return errmsg_set(err, -ENOENT,
			  "this needs the kernel's DWARF, but there is none; %s (-x PROGRAM "
			  "examines a program)",
			  remedy);
}

int probetarget_open(const struct probe_target *t, const char *word, struct debuginfo **ret_info,
		     struct errmsg *err)
{
	char path[PATH_MAX];
	struct debuginfo_paths paths = {path, t->debug_dir, t->source_dir};

	if (word || t->program)
		TRY(find_program(word ? word : t->program, !word, path, err));
	else if (t->module)
		TRY(find_module(t->module, path, sizeof(path), err));
	else if (t->vmlinux)
		snprintf(path, sizeof(path), "%s", t->vmlinux);
	else
		TRY(find_kernel(path, sizeof(path), err));
	return debuginfo_open(ret_info, &paths, err);
}

static void fmt_register(const struct debuginfo *d, unsigned reg, struct textbuf *tb)
{
	const struct arch *a = d ? debuginfo_arch(d) : arch_of_this_kernel();
	const char *name = a ? arch_register(a, reg) : NULL;

	if (name)
		textbuf_addf(tb, "%%%s", name);
	else
		textbuf_addf(tb, "register %u", reg);
}

void probetarget_fmt_place(const struct debuginfo *d, const struct variable *v, struct textbuf *tb)
{
	const struct place *p = &v->place;

	switch (p->kind) {
	case PLACE_NOWHERE:
		textbuf_add_str(tb, v->why);
		break;
	case PLACE_REGISTER:
		fmt_register(d, p->reg, tb);
		if (p->is_pair) {
			textbuf_add_str(tb, " and ");
			fmt_register(d, p->reg_high, tb);
		}
		break;
	case PLACE_MEMORY:
		textbuf_addf(tb, "%+lld(", (long long)p->offset);
		for (unsigned i = p->n_loads; i; i--)
			textbuf_addf(tb, "%+lld(", (long long)p->loads[i - 1]);
		fmt_register(d, p->reg, tb);
		textbuf_add_fill(tb, ')', p->n_loads + 1);
		break;
	case PLACE_STACK:
		textbuf_addf(tb, "%+lld(stack)", (long long)p->offset);
		break;
	case PLACE_ADDRESS:
		if (p->symbol)
			textbuf_addf(tb, "@%s", p->symbol);
		else
			textbuf_addf(tb, "@0x%llx", (unsigned long long)p->address);
		break;
	case PLACE_CONSTANT:
		textbuf_addf(tb, "\\%lld", (long long)p->offset);
		break;
	case PLACE_RESULT:
		textbuf_add_str(tb, "$retval");
		break;
	default: /* events, which have no file */
		break;
	}
}
