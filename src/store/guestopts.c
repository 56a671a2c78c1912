// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * guestopts.c - writes the options of guestopts.h.
 *
 * For each vcpu, TIME_SHIFT has u32 n, then n times, n offsets, n scalings. The n fractions of
 * each vcpu follow after all vcpus, so that old readers, which do not know fractions, ignore them.
 */
#include "store/guestopts.h"

#include "base/textbuf.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static void add32(struct textbuf *tb, uint32_t v, bool swap)
{
	v = swap ? __builtin_bswap32(v) : v;
	textbuf_add(tb, (const char *)&v, sizeof(v));
}

static void add64(struct textbuf *tb, uint64_t v, bool swap)
{
	v = swap ? __builtin_bswap64(v) : v;
	textbuf_add(tb, (const char *)&v, sizeof(v));
}

static void add_column(struct textbuf *tb, const struct sync_cpu *c, size_t offset, bool swap)
{
	for (uint32_t i = 0; i < c->n; i++)
		add64(tb, *(const uint64_t *)((const char *)&c->samples[i] + offset), swap);
}

void guestopts_fmt_shift(struct textbuf *out, uint64_t host_id, uint32_t flags,
			 const struct sync_cpu *cpus, uint32_t n_cpus, bool swap)
{
	add64(out, host_id, swap);
	add32(out, flags, swap);
	add32(out, n_cpus, swap);
	for (uint32_t i = 0; i < n_cpus; i++) {
		add32(out, cpus[i].n, swap);
		add_column(out, &cpus[i], offsetof(struct sync_sample, time), swap);
		add_column(out, &cpus[i], offsetof(struct sync_sample, offset), swap);
		add_column(out, &cpus[i], offsetof(struct sync_sample, scaling), swap);
	}
	for (uint32_t i = 0; i < n_cpus; i++)
		add_column(out, &cpus[i], offsetof(struct sync_sample, fraction), swap);
}

void guestopts_fmt_guest(struct textbuf *out, const char *name, uint64_t guest_id,
			 const struct guest_vcpu_pid *vcpus, uint32_t n_vcpus, bool swap)
{
	textbuf_add(out, name, strlen(name) + 1);
	add64(out, guest_id, swap);
	add32(out, n_vcpus, swap);
	for (uint32_t i = 0; i < n_vcpus; i++) {
		add32(out, vcpus[i].vcpu, swap);
		add32(out, vcpus[i].pid, swap);
	}
}

uint64_t guestopts_make_id(void)
{
	uint64_t id = 0;

	if (getrandom(&id, sizeof(id), 0) != sizeof(id) || !id)
		id = ((uint64_t)time(NULL) << 20 ^ getpid()) | 1;
	return id;
}
