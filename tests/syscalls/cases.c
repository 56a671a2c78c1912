// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cases.c - calls every system call that can be called without harm, with arguments of all kinds.
 *
 *	cases [NAME…]	runs all cases, or those
 *
 * Before each case it enters the directory /case/NAME, which does not exist: that line divides the
 * output of a tracer. Arguments are in static memory, so that two runs of a static program without
 * address randomisation print the same addresses. It works in an empty directory of its own. Nothing
 * here changes the machine: what could, gets arguments that fail.
 */
#include "cases.h"

char b[8192] __attribute__((aligned(4096))), c[4096], d[4096];

int file(void)
{
	return (int)S(open, "file", O_RDWR | O_CREAT, 0644);
}

void on_signal(int sig)
{
	(void)sig;
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define ROW(name) {#name, case_##name},
	CASES(ROW)
#undef ROW
};

static int is_chosen(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return 1;
	return argc < 2;
}

int main(int argc, char **argv)
{
	char marker[100];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (!is_chosen(cases[i].name, argc, argv))
			continue;
		memset(b, 0, sizeof(b));
		memset(c, 0, sizeof(c));
		memset(d, 0, sizeof(d));
		snprintf(marker, sizeof(marker), "/case/%s", cases[i].name);
		S(chdir, marker);
		cases[i].run();
	}
	return 0;
}
