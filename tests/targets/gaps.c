// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gaps.c - a function that is inlined twice, once where nothing of its parameters is left; see gaps.py.
 */
#include <stdbool.h>

enum colour { RED = 1, BLUE = 7 };

struct box {
	int low : 5;
	unsigned char byte;
	double weight;
};

/* Read once, into registers that a call does not keep. */
volatile struct {
	int n;
	signed char c;
	unsigned char u;
	enum colour colour;
	bool is;
	struct box *box;
} from;
volatile int sink;

__attribute__((noipa)) void keep(int n, signed char c, unsigned char u, enum colour colour, bool is,
				 struct box *box)
{
	sink += n + c + u + colour + is + !box;
}

static inline __attribute__((always_inline)) void gap_step(int n, signed char c, unsigned char u,
							   enum colour colour, bool is,
							   struct box *box, int common)
{
	sink += common;
	sink++;
}

#define TAKE                              \
	int n = from.n;                   \
	signed char c = from.c;           \
	unsigned char u = from.u;         \
	enum colour colour = from.colour; \
	bool is = from.is;                \
	struct box *box = from.box

__attribute__((noipa)) void dead(int common)
{
	TAKE;
	keep(n, c, u, colour, is, box);
	gap_step(n, c, u, colour, is, box, common);
}

__attribute__((noipa)) void alive(int common)
{
	TAKE;
	gap_step(n, c, u, colour, is, box, common);
	keep(n, c, u, colour, is, box);
}

int main(void)
{
	struct box box = {.low = -3, .byte = 45, .weight = 1.5};

	from.box = &box;
	from.u = 45; /* the lowest byte of what stands for a number that is not known */
	from.is = true;
	for (int i = 0; i < 3; i++) {
		from.n = i - 1;
		from.c = 45 - i;
		from.colour = i ? BLUE : RED;
		alive(10 + i);
		if (i < 2)
			dead(10 + i);
	}
	return 0;
}
