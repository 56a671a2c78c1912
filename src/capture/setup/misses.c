// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * misses.c - reports hits of probes without an event.
 *
 *	kprobe_profile    hits  missed     reason
 *	    x__return        3       1     a return: more calls were active than it has room for
 *	                                   (r4096:)
 *	    vfs_read        12       2     an entry: it was hit while another probe was being
 *	                                   handled
 *	hist of a pair                     the return has no matching entry (pairs.c)
 *	    vfs_llseek       0       0     it was not called, or it is inlined into its callers
 *
 * The buffers do not count these hits, so no count of lost events includes them. Messages report
 * them, with a remedy. lost.c handles hits that are too large for an event.
 */
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/tracefs/eventdir.h"
#include "capture/setup/pair_int.h"
#include "probe/probe.h"

#include <stdio.h>
#include <stdlib.h>

#define ROOM_MAX       4096 /* the maximum that the kernel accepts */
#define HIST_MAX_BYTES (64u << 20)

struct misses {
	uint64_t n, n_hits;
	bool is_function; /* a function of the kernel, which counts its hits */
	/*
	 * number of active calls of a return probe, as the kernel shows it: "r4096:"; 0: not a
	 * return probe
	 */
	unsigned room;
};

static struct misses misses_of(const struct probe_list *l, const char *group, const char *name)
{
	struct misses m = {0};

	for (size_t i = 0; i < l->n; i++) {
		const struct probe_defined *d = &l->list[i];

		if (strcmp(d->event, name) || strcmp(d->group, group))
			continue;
		m.n += d->n_missed;
		m.n_hits += d->n_hits;
		m.is_function |= d->kind == PROBE_KPROBE || d->kind == PROBE_KRETPROBE;
		if (d->kind == PROBE_KRETPROBE)
			m.room = strtoul(d->line + 1, NULL, 10);
	}
	return m;
}

static void tell_misses(const struct setup_probe *sp, const struct misses *m,
			void (*tell)(const char *sentence))
{
	const char *function = sp->definition->function ? sp->definition->function : sp->name;
	char text[1024];

	if (!m->room)
		snprintf(text, sizeof(text),
			 "%llu hits of %s were missed: they happened while another probe was "
			 "being handled",
			 (unsigned long long)m->n, function);
	else if (m->room < ROOM_MAX)
		snprintf(text, sizeof(text),
			 "%llu returns of %s were missed: more than %u calls were active at "
			 "once; %s%%return@NUMBER makes room for more, up to %d",
			 (unsigned long long)m->n, function, m->room, function, ROOM_MAX);
	else
		snprintf(text, sizeof(text),
			 "%llu returns of %s were missed: more than %u calls were active at "
			 "once, which is the kernel's limit; 'sonde latency -T' and "
			 "function_graph see all",
			 (unsigned long long)m->n, function, m->room);
	tell(text);
}

/*
 * --- pairs: what was not joined
 * -----------------------------------------------------------------------
 */

static uint64_t number_behind(const char *text, const char *word)
{
	const char *p = strstr(text, word);

	return p ? strtoull(p + strlen(word), NULL, 10) : 0;
}

/*
 * Counts how often the trigger fired, whether or not it is in its table. Returns false if it cannot
 * be read. ret_dropped may be NULL.
 */
static bool count_total(const struct setup *s, const char *instance, const char *group,
			const char *event, uint64_t *ret_n, uint64_t *ret_dropped)
{
	char file[TRACEFS_PATH_MAX];
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = HIST_MAX_BYTES};
	const char *totals;

	eventdir_fmt_path(group, event, "hist", file);
	if (tracefs_read(&s->t, instance, file, &text) < 0)
		textbuf_clear(&text);
	textbuf_add(&text, "", 1);
	totals = text.overflow ? NULL : strstr(text.start, "\nTotals:");
	if (totals) {
		uint64_t dropped = number_behind(totals, "Dropped: ");

		*ret_n = number_behind(totals, "Hits: ") + dropped;
		if (ret_dropped)
			*ret_dropped = dropped;
	}
	return totals;
}

