// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * processes.c - processes and threads: clone, prctl, capabilities, futexes, seccomp, ptrace.
 *
 * A call with a command has as many arguments as the command takes. The printer of the first one
 * shows the others, too (p->last).
 */
#include "decode/syscalls/text_int.h"

#include "base/array.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"

#include <inttypes.h>

SYSXLAT_DECLARE(clone_flags);
SYSXLAT_DECLARE(clone3_flags);

#define CLONE_PIDFD_FLAG	  0x00001000u
#define CLONE_SETTLS_FLAG	  0x00080000u
#define CLONE_PARENT_SETTID_FLAG  0x00100000u
#define CLONE_CHILD_CLEARTID_FLAG 0x00200000u
#define CLONE_CHILD_SETTID_FLAG	  0x01000000u
#define CLONE_INTO_CGROUP_FLAG	  0x200000000ull

/* The flags contain the signal of the child's death in their lowest byte. */
static void fmt_clone_flags(struct printing *p, uint64_t v)
{
	unsigned sig = v & 0xff;
	uint64_t flags = v & ~(uint64_t)0xff;

	if (flags || !sig)
		fmt_flags(p, SYSXLAT(clone_flags), flags);
	if (sig) {
		if (flags)
			add(p, "|");
		fmt_signal(p, (int)sig);
	}
}

/* The id that the call wrote to an address, [1234]. */
static void fmt_written_id(struct printing *p, uint64_t v)
{
	uint32_t id;

	p->when = SYSCALLEVENTS_AT_EXIT;
	if (v && wrote(p) && peek_u32(p, v, &id))
		textbuf_addf(p->tb, "[%d]", (int)id);
	else
		fmt_addr(p, v);
}

void sysfmt_cloneargs(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t flags = (uint32_t)v, tls = arg_of(p, p->aarch64 ? 3 : 4);

	add(p, "child_stack=");
	fmt_addr(p, arg_of(p, 1));
	add(p, ", flags=");
	fmt_clone_flags(p, flags);
	if (flags & (CLONE_PARENT_SETTID_FLAG | CLONE_PIDFD_FLAG | CLONE_CHILD_SETTID_FLAG |
		     CLONE_CHILD_CLEARTID_FLAG | CLONE_SETTLS_FLAG)) {
		if (flags & (CLONE_PARENT_SETTID_FLAG | CLONE_PIDFD_FLAG)) {
			add(p, flags & CLONE_PIDFD_FLAG && !(flags & CLONE_PARENT_SETTID_FLAG)
				       ? ", pidfd="
				       : ", parent_tid=");
			entry_ends(p);
			fmt_written_id(p, arg_of(p, 2));
		}
		if (flags & CLONE_SETTLS_FLAG) {
			add(p, ", tls=");
			fmt_addr(p, tls);
		}
		if (flags & (CLONE_CHILD_SETTID_FLAG | CLONE_CHILD_CLEARTID_FLAG)) {
			add(p, ", child_tidptr=");
			fmt_addr(p, arg_of(p, p->aarch64 ? 4 : 3));
		}
	}
	p->last = true;
}

/* struct clone_args: 64 bytes of u64, later ones more */
enum {
	C3_FLAGS,
	C3_PIDFD,
	C3_CHILD_TID,
	C3_PARENT_TID,
	C3_SIGNAL,
	C3_STACK,
	C3_STACK_SIZE,
	C3_TLS,
	C3_SET_TID,
	C3_SET_TID_SIZE,
	C3_CGROUP
};

