/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampleregs.h - the registers that samples have for unwinding, by their numbers in DWARF.
 *
 * The kernel stores the registers of a mask in the order of its own numbers. On x86-64 all general
 * registers are asked for: at the first frame the rules of a signal handler or of hand-written code
 * may need any of them.
 */
#ifndef SONDE_CAPTURE_PERF_SAMPLEREGS_H
#define SONDE_CAPTURE_PERF_SAMPLEREGS_H

#include <stdint.h>

struct sampleregs_row {
	uint8_t perf, dwarf;
};

#if defined(__x86_64__)
/* ax bx cx dx si di bp sp ip r8 … r15 */
static const struct sampleregs_row sampleregs_rows[] = {
	{0, 0},	 {1, 3},  {2, 2},   {3, 1},   {4, 4},	{5, 5},	  {6, 6},   {7, 7},   {8, 16},
	{16, 8}, {17, 9}, {18, 10}, {19, 11}, {20, 12}, {21, 13}, {22, 14}, {23, 15},
};
#define SAMPLEREGS_IP 16
#elif defined(__aarch64__)
static const struct sampleregs_row sampleregs_rows[] = {
	{19, 19}, {20, 20}, {21, 21}, {22, 22}, {23, 23}, {24, 24}, {25, 25},
	{26, 26}, {27, 27}, {28, 28}, {29, 29}, {30, 30}, {31, 31}, {32, 32},
};
#define SAMPLEREGS_IP 32
#else
static const struct sampleregs_row sampleregs_rows[] = {{0, 0}};
#define SAMPLEREGS_IP	0
#define SAMPLEREGS_NONE 1
#endif

#define SAMPLEREGS_N (sizeof(sampleregs_rows) / sizeof(sampleregs_rows[0]))

static inline uint64_t sampleregs_mask(void)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < SAMPLEREGS_N; i++)
		mask |= UINT64_C(1) << sampleregs_rows[i].perf;
	return mask;
}

#endif
