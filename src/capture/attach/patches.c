// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * patches.c - changes code of a process that stands still.
 *
 *	READY ─▶ compare every old byte ─▶ PATCHED ─▶ new bytes, page by page
 *	READY ◀──────────── old bytes ◀─────┘
 *
 * The image counts as patched before its first byte changes, and until the last is as before. So
 * whoever comes after a recorder that was killed restores all of it.
 *
 * /proc/PID/mem writes to code without making it writable. Kernels that forbid this still have
 * PTRACE_POKETEXT, a word at a time.
 */
#include "capture/attach/patches.h"

#include "base/array.h"
#include "base/scope.h"
#include "capture/attach/operation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

#define PATCHES_MAX (1u << 22)
#define PAGE	    4096ull
#define RUN_BYTES   (16 * PAGE)

void patches_release(struct patches *p)
{
	free(p->all);
	*p = (struct patches){0};
}

/*
 * --- reading -----------------------------------------------------------------------------------
 */

ARRAY_ORDER(compare, struct snrt_patch, COMPARE(x->addr, y->addr))

static bool is_good(const struct snrt_patch *p, size_t n)
{
	return !ARRAY_ANY(n, i, p[i].n_bytes > SNRT_PATCH_MAX);
}

static int add_image(struct operation *o, const struct snrt_image *image, uint64_t mapped,
		     uint64_t from)
{
	struct patches *p = &o->patches;
	size_t n = p->n + image->n_patches;
	struct snrt_patch *longer = n > PATCHES_MAX ? NULL : realloc(p->all, n * sizeof(*longer));

	if (!longer)
		return -ENOMEM;
	p->all = longer;
	if (!tracees_read(o->pid, from, longer + p->n, image->n_patches * sizeof(*longer)) ||
	    !is_good(longer + p->n, image->n_patches))
		return -EFAULT;
	qsort(longer + p->n, image->n_patches, sizeof(*longer), compare);
	p->images[p->n_images++] = (struct patches_image){.mapped = mapped,
							  .first = p->n,
							  .n = image->n_patches,
							  .has_detours = image->detours[0]};
	p->n = n;
	return 0;
}

int patches_read(struct operation *o, enum snrt_mapped_state state)
{
	struct snrt_args args;
	int r = 0;

	patches_release(&o->patches);
	if (!tracees_read(o->pid, operation_args(o), &args, sizeof(args)) ||
	    args.n_images > SNRT_IMAGES_MAX)
		return -EFAULT;
	for (uint32_t i = 0; i < args.n_images && r >= 0; i++) {
		uint64_t at = args.mapped + i * sizeof(struct snrt_mapped);
		struct snrt_image image;
		struct snrt_mapped mapped;

		if (!tracees_read(o->pid, args.images + i * sizeof(image), &image, sizeof(image)) ||
		    !tracees_read(o->pid, at, &mapped, sizeof(mapped)))
			return -EFAULT;
		if (mapped.state == state && image.n_patches)
			r = add_image(o, &image, at, mapped.patches);
	}
	return r;
}

/*
 * --- runs: the pages of patches that belong together -------------------------------------------
 */

struct run {
	uint64_t start, end; /* addresses, of whole pages */
	size_t first, n;     /* patches */
	uint8_t before[RUN_BYTES], after[RUN_BYTES];
};

static uint64_t page_of(uint64_t address)
{
	return address & ~(PAGE - 1);
}

/* A page, or more if a patch reaches from one into the next. */
static void find_run(struct run *run, const struct patches *p, size_t first, size_t end)
{
	const struct snrt_patch *all = p->all;

	run->start = page_of(all[first].addr);
	run->end = run->start + PAGE;
	run->first = first;
	for (run->n = 0; first + run->n < end; run->n++) {
		const struct snrt_patch *next = &all[first + run->n];
		uint64_t high = page_of(next->addr + next->n_bytes + PAGE - 1);

		if (next->addr >= run->end || high - run->start > RUN_BYTES)
			break;
		if (high > run->end)
			run->end = high;
	}
}

