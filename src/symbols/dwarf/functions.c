// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * functions.c - finds functions by name, in DWARF and in the symbol table.
 *
 * A compiler may give a function a symbol that differs from its name: work.isra.0 (parameters
 * changed), .constprop.1 (a parameter is a constant), .part.2 (a part), .cold (code that seldom
 * runs). DWARF says "work" for all of them, the symbol table has their addresses; the address
 * connects them.
 *
 *	"work"              every function of that name; "Box::get", "ns::Box::get", "get" all find
 *	                    ns::Box::get; "max" finds max<int>
 *	"Box::put(int)"     the one of several C++ functions that has these parameters (signature.c)
 *	"_ZN2ns3Box3getEv"  the mangled name
 *	"wor*"              a glob: searches all units
 *
 * The code of a function is in its own unit, unless the whole program was optimised at once
 * (-flto): then other units refer to it (units_referring()).
 */
#include "base/scope.h"
#include "symbols/dwarf/debuginfo_int.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/spelling.h"
#include "symbols/cxx/demangle.h"
#include "symbols/cxx/signature.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_NAME_BYTES 4096
#define CHOICES_SHOWN	  4

/* Writes "ns::Box::get" for "_ZNK2ns3Box3getEi.isra.0". Returns false if it is not a C++ symbol. */
static bool fmt_source_name(const struct symbol *s, char *name, size_t n_bytes)
{
	char *clone;

	if (!demangle(s->name, name, n_bytes))
		return false;
	clone = strstr(name, " [clone ");
	if (clone)
		*clone = 0;
	return true;
}

const char *symbol_source_name(struct debuginfo *d, const struct symbol *s)
{
	char name[SOURCE_NAME_BYTES];
	const char *kept =
		fmt_source_name(s, name, sizeof(name)) ? debuginfo_strdup(d, name) : NULL;

	return kept ? kept : s->name;
}

bool symbol_of_data(struct debuginfo *d, const char *name, uint64_t *ret_address,
		    bool *ret_is_elsewhere)
{
	int n = dwfl_module_getsymtab(d->module);
	bool found = false;

	for (int i = 1; i < n; i++) {
		GElf_Sym sym;
		GElf_Addr address;
		const char *have =
			dwfl_module_getsym_info(d->module, i, &sym, &address, NULL, NULL, NULL);
		bool is_elsewhere = sym.st_shndx == SHN_UNDEF;
		int type = GELF_ST_TYPE(sym.st_info);
		/* length without the version, "stdout@GLIBC_2.2.5" */
		size_t len = have ? strcspn(have, "@") : 0;

		if (!len || strncmp(have, name, len) || name[len] ||
		    (type != STT_OBJECT && !(is_elsewhere && type == STT_NOTYPE)))
			continue;
		if (found && address - d->elf_bias != *ret_address)
			return false; /* ambiguous */
		found = true;
		*ret_address = address - d->elf_bias;
		*ret_is_elsewhere = is_elsewhere;
	}
	return found;
}

/*
 * --- by name -----------------------------------------------------------------------------------
 */

/* A parsed name. parameters is "(int)", or "" if there are none. */
struct wanted {
	char name[SOURCE_NAME_BYTES];
	const char *parameters;
};

static void wanted_init(struct wanted *w, const char *name)
{
	size_t len = signature_name_length(name);

	snprintf(w->name, sizeof(w->name), "%.*s", (int)len, name);
	w->parameters = name + len;
}

bool debuginfo_is_glob(const char *name)
{
	size_t at = strcspn(name, "*?[");
	const char *operator= strstr(name, "operator");

	/* the signs after "operator" belong to the name */
	return at < (operator? (size_t)(operator- name) : signature_name_length(name));
}

/* Returns "get" of "ns::Box<a::b>::get<int>": the text in .debug_str, up to template arguments. */
static const char *plain_part(const char *name, size_t *ret_len)
{
	const char *begin = name, *p;
	int angles = 0;

	for (p = name; *p; p++) {
		angles += *p == '<' ? 1 : *p == '>' ? -1 : 0;
		if (!angles && p[0] == ':' && p[1] == ':')
			begin = p + 2;
	}
	*ret_len = strncmp(begin, "operator", 8) ? strcspn(begin, "<") : strlen(begin);
	return begin;
}

