// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * countbpf.c - chooses for each event what its BPF program hangs on, and turns rows of its table into ours.
 *
 *	the event is          the program hangs on               it has keys from
 *	a probe               the function, no probe is hit      its arguments, its result, and memory
 *	a probe               the probe, by a perf event         registers and memory, as the probe's line says
 *	a tracepoint's        the tracepoint, no record is made  its arguments, where a table knows them
 *	a tracepoint's        the event, by a perf event         its record
 *	any other             nothing: hist triggers count it
 *
 * Who is left out is as with hist triggers (set_event_pid, set_event_notrace_pid): the task that runs decides, but
 * for the scheduler's own events, which the kernel keeps if either of their two tasks is wanted. There nothing is left
 * out here; with a choice of tasks the trigger counts.
 */
#include "cli/countbpf.h"

#include "base/errmsg.h"
#include "capture/bpf.h"
#include "capture/bpfsource.h"
#include "symbols/btf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TABLES_MAX_BYTES (64u << 20) /* of all events, about */
#define ROW_BYTES	 128	     /* without the values of the CPUs */
#define ROWS_MIN	 1024

struct opening {
	struct kernelrun *run;
	struct probe_list probes;
	struct btf *btf; /* NULL: not needed yet */
	size_t n_words;
	struct bpfcount_config config;
	struct bpffunction function; /* of ENTRY, EXIT */
	const char *tracepoint;	     /* of RAW */
	uint32_t widths[KEYS_MAX];
};

/* --- tasks ------------------------------------------------------------------------------------- */

static bool is_of_two_tasks(const struct event_name *name)
{
	static const char *const events[] = {"sched_switch", "sched_waking", "sched_wakeup",
					     "sched_wakeup_new"};

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (!strcmp(name->system, "sched") && !strcmp(name->event, events[i]))
			return true;
	return false;
}

static int choose_tasks(struct opening *op, const struct kernel_event *e, struct errmsg *err)
{
	const struct session *s = &op->run->s;
	const struct plan *plan = s->config.plan;
	const struct plan_words *pids = &plan->buffers[0].pids;
	struct bpfcount_config *c = &op->config;
	bool only_command = plan->only_command && s->has_child;

	if (plan->buffers[0].cpumask)
		return errmsg_set(err, -ENOTSUP, "BPF programs count on all CPUs");
	if (!pids->n && !only_command) {
		c->not_process = plan->trace_self || is_of_two_tasks(&e->name) ? 0 : getpid();
		return 0;
	}
	if (plan->children || is_of_two_tasks(&e->name) || pids->n >= BPFCOUNT_TASKS_MAX)
		return errmsg_set(err, -ENOTSUP,
				  "BPF programs do not follow the tasks that were chosen");
	for (size_t i = 0; i < pids->n; i++)
		c->tasks[c->n_tasks++] = atoi(pids->words[i]);
	if (only_command)
		c->tasks[c->n_tasks++] = s->child.pid;
	return 0;
}

/* --- keys -------------------------------------------------------------------------------------- */

static bool find_field(struct opening *op, const struct kernel_event *e,
		       const struct probe_defined *probe, const struct key_slot *slot,
		       struct bpfsource *s)
{
	const struct field *field = slot->field;
	struct bpffield f = {.name = field->name,
			     .offset = field->offset,
			     .n_bytes = field->size,
			     .is_signed = field->flags & FIELD_SIGNED,
			     .is_text = slot->kind == KEY_TEXT,
			     .n_text = field->flags & FIELD_DYNAMIC ? field->n_elements : 0,
			     .is_dynamic = field->flags & FIELD_DYNAMIC,
			     .is_relative = field->flags & FIELD_RELATIVE};

