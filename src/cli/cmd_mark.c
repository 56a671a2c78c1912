// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_mark.c - `sonde mark TEXT…`: a line of your own among the events, to find the spot again.
 *
 *	sonde mark now the button is pressed
 *
 * The text goes to every instance that is writing events (tracing_on) and, if something is traced there, to
 * the top level; or to those named with -B and -t. An idle top level is left alone: a mark in its buffer
 * would be an earlier trace for whoever needs it next. A kernel may copy what is written at the top into an instance by itself (its option
 * copy_trace_marker): such an instance is left out, else it would have the text twice. It is fine if some
 * of them do not take it, but somebody must.
 *
 * include/sonde/mark.h is the same for a program.
 */
#include "base/options.h"
#include "capture/tracefs/instances.h"
#include "cli/kernel/instances.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MARK_MAX_BYTES 4096

struct mark_options {
	struct instance_args instances; /* first: instances.h */
	const char *raw;
};

static const struct option_row rows[] = {
	INSTANCES_ROW_NAME,
	{OPTION_CALL, 't', "top", NULL, "write to the top level, even if nothing is traced there",
	 .apply = instances_apply_top},
	{OPTION_STRING, 0, "raw", "ID", "write a raw_data event with this id (trace_marker_raw)",
	 offsetof(struct mark_options, raw)},
	{OPTION_END},
};

struct mark {
	char bytes[MARK_MAX_BYTES];
	size_t len;
	const char *file;
	bool was_cut;
};

static int make_mark(struct mark *m, const struct mark_options *o, int n, char **words,
		     struct errmsg *err)
{
	m->file = o->raw ? "trace_marker_raw" : "trace_marker";
	if (o->raw) {
		char *end;
		uint32_t id = strtoul(o->raw, &end, 0);

		if (*end || end == o->raw)
			return errmsg_set(err, -EINVAL, "mark: --raw takes a number, not '%s'",
					  o->raw);
		memcpy(m->bytes, &id, sizeof(id));
		m->len = sizeof(id);
	}
	for (int i = 0; i < n; i++) {
		size_t len = strlen(words[i]);

		if (m->len + len + 1 > sizeof(m->bytes))
			return errmsg_set(err, -EINVAL,
					  "mark: the text has more than %d bytes, which no kernel "
					  "takes",
					  MARK_MAX_BYTES);
		if (i)
			m->bytes[m->len++] = ' ';
		memcpy(m->bytes + m->len, words[i], len);
		m->len += len;
	}
	return n || o->raw ? 0 : errmsg_set(err, -EINVAL, "mark: what is the text?");
}

static int write_mark(const struct tracefs *t, const char *instance, struct mark *m)
{
	int fd = tracefs_open_file(t, instance, m->file, O_WRONLY);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = write(fd, m->bytes, m->len);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n >= 0 && (size_t)n < m->len)
		m->was_cut = true;
	return n < 0 ? (int)n : 0;
}

static int refuse(const struct tracefs *t, const char *instance, const struct mark *m, int code,
		  struct errmsg *err)
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

static int mark_named(const struct tracefs *t, const struct mark_options *o, struct mark *m,
		      struct errmsg *err)
{
	struct name_list list;
	int r = instances_take(t, &o->instances, &list, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < list.n; i++) {
		int r2 = write_mark(t, list.names[i], m);

		if (r2 < 0)
			r = refuse(t, list.names[i], m, r2, err);
	}
	name_list_release(&list);
	return r;
}

/* A tracer or events are on at the top level; also if that may not be read. */
static bool is_top_used(const struct tracefs *t)
{
	char text[64];
	int r = tracefs_read_short(t, "", "current_tracer", text, sizeof(text));

	if (r == -EACCES || r == -EPERM || (r > 0 && strcmp(text, "nop")))
		return true;
	return tracefs_read_short(t, "", "set_event", text, sizeof(text)) > 0;
}

static int refuse_idle(const struct tracefs *t, const struct mark *m, struct errmsg *err)
{
	if (!tracefs_exists(t, "", m->file))
		return refuse(t, "", m, -ENOENT, err);
	if (tracefs_read_number(t, "", "tracing_on") == 0)
		return refuse(t, "", m, -EBADF, err);
	return errmsg_set(err, -ESRCH,
			  "nothing is being traced that the mark could stand in; -t writes it to "
			  "the top level all the same");
}

static int mark_everybody(const struct tracefs *t, struct mark *m, struct errmsg *err)
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

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct mark_options o = {0};
	struct mark m = {.len = 0};
	struct tracefs t;
	int r = command_parse(cmd, &o, argc, argv, err);

	if (r >= 0)
		r = make_mark(&m, &o, r, argv + 1, err);
	if (r >= 0)
		r = tracefs_open(&t, err);
	if (r >= 0)
		r = o.instances.names.n || o.instances.top ? mark_named(&t, &o, &m, err)
							   : mark_everybody(&t, &m, err);
	name_list_release(&o.instances.names);
	if (r >= 0 && m.was_cut)
		fprintf(stderr, "sonde: the text was too long for this kernel and was cut\n");
	return r;
}

const struct command cmd_mark = {
	.name = "mark",
	.summary = "write a message into the running trace",
	.usage = "[options] TEXT…",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run,
};
