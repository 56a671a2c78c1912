// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usertrace.c - holds the parts of a recording of user functions together.
 *
 *	server thread      answers programs ──▶ plans
 *	collector thread   rings ──▶ events ──▶ regions of the file, one for each CPU
 *	main thread        starts and stops both; reads plans and names when both have ended
 *
 * The names of threads are read from /proc when a thread is first seen and when it has ended: a
 * program may have changed its name meanwhile. The later name counts. A thread that has ended
 * before it is first seen gets the name that its program had when it asked for its plan.
 */
#include "capture/calls/usertrace.h"

#include "base/clock.h"
#include "base/errmsg.h"
#include "base/map.h"
#include "base/scope.h"
#include "base/stoppipe.h"
#include "base/textbuf.h"
#include "capture/steer/usercontrol.h"
#include "capture/calls/userclock.h"
#include "capture/calls/userlibrary.h"
#include "capture/calls/userprobes.h"
#include "capture/calls/userrings.h"
#include "capture/calls/userserver.h"
#include "capture/record/endsignals.h"
#include "capture/steer/userstats.h"
#include "capture/steer/userswitch.h"
#include "capture/steer/callrules.h"
#include "capture/user/choice.h"
#include "capture/user/image.h"
#include "format/bytes.h"
#include "runtime/snrt.h"
#include "store/live/livefile.h"
#include "store/packedtext.h"
#include "symbols/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(USERTRACE_THREADS_MAX == SNRT_SLOTS, "each has a ring");

#define FLUSH_MS	 500
#define WAIT_MS		 2000 /* a program waits for a collector that makes no progress */
#define TASKS_MAX	 (1u << 18)
#define COMM_BYTES	 16
#define COMMAND_BYTES	 4096
#define OPTION_MAX_BYTES (256u << 20)

struct usertask {
	uint32_t plan, pid, tid;
	char comm[COMM_BYTES];
	char *command; /* of a process; NULL: unknown */
	size_t command_bytes;
};

struct usertrace {
	struct usertrace_config config;
	struct userlibrary library;
	struct userserver server;
	struct userattached attached;
	struct userprobes *probes; /* NULL: none */
	bool leaves_out;	   /* only functions with debug information are traced */
	uint32_t probed_plan;
	struct userrings rings;
	struct userswitch *switches;
	struct userstats stats;
	struct userplans *plans;
	struct usercollector *collector;
	char *env_preload, *env_asan;
	char env_name[USERSERVER_NAME_BYTES + 16];
	const char *env[4];
	struct livefile *file;
	int buffer;
	unsigned n_cpus;
	usertrace_taker *live_take; /* instead of the file; NULL: none */
	void *live_ctx;
	int stop_fds[2], fail_fd;
	pthread_t thread;
	bool has_thread;
	bool has_finished; /* a rule has ended the recording */
	int error;	   /* of the collector */
	atomic_uint_least64_t n_calls, n_lost;
	struct userwatch watch;
	/* by the collector's thread, then by main; others may ask for names */
	pthread_mutex_t tasks_lock;
	struct map tasks; /* tid to struct usertask */
};

/*
 * --- tasks -------------------------------------------------------------------------------------
 */

static void read_comm(struct usertask *t)
{
	char path[64], comm[COMM_BYTES + 1];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", t->pid, t->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, comm, sizeof(comm));
	if (fd >= 0)
		close(fd);
	if (n <= 1 || n > COMM_BYTES)
		return;
	memcpy(t->comm, comm, n - 1);
	t->comm[n - 1] = 0;
	for (char *p = t->comm; *p; p++)
		if (*p == '\n')
			*p = '?';
}

static void read_command(struct usertask *t)
{
	char path[64], words[COMMAND_BYTES];
	ssize_t n;
	int fd;

	if (t->pid != t->tid)
		return;
	snprintf(path, sizeof(path), "/proc/%u/cmdline", t->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, words, sizeof(words));
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return;
	free(t->command);
	t->command = malloc(n);
	t->command_bytes = t->command ? n : 0;
	if (t->command)
		memcpy(t->command, words, n);
}

