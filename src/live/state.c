// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * state.c - reads the tracing settings into a `struct tracestate`.
 *
 *	values      files with one value: rows of a table, compared with defaults.h
 *	lists       files with a line for each function, task, …: rows of a table, too
 *	events      set_event lists the enabled events; the directories contain all
 *	filters     every event has a file for each; some 4 000 files are opened, which takes 20 ms
 *	triggers
 *	options     the directory options/
 *	cpus        per_cpu/cpuN/stats and buffer_size_kb
 *
 * A file that is missing or unreadable counts as empty: kernels differ, and a status must not fail
 * because of one value out of a hundred. Everything is in one arena.
 */
#include "live/state.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/tracefs/defaults.h"
#include "capture/tracefs/eventdir.h"
#include "capture/tracefs/journal/journal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#define FILE_MAX_BYTES (8u << 20)
/*
 * The difference that is ignored: the kernel rounds sizes up to whole sub-buffers, so 1408 is shown
 * as 1408 to 1411.
 */
#define SIZE_SLACK_KB  8

struct gather {
	const struct tracefs *t;
	const char *instance;
	struct arena *arena;
	struct textbuf text; /* the file that is being read */
	bool failed;	     /* no memory */
};

static const struct {
	const char *key, *label, *unit, *file;
	bool is_number, is_choice;
} value_rows[] = {
	{"tracer", "tracer", "", "current_tracer", false, false},
	{"clock", "clock", "", "trace_clock", false, true},
	{"cpumask", "CPU mask", "", "tracing_cpumask", false, false},
	{"max_graph_depth", "graph depth", "", "max_graph_depth", true, false},
	{"max_latency_us", "longest latency", "us", "tracing_max_latency", true, false},
	{"threshold_us", "threshold", "us", "tracing_thresh", true, false},
	{"buffer_percent", "reader wakes at", "%", "buffer_percent", true, false},
	{"subbuf_kb", "sub-buffer", "KB", "buffer_subbuf_size_kb", true, false},
	{"function_profile", "function profile", "", "function_profile_enabled", true, false},
	{"osnoise_period_us", "osnoise period", "us", "osnoise/period_us", true, false},
	{"osnoise_runtime_us", "osnoise runtime", "us", "osnoise/runtime_us", true, false},
	{"osnoise_stop_us", "osnoise stops at", "us", "osnoise/stop_tracing_us", true, false},
	{"osnoise_stop_total_us", "  at a total of", "us", "osnoise/stop_tracing_total_us", true,
	 false},
	{"timerlat_period_us", "timerlat period", "us", "osnoise/timerlat_period_us", true, false},
	{"timerlat_stack_us", "timerlat stack at", "us", "osnoise/print_stack", true, false},
	{"hwlat_mode", "hwlat mode", "", "hwlat_detector/mode", false, true},
	{"hwlat_width_us", "hwlat width", "us", "hwlat_detector/width", true, false},
	{"hwlat_window_us", "hwlat window", "us", "hwlat_detector/window", true, false},
};

#define N_VALUES ARRAY_LEN(value_rows)

enum which_lines { LINES_ALL, LINES_FUNCTIONS, LINES_COMMANDS };

static const struct {
	const char *key, *label, *file;
	enum which_lines which;
} list_rows[] = {
	{"functions", "functions", "set_ftrace_filter", LINES_FUNCTIONS},
	{"function_commands", "function commands", "set_ftrace_filter", LINES_COMMANDS},
	{"functions_not", "not the functions", "set_ftrace_notrace", LINES_ALL},
	{"graph_functions", "graph functions", "set_graph_function", LINES_ALL},
	{"graph_functions_not", "no graph of", "set_graph_notrace", LINES_ALL},
	{"function_pids", "functions of tasks", "set_ftrace_pid", LINES_ALL},
	{"function_pids_not", "  not of tasks", "set_ftrace_notrace_pid", LINES_ALL},
	{"event_pids", "events of tasks", "set_event_pid", LINES_ALL},
	{"event_pids_not", "  not of tasks", "set_event_notrace_pid", LINES_ALL},
};

