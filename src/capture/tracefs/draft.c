// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * draft.c - resolves and names permanent probes, and defines all of them or none.
 *
 * Sonde defines no probe before all are resolved. `sonde probe add` and `sonde as perf probe` both
 * use this file; they differ in what they print and in which names they refuse.
 */
#include "capture/tracefs/draft.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "probe/definition/definition.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX_MAX 1000

void probe_drafts_release(struct probe_drafts *drafts)
{
	for (size_t i = 0; i < drafts->n; i++) {
		probe_free(drafts->list[i].p);
		definition_free(drafts->list[i].d);
	}
	free(drafts->list);
	*drafts = (struct probe_drafts){0};
}

/* Refuses a duration, which needs two probes and triggers in a buffer. */
static int refuse_duration(const struct definition *d, struct errmsg *err)
{
	for (size_t i = 0; i < d->n_args; i++)
		if (d->args[i].value->kind == EXPRESSION_DURATION)
			return definition_refuse(
				d->text, d->args[i].span, err, -ENOTSUP,
				"only a recording can measure the duration of a call, not a "
				"permanent probe: sonde record -e '%s'",
				d->text);
	return 0;
}

/*
 * Refuses a condition. Each buffer has its own filters, so a filter that is set here would not
 * apply to recordings in another buffer.
 */
static int refuse_condition(const struct probe *p, struct errmsg *err)
{
	const struct definition *d = p->definition;

	if (!p->filter)
		return 0;
	return definition_refuse(d->text, d->filter_span, err, -ENOTSUP,
				 "a condition belongs to a recording, not to a permanent "
				 "probe; define the probe without it, and then: sonde record "
				 "-e %s:%s -f '%s'",
				 p->group, p->event, p->filter);
}

int probe_draft_resolve(struct probe_draft *draft, struct prober *prober, struct errmsg *err)
{
	TRY(refuse_duration(draft->d, err));
	TRY(probe_resolve(prober, draft->d, &draft->p, err));
	TRY(refuse_condition(draft->p, err));
	snprintf(draft->event, sizeof(draft->event), "%s", draft->p->event);
	return 0;
}

bool probe_drafts_taken(const struct probe_drafts *drafts, const struct tracefs *t, size_t self,
			const char *event)
{
	const char *group = drafts->list[self].p->group;
	char path[3 * TRACEFS_NAME_MAX];

	for (size_t i = 0; i < self; i++)
		if (!strcmp(drafts->list[i].event, event) &&
		    !strcmp(drafts->list[i].p->group, group))
			return true;
	snprintf(path, sizeof(path), "events/%s/%s", group, event);
	return t && tracefs_exists(t, "", path);
}

void probe_drafts_add_suffix(struct probe_drafts *drafts, const struct tracefs *t, size_t self)
{
	struct probe_draft *one = &drafts->list[self];
	char base[TRACEFS_NAME_MAX];

	snprintf(base, sizeof(base), "%s", one->event);
	for (int n = 1; n < SUFFIX_MAX && probe_drafts_taken(drafts, t, self, one->event); n++)
		snprintf(one->event, sizeof(one->event), "%.200s_%d", base, n);
}

int probe_drafts_define(const struct probe_drafts *drafts, const struct tracefs *t,
			struct errmsg *err)
{
	struct journal *j;
	int r = journal_open(&j, t, err);

	TRY(r);
	for (size_t i = 0; i < drafts->n && r >= 0; i++)
		r = probes_add(t, j, drafts->list[i].p, NULL, drafts->list[i].event, err);
	if (r >= 0)
		journal_keep(j);
	journal_close(j);
	return r;
}
