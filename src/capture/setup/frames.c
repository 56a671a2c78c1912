// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frames.c - adds fields by which entries and returns of a program's function are matched.
 *
 *	p:sonde_1234/work ./prog:0x1139 n=%di:s32 sonde_frame=%sp:u64 sonde_skip=\8:u64
 *	r:sonde_1234/work__return ./prog:0x1139 sonde_frame=%sp:u64
 *
 * After a return the stack pointer has the value from before the call: sonde_frame of the return is
 * sonde_frame + sonde_skip of its entry. This holds even if a function calls itself, is left by
 * longjmp, or is nested more deeply than the kernel follows returns (64).
 */
#include "capture/setup/setup_int.h"

#include "probe/probe.h"
#include "symbols/arch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct probe *p, const char *name, char *fetch)
{
	p->args[p->n_args++] = (struct probe_arg){.name = (char *)name, .fetch = fetch};
}

struct probe *setup_add_frame(const struct setup *s, struct probe *p, struct setup_framed *f)
{
	const struct arch *arch = s->site->kernel.arch;
	const char *reg = arch ? arch_register(arch, arch->stack_reg) : NULL;
	int64_t offset = 0;

	memset(f, 0, sizeof(*f));
	if (!s->plan->only_calls || (p->kind != PROBE_UPROBE && p->kind != PROBE_URETPROBE) || !reg)
		return p;
	for (size_t i = 0; i < p->n_places; i++)
		if (p->places[i].fetches)
			return p;
	if (p->kind == PROBE_UPROBE ? !setup_find_frame(s, p, &reg, &offset)
				    : !setup_is_like_kernel(p))
		return p;
	f->probe = *p;
	f->probe.args = calloc(p->n_args + 2, sizeof(*p->args));
	if (!f->probe.args)
		return p;
	if (p->n_args)
		memcpy(f->probe.args, p->args, p->n_args * sizeof(*p->args));
	snprintf(f->frame, sizeof(f->frame), "%%%s:u64", reg);
	add(&f->probe, "sonde_frame", f->frame);
	snprintf(f->skip, sizeof(f->skip), "\\%" PRId64 ":u64", offset);
	if (offset)
		add(&f->probe, "sonde_skip", f->skip);
	return &f->probe;
}

void setup_framed_release(struct setup_framed *f)
{
	free(f->probe.args);
}
