// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * countrun.c - one or several runs with counters.
 *
 *	child_start ─▶ counters for its pid ─▶ child_go: exec() starts them ─▶ wait ─▶ read
 *	               or for CPUs, processes:  ioctl() starts them
 *
 * While it waits it wakes up for: the end of the command or of all watched processes, a signal, the
 * time limit, the next interval, the end of the delay. In between nothing runs: counting costs what
 * the kernel needs for it.
 *
 * An interval shows differences. Counters are never reset, because events between reading and
 * resetting would be lost.
 */
#include "live/counters/countrun.h"

#include "base/clock.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/perf/counters/counterset.h"
#include "capture/record/child.h"
#include "capture/record/endsignals.h"
#include "live/counters/countroles.h"
#include "live/counters/counttarget.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct run {
	const struct countrun_config *config;
	const struct countrun_front *front;
	struct countrun_result *result;
	struct counttarget target;
	struct counterset *set;
	struct countersource_value *last; /* of each counter, at the end of the last interval */
	uint32_t *rows;			  /* of each event in the result */
	size_t n_rows;			  /* without cgroups */
	struct child child;
	struct rusage usage; /* of children, at the start */
	int signal_fd;
	uint64_t start_ns, interval_start_ns;
	long n_intervals;
	bool is_counting;
	struct errmsg *err;
};

const char *countrun_defaults(bool on_cpus)
{
	return on_cpus ? "cpu-clock,context-switches,cpu-migrations,page-faults,cycles,"
			 "instructions,"
			 "branches,branch-misses"
		       : "task-clock,context-switches,cpu-migrations,page-faults,cycles,"
			 "instructions,"
			 "branches,branch-misses";
}

const char *countrun_details(unsigned level)
{
	static const char *const lists[] = {
		"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
		"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,"
		"iTLB-load-misses",
		"L1-dcache-prefetches,L1-dcache-prefetch-misses",
	};

	return level >= 1 && level <= 3 ? lists[level - 1] : "";
}

/*
 * --- rows ---------------------------------------------------------------------------------------
 */

/* Events of PMUs that are alike have one name and are added up. */
static size_t find_row(const struct run *run, size_t event)
{
	const struct perfevents_event *list = run->config->events->events;

	for (size_t i = 0; i < event && !run->config->no_merge; i++)
		if (list[event].pmu && list[i].pmu && strcmp(list[i].name, list[event].name) == 0 &&
		    strcmp(list[i].pmu, list[event].pmu) != 0)
			return run->rows[i];
	return run->n_rows;
}

static void fill_row(const struct run *run, struct counterevent *row, size_t event)
{
	const struct perfevents_event *e = &run->config->events->events[event];
	int why;

	*row = (struct counterevent){
		.name = e->name,
		.unit = e->unit,
		.scale = e->scale,
		.role = e->kind == PERFEVENTS_TOOL ? COUNTERROLE_NONE : countroles_find(&e->attr),
		.mode = countroles_mode(&e->attr),
		.is_supported = row->is_supported || counterset_has_event(run->set, event, &why),
		.is_tool = e->kind == PERFEVENTS_TOOL,
		.is_optional = event >= run->config->first_optional,
	};
}

/* One block of rows for each cgroup. Copies the names: later runs replace the target. */
static int repeat_for_cgroups(struct run *run)
{
	struct countrun_result *r = run->result;
	size_t n_bytes = 0, n = run->target.n_cgroups;
	char *at;

	for (size_t g = 0; g < n; g++)
		n_bytes += strlen(run->target.cgroup_names[g]) + 1;
	at = r->names = malloc(n_bytes);
	if (!at)
		return -ENOMEM;
	for (size_t g = 0; g < n; g++) {
		memcpy(at, run->target.cgroup_names[g], strlen(run->target.cgroup_names[g]) + 1);
		for (size_t i = 0; i < run->n_rows; i++) {
			r->events[g * run->n_rows + i] = r->events[i];
			r->events[g * run->n_rows + i].cgroup = at;
		}
		at += strlen(at) + 1;
	}
	r->n_events = n * run->n_rows;
	return 0;
}

