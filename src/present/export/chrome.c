// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chrome.c - exports a trace as JSON of Chrome's trace viewer, which many programs read.
 *
 *	{"displayTimeUnit":"ns","traceEvents":[
 *	{"ph":"X","pid":0,"tid":3,"ts":12.345,"dur":6.789,"name":"bash-136"},   tasks on CPU 3
 *	{"ph":"B","pid":136,"tid":136,"ts":…,"name":"vfs_read"}, {"ph":"E",…},  functions
 *	{"ph":"X",…,"name":"read","cat":"syscall"},                             system calls
 *	{"ph":"X","pid":0,"tid":3,…,"name":"virtio0","cat":"irq"},              interrupts on CPU 3
 *	{"ph":"X","pid":9999999,"tid":136,…,"name":"sleeping","cat":"state"},   states of the task
 *	{"ph":"i","s":"t",…,"name":"sched_waking","args":{"info":"…"}},         any event
 *	{"ph":"M",…,"name":"thread_name","args":{"name":"bash"}} ]}             names, at the end
 *
 * Times are microseconds with three decimals, since the first event, so that a double holds them
 * exactly. Process 0 represents the CPUs, its threads are their numbers; it also has the events of
 * the idle task. The running task of a CPU follows from its switches and from the task of each
 * event, as in the viewer: if an unexpected task runs, or events were lost, nothing is drawn
 * between the last event of the first task and the first event of the second. States of tasks are
 * in a separate process, with a thread for each task, because they would not nest with the task's
 * functions and system calls. If the tgid is unknown, a task is its own process. Tasks of other
 * machines (guests) get numbers from 10 000 000 on.
 */
#include "base/array.h"
#include "base/json/json.h"
#include "decode/callevent.h"
#include "decode/print/print.h"
#include "format/bytes.h"
#include "present/export/slices.h"
#include "present/export/traceexport.h"
#include "symbols/tables/syscalls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS_MAX     4096 /* limit of the CPUs of a machine */
#define MACHINES_MAX 16	  /* number of machines whose CPUs are shown */
#define MACHINE_STEP 10000000
#define STATES_PID   (MACHINE_STEP - 1) /* the process whose threads are states of tasks */

#define LEAVING_NS   UINT64_C(10000000) /* events of a task may follow its switch for this long */

enum { IRQ_HARD, IRQ_SOFT, IRQ_LEVELS };

struct cpu_irq { /* an open interrupt on a CPU */
	uint64_t ts;
	bool is_on;
	char name[48];
};

struct cpu_run {			 /* the running task of a CPU, and since when */
	uint64_t ts, sign_ts, switch_ts; /* sign_ts: time of the task's last event */
	int pid;			 /* -1: the task is unknown */
	int leaving;	     /* the previous task, until the next event of pid; -1: none */
	const void *formats; /* formats of the file whose events define the running task */
	uint16_t source;
	bool is_switched; /* this CPU has switches */
	char name[48];
	struct cpu_irq irqs[IRQ_LEVELS];
};

struct trace_export {
	struct trace_export_config config;
	struct line_printer lp;
	struct call_kinds **kinds; /* by source */
	struct slices slices;
	struct cpu_run *runs; /* CPUS_MAX for each machine */
	uint32_t n_machines;
	struct textbuf text;
	struct textbuf *out;
	uint64_t origin, last;
	uint64_t *last_of;    /* last time by source */
	uint32_t n_cpus;      /* highest number so far, plus one */
	struct slices states; /* tracks of tasks whose states have a name */
	struct slices places; /* tracks with the CPU of each task */
	bool has_states[MACHINES_MAX];
	bool is_begun, has_event;
};

static void add_time(struct textbuf *tb, const char *key, uint64_t ns)
{
	textbuf_addf(tb, ",\"%s\":%llu.%03u", key, (unsigned long long)ns / 1000,
		     (unsigned)(ns % 1000));
}

/* Starts an event: {"ph":"X","pid":…,"tid":…,"ts":… */
static void event_open(struct trace_export *x, char kind, long pid, long tid, uint64_t ts)
{
	textbuf_addf(x->out, "%s{\"ph\":\"%c\",\"pid\":%ld,\"tid\":%ld", x->has_event ? ",\n" : "",
		     kind, pid, tid);
	x->has_event = true;
	if (kind != 'M')
		add_time(x->out, "ts", ts - x->origin);
}

