// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kslist.c - what KernelShark's library sees in a trace: a line for each event, in the order of time.
 *
 *	kslist FILE        ──▶ "TIME CPU PID EVENT TASK" …      of the top buffer
 *	kslist FILE NAME   ──▶ "TIME CPU PID EVENT TEXT" …      of the buffer NAME, as the program opens it
 *
 * TIME is in the units of the trace's clock. Built and run by tests/kshark/suite; exit status 1 if the
 * library cannot read the file.
 */
#include <inttypes.h>
#include <libkshark.h>
#include <libkshark-tepdata.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_entry(const struct kshark_entry *e, bool with_text)
{
	char *event = kshark_get_event_name(e);
	char *task = with_text ? kshark_get_info(e) : kshark_get_task(e);

	printf("%" PRId64 " %d %d %s %s\n", e->ts, e->cpu, kshark_get_pid(e), event ? event : "-",
	       task ? task : "-");
	free(event);
	free(task);
}

/* The stream of a buffer other than the top one, or -1. */
static int find_buffer(struct kshark_context *ctx, int top, const char *name)
{
	int *ids, found = -1;

	if (kshark_tep_init_all_buffers(ctx, top) < 0)
		return -1;
	ids = kshark_all_streams(ctx);
	for (int i = 0; ids && i < ctx->n_streams && found < 0; i++) {
		struct kshark_data_stream *stream = kshark_get_data_stream(ctx, ids[i]);

		if (ids[i] != top && stream && stream->name && !strcmp(stream->name, name))
			found = ids[i];
	}
	free(ids);
	return found;
}

int main(int argc, char **argv)
{
	struct kshark_context *ctx = NULL;
	struct kshark_entry **entries = NULL;
	ssize_t n;
	int sd;

	if (argc < 2 || argc > 3 || !kshark_instance(&ctx))
		return 2;
	sd = kshark_open(ctx, argv[1]);
	if (sd >= 0 && argc == 3)
		sd = find_buffer(ctx, sd, argv[2]);
	if (sd < 0)
		return 1;
	n = kshark_load_entries(ctx, sd, &entries);
	for (ssize_t i = 0; i < n; i++)
		print_entry(entries[i], argc == 3);
	for (ssize_t i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
	kshark_close(ctx, sd);
	kshark_free(ctx);
	return n < 0;
}