static uint64_t tell_unmatched(struct setup *s, const struct setup_probe *sp,
			       void (*tell)(const char *sentence))
{
	const struct setup_pair *pair = sp->pair;
	const char *function = sp->definition->function;
	uint64_t n_in, n_out, n_joined, n, n_dropped = 0;
	char text[1024];

	if (!pair || !pair->instance ||
	    !count_total(s, pair->instance, sp->group, sp->name, &n_out, NULL) ||
	    !count_total(s, pair->instance, "synthetic", pair->synth, &n_joined, NULL) ||
	    n_out <= n_joined)
		return 0;
	n = n_out - n_joined;
	/*
	 * frames identify calls: the remaining returns belong to calls that were active at the
	 * start, and are not losses
	 */
	if (pair->has_frames &&
	    count_total(s, pair->instance, sp->group, pair->in_name, &n_in, &n_dropped) &&
	    n_dropped < n)
		n = n_dropped;
	if (!n)
		return 0;
	if (pair->has_frames)
		snprintf(text, sizeof(text),
			 "%llu returns of %s are not recorded: there is room for at most %d "
			 "calls, by task and stack; record %s and %s%%return",
			 (unsigned long long)n, function, PAIR_CALLS_MAX, function, function);
	else
		snprintf(text, sizeof(text),
			 "%llu returns of %s are not recorded: if a function calls itself, "
			 "only the innermost call can be matched with its return here; record "
			 "%s and %s%%return",
			 (unsigned long long)n, function, function, function);
	if (tell)
		tell(text);
	return n;
}

/*
 * --- never hit
 * ---------------------------------------------------------------------------------------
 */

#define NAMES_TOLD 3

struct unhit {
	const char *functions[NAMES_TOLD];
	size_t n;
};

static void note_unhit(const struct setup *s, const struct setup_probe *sp, const struct misses *m,
		       struct unhit *u)
{
	const char *function = sp->definition->function;

	/* another method than the probe may have counted */
	if (s->plan->only_triggers || !m->is_function || m->n_hits || m->n || !function)
		return;
	for (size_t i = 0; i < u->n && i < NAMES_TOLD; i++)
		if (!strcmp(u->functions[i], function))
			return;
	if (u->n < NAMES_TOLD)
		u->functions[u->n] = function;
	u->n++;
}

static void tell_unhit(const struct unhit *u, void (*tell)(const char *sentence))
{
	char names[256] = "", text[640];
	size_t len = 0;

	if (!u->n || !tell)
		return;
	for (size_t i = 0; i < u->n && i < NAMES_TOLD; i++)
		len += snprintf(names + len, sizeof(names) - len, "%s%.64s", i ? ", " : "",
				u->functions[i]);
	if (u->n > NAMES_TOLD)
		snprintf(names + len, sizeof(names) - len, " and %zu more", u->n - NAMES_TOLD);
	snprintf(text, sizeof(text),
		 "%s %s never hit, by any process: nobody called %s, or the compiler inlined "
		 "%s code into the callers, which only the kernel's debug information shows",
		 names, u->n > 1 ? "were" : "was", u->n > 1 ? "them" : "it",
		 u->n > 1 ? "their" : "its");
	tell(text);
}

uint64_t setup_tell_misses(struct setup *s, void (*tell)(const char *sentence))
{
	struct errmsg ignored = {0};
	struct unhit unhit = {0};
	struct probe_list l;
	uint64_t n = 0;

	if (!s->n_probes || probes_list(&s->t, &l, &ignored) < 0)
		return 0;
	for (size_t i = 0; i < s->n_probes; i++) {
		struct setup_probe *sp = s->probes[i];
		struct misses m;

		if (!sp->probe)
			continue;
		m = misses_of(&l, sp->group, sp->name);
		n += m.n;
		if (m.n && tell)
			tell_misses(sp, &m, tell);
		n += tell_unmatched(s, sp, tell);
		note_unhit(s, sp, &m, &unhit);
	}
	tell_unhit(&unhit, tell);
	probe_list_release(&l);
	return n;
}
