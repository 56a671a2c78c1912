/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tui.h - the screens of `sonde tui`: a trace on a terminal.
 *
 *	screen_check ─▶ open the stage ─▶ tui_catch_signals ─▶ stage_start ─▶ tui_run
 */
#ifndef SONDE_TUI_TUI_H
#define SONDE_TUI_TUI_H

#include "base/errmsg.h"
#include "inputs/inputs.h"
#include "view/stage.h"

struct tui_config {
	struct stage *stage;
	struct inputs *inputs; /* the opened files, for what `info` says */
	int signals;	       /* from tui_catch_signals() */
	/* the first range on the screen, from the trace's start; equal: the whole trace */
	uint64_t from, to;
};

/*
 * From now on, signals that end the program or change the window are read from a descriptor, by the
 * first thread, which must call this. Returns the descriptor or a negative errno.
 */
int tui_catch_signals(struct errmsg *err);

/* Shows the trace until the user quits, a signal comes, or the terminal is gone. */
int tui_run(const struct tui_config *config, struct errmsg *err);

#endif
