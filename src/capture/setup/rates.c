// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rates.c - measures the cost of the probes of a recording, and limits it.
 *
 * The cost of a probe depends on how often it is hit, which is unknown before the recording. So
 * sonde counts hits during the recording (kprobe_profile, uprobe_profile, once a second), and warns
 * once about a probe that takes a good part of a CPU; with a limit it disables the probe.
 *
 *	kprobe_profile     sonde_1234/vfs_read   1103     hits by all processes, including sonde's
 *	                                                  own reads
 *	per_cpu/…/stats    entries, overrun, read events  the events in the buffers: without sonde's
 *	                                                  own
 */
#include "base/array.h"
#include "capture/setup/setup_int.h"

#include "capture/kernel/cost.h"
#include "capture/tracefs/eventdir.h"
#include "capture/tracefs/probes.h"
#include "probe/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ESTIMATE_MS  100
#define WARN_PERCENT 20 /* percentage of one CPU */

static bool is_in_program(enum probe_kind kind)
{
	return kind == PROBE_UPROBE || kind == PROBE_URETPROBE;
}

/*
 * Returns the microseconds per hit. If it cannot be measured, this is the order of magnitude on
 * bare metal.
 */
static double cost_us_at(const struct setup *s, enum probe_kind kind, bool is_quick)
{
	static const double costs[] = {
		[PROBE_KPROBE] = 0.3,	   [PROBE_KRETPROBE] = 0.6, [PROBE_FPROBE] = 0.15,
		[PROBE_FPROBE_EXIT] = 0.3, [PROBE_UPROBE] = 2.5,    [PROBE_URETPROBE] = 4,
		[PROBE_EPROBE] = 0.2,	   [PROBE_TPROBE] = 0.2,    [PROBE_RAW] = 0.5,
	};
	double ns = s->probe_ns[kind][is_quick];

	return ns > 0 ? ns / 1e3 : costs[kind];
}

/* Returns "/bin/x:0x1139" of "p:GROUP/EVENT /bin/x:0x1139 n=%di:s32". */
static const char *place_of(const struct probe_defined *d, size_t *ret_len)
{
	const char *place = strchr(d->line, ' ');

	*ret_len = place ? strcspn(place + 1, " ") : 0;
	return place ? place + 1 : "";
}

/*
 * Returns true if there is an earlier probe in the list, or an entry if this is a return: one
 * breakpoint serves both.
 */
static bool has_beside(const struct probe_list *l, size_t i, enum probe_kind kind)
{
	size_t len, n;
	const char *place = place_of(&l->list[i], &len), *other;

	for (size_t k = 0; k < l->n; k++) {
		if (l->list[k].kind != kind || k == i || (kind == l->list[i].kind && k > i))
			continue;
		other = place_of(&l->list[k], &n);
		if (n == len && !memcmp(place, other, n))
			return true;
	}
	return false;
}

/*
 * Returns the cost at one place, which has its own instruction, and perhaps already a breakpoint.
 */
static double cost_us_of(const struct setup *s, const struct probe_list *l, size_t i)
{
	const struct probe_defined *d = &l->list[i];
	char text[TRACEFS_PATH_MAX];
	const char *place;
	bool is_quick;
	double us;
	size_t len;

	if (!is_in_program(d->kind))
		return cost_us_at(s, d->kind, false);
	if (has_beside(l, i, d->kind))
		return 0;
	place = place_of(d, &len);
	snprintf(text, sizeof(text), "%.*s", (int)len, place);
	is_quick = cost_is_quick(text);
	us = cost_us_at(s, d->kind, is_quick);
	if (d->kind == PROBE_URETPROBE && has_beside(l, i, PROBE_UPROBE))
		us -= cost_us_at(s, PROBE_UPROBE, is_quick);
	return us > 0 ? us : 0;
}

/* Returns the maximum over all places of the probe. */
static double cost_us(const struct setup *s, const struct probe_list *l,
		      const struct setup_probe *sp)
{
	double most = 0;

	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->list[i].event, sp->name) && !strcmp(l->list[i].group, sp->group)) {
			double us = cost_us_of(s, l, i);

			most = us > most ? us : most;
		}
	return most;
}

