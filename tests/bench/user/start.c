// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * start.c - prints the time in us: `start PROGRAM` right before it executes PROGRAM, `start` in main().
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	printf("%.3f\n", (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3);
	if (argc < 2)
		return 0;
	fflush(stdout);
	execv(argv[1], (char *[]){argv[1], NULL});
	return 1;
}
