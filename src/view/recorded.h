/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorded.h - the tasks of the recorded command.
 */
#ifndef SONDE_VIEW_RECORDED_H
#define SONDE_VIEW_RECORDED_H

#include "view/stage.h"

/*
 * Does a task, by its number, belong to the command? False also if that is unknown, or if indexing
 * has not ended. Any thread.
 */
bool recorded_has_task(struct stage *st, size_t task);
/* The command's first task; -1 if unknown. Any thread. */
int recorded_first_task(struct stage *st);

#endif
