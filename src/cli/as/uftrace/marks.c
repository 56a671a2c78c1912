// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * marks.c - events of programs (SDT), as `uftrace record -E` chooses them.
 *
 *	-E demo:.*  ─▶ notes of the program that match ─▶ sonde record -e 'uft_0=PROG:%demo:begun' …
 *
 * uftrace replaces the nop of a mark by an instruction that raises a signal. sonde lets the kernel
 * set probes, which needs root. As in uftrace, the provider must be the same, and the name is a
 * pattern if it has signs of one.
 */
#include "cli/as/uftrace/marks.h"

#include "base/errmsg.h"
#include "capture/user/elfview.h"
#include "cli/calls/uftexport.h"
#include "symbols/usdt.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

struct search {
	struct uft_marks *marks;
	const char *provider, *name;
	bool is_glob, is_plain;
	regex_t regex;
};

static bool matches(const struct search *s, const struct usdt_note *n)
{
	if (strcmp(s->provider, n->provider) != 0)
		return false;
	if (s->is_plain)
		return !strcmp(s->name, n->name);
	return s->is_glob ? !fnmatch(s->name, n->name, 0)
			  : !regexec(&s->regex, n->name, 0, NULL, 0);
}

static int take_note(void *ctx, const struct usdt_note *n)
{
	struct search *s = ctx;
	struct uft_marks *m = s->marks;
	char name[UFT_MARK_BYTES];

	if (!matches(s, n) || m->n == UFT_MARKS_MAX ||
	    snprintf(name, sizeof(name), "%s:%s", n->provider, n->name) >= (int)sizeof(name))
		return 0;
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->names[i], name))
			return 0;
	memcpy(m->names[m->n++], name, sizeof(name));
	return 0;
}

void uft_marks_add(struct uft_marks *m, const char *path, char *word, bool is_glob)
{
	char *colon = strchr(word, ':');
	struct search s = {.marks = m, .provider = word, .is_glob = is_glob};
	struct errmsg ignored = {0};
	struct elfview v = {0};

	if (!colon || elfview_open(&v, path, -1, &ignored) < 0)
		return;
	*colon = 0;
	s.name = colon + 1;
	s.is_plain = !strpbrk(s.name, is_glob ? "*?[" : ".?*+-^$|()[]{}");
	if (s.is_plain || is_glob || !regcomp(&s.regex, s.name, REG_EXTENDED | REG_NOSUB)) {
		usdt_parse(elfview_contents(&v, elfview_section(&v, ".note.stapsdt")), false, 8,
			   take_note, &s);
		if (!s.is_plain && !is_glob)
			regfree(&s.regex);
	}
	elfview_release(&v);
}

void uft_marks_fmt(const struct uft_marks *m, size_t i, const char *path, char *out, size_t size)
{
	snprintf(out, size, UFTEXPORT_MARK "=%s:%%%s", i, path, m->names[i]);
}
