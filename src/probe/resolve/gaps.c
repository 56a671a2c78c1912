// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gaps.c - handles arguments that do not exist at some places of an event.
 *
 * The kernel records a value at every place. For a variable that does not exist, 0xdeade12d is
 * recorded, as in perf. The reader recognizes the number by the field's type, "maybe
 * s32" (format.c, decode/formats/event.c), and shows a question mark. The variable itself must
 * never have this value. A narrow variable can have its lowest bits as a value, so it is widened:
 *
 *	      its lowest bits         fetch where the variable exists     fetch where it does not
 *	u8    45                      b8@0/32                             u32, which is not 45
 *	s5    13                      b5@3/32                             u32, which is not 13
 *
 * For the kernel a bit field has its container's type, so both are one field. A value that cannot
 * be widened (hex of the user's own type, text) is not marked.
 */
#include "base/arena.h"
#include "probe/resolve/resolve_int.h"

#include <stdio.h>
#include <stdlib.h>

static const char **fetch_at(struct probe *p, size_t place, size_t arg)
{
	char **fetches = p->places[place].fetches;

	return (const char **)(fetches && fetches[arg] ? &fetches[arg] : &p->args[arg].fetch);
}

static bool is_gone(const char *fetch)
{
	return !strncmp(fetch, FETCH_GONE, strlen(FETCH_GONE));
}

/*
 * Replaces the argument's fetch by that of a place where the argument exists. The first place gets
 * the old fetch.
 */
static bool use_living(struct resolution *r, size_t arg)
{
	struct probe *p = &r->out->probe;
	struct probe_place *first = &p->places[0];
	char *gone = p->args[arg].fetch;

	if (!is_gone(gone))
		return true;
	if (!first->fetches)
		first->fetches =
			arena_alloc_array(&r->out->memory, p->n_args, sizeof(*first->fetches));
	if (!first->fetches)
		return false;
	for (size_t i = 1; i < p->n_places; i++)
		if (!is_gone(*fetch_at(p, i, arg))) {
			p->args[arg].fetch = p->places[i].fetches[arg];
			first->fetches[arg] = gone;
			return true;
		}
	return false;
}

/* Writes "%di:u8" as "%di:b8@0/32", and FETCH_GONE ":u8" as FETCH_GONE ":u32". */
static char *fmt_wide(struct resolution *r, const char *fetch, unsigned width, unsigned first,
		      unsigned container)
{
	char text[FETCH_MAX_BYTES + 32];
	int len = (int)(resolve_fetch_type(fetch) - fetch), n;

	if (is_gone(fetch))
		n = snprintf(text, sizeof(text), "%.*su%u", len, fetch, container);
	else
		n = snprintf(text, sizeof(text), "%.*sb%u@%u/%u", len, fetch, width, first,
			     container);
	return n > FETCH_MAX_BYTES ? NULL : arena_strndup(&r->out->memory, text, n);
}

static bool widen(struct resolution *r, size_t arg, unsigned width, unsigned first,
		  unsigned container)
{
	struct probe *p = &r->out->probe;
	char *own = fmt_wide(r, p->args[arg].fetch, width, first, container), *wide;

	if (!own)
		return false;
	for (size_t pass = 0; pass < 2; pass++) /* widen all of them or none */
		for (size_t i = 0; i < p->n_places; i++) {
			char **fetches = p->places[i].fetches;

			if (!fetches || !fetches[arg])
				continue;
			wide = fmt_wide(r, fetches[arg], width, first, container);
			if (!wide)
				return false;
			if (pass)
				fetches[arg] = wide;
		}
	p->args[arg].fetch = own;
	return true;
}

/*
 * Returns true if the substitute differs from all values of the argument. Widens the argument if
 * necessary and possible.
 */
static bool is_told_apart(struct resolution *r, size_t arg)
{
	struct probe_arg *a = &r->out->probe.args[arg];
	const char *type = resolve_fetch_type(a->fetch);
	unsigned width, first, container, n = 0;

	if (a->show == PROBE_SHOW_BOOL && *type == 'u')
		return true;
	if (sscanf(type, "b%u@%u/%u%n", &width, &first, &container, &n) == 3 && !type[n])
		return widen(r, arg, width, first, container < 32 ? 32 : container);
	if (!*type || !strchr("usx", *type) || strchr(type, '['))
		return false;
	width = strtoul(type + 1, NULL, 10);
	if (width >= 32)
		return true;
	/* conditions support the order of signed numbers, but not of signed bit fields */
	if (*type == 's' && r->d->filter)
		return false;
	if (!width || *type == 'x' || a->show == PROBE_SHOW_BIG_ENDIAN)
		return false;
	if (*type == 's' && a->show == PROBE_SHOW_AS_IS) {
		if (!widen(r, arg, width, 0, 32))
			return false;
		a->show = PROBE_SHOW_SIGNED;
		return true;
	}
	return widen(r, arg, width, 0, 32);
}

void resolve_gaps(struct resolution *r, size_t arg)
{
	const struct probe_kernel *k = &r->prober->kernel;
	struct probe_arg *a = &r->out->probe.args[arg];

	/* definitions that must equal those of another tool are not changed */
	a->has_gaps =
		use_living(r, arg) && !k->plain_types && k->bitfields && is_told_apart(r, arg);
}
