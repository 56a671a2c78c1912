// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mhd.c - loads libmicrohttpd when it is needed.
 *
 * The library depends on eight others (TLS, which is not used here), and loading and relocating
 * them takes longer than most commands run. So it is not linked: only the commands that serve load
 * it.
 *
 * It is never unloaded, because its threads may not have exited yet when the server has stopped.
 */
#include "view/mhd.h"

#include "base/array.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

/* Names of the library. The first is the version that matches the header. */
static const char *const names[] = {"libmicrohttpd.so.12", "libmicrohttpd.so"};

#define MHD_ROW(name) {"MHD_" #name, offsetof(struct mhd, name)},
static const struct {
	const char *name;
	size_t offset;
} functions[] = {MHD_FUNCTIONS(MHD_ROW)};
#undef MHD_ROW

int mhd_load(struct mhd *m, struct errmsg *err)
{
	for (size_t i = 0; i < ARRAY_LEN(names) && !m->library; i++)
		m->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!m->library)
		return errmsg_set(err, -ENOENT,
				  "serving needs libmicrohttpd: install libmicrohttpd12 (%s)",
				  dlerror());
	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
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
