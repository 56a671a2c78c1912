// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tasks.c - the tasks of -P: which ones exist, and whether they run the probed file.
 *
 *	-P 4711        set_event_pid 4711               only the thread with that pid
 *	-P 4711 -c     set_event_pid 4711 4712 …        all threads in /proc/4711/task, and
 *	                                                (event-fork) what they start
 *
 * With the option record-tgid the kernel notes the process of each task at each switch, and
 * census.c reads it at the end. A live trace has events instead (names.c).
 *
 * A probe in a program belongs to its file, that is, to the inode. A process whose file was
 * replaced (an update, a build) still runs the old file, which only /proc/PID/exe reaches: the
 * probe would see nothing, so sonde adds a note.
 */
#include "capture/setup/setup_int.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "probe/probe.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TGID_OPTION "options/record-tgid"
#define DELETED	    " (deleted)"

int setup_each_thread(const char *pid, int (*visit)(void *ctx, const char *thread), void *ctx)
{
	char path[64];
	struct dirent *e;
	SCOPED(closedir_scoped) DIR *dir = NULL;

	snprintf(path, sizeof(path), "/proc/%.10s/task", pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir)))
		if (strspn(e->d_name, "0123456789") == strlen(e->d_name) && strcmp(e->d_name, pid))
			TRY(visit(ctx, e->d_name));
	return 0;
}

/*
 * Finds the path of the program that the task runs, if the file at that path does not exist any
 * more.
 */
static bool find_replaced(const char *pid, char path[PATH_MAX])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%.10s/exe", pid);
	n = readlink(link, path, PATH_MAX - 1);
	if (n <= (ssize_t)strlen(DELETED))
		return false;
	path[n] = 0;
	n -= (ssize_t)strlen(DELETED);
	if (strcmp(path + n, DELETED) || !access(path, F_OK))
		return false;
	path[n] = 0;
	return true;
}

void setup_note_replaced(struct setup *s, const struct probe *p)
{
	const char *colon = p->n_places ? strrchr(p->places[0].text, ':') : NULL;
	size_t len = colon ? (size_t)(colon - p->places[0].text) : 0;
	char path[PATH_MAX];

	if (!len || (p->kind != PROBE_UPROBE && p->kind != PROBE_URETPROBE))
		return;
	for (size_t i = 0; i < s->plan->n_buffers; i++) {
		const struct plan_words *pids = &s->plan->buffers[i].pids;

		for (size_t k = 0; k < pids->n; k++)
			if (find_replaced(pids->words[k], path) && strlen(path) == len &&
			    !strncmp(path, p->places[0].text, len))
				setup_note(s,
					   "the program of task %s, %s, was replaced after its "
					   "start, so the probe does not see this task; probe "
					   "/proc/%s/exe instead",
					   pids->words[k], path, pids->words[k]);
	}
}

int setup_tgids(struct setup *s, const struct setup_buffer *b, struct errmsg *err)
{
	if (!s->journal || s->plan->tell_names || s->plan->only_triggers ||
	    !tracefs_exists(&s->t, b->instance, TGID_OPTION))
		return 0;
	return setup_write(s, b->instance, TGID_OPTION, "1", TRACEFS_SET, err);
}
