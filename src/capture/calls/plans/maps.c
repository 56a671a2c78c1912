// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * maps.c - what a process has mapped, from /proc/PID/maps.
 *
 * The text is hostile, as is every file that it names: a program chooses its own paths, and may
 * change them between two looks.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "capture/calls/plans/plans_int.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAPPED_MAX 1024u

static int read_maps(pid_t pid, struct textbuf *out, struct errmsg *err)
{
	char path[64], buf[16384];
	ssize_t n;
	int fd, r = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errmsg_set_errno(err, -errno, "cannot read %s", path);
	while ((n = read(fd, buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			textbuf_add(out, buf, n);
	r = n < 0 ? -errno : out->overflow ? -EFBIG : 0;
	close(fd);
	return r < 0 ? errmsg_set_errno(err, r, "cannot read %s", path) : 0;
}

static struct mapped *find_mapped(struct mapped_list *l, const char *path, uint64_t ino)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->list[i].ino == ino && !strcmp(l->list[i].path, path))
			return &l->list[i];
	return NULL;
}

/*
 * An emulator of processors (qemu-user) is a program of another machine than this one. It maps
 * the code of its program without the right to execute it, at the lowest addresses.
 */
static bool is_emulator(const char *link)
{
	static const unsigned machine =
#if defined(__aarch64__)
		EM_AARCH64;
#else
		EM_X86_64;
#endif
	Elf64_Ehdr head = {0};
	int fd = open(link, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? pread(fd, &head, sizeof(head), 0) : 0;

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)sizeof(head) && head.e_machine != machine;
}

/* "55d0c0a000-55d0c0b000 r-xp 00002000 fe:01 1234   /usr/bin/prog" */
static void take_line(struct mapped_list *l, const char *line, const char *exe)
{
	unsigned long long start, end, offset, ino;
	struct mapped *m;
	char modes[8];
	int at = 0;

	if (sscanf(line, "%llx-%llx %7s %llx %*x:%*x %llu %n", &start, &end, modes, &offset, &ino,
		   &at) < 5 ||
	    !at || line[at] != '/' || strlen(line + at) >= sizeof(m->path))
		return;
	m = find_mapped(l, line + at, ino);
	if (!m) {
		if (!ARRAY_ROOM(l->list, l->cap, l->n + 1, MAPPED_MAX))
			return;
		m = &l->list[l->n++];
		*m = (struct mapped){.low = start, .ino = ino};
		snprintf(m->path, sizeof(m->path), "%s", line + at);
		m->is_exe = !strcmp(m->path, exe);
		m->is_program = l->is_emulated ? l->n == 1 : m->is_exe;
	}
	if (modes[2] == 'x' || l->is_emulated) {
		m->has_code = true;
		m->code_bytes += end - start;
	}
}

int mapped_list_read(pid_t pid, struct mapped_list *l, struct errmsg *err)
{
	char link[64], exe[PATH_MAX] = "", *line, *rest;
	ssize_t n;
	int r = read_maps(pid, &l->maps, err);

	if (r < 0)
		return r;
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	n = readlink(link, exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = 0;
	l->is_emulated = is_emulator(link);
	rest = strndup(l->maps.start ? l->maps.start : "", textbuf_len(&l->maps));
	if (!rest)
		return errmsg_set_errno(err, -ENOMEM, "cannot plan");
	for (char *p = rest; (line = strsep(&p, "\n"));)
		take_line(l, line, exe);
	free(rest);
	return 0;
}

void mapped_list_release(struct mapped_list *l)
{
	textbuf_release(&l->maps);
	free(l->list);
}

/* The program itself may be deleted, and a library lie below another root. */
int mapped_open(pid_t pid, const struct mapped *m)
{
	char path[PATH_MAX + 64];
	struct stat st;
	int fd;

	if (m->is_exe)
		snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	else
		snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, m->path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	/* it may have been replaced since */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == m->ino)
		return fd;
	close(fd);
	return -ESTALE;
}

/* "55d0c0a000-55d0c0b000 r-xs 00003000 00:01 1234   /memfd:sonde-plan (deleted)" */
bool mapped_has_area(const struct mapped_list *l, uint64_t area)
{
	char start[32];
	int len = snprintf(start, sizeof(start), "%08llx-", (unsigned long long)area);

	for (const char *p = l->maps.start, *end = p + textbuf_len(&l->maps); p && p < end;) {
		const char *newline = memchr(p, '\n', end - p);
		size_t n = (newline ? newline : end) - p;

		if (n > (size_t)len && !memcmp(p, start, len))
			return memmem(p, n, "memfd:sonde-plan", strlen("memfd:sonde-plan"));
		p += n + 1;
	}
	return false;
}
