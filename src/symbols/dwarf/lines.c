// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * lines.c - finds the lines that have code, and their source files.
 *
 * The line table of a unit is rows of (address, file, line, is_stmt), sorted by address. A line can
 * be probed where a statement begins (is_stmt). Optimised code mixes the lines:
 *
 *	1160  loop.c:12  stmt    begins
 *	1166  loop.c:12  stmt    the same line continues: not a separate place
 *	116e  loop.c:15  stmt    begins
 *	1174  loop.c:12  stmt    begins again
 *
 * Rows inside an inlined copy belong to the copy, not to the outer function, unless the line is the
 * outer one's: of the functions around an address, the line belongs to the one that begins nearest
 * before the line. Two lines are not in the table: the line where a function begins is its entry,
 * and the line that calls an inlined function is where the copy begins.
 */
#include "base/scope.h"
#include "symbols/dwarf/debuginfo_int.h"
#include "base/array.h"
#include "base/errmsg.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINES_MAX (1u << 20) /* limit of one result */

/*
 * --- paths -------------------------------------------------------------------------------------
 */

/* A path that is parsed from its end. */
struct path_tail {
	const char *text;
	size_t len;
	/* directory to which the path is relative; NULL: unknown, or the path is absolute */
	const char *dir;
	unsigned skip; /* components that a later ".." undoes */
};

static struct path_tail tail_of(const char *path, const char *dir)
{
	return (struct path_tail){path, strlen(path), *path == '/' ? NULL : dir, 0};
}

/* Removes and returns the last component. Returns NULL when nothing is left. */
static const char *take_last(struct path_tail *t, size_t *ret_len)
{
	while (t->len || t->dir) {
		size_t end = t->len, begin;

		if (!t->len) {
			*t = (struct path_tail){t->dir, strlen(t->dir), NULL, t->skip};
			continue;
		}
		while (end && t->text[end - 1] == '/')
			end--;
		for (begin = end; begin && t->text[begin - 1] != '/';)
			begin--;
		t->len = begin;
		*ret_len = end - begin;
		if (!*ret_len || (*ret_len == 1 && t->text[begin] == '.'))
			continue;
		if (*ret_len == 2 && !memcmp(t->text + begin, "..", 2)) {
			t->skip++;
			continue;
		}
		if (!t->skip)
			return t->text + begin;
		t->skip--;
	}
	return NULL;
}

bool path_ends_in(const char *path, const char *end)
{
	struct path_tail a = tail_of(path, NULL), b = tail_of(end, NULL);
	const char *x, *y;
	size_t n, m;

	while ((y = take_last(&b, &m))) {
		x = take_last(&a, &n);
		if (!x || n != m || memcmp(x, y, n))
			return false;
	}
	return true;
}

static const char *unit_directory(struct unit *u)
{
	Dwarf_Attribute a;
	const char *s = dwarf_formstring(dwarf_attr(&u->skeleton, DW_AT_comp_dir, &a));

	return s ? s : "";
}

bool unit_same_file(struct unit *u, const char *one, const char *two)
{
	struct path_tail a, b;
	const char *x, *y, *dir;
	size_t n, m;

	if (one == two || !strcmp(one, two))
		return true;
	if (strcmp(basename(one), basename(two))) /* this test excludes most files */
		return false;
	dir = unit_directory(u);
	a = tail_of(one, dir);
	b = tail_of(two, dir);
	do {
		x = take_last(&a, &n);
		y = take_last(&b, &m);
		if (!x || !y)
			return x == y;
	} while (n == m && !memcmp(x, y, n));
	return false;
}

/* Tries DIR/PATH, then with fewer and fewer of the leading directories. */
static char *find_below(const char *dir, const char *path)
{
	char *name, *found = NULL;

	while (!found && path) {
		path += strspn(path, "/");
		if (asprintf(&name, "%s/%s", dir, path) < 0)
			return NULL;
		if (!access(name, R_OK))
			found = name;
		else
			free(name);
		path = strchr(path, '/');
	}
	return found;
}

static char *find_source(struct debuginfo *d, struct unit *u, const char *path)
{
	char *found = d->source_dir ? find_below(d->source_dir, path) : NULL;
	char *name;

	if (found)
		return found;
	if (path[0] == '/' || !u)
		return access(path, R_OK) ? NULL : strdup(path);
	if (asprintf(&name, "%s/%s", unit_directory(u), path) < 0)
		return NULL;
	if (!access(name, R_OK))
		return name;
	free(name);
	return access(path, R_OK) ? NULL : strdup(path);
}

