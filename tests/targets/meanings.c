// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * meanings.c - a program whose values mean more than their bytes say; see meanings.py.
 */
#include <linux/types.h>

enum colour { RED = 1, GREEN, BLUE = 7 };
enum level { LOW = -2, HIGH = 5 };
enum far { FAR = -5000000000, NEAR = 5 };
enum __attribute__((packed)) top { BOTTOM = 1, TOP = 255 };
enum mode { F_A = 1, F_B = 2, F_C = 4 };

struct box {
	enum colour colour;
	enum mode mode;
	double weight;
	float part;
	__be16 port;
	__be32 address;
	int numbers[3];
	short shorts[3];
	__s8 signs[2];
	__u8 mac[6];
	char full[4], behind;
	char letter;
	int low : 5;
	enum level level;
	long wide : 40;
	enum level tilt : 4;
	enum far far : 40;
	int whole : 8;
	enum top top;
	const char *text;
};

__attribute__((noipa)) int work(struct box *box, int number)
{
	return box->letter + number;
}

int main(void)
{
	static const char text[] = "some";
	volatile char touched = *text; /* else it is not in memory yet */
	struct box box = {.part = 2.25f,
			  .full = "DCBA",
			  .behind = 'X',
			  .numbers = {10, -20, 30},
			  .shorts = {-1, 0, -300},
			  .signs = {-1, 5},
			  .mac = {1, 2, 3, 0xaa, 0xbb, 0xff}};

	box.address = __builtin_bswap32(0x7f000001);
	for (int i = 0; i < 6; i++) {
		box.colour = i % 2 ? RED : BLUE;
		box.mode = i;
		box.weight = i - 2.5;
		box.port = __builtin_bswap16(80 + i);
		box.letter = 'a' + i;
		box.low = i - 3;
		box.level = i == 2 ? (enum level)77 : i % 2 ? LOW : HIGH;
		box.wide = -400000000000 - i;
		box.tilt = box.level == LOW ? LOW : HIGH;
		box.far = i == 3 ? (enum far) - 7 : FAR;
		box.whole = -i;
		box.top = TOP;
		box.text = i == 4 ? (const char *)0 : text;
		work(&box, i);
	}
	return 0;
}
