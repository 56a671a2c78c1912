// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_sched.c - `sonde sched`: finds the sub-command and runs it.
 *
 *	sched record                     records what the others need, and nothing else
 *	sched latency | summary          one row per task
 *	sched timehist | map             one line per switch
 *	sched chains                     who wakes whom, who wakes whom …
 */
#include "base/spelling.h"
#include "cli/sched/schedrun.h"

#include <errno.h>
#include <string.h>

static const struct command *const subs[] = {
	&sched_record, &sched_latency, &sched_timehist, &sched_summary, &sched_map,
	&sched_chains, NULL,
};

static const struct option_row rows[] = {
	ROW_END,
};

static const char *word_of(const struct command *sub)
{
	return sub->name + sizeof("sched ") - 1;
}

static int refuse(const char *word, struct errmsg *err)
{
	struct spelling sp;

	spelling_init(&sp, word, strlen(word));
	for (size_t i = 0; subs[i]; i++)
		spelling_add(&sp, word_of(subs[i]));
	return errmsg_set(err, -EINVAL,
			  "there is no 'sched %s'%s%s; 'sonde sched --help' lists what there is",
			  word, sp.nearest ? "; did you mean sched " : "",
			  sp.nearest ? sp.nearest : "");
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	if (argc < 2)
		return errmsg_set(err, -EINVAL,
				  "sched needs a sub-command; 'sonde sched --help' lists them");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		command_print_help(cmd);
		return 0;
	}
	for (size_t i = 0; subs[i]; i++)
		if (!strcmp(argv[1], word_of(subs[i])))
			return subs[i]->run(subs[i], argc - 1, argv + 1, err);
	return refuse(argv[1], err);
}

const struct command cmd_sched = {
	.name = "sched",
	.summary = "show who waited for a CPU, how long, and why",
	.usage = "SUB-COMMAND [options] [FILE | -- COMMAND [ARGUMENT…]]",
	.options = rows,
	.subs = subs,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run,
};