static bool read_run(const struct operation *o, struct run *run)
{
	size_t n = run->end - run->start;

	if (!tracees_read(o->pid, run->start, run->before, n))
		return false;
	memcpy(run->after, run->before, n);
	return true;
}

static bool poke(const struct operation *o, const struct run *run)
{
	for (size_t i = 0; i < run->end - run->start; i += sizeof(long)) {
		long word;

		memcpy(&word, run->after + i, sizeof(word));
		if (memcmp(&word, run->before + i, sizeof(word)) &&
		    ptrace(PTRACE_POKETEXT, o->threads.list[0].tid, (void *)(run->start + i),
			   (void *)word) < 0)
			return false;
	}
	return true;
}

static bool write_run(const struct operation *o, const struct run *run, int mem)
{
	size_t n = run->end - run->start;

	return !memcmp(run->before, run->after, n) ||
	       pwrite(mem, run->after, n, (off_t)run->start) == (ssize_t)n || poke(o, run);
}

/*
 * --- an image ----------------------------------------------------------------------------------
 */

enum action { COMPARE, PUT, REMOVE };

/* False: the code is not what was planned for. */
static bool change_run(struct run *run, const struct patches *p, enum action action)
{
	for (size_t i = run->first; i < run->first + run->n; i++) {
		const struct snrt_patch *one = &p->all[i];
		uint8_t *there = run->after + (one->addr - run->start);

		if (action == COMPARE && memcmp(there, one->old, one->n_bytes))
			return false;
		if (action == PUT)
			memcpy(there, one->new_, one->n_bytes);
		if (action == REMOVE && !memcmp(there, one->new_, one->n_bytes))
			memcpy(there, one->old, one->n_bytes);
	}
	return true;
}

/* 0: done, -EILSEQ: other code, -EFAULT: memory is not there, or cannot be written. */
static int change_image(const struct operation *o, const struct patches_image *image, int mem,
			enum action action)
{
	SCOPED(scope_free) struct run *run = malloc(sizeof(*run));
	size_t end = image->first + image->n;

	if (!run)
		return -ENOMEM;
	for (size_t i = image->first; i < end; i += run->n) {
		find_run(run, &o->patches, i, end);
		if (!run->n)
			return -EFAULT;
		if (!read_run(o, run)) {
			if (action != REMOVE)
				return -EFAULT;
			continue; /* the library is gone, with its patches */
		}
		if (!change_run(run, &o->patches, action))
			return -EILSEQ;
		if (!write_run(o, run, mem))
			return -EFAULT;
	}
	return 0;
}

static bool set_state(const struct operation *o, const struct patches_image *image, uint64_t state)
{
	return tracees_write(o->pid, image->mapped + offsetof(struct snrt_mapped, state), &state,
			     sizeof(state));
}

static int open_memory(const struct operation *o)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)o->pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int patches_put(struct operation *o, uint32_t *ret_failed)
{
	int mem = open_memory(o), r = 0;

	*ret_failed = 0;
	if (mem < 0)
		return mem;
	for (size_t i = 0; i < o->patches.n_images && r >= 0; i++) {
		const struct patches_image *image = &o->patches.images[i];

		if (change_image(o, image, mem, COMPARE) < 0)
			++*ret_failed;
		else
			r = set_state(o, image, SNRT_MAPPED_PATCHED)
				    ? change_image(o, image, mem, PUT)
				    : -EFAULT;
	}
	close(mem);
	return r;
}

int patches_remove(struct operation *o, bool detours)
{
	int mem = open_memory(o), r = 0;

	if (mem < 0)
		return mem;
	for (size_t i = 0; i < o->patches.n_images && r >= 0; i++) {
		const struct patches_image *image = &o->patches.images[i];

		if (image->has_detours != detours)
			continue;
		r = change_image(o, image, mem, REMOVE);
		if (r >= 0 && !set_state(o, image, SNRT_MAPPED_READY))
			r = -EFAULT;
	}
	close(mem);
	return r;
}
