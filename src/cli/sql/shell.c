// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shell.c - `sonde sql FILE` on a terminal: reads queries, line by line.
 *
 *	sonde> SELECT name, count(*)          a statement ends with a semicolon
 *	   ...> FROM event GROUP BY name;
 *	sonde> .schema sched                  dotcommands.c
 *
 * A wrong query does not end the shell. Ctrl-C ends a query or drops the line, Ctrl-D leaves. The
 * history is kept in ~/.sonde_sql_history.
 *
 * Words for completion are collected when Tab is pressed first: that counts the events of each
 * kind, because only tables with events are worth a name.
 */
#include "base/array.h"
#include "base/files/caller.h"
#include "base/scope.h"
#include "base/shortage.h"
#include "base/textbuf.h"
#include "cli/sql/lineedit.h"
#include "cli/sql/sql.h"
#include "query/query.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS_MAX_BYTES (8u << 20)
#define PATH_BYTES	4096

static const char *const keywords[] = {
	"SELECT",
	"FROM",
	"WHERE",
	"GROUP BY",
	"ORDER BY",
	"LIMIT",
	"JOIN",
	"LEFT JOIN",
	"USING",
	"ON",
	"AS",
	"AND",
	"OR",
	"NOT",
	"IN",
	"BETWEEN",
	"LIKE",
	"GLOB",
	"HAVING",
	"DISTINCT",
	"WITH",
	"UNION",
	"CASE",
	"WHEN",
	"THEN",
	"ELSE",
	"END",
	"DESC",
	"NULL",
	"IS",
	"OVER",
	"PARTITION BY",
	"count(*)",
	"count(",
	"sum(",
	"min(",
	"max(",
	"avg(",
	"lead(",
	"lag(",
	"EXPLAIN QUERY PLAN",
};

struct words { /* of completion */
	struct answering *s;
	struct textbuf text; /* each with a NUL */
	const char **list;
	size_t n;
};

static void add_word(struct words *w, const char *word)
{
	/* libraries write words to the terminal as they are, and names come from the trace */
	for (const char *s = word; *s; s++)
		if (*s < ' ' || *s > '~')
			return;
	textbuf_add(&w->text, word, strlen(word) + 1);
}

static void add_column(void *ctx, const char *name, const char *type, bool is_argument)
{
	add_word(ctx, name);
}

static void add_table(void *ctx, const char *name, const char *what)
{
	struct words *w = ctx;

	add_word(w, name);
}

typedef const char *word_pointer;
ARRAY_ORDER(by_spelling, word_pointer, strcasecmp(*x, *y))

static void collect_words(struct words *w)
{
	size_t end, n = 0, kept = 0;

	for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
		add_word(w, keywords[i]);
	for (size_t i = 0; dot_name(i); i++)
		add_word(w, dot_name(i));
	end = textbuf_len(&w->text);
	query_each_table(w->s->q, false, add_table, w);
	/* the texts may move while columns are added */
	for (size_t at = end, last = textbuf_len(&w->text); at < last;
	     at += strlen(w->text.start + at) + 1) {
		SCOPED(scope_free) char *table = strdup(w->text.start + at);

		if (table)
			query_each_column(w->s->q, table, add_column, w);
	}
	for (const char *s = w->text.start; s && s < w->text.pos; s += strlen(s) + 1)
		n++;
	w->list = calloc(n + 1, sizeof(*w->list));
	if (!w->list || w->text.overflow)
		return;
	for (const char *s = w->text.start; s && s < w->text.pos; s += strlen(s) + 1)
		w->list[w->n++] = s;
	qsort(w->list, w->n, sizeof(*w->list), by_spelling);
	for (size_t i = 0; i < w->n; i++)
		if (!kept || strcasecmp(w->list[i], w->list[kept - 1]) != 0)
			w->list[kept++] = w->list[i];
	w->n = kept;
}

static const char *word_at(void *ctx, size_t i)
{
	struct words *w = ctx;

	if (!w->list)
		collect_words(w);
	return i < w->n ? w->list[i] : NULL;
}

static bool is_interrupted(void *ctx)
{
	return sql_is_interrupted();
}

/* --- the terminal ----------------------------------------------------------------------------- */

