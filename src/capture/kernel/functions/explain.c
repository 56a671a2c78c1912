// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * explain.c - explains in one sentence why a function cannot be traced, and names an
 * alternative.
 *
 * The kernel answers "Invalid argument" to every name that is not in its list. Reasons and remedies
 * differ; they are checked in this order, each in the file that has it:
 *
 *	another name in this kernel            renamed.c, copies made by the compiler
 *	in the symbol table: data              kallsyms, the letter of its type
 *	                     NOKPROBE          kprobes/blacklist
 *	                     __init, noinstr,  kallsyms: the linker's marks around it
 *	                     entry code
 *	                     else              built without the hook (notrace, assembler)
 *	in BTF only                            inlined into its callers everywhere
 *	in a module that is not loaded         modules.symbols (exported ones), or the function's
 *	                                       name begins with the module's
 *	none of these                          not in this kernel
 *
 * The nearest traceable function is one whose name differs only by underscores or a usual prefix,
 * else by a few typing errors, else one that contains the name.
 *
 * With kptr_restrict all addresses read as 0; then the linker's marks are useless and are not
 * checked.
 */
#include "base/array.h"
#include "capture/kernel/functions/functions_int.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "base/spelling.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define SMALL_FILE_MAX_BYTES (16u << 20)
#define SLIP_COST	     100
#define CONTAINS_COST	     400
#define CONTAINS_MIN	     5
#define CONTAINS_MAX_MORE    24

/*
 * --- the nearest -------------------------------------------------------------------------------
 */

/* Returns the name without leading underscores and without the usual prefixes. */
static struct function_line stem_of(const char *name, size_t len)
{
	static const char *const words[] = {"asm_", "do_", "sysvec_", "exc_", "native_"};

	for (size_t i = 0; i <= ARRAY_LEN(words); i++) {
		while (len && *name == '_')
			name++, len--;
		if (i < ARRAY_LEN(words) && len > strlen(words[i]) &&
		    !memcmp(name, words[i], strlen(words[i]))) {
			name += strlen(words[i]);
			len -= strlen(words[i]);
		}
	}
	return (struct function_line){.name = name, .name_len = strnlen(name, len)};
}

static unsigned difference(size_t a, size_t b)
{
	return a > b ? a - b : b - a;
}

/* Returns the distance between a function and the wanted name, or UINT32_MAX if it is too far. */
static unsigned cost_of(const struct function_line *line, size_t len,
			const struct function_line *stem)
{
	struct function_line other = stem_of(line->name, line->name_len);
	unsigned apart = difference(line->name_len, len);
	char copy[FUNCTION_NAME_MAX];
	struct spelling sp;

	if (line->name_len >= sizeof(copy))
		return UINT32_MAX;
	if (stem->name_len >= 3 && other.name_len == stem->name_len &&
	    !memcmp(other.name, stem->name, stem->name_len))
		return apart;
	if (difference(other.name_len, stem->name_len) <= 3) {
		memcpy(copy, other.name, other.name_len);
		copy[other.name_len] = 0;
		spelling_init(&sp, stem->name, stem->name_len);
		spelling_add(&sp, copy);
		if (sp.nearest)
			return SLIP_COST * sp.distance + apart;
	}
	if (stem->name_len >= CONTAINS_MIN && apart <= CONTAINS_MAX_MORE &&
	    memmem(line->name, line->name_len, stem->name, stem->name_len))
		return CONTAINS_COST + apart;
	return UINT32_MAX;
}

/* Writes "; the nearest traceable function is X", or nothing, and returns buf. */
static const char *fmt_nearest(const struct kfunctions *f, const char *name, char *buf,
			       size_t n_bytes)
{
	size_t len = strcspn(name, ".");
	struct function_line stem = stem_of(name, len), line, best = {0};
	unsigned best_cost = UINT32_MAX;

	for (const char *p = f->list.start; (p = kfunctions_next_line(p, &line));) {
		unsigned cost = cost_of(&line, len, &stem);

		if (cost < best_cost) {
			best = line;
			best_cost = cost;
		}
	}
	buf[0] = 0;
	if (best.name)
		snprintf(buf, n_bytes, "; the nearest traceable function is %.*s",
			 (int)best.name_len, best.name);
	return buf;
}