static void note_task(struct usertrace *u, uint32_t plan, uint32_t pid, uint32_t tid)
{
	void **slot = map_take(&u->tasks, tid, TASKS_MAX);
	struct usertask *t;

	if (!slot)
		return; /* it has no name then */
	if (!*slot)
		*slot = calloc(1, sizeof(*t));
	t = *slot;
	if (!t)
		return;
	t->plan = plan;
	t->tid = tid;
	t->pid = pid;
	read_comm(t);
	read_command(t);
}

static void note_thread(void *ctx, uint32_t plan, uint32_t pid, uint32_t tid)
{
	struct usertrace *u = ctx;

	pthread_mutex_lock(&u->tasks_lock);
	note_task(u, plan, pid, tid);
	pthread_mutex_unlock(&u->tasks_lock);
}

size_t usertrace_find_name(struct usertrace *u, int tid, char *buf, size_t size)
{
	const struct usertask *t;
	size_t len = 0;

	pthread_mutex_lock(&u->tasks_lock);
	t = map_find(&u->tasks, (uint64_t)tid);
	if (t) {
		const char *comm = *t->comm ? t->comm : userplans_find_comm(u->plans, t->plan);

		len = strnlen(comm, size);
		memcpy(buf, comm, len);
	}
	pthread_mutex_unlock(&u->tasks_lock);
	return len;
}

static int compare_tasks(const void *a, const void *b)
{
	const struct usertask *const *x = a, *const *y = b;

	return (*x)->tid < (*y)->tid ? -1 : 1;
}

/* By tid; the caller frees the array. */
static const struct usertask **sort_tasks(const struct usertrace *u, size_t *ret_n)
{
	const struct usertask **list = calloc(u->tasks.n + 1, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; list && i < u->tasks.n_slots; i++)
		if (u->tasks.slots[i].value)
			list[n++] = u->tasks.slots[i].value;
	if (n)
		qsort(list, n, sizeof(*list), compare_tasks);
	*ret_n = n;
	return list;
}

void usertrace_add_names(struct usertrace *u, struct textbuf *tb)
{
	const struct usertask **list;
	size_t n;

	pthread_mutex_lock(&u->tasks_lock);
	list = sort_tasks(u, &n);
	for (size_t i = 0; i < n; i++) {
		const char *comm = *list[i]->comm ? list[i]->comm
						  : userplans_find_comm(u->plans, list[i]->plan);

		if (*comm)
			textbuf_addf(tb, "%u %s\n", list[i]->tid, comm);
	}
	pthread_mutex_unlock(&u->tasks_lock);
	free(list);
}

void usertrace_add_processes(const struct usertrace *u, struct processes *p)
{
	size_t n;
	const struct usertask **list = sort_tasks(u, &n);

	for (size_t i = 0; i < n; i++) {
		processes_add_thread(p, (int)list[i]->tid, (int)list[i]->pid);
		if (list[i]->command)
			processes_add_command(p, (int)list[i]->pid, list[i]->command,
					      list[i]->command_bytes,
					      list[i]->command_bytes == COMMAND_BYTES);
	}
	free(list);
}

/*
 * --- the beginning -----------------------------------------------------------------------------
 */

/*
 * Keeps what the user has set. A program with a shared libasan refuses to start if another library
 * is loaded before it; the command and its children may be such programs.
 */
static int make_env(struct usertrace *u)
{
	const char *preload = getenv("LD_PRELOAD"), *asan = getenv("ASAN_OPTIONS");

	if (asprintf(&u->env_preload, "LD_PRELOAD=%s%s%s", u->library.path,
		     preload && *preload ? ":" : "", preload ? preload : "") < 0) {
		u->env_preload = NULL;
		return -ENOMEM;
	}
	if (asprintf(&u->env_asan, "ASAN_OPTIONS=%s%sverify_asan_link_order=0", asan ? asan : "",
		     asan && *asan ? ":" : "") < 0) {
		u->env_asan = NULL;
		return -ENOMEM;
	}
	snprintf(u->env_name, sizeof(u->env_name), "%s=%s", SNRT_ENV, u->server.name);
	if (u->config.only_probes)
		return 0;
	u->env[0] = u->env_preload;
	u->env[1] = u->env_name;
	u->env[2] = u->env_asan;
	return 0;
}

