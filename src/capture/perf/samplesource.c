// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * samplesource.c - opens perf events and reads their rings.
 *
 *	            CPU 0            CPU 1
 *	task A   event ─┐         event ─┐          an event counts one task on one CPU, or all
 *	                                            tasks
 *	task B   event ─┤         event ─┤
 *	                ▼                ▼
 *	             ring 0           ring 1        one for each CPU, sorted by time (nearly)
 *
 * An event that new threads inherit can have a ring only if it is bound to a CPU, so there is one
 * event for each pair of task and CPU. All events of a CPU write into the ring of its first one.
 * That one also reports mappings, forks, names and exits ("side band"), so these are in the same
 * ring and in the order of time.
 *
 * The clock is CLOCK_MONOTONIC_RAW, as everywhere in a recording.
 *
 * Rings of root have 2 MB, or 8 MB if stacks are copied. Others may lock about 0.5 MB for each CPU
 * (kernel.perf_event_mlock_kb): all rings are halved until the kernel accepts them.
 *
 * The kernel reports losses together with the next record that has room. What it lost at the very
 * end would never be reported, so an event of our own thread, which writes into the same rings,
 * makes it write one more record: a change of the thread's name (samplesource_report_losses()).
 */
#include "capture/perf/samplesource.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/map.h"
#include "base/scope.h"
#include "capture/perf/samplecost.h"
#include "capture/perf/sampleregs.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RING_BYTES	(2u << 20)
#define RING_DWARF	(8u << 20)
#define RING_MIN_PAGES	4u
#define CPUS_MAX	4096u
#define NEAR_FULL_BYTES (128u << 10)
#define FILES_MORE	4096u /* descriptors for everything else: files of code */

struct ring {
	unsigned cpu;
	int fd; /* of its first event; -1: none */
	struct perf_event_mmap_page *page;
	uint64_t head, tail; /* of this round */
	uint64_t time;	     /* of the record at tail; UINT64_MAX: there is none */
	uint32_t size;	     /* of that record */
	bool was_full;	     /* it had nearly no room at the last look */
};

struct samplesource {
	struct samplesource_event events[SAMPLESOURCE_EVENTS_MAX];
	struct perf_event_attr attrs[SAMPLESOURCE_EVENTS_MAX];
	size_t n_events;
	struct ring *rings;
	size_t n_rings;
	size_t ring_bytes, page_bytes;
	int *fds; /* all events */
	size_t n_fds, cap_fds;
	struct map by_id; /* index + 1 of the event */
	struct pollfd *polls;
	bool is_only_user, is_bound, is_command;
	bool is_short; /* there was no memory for a ring of this size */
	size_t n_gone;
	double sample_ns;
	uint8_t *record; /* a record that wraps around at the end of its ring */
	struct ring *current;
};

/*
 * --- events ------------------------------------------------------------------------------------
 */

/* An event may have its own kind: cycles/call-graph=dwarf/. */
static enum samplestacks stacks_of(const struct samplesource_config *config,
				   const struct perfevents_wish *wish)
{
	const char *kind = wish ? wish->call_graph : NULL;

	if (!kind)
		return config->stacks;
	return !strcmp(kind, "dwarf") ? SAMPLESTACKS_DWARF
	       : !strcmp(kind, "lbr") ? SAMPLESTACKS_LBR
	       : !strcmp(kind, "no")  ? SAMPLESTACKS_NONE
				      : SAMPLESTACKS_FP;
}

/* wish: what the event's terms say; NULL: nothing. */
static void set_stacks(struct perf_event_attr *a, const struct samplesource_config *config,
		       const struct perfevents_wish *wish)
{
	enum samplestacks stacks = stacks_of(config, wish);

	if (stacks == SAMPLESTACKS_NONE)
		return;
	a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	a->sample_max_stack = wish ? (uint16_t)wish->max_stack : 0;
	if (stacks == SAMPLESTACKS_DWARF) {
		a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		a->sample_regs_user = sampleregs_mask();
		a->sample_stack_user = wish && wish->stack_bytes ? (wish->stack_bytes + 7) / 8 * 8
								 : config->stack_bytes;
		a->exclude_callchain_user = 1;
	} else if (stacks == SAMPLESTACKS_LBR) {
		a->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		a->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
					PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES;
		a->exclude_callchain_user = 1;
	}
}

