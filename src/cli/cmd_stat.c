// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_stat.c - `sonde stat`: how the kernel's tracing is set up now, and how full its buffers are.
 *
 * Without -B everything: the top level and all instances, each with what is not as after boot. It reads
 * and changes nothing, whoever set it. state.c reads, present/tracestate.c prints.
 */
#include "base/arena.h"
#include "base/textbuf.h"
#include "capture/tracefs/instances.h"
#include "cli/kernel/instances.h"
#include "cli/kernel/showfile.h"
#include "live/state.h"
#include "present/tracestate.h"

#define ARENA_MAX_BYTES (256u << 20)

struct stat_options {
	struct instance_args instances; /* first: instances.h */
	bool all_options, json;
};

static const struct option_row rows[] = {
	INSTANCES_ROW_NAME,
	INSTANCES_ROW_TOP,
	{OPTION_FLAG, 'o', "options", NULL,
	 "show all options, not only those that differ from the default",
	 offsetof(struct stat_options, all_options)},
	{OPTION_FLAG, 0, "json", NULL,
	 "print JSON, including everything that has its default value",
	 offsetof(struct stat_options, json)},
	{OPTION_END},
};

/* A file that cannot be read counts as one that is not there; if that is for want of permission, say so. */
static int check_readable(const struct tracefs *t, const struct name_list *list, struct errmsg *err)
{
	char text[8];

	for (size_t i = 0; i < list->n; i++) {
		int r = tracefs_read_short(t, list->names[i], "tracing_on", text, sizeof(text));

		if (r < 0)
			return tracefs_refuse_read(t, list->names[i], "tracing_on", r, err);
	}
	return 0;
}

static int print_state(const struct tracefs *t, const struct stat_options *o,
		       const struct name_list *list, struct errmsg *err)
{
	struct tracestate ts;
	struct arena arena;
	struct textbuf tb;
	int r;

	arena_init(&arena, ARENA_MAX_BYTES);
	textbuf_init(&tb, SHOWFILE_MAX_BYTES);
	r = live_state_read(&ts, t, list, &arena);
	if (r >= 0) {
		if (o->json)
			tracestate_fmt_json(&ts, &tb);
		else
			tracestate_fmt(&ts, o->all_options, &tb);
		r = showfile_print_text(&tb, err);
	}
	textbuf_release(&tb);
	arena_release(&arena);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct stat_options o = {0};
	struct name_list list = {0};
	struct tracefs t;
	int r = command_parse(cmd, &o, argc, argv, err);

	if (r >= 0)
		r = instances_refuse_words(cmd, r, argv, err);
	if (r >= 0)
		r = tracefs_open(&t, err);
	if (r >= 0) {
		if (!o.instances.names.n) {
			o.instances.top = true;
			o.instances.all = true;
		}
		r = instances_take(&t, &o.instances, &list, err);
	}
	if (r >= 0)
		r = check_readable(&t, &list, err);
	if (r >= 0)
		r = print_state(&t, &o, &list, err);
	name_list_release(&list);
	name_list_release(&o.instances.names);
	return r;
}

const struct command cmd_stat = {
	.name = "stat",
	.summary = "show the tracing settings and how full the buffers are",
	.usage = "[options]",
	.options = rows,
	.run = run,
};
