/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functypes.h - type information (BTF) about the functions of a program of ours. */
#ifndef SONDE_CAPTURE_BPF_FUNCTYPES_H
#define SONDE_CAPTURE_BPF_FUNCTYPES_H

#include "capture/bpf/bpf.h"

#define FUNCTYPES_MAX_BYTES 2048

/* Writes the types of the program and its functions. Returns their length. */
size_t functypes_fmt(const struct bpfcode *c, uint8_t out[FUNCTYPES_MAX_BYTES]);
/* Fills the list of where they begin, the program first. Returns their number. */
uint32_t functypes_list(const struct bpfcode *c,
			struct bpf_func_info functions[BPFCODE_FUNCTIONS + 1]);

#endif
