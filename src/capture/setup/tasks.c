// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tasks.c - the tasks of -P: which there are, and whether they run what is probed.
 *
 *	-P 4711        set_event_pid 4711               the one thread of that number
 *	-P 4711 -c     set_event_pid 4711 4712 …        all that /proc/4711/task has, and (event-fork) what they start
 *
 * And to which process each belongs: with the option record-tgid the kernel notes it when a task is switched to, and census.c
 * reads it in the end. A live trace has events that tell it (names.c).
 *
 * A probe of a program is one of its file, that is, of the inode. A process that runs on while its file was replaced
 * (an update, a build) has the old one, which no path but /proc/PID/exe leads to: nothing would be seen, so a note says it.
 */
#include "capture/setup/setup_int.h"

#include "base/errmsg.h"
#include "probe/probe.h"

#include <dirent.h>
#include <errno.h>
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
	DIR *dir;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%.10s/task", pid);
	dir = opendir(path);
	while (dir && r >= 0 && (e = readdir(dir)))
		if (strspn(e->d_name, "0123456789") == strlen(e->d_name) && strcmp(e->d_name, pid))
			r = visit(ctx, e->d_name);
	if (dir)
		closedir(dir);
	return r;
}

/* The path of the program that the task runs, if that file is not there any more. */
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
					   "task %s runs the file that was %s before it was "
					   "replaced, and is not seen; probe /proc/%s/exe instead",
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
