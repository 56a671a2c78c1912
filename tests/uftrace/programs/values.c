// SPDX-License-Identifier: GPL-2.0-or-later
/* Arguments and return values of all kinds in registers. */
double f1(int a, double b, int c, float d)
{
	return a + b + c + d;
}
int f2(const char *s, long l, char c, short h)
{
	return s[0] + l + c + h;
}
void f3(void *p, unsigned u)
{
}
int main()
{
	f1(1, 2.5, 3, 4.5f);
	f2("hi", 1L << 40, 'z', -2);
	f3((void *)0xdeadbeef, 4000000000u);
	return 0;
}
