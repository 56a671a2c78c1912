/* types.cc - calls with arguments of many types, for tests/args/suite. Built as C++, C and C-like parts alike. */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <sys/time.h>

#define KEEP extern "C" __attribute__((noinline))

enum color { RED, GREEN, BLUE };
enum flags { READ = 1, WRITE = 2, EXEC = 4 };
struct point {
	int x;
	double y;
};
struct big {
	int a[4];
	char name[16];
	long tail;
};
struct node {
	struct node *next;
	const char *name;
	int n;
};

static volatile int sink;

KEEP int numbers(int a, long b, unsigned char c, short d, bool yes)
{
	sink = a;
	return (int)(a + b + c + d + yes);
}
KEEP const char *text(const char *s)
{
	sink++;
	return s;
}
KEEP double floats(double a, float b, long double c)
{
	sink++;
	return (double)(a + b + c);
}
KEEP long double wide(long double c)
{
	sink++;
	return c * 2;
}
KEEP struct point small(struct point p, enum color c, enum flags f)
{
	sink = c + f;
	p.x++;
	return p;
}
KEEP struct big large(struct big b, int n)
{
	sink = n;
	b.tail += n;
	return b;
}
KEEP int many(int a, int b, int c, int d, int e, int f, int g, char h, double i)
{
	sink = a + b + c + d + e + f;
	return g + h + (int)i;
}
/* The parameters without a name take their registers, too. */
KEEP int unnamed(const char *, double, int, int z)
{
	sink++;
	return z;
}
KEEP int compare(const void *a, const void *b)
{
	sink++;
	return *(const int *)a - *(const int *)b;
}
KEEP int call(int (*f)(const void *, const void *), int n)
{
	sink++;
	return f(&n, &n) + n;
}
KEEP int list(struct node *n)
{
	sink++;
	return n->n;
}
KEEP int counted(int n)
{
	sink++;
	return n;
}
KEEP void strings(std::string by_value, const std::string &by_reference, int &number)
{
	sink = (int)(by_value.size() + by_reference.size()) + number;
}

static volatile sig_atomic_t n_ticks;

static void on_timer(int)
{
	counted(-1);
	n_ticks++;
}

/* A text that ends with its page; the next page cannot be read. */
static const char *at_page_end(bool has_end)
{
	char *two = (char *)mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(two + 4096, 4096, PROT_NONE);
	memset(two, 'x', 4096);
	if (has_end)
		two[4095] = 0;
	return two + 4096 - 6;
}

int main(int argc, char **argv)
{
	struct point p = {1, 2.5};
	struct big b = {{1, 2, 3, 4}, "na\"me", 7};
	struct node second = {nullptr, "second", 2}, first = {&second, strdup("first"), 1};
	struct itimerval every = {{0, 500}, {0, 500}};
	int number = 5, sum = 0;

	if (argc > 1) {
		signal(SIGALRM, on_timer);
		setitimer(ITIMER_REAL, &every, nullptr);
	}
	sum += numbers(3, -2, 'c', -4, true);
	text("hello\n");
	text(nullptr);
	text((const char *)0x10);
	text((const char *)0xffff800000000000);
	text(at_page_end(true));
	text(at_page_end(false));
	sum += (int)floats(1.5, 2.25F, 3.125L) + (int)wide(1.5L);
	p = small(p, GREEN, (enum flags)(READ | EXEC));
	small(p, (enum color)7, READ);
	b = large(b, 2);
	sum += many(1, 2, 3, 4, 5, 6, 7, 'h', 9.5);
	sum += unnamed("x", 1.5, 6, 7);
	sum += call(compare, 4);
	sum += list(&first);
	strings("by value", "a reference that is longer than the string itself", number);
	for (int i = 0; i < 2000; i++)
		sum += counted(i);
	while (argc > 1 && n_ticks < 3)
		sink++;
	printf("%d %ld\n", sum, b.tail);
	(void)argv;
	return 3;
}
