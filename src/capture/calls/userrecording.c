// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userrecording.c - a recording without the kernel: what session.c and recording.c do, but with one
 * source, and with nothing on the machine to change or to restore.
 *
 *	child_start ─▶ signals ─▶ file ─▶ threads ─▶ child_go ─▶ wait ─▶ usertrace_stop ─▶ names
 *
 * The order of processes, signals and threads is session.c's, for the same reasons. The file
 * describes its own pages and events (userevents.h). The top-level buffer is empty.
 */
#include "capture/calls/userrecording.h"

#include "base/clock.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "store/events/userevents.h"
#include "capture/calls/usertrace.h"
#include "capture/perf/sampling.h"
#include "capture/record/child.h"
#include "capture/record/endsignals.h"
#include "capture/record/orphans.h"
#include "capture/record/privileges.h"
#include "format/tracedat.h"
#include "store/live/livefile.h"
#include "store/packedtext.h"
#include "symbols/processes.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS		  500
#define END_MS		  50 /* how often to see whether processes still exist */
#define PATIENCE_MS	  1000
#define CPUS_MAX	  4096u
#define TEXT_MAX_BYTES	  (256u << 20)
#define SYMBOLS_MAX_BYTES (512u << 20)
#define NAMES_MAX_BYTES	  (64u << 20)

struct userrecording {
	struct userrecording_config config;
	struct child child;
	bool has_child;
	struct orphans orphans;
	int status; /* of the command */
	int signal_fd, signal;
	int failure; /* of the recording; the command continues */
	struct livefile *file;
	unsigned n_cpus;
	uint32_t page_size;
	uint64_t start_ns;
	uint64_t names_sum; /* of the names that are in the file */
	size_t n_files;	    /* number of programs and libraries whose symbols are in the file */
	size_t sampled_len; /* bytes of symbols of samples that are in the file */
};

/* The list is "0-63" or "0,2-3". */
unsigned userrecording_count_cpus(void)
{
	FILE *f = fopen("/sys/devices/system/cpu/possible", "re");
	char line[4096] = "";
	long last = sysconf(_SC_NPROCESSORS_CONF) - 1;
	const char *p;

	if (f && fgets(line, sizeof(line), f)) {
		p = line + strcspn(line, "\n");
		while (p > line && p[-1] >= '0' && p[-1] <= '9')
			p--;
		if (*p >= '0' && *p <= '9')
			last = strtol(p, NULL, 10);
	}
	if (f)
		fclose(f);
	return last < 0 ? 1 : last >= (long)CPUS_MAX ? CPUS_MAX : (unsigned)last + 1;
}

/*
 * --- the file ----------------------------------------------------------------------------------
 */

static int put_text(struct livefile *file, uint16_t id, const char *text, struct errmsg *err)
{
	return livefile_add_option(file, id,
				   (struct piece){(const uint8_t *)text, strlen(text) + 1}, err);
}

/* The difference between the time of day and the clock of the events, in microseconds. */
static int put_date(struct livefile *file, struct errmsg *err)
{
	struct timespec day, raw;
	char text[32];

	clock_gettime(CLOCK_MONOTONIC_RAW, &raw);
	clock_gettime(CLOCK_REALTIME, &day);
	snprintf(text, sizeof(text), "0x%llx",
		 (long long)(day.tv_sec - raw.tv_sec) * 1000000 +
			 (day.tv_nsec - raw.tv_nsec) / 1000);
	return put_text(file, SNF_OPTION_DATE, text, err);
}

static int add_options(struct userrecording *u, struct errmsg *err)
{
	const struct recording_config *config = u->config.file;
	uint32_t n_cpus = u->n_cpus;
	uint64_t id = config->trace_id;
	struct utsname un;
	char text[400] = "";

	if (!id && getrandom(&id, sizeof(id), 0) != sizeof(id))
		id = clock_now_ns() << 20 | (getpid() & 0xfffff);
	if (!uname(&un))
		snprintf(text, sizeof(text), "%s %s %s %s", un.sysname, un.nodename, un.release,
			 un.machine);
	TRY(put_text(u->file, SNF_OPTION_TRACECLOCK, "[" USEREVENTS_CLOCK "]", err));
	TRY(put_text(u->file, SNF_OPTION_UNAME, text, err));
	TRY(put_text(u->file, SNF_OPTION_VERSION, config->program, err));
	TRY(livefile_add_option(u->file, SNF_OPTION_CPUCOUNT,
				(struct piece){(const uint8_t *)&n_cpus, 4}, err));
	TRY(livefile_add_option(u->file, SNF_OPTION_TRACEID,
				(struct piece){(const uint8_t *)&id, 8}, err));
	if (config->date)
		TRY(put_date(u->file, err));
	if (config->ts_offset)
		TRY(put_text(u->file, SNF_OPTION_OFFSET, config->ts_offset, err));
	return u->config.samples ? sampling_add_option(u->config.samples, u->file, err) : 0;
}

