// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_definition.c - any text as the definition of a probe.
 *
 *	input:  the text; what follows a NUL is not looked at
 *
 * What is taken must have all its spans inside the text and no chain longer than promised; what is refused
 * must say why, with a caret.
 */
#include "base/errmsg.h"
#include "probe/definition/definition.h"

#include <stdlib.h>
#include <string.h>

static void check_span(struct span s, size_t len)
{
	if (s.at > len || s.len > len - s.at)
		abort();
}

static void check(const struct definition *d, size_t len)
{
	const struct span spans[] = {d->target_span, d->function_span, d->file_span,
				     d->line_span,   d->offset_span,   d->event_span,
				     d->return_span, d->filter_span,   d->rest_span};

	for (size_t i = 0; i < sizeof(spans) / sizeof(*spans); i++)
		check_span(spans[i], len);
	if (d->n_args > DEFINITION_MAX_ARGS)
		abort();
	for (size_t i = 0; i < d->n_args; i++) {
		unsigned depth = 0;

		check_span(d->args[i].span, len);
		check_span(d->args[i].type_span, len);
		if (!d->args[i].value)
			abort();
		for (const struct expression *e = d->args[i].value; e; e = e->left) {
			check_span(e->span, len);
			check_span(e->word, len);
			if (++depth > EXPRESSION_MAX_DEPTH)
				abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	char *text = malloc(n + 1);
	struct errmsg err = {0};
	struct definition *d;

	memcpy(text, input, n);
	text[n] = 0;
	definition_is_one(text);
	if (definition_parse(&d, text, &err) == 0) {
		check(d, strlen(text));
		definition_free(d);
	} else if (!err.code || !strchr(err.text, '^')) {
		abort(); /* refused without a reason */
	}
	free(text);
	return 0;
}
