/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle.h - the names of C++ behind the symbols of its compilers.
 *
 *	_ZNK2ns3Box3getEi   ─▶   ns::Box::get, and its parameters: int
 */
#ifndef SONDE_SYMBOLS_CXX_DEMANGLE_H
#define SONDE_SYMBOLS_CXX_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The function's name with namespaces, classes and template arguments, without parameters and result; what the
 * optimiser put behind it is kept: "ns::work [clone .isra.0]". False: it is no such symbol, it has a form that is
 * not known here, or n_bytes are too few.
 */
bool demangle(const char *symbol, char *name, size_t n_bytes);

/* The types of its parameters, "int, char const*", "" without any; false as above. */
bool demangle_parameters(const char *symbol, char *text, size_t n_bytes);

#endif
