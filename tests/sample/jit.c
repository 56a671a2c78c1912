// SPDX-License-Identifier: GPL-2.0-or-later
/* jit.c - makes two functions in memory and names them in /tmp/perf-PID.map, as a compiler would. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
/* 1: dec edi; jnz 1b; ret */
static const unsigned char code[] = {0xff, 0xcf, 0x75, 0xfc, 0xc3};
#elif defined(__aarch64__)
/* 1: subs w0, w0, #1; b.ne 1b; ret */
static const unsigned char code[] = {0x00, 0x04, 0x00, 0x71, 0xe1, 0xff,
				     0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6};
#endif

int main(void)
{
	unsigned char *p =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *f;

	memcpy(p, code, sizeof(code));
	memcpy(p + 256, code, sizeof(code));
	mprotect(p, 8192, PROT_READ | PROT_EXEC);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	if (!f)
		return 1;
	fprintf(f, "%lx 40 made_first\n%lx 40 made_second\n", (unsigned long)p,
		(unsigned long)p + 256);
	fclose(f);
	for (int i = 0; i < 100; i++) {
		((void (*)(unsigned))p)(2000000);
		((void (*)(unsigned))(p + 256))(2000000);
	}
	return 0;
}
