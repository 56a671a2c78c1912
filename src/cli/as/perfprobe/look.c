// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * look.c - `perf probe -F` and `-L`: functions, and lines of the source.
 *
 *	<work@/src/prog.c:0>
 *	      0  int work(int a, int b)              lines that can be probed have their number
 *	         {
 *	      2          int sum = a + b;
 *
 * For a function, the lines up to the last one that can be probed are shown, and three more. For a
 * range, all lines are shown. FUNC:2+3 selects a number of lines.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/as/perf_filter.h"
#include "cli/as/perfprobe/perfprobe.h"
#include "cli/screen/output.h"
#include "format/bytes.h"
#include "probe/look/kernelfuncs.h"
#include "probe/look/sourcetext.h"
#include "symbols/cxx/demangle.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES	 (64u << 20)
#define ADDITIONAL_LINES 3
#define NAME_MAX_BYTES	 4096

/* --- functions -------------------------------------------------------------------------------- */

struct names {
	const struct perf_probe_options *o;
	struct textbuf tb;
	size_t n;
};

/* Adds a function. One that is only inlined has no symbol, and perf does not list it. */
static int add_function(void *ctx, const struct debuginfo_function *f)
{
	struct names *l = ctx;
	char readable[NAME_MAX_BYTES];
	const char *name = f->symbol ? f->symbol : f->name;

	if (!f->address)
		return 0;
	if (!l->o->no_demangle && demangle(name, readable, sizeof(readable)))
		name = readable;
	if (!perf_filter_matches(l->o->filter, name))
		return 0;
	textbuf_addf(&l->tb, "%s\n", name);
	l->n++;
	return l->tb.overflow ? -EFBIG : 0;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts by name, each name once: several functions and inlined copies can have the same name. */
static int sort_names(struct names *l)
{
	const char **lines = calloc(l->n + 1, sizeof(*lines));
	char *rest = l->tb.start;
	struct textbuf sorted;
	size_t n = 0;

	if (!lines)
		return -ENOMEM;
	textbuf_init(&sorted, TEXT_MAX_BYTES);
	textbuf_add(&l->tb, "", 1);
	while (n < l->n)
		lines[n++] = strsep(&rest, "\n");
	qsort(lines, n, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < n; i++)
		if (!i || strcmp(lines[i], lines[i - 1]))
			textbuf_addf(&sorted, "%s\n", lines[i]);
	free(lines);
	textbuf_release(&l->tb);
	l->tb = sorted;
	return 0;
}

static int list_functions(const struct perf_probe_options *o, struct names *l, struct errmsg *err)
{
	struct probe_target where;
	struct debuginfo *info;
	char path[PATH_MAX];
	int r;

	perf_probe_where(o, &o->target, path, &where);
	if (probefuncs_are_loaded(&where))
		return probefuncs_loaded(where.module, NULL, add_function, l, err);
	TRY(probetarget_open(&where, NULL, &info, err));
	r = debuginfo_functions(info, NULL, add_function, l, err);
	debuginfo_close(info);
	return r;
}

static int print_names(const struct perf_probe_options *o, struct names *l, struct errmsg *err)
{
	int own = perf_probe_enter(o), r = list_functions(o, l, err);

	perf_probe_leave(own);
	TRY(r);
	if (!l->n && o->target.module) {
		perf_probe_say(o, "Failed to get a map for %s\n",
			       o->target.program ? o->target.program : o->target.module);
		return -EINVAL;
	}
	if (l->n)
		TRY(sort_names(l));
	return output_print(&l->tb, "never", false, err);
}

int perf_probe_funcs(const struct perf_probe_options *o)
{
	struct names l = {.o = o};
	struct errmsg err = {0};
	int r;

	textbuf_init(&l.tb, TEXT_MAX_BYTES);
	r = print_names(o, &l, &err);
	textbuf_release(&l.tb);
	return r < 0 ? perf_probe_fail(o, "Failed to show functions.", r, &err) : 0;
}

/* --- lines ------------------------------------------------------------------------------------ */

static int take_number(char **s, int *ret, const char *what, struct errmsg *err)
{
	char *end;
	long n = strtol(*s, &end, 0);

	if (end == *s || n < 0 || n >= INT_MAX)
		return errmsg_set(err, -EINVAL, "'%s' is not a valid number.", what);
	*s = end;
	*ret = n;
	return 0;
}

static int take_range(char *range, struct perf_line_range *ret, struct errmsg *err)
{
	TRY(take_number(&range, &ret->first, "start line", err));
	if (*range == '+' || *range == '-') {
		char c = *range++;

		TRY(take_number(&range, &ret->last, "end line", err));
		if (c == '+')
			ret->last = ret->last < INT_MAX - ret->first ? ret->last + ret->first - 1
								     : INT_MAX;
	}
	if (ret->first > ret->last)
		return errmsg_set(err, -EINVAL, "Start line must be smaller than end line.");
	if (*range)
		return errmsg_set(err, -EINVAL, "Tailing with invalid str '%s'.", range);
	return 0;
}

/* Returns the last single colon: two colons are C++. */
static char *find_colon(char *s)
{
	char *colon = strrchr(s, ':');

	return colon && colon > s && colon[-1] != ':' ? colon : NULL;
}

int perf_probe_parse_lines(const char *text, struct perf_line_range *ret, struct errmsg *err)
{
	char *colon, *at;
	int r = 0;

	*ret = (struct perf_line_range){.last = INT_MAX};
	if ((size_t)snprintf(ret->name, sizeof(ret->name), "%s", text) >= sizeof(ret->name))
		return errmsg_set(err, -EINVAL, "'%s' is not a valid function name.", text);
	colon = find_colon(ret->name);
	if (colon) {
		*colon = 0;
		r = take_range(colon + 1, ret, err);
	}
	at = strchr(ret->name, '@');
	if (at) {
		*at = 0;
		snprintf(ret->file, sizeof(ret->file), "%s", at + 1);
	}
	ret->is_function = at || !strpbrk(ret->name, "/.");
	if (r >= 0 && !*ret->name)
		return errmsg_set(err, -EINVAL, "'%s' is not a valid function name.", text);
	return r;
}

/* All lines of the source, and which of them can be probed. */
struct shown {
	const struct debuginfo_source *src;
	unsigned base;	      /* the line that is counted as 0 */
	unsigned first, last; /* line numbers in the file */
};

static bool is_probeable(const struct debuginfo_source *src, unsigned line)
{
	size_t at = ARRAY_BISECT(src->n_lines, i, src->lines[i].line < line);

	return at < src->n_lines && src->lines[at].line == line && src->lines[at].is_probeable;
}

/* Finds the range. Returns -ENOENT if no line of it can be probed. */
static int settle_range(const struct perf_line_range *range, struct shown *s)
{
	const struct debuginfo_source *src = s->src;
	unsigned n = 0, last = 0;

	s->base = range->is_function ? src->function_line : 0;
	s->first = s->base + range->first;
	s->last = range->last == INT_MAX ? UINT_MAX : s->base + range->last;
	for (size_t i = 0; i < src->n_lines; i++)
		if (src->lines[i].is_probeable && src->lines[i].line >= s->first &&
		    src->lines[i].line <= s->last) {
			last = src->lines[i].line;
			n++;
		}
	if (range->last == INT_MAX)
		s->last = last + ADDITIONAL_LINES;
	return n ? 0 : -ENOENT;
}

static int fmt_source(const struct shown *s, struct textbuf *tb)
{
	const struct debuginfo_source *src = s->src;
	struct sourcetext text;
	bool is_open;

	if (src->function)
		textbuf_addf(tb, "<%s@%s:%u>\n", src->function, src->path, s->first - s->base);
	else
		textbuf_addf(tb, "<%s:%u>\n", src->path, s->first);
	sourcetext_open(&text, src->path);
	is_open = text.is_open;
	for (unsigned line = s->first ? s->first : 1; is_open && line <= s->last; line++) {
		struct piece p = sourcetext_line(&text, line);

		if (text.line != line + 1)
			break;
		if (is_probeable(src, line))
			textbuf_addf(tb, "%7u  ", line - s->base);
		else
			textbuf_add_fill(tb, ' ', 9);
		textbuf_add(tb, (const char *)p.data, p.len);
		textbuf_add_char(tb, '\n');
	}
	sourcetext_close(&text);
	return is_open ? 0 : -ENOENT;
}

static int show_source(const struct perf_probe_options *o, const struct perf_line_range *range,
		       const struct debuginfo_source *src, struct errmsg *err)
{
	struct shown s = {.src = src};
	TEXTBUF(tb, TEXT_MAX_BYTES);
	int r = settle_range(range, &s);

	if (r < 0) {
		perf_probe_say(o, "Specified source line is not found.\n");
		return r;
	}
	if (!src->is_found) {
		perf_probe_say(o, "Failed to find source file path.\n");
		return errmsg_set(err, -ENOENT,
				  "the source %s is not here; -s DIR says where to look for it",
				  src->path);
	}
	TRY(fmt_source(&s, &tb));
	return output_print(&tb, "never", false, err);
}

static int find_source(const struct perf_probe_options *o, const struct perf_line_range *range,
		       struct debuginfo *info, struct errmsg *err)
{
	const char *file = range->is_function ? (*range->file ? range->file : NULL) : range->name;
	struct debuginfo_source src;
	int r;

	if (!debuginfo_has_dwarf(info)) {
		perf_probe_say(o,
			       "The %s file has no debug information.\nRebuild with -g, or install "
			       "an appropriate debuginfo package.\n",
			       o->target.program ? o->target.program : "kernel's");
		return -ENOENT;
	}
	r = debuginfo_source(info, range->is_function ? range->name : NULL, file, 0, 0, &src, err);
	if (r < 0) {
		perf_probe_say(o, range->is_function ? "Specified source line is not found.\n"
						     : "Debuginfo analysis failed.\n");
		return range->is_function ? r : -ENOTSUP;
	}
	r = show_source(o, range, &src, err);
	debuginfo_source_release(&src);
	return r;
}

static int show_lines(const struct perf_probe_options *o, const struct perf_line_range *range,
		      struct errmsg *err)
{
	struct probe_target where;
	struct debuginfo *info;
	char path[PATH_MAX];
	int r;

	perf_probe_where(o, &o->target, path, &where);
	TRY(probetarget_open(&where, NULL, &info, err));
	r = find_source(o, range, info, err);
	debuginfo_close(info);
	return r;
}

int perf_probe_lines(const struct perf_probe_options *o)
{
	struct perf_line_range range;
	struct errmsg err = {0};
	int own, r = perf_probe_parse_lines(o->lines, &range, &err);

	if (r < 0)
		return perf_probe_fail(o, "Failed to show lines.", r, &err);
	own = perf_probe_enter(o);
	r = show_lines(o, &range, &err);
	perf_probe_leave(own);
	return r < 0 ? perf_probe_fail(o, "Failed to show lines.", r, &err) : 0;
}
