// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel.c - resolves functions of the kernel and its modules.
 *
 *	FUNC, FUNC%return               BTF: parameters and the result, without any debug package
 *	FUNC+OFFSET with registers      needs only the symbol
 *	lines, locals, inlined copies   DWARF: --vmlinux, the module's .ko, or where distributions
 *	                                install them
 *
 * The kernel's symbols (122 000 lines, 60 ms) are read only for a function that is not in BTF: it
 * may be in a module, renamed by the compiler (vfs_x.isra.0), or missing.
 *
 * If the kernel has fprobes, entry and return can use the function tracer's hook, which costs a
 * third of a breakpoint. These probes have no registers: parameters are $argN there; the hook does
 * not support modules. But on some processors (x86-64) kprobes at entries use the same hook, at the
 * same cost (doc/overhead.md). For fprobes the kernel counts neither hits nor misses, and it keeps
 * the hook while they are disabled. So an fprobe is used only if a kprobe would be a breakpoint, or
 * is not allowed (the blacklist).
 */
#include "base/array.h"
#include "base/scope.h"
#include "probe/findprogram.h"
#include "probe/resolve/resolve_int.h"
#include "symbols/package.h"

#include <errno.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

/* A line of kallsyms that has the name. */
struct symbol {
	char name[256];
	char module[64]; /* "": the kernel itself */
	char type;
};

static const char no_types[] =
	"BTF does not describe it (it is assembler, or the compiler changed its parameters); use "
	"$arg1 or %REG, or give the DWARF of the kernel: --vmlinux FILE";

/* Used for assembler, for which BTF has an entry like that of void f(void). */
static const char no_prototype[] =
	"BTF has no parameters for it: it has none, so omit them, or it is assembler, whose "
	"prototype is unknown: use $arg1 or %REG";

/*
 * --- symbols -------------------------------------------------------------------------------------
 */

/* Parses the line at p: "ADDRESS T NAME[\t[MODULE]]". */
static void read_symbol(const char *p, struct symbol *ret)
{
	size_t len = strcspn(p, "\n");

	*ret = (struct symbol){0};
	if (sscanf(p, "%*s %c %255s", &ret->type, ret->name) < 2)
		ret->name[0] = 0;
	p = memchr(p, '[', len);
	if (p)
		sscanf(p, "[%63[^]\n]", ret->module);
}

/* Returns true for a suffix that the compiler appends to the name of a function that it changed. */
static bool is_suffix(const char *s)
{
	return !strncmp(s, ".isra.", 6) || !strncmp(s, ".constprop.", 11) ||
	       !strncmp(s, ".part.", 6);
}

/*
 * Finds the first symbol " NAME" of code, in that module if one is given; with is_changed also
 * "NAME.isra.0".
 */
static bool find_symbol(const char *text, const char *name, const char *module, bool is_changed,
			struct symbol *ret)
{
	char word[258];
	size_t len = snprintf(word, sizeof(word), " %s", name);

	if (len >= sizeof(word))
		return false;
	for (const char *p = text; (p = strstr(p, word)); p++) {
		const char *line = p;

		if (p[len] != '\n' && p[len] != '\t' && p[len] &&
		    !(is_changed && is_suffix(p + len)))
			continue;
		while (line > text && line[-1] != '\n')
			line--;
		read_symbol(line, ret);
		if (strchr("tTwW", ret->type) && (!module || !strcmp(ret->module, module)))
			return true;
	}
	return false;
}

/*
 * --- by BTF --------------------------------------------------------------------------------------
 */

static bool find_in(struct btf *btf, const char *name, struct found_function *ret)
{
	if (!btf || btf_find_function(btf, name, strlen(name), &ret->prototype) < 0)
		return false;
	snprintf(ret->symbol, sizeof(ret->symbol), "%s", name);
	ret->btf = btf;
	return true;
}

/*
 * Finds a function that is not in the BTF that is searched first. The symbols show whether it
 * exists, and in which module.
 */
static int find_by_symbol(struct resolution *r, struct btf *btf, const char *module,
			  struct found_function *ret)
{
	const char *text = prober_list(r->prober, PROBER_KALLSYMS), *name = r->d->function;
	struct errmsg ignored = {0};
	struct symbol sym;

