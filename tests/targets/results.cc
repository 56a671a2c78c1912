// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * results.cc - functions whose results are in one register, in two, in registers for floating point numbers or in
 * memory; see results.py. p_round() has a name that begins like that of a probe.
 */
#include <cstdio>
#include <memory>

#define FUNCTION extern "C" __attribute__((noinline, used))
#define BODY	 asm volatile("")

struct double_long { double d; long l; };
struct long_double { long l; double d; };
struct floats { float f, g; };
struct float_int { float f; int i; };
struct doubles { double a, b; };
struct one { double d; };
struct longs { long a, b; };
struct int_long { int i; long l; };
struct __attribute__((packed)) packed { char c; long l; };
struct mixed { int i; float f; double d; };
union either { double d; long l; };
struct nested { one o; int i; };
struct large { long a, b, c; };
struct plain { long v; plain(long x) : v(x) {} };
struct copied { long v; copied(long x) : v(x) {} copied(const copied &o) : v(o.v) { BODY; } };
struct ended { long v; ~ended() { BODY; } };
struct kept { copied c; };

FUNCTION double_long r_double_long(long n) { BODY; return {1.5, n}; }
FUNCTION long_double r_long_double(long n) { BODY; return {n, 2.5}; }
FUNCTION floats r_floats(long n) { BODY; return {1, (float)n}; }
FUNCTION float_int r_float_int(long n) { BODY; return {(float)n, (int)n}; }
FUNCTION doubles r_doubles(long n) { BODY; return {1, (double)n}; }
FUNCTION one r_one(long n) { BODY; return {(double)n}; }
FUNCTION longs r_longs(long n) { BODY; return {n, n + 1}; }
FUNCTION int_long r_int_long(long n) { BODY; return {(int)n, n + 1}; }
FUNCTION packed r_packed(long n) { BODY; return {1, n}; }
FUNCTION mixed r_mixed(long n) { BODY; return {(int)n, (float)n + 1, 2}; }
FUNCTION either r_either(long n) { BODY; either e; e.l = n; return e; }
FUNCTION nested r_nested(long n) { BODY; return {{1}, (int)n}; }
FUNCTION large r_large(long n) { BODY; return {n, n + 1, n + 2}; }
FUNCTION plain r_plain(long n) { BODY; return plain(n); }
FUNCTION copied r_copied(long n) { BODY; return copied(n); }
FUNCTION ended r_ended(long n) { BODY; return {n}; }
FUNCTION kept r_kept(long n) { BODY; return {copied(n)}; }
FUNCTION std::unique_ptr<long> r_unique(long n) { BODY; return std::unique_ptr<long>(new long(n)); }
FUNCTION long p_round(long n) { BODY; return n; }

int main()
{
	for (long n = 100; n < 103; n++) {
		r_double_long(n), r_long_double(n), r_floats(n), r_float_int(n), r_doubles(n), r_one(n);
		r_longs(n), r_int_long(n), r_packed(n), r_mixed(n), r_either(n), r_nested(n), r_large(n);
		r_plain(n), r_copied(n), r_ended(n), r_kept(n), r_unique(n), p_round(n);
	}
	return 0;
}