static void add_name(struct trace_export *x, const char *s, size_t len)
{
	textbuf_add_str(x->out, ",\"name\":");
	json_add_string(x->out, s, len);
}

static void event_close(struct trace_export *x)
{
	textbuf_add_char(x->out, '}');
}

/* Finds the process and thread for the events of a task. */
static void place(const struct trace_export *x, const struct record *rec, int pid, long *ret_pid,
		  long *ret_tid)
{
	long step = (long)x->config.machines[rec->source] * MACHINE_STEP;

	*ret_tid = step + (pid ? pid : rec->cpu);
	*ret_pid = step + (pid && rec->task && rec->task->tgid > 0 ? rec->task->tgid : pid);
}

static int record_pid(const struct trace_export *x, const struct record *rec)
{
	const struct formats *f = x->config.style->sources[rec->source].formats;

	return formats_common(f, &f->pid, rec->data, rec->size);
}

/* --- spans ------------------------------------------------------------------------------------ */

static void end_run(struct trace_export *x, uint32_t machine, uint32_t cpu, uint64_t ts)
{
	struct cpu_run *run = &x->runs[machine * CPUS_MAX + cpu];
	long step = (long)machine * MACHINE_STEP;

	if (run->pid <= 0 || !run->is_switched)
		return;
	event_open(x, 'X', step, step + cpu, run->ts);
	add_time(x->out, "dur", ts - run->ts);
	add_name(x, run->name, strlen(run->name));
	textbuf_add_str(x->out, ",\"cat\":\"sched\"");
	event_close(x);
}

/*
 * Returns the time of the file's last event. Until then, a CPU without further events keeps its
 * task.
 */
static uint64_t file_last(const struct trace_export *x, const void *formats)
{
	uint64_t last = 0;

	for (size_t i = 0; i < x->config.style->n_sources; i++)
		if (x->config.style->sources[i].formats == formats && x->last_of[i] > last)
			last = x->last_of[i];
	return last;
}

static void leave_cpu(struct trace_export *x, uint32_t machine, uint32_t cpu, int pid)
{
	struct cpu_run *run = &x->runs[machine * CPUS_MAX + cpu];

	if (run->pid != pid)
		return;
	end_run(x, machine, cpu, run->sign_ts);
	run->pid = run->leaving = -1;
}

/*
 * Ends a task on its previous CPU when it starts here, even if the switch there is missing. So a
 * task is on at most one CPU, and a table by task stores it: searching all CPUs at each switch
 * takes too long on machines with thousands.
 */
static void leave_others(struct trace_export *x, uint32_t machine, uint32_t cpu, int pid)
{
	struct slice_track *t = pid > 0 ? slices_get(&x->places, machine, pid, 0) : NULL;

	if (t) {
		if (t->on_cpu && t->on_cpu - 1 != cpu)
			leave_cpu(x, machine, t->on_cpu - 1, pid);
		t->on_cpu = cpu + 1;
		return;
	}
	for (uint32_t i = 0; pid > 0 && i < x->n_cpus;
	     i++) /* there are more tasks than the table has room for */
		if (i != cpu)
			leave_cpu(x, machine, i, pid);
}

static void begin_run(struct cpu_run *run, uint64_t ts, int pid, const char *comm, size_t len)
{
	run->ts = run->sign_ts = ts;
	run->pid = pid;
	snprintf(run->name, sizeof(run->name), "%.*s-%d", (int)(len < 32 ? len : 32), comm, pid);
}

/*
 * Handles an event of a task. Returns false if it is to be ignored, because another buffer of the
 * same file covers this CPU: the first buffer with a switch.
 */
