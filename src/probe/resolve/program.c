// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program.c - resolves functions, lines and addresses of programs and libraries.
 *
 *	bash:readline%return     a name without '/': the program in PATH, else the library of that
 *	                         name
 *	./prog:prog.c:25         one place for each copy of the line
 *
 * A uprobe is placed by an offset into the file: /usr/bin/bash:0xb4f50
 *
 * A global variable is read with @+OFFSET, to which the kernel adds the difference between the
 * probe's address and its offset. So OFFSET is not the position in the file, because data and code
 * are mapped differently. It is the distance of the variable from the address at which the file
 * would begin if all of it were mapped like the code.
 */
#include "base/arena.h"
#include "base/array.h"
#include "base/scope.h"
#include "probe/findprogram.h"
#include "probe/resolve/resolve_int.h"
#include "symbols/arch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * --- where it is ---------------------------------------------------------------------------------
 */

/* Checks that the path contains no blanks, because the kernel splits the definition there. */
static int check_path(struct resolution *r, const char *path, char absolute[PATH_MAX])
{
	struct span span = r->d->target ? r->d->target_span : r->d->function_span;
	char found[PATH_MAX];

	if (!findprogram(path, false, found))
		return RESOLVE_REFUSE(r, span, -ENOENT, "cannot read a program or library %s; %s",
				      path,
				      strchr(path, '/') ? "check the path" : "write its full path");
	if (!findprogram_real(found, absolute))
		return RESOLVE_REFUSE(r, span, -errno, "cannot find %s; write its full path",
				      found);
	if (strpbrk(absolute, " \t\n"))
		return RESOLVE_REFUSE(
			r, span, -EINVAL,
			"the kernel does not accept a path with a blank (%s); make a link to "
			"the file in another directory",
			absolute);
	return 0;
}

/*
 * --- places --------------------------------------------------------------------------------------
 */

/*
 * Returns the reason why there is no DWARF. If no variables are requested, does not search for the
 * debug package.
 */
static const char *why_no_dwarf(struct resolution *r, struct debuginfo *info)
{
	char text[512];
	const char *kept;

	if (!resolve_wants_variables(r->d))
		return "the file has no debug information";
	snprintf(text, sizeof(text),
		 "the file has no debug information: %s; $arg1 and %%REG need none",
		 debuginfo_remedy(info));
	kept = arena_strndup(&r->out->memory, text, strlen(text));
	return kept ? kept : "the file has no debug information";
}

static void fill_place(struct resolution *r, struct debuginfo *info,
		       const struct debuginfo_point *pt, uint64_t offset, struct fetch_place *ret)
{
	bool has_dwarf = debuginfo_has_dwarf(info);

	*ret = (struct fetch_place){
		.definition = r->d,
		.kernel = &r->prober->kernel,
		.arch = debuginfo_arch(info),
		.function = pt->function     ? pt->function
			    : r->d->function ? r->d->function
					     : "this place",
		.is_program = true,
		.is_return = r->d->is_return,
		.scope = has_dwarf ? pt->scope : NULL,
		.why_none = has_dwarf ? "the debug information does not describe it; use %REG"
				      : why_no_dwarf(r, info),
		.data_offset = pt->address - offset,
		.info = info,
	};
}

struct point_adder {
	struct resolution *r;
	struct debuginfo *info;
	const char *path;
};

static int add_point(void *ctx, const struct debuginfo_point *pt)
{
	const struct point_adder *adder = ctx;
	struct debuginfo *info = adder->info;
	const char *path = adder->path;
	struct resolution *r = adder->r;
	struct fetch_place place;
	char text[PATH_MAX + 64];
	uint64_t offset;
	int result;

	if (debuginfo_code_offset(info, pt->address, &offset) < 0)
		return RESOLVE_REFUSE(r, r->d->function ? r->d->function_span : r->d->line_span,
				      -ENOENT,
				      "address 0x%llx is not in the code of %s; 'sonde probe "
				      "funcs -v' shows addresses",
				      (unsigned long long)pt->address, path);
	snprintf(text, sizeof(text), "%s:0x%llx", path, (unsigned long long)offset);
	result = resolve_add_point(r, text, pt);
	fill_place(r, info, pt, offset, &place);
	return result < 0 ? result : resolve_args(r, &place);
}