/* What the user asked for beats what the event's terms say, which beats what fits its kind. */
static void set_rate(struct perf_event_attr *a, const struct samplesource_config *config,
		     const struct perfevents_event *e)
{
	if (config->period) {
		a->sample_period = config->period;
		a->freq = 0;
	} else if (a->sample_period || a->freq) {
		return;
	} else if (e->kind == PERFEVENTS_TRACEPOINT || e->kind == PERFEVENTS_BREAKPOINT) {
		a->sample_period = 1;
	} else {
		a->freq = 1;
		a->sample_freq = config->freq;
	}
}

static void set_common(struct perf_event_attr *a, const struct samplesource_config *config)
{
	a->size = sizeof(*a);
	a->sample_type = PERFRECORD_ALWAYS;
	a->read_format = PERF_FORMAT_ID;
	a->disabled = 1;
	a->inherit = !config->no_inherit;
	a->enable_on_exec = config->is_command;
	a->sample_id_all = 1;
	a->use_clockid = 1;
	a->clockid = CLOCK_MONOTONIC_RAW;
	a->watermark = 1;
}

/* The first event of a task and CPU reports what happens to the task. */
static void set_side_band(struct samplesource *s, const struct samplesource_config *config)
{
	struct perf_event_attr *a = &s->attrs[0];

	/*
	 * Never build_id: the kernel (5.12 to 6.18 at least) then also marks the mappings in the rings
	 * of other programs as having one, and perf crashes.
	 */
	a->mmap = a->mmap2 = 1;
	a->comm = a->comm_exec = 1;
	a->task = 1;
	a->context_switch = config->has_off_cpu;
}

static void set_shape(struct samplesource *s, size_t i)
{
	const struct perf_event_attr *a = &s->attrs[i];

	s->events[i].shape = (struct perfrecord_shape){
		.sample_type = a->sample_type,
		.read_format = a->read_format,
		.branch_sample_type = a->branch_sample_type,
		.n_user_regs = SAMPLEREGS_N,
	};
}

static void set_group(struct samplesource *s, size_t i, const struct perfevents_event *e)
{
	struct perf_event_attr *a = &s->attrs[i];

	s->events[i].leader = e->leader;
	s->events[i].has_leader_sampling = e->has_leader_sampling;
	if (!e->has_leader_sampling)
		return;
	a->read_format = PERF_FORMAT_ID | PERF_FORMAT_GROUP;
	if (e->leader == i) {
		a->sample_type |= PERF_SAMPLE_READ;
		a->inherit = 0; /* the kernel cannot read a group that is inherited */
	} else {
		a->sample_period = 0;
		a->freq = 0;
		a->inherit = 0;
	}
}

static int make_attrs(struct samplesource *s, const struct samplesource_config *config,
		      struct errmsg *err)
{
	size_t n = config->events->n;

	if (n + config->has_off_cpu > SAMPLESOURCE_EVENTS_MAX)
		return errmsg_set(err, -E2BIG, "at most %u events can be sampled together",
				  SAMPLESOURCE_EVENTS_MAX);
	for (size_t i = 0; i < n; i++) {
		const struct perfevents_event *e = &config->events->events[i];

		if (e->kind == PERFEVENTS_TOOL)
			return errmsg_set(err, -EINVAL,
					  "'%s' can be counted but not sampled; use "
					  "'sonde counters'",
					  e->name);
		s->events[i].name = e->name;
		s->attrs[i] = e->attr;
		set_common(&s->attrs[i], config);
		set_rate(&s->attrs[i], config, e);
		set_stacks(&s->attrs[i], config, &e->wish);
		if (e->wish.inherit >= 0)
			s->attrs[i].inherit = e->wish.inherit;
		set_group(s, i, e);
		set_shape(s, i);
	}
	if (config->has_off_cpu) {
		s->events[n] = (struct samplesource_event){
			.name = "off-cpu", .is_off_cpu = true, .leader = (uint32_t)n};
		s->attrs[n].type = PERF_TYPE_SOFTWARE;
		s->attrs[n].config = PERF_COUNT_SW_CONTEXT_SWITCHES;
		set_common(&s->attrs[n], config);
		s->attrs[n].sample_period = 1;
		set_stacks(&s->attrs[n], config, NULL);
		set_shape(s, n);
		n++;
	}
	s->n_events = n;
	set_side_band(s, config);
	return 0;
}

static int open_event(const struct perf_event_attr *attr, int tid, int cpu, int group)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, tid, cpu, group, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int read_setting(const char *path)
{
	SCOPED(fclose_scoped) FILE *f = fopen(path, "re");
	int value = 0;

	return f && fscanf(f, "%d", &value) == 1 ? value : -100;
}