void sysfmt_clone3args(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t size = arg_of(p, 1), a[11] = {0};
	const uint8_t *b = v && size >= 64 ? peek(p, v, size < 88 ? 64 : 88) : NULL;

	if (!b) {
		fmt_addr(p, v);
		return;
	}
	memcpy(a, b, size < 88 ? 64 : 88);
	add(p, "{flags=");
	fmt_flags(p, SYSXLAT(clone3_flags), a[C3_FLAGS]);
	if (a[C3_FLAGS] & CLONE_PIDFD_FLAG) {
		add(p, ", pidfd=");
		fmt_addr(p, a[C3_PIDFD]);
	}
	if (a[C3_FLAGS] & (CLONE_CHILD_SETTID_FLAG | CLONE_CHILD_CLEARTID_FLAG)) {
		add(p, ", child_tid=");
		fmt_addr(p, a[C3_CHILD_TID]);
	}
	if (a[C3_FLAGS] & CLONE_PARENT_SETTID_FLAG) {
		add(p, ", parent_tid=");
		fmt_addr(p, a[C3_PARENT_TID]);
	}
	add(p, ", exit_signal=");
	fmt_signal(p, (int)a[C3_SIGNAL]);
	add(p, ", stack=");
	fmt_addr(p, a[C3_STACK]);
	add(p, ", stack_size=");
	fmt_hex(p, a[C3_STACK_SIZE]);
	if (a[C3_FLAGS] & CLONE_SETTLS_FLAG) {
		add(p, ", tls=");
		fmt_addr(p, a[C3_TLS]);
	}
	if (a[C3_SET_TID] || a[C3_SET_TID_SIZE]) {
		add(p, ", set_tid=");
		fmt_addr(p, a[C3_SET_TID]);
		textbuf_addf(p->tb, ", set_tid_size=%" PRIu64, a[C3_SET_TID_SIZE]);
	}
	if (a[C3_FLAGS] & CLONE_INTO_CGROUP_FLAG)
		textbuf_addf(p->tb, ", cgroup=%" PRIu64, a[C3_CGROUP]);
	add(p, "}");
	/* what the call wrote: => {parent_tid=[1234]} */
	if (wrote(p) && a[C3_FLAGS] & CLONE_PARENT_SETTID_FLAG && a[C3_PARENT_TID]) {
		entry_ends(p);
		textbuf_addf(p->tb, " => {parent_tid=[%" PRId64 "]}", p->call->ret);
	}
}

SYSXLAT_DECLARE(prctl_options);
SYSXLAT_DECLARE(dumpable);
SYSXLAT_DECLARE(seccomp_modes);
SYSXLAT_DECLARE(capabilities);
SYSXLAT_DECLARE(cap_ambient);
SYSXLAT_DECLARE(securebits);
SYSXLAT_DECLARE(prctl_mm);
SYSXLAT_DECLARE(prctl_vma);
SYSXLAT_DECLARE(spec_ctrl);
SYSXLAT_DECLARE(spec_flags);
SYSXLAT_DECLARE(tsc_modes);
SYSXLAT_DECLARE(prctl_mce);
SYSXLAT_DECLARE(prctl_mce_policy);

/* How an argument of prctl is shown. */
enum shape {
	NOTHING,
	HEX,
	DECIMAL,
	SIGNAL,
	NAMES,
	BITS,
	TEXT,
	TEXT_OUT,
	COMM,
	INT_OUT,
	ADDR_OUT,
	ADDRESS
};

