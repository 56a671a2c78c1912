// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uftsend.c - sends a uftrace.data directory, file by file (uftframe.h).
 *
 * The info file comes last: a directory without it is not a recording, so what arrives of a broken
 * connection is not mistaken for one.
 */
#include "wire/uftrace/uftsend.h"

#include "base/errmsg.h"
#include "base/files/mapfile.h"
#include "base/scope.h"
#include "wire/netaddr.h"
#include "wire/uftrace/uftframe.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECT_MS  10000
#define PIECE_BYTES (128u << 10) /* records in one frame, as uftrace's buffers */
#define FILE_MAX    (1ull << 40)

int uftsend_connect(const char *host, int port, struct errmsg *err)
{
	char text[16];
	int fd;

	snprintf(text, sizeof(text), "%d", port);
	fd = netaddr_connect(TRANSPORT_TCP, host, text, CONNECT_MS, err);
	if (fd >= 0)
		netaddr_set_send_limit(fd);
	return fd;
}

static int send_all(int sock, const void *data, size_t n, struct errmsg *err)
{
	const char *p = data;

	while (n) {
		ssize_t sent = send(sock, p, n, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return errmsg_set_errno(err, -errno, "cannot send the recording");
		p += sent;
		n -= (size_t)sent;
	}
	return 0;
}

struct part {
	const void *data;
	size_t n;
};

static int send_frame(int sock, enum uft_frame_kind kind, const struct part parts[3],
		      struct errmsg *err)
{
	uint8_t head[UFT_FRAME_HEAD_BYTES];
	size_t n = parts[0].n + parts[1].n + parts[2].n;
	struct uft_frame f = {(uint16_t)kind, (uint32_t)n};

	if (n > UFT_FRAME_MAX_BYTES)
		return errmsg_set(err, -EFBIG, "a file of the recording is too large to be sent");
	uft_frame_write(head, &f);
	TRY(send_all(sock, head, sizeof(head), err));
	for (int i = 0; i < 3; i++)
		TRY(send_all(sock, parts[i].data, parts[i].n, err));
	return 0;
}

/* TID.dat, perf-cpuN.dat, kernel-cpuN.dat: a number, then the bytes. */
static int send_pieces(int sock, enum uft_frame_kind kind, unsigned number,
		       const struct mapfile *map, struct errmsg *err)
{
	uint32_t n = htonl(number);

	for (size_t at = 0; at < map->n_bytes; at += PIECE_BYTES) {
		size_t left = map->n_bytes - at;
		struct part parts[3] = {
			{&n, sizeof(n)},
			{map->data + at, left < PIECE_BYTES ? left : PIECE_BYTES},
		};

		TRY(send_frame(sock, kind, parts, err));
	}
	return 0;
}

static int send_text(int sock, const char *name, const struct mapfile *map, struct errmsg *err)
{
	uint32_t n = htonl((uint32_t)strlen(name));
	struct part parts[3] = {
		{&n, sizeof(n)},
		{name, strlen(name)},
		{map->data, map->n_bytes},
	};

	return send_frame(sock, UFT_FRAME_FILE, parts, err);
}

static int send_info(int sock, const char *path, const struct mapfile *map, struct errmsg *err)
{
	SCOPED(scope_free) uint8_t *copy = malloc(map->n_bytes + 1);
	struct part parts[3] = {{copy, map->n_bytes}};

	if (!copy)
		return errmsg_set_errno(err, -ENOMEM, "cannot send %s", path);
	memcpy(copy, map->data, map->n_bytes);
	if (!uft_frame_turn_info(copy, map->n_bytes))
		return errmsg_set(err, -EINVAL, "%s is not an info file of uftrace", path);
	return send_frame(sock, UFT_FRAME_INFO, parts, err);
}

static int send_file(int sock, const char *dir, const char *name, struct errmsg *err)
{
	static const struct {
		const char *form;
		enum uft_frame_kind kind;
	} forms[] = {{"%u.dat%n", UFT_FRAME_DATA},
		     {"kernel-cpu%u.dat%n", UFT_FRAME_KERNEL},
		     {"perf-cpu%u.dat%n", UFT_FRAME_PERF}};
	struct mapfile map;
	char path[4400];
	int r;

	snprintf(path, sizeof(path), "%.4000s/%s", dir, name);
	r = mapfile_open_regular(&map, path, FILE_MAX, err);
	if (r < 0) { /* it may be empty */
		*err = (struct errmsg){0};
		map = (struct mapfile){.data = (const uint8_t *)""};
	}
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		unsigned number;
		int end = 0;

		if (sscanf(name, forms[i].form, &number, &end) < 1 || !end || name[end])
			continue;
		r = send_pieces(sock, forms[i].kind, number, &map, err);
		break;
	}
	if (!strcmp(name, "info"))
		r = send_info(sock, path, &map, err);
	else if (strlen(name) < 4 || strcmp(name + strlen(name) - 4, ".dat"))
		r = send_text(sock, name, &map, err);
	if (map.n_bytes)
		mapfile_release(&map);
	return r < 0 && errmsg_code(err) ? r : 0;
}

static void close_directory(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

int uftsend_directory(int sock, const char *dir, const char *name, struct errmsg *err)
{
	SCOPED(close_directory) DIR *d = opendir(dir);
	const struct dirent *entry;

	if (!d)
		return errmsg_set_errno(err, -errno, "cannot read %s", dir);
	TRY(send_frame(sock, UFT_FRAME_DIR, (struct part[3]){{name, strlen(name)}}, err));
	while ((entry = readdir(d)))
		if (uft_frame_is_name(entry->d_name, strlen(entry->d_name)) &&
		    strcmp(entry->d_name, "info"))
			TRY(send_file(sock, dir, entry->d_name, err));
	TRY(send_file(sock, dir, "info", err));
	return send_frame(sock, UFT_FRAME_END, (struct part[3]){{NULL, 0}}, err);
}
