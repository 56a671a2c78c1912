// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run.c - drives a session whose result is in the hist files of its events.
 *
 *	word of --by    key of the trigger          what the kernel prints        our value
 *	FIELD           FIELD                       a number, a text              as from a record
 *	$comm           comm, of a probe            a text                        the text
 *	$pid            common_pid                  a number                      the number
 *	$cpu            common_cpu, before 5.14 cpu a number                      the number
 *
 * The kernel's names of tasks (common_pid.execname) are those that tasks had when they were first
 * counted: a child of a shell that executes another program would count as the shell. So for $comm
 * sonde reads every event, except for probes, which can record the name: $comm is added to their
 * definition. For $task sonde always reads every event.
 *
 * Names of values are taken from the event's format, so that a table looks the same with every
 * method. Hist triggers do not support code addresses as keys; BPF programs support those of the
 * kernel. The kernel's symbols are read when the first one is shown.
 */
#include "live/kernel/run.h"

#include "base/clock.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/tracefs/cpufilter.h"
#include "decode/formats/event.h"
#include "probe/definition/definition.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX_BYTES	 (64u << 20)
#define ARENA_MAX_BYTES	 (64u << 20)
#define FILTER_MAX_BYTES 1024 /* limit for a choice of CPUs; a trigger has to fit into a page */
#define TICK_MS		 50
#define WATCH_NS	 UINT64_C(1000000000)

/* --- open and close --------------------------------------------------------------------------- */

static bool readme_has(const struct tracefs *t, const char *word)
{
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = 1 << 20};

	return tracefs_read(t, "", "README", &text) >= 0 && textbuf_len(&text) &&
	       memmem(text.start, textbuf_len(&text), word, strlen(word));
}

static int prepare(struct session *s, void *ctx, struct errmsg *err)
{
	struct kernelrun *run = ctx;

	return run->prepare ? run->prepare(s, run->ctx, err) : 0;
}

static void begin(void *ctx)
{
	bpf_set_gate(&((struct kernelrun *)ctx)->gate, true);
}

int kernelrun_open(struct kernelrun *run, struct live_request *o, char **argv, struct errmsg *err)
{
	struct session_config config = {.plan = &o->plan,
					.argv = argv,
					.user = o->user,
					.no_symbols = true,
					.prepare = prepare,
					.begin = begin,
					.prepare_ctx = run};
	struct errmsg ignored = {0};
	struct tracefs t;

	run->request = o;
	run->gate.fd = -1;
	/* without a tracing directory, reading every event reports the reason */
	if (tracefs_open(&t, &ignored) < 0)
		return 0;
	run->has_hist = histogram_is_there(&t);
	if (!run->has_hist && !run->prepare)
		return 0;
	run->cpu_is_common = readme_has(&t, "common_cpu");
	arena_init(&run->arena, ARENA_MAX_BYTES);
	run->formats = formats_new_bare();
	sigprocmask(SIG_SETMASK, NULL, &run->mask);
	o->plan.only_triggers = true;
	run->is_open = true;
	TRY(session_open(&run->s, &config, err));
	live_request_tell_notes(o, &run->s.setup->notes);
	return 1;
}

int kernelrun_close(struct kernelrun *run, struct errmsg *err)
{
	int r = session_close(&run->s, err);

	if (run->gate.fd >= 0)
		close(run->gate.fd);
	run->gate.fd = -1;
	run->request->plan.only_triggers = false;
	sigprocmask(SIG_SETMASK, &run->mask, NULL);
	arena_release(&run->arena);
	formats_free(run->formats);
	return r;
}

/* --- names of tasks --------------------------------------------------------------------------- */

/*
 * Changes "f(a, b) if a > 1" to "f(a, b, $comm) if a > 1". Returns NULL if it does not have that
 * form.
 */
static char *with_comm(const char *definition)
{
	const char *condition, *end, *open;
	struct errmsg ignored = {0};
	struct definition *d;
	char *text = NULL;
	size_t name;

	if (definition_parse(&d, definition, &ignored) < 0)
		return NULL;
	/* in put(int)(n), the parameters that select the function are part of its name */
	name = d->function_span.at + d->function_span.len;
	definition_free(d);
	condition = strstr(definition + name, ") if ");
	end = condition ? condition : strrchr(definition + name, ')');
	open = strchr(definition + name, '(');
	if (!end || !open || open > end || (!condition && end[1]))
		return NULL;
	if (asprintf(&text, "%.*s%s$comm%s", (int)(end - definition), definition,
		     end == open + 1 ? "" : ", ", end) < 0)
		return NULL;
	return text;
}

