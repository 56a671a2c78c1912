// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * strace.c - `sonde as strace`: strace's command line on top of `sonde trace`.
 *
 *	options.c ──▶ traceopts ──▶ liverun, calltrace ──▶ standard error, or -o FILE
 *
 * The lines are the same that `sonde trace` prints. -c prints strace's table. -ff keeps the lines
 * in memory and divides them at the end (separate.c). The exit status is the command's; 1 for
 * mistakes.
 */
#include "analyse/callsummary.h"
#include "cli/as/strace/strace_int.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/syscalls/systrace.h"
#include "cli/as/personality.h"
#include "cli/record/recordopts.h"
#include "live/calls/calltrace.h"
#include "present/syscalls/stracetable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUMMARY_MAX_BYTES (4u << 20)
#define KEPT_MAX_BYTES	  (1u << 30)

bool strace_command(size_t i, const char **ret_name, const char **ret_summary)
{
	if (i)
		return false;
	*ret_name = "[options]";
	*ret_summary = "trace system calls and signals of PROG or of -p PID";
	return true;
}

/* strace looks for the program before it starts anything. */
static int check_program(const char *name, struct errmsg *err)
{
	const char *path = getenv("PATH");
	struct stat st;

	if (strchr(name, '/')) {
		if (stat(name, &st) < 0)
			return errmsg_set(err, -errno, "Can't stat '%s': %s", name,
					  strerror(errno));
		return 0;
	}
	for (const char *p = path ? path : ""; *p;) {
		size_t n = strcspn(p, ":");
		char file[4096];

		snprintf(file, sizeof(file), "%.*s/%s", (int)n, p, name);
		if (!stat(file, &st) && S_ISREG(st.st_mode) && st.st_mode & 0111)
			return 0;
		p += n + (p[n] == ':');
	}
	return errmsg_set(err, -ENOENT, "Can't stat '%s': No such file or directory", name);
}

/* -o '|COMMAND' and '!COMMAND' */
static bool is_command(const char *output)
{
	return output && (*output == '|' || *output == '!');
}

static int check(struct strace *s, bool has_command, struct errmsg *err)
{
	const struct plan_words *pids = &s->o.record.plan.buffers[0].pids;

	if (!has_command && !pids->n)
		return errmsg_set(err, -EINVAL,
				  "must have PROG [ARGS] or -p PID\nTry 'strace -h' for more "
				  "information.");
	if (s->separately && s->o.counts)
		return errmsg_set(err, -EINVAL,
				  "(-c/--summary-only or -C/--summary) and "
				  "-ff/--output-separately are mutually exclusive");
	if (s->separately && is_command(s->output))
		return errmsg_set(err, -EINVAL,
				  "piping the output and -ff/--output-separately are mutually "
				  "exclusive");
	if (s->separately && !s->output)
		s->separately = false;
	for (size_t i = 0; i < pids->n; i++) {
		char proc[64];

		snprintf(proc, sizeof(proc), "/proc/%s", pids->words[i]);
		if (access(proc, F_OK) < 0)
			return errmsg_set(err, -ESRCH,
					  "attach: ptrace(PTRACE_SEIZE, %s): No such process",
					  pids->words[i]);
	}
	/* a process is traced with its threads; strace -p does so with -f only */
	s->o.no_children = !s->follow;
	s->o.programs.command_too = true;
	s->o.lines.pids = !s->follow  ? CALLLINES_NO_PIDS
			  : s->output ? CALLLINES_PIDS_ALL
				      : CALLLINES_PIDS_AUTO;
	s->o.lines.tells_threads = s->follow && !s->output && has_command && !s->quiet;
	s->o.record.quiet = true;
	return traceopts_check(&s->o, has_command, err);
}

