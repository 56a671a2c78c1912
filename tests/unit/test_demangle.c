// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_demangle.c - C++ names from symbols, and symbols that are none.
 */
#include "symbols/cxx/demangle.h"
#include "symbols/cxx/shorten.h"
#include "symbols/cxx/signature.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void expect(const char *symbol, const char *name)
{
	char have[1000];

	if (!demangle(symbol, have, sizeof(have)))
		snprintf(have, sizeof(have), "%s", symbol);
	assert_string_equal(have, name);
}

/* covers: D08 Q15 */
static void names(void **state)
{
	expect("_Z4workv", "work");
	expect("_ZN4work7recurse17h69c9f4d3df40a4d3E", "work::recurse"); /* Rust */
	expect("_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17h15691c655f7f0bfbE.llvm.54",
	       "std::rt::lang_start::{{closure}}");
	expect("_RNvNtCsjrHSEGnQ3l9_3std2rt19lang_start_internal", "std::rt::lang_start_internal");
	expect("_ZL4workv", "work");
	expect("_ZNK2ns3Box3getEi", "ns::Box::get");
	expect("_ZN2ns3BoxC1Ei", "ns::Box::Box");
	expect("_ZN2ns3BoxD0Ev", "ns::Box::~Box");
	expect("_ZNK2ns3BoxplERKS0_", "ns::Box::operator+");
	expect("_ZN3BoxcvbEv", "Box::operator bool");
	expect("_ZN3BoxnwEm", "Box::operator new");
	expect("_ZN12_GLOBAL__N_19concealedEl", "(anonymous namespace)::concealed");
	expect("_ZSt9terminatev", "std::terminate");
	expect("_ZNSs6appendEPKc", "std::string::append");
	expect("_ZNSsC1Ev",
	       "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::"
	       "basic_string");
	expect("_ZNK5boost6system14error_categoryB5cxx114nameEv",
	       "boost::system::error_category[abi:cxx11]::name");
	expect("_ZThn16_N1B4workEv", "non-virtual thunk to B::work()");
	expect("_ZN2ns4workEi.isra.0", "ns::work [clone .isra.0]");
	expect("_ZSt4cout@GLIBCXX_3.4", "std::cout");
	expect("_GLOBAL__sub_I__ZN2ns4workEi", "_GLOBAL__sub_I_ns::work");
	expect("_GLOBAL__sub_D__ZN2ns4workEi", "_GLOBAL__sub_D_ns::work");
	expect("_GLOBAL__sub_I_main", "_GLOBAL__sub_I_main");
	expect("_GLOBAL__sub_I__Zx", "_GLOBAL__sub_I__Zx");
}

/* covers: D08 Q15 */
static void templates(void **state)
{
	expect("_Z7largestIlET_S0_S0_", "largest<long>");
	expect("_ZN3BoxISt6vectorIiSaIiEEE3addERKS3_",
	       "Box<std::vector<int, std::allocator<int> > >::add");
	expect("_Z4workIPKcRA4_iPFivEEvT_T0_T1_", "work<char const*, int (&) [4], int (*)()>");
	expect("_Z4workILi5ELb1ELm7ELin3EEvv", "work<5, true, 7ul, -3>");
	expect("_Z4workILc65EEvv", "work<(char)65>");
	expect("_Z4workIJicEEvDpT_", "work<int, char>");
	expect("_Z4workIJEEvDpT_", "work<>");
	expect("_Z4workIXadL_Z5othervEEEvv", "work<&(other())>");
	expect("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
	       "std::operator<< <std::char_traits<char> >");
	expect("_Z4workIM3BoxFivEEvT_", "work<int (Box::*)()>");
}

/* covers: D08 Q15 */
static void what_is_local(void **state)
{
	expect("_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()");
	expect("_ZZN2ns4workEiENKUlicE0_clEic", "ns::work(int)::{lambda(int, char)#2}::operator()");
	expect("_ZZ4mainEN5local3runEv", "main::local::run");
	expect("_ZZ4workvE5count_1", "work()::count");
}

/* covers: Q15 */
static void what_is_none(void **state)
{
	static const char *const left[] = {
		"",	   "work",    "_Z",   "_Z4wor", "_Z9999999999999x",
		"_ZN",	   "_ZN3Box", "_ZNE", "_ZS_",	"_ZN3BoxIT_E3addEv",
		"_Z3putRK"};
	char name[4], deep[1000] = "_Z1fI";

	for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++)
		expect(left[i], left[i]);
	memset(deep + 5, 'P', 900);
	memcpy(deep + 905, "iEvv", 5);
	assert_false(demangle(deep, name, sizeof(name))); /* it does not fit, and ends */
	assert_false(demangle("_Z4workv", name, sizeof(name)));
}

static void expect_parameters(const char *symbol, const char *parameters)
{
	char have[1000];

	if (!demangle_parameters(symbol, have, sizeof(have)))
		snprintf(have, sizeof(have), "none");
	assert_string_equal(have, parameters);
}

