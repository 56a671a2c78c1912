// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recipe_find.c - finds the text of a recipe by its name.
 *
 * A name is searched among the user's own files ($XDG_CONFIG_HOME/sonde/recipes, else ~/.config/…),
 * then among those in the program; a word with a slash or the ending .recipe is a path.
 */
#include "capture/recipe_find.h"

#include "base/errmsg.h"
#include "base/spelling.h"
#include "capture/recipe.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX_BYTES (1u << 17)

bool recipe_own_dir(char *buf, size_t n_bytes)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && *config)
		return snprintf(buf, n_bytes, "%s/sonde/recipes", config) < n_bytes;
	return home && *home && snprintf(buf, n_bytes, "%s/.config/sonde/recipes", home) < n_bytes;
}

char *recipe_read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(FILE_MAX_BYTES) : NULL;
	size_t n = text ? fread(text, 1, FILE_MAX_BYTES - 1, file) : 0;
	int code = file && ferror(file) ? EIO : errno;

	if (text)
		text[n] = 0;
	if (file)
		fclose(file);
	errno = code;
	return text;
}

static bool ends_in(const char *s, const char *ending)
{
	size_t len = strlen(s), n = strlen(ending);

	return len > n && !strcmp(s + len - n, ending);
}

static int refuse_name(const char *name, struct errmsg *err)
{
	struct spelling sp;

	spelling_init(&sp, name, strlen(name));
	for (const struct recipe_text *b = recipe_builtin; b->name; b++)
		spelling_add(&sp, b->name);
	return errmsg_set(err, -EINVAL,
			  "there is no recipe '%s'%s%s; 'sonde recipe list' lists them", name,
			  sp.nearest ? "; did you mean " : "", sp.nearest ? sp.nearest : "");
}

int recipe_find_text(const char *name, char **ret_text, char *where, size_t n_bytes,
		     struct errmsg *err)
{
	char dir[PATH_MAX];

	if (strchr(name, '/') || ends_in(name, RECIPE_ENDING)) {
		snprintf(where, n_bytes, "%s", name);
		*ret_text = recipe_read_text(name);
		return *ret_text ? 0 : errmsg_set_errno(err, -errno, "cannot read %s", name);
	}
	if (recipe_own_dir(dir, sizeof(dir)) &&
	    snprintf(where, n_bytes, "%s/%s%s", dir, name, RECIPE_ENDING) < n_bytes) {
		*ret_text = recipe_read_text(where);
		if (*ret_text)
			return 0;
	}
	for (const struct recipe_text *b = recipe_builtin; b->name; b++)
		if (!strcmp(b->name, name)) {
			snprintf(where, n_bytes, "the recipe %s", name);
			*ret_text = strdup(b->text);
			return *ret_text ? 0 : errmsg_set_errno(err, -ENOMEM, "cannot read it");
		}
	return refuse_name(name, err);
}
