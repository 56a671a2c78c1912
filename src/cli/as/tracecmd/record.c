// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record.c - record, extract, stream and profile as in trace-cmd.
 *
 * record keeps a journal, like sonde's own record, and restores all settings at the end; trace-cmd
 * leaves the top level empty. -k keeps the settings of the recording.
 */
#include "base/files/outplace.h"
#include "base/scope.h"
#include "capture/record/recording.h"
#include "cli/as/tracecmd/record_int.h"
#include "cli/command.h"
#include "store/compression.h"
#include "live/remote/network.h"
#include "cli/screen/outcome.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TICK_MS 500

extern const struct command cmd_stream, cmd_report;

/* --- record ----------------------------------------------------------------------------------- */

struct watch {
	struct recording *rec;
	struct errmsg err;
};

static bool tick(void *ctx)
{
	struct watch *w = ctx;

	return recording_flush(w->rec, &w->err) >= 0;
}

/* Prints a line at the start; trace-cmd prints it even with -q. */
static void tell_begin(const struct live_request *o, char **argv)
{
	if (argv)
		return;
	fprintf(o->to_stderr ? stderr : stdout, "Hit Ctrl^C to stop recording\n");
	fflush(stdout);
}

static int run_session(struct session *s, struct recording *rec, const struct live_request *o,
		       struct errmsg *err)
{
	struct watch w = {.rec = rec};
	struct recording_sum sum;
	int r = session_start(s, err);

	if (r < 0) {
		session_stop(s, err);
		recording_free(rec);
		return r;
	}
	tell_begin(o, s->config.argv);
	if (session_wait(s, recording_fd(rec), TICK_MS, tick, &w) == SESSION_TICK)
		*err = w.err;
	session_stop(s, err);
	r = recording_finish(rec, &sum, err);
	return err->code ? err->code : r;
}

/* Records guests like `sonde record -A`, then prints the outcome of each file, guests first. */
static int record_guests(const struct live_request *o, const struct recording_config *rc,
			 char **argv, struct errmsg *err)
{
	struct live_request silent = *o;
	char path[PATH_MAX];
	int r;

	silent.quiet = true;
	tell_begin(o, argv);
	r = guestrecord_run(&silent, rc, o->agents, argv, NULL, err);
	TRY(r);
	for (size_t i = 0; i < o->agents->n; i++)
		if (!guestrecord_fmt_path(&o->agents->guests[i], rc->path, path, sizeof(path)))
			tc_tell_file(path, o, &(struct tc_losses){0}, 0);
	if (plan_does_something(&o->plan))
		tc_tell_file(rc->path, o, &(struct tc_losses){0}, 0);
	return r;
}

static int record_over_network(struct live_request *o, const struct recording_config *rc,
			       char **argv, struct errmsg *err)
{
	struct netrecord_sent sent;
	int r = netrecord_run(o, rc, argv, &sent, err);

	if (r >= 0 && !o->quiet)
		outcome_show_sent(&sent);
	return r;
}

static int record_session(struct session *s, const struct session_config *config,
			  const struct recording_config *rc, const struct live_request *o,
			  struct errmsg *err)
{
	struct recording *rec = NULL;

	TRY(session_open(s, config, err));
	tc_tell_tracers(o);
	tc_tell_notes(s->setup, o);
	TRY(recording_open(&rec, s, rc, err));
	return run_session(s, rec, o, err);
}

static int record(struct live_request *o, char **argv, const char *path, struct errmsg *err)
{
	struct session_config config = {
		.plan = &o->plan,
		.argv = argv,
		.user = o->user,
		.keep = o->keep,
		.all_formats = o->all_formats,
	};
	struct recording_config rc;
	struct tc_losses losses = {0};
	unsigned n_cpus = 0;
	struct session s;
	int r, r2;

	TRY(live_request_get_config(o, path, &rc, err));
	rc.program = TRACECMD_PROGRAM;
	if (o->agents->n)
		return record_guests(o, &rc, argv, err);
	if (o->host || o->vsock)
		return record_over_network(o, &rc, argv, err);
	r = record_session(&s, &config, &rc, o, err);
	if (r >= 0) {
		tc_losses_read(&losses, &s);
		n_cpus = s.n_cpus;
	}
	r2 = session_close(&s, err);
	r = r < 0 ? r : r2;
	if (r >= 0)
		tc_tell_file(path, o, &losses, n_cpus);
	free(losses.rows);
	return r;
}

int tc_run_record(struct tc_line *line, struct errmsg *err)
{
	SCOPED(tc_order_release) struct tc_order order = {0};
	struct live_request *o = &order.o;
	int r;

	TRY(tc_order_init(&order, line, err));
	if (!o->agents->n && !plan_does_something(&o->plan))
		return errmsg_set(err, -ENOENT,
				  "there is no event (-e) and no tracer (-p) to record");
	r = record(o, order.argv, o->output ? o->output : "trace.dat", err);
	return r < 0 ? r : 0;
}

/* --- extract ---------------------------------------------------------------------------------- */

/* Adds an instance; trace-cmd always includes the top level. */
static int add_name(struct name_list *names, const char *name)
{
	return name_list_add(names, name, strlen(name));
}

