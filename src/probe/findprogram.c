// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * findprogram.c - finds the file for the name of a program or library.
 *
 *	./prog, /bin/sh       a path: this file
 *	bash                  the program in $PATH; scripts of that name are skipped
 *	libc.so.6, libc, c    the library in /etc/ld.so.cache
 *	prog                  a file in this directory: searched last for the target of a definition
 *	                      (prog:work), where the name can mean many things; searched first after
 *	                      -x, which in perf names a file
 */
#include "probe/findprogram.h"

#include "base/errmsg.h"
#include "base/files/mapfile.h"
#include "base/files/regular.h"
#include "base/scope.h"
#include "format/bytes.h"
#include "probe/ldcache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, R_OK);
}

/*
 * Returns true for an ELF file. A script has no instructions to probe, and PATH may have a program
 * of that name later.
 */
static bool is_elf(const char *path)
{
	SCOPED(scope_close) int fd = regular_open(path, UINT64_MAX);
	char magic[4] = "";
	bool is = fd >= 0 && TEMP_FAILURE_RETRY(read(fd, magic, 4)) == 4 &&
		  !memcmp(magic, "\177ELF", 4);

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

static bool find_here(const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "./%s", name);
	return is_program(path) && is_elf(path);
}

bool findprogram(const char *name, bool here_first, char path[PATH_MAX])
{
	if (strchr(name, '/')) {
		snprintf(path, PATH_MAX, "%s", name);
		return is_program(path);
	}
	return (here_first && find_here(name, path)) || find_in_path(name, path) ||
	       find_library(name, path) || (!here_first && find_here(name, path));
}

bool findprogram_real(const char *path, char real[PATH_MAX])
{
	if (strncmp(path, "/proc/", 6))
		return realpath(path, real);
	snprintf(real, PATH_MAX, "%s", path);
	return !access(path, F_OK);
}
