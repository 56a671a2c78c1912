// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dotcommands.c - the commands of the shell of `sonde sql`: lines that begin with a dot.
 *
 * They ask about the tables and about queries, or change how rows are printed. Each is a row of a
 * table: its name, its arguments, its help, its function. A function writes its answer to a text,
 * which goes to the same output as the rows of a query.
 *
 * The names of tables come from the trace; the output escapes control characters on a terminal.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "base/textbuf.h"
#include "cli/sql/sql.h"
#include "present/query/rowstext.h"
#include "query/shipped.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#define TEXT_MAX_BYTES (16u << 20)
#define NAME_BYTES     256
#define NAME_WIDTH     28

/* --- queries that come with sonde ------------------------------------------------------------- */

void sql_list_shipped(struct textbuf *tb)
{
	for (const struct shipped_query *s = shipped_queries; s->name; s++)
		textbuf_addf(tb, "%-12s %s\n", s->name, s->summary);
}

const char *sql_find_shipped(const char *name, struct errmsg *err)
{
	struct spelling sp;

	spelling_init(&sp, name, strlen(name));
	for (const struct shipped_query *s = shipped_queries; s->name; s++) {
		spelling_add(&sp, s->name);
		if (!strcmp(s->name, name))
			return s->sql;
	}
	errmsg_set(err, -EINVAL, "there is no query '%s'%s%s%s; -q list shows all", name,
		   sp.nearest ? "; did you mean '" : "", sp.nearest ? sp.nearest : "",
		   sp.nearest ? "'?" : "");
	return NULL;
}

/* --- tables ----------------------------------------------------------------------------------- */

struct listing {
	struct textbuf *tb;
	const char *pattern; /* NULL: all */
};

static void list_table(void *ctx, const char *name, const char *what)
{
	const struct listing *l = ctx;

	if (l->pattern && fnmatch(l->pattern, name, FNM_CASEFOLD))
		return;
	/* the table "sched:sched_switch" is there as sched_switch, too */
	if (!l->pattern && strchr(name, ':'))
		return;
	textbuf_addf(l->tb, "%-*s %s\n", NAME_WIDTH, name,
		     what ? what : "the events of this kind, with their fields");
}

static int tables(struct answering *s, const char *word, struct textbuf *tb, struct errmsg *err)
{
	struct listing l = {tb, *word ? word : NULL};
	int r = query_each_table(s->q, l.pattern != NULL, list_table, &l);

	if (r < 0)
		return errmsg_set_errno(err, r, "cannot list the tables");
	if (!textbuf_len(tb))
		return errmsg_set(err, -ENOENT, "no table matches '%s'; .tables lists all", word);
	return 0;
}

static void list_column(void *ctx, const char *name, const char *type, bool is_argument)
{
	struct textbuf *tb = ctx;

	textbuf_addf(tb, "  %-*s %s\n", NAME_WIDTH - 2, name,
		     is_argument && !*type ? "argument, or hidden column" : type);
}

struct search {
	const char *name;
	const char *what;
	struct spelling sp;
};

static void find_table(void *ctx, const char *name, const char *what)
{
	struct search *f = ctx;

	spelling_add(&f->sp, name);
	if (!strcasecmp(name, f->name))
		f->what = what;
}

/* "sched_switch" or "sched:sched_switch", perhaps in quotes. */
static int schema(struct answering *s, const char *word, struct textbuf *tb, struct errmsg *err)
{
	char name[NAME_BYTES];
	struct search f = {.name = name};
	size_t len = strlen(word);
	int r;

	if (!len)
		return tables(s, word, tb, err);
	if (len > 2 && word[0] == '"' && word[len - 1] == '"') {
		word++;
		len -= 2;
	}
	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	spelling_init(&f.sp, name, strlen(name));
	query_each_table(s->q, true, find_table, &f);
	textbuf_addf(tb, "%s%s%s\n", name, f.what ? ": " : "", f.what ? f.what : "");
	r = query_each_column(s->q, name, list_column, tb);
	if (r == -ENOENT)
		return errmsg_set(err, r, "there is no table '%s'%s%s%s; .tables lists all", name,
				  f.sp.nearest ? "; did you mean '" : "",
				  f.sp.nearest ? f.sp.nearest : "", f.sp.nearest ? "'?" : "");
	return r < 0 ? errmsg_set_errno(err, r, "cannot list the columns") : 0;
}

