// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fifos.c - opens the two ends of pipes between a guest and its host.
 *
 *	guest: /dev/virtio-ports/trace-pipe-cpu0 ─▶ QEMU ─▶ host: DIR/GUEST/trace-pipe-cpu0.out
 *
 * Everything is opened without waiting; a pipe whose other end is not open is ignored. QEMU keeps
 * its end open all the time, so a pipe has no end of file. A pipe is emptied when it is opened,
 * because it may contain data of an earlier recording. The name of a guest must not lead out of its
 * directory.
 */
#include "wire/guest/fifos.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GUEST_PORTS  "/dev/virtio-ports"
/* a pipe holds at most a megabyte; if there is more, another process writes to it */
#define LEFTOVER_MAX (64u << 20)

static bool make_empty(int fd)
{
	char bytes[65536];

	for (size_t n = 0; n < LEFTOVER_MAX; n += sizeof(bytes))
		if (read(fd, bytes, sizeof(bytes)) <= 0)
			return true;
	return false;
}

static int open_end(const char *path, int flags)
{
	struct stat st;
	int fd = open(path, flags | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	/* a FIFO on the host, a character device in a guest */
	if (fstat(fd, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ||
	    S_ISBLK(st.st_mode)) {
		close(fd);
		return -ENODEV;
	}
	return fd;
}

void fifos_close(int *fds, uint32_t n)
{
	while (n)
		close(fds[--n]);
}

uint32_t fifos_open_host(const char *guest, int *fds, uint32_t max)
{
	char path[PATH_MAX];
	uint32_t n = 0;

	if (!*guest || *guest == '.' || strchr(guest, '/'))
		return 0;
	for (; n < max; n++) {
		snprintf(path, sizeof(path), FIFOS_HOST_DIR "/%s/trace-pipe-cpu%u.out", guest, n);
		fds[n] = open_end(path, O_RDONLY);
		if (fds[n] < 0)
			break;
		if (!make_empty(fds[n])) {
			close(fds[n]);
			break;
		}
	}
	return n;
}

int fifos_open_guest(int *fds, uint32_t n_cpus)
{
	char path[PATH_MAX];

	for (uint32_t i = 0; i < n_cpus; i++) {
		snprintf(path, sizeof(path), GUEST_PORTS "/trace-pipe-cpu%u", i);
		fds[i] = open_end(path, O_WRONLY);
		if (fds[i] < 0) {
			int r = fds[i];

			fifos_close(fds, i);
			return r;
		}
	}
	return 0;
}
