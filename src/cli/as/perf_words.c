// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_words.c - perf's rules for options that getopt does not have, its usage text, and its error
 * messages.
 *
 *	-F [FILTER]          an optional value may be the next word, unless that begins with '-'
 *	-a X -d Y            some options exclude each other
 *	PROBEDEF -q          the first word that is no option ends the options, but
 *	SYMBOL -n            not those of report, annotate and diff
 *
 * This code processes the words before options_parse() applies them: it joins optional values to
 * their options (-F X becomes -FX), and reports errors with perf's messages. With an error, perf
 * shows only the rows of the options concerned, or all rows for an unknown option:
 *
 *	 Error: switch `d' cannot be used with switch `a'
 *	 Usage: perf probe [<options>] 'PROBEDEF' ['PROBEDEF' ...]
 *
 *	    -d, --del <[GROUP:]EVENT>
 *	                          delete a probe event.
 */
#include "cli/as/perf_words.h"

#include "base/scope.h"

#include <stdlib.h>
#include <string.h>

#define OPTION_WIDTH 24 /* width of the first column */
#define GAP	     2

struct walk {
	const struct perf_usage *u;
	struct perf_words *out;
	char **argv;
	int argc, i;
	const struct option_row *exclusive; /* the first of the exclusive options */
};

/* --- usage ------------------------------------------------------------------------------------ */

static void print_row(const struct option_row *row, FILE *to)
{
	char text[200];
	int len = 0;

	if (row->letter && !row->name)
		len = snprintf(text, sizeof(text), "    -%c", row->letter);
	else if (row->letter)
		len = snprintf(text, sizeof(text), "    -%c, --%s", row->letter, row->name);
	else
		len = snprintf(text, sizeof(text), "        --%s", row->name);
	if (row->arg)
		len += snprintf(text + len, sizeof(text) - len, " <%s>", row->arg);
	fputs(text, to);
	if (len <= OPTION_WIDTH)
		fprintf(to, "%*s%s\n", OPTION_WIDTH + GAP - len, "", row->help);
	else
		fprintf(to, "\n%*s%s\n", OPTION_WIDTH + GAP, "", row->help);
}

static void print_lines(const struct perf_usage *u, FILE *to)
{
	for (size_t i = 0; u->lines[i]; i++)
		fprintf(to, "%s %s\n", i ? "    or:" : " Usage:", u->lines[i]);
	fputc('\n', to);
}

void perf_usage_print(const struct perf_usage *u, const char *letters, FILE *to)
{
	fputc('\n', to);
	print_lines(u, to);
	for (const char *l = letters ? letters : ""; *l; l++)
		for (const struct option_row *row = u->rows; row->kind != OPTION_END; row++)
			if (row->letter == *l)
				print_row(row, to);
	for (const struct option_row *row = u->rows; !letters && row->kind != OPTION_END; row++)
		if (!row->hidden)
			print_row(row, to);
	if (!letters)
		fputc('\n', to);
}

/* --- complaints ------------------------------------------------------------------------------- */

static void name_option(const struct option_row *row, bool by_letter, char *text, size_t n_bytes)
{
	if (by_letter)
		snprintf(text, n_bytes, "switch `%c'", row->letter);
	else
		snprintf(text, n_bytes, "option `%s'", row->name);
}

/* Prints an error about one option, or about two of them. */
static bool refuse(const struct walk *w, const struct option_row *row, bool by_letter,
		   const char *what, const struct option_row *other)
{
	char name[80];

	name_option(row, by_letter, name, sizeof(name));
	fprintf(stderr, " Error: %s %s", name, what);
	if (other && by_letter)
		fprintf(stderr, " switch `%c'", other->letter);
	else if (other)
		fprintf(stderr, " %s", other->name);
	fputc('\n', stderr);
	print_lines(w->u, stderr);
	if (by_letter || (!other && row->letter)) /* perf finds rows by letters */
		print_row(row, stderr);
	if (other)
		print_row(other, stderr);
	return false;
}

static bool refuse_unknown(const struct walk *w, const char *kind, const char *word, size_t len)
{
	fprintf(stderr, "  Error: unknown %s `%.*s'\n", kind, (int)len, word);
	perf_usage_print(w->u, NULL, stderr);
	return false;
}

/* --- words ------------------------------------------------------------------------------------ */

static bool keep(struct walk *w, char *word)
{
	w->out->argv[w->out->argc++] = word;
	return true;
}

static bool keep_joined(struct walk *w, const char *option, const char *sep, const char *value)
{
	size_t n = strlen(option) + strlen(sep) + strlen(value) + 1;
	char *word = malloc(n);

	if (!word)
		return false;
	snprintf(word, n, "%s%s%s", option, sep, value);
	w->out->owned[w->out->n_owned++] = word;
	return keep(w, word);
}

