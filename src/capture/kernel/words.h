/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - names that the running kernel knows: events, functions, modules, probes, tracers, clocks, options, instances.
 */
#ifndef SONDE_CAPTURE_KERNEL_WORDS_H
#define SONDE_CAPTURE_KERNEL_WORDS_H

#include <stdbool.h>

/* kind: "event", "function", "module", "probe", "tracer", "clock", "option", "instance". False: there is no such kind. */
bool kernelwords_each(const char *kind, const char *prefix,
		      void (*take)(void *ctx, const char *word), void *ctx);

/* Also true if nobody knows: whoever needs the tracer tells why it cannot be had. */
bool kernelwords_may_have_tracer(const char *name);

#endif
