// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * choice.c - parses a choice of system calls.
 *
 * Every word adds calls. A '!' at the beginning of the text inverts the whole. The result is a bit
 * for each number, which the BPF programs and the printers test. Other machines may lack a call, so
 * only a name that the first machine lacks is an error.
 */
#include "symbols/syscalls/choice.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "symbols/syscalls/sets.h"
#include "symbols/tables/syscalls.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define MACHINE_64_BIT 0x80000000u /* __AUDIT_ARCH_64BIT */

struct parsing {
	const struct syscall_table *table;
	bool may_lack, is_64;
	uint64_t *bits;
	struct errmsg *err;
};

static void add(const struct parsing *p, size_t nr)
{
	p->bits[nr / 64] |= UINT64_C(1) << nr % 64;
}

static size_t n_calls(const struct parsing *p)
{
	return !p->table				? 0
	       : p->table->n < SYSCALLCHOICE_WORDS * 64 ? p->table->n
							: SYSCALLCHOICE_WORDS * 64;
}

static int add_regex(const struct parsing *p, const char *pattern)
{
	regex_t re;

	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB))
		return errmsg_set(p->err, -EINVAL, "'%s' is not a regular expression", pattern);
	for (size_t i = 0; i < n_calls(p); i++)
		if (p->table->names[i] && !regexec(&re, p->table->names[i], 0, NULL, 0))
			add(p, i);
	regfree(&re);
	return 0;
}

static int add_set(const struct parsing *p, const char *name)
{
	unsigned bit = syscallset_find(name, strlen(name));

	if (!bit)
		return errmsg_set(p->err, -EINVAL,
				  "there is no set %%%s of system calls; the sets are those of "
				  "strace: %%file, %%network, %%process, %%desc, %%memory, "
				  "%%signal, %%ipc …",
				  name);
	for (size_t i = 0; i < n_calls(p); i++)
		if (p->table->names[i] && syscallsets_of(p->table->names[i]) & bit)
			add(p, i);
	return 0;
}

/* strace's sets from before they had a % */
static bool is_old_set(const char *word)
{
	static const char *const sets[] = {"file", "process", "network", "signal",
					   "ipc",  "desc",    "memory"};

	return ARRAY_ANY(ARRAY_LEN(sets), i, !strcmp(word, sets[i]));
}

static bool add_names(const struct parsing *p, const char *word)
{
	bool found = false;

	for (size_t i = 0; i < n_calls(p); i++)
		if (p->table->names[i] && !fnmatch(word, p->table->names[i], 0)) {
			add(p, i);
			found = true;
		}
	return found;
}

static int refuse(const struct parsing *p, const char *word)
{
	struct spelling sp;

	spelling_init(&sp, word, strlen(word));
	for (size_t i = 0; i < n_calls(p); i++)
		if (p->table->names[i])
			spelling_add(&sp, p->table->names[i]);
	if (sp.nearest)
		return errmsg_set(p->err, -EINVAL,
				  "there is no system call '%s'; did you mean '%s'?", word,
				  sp.nearest);
	return errmsg_set(p->err, -EINVAL, "there is no system call '%s'", word);
}

/*
 * open@64, all@32: only for that machine; there is no x32. Removes the suffix. Returns whether the
 * word is about this machine.
 */
static bool is_for_machine(const struct parsing *p, char *word)
{
	char *at = *word == '/' ? NULL : strrchr(word, '@');
	bool is_64 = at && !strcmp(at, "@64"), is_32 = at && !strcmp(at, "@32");

	if (!is_64 && !is_32 && !(at && !strcmp(at, "@x32")))
		return true;
	*at = 0;
	return is_64 ? p->is_64 : is_32 && !p->is_64;
}

static int add_word(const struct parsing *p, char *word)
{
	bool may_lack = *word == '?';

	word += may_lack;
	if (!is_for_machine(p, word))
		return 0;
	if (!strcmp(word, "all")) {
		memset(p->bits, 0xff, SYSCALLCHOICE_WORDS * sizeof(*p->bits));
		return 0;
	}
	if (!*word || !strcmp(word, "none"))
		return 0;
	if (*word == '/')
		return add_regex(p, word + 1);
	if (*word == '%')
		return add_set(p, word + 1);
	if (is_old_set(word))
		return add_set(p, word);
	if (isdigit((unsigned char)*word)) {
		unsigned long nr = strtoul(word, NULL, 0);

		if (nr >= SYSCALLCHOICE_WORDS * 64)
			return errmsg_set(p->err, -EINVAL, "there is no system call %s", word);
		add(p, nr);
		return 0;
	}
	return add_names(p, word) || may_lack || p->may_lack ? 0 : refuse(p, word);
}

int syscallchoice_parse(const char *text, uint32_t machine, bool may_lack,
			uint64_t bits[SYSCALLCHOICE_WORDS], struct errmsg *err)
{
	bool inverted = *text == '!';
	SCOPED(scope_free) char *copy = strdup(text + inverted);
	char *rest = copy, *word;
	struct parsing p = {syscalls_for_audit(machine), may_lack, machine & MACHINE_64_BIT, bits,
			    err};

	if (!copy)
		return errmsg_set_errno(err, -ENOMEM, "cannot choose system calls");
	memset(bits, 0, SYSCALLCHOICE_WORDS * sizeof(*bits));
	while ((word = strsep(&rest, ",")))
		TRY(add_word(&p, word));
	for (int i = 0; inverted && i < SYSCALLCHOICE_WORDS; i++)
		bits[i] = ~bits[i];
	return 0;
}
