// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * guests.c - records a host and its guests at once.
 *
 *	trace.dat            the host's events, and which of its threads are virtual CPUs (option
 *	                     GUEST)
 *	trace-NAME.dat       a guest's events, and the relation of its time to the host's (option
 *	                     TIME_SHIFT)
 *
 * Everything that can fail happens before tracing begins: the host is set up, every agent has
 * answered, all clocks are compared once. Then all start to record. If no events of the host are
 * requested, the host has no file.
 *
 * The vsock identifies the process of a guest: the command line of QEMU contains guest-cid=N. Its
 * threads for virtual CPUs are named "CPU N/KVM".
 */
#include "live/remote/guests.h"

#include "base/errmsg.h"
#include "base/files/outplace.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "format/bytes.h"
#include "live/remote/network.h"
#include "live/request.h"
#include "live/sources/sources.h"
#include "live/remote/syncclock.h"
#include "store/guestopts.h"
#include "wire/guest/guest.h"
#include "wire/netkey.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AGENT_PORT   "823"
#define TICK_MS	     500
#define VCPUS_MAX    1024
#define GUEST_OPTION (64u << 10)

/* --- who runs it ------------------------------------------------------------------------------ */

static bool is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

static bool runs_cid(const char *pid, const char *cid)
{
	char path[NAME_MAX + 32], line[65536], wanted[64];
	size_t n = 0, len;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/cmdline", pid);
	f = fopen(path, "re");
	if (f) {
		n = fread(line, 1, sizeof(line) - 1, f);
		fclose(f);
	}
	len = snprintf(wanted, sizeof(wanted), "guest-cid=%s", cid);
	for (const char *p = line; (p = memmem(p, line + n - p, wanted, len)); p++)
		if (p + len == line + n || !isdigit((unsigned char)p[len]))
			return true;
	return false;
}

/* Returns how many of the n virtual CPUs have a thread in this process. */
static uint32_t find_threads(int pid, struct guest_vcpu_pid *vcpus, uint32_t n)
{
	char path[NAME_MAX + 64], comm[64];
	uint32_t n_found = 0;
	struct dirent *e;
	unsigned vcpu;
	SCOPED(closedir_scoped) DIR *d = NULL;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = pid > 0 ? opendir(path) : NULL;
	while (d && (e = readdir(d))) {
		SCOPED(fclose_scoped) FILE *f = NULL;

		snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", pid, e->d_name);
		f = is_number(e->d_name) ? fopen(path, "re") : NULL;
		if (f && fgets(comm, sizeof(comm), f) && sscanf(comm, "CPU %u/", &vcpu) == 1 &&
		    vcpu < n) {
			vcpus[vcpu].pid = atoi(e->d_name);
			n_found++;
		}
	}
	return n_found;
}

/*
 * Finds the process of the guest. The process that started QEMU may have the same words (timeout,
 * sudo, a shell). The right one has threads for virtual CPUs; if these have other names, the first
 * process counts.
 */
static int find_process(const char *cid)
{
	struct guest_vcpu_pid vcpu;
	SCOPED(closedir_scoped) DIR *d = opendir("/proc");
	struct dirent *e;
	int pid = -1;

	while (d && (e = readdir(d))) {
		if (!is_number(e->d_name) || !runs_cid(e->d_name, cid))
			continue;
		if (pid < 0)
			pid = atoi(e->d_name);
		if (find_threads(atoi(e->d_name), &vcpu, 1)) {
			pid = atoi(e->d_name);
			break;
		}
	}
	return pid;
}

/* --- recording -------------------------------------------------------------------------------- */

struct place {
	char name[128], host[256], port[32];
};

struct one {
	struct place place;
	char path[PATH_MAX];
	enum transport transport;
	int pid;
	struct syncclock clock;
	bool has_clock;
	struct guest *guest;
	struct guest_result result;
};

struct run {
	const struct live_request *o;
	const struct guest_list *list;
	struct livesources sources;
	struct record_outcome outcome; /* of the sources */
	struct session s;
	struct recording *rec; /* NULL: the host is not recorded */
	struct netkey key;
	struct one *ones;
	const struct guest_report *report;
	struct errmsg why;
};

static void copy_part(char *to, size_t size, const char *from, size_t len)
{
	snprintf(to, size, "%.*s", (int)len, from);
}

