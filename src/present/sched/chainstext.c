// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chainstext.c - chains of wakeups.
 *
 *	Wakeups   Slept ms    Wait ms     Avg ms     Max ms  Chain
 *	    403     12.100      4.030      0.010      0.839  reader ← writer ← an interrupt
 *
 * The task on the left was woken by the one to its right. Slept: how long it had slept. Wait: from
 * the waking until it ran.
 */
#include "analyse/sched/schedchains.h"
#include "base/json/jsonwriter.h"
#include "present/sched/schedtext.h"

#include <inttypes.h>

static void fmt_row(const struct sched_view *v, const struct sched_chain_sum *r, struct textbuf *tb)
{
	const uint64_t columns[] = {r->sleep_ns, r->wait_ns, r->wait_ns / r->n, r->max_wait};

	textbuf_addf(tb, "%9" PRIu64, r->n);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		textbuf_add_char(tb, ' ');
		sched_fmt_ms(v, true, columns[i], i < 2 ? 12 : 10, tb);
	}
	textbuf_add_str(tb, "  ");
	textbuf_add_str(tb, r->label);
	textbuf_add_char(tb, '\n');
}

void schedtext_fmt_chains(const struct sched_view *v, const struct schedchains *c,
			  struct textbuf *tb)
{
	size_t n;
	const struct sched_chain_sum *const *rows = schedchains_rows(c, &n);

	textbuf_addf(tb, "%9s %12s %12s %10s %10s  %s\n", "Wakeups",
		     v->in_time ? "Slept ms" : "Slept", v->in_time ? "Wait ms" : "Wait", "Avg",
		     "Max", "Chain");
	for (size_t i = 0; i < n && i < v->n_rows; i++)
		fmt_row(v, rows[i], tb);
	if (n > v->n_rows)
		textbuf_addf(tb, "… and %zu more chains\n", n - v->n_rows);
	sched_fmt_gaps(v, tb);
}

static void add_row(const struct sched_chain_sum *r, struct jsonwriter *w)
{
	jsonwriter_open(w, NULL, '{');
	jsonwriter_open(w, "chain", '[');
	for (unsigned i = 0; i < r->n_links; i++) {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_bool(w, "interrupt", r->links[i].in_irq);
		jsonwriter_add_string(w, "comm", r->links[i].task->comm);
		jsonwriter_add_int(w, "pid", r->links[i].task->pid);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	jsonwriter_add_uint(w, "wakeups", r->n);
	jsonwriter_add_uint(w, "sleep_ns", r->sleep_ns);
	jsonwriter_add_uint(w, "wait_ns", r->wait_ns);
	jsonwriter_add_uint(w, "max_wait_ns", r->max_wait);
	jsonwriter_add_uint(w, "max_at", r->max_ts);
	jsonwriter_close(w);
}

void schedtext_fmt_chains_json(const struct sched_view *v, const struct schedchains *c,
			       struct textbuf *tb)
{
	struct jsonwriter w;
	size_t n;
	const struct sched_chain_sum *const *rows = schedchains_rows(c, &n);

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_open(&w, "chains", '[');
	for (size_t i = 0; i < n && i < v->n_rows; i++)
		add_row(rows[i], &w);
	jsonwriter_close(&w);
	sched_json_gaps(v, &w);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}
