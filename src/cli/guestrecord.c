// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * guestrecord.c - a host and its guests at once.
 *
 *	trace.dat            the host's events, and which of its threads are virtual CPUs (option GUEST)
 *	trace-NAME.dat       a guest's, and how its time relates to the host's (option TIME_SHIFT)
 *
 * Everything that can fail comes before tracing begins: the host is set up, every agent has answered, all
 * clocks are compared once. Then all record. If no event is named for the host, there is no file of it.
 *
 * Which process runs a guest is found by its vsock: QEMU has guest-cid=N among its words. Its threads for
 * virtual CPUs are named "CPU N/KVM".
 */
#include "cli/guestrecord.h"

#include "base/files/outplace.h"
#include "base/textbuf.h"
#include "cli/background.h"
#include "cli/command.h"
#include "cli/netrecord.h"
#include "cli/outcome.h"
#include "cli/recordopts.h"
#include "live/remote/syncclock.h"
#include "cli/statusline.h"
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

/* --- the words of the command line ------------------------------------------------------------- */

/* How many words an option takes; 0 if the row is not found. */
static int words_of(const struct option_row *rows, const char *word)
{
	size_t len = strcspn(word, "=");
	bool is_long = word[1] == '-';

	for (const char *p = word + 1; !is_long && *p; p++)
		for (const struct option_row *r = rows; r->kind != OPTION_END; r++)
			if (r->letter == *p && r->arg && !r->arg_optional)
				return p[1] ? 1 : 2;
	for (const struct option_row *r = rows; is_long && r->kind != OPTION_END; r++)
		if (r->name && !strncmp(r->name, word + 2, len - 2) && strlen(r->name) == len - 2)
			return r->arg && !r->arg_optional && !word[len] ? 2 : 1;
	return 1;
}

/* What says where data goes, or how guests are reached, is not for the agent. */
static bool is_ours(const char *word)
{
	static const struct option_row ours[] = {
		RECORDOPTS_FILE,
		RECORDOPTS_NETWORK,
		{.kind = OPTION_FLAG, .name = "daemonize"},
		{.kind = OPTION_END},
	};
	size_t len = strcspn(word, "=");
	bool is_long = word[1] == '-';

	for (const struct option_row *r = ours; r->kind != OPTION_END; r++)
		if (is_long ? r->name && strlen(r->name) == len - 2 &&
				      !strncmp(r->name, word + 2, len - 2)
			    : r->letter && r->letter == word[1])
			return true;
	return false;
}

static struct guest_words *add_guest(struct guest_list *list, const char *place)
{
	struct guest_words *more = realloc(list->guests, (list->n + 1) * sizeof(*list->guests));

	if (!more)
		return NULL;
	list->guests = more;
	more[list->n] = (struct guest_words){.place = place};
	return &more[list->n++];
}

static int add_word(struct guest_words *g, char *word)
{
	char **more = realloc(g->words, (g->n_words + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	g->words = more;
	more[g->n_words++] = word;
	return 0;
}

int guest_list_take(struct guest_list *list, const struct option_row *rows, int *argc, char **argv,
		    struct errmsg *err)
{
	struct guest_words *g = NULL;
	int n = 1, i = 1, r = 0;

	*list = (struct guest_list){0};
	while (i < *argc && argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--") && !r) {
		int take = words_of(rows, argv[i]);

		if (i + take > *argc)
			take = *argc - i;
		if (!strncmp(argv[i], "-A", 2)) {
			g = take == 2 || argv[i][2]
				    ? add_guest(list, take == 2 ? argv[i + 1] : argv[i] + 2)
				    : NULL;
			r = g ? 0 : errmsg_set(err, -EINVAL, "-A wants the name of a guest");
		} else if (g && !strcmp(argv[i], "--name") && i + 1 < *argc) {
			g->name = argv[i + 1];
			take = 2;
		} else {
			if (!strncmp(argv[i], "-B", 2))
				g = NULL;
			for (int k = 0; k < take && !r; k++)
				if (g && !is_ours(argv[i]))
					r = add_word(g, argv[i + k]);
				else
					argv[n++] = argv[i + k];
		}
		i += take;
	}
	while (i < *argc)
		argv[n++] = argv[i++];
	*argc = n;
	argv[n] = NULL;
	return r;
}

void guest_list_release(struct guest_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->guests[i].words);
	free(list->guests);
}

/* --- who runs it ------------------------------------------------------------------------------- */

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
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = pid > 0 ? opendir(path) : NULL;
	while (d && (e = readdir(d))) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", pid, e->d_name);
		f = is_number(e->d_name) ? fopen(path, "re") : NULL;
		if (f && fgets(comm, sizeof(comm), f) && sscanf(comm, "CPU %u/", &vcpu) == 1 &&
		    vcpu < n) {
			vcpus[vcpu].pid = atoi(e->d_name);
			n_found++;
		}
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	return n_found;
}

/*
 * Who started QEMU may have the same words (timeout, sudo, a shell): the one that counts has threads for virtual
 * CPUs. Where these have other names, the first one it is.
 */
static int find_process(const char *cid)
{
	struct guest_vcpu_pid vcpu;
	DIR *d = opendir("/proc");
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
	if (d)
		closedir(d);
	return pid;
}

/* --- recording --------------------------------------------------------------------------------- */

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
	struct recording_config config;
	struct session s;
	struct recording *rec; /* NULL: nothing is recorded here */
	struct netkey key;
	struct one *ones;
	struct background *background;
	struct errmsg why;
};

static void copy_part(char *to, size_t size, const char *from, size_t len)
{
	snprintf(to, size, "%.*s", (int)len, from);
}

