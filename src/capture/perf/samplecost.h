/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samplecost.h - what a sample costs the program that is sampled.
 */
#ifndef SONDE_CAPTURE_PERF_SAMPLECOST_H
#define SONDE_CAPTURE_PERF_SAMPLECOST_H

struct perf_event_attr;

/*
 * Measures how many ns the kernel needs to store a sample of such an event, with its stack; 0:
 * unknown. Takes about a millisecond, and locks memory meanwhile.
 */
double samplecost_measure(const struct perf_event_attr *attr);

#endif
