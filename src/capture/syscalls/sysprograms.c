// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sysprograms.c - tables and life of the programs that record system calls; syscode.c generates
 * them.
 *
 *	rows      what to copy for each call and machine, one array: data for the programs
 *	numbers   of a pid: the number of its slot; 0: none
 *	slots     calls that have not returned, one for each thread
 *	given_back slots of threads that have ended
 *	scratch   for each CPU: the record that is being made, and counters
 *	ring      records for user space
 *
 * The programs need a ring buffer (Linux 5.8), typed access to the task (5.11) and the kernel's
 * type information (BTF).
 */
#include "capture/syscalls/sysprograms.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/bpf/source_int.h"
#include "capture/syscalls/syscode_int.h"
#include "symbols/btf/btf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIDS_MIN       32768u
#define PIDS_MAX       (4u << 20) /* of a 64-bit kernel */
#define PATH_MAX_BYTES 4080
#define POINTERS_MAX   192
#define STRUCTS_MAX    2048

static const struct {
	const char *tracepoint;
} hooks[SYSPROGRAMS_HOOKS] = {
	[SYSCODE_ENTER] = {"sys_enter"},       [SYSCODE_EXIT] = {"sys_exit"},
	[SYSCODE_SIGNAL] = {"signal_deliver"}, [SYSCODE_DEATH] = {"sched_process_exit"},
	[SYSCODE_SENT] = {"signal_generate"},  [SYSCODE_EXECED] = {"sched_process_exec"},
};

uint32_t sysprograms_machine(unsigned index)
{
#if defined(__x86_64__)
	return index ? AUDIT_ARCH_I386 : AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
	return index ? AUDIT_ARCH_ARM : AUDIT_ARCH_AARCH64;
#elif defined(__riscv)
	return AUDIT_ARCH_RISCV64;
#else
	return 0;
#endif
}

/*
 * --- what to copy ------------------------------------------------------------------------------
 */

