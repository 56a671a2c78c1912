/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cutfile.h - survives that a mapped file becomes shorter while it is read. */
#ifndef SONDE_CLI_VIEW_CUTFILE_H
#define SONDE_CLI_VIEW_CUTFILE_H

#include <stdbool.h>

/*
 * From now on, a page that a mapped file has lost reads as zeros, which readers treat as damage,
 * instead of ending the process.
 */
void cutfile_survive(void);
/* Returns true if that happened since the last call. */
bool cutfile_happened(void);

#endif
