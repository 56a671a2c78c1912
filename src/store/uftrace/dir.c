// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * dir.c - opens a uftrace.data directory and reads its info file.
 *
 *	 0  "Ftrace!\0"
 *	 8  u32 version (3 or 4)    12  u16 length of this header
 *	14  u8 byte order           15  u8 32 or 64 bits (both as in ELF)
 *	16  u64 features            24  u64 which lines follow
 *	32  u16 largest depth       34  padding
 *	40  lines "key:value"; a group of n lines begins with "key:lines=n"
 *
 * Files are opened relative to the directory, and only regular ones: the directory may come from
 * somebody else.
 */
#include "store/uftrace/dir.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "format/uftrace.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TEXT_MAX_BYTES	(256u << 20)
#define ARENA_MAX_BYTES (512u << 20)
#define TIDS_MAX	(1u << 20)

static int open_file(const struct uftdir *d, const char *name, size_t *ret_bytes)
{
	struct stat st;
	int fd;

	if (strchr(name, '/'))
		return -EINVAL;
	fd = openat(d->fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	*ret_bytes = (size_t)st.st_size;
	return fd;
}

static int read_all(int fd, char *to, size_t n_bytes)
{
	size_t done = 0;

	while (done < n_bytes) {
		ssize_t n = read(fd, to + done, n_bytes - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += (size_t)n;
	}
	memset(to + done, 0, n_bytes - done + 1);
	return 0;
}

int uftdir_read(const struct uftdir *d, const char *name, char **ret, size_t *ret_len)
{
	size_t n_bytes = 0;
	SCOPED(scope_close) int fd = open_file(d, name, &n_bytes);
	char *text;
	int r;

	if (fd < 0)
		return fd;
	if (n_bytes > TEXT_MAX_BYTES)
		return -EFBIG;
	text = malloc(n_bytes + 1);
	if (!text)
		return -ENOMEM;
	r = read_all(fd, text, n_bytes);
	if (r < 0) {
		free(text);
		return r;
	}
	*ret = text;
	*ret_len = n_bytes;
	return 0;
}

int uftdir_map(const struct uftdir *d, const char *name, struct mapfile *ret)
{
	size_t n_bytes = 0;
	SCOPED(scope_close) int fd = open_file(d, name, &n_bytes);
	struct errmsg err = {0};

	return fd < 0 ? fd : mapfile_open_fd(ret, fd, name, &err);
}

/* Lines of the info file whose value is kept as it is. */
static const struct {
	const char *key;
	size_t offset;
} lines[] = {
#define LINE(key, field)                             \
	{                                            \
		key, offsetof(struct uftinfo, field) \
	}
	LINE("exename:", exename),
	LINE("build_id:", build_id),
	LINE("exit_status:", exit_status),
	LINE("cmdline:", cmdline),
	LINE("cpuinfo:nr_cpus=", n_cpus),
	LINE("cpuinfo:desc=", cpu),
	LINE("meminfo:", memory),
	LINE("osinfo:kernel=", kernel),
	LINE("osinfo:hostname=", hostname),
	LINE("osinfo:distro=", distro),
	LINE("usageinfo:systime=", sys_time),
	LINE("usageinfo:usrtime=", user_time),
	LINE("usageinfo:ctxsw=", switches),
	LINE("usageinfo:maxrss=", max_rss),
	LINE("usageinfo:pagefault=", page_faults),
	LINE("usageinfo:iops=", io),
	LINE("loadinfo:", load),
	LINE("argspec:", argspec),
	LINE("retspec:", retspec),
	LINE("argauto:", arg_auto),
	LINE("retauto:", ret_auto),
	LINE("enumauto:", enum_auto),
	LINE("record_date:", record_date),
	LINE("elapsed_time:", elapsed),
	LINE("pattern_type:", pattern),
	LINE("uftrace_version:", version_text),
	LINE("utc_offset:", utc_offset),
#undef LINE
};

/* "1,2,3" */
static int parse_tids(struct uftinfo *info, const char *text)
{
	size_t cap = info->n_tids;

	while (*text) {
		char *end;
		long tid = strtol(text, &end, 10);

		if (end == text)
			return 0;
		if (!ARRAY_ROOM(info->tids, cap, info->n_tids + 1, TIDS_MAX))
			return -ENOMEM;
		info->tids[info->n_tids++] = (int)tid;
		text = *end ? end + 1 : end;
	}
	return 0;
}

static int parse_line(struct uftdir *d, const char *line)
{
	struct uftinfo *info = &d->info;

	/* the first line of a group says only how many lines it has */
	if (strstr(line, ":lines=") == strchr(line, ':') && strchr(line, ':'))
		return 0;
	if (!strncmp(line, "taskinfo:tids=", 14))
		return parse_tids(info, line + 14);
	if (!strncmp(line, "auto-args:", 10))
		info->has_auto_args = line[10] == '1';
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		const char **field = (const char **)((char *)info + lines[i].offset);

		if (strncmp(line, lines[i].key, strlen(lines[i].key)))
			continue;
		*field = arena_strndup(&d->arena, line + strlen(lines[i].key),
				       strlen(line) - strlen(lines[i].key));
		return *field ? 0 : -ENOMEM;
	}
	return 0;
}

static int parse_header(struct uftdir *d, const uint8_t *p, size_t n_bytes, struct errmsg *err)
{
	struct uftinfo *info = &d->info;
	uint16_t max_stack;

	if (n_bytes < UFT_HEADER_BYTES || memcmp(p, UFT_MAGIC, 8))
		return errmsg_set(err, -EINVAL, "%s: its info file is not one of uftrace", d->path);
	info->endian = p[14];
	info->elf_class = p[15];
	d->swaps = info->endian == 2;
	memcpy(&info->version, p + 8, 4);
	memcpy(&info->header_bytes, p + 12, 2);
	memcpy(&info->features, p + 16, 8);
	memcpy(&info->items, p + 24, 8);
	memcpy(&max_stack, p + 32, 2);
	if (d->swaps) {
		info->version = bswap_32(info->version);
		info->header_bytes = bswap_16(info->header_bytes);
		info->features = bswap_64(info->features);
		info->items = bswap_64(info->items);
		max_stack = bswap_16(max_stack);
	}
	info->max_stack = info->features & UFT_FEATURE_MAX_STACK && max_stack ? max_stack : 1024;
	if (info->version == 4 && info->header_bytes >= UFT_HEADER_BYTES &&
	    info->header_bytes <= n_bytes)
		return 0;
	return errmsg_set(err, -EINVAL,
			  "%s has version %u of uftrace's format; sonde reads version 4", d->path,
			  info->version);
}

static int read_info(struct uftdir *d, struct errmsg *err)
{
	SCOPED(scope_free) char *text = NULL;
	size_t len = 0;
	int r = uftdir_read(d, "info", &text, &len);

	if (r == -ENOENT)
		return errmsg_set(err, -EINVAL,
				  "%s is not a recording of uftrace: it has no file 'info'",
				  d->path);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot read %s/info", d->path);
	TRY(parse_header(d, (uint8_t *)text, len, err));
	for (char *line = text + d->info.header_bytes, *next; line < text + len; line = next) {
		next = line + strcspn(line, "\n");
		*next++ = 0;
		if (parse_line(d, line) < 0)
			return errmsg_set_errno(err, -ENOMEM, "cannot keep %s/info", d->path);
	}
	return 0;
}

bool uftdir_is(const char *path)
{
	SCOPED(scope_close) int dir = open(path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	SCOPED(scope_close) int fd = -1;
	char magic[8];

	if (dir < 0)
		return false;
	fd = openat(dir, "info", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd >= 0 && read(fd, magic, 8) == 8 && !memcmp(magic, UFT_MAGIC, 8);
}

int uftdir_open(struct uftdir *d, const char *path, struct errmsg *err)
{
	*d = (struct uftdir){.fd = -1, .path = path};
	arena_init(&d->arena, ARENA_MAX_BYTES);
	d->fd = open(path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	if (d->fd < 0)
		return errmsg_set_errno(err, -errno, "cannot open %s", path);
	return read_info(d, err);
}

void uftdir_close(struct uftdir *d)
{
	scope_close(&d->fd);
	d->fd = -1;
	free(d->info.tids);
	d->info.tids = NULL;
	arena_release(&d->arena);
}
