/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * traceopts.h - the options of `sonde trace` that need more than storing a value.
 */
#ifndef SONDE_CLI_TRACE_TRACEOPTS_H
#define SONDE_CLI_TRACE_TRACEOPTS_H

#include "analyse/callsummary.h"
#include "capture/syscalls/sysprograms.h"
#include "decode/syscalls/syscalltext.h"
#include "live/request.h"
#include "present/syscalls/calllines.h"
#include "symbols/syscalls/choice.h"

#define TRACEOPTS_STRING_MAX 2048

struct traceopts {
	struct live_request record; /* first: rows of recordopts.h */
	struct sysprograms_config programs;
	struct calllines_spec lines;
	const char *input, *output, *cgroup, *cpu_list;
	bool all_tasks, no_children, has_calls, counts, counts_too, no_bpf;
	uint64_t calls[SYSCALLCHOICE_WORDS], calls_32[SYSCALLCHOICE_WORDS];
	uint64_t seen[2][SYSCALLCHOICE_WORDS];	  /* those, and what -y and -P must see */
	uint64_t dumped[2][SYSCALLTEXT_FDS / 64]; /* reads, writes */
	uint64_t cpus[SYSPROGRAMS_CPUS_MAX / 64];
	enum callsummary_key sort;
	long long string_max, ring_kb, column;
};

/* -e: KEY=CHOICE, or a choice of calls. */
int traceopts_choose(void *opts, const char *value, struct errmsg *err);
int traceopts_path(void *opts, const char *value, struct errmsg *err);
int traceopts_time(void *opts, const char *value, struct errmsg *err);
int traceopts_paths(void *opts, const char *value, struct errmsg *err);
int traceopts_comms(void *opts, const char *value, struct errmsg *err);
int traceopts_hex(void *opts, const char *value, struct errmsg *err);
int traceopts_sort(void *opts, const char *value, struct errmsg *err);
int traceopts_duration(void *opts, const char *value, struct errmsg *err);
/* -E NAME=VALUE, -E NAME */
int traceopts_env(void *opts, const char *value, struct errmsg *err);
int traceopts_nothing(void *opts, const char *value, struct errmsg *err);
/* What is to be traced exists; --cpu. */
int traceopts_check_pids(const struct traceopts *o, struct errmsg *err);
int traceopts_parse_cpus(struct traceopts *o, struct errmsg *err);
/* -y, -P and -Y: records the calls that change descriptors or names, too. */
int traceopts_see_more(struct traceopts *o, struct errmsg *err);
/* Completes everything after the options were parsed. */
int traceopts_check(struct traceopts *o, bool has_command, struct errmsg *err);
/* Is it a recorded trace, or named like one, and no program? */
bool traceopts_is_trace(const char *path);
/* Is the output a trace file, and not text? */
bool traceopts_records(const struct traceopts *o);

#endif
