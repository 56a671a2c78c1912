// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sampling.c - one sampling from its events to the file.
 *
 *	samplesource ─▶ records by time ─┬─ MMAP2 FORK COMM EXIT ─▶ spaces, sampletasks
 *	                                 ├─ SAMPLE ─▶ samplestack: places ─▶ samplepages ─▶ livefile
 *	                                 ├─ SWITCH ─▶ offcpu: waits ────────────┘
 *	                                 └─ LOST   ─▶ counted, and stored in the next page
 *
 * Threads: the reader owns all of this, from sampling_start() to sampling_stop(). The main thread
 * finds names (placenames.h) and writes the directory of the file. Counters are atomic.
 *
 * The rings are read when one is a quarter full, or every READ_MS. Records of several rings are put
 * in order: a record that is younger than HORIZON_NS waits for the next round, because another CPU
 * may still be writing an older one. The samples of one CPU are in order anyway.
 */
#include "capture/perf/sampling_int.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/stoppipe.h"
#include "base/textbuf.h"
#include "format/tracedat.h"
#include "store/live/livefile.h"
#include "store/packedtext.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define READ_MS		 200
#define FLUSH_NS	 400000000u
#define HORIZON_NS	 1000000u
#define OPTION_MAX_BYTES (64u << 20)
#define TIDS_MAX	 (1u << 20)
#define MANY_TIDS	 1000
#define MAX_RATE_FILE	 "/proc/sys/kernel/perf_event_max_sample_rate"

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/*
 * --- opening -----------------------------------------------------------------------------------
 */

