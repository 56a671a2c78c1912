// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * setup_misses.c - hits of probes that no event tells of.
 *
 *	kprobe_profile    hits  missed     why it was missed
 *	    x__return        3       1     a return: more calls were under way than it has room for (r4096:)
 *	    vfs_read        12       2     an entry: it was hit while a probe was being worked on
 *	hist of a pair                     the return has no entry to be joined with (setup_pairs.c)
 *
 * The buffers know nothing of them, so they are in no count of lost events: they are told in words, with what helps.
 */
#include "capture/setup_int.h"

#include <stdio.h>
#include <stdlib.h>

#define ROOM_MAX 4096 /* more the kernel refuses */

struct misses {
	uint64_t n;
	unsigned room; /* of a return probe, as the kernel shows it: "r4096:"; 0: it is none */
};

static struct misses misses_of(const struct probe_list *l, const char *group, const char *name)
{
	struct misses m = {0};

	for (size_t i = 0; i < l->n; i++) {
		const struct probe_defined *d = &l->list[i];

		if (strcmp(d->event, name) || strcmp(d->group, group))
			continue;
		m.n += d->n_missed;
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
			 "%llu hits of %s were missed: they came while a probe was being worked on",
			 (unsigned long long)m->n, function);
	else if (m->room < ROOM_MAX)
		snprintf(text, sizeof(text),
			 "%llu returns of %s were missed: more than %u calls were under way at "
			 "once; %s%%return@NUMBER makes room for more, up to %d",
			 (unsigned long long)m->n, function, m->room, function, ROOM_MAX);
	else
		snprintf(text, sizeof(text),
			 "%llu returns of %s were missed: more than %u calls were under way at "
			 "once, and the kernel follows no more; 'sonde latency -T' and "
			 "function_graph see all",
			 (unsigned long long)m->n, function, m->room);
	tell(text);
}

uint64_t setup_tell_misses(struct setup *s, void (*tell)(const char *sentence))
{
	struct errmsg ignored = {0};
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
		n += setup_pair_tell_unmatched(s, sp, tell);
	}
	probe_list_release(&l);
	return n;
}
