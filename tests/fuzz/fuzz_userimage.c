// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_userimage.c - a program file whose functions are to be hooked.
 *
 *	input:  the file
 *
 * Whatever the file says: patches must be inside the text, with the bytes of the file as old bytes, no two may overlap,
 * and what they jump to must be a thunk.
 */
#include "base/errmsg.h"
#include "capture/user/choice.h"
#include "capture/user/image.h"
#include "capture/user/image_int.h"
#include "runtime/snrt.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int compare_patches(const void *pa, const void *pb)
{
	const struct snrt_patch *a = pa, *b = pb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static void check_patch(const struct userimage *img, const struct snrt_patch *p,
			const struct userimage_place *place)
{
	struct piece code = userimage_code(img, p->addr - place->bias);
	int32_t distance;

	if (!p->n_bytes || p->n_bytes > SNRT_PATCH_MAX || code.len < p->n_bytes ||
	    memcmp(code.data, p->old, p->n_bytes))
		abort();
	if (p->n_bytes != 5 || p->new_[0] != 0xe9)
		return;
	memcpy(&distance, p->new_ + 1, 4);
	if ((p->addr + 5 + distance - place->area - SNRT_HOOK_BYTES) % SNRT_THUNK_BYTES ||
	    p->addr + 5 + distance - place->area >= userimage_area_bytes(img))
		abort();
}

static void check_all(struct userimage *img)
{
	struct userimage_place place = {.bias = 0x10000000, .first_id = 1};
	size_t n = userimage_n_patches(img), n_bytes = userimage_area_bytes(img);
	struct snrt_patch *patches = calloc(n + 1, sizeof(*patches));
	uint8_t *area = malloc(n_bytes);
	uint64_t low, high;

	userimage_span(img, &low, &high);
	place.area = (high + place.bias + 0xfff) & ~0xfffull;
	if (patches && area && !userimage_build(img, &place, area, patches)) {
		qsort(patches, n, sizeof(*patches), compare_patches);
		for (size_t i = 0; i < n; i++) {
			check_patch(img, &patches[i], &place);
			/* the same branch may be redirected by two functions that overlap */
			if (i && patches[i - 1].addr + patches[i - 1].n_bytes > patches[i].addr &&
			    memcmp(&patches[i - 1], &patches[i], sizeof(*patches)))
				abort();
		}
	}
	for (size_t i = 0; i < userimage_n_functions(img); i++)
		if (!userimage_name(img, i))
			abort();
	free(area);
	free(patches);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	struct userchoice choice = {.is_program = true};
	struct userimage *img;
	struct errmsg err = {0};
	int fd = memfd_create("input", 0);

	if (fd < 0 || write(fd, input, n) != (ssize_t)n)
		abort();
	/* no such path: separate debug information is for libdw */
	if (!userimage_open(&img, "/nonexistent/input", fd, &choice, &err)) {
		check_all(img);
		userimage_close(img);
	}
	close(fd);
	return 0;
}