static bool has_cycles(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_HW_CPU_CYCLES,
				       .sample_period = 1000000,
				       .disabled = 1,
				       .exclude_kernel = 1,
				       .exclude_hv = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* cycles, if the machine counts them. */
static int choose_event(struct sampling *s, struct errmsg *err)
{
	/* an event that never happens; tasks and mappings are reported all the same */
	if (s->config.only_counters)
		return perfevents_parse("dummy", &s->own_events, err);
	s->is_clock = !has_cycles();
	return perfevents_parse(s->is_clock ? "cpu-clock" : "cycles", &s->own_events, err);
}

static bool is_cycles(const struct perfevents_event *e)
{
	return e->kind == PERFEVENTS_HARDWARE && e->attr.type == PERF_TYPE_HARDWARE &&
	       e->attr.config == PERF_COUNT_HW_CPU_CYCLES && !e->pmu;
}

/* cycles:u becomes cpu-clock:u on a machine that does not count cycles, as with perf. */
static int replace_cycles(struct sampling *s, struct errmsg *err)
{
	struct perfevents *all = s->config.events;

	if (!ARRAY_ANY(all->n, i, is_cycles(&all->events[i])) || has_cycles())
		return 0;
	s->is_clock = true;
	for (size_t i = 0; i < all->n; i++) {
		struct perfevents_event *e = &all->events[i];
		char *name;

		if (!is_cycles(e))
			continue;
		if (asprintf(&name, "cpu-clock%s", e->name + strcspn(e->name, ":/")) < 0)
			return errmsg_set_errno(err, -ENOMEM, "cannot sample");
		free(e->name);
		e->name = name;
		e->kind = PERFEVENTS_SOFTWARE;
		e->attr.type = PERF_TYPE_SOFTWARE;
		e->attr.config = PERF_COUNT_SW_CPU_CLOCK;
		e->attr.precise_ip = 0;
	}
	return 0;
}

static uint64_t limit_rate(uint64_t rate)
{
	SCOPED(fclose_scoped) FILE *f = fopen(MAX_RATE_FILE, "re");
	unsigned long long max = 0;

	return f && fscanf(f, "%llu", &max) == 1 && max && rate > max ? max : rate;
}

int sampling_open(struct sampling **ret, const struct sampling_config *config, struct errmsg *err)
{
	struct sampling *s = calloc(1, sizeof(*s));
	int r = 0;

	if (!s)
		return errmsg_set_errno(err, -ENOMEM, "cannot sample");
	s->config = *config;
	s->stop_fds[0] = s->stop_fds[1] = s->failure_fds[0] = s->failure_fds[1] = -1;
	if (!s->config.events || !s->config.events->n) {
		r = choose_event(s, err);
		s->config.events = &s->own_events;
	} else {
		r = replace_cycles(s, err);
	}
	if (!s->config.rate && !s->config.period)
		s->config.rate = SAMPLING_RATE;
	s->config.rate = limit_rate(s->config.rate);
	if (!s->config.stack_bytes)
		s->config.stack_bytes = SAMPLING_STACK_BYTES;
	s->files = codefiles_new();
	s->spaces = s->files ? spaces_new(s->files) : NULL;
	s->tasks = sampletasks_new();
	s->names = s->files ? placenames_new(s->files, config->is_alone, config->is_live) : NULL;
	if (r >= 0 && (!s->spaces || !s->tasks || !s->names || pipe2(s->stop_fds, O_CLOEXEC) ||
		       pipe2(s->failure_fds, O_CLOEXEC)))
		r = errmsg_set_errno(err, -ENOMEM, "cannot sample");
	if (r < 0) {
		sampling_close(s);
		return r;
	}
	*ret = s;
	return 0;
}

static bool add_tid(struct sampling *s, int tid)
{
	if (!ARRAY_ROOM(s->tids, s->cap_tids, s->n_tids + 1, TIDS_MAX))
		return false;
	s->tids[s->n_tids++] = tid;
	return true;
}

ARRAY_ORDER(by_tid, int, COMPARE(*x, *y))

/* A thread that was named twice, itself and by its process, is sampled once. */
static void drop_repeated_tids(struct sampling *s)
{
	size_t n = 0;

	if (s->n_tids)
		qsort(s->tids, s->n_tids, sizeof(*s->tids), by_tid);
	for (size_t i = 0; i < s->n_tids; i++)
		if (!n || s->tids[n - 1] != s->tids[i])
			s->tids[n++] = s->tids[i];
	s->n_tids = n;
}

/* All threads of a process. */
static int add_process(struct sampling *s, int pid, struct errmsg *err)
{
	char path[64];
	SCOPED(closedir_scoped) DIR *dir = NULL;
	struct dirent *e;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return errmsg_set(err, -ESRCH, "there is no process %d", pid);
	while ((e = readdir(dir)))
		if (atoi(e->d_name) > 0 && !add_tid(s, atoi(e->d_name)))
			return errmsg_set_errno(err, -ENOMEM, "cannot sample");
	return 0;
}

/*
 * If an event for each of so many threads is too much, all threads of the machine are sampled, and
 * the samples of others are dropped.
 */
static int attach_many(struct sampling *s, struct samplesource_config *sc, struct errmsg *err)
{
	struct errmsg why = {0}, ignored = {0};
	int r = samplesource_open(&s->source, sc, &why);

	if (r >= 0)
		return r;
	sc->n_tids = 0;
	s->is_filtered = true;
	if (why.code == -EMFILE && samplesource_open(&s->source, sc, &ignored) >= 0)
		return 0;
	*err = why;
	return r;
}

/* Of a source of all threads: is it one of the chosen ones? */
static bool is_chosen(const struct sampling *s, uint32_t pid, uint32_t tid)
{
	const struct sampling_config *c = &s->config;

	return ARRAY_ANY(c->n_pids, i, c->pids[i] == (int)pid) ||
	       ARRAY_ANY(c->n_tids, i, c->tids[i] == (int)tid) || map_find(&s->children, pid);
}

/* A new process of a chosen one is chosen, too. */
static void choose_child(struct sampling *s, const struct perfrecord_task *t)
{
	void **slot;

	if (!s->is_filtered || s->config.no_inherit || !is_chosen(s, t->parent, t->parent_tid))
		return;
	slot = map_take(&s->children, t->pid, TIDS_MAX);
	if (slot)
		*slot = s; /* any value: the map is a set */
}

/* Counters have the numbers after those of the sampled events. */
static int open_counters(struct sampling *s, struct errmsg *err)
{
	struct samplecounters_config config = {
		.events = s->config.counters,
		.first_number = (uint32_t)samplesource_n_events(s->source),
		.interval_ms = s->config.counter_ms,
		.tids = s->tids,
		.n_tids = s->n_tids,
		.is_command = s->command,
		.cpus = s->config.cpus,
		.n_cpus = s->config.n_cpus,
		.no_inherit = s->config.no_inherit,
	};

	if (!s->config.counters || !s->config.counters->n)
		return 0;
	return samplecounters_open(&s->counters, &config, err);
}

void sampling_set_finder(struct sampling *s, sampling_finder *find, void *ctx)
{
	s->find_hook = find;
	s->find_ctx = ctx;
}

int sampling_attach(struct sampling *s, int command, struct errmsg *err)
{
	const struct sampling_config *c = &s->config;
	struct samplesource_config sc = {
		.events = c->events,
		.freq = c->rate,
		.period = c->period,
		.stacks = c->stacks,
		.stack_bytes = c->stack_bytes,
		.has_off_cpu = c->has_off_cpu,
		.no_inherit = c->no_inherit,
		.cpus = c->cpus,
		.n_cpus = c->n_cpus,
		.ring_bytes = c->ring_bytes,
	};

	if (c->is_everywhere || c->n_pids || c->n_tids)
		command = 0; /* it only says how long to sample */
	sc.is_command = command;
	for (size_t i = 0; i < c->n_pids; i++)
		TRY(add_process(s, c->pids[i], err));
	for (size_t i = 0; i < c->n_tids; i++)
		if (!add_tid(s, c->tids[i]))
			return errmsg_set_errno(err, -ENOMEM, "cannot sample");
	if (command && !add_tid(s, command))
		return errmsg_set_errno(err, -ENOMEM, "cannot sample");
	drop_repeated_tids(s);
	s->command = command;
	sc.tids = s->tids;
	sc.n_tids = s->n_tids;
	if (s->n_tids < MANY_TIDS)
		TRY(samplesource_open(&s->source, &sc, err));
	else
		TRY(attach_many(s, &sc, err));
	return open_counters(s, err);
}

/*
 * --- what runs already -------------------------------------------------------------------------
 */

static int process_of(int tid)
{
	char path[64], line[128];
	SCOPED(fclose_scoped) FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "Tgid:", 5))
			return atoi(line + 5);
	return tid;
}

