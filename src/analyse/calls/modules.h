/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * modules.h - the same program under two names.
 *
 * Two traces that are compared may be of server and server-new. If each trace has exactly one
 * program or library that the other has not, these two are taken for the same.
 */
#ifndef SONDE_ANALYSE_CALLS_MODULES_H
#define SONDE_ANALYSE_CALLS_MODULES_H

#include <stddef.h>

#define MODULES_MAX 64

/*
 * The names of a trace, each once. With more than MODULES_MAX of them nothing is taken for the
 * same.
 */
struct modules {
	const char *names[MODULES_MAX];
	size_t n; /* MODULES_MAX + 1: too many */
};

/* name may be NULL: the kernel. It must stay valid. */
void modules_add(struct modules *m, const char *name);

struct module_twins {
	const char *base, *other; /* NULL: there are none */
};

struct module_twins modules_find_twins(const struct modules *base, const struct modules *other);
/* The name in the base of a module of the other trace. */
const char *module_in_base(const struct module_twins *t, const char *name);

#endif
