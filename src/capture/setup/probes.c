// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probes.c - definitions of probes in a plan: resolves, defines and enables them.
 *
 *	-e 'vfs_read(file, count) if count > 4096'
 *	     │ definition, probe                 resolved by name
 *	     ▼
 *	sonde_1234/vfs_read                      the event in the kernel: each recording has its own
 *	                                         group, so that
 *	     │                                   two users cannot collide; the journal removes it
 *	     ▼
 *	probe:vfs_read                           in the file, with a print format that knows enums
 *	                                         and flags
 *
 * Without a journal (start, set) the group is "probe" or "probe_PROGRAM", as in perf, and the event
 * stays; an identical existing event is reused.
 *
 * A bare name is an event if there is one of that name, otherwise a function. A definition with
 * only SYSTEM:EVENT and a condition is that event with a filter.
 *
 * rates.c measures the cost of hits during the recording.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/setup/setup_int.h"

#include "capture/tracefs/eventdir.h"
#include "capture/tracefs/probes.h"
#include "probe/probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SUFFIX_MAX	 1000
#define FILTER_MAX_BYTES 65536

/*
 * --- which words -------------------------------------------------------------------------------
 */

static int matches(void *ctx, const char *system, const char *event)
{
	return setup_event_matches(ctx, system, event) && strcmp(system, "ftrace");
}

bool setup_is_event(const struct setup *s, const char *pattern)
{
	struct errmsg ignored = {0};

	return eventdir_each(&s->t, "", matches, (void *)pattern, &ignored) > 0;
}

/* Returns true for SYSTEM:EVENT [if FILTER] without anything else. */
static bool is_plain_event(const struct setup *s, const struct definition *d)
{
	char path[3 * TRACEFS_NAME_MAX];

	if (d->form != DEFINITION_PLACE || !d->target || !d->function || d->n_args || d->event ||
	    d->is_return || d->offset || d->has_line || d->pattern || d->file)
		return false;
	snprintf(path, sizeof(path), "events/%.250s/%.250s", d->target, d->function);
	return tracefs_exists(&s->t, "", path);
}

/*
 * --- names -------------------------------------------------------------------------------------
 */

static bool is_taken(const struct setup *s, const char *group, const char *name)
{
	char path[3 * TRACEFS_NAME_MAX];

	for (size_t i = 0; i < s->n_probes; i++)
		if (!strcmp(s->probes[i]->group, group) && !strcmp(s->probes[i]->name, name))
			return true;
	snprintf(path, sizeof(path), "events/%s/%s", group, name);
	return s->journal && tracefs_exists(&s->t, "", path);
}

static void choose_name(const struct setup *s, struct setup_probe *sp)
{
	char name[TRACEFS_NAME_MAX];

	if (s->journal)
		snprintf(sp->group, sizeof(sp->group), "sonde_%d", (int)getpid());
	else
		snprintf(sp->group, sizeof(sp->group), "%s", sp->probe->group);
	snprintf(name, sizeof(name), "%s", sp->probe->event);
	for (int n = 1; n < SUFFIX_MAX && is_taken(s, sp->group, name); n++)
		snprintf(name, sizeof(name), "%.200s_%d", sp->probe->event, n);
	snprintf(sp->name, sizeof(sp->name), "%s", name);
}

/*
 * --- defining ----------------------------------------------------------------------------------
 */

static int without_memory(struct errmsg *err)
{
	return errmsg_set_errno(err, -ENOMEM, "cannot define the probes");
}

static char *join_filters(const char *a, const char *b)
{
	char *text;

	if (!a || !b)
		return strdup(a ? a : b);
	return asprintf(&text, "(%s) && (%s)", a, b) < 0 ? NULL : text;
}

int setup_take_filter(struct setup_probe *sp, const struct probe *shown, const char *duration,
		      struct errmsg *err)
{
	SCOPED(textbuf_release) struct textbuf tb = {.max_bytes = FILTER_MAX_BYTES};
	int r = 0;

	if (!sp->planned->filter)
		return 0;
	r = probe_fmt_filter(shown, sp->definition, duration, sp->planned->filter, &tb, err);
	textbuf_add(&tb, "", 1);
	sp->filter = r < 0 || tb.overflow ? NULL : strdup(tb.start);
	return r < 0 ? r : sp->filter ? 0 : without_memory(err);
}

int setup_set_event(struct setup_probe *sp, const char *system, const char *name,
		    const char *filter, struct errmsg *err)
{
	const char *planned = sp->filter ? sp->filter : sp->planned->filter;

	sp->event = (struct plan_event){.triggers = sp->planned->triggers};
	if (asprintf(&sp->event.pattern, "%s:%s", system, name) < 0)
		sp->event.pattern = NULL;
	if (planned || filter)
		sp->event.filter = join_filters(planned, filter);
	return sp->event.pattern && (sp->event.filter || !(planned || filter))
		       ? 0
		       : without_memory(err);
}

