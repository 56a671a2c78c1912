/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * snrt.h - what the runtime in a traced program and the recorder agree on: messages, the patch
 * plan, rings in shared memory.
 *
 *	runtime, in the program                        recorder (capture/user)
 *	    connects to $SONDE_RT  ── hello ──────────▶  reads /proc/PID/maps, plans every image
 *	    maps areas, patches    ◀─ plan + 2 files ──  (memfd: rings; memfd: plan with ready code)
 *	    writes records into rings ════════════════▶  reads, merges, writes events
 *
 * Everything in shared memory is hostile to the recorder: the program can write anything there.
 * Native byte order; both sides run on one machine.
 */
#ifndef SONDE_RUNTIME_SNRT_H
#define SONDE_RUNTIME_SNRT_H

#include <stdint.h>

#define SNRT_MAGIC	0x54524e53u /* "SNRT" */
#define SNRT_VERSION	4u
/*
 * NAME.KEY: the name of the recorder's abstract unix socket, without the NUL; and what a program
 * must say there. Every user can see names of sockets, in /proc/net/unix, but no other user's
 * environment.
 */
#define SNRT_ENV	"SONDE_RT"
#define SNRT_KEY_SIGN	'.'
#define SNRT_KEY_BYTES	32

/*
 * --- records -----------------------------------------------------------------------------------
 *
 *	 63                                    20  19  18                    0
 *	┌────────────────────────────────────────┬───┬───────────────────────┐
 *	│ counter of the processor, low 44 bits  │ E │ function, or a special│
 *	└────────────────────────────────────────┴───┴───────────────────────┘
 *
 * E: 1 = the function returns. 0 is not a record: the place is reserved, but not written yet. So
 * the reader must clear what it has read before it raises `limit`.
 * 44 bits wrap after an hour or more; the reader reads far more often.
 * A special from SNRT_LONG on is followed by one more word: its value, with bit 63 set. SNRT_VALUES
 * is followed by more.
 */
#define SNRT_TIME_SHIFT 20
#define SNRT_EXIT	(1u << 19)
#define SNRT_WHAT_MASK	((1u << 19) - 1)
#define SNRT_FUNC_MAX	0x7dfffu /* functions of a process: 1 … this */
#define SNRT_CPU_FIRST	0x7e000u /* + CPU: the thread runs there from now on */
#define SNRT_CPU_MAX	4095u
#define SNRT_LONG	0x7f000u
/* Since the last such record. Value: bits 0-31 calls lost, 32-62 returns lost of recorded calls. */
#define SNRT_LOST	0x7f000u
/* Recorded calls that are still active. The returns of all other open calls were lost. */
#define SNRT_DEPTH	0x7f001u
/*
 * Values of the call or return whose record follows them: arguments, a return value. This word has
 * the length of the values in bytes, a multiple of 8, instead of the counter. It is written last,
 * so if it is not 0, the values and the record behind them are complete.
 */
#define SNRT_VALUES	0x7f002u
#define SNRT_VALUES_MAX 1024u
/*
 * The open calls of the thread, by a rule. Its values stand before it: a word with their number,
 * then their functions, two in each word, the low half first, the outermost first; not more than
 * SNRT_STACK_MAX, the innermost.
 */
#define SNRT_STACK	0x7f003u
#define SNRT_STACK_MAX	64u
/*
 * What the kernel has counted for the thread, by a rule: before the record of a call, and before
 * that of its return. Its values stand before it (enum snrt_counter).
 */
#define SNRT_COUNTERS	0x7f004u
enum snrt_counter {
	SNRT_COUNTED_FUNC,   /* id of the function; with SNRT_EXIT: it returns */
	SNRT_COUNTED_CPU_NS, /* of the thread, in all */
	SNRT_COUNTED_MINOR,  /* page faults */
	SNRT_COUNTED_MAJOR,  /* … that waited for a disk */
	SNRT_COUNTED_WAITS,  /* task switches: it waited */
	SNRT_COUNTED_FORCED, /* … it was preempted */
	SNRT_N_COUNTERS,
};
#define SNRT_VALUE_FLAG (1ull << 63)

