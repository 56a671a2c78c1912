// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * points.c - finds the instructions of a probe definition.
 *
 *	work            the entry of every function of that name, and of every inlined copy
 *	work+8          8 bytes after it
 *	work%return     the entry of those that can return: inlined copies cannot
 *	work:3          where the fourth line of the function begins (0 is its first)
 *	work.c:12       where that line of the file begins, also inside copies
 *	work;x=*        where lines with that text begin, ignoring blanks
 *	work.isra.0     a symbol: this code only
 *	sem_wait@V2     one version of a symbol; without it all versions
 *	memcpy          selected when a program starts (IFUNC): all candidates, see code.c
 *
 * A line begins at every address that control can reach from another line; perf probe uses every
 * row of the line table, which counts one execution several times.
 *
 * At the entry of a function that was not optimised, parameters are not yet where DWARF says,
 * because the first instructions (the prologue) store them there. Such functions are recognized by
 * a location without an address list.
 *
 * work.cold and work.part.0 are not entries of work. .cold has no return either: the kernel
 * replaces the top of the stack by its own address, and after a jump that is data of the program.
 */
#include "base/files/regular.h"
#include "base/array.h"
#include "base/scope.h"
#include "symbols/dwarf/points_int.h"
#include "symbols/arch.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN_MAX	 1000
#define LINE_MAX_BYTES	 2000
#define SOURCE_MAX_BYTES (256u << 20) /* generated sources have some MB */

/*
 * --- making points -----------------------------------------------------------------------------
 */

static bool is_inlined(struct instance *i)
{
	return dwarf_tag(&i->die) == DW_TAG_inlined_subroutine;
}

static const char *outer_name(struct search *s, struct unit *u, struct instance *i)
{
	struct function *f;

	if (!is_inlined(i) || i->parent < 0)
		return NULL;
	f = instance_function(s->d, u, &u->instances[i->parent]);
	return f ? f->name : NULL;
}

struct debuginfo_point *points_new(struct search *s)
{
	if (s->n == POINTS_MAX)
		return NULL;
	if (!ARRAY_ROOM(s->list, s->n_room, s->n + 1, ARRAY_NO_MAX))
		return NULL;
	return &s->list[s->n++];
}

/*
 * Returns true if the address is in the list. An address of a line is used once, even if several
 * functions begin there.
 */
static bool is_there(struct search *s, uint64_t address, const char *function)
{
	bool is_line = s->where->has_line || s->where->pattern;

	return ARRAY_ANY(s->n, i,
			 s->list[i].address == address &&
				 (is_line || !strcmp(s->list[i].function, function)));
}

static int add_point(struct search *s, struct unit *u, struct instance *i, uint64_t address,
		     unsigned line)
{
	struct function *f = instance_function(s->d, u, i);
	const struct symbol *symbol;
	struct debuginfo_point *p;

	if (!f || points_is_refused(s, i->entry, &address) || is_there(s, address, f->name))
		return 0;
	p = points_new(s);
	if (!p)
		return -ENOMEM;
	*p = (struct debuginfo_point){.address = address,
				      .function = f->name,
				      .choice = function_choice(s->d, f),
				      .inlined_into = outer_name(s, u, i),
				      .file = function_file(f),
				      .line = line};
	symbol = symbol_at(s->d, address);
	if (symbol) {
		p->symbol = symbol->name;
		p->symbol_offset = address - symbol->address;
	}
	p->scope = scope_new(s->d, u, i, address, s->where->is_return);
	return p->scope ? 0 : -ENOMEM;
}

/*
 * --- prologues ---------------------------------------------------------------------------------
 */

/*
 * Returns true for a location relative to a callee-saved register, which the first instructions set
 * up.
 */
static bool is_set_up(struct debuginfo *d, const Dwarf_Op *op)
{
	return op->atom == DW_OP_fbreg ||
	       (d->arch && op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31 &&
		d->arch->kept_regs >> (op->atom - DW_OP_breg0) & 1);
}

/*
 * Returns true for a parameter that the caller passes by address in a register (Rust, large
 * values). It is available at once.
 */
static bool is_by_address(struct debuginfo *d, Dwarf_Die *die, Dwarf_Attribute *a)
{
	Dwarf_Addr base, begin, end;
	Dwarf_Op *ops;
	size_t n;

	return dwarf_tag(die) == DW_TAG_formal_parameter &&
	       dwarf_getlocations(a, 0, &base, &begin, &end, &ops, &n) > 0 && n == 1 &&
	       ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31 && !is_set_up(d, ops);
}