/*
 * Compares two definitions as the kernel shows them: with leading zeros (0x0000000000001139), and
 * with a number after r.
 */
static bool is_same_line(const char *a, const char *b)
{
	if (*a++ != *b++)
		return false;
	a += strspn(a, "0123456789");
	b += strspn(b, "0123456789");
	for (; *a && *a == *b; a++, b++)
		if (a[0] == '0' && a[1] == 'x' && b[1] == 'x') {
			a += 2 + strspn(a + 2, "0");
			b += 2 + strspn(b + 2, "0");
			if (*a != *b)
				return false;
			if (!*a)
				return true;
		}
	return *a == *b;
}

/*
 * Finds an existing event with the same definition, perhaps under a name without a number. This
 * happens if `sonde start` runs twice.
 */
static bool find_same(const struct setup *s, struct setup_probe *sp)
{
	struct errmsg ignored = {0};
	struct probe_list l;
	SCOPED(textbuf_release) struct textbuf line = {.max_bytes = 65536};
	bool same = false;

	if (s->journal || probes_list(&s->t, &l, &ignored) < 0)
		return false;
	for (size_t i = 0; i < l.n && !same; i++) {
		textbuf_clear(&line);
		probe_fmt_line(sp->probe, 0, sp->group, l.list[i].event, &line);
		textbuf_add(&line, "", 1);
		same = !line.overflow && is_same_line(l.list[i].line, line.start);
		if (same)
			snprintf(sp->name, sizeof(sp->name), "%s", l.list[i].event);
	}
	probe_list_release(&l);
	return same;
}

int setup_open_prober(struct setup *s, struct errmsg *err)
{
	if (s->prober)
		return 0;
	s->site = calloc(1, sizeof(*s->site));
	if (!s->site)
		return without_memory(err);
	probe_site_init(s->site, &s->t);
	snprintf(s->site->group, sizeof(s->site->group), "sonde_%d", (int)getpid());
	if (s->journal)
		s->site->world.group = s->site->group;
	s->site->world.command = s->plan->command;
	s->site->world.vmlinux = s->plan->vmlinux;
	s->site->world.only_calls = s->plan->only_calls;
	s->site->world.only_kernel = s->plan->is_for_host;
	s->site->world.source_dir = s->plan->source_dir;
	s->site->world.debug_dir = s->plan->debug_dir;
	if (s->plan->max_rate || s->plan->estimate) /* the limit needs the number of hits */
		s->site->kernel.prefers_kprobes = true;
	return prober_new(&s->prober, &s->site->world, err);
}

/* Adds guards for texts, but not to a permanent probe, because users would see them as fields. */
static void guard_texts(struct setup *s, struct setup_probe *sp)
{
	char *filter = NULL;

	if (!s->journal || (!sp->filter && !sp->probe->filter))
		return;
	filter = join_filters(sp->filter, sp->probe->filter);
	if (!filter || !probe_guard_texts(sp->probe, filter, &s->site->kernel))
		setup_note(s, "%s: if a text cannot be read, the condition may be true at random",
			   sp->name);
	free(filter);
}

/*
 * Reports what a permanent probe (start, set) shows less precisely, because it has only the
 * kernel's format.
 */
static void note_lost(struct setup *s, const struct probe *p)
{
	SCOPED(textbuf_release) struct textbuf tb = {.max_bytes = 1 << 16};

	probe_fmt_lost(p, &tb);
	if (textbuf_len(&tb))
		setup_note(s, "%.*s", (int)textbuf_len(&tb), tb.start);
}

static int define(struct setup *s, struct setup_probe *sp, struct errmsg *err)
{
	struct probe *p = sp->probe;
	struct setup_framed framed;

	TRY(setup_take_filter(sp, p, NULL, err));
	choose_name(s, sp);
	guard_texts(s, sp);
	if (!find_same(s, sp)) {
		int r = probes_add(&s->t, s->journal, setup_add_frame(s, p, &framed), sp->group,
				   sp->name, err);

		setup_framed_release(&framed);
		TRY(r);
		sp->is_new = true;
	}
	for (size_t i = 0; i < p->n_notes; i++)
		setup_note(s, "%s", p->notes[i]);
	setup_note_replaced(s, p);
	if (!s->journal)
		note_lost(s, p);
	return setup_set_event(sp, sp->group, sp->name, s->plan->no_conditions ? NULL : p->filter,
			       err);
}

/*
 * Takes a definition. only_name: the word may also be a misspelled event, so errors of the
 * definition are ignored.
 */
static int take_definition(struct setup *s, struct setup_probe *sp, bool only_name,
			   struct errmsg *err)
{
	struct errmsg why = {0};
	int r = definition_parse(&sp->definition, sp->planned->pattern, &why);

