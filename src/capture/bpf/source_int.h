/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source_int.h - declarations that the files behind source.h share. */
#ifndef SONDE_CAPTURE_BPF_SOURCE_INT_H
#define SONDE_CAPTURE_BPF_SOURCE_INT_H

#include "capture/bpf/source.h"

/* Returns false if there are too many steps. */
bool bpfsource_add_step(struct bpfsource *s, long long offset, enum bpfsource_memory memory);
/* Opens the kernel's BTF once, for all callers. */
bool bpfsource_open_btf(struct btf **btf);

#endif
