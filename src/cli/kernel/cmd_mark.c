// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_mark.c - `sonde mark TEXT…`: writes a message into the running traces.
 *
 *	sonde mark now the button is pressed
 *
 * live/kernel/mark.c says which traces get it. Programs can do the same with include/sonde/mark.h.
 */
#include "base/options.h"
#include "base/scope.h"
#include "capture/tracefs/instances.h"
#include "cli/kernel/instances.h"
#include "live/kernel/mark.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct mark_options {
	struct instance_args instances; /* must be the first member: instances.h */
	const char *raw;
};

static const struct option_row rows[] = {
	INSTANCES_ROW_NAME,
	ROW_CALL('t', "top", NULL, "write to the top level, even if nothing is traced there",
		 instances_apply_top),
	ROW_STRING(0, "raw", "ID", "write a raw_data event with this id (trace_marker_raw)",
		   offsetof(struct mark_options, raw)),
	ROW_END,
};

static int make_mark(struct live_mark *m, const struct mark_options *o, int n, char **words,
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
					  LIVE_MARK_MAX_BYTES);
		if (i)
			m->bytes[m->len++] = ' ';
		memcpy(m->bytes + m->len, words[i], len);
		m->len += len;
	}
	return n || o->raw ? 0 : errmsg_set(err, -EINVAL, "mark: what is the text?");
}

static void release(struct mark_options *o)
{
	name_list_release(&o->instances.names);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	SCOPED(release) struct mark_options o = {0};
	struct live_mark m = {.len = 0};
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	TRY(make_mark(&m, &o, n, argv + 1, err));
	TRY(live_mark_write(&m, &o.instances, err));
	if (m.was_cut)
		fprintf(stderr, "sonde: the text was too long for this kernel and was truncated\n");
	return 0;
}

const struct command cmd_mark = {
	.name = "mark",
	.summary = "write a message into the running trace",
	.usage = "[options] TEXT…",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run,
};
