// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * newdir.c - makes and removes uftrace.data directories, as uftrace does: the one before is kept.
 *
 * Only one older directory is kept. It is removed if it is a recording (it has an info file), and
 * only files are removed from it: a directory of the user with the same name stays, and the new one
 * fails with a message.
 */
#include "store/uftrace/newdir.h"

#include "base/errmsg.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void uftdir_remove(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' || !strcmp(entry->d_name, ".channel"))
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	rmdir(path);
}

static bool is_recording(const char *path)
{
	char name[4200];

	snprintf(name, sizeof(name), "%.4000s/info", path);
	return !access(name, F_OK);
}

int uftdir_make(const char *path, bool must_be_new, struct errmsg *err)
{
	char old[4200];

	if (!mkdir(path, 0755))
		return 0;
	if (errno == EEXIST && must_be_new)
		return errmsg_set(err, -EEXIST, "%s exists; name a new directory", path);
	if (errno != EEXIST)
		return errmsg_set_errno(err, -errno, "cannot make the directory %s", path);
	snprintf(old, sizeof(old), "%.4000s.old", path);
	if (is_recording(old))
		uftdir_remove(old);
	if (rename(path, old) < 0 || mkdir(path, 0755) < 0)
		return errmsg_set_errno(err, -errno, "cannot rename %s to %s", path, old);
	return 0;
}
