// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbols.c - looks up names in the kernel's list of symbols.
 *
 *	ffffffff81000000 T vfs_read
 *	ffffffffc0400000 t irqfd_inject	[kvm]
 *
 * The list shows whether a symbol exists, where it begins, and where the next one begins. Without
 * permission, addresses read as zeros, and some kernels hide the list: then nothing is known, and
 * the kernel itself reports errors. The list is not sorted, as modules are at its end; each
 * look-up reads all of it (122 000 lines, some ms).
 */
#include "base/spelling.h"
#include "probe/resolve/resolve_int.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define CODE "tTwW"

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : NULL;
}

/* Returns "T vfs_read" of a line, or NULL. */
static const char *word_of(const char *line)
{
	const char *word = strchr(line, ' ');

	return word && word[1] && word[2] == ' ' ? word + 1 : NULL;
}

size_t resolve_find_functions(const char *symbols, const char *name, size_t len, uint64_t *starts,
			      size_t max)
{
	size_t n = 0;

	for (const char *line = symbols; line && *line && n < max; line = next_line(line)) {
		const char *word = word_of(line);

		if (word && strchr(CODE, *word) && !strncmp(word + 2, name, len) &&
		    (!word[2 + len] || isspace((unsigned char)word[2 + len]))) {
			starts[n] = strtoull(line, NULL, 16);
			n += starts[n] != 0;
		}
	}
	return n;
}

uint64_t resolve_find_end(const char *symbols, uint64_t start)
{
	uint64_t end = UINT64_MAX;

	for (const char *line = symbols; line && *line; line = next_line(line)) {
		uint64_t at = strtoull(line, NULL, 16);

		if (at > start && at < end)
			end = at;
	}
	return end;
}

bool resolve_has_symbol(struct prober *p, const char *name, char nearest[SYMBOL_NAME_BYTES])
{
	const char *symbols = prober_list(p, PROBER_KALLSYMS);
	char names[2][SYMBOL_NAME_BYTES];
	unsigned spare = 0; /* spelling keeps the pointer */
	struct spelling sp;

	*nearest = 0;
	if (!symbols || !*symbols || prober_list_has(symbols, ' ', name, "\t\n"))
		return true;
	spelling_init(&sp, name, strlen(name));
	for (const char *line = symbols; line && *line; line = next_line(line)) {
		const char *word = word_of(line);

		if (!word || strchr(CODE, *word))
			continue;
		snprintf(names[spare], sizeof(names[spare]), "%.*s",
			 (int)strcspn(word + 2, "\t\n "), word + 2);
		spelling_add(&sp, names[spare]);
		spare ^= sp.nearest == names[spare];
	}
	snprintf(nearest, SYMBOL_NAME_BYTES, "%s", sp.nearest ? sp.nearest : "");
	return false;
}

int resolve_check_offset(struct resolution *r, const char *function)
{
	const char *symbols = prober_list(r->prober, PROBER_KALLSYMS);
	uint64_t starts[16], most = 0;
	size_t n = symbols ? resolve_find_functions(symbols, function, strlen(function), starts, 16)
			   : 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t n_bytes = resolve_find_end(symbols, starts[i]) - starts[i];

		most = n_bytes > most ? n_bytes : most;
	}
	if (!n || r->d->offset < most)
		return 0;
	return RESOLVE_REFUSE(r, r->d->offset_span, -EINVAL,
			      "this is beyond the end of %s, which has %llu bytes; an offset "
			      "counts bytes from the beginning of the function",
			      function, (unsigned long long)most);
}
