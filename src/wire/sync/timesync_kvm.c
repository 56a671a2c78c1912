// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timesync_kvm.c - reads what a host's kernel reports about the counters of its guests.
 *
 *	/sys/kernel/debug/kvm/PID-FD/vcpuN/tsc-offset                     guest = host + offset
 *	                                  tsc-scaling-ratio, tsc-scaling-ratio-frac-bits
 *
 * A ratio of one, which is 1 << 32 on AMD and 1 << 48 on Intel processors, means no scaling.
 */
#include "store/guestopts.h"
#include "base/scope.h"
#include "wire/sync/timesync.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KVM_DIR		"/sys/kernel/debug/kvm"
#define RATIO_ONE_AMD	(1ll << 32)
#define RATIO_ONE_INTEL (1ll << 48)

static int read_number(const char *dir, const char *name, int64_t *ret)
{
	char path[PATH_MAX], text[40];
	ssize_t n;
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = TEMP_FAILURE_RETRY(read(fd, text, sizeof(text) - 1));
	close(fd);
	if (n <= 0)
		return n < 0 ? -errno : -ENODATA;
	text[n] = 0;
	*ret = strtoll(text, NULL, 0);
	return 0;
}

/* Finds the directory of the machine that this process runs. */
static int find_machine(const char *dir, int pid, char path[PATH_MAX])
{
	char prefix[32];
	int len = snprintf(prefix, sizeof(prefix), "%d-", pid), r = -ENOENT;
	SCOPED(closedir_scoped) DIR *d = opendir(dir);
	struct dirent *e;

	if (!d)
		return -errno;
	while (r < 0 && (e = readdir(d)))
		if (!strncmp(e->d_name, prefix, len) &&
		    snprintf(path, PATH_MAX, "%s/%s", dir, e->d_name) < PATH_MAX)
			r = 0;
	return r;
}

int timesync_read_kvm(const char *dir, int guest_pid, uint32_t vcpu, struct sync_sample *ret)
{
	char machine[PATH_MAX], path[PATH_MAX];
	int64_t offset, ratio = 1, fraction = 0;

	TRY(find_machine(dir ? dir : KVM_DIR, guest_pid, machine));
	if (snprintf(path, sizeof(path), "%.4000s/vcpu%u", machine, vcpu) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	TRY(read_number(path, "tsc-offset", &offset));
	if (read_number(path, "tsc-scaling-ratio", &ratio) < 0 || ratio == RATIO_ONE_AMD ||
	    ratio == RATIO_ONE_INTEL)
		ratio = 1;
	if (ratio != 1 && read_number(path, "tsc-scaling-ratio-frac-bits", &fraction) < 0)
		return -ENODATA; /* without the fraction bits the ratio is meaningless */
	*ret = (struct sync_sample){.offset = -offset, .scaling = ratio, .fraction = fraction};
	return 0;
}
