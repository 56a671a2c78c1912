// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * opened.c - notices libraries that come and go, and stands in for functions of the C library.
 *
 * The dynamic linker calls _dl_debug_state(), an empty function, whenever its list of libraries has
 * changed; debuggers put a breakpoint there. It does so when a library is mapped, but before its
 * constructors run, and again when one was closed. We let the function jump here:
 *
 *	dlopen() ─▶ … ─▶ _dl_debug_state ─▶ snrt_opened ─ SNRT_OPENED ─▶ recorder
 *	                                         └◀── plan of new and closed libraries
 *
 * We do not wrap dlopen(): it searches libraries in places that depend on its caller.
 *
 * The dynamic linker holds its lock meanwhile, so only one thread at a time runs this code. No
 * thread runs the code of a library that was just mapped, or that was closed.
 *
 * In a process that sonde attaches to, the functions with which unwinders find their tables jump
 * here, too; a preloaded library replaces them by its symbols.
 */
#include "runtime/sys.h"

#include <dlfcn.h>
#include <link.h>

static uint64_t reals[SNRT_ITERATE + 1];

static void opened(void)
{
	const struct r_debug *debug = (const struct r_debug *)snrt_process.r_debug;
	struct snrt_reply r;
	uint64_t mask;
	long fd;

	if ((debug && debug->r_state != RT_CONSISTENT) || !snrt_process.shared ||
	    !__atomic_load_n(&snrt_process.shared->enabled, __ATOMIC_RELAXED) ||
	    __atomic_load_n(&snrt_process.shared->is_ending, __ATOMIC_RELAXED))
		return;
	mask = snrt_block_signals();
	fd = snrt_connect();
	if (fd >= 0) {
		if (snrt_ask(fd, SNRT_OPENED, &r) && r.answer.n_images &&
		    snrt_plan_take(r.fds[0], &r.answer))
			snrt_plan_patch();
		snrt_reply_close(&r);
		snrt_disconnect(fd);
	}
	snrt_restore_signals(mask);
}

static int find_object(void *address, struct dl_find_object *result)
{
	if (snrt_unwind_find((uint64_t)address, result))
		return 0;
	return ((snrt_find_object)reals[SNRT_FIND_OBJECT])(address, result);
}

static int iterate(snrt_visitor visit, void *data)
{
	return snrt_unwind_iterate((snrt_iterate)reals[SNRT_ITERATE], visit, data);
}

void snrt_detour_write(uint8_t *thunk, enum snrt_detour which)
{
	static const struct {
		void *function;
	} table[] = {
		[SNRT_DEBUG_STATE] = {(void *)opened},
		[SNRT_FIND_OBJECT] = {(void *)find_object},
		[SNRT_ITERATE] = {(void *)iterate},
	};

	if (which > SNRT_ITERATE)
		return;
	reals[which] = arch_thunk_body(thunk);
	arch_write_detour(thunk, (uint64_t)table[which].function);
}