/* Returns true if the names are equal, or equal up to the template arguments of the longer one. */
static bool same_name(const char *have, const char *want, size_t len)
{
	return !strncmp(have, want, len) && (!have[len] || have[len] == '<');
}

static bool is_same_template(const struct function *f, const char *name)
{
	const char *plain;
	size_t len;

	if (!signature_is_template(name))
		return false;
	plain = plain_part(name, &len);
	return same_name(f->plain, plain, len) && signature_same_template(f->name, name);
}

static bool matches(const struct function *f, const char *name, size_t len)
{
	const char *p;

	if (same_name(f->plain, name, len) || same_name(f->name, name, len))
		return true;
	if (f->linkage && !strcmp(f->linkage, name))
		return true;
	for (p = f->name; (p = strstr(p, "::")); p += 2)
		if (same_name(p + 2, name, len))
			return true;
	return is_same_template(f, name);
}

/* Returns true if want is the whole name, or its end after "::". */
static bool same_end(const char *have, const char *want, size_t len)
{
	if (same_name(have, want, len))
		return true;
	for (const char *p = have; (p = strstr(p, "::")); p += 2)
		if (same_name(p + 2, want, len))
			return true;
	return false;
}

static bool is_named(const struct symbol *s, const char *name)
{
	char own[SOURCE_NAME_BYTES];
	size_t len;
	const char *plain = plain_part(name, &len);

	if (debuginfo_is_glob(name))
		return !fnmatch(name, s->name, 0) ||
		       (fmt_source_name(s, own, sizeof(own)) && !fnmatch(name, own, 0));
	/* the symbol contains the plain part unchanged; this test excludes most symbols */
	if (strncmp(s->name, "_Z", 2) || (strncmp(plain, "operator", 8) && *plain != '~' &&
					  !memmem(s->name, strlen(s->name), plain, len)))
		return false;
	return fmt_source_name(s, own, sizeof(own)) &&
	       (same_end(own, name, strlen(name)) ||
		(signature_is_template(name) && signature_same_template(own, name)));
}

bool symbol_is_meant(const struct symbol *s, const char *name)
{
	struct wanted w;

	/* "wor*" matches functions, "*.cold" their pieces */
	if (symbol_is_piece(s->name) && !strstr(name, ".cold") && !strstr(name, ".part"))
		return false;
	wanted_init(&w, name);
	return is_named(s, w.name) && (!*w.parameters || signature_fits(w.parameters, s->name));
}

static bool matches_glob(const struct function *f, const char *glob)
{
	return !fnmatch(glob, f->name, 0) || !fnmatch(glob, f->plain, 0) ||
	       (f->linkage && !fnmatch(glob, f->linkage, 0));
}

static int list_add(struct function_list *l, struct function *f)
{
	if (!ARRAY_ROOM(l->list, l->n_room, l->n + 1, ARRAY_NO_MAX))
		return -ENOMEM;
	l->list[l->n++] = f;
	return 0;
}

static int take_matches(struct unit *u, const struct wanted *w, const char *file, bool glob,
			struct function_list *l)
{
	size_t len = strlen(w->name);

