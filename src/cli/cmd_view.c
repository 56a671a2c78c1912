// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_view.c - `sonde view`: serves a trace to a browser on this machine until Ctrl-C.
 *
 * view/serve/serving.h is the server, cli/view/viewing.h waits for signals and new data; this file
 * has the options, and what is printed.
 *
 * With --live the file grows: our own recording (growing.c) or that of another process. It is
 * checked for new data a few times a second. A single file that is being recorded is followed even
 * without --live, because its data moves when the recorder finishes it.
 *
 * The address goes to standard output, when requests are answered; everything else to standard
 * error.
 */
#include "base/scope.h"
#include "capture/plan.h"
#include "cli/command.h"
#include "cli/screen/notes.h"
#include "cli/record/recordrun.h"
#include "cli/view/viewing.h"
#include "live/growing.h"
#include "view/serve/serving.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

struct view_options {
	struct live_request record; /* must be the first member, for recordopts.h; used by --live */
	long long port;
	const char *token, *token_file, *cache_dir;
	bool no_browser, no_cache, beside, no_sandbox, live, align;
};

#define AT(member) offsetof(struct view_options, member)

static const struct option_row rows[] = {
	ROW_NUMBER(0, "port", "N", "listen on this port of 127.0.0.1 (default: any free port)",
		   AT(port)),
	ROW_FLAG(0, "no-browser", "print the address, but do not start a browser", AT(no_browser)),
	ROW_STRING(0, "token", "HEX",
		   "use this token (32 hex digits) instead of a random one; ps shows it to other "
		   "users for a moment",
		   AT(token)),
	ROW_STRING(0, "token-file", "FILE",
		   "read the token from the first line of a file that only you can read",
		   AT(token_file), .complete = "file"),
	ROW_FLAG(0, "live",
		 "follow FILE while it is being recorded; without FILE, record with the options "
		 "below",
		 AT(live)),
	ROW_FLAG(0, "align",
		 "compare the FILEs: all begin at the same time, and each has lanes of its own",
		 AT(align)),
	ROW_FLAG(0, "no-sandbox",
		 "run without a sandbox: for kernels that have none, and for debugging",
		 AT(no_sandbox)),
	ROW_HEADING("the index"),
	ROW_STRING(0, "cache-dir", "DIR",
		   "keep the index here (default: $XDG_CACHE_HOME/sonde or ~/.cache/sonde)",
		   AT(cache_dir), .complete = "dir"),
	ROW_FLAG(0, "beside", "keep the index next to the first FILE", AT(beside)),
	ROW_FLAG(0, "no-cache", "do not keep the index", AT(no_cache)),
	RECORDOPTS_EVENTS,
	RECORDOPTS_FUNCTIONS,
	RECORDOPTS_FILE,
	RECORDOPTS_KERNEL,
	RECORDOPTS_RECORDER,
	ROW_END,
};

/* --- recording and viewing -------------------------------------------------------------------- */

#define LIVE_MMAP_BYTES (512 << 10)
#define LIVE_ARENAS	4

static void print_address(void *ctx, const char *address)
{
	printf("%s\n", address);
	fflush(stdout);
}

/* Runs in the recorder's process. */
static int record(struct live_request *o, char **argv)
{
	struct errmsg err = {0};
	int r = record_run(o, argv, &err);

	if (r < 0)
		fprintf(stderr, "sonde: %s\n", err.code ? err.text : strerror(-r));
	fflush(NULL);
	return r < 0; /* the exit status of a command (-u) is not ours */
}

/*
 * Runs a live view. Only the recorder keeps our privileges; for the server its file is a growing
 * file.
 */
/* Records, or follows the file *path, until it is ready to be shown. */
static int prepare_live(struct viewing *v, struct view_options *o, bool records, char **argv,
			const char **path, struct errmsg *err)
{
	if (records)
		TRY(growing_record(&v->live, &o->record, argv, record, err));
	TRY(viewing_prepare(v, err));
	if (records) {
		TRY(growing_wait(&v->live, err));
	} else {
		TRY(serving_check_readable(&v->serving, err));
		TRY(growing_follow(&v->live, *path, err));
	}
	*path = v->live.path;
	return 0;
}

static int view_live(struct viewing *v, struct view_options *o, int n, char **argv,
		     struct errmsg *err)
{
	const char *path;
	bool records = plan_does_something(&o->record.plan) || o->record.has_user || !n;
	int r, status;

