// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * mapfile.c - maps a file, or reads it completely if it cannot be mapped.
 *
 * A mapping costs nothing per byte, and the page cache decides what stays in memory, so a 100 GB
 * trace needs no memory of the process. Pipes (`ssh host cat trace.dat | sonde report -i -`) are
 * read whole, because the format needs random access: into memory, and from MEMORY_MAX_BYTES on
 * into a file without a name in $TMPDIR or /var/tmp, which is then mapped.
 */
#include "base/files/mapfile.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/files/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEMORY_MAX_BYTES ((size_t)64 << 20)
/*
 * maximum of descriptors kept open; other files are closed at once, so that any number can be read
 */
#define HELD_FDS	 512

/* Reads up to n bytes, or until the end of the file. Returns the number of bytes, or -errno. */
static ssize_t read_full(int fd, uint8_t *to, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t r = read(fd, to + done, n - done);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		if (!r)
			break;
		done += r;
	}
	return done;
}

static int write_full(int fd, const uint8_t *from, size_t n)
{
	while (n) {
		ssize_t r = write(fd, from, n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		from += r;
		n -= r;
	}
	return 0;
}

/* Opens a file without a name. It disappears when it is closed and unmapped. */
static int open_nameless(void)
{
	const char *dirs[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
	int fd = -1;

	for (size_t i = 0; i < ARRAY_LEN(dirs) && fd < 0; i++)
		if (dirs[i])
			fd = open(dirs[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return fd;
}

/*
 * Shared: into a private mapping of a program, even one to read, the kernel writes the breakpoints
 * of uprobes that somebody has set there. Some file systems have private mappings only.
 */
static int map_fd(struct mapfile *map, int fd, size_t n_bytes, const char *path, struct errmsg *err)
{
	void *p = mmap(NULL, n_bytes, PROT_READ, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		p = mmap(NULL, n_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return errmsg_set_errno(err, -errno, "cannot map %s", path);
	*map = (struct mapfile){.data = p, .n_bytes = n_bytes};
	return 0;
}

/* Writes the bytes read so far and the rest of the stream to a file, and maps it. */
static int spool(struct mapfile *map, int fd, uint8_t *buf, size_t len, const char *path,
		 struct errmsg *err)
{
	int file = open_nameless(), r = 0;
	size_t total = 0;
	ssize_t n = len;

	if (file < 0)
		return errmsg_set(err, -EFBIG,
				  "%s is a stream of more than %zu MB; save it to a file first",
				  path, len >> 20);
	while (n > 0 && r >= 0) {
		r = write_full(file, buf, n);
		total += n;
		n = r < 0 ? 0 : read_full(fd, buf, len);
	}
	if (n < 0)
		r = errmsg_set_errno(err, n, "cannot read %s", path);
	else if (r < 0)
		errmsg_set_errno(err, r,
				 "cannot store %s in a temporary file; set TMPDIR to another "
				 "directory",
				 path);
	else
		r = map_fd(map, file, total, path, err);
	close(file);
	return r;
}

static bool begins_with(const uint8_t *data, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len >= n && !memcmp(data, prefix, n);
}

/* Returns true for devices that never end: reading /dev/zero would fill the disk. */
static bool is_endless(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode));
}

static int mapfile_slurp(struct mapfile *map, int fd, const char *path, const char *prefix,
			 struct errmsg *err)
{
	size_t cap = 1 << 20, len = 0;
	uint8_t *p = malloc(cap), *q;
	ssize_t n = 0;

	while (p && (n = read_full(fd, p + len, cap - len)) > 0) {
		len += n;
		if (len < cap || !begins_with(p, len, prefix))
			break;
		if (cap == MEMORY_MAX_BYTES) {
			n = is_endless(fd) ? errmsg_set(err, -EFBIG,
							"%s is a device with too much data; "
							"name a file",
							path)
					   : spool(map, fd, p, len, path, err);
			free(p);
			return n;
		}
		cap *= 2;
		q = realloc(p, cap);
		if (!q)
			free(p);
		p = q;
	}
	if (p && n >= 0) {
		*map = (struct mapfile){.data = p, .n_bytes = len, .is_heap = true};
		return 0;
	}
	free(p);
	return errmsg_set_errno(err, p ? n : -ENOMEM, "cannot read %s", path);
}

static int mapfile_map(struct mapfile *map, int fd, const char *path, const char *prefix,
		       struct errmsg *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return errmsg_set_errno(err, -errno, "cannot examine %s", path);
	if (S_ISDIR(st.st_mode))
		return errmsg_set(err, -EISDIR, "%s is a directory, not a trace file", path);
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return mapfile_slurp(map, fd, path, prefix, err);
	return map_fd(map, fd, st.st_size, path, err);
}

int mapfile_open_if(struct mapfile *ret_map, const char *path, const char *prefix,
		    struct errmsg *err)
{
	int fd, r;

	if (!strcmp(path, "-"))
		return mapfile_map(ret_map, STDIN_FILENO, "standard input", prefix, err);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errmsg_set_errno(err, -errno, "cannot open %s", path);
	r = mapfile_map(ret_map, fd, path, prefix, err);
	if (r >= 0 && fd < HELD_FDS)
		ret_map->held = fd + 1;
	else
		close(fd);
	return r;
}

int mapfile_open(struct mapfile *ret_map, const char *path, struct errmsg *err)
{
	return mapfile_open_if(ret_map, path, "", err);
}

int mapfile_open_fd(struct mapfile *ret_map, int fd, const char *path, struct errmsg *err)
{
	return mapfile_map(ret_map, fd, path, "", err);
}

int mapfile_open_regular(struct mapfile *ret_map, const char *path, size_t max_bytes,
			 struct errmsg *err)
{
	int fd = regular_open(path, max_bytes), r;
	struct stat st;

	if (fd < 0)
		return errmsg_set_errno(err, fd, "cannot open %s", path);
	r = fstat(fd, &st) ? -errno : 0;
	if (r < 0 || !st.st_size || (size_t)st.st_size > max_bytes)
		r = errmsg_set_errno(err, r < 0 ? r : -EFBIG, "cannot examine %s", path);
	else
		r = map_fd(ret_map, fd, st.st_size, path, err);
	close(fd);
	return r;
}

void mapfile_release(struct mapfile *map)
{
	if (map->is_heap)
		free((void *)map->data);
	else if (map->data)
		munmap((void *)map->data, map->n_bytes);
	if (map->held)
		close(map->held - 1);
	memset(map, 0, sizeof(*map));
}
