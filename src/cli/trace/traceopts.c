// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * traceopts.c - what the options of `sonde trace` mean.
 *
 *	-e trace=%file,!open    which calls, for both machines       choice.h
 *	-t -tt -ttt             how often the letter comes
 */
#include "cli/trace/traceopts.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/syscalls/systrace.h"
#include "format/tracedat.h"
#include "live/calls/callpaths.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int choose_calls(struct traceopts *o, const char *text, struct errmsg *err)
{
	TRY(syscallchoice_parse(text, sysprograms_machine(0), false, o->calls, err));
	if (sysprograms_machine(1))
		TRY(syscallchoice_parse(text, sysprograms_machine(1), true, o->calls_32, err));
	o->has_calls = true;
	return 0;
}

/* CHLD, SIGCHLD, 17, RT_2; 0: unknown. The kernel's numbers: RTMIN is 32. */
static unsigned signal_of(const char *word)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	if (end != word && !*end)
		return n < 65 ? (unsigned)n : 0;
	word += strncmp(word, "SIG", 3) ? 0 : 3;
	if (!strcmp(word, "RTMIN"))
		return 32;
	if (!strncmp(word, "RT_", 3))
		return 32 + (unsigned)atoi(word + 3) % 33;
	for (int i = 1; i < 32; i++)
		if (sigabbrev_np(i) && !strcmp(word, sigabbrev_np(i)))
			return (unsigned)i;
	return 0;
}

/* -e signal=CHLD,TERM; !CHLD: all others; all, none */
static int choose_signals(struct traceopts *o, const char *text, struct errmsg *err)
{
	bool inverted = *text == '!';
	SCOPED(scope_free) char *copy = strdup(text + inverted);
	char *rest = copy, *word;
	uint64_t chosen = 0;

	if (!copy)
		return errmsg_set_errno(err, -ENOMEM, "cannot choose signals");
	while ((word = strsep(&rest, ","))) {
		unsigned sig = signal_of(word);

		if (!strcmp(word, "all"))
			chosen = UINT64_MAX;
		else if (sig)
			chosen |= UINT64_C(1) << (sig - 1);
		else if (strcmp(word, "none") != 0)
			return errmsg_set(err, -EINVAL, "invalid signal '%s'", word);
	}
	chosen = inverted ? ~chosen : chosen;
	o->lines.no_signals = !chosen;
	o->lines.hidden_signals = ~chosen;
	return 0;
}

/*
 * -e status=failed,unfinished; !…: all others. Calls that exit are unfinished; the last two never
 * happen here.
 */
static int choose_status(struct traceopts *o, const char *text, struct errmsg *err)
{
	static const char *const names[] = {"successful", "failed", "unfinished", "unavailable",
					    "detached"};
	enum { OK = 1, FAILED = 2, UNFINISHED = 4, ALL = 31 };
	bool inverted = *text == '!';
	SCOPED(scope_free) char *copy = strdup(text + inverted);
	char *rest = copy, *word;
	unsigned chosen = 0;

	if (!copy)
		return errmsg_set_errno(err, -ENOMEM, "cannot choose calls");
	while ((word = strsep(&rest, ","))) {
		unsigned before = chosen;

		for (size_t i = 0; i < ARRAY_LEN(names); i++)
			chosen |= !strcmp(word, names[i]) ? 1u << i : 0;
		chosen |= !strcmp(word, "all") ? ALL : 0;
		if (chosen == before && *word && strcmp(word, "none") != 0 &&
		    !ARRAY_ANY(ARRAY_LEN(names), i, !strcmp(word, names[i])))
			return errmsg_set(err, -EINVAL,
					  "-e status= is failed, successful, unfinished or all, "
					  "not '%s'",
					  word);
	}
	chosen = inverted ? ~chosen & ALL : chosen;
	o->lines.only_ok = chosen & OK && !(chosen & FAILED);
	o->lines.only_failed = chosen & FAILED && !(chosen & OK);
	o->lines.only_open = chosen & UNFINISHED && (chosen & (OK | FAILED)) != (OK | FAILED);
	o->lines.no_calls = !(chosen & (OK | FAILED | UNFINISHED));
	return 0;
}

