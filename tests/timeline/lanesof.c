// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lanesof.c - what the timeline makes of a trace, as JSON, without a browser and a server.
 *
 *	lanesof FILE[,FILE…] states           a line for each task: its spans; each file is a machine,
 *	                                      +FILE one of the machine before it
 *	lanesof FILE lane SPEC [FROM TO]      a line for each span of a lane
 *	lanesof FILE tiles SPEC LEVEL N       a line for each record of the first N tiles
 *	lanesof FILE at SPEC ROW at|nearest|next|previous TIME…
 *	                                      a line for each time: what is there
 *	lanesof FILE finding SPEC…            for each lane: its spec and how many spans it has, and a line
 *	                                      before that if a span asked for by time is not in its listing
 *	lanesof FILE tasks|events|wakeups|functions|flame|offcpu|why|spans [PID [FROM TO [BY]]]
 *	                                      a line with the pids of all task numbers, then the answer;
 *	                                      BY: of flame, as in insight.h; of spans SPEC,SPEC…
 *	lanesof FILE list                     tasks, kinds, CPUs
 *	lanesof FILE time SPEC                how long building and tiles take
 *
 * LANESOF_EVENTS_MAX=N in the environment: so many events are gathered for one lane at a time.
 *
 * Times are nanoseconds since the origin, as everywhere in the viewer.
 */
#include "base/errmsg.h"
#include "finding.h"
#include "present/insight/json.h"
#include "timeline/insight/insight.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TEXT_MAX  ((size_t)256 << 20)

#define FILES_MAX 8

struct opened {
	struct tracefile *files[FILES_MAX];
	struct formats *formats[FILES_MAX];
	size_t n_files, n_sources;
	struct timeline_source *sources;
	struct timeline *tl;
	struct lanes *lanes;
};

static int complain(const struct errmsg *err)
{
	fprintf(stderr, "lanesof: %s\n", err->text);
	return 1;
}

static int open_file(struct opened *o, const char *path, struct errmsg *err)
{
	struct formats_config config = {0};
	struct timeconv_config times = {0};
	size_t n = o->n_files;
	uint32_t machine = o->n_sources ? o->sources[o->n_sources - 1].machine + (*path != '+') : 0;
	struct tracefile *tf;
	int r;

	path += *path == '+';
	r = n < FILES_MAX ? tracefile_open(&o->files[n], path, err) : -E2BIG;

	if (r >= 0)
		r = formats_new(&o->formats[n], o->files[n], &config, err);
	if (r < 0)
		return r;
	o->n_files++;
	tf = o->files[n];
	o->sources = realloc(o->sources, (o->n_sources + tf->n_buffers + 1) * sizeof(*o->sources));
	for (size_t i = 0; i < tf->n_buffers; i++) {
		struct timeline_source *src = &o->sources[o->n_sources++];

		*src = (struct timeline_source){
			.tf = tf, .formats = o->formats[n], .machine = machine};
		src->buffer = &tf->buffers[i];
		src->name = tf->buffers[i].name;
		timeconv_init(&src->time, tf, tf->buffers[i].clock, &times);
	}
	return 0;
}

static int open_trace(struct opened *o, char *paths, struct errmsg *err)
{
	int r = 0;

	for (char *path = paths, *comma; path && r >= 0; path = comma) {
		comma = strchr(path, ',');
		if (comma)
			*comma++ = 0;
		r = open_file(o, path, err);
	}
	if (r >= 0)
		r = timeline_new(&o->tl, o->sources, o->n_sources, 0, err);
	if (r >= 0)
		r = timeline_start(o->tl, NULL, err);
	if (r >= 0)
		r = timeline_wait(o->tl);
	if (r >= 0)
		r = lanes_new(&o->lanes, o->tl);
	if (r >= 0 && getenv("LANESOF_EVENTS_MAX"))
		lanes_set_events_max(o->lanes, strtoull(getenv("LANESOF_EVENTS_MAX"), NULL, 10));
	return r;
}

static void close_trace(struct opened *o)
{
	lanes_free(o->lanes);
	timeline_free(o->tl);
	for (size_t i = 0; i < o->n_files; i++) {
		formats_free(o->formats[i]);
		tracefile_close(o->files[i]);
	}
	free(o->sources);
}