bool kernelrun_read_comm(struct kernelrun *run, struct plan *plan)
{
	struct plan_buffer *b = &plan->buffers[0];

	for (size_t i = 0; i < b->n_events; i++) {
		char *text = definition_is_one(b->events[i].pattern)
				     ? with_comm(b->events[i].pattern)
				     : NULL;

		if (!text)
			return false;
		free(b->events[i].pattern);
		b->events[i].pattern = text;
	}
	run->has_comm = true;
	return true;
}

/* --- events ----------------------------------------------------------------------------------- */

/* Parses an event's format. The text stays in the arena. */
static struct event *parse_event(struct kernelrun *run, const struct event_name *name,
				 struct errmsg *err)
{
	struct event *ev = arena_alloc(&run->arena, sizeof(*ev));
	struct textbuf text;
	char *copy = NULL;
	size_t len = 0;

	textbuf_init(&text, 1 << 20);
	if (histogram_read_format(&run->s, name, &text, err) >= 0) {
		len = strlen(text.start);
		copy = arena_strndup(&run->arena, text.start, len);
	}
	textbuf_release(&text);
	if (!run->formats || !ev || !copy)
		return NULL;
	*ev = (struct event){.system = name->system,
			     .name = name->event,
			     .formats = run->formats,
			     .text = {(const uint8_t *)copy, len}};
	return event_parse(ev, &run->arena) ? ev : NULL;
}

/*
 * Makes a filter of the selected CPUs, because tracing_cpumask does not affect counting in the
 * kernel.
 */
static bool find_cpus(struct kernelrun *run)
{
	const char *mask = run->s.config.plan->buffers[0].cpumask;
	SCOPED(textbuf_release) struct textbuf tb = {.max_bytes = FILTER_MAX_BYTES};
	bool is_found;

	if (!mask || run->cpus)
		return true;
	cpufilter_fmt(mask, &tb);
	is_found = !tb.overflow;
	if (is_found && textbuf_len(&tb))
		run->cpus = arena_strndup(&run->arena, tb.start, textbuf_len(&tb));
	is_found = is_found && (run->cpus || !textbuf_len(&tb));
	return is_found;
}

/*
 * Makes "(CPUS) && (FILTER)". Returns false if memory is short, or if the event has a field named
 * CPU.
 */
static bool choose_cpus(struct kernelrun *run, struct kernel_event *e)
{
	size_t n_bytes = e->filter ? strlen(e->filter) + strlen(run->cpus) + 16 : 0;
	char *text = e->filter ? arena_alloc(&run->arena, n_bytes) : NULL;

	if (event_find_field(e->format, "CPU") || (e->filter && !text))
		return false;
	if (text)
		snprintf(text, n_bytes, "(%s) && (%s)", run->cpus, e->filter);
	e->filter = text ? text : run->cpus;
	return true;
}

/* --- sonde itself ----------------------------------------------------------------------------- */

bool kernelrun_leaves_own(const struct kernelrun *run)
{
	const struct plan *plan = run->s.config.plan;

	return !plan->trace_self && !plan->only_command && !plan->buffers[0].pids.n;
}

const char *kernelrun_join(struct kernelrun *run, const char *filter, const char *more)
{
	size_t n_bytes = (filter ? strlen(filter) : 0) + strlen(more) + 16;
	char *text = filter ? arena_alloc(&run->arena, n_bytes)
			    : arena_strndup(&run->arena, more, strlen(more));

	if (text && filter)
		snprintf(text, n_bytes, "(%s) && (%s)", more, filter);
	return text;
}

int kernelrun_leave_out_own(struct kernelrun *run, struct kernel_event *e, const char *field,
			    struct errmsg *err)
{
	char more[2 * TRACEFS_NAME_MAX];

	snprintf(more, sizeof(more), "%s != %d", field, (int)getpid());
	e->asked = e->asked ? e->asked : e->filter;
	e->filter = kernelrun_join(run, e->filter, more);
	return e->filter ? 0 : errmsg_set_errno(err, -ENOMEM, "cannot keep the filter");
}

