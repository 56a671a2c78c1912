// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * samples.c - walks the samples of a range: their stacks become paths of a tree, their times cells
 * of a heat map.
 *
 *	perf:sample  ─▶  number of its event ─▶ name, by the file (decode/samples/sampleinfo.h)
 *	             └▶  places of its stack ─▶ labels, by the file's symbols; a cache in front
 *
 * A caller's place is a return address, which may be the first byte behind its function; so the
 * byte before it is looked up. Inlined functions are not shown: the server reads no programs.
 */
#include "timeline/insight/samples.h"

#include "base/array.h"
#include "base/scope.h"
#include "decode/formats/formats.h"
#include "decode/samples/sampleevent.h"
#include "decode/samples/sampleinfo.h"
#include "symbols/kallsyms.h"
#include "timeline/insight/marks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_FEW  12
#define COLUMNS_MANY 300

/* A kind of event that is a sample; there is one for each file. */
struct sample_form {
	struct sample_kind kind; /* event NULL: not a sample */
	struct sampleinfo info;
	const struct kallsyms *symbols;
	uint32_t *numbers; /* index + 1 in the list of events, by the file's number */
};

struct sampling {
	struct lanes *ls;
	struct sample_form *forms; /* by kind */
	size_t n_forms;
	struct walk_mask mask;
	struct sampled_events *events;
	int only;   /* a task; -1: all */
	int wanted; /* index in events; -1: none */
	struct flametree *t;
	struct insight_heat *heat;
	struct mark_cache cache;
	int error;
};

bool sampled_is_time(const char *event)
{
	static const char *const clocks[] = {"cpu-clock", "task-clock", SAMPLES_OFF_CPU};

	return ARRAY_ANY(ARRAY_LEN(clocks), i,
			 !strncmp(event, clocks[i], strlen(clocks[i])) &&
				 (!event[strlen(clocks[i])] || event[strlen(clocks[i])] == ':'));
}

void sampled_events_release(struct sampled_events *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->list[i].name);
	free(e->list);
	*e = (struct sampled_events){0};
}

/* --- kinds ------------------------------------------------------------------------------------ */

static int find_event(struct sampled_events *e, const char *name)
{
	for (size_t i = 0; i < e->n; i++)
		if (!strcmp(e->list[i].name, name))
			return (int)i;
	if (!ARRAY_ONE_MORE(e->list, e->n, ARRAY_NO_MAX))
		return -ENOMEM;
	e->list[e->n] = (struct sampled_event){.name = strdup(name)};
	if (!e->list[e->n].name)
		return -ENOMEM;
	return (int)e->n++;
}

static int form_init(struct sampling *s, size_t i)
{
	const struct timeline_kind *k = timeline_kind(s->ls->tl, i);
	struct formats *f = timeline_source(s->ls->tl, k->source)->formats;
	struct sample_form *form = &s->forms[i];

	if (!k->event || strcmp(k->event->system, "perf") || strcmp(k->event->name, "sample"))
		return 0;
	timeline_lock_formats(s->ls->tl);
	sample_kind_init(&form->kind, f);
	form->symbols = formats_kallsyms(f);
	timeline_unlock_formats(s->ls->tl);
	if (!form->kind.event)
		return 0;
	if (f->tf && sampleinfo_read(&form->info, f->tf) == -ENOMEM)
		return -ENOMEM;
	form->numbers = calloc(form->info.n_events + 1, sizeof(*form->numbers));
	if (!form->numbers)
		return -ENOMEM;
	for (size_t n = 0; n <= form->info.n_events; n++) {
		int at;

		if (n == form->info.n_events && n)
			break;
		at = find_event(s->events, sampleinfo_event_name(&form->info, (uint32_t)n));
		TRY(at);
		form->numbers[n] = (uint32_t)at + 1;
	}
	return mask_add_kind(&s->mask, i);
}

