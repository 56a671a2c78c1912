// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracefs.c - the checks that use the tracing directory.
 *
 * Most abilities are a file that exists or not, or a word in available_tracers. Four need a trial,
 * in the instance that ability.c has created, where tracing_on is 0 and nothing is recorded:
 *
 *	events      enable and disable sched_switch
 *	filters     set a filter for it
 *	function    a filter of one function that hardly ever runs, then the tracer, then nop again
 *	mapped      map the ring buffer
 *
 * A kernel may list the function tracer and yet refuse it (cloud kernels do), even its filter
 * files. It is not tried without a filter: that would hook every function of the kernel for a
 * moment.
 *
 * ftrace_enabled and tracing_on are often confused. tracing_on 0 stops writing to the ring buffer;
 * the hooks stay and still cost time. ftrace_enabled 0 removes the function tracer's hooks from the
 * kernel's code; events continue. ftrace_enabled is one switch for the whole machine, so this file
 * only reads it.
 */
#include "base/array.h"
#include "capture/kernel/ability/ability_int.h"
#include "capture/kernel/functions/functions.h"

#include "base/errmsg.h"
#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define SWITCH_EVENT "events/sched/sched_switch"

/*
 * --- files and words ---------------------------------------------------------------------------
 */

/* Checks that the file exists, and that this user may write to it. */
static void probe_file(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	char path[TRACEFS_PATH_MAX];

	if (!tracefs_exists(&p->t, "", row->arg))
		return ability_absent(p, row, row->arg, ret);
	if (access(tracefs_fmt_path(&p->t, "", row->arg, path), W_OK))
		return ability_refused(p, row->arg, -errno, ret);
	ability_yes(ret, "%s", "");
}

static void probe_tracer(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	if (name_list_find(&p->tracers, row->arg))
		return ability_yes(ret, "%s", "");
	ability_absent(p, row, "the tracer", ret);
}

static void probe_clock(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	if (name_list_find(&p->clocks, row->arg))
		return ability_yes(ret, "%s", "");
	ability_absent(p, row, "the clock", ret);
}

static void probe_clocks(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	char all[ABILITY_TEXT_MAX] = "";
	size_t len = 0;

	for (size_t i = 0; i < p->clocks.n && len < sizeof(all) - 1; i++)
		len += snprintf(all + len, sizeof(all) - len, "%s%s", i ? " " : "",
				p->clocks.names[i]);
	if (p->clocks.n)
		return ability_yes(ret, "%s", all);
	ability_absent(p, row, "trace_clock", ret);
}

/* Checks the kernel's own help text, which lists what dynamic_events accepts. */
static void probe_readme(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	if (strstr(p->readme.start, row->arg))
		return ability_yes(ret, "%s", "");
	ability_absent(p, row, "this kind of dynamic event", ret);
}

/*
 * --- the directory itself ----------------------------------------------------------------------
 */

static void probe_tracefs(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	if (p->tracefs_code >= 0)
		return ability_yes(
			ret, "%s%s", p->t.root,
			p->t.is_ours ? " (not mounted before; sonde mounts it when needed)" : "");
	if (kconfig_get(&p->config, row->config) == 'n')
		return ability_absent(p, row, "tracefs", ret);
	if (p->tracefs_code == -EPERM && lockdown_forbids_tracing(&p->lock))
		return ability_locked(p, "it is not accessible", ret);
	ability_no(ret, "%s", p->tracefs_why);
	if (p->tracefs_code == -EACCES)
		ability_remedy(ret, "run sonde as root");
	else if (p->a->in_container)
		ability_remedy(ret, "give the container the host's /sys/kernel/tracing");
	else if (!p->a->is_root)
		ability_remedy(ret, "run sonde as root");
}

static void probe_instances(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	ret->tried = true;
	if (p->instance_code >= 0)
		return ability_yes(ret, "%s", "created one and removed it");
	if (p->instance_code == -ENOENT)
		return ability_absent(p, row, "instances", ret);
	ability_refused(p, "creating an instance", p->instance_code, ret);
}

/*
 * --- events ------------------------------------------------------------------------------------
 */

