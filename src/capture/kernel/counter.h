/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter.h - converts the processor's counter (the clock x86-tsc) to nanoseconds: the clock
 * tsc2nsec.
 */
#ifndef SONDE_CAPTURE_KERNEL_COUNTER_H
#define SONDE_CAPTURE_KERNEL_COUNTER_H

#include <stdint.h>

struct counter_rate {
	uint32_t mult, shift; /* ns = counter * mult >> shift */
};

/*
 * Reads the rate. Returns -ENOTSUP if the kernel does not provide it, or if the counter is not
 * constant.
 */
int counter_read_rate(struct counter_rate *ret_rate);

#endif
