// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lines.c - `sonde probe lines`: prints source text, and marks the lines that can be probed.
 *
 *	$ sonde probe lines -x ./prog loop
 *	loop in /src/prog.c
 *	  *    0    12  int loop(struct s *p, int n)
 *	       1    13  {
 *	  *    2    14          int sum = 0;
 *
 * A star marks a line that can be probed. Then follow the line numbers in the function (for loop:2)
 * and in the file (for prog.c:14). Without the source it prints only the numbers.
 */
#include "base/array.h"
#include "base/json/jsonwriter.h"
#include "base/scope.h"
#include "cli/screen/output.h"
#include "cli/probe/commands.h"
#include "cli/probe/targetrows.h"
#include "format/bytes.h"
#include "probe/look/sourcetext.h"
#include "symbols/dwarf/debuginfo.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TEXT_MAX_BYTES (64u << 20)
#define LINE_MAX       (1u << 24)

struct lines_options {
	struct probe_target target;
};

static const struct option_row rows[] = {
	PROBETARGET_ROWS(struct lines_options, target),
	ROW_END,
};

/* FUNC[@SRC][:FROM[-TO|+N]] or SRC[:FROM[-TO|+N]], split in place. */
struct line_range {
	const char *function, *file;
	unsigned first, last;
};

static bool looks_like_file(const char *s)
{
	static const char *const endings[] = {".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh",
					      ".S", ".s", ".rs", ".go",	 ".y",	 ".l",	 ".inc"};
	size_t len = strlen(s);

	for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
		size_t n = strlen(endings[i]);

		if (len > n && !strcmp(s + len - n, endings[i]))
			return true;
	}
	return strchr(s, '/');
}

static bool take_number(const char **s, unsigned *ret)
{
	char *end;
	unsigned long v;

	if (!isdigit((unsigned char)**s))
		return false;
	v = strtoul(*s, &end, 10);
	*s = end;
	*ret = v;
	return v < LINE_MAX;
}

static int parse_numbers(const char *s, struct line_range *r, const char *all, struct errmsg *err)
{
	unsigned more;

	if (take_number(&s, &r->first)) {
		r->last = r->first;
		if (!*s)
			r->last = r->first ? r->first + 10 : 0;
		else if (*s == '-' && s++ && take_number(&s, &more))
			r->last = more;
		else if (*s == '+' && s++ && take_number(&s, &more))
			r->last = r->first + more;
		if (!*s && r->last >= r->first)
			return 0;
	}
	return errmsg_set(err, -EINVAL,
			  "probe lines: '%s' is no range of lines; it is written FUNC:2-9, "
			  "FUNC:2+7 or FILE:20-30",
			  all);
}

/* Returns the last single colon that is not among the parameters of a function. */
static char *find_colon(char *s)
{
	char *close = strrchr(s, ')'), *p = strrchr(close ? close : s, ':');

	return p && p > s && p[-1] != ':' ? p : NULL;
}

static int parse_range(char *text, struct line_range *ret, struct errmsg *err)
{
	char *colon = find_colon(text), *at;
	struct line_range range = {0};
	int r = 0;

	if (colon && !isdigit((unsigned char)colon[1]))
		return parse_numbers(colon + 1, &range, text, err);
	if (colon) {
		r = parse_numbers(colon + 1, &range, text, err);
		*colon = 0;
	}
	at = strchr(text, '@');
	if (at) {
		*at = 0;
		range.function = text;
		range.file = at + 1;
	} else if (looks_like_file(text) && !strchr(text, '(')) {
		range.file = text;
	} else {
		range.function = text;
	}
	*ret = range;
	return r;
}

/* --- printing --------------------------------------------------------------------------------- */

static void fmt_text(const struct debuginfo_source *src, struct sourcetext *text,
		     struct textbuf *tb)
{
	if (src->function)
		textbuf_addf(tb, "%s in %s\n", src->function, src->path);
	else
		textbuf_addf(tb, "%s\n", src->path);
	for (size_t i = 0; i < src->n_lines; i++) {
		const struct debuginfo_line *l = &src->lines[i];
		struct piece p = sourcetext_line(text, l->line);

		if (!src->is_found && !l->is_probeable)
			continue;
		textbuf_addf(tb, "  %c ", l->is_probeable ? '*' : ' ');
		if (src->function)
			textbuf_addf(tb, "%4u ", l->line - src->function_line);
		textbuf_addf(tb, "%5u%s", l->line, p.len ? "  " : "");
		textbuf_add(tb, (const char *)p.data, p.len);
		textbuf_add_char(tb, '\n');
	}
}

