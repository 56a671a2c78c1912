// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_sql.c - `sonde sql`: answers questions about a trace in SQL.
 *
 *	words ─▶ files, query ─▶ inputs_open ─▶ query_run ─▶ rowstext ─▶ output
 *
 * The last word is the query if it contains a blank and no file has that name. "-" reads the query
 * from standard input; so does no query at all, if standard input is not a terminal.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "base/textbuf.h"
#include "cli/command.h"
#include "cli/screen/notes.h"
#include "cli/screen/output.h"
#include "cli/sql/sql.h"
#include "inputs/inputs.h"
#include "present/query/rowstext.h"
#include "query/query.h"
#include "query/shipped.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QUERY_MAX_BYTES (1u << 20)

static volatile sig_atomic_t is_interrupted;

static int add_input(void *opts, const char *value, struct errmsg *err)
{
	struct sql_options *o = opts;

	if (o->n_paths == SQL_FILES_MAX)
		return errmsg_set(err, -EINVAL, "more than %d files cannot be given",
				  SQL_FILES_MAX);
	o->paths[o->n_paths++].path = value;
	return 0;
}

/* Reads "10s", "1.5G": a number with one of the suffixes, or without: times `plain`. */
static int parse_amount(const char *text, const char *suffixes, const double *factors, double plain,
			uint64_t *ret)
{
	char *end;
	double v = strtod(text, &end), factor = plain;
	const char *at = *end ? strchr(suffixes, *end) : NULL;

	if (end == text || !(v > 0) || (*end && !at))
		return -EINVAL;
	if (at) {
		factor = factors[at - suffixes];
		end++;
	}
	if (*end || v * factor > 1e18)
		return -EINVAL;
	*ret = (uint64_t)(v * factor);
	return 0;
}

static int add_limit(void *opts, const char *value, struct errmsg *err)
{
	static const double times[] = {1e9, 60e9, 3600e9}, sizes[] = {1024, 1 << 20, 1 << 30};
	struct sql_options *o = opts;
	int r = -EINVAL;

	if (!strncmp(value, "time=", 5))
		r = parse_amount(value + 5, "smh", times, 1e9, &o->limits.time_ns);
	else if (!strncmp(value, "memory=", 7))
		r = parse_amount(value + 7, "KMG", sizes, 1, &o->limits.memory_bytes);
	return r < 0 ? errmsg_set(err, r, "--limit is time=10s or memory=1G, not '%s'", value) : 0;
}

#define AT(field) offsetof(struct sql_options, field)

static const struct option_row rows[] = {
	ROW_CALL('i', "input", "FILE",
		 "read this file (default: trace.dat); several files are merged", add_input,
		 .complete = "file"),
	ROW_STRING('q', "query", "NAME", "run a query that comes with sonde; list shows them",
		   AT(name), .complete = "@query"),
	ROW_FLAG(0, "json", "print one JSON object per row", AT(json)),
	ROW_FLAG(0, "csv", "print comma-separated values with a header line", AT(csv)),
	ROW_CALL(0, "limit", "LIMIT",
		 "end a query after time=TIME (10s, 5m), or let it use memory=SIZE (default: 1G); "
		 "repeatable",
		 add_limit, .complete = "time= memory="),
	ROW_STRING(0, "color", "WHEN", "use colours: always, never or auto (on a terminal)",
		   AT(colour), .complete = "always never auto"),
	ROW_FLAG(0, "no-pager", "do not use a pager", AT(no_pager)),
	ROW_END,
};

/* --- interrupts ------------------------------------------------------------------------------- */

static void on_interrupt(int signal)
{
	is_interrupted = 1;
}

static bool is_stopped(void *ctx)
{
	return is_interrupted || output_is_closed(ctx);
}

void sql_catch_interrupts(bool on)
{
	struct sigaction act = {.sa_handler = on ? on_interrupt : SIG_DFL};

	is_interrupted = 0;
	sigaction(SIGINT, &act, NULL);
}

/* --- the query -------------------------------------------------------------------------------- */

static bool looks_like_query(const char *word)
{
	return strpbrk(word, " \t\n") && access(word, F_OK) < 0;
}

/* --- queries that come with sonde -------------------------------------------------------------- */

