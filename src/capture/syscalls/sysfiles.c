// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sysfiles.c - which file a descriptor is, read inside the kernel when a call returns it.
 *
 *	task ─▶ files ─▶ fdt ─▶ fd[n] ─▶ inode: number, kind, device
 *	                          └────▶ socket ─▶ sock: protocol, addresses, state
 *
 * /proc has the same, but only while the descriptor is open: a program that ends soon has closed it
 * before anybody can look. What is found becomes a chunk of the call's record
 * (SYSCALLEVENTS_OF_FILE). Only calls that make a descriptor, or give a socket an address, pay for
 * it.
 *
 * A member that this kernel has not stays 0 in the chunk.
 */
#include "base/array.h"
#include "capture/bpf/bpf.h"
#include "capture/syscalls/syscode_int.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"
#include "symbols/types.h"

#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define AT(field)   ((int)offsetof(struct sysscratch, field))
#define CHUNK	    ((int)sizeof(struct syscallevents_chunk))
#define FILE_BYTES  ((int)sizeof(struct syscallevents_file))
#define IN(field)   ((int)offsetof(struct syscallevents_file, field))
#define SIZE(field) ((int)sizeof(((struct syscallevents_file *)0)->field))
#define FD_MAX	    (1 << 20)

/* Stack of the function, and of the program that calls it. */
enum { KEY = -8, POINTER = -16, FILE_AT = -24, PAIR = -48 };

/* What is followed, and what is read on the way. */
enum place { TASK, FILES, FDTABLE, FILE_OF, INODE, SOCKET, SOCK_OF, UNIX_OF, NETLINK_OF };

static const struct {
	enum place place;
	const char *type, *member;
	int to, bytes; /* in the chunk; 0 bytes: a pointer */
} members[] = {
	[SYSFILES_FILES] = {TASK, "task_struct", "files", 0, 0},
	[SYSFILES_FDT] = {FILES, "files_struct", "fdt", 0, 0},
	[SYSFILES_FD] = {FDTABLE, "fdtable", "fd", 0, 0},
	[SYSFILES_INODE] = {FILE_OF, "file", "f_inode", 0, 0},
	[SYSFILES_PRIVATE] = {FILE_OF, "file", "private_data", 0, 0},
	[SYSFILES_SK] = {SOCKET, "socket", "sk", 0, 0},
	[SYSFILES_SOCKET_FILE] = {SOCKET, "socket", "file", 0, 0},
	[SYSFILES_SK_SOCKET] = {SOCK_OF, "sock", "sk_socket", 0, 0},
	[SYSFILES_PEER] = {UNIX_OF, "unix_sock", "peer", 0, 0},
	[SYSFILES_INO] = {INODE, "inode", "i_ino", IN(inode), SIZE(inode)},
	[SYSFILES_MODE] = {INODE, "inode", "i_mode", IN(mode), SIZE(mode)},
	[SYSFILES_DEVICE] = {INODE, "inode", "i_rdev", IN(device), SIZE(device)},
	[SYSFILES_TYPE] = {SOCKET, "socket", "type", IN(type), SIZE(type)},
	[SYSFILES_PROTOCOL] = {SOCK_OF, "sock", "sk_protocol", IN(protocol), SIZE(protocol)},
	[SYSFILES_FAMILY] = {SOCK_OF, "sock_common", "skc_family", IN(family), SIZE(family)},
	[SYSFILES_STATE] = {SOCK_OF, "sock_common", "skc_state", IN(state), SIZE(state)},
	[SYSFILES_NUM] = {SOCK_OF, "sock_common", "skc_num", IN(local_port), SIZE(local_port)},
	[SYSFILES_DPORT] = {SOCK_OF, "sock_common", "skc_dport", IN(remote_port),
			    SIZE(remote_port)},
	[SYSFILES_LOCAL4] = {SOCK_OF, "sock_common", "skc_rcv_saddr", IN(local4), SIZE(local4)},
	[SYSFILES_REMOTE4] = {SOCK_OF, "sock_common", "skc_daddr", IN(remote4), SIZE(remote4)},
	[SYSFILES_LOCAL6] = {SOCK_OF, "sock_common", "skc_v6_rcv_saddr", IN(local6), SIZE(local6)},
	[SYSFILES_REMOTE6] = {SOCK_OF, "sock_common", "skc_v6_daddr", IN(remote6), SIZE(remote6)},
	[SYSFILES_NETLINK] = {NETLINK_OF, "netlink_sock", "portid", IN(netlink_port),
			      SIZE(netlink_port)},
};