	if (!text) { /* the kernel will report whether it has the function */
		snprintf(ret->symbol, sizeof(ret->symbol), "%s", name);
		return 0;
	}
	if (!find_symbol(text, name, module, false, &sym) &&
	    !find_symbol(text, name, module, true, &sym))
		return ret->btf ? resolve_refuse_inlined(r)
				: resolve_refuse_function(r, btf, module);
	ret->btf = NULL; /* BTF describes another function, not this symbol */
	if (strcmp(sym.name, name))
		resolve_note(r,
			     "the compiler changed %s into %s, which is probed; its parameters "
			     "are unknown",
			     name, sym.name);
	if (*sym.module && prober_btf(r->prober, sym.module, &btf, &ignored) >= 0)
		find_in(btf, sym.name, ret);
	snprintf(ret->symbol, sizeof(ret->symbol), "%s", sym.name);
	snprintf(ret->module, sizeof(ret->module), "%s", sym.module);
	return 0;
}

/*
 * Returns true if the function has a symbol. BTF may describe a function that was renamed, inlined
 * everywhere, or dropped from the kernel.
 */
static bool has_symbol(struct resolution *r, const char *name)
{
	const char *text =
		r->prober->world.check_symbols ? prober_list(r->prober, PROBER_KALLSYMS) : NULL;

	return !text || prober_list_has(text, ' ', name, "\t\n");
}

static int find_function(struct resolution *r, const char *module, struct found_function *ret)
{
	struct btf *btf = NULL, *kernel = NULL;
	struct errmsg ignored = {0};
	struct type t;

	*ret = (struct found_function){0};
	snprintf(ret->module, sizeof(ret->module), "%s", module ? module : "");
	prober_btf(r->prober, NULL, &kernel, &ignored);
	if (!module) {
		if (find_in(kernel, r->d->function, ret) && has_symbol(r, r->d->function))
			return 0;
		return find_by_symbol(r, kernel, NULL, ret);
	}
	ignored.code = 0;
	prober_btf(r->prober, module, &btf, &ignored);
	/* a module's BTF also contains the kernel's functions */
	if (btf && btf != kernel && find_in(btf, r->d->function, ret) &&
	    (!kernel || btf_find_function(kernel, r->d->function, strlen(r->d->function), &t) < 0 ||
	     t.id != ret->prototype.id))
		return 0;
	ret->btf = NULL;
	return find_by_symbol(r, btf, module, ret);
}

static bool is_on_blacklist(const struct resolution *r, const char *symbol)
{
	const char *list = prober_list(r->prober, PROBER_BLACKLIST);

	return list && prober_list_has(list, '\t', symbol, "\n");
}

/*
 * Returns true if the function has the tracer's hook. If the list cannot be read, the kernel
 * decides.
 */
static bool has_hook(const struct resolution *r, const char *symbol)
{
	const char *list = prober_list(r->prober, PROBER_HOOKS);

	return !list || !*list || prober_list_has(list, '\n', symbol, "\n ");
}

enum probe_kind resolve_kernel_kind(const struct resolution *r, const struct found_function *f)
{
	const struct probe_kernel *k = &r->prober->kernel;
	const struct definition *d = r->d;
	bool fits = k->fprobes && k->arg_n && !d->offset && !d->has_address && !*f->module &&
		    !resolve_wants_registers(d);

	/*
	 * a user who gives the number of active calls needs the count of misses, which fprobes
	 * lack
	 */
	if (fits && k->kprobes && (k->prefers_kprobes || d->max_active))
		fits = is_on_blacklist(r, f->symbol) && has_hook(r, f->symbol);
	if (d->is_return)
		return fits ? PROBE_FPROBE_EXIT : PROBE_KRETPROBE;
	return fits ? PROBE_FPROBE : PROBE_KPROBE;
}

static int place_function(struct resolution *r, const struct found_function *f)
{
	char text[400];

	snprintf(text, sizeof(text), "%s%s%s", f->module, *f->module ? ":" : "", f->symbol);
	if (f->text_offset)
		snprintf(text, sizeof(text), "_text+%llu",
			 (unsigned long long)(f->text_offset + r->d->offset));
	else if (r->d->offset)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "+%llu",
			 (unsigned long long)r->d->offset);
	return resolve_add_place(r, text) ? 0 : resolve_no_memory(r);
}

/* Returns types for casts, if the variables are unknown. */
static const struct types *types_of(struct resolution *r, const char *module)
{
	struct errmsg ignored = {0};
	struct btf *btf = NULL;

	prober_btf(r->prober, module && *module ? module : NULL, &btf, &ignored);
	return btf ? btf_types(btf) : NULL;
}

