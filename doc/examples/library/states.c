/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* states.c - every wait for a CPU that took a millisecond or more, and who caused it. */
#include <sonde/sonde.h>
#include <stdio.h>

static int show(void *ctx, const struct sonde_state *s)
{
	if (s->kind == SONDE_STATE_RUNNABLE && s->dur >= 1000000)
		printf("%.6f %s-%d waited %.3f ms, woken by %d\n", (double)s->ts / 1e9, s->comm, s->pid,
		       (double)s->dur / 1e6, s->waker_pid);
	return 0;
}

int main(int argc, char **argv)
{
	struct sonde_trace *trace;
	struct sonde_error err;

	if (sonde_open(&trace, argv[1], &err) || sonde_states(trace, show, NULL, &err))
		return fprintf(stderr, "%s\n", err.text), 1;
	sonde_close(trace);
}