/* Without these there are no files; without others there is less about them. */
static const uint8_t needed[] = {SYSFILES_FILES, SYSFILES_FDT, SYSFILES_FD,
				 SYSFILES_INODE, SYSFILES_INO, SYSFILES_MODE};

static int find_member(const struct types *world, const char *type, const char *member)
{
	struct type_member m;
	struct type t;

	if (world->ops->find(world, TYPE_STRUCT, type, strlen(type), &t) < 0 ||
	    type_find_member(t, member, strlen(member), &m) < 0 || m.n_bits || m.bit_offset % 8 ||
	    m.bit_offset / 8 > INT16_MAX)
		return -1;
	return (int)(m.bit_offset / 8);
}

void sysfiles_find(const struct types *world, struct sysfiles *f)
{
	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		f->offsets[i] = find_member(world, members[i].type, members[i].member);
	f->is_known = !ARRAY_ANY(ARRAY_LEN(needed), i, f->offsets[needed[i]] < 0);
}

/* --- which calls ------------------------------------------------------------------------------ */

static const struct {
	const char *call;
	uint8_t flags;
	uint8_t arg; /* of a pair */
} calls[] = {
	{"accept", SYSROW_FILE_RESULT, 0},   {"accept4", SYSROW_FILE_RESULT, 0},
	{"bind", SYSROW_FILE_ARG, 0},	     {"connect", SYSROW_FILE_ARG, 0},
	{"creat", SYSROW_FILE_RESULT, 0},    {"listen", SYSROW_FILE_ARG, 0},
	{"open", SYSROW_FILE_RESULT, 0},     {"openat", SYSROW_FILE_RESULT, 0},
	{"openat2", SYSROW_FILE_RESULT, 0},  {"pipe", SYSROW_FILE_PAIR, 0},
	{"pipe2", SYSROW_FILE_PAIR, 0},	     {"socket", SYSROW_FILE_RESULT, 0},
	{"socketpair", SYSROW_FILE_PAIR, 3},
};

void sysfiles_set_row(uint32_t machine, uint32_t nr, struct sysrow *row)
{
	const char *name = syscallnames_find(machine, nr);

	for (size_t i = 0; name && i < ARRAY_LEN(calls); i++)
		if (!strcmp(name, calls[i].call)) {
			row->flags |= calls[i].flags;
			row->pair_arg = calls[i].arg;
		}
}

/* --- code ------------------------------------------------------------------------------------- */

/* r0 = 0 if the bytes at r9 + offset were read to `to` of reg. */
static void emit_read(struct bpfcode *c, int reg, int to, int bytes, int offset)
{
	bpfcode_move(c, R1, reg);
	bpfcode_alu_number(c, BPF_ADD, R1, to);
	bpfcode_set(c, R2, bytes);
	bpfcode_move(c, R3, R9);
	bpfcode_alu_number(c, BPF_ADD, R3, offset);
	bpfcode_call(c, BPF_FUNC_probe_read_kernel);
}

/* r9 = the pointer at r9 + offset; leaves to `none` if it is NULL. */
static void emit_follow(struct bpfcode *c, int offset, unsigned none)
{
	bpfcode_store_number(c, BPF_DW, FRAME, POINTER, 0);
	if (offset >= 0)
		emit_read(c, FRAME, POINTER, 8, offset);
	bpfcode_load(c, BPF_DW, R9, FRAME, POINTER);
	bpfcode_jump_if(c, BPF_JEQ, R9, 0, none);
}

