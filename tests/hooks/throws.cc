// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * throws.cc - exceptions through hooked functions, for the suite: thrown, rethrown, through destructors.
 */
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#define OUTSIDE __attribute__((noinline, used))

namespace ns {
static int alive;

struct Guard {
	int n;
	OUTSIDE Guard(int i) : n(i) { alive++; }
	OUTSIDE ~Guard() { alive--; }
};

class Box {
	std::vector<int> list;

public:
	OUTSIDE void put(int n) { list.push_back(n); }
	OUTSIDE int get(size_t i) const { return list.at(i); }
	OUTSIDE virtual int size() const { return (int)list.size(); }
	virtual ~Box() = default;
};

OUTSIDE int dive(int n)
{
	Guard g(n);

	if (!n)
		throw std::runtime_error("bottom");
	return dive(n - 1) + 1;
}

OUTSIDE int rethrow(int n)
{
	Guard g(n);

	try {
		return dive(n);
	} catch (const std::exception &) {
		throw;
	}
}

template <typename T> OUTSIDE T twice(T x)
{
	return x + x;
}
} // namespace ns

int main()
{
	ns::Box box;
	int n_caught = 0;

	for (int i = 0; i < 300; i++) {
		try {
			ns::rethrow(i % 20);
		} catch (const std::runtime_error &e) {
			n_caught += std::string(e.what()) == "bottom";
		}
	}
	for (int i = 0; i < 10; i++)
		box.put(i * i);
	try {
		box.get(10);
	} catch (const std::out_of_range &) {
		n_caught += 1000;
	}
	printf("caught %d alive %d box %d %d twice %d %s\n", n_caught, ns::alive, box.get(3), box.size(),
	       ns::twice(21), ns::twice(std::string("ab")).c_str());
	return 4;
}
