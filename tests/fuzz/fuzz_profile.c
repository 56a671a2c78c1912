// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_profile.c - any sequence of events, with any hook, through a profile and its three texts.
 *
 *	input:  u8 options  hook text NUL  { u8 event  u8 cpu  u8 pid  u8 later  u8 len  len bytes }…
 *	options: bit 0 -G  1 --by-comm  2 as trace-cmd  3 filtered
 *	cpu: the upper two bits: events were lost before; time goes backwards
 *
 * Each record is a copy that ends where it does, and is gone after it was added: nothing of it may
 * be kept by address. What comes out must be true of itself: a mean between the extremes, stacks
 * that were seen no more often than their row.
 */
#include "analyse/profile/profile.h"
#include "present/profile/profilejson.h"
#include "present/profile/profilepeer.h"
#include "../lib/profileformats.h"

#define TEXT_MAX_BYTES (8u << 20)

struct fixture {
	uint8_t file[32768];
	struct tracefile *tf;
	struct formats *formats;
	struct tasks tasks;
};

static struct fixture *fixture_get(void)
{
	static struct fixture fx;

	if (fx.formats)
		return &fx;
	if (MEMTRACE_OPEN(&fx, profile_formats, N_PROFILE_FORMATS, profile_kallsyms,
			  "7 bash\n8 cat\n9 cat\n") < 0 ||
	    tasks_init(&fx.tasks, tracefile_text(fx.tf, TRACEFILE_CMDLINES)) < 0)
		abort();
	return &fx;
}

static void add(void *ctx, const struct record *rec)
{
	profile_add(ctx, rec);
}

static void check_row(struct profile *p, const struct profile_row *r)
{
	struct profile_stack *stacks = profile_stacks(p, r);
	const struct profile_times *t = &r->times;

	if (!t->n || t->min > t->max || t->total / t->n > t->max)
		abort();
	for (size_t i = 0; i < r->n_stacks; i++)
		if (!stacks[i].n_frames || !stacks[i].times.n || stacks[i].times.max > t->max)
			abort();
	free(stacks);
}

static void print(struct profile *p, bool as_trace_cmd)
{
	const struct profile_style style = {.file = "file"};
	const struct profile_task *const *tasks;
	struct textbuf tb;
	size_t n;

	textbuf_init(&tb, TEXT_MAX_BYTES);
	profiletext_fmt_head(p, &style, false, &tb);
	profilejson_fmt_head(p, &style, &tb);
	tasks = profile_tasks(p, &n);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < tasks[i]->n_rows; k++)
			check_row(p, tasks[i]->rows[k]);
		if (as_trace_cmd)
			profilepeer_fmt_task(p, tasks[i], &tb);
		profiletext_fmt_task(p, tasks[i], &style, &tb);
		profilejson_fmt_task(p, tasks[i], &style, &tb);
	}
	profiletext_fmt_tail(p, &tb);
	textbuf_release(&tb);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	struct fixture *fx = fixture_get();
	uint8_t options = n ? input[0] : 0;
	struct profile_config config = {.global = options & 1,
					.by_comm = options & 2,
					.as_trace_cmd = options & 4,
					.filtered = options & 8};
	size_t len = n ? strnlen((const char *)input + 1, n - 1) : 0;
	struct errmsg err = {0};
	struct profile_hook hook = {0};
	struct profile *p;

	if (n < 2)
		return 0;
	if (profile_hook_parse(&hook, (const char *)input + 1, len, &err) == 0) {
		config.hooks = &hook;
		config.n_hooks = 1;
	} else if (!err.text[0]) {
		abort(); /* refused without a reason */
	}
	if (profile_new(&p, fx->formats, &fx->tasks, &config, &err) == 0) {
		if (len + 2 < n)
			profile_feed(fx->formats, input + len + 2, n - len - 2, add, p);
		if (profile_finish(p) == 0)
			print(p, config.as_trace_cmd);
		profile_free(p);
	}
	profile_hook_release(&hook);
	return 0;
}
