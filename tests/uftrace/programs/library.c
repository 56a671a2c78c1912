// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls of the C library, structs, enums, floats. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
enum col { RED, GREEN = 5, BLUE = 16 };
struct pt {
	int x, y;
};
struct big {
	long a[5];
};
float fl(float f, double d, long double ld)
{
	return f + d + ld;
}
double db(double d)
{
	return d * 2;
}
char ch(char c, signed char s, unsigned char u, short h, unsigned short uh)
{
	return c;
}
int e1(enum col c, struct pt p, struct big b, char *s, void (*f)(void), int *ip)
{
	return c;
}
void nop(void)
{
}
struct pt retpt(int x)
{
	struct pt p = {x, x};
	return p;
}
unsigned long ul(unsigned long v, long l, int i, unsigned u)
{
	return v;
}
int main(void)
{
	int fd = open("made-by-library", O_WRONLY | O_CREAT | O_TRUNC, 0644);
	write(fd, "abc\n", 4);
	close(fd);
	open("/nonexistent\tz", O_RDONLY);
	open("héllo", 0100);
	void *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
	munmap(p, 4096);
	struct pt q = {1, 2};
	struct big bb = {{1}};
	int i = 3;
	fl(1.5, 2.5, 3.5);
	db(3.25);
	ch('a', -3, 200, -5, 60000);
	ch('\n', 1, 1, 1, 1);
	e1(GREEN, q, bb, "hello \"x\"\n\b", nop, &i);
	e1(21, q, bb, 0, 0, 0);
	e1(3, q, bb, "", (void *)0x1234, 0);
	retpt(5);
	ul(5, -7, -9, 7);
	ul(1000000, -1000000, -200000, 1000000);
	nop();
	putchar('x');
	puts("longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglongl"
	     "onglonglonglonglonglonglonglonglong");
	getenv("HOME");
	raise(0);
	unlink("made-by-library");
	return 0;
}