static bool see_run(struct trace_export *x, const struct record *rec, int pid, bool is_switch)
{
	uint32_t machine = x->config.machines[rec->source];
	struct cpu_run *run = &x->runs[machine * CPUS_MAX + rec->cpu];
	const void *formats = x->config.style->sources[rec->source].formats;
	bool is_other = run->formats && run->formats != formats;

	if (!is_other && run->formats && run->source != rec->source &&
	    (run->is_switched || !is_switch))
		return false;
	run->source = rec->source;
	if (rec->cpu >= x->n_cpus)
		x->n_cpus = rec->cpu + 1;
	if (run->pid == pid && !is_other && !(rec->flags & RECORD_MISSED)) {
		run->sign_ts = rec->ts;
		run->leaving = -1;
		return true;
	}
	if (!is_other && !(rec->flags & RECORD_MISSED) && pid == run->leaving &&
	    rec->ts - run->switch_ts < LEAVING_NS)
		return true;
	end_run(x, machine, rec->cpu, is_other ? file_last(x, run->formats) : run->sign_ts);
	run->formats = formats;
	run->leaving = -1;
	leave_others(x, machine, rec->cpu, pid);
	begin_run(run, rec->ts, pid, rec->task ? rec->task->comm : "",
		  rec->task ? rec->task->comm_len : 0);
	return true;
}

static void add_switch(struct trace_export *x, struct printer *p, const struct record *rec)
{
	const struct field *comm = event_find_field(rec->event, "next_comm");
	struct piece s = comm ? printer_field_bytes(p, comm) : (struct piece){0};
	uint32_t machine = x->config.machines[rec->source];
	uint64_t pid = 0;
	struct cpu_run *run = &x->runs[machine * CPUS_MAX + rec->cpu];

	run->is_switched = true;
	run->leaving = run->pid;
	run->switch_ts = rec->ts;
	end_run(x, machine, rec->cpu, rec->ts);
	printer_number(p, event_find_field(rec->event, "next_pid"), &pid);
	leave_others(x, machine, rec->cpu, (int)pid);
	begin_run(run, rec->ts, (int)pid, s.len ? (const char *)s.data : "",
		  s.len ? strnlen((const char *)s.data, s.len < 32 ? s.len : 32) : 0);
}

/* Adds the arguments and the return value of a call, in the words of `uftrace dump --chrome`. */
static void add_values(struct trace_export *x, const struct call_values *v)
{
	if (!v->has_args && !v->has_ret)
		return;
	textbuf_add_str(x->out, ",\"args\":{");
	if (v->has_args) {
		textbuf_add_str(x->out, "\"arguments\":");
		json_add_string(x->out, (const char *)v->args.data, v->args.len);
	}
	if (v->has_ret) {
		textbuf_add_str(x->out, v->has_args ? ",\"retval\":" : "\"retval\":");
		json_add_string(x->out, (const char *)v->ret.data, v->ret.len);
	}
	textbuf_add_char(x->out, '}');
}

/* Ends n functions; values belong to the last, which is the outermost. */
static void add_ends(struct trace_export *x, const struct slice_track *t, uint64_t ts, int n,
		     const struct call_values *values)
{
	while (n-- > 0) {
		event_open(x, 'E', t->at_pid, t->at_tid, ts);
		if (!n && values)
			add_values(x, values);
		event_close(x);
	}
}

/*
 * Adds a function. A tgid may become known while functions are open, so functions end on the track
 * where they began.
 */
static void add_function(struct trace_export *x, struct printer *p, const struct record *rec,
			 struct slice_track *t, const struct call_kind *kind)
{
	struct call_values values;
	struct call_event ev;
	unsigned depth;
	int ends;

	if (!call_kind_read(kind, rec->data, rec->size, &ev))
		return;
	call_values_read(kind, rec->data, rec->size, &values);
	depth = slices_depth(kind, &ev);
	ends = kind->step == CALL_ENTER ? slice_track_enter(t, depth)
					: (int)slice_track_leave(t, depth);
	add_ends(x, t, rec->ts, ends, kind->step == CALL_LEAVE ? &values : NULL);
	if (kind->step == CALL_LEAVE || ends < 0)
		return;
	if (t->n_open <= (kind->step == CALL_ENTER))
		place(x, rec, t->pid, &t->at_pid, &t->at_tid);
	event_open(x, kind->step == CALL_WHOLE ? 'X' : 'B', t->at_pid, t->at_tid, rec->ts);
	if (kind->step == CALL_WHOLE)
		add_time(x->out, "dur", ev.duration);
	textbuf_clear(&x->text);
	p->out = &x->text;
	if (!p->kallsyms || !printer_add_symbol_name(p, ev.func)) {
		textbuf_add_str(&x->text, "0x");
		textbuf_add_hex(&x->text, ev.func);
	}
	p->out = x->out;
	add_name(x, x->text.start, textbuf_len(&x->text));
	textbuf_add_str(x->out, kind->is_user ? ",\"cat\":\"user\"" : ",\"cat\":\"function\"");
	add_values(x, &values);
	event_close(x);
}

