// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gather.c - decides where the records of a job come from, and prints its result.
 *
 *	gather_file.c    a trace file
 *	in_kernel        the running machine, if the kernel can count by itself
 *	gather_live.c    the running machine, every event
 *
 * A word that is no option is the command to trace, unless it is a trace file that cannot be run: then that
 * is read.
 */
#include "cli/gather_int.h"

#include "cli/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int gather_print_result(const struct gather_job *job, struct gather_options *o, bool in_time,
			struct errmsg *err)
{
	struct textbuf tb;
	int r;

	textbuf_init(&tb, TEXT_MAX_BYTES);
	r = job->fmt(job->ctx, in_time, gather_is_colour(o), &tb, err);
	if (r >= 0)
		r = gather_print(o, &tb, err);
	textbuf_release(&tb);
	return r;
}

/* "sonde_12/vfs_read", which is probe:vfs_read in the trace. */
static int name_event(struct plan_words *names, struct setup *setup, const struct plan_event *e,
		      struct errmsg *err)
{
	const char *pattern = setup_event(setup, e)->pattern, *rest = strpbrk(pattern, ":/");
	char *name = NULL, system[TRACEFS_NAME_MAX];
	int r;

	if (!rest)
		return gather_keep_word(names, pattern, err);
	snprintf(system, sizeof(system), "%.*s", (int)(rest - pattern), pattern);
	if (asprintf(&name, "%s:%s", setup_name_of_system(setup, system),
		     setup_name_of_event(setup, system, rest + 1)) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the names of events");
	r = gather_keep_word(names, name, err);
	free(name);
	return r;
}

int gather_name_events(const struct gather_options *o, struct setup *setup,
		       struct plan_words *names, struct errmsg *err)
{
	const struct plan_buffer *b = &o->record.plan.buffers[0];
	int r = 0;

	/* a pattern of a program has become several events in the plan */
	for (size_t i = 0; setup && i < b->n_events && r >= 0; i++)
		r = name_event(names, setup, &b->events[i], err);
	for (size_t i = 0; !setup && i < o->events.n && i < b->n_events && r >= 0; i++)
		r = gather_keep_word(names, o->events.words[i], err);
	return r;
}

/* --- both -------------------------------------------------------------------------------------- */

static bool is_trace_file(const char *path)
{
	static const char magic[] = "\x17\x08\x44tracing";
	char head[sizeof(magic) - 1];
	int fd = access(path, X_OK) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	bool is = fd >= 0 && TEMP_FAILURE_RETRY(read(fd, head, sizeof(head))) == sizeof(head) &&
		  !memcmp(head, magic, sizeof(head));

	if (fd >= 0)
		close(fd);
	return is;
}

int gather_parse(const struct command *cmd, struct gather_options *o, int argc, char **argv,
		 struct errmsg *err)
{
	int n = recordopts_init(&o->record);

	if (n < 0)
		return n;
	n = command_parse(cmd, o, argc, argv, err);
	if (n < 1 || o->input || !is_trace_file(argv[1]))
		return n;
	o->input = argv[1];
	return n > 1 ? command_parse(cmd, o, n, argv + 1, err) : 0;
}

int gather_run(const struct gather_job *job, struct gather_options *o, int n, char **argv,
	       struct errmsg *err)
{
	int r;

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
	r = recordopts_check(&o->record, n > 0, err);
	if (r >= 0 && !plan_does_something(&o->record.plan))
		r = errmsg_set(err, -EINVAL, "%s", job->needs);
	if (r < 0)
		return r;
	argv[n + 1] = NULL; /* behind the words that were moved to the front */
	r = job->in_kernel ? job->in_kernel(job->ctx, n > 0 ? argv + 1 : NULL, err) : 0;
	if (r)
		return r < 0 ? r : 0;
	return gather_live(job, o, n > 0 ? argv + 1 : NULL, err);
}