	if (r >= 0 && is_plain_event(s, sp->definition))
		return setup_set_event(sp, sp->definition->target, sp->definition->function,
				       sp->definition->filter, err);
	if (r >= 0)
		r = setup_open_prober(s, &why);
	if (r >= 0)
		r = probe_resolve(s->prober, sp->definition, &sp->probe, &why);
	if (setup_wants_pair(s, sp))
		return setup_pair(s, sp, r < 0 ? &why : NULL, err);
	if (r < 0 && !only_name)
		return errmsg_set(err, r, "%s", why.text);
	if (r < 0) {
		sp->why = strndup(why.text, errmsg_sentence_len(&why));
		sp->why_code = r;
		return 0;
	}
	return define(s, sp, err);
}

static void probe_release(struct setup_probe *sp)
{
	setup_pair_release(sp);
	probe_free(sp->probe);
	definition_free(sp->definition);
	free(sp->event.pattern);
	free(sp->event.filter);
	free(sp->filter);
	free(sp->why);
	free(sp);
}

static int take_event(struct setup *s, const struct plan_event *e, struct errmsg *err)
{
	bool only_name = !definition_is_one(e->pattern);
	struct setup_probe *sp;
	int r;

	if (e->off || e->may_lack ||
	    (only_name && (strpbrk(e->pattern, "*?[") || !strcmp(e->pattern, "all") ||
			   setup_is_event(s, e->pattern))))
		return 0;
	if (!ARRAY_ROOM(s->probes, s->cap_probes, s->n_probes + 1, ARRAY_NO_MAX))
		return without_memory(err);
	sp = calloc(1, sizeof(*sp));
	if (!sp)
		return without_memory(err);
	sp->planned = e;
	r = take_definition(s, sp, only_name, err);
	if (r < 0) {
		probe_release(sp);
		return r;
	}
	s->probes[s->n_probes++] = sp;
	return 0;
}

int setup_probes(struct setup *s, struct errmsg *err)
{
	TRY(setup_patterns(s, err));
	for (size_t i = 0; i < s->plan->n_buffers; i++)
		for (size_t k = 0; k < s->plan->buffers[i].n_events; k++)
			TRY(take_event(s, &s->plan->buffers[i].events[k], err));
	return 0;
}

void setup_probes_undo(struct setup *s)
{
	struct errmsg ignored = {0};

	for (size_t i = 0; i < s->n_probes && !s->journal; i++)
		if (s->probes[i]->is_new) {
			char name[2 * TRACEFS_NAME_MAX];

			snprintf(name, sizeof(name), "%s:%s", s->probes[i]->group,
				 s->probes[i]->name);
			probes_remove(&s->t, name, &ignored);
		}
}

void setup_probes_free(struct setup *s)
{
	for (size_t i = 0; i < s->n_probes; i++)
		probe_release(s->probes[i]);
	free(s->probes);
	prober_free(s->prober);
	free(s->site);
	s->probes = NULL;
	s->n_probes = 0;
}

/*
 * --- what others ask ---------------------------------------------------------------------------
 */

const struct plan_event *setup_event(const struct setup *s, const struct plan_event *e)
{
	for (size_t i = 0; i < s->n_probes; i++)
		if (s->probes[i]->planned == e && s->probes[i]->event.pattern)
			return &s->probes[i]->event;
	return e;
}

const char *setup_why_no_probe(const struct setup *s, const struct plan_event *e, int *ret_code)
{
	for (size_t i = 0; i < s->n_probes; i++)
		if (s->probes[i]->planned == e) {
			*ret_code = s->probes[i]->why_code;
			return s->probes[i]->why;
		}
	return NULL;
}

bool setup_is_foreign_group(const struct setup *s, const char *system)
{
	if (strncmp(system, "sonde_", 6) || strspn(system + 6, "0123456789") != strlen(system + 6))
		return false;
	return !s->journal || atoi(system + 6) != getpid();
}

static const struct setup_probe *find(const struct setup *s, const char *system, const char *event)
{
	for (size_t i = 0; i < s->n_probes; i++)
		if (s->probes[i]->probe && !strcmp(s->probes[i]->group, system) &&
		    !strcmp(s->probes[i]->name, event))
			return s->probes[i];
	return NULL;
}

bool setup_fmt_format(void *setup, const char *system, const char *event, const char *text,
		      size_t len, struct textbuf *out)
{
	const struct setup_probe *sp = find(setup, system, event);

	if (!strcmp(system, "synthetic"))
		return setup_pair_fmt_format(setup, event, text, len, out);
	if (!sp)
		return false;
	probe_fmt_format(sp->probe, text, len, out);
	return true;
}

const char *setup_name_of_system(void *setup, const char *system)
{
	const struct setup *s = setup;

	return s->journal && s->n_probes && !strncmp(system, "sonde_", 6) &&
			       !setup_is_foreign_group(s, system)
		       ? "probe"
		       : system;
}

bool setup_probes_returns(const struct setup *s)
{
	return ARRAY_ANY(s->n_probes, i,
			 s->probes[i]->probe && s->probes[i]->probe->kind == PROBE_URETPROBE);
}