#define N_LISTS ARRAY_LEN(list_rows)

/* --- memory and text -------------------------------------------------------------------------- */

static char *keep(struct gather *g, const char *s, size_t len)
{
	char *copy = arena_strndup(g->arena, s, len);

	g->failed |= !copy;
	return copy;
}

/* Makes room for one more element: doubles the array when n is a power of two. */
static void *grow(struct gather *g, void *old, size_t n, size_t each_bytes)
{
	void *more;

	if (n && (n & (n - 1)))
		return old;
	more = arena_alloc_array(g->arena, n ? 2 * n : 1, each_bytes);
	if (more && n)
		memcpy(more, old, n * each_bytes);
	g->failed |= !more;
	return more;
}

static void add_item(struct gather *g, const char ***items, size_t *n, const char *s, size_t len)
{
	const char **more = grow(g, *items, *n, sizeof(**items));
	char *copy = keep(g, s, len);

	if (!more || !copy)
		return;
	*items = more;
	more[(*n)++] = copy;
}

/* Returns the file's text, or "" if it has none. */
static const char *read_file(struct gather *g, const char *file)
{
	struct errmsg ignored = {0};

	return tracefs_read_text(g->t, g->instance, file, &g->text, &ignored) < 0 ? ""
										  : g->text.start;
}

/* Takes the next line of *p. Returns false at the end. */
static bool next_line(const char **p, const char **ret_line, size_t *ret_len)
{
	*ret_line = *p;
	*ret_len = strcspn(*p, "\n");
	if (!**p)
		return false;
	*p += *ret_len + !!(*p)[*ret_len];
	return true;
}

/* --- values and lists ------------------------------------------------------------------------- */

static bool is_default(const struct gather *g, size_t row, const char *text)
{
	const char *usual = defaults_find(value_rows[row].file);
	char buf[4096];
	size_t len;

	if (!strcmp(value_rows[row].file, "tracing_cpumask"))
		usual = defaults_fmt_cpumask(tracefs_cpu_count(g->t), buf, sizeof(buf));
	if (!usual)
		return true;
	len = strcspn(usual + (*usual == '['), "]");
	return strlen(text) == len && !memcmp(text, usual + (*usual == '['), len);
}

static void gather_values(struct gather *g, struct state_instance *in)
{
	in->values = arena_alloc_array(g->arena, N_VALUES, sizeof(*in->values));
	if (!in->values) {
		g->failed = true;
		return;
	}
	in->n_values = N_VALUES;
	for (size_t i = 0; i < N_VALUES; i++) {
		struct state_value *v = &in->values[i];
		char text[4096];
		int r = value_rows[i].is_choice
				? tracefs_chosen_word(g->t, g->instance, value_rows[i].file, text,
						      sizeof(text))
				: tracefs_read_short(g->t, g->instance, value_rows[i].file, text,
						     sizeof(text));

		*v = (struct state_value){value_rows[i].key, value_rows[i].label,
					  value_rows[i].unit};
		v->is_number = value_rows[i].is_number;
		if (r < 0)
			continue;
		v->text = keep(g, text, strlen(text));
		v->is_default = is_default(g, i, text);
	}
}

static bool is_wanted(const char *line, size_t len, enum which_lines which)
{
	bool command = memchr(line, ':', len) != NULL;

	if (!len || *line == '#' || (len == 6 && !memcmp(line, "no pid", 6)))
		return false;
	return which == LINES_ALL || command == (which == LINES_COMMANDS);
}

static void gather_lists(struct gather *g, struct state_instance *in)
{
	in->lists = arena_alloc_array(g->arena, N_LISTS, sizeof(*in->lists));
	if (!in->lists) {
		g->failed = true;
		return;
	}
	in->n_lists = N_LISTS;
	for (size_t i = 0; i < N_LISTS; i++) {
		struct state_list *list = &in->lists[i];
		const char *p = read_file(g, list_rows[i].file), *line;
		char where[TRACEFS_NAME_MAX + 64];
		size_t len;

		snprintf(where, sizeof(where), "sonde show %s%s%s%s", *g->instance ? "-B " : "",
			 g->instance, *g->instance ? " " : "", list_rows[i].file);
		*list = (struct state_list){list_rows[i].key, list_rows[i].label,
					    keep(g, where, strlen(where))};
		while (!g->failed && next_line(&p, &line, &len))
			if (is_wanted(line, len, list_rows[i].which))
				add_item(g, &list->items, &list->n, line, len);
	}
}

