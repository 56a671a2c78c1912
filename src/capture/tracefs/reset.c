// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reset.c - restores all settings of tracing in one walk.
 *
 *	tracing_on 0                  first, so that nothing is recorded during the changes
 *	triggers, filters             of every event; then the rows of defaults.c, in their order
 *	options                       that differ from the default
 *	tracing_cpumask, osnoise/cpus all CPUs
 *	trace                         emptied
 *	tracing_on 1                  as after boot: nothing that could write is on
 *
 * setting.h knows what each file accepts, so a default is written like any saved value.
 *
 * Triggers can depend on each other: a hist trigger that uses a variable of another trigger keeps
 * that trigger busy. Dynamic events can, too: a probe on a synthetic event. So sonde removes both
 * in rounds, until a round removes nothing.
 */
#include "capture/tracefs/reset.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/tracefs/defaults.h"
#include "capture/tracefs/eventdir.h"
#include "capture/tracefs/setting.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DYNAMIC_MAX_BYTES (1u << 20)
#define ROUNDS_MAX	  16

static void tell(struct reset *r, const char *instance, const char *file, int code)
{
	struct errmsg err = {0};
	char path[TRACEFS_PATH_MAX];

	tracefs_fmt_path(r->t, instance, file, path);
	if (code == -EBUSY)
		errmsg_set(&err, code, "%s stays as it is: it is in use", path);
	else
		errmsg_set_errno(&err, code, "%s stays as it is", path);
	r->tell(r->ctx, err.text);
	r->n_failed++;
}

/*
 * Returns true if a locked-down kernel hides the file. Such kernels do not let even root see the
 * function filters, so nobody can have set them.
 */
static bool is_forbidden(const struct reset *r, const char *instance, const char *file)
{
	int fd = tracefs_open_file(r->t, instance, file, O_RDONLY);

	if (fd >= 0)
		close(fd);
	return fd == -EPERM;
}

/* Like setting_restore(), but ignores a file that the kernel does not have. */
static void put_back(struct reset *r, const char *instance, const char *file, const char *shown)
{
	int code = 0;

	if (tracefs_exists(r->t, instance, file))
		code = setting_restore(r->t, instance, file, shown);
	if (code < 0 && !is_forbidden(r, instance, file))
		tell(r, instance, file, code);
}

/*
 * --- filters and triggers ----------------------------------------------------------------------
 */

struct trigger_walk {
	struct reset *reset;
	const char *instance;
	size_t n_left, n_gone;
	bool last_round;
};

/*
 * Returns true if the event has triggers. Without triggers the file is empty or has only comments.
 */
static bool has_triggers(const struct tracefs *t, const char *instance, const char *file)
{
	char text[256];

	return tracefs_read_short(t, instance, file, text, sizeof(text)) > 0 && *text != '#';
}

static int drop_triggers(void *ctx, const char *system, const char *event)
{
	struct trigger_walk *w = ctx;
	char file[TRACEFS_PATH_MAX];
	int r;

	eventdir_fmt_path(system, event, "trigger", file);
	if (!has_triggers(w->reset->t, w->instance, file))
		return 0;
	r = setting_restore(w->reset->t, w->instance, file, "");
	if (!has_triggers(w->reset->t, w->instance, file))
		w->n_gone++;
	else if (w->last_round)
		tell(w->reset, w->instance, file, r < 0 ? r : -EBUSY);
	else
		w->n_left++;
	return 0;
}

static void reset_triggers(struct reset *r, const char *instance)
{
	struct trigger_walk w = {.reset = r, .instance = instance};
	struct errmsg err = {0};

	for (int round = 0; round < ROUNDS_MAX; round++) {
		w.n_left = w.n_gone = 0;
		if (eventdir_each(r->t, instance, drop_triggers, &w, &err) < 0 || !w.n_left ||
		    w.last_round)
			return;
		w.last_round = !w.n_gone;
	}
}

/*
 * Removes all filters. Writing 0 to the filter of a system removes the filters of all its events.
 */
static void reset_filters(struct reset *r, const char *instance)
{
	SCOPED(name_list_release) struct name_list systems = {0};
	char file[TRACEFS_PATH_MAX];

	tracefs_directories(r->t, instance, "events", &systems);
	for (size_t i = 0; i < systems.n; i++) {
		int code;

		snprintf(file, sizeof(file), "events/%s/filter", systems.names[i]);
		code = tracefs_try_write(r->t, instance, file, "0", TRACEFS_SET);
		if (code < 0 && code != -ENOENT)
			tell(r, instance, file, code);
	}
}

/*
 * --- the rest of an instance -------------------------------------------------------------------
 */

static void reset_options(struct reset *r, const char *instance)
{
	SCOPED(name_list_release) struct name_list options = {0};
	char file[TRACEFS_PATH_MAX];

	tracefs_files(r->t, instance, "options", &options);
	for (size_t i = 0; i < options.n; i++) {
		bool wanted = defaults_option(instance, options.names[i]);
		long long now;

		snprintf(file, sizeof(file), "options/%s", options.names[i]);
		now = tracefs_read_number(r->t, instance, file);
		if (now >= 0 && now != wanted)
			put_back(r, instance, file, wanted ? "1" : "0");
	}
}

static void reset_cpus(struct reset *r, const char *instance)
{
	unsigned n_cpus = tracefs_cpu_count(r->t);
	char text[4096];

	defaults_fmt_cpumask(n_cpus, text, sizeof(text));
	put_back(r, instance, "tracing_cpumask", text);
	if (n_cpus > 1)
		snprintf(text, sizeof(text), "0-%u", n_cpus - 1);
	else
		snprintf(text, sizeof(text), "0");
	put_back(r, instance, "osnoise/cpus", text);
}