static int refuse_rights(const struct samplesource *s, int code, int tid, struct errmsg *err)
{
	int paranoid = read_setting("/proc/sys/kernel/perf_event_paranoid");

	if (!s->is_bound)
		return errmsg_set(
			err, code,
			"you may not sample all processes (kernel.perf_event_paranoid is %d); "
			"run as root, or sample your own command or process",
			paranoid);
	if (paranoid > 2)
		return errmsg_set(err, code,
				  "this machine lets only root sample "
				  "(kernel.perf_event_paranoid is %d); run as root, or let root "
				  "run 'sysctl kernel.perf_event_paranoid=2'",
				  paranoid);
	return errmsg_set_errno(err, code, "cannot sample the process %d", tid);
}

static int refuse_event(const struct samplesource *s, size_t i, int code, int tid, int cpu,
			struct errmsg *err)
{
	const char *name = s->events[i].name;
	struct rlimit files = {0};

	switch (-code) {
	case EACCES:
	case EPERM:
		return refuse_rights(s, code, tid, err);
	case ENOENT:
	case ENODEV:
		return errmsg_set(err, code,
				  "this machine cannot sample the event '%s'; cpu-clock works "
				  "everywhere",
				  name);
	case EINTR: /* always: the kernel gives such a probe to tracing or to perf, not to both */
		return errmsg_set(err, code,
				  "the probe '%s' is recorded as an event already, by this or "
				  "another recording; a probe in a program is either that or "
				  "sampled",
				  name);
	case EOPNOTSUPP:
		if (s->attrs[i].sample_type & PERF_SAMPLE_BRANCH_STACK)
			return errmsg_set(err, code,
					  "this machine has no record of last branches (--stacks "
					  "lbr); use --stacks dwarf or fp");
		return errmsg_set(err, code,
				  "the event '%s' can be counted here but not sampled: the "
				  "processor has no interrupt for it",
				  name);
	case EMFILE:
	case ENFILE:
		getrlimit(RLIMIT_NOFILE, &files);
		return errmsg_set(err, code,
				  "%zu perf events are open, and the limit of open files is %llu; "
				  "raise it (ulimit -n), sample fewer threads, or all (-a)",
				  s->n_fds, (unsigned long long)files.rlim_cur);
	default:
		return errmsg_set_errno(err, code, "cannot sample '%s' on CPU %d", name, cpu);
	}
}

/* Drops, one by one, requests that older kernels and users without rights are refused. */
static bool relax(struct samplesource *s, size_t i, int code)
{
	struct perf_event_attr *a = &s->attrs[i];

	if ((code == -EACCES || code == -EPERM) && !a->exclude_kernel && s->is_bound) {
		for (size_t k = 0; k < s->n_events; k++)
			s->attrs[k].exclude_kernel = 1;
		s->is_only_user = true;
		return true;
	}
	if ((code == -EOPNOTSUPP || code == -EINVAL) && a->precise_ip) {
		a->precise_ip--;
		return true;
	}
	return false;
}

/*
 * --- rings -------------------------------------------------------------------------------------
 */

static int map_ring(struct samplesource *s, struct ring *ring, int fd, struct errmsg *err)
{
	int r;

	ring->page = mmap(NULL, s->page_bytes + s->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			  fd, 0);
	if (ring->page != MAP_FAILED) {
		ring->fd = fd;
		return 0;
	}
	r = -errno;
	ring->page = NULL;
	s->is_short = r == -EPERM || r == -ENOMEM;
	if (r == -EPERM)
		return errmsg_set(err, r,
				  "the kernel lets this user lock too little memory for perf "
				  "events (kernel.perf_event_mlock_kb); raise it, or run as root");
	return errmsg_set_errno(err, r, "cannot map the ring of a perf event");
}

static int add_fd(struct samplesource *s, int fd, size_t event, struct ring *ring,
		  struct errmsg *err)
{
	uint64_t id = 0;
	void **slot;

