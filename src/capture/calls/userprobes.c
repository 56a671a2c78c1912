// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userprobes.c - sets the kernel's probes at calls and returns of a file's functions, and reads
 * what they see.
 *
 *	instance sonde_user_PID       clock x86-tsc, the counter that the runtime reads, too
 *	    event sonde_user_PID/enter  at all first instructions: id, stack pointer, return address
 *	    event sonde_user_PID/leave  at all returns: stack pointer
 *	    event task/task_newtask     new threads and processes
 *
 * Two events with many places each: thousands of events would take seconds to make. An id is a
 * constant of its place. Only children of this process are traced: its own number is in
 * set_event_pid, and the option event-fork adds children. Or, with -P, the threads of running
 * processes are there: as long as there are new ones, they are added.
 *
 * A round of the thread takes the time first, and reads the buffers of all CPUs. Then every hit
 * before that time is known, and hits go to the feed in the order of time, because a thread may
 * change its CPU between a call and its return.
 */
#include "capture/calls/userprobes.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/map.h"
#include "base/scope.h"
#include "base/stoppipe.h"
#include "capture/calls/userclock.h"
#include "capture/calls/userfeed.h"
#include "capture/calls/plans/plans.h"
#include "capture/calls/userrings.h"
#include "capture/tracefs/journal/journal.h"
#include "capture/tracefs/rawpipe.h"
#include "capture/user/image.h"
#include "format/tracedat.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUND_MS      10
#define LOOK_ROUNDS   20
#define MARGIN_COUNTS 1000000u /* a hit that was being written: some hundred microseconds */
#define THREADS_MAX   65536u
#define HITS_MAX      (1u << 24)
#define BUFFER_KB     4096ull	     /* of a CPU */
#define BUFFERS_KB    (256ull << 10) /* of all CPUs, at most */
#define PAGE_MAX      65536
#define HEAD_BYTES    (8 + sizeof(long))
#define CLOCK	      "x86-tsc"

/* What a CPU has seen, and what of that is taken. */
struct probed_cpu {
	int fd;
	struct userfeed_hit *hits;
	size_t n, cap, taken;
	uint64_t n_lost;
};

struct userprobes {
	struct tracefs t;
	struct journal *journal;
	char name[32];
	uint16_t enter, leave, newtask; /* numbers of the events; 0: there is none */
	struct probed_cpu *cpus;
	unsigned n_cpus;
	struct userfeed *feed;
	uint64_t until; /* hits before it are known */
	pthread_t thread;
	bool has_thread, has_finished;
	int stop_fds[2];
	uint8_t page[PAGE_MAX];
};

/*
 * --- in the kernel -----------------------------------------------------------------------------
 */

static int check_kernel(struct userprobes *p, struct errmsg *err)
{
	struct name_list clocks = {0};
	bool has_clock;

	if (!tracefs_exists(&p->t, "", "uprobe_events"))
		return errmsg_set(err, -ENOTSUP,
				  "this kernel has no probes in programs (CONFIG_UPROBE_EVENTS)");
	has_clock = tracefs_words(&p->t, "", "trace_clock", &clocks) >= 0 &&
		    name_list_find(&clocks, CLOCK);
	name_list_release(&clocks);
	return has_clock ? 0 : errmsg_set(err, -ENOTSUP, "this kernel has no trace clock " CLOCK);
}

/* The number of threads that were not there the last time. */
static int add_threads(struct userprobes *p, pid_t pid, struct map *known, struct errmsg *err)
{
	char path[64], text[32];
	const struct dirent *e;
	int n = 0, r = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && r >= 0 && (e = readdir(dir))) {
		long tid = strtol(e->d_name, NULL, 10);
		void **slot = tid > 0 ? map_take(known, (uint64_t)tid, THREADS_MAX) : NULL;

		if (!slot || *slot)
			continue;
		*slot = known;
		snprintf(text, sizeof(text), "%ld", tid);
		r = journal_set(p->journal, p->name, "set_event_pid", text, TRACEFS_APPEND, err);
		n++;
	}
	if (dir)
		closedir(dir);
	return r < 0 ? r : n;
}

