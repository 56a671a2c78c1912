// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sidecar.c - stores the whole index in a file of the user's cache, so that reopening a trace is
 * fast.
 *
 *	CACHE/16 bytes in hex.index      the name comes from device and inode of the traces, their
 *	                                 buffers and clocks: a new index replaces the old one
 *	        key, inside              also size and mtime of each trace; if they differ, the
 *	                                 index is stale
 *
 * The file is mapped and used in place (sidecar_int.h has the format, sidecar_check.c the checks).
 * Only a file from exactly this build is used. It is written under a temporary name when the index
 * is complete, and renamed. If the disk is nearly full, or on any error, there is no file. Live
 * files never have one.
 *
 * The directory has ceilings: SIDECARS_MAX files, CACHE_MAX_BYTES; the least recently used are
 * removed first (a file's mtime is its last use).
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "decode/timeconv.h"
#include "format/bytes.h"
#include "timeline/index/sidecar_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define SIDECARS_MAX	 256
#define CACHE_MAX_BYTES	 ((uint64_t)8 << 30)
#define FILE_MAX_BYTES	 ((uint64_t)64 << 30)
#define SUFFIX		 ".index"
#define TEMP_SUFFIX	 ".part"
/* older temporary files are removed, because their writer has ended */
#define TEMP_AGE_SECONDS 3600

struct sidecar {
	int dir;
	char name[48];
	uint8_t key[SHA256_BYTES];
	struct piece map; /* the mapped file; len 0: none */
};

/* --- which trace ------------------------------------------------------------------------------ */

static void add_number(struct sha256 *s, uint64_t n)
{
	sha256_add(s, &n, sizeof(n));
}

static void add_time(struct sha256 *s, const struct timeconv *tc)
{
	add_number(s, tc->raw | tc->in_time << 1);
	sha256_add(s, &tc->factor, sizeof(tc->factor));
	add_number(s, (uint64_t)tc->mult << 32 | tc->shift);
	add_number(s, tc->offset);
	add_number(s, tc->host ? tc->host->n_cpus : 0);
	for (uint32_t i = 0; tc->host && i < tc->host->n_cpus; i++) {
		add_number(s, tc->host->cpus[i].n | (uint64_t)tc->host->interpolate << 32);
		sha256_add(s, tc->host->cpus[i].samples,
			   tc->host->cpus[i].n * sizeof(struct time_sample));
	}
}

/* Returns false if the file at the path is no longer the one that was opened. */
static bool add_source(struct sha256 *name, struct sha256 *key, const struct timeline_source *src)
{
	struct stat st;

	if (stat(src->tf->path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size != src->tf->map.len)
		return false;
	add_number(name, st.st_dev);
	add_number(name, st.st_ino);
	add_number(name, src->machine);
	add_number(name, src->buffer - src->tf->buffers);
	add_time(name, &src->time);
	add_number(key, st.st_size);
	add_number(key, st.st_mtim.tv_sec);
	add_number(key, st.st_mtim.tv_nsec);
	add_number(key, st.st_ctim.tv_sec);
	add_number(key, st.st_ctim.tv_nsec);
	return true;
}

static bool find_key(struct sidecar *sc, const struct timeline *tl)
{
	uint8_t digest[SHA256_BYTES];
	struct sha256 name, key;
	char *to = sc->name;

	sha256_init(&name);
	sha256_init(&key);
	for (size_t i = 0; i < tl->n_sources; i++)
		if (!add_source(&name, &key, &tl->sources[i]))
			return false;
	sha256_finish(&name, digest);
	sha256_add(&key, digest, sizeof(digest));
	sha256_finish(&key, sc->key);
	for (int i = 0; i < 16; i++)
		to += snprintf(to, 3, "%02x", digest[i]);
	memcpy(to, SUFFIX, sizeof(SUFFIX));
	return true;
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool map_file(struct sidecar *sc)
{
	int fd = openat(sc->dir, sc->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *p = MAP_FAILED;

	if (fd < 0)
		return false;
	/* refuse a file that another user may have written, or may change while it is mapped */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    !(st.st_mode & 022) && st.st_size >= (off_t)sizeof(struct sidecar_head) &&
	    (uint64_t)st.st_size <= FILE_MAX_BYTES)
		p = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (p != MAP_FAILED) {
		sc->map = (struct piece){p, st.st_size};
		futimens(fd, NULL);
	}
	close(fd);
	return p != MAP_FAILED;
}

struct check_job {
	struct timeline *tl;
	struct piece map;
	struct index_segment **segments; /* all segments in the order of the file */
	_Atomic bool is_bad;
};

static bool take_kinds(struct timeline *tl, struct piece map);

/*
 * Checks a segment. Number 0 checks the kinds instead, because compiling their formats may take as
 * long as all segments.
 */
static void check_run(void *ctx, size_t i)
{
	struct check_job *job = ctx;

	if (!i) {
		if (!take_kinds(job->tl, job->map))
			atomic_store(&job->is_bad, true);
		return;
	}
	i--;
	if (!atomic_load(&job->is_bad) &&
	    !sidecar_check_segment(job->tl, job->map, &sidecar_segments(job->map)[i],
				   job->segments[i]))
		atomic_store(&job->is_bad, true);
}

static struct index_segment **list_segments(const struct timeline *tl, size_t *ret_n)
{
	struct index_segment **list;
	size_t n = 0;

	for (uint32_t i = 0; i < tl->n_streams; i++)
		n += tl->streams[i]->n_segments;
	list = malloc((n + 1) * sizeof(*list));
	n = 0;
	for (uint32_t i = 0; list && i < tl->n_streams; i++)
		for (size_t k = 0; k < tl->streams[i]->n_segments; k++)
			list[n++] = tl->streams[i]->segments[k];
	*ret_n = n;
	return list;
}

static void take_segment(struct timeline *tl, struct piece map, const struct sidecar_segment *row,
			 struct index_segment *seg)
{
	const uint64_t *ts = (const uint64_t *)(map.data + row->pages_at);

	segment_layout(seg, (uint8_t *)map.data + row->at, row->n_events, row->n_sched);
	memcpy(seg->page_ts, ts, (size_t)seg->n_pages * 8);
	memcpy(seg->fill, ts + seg->n_pages, (size_t)seg->n_pages * 2);
	seg->last_ts = row->last_ts < TIMELINE_TIME_MAX ? row->last_ts : TIMELINE_TIME_MAX;
	if (tl->streams[seg->stream]->pub.last < seg->last_ts)
		tl->streams[seg->stream]->pub.last = seg->last_ts;
	tl->streams[seg->stream]->pub.n_events += row->n_events;
	for (uint32_t i = 0; i < seg->switches.n && !tl->streams[seg->stream]->has_switches; i++)
		if (switch_is_real(seg->switches.entries[i] >> 32 & 15))
			tl->streams[seg->stream]->has_switches = true;
	atomic_fetch_add(&tl->n_events, row->n_events);
}

/* Makes times ascend even if the file is damaged. */
static void settle_times(struct timeline *tl, struct stream *st)
{
	uint64_t low = 0;

	for (size_t i = 0; i < st->n_segments; i++) {
		struct index_segment *seg = st->segments[i];

		for (uint32_t k = 0; k < seg->n_pages; k++) {
			uint64_t t = seg->page_ts[k];

			low = t < low ? low : t > TIMELINE_TIME_MAX ? TIMELINE_TIME_MAX : t;
			seg->page_ts[k] = low;
		}
		if (i)
			st->segments[i - 1]->end_ts = seg->page_ts[0];
		seg->end_ts = TIMELINE_TIME_MAX;
	}
	for (size_t i = 0; i < st->n_segments; i++)
		atomic_store_explicit(&st->segments[i]->state, SEGMENT_READY, memory_order_release);
	stream_settle_edges(tl, st);
}

static bool take_kinds(struct timeline *tl, struct piece map)
{
	for (uint32_t i = 0; i < sidecar_head(map)->n_kinds; i++) {
		const struct sidecar_kind *row = &sidecar_kinds(map)[i];
		struct kind_info *k = kinds_find(tl, &tl->kindtables[row->table], row->id);

		if (!k || k->number != i)
			return false;
	}
	return true;
}

static bool take_tasks(struct timeline *tl, struct piece map)
{
	for (uint32_t i = 0; i < sidecar_head(map)->n_tasks; i++) {
		const struct sidecar_task *row = &sidecar_tasks(map)[i];

		if (tasktable_get(tl, row->machine, row->pid) != i)
			return false;
	}
	return true;
}

/* Takes the counts. No step fails from here on. */
static void take_counts(struct timeline *tl, struct piece map)
{
	const struct sidecar_head *head = sidecar_head(map);

	for (uint32_t i = 0; i < head->n_kinds; i++)
		kinds_get(tl, i)->pub.n_events = sidecar_kinds(map)[i].n_events;
	for (uint32_t i = 0; i < head->n_tasks; i++) {
		const struct sidecar_task *row = &sidecar_tasks(map)[i];
		struct timeline_task *t = &tasktable_row(&tl->tasks, i)->pub;

		t->tgid = row->tgid >= 0 ? row->tgid : t->tgid;
		memcpy(t->comm, row->comm, sizeof(t->comm));
		t->n_events = row->n_events;
		t->running_ns = row->running_ns;
		t->first = row->first;
		t->last = row->last;
	}
	for (uint32_t i = 0; i < head->n_machines; i++)
		atomic_store(&tl->machines[i].has, sidecar_machines(map)[i].has);
	for (uint32_t i = 0; i < tl->n_streams; i++)
		tl->streams[i]->n_stitched = tl->streams[i]->n_segments;
}

static bool take(struct timeline *tl, struct piece map)
{
	struct check_job job = {.tl = tl, .map = map};
	size_t n;
	bool good;

	job.segments = list_segments(tl, &n);
	if (!job.segments)
		return false;
	timeline_parallel(tl, n + 1, check_run, &job);
	good = !atomic_load(&job.is_bad) && take_tasks(tl, map);
	if (good)
		take_counts(tl, map);
	for (size_t i = 0; i < n && good; i++)
		take_segment(tl, map, &sidecar_segments(map)[i], job.segments[i]);
	for (uint32_t i = 0; i < tl->n_streams && good; i++)
		settle_times(tl, tl->streams[i]);
	free(job.segments);
	return good;
}

bool sidecar_open(struct timeline *tl, const char *cache_dir)
{
	struct sidecar *sc = calloc(1, sizeof(*sc));

	if (!sc)
		return false;
	mkdir(cache_dir, 0700);
	sc->dir = open(cache_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (sc->dir < 0 || !find_key(sc, tl)) {
		if (sc->dir >= 0)
			close(sc->dir);
		free(sc);
		return false;
	}
	tl->sidecar = sc;
	if (!map_file(sc))
		return false;
	if (sidecar_check_tables(tl, sc->map, sc->key) && take(tl, sc->map))
		return true;
	munmap((void *)sc->map.data, sc->map.len);
	sc->map.len = 0;
	return false;
}

void sidecar_close(struct timeline *tl)
{
	struct sidecar *sc = tl->sidecar;

	if (!sc)
		return;
	if (sc->map.len)
		munmap((void *)sc->map.data, sc->map.len);
	close(sc->dir);
	free(sc);
}

/* --- the cache's ceilings --------------------------------------------------------------------- */

struct old_file {
	char name[64];
	time_t used;
	uint64_t n_bytes;
};

ARRAY_ORDER(compare_used, struct old_file, COMPARE(y->used, x->used))

static bool has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);

	return n > m && n < 64 && !strcmp(name + n - m, suffix);
}

/* Lists sidecars in the directory, at most SIDECARS_MAX * 4; removes old temporary files. */
static size_t list_files(int dir, struct old_file *files)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	size_t n = 0;

	if (!d && fd >= 0)
		close(fd);
	while (d && n < SIDECARS_MAX * 4 && (e = readdir(d))) {
		bool is_temp = has_suffix(e->d_name, TEMP_SUFFIX);
		struct stat st;

		if ((!is_temp && !has_suffix(e->d_name, SUFFIX)) ||
		    fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
			continue;
		if (is_temp) {
			if (st.st_mtime < time(NULL) - TEMP_AGE_SECONDS)
				unlinkat(dir, e->d_name, 0);
			continue;
		}
		files[n] = (struct old_file){.used = st.st_mtime, .n_bytes = st.st_size};
		memcpy(files[n++].name, e->d_name, strlen(e->d_name) + 1);
	}
	if (d)
		closedir(d);
	return n;
}

static void prune(struct sidecar *sc)
{
	struct old_file *files = malloc(SIDECARS_MAX * 4 * sizeof(*files));
	size_t n = files ? list_files(sc->dir, files) : 0;
	uint64_t sum = 0;

	qsort(files, n, sizeof(*files), compare_used);
	for (size_t i = 0; i < n; i++) {
		sum += files[i].n_bytes;
		if ((i >= SIDECARS_MAX || sum > CACHE_MAX_BYTES) && strcmp(files[i].name, sc->name))
			unlinkat(sc->dir, files[i].name, 0);
	}
	free(files);
}

/* --- writing ---------------------------------------------------------------------------------- */

static int write_all(int fd, const void *data, size_t n)
{
	const uint8_t *p = data;

	while (n) {
		ssize_t r = write(fd, p, n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return -EIO;
		p += r;
		n -= r;
	}
	return 0;
}

/* Returns times and fills of a segment's pages, as stored in the file. The caller frees them. */
static void *pages_of(const struct index_segment *seg)
{
	uint8_t *p = calloc(1, sidecar_pages_bytes(seg->n_pages));

	if (p) {
		memcpy(p, seg->page_ts, (size_t)seg->n_pages * 8);
		memcpy(p + (size_t)seg->n_pages * 8, seg->fill, (size_t)seg->n_pages * 2);
	}
	return p;
}

static void fill_tables(const struct timeline *tl, uint8_t *tables)
{
	struct piece map = {tables, 0};
	struct sidecar_machine *machines = (void *)sidecar_machines(map);
	struct sidecar_kind *kinds = (void *)sidecar_kinds(map);
	struct sidecar_task *tasks = (void *)sidecar_tasks(map);

	for (uint32_t i = 0; i < sidecar_head(map)->n_machines; i++)
		machines[i].has = atomic_load(&tl->machines[i].has);
	for (uint32_t i = 0; i < sidecar_head(map)->n_kinds; i++) {
		const struct kind_info *k = kinds_get(tl, i);

		kinds[i].id = k->pub.id;
		kinds[i].n_events = k->pub.n_events;
		while (tl->kindtables[kinds[i].table].source != k->pub.source)
			kinds[i].table++;
	}
	for (uint32_t i = 0; i < sidecar_head(map)->n_tasks; i++) {
		const struct timeline_task *t = &tasktable_row(&tl->tasks, i)->pub;
		uint32_t m = 0;

		while (tl->machines[m].number != t->machine)
			m++;
		tasks[i] = (struct sidecar_task){.pid = t->pid,
						 .tgid = t->tgid,
						 .machine = m,
						 .n_events = t->n_events,
						 .running_ns = t->running_ns,
						 .first = t->first,
						 .last = t->last};
		memcpy(tasks[i].comm, t->comm, sizeof(t->comm));
	}
}

/* Computes the position of every part. */
static uint64_t fill_segments(struct index_segment **segments, size_t n,
			      struct sidecar_segment *rows, uint64_t at)
{
	for (size_t i = 0; i < n; i++) {
		const struct index_segment *seg = segments[i];
		struct sidecar_segment *row = &rows[i];

		*row = (struct sidecar_segment){.first_page = seg->first_page,
						.last_ts = seg->last_ts,
						.stream = seg->stream,
						.n_pages = seg->n_pages,
						.n_events = seg->n_events,
						.n_bytes = seg->blob_bytes,
						.n_sched = {seg->switches.n, seg->switches.n_blocks,
							    seg->wakings.n, seg->wakings.n_blocks}};
		row->pages_at = at;
		row->at = at + sidecar_pages_bytes(seg->n_pages);
		at = row->at + row->n_bytes;
	}
	return at;
}

/* Writes the blobs first, with a hole for head and tables, which contain the sums of the blobs. */
static int write_segments(int fd, struct index_segment **segments, size_t n,
			  struct sidecar_segment *rows, uint64_t at)
{
	if (lseek(fd, at, SEEK_SET) < 0)
		return -EIO;
	for (size_t i = 0; i < n; i++) {
		size_t n_pages_bytes = sidecar_pages_bytes(segments[i]->n_pages);
		SCOPED(scope_free) void *pages = pages_of(segments[i]);

		if (!pages)
			return -ENOMEM;
		rows[i].sum = sidecar_sum(pages, n_pages_bytes) ^
			      sidecar_sum(segments[i]->blob, segments[i]->blob_bytes);
		TRY(write_all(fd, pages, n_pages_bytes));
		TRY(write_all(fd, segments[i]->blob, segments[i]->blob_bytes));
	}
	return 0;
}

static int write_file(const struct timeline *tl, int fd, struct index_segment **segments, size_t n)
{
	uint32_t n_kinds = atomic_load(&tl->n_kinds), n_tasks = atomic_load(&tl->tasks.n);
	uint64_t n_bytes =
		sizeof(struct sidecar_head) + tl->n_machines * sizeof(struct sidecar_machine) +
		n_kinds * sizeof(struct sidecar_kind) + n_tasks * sizeof(struct sidecar_task) +
		n * sizeof(struct sidecar_segment);
	SCOPED(scope_free) struct sidecar_head *head = calloc(1, n_bytes);
	struct sidecar_segment *rows;
	struct statvfs fs;

	if (!head)
		return -ENOMEM;
	memcpy(head->magic, SIDECAR_MAGIC, sizeof(head->magic));
	sidecar_build_id(head->build);
	memcpy(head->key, tl->sidecar->key, sizeof(head->key));
	head->tables_bytes = n_bytes;
	head->n_machines = tl->n_machines;
	head->n_kinds = n_kinds;
	head->n_tasks = n_tasks;
	head->n_segments = n;
	head->n_events = atomic_load(&tl->n_events);
	fill_tables(tl, (uint8_t *)head);
	rows = (void *)sidecar_segments((struct piece){(uint8_t *)head, 0});
	head->n_bytes = fill_segments(segments, n, rows, n_bytes);
	if (head->n_bytes > FILE_MAX_BYTES || fstatvfs(fd, &fs) < 0 ||
	    (uint64_t)fs.f_bavail * fs.f_frsize / 2 < head->n_bytes)
		return -ENOSPC;
	TRY(write_segments(fd, segments, n, rows, n_bytes));
	head->sum = sidecar_sum(head, sizeof(*head)) ^
		    sidecar_sum((uint8_t *)head + sizeof(*head), n_bytes - sizeof(*head));
	return lseek(fd, 0, SEEK_SET) < 0 ? -EIO : write_all(fd, head, n_bytes);
}

static int write_part(const struct timeline *tl, int fd)
{
	SCOPED(scope_free) struct index_segment **segments = NULL;
	size_t n;

	segments = list_segments(tl, &n);
	return segments ? write_file(tl, fd, segments, n) : -ENOMEM;
}

void sidecar_save(struct timeline *tl)
{
	struct sidecar *sc = tl->sidecar;
	char part[64];
	int fd, r;

	if (!sc)
		return;
	snprintf(part, sizeof(part), "%.32s.%d" TEMP_SUFFIX, sc->name, (int)getpid());
	unlinkat(sc->dir, part, 0);
	fd = openat(sc->dir, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	r = write_part(tl, fd);
	if (close(fd) < 0 || r < 0 || renameat(sc->dir, part, sc->dir, sc->name) < 0)
		unlinkat(sc->dir, part, 0);
	else
		prune(sc);
}
