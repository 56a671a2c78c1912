// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mapfile.c - map a file, or slurp what cannot be mapped.
 *
 * Mapping costs nothing per byte and lets the page cache decide what stays: a 100 GB trace needs no
 * memory of ours. Pipes (`ssh host cat trace.dat | sonde report -i -`) are read whole, at most
 * SLURP_MAX_BYTES, because the format needs random access.
 */
#include "base/mapfile.h"
#include "base/errmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SLURP_MAX_BYTES ((size_t)8 << 30)

static int mapfile_slurp(struct mapfile *map, int fd, const char *path, struct errmsg *err)
{
	size_t cap = 1 << 20, len = 0;
	uint8_t *p = malloc(cap), *q;
	ssize_t n;

	while (p && (n = read(fd, p + len, cap - len)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			free(p);
			return errmsg_set_errno(err, -errno, "cannot read %s", path);
		}
		len += n;
		if (len < cap)
			continue;
		cap *= 2;
		q = cap > SLURP_MAX_BYTES ? NULL : realloc(p, cap);
		if (!q) {
			free(p);
			return errmsg_set(
				err, -EFBIG,
				"%s is a stream of more than %zu MB; save it to a file first", path,
				len >> 20);
		}
		p = q;
	}
	if (!p)
		return errmsg_set_errno(err, -ENOMEM, "cannot read %s", path);
	*map = (struct mapfile){.data = p, .n_bytes = len, .is_heap = true};
	return 0;
}

static int mapfile_map(struct mapfile *map, int fd, const char *path, struct errmsg *err)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) < 0)
		return errmsg_set_errno(err, -errno, "cannot examine %s", path);
	if (S_ISDIR(st.st_mode))
		return errmsg_set(err, -EISDIR, "%s is a directory, not a trace file", path);
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return mapfile_slurp(map, fd, path, err);
	p = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return errmsg_set_errno(err, -errno, "cannot map %s", path);
	*map = (struct mapfile){.data = p, .n_bytes = st.st_size};
	return 0;
}

int mapfile_open(struct mapfile *ret_map, const char *path, struct errmsg *err)
{
	int fd, r;

	if (!strcmp(path, "-"))
		return mapfile_map(ret_map, STDIN_FILENO, "standard input", err);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errmsg_set_errno(err, -errno, "cannot open %s", path);
	r = mapfile_map(ret_map, fd, path, err);
	close(fd);
	return r;
}

void mapfile_release(struct mapfile *map)
{
	if (map->is_heap)
		free((void *)map->data);
	else if (map->data)
		munmap((void *)map->data, map->n_bytes);
	memset(map, 0, sizeof(*map));
}