static int explain(struct answering *s, const char *word, struct textbuf *tb, struct errmsg *err)
{
	const char *sql = strchr(word, ' ') || !*word ? word : sql_find_shipped(word, err);

	return sql ? query_explain(s->q, sql, tb, err) : errmsg_code(err);
}

/* --- queries and their rows ------------------------------------------------------------------- */

static int queries(struct answering *s, const char *word, struct textbuf *tb, struct errmsg *err)
{
	sql_list_shipped(tb);
	return 0;
}

static int run_shipped(struct answering *s, const char *word, struct textbuf *tb,
		       struct errmsg *err)
{
	const char *sql = sql_find_shipped(word, err);

	return sql ? answering_run(s, sql, err) : errmsg_code(err);
}

static int mode(struct answering *s, const char *word, struct textbuf *tb, struct errmsg *err)
{
	static const char *const names[] = {
		[ROWSTEXT_TABLE] = "table", [ROWSTEXT_CSV] = "csv", [ROWSTEXT_JSON] = "json"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(names[i], word)) {
			s->form = (enum rowstext_form)i;
			return 0;
		}
	return errmsg_set(err, -EINVAL, ".mode is table, csv or json, not '%s'", word);
}

/* --- the table of commands -------------------------------------------------------------------- */

static int quit(struct answering *s, const char *word, struct textbuf *tb, struct errmsg *err)
{
	return 1;
}

static int help(struct answering *s, const char *word, struct textbuf *tb, struct errmsg *err);

static const struct dot_row {
	const char *name, *args, *what;
	int (*run)(struct answering *s, const char *word, struct textbuf *tb, struct errmsg *err);
} rows[] = {
	{".tables", "[PATTERN]", "list the tables, or those whose names match", tables},
	{".schema", "[TABLE]", "list the columns of a table", schema},
	{".explain", "QUERY", "show what the tables do for a query, and what SQLite does", explain},
	{".queries", "", "list the queries that come with sonde", queries},
	{".run", "NAME", "run one of them", run_shipped},
	{".mode", "FORM", "print rows as table, csv or json", mode},
	{".help", "", "show this list", help},
	{".quit", "", "leave the shell; so does Ctrl-D", quit},
	{".exit", "", "the same", quit},
};

static int help(struct answering *s, const char *word, struct textbuf *tb, struct errmsg *err)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t len = strlen(rows[i].name) + 1 + strlen(rows[i].args);

		textbuf_addf(tb, "%s %s%*s %s\n", rows[i].name, rows[i].args,
			     (int)(len < 20 ? 20 - len : 1), "", rows[i].what);
	}
	textbuf_add_str(tb,
			"Everything else is SQL and ends with a semicolon. Tab completes names, "
			"Ctrl-C ends a query.\n");
	return 0;
}

bool dot_is_command(const char *line)
{
	return line[0] == '.' && isalpha((unsigned char)line[1]);
}

const char *dot_name(size_t i)
{
	return i < ARRAY_LEN(rows) ? rows[i].name : NULL;
}

int dot_run(struct answering *s, const char *line, struct errmsg *err)
{
	size_t len = strcspn(line, " \t;");
	const char *word = line + len + strspn(line + len, " \t;");
	SCOPED(scope_free) char *arg = strdup(word);
	TEXTBUF(tb, TEXT_MAX_BYTES);
	struct spelling sp;
	int r;

	if (!arg)
		return errmsg_set_errno(err, -ENOMEM, "cannot run %.*s", (int)len, line);
	for (size_t n = strlen(arg); n && strchr(" \t;", arg[n - 1]); n--)
		arg[n - 1] = '\0';
	spelling_init(&sp, line, len);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		spelling_add(&sp, rows[i].name);
		if (strlen(rows[i].name) != len || strncmp(rows[i].name, line, len) != 0)
			continue;
		r = rows[i].run(s, arg, &tb, err);
		return r || !textbuf_len(&tb) ? r : answering_print(s, &tb, err);
	}
	return errmsg_set(err, -EINVAL, "there is no command '%.*s'%s%s%s; .help lists all",
			  (int)len, line, sp.nearest ? "; did you mean '" : "",
			  sp.nearest ? sp.nearest : "", sp.nearest ? "'?" : "");
}
