// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callstable.c - prints the summary of system calls.
 *
 *	 % time     total    calls  errors      avg      p50      p95      p99      max  syscall
 *	  51.02   0.012 s     1200       3   10.1 us   9.8 us …                          read
 */
#include "present/syscalls/callstable.h"

#include "base/json/jsonwriter.h"
#include "base/textbuf.h"
#include "symbols/tables/syscalls.h"

#include <inttypes.h>
#include <stdio.h>

/* A duration with three digits and its unit. */
static void add_ns(struct textbuf *tb, uint64_t ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	double v = (double)ns;
	int unit = 0;

	while (v >= 999.5 && unit < 3) {
		v /= 1000;
		unit++;
	}
	textbuf_addf(tb, " %7.*f %-2s",
		     !unit || v >= 99.95 ? 0
		     : v >= 9.995	 ? 1
					 : 2,
		     v, units[unit]);
}

static const char *name_of(const struct callsummary_row *row, char *buf, size_t size)
{
	const char *name = syscall_name(syscalls_for_audit(row->machine), row->nr);

	if (!name)
		snprintf(buf, size, "syscall_%u", row->nr);
	return name ? name : buf;
}

static void add_row(struct textbuf *tb, const struct callsummary_row *row, uint64_t all)
{
	const struct latency_spread *s = &row->spread;
	char errors[24] = "", buf[32];

	if (row->n_errors)
		snprintf(errors, sizeof(errors), "%" PRIu64, row->n_errors);
	textbuf_addf(tb, "%6.2f", all ? 100.0 * (double)s->total / (double)all : 0);
	add_ns(tb, s->total);
	textbuf_addf(tb, " %9" PRIu64 " %8s", s->n, errors);
	add_ns(tb, s->n ? s->total / s->n : 0);
	add_ns(tb, latency_spread_percentile(s, 5000));
	add_ns(tb, latency_spread_percentile(s, 9500));
	add_ns(tb, latency_spread_percentile(s, 9900));
	add_ns(tb, s->max);
	textbuf_addf(tb, " %s\n", name_of(row, buf, sizeof(buf)));
}

void callstable_fmt(struct callsummary *s, enum callsummary_key key, struct textbuf *tb)
{
	uint64_t total = 0, calls = 0, errors = 0;
	size_t n;
	const struct callsummary_row *const *rows = callsummary_sort(s, key, &n);

	for (size_t i = 0; i < n; i++) {
		total += rows[i]->spread.total;
		calls += rows[i]->spread.n;
		errors += rows[i]->n_errors;
	}
	textbuf_addf(tb, "%6s %10s %9s %8s %10s %10s %10s %10s %10s %s\n", "% time", "total",
		     "calls", "errors", "average", "p50", "p95", "p99", "max", "system call");
	for (size_t i = 0; i < n; i++)
		add_row(tb, rows[i], total);
	textbuf_addf(tb, "%6.2f", 100.0);
	add_ns(tb, total);
	textbuf_addf(tb, " %9" PRIu64 " %8" PRIu64, calls, errors);
	add_ns(tb, calls ? total / calls : 0);
	textbuf_addf(tb, "%44s total\n", "");
	if (callsummary_n_lost(s))
		textbuf_addf(tb, "<... %" PRIu64 " system calls lost ...>\n",
			     callsummary_n_lost(s));
}

void callstable_fmt_json(struct callsummary *s, enum callsummary_key key, struct textbuf *tb)
{
	size_t n;
	const struct callsummary_row *const *rows = callsummary_sort(s, key, &n);

	for (size_t i = 0; i < n; i++) {
		const struct latency_spread *sp = &rows[i]->spread;
		struct jsonwriter w;
		char buf[32];

		jsonwriter_init(&w, tb);
		jsonwriter_open(&w, NULL, '{');
		jsonwriter_add_string(&w, "syscall", name_of(rows[i], buf, sizeof(buf)));
		jsonwriter_add_uint(&w, "nr", rows[i]->nr);
		jsonwriter_add_uint(&w, "calls", sp->n);
		jsonwriter_add_uint(&w, "errors", rows[i]->n_errors);
		jsonwriter_add_uint(&w, "total_ns", sp->total);
		jsonwriter_add_uint(&w, "min_ns", sp->min);
		jsonwriter_add_uint(&w, "p50_ns", latency_spread_percentile(sp, 5000));
		jsonwriter_add_uint(&w, "p95_ns", latency_spread_percentile(sp, 9500));
		jsonwriter_add_uint(&w, "p99_ns", latency_spread_percentile(sp, 9900));
		jsonwriter_add_uint(&w, "max_ns", sp->max);
		jsonwriter_close(&w);
		textbuf_add_char(tb, '\n');
	}
	if (callsummary_n_lost(s))
		textbuf_addf(tb, "{\"lost\":%" PRIu64 "}\n", callsummary_n_lost(s));
}
