// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bpf.c - assembles bytecode and makes the bpf(2) calls.
 *
 *	instruction, 8 bytes:   opcode | dst, src | offset (16 bits) | number (32 bits)
 *	a 64-bit number         takes two; the address of a table is such a number, filled in by the
 *	                        kernel
 *	a jump                  counts instructions from the next one
 *
 * A program is attached to an event of the tracing directory through a perf event that is never
 * read. One perf event on one CPU is enough, since the kernel keeps the programs with the event and
 * runs them on every CPU. It returns 0, so perf writes nothing.
 *
 * A table of the kind PERCPU_HASH has a value for each CPU in every row. They are read in batches
 * (5.6), else row by row.
 */
#include "capture/bpf/bpf.h"

#include "capture/bpf/functypes.h"

#include "base/errmsg.h"
#include "base/scope.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef CAP_BPF /* headers before 5.8 */
#define CAP_BPF 39
#endif
#define LOG_BYTES  65536
#define BATCH_ROWS 256
#define CPUS_MAX   65536

/*
 * --- instructions ------------------------------------------------------------------------------
 */

void bpfcode_init(struct bpfcode *c)
{
	c->n = c->n_jumps = c->n_labels = c->n_functions = 0;
	c->may_sleep = c->has_types = c->failed = false;
	c->task = NULL;
}

static void put(struct bpfcode *c, int code, int dst, int src, int offset, int32_t number)
{
	if (c->n == BPFCODE_MAX_INSNS || offset < INT16_MIN || offset > INT16_MAX) {
		c->failed = true;
		return;
	}
	c->insns[c->n++] = (struct bpf_insn){.code = (uint8_t)code,
					     .dst_reg = (uint8_t)dst,
					     .src_reg = (uint8_t)src,
					     .off = (int16_t)offset,
					     .imm = number};
}

unsigned bpfcode_label(struct bpfcode *c)
{
	if (c->n_labels == BPFCODE_MAX_LABELS) {
		c->failed = true;
		return 0;
	}
	c->labels[c->n_labels] = -1;
	return (unsigned)c->n_labels++;
}

void bpfcode_place(struct bpfcode *c, unsigned label)
{
	if (label < c->n_labels)
		c->labels[label] = (int32_t)c->n;
}

static void put_jump(struct bpfcode *c, int code, int dst, int src, int32_t number, unsigned label)
{
	if (c->n_jumps == BPFCODE_MAX_JUMPS) {
		c->failed = true;
		return;
	}
	c->jumps[c->n_jumps].at = (uint16_t)c->n;
	c->jumps[c->n_jumps++].label = (uint16_t)label;
	put(c, code, dst, src, 0, number);
}

int bpfcode_finish(struct bpfcode *c)
{
	if (c->failed)
		return -E2BIG;
	for (size_t i = 0; i < c->n_jumps; i++) {
		unsigned at = c->jumps[i].at, label = c->jumps[i].label;

		if (label >= c->n_labels || c->labels[label] < 0 ||
		    c->labels[label] == (int32_t)at || (size_t)c->labels[label] >= c->n)
			return -EINVAL;
		if (c->insns[at].code == (BPF_JMP | BPF_CALL))
			c->insns[at].imm = c->labels[label] - (int32_t)at - 1;
		else
			c->insns[at].off = (int16_t)(c->labels[label] - (int32_t)at - 1);
	}
	return 0;
}

