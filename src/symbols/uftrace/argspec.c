// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * argspec.c - parses "arg1/s" and the like, and measures recorded values.
 *
 *	(arg|fparg)N [/FORMAT[BITS][:TYPE]] [%REGISTER | %stack+N]
 *	retval       [/FORMAT[BITS][:TYPE]]
 *
 * Where a value was found (%RDI) identifies it: of two values from the same place only one was
 * recorded.
 */
#include "symbols/uftrace/argspec.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char uft_arg_letters[] = "diuxoscfSpet";

bool uft_arg_is_spec(const char *word)
{
	return (!strncmp(word, "arg", 3) && isdigit((unsigned char)word[3])) ||
	       (!strncmp(word, "fparg", 5) && isdigit((unsigned char)word[5])) ||
	       !strncmp(word, "retval", 6);
}

/* The type behind a colon, up to a register. */
static const char *parse_type(const char *s, struct arena *a)
{
	return *s == ':' ? arena_strndup(a, s + 1, strcspn(s + 1, "%")) : NULL;
}

/* What follows the slash: "s", "i32", "e:colour", "t40:big", "64" (of fparg). */
static bool parse_format(const char *s, struct arena *a, struct uft_arg *arg)
{
	const char *letter = *s && !isdigit((unsigned char)*s) ? strchr(uft_arg_letters, *s) : NULL;
	unsigned long bits;
	char *end;

	if (letter) {
		arg->format = (enum uft_arg_format)(letter - uft_arg_letters);
		s++;
	} else if (!isdigit((unsigned char)*s)) {
		return false;
	}
	if (arg->format == UFT_ARG_CHAR)
		arg->size = 1;
	bits = strtoul(s, &end, 10);
	if (arg->format == UFT_ARG_STRUCT)
		arg->size = bits < 65536 ? (uint32_t)bits : 0;
	else if (end > s && bits >= 8 && bits <= 128)
		arg->size = (uint32_t)bits / 8;
	arg->type_name = parse_type(end, a);
	return true;
}

bool uft_arg_parse(const char *word, struct arena *a, struct uft_arg *ret)
{
	char *end = (char *)word + 6;
	const char *slash, *place = strchr(word, '%');

	if (!uft_arg_is_spec(word))
		return false;
	*ret = (struct uft_arg){.size = 8};
	if (place)
		ret->place = arena_strndup(a, place + 1, strlen(place + 1));
	if (word[0] == 'f')
		ret->is_float = true;
	if (word[0] != 'r')
		ret->number = (int)strtol(word + (ret->is_float ? 5 : 3), &end, 10);
	if (ret->is_float)
		ret->format = UFT_ARG_FLOAT;
	slash = *end == '/' ? end + 1 : NULL;
	return !slash || parse_format(slash, a, ret);
}

/* Are both the same value of a function? */
static bool is_same(const struct uft_arg *a, const struct uft_arg *b)
{
	if ((a->number == UFT_ARG_RETVAL) != (b->number == UFT_ARG_RETVAL) ||
	    !a->place != !b->place)
		return false;
	if (a->place)
		return !strcmp(a->place, b->place);
	return a->number == b->number && a->is_float == b->is_float;
}

int uft_arg_add(struct uft_arg **list, struct arena *a, const struct uft_arg *arg)
{
	struct uft_arg *copy, **at = list;

	for (; *at; at = &(*at)->next) {
		struct uft_arg *old = *at;

		if (!is_same(old, arg))
			continue;
		/* what was said about this function wins over patterns and guesses */
		if ((old->is_exact && !arg->is_exact) || (!old->is_auto && arg->is_auto))
			return 0;
		*at = old->next;
		break;
	}
	while (*at)
		at = &(*at)->next;
	copy = arena_alloc(a, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = *arg;
	copy->next = NULL;
	*at = copy;
	return 0;
}

bool uft_args_length(const struct uft_arg *list, bool is_retval, const uint8_t *data,
		     size_t n_bytes, size_t *ret)
{
	size_t len = 0;

	for (; list; list = list->next) {
		size_t size = list->size;

		if (is_retval != (list->number == UFT_ARG_RETVAL))
			continue;
		if (list->format == UFT_ARG_STRING || list->format == UFT_ARG_STD_STRING) {
			uint16_t n;

			if (n_bytes < len + 2)
				return false;
			memcpy(&n, data + len, 2);
			size = 2u + n;
		}
		len = (len + size + 3) & ~(size_t)3;
		if (len > n_bytes)
			return false;
	}
	*ret = len;
	return true;
}
