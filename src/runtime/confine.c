// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * confine.c - programs that give up rights which the runtime needs: prctl() is ours.
 *
 *	PR_SET_SECCOMP, strict     any system call but read, write and exit kills the thread, and
 *	                           the
 *	PR_SET_TSC, SIGSEGV        counter of the processor is forbidden: the thread goes quiet
 *	                           first
 *	PR_SET_SECCOMP, filter     system calls may kill the process from now on: full rings lose
 *	                           records, and new threads are not traced
 *
 * A quiet thread has a page without a ring. So its hooks take the slow path, which records nothing
 * and makes no system calls. The runtime does not notice a program that calls prctl by syscall().
 */
#include "runtime/runtime_int.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>

static bool forbids_counter(int option, unsigned long value)
{
	return (option == PR_SET_SECCOMP && value == SECCOMP_MODE_STRICT) ||
	       (option == PR_SET_TSC && value == PR_TSC_SIGSEGV);
}

__attribute__((visibility("default"))) int prctl(int option, ...)
{
	unsigned long words[4];
	bool is_quiet;
	va_list args;
	long r;

	va_start(args, option);
	for (int i = 0; i < 4; i++)
		words[i] = va_arg(args, unsigned long);
	va_end(args);
	is_quiet = forbids_counter(option, words[0]) && snrt_thread_be_quiet();
	r = arch_syscall(SYS_prctl, option, (long)words[0], (long)words[1], (long)words[2],
			 (long)words[3], 0);
	if (is_quiet && r < 0)
		snrt_thread_be_heard();
	if (option == PR_SET_SECCOMP && words[0] == SECCOMP_MODE_FILTER && !r)
		snrt_process.is_confined = true;
	if (r >= 0 || r < -4095)
		return (int)r;
	errno = (int)-r;
	return -1;
}