/* A thread may start another one between our looks; later the kernel adds new ones itself. */
static int add_process(struct userprobes *p, pid_t pid, struct errmsg *err)
{
	SCOPED(map_release) struct map known = {0};
	int r;

	while ((r = add_threads(p, pid, &known, err)) > 0)
		;
	if (!r && !known.n)
		r = errmsg_set(err, -ESRCH, "process %d has ended", (int)pid);
	return r;
}

/* Which tasks are traced. */
static int set_tasks(struct userprobes *p, const pid_t *pids, size_t n_pids, struct errmsg *err)
{
	char text[32];

	TRY(journal_set(p->journal, p->name, "options/event-fork", "1", TRACEFS_SET, err));
	if (!n_pids) {
		snprintf(text, sizeof(text), "%d", (int)getpid());
		return journal_set(p->journal, p->name, "set_event_pid", text, TRACEFS_SET, err);
	}
	for (size_t i = 0; i < n_pids; i++)
		TRY(add_process(p, pids[i], err));
	return 0;
}

static int set_up_instance(struct userprobes *p, const pid_t *pids, size_t n_pids,
			   struct errmsg *err)
{
	unsigned long long kb = BUFFERS_KB / p->n_cpus;
	char text[32];
	int r = journal_add_instance(p->journal, p->name, err);

	if (r == -EEXIST)
		return errmsg_set(err, r, "there is an instance %s already; remove it", p->name);
	TRY(r);
	TRY(journal_set(p->journal, p->name, "trace_clock", CLOCK, TRACEFS_SET, err));
	snprintf(text, sizeof(text), "%llu", kb < BUFFER_KB ? kb : BUFFER_KB);
	TRY(journal_set(p->journal, p->name, "buffer_size_kb", text, TRACEFS_SET, err));
	return set_tasks(p, pids, n_pids, err);
}

/*
 * The file is named by our descriptor: its owner may put another one at its path, even a link to a
 * file of the system, in which our places would be wrong.
 */
static int define(struct userprobes *p, const struct userplans_probed_file *file,
		  const struct userimage_point *point, struct errmsg *err)
{
	char line[256], path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), file->fd);
	if (point->is_return)
		snprintf(line, sizeof(line), "p:%s/leave %s:0x%llx sp=%%sp:u64", p->name, path,
			 (unsigned long long)point->offset);
	else
		snprintf(line, sizeof(line),
			 "p:%s/enter %s:0x%llx sp=%%sp:u64 ret=+0(%%sp):u64 id=\\%u:u64", p->name,
			 path, (unsigned long long)point->offset, file->first_id + point->hook);
	return tracefs_write(&p->t, "", "uprobe_events", line, TRACEFS_APPEND, err);
}

/* Is there something to trace in the only file? */
static int check_file(const struct userimage *image, struct errmsg *err)
{
	const char *path = userimage_path(image);

	if (!userimage_n_functions(image))
		return errmsg_set(err, -ENOENT,
				  "%s shows no functions: its symbols and its table of frames were "
				  "removed",
				  path);
	for (size_t i = 0; i < userimage_n_functions(image) && !userimage_n_hooks(image); i++)
		if (userimage_function(image, i)->is_chosen)
			return errmsg_set(err, -ENOENT,
					  "%s has no function that probes can trace: %s", path,
					  userimage_reason(userimage_function(image, i)->why));
	if (!userimage_n_hooks(image))
		return errmsg_set(err, -ENOENT,
				  "%s has no function with such a name that probes can "
				  "trace",
				  path);
	return 0;
}

static int check_number(const struct userplans_probed *files, struct errmsg *err)
{
	const struct userimage_point *points;
	size_t n = 0, n_functions = 0;

	for (size_t i = 0; i < files->n; i++) {
		n += userimage_points(files->files[i].image, &points);
		n_functions += userimage_n_hooks(files->files[i].image);
	}
	return n > USERPROBES_MAX
		       ? errmsg_set(err, -E2BIG,
				    "%zu functions of %s%s need %zu probes, and sonde sets at most "
				    "%u; choose functions with -u'GLOB'",
				    n_functions, userimage_path(files->files[0].image),
				    files->n > 1 ? " and its libraries" : "", n, USERPROBES_MAX)
		       : 0;
}