/*
 * Parses NAME@CID[:PORT], CID[:PORT], HOST[:PORT]. Without --name or NAME, the CID or host is the
 * name.
 */
static void parse_place(const struct guest_words *w, struct place *ret)
{
	const char *at = strchr(w->place, '@'), *host = at ? at + 1 : w->place;
	const char *colon = strrchr(host, ':');
	size_t len = colon ? (size_t)(colon - host) : strlen(host);

	if (*host == '[' && len > 2 && host[len - 1] == ']') {
		host++;
		len -= 2;
	}
	copy_part(ret->host, sizeof(ret->host), host, len);
	snprintf(ret->port, sizeof(ret->port), "%s", colon ? colon + 1 : AGENT_PORT);
	if (w->name)
		snprintf(ret->name, sizeof(ret->name), "%s", w->name);
	else if (at)
		copy_part(ret->name, sizeof(ret->name), w->place, at - w->place);
	else
		copy_part(ret->name, sizeof(ret->name), ret->host, strlen(ret->host));
	for (char *p = ret->name; *p; p++)
		if (*p == '/' || !isprint((unsigned char)*p))
			*p = '_';
}

int guestrecord_fmt_path(const struct guest_words *w, const char *host_path, char *buf,
			 size_t n_bytes)
{
	size_t len = strlen(host_path);
	struct place place;

	parse_place(w, &place);
	if (len > 4 && !strcmp(host_path + len - 4, ".dat"))
		len -= 4;
	return snprintf(buf, n_bytes, "%.*s-%s.dat", (int)len, host_path, place.name) < (int)n_bytes
		       ? 0
		       : -ENAMETOOLONG;
}

static int open_guest(struct run *r, size_t index, struct errmsg *err)
{
	const struct guest_words *w = &r->list->guests[index];
	struct one *g = &r->ones[index];
	struct guest_config config;
	char clock[64];
	int code;

	parse_place(w, &g->place);
	g->transport = is_number(g->place.host) ? TRANSPORT_VSOCK : TRANSPORT_TCP;
	g->pid = g->transport == TRANSPORT_VSOCK ? find_process(g->place.host) : -1;
	code = guestrecord_fmt_path(w, r->sources.config.path, g->path, sizeof(g->path));
	if (code < 0)
		return errmsg_set_errno(err, code, "cannot name the trace of '%s'", g->place.name);
	for (size_t i = 0; i < index; i++)
		if (!strcmp(r->ones[i].path, g->path))
			return errmsg_set(err, -EINVAL,
					  "two guests are named '%s': give each its own with "
					  "NAME@… or --name",
					  g->place.name);
	outplace_unlink(g->path); /* the file is replaced, like the host's file */
	session_clock(&r->s, 0, clock, sizeof(clock));
	if (r->o->tsync_ms >= 0) {
		code = syncclock_open(&g->clock, &r->s, clock, index, err);
		TRY(code);
		g->has_clock = true;
	}
	config = (struct guest_config){.host = g->place.host,
				       .port = g->place.port,
				       .transport = g->transport,
				       .args = (const char *const *)w->words,
				       .n_args = w->n_words,
				       .trace_id = r->sources.config.trace_id,
				       .path = g->path,
				       .key = r->o->key ? &r->key : NULL,
				       .fifos = r->o->no_fifos ? NULL : g->place.name,
				       .stop_fd = r->s.signal_fd,
				       .clock = g->has_clock ? &g->clock.clock : NULL,
				       .clock_name = clock,
				       .interval_ms = r->o->tsync_ms,
				       .pid = g->pid};
	return guest_open(&g->guest, &config, err);
}

static bool tick(void *ctx)
{
	struct run *r = ctx;

	for (size_t i = 0; i < r->list->n; i++)
		if (guest_check(r->ones[i].guest, &r->why) < 0)
			return false;
	return !r->rec || recording_flush(r->rec, &r->why) >= 0;
}

static int note_guest(struct run *r, const struct one *g, struct errmsg *err)
{
	struct guest_vcpu_pid vcpus[VCPUS_MAX];
	uint32_t n = g->result.n_cpus < VCPUS_MAX ? g->result.n_cpus : VCPUS_MAX;
	SCOPED(textbuf_release) struct textbuf tb = {.max_bytes = GUEST_OPTION};

	for (uint32_t i = 0; i < n; i++)
		vcpus[i] = (struct guest_vcpu_pid){i, -1};
	find_threads(g->pid, vcpus, n);
	guestopts_fmt_guest(&tb, g->place.name, g->result.trace_id, vcpus, n, false);
	return r->rec ? recording_add_option(r->rec, SNF_OPTION_GUEST, PIECE_OF_TEXT(&tb), err) : 0;
}

