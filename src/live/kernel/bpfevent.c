// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bpfevent.c - chooses the hook of an event's BPF program.
 *
 *	the event is          the program is attached to         its keys come from
 *	a probe               the function, no probe is hit      its arguments, its result, and
 *	                                                         memory
 *	a probe               the probe, by a perf event         registers and memory, as the
 *	                                                         probe's line says
 *	a joined return       the function, neither of its two   its arguments and its result, but
 *	                                                         not memory, which
 *	                      probes is hit, nothing is joined   may have changed since the entry
 *	a tracepoint's        the tracepoint, no record is made  its arguments, if a table contains
 *	                                                         them
 *	a tracepoint's        the event, by a perf event         its record
 *	any other             nothing: hist triggers are used
 *
 * Tasks and filters are chosen in bpfwhich.c.
 */
#include "live/kernel/bpfevent.h"

#include "analyse/keys.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/bpf/bpf.h"
#include "decode/formats/event.h"
#include "probe/probe.h"
#include "symbols/btf/btf.h"

#include <errno.h>
#include <stdio.h>

/* --- words ------------------------------------------------------------------------------------ */

/*
 * Returns true if the table can show the key. The key's 8 bytes are converted when the table is
 * printed: numbers to names, pointers to kernel code to symbols. Functions of programs have names
 * only if sonde itself watches the mappings. Arrays and fractional numbers need their print format.
 */
static bool can_show(const struct bpfevent *be, const struct key_slot *slot)
{
	bool is_program = be->config.is_of_program || !strcmp(be->e->name.system, "exceptions");

	if (slot->kind != KEY_NUMBER || slot->names)
		return true;
	return !(slot->field->flags & FIELD_REAL) && !(is_program && key_is_code(slot));
}

/* Finds a field of a joined event, which is an argument of one of the two probes. */
static bool find_joined(const struct bpfevent *be, const struct bpffield *f, struct bpfsource *s)
{
	struct bpffunction entry = be->function;

	entry.is_return = false;
	return (bpfsource_of_function(&be->function, be->probe, f, s) ||
		bpfsource_of_function(&entry, be->entry, f, s)) &&
	       !s->n_steps;
}

/* Finds the source of a field. plain: only the number is needed, not its name. */
static bool find_field(struct bpfevent *be, const struct key_slot *slot, bool plain,
		       struct bpfsource *s)
{
	const struct event_name *name = &be->e->name;
	const struct field *field = slot->field;
	struct bpffield f = {.name = field->name,
			     .offset = field->offset,
			     .n_bytes = field->size,
			     .is_signed = field->flags & FIELD_SIGNED,
			     .is_text = slot->kind == KEY_TEXT,
			     .n_text = field->flags & FIELD_DYNAMIC ? field->n_elements : 0,
			     .is_dynamic = field->flags & FIELD_DYNAMIC,
			     .is_relative = field->flags & FIELD_RELATIVE};

	if (slot->is_array || (!plain && !can_show(be, slot)))
		return false;
	switch (be->config.hook) {
	case BPFHOOK_PROBE:
		if (!bpfsource_of_probe(be->probe, &f, s))
			return false;
		be->config.may_sleep |= be->may_sleep && s->n_steps;
		return true;
	case BPFHOOK_ENTRY:
	case BPFHOOK_EXIT:
		if (be->entry)
			return find_joined(be, &f, s);
		return bpfsource_of_function(&be->function, be->probe, &f, s);
	case BPFHOOK_RAW:
		if (!strcmp(name->system, "syscalls"))
			return bpfsource_of_call(be->tracepoint, &f, s);
		return bpfsource_of_raw(&be->all->btf, name->system, name->event, &f, s);
	case BPFHOOK_RECORD:
		return bpfsource_of_record(name->system, &f, s);
	}
	return false;
}

bool bpfevent_find_field(struct bpfevent *be, const struct key_slot *slot, struct bpfsource *source)
{
	return find_field(be, slot, true, source);
}