static int define_all(struct userprobes *p, const struct userplans_probed *files,
		      struct errmsg *err)
{
	char name[64];

	if (files->n == 1)
		TRY(check_file(files->files[0].image, err));
	TRY(check_number(files, err));
	snprintf(name, sizeof(name), "%s/enter", p->name);
	TRY(journal_add_probe(p->journal, name, err));
	snprintf(name, sizeof(name), "%s/leave", p->name);
	TRY(journal_add_probe(p->journal, name, err));
	for (size_t i = 0; i < files->n; i++) {
		const struct userplans_probed_file *file = &files->files[i];
		const struct userimage_point *points;
		size_t n = userimage_points(file->image, &points);

		for (size_t k = 0; k < n; k++)
			TRY(define(p, file, &points[k], err));
	}
	return 0;
}

/* A program without returns has no event for them. */
static int find_event(const struct userprobes *p, const char *system, const char *event,
		      uint16_t *ret, struct errmsg *err)
{
	char file[128];
	long long id;

	snprintf(file, sizeof(file), "events/%s/%s/id", system, event);
	id = tracefs_read_number(&p->t, "", file);
	if (id > UINT16_MAX)
		return errmsg_set(err, -ERANGE, "the kernel's event %s has the number %lld", file,
				  id);
	*ret = id < 0 ? 0 : (uint16_t)id;
	return 0;
}

static int switch_on(struct userprobes *p, struct errmsg *err)
{
	char file[128];

	TRY(find_event(p, p->name, "enter", &p->enter, err));
	TRY(find_event(p, p->name, "leave", &p->leave, err));
	TRY(find_event(p, "task", "task_newtask", &p->newtask, err));
	if (p->newtask)
		TRY(journal_set(p->journal, p->name, "events/task/task_newtask/enable", "1",
				TRACEFS_SET, err));
	snprintf(file, sizeof(file), "events/%s/enable", p->name);
	return journal_set(p->journal, p->name, file, "1", TRACEFS_SET, err);
}

static int open_pipes(struct userprobes *p, struct errmsg *err)
{
	p->cpus = calloc(p->n_cpus, sizeof(*p->cpus));
	if (!p->cpus)
		return errmsg_set_errno(err, -ENOMEM, "cannot read probes");
	for (unsigned i = 0; i < p->n_cpus; i++)
		p->cpus[i].fd = -1;
	for (unsigned i = 0; i < p->n_cpus; i++) {
		p->cpus[i].fd = rawpipe_open(&p->t, p->name, i, false, err);
		if (p->cpus[i].fd < 0)
			return p->cpus[i].fd;
	}
	return 0;
}

static int open_all(struct userprobes *p, const struct userplans_probed *files, const pid_t *pids,
		    size_t n_pids, struct errmsg *err)
{
	TRY(tracefs_open(&p->t, err));
	TRY(check_kernel(p, err));
	p->n_cpus = tracefs_cpu_count(&p->t);
	snprintf(p->name, sizeof(p->name), "sonde_user_%d", (int)getpid());
	TRY(journal_open(&p->journal, &p->t, err));
	TRY(set_up_instance(p, pids, n_pids, err));
	TRY(define_all(p, files, err));
	TRY(open_pipes(p, err));
	return switch_on(p, err);
}

int userprobes_open(struct userprobes **ret, const struct userplans_probed *files,
		    const pid_t *pids, size_t n_pids, struct errmsg *err)
{
	struct userprobes *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return errmsg_set_errno(err, -ENOMEM, "cannot set probes");
	p->stop_fds[0] = p->stop_fds[1] = -1;
	r = open_all(p, files, pids, n_pids, err);
	if (r < 0)
		userprobes_close(p);
	else
		*ret = p;
	return r;
}

pid_t userprobes_guardian(const struct userprobes *p)
{
	return journal_guardian(p->journal);
}

/*
 * --- pages -------------------------------------------------------------------------------------
 */

/* Behind the common fields and the address of the probe; userprobes.c: define() has the order. */
struct raw_hit {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t tid;
	uint64_t ip, sp, ret, id;
};
#define LEAVE_BYTES offsetof(struct raw_hit, ret)

