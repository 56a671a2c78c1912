// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * options.c - parses a command line with an option table, and prints the table.
 *
 * options_parse() makes one pass over argv. Each word is an argument (moved to the front of argv),
 * a group of short options, or a long option; the value of an option is the rest of its word or
 * the next word. A bad word ends the pass with a message that names it and a similar name.
 */
#include "base/options.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "base/textbuf.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct option_walk {
	const struct option_row *rows;
	void *opts;
	int argc, next, n_args;
	char **argv;
	bool help;
	struct errmsg *err;
};

static bool row_is_option(const struct option_row *row)
{
	return row->kind != OPTION_HEADING;
}

static int row_apply_number(const struct option_row *row, void *field, const char *value,
			    struct errmsg *err)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(value, &end, 0);
	if (errno || end == value || *end)
		return errmsg_set(err, -EINVAL, "%s%s needs a number, not '%s'",
				  row->name ? "--" : "-",
				  row->name ? row->name : (char[]){row->letter, 0}, value);
	*(long long *)field = n;
	return 0;
}

static int row_apply(const struct option_row *row, void *opts, const char *value,
		     struct errmsg *err)
{
	void *field = (char *)opts + row->offset;

	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)field = true;
		return 0;
	case OPTION_STRING:
		*(const char **)field = value;
		return 0;
	case OPTION_NUMBER:
		return row_apply_number(row, field, value, err);
	case OPTION_CALL:
		return row->apply(opts, value, err);
	case OPTION_END:
	case OPTION_HEADING:
		break;
	}
	return 0;
}

static const struct option_row *find_letter(const struct option_row *rows, char letter)
{
	for (; rows->kind != OPTION_END; rows++)
		if (row_is_option(rows) && rows->letter == letter)
			return rows;
	return NULL;
}

/*
 * Finds the row with this name, or the only row whose name begins with it. Sets *ret_many if
 * several do.
 */
static const struct option_row *find_name(const struct option_row *rows, const char *name,
					  size_t len, bool *ret_many)
{
	const struct option_row *found = NULL;

	for (; rows->kind != OPTION_END; rows++) {
		if (!row_is_option(rows) || !rows->name || strncmp(rows->name, name, len))
			continue;
		if (!rows->name[len])
			return rows;
		if (found)
			*ret_many = true;
		found = rows;
	}
	return *ret_many ? NULL : found;
}

static int refuse_name(struct option_walk *w, const char *name, size_t len)
{
	struct spelling sp;

	spelling_init(&sp, name, len);
	for (const struct option_row *r = w->rows; r->kind != OPTION_END; r++)
		if (row_is_option(r) && r->name && !r->hidden)
			spelling_add(&sp, r->name);
	spelling_add(&sp, "help");
	if (sp.nearest)
		return errmsg_set(w->err, -EINVAL, "unknown option --%.*s; did you mean --%s?",
				  (int)len, name, sp.nearest);
	return errmsg_set(w->err, -EINVAL, "unknown option --%.*s; --help lists them", (int)len,
			  name);
}

static int refuse_beginning(struct option_walk *w, const char *name, size_t len)
{
	char list[400] = "";
	size_t n = 0;

	for (const struct option_row *r = w->rows; r->kind != OPTION_END; r++)
		if (row_is_option(r) && r->name && !r->hidden && !strncmp(r->name, name, len) &&
		    n < sizeof(list))
			n += snprintf(list + n, sizeof(list) - n, "%s--%s", n ? ", " : "", r->name);
	return errmsg_set(w->err, -EINVAL, "--%.*s is the beginning of several options: %s",
			  (int)len, name, list);
}

