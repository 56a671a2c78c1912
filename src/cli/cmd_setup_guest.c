// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_setup_guest.c - `sonde setup-guest`: pipes between a virtual machine and its host for trace data.
 *
 *	DIR/NAME/trace-pipe-cpu0.in     to the guest
 *	DIR/NAME/trace-pipe-cpu0.out    from the guest; in it the port is /dev/virtio-ports/trace-pipe-cpu0
 *
 * One pair for each virtual CPU. DIR is trace-cmd's, so either program finds what the other made. With -a
 * the pipes become devices of a libvirt machine: virsh is run with arguments, never through a shell.
 */
#include "cli/command.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DIR_DEFAULT "/var/lib/trace-cmd/virt"
#define CPUS_MAX    4096

extern char **environ;

struct setup_options {
	long long n_cpus;
	const char *permissions, *group, *dir;
	bool attach;
};

static const struct option_row rows[] = {
	{OPTION_NUMBER, 'c', "cpus", "N", "virtual CPUs of the guest (default: ask libvirt)",
	 offsetof(struct setup_options, n_cpus)},
	{OPTION_STRING, 'p', "permissions", "MODE",
	 "permissions of the pipes, octal (default: 0660)",
	 offsetof(struct setup_options, permissions)},
	{OPTION_STRING, 'g', "group", "GROUP", "group that the pipes and their directory belong to",
	 offsetof(struct setup_options, group)},
	{OPTION_FLAG, 'a', "attach", NULL, "make them devices of the guest, by libvirt",
	 offsetof(struct setup_options, attach)},
	{OPTION_STRING, 0, "dir", "DIR",
	 "where the guests' directories are (default: " DIR_DEFAULT ")",
	 offsetof(struct setup_options, dir), .complete = "dir"},
	{OPTION_END},
};

struct guest_setup {
	const char *dir, *name;
	mode_t mode;
	gid_t gid; /* -1: as it comes */
	unsigned n_cpus;
};

/* --- virsh ------------------------------------------------------------------------------------- */

/* Runs virsh; the beginning of what it prints goes to text. Its exit status, or a negative errno. */
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
	if (r < 0)
		return r;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int ask_cpus(const char *name, long long *ret_n, struct errmsg *err)
{
	const char *argv[] = {"virsh", "vcpucount", "--maximum", "--", name, NULL};
	char text[256], *end;
	int r = run_virsh(argv, text, sizeof(text));

	if (r == -ENOENT)
		return errmsg_set(err, -EINVAL,
				  "setup-guest: say with -c how many CPUs '%s' has: there is no "
				  "virsh here to ask",
				  name);
	*ret_n = r ? 0 : strtoll(text, &end, 10);
	if (r || *ret_n <= 0)
		return errmsg_set(err, -EINVAL,
				  "setup-guest: say with -c how many CPUs '%s' has: libvirt does "
				  "not know it",
				  name);
	return 0;
}

static int attach_pipe(const struct guest_setup *g, const char *dir, unsigned cpu,
		       const char *xml_path, struct errmsg *err)
{
	const char *argv[] = {"virsh", "attach-device", "--config", "--", g->name, xml_path, NULL};
	char text[512];
	FILE *f = fopen(xml_path, "we");
	int r;

	if (!f)
		return errmsg_set_errno(err, -errno, "cannot write %s", xml_path);
	fprintf(f,
		"<channel type='pipe'>\n"
		"  <source path='%s/%s/trace-pipe-cpu%u'/>\n"
		"  <target type='virtio' name='trace-pipe-cpu%u'/>\n"
		"</channel>\n",
		dir, g->name, cpu, cpu);
	if (fclose(f))
		return errmsg_set_errno(err, -EIO, "cannot write %s", xml_path);
	r = run_virsh(argv, text, sizeof(text));
	if (r == -ENOENT)
		return errmsg_set(err, r, "cannot attach to '%s': there is no virsh here", g->name);
	text[strcspn(text, "\n")] = 0;
	return r ? errmsg_set(err, -EIO, "cannot attach to '%s': virsh says: %s", g->name, text)
		 : 0;
}

static int attach_pipes(const struct guest_setup *g, struct errmsg *err)
{
	char path[] = "/tmp/sonde-guest-XXXXXX";
	char *dir = realpath(g->dir, NULL); /* libvirt stands elsewhere */
	int fd = dir ? mkstemp(path) : -1, r = 0;

	if (fd < 0) {
		r = errmsg_set_errno(err, -errno, "cannot attach to '%s'", g->name);
		free(dir);
		return r;
	}
	close(fd);
	for (unsigned i = 0; !r && i < g->n_cpus; i++)
		r = attach_pipe(g, dir, i, path, err);
	unlink(path);
	free(dir);
	return r;
}

