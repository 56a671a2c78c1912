// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tasks.c - keeps the table of tasks.
 *
 * saved_cmdlines has "PID NAME" lines; a name may contain blanks. When a pid is first seen, rows
 * are sorted and searched with a binary search. Of two rows with the same pid the later one is
 * sorted first, and the search decides which one is used, as in libtraceevent. The result, with its
 * text for the line's head, goes into a hash table, and the last one used is remembered:
 * consecutive events mostly share it.
 *
 * Names learned from events apply to pids without a name. There is one exception, kept because the
 * output must not differ: until the first look-up of a task other than idle, libtraceevent has not
 * sorted its list yet, and a learned name adds a row for its pid, even if the pid has one already.
 * A trace filtered to idle's own events shows the difference. So rows are sorted at that first
 * look-up.
 */
#include "symbols/tasks.h"
#include "base/array.h"
#include "base/number.h"
#include "symbols/processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_MAX_BYTES (32u << 20)
#define TASKS_MAX	(1u << 18) /* 27 MB; further tasks have no names */
#define ROWS_MAX	(1u << 19)
#define PID_MAX_BYTES	14 /* "-2147483648 " and a little */
#define COMM_MAX	4096

ARRAY_ORDER(row_compare, struct task_row, COMPARE(x->pid, y->pid) ?: COMPARE(y->order, x->order))

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool row_parse(struct task_row *row, const char *p, const char *end)
{
	char number[16];
	size_t n = 0;

	while (p < end && is_blank(*p))
		p++;
	while (p < end && n < sizeof(number) - 1 && ((*p >= '0' && *p <= '9') || (!n && *p == '-')))
		number[n++] = *p++;
	number[n] = 0;
	if (!n)
		return false;
	row->pid = atoi(number);
	while (p < end && is_blank(*p))
		p++;
	row->comm = p;
	row->len = end - p;
	return p < end;
}

static int rows_read(struct tasks *t, struct piece text)
{
	const char *p = (const char *)text.data, *end = text.len ? p + text.len : p;
	size_t n = 1;

	for (size_t i = 0; i < text.len; i++)
		n += text.data[i] == '\n';
	if (n > ROWS_MAX)
		n = ROWS_MAX;
	t->rows = malloc(n * sizeof(*t->rows));
	if (!t->rows)
		return -ENOMEM;
	t->cap_rows = n;
	while (p < end && *p && t->n_rows < n) {
		const char *nl = memchr(p, '\n', end - p), *stop = nl ? nl : end;

		if (!nl && memchr(p, 0, end - p))
			stop = memchr(p, 0, end - p);
		if (stop != p) {
			if (!row_parse(&t->rows[t->n_rows], p, stop))
				break;
			t->rows[t->n_rows].order = t->n_rows;
			t->n_rows++;
		}
		p = stop + 1;
	}
	return 0;
}

static void rows_freeze(struct tasks *t)
{
	qsort(t->rows, t->n_rows, sizeof(*t->rows), row_compare);
	t->frozen = true;
}

int tasks_init(struct tasks *t, struct piece cmdlines)
{
	memset(t, 0, sizeof(*t));
	arena_init(&t->arena, ARENA_MAX_BYTES);
	return rows_read(t, cmdlines);
}

void tasks_set_processes(struct tasks *t, const struct processes *processes)
{
	t->processes = processes;
}

void tasks_release(struct tasks *t)
{
	map_release(&t->by_pid);
	free(t->rows);
	arena_release(&t->arena);
	memset(t, 0, sizeof(*t));
}