static void sampling_release(struct sampling *s)
{
	for (size_t i = 0; s->forms && i < s->n_forms; i++) {
		sampleinfo_release(&s->forms[i].info);
		free(s->forms[i].numbers);
	}
	free(s->forms);
	mask_release(&s->mask);
}

static int sampling_init(struct sampling *s, const char *event)
{
	s->n_forms = timeline_n_kinds(s->ls->tl);
	s->forms = calloc(s->n_forms + 1, sizeof(*s->forms));
	if (!s->forms)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_forms; i++)
		TRY(form_init(s, i));
	s->wanted = -1;
	for (size_t i = 0; i < s->events->n && s->wanted < 0; i++) {
		const char *name = s->events->list[i].name;

		if (event ? !strcmp(event, name) : strcmp(name, SAMPLES_OFF_CPU) != 0)
			s->wanted = (int)i;
	}
	return 0;
}

/* --- stacks ----------------------------------------------------------------------------------- */

static uint32_t make_label(struct sampling *s, const struct sample_form *form, uint64_t place)
{
	const struct ksym *sym = kallsyms_find(form->symbols, place);
	const struct sample_file *file = sampleinfo_find_file(&form->info, place_file(place));
	char text[300];

	if (!sym && form->symbols->n && form->symbols->syms[form->symbols->n - 1].addr <= place)
		sym = &form->symbols->syms[form->symbols->n - 1];
	if (sym && place_is_kernel(sym->addr) == place_is_kernel(place) &&
	    place_file(sym->addr) == place_file(place))
		return labels_add(&s->ls->labels, sym->name, sym->name_len);
	if (file)
		snprintf(text, sizeof(text), "%.250s+0x%llx", file->name,
			 (unsigned long long)place_address(place));
	else
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)place);
	return labels_add(&s->ls->labels, text, strlen(text));
}

static uint32_t label_of(struct sampling *s, const struct sample_form *form, uint64_t place)
{
	size_t at = (place * 0x9e3779b97f4a7c15u) >> (64 - MARK_CACHE_BITS);

	if (s->cache.slots[at].key != place || s->cache.slots[at].of != form) {
		s->cache.slots[at].key = place;
		s->cache.slots[at].of = form;
		s->cache.slots[at].label = make_label(s, form, place);
	}
	return s->cache.slots[at].label;
}

static void add_stack(struct sampling *s, const struct sample_form *form, uint16_t task,
		      const struct sample_event *sample)
{
	uint32_t node =
		s->only >= 0 ? 0 : flametree_child(s->t, 0, frame_key_task(FRAME_TASK, task));
	uint32_t n = sample->n < FLAME_DEPTH_MAX ? sample->n : FLAME_DEPTH_MAX;

	if (!n)
		node = flametree_child(s->t, node, label_of(s, form, sample->ip));
	while (n--) {
		uint64_t place = sample_place(sample, n);
		/* where the program entered the kernel is no return address */
		bool is_return = n && !(place_is_kernel(sample_place(sample, n - 1)) &&
					!place_is_kernel(place));

		node = flametree_child(s->t, node, label_of(s, form, place - is_return));
	}
	flametree_add(s->t, node, sample->period ? sample->period : 1);
}

static void add_cell(struct sampling *s, uint64_t ts)
{
	struct insight_heat *h = s->heat;
	uint64_t cell = ts < h->start ? 0 : (ts - h->start) / h->row_ns;

	if (cell < (uint64_t)h->n_columns * INSIGHT_HEAT_ROWS)
		h->cells[cell]++;
}