void bpfcode_move(struct bpfcode *c, int dst, int src)
{
	put(c, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

void bpfcode_set(struct bpfcode *c, int dst, int32_t number)
{
	put(c, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, number);
}

static void set_wide(struct bpfcode *c, int dst, int src, uint64_t number)
{
	put(c, BPF_LD | BPF_DW | BPF_IMM, dst, src, 0, (int32_t)(uint32_t)number);
	put(c, 0, 0, 0, 0, (int32_t)(uint32_t)(number >> 32));
}

void bpfcode_set_wide(struct bpfcode *c, int dst, uint64_t number)
{
	set_wide(c, dst, 0, number);
}

void bpfcode_set_map(struct bpfcode *c, int dst, int map_fd)
{
	set_wide(c, dst, BPF_PSEUDO_MAP_FD, (uint32_t)map_fd);
}

void bpfcode_set_row(struct bpfcode *c, int dst, int map_fd)
{
	set_wide(c, dst, BPF_PSEUDO_MAP_VALUE, (uint32_t)map_fd);
}

void bpfcode_alu(struct bpfcode *c, int op, int dst, int src)
{
	put(c, BPF_ALU64 | op | BPF_X, dst, src, 0, 0);
}

void bpfcode_alu_number(struct bpfcode *c, int op, int dst, int32_t number)
{
	put(c, BPF_ALU64 | op | BPF_K, dst, 0, 0, number);
}

void bpfcode_swap(struct bpfcode *c, int dst, unsigned n_bytes)
{
	bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	put(c, BPF_ALU | BPF_END | (is_little ? BPF_TO_BE : BPF_TO_LE), dst, 0, 0,
	    (int32_t)n_bytes * 8);
}

void bpfcode_load(struct bpfcode *c, int size, int dst, int src, int offset)
{
	put(c, BPF_LDX | size | BPF_MEM, dst, src, offset, 0);
}

void bpfcode_store(struct bpfcode *c, int size, int dst, int offset, int src)
{
	put(c, BPF_STX | size | BPF_MEM, dst, src, offset, 0);
}

void bpfcode_store_number(struct bpfcode *c, int size, int dst, int offset, int32_t number)
{
	put(c, BPF_ST | size | BPF_MEM, dst, 0, offset, number);
}

void bpfcode_add_to(struct bpfcode *c, int dst, int offset, int src)
{
	put(c, BPF_STX | BPF_DW | BPF_ATOMIC, dst, src, offset, BPF_ADD);
}

void bpfcode_fetch_add(struct bpfcode *c, int dst, int offset, int src)
{
	put(c, BPF_STX | BPF_DW | BPF_ATOMIC, dst, src, offset, BPF_ADD | BPF_FETCH);
}

void bpfcode_call(struct bpfcode *c, int helper)
{
	put(c, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

void bpfcode_call_label(struct bpfcode *c, unsigned label)
{
	put_jump(c, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, label);
}

void bpfcode_place_function(struct bpfcode *c, unsigned label, unsigned n_args, bool is_alone)
{
	bpfcode_place(c, label);
	if (c->n_functions == BPFCODE_FUNCTIONS) {
		c->failed = true;
		return;
	}
	c->functions[c->n_functions].at = (uint16_t)c->n;
	c->functions[c->n_functions].is_alone = is_alone;
	c->functions[c->n_functions++].n_args = (uint8_t)n_args;
}

void bpfcode_jump(struct bpfcode *c, unsigned label)
{
	put_jump(c, BPF_JMP | BPF_JA, 0, 0, 0, label);
}

void bpfcode_jump_if(struct bpfcode *c, int op, int reg, int32_t number, unsigned label)
{
	put_jump(c, BPF_JMP | op | BPF_K, reg, 0, number, label);
}

void bpfcode_jump_if_reg(struct bpfcode *c, int op, int reg, int other, unsigned label)
{
	put_jump(c, BPF_JMP | op | BPF_X, reg, other, 0, label);
}

void bpfcode_exit(struct bpfcode *c)
{
	put(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/*
 * --- what the kernel can -----------------------------------------------------------------------
 */

static int call(enum bpf_cmd cmd, union bpf_attr *attr, size_t n_bytes)
{
	long r = syscall(SYS_bpf, cmd, attr, n_bytes);

	return r < 0 ? -errno : (int)r;
}

static uint64_t pointer(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static bool is_translated(void)
{
	SCOPED(fclose_scoped) FILE *f = fopen("/proc/sys/net/core/bpf_jit_enable", "re");
	int word = f ? fgetc(f) : '1';

	return word != '0'; /* an interpreted program would cost more than the method it replaces */
}

bool bpf_is_there(void)
{
	struct bpf_table t = {BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t), sizeof(uint64_t), 1};
	struct errmsg ignored = {0};

	if (!is_translated() || bpf_make_table(&t, &ignored) < 0)
		return false;
	close(t.fd);
	return true;
}

static unsigned release(void)
{
	unsigned major = 0, minor = 0;
	struct utsname u;

	if (uname(&u) || sscanf(u.release, "%u.%u", &major, &minor) != 2)
		return 0;
	return major << 8 | (minor & 0xff);
}

int bpf_reading_needs_power(void)
{
	if (release() >= (5 << 8 | 19))
		return -1;
	return release() >= (5 << 8 | 8) ? CAP_BPF : CAP_SYS_ADMIN;
}

bool bpf_runs_alone(enum bpf_prog_type type)
{
	/* the hooks of perf have always prevented recursion, the others since 6.1 */
	return type == BPF_PROG_TYPE_KPROBE || type == BPF_PROG_TYPE_TRACEPOINT ||
	       release() >= (6 << 8 | 1);
}

unsigned bpf_n_cpus(void)
{
	SCOPED(fclose_scoped) FILE *f = fopen("/sys/devices/system/cpu/possible", "re");
	unsigned n = 0, first, last;
	int more = ',';

	while (f && more == ',' && fscanf(f, "%u", &first) == 1) {
		last = first;
		more = fgetc(f);
		if (more == '-') {
			if (fscanf(f, "%u", &last) != 1)
				break;
			more = fgetc(f);
		}
		n += last >= first && last < CPUS_MAX ? last - first + 1 : 0;
	}
	return n ? n : (unsigned)sysconf(_SC_NPROCESSORS_CONF);
}

/*
 * --- tables and programs -----------------------------------------------------------------------
 */

/*
 * Raises the limit of locked memory: before 5.11 tables count as locked memory, whose limit is low.
 */
static void allow_memory(struct rlimit *old)
{
	struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};

	if (!getrlimit(RLIMIT_MEMLOCK, old))
		setrlimit(RLIMIT_MEMLOCK, &all);
}

int bpf_make_table(struct bpf_table *t, struct errmsg *err)
{
	union bpf_attr attr;
	struct rlimit old = {0, 0};
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = t->type;
	attr.key_size = t->n_key_bytes;
	attr.value_size = t->n_value_bytes;
	attr.max_entries = t->n_rows;
	attr.map_flags = t->flags;
	snprintf(attr.map_name, sizeof(attr.map_name), "sonde");
	fd = call(BPF_MAP_CREATE, &attr, sizeof(attr));
	if (fd == -EPERM) {
		allow_memory(&old);
		fd = call(BPF_MAP_CREATE, &attr, sizeof(attr));
		setrlimit(RLIMIT_MEMLOCK, &old);
	}
	t->fd = fd;
	return fd < 0 ? errmsg_set_errno(err, fd, "the kernel refuses to create a BPF table") : 0;
}

struct program {
	enum bpf_prog_type type;
	enum bpf_attach_type where; /* for BPF_PROG_TYPE_TRACING */
	uint32_t function;
};

/* The types of the functions, for the verifier. */
static int load_types(const struct bpfcode *c)
{
	uint8_t types[FUNCTYPES_MAX_BYTES];
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.btf = pointer(types);
	attr.btf_size = (uint32_t)functypes_fmt(c, types);
	return call(BPF_BTF_LOAD, &attr, sizeof(attr));
}

static int try_load(const struct program *p, const struct bpfcode *c, int btf_fd, char *log)
{
	struct bpf_func_info functions[BPFCODE_FUNCTIONS + 1];
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	if (btf_fd >= 0) {
		attr.prog_btf_fd = (uint32_t)btf_fd;
		attr.func_info_rec_size = sizeof(*functions);
		attr.func_info = pointer(functions);
		attr.func_info_cnt = functypes_list(c, functions);
	}
	attr.prog_type = p->type;
	if (p->function) {
		attr.expected_attach_type = p->where;
		attr.attach_btf_id = p->function;
	}
	attr.prog_flags = c->may_sleep ? BPF_F_SLEEPABLE : 0;
	attr.insns = pointer(c->insns);
	attr.insn_cnt = (uint32_t)c->n;
	attr.license = pointer("GPL");
	if (log) {
		attr.log_level = 1;
		attr.log_size = LOG_BYTES;
		attr.log_buf = pointer(log);
	}
	snprintf(attr.prog_name, sizeof(attr.prog_name), "sonde");
	return call(BPF_PROG_LOAD, &attr, sizeof(attr));
}

/*
 * Returns the last lines of the verifier's log, without the statistics: "R1 invalid mem access
 * 'inv'".
 */
static const char *last_words(char *log)
{
	char *end = strstr(log, "processed "), *p;

	if (end)
		*end = 0;
	for (p = log + strlen(log); p > log && p[-1] == '\n';)
		*--p = 0;
	p = strrchr(log, '\n');
	return p ? p + 1 : log;
}

static int load(const struct program *p, const struct bpfcode *c, struct errmsg *err)
{
	int btf_fd = c->n_functions ? load_types(c) : -1;
	int fd = try_load(p, c, btf_fd, NULL), again;
	SCOPED(scope_free) char *log = fd < 0 && fd != -EPERM ? calloc(1, LOG_BYTES) : NULL;

	if (log) {
		again = try_load(p, c, btf_fd, log);
		fd = again >= 0 ? again : fd;
		log[LOG_BYTES - 1] = 0;
	}
	if (btf_fd >= 0)
		close(btf_fd);
	if (fd < 0)
		errmsg_set(err, fd, "the kernel refuses the BPF program: %s%s%.200s", strerror(-fd),
			   log && *log ? ": " : "", log ? last_words(log) : "");
	return fd;
}

int bpf_load(enum bpf_prog_type type, const struct bpfcode *c, struct errmsg *err)
{
	return load(&(struct program){.type = type}, c, err);
}

int bpf_load_for_function(enum bpf_attach_type where, uint32_t function, const struct bpfcode *c,
			  struct errmsg *err)
{
	return load(&(struct program){BPF_PROG_TYPE_TRACING, where, function}, c, err);
}

/*
 * --- attaching ---------------------------------------------------------------------------------
 */

int bpf_attach_event(int prog_fd, long long id, struct errmsg *err)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
				       .size = sizeof(attr),
				       .config = (uint64_t)id,
				       .sample_period = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == ENODEV) { /* CPU 0 is offline */
		for (int cpu = 1; fd < 0 && cpu < (int)bpf_n_cpus(); cpu++)
			fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
					  PERF_FLAG_FD_CLOEXEC);
	}
	if (fd < 0)
		return errmsg_set_errno(err, -errno, "perf cannot open the event");
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd) < 0) {
		int r = -errno;

		close(fd);
		return errmsg_set_errno(err, r, "the event does not accept a BPF program");
	}
	return fd;
}