char *source_path(struct debuginfo *d, struct unit *u, const char *path)
{
	char *found = find_source(d, u, path);
	char *clean = found ? realpath(found, NULL) : NULL; /* the path without "../" */

	if (!clean)
		return found;
	free(found);
	return clean;
}

/*
 * --- rows of a function ------------------------------------------------------------------------
 */

struct row {
	uint64_t address;
	const char *file;
	unsigned line;
	bool is_weak; /* the row is not the beginning of a statement */
};

/* Returns false for meaningless rows. */
static bool get_row(Dwarf_Lines *lines, size_t i, struct row *ret)
{
	Dwarf_Line *l = dwarf_onesrcline(lines, i);
	Dwarf_Addr address;
	bool ends, is_stmt;
	int line;

	if (!l || dwarf_lineendsequence(l, &ends) || ends)
		return false;
	if (dwarf_linebeginstatement(l, &is_stmt) || dwarf_lineno(l, &line) || line <= 0 ||
	    dwarf_lineaddr(l, &address))
		return false;
	*ret = (struct row){address, dwarf_linesrc(l, NULL, NULL), line, !is_stmt};
	return ret->file;
}

/* Returns the first row at or after the address. */
static size_t first_row(Dwarf_Lines *lines, size_t n, uint64_t address)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		Dwarf_Addr a = 0;

		dwarf_lineaddr(dwarf_onesrcline(lines, mid), &a);
		if (a < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct instance *instance_owning(struct debuginfo *d, struct unit *u, struct instance *innermost,
				 const char *file, unsigned line)
{
	struct instance *best = innermost;
	unsigned nearest = UINT_MAX;

	for (struct instance *i = innermost; i;
	     i = i->parent < 0 ? NULL : &u->instances[i->parent]) {
		struct function *f = instance_function(d, u, i);
		const char *in = f ? function_file(f) : NULL;
		unsigned first = f ? function_line(f) : 0;

		if (!in || first > line || line - first >= nearest || !unit_same_file(u, in, file))
			continue;
		nearest = line - first;
		best = i;
	}
	return best;
}

struct line_walk {
	struct debuginfo *d;
	const char *file;
	int (*visit)(void *ctx, const struct line_visit *v);
	void *ctx;
};

static int walk_range(struct line_walk *w, struct unit *u, struct instance *inst, uint64_t begin,
		      uint64_t end)
{
	struct row row, before = {0};
	Dwarf_Lines *lines;
	size_t n;
	int r = 0;

	if (dwarf_getsrclines(&u->die, &lines, &n) != 0)
		return 0;
	for (size_t i = first_row(lines, n, begin); r == 0 && i < n; i++) {
		struct line_visit v = {.unit = u, .instance = inst, .file = w->file};
		struct instance *inner;

		if (!get_row(lines, i, &row))
			continue;
		if (row.address >= end)
			break;
		v.address = row.address;
		v.line = row.line;
		v.is_weak = row.is_weak;
		v.begins = row.is_weak || !before.file || row.line != before.line ||
			   row.file != before.file;
		before = row.is_weak ? before : row;
		if (!unit_same_file(u, row.file, w->file))
			continue;
		inner = instance_innermost(u, inst, row.address);
		if (instance_owning(w->d, u, inner, row.file, row.line) == inst)
			r = w->visit(w->ctx, &v);
	}
	return r;
}

bool instance_has_statements(struct unit *u, struct instance *inst, unsigned but_line)
{
	Dwarf_Addr base, begin, end;
	Dwarf_Lines *lines;
	ptrdiff_t at = 0;
	struct row row;
	size_t n;

	if (dwarf_getsrclines(&u->die, &lines, &n) != 0)
		return false;
	while ((at = dwarf_ranges(&inst->die, at, &base, &begin, &end)) > 0)
		for (size_t i = first_row(lines, n, begin); i < n; i++) {
			if (!get_row(lines, i, &row))
				continue;
			if (row.address >= end)
				break;
			if (!row.is_weak && row.line != but_line &&
			    instance_innermost(u, inst, row.address) == inst)
				return true;
		}
	return false;
}

/* The statements of a part of the copy, without functions inlined into it. */
struct beginnings {
	struct unit *unit;
	struct instance *instance;
	Dwarf_Lines *lines;
	size_t n_lines;
};

/* Counts the addresses where a statement of that line begins. */
static unsigned count_statements(const struct beginnings *b, uint64_t begin, uint64_t end,
				 unsigned line)
{
	uint64_t before = 0;
	unsigned n = 0;
	struct row row;

	for (size_t i = first_row(b->lines, b->n_lines, begin); i < b->n_lines; i++) {
		if (!get_row(b->lines, i, &row))
			continue;
		if (row.address >= end)
			break;
		if (row.is_weak || row.line != line || (n && row.address == before) ||
		    instance_innermost(b->unit, b->instance, row.address) != b->instance)
			continue;
		before = row.address;
		n++;
	}
	return n;
}

/*
 * Returns the line of the first statement at or after the copy's entry, except that of the function
 * itself, or 0.
 */
static unsigned first_statement(const struct beginnings *b, unsigned function_line)
{
	struct row row;

	for (size_t i = first_row(b->lines, b->n_lines, b->instance->entry); i < b->n_lines; i++) {
		if (!get_row(b->lines, i, &row))
			continue;
		if (!instance_covers(b->instance, row.address))
			break;
		if (!row.is_weak && row.line != function_line &&
		    instance_innermost(b->unit, b->instance, row.address) == b->instance)
			return row.line;
	}
	return 0;
}

/*
 * Counts the beginnings: gcc marks each one. For clang, this is the number of parts in which the
 * first line begins.
 */
unsigned instance_beginnings(struct unit *u, struct instance *inst, unsigned function_line,
			     unsigned *ret_line)
{
	struct beginnings b = {.unit = u, .instance = inst};
	unsigned n_functions = 0, n_lines = 0;
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	*ret_line = 0;
	if (dwarf_getsrclines(&u->die, &b.lines, &b.n_lines) != 0)
		return 0;
	*ret_line = first_statement(&b, function_line);
	while ((at = dwarf_ranges(&inst->die, at, &base, &begin, &end)) > 0) {
		n_functions += count_statements(&b, begin, end, function_line);
		n_lines += *ret_line && count_statements(&b, begin, end, *ret_line);
	}
	return n_functions ? n_functions : n_lines;
}

unsigned instance_call_line(struct unit *u, struct instance *i, const char **ret_file)
{
	Dwarf_Attribute a;
	Dwarf_Word file, line;
	Dwarf_Files *files;
	size_t n;

	if (dwarf_formudata(dwarf_attr(&i->die, DW_AT_call_file, &a), &file) ||
	    dwarf_formudata(dwarf_attr(&i->die, DW_AT_call_line, &a), &line) ||
	    dwarf_getsrcfiles(&u->die, &files, &n) || file >= n || line > INT_MAX)
		return 0;
	*ret_file = dwarf_filesrc(files, file, NULL, NULL);
	return *ret_file ? line : 0;
}

static int walk_calls(struct line_walk *w, struct unit *u, struct instance *inst)
{
	int first = inst - u->instances, r = 0;

	for (struct instance *i = inst + 1;
	     r == 0 && i < u->instances + u->n_instances && i->parent >= first; i++) {
		struct line_visit v = {u, inst, w->file, i->entry, 0, true};
		const char *file;

		if (i->parent != first)
			continue;
		v.line = instance_call_line(u, i, &file);
		if (v.line && unit_same_file(u, file, w->file))
			r = w->visit(w->ctx, &v);
	}
	return r;
}

static int walk_instance(void *ctx, struct unit *u, struct instance *inst)
{
	struct line_walk *w = ctx;
	struct function *f = instance_function(w->d, u, inst);
	struct line_visit v = {u, inst, w->file, inst->entry, f ? function_line(f) : 0, true};
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;
	int r = v.line ? w->visit(w->ctx, &v) : 0;

	while (r == 0 && (at = dwarf_ranges(&inst->die, at, &base, &begin, &end)) > 0)
		r = walk_range(w, u, inst, begin, end);
	return r == 0 ? walk_calls(w, u, inst) : r;
}

int function_each_line(struct debuginfo *d, struct function *f,
		       int (*visit)(void *ctx, const struct line_visit *v), void *ctx)
{
	struct line_walk w = {d, function_file(f), visit, ctx};

	return w.file ? function_each_instance(d, f, walk_instance, &w) : 0;
}

/*
 * Finds the end of the prologue: where the line table marks it (clang), or at the second row (gcc).
 */
static uint64_t find_body(Dwarf_Lines *lines, size_t n, struct instance *i)
{
	uint64_t second = 0;

	for (size_t k = first_row(lines, n, i->entry); k < n; k++) {
		Dwarf_Line *l = dwarf_onesrcline(lines, k);
		bool ends = false;
		Dwarf_Addr address;

		if (!l || dwarf_lineaddr(l, &address))
			continue;
		if (!instance_covers(i, address))
			break;
		if (!dwarf_lineprologueend(l, &ends) && ends)
			return address;
		if (!second && address > i->entry)
			second = address;
	}
	return second ? second : i->entry;
}

/*
 * Finds the body, where the frame must exist. clang marks the end of a prologue too early if the
 * first parameter is passed by address.
 */
uint64_t instance_body(struct debuginfo *d, struct unit *u, struct instance *i)
{
	Dwarf_Lines *lines;
	uint64_t body;
	size_t n;

	if (dwarf_getsrclines(&u->die, &lines, &n) != 0)
		return i->entry;
	body = find_body(lines, n, i);
	for (size_t k = first_row(lines, n, body); k < n; k++) {
		Dwarf_Addr address;

		if (dwarf_lineaddr(dwarf_onesrcline(lines, k), &address) ||
		    !instance_covers(i, address))
			break;
		if (location_has_frame(d, i, address))
			return address;
	}
	return body;
}

/*
 * --- rows of a file ----------------------------------------------------------------------------
 */

/* Returns the file of the unit whose path has that end, or NULL. */
static const char *unit_file(struct unit *u, const char *path)
{
	Dwarf_Files *files;
	size_t n;

	if (dwarf_getsrcfiles(&u->die, &files, &n) != 0)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		const char *s = dwarf_filesrc(files, i, NULL, NULL);

		if (s && path_ends_in(s, path))
			return s;
	}
	return NULL;
}

