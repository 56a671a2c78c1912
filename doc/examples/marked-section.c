// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * marked-section.c - a program that traces nothing but the part of itself that matters.
 *
 *	cc -I include doc/examples/marked-section.c -o marked-section
 *	sonde record -e syscalls ./marked-section
 *	sonde report
 *
 * The recording then holds what the kernel did between the two marks and next to nothing else: no loader,
 * no start of the program, no end. Without a recorder around it the program runs as if the calls were not
 * there.
 */
#include <sonde/mark.h>

#include <stdio.h>

static void interesting_part(void)
{
	FILE *f = tmpfile();

	for (int i = 0; f && i < 100; i++)
		fprintf(f, "%d\n", i);
	if (f)
		fclose(f);
}

int main(void)
{
	sonde_tracing(1);
	sonde_mark("the part begins");
	interesting_part();
	sonde_mark("the part ends");
	sonde_tracing(0);
	return 0;
}
