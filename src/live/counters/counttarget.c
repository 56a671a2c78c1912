// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counttarget.c - finds threads in /proc/PID/task, CPUs and their places in sysfs, cgroups by name.
 *
 *	a command, -p, -t       its threads on any CPU: CPUs {-1}
 *	-a, -C                  all threads on these CPUs: threads {-1}
 *	cgroups                 their threads on these CPUs: the descriptor of a directory stands
 *	                        for a pid
 *	--per-thread -a         every thread that exists now, on any CPU
 *
 * A thread that exits between readdir() and open is skipped.
 */
#include "live/counters/counttarget.h"

#include "analyse/counters/countertable.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/perf/counters/cpulist.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS_MAX (1u << 18)
#define CGROUPS_MAX 1024u

static int add_thread(struct counttarget *t, pid_t tid)
{
	if (!ARRAY_ROOM(t->threads, t->cap_threads, t->n_threads + 1, THREADS_MAX))
		return -ENOMEM;
	t->threads[t->n_threads++] = tid;
	return 0;
}

static int add_process(struct counttarget *t, pid_t pid, struct errmsg *err)
{
	char path[64];
	SCOPED(closedir_scoped) DIR *dir = NULL;
	const struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return errmsg_set(err, -ESRCH, "there is no process %d", pid);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			TRY(add_thread(t, atoi(entry->d_name)));
	return 0;
}

/* The run ends when all processes that it watches have ended. */
static int watch(struct counttarget *t, pid_t pid)
{
	/* none for a thread other than the first, or on a kernel before 5.3 */
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (!ARRAY_ROOM(t->watches, t->cap_watches, t->n_watches + 1, THREADS_MAX)) {
		scope_close(&fd);
		return -ENOMEM;
	}
	t->watches[t->n_watches++] = (struct countwatch){.pid = pid, .fd = fd};
	return 0;
}

static int add_list(struct counttarget *t, const char *list, bool are_threads, struct errmsg *err)
{
	while (*list) {
		char *end, path[64];
		long pid = strtol(list, &end, 10);

		if (end == list || (*end && *end != ',') || pid < 1)
			return errmsg_set(err, -EINVAL, "'%s' is not a list of %s ids: write 12,34",
					  list, are_threads ? "thread" : "process");
		snprintf(path, sizeof(path), "/proc/%ld", pid);
		if (are_threads && access(path, F_OK) < 0)
			return errmsg_set(err, -ESRCH, "there is no thread %ld", pid);
		TRY(are_threads ? add_thread(t, (pid_t)pid) : add_process(t, (pid_t)pid, err));
		TRY(watch(t, (pid_t)pid));
		list = *end ? end + 1 : end;
	}
	return 0;
}