static int make_table(struct run *run)
{
	struct countrun_result *r = run->result;
	size_t n = run->config->events->n, n_cgroups = run->target.n_cgroups;

	run->rows = calloc(n + 1, sizeof(*run->rows));
	r->events = calloc(n * (n_cgroups ? n_cgroups : 1) + 1, sizeof(*r->events));
	if (!run->rows || !r->events)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		run->rows[i] = (uint32_t)find_row(run, i);
		fill_row(run, &r->events[run->rows[i]], i);
		run->n_rows += run->rows[i] == run->n_rows;
	}
	r->n_events = run->n_rows;
	if (n_cgroups)
		TRY(repeat_for_cgroups(run));
	return countertable_new(&r->table, r->events, r->n_events);
}

/*
 * --- reading ------------------------------------------------------------------------------------
 */

static double since(uint64_t start_ns)
{
	return (double)(clock_now_ns() - start_ns) / 1e9;
}

static double seconds(struct timeval end, struct timeval start)
{
	return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_usec - start.tv_usec) / 1e6;
}

static void read_usage(const struct run *run, double *ret_user_s, double *ret_system_s)
{
	struct rusage now;

	getrusage(RUSAGE_CHILDREN, &now);
	*ret_user_s = seconds(now.ru_utime, run->usage.ru_utime);
	*ret_system_s = seconds(now.ru_stime, run->usage.ru_stime);
}

static int add_tools(struct run *run, double elapsed_s)
{
	double user_s, system_s;

	read_usage(run, &user_s, &system_s);
	for (size_t i = 0; i < run->config->events->n; i++) {
		enum perfevents_tool tool = run->config->events->events[i].tool;
		double s = tool == PERFEVENTS_USER_TIME	    ? user_s
			   : tool == PERFEVENTS_SYSTEM_TIME ? system_s
							    : elapsed_s;
		int part;

		if (!tool)
			continue;
		part = countertable_part(run->result->table, 0, "", 1);
		TRY(part);
		countertable_add(run->result->table, part, run->rows[i], (uint64_t)(s * 1e9), 1, 1);
	}
	return 0;
}

static int add_counter(struct run *run, size_t i)
{
	const struct counterset_counter *c = counterset_at(run->set, i);
	struct countersource_value now = run->last[i], *last = &run->last[i];
	int part = counttarget_part(&run->target, run->config->parts, run->result->table, c->cpu,
				    c->thread);

	TRY(part);
	/* a counter that cannot be read has counted nothing more */
	if (counterset_read(run->set, i, &now) < 0)
		now = *last;
	countertable_add(run->result->table, part, c->cgroup * run->n_rows + run->rows[c->event],
			 now.value - last->value, now.enabled_ns - last->enabled_ns,
			 now.running_ns - last->running_ns);
	*last = now;
	return 0;
}

static int read_counters(struct run *run, double elapsed_s)
{
	double user_s = 0, system_s = 0;

	for (size_t i = 0; i < counterset_n(run->set); i++)
		TRY(add_counter(run, i));
	/* Every part has every event, also those that no counter counts. */
	if (!countertable_n_parts(run->result->table))
		TRY(countertable_part(run->result->table, 0, "", 1));
	TRY(add_tools(run, elapsed_s));
	/*
	 * a command that was counted has user and system time; one that only limits the run has
	 * none
	 */
	if (run->config->argv && !run->target.is_wide && !run->config->pids && !run->config->tids)
		read_usage(run, &user_s, &system_s);
	countertable_end_run(run->result->table, elapsed_s, user_s, system_s);
	return 0;
}

static int show_interval(struct run *run)
{
	double elapsed_s = since(run->interval_start_ns);

	run->interval_start_ns = clock_now_ns();
	run->n_intervals++;
	countertable_clear(run->result->table);
	TRY(read_counters(run, elapsed_s));
	return run->front->interval(run->front->ctx, run->result->table, since(run->start_ns));
}

/*
 * --- waiting ------------------------------------------------------------------------------------
 */

enum { NEVER = -1, BLIND_MS = 20 };

static long ms_left(uint64_t deadline_ns)
{
	uint64_t now = clock_now_ns();

	return now >= deadline_ns ? 0 : (long)((deadline_ns - now + 999999) / 1000000);
}

static uint64_t next_interval_ns(const struct run *run)
{
	return run->start_ns +
	       (uint64_t)(run->n_intervals + 1) * run->config->interval_ms * 1000000;
}