static int open_output(struct strace *s, struct errmsg *err)
{
	int fd;

	if (s->separately) {
		fd = memfd_create("strace", MFD_CLOEXEC);
	} else if (is_command(s->output)) {
		s->reader = popen(s->output + 1, "we");
		fd = s->reader ? fcntl(fileno(s->reader), F_DUPFD_CLOEXEC, 3) : -1;
	} else if (s->output) {
		fd = open(s->output,
			  O_WRONLY | O_CREAT | O_CLOEXEC | (s->append ? O_APPEND : O_TRUNC), 0666);
	} else {
		fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	}
	if (fd < 0)
		return errmsg_set(err, -errno, "Can't fopen '%s': %s",
				  s->output ? s->output : "standard error", strerror(errno));
	return fd;
}

static int finish(struct strace *s, int fd, struct errmsg *err)
{
	TEXTBUF(text, KEPT_MAX_BYTES);

	if (s->separately) {
		if (lseek(fd, 0, SEEK_SET) < 0)
			return errmsg_set_errno(err, -errno, "cannot read the lines again");
		TRY(textbuf_add_file(&text, fd));
		return strace_separate(text.start, textbuf_len(&text), s->output, err);
	}
	if (!s->o.lines.summary)
		return 0;
	stracetable_fmt(s->o.lines.summary, s->o.sort, &s->columns, &text);
	if (write(fd, text.start, textbuf_len(&text)) != (ssize_t)textbuf_len(&text))
		return errmsg_set_errno(err, -EIO, "cannot write the summary");
	return 0;
}

static int follow(struct strace *s, struct liverun *run, int fd, char **argv, struct errmsg *err)
{
	SCOPED(calltrace_free_scoped) struct calltrace *t = NULL;
	const struct plan_words *pids = &s->o.record.plan.buffers[0].pids;

	TRY(liverun_open(run, &s->o.record, argv, err));
	TRY(calltrace_new(&t, run, &s->o.lines, fd, err));
	for (size_t i = 0; i < pids->n && !s->quiet; i++)
		fprintf(stderr, "strace: Process %s attached\n", pids->words[i]);
	return calltrace_follow(t, err);
}

static int trace(struct strace *s, char **argv, struct errmsg *err)
{
	struct liverun run = {0};
	struct errmsg ignored = {0};
	int fd, r, r2;

	if ((s->o.counts || s->o.counts_too) && !(s->o.lines.summary = callsummary_new()))
		return errmsg_set_errno(err, -ENOMEM, "cannot count");
	fd = open_output(s, err);
	TRY(fd);
	r = follow(s, &run, fd, argv, err);
	r2 = liverun_close(&run, r < 0 ? &ignored : err);
	if (r >= 0)
		r = r2;
	if (r >= 0)
		r = finish(s, fd, err);
	close(fd);
	if (s->reader)
		pclose(s->reader);
	return r < 0 ? r : argv ? recordopts_exit_status(run.s.child_status) : 0;
}

static int run(struct strace *s, int argc, char **argv, struct errmsg *err)
{
	bool has_command;
	int r = strace_parse(s, argc, argv, err);

	if (r)
		return r == STRACE_DONE ? 0 : r;
	has_command = s->first_arg < argc;
	TRY(check(s, has_command, err));
	if (has_command)
		TRY(check_program(argv[s->first_arg], err));
	return trace(s, has_command ? argv + s->first_arg : NULL, err);
}

int strace_run(int argc, char **argv)
{
	struct strace s = {
		.o = {.string_max = SYSTRACE_STRING_MAX, .ring_kb = SYSTRACE_RING_BYTES / 1024}};
	struct errmsg err = {0};
	int r = recordopts_init(&s.o.record);

	if (r >= 0)
		r = run(&s, argc, argv, &err);
	callsummary_free(s.o.lines.summary);
	live_request_release(&s.o.record);
	fflush(stdout);
	if (r < 0 && r != -EPIPE)
		fprintf(stderr, "strace: %s\n", err.text);
	return r < 0 ? r != -EPIPE : r;
}
