// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resolve_program.c - functions, lines and addresses of programs and libraries.
 *
 *	bash:readline%return     a name without '/': the program in PATH, else the library of that name
 *	./prog:prog.c:25         one place for each copy of the line
 *
 * A uprobe is placed by an offset into the file:  /usr/bin/bash:0xb4f50
 *
 * A global variable is read with @+OFFSET, of which the kernel makes an address by adding what lies between
 * the probe's own offset and its address. So the offset is not that of the bytes in the file (data is
 * mapped elsewhere than code) but the distance from where the file would begin if all of it were mapped
 * like the code.
 */
#include "base/mapfile.h"
#include "probe/ldcache.h"
#include "probe/resolve_int.h"
#include "symbols/arch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- where it is --------------------------------------------------------------------------------- */

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, R_OK);
}

/* Of a script no instruction can be probed; another of that name may follow in PATH. */
static bool is_elf(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char magic[4] = "";
	bool is = fd >= 0 && read(fd, magic, 4) == 4 && !memcmp(magic, "\177ELF", 4);

	if (fd >= 0)
		close(fd);
	return is;
}

static bool find_in_path(const char *name, char path[PATH_MAX])
{
	const char *dirs = getenv("PATH");

	for (const char *p = dirs ? dirs : "/usr/bin:/bin"; *p;) {
		size_t len = strcspn(p, ":");

		snprintf(path, PATH_MAX, "%.*s/%s", (int)len, p, name);
		if (len && is_program(path) && !access(path, X_OK) && is_elf(path))
			return true;
		p += len + (p[len] == ':');
	}
	return false;
}

static bool find_library(const char *name, char path[PATH_MAX])
{
	struct errmsg ignored = {0};
	struct mapfile map;
	const char *found;

	if (mapfile_open(&map, "/etc/ld.so.cache", &ignored) < 0)
		return false;
	found = ldcache_find((struct piece){map.data, map.n_bytes}, name);
	if (found)
		snprintf(path, PATH_MAX, "%s", found);
	mapfile_release(&map);
	return found && is_program(path);
}

bool resolve_find_program(const char *name, char path[PATH_MAX])
{
	if (strchr(name, '/')) {
		snprintf(path, PATH_MAX, "%s", name);
		return is_program(path);
	}
	return find_in_path(name, path) || find_library(name, path);
}

/* The kernel cuts its line at blanks. */
static int check_path(struct resolution *r, const char *path, char absolute[PATH_MAX])
{
	struct span span = r->d->target ? r->d->target_span : r->d->function_span;
	char found[PATH_MAX];

	if (!resolve_find_program(path, found))
		return RESOLVE_REFUSE(r, span, -ENOENT,
				      "there is no program or library %s that can be read", path);
	if (!realpath(found, absolute))
		return RESOLVE_REFUSE(r, span, -errno, "%s cannot be found", found);
	if (strpbrk(absolute, " \t\n"))
		return RESOLVE_REFUSE(
			r, span, -EINVAL,
			"the kernel takes no path with a blank in it (%s); make a link "
			"to the file under another directory",
			absolute);
	return 0;
}

/* --- places -------------------------------------------------------------------------------------- */

static void fill_place(const struct resolution *r, const struct debuginfo *info,
		       const struct debuginfo_point *pt, uint64_t offset, struct fetch_place *ret)
{
	bool has_dwarf = debuginfo_has_dwarf(info);

	*ret = (struct fetch_place){
		.definition = r->d,
		.kernel = &r->prober->kernel,
		.arch = debuginfo_arch(info),
		.function = pt->function     ? pt->function
			    : r->d->function ? r->d->function
					     : "this place",
		.is_program = true,
		.is_return = r->d->is_return,
		.scope = has_dwarf ? pt->scope : NULL,
		.why_none = has_dwarf ? "the debug information does not describe it; use %REG"
				      : "the file has no debug information: build it with -g, or "
					"install its debug package; $arg1 and %REG need none",
		.data_offset = pt->address - offset,
	};
}

struct point_adder {
	struct resolution *r;
	struct debuginfo *info;
	const char *path;
};

static int add_point(void *ctx, const struct debuginfo_point *pt)
{
	const struct point_adder *adder = ctx;
	struct debuginfo *info = adder->info;
	const char *path = adder->path;
	struct resolution *r = adder->r;
	struct fetch_place place;
	char text[PATH_MAX + 64];
	uint64_t offset;
	int result;

	if (debuginfo_file_offset(info, pt->address, &offset) < 0)
		return RESOLVE_REFUSE(r, r->d->function ? r->d->function_span : r->d->line_span,
				      -ENOENT,
				      "address 0x%llx is not in the part of %s that is run",
				      (unsigned long long)pt->address, path);
	snprintf(text, sizeof(text), "%s:0x%llx", path, (unsigned long long)offset);
	result = resolve_add_point(r, text, pt);
	fill_place(r, info, pt, offset, &place);
	return result < 0 ? result : resolve_args(r, &place);
}

static int resolve_where(struct resolution *r, const char *path, struct debuginfo *info)
{
	struct point_adder adder = {r, info, path};
	const char *function;
	int result = resolve_each_point(r, info, add_point, &adder, &function);

	return result < 0 ? result
			  : resolve_group_and_event(r, path, function,
						    r->d->has_line ? r->d->line : 0);
}

static int resolve_address(struct resolution *r, const char *path, struct debuginfo *info)
{
	struct debuginfo_point pt = {.address = r->d->address};
	char name[32];
	int result = add_point(&(struct point_adder){r, info, path}, &pt);

	snprintf(name, sizeof(name), "abs_%llx", (unsigned long long)r->d->address);
	return result < 0 ? result : resolve_group_and_event(r, path, name, 0);
}

int resolve_program(struct resolution *r, const char *path)
{
	struct span span = r->d->target ? r->d->target_span : r->d->function_span;
	char absolute[PATH_MAX];
	struct debuginfo *info;
	struct errmsg why = {0};
	int result = check_path(r, path, absolute);

	if (result < 0)
		return result;
	if (!r->prober->kernel.uprobes)
		return RESOLVE_REFUSE(r, span, -EOPNOTSUPP,
				      "this kernel has no probes in programs (CONFIG_UPROBES)");
	result = prober_debuginfo(r->prober, absolute, &info, &why);
	if (result < 0)
		return RESOLVE_REFUSE(r, span, result, "%s", why.text);
	if (!debuginfo_arch(info))
		return RESOLVE_REFUSE(r, span, -EOPNOTSUPP,
				      "%s is for a processor whose registers are not known here",
				      absolute);
	r->out->probe.kind = r->d->is_return ? PROBE_URETPROBE : PROBE_UPROBE;
	if (r->d->has_address)
		return resolve_address(r, absolute, info);
	return resolve_where(r, absolute, info);
}