uint64_t setup_count_hits(const struct probe_list *l, const struct setup_probe *sp)
{
	uint64_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->list[i].event, sp->name) && !strcmp(l->list[i].group, sp->group))
			n += l->list[i].n_hits;
	return n;
}

static void switch_off(struct setup *s, struct setup_probe *sp)
{
	char file[TRACEFS_PATH_MAX];

	setup_pair_disarm(s, sp);
	eventdir_fmt_path(sp->group, sp->name, "enable", file);
	for (size_t i = 0; i < s->n_buffers; i++)
		tracefs_try_write(&s->t, s->buffers[i].instance, file, "0", TRACEFS_SET);
	sp->is_off = true;
}

static void look_at_rate(struct setup *s, struct setup_probe *sp, const struct probe_list *l,
			 double rate, bool is_estimate, void (*tell)(const char *sentence))
{
	double percent = rate * (cost_us(s, l, sp) + s->event_ns / 1e3) / 1e4;
	long long limit = s->plan->max_rate;
	const char *before = is_estimate ? " (before the recording)" : "";
	char text[600] = "";

	if (limit && rate > limit) {
		switch_off(s, sp);
		snprintf(text, sizeof(text),
			 "%s is hit %.0f times a second%s, more than --max-rate %lld allows; "
			 "sonde disabled it, so its events end here",
			 sp->name, rate, before, limit);
	} else if (is_estimate) {
		snprintf(text, sizeof(text),
			 "%s is hit about %.0f times a second now, which costs about %.1f %% of a "
			 "CPU",
			 sp->name, rate, percent);
	} else if (percent >= WARN_PERCENT && !sp->is_warned) {
		sp->is_warned = true;
		snprintf(text, sizeof(text),
			 "%s is hit %.0f times a second, which costs about %.0f %% of a CPU; "
			 "with --max-rate N sonde disables a probe above N hits a second",
			 sp->name, rate, percent);
	}
	if (*text && tell)
		tell(text);
}

/*
 * Returns the number of records in the buffers so far. Hits by sonde itself, which reads during the
 * recording, are not events. So if nothing else is excluded, the user's hits are at most the number
 * of events.
 */
static uint64_t count_events(const struct setup *s)
{
	static const char *const rows[] = {
		"entries: ", "\noverrun: ", "\nread events: ", "\ndropped events: "};
	uint64_t n = 0;

	for (size_t b = 0; b < s->n_buffers; b++)
		for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
			char file[64], text[1024];

			snprintf(file, sizeof(file), "per_cpu/cpu%ld/stats", cpu);
			if (tracefs_read_short(&s->t, s->buffers[b].instance, file, text,
					       sizeof(text)) <= 0)
				continue;
			for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
				const char *at = strstr(text, rows[i]);

				n += at ? strtoull(at + strlen(rows[i]), NULL, 10) : 0;
			}
		}
	return n;
}

static bool records_every_hit(const struct setup *s, const struct setup_probe *sp)
{
	const struct plan *p = s->plan;

	if (p->only_triggers || p->only_command || sp->event.filter || sp->planned->filter)
		return false;
	return !ARRAY_ANY(p->n_buffers, i, p->buffers[i].pids.n);
}

/* Returns the hits since the last check, without our own as far as known. */
static uint64_t new_hits(const struct setup *s, const struct setup_probe *sp,
			 const struct probe_list *l, uint64_t n_events)
{
	uint64_t now = setup_count_hits(l, sp), n = now > sp->n_hits ? now - sp->n_hits : 0;

	return records_every_hit(s, sp) && n > n_events ? n_events : n;
}

void setup_limit_probes(struct setup *s, double seconds, void (*tell)(const char *sentence))
{
	struct errmsg ignored = {0};
	struct probe_list l;
	uint64_t n_events;

	if (!s->n_probes || seconds <= 0 || probes_list(&s->t, &l, &ignored) < 0)
		return;
	n_events = count_events(s) - s->n_events_seen;
	for (size_t i = 0; i < s->n_probes; i++) {
		struct setup_probe *sp = s->probes[i];
		uint64_t n = sp->probe && !sp->is_off ? new_hits(s, sp, &l, n_events) : 0;

		if (n > (uint64_t)s->plan->max_rate)
			look_at_rate(s, sp, &l, n / seconds, false, tell);
	}
	probe_list_release(&l);
}