	/* what points at code needs the kernel's symbols, which nobody has read; an array its print format */
	if ((slot->kind == KEY_NUMBER && !slot->names && !key_is_plain(slot)) || slot->is_array)
		return false;
	switch (op->config.hook) {
	case BPFCOUNT_PROBE:
		return bpfsource_of_probe(probe, &f, s);
	case BPFCOUNT_ENTRY:
	case BPFCOUNT_EXIT:
		return bpfsource_of_function(&op->function, probe, &f, s);
	case BPFCOUNT_RAW:
		if (!strcmp(e->name.system, "syscalls"))
			return bpfsource_of_call(op->tracepoint, &f, s);
		return bpfsource_of_raw(&op->btf, e->name.system, e->name.event, &f, s);
	case BPFCOUNT_RECORD:
		return bpfsource_of_record(e->name.system, &f, s);
	}
	return false;
}

static const struct bpfsource source_pid = {.kind = BPFSOURCE_PID, .n_bytes = 4, .is_signed = true};
static const struct bpfsource source_cpu = {.kind = BPFSOURCE_CPU, .n_bytes = 4};
static const struct bpfsource source_comm = {.kind = BPFSOURCE_COMM};

static bool add_word(struct opening *op, const struct kernel_event *e,
		     const struct probe_defined *probe, const struct key_slot *slot)
{
	struct bpfcount_config *c = &op->config;

	switch (slot->kind) {
	case KEY_EVENT:
		return true;
	case KEY_PID:
		c->sources[c->n_sources++] = source_pid;
		return true;
	case KEY_CPU:
		c->sources[c->n_sources++] = source_cpu;
		return true;
	case KEY_TASK: /* name and number */
		c->sources[c->n_sources++] = source_comm;
		c->sources[c->n_sources++] = source_pid;
		return true;
	case KEY_COMM:
		c->sources[c->n_sources++] = source_comm;
		return true;
	case KEY_NUMBER:
	case KEY_TEXT:
		return find_field(op, e, probe, slot, &c->sources[c->n_sources++]);
	case KEY_ABSENT:
		break;
	}
	return false;
}

static bool add_words(struct opening *op, const struct kernel_event *e,
		      const struct probe_defined *probe, enum bpfcount_hook hook)
{
	op->config.hook = hook;
	op->config.n_sources = 0;
	for (size_t i = 0; i < op->n_words; i++) {
		size_t first = op->config.n_sources;

		if (!add_word(op, e, probe, &e->slots[i]))
			return false;
		op->widths[i] = 0;
		for (size_t k = first; k < op->config.n_sources; k++)
			op->widths[i] += bpfsource_bytes(&op->config.sources[k]);
	}
	return true;
}

/* --- events ------------------------------------------------------------------------------------ */

static const char *arguments(const char *line)
{
	const char *place = strchr(line, ' ');

	place = place ? strchr(place + 1, ' ') : NULL;
	return place ? place : "";
}

/* NULL: it is no probe. n_places 0: it has some that read different things. */
static const struct probe_defined *find_probe(const struct opening *op,
					      const struct event_name *name, size_t *ret_n_places)
{
	const struct probe_defined *found = NULL;
	bool differ = false;
	size_t n = 0;

	for (size_t i = 0; i < op->probes.n; i++) {
		const struct probe_defined *p = &op->probes.list[i];

		if (strcmp(p->group, name->system) || strcmp(p->event, name->event))
			continue;
		if (found && strcmp(arguments(found->line), arguments(p->line)))
			differ = true;
		found = p;
		n++;
	}
	*ret_n_places = differ ? 0 : n;
	return found;
}

static int start(struct opening *op, const struct kernel_event *e, struct bpfcount *c,
		 struct errmsg *err)
{
	const struct session *s = &op->run->s;
	char path[TRACEFS_PATH_MAX];
	long long id = 0;
	int r = bpfcount_open(c, &op->config, err);

	if (r >= 0 && (op->config.hook == BPFCOUNT_PROBE || op->config.hook == BPFCOUNT_RECORD)) {
		eventdir_fmt_path(e->name.system, e->name.event, "id", path);
		id = tracefs_read_number(&s->t, "", path);
		if (id < 0)
			r = errmsg_set_errno(err, (int)id, "%s has no number", path);
	}
	if (r >= 0)
		r = bpfcount_attach(c, op->config.hook == BPFCOUNT_RAW ? op->tracepoint : NULL, id,
				    err);
	if (r < 0)
		bpfcount_close(c);
	return r;
}

