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

static int add_point(struct resolution *r, const char *path, struct debuginfo *info,
		     const struct debuginfo_point *pt)
{
	struct fetch_place place;
	struct probe_place *added;
	char text[PATH_MAX + 64];
	uint64_t offset;

	if (debuginfo_file_offset(info, pt->address, &offset) < 0)
		return RESOLVE_REFUSE(r, r->d->function ? r->d->function_span : r->d->line_span,
				      -ENOENT,
				      "address 0x%llx is not in the part of %s that is run",
				      (unsigned long long)pt->address, path);
	snprintf(text, sizeof(text), "%s:0x%llx", path, (unsigned long long)offset);
	added = resolve_add_place(r, text);
	if (!added)
		return resolve_no_memory(r);
	if (pt->inlined_into) {
		snprintf(text, sizeof(text), "inlined into %s at %s:%u", pt->inlined_into,
			 pt->file ? pt->file : "?", pt->line);
		added->about = arena_strndup(&r->out->memory, text, strlen(text));
	}
	fill_place(r, info, pt, offset, &place);
	return resolve_args(r, &place);
}

static int add_points(struct resolution *r, const char *path, struct debuginfo *info,
		      const struct debuginfo_points *points)
{
	unsigned max = r->prober->world.max_places;
	int result = 0;

	r->n_points = points->n;
	for (size_t i = 0; i < points->n && result >= 0; i++) {
		if (i == max || (i && !r->prober->kernel.many_places)) {
			resolve_note(r, "only %zu of %zu places are probed: %s", i, points->n,
				     i == max ? "the limit of places is reached"
					      : "this kernel takes one for each event");
			break;
		}
		result = add_point(r, path, info, &points->list[i]);
	}
	return result < 0 ? result : resolve_check_args(r);
}

static int resolve_where(struct resolution *r, const char *path, struct debuginfo *info)
{
	const struct definition *d = r->d;
	struct debuginfo_where where = {
		.function = d->function,
		.file = d->file,
		.line = d->line,
		.has_line = d->has_line,
		.offset = d->offset,
		.pattern = d->pattern,
		.is_return = d->is_return,
		.wants_variables = resolve_wants_variables(d),
		.no_inlines = r->prober->world.no_inlines,
	};
	struct debuginfo_points points;
	struct errmsg why = {0};
	const char *function;
	int result = debuginfo_points(info, &where, &points, &why);

	if (result < 0)
		return RESOLVE_REFUSE(r,
				      d->has_line || d->pattern ? d->line_span
				      : d->function		? d->function_span
								: d->file_span,
				      result, "%s", why.text);
	result = add_points(r, path, info, &points);
	function = d->function ? d->function : points.n ? points.list[0].function : NULL;
	if (result >= 0)
		result = resolve_group_and_event(r, path, function ? function : "line",
						 d->has_line ? d->line : 0);
	debuginfo_points_release(&points);
	return result;
}

static int resolve_address(struct resolution *r, const char *path, struct debuginfo *info)
{
	struct debuginfo_point pt = {.address = r->d->address};
	char name[32];
	int result = add_point(r, path, info, &pt);

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
