// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * points.c - where the kernel's probes (uprobes) see calls and returns of a function.
 *
 *	f:      endbr64
 *	        push %rbx        ◀── call: the first instruction behind endbr64
 *	        …
 *	        pop %rbx
 *	        ret              ◀── return: each of them
 *	        …
 *	        jmp g            ◀── return, if g is a function that is not probed itself
 *
 * The kernel's return probes are not used: they replace return addresses, and an exception that
 * passes such a frame ends the program. Probes on instructions change nothing that the program can
 * see.
 *
 * A probe inside of an instruction, or in data, would change what the program does. So all of a
 * function must be instructions that sonde knows, and each of its direct jumps must lead to the
 * beginning of one. Otherwise the function is left out.
 */
#include "capture/user/x86_64/arch_int.h"
#include "base/scope.h"
#include "format/bytes.h"
#include "symbols/arch.h"
#include "symbols/insn/instruction.h"

#include <errno.h>
#include <stdlib.h>

#define FUNCTION_MAX_BYTES (1u << 20)

/* A function on the way. */
struct probed {
	struct userimage *img;
	size_t index;
	uint64_t begin, end;
	struct piece code;   /* of both */
	uint8_t *boundaries; /* 1: an instruction begins here */
};

static bool is_sound(const uint8_t *code, const struct x86_parts *p)
{
	return !p->is_vector && !instruction_trouble(arch_by_machine(EM_X86_64), code, p->n_bytes);
}

/* Finds where instructions begin. False: sonde does not know all of them. */
static bool decode(struct probed *pr)
{
	struct x86_parts p;

	for (uint64_t at = 0; at < pr->code.len; at += p.n_bytes) {
		if (!x86_parts(pr->code.data + at, pr->code.len - at, &p))
			return false;
		pr->boundaries[at] = 1;
	}
	for (uint64_t at = 0; at < pr->code.len; at += p.n_bytes) {
		x86_parts(pr->code.data + at, pr->code.len - at, &p);
		if (p.distance_at) {
			uint64_t to = x86_target(pr->code.data + at, &p, pr->begin + at);

			if (to >= pr->begin && to < pr->end && !pr->boundaries[to - pr->begin])
				return false;
		}
	}
	return true;
}

/* A function of the list that begins there; NULL: none. */
static const struct function *find_function(const struct userimage *img, uint64_t address)
{
	size_t low = 0, high = img->n_functions;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (img->functions[mid].pub.address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < img->n_functions && img->functions[low].pub.address == address
		       ? &img->functions[low]
		       : NULL;
}

/*
 * Does it leave the function for good? The probe of a function that follows sees the return of
 * both.
 */
static bool is_return(const struct probed *pr, uint64_t at, const struct x86_parts *p)
{
	const struct function *f;
	uint64_t to;

	if (p->branch != X86_JUMP)
		return p->branch == X86_RETURN;
	to = x86_target(pr->code.data + at, p, pr->begin + at);
	if (to >= pr->img->functions[pr->index].pub.address && to < pr->end)
		return false;
	f = find_function(pr->img, to);
	return f && !userimage_is_wanted(f) && f->pub.why != USERIMAGE_FRAGMENT;
}

static enum userimage_why add_returns(const struct probed *pr, uint32_t hook)
{
	struct x86_parts p;

	for (uint64_t at = 0; at < pr->code.len; at += p.n_bytes) {
		x86_parts(pr->code.data + at, pr->code.len - at, &p);
		if (!is_return(pr, at, &p))
			continue;
		if (!is_sound(pr->code.data + at, &p))
			return USERIMAGE_FIXED;
		if (userimage_add_point(pr->img, pr->begin + at, hook, true) < 0)
			return USERIMAGE_MANY;
	}
	return USERIMAGE_HOOKED;
}

/* A loop to the beginning would look like calls. */
static bool has_loop(const struct probed *pr)
{
	const struct edge *edges;
	size_t n = userimage_edges(pr->img, pr->begin, pr->begin + 1, &edges);

	for (size_t i = 0; i < n; i++)
		if (edges[i].owner == pr->index && !edges[i].is_data)
			return true;
	return false;
}

static enum userimage_why plan(struct probed *pr, bool is_fragment)
{
	size_t n_points = pr->img->n_points, hook = pr->img->n_hooks;
	enum userimage_why why;
	struct x86_parts p;

	if (!decode(pr))
		return USERIMAGE_UNKNOWN;
	if (is_fragment)
		return add_returns(pr, 0);
	x86_parts(pr->code.data, pr->code.len, &p);
	if (has_loop(pr))
		return USERIMAGE_LOOP;
	if (!is_sound(pr->code.data, &p))
		return USERIMAGE_FIXED;
	if (is_return(pr, 0, &p)) /* the order of two probes at one place is unknown */
		return USERIMAGE_EMPTY;
	why = userimage_add_point(pr->img, pr->begin, (uint32_t)hook, false) < 0
		      ? USERIMAGE_MANY
		      : add_returns(pr, (uint32_t)hook);
	if (why == USERIMAGE_HOOKED && userimage_add_probed(pr->img, (uint32_t)pr->index) < 0)
		why = USERIMAGE_MANY;
	if (why != USERIMAGE_HOOKED)
		pr->img->n_points = n_points;
	return why;
}

enum userimage_why x86_plan_points(struct userimage *img, size_t index, bool is_fragment)
{
	const struct function *f = &img->functions[index];
	uint64_t end = function_end(f), limit = userimage_limit(img, index);
	struct probed pr = {.img = img, .index = index, .begin = function_start(f)};
	SCOPED(scope_free) uint8_t *boundaries = NULL;

	pr.end = end < limit ? end : limit; /* another function may begin inside it */
	pr.code = userimage_code(img, pr.begin);
	if (pr.begin >= pr.end || pr.code.len < pr.end - pr.begin)
		return USERIMAGE_SHORT;
	pr.code.len = pr.end - pr.begin;
	if (pr.code.len > FUNCTION_MAX_BYTES)
		return USERIMAGE_UNKNOWN;
	pr.boundaries = boundaries = calloc(1, pr.code.len);
	return boundaries ? plan(&pr, is_fragment) : USERIMAGE_MANY;
}