static int refuse_keys(const struct kernel_event *e, struct errmsg *err)
{
	return errmsg_set(err, -ENOTSUP, "a BPF program cannot read all keys of %s:%s",
			  e->name.system, e->name.event);
}

static bool is_of_registers(enum probe_kind kind)
{
	return kind == PROBE_KPROBE || kind == PROBE_KRETPROBE || kind == PROBE_UPROBE ||
	       kind == PROBE_URETPROBE;
}

static int open_probe(struct opening *op, const struct kernel_event *e,
		      const struct probe_defined *probe, size_t n_places, struct bpfcount *c,
		      struct errmsg *err)
{
	struct errmsg ignored = {0};

	if (n_places == 1 && bpffunction_find(&op->btf, probe, &op->function)) {
		op->config.function = op->function.number;
		if (add_words(op, e, probe,
			      op->function.is_return ? BPFCOUNT_EXIT : BPFCOUNT_ENTRY) &&
		    start(op, e, c, &ignored) >= 0)
			return 0;
	}
	return is_of_registers(probe->kind) && add_words(op, e, probe, BPFCOUNT_PROBE)
		       ? start(op, e, c, err)
		       : refuse_keys(e, err);
}

static int open_event(struct opening *op, const struct kernel_event *e, struct bpfcount *c,
		      struct errmsg *err)
{
	struct errmsg ignored = {0};
	const struct probe_defined *probe;
	size_t n_places;
	int r = choose_tasks(op, e, err);

	if (r < 0)
		return r;
	if (e->filter)
		return errmsg_set(err, -ENOTSUP, "BPF programs know no filters");
	probe = find_probe(op, &e->name, &n_places);
	if (probe && n_places)
		return open_probe(op, e, probe, n_places, c, err);
	if (probe || !strcmp(e->name.system, "synthetic"))
		return refuse_keys(e, err);
	op->tracepoint = e->name.event;
	if (!strcmp(e->name.system, "syscalls"))
		op->config.n_conditions = bpfcall_find(&op->btf, e->name.event, &op->tracepoint,
						       op->config.conditions)
						  ? BPFCOUNT_CONDITIONS_MAX
						  : 0;
	if ((strcmp(e->name.system, "syscalls") || op->config.n_conditions) &&
	    add_words(op, e, NULL, BPFCOUNT_RAW) && start(op, e, c, &ignored) >= 0)
		return 0;
	op->config.n_conditions = 0;
	return add_words(op, e, NULL, BPFCOUNT_RECORD) ? start(op, e, c, err) : refuse_keys(e, err);
}

/* The kernel takes the memory of all rows at once, for each CPU. */
static uint32_t rows_of_each(const struct kernelrun *run, uint32_t n_wanted)
{
	uint64_t row = ROW_BYTES + 8ull * bpf_n_cpus();
	uint64_t n = TABLES_MAX_BYTES / (row * (run->n_events ? run->n_events : 1));

	n = n < ROWS_MIN ? ROWS_MIN : n;
	return n < n_wanted ? (uint32_t)n : n_wanted;
}

int countbpf_open(struct countbpf *cb, struct kernelrun *run, size_t n_words, uint32_t n_rows,
		  struct errmsg *err)
{
	struct opening op = {.run = run, .n_words = n_words};
	int r, power = bpf_reading_needs_power();

	cb->n = 0;
	if (!bpf_is_there())
		return errmsg_set(err, -ENOTSUP, "this kernel takes no BPF programs from us");
	r = probes_list(&run->s.t, &op.probes, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < run->n_events && r >= 0; i++) {
		op.config = (struct bpfcount_config){.n_rows = rows_of_each(run, n_rows)};
		r = open_event(&op, &run->events[i], &cb->list[i].count, err);
		memcpy(cb->list[i].widths, op.widths, sizeof(op.widths));
		cb->n += r >= 0;
	}
	probe_list_release(&op.probes);
	if (op.btf)
		btf_close(op.btf);
	if (r < 0)
		countbpf_close(cb);
	else if (power >= 0)
		run->s.powers |= UINT64_C(1) << power;
	return r;
}

