// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_agent.c - `sonde agent`: records this machine when another one asks for it.
 *
 * The protocol is in wire/guest/agent.h, the recording in live/remote/agentjob.h. Here is what a host may ask
 * for: options of record, but only those in the table `asked`. No command is run, no file is written,
 * whoever asks.
 */
#include "base/options.h"
#include "capture/plan.h"
#include "cli/command.h"
#include "cli/record/recordopts.h"
#include "cli/record/service.h"
#include "live/remote/agentjob.h"
#include "wire/netkey.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PORT_DEFAULT "823"
#define ARGS_MAX     1026
#define MEMORY_SHARE 8 /* of which one is for the buffers that a host asks for */

struct agent_options {
	struct service_options s;
	const char *client, *proxy;
	bool no_timeout;
};

static int apply_verbose(void *opts, const char *value, struct errmsg *err)
{
	return 0; /* it says what there is to say anyway */
}

static const struct option_row rows[] = {
	{OPTION_STRING, 'p', "port", "PORT", "listen on this port (default: " PORT_DEFAULT ")",
	 offsetof(struct agent_options, s.port)},
	{OPTION_STRING, 'N', "network", "CLIENT",
	 "use TCP instead of vsock, and accept only this host",
	 offsetof(struct agent_options, client)},
	{OPTION_STRING, 0, "bind", "ADDR", "with -N: listen on this address of the machine",
	 offsetof(struct agent_options, s.bind)},
	{OPTION_FLAG, 0, "public", NULL,
	 "with -N: listen on all addresses (default: on loopback only)",
	 offsetof(struct agent_options, s.public)},
	{OPTION_STRING, 0, "key", "FILE",
	 "accept only peers with the same key; trace-cmd cannot connect then",
	 offsetof(struct agent_options, s.key), .complete = "file"},
	{OPTION_FLAG, 'D', "daemon", NULL, "run in the background",
	 offsetof(struct agent_options, s.daemon)},
	{OPTION_FLAG, 0, "once", NULL, "exit after the first recording",
	 offsetof(struct agent_options, s.once)},
	{OPTION_CALL, 0, "verbose", "LEVEL", "accepted, without effect", .apply = apply_verbose,
	 .arg_optional = true, .hidden = true},
	{OPTION_FLAG, 0, "notimeout", NULL, "accepted, without effect",
	 offsetof(struct agent_options, no_timeout), .hidden = true},
	{OPTION_STRING, 'P', "proxy", "CID",
	 "refused: a guest that shall record its host uses record -A NAME@2",
	 offsetof(struct agent_options, proxy), .hidden = true},
	{OPTION_FLAG, 0, "debug", NULL, "serve one host at a time, in one process",
	 offsetof(struct agent_options, s.debug)},
	{OPTION_END},
};

/* --- recording for a host ---------------------------------------------------------------------- */

static int ask_size(void *opts, const char *value, struct errmsg *err);

/*
 * What a host may ask for: what to trace, and nothing that outlives the recording, takes this machine's time or memory
 * without limit, or names its files. Not here, among others: -r and --poll (a CPU for the recorder), --top, -K, -k
 * (other people's settings), --vmlinux, --debug-dir, --source (files), --probe (the kernel's own grammar; -e has probes
 * that are checked, and of the kernel only: plan.is_for_host), -D, --threshold, --cmdlines-size (settings of the whole machine).
 */
