// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * meanings.c - a program whose values mean more than their bytes say; see meanings.py.
 */
#include <linux/types.h>

enum colour { RED = 1, GREEN, BLUE = 7 };
enum mode { F_A = 1, F_B = 2, F_C = 4 };

struct box {
	enum colour colour;
	enum mode mode;
	double weight;
	float part;
	__be16 port;
	__be32 address;
	int numbers[3];
	__u8 mac[6];
	char letter;
};

__attribute__((noipa)) int work(struct box *box, int number)
{
	return box->letter + number;
}

int main(void)
{
	struct box box = {
		.part = 2.25f, .numbers = {10, -20, 30}, .mac = {1, 2, 3, 0xaa, 0xbb, 0xff}};

	box.address = __builtin_bswap32(0x7f000001);
	for (int i = 0; i < 6; i++) {
		box.colour = i % 2 ? RED : BLUE;
		box.mode = i;
		box.weight = i - 2.5;
		box.port = __builtin_bswap16(80 + i);
		box.letter = 'a' + i;
		work(&box, i);
	}
	return 0;
}