static size_t count_events(const struct probing *p)
{
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = 4u << 20};
	size_t n = 0;

	if (tracefs_read(&p->t, "", "available_events", &text) >= 0)
		for (size_t i = 0; i < textbuf_len(&text); i++)
			n += text.start[i] == '\n';
	return n;
}

/*
 * Changes a setting of our own instance and restores it. Returns 0, 1 (not tried), or a negative
 * errno.
 */
static int try_setting(struct probing *p, const char *file, const char *there, const char *back)
{
	if (!p->instance_is_real || !tracefs_exists(&p->t, p->instance, file))
		return 1;
	TRY(tracefs_try_write(&p->t, p->instance, file, there, TRACEFS_SET));
	tracefs_try_write(&p->t, p->instance, file, back, TRACEFS_SET);
	return 0;
}

static void probe_events(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	size_t n = count_events(p);
	int r = try_setting(p, SWITCH_EVENT "/enable", "1", "0");

	ret->tried = r != 1;
	if (!n)
		return ability_absent(p, row, "available_events", ret);
	if (r < 0)
		return ability_refused(p, "enabling an event", r, ret);
	ability_yes(ret, "%zu events", n);
}

static void probe_filters(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	int r = try_setting(p, SWITCH_EVENT "/filter", "prev_pid == 1", "0");

	ret->tried = r != 1;
	if (r < 0)
		return ability_refused(p, "setting a filter", r, ret);
	probe_file(p, row, ret);
}

/*
 * --- functions ---------------------------------------------------------------------------------
 */

static void probe_ftrace_enabled(struct probing *p, const struct ability_row *row,
				 struct ability *ret)
{
	char path[TRACEFS_PATH_MAX];
	long long v;

	snprintf(path, sizeof(path), "%s%s", p->root, row->arg);
	v = tracefs_read_number(&p->t, "", path);
	if (v < 0)
		return ability_absent(p, row, row->arg, ret);
	if (v)
		return ability_yes(ret, "%s", "on");
	ability_no(ret, "the master switch of function tracing is off (ftrace_enabled is 0): "
			"no function is traced, even if tracing_on is 1");
	ability_remedy(ret, "sysctl kernel.ftrace_enabled=1");
}

/* Returns a function that is not called during normal work. */
static const char *choose_quiet_function(struct kfunctions *f)
{
	static const char *const quiet[] = {"kernel_power_off", "kernel_halt", "panic",
					    "emergency_restart"};

	for (size_t i = 0; i < ARRAY_LEN(quiet); i++)
		if (kfunctions_can(f, quiet[i]))
			return quiet[i];
	return NULL;
}

/*
 * Tries the tracer with a filter of one function. *ret_what names the step that failed. Returns 1
 * if it could not be tried.
 */
static int try_tracer(struct probing *p, struct kfunctions *f, const char *tracer,
		      const char **ret_what)
{
	const char *quiet = choose_quiet_function(f);
	int r;

	if (!p->instance_is_real || !name_list_find(&p->instance_tracers, tracer))
		return 1;
	*ret_what = "setting a function filter";
	r = tracefs_try_write(&p->t, p->instance, "set_ftrace_filter", quiet ? quiet : "panic",
			      TRACEFS_SET);
	if (r < 0)
		return r == -ENOENT ? 1 : r;
	*ret_what = "selecting the tracer";
	r = tracefs_try_write(&p->t, p->instance, "current_tracer", tracer, TRACEFS_SET);
	tracefs_try_write(&p->t, p->instance, "current_tracer", "nop", TRACEFS_SET);
	return r;
}

static void probe_function(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	struct kfunctions *f = kfunctions_new(&p->t, NULL);
	struct errmsg err = {0};
	const char *what = "";
	int n = 0, r = 1;

	if (!name_list_find(&p->tracers, row->arg)) {
		ability_absent(p, row, "the tracer", ret);
	} else if (f) {
		n = kfunctions_check(f, "*", &err);
		r = try_tracer(p, f, row->arg, &what);
		ret->tried = r != 1;
		if (r < 0)
			ability_refused(p, what, r, ret);
		else if (n < 0)
			ability_refused(p, "reading available_filter_functions", n, ret);
		else
			ability_yes(ret, "%d functions", n);
		if (ret->answer == ABILITY_NO && (r < 0 || n < 0))
			p->function_code = r < 0 ? r : n;
	}
	kfunctions_free(f);
}