int resolve_add_function(struct resolution *r, const struct found_function *f)
{
	const struct definition *d = r->d;
	struct probe *p = &r->out->probe;
	struct fetch_place place = {
		.definition = d,
		.kernel = &r->prober->kernel,
		.prober = r->prober,
		.arch = r->prober->kernel.arch,
		.function = f->symbol,
		.is_return = d->is_return,
		.why_none = r->prober->btf_state < 0 ? r->prober->btf_err.text : no_types,
	};
	struct btf_scope scope;
	int result;

	p->kind = resolve_kernel_kind(r, f);
	place.by_number = p->kind == PROBE_FPROBE || p->kind == PROBE_FPROBE_EXIT;
	if (f->btf && !d->offset) {
		btf_scope_init(&scope, f->btf, f->prototype, place.arch, d->is_return);
		place.scope = &scope.scope;
		place.why_empty = d->is_return ? NULL : no_prototype;
	} else if (d->offset) {
		place.why_none =
			"without DWARF they are known only where the function begins; omit the "
			"offset, use %REG, or give the DWARF of the kernel: --vmlinux FILE";
	}
	place.types = place.scope ? NULL : types_of(r, f->module);
	result = place_function(r, f);
	return result < 0 ? result : resolve_args(r, &place);
}

/* Refuses functions on the kernel's blacklist before anything is changed, also in a dry run. */
static int check_blacklist(struct resolution *r, const struct found_function *f)
{
	enum probe_kind kind = resolve_kernel_kind(r, f);

	if (kind == PROBE_FPROBE || kind == PROBE_FPROBE_EXIT || !is_on_blacklist(r, f->symbol))
		return 0;
	return RESOLVE_REFUSE(r, r->d->function_span, -EPERM,
			      "cannot probe %s: it is on the kernel's blacklist (NOKPROBE), "
			      "because probes use it; probe one of its callers",
			      f->symbol);
}

static int resolve_inlined(struct resolution *r, const char *module);

static int resolve_by_btf(struct resolution *r, const char *module)
{
	struct found_function f;
	int result;

	if (strpbrk(r->d->function, "*?[")) {
		result = resolve_glob(r, module);
	} else {
		result = find_function(r, module, &f);
		if (result == -ENOENT)
			return resolve_inlined(r, module);
		if (result >= 0)
			result = check_blacklist(r, &f);
		/* assembler has symbols inside functions */
		if (result >= 0 && r->d->offset && f.btf)
			result = resolve_check_offset(r, f.symbol);
		if (result >= 0)
			result = resolve_namesakes(r, &f);
	}
	if (result >= 0 && probe_reads_late(&r->out->probe))
		resolve_note(
			r,
			"data behind a pointer argument is read when %s returns, and may have "
			"been freed or changed by then; a recording (sonde record -e) reads it "
			"at the entry",
			r->d->function);
	return result < 0 ? result : resolve_group_and_event(r, NULL, r->d->function, 0);
}

/*
 * --- by DWARF ------------------------------------------------------------------------------------
 */

/* Finds vmlinux with DWARF at one of its possible places. */
static bool find_vmlinux(const struct prober *p, char path[PATH_MAX])
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s",
		"/usr/lib/debug/lib/modules/%s/vmlinux",
		"/lib/modules/%s/build/vmlinux",
		"/boot/vmlinux-%s",
	};
	struct utsname u;

	if (p->world.vmlinux) {
		snprintf(path, PATH_MAX, "%s", p->world.vmlinux);
		return true;
	}
	if (uname(&u))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		char format[64];

		/* the table's texts have one %s each */
		snprintf(format, sizeof(format), "%.*s", (int)strcspn(places[i], "%"), places[i]);
		snprintf(path, PATH_MAX, "%s%s%s", format, u.release,
			 places[i] + strcspn(places[i], "%") + 2);
		if (!access(path, R_OK))
			return true;
	}
	return false;
}

/* Finds the .ko of a module in depmod's list; names have '-' or '_' there. */
static bool find_module_file(const char *module, char path[PATH_MAX])
{
	char list[PATH_MAX], line[2048];
	struct utsname u;
	bool found = false;
	SCOPED(fclose_scoped) FILE *f = NULL;

	if (uname(&u))
		return false;
	snprintf(list, sizeof(list), "/lib/modules/%s/modules.dep", u.release);
	f = fopen(list, "re");
	while (f && !found && fgets(line, sizeof(line), f)) {
		char *colon = strchr(line, ':'), *name;
		size_t i = 0;

		if (!colon)
			continue;
		*colon = 0;
		name = strrchr(line, '/') ? strrchr(line, '/') + 1 : line;
		while (module[i] && (name[i] == module[i] || (name[i] == '-' && module[i] == '_')))
			i++;
		found = !module[i] && !strncmp(name + i, ".ko", 3);
		if (found)
			snprintf(path, PATH_MAX, "/lib/modules/%s/%s", u.release, line);
	}
	return found;
}