static void fmt_json(const struct debuginfo_source *src, struct sourcetext *text,
		     struct textbuf *tb)
{
	struct jsonwriter w;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "file", src->path);
	jsonwriter_add_bool(&w, "found", src->is_found);
	jsonwriter_add_string(&w, "function", src->function);
	jsonwriter_open(&w, "lines", '[');
	for (size_t i = 0; i < src->n_lines; i++) {
		const struct debuginfo_line *l = &src->lines[i];
		struct piece p = sourcetext_line(text, l->line);

		jsonwriter_open(&w, NULL, '{');
		jsonwriter_add_uint(&w, "line", l->line);
		if (src->function)
			jsonwriter_add_uint(&w, "relative", l->line - src->function_line);
		jsonwriter_add_bool(&w, "probeable", l->is_probeable);
		if (src->is_found)
			jsonwriter_add_text(&w, "text", (const char *)p.data, p.len);
		jsonwriter_close(&w);
	}
	jsonwriter_close(&w);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}

/* Prints remarks about the text. */
static void print_remarks(const struct debuginfo *d, const struct debuginfo_source *src)
{
	struct stat source, program;

	if (src->n_others && src->other)
		fprintf(stderr,
			"sonde: %u more function%s of that name; parameters choose, as in '%s'\n",
			src->n_others, src->n_others == 1 ? " is" : "s are", src->other);
	else if (src->n_others)
		fprintf(stderr, "sonde: %u more function%s of that name; %s@FILE chooses\n",
			src->n_others, src->n_others == 1 ? " is" : "s are", src->function);
	if (!src->is_found)
		fprintf(stderr,
			"sonde: the source %s is not here; -s DIR says where to look for it\n",
			src->path);
	else if (!stat(src->path, &source) && debuginfo_dwarf_path(d) &&
		 !stat(debuginfo_dwarf_path(d), &program) && source.st_mtime > program.st_mtime)
		fprintf(stderr, "sonde: the source is newer than the program; the text may not fit "
				"the numbers\n");
}

static int print_source(const struct debuginfo_source *src, bool json, struct errmsg *err)
{
	struct sourcetext text;
	struct output out;
	TEXTBUF(tb, TEXT_MAX_BYTES);
	int r;

	TRY(output_open(&out, "never", false, err));
	sourcetext_open(&text, src->is_found ? src->path : NULL);
	(json ? fmt_json : fmt_text)(src, &text, &tb);
	r = tb.overflow ? errmsg_set(err, -EFBIG, "%s is too long", src->path)
			: output_write(&out, tb.start, textbuf_len(&tb));
	sourcetext_close(&text);
	output_close(&out);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct lines_options o = {0};
	SCOPED(debuginfo_close_scoped) struct debuginfo *d = NULL;
	SCOPED(debuginfo_source_release) struct debuginfo_source src = {0};
	struct line_range range = {0};
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	if (n != 1)
		return errmsg_set(err, -EINVAL,
				  n ? "%s: '%s' is one place too many"
				    : "%s: name a function or a file%.0s",
				  cmd->name, n ? argv[2] : "");
	TRY(parse_range(argv[1], &range, err));
	TRY(probetarget_open(&o.target, NULL, &d, err));
	TRY(debuginfo_source(d, range.function, range.file, range.first, range.last, &src, err));
	TRY(print_source(&src, o.target.json, err));
	if (!o.target.json)
		print_remarks(d, &src);
	return 0;
}

const struct command probe_lines = {
	.name = "probe lines",
	.summary = "show source lines and which of them can be probed",
	.usage = "[options] FUNC[@FILE][:FROM[-TO]] | FILE[:FROM[-TO]]",
	.options = rows,
	.run = run,
	.args = "@function",
};
