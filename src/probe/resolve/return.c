// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * return.c - which returns in programs must not be probed.
 *
 * While a call of such a function is under way, the kernel has an address of its own where the program's return address
 * was. Most programs never look there. Those that do:
 *
 *	dlsym, dlopen       find the library that called them, and search for that one
 *	setjmp, getcontext  keep the address, for a jump back to it when it means nothing any more
 *	Go                  moves stacks, and finds no function for the address
 *	swapcontext         another stack: the kernel knows only one, and ends the program (SIGILL)
 *	exceptions of C++   nobody catches what leaves the function
 *
 * The first three are refused; for the others, which may never come that way, there is a note.
 */
#include "probe/resolve/resolve_int.h"

#include <errno.h>
#include <string.h>

static bool is_libc(const char *path)
{
	static const char *const names[] = {"libc.so", "libc-", "libdl.so", "libdl-", "ld-"};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Why not; NULL: it can be. Names inside of the library have underscores in front. */
static const char *find_reason(const char *function)
{
	static const char calls[] = "looks at who called it, which is the kernel then, and the "
				    "program would not find its libraries";
	static const char keeps[] = "keeps its return address for later, and the program would "
				    "jump to one that is none";
	static const struct {
		const char *name, *why;
	} rows[] = {{"dlopen", calls},	   {"dlmopen", calls},	  {"dlsym", calls},
		    {"dlvsym", calls},	   {"setjmp", keeps},	  {"sigsetjmp", keeps},
		    {"getcontext", keeps}, {"swapcontext", keeps}};

	function += strspn(function, "_");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
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
			"the return of %s cannot be probed: it %s; probe its entry, or "
			"the line behind its call",
			d->function, why);
	if (debuginfo_has_name(info, ".note.go.buildid"))
		return RESOLVE_REFUSE(r, d->function ? d->function_span : d->target_span,
				      -EOPNOTSUPP,
				      "%s is a Go program, which moves its stacks: a probed return "
				      "would end it; probe the entry, or lines",
				      path);
	if (debuginfo_has_name(info, "__gxx_personality_v0"))
		resolve_note(r,
			     "%s is C++: while a return is probed, an exception that leaves that "
			     "function is caught by nobody and ends the program",
			     path);
	if (!is_libc(path) && debuginfo_has_name(info, "swapcontext"))
		resolve_note(r,
			     "%s switches stacks (swapcontext): a return that is probed on "
			     "another stack than its call ends the program",
			     path);
	return 0;
}
