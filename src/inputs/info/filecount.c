// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * filecount.c - counts the events of a trace file, for the message at the end of a recording.
 *
 * It walks every sub-buffer (count.c: some 240 million events per second and core), right after
 * the file was written, so it is read from memory.
 */
#include "inputs/info/filecount.h"

#include "analyse/tally.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "store/tracefile.h"

#include <stdio.h>
#include <sys/stat.h>

int64_t filecount_walk(int fd, const char *path, filecount_use *use, void *ctx)
{
	struct inputs_path file = {.path = path, .is_own = true, .fd = fd >= 0 ? &fd : NULL};
	struct inputs_spec spec = {.paths = &file, .n_paths = 1};
	SCOPED(info_counts_release) struct info_counts counts = {0};
	struct errmsg ignored = {0};
	SCOPED(inputs_close) struct inputs in = {0};
	int64_t n = inputs_open(&in, &spec, &ignored);

	if (n >= 0)
		n = info_count(&counts, in.files[0].tf, in.files[0].formats, &ignored);
	if (n >= 0)
		n = use(ctx, in.files[0].tf, &counts);
	return n;
}

static int64_t add_up(void *ctx, const struct tracefile *tf, const struct info_counts *counts)
{
	struct filecount *count = ctx;

	for (size_t i = 0; i < tf->n_buffers; i++)
		for (size_t k = 0; k < tf->buffers[i].n_cpus; k++) {
			const struct tally_span *span = &counts->spans[i][k];

			count->n_events += span->n_records;
			count->n_missed += span->n_missed;
			count->has_gaps |= span->n_gaps > 0;
		}
	return 0;
}

int filecount_read(int fd, const char *path, struct filecount *ret)
{
	struct filecount count = {0};
	int64_t r = filecount_walk(fd, path, add_up, &count);

	if (r < 0)
		return (int)r;
	*ret = count;
	return 0;
}

const char *filecount_words(uint64_t n, char *buf)
{
	snprintf(buf, FILECOUNT_WORDS_BYTES, "%llu event%s", (unsigned long long)n,
		 n == 1 ? "" : "s");
	return buf;
}

const char *filecount_size(uint64_t n, char *buf, size_t n_buf)
{
	if (n < 1000)
		snprintf(buf, n_buf, "%llu byte%s", (unsigned long long)n, n == 1 ? "" : "s");
	else if (n < 100000)
		snprintf(buf, n_buf, "%.1f KB", n / 1e3);
	else if (n < 1000000000)
		snprintf(buf, n_buf, "%.1f MB", n / 1e6);
	else
		snprintf(buf, n_buf, "%.1f GB", n / 1e9);
	return buf;
}

uint64_t filecount_bytes(int fd, const char *path)
{
	struct stat st;

	return (fd >= 0 ? fstat(fd, &st) : stat(path, &st)) ? 0 : (uint64_t)st.st_size;
}