static int print_states(struct opened *o)
{
	size_t n_tasks = timeline_n_tasks(o->tl);
	uint16_t *tasks = calloc(n_tasks + 1, sizeof(*tasks));
	struct state_list *lists = calloc(n_tasks + 1, sizeof(*lists));
	int r;

	for (size_t i = 0; i < n_tasks; i++)
		tasks[i] = i;
	r = task_states_many(o->tl, tasks, n_tasks, lists);
	for (size_t i = 0; r >= 0 && i < n_tasks; i++) {
		const struct timeline_task *t = timeline_task(o->tl, i);

		printf("{\"task\":%zu,\"pid\":%d,\"spans\":[", i, t->pid);
		for (size_t j = 0; j < lists[i].n; j++) {
			const struct state_span *s = &lists[i].spans[j];
			int waker = s->waker < 0 ? -1 : timeline_task(o->tl, s->waker)->pid;

			printf("%s[%llu,%llu,%d,%d,%d,%d]", j ? "," : "",
			       (unsigned long long)s->start, (unsigned long long)s->end, s->state,
			       s->cpu, s->state == STATE_RUNNABLE ? waker : -1,
			       s->open_start | s->open_end << 1 | s->waker_in_irq << 2);
		}
		printf("]}\n");
		free(lists[i].spans);
	}
	free(lists);
	free(tasks);
	return r;
}

static bool print_span(void *ctx, const struct lane_span *s)
{
	struct lane *ln = ctx;
	char label[256] = "";

	if (lane_kind(ln) == LANE_SPANS)
		lane_label(ln, s->value, label, sizeof(label));
	printf("{\"start\":%llu,\"end\":%llu,\"value\":%u,\"row\":%u,\"flags\":%u,\"aux\":%d,"
	       "\"waker\":%d,\"label\":\"%s\",\"number\":%.17g,\"refs\":[%s,%s]}\n",
	       (unsigned long long)s->start, (unsigned long long)s->end, s->value, s->row, s->flags,
	       (int)s->aux, s->waker, label, s->number, s->first == UINT64_MAX ? "false" : "true",
	       s->last == UINT64_MAX ? "false" : "true");
	return true;
}

/* Through windows, if the lane has more events than are gathered at once. */
static int print_tile(struct opened *o, const char *spec, int level, uint64_t number)
{
	struct errmsg err = {0};
	struct lanes_tile made;
	int r = lanes_tile(o->lanes, spec, level, number, &made, &err);

	if (r < 0)
		return complain(&err);
	for (size_t i = 0; i < made.tile.n; i++) {
		const struct tile_record *t = &made.tile.records[i];
		struct counter_record c;

		memcpy(&c, t, sizeof(c));
		if (made.kind == LANE_COUNTER)
			printf("[%.9g,%.9g,%.9g,%.9g]\n", c.x0, c.x1, c.min, c.max);
		else
			printf("[%.9g,%.9g,%u,%u,%u,%u]\n", t->x0, t->x1, t->value, t->weight,
			       t->row, t->flags);
	}
	free(made.tile.records);
	return 0;
}

/* Time that was worked, by all threads or by this one: others on the machine do not count. */
static double worked_ms(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1e3 + ts.tv_nsec / 1e6;
}

/* Tiles of every level: the slowest of some places. */
static void print_times(struct opened *o, struct lane *ln, double build_ms)
{
	uint64_t duration = timeline_duration(o->tl);

	double worst_all = 0;
	int worst_level = 0;

	for (int level = 0; level <= 48 && duration >> level; level++) {
		uint64_t last = duration >> (level + TILE_BITS);
		double sum = 0;

		for (unsigned i = 0; i < 32; i++) {
			double begin = worked_ms(CLOCK_THREAD_CPUTIME_ID), took;
			struct tile tile = {0};

			lane_tile(ln, level, last * i / 32, &tile);
			took = worked_ms(CLOCK_THREAD_CPUTIME_ID) - begin;
			sum += took;
			free(tile.records);
		}
		if (sum / 32 > worst_all) {
			worst_all = sum / 32;
			worst_level = level;
		}
	}
	printf("build %.2f ms of all threads, %zu bytes, %u rows; tiles of the slowest level (%d) "
	       "%.3f ms\n",
	       build_ms, lanes_memory(o->lanes), lane_n_rows(ln), worst_level, worst_all);
}

static void print_at(struct opened *o, const char *spec, unsigned row, const char *step,
		     char **times, int n)
{
	static const char *const steps[] = {"at", "nearest", "next", "previous"};
	unsigned s = 0;

	while (s < LANE_PREVIOUS && strcmp(steps[s], step))
		s++;
	for (int i = 0; i < n; i++) {
		struct errmsg err = {0};
		struct lane_span span;
		struct lane *ln = NULL;

		if (lanes_span_at(o->lanes, spec, strtoull(times[i], NULL, 10), row, s, &ln, &span,
				  &err) < 0)
			printf("{}\n");
		else
			print_span(ln, &span);
		lane_put(ln);
	}
}