static int walk_rows(struct line_walk *w, struct unit *u)
{
	struct row row, before = {0};
	Dwarf_Lines *lines;
	size_t n;
	int r = 0;

	if (dwarf_getsrclines(&u->die, &lines, &n) != 0)
		return 0;
	for (size_t i = 0; r == 0 && i < n; i++) {
		struct line_visit v = {.unit = u, .file = w->file};

		if (!get_row(lines, i, &row))
			continue;
		v.address = row.address;
		v.line = row.line;
		v.is_weak = row.is_weak;
		v.begins = row.is_weak || row.line != before.line || row.file != before.file;
		before = row.is_weak ? before : row;
		if (row.address > 1 && unit_same_file(u, row.file, w->file))
			r = w->visit(w->ctx, &v);
	}
	return r;
}

/* Visits the first lines of functions, and calls of inlined functions. */
static int walk_entries(struct line_walk *w, struct unit *u)
{
	int r = unit_walk(w->d, u);

	for (size_t i = 0; r == 0 && i < u->n_instances; i++) {
		struct instance *inst = &u->instances[i];
		struct function *f = instance_function(w->d, u, inst);
		struct line_visit v = {u, inst, w->file, inst->entry, 0, true};
		const char *file = f ? function_file(f) : NULL;

		if (file && unit_same_file(u, file, w->file) && (v.line = function_line(f)))
			r = w->visit(w->ctx, &v);
		if (r != 0 || inst->parent < 0)
			continue;
		v.instance = &u->instances[inst->parent];
		v.line = instance_call_line(u, inst, &file);
		if (v.line && unit_same_file(u, file, w->file))
			r = w->visit(w->ctx, &v);
	}
	return r;
}