/* Returns true if the variable belongs to the whole program, or to a thread. */
static bool is_static(const Dwarf_Op *op)
{
	return op->atom == DW_OP_addr || op->atom == DW_OP_addrx || op->atom == DW_OP_constx ||
	       op->atom == DW_OP_GNU_addr_index || op->atom == DW_OP_GNU_const_index ||
	       (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts);
}

bool instance_keeps_in_memory(struct debuginfo *d, struct instance *i)
{
	Dwarf_Die child;
	Dwarf_Attribute a;
	bool any = false;

	if (dwarf_child(&i->die, &child) != 0)
		return false;
	do {
		int tag = dwarf_tag(&child);
		Dwarf_Op *ops;
		size_t n;

		if (tag != DW_TAG_formal_parameter && tag != DW_TAG_variable)
			continue;
		if (!dwarf_attr_integrate(&child, DW_AT_location, &a) ||
		    is_by_address(d, &child, &a))
			continue;
		if (dwarf_getlocation(&a, &ops, &n) != 0 || !n)
			return false;
		if (is_static(&ops[0]))
			continue;
		if (!is_set_up(d, ops))
			return false;
		any = true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return any;
}

/*
 * --- inside of instructions --------------------------------------------------------------------
 */

/*
 * Checks that an instruction begins at from + offset; an instruction begins at from. Returns
 * -EINVAL with the neighbours if certainly none does: the kernel would put a breakpoint into the
 * middle of an instruction and corrupt the program.
 */
int points_check_offset(struct search *s, uint64_t from, uint64_t offset, struct errmsg *err)
{
	uint64_t before, behind;

	if (!code_is_inside(s->d, from, offset, &before, &behind))
		return 0;
	return errmsg_set(err, -EINVAL,
			  "%s+%llu is in the middle of an instruction; the nearest "
			  "instructions begin at +%llu and +%llu",
			  s->where->function, (unsigned long long)offset,
			  (unsigned long long)before, (unsigned long long)behind);
}

/*
 * Returns -EINVAL if variables are wanted that the function's first instructions have not stored
 * yet.
 */
static int check_prologue(struct search *s, struct unit *u, struct instance *i, struct errmsg *err)
{
	const struct debuginfo_where *w = s->where;
	uint64_t body;

	if (!w->wants_variables || !w->offset || is_inlined(i) ||
	    !instance_keeps_in_memory(s->d, i))
		return 0;
	body = instance_body(s->d, u, i);
	if (i->entry + w->offset >= body)
		return 0;
	return errmsg_set(err, -EINVAL,
			  "at %s+%llu the variables are not stored yet; they are stored from "
			  "+%llu on, which '%s' without an offset probes",
			  w->function, (unsigned long long)w->offset,
			  (unsigned long long)(body - i->entry), w->function);
}

/*
 * --- by entry ----------------------------------------------------------------------------------
 */

/*
 * Returns true for a part that the compiler split off from a function, or inlined again. Such a
 * part is never called as a function.
 */
static bool is_part(struct search *s, struct unit *u, struct instance *i)
{
	struct function *f = instance_function(s->d, u, i);
	const struct symbol *symbol = is_inlined(i) ? NULL : symbol_at(s->d, i->entry);
	const char *file;
	unsigned line = is_inlined(i) ? instance_call_line(u, i, &file) : 0;

	if (symbol && symbol->address == i->entry && symbol_is_piece(symbol->name))
		return s->only != i;
	return line && line == function_line(f) && function_file(f) &&
	       unit_same_file(u, file, function_file(f));
}

/* Notes a copy that is not wanted, for an error message. */
static void leave_out(struct search *s, struct unit *u, struct instance *i)
{
	const char *into = outer_name(s, u, i), *file = NULL;
	unsigned line = instance_call_line(u, i, &file);
	size_t len = strlen(s->inlined), size = sizeof(s->inlined);

	if (file && strrchr(file, '/'))
		file = strrchr(file, '/') + 1;
	if (s->n_inlined++ < 3 && into)
		snprintf(s->inlined + len, size - len, "%s%.40s (%.20s:%u)", len ? ", " : "", into,
			 file ? file : "?", line);
}

static void note_beginnings(struct search *s, struct unit *u, struct instance *i)
{
	struct function *f = instance_function(s->d, u, i);
	unsigned line;

	if (is_inlined(i) && f && instance_beginnings(u, i, function_line(f), &line) > 1) {
		s->n_repeated++;
		s->repeated_line = line;
	}
}

static int add_entry(void *ctx, struct unit *u, struct instance *i)
{
	struct search *s = ctx;
	const struct debuginfo_where *w = s->where;
	uint64_t address = i->entry + w->offset;
	size_t n = s->n;
	int r;

	if ((s->only && s->only != i) || is_part(s, u, i))
		return 0;
	if (is_inlined(i) && (w->is_return || w->no_inlines)) {
		leave_out(s, u, i);
		return 0;
	}
	if (w->offset && !instance_covers(i, address))
		return 0;
	if (points_check_offset(s, i->entry, w->offset, s->err) < 0 ||
	    check_prologue(s, u, i, s->err) < 0)
		return -EINVAL;
	if (w->wants_variables && !w->offset && !w->is_return && !is_inlined(i) &&
	    instance_keeps_in_memory(s->d, i))
		address = instance_body(s->d, u, i);
	r = add_point(s, u, i, address, function_line(instance_function(s->d, u, i)));
	if (r == 0 && s->n > n)
		note_beginnings(s, u, i);
	if (r == 0 && s->n > n && address != i->entry + w->offset) {
		struct debuginfo_point *pt = &s->list[n];

		pt->is_behind_prologue = true;
		pt->has_frame = location_frame(s->d, address, &pt->frame_reg, &pt->frame_offset);
	}
	return r;
}

/*
 * --- by line -----------------------------------------------------------------------------------
 */

static unsigned distance(unsigned a, unsigned b)
{
	return a > b ? a - b : b - a;
}

static bool is_line_wanted(struct search *s, unsigned line)
{
	return s->wanted ? line < s->n_wanted && s->wanted[line] : line == s->line;
}

/* Returns true if the line is in the file of the instance, and not before its first line. */
static bool may_have_line(struct search *s, const struct line_visit *v, struct instance *i)
{
	struct function *f = instance_function(s->d, v->unit, i);
	const char *file = f ? function_file(f) : NULL;

	return file && unit_same_file(v->unit, file, v->file) && function_line(f) <= v->line;
}

/* Returns the owner of a line. A copy may begin with an instruction outside its ranges. */
static struct instance *owner_in_file(struct search *s, const struct line_visit *v)
{
	struct unit *u = v->unit;
	struct instance *i = unit_instance_at(u, v->address);

	if (i)
		i = instance_owning(s->d, u, i, v->file, v->line);
	if (!i || may_have_line(s, v, i))
		return i;
	for (size_t k = 0; k < u->n_instances; k++)
		if (u->instances[k].entry == v->address && may_have_line(s, v, &u->instances[k]))
			return &u->instances[k];
	return i;
}

static int add_line(void *ctx, const struct line_visit *v)
{
	struct search *s = ctx;
	struct instance *i = v->instance;
	struct line_copy copy;
	int r;

	if (s->where->no_inlines && (v->is_weak || (i && is_inlined(i))))
		return 0;
	if (v->is_weak && !is_line_wanted(s, v->line))
		return 0;
	if (!v->is_weak &&
	    (!s->nearest || distance(v->line, s->line) < distance(s->nearest, s->line)))
		s->nearest = v->line;
	if (!v->begins || !is_line_wanted(s, v->line))
		return 0;
	if (!i) {
		if (unit_walk(s->d, v->unit) < 0)
			return -ENOMEM;
		i = owner_in_file(s, v);
	}
	if (!i || (s->where->no_inlines && is_inlined(i)) || (v->is_weak && !is_inlined(i)))
		return 0;
	copy = (struct line_copy){v->unit, i, v->address, v->line, !v->is_weak};
	r = copies_note(s, &copy);
	return r < 0 || v->is_weak ? r : add_point(s, v->unit, i, v->address, v->line);
}

static int refuse_line(struct search *s, const char *what, unsigned first, struct errmsg *err)
{
	if (s->wanted)
		return errmsg_set(
			err, -ENOENT,
			"no line of %s that looks like '%s' has code; 'sonde probe lines' "
			"shows the lines with code",
			what, s->where->pattern);
	if (!s->nearest)
		return errmsg_set(err, -ENOENT,
				  "no line of %s has code; name another file or function", what);
	if (first)
		return errmsg_set(err, -ENOENT,
				  "line %u of %s (%u of the file) has no code; the nearest that "
				  "has is %u (%u of the file)",
				  s->line - first, what, s->line, s->nearest - first, s->nearest);
	return errmsg_set(err, -ENOENT, "line %u of %s has no code; the nearest that has is %u",
			  s->line, what, s->nearest);
}

/*
 * --- lazy patterns -----------------------------------------------------------------------------
 */

static void copy_without_blanks(char *to, size_t n_bytes, const char *from)
{
	size_t n = 0;

	for (; *from && n + 1 < n_bytes; from++)
		if (!isspace((unsigned char)*from))
			to[n++] = *from;
	to[n] = 0;
}

/* Marks the lines of the file that match. */
static int find_lazy_lines(struct search *s, struct unit *u, const char *file, struct errmsg *err)
{
	char pattern[PATTERN_MAX], text[LINE_MAX_BYTES], raw[LINE_MAX_BYTES];
	char *path = source_path(s->d, u, file);
	FILE *f = path ? regular_fopen(path, SOURCE_MAX_BYTES) : NULL;
	unsigned line = 0;

	free(path);
	if (!f)
		return errmsg_set(err, -ENOENT,
				  "the source %s is not here, so its lines cannot be searched; "
				  "-s DIR says where it is",
				  file);
	copy_without_blanks(pattern, sizeof(pattern), s->where->pattern);
	while (fgets(raw, sizeof(raw), f)) {
		bool whole = strchr(raw, '\n');

		if (!ARRAY_ROOM(s->wanted, s->n_wanted, ++line + 1, ARRAY_NO_MAX))
			break;
		copy_without_blanks(text, sizeof(text), raw);
		s->wanted[line] = !fnmatch(pattern, text, 0);
		while (!whole && fgets(raw, sizeof(raw), f)) /* skip the rest of a long line */
			whole = strchr(raw, '\n');
	}
	fclose(f);
	return s->wanted ? 0 : errmsg_set(err, -ENOENT, "the source %s is empty", file);
}

/*
 * --- all together ------------------------------------------------------------------------------
 */

int points_of_function(struct search *s, struct function *f, struct errmsg *err)
{
	const struct debuginfo_where *w = s->where;

	s->function = f;
	if (w->pattern) {
		const char *file = function_file(f);
		int r = s->wanted || !file ? 0 : find_lazy_lines(s, f->unit, file, err);

		return r < 0 ? r : function_each_line(s->d, f, add_line, s);
	}
	if (w->has_line && w->line) {
		s->line = function_line(f) + w->line;
		return function_each_line(s->d, f, add_line, s);
	}
	return function_each_instance(s->d, f, add_entry, s);
}

static int refuse_function(struct search *s, const struct function_list *l, struct errmsg *err)
{
	const struct debuginfo_where *w = s->where;

	if (w->pattern || (w->has_line && w->line))
		return refuse_line(s, w->function, function_line(l->list[l->n - 1]), err);
	if (s->n_inlined)
		return errmsg_set(err, -EINVAL,
				  w->is_return
					  ? "%s is inlined everywhere (%u %s, in %s%s), so it "
					    "never returns; probe a line after its calls"
					  : "%s is inlined everywhere (%u %s, in %s%s), and "
					    "inlined copies were not wanted; probe those functions",
				  w->function, s->n_inlined, s->n_inlined == 1 ? "copy" : "copies",
				  s->inlined, s->n_inlined > 3 ? ", …" : "");
	if (w->offset)
		return errmsg_set(
			err, -ENOENT,
			"%s is shorter than %llu bytes; name a line of it instead: 'sonde probe "
			"lines' shows them",
			w->function, (unsigned long long)w->offset);
	return errmsg_set(err, -ENOENT,
			  "the compiler left no code of %s: it is never called, or all its "
			  "calls were computed; probe its possible callers",
			  w->function);
}

/* Reports that the function exists, but in another file. */
static int refuse_file(struct search *s, struct errmsg *err)
{
	const struct debuginfo_where *w = s->where;
	struct errmsg ignored = {0};
	struct function_list l = {0};
	const char *file = NULL;

	if (!s->d->dwarf || debuginfo_find_functions(s->d, w->function, NULL, &l, &ignored) < 0)
		return 0;
	for (size_t i = 0; i < l.n && !file; i++)
		file = function_file(l.list[i]);
	free(l.list);
	return file ? errmsg_set(err, -ENOENT, "%s is not in a file '%s' but in %s; omit @%s",
				 w->function, w->file, file, w->file)
		    : 0;
}

static void release_list(struct function_list *l)
{
	free(l->list);
}

static int by_function(struct search *s, struct errmsg *err)
{
	const struct debuginfo_where *w = s->where;
	SCOPED(release_list) struct function_list l = {0};

	if (s->d->dwarf)
		TRY(debuginfo_find_functions(s->d, w->function, w->file, &l, err));
	if (!l.n) {
		if (w->file && !symbol_has_version(s->d, w->function, w->file))
			TRY(refuse_file(s, err));
		TRY(points_of_symbols(s, err));
		return !s->n && !s->n_refused ? refuse_line(s, w->function, 0, err) : 0;
	}
	for (size_t i = 0; i < l.n; i++)
		TRY(points_of_function(s, l.list[i], err));
	if ((s->n || debuginfo_is_glob(w->function)) && !w->file && !w->pattern && !w->line &&
	    !w->offset)
		TRY(points_of_bare_symbols(s, err));
	/* code that was merged with that of another function has a symbol, but no description */
	if (!s->n && !s->n_inlined && !s->n_refused && !w->pattern && !w->line &&
	    symbol_named(s->d, w->function))
		TRY(points_of_symbols(s, err));
	return !s->n && !s->n_refused ? refuse_function(s, &l, err) : 0;
}

static int by_file(struct search *s, struct errmsg *err)
{
	const struct debuginfo_where *w = s->where;
	const char *path;
	struct unit *u;

	if (!s->d->dwarf)
		return debuginfo_refuse_dwarf(s->d, err);
	s->line = w->line;
	if (w->pattern) {
		/* this finds the file, too */
		TRY(file_each_line(s->d, w->file, &path, &u, add_line, s));
		if (path)
			TRY(find_lazy_lines(s, u, path, err));
		s->n = s->n_copies = 0;
	}
	TRY(file_each_line(s->d, w->file, &path, &u, add_line, s));
	if (!path)
		return errmsg_set(err, -ENOENT,
				  "%s has no code from a file '%s'; 'sonde probe funcs -v' "
				  "shows its files",
				  s->d->path, w->file);
	return !s->n && !s->n_refused ? refuse_line(s, w->file, 0, err) : 0;
}

ARRAY_ORDER(compare_points, struct debuginfo_point, COMPARE(x->address, y->address))

static int find_points(struct search *s, struct errmsg *err)
{
	const struct debuginfo_where *w = s->where;

	TRY(w->function ? by_function(s, err) : by_file(s, err));
	if (!s->n && s->n_refused)
		return errmsg_set(err, s->refusal.code, "%s", s->refusal.text);
	return w->function && !w->pattern && !w->line && !w->offset ? points_drop_variants(s) : 0;
}

int debuginfo_points(struct debuginfo *d, const struct debuginfo_where *where,
		     struct debuginfo_points *ret_points, struct errmsg *err)
{
	struct search s = {.d = d, .where = where, .err = err};
	int r = find_points(&s, err);
	unsigned n_unclear = r < 0 ? 0 : copies_without_statements(&s);

	free(s.copies);
	free(s.wanted);
	if (r == -ENOMEM && s.n == POINTS_MAX)
		r = errmsg_set(err, -E2BIG,
			       "%s means more than %u instructions; use a "
			       "narrower definition",
			       where->function ? where->function : where->file, POINTS_MAX);
	if (r < 0) {
		free(s.list);
		return errmsg_set_errno(err, r, "cannot find %s in %s",
					where->function ? where->function : where->file, d->path);
	}
	qsort(s.list, s.n, sizeof(*s.list), compare_points);
	*ret_points = (struct debuginfo_points){.list = s.list,
						.n = s.n,
						.owner = d,
						.n_inlined = s.n_inlined,
						.indirect = s.indirect,
						.shared = s.shared,
						.n_bare = s.n_bare,
						.n_variants = s.n_variants,
						.n_unclear = n_unclear,
						.n_repeated = s.n_repeated,
						.repeated_line = s.repeated_line,
						.n_refused = s.n_refused,
						.refused = s.refused};
	return 0;
}

void debuginfo_points_release(struct debuginfo_points *p)
{
	free(p->list);
	memset(p, 0, sizeof(*p));
}
