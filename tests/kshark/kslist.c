// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kslist.c - what KernelShark's library sees in a trace: a line for each event, in the order of time.
 *
 *	kslist FILE ──▶ "TIME CPU PID EVENT TASK" …
 *
 * TIME is in the units of the trace's clock. Built and run by tests/kshark/suite; exit status 1 if the
 * library cannot read the file.
 */
#include <inttypes.h>
#include <libkshark.h>
#include <stdio.h>
#include <stdlib.h>

static void print_entry(const struct kshark_entry *e)
{
	char *event = kshark_get_event_name(e), *task = kshark_get_task(e);

	printf("%" PRId64 " %d %d %s %s\n", e->ts, e->cpu, kshark_get_pid(e), event ? event : "-",
	       task ? task : "-");
	free(event);
	free(task);
}

int main(int argc, char **argv)
{
	struct kshark_context *ctx = NULL;
	struct kshark_entry **entries = NULL;
	ssize_t n;
	int sd;

	if (argc != 2 || !kshark_instance(&ctx))
		return 2;
	sd = kshark_open(ctx, argv[1]);
	if (sd < 0)
		return 1;
	n = kshark_load_entries(ctx, sd, &entries);
	for (ssize_t i = 0; i < n; i++)
		print_entry(entries[i]);
	for (ssize_t i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
	kshark_close(ctx, sd);
	kshark_free(ctx);
	return n < 0;
}
