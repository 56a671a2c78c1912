// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mappings.c - reads the mappings of programs from perf events.
 *
 * A dummy event (PERF_COUNT_SW_DUMMY) on each CPU writes a record into its ring whenever code is
 * mapped, and when a task begins or ends:
 *
 *  MMAP2  u32 pid tid   u64 start length file_offset   u32 maj min   u64 inode generation
 *         u32 prot flags  path
 *  COMM   u32 pid tid   name; with a flag: exec, which removes the old mappings
 *  FORK   u32 pid ppid tid ptid   u64 time
 *  EXIT   u32 pid ppid tid ptid   u64 time
 *
 * The time at the end of each record puts the rings of all CPUs into one order.
 *
 * /proc/PID/maps has the earlier mappings. For a program that has not mapped any of the files yet,
 * the mappings are only stored, because it may still map one. When it does, they are passed to
 * programs.c, and later ones are passed at once.
 *
 *	kept:  pid ──▶ mapping ──▶ mapping …     in one list, freed when the program ends
 *
 * A child has its parent's mappings until it calls exec.
 */
#include "capture/kernel/mappings.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/lock.h"
#include "base/scope.h"
#include "capture/tracefs/rawpipe.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RING_BYTES  (256u << 10) /* a power of two; enough for about 300 program starts */
#define FILES_MAX   64
#define KEPT_MAX    100000
#define RECORD_MAX  (8u << 10)
#define PATIENCE_MS 200

struct ring {
	int fd;
	struct perf_event_mmap_page *page; /* NULL: there is no ring */
	/* while the ring is emptied: its end, and the next record */
	uint64_t head, tail, time;
	size_t n_bytes;
};

struct wanted {
	int pid;
	bool is_given; /* keep the program's mappings, whatever it executes */
};

struct mappings {
	struct programs *programs;
	struct {
		uint64_t inode;
		char *path;
	} files[FILES_MAX]; /* the files of interest */
	size_t n_files;
	struct ring *rings;
	size_t n_rings;
	size_t page_bytes;
	struct program_mapping *kept; /* stored mappings, which own their paths */
	size_t n_kept, cap_kept;
	struct wanted *wanted; /* programs that have mapped one of the files, by pid */
	size_t n_wanted, cap_wanted;
	bool has_others;
	int fork_pid;	      /* a fork of ours that has not called exec yet; 0: none */
	pthread_mutex_t lock; /* protects all of the above when there is a thread */
	pthread_t thread;
	bool has_thread;
	atomic_bool is_stopping;
	int stop_fd;
};

struct programs *mappings_programs(struct mappings *m)
{
	return m->programs;
}

/*
 * --- whose mappings are wanted -----------------------------------------------------------------
 */

/* Returns our own name for one of the files of interest, or NULL for another file. */
static const char *find_path(const struct mappings *m, uint64_t inode)
{
	for (size_t i = 0; i < m->n_files; i++)
		if (m->files[i].inode == inode)
			return m->files[i].path;
	return NULL;
}

static size_t find_wanted(const struct mappings *m, int pid)
{
	return ARRAY_BISECT(m->n_wanted, i, m->wanted[i].pid < pid);
}

static bool is_wanted(const struct mappings *m, int pid)
{
	size_t i = find_wanted(m, pid);

	return i < m->n_wanted && m->wanted[i].pid == pid;
}

static bool is_given(const struct mappings *m, int pid)
{
	return is_wanted(m, pid) && m->wanted[find_wanted(m, pid)].is_given;
}

static void add_wanted(struct mappings *m, int pid, bool is_given)
{
	size_t i = find_wanted(m, pid);

	if (is_wanted(m, pid)) {
		m->wanted[i].is_given |= is_given;
		return;
	}
	if (!ARRAY_ROOM(m->wanted, m->cap_wanted, m->n_wanted + 1, ARRAY_NO_MAX))
		return;
	memmove(m->wanted + i + 1, m->wanted + i, (m->n_wanted - i) * sizeof(*m->wanted));
	m->wanted[i] = (struct wanted){pid, is_given};
	m->n_wanted++;
}

static void drop_wanted(struct mappings *m, int pid)
{
	size_t i = find_wanted(m, pid);

	if (!is_wanted(m, pid))
		return;
	m->n_wanted--;
	memmove(m->wanted + i, m->wanted + i + 1, (m->n_wanted - i) * sizeof(*m->wanted));
}

