// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ipc.c - shared memory, semaphores and message queues of System V, and POSIX message queues.
 *
 * What msgctl, semctl and shmctl point to depends on their command. struct ipc64_perm, with which
 * the structures begin, has 48 bytes on 64-bit machines.
 */
#include "base/textbuf.h"
#include "decode/syscalls/text_int.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"

#include <inttypes.h>

SYSXLAT_DECLARE(ipc_flags);

enum { COMMAND_RMID, COMMAND_SET, COMMAND_STAT, COMMAND_INFO };

/* Flags and a mode: IPC_CREAT|0666 */
void sysfmt_ipcflags(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t flags = (uint32_t)v & ~0777u;

	if (flags) {
		fmt_flags(p, SYSXLAT(ipc_flags), flags);
		add(p, "|");
	}
	fmt_octal(p, v & 0777);
}

#define IPC_64_FLAG 0x100

void sysfmt_ipccmd(struct printing *p, const struct systype *t, uint64_t v)
{
	if (v & IPC_64_FLAG)
		add(p, "IPC_64|");
	fmt_enum(p, t->of, (uint32_t)v & ~IPC_64_FLAG);
}

static void fmt_perm(struct printing *p, const char *prefix, const uint8_t *b, bool set)
{
	textbuf_addf(p->tb, "{%s_perm={uid=%u, gid=%u, mode=%#03o", prefix, load32(b + 4),
		     load32(b + 8), load32(b + 20));
	if (!set)
		textbuf_addf(p->tb, ", key=%u, cuid=%u, cgid=%u", load32(b), load32(b + 12),
			     load32(b + 16));
	add(p, "}");
}

/* The bytes of a command that sets or gets; NULL: shown as an address. */
static const uint8_t *looked_at(struct printing *p, uint64_t v, bool set, size_t n)
{
	if (!set) {
		entry_ends(p);
		p->when = SYSCALLEVENTS_AT_EXIT;
		if (!wrote(p))
			return NULL;
	}
	return v ? peek(p, v, n) : NULL;
}

void sysfmt_shmds(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t command = (uint32_t)arg_of(p, 1) & ~IPC_64_FLAG;
	bool set = command == COMMAND_SET;
	const uint8_t *b = NULL;

	if (set || command == COMMAND_STAT || command == 13 || command == 15)
		b = looked_at(p, v, set, 112);
	else if (command == COMMAND_INFO)
		b = looked_at(p, v, false, 40);
	if (!b) {
		fmt_addr(p, v);
		return;
	}
	if (command == COMMAND_INFO) {
		textbuf_addf(p->tb,
			     "{shmmax=%" PRIu64 ", shmmin=%" PRIu64 ", shmmni=%" PRIu64
			     ", shmseg=%" PRIu64 ", shmall=%" PRIu64 "}",
			     load64(b), load64(b + 8), load64(b + 16), load64(b + 24),
			     load64(b + 32));
		return;
	}
	fmt_perm(p, "shm", b, set);
	if (!set)
		textbuf_addf(p->tb,
			     ", shm_segsz=%" PRIu64 ", shm_cpid=%d, shm_lpid=%d"
			     ", shm_nattch=%" PRIu64 ", shm_atime=%" PRIu64 ", shm_dtime=%" PRIu64
			     ", shm_ctime=%" PRIu64,
			     load64(b + 48), (int)load32(b + 80), (int)load32(b + 84),
			     load64(b + 88), load64(b + 56), load64(b + 64), load64(b + 72));
	add(p, "}");
}

void sysfmt_msgds(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t command = (uint32_t)arg_of(p, 1) & ~IPC_64_FLAG;
	bool set = command == COMMAND_SET;
	const uint8_t *b = NULL;

	if (set || command == COMMAND_STAT || command == 11 || command == 13)
		b = looked_at(p, v, set, 120);
	else if (command == COMMAND_INFO || command == 12)
		b = looked_at(p, v, false, 32);
	if (!b) {
		fmt_addr(p, v);
		return;
	}
	if (command == COMMAND_INFO || command == 12) {
		textbuf_addf(p->tb,
			     "{msgpool=%d, msgmap=%d, msgmax=%d, msgmnb=%d, msgmni=%d, msgssz=%d"
			     ", msgtql=%d, msgseg=%u}",
			     (int)load32(b), (int)load32(b + 4), (int)load32(b + 8),
			     (int)load32(b + 12), (int)load32(b + 16), (int)load32(b + 20),
			     (int)load32(b + 24), load16(b + 28));
		return;
	}
	fmt_perm(p, "msg", b, set);
	if (set)
		textbuf_addf(p->tb, ", msg_qbytes=%" PRIu64, load64(b + 88));
	else
		textbuf_addf(p->tb,
			     ", msg_stime=%" PRIu64 ", msg_rtime=%" PRIu64 ", msg_ctime=%" PRIu64
			     ", msg_qnum=%" PRIu64 ", msg_qbytes=%" PRIu64
			     ", msg_lspid=%d, msg_lrpid=%d",
			     load64(b + 48), load64(b + 56), load64(b + 64), load64(b + 80),
			     load64(b + 88), (int)load32(b + 96), (int)load32(b + 100));
	add(p, "}");
}

static void fmt_seminfo(struct printing *p, const uint8_t *b)
{
	static const char *const names[] = {"semmap", "semmni", "semmns", "semmnu", "semmsl",
					    "semopm", "semume", "semusz", "semvmx", "semaem"};

	for (unsigned i = 0; i < 10; i++)
		textbuf_addf(p->tb, "%s%s=%d", i ? ", " : "{", names[i], (int)load32(b + 4 * i));
	add(p, "}");
}

void sysfmt_semun(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t command = (uint32_t)arg_of(p, 2) & ~IPC_64_FLAG;
	bool set = command == COMMAND_SET;
	const uint8_t *b = NULL;

	if (set || command == COMMAND_STAT || command == 18 || command == 20)
		b = looked_at(p, v, set, 104);
	else if (command == COMMAND_INFO || command == 19)
		b = looked_at(p, v, false, 40);
	if (!b) {
		fmt_addr(p, v);
	} else if (command == COMMAND_INFO || command == 19) {
		fmt_seminfo(p, b);
	} else {
		fmt_perm(p, "sem", b, set);
		if (!set)
			textbuf_addf(p->tb,
				     ", sem_otime=%" PRIu64 ", sem_ctime=%" PRIu64
				     ", sem_nsems=%" PRIu64,
				     load64(b + 48), load64(b + (p->aarch64 ? 56 : 64)),
				     load64(b + (p->aarch64 ? 64 : 80)));
		add(p, "}");
	}
}

/* A type, and a text behind it, whose length is an argument. */
void sysfmt_msgbuf(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t type, n = arg_of(p, t->arg);

	if (!peek_u64(p, v, &type)) {
		fmt_addr(p, v);
		return;
	}
	textbuf_addf(p->tb, "{mtype=%" PRId64 ", mtext=", (int64_t)type);
	fmt_bytes(p, v + 8, n);
	add(p, "}");
}

/* of mq_open: only a queue that is made has them */
void sysfmt_mqattr(struct printing *p, const struct systype *t, uint64_t v)
{
	if (!(arg_of(p, 1) & 0100))
		return;
	add(p, ", ");
	fmt_struct_or_addr(p, &struct_mq_attr, v);
}
