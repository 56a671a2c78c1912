// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gather.c - decides which source the records of a job have, and prints its result.
 *
 *	file.c    a trace file
 *	in_kernel        the running machine, if the kernel can count by itself
 *	feed.c       the running machine, every event
 *
 * The first argument is the command to trace, unless it is a trace file; then that file is read.
 */
#include "cli/ask/gather_int.h"

#include "base/scope.h"
#include "capture/record/child.h"
#include "capture/setup/setup.h"
#include "cli/command.h"
#include "decode/formats/formats.h"
#include "live/eventnames.h"
#include "inputs/inputs.h"
#include "inputs/samples/sampleread.h"
#include "live/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the running machine ---------------------------------------------------------------------- */

struct live_gathering {
	const struct gather_job *job;
	struct gather_options *o;
	struct eventfilters filters;
	bool in_time;
};

static int open_live(void *ctx, struct formats *f, struct setup *setup, struct errmsg *err)
{
	struct live_gathering *g = ctx;

	if (eventnames_add(&g->o->names, setup, err) < 0)
		return errmsg_code(err);
	g->o->probe_ns = setup_first_probe_ns(setup);
	if (gather_init_filters(&g->filters, g->o, false, f, err) < 0)
		return errmsg_code(err);
	return g->job->open(g->job->ctx, f, g->filters.list, g->filters.n, err);
}

static const uint8_t *live_events(void *ctx, size_t *ret_n)
{
	const struct gather_job *job = ((struct live_gathering *)ctx)->job;

	return job->events(job->ctx, ret_n);
}

static void add_live(void *ctx, const struct record *rec)
{
	const struct gather_job *job = ((struct live_gathering *)ctx)->job;

	job->add(job->ctx, rec);
}

static int fmt_live(void *ctx, bool colour, struct textbuf *tb, struct errmsg *err)
{
	const struct live_gathering *g = ctx;

	return g->job->fmt(g->job->ctx, g->in_time, colour, tb, err);
}

static int show_live(void *ctx, bool in_time, bool is_last, struct errmsg *err)
{
	struct live_gathering *g = ctx;

	g->in_time = in_time;
	return gather_present(g->o, is_last, fmt_live, g, err);
}

static void close_live(void *ctx)
{
	struct live_gathering *g = ctx;

	g->job->close(g->job->ctx);
	eventfilters_release(&g->filters);
}

int gather_live(const struct gather_job *job, struct gather_options *o, char **argv,
		struct errmsg *err)
{
	struct live_gathering g = {.job = job, .o = o};
	struct feed_job feed = {.request = &o->record,
				.pace = &o->pace,
				.ctx = &g,
				.open = open_live,
				.events = live_events,
				.add = add_live,
				.show = show_live,
				.close = close_live};
	int status = 0, r;

	feed.ret_status = &status;
	r = livefeed_run(&feed, argv, err);
	/* as record does for user functions */
	return r >= 0 && o->record.has_user && argv ? recordopts_exit_status(status) : r;
}

static int init_filters(struct eventfilters *fs, const struct gather_options *o, bool with_plan,
			void (*tell)(const char *), struct formats *f, struct errmsg *err)
{
	struct eventfilters_spec spec = {.words = &o->filters,
					 .condition = o->condition,
					 .event = o->names.n ? o->names.words[0] : NULL,
					 .plan = with_plan ? &o->record.plan.buffers[0] : NULL,
					 .tell = tell};

	return eventfilters_init(fs, &spec, f, err);
}

int gather_init_filters(struct eventfilters *fs, const struct gather_options *o, bool with_plan,
			struct formats *f, struct errmsg *err)
{
	return init_filters(fs, o, with_plan, recordopts_tell, f, err);
}

static void tell_nobody(const char *sentence)
{
}

int gather_copy_filters(struct eventfilters *fs, const struct gather_options *o, struct formats *f)
{
	struct errmsg err = {0};

	return init_filters(fs, o, true, tell_nobody, f, &err);
}

/* --- both ------------------------------------------------------------------------------------- */

static bool ends_in(const char *word, const char *end)
{
	size_t len = strlen(word), n = strlen(end);

	return len > n && !strcmp(word + len - n, end);
}

int gather_check_command(const char *word, struct errmsg *err)
{
	bool is_trace = ends_in(word, ".dat") || ends_in(word, ".data");
	char file[CHILD_FILE_BYTES];
	struct stat st;
	int fd, r = 0;

	if (!access(word, X_OK) || (!is_trace && !child_find(word, file)))
		return 0;
	fd = open(word, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT && !is_trace && (!strchr(word, '.') || strchr(word, '/')))
		return 0;
	if (fd < 0)
		return errmsg_set_errno(err, -errno, "cannot open %s", word);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && !st.st_size)
		r = errmsg_set(err, -EINVAL, "%s is empty", word);
	else if (is_trace)
		r = errmsg_set(err, -EINVAL, "%s is not a trace file", word);
	close(fd);
	return r;
}

/* A file to read, not a command: a trace, or a text of folded stacks that cannot be run. */
static bool is_input(const char *word)
{
	return inputs_is_trace(word) || (access(word, X_OK) < 0 && sampleread_is_folded(word));
}

int gather_parse(const struct command *cmd, struct gather_options *o, int argc, char **argv,
		 struct errmsg *err)
{
	int n = recordopts_init(&o->record);

	TRY(n);
	TRY(recordopts_join_user(&argc, argv, err));
	n = command_parse(cmd, o, argc, argv, err);
	if (n < 1 || o->input)
		return n;
	if (!is_input(argv[1]))
		return gather_check_command(argv[1], err) < 0 ? errmsg_code(err) : n;
	o->input = argv[1];
	return n > 1 ? command_parse(cmd, o, n, argv + 1, err) : 0;
}

int gather_run(const struct gather_job *job, struct gather_options *o, int n, char **argv,
	       struct errmsg *err)
{
	int r = gather_check_user(o, n > 0, err);

	TRY(r);
	if (o->input) {
		if (n > 0)
			return errmsg_set(err, -EINVAL,
					  "'%s' is one word too many: a file is read (-i), no "
					  "command is run",
					  o->input == argv[1] ? argv[2] : argv[1]);
		return gather_file(job, o, err);
	}
	if (o->buffers.n)
		return errmsg_set(err, -EINVAL,
				  "-B chooses a buffer of a file (-i), and there is "
				  "none");
	if (o->record.plan.only_command && n < 1)
		return errmsg_set(err, -EINVAL, "--only-command needs a command to trace");
	if (recordopts_check(&o->record, n > 0, err) < 0)
		return errmsg_code(err);
	if (!plan_does_something(&o->record.plan) && !o->record.has_user)
		return errmsg_set(err, -EINVAL, "%s", job->needs);
	argv[n + 1] = NULL; /* after the words that were moved to the front */
	if (gather_set_pace(o, err) < 0)
		return errmsg_code(err);
	r = job->in_kernel && !o->in_program && !o->record.has_user
		    ? job->in_kernel(job->ctx, n > 0 ? argv + 1 : NULL, err)
		    : 0;
	if (r)
		return r < 0 ? r : 0;
	return gather_live(job, o, n > 0 ? argv + 1 : NULL, err);
}