/*
 * --- shared memory of the rings ----------------------------------------------------------------
 *
 *	0                 struct snrt_shared
 *	SNRT_SLOTS_AT     slot 0: struct snrt_thread (a page), then its ring of SNRT_RING_BYTES
 *	+ SNRT_SLOT_BYTES slot 1 …
 *
 * The file is sparse; only touched pages take memory. A slot belongs to one thread of one process.
 */
#define SNRT_SLOTS	512u
#define SNRT_SLOTS_AT	65536u
#define SNRT_RING_BYTES (2u << 20) /* a power of two */
#define SNRT_RING_AT	4096u	   /* from the start of its slot */
#define SNRT_SLOT_BYTES (SNRT_RING_AT + SNRT_RING_BYTES)
/*
 * The first slot: the recorder keeps its memory, so that the first thread maps all of it at once.
 * Else each page is a fault of 3 us at its first record, 1.5 ms for a ring.
 */
#define SNRT_READY_SLOT 0u
/* A writer stops here, so that signal handlers which interrupt it still have room. */
#define SNRT_RING_SPARE 32768u

enum snrt_state {
	SNRT_FREE,    /* 0: a thread may claim it: compare and exchange to SNRT_CLAIMED */
	SNRT_CLAIMED, /* being set up */
	/*
	 * Records come; tid, pid and plan are valid. The thread does not say when it ends: the
	 * reader frees the slot when the thread is gone and all is read. A free slot's ring and
	 * page are all zero.
	 */
	SNRT_LIVE,
};

enum snrt_full { SNRT_WAIT, SNRT_DROP };

/*
 * --- rules -------------------------------------------------------------------------------------
 *
 * What a function does to the recording when it is called, see rules.c. A function with a rule, or
 * any function if there is a general rule, has a thunk that calls SNRT_ENTER_RULED.
 */
enum snrt_rule_flag {
	SNRT_RULE_ONLY = 1,	   /* it and what it calls is recorded; other calls are not */
	SNRT_RULE_NEVER = 2,	   /* it and what it calls is not recorded */
	SNRT_RULE_DEPTH = 4,	   /* from it on: at most `depth` nested calls */
	SNRT_RULE_MIN_TIME = 8,	   /* while it runs: min_counts */
	SNRT_RULE_ALWAYS = 16,	   /* it is recorded however short it is */
	SNRT_RULE_ON = 32,	   /* recording begins */
	SNRT_RULE_OFF = 64,	   /* recording pauses */
	SNRT_RULE_FINISH = 128,	   /* recording ends */
	SNRT_RULE_STACK = 256,	   /* the open calls are recorded */
	SNRT_RULE_HIDDEN = 512,	   /* it was not chosen: only its rule counts */
	SNRT_RULE_TARGET = 2048,   /* for the recorder: the rule chooses it, too */
	SNRT_RULE_COUNTERS = 4096, /* what the kernel counts for the thread is recorded */
	SNRT_RULE_GENERAL = 1024,  /* struct snrt_general: something is to be done at every call */
};

/* Of one function. */
struct snrt_rule {
	uint32_t flags; /* enum snrt_rule_flag */
	uint32_t depth;
	uint64_t min_counts; /* of the processor's counter; shorter calls are not recorded */
	uint64_t limit;	     /* so many calls are recorded; 0: all */
	uint64_t nth;	     /* ON, OFF, FINISH and STACK happen at this call; 0: at every */
	uint64_t n_calls;    /* until now; the runtime counts, in each process */
};

#define SNRT_DEPTH_ANY	 UINT32_MAX
#define SNRT_SIGNALS_MAX 65u

/* Of all functions. Written before programs run. */
struct snrt_general {
	uint32_t flags; /* 0: there are no rules; GENERAL, and ONLY if a function has it */
	uint32_t depth; /* SNRT_DEPTH_ANY: any */
	uint64_t min_counts;
	uint16_t on_signal[SNRT_SIGNALS_MAX]; /* enum snrt_rule_flag: ON, OFF, FINISH; 0: nothing */
};

