/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hypercalls.h - names of the calls that a Xen guest makes to its hypervisor.
 */
#ifndef SONDE_SYMBOLS_TABLES_HYPERCALLS_H
#define SONDE_SYMBOLS_TABLES_HYPERCALLS_H

#include <stdint.h>

/* Returns the name, or NULL. */
const char *xen_hypercall_name(uint32_t number);

#endif