static int start_file(struct userrecording *u, struct errmsg *err)
{
	/* they must live until the start */
	struct textbuf texts[TRACEFILE_TEXT_KINDS];
	int r = 0;

	for (int kind = 0; kind < TRACEFILE_TEXT_KINDS; kind++)
		textbuf_init(&texts[kind], TEXT_MAX_BYTES);
	userevents_fmt_header_page(&texts[TRACEFILE_HEADER_PAGE], u->page_size);
	userevents_fmt_header_event(&texts[TRACEFILE_HEADER_EVENT]);
	if (u->config.user)
		userevents_add_formats(&texts[TRACEFILE_EVENT_FORMATS]);
	/* what is known now, in case the recorder is killed */
	if (u->config.user)
		usertrace_add_new_symbols(u->config.user, &u->n_files, &texts[TRACEFILE_KALLSYMS]);
	if (u->config.samples)
		sampling_add_formats(u->config.samples, &texts[TRACEFILE_EVENT_FORMATS]);
	for (int kind = 0; kind < TRACEFILE_TEXT_KINDS && r >= 0; kind++)
		r = livefile_add_text(u->file, kind, PIECE_OF_TEXT(&texts[kind]), err);
	if (r >= 0)
		r = livefile_start(u->file, err);
	for (int kind = 0; kind < TRACEFILE_TEXT_KINDS; kind++)
		textbuf_release(&texts[kind]);
	return r;
}

int userrecording_add_buffer(struct livefile *file, unsigned n_cpus, uint32_t page_size,
			     uint64_t max_bytes, struct errmsg *err)
{
	return livefile_add_buffer(file,
				   &(struct livefile_buffer){
					   .name = USEREVENTS_BUFFER,
					   .clock = USEREVENTS_CLOCK,
					   .page_size = page_size,
					   .n_cpus = n_cpus,
					   .max_bytes = max_bytes,
					   .joint = true,
					   .packed = true,
				   },
				   err);
}

static int open_file(struct userrecording *u, struct errmsg *err)
{
	const struct recording_config *config = u->config.file;
	struct livefile_config lc = {
		.path = config->path,
		.temp_dir = config->temp_dir,
		.version = config->version,
		.compression = config->compression,
		.plain_data = config->plain_data,
		.long_size = sizeof(long),
		.page_size = u->page_size,
		.n_cpus = u->n_cpus,
	};
	int buffer = 0, sampled = 0;

	TRY(livefile_open(&u->file, &lc, err));
	TRY(add_options(u, err));
	if (u->config.user)
		TRY(buffer = userrecording_add_buffer(u->file, u->n_cpus, u->page_size,
						      config->max_bytes, err));
	if (u->config.samples)
		TRY(sampled = sampling_add_buffer(u->file, u->n_cpus, u->page_size,
						  config->max_bytes, err));
	TRY(start_file(u, err));
	if (u->config.user)
		TRY(usertrace_start(u->config.user, u->file, buffer, u->n_cpus, u->page_size, err));
	return u->config.samples ? sampling_start(u->config.samples, u->file, sampled, u->n_cpus,
						  u->page_size, err)
				 : 0;
}

static int start(struct userrecording *u, struct errmsg *err)
{
	const struct userrecording_config *config = &u->config;
	struct child_config cc = {config->argv, config->run_as,
				  config->user ? usertrace_env(config->user) : NULL, true};

	if (config->argv) {
		TRY(child_start(&u->child, &cc, err));
		u->has_child = true;
	}
	if (config->samples)
		TRY(sampling_attach(config->samples, u->has_child ? u->child.pid : 0, err));
	TRY(endsignals_open(&u->signal_fd, err));
	/* what follows reads bytes that programs wrote; without root this changes nothing */
	privileges_drop(config->samples ? SAMPLING_POWERS : 0);
	return open_file(u, err);
}

int userrecording_open(struct userrecording **ret, const struct userrecording_config *config,
		       struct errmsg *err)
{
	struct userrecording *u = calloc(1, sizeof(*u));
	int r;

	if (!u)
		return errmsg_set_errno(err, -ENOMEM, "cannot record");
	u->config = *config;
	u->signal_fd = -1;
	u->n_cpus = userrecording_count_cpus();
	u->page_size = sysconf(_SC_PAGESIZE);
	u->child.pid_fd = -1;
	r = start(u, err);
	if (r < 0) {
		userrecording_free(u);
		return r;
	}
	*ret = u;
	return 0;
}

int userrecording_dup(const struct userrecording *u)
{
	return livefile_dup(u->file);
}

