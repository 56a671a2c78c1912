/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * asfile.h - a uftrace.data directory as a trace file, so that every command can read it.
 */
#ifndef SONDE_INPUTS_UFTRACE_ASFILE_H
#define SONDE_INPUTS_UFTRACE_ASFILE_H

struct errmsg;
struct foreign_config;

/*
 * Its calls become events of sonde record -u, its task switches those of the scheduler. Other events
 * are not carried over.
 */
int uftdata_convert(const struct foreign_config *config, struct errmsg *err);

#endif