static const struct option_row asked[] = {
	{OPTION_CALL, 'e', "event", "EVENT", "", .apply = recordopts_event},
	{OPTION_CALL, 'f', "filter", "FILTER", "", .apply = recordopts_filter},
	{OPTION_CALL, 'R', "trigger", "TRIGGER", "", .apply = recordopts_trigger},
	{OPTION_CALL, 'v', NULL, NULL, "", .apply = recordopts_negate},
	{OPTION_CALL, 'p', "tracer", "TRACER", "", .apply = recordopts_tracer},
	{OPTION_CALL, 'l', NULL, "FUNCTION", "", .apply = recordopts_function},
	{OPTION_CALL, 'n', NULL, "FUNCTION", "", .apply = recordopts_no_function},
	{OPTION_CALL, 'g', NULL, "FUNCTION", "", .apply = recordopts_graph},
	{OPTION_CALL, 0, "graph-notrace", "FUNCTION", "", .apply = recordopts_no_graph},
	{OPTION_CALL, 0, "module", "MODULE", "", .apply = recordopts_module},
	{OPTION_NUMBER, 0, "max-graph-depth", "N", "", RECORDOPTS_AT(plan.graph_depth)},
	{OPTION_FLAG, 'T', NULL, NULL, "", RECORDOPTS_AT(plan.stacks)},
	{OPTION_FLAG, 0, "func-stack", NULL, "", RECORDOPTS_AT(plan.func_stack)},
	{OPTION_CALL, 'P', "pid", "PID", "", .apply = recordopts_pid},
	{OPTION_FLAG, 'c', NULL, NULL, "", RECORDOPTS_AT(plan.children)},
	RECORDOPTS_ROWS_SELF(""),
	{OPTION_FLAG, 'i', NULL, NULL, "", RECORDOPTS_AT(plan.ignore_unknown)},
	{OPTION_CALL, 'M', "cpumask", "MASK", "", .apply = recordopts_cpumask},
	{OPTION_CALL, 'C', "clock", "CLOCK", "", .apply = recordopts_clock},
	{OPTION_CALL, 'O', NULL, "OPTION", "", .apply = recordopts_option},
	{OPTION_CALL, 'b', "buffer-size", "KB", "", .apply = ask_size},
	{OPTION_FLAG, 'd', NULL, NULL, "", RECORDOPTS_AT(plan.functions_off)},
	{OPTION_CALL, 0, "max-rate", "N", "", .apply = recordopts_max_rate},
	{OPTION_END},
};

/* Buffers are the kernel's memory, which nobody gets back before the end: an eighth of all there is. */
static int ask_size(void *opts, const char *value, struct errmsg *err)
{
	long long all_kb = (long long)sysconf(_SC_PHYS_PAGES) * (sysconf(_SC_PAGESIZE) / 1024);
	long long max_kb = all_kb / MEMORY_SHARE / sysconf(_SC_NPROCESSORS_CONF);
	struct live_request *o = opts;
	int r = recordopts_size(o, value, err);

	if (r >= 0 && plan_buffer(&o->plan)->size_kb > max_kb)
		return errmsg_set(err, -EPERM,
				  "-b %s is more than this agent gives: %lld KB for each CPU",
				  value, max_kb);
	return r;
}

/* The words of a host. */
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

/* --- the command ------------------------------------------------------------------------------- */

static void log_line(void *ctx, bool error, const char *text)
{
	char line[1300];

	snprintf(line, sizeof(line), "sonde: %s\n", text);
	fputs(line, stderr);
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

static void service_say(void *ctx, const char *text)
{
	log_line(ctx, false, text);
}

static int serve(const struct agent_options *o, struct waiting *w, struct errmsg *err)
{
	struct service service = {.options = &o->s,
				  .ctx = w,
				  .open = service_open,
				  .address = service_address,
				  .run = service_serve,
				  .close = service_close,
				  .say = service_say,
				  .danger = "whoever can connect can see what this machine does; "
					    "--key FILE asks for a key"};

	return service_run(&service, err);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct agent_options o = {.s = {.port = PORT_DEFAULT}};
	struct waiting w = {0};
	struct netkey key;
	struct agentjob *job;
	int r = command_parse(cmd, &o, argc, argv, err);

	if (r >= 0)
		r = check_options(&o, r, argv, err);
	if (!r && o.s.key)
		r = netkey_open(&key, o.s.key, err);
	if (r < 0)
		return r;
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
	r = job ? serve(&o, &w, err) : errmsg_set_errno(err, -ENOMEM, "cannot wait for hosts");
	agentjob_free(job);
	return r;
}

const struct command cmd_agent = {
	.name = "agent",
	.summary = "let the host record this machine",
	.usage = "[-p PORT] [-N CLIENT] [options]",
	.options = rows,
	.run = run,
};
