/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loaded.h - the runtime for running processes (runtime/library.h), ready to be written into one.
 */
#ifndef SONDE_CAPTURE_ATTACH_LOADED_H
#define SONDE_CAPTURE_ATTACH_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of address space, whole pages; 0: it does not exist for this processor. */
size_t loaded_bytes(void);
/* Fills memory[loaded_bytes()] as it must be at `base`. False: it is damaged. */
bool loaded_write(uint8_t *memory, uint64_t base);
#define LOADED_HEAD 64u
/* Are these the first LOADED_HEAD bytes of it? */
bool loaded_is(const uint8_t *bytes);
/* A part with its protection; false: there is no such part. */
bool loaded_part(unsigned number, uint64_t *ret_at, uint64_t *ret_bytes, int *ret_prot);
/* Where the table of functions is (snrt.h, enum snrt_call), from the base; 0: it is damaged. */
uint64_t loaded_calls(void);

#endif
