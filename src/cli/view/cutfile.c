// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cutfile.c - survives that a mapped file becomes shorter while it is read.
 *
 * A file is truncated by another process, or its recorder closes the holes in it. A read beyond the
 * new end is SIGBUS. The handler maps a page of zeros there, and the read continues. It may run in
 * any thread.
 */
#include "cli/view/cutfile.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE_BYTES 4096

static volatile sig_atomic_t was_cut;

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)(PAGE_BYTES - 1);

	was_cut = 1;
	if (info->si_code != BUS_ADRERR ||
	    mmap((void *)page, PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) == MAP_FAILED)
		_exit(1);
}

void cutfile_survive(void)
{
	sigaction(SIGBUS, &(struct sigaction){.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO},
		  NULL);
}

bool cutfile_happened(void)
{
	bool happened = was_cut;

	was_cut = 0;
	return happened;
}
