// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmus.c - reads the PMUs of /sys/bus/event_source/devices.
 *
 *	devices/uncore_imc_0/
 *	    type                        16                      type of perf_event_attr
 *	    cpumask                     0,18                    CPUs where to open its events: one
 *	                                                        per socket
 *	    cpus                        0-15                    CPUs that have it (cores of a hybrid
 *	                                                        processor)
 *	    format/event                config:0-7              where a field's bits go (pmuterms.c)
 *	    events/cas_count_read       event=0x04,umask=0x03   a name for terms
 *	    events/cas_count_read.scale 6.103515625e-5          and how to print its count
 *	    events/cas_count_read.unit  MiB
 *
 * Files of sysfs are at most a page; ours are one short line. A machine has up to some hundred PMUs
 * (each memory controller of each socket is one), so only type, cpumask and cpus are read for all.
 */
#include "capture/perf/events/pmus.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/perf/events/pmufiles.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PMUS_MAX 4096u

int pmufiles_read(const char *dir, const char *file, char *buf, size_t n_bytes)
{
	char path[PMU_PATH_MAX + PMU_NAME_MAX];
	SCOPED(scope_close) int fd = -1;
	ssize_t n;

	if (snprintf(path, sizeof(path), "%s/%s", dir, file) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, buf, n_bytes - 1);
	if (n < 0)
		return -errno;
	while (n && isspace((unsigned char)buf[n - 1]))
		n--;
	buf[n] = '\0';
	return (int)n;
}

static void read_or_empty(const struct pmu *pmu, const char *file, char *buf)
{
	if (pmufiles_read(pmu->dir, file, buf, PMU_TEXT_MAX) < 0)
		buf[0] = '\0';
}

static int add_pmu(const char *devices, const char *name, struct pmu_list *list)
{
	char text[PMU_TEXT_MAX];
	struct pmu *pmu;

	if (!ARRAY_ROOM(list->pmus, list->cap, list->n + 1, PMUS_MAX))
		return -ENOMEM;
	pmu = &list->pmus[list->n];
	if (snprintf(pmu->name, sizeof(pmu->name), "%s", name) >= (int)sizeof(pmu->name) ||
	    snprintf(pmu->dir, sizeof(pmu->dir), "%s/%s", devices, name) >= (int)sizeof(pmu->dir) ||
	    pmufiles_read(pmu->dir, "type", text, sizeof(text)) <= 0)
		return 0; /* not a PMU */
	pmu->type = (uint32_t)strtoul(text, NULL, 10);
	read_or_empty(pmu, "cpumask", pmu->cpumask);
	read_or_empty(pmu, "cpus", pmu->cpus);
	pmu->is_core = strcmp(name, "cpu") == 0 || pmu->cpus[0];
	list->n++;
	return 0;
}

ARRAY_ORDER(by_name, struct pmu, strcmp(x->name, y->name))

int pmus_read(const char *sysfs, struct pmu_list *ret)
{
	char devices[PMU_PATH_MAX];
	SCOPED(closedir_scoped) DIR *dir = NULL;
	struct pmu_list list = {0};
	const struct dirent *entry;

	*ret = list;
	if (snprintf(devices, sizeof(devices), "%s/bus/event_source/devices", sysfs) >=
	    (int)sizeof(devices))
		return 0;
	dir = opendir(devices);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (add_pmu(devices, entry->d_name, &list) < 0) {
			pmus_release(&list);
			return -ENOMEM;
		}
	}
	if (list.n)
		qsort(list.pmus, list.n, sizeof(*list.pmus), by_name);
	*ret = list;
	return 0;
}

void pmus_release(struct pmu_list *list)
{
	free(list->pmus);
	*list = (struct pmu_list){0};
}

static bool is_alike(const char *full, const char *pattern)
{
	size_t len = strlen(pattern);
	const char *rest;

	if (fnmatch(pattern, full, 0) == 0)
		return true;
	if (strncmp(full, pattern, len) != 0 || full[len] != '_')
		return false;
	rest = full + len + 1;
	return *rest && rest[strspn(rest, "0123456789abcdef")] == '\0' &&
	       isdigit((unsigned char)*rest);
}

bool pmus_is_meant(const struct pmu *pmu, const char *name, size_t len)
{
	static const char uncore[] = "uncore_";
	char pattern[PMU_NAME_MAX];

	if (len >= sizeof(pattern))
		return false;
	memcpy(pattern, name, len);
	pattern[len] = '\0';
	return is_alike(pmu->name, pattern) || (strncmp(pmu->name, uncore, strlen(uncore)) == 0 &&
						is_alike(pmu->name + strlen(uncore), pattern));
}

bool pmus_has_event(const struct pmu *pmu, const char *name, size_t len)
{
	char path[PMU_PATH_MAX + 2 * PMU_NAME_MAX];

	/* "cas_count.scale" is a file of cas_count, not an event */
	if (!len || len >= PMU_NAME_MAX || memchr(name, '/', len) || memchr(name, '.', len))
		return false;
	snprintf(path, sizeof(path), "%s/events/%.*s", pmu->dir, (int)len, name);
	return access(path, R_OK) == 0;
}

static int is_event(const struct dirent *entry)
{
	return !strchr(entry->d_name, '.');
}

int pmus_each_event(const struct pmu *pmu,
		    int (*visit)(void *ctx, const struct pmu *pmu, const char *event,
				 const char *unit),
		    void *ctx)
{
	char path[PMU_PATH_MAX + PMU_NAME_MAX], file[PMU_PATH_MAX], unit[PMU_TEXT_MAX];
	struct dirent **entries;
	int n, stop = 0;

	snprintf(path, sizeof(path), "%s/events", pmu->dir);
	n = scandir(path, &entries, is_event, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "%s.unit", entries[i]->d_name);
		if (!stop)
			stop = visit(ctx, pmu, entries[i]->d_name,
				     pmufiles_read(path, file, unit, sizeof(unit)) > 0 ? unit
										       : NULL);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return stop;
}
