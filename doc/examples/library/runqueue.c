/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* runqueue.c - how long each task waited for a CPU after it was woken. */
#include <sonde/sonde.h>
#include <stdio.h>
#include <string.h>

static struct { uint64_t woken, waited; char comm[16]; } tasks[1 << 22]; /* by pid: as many as Linux has */

int main(int argc, char **argv)
{
	struct sonde_select select = SONDE_SELECT_INIT;
	struct sonde_trace *trace;
	struct sonde_events *events;
	const struct sonde_event *e;
	struct sonde_error err;

	select.filters = (const char *[]){"sched_waking,sched_wakeup,sched_switch"};
	select.n_filters = 1;
	if (sonde_open(&trace, argv[1], &err) || sonde_events_new(&events, trace, &select, &err))
		return fprintf(stderr, "%s\n", err.text), 1;
	while ((e = sonde_events_next(events))) {
		int is_switch = !strcmp(sonde_kind_name(e->kind), "sched_switch");
		int64_t pid = sonde_event_number(e, is_switch ? "next_pid" : "pid", 0);

		if (!is_switch && !tasks[pid].woken) {
			tasks[pid].woken = e->ts;
		} else if (is_switch && tasks[pid].woken) {
			tasks[pid].waited += e->ts - tasks[pid].woken;
			tasks[pid].woken = 0;
			snprintf(tasks[pid].comm, 16, "%s", sonde_event_text(events, e, sonde_kind_find(e->kind, "next_comm"), NULL));
		}
	}
	for (int pid = 1; pid < 1 << 22; pid++)
		if (tasks[pid].waited)
			printf("%-16s %7d %12.3f us\n", tasks[pid].comm, pid, (double)tasks[pid].waited / 1e3);
	sonde_events_free(events);
	sonde_close(trace);
}
