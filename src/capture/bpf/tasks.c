// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tasks.c - keeps a byte for each possible pid, which BPF programs read.
 *
 *  sched_process_fork  if the parent's byte is 1, sets the child's  before the child first runs
 *  sched_process_free  sets the task's byte to 0                    after it last ran
 *  any other program   exits unless the task's byte is 1
 *
 * The kernel does the same for set_event_pid with the option event-fork, at the same two
 * tracepoints, so both methods count the same tasks.
 *
 * All bytes are one row of an array, for the 4 million pids of a 64-bit kernel. Its address is a
 * constant in the program, so no helper call is needed; a hash lookup costs more than the rest of a
 * small program. Programs write bytes one by one, and so does sonde through a mapping (5.5): there
 * is no read-modify-write that could lose another change.
 *
 * A few pids that never change are compared directly, without a table.
 */
#include "capture/bpf/tasks.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/bpf/program.h"
#include "capture/setup/setup_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NUMBERS_MAX (4u << 20)
#define LISTINGS    8 /* limit of listings, even if a process always starts new threads */

enum { R1 = 1, R2 };
#define NUMBER BPFPROGRAM_NUMBER

/*
 * --- programs ----------------------------------------------------------------------------------
 */

/* Sets r1 to the byte of the pid. Exits if the pid is out of range. */
static void emit_find(struct bpfcode *c, const struct bpftasks *t, int reg, unsigned none)
{
	bpfcode_move(c, R2, reg);
	bpfcode_jump_if(c, BPF_JGE, R2, NUMBERS_MAX, none);
	bpfcode_set_row(c, R1, t->table.fd);
	bpfcode_alu(c, BPF_ADD, R1, R2);
}

void bpftasks_emit(struct bpfcode *c, const struct bpftasks *t, int reg, unsigned found)
{
	unsigned none = bpfcode_label(c);

	for (size_t i = 0; i < t->n_few; i++)
		bpfcode_jump_if(c, BPF_JEQ, reg, t->few[i], found);
	if (t->bytes) {
		emit_find(c, t, reg, none);
		bpfcode_load(c, BPF_B, R1, R1, 0);
		bpfcode_jump_if(c, BPF_JNE, R1, 0, found);
	}
	bpfcode_place(c, none);
}

static void emit_set(struct bpfcode *c, const struct bpftasks *t, const struct bpfsource *task,
		     int value, unsigned out)
{
	bpfprogram_read_number(c, task);
	emit_find(c, t, NUMBER, out);
	bpfcode_store_number(c, BPF_B, R1, 0, value);
}

/* Generates the program. If parent is NULL, the task has exited. */
static void emit_program(struct bpfcode *c, const struct bpftasks *t,
			 const struct bpfsource *parent, const struct bpfsource *task)
{
	unsigned out = bpfcode_label(c), found = bpfcode_label(c);

	bpfcode_move(c, BPFPROGRAM_CONTEXT, R1);
	if (parent) {
		bpfprogram_read_number(c, parent);
		bpftasks_emit(c, t, NUMBER, found);
		bpfcode_jump(c, out);
	}
	bpfcode_place(c, found);
	emit_set(c, t, task, parent != NULL, out);
	bpfcode_place(c, out);
	bpfprogram_end(c);
}

static int start(struct bpftasks *t, const char *tracepoint, const struct bpfsource *parent,
		 const struct bpfsource *task, struct errmsg *err)
{
	static const struct bpfprogram_config config = {.hook = BPFHOOK_RAW};
	struct bpfcode *c = malloc(sizeof(*c));
	size_t i = t->n_programs;
	int r;

	if (!c)
		return errmsg_set_errno(err, -ENOMEM, "cannot follow tasks");
	bpfcode_init(c);
	emit_program(c, t, parent, task);
	t->programs[i] = bpfprogram_load(&config, c, err);
	free(c);
	if (t->programs[i] < 0)
		return t->programs[i];
	r = t->links[i] = bpfprogram_attach(&config, t->programs[i], tracepoint, 0, err);
	t->n_programs++;
	return r < 0 ? r : 0;
}

int bpftasks_follow(struct bpftasks *t, const struct bpfsource *parent,
		    const struct bpfsource *child, const struct bpfsource *gone, struct errmsg *err)
{
	TRY(start(t, "sched_process_free", NULL, gone, err));
	return start(t, "sched_process_fork", parent, child, err);
}

/*
 * --- tasks -------------------------------------------------------------------------------------
 */

int bpftasks_open(struct bpftasks *t, size_t n, struct errmsg *err)
{
	void *p;

	*t = (struct bpftasks){.is_open = true,
			       .table = {.type = BPF_MAP_TYPE_ARRAY,
					 .n_key_bytes = sizeof(uint32_t),
					 .n_value_bytes = NUMBERS_MAX,
					 .n_rows = 1,
					 .fd = -1,
					 .flags = BPF_F_MMAPABLE}};
	if (n <= BPFTASKS_FEW)
		return 0;
	TRY(bpf_make_table(&t->table, err));
	p = mmap(NULL, NUMBERS_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, t->table.fd, 0);
	if (p == MAP_FAILED)
		return errmsg_set_errno(err, -errno, "cannot write the table of tasks");
	t->bytes = p;
	return 0;
}

int bpftasks_add(struct bpftasks *t, int task, struct errmsg *err)
{
	if (task < 0 || (unsigned)task >= NUMBERS_MAX || (!t->bytes && t->n_few == BPFTASKS_FEW))
		return errmsg_set(err, -ENOTSUP, "BPF programs cannot follow task %d", task);
	if (t->bytes)
		__atomic_store_n(&t->bytes[task], 1, __ATOMIC_SEQ_CST);
	else
		t->few[t->n_few++] = task;
	return 0;
}

int bpftasks_each(const struct bpftasks *t, int (*visit)(void *ctx, int task), void *ctx)
{
	const uint8_t *p = t->bytes, *end = p + NUMBERS_MAX;
	int r = p ? 0 : -ENOTSUP;

	while (r >= 0 && (p = memchr(p, 1, (size_t)(end - p))))
		r = visit(ctx, (int)(p++ - t->bytes));
	return r;
}

struct listing {
	struct bpftasks *t;
	struct errmsg *err;
	size_t n_new;
};

static int add_thread(void *ctx, const char *thread)
{
	struct listing *l = ctx;
	unsigned task = (unsigned)atoi(thread);

	if (task >= NUMBERS_MAX || l->t->bytes[task])
		return 0;
	l->n_new++;
	return bpftasks_add(l->t, (int)task, l->err);
}

/*
 * Adds the threads of a process. A thread that started before its parent was added appears in the
 * next listing.
 */
int bpftasks_add_threads(struct bpftasks *t, int process, struct errmsg *err)
{
	char name[16];
	int r = 0;

	snprintf(name, sizeof(name), "%d", process);
	for (int i = 0; i < LISTINGS && r >= 0; i++) {
		struct listing l = {t, err, 0};

		r = setup_each_thread(name, add_thread, &l);
		if (!l.n_new)
			break;
	}
	return r;
}

void bpftasks_close(struct bpftasks *t)
{
	if (!t->is_open)
		return;
	for (size_t i = 0; i < t->n_programs; i++) {
		if (t->links[i] >= 0)
			close(t->links[i]);
		close(t->programs[i]);
	}
	if (t->bytes)
		munmap(t->bytes, NUMBERS_MAX);
	if (t->table.fd >= 0)
		close(t->table.fd);
	*t = (struct bpftasks){0};
}
