/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fifos.h - pipes that carry the pages of a guest's CPUs to its host instead of sockets, see
 * sonde-setup-guest(1). Both sides use them if they exist.
 */
#ifndef SONDE_WIRE_GUEST_FIFOS_H
#define SONDE_WIRE_GUEST_FIFOS_H

#include <stdint.h>

#define FIFOS_HOST_DIR "/var/lib/trace-cmd/virt"

/*
 * Opens the host's ends, one for each CPU from 0 on, empty and non-blocking. Returns their number,
 * at most max.
 */
uint32_t fifos_open_host(const char *guest, int *fds, uint32_t max);
/* Opens the guest's ends, exactly n_cpus. Returns 0, or a negative errno, and then none is open. */
int fifos_open_guest(int *fds, uint32_t n_cpus);
void fifos_close(int *fds, uint32_t n);

#endif
