// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * targets.c - checks that the processes and CPUs exist that `sonde trace` shall trace.
 *
 * A process or a CPU that does not exist makes no calls. So without this check a typing error looks
 * like a program that does nothing.
 *
 * Paths of descriptors are known only if all calls that open and close them are seen.
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/plan.h"
#include "capture/syscalls/sysprograms.h"
#include "cli/trace/traceopts.h"
#include "decode/syscalls/syscalltext.h"
#include "symbols/syscalls/choice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check_pid(const char *word, struct errmsg *err)
{
	char proc[64];

	if (!*word || strspn(word, "0123456789") != strlen(word))
		return errmsg_set(err, -EINVAL, "-p takes numbers of processes, not '%s'", word);
	snprintf(proc, sizeof(proc), "/proc/%.20s", word);
	return access(proc, F_OK) < 0 ? errmsg_set(err, -ESRCH, "there is no process %s", word) : 0;
}

int traceopts_check_pids(const struct traceopts *o, struct errmsg *err)
{
	const struct plan_words *pids = &o->record.plan.buffers[0].pids;

	for (size_t i = 0; i < pids->n; i++)
		TRY(check_pid(pids->words[i], err));
	return 0;
}

/* "0,2-3" */
int traceopts_parse_cpus(struct traceopts *o, struct errmsg *err)
{
	unsigned long n_cpus = (unsigned long)sysconf(_SC_NPROCESSORS_CONF);
	const char *p = o->cpu_list;

	while (*p) {
		char *end;
		unsigned long from = strtoul(p, &end, 10), to = from;

		if (end != p && *end == '-') {
			p = end + 1;
			to = strtoul(p, &end, 10);
		}
		if (end == p || (*end && *end != ',') || to < from)
			return errmsg_set(err, -EINVAL, "'%s' is not a list of CPUs: 0,2-3",
					  o->cpu_list);
		if (to >= n_cpus || to >= SYSPROGRAMS_CPUS_MAX)
			return errmsg_set(err, -EINVAL, "there is no CPU %lu; the last one is %lu",
					  to, n_cpus - 1);
		for (; from <= to; from++)
			o->cpus[from / 64] |= UINT64_C(1) << from % 64;
		p = *end ? end + 1 : end;
	}
	o->programs.cpus = o->cpus;
	return 0;
}

int traceopts_see_more(struct traceopts *o, struct errmsg *err)
{
	const uint64_t *chosen[2] = {o->calls, o->calls_32};
	bool files = o->lines.text.paths || o->lines.n_paths;

	if (o->cpu_list && files)
		return errmsg_set(err, -EINVAL,
				  "-y and -P need all calls of a process; they cannot be combined "
				  "with --cpu");
	o->lines.text.unseen_threads = o->no_children;
	o->programs.only_failed = false; /* lines.only_failed chooses */
	if (!o->has_calls)
		return 0;
	for (unsigned m = 0; m < 2; m++)
		for (uint32_t nr = 0; nr < SYSCALLCHOICE_WORDS * 64; nr++)
			if (chosen[m][nr / 64] >> nr % 64 & 1 ||
			    (files && syscalltext_changes_files(sysprograms_machine(m), nr)) ||
			    (o->lines.text.comms &&
			     syscalltext_changes_names(sysprograms_machine(m), nr)))
				o->seen[m][nr / 64] |= UINT64_C(1) << nr % 64;
	o->programs.calls = o->seen[0];
	o->programs.calls_32 = o->seen[1];
	return 0;
}