/* --- events ----------------------------------------------------------------------------------- */

static size_t count_events(const struct gather *g, const char *system)
{
	char dir[TRACEFS_PATH_MAX], file[TRACEFS_PATH_MAX];
	SCOPED(name_list_release) struct name_list events = {0};
	size_t n = 0;

	snprintf(dir, sizeof(dir), "events/%.200s", system);
	tracefs_directories(g->t, g->instance, dir, &events);
	/* some events of the system ftrace have only a format */
	for (size_t i = 0; i < events.n; i++)
		n += tracefs_exists(g->t, g->instance,
				    eventdir_fmt_path(system, events.names[i], "enable", file));
	return n;
}

static struct state_system *system_of(struct gather *g, struct state_instance *in, const char *name,
				      size_t len)
{
	struct state_system *s;

	for (size_t i = 0; i < in->n_systems; i++)
		if (strlen(in->systems[i].name) == len && !memcmp(in->systems[i].name, name, len))
			return &in->systems[i];
	s = grow(g, in->systems, in->n_systems, sizeof(*s));
	if (!s)
		return NULL;
	in->systems = s;
	s += in->n_systems++;
	*s = (struct state_system){.name = keep(g, name, len)};
	if (s->name)
		s->n_all = count_events(g, s->name);
	return s;
}

static void gather_events(struct gather *g, struct state_instance *in)
{
	const char *p = read_file(g, "set_event"), *line;
	size_t len;

	while (!g->failed && next_line(&p, &line, &len)) {
		const char *colon = memchr(line, ':', len);
		struct state_system *s = colon ? system_of(g, in, line, colon - line) : NULL;

		if (!s)
			continue;
		add_item(g, &s->events, &s->n, colon + 1, line + len - colon - 1);
		in->n_events++;
	}
}

struct event_walk {
	struct gather *g;
	struct state_instance *in;
};

static void add_of_event(struct gather *g, struct state_of_event **list, size_t *n,
			 const char *system, const char *event, const char *text)
{
	struct state_of_event *more = grow(g, *list, *n, sizeof(**list));
	char name[2 * TRACEFS_NAME_MAX];
	size_t len = strlen(text);

	if (!more)
		return;
	*list = more;
	while (len && text[len - 1] == '\n')
		len--;
	snprintf(name, sizeof(name), "%s:%s", system, event);
	more[*n] = (struct state_of_event){keep(g, name, strlen(name)), keep(g, text, len)};
	*n += !g->failed;
}

static int look_at_event(void *ctx, const char *system, const char *event)
{
	struct event_walk *w = ctx;
	char file[TRACEFS_PATH_MAX];
	const char *text = read_file(w->g, eventdir_fmt_path(system, event, "filter", file));

	if (*text && strcmp(text, "none\n"))
		add_of_event(w->g, &w->in->filters, &w->in->n_filters, system, event, text);
	text = read_file(w->g, eventdir_fmt_path(system, event, "trigger", file));
	if (*text && *text != '#')
		add_of_event(w->g, &w->in->triggers, &w->in->n_triggers, system, event, text);
	return w->g->failed ? -ENOMEM : 0;
}

/* --- options, CPUs, errors -------------------------------------------------------------------- */

static void gather_options(struct gather *g, struct state_instance *in)
{
	SCOPED(name_list_release) struct name_list names = {0};
	char file[TRACEFS_PATH_MAX];

	tracefs_files(g->t, g->instance, "options", &names);
	in->options = arena_alloc_array(g->arena, names.n + 1, sizeof(*in->options));
	g->failed |= !in->options;
	for (size_t i = 0; !g->failed && i < names.n; i++) {
		long long now;

		snprintf(file, sizeof(file), "options/%s", names.names[i]);
		now = tracefs_read_number(g->t, g->instance, file);
		if (now < 0)
			continue;
		in->options[in->n_options++] = (struct state_option){
			keep(g, names.names[i], strlen(names.names[i])), now,
			!!now == defaults_option(g->instance, names.names[i])};
	}
}