/* Adds the names of instances. trace-cmd always includes the top level. */
static int add_names(const struct tracefs *t, const struct tc_line *line, struct name_list *names,
		     struct errmsg *err)
{
	SCOPED(name_list_release) struct name_list all = {0};

	if (tc_has(line, 'a', NULL))
		tracefs_instances(t, &all);
	if (add_name(names, "") < 0)
		return -ENOMEM;
	for (size_t i = 0; i < all.n; i++)
		if (add_name(names, all.names[i]) < 0)
			return -ENOMEM;
	for (size_t i = 0; i < line->n_words; i++) {
		const char *name = line->words[i].value;

		if (line->words[i].option->letter == 'B' &&
		    (tracefs_find_instance(t, name, err) < 0 ||
		     (!name_list_find(names, name) && add_name(names, name) < 0)))
			return errmsg_code(err);
	}
	return 0;
}

static const char *long_value(const struct tc_line *line, const char *name)
{
	for (size_t i = line->n_words; i-- > 0;)
		if (line->words[i].option->name && !strcmp(line->words[i].option->name, name))
			return line->words[i].value;
	return NULL;
}

static int extract_session(struct session *s, const struct tc_line *line,
			   const struct name_list *names, const struct recording_config *rc,
			   unsigned *n_cpus, struct errmsg *err)
{
	struct recording_sum sum = {0};

	TRY(session_attach(s, names, false, err));
	*n_cpus = s->n_cpus;
	TRY(recording_extract(s, rc, &sum, err));
	for (size_t i = 0; i < names->n && !tc_has(line, 'k', NULL); i++)
		TRY(tc_switch_off(&s->t, names->names[i], err));
	return 0;
}

static int extract(const struct tc_line *line, const struct name_list *names,
		   const struct recording_config *rc, struct errmsg *err)
{
	struct live_request told = {.quiet = tc_has(line, 'q', NULL),
				    .to_stderr = tc_has(line, 0, "stderr")};
	unsigned n_cpus = 0;
	struct session s;
	int r = extract_session(&s, line, names, rc, &n_cpus, err), r2 = session_close(&s, err);

	TRY(r);
	TRY(r2);
	tc_tell_file(rc->path, &told, &(struct tc_losses){0}, n_cpus);
	return r2;
}

int tc_run_extract(struct tc_line *line, struct errmsg *err)
{
	const char *version = long_value(line, "file-version"),
		   *compression = long_value(line, "compression");
	struct recording_config rc = {
		.path = tc_value(line, 'o') ? tc_value(line, 'o') : "trace.dat",
		.version = version ? atoi(version) : 7,
		.ts_offset = long_value(line, "ts-offset"),
		.date = tc_has(line, 0, "date"),
		.snapshot = tc_has(line, 's', NULL),
		.program = TRACECMD_PROGRAM,
	};
	SCOPED(name_list_release) struct name_list names = {0};
	struct tracefs t;

	if (tracefs_open(&t, err) < 0 ||
	    compression_choose(compression	 ? compression
			       : rc.version == 7 ? "any"
						 : NULL,
			       rc.version, &rc.compression, &rc.plain_data, err) < 0 ||
	    add_names(&t, line, &names, err) < 0 || extract(line, &names, &rc, err) < 0)
		return errmsg_code(err);
	return 0;
}

/* --- stream, profile -------------------------------------------------------------------------- */

int tc_run_stream(struct tc_line *line, struct errmsg *err)
{
	static const char *const more[] = {"--top", "--take-over", "--color=never", NULL};

	return tc_run_command(line, &cmd_stream, more, err);
}

/* Prints the report of the file, to standard output or to the file of -o. */
static int print_profile(const char *path, const struct live_request *o, struct errmsg *err)
{
	char *argv[] = {(char *)"report",
			(char *)"--profile",
			(char *)"--peer-text",
			(char *)"--no-pager",
			(char *)"-i",
			(char *)path,
			o->global_irqs ? (char *)"-G" : NULL,
			NULL,
			NULL};
	int argc = o->global_irqs ? 7 : 6;

	if (o->by_comm)
		argv[argc++] = (char *)"--by-comm";
	if (o->output) {
		int fd = outplace_open_file(o->output, OUTPLACE_WRITE, err);

		TRY(fd);
		fflush(stdout);
		dup2(fd, STDOUT_FILENO);
		close(fd);
	}
	return cmd_report.run(&cmd_report, argc, argv, err);
}

/* Records into a temporary file, and prints the profile from there. */
int tc_run_profile(struct tc_line *line, struct errmsg *err)
{
	SCOPED(tc_order_release) struct tc_order order = {0};
	struct live_request *o = &order.o;
	const char *dir = getenv("TMPDIR");
	char path[1024];
	int fd, r;

	snprintf(path, sizeof(path), "%s/trace-cmd-profile.XXXXXX", dir && *dir ? dir : "/tmp");
	if (tc_order_init(&order, line, err) < 0)
		return errmsg_code(err);
	if (!o->profile) {
		o->profile = true;
		if (recordopts_check(o, order.argv != NULL, err) < 0)
			return errmsg_code(err);
	}
	o->quiet = true;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return errmsg_set(err, -errno, "%s", path);
	close(fd);
	r = record(o, order.argv, path, err);
	r = r < 0 ? r : print_profile(path, o, err);
	outplace_unlink(path);
	return r;
}