	if (!records && n != 1)
		return errmsg_set(err, -EINVAL, "--live follows one file, or records (-e …)");
	/* large blocks that are allocated repeatedly return to the system, not to the heap */
	mallopt(M_MMAP_THRESHOLD, LIVE_MMAP_BYTES);
	mallopt(M_ARENA_MAX, LIVE_ARENAS);
	if (records) {
		argv[n + 1] = NULL;
		if (recordopts_check(&o->record, n > 0, err) < 0 ||
		    (!plan_does_something(&o->record.plan) && !o->record.has_user &&
		     live_request_add_defaults(&o->record, err) < 0))
			return errmsg_code(err);
	}
	path = argv[1];
	v->serving.paths = &path;
	v->serving.n = 1;
	r = prepare_live(v, o, records, n ? argv + 1 : NULL, &path, err);
	if (r >= 0)
		r = viewing_run(v, err);
	status = viewing_close(v);
	return r == -ECANCELED || (r >= 0 && status) ? status : r;
}

/* Makes the checks that need only the options. */
static int check_options(const struct view_options *o, struct errmsg *err)
{
	if (o->port < 0 || o->port > 65535)
		return errmsg_set(err, -EINVAL, "--port is a number up to 65535");
	if (o->no_cache + o->beside + !!o->cache_dir > 1)
		return errmsg_set(err, -EINVAL,
				  "--no-cache, --cache-dir and --beside exclude each other");
	if (o->live && o->align)
		return errmsg_set(err, -EINVAL,
				  "--align compares files; it does not go with --live");
	if (!o->live &&
	    (plan_does_something(&o->record.plan) || o->record.has_user || o->record.output))
		return errmsg_set(err, -EINVAL, "options of a recording go with --live");
	return 0;
}

/* Parses the options. With --live, our options end where the command begins, which has its own. */
static int parse(const struct command *cmd, struct view_options *o, int argc, char **argv,
		 struct errmsg *err)
{
	struct command stopping = *cmd;

	TRY(recordopts_join_user(&argc, argv, err));
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--live"))
			stopping.parse_flags = OPTIONS_STOP_AT_ARGUMENT;
	return command_parse(&stopping, o, argc, argv, err);
}

/* Views files. A single growing file is followed as with --live. */
static int view_files(struct viewing *v, struct errmsg *err)
{
	struct serving *s = &v->serving;
	bool is_growing;
	int r;

	if (viewing_prepare(v, err) < 0 || serving_check_readable(s, err) < 0)
		return errmsg_code(err);
	is_growing = serving_await_recorders(s);
	if (s->n > 1 || !is_growing)
		return viewing_run(v, err);
	fprintf(stderr, "sonde: %s is being recorded: following it, as with --live\n", s->paths[0]);
	serving_drop_cache(s);
	r = growing_follow(&v->live, s->paths[0], err);
	return r < 0 ? r : viewing_run(v, err);
}

static struct serving_config make_config(const struct view_options *o, struct viewing *v)
{
	return (struct serving_config){.port = o->port,
				       .token = v->token,
				       .cache_dir = o->cache_dir,
				       .beside = o->beside,
				       .no_cache = o->no_cache || o->live,
				       .no_browser = o->no_browser,
				       .no_sandbox = o->no_sandbox,
				       .align = o->align,
				       .note = notes_print,
				       .opened = viewing_opened,
				       .answers = print_address,
				       .wait = viewing_wait,
				       .ctx = v};
}

static void release(struct view_options *o)
{
	live_request_release(&o->record);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	static const char *const first[] = {"trace.dat"};
	SCOPED(release) struct view_options o = {0};
	struct viewing v = VIEWING_NONE;
	int n, r;

	TRY(recordopts_init(&o.record));
	n = parse(cmd, &o, argc, argv, err);
	TRY(n);
	TRY(check_options(&o, err));
	TRY(token_take((char *)o.token, o.token_file, v.token, err));
	v.config = make_config(&o, &v);
	v.serving.config = &v.config;
	v.serving.paths = n > 0 && !o.live ? (const char *const *)argv + 1 : first;
	v.serving.n = n > 0 && !o.live ? n : 1;
	if (o.live)
		return view_live(&v, &o, n, argv, err);
	r = view_files(&v, err);
	viewing_close(&v);
	return r;
}

const struct command cmd_view = {
	.name = "view",
	.summary = "show a trace in a browser",
	.usage = "[options] [FILE… | --live [FILE | COMMAND [ARGUMENT…]]]",
	.options = rows,
	.args = "file",
	.run = run,
};