static const struct bpfsource source_pid = {.kind = BPFSOURCE_PID, .n_bytes = 4, .is_signed = true};
static const struct bpfsource source_cpu = {.kind = BPFSOURCE_CPU, .n_bytes = 4};
static const struct bpfsource source_comm = {.kind = BPFSOURCE_COMM};

bool bpfevent_find(struct bpfevent *be, const struct key_slot *slot, struct bpfsource *sources,
		   size_t *n_sources)
{
	switch (slot->kind) {
	case KEY_EVENT:
		return true;
	case KEY_PID:
		sources[(*n_sources)++] = source_pid;
		return true;
	case KEY_CPU:
		sources[(*n_sources)++] = source_cpu;
		return true;
	case KEY_TASK: /* name and number */
		sources[(*n_sources)++] = source_comm;
		sources[(*n_sources)++] = source_pid;
		return true;
	case KEY_COMM:
		sources[(*n_sources)++] = source_comm;
		return true;
	case KEY_NUMBER:
	case KEY_TEXT:
		return find_field(be, slot, false, &sources[(*n_sources)++]);
	case KEY_ABSENT:
		break;
	}
	return false;
}

/* Interprets the bytes as field_number() does, because numbers are compared, not bytes. */
static void read_as_meant(const struct field *f, struct bpfsource *s)
{
	if (f->n_signed_bits) {
		s->n_bits = f->n_signed_bits;
		s->is_signed = true;
	}
	s->is_swapped = f->flags & FIELD_BIG_ENDIAN;
}

bool bpfevent_find_number(struct bpfevent *be, const struct key_slot *slot,
			  struct bpfsource *source)
{
	size_t n = 0;

	if (slot->kind == KEY_NUMBER && find_field(be, slot, true, source)) {
		read_as_meant(slot->field, source);
		return true;
	}
	return (slot->kind == KEY_PID || slot->kind == KEY_CPU) &&
	       bpfevent_find(be, slot, source, &n);
}

static uint64_t number_of(const uint8_t *key)
{
	uint64_t v;

	memcpy(&v, key, sizeof(v));
	return v;
}

static const struct key_slot fault_slot = {.kind = KEY_TEXT};

const struct key_slot *bpfevent_value_slot(const struct key_slot *slot, const uint8_t *key,
					   size_t n_bytes)
{
	return slot->kind == KEY_NUMBER && n_bytes == 16 && number_of(key + 8) ? &fault_slot : slot;
}

uint64_t bpfevent_value(struct keyreader *kr, const struct kernel_event *e,
			const struct key_slot *slot, const uint8_t *key, size_t n_bytes)
{
	char text[64];
	int len;

	switch (slot->kind) {
	case KEY_EVENT:
		return key_of_text(kr, e->shown, strlen(e->shown));
	case KEY_TASK:
		len = snprintf(text, sizeof(text), "%.*s-%d", BPFPROGRAM_COMM_BYTES,
			       (const char *)key, (int)number_of(key + BPFPROGRAM_COMM_BYTES));
		return key_of_text(kr, text, (size_t)len);
	case KEY_COMM:
	case KEY_TEXT:
		if (slot == &fault_slot || (slot->kind == KEY_TEXT && n_bytes > 1 && !key[0] &&
					    key[1] == BPFPROGRAM_TEXT_FAULT))
			return key_of_text(kr, "(fault)", strlen("(fault)"));
		if (slot->kind == KEY_TEXT && n_bytes > BPFPROGRAM_TEXT_MAX_BYTES &&
		    key[n_bytes - 1] == BPFPROGRAM_TEXT_CUT)
			return key_of_cut_text(kr, (const char *)key,
					       BPFPROGRAM_TEXT_MAX_BYTES - 1);
		return key_of_text(kr, (const char *)key, strnlen((const char *)key, n_bytes));
	case KEY_NUMBER:
		return key_of_number(kr, slot, number_of(key));
	default:
		return number_of(key);
	}
}