/* Parses "entries: 12". */
static uint64_t number_after(const char *text, const char *name)
{
	const char *p = strstr(text, name);

	return p ? strtoull(p + strlen(name), NULL, 10) : 0;
}

static double seconds_after(const char *text, const char *name)
{
	const char *p = strstr(text, name);

	return p ? strtod(p + strlen(name), NULL) : 0;
}

static void gather_cpu(struct gather *g, struct state_cpu *c)
{
	char file[64], size[64] = "";
	const char *text;

	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", c->cpu);
	text = read_file(g, file);
	c->n_entries = number_after(text, "entries: ");
	c->n_overrun = number_after(text, "\noverrun: ");
	c->n_commit_overrun = number_after(text, "\ncommit overrun: ");
	c->bytes = number_after(text, "\nbytes: ");
	c->n_dropped = number_after(text, "\ndropped events: ");
	c->n_read = number_after(text, "\nread events: ");
	c->oldest = seconds_after(text, "\noldest event ts: ");
	c->now = seconds_after(text, "\nnow ts: ");
	snprintf(file, sizeof(file), "per_cpu/cpu%u/buffer_size_kb", c->cpu);
	tracefs_read_short(g->t, g->instance, file, size, sizeof(size));
	c->size_kb = strtoull(size, NULL, 10);
}

static void gather_cpus(struct gather *g, struct state_instance *in)
{
	struct name_list names = {0};
	char text[256] = "";

	tracefs_directories(g->t, g->instance, "per_cpu", &names);
	in->cpus = arena_alloc_array(g->arena, names.n + 1, sizeof(*in->cpus));
	g->failed |= !in->cpus;
	for (unsigned cpu = 0; !g->failed && in->n_cpus < names.n && cpu < 65536; cpu++) {
		snprintf(text, sizeof(text), "cpu%u", cpu);
		if (!name_list_find(&names, text))
			continue;
		in->cpus[in->n_cpus].cpu = cpu;
		gather_cpu(g, &in->cpus[in->n_cpus++]);
	}
	name_list_release(&names);
	*text = 0;
	tracefs_read_short(g->t, g->instance, "buffer_size_kb", text, sizeof(text));
	in->never_used = strstr(text, "expanded") != NULL;
	/* a snapshot with events has an ordinary header, which does not mention the snapshot */
	in->has_snapshot =
		tracefs_read_short(g->t, g->instance, "snapshot", text, sizeof(text)) > 0 &&
		!strstr(text, "Snapshot is freed");
}

/* Reads the error log. An entry begins with its time in brackets; the lines below belong to it. */
static void gather_errors(struct gather *g, struct state_instance *in)
{
	const char *p = read_file(g, "error_log");

	while (!g->failed && *p) {
		const char *end = strstr(p, "\n[");
		size_t len = end ? (size_t)(end - p) : strlen(p), kept = len;

		while (kept && p[kept - 1] == '\n')
			kept--;
		add_item(g, &in->errors, &in->n_errors, p, kept);
		p += len + !!end;
	}
}

/* --- all of it -------------------------------------------------------------------------------- */

static bool is_plain(const struct state_instance *in)
{
	bool plain = !in->n_events && !in->n_filters && !in->n_triggers && !in->has_snapshot &&
		     !in->n_errors;

	for (size_t i = 0; i < in->n_values; i++)
		plain &= !in->values[i].text || in->values[i].is_default;
	for (size_t i = 0; i < in->n_lists; i++)
		plain &= !in->lists[i].n;
	for (size_t i = 0; i < in->n_options; i++)
		plain &= in->options[i].is_default;
	for (size_t i = 0; i < in->n_cpus; i++) {
		const struct state_cpu *c = &in->cpus[i];

		plain &= !c->n_entries && !c->n_overrun && !c->n_dropped;
		plain &= in->never_used || (c->size_kb <= DEFAULTS_BUFFER_KB + SIZE_SLACK_KB &&
					    c->size_kb + SIZE_SLACK_KB >= DEFAULTS_BUFFER_KB);
	}
	return plain;
}

