// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * markers.c - records markers that programs write to the top level's trace_marker during a
 * recording in an instance.
 *
 *	echo hi > /sys/kernel/tracing/trace_marker      goes to the top level's buffer, and only
 *	                                                there
 *
 * Programs know that one file, not our instance. Linux 6.16 and later copy such writes into every
 * instance whose option copy_trace_marker is on, so sonde sets it in the first instance. If several
 * had it, the recording would have each marker twice. -O nocopy_trace_marker prevents it.
 *
 * If such an instance has tracing_on 0, these kernels refuse the write of every program on the
 * machine. So the option is on only while tracing_on is 1: it is set after tracing_on, and cleared
 * before.
 *
 * Older kernels do not support this. There sonde only reports lost markers, by the number of
 * records in the top level's buffer: if nothing is traced at the top level, only markers increase
 * it (and the kernel's trace_printk, which is not in an instance either).
 *
 * Tried and dropped: mounting the instance's file over the top level's for the command. It needs a
 * separate mount namespace, and then mounts by the command are invisible to the rest of the system.
 */
#include "base/array.h"
#include "capture/setup/setup_int.h"

#include <stdio.h>
#include <string.h>

long long setup_count_top(const struct tracefs *t, bool all)
{
	static const char *const rows[] = {"entries: ", "overrun: ", "read events: "};
	unsigned n_cpus = tracefs_cpu_count(t);
	long long total = 0;

	for (unsigned cpu = 0; cpu < n_cpus; cpu++) {
		char file[64], text[512];

		snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
		if (tracefs_read_short(t, "", file, text, sizeof(text)) <= 0)
			continue;
		for (size_t i = 0; i < (all ? ARRAY_LEN(rows) : 1); i++) {
			const char *at = strstr(text, rows[i]);
			long long n;

			if (at && sscanf(at + strlen(rows[i]), "%lld", &n) == 1)
				total += n;
		}
	}
	return total;
}

/*
 * Returns true if the top level has no tracer and no events: then all new records there are
 * markers.
 */
static bool is_top_idle(const struct tracefs *t)
{
	char text[64];

	return tracefs_read_short(t, "", "current_tracer", text, sizeof(text)) > 0 &&
	       !strcmp(text, "nop") &&
	       tracefs_read_short(t, "", "set_event", text, sizeof(text)) == 0;
}

int setup_markers(struct setup *s, const struct setup_buffer *b, struct errmsg *err)
{
	if (!s->journal || b != s->buffers || !*b->instance || s->plan->only_triggers)
		return 0;
	s->misses_markers = !tracefs_exists(&s->t, b->instance, MARKERS_COPY_OPTION);
	s->copies_markers = !s->misses_markers;
	for (size_t i = 0; i < b->plan->options.n; i++)
		if (!strcmp(b->plan->options.words[i], "nocopy_trace_marker"))
			s->copies_markers = false;
	return 0;
}

int setup_copy_markers(struct setup *s, bool is_on, struct errmsg *err)
{
	return s->copies_markers ? setup_write(s, s->buffers[0].instance, MARKERS_COPY_OPTION,
					       is_on ? "1" : "0", TRACEFS_SET, err)
				 : 0;
}

void setup_watch_markers(struct setup *s)
{
	s->misses_markers = s->misses_markers && is_top_idle(&s->t);
	if (s->misses_markers)
		s->n_top_before = setup_count_top(&s->t, true);
}

void setup_tell_markers(struct setup *s, void (*tell)(const char *sentence))
{
	long long n = s->misses_markers && tell && is_top_idle(&s->t)
			      ? setup_count_top(&s->t, true) - s->n_top_before
			      : 0;
	char text[320];

	if (n <= 0)
		return;
	snprintf(text, sizeof(text),
		 "%lld marker%s written to the top level's trace_marker %s missing from the "
		 "recording, because this kernel cannot copy them into the instance; record with "
		 "--top, or write them with 'sonde mark' or to $SONDE_TRACE_MARKER",
		 n, n == 1 ? "" : "s", n == 1 ? "is" : "are");
	tell(text);
}
