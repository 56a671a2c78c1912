// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpufilter.h - turns a CPU mask into a filter, for triggers and BPF programs, which ignore
 * tracing_cpumask.
 */
#ifndef SONDE_CPUFILTER_H
#define SONDE_CPUFILTER_H

#include "base/textbuf.h"

/*
 * Adds "CPU >= 0 && CPU <= 3 || CPU == 5" for the mask "2f", in hex as tracing_cpumask takes it.
 * Adds nothing for "-1", which is every CPU. An empty mask gives a filter that is never true.
 */
void cpufilter_fmt(const char *mask, struct textbuf *tb);

#endif
