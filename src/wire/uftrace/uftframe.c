// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uftframe.c - the heads of frames, and the header of the info file on its way.
 *
 *	info   0 "Ftrace!"  8 version:32  12 size:16  14 byte order, class  16 features:64
 *	       24 lines:64  32 depth of stacks:16
 */
#include "wire/uftrace/uftframe.h"

#include "base/array.h"
#include "format/uftrace.h"

#include <arpa/inet.h>
#include <elf.h>
#include <string.h>

void uft_frame_write(uint8_t head[UFT_FRAME_HEAD_BYTES], const struct uft_frame *f)
{
	uint16_t magic = htons(UFT_FRAME_MAGIC), kind = htons(f->kind);
	uint32_t n = htonl(f->n_bytes);

	memcpy(head, &magic, 2);
	memcpy(head + 2, &kind, 2);
	memcpy(head + 4, &n, 4);
}

bool uft_frame_parse(const uint8_t head[UFT_FRAME_HEAD_BYTES], struct uft_frame *ret)
{
	uint16_t magic, kind;
	uint32_t n;

	memcpy(&magic, head, 2);
	memcpy(&kind, head + 2, 2);
	memcpy(&n, head + 4, 4);
	*ret = (struct uft_frame){ntohs(kind), ntohl(n)};
	return ntohs(magic) == UFT_FRAME_MAGIC;
}

bool uft_frame_turn_info(uint8_t *info, size_t n_bytes)
{
	static const struct {
		uint8_t at, n;
	} numbers[] = {{8, 4}, {12, 2}, {16, 8}, {24, 8}, {32, 2}};

	if (n_bytes < UFT_HEADER_BYTES || memcmp(info, UFT_MAGIC, sizeof(UFT_MAGIC)))
		return false;
	for (size_t i = 0; info[14] == ELFDATA2LSB && i < ARRAY_LEN(numbers); i++) {
		uint8_t *p = info + numbers[i].at;

		for (size_t k = 0; k < numbers[i].n / 2u; k++) {
			uint8_t kept = p[k];

			p[k] = p[numbers[i].n - 1u - k];
			p[numbers[i].n - 1u - k] = kept;
		}
	}
	return true;
}

bool uft_frame_is_name(const char *name, size_t len)
{
	if (!len || len > 255 || name[0] == '.')
		return false;
	for (size_t i = 0; i < len; i++)
		if (name[i] == '/' || (unsigned char)name[i] < ' ' || name[i] == 127)
			return false;
	return true;
}
