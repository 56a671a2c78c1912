// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write.c - makes a uftrace.data directory: the directory, its files, its info file.
 *
 * dir.c describes the format. The lines of the info file must come in the order of their bits, and
 * a bit that is set must have its lines: uftrace reads them by position. So all lines are written that
 * uftrace 0.13 writes, with what is known.
 */
#include "store/uftrace/write.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "format/uftrace.h"

#include <stdlib.h>
#include <string.h>

/* exename, exit_status, cmdline, taskinfo, record_date, pattern_type, uftrace_version */
#define INFO_ITEMS (1u << 0 | 1u << 2 | 1u << 3 | 1u << 7 | 1u << 11 | 1u << 12 | 1u << 13)

int uftwriter_open(struct uftwriter *w, const char *path, struct errmsg *err)
{
	SCOPED(outplace_close) struct outplace parent = OUTPLACE_NONE;
	SCOPED(scope_free) char *copy = strdup(path);
	char *slash;
	int r;

	*w = (struct uftwriter){.dir = OUTPLACE_NONE, .path = path};
	if (!copy)
		return errmsg_set_errno(err, -ENOMEM, "cannot write %s", path);
	while (strlen(copy) > 1 && copy[strlen(copy) - 1] == '/')
		copy[strlen(copy) - 1] = 0;
	slash = strrchr(copy, '/');
	if (slash)
		*slash = 0;
	TRY(outplace_open(&parent, !slash ? "." : slash == copy ? "/" : copy, OUTPLACE_DIR, err));
	r = outplace_mkdir_in(&parent, slash ? slash + 1 : copy, 0700);
	if (r == -EEXIST)
		return errmsg_set(err, r, "%s exists: remove it, or name another directory", path);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot make the directory %s", path);
	return outplace_open(&w->dir, path, OUTPLACE_DIR, err);
}

FILE *uftwriter_file(struct uftwriter *w, const char *name, struct errmsg *err)
{
	int fd = outplace_create_in(&w->dir, name);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f && fd >= 0)
		close(fd);
	if (!f)
		errmsg_set_errno(err, fd < 0 ? fd : -ENOMEM, "cannot create %s/%s", w->path, name);
	return f;
}

int uftwriter_end_file(struct uftwriter *w, FILE *f, const char *name, struct errmsg *err)
{
	bool failed = ferror(f);

	if (fclose(f) || failed) {
		int code = errno ? -errno : -EIO;

		outplace_unlink_in(&w->dir, name); /* a half of info would make it look whole */
		return errmsg_set_errno(err, code, "cannot write %s/%s", w->path, name);
	}
	return 0;
}

static void write_header(FILE *f, const struct uftwriter_info *info)
{
	uint8_t head[UFT_HEADER_BYTES] = UFT_MAGIC;
	uint32_t version = 4;
	uint16_t n_bytes = UFT_HEADER_BYTES, max_stack = UFT_DEPTH_MAX + 1;
	uint64_t features = info->features | UFT_FEATURE_TASK_SESSION | UFT_FEATURE_SYM_REL_ADDR |
			    UFT_FEATURE_MAX_STACK;
	uint64_t items = INFO_ITEMS;

	memcpy(head + 8, &version, 4);
	memcpy(head + 12, &n_bytes, 2);
	head[14] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 1 : 2;
	head[15] = 2;
	memcpy(head + 16, &features, 8);
	memcpy(head + 24, &items, 8);
	memcpy(head + 32, &max_stack, 2);
	fwrite(head, 1, sizeof(head), f);
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

int uftwriter_info(struct uftwriter *w, const struct uftwriter_info *info, struct errmsg *err)
{
	FILE *f = uftwriter_file(w, "info", err);

	if (!f)
		return errmsg_code(err);
	write_header(f, info);
	fprintf(f, "exename:%s\nexit_status:%d\ncmdline:%s\n", or_empty(info->exename),
		info->exit_status, or_empty(info->cmdline));
	fprintf(f, "taskinfo:lines=2\ntaskinfo:nr_tid=%zu\ntaskinfo:tids=", info->n_tids);
	for (size_t i = 0; i < info->n_tids; i++)
		fprintf(f, "%s%d", i ? "," : "", info->tids[i]);
	fprintf(f, "\nrecord_date:%s\nelapsed_time:%s\n", or_empty(info->record_date),
		info->elapsed ? info->elapsed : "0.000000000 sec");
	fputs("pattern_type:regex\nuftrace_version:v0.13 ( sonde )\n", f);
	return uftwriter_end_file(w, f, "info", err);
}

void uftwriter_close(struct uftwriter *w)
{
	outplace_close(&w->dir);
}
