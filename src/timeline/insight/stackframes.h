/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stackframes.h - the frames of kernel_stack and user_stack events, as labels. For one thread.
 */
#ifndef SONDE_TIMELINE_INSIGHT_STACKFRAMES_H
#define SONDE_TIMELINE_INSIGHT_STACKFRAMES_H

#include "base/textbuf.h"
#include "timeline/lanes/lane_int.h"
#include "timeline/insight/marks.h"

enum stack_of { STACK_NONE, STACK_KERNEL, STACK_USER };

struct stack_form; /* what is known of a kind of event */
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
/* A program's stack of no frames: of the kernel's own threads, of idle CPUs. */
bool stack_reader_is_empty(const struct stack_reader *r, const struct walk_event *ev);
/*
 * Labels of its frames, the innermost first, at most max; of a kernel's stack without those that only wrote the event
 * down. Returns how many.
 */
unsigned stack_reader_frames(struct stack_reader *r, const struct walk_event *ev, uint32_t *labels,
			     unsigned max);

#endif