int traceopts_choose(void *opts, const char *value, struct errmsg *err)
{
	static const struct {
		const char *key;
		int (*choose)(struct traceopts *o, const char *text, struct errmsg *err);
	} keys[] = {
		{"trace=", choose_calls},     {"t=", choose_calls},   {"signal=", choose_signals},
		{"signals=", choose_signals}, {"s=", choose_signals}, {"status=", choose_status},
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (!strncmp(value, keys[i].key, strlen(keys[i].key)))
			return keys[i].choose(opts, value + strlen(keys[i].key), err);
	return choose_calls(opts, value, err);
}

int traceopts_path(void *opts, const char *value, struct errmsg *err)
{
	struct calllines_spec *l = &((struct traceopts *)opts)->lines;

	if (l->n_paths == CALLLINES_PATHS_MAX)
		return errmsg_set(err, -E2BIG, "at most %d paths (-P)", CALLLINES_PATHS_MAX);
	l->paths[l->n_paths++] = value;
	return 0;
}

int traceopts_time(void *opts, const char *value, struct errmsg *err)
{
	struct calllines_spec *l = &((struct traceopts *)opts)->lines;

	l->time += l->time < CALLLINES_EPOCH;
	return 0;
}

int traceopts_paths(void *opts, const char *value, struct errmsg *err)
{
	struct calllines_spec *l = &((struct traceopts *)opts)->lines;

	l->text.paths += l->text.paths < 2;
	return 0;
}

int traceopts_hex(void *opts, const char *value, struct errmsg *err)
{
	struct calllines_spec *l = &((struct traceopts *)opts)->lines;

	l->text.hex_strings += l->text.hex_strings < 2;
	return 0;
}

/* -E NAME=VALUE, -E NAME: the command inherits the environment of sonde. */
int traceopts_env(void *opts, const char *value, struct errmsg *err)
{
	const char *sign = strchr(value, '=');
	char name[256];

	if (!sign)
		return unsetenv(value) ? errmsg_set_errno(err, -errno, "cannot remove %s", value)
				       : 0;
	snprintf(name, sizeof(name), "%.*s", (int)(sign - value), value);
	return setenv(name, sign + 1, 1) ? errmsg_set_errno(err, -errno, "cannot set %s", name) : 0;
}

int traceopts_nothing(void *opts, const char *value, struct errmsg *err)
{
	return 0;
}

int traceopts_sort(void *opts, const char *value, struct errmsg *err)
{
	static const struct {
		const char *name;
		enum callsummary_key key;
	} keys[] = {
		{"time", CALLSUMMARY_TIME},	    {"total", CALLSUMMARY_TIME},
		{"total-time", CALLSUMMARY_TIME},   {"calls", CALLSUMMARY_CALLS},
		{"count", CALLSUMMARY_CALLS},	    {"errors", CALLSUMMARY_ERRORS},
		{"error", CALLSUMMARY_ERRORS},	    {"name", CALLSUMMARY_NAME},
		{"syscall", CALLSUMMARY_NAME},	    {"min", CALLSUMMARY_MIN},
		{"max", CALLSUMMARY_MAX},	    {"avg", CALLSUMMARY_AVERAGE},
		{"avg-time", CALLSUMMARY_AVERAGE},  {"nothing", CALLSUMMARY_NOTHING},
		{"none", CALLSUMMARY_NOTHING},	    {"min-time", CALLSUMMARY_MIN},
		{"shortest", CALLSUMMARY_MIN},	    {"max-time", CALLSUMMARY_MAX},
		{"longest", CALLSUMMARY_MAX},	    {"time-percent", CALLSUMMARY_TIME},
		{"time-total", CALLSUMMARY_TIME},   {"time-min", CALLSUMMARY_MIN},
		{"time-max", CALLSUMMARY_MAX},	    {"time-avg", CALLSUMMARY_AVERAGE},
		{"syscall-name", CALLSUMMARY_NAME},
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (!strcmp(value, keys[i].name)) {
			((struct traceopts *)opts)->sort = keys[i].key;
			return 0;
		}
	return errmsg_set(err, -EINVAL,
			  "-S takes time, calls, errors, name, min, max, avg or nothing, not '%s'",
			  value);
}

int traceopts_duration(void *opts, const char *value, struct errmsg *err)
{
	char *end;
	double ms = strtod(value, &end);

	if (end == value || *end || !isfinite(ms) || ms < 0 || ms > 1e12)
		return errmsg_set(err, -EINVAL, "--duration takes milliseconds, not '%s'", value);
	((struct traceopts *)opts)->lines.min_ns = (uint64_t)(ms * 1e6);
	return 0;
}

bool traceopts_is_trace(const char *path)
{
	char magic[SNF_MAGIC_BYTES];
	int fd = access(path, X_OK) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	bool is_trace = fd >= 0 && read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
			!memcmp(magic, SNF_MAGIC, SNF_MAGIC_BYTES);

	if (fd >= 0)
		close(fd);
	return is_trace;
}

bool traceopts_records(const struct traceopts *o)
{
	size_t len = o->output ? strlen(o->output) : 0;

	return len > 4 && !strcmp(o->output + len - 4, ".dat");
}

static int check_source(const struct traceopts *o, bool has_command, struct errmsg *err)
{
	bool has_pids = o->record.plan.buffers[0].pids.n;
	int n = has_command + has_pids + o->all_tasks + (o->input != NULL);

	if (!n && (o->cgroup || o->cpu_list))
		return 0;
	if (!n)
		return errmsg_set(
			err, -EINVAL,
			"trace needs to know what to trace: a command, a process (-p PID), "
			"everything (-a), or a recorded file (-i FILE)");
	if (n > 1 && !(n == 2 && has_command && o->all_tasks))
		return errmsg_set(
			err, -EINVAL,
			"-p, -i and a command exclude each other, and so do -a, -p and -i");
	return 0;
}

int traceopts_check(struct traceopts *o, bool has_command, struct errmsg *err)
{
	struct sysprograms_config *p = &o->programs;

	TRY(check_source(o, has_command, err));
	if (o->string_max < 0 || o->string_max > TRACEOPTS_STRING_MAX)
		return errmsg_set(err, -EINVAL, "-s takes a number of bytes up to %d",
				  TRACEOPTS_STRING_MAX);
	if (o->ring_kb < 4 || o->ring_kb > 1 << 20 || (o->ring_kb & (o->ring_kb - 1)))
		return errmsg_set(err, -EINVAL,
				  "--ring-size is a number of KB that is a power of 2, from 4 to "
				  "1048576");
	if (o->lines.only_failed && o->lines.only_ok)
		return errmsg_set(err, -EINVAL, "-z and -Z exclude each other");
	TRY(traceopts_check_pids(o, err));
	if (o->cpu_list)
		TRY(traceopts_parse_cpus(o, err));
	p->cgroup = o->cgroup;
	p->all_tasks = o->all_tasks || ((o->cgroup || o->cpu_list) && !has_command &&
					!o->record.plan.buffers[0].pids.n);
	p->no_children = o->no_children;
	p->string_max = o->lines.text.string_limit = (uint32_t)o->string_max;
	o->lines.text.no_strings = !o->string_max;
	p->string_max += !o->string_max; /* a byte: that there is a string */
	p->ring_bytes = (uint32_t)o->ring_kb * 1024;
	p->files = o->lines.text.paths || o->lines.n_paths || traceopts_records(o);
	p->only_failed = o->lines.only_failed;
	p->only_ok = o->lines.only_ok;
	p->no_signals = o->lines.no_signals;
	if (o->has_calls) {
		p->calls = o->lines.calls = o->calls;
		p->calls_32 = o->lines.calls_32 = o->calls_32;
	}
	if ((o->lines.text.paths || o->lines.n_paths) && !o->input && !traceopts_records(o))
		TRY(traceopts_see_files(o, err));
	o->lines.no_lines = o->counts && !o->counts_too;
	o->lines.column = (unsigned)o->column;
	if (o->output && o->lines.pids == CALLLINES_PIDS_AUTO && !o->no_children)
		o->lines.pids = CALLLINES_PIDS_ALL;
	if (!o->input)
		o->lines.text.find_path = callpaths_find;
	o->record.syscalls = p;
	o->record.date = true; /* calls are shown with the time of day */
	return 0;
}
