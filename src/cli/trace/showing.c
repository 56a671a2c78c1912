// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * showing.c - where the system calls of `sonde trace` come from, and where they go.
 *
 *	live     liverun ── calltrace ──▶ lines
 *	-o .dat  record_to_file
 *	FILE     callrun ──▶ lines
 *
 * With a command the lines go to standard error, as strace's do: standard output is the command's.
 */
#include "cli/trace/showing.h"

#include "analyse/callsummary.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/record/recording.h"
#include "cli/record/recordopts.h"
#include "cli/screen/notes.h"
#include "cli/screen/outcome.h"
#include "cli/screen/output.h"
#include "cli/trace/traceopts.h"
#include "inputs/inputs.h"
#include "live/calls/calltrace.h"
#include "live/calls/livecalls.h"
#include "live/record.h"
#include "present/syscalls/callrun.h"
#include "present/syscalls/callstable.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define SUMMARY_MAX_BYTES (4u << 20)

/* --- output ----------------------------------------------------------------------------------- */

struct place {
	struct output out;
	int fd; /* of -o; -1: a standard one */
};

/* Standard output belongs to the command, if there is one, as under strace. */
static int open_place(struct place *p, const struct traceopts *o, bool has_command,
		      struct errmsg *err)
{
	p->fd = -1;
	if (!o->output && has_command && !o->input) {
		output_open_fd(&p->out, STDERR_FILENO);
		return 0;
	}
	if (!o->output || !strcmp(o->output, "-"))
		return output_open(&p->out, "never", !o->input, err);
	p->fd = open(o->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (p->fd < 0)
		return errmsg_set_errno(err, -errno, "cannot write %s", o->output);
	output_open_fd(&p->out, p->fd);
	return 0;
}

static void close_place(struct place *p)
{
	output_close(&p->out);
	if (p->fd >= 0)
		close(p->fd);
}

static int write_out(void *ctx, const char *text, size_t len)
{
	return output_write(ctx, text, len);
}

static int print_summary(const struct traceopts *o, struct place *p)
{
	TEXTBUF(text, SUMMARY_MAX_BYTES);

	if (!o->lines.summary)
		return 0;
	if (o->lines.json)
		callstable_fmt_json(o->lines.summary, o->sort, &text);
	else
		callstable_fmt(o->lines.summary, o->sort, &text);
	return output_write(&p->out, text.start, textbuf_len(&text));
}

/* --- three ways ------------------------------------------------------------------------------- */

static int show_file(struct traceopts *o, struct place *p, struct errmsg *err)
{
	struct inputs_path path = {.path = o->input};
	struct inputs_spec spec = {.paths = &path, .n_paths = 1};
	struct inputs in = {0};
	bool damaged;
	int r = inputs_open(&in, &spec, err);

	if (r >= 0)
		r = callrun(&in, &o->lines, write_out, &p->out, err);
	damaged = notes_print_damage(&in, o->record.quiet);
	inputs_close(&in);
	return r < 0 ? r : damaged;
}

/* Without BPF: what the kernel's events have, said once. */
static int do_without(struct traceopts *o, const char *why, bool has_command, struct errmsg *err)
{
	TEXTBUF(text, 2048);

	textbuf_addf(&text,
		     "%s; strings and structures are shown as addresses, from the events "
		     "raw_syscalls",
		     why);
	if (!o->record.quiet)
		o->record.front->tell(textbuf_text(&text));
	return livecalls_do_without(&o->record, has_command, err);
}

/* Opens the run, with the kernel's events if the programs cannot be loaded. */
static int open_run(struct traceopts *o, struct liverun *run, char **argv, struct errmsg *err)
{
	struct errmsg why = {0}, ignored = {0};
	int r;

	if (o->no_bpf) {
		TRY(do_without(o, "BPF programs are not used (--no-bpf)", argv, err));
		return liverun_open(run, &o->record, argv, err);
	}
	r = liverun_open(run, &o->record, argv, &why);
	if (r >= 0)
		return 0;
	/* all but the programs works as it does with other commands */
	if (run->has_session || geteuid() || o->cgroup || o->cpu_list || why.code == -EINVAL)
		return errmsg_set(err, why.code, "%s", why.text);
	liverun_close(run, &ignored);
	*run = (struct liverun){0};
	TRY(do_without(o, why.text, argv, err));
	return liverun_open(run, &o->record, argv, err);
}

static int run_live(struct traceopts *o, struct liverun *run, struct place *p, char **argv,
		    struct errmsg *err)
{
	SCOPED(calltrace_free_scoped) struct calltrace *t = NULL;

	TRY(open_run(o, run, argv, err));
	TRY(calltrace_new(&t, run, &o->lines, p->out.fd, err));
	return calltrace_follow(t, err);
}

static int show_live(struct traceopts *o, struct place *p, char **argv, struct errmsg *err)
{
	struct liverun run = {0};
	struct errmsg ignored = {0};
	int r = run_live(o, &run, p, argv, err);
	int r2 = liverun_close(&run, r == -EPIPE ? &ignored : err);

	if (r < 0 || r2 < 0)
		return r < 0 ? r : r2;
	return argv ? recordopts_exit_status(run.s.child_status) : 0;
}

static int record(struct traceopts *o, char **argv, struct errmsg *err)
{
	struct recording_config config;
	struct record_outcome outcome;
	struct record_watch watch = {0};
	int r = live_request_get_config(&o->record, o->output, &config, err);

	if (r >= 0)
		r = record_to_file(&o->record, &config, argv, &watch, &outcome, err);
	if (r >= 0 && !o->record.quiet)
		outcome_show(&o->record, &outcome);
	return r < 0 ? r : argv ? recordopts_exit_status(outcome.command_status) : 0;
}

int trace_show(struct traceopts *o, char **argv, struct errmsg *err)
{
	struct place p;
	int r;

	if (traceopts_records(o) && !o->input)
		return record(o, argv, err);
	if ((o->counts || o->counts_too) && !(o->lines.summary = callsummary_new()))
		return errmsg_set_errno(err, -ENOMEM, "cannot count");
	TRY(open_place(&p, o, argv, err));
	r = o->input ? show_file(o, &p, err) : show_live(o, &p, argv, err);
	if (r >= 0 && print_summary(o, &p) < 0 && !output_is_closed(&p.out))
		r = errmsg_set_errno(err, -EIO, "cannot write the summary");
	close_place(&p);
	return r == -EPIPE ? 0 : r;
}