int file_each_line(struct debuginfo *d, const char *path, const char **ret_path,
		   struct unit **ret_unit, int (*visit)(void *ctx, const struct line_visit *v),
		   void *ctx)
{
	struct line_walk w = {d, NULL, visit, ctx};
	SCOPED(scope_free) bool *which = NULL;
	int r = units_list(d);

	*ret_path = NULL;
	*ret_unit = NULL;
	which = r < 0 ? NULL : units_with_file(d, basename(path));
	if (!which)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < d->n_units; i++) {
		struct unit *u = &d->units[i];

		w.file = which[i] ? unit_file(u, path) : NULL;
		if (!w.file)
			continue;
		if (!*ret_path) {
			*ret_path = w.file;
			*ret_unit = u;
		}
		r = walk_rows(&w, u);
		if (r == 0)
			r = walk_entries(&w, u);
	}
	return r;
}

/*
 * --- a piece of source -------------------------------------------------------------------------
 */

struct line_set {
	unsigned char *bits; /* a byte for each line, from 0 */
	size_t n;
	unsigned last;
};

static int set_add(void *ctx, const struct line_visit *v)
{
	struct line_set *s = ctx;

	if (v->line >= LINES_MAX || v->is_weak)
		return 0;
	if (!ARRAY_ROOM(s->bits, s->n, v->line + 1, LINES_MAX))
		return -ENOMEM;
	s->bits[v->line] = 1;
	if (v->line > s->last)
		s->last = v->line;
	return 0;
}