	for (size_t i = 0; i < u->n_functions; i++) {
		struct function *f = &u->functions[i];

		if (glob ? !matches_glob(f, w->name) : !matches(f, w->name, len))
			continue;
		if (*w->parameters && (!f->linkage || !signature_fits(w->parameters, f->linkage)))
			continue;
		if (file && (!function_file(f) || !path_ends_in(function_file(f), file)))
			continue;
		if (list_add(l, f) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int find_matches(struct debuginfo *d, const struct wanted *w, const char *file,
			const bool *which, struct function_list *l)
{
	for (size_t i = 0; i < d->n_units; i++) {
		if (which && !which[i])
			continue;
		TRY(unit_walk(d, &d->units[i]));
		TRY(take_matches(&d->units[i], w, file, !which, l));
	}
	return 0;
}

int debuginfo_find_functions(struct debuginfo *d, const char *name, const char *file,
			     struct function_list *ret_list, struct errmsg *err)
{
	struct function_list l = {0};
	bool glob = debuginfo_is_glob(name);
	struct wanted w;
	size_t len;
	const char *plain;
	SCOPED(scope_free) bool *which = NULL;
	int r = units_list(d);

	if (r < 0 || !*name)
		return errmsg_set_errno(err, r < 0 ? r : -EINVAL, "cannot search '%s' in %s", name,
					d->path);
	wanted_init(&w, name);
	plain = plain_part(w.name, &len);
	which = glob ? NULL : units_naming(d, plain, len);
	if (!glob && !which)
		return errmsg_set_errno(err, -ENOMEM, "cannot read %s", d->path);
	r = find_matches(d, &w, file, which, &l);
	if (r < 0) {
		free(l.list);
		return errmsg_set_errno(err, r, "cannot read the functions of %s", d->path);
	}
	*ret_list = l;
	return 0;
}

bool debuginfo_has_function(struct debuginfo *d, const char *name)
{
	struct function_list l = {0};
	struct errmsg ignored = {0};
	bool found;

	if (!*name || debuginfo_is_glob(name))
		return false;
	if (d->dwarf) {
		found = debuginfo_find_functions(d, name, NULL, &l, &ignored) >= 0 && l.n;
		free(l.list);
		return found;
	}
	found = symbol_named(d, name);
	for (size_t i = 0; !found && i < d->n_symbols; i++)
		found = symbol_is_meant(&d->symbols[i], name);
	return found;
}

bool debuginfo_has_symbols(struct debuginfo *d)
{
	return debuginfo_has_dwarf(d) || (symbols_list(d) >= 0 && d->n_symbols);
}

uint64_t debuginfo_entry(const struct debuginfo *d)
{
	GElf_Ehdr header;

	return gelf_getehdr(d->elf, &header) ? header.e_entry : 0;
}

static void spell_functions(struct debuginfo *d, struct spelling *sp)
{
	if (!d->dwarf || debuginfo_section(d, ".debug_info").len > SPELLING_INFO_BYTES ||
	    units_list(d) < 0)
		return;
	for (size_t i = 0; i < d->n_units; i++) {
		if (unit_walk(d, &d->units[i]) < 0)
			return;
		for (size_t k = 0; k < d->units[i].n_functions; k++) {
			spelling_add(sp, d->units[i].functions[k].plain);
			if (strcmp(d->units[i].functions[k].name, d->units[i].functions[k].plain))
				spelling_add(sp, d->units[i].functions[k].name);
		}
	}
}

/*
 * Returns true if only a namespace was omitted, perhaps an inline one: "a::P::sum" of
 * "a::v1::P::sum".
 */
static bool leaves_out_namespaces(const char *have, const char *want)
{
	while (*have && *want) {
		const char *end = strstr(have, "::");
		size_t len = end ? (size_t)(end - have) : strlen(have);

		if (!strncmp(have, want, len) && (end ? !strncmp(want + len, "::", 2) : !want[len]))
			want += len + (end ? 2 : 0);
		have += len + (end ? 2 : 0);
	}
	return !*have && !*want;
}

static const char *find_in_namespace(struct debuginfo *d, const char *name)
{
	if (!strstr(name, "::") || !d->dwarf || units_list(d) < 0 ||
	    debuginfo_section(d, ".debug_info").len > SPELLING_INFO_BYTES)
		return NULL;
	for (size_t i = 0; i < d->n_units && unit_walk(d, &d->units[i]) >= 0; i++)
		for (size_t k = 0; k < d->units[i].n_functions; k++)
			if (leaves_out_namespaces(d->units[i].functions[k].name, name))
				return d->units[i].functions[k].name;
	return NULL;
}

const char *function_choice(struct debuginfo *d, const struct function *f)
{
	char text[SOURCE_NAME_BYTES];
	size_t len = strlen(f->name);

	if (!f->linkage || len >= sizeof(text))
		return NULL;
	memcpy(text, f->name, len);
	return signature_fmt(f->linkage, text + len, sizeof(text) - len) ? debuginfo_strdup(d, text)
									 : NULL;
}

/* Lists what the user can write instead: "ns::Box::put(int), ns::Box::put(char const*)". */
static void list_choices(struct debuginfo *d, const char *name, char *out, size_t size)
{
	struct function_list l = {0};
	struct errmsg ignored = {0};
	size_t n = 0;

	*out = 0;
	if (!d->dwarf || debuginfo_find_functions(d, name, NULL, &l, &ignored) < 0)
		return;
	for (size_t i = 0; i < l.n && n < CHOICES_SHOWN; i++) {
		const char *choice = function_choice(d, l.list[i]);
		size_t len = strlen(out);

		if (!choice || strstr(out, choice))
			continue;
		snprintf(out + len, size - len, "%s%.120s", n++ ? ", " : "", choice);
	}
	free(l.list);
}

/* Reports that the name exists, but not with these parameters. */
static int refuse_parameters(struct debuginfo *d, const char *name, struct errmsg *err)
{
	struct wanted w;
	char choices[520];

	wanted_init(&w, name);
	if (!*w.parameters)
		return 0;
	list_choices(d, w.name, choices, sizeof(choices));
	if (!*choices)
		return 0;
	return errmsg_set(err, -ENOENT, "there is no function '%s' in %s; there is %s", name,
			  d->path, choices);
}

int functions_refuse(struct debuginfo *d, const char *name, struct errmsg *err)
{
	const char *other;
	struct spelling sp;

	if (refuse_parameters(d, name, err) < 0)
		return err->code;
	other = find_in_namespace(d, name);
	if (other)
		return errmsg_set(err, -ENOENT,
				  "there is no function '%s' in %s; its full name is '%s'", name,
				  d->path, other);
	spelling_init(&sp, name, strlen(name));
	symbols_list(d);
	for (size_t i = 0; i < d->n_symbols; i++)
		spelling_add(&sp, d->symbols[i].name);
	spell_functions(d, &sp);
	if (!debuginfo_has_symbols(d) && debuginfo_entry(d))
		return errmsg_set(err, -ENODATA,
				  "%s has no symbols, so '%s' cannot be found in it; use an "
				  "address instead of a name: '%s:0x%llx'; names come with "
				  "debug information: %s",
				  d->path, name, d->path, (unsigned long long)debuginfo_entry(d),
				  debuginfo_remedy(d));
	if (symbols_are_stripped(d))
		return errmsg_set(
			err, -ENODATA,
			"there is no function '%s' among the names that %s has%s%s%s: it is "
			"stripped of all names except those that others link to; the rest "
			"comes with debug information: %s",
			name, d->path, sp.nearest ? " (did you mean '" : "",
			sp.nearest ? sp.nearest : "", sp.nearest ? "'?)" : "", debuginfo_remedy(d));
	if (sp.nearest)
		return errmsg_set(err, -ENOENT,
				  "there is no function '%s' in %s; did you mean '%s'?", name,
				  d->path, sp.nearest);
	return errmsg_set(err, -ENOENT,
			  "there is no function '%s' in %s; 'sonde probe funcs -x %s' lists them",
			  name, d->path, d->path);
}

/*
 * --- its code ----------------------------------------------------------------------------------
 */

static int visit_unit(struct debuginfo *d, struct unit *u, const void *key,
		      int (*visit)(void *ctx, struct unit *u, struct instance *i), void *ctx)
{
	int r = unit_walk(d, u);

	for (size_t i = 0; r == 0 && i < u->n_instances; i++)
		if (u->instances[i].key == key)
			r = visit(ctx, u, &u->instances[i]);
	return r;
}

int function_each_instance(struct debuginfo *d, struct function *f,
			   int (*visit)(void *ctx, struct unit *u, struct instance *i), void *ctx)
{
	int r = f->unit ? visit_unit(d, f->unit, f->die.addr, visit, ctx) : 0;
	SCOPED(scope_free) bool *which = r == 0 ? units_referring(d, &f->die) : NULL;

	for (size_t i = 0; which && r == 0 && i < d->n_units; i++)
		if (which[i] && &d->units[i] != f->unit)
			r = visit_unit(d, &d->units[i], f->die.addr, visit, ctx);
	return r;
}

/*
 * --- the list of all ---------------------------------------------------------------------------
 */

/* The code or an inlined copy of a function. The list is made from these. */
struct listed {
	struct function *f;
	uint64_t address; /* 0: inlined */
	unsigned line;
};

struct listing {
	struct listed *list;
	size_t n, n_room;
	struct debuginfo_function *rows;
	size_t n_rows;
};

static int compare_listed(const void *pa, const void *pb)
{
	const struct listed *a = pa, *b = pb;
	int r = strcmp(a->f->name, b->f->name);

	if (r)
		return r;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

ARRAY_ORDER(compare_rows, struct debuginfo_function,
	    strcmp(x->name, y->name) ?: COMPARE(x->address, y->address))

static int gather_unit(struct debuginfo *d, struct unit *u, struct listing *l)
{
	int r = unit_walk(d, u);

	for (size_t i = 0; r >= 0 && i < u->n_instances; i++) {
		struct instance *x = &u->instances[i];
		struct function *f = instance_function(d, u, x);
		bool inlined = dwarf_tag(&x->die) == DW_TAG_inlined_subroutine;

		if (!f)
			continue;
		if (!ARRAY_ROOM(l->list, l->n_room, l->n + 1, ARRAY_NO_MAX))
			return -ENOMEM;
		l->list[l->n++] = (struct listed){f, inlined ? 0 : x->entry, function_line(f)};
	}
	return r;
}

static bool is_renamed(const char *symbol, const char *plain)
{
	size_t len = strlen(plain);

	return !strncmp(symbol, plain, len) && symbol[len] == '.';
}

/*
 * Adds one row for each address of the function, or one row without an address if it is only
 * inlined.
 */
static void add_group(struct debuginfo *d, struct listing *l, size_t begin, size_t end)
{
	struct function *f = l->list[begin].f;
	struct debuginfo_function row = {.name = f->name, .line = l->list[begin].line};
	uint64_t before = 0;

	for (size_t i = begin; i < end; i++)
		row.n_inlined += !l->list[i].address;
	for (size_t i = begin; i < end; i++) {
		uint64_t address = l->list[i].address;
		const struct symbol *s;

		if (!address || address == before)
			continue;
		before = address;
		s = symbol_at(d, address);
		row.file = function_file(l->list[i].f);
		row.address = address;
		row.symbol = s && s->address == address ? s->name : NULL;
		row.n_bytes = s && s->address == address ? s->n_bytes : 0;
		row.is_alias = row.symbol && is_renamed(row.symbol, f->plain);
		l->rows[l->n_rows++] = row;
	}
	if (row.address)
		return;
	row.file = function_file(f);
	l->rows[l->n_rows++] = row;
}

struct known {
	uint64_t address; /* must be the first member, for bsearch(3) */
	const char *name;
};

ARRAY_ORDER(compare_known, uint64_t, COMPARE(*x, *y))

/* Adds symbols that are not in DWARF: assembler, other languages, a program without DWARF. */
static int add_symbols(struct debuginfo *d, struct listing *l)
{
	SCOPED(scope_free) struct known *known = malloc((l->n_rows + 1) * sizeof(*known));
	size_t n = 0;

	if (!known)
		return -ENOMEM;
	for (size_t i = 0; i < l->n_rows; i++)
		if (l->rows[i].address)
			known[n++] = (struct known){l->rows[i].address, l->rows[i].name};
	qsort(known, n, sizeof(*known), compare_known);
	for (size_t i = 0; i < d->n_symbols; i++) {
		const struct symbol *s = &d->symbols[i];
		const struct known *k =
			bsearch(&s->address, known, n, sizeof(*known), compare_known);
		const char *name = symbol_source_name(d, s);

		/*
		 * keep other names of a known function, for searches, but not the variants of
		 * constructors
		 */
		if (k && (!strncmp(s->name, "_Z", 2) || !strcmp(name, k->name)))
			continue;
		l->rows[l->n_rows++] = (struct debuginfo_function){
			.name = name,
			.symbol = s->name,
			.address = s->address,
			.n_bytes = s->n_bytes,
			.is_alias = name != s->name && strchr(s->name, '.')};
	}
	return 0;
}

static int make_rows(struct debuginfo *d, struct listing *l)
{
	l->rows = malloc((l->n + d->n_symbols + 1) * sizeof(*l->rows));
	if (!l->rows)
		return -ENOMEM;
	if (l->n)
		qsort(l->list, l->n, sizeof(*l->list), compare_listed);
	for (size_t i = 0, k; i < l->n; i = k) {
		for (k = i + 1; k < l->n && l->list[k].line == l->list[i].line &&
				!strcmp(l->list[k].f->name, l->list[i].f->name);)
			k++;
		add_group(d, l, i, k);
	}
	return add_symbols(d, l);
}

/* Finds functions of one name that differ in their parameters. */
static void find_choices(struct debuginfo *d, struct listing *l)
{
	for (size_t i = 0, end; i < l->n_rows; i = end) {
		bool differ = false;

		for (end = i + 1; end < l->n_rows && !strcmp(l->rows[end].name, l->rows[i].name);
		     end++)
			;
		for (size_t k = i; end > i + 1 && k < end; k++) {
			struct function f = {.name = l->rows[k].name, .linkage = l->rows[k].symbol};

			l->rows[k].choice = function_choice(d, &f);
			differ = differ || (l->rows[i].choice && l->rows[k].choice &&
					    strcmp(l->rows[i].choice, l->rows[k].choice));
		}
		for (size_t k = i; k < end && !differ; k++)
			l->rows[k].choice = NULL;
	}
}

static bool is_wanted(const struct debuginfo_function *f, const char *pattern,
		      const struct wanted *w)
{
	const char *tail = strrchr(f->name, ':');

	if (!pattern || (f->symbol && !fnmatch(pattern, f->symbol, 0)))
		return true;
	if (*w->parameters && (!f->symbol || !signature_fits(w->parameters, f->symbol)))
		return false;
	return !fnmatch(w->name, f->name, 0) || (tail && !fnmatch(w->name, tail + 1, 0));
}

/* Returns true for a repeated row: one name may have several versions at one place. */
static bool is_repeated(const struct listing *l, size_t i)
{
	const struct debuginfo_function *row = &l->rows[i];

	return i && row->address && row->address == row[-1].address &&
	       !strcmp(row->name, row[-1].name) && row->symbol && row[-1].symbol &&
	       !strcmp(row->symbol, row[-1].symbol);
}

static void listing_release(struct listing *l)
{
	free(l->list);
	free(l->rows);
}

static int list_rows(struct debuginfo *d, struct listing *l)
{
	TRY(units_list(d));
	TRY(symbols_list(d));
	symbols_sort(d);
	for (size_t i = 0; i < d->n_units; i++)
		TRY(gather_unit(d, &d->units[i], l));
	return make_rows(d, l);
}

int debuginfo_functions(struct debuginfo *d, const char *pattern,
			int (*visit)(void *ctx, const struct debuginfo_function *f), void *ctx,
			struct errmsg *err)
{
	SCOPED(listing_release) struct listing l = {0};
	struct wanted w;
	int r = list_rows(d, &l);

	if (r < 0)
		return errmsg_set_errno(err, r, "cannot list the functions of %s", d->path);
	wanted_init(&w, pattern ? pattern : "");
	qsort(l.rows, l.n_rows, sizeof(*l.rows), compare_rows);
	find_choices(d, &l);
	for (size_t i = 0; i < l.n_rows; i++)
		if (!is_repeated(&l, i) && is_wanted(&l.rows[i], pattern, &w))
			TRY(visit(ctx, &l.rows[i]));
	return 0;
}
