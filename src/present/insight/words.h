/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - describes tasks, lengths of time, interrupts and pieces of a critical path in words.
 *
 * Each function writes a text of at most size bytes, truncates a longer one, and returns buf.
 */
#ifndef SONDE_PRESENT_INSIGHT_WORDS_H
#define SONDE_PRESENT_INSIGHT_WORDS_H

#include "timeline/insight/insight.h"

#define TASK_NAME_MAX	   64
#define INTERRUPT_NAME_MAX 160
#define WHY_SENTENCE_MAX   640

/* Writes "bash-812", or "an unknown task". */
const char *task_name_fmt(const struct timeline *tl, int task, char *buf, size_t size);
/* Writes "6.190 ms", or "77 cycles" if the clock does not count time. */
const char *length_fmt(const struct timeline *tl, uint64_t n, char *buf, size_t size);
/* Like length_fmt(), in six characters or less, with three digits: "12.3ms", "1.20s". */
const char *short_length_fmt(const struct timeline *tl, uint64_t n, char *buf, size_t size);
/*
 * Writes a time since the trace's start as a time of the trace's clock, as report shows it:
 * "52.129869".
 */
const char *moment_fmt(const struct timeline *tl, uint64_t t, char *buf, size_t size);
/*
 * Writes "interrupt 27 (eth0)" or "soft interrupt 3 (NET_RX)", or "an interrupt" if its number was
 * not recorded.
 */
const char *interrupt_fmt_name(const struct interrupt *i, char *buf, size_t size);
/* Writes "waits for CPU 1, which runs cc1-12; make-7 waits for it". */
const char *why_fmt_sentence(const struct timeline *tl, const struct why_piece *p, char *buf,
			     size_t size);
/*
 * Like why_fmt_sentence(), in fewer words, for a table: "waits behind cc1-12 +2" (two more tasks),
 * without the CPU.
 */
const char *why_fmt_short(const struct timeline *tl, const struct why_piece *p, char *buf,
			  size_t size);

#endif
