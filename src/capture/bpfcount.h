/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpfcount.h - a program in the kernel that counts one event by the values of some keys.
 *
 *	struct bpfsource      where a value comes from: of a register, a field, memory, the task
 *	bpfcount_open         program and table
 *	bpfcount_attach       it counts from now on
 *	bpfcount_each         rows so far; bpfcount_dropped: what has none
 *	bpfcount_close
 *
 * A key in the table is that of all sources, one behind the other: numbers as 8 bytes, sign extended; texts ended and
 * filled up by NULs to n_bytes.
 */
#ifndef SONDE_CAPTURE_BPFCOUNT_H
#define SONDE_CAPTURE_BPFCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;

#define BPFCOUNT_KEYS_MAX	8
#define BPFCOUNT_CONDITIONS_MAX 2
#define BPFCOUNT_STEPS_MAX	16
#define BPFCOUNT_TASKS_MAX	32
#define BPFCOUNT_TEXT_MAX_BYTES 256 /* as of a hist trigger */
#define BPFCOUNT_TEXT_FAULT	1   /* second byte of a text, behind a 0: it could not be read */
#define BPFCOUNT_KEY_MAX_BYTES	416 /* the stack has 512 */
#define BPFCOUNT_COMM_BYTES	16

/* What the program is run by: it decides what a source may begin with. */
enum bpfcount_hook {
	BPFCOUNT_PROBE,	 /* a probe's event: the registers */
	BPFCOUNT_RECORD, /* a tracepoint's event: the record */
	BPFCOUNT_RAW,	 /* a tracepoint itself: its arguments, 8 bytes each; no record is made */
	BPFCOUNT_ENTRY,	 /* a function's entry, without a probe: its arguments, 8 bytes each */
	BPFCOUNT_EXIT,	 /* its return: the same, and the result behind them */
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
	struct bpfstep steps[BPFCOUNT_STEPS_MAX];
	uint8_t n_steps;
	bool is_text;
	uint16_t n_bytes; /* of a number 1, 2, 4, 8; of a text with its NUL */
	bool is_signed;
	uint8_t shift, n_bits; /* bits of the number; n_bits 0: all */
};

/* Only hits count where the source has this value. */
struct bpfcondition {
	struct bpfsource source;
	int32_t number;
};

struct bpfcount_config {
	enum bpfcount_hook hook;
	uint32_t function; /* of ENTRY and EXIT: its number in BTF */
	struct bpfsource sources[BPFCOUNT_KEYS_MAX];
	size_t n_sources;
	uint32_t n_rows;
	struct bpfcondition conditions[BPFCOUNT_CONDITIONS_MAX];
	size_t n_conditions;
	int not_process;	       /* its hits do not count; 0: all do */
	int tasks[BPFCOUNT_TASKS_MAX]; /* only these count, if there are any */
	size_t n_tasks;
};

struct bpfcount {
	enum bpfcount_hook hook;
	uint32_t n_key_bytes, n_rows;
	int program, table, dropped, link; /* descriptors, -1: none */
};

/* Bytes of a source in the key. */
uint32_t bpfsource_bytes(const struct bpfsource *s);

/* The sentence is for who insists on BPF. Close it on failure, too. */
int bpfcount_open(struct bpfcount *c, const struct bpfcount_config *config, struct errmsg *err);
/* The name of the tracepoint, or the event's id, as the hook is; of a function neither. */
int bpfcount_attach(struct bpfcount *c, const char *tracepoint, long long id, struct errmsg *err);
/* Nothing is counted any more; it can still be read. */
void bpfcount_detach(struct bpfcount *c);
int bpfcount_each(const struct bpfcount *c, int (*visit)(void *ctx, const uint8_t *key, uint64_t n),
		  void *ctx, struct errmsg *err);
/* Hits that found no row, as there are too many. */
int bpfcount_dropped(const struct bpfcount *c, uint64_t *ret_n, struct errmsg *err);
/* Hits that the kernel left out, as the program ran there already. */
uint64_t bpfcount_missed(const struct bpfcount *c);
void bpfcount_close(struct bpfcount *c);

#endif
