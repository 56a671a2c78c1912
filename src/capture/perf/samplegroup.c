// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * samplegroup.c - groups of events of which only the leader samples: {cycles,instructions}:S.
 *
 * A sample of the leader has the values of all members since they began to count. The difference to
 * the sample before is what the member counted meanwhile: it becomes a sample of its own, with the
 * same time and stack. The values are
 *
 *	u64 n   then n times: u64 value, id
 */
#include "base/map.h"
#include "capture/perf/sampling_int.h"
#include "store/events/sampleevents.h"

#include <stdlib.h>
#include <string.h>

#define VALUES_MAX (1u << 20)

/* What the counter has counted since the last call. */
static uint64_t take_difference(struct sampling *s, uint64_t id, uint64_t value)
{
	void **slot = map_take(&s->group_values, id, VALUES_MAX);
	uint64_t before = slot ? (uint64_t)(uintptr_t)*slot : 0;

	if (slot)
		*slot = (void *)(uintptr_t)(value ? value : 1);
	return value > before ? value - before : 0;
}

int samplegroup_put(struct sampling *s, const struct perfrecord_sample *p, uint32_t leader,
		    unsigned cpu)
{
	struct sampleevents_sample *out = &s->sample;
	size_t n_words = p->read.len / 8;
	uint64_t n = 0, value, id;
	int r = 0;

	if (n_words)
		memcpy(&n, p->read.data, 8);
	for (uint64_t i = 0; i < n && 1 + 2 * i + 2 <= n_words && r >= 0; i++) {
		int event;

		memcpy(&value, p->read.data + 8 + 16 * i, 8);
		memcpy(&id, p->read.data + 16 + 16 * i, 8);
		event = samplesource_find(s->source, id);
		value = take_difference(s, id, value);
		if (event < 0 || (uint32_t)event == leader || !value)
			continue;
		out->event = (uint32_t)event;
		out->period = value;
		atomic_fetch_add_explicit(&s->n_samples, 1, memory_order_relaxed);
		r = samplepages_add(s->pages, cpu, p->time, out,
				    sampleevents_set_stack(out, s->n_stack));
	}
	return r;
}
