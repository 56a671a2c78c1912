// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * code.c - selects the programs whose mappings are needed to resolve pointers to functions.
 *
 * If a probe in a program has such a pointer among its arguments, at the entry or the return, sonde
 * resolves functions for the programs that map the probed file (mappings.c). Without such a probe,
 * sonde watches no mappings, and there is no cost. Stacks of programs and page faults also contain
 * such addresses; they are resolved for the command and the selected tasks.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/setup/setup_int.h"
#include "probe/probe.h"

#include <stdlib.h>
#include <string.h>

static bool has_code(const struct probe *p)
{
	if (!p || !p->n_places || (p->kind != PROBE_UPROBE && p->kind != PROBE_URETPROBE))
		return false;
	return ARRAY_ANY(p->n_args, i, p->args[i].show == PROBE_SHOW_FUNCTION);
}

/* Returns the path of "/bin/bash:0x1234(0x5678)". */
static char *path_of(const struct probe *p)
{
	const char *place = p->places[0].text, *colon = strrchr(place, ':');

	return colon ? strndup(place, colon - place) : NULL;
}

bool setup_records_code(const struct setup *s)
{
	return ARRAY_ANY(s->n_probes, i,
			 has_code(s->probes[i]->probe) || has_code(setup_pair_entry(s->probes[i])));
}

bool setup_records_addresses(const struct setup *s)
{
	for (size_t i = 0; i < s->plan->n_buffers; i++) {
		const struct plan_buffer *b = &s->plan->buffers[i];

		for (size_t k = 0; k < b->options.n; k++)
			if (!strcmp(b->options.words[k], "userstacktrace"))
				return true;
		for (size_t k = 0; k < b->n_events; k++)
			if (setup_event_matches(b->events[k].pattern, "exceptions",
						"page_fault_user"))
				return true;
	}
	return false;
}

int setup_open_mappings(struct setup *s)
{
	SCOPED(scope_free) char **paths = calloc(2 * s->n_probes + 1, sizeof(*paths));
	struct errmsg err = {0};
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; paths && i < s->n_probes; i++) {
		const struct setup_probe *sp = s->probes[i];
		const struct probe *in = setup_pair_entry(sp);

		if (has_code(sp->probe) || has_code(in))
			paths[n] = path_of(sp->probe ? sp->probe : in);
		n += !!paths[n];
	}
	if (n || setup_records_addresses(s))
		r = mappings_open(&s->mappings, (const char *const *)paths, n, &err);
	if (r < 0)
		setup_note(s, "addresses of functions of programs appear as numbers: %s", err.text);
	for (size_t i = 0; i < n; i++)
		free(paths[i]);
	return r;
}