static const struct task_row *row_find(const struct tasks *t, int pid)
{
	size_t low = 0, high = t->n_rows;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (t->rows[mid].pid == pid)
			return &t->rows[mid];
		if (pid < t->rows[mid].pid)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

/*
 * Writes comm right-aligned in `width`, '-', pid left-aligned in 5, ' ', like printf("%*s-%-5d ").
 */
static size_t make_head(char *buf, const char *comm, size_t len, size_t width, int pid)
{
	char *p = buf, *digits;

	for (size_t i = len; i < width; i++)
		*p++ = ' ';
	memcpy(p, comm, len);
	p += len;
	*p++ = '-';
	digits = p;
	p = number_emit_signed(p, pid);
	while (p < digits + 5)
		*p++ = ' ';
	*p++ = ' ';
	return p - buf;
}

static struct task *task_make(struct tasks *t, int pid, const char *comm, size_t len, bool known)
{
	struct task *task = arena_alloc(&t->arena, sizeof(*task));
	char *text;

	if (len > COMM_MAX)
		len = COMM_MAX;
	text = arena_alloc(&t->arena,
			   len + 1 + (len < 16 ? 16 : len) + PID_MAX_BYTES + 8 + PID_MAX_BYTES);
	if (!task || !text)
		return NULL;
	task->pid = pid;
	task->tgid = pid ? processes_find_tgid(t->processes, pid) : 0;
	task->is_self = processes_is_self(t->processes, pid);
	task->known = known;
	task->comm = text;
	task->comm_len = len;
	memcpy(text, comm, len);
	text += len + 1;
	task->head = text;
	task->head_len = make_head(text, comm, len, 16, pid);
	text += task->head_len;
	task->short_head = text;
	task->short_head_len = make_head(text, comm, len < 8 ? len : 8, 8, pid);
	return task;
}

const struct task *tasks_find_slow(struct tasks *t, int pid)
{
	void **slot = map_take(&t->by_pid, (uint32_t)pid, TASKS_MAX);
	const struct task_row *row;

	if (pid && !t->frozen)
		rows_freeze(t);
	if (!slot)
		return NULL;
	if (!*slot) {
		row = pid ? row_find(t, pid) : NULL;
		*slot = !pid  ? task_make(t, pid, "<idle>", 6, true)
			: row ? task_make(t, pid, row->comm, row->len, true)
			      : task_make(t, pid, "<...>", 5, false);
		if (!*slot)
			return NULL;
	}
	t->last = *slot;
	return t->last;
}

static void rows_add(struct tasks *t, int pid, const char *comm, size_t len)
{
	char *copy;

	if (!ARRAY_ROOM(t->rows, t->cap_rows, t->n_rows + 1, ROWS_MAX))
		return;
	copy = arena_strndup(&t->arena, comm, len);
	if (!copy)
		return;
	t->n_learned++;
	t->rows[t->n_rows] =
		(struct task_row){.pid = pid, .order = t->n_rows, .comm = copy, .len = len};
	t->n_rows++;
}

static void replace(struct tasks *t, const struct task *old, const char *comm, size_t len)
{
	struct task *made = task_make(t, old->pid, comm, len, true);

	if (!made)
		return;
	made->tgid = old->tgid;
	made->learned = true;
	t->n_learned++;
	map_slot_of(&t->by_pid, (uint32_t)old->pid)->value = made;
	t->last = made;
}

void tasks_learn(struct tasks *t, int pid, const char *comm, size_t len)
{
	const struct task *old;

	len = strnlen(comm, len);
	if (!t->frozen) {
		rows_add(t, pid, comm, len);
		return;
	}
	old = tasks_find(t, pid);
	if (old && !old->known)
		replace(t, old, comm, len);
}

void tasks_rename(struct tasks *t, int pid, const char *comm, size_t len)
{
	const struct task *old = pid ? tasks_find(t, pid) : NULL;

	len = strnlen(comm, len);
	if (!old || !len || (old->comm_len == len && !memcmp(old->comm, comm, len)))
		return;
	replace(t, old, comm, len);
}

void tasks_learn_tgid(struct tasks *t, int pid, int tgid)
{
	const struct task *old = tasks_find(t, pid);
	struct task *made;

	if (!old || old->tgid == tgid)
		return;
	made = arena_alloc(&t->arena, sizeof(*made));
	if (!made)
		return;
	*made = *old;
	made->tgid = tgid;
	map_slot_of(&t->by_pid, (uint32_t)pid)->value = made;
	t->last = made;
}
