// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arrays.c - arrays whose elements mean more than their bytes say; see arrays.py.
 */
#include <stdbool.h>

enum colour { RED = 1, BLUE, LOW = -2 };
enum mode { F_A = 1, F_B = 2, F_C = 4 };
enum __attribute__((packed)) small { OFF, ON };

struct part {
	int a, b;
};

struct box {
	enum colour colours[4], pairs[2][2];
	enum mode modes[4];
	enum small smalls[2];
	bool are[3];
	float floats[2];
	double doubles[3];
	long double longs[2];
	struct part parts[2];
	unsigned char raw[4];
	const char *texts[3];
};

__attribute__((noipa)) int work(struct box *box, int number)
{
	return box->colours[0] + number;
}

int main(void)
{
	struct box box = {
		.colours = {RED, (enum colour) - 3, BLUE, LOW},
		.pairs = {{RED, BLUE}, {LOW, (enum colour)77}},
		.modes = {F_A, F_A | F_C, 0, (enum mode)9},
		.smalls = {ON, OFF},
		.are = {true, false, true},
		.texts = {"one", "", "three"},
		.floats = {1.5f, -2.25f},
		.doubles = {0.1, -1e300, 3},
		.raw = {1, 200, 0, 3},
	};

	return work(&box, 1) == 77;
}