/* --- events ----------------------------------------------------------------------------------- */

static const char *arguments(const char *line)
{
	const char *place = strchr(line, ' ');

	place = place ? strchr(place + 1, ' ') : NULL;
	return place ? place : "";
}

/*
 * Finds the probe of an event. Returns NULL if the event is not a probe. *ret_n_places is 0 if its
 * places have different arguments.
 */
static const struct probe_defined *find_probe(const struct bpfevents *all,
					      const struct event_name *name, size_t *ret_n_places)
{
	const struct probe_defined *found = NULL;
	bool differ = false;
	size_t n = 0;

	for (size_t i = 0; i < all->probes.n; i++) {
		const struct probe_defined *p = &all->probes.list[i];

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

static int refuse_keys(const struct bpfevent *be, struct errmsg *err)
{
	const struct kernel_event *e = be->e;

	if (be->entry)
		return errmsg_set(
			err, -ENOTSUP,
			"a BPF program at the return has what was passed and what is "
			"returned, not the time of the call, nor what pointers led to when "
			"it began, nor texts, and %s is counted by one of these",
			setup_name_of_event(be->all->run->s.setup, e->name.system, e->name.event));
	return errmsg_set(err, -ENOTSUP, "a BPF program cannot read all keys of %s:%s",
			  e->name.system, e->name.event);
}

static bool is_of_registers(enum probe_kind kind)
{
	return kind == PROBE_KPROBE || kind == PROBE_KRETPROBE || kind == PROBE_UPROBE ||
	       kind == PROBE_URETPROBE;
}

static int try(struct bpfevent *be, enum bpfhook hook, const struct bpfevent_ops *ops, void *ctx,
	       struct errmsg *err)
{
	be->config.hook = hook;
	TRY(bpfwhich_find(be, err));
	return ops->find(ctx, be) ? ops->start(ctx, be, err) : refuse_keys(be, err);
}

static int open_probe(struct bpfevent *be, size_t n_places, const struct bpfevent_ops *ops,
		      void *ctx, struct errmsg *err)
{
	struct errmsg ignored = {0};

	if (n_places == 1 && bpffunction_find(&be->all->btf, be->probe, &be->function)) {
		be->config.function = be->function.number;
		if (try(be, be->function.is_return ? BPFHOOK_EXIT : BPFHOOK_ENTRY, ops, ctx,
			&ignored) >= 0)
			return 0;
	}
	if (!is_of_registers(be->probe->kind))
		return refuse_keys(be, err);
	be->may_sleep = be->probe->kind == PROBE_UPROBE || be->probe->kind == PROBE_URETPROBE;
	be->config.is_of_program = be->may_sleep;
	if (be->may_sleep && try(be, BPFHOOK_PROBE, ops, ctx, &ignored) >= 0)
		return 0;
	be->may_sleep = be->config.may_sleep = false;
	return try(be, BPFHOOK_PROBE, ops, ctx, err);
}

/* Finds one end of a joined event. Returns NULL unless the probe has exactly one place. */
static const struct probe_defined *find_end(const struct bpfevents *all, const char *group,
					    const char *event)
{
	const struct probe_defined *found;
	struct event_name name;
	size_t n_places;

	snprintf(name.system, sizeof(name.system), "%s", group);
	snprintf(name.event, sizeof(name.event), "%s", event);
	found = find_probe(all, &name, &n_places);
	return n_places == 1 ? found : NULL;
}

static int open_synthetic(struct bpfevent *be, const struct bpfevent_ops *ops, void *ctx,
			  struct errmsg *err)
{
	const struct setup *s = be->all->run->s.setup;
	const char *event = be->e->name.event, *group, *in, *out;
	struct bpffunction entry;

	if (!setup_find_ends(s, event, &group, &in, &out))
		return refuse_keys(be, err);
	be->entry = find_end(be->all, group, in);
	be->probe = find_end(be->all, group, out);
	if (!be->entry || !be->probe || !bpffunction_find(&be->all->btf, be->entry, &entry) ||
	    !bpffunction_find(&be->all->btf, be->probe, &be->function) || entry.is_return ||
	    !be->function.is_return || entry.number != be->function.number)
		return errmsg_set(err, -ENOTSUP,
				  "%s is no return of one function that the kernel's BTF knows",
				  setup_name_of_event(s, "synthetic", event));
	be->config.function = be->function.number;
	return try(be, BPFHOOK_EXIT, ops, ctx, err);
}

static int open_tracepoint(struct bpfevent *be, const struct bpfevent_ops *ops, void *ctx,
			   struct errmsg *err)
{
	const struct event_name *name = &be->e->name;
	bool is_call = !strcmp(name->system, "syscalls");
	struct errmsg ignored = {0};

	/* a tracepoint with types costs less; some tracepoints and old kernels have no types */
	be->tracepoint = name->event;
	if (is_call &&
	    bpfcall_find(&be->all->btf, name->event, &be->tracepoint, be->config.conditions))
		be->config.n_conditions = BPFPROGRAM_CONDITIONS_MAX;
	be->config.function = bpftracepoint_find(&be->all->btf, be->tracepoint);
	for (bool again = true; again && (!is_call || be->config.n_conditions);) {
		if (try(be, BPFHOOK_RAW, ops, ctx, &ignored) >= 0)
			return 0;
		again = be->config.function;
		be->config.function = 0;
	}
	be->config.function = 0;
	be->config.n_conditions = 0;
	return try(be, BPFHOOK_RECORD, ops, ctx, err);
}

int bpfevent_open(struct bpfevents *all, const struct kernel_event *e,
		  const struct bpfevent_ops *ops, void *ctx, struct errmsg *err)
{
	SCOPED(bpfwhich_release)
	struct bpfevent be = {
		.all = all, .e = e, .config.task = all->task, .config.gate = &all->run->gate};
	size_t n_places;
	int r;

	be.probe = find_probe(all, &e->name, &n_places);
	if (be.probe && n_places)
		r = open_probe(&be, n_places, ops, ctx, err);
	else if (be.probe)
		r = refuse_keys(&be, err);
	else if (!strcmp(e->name.system, "synthetic"))
		r = open_synthetic(&be, ops, ctx, err);
	else
		r = open_tracepoint(&be, ops, ctx, err);
	return r;
}

int bpfevent_attach(const struct bpfevent *be, int program, struct errmsg *err)
{
	enum bpfhook hook = be->config.hook;
	char path[TRACEFS_PATH_MAX];
	long long id = 0;

	if (hook == BPFHOOK_PROBE || hook == BPFHOOK_RECORD) {
		eventdir_fmt_path(be->e->name.system, be->e->name.event, "id", path);
		id = tracefs_read_number(&be->all->run->s.t, "", path);
		if (id < 0)
			return errmsg_set_errno(err, (int)id, "%s has no number", path);
	}
	return bpfprogram_attach(&be->config, program, be->tracepoint, id, err);
}

/* --- all -------------------------------------------------------------------------------------- */

int bpfevents_open(struct bpfevents *all, struct kernelrun *run, struct bpftasks *tasks,
		   struct errmsg *err)
{
	*all = (struct bpfevents){.run = run, .tasks = tasks};
	if (!bpf_is_there())
		return errmsg_set(err, -ENOTSUP, "this kernel takes no BPF programs from us");
	bpftask_find(&all->btf, &all->task);
	TRY(bpf_make_gate(&run->gate, err));
	TRY(bpfwhich_open(all, err));
	return probes_list(&run->s.t, &all->probes, err);
}

void bpfevents_close(struct bpfevents *all)
{
	probe_list_release(&all->probes);
	if (all->btf)
		btf_close(all->btf);
}
