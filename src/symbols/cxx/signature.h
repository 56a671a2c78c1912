/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * signature.h - selects one of several C++ functions of the same name: "ns::Box::put(int)".
 */
#ifndef SONDE_SYMBOLS_CXX_SIGNATURE_H
#define SONDE_SYMBOLS_CXX_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the length of a function's name before its parameters: 12 for "ns::Box::put(int)".
 * Without parameters, as in "Box::operator()", this is the whole length.
 */
size_t signature_name_length(const char *name);

/*
 * Returns true if the parameters after a name, "(const std::string&, int)", match those of a
 * mangled symbol. Blanks, the position of "const", omitted namespaces and the usual names of the
 * same type make no difference. Returns false if it is not a C++ symbol.
 */
bool signature_fits(const char *parameters, const char *symbol);

/*
 * Returns true for a name with template arguments, "Pair<int, long>::get", which can be written in
 * several ways.
 */
bool signature_is_template(const char *name);
/*
 * Returns true if both names are equal, or if `want` is the end of `have` after a "::". Blanks,
 * omitted default arguments, and the usual names of the same type make no difference.
 */
bool signature_same_template(const char *have, const char *want);

/*
 * Writes "(int, char const*)", with the short names of texts and containers. Returns false if it is
 * not a C++ symbol.
 */
bool signature_fmt(const char *symbol, char *text, size_t n_bytes);

#endif