static const struct prctl_row {
	uint32_t option;
	struct {
		enum shape shape;
		const struct sysxlat *names;
	} args[4]; /* of arguments 1 to 4 */
	const struct sysxlat *result;
} prctls[] = {
	{1, {{SIGNAL, NULL}}, NULL},
	{2, {{INT_OUT, NULL}}, NULL},
	{3, {{NOTHING, NULL}}, SYSXLAT(dumpable)},
	{4, {{NAMES, SYSXLAT(dumpable)}}, NULL},
	{7, {{NOTHING, NULL}}, NULL},
	{8, {{DECIMAL, NULL}}, NULL},
	{15, {{COMM, NULL}}, NULL},
	{16, {{TEXT_OUT, NULL}}, NULL},
	{21, {{NOTHING, NULL}}, NULL},
	{22, {{NAMES, SYSXLAT(seccomp_modes)}}, NULL},
	{23, {{NAMES, SYSXLAT(capabilities)}}, NULL},
	{24, {{NAMES, SYSXLAT(capabilities)}}, NULL},
	{25, {{INT_OUT, SYSXLAT(tsc_modes)}}, NULL},
	{26, {{NAMES, SYSXLAT(tsc_modes)}}, NULL},
	{27, {{NOTHING, NULL}}, SYSXLAT(securebits)},
	{28, {{BITS, SYSXLAT(securebits)}}, NULL},
	{29, {{DECIMAL, NULL}}, NULL},
	{30, {{NOTHING, NULL}}, NULL},
	{31, {{NOTHING, NULL}}, NULL},
	{32, {{NOTHING, NULL}}, NULL},
	{33,
	 {{NAMES, SYSXLAT(prctl_mce)},
	  {NAMES, SYSXLAT(prctl_mce_policy)},
	  {HEX, NULL},
	  {HEX, NULL}},
	 NULL},
	{34, {{HEX, NULL}, {HEX, NULL}, {HEX, NULL}, {HEX, NULL}}, NULL},
	{35, {{NAMES, SYSXLAT(prctl_mm)}, {HEX, NULL}, {HEX, NULL}, {HEX, NULL}}, NULL},
	{36, {{DECIMAL, NULL}}, NULL},
	{37, {{INT_OUT, NULL}}, NULL},
	{38, {{DECIMAL, NULL}, {HEX, NULL}, {HEX, NULL}, {HEX, NULL}}, NULL},
	{39, {{HEX, NULL}, {HEX, NULL}, {HEX, NULL}, {HEX, NULL}}, NULL},
	{40, {{ADDR_OUT, NULL}}, NULL},
	{41, {{DECIMAL, NULL}, {HEX, NULL}, {HEX, NULL}, {HEX, NULL}}, NULL},
	{42, {{HEX, NULL}, {HEX, NULL}, {HEX, NULL}, {HEX, NULL}}, NULL},
	{47,
	 {{NAMES, SYSXLAT(cap_ambient)}, {NAMES, SYSXLAT(capabilities)}, {HEX, NULL}, {HEX, NULL}},
	 NULL},
	{52, {{NAMES, SYSXLAT(spec_ctrl)}}, SYSXLAT(spec_flags)},
	{53, {{NAMES, SYSXLAT(spec_ctrl)}, {BITS, SYSXLAT(spec_flags)}}, NULL},
	{57, {{DECIMAL, NULL}, {HEX, NULL}, {HEX, NULL}, {HEX, NULL}}, NULL},
	{58, {{HEX, NULL}, {HEX, NULL}, {HEX, NULL}, {HEX, NULL}}, NULL},
	{0x53564d41,
	 {{NAMES, SYSXLAT(prctl_vma)}, {ADDRESS, NULL}, {DECIMAL, NULL}, {TEXT, NULL}},
	 NULL},
	{0x59616d61, {{DECIMAL, NULL}}, NULL},
};

static const struct prctl_row other = {
	0, {{HEX, NULL}, {HEX, NULL}, {HEX, NULL}, {HEX, NULL}}, NULL};

static void fmt_out_int(struct printing *p, const struct sysxlat *names, uint64_t v)
{
	uint32_t n;

	entry_ends(p);
	p->when = SYSCALLEVENTS_AT_EXIT;
	if (!wrote(p) || !peek_u32(p, v, &n)) {
		fmt_addr(p, v);
		return;
	}
	add(p, "[");
	if (names)
		fmt_enum(p, names, n);
	else if (p->call->args[0] == 2)
		fmt_signal(p, (int)n);
	else
		textbuf_add_signed(p->tb, (int)n);
	add(p, "]");
}

/* The name of a thread has at most 15 characters. */
static void fmt_comm(struct printing *p, uint64_t v)
{
	struct syscalltext_options shorter = *p->o;
	const struct syscalltext_options *o = p->o;

	if (shorter.string_limit > 15)
		shorter.string_limit = 15;
	p->o = &shorter;
	fmt_string(p, v, true);
	p->o = o;
}

static void fmt_shape(struct printing *p, enum shape shape, const struct sysxlat *names, uint64_t v)
{
	uint64_t n;

	switch (shape) {
	case NOTHING:
		break;
	case HEX:
		fmt_hex(p, v);
		break;
	case DECIMAL:
		textbuf_add_dec(p->tb, v);
		break;
	case SIGNAL:
		fmt_signal(p, (int)v);
		break;
	case NAMES:
		fmt_enum(p, names, v);
		break;
	case BITS:
		fmt_flags(p, names, v);
		break;
	case TEXT:
		fmt_string(p, v, true);
		break;
	case COMM:
		fmt_comm(p, v);
		break;
	case TEXT_OUT:
		entry_ends(p);
		p->when = SYSCALLEVENTS_AT_EXIT;
		if (wrote(p))
			fmt_string(p, v, true);
		else
			fmt_addr(p, v);
		break;
	case INT_OUT:
		fmt_out_int(p, names, v);
		break;
	case ADDR_OUT:
		entry_ends(p);
		p->when = SYSCALLEVENTS_AT_EXIT;
		if (!wrote(p) || !peek_u64(p, v, &n)) {
			fmt_addr(p, v);
			break;
		}
		add(p, "[");
		fmt_addr(p, n);
		add(p, "]");
		break;
	case ADDRESS:
		fmt_addr(p, v);
		break;
	}
}

