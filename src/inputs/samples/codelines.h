/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * codelines.h - the instructions and source lines of a function with its samples.
 *
 *	annotations_init ─▶ codelines_read ─▶ present/samples/annotatetext ─▶ codelines_release
 *
 * The program must be on this machine with the recorded build id; without it only addresses with
 * samples are listed, and `why` says so.
 */
#ifndef SONDE_INPUTS_SAMPLES_CODELINES_H
#define SONDE_INPUTS_SAMPLES_CODELINES_H

#include "analyse/samples/annotation.h"
#include "base/errmsg.h"

#include <stdbool.h>
#include <stdint.h>

struct sampleinfo;

struct codeline {
	uint64_t address;   /* in the file, or in the kernel */
	const char *text;   /* the instruction; NULL: unknown */
	const char *path;   /* of the source; NULL: unknown */
	const char *source; /* its line; NULL: the source is not there */
	unsigned line;
	uint64_t n, weight; /* samples at this instruction */
};

struct codelines {
	struct codeline *list; /* ascending */
	size_t n, cap;
	uint64_t start;	   /* address of the function */
	bool has_code;	   /* all instructions are there, not only those with samples */
	struct errmsg why; /* why not; "" : unknown */
	struct codelines_own *own;
};

/* 0 or -ENOMEM. The annotation must stay. */
int codelines_read(struct codelines *c, const struct annotation *a, const struct sampleinfo *info);
void codelines_release(struct codelines *c);

#endif
