// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * plan.c - carries a plan out: areas are mapped, hooks are copied, functions are patched.
 *
 *  snrt_plan_take      map areas ─▶ hooks into each ─▶ unwinding knows them     code is as before
 *  snrt_plan_patch     compare every old byte, then write                       calls are traced
 *
 * In a process that sonde attaches to, the recorder makes the second step itself, while all threads
 * stand still (capture/attach/patches.c), and later restores the code; here only libraries are
 * patched that were just loaded. If the program closes a library, its patches disappear with it.
 * Its area stays, and is used again if the library is loaded at the same place (opened.c).
 *
 * The recorder is trusted, but may be another version: the runtime refuses what is outside the
 * file. Runs without the C library: in a process that sonde attaches to, any lock may be held.
 */
#include "runtime/sys.h"

#define PAGE 4096u

static uint64_t page_end(uint64_t address)
{
	return (address + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

/* --- patches ---------------------------------------------------------------------------------- */

/* Other threads may run in these pages, so they stay executable if that is permitted. */
static bool make_writable(const struct snrt_image *image)
{
	uint64_t start = image->text & ~(uint64_t)(PAGE - 1);
	size_t n = page_end(image->text + image->text_bytes) - start;

	return sys_protect(start, n, PROT_READ | PROT_WRITE | PROT_EXEC) ||
	       sys_protect(start, n, PROT_READ | PROT_WRITE);
}

static void make_code(uint64_t start, uint64_t n_bytes)
{
	uint64_t from = start & ~(uint64_t)(PAGE - 1);

	sys_protect(from, page_end(start + n_bytes) - from, PROT_READ | PROT_EXEC);
	arch_flush_code(start, n_bytes);
}

static bool patch_image(const struct snrt_image *image, const struct snrt_patch *patches)
{
	for (uint32_t i = 0; i < image->n_patches; i++)
		if (patches[i].n_bytes > SNRT_PATCH_MAX ||
		    !bytes_are_equal((const void *)patches[i].addr, patches[i].old,
				     patches[i].n_bytes))
			return false; /* the code differs from the plan: change nothing */
	if (!make_writable(image))
		return false;
	for (uint32_t i = 0; i < image->n_patches; i++)
		bytes_copy((void *)patches[i].addr, patches[i].new_, patches[i].n_bytes);
	make_code(image->text, image->text_bytes);
	return true;
}

void snrt_plan_patch(void)
{
	for (uint32_t i = 0; i < snrt_process.n_images; i++) {
		struct snrt_mapped *m = &snrt_process.mapped[i];

		if (m->state != SNRT_MAPPED_READY)
			continue;
		if (patch_image(&snrt_process.images[i], (const struct snrt_patch *)m->patches))
			m->state = SNRT_MAPPED_PATCHED;
		else
			__atomic_add_fetch(&snrt_process.shared->failures, 1, __ATOMIC_RELAXED);
	}
}

/* --- areas ------------------------------------------------------------------------------------ */

/*
 * The area is shared with the recorder, which switches functions off and on in it. Children by
 * fork() share it, too: it is only code, at the same address.
 */
static bool map_area(const struct snrt_image *image, int fd)
{
	uint8_t *area = sys_map(image->area, image->area_bytes, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_FIXED_NOREPLACE, fd, image->area_at);

	if (!area)
		return false;
	if (area != (uint8_t *)image->area) { /* a kernel before 4.17 */
		sys_unmap(area, image->area_bytes);
		return false;
	}
	snrt_hooks_write(area);
	*(struct snrt_note *)(area + SNRT_NOTE_AT) = snrt_note();
	for (uint32_t i = 0; i < image->n_thunks && i < SNRT_DETOURS_MAX; i++)
		if (image->detours[i])
			snrt_detour_write(area + SNRT_HOOK_BYTES + i * SNRT_THUNK_BYTES,
					  image->detours[i]);
	make_code(image->area, image->area_bytes);
	return true;
}

/* Copied: the plan's file is unmapped. */
static bool take_table(const struct snrt_image *image, const uint8_t *plan, size_t n_bytes)
{
	struct snrt_table *t = &snrt_process.tables[snrt_process.n_tables];
	size_t size = image->n_table * sizeof(uint64_t);
	uint64_t *copy;

	if (image->table_at > n_bytes || size > n_bytes - image->table_at ||
	    snrt_process.n_tables == IMAGES_MAX)
		return false;
	copy = sys_map(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!copy)
		return false;
	bytes_copy(copy, plan + image->table_at, size);
	*t = (struct snrt_table){copy, image->n_table, image->first_id};
	__atomic_store_n(&snrt_process.n_tables, snrt_process.n_tables + 1, __ATOMIC_RELEASE);
	return true;
}

static struct snrt_mapped *find_area(uint64_t area)
{
	for (uint32_t i = 0; i < snrt_process.n_images; i++)
		if (snrt_process.images[i].area == area)
			return &snrt_process.mapped[i];
	return NULL;
}

/* A library was closed, or has come back. */
static bool change_image(const struct snrt_image *image, const struct snrt_patch *patches)
{
	struct snrt_mapped *m = find_area(image->area);

	if (!m)
		return false;
	m->patches = (uint64_t)patches;
	m->state = image->what == SNRT_IMAGE_GONE ? SNRT_MAPPED_GONE : SNRT_MAPPED_READY;
	return true;
}

/* What leave and the unwinder must know is in place before the first patch. */
static bool take_image(const struct snrt_image *image, uint8_t *plan, size_t n_bytes, int fd)
{
	const struct snrt_patch *patches = (const struct snrt_patch *)(plan + image->patches_at);
	uint32_t n = snrt_process.n_images;

	if (image->patches_at > n_bytes ||
	    image->n_patches > (n_bytes - image->patches_at) / sizeof(struct snrt_patch) ||
	    image->area_at > n_bytes || image->area_bytes > n_bytes - image->area_at ||
	    image->rules_at > n_bytes ||
	    image->n_rules > (n_bytes - image->rules_at) / sizeof(struct snrt_rule))
		return false;
	if (image->what != SNRT_IMAGE_NEW)
		return change_image(image, patches);
	if (image->n_table)
		return take_table(image, plan, n_bytes);
	if (!image->n_patches)
		return true;
	if (n == IMAGES_MAX || !map_area(image, fd))
		return false;
	snrt_process.images[n] = *image;
	if (image->n_rules)
		snrt_process.rules[n] = (struct snrt_rule *)(plan + image->rules_at);
	snrt_process.mapped[n] = (struct snrt_mapped){(uint64_t)patches, SNRT_MAPPED_READY};
	bytes_copy(&snrt_process.first_id[n],
		   (const void *)(image->area + SNRT_HOOK_BYTES + SNRT_THUNK_ID), sizeof(uint32_t));
	__atomic_store_n(&snrt_process.n_images, n + 1, __ATOMIC_RELEASE);
	snrt_unwind_add(image);
	return true;
}

bool snrt_plan_take(int fd, const struct snrt_answer *answer)
{
	struct stat st;
	uint8_t *plan;

	if (!sys_stat(fd, &st) || st.st_size < (off_t)sizeof(struct snrt_image))
		return false;
	/* written to only by rules, which count calls */
	plan = sys_map(0, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (!plan)
		return false;
#if defined(__x86_64__)
	snrt_values_take_ranges(plan, (size_t)st.st_size, answer);
#endif
	for (uint32_t i = 0; i < answer->n_images; i++) {
		const struct snrt_image *image = (const struct snrt_image *)plan + i;

		if ((const uint8_t *)(image + 1) > plan + st.st_size ||
		    !take_image(image, plan, (size_t)st.st_size, fd))
			__atomic_add_fetch(&snrt_process.shared->failures, 1, __ATOMIC_RELAXED);
	}
	return true;
}