int kernelrun_add_events(struct kernelrun *run, const struct plan_event *planned,
			 const char (*words)[KEY_WORD_MAX], size_t n_words, struct errmsg *err)
{
	struct event_name found[HISTOGRAM_EVENTS_MAX];
	bool is_filtered[HISTOGRAM_EVENTS_MAX];
	int n = histogram_find(&run->s, planned, found, HISTOGRAM_EVENTS_MAX - run->n_events, err);

	if (n == -E2BIG)
		return 0;
	if (!find_cpus(run))
		return errmsg_set(err, -E2BIG, "there are too many CPUs to choose from (-M)"), 0;
	if (n > 0 &&
	    histogram_share_filter(&run->s, planned, found, (size_t)n, is_filtered, err) < 0)
		return 0;
	for (int i = 0; i < n; i++) {
		struct kernel_event *e = &run->events[run->n_events++];
		const struct event *ev;

		e->name = found[i];
		snprintf(e->shown, sizeof(e->shown), "%s",
			 setup_name_of_event(run->s.setup, e->name.system, e->name.event));
		e->filter = is_filtered[i] ? setup_event(run->s.setup, planned)->filter : NULL;
		e->format = ev = parse_event(run, &e->name, err);
		if (!ev)
			return err->code ? err->code : 0;
		if (run->cpus && !choose_cpus(run, e))
			return errmsg_set(err, -ENOTSUP,
					  "the kernel cannot choose CPUs there (-M)"),
			       0;
		for (size_t k = 0; k < n_words; k++) {
			bool reads_it = !strcmp(words[k], "$comm") && run->has_comm;

			e->slots[k] = key_bind(ev, reads_it ? "comm" : words[k]);
			if (e->slots[k].kind != KEY_ABSENT || run->may_lack)
				continue;
			errmsg_set(err, -ENOENT, "%s:%s has no %s", found[i].system, found[i].event,
				   words[k]);
			return 0;
		}
	}
	return n;
}

static bool fmt_key(const struct kernelrun *run, const struct key_slot *slot, char *buf,
		    size_t n_bytes)
{
	switch (slot->kind) {
	case KEY_NUMBER:
	case KEY_TEXT:
		snprintf(buf, n_bytes, "%s", slot->field->name);
		return (slot->kind == KEY_TEXT && !slot->is_array) || slot->names ||
		       key_is_plain(slot);
	case KEY_PID:
		snprintf(buf, n_bytes, "common_pid");
		return true;
	case KEY_CPU:
		snprintf(buf, n_bytes, "%scpu", run->cpu_is_common ? "common_" : "");
		return true;
	default:
		return false;
	}
}

/*
 * Returns the size of a key. A text of variable length needs the maximum length of a text. With two
 * of them, the kernel refuses the trigger.
 */
static size_t key_bytes(const struct key_slot *slot)
{
	size_t n = sizeof(uint64_t);

	if (slot->kind == KEY_TEXT)
		n = slot->field->flags & FIELD_DYNAMIC ||
				    slot->field->size > KERNELRUN_TEXT_BYTES_MAX
			    ? KERNELRUN_TEXT_BYTES_MAX
			    : slot->field->size;
	return (n + 7) / 8 * 8;
}

bool kernelrun_fmt_keys(const struct kernelrun *run, const struct kernel_event *e, size_t n_words,
			char *buf, size_t n_bytes)
{
	size_t n_keys = 0, len = 0, n_key_bytes = 0;

	*buf = 0;
	for (size_t i = 0; i < n_words; i++) {
		char key[TRACEFS_NAME_MAX];

		if (e->slots[i].kind == KEY_EVENT)
			continue;
		if (!fmt_key(run, &e->slots[i], key, sizeof(key)) || ++n_keys > KERNELRUN_KEYS_MAX)
			return false;
		n_key_bytes += key_bytes(&e->slots[i]);
		if (n_key_bytes > KERNELRUN_KEY_BYTES_MAX)
			return false;
		len += snprintf(buf + len, n_bytes - len, "%s%s", len ? "," : "", key);
		if (len >= n_bytes)
			return false;
	}
	return true;
}

/* --- tables ----------------------------------------------------------------------------------- */

#define HIST_TEXT_MAX_LEN \
	255 /* limit of a text; a text of exactly this length counts as truncated */

