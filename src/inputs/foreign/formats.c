// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * formats.c - the table of files of other tools, and how such a file is opened.
 *
 *	path ─▶ is() of each row ─▶ convert() into $TMPDIR/sonde-XXXXXX/trace.dat ─▶ tracefile
 *
 * The temporary file loses its name as soon as it is open. Rows are asked in order: those with a
 * magic number come first, those that are recognised by their text last.
 */
#include "inputs/foreign/formats.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/files/regular.h"
#include "base/scope.h"
#include "inputs/foreign/chromejson.h"
#include "inputs/foreign/ftracetext.h"
#include "inputs/foreign/stracetext.h"
#include "inputs/perfdata/asfile.h"
#include "inputs/uftrace/asfile.h"
#include "store/perfdata/perfdata.h"
#include "store/uftrace/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct foreign_format formats[] = {
	{"uftrace.data", uftdir_is, uftdata_convert},
	{"perf.data", perfdata_is_file, perffile_convert},
	{"JSON of Chrome", chromejson_is, chromejson_convert},
	{"text of ftrace", ftracetext_is, ftracetext_convert},
	{"text of strace", stracetext_is, stracetext_convert},
};

const struct foreign_format *foreign_find(const char *path)
{
	return ARRAY_FIND(formats, ARRAY_LEN(formats), i, formats[i].is(path));
}

size_t foreign_read_head(const char *path, char head[static FOREIGN_HEAD_BYTES])
{
	SCOPED(scope_close) int fd = -1;
	struct stat st;
	ssize_t n;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	fd = regular_open(path, INT64_MAX);
	n = fd < 0 ? 0 : pread(fd, head, FOREIGN_HEAD_BYTES, 0);
	return n > 0 ? (size_t)n : 0;
}

void foreign_note(const struct foreign_config *config, const char *fmt, ...)
{
	char sentence[400];
	va_list ap;

	if (!config->note)
		return;
	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	config->note(config->ctx, sentence);
}

/*
 * --- opened directly ---------------------------------------------------------------------------
 */

#define NOTES_MAX 32

struct kept_notes {
	char *list[NOTES_MAX];
	size_t n;
};

static void keep_note(void *ctx, const char *sentence)
{
	struct kept_notes *k = ctx;

	if (k->n < NOTES_MAX && (k->list[k->n] = strdup(sentence)))
		k->n++;
}

static void release_notes(struct kept_notes *k)
{
	for (size_t i = 0; i < k->n; i++)
		free(k->list[i]);
}

int foreign_open(const struct foreign_format *f, struct tracefile **ret, const char *path,
		 struct errmsg *err)
{
	SCOPED(release_notes) struct kept_notes notes = {0};
	SCOPED(scope_close) int fd = -1;
	const char *tmp = getenv("TMPDIR");
	char place[256], target[300];
	struct foreign_config config = {
		.input = path, .output = target, .version = 7, .note = keep_note, .ctx = &notes};
	int r;

	snprintf(place, sizeof(place), "%.200s/sonde-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(place))
		return errmsg_set_errno(err, -errno, "cannot make the directory %s", place);
	snprintf(target, sizeof(target), "%s/trace.dat", place);
	r = f->convert(&config, err);
	if (r >= 0) {
		bool is_damaged = r;

		fd = open(target, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
		r = fd < 0 ? errmsg_set_errno(err, -errno, "cannot open %s", target)
			   : tracefile_open_fd(ret, fd, path, err);
		for (size_t i = 0; r >= 0 && is_damaged && i < notes.n; i++)
			tracefile_add_damage(*ret, "%s", notes.list[i]);
	}
	unlink(target);
	rmdir(place);
	return r;
}