/*
 * Checks function_graph. If an instance does not offer it, it works if the function tracer works.
 */
static void probe_graph(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	if (!name_list_find(&p->tracers, row->arg))
		return ability_absent(p, row, "the tracer", ret);
	if (p->function_code < 0)
		return ability_refused(p, "hooking functions", p->function_code, ret);
	probe_function(p, row, ret);
}

static void probe_function_file(struct probing *p, const struct ability_row *row,
				struct ability *ret)
{
	if (tracefs_exists(&p->t, "", row->arg) && p->function_code < 0)
		return ability_refused(p, "hooking functions", p->function_code, ret);
	probe_file(p, row, ret);
}

/*
 * --- buffers -----------------------------------------------------------------------------------
 */

static void probe_mapped(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	int fd = p->instance_is_real
			 ? tracefs_open_file(&p->t, p->instance, "per_cpu/cpu0/trace_pipe_raw",
					     O_RDONLY | O_NONBLOCK)
			 : -ENOENT;
	long size = sysconf(_SC_PAGESIZE);
	void *map;

	if (fd < 0)
		return ability_absent(p, row, row->arg, ret);
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	ret->tried = true;
	if (map != MAP_FAILED) {
		munmap(map, size);
		ability_yes(ret, "%s", "");
	} else {
		ability_no(ret, "the kernel cannot map its ring buffer (%s)", strerror(errno));
		ability_remedy(ret, "Linux 6.10 or newer; until then sonde uses splice");
	}
	close(fd);
}

#define DIRECTORY "The tracing directory"
#define EVENTS	  "Events"
#define FUNCTIONS "Functions"
#define TRACERS	  "Latency and other tracers"
#define PROBES	  "Probes"
#define BUFFERS	  "Buffers and clocks"