/*
 * --- the symbol table --------------------------------------------------------------------------
 */

struct symbol {
	uint64_t addr;
	char type; /* type as in nm; 0: no such symbol */
};

/* Finds a symbol. Prefers a function if several symbols have the name. */
static struct symbol find_symbol(const struct kfunctions *f, const char *name)
{
	struct symbol found = {0};
	size_t len = strlen(name);

	for (const char *p = f->symbols.start; (p = strstr(p, name)); p += len) {
		const char *line = p - 3; /* the line has the form " T name" */
		char *end;
		uint64_t addr;

		if (p - f->symbols.start < 4 || line[0] != ' ' || line[2] != ' ' ||
		    !strchr(" \t\n", p[len]) || (found.type && !strchr("tTwW", line[1])))
			continue;
		while (line > f->symbols.start && line[-1] != '\n')
			line--;
		addr = strtoull(line, &end, 16);
		if (end == p - 3)
			found = (struct symbol){.addr = addr, .type = p[-2]};
	}
	return found;
}

static const struct text_range {
	const char *from, *to, *why;
} text_ranges[] = {
	{"_sinittext", "_einittext", "it ran only while the kernel booted (__init)"},
	{"__noinstr_text_start", "__noinstr_text_end", "tracing would break it there (noinstr)"},
	{"__entry_text_start", "__entry_text_end", "it is entry code written in assembler"},
	{"__cpuidle_text_start", "__cpuidle_text_end", "it puts the CPU to sleep (cpuidle)"},
	{"__kprobes_text_start", "__kprobes_text_end", "probes themselves need it (__kprobes)"},
};

static const char *reason_by_place(const struct kfunctions *f, uint64_t addr)
{
	for (size_t i = 0; addr && i < ARRAY_LEN(text_ranges); i++)
		if (addr >= find_symbol(f, text_ranges[i].from).addr &&
		    addr < find_symbol(f, text_ranges[i].to).addr)
			return text_ranges[i].why;
	return NULL;
}

/*
 * --- other files -------------------------------------------------------------------------------
 */

/*
 * Finds the line of a file that contains key between one of `before` and one of `after`. *text gets
 * the file.
 */
static const char *find_line(const char *path, const char *before, const char *key,
			     const char *after, struct textbuf *text)
{
	char wanted[FUNCTION_NAME_MAX + 64];
	size_t n = snprintf(wanted, sizeof(wanted), "%s%s", before, key);

	if (n >= sizeof(wanted) || kfunctions_read_file(path, text) < 0)
		return NULL;
	for (const char *p = text->start; (p = strstr(p, wanted)); p++)
		if (strchr(after, p[n])) /* also at the NUL at the end */
			return p;
	return NULL;
}

static bool file_has(const char *path, const char *before, const char *key, const char *after)
{
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = SMALL_FILE_MAX_BYTES};

	return find_line(path, before, key, after, &text);
}

/* Returns true if the module is loaded. Module names with - and _ are equal. */
static bool is_loaded(const struct kfunctions *f, const char *module)
{
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = SMALL_FILE_MAX_BYTES};
	char name[64];
	bool found = false;

	snprintf(name, sizeof(name), "%s", module);
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	if (kfunctions_read_file(f->paths.loaded, &text) >= 0)
		for (const char *p = text.start; *p && !found;) {
			found = !strncmp(p, name, strlen(name)) && p[strlen(name)] == ' ';
			p += strcspn(p, "\n");
			p += *p == '\n';
		}
	return found;
}