struct snrt_shared {
	uint32_t magic, version;
	uint32_t n_slots;
	uint32_t enabled;   /* 0: nothing is recorded; the recorder switches it */
	uint32_t when_full; /* enum snrt_full */
	uint32_t wait_ms;   /* SNRT_WAIT: after this time without progress of the reader, drop */
	uint32_t no_slot;   /* threads that found no free slot, or could not map it */
	uint32_t failures;  /* programs that could not be set up after all */
	int32_t recorder_pid;
	int32_t rings_fd;	    /* in the recorder: /proc/PID/fd/N is a way to this memory */
	uint32_t state[SNRT_SLOTS]; /* enum snrt_state */
	uint32_t is_ending; /* the recorder leaves: libraries that come now are not traced */
	uint32_t n_quiet;   /* threads that gave up the rights to record (seccomp) */
	struct snrt_general general;
	/* written by programs when a function or a signal says so, see enum snrt_rule_flag */
	uint32_t is_paused; /* calls are not recorded at the moment */
	uint32_t is_finished;
	uint32_t n_stuck; /* hooks that could not be taken out of the code: remove.c */
	uint64_t n_claims;
};

/*
 * The first page of a slot. The hooks (arch/) know the offsets of the first fields; hooks.c of each
 * architecture asserts them.
 */
struct snrt_thread {
	/* written by the program */
	uint64_t head;	 /* bytes ever reserved; position in the ring: head % SNRT_RING_BYTES */
	uint64_t shadow; /* the top entry of the current shadow stack; an address in the program */
	uint64_t stack_low;  /* the lowest address of the current stack */
	uint64_t shadow_end; /* the last entry that may be used */
	uint64_t cpu_ptr;    /* where the kernel keeps the CPU's number (rseq) */
	uint32_t cpu;	     /* the CPU that was noted last */
	uint32_t tid, pid;
	uint32_t plan;	   /* number of the plan that gives functions their meaning */
	uint64_t n_lost;   /* calls lost in all */
	uint64_t n_untold; /* as in an SNRT_LOST record: what is in none yet */
	uint64_t n_deep;   /* calls not followed: the shadow stack was full */
	uint64_t slot_number;
	uint64_t depth_due; /* returns were not recorded: an SNRT_DEPTH record must come first */
	uint64_t pid_ns;    /* the namespace of tid and pid: an inode of /proc; 0: unknown */
	uint64_t serial;    /* of all claims of slots: a thread's last one counts (exec) */
	uint64_t pad0[2];
	/* written by the reader */
	uint64_t limit;	  /* the program may reserve below this: read + ring - spare; 0: off */
	uint32_t wake;	  /* futex: raised with limit when the program waits */
	uint32_t waiting; /* the program waits (written by the program) */
	/*
	 * A call that turns out to be too short is taken back: head becomes lower. Not below
	 * `claimed`: from there on the reader has not begun to read. `turn` guards both.
	 */
	uint64_t claimed;
	uint32_t turn; /* 0: free; 1: the program, 2: the reader changes them */
	uint32_t pad1;
};

/*
 * --- messages, over SOCK_SEQPACKET ---------------------------------------------------------------
 */
enum snrt_what_now {
	SNRT_HELLO = 1, /* a program starts */
	SNRT_OPENED,	/* it has loaded more libraries (dlopen), or closed some */
};

/* How the runtime came into the process. */
enum snrt_flavour { SNRT_PRELOADED = 1, SNRT_ATTACHED };

struct snrt_hello {
	uint32_t magic, version;
	uint32_t what;	  /* enum snrt_what_now */
	uint32_t plan;	  /* SNRT_OPENED: the program's plan */
	uint32_t flavour; /* enum snrt_flavour */
	uint32_t pad;
	uint64_t counter; /* of the processor, now */
	char key[SNRT_KEY_BYTES];
};

/*
 * The answer. With SNRT_HELLO two descriptors come along: rings, plan; with SNRT_OPENED one: the
 * plan of what is new (n_images may be 0, then there is none).
 */
