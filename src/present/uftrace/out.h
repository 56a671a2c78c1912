/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * out.h - text in uftrace's form: colours, HTML, times with units, columns.
 *
 * Text collects in a buffer; the caller's function gets it in large pieces.
 */
#ifndef SONDE_PRESENT_UFTRACE_OUT_H
#define SONDE_PRESENT_UFTRACE_OUT_H

#include "base/textbuf.h"

#include <stdbool.h>
#include <stdint.h>

#define UFT_OUT_PIECE (64u << 10)

struct uft_out {
	struct textbuf tb;
	bool colour, html;
	int (*write)(void *ctx, const char *s, size_t len); /* negative: stop */
	void *ctx;
	int status; /* what write() said last */
};

void uft_out_init(struct uft_out *o, bool colour, bool html,
		  int (*write)(void *ctx, const char *s, size_t len), void *ctx);
void uft_out_release(struct uft_out *o);
/* Passes on what has collected, if it is much; always with force. */
void uft_out_flush(struct uft_out *o, bool force);

/* code: R G B Y M C g(ray) b(old) as in triggers; 0: no colour */
void uft_out_colour(struct uft_out *o, char code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The words that switch a colour on and off; "" without colours. */
const char *uft_out_colour_on(const struct uft_out *o, char code);
const char *uft_out_colour_off(const struct uft_out *o);

/* "   1.234 us": ten columns; zero is blank. */
void uft_out_time(struct uft_out *o, uint64_t ns);
/* The same of a difference, with its sign; eleven columns. */
void uft_out_time_diff(struct uft_out *o, uint64_t base_ns, uint64_t pair_ns);
void uft_out_percent_diff(struct uft_out *o, uint64_t base, uint64_t pair);
void uft_out_count_diff(struct uft_out *o, uint64_t base, uint64_t pair);

extern const char uft_html_header[], uft_html_footer[];

#endif
