// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * viewcache.c - where the viewer keeps indexes for the next time.
 *
 * ${XDG_CACHE_HOME:-~/.cache}/sonde, of the user who looks: under sudo that is who called it, not
 * root, and the directory is made as his. Traces often lie where others look, so nothing is put
 * beside them unless asked for. A cache that cannot be had is no failure: it only takes longer.
 */
#include "cli/viewcache.h"

#include <errno.h>
#include <libgen.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Under sudo: the id of who called it, else our own. */
static uid_t user_id(void)
{
	const char *uid = getenv("SUDO_UID");

	return geteuid() == 0 && uid && uid[0] && !uid[strspn(uid, "0123456789")]
		       ? (uid_t)strtoul(uid, NULL, 10)
		       : geteuid();
}

/* The directory that holds caches; NULL: nobody knows. */
static char *base_dir(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	uid_t uid = user_id();
	struct passwd *pw = uid != geteuid() || !home ? getpwuid(uid) : NULL;
	char *path = NULL;

	if (uid != geteuid() || !home)
		home = pw ? pw->pw_dir : NULL;
	if (uid == geteuid() && cache && cache[0] == '/')
		return strdup(cache);
	return home && home[0] == '/' && asprintf(&path, "%s/.cache", home) >= 0 ? path : NULL;
}

/* false: it is not there and cannot be made, or is nothing we can write to. */
static bool make_dir(const char *path)
{
	struct stat st;
	uid_t uid = user_id();
	bool made = mkdir(path, 0700) == 0;

	/* lchown: the name was not there before us, but others may have put a link there since */
	if (made && uid != geteuid() && lchown(path, uid, -1) < 0)
		return false;
	return (made || errno == EEXIST) && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

char *viewcache_dir(const char *beside, const char *given)
{
	char *base, *path = NULL;

	if (given)
		return make_dir(given) ? strdup(given) : NULL;
	if (beside) {
		char *copy = strdup(beside);

		path = copy ? strdup(dirname(copy)) : NULL;
		free(copy);
		return path;
	}
	base = base_dir();
	if (!base || !make_dir(base) || asprintf(&path, "%s/sonde", base) < 0)
		path = NULL;
	free(base);
	if (path && make_dir(path))
		return path;
	free(path);
	return NULL;
}
