/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * asfile.h - a perf.data as a trace file: ordinary events, and samples as in
 * store/events/sampleevents.h.
 */
#ifndef SONDE_INPUTS_PERFDATA_ASFILE_H
#define SONDE_INPUTS_PERFDATA_ASFILE_H

struct errmsg;
struct foreign_config;

/* Returns 0, or 1 if the input is damaged: then the output has what could be read. */
int perffile_convert(const struct foreign_config *config, struct errmsg *err);

#endif
