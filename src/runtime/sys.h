/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sys.h - system calls without the C library, for code that runs inside a hook or in a process
 * whose C library may hold any lock. Results are as in the kernel: a negative errno on failure.
 */
#ifndef SONDE_RUNTIME_SYS_H
#define SONDE_RUNTIME_SYS_H

#include "runtime/runtime_int.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

static inline bool sys_failed(long result)
{
	return result < 0 && result > -4096;
}

/* NULL: it failed. */
static inline void *sys_map(uint64_t address, size_t n_bytes, int prot, int flags, int fd,
			    uint64_t at)
{
	long p = arch_syscall(SYS_mmap, (long)address, (long)n_bytes, prot, flags, fd, (long)at);

	return sys_failed(p) ? NULL : (void *)p;
}

static inline void sys_unmap(const void *address, size_t n_bytes)
{
	arch_syscall(SYS_munmap, (long)address, (long)n_bytes, 0, 0, 0, 0);
}

static inline bool sys_protect(uint64_t address, size_t n_bytes, int prot)
{
	return !arch_syscall(SYS_mprotect, (long)address, (long)n_bytes, prot, 0, 0, 0);
}

static inline void sys_close(long fd)
{
	if (fd >= 0)
		arch_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline bool sys_stat(long fd, struct stat *ret)
{
	return fd >= 0 && !arch_syscall(SYS_fstat, fd, (long)ret, 0, 0, 0, 0);
}

static inline void bytes_copy(void *to, const void *from, size_t n)
{
	volatile uint8_t *t = to;
	const uint8_t *f = from;

	while (n--)
		*t++ = *f++;
}

static inline bool bytes_are_equal(const void *a, const void *b, size_t n)
{
	const volatile uint8_t *x = a, *y = b;

	while (n--)
		if (*x++ != *y++)
			return false;
	return true;
}

#endif