/* Derives the module's name from a path: "path/to/my-mod.ko" is my_mod. */
static void module_of_path(const char *path, char *name, size_t size)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

	snprintf(name, size, "%.*s", (int)strcspn(base, "."), base);
	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : *c;
}

bool resolve_is_module(const char *path)
{
	const char *base = path && strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	const char *end = base ? strstr(base, ".ko") : NULL;

	return end && (!end[3] || end[3] == '.');
}

static int refuse_without_dwarf(struct resolution *r, const char *what, struct span span)
{
	char remedy[PACKAGE_REMEDY_MAX];

	package_fmt_kernel_remedy(remedy);
	return RESOLVE_REFUSE(r, span, -ENODATA,
			      "%s of the kernel need its DWARF, and there is none; %s", what,
			      remedy);
}

struct point_adder {
	struct resolution *r;
	struct debuginfo *info;
	const char *module;
};

static int add_point(void *ctx, const struct debuginfo_point *pt)
{
	const struct point_adder *adder = ctx;
	struct resolution *r = adder->r;
	const char *module = adder->module;
	struct fetch_place place = {
		.definition = r->d,
		.kernel = &r->prober->kernel,
		.prober = r->prober,
		.arch = r->prober->kernel.arch,
		.function = pt->function ? pt->function : r->d->function,
		.is_return = r->d->is_return,
		.scope = pt->scope,
		.why_none = debuginfo_has_dwarf(adder->info)
				    ? "there is no DWARF for this place; use %REG"
				    : no_types,
	};
	char text[400];
	int result;

	if (!pt->symbol)
		return RESOLVE_REFUSE(r, r->d->function_span, -ENOENT,
				      "no symbol of the kernel covers the place; name a function");
	snprintf(text, sizeof(text), pt->symbol_offset ? "%s%s%s+%llu" : "%s%s%s",
		 module ? module : "", module ? ":" : "", pt->symbol,
		 (unsigned long long)pt->symbol_offset);
	result = resolve_add_point(r, text, pt);
	return result < 0 ? result : resolve_args(r, &place);
}

static int resolve_in_kernel(struct resolution *r, struct debuginfo *info, const char *module)
{
	struct point_adder adder = {r, info, module};
	const char *function;
	int result;

	r->out->probe.kind = r->d->is_return ? PROBE_KRETPROBE : PROBE_KPROBE;
	result = resolve_each_point(r, info, add_point, &adder, &function);
	return result < 0 ? result
			  : resolve_group_and_event(r, NULL, function,
						    r->d->has_line ? r->d->line : 0);
}

/* Finds the file with the DWARF: that of the module if there is one, else vmlinux. */
static bool find_dwarf(const struct resolution *r, const char *module, char path[PATH_MAX],
		       char name[64])
{
	if (!module) {
		name[0] = 0;
		if (resolve_is_module(r->prober->world.vmlinux))
			module_of_path(r->prober->world.vmlinux, name, 64);
		return find_vmlinux(r->prober, path);
	}
	if (strchr(module, '/')) {
		module_of_path(module, name, 64);
		snprintf(path, PATH_MAX, "%s", module);
		return true;
	}
	snprintf(name, 64, "%s", module);
	return find_module_file(module, path);
}

/*
 * Returns true for definitions that BTF cannot resolve: places inside functions, and variables
 * there.
 */
static bool needs_dwarf(const struct definition *d)
{
	/* FUNC:0 is where the function begins */
	return (d->has_line && (d->line || !d->function)) || d->pattern || d->file ||
	       (d->offset && resolve_wants_variables(d));
}

static int refuse_source(struct resolution *r)
{
	const struct definition *d = r->d;

	return RESOLVE_REFUSE(
		r, d->file_span, -EINVAL,
		"%s is a source of which program? name it: PROGRAM:%.*s (if it belongs to the "
		"kernel: --vmlinux FILE)",
		d->file, (int)strcspn(d->text + d->file_span.at, " (\t"),
		d->text + d->file_span.at);
}

/* Resolves what works without DWARF: a function's entry. */
static int resolve_without_dwarf(struct resolution *r, const char *module)
{
	const struct definition *d = r->d;

	if (!d->function && !module)
		return refuse_source(r);
	if (d->has_line || d->pattern)
		return refuse_without_dwarf(r, d->pattern ? "patterns" : "lines", d->line_span);
	if (d->file)
		resolve_note(r,
			     "sonde did not check that %s is in %s: there is no DWARF of "
			     "the kernel",
			     d->function, d->file);
	return resolve_by_btf(r, module);
}