/*
 * --- running -----------------------------------------------------------------------------------
 */

static void end_child(struct userrecording *u)
{
	struct pollfd fd = {u->child.pid_fd, POLLIN, 0};
	int patience_ms = u->signal == ENDSIGNALS_ASKED ? 0 : PATIENCE_MS;

	/* do not wait for a process that ignores the request to end */
	if (!u->has_child || (u->signal && poll(&fd, 1, patience_ms) != 1))
		return;
	u->status = child_end(&u->child);
	u->has_child = false;
}

/*
 * The command has ended, and nothing is left of it. Without one: the processes have ended, or there
 * is nothing to wait for.
 */
static bool is_over(const struct userrecording *u, bool has_failed)
{
	const struct userrecording_config *c = &u->config;

	if (c->argv && !u->has_child)
		return !orphans_are_left(&u->orphans);
	return !c->argv && (has_failed || ((!c->user || usertrace_have_ended(c->user)) &&
					   (!c->samples || sampling_is_over(c->samples))));
}

static void add_names(struct userrecording *u, struct textbuf *names)
{
	if (u->config.user)
		usertrace_add_names(u->config.user, names);
	if (u->config.samples)
		sampling_add_names(u->config.samples, names);
}

/* Readers of the growing file see the names of threads. */
static int write_names(struct userrecording *u, struct errmsg *err)
{
	TEXTBUF(names, NAMES_MAX_BYTES);
	uint64_t sum = 0;

	add_names(u, &names);
	for (size_t i = 0; i < textbuf_len(&names); i++)
		sum = (sum ^ (uint8_t)names.start[i]) * UINT64_C(0x100000001b3);
	if (names.overflow || sum == u->names_sum)
		return 0;
	u->names_sum = sum;
	return livefile_write_names(
		u->file, (struct piece){(const uint8_t *)names.start, textbuf_len(&names)}, err);
}

/* The functions of programs that were not known when the file was started. */
static int write_symbols(struct userrecording *u, struct errmsg *err)
{
	TEXTBUF(fresh, SYMBOLS_MAX_BYTES);
	TEXTBUF(all, SYMBOLS_MAX_BYTES);
	size_t none = 0, no_bytes = 0;

	if (u->config.user)
		usertrace_add_new_symbols(u->config.user, &u->n_files, &fresh);
	if (u->config.samples)
		sampling_add_new_symbols(u->config.samples, &u->sampled_len, &fresh);
	if (!textbuf_len(&fresh))
		return 0;
	if (u->config.user)
		usertrace_add_new_symbols(u->config.user, &none, &all);
	if (u->config.samples)
		sampling_add_new_symbols(u->config.samples, &no_bytes, &all);
	return all.overflow ? 0 : livefile_write_symbols(u->file, PIECE_OF_TEXT(&all), err);
}

static int flush_file(struct userrecording *u, struct errmsg *err)
{
	TRY(write_names(u, err));
	TRY(write_symbols(u, err));
	return livefile_flush(u->file, err);
}

static int stop_sources(struct userrecording *u, struct errmsg *err)
{
	int r = u->config.user ? usertrace_stop(u->config.user, err) : 0;
	int r2 = u->config.samples ? sampling_stop(u->config.samples, err) : 0;

	return r < 0 ? r : r2;
}

/* Until the command ends or a signal comes; a failure of the recording does not end the command. */
static int wait_for_end(struct userrecording *u, struct errmsg *err)
{
	bool has_failed = false;

	for (;;) {
		struct pollfd fds[] = {
			{u->has_child ? u->child.pid_fd : -1, POLLIN, 0},
			{u->signal_fd, POLLIN, 0},
			{has_failed || !u->config.user ? -1 : usertrace_fd(u->config.user), POLLIN,
			 0},
			{has_failed || !u->config.samples ? -1 : sampling_fd(u->config.samples),
			 POLLIN, 0},
		};

		poll(fds, 4,
		     has_failed && u->has_child		  ? -1
		     : u->has_child || u->orphans.is_open ? TICK_MS
							  : END_MS);
		if (fds[1].revents)
			u->signal = endsignals_take(u->signal_fd, u->has_child ? u->child.pid : 0);
		if (fds[0].revents && !fds[1].revents && u->orphans.is_open) {
			if (!has_failed && flush_file(u, err) < 0) /* its name is still readable */
				has_failed = true;
			end_child(u);
			if (orphans_are_left(&u->orphans))
				continue;
			return has_failed ? -EIO : 0;
		}
		if (fds[0].revents || fds[1].revents || is_over(u, has_failed)) {
			if (fds[0].revents) /* before it disappears: its name is still readable */
				stop_sources(u, err);
			end_child(u);
			return has_failed ? -EIO : 0;
		}
		if (fds[2].revents || fds[3].revents)
			has_failed = true;
		else if (!has_failed && flush_file(u, err) < 0)
			has_failed = true;
	}
}