/* --- pipes ------------------------------------------------------------------------------------- */

static int make_dirs(const char *path, mode_t mode)
{
	char part[PATH_MAX];

	for (const char *p = path; *p;) {
		p += strspn(p, "/");
		p += strcspn(p, "/");
		if (snprintf(part, sizeof(part), "%.*s", (int)(p - path), path) >= PATH_MAX)
			return -ENAMETOOLONG;
		if (mkdir(part, mode) < 0 && errno != EEXIST)
			return -errno;
	}
	return 0;
}

static int make_pipe(const struct guest_setup *g, const char *path, struct errmsg *err)
{
	struct stat st;

	if (!lstat(path, &st)) {
		if (!S_ISFIFO(st.st_mode))
			return errmsg_set(err, -EEXIST, "%s is there already and is no pipe", path);
	} else if (mkfifo(path, g->mode) < 0) {
		return errmsg_set_errno(err, -errno, "cannot make %s", path);
	}
	if (chmod(path, g->mode) < 0 || (g->gid != (gid_t)-1 && chown(path, -1, g->gid) < 0))
		return errmsg_set_errno(err, -errno, "cannot set the permissions of %s", path);
	return 0;
}

static int make_pipes(const struct guest_setup *g, struct errmsg *err)
{
	static const char *const ends[] = {"in", "out"};
	char path[PATH_MAX];
	int r;

	snprintf(path, sizeof(path), "%s/%s", g->dir, g->name);
	r = make_dirs(path, 0750);
	if (r < 0 || (g->gid != (gid_t)-1 && chown(path, -1, g->gid) < 0))
		return errmsg_set_errno(err, r < 0 ? r : -errno, "cannot make %s", path);
	for (unsigned i = 0; i < 2 * g->n_cpus; i++) {
		if (snprintf(path, sizeof(path), "%s/%s/trace-pipe-cpu%u.%s", g->dir, g->name,
			     i / 2, ends[i % 2]) >= PATH_MAX)
			return errmsg_set(err, -ENAMETOOLONG, "the path of a pipe is too long");
		r = make_pipe(g, path, err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* --- the command ------------------------------------------------------------------------------- */

/* The name becomes a directory: it must not lead anywhere else. */
static bool is_name(const char *name)
{
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._-+@ ", *p))
			return false;
	return *name && *name != '.' && *name != '-' && strlen(name) < NAME_MAX;
}

static int read_options(const struct setup_options *o, struct guest_setup *g, struct errmsg *err)
{
	char *end;
	unsigned long mode = strtoul(o->permissions, &end, 8);
	struct group *group = o->group ? getgrnam(o->group) : NULL;
	long long n = o->n_cpus;
	int r;

	if (!is_name(g->name))
		return errmsg_set(err, -EINVAL,
				  "setup-guest: '%s' is no name of a guest: letters, digits and "
				  "._-+@ are",
				  g->name);
	if (*end || !*o->permissions || mode > 0777)
		return errmsg_set(err, -EINVAL, "setup-guest: -p '%s' is no mode like 0660",
				  o->permissions);
	if (o->group && !group)
		return errmsg_set(err, -EINVAL, "setup-guest: there is no group '%s'", o->group);
	r = n ? 0 : ask_cpus(g->name, &n, err);
	if (r < 0)
		return r;
	if (n < 1 || n > CPUS_MAX)
		return errmsg_set(err, -EINVAL, "setup-guest: a guest has 1 to %d CPUs, not %lld",
				  CPUS_MAX, n);
	g->mode = mode;
	g->gid = group ? group->gr_gid : (gid_t)-1;
	g->n_cpus = n;
	g->dir = o->dir;
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct setup_options o = {.permissions = "0660", .dir = DIR_DEFAULT};
	struct guest_setup g = {0};
	int r = command_parse(cmd, &o, argc, argv, err);

	if (r < 0)
		return r;
	if (r != 1)
		return errmsg_set(err, -EINVAL, "setup-guest: name one guest");
	g.name = argv[1];
	r = read_options(&o, &g, err);
	if (!r)
		r = make_pipes(&g, err);
	if (!r && o.attach)
		r = attach_pipes(&g, err);
	return r;
}

const struct command cmd_setup_guest = {
	.name = "setup-guest",
	.summary = "make pipes for the trace data of a virtual machine",
	.usage = "[-c CPUS] [-p MODE] [-g GROUP] [-a] NAME",
	.options = rows,
	.run = run,
};
