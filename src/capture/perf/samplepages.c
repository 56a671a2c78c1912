// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * samplepages.c - a page under construction for each CPU (pagebuilder.h).
 *
 * Losses belong to the beginning of a page, as the kernel stores them, so a loss ends the page. A
 * loss without a later sample would have no page: the last flush writes an empty one.
 */
#include "capture/perf/samplepages.h"

#include "base/scope.h"
#include "format/bytes.h"
#include "store/pagebuilder.h"

#include <errno.h>
#include <stdlib.h>

struct cpu {
	struct pagebuilder pb; /* its ts is the time of the last record */
	int64_t missed;
	bool is_open, is_fresh;
};

struct samplepages {
	struct samplepages_config config;
	struct cpu *cpus;
	bool wants_cut;
	uint64_t n_late;
};

struct samplepages *samplepages_new(const struct samplepages_config *config)
{
	struct samplepages *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->config = *config;
	p->cpus = calloc(config->n_cpus, sizeof(*p->cpus));
	if (p->cpus)
		return p;
	free(p);
	return NULL;
}

void samplepages_free(struct samplepages *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < p->config.n_cpus; i++)
		pagebuilder_release(&p->cpus[i].pb);
	free(p->cpus);
	free(p);
}

static int close_page(struct samplepages *p, struct cpu *cpu)
{
	struct piece page;
	int r;

	if (!cpu->is_open)
		return 0;
	page = pagebuilder_end(&cpu->pb);
	cpu->is_open = false;
	r = p->config.take(p->config.ctx, (unsigned)(cpu - p->cpus), page.data, page.len);
	p->wants_cut |= r > 0;
	return r < 0 ? r : 0;
}

static int cut(struct samplepages *p)
{
	for (unsigned i = 0; i < p->config.n_cpus; i++)
		TRY(close_page(p, &p->cpus[i]));
	p->wants_cut = false;
	return p->config.cut(p->config.ctx);
}

static int begin_page(struct samplepages *p, struct cpu *cpu, uint64_t ns)
{
	if (!cpu->pb.page)
		TRY(pagebuilder_init_host(&cpu->pb, p->config.page_size));
	pagebuilder_begin(&cpu->pb, ns, cpu->missed);
	cpu->missed = 0;
	cpu->is_open = true;
	cpu->is_fresh = true;
	return 0;
}

int samplepages_add(struct samplepages *p, unsigned cpu_number, uint64_t ns, const void *record,
		    uint32_t n_bytes)
{
	struct cpu *cpu = &p->cpus[cpu_number < p->config.n_cpus ? cpu_number : 0];

	if (ns < cpu->pb.ts) {
		ns = cpu->pb.ts;
		p->n_late++;
	}
	for (int i = 0; i < 2; i++) {
		if (!cpu->is_open)
			TRY(begin_page(p, cpu, ns));
		if (pagebuilder_add(&cpu->pb, ns, record, n_bytes))
			return 0;
		TRY(close_page(p, cpu));
		if (p->wants_cut)
			TRY(cut(p));
	}
	return -EINVAL;
}

int samplepages_lose(struct samplepages *p, unsigned cpu_number, uint64_t n)
{
	struct cpu *cpu = &p->cpus[cpu_number < p->config.n_cpus ? cpu_number : 0];

	cpu->missed += (int64_t)n;
	return n ? close_page(p, cpu) : 0;
}

int samplepages_flush(struct samplepages *p)
{
	for (unsigned i = 0; i < p->config.n_cpus; i++) {
		struct cpu *cpu = &p->cpus[i];

		if (!cpu->is_open && cpu->missed)
			TRY(begin_page(p, cpu, cpu->pb.ts));
		TRY(close_page(p, cpu));
		if (cpu->is_fresh && p->config.flush)
			TRY(p->config.flush(p->config.ctx, i));
		cpu->is_fresh = false;
	}
	if (p->wants_cut)
		TRY(cut(p));
	return 0;
}

uint64_t samplepages_n_late(const struct samplepages *p)
{
	return p->n_late;
}