int userrecording_run(struct userrecording *u, struct userrecording_end *ret_end,
		      struct errmsg *err)
{
	int r, r2;

	if (u->has_child)
		child_ready(&u->child);
	u->start_ns = clock_now_ns();
	if (u->has_child && u->config.waits)
		orphans_adopt(&u->orphans, u->child.pid);
	r = u->has_child ? child_go(&u->child, u->config.argv[0], err) : 0;
	if (r < 0) {
		child_end(&u->child);
		u->has_child = false;
	} else {
		r = wait_for_end(u, err);
	}
	r2 = stop_sources(u, err);
	*ret_end = (struct userrecording_end){
		.signal = u->signal,
		.command_status = u->status,
		.seconds = (clock_now_ns() - u->start_ns) / 1e9,
		.n_cpus = u->n_cpus,
		.running = u->signal == ENDSIGNALS_ASKED && u->has_child ? u->child.pid : 0,
	};
	u->failure = r2 < 0 ? r2 : r;
	return u->failure;
}

/*
 * --- the end -----------------------------------------------------------------------------------
 */

int userrecording_add_end(struct usertrace *user, struct sampling *samples, struct livefile *file,
			  struct textbuf *symbols, struct errmsg *err)
{
	if (user)
		usertrace_add_symbols(user, symbols);
	if (samples)
		sampling_add_symbols(samples, symbols);
	TRY(livefile_add_text(file, TRACEFILE_KALLSYMS, PIECE_OF_TEXT(symbols), err));
	if (user)
		TRY(usertrace_add_option(user, file, err));
	return samples ? sampling_add_option(samples, file, err) : 0;
}

static int add_processes(struct userrecording *u, struct errmsg *err)
{
	struct processes *p = processes_new();
	TEXTBUF(text, PROCESSES_MAX_BYTES);
	TEXTBUF(packed, PROCESSES_MAX_BYTES);

	if (!p)
		return errmsg_set_errno(err, -ENOMEM, "cannot store the processes");
	if (u->config.user)
		usertrace_add_processes(u->config.user, p);
	if (u->config.samples)
		sampling_add_processes(u->config.samples, p);
	processes_fmt(p, &text);
	processes_free(p);
	TRY(packedtext_fmt(PIECE_OF_TEXT(&text), &packed));
	return livefile_add_option(u->file, SNF_OPTION_PROCESSES, PIECE_OF_TEXT(&packed), err);
}

static void add_sums(struct userrecording *u, struct recording_sum *sum)
{
	struct usertrace_sum us;

	sum->counted = true;
	if (u->config.user) {
		usertrace_get_sum(u->config.user, &us);
		sum->events += us.calls.n_events;
		sum->lost += us.calls.n_lost;
	}
	if (u->config.samples) {
		sum->events += sampling_n_samples(u->config.samples);
		sum->lost += sampling_n_lost(u->config.samples);
	}
}

/* What is known at the end only. */
static int add_rest(struct userrecording *u, struct errmsg *err)
{
	TEXTBUF(symbols, SYMBOLS_MAX_BYTES);
	TEXTBUF(names, NAMES_MAX_BYTES);

	TRY(userrecording_add_end(u->config.user, u->config.samples, u->file, &symbols, err));
	if (u->failure < 0)
		TRY(livefile_add_stopped(u->file, u->failure, err));
	TRY(add_processes(u, err));
	add_names(u, &names);
	TRY(livefile_add_text(u->file, TRACEFILE_CMDLINES, PIECE_OF_TEXT(&names), err));
	return livefile_flush(u->file, err);
}

static int finish_file(struct userrecording *u, struct recording_sum *sum, struct errmsg *err)
{
	int r = add_rest(u, err);

	add_sums(u, sum);
	sum->bytes = livefile_bytes(u->file);
	if (r >= 0)
		r = livefile_finish(u->file, err);
	else
		livefile_free(u->file);
	u->file = NULL;
	return r;
}

int userrecording_finish(struct userrecording *u, struct recording_sum *ret_sum, struct errmsg *err)
{
	struct recording_sum sum = {0};
	int r = finish_file(u, &sum, err);

	*ret_sum = sum;
	userrecording_free(u);
	return r;
}

void userrecording_free(struct userrecording *u)
{
	struct errmsg ignored = {0};

	if (!u)
		return;
	if (u->has_child && u->child.go_fd >= 0)
		child_cancel(&u->child);
	stop_sources(u, &ignored);
	endsignals_close(&u->signal_fd);
	livefile_free(u->file);
	free(u);
}
