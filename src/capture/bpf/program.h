/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h - the common parts of sonde's BPF programs: their hook, the hits that count, and the
 * sources of values.
 *
 *	struct bpfsource            the source of a value: a register, a field, memory, the task
 *	struct bpfprogram_config    the hook of the program, and the hits that count
 *	bpfprogram_begin …          parts of the program
 *	bpfprogram_load, _attach    start the program
 *
 * The parts use r0 … r5, r6 for the context, r7 for the number that they read, and 16 bytes of the
 * stack, down to BPFPROGRAM_STACK. r8, r9 and the rest of the stack belong to the caller after
 * bpfprogram_begin().
 *
 * A call of a kernel helper costs more than the rest of a program. So programs read typed data (the
 * task and a tracepoint's arguments) without a helper if possible.
 */
#ifndef SONDE_CAPTURE_BPF_PROGRAM_H
#define SONDE_CAPTURE_BPF_PROGRAM_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_table;
struct bpfcode;
struct bpffilter;
struct bpftasks;
struct errmsg;

#define BPFPROGRAM_CONDITIONS_MAX 2
#define BPFPROGRAM_STEPS_MAX	  16
#define BPFPROGRAM_TEXT_MAX_BYTES 256 /* limit, as in a hist trigger */
#define BPFPROGRAM_TEXT_FAULT	  1   /* second byte of a text, after a 0: it could not be read */
#define BPFPROGRAM_TEXT_CUT	  1   /* last byte of a text of unknown length: it was truncated */
#define BPFPROGRAM_COMM_BYTES	  16
#define BPFPROGRAM_SCRATCH	  (-8)
#define BPFPROGRAM_STACK	  (-16)

enum { BPFPROGRAM_CONTEXT = 6, BPFPROGRAM_NUMBER = 7 }; /* registers */

/* The hook that runs the program. It determines what a source may begin with. */
enum bpfhook {
	BPFHOOK_PROBE,	/* event of a probe: the registers */
	BPFHOOK_RECORD, /* event of a tracepoint: the record */
	BPFHOOK_RAW,	/* the tracepoint itself: its arguments, 8 bytes each; no record is made */
	BPFHOOK_ENTRY,	/* function entry, without a probe: its arguments, 8 bytes each */
	BPFHOOK_EXIT,	/* function return: its arguments, followed by the result */
};

enum bpfsource_kind {
	BPFSOURCE_PID,
	BPFSOURCE_CPU,
	BPFSOURCE_COMM,	   /* name of the task */
	BPFSOURCE_CONTEXT, /* n_start bytes at `start` of the context */
	BPFSOURCE_PLACE,   /* the address of the data at `start` of the context */
	BPFSOURCE_DYNAMIC, /* the address to which the __data_loc at `start` points */
	BPFSOURCE_NUMBER,  /* the number itself */
	BPFSOURCE_TASK,	   /* the address of the task's task_struct */
};

enum bpfsource_memory { BPFMEMORY_ANY, BPFMEMORY_KERNEL, BPFMEMORY_USER };

/*
 * One step: reads 8 bytes (in the last step n_bytes, or the text) at the current value plus offset.
 */
struct bpfstep {
	int32_t offset;
	enum bpfsource_memory memory;
};

struct bpfsource {
	enum bpfsource_kind kind;
	uint32_t start;
	uint8_t n_start;  /* 1, 2, 4, 8 */
	bool is_relative; /* DYNAMIC: the offset is relative to the end of the field */
	uint64_t number;
	struct bpfstep steps[BPFPROGRAM_STEPS_MAX];
	uint8_t n_steps;
	bool is_text;
	uint16_t n_bytes; /* 1, 2, 4, 8 for a number; for a text including its NUL */
	bool is_signed;
	uint8_t shift, n_bits; /* bits of the number; n_bits 0: all */
	bool is_swapped;       /* the bytes are in the other byte order */
};

/* A condition: only hits in which the source has this value count. */
struct bpfcondition {
	struct bpfsource source;
	int32_t number;
};

/* The offsets in task_struct, if the kernel allows programs to read there. */
struct bpftask {
	bool is_known;
	int pid, process, comm;
	/*
	 * The preempt_count of the CPU, which shows an interrupt; interrupts are not work of the
	 * task.
	 */
	bool has_level;
	struct bpfsource level;
};

struct bpfprogram_config {
	enum bpfhook hook;
	/*
	 * Id in BTF of the function for ENTRY and EXIT, or of the tracepoint for RAW; 0: no type
	 * information.
	 */
	uint32_t function;
	struct bpftask task; /* must stay valid while the program is generated */
	/*
	 * For a probe in a program: wait for pages that are not in memory yet. This works since
	 * Linux 6.0; before 6.10 the probe itself has already read them.
	 */
	bool may_sleep;
	bool is_of_program; /* PROBE: the probe is in a program */
	/* hits count only while the gate is open (bpf.h); NULL: always */
	const struct bpf_table *gate;
	struct bpfcondition conditions[BPFPROGRAM_CONDITIONS_MAX];
	size_t n_conditions;
	/*
	 * Hits of this process do not count, except those in interrupts if task.has_level; 0: all
	 * count. Only without `tasks`.
	 */
	int not_process;
	const struct bpftasks *tasks; /* only hits of these tasks count; NULL: all */
	bool has_other; /* hits of another task count if this source, a thread id, is one of them */
	struct bpfsource other;
	const struct bpffilter *filter; /* NULL: none */
};

/*
 * Returns the bytes of a source in a key. A number has 8, sign extended, and 8 more if it may be
 * unreadable (nonzero: it was). A text includes its NUL, and is padded to a multiple of 8.
 */
uint32_t bpfsource_bytes(const struct bpfsource *s);

/*
 * --- parts of a program ------------------------------------------------------------------------
 */

/*
 * Saves the context, and jumps to the label if this hit does not count. with_task: a source needs
 * the task.
 */
void bpfprogram_begin(struct bpfcode *c, const struct bpfprogram_config *config, bool with_task,
		      unsigned out);
bool bpfsource_needs_task(const struct bpfsource *s);
/* Reads the number into BPFPROGRAM_NUMBER. */
void bpfprogram_read_number(struct bpfcode *c, const struct bpfsource *s);
/* Stores all bytes of the source on the stack. */
void bpfprogram_put_source(struct bpfcode *c, const struct bpfsource *s, int at);
/*
 * Reads a text in two steps: this function loads the address of the text into BPFPROGRAM_NUMBER,
 * and the next function reads the text.
 */
void bpfprogram_find_text(struct bpfcode *c, const struct bpfsource *s);
void bpfprogram_put_text(struct bpfcode *c, const struct bpfsource *s, int at);
/*
 * Reads the text and the bytes after it. r0 is negative, and n_bytes are 0, if it cannot be read.
 */
void bpfprogram_read_text(struct bpfcode *c, const struct bpfsource *s, int at);
/* Loads the row of the key on the stack into r0, or 0. */
void bpfprogram_look_up(struct bpfcode *c, int table, int key);
/* Adds or changes the row with the value on the stack. r0 is 0 on success. flags: BPF_NOEXIST … */
void bpfprogram_update(struct bpfcode *c, int table, int key, int value, int flags);
/* Emits "return 0". */
void bpfprogram_end(struct bpfcode *c);

/*
 * --- the whole ---------------------------------------------------------------------------------
 */

/* Returns true if the kernel never runs the program while it already runs on the same CPU. */
bool bpfprogram_runs_alone(const struct bpfprogram_config *config);
/*
 * Loads a program. Returns a descriptor, or a negative errno. The message in err is for users who
 * request BPF.
 */
int bpfprogram_load(const struct bpfprogram_config *config, struct bpfcode *c, struct errmsg *err);
/*
 * Attaches a program. The hook requires tracepoint or id; a function needs neither. Returns a
 * descriptor, or a negative errno.
 */
int bpfprogram_attach(const struct bpfprogram_config *config, int program, const char *tracepoint,
		      long long id, struct errmsg *err);

#endif
