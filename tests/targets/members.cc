// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * members.cc - a C++ program to probe: members named as its methods name them, base classes, references,
 * anonymous unions, strings, what the library wraps around pointers, and what a lambda took along.
 */
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#define NOINLINE __attribute__((noinline))

static int other = -1; /* hidden by a member */

struct Base {
	int inherited;
	int twice; /* hidden by the derived one's */
	virtual ~Base() {}
};

struct Middle : Base {
	short middle;
};

struct Second {
	long other;
};

class Thing : public Middle, public Second
{
      public:
	std::string name;
	union {
		int whole;
		unsigned char bytes[4];
	};
	struct {
		int inner;
	};
	unsigned flag : 3;
	int &number;
	const std::string &text;
	int twice;
	Thing *next;
	std::unique_ptr<int> owned;
	std::shared_ptr<Second> shared;
	std::vector<int> list;
	std::array<short, 3> fixed;
	static int made;

	Thing(int &n, const std::string &t) : number(n), text(t)
	{
		made++;
	}
	NOINLINE int work(int bonus);
	NOINLINE size_t strings(const Thing &o, std::string value, const std::string &ref,
				const std::string *ptr) const;
	NOINLINE int lambda(int by);
};

int Thing::made = 70;

int Thing::work(int bonus)
{
	std::printf("work inherited=%d middle=%d other=%ld whole=%d byte=%d inner=%d flag=%d "
		    "number=%d twice=%d made=%d bonus=%d\n",
		    inherited, middle, other, whole, bytes[1], inner, flag, number, twice, made,
		    bonus);
	std::printf("wrapped owned=%d shared=%ld second=%d third=%d name=%s next=%s text=%s\n",
		    *owned, shared->other, list[1], fixed[2], name.c_str(), next->name.c_str(),
		    text.c_str());
	return bonus + 1;
}

size_t Thing::strings(const Thing &o, std::string value, const std::string &ref,
		      const std::string *ptr) const
{
	std::printf("strings name=%s value=%s ref=%s ptr=%s number=%d\n", o.name.c_str(),
		    value.c_str(), ref.c_str(), ptr->c_str(), o.number);
	return value.size();
}

int Thing::lambda(int by)
{
	int taken = by * 5;
	auto go = [&taken, by](int extra) NOINLINE {
		std::printf("go taken=%d by=%d extra=%d\n", taken, by, extra);
		return taken + extra;
	};

	return go(by + 1) + inherited;
}

int main()
{
	int sum = other;

	for (int n = 1; n <= 3; n++) {
		std::string text = "text" + std::to_string(n);
		std::string longer = "longer-than-what-fits-into-it-" + std::to_string(n);
		int number = n * 11;
		Thing t(number, text);

		t.inherited = n;
		t.middle = n + 1;
		t.Second::other = n * 1000l;
		t.name = "name" + std::to_string(n);
		t.whole = n * 259;
		t.inner = n + 20;
		t.flag = n;
		t.twice = n + 30;
		t.Base::twice = n + 40;
		t.next = &t;
		t.owned = std::make_unique<int>(n * 7);
		t.shared = std::make_shared<Second>();
		t.shared->other = n * 13;
		t.list = {n, n * 2, n * 3};
		t.fixed = {{1, 2, (short)(n + 3)}};
		sum += t.work(n) + t.strings(t, longer, text, &longer) + t.lambda(n);
	}
	return sum == 0;
}
