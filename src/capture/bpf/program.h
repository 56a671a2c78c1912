/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h - what the programs in the kernel that answer a question have in common: what they hang on, which hits
 * they are for, and where values come from.
 *
 *	struct bpfsource            where a value comes from: of a register, a field, memory, the task
 *	struct bpfprogram_config    what runs the program, and for which hits
 *	bpfprogram_begin …          parts of the program
 *	bpfprogram_load, _attach    it runs from now on
 *
 * The parts use r0 … r5, r6 for the context, r7 for the number that they read, and 16 bytes of the stack, down to
 * BPFPROGRAM_STACK. r8, r9 and the rest of the stack are the caller's, once bpfprogram_begin() is through.
 *
 * A call of one of the kernel's helpers costs more than all that a program does besides it. So what the kernel knows the
 * types of, the task and what a tracepoint is called with, is read without one where it can be.
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
#define BPFPROGRAM_TEXT_MAX_BYTES 256 /* as of a hist trigger */
#define BPFPROGRAM_TEXT_FAULT	  1   /* second byte of a text, behind a 0: it could not be read */
#define BPFPROGRAM_TEXT_CUT	  1   /* last byte of a text that could be longer: it is */
#define BPFPROGRAM_COMM_BYTES	  16
#define BPFPROGRAM_SCRATCH	  (-8)
#define BPFPROGRAM_STACK	  (-16)

enum { BPFPROGRAM_CONTEXT = 6, BPFPROGRAM_NUMBER = 7 }; /* registers */

/* What the program is run by: it decides what a source may begin with. */
enum bpfhook {
	BPFHOOK_PROBE,	/* a probe's event: the registers */
	BPFHOOK_RECORD, /* a tracepoint's event: the record */
	BPFHOOK_RAW,	/* a tracepoint itself: its arguments, 8 bytes each; no record is made */
	BPFHOOK_ENTRY,	/* a function's entry, without a probe: its arguments, 8 bytes each */
	BPFHOOK_EXIT,	/* its return: the same, and the result behind them */
};

enum bpfsource_kind {
	BPFSOURCE_PID,
	BPFSOURCE_CPU,
	BPFSOURCE_COMM,	   /* name of the task */
	BPFSOURCE_CONTEXT, /* n_start bytes at `start` of the context */
	BPFSOURCE_PLACE,   /* the address of what is at `start` of the context */
	BPFSOURCE_DYNAMIC, /* the address of what a __data_loc at `start` means */
	BPFSOURCE_NUMBER,  /* number */
	BPFSOURCE_TASK,	   /* the address of the kernel's struct of the task */
};

enum bpfsource_memory { BPFMEMORY_ANY, BPFMEMORY_KERNEL, BPFMEMORY_USER };

/* One step: the 8 bytes (in the last one n_bytes, or the text) at the value so far plus offset. */
struct bpfstep {
	int32_t offset;
	enum bpfsource_memory memory;
};

struct bpfsource {
	enum bpfsource_kind kind;
	uint32_t start;
	uint8_t n_start;  /* 1, 2, 4, 8 */
	bool is_relative; /* DYNAMIC: counted from behind itself */
	uint64_t number;
	struct bpfstep steps[BPFPROGRAM_STEPS_MAX];
	uint8_t n_steps;
	bool is_text;
	uint16_t n_bytes; /* of a number 1, 2, 4, 8; of a text with its NUL */
	bool is_signed;
	uint8_t shift, n_bits; /* bits of the number; n_bits 0: all */
	bool is_swapped;       /* its n_bytes are in the other order */
};

/* Only hits count where the source has this value. */
struct bpfcondition {
	struct bpfsource source;
	int32_t number;
};

/* Where the kernel's struct of a task has these, if it lets programs read there. */
struct bpftask {
	bool is_known;
	int pid, process, comm;
	/* preempt_count of the CPU: is it in an interrupt, which is not the work of the task? */
	bool has_level;
	struct bpfsource level;
};

struct bpfprogram_config {
	enum bpfhook hook;
	/* Its number in BTF, of ENTRY and EXIT the function's, of RAW the tracepoint's; 0: no types are known there. */
	uint32_t function;
	struct bpftask task; /* must stay as long as the program is written */
	/*
	 * Of a program's probe: what was not read into memory yet is waited for. Since Linux 6.0; before 6.10 the probe
	 * itself has read it by then.
	 */
	bool may_sleep;
	bool is_of_program;	      /* of PROBE: it is one in a program */
	const struct bpf_table *gate; /* hits count while it is open (bpf.h); NULL: always */
	struct bpfcondition conditions[BPFPROGRAM_CONDITIONS_MAX];
	size_t n_conditions;
	/* Its hits do not count, but for those of interrupts where task.has_level; 0: all do. Without tasks. */
	int not_process;
	const struct bpftasks *tasks; /* only these count; NULL: all do */
	bool has_other; /* … or a hit of another task if this, a task's number, is one of them */
	struct bpfsource other;
	const struct bpffilter *filter; /* NULL: none */
};

/*
 * Bytes of a source in a key: of a number 8, sign extended, and 8 more where it may be unreadable (not 0: it was); of
 * a text with its NUL, filled up to whole 8 bytes.
 */
uint32_t bpfsource_bytes(const struct bpfsource *s);

/* --- parts of a program ------------------------------------------------------------------------ */

/* Takes the context, and leaves for the label if this hit does not count. with_task: some source needs it. */
void bpfprogram_begin(struct bpfcode *c, const struct bpfprogram_config *config, bool with_task,
		      unsigned out);
bool bpfsource_needs_task(const struct bpfsource *s);
/* The number into its register. */
void bpfprogram_read_number(struct bpfcode *c, const struct bpfsource *s);
/* All its bytes to the stack. */
void bpfprogram_put_source(struct bpfcode *c, const struct bpfsource *s, int at);
/* The same of a text in two steps: its address into the number's register, and what is there. */
void bpfprogram_find_text(struct bpfcode *c, const struct bpfsource *s);
void bpfprogram_put_text(struct bpfcode *c, const struct bpfsource *s, int at);
/* … as it is, with what was there behind it; r0 is negative, and n_bytes are 0, if it cannot be read. */
void bpfprogram_read_text(struct bpfcode *c, const struct bpfsource *s, int at);
/* The row of the key on the stack into r0, or 0. */
void bpfprogram_look_up(struct bpfcode *c, int table, int key);
/* r0 is 0 if the row is there now, with the value that is on the stack. flags: BPF_NOEXIST … */
void bpfprogram_update(struct bpfcode *c, int table, int key, int value, int flags);
/* Return 0. */
void bpfprogram_end(struct bpfcode *c);

/* --- the whole --------------------------------------------------------------------------------- */

/* What the kernel calls such programs. */
enum bpf_prog_type bpfprogram_type(const struct bpfprogram_config *config);
/* Is it never run where it runs already, on the same CPU? */
bool bpfprogram_runs_alone(const struct bpfprogram_config *config);
/* A descriptor, or negative. The sentence is for who insists on BPF. */
int bpfprogram_load(const struct bpfprogram_config *config, struct bpfcode *c, struct errmsg *err);
/* The name of the tracepoint, or the event's id, as the hook is; of a function neither. A descriptor, or negative. */
int bpfprogram_attach(const struct bpfprogram_config *config, int program, const char *tracepoint,
		      long long id, struct errmsg *err);

#endif