static void read_process(struct sampling *s, int pid)
{
	sampletasks_read_proc(s->tasks, pid);
	spaces_read_proc(s->spaces, pid);
}

/* After the events were enabled: what is mapped meanwhile is in the rings, too. */
static void read_processes(struct sampling *s)
{
	SCOPED(closedir_scoped) DIR *proc = NULL;
	struct dirent *e;

	for (size_t i = 0; i < s->config.n_pids; i++)
		read_process(s, s->config.pids[i]);
	for (size_t i = 0; i < s->config.n_tids; i++)
		read_process(s, process_of(s->config.tids[i]));
	if (s->command)
		sampletasks_read_proc(s->tasks, s->command);
	if (s->n_tids)
		return;
	proc = opendir("/proc");
	while (proc && (e = readdir(proc)))
		if (atoi(e->d_name) > 0)
			read_process(s, atoi(e->d_name));
}

/*
 * --- records -----------------------------------------------------------------------------------
 */

/* The kernel, of a chain: entries behind the first one are return addresses. */
static void add_chain(struct sampling *s, const struct perfrecord_sample *p)
{
	bool is_user = false, is_skipped = false, is_first = true;

	for (size_t i = 0; i < p->n_chain; i++) {
		uint64_t address = p->chain[i];

		if (address >= (uint64_t)PERF_CONTEXT_MAX) {
			is_user = address == (uint64_t)PERF_CONTEXT_USER;
			is_skipped = !is_user && address != (uint64_t)PERF_CONTEXT_KERNEL;
			is_first = true;
			continue;
		}
		if (is_skipped)
			continue;
		if (is_user && address < 4096) /* no frame pointer, but a number */
			break;
		samplestack_add(s, is_user ? (int)p->pid : -1, address, !is_first);
		is_first = false;
	}
}

