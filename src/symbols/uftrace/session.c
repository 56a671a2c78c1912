// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * session.c - finds the program, the file and the symbol of an address.
 *
 *	task.txt   SESS timestamp=13556.935210331 pid=16526 sid=89e77ca233c067af exename="/tmp/abc"
 *	           TASK timestamp=13556.935274196 tid=16526 pid=16526
 *	           FORK timestamp=… pid=CHILD ppid=PARENT
 *	           DLOP timestamp=… tid=… sid=… base=7f00… libname="/lib/x.so"
 *
 * A task that has no session of its own (a fork) has that of its parent. Lookups are by bisection;
 * a session has tens of maps, a library thousands of symbols.
 *
 * The lines come from a file that may be hostile: names have limits, numbers are checked where they
 * are used, and the parents of tasks cannot form a circle because a child is only tied to a task
 * that stood before it.
 */
#include "symbols/uftrace/session.h"

#include "base/errmsg.h"
#include "format/uftrace.h"
#include "symbols/uftrace/session_int.h"

#include <stdlib.h>
#include <string.h>

#define PARENTS_MAX 1000

const char *uft_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

struct uft_task *uft_task_find(const struct uft_names *n, int tid)
{
	return map_find(&n->by_tid, (uint32_t)tid);
}

/* The last session of a process that has begun at that time. */
struct uft_session *uft_session_of_pid(const struct uft_names *n, int pid, uint64_t time_ns)
{
	struct uft_session *best = NULL;

	for (size_t i = 0; i < n->n_sessions; i++) {
		struct uft_session *s = n->sessions[i];

		if (s->pid == pid && s->start_ns <= time_ns &&
		    (!best || s->start_ns >= best->start_ns))
			best = s;
	}
	return best;
}

struct uft_session *uft_session_find(const struct uft_names *n, const struct uft_task *t,
				     uint64_t time_ns)
{
	for (int i = 0; t && i < PARENTS_MAX; i++) {
		int parent = t->ppid ? t->ppid : t->pid;

		for (size_t k = 0; k < t->n_refs; k++)
			if (t->refs[k].start_ns <= time_ns && time_ns < t->refs[k].end_ns)
				return t->refs[k].session;
		if (!parent || parent == t->tid)
			return NULL;
		t = uft_task_find(n, parent);
	}
	return NULL;
}

const struct uft_map *uft_map_find(const struct uft_session *s, uint64_t addr)
{
	for (size_t i = 0; i < s->n_maps; i++)
		if (addr >= s->maps[i].start && addr < s->maps[i].end)
			return &s->maps[i];
	return NULL;
}

const struct uft_dlopen *uft_dlopen_find(const struct uft_session *s, uint64_t time_ns,
					 uint64_t addr)
{
	for (size_t i = s->n_dlopens; i-- > 0;) {
		const struct uft_dlopen *d = &s->dlopens[i];

		if (d->time_ns <= time_ns && addr >= d->base && d->module &&
		    uft_module_find(d->module, addr - d->base))
			return d;
	}
	return NULL;
}

const struct uft_sym *uft_sym_find(const struct uft_session *s, uint64_t time_ns, uint64_t addr)
{
	const struct uft_map *m = uft_map_find(s, addr);
	const struct uft_sym *sym = NULL;
	const struct uft_dlopen *d;

	if (uft_is_kernel(addr))
		return s->kernel ? uft_module_find(s->kernel, addr) : NULL;
	if (m && m->module)
		sym = uft_module_find(m->module, addr - m->start);
	if (sym)
		return sym;
	d = uft_dlopen_find(s, time_ns, addr);
	return d ? uft_module_find(d->module, addr - d->base) : NULL;
}

static bool defines(const struct uft_module *m, const char *name)
{
	const struct uft_sym *s = m ? uft_module_find_name(m, name) : NULL;

	return s && s->type != UFT_SYM_PLT;
}

const struct uft_map *uft_map_of_name(const struct uft_session *s, const char *name)
{
	for (size_t i = 0; i < s->n_maps; i++)
		if (defines(s->maps[i].module, name))
			return &s->maps[i];
	return NULL;
}

static int compare_sessions(const void *a, const void *b)
{
	const struct uft_session *x = *(struct uft_session *const *)a;
	const struct uft_session *y = *(struct uft_session *const *)b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

int uft_names_init(struct uft_names *n, const struct uft_names_reader *reader,
		   enum uft_names_how how, struct errmsg *err)
{
	char *text = NULL;
	size_t len;
	int r;

	*n = (struct uft_names){.how = how, .reader = reader};
	arena_init(&n->arena, UFT_NAMES_MAX_BYTES);
	r = reader->read(reader->ctx, "task.txt", &text, &len);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot read task.txt, the list of tasks");
	r = uft_names_parse_tasks(n, text);
	free(text);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot keep the names of the recording");
	if (n->n_sessions)
		qsort(n->sessions, n->n_sessions, sizeof(*n->sessions), compare_sessions);
	return 0;
}

int uft_names_add_kernel(struct uft_names *n, const char *text, size_t len)
{
	struct uft_module *m = arena_alloc(&n->arena, sizeof(*m));

	if (!m || uft_module_parse_kallsyms(m, &n->arena, text, len) < 0)
		return -ENOMEM;
	n->kernel = m;
	for (size_t i = 0; i < n->n_sessions; i++)
		n->sessions[i]->kernel = m;
	return 0;
}

void uft_names_release(struct uft_names *n)
{
	map_release(&n->by_tid);
	free(n->sessions);
	for (size_t i = 0; i < n->n_tasks; i++)
		free(n->tasks[i]->refs);
	free(n->tasks);
	free(n->modules);
	arena_release(&n->arena);
}
