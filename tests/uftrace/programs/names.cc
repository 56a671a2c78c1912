// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of all kinds: nameless namespaces, templates, lambdas, operators, tags, thunks; see check_names() of suite. */
#include <string>
#include <vector>
#include <map>
#include <functional>
#include <memory>
#include <iostream>
#include <algorithm>
#include <sstream>
#include <thread>
#include <regex>
namespace
{
struct Hidden {
	int v;
	Hidden(int n) : v(n)
	{
	}
	~Hidden()
	{
	}
	int get() const
	{
		return v;
	}
	template <class T> T cast(T t)
	{
		return t + v;
	}
	operator int()
	{
		return v;
	}
	bool operator==(const Hidden &o) const
	{
		return v == o.v;
	}
	static int made()
	{
		return 3;
	}
};
int hidden(int n)
{
	return n * 2;
}
template <class T> T twice(T t)
{
	return t + t;
}
namespace inner
{
int deep()
{
	return 5;
}
} // namespace inner
enum E { A };
void take(E)
{
}
template <class T> struct Box {
	T t;
	Box(T x) : t(x)
	{
	}
	T operator()(T y)
	{
		return t + y;
	}
	T operator[](int)
	{
		return t;
	}
	template <class U> U conv(U u)
	{
		return u;
	}
	Box &operator++()
	{
		return *this;
	}
	friend bool operator<(const Box &a, const Box &b)
	{
		return a.t < b.t;
	}
};
} // namespace
namespace ns
{
namespace
{
int f()
{
	return 1;
}
} // namespace
template <int N> struct Arr {
	int a[N];
	int sum()
	{
		int s = 0;
		for (int x : a)
			s += x;
		return s;
	}
};
template <class... T> int count(T... t)
{
	return sizeof...(t);
}
inline namespace v1
{
int ver()
{
	return 1;
}
} // namespace v1
struct Base {
	virtual ~Base()
	{
	}
	virtual int go()
	{
		return 1;
	}
};
struct L : virtual Base {
	int go() override
	{
		return 2;
	}
};
struct R : virtual Base {
};
struct D : L, R {
	int go() override
	{
		return 3;
	}
};
} // namespace ns
int operator"" _km(unsigned long long n)
{
	return n;
}
struct Out {
};
std::ostream &operator<<(std::ostream &o, const Out &)
{
	return o << "out";
}
template <class F> int apply(F f)
{
	return f(3);
}
[[gnu::abi_tag("mine")]] int tagged()
{
	return 3;
}
struct __attribute__((abi_tag("zz"))) Tag {
	Tag()
	{
	}
	~Tag()
	{
	}
	int x()
	{
		return 1;
	}
};
static int local()
{
	struct In {
		int f()
		{
			return 4;
		}
		static int g()
		{
			return 5;
		}
	};
	auto l = [](int x) { return x + In::g(); };
	return In().f() + l(3) + apply([&](auto y) { return y + 1; });
}
std::function<int(int)> make()
{
	int k = 3;
	return [k](int x) { return x + k; };
}
int variadic(int n, ...)
{
	return n;
}
template <template <class, class> class C> int tt()
{
	return 1;
}
template <auto V> int nv()
{
	return V;
}
int (*fp(int))(int)
{
	return nullptr;
}
int Hidden2(const std::vector<std::map<std::string, int>> &v, int (*f)(int), int Hidden::*p)
{
	return v.size();
}
thread_local std::string tls = "x";
struct Conv {
	operator std::string() const
	{
		return "";
	}
	explicit operator bool() const
	{
		return true;
	}
	void *operator new(size_t n)
	{
		return ::operator new(n);
	}
	void operator delete(void *p)
	{
		::operator delete(p);
	}
	Conv operator,(Conv)
	{
		return *this;
	}
	Conv *operator->()
	{
		return this;
	}
	int operator->*(int)
	{
		return 1;
	}
	int operator()(int, int)
	{
		return 1;
	}
	int operator<=>(const Conv &) const = default;
};
struct Inh : Hidden {
	using Hidden::Hidden;
};
int main()
{
	Hidden h(3);
	h.get();
	h.cast(3.0);
	(int)h;
	h == h;
	Hidden::made();
	hidden(2);
	twice(2);
	twice(std::string("a"));
	inner::deep();
	take(A);
	Box<int> b(2);
	b(1);
	b[1];
	b.conv(2.0);
	++b;
	b < b;
	ns::f();
	ns::Arr<3> a{};
	a.sum();
	ns::count(1, 2.0, "x");
	ns::ver();
	ns::D d;
	d.go();
	ns::Base *p = &d;
	p->go();
	3_km;
	std::ostringstream o;
	o << Out();
	tagged();
	Tag t;
	t.x();
	local();
	make()(3);
	variadic(1, 2);
	nv<3>();
	nv<'c'>();
	tt<std::vector>();
	fp(1);
	std::vector<std::map<std::string, int>> v(1);
	Hidden2(v, nullptr, nullptr);
	std::sort(v.begin(), v.end());
	Conv c;
	std::string s = c;
	(bool)c;
	delete new Conv;
	(c, c);
	c->operator->();
	c->*1;
	c(1, 2);
	Inh i(4);
	std::thread th([] {});
	th.join();
	std::regex re("a+b");
	std::regex_match("aab", re);
	std::shared_ptr<Hidden> sp = std::make_shared<Hidden>(3);
	std::map<std::string, std::vector<Hidden>> m;
	m["a"].emplace_back(3);
	tls.size();
	return 0;
}