void countbpf_stop(struct countbpf *cb)
{
	for (size_t i = 0; i < cb->n; i++)
		bpfcount_detach(&cb->list[i].count);
}

void countbpf_close(struct countbpf *cb)
{
	for (size_t i = 0; i < cb->n; i++)
		bpfcount_close(&cb->list[i].count);
	cb->n = 0;
}

/* --- rows -------------------------------------------------------------------------------------- */

struct row_reader {
	const struct kernel_event *e;
	const uint32_t *widths;
	size_t n_words;
	bool with_event;
	struct keycount *counts;
};

static const struct key_slot event_slot = {.kind = KEY_EVENT};

static uint64_t number_of(const uint8_t *key)
{
	uint64_t v;

	memcpy(&v, key, sizeof(v));
	return v;
}

static uint64_t value_of(struct keyreader *kr, const struct row_reader *rr, size_t word,
			 const uint8_t *key)
{
	char text[64];
	int len;

	switch (rr->e->slots[word].kind) {
	case KEY_EVENT:
		return key_of_text(kr, rr->e->name.event, strlen(rr->e->name.event));
	case KEY_TASK:
		len = snprintf(text, sizeof(text), "%.*s-%d", BPFCOUNT_COMM_BYTES,
			       (const char *)key, (int)number_of(key + BPFCOUNT_COMM_BYTES));
		return key_of_text(kr, text, (size_t)len);
	case KEY_COMM:
	case KEY_TEXT:
		if (rr->e->slots[word].kind == KEY_TEXT && rr->widths[word] > 1 && !key[0] &&
		    key[1] == BPFCOUNT_TEXT_FAULT)
			return key_of_text(kr, "(fault)", strlen("(fault)"));
		return key_of_text(kr, (const char *)key,
				   strnlen((const char *)key, rr->widths[word]));
	case KEY_NUMBER:
		return field_number(rr->e->slots[word].field, number_of(key));
	default:
		return number_of(key);
	}
}

static int take_row(void *ctx, const uint8_t *key, uint64_t n)
{
	struct row_reader *rr = ctx;
	struct keyreader *kr = keycount_keys(rr->counts);
	const struct key_slot *slots[KEYS_MAX];
	uint64_t values[KEYS_MAX];
	size_t k = 0;

	if (rr->with_event) {
		slots[k] = &event_slot;
		values[k++] = key_of_text(kr, rr->e->name.event, strlen(rr->e->name.event));
	}
	for (size_t i = 0; i < rr->n_words; i++, k++) {
		slots[k] = &rr->e->slots[i];
		values[k] = value_of(kr, rr, i, key);
		key += rr->widths[i];
	}
	keycount_add_values(rr->counts, values, slots, n);
	return 0;
}

int countbpf_read(const struct countbpf *cb, const struct kernelrun *run, size_t n_words,
		  bool with_event, struct keycount *counts, struct errmsg *err)
{
	int r = 0;

	for (size_t i = 0; i < cb->n && r >= 0; i++) {
		struct row_reader rr = {.e = &run->events[i],
					.widths = cb->list[i].widths,
					.n_words = n_words,
					.with_event = with_event,
					.counts = counts};
		uint64_t dropped = 0;

		r = bpfcount_each(&cb->list[i].count, take_row, &rr, err);
		if (r >= 0)
			r = bpfcount_dropped(&cb->list[i].count, &dropped, err);
		keycount_add_dropped(counts, dropped);
	}
	return r;
}

uint64_t countbpf_missed(const struct countbpf *cb)
{
	uint64_t n = 0;

	for (size_t i = 0; i < cb->n; i++)
		n += bpfcount_missed(&cb->list[i].count);
	return n;
}