	if (!ARRAY_ROOM(s->fds, s->cap_fds, s->n_fds + 1, ARRAY_NO_MAX)) {
		close(fd);
		return errmsg_set_errno(err, -ENOMEM, "cannot sample");
	}
	s->fds[s->n_fds++] = fd;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0)
		return errmsg_set_errno(err, -errno, "cannot sample '%s'", s->events[event].name);
	slot = map_take(&s->by_id, id, ARRAY_NO_MAX);
	if (!slot)
		return errmsg_set_errno(err, -ENOMEM, "cannot sample");
	*slot = (void *)(uintptr_t)(event + 1);
	if (ring->fd < 0)
		return map_ring(s, ring, fd, err);
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0)
		return errmsg_set_errno(err, -errno, "cannot sample '%s'", s->events[event].name);
	return 0;
}

/* Opens all events of one task on one CPU. */
static int open_task(struct samplesource *s, struct ring *ring, int tid, struct errmsg *err)
{
	int leaders[SAMPLESOURCE_EVENTS_MAX];

	for (size_t i = 0; i < s->n_events; i++) {
		const struct samplesource_event *e = &s->events[i];
		int group = e->leader != i ? leaders[e->leader] : -1, fd;

		s->attrs[i].wakeup_watermark = (uint32_t)(s->ring_bytes / 4);
		do
			fd = open_event(&s->attrs[i], tid, (int)ring->cpu, group);
		while (fd < 0 && relax(s, i, fd));
		leaders[i] = fd;
		if (fd == -ESRCH && !s->is_command) {
			s->n_gone += ring == s->rings; /* once, not for each CPU */
			return 0;
		}
		if (fd == -ENODEV && !i) /* the CPU is offline */
			return 0;
		if (fd < 0)
			return refuse_event(s, i, fd, tid, (int)ring->cpu, err);
		TRY(add_fd(s, fd, i, ring, err));
	}
	return 0;
}

static int make_rings(struct samplesource *s, const struct samplesource_config *config,
		      struct errmsg *err)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);
	size_t n_cpus = config->n_cpus ? config->n_cpus : n < 1 ? 1 : (size_t)n;

	if (n_cpus > CPUS_MAX)
		n_cpus = CPUS_MAX;
	s->rings = calloc(n_cpus, sizeof(*s->rings));
	s->polls = calloc(n_cpus + 1, sizeof(*s->polls));
	s->record = malloc(PERFRECORD_MAX_BYTES);
	if (!s->rings || !s->polls || !s->record)
		return errmsg_set_errno(err, -ENOMEM, "cannot sample");
	for (size_t i = 0; i < n_cpus; i++) {
		s->rings[i].cpu = config->n_cpus ? (unsigned)config->cpus[i] : (unsigned)i;
		s->rings[i].fd = -1;
	}
	s->n_rings = n_cpus;
	for (size_t i = 0; i < config->n_cpus; i++)
		if (config->cpus[i] >= n)
			return errmsg_set(err, -EINVAL, "there is no CPU %d; the last one is %ld",
					  config->cpus[i], n - 1);
	return 0;
}