/* Reads all members of the struct at r9 into the chunk at r8. */
static void emit_members(struct bpfcode *c, const struct sysfiles *f, enum place place)
{
	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		if (members[i].place == place && members[i].bytes && f->offsets[i] >= 0)
			emit_read(c, R8, AT(memory) + CHUNK + members[i].to, members[i].bytes,
				  f->offsets[i]);
}

/* The number of the inode of the socket at the other end. */
static void emit_peer(struct bpfcode *c, const struct sysfiles *f, unsigned none)
{
	emit_follow(c, f->offsets[SYSFILES_PEER], none);
	emit_follow(c, f->offsets[SYSFILES_SK_SOCKET], none);
	emit_follow(c, f->offsets[SYSFILES_SOCKET_FILE], none);
	emit_follow(c, f->offsets[SYSFILES_INODE], none);
	emit_read(c, R8, AT(memory) + CHUNK + IN(peer), SIZE(peer), f->offsets[SYSFILES_INO]);
}

static void emit_socket(struct bpfcode *c, const struct sysfiles *f, unsigned done)
{
	unsigned not_unix = bpfcode_label(c);

	bpfcode_load(c, BPF_H, R1, R8, AT(memory) + CHUNK + IN(mode));
	bpfcode_alu_number(c, BPF_AND, R1, S_IFMT);
	bpfcode_jump_if(c, BPF_JNE, R1, S_IFSOCK, done);
	bpfcode_load(c, BPF_DW, R9, FRAME, FILE_AT);
	emit_follow(c, f->offsets[SYSFILES_PRIVATE], done);
	emit_members(c, f, SOCKET);
	emit_follow(c, f->offsets[SYSFILES_SK], done);
	emit_members(c, f, SOCK_OF);
	bpfcode_load(c, BPF_H, R1, R8, AT(memory) + CHUNK + IN(family));
	bpfcode_jump_if(c, BPF_JNE, R1, AF_UNIX, not_unix);
	emit_peer(c, f, done);
	bpfcode_jump(c, done);
	bpfcode_place(c, not_unix);
	bpfcode_jump_if(c, BPF_JNE, R1, AF_NETLINK, done);
	emit_members(c, f, NETLINK_OF);
}

/* r8 = the place of a new chunk in the scratch area at r6, which begins with its head. */
static void emit_place(struct bpfcode *c, unsigned out)
{
	bpfcode_load(c, BPF_DW, R1, R6, AT(used));
	bpfcode_jump_if(c, BPF_JGT, R1, (int)SYSCALLEVENTS_MEMORY_MAX - CHUNK - FILE_BYTES, out);
	bpfcode_move(c, R8, R6);
	bpfcode_alu(c, BPF_ADD, R8, R1);
	bpfcode_store(c, BPF_DW, R8, AT(memory), R7);
	bpfcode_store_number(c, BPF_DW, R8, AT(memory) + 8,
			     SYSCALLEVENTS_OF_FILE << 16 | FILE_BYTES);
	for (int at = 0; at < FILE_BYTES; at += 8)
		bpfcode_store_number(c, BPF_DW, R8, AT(memory) + CHUNK + at, 0);
}

