// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_snapshot.c - `sonde snapshot`: freeze what is in the kernel's buffer without stopping the trace.
 *
 *	          buffer          snapshot
 *	          [events…]       (none)
 *	-s        [ ]       ◀──▶  [events…]      they change places; the trace goes on in the other one
 *	          [more…]         [events…]
 *
 * The second buffer takes as much memory as the first, until it is freed with -f. Without an option the
 * snapshot is printed. A trigger or a function command can take one, too.
 */
#include "base/options.h"
#include "capture/tracefs/copy.h"
#include "cli/kernel/instances.h"
#include "cli/kernel/showfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct snapshot_options {
	const char *buffer, *cpu;
	bool take, clear, free;
};

static const struct option_row rows[] = {
	{OPTION_FLAG, 's', "take", NULL, "take a snapshot",
	 offsetof(struct snapshot_options, take)},
	{OPTION_FLAG, 'r', "clear", NULL, "empty the snapshot",
	 offsetof(struct snapshot_options, clear)},
	{OPTION_FLAG, 'f', "free", NULL, "free the memory of the snapshot",
	 offsetof(struct snapshot_options, free)},
	{OPTION_STRING, 'B', "buffer", "INSTANCE", "use this instance",
	 offsetof(struct snapshot_options, buffer)},
	{OPTION_STRING, 'c', "cpu", "CPU", "show only this CPU",
	 offsetof(struct snapshot_options, cpu)},
	{OPTION_END},
};

static int refuse_kernel(struct errmsg *err)
{
	return errmsg_set(err, -ENOENT, "this kernel has no snapshots (CONFIG_TRACER_SNAPSHOT)");
}

/* The kernel can swap the buffers of one CPU only if it was told so when it was built. */
static int control(const struct tracefs *t, const char *instance, const char *file,
		   const char *text, bool one_cpu, struct errmsg *err)
{
	int r = tracefs_try_write(t, instance, file, text, TRACEFS_SET);

	if (r == -EINVAL && one_cpu)
		return errmsg_set(err, r == -EINVAL ? -EOPNOTSUPP : r,
				  "this kernel cannot take or free the snapshot of one CPU; leave "
				  "out -c");
	if (r == -EBUSY)
		return errmsg_set(err, r,
				  "the snapshot is in use: the tracer, a trigger or a function "
				  "command needs it");
	return r < 0 ? tracefs_write(t, instance, file, text, TRACEFS_SET, err) : 0;
}

/* The kernel's help in its place, which tells to use echo, begins so. */
static int check_taken(const struct tracefs *t, const char *instance, const char *file,
		       struct errmsg *err)
{
	char head[512];
	int fd = tracefs_open_file(t, instance, file, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : TEMP_FAILURE_RETRY(read(fd, head, sizeof(head) - 1));

	if (fd >= 0)
		close(fd);
	head[n > 0 ? n : 0] = 0;
	return strstr(head, "* Snapshot is freed *")
		       ? errmsg_set(err, -ENODATA,
				    "there is no snapshot; 'sonde snapshot -s%s%s' "
				    "takes one",
				    *instance ? " -B " : "", instance)
		       : 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct snapshot_options o = {0};
	char file[TRACEFS_PATH_MAX];
	const char *instance, *text;
	struct tracefs t;
	int r = command_parse(cmd, &o, argc, argv, err);

	if (r >= 0)
		r = instances_refuse_words(cmd, r, argv, err);
	if (r < 0)
		return r;
	if (o.take + o.clear + o.free > 1)
		return errmsg_set(err, -EINVAL, "snapshot: -s, -r and -f do not go together");
	instance = o.buffer ? o.buffer : "";
	r = tracefs_open(&t, err);
	if (r >= 0)
		r = tracefs_find_instance(&t, instance, err);
	if (r >= 0)
		r = tracefs_fmt_cpu_file(&t, o.cpu, "snapshot", file, err);
	if (r < 0)
		return r;
	if (!tracefs_exists(&t, instance, file))
		return refuse_kernel(err);
	text = o.take ? "1" : o.clear ? "2" : o.free ? "0" : NULL;
	if (text)
		return control(&t, instance, file, text, o.cpu != NULL, err);
	r = check_taken(&t, instance, file, err);
	return r < 0 ? r : showfile_print(&t, instance, file, NULL, err);
}

const struct command cmd_snapshot = {
	.name = "snapshot",
	.summary = "take or print a snapshot of the kernel's buffer",
	.usage = "[options]",
	.options = rows,
	.run = run,
};
