// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * glob.c - resolves patterns of kernel functions, vfs_*: finds every function in BTF that matches
 * and can be probed.
 *
 *  kprobes/blacklist              0xffffffff81000010-0xffffffff81000040    NAME    probes use these
 *  available_filter_functions     NAME [module]      built with the tracer's hook
 *  kallsyms                       functions with code
 *
 * For a single name, the kernel reports why it refuses it. In a pattern, one bad function would
 * make the whole probe fail, so such functions are skipped, and a note reports their number. The
 * same applies to a function without the variables to be recorded: vfs_*(count) is for functions
 * with a count. A list that cannot be read excludes nothing.
 */
#include "base/errmsg.h"
#include "probe/resolve/resolve_int.h"
#include "symbols/btf/btf.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>

#define NAMES_SHOWN 3

enum reason { REASON_BLACKLIST, REASON_NO_HOOK, REASON_NO_CODE, REASON_NO_VARIABLE, N_REASONS };

static const char *const reason_texts[N_REASONS] = {
	[REASON_BLACKLIST] = "on the kernel's blacklist (NOKPROBE)",
	[REASON_NO_HOOK] = "without the tracer's hook (notrace)",
	[REASON_NO_CODE] = "without code (inlined)",
	[REASON_NO_VARIABLE] = "without what is to be recorded",
};

struct glob {
	struct resolution *r;
	struct btf *btf, *kernel;
	const char *module;
	unsigned n_left_out[N_REASONS];
	char names[N_REASONS][160]; /* names of the first skipped functions */
	struct errmsg first;	    /* the reason for the first function of REASON_NO_VARIABLE */
	int result;
};

static bool is_left_out(struct glob *g, const char *name, enum reason *ret)
{
	struct prober *p = g->r->prober;
	const char *blacklist = prober_list(p, PROBER_BLACKLIST);
	const char *hooks = prober_list(p, PROBER_HOOKS);
	const char *symbols = prober_list(p, PROBER_KALLSYMS);

	if (symbols && !prober_list_has(symbols, ' ', name, "\t\n"))
		*ret = REASON_NO_CODE;
	else if (blacklist && prober_list_has(blacklist, '\t', name, "\n"))
		*ret = REASON_BLACKLIST;
	else if (hooks && !prober_list_has(hooks, '\n', name, " \n"))
		*ret = REASON_NO_HOOK;
	else
		return false;
	return true;
}

static void leave_out(struct glob *g, enum reason why, const char *name)
{
	char *names = g->names[why];
	size_t len = strlen(names), size = sizeof(g->names[why]);

	if (g->n_left_out[why]++ < NAMES_SHOWN)
		snprintf(names + len, size - len, "%s%.40s", len ? ", " : "", name);
}

struct function_adder {
	struct resolution *r;
	const struct found_function *f;
};

static int add_function(void *ctx)
{
	struct function_adder *a = ctx;

	struct found_function f = *a->f;

	return resolve_namesakes(a->r, &f);
}

static int try_function(struct glob *g, const struct found_function *f)
{
	struct function_adder adder = {g->r, f};
	int result = resolve_try(g->r, add_function, &adder, &g->first);

	if (result == -ENOENT)
		leave_out(g, REASON_NO_VARIABLE, f->symbol);
	return result == -ENOENT ? 0 : result;
}

static int add_match(void *ctx, const char *name, struct type prototype)
{
	struct glob *g = ctx;
	struct resolution *r = g->r;
	struct found_function f = {.btf = g->btf, .prototype = prototype};
	enum reason why;
	struct type t;

	if (fnmatch(r->d->function, name, 0))
		return 0;
	/* a module's BTF also contains the functions of the kernel */
	if (g->module && btf_find_function(g->kernel, name, strlen(name), &t) >= 0)
		return 0;
	if (is_left_out(g, name, &why)) {
		leave_out(g, why, name);
		return 0;
	}
	if (r->out->probe.n_places == r->prober->world.max_places ||
	    (r->out->probe.n_places && !r->prober->kernel.many_places)) {
		g->result = RESOLVE_REFUSE(r, r->d->function_span, -E2BIG,
					   "'%s' matches more than %zu functions, the maximum for "
					   "one event; write a narrower pattern",
					   r->d->function, r->out->probe.n_places);
		return g->result;
	}
	snprintf(f.symbol, sizeof(f.symbol), "%s", name);
	snprintf(f.module, sizeof(f.module), "%s", g->module ? g->module : "");
	g->result = try_function(g, &f);
	return g->result;
}

/* Writes "2 on the kernel's blacklist (NOKPROBE): a, b; 1 without …". */
static unsigned fmt_left_out(const struct glob *g, char *out, size_t size)
{
	unsigned n = 0;

	*out = 0;
	for (unsigned i = 0; i < N_REASONS; i++) {
		size_t len = strlen(out);

		if (g->n_left_out[i])
			snprintf(out + len, size - len, "%s%u %s: %s%s", len ? "; " : "",
				 g->n_left_out[i], reason_texts[i], g->names[i],
				 g->n_left_out[i] > NAMES_SHOWN ? ", …" : "");
		n += g->n_left_out[i];
	}
	return n;
}

int resolve_glob(struct resolution *r, const char *module)
{
	struct glob g = {.r = r, .module = module};
	struct errmsg why = {0};
	char left_out[700];
	unsigned n;

	if (prober_btf(r->prober, NULL, &g.kernel, &why) < 0 ||
	    prober_btf(r->prober, module, &g.btf, &why) < 0)
		return RESOLVE_REFUSE(r, r->d->function_span, -ENODATA, "%s", why.text);
	r->n_points = 2; /* or more */
	btf_each_function(g.btf, add_match, &g);
	if (g.result < 0)
		return g.result;
	n = fmt_left_out(&g, left_out, sizeof(left_out));
	if (!r->out->probe.n_places && g.first.code) {
		*r->err = g.first;
		return g.first.code;
	}
	if (!r->out->probe.n_places && n)
		return RESOLVE_REFUSE(r, r->d->function_span, -ENOENT,
				      "no function that matches '%s' can be probed (%s); name "
				      "their callers",
				      r->d->function, left_out);
	if (!r->out->probe.n_places)
		return RESOLVE_REFUSE(r, r->d->function_span, -ENOENT,
				      "no function of %s matches '%s'; 'sonde probe funcs' "
				      "lists them",
				      module ? module : "this kernel", r->d->function);
	if (n)
		resolve_note(r, "%u of the functions that match are left out, %s", n, left_out);
	return resolve_check_args(r);
}
