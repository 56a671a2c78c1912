/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recipe_find.h - finds recipes: the user's own files, and those in the program. */
#ifndef SONDE_CAPTURE_RECIPE_FIND_H
#define SONDE_CAPTURE_RECIPE_FIND_H

#include <stdbool.h>
#include <stddef.h>

#define RECIPE_ENDING ".recipe"

struct errmsg;

/* Finds the user's directory of recipes. Returns false if there is none. */
bool recipe_own_dir(char *buf, size_t n_bytes);
/* Reads the whole file, which the caller frees. Returns NULL with errno. */
char *recipe_read_text(const char *path);
/* Finds the text of a recipe, which the caller frees, and its origin. */
int recipe_find_text(const char *name, char **ret_text, char *where, size_t n_bytes,
		     struct errmsg *err);

#endif