static int list_shipped(struct errmsg *err)
{
	TEXTBUF(tb, QUERY_MAX_BYTES);

	for (const struct shipped_query *s = shipped_queries; s->name; s++)
		textbuf_addf(&tb, "%-12s %s\n", s->name, s->summary);
	return output_print(&tb, "never", false, err);
}

static int find_shipped(const char *name, const char **ret, struct errmsg *err)
{
	struct spelling sp;

	spelling_init(&sp, name, strlen(name));
	for (const struct shipped_query *s = shipped_queries; s->name; s++) {
		spelling_add(&sp, s->name);
		if (!strcmp(s->name, name)) {
			*ret = s->sql;
			return 0;
		}
	}
	return errmsg_set(err, -EINVAL, "there is no query '%s'%s%s%s; -q list shows all", name,
			  sp.nearest ? "; did you mean '" : "", sp.nearest ? sp.nearest : "",
			  sp.nearest ? "'?" : "");
}

static int take_words(struct sql_options *o, int n, char **argv, const char **ret_query,
		      struct errmsg *err)
{
	*ret_query = NULL;
	if (o->name)
		TRY(find_shipped(o->name, ret_query, err));
	else if (n && (!strcmp(argv[n], "-") || looks_like_query(argv[n])))
		*ret_query = argv[n--];
	for (int i = 1; i <= n; i++)
		TRY(add_input(o, argv[i], err));
	if (!o->n_paths)
		TRY(add_input(o, "trace.dat", err));
	if (o->json && o->csv)
		return errmsg_set(err, -EINVAL, "--json and --csv exclude each other");
	if (!*ret_query && isatty(STDIN_FILENO))
		return errmsg_set(err, -EINVAL,
				  "there is no query; write it after the files, as in sonde sql "
				  "trace.dat 'SELECT name, count FROM event_kind'");
	return 0;
}

static int read_query(const char *word, struct textbuf *tb, struct errmsg *err)
{
	int r;

	if (word && strcmp(word, "-")) {
		textbuf_add_str(tb, word);
		return 0;
	}
	r = textbuf_add_file(tb, STDIN_FILENO);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot read the query from standard input");
	if (memchr(tb->start, '\0', textbuf_len(tb)))
		return errmsg_set(err, -EINVAL, "the query on standard input is not a text");
	return 0;
}

static int write_rows(void *out, const char *s, size_t len)
{
	return output_write(out, s, len);
}

static int run_query(struct sql_options *o, struct inputs *in, const char *sql, struct errmsg *err)
{
	enum rowstext_form form = o->json ? ROWSTEXT_JSON : o->csv ? ROWSTEXT_CSV : ROWSTEXT_TABLE;
	SCOPED(rowstext_release) struct rowstext text = {0};
	SCOPED(query_free_scoped) struct query *q = NULL;
	struct output out;
	struct query_stop stop = {is_stopped, &out};
	struct query_sink sink;
	int r;

	TRY(output_open(&out, o->colour, o->no_pager, err));
	rowstext_init(&text, form, write_rows, &out);
	sink = rowstext_sink(&text);
	sql_catch_interrupts(true);
	r = query_new(&q, in, &o->limits, &stop, err);
	if (r >= 0)
		r = query_run(q, sql, &sink, err);
	sql_catch_interrupts(false);
	if (r == -EPIPE || (r == -EINTR && output_is_closed(&out))) { /* nobody reads */
		*err = (struct errmsg){0};
		r = 0;
	}
	output_close(&out);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct sql_options o = {0};
	struct inputs_spec spec = {.paths = o.paths, .all_names = true};
	SCOPED(inputs_close) struct inputs in = {0};
	TEXTBUF(sql, QUERY_MAX_BYTES);
	const char *query;
	int n = command_parse(cmd, &o, argc, argv, err), r;

	TRY(n);
	if (o.name && !strcmp(o.name, "list"))
		return list_shipped(err);
	TRY(take_words(&o, n, argv, &query, err));
	TRY(read_query(query, &sql, err));
	spec.n_paths = o.n_paths;
	TRY(inputs_open(&in, &spec, err));
	r = run_query(&o, &in, textbuf_text(&sql), err);
	return notes_print_damage(&in, false) && r >= 0 ? 1 : r;
}

const struct command cmd_sql = {
	.name = "sql",
	.summary = "answer questions about a trace in SQL",
	.usage = "[options] [FILE…] ['QUERY']",
	.options = rows,
	.args = "file",
	.run = run,
};
