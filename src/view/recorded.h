/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorded.h - which tasks are of the command that was recorded.
 */
#ifndef SONDE_VIEW_RECORDED_H
#define SONDE_VIEW_RECORDED_H

#include "view/stage.h"

/* Whether a task, by its number, is of it; false where nothing tells, or not all is indexed yet. From any thread. */
bool recorded_has_task(struct stage *st, size_t task);
/* The command itself; -1 where nothing tells. From any thread. */
int recorded_first_task(struct stage *st);

#endif