struct snrt_answer {
	uint32_t magic, version;
	int32_t error;	   /* negative errno: the program is not traced */
	uint32_t plan;	   /* number of the plan */
	uint32_t n_images; /* struct snrt_image, at the start of the plan's file */
	/*
	 * struct snrt_range[n_ranges] in the plan's file, ascending: memory that can be read as
	 * long as the program runs, the segments of its program and libraries. Only with
	 * SNRT_HELLO.
	 */
	uint32_t n_ranges;
	uint64_t ranges_at;
	uint64_t heap; /* address where the memory of brk() begins; 0: unknown */
};

#define SNRT_RANGES_MAX 256u
struct snrt_range {
	uint64_t low, high;
};

/*
 * Functions of the C library that jump to the runtime instead, see opened.c. They are hooked like
 * others, but the runtime writes other thunks.
 */
enum snrt_detour {
	SNRT_NO_DETOUR,
	SNRT_DEBUG_STATE, /* _dl_debug_state(): libraries were loaded or closed */
	SNRT_FIND_OBJECT, /* _dl_find_object(): unwinders look for an address */
	SNRT_ITERATE,	  /* dl_iterate_phdr(): older unwinders do */
};
#define SNRT_DETOURS_MAX 4

enum snrt_image_what {
	SNRT_IMAGE_NEW,
	SNRT_IMAGE_AGAIN, /* its library is back at the same address: the area is there already */
	SNRT_IMAGE_GONE,  /* its library was closed */
};

#define SNRT_IMAGES_MAX 256

/*
 * The plan's file: struct snrt_image[n_images]; then, where these say, patches and areas. Areas are
 * aligned to pages and ready to run where `area` says, except the first page: the runtime copies
 * its hooks there (SNRT_ENTER, SNRT_LEAVE).
 */
struct snrt_image {
	uint64_t area, area_bytes, area_at; /* address in the program, length, place in the file */
	uint64_t text, text_bytes;	    /* pages of the program that get patched */
	uint64_t patches_at;		    /* struct snrt_patch[n_patches] in the file */
	uint64_t eh_frame_hdr;		    /* address inside the area; 0: the runtime makes it */
	uint32_t n_patches;
	uint32_t n_thunks; /* they begin SNRT_HOOK_BYTES after `area` */
	/*
	 * An image that calls hooks itself (-finstrument-functions) has no area and no patches, but
	 * a table of the addresses of its selected functions (u64, ascending) in the plan's file.
	 * Their ids are first_id, first_id + 1 …
	 */
	uint64_t table_at;
	uint32_t n_table, first_id;
	uint32_t what;			   /* enum snrt_image_what */
	uint8_t detours[SNRT_DETOURS_MAX]; /* enum snrt_detour, of the first thunks */
	uint64_t rules_at;		   /* struct snrt_rule[n_rules] in the file */
	uint32_t n_rules, pad;
};

#define SNRT_PATCH_MAX 16
struct snrt_patch {
	uint64_t addr;
	uint8_t n_bytes; /* at most SNRT_PATCH_MAX */
	uint8_t pad[7];
	uint8_t old[SNRT_PATCH_MAX]; /* compared before anything is written */
	uint8_t new_[SNRT_PATCH_MAX];
};

/*
 * --- an area ---------------------------------------------------------------------------------
 *
 *	0                   hooks: enter, leave (SNRT_HOOK_BYTES, filled by the runtime)
 *	SNRT_HOOK_BYTES     n_thunks thunks of SNRT_THUNK_BYTES
 *	…                   bodies: the instructions that the patches replaced, then a jump back
 *
 * A patched function begins with a jump to its thunk. x86-64, a thunk:
 *
 *	 0  e8 rel32          call enter           takes the return address away
 *	 5  48 8d 64 24 08    lea 8(%rsp),%rsp
 *	10  e8 rel32          call body            pushes thunk + 15 where the return address was
 *	15  e9 rel32          jmp leave            the function has returned
 *	20  id (u32)          1 … SNRT_FUNC_MAX
 *	24  distance of its program (u32), from the thunk on; 0: it records no values
 *	28  number of its rule (u32), from 1 on; 0: it has none
 *
 * A thunk with a rule calls SNRT_ENTER_RULED. A thunk with a program calls SNRT_ENTER_VALUES and
 * jumps to SNRT_LEAVE_VALUES instead.
 *
 * A function that is switched off has `e9 rel32`, jmp body, at 0 instead. The recorder changes the
 * first 8 bytes of a thunk with one aligned store while programs run: the area is shared memory,
 * and both instructions have the same length. Calls that are under way return through `leave`. A
 * function that is off for good calls SNRT_ENTER_REMOVE: its next call takes the jump out of the
 * code (remove.c).
 *
 * aarch64:
 *
 *	 0  mov x17, x30      the return address
 *	 4  bl enter          switched off: b body
 *	 8  bl body           the body returns to thunk + 12
 *	12  b leave
 *	16  0 (u32)
 *	20  id (u32)
 *	24  0 (u32)
 *	28  number of its rule (u32), from 1 on; 0: it has none
 */
