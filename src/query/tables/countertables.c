// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * countertables.c - the tables counter and counter_track: numbers over time.
 *
 *	power:cpu_frequency, cpu_idle   cpufreq (kHz) and cpuidle of a CPU
 *	power:clock_set_rate            the rate of a clock
 *	thermal:thermal_temperature     the temperature of a zone
 *	kmem:rss_stat                   mem.rss.anon, .file, .shmem and mem.swap of a process (bytes)
 *	perf:counter                    counters of the processor, since the recording began
 *	ftrace:print                    "C|PID|NAME|VALUE", which programs write into trace_marker
 *
 * Names are those of Perfetto. Each counter of a CPU, task or process is a track; its number is its
 * place in the order of appearance, so that both tables number alike. Numbers of tracks of slices
 * are smaller.
 */
#include "format/bytes.h"
#include "query/tables/tables.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/scope.h"
#include "decode/formats/event.h"
#include "decode/formats/formats.h"
#include "decode/samples/sampleinfo.h"
#include "query/eventcolumns.h"
#include "query/scan.h"
#include "symbols/processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACKS_MAX  (1u << 20)
#define FIRST_TRACK (INT64_C(1) << 48)
#define NAME_BYTES  160

enum counter_scope { OF_ALL, OF_CPU, OF_TASK, OF_PROCESS };

struct counter_value {
	const char *name;
	double value;
	enum counter_scope scope;
	int64_t of; /* CPU, utid or upid */
	bool adds;  /* the value is what came since the last one */
};

struct counting;

static const struct counter_kind {
	const char *system, *event, *type, *unit;
	const char *fields[3]; /* which read() gets by number */
	bool (*read)(struct counting *c, size_t kind, struct scan *s, struct counter_value *ret);
} kinds[];

struct track {
	int64_t id;
	const char *name; /* pooled */
	size_t kind, file;
	enum counter_scope scope;
	int64_t of;
	double sum;
	struct track *next; /* with the same hash */
};

struct counting {
	struct list_rows *rows;
	struct query_trace *trace;
	struct event_columns *columns; /* by kind; n is 0: the trace has no such event */
	int (*places)[3];	       /* by kind: columns of its fields; -1: there is none */
	int *ids;		       /* by file and kind */
	uint8_t **events;
	struct sampleinfo *infos; /* by file */
	struct map by_hash;	  /* struct track */
	struct track **tracks;
	size_t n_tracks;
	struct arena arena;
	char name[NAME_BYTES];
};

/* --- values ----------------------------------------------------------------------------------- */

static bool read_number(struct counting *c, size_t kind, size_t field, struct scan *s, int64_t *ret)
{
	int column = c->places[kind][field];

	return column >= 0 && event_columns_number(&c->columns[kind], (size_t)column, s, ret);
}

static bool read_text(struct counting *c, size_t kind, size_t field, struct scan *s,
		      struct piece *ret)
{
	int column = c->places[kind][field];

	return column >= 0 && event_columns_string(&c->columns[kind], (size_t)column, s, ret);
}

static int64_t process_of(const struct counting *c, const struct scan *s, int tid)
{
	int tgid = processes_find_tgid(c->trace->in->files[s->file].tasks.processes, tid);

	return query_upid(s->file, tgid < 0 ? tid : tgid);
}

/* cpu_frequency, cpu_idle: the number of a CPU, and its state */
static bool read_of_cpu(struct counting *c, size_t kind, struct scan *s, struct counter_value *ret)
{
	int64_t cpu, value;

	if (!read_number(c, kind, 0, s, &cpu) || !read_number(c, kind, 1, s, &value))
		return false;
	ret->name = kinds[kind].fields[2];
	ret->scope = OF_CPU;
	ret->of = cpu;
	ret->value = (double)value;
	return true;
}

/* The name of a thing in the machine, and its value. */
static bool read_named(struct counting *c, size_t kind, struct scan *s, struct counter_value *ret)
{
	struct piece name;
	int64_t value;

	if (!read_text(c, kind, 0, s, &name) || !read_number(c, kind, 1, s, &value))
		return false;
	snprintf(c->name, sizeof(c->name), "%.*s%s", (int)name.len, (const char *)name.data,
		 kinds[kind].fields[2]);
	ret->name = c->name;
	ret->value = (double)value;
	return true;
}

