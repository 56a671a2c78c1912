// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * values.c - functions with arguments and results of all kinds, for `uftrace record -a`, -A and -R.
 */
#include <string.h>

enum colour { RED, GREEN = 2, BLUE = 4 };
struct point {
	int x, y;
};
struct big {
	long a[5];
};

static int paint(enum colour c)
{
	return (int)c;
}

static enum colour pick(int n)
{
	return (enum colour)n;
}

static int move(struct point p, int by)
{
	return p.x + by;
}

static int shift(struct big b, int by)
{
	return (int)b.a[0] + by;
}

static struct point corner(void)
{
	return (struct point){1, 2};
}

static int text(const char *s)
{
	return !s;
}

static char letter(char c, unsigned char u, short h, long l)
{
	return (char)(c + (u & 0) + (h & 0) + (l & 0));
}

static int many(int a, int b, double x, int c, int d, int e, int f, int g, float y)
{
	return a + b + c + d + e + f + g + (int)x + (int)y;
}

static void call(int (*f)(const char *), void *p, long double x)
{
	(void)x;
	f(p ? "p" : "");
}

int main(void)
{
	char word[300];

	paint(GREEN);
	paint(RED);
	pick(6);
	move((struct point){3, 4}, -200000);
	shift((struct big){{5}}, 7);
	corner();
	memset(word, 'a', 299);
	word[299] = 0;
	text(word);
	word[97] = 0;
	text(word);
	text("tab\t\"quoted\" back\\slash, comma\n");
	text("h\xc3\xa9 \xff");
	text("");
	text(NULL);
	text((const char *)16);
	letter('z', 200, -3, 1L << 40);
	letter('\n', 1, 1, -1);
	many(1, 2, 3.5, 4, 5, 6, 7, 8, 9.25f);
	call(text, NULL, 2.5L);
	call(text, word, -1);
	return 0;
}
