// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spaces.c - tables of mappings, one for each process, shared after fork().
 *
 *	pid ──▶ space ──▶ mappings, sorted by address ──▶ codefile
 *	pid ──▶ space ─────┘ the child of a fork, until one of the two maps something
 *
 * Only code is kept: the kernel reports mappings that can be executed, and the others of
 * /proc/PID/maps are skipped. A process that has ended stays for a while, because records of its
 * end may come late; then the oldest one is forgotten.
 */
#include "capture/perf/spaces.h"

#include "base/array.h"
#include "base/map.h"
#include "base/scope.h"
#include "capture/perf/codefiles.h"
#include "store/events/sampleevents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPACES_MAX   (1u << 20)
#define MAPPINGS_MAX 65536u
#define ENDED_MAX    1024u /* processes that have ended and are still known */

struct mapping {
	uint64_t start, end, offset;
	struct codefile *file;
};

struct mappings {
	unsigned n_users;
	struct mapping *list;
	size_t n, cap;
};

struct space {
	struct mappings *mappings;
	struct codefile *memory; /* its code without a file; NULL: none seen */
	size_t last;		 /* index of the mapping that was found last */
	bool has_ended;
};

struct spaces {
	struct codefiles *files;
	struct map by_pid;
	int ended[ENDED_MAX]; /* a ring of pids; 0: none */
	size_t n_ended;
};

struct spaces *spaces_new(struct codefiles *files)
{
	struct spaces *s = calloc(1, sizeof(*s));

	if (s)
		s->files = files;
	return s;
}

static void put_mappings(struct mappings *m)
{
	if (!m || --m->n_users)
		return;
	free(m->list);
	free(m);
}

static void free_space(struct space *space)
{
	if (!space)
		return;
	put_mappings(space->mappings);
	free(space);
}

void spaces_free(struct spaces *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->by_pid.n_slots; i++)
		free_space(s->by_pid.slots[i].value);
	map_release(&s->by_pid);
	free(s);
}

static struct space *take_space(struct spaces *s, int pid)
{
	void **slot = map_take(&s->by_pid, (uint64_t)pid, SPACES_MAX);

	if (slot && !*slot)
		*slot = calloc(1, sizeof(struct space));
	return slot ? *slot : NULL;
}

/* Mappings of this space alone, to change them. */
static struct mappings *own_mappings(struct space *space)
{
	struct mappings *old = space->mappings, *m;

	if (old && old->n_users == 1)
		return old;
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->n_users = 1;
	if (old && old->n) {
		if (!ARRAY_ROOM(m->list, m->cap, old->n, MAPPINGS_MAX)) {
			free(m);
			return NULL;
		}
		memcpy(m->list, old->list, old->n * sizeof(*m->list));
		m->n = old->n;
	}
	put_mappings(old);
	space->mappings = m;
	return m;
}

/* Removes what lies between start and end; a mapping around it becomes two. */
static bool cut_out(struct mappings *m, uint64_t start, uint64_t end)
{
	size_t i = ARRAY_BISECT(m->n, k, m->list[k].end <= start), n;

	if (i == m->n)
		return true;
	if (i < m->n && m->list[i].start < start && m->list[i].end > end) {
		if (!ARRAY_ROOM(m->list, m->cap, m->n + 1, MAPPINGS_MAX))
			return false;
		memmove(m->list + i + 1, m->list + i, (m->n - i) * sizeof(*m->list));
		m->n++;
		m->list[i].end = start;
		m->list[i + 1].offset += end - m->list[i + 1].start;
		m->list[i + 1].start = end;
		return true;
	}
	if (i < m->n && m->list[i].start < start)
		m->list[i++].end = start;
	for (n = i; n < m->n && m->list[n].end <= end; n++)
		;
	memmove(m->list + i, m->list + n, (m->n - n) * sizeof(*m->list));
	m->n -= n - i;
	if (i < m->n && m->list[i].start < end) {
		m->list[i].offset += end - m->list[i].start;
		m->list[i].start = end;
	}
	return true;
}

static void add_mapping(struct space *space, const struct mapping *new)
{
	struct mappings *m = own_mappings(space);
	size_t i;

	if (!m || new->start >= new->end || !cut_out(m, new->start, new->end) ||
	    !ARRAY_ROOM(m->list, m->cap, m->n + 1, MAPPINGS_MAX))
		return;
	i = ARRAY_BISECT(m->n, k, m->list[k].start < new->start);
	memmove(m->list + i + 1, m->list + i, (m->n - i) * sizeof(*m->list));
	m->list[i] = *new;
	m->n++;
}

/* A path that names a file, perhaps a deleted one, or the vdso. */
static bool has_file(const char *path)
{
	return (path[0] == '/' && path[1] != '/' && strncmp(path, "/dev/zero", 9) &&
		strncmp(path, "/SYSV", 5) && strncmp(path, "/anon_hugepage", 14)) ||
	       !strcmp(path, "[vdso]");
}