/* The task's own memory only: that of others has no pid, only a number of the kernel. */
static bool read_rss(struct counting *c, size_t kind, struct scan *s, struct counter_value *ret)
{
	static const char *const members[] = {"mem.rss.file", "mem.rss.anon", "mem.swap",
					      "mem.rss.shmem"};
	int64_t member, size, is_own = 1;

	if (!read_number(c, kind, 0, s, &member) || !read_number(c, kind, 1, s, &size) ||
	    (read_number(c, kind, 2, s, &is_own) && !is_own) || member < 0 ||
	    member >= (int64_t)ARRAY_LEN(members))
		return false;
	ret->name = members[member];
	ret->scope = OF_PROCESS;
	ret->of = process_of(c, s, scan_tid(s));
	ret->value = (double)size;
	return true;
}

static bool read_perf(struct counting *c, size_t kind, struct scan *s, struct counter_value *ret)
{
	int64_t event, value, cpu;
	int tid = scan_tid(s);

	if (!read_number(c, kind, 0, s, &event) || !read_number(c, kind, 1, s, &value))
		return false;
	ret->name = sampleinfo_event_name(&c->infos[s->file], (uint32_t)event);
	ret->value = (double)value;
	ret->adds = true;
	if (read_number(c, kind, 2, s, &cpu) && cpu >= 0) {
		ret->scope = OF_CPU;
		ret->of = cpu;
	} else if (tid > 0) {
		ret->scope = OF_TASK;
		ret->of = query_utid(s->file, tid);
	}
	return true;
}

/* "C|4711|frames|60": a program's own counter */
static bool read_mark(struct counting *c, size_t kind, struct scan *s, struct counter_value *ret)
{
	char text[NAME_BYTES * 2], *name, *number, *end;
	struct piece mark;
	long pid;

	if (!read_text(c, kind, 0, s, &mark) || mark.len < 2 || mark.len >= sizeof(text) ||
	    memcmp(mark.data, "C|", 2) != 0)
		return false;
	memcpy(text, mark.data, mark.len);
	text[mark.len] = '\0';
	pid = strtol(text + 2, &name, 10);
	number = *name == '|' ? strchr(name + 1, '|') : NULL;
	if (!number || pid < 0 || pid > INT32_MAX)
		return false;
	ret->value = strtod(number + 1, &end);
	if (end == number + 1)
		return false;
	snprintf(c->name, sizeof(c->name), "%.*s", (int)(number - name - 1), name + 1);
	ret->name = c->name;
	ret->scope = pid ? OF_PROCESS : OF_ALL;
	ret->of = pid ? query_upid(s->file, (int)pid) : 0;
	return true;
}

static const struct counter_kind kinds[] = {
	/* the third word of the first four is a name, or the end of one */
	{"power",
	 "cpu_frequency",
	 "cpu_frequency",
	 "kHz",
	 {"cpu_id", "state", "cpufreq"},
	 read_of_cpu},
	{"power", "cpu_idle", "cpu_idle", NULL, {"cpu_id", "state", "cpuidle"}, read_of_cpu},
	{"power",
	 "clock_set_rate",
	 "clock_frequency",
	 "Hz",
	 {"name", "state", " Frequency"},
	 read_named},
	{"thermal",
	 "thermal_temperature",
	 "thermal_temperature",
	 "m°C",
	 {"thermal_zone", "temp", " Temperature"},
	 read_named},
	{"kmem", "rss_stat", "process_memory", "bytes", {"member", "size", "curr"}, read_rss},
	{"perf", "counter", "perf_counter", NULL, {"event", "value", "of_cpu"}, read_perf},
	{"ftrace", "print", "process_counter", NULL, {"buf"}, read_mark},
};
#define N_KINDS ARRAY_LEN(kinds)

/* --- tracks ----------------------------------------------------------------------------------- */

