// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * samplestack.c - the stack of a sample, as places (sampleevents.h).
 *
 * The first address of the kernel's part and of the user's part is where the processor was. All
 * others are return addresses: the place is one byte before them, inside of the call. So a reader
 * finds the caller even if the call is a function's last instruction.
 *
 * While a function with a hook runs (-u), the place of its return address has an address in its
 * thunk, and the address in its caller is hidden. So a stack of hooked functions looks like
 *
 *	in leaf, thunk of leaf, thunk of step, thunk of main, in libc …
 *
 * A thunk stands for its function, unless the address before it is in that function: then the
 * function is in the stack already. A caller without a hook is missing.
 */
#include "capture/perf/sampling_int.h"

#include "capture/perf/sampleregs.h"
#include "store/events/sampleevents.h"
#include "symbols/unwind/unwind.h"

#include <stdlib.h>

static void add_place(struct sampling *s, uint64_t place)
{
	if (s->n_stack >= SAMPLEEVENTS_STACK_MAX)
		return;
	s->sample.stack[s->n_stack++] = place;
	s->n_cut += s->n_stack == SAMPLEEVENTS_STACK_MAX;
	if (!sampleevents_is_kernel(place) || s->config.is_alone)
		placenames_see(s->names, &s->recent, place);
}

/*
 * Adds the traced function: where in it is not known. Readers look one byte before the place of a
 * caller, so it is not the first byte.
 */
static void add_function(struct sampling *s, int pid, const struct sampling_hook *h)
{
	struct spaces_place found;

	spaces_find(s->spaces, pid, h->function + 1, &found);
	if (h->function && found.place)
		add_place(s, found.place);
}

/* An address in code that sonde has put into the program. False: it is not. */
static bool add_hook(struct sampling *s, int pid, const struct spaces_place *at)
{
	bool was_inside;
	struct sampling_hook h;

	if (!at->inode || !s->find_hook || !s->find_hook(s->find_ctx, at->inode, at->offset, &h))
		return false;
	was_inside = s->inner && s->inner - h.function < h.n_bytes;
	s->inner = h.is_moved ? h.function : 0;
	if (h.is_return && was_inside)
		return true;
	if (!h.is_return && !h.is_moved)
		add_place(s, spaces_hooks(s->spaces));
	add_function(s, pid, &h);
	return true;
}

/* Adds an address of a program, or what it stands for. */
static void add_user(struct sampling *s, int pid, uint64_t address, const struct spaces_place *at)
{
	if (add_hook(s, pid, at))
		return;
	s->inner = address;
	add_place(s, at->place ? at->place : sampleevents_place(0, address));
}

void samplestack_add(struct sampling *s, int pid, uint64_t address, bool is_return)
{
	struct spaces_place found;

	address -= is_return;
	if (!is_return)
		s->inner = 0;
	if (pid < 0 || sampleevents_is_kernel(address)) {
		add_place(s, address);
		return;
	}
	spaces_find(s->spaces, pid, address, &found);
	add_user(s, pid, address, &found);
}

/*
 * --- by copies of the stack --------------------------------------------------------------------
 */

/* Rules that were found, by place. Rows of one function differ, so an instruction has its own. */
#define ROWS 8192u

struct cached_row {
	uint64_t place; /* 0: none */
	int result;	/* of cfi_find_row() */
	struct cfi_row row;
};

struct unwinder {
	struct cached_row rows[ROWS];
};

/* The call frame information of a file, read when first needed. NULL: none. */
static struct cfi *cfi_of(struct codefile *f)
{
	if (!f->has_cfi) {
		f->has_cfi = true;
		f->cfi = f->fd >= 0 ? cfi_open(f->fd) : NULL;
	}
	return f->cfi;
}

static const struct cached_row *find_row(struct sampling *s, const struct cfi *cfi,
					 const struct spaces_place *at)
{
	struct cached_row *row = &s->unwinder->rows[(at->place * 0x9e3779b97f4a7c15u) >> (64 - 13)];

	if (row->place != at->place) {
		row->place = at->place;
		row->result = cfi_find_row(cfi, at->address, &row->row);
	}
	return row;
}

static void set_registers(struct unwind_frame *f, const struct perfrecord_sample *p)
{
	*f = (struct unwind_frame){.is_exact = true};
	for (unsigned i = 0; i < SAMPLEREGS_N; i++) {
		unsigned reg = sampleregs_rows[i].dwarf;

		f->regs[reg] = p->regs[i];
		f->known |= UINT64_C(1) << reg;
	}
}

/* Adds the place of a frame, and goes to its caller. Returns as unwind_step(). */
static int step(struct sampling *s, int pid, struct unwind_frame *f, const struct unwind_memory *m,
		const struct spaces_place *at)
{
	const struct cfi *cfi = at->file ? cfi_of(at->file) : NULL;
	const struct cached_row *row = cfi ? find_row(s, cfi, at) : NULL;
	bool is_signal = row && row->result >= 0 && row->row.is_signal;

	/* nobody called the code behind a signal handler: the kernel made it the return address */
	if (is_signal && !f->is_exact)
		add_place(s, at->place + 1);
	else
		add_user(s, pid, unwind_ip(f) - !f->is_exact, at);
	if (row && row->result >= 0)
		return unwind_step(f, m, cfi, &row->row);
	/* code that was made while the program ran, or written by hand */
	return unwind_step_fp(f, m);
}

void samplestack_unwind(struct sampling *s, const struct perfrecord_sample *p)
{
	struct unwind_memory m = {.bytes = p->stack};
	struct unwind_frame f;
	int r = 1;

	if (!s->unwinder)
		s->unwinder = calloc(1, sizeof(*s->unwinder));
	if (!s->unwinder || !p->regs)
		return;
	set_registers(&f, p);
	m.start = f.regs[UNWIND_SP];
	s->inner = 0;
	while (r > 0 && s->n_stack < SAMPLEEVENTS_STACK_MAX) {
		uint64_t address = unwind_ip(&f) - !f.is_exact;
		struct spaces_place at;

		spaces_find(s->spaces, (int)p->pid, address, &at);
		if (!at.place && !f.is_exact)
			break; /* not code: the frame before was the last that is right */
		if (!at.place)
			at.place = sampleevents_place(0, address);
		if (p->regs_abi != PERF_SAMPLE_REGS_ABI_64) {
			add_place(s, at.place); /* other instruction sets have other rules */
			break;
		}
		r = step(s, (int)p->pid, &f, &m, &at);
	}
}

void samplestack_add_branches(struct sampling *s, const struct perfrecord_sample *p)
{
	int pid = (int)p->pid;

	if (p->n_branches && !sampleevents_is_kernel(p->ip))
		samplestack_add(s, pid, p->ip, false);
	/* the newest first; `from` is the call itself, so nothing is subtracted */
	for (size_t i = 0; i < p->n_branches; i++)
		if (p->branches[i].from && !sampleevents_is_kernel(p->branches[i].from))
			samplestack_add(s, pid, p->branches[i].from, false);
}

void samplestack_release(struct sampling *s)
{
	free(s->unwinder);
}
