// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mhd.c - finds libmicrohttpd when it is needed.
 *
 * The library brings eight others along (TLS, of which nothing is used here), and to load and relocate them takes
 * longer than all that most commands do. So it is not linked: one command in forty pays for it.
 *
 * It stays loaded: threads of its own may still be on their way out when the server has stopped.
 */
#include "view/mhd.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

/* The first: the version that the header is of. */
static const char *const names[] = {"libmicrohttpd.so.12", "libmicrohttpd.so"};

#define MHD_ROW(name) {"MHD_" #name, offsetof(struct mhd, name)},
static const struct {
	const char *name;
	size_t offset;
} functions[] = {MHD_FUNCTIONS(MHD_ROW)};
#undef MHD_ROW

int mhd_load(struct mhd *m, struct errmsg *err)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !m->library; i++)
		m->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!m->library)
		return errmsg_set(err, -ENOENT,
				  "serving needs libmicrohttpd: install libmicrohttpd12 (%s)",
				  dlerror());
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		void *function = dlsym(m->library, functions[i].name);

		if (!function)
			return errmsg_set(err, -ENOSYS,
					  "this libmicrohttpd is too old (no %s): "
					  "install version 0.9.75 or later",
					  functions[i].name);
		memcpy((char *)m + functions[i].offset, &function, sizeof(function));
	}
	return 0;
}