/* Finds the track of a value, or adds it. NULL: no memory. */
static struct track *find_track(struct counting *c, size_t kind, size_t file,
				const struct counter_value *v)
{
	uint64_t hash = hash_of_text(0, v->name, strlen(v->name)) ^ (uint64_t)v->of * 31 ^
			(uint64_t)v->scope << 60 ^ (uint64_t)kind << 56 ^ (uint64_t)file << 48;
	void **slot = map_take(&c->by_hash, hash, TRACKS_MAX);
	struct track *t = slot ? *slot : NULL;

	for (; t; t = t->next)
		if (t->kind == kind && t->file == file && t->scope == v->scope && t->of == v->of &&
		    !strcmp(t->name, v->name))
			return t;
	t = slot ? arena_alloc(&c->arena, sizeof(*t)) : NULL;
	if (!t || !ARRAY_ONE_MORE(c->tracks, c->n_tracks, TRACKS_MAX))
		return NULL;
	*t = (struct track){.id = FIRST_TRACK + (int64_t)c->n_tracks,
			    .name = (const char *)(intptr_t)list_text(c->rows, v->name),
			    .kind = kind,
			    .file = file,
			    .scope = v->scope,
			    .of = v->of,
			    .next = *slot};
	if (!t->name)
		return NULL;
	*slot = t;
	c->tracks[c->n_tracks++] = t;
	return t;
}

/* --- reading ---------------------------------------------------------------------------------- */

static int find_column(const struct event_columns *columns, const char *name)
{
	char raw[NAME_BYTES];

	/* the number of a field that is shown as a name */
	snprintf(raw, sizeof(raw), "%s_raw", name);
	for (size_t i = 0; i < columns->n; i++)
		if (columns->list[i].kind == COLUMN_RAW && !strcmp(columns->list[i].name, raw))
			return (int)i;
	for (size_t i = 0; i < columns->n; i++)
		if (columns->list[i].kind == COLUMN_FIELD && !strcmp(columns->list[i].name, name))
			return (int)i;
	return -1;
}

static int find_kind(struct counting *c, size_t kind)
{
	const struct counter_kind *k = &kinds[kind];
	bool any = false;

	for (size_t i = 0; i < c->trace->in->n_files; i++) {
		const struct event *ev =
			formats_find_name(c->trace->in->files[i].formats, k->system, k->event);

		c->ids[i * N_KINDS + kind] = ev ? ev->id : -1;
		if (!ev || (unsigned)ev->id >= SEQUENCE_IDS)
			continue;
		c->events[i][ev->id] = 1;
		any = true;
	}
	if (!any)
		return 0;
	TRY(event_columns_init(&c->columns[kind], c->trace, k->system, k->event));
	for (size_t i = 0; i < ARRAY_LEN(k->fields); i++)
		c->places[kind][i] =
			k->fields[i] ? find_column(&c->columns[kind], k->fields[i]) : -1;
	return 1;
}

/* Returns 1, 0 if no file has counters, or a negative errno. */
static int counting_init(struct counting *c, struct list_rows *rows)
{
	size_t n_files = rows->trace->in->n_files;
	int any = 0;

	*c = (struct counting){.rows = rows, .trace = rows->trace};
	arena_init(&c->arena, 256u << 20);
	c->columns = calloc(N_KINDS, sizeof(*c->columns));
	c->places = calloc(N_KINDS, sizeof(*c->places));
	c->ids = calloc(n_files + 1, N_KINDS * sizeof(*c->ids));
	c->events = calloc(n_files + 1, sizeof(*c->events));
	c->infos = calloc(n_files + 1, sizeof(*c->infos));
	if (!c->columns || !c->places || !c->ids || !c->events || !c->infos)
		return -ENOMEM;
	for (size_t i = 0; i < n_files; i++) {
		c->events[i] = calloc(SEQUENCE_IDS, 1);
		if (!c->events[i])
			return -ENOMEM;
		/* damaged names are reported by the table sample; here an event is "event" */
		sampleinfo_read(&c->infos[i], c->trace->in->files[i].tf);
	}
	for (size_t i = 0; i < N_KINDS; i++) {
		int r = find_kind(c, i);

		TRY(r);
		any |= r;
	}
	return any;
}

