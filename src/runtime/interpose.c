// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * interpose.c - functions of the C library that the preloaded library replaces.
 *
 *	dl_iterate_phdr, _dl_find_object   unwinders find our areas, too (unwind.c)
 *	backtrace                          omits our frames
 *
 * The dynamic linker finds a preloaded library's functions first. The originals are the next ones
 * of that name.
 */
#include "runtime/runtime_int.h"

#include <dlfcn.h>
#include <link.h>

#define BACKTRACE_MAX 512 /* frames, with ours; on the stack */
#define EXPORTED      __attribute__((visibility("default")))

EXPORTED int dl_iterate_phdr(snrt_visitor visit, void *data);
EXPORTED int _dl_find_object(void *address, struct dl_find_object *result);
EXPORTED int backtrace(void **buffer, int size);

int dl_iterate_phdr(snrt_visitor visit, void *data)
{
	static snrt_iterate real;

	if (!real)
		real = (snrt_iterate)dlsym(RTLD_NEXT, "dl_iterate_phdr");
	return snrt_unwind_iterate(real, visit, data);
}

int _dl_find_object(void *address, struct dl_find_object *result)
{
	static snrt_find_object real;

	if (snrt_unwind_find((uint64_t)address, result))
		return 0;
	if (!real)
		real = (snrt_find_object)dlsym(RTLD_NEXT, "_dl_find_object");
	return real ? real(address, result) : -1;
}

/* --- backtraces do not show our frames -------------------------------------------------------- */

static bool is_ours(const void *address)
{
	static Dl_info self;
	Dl_info info;

	if (snrt_unwind_is_area((uint64_t)address))
		return true;
	if (!self.dli_fbase && !dladdr((void *)&snrt_process, &self))
		return false;
	return dladdr(address, &info) && info.dli_fbase == self.dli_fbase;
}

int backtrace(void **buffer, int size)
{
	static int (*real)(void **, int);
	void *all[BACKTRACE_MAX];
	int n, n_shown = 0;

	if (!real)
		real = (int (*)(void **, int))dlsym(RTLD_NEXT, "backtrace");
	if (!real)
		return 0;
	if (!snrt_process.n_images)
		return real(buffer, size);
	n = real(all, BACKTRACE_MAX);
	for (int i = 0; i < n && n_shown < size; i++)
		if (!is_ours(all[i]))
			buffer[n_shown++] = all[i];
	return n_shown;
}