static void gather_instance(struct gather *g, struct state_instance *in, const char *name)
{
	struct event_walk walk = {g, in};
	struct errmsg ignored = {0};

	in->name = keep(g, name, strlen(name));
	g->instance = name;
	in->is_on = tracefs_read_number(g->t, name, "tracing_on") == 1;
	if (!journals_find_owner(name, &in->owner))
		in->owner = 0;
	gather_cpus(g, in); /* first, because reading other files may itself create events */
	gather_values(g, in);
	gather_lists(g, in);
	gather_events(g, in);
	eventdir_each(g->t, name, look_at_event, &walk, &ignored);
	gather_options(g, in);
	gather_errors(g, in);
	in->is_plain = is_plain(in);
}

/* Reads the probes. Since Linux 5.0 one file has all kinds; before, each kind has its own. */
static void gather_probes(struct gather *g, struct state_list *probes)
{
	static const char *const files[] = {"dynamic_events", "kprobe_events", "uprobe_events",
					    "synthetic_events"};
	bool all_in_one = tracefs_exists(g->t, "", files[0]);

	g->instance = "";
	for (size_t i = !all_in_one; i < (all_in_one ? 1 : ARRAY_LEN(files)); i++) {
		const char *p = read_file(g, files[i]), *line;
		size_t len;

		while (!g->failed && next_line(&p, &line, &len))
			if (len && *line != '#')
				add_item(g, &probes->items, &probes->n, line, len);
	}
}

static int read_switch(const struct tracefs *t, const char *file)
{
	long long n = tracefs_read_number(t, "", file);

	return n < 0 ? -1 : n > 0;
}

static int read_state(struct tracestate *ts, const struct tracefs *t,
		      const struct name_list *instances, struct arena *arena)
{
	struct gather g = {.t = t, .instance = "", .arena = arena};
	struct utsname names = {0};

	*ts = (struct tracestate){0};
	uname(&names);
	textbuf_init(&g.text, FILE_MAX_BYTES);
	ts->root = keep(&g, t->root, strlen(t->root));
	ts->kernel = keep(&g, names.release, strlen(names.release));
	ts->ftrace_enabled = read_switch(t, "/proc/sys/kernel/ftrace_enabled");
	ts->stack_tracer = read_switch(t, "/proc/sys/kernel/stack_tracer_enabled");
	ts->instances = arena_alloc_array(arena, instances->n + 1, sizeof(*ts->instances));
	g.failed |= !ts->instances;
	for (size_t i = 0; !g.failed && i < instances->n; i++)
		gather_instance(&g, &ts->instances[ts->n_instances++], instances->names[i]);
	if (!g.failed)
		gather_probes(&g, &ts->probes);
	textbuf_release(&g.text);
	return g.failed ? -ENOMEM : 0;
}

/* A file that cannot be read counts as missing; if permission is the reason, refuse. */
static int check_readable(const struct tracefs *t, const struct name_list *list, struct errmsg *err)
{
	char text[8];

	for (size_t i = 0; i < list->n; i++) {
		int r = tracefs_read_short(t, list->names[i], "tracing_on", text, sizeof(text));

		if (r < 0)
			return tracefs_refuse_read(t, list->names[i], "tracing_on", r, err);
	}
	return 0;
}

int live_state_read(struct tracestate *ts, const struct instance_args *args, struct arena *arena,
		    struct errmsg *err)
{
	SCOPED(name_list_release) struct name_list list = {0};
	struct tracefs t;

	TRY(tracefs_open(&t, err));
	TRY(instances_take(&t, args, &list, err));
	TRY(check_readable(&t, &list, err));
	return read_state(ts, &t, &list, arena);
}
