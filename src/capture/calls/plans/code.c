// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * code.c - whose code lies at a place of a plan's file.
 *
 * A sampler finds addresses in our thunks: the processor was there, or the caller of a function is
 * hidden, because the thunk's address stands where its return address was. The kernel reports the
 * mapping of a plan's file with its inode and offset, also after fork(), so these two are the key.
 *
 *	inode ─▶ code ─▶ area with the offset ─▶ part of the area ─▶ hook ─▶ function
 *
 * An entry for each plan stays until the end: 24 bytes and 24 for each image.
 */
#include "base/map.h"
#include "capture/calls/plans/plans_int.h"

#include <stdlib.h>

#define CODES_MAX (1u << 20)

struct usercode_area {
	uint64_t at; /* in the plan's file */
	uint64_t bias;
	const struct userimage *image;
};

/* What a plan's file contains. */
struct usercode {
	size_t n;
	struct usercode_area areas[];
};

struct usercode *usercode_new(size_t n)
{
	struct usercode *c = calloc(1, sizeof(*c) + n * sizeof(c->areas[0]));

	if (c)
		c->n = n;
	return c;
}

void usercode_set(struct usercode *c, size_t i, uint64_t at, uint64_t bias,
		  const struct userimage *image)
{
	c->areas[i] = (struct usercode_area){at, bias, image};
}

void userplans_keep_code(struct userplans *p, uint64_t inode, struct usercode *c)
{
	void **slot;

	pthread_mutex_lock(&p->lock);
	slot = c ? map_take(&p->codes, inode, CODES_MAX) : NULL;
	if (slot) {
		free(*slot); /* an inode's number comes again */
		*slot = c;
	}
	pthread_mutex_unlock(&p->lock);
	if (!slot)
		free(c);
}

void userplans_release_codes(struct userplans *p)
{
	for (size_t i = 0; i < p->codes.n_slots; i++)
		free(p->codes.slots[i].value);
	map_release(&p->codes);
}

/* What of an area's code is at `offset`. */
static bool find_in_area(const struct usercode_area *a, uint64_t offset, struct sampling_hook *ret)
{
	const struct userimage_function *f;
	enum userimage_part part;
	size_t hook = 0;

	part = userimage_part_of(a->image, offset, &hook);
	if (part == USERIMAGE_NO_CODE)
		return false;
	*ret = (struct sampling_hook){.is_return = part == USERIMAGE_BACK,
				      .is_moved = part == USERIMAGE_MOVED};
	if (part == USERIMAGE_COMMON)
		return true;
	f = userimage_function(a->image, userimage_hooked(a->image, hook));
	ret->function = f->address + a->bias;
	ret->n_bytes = f->n_bytes;
	return true;
}

bool userplans_find_code(struct userplans *p, uint64_t inode, uint64_t offset,
			 struct sampling_hook *ret)
{
	const struct usercode *c;
	bool found = false;

	pthread_mutex_lock(&p->lock);
	c = map_find(&p->codes, inode);
	for (size_t i = 0; c && i < c->n && !found; i++) {
		const struct usercode_area *a = &c->areas[i];

		if (offset >= a->at && offset - a->at < userimage_area_bytes(a->image))
			found = find_in_area(a, offset - a->at, ret);
	}
	pthread_mutex_unlock(&p->lock);
	return found;
}
