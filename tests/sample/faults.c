// SPDX-License-Identifier: GPL-2.0-or-later
/* faults.c - touches so many pages of memory for the first time. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000;
	char *p = mmap(NULL, (size_t)n * 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	madvise(p, (size_t)n * 4096, MADV_NOHUGEPAGE);
	for (long i = 0; i < n; i++)
		p[i * 4096] = 1;
	return 0;
}