static int next_timeout(const struct run *run)
{
	const struct countrun_config *c = run->config;
	long best = NEVER, left;

	if (c->interval_ms)
		best = ms_left(next_interval_ns(run));
	if (c->timeout_ms) {
		left = ms_left(run->start_ns + (uint64_t)c->timeout_ms * 1000000);
		best = best == NEVER || left < best ? left : best;
	}
	if (!run->is_counting && c->delay_ms > 0) {
		left = ms_left(run->start_ns + (uint64_t)c->delay_ms * 1000000);
		best = best == NEVER || left < best ? left : best;
	}
	return best > 1000000 ? 1000000 : (int)best;
}

/* Returns 1 if the run is over. */
static int on_time(struct run *run)
{
	const struct countrun_config *c = run->config;

	if (!run->is_counting && c->delay_ms > 0 &&
	    !ms_left(run->start_ns + (uint64_t)c->delay_ms * 1000000)) {
		TRY(counterset_enable(run->set, false, run->err));
		run->is_counting = true;
		if (run->front->delay_ends)
			run->front->delay_ends(run->front->ctx);
	}
	if (c->interval_ms && !ms_left(next_interval_ns(run))) {
		TRY(show_interval(run));
		if (c->n_intervals && run->n_intervals >= c->n_intervals)
			return 1;
	}
	return c->timeout_ms && !ms_left(run->start_ns + (uint64_t)c->timeout_ms * 1000000);
}

/*
 * For a process that has no descriptor. A child that has ended stays a zombie until child_end().
 */
static bool has_ended(const struct run *run, pid_t pid)
{
	siginfo_t info = {0};
	char path[64];

	if (pid == run->child.pid)
		return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
		       info.si_pid;
	snprintf(path, sizeof(path), "/proc/%d", pid);
	return access(path, F_OK) < 0;
}

/*
 * What is waited for: the signals, and each process. A process that has ended has no pid any more.
 */
struct waiting {
	struct pollfd *fds; /* [0]: signals */
	pid_t *pids;
	size_t n;
	bool has_blind; /* one has no descriptor: it is checked every BLIND_MS */
};

/* Returns true if there was something to wait for, and all of it has ended. */
static bool have_ended(const struct run *run, struct waiting *w)
{
	size_t left = 0;

	for (size_t i = 1; i < w->n; i++) {
		bool has_fd = w->fds[i].fd >= 0;

		if (w->pids[i] && (has_fd ? w->fds[i].revents != 0 : has_ended(run, w->pids[i]))) {
			w->pids[i] = 0;
			w->fds[i].fd = -1;
		}
		left += w->pids[i] != 0;
	}
	return w->n > 1 && !left;
}

static int wait_with(struct run *run, struct waiting *w)
{
	for (;;) {
		int ms = next_timeout(run), over;

		if (w->has_blind && (ms < 0 || ms > BLIND_MS))
			ms = BLIND_MS;
		if (poll(w->fds, w->n, ms) < 0 && errno != EINTR)
			return errmsg_set_errno(run->err, -errno, "cannot wait");
		if (w->fds[0].revents) {
			run->result->signal = endsignals_take(run->signal_fd, run->child.pid);
			if (run->result->signal)
				return 0;
		}
		if (have_ended(run, w))
			return 0;
		over = on_time(run);
		if (over)
			return over < 0 ? over : 0;
	}
}

static int wait_end(struct run *run)
{
	size_t n = 1 + (run->child.pid ? 1 : run->target.n_watches);
	SCOPED(scope_free) struct pollfd *fds = calloc(n, sizeof(*fds));
	SCOPED(scope_free) pid_t *pids = calloc(n, sizeof(*pids));
	struct waiting w = {.fds = fds, .pids = pids, .n = n};

	if (!fds || !pids)
		return -ENOMEM;
	fds[0] = (struct pollfd){.fd = run->signal_fd, .events = POLLIN};
	for (size_t i = 1; i < n; i++) {
		pids[i] = run->child.pid ? run->child.pid : run->target.watches[i - 1].pid;
		fds[i].fd = run->child.pid ? run->child.pid_fd : run->target.watches[i - 1].fd;
		fds[i].events = POLLIN;
		w.has_blind |= fds[i].fd < 0;
	}
	return wait_with(run, &w);
}

