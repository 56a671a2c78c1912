// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unknown.c - explains a name that the kernel does not have, and suggests a remedy.
 *
 * The source of the kernel has more functions than its symbols: macros, functions that were inlined
 * into all callers, and those of modules that are not loaded. The first two leave no trace without
 * DWARF. For the third, depmod's list has the functions that a module exports:
 *
 *	/lib/modules/VERSION/modules.symbols      alias symbol:usb_add_hcd usbcore
 *
 * The list has 10 000 lines and is read only to explain an error.
 */
#include "base/scope.h"
#include "base/spelling.h"
#include "probe/resolve/resolve_int.h"
#include "symbols/btf/btf.h"

#include <errno.h>
#include <stdio.h>
#include <sys/utsname.h>

static int add_name(void *ctx, const char *name, struct type prototype)
{
	spelling_add(ctx, name);
	return 0;
}

/* Finds the module that would export the function if it were loaded. */
static bool find_exporter(const struct probe_world *w, const char *function,
			  char module[PROBE_NAME_BYTES])
{
	char path[PATH_MAX], line[512], name[256];
	struct utsname u;
	bool found = false;
	SCOPED(fclose_scoped) FILE *f = NULL;

	if (w->modules_dir)
		snprintf(path, sizeof(path), "%s/modules.symbols", w->modules_dir);
	else if (w->btf_dir || uname(&u))
		return false; /* this is the kernel of another machine */
	else
		snprintf(path, sizeof(path), "/lib/modules/%s/modules.symbols", u.release);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "alias symbol:%255s %63s", name, module) == 2 &&
			!strcmp(name, function);
	return found;
}

/* Returns true if the name is data. Functions were searched before. */
static bool is_data(struct prober *p, const char *name)
{
	const char *symbols = prober_list(p, PROBER_KALLSYMS);

	return symbols && prober_list_has(symbols, ' ', name, "\t\n");
}

static int refuse_in_module(struct resolution *r, const char *module, const char *nearest)
{
	const char *symbols = prober_list(r->prober, PROBER_KALLSYMS);
	char line[400];

	/* a module's BTF also contains the kernel's functions */
	snprintf(line, sizeof(line), " %s\t[%s]", nearest ? nearest : "", module);
	if (symbols && !strstr(symbols, line))
		nearest = NULL;
	return RESOLVE_REFUSE(r, r->d->function_span, -ENOENT,
			      "there is no function '%s' in the module %s%s%s", r->d->function,
			      module,
			      nearest ? "; the nearest is " : "; 'sonde probe funcs -m' lists them",
			      nearest ? nearest : "");
}

int resolve_refuse_function(struct resolution *r, const struct btf *btf, const char *module)
{
	const char *name = r->d->function;
	char exporter[PROBE_NAME_BYTES], system[PROBE_NAME_BYTES];
	struct spelling sp;

	spelling_init(&sp, name, strlen(name));
	if (btf)
		btf_each_function(btf, add_name, &sp);
	if (module)
		return refuse_in_module(r, module, sp.nearest);
	if (is_data(r->prober, name))
		return RESOLVE_REFUSE(r, r->d->function_span, -ENOENT,
				      "%s is data of the kernel, not a function; name a "
				      "function",
				      name);
	if (!r->d->is_return && !r->d->offset && resolve_find_system(r->prober, name, system))
		return RESOLVE_REFUSE(
			r, r->d->function_span, -ENOENT,
			"there is no function '%s' in this kernel, but an event; write an "
			"event with its system: %s:%s(FIELD, …)",
			name, system, name);
	if (find_exporter(&r->prober->world, name, exporter))
		return RESOLVE_REFUSE(r, r->d->function_span, -ENOENT,
				      "%s is in the module %s, which is not loaded; as root: "
				      "modprobe %s",
				      name, exporter, exporter);
	return RESOLVE_REFUSE(
		r, r->d->function_span, -ENOENT,
		"there is no function '%s' in this kernel%s%s; if its source has one, it is a "
		"macro, or inlined everywhere (--vmlinux FILE finds where), or in a module "
		"that is not loaded; 'sonde probe funcs' lists the functions; write a function "
		"of a program as PROGRAM:%s",
		name, sp.nearest ? "; the nearest is " : "", sp.nearest ? sp.nearest : "", name);
}

int resolve_refuse_inlined(struct resolution *r)
{
	return RESOLVE_REFUSE(
		r, r->d->function_span, -ENOENT,
		"%s has no code in this kernel: the compiler inlined it into all its callers, "
		"or dropped it (exit code); probe one of its callers, or give the kernel's "
		"DWARF: --vmlinux FILE",
		r->d->function);
}
