// SPDX-License-Identifier: GPL-2.0-or-later
/* C++: templates, operators, constructors, lambdas, the standard library. */
#include <vector>
#include <string>
#include <stdexcept>
#include <cstdio>
#include <map>
#include <memory>
#include <functional>
namespace ns
{
template <class T> struct Box {
	T v;
	Box(T x) : v(x)
	{
	}
	~Box()
	{
	}
	T get() const
	{
		return v;
	}
	Box operator+(const Box &o) const
	{
		return Box(v + o.v);
	}
	bool operator<(const Box &o) const
	{
		return v < o.v;
	}
	operator bool() const
	{
		return true;
	}
	T operator()(T a)
	{
		return a;
	}
	T operator[](int)
	{
		return v;
	}
	Box &operator<<(int)
	{
		return *this;
	}
};
template <class T> T twice(T x)
{
	return x + x;
}
} // namespace ns
struct Base {
	virtual ~Base()
	{
	}
	virtual int f(int x)
	{
		return x;
	}
};
struct Der : Base {
	int f(int x) override
	{
		return x + 1;
	}
};
static int sum(const std::vector<int> &v)
{
	int s = 0;
	for (size_t i = 0; i < v.size(); i++)
		s += v[i];
	return s;
}
static std::string cat(const std::string &a, std::string b)
{
	return a + b;
}
int main()
{
	ns::Box<int> a(1), b(2);
	ns::Box<int> c = a + b;
	(void)(a < b);
	c.get();
	(void)(bool)a;
	a(3);
	a[1];
	a << 2;
	ns::twice(2.5);
	ns::twice(std::string("x"));
	std::vector<int> v;
	v.push_back(1);
	v.push_back(2);
	sum(v);
	cat("hello", "world");
	Base *p = new Der;
	p->f(3);
	delete p;
	auto l = [](int x) { return x * 2; };
	l(4);
	std::function<int(int)> fn = l;
	fn(5);
	std::map<std::string, int> m;
	m["a"] = 1;
	auto up = std::make_unique<Der>();
	up->f(1);
	return 0;
}
