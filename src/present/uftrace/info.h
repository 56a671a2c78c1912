/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * info.h - `uftrace info`: what a recording says about itself, its tasks, its symbols.
 */
#ifndef SONDE_PRESENT_UFTRACE_INFO_H
#define SONDE_PRESENT_UFTRACE_INFO_H

#include "inputs/uftrace/data.h"
#include "present/uftrace/out.h"

void uft_info_print(const struct uftdata *d, struct uft_out *o);
void uft_info_print_tasks(struct uftdata *d, struct uft_out *o);
void uft_info_print_symbols(const struct uftdata *d, struct uft_out *o);

#endif
