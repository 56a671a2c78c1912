/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patches.h - the first bytes of functions, ours or as before. For this folder only.
 *
 * All threads stand still while bytes change, and the kernel writes them: if we are killed, the
 * threads go on only when that is over. So no thread ever finds half a jump.
 */
#ifndef SONDE_CAPTURE_ATTACH_PATCHES_H
#define SONDE_CAPTURE_ATTACH_PATCHES_H

#include "runtime/snrt.h"

#include <stdbool.h>
#include <stddef.h>

struct operation;

/* Functions of one file of the program. */
struct patches_image {
	uint64_t mapped; /* address of its struct snrt_mapped in the process */
	size_t first, n; /* in `all` */
	bool has_detours;
};

struct patches {
	struct snrt_patch *all; /* ascending in each image */
	size_t n;
	struct patches_image images[SNRT_IMAGES_MAX];
	size_t n_images;
};

/* Takes the patches of images in this state from the process, which has told where they are. */
int patches_read(struct operation *o, enum snrt_mapped_state state);
/* Hooks all functions. *ret_failed: files whose code is not what was planned for; it stays. */
int patches_put(struct operation *o, uint32_t *ret_failed);
/* The code as before; what somebody else has changed since stays. */
int patches_remove(struct operation *o, bool detours);
void patches_release(struct patches *p);

#endif
