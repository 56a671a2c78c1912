// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program.c - what tools/attack spoils when it attacks the readers of programs: functions, structs,
 * enums, arrays, an inlined copy.
 */
#include <stdio.h>

enum colour { RED, GREEN = 7 };

struct box {
	const char *name;
	enum colour colour;
	unsigned bits : 5;
	struct box *next;
	double sizes[4];
};

static inline int twice(int n)
{
	return 2 * n + (n > 3);
}

__attribute__((noinline)) int work(struct box *box, int number)
{
	int sum = 0;

	for (struct box *b = box; b; b = b->next)
		sum += twice(number) + b->colour + b->bits;
	return sum;
}

int main(int argc, char **argv)
{
	struct box last = {"last", GREEN, 3, NULL, {1, 2}}, first = {"first", RED, 1, &last, {0}};

	printf("%d\n", work(&first, argc));
	return 0;
}
