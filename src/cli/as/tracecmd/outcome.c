// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * outcome.c - prints what trace-cmd reports about a file that it has written.
 *
 * The facts are read from the file: for each CPU the position and the size of its data, printed to
 * standard error. Losses are reported on standard output, before the CPUs of their buffer.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "capture/record/session.h"
#include "cli/as/tracecmd/record_int.h"
#include "live/request.h"
#include "store/tracefile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tc_loss {
	const char *buffer; /* the buffer's name in the plan */
	unsigned cpu;
	uint64_t overrun, commit_overrun;
};

void tc_losses_read(struct tc_losses *l, const struct session *s)
{
	l->rows = calloc(s->setup->n_buffers * s->n_cpus + 1, sizeof(*l->rows));
	for (size_t i = 0; l->rows && i < s->setup->n_buffers; i++)
		for (unsigned cpu = 0; cpu < s->n_cpus; cpu++) {
			const struct setup_buffer *b = &s->setup->buffers[i];
			struct cpu_stats st;

			if (session_cpu_stats(s, b->instance, cpu, &st, NULL) &&
			    (st.overrun || st.commit_overrun))
				l->rows[l->n++] = (struct tc_loss){b->plan->name, cpu, st.overrun,
								   st.commit_overrun};
		}
}

static void tell_losses(FILE *to, const struct tc_losses *losses, const char *buffer)
{
	for (size_t i = 0; i < losses->n; i++) {
		const struct tc_loss *l = &losses->rows[i];

		if (strcmp(l->buffer, buffer))
			continue;
		fprintf(to, "CPU %u:", l->cpu);
		if (l->overrun)
			fprintf(to, " %llu events lost", (unsigned long long)l->overrun);
		if (l->commit_overrun)
			fprintf(to, " %llu events lost due to commit overrun",
				(unsigned long long)l->commit_overrun);
		fputc('\n', to);
	}
}

/* Sums the chunks: u32 count, then for each u32 packed, u32 unpacked, and its bytes. */
static uint64_t unpacked_bytes(const struct tracefile *tf, const struct tracefile_cpu *c)
{
	uint64_t at = c->offset + 4, end = c->offset + c->n_bytes, total = 0;
	uint32_t n, sizes[2];

	if (c->n_bytes < 4 || end > tf->map.len || c->offset > end)
		return 0;
	memcpy(&n, tf->map.data + c->offset, sizeof(n));
	while (n-- && end - at >= sizeof(sizes)) {
		memcpy(sizes, tf->map.data + at, sizeof(sizes));
		if (sizes[0] > end - at - sizeof(sizes))
			break;
		at += sizeof(sizes) + sizes[0];
		total += sizes[1];
	}
	return total;
}

static const struct tracefile_cpu *find_cpu(const struct tracefile_buffer *b, unsigned cpu)
{
	return ARRAY_FIND(b->cpus, b->n_cpus, i, b->cpus[i].cpu == cpu);
}

static void tell_cpus(const struct tracefile *tf, const struct tracefile_buffer *b, unsigned n_cpus)
{
	uint64_t offset = b->n_cpus ? b->cpus[0].offset : tf->map.len;

	for (unsigned cpu = 0; cpu < n_cpus; cpu++) {
		const struct tracefile_cpu *c = find_cpu(b, cpu);

		offset = c ? c->offset : offset;
		fprintf(stderr, "CPU%u data recorded at offset=0x%llx\n    %llu bytes in size", cpu,
			(unsigned long long)offset, (unsigned long long)(c ? c->n_bytes : 0));
		if (tf->compression != COMPRESSION_NONE)
			fprintf(stderr, " (%llu uncompressed)",
				(unsigned long long)(c ? unpacked_bytes(tf, c) : 0));
		fputc('\n', stderr);
	}
}

void tc_tell_file(const char *path, const struct live_request *o, const struct tc_losses *losses,
		  unsigned n_cpus)
{
	FILE *to = o->to_stderr ? stderr : stdout;
	struct errmsg ignored = {0};
	struct tracefile *tf;

	if (o->quiet || tracefile_open_regular(&tf, path, &ignored) < 0)
		return;
	n_cpus = n_cpus ? n_cpus : tf->cpu_count;
	for (size_t i = 0; i < tf->n_buffers; i++) {
		const struct tracefile_buffer *b = &tf->buffers[i];

		if (*b->name)
			fprintf(to, "\nBuffer: %s\n\n", b->name);
		tell_losses(to, losses, b->name);
		fflush(to);
		if (!b->is_text)
			tell_cpus(tf, b, n_cpus);
	}
	tracefile_close(tf);
}
