// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_tui.c - `sonde tui`: shows a trace on a terminal.
 *
 * The terminal is checked before a file is opened, because opening may take long. Signals are
 * caught after that, as in `sonde view`: opening a pipe may block, and must end by Ctrl-C.
 */
#include "base/errmsg.h"
#include "base/options.h"
#include "base/scope.h"
#include "cli/command.h"
#include "cli/view/cutfile.h"
#include "timeline/moment.h"
#include "tui/screen.h"
#include "tui/tui.h"
#include "view/serve/cachedir.h"
#include "view/trace.h"

#include <errno.h>
#include <stdlib.h>

struct tui_options {
	const char *from, *to, *cache_dir;
	bool no_cache;
};

#define AT(member) offsetof(struct tui_options, member)

static const struct option_row rows[] = {
	ROW_STRING(0, "from", "TIME",
		   "begin with the range from this time, as report shows it, or +1.5s after the "
		   "first event",
		   AT(from)),
	ROW_STRING(0, "to", "TIME", "begin with the range up to this time", AT(to)),
	ROW_STRING(0, "cache-dir", "DIR",
		   "keep the index here (default: $XDG_CACHE_HOME/sonde or ~/.cache/sonde)",
		   AT(cache_dir), .complete = "dir"),
	ROW_FLAG(0, "no-cache", "do not keep the index", AT(no_cache)),
	ROW_END,
};

static int find_range(const struct tui_options *o, struct tui_config *c, struct errmsg *err)
{
	const struct timeline *tl = c->stage->tl;
	uint64_t end = timeline_duration(tl);

	c->to = end;
	if (o->from)
		TRY(moment_parse(tl, "--from", o->from, &c->from, err));
	if (o->to)
		TRY(moment_parse(tl, "--to", o->to, &c->to, err));
	c->to = c->to < end ? c->to : end;
	if ((o->from || o->to) && c->from >= c->to)
		return errmsg_set(err, -EINVAL, "nothing of the trace is between --from and --to");
	return 0;
}

static int show(struct viewtrace *vt, const struct tui_options *o, struct errmsg *err)
{
	struct tui_config c = {.stage = vt->stage, .inputs = &vt->inputs};
	SCOPED(scope_free) char *cache = NULL;
	SCOPED(scope_close) int signals = -1;

	TRY(find_range(o, &c, err));
	signals = tui_catch_signals(err);
	TRY(signals);
	c.signals = signals;
	if (!o->no_cache)
		cache = viewcache_dir(NULL, o->cache_dir);
	TRY(stage_start(vt->stage, cache, err));
	TRY(tui_run(&c, err));
	return cutfile_happened()
		       ? errmsg_set(err, -EIO,
				    "the file was truncated while it was being read: its end was "
				    "missing on the screen; if it is complete now, start sonde "
				    "tui again")
		       : 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	static const char *const first[] = {"trace.dat"};
	struct tui_options o = {0};
	struct viewtrace vt = {0};
	int n = command_parse(cmd, &o, argc, argv, err), r;

	TRY(n);
	if (o.no_cache && o.cache_dir)
		return errmsg_set(err, -EINVAL, "--no-cache and --cache-dir exclude each other");
	TRY(screen_check(err));
	cutfile_survive();
	r = viewtrace_open(&vt, n ? (const char *const *)argv + 1 : first, n ? n : 1,
			   VIEWTRACE_VIEW, err);
	if (r >= 0)
		r = show(&vt, &o, err);
	viewtrace_close(&vt);
	return r;
}

const struct command cmd_tui = {
	.name = "tui",
	.summary = "show a trace on a terminal",
	.usage = "[options] [FILE…]",
	.options = rows,
	.args = "file",
	.run = run,
};