/* Finds the module in "alias symbol:NAME MODULE" of modules.symbols. */
static bool find_exporter(const struct kfunctions *f, const char *name, char *ret, size_t n_bytes)
{
	char path[TRACEFS_PATH_MAX + 32];
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = SMALL_FILE_MAX_BYTES};
	const char *line;

	snprintf(path, sizeof(path), "%s/modules.symbols", f->paths.modules);
	line = find_line(path, "alias symbol:", name, " ", &text);
	if (line) {
		line = strchr(line + strlen("alias symbol:"), ' ') + 1;
		snprintf(ret, n_bytes, "%.*s", (int)strcspn(line, " \n"), line);
	}
	return line;
}

/*
 * Finds the module in modules.dep with the longest name such that the function's name begins with
 * NAME_.
 */
static bool find_namesake(const struct kfunctions *f, const char *name, char *ret, size_t n_bytes)
{
	char path[TRACEFS_PATH_MAX + 32];
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = SMALL_FILE_MAX_BYTES};
	size_t best = 0;

	snprintf(path, sizeof(path), "%s/modules.dep", f->paths.modules);
	if (kfunctions_read_file(path, &text) < 0)
		return false;
	for (const char *p = text.start; *p;) {
		size_t line = strcspn(p, ":\n"), from = line, len, i = 0;

		while (from && p[from - 1] != '/')
			from--;
		len = strcspn(p + from, ".:\n");
		while (i < len &&
		       (name[i] == p[from + i] || (name[i] == '_' && p[from + i] == '-')))
			i++;
		if (i == len && len > best && len >= 3 && name[i] == '_' && from + len <= line) {
			best = len;
			snprintf(ret, n_bytes, "%.*s", (int)len, p + from);
		}
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	return best;
}

/*
 * --- sentences ---------------------------------------------------------------------------------
 */

static int refuse_symbol(struct kfunctions *f, const char *name, const struct symbol *sym,
			 struct errmsg *err)
{
	char nearest[FUNCTION_NAME_MAX + 64];
	const char *why;

	if (!strchr("tTwW", sym->type))
		return errmsg_set(err, -ENOENT, "%s is data, not a function%s", name,
				  fmt_nearest(f, name, nearest, sizeof(nearest)));
	why = reason_by_place(f, sym->addr);
	if (!why && file_has(f->paths.blacklist, "\t", name, "\n"))
		why = "it is marked NOKPROBE and notrace, because the tracer uses it";
	if (!why)
		why = "the kernel is built without the hook there (notrace, or assembler)";
	return errmsg_set(err, -ENOENT, "%s cannot be traced: %s%s", name, why,
			  fmt_nearest(f, name, nearest, sizeof(nearest)));
}

static int refuse_absent(struct kfunctions *f, const char *name, struct errmsg *err)
{
	char nearest[FUNCTION_NAME_MAX + 64], module[64];

	if (kfunctions_in_btf(f->paths.btf, name))
		return errmsg_set(err, -ENOENT,
				  "%s cannot be traced: the compiler inlined it into all its "
				  "callers; trace one of those%s",
				  name, fmt_nearest(f, name, nearest, sizeof(nearest)));
	if (find_exporter(f, name, module, sizeof(module)) && !is_loaded(f, module))
		return errmsg_set(err, -ENOENT,
				  "%s is in the module %s, which is not loaded (modprobe %s)", name,
				  module, module);
	if (find_namesake(f, name, module, sizeof(module)) && !is_loaded(f, module))
		return errmsg_set(err, -ENOENT,
				  "there is no function %s now; it may be in the module %s, "
				  "which is not loaded (modprobe %s)%s",
				  name, module, module,
				  fmt_nearest(f, name, nearest, sizeof(nearest)));
	return errmsg_set(err, -ENOENT, "this kernel has no function %s%s", name,
			  fmt_nearest(f, name, nearest, sizeof(nearest)));
}

static int refuse_module(const struct kfunctions *f, const struct function_pattern *pattern,
			 struct errmsg *err)
{
	if (!strpbrk(pattern->module, "*?[") && !is_loaded(f, pattern->module))
		return errmsg_set(err, -ENOENT, "the module %s is not loaded (modprobe %s)",
				  pattern->module, pattern->module);
	return errmsg_set(err, -ENOENT,
			  "no function of the module %s that can be traced matches %s",
			  pattern->module, pattern->name);
}