/* The rules, in the runtime's units. */
static void set_rules(struct usertrace *u)
{
	struct callrules *calls = u->config.calls;
	struct userclock clock;

	if (!calls)
		return;
	userclock_init(&clock);
	calls->counts_per_ns = (double)(UINT64_C(1) << USERCLOCK_SHIFT) / (double)clock.rate;
	callrules_fill_general(calls, &u->rings.shared->general);
	u->rings.shared->is_paused = callrules_begin_off(calls);
	u->config.choice->calls = calls;
}

/* All processes must have the same program: there is one plan. */
static int plan_processes(struct usertrace *u, struct userplans_probed *ret, struct errmsg *err)
{
	struct stat first = {0}, st;

	for (size_t i = 0; i < u->attached.n; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d/exe", (int)u->attached.list[i].pid);
		if (stat(path, &st))
			return errmsg_set_errno(err, -errno, "cannot read %s", path);
		if (i && (st.st_dev != first.st_dev || st.st_ino != first.st_ino))
			return errmsg_set(err, -EINVAL,
					  "probes can trace processes of one program at a time: "
					  "processes %d and %d have different ones",
					  (int)u->attached.list[0].pid,
					  (int)u->attached.list[i].pid);
		first = st;
	}
	return userplans_make_probed_process(u->plans, u->attached.list[0].pid, ret, err);
}

/* Programs that cannot load the library. */
static int set_probes(struct usertrace *u, struct errmsg *err)
{
	SCOPED(userplans_probed_release) struct userplans_probed files = {0};
	SCOPED(scope_free) pid_t *pids = calloc(u->attached.n + 1, sizeof(*pids));
	bool are_running = u->config.pids_probed && u->attached.n;

	if (!u->config.probed && !are_running)
		return 0;
	if (!pids)
		return errmsg_set_errno(err, -ENOMEM, "cannot set probes");
	for (size_t i = 0; i < u->attached.n; i++)
		pids[i] = u->attached.list[i].pid;
	if (are_running)
		TRY(plan_processes(u, &files, err));
	else
		TRY(userplans_make_probed(u->plans, u->config.probed, &files, err));
	u->probed_plan = files.plan;
	u->leaves_out = userimage_leaves_out(files.files[0].image);
	return userprobes_open(&u->probes, &files, pids, are_running ? u->attached.n : 0, err);
}

