/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapfile.h - a whole file as memory, read-only.
 *
 * Regular files are mapped; a pipe is read into memory, a long one into a temporary file. The bytes stay
 * valid until mapfile_release(). A file that somebody truncates while it is mapped raises SIGBUS on
 * the missing pages; cli/ turns that into a sentence.
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
};

/* -errno with a sentence in err that names path. An empty file gives data != NULL, n_bytes 0. */
int mapfile_open(struct mapfile *ret_map, const char *path, struct errmsg *err);
/* The same; of a stream that does not begin with `prefix` only the beginning is read. */
int mapfile_open_if(struct mapfile *ret_map, const char *path, const char *prefix,
		    struct errmsg *err);
/* A file that is open already, which stays open; it is read from its beginning. path is only for messages. */
int mapfile_open_fd(struct mapfile *ret_map, int fd, const char *path, struct errmsg *err);
/* A file whose name somebody else chose: regular.h. Pipes and devices are refused, and files that are empty or
 * larger than max_bytes. */
int mapfile_open_regular(struct mapfile *ret_map, const char *path, size_t max_bytes,
			 struct errmsg *err);
void mapfile_release(struct mapfile *map);

#endif