static int resolve_where(struct resolution *r, const char *path, struct debuginfo *info)
{
	struct point_adder adder = {r, info, path};
	const char *function;
	int result = resolve_each_point(r, info, add_point, &adder, &function);

	return result < 0 ? result
			  : resolve_group_and_event(r, path, function,
						    r->d->has_line ? r->d->line : 0);
}

static int resolve_address(struct resolution *r, const char *path, struct debuginfo *info)
{
	struct debuginfo_point pt = {.address = r->d->address};
	struct errmsg why = {0};
	char name[32];
	int result = debuginfo_check_address(info, pt.address, &why);

	if (result < 0)
		return RESOLVE_REFUSE(r, r->d->function_span, result, "%s", why.text);
	result = add_point(&(struct point_adder){r, info, path}, &pt);
	snprintf(name, sizeof(name), "abs_%llx", (unsigned long long)r->d->address);
	return result < 0 ? result : resolve_group_and_event(r, path, name, 0);
}

/* Decides whether put(Mode) selects a function, when the functions are known. */
static int resolve_choice(struct resolution *r, struct debuginfo *info)
{
	struct definition *copy;

	if (!r->d->chosen || !debuginfo_has_function(info, r->d->chosen))
		return 0;
	copy = arena_alloc(&r->out->memory, sizeof(*copy));
	if (!copy)
		return resolve_no_memory(r);
	*copy = *r->d;
	copy->function = r->d->chosen;
	copy->function_span = r->d->chosen_span;
	copy->chosen = NULL;
	copy->n_args = 0;
	r->d = r->out->probe.definition = copy;
	return 0;
}

/*
 * Returns true if no register is used: then a probe works for programs of every architecture that
 * the kernel can run.
 */
static bool needs_no_registers(const struct definition *d)
{
	return !ARRAY_ANY(d->n_args, i, d->args[i].value->kind != EXPRESSION_COMM);
}

static bool is_foreign(const struct resolution *r, const struct debuginfo *info)
{
	const struct arch *arch = debuginfo_arch(info);

	return !r->prober->world.is_only_asked && arch && arch != r->prober->kernel.arch;
}

int resolve_program(struct resolution *r, const char *path)
{
	struct span span = r->d->target ? r->d->target_span : r->d->function_span;
	char absolute[PATH_MAX];
	struct debuginfo *info;
	struct errmsg why = {0};
	int result = check_path(r, path, absolute);

	TRY(result);
	if (!r->prober->kernel.uprobes)
		return RESOLVE_REFUSE(
			r, span, -EOPNOTSUPP,
			"this kernel does not support probes in programs (CONFIG_UPROBES); "
			"'sonde doctor' says more");
	result = prober_debuginfo(r->prober, absolute, &info, &why);
	if (result < 0)
		return RESOLVE_REFUSE(r, span, result, "%s", why.text);
	if (!debuginfo_arch(info) && !needs_no_registers(r->d))
		return RESOLVE_REFUSE(r, r->d->n_args ? r->d->args[0].span : span, -EOPNOTSUPP,
				      "%s is for a processor whose registers sonde does not "
				      "know (such as 32-bit x86), so its variables are "
				      "unknown; omit the arguments, or use the kernel's own "
				      "grammar: p:…",
				      absolute);
	if (is_foreign(r, info))
		return RESOLVE_REFUSE(
			r, span, -EOPNOTSUPP,
			"%s is for another processor (%s), and a breakpoint of this one would "
			"damage it under emulation; only 'probe vars', 'lines', 'funcs', "
			"'show' and 'add -D' work with it",
			absolute, debuginfo_arch(info)->name);
	r->out->probe.kind = r->d->is_return ? PROBE_URETPROBE : PROBE_UPROBE;
	if (r->d->is_return && resolve_check_return(r, absolute, info) < 0)
		return r->err->code;
	if (r->d->is_return && r->d->max_active)
		resolve_note(r,
			     "@%u is ignored: in programs the kernel follows every call, and needs "
			     "no number for it",
			     r->d->max_active);
	if (r->d->has_address)
		return resolve_address(r, absolute, info);
	result = resolve_choice(r, info);
	return result < 0 ? result : resolve_where(r, absolute, info);
}
