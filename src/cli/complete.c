// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * complete.c - finds the words that can complete a value, by kind.
 *
 *	sonde help --complete event sched:sched_s      ─▶  sched:sched_stat_blocked …
 *
 * capture/kernel/words.h finds words of the kernel. Each other kind is a row of the table at the
 * end: a function that offers words to a filter, which prints those with the right beginning.
 */
#include "cli/complete.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "capture/kernel/words.h"
#include "capture/recipe.h"
#include "cli/as/personality.h"
#include "decode/handlers/plugin_options.h"
#include "query/shipped.h"

#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

struct wish {
	const char *prefix;
	size_t prefix_len;
};

static void print_word(void *ctx, const char *word)
{
	puts(word);
}

static void offer(const struct wish *w, const char *word)
{
	if (!strncmp(word, w->prefix, w->prefix_len))
		print_word(NULL, word);
}

static void offer_plugin_options(const struct wish *w)
{
	size_t n_rows;
	const struct plugin_option_row *rows = plugin_options_rows(&n_rows);

	for (size_t i = 0; i < n_rows; i++)
		offer(w, rows[i].name);
}

static void offer_recipes(const struct wish *w)
{
	offer(w, "list");
	offer(w, "show");
	for (const struct recipe_text *r = recipe_builtin; r->name; r++)
		offer(w, r->name);
}

static void offer_queries(const struct wish *w)
{
	offer(w, "list");
	for (const struct shipped_query *q = shipped_queries; q->name; q++)
		offer(w, q->name);
}

static void offer_pids(const struct wish *w)
{
	DIR *dir = opendir("/proc");

	for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
			offer(w, e->d_name);
	if (dir)
		closedir(dir);
}

static void offer_users(const struct wish *w)
{
	for (struct passwd *p = getpwent(); p; p = getpwent())
		offer(w, p->pw_name);
	endpwent();
}

static void offer_programs(const struct wish *w)
{
	for (const struct personality *p = personalities; p->name; p++)
		offer(w, p->name);
}

/* Offers the commands of another program that sonde can replace. */
static void offer_commands(const struct wish *w, const char *program)
{
	const struct personality *p = personality_find(program);
	const char *name, *summary;

	for (size_t i = 0; p && p->command(i, &name, &summary); i++)
		offer(w, name);
}

/* --- the table -------------------------------------------------------------------------------- */

static const struct kind_row {
	const char *name;
	void (*offer)(const struct wish *w);
} kinds[] = {
	{"plugin-option", offer_plugin_options},
	{"recipe", offer_recipes},
	{"query", offer_queries},
	{"pid", offer_pids},
	{"user", offer_users},
	{"as", offer_programs},
};

int complete_print(const char *kind, const char *prefix, struct errmsg *err)
{
	struct wish w = {.prefix = prefix, .prefix_len = strlen(prefix)};

	if (!strncmp(kind, "as/", 3)) {
		offer_commands(&w, kind + 3);
		return 0;
	}
	if (kernelwords_each(kind, prefix, print_word, NULL))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (strcmp(kinds[i].name, kind))
			continue;
		kinds[i].offer(&w);
		return 0;
	}
	return errmsg_set(err, -EINVAL, "help --complete: unknown kind '%s'", kind);
}