static void reset_size(struct reset *r, const char *instance, const char *shown,
		       long long buffer_kb)
{
	char now[64], text[32];

	snprintf(text, sizeof(text), "%lld", buffer_kb);
	if (buffer_kb)
		put_back(r, instance, "buffer_size_kb", text);
	else if (tracefs_read_short(r->t, instance, "buffer_size_kb", now, sizeof(now)) > 0 &&
		 !strstr(now, "expanded")) /* a buffer that was never used takes no memory yet */
		put_back(r, instance, "buffer_size_kb", *now == 'X' ? "1408" : shown);
}

void reset_events(struct reset *r, const char *instance)
{
	reset_triggers(r, instance);
	reset_filters(r, instance);
}

int reset_instance(struct reset *r, const char *instance, long long buffer_kb, struct errmsg *err)
{
	size_t n;
	const struct default_row *rows = defaults_rows(&n);
	int code = tracefs_write(r->t, instance, "tracing_on", "0", TRACEFS_SET, err);

	/* no permission, or a read-only mount: the other writes would fail, too */
	if (code < 0)
		return code;
	reset_events(r, instance);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(rows[i].file, "buffer_size_kb"))
			reset_size(r, instance, rows[i].shown, buffer_kb);
		else
			put_back(r, instance, rows[i].file, rows[i].shown);
	reset_options(r, instance);
	reset_cpus(r, instance);
	code = tracefs_try_write(r->t, instance, "trace", "", TRACEFS_SET);
	if (code < 0)
		tell(r, instance, "trace", code);
	put_back(r, instance, "tracing_on", "1");
	return 0;
}

/*
 * --- dynamic events ----------------------------------------------------------------------------
 */

static const struct {
	const char *word;
	unsigned kinds;
} kind_words[] = {
	{"kprobe", DYNAMIC_KPROBE}, {"kretprobe", DYNAMIC_KRETPROBE},
	{"uprobe", DYNAMIC_UPROBE}, {"uretprobe", DYNAMIC_URETPROBE},
	{"eprobe", DYNAMIC_EPROBE}, {"synth", DYNAMIC_SYNTH},
	{"fprobe", DYNAMIC_FPROBE}, {"tprobe", DYNAMIC_TPROBE},
	{"all", DYNAMIC_ALL},
};

unsigned dynamic_kind_parse(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(kind_words); i++)
		if (!strcmp(kind_words[i].word, word))
			return kind_words[i].kinds;
	return 0;
}

/*
 * Returns the kind of a dynamic event from the first word and the place of its line: "p:kprobes/x
 * vfs_read", "r64:uprobes/y /bin/bash:0x1234".
 */
static unsigned kind_of(const char *line)
{
	const char *place = strchr(line, ' ');
	bool user = place && place[1] == '/';

	switch (*line) {
	case 'p':
		return user ? DYNAMIC_UPROBE : DYNAMIC_KPROBE;
	case 'r':
		return user ? DYNAMIC_URETPROBE : DYNAMIC_KRETPROBE;
	case 'e':
		return DYNAMIC_EPROBE;
	case 's':
		return DYNAMIC_SYNTH;
	case 'f':
		return DYNAMIC_FPROBE;
	case 't':
		return DYNAMIC_TPROBE;
	default:
		return 0;
	}
}

/* Returns true for "p:sonde_PID/…" of a running recording, which removes the event at its end. */
static bool is_recorded(const char *line)
{
	const char *group = strchr(line, ':');
	int pid = group && !strncmp(group, ":sonde_", 7) ? atoi(group + 7) : 0;

	return pid > 0 && (!kill(pid, 0) || errno == EPERM);
}

static bool is_kept(const char *line, unsigned keep)
{
	return (kind_of(line) & keep) || is_recorded(line);
}

/*
 * Runs one round. Returns the number of remaining lines; *ret_n_gone is the number of removed
 * lines.
 */
static size_t drop_dynamic(struct reset *r, unsigned keep, size_t *ret_n_gone)
{
	struct textbuf now, kept;
	struct errmsg err = {0};
	size_t n = 0, n_left = 0;

	textbuf_init(&now, DYNAMIC_MAX_BYTES);
	textbuf_init(&kept, DYNAMIC_MAX_BYTES);
	if (tracefs_read_text(r->t, "", "dynamic_events", &now, &err) >= 0) {
		for (const char *p = now.start; *p; p += strcspn(p, "\n"), p += !!*p) {
			if (is_kept(p, keep))
				textbuf_add(&kept, p, strcspn(p, "\n") + 1);
			else
				n++;
		}
		textbuf_add(&kept, "", 1);
		setting_restore(r->t, "", "dynamic_events", kept.start);
		tracefs_read_text(r->t, "", "dynamic_events", &now, &err);
		for (const char *p = now.start; *p; p += strcspn(p, "\n"), p += !!*p)
			n_left += !is_kept(p, keep);
	}
	textbuf_release(&now);
	textbuf_release(&kept);
	*ret_n_gone = n - n_left;
	return n_left;
}

void reset_dynamic_events(struct reset *r, unsigned keep)
{
	size_t n_left, n_gone, round = 0;

	if (!tracefs_exists(r->t, "", "dynamic_events"))
		return;
	do
		n_left = drop_dynamic(r, keep, &n_gone);
	while (n_left && n_gone && ++round < ROUNDS_MAX);
	if (n_left)
		tell(r, "", "dynamic_events", -EBUSY);
}