static int add_all_threads(struct counttarget *t, struct errmsg *err)
{
	SCOPED(closedir_scoped) DIR *dir = opendir("/proc");
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		struct errmsg gone = {0};
		pid_t pid = atoi(entry->d_name);

		if (pid > 0 && add_process(t, pid, &gone) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

static int read_places(struct counttarget *t, const char *sysfs)
{
	for (size_t i = 0; i < t->cpus.n; i++)
		if (t->cpus.cpus[i] >= t->n_places)
			t->n_places = t->cpus.cpus[i] + 1;
	t->places = calloc((size_t)t->n_places + 1, sizeof(*t->places));
	if (!t->places)
		return -ENOMEM;
	for (int cpu = 0; cpu < t->n_places; cpu++)
		cpuplace_read(&t->places[cpu], cpu, sysfs);
	return 0;
}

static int set_cpus(struct counttarget *t, const struct countrun_config *config, struct errmsg *err)
{
	const char *sysfs = config->sysfs ? config->sysfs : "/sys";
	SCOPED(cpulist_release) struct cpulist online = {0};

	if (!t->is_wide)
		return cpulist_parse(&t->cpus, "0", err) < 0 ? -ENOMEM : (t->cpus.cpus[0] = -1, 0);
	TRY(cpulist_read_online(&online, sysfs, err));
	if (!config->cpus) {
		t->cpus = TAKE_STRUCT(online);
		return read_places(t, sysfs);
	}
	TRY(cpulist_parse(&t->cpus, config->cpus, err));
	for (size_t i = 0; i < t->cpus.n; i++)
		if (!ARRAY_ANY(online.n, k, online.cpus[k] == t->cpus.cpus[i]))
			return errmsg_set(err, -ENODEV, "CPU %d is not online", t->cpus.cpus[i]);
	return read_places(t, sysfs);
}

/*
 * --- cgroups ------------------------------------------------------------------------------------
 */

/* The hierarchy that counts events: the one with perf_event, or the only one of version 2. */
static int find_hierarchy(char *ret, size_t n_bytes, struct errmsg *err)
{
	SCOPED(fclose_scoped) FILE *mounts = fopen("/proc/self/mounts", "re");
	char line[4096], dir[2048], type[64], options[1024];
	bool found = false;

	while (mounts && fgets(line, sizeof(line), mounts)) {
		if (sscanf(line, "%*s %2047s %63s %1023s", dir, type, options) != 3)
			continue;
		if (strcmp(type, "cgroup2") == 0 && !found) {
			snprintf(ret, n_bytes, "%s", dir);
			found = true;
		} else if (strcmp(type, "cgroup") == 0 && strstr(options, "perf_event")) {
			snprintf(ret, n_bytes, "%s", dir);
			return 0;
		}
	}
	if (!found)
		return errmsg_set(err, -ENOENT, "no cgroup file system is mounted");
	return 0;
}

static int add_cgroup(struct counttarget *t, const char *root, const char *name, size_t len,
		      struct errmsg *err)
{
	char path[4096];
	int fd;

	if (t->n_cgroups >= CGROUPS_MAX)
		return errmsg_set(err, -E2BIG, "these are more than %u cgroups", CGROUPS_MAX);
	snprintf(path, sizeof(path), "%s/%.*s", root, (int)len, name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errmsg_set(err, -errno, "there is no cgroup '%.*s' (%s)", (int)len, name,
				  path);
	t->cgroup_fds[t->n_cgroups] = fd;
	t->cgroup_names[t->n_cgroups] = strndup(name, len);
	return t->cgroup_names[t->n_cgroups++] ? 0 : -ENOMEM;
}

static int add_cgroups(struct counttarget *t, const char *list, struct errmsg *err)
{
	char root[2048];

	t->cgroup_fds = calloc(CGROUPS_MAX, sizeof(*t->cgroup_fds));
	t->cgroup_names = calloc(CGROUPS_MAX, sizeof(*t->cgroup_names));
	if (!t->cgroup_fds || !t->cgroup_names)
		return -ENOMEM;
	TRY(find_hierarchy(root, sizeof(root), err));
	while (*list) {
		size_t len = strcspn(list, ",");

		if (len)
			TRY(add_cgroup(t, root, list, len, err));
		list += len + (list[len] == ',');
	}
	return 0;
}

/*
 * --- the whole ----------------------------------------------------------------------------------
 */

static int find_target(struct counttarget *t, const struct countrun_config *config, pid_t child,
		       struct errmsg *err)
{
	bool has_tasks = config->pids || config->tids;
	bool each_thread = config->parts == COUNTPARTS_THREAD && config->all_tasks;

	t->is_wide = (config->all_tasks || config->cpus || config->cgroups) && !each_thread;
	if (t->is_wide && has_tasks && config->cpus && !config->all_tasks)
		t->is_wide = true;
	TRY(set_cpus(t, config, err));
	if (config->cgroups)
		TRY(add_cgroups(t, config->cgroups, err));
	if (config->pids)
		TRY(add_list(t, config->pids, false, err));
	if (config->tids)
		TRY(add_list(t, config->tids, true, err));
	if (each_thread)
		return add_all_threads(t, err);
	if (has_tasks)
		return 0;
	return add_thread(t, t->is_wide ? -1 : child);
}

int counttarget_init(struct counttarget *t, const struct countrun_config *config, pid_t child,
		     struct errmsg *err)
{
	int r;

	*t = (struct counttarget){0};
	r = find_target(t, config, child, err);
	if (r < 0)
		counttarget_release(t);
	return r == -ENOMEM ? errmsg_code(err) : r;
}

void counttarget_release(struct counttarget *t)
{
	cpulist_release(&t->cpus);
	for (size_t i = 0; i < t->n_watches; i++)
		scope_close(&t->watches[i].fd);
	for (size_t i = 0; i < t->n_cgroups; i++) {
		close(t->cgroup_fds[i]);
		free(t->cgroup_names[i]);
	}
	free(t->cgroup_fds);
	free(t->cgroup_names);
	free(t->watches);
	free(t->threads);
	free(t->places);
	*t = (struct counttarget){0};
}

static void fmt_thread(pid_t tid, char *buf, size_t n_bytes)
{
	char path[64], comm[32] = "";
	SCOPED(fclose_scoped) FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	f = fopen(path, "re");
	if (f && fgets(comm, sizeof(comm), f))
		comm[strcspn(comm, "\n")] = '\0';
	snprintf(buf, n_bytes, "%s-%d", comm, tid);
}

/* How many CPUs share a place with this one, in what is counted. */
static unsigned count_alike(const struct counttarget *t, enum countparts parts,
			    const struct cpuplace *p)
{
	unsigned n = 0;

	for (size_t i = 0; i < t->cpus.n; i++) {
		const struct cpuplace *q = &t->places[t->cpus.cpus[i]];

		n += parts == COUNTPARTS_NODE
			     ? q->node == p->node
			     : q->socket == p->socket &&
				       (parts == COUNTPARTS_SOCKET || q->die == p->die) &&
				       (parts != COUNTPARTS_CORE || q->core == p->core);
	}
	return n;
}

int counttarget_part(const struct counttarget *t, enum countparts parts, struct countertable *table,
		     int cpu, size_t thread)
{
	struct cpuplace p = {-1, -1, -1, -1};
	int64_t key;
	char label[96];

	if (cpu >= 0 && cpu < t->n_places)
		p = t->places[cpu];
	key = cpu;
	switch (parts) {
	case COUNTPARTS_ALL:
		return countertable_part(table, 0, "", 1);
	case COUNTPARTS_THREAD:
		key = t->threads[thread];
		fmt_thread((pid_t)key, label, sizeof(label));
		return countertable_part(table, key, label, 1);
	case COUNTPARTS_CPU:
		snprintf(label, sizeof(label), "CPU%d", cpu);
		return countertable_part(table, key, label, 1);
	case COUNTPARTS_SOCKET:
		key = p.socket;
		snprintf(label, sizeof(label), "S%d", p.socket);
		break;
	case COUNTPARTS_DIE:
		key = (int64_t)p.socket << 32 | (unsigned)p.die;
		snprintf(label, sizeof(label), "S%d-D%d", p.socket, p.die);
		break;
	case COUNTPARTS_CORE:
		key = (int64_t)p.socket << 48 | (int64_t)(p.die & 0xffff) << 32 | (unsigned)p.core;
		snprintf(label, sizeof(label), "S%d-D%d-C%d", p.socket, p.die, p.core);
		break;
	case COUNTPARTS_NODE:
		key = p.node;
		snprintf(label, sizeof(label), "N%d", p.node);
		break;
	}
	return countertable_part(table, key, label, count_alike(t, parts, &p));
}
