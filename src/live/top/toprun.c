// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * toprun.c - one thread reads the rings of the kernel, adds samples to a table, and shows it.
 *
 *	sampling_read ─▶ pages ─▶ samples ─▶ toptable ─┬─ every delay ─▶ names, rows ─▶ show
 *	      └────────── poll: a signal, a key, 10 ms ┘
 *
 * Pages are those of a trace file, so that samples have one form everywhere; nothing is stored.
 */
#include "live/top/toprun.h"

#include "base/clock.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/record/endsignals.h"
#include "decode/walker.h"
#include "format/bytes.h"
#include "store/events/sampleevents.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE_BYTES     4096u
#define TEXT_MAX_BYTES (256u << 20)
#define OLD_PART       0.875 /* of each weight stays for the next table, as in perf */

struct run {
	struct toprun *t;
	struct sampling *sampling;
	struct toptable *table;
	struct textbuf symbols;
	size_t symbols_from;
	uint64_t n_new, last_ns;
	unsigned n_pictures;
	int signal_fd;
};

static void add_record(struct run *run, unsigned cpu, const struct walked *w)
{
	struct sampleevents_sample s;
	size_t n = w->size < sizeof(s) ? w->size : sizeof(s), n_stack;

	if (n < SAMPLEEVENTS_SAMPLE_BYTES)
		return;
	memcpy(&s, w->data, n);
	if (s.type != SAMPLEEVENTS_SAMPLE)
		return;
	n_stack = (s.stack_loc >> 16) / sizeof(*s.stack);
	if (n_stack > (n - SAMPLEEVENTS_SAMPLE_BYTES) / sizeof(*s.stack))
		n_stack = (n - SAMPLEEVENTS_SAMPLE_BYTES) / sizeof(*s.stack);
	if (!n_stack) {
		s.stack[0] = s.ip;
		n_stack = 1;
	}
	/* stacks would only split the cells of a table without callers */
	if (!run->t->table.has_callers && !run->t->table.has_children)
		n_stack = 1;
	toptable_add(run->table, &(struct topsample){.event = s.event,
						     .tid = s.pid,
						     .tgid = s.tgid,
						     .cpu = (int)cpu,
						     .period = s.period,
						     .stack = s.stack,
						     .n_stack = n_stack});
	run->n_new++;
}

static int take_page(void *ctx, unsigned cpu, const void *page, size_t n_bytes)
{
	static const struct page_layout layout = {.long_size = 8, .data_offset = 16};
	struct walker w;
	struct walked record;

	if (!walker_start(&w, page, n_bytes, &layout))
		return 0;
	while (walker_next(&w, &record))
		add_record(ctx, cpu, &record);
	return 0;
}

/* The name of an event: "E NUMBER NAME". */
static bool find_event(const char *option, uint32_t number, char *buf, size_t n_bytes)
{
	for (const char *line = option; *line;) {
		size_t len = strcspn(line, "\n");
		char *end;

		if (line[0] == 'E' && line[1] == ' ' && strtoul(line + 2, &end, 10) == number &&
		    *end == ' ') {
			snprintf(buf, n_bytes, "%.*s", (int)(line + len - end - 1), end + 1);
			return true;
		}
		line += len + (line[len] == '\n');
	}
	return false;
}

static int show_event(struct run *run, const struct topnames *names, struct toppicture *p)
{
	SCOPED(toprows_release) struct toprows rows = {0};

	if (toptable_rows(run->table, &run->t->table, names, &rows) < 0)
		return -ENOMEM;
	p->rows = &rows;
	p->kernel_share = rows.weight > 0 ? 100 * rows.kernel / rows.weight : 0;
	return run->t->show(run->t->ctx, p);
}