static int open_parts(struct usertrace *u, struct errmsg *err)
{
	const struct usertrace_config *config = &u->config;

	TRY(userattached_open(&u->attached, config->pids, config->n_pids, config->pids_probed,
			      err));
	TRY(userserver_open(&u->server, err));
	TRY(userlibrary_open(&u->library, err));
	TRY(userrings_open(&u->rings, config->drops ? SNRT_DROP : SNRT_WAIT, WAIT_MS, err));
	set_rules(u);
	userstats_init(&u->stats);
	u->switches = userswitch_new(&u->rings);
	if (u->switches)
		u->plans = userplans_new(config->choice, config->values, u->switches);
	u->fail_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (u->fail_fd < 0 || pipe2(u->stop_fds, O_CLOEXEC))
		return errmsg_set_errno(err, -errno, "cannot trace user functions");
	if (!u->plans || make_env(u) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot trace user functions");
	return set_probes(u, err);
}

int usertrace_open(struct usertrace **ret, const struct usertrace_config *config,
		   struct errmsg *err)
{
	struct usertrace *u = calloc(1, sizeof(*u));
	int r;

	if (!u)
		return errmsg_set_errno(err, -ENOMEM, "cannot trace user functions");
	u->config = *config;
	pthread_mutex_init(&u->tasks_lock, NULL);
	u->stop_fds[0] = u->stop_fds[1] = u->fail_fd = u->rings.fd = u->server.fd = -1;
	for (int i = 0; i < 2; i++)
		u->server.stop_fds[i] = u->server.adopt_fds[i] = -1;
	r = open_parts(u, err);
	if (r < 0) {
		usertrace_close(u);
		return r;
	}
	*ret = u;
	return 0;
}

void usertrace_prepare(struct usertrace *u, const char *path)
{
	if (!u->probes)
		userplans_prepare(u->plans, path);
}

pid_t usertrace_guardian(const struct usertrace *u)
{
	return u->probes ? userprobes_guardian(u->probes) : 0;
}

bool usertrace_leaves_out(const struct usertrace *u)
{
	return u->leaves_out;
}

pid_t usertrace_keeper(const struct usertrace *u)
{
	return u->library.keeper;
}

const char *const *usertrace_env(const struct usertrace *u)
{
	return u->env;
}

/*
 * --- the collector's thread --------------------------------------------------------------------
 */

static int take_page(void *ctx, unsigned cpu, const void *page, size_t n_bytes)
{
	struct usertrace *u = ctx;
	struct liveregion *region;

	if (u->live_take)
		return u->live_take(u->live_ctx, cpu, page, n_bytes);
	region = livefile_region(u->file, u->buffer, cpu);
	TRY(liveregion_append(region, page, n_bytes));
	return liveregion_wants_cut(region);
}

static int cut_file(void *ctx)
{
	struct usertrace *u = ctx;

	for (unsigned cpu = 0; cpu < u->n_cpus; cpu++)
		TRY(liveregion_flush(livefile_region(u->file, u->buffer, cpu)));
	return livefile_cut(u->file, u->buffer);
}

static int flush_region(void *ctx, unsigned cpu)
{
	struct usertrace *u = ctx;

	return u->live_take ? 0 : liveregion_flush(livefile_region(u->file, u->buffer, cpu));
}

static size_t fmt_stack(void *ctx, const uint32_t *funcs, size_t n, char *out, size_t size)
{
	struct usertrace *u = ctx;

	return userplans_fmt_stack(u->plans, funcs, n, out, size);
}

static size_t fmt_values(void *ctx, const struct usercollector_meaning *meaning, uint32_t id,
			 bool is_ret, const uint64_t *words, size_t n_bytes, char *out, size_t size)
{
	struct usertrace *u = ctx;

	return userplans_fmt_values(u->plans, meaning, id, is_ret, words, n_bytes, out, size);
}

static bool find_meaning(void *ctx, uint32_t plan, struct usercollector_meaning *ret)
{
	struct usertrace *u = ctx;

	return userplans_find(u->plans, plan, ret);
}

static bool wait_us(const struct usertrace *u, int us)
{
	struct pollfd fd = {u->stop_fds[0], POLLIN, 0};
	struct timespec ts = {.tv_nsec = us * 1000L};

	return ppoll(&fd, 1, &ts, NULL) > 0;
}

/* A function or a signal has ended the recording. */
static void watch_finish(struct usertrace *u)
{
	if (u->has_finished || !__atomic_load_n(&u->rings.shared->is_finished, __ATOMIC_ACQUIRE))
		return;
	u->has_finished = true;
	userrings_enable(&u->rings, false);
	endsignals_raise();
}

static int collect(struct usertrace *u)
{
	uint64_t flushed_ns = clock_now_ns();

	userrings_prepare(&u->rings);
	for (;;) {
		struct usercollector_sum sum;
		int us = usercollector_round(u->collector), r = 0;

		if (us < 0)
			return us;
		usercollector_get_sum(u->collector, &sum);
		atomic_store_explicit(&u->n_calls, sum.n_calls, memory_order_relaxed);
		atomic_store_explicit(&u->n_lost, sum.n_lost, memory_order_relaxed);
		watch_finish(u);
		r = userwatch_step(&u->watch, u->collector, sum.n_calls);
		if (r >= 0 && clock_now_ns() - flushed_ns > FLUSH_MS * 1000000ull) {
			flushed_ns = clock_now_ns();
			r = usercollector_flush(u->collector);
		}
		if (r < 0)
			return r;
		if (wait_us(u, us))
			return 0;
	}
}

/* A collector that fails must not keep programs waiting. */
static void *run(void *ctx)
{
	struct usertrace *u = ctx;
	uint64_t one = 1;

	u->error = collect(u);
	userrings_enable(&u->rings, false);
	if (!u->error)
		u->error = usercollector_finish(u->collector);
	if (!u->error) /* what came last */
		u->error = userwatch_put(&u->watch, u->collector);
	if (!u->error)
		u->error = usercollector_flush(u->collector);
	if (u->error)
		(void)!write(u->fail_fd, &one, sizeof(one));
	return NULL;
}

/* Records that come later than they were made must still find their place in the order of time. */
static uint64_t delay_counts(const struct usertrace *u)
{
	uint64_t delay = u->config.calls ? callrules_delay_counts(u->config.calls) : 0, probes = 0;
	struct userclock clock;

	if (u->probes) {
		userclock_init(&clock);
		probes = (uint64_t)(((unsigned __int128)USERPROBES_DELAY_MS * 1000000
				     << USERCLOCK_SHIFT) /
				    clock.rate);
	}
	return delay > probes ? delay : probes;
}

/* The collector; from now on programs record. */
static int open_collector(struct usertrace *u, unsigned n_cpus, uint32_t page_size,
			  struct errmsg *err)
{
	struct usercollector_config config = {
		.rings = &u->rings,
		.stats = &u->stats,
		.n_cpus = n_cpus,
		.page_size = page_size,
		.ctx = u,
		.take = take_page,
		.flush = flush_region,
		.cut = cut_file,
		.find_meaning = find_meaning,
		.fmt_values = fmt_values,
		.fmt_stack = fmt_stack,
		.delay_counts = delay_counts(u),
		.tell_thread = note_thread,
	};

	u->n_cpus = n_cpus;
	u->collector = usercollector_new(&config);
	if (!u->collector)
		return errmsg_set_errno(err, -ENOMEM, "cannot trace user functions");
	userwatch_init(&u->watch,
		       &(struct userwatch_config){.rings = &u->rings,
						  .stats = &u->stats,
						  .switches = u->switches,
						  .plans = u->plans,
						  .budget_percent = u->config.budget_percent});
	userrings_enable(&u->rings, true);
	return 0;
}

/*
 * Running processes are analysed before the server's thread owns the plans, and before they stop.
 */
static int answer_programs(struct usertrace *u, struct errmsg *err)
{
	for (size_t i = 0; i < u->attached.n && !u->probes; i++)
		TRY(userplans_prepare_process(u->plans, u->attached.list[i].pid, err));
	TRY(userserver_start(&u->server, u->rings.fd, u->plans, err));
	if (u->probes)
		TRY(userprobes_start(u->probes, &u->rings, u->probed_plan, err));
	return userattached_begin(&u->attached, &u->server, err);
}

int usertrace_start(struct usertrace *u, struct livefile *file, int buffer, unsigned n_cpus,
		    uint32_t page_size, struct errmsg *err)
{
	int r;

	u->file = file;
	u->buffer = buffer;
	TRY(open_collector(u, n_cpus, page_size, err));
	r = pthread_create(&u->thread, NULL, run, u);
	u->has_thread = !r;
	if (r)
		return errmsg_set_errno(err, -r, "cannot start a thread");
	return answer_programs(u, err);
}

bool usertrace_have_ended(const struct usertrace *u)
{
	return userattached_have_ended(&u->attached);
}

int usertrace_start_live(struct usertrace *u, usertrace_taker *take, void *ctx, unsigned n_cpus,
			 uint32_t page_size, struct errmsg *err)
{
	u->live_take = take;
	u->live_ctx = ctx;
	TRY(open_collector(u, n_cpus, page_size, err));
	userrings_prepare(&u->rings);
	return answer_programs(u, err);
}

int usertrace_read(struct usertrace *u)
{
	int us = usercollector_round(u->collector);

	watch_finish(u);
	u->error = us < 0 ? us : usercollector_flush(u->collector);
	return u->error ? u->error : us;
}

int usertrace_read_rest(struct usertrace *u)
{
	if (u->probes)
		userprobes_finish(u->probes);
	while (u->probes && !userprobes_has_finished(u->probes) && !u->error) {
		int us = usercollector_round(u->collector);

		u->error = us < 0 ? us : 0;
		usleep(1000);
	}
	userrings_enable(&u->rings, false);
	if (!u->error)
		u->error = usercollector_finish(u->collector);
	return u->error;
}

void usertrace_add_new_symbols(struct usertrace *u, size_t *n_files, struct textbuf *tb)
{
	userplans_fmt_new_symbols(u->plans, n_files, tb);
}

int usertrace_fd(const struct usertrace *u)
{
	return u->fail_fd;
}

uint64_t usertrace_n_lost(const struct usertrace *u)
{
	return atomic_load_explicit(&u->n_lost, memory_order_relaxed);
}

void usertrace_get_status(struct usertrace *u, struct userwatch_status *ret)
{
	userwatch_get_status(&u->watch, ret);
}

int usertrace_add_mark(struct usertrace *u, const char *text, struct errmsg *err)
{
	int r = userwatch_add_mark(&u->watch, text);

	return r < 0 ? errmsg_set_errno(err, r, "cannot write a mark") : 0;
}

struct userplans *usertrace_plans(const struct usertrace *u)
{
	return u->plans;
}

struct userswitch *usertrace_switches(const struct usertrace *u)
{
	return u->switches;
}

const struct userstats *usertrace_stats(const struct usertrace *u)
{
	return &u->stats;
}

uint64_t usertrace_n_calls(const struct usertrace *u)
{
	return atomic_load_explicit(&u->n_calls, memory_order_relaxed);
}

/*
 * --- the end -----------------------------------------------------------------------------------
 */

/* Children by fork() have the hooks of their parents. */
static void leave_children(struct usertrace *u)
{
	for (size_t i = 0; i < u->tasks.n_slots && u->attached.n; i++) {
		const struct usertask *t = u->tasks.slots[i].value;

		if (t && t->pid == t->tid)
			userattached_end_child(&u->attached, (pid_t)t->pid);
	}
}

/* A program that opens libraries all the time would wait for our answers just when we leave it. */
static void leave(struct usertrace *u)
{
	if (!u->attached.n)
		return;
	__atomic_store_n(&u->rings.shared->is_ending, 1, __ATOMIC_RELAXED);
	userattached_end(&u->attached);
}

void usertrace_leave(struct usertrace *u)
{
	if (u->attached.n) /* a thread that waits for room must not keep us waiting */
		userrings_enable(&u->rings, false);
	leave(u);
}

int usertrace_stop(struct usertrace *u, struct errmsg *err)
{
	/* while rings are still read: a thread may wait for room in its own */
	leave(u);
	userserver_stop(&u->server);
	if (u->probes && u->has_thread)
		userprobes_stop(u->probes);
	if (u->has_thread) {
		stoppipe_stop(u->stop_fds);
		pthread_join(u->thread, NULL);
		u->has_thread = false;
		/* names of those that still live */
		for (size_t i = 0; i < u->tasks.n_slots; i++)
			if (u->tasks.slots[i].value)
				read_comm(u->tasks.slots[i].value);
	}
	leave_children(u);
	return u->error ? errmsg_set_errno(err, u->error, "cannot record user functions") : 0;
}

void usertrace_add_symbols(struct usertrace *u, struct textbuf *tb)
{
	userplans_fmt_symbols(u->plans, tb);
}

int usertrace_add_option(struct usertrace *u, struct livefile *file, struct errmsg *err)
{
	struct textbuf text, packed;
	int r = 0;

	textbuf_init(&text, OPTION_MAX_BYTES);
	textbuf_init(&packed, OPTION_MAX_BYTES);
	userplans_fmt_functions(u->plans, &text);
	userplans_fmt_sources(u->plans, &u->stats, &text);
	if (textbuf_len(&text))
		r = packedtext_fmt((struct piece){(const uint8_t *)text.start, textbuf_len(&text)},
				   &packed);
	if (r >= 0 && textbuf_len(&packed))
		r = livefile_add_option(
			file, SNF_OPTION_USER_FUNCTIONS,
			(struct piece){(const uint8_t *)packed.start, textbuf_len(&packed)}, err);
	else if (r < 0)
		errmsg_set_errno(err, r, "cannot store the list of user functions");
	textbuf_release(&packed);
	textbuf_release(&text);
	return r;
}

/* It exists, and is no zombie: "12 (a (b) c) S 1 …". */
static bool is_running(uint32_t pid)
{
	char path[64], text[512];
	const char *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	end = strrchr(text, ')');
	return end && end[1] == ' ' && !strchr("ZX", end[2]);
}

static uint32_t count_running(const struct usertrace *u)
{
	uint32_t n = 0;

	for (size_t i = 0; i < u->tasks.n_slots; i++) {
		const struct usertask *t = u->tasks.slots[i].value;

		n += t && t->pid == t->tid && is_running(t->pid);
	}
	return n;
}

void usertrace_get_sum(struct usertrace *u, struct usertrace_sum *ret)
{
	*ret = (struct usertrace_sum){
		.n_quiet = __atomic_load_n(&u->rings.shared->n_quiet, __ATOMIC_RELAXED),
		.n_no_slot = __atomic_load_n(&u->rings.shared->no_slot, __ATOMIC_RELAXED),
		.n_failures = __atomic_load_n(&u->rings.shared->failures, __ATOMIC_RELAXED) +
			      u->attached.sum.n_failures,
		.n_refused = u->server.n_refused,
		.n_running = u->has_thread || u->attached.n ? 0 : count_running(u),
		.attached = u->attached.sum,
		.n_called = userstats_n_called(&u->stats),
		.n_switched_off = userswitch_n_off(u->switches),
		.cost_percent = u->probes ? 0 : usercost_percent(&u->watch.cost),
	};
	if (u->collector)
		usercollector_get_sum(u->collector, &ret->calls);
	userplans_get_sum(u->plans, &ret->plans);
}

void usertrace_tell_reasons(struct usertrace *u, void (*tell)(const char *sentence))
{
	userplans_tell_reasons(u->plans, tell);
}

void usertrace_tell_values(const struct usertrace *u, void (*tell)(const char *sentence))
{
	userplans_tell_values(u->plans, tell);
}

void usertrace_fmt_switched_off(struct usertrace *u, char *text, size_t n_bytes)
{
	usercontrol_fmt_off(u, text, n_bytes);
}

void usertrace_close(struct usertrace *u)
{
	struct errmsg ignored = {0};

	if (!u)
		return;
	usertrace_stop(u, &ignored);
	if (u->probes) /* nobody reads the rings any more: it must not wait for room */
		userrings_enable(&u->rings, false);
	userprobes_close(u->probes);
	userserver_close(&u->server);
	userwatch_release(&u->watch);
	userattached_release(&u->attached);
	usercollector_free(u->collector);
	userplans_free(u->plans);
	userswitch_free(u->switches);
	userstats_release(&u->stats);
	userrings_close(&u->rings);
	userlibrary_close(&u->library);
	for (size_t i = 0; i < u->tasks.n_slots; i++)
		if (u->tasks.slots[i].value) {
			free(((struct usertask *)u->tasks.slots[i].value)->command);
			free(u->tasks.slots[i].value);
		}
	map_release(&u->tasks);
	pthread_mutex_destroy(&u->tasks_lock);
	for (int i = 0; i < 2; i++)
		if (u->stop_fds[i] >= 0)
			close(u->stop_fds[i]);
	if (u->fail_fd >= 0)
		close(u->fail_fd);
	free(u->env_preload);
	free(u->env_asan);
	free(u);
}