static int put_sample(struct sampling *s, const struct perfrecord_sample *p, uint32_t event,
		      unsigned cpu)
{
	struct sampleevents_sample *out = &s->sample;
	size_t n = s->n_stack;

	out->type = SAMPLEEVENTS_SAMPLE;
	out->pid = (int32_t)p->tid;
	out->tgid = (int32_t)p->pid;
	out->period = p->period;
	out->event = event;
	out->ip = n ? out->stack[0] : 0;
	atomic_fetch_add_explicit(&s->n_samples, 1, memory_order_relaxed);
	return samplepages_add(s->pages, cpu, p->time, out, sampleevents_set_stack(out, n));
}

/* Fills the stack of s->sample. */
static void make_stack(struct sampling *s, const struct perfrecord_sample *p)
{
	s->n_stack = 0;
	add_chain(s, p);
	if (p->regs_abi)
		samplestack_unwind(s, p);
	samplestack_add_branches(s, p);
	if (!s->n_stack)
		samplestack_add(s, sampleevents_is_kernel(p->ip) ? -1 : (int)p->pid, p->ip, false);
}

static int take_sample(struct sampling *s, const struct samplesource_record *rec)
{
	int event = samplesource_find(s->source, perfrecord_id(rec->header));
	const struct samplesource_event *e;
	struct perfrecord_sample p;

	if (event < 0) {
		s->n_odd++;
		return 0;
	}
	e = samplesource_event(s->source, (size_t)event);
	if (!perfrecord_read_sample(rec->header, &e->shape, &p)) {
		s->n_odd++;
		return 0;
	}
	if (s->is_filtered && !is_chosen(s, p.pid, p.tid))
		return 0;
	sampletasks_see(s->tasks, (int)p.pid, (int)p.tid);
	make_stack(s, &p);
	if (e->is_off_cpu) {
		offcpu_leave(s, &p, (uint32_t)event);
		return 0;
	}
	TRY(put_sample(s, &p, (uint32_t)event, rec->cpu));
	return e->has_leader_sampling ? samplegroup_put(s, &p, (uint32_t)event, rec->cpu) : 0;
}

static void take_comm(struct sampling *s, const struct perf_event_header *header)
{
	uint32_t pid = 0, tid = 0;
	const char *name = perfrecord_read_comm(header, &pid, &tid);
	bool is_exec = header->misc & PERF_RECORD_MISC_COMM_EXEC;

	if (!name)
		return;
	sampletasks_name(s->tasks, (int)pid, (int)tid, name, is_exec);
	if (is_exec)
		spaces_exec(s->spaces, (int)pid);
}

static void take_task(struct sampling *s, const struct perf_event_header *header)
{
	struct perfrecord_task t = {0};

	if (!perfrecord_read_task(header, &t))
		return;
	if (header->type == PERF_RECORD_FORK) {
		choose_child(s, &t);
		spaces_fork(s->spaces, (int)t.pid, (int)t.parent);
		sampletasks_fork(s->tasks, (int)t.pid, (int)t.tid, (int)t.parent_tid);
	} else if (t.pid == t.tid) {
		spaces_exit(s->spaces, (int)t.pid);
	}
}

static int take_lost(struct sampling *s, const struct samplesource_record *rec)
{
	uint64_t n = perfrecord_read_lost(rec->header);

	atomic_fetch_add_explicit(&s->n_lost, n, memory_order_relaxed);
	return samplepages_lose(s->pages, rec->cpu, n);
}

static int take_record(struct sampling *s, const struct samplesource_record *rec)
{
	struct perfrecord_map map;

	switch (rec->header->type) {
	case PERF_RECORD_SAMPLE:
		return take_sample(s, rec);
	case PERF_RECORD_MMAP2:
		if (perfrecord_read_map(rec->header, &map))
			spaces_map(s->spaces, &map);
		return 0;
	case PERF_RECORD_COMM:
		take_comm(s, rec->header);
		return 0;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		take_task(s, rec->header);
		return 0;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return take_lost(s, rec);
	case PERF_RECORD_THROTTLE:
		s->n_throttled++;
		return 0;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return offcpu_take_switch(s, rec);
	default:
		return 0;
	}
}