static int show(struct run *run)
{
	TEXTBUF(tasks, TEXT_MAX_BYTES);
	TEXTBUF(option, TEXT_MAX_BYTES);
	struct sampling_sum sum;
	uint64_t now = clock_now_ns();
	char event[256];
	struct toppicture p = {.config = &run->t->table, .event = event};
	struct topnames names;
	int r = 0;

	sampling_add_new_symbols(run->sampling, &run->symbols_from, &run->symbols);
	sampling_add_names(run->sampling, &tasks);
	sampling_fmt_option(run->sampling, &option);
	sampling_get_sum(run->sampling, &sum);
	names = (struct topnames){.symbols = PIECE_OF_TEXT(&run->symbols),
				  .tasks = PIECE_OF_TEXT(&tasks),
				  .option = PIECE_OF_TEXT(&option)};
	p.rate = sum.rate;
	p.n_lost = sum.n_lost;
	p.n_dropped = toptable_n_dropped(run->table);
	p.is_only_user = sum.is_only_user;
	p.is_clock = sum.is_clock;
	p.n_a_second = (double)run->n_new * 1e9 / (double)(now - run->last_ns + 1);
	run->n_pictures++;
	while (find_event(textbuf_text(&option), (uint32_t)p.n_events, event, sizeof(event)))
		p.n_events++;
	for (uint32_t i = 0; !r && i < p.n_events; i++) {
		find_event(textbuf_text(&option), i, event, sizeof(event));
		run->t->table.event = i;
		r = show_event(run, &names, &p);
	}
	run->n_new = 0;
	run->last_ns = now;
	toptable_age(run->table, run->t->zeroes ? 0 : OLD_PART);
	return r;
}

/* Returns 1 to end. */
static int wait_for(struct run *run, int us)
{
	struct pollfd fds[] = {{.fd = run->signal_fd, .events = POLLIN},
			       {.fd = run->t->input_fd, .events = POLLIN}};
	int ms = us / 1000 > 0 ? us / 1000 : 1;

	if (poll(fds, 2, ms) <= 0)
		return 0;
	if (fds[0].revents && endsignals_take(run->signal_fd, 0))
		return 1;
	if (fds[1].revents && run->t->input)
		return run->t->input(run->t->ctx);
	return 0;
}

static int loop(struct run *run)
{
	uint64_t next = run->last_ns = clock_now_ns();
	int r = 0;

	next += (uint64_t)run->t->delay_ms * 1000000;
	while (!r) {
		int us = sampling_read(run->sampling, false);

		TRY(us);
		r = wait_for(run, us);
		if (r)
			break;
		if (clock_now_ns() >= next || sampling_is_over(run->sampling)) {
			r = show(run);
			next = clock_now_ns() + (uint64_t)run->t->delay_ms * 1000000;
			if (!r && ((run->t->n_pictures && run->n_pictures >= run->t->n_pictures) ||
				   sampling_is_over(run->sampling)))
				r = 1;
		}
	}
	return r;
}

static int start(struct run *run, struct errmsg *err)
{
	struct sampling_config config;

	samplechoice_config(run->t->samples, &config);
	config.is_alone = true; /* the kernel's symbols, too */
	run->table = toptable_new();
	if (!run->table)
		return -ENOMEM;
	TRY(sampling_open(&run->sampling, &config, err));
	TRY(sampling_attach(run->sampling, 0, err));
	TRY(endsignals_open(&run->signal_fd, err));
	return sampling_start_live(run->sampling, take_page, run,
				   (unsigned)sysconf(_SC_NPROCESSORS_CONF), PAGE_BYTES, err);
}

int toprun(struct toprun *t, struct errmsg *err)
{
	struct run run = {.t = t, .signal_fd = -1};
	int r;

	textbuf_init(&run.symbols, TEXT_MAX_BYTES);
	r = start(&run, err);
	if (r >= 0)
		r = loop(&run);
	sampling_close(run.sampling);
	toptable_free(run.table);
	textbuf_release(&run.symbols);
	endsignals_close(&run.signal_fd);
	if (r < 0 && !err->code)
		return errmsg_set_errno(err, r, "cannot sample");
	return r < 0 ? r : 0;
}