static void add_syscall(struct trace_export *x, struct printer *p, const struct record *rec,
			struct slice_track *t, bool is_entry)
{
	const struct line_source *src = &x->config.style->sources[rec->source];
	uint64_t id = 0;
	char number[32];
	const char *name;
	long pid, tid;

	printer_number(p, event_find_field(rec->event, "id"), &id);
	if (is_entry) {
		t->in_call = true;
		t->call = (int64_t)id;
		t->call_ts = rec->ts;
		return;
	}
	if (!t->in_call || t->call != (int64_t)id)
		return;
	t->in_call = false;
	name = src->syscalls ? syscall_name(src->syscalls, id) : NULL;
	snprintf(number, sizeof(number), "syscall %lld", (long long)id);
	place(x, rec, t->pid, &pid, &tid);
	event_open(x, 'X', pid, tid, t->call_ts);
	add_time(x->out, "dur", rec->ts - t->call_ts);
	add_name(x, name ? name : number, strlen(name ? name : number));
	textbuf_add_str(x->out, ",\"cat\":\"syscall\"");
	event_close(x);
}

static void name_irq(struct printer *p, const struct record *rec, int level, char *buf, size_t size)
{
	static const char *const soft[] = {"HI",       "TIMER",	  "NET_TX", "NET_RX",  "BLOCK",
					   "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};
	const struct field *f = event_find_field(rec->event, level == IRQ_HARD ? "name" : "vec");
	uint64_t vec = 0;

	if (level == IRQ_HARD) {
		struct piece text = f ? printer_field_bytes(p, f) : (struct piece){0};

		snprintf(buf, size, "%.*s", (int)strnlen((const char *)text.data, text.len),
			 text.len ? (const char *)text.data : "irq");
		return;
	}
	printer_number(p, f, &vec);
	if (vec < ARRAY_LEN(soft))
		snprintf(buf, size, "%s", soft[vec]);
	else
		snprintf(buf, size, "softirq %llu", (unsigned long long)vec);
}

/*
 * Adds an interrupt. An entry without an exit, and an exit without an entry, become single events.
 */
static void add_irq(struct trace_export *x, struct printer *p, const struct record *rec)
{
	int level = !strncmp(rec->event->name, "softirq_", 8) ? IRQ_SOFT : IRQ_HARD;
	const char *what = rec->event->name + (level == IRQ_SOFT ? 8 : strlen("irq_handler_"));
	long step = (long)x->config.machines[rec->source] * MACHINE_STEP;
	struct cpu_irq *irq;

	irq = &x->runs[x->config.machines[rec->source] * CPUS_MAX + rec->cpu].irqs[level];
	if (!strcmp(what, "entry")) {
		irq->is_on = true;
		irq->ts = rec->ts;
		name_irq(p, rec, level, irq->name, sizeof(irq->name));
	} else if (!strcmp(what, "exit") && irq->is_on) {
		irq->is_on = false;
		event_open(x, 'X', step, step + rec->cpu, irq->ts);
		add_time(x->out, "dur", rec->ts - irq->ts);
		add_name(x, irq->name, strlen(irq->name));
		textbuf_addf(x->out, ",\"cat\":\"%s\"", level == IRQ_SOFT ? "softirq" : "irq");
		event_close(x);
	}
}

/* --- any event -------------------------------------------------------------------------------- */

static void add_instant(struct trace_export *x, const struct record *rec)
{
	struct record plain = *rec;
	long pid, tid;

	place(x, rec, record_pid(x, rec), &pid, &tid);
	textbuf_clear(&x->text);
	line_printer_aim(&x->lp, &x->text);
	plain.aux = 0;
	plain.flags &= ~RECORD_PAIR;
	line_printer_add_info(&x->lp, &plain, false);
	line_printer_aim(&x->lp, x->out);
	event_open(x, 'i', pid, tid, rec->ts);
	add_name(x, rec->event->name, strlen(rec->event->name));
	textbuf_add_str(x->out, ",\"s\":\"t\",\"cat\":");
	json_add_string(x->out, rec->event->system, strlen(rec->event->system));
	textbuf_addf(x->out, ",\"args\":{\"cpu\":%u,\"info\":", rec->cpu);
	json_add_string(x->out, x->text.start, textbuf_len(&x->text));
	textbuf_add_char(x->out, '}');
	event_close(x);
}

/* Adds the name of a task, at its first event. Most viewers use the last name. */
static void add_task(struct trace_export *x, const struct record *rec, struct slice_track *t)
{
	long pid, tid;

	if (t->is_told || !t->pid || !rec->task || !rec->task->known)
		return;
	t->is_told = true;
	place(x, rec, t->pid, &pid, &tid);
	for (int i = pid == tid; i >= 0; i--) {
		event_open(x, 'M', pid, tid, 0);
		add_name(x, i ? "process_name" : "thread_name", i ? 12 : 11);
		textbuf_add_str(x->out, ",\"args\":{\"name\":");
		json_add_string(x->out, rec->task->comm, rec->task->comm_len);
		textbuf_add_char(x->out, '}');
		event_close(x);
	}
}

static void add_record(struct trace_export *x, const struct record *rec)
{
	const struct event *ev = rec->event;
	struct printer *p = x->lp.printers[rec->source];
	struct slice_track *t = slices_get(&x->slices, x->config.machines[rec->source],
					   record_pid(x, rec), rec->cpu);
	bool is_sched = !strcmp(ev->system, "sched"), is_call = !strcmp(ev->system, "raw_syscalls");
	const struct call_kind *kind;
	bool is_switch, has_cpu;

	if (t)
		add_task(x, rec, t);
	printer_point_at(p, rec);
	is_switch = is_sched && !strcmp(ev->name, "sched_switch");
	x->last_of[rec->source] = rec->ts;
	has_cpu = rec->cpu < CPUS_MAX && x->config.machines[rec->source] < x->n_machines;
	if (has_cpu && see_run(x, rec, record_pid(x, rec), is_switch) && is_switch)
		add_switch(x, p, rec);
	if (has_cpu && !strcmp(ev->system, "irq") &&
	    (!strncmp(ev->name, "irq_handler_", 12) || !strncmp(ev->name, "softirq_", 8)))
		add_irq(x, p, rec);
	kind = call_kinds_find(x->kinds[rec->source], ev->id);
	if (t && kind->step != CALL_NOT) {
		add_function(x, p, rec, t, kind);
		return;
	}
	if (t && is_call)
		add_syscall(x, p, rec, t, !strcmp(ev->name, "sys_enter"));
	add_instant(x, rec);
}

/* --- the trace -------------------------------------------------------------------------------- */

static void chrome_free(struct trace_export *x)
{
	line_printer_release(&x->lp);
	slices_release(&x->slices);
	slices_release(&x->states);
	slices_release(&x->places);
	textbuf_release(&x->text);
	slices_kinds_free(x->kinds);
	free(x->last_of);
	free(x->runs);
	free(x);
}

static int chrome_new(struct trace_export **ret, const struct trace_export_config *config)
{
	struct trace_export *x = calloc(1, sizeof(*x));

	if (!x)
		return -ENOMEM;
	x->config = *config;
	slices_init(&x->slices);
	slices_init(&x->states);
	slices_init(&x->places);
	textbuf_init(&x->text, 1 << 20);
	for (size_t i = 0; i < config->style->n_sources; i++)
		if (config->machines[i] >= x->n_machines && config->machines[i] < MACHINES_MAX)
			x->n_machines = config->machines[i] + 1;
	x->runs = calloc((size_t)x->n_machines * CPUS_MAX + 1, sizeof(*x->runs));
	x->last_of = calloc(config->style->n_sources + 1, sizeof(*x->last_of));
	x->kinds = slices_kinds_new(config->style);
	if (!x->runs || !x->last_of || !x->kinds || line_printer_init(&x->lp, config->style) < 0) {
		slices_kinds_free(x->kinds);
		free(x->last_of);
		free(x->runs);
		free(x);
		return -ENOMEM;
	}
	for (size_t i = 0; i < (size_t)x->n_machines * CPUS_MAX; i++)
		x->runs[i].pid = x->runs[i].leaving = -1;
	*ret = x;
	return 0;
}

static void begin(struct trace_export *x, uint64_t origin)
{
	x->is_begun = true;
	x->origin = origin;
	textbuf_add_str(x->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
	for (uint32_t m = 0; m < x->n_machines; m++) {
		long step = (long)m * MACHINE_STEP;

		event_open(x, 'M', step, step, 0);
		textbuf_add_str(x->out, ",\"name\":\"process_name\",\"args\":{\"name\":\"CPUs");
		if (m)
			textbuf_addf(x->out, " of machine %u", m);
		textbuf_add_str(x->out, "\"}");
		event_close(x);
	}
}

static void chrome_add(struct trace_export *x, const struct batch *b, struct textbuf *out)
{
	x->out = out;
	line_printer_aim(&x->lp, out);
	for (size_t i = 0; i < b->n; i++) {
		if (!x->is_begun)
			begin(x, b->records[i].ts);
		x->last = b->records[i].ts;
		if (b->records[i].event)
			add_record(x, &b->records[i]);
	}
}

static void name_thread(struct trace_export *x, const char *what, long pid, long tid,
			const char *name, size_t len)
{
	event_open(x, 'M', pid, tid, 0);
	add_name(x, what, strlen(what));
	textbuf_add_str(x->out, ",\"args\":{\"name\":");
	json_add_string(x->out, name, len);
	textbuf_add_char(x->out, '}');
	event_close(x);
}

/* Names the process and the thread for states of a task, once. */
static void name_states(struct trace_export *x, const struct export_state *s, long pid, long tid)
{
	struct slice_track *t = slices_get(&x->states, s->machine, s->pid, 0);
	char name[64];
	int n;

	if (!x->has_states[s->machine]) {
		n = snprintf(name, sizeof(name), "States of tasks");
		if (s->machine)
			n = snprintf(name, sizeof(name), "States of tasks of machine %u",
				     s->machine);
		name_thread(x, "process_name", pid, pid, name, n);
		x->has_states[s->machine] = true;
	}
	if (!t || t->is_told)
		return;
	t->is_told = true;
	n = snprintf(name, sizeof(name), "%.*s-%d", (int)strnlen(s->comm, s->comm_max), s->comm,
		     s->pid);
	name_thread(x, "thread_name", pid, tid, name, n);
}

static void chrome_add_state(struct trace_export *x, const struct export_state *s,
			     struct textbuf *out)
{
	uint64_t start = s->start > x->origin ? s->start : x->origin;
	uint64_t end = s->end < x->last ? s->end : x->last;
	long step = (long)s->machine * MACHINE_STEP;

	if (!x->is_begun || end <= start || s->machine >= x->n_machines)
		return;
	x->out = out;
	name_states(x, s, step + STATES_PID, step + s->pid);
	event_open(x, 'X', step + STATES_PID, step + s->pid, start);
	add_time(out, "dur", end - start);
	add_name(x, s->state, strlen(s->state));
	textbuf_add_str(out, ",\"cat\":\"state\",\"args\":{");
	if (s->cpu >= 0)
		textbuf_addf(out, "\"cpu\":%d", s->cpu);
	if (s->waker >= 0)
		textbuf_addf(out, "%s\"waker\":%d", s->cpu >= 0 ? "," : "", s->waker);
	textbuf_add_char(out, '}');
	event_close(x);
}

/* Ends running tasks at their file's end, and open functions at the end: viewers need pairs. */
static void chrome_finish(struct trace_export *x, struct textbuf *out)
{
	const struct slice_track **tracks;
	size_t n = 0;

	x->out = out;
	if (!x->is_begun)
		begin(x, 0);
	for (uint32_t m = 0; m < x->n_machines; m++)
		for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++)
			end_run(x, m, cpu, file_last(x, x->runs[m * CPUS_MAX + cpu].formats));
	tracks = slices_list(&x->slices, &n);
	for (size_t i = 0; tracks && i < n; i++)
		add_ends(x, tracks[i], x->last, tracks[i]->n_open, NULL);
	if (!tracks)
		out->overflow = true; /* the output is incomplete, so fail */
	free(tracks);
	textbuf_add_str(out, "\n]}\n");
}

const struct trace_export_kind export_chrome = {
	.name = "chrome",
	.suffix = "json",
	.new = chrome_new,
	.add = chrome_add,
	.add_state = chrome_add_state,
	.finish = chrome_finish,
	.free = chrome_free,
};