#define SNRT_HOOK_BYTES	  4096u
#define SNRT_NOTE_AT	  4032u /* struct snrt_note, of the hooks */
#define SNRT_ENTER	  0u	/* of the hooks */
#define SNRT_ENTER_VALUES 1024u /* x86-64 only */
#define SNRT_ENTER_RULED  1536u
#define SNRT_ENTER_REMOVE 1792u /* x86-64 only */
#define SNRT_LEAVE	  2048u
#define SNRT_LEAVE_VALUES 3072u
#define SNRT_THUNK_BYTES  32u
#define SNRT_THUNK_ID	  20u
/* Behind the call of enter; the call of the body; where the body returns to. */
#define SNRT_X86_64_NEXT  5u
#define SNRT_X86_64_CALL  10u
#define SNRT_X86_64_BACK  15u
#define SNRT_AARCH64_NEXT 8u
#define SNRT_AARCH64_CALL 8u
#define SNRT_AARCH64_BACK 12u
#if defined(__aarch64__)
#define SNRT_THUNK_NEXT SNRT_AARCH64_NEXT
#define SNRT_THUNK_CALL SNRT_AARCH64_CALL
#define SNRT_THUNK_BACK SNRT_AARCH64_BACK
#else
#define SNRT_THUNK_NEXT SNRT_X86_64_NEXT
#define SNRT_THUNK_CALL SNRT_X86_64_CALL
#define SNRT_THUNK_BACK SNRT_X86_64_BACK
#endif
#define SNRT_THUNK_PROGRAM 24u
#define SNRT_THUNK_RULE	   28u

/*
 * --- programs --------------------------------------------------------------------------------
 *
 * A program describes which values of a function to record, and which calls. The recorder makes it
 * from the function's types; the runtime knows no types. A program has one accumulator:
 *
 *	FETCH_REG 5                 rdi
 *	FETCH_LOAD +16              *(u64 *)(rdi + 16)
 *	FETCH_TEXT 64 bytes         the text there, up to its NUL
 *
 * Tests come first: a call for which one fails is not recorded. What follows writes values. A value
 * that was read from memory begins with a word that contains the result (SNRT_GOT_…).
 */
struct snrt_program {
	uint16_t n_tests, n_enter, n_leave; /* struct snrt_fetch, in this order behind it */
	uint16_t flags;
};

#define SNRT_PROGRAM_GENERAL 1u /* tests and arguments need no floating point register */

enum snrt_fetch_op {
	SNRT_FETCH_REG = 1, /* accumulator = register reg (DWARF number; xmm0 is 17, low half) */
	SNRT_FETCH_STACK,   /* = the word at the stack pointer of the function's entry + offset */
	SNRT_FETCH_SLOT,    /* = that address */
	SNRT_FETCH_LOAD,    /* = the word at accumulator + offset */
	SNRT_FETCH_ADD,	    /* += offset */
	SNRT_FETCH_PUT,	    /* writes the accumulator */
	SNRT_FETCH_COPY,    /* writes n_bytes from accumulator + offset, behind a SNRT_GOT word */
	SNRT_FETCH_TEXT,    /* writes the text at the accumulator, at most n_bytes, the same way */
	SNRT_FETCH_STRING,  /* the same for a std::string of libstdc++: {pointer, length} */
	SNRT_FETCH_X87,	    /* writes the 16 bytes of st(0), which must have a value */
	/*
	 * Compares the accumulator's low n_bytes (with sign, if `reg` has SNRT_TEST_SIGNED) with
	 * the next struct snrt_fetch, which is a 64-bit number.
	 */
	SNRT_FETCH_TEST,
};