static int walk_long(struct option_walk *w, const char *word)
{
	const char *eq = strchr(word, '='), *value = eq ? eq + 1 : NULL;
	size_t len = eq ? (size_t)(eq - word) : strlen(word);
	bool many = false;
	const struct option_row *row = find_name(w->rows, word, len, &many);

	if (!row && len && !strncmp("help", word, len) && !many) {
		w->help = true;
		return 0;
	}
	if (!row)
		return many ? refuse_beginning(w, word, len) : refuse_name(w, word, len);
	if (value && !row->arg)
		return errmsg_set(w->err, -EINVAL, "--%s takes no value", row->name);
	if (!value && row->arg && !row->arg_optional) {
		if (w->next >= w->argc)
			return errmsg_set(w->err, -EINVAL, "--%s needs a value: %s", row->name,
					  row->arg);
		value = w->argv[w->next++];
	}
	return row_apply(row, w->opts, value, w->err);
}

static int walk_letters(struct option_walk *w, const char *word)
{
	for (; *word; word++) {
		const struct option_row *row = find_letter(w->rows, *word);
		const char *value = NULL;
		int r;

		if (!row && *word == 'h') {
			w->help = true;
			continue;
		}
		if (!row)
			return errmsg_set(w->err, -EINVAL, "unknown option -%c; --help lists them",
					  *word);
		if (row->arg && word[1])
			value = word + 1;
		else if (row->arg && !row->arg_optional) {
			if (w->next >= w->argc)
				return errmsg_set(w->err, -EINVAL, "-%c needs a value: %s", *word,
						  row->arg);
			value = w->argv[w->next++];
		}
		r = row_apply(row, w->opts, value, w->err);
		if (r < 0 || row->arg)
			return r;
	}
	return 0;
}

int options_parse(const struct option_row *rows, void *opts, int argc, char **argv, int flags,
		  bool *ret_help, struct errmsg *err)
{
	struct option_walk w = {
		.rows = rows, .opts = opts, .argc = argc, .next = 1, .argv = argv, .err = err};
	bool only_args = false;

	while (w.next < argc) {
		char *word = argv[w.next++];
		int r = 0;

		if (only_args || word[0] != '-' || !word[1]) {
			argv[1 + w.n_args++] = word;
			only_args |= flags & OPTIONS_STOP_AT_ARGUMENT;
		} else if (!strcmp(word, "--")) {
			only_args = true;
		} else {
			r = word[1] == '-' ? walk_long(&w, word + 2) : walk_letters(&w, word + 1);
		}
		TRY(r);
	}
	*ret_help = w.help;
	return w.n_args;
}

static void row_fmt_words(const struct option_row *row, char *buf, size_t size)
{
	const char *open = row->arg_optional ? "[=" : " ", *close = row->arg_optional ? "]" : "";

	if (row->letter && row->name)
		snprintf(buf, size, "-%c, --%s%s%s%s", row->letter, row->name, row->arg ? open : "",
			 row->arg ? row->arg : "", row->arg ? close : "");
	else if (row->name)
		snprintf(buf, size, "    --%s%s%s%s", row->name, row->arg ? open : "",
			 row->arg ? row->arg : "", row->arg ? close : "");
	else
		snprintf(buf, size, "-%c%s%s%s", row->letter,
			 row->arg ? (row->arg_optional ? "[" : " ") : "", row->arg ? row->arg : "",
			 row->arg ? close : "");
}

#define HELP_COLUMN 30 /* where the texts begin */
#define HELP_WIDTH  100

/* Returns how many columns n bytes of UTF-8 take. No table has wide or combining characters. */
static size_t text_columns(const char *s, size_t n)
{
	size_t columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += ((unsigned char)s[i] & 0xc0) != 0x80;
	return columns;
}

/*
 * Adds the words of an option and its help text. Longer help texts continue in the column of the
 * help text.
 */
