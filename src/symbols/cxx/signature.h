/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signature.h - selects one of several C++ functions of the same name: "ns::Box::put(int)".
 */
#ifndef SONDE_SYMBOLS_CXX_SIGNATURE_H
#define SONDE_SYMBOLS_CXX_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The length of a function's name before its parameters: 12 for "ns::Box::put(int)"; all of it
 * without parameters, as in "Box::operator()".
 */
size_t signature_name_length(const char *name);

/*
 * Do the parameters after a name, "(const std::string&, int)", match those of a mangled symbol?
 * Blanks, the position of "const", omitted namespaces and the usual names of the same type make no
 * difference. Returns false if it is not a C++ symbol.
 */
bool signature_fits(const char *parameters, const char *symbol);

/* "Pair<int, long>::get" has template arguments, which may be written in several ways. */
bool signature_is_template(const char *name);
/*
 * Are they the same name, or is `want` the end of `have` after a "::"? Blanks, omitted default
 * arguments, and the usual names of the same type make no difference.
 */
bool signature_same_template(const char *have, const char *want);

/* "(int, char const*)", with the short names of texts and containers; false: not a C++ symbol. */
bool signature_fmt(const char *symbol, char *text, size_t n_bytes);

#endif