const struct ability_row ability_rows_tracefs[] = {
	{"tracefs", DIRECTORY, "the kernel's tracing directory", probe_tracefs, "",
	 "CONFIG_TRACING"},
	{"instances", DIRECTORY, "separate buffers, independent of other users", probe_instances,
	 "instances", "CONFIG_TRACING"},

	{"events", EVENTS, "tracepoints: record -e", probe_events, "", "CONFIG_EVENT_TRACING"},
	{"syscalls", EVENTS, "an event for each system call", probe_file, "events/syscalls/enable",
	 "CONFIG_FTRACE_SYSCALLS"},
	{"filters", EVENTS, "conditions on fields: record -f", probe_filters,
	 SWITCH_EVENT "/filter", "CONFIG_EVENT_TRACING"},
	{"triggers", EVENTS, "actions that an event triggers: record -R", probe_file,
	 SWITCH_EVENT "/trigger", "CONFIG_EVENT_TRACING"},
	{"hist", EVENTS, "histograms in the kernel", probe_file, SWITCH_EVENT "/hist",
	 "CONFIG_HIST_TRIGGERS"},
	{"synthetic", EVENTS, "events computed from two others, with the time between", probe_file,
	 "synthetic_events", "CONFIG_SYNTH_EVENTS"},
	{"event-pids", EVENTS, "trace only some tasks: record -P", probe_file, "set_event_pid",
	 "CONFIG_EVENT_TRACING"},
	{"event-fork", EVENTS, "and their children: record -c", probe_file, "options/event-fork",
	 "CONFIG_EVENT_TRACING"},
	{"marker", EVENTS, "write your own lines into the trace", probe_file, "trace_marker",
	 "CONFIG_TRACING"},
	{"record-tgid", EVENTS, "the process of each thread", probe_file, "options/record-tgid",
	 "CONFIG_TRACING"},

	{"ftrace-enabled", FUNCTIONS, "the master switch", probe_ftrace_enabled,
	 "/proc/sys/kernel/ftrace_enabled", "CONFIG_FUNCTION_TRACER"},
	{"function", FUNCTIONS, "calls of kernel functions: record -p function", probe_function,
	 "function", "CONFIG_FUNCTION_TRACER"},
	{"function_graph", FUNCTIONS, "with their callees and durations", probe_graph,
	 "function_graph", "CONFIG_FUNCTION_GRAPH_TRACER"},
	{"function-pids", FUNCTIONS, "functions of some tasks only", probe_function_file,
	 "set_ftrace_pid", "CONFIG_FUNCTION_TRACER"},
	{"function-fork", FUNCTIONS, "and of their children", probe_function_file,
	 "options/function-fork", "CONFIG_FUNCTION_TRACER"},
	{"profiler", FUNCTIONS, "call counts and times, kept by the kernel", probe_function_file,
	 "function_profile_enabled", "CONFIG_FUNCTION_PROFILER"},
	{"stack-tracer", FUNCTIONS, "the deepest kernel stack: stack", probe_function_file,
	 "stack_trace", "CONFIG_STACK_TRACER"},

	{"irqsoff", TRACERS, "the longest time with interrupts off", probe_tracer, "irqsoff",
	 "CONFIG_IRQSOFF_TRACER"},
	{"preemptoff", TRACERS, "the longest time without preemption", probe_tracer, "preemptoff",
	 "CONFIG_PREEMPT_TRACER"},
	{"preemptirqsoff", TRACERS, "either of them", probe_tracer, "preemptirqsoff",
	 "CONFIG_PREEMPT_TRACER"},
	{"wakeup", TRACERS, "the longest scheduling latency of the most urgent task", probe_tracer,
	 "wakeup", "CONFIG_SCHED_TRACER"},
	{"wakeup_rt", TRACERS, "the same for realtime tasks", probe_tracer, "wakeup_rt",
	 "CONFIG_SCHED_TRACER"},
	{"wakeup_dl", TRACERS, "the same for deadline tasks", probe_tracer, "wakeup_dl",
	 "CONFIG_SCHED_TRACER"},
	{"hwlat", TRACERS, "delays caused by the hardware", probe_tracer, "hwlat",
	 "CONFIG_HWLAT_TRACER"},
	{"osnoise", TRACERS, "delays caused by the kernel", probe_tracer, "osnoise",
	 "CONFIG_OSNOISE_TRACER"},
	{"timerlat", TRACERS, "how late a timer wakes a thread", probe_tracer, "timerlat",
	 "CONFIG_TIMERLAT_TRACER"},
	{"blk", TRACERS, "block devices, as blktrace", probe_tracer, "blk",
	 "CONFIG_BLK_DEV_IO_TRACE"},
	{"mmiotrace", TRACERS, "accesses to memory of devices", probe_tracer, "mmiotrace",
	 "CONFIG_MMIOTRACE"},
	{"branch", TRACERS, "likely() and unlikely() that were wrong", probe_tracer, "branch",
	 "CONFIG_BRANCH_TRACER"},

	{"kprobes", PROBES, "events at any kernel function", probe_file, "kprobe_events",
	 "CONFIG_KPROBE_EVENTS"},
	{"uprobes", PROBES, "events in user programs", probe_file, "uprobe_events",
	 "CONFIG_UPROBE_EVENTS"},
	{"fprobes", PROBES, "the same with the function tracer's hooks, with return values",
	 probe_readme, "f[:[<group>/][<event>]]", "CONFIG_FPROBE_EVENTS"},
	{"eprobes", PROBES, "events made from other events' fields", probe_readme, "e[:[<group>/]",
	 NULL},

	{"snapshot", BUFFERS, "a second buffer to swap with", probe_file, "snapshot",
	 "CONFIG_TRACER_SNAPSHOT"},
	{"clocks", BUFFERS, "the clocks for timestamps", probe_clocks, "trace_clock",
	 "CONFIG_TRACING"},
	{"x86-tsc", BUFFERS, "the clock that user programs can read, too", probe_clock, "x86-tsc",
	 NULL, "use the clock mono; only x86 has this one"},
	{"mono", BUFFERS, "the clock of CLOCK_MONOTONIC", probe_clock, "mono", NULL},
	{"buffer-percent", BUFFERS, "wake the recorder when the buffer is full to this degree",
	 probe_file, "buffer_percent", NULL},
	{"subbuf-size", BUFFERS, "sub-buffers larger than a page", probe_file,
	 "buffer_subbuf_size_kb", NULL},
	{"mapped", BUFFERS, "reading the ring buffer without copying", probe_mapped,
	 "trace_pipe_raw", NULL},
};

const size_t n_ability_rows_tracefs = ARRAY_LEN(ability_rows_tracefs);