static void keep(struct mappings *m, const struct program_mapping *mapping)
{
	char *path;

	if (!ARRAY_ROOM(m->kept, m->cap_kept, m->n_kept + 1, KEPT_MAX))
		return;
	path = strdup(mapping->path);
	if (!path)
		return;
	m->kept[m->n_kept] = *mapping;
	m->kept[m->n_kept++].path = path;
}

/* Passes on or drops the stored mappings of one program. */
static void release_kept(struct mappings *m, int pid, bool hand_on)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_kept; i++) {
		struct program_mapping *k = &m->kept[i];

		if (k->pid != pid) {
			m->kept[n++] = *k;
			continue;
		}
		if (hand_on && m->has_others)
			programs_unblock(m->programs, k->start, k->n_bytes);
		if (hand_on)
			programs_map(m->programs, k);
		free((char *)k->path);
	}
	m->n_kept = n;
}

static void take_mapping(struct mappings *m, const struct program_mapping *mapping)
{
	const char *path = find_path(m, mapping->inode);
	struct program_mapping own = *mapping;

	if (mapping->path[0] != '/')
		return;
	if (path) { /* the program may have another root directory */
		own.path = path;
		mapping = &own;
	}
	if (path && !is_wanted(m, mapping->pid)) {
		add_wanted(m, mapping->pid, false);
		release_kept(m, mapping->pid, true);
	}
	if (is_wanted(m, mapping->pid)) {
		programs_map(m->programs, mapping);
		return;
	}
	keep(m, mapping);
	if (m->has_others)
		programs_block(m->programs, mapping->start, mapping->n_bytes);
}

static void take_fork(struct mappings *m, int pid, int parent)
{
	if (pid == parent)
		return;
	if (is_wanted(m, parent)) {
		add_wanted(m, pid, is_given(m, parent));
		return;
	}
	for (size_t i = 0, n = m->n_kept; i < n; i++)
		if (m->kept[i].pid == parent) {
			struct program_mapping copy = m->kept[i];

			copy.pid = pid;
			take_mapping(m, &copy);
		}
}

/* Forgets a program that has ended, because its pid may be reused. */
static void forget(struct mappings *m, int pid)
{
	drop_wanted(m, pid);
	release_kept(m, pid, false);
}

/*
 * --- records -----------------------------------------------------------------------------------
 */

struct mmap2_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, n_bytes, file_offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t prot, flags;
	char path[];
};

struct task_record {
	struct perf_event_header header;
	uint32_t pid, parent, tid, parent_tid;
};

static void take_record(struct mappings *m, const void *record, size_t n_bytes)
{
	const struct mmap2_record *map = record;
	const struct task_record *task = record;

	switch (map->header.type) {
	case PERF_RECORD_MMAP2:
		if (n_bytes > sizeof(*map) &&
		    memchr(map->path, 0, n_bytes - offsetof(struct mmap2_record, path)))
			take_mapping(m, &(struct program_mapping){.path = map->path,
								  .inode = map->inode,
								  .pid = (int)map->pid,
								  .start = map->start,
								  .n_bytes = map->n_bytes,
								  .file_offset = map->file_offset});
		break;
	case PERF_RECORD_COMM:
		if (n_bytes >= offsetof(struct mmap2_record, start) &&
		    map->header.misc & PERF_RECORD_MISC_COMM_EXEC && !is_given(m, (int)map->pid))
			forget(m, (int)map->pid);
		break;
	case PERF_RECORD_FORK:
		if (n_bytes >= sizeof(*task))
			take_fork(m, (int)task->pid, (int)task->parent);
		break;
	case PERF_RECORD_EXIT:
		if (n_bytes >= sizeof(*task) && task->pid == task->tid)
			forget(m, (int)task->pid);
		break;
	}
}

/* Copies a record, which may wrap around at the end of the ring. */
static void copy_out(const struct mappings *m, const struct ring *ring, uint64_t at, void *to,
		     size_t n_bytes)
{
	const char *data = (const char *)ring->page + m->page_bytes;
	size_t start = at & (RING_BYTES - 1), first = RING_BYTES - start;

	if (first > n_bytes)
		first = n_bytes;
	memcpy(to, data + start, first);
	memcpy((char *)to + first, data, n_bytes - first);
}