static void look_at_rates(struct setup *s, double seconds, bool is_estimate,
			  void (*tell)(const char *sentence))
{
	struct errmsg ignored = {0};
	struct probe_list l;
	uint64_t n_events;

	if (probes_list(&s->t, &l, &ignored) < 0)
		return;
	n_events = count_events(s);
	for (size_t i = 0; i < s->n_probes; i++) {
		struct setup_probe *sp = s->probes[i];
		uint64_t n;

		if (!sp->probe || sp->is_off)
			continue;
		/* before the recording no records are written */
		n = new_hits(s, sp, &l, is_estimate ? UINT64_MAX : n_events - s->n_events_seen);
		if (seconds > 0)
			look_at_rate(s, sp, &l, n / seconds, is_estimate, tell);
		sp->n_hits = setup_count_hits(&l, sp);
	}
	s->n_events_seen = n_events;
	probe_list_release(&l);
}

static void measure(struct setup *s, enum probe_kind kind, bool is_quick)
{
	double *ns = &s->probe_ns[kind][is_quick];

	if (!*ns)
		*ns = cost_of_probe(s->journal, &s->t, s->buffers[0].instance, kind, is_quick);
	if (!*ns)
		*ns = -1;
}

/*
 * Measures each kind once. If the kernel does not allow a measurement, it is not tried for every
 * probe.
 */
void setup_measure_probes(struct setup *s)
{
	if (s->n_probes && s->journal && !s->event_ns)
		s->event_ns = cost_of_event(s->journal, &s->t, "local");
	for (size_t i = 0; i < s->n_probes && s->journal && s->n_buffers; i++) {
		struct setup_probe *sp = s->probes[i];
		const struct probe *p = sp->probe;

		if (!p)
			continue;
		for (size_t k = 0; k < p->n_places; k++) {
			bool is_quick = is_in_program(p->kind) && cost_is_quick(p->places[k].text);

			sp->is_quick = k ? sp->is_quick : is_quick;
			measure(s, p->kind, is_quick);
		}
	}
}

double setup_first_probe_ns(const struct setup *s)
{
	const struct plan_buffer *b = s->n_buffers ? s->buffers[0].plan : NULL;

	for (size_t i = 0; b && b->n_events && i < s->n_probes; i++) {
		const struct setup_probe *sp = s->probes[i];

		if (sp->planned == &b->events[0] && sp->probe && !sp->pair &&
		    s->probe_ns[sp->probe->kind][sp->is_quick] > 0)
			return s->probe_ns[sp->probe->kind][sp->is_quick];
	}
	return 0;
}

/* Computes the cost of all hits, from the cost of each place's instruction. */
static double cost_of_hits(const struct setup *s, const struct probe_list *l,
			   const struct setup_probe *sp)
{
	double us = 0;

	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->list[i].event, sp->name) && !strcmp(l->list[i].group, sp->group))
			us += l->list[i].n_hits * cost_us_of(s, l, i);
	return us;
}

double setup_probe_seconds(struct setup *s)
{
	struct errmsg ignored = {0};
	struct probe_list l;
	double us = 0;

	if (!s->n_probes || probes_list(&s->t, &l, &ignored) < 0)
		return 0;
	for (size_t i = 0; i < s->n_probes; i++)
		if (s->probes[i]->probe)
			us += cost_of_hits(s, &l, s->probes[i]);
	probe_list_release(&l);
	return us / 1e6;
}

void setup_watch_probes(struct setup *s, double seconds, void (*tell)(const char *sentence))
{
	if (s->n_probes && (tell || s->plan->max_rate))
		look_at_rates(s, seconds, false, tell);
}

void setup_estimate_probes(struct setup *s, void (*tell)(const char *sentence))
{
	struct timespec pause = {0, ESTIMATE_MS * 1000000};

	if (!s->n_probes || !tell)
		return;
	look_at_rates(s, 0, false, tell);
	nanosleep(&pause, NULL);
	look_at_rates(s, ESTIMATE_MS / 1e3, true, tell);
}