/*
 * --- a run --------------------------------------------------------------------------------------
 */

static int open_counters(struct run *run)
{
	const struct countrun_config *c = run->config;
	bool is_command = run->child.pid && !run->target.is_wide && !c->pids && !c->tids;
	struct counterset_config set = {
		.source = c->source,
		.events = c->events,
		.cpus = run->target.cpus.cpus,
		.n_cpus = run->target.cpus.n,
		.threads = run->target.threads,
		.n_threads = run->target.n_threads,
		.cgroups = run->target.cgroup_fds,
		.n_cgroups = run->target.n_cgroups,
		.inherits = !c->no_inherit,
		.starts_at_exec = is_command && !c->delay_ms,
		.stays_on_cpus = c->cpus != NULL,
	};

	TRY(counterset_open(&run->set, &set, run->err));
	run->last = calloc(counterset_n(run->set) + 1, sizeof(*run->last));
	if (!run->last)
		return -ENOMEM;
	for (size_t i = 0; i < c->events->n; i++)
		run->result->is_user_only |= counterset_is_user_only(run->set, i);
	if (!run->result->table)
		TRY(make_table(run));
	return 0;
}

static int start(struct run *run)
{
	const struct countrun_config *c = run->config;
	bool at_exec = run->child.pid && !run->target.is_wide && !c->pids && !c->tids;

	getrusage(RUSAGE_CHILDREN, &run->usage);
	if (!c->delay_ms) {
		/* the command's own counters wait for its exec(); those of PMUs do not */
		TRY(counterset_enable(run->set, at_exec, run->err));
		run->is_counting = true;
	}
	if (run->child.pid)
		child_ready(&run->child);
	run->start_ns = run->interval_start_ns = clock_now_ns();
	if (run->child.pid && child_go(&run->child, c->argv[0], run->err) < 0) {
		run->result->has_command_failed = true;
		return errmsg_code(run->err);
	}
	return 0;
}

static int finish(struct run *run)
{
	double elapsed_s;

	if (run->child.pid && (run->config->timeout_ms || run->config->n_intervals))
		kill(run->child.pid, SIGTERM);
	if (run->child.pid)
		run->result->status = child_end(&run->child);
	elapsed_s = since(run->start_ns);
	counterset_disable(run->set);
	if (!run->config->interval_ms)
		return read_counters(run, elapsed_s);
	/* what is left of the last interval, unless the run ended with it */
	if (!run->config->n_intervals || run->n_intervals < run->config->n_intervals)
		return show_interval(run);
	return 0;
}

static int run_once(struct run *run)
{
	const struct countrun_config *c = run->config;

	if (c->argv) {
		struct child_config child = {.argv = c->argv};

		TRY(child_start(&run->child, &child, run->err));
	}
	TRY(endsignals_open(&run->signal_fd, run->err));
	TRY(counttarget_init(&run->target, c, run->child.pid, run->err));
	TRY(open_counters(run));
	TRY(start(run));
	TRY(wait_end(run));
	return finish(run);
}

static void clean(struct run *run)
{
	child_cancel(&run->child);
	run->child = (struct child){0};
	counterset_free(run->set);
	run->set = NULL;
	free(run->last);
	run->last = NULL;
	counttarget_release(&run->target);
	endsignals_close(&run->signal_fd);
	run->is_counting = false;
	run->n_intervals = 0;
}

int countrun(const struct countrun_config *config, const struct countrun_front *front,
	     struct countrun_result *ret, struct errmsg *err)
{
	struct countrun_result result = {0};
	struct run run = {
		.config = config, .front = front, .result = &result, .signal_fd = -1, .err = err};
	int r = 0;

	for (long i = 0; (!config->n_runs || i < config->n_runs) && r >= 0 && !result.signal; i++) {
		r = run_once(&run);
		clean(&run);
	}
	free(run.rows);
	if (r < 0) {
		bool failed = result.has_command_failed;

		countrun_release(&result);
		ret->has_command_failed = failed;
		return r == -ENOMEM ? errmsg_code(err) : r;
	}
	*ret = result;
	return 0;
}

void countrun_release(struct countrun_result *r)
{
	countertable_free(r->table);
	free(r->events);
	free(r->names);
	*r = (struct countrun_result){0};
}