/* Lanes of more events than are gathered at once come in windows; so this does not ask for the whole. */
static int each_command(struct opened *o, int argc, char **argv)
{
	struct errmsg err = {0};
	struct lane *ln;
	uint64_t from, to;
	int r = lane_get_at(o->lanes, argv[3], 0, &ln, &from, &to, &err);

	if (r < 0)
		return complain(&err);
	r = lanes_each(o->lanes, argv[3], argc > 5 ? strtoull(argv[4], NULL, 10) : 0,
		       argc > 5 ? strtoull(argv[5], NULL, 10) : TIMELINE_TIME_MAX, print_span, ln,
		       NULL, &err);
	lane_put(ln);
	return r < 0 ? complain(&err) : 0;
}

static int lane_command(struct opened *o, char **argv)
{
	struct errmsg err = {0};
	struct lane *ln;
	double begin = worked_ms(CLOCK_PROCESS_CPUTIME_ID);
	int r = lane_get(o->lanes, argv[3], &ln, &err);

	if (r < 0)
		return complain(&err);
	print_times(o, ln, worked_ms(CLOCK_PROCESS_CPUTIME_ID) - begin);
	lane_put(ln);
	return 0;
}

static int tiles_command(struct opened *o, char **argv)
{
	int r = 0;

	for (uint64_t i = 0; i < strtoull(argv[5], NULL, 10) && !r; i++)
		r = print_tile(o, argv[3], atoi(argv[4]), i);
	return r;
}

static int finding_command(struct opened *o, char **specs, int n)
{
	for (int i = 0; i < n; i++) {
		struct errmsg err = {0};
		struct lane *ln;
		long n_spans = 0;

		if (lane_get(o->lanes, specs[i], &ln, &err) >= 0) {
			n_spans = finding_try(ln, specs[i], timeline_duration(o->tl));
			lane_put(ln);
		}
		if (n_spans < 0)
			return 1;
		printf("%s %ld\n", specs[i], n_spans);
	}
	return 0;
}

static void print_pids(struct opened *o)
{
	putchar('[');
	for (size_t i = 0; i < timeline_n_tasks(o->tl); i++)
		printf("%s%d", i ? "," : "", timeline_task(o->tl, i)->pid);
	printf("]\n");
}

/* SPEC,SPEC… in place */
static size_t split(char *text, const char **ret)
{
	size_t n = 0;

	for (char *comma; text && n < SPANS_LANES_MAX; text = comma) {
		comma = strchr(text, ',');
		if (comma)
			*comma++ = 0;
		ret[n++] = text;
	}
	return n;
}

struct question {
	int task;
	const uint8_t *tasks;
	uint64_t from, to;
	char *by;
	bool off_cpu;
	const char *specs[SPANS_LANES_MAX];
	size_t n_specs;
};

/* The same as api/stats and api/why answer: a row for each. */
#define ANSWER(NAME, CALL, EMIT)                                                                   \
	static int answer_##NAME(struct opened *o, const struct question *q, struct jsonwriter *w) \
	{                                                                                          \
		struct insight_##NAME a;                                                           \
		int r = CALL;                                                                      \
                                                                                                   \
		if (r < 0)                                                                         \
			return r;                                                                  \
		EMIT;                                                                              \
		insight_##NAME##_release(&a);                                                      \
		return 0;                                                                          \
	}
ANSWER(tasks, insight_tasks(&a, o->lanes, NULL, q->from, q->to), insight_emit_tasks(&a, w))
ANSWER(events, insight_events(&a, o->lanes, NULL, q->from, q->to), insight_emit_events(&a, w))
ANSWER(wakeups, insight_wakeups(&a, o->lanes, q->tasks, q->from, q->to),
       insight_emit_wakeups(&a, w))
ANSWER(functions, insight_functions(&a, o->lanes, q->task, q->from, q->to),
       insight_emit_functions(&a, w))
ANSWER(flame, insight_flame(&a, o->lanes, q->off_cpu, q->by, q->task, q->from, q->to),
       insight_emit_flame(&a, o->tl, w))
ANSWER(spans, insight_spans(&a, o->lanes, q->specs, q->n_specs, q->from, q->to),
       insight_emit_spans(&a, w))
ANSWER(why, insight_why(&a, o->lanes, q->task, q->from, q->to), insight_emit_why(&a, o->tl, w))

