/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uftframe.h - the frames that `uftrace record --host` sends to `uftrace recv`.
 *
 *	0xface:16  kind:16  length:32  then length bytes; numbers have the order of the network
 *
 *	UFT_FRAME_DIR     the directory's name
 *	UFT_FRAME_DATA    tid:32, then records for TID.dat
 *	UFT_FRAME_KERNEL  CPU:32, then bytes for kernel-cpuN.dat;  UFT_FRAME_PERF: perf-cpuN.dat
 *	UFT_FRAME_INFO    the info file, its header in the order of the network
 *	UFT_FRAME_FILE    length of a name:32, the name, then the contents of the file
 *	UFT_FRAME_END     the directory is complete
 *
 * Only the sender speaks.
 */
#ifndef SONDE_WIRE_UFTRACE_UFTFRAME_H
#define SONDE_WIRE_UFTRACE_UFTFRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UFT_FRAME_MAGIC	     0xface
#define UFT_FRAME_HEAD_BYTES 8
#define UFT_FRAME_MAX_BYTES  (64u << 20) /* of one frame */

enum uft_frame_kind {
	UFT_FRAME_DIR = 101,
	UFT_FRAME_DATA,
	UFT_FRAME_KERNEL,
	UFT_FRAME_PERF,
	UFT_FRAME_INFO,
	UFT_FRAME_FILE,
	UFT_FRAME_END,
};

struct uft_frame {
	uint16_t kind;
	uint32_t n_bytes;
};

void uft_frame_write(uint8_t head[UFT_FRAME_HEAD_BYTES], const struct uft_frame *f);
/* False: this is not a frame. */
bool uft_frame_parse(const uint8_t head[UFT_FRAME_HEAD_BYTES], struct uft_frame *ret);

/*
 * Turns the numbers of an info file's header around, if its byte order is not that of the network.
 * False: this is not an info file.
 */
bool uft_frame_turn_info(uint8_t *info, size_t n_bytes);

/* Is it the name of a file in a directory, and not a hidden one? */
bool uft_frame_is_name(const char *name, size_t len);

#endif