/* Reads the next record of a ring. If there is none, its time is "never". */
static void peek(const struct mappings *m, struct ring *ring)
{
	struct perf_event_header header;

	ring->time = UINT64_MAX;
	if (ring->tail >= ring->head)
		return;
	copy_out(m, ring, ring->tail, &header, sizeof(header));
	ring->n_bytes = header.size;
	if (header.size < sizeof(header) + sizeof(ring->time) ||
	    header.size > ring->head - ring->tail)
		ring->tail = ring->head; /* the record is invalid */
	else
		copy_out(m, ring, ring->tail + header.size - sizeof(ring->time), &ring->time,
			 sizeof(ring->time));
}

static struct ring *find_oldest(struct mappings *m)
{
	struct ring *oldest = NULL;

	for (size_t i = 0; i < m->n_rings; i++)
		if (m->rings[i].page && m->rings[i].time != UINT64_MAX &&
		    (!oldest || m->rings[i].time < oldest->time))
			oldest = &m->rings[i];
	return oldest;
}

/*
 * Processes the records before until_ns. A program moves between CPUs, so its records are in
 * several rings, each sorted by time. All records before until_ns have arrived; newer ones may be
 * incomplete and wait.
 */
static void drain(struct mappings *m, uint64_t until_ns)
{
	_Alignas(8) char record[RECORD_MAX];
	struct ring *ring;

	for (size_t i = 0; i < m->n_rings; i++) {
		ring = &m->rings[i];
		if (!ring->page)
			continue;
		ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
		ring->tail = ring->page->data_tail;
		peek(m, ring);
	}
	while ((ring = find_oldest(m)) && ring->time < until_ns) {
		if (ring->n_bytes <= sizeof(record)) {
			copy_out(m, ring, ring->tail, record, ring->n_bytes);
			take_record(m, record, ring->n_bytes);
		}
		ring->tail += ring->n_bytes;
		peek(m, ring);
	}
	for (size_t i = 0; i < m->n_rings; i++)
		if (m->rings[i].page)
			__atomic_store_n(&m->rings[i].page->data_tail, m->rings[i].tail,
					 __ATOMIC_RELEASE);
}

static void catch_up(struct mappings *m, uint64_t until_ns)
{
	LOCKED(&m->lock);
	drain(m, until_ns);
}

void mappings_catch_up(struct mappings *m)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	catch_up(m, now.tv_sec * 1000000000ull + now.tv_nsec);
}

/*
 * --- what is mapped already --------------------------------------------------------------------
 */

/* Parses "55c7eeefa000-55c7eeefb000 r-xp 00001000 fe:01 1234   /usr/bin/prog". */
static bool parse_line(const char *line, char path[4096], struct program_mapping *ret)
{
	unsigned long long start, end, offset, inode;
	char access[8];

	if (sscanf(line, "%llx-%llx %7s %llx %*s %llu %4095[^\n]", &start, &end, access, &offset,
		   &inode, path) != 6 ||
	    access[2] != 'x')
		return false;
	ret->path = path;
	ret->start = start;
	ret->n_bytes = end - start;
	ret->file_offset = offset;
	ret->inode = inode;
	return true;
}

static void read_maps(struct mappings *m, int pid)
{
	char name[64], line[4096 + 128], path[4096];
	SCOPED(fclose_scoped) FILE *f = NULL;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f)) {
		struct program_mapping mapping = {.pid = pid};

		if (parse_line(line, path, &mapping))
			take_mapping(m, &mapping);
	}
}

static void read_all_maps(struct mappings *m)
{
	SCOPED(closedir_scoped) DIR *proc = opendir("/proc");
	struct dirent *e;

	while (proc && (e = readdir(proc)))
		if (atoi(e->d_name) > 0 && atoi(e->d_name) != m->fork_pid)
			read_maps(m, atoi(e->d_name));
}

/*
 * --- open, run, close --------------------------------------------------------------------------
 */

static int open_ring(struct mappings *m, struct ring *ring, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_id_all = 1,
		.sample_type = PERF_SAMPLE_TIME,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = RING_BYTES / 4,
	};

	ring->fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return errno == ENODEV ? 0 : -errno; /* the CPU is offline */
	ring->page = mmap(NULL, m->page_bytes + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			  ring->fd, 0);
	if (ring->page != MAP_FAILED)
		return 0;
	ring->page = NULL;
	return -errno;
}

