// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shapes.cc - a C++ program to probe: methods, namespaces, templates, references, base classes.
 */
#include <cstdio>

#define NOINLINE __attribute__((noinline))

static volatile int sink;

namespace ns
{

struct Base {
	int inherited;
};

class Box : public Base
{
      public:
	NOINLINE Box(int first);
	NOINLINE int get(int bonus) const;
	NOINLINE void set(int value);
	NOINLINE static int scale(int by);
	NOINLINE Box operator+(const Box &other) const;
	inline int peek(int depth) const
	{
		int seen = held + depth;

		sink = seen;
		std::printf("peek depth=%d seen=%d\n", depth, seen); /* P: depth seen */
		return seen;
	}

      private:
	int held;
	static int made;
};

int Box::made;

Box::Box(int first) : held(first)
{
	inherited = first * 100;
	made++;
}

int Box::get(int bonus) const
{
	std::printf("get held=%d inherited=%d bonus=%d\n", held, inherited, bonus);
	return held + bonus;
}

void Box::set(int value)
{
	std::printf("set value=%d\n", value);
	held = value;
}

int Box::scale(int by)
{
	std::printf("scale by=%d\n", by);
	return by * made;
}

Box Box::operator+(const Box &other) const
{
	return Box(held + other.held);
}

namespace deep
{
NOINLINE int twin(int a)
{
	std::printf("twin a=%d\n", a);
	return a * 2;
}
} // namespace deep

int counter = 40;

} // namespace ns

namespace
{
NOINLINE int concealed(long key)
{
	std::printf("concealed key=%ld\n", key);
	return (int)key + 1;
}
} // namespace

template <typename T> NOINLINE T largest(T one, T two)
{
	std::printf("largest one=%d two=%d\n", (int)one, (int)two);
	return one > two ? one : two;
}

NOINLINE int by_reference(const ns::Box &box, int &out)
{
	std::printf("by_reference inherited=%d out=%d\n", box.inherited, out);
	out++;
	return out;
}

NOINLINE int overloaded(int x)
{
	return x + 1;
}

NOINLINE int overloaded(int x, int y)
{
	return x + y;
}

int main()
{
	for (int n = 1; n <= 3; n++) {
		ns::Box a(n), b(n * 2);
		int out = n + 5;
		auto lambda = [&](int extra) { return out + extra; };

		sink = a.get(n + 3);
		a.set(n * 4);
		sink = ns::Box::scale(n);
		sink = (a + b).peek(n);
		sink = ns::deep::twin(n) + concealed(n * 1000l) + largest(n, 2) +
		       largest(n, (int)2l);
		sink = (int)largest<long>(n, 3);
		sink = by_reference(a, out) + lambda(n) + overloaded(n) + overloaded(n, 1);
		ns::counter += n;
	}
	return 0;
}