/* Tells a failure; the shell goes on. */
static void complain(const struct errmsg *err)
{
	fprintf(stderr, "%s\n", err->text);
	if (shortage_pending()) /* the next query may need less memory */
		shortage_settle(shortage_count());
}

static const char *history_path(char path[PATH_BYTES])
{
	const char *home = getenv("HOME");

	/* under sudo the file would belong to root */
	if (!home || !*home || caller_is_raised())
		return NULL;
	snprintf(path, PATH_BYTES, "%s/.sonde_sql_history", home);
	return path;
}

/* Takes a line. Returns 1 to leave, or 0. */
static int take_line(struct answering *s, struct lineedit *e, struct textbuf *pending,
		     const char *line)
{
	struct errmsg err = {0};
	bool is_first = !textbuf_len(pending);
	int r = 0;

	if (is_first && !line[strspn(line, " \t")])
		return 0;
	if (is_first && dot_is_command(line)) {
		lineedit_keep(e, line);
		r = dot_run(s, line, &err);
	} else {
		textbuf_add_str(pending, is_first ? "" : "\n");
		textbuf_add_str(pending, line);
		if (pending->overflow)
			r = errmsg_set(&err, -E2BIG, "the query is too long");
		else if (!query_is_complete(textbuf_text(pending)))
			return 0;
		else
			lineedit_keep(e, textbuf_text(pending));
		if (!r)
			r = answering_run(s, textbuf_text(pending), &err);
		textbuf_clear(pending);
	}
	if (r < 0)
		complain(&err);
	return r == 1;
}

int shell_run(struct answering *s, struct errmsg *err)
{
	struct words words = {.s = s};
	char path[PATH_BYTES];
	struct lineedit_config config = {history_path(path), word_at, is_interrupted, &words};
	SCOPED(lineedit_free_scoped) struct lineedit *e = NULL;
	TEXTBUF(pending, SQL_QUERY_MAX_BYTES);
	int r = lineedit_new(&e, &config), leave = 0;

	if (r < 0)
		return errmsg_set_errno(err, r, "cannot start the shell");
	textbuf_init(&words.text, WORDS_MAX_BYTES);
	fputs("SQL over the trace; .help lists the commands, .tables the tables.\n", stdout);
	fflush(stdout);
	while (!leave) {
		SCOPED(scope_free) char *line = NULL;

		sql_catch_interrupts(true);
		r = lineedit_read(e, textbuf_len(&pending) ? "  ...> " : "sonde> ", &line);
		if (r > 0) {
			leave = take_line(s, e, &pending, line);
		} else if (r == -EINTR) {
			fputs("^C\n", stdout);
			textbuf_clear(&pending);
		} else {
			leave = 1;
		}
	}
	sql_catch_interrupts(false);
	if (!r)
		fputs("\n", stdout);
	fflush(stdout);
	free(words.list);
	textbuf_release(&words.text);
	return r < 0 && r != -EINTR ? errmsg_set_errno(err, r, "cannot read the terminal") : 0;
}

/* --- a text ----------------------------------------------------------------------------------- */

static int run_part(struct answering *s, struct textbuf *part, struct errmsg *err)
{
	const char *text = textbuf_text(part);
	int r = text[strspn(text, " \t\n")] ? answering_run(s, text, err) : 0;

	textbuf_clear(part);
	return r;
}

int shell_run_text(struct answering *s, const char *text, struct errmsg *err)
{
	TEXTBUF(part, 2 * SQL_QUERY_MAX_BYTES);

	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		const char *next = line + len + (line[len] == '\n');
		const char *before = textbuf_text(&part);

		if (dot_is_command(line) &&
		    (!before[strspn(before, " \t\n")] || query_is_complete(before))) {
			SCOPED(scope_free) char *command = strndup(line, len);
			int r;

			TRY(run_part(s, &part, err));
			r = command ? dot_run(s, command, err)
				    : errmsg_set_errno(err, -ENOMEM, "cannot run the query");
			if (r)
				return r < 0 ? r : 0;
		} else {
			textbuf_add(&part, line, (size_t)(next - line));
		}
		line = next;
	}
	if (part.overflow)
		return errmsg_set(err, -E2BIG, "the query is too long");
	return run_part(s, &part, err);
}
