// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * mistakes.c - says what is wrong with a query.
 *
 *	no such column: 'nam'; did you mean 'name'?
 *	  SELECT nam FROM event
 *	         ^^^
 *
 * SQLite has one code for everything that is wrong with a statement; which it is, and the name, are
 * only in its message. These forms have not changed since 2004, so they are read here; if one
 * did, the sentence would lack the nearest name.
 */
#include "query/mistakes.h"

#include "base/array.h"
#include "base/spelling.h"
#include "base/textbuf.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define NAMES_MAX_BYTES (1u << 20)
#define PICTURE_BYTES	600
#define LINE_BYTES	90
#define REMEDY_BYTES	640

static const char no_table[] = "no such table: ", no_column[] = "no such column: ",
		  no_function[] = "no such function: ";

/* --- the nearest name ------------------------------------------------------------------------- */

static void collect(void *to, const char *name)
{
	textbuf_add(to, name, strlen(name) + 1);
}

/* Names of about the same length first: "sched_swich" is meant to be sched_switch, not sched. */
static void spell(struct spelling *sp, const struct textbuf *names)
{
	for (int any_length = 0; any_length < 2 && !sp->nearest; any_length++)
		for (const char *s = names->start; s && s < names->pos; s += strlen(s) + 1)
			if (any_length || (strlen(s) <= sp->len + 2 && strlen(s) + 2 >= sp->len))
				spelling_add(sp, s);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Is the table named in the statement? */
static bool mentions(const char *sql, const char *table)
{
	size_t len = strlen(table);

	for (const char *s = strcasestr(sql, table); s; s = strcasestr(s + 1, table))
		if ((s == sql || !is_word(s[-1])) && !is_word(s[len]))
			return true;
	return false;
}

/* Collects the columns of the tables that the statement names. */
static void collect_columns(sqlite3 *db, const char *sql, const struct textbuf *tables,
			    struct textbuf *to)
{
	for (const char *s = tables->start; s && s < tables->pos; s += strlen(s) + 1) {
		sqlite3_stmt *st = NULL;
		char *text;

		if (!mentions(sql, s))
			continue;
		text = sqlite3_mprintf("SELECT * FROM \"%w\"", s);
		if (text && sqlite3_prepare_v2(db, text, -1, &st, NULL) == SQLITE_OK)
			for (int i = 0; i < sqlite3_column_count(st); i++)
				collect(to, sqlite3_column_name(st, i) ?: "?");
		sqlite3_finalize(st);
		sqlite3_free(text);
	}
}

struct mistake {
	char word[512];
	char nearest[256];
	bool is_table, is_column;
};

static void find_nearest(sqlite3 *db, const char *sql, struct mistake *m, mistakes_tables *tables,
			 void *ctx)
{
	TEXTBUF(names, NAMES_MAX_BYTES);
	TEXTBUF(columns, NAMES_MAX_BYTES);
	const char *dot = strrchr(m->word, '.');
	struct spelling sp;

	spelling_init(&sp, dot ? dot + 1 : m->word, strlen(dot ? dot + 1 : m->word));
	tables(ctx, collect, &names);
	if (m->is_column)
		collect_columns(db, sql, &names, &columns);
	spell(&sp, m->is_column ? &columns : &names);
	if (sp.nearest)
		snprintf(m->nearest, sizeof(m->nearest), "%s", sp.nearest);
}

static void read_message(const char *message, struct mistake *m)
{
	*m = (struct mistake){0};
	m->is_table = !strncmp(message, no_table, strlen(no_table));
	m->is_column = !strncmp(message, no_column, strlen(no_column));
	if (m->is_table)
		snprintf(m->word, sizeof(m->word), "%s", message + strlen(no_table));
	else if (m->is_column)
		snprintf(m->word, sizeof(m->word), "%s", message + strlen(no_column));
}

/* --- the place -------------------------------------------------------------------------------- */

/* Finds the word of the message in the text, if SQLite does not say where it is. */
static int find_place(const char *text, size_t at, const char *word)
{
	const char *s = text + at;
	size_t len = strlen(word);

	if (!len)
		return -1;
	while ((s = strcasestr(s, word))) {
		if ((s == text || !is_word(s[-1])) && !is_word(s[len]))
			return (int)(s - text);
		s++;
	}
	return -1;
}

/* Writes the line of the text, and marks the place below it. */
static void draw(const char *text, size_t at, size_t len, struct textbuf *tb)
{
	size_t start = at, end = at, column;

	while (start && text[start - 1] != '\n' && at - start < LINE_BYTES / 2)
		start--;
	while (text[end] && text[end] != '\n' && end - start < LINE_BYTES)
		end++;
	/* not in the middle of a character */
	while (start < at && ((unsigned char)text[start] & 0xc0) == 0x80)
		start++;
	while (end > at && ((unsigned char)text[end] & 0xc0) == 0x80)
		end--;
	textbuf_add_str(tb, "\n  ");
	for (size_t i = start; i < end; i++)
		textbuf_add_char(tb, (unsigned char)text[i] < ' ' ? ' ' : text[i]);
	textbuf_add_str(tb, "\n  ");
	for (column = start; column < at; column++)
		if (((unsigned char)text[column] & 0xc0) != 0x80)
			textbuf_add_char(tb, ' ');
	for (size_t i = 0; i < (len ? len : 1) && at + i <= end; i++)
		textbuf_add_char(tb, '^');
}

static size_t word_length(const char *s)
{
	size_t len = 0;

	while (is_word(s[len]))
		len++;
	return len;
}

struct table_search {
	const char *name;
	bool found;
};

static void compare_table(void *to, const char *name)
{
	struct table_search *s = to;

	s->found |= !strcasecmp(s->name, name);
}

/* "SELECT critical_path('make')": the function is a table. */
static bool is_table_function(const char *message, mistakes_tables *tables, void *ctx)
{
	struct table_search s = {message + strlen(no_function), false};

	if (!strncmp(message, no_function, strlen(no_function)))
		tables(ctx, compare_table, &s);
	return s.found;
}

/* What to do about a name that nothing is like. */
static void fmt_remedy(const struct mistake *m, char remedy[REMEDY_BYTES])
{
	if (*m->nearest)
		snprintf(remedy, REMEDY_BYTES, "did you mean '%s'?", m->nearest);
	else if (m->is_table)
		snprintf(remedy, REMEDY_BYTES,
			 "the table event_kind lists the events of the trace");
	else
		snprintf(remedy, REMEDY_BYTES,
			 ".schema TABLE shows the columns of a table; a text needs single quotes: "
			 "'%s'",
			 m->word);
}

static int tell_wrong(sqlite3 *db, const char *text, size_t at, mistakes_tables *tables, void *ctx,
		      struct errmsg *err)
{
	char message[512], remedy[REMEDY_BYTES];
	int offset = sqlite3_error_offset(db);
	struct errmsg_spot spot = {.reason = QUERY_WRONG};
	TEXTBUF(picture, PICTURE_BYTES);
	struct mistake m;

	snprintf(message, sizeof(message), "%s", sqlite3_errmsg(db));
	read_message(message, &m);
	offset = offset >= 0 ? offset + (int)at : find_place(text, at, m.word);
	if (m.is_table || m.is_column)
		find_nearest(db, text + at, &m, tables, ctx);
	if (offset >= 0 && (size_t)offset <= strlen(text)) {
		spot.at = (size_t)offset;
		spot.len = word_length(text + offset);
		draw(text, spot.at, spot.len, &picture);
		spot.picture = textbuf_text(&picture);
	}
	if (is_table_function(message, tables, ctx))
		return errmsg_set_spot(err, -EINVAL, &spot, "%s is a table: SELECT * FROM %s(…)",
				       message + strlen(no_function),
				       message + strlen(no_function));
	if (!m.is_table && !m.is_column)
		return errmsg_set_spot(err, -EINVAL, &spot, "the query is wrong: %s", message);
	fmt_remedy(&m, remedy);
	return errmsg_set_spot(err, -EINVAL, &spot, "there is no %s '%s'; %s",
			       m.is_table ? "table" : "column", m.word, remedy);
}

int mistake_tell(sqlite3 *db, int code, const char *text, size_t at, mistakes_tables *tables,
		 void *ctx, struct errmsg *err)
{
	struct errmsg_spot spot = {.reason = QUERY_REFUSED};

	switch (code & 0xff) {
	case SQLITE_INTERRUPT:
		spot.reason = QUERY_INTERRUPTED;
		return errmsg_set_spot(err, -EINTR, &spot, "the query was interrupted");
	case SQLITE_NOMEM:
		spot.reason = QUERY_TOO_BIG;
		return errmsg_set_spot(
			err, -ENOMEM, &spot,
			"the query needs more memory than it may use; allow more with "
			"--limit memory=SIZE");
	case SQLITE_AUTH:
		return errmsg_set_spot(err, -EPERM, &spot,
				       "this query is not allowed: sonde sql only reads the trace; "
				       "WITH NAME AS (SELECT …) names a part of a query");
	default:
		return tell_wrong(db, text, at, tables, ctx, err);
	}
}
