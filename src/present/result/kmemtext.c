// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtext.c - prints one line for each function that allocated memory.
 *
 *	                Function            	Waste	Alloc	req		TotAlloc    TotReq
 *	                 alloc_pipe_info	408	1216	808		    1216       808
 *
 * Waste, Alloc and req are the amounts at the end; Tot… is the sum of all allocations, Max… the
 * largest amount at one time. Tabs separate the columns and the first is 32 wide, as in trace-cmd
 * mem.
 */
#include "present/result/kmemtext.h"
#include "base/json/jsonwriter.h"

#include <inttypes.h>

void kmemtext_fmt_head(struct textbuf *tb)
{
	static const char *const words[][9] = {
		{"Function", "Waste", "Alloc", "req", "TotAlloc", "TotReq", "MaxAlloc", "MaxReq",
		 "MaxWaste"},
		{"--------", "-----", "-----", "---", "--------", "------", "--------", "------",
		 "--------"},
	};

	for (size_t i = 0; i < 2; i++) {
		const char *const *w = words[i];

		textbuf_addf(tb, "%24s            \t%s\t%s\t%s\t\t%s     %s\t\t%s     %s\t%s\n",
			     w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8]);
	}
}

void kmemtext_fmt_row(const struct kmem_row *r, struct textbuf *tb)
{
	textbuf_add_fill(tb, ' ', r->function_len < 32 ? 32 - r->function_len : 0);
	textbuf_add(tb, r->function, r->function_len);
	textbuf_addf(tb,
		     "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t\t%8" PRId64 "   %8" PRId64
		     "\t\t%8" PRId64 "   %8" PRId64 "\t%" PRId64 "\n",
		     r->waste, (int64_t)r->current.allocated, (int64_t)r->current.requested,
		     (int64_t)r->total.allocated, (int64_t)r->total.requested,
		     (int64_t)r->max.allocated, (int64_t)r->max.requested, r->max_waste);
}

static void add_bytes(struct jsonwriter *w, const char *key, const struct kmem_bytes *bytes)
{
	jsonwriter_open(w, key, '{');
	jsonwriter_add_uint(w, "allocated", bytes->allocated);
	jsonwriter_add_uint(w, "requested", bytes->requested);
	jsonwriter_close(w);
}

void kmemtext_fmt_json(const struct kmem_row *r, struct textbuf *tb)
{
	struct jsonwriter w;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_text(&w, "function", r->function, r->function_len);
	jsonwriter_add_int(&w, "waste", r->waste);
	add_bytes(&w, "current", &r->current);
	add_bytes(&w, "total", &r->total);
	add_bytes(&w, "max", &r->max);
	jsonwriter_add_int(&w, "max_waste", r->max_waste);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}
