// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_snapshot.c - `sonde snapshot`: keeps the contents of the kernel's buffer without stopping the
 * trace.
 *
 *	          buffer          snapshot
 *	          [events…]       (none)
 *	-s        [ ]       ◀──▶  [events…]      swapped; the trace continues in the other one
 *	          [more…]         [events…]
 *
 * The second buffer takes as much memory as the first, until it is freed with -f. Without an
 * option, the snapshot is printed. A trigger or a function command can take a snapshot, too.
 */
#include "base/options.h"
#include "base/scope.h"
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
	ROW_FLAG('s', "take", "take a snapshot", offsetof(struct snapshot_options, take)),
	ROW_FLAG('r', "clear", "empty the snapshot", offsetof(struct snapshot_options, clear)),
	ROW_FLAG('f', "free", "free the memory of the snapshot",
		 offsetof(struct snapshot_options, free)),
	ROW_STRING('B', "buffer", "INSTANCE", "use this instance",
		   offsetof(struct snapshot_options, buffer)),
	ROW_STRING('c', "cpu", "CPU", "show only this CPU", offsetof(struct snapshot_options, cpu)),
	ROW_END,
};

static int refuse_kernel(struct errmsg *err)
{
	return errmsg_set(err, -ENOENT, "this kernel has no snapshots (CONFIG_TRACER_SNAPSHOT)");
}

/*
 * Writes to a file. The kernel can swap the buffers of one CPU only if it was built with that
 * option.
 */
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

/*
 * Checks that there is a snapshot. Otherwise the file contains the kernel's help text, which begins
 * like this.
 */
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
	int n = command_parse(cmd, &o, argc, argv, err);
	int r;

	TRY(n);
	if (instances_refuse_words(cmd, n, argv, err) < 0)
		return errmsg_code(err);
	if (o.take + o.clear + o.free > 1)
		return errmsg_set(err, -EINVAL, "snapshot: -s, -r and -f exclude each other");
	instance = o.buffer ? o.buffer : "";
	if (tracefs_open(&t, err) < 0 || tracefs_find_instance(&t, instance, err) < 0 ||
	    tracefs_fmt_cpu_file(&t, o.cpu, "snapshot", file, err) < 0)
		return errmsg_code(err);
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
