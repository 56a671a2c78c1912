// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copied.c - a library's variables, and with -DPROGRAM a program that has copies of them; see copied.py.
 */
#include <stdio.h>

struct both {
	int a, b;
};

int use(int number);

#ifdef PROGRAM

extern int shared, lonely;
extern const char *word;
extern struct both both;

int main(void)
{
	for (int i = 0; i < 3; i++) {
		shared += 100;
		lonely += 10;
		both.b += 1000;
		word = i ? "program" : "main";
		use(i);
	}
	return 0;
}

#else

int shared = 5, other = 7, lonely = 3;
static int own = 1;
const char *word = "library";
struct both both = {1, 2};
__attribute__((visibility("protected"))) int kept = 9;
__attribute__((visibility("hidden"))) int hidden = 20;

/* It says nothing of lonely, and so has no pointer to it. */
__attribute__((noinline)) int use(int number)
{
	printf("shared=%d own=%d other=%d b=%d word=\"%s\" kept=%d hidden=%d\n", shared, own, other,
	       both.b, word, kept, hidden);
	own += number;
	other += number;
	shared++;
	both.b++;
	kept++;
	hidden++;
	return number;
}

#endif
