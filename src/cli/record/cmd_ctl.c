// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_ctl.c - `sonde ctl ORDER …`: talks to a recording that runs.
 *
 *	sonde ctl status
 *	sonde ctl off 'list_*'
 *
 * Which recording: the only one of this user, or the one that -p names: by the pid of its sonde, or
 * of a process that descends from it, such as its command. The orders and their answers are the
 * recorder's (live/orders.c).
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/record/control.h"
#include "cli/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANCESTORS_MAX 64

struct ctl_options {
	long long pid;
};

static const struct option_row rows[] = {
	ROW_NUMBER('p', "pid", "PID",
		   "the recording with this pid, or the one whose command has it; needed if there "
		   "are several",
		   offsetof(struct ctl_options, pid)),
	ROW_END,
};

/* 0: it has none, or is gone. */
static long long parent_of(long long pid)
{
	SCOPED(fclose_scoped) FILE *f = NULL;
	char path[64], text[512], *end;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%lld/stat", pid);
	f = fopen(path, "re");
	n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	text[n] = 0;
	end = strrchr(text, ')'); /* "12 (a (b) c) S 1 …" */
	return end && strlen(end) > 4 ? strtoll(end + 4, NULL, 10) : 0;
}

static bool is_meant(const struct control_peer *peer, long long pid)
{
	for (int i = 0; pid > 1 && i < ANCESTORS_MAX; i++, pid = parent_of(pid))
		if (peer->pid == pid)
			return true;
	return false;
}

static int refuse_many(const struct control_peer *list, int n, struct errmsg *err)
{
	TEXTBUF(pids, 4096);

	for (int i = 0; i < n; i++)
		textbuf_addf(&pids, "%s%d", i ? ", " : "", (int)list[i].pid);
	return errmsg_set(err, -EINVAL, "there are %d recordings; choose one with -p: %s", n,
			  textbuf_text(&pids));
}

static int find_peer(const struct ctl_options *o, struct control_peer *ret, struct errmsg *err)
{
	SCOPED(scope_free) struct control_peer *list = NULL;
	int n = control_list(&list, err);

	if (n < 0)
		return n;
	for (int i = 0; i < n && o->pid; i++)
		if (is_meant(&list[i], o->pid)) {
			*ret = list[i];
			return 0;
		}
	if (o->pid)
		return errmsg_set(err, -ESRCH, "process %lld is not a recording of yours", o->pid);
	if (!n)
		return errmsg_set(err, -ESRCH,
				  "no recording of yours is running; 'sonde record' starts one");
	if (n > 1)
		return refuse_many(list, n, err);
	*ret = list[0];
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct ctl_options o = {0};
	struct control_peer peer;
	int n = command_parse(cmd, &o, argc, argv, err);
	TEXTBUF(out, CONTROL_ANSWER_MAX_BYTES);

	if (n < 0)
		return n;
	if (!n)
		return errmsg_set(err, -EINVAL,
				  "ctl: what shall the recording do? status, functions, on, off, "
				  "mark or stop");
	TRY(find_peer(&o, &peer, err));
	TRY(control_ask(&peer, argv + 1, n, &out, err));
	fwrite(textbuf_text(&out), 1, textbuf_len(&out), stdout);
	return 0;
}

const struct command cmd_ctl = {
	.name = "ctl",
	.summary = "control a recording while it runs",
	.usage = "[-p PID] status|functions|on|off|mark|stop [WORD…]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run,
};