/* Reads what is older than until_ns. */
static int read_round(struct sampling *s, uint64_t until_ns)
{
	struct samplesource_record rec;
	int r = 0;

	samplesource_begin(s->source);
	while (r >= 0 && samplesource_next(s->source, until_ns, &rec))
		r = take_record(s, &rec);
	samplesource_end(s->source);
	return r;
}

/*
 * Values of counters that are due. Samples up to until_ns are stored already, so a value gets that
 * time: a millisecond early, but in order.
 */
static int read_counters(struct sampling *s, uint64_t until_ns, bool is_last)
{
	int n;

	if (!s->counters)
		return 0;
	n = samplecounters_read(s->counters, s->pages, until_ns, is_last);
	TRY(n);
	atomic_fetch_add_explicit(&s->n_counted, (uint64_t)n, memory_order_relaxed);
	return 0;
}

static int read_rest(struct sampling *s)
{
	samplesource_disable(s->source);
	TRY(read_round(s, UINT64_MAX));
	samplesource_report_losses(s->source);
	TRY(read_round(s, UINT64_MAX));
	TRY(read_counters(s, now_ns(), true));
	return samplepages_flush(s->pages);
}

/*
 * --- the thread --------------------------------------------------------------------------------
 */

static uint64_t cpu_ns(const struct rusage *u)
{
	return ((uint64_t)u->ru_utime.tv_sec + (uint64_t)u->ru_stime.tv_sec) * 1000000000u +
	       ((uint64_t)u->ru_utime.tv_usec + (uint64_t)u->ru_stime.tv_usec) * 1000u;
}

static int wait_ms(const struct sampling *s)
{
	unsigned ms = s->counters ? samplecounters_interval_ms(s->counters) : READ_MS;

	return (int)(ms < READ_MS ? ms : READ_MS);
}

static int read_until_stop(struct sampling *s)
{
	uint64_t flushed = now_ns();

	while (!atomic_load(&s->is_stopping)) {
		uint64_t start;

		samplesource_wait(s->source, s->stop_fds[0], wait_ms(s));
		start = now_ns();
		TRY(read_round(s, start - HORIZON_NS));
		TRY(read_counters(s, start - HORIZON_NS, false));
		if (samplesource_is_over(s->source))
			atomic_store(&s->is_over, true);
		if (start - flushed < FLUSH_NS)
			continue;
		TRY(samplepages_flush(s->pages));
		flushed = start;
	}
	return read_rest(s);
}

static void *read_rings(void *ctx)
{
	struct sampling *s = ctx;
	struct rusage used;
	int r;

	read_processes(s);
	r = read_until_stop(s);
	if (r < 0) {
		s->error = r;
		samplesource_disable(s->source);
		(void)!write(s->failure_fds[1], "", 1);
	}
	getrusage(RUSAGE_THREAD, &used);
	s->reader_ns = cpu_ns(&used);
	return NULL;
}

static int take_page(void *ctx, unsigned cpu, const void *page, size_t n_bytes)
{
	struct sampling *s = ctx;
	struct liveregion *region = livefile_region(s->file, s->buffer, cpu);

	TRY(liveregion_append(region, page, n_bytes));
	return liveregion_wants_cut(region);
}

static int flush_region(void *ctx, unsigned cpu)
{
	struct sampling *s = ctx;

	return liveregion_flush(livefile_region(s->file, s->buffer, cpu));
}

static int cut_regions(void *ctx)
{
	struct sampling *s = ctx;

	for (unsigned cpu = 0; cpu < s->n_cpus; cpu++)
		TRY(flush_region(s, cpu));
	return livefile_cut(s->file, s->buffer);
}

int sampling_start(struct sampling *s, struct livefile *file, int buffer, unsigned n_cpus,
		   uint32_t page_size, struct errmsg *err)
{
	int r;

	s->file = file;
	s->buffer = buffer;
	s->n_cpus = n_cpus;
	s->pages = samplepages_new(&(struct samplepages_config){.n_cpus = n_cpus,
								.page_size = page_size,
								.ctx = s,
								.take = take_page,
								.flush = flush_region,
								.cut = cut_regions});
	if (!s->pages)
		return errmsg_set_errno(err, -ENOMEM, "cannot sample");
	if (!s->command)
		samplesource_enable(s->source);
	if (s->counters)
		TRY(samplecounters_start(s->counters, err));
	r = -pthread_create(&s->thread, NULL, read_rings, s);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot start a thread");
	s->has_thread = true;
	return 0;
}

