/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.h - which tasks are of the command that was recorded.
 */
#ifndef SONDE_VIEW_COMMAND_H
#define SONDE_VIEW_COMMAND_H

#include "view/stage.h"

/* Whether a task, by its number, is of it; false where nothing tells, or not all is indexed yet. From any thread. */
bool command_has_task(struct stage *st, size_t task);

#endif
