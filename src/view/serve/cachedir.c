// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cachedir.c - finds the directory for the viewer's indexes.
 *
 * ${XDG_CACHE_HOME:-~/.cache}/sonde of the user: under sudo that is the caller, not root. The
 * directories are opened and created with that user's privileges, so a link at ~/.cache leads only
 * to places where the user can write anyway. Traces are often in shared directories, so the index
 * is not stored next to them unless requested. Without a cache the viewer works, but opens a trace
 * more slowly.
 *
 * The returned path leads through /proc to the directory that was opened here, so that no other
 * process can replace it later.
 */
#include "view/serve/cachedir.h"
#include "base/files/caller.h"
#include "base/errmsg.h"
#include "base/files/outplace.h"

#include <libgen.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the directory for caches, or NULL if it is unknown. */
static char *base_dir(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct caller c;
	bool is_other = caller_find(&c);
	struct passwd *pw;
	char *path = NULL;

	if (!is_other && !caller_is_secure() && cache && cache[0] == '/')
		return strdup(cache);
	if (is_other || caller_is_secure() || !home) {
		pw = getpwuid(is_other ? c.uid : getuid());
		home = pw ? pw->pw_dir : NULL;
	}
	return home && home[0] == '/' && asprintf(&path, "%s/.cache", home) >= 0 ? path : NULL;
}

/* Opens a directory with the privileges of the user only. */
static bool open_dir(const char *path, struct outplace *ret)
{
	struct errmsg ignored = {0};
	struct caller c;

	if (outplace_open(ret, path, OUTPLACE_DIR, &ignored) < 0)
		return false;
	if (ret->as_caller || !caller_find(&c))
		return true;
	outplace_close(ret);
	return false;
}

/* Returns false if the directory does not exist and cannot be created, or is not writable. */
static bool make_dir(const char *path, struct outplace *ret)
{
	char *copy = strdup(path), *other = strdup(path);
	struct outplace parent;

	if (copy && other && !open_dir(path, ret) && open_dir(dirname(copy), &parent)) {
		outplace_mkdir_in(&parent, basename(other), 0700);
		outplace_close(&parent);
		open_dir(path, ret);
	}
	free(copy);
	free(other);
	return ret->dir >= 0;
}

static bool make_default(struct outplace *ret)
{
	struct outplace base = OUTPLACE_NONE;
	char *base_path = base_dir(), *path = NULL;

	if (base_path && make_dir(base_path, &base) && asprintf(&path, "%s/sonde", base_path) >= 0)
		make_dir(path, ret);
	outplace_close(&base);
	free(base_path);
	free(path);
	return ret->dir >= 0;
}

char *viewcache_dir(const char *beside, const char *given)
{
	struct outplace dir = OUTPLACE_NONE;
	char *copy = beside ? strdup(beside) : NULL, *path = NULL;

	if (given)
		make_dir(given, &dir);
	else if (beside && copy)
		open_dir(dirname(copy), &dir);
	else if (!beside)
		make_default(&dir);
	free(copy);
	if (dir.dir < 0)
		return NULL;
	if (asprintf(&path, "/proc/self/fd/%d", dir.dir) < 0 || access(path, F_OK) < 0) {
		free(path);
		outplace_close(&dir);
		return NULL;
	}
	dir.dir = -1; /* the directory stays open until exit, as long as the path is used */
	outplace_close(&dir);
	return path;
}