int sampling_start_live(struct sampling *s, sampling_taker *take, void *ctx, unsigned n_cpus,
			uint32_t page_size, struct errmsg *err)
{
	s->n_cpus = n_cpus;
	s->pages = samplepages_new(&(struct samplepages_config){
		.n_cpus = n_cpus, .page_size = page_size, .ctx = ctx, .take = take});
	if (!s->pages)
		return errmsg_set_errno(err, -ENOMEM, "cannot sample");
	if (!s->command)
		samplesource_enable(s->source);
	if (s->counters)
		TRY(samplecounters_start(s->counters, err));
	read_processes(s);
	return 0;
}

int sampling_read(struct sampling *s, bool is_last)
{
	if (is_last)
		return read_rest(s);
	samplesource_wait(s->source, -1, 0);
	TRY(read_round(s, now_ns() - HORIZON_NS));
	TRY(read_counters(s, now_ns() - HORIZON_NS, false));
	if (samplesource_is_over(s->source))
		atomic_store(&s->is_over, true);
	TRY(samplepages_flush(s->pages));
	return READ_MS * 1000 / 4;
}

int sampling_fd(const struct sampling *s)
{
	return s->failure_fds[0];
}

bool sampling_is_over(const struct sampling *s)
{
	return atomic_load(&s->is_over);
}

uint64_t sampling_n_samples(const struct sampling *s)
{
	return atomic_load(&s->n_samples) + atomic_load(&s->n_counted);
}

uint64_t sampling_n_lost(const struct sampling *s)
{
	return atomic_load(&s->n_lost);
}

int sampling_stop(struct sampling *s, struct errmsg *err)
{
	if (s->has_thread) {
		atomic_store(&s->is_stopping, true);
		stoppipe_stop(s->stop_fds);
		pthread_join(s->thread, NULL);
		s->has_thread = false;
	}
	return s->error < 0 ? errmsg_set_errno(err, s->error, "cannot store samples") : 0;
}

/*
 * --- what the file says of it ------------------------------------------------------------------
 */

void sampling_add_formats(const struct sampling *s, struct textbuf *tb)
{
	const char *names[2 * SAMPLESOURCE_EVENTS_MAX];
	size_t n = samplesource_n_events(s->source);

	for (size_t i = 0; i < n; i++)
		names[i] = samplesource_event(s->source, i)->name;
	for (size_t i = 0; s->counters && i < s->config.counters->n && n < ARRAY_LEN(names); i++)
		names[n++] = s->config.counters->events[i].name;
	sampleevents_add_formats(tb, names, n);
}

int sampling_add_buffer(struct livefile *file, unsigned n_cpus, uint32_t page_size,
			uint64_t max_bytes, struct errmsg *err)
{
	return livefile_add_buffer(file,
				   &(struct livefile_buffer){
					   .name = SAMPLEEVENTS_BUFFER,
					   .clock = SAMPLEEVENTS_CLOCK,
					   .page_size = page_size,
					   .n_cpus = n_cpus,
					   .max_bytes = max_bytes,
					   .joint = true,
					   .packed = true,
				   },
				   err);
}

static const char *stacks_name(enum samplestacks stacks)
{
	static const char *const names[] = {[SAMPLESTACKS_FP] = "fp",
					    [SAMPLESTACKS_DWARF] = "dwarf",
					    [SAMPLESTACKS_LBR] = "lbr",
					    [SAMPLESTACKS_NONE] = "none"};

	return names[stacks];
}

