/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mapfile.h - a whole file as memory, read-only.
 *
 * Regular files are mapped; a pipe is read into memory, a long one into a temporary file. The bytes
 * stay valid until mapfile_release(). If somebody truncates a mapped file, the missing pages raise
 * SIGBUS; cli/ turns that into a message.
 */
#ifndef SONDE_BASE_FILES_MAPFILE_H
#define SONDE_BASE_FILES_MAPFILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

struct errmsg;

struct mapfile {
	const uint8_t *data;
	size_t n_bytes;
	bool is_heap;
	/*
	 * descriptor + 1, which outplace.h uses to protect an open file from being overwritten; 0:
	 * none
	 */
	int held;
};

/*
 * Returns -errno with a message in err that names path. An empty file gives data != NULL, n_bytes
 * 0.
 */
int mapfile_open(struct mapfile *ret_map, const char *path, struct errmsg *err);
/*
 * Like mapfile_open(), but reads only the beginning of a stream that does not begin with `prefix`.
 */
int mapfile_open_if(struct mapfile *ret_map, const char *path, const char *prefix,
		    struct errmsg *err);
/*
 * Maps a file that is already open, from its beginning. The descriptor stays open. path is only for
 * messages.
 */
int mapfile_open_fd(struct mapfile *ret_map, int fd, const char *path, struct errmsg *err);
/*
 * Maps a file whose name comes from untrusted data (regular.h). Refuses pipes and devices, and
 * files that are empty or larger than max_bytes.
 */
int mapfile_open_regular(struct mapfile *ret_map, const char *path, size_t max_bytes,
			 struct errmsg *err);
void mapfile_release(struct mapfile *map);

#endif
