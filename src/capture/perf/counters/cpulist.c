// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpulist.c - reads lists of CPUs, and the topology from sysfs.
 *
 *	devices/system/cpu/online                           0-3
 *	devices/system/cpu/cpu2/topology/physical_package_id   the socket
 *	                                 die_id core_id
 *	devices/system/cpu/cpu2/node0                       a link: the memory node
 */
#include "capture/perf/counters/cpulist.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/perf/events/pmufiles.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_range(struct cpulist *list, long low, long high, long step)
{
	for (long cpu = low; cpu <= high; cpu += step) {
		if (!ARRAY_ROOM(list->cpus, list->cap, list->n + 1, CPULIST_MAX))
			return -ENOMEM;
		list->cpus[list->n++] = (int)cpu;
	}
	return 0;
}

static bool take_number(const char **at, long *ret)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*ret = strtol(*at, &end, 10);
	*at = end;
	return *ret < CPULIST_MAX;
}

int cpulist_parse(struct cpulist *ret, const char *text, struct errmsg *err)
{
	struct cpulist list = {0};
	const char *at = text;

	for (;;) {
		long low, high, step = 1;

		if (!take_number(&at, &low))
			break;
		high = low;
		if (*at == '-' && (at++, !take_number(&at, &high)))
			break;
		if (*at == ':' && (at++, !take_number(&at, &step)))
			break;
		if (high < low || step < 1 || (*at && *at != ','))
			break;
		if (add_range(&list, low, high, step) < 0) {
			cpulist_release(&list);
			return -ENOMEM;
		}
		if (!*at++) {
			*ret = list;
			return 0;
		}
	}
	cpulist_release(&list);
	return errmsg_set(err, -EINVAL, "'%s' is not a list of CPUs: write 0,2 or 0-3", text);
}

int cpulist_read_online(struct cpulist *ret, const char *sysfs, struct errmsg *err)
{
	char dir[1024], text[4096];
	int n;

	snprintf(dir, sizeof(dir), "%s/devices/system/cpu", sysfs);
	n = pmufiles_read(dir, "online", text, sizeof(text));
	if (n < 0)
		return errmsg_set_errno(err, n, "cannot read which CPUs are online from %s/online",
					dir);
	return cpulist_parse(ret, text, err);
}

void cpulist_release(struct cpulist *list)
{
	free(list->cpus);
	*list = (struct cpulist){0};
}

static int read_number(const char *dir, const char *file)
{
	char text[64];

	return pmufiles_read(dir, file, text, sizeof(text)) > 0 ? atoi(text) : -1;
}

static int read_node(const char *dir)
{
	SCOPED(closedir_scoped) DIR *d = opendir(dir);
	const struct dirent *entry;
	int node;

	while (d && (entry = readdir(d)))
		if (sscanf(entry->d_name, "node%d", &node) == 1)
			return node;
	return -1;
}

void cpuplace_read(struct cpuplace *ret, int cpu, const char *sysfs)
{
	char dir[1024];

	snprintf(dir, sizeof(dir), "%s/devices/system/cpu/cpu%d", sysfs, cpu);
	ret->node = read_node(dir);
	snprintf(dir, sizeof(dir), "%s/devices/system/cpu/cpu%d/topology", sysfs, cpu);
	ret->socket = read_number(dir, "physical_package_id");
	ret->die = read_number(dir, "die_id");
	ret->core = read_number(dir, "core_id");
}
