/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * library.h - the preload library (libsonde-rt.so) and the one for running processes
 * (libsonde-rt-attached.so), as bytes inside the program `sonde`. So sonde is one file that works
 * anywhere. tools/gen-bytes makes the bytes. Without bytes, this processor has no hooks.
 */
#ifndef SONDE_RUNTIME_LIBRARY_H
#define SONDE_RUNTIME_LIBRARY_H

#include <stddef.h>

extern const unsigned char runtime_library[];
extern const size_t runtime_library_bytes;
extern const unsigned char runtime_attached[] __attribute__((aligned(16)));
extern const size_t runtime_attached_bytes;

#endif
