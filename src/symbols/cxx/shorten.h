/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * shorten.h - names of C++ and Rust without template arguments and parameters.
 *
 *	std::map<int, std::less<int> >::operator[](int const&) const   ─▶   std::map::operator[]
 */
#ifndef SONDE_SYMBOLS_CXX_SHORTEN_H
#define SONDE_SYMBOLS_CXX_SHORTEN_H

#include <stddef.h>

/*
 * Removes "<…>" and "(…)" from a name of n bytes, in place, but not from operators. Returns the new
 * length; nothing is terminated.
 */
size_t shorten_brackets(char *name, size_t n);

/*
 * The same for people: nameless namespaces, "[clone …]" and what Rust implements for a type stay:
 * "<alloc::vec::Vec as core::ops::Drop>::drop". A name that would be empty stays as it is.
 */
size_t shorten_name(char *name, size_t n);

#endif