static void counting_release(struct counting *c)
{
	for (size_t i = 0; c->columns && i < N_KINDS; i++)
		if (c->columns[i].trace)
			event_columns_release(&c->columns[i]);
	for (size_t i = 0; i < c->trace->in->n_files; i++) {
		if (c->events)
			free(c->events[i]);
		if (c->infos)
			sampleinfo_release(&c->infos[i]);
	}
	free(c->columns);
	free(c->places);
	free(c->ids);
	free(c->events);
	free(c->infos);
	free(c->tracks);
	map_release(&c->by_hash);
	arena_release(&c->arena);
}

static int take_record(struct counting *c, struct scan *s, bool with_rows)
{
	const int *ids = &c->ids[s->file * N_KINDS];
	struct counter_value v = {0};
	struct track *t;
	size_t kind = 0;

	while (kind < N_KINDS && ids[kind] != s->id)
		kind++;
	if (kind == N_KINDS || !kinds[kind].read(c, kind, s, &v))
		return 0;
	t = find_track(c, kind, s->file, &v);
	if (!t)
		return c->n_tracks < TRACKS_MAX ? -ENOMEM : -ENOSPC;
	t->sum += v.value;
	if (!with_rows)
		return 0;
	return list_add(c->rows,
			(int64_t[]){(int64_t)c->rows->n, (int64_t)s->rec.ts, t->id,
				    list_real(v.adds ? t->sum : v.value), (int64_t)s->place});
}

static int add_track(struct counting *c, const struct track *t)
{
	return list_add(c->rows,
			(int64_t[]){t->id, list_static(t->name), list_static(kinds[t->kind].type),
				    list_static(kinds[t->kind].unit),
				    t->scope == OF_CPU ? t->of : LIST_NULL,
				    t->scope == OF_TASK ? t->of : LIST_NULL,
				    t->scope == OF_PROCESS ? t->of : LIST_NULL, (int64_t)t->file});
}

static int fill(struct list_rows *rows, bool with_rows)
{
	struct counting c;
	struct scan scan = {0};
	int r = counting_init(&c, rows);

	if (r > 0) {
		struct scan_wants wants = {
			.to = UINT64_MAX, .events = c.events, .n_ids = SEQUENCE_IDS};

		r = scan_open(&scan, c.trace, &wants);
		while (r >= 0 && (r = scan_next(&scan)) > 0)
			r = take_record(&c, &scan, with_rows);
	}
	for (size_t i = 0; r >= 0 && !with_rows && i < c.n_tracks; i++)
		r = add_track(&c, c.tracks[i]);
	scan_close(&scan);
	counting_release(&c);
	return r;
}

static int fill_counters(struct list_rows *rows, const struct list_args *args)
{
	return fill(rows, true);
}

static int fill_tracks(struct list_rows *rows, const struct list_args *args)
{
	return fill(rows, false);
}

const struct list_table counter_tables[] = {
	{.name = "counter",
	 .columns = {{"id", LIST_INTEGER},
		     {"ts", LIST_INTEGER},
		     {"track_id", LIST_INTEGER},
		     {"value", LIST_REAL},
		     {"arg_set_id", LIST_INTEGER}},
	 .fill = fill_counters,
	 .sorted = 1,
	 .what = "numbers over time: frequencies, memory, counters of the processor"},
	{.name = "counter_track",
	 .columns = {{"id", LIST_INTEGER},
		     {"name", LIST_TEXT},
		     {"type", LIST_TEXT},
		     {"unit", LIST_TEXT},
		     {"cpu", LIST_INTEGER},
		     {"utid", LIST_INTEGER},
		     {"upid", LIST_INTEGER},
		     {"machine_id", LIST_INTEGER}},
	 .fill = fill_tracks,
	 .sorted = 0,
	 .what = "the counters, and the CPU, task or process that each belongs to"},
	{0},
};
