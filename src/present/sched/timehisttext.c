// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timehisttext.c - one line per switch: of the task that leaves the CPU.
 *
 *	           time    cpu  task name                       wait time  sch delay   run time
 *	                        [tid/pid]                          (msec)     (msec)     (msec)
 *	--------------- ------  ------------------------------  ---------  ---------  ---------
 *	   79371.874569 [0011]  gcc[31949]                          0.014      0.000      1.148
 *
 * wait time: off the CPU before this turn; sch delay: the part of it in which the task was
 * runnable; run time: the turn itself. "-" means that it is not known: perf prints 0.000 then.
 *
 * A stack is an event behind its switch. Events of other CPUs may be in between, so with stacks
 * each line waits until the next event of its CPU, and those behind it wait, too.
 */
#include "present/sched/timehisttext.h"

#include "base/array.h"
#include "decode/taskstate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMM_WIDTH     30
#define HELD_MAX_BYTES (16u << 20)
#define LINES_MAX      4096

struct timehist_line {
	size_t start, end; /* in held */
	uint32_t cpu;
	bool waits;
	const struct sched_stack *stack;
};

void timehist_init(struct timehist *h, const struct sched_view *view,
		   const struct timehist_config *config, struct textbuf *out)
{
	*h = (struct timehist){
		.view = *view, .config = *config, .comm_width = COMM_WIDTH, .out = out};
	h->view.n_frames = config->n_frames;
	textbuf_init(&h->held, HELD_MAX_BYTES);
}

void timehist_release(struct timehist *h)
{
	free(h->lines);
	textbuf_release(&h->held);
}

/* --- lines that wait for a stack -------------------------------------------------------------- */

static struct textbuf *line_start(struct timehist *h)
{
	return h->config.stacks ? &h->held : h->out;
}

static void drain(struct timehist *h, bool all)
{
	size_t n = 0;

	for (; n < h->n_lines && (all || !h->lines[n].waits); n++) {
		const struct timehist_line *l = &h->lines[n];

		textbuf_add(h->out, h->held.start + l->start, l->end - l->start);
		if (l->stack) {
			textbuf_add_str(h->out, "   ");
			if (h->config.as_perf)
				sched_fmt_stack_as_perf(&h->view, l->stack, h->out);
			else
				sched_fmt_stack(&h->view, l->stack, true, " <- ", h->out);
		}
		textbuf_add_char(h->out, '\n');
	}
	if (!n)
		return;
	memmove(h->lines, h->lines + n, (h->n_lines - n) * sizeof(*h->lines));
	h->n_lines -= n;
	if (!h->n_lines)
		textbuf_clear(&h->held);
}

static void line_end(struct timehist *h, size_t start, uint32_t cpu, bool waits)
{
	struct textbuf *tb = line_start(h);

	while (!h->config.as_perf && textbuf_len(tb) > start && tb->pos[-1] == ' ')
		tb->pos--;
	if (!h->config.stacks) {
		textbuf_add_char(h->out, '\n');
		return;
	}
	for (size_t i = 0; i < h->n_lines; i++)
		h->lines[i].waits &= h->lines[i].cpu != cpu;
	if (h->n_lines == LINES_MAX)
		drain(h, true);
	if (ARRAY_ROOM(h->lines, h->cap_lines, h->n_lines + 1, LINES_MAX))
		h->lines[h->n_lines++] = (struct timehist_line){
			.start = start, .end = textbuf_len(&h->held), .cpu = cpu, .waits = waits};
	drain(h, false);
}

void timehist_add_stack(struct timehist *h, uint32_t cpu, const struct sched_stack *stack)
{
	for (size_t i = h->n_lines; i-- > 0;)
		if (h->lines[i].cpu == cpu && h->lines[i].waits) {
			h->lines[i].stack = stack;
			h->lines[i].waits = false;
			break;
		}
	drain(h, false);
}

void timehist_end(struct timehist *h)
{
	drain(h, true);
}

/* --- text ------------------------------------------------------------------------------------- */

static int name_of(const struct sched_task *t, char *name, size_t size)
{
	if (!t)
		return snprintf(name, size, "?");
	if (!t->pid)
		return snprintf(name, size, "<idle>");
	if (t->tgid >= 0 && t->tgid != t->pid)
		return snprintf(name, size, "%s[%d/%d]", t->comm, t->pid, t->tgid);
	return snprintf(name, size, "%s[%d]", t->comm, t->pid);
}

static void fmt_padded(struct timehist *h, const char *name, int n, struct textbuf *tb)
{
	if (n > 0 && (unsigned)n > h->comm_width)
		h->comm_width = (unsigned)n;
	textbuf_add_str(tb, name);
	if (n > 0 && (unsigned)n < h->comm_width)
		textbuf_add_fill(tb, ' ', h->comm_width - (unsigned)n);
}

