// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_stat.c - `sonde stat`: prints the current tracing settings, and how full the buffers are.
 *
 * Without -B, it prints the top level and all instances, each with the settings that differ from
 * those after boot. It changes nothing. state.c reads the settings, present/tracestate.c prints
 * them.
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
	struct instance_args instances; /* must be the first member: instances.h */
	bool all_options, json;
};

static const struct option_row rows[] = {
	INSTANCES_ROW_NAME,
	INSTANCES_ROW_TOP,
	ROW_FLAG('o', "options", "show all options, not only those that differ from the default",
		 offsetof(struct stat_options, all_options)),
	ROW_FLAG(0, "json", "print JSON, including everything that has its default value",
		 offsetof(struct stat_options, json)),
	ROW_END,
};

static int print_state(const struct stat_options *o, struct errmsg *err)
{
	SCOPED(arena_release) struct arena arena;
	struct tracestate ts;
	TEXTBUF(tb, SHOWFILE_MAX_BYTES);

	arena_init(&arena, ARENA_MAX_BYTES);
	TRY(live_state_read(&ts, &o->instances, &arena, err));
	if (o->json)
		tracestate_fmt_json(&ts, &tb);
	else
		tracestate_fmt(&ts, o->all_options, &tb);
	return showfile_print_text(&tb, err);
}

static void release(struct stat_options *o)
{
	name_list_release(&o->instances.names);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	SCOPED(release) struct stat_options o = {0};
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	TRY(instances_refuse_words(cmd, n, argv, err));
	if (!o.instances.names.n) {
		o.instances.top = true;
		o.instances.all = true;
	}
	return print_state(&o, err);
}

const struct command cmd_stat = {
	.name = "stat",
	.summary = "show the tracing settings and how full the buffers are",
	.usage = "[options]",
	.options = rows,
	.run = run,
};
