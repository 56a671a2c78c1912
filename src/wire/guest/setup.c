// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * setup.c - creates pipes between a virtual machine and its host for trace data.
 *
 *	DIR/NAME/trace-pipe-cpu0.in     to the guest
 *	DIR/NAME/trace-pipe-cpu0.out    from the guest; in it the port is
 *	                                /dev/virtio-ports/trace-pipe-cpu0
 *
 * There is one pair for each virtual CPU. Other users may be able to write to the directory, so
 * every step uses an open directory and never follows a link. virsh is run with arguments, never
 * through a shell.
 */
#include "wire/guest/setup.h"

#include "base/errmsg.h"
#include "base/files/outplace.h"
#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/*
 * --- virsh -------------------------------------------------------------------------------------
 */

/*
 * Runs virsh, and copies the beginning of its output to text. Returns its exit status, or a
 * negative errno.
 */
static int run_virsh(const char *const argv[], char *text, size_t n_bytes)
{
	posix_spawn_file_actions_t actions;
	int fds[2], status, r;
	size_t used = 0;
	ssize_t n;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 2);
	r = -posix_spawnp(&pid, "virsh", &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	while (!r && (n = read(fds[0], text + used, n_bytes - 1 - used)) > 0)
		used += n;
	text[used] = 0;
	close(fds[0]);
	TRY(r);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int guest_setup_ask_cpus(const char *name, long long *ret_n, struct errmsg *err)
{
	const char *argv[] = {"virsh", "vcpucount", "--maximum", "--", name, NULL};
	char text[256], *end;
	int r = run_virsh(argv, text, sizeof(text));

	if (r == -ENOENT)
		return errmsg_set(err, -EINVAL,
				  "setup-guest: say with -c how many CPUs '%s' has: there is "
				  "no virsh on this machine",
				  name);
	*ret_n = r ? 0 : strtoll(text, &end, 10);
	if (r || *ret_n <= 0)
		return errmsg_set(err, -EINVAL,
				  "setup-guest: say with -c how many CPUs '%s' has: libvirt does "
				  "not know it",
				  name);
	return 0;
}

/* Attaches a pipe. fd is the file xml_path, which virsh reads. */
static int attach_pipe(const struct guest_setup *g, const char *dir, unsigned cpu, int fd,
		       const char *xml_path, struct errmsg *err)
{
	const char *argv[] = {"virsh", "attach-device", "--config", "--", g->name, xml_path, NULL};
	char text[512];
	int r;

	if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0 ||
	    dprintf(fd,
		    "<channel type='pipe'>\n"
		    "  <source path='%s/%s/trace-pipe-cpu%u'/>\n"
		    "  <target type='virtio' name='trace-pipe-cpu%u'/>\n"
		    "</channel>\n",
		    dir, g->name, cpu, cpu) < 0)
		return errmsg_set_errno(err, -errno, "cannot write %s", xml_path);
	r = run_virsh(argv, text, sizeof(text));
	if (r == -ENOENT)
		return errmsg_set(err, r,
				  "cannot attach to '%s': there is no virsh on this "
				  "machine",
				  g->name);
	text[strcspn(text, "\n")] = 0;
	return r ? errmsg_set(err, -EIO, "cannot attach to '%s': virsh says: %s", g->name, text)
		 : 0;
}

int guest_setup_attach(const struct guest_setup *g, struct errmsg *err)
{
	char path[] = "/tmp/sonde-guest-XXXXXX";
	char *dir = realpath(g->dir, NULL); /* libvirt runs in another directory */
	int fd = dir ? mkostemp(path, O_CLOEXEC) : -1, r = 0;

	if (fd < 0) {
		r = errmsg_set_errno(err, -errno, "cannot attach to '%s'", g->name);
		free(dir);
		return r;
	}
	for (unsigned i = 0; !r && i < g->n_cpus; i++)
		r = attach_pipe(g, dir, i, fd, path, err);
	close(fd);
	unlink(path); /* /tmp is sticky, so the file still belongs to us */
	free(dir);
	return r;
}

/*
 * --- pipes -------------------------------------------------------------------------------------
 */

/* Creates all directories of a path. ret is the last one, which the caller closes. */
static int make_dirs(const char *path, mode_t mode, struct outplace *ret, struct errmsg *err)
{
	struct outplace parent = OUTPLACE_NONE, next;
	char part[PATH_MAX];
	int r = outplace_open(&parent, *path == '/' ? "/" : ".", OUTPLACE_DIR, err);

	for (const char *p = path, *name; *p && r >= 0;) {
		struct errmsg why = {0};

		name = p + strspn(p, "/");
		p = name + strcspn(name, "/");
		if (p == name)
			break;
		snprintf(part, sizeof(part), "%.*s", (int)(p - name), name);
		outplace_mkdir_in(&parent, part, mode); /* the next line reports its failure */
		snprintf(part, sizeof(part), "%.*s", (int)(p - path), path);
		r = outplace_open(&next, part, OUTPLACE_DIR, &why);
		outplace_close(&parent);
		parent = r < 0 ? OUTPLACE_NONE : next;
		if (r < 0)
			errmsg_set_errno(err, r, "cannot make %s", part);
	}
	*ret = parent;
	return r;
}

/* Sets the access of the file itself, even if a link of that name points elsewhere. */
static int set_access(const struct guest_setup *g, int fd)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (g->gid != (gid_t)-1 && fchownat(fd, "", -1, g->gid, AT_EMPTY_PATH) < 0)
		return -errno;
	return chmod(self, g->mode) < 0 ? -errno : 0;
}

static int make_pipe(const struct guest_setup *g, int dir, const char *name, struct errmsg *err)
{
	struct stat st;
	int fd, r;

	if (mkfifoat(dir, name, g->mode) < 0 && errno != EEXIST)
		return errmsg_set_errno(err, -errno, "cannot make %s/%s/%s", g->dir, g->name, name);
	fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		r = errmsg_set_errno(err, -errno, "cannot make %s/%s/%s", g->dir, g->name, name);
	else if (!S_ISFIFO(st.st_mode))
		r = errmsg_set(err, -EEXIST, "%s/%s/%s exists already and is not a pipe", g->dir,
			       g->name, name);
	else if ((r = set_access(g, fd)) < 0)
		errmsg_set_errno(err, r, "cannot set the permissions of %s/%s/%s", g->dir, g->name,
				 name);
	if (fd >= 0)
		close(fd);
	return r;
}

int guest_setup_make(const struct guest_setup *g, struct errmsg *err)
{
	static const char *const ends[] = {"in", "out"};
	struct outplace dir;
	char path[PATH_MAX];
	int r;

	if (snprintf(path, sizeof(path), "%s/%s", g->dir, g->name) >= PATH_MAX)
		return errmsg_set(err, -ENAMETOOLONG, "the path of a pipe is too long");
	r = make_dirs(path, 0750, &dir, err);
	if (r >= 0 && g->gid != (gid_t)-1 && fchownat(dir.dir, "", -1, g->gid, AT_EMPTY_PATH) < 0)
		r = errmsg_set_errno(err, -errno, "cannot make %s", path);
	for (unsigned i = 0; r >= 0 && i < 2 * g->n_cpus; i++) {
		char name[64];

		snprintf(name, sizeof(name), "trace-pipe-cpu%u.%s", i / 2, ends[i % 2]);
		r = make_pipe(g, dir.dir, name, err);
	}
	outplace_close(&dir);
	return r;
}
