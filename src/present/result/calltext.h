/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calltext.h - prints call chains as a text tree, as trace-cmd hist does. */
#ifndef SONDE_PRESENT_RESULT_CALLTEXT_H
#define SONDE_PRESENT_RESULT_CALLTEXT_H

#include "analyse/callhist.h"
#include "base/textbuf.h"

/* Prints one top function with its callers. by_task: the head names the task. */
void calltext_fmt(const struct callhist *h, const struct call_node *top, bool by_task,
		  struct textbuf *tb);

#endif
