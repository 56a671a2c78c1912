/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stackframes.h - reads the frames of kernel_stack and user_stack events, as labels. For one
 * thread.
 */
#ifndef SONDE_TIMELINE_INSIGHT_STACKFRAMES_H
#define SONDE_TIMELINE_INSIGHT_STACKFRAMES_H

#include "base/textbuf.h"
#include "timeline/lanes/lane_int.h"
#include "timeline/insight/marks.h"

enum stack_of { STACK_NONE, STACK_KERNEL, STACK_USER };

struct stack_form; /* properties of a kind of event */
struct stack_reader {
	struct lanes *ls;
	struct stack_form *forms; /* by kind */
	size_t n_forms;
	bool has_any;
	struct mark_cache cache;
	struct textbuf text;
};

int stack_reader_init(struct stack_reader *r, struct lanes *ls);
void stack_reader_release(struct stack_reader *r);
enum stack_of stack_reader_kind(const struct stack_reader *r, uint16_t kind);
/* Returns true for a program's stack without frames: of kernel threads, of idle CPUs. */
bool stack_reader_is_empty(const struct stack_reader *r, const struct walk_event *ev);
/*
 * Gets the labels of the frames, the innermost first, at most max. The innermost frames of a kernel
 * stack that belong to the tracer are omitted. Returns their number.
 */
unsigned stack_reader_frames(struct stack_reader *r, const struct walk_event *ev, uint32_t *labels,
			     unsigned max);

#endif