static int resolve_by_dwarf(struct resolution *r, const char *module)
{
	const struct definition *d = r->d;
	struct debuginfo *info;
	char path[PATH_MAX], name[64];
	struct errmsg why = {0};
	int result;

	if (!find_dwarf(r, module, path, name))
		return resolve_without_dwarf(r, module);
	module = *name ? name : NULL;
	result = prober_debuginfo(r->prober, path, &info, &why);
	if (result < 0 && (d->has_line || d->pattern || r->prober->world.vmlinux))
		return RESOLVE_REFUSE(r, d->function ? d->function_span : d->file_span, result,
				      "%s", why.text);
	if (result < 0 || !debuginfo_has_dwarf(info))
		return resolve_without_dwarf(r, module);
	return resolve_in_kernel(r, info, module);
}

/* Resolves a function without a symbol. The DWARF, if there is any, shows where it was inlined. */
static int resolve_inlined(struct resolution *r, const char *module)
{
	struct errmsg no_symbol = *r->err, why = {0};
	struct debuginfo *info;
	char path[PATH_MAX], name[64];
	int result;

	if (!find_dwarf(r, module, path, name) ||
	    prober_debuginfo(r->prober, path, &info, &why) < 0 || !debuginfo_has_dwarf(info))
		return no_symbol.code;
	*r->err = (struct errmsg){0};
	result = resolve_in_kernel(r, info, *name ? name : NULL);
	if (result == -ENOENT)
		*r->err = no_symbol; /* this message has the nearest name */
	return result;
}

/*
 * --- lines of the command's program --------------------------------------------------------------
 */

static bool has_source(struct resolution *r, const char *path)
{
	struct debuginfo_source source;
	struct errmsg ignored = {0};
	struct debuginfo *info;

	if (prober_debuginfo(r->prober, path, &info, &ignored) < 0 || !debuginfo_has_dwarf(info) ||
	    debuginfo_source(info, NULL, r->d->file, 0, 0, &source, &ignored) < 0)
		return false;
	debuginfo_source_release(&source);
	return true;
}

bool resolve_is_of_command(struct resolution *r)
{
	const struct probe_world *w = &r->prober->world;
	const struct definition *d = r->d;
	char found[PATH_MAX], path[PATH_MAX], name[64];
	struct errmsg ignored = {0};
	struct debuginfo *info;

	if (!w->command || w->module || d->target || d->function || !d->file)
		return false;
	if (find_dwarf(r, NULL, path, name) && has_source(r, path))
		return false;
	return findprogram(w->command, false, found) && findprogram_real(found, path) &&
	       prober_debuginfo(r->prober, path, &info, &ignored) >= 0;
}

/*
 * --- the door ------------------------------------------------------------------------------------
 */

static int resolve_address(struct resolution *r)
{
	struct fetch_place place = {
		.definition = r->d,
		.kernel = &r->prober->kernel,
		.prober = r->prober,
		.arch = r->prober->kernel.arch,
		.function = "an address",
		.why_none = "an address has no name; use %REG, or write the function's name",
		.types = types_of(r, NULL),
	};
	char text[32];
	int result;

	r->out->probe.kind = PROBE_KPROBE;
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)r->d->address);
	if (!resolve_add_place(r, text))
		return resolve_no_memory(r);
	result = resolve_args(r, &place);
	TRY(result);
	snprintf(text, sizeof(text), "abs_%llx", (unsigned long long)r->d->address);
	return resolve_group_and_event(r, NULL, text, 0);
}

static int resolve_any(struct resolution *r, const char *module)
{
	const struct definition *d = r->d;

	if (d->has_address)
		return resolve_address(r);
	if (needs_dwarf(d) || (module && strchr(module, '/')) ||
	    (!module && resolve_is_module(r->prober->world.vmlinux)))
		return resolve_by_dwarf(r, module);
	return resolve_by_btf(r, module);
}

int resolve_kernel(struct resolution *r, const char *module)
{
	const struct definition *d = r->d;
	char path[PATH_MAX], name[64];
	int result;

	if (!module && d->file && !d->function && !find_dwarf(r, NULL, path, name))
		return refuse_source(r);
	/* report errors in the definition itself first: it may be for another machine */
	result = resolve_any(r, module);
	if (result >= 0 && !r->prober->kernel.kprobes && !r->prober->kernel.fprobes)
		return RESOLVE_REFUSE(r, d->function ? d->function_span : d->file_span, -EOPNOTSUPP,
				      "this kernel does not support probes on its functions "
				      "(CONFIG_KPROBES); events and probes in programs work");
	return result;
}
