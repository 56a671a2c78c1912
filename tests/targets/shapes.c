// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shapes.c - a program to probe: functions with every shape of variable, which print themselves what they saw.
 *
 * Each line of output is "FUNC name=value …". The suite records probes with the same names and compares. A
 * comment "P: name name" beside a statement says which variables the suite reads at that line.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE      __attribute__((noinline))
#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum colour { RED, GREEN = 5, BLUE = 9 };

struct point {
	int x, y;
};

struct bits {
	unsigned low : 3;
	unsigned middle : 9;
	int high : 12;
};

union number {
	uint32_t word;
	uint8_t bytes[4];
};

struct outer {
	char label[8];
	struct {
		struct point at;
		struct {
			long value;
		} deep;
	} inner;
	struct point *link;
	union {
		int anonymous;
		char raw[4];
	};
	int grid[2][3];
};

typedef struct outer outer_t;
typedef const outer_t *outer_ref;

int total;
static int calls;
static __thread int own = 7;
volatile int sink;

NOINLINE int add_ints(int a, int b)
{
	printf("add_ints a=%d b=%d\n", a, b);
	total += a;
	return a + b;
}

NOINLINE long add_longs(long a, unsigned long b)
{
	printf("add_longs a=%ld b=%lu\n", a, b);
	return a + (long)b;
}

NOINLINE void take_chars(signed char s, unsigned char u)
{
	printf("take_chars s=%d u=%u\n", s, u);
}

NOINLINE void take_shorts(short s, unsigned short u)
{
	printf("take_shorts s=%d u=%u\n", s, u);
}

NOINLINE void take_bool(bool yes)
{
	printf("take_bool yes=%d\n", yes);
}

NOINLINE size_t take_string(const char *text)
{
	printf("take_string text=%s\n", text);
	return strlen(text);
}

NOINLINE void take_point(const struct point *p)
{
	printf("take_point x=%d y=%d\n", p->x, p->y);
}

NOINLINE void take_outer(outer_ref o)
{
	printf("take_outer value=%ld link=%d label=%s anonymous=%d grid=%d\n", o->inner.deep.value,
	       o->link->y, o->label, o->anonymous, o->grid[1][2]);
}

NOINLINE void take_list(const int *list, int n)
{
	printf("take_list third=%d n=%d\n", list[2], n);
}

NOINLINE void take_bits(const struct bits *b)
{
	printf("take_bits low=%u middle=%u high=%d\n", b->low, b->middle, b->high);
}

NOINLINE void take_enum(enum colour c)
{
	printf("take_enum c=%d\n", c);
}

NOINLINE void take_union(const union number *n)
{
	printf("take_union word=%u second=%u\n", n->word, n->bytes[1]);
}

NOINLINE int take_function(int (*fn)(int), int x)
{
	printf("take_function x=%d\n", x);
	return fn(x);
}

NOINLINE int take_many(int a, int b, int c, int d, int e, int f, int g, int h)
{
	printf("take_many a=%d f=%d g=%d h=%d\n", a, f, g, h);
	return a + b + c + d + e + f + g + h;
}

NOINLINE int take_value(struct point p, int more)
{
	printf("take_value more=%d\n", more);
	return p.x + p.y + more;
}

NOINLINE void take_words(char **words)
{
	printf("take_words second=%s\n", words[1]);
}

NOINLINE int count_calls(int step)
{
	static int count;

	count += step;
	calls++;
	printf("count_calls count=%d total=%d\n", count, total); /* P: count total */
	return count;
}

NOINLINE int sum_up(int n)
{
	int sum = 0;

	for (int i = 1; i <= n; i++) {
		sum += i * n;
		printf("sum_up sum=%d i=%d\n", sum, i); /* P: sum i */
	}
	return sum;
}

NOINLINE int squares(int n)
{
	int list[4];

	for (int i = 0; i < 4; i++)
		list[i] = n * i * i;
	sink = list[n & 3];
	printf("squares last=%d n=%d\n", list[3], n); /* P: n */
	return list[1];
}

NOINLINE int hidden(int x)
{
	int y = x * 2;

	if (x > 2) {
		int y = x * 3;

		sink = y;
		printf("hidden y=%d\n", y); /* P: y */
		return y;
	}
	sink = y;
	return y;
}

static NOINLINE int keep_static(int secret)
{
	printf("keep_static secret=%d\n", secret);
	return secret ^ 0x55;
}

ALWAYS_INLINE int square(int side)
{
	int area = side * side;

	sink = area;
	printf("square side=%d area=%d\n", side, area); /* P: side area */
	return area + 1;
}

NOINLINE int use_square(int n)
{
	return square(n + 1);
}

NOINLINE int use_square_twice(int n)
{
	int first = square(n * 2);

	return first + square(n * 3);
}

/* Optimisers make .isra or .constprop of these. */
static NOINLINE int one_member(const struct point *q, int unused)
{
	sink = q->x;
	printf("one_member x=%d\n", q->x);
	return q->x * 2;
}

static NOINLINE int with_constant(int n, int always)
{
	sink = n;
	printf("with_constant n=%d\n", n);
	return n * always;
}

NOINLINE long factorial(long n)
{
	printf("factorial n=%ld\n", n); /* P: n */
	return n < 2 ? 1 : n * factorial(n - 1);
}

NOINLINE const char *name_of(int n)
{
	const char *name = n ? "some" : "none";

	printf("name_of name=%s\n", name); /* P: name */
	return name;
}

NOINLINE int own_variable(int n)
{
	own += n;
	return own;
}

NOINLINE int variable_length(int n)
{
	int room[n];

	memset(room, n, sizeof(room));
	sink = room[n - 1];
	return room[0];
}

static int twice(int x)
{
	return x * 2;
}

#ifdef WITH_LIBRARY
int library_scale(int value, int by);
#endif

static void call_all(int n, char **words)
{
	struct point p = {n, n * 10};
	outer_t o = {.label = "outer", .link = &p, .anonymous = n + 4};
	int list[] = {n, n + 1, n + 2, n + 3};
	struct bits b = {.low = n & 7, .middle = n * 3, .high = -n};
	union number u = {.word = 0x01020304u * n};

	o.inner.deep.value = -1000L * n;
	o.grid[1][2] = n * 7;
	sink = add_ints(n, -n) + (int)add_longs(-n, 5000000000ul + n);
	take_chars(-n, 250 + n);
	take_shorts(-300 * n, 60000 + n);
	take_bool(n & 1);
	sink = take_string(n & 1 ? "odd one" : "even");
	take_point(&p);
	take_outer(&o);
	take_list(list, 4);
	take_bits(&b);
	take_enum(n & 1 ? GREEN : BLUE);
	take_union(&u);
	sink = take_function(twice, n);
	sink = take_many(n, 2, 3, 4, 5, n + 6, n + 7, n + 8);
	sink = take_value(p, n + 9);
	take_words(words);
	sink = count_calls(n) + sum_up(n) + squares(n) + hidden(n) + keep_static(n);
	sink = use_square(n) + use_square_twice(n) + one_member(&p, n) + with_constant(n, 3);
	sink = (int)factorial(n) + own_variable(n) + variable_length(n + 1);
	name_of(n - 1);
#ifdef WITH_LIBRARY
	sink = library_scale(n, 3);
#endif
}

int main(int argc, char **argv)
{
	static char *words[] = {"first", "second", NULL};

	for (int n = 1; n <= 4; n++)
		call_all(n, words);
	return calls == 4 ? 0 : 1;
}
