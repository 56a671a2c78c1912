// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uftrace.c - sonde as uftrace: finds the command, and runs it with the parsed options.
 *
 * The first word that is no option is the command; if it is none of uftrace's commands, it is a
 * program, and the command is live. Commands are rows of the table below.
 */
#include "cli/as/uftrace/uftrace.h"

#include "base/array.h"
#include "base/textbuf.h"
#include "cli/as/personality.h"

#include <string.h>

const struct uft_command uft_commands[] = {
	{"record", "run a program and record its calls in a directory", uft_record},
	{"script", "run a script over the recorded calls", uft_script},
	{"live", "record a program, then replay it (default)", uft_live},
	{"replay", "print the recorded calls in the order of time", uft_replay},
	{"report", "print how often functions were called, and how long they took", uft_report},
	{"graph", "print who calls whom", uft_graph},
	{"dump", "print the records, or write them in another form", uft_dump},
	{"recv", "store the recordings that record --host sends", uft_recv},
	{"info", "print what the recording says about itself", uft_info},
	{NULL},
};

const struct uft_command *uft_command_find(const char *name)
{
	for (const struct uft_command *c = uft_commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

bool uftrace_command(size_t i, const char **ret_name, const char **ret_summary)
{
	if (i >= ARRAY_LEN(uft_commands) - 1)
		return false;
	*ret_name = uft_commands[i].name;
	*ret_summary = uft_commands[i].summary;
	return true;
}

static int run_command(struct uft_opts *o, int argc, char **argv, int at)
{
	const char *name = o->command ? o->command : "live";
	const struct uft_command *c = uft_command_find(name);

	if (o->show_version) {
		puts("uftrace " UFT_VERSION);
		return 0;
	}
	if (o->show_help || o->show_usage || (!o->command && at >= argc && !o->pid)) {
		uft_opts_print_help(stdout);
		return 0;
	}
	if (!c) {
		uft_fail(o,
			 "sonde does not have the command '%s' of uftrace: 'sonde as uftrace "
			 "graph' and 'report' print the same with the same options",
			 name);
		return 1;
	}
	return c->run(o, argc - at, argv + at);
}

static const char *join_words(struct uft_opts *o, int argc, char **argv)
{
	TEXTBUF(tb, 1u << 20);
	const char *text;

	for (int i = 0; i < argc; i++)
		textbuf_addf(&tb, "%s%s", i ? " " : "", argv[i]);
	text = arena_strndup(&o->arena, textbuf_text(&tb), textbuf_len(&tb));
	return text ? text : "uftrace";
}

int uftrace_run(int argc, char **argv)
{
	struct uft_opts o;
	int status = 0, at;

	argv[0] = (char *)"uftrace";
	uft_opts_init(&o);
	o.cmdline = join_words(&o, argc, argv);
	at = uft_opts_parse(&o, argc, argv, &status);
	if (at >= 0)
		status = run_command(&o, argc, argv, at);
	fflush(stdout);
	uft_opts_release(&o);
	return status;
}