static void add_help_row(struct textbuf *tb, const char *words, const char *help)
{
	size_t column = 2 + text_columns(words, strlen(words));

	textbuf_addf(tb, "  %s", words);
	if (column + 2 > HELP_COLUMN) {
		textbuf_add_char(tb, '\n');
		column = 0;
	}
	textbuf_addf(tb, "%*s", (int)(HELP_COLUMN - column), "");
	for (column = HELP_COLUMN; *help; help += strspn(help, " ")) {
		size_t n_bytes = strcspn(help, " "), n = text_columns(help, n_bytes);

		if (column > HELP_COLUMN && column + 1 + n > HELP_WIDTH) {
			textbuf_addf(tb, "\n%*s", HELP_COLUMN, "");
			column = HELP_COLUMN;
		} else if (column > HELP_COLUMN) {
			textbuf_add_char(tb, ' ');
			column++;
		}
		textbuf_addf(tb, "%.*s", (int)n_bytes, help);
		column += n;
		help += n_bytes;
	}
	textbuf_add_char(tb, '\n');
}

void options_fmt_help(const struct option_row *rows, struct textbuf *tb)
{
	char words[128];

	for (; rows->kind != OPTION_END; rows++) {
		if (rows->hidden)
			continue;
		if (rows->kind == OPTION_HEADING) {
			textbuf_addf(tb, "\n%s:\n", rows->help);
			continue;
		}
		row_fmt_words(rows, words, sizeof(words));
		add_help_row(tb, words, rows->help);
	}
	add_help_row(tb, "-h, --help", "show this help");
}

/* Adds text to a man page, with a '\' before each '-' and '\'. */
static void add_man_text(struct textbuf *tb, const char *s)
{
	for (; *s; s++) {
		if (*s == '-')
			textbuf_add_char(tb, '\\');
		textbuf_add_char(tb, *s);
		if (*s == '\\')
			textbuf_add_char(tb, 'e');
	}
}

/*
 * Adds the text with a capital and a full stop. A name from code ("trace_printk() …") is not
 * capitalised. A line must not begin with '.' or '\'', which would be a command.
 */
static void add_man_sentence(struct textbuf *tb, const char *s)
{
	bool is_name = strcspn(s, "_(") < strcspn(s, " ");

	if (*s == '.' || *s == '\'')
		textbuf_add_str(tb, "\\&");
	/* no capital if the text begins with a literal value: "none, zstd or …" */
	if (s[strcspn(s, " ,")] == ',')
		is_name = true;
	textbuf_add_char(tb, is_name ? s[0] : toupper((unsigned char)s[0]));
	add_man_text(tb, s + 1);
	textbuf_add_str(tb, s[strlen(s) - 1] == '?' ? "\n" : ".\n");
}

/* Adds the words in bold and the name of the value in italics. */
static void add_man_words(struct textbuf *tb, const struct option_row *row)
{
	if (row->letter)
		textbuf_addf(tb, "\\fB\\-%c\\fR", row->letter);
	if (row->letter && row->name)
		textbuf_add_str(tb, ", ");
	if (row->name) {
		textbuf_add_str(tb, "\\fB\\-\\-");
		add_man_text(tb, row->name);
		textbuf_add_str(tb, "\\fR");
	}
	if (!row->arg)
		return;
	textbuf_add_str(tb, !row->arg_optional ? " \\fI" : row->name ? "[=\\fI" : "[\\fI");
	add_man_text(tb, row->arg);
	textbuf_add_str(tb, row->arg_optional ? "\\fR]" : "\\fR");
}

void options_fmt_man(const struct option_row *rows, struct textbuf *tb)
{
	for (; rows->kind != OPTION_END; rows++) {
		if (rows->hidden)
			continue;
		if (rows->kind == OPTION_HEADING) {
			textbuf_add_str(tb, ".SS ");
			textbuf_add_char(tb, toupper((unsigned char)rows->help[0]));
			add_man_text(tb, rows->help + 1);
			textbuf_add_char(tb, '\n');
			continue;
		}
		textbuf_add_str(tb, ".TP\n");
		add_man_words(tb, rows);
		textbuf_add_char(tb, '\n');
		add_man_sentence(tb, rows->help);
	}
	textbuf_add_str(tb, ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nShow the options.\n");
}
