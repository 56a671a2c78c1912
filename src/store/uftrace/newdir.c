// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * newdir.c - makes and removes uftrace.data directories, as uftrace does: the one before is kept.
 *
 * Only one older directory is kept. It is removed if it is a recording (it has an info file), and
 * only files are removed from it: a directory of the user with the same name stays, and the new one
 * fails with a message. All is done below a descriptor of the parent directory, without following
 * links: another user may be able to write there.
 */
#include "store/uftrace/newdir.h"

#include "base/errmsg.h"
#include "base/files/outplace.h"
#include "base/scope.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The directory that has it, and its name there: from then on, links that others plant do not
 * count.
 */
static int open_parent(struct outplace *ret, const char *path, char **ret_name, struct errmsg *err)
{
	SCOPED(scope_free) char *dir = strdup(path), *name = NULL;
	size_t len = dir ? strlen(dir) : 0;
	char *slash;

	while (len > 1 && dir[len - 1] == '/')
		dir[--len] = 0;
	slash = dir ? strrchr(dir, '/') : NULL;
	name = dir ? strdup(slash ? slash + 1 : dir) : NULL;
	if (!name)
		return errmsg_set_errno(err, -ENOMEM, "cannot write %s", path);
	if (slash)
		slash[slash == dir] = 0;
	TRY(outplace_open(ret, slash ? dir : ".", OUTPLACE_DIR, err));
	*ret_name = TAKE(name);
	return 0;
}

/* Removes a directory of files; what is no file stays, and the directory with it. */
static void remove_in(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' || !strcmp(entry->d_name, ".channel"))
			unlinkat(fd, entry->d_name, 0);
	closedir(dir);
	unlinkat(parent, name, AT_REMOVEDIR);
}

void uftdir_remove(const char *path)
{
	SCOPED(outplace_close) struct outplace parent = OUTPLACE_NONE;
	SCOPED(scope_free) char *name = NULL;
	struct errmsg ignored = {0};

	if (open_parent(&parent, path, &name, &ignored) >= 0)
		remove_in(parent.dir, name);
}

static bool is_recording(int parent, const char *name)
{
	SCOPED(scope_close)
	int fd = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd >= 0 && !faccessat(fd, "info", F_OK, AT_SYMLINK_NOFOLLOW);
}

int uftdir_make(const char *path, bool must_be_new, struct errmsg *err)
{
	SCOPED(outplace_close) struct outplace parent = OUTPLACE_NONE;
	SCOPED(scope_free) char *name = NULL, *old = NULL;
	int fd;

	TRY(open_parent(&parent, path, &name, err));
	fd = mkdirat(parent.dir, name, 0700) < 0 ? -errno : 0;
	if (fd == -EEXIST && must_be_new)
		return errmsg_set(err, fd, "%s exists; name a new directory", path);
	if (fd < 0 && fd != -EEXIST)
		return errmsg_set_errno(err, fd, "cannot make the directory %s", path);
	if (fd < 0) {
		if (asprintf(&old, "%s.old", name) < 0)
			return errmsg_set_errno(err, -ENOMEM, "cannot write %s", path);
		if (is_recording(parent.dir, old))
			remove_in(parent.dir, old);
		if (renameat(parent.dir, name, parent.dir, old) < 0 ||
		    mkdirat(parent.dir, name, 0700) < 0)
			return errmsg_set_errno(err, -errno, "cannot rename %s to %s.old", path,
						path);
	}
	fd = openat(parent.dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? errmsg_set_errno(err, -errno, "cannot open %s", path) : fd;
}