/* The kernel's event, the same in all versions that have event-fork. */
struct raw_newtask {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t tid, child;
	char comm[16];
	uint64_t clone_flags;
};

static void add_hit(struct probed_cpu *c, const struct userfeed_hit *hit)
{
	if (!ARRAY_ROOM(c->hits, c->cap, c->n + 1, HITS_MAX))
		c->n_lost++;
	else
		c->hits[c->n++] = *hit;
}

static void take_newtask(struct userprobes *p, unsigned cpu, uint64_t counter, const uint8_t *data)
{
	struct userfeed_hit hit = {.kind = USERFEED_COPY, .counter = counter, .cpu = cpu};
	struct raw_newtask raw;

	memcpy(&raw, data, sizeof(raw));
	if (raw.tid <= 0 || raw.child <= 0)
		return;
	if (raw.clone_flags & CLONE_VM)
		hit.kind = raw.clone_flags & CLONE_THREAD ? USERFEED_THREAD : USERFEED_PROCESS;
	hit.tid = (uint32_t)raw.tid;
	hit.id = (uint32_t)raw.child;
	add_hit(&p->cpus[cpu], &hit);
}

static void take_record(struct userprobes *p, unsigned cpu, uint64_t counter, const uint8_t *data,
			size_t n_bytes)
{
	struct raw_hit raw = {0};
	bool is_return;

	if (n_bytes < LEAVE_BYTES)
		return;
	memcpy(&raw, data, n_bytes < sizeof(raw) ? n_bytes : sizeof(raw));
	if (raw.type == p->newtask && n_bytes >= sizeof(struct raw_newtask)) {
		take_newtask(p, cpu, counter, data);
		return;
	}
	is_return = raw.type == p->leave;
	if ((is_return || (raw.type == p->enter && n_bytes >= sizeof(raw))) && raw.tid > 0)
		add_hit(&p->cpus[cpu],
			&(struct userfeed_hit){.kind = is_return ? USERFEED_RETURN : USERFEED_CALL,
					       .counter = counter,
					       .sp = raw.sp,
					       .ret = raw.ret,
					       .id = (uint32_t)raw.id,
					       .tid = (uint32_t)raw.tid,
					       .cpu = cpu});
}

/* The layout is that of this machine's kernel, as in record/pagemerge.c. */
static void take_page(struct userprobes *p, unsigned cpu, size_t page_bytes)
{
	unsigned long commit;
	uint64_t counter;
	size_t at = HEAD_BYTES, end;
	unsigned long n_missed = 1;

	memcpy(&counter, p->page, sizeof(counter));
	memcpy(&commit, p->page + 8, sizeof(commit));
	end = HEAD_BYTES + (commit & SNF_COMMIT_MASK);
	if (end > page_bytes)
		return;
	if (commit & SNF_COMMIT_MISSED_STORED && end + sizeof(n_missed) <= page_bytes)
		memcpy(&n_missed, p->page + end, sizeof(n_missed));
	if (commit & SNF_COMMIT_MISSED)
		p->cpus[cpu].n_lost += n_missed;
	while (at + 4 <= end) {
		uint32_t head, more = 0, type;
		size_t n_bytes;

		memcpy(&head, p->page + at, sizeof(head));
		at += 4;
		type = head & 31;
		if ((type > SNF_TYPE_DATA_MAX || !type) && at + 4 <= end)
			memcpy(&more, p->page + at, sizeof(more));
		if (type == SNF_TYPE_TIME_EXTEND || type == SNF_TYPE_TIME_STAMP) {
			uint64_t long_time = (head >> 5) + ((uint64_t)more << SNF_DELTA_BITS);

			counter = type == SNF_TYPE_TIME_STAMP ? long_time : counter + long_time;
			at += 4;
			continue;
		}
		counter += head >> 5;
		n_bytes = type == SNF_TYPE_PADDING || !type ? more : type * 4ul;
		if (!n_bytes || at + n_bytes > end)
			return;
		if (!type)
			take_record(p, cpu, counter, p->page + at + 4, n_bytes - 4);
		else if (type <= SNF_TYPE_DATA_MAX)
			take_record(p, cpu, counter, p->page + at, n_bytes);
		at += n_bytes;
	}
}