/* NAME@CID[:PORT], CID[:PORT], HOST[:PORT]; without --name or NAME it is called by its CID or host. */
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
	code = guestrecord_fmt_path(w, r->config.path, g->path, sizeof(g->path));
	if (code < 0)
		return errmsg_set_errno(err, code, "cannot name the trace of '%s'", g->place.name);
	for (size_t i = 0; i < index; i++)
		if (!strcmp(r->ones[i].path, g->path))
			return errmsg_set(err, -EINVAL,
					  "two guests are named '%s': give each its own with "
					  "NAME@… or --name",
					  g->place.name);
	outplace_unlink(g->path); /* as the host's, it is replaced */
	session_clock(&r->s, 0, clock, sizeof(clock));
	if (r->o->tsync_ms >= 0) {
		code = syncclock_open(&g->clock, &r->s, clock, index, err);
		if (code < 0)
			return code;
		g->has_clock = true;
	}
	config = (struct guest_config){.host = g->place.host,
				       .port = g->place.port,
				       .transport = g->transport,
				       .args = (const char *const *)w->words,
				       .n_args = w->n_words,
				       .trace_id = r->config.trace_id,
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
	struct textbuf tb;
	int code;

	for (uint32_t i = 0; i < n; i++)
		vcpus[i] = (struct guest_vcpu_pid){i, -1};
	find_threads(g->pid, vcpus, n);
	textbuf_init(&tb, GUEST_OPTION);
	guestopts_fmt_guest(&tb, g->place.name, g->result.trace_id, vcpus, n, false);
	code = r->rec ? recording_add_option(r->rec, SNF_OPTION_GUEST,
					     (struct piece){(uint8_t *)tb.start, textbuf_len(&tb)},
					     err)
		      : 0;
	textbuf_release(&tb);
	return code;
}

/* "g.dat: 120 events, 0.9 MB; guest web: 2 CPUs, times synchronised" */
static void show_guest(const struct one *g)
{
	struct textbuf tb;

	textbuf_init(&tb, 8192);
	outcome_add_file(&tb, -1, g->path, 0);
	fprintf(stderr, "%.*s; guest %s: %u CPU%s, times %s\n", (int)textbuf_len(&tb), tb.start,
		g->place.name, g->result.n_cpus, g->result.n_cpus == 1 ? "" : "s",
		g->result.sync ? "synchronised" : "not synchronised");
	textbuf_release(&tb);
}

static int finish(struct run *r, struct errmsg *err)
{
	struct recording_sum sum = {0};
	int code = 0, code2, fd;

	for (size_t i = 0; i < r->list->n; i++) {
		struct one *g = &r->ones[i];

		code2 = guest_finish(g->guest, &g->result, err);
		g->guest = NULL;
		code2 = code2 < 0 ? code2 : note_guest(r, g, err);
		code = code < 0 ? code : code2;
		if (!r->o->quiet && code2 >= 0)
			show_guest(g);
	}
	if (r->rec) {
		fd = recording_dup(r->rec);
		code2 = recording_finish(r->rec, &sum, err);
		r->rec = NULL;
		code = code < 0 ? code : code2;
		if (!r->o->quiet && code2 >= 0)
			outcome_show_file(fd, r->config.path, sum.events, sum.lost);
		if (fd >= 0)
			close(fd);
	}
	return code;
}

static int record(struct run *r, char **argv, struct errmsg *err)
{
	int code = 0;

	if (plan_does_something(&r->o->plan))
		code = recording_open(&r->rec, &r->s, &r->config, err);
	for (size_t i = 0; i < r->list->n && code >= 0; i++)
		code = open_guest(r, i, err);
	for (size_t i = 0; i < r->list->n && code >= 0; i++)
		code = guest_start(r->ones[i].guest, err);
	if (code >= 0)
		code = session_start(&r->s, err);
	if (code < 0)
		return code;
	if (r->background)
		background_ready(r->background);
	else if (!argv && !r->o->quiet)
		fprintf(stderr, "recording; Ctrl-C ends it\n");
	session_wait(&r->s, r->rec ? recording_fd(r->rec) : -1, TICK_MS, tick, r);
	statusline_end_interrupt(r->s.signal, argv);
	netrecord_tell_loss(&r->why, argv);
	code = session_stop(&r->s, err);
	if (r->why.code && !err->code)
		*err = r->why;
	if (finish(r, err) < 0 || err->code)
		return err->code ? err->code : -EIO;
	return code;
}

int guestrecord_run(struct live_request *o, const struct recording_config *config,
		    const struct guest_list *list, char **argv, struct background *bg,
		    struct errmsg *err)
{
	struct run r = {.o = o, .list = list, .config = *config, .background = bg};
	struct session_config sc = {.plan = &o->plan,
				    .argv = argv,
				    .user = o->user,
				    .keep = o->keep,
				    .all_formats = o->all_formats,
				    .tell = o->quiet ? NULL : recordopts_tell};
	int code = o->key ? netkey_open(&r.key, o->key, err) : 0, code2;

	if (o->proxy)
		return errmsg_set(
			err, -ENOTSUP,
			"there are no proxies here: leave out --proxy, run 'sonde agent' on "
			"the host, and record it with -A NAME@2");
	if (code < 0)
		return code;
	r.config.trace_id = guestopts_make_id();
	r.ones = calloc(list->n, sizeof(*r.ones));
	if (!r.ones)
		return errmsg_set_errno(err, -ENOMEM, "cannot record guests");
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
	free(r.ones);
	return code < 0 ? code : code2;
}
