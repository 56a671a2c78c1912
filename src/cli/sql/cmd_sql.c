// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_sql.c - `sonde sql`: answers questions about a trace in SQL.
 *
 *	words ─▶ files, query ─▶ inputs_open ─▶ answering.c ─▶ output
 *	                         no query, and a terminal ─▶ shell.c
 *
 * The last word is the query if no file has that name, and it contains a blank or begins with a
 * dot. "-" reads the query from standard input; so does no query at all, if standard input is not a
 * terminal.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/command.h"
#include "cli/screen/notes.h"
#include "cli/screen/output.h"
#include "cli/sql/sql.h"
#include "inputs/inputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	ROW_FLAG(0, "parquet", "write the rows of one statement as a Parquet file", AT(parquet)),
	ROW_STRING('o', "output", "FILE", "write the rows to this file", AT(output),
		   .complete = "file"),
	ROW_CALL(0, "limit", "LIMIT",
		 "end a query after time=TIME (10s, 5m), or let it use memory=SIZE (default: 1G); "
		 "repeatable",
		 add_limit, .complete = "time= memory="),
	ROW_STRING(0, "color", "WHEN", "use colours: always, never or auto (on a terminal)",
		   AT(colour), .complete = "always never auto"),
	ROW_FLAG(0, "no-pager", "do not use a pager", AT(no_pager)),
	ROW_END,
};

/* --- the query -------------------------------------------------------------------------------- */

static bool looks_like_query(const char *word)
{
	return (strpbrk(word, " \t\n") || dot_is_command(word)) && access(word, F_OK) < 0;
}

static int list_shipped(struct errmsg *err)
{
	TEXTBUF(tb, SQL_QUERY_MAX_BYTES);

	sql_list_shipped(&tb);
	return output_print(&tb, "never", false, err);
}

static int check_forms(const struct sql_options *o, struct errmsg *err)
{
	if (o->json + o->csv + o->parquet > 1)
		return errmsg_set(err, -EINVAL, "--json, --csv and --parquet exclude each other");
	return 0;
}

static int take_words(struct sql_options *o, int n, char **argv, const char **ret_query,
		      struct errmsg *err)
{
	*ret_query = NULL;
	if (o->name) {
		*ret_query = sql_find_shipped(o->name, err);
		if (!*ret_query)
			return errmsg_code(err);
	} else if (n && (!strcmp(argv[n], "-") || looks_like_query(argv[n]))) {
		*ret_query = argv[n--];
	}
	for (int i = 1; i <= n; i++)
		TRY(add_input(o, argv[i], err));
	if (!o->n_paths)
		TRY(add_input(o, "trace.dat", err));
	return check_forms(o, err);
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

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct sql_options o = {0};
	struct inputs_spec spec = {.paths = o.paths, .all_names = true};
	SCOPED(inputs_close) struct inputs in = {0};
	TEXTBUF(sql, SQL_QUERY_MAX_BYTES);
	struct answering s;
	const char *query;
	int n = command_parse(cmd, &o, argc, argv, err), r;
	bool is_shell;

	TRY(n);
	if (o.name && !strcmp(o.name, "list"))
		return list_shipped(err);
	TRY(take_words(&o, n, argv, &query, err));
	is_shell = !query && isatty(STDIN_FILENO);
	if (!is_shell)
		TRY(read_query(query, &sql, err));
	spec.n_paths = o.n_paths;
	TRY(inputs_open(&in, &spec, err));
	if (is_shell) /* before the first question */
		notes_print_damage(&in, false);
	r = answering_open(&s, &o, &in, is_shell && !o.output, err);
	if (r >= 0)
		r = is_shell ? shell_run(&s, err) : shell_run_text(&s, textbuf_text(&sql), err);
	r = answering_close(&s, r, err);
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
