// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * namesakes.c - resolves kernel functions that share a name, because each is static in its own
 * file.
 *
 *	init_once        five functions in a usual kernel
 *
 * Given such a name, kernels before 6.7 silently probe the first one, later ones refuse.
 * /proc/kallsyms has the addresses of all, so they become places of one event, relative to the
 * kernel's first byte:
 *
 *	p:probe/init_once _text+1234567
 *
 * It is unknown which of them BTF describes; a note reports this. If the addresses are hidden
 * (kptr_restrict), or the kernel accepts only one place per event, only one is probed, and a note
 * reports that.
 */
#include "probe/resolve/resolve_int.h"
#include "base/array.h"
#include "symbols/dwarf/debuginfo.h"

#include <stdio.h>
#include <stdlib.h>

/* Returns the address on the line that contains p. */
static uint64_t address_of(const char *text, const char *p)
{
	while (p > text && p[-1] != '\n')
		p--;
	return strtoull(p, NULL, 16);
}

/*
 * Finds the next code symbol of that name from *p on, in the kernel itself. Returns false if there
 * are no more.
 */
static bool next_namesake(const char *text, const char **p, const char *name, uint64_t *ret_address)
{
	size_t len = strlen(name);

	while ((*p = strstr(*p, name))) {
		const char *at = *p;

		*p += len;
		if (at - text < 3 || at[-1] != ' ' || at[len] != '\n' || !strchr("tTwW", at[-2]))
			continue;
		*ret_address = address_of(text, at);
		return true;
	}
	return false;
}

static unsigned count(const char *text, const char *name)
{
	const char *p = text;
	uint64_t address;
	unsigned n = 0;

	while (next_namesake(text, &p, name, &address))
		n++;
	return n;
}

/*
 * Returns true if the place is already there: BTF may describe each of the functions, and a pattern
 * matches each description.
 */
static bool is_there(const struct resolution *r, uint64_t text_offset)
{
	const struct probe *p = &r->out->probe;
	char text[64];

	snprintf(text, sizeof(text), "_text+%llu", (unsigned long long)text_offset + r->d->offset);
	return ARRAY_ANY(p->n_places, i, !strcmp(p->places[i].text, text));
}

static int add_all(struct resolution *r, struct found_function *f, const char *text, uint64_t begin)
{
	const char *p = text;
	uint64_t address;
	int result = 0;

	while (result >= 0 && next_namesake(text, &p, f->symbol, &address)) {
		f->text_offset = address - begin;
		if (!is_there(r, f->text_offset))
			result = resolve_add_function(r, f);
	}
	return result;
}

int resolve_namesakes(struct resolution *r, struct found_function *f)
{
	const char *name = f->symbol, *p, *described = "";
	const char *text =
		r->prober->world.check_symbols ? prober_list(r->prober, PROBER_KALLSYMS) : NULL;
	enum probe_kind kind = resolve_kernel_kind(r, f);
	bool is_fprobe = kind == PROBE_FPROBE || kind == PROBE_FPROBE_EXIT;
	unsigned n = text && !*f->module ? count(text, name) : 0;
	bool is_glob = debuginfo_is_glob(r->d->function);
	uint64_t begin = 0;
	int result;

	if (n < 2)
		return resolve_add_function(r, f);
	if (resolve_wants_variables(r->d))
		described = "; their arguments are read as BTF describes them for one of them";
	p = text;
	if (is_fprobe || !r->prober->kernel.many_places ||
	    n > r->prober->world.max_places - r->out->probe.n_places ||
	    !next_namesake(text, &p, "_text", &begin) || !begin) {
		resolve_note(r, "there are %u functions %s in this kernel, %s%s", n, name,
			     is_fprobe ? "and all of them are probed"
				       : "of which the kernel probes one, or refuses all",
			     described);
		return resolve_add_function(r, f);
	}
	if (!is_glob)
		resolve_note(
			r, "there are %u functions %s in this kernel, and all of them are probed%s",
			n, name, described);
	r->n_points = n;
	result = add_all(r, f, text, begin);
	return result < 0 || is_glob ? result : resolve_check_args(r);
}