static const struct {
	const char *what;
	int (*answer)(struct opened *o, const struct question *q, struct jsonwriter *w);
} answers[] = {
	{"tasks", answer_tasks},	 {"events", answer_events}, {"wakeups", answer_wakeups},
	{"functions", answer_functions}, {"flame", answer_flame},   {"offcpu", answer_flame},
	{"spans", answer_spans},	 {"why", answer_why},
};

static int answer(struct opened *o, const char *what, const struct question *q,
		  struct jsonwriter *w)
{
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		if (!strcmp(answers[i].what, what))
			return answers[i].answer(o, q, w);
	return -EINVAL;
}

static int insight_command(struct opened *o, const char *what, int pid, uint64_t from, uint64_t to,
			   char *by)
{
	int task = pid < 0 ? -1 : timeline_find_task(o->tl, 0, pid);
	uint8_t bits[INSIGHT_TASKS / 8] = {0};
	struct question q = {task, task < 0 ? NULL : bits, from, to, by, what[0] == 'o'};
	struct textbuf tb;
	struct jsonwriter w;
	double begin = worked_ms(CLOCK_PROCESS_CPUTIME_ID);
	int r;

	if (task >= 0)
		bits[task / 8] |= 1 << task % 8;
	textbuf_init(&tb, TEXT_MAX);
	jsonwriter_init(&w, &tb);
	if (!strcmp(what, "spans"))
		q.n_specs = split(by, q.specs);
	r = answer(o, what, &q, &w);
	print_pids(o);
	fwrite(tb.start, 1, textbuf_len(&tb), stdout);
	putchar('\n');
	if (getenv("LANESOF_TIMES"))
		fprintf(stderr, "%s %.2f ms\n", what, worked_ms(CLOCK_PROCESS_CPUTIME_ID) - begin);
	textbuf_release(&tb);
	return r < 0;
}

static void print_list(struct opened *o)
{
	printf("duration %llu origin %llu\n", (unsigned long long)timeline_duration(o->tl),
	       (unsigned long long)timeline_origin(o->tl));
	for (size_t i = 0; i < timeline_n_streams(o->tl); i++) {
		const struct timeline_stream *s = timeline_stream(o->tl, i);

		printf("stream %zu cpu %u events %llu first %llu\n", i, s->cpu,
		       (unsigned long long)s->n_events, (unsigned long long)s->first);
	}
	for (size_t i = 0; i < timeline_n_tasks(o->tl); i++) {
		const struct timeline_task *t = timeline_task(o->tl, i);

		printf("task %zu %s-%d events %llu\n", i, t->comm, t->pid,
		       (unsigned long long)t->n_events);
	}
	for (size_t i = 0; i < timeline_n_kinds(o->tl); i++) {
		const struct timeline_kind *k = timeline_kind(o->tl, i);

		printf("kind %zu %s/%s events %llu\n", i, k->event ? k->event->system : "?",
		       k->event ? k->event->name : "?", (unsigned long long)k->n_events);
	}
}

int main(int argc, char **argv)
{
	struct opened o = {0};
	struct errmsg err = {0};
	int r;

	if (argc < 3) {
		fprintf(stderr, "usage: lanesof FILE WHAT …\n");
		return 2;
	}
	if (open_trace(&o, argv[1], &err) < 0)
		return complain(&err);
	if (!strcmp(argv[2], "states"))
		r = print_states(&o) < 0;
	else if (!strcmp(argv[2], "finding"))
		r = finding_command(&o, argv + 3, argc - 3);
	else if (!strcmp(argv[2], "list"))
		r = (print_list(&o), 0);
	else if (argc > 5 && !strcmp(argv[2], "at"))
		r = (print_at(&o, argv[3], atoi(argv[4]), argv[5], argv + 6, argc - 6), 0);
	else if (argc > 3 && !strcmp(argv[2], "lane"))
		r = each_command(&o, argc, argv);
	else if (argc > 5 && !strcmp(argv[2], "tiles"))
		r = tiles_command(&o, argv);
	else if (argc > 3 && !strcmp(argv[2], "time"))
		r = lane_command(&o, argv);
	else
		r = insight_command(&o, argv[2], argc > 3 ? atoi(argv[3]) : -1,
				    argc > 5 ? strtoull(argv[4], NULL, 10) : 0,
				    argc > 5 ? strtoull(argv[5], NULL, 10) : TIMELINE_TIME_MAX,
				    argc > 6 ? argv[6] : NULL);
	close_trace(&o);
	return r;
}
