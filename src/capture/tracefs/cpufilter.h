// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpufilter.h - a mask of CPUs as a filter, for what does not look at tracing_cpumask: triggers and BPF programs.
 */
#ifndef SONDE_CPUFILTER_H
#define SONDE_CPUFILTER_H

#include "base/textbuf.h"

/*
 * Adds "CPU >= 0 && CPU <= 3 || CPU == 5" for the mask "2f", in hex as tracing_cpumask takes it; nothing for "-1", which is
 * every CPU. A mask of none is never true.
 */
void cpufilter_fmt(const char *mask, struct textbuf *tb);

#endif
