/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * token.h - the secret in the viewer's address, from a file.
 */
#ifndef SONDE_VIEW_SERVE_TOKEN_H
#define SONDE_VIEW_SERVE_TOKEN_H

struct errmsg;

#define TOKEN_BYTES 128 /* longer than any valid token */

/*
 * Takes the token of --token or --token-file; if both are NULL, an empty one. Overwrites the word
 * with x, so that the arguments of processes that start later do not show it.
 */
int token_take(char *word, const char *path, char token[TOKEN_BYTES], struct errmsg *err);

#endif
