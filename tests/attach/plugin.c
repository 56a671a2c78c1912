// SPDX-License-Identifier: GPL-2.0-or-later
// A library that programs load while they are traced. Its constructor calls a function, too.
__attribute__((noinline)) int plugin_leaf(int n)
{
	__asm__ volatile("" : "+r"(n)::"memory");
	return n * 2 + 1;
}

__attribute__((constructor)) static void plugin_begin(void)
{
	plugin_leaf(1);
	__asm__ volatile("" ::: "memory");
}

int plugin_work(int n)
{
	int r = plugin_leaf(n);

	__asm__ volatile("" ::: "memory");
	return r;
}
