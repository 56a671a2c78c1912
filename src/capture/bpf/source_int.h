/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_int.h - what the files behind source.h share.
 */
#ifndef SONDE_CAPTURE_BPF_SOURCE_INT_H
#define SONDE_CAPTURE_BPF_SOURCE_INT_H

#include "capture/bpf/source.h"

/* false: there are too many. */
bool bpfsource_add_step(struct bpfsource *s, long long offset, enum bpfsource_memory memory);
/* Once, for all who ask. */
bool bpfsource_open_btf(struct btf **btf);

#endif
