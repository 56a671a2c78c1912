// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lost.c - counts hits in a program whose record does not fit into a page.
 *
 *	uprobe_profile     /tmp/a work     21     hits by all processes
 *	recorded events            work      1
 *
 * The kernel assembles the record in a page and copies it into the buffer, where it also has to fit
 * into a page, after the page's header. If it does not fit, the kernel drops it and does not count
 * it, neither as lost nor as missed. So the number of dropped records is the number of hits minus
 * the number of events, if each hit should be an event. This is certain only for the command's own
 * program: if another process runs it before, during or after the recording, there are hits that
 * are not to be recorded. Other processes that run it are recognized by their name, because finding
 * the file of a task needs more capabilities than a recorder keeps.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/tracefs/eventdir.h"
#include "capture/setup/setup_int.h"
#include "probe/findprogram.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMM_BYTES 16 /* size of a task's name, with its NUL */

static bool has_text(const struct probe *p)
{
	for (size_t i = 0; i < p->n_args; i++) {
		const char *colon = strrchr(p->args[i].fetch, ':');

		if (colon && strstr(colon, "string") && !strstr(p->args[i].fetch, "$comm"))
			return true;
	}
	return false;
}

static bool find_command(const struct setup *s, char path[PATH_MAX])
{
	char found[PATH_MAX];

	return s->plan->command && findprogram(s->plan->command, false, found) &&
	       findprogram_real(found, path);
}

/* Returns true if something other than tasks selects which hits are recorded. */
static bool is_chosen(const struct setup *s)
{
	const struct plan *p = s->plan;

	for (size_t i = 0; i < p->n_buffers; i++) {
		const struct plan_buffer *b = &p->buffers[i];

		if (b->pids.n || b->cpumask || b->functions.n)
			return true;
		for (size_t k = 0; k < b->n_events; k++)
			if (b->events[k].triggers.n)
				return true;
	}
	return p->only_triggers;
}

/*
 * Returns true for a probe that reads a text in the program at path, if each hit should be an
 * event. For a return the kernel counts the calls, some of which may not have ended.
 */
static bool can_lose(const struct setup_probe *sp, const char *path)
{
	const struct probe *p = sp->probe;
	size_t len = strlen(path);

	return p && p->kind == PROBE_UPROBE && p->n_places && !sp->pair && !sp->is_off &&
	       !sp->event.filter && !sp->planned->filter &&
	       !strncmp(p->places[0].text, path, len) && p->places[0].text[len] == ':' &&
	       has_text(p);
}

bool setup_can_lose(const struct setup *s)
{
	char path[PATH_MAX];

	if (!s->n_probes || is_chosen(s) || !find_command(s, path))
		return false;
	return ARRAY_ANY(s->n_probes, i, can_lose(s->probes[i], path));
}

/*
 * --- others
 * ------------------------------------------------------------------------------------------
 */

static bool has_name(const char *pid, const char *name)
{
	char path[300], comm[COMM_BYTES + 1] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(comm, sizeof(comm), f))
		*comm = 0;
	fclose(f);
	comm[strcspn(comm, "\n")] = 0;
	return !strncmp(comm, name, COMM_BYTES - 1);
}

/* Returns true if there is a process, other than except, with the name of the program at path. */
static bool is_running(const char *path, int except)
{
	const char *name = strrchr(path, '/') + 1;
	SCOPED(closedir_scoped) DIR *tasks = opendir("/proc");
	struct dirent *e;
	bool found = !tasks; /* true if it is unknown */

	while (tasks && !found && (e = readdir(tasks)))
		found = e->d_name[0] >= '1' && e->d_name[0] <= '9' && atoi(e->d_name) != except &&
			has_name(e->d_name, name);
	return found;
}

void setup_look_at_others(struct setup *s, int command)
{
	char path[PATH_MAX];

	s->is_program_busy =
		setup_can_lose(s) && find_command(s, path) && is_running(path, command);
}

/*
 * --- the end
 * -----------------------------------------------------------------------------------------
 */

static uint64_t count_events(const struct setup *s, const struct setup_probe *sp,
			     const struct setup_arrived *arrived)
{
	char file[TRACEFS_PATH_MAX];
	long long id;

	eventdir_fmt_path(sp->group, sp->name, "id", file);
	id = tracefs_read_number(&s->t, "", file);
	return id < 0 ? UINT64_MAX / 2 : arrived->count(arrived->ctx, (unsigned)id);
}

static void tell_probe(const struct setup *s, const struct setup_probe *sp, uint64_t n,
		       void (*tell)(const char *sentence))
{
	/* then hits of its threads and children are not events, and their number is unknown */
	bool is_alone = s->plan->only_command && !s->plan->children;
	char text[640];

	snprintf(text, sizeof(text),
		 "%llu hit%s of %s %s not recorded: the record of a hit has to fit into a page "
		 "of %ld bytes, with the kernel's header, and %s texts do not; record fewer "
		 "texts in one event%s",
		 (unsigned long long)n, n == 1 ? "" : "s", sp->name, n == 1 ? "is" : "are",
		 sysconf(_SC_PAGESIZE), n == 1 ? "its" : "their",
		 is_alone ? " (or these are hits of threads or children of the command, which "
			    "-c includes)"
			  : "");
	tell(text);
}

uint64_t setup_tell_lost(struct setup *s, const struct setup_arrived *arrived,
			 void (*tell)(const char *sentence))
{
	struct errmsg ignored = {0};
	char path[PATH_MAX];
	struct probe_list l;
	uint64_t n = 0;

	if (s->is_program_busy || !setup_can_lose(s) || !find_command(s, path) ||
	    is_running(path, 0) || probes_list(&s->t, &l, &ignored) < 0)
		return 0;
	for (size_t i = 0; i < s->n_probes; i++) {
		const struct setup_probe *sp = s->probes[i];
		uint64_t n_hits, n_events;

		if (!can_lose(sp, path))
			continue;
		n_hits = setup_count_hits(&l, sp);
		n_events = count_events(s, sp, arrived) + arrived->n_lost;
		if (n_hits <= n_events)
			continue;
		n += n_hits - n_events;
		if (tell)
			tell_probe(s, sp, n_hits - n_events, tell);
	}
	probe_list_release(&l);
	return n;
}