/* covers: D08 Q15 */
static void parameters(void **state)
{
	expect_parameters("_Z4workv", "");
	expect_parameters("_ZNK2ns3Box3getEi", "int");
	expect_parameters("_ZN2ns3BoxC1EiPKc.isra.0", "int, char const*");
	expect_parameters("_Z7largestIlET_S0_S0_", "long, long");
	expect_parameters("_ZN3BoxISt6vectorIiSaIiEEE3addERKS3_",
			  "Box<std::vector<int, std::allocator<int> > > const&");
	expect_parameters("_Z4workPFivE", "int (*)()");
	expect_parameters("_ZSt4cout", "none");
	expect_parameters("work", "none");
	expect_parameters("_Z4work", "none");
}

#define TEXT "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"

/* covers: D08 Q15 */
static void choices(void **state)
{
	char text[200];

	assert_int_equal(signature_name_length("ns::Box::put(int)"), 12);
	assert_int_equal(signature_name_length("Box::operator()"), 15);
	assert_int_equal(signature_name_length("Box::operator()(int)"), 15);
	assert_int_equal(signature_name_length("work(int (*)(char))"), 4);
	assert_int_equal(signature_name_length("(anonymous namespace)::work"), 27);
	assert_int_equal(signature_name_length("work"), 4);
	assert_true(signature_fits("(int)", "_ZN2ns3Box3putEi"));
	assert_true(signature_fits("( int )", "_ZN2ns3Box3putEi"));
	assert_true(signature_fits("()", "_ZN2ns3Box3putEv"));
	assert_true(signature_fits("(void)", "_ZN2ns3Box3putEv"));
	assert_false(signature_fits("()", "_ZN2ns3Box3putEi"));
	assert_false(signature_fits("(long)", "_ZN2ns3Box3putEi"));
	assert_false(signature_fits("(int)", "put"));
	assert_true(signature_fits("(const char *, unsigned)", "_Z3putPKcj"));
	assert_true(signature_fits("(char const*,unsigned int)", "_Z3putPKcj"));
	assert_true(signature_fits("(size_t, uint8_t)", "_Z3putmh"));
	assert_true(signature_fits("(unsigned long int)", "_Z3putm"));
	assert_true(signature_fits("(const Box &)", "_Z3putRKN2ns3BoxE"));
	assert_true(signature_fits("(ns::Box const&)", "_Z3putRKN2ns3BoxE"));
	assert_false(signature_fits("(Box &)", "_Z3putRKN2ns3BoxE"));
	assert_true(signature_fits("(std::string, int)", "_Z3put" TEXT "i"));
	assert_true(signature_fits("(const std::string &)", "_Z3putRK" TEXT));
	assert_true(signature_fits("(string const&)", "_Z3putRK" TEXT));
	assert_true(signature_fits("(std::vector<int>&)", "_Z3putRSt6vectorIiSaIiEE"));
	assert_true(signature_fits("(const std::vector<const char *> &)",
				   "_Z3putRKSt6vectorIPKcSaIS1_EE"));
	assert_true(signature_fmt("_Z3putRK" TEXT "PKc", text, sizeof(text)));
	assert_string_equal(text, "(std::string const&, char const*)");
	assert_true(signature_fmt("_Z3putRSt6vectorIiSaIiEE", text, sizeof(text)));
	assert_string_equal(text, "(std::vector<int>&)");
}

static void expect_short(const char *name, const char *wanted)
{
	char text[300];

	snprintf(text, sizeof(text), "%s", name);
	text[shorten_name(text, strlen(text))] = 0;
	assert_string_equal(text, wanted);
}

/* covers: D08 Q15 */
static void short_names(void **state)
{
	expect_short("work", "work");
	expect_short("", "");
	expect_short("std::map<int, std::less<int> >::operator[]", "std::map::operator[]");
	expect_short("std::vector<int>::push_back(int&&) const", "std::vector::push_back");
	expect_short("ns::Box<(char)60>::operator<", "ns::Box::operator<");
	expect_short("std::operator<< <std::char_traits<char> >", "std::operator<<");
	expect_short("Box<int>::operator()", "Box::operator()");
	expect_short("Box<int>::operator->", "Box::operator->");
	expect_short("(anonymous namespace)::Box<int>::get", "(anonymous namespace)::Box::get");
	expect_short("f<int>(int)::{lambda(int)#1}::operator()", "f::{lambda#1}::operator()");
	expect_short("ns::work<int> [clone .isra.0]", "ns::work [clone .isra.0]");
	expect_short("core::ptr::drop_in_place<alloc::string::String>", "core::ptr::drop_in_place");
	expect_short("<alloc::vec::Vec<T> as core::ops::Drop>::drop",
		     "<alloc::vec::Vec as core::ops::Drop>::drop");
	expect_short("main::apply::<fn(u8) -> u8>", "main::apply");
	expect_short("<(", "<");
	expect_short("(f)", "(f)");
	expect_short(">>", ">>");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),	 cmocka_unit_test(templates),
		cmocka_unit_test(what_is_local), cmocka_unit_test(what_is_none),
		cmocka_unit_test(parameters),	 cmocka_unit_test(choices),
		cmocka_unit_test(short_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
