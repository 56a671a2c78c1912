/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorded.h - finds the tasks of the recorded command. */
#ifndef SONDE_VIEW_RECORDED_H
#define SONDE_VIEW_RECORDED_H

#include "view/stage.h"

/*
 * Returns true if a task, by its number, belongs to the command. Returns false if that is unknown,
 * or if indexing has not ended. Any thread may call it.
 */
bool recorded_has_task(struct stage *st, size_t task);
/* Returns the command's first task, or -1 if unknown. Any thread may call it. */
int recorded_first_task(struct stage *st);

#endif