static void fmt_name(struct timehist *h, const struct sched_task *t, struct textbuf *tb)
{
	char name[96];
	int n = name_of(t, name, sizeof(name));

	fmt_padded(h, name, n, tb);
}

void timehist_fmt_head(struct timehist *h)
{
	struct textbuf *tb = h->out;
	unsigned n = h->config.visual ? h->config.n_cpus : 0;

	if (h->config.json)
		return;
	textbuf_addf(tb, "%15s %6s  ", "time", "cpu");
	for (unsigned i = 0; i < n; i++)
		textbuf_addf(tb, "%x", i & 15);
	textbuf_add_str(tb, n ? "  " : "");
	textbuf_addf(tb, "%-*s  %9s  %9s  %9s%s\n", COMM_WIDTH, "task name", "wait time",
		     "sch delay", "run time", h->config.state ? "  state" : "");
	textbuf_addf(tb, "%15s %6s  %*s", "", "", n ? (int)n + 2 : 0, "");
	textbuf_addf(tb, "%-*s  %9s  %9s  %9s%s\n", COMM_WIDTH, "[tid/pid]",
		     h->view.in_time ? "(msec)" : "", h->view.in_time ? "(msec)" : "",
		     h->view.in_time ? "(msec)" : "", h->config.state ? "       " : "");
	textbuf_add_str(tb, "--------------- ------  ");
	textbuf_add_fill(tb, '-', n);
	textbuf_add_str(tb, n ? "  " : "");
	textbuf_add_fill(tb, '-', COMM_WIDTH);
	textbuf_addf(tb, "  ---------  ---------  ---------%s\n", h->config.state ? "  -----" : "");
}

static void fmt_start(struct timehist *h, uint64_t ts, uint32_t cpu, char mark, uint32_t mark_cpu,
		      struct textbuf *tb)
{
	sched_fmt_moment(&h->view, ts, 15, tb);
	textbuf_addf(tb, " [%04u]  ", cpu);
	for (unsigned i = 0; h->config.visual && i < h->config.n_cpus; i++)
		textbuf_add_char(tb, i == mark_cpu ? mark : ' ');
	if (h->config.visual)
		textbuf_add_str(tb, "  ");
}

static void fmt_time(struct timehist *h, bool is_known, uint64_t ns, struct textbuf *tb)
{
	sched_fmt_ms(&h->view, is_known || h->config.as_perf, is_known ? ns : 0, 10, tb);
	textbuf_add_char(tb, ' ');
}

/* perf 6.1 knows the states of a kernel before 4.14. */
static char state_letter(const struct timehist *h, const struct sched_turn *t)
{
	static const char letters[STATES_N] = {'?', 'R', 'R', 'R', 'S', 'D', 'T', 'I', 'X'};
	static const char of_perf[] = "RSDTtZXxKWP";
	unsigned bit = t->raw_state ? 1 + (unsigned)__builtin_ctzll(t->raw_state) : 0;

	if (!t->task->pid)
		return 'I';
	if (h->config.exact)
		return bit < sizeof(of_perf) - 1 ? of_perf[bit] : '?';
	return letters[t->out_state];
}

/* Time off the CPU: asleep and runnable. */
static bool off_time(const struct sched_turn *t, uint64_t *ret)
{
	*ret = t->off_start && t->start > t->off_start ? t->start - t->off_start : 0;
	return t->off_start &&
	       (t->off_state == STATE_PREEMPTED ? t->is_wait_sure : t->is_sleep_sure);
}

static void fmt_next(struct timehist *h, const struct sched_turn *t, struct textbuf *tb)
{
	char next[96] = "";

	if (h->config.next && t->next && !t->next->pid)
		snprintf(next, sizeof(next), "next: swapper/%u[0]", t->cpu);
	else if (h->config.next && t->next)
		snprintf(next, sizeof(next), "next: %s[%d]", t->next->comm, t->next->pid);
	if (h->config.next || h->config.wakeups)
		textbuf_addf(tb, h->config.next ? " %-*s" : "  %-*s", (int)h->comm_width, next);
}

static void fmt_times(struct timehist *h, const struct sched_turn *t, struct textbuf *tb)
{
	uint64_t off;
	bool has_off = off_time(t, &off);

	fmt_time(h, has_off, off, tb);
	fmt_time(h, t->is_wait_sure, t->wait_ns, tb);
	fmt_time(h, t->is_start_sure, t->end - t->start, tb);
}

static void fmt_turn_text(struct timehist *h, const struct sched_turn *t,
			  const struct perfsched_times *times)
{
	struct textbuf *tb = line_start(h);
	size_t start = textbuf_len(tb);

	fmt_start(h, t->end, t->cpu, t->task->pid ? 's' : 'i', t->cpu, tb);
	fmt_name(h, t->task, tb);
	textbuf_add_char(tb, ' ');
	if (times) {
		fmt_time(h, true, times->off, tb);
		fmt_time(h, true, times->delay, tb);
		fmt_time(h, true, times->run, tb);
	} else {
		fmt_times(h, t, tb);
	}
	if (h->config.state)
		textbuf_addf(tb, " %5c ", state_letter(h, t));
	fmt_next(h, t, tb);
	line_end(h, start, t->cpu, true);
}