static int open_rings(struct mappings *m, struct errmsg *err)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);
	int r = 0;

	m->page_bytes = sysconf(_SC_PAGESIZE);
	m->rings = n > 0 ? calloc(n, sizeof(*m->rings)) : NULL;
	if (!m->rings)
		return errmsg_set_errno(err, -ENOMEM, "cannot watch the mappings of programs");
	for (m->n_rings = 0; m->n_rings < (size_t)n && r >= 0; m->n_rings++)
		r = open_ring(m, &m->rings[m->n_rings], (int)m->n_rings);
	return r < 0 ? errmsg_set_errno(err, r, "cannot watch the mappings of programs") : 0;
}

int mappings_open(struct mappings **ret_mappings, const char *const *paths, size_t n_paths,
		  struct errmsg *err)
{
	SCOPED(mappings_close_scoped) struct mappings *m = calloc(1, sizeof(*m));
	struct stat st;

	if (!m)
		return errmsg_set_errno(err, -ENOMEM, "cannot watch the mappings of programs");
	pthread_mutex_init(&m->lock, NULL);
	m->stop_fd = eventfd(0, EFD_CLOEXEC);
	m->programs = programs_new();
	for (size_t i = 0; i < n_paths && m->n_files < FILES_MAX; i++) {
		if (stat(paths[i], &st) < 0 || find_path(m, st.st_ino))
			continue;
		m->files[m->n_files].inode = st.st_ino;
		m->files[m->n_files].path = strdup(paths[i]);
		m->n_files += !!m->files[m->n_files].path;
	}
	TRY(m->programs && m->stop_fd >= 0
		    ? open_rings(m, err)
		    : errmsg_set_errno(err, -ENOMEM, "cannot watch the mappings of programs"));
	*ret_mappings = TAKE(m);
	return 0;
}

void mappings_add_program(struct mappings *m, int pid, bool is_ours)
{
	add_wanted(m, pid, true);
	if (is_ours)
		m->fork_pid = pid;
}

void mappings_watch_others(struct mappings *m)
{
	m->has_others = true;
}

static void *run(void *ctx)
{
	struct mappings *m = ctx;
	SCOPED(scope_free) struct pollfd *fds = calloc(m->n_rings + 1, sizeof(*fds));

	for (size_t i = 0; fds && i < m->n_rings; i++)
		fds[i] = (struct pollfd){m->rings[i].fd, POLLIN, 0};
	if (fds)
		fds[m->n_rings] = (struct pollfd){m->stop_fd, POLLIN, 0};
	while (fds && !atomic_load(&m->is_stopping)) {
		poll(fds, m->n_rings + 1, PATIENCE_MS);
		mappings_catch_up(m);
	}
	return NULL;
}

int mappings_start(struct mappings *m)
{
	read_all_maps(m);
	m->has_thread = !pthread_create(&m->thread, NULL, run, m);
	return m->has_thread ? 0 : -EAGAIN;
}

void mappings_stop(struct mappings *m)
{
	atomic_store(&m->is_stopping, true);
	if (m->has_thread) {
		rawpipe_ring(m->stop_fd); /* if this fails, the thread notices after PATIENCE_MS */
		pthread_join(m->thread, NULL);
	}
	m->has_thread = false;
	catch_up(m, UINT64_MAX);
}

void mappings_close(struct mappings *m)
{
	if (!m)
		return;
	if (m->has_thread)
		mappings_stop(m);
	for (size_t i = 0; i < m->n_rings; i++) {
		if (m->rings[i].page)
			munmap(m->rings[i].page, m->page_bytes + RING_BYTES);
		if (m->rings[i].fd >= 0)
			close(m->rings[i].fd);
	}
	for (size_t i = 0; i < m->n_kept; i++)
		free((char *)m->kept[i].path);
	for (size_t i = 0; i < m->n_files; i++)
		free(m->files[i].path);
	free(m->kept);
	free(m->wanted);
	free(m->rings);
	programs_free(m->programs);
	if (m->stop_fd >= 0)
		close(m->stop_fd);
	pthread_mutex_destroy(&m->lock);
	free(m);
}
