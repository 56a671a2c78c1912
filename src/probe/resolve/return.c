// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * return.c - refuses returns in programs that must not be probed.
 *
 * While a function with a return probe is active, its return address on the stack is replaced by
 * one of the kernel. Most programs never read it. These functions do:
 *
 *	dlsym, dlopen       find out which library called them, and search that one
 *	setjmp, getcontext  store the address for a later jump, when it is no longer valid
 *	Go                  moves stacks, and finds no function for the address
 *	swapcontext         another stack: the kernel knows only one, and kills the program (SIGILL)
 *	exceptions of C++   an exception that leaves the function is not caught
 *
 * The first three are refused. The others may never happen, so sonde only warns.
 */
#include "base/array.h"
#include "probe/resolve/resolve_int.h"
#include "symbols/dwarf/debuginfo.h"

#include <errno.h>
#include <string.h>

static bool is_libc(const char *path)
{
	static const char *const names[] = {"libc.so", "libc-", "libdl.so", "libdl-", "ld-"};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return ARRAY_ANY(ARRAY_LEN(names), i, !strncmp(name, names[i], strlen(names[i])));
}

/*
 * Returns the reason, or NULL if the function can be probed. Names inside the library begin with
 * underscores.
 */
static const char *find_reason(const char *function)
{
	static const char calls[] = "looks at its caller, which would be the kernel, so the "
				    "program would not find its libraries";
	static const char keeps[] = "stores its return address for later, so the program would "
				    "jump to an invalid address";
	static const struct {
		const char *name, *why;
	} rows[] = {{"dlopen", calls},	   {"dlmopen", calls},	  {"dlsym", calls},
		    {"dlvsym", calls},	   {"setjmp", keeps},	  {"sigsetjmp", keeps},
		    {"getcontext", keeps}, {"swapcontext", keeps}};

	function += strspn(function, "_");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!strcmp(function, rows[i].name))
			return rows[i].why;
	return NULL;
}

int resolve_check_return(struct resolution *r, const char *path, struct debuginfo *info)
{
	const struct definition *d = r->d;
	const char *why = d->function && is_libc(path) ? find_reason(d->function) : NULL;

	if (why)
		return RESOLVE_REFUSE(
			r, d->function_span, -EOPNOTSUPP,
			"cannot probe the return of %s: it %s; probe its entry, or the line "
			"after its call",
			d->function, why);
	if (debuginfo_has_name(info, ".note.go.buildid"))
		return RESOLVE_REFUSE(r, d->function ? d->function_span : d->target_span,
				      -EOPNOTSUPP,
				      "%s is a Go program, which moves its stacks: a probed "
				      "return would kill it; probe the entry, or lines",
				      path);
	if (debuginfo_has_name(info, "__gxx_personality_v0"))
		resolve_note(r,
			     "%s is C++: if a return is probed, an exception that leaves that "
			     "function is not caught and ends the program",
			     path);
	if (!is_libc(path) && debuginfo_has_name(info, "swapcontext"))
		resolve_note(r,
			     "%s switches stacks (swapcontext): a probed return on another "
			     "stack than its call ends the program",
			     path);
	return 0;
}