static bool take_sample(void *ctx, const struct walk_event *ev)
{
	struct sampling *s = ctx;
	struct sample_form *form = ev->kind < s->n_forms ? &s->forms[ev->kind] : NULL;
	struct sample_event sample;
	size_t at;

	if (!form || !form->kind.event || (s->only >= 0 && ev->task != s->only) ||
	    !sample_kind_read(&form->kind, ev->data, ev->size, &sample))
		return true;
	at = sample.event < form->info.n_events ? sample.event : 0;
	if (!form->numbers[at])
		return true;
	s->events->list[form->numbers[at] - 1].n++;
	if ((int)form->numbers[at] - 1 != s->wanted)
		return true;
	if (s->t)
		add_stack(s, form, ev->task, &sample);
	if (s->heat)
		add_cell(s, ev->ts);
	return true;
}

static int walk(struct sampling *s, uint64_t from, uint64_t to)
{
	struct walk_wants wants = {
		.from = from, .to = to, .kinds = s->mask.bits, .n_kinds = s->mask.n};
	bool whole;

	if (!s->events->n)
		return 0;
	for (size_t i = 0; i < timeline_n_streams(s->ls->tl); i++)
		TRY(timeline_walk(s->ls->tl, i, &wants, take_sample, s, &whole));
	return 0;
}

int insight_add_samples(struct lanes *ls, const char *event, int task, uint64_t from, uint64_t to,
			struct flametree *t, struct sampled_events *events, const char **ret_event)
{
	SCOPED(scope_free) struct sampling *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	*s = (struct sampling){.ls = ls, .events = events, .only = task, .t = t};
	r = sampling_init(s, event);
	if (r >= 0)
		r = walk(s, from, to);
	*ret_event = r >= 0 && s->wanted >= 0 ? events->list[s->wanted].name : NULL;
	sampling_release(s);
	return r < 0 ? r : 0;
}

/* --- heat map --------------------------------------------------------------------------------- */

/* A column is a second; in short ranges less, so that there are some, in long ones more. */
static void choose_columns(struct insight_heat *h, uint64_t from, uint64_t to)
{
	static const uint64_t columns_ns[] = {10000000u,    100000000u,	  1000000000u,
					      10000000000u, 60000000000u, 600000000000u};
	uint64_t length = to > from ? to - from : 1;
	size_t i = 2;

	while (i && length / columns_ns[i] < COLUMNS_FEW)
		i--;
	while (i + 1 < ARRAY_LEN(columns_ns) && length / columns_ns[i] > COLUMNS_MANY)
		i++;
	h->column_ns = columns_ns[i];
	h->row_ns = h->column_ns / INSIGHT_HEAT_ROWS;
	h->start = from;
	h->n_columns = (uint32_t)earlier(length / h->column_ns + 1, INSIGHT_HEAT_COLUMNS);
}

int insight_heat(struct insight_heat *ret, struct lanes *ls, const char *by, int task,
		 uint64_t from, uint64_t to)
{
	SCOPED(insight_heat_release) struct insight_heat h = {0};
	SCOPED(sampled_events_release) struct sampled_events events = {0};
	SCOPED(scope_free) struct sampling *s = calloc(1, sizeof(*s));
	size_t head = strlen(SAMPLES_BY);
	int r;

	choose_columns(&h, from, earlier(to, timeline_duration(ls->tl)));
	h.cells = calloc((size_t)h.n_columns * INSIGHT_HEAT_ROWS, sizeof(*h.cells));
	if (!s || !h.cells)
		return -ENOMEM;
	*s = (struct sampling){.ls = ls, .events = &events, .only = task, .heat = &h};
	r = sampling_init(s, by && !strncmp(by, SAMPLES_BY, head) ? by + head : NULL);
	if (r >= 0)
		r = walk(s, from, to);
	sampling_release(s);
	TRY(r);
	if (s->wanted >= 0) {
		h.n_samples = events.list[s->wanted].n;
		h.event = strdup(events.list[s->wanted].name);
		if (!h.event)
			return -ENOMEM;
	}
	*ret = TAKE_STRUCT(h);
	return 0;
}

void insight_heat_release(struct insight_heat *h)
{
	free(h->cells);
	free(h->event);
	*h = (struct insight_heat){0};
}
