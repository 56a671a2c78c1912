// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_agent.c - `sonde agent`: records this machine when another machine requests it.
 *
 * The protocol is in wire/guest/agent.h, the recording in live/remote/agentjob.h. This file defines
 * what a host may request: only the options of record in the table `asked`. It runs no commands and
 * writes no files.
 */
#include "base/options.h"
#include "base/scope.h"
#include "capture/plan.h"
#include "cli/command.h"
#include "cli/record/recordopts.h"
#include "cli/record/service.h"
#include "cli/screen/notes.h"
#include "live/remote/agentjob.h"
#include "wire/netkey.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

SCOPED_POINTER(struct agentjob, agentjob_free)

#define PORT_DEFAULT "823"
#define ARGS_MAX     1026
/* one of this many parts of the memory is for the buffers that a host requests */
#define MEMORY_SHARE 8

struct agent_options {
	struct service_options s;
	const char *client, *proxy;
	bool no_timeout;
};

static int apply_verbose(void *opts, const char *value, struct errmsg *err)
{
	return 0; /* messages are printed anyway */
}

static const struct option_row rows[] = {
	ROW_STRING('p', "port", "PORT", "listen on this port (default: " PORT_DEFAULT ")",
		   offsetof(struct agent_options, s.port)),
	ROW_STRING('N', "network", "CLIENT", "use TCP instead of vsock, and accept only this host",
		   offsetof(struct agent_options, client)),
	ROW_STRING(0, "bind", "ADDR", "with -N: listen on this address of the machine",
		   offsetof(struct agent_options, s.bind)),
	ROW_FLAG(0, "public", "with -N: listen on all addresses (default: on loopback only)",
		 offsetof(struct agent_options, s.public)),
	ROW_STRING(0, "key", "FILE",
		   "accept only peers with the same key; trace-cmd cannot connect then",
		   offsetof(struct agent_options, s.key), .complete = "file"),
	ROW_FLAG('D', "daemon", "run in the background", offsetof(struct agent_options, s.daemon)),
	ROW_FLAG(0, "once", "exit after the first recording",
		 offsetof(struct agent_options, s.once)),
	ROW_CALL(0, "verbose", "LEVEL", "accepted, without effect", apply_verbose,
		 .arg_optional = true, .hidden = true),
	ROW_FLAG(0, "notimeout", "accepted, without effect",
		 offsetof(struct agent_options, no_timeout), .hidden = true),
	ROW_STRING('P', "proxy", "CID",
		   "refused: a guest that shall record its host uses record -A NAME@2",
		   offsetof(struct agent_options, proxy), .hidden = true),
	ROW_FLAG(0, "debug", "serve one host at a time, in one process",
		 offsetof(struct agent_options, s.debug)),
	ROW_END,
};

/* --- recording for a host --------------------------------------------------------------------- */

static int ask_size(void *opts, const char *value, struct errmsg *err);

/*
 * The options that a host may use. They select what to trace. They must not change anything after
 * the recording, take unlimited time or memory of this machine, or name its files. Excluded are,
 * among others: -r and --poll (a CPU for the recorder), --top, -K, -k (other people's settings),
 * --vmlinux, --debug-dir, --source (files), --probe (the kernel's own grammar; -e has probes that
 * are checked, and of the kernel only: plan.is_for_host), -D, --threshold, --cmdlines-size
 * (settings of the whole machine).
 */
static const struct option_row asked[] = {
	ROW_CALL('e', "event", "EVENT", "", recordopts_event),
	ROW_CALL('f', "filter", "FILTER", "", recordopts_filter),
	ROW_CALL('R', "trigger", "TRIGGER", "", recordopts_trigger),
	ROW_CALL('v', NULL, NULL, "", recordopts_negate),
	ROW_CALL('p', "tracer", "TRACER", "", recordopts_tracer),
	ROW_CALL('l', NULL, "FUNCTION", "", recordopts_function),
	ROW_CALL('n', NULL, "FUNCTION", "", recordopts_no_function),
	ROW_CALL('g', NULL, "FUNCTION", "", recordopts_graph),
	ROW_CALL(0, "graph-notrace", "FUNCTION", "", recordopts_no_graph),
	ROW_CALL(0, "module", "MODULE", "", recordopts_module),
	ROW_NUMBER(0, "max-graph-depth", "N", "", RECORDOPTS_AT(plan.graph_depth)),
	ROW_FLAG('T', NULL, "", RECORDOPTS_AT(plan.stacks)),
	ROW_FLAG(0, "func-stack", "", RECORDOPTS_AT(plan.func_stack)),
	ROW_CALL('P', "pid", "PID", "", recordopts_pid),
	ROW_FLAG('c', NULL, "", RECORDOPTS_AT(plan.children)),
	RECORDOPTS_ROWS_SELF(""),
	ROW_FLAG('i', NULL, "", RECORDOPTS_AT(plan.ignore_unknown)),
	ROW_CALL('M', "cpumask", "MASK", "", recordopts_cpumask),
	ROW_CALL('C', "clock", "CLOCK", "", recordopts_clock),
	ROW_CALL('O', NULL, "OPTION", "", recordopts_option),
	ROW_CALL('b', "buffer-size", "KB", "", ask_size),
	ROW_FLAG('d', NULL, "", RECORDOPTS_AT(plan.functions_off)),
	ROW_CALL(0, "max-rate", "N", "", recordopts_max_rate),
	ROW_END,
};