/* Thousands of threads need thousands of descriptors. Root may have more than its limit. */
static void raise_limit(size_t n_wanted)
{
	struct rlimit files, more;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	more = (struct rlimit){n_wanted + FILES_MORE, n_wanted + FILES_MORE};
	if (more.rlim_cur > files.rlim_max && !setrlimit(RLIMIT_NOFILE, &more))
		return;
	if (files.rlim_cur >= files.rlim_max)
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

static int open_all(struct samplesource *s, const struct samplesource_config *config,
		    struct errmsg *err)
{
	bool has_any = false;

	for (size_t i = 0; i < s->n_rings; i++) {
		if (!config->n_tids)
			TRY(open_task(s, &s->rings[i], -1, err));
		for (size_t k = 0; k < config->n_tids; k++)
			TRY(open_task(s, &s->rings[i], config->tids[k], err));
		has_any |= s->rings[i].fd >= 0;
	}
	if (has_any)
		return 0;
	return s->n_gone ? errmsg_set(err, -ESRCH, "the processes have ended; nothing to sample")
			 : errmsg_set(err, -ENODEV, "none of the chosen CPUs is online");
}

static void close_all(struct samplesource *s)
{
	for (size_t i = 0; i < s->n_rings; i++) {
		if (s->rings[i].page)
			munmap(s->rings[i].page, s->page_bytes + s->ring_bytes);
		s->rings[i].page = NULL;
		s->rings[i].fd = -1;
	}
	for (size_t i = 0; i < s->n_fds; i++)
		close(s->fds[i]);
	s->n_fds = s->n_gone = 0;
	map_clear(&s->by_id);
}

/*
 * All rings have the same size, which must be right for the last of them, too: what a user may lock
 * counts for all together.
 */
static int open_with_room(struct samplesource *s, const struct samplesource_config *config,
			  struct errmsg *err)
{
	for (;;) {
		struct errmsg why = {0};
		int r = open_all(s, config, &why);

		if (r >= 0)
			return r;
		if (!s->is_short || s->ring_bytes / 2 < RING_MIN_PAGES * s->page_bytes) {
			*err = why;
			return r;
		}
		close_all(s);
		s->is_short = false;
		s->ring_bytes /= 2;
	}
}

SCOPED_POINTER(struct samplesource, samplesource_close)

int samplesource_open(struct samplesource **ret, const struct samplesource_config *config,
		      struct errmsg *err)
{
	SCOPED(samplesource_close_scoped) struct samplesource *s = calloc(1, sizeof(*s));

	if (!s)
		return errmsg_set_errno(err, -ENOMEM, "cannot sample");
#ifdef SAMPLEREGS_NONE
	if (config->stacks == SAMPLESTACKS_DWARF)
		return errmsg_set(err, -ENOTSUP, "--stacks dwarf needs x86-64 or aarch64");
#endif
	s->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	s->ring_bytes = config->ring_bytes		       ? config->ring_bytes
			: config->stacks == SAMPLESTACKS_DWARF ? RING_DWARF
							       : RING_BYTES;
	s->is_bound = config->n_tids;
	s->is_command = config->is_command;
	TRY(make_attrs(s, config, err));
	TRY(make_rings(s, config, err));
	s->sample_ns = samplecost_measure(&s->attrs[0]);
	raise_limit(s->n_rings * s->n_events * config->n_tids);
	TRY(open_with_room(s, config, err));
	*ret = TAKE(s);
	return 0;
}

void samplesource_close(struct samplesource *s)
{
	if (!s)
		return;
	close_all(s);
	map_release(&s->by_id);
	free(s->fds);
	free(s->rings);
	free(s->polls);
	free(s->record);
	free(s);
}

/*
 * --- questions ---------------------------------------------------------------------------------
 */

size_t samplesource_n_events(const struct samplesource *s)
{
	return s->n_events;
}

const struct samplesource_event *samplesource_event(const struct samplesource *s, size_t i)
{
	return &s->events[i];
}

int samplesource_find(const struct samplesource *s, uint64_t id)
{
	return (int)(uintptr_t)map_find(&s->by_id, id) - 1;
}

bool samplesource_is_only_user(const struct samplesource *s)
{
	return s->is_only_user;
}

size_t samplesource_ring_bytes(const struct samplesource *s)
{
	return s->ring_bytes;
}

double samplesource_sample_ns(const struct samplesource *s)
{
	return s->sample_ns;
}

size_t samplesource_n_gone(const struct samplesource *s)
{
	return s->n_gone;
}

/*
 * --- running -----------------------------------------------------------------------------------
 */

static void control_all(struct samplesource *s, unsigned long request)
{
	for (size_t i = 0; i < s->n_fds; i++)
		ioctl(s->fds[i], request, 0);
}

void samplesource_enable(struct samplesource *s)
{
	control_all(s, PERF_EVENT_IOC_ENABLE);
}

void samplesource_disable(struct samplesource *s)
{
	control_all(s, PERF_EVENT_IOC_DISABLE);
}

void samplesource_wait(struct samplesource *s, int stop_fd, int timeout_ms)
{
	for (size_t i = 0; i < s->n_rings; i++) {
		/* a ring whose tasks have ended is readable for ever */
		bool is_over = s->polls[i].revents & POLLHUP;

		s->polls[i] = (struct pollfd){is_over ? -1 : s->rings[i].fd, POLLIN,
					      is_over ? POLLHUP : 0};
	}
	s->polls[s->n_rings] = (struct pollfd){stop_fd, POLLIN, 0};
	poll(s->polls, s->n_rings + 1, timeout_ms);
}

/*
 * --- records -----------------------------------------------------------------------------------
 */

static const uint8_t *data_of(const struct samplesource *s, const struct ring *ring)
{
	return (const uint8_t *)ring->page + s->page_bytes;
}

static void copy_out(const struct samplesource *s, const struct ring *ring, void *to,
		     size_t n_bytes)
{
	size_t start = ring->tail & (s->ring_bytes - 1), first = s->ring_bytes - start;

	if (first > n_bytes)
		first = n_bytes;
	memcpy(to, data_of(s, ring) + start, first);
	memcpy((uint8_t *)to + first, data_of(s, ring), n_bytes - first);
}

/* The record at tail, in one piece. */
static const struct perf_event_header *record_at(struct samplesource *s, const struct ring *ring)
{
	size_t start = ring->tail & (s->ring_bytes - 1);

	if (start + ring->size <= s->ring_bytes)
		return (const void *)(data_of(s, ring) + start);
	copy_out(s, ring, s->record, ring->size);
	return (const void *)s->record;
}

static void peek(struct samplesource *s, struct ring *ring)
{
	struct perf_event_header header;

	ring->time = UINT64_MAX;
	if (ring->head - ring->tail < sizeof(header))
		return;
	copy_out(s, ring, &header, sizeof(header));
	if (header.size < sizeof(header) || header.size > ring->head - ring->tail) {
		ring->tail = ring->head; /* cannot be: the kernel writes whole records */
		return;
	}
	ring->size = header.size;
	ring->time = perfrecord_time(record_at(s, ring));
}

void samplesource_begin(struct samplesource *s)
{
	s->current = NULL;
	for (size_t i = 0; i < s->n_rings; i++) {
		struct ring *ring = &s->rings[i];

		ring->time = UINT64_MAX;
		if (!ring->page)
			continue;
		ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
		ring->tail = ring->page->data_tail;
		ring->was_full |= ring->head - ring->tail + NEAR_FULL_BYTES > s->ring_bytes;
		peek(s, ring);
	}
}

bool samplesource_next(struct samplesource *s, uint64_t until_ns, struct samplesource_record *ret)
{
	struct ring *oldest = NULL;

	if (s->current) { /* the record that was returned last is no longer needed */
		s->current->tail += s->current->size;
		peek(s, s->current);
		s->current = NULL;
	}
	for (size_t i = 0; i < s->n_rings; i++)
		if (s->rings[i].time != UINT64_MAX && (!oldest || s->rings[i].time < oldest->time))
			oldest = &s->rings[i];
	if (!oldest || oldest->time >= until_ns)
		return false;
	s->current = oldest;
	*ret = (struct samplesource_record){record_at(s, oldest), oldest->cpu};
	return true;
}

void samplesource_end(struct samplesource *s)
{
	for (size_t i = 0; i < s->n_rings; i++)
		if (s->rings[i].page)
			__atomic_store_n(&s->rings[i].page->data_tail, s->rings[i].tail,
					 __ATOMIC_RELEASE);
}

bool samplesource_is_over(const struct samplesource *s)
{
	if (!s->is_bound)
		return false;
	for (size_t i = 0; i < s->n_rings; i++)
		if (s->rings[i].fd >= 0 && !(s->polls[i].revents & POLLHUP))
			return false;
	return true;
}

/* Writes one more record into the ring, by an event of this thread on its CPU. */
static void write_record(struct samplesource *s, const struct ring *ring)
{
	struct perf_event_attr attr = s->attrs[0];
	char name[17] = "";
	cpu_set_t *set = CPU_ALLOC(ring->cpu + 1);
	int fd;

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.config1 = attr.config2 = 0;
	attr.disabled = attr.enable_on_exec = attr.inherit = attr.context_switch = 0;
	attr.sample_type = PERFRECORD_ALWAYS;
	attr.freq = 0;
	attr.sample_period = 0;
	attr.exclude_callchain_user = 0;
	attr.exclude_kernel = 1;
	attr.sample_regs_user = attr.sample_stack_user = 0;
	attr.branch_sample_type = 0;
	attr.precise_ip = 0;
	fd = set ? open_event(&attr, s->is_bound ? 0 : -1, (int)ring->cpu, -1) : -1;
	if (fd >= 0 && !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd)) {
		CPU_ZERO_S(CPU_ALLOC_SIZE(ring->cpu + 1), set);
		CPU_SET_S(ring->cpu, CPU_ALLOC_SIZE(ring->cpu + 1), set);
		if (!sched_setaffinity(0, CPU_ALLOC_SIZE(ring->cpu + 1), set)) {
			prctl(PR_GET_NAME, name);
			prctl(PR_SET_NAME, name);
		}
	}
	if (fd >= 0)
		close(fd);
	CPU_FREE(set);
}

void samplesource_report_losses(struct samplesource *s)
{
	for (size_t i = 0; i < s->n_rings; i++)
		if (s->rings[i].was_full)
			write_record(s, &s->rings[i]);
}
