/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * demangle.h - the C++ name behind a mangled symbol.
 *
 *	_ZNK2ns3Box3getEi   ─▶   ns::Box::get, and its parameters: int
 */
#ifndef SONDE_SYMBOLS_CXX_DEMANGLE_H
#define SONDE_SYMBOLS_CXX_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes the function's name with namespaces, classes and template arguments, without parameters
 * and return type. A suffix of the optimiser stays: "ns::work [clone .isra.0]", and the prefix of
 * a file's initializer: "_GLOBAL__sub_I_ns::work". Returns false if the symbol is not a mangled
 * name, or if the name does not fit into n_bytes.
 */
bool demangle(const char *symbol, char *name, size_t n_bytes);

/*
 * Writes all of it: with parameters, and the return type of a template. Returns false like
 * demangle().
 */
bool demangle_whole(const char *symbol, char *text, size_t n_bytes);

/*
 * Writes the types of the parameters, "int, char const*", or "" if there are none. Returns false
 * like demangle().
 */
bool demangle_parameters(const char *symbol, char *text, size_t n_bytes);

#endif