static void fmt_turn_json(struct timehist *h, const struct sched_turn *t)
{
	struct jsonwriter w;

	jsonwriter_init(&w, h->out);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "kind", "run");
	jsonwriter_add_uint(&w, "ts", t->end);
	jsonwriter_add_uint(&w, "cpu", t->cpu);
	sched_json_task("task", t->task, &w);
	if (t->is_start_sure) {
		jsonwriter_add_uint(&w, "start", t->start);
		jsonwriter_add_uint(&w, "run_ns", t->end - t->start);
	}
	jsonwriter_add_string(&w, "was", task_state_name(t->off_state));
	if (t->is_sleep_sure)
		jsonwriter_add_uint(&w, "sleep_ns", t->sleep_ns);
	if (t->is_wait_sure)
		jsonwriter_add_uint(&w, "wait_ns", t->wait_ns);
	sched_json_task("waker", t->waker, &w);
	jsonwriter_add_bool(&w, "moved", t->is_moved);
	jsonwriter_add_string(&w, "then", task_state_name(t->out_state));
	sched_json_task("next", t->next, &w);
	if (t->waker_stack)
		sched_json_stack(&h->view, "waker_stack", t->waker_stack, &w);
	if (t->off_stack)
		sched_json_stack(&h->view, "sleep_stack", t->off_stack, &w);
	jsonwriter_close(&w);
	textbuf_add_char(h->out, '\n');
}

void timehist_fmt_turn(struct timehist *h, const struct sched_turn *t,
		       const struct perfsched_times *times)
{
	if (h->config.json)
		fmt_turn_json(h, t);
	else
		fmt_turn_text(h, t, times);
}

/* --- wakeups and migrations ------------------------------------------------------------------- */

static void fmt_event_json(struct timehist *h, const char *kind, const struct sched_event *ev,
			   const struct sched_task *task, const struct sched_task *by)
{
	struct jsonwriter w;

	jsonwriter_init(&w, h->out);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "kind", kind);
	jsonwriter_add_uint(&w, "ts", ev->ts);
	jsonwriter_add_uint(&w, "cpu", ev->cpu);
	sched_json_task("task", task, &w);
	sched_json_task("by", by, &w);
	jsonwriter_add_bool(&w, "in_interrupt", ev->in_irq);
	if (ev->kind == SCHED_MIGRATE) {
		jsonwriter_add_uint(&w, "from_cpu", ev->from);
		jsonwriter_add_uint(&w, "to_cpu", ev->to);
	}
	jsonwriter_close(&w);
	textbuf_add_char(h->out, '\n');
}

static void fmt_event(struct timehist *h, const struct sched_event *ev, const struct sched_task *by,
		      char mark, uint32_t mark_cpu, struct textbuf *tb)
{
	/* perf moves these lines by two columns, and the mark by one */
	bool is_odd = h->config.visual && h->config.as_perf && mark == 'm';

	fmt_start(h, ev->ts, ev->cpu, mark, is_odd ? ev->cpu + 1 : mark_cpu, tb);
	textbuf_add_str(tb, is_odd ? "  " : "");
	/*
	 * perf calls the idle task <idle> where it runs, and swapper where it wakes or moves others
	 */
	if (h->config.as_perf && by && !by->pid)
		fmt_padded(h, "swapper", (int)strlen("swapper"), tb);
	else
		fmt_name(h, by, tb);
	textbuf_addf(tb, "  %9s  %9s  %9s  ", "", "", "");
}

void timehist_fmt_waking(struct timehist *h, const struct sched_event *ev,
			 const struct sched_task *task, const struct sched_task *waker)
{
	struct textbuf *tb = line_start(h);
	size_t start = textbuf_len(tb);
	char name[96];

	if (h->config.json) {
		fmt_event_json(h, "wakeup", ev, task, waker);
		return;
	}
	fmt_event(h, ev, waker, ' ', ev->cpu, tb);
	name_of(task, name, sizeof(name));
	textbuf_addf(tb, "awakened: %s", name);
	line_end(h, start, ev->cpu, false);
}

void timehist_fmt_migrate(struct timehist *h, const struct sched_event *ev,
			  const struct sched_task *task, const struct sched_task *by)
{
	struct textbuf *tb = line_start(h);
	size_t start = textbuf_len(tb);
	char name[96];

	if (h->config.json) {
		fmt_event_json(h, "migration", ev, task, by);
		return;
	}
	fmt_event(h, ev, by, 'm', ev->to, tb);
	name_of(task, name, sizeof(name));
	textbuf_addf(tb, "migrated: %s cpu %u => %u", name, ev->from, ev->to);
	line_end(h, start, ev->cpu, false);
}