static void note_flags(struct printing *p, const struct sysxlat *x, bool flags)
{
	size_t start = textbuf_len(p->tb);

	if (!wrote(p))
		return;
	if (flags)
		fmt_flags(p, x, (uint64_t)p->call->ret);
	else
		fmt_enum(p, x, (uint64_t)p->call->ret);
	fmt_note(p, start);
}

void sysfmt_prctlargs(struct printing *p, const struct systype *t, uint64_t v)
{
	const struct prctl_row *row = &other;

	for (size_t i = 0; i < ARRAY_LEN(prctls); i++)
		if (prctls[i].option == (uint32_t)v)
			row = &prctls[i];
	fmt_enum(p, SYSXLAT(prctl_options), (uint32_t)v);
	for (unsigned i = 0; i < 4 && row->args[i].shape; i++) {
		add(p, ", ");
		p->when = SYSCALLEVENTS_AT_ENTRY;
		/* no capability is meant when all are cleared */
		if (row->option == 47 && i == 1 && arg_of(p, 1) == 4)
			fmt_hex(p, arg_of(p, 2));
		else
			fmt_shape(p, row->args[i].shape, row->args[i].names, arg_of(p, i + 1));
	}
	if (row->option == 22 && arg_of(p, 1) == 2) { /* SECCOMP_MODE_FILTER */
		const uint8_t *b = peek(p, arg_of(p, 2), 16);

		add(p, ", ");
		if (b)
			textbuf_addf(p->tb, "{len=%u, filter=%#" PRIx64 "}", load16(b),
				     load64(b + 8));
		else
			fmt_addr(p, arg_of(p, 2));
	}
	if (row->result && (row->option != 27 || p->call->ret)) {
		note_flags(p, row->result, row->option != 3);
		if (row->option != 3)
			p->result = SYSRESULT_hex;
	}
	p->last = true;
}

/* 0x1001 to 0x1004 set and get the segment bases */
void sysfmt_archprctl(struct printing *p, const struct systype *t, uint64_t v)
{
	switch (arg_of(p, 0)) {
	case 0x1003:
	case 0x1004:
		fmt_shape(p, ADDR_OUT, NULL, v);
		break;
	default:
		fmt_hex(p, v);
	}
}

void sysfmt_capmask(struct printing *p, const struct systype *t, uint64_t v)
{
	bool any = false;

	for (unsigned i = 0; i < 32; i++) {
		const char *name;

		if (!(v >> i & 1))
			continue;
		name = xlat_find(p, SYSXLAT(capabilities), i);
		textbuf_addf(p->tb, "%s1<<%s", any ? "|" : "",
			     name ? name
				  : "CAP_?"
				    "??");
		any = true;
	}
	if (!any)
		add(p, "0");
}

SYSXLAT_DECLARE(cap_versions);

void sysfmt_caphdr(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = v ? peek(p, v, 8) : NULL;

	if (!b) {
		fmt_addr(p, v);
		return;
	}
	add(p, "{version=");
	fmt_enum(p, SYSXLAT(cap_versions), load32(b));
	textbuf_addf(p->tb, ", pid=%d}", (int)load32(b + 4));
}

static void fmt_caps(struct printing *p, uint64_t mask)
{
	bool any = false;

	for (unsigned i = 0; i < 64; i++) {
		const char *name;

		if (!(mask >> i & 1))
			continue;
		name = xlat_find(p, SYSXLAT(capabilities), i);
		if (any)
			add(p, "|");
		if (name)
			textbuf_addf(p->tb, "1<<%s", name);
		else
			textbuf_addf(p->tb, "1<<%u", i);
		any = true;
	}
	if (!any)
		add(p, "0");
}

