/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysrecord.h - what the BPF programs of this folder write, as user space reads it.
 *
 * A record of the ring is a head and the chunks of memory of store/events/syscallevents.h. What is
 * copied at the entry of a call waits in its slot; if that is more than SYSSLOT_MEMORY, the call
 * has two records: SYSRECORD_ENTRY, then SYSRECORD_EXIT. All others have one.
 */
#ifndef SONDE_CAPTURE_SYSCALLS_SYSRECORD_H
#define SONDE_CAPTURE_SYSCALLS_SYSRECORD_H

#include "store/events/syscallevents.h"
#include "symbols/syscalls/copies.h"

#include <stdint.h>

enum sysrecord_kind {
	SYSRECORD_ENTRY, /* time_ns is the beginning of the call */
	SYSRECORD_EXIT,
	SYSRECORD_SIGNAL, /* nr: the signal; a chunk has the siginfo */
	SYSRECORD_DEATH,  /* ret: status as from wait(); args[0], args[1]: the task's name */
	/*
	 * A signal was sent that may never be delivered. nr: the signal; ret: 1, it is ignored; 0,
	 * it can end the process; start_ns: of the call in which its thread is, or 0; args: enum
	 * sysrecord_sent. Behind the record are SYSRECORD_SIGINFO bytes.
	 */
	SYSRECORD_SENT,
	/*
	 * A program was executed, and the memory of the one before is gone. Behind the record are
	 * SYSEXECED_NAME bytes with the name of its file, and up to SYSEXECED_WORDS bytes with its
	 * arguments. ret: not 0, an interpreter runs it, whose arguments these are.
	 */
	SYSRECORD_EXECED,
};

#define SYSEXECED_NAME	256
#define SYSEXECED_WORDS 1024

enum sysrecord_sent {
	SYSRECORD_SENT_INFO, /* address of the siginfo; 0: a process sent it; 1: the kernel did */
	SYSRECORD_SENT_TGID, /* who sent it */
	SYSRECORD_SENT_UID,
	SYSRECORD_SENT_FAILED, /* not 0: the siginfo could not be read */
};
#define SYSRECORD_SIGINFO 48 /* bytes: what the kernel keeps of a siginfo */

struct sysrecord {
	uint8_t kind;
	uint8_t machine;   /* 0: the native one, 1: the 32-bit one */
	uint8_t has_entry; /* EXIT: an ENTRY came before */
	uint8_t unused;
	uint32_t cpu;
	uint64_t time_ns, start_ns; /* CLOCK_MONOTONIC */
	int64_t ret;
	uint32_t nr, pid, tgid;
	uint32_t n_lost; /* records of this CPU that were lost before this one; it wraps */
	uint64_t args[6];
};

#define SYSSLOT_MEMORY 96
#define SYSSLOTS       16384 /* threads at the same time; a power of 2 */

/* A call that has not returned, by thread. */
struct sysslot {
	uint64_t start_ns; /* 0: the thread is in no call */
	uint32_t nr, tgid;
	uint32_t pid, unused;
	uint8_t machine;
	uint8_t has_entry; /* a record of the entry was written */
	uint16_t retry;	   /* rows that could not be copied at the entry, by bit */
	uint32_t used;	   /* bytes of memory */
	uint64_t args[6];
	uint8_t memory[SYSSLOT_MEMORY]; /* chunks */
};

/*
 * All slots, which both sides see. Slot 0 is not used: a thread whose number in the table of
 * threads is 0 has none.
 */
struct sysslots {
	struct sysslot slots[SYSSLOTS];
	uint64_t n_used; /* slots that were ever used; those that were given back are in a queue */
};

/* What to copy, in the form that the programs read. */
#define SYSROW_MACHINES	   2
#define SYSROW_CALLS	   1024 /* numbers of calls, rounded up */
#define SYSROW_SHIFT	   3
#define SYSROW_COPIES	   4096 /* of all calls; a power of 2 */
#define SYSROW_COPY_SHIFT  4
#define SYSROW_TRACED	   1
#define SYSROW_HAS_ENTRY   2 /* something is copied at the entry, or the call does not return */
#define SYSROW_HAS_EXIT	   4
#define SYSROW_NO_RETURN   8
/*
 * The only copy is up to SYSROW_PLAIN_MAX bytes at args[1]: args[2] at the entry, or as returned.
 */
#define SYSROW_PLAIN_ENTRY 16
#define SYSROW_PLAIN_EXIT  32
#define SYSROW_PLAIN_MAX   32
/* The file of the result, of args[0], of the two descriptors at args[pair_arg]. */
#define SYSROW_FILE_RESULT 64
#define SYSROW_FILE_ARG	   128
#define SYSROW_FILE_PAIR   (SYSROW_FILE_RESULT | SYSROW_FILE_ARG)
struct sysrow_copy {
	uint8_t places; /* the argument; times 16 that of the condition, 15: none */
	uint8_t when, how, len_arg;
	uint16_t size, max; /* max: bytes at most */
	uint32_t if_value, if_mask;
};
struct sysrow {
	uint8_t flags, n_copies;
	uint16_t first;	    /* of the copies */
	uint16_t plain_max; /* bytes of a plain copy */
	uint16_t pair_arg;
};
struct sysrows {
	struct sysrow calls[SYSROW_MACHINES * SYSROW_CALLS];
	struct sysrow_copy copies[SYSROW_COPIES];
};
_Static_assert(sizeof(struct sysrow) == 1 << SYSROW_SHIFT, "the programs shift");
_Static_assert(sizeof(struct sysrow_copy) == 1 << SYSROW_COPY_SHIFT, "the programs shift");

/*
 * Memory of a program while it runs, for each CPU. The verifier knows of a position and a length
 * only that each is below 4096, so there is room for both.
 */
struct sysscratch {
	struct sysrecord record;
	uint8_t memory[8192 + 64];
	uint64_t used;	   /* bytes of memory */
	uint64_t phase;	   /* enum syscallevents_when */
	uint64_t n_failed; /* chunks of this row that could not be read as a whole */
	/*
	 * Numbers that the verifier must not follow: it would check a loop again for each of their
	 * values.
	 */
	uint64_t failed_rows, retry_rows, bytes_left, piece_max, n_pointers;
	uint64_t n_lost;    /* records that did not fit into the ring */
	uint64_t n_faults;  /* memory that could not be read */
	uint64_t n_no_slot; /* calls of threads beyond the table */
};

#endif