int bpf_attach_raw(int prog_fd, const char *tracepoint, struct errmsg *err)
{
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.name = pointer(tracepoint);
	attr.raw_tracepoint.prog_fd = (uint32_t)prog_fd;
	fd = call(BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));
	return fd < 0 ? errmsg_set_errno(err, fd, "%s does not accept a BPF program",
					 tracepoint ? tracepoint : "the function")
		      : fd;
}

/*
 * --- reading -----------------------------------------------------------------------------------
 */

struct reading {
	const struct bpf_table *t;
	unsigned n_values; /* number of values in a row */
	uint8_t *keys;
	uint64_t *values; /* values of n_batch rows */
	uint32_t n_batch;
	int (*visit)(void *ctx, const uint8_t *key, const uint64_t *values, unsigned n_values);
	void *ctx;
};

static bool is_per_cpu(const struct bpf_table *t)
{
	return t->type == BPF_MAP_TYPE_PERCPU_HASH || t->type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

static size_t words_of_row(const struct reading *rd)
{
	return rd->t->n_value_bytes / sizeof(uint64_t) * rd->n_values;
}

/* Returns 1, or 0 if this kernel has no batch operations. */
static int read_batches(const struct reading *rd)
{
	uint32_t at = 0, next = 0;
	bool begun = false;

	for (;;) {
		union bpf_attr attr;
		int end;

		memset(&attr, 0, sizeof(attr));
		attr.batch.in_batch = begun ? pointer(&at) : 0;
		attr.batch.out_batch = pointer(&next);
		attr.batch.keys = pointer(rd->keys);
		attr.batch.values = pointer(rd->values);
		attr.batch.count = rd->n_batch;
		attr.batch.map_fd = (uint32_t)rd->t->fd;
		end = call(BPF_MAP_LOOKUP_BATCH, &attr, sizeof(attr));
		if (end < 0 && end != -ENOENT)
			return begun ? end : 0;
		begun = true;
		for (uint32_t i = 0; i < attr.batch.count && i < rd->n_batch; i++)
			TRY(rd->visit(rd->ctx, rd->keys + (size_t)i * rd->t->n_key_bytes,
				      rd->values + i * words_of_row(rd), rd->n_values));
		if (end < 0)
			return 1;
		at = next;
	}
}

static int read_one_by_one(const struct reading *rd)
{
	uint8_t *key = rd->keys, *next = rd->keys + rd->t->n_key_bytes;
	int r = 0;

	for (uint32_t i = 0; i < rd->t->n_rows; i++) {
		union bpf_attr attr;

		memset(&attr, 0, sizeof(attr));
		attr.map_fd = (uint32_t)rd->t->fd;
		attr.key = i ? pointer(key) : 0;
		attr.next_key = pointer(next);
		r = call(BPF_MAP_GET_NEXT_KEY, &attr, sizeof(attr));
		if (r < 0)
			return r == -ENOENT ? 0 : r;
		memcpy(key, next, rd->t->n_key_bytes);
		attr.key = pointer(key);
		attr.value = pointer(rd->values);
		TRY(call(BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr)));
		TRY(rd->visit(rd->ctx, key, rd->values, rd->n_values));
	}
	return 0;
}