static int finish(struct run *r, struct errmsg *err)
{
	struct recording_sum *sum = &r->outcome.sum;
	int code = 0, code2, fd;

	for (size_t i = 0; i < r->list->n; i++) {
		struct one *g = &r->ones[i];

		code2 = guest_finish(g->guest, &g->result, err);
		g->guest = NULL;
		code2 = code2 < 0 ? code2 : note_guest(r, g, err);
		code = code < 0 ? code : code2;
		if (code2 >= 0 && r->report)
			r->report->guest(
				&(struct guest_outcome){.path = g->path,
							.name = g->place.name,
							.n_cpus = g->result.n_cpus,
							.is_synchronised = g->result.sync});
	}
	if (r->rec) {
		fd = recording_dup(r->rec);
		code2 = recording_finish(r->rec, sum, err);
		r->rec = NULL;
		code = code < 0 ? code : code2;
		if (code2 >= 0 && r->report)
			r->report->host(fd, r->sources.config.path, sum);
		if (fd >= 0)
			close(fd);
	}
	return code;
}

static int record(struct run *r, char **argv, struct errmsg *err)
{
	int code = 0;

	if (plan_does_something(&r->o->plan) || r->o->has_user || r->o->syscalls ||
	    r->o->samples.is_wanted)
		code = recording_open(&r->rec, &r->s, &r->sources.config, err);
	for (size_t i = 0; i < r->list->n && code >= 0; i++)
		code = open_guest(r, i, err);
	for (size_t i = 0; i < r->list->n && code >= 0; i++)
		code = guest_start(r->ones[i].guest, err);
	if (code >= 0)
		code = session_start(&r->s, err);
	TRY(code);
	if (r->o->begun)
		r->o->begun(r->o->begun_ctx);
	else if (!argv)
		live_request_say(r->o, "recording; Ctrl-C ends it");
	session_wait(&r->s, r->rec ? recording_fd(r->rec) : -1, TICK_MS, tick, r);
	r->o->front->end_interrupt(r->s.signal, argv);
	netrecord_tell_loss(r->o, &r->why, argv);
	code = session_stop(&r->s, err);
	if (r->why.code && !err->code)
		*err = r->why;
	if (finish(r, err) < 0 || err->code)
		return err->code ? err->code : -EIO;
	return code;
}

int guestrecord_run(struct live_request *o, const struct recording_config *config,
		    const struct guest_list *list, char **argv, const struct guest_report *report,
		    struct errmsg *err)
{
	struct run r = {.o = o, .list = list, .sources.o = o, .report = report};
	struct session_config sc = live_request_session(o, argv);
	int code = o->key ? netkey_open(&r.key, o->key, err) : 0, code2;

	if (o->proxy)
		return errmsg_set(
			err, -ENOTSUP,
			"there are no proxies here: leave out --proxy, run 'sonde agent' on "
			"the host, and record it with -A NAME@2");
	TRY(code);
	r.ones = calloc(list->n, sizeof(*r.ones));
	if (!r.ones)
		return errmsg_set_errno(err, -ENOMEM, "cannot record guests");
	code = livesources_open(&r.sources, o, config, argv, &r.outcome, err);
	if (code < 0) {
		livesources_close(&r.sources, &r.outcome);
		free(r.ones);
		return code;
	}
	r.sources.config.trace_id = guestopts_make_id();
	livesources_hook(&r.sources, &sc, &r.s, err);
	code = session_open(&r.s, &sc, err);
	if (code >= 0)
		code = record(&r, argv, err);
	for (size_t i = 0; i < list->n; i++) {
		guest_free(r.ones[i].guest);
		if (r.ones[i].has_clock)
			syncclock_close(&r.ones[i].clock);
	}
	if (r.rec)
		recording_free(r.rec);
	code2 = session_close(&r.s, err);
	livesources_close(&r.sources, &r.outcome);
	free(r.ones);
	return code < 0 ? code : code2;
}
