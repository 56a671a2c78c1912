// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ksload.c - what KernelShark's library takes to load a trace: time and memory.
 *
 *	ksload FILE ──▶ {"open": s, "index": s, "events": n, "bytes": n}
 *
 * index: opening and kshark_load_entries() together; bytes: anonymous memory above that of the start.
 */
#include <libkshark.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static unsigned long long anonymous_bytes(void)
{
	unsigned long long kb = 0;
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "RssAnon: %llu kB", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb * 1024;
}

int main(int argc, char **argv)
{
	double begin = now(), opened;
	unsigned long long before = anonymous_bytes();
	struct kshark_context *ctx = NULL;
	struct kshark_entry **entries = NULL;
	ssize_t n;
	int sd;

	if (argc != 2 || !kshark_instance(&ctx))
		return 2;
	sd = kshark_open(ctx, argv[1]);
	if (sd < 0)
		return 1;
	opened = now();
	n = kshark_load_entries(ctx, sd, &entries);
	if (n < 0)
		return 1;
	printf("{\"open\": %.4f, \"index\": %.4f, \"events\": %zd, \"bytes\": %llu}\n",
	       opened - begin, now() - begin, n, anonymous_bytes() - before);
	return 0;
}
