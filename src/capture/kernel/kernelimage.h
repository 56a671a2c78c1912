/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernelimage.h - makes the bytes of a trace file without events from the contents of a tracing
 * directory.
 */
#ifndef SONDE_CAPTURE_KERNEL_KERNELIMAGE_H
#define SONDE_CAPTURE_KERNEL_KERNELIMAGE_H

#include "base/textbuf.h"
#include "capture/kernel/kernelinfo.h"

void kernelimage_add(const struct kernelinfo *ki, struct textbuf *tb);

#endif
