// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * taskmatch.c - finds tasks by a word.
 *
 *	812          by pid
 *	bash         by name: the last name of the task in the trace
 *	kworker*     by names that match the glob
 *	bash-812     by both. A task that calls exec() has several names, and report shows all
 *	             of them. So the pid is enough if no task matches both.
 */
#include "timeline/taskmatch.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct task_word {
	int machine;	  /* -1: any */
	const char *name; /* NULL: any */
	size_t name_len;
	int pid; /* -1: any */
};

/* Parses a pid from `digits` on. Returns -1 if it is not a pid. */
static int parse_pid(const char *digits)
{
	size_t n = strspn(digits, "0123456789");

	return n && n < 10 && !digits[n] ? atoi(digits) : -1;
}

static bool matches(const struct timeline_task *t, const struct task_word *w)
{
	if (!t->pid || (w->pid >= 0 && t->pid != w->pid) ||
	    (w->machine >= 0 && t->machine != (uint32_t)w->machine))
		return false;
	if (!w->name || (strnlen(t->comm, sizeof(t->comm)) == w->name_len &&
			 !memcmp(t->comm, w->name, w->name_len)))
		return true;
	return w->pid < 0 && strpbrk(w->name, "*?[") && !fnmatch(w->name, t->comm, 0);
}

static bool is_before(const struct timeline *tl, uint16_t a, uint16_t b)
{
	const struct timeline_task *x = timeline_task(tl, a), *y = timeline_task(tl, b);

	if (x->running_ns != y->running_ns)
		return x->running_ns > y->running_ns;
	return x->pid < y->pid;
}

static size_t match(const struct timeline *tl, const struct task_word *w, uint16_t *ret, size_t max)
{
	size_t n = 0, n_kept = 0;

	for (size_t i = 0; i < timeline_n_tasks(tl) && i < TIMELINE_NO_TASK; i++) {
		size_t at = n_kept;

		if (!matches(timeline_task(tl, i), w))
			continue;
		n++;
		if (n_kept < max)
			n_kept++;
		else if (!max || !is_before(tl, i, ret[--at]))
			continue;
		for (; at && is_before(tl, i, ret[at - 1]); at--)
			ret[at] = ret[at - 1];
		ret[at] = i;
	}
	return n;
}

size_t tasks_match(const struct timeline *tl, int machine, const char *word, uint16_t *ret,
		   size_t max)
{
	struct task_word w = {machine, word, word ? strlen(word) : 0, -1};
	const char *dash = word ? strrchr(word, '-') : NULL;
	size_t n = match(tl, &w, ret, max);

	if (n || !word)
		return n;
	w.name = NULL;
	w.pid = parse_pid(word);
	if (w.pid < 0 && dash) {
		w = (struct task_word){machine, word, dash - word, parse_pid(dash + 1)};
		n = w.pid < 0 ? 0 : match(tl, &w, ret, max);
		w.name = NULL;
	}
	return n || w.pid < 0 ? n : match(tl, &w, ret, max);
}
