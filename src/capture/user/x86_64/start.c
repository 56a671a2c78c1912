// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * start.c - main() of a program without symbols.
 *
 * A program begins with code of the C library (crt1.o), which hands main to __libc_start_main():
 *
 *	_start:  …
 *	         48 8d 3d DISTANCE   lea main(%rip),%rdi     or   48 c7 c7 ADDRESS   mov $main,%rdi
 *	         ff 15 …             call *__libc_start_main  or  67 e8 …, e8 …      call
 *
 * Other bytes may look like that, but their address begins no function of .eh_frame.
 */
#include "capture/user/x86_64/arch_int.h"

#include <string.h>

#define START_BYTES 64 /* crt1.o of glibc: 38 */
#define LOAD_BYTES  7

static bool is_call(const uint8_t *p)
{
	return p[0] == 0xe8 || (p[0] == 0x67 && p[1] == 0xe8) || (p[0] == 0xff && p[1] == 0x15);
}

static bool is_function(const struct userimage *img, uint64_t address)
{
	for (size_t i = 0; i < img->frames.n; i++)
		if (frames_begin(&img->frames, i) == address)
			return true;
	return false;
}

uint64_t x86_find_main(const struct userimage *img)
{
	uint64_t start = img->elf.head.e_entry;
	const uint8_t *p = elfview_at(&img->elf, start, START_BYTES);
	uint64_t address;
	int32_t value;

	for (size_t i = 0; p && i + LOAD_BYTES + 2 <= START_BYTES; i++) {
		bool is_relative = !memcmp(p + i, "\x48\x8d\x3d", 3);

		if ((!is_relative && memcmp(p + i, "\x48\xc7\xc7", 3)) ||
		    !is_call(p + i + LOAD_BYTES))
			continue;
		memcpy(&value, p + i + 3, 4);
		address = (uint64_t)(int64_t)value + (is_relative ? start + i + LOAD_BYTES : 0);
		return is_function(img, address) ? address : 0;
	}
	return 0;
}
