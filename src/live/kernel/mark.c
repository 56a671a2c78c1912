// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mark.c - writes a message into the running traces, for `sonde mark`.
 *
 * The mark goes to every instance that is writing events (tracing_on) and, if something is traced
 * there, to the top level; or to those that are named. An idle top level gets no mark: the next
 * program would find it as an earlier trace. A kernel may copy marks of the top level to an
 * instance (option copy_trace_marker); such an instance is skipped, because it would get the mark
 * twice. At least one buffer must accept the mark.
 */
#include "live/kernel/mark.h"

#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int write_mark(const struct tracefs *t, const char *instance, struct live_mark *m)
{
	int fd = tracefs_open_file(t, instance, m->file, O_WRONLY);
	ssize_t n;

	TRY(fd);
	n = write(fd, m->bytes, m->len);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n >= 0 && (size_t)n < m->len)
		m->was_cut = true;
	return n < 0 ? (int)n : 0;
}

static int refuse(const struct tracefs *t, const char *instance, const struct live_mark *m,
		  int code, struct errmsg *err)
{
	char name[TRACEFS_NAME_MAX + 16];

	instances_fmt(instance, name, sizeof(name));
	if (code == -EBADF) /* the ring buffer is off */
		return errmsg_set(err, code,
				  "nothing is written in %s: tracing is off there; 'sonde restart' "
				  "switches it on",
				  name);
	if (code == -EINVAL)
		return errmsg_set(err, -EIO, "%s takes no marks: its option 'markers' is off",
				  name);
	if (code == -ENOENT)
		return tracefs_refuse_read(t, instance, m->file, code, err);
	return errmsg_set_errno(err, code, "cannot mark %s%s", name,
				geteuid() ? " (run sonde as root)" : "");
}

static int mark_named(const struct tracefs *t, const struct instance_args *args,
		      struct live_mark *m, struct errmsg *err)
{
	struct name_list list;
	int r = instances_take(t, args, &list, err);

	TRY(r);
	for (size_t i = 0; i < list.n; i++) {
		int r2 = write_mark(t, list.names[i], m);

		if (r2 < 0)
			r = refuse(t, list.names[i], m, r2, err);
	}
	name_list_release(&list);
	return r;
}

/* Returns true if a tracer or events are on at the top level, or if this cannot be read. */
static bool is_top_used(const struct tracefs *t)
{
	char text[64];
	int r = tracefs_read_short(t, "", "current_tracer", text, sizeof(text));

	if (r == -EACCES || r == -EPERM || (r > 0 && strcmp(text, "nop")))
		return true;
	return tracefs_read_short(t, "", "set_event", text, sizeof(text)) > 0;
}

static int refuse_idle(const struct tracefs *t, const struct live_mark *m, struct errmsg *err)
{
	if (!tracefs_exists(t, "", m->file))
		return refuse(t, "", m, -ENOENT, err);
	if (tracefs_read_number(t, "", "tracing_on") == 0)
		return refuse(t, "", m, -EBADF, err);
	return errmsg_set(err, -ESRCH,
			  "nothing of the kernel is being traced that the mark could stand in; -t "
			  "writes it to the top level anyway, 'sonde ctl mark' to a recording of "
			  "user functions");
}

static int mark_everybody(const struct tracefs *t, struct live_mark *m, struct errmsg *err)
{
	struct name_list list = {0};
	bool is_used = is_top_used(t);
	int top = is_used ? write_mark(t, "", m) : -ESRCH;
	size_t n_done = top >= 0;

	tracefs_instances(t, &list);
	for (size_t i = 0; i < list.n; i++) {
		const char *name = list.names[i];

		if (tracefs_read_number(t, name, "tracing_on") != 1 ||
		    (top >= 0 && tracefs_read_number(t, name, "options/copy_trace_marker") == 1))
			continue;
		n_done += write_mark(t, name, m) >= 0;
	}
	name_list_release(&list);
	if (n_done)
		return 0;
	return is_used ? refuse(t, "", m, top, err) : refuse_idle(t, m, err);
}

int live_mark_write(struct live_mark *m, const struct instance_args *args, struct errmsg *err)
{
	struct tracefs t;

	TRY(tracefs_open(&t, err));
	return args->names.n || args->top ? mark_named(&t, args, m, err)
					  : mark_everybody(&t, m, err);
}
