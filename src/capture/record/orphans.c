// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * orphans.c - waits for what the command leaves behind.
 *
 * The kernel keeps no list of descendants that one could poll. A subreaper (prctl) inherits every
 * orphan below it, so the last one has ended when we have no children but those of our own, which
 * existed before the command. Children are found in /proc: /proc/PID/task/TID/children needs a
 * kernel option.
 */
#include "capture/record/orphans.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* 0: there is no such process. Its name, in brackets, may have brackets, too. */
static pid_t parent_of(const char *pid)
{
	char path[64], text[512], *end;
	pid_t parent = 0;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	f = fopen(path, "re");
	if (f) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	end = strrchr(text, ')');
	return end && sscanf(end, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* Calls take() for each of our children until it returns false. */
static void each_child(bool (*take)(void *ctx, pid_t pid), void *ctx)
{
	DIR *dir = opendir("/proc");
	const pid_t self = getpid();
	struct dirent *e;
	bool more = true;

	while (more && dir && (e = readdir(dir))) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);

		if (pid > 0 && parent_of(e->d_name) == self)
			more = take(ctx, pid);
	}
	if (dir)
		closedir(dir);
}

static bool add_own(void *ctx, pid_t pid)
{
	struct orphans *o = ctx;

	o->own[o->n_own++] = pid;
	return o->n_own < ORPHANS_OWN_MAX;
}

void orphans_adopt(struct orphans *o, pid_t command)
{
	*o = (struct orphans){.is_open = !prctl(PR_SET_CHILD_SUBREAPER, 1)};
	each_child(add_own, o);
	for (unsigned i = 0; i < o->n_own; i++)
		if (o->own[i] == command)
			o->own[i] = o->own[--o->n_own];
}

struct search {
	const struct orphans *o;
	bool found;
};

static bool look_at(void *ctx, pid_t pid)
{
	struct search *s = ctx;

	for (unsigned i = 0; i < s->o->n_own; i++)
		if (s->o->own[i] == pid)
			return true;
	/*
	 * found, even if it has just ended: its own children become ours, and the search may have
	 * passed their place
	 */
	waitpid(pid, NULL, WNOHANG);
	s->found = true;
	return true;
}

bool orphans_are_left(const struct orphans *o)
{
	struct search s = {.o = o};

	if (o->is_open)
		each_child(look_at, &s);
	return s.found;
}
