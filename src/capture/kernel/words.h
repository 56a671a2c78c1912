/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - lists names of the running kernel: events, functions, modules, probes, tracers, clocks,
 * options, instances.
 */
#ifndef SONDE_CAPTURE_KERNEL_WORDS_H
#define SONDE_CAPTURE_KERNEL_WORDS_H

#include <stdbool.h>

/*
 * Calls take for each word. kind is "event", "function", "module", "probe", "tracer", "clock",
 * "option" or "instance". Returns false if there is no such kind.
 */
bool kernelwords_each(const char *kind, const char *prefix,
		      void (*take)(void *ctx, const char *word), void *ctx);

/*
 * Returns true if the kernel may have the tracer, also if this is unknown; the code that uses the
 * tracer then reports an error.
 */
bool kernelwords_may_have_tracer(const char *name);

#endif
