/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signature.h - which of several C++ functions of one name is meant: "ns::Box::put(int)".
 */
#ifndef SONDE_SYMBOLS_CXX_SIGNATURE_H
#define SONDE_SYMBOLS_CXX_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * How many bytes of a function's name stand before its parameters: 12 of "ns::Box::put(int)"; all of it if it has none,
 * as in "Box::operator()".
 */
size_t signature_name_length(const char *name);

/*
 * Whether the parameters behind a name, "(const std::string&, int)", are those of a mangled symbol. Blanks, the place of
 * "const", namespaces that were left out and the usual names of the same type make no difference. False of what is
 * no symbol of C++.
 */
bool signature_fits(const char *parameters, const char *symbol);

/* "Pair<int, long>::get" has arguments of templates, which may be written in several ways. */
bool signature_is_template(const char *name);
/*
 * Whether they are the same name, or `want` is the end of `have` behind a "::". Blanks, arguments that are left out because
 * they are what everybody takes, and the usual names of the same type make no difference.
 */
bool signature_same_template(const char *have, const char *want);

/* "(int, char const*)", with the short names of texts and containers; false: it is no symbol of C++. */
bool signature_fmt(const char *symbol, char *text, size_t n_bytes);

#endif
