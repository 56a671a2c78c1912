/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * asfile.h - a uftrace.data directory as a trace file, so that every command can read it.
 */
#ifndef SONDE_INPUTS_UFTRACE_ASFILE_H
#define SONDE_INPUTS_UFTRACE_ASFILE_H

struct errmsg;
struct tracefile;

/*
 * Opens the directory as a trace file. Its calls become events of sonde record -u, in a temporary
 * file without a name. Task switches and events are not carried over.
 */
int uftdata_open_file(struct tracefile **ret, const char *dir, struct errmsg *err);

#endif