/* Version 3 has two structures: the upper half of each mask is in the second. */
void sysfmt_capdata(struct printing *p, const struct systype *t, uint64_t v)
{
	static const char *const names[] = {"{effective=", ", permitted=", ", inheritable="};
	const uint8_t *b = peek_or_addr(p, v, 24);

	if (!b)
		return;
	for (unsigned i = 0; i < 3; i++) {
		add(p, names[i]);
		fmt_caps(p, load32(b + 4 * i) | (uint64_t)load32(b + 12 + 4 * i) << 32);
	}
	add(p, "}");
}

SYSXLAT_DECLARE(futex_ops);
SYSXLAT_DECLARE(futex_wake_ops);
SYSXLAT_DECLARE(futex_wake_cmps);

#define FUTEX_PRIVATE 128
#define FUTEX_CLOCK   256

static void fmt_futex_op(struct printing *p, uint32_t op)
{
	const char *name = xlat_find(p, SYSXLAT(futex_ops), op & 0x7f);

	if (!name || p->o->constants == SYSCALLTEXT_RAW || op & ~0x1ffu) {
		fmt_enum(p, SYSXLAT(futex_ops), op);
		return;
	}
	add(p, name);
	if (op & FUTEX_PRIVATE)
		add(p, "_PRIVATE");
	if (op & FUTEX_CLOCK)
		add(p, "|FUTEX_CLOCK_REALTIME");
}

/* The operation on the second word, packed into the last argument. */
static void fmt_wake_op(struct printing *p, uint32_t v)
{
	add(p, "");
	if (v >> 28 & 8)
		add(p, "FUTEX_OP_OPARG_SHIFT<<28|");
	fmt_enum(p, SYSXLAT(futex_wake_ops), v >> 28 & 7);
	add(p, "<<28|");
	fmt_hex(p, v >> 12 & 0xfff);
	add(p, "<<12|");
	fmt_enum(p, SYSXLAT(futex_wake_cmps), v >> 24 & 15);
	add(p, "<<24|");
	fmt_hex(p, v & 0xfff);
}

static void fmt_bitset(struct printing *p, uint32_t v)
{
	if (v == UINT32_MAX && p->o->constants != SYSCALLTEXT_RAW)
		add(p, "FUTEX_BITSET_MATCH_ANY");
	else
		fmt_hex(p, v);
}

/*
 * What follows the operation, a letter each: v value, t timeout, n second value, a second address,
 * V third value, b bitset, o operation.
 */
static const char *futex_shape(uint32_t op)
{
	static const char *const shapes[] = {
		"vt", "v", "v", "vna", "vnaV", "vnao", "t", "", "", "vtb", "vb", "vta", "vnaV", "t",
	};

	op &= 0x7f;
	return op < ARRAY_LEN(shapes) ? shapes[op] : "vxyz";
}

void sysfmt_futexargs(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_futex_op(p, (uint32_t)v);
	for (const char *s = futex_shape((uint32_t)v); *s; s++) {
		add(p, ", ");
		switch (*s) {
		case 'v':
			textbuf_add_dec(p->tb, (uint32_t)arg_of(p, 2));
			break;
		case 't':
			fmt_struct_or_addr(p, &struct_timespec, arg_of(p, 3));
			break;
		case 'n':
			textbuf_add_dec(p->tb, (uint32_t)arg_of(p, 3));
			break;
		case 'a':
			fmt_addr(p, arg_of(p, 4));
			break;
		case 'V':
			textbuf_add_dec(p->tb, (uint32_t)arg_of(p, 5));
			break;
		case 'b':
			fmt_bitset(p, (uint32_t)arg_of(p, 5));
			break;
		case 'o':
			fmt_wake_op(p, (uint32_t)arg_of(p, 5));
			break;
		default: /* x y z: arguments of an unknown operation */
			fmt_hex(p, arg_of(p, 3 + (*s - 'x')));
		}
	}
	p->last = true;
}