int bpf_each_row(const struct bpf_table *t,
		 int (*visit)(void *ctx, const uint8_t *key, const uint64_t *values,
			      unsigned n_values),
		 void *ctx, struct errmsg *err)
{
	struct reading rd = {.t = t,
			     .n_values = is_per_cpu(t) ? bpf_n_cpus() : 1,
			     .n_batch = t->n_rows < BATCH_ROWS ? t->n_rows : BATCH_ROWS,
			     .visit = visit,
			     .ctx = ctx};
	int r = -ENOMEM;

	rd.keys = calloc(rd.n_batch + 1, t->n_key_bytes);
	rd.values = calloc(rd.n_batch * words_of_row(&rd), sizeof(*rd.values));
	if (rd.keys && rd.values)
		r = read_batches(&rd);
	if (r == 0)
		r = read_one_by_one(&rd);
	free(rd.keys);
	free(rd.values);
	return r < 0 ? errmsg_set_errno(err, r, "cannot read the counts of the BPF program") : 0;
}

int bpf_show_sum(void *ctx, const uint8_t *key, const uint64_t *values, unsigned n_values)
{
	const struct bpf_summing *s = ctx;
	uint64_t sum = 0;

	for (unsigned i = 0; i < n_values; i++)
		sum += values[i];
	return sum ? s->visit(s->ctx, key, sum) : 0;
}

int bpf_each_number(const struct bpf_table *t,
		    int (*visit)(void *ctx, const uint8_t *key, uint64_t n), void *ctx,
		    struct errmsg *err)
{
	struct bpf_summing s = {visit, ctx};

	return bpf_each_row(t, bpf_show_sum, &s, err);
}

/*
 * --- writing -----------------------------------------------------------------------------------
 */

int bpf_write_row(const struct bpf_table *t, const void *key, const void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)t->fd;
	attr.key = pointer(key);
	attr.value = pointer(value);
	return call(BPF_MAP_UPDATE_ELEM, &attr, sizeof(attr));
}

int bpf_make_gate(struct bpf_table *t, struct errmsg *err)
{
	*t = (struct bpf_table){BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), sizeof(uint64_t), 1, -1, 0};
	return bpf_make_table(t, err);
}

void bpf_set_gate(const struct bpf_table *t, bool is_open)
{
	uint64_t value = is_open;
	uint32_t row = 0;

	if (t->fd >= 0)
		bpf_write_row(t, &row, &value);
}

uint64_t bpf_n_missed(int prog_fd)
{
	struct bpf_prog_info info = {0};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)prog_fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = pointer(&info);
	return call(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) < 0 ? 0 : info.recursion_misses;
}