void sampling_fmt_option(struct sampling *s, struct textbuf *tb)
{
	for (size_t i = 0; i < samplesource_n_events(s->source); i++)
		textbuf_addf(tb, "E %zu %s\n", i, samplesource_event(s->source, i)->name);
	for (size_t i = 0; s->counters && i < s->config.counters->n; i++)
		textbuf_addf(tb, "E %zu %s\n", samplesource_n_events(s->source) + i,
			     s->config.counters->events[i].name);
	if (s->counters)
		textbuf_addf(tb, "C counters %zu %s\n", samplesource_n_events(s->source),
			     s->n_tids ? "tasks" : "cpus");
	codefiles_fmt(s->files, tb);
	if (s->config.period)
		textbuf_addf(tb, "C period %llu\n", (unsigned long long)s->config.period);
	else
		textbuf_addf(tb, "C rate %llu\n", (unsigned long long)s->config.rate);
	textbuf_addf(tb, "C stacks %s\n", stacks_name(s->config.stacks));
	if (samplesource_is_only_user(s->source))
		textbuf_add_str(tb, "C only user\n");
	if (s->config.has_off_cpu)
		textbuf_addf(tb, "C off-cpu %llu\n", (unsigned long long)s->config.off_cpu_min_ns);
	textbuf_addf(tb, "L %llu\n", (unsigned long long)sampling_n_lost(s));
}

int sampling_add_option(struct sampling *s, struct livefile *file, struct errmsg *err)
{
	TEXTBUF(text, OPTION_MAX_BYTES);
	TEXTBUF(packed, OPTION_MAX_BYTES);

	sampling_fmt_option(s, &text);
	if (packedtext_fmt(PIECE_OF_TEXT(&text), &packed) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot store the files of the samples");
	return livefile_add_option(file, SNF_OPTION_SAMPLES, PIECE_OF_TEXT(&packed), err);
}

void sampling_add_new_symbols(struct sampling *s, size_t *from, struct textbuf *tb)
{
	placenames_update(s->names);
	placenames_add(s->names, from, tb);
}

void sampling_add_symbols(struct sampling *s, struct textbuf *tb)
{
	size_t from = 0;

	placenames_finish(s->names);
	placenames_add(s->names, &from, tb);
}

void sampling_add_names(struct sampling *s, struct textbuf *tb)
{
	sampletasks_fmt(s->tasks, tb);
}

void sampling_add_processes(struct sampling *s, struct processes *p)
{
	sampletasks_add_processes(s->tasks, p);
}

void sampling_get_sum(struct sampling *s, struct sampling_sum *ret)
{
	*ret = (struct sampling_sum){
		.n_samples = atomic_load(&s->n_samples),
		.n_lost = sampling_n_lost(s),
		.n_counted = atomic_load(&s->n_counted),
		.n_waits = s->n_waits,
		.n_throttled = s->n_throttled,
		.n_cut = s->n_cut,
		.n_odd = s->n_odd,
		.n_late = s->pages ? samplepages_n_late(s->pages) : 0,
		.n_files = codefiles_n(s->files),
		.reader_ns = s->reader_ns,
		.rate = s->config.period ? 0 : s->config.rate,
		.is_clock = s->is_clock,
		.is_filtered = s->is_filtered,
	};
	placenames_count(s->names, &ret->n_places, &ret->n_unnamed);
	if (!s->source)
		return;
	ret->is_only_user = samplesource_is_only_user(s->source);
	ret->ring_bytes = samplesource_ring_bytes(s->source);
	ret->n_gone = samplesource_n_gone(s->source);
	ret->sample_ns = samplesource_sample_ns(s->source);
}

void sampling_close(struct sampling *s)
{
	struct errmsg ignored = {0};

	if (!s)
		return;
	sampling_stop(s, &ignored);
	samplesource_close(s->source);
	samplecounters_free(s->counters);
	samplepages_free(s->pages);
	placenames_free(s->names);
	sampletasks_free(s->tasks);
	spaces_free(s->spaces);
	samplestack_release(s);
	offcpu_release(s);
	codefiles_free(s->files);
	map_release(&s->group_values);
	map_release(&s->children);
	perfevents_release(&s->own_events);
	free(s->tids);
	for (int i = 0; i < 2; i++) {
		if (s->stop_fds[i] >= 0)
			close(s->stop_fds[i]);
		if (s->failure_fds[i] >= 0)
			close(s->failure_fds[i]);
	}
	free(s);
}