static bool check_number(const struct walk *w, const struct option_row *row, const char *value)
{
	char *end;

	if (row->kind != OPTION_NUMBER)
		return true;
	strtol(value, &end, 10);
	return (*value && !*end) || refuse(w, row, false, "expects a numerical value", NULL);
}

static bool check_exclusive(struct walk *w, const struct option_row *row, bool by_letter)
{
	if (!row->letter || !strchr(w->u->exclusive, row->letter))
		return true;
	if (w->exclusive && w->exclusive != row)
		return refuse(w, row, by_letter, "cannot be used with", w->exclusive);
	w->exclusive = row;
	return true;
}

/* Takes an option. Its word is argv[i]; attached is its value, if that is part of the word. */
static bool take_option(struct walk *w, const struct option_row *row, bool by_letter,
			const char *attached)
{
	char *word = w->argv[w->i], *next = w->i + 1 < w->argc ? w->argv[w->i + 1] : NULL;

	if (!check_exclusive(w, row, by_letter))
		return false;
	if (!row->arg)
		return keep(w, word);
	if (attached)
		return check_number(w, row, attached) && keep(w, word);
	if (row->arg_optional) {
		if (!next || *next == '-')
			return keep(w, word);
		w->i++;
		return keep_joined(w, word, by_letter ? "" : "=", next);
	}
	if (!next)
		return refuse(w, row, by_letter, "requires a value", NULL);
	w->i++;
	return check_number(w, row, next) && keep(w, word) && keep(w, next);
}

static bool take_long(struct walk *w, const char *name)
{
	const struct option_row *found = NULL, *second = NULL;
	size_t len = strcspn(name, "=");

	for (const struct option_row *row = w->u->rows; row->kind != OPTION_END; row++) {
		if (!row->name || strncmp(row->name, name, len))
			continue;
		if (!row->name[len]) {
			found = row;
			second = NULL;
			break;
		}
		second = second ? second : found ? row : NULL;
		found = found ? found : row;
	}
	if (!found)
		return refuse_unknown(w, "option", name, len);
	if (second) {
		fprintf(stderr, " Error: Ambiguous option: %.*s (could be --%s or --%s)\n",
			(int)len, name, found->name, second->name);
		perf_usage_print(w->u, NULL, stderr);
		return false;
	}
	return take_option(w, found, false, name[len] ? name + len + 1 : NULL);
}

static bool take_letters(struct walk *w, const char *letters)
{
	for (const char *l = letters; *l; l++) {
		const struct option_row *row = w->u->rows;

		if (*l == 'h') {
			w->out->wants_help = true;
			return true;
		}
		while (row->kind != OPTION_END && row->letter != *l)
			row++;
		if (row->kind == OPTION_END)
			return refuse_unknown(w, "switch", l, 1);
		if (row->arg || !l[1])
			return take_option(w, row, true, l[1] ? l + 1 : NULL);
		if (!check_exclusive(w, row, true))
			return false;
	}
	return true;
}

bool perf_words_take(struct perf_words *w, const struct perf_usage *u, int argc, char **argv)
{
	struct walk walk = {.u = u, .out = w, .argv = argv, .argc = argc};
	bool ok = true;

	*w = (struct perf_words){.argv = calloc(argc + 2, sizeof(char *)),
				 .owned = calloc(argc + 1, sizeof(char *))};
	if (!w->argv || !w->owned)
		return false;
	keep(&walk, argv[0]);
	for (walk.i = 1; ok && !w->wants_help && walk.i < argc; walk.i++) {
		char *word = argv[walk.i];

		bool is_argument = word[0] != '-' || !word[1];

		if (is_argument && u->has_options_behind) {
			ok = keep(&walk, word);
			continue;
		}
		if (is_argument || !strcmp(word, "--"))
			break;
		ok = word[1] == '-' ? take_long(&walk, word + 2) : take_letters(&walk, word + 1);
	}
	for (; ok && walk.i < argc; walk.i++)
		keep(&walk, argv[walk.i]);
	return ok;
}

int perf_words_parse(struct perf_words *w, const struct perf_usage *u, void *opts, int flags,
		     int argc, char **argv, int *ret_n, struct errmsg *err)
{
	bool help = false;
	int n;

	if (!perf_words_take(w, u, argc, argv))
		return PERF_USAGE;
	n = options_parse(u->rows, opts, w->argc, w->argv, flags, &help, err);
	if (help || w->wants_help) {
		perf_usage_print(u, NULL, stderr);
		return PERF_USAGE;
	}
	TRY(n);
	*ret_n = n;
	return 0;
}

void perf_words_release(struct perf_words *w)
{
	for (size_t i = 0; i < w->n_owned; i++)
		free(w->owned[i]);
	free(w->owned);
	free(w->argv);
	*w = (struct perf_words){0};
}