static uint32_t min_of(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * The most bytes that a row copies at once. A string has room for a NUL, and to see that it is cut.
 */
static uint16_t row_max(const struct syscopy *s, uint32_t string_max)
{
	uint32_t limit = min_of(string_max, STRUCTS_MAX);

	switch (s->how) {
	case SYSCOPY_STRING:
		return (uint16_t)min_of(s->size ? s->size : PATH_MAX_BYTES, PATH_MAX_BYTES);
	case SYSCOPY_STRINGS:
		return (uint16_t)(limit + 2);
	case SYSCOPY_BYTES:
	case SYSCOPY_IOVEC:
	case SYSCOPY_IOVEC_IN:
	case SYSCOPY_MSGHDR:
	case SYSCOPY_MMSGHDR:
		return (uint16_t)limit;
	case SYSCOPY_RETURNED:
		return (uint16_t)(s->size == 1 ? limit : STRUCTS_MAX);
	case SYSCOPY_LENPTR:
		return s->size ? s->size : STRUCTS_MAX;
	default:
		return STRUCTS_MAX;
	}
}

/* read() and write() get a short way through the programs. */
static void set_plain(struct sysrow *row, const struct syscopy *s, uint32_t max)
{
	if (s->arg != 1 || s->if_arg <= 5 || !max || max > SYSROW_PLAIN_MAX)
		return;
	row->plain_max = (uint16_t)max;
	if (s->how == SYSCOPY_BYTES && s->when == SYSCOPY_ENTRY && s->len_arg == 2)
		row->flags |= SYSROW_PLAIN_ENTRY;
	else if (s->how == SYSCOPY_RETURNED && s->when == SYSCOPY_EXIT_OK && s->size == 1)
		row->flags |= SYSROW_PLAIN_EXIT;
}

/* Adds the copies of a call to the pool; *n_used of it are used. */
static void fill_row(struct sysrows *all, size_t *n_used, struct sysrow *row,
		     const struct syscopy *copies, size_t n, uint32_t string_max)
{
	row->first = (uint16_t)*n_used;
	for (size_t i = 0; i < n && i < SYSCOPIES_MAX && *n_used < SYSROW_COPIES; i++) {
		const struct syscopy *s = &copies[i];
		uint16_t size = s->size;

		if (s->how == SYSCOPY_STRINGS || s->how == SYSCOPY_POINTERS)
			size = size && size < POINTERS_MAX ? size : POINTERS_MAX;
		row->n_copies++;
		all->copies[(*n_used)++] = (struct sysrow_copy){
			.places = (uint8_t)(s->arg | (s->if_arg > 5 ? 15 : s->if_arg) << 4),
			.when = s->when,
			.how = s->how,
			.len_arg = s->len_arg,
			.size = size,
			.max = row_max(s, string_max),
			.if_value = s->if_value & s->if_mask,
			.if_mask = s->if_mask,
		};
		row->flags |= s->when == SYSCOPY_ENTRY ? SYSROW_HAS_ENTRY : SYSROW_HAS_EXIT;
	}
	if (row->n_copies == 1)
		set_plain(row, &copies[0], all->copies[row->first].max);
}

/* exit and exit_group. */
bool sysprograms_never_returns(uint32_t machine, uint32_t nr)
{
	return machine == AUDIT_ARCH_X86_64 ? nr == 60 || nr == 231
	       : machine == AUDIT_ARCH_I386 ? nr == 1 || nr == 252
					    : nr == 93 || nr == 94;
}

static int fill_rows(struct sysprograms *p, struct errmsg *err)
{
	const struct sysprograms_config *config = &p->config;
	SCOPED(scope_free) struct sysrows *rows = calloc(1, sizeof(*rows));
	size_t n_used = 0;
	uint32_t key = 0;

	if (!rows)
		return errmsg_set_errno(err, -ENOMEM, "cannot trace system calls");
	for (unsigned m = 0; m < SYSROW_MACHINES; m++)
		for (uint32_t nr = 0; nr < SYSROW_CALLS; nr++) {
			const uint64_t *calls = m ? config->calls_32 : config->calls;
			struct sysrow *row = &rows->calls[m * SYSROW_CALLS + nr];
			uint32_t machine = sysprograms_machine(m);
			const struct syscopy *copies;
			size_t n = 0;

			if (calls && !(calls[nr / 64] >> nr % 64 & 1))
				continue;
			copies = syscopies_find(machine, nr, &n);
			row->flags = SYSROW_TRACED;
			fill_row(rows, &n_used, row, copies, n, config->string_max);
			if (config->files)
				sysfiles_set_row(machine, nr, row);
			if (sysprograms_never_returns(machine, nr))
				row->flags |= SYSROW_HAS_ENTRY | SYSROW_NO_RETURN;
		}
	return bpf_write_row(&p->rows, &key, rows) < 0
		       ? errmsg_set_errno(err, -EIO, "cannot write the table of system calls")
		       : 0;
}

/*
 * --- tables ------------------------------------------------------------------------------------
 */

static int open_cgroup(struct sysprograms *p, struct errmsg *err)
{
	uint32_t key = 0, value;
	int fd = open(p->config.cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

	if (fd < 0)
		return errmsg_set_errno(err, -errno, "cannot open the cgroup %s", p->config.cgroup);
	value = (uint32_t)fd;
	p->cgroups = (struct bpf_table){BPF_MAP_TYPE_CGROUP_ARRAY, 4, 4, 1, -1, 0};
	r = bpf_make_table(&p->cgroups, err);
	if (r >= 0 && bpf_write_row(&p->cgroups, &key, &value) < 0)
		r = errmsg_set(err, -EINVAL, "%s is not a cgroup of version 2 (/sys/fs/cgroup/…)",
			       p->config.cgroup);
	close(fd);
	return r;
}

static int open_cpus(struct sysprograms *p, struct errmsg *err)
{
	SCOPED(scope_free) uint8_t *bytes = calloc(1, SYSPROGRAMS_CPUS_MAX);
	uint32_t key = 0;

	p->cpus = (struct bpf_table){BPF_MAP_TYPE_ARRAY, 4, SYSPROGRAMS_CPUS_MAX, 1, -1, 0};
	if (!bytes)
		return errmsg_set_errno(err, -ENOMEM, "cannot choose CPUs");
	for (unsigned i = 0; i < SYSPROGRAMS_CPUS_MAX; i++)
		bytes[i] = p->config.cpus[i / 64] >> i % 64 & 1;
	TRY(bpf_make_table(&p->cpus, err));
	return bpf_write_row(&p->cpus, &key, bytes) < 0
		       ? errmsg_set_errno(err, -EIO, "cannot choose CPUs")
		       : 0;
}

/* Pids are below this. It can be raised later: then some tasks are not traced, and counted. */
static uint32_t read_pid_max(void)
{
	SCOPED(fclose_scoped) FILE *f = fopen("/proc/sys/kernel/pid_max", "re");
	unsigned n = 0;

	if (!f || fscanf(f, "%u", &n) != 1 || n < PIDS_MIN)
		n = PIDS_MIN;
	return n < PIDS_MAX ? (n + 4) / 4 * 4 : PIDS_MAX;
}

static int open_slots(struct sysprograms *p, struct errmsg *err)
{
	void *map;

	TRY(bpf_make_table(&p->slots, err));
	map = mmap(NULL, sizeof(struct sysslots), PROT_READ, MAP_SHARED, p->slots.fd, 0);
	if (map == MAP_FAILED)
		return errmsg_set_errno(err, -errno, "cannot read the table of system calls");
	p->open_calls = map;
	return 0;
}

static int open_tables(struct sysprograms *p, struct errmsg *err)
{
	p->ring = (struct bpf_table){BPF_MAP_TYPE_RINGBUF, 0, 0, p->config.ring_bytes, -1, 0};
	p->slots = (struct bpf_table){BPF_MAP_TYPE_ARRAY, 4, sizeof(struct sysslots), 1, -1,
				      BPF_F_MMAPABLE};
	p->n_pids = read_pid_max();
	p->numbers = (struct bpf_table){BPF_MAP_TYPE_ARRAY, 4, p->n_pids * 2, 1, -1, 0};
	p->given_back = (struct bpf_table){BPF_MAP_TYPE_QUEUE, 0, 4, SYSSLOTS, -1, 0};
	p->rows = (struct bpf_table){BPF_MAP_TYPE_ARRAY, 4, sizeof(struct sysrows), 1, -1, 0};
	p->scratch = (struct bpf_table){
		BPF_MAP_TYPE_PERCPU_ARRAY, 4, sizeof(struct sysscratch), 1, -1, 0};
	TRY(bpf_make_table(&p->ring, err));
	TRY(open_slots(p, err));
	TRY(bpf_make_table(&p->numbers, err));
	TRY(bpf_make_table(&p->given_back, err));
	TRY(bpf_make_table(&p->rows, err));
	TRY(bpf_make_table(&p->scratch, err));
	if (p->config.cgroup)
		TRY(open_cgroup(p, err));
	if (p->config.cpus)
		TRY(open_cpus(p, err));
	return fill_rows(p, err);
}

/*
 * --- the kernel --------------------------------------------------------------------------------
 */

static bool find_offset(struct type t, const char *name, int *ret_offset, struct type *ret_type)
{
	struct type_member m;

	if (type_find_member(t, name, strlen(name), &m) < 0 || m.n_bits || m.bit_offset % 8 ||
	    m.bit_offset / 8 > INT16_MAX)
		return false;
	*ret_offset += (int)(m.bit_offset / 8);
	*ret_type = m.type;
	return true;
}

/* Where a new program's name and arguments are. */
static void find_exec(const struct types *world, struct type task, struct syskernel *k)
{
	struct type mm, bprm, t;
	int at = 0;

	if (world->ops->find(world, TYPE_STRUCT, "mm_struct", 9, &mm) >= 0 &&
	    world->ops->find(world, TYPE_STRUCT, "linux_binprm", 12, &bprm) >= 0 &&
	    find_offset(mm, "arg_start", &k->exec.arg_start, &t) &&
	    find_offset(mm, "arg_end", &k->exec.arg_end, &t) &&
	    find_offset(bprm, "filename", &k->exec.filename, &t) &&
	    find_offset(bprm, "interp", &k->exec.interp, &t) && find_offset(task, "mm", &at, &t))
		k->exec.mm = at;
}

static bool find_kernel(struct btf **btf, struct syskernel *k)
{
	const struct types *world;
	struct type task, t;

	*k = (struct syskernel){.status = -1};
	if (!bpftask_find(btf, &k->task))
		return false;
	world = btf_types(*btf);
	if (world->ops->find(world, TYPE_STRUCT, "task_struct", 11, &task) < 0 ||
	    !find_offset(task, "exit_code", &k->exit_code, &t))
		return false;
	find_exec(world, task, k);
	sysfiles_find(world, &k->files);
#if defined(__x86_64__)
	k->status = 0;
	if (!find_offset(task, "thread_info", &k->status, &t) ||
	    !find_offset(t, "status", &k->status, &t))
		k->status = -1;
#endif
	for (int i = 0; i < SYSPROGRAMS_HOOKS; i++) {
		k->hooks[i] = bpftracepoint_find(btf, hooks[i].tracepoint);
		if (!k->hooks[i] && i < SYSCODE_SENT)
			return false;
	}
	return true;
}

static int follow(struct sysprograms *p, const struct syskernel *k, struct errmsg *err)
{
	struct bpfsource parent = {
		.kind = BPFSOURCE_CONTEXT, .start = 0, .n_start = 8, .n_bytes = 4};
	struct bpfsource child;

	if (p->config.all_tasks)
		return 0;
	TRY(bpftasks_open(&p->tasks, BPFTASKS_MANY, err));
	if (p->config.no_children)
		return 0;
	bpfsource_add_step(&parent, k->task.pid, BPFMEMORY_KERNEL);
	child = parent;
	child.start = 8;
	/* sched_process_fork(parent, child), sched_process_free(task) */
	return bpftasks_follow(&p->tasks, &parent, &child, &parent, err);
}

/*
 * Whether the receiver of a signal is in the cgroup, or on the CPU, is not known when it is sent.
 */
static bool wants(const struct sysprograms *p, const struct syskernel *k, int hook)
{
	if (hook == SYSCODE_SIGNAL)
		return !p->config.no_signals;
	if (hook == SYSCODE_SENT)
		return !p->config.no_signals && k->hooks[hook] && !p->config.cgroup &&
		       !p->config.cpus;
	if (hook == SYSCODE_EXECED)
		return k->hooks[hook] && k->exec.mm;
	return true;
}

static int load(struct sysprograms *p, const struct syskernel *k, struct errmsg *err)
{
	SCOPED(scope_free) struct bpfcode *c = malloc(sizeof(*c));
	struct errmsg ignored = {0};

	if (!c)
		return errmsg_set_errno(err, -ENOMEM, "cannot trace system calls");
	for (int i = 0; i < SYSPROGRAMS_HOOKS; i++) {
		if (!wants(p, k, i))
			continue;
		bpfcode_init(c);
		syscode_emit(c, p, k, i);
		if (bpfcode_finish(c) < 0)
			return errmsg_set(err, -E2BIG, "the BPF program is too long");
		/* without these only signals that are not delivered, and some names, are missing */
		p->programs[i] = bpf_load_for_function(BPF_TRACE_RAW_TP, k->hooks[i], c,
						       i >= SYSCODE_SENT ? &ignored : err);
		if (i < SYSCODE_SENT)
			TRY(p->programs[i]);
	}
	return 0;
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

static int open_all(struct sysprograms *p, struct errmsg *err)
{
	struct btf *btf = NULL;
	struct syskernel k;
	bool known;

	TRY(open_tables(p, err));
	known = find_kernel(&btf, &k);
	btf_close(btf);
	if (!known)
		return errmsg_set(err, -ENOTSUP,
				  "the kernel has no type information (BTF) about its tasks, which "
				  "tracing system calls needs");
	TRY(follow(p, &k, err));
	return load(p, &k, err);
}

int sysprograms_open(struct sysprograms *p, const struct sysprograms_config *config,
		     struct errmsg *err)
{
	int r;

	*p = (struct sysprograms){.config = *config, .is_open = true};
	p->numbers.fd = p->given_back.fd = -1;
	p->ring.fd = p->slots.fd = p->rows.fd = p->scratch.fd = p->cgroups.fd = p->cpus.fd = -1;
	for (int i = 0; i < SYSPROGRAMS_HOOKS; i++)
		p->programs[i] = p->links[i] = -1;
	r = open_all(p, err);
	if (r < 0)
		sysprograms_close(p);
	return r < 0 ? r : 0;
}

int sysprograms_add_task(struct sysprograms *p, int pid, struct errmsg *err)
{
	TRY(bpftasks_add(&p->tasks, pid, err));
	return p->config.no_children ? 0 : bpftasks_add_threads(&p->tasks, pid, err);
}

int sysprograms_start(struct sysprograms *p, struct errmsg *err)
{
	/* exits first: the exit of a call whose entry is seen is seen, too */
	for (int i = SYSPROGRAMS_HOOKS - 1; i >= 0; i--) {
		if (p->programs[i] < 0)
			continue;
		p->links[i] = bpf_attach_raw(p->programs[i], NULL, err);
		TRY(p->links[i]);
	}
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void sysprograms_stop(struct sysprograms *p)
{
	for (int i = 0; p->is_open && i < SYSPROGRAMS_HOOKS; i++)
		close_fd(&p->links[i]);
}

static int add_counts(void *ctx, const uint8_t *key, const uint64_t *values, unsigned n_values)
{
	struct sysprograms_counts *counts = ctx;
	const size_t words = (sizeof(struct sysscratch) + 7) / 8;

	(void)key;
	for (unsigned i = 0; i < n_values; i++) {
		const struct sysscratch *s = (const struct sysscratch *)(values + i * words);

		counts->n_lost += s->n_lost;
		counts->n_faults += s->n_faults;
		counts->n_no_slot += s->n_no_slot;
	}
	return 0;
}

int sysprograms_count(const struct sysprograms *p, struct sysprograms_counts *ret_counts,
		      struct errmsg *err)
{
	struct sysprograms_counts counts = {0};
	int r = bpf_each_row(&p->scratch, add_counts, &counts, err);

	if (r >= 0)
		*ret_counts = counts;
	return r;
}

void sysprograms_close(struct sysprograms *p)
{
	struct bpf_table *tables[] = {&p->ring, &p->slots,   &p->numbers, &p->given_back,
				      &p->rows, &p->scratch, &p->cgroups, &p->cpus};

	if (!p->is_open)
		return;
	sysprograms_stop(p);
	for (int i = 0; i < SYSPROGRAMS_HOOKS; i++)
		close_fd(&p->programs[i]);
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		close_fd(&tables[i]->fd);
	if (p->open_calls)
		munmap((void *)p->open_calls, sizeof(struct sysslots));
	bpftasks_close(&p->tasks);
	p->is_open = false;
}