SYSXLAT_DECLARE(futex_waitv_flags);
static void fmt_waiter(struct printing *p, uint64_t address)
{
	const uint8_t *b = peek(p, address, 24);

	if (!b)
		return;
	add(p, "{val=");
	fmt_hex(p, load64(b));
	add(p, ", uaddr=");
	fmt_addr(p, load64(b + 8));
	add(p, ", flags=");
	fmt_flags(p, SYSXLAT(futex_waitv_flags), load32(b + 16));
	add(p, "}");
}

void sysfmt_waitvs(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_elements(p, v, (uint32_t)arg_of(p, 1), 24, fmt_waiter);
}

SYSXLAT_DECLARE(seccomp_filter_flags);
SYSXLAT_DECLARE(seccomp_actions);

void sysfmt_seccompargs(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t a = arg_of(p, 2);
	const uint8_t *b;

	if (arg_of(p, 0) == 1)
		fmt_flags(p, SYSXLAT(seccomp_filter_flags), (uint32_t)v);
	else
		fmt_hex(p, (uint32_t)v);
	add(p, ", ");
	p->last = true;
	switch (arg_of(p, 0)) {
	case 1:
		b = a ? peek(p, a, 16) : NULL;
		if (!b)
			break;
		textbuf_addf(p->tb, "{len=%u, filter=", load16(b));
		fmt_addr(p, load64(b + 8));
		add(p, "}");
		return;
	case 2:
		b = a ? peek(p, a, 4) : NULL;
		if (!b)
			break;
		add(p, "[");
		fmt_enum(p, SYSXLAT(seccomp_actions), load32(b));
		add(p, "]");
		return;
	case 3:
		entry_ends(p);
		p->when = SYSCALLEVENTS_AT_EXIT;
		b = a && wrote(p) ? peek(p, a, 6) : NULL;
		if (!b)
			break;
		textbuf_addf(p->tb, "{seccomp_notif=%u, seccomp_notif_resp=%u, seccomp_data=%u}",
			     load16(b), load16(b + 2), load16(b + 4));
		return;
	default:
		break;
	}
	fmt_addr(p, a);
}

SYSXLAT_DECLARE(ptrace_options);
SYSXLAT_DECLARE(nt_types);

static void fmt_ptrace_data(struct printing *p, uint32_t command, uint64_t data)
{
	uint64_t n;
	const uint8_t *b;

	switch (command) {
	case 7:	     /* CONT */
	case 9:	     /* SINGLESTEP */
	case 17:     /* DETACH */
	case 24:     /* SYSCALL */
	case 0x4208: /* LISTEN */
		fmt_signal(p, (int)data);
		break;
	case 0x4200: /* SETOPTIONS */
	case 0x4206: /* SEIZE */
		fmt_flags(p, SYSXLAT(ptrace_options), data);
		break;
	case 0x4201: /* GETEVENTMSG */
		p->when = SYSCALLEVENTS_AT_EXIT;
		if (wrote(p) && peek_u64(p, data, &n))
			textbuf_addf(p->tb, "[%" PRIu64 "]", n);
		else
			fmt_addr(p, data);
		break;
	case 0x4202: /* GETSIGINFO */
		p->when = SYSCALLEVENTS_AT_EXIT;
		b = wrote(p) ? peek(p, data, 128) : NULL;
		if (b)
			fmt_siginfo(p, b);
		else
			fmt_addr(p, data);
		break;
	default:
		fmt_addr(p, data);
	}
}

/* pid, address and data, as far as the command has them */
void sysfmt_ptraceargs(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t command = (uint32_t)arg_of(p, 0);

	p->last = true;
	if (!command) { /* TRACEME */
		if (!p->tb->overflow)
			p->tb->pos -= 2; /* the comma */
		return;
	}
	textbuf_add_signed(p->tb, (int)v);
	switch (command) {
	case 8:	     /* KILL */
	case 16:     /* ATTACH */
	case 0x4207: /* INTERRUPT */
		return;
	default:
		break;
	}
	add(p, ", ");
	if (command == 0x4204 || command == 0x4205)
		fmt_enum(p, SYSXLAT(nt_types), arg_of(p, 2));
	else
		fmt_addr(p, arg_of(p, 2));
	add(p, ", ");
	entry_ends(p);
	fmt_ptrace_data(p, command, arg_of(p, 3));
}

void sysfmt_restart(struct printing *p, const struct systype *t, uint64_t v)
{
	add(p, "<... resuming interrupted system call ...>");
}