static int fill_source(struct debuginfo *d, struct unit *u, const char *path,
		       const struct line_set *set, struct debuginfo_source *s)
{
	s->n_lines = s->last - s->first + 1;
	s->path = source_path(d, u, path);
	s->is_found = s->path;
	if (!s->path)
		s->path = strdup(path);
	s->lines = calloc(s->n_lines, sizeof(*s->lines));
	if (!s->path || !s->lines)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_lines; i++) {
		unsigned line = s->first + i;

		s->lines[i] = (struct debuginfo_line){line, line < set->n && set->bits[line]};
	}
	return 0;
}

/* Counts the other functions, without the same header text in another unit. */
static unsigned count_others(const struct function_list *l, struct function *f)
{
	const char *file = function_file(f);
	unsigned n = 0;

	for (size_t i = 0; i < l->n; i++) {
		const char *other = function_file(l->list[i]);
		bool seen = function_line(l->list[i]) == function_line(f) && other && file &&
			    !strcmp(other, file);

		for (size_t k = 0; k < i && !seen; k++)
			seen = function_line(l->list[k]) == function_line(l->list[i]) && other &&
			       function_file(l->list[k]) &&
			       !strcmp(function_file(l->list[k]), other);
		n += !seen;
	}
	return n;
}

/* Finds another function of the same file, which only its parameters can select. */
static const char *find_other(struct debuginfo *d, const struct function_list *l,
			      struct function *f)
{
	const char *file = function_file(f);

	for (size_t i = 0; file && i < l->n; i++) {
		const char *other = function_file(l->list[i]);

		if (other && !strcmp(other, file) && function_line(l->list[i]) != function_line(f))
			return function_choice(d, l->list[i]);
	}
	return NULL;
}

static void line_set_release(struct line_set *set)
{
	free(set->bits);
}

static void function_list_release(struct function_list *l)
{
	free(l->list);
}

static int source_of_function(struct debuginfo *d, const char *name, const char *file,
			      unsigned first, unsigned last, struct debuginfo_source *s,
			      struct errmsg *err)
{
	SCOPED(function_list_release) struct function_list l = {0};
	SCOPED(line_set_release) struct line_set set = {0};
	struct function *f = NULL;
	int r = debuginfo_find_functions(d, name, file, &l, err);

	TRY(r);
	for (size_t i = 0; r >= 0 && i < l.n && !set.last; i++) {
		f = l.list[i];
		r = function_each_line(d, f, set_add, &set);
	}
	if (f) {
		s->n_others = count_others(&l, f);
		s->other = find_other(d, &l, f);
	}
	TRY(r);
	if (!set.last)
		return functions_refuse(d, name, err);
	s->function = f->name;
	s->function_line = function_line(f);
	s->first = s->function_line + first;
	s->last = last ? s->function_line + last : set.last;
	if (s->last < s->first || s->last - s->first > LINES_MAX)
		return errmsg_set(err, -ENOENT, "%s has only %u lines", f->name,
				  set.last - s->function_line);
	return fill_source(d, f->unit, function_file(f), &set, s);
}

static int source_of_file(struct debuginfo *d, const char *file, unsigned first, unsigned last,
			  struct debuginfo_source *s, struct errmsg *err)
{
	SCOPED(line_set_release) struct line_set set = {0};
	const char *path;
	struct unit *u;

	TRY(file_each_line(d, file, &path, &u, set_add, &set));
	if (!path)
		return errmsg_set(err, -ENOENT,
				  "%s has no code from a file '%s'; 'sonde probe funcs -v' shows "
				  "its files",
				  d->path, file);
	s->first = first ? first : 1;
	s->last = last ? last : set.last;
	if (s->last < s->first || s->last - s->first > LINES_MAX)
		return errmsg_set(err, -ENOENT, "the last line of %s that has code is %u", path,
				  set.last);
	return fill_source(d, u, path, &set, s);
}

int debuginfo_source(struct debuginfo *d, const char *function, const char *file, unsigned first,
		     unsigned last, struct debuginfo_source *ret_source, struct errmsg *err)
{
	struct debuginfo_source s = {0};
	int r;

	if (!d->dwarf)
		return debuginfo_refuse_dwarf(d, err);
	r = function ? source_of_function(d, function, file, first, last, &s, err)
		     : source_of_file(d, file, first, last, &s, err);
	if (r < 0) {
		debuginfo_source_release(&s);
		return errmsg_set_errno(err, r, "cannot read the lines of %s", d->path);
	}
	*ret_source = s;
	return 0;
}

void debuginfo_source_release(struct debuginfo_source *s)
{
	free(s->path);
	free(s->lines);
	memset(s, 0, sizeof(*s));
}