/*
 * Limits the size of buffers to an eighth of the memory, because they take the kernel's memory
 * until the end.
 */
static int ask_size(void *opts, const char *value, struct errmsg *err)
{
	long long all_kb = (long long)sysconf(_SC_PHYS_PAGES) * (sysconf(_SC_PAGESIZE) / 1024);
	long long max_kb = all_kb / MEMORY_SHARE / sysconf(_SC_NPROCESSORS_CONF);
	struct live_request *o = opts;

	if (recordopts_size(o, value, err) < 0)
		return errmsg_code(err);
	if (plan_buffer(&o->plan)->size_kb > max_kb)
		return errmsg_set(err, -EPERM,
				  "-b %s is more than this agent gives: %lld KB for each CPU",
				  value, max_kb);
	return 0;
}

static int parse_words(struct live_request *o, const char *const *args, uint32_t n_args,
		       struct errmsg *err)
{
	char *words[ARGS_MAX];
	struct errmsg why = {0};
	bool help = false;
	int n;

	if (n_args + 2 > ARGS_MAX)
		return errmsg_set(err, -E2BIG, "the host sends too many words");
	words[0] = (char *)"record";
	for (uint32_t i = 0; i < n_args; i++)
		words[i + 1] = (char *)args[i];
	n = options_parse(asked, o, n_args + 1, words, OPTIONS_STOP_AT_ARGUMENT, &help, &why);
	if (n < 0)
		return errmsg_set(err, n, "an agent does not take this from its host: %s",
				  why.text);
	if (n || help)
		return errmsg_set(err, -EPERM, "an agent runs no commands: '%s' is refused",
				  n ? words[1] : "--help");
	if (!plan_does_something(&o->plan))
		return errmsg_set(err, -EINVAL, "the host names no event and no tracer");
	return recordopts_check(o, false, err);
}

/* --- the command ------------------------------------------------------------------------------ */

static void log_line(void *ctx, bool error, const char *text)
{
	notes_print(ctx, text);
}

static int check_options(const struct agent_options *o, int n, char **argv, struct errmsg *err)
{
	if (n)
		return errmsg_set(err, -EINVAL, "agent: '%s' is one word too many", argv[1]);
	if (o->proxy)
		return errmsg_set(
			err, -EINVAL,
			"agent: there are no proxies here: leave out -P, and let the guest "
			"record this machine with 'sonde record -A NAME@2'");
	if (!o->client && (o->s.bind || o->s.public))
		return errmsg_set(err, -EINVAL, "agent: %s is for a network: add -N CLIENT",
				  o->s.bind ? "--bind" : "--public");
	return service_check("agent", &o->s, err);
}

struct waiting {
	struct agent_config config;
	struct agent *agent;
};

static int service_open(void *ctx, int stop_fd, struct errmsg *err)
{
	struct waiting *w = ctx;

	w->config.stop_fd = stop_fd;
	return agent_open(&w->agent, &w->config, err);
}

static bool service_address(void *ctx, int index, struct netaddr *ret)
{
	return agent_address(((struct waiting *)ctx)->agent, index, ret);
}

static int service_serve(void *ctx, struct errmsg *err)
{
	return agent_run(((struct waiting *)ctx)->agent, err);
}

static void service_close(void *ctx)
{
	agent_free(((struct waiting *)ctx)->agent);
}

static int serve(const struct agent_options *o, struct waiting *w, struct errmsg *err)
{
	struct service service = {.options = &o->s,
				  .ctx = w,
				  .open = service_open,
				  .address = service_address,
				  .run = service_serve,
				  .close = service_close,
				  .say = notes_print,
				  .danger = "anyone who can connect can see what this machine "
					    "does; --key FILE requires a key"};

	return service_run(&service, err);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct agent_options o = {.s = {.port = PORT_DEFAULT}};
	struct waiting w = {0};
	struct netkey key;
	SCOPED(agentjob_free_scoped) struct agentjob *job = NULL;
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	if (check_options(&o, n, argv, err) < 0 || (o.s.key && netkey_open(&key, o.s.key, err) < 0))
		return errmsg_code(err);
	job = agentjob_new(
		&(struct agentjob_config){.parse = parse_words, .front = &recordopts_front});
	w.config = (struct agent_config){.vsock = !o.client,
					 .port = o.s.port,
					 .client = o.client,
					 .bind = service_bind(&o.s),
					 .key = o.s.key ? &key : NULL,
					 .once = o.s.once,
					 .serial = o.s.debug,
					 .ops = &agentjob_ops,
					 .ctx = job,
					 .log = log_line};
	return job ? serve(&o, &w, err) : errmsg_set_errno(err, -ENOMEM, "cannot wait for hosts");
}

const struct command cmd_agent = {
	.name = "agent",
	.summary = "let the host record this machine",
	.usage = "[-p PORT] [-N CLIENT] [options]",
	.options = rows,
	.run = run,
};
