/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - tasks, lengths of time, interrupts and pieces of a critical path in words.
 *
 * Each writes a text of at most size bytes, cut off where it is longer, and returns buf.
 */
#ifndef SONDE_PRESENT_INSIGHT_WORDS_H
#define SONDE_PRESENT_INSIGHT_WORDS_H

#include "timeline/insight/insight.h"

#define TASK_NAME_MAX	   64
#define INTERRUPT_NAME_MAX 160
#define WHY_SENTENCE_MAX   640

/* "bash-812"; "an unknown task". */
const char *task_name_fmt(const struct timeline *tl, int task, char *buf, size_t size);
/* "6.190 ms"; "77 cycles" if the clock does not count time. */
const char *length_fmt(const struct timeline *tl, uint64_t n, char *buf, size_t size);
/* The same in six characters or less, three digits: "12.3ms", "1.20s". */
const char *short_length_fmt(const struct timeline *tl, uint64_t n, char *buf, size_t size);
/* A time since the trace's start, on its own clock as report shows it: "52.129869". */
const char *moment_fmt(const struct timeline *tl, uint64_t t, char *buf, size_t size);
/* "interrupt 27 (eth0)", "soft interrupt 3 (NET_RX)"; "an interrupt": which one was not recorded. */
const char *interrupt_fmt_name(const struct interrupt *i, char *buf, size_t size);
/* "waits for CPU 1, which runs cc1-12; make-7 waits for it" */
const char *why_fmt_sentence(const struct timeline *tl, const struct why_piece *p, char *buf,
			     size_t size);
/* The same in fewer words, for a table: "waits behind cc1-12 +2", which are two more tasks; without the CPU */
const char *why_fmt_short(const struct timeline *tl, const struct why_piece *p, char *buf,
			  size_t size);

#endif