/*
 * Returns true for a text that could not be read. It is empty, or, if a return is joined with its
 * entry, the text of the guard (setup/pairs.c). The kernel does not distinguish it from an empty
 * text in user memory.
 */
static bool is_unread(const struct field *field, const char *text)
{
	if (!*text)
		return field->flags & FIELD_FAULTS;
	return field->flags & FIELD_DYNAMIC && !strcmp(text, "(fault)");
}

uint64_t kernelrun_value(struct keyreader *kr, const struct key_slot *slot, const char *text)
{
	size_t len = strlen(text);

	switch (slot->kind) {
	case KEY_NUMBER:
		return field_number(slot->field, strtoull(text, NULL, 0));
	case KEY_CPU:
	case KEY_PID:
		return strtoull(text, NULL, 0);
	case KEY_TEXT: /* a text of an array may be too long */
		if (is_unread(slot->field, text))
			return key_of_text(kr, "(fault, or empty)", strlen("(fault, or empty)"));
		if (slot->field->flags & FIELD_DYNAMIC && slot->field->n_elements)
			len = strnlen(text, slot->field->n_elements);
		else if (len >= HIST_TEXT_MAX_LEN)
			return key_of_cut_text(kr, text, len);
		return key_of_text(kr, text, len);
	default:
		return key_of_text(kr, text, len);
	}
}

int kernelrun_read(struct kernelrun *run, const struct event_name *event, struct arena *arena,
		   struct kernelhist **ret_hist, struct errmsg *err)
{
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = TEXT_MAX_BYTES};
	int r;

	r = histogram_read(&run->s, event, &text, err);
	if (r >= 0) {
		r = kernelhist_parse(text.start, strlen(text.start), arena, ret_hist);
		if (r < 0)
			errmsg_set_errno(err, r, "cannot read the table of %s:%s", event->system,
					 event->event);
	}
	return r;
}

/* --- running ---------------------------------------------------------------------------------- */

/*
 * Warns once a second about probes that cost too much. A probe that a BPF program replaces is
 * never hit.
 */
static void watch(struct kernelrun *run)
{
	uint64_t now = clock_now_ns();

	if (run->request->quiet || now - run->watched_ns < WATCH_NS)
		return;
	setup_watch_probes(run->s.setup, (now - run->watched_ns) / 1e9, run->request->front->tell);
	run->watched_ns = now;
}

static bool tick(void *ctx)
{
	struct kernelrun *run = ctx;
	int r;

	watch(run);
	if (!run->pace->interval_ns || clock_now_ns() < run->next_ns)
		return true;
	run->next_ns = clock_now_ns() + run->pace->interval_ns;
	r = run->read(run->ctx, run->err);
	if (r >= 0)
		r = run->show(run->ctx, false, run->err);
	return r >= 0 && !run->err->code;
}

static void begin_pace(struct kernelrun *run)
{
	struct pace *p = run->pace;

	p->start_ns = run->watched_ns = clock_now_ns();
	run->next_ns = p->is_series ? p->start_ns + p->interval_ns : 0;
}

int kernelrun_follow(struct kernelrun *run, struct pace *pace,
		     int (*read)(void *ctx, struct errmsg *err),
		     int (*show)(void *ctx, bool is_last, struct errmsg *err), void *ctx,
		     struct errmsg *err)
{
	const struct live_request *o = run->request;
	int r, r2;

	run->pace = pace;
	run->read = read;
	run->show = show;
	run->ctx = ctx;
	run->err = err;
	if (!run->s.has_child && !pace->interval_ns)
		live_request_say(o, "Ctrl-C ends it and prints the result");
	TRY(session_start(&run->s, err));
	begin_pace(run);
	session_wait(&run->s, -1, TICK_MS, tick, run);
	o->front->end_interrupt(run->s.signal, run->s.config.argv);
	bpf_set_gate(&run->gate, false);
	pace->end_ns = clock_now_ns();
	if (run->stop)
		run->stop(run->ctx);
	r = read(ctx, err);
	session_stop(&run->s, err);
	session_tell_missing(&run->s, live_request_tell(o));
	session_tell_end(&run->s, live_request_tell(o));
	r2 = session_restore(&run->s, err);
	if (r >= 0)
		r = show(ctx, true, err);
	return r < 0 ? r : r2;
}