static int refuse_glob(struct kfunctions *f, const struct function_pattern *pattern,
		       struct errmsg *err)
{
	const char *now = kfunctions_substitute(f, pattern->name);
	struct function_line line;
	size_t n = 0;

	if (now)
		return errmsg_set(err, -ENOENT,
				  "no function of this kernel matches '%s'; here the name is "
				  "'%s'",
				  pattern->name, now);
	if (kfunctions_read_symbols(f))
		for (const char *p = f->symbols.start; *p;) {
			const char *name = p + strcspn(p, " \n");
			char type = *name == ' ' ? name[1] : 0;

			if (type && name[2] == ' ') {
				kfunctions_next_line(name + 3, &line);
				n += strchr("tTwW", type) && kfunctions_match(pattern, &line);
			}
			p += strcspn(p, "\n");
			p += *p == '\n';
		}
	if (n)
		return errmsg_set(err, -ENOENT,
				  "none of the %zu functions that match '%s' can be traced: the "
				  "kernel is built without the hook there (notrace, __init, or "
				  "assembler)",
				  n, pattern->name);
	return errmsg_set(err, -ENOENT, "no function of this kernel matches '%s'", pattern->name);
}

int kfunctions_refuse(struct kfunctions *f, const struct function_pattern *pattern,
		      struct errmsg *err)
{
	const char *name = pattern->name, *now;
	struct symbol sym = {0};

	if (pattern->module[0])
		return refuse_module(f, pattern, err);
	if (pattern->is_glob)
		return refuse_glob(f, pattern, err);
	now = kfunctions_substitute(f, name);
	if (now && !strncmp(now, name, strlen(name)) && now[strlen(name)] == '.')
		return errmsg_set(err, -ENOENT,
				  "there is no separate function %s: the compiler turned it "
				  "into %s; trace that",
				  name, now);
	if (kfunctions_read_symbols(f))
		sym = find_symbol(f, name);
	if (now && !sym.type)
		return errmsg_set(err, -ENOENT, "this kernel has no function %s; %s does its work",
				  name, now);
	if (now)
		return errmsg_set(err, -ENOENT, "%s cannot be traced in this kernel; trace %s",
				  name, now);
	return sym.type ? refuse_symbol(f, name, &sym, err) : refuse_absent(f, name, err);
}

int kfunctions_explain_probe(const struct tracefs *t, const char *name, struct errmsg *err)
{
	struct kfunctions *f = kfunctions_new(t, NULL);
	struct errmsg no_sentence = {0};
	struct symbol sym = {0};
	const char *why = NULL;
	int r = 0;

	if (!f)
		return errmsg_set_errno(err, -ENOMEM, "cannot look up the function %s", name);
	/* for the nearest function; the list is empty if the kernel refuses it */
	kfunctions_read_list(f, &no_sentence);
	if (kfunctions_read_symbols(f))
		sym = find_symbol(f, name);
	if (!sym.type)
		r = f->symbols_state > 0 ? refuse_absent(f, name, err) : 0;
	else if (!strchr("tTwW", sym.type))
		r = errmsg_set(err, -ENOENT, "%s is data, not a function; read it with @%s", name,
			       name);
	else if (file_has(f->paths.blacklist, "\t", name, "\n"))
		r = errmsg_set(
			err, -EPERM,
			"cannot probe %s: it is on the kernel's blacklist (NOKPROBE), because "
			"probes use it; probe one of its callers",
			name);
	else if ((why = reason_by_place(f, sym.addr)))
		r = errmsg_set(err, -EPERM, "cannot probe %s: %s; probe one of its callers", name,
			       why);
	else if (f->list_state > 0 && !kfunctions_can(f, name))
		r = errmsg_set(err, -EPERM,
			       "cannot probe %s: it is built without the tracer's hook "
			       "(notrace, or assembler), and this kernel does not probe such "
			       "functions (CONFIG_KPROBE_EVENTS_ON_NOTRACE); probe one of its "
			       "callers",
			       name);
	kfunctions_free(f);
	return r;
}