static void add(struct spaces *s, const struct codefiles_mapping *m, uint64_t offset, bool open_now)
{
	struct space *space = take_space(s, m->pid);
	struct mapping mapping = {m->start, m->end, offset, NULL};

	if (!space)
		return;
	if (has_file(m->path))
		mapping.file = codefiles_take(s->files, m);
	else if (!space->memory)
		space->memory = codefiles_take_memory(s->files, m->pid);
	if (mapping.file && open_now)
		codefile_open(s->files, mapping.file);
	add_mapping(space, &mapping);
}

void spaces_map(struct spaces *s, const struct perfrecord_map *m)
{
	add(s,
	    &(struct codefiles_mapping){.path = m->path,
					.pid = (int)m->pid,
					.start = m->start,
					.end = m->start + m->n_bytes,
					.inode = m->inode},
	    m->file_offset, true);
}

/* "55c7eeefa000-55c7eeefb000 r-xp 00001000 fe:01 1234   /usr/bin/prog"; the path may be missing. */
static void read_line(struct spaces *s, int pid, const char *line)
{
	unsigned long long start, end, offset, inode;
	char access[8], path[4096] = "[anon]";

	if (sscanf(line, "%llx-%llx %7s %llx %*s %llu %4095[^\n]", &start, &end, access, &offset,
		   &inode, path) < 5 ||
	    access[2] != 'x')
		return;
	add(s,
	    &(struct codefiles_mapping){
		    .path = path, .pid = pid, .start = start, .end = end, .inode = inode},
	    offset, false);
}

void spaces_read_proc(struct spaces *s, int pid)
{
	char name[64], line[4096 + 128];
	SCOPED(fclose_scoped) FILE *f = NULL;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f))
		read_line(s, pid, line);
}

void spaces_exec(struct spaces *s, int pid)
{
	struct space *space = map_find(&s->by_pid, (uint64_t)pid);

	if (!space)
		return;
	put_mappings(space->mappings);
	*space = (struct space){0};
}

void spaces_fork(struct spaces *s, int pid, int parent)
{
	struct space *old, *space;

	if (pid == parent) /* a thread */
		return;
	space = take_space(s, pid);
	old = map_find(&s->by_pid, (uint64_t)parent);
	if (!space)
		return;
	put_mappings(space->mappings);
	*space = (struct space){0};
	if (!old || !old->mappings)
		return;
	space->mappings = old->mappings;
	space->mappings->n_users++;
	/* code that the parent made keeps its names: the child has the same */
	space->memory = old->memory;
}

void spaces_exit(struct spaces *s, int pid)
{
	struct space *space = map_find(&s->by_pid, (uint64_t)pid), *oldest;
	int *slot = &s->ended[s->n_ended % ENDED_MAX];

	if (!space || space->has_ended)
		return;
	s->n_ended++;
	space->has_ended = true;
	oldest = *slot ? map_find(&s->by_pid, (uint64_t)*slot) : NULL;
	if (oldest && oldest->has_ended && *slot != pid) /* else another process has its pid now */
		free_space(map_remove(&s->by_pid, (uint64_t)*slot));
	*slot = pid;
}

static const struct mapping *find_mapping(struct space *space, uint64_t address)
{
	const struct mappings *m = space->mappings;
	size_t i = space->last;

	if (!m || !m->n)
		return NULL;
	if (i < m->n && address - m->list[i].start < m->list[i].end - m->list[i].start)
		return &m->list[i];
	i = ARRAY_BISECT(m->n, k, m->list[k].end <= address);
	if (i >= m->n || address < m->list[i].start)
		return NULL;
	space->last = i;
	return &m->list[i];
}

/* Code that sonde has made (userplans.c); another recording may have made it. */
static bool is_plan(const struct codefile *f)
{
	return !strncmp(f->path, "/memfd:sonde-plan", 17);
}

void spaces_find(struct spaces *s, int pid, uint64_t address, struct spaces_place *ret)
{
	struct space *space = map_find(&s->by_pid, (uint64_t)pid);
	const struct mapping *m = space ? find_mapping(space, address) : NULL;
	struct codefile *f = m ? m->file : NULL;
	uint32_t number;

	*ret = (struct spaces_place){0};
	if (!m)
		return;
	if (f && is_plan(f)) {
		ret->inode = f->inode;
		ret->offset = address - m->start + m->offset;
	}
	if (f)
		codefile_open(s->files, f);
	if (f && f->same)
		f = f->same;
	if (!f || f->state == CODEFILE_MEMORY) {
		if (!space->memory)
			space->memory = codefiles_take_memory(s->files, pid);
		f = space->memory;
		ret->address = address;
	} else {
		ret->address = codefile_find(f, address - m->start + m->offset);
	}
	number = f ? codefiles_number(s->files, f) : 0;
	if (!number)
		return;
	ret->file = f;
	ret->place = sampleevents_place(number, ret->address);
}

uint64_t spaces_hooks(struct spaces *s)
{
	struct codefile *f = codefiles_take_hooks(s->files);
	uint32_t number = f ? codefiles_number(s->files, f) : 0;

	return number ? sampleevents_place(number, 0) : 0;
}