/*
 * --- the thread --------------------------------------------------------------------------------
 */

static void read_all(struct userprobes *p)
{
	for (unsigned cpu = 0; cpu < p->n_cpus; cpu++) {
		ssize_t n;

		while ((n = read(p->cpus[cpu].fd, p->page, sizeof(p->page))) > (ssize_t)HEAD_BYTES)
			take_page(p, cpu, (size_t)n);
	}
}

/* The CPU with the oldest hit; NULL: all is taken. */
static struct probed_cpu *find_oldest(struct userprobes *p)
{
	struct probed_cpu *oldest = NULL;

	for (unsigned i = 0; i < p->n_cpus; i++) {
		struct probed_cpu *c = &p->cpus[i];

		if (c->taken < c->n &&
		    (!oldest || c->hits[c->taken].counter < oldest->hits[oldest->taken].counter))
			oldest = c;
	}
	return oldest;
}

static void feed_until(struct userprobes *p, uint64_t until)
{
	struct probed_cpu *c;

	for (unsigned i = 0; i < p->n_cpus; i++) {
		userfeed_lose(p->feed, p->cpus[i].n_lost);
		p->cpus[i].n_lost = 0;
	}
	while ((c = find_oldest(p)) && c->hits[c->taken].counter < until)
		userfeed_take(p->feed, &c->hits[c->taken++]);
	for (unsigned i = 0; i < p->n_cpus; i++) {
		c = &p->cpus[i];
		if (c->taken && c->n > c->taken)
			memmove(c->hits, c->hits + c->taken, (c->n - c->taken) * sizeof(*c->hits));
		c->n -= c->taken;
		c->taken = 0;
	}
}

static void *run(void *ctx)
{
	struct userprobes *p = ctx;
	struct pollfd fd = {p->stop_fds[0], POLLIN, 0};

	rawpipe_raise_priority(0);
	for (unsigned round = 1;; round++) {
		bool is_last = poll(&fd, 1, ROUND_MS) > 0;
		uint64_t until = userclock_counter() - MARGIN_COUNTS;

		read_all(p);
		feed_until(p, is_last ? UINT64_MAX : until);
		if (is_last)
			break;
		if (round % LOOK_ROUNDS == 0)
			userfeed_look(p->feed);
	}
	__atomic_store_n(&p->has_finished, true, __ATOMIC_RELEASE);
	return NULL;
}

int userprobes_start(struct userprobes *p, struct userrings *rings, uint32_t plan,
		     struct errmsg *err)
{
	int r;

	p->feed = userfeed_new(rings, plan);
	if (!p->feed || pipe2(p->stop_fds, O_CLOEXEC))
		return errmsg_set_errno(err, p->feed ? -errno : -ENOMEM, "cannot read probes");
	r = pthread_create(&p->thread, NULL, run, p);
	p->has_thread = !r;
	return r ? errmsg_set_errno(err, -r, "cannot start a thread") : 0;
}

void userprobes_finish(struct userprobes *p)
{
	if (p->has_thread && p->stop_fds[1] >= 0)
		stoppipe_stop(p->stop_fds);
}

bool userprobes_has_finished(const struct userprobes *p)
{
	return !p->has_thread || __atomic_load_n(&p->has_finished, __ATOMIC_ACQUIRE);
}

void userprobes_stop(struct userprobes *p)
{
	userprobes_finish(p);
	if (p->has_thread)
		pthread_join(p->thread, NULL);
	p->has_thread = false;
}

void userprobes_close(struct userprobes *p)
{
	if (!p)
		return;
	userprobes_stop(p);
	userfeed_free(p->feed);
	for (unsigned i = 0; p->cpus && i < p->n_cpus; i++) {
		if (p->cpus[i].fd >= 0)
			close(p->cpus[i].fd);
		free(p->cpus[i].hits);
	}
	free(p->cpus);
	for (int i = 0; i < 2; i++)
		if (p->stop_fds[i] >= 0)
			close(p->stop_fds[i]);
	journal_close(p->journal);
	free(p);
}
