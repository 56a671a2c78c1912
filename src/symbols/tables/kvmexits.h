/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kvmexits.h - names of the reasons why a virtual CPU left its guest. */
#ifndef SONDE_SYMBOLS_TABLES_KVMEXITS_H
#define SONDE_SYMBOLS_TABLES_KVMEXITS_H

#include <stdint.h>

enum kvm_isa { KVM_ISA_VMX = 1, KVM_ISA_SVM = 2 }; /* as the events of the kernel number them */

/* Returns the name, "UNKNOWN-ISA" for an unknown processor, or NULL for an unknown reason. */
const char *kvm_exit_name(uint32_t isa, int32_t reason);

#endif