void sysfiles_emit_function(struct bpfcode *c, const struct sysprograms *p,
			    const struct sysfiles *f, unsigned label)
{
	unsigned out = bpfcode_label(c), done = bpfcode_label(c);

	bpfcode_place_function(c, label, 1, true);
	bpfcode_move(c, R7, R1);
	bpfcode_store_number(c, BPF_DW, FRAME, KEY, 0);
	bpfcode_set_map(c, R1, p->scratch.fd);
	bpfcode_move(c, R2, FRAME);
	bpfcode_alu_number(c, BPF_ADD, R2, KEY);
	bpfcode_call(c, BPF_FUNC_map_lookup_elem);
	bpfcode_jump_if(c, BPF_JEQ, R0, 0, out);
	bpfcode_move(c, R6, R0);
	bpfcode_jump_if(c, BPF_JGE, R7, FD_MAX, out);
	emit_place(c, out);
	bpfcode_call(c, BPF_FUNC_get_current_task_btf);
	bpfcode_move(c, R9, R0);
	emit_follow(c, f->offsets[SYSFILES_FILES], out);
	emit_follow(c, f->offsets[SYSFILES_FDT], out);
	emit_follow(c, f->offsets[SYSFILES_FD], out);
	bpfcode_move(c, R1, R7);
	bpfcode_alu_number(c, BPF_LSH, R1, 3);
	bpfcode_alu(c, BPF_ADD, R9, R1);
	emit_follow(c, 0, out);
	bpfcode_store(c, BPF_DW, FRAME, FILE_AT, R9);
	emit_follow(c, f->offsets[SYSFILES_INODE], out);
	emit_members(c, f, INODE);
	emit_socket(c, f, done);
	bpfcode_place(c, done);
	bpfcode_load(c, BPF_DW, R1, R6, AT(used));
	bpfcode_alu_number(c, BPF_ADD, R1, CHUNK + FILE_BYTES);
	bpfcode_store(c, BPF_DW, R6, AT(used), R1);
	bpfcode_place(c, out);
	bpfcode_set(c, R0, 0);
	bpfcode_exit(c);
}

/* The two descriptors that the call wrote into memory. */
static void emit_pair(struct bpfcode *c, unsigned file, unsigned done)
{
	unsigned first = bpfcode_label(c);

	bpfcode_load(c, BPF_H, R1, R8, offsetof(struct sysrow, pair_arg));
	bpfcode_load(c, BPF_DW, R3, R7, AT(record.args[0]));
	bpfcode_jump_if(c, BPF_JEQ, R1, 0, first);
	bpfcode_load(c, BPF_DW, R3, R7, AT(record.args[3]));
	bpfcode_place(c, first);
	bpfcode_move(c, R1, FRAME);
	bpfcode_alu_number(c, BPF_ADD, R1, PAIR);
	bpfcode_set(c, R2, 8);
	bpfcode_call(c, BPF_FUNC_probe_read_user);
	bpfcode_jump_if(c, BPF_JNE, R0, 0, done);
	for (int i = 0; i < 2; i++) {
		bpfcode_load(c, BPF_W, R1, FRAME, PAIR + 4 * i);
		bpfcode_call_label(c, file);
	}
}

void sysfiles_emit_call(struct bpfcode *c, unsigned file)
{
	unsigned done = bpfcode_label(c), arg = bpfcode_label(c), call = bpfcode_label(c),
		 pair = bpfcode_label(c);

	bpfcode_load(c, BPF_B, R2, R8, offsetof(struct sysrow, flags));
	bpfcode_alu_number(c, BPF_AND, R2, SYSROW_FILE_PAIR);
	bpfcode_jump_if(c, BPF_JEQ, R2, 0, done);
	bpfcode_jump_if(c, BPF_JEQ, R2, SYSROW_FILE_ARG, arg);
	bpfcode_load(c, BPF_DW, R1, R7, AT(record.ret));
	bpfcode_jump_if(c, BPF_JSLT, R1, 0, done);
	bpfcode_jump_if(c, BPF_JEQ, R2, SYSROW_FILE_PAIR, pair);
	bpfcode_jump(c, call);
	bpfcode_place(c, arg);
	bpfcode_load(c, BPF_W, R1, R7, AT(record.args[0]));
	bpfcode_place(c, call);
	bpfcode_call_label(c, file);
	bpfcode_jump(c, done);
	bpfcode_place(c, pair);
	emit_pair(c, file, done);
	bpfcode_place(c, done);
}
