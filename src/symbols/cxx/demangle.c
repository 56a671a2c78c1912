// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * demangle.c - C++ names, by the demangler of binutils and gdb (libiberty).
 *
 * libiberty prints a symbol with its parameters or without, and either text alone is not enough:
 *
 *	with          ns::Box::Box(int, char const*) [clone .isra.0]
 *	without       ns::Box::Box
 *
 * If the first begins with the second, the rest consists of parameters and suffix. The symbol
 * comes from a file that may be hostile: libiberty limits its recursion, and a long symbol is
 * refused here.
 */
#include "base/array.h"
#include "base/scope.h"
#include "symbols/cxx/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#define SYMBOL_BYTES 4096

/* A symbol, demangled with and without its parameters. */
struct demangled {
	char *whole, *name;
	const char *rest; /* the text after the name in whole: parameters, "const", "[clone …]" */
};

static void demangled_release(struct demangled *d)
{
	free(d->whole);
	free(d->name);
}

/*
 * Demangles a symbol without its version: "_ZSt4cout@GLIBCXX_3.4". The caller releases d, also
 * after a failure.
 */
static bool demangled_read(struct demangled *d, const char *symbol)
{
	char plain[SYMBOL_BYTES];
	size_t len = strcspn(symbol, "@");

	*d = (struct demangled){0};
	if (strncmp(symbol, "_Z", 2) || len >= sizeof(plain))
		return false;
	memcpy(plain, symbol, len);
	plain[len] = '\0';
	d->whole = cplus_demangle_v3(plain, DMGL_ANSI | DMGL_PARAMS | DMGL_RET_DROP);
	d->name = cplus_demangle_v3(plain, DMGL_ANSI);
	if (!d->whole || !d->name)
		return false;
	len = strlen(d->name);
	d->rest = strncmp(d->whole, d->name, len) ? "" : d->whole + len;
	return true;
}

/*
 * Names of Rust: _RNvCs…, or names of C++ that end with a hash, ::h0123456789abcdef, which is left
 * out. A suffix of the optimiser (.llvm.123) is not part of the name.
 */
static bool demangle_rust(const char *symbol, char *name, size_t n_bytes)
{
	char plain[SYMBOL_BYTES];
	const char *suffix = strstr(symbol, ".llvm.");
	size_t len = suffix ? (size_t)(suffix - symbol) : strlen(symbol);
	SCOPED(scope_free) char *text = NULL;

	if ((strncmp(symbol, "_R", 2) && strncmp(symbol, "_ZN", 3)) || len >= sizeof(plain))
		return false;
	memcpy(plain, symbol, len);
	plain[len] = '\0';
	text = rust_demangle(plain, DMGL_NO_OPTS);
	return text && (size_t)snprintf(name, n_bytes, "%s", text) < n_bytes;
}

/*
 * The functions that construct and destroy what a source file defines outside of functions: they
 * are named by the first of its symbols.
 */
static bool demangle_initializer(const char *symbol, char *name, size_t n_bytes)
{
	static const char *const prefixes[] = {"_GLOBAL__sub_I_", "_GLOBAL__sub_D_"};

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		size_t len = strlen(prefixes[i]);

		if (strncmp(symbol, prefixes[i], len) || strncmp(symbol + len, "_Z", 2) ||
		    n_bytes <= len || !demangle(symbol + len, name + len, n_bytes - len))
			continue;
		memcpy(name, prefixes[i], len);
		return true;
	}
	return false;
}

bool demangle(const char *symbol, char *name, size_t n_bytes)
{
	struct demangled d;
	bool is_read;

	if (demangle_initializer(symbol, name, n_bytes))
		return true;
	if (demangle_rust(symbol, name, n_bytes))
		return true;
	is_read = demangled_read(&d, symbol);
	if (is_read) {
		const char *suffix = strstr(d.rest, " [clone ");

		is_read = (size_t)snprintf(name, n_bytes, "%s%s", d.name, suffix ? suffix : "") <
			  n_bytes;
	}
	demangled_release(&d);
	return is_read;
}

bool demangle_whole(const char *symbol, char *text, size_t n_bytes)
{
	SCOPED(scope_free)
	char *whole = strncmp(symbol, "_Z", 2) || strlen(symbol) >= SYMBOL_BYTES
			      ? NULL
			      : cplus_demangle_v3(symbol, DMGL_ANSI | DMGL_PARAMS);
	bool fits = whole && (size_t)snprintf(text, n_bytes, "%s", whole) < n_bytes;

	return fits;
}

/*
 * Returns the length of "(int, void (*)(char))" without the text after it, or 0 if no parenthesis
 * closes it.
 */
static size_t parameters_length(const char *s)
{
	int depth = 0;

	for (size_t i = 0; s[i]; i++) {
		depth += s[i] == '(' ? 1 : s[i] == ')' ? -1 : 0;
		if (!depth)
			return i + 1;
	}
	return 0;
}

bool demangle_parameters(const char *symbol, char *text, size_t n_bytes)
{
	struct demangled d;
	size_t len = demangled_read(&d, symbol) && d.rest[0] == '(' ? parameters_length(d.rest) : 0;
	bool fits = len && len - 2 < n_bytes;

	if (fits)
		snprintf(text, n_bytes, "%.*s", (int)len - 2, d.rest + 1);
	demangled_release(&d);
	return fits;
}