enum snrt_test {
	SNRT_TEST_EQ,
	SNRT_TEST_NE,
	SNRT_TEST_LT,
	SNRT_TEST_LE,
	SNRT_TEST_GT,
	SNRT_TEST_GE,
	SNRT_TEST_BITS, /* one of these bits is set */
	SNRT_TEST_SIGNED = 128,
};

struct snrt_fetch {
	uint8_t op, reg;
	uint16_t n_bytes;
	int32_t offset;
};

/* The word in front of what was read from memory: its length, padded to 8 bytes behind it. */
#define SNRT_GOT_LENGTH 0xffffu
#define SNRT_GOT_MORE	(1u << 16) /* the text is longer */
#define SNRT_GOT_BAD	(1u << 17) /* the address cannot be read; it follows */
#define SNRT_GOT_NULL	(1u << 18) /* it is 0 */

#define SNRT_REGS	25u /* registers that a program may name */

/*
 * Identifies the recording that made an area. The recorder searches for it when it attaches:
 * another recording may have been killed before it could detach.
 */
struct snrt_note {
	uint32_t magic, flavour; /* SNRT_MAGIC, enum snrt_flavour */
	uint64_t runtime;	 /* SNRT_ATTACHED: where the runtime begins */
	uint64_t runtime_bytes;
	uint64_t recorder; /* its pid */
};

/*
 * --- attaching -----------------------------------------------------------------------------------
 *
 * The recorder maps the runtime into a process whose threads it has stopped, and lets one of them
 * call these functions, whose addresses are in the table snrt_calls. capture/attach has the other
 * half.
 */
enum snrt_call {
	SNRT_CALL_BEGIN,   /* asks for a plan and maps the areas */
	SNRT_CALL_IMAGES,  /* says where they are */
	SNRT_CALL_QUIET,   /* nobody reads rings: nothing is recorded any more */
	SNRT_CALL_RETURNS, /* return addresses on stacks are as before */
	SNRT_CALL_SCAN,	   /* result 1: a word on a stack leads to the runtime */
	SNRT_CALL_RELEASE, /* unmaps all memory but areas and the runtime itself; again: nothing */
	SNRT_CALLS,
};

#define SNRT_SCANS_MAX 8
#define SNRT_WORDS_MAX (16 * SNRT_SCANS_MAX)

struct snrt_args {
	/* for SNRT_CALL_BEGIN: as in struct process of the runtime */
	uint64_t stack_end, cpu_ptr_offset, r_debug;
	char name[108];
	/*
	 * Written by SNRT_CALL_BEGIN: both ends of a socket. The recorder takes the second one when
	 * the thread is about to call close() for the first time.
	 */
	int32_t sockets[2];
	/* the answer: 0 or a negative errno; where struct snrt_image[] and snrt_mapped[] are */
	int32_t result;
	uint32_t n_images;
	uint64_t images, mapped;
	/* for SNRT_CALL_SCAN: registers, and used parts of stacks */
	uint64_t n_words, words[SNRT_WORDS_MAX];
	uint64_t n_ranges;
	struct {
		uint64_t low, high;
	} ranges[SNRT_SCANS_MAX];
};

enum snrt_mapped_state {
	SNRT_MAPPED_READY, /* the area is there, the code is as the compiler made it */
	SNRT_MAPPED_PATCHED,
	SNRT_MAPPED_GONE, /* the library was closed */
};

/* Beside each image in the runtime. */
struct snrt_mapped {
	uint64_t patches; /* struct snrt_patch * */
	uint64_t state;	  /* enum snrt_mapped_state */
};

/*
 * The variables of a thread lie in a part of the C library's thread control block that nothing
 * uses: SNRT_TCB_BYTES from SNRT_TCB_AT on. The C library keeps the thread's number at
 * SNRT_TCB_TID; if it differs from ours, an ended thread left the variables. x86-64, glibc.
 */
#define SNRT_TCB_AT    0x80u
#define SNRT_TCB_BYTES 64u
#define SNRT_TCB_TID   0x2d0u

#endif
