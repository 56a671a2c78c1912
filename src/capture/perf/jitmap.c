// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jitmap.c - reads the maps that just-in-time compilers write for profilers.
 *
 *	7f2c4a1b0040 1e0 LazyCompile:~work /srv/app.js:12        start, length in hex, the rest is
 *	                                                         the name
 *
 * The file has the name /tmp/perf-PID.map, with the pid as the process sees it (a container has its
 * own), in the process's root directory. Code moves and memory is used again: of two entries at the
 * same address the later one counts. The process writes the file and may write anything: lines of
 * another form are skipped.
 *
 * A directory that all may write is no place to follow links into files of others: only a regular
 * file that belongs to the user of the process, or to root, is read.
 */
#include "capture/perf/jitmap.h"

#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAP_MAX_BYTES (256u << 20)
#define ENTRIES_MAX   (4u << 20)

struct entry {
	uint64_t start, end;
	uint32_t order;
	const char *name;
};

struct jitmap {
	int pid, fd;
	bool is_read;
	struct textbuf text;
	struct entry *entries;
	size_t n, cap;
};

struct jitmap *jitmap_new(int pid)
{
	struct jitmap *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->pid = pid;
	j->fd = -1;
	textbuf_init(&j->text, MAP_MAX_BYTES);
	return j;
}

void jitmap_free(struct jitmap *j)
{
	if (!j)
		return;
	if (j->fd >= 0)
		close(j->fd);
	textbuf_release(&j->text);
	free(j->entries);
	free(j);
}

/* The pid that the process knows: the last number of "NSpid:". */
static int inner_pid(int pid)
{
	char path[64], line[256];
	SCOPED(fclose_scoped) FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		const char *last = strrchr(line, '\t');

		if (!strncmp(line, "NSpid:", 6) && last)
			return atoi(last + 1);
	}
	return pid;
}

static bool is_acceptable(int fd, int pid)
{
	struct stat st, owner;
	char path[64];

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	snprintf(path, sizeof(path), "/proc/%d", pid);
	return !st.st_uid || st.st_uid == geteuid() ||
	       (!stat(path, &owner) && owner.st_uid == st.st_uid);
}

static bool try_open(struct jitmap *j, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd >= 0 && !is_acceptable(fd, j->pid)) {
		close(fd);
		fd = -1;
	}
	j->fd = fd;
	return fd >= 0;
}

void jitmap_look(struct jitmap *j)
{
	char path[128];

	if (j->fd >= 0 || j->is_read)
		return;
	snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%d.map", j->pid, inner_pid(j->pid));
	if (try_open(j, path))
		return;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", j->pid);
	try_open(j, path);
}

ARRAY_ORDER(by_start, struct entry, COMPARE(x->start, y->start) ?: COMPARE(x->order, y->order))

/* Of entries with the same start the last one stays. */
static void sort_entries(struct jitmap *j)
{
	size_t n = 0;

	if (j->n)
		qsort(j->entries, j->n, sizeof(*j->entries), by_start);
	for (size_t i = 0; i < j->n; i++) {
		if (i + 1 < j->n && j->entries[i + 1].start == j->entries[i].start)
			continue;
		j->entries[n++] = j->entries[i];
	}
	j->n = n;
}

static void parse_line(struct jitmap *j, char *line)
{
	char *end;
	uint64_t start = strtoull(line, &end, 16), n_bytes;

	if (end == line || *end != ' ')
		return;
	line = end + 1;
	n_bytes = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || !end[1] || start + n_bytes < start)
		return;
	if (ARRAY_ROOM(j->entries, j->cap, j->n + 1, ENTRIES_MAX)) {
		j->entries[j->n] = (struct entry){start, start + n_bytes, (uint32_t)j->n, end + 1};
		j->n++;
	}
}

static void parse_text(struct jitmap *j)
{
	char *line = j->text.start, *end;

	textbuf_add_char(&j->text, '\n');
	if (j->text.overflow)
		return;
	line = j->text.start;
	while (line < j->text.pos && (end = memchr(line, '\n', j->text.pos - line))) {
		*end = '\0';
		parse_line(j, line);
		line = end + 1;
	}
	sort_entries(j);
}

int jitmap_parse(struct jitmap *j, const char *text, size_t n_bytes)
{
	j->is_read = true;
	textbuf_add(&j->text, text, n_bytes);
	parse_text(j);
	return j->text.overflow ? -ENOMEM : 0;
}

const char *jitmap_find(struct jitmap *j, uint64_t address, uint64_t *ret_start)
{
	size_t i;

	if (!j->is_read) {
		jitmap_look(j);
		j->is_read = true;
		if (j->fd >= 0 && textbuf_add_file(&j->text, j->fd) >= 0)
			parse_text(j);
	}
	i = ARRAY_BISECT(j->n, k, j->entries[k].start <= address);
	if (!i || address >= j->entries[i - 1].end)
		return NULL;
	*ret_start = j->entries[i - 1].start;
	return j->entries[i - 1].name;
}
