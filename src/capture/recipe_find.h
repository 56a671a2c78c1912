/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recipe_find.h - where recipes are: the user's own files, and those in the program.
 */
#ifndef SONDE_CAPTURE_RECIPE_FIND_H
#define SONDE_CAPTURE_RECIPE_FIND_H

#include <stdbool.h>
#include <stddef.h>

#define RECIPE_ENDING ".recipe"

struct errmsg;

/* The user's directory of recipes; false: there is none. */
bool recipe_own_dir(char *buf, size_t n_bytes);
/* The whole file, to be freed; NULL with errno. */
char *recipe_read_text(const char *path);
/* The text of a recipe, to be freed, and where it is from. */
int recipe_find_text(const char *name, char **ret_text, char *where, size_t n_bytes,
		     struct errmsg *err);

#endif
