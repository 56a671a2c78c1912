/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recordopts.h - the options that say what to trace and how: those of record, start, set, stream,
 * profile, extract and agent.
 *
 * A command puts `struct live_request` first in its options (or uses it alone), begins with
 * recordopts_init(), and builds its table out of the groups of rows below. The order of options
 * matters as in trace-cmd: -f and -R belong to the -e before them, -v turns the -e after it off,
 * and after -B everything goes to that instance.
 */
#ifndef SONDE_CLI_RECORD_RECORDOPTS_H
#define SONDE_CLI_RECORD_RECORDOPTS_H

#include "base/errmsg.h"
#include "base/options.h"
#include "capture/record/recording.h"
#include "live/request.h"

/* What is said goes to standard error. live_request_release() frees it. */
int recordopts_init(struct live_request *o);
/* What must hold for all options together; adds the events of --profile. After command_parse(). */
int recordopts_check(struct live_request *o, bool has_command, struct errmsg *err);

/*
 * Does what a command line asks for: prints the kernel's boot line, or calls go with the command
 * (or NULL). n is what command_parse() returned. needs: the message if there is nothing to trace.
 */
int recordopts_carry_out(struct live_request *o, int n, char **argv, const char *needs,
			 int (*go)(struct live_request *o, char **argv, struct errmsg *err),
			 struct errmsg *err);

/* --boot: the kernel's parameters that would do the same. */
int recordopts_print_bootline(const struct plan *plan, struct errmsg *err);

/*
 * -u GLOB … -- COMMAND: the globs become parts of the words -uGLOB. Words that it makes live until
 * the program ends.
 */
int recordopts_join_user(int *argc, char **argv, struct errmsg *err);

/* A sentence that comes up while it is recorded; for session_config. */
void recordopts_tell(const char *sentence);
extern const struct live_front recordopts_front; /* on standard error */

/* Rows call these. */
int recordopts_event(void *opts, const char *value, struct errmsg *err);
int recordopts_filter(void *opts, const char *value, struct errmsg *err);
int recordopts_trigger(void *opts, const char *value, struct errmsg *err);
int recordopts_negate(void *opts, const char *value, struct errmsg *err);
int recordopts_buffer(void *opts, const char *value, struct errmsg *err);
int recordopts_tracer(void *opts, const char *value, struct errmsg *err);
int recordopts_clock(void *opts, const char *value, struct errmsg *err);
int recordopts_cpumask(void *opts, const char *value, struct errmsg *err);
int recordopts_size(void *opts, const char *value, struct errmsg *err);
int recordopts_max_size(void *opts, const char *value, struct errmsg *err);
int recordopts_cmdlines(void *opts, const char *value, struct errmsg *err);
int recordopts_subbuf(void *opts, const char *value, struct errmsg *err);
int recordopts_option(void *opts, const char *value, struct errmsg *err);
int recordopts_function(void *opts, const char *value, struct errmsg *err);
int recordopts_no_function(void *opts, const char *value, struct errmsg *err);
int recordopts_graph(void *opts, const char *value, struct errmsg *err);
int recordopts_no_graph(void *opts, const char *value, struct errmsg *err);
int recordopts_module(void *opts, const char *value, struct errmsg *err);
int recordopts_pid(void *opts, const char *value, struct errmsg *err);
int recordopts_probe(void *opts, const char *value, struct errmsg *err);
int recordopts_hook(void *opts, const char *value, struct errmsg *err);
int recordopts_guest(void *opts, const char *value, struct errmsg *err);
int recordopts_sleep(void *opts, const char *value, struct errmsg *err);
int recordopts_max_rate(void *opts, const char *value, struct errmsg *err);
int recordopts_user(void *opts, const char *value, struct errmsg *err);
int recordopts_no_user(void *opts, const char *value, struct errmsg *err);
int recordopts_syscalls(void *opts, const char *value, struct errmsg *err);
int recordopts_auto_values(void *opts, const char *value, struct errmsg *err);
int recordopts_arg(void *opts, const char *value, struct errmsg *err);
int recordopts_retval(void *opts, const char *value, struct errmsg *err);
int recordopts_condition(void *opts, const char *value, struct errmsg *err);
int recordopts_user_full(void *opts, const char *value, struct errmsg *err);
/* A status of wait() as a shell reports it. */
int recordopts_exit_status(int wait_status);
int recordopts_kernel_depth(void *opts, const char *value, struct errmsg *err);
int recordopts_sample(void *opts, const char *value, struct errmsg *err);
int recordopts_counters(void *opts, const char *value, struct errmsg *err);
int recordopts_counters_interval(void *opts, const char *value, struct errmsg *err);
int recordopts_stacks(void *opts, const char *value, struct errmsg *err);
int recordopts_off_cpu(void *opts, const char *value, struct errmsg *err);
int recordopts_verbose(void *opts, const char *value, struct errmsg *err);

#define RECORDOPTS_AT(field) offsetof(struct live_request, field)

/* --- rows that several groups have ------------------------------------------------------------ */

#define RECORDOPTS_ROW_PROBE                                                                      \
	ROW_CALL(0, "probe", "DEFINITION",                                                        \
		 "define a probe in the kernel's own syntax: 'p:name function arg=%di'; removed " \
		 "at the end",                                                                    \
		 recordopts_probe)

/* Where definitions of probes (-e) are looked up. */
#define RECORDOPTS_ROWS_LOOKUP                                                                    \
	ROW_STRING(0, "vmlinux", "FILE",                                                          \
		   "probes: read debug information of the kernel (vmlinux) or of a module (.ko) " \
		   "from FILE",                                                                   \
		   RECORDOPTS_AT(plan.vmlinux), .complete = "file"),                              \
		ROW_STRING(0, "debug-dir", "DIR",                                                 \
			   "probes: look for separate debug information here (default: "          \
			   "/usr/lib/debug)",                                                     \
			   RECORDOPTS_AT(plan.debug_dir), .complete = "dir"),                     \
		ROW_STRING(0, "source", "DIR", "probes: look for source files here",              \
			   RECORDOPTS_AT(plan.source_dir), .complete = "file")

#define RECORDOPTS_ROW_SIZE                \
	ROW_CALL('b', "buffer-size", "KB", \
		 "size of the kernel's buffer for each CPU; also 16M, 1G", recordopts_size)

#define RECORDOPTS_ROW_CPUMASK           \
	ROW_CALL('M', "cpumask", "MASK", \
		 "trace only these CPUs: a hexadecimal mask, or -1 for all", recordopts_cpumask)

#define RECORDOPTS_ROW_CLOCK(more)                                                                \
	ROW_CALL('C', "clock", "CLOCK", "trace clock: local, global, mono, boot, x86-tsc …" more, \
		 recordopts_clock)

#define RECORDOPTS_ROW_OPTION                                                      \
	ROW_CALL('O', NULL, "OPTION",                                              \
		 "switch a tracing option of the kernel on, or off with noOPTION", \
		 recordopts_option)

#define RECORDOPTS_ROWS_TOP                                                                    \
	ROW_FLAG(0, "top", "trace in the top-level buffer, not in an instance of sonde's own", \
		 RECORDOPTS_AT(plan.use_top)),                                                 \
		ROW_FLAG(0, "take-over",                                                       \
			 "use the top-level buffer even if another program is tracing there",  \
			 RECORDOPTS_AT(plan.take_over))

#define RECORDOPTS_ROW_PID(before) \
	ROW_CALL('P', "pid", "PID,…", before "trace only these threads", recordopts_pid)

#define RECORDOPTS_ROWS_SELF(before)                                                             \
	ROW_FLAG(0, "self", before "include the activity of sonde itself",                       \
		 RECORDOPTS_AT(plan.trace_self)),                                                \
		ROW_FLAG(0, "no-filter", before "same as --self (the name that trace-cmd uses)", \
			 RECORDOPTS_AT(plan.trace_self))

#define RECORDOPTS_ROW_USER \
	ROW_STRING(0, "user", "USER", "run the command as this user", RECORDOPTS_AT(user))

#define RECORDOPTS_ROW_QUIET ROW_FLAG('q', "quiet", "print only errors", RECORDOPTS_AT(quiet))

/* --- groups ----------------------------------------------------------------------------------- */

/* What to trace. */
#define RECORDOPTS_EVENTS                                                                          \
	ROW_HEADING("what to trace"),                                                              \
		ROW_CALL('e', "event", "EVENT",                                                    \
			 "record this event: SYSTEM, SYSTEM:EVENT, EVENT, a glob, all, or a "      \
			 "probe such as 'vfs_read(file, count)'",                                  \
			 recordopts_event),                                                        \
		ROW_CALL('f', "filter", "FILTER",                                                  \
			 "record the preceding -e only where this is true: 'pid == 1 && prio < "   \
			 "100'",                                                                   \
			 recordopts_filter),                                                       \
		ROW_CALL('R', "trigger", "TRIGGER",                                                \
			 "set a trigger on the preceding -e: stacktrace, traceoff, hist:keys=pid " \
			 "…",                                                                      \
			 recordopts_trigger),                                                      \
		ROW_CALL('v', NULL, NULL, "exclude the events of the following -e",                \
			 recordopts_negate),                                                       \
		ROW_CALL('p', "tracer", "TRACER",                                                  \
			 "use this tracer: function, function_graph, irqsoff, wakeup, timerlat …", \
			 recordopts_tracer),                                                       \
		ROW_CALL('l', NULL, "FUNCTION",                                                    \
			 "trace only these functions (globs), or set a filter command: "           \
			 "FUNCTION:COMMAND[:COUNT]",                                               \
			 recordopts_function),                                                     \
		ROW_CALL('n', NULL, "FUNCTION", "do not trace these functions",                    \
			 recordopts_no_function),                                                  \
		ROW_CALL('g', NULL, "FUNCTION",                                                    \
			 "function_graph: trace these functions and everything they call",         \
			 recordopts_graph),                                                        \
		ROW_CALL(0, "graph-notrace", "FUNCTION",                                           \
			 "function_graph: do not trace these functions or anything they call",     \
			 recordopts_no_graph),                                                     \
		ROW_CALL(0, "module", "MODULE", "trace only functions of this module",             \
			 recordopts_module),                                                       \
		ROW_NUMBER(0, "max-graph-depth", "N",                                              \
			   "function_graph: trace at most N nested calls",                         \
			   RECORDOPTS_AT(plan.graph_depth)),                                       \
		ROW_FLAG('T', NULL, "record a kernel stack with every event",                      \
			 RECORDOPTS_AT(plan.stacks)),                                              \
		ROW_FLAG(0, "func-stack",                                                          \
			 "record a kernel stack with every function; use it with -l",              \
			 RECORDOPTS_AT(plan.func_stack)),                                          \
		ROW_FLAG('F', NULL, "trace only the command's first thread",                       \
			 RECORDOPTS_AT(plan.only_command)),                                        \
		RECORDOPTS_ROW_PID(""),                                                            \
		ROW_FLAG('c', NULL,                                                                \
			 "with -F or -P: also trace their other threads and their children",       \
			 RECORDOPTS_AT(plan.children)),                                            \
		RECORDOPTS_ROW_PROBE, RECORDOPTS_ROWS_LOOKUP, RECORDOPTS_ROWS_SELF(""),            \
		ROW_FLAG('i', NULL, "ignore events that do not exist",                             \
			 RECORDOPTS_AT(plan.ignore_unknown))

/* How the kernel is to do it. */
#define RECORDOPTS_KERNEL                                                                          \
	ROW_HEADING("buffers and the kernel"),                                                     \
		ROW_CALL('B', "instance", "INSTANCE",                                              \
			 "apply the following options to this instance; create it if necessary",   \
			 recordopts_buffer),                                                       \
		RECORDOPTS_ROW_SIZE,                                                               \
		ROW_CALL(0, "subbuf-size", "KB", "size of a sub-buffer (Linux 6.8 or later)",      \
			 recordopts_subbuf),                                                       \
		RECORDOPTS_ROW_CPUMASK,                                                            \
		RECORDOPTS_ROW_CLOCK("; tsc2nsec is x86-tsc shown in nanoseconds"),                \
		RECORDOPTS_ROW_OPTION,                                                             \
		ROW_FLAG('d', NULL, "switch the function-trace option off before tracing starts",  \
			 RECORDOPTS_AT(plan.functions_off)),                                       \
		ROW_FLAG('D', NULL, "like -d, and also switch ftrace_enabled off",                 \
			 RECORDOPTS_AT(plan.ftrace_off)),                                          \
		ROW_CALL(0, "cmdlines-size", "N", "number of task names that the kernel keeps",    \
			 recordopts_cmdlines),                                                     \
		ROW_NUMBER(0, "threshold", "US",                                                   \
			   "latency and graph tracers: record only what takes longer than US "     \
			   "microseconds",                                                         \
			   RECORDOPTS_AT(plan.threshold_us)),                                      \
		RECORDOPTS_ROWS_TOP,                                                               \
		ROW_FLAG(0, "boot",                                                                \
			 "record nothing; print the kernel parameters that set up the same trace " \
			 "at boot",                                                                \
			 RECORDOPTS_AT(boot))

/* What probes may cost. */
#define RECORDOPTS_ROWS_RATE                                                          \
	ROW_CALL(0, "max-rate", "N",                                                  \
		 "switch off a probe (-e) that fires more than N times a second",     \
		 recordopts_max_rate),                                                \
		ROW_FLAG(0, "estimate",                                               \
			 "before recording, count briefly how often the probes fire", \
			 RECORDOPTS_AT(plan.estimate))

/* How the recorder works. */
#define RECORDOPTS_RECORDER                                                                        \
	ROW_HEADING("how to record"), RECORDOPTS_ROWS_RATE,                                        \
		ROW_CALL('s', NULL, "US",                                                          \
			 "poll for data every US microseconds, instead of waiting for the kernel " \
			 "to wake the recorder",                                                   \
			 recordopts_sleep),                                                        \
		ROW_NUMBER('r', "rt-prio", "PRIO",                                                 \
			   "run the recorder with this real-time priority (SCHED_FIFO)",           \
			   RECORDOPTS_AT(rt_priority)),                                            \
		ROW_FLAG(0, "nosplice", "copy data with read and write, not with splice",          \
			 RECORDOPTS_AT(no_splice)),                                                \
		ROW_FLAG(0, "poll", "never sleep: shortest delay, but one CPU is always busy",     \
			 RECORDOPTS_AT(busy)),                                                     \
		ROW_FLAG('k', NULL, "keep the tracing settings when the recording ends",           \
			 RECORDOPTS_AT(keep)),                                                     \
		ROW_FLAG('K', NULL, "keep the settings that the instance already has",             \
			 RECORDOPTS_AT(plan.keep_before)),                                         \
		RECORDOPTS_ROW_USER, RECORDOPTS_ROW_QUIET,                                         \
		ROW_FLAG(0, "stderr", "profile: write the result to standard error",               \
			 RECORDOPTS_AT(to_stderr)),                                                \
		ROW_CALL(0, "verbose", "LEVEL",                                                    \
			 "record: explain the overhead at the end; LEVEL has no effect",           \
			 recordopts_verbose, .arg_optional = true),                                \
		ROW_FLAG(0, "debug", "accepted for compatibility; has no effect",                  \
			 RECORDOPTS_AT(debug))

/* The file that is written. */
#define RECORDOPTS_FILE                                                                           \
	ROW_HEADING("the trace file"),                                                            \
		ROW_STRING('o', "output", "FILE", "write to this file (default: trace.dat)",      \
			   RECORDOPTS_AT(output), .complete = "file"),                            \
		ROW_STRING(0, "compression", "HOW",                                               \
			   "compress with none, zstd, zlib or any (default: compress only "       \
			   "symbols and formats)",                                                \
			   RECORDOPTS_AT(compression), .complete = "none zstd zlib any"),         \
		ROW_NUMBER(0, "file-version", "6|7", "version of the file format (default: 7)",   \
			   RECORDOPTS_AT(file_version)),                                          \
		ROW_CALL('m', "max-size", "KB",                                                   \
			 "keep only the last KB kilobytes of each CPU; also 16M, 1G",             \
			 recordopts_max_size),                                                    \
		ROW_STRING(0, "temp", "DIR",                                                      \
			   "keep the data here while recording, instead of in the file itself",   \
			   RECORDOPTS_AT(temp_dir), .complete = "dir"),                           \
		ROW_FLAG('a', NULL,                                                               \
			 "write the formats of all events to the file, not only of the recorded " \
			 "ones",                                                                  \
			 RECORDOPTS_AT(all_formats)),                                             \
		ROW_FLAG(0, "no-command-lines", "do not record the command lines of processes",   \
			 RECORDOPTS_AT(plan.no_commands)),                                        \
		ROW_FLAG(0, "date",                                                               \
			 "record the offset to the time of day, so that reports can show it",     \
			 RECORDOPTS_AT(date)),                                                    \
		ROW_STRING(0, "ts-offset", "N", "add N to every timestamp",                       \
			   RECORDOPTS_AT(ts_offset)),                                             \
		ROW_FLAG(0, "tsc2nsec",                                                           \
			 "record the frequency of the x86-tsc clock, so that reports show "       \
			 "nanoseconds",                                                           \
			 RECORDOPTS_AT(tsc2nsec)),                                                \
		ROW_FLAG(0, "proc-map", "record the memory maps of the traced tasks",             \
			 RECORDOPTS_AT(proc_map))

/* System calls with their arguments. */
#define RECORDOPTS_ROW_SYSCALLS                                                                \
	ROW_CALL(0, "syscalls", "CALLS",                                                       \
		 "record system calls with their arguments, of the command, of -P, or of all " \
		 "processes: all calls, or those of 'sonde trace -e'",                         \
		 recordopts_syscalls, .arg_optional = true)

/* Functions of programs: which ones. */
#define RECORDOPTS_ROWS_USER_WHICH                                                                \
	ROW_CALL('u', "user-functions", "GLOB",                                                   \
		 "trace calls of the command's functions: all, or those that match (NAME, "       \
		 "NAME@LIBRARY, /regex/, !NAME)",                                                 \
		 recordopts_user, .arg_optional = true),                                          \
		ROW_CALL(0, "no-user", "GLOB", "do not trace these functions; same as -u'!GLOB'", \
			 recordopts_no_user),                                                     \
		ROW_FLAG(0, "user-probes",                                                        \
			 "trace the program with probes of the kernel instead of hooks: slower, " \
			 "any function; needs root",                                              \
			 RECORDOPTS_AT(user_probes)),                                             \
		ROW_FLAG(0, "libcalls", "also trace the program's calls into libraries",          \
			 RECORDOPTS_AT(user_choice.has_libcalls)),                                \
		ROW_FLAG(0, "nested-libcalls",                                                    \
			 "also trace calls between libraries, but not those of the C library",    \
			 RECORDOPTS_AT(user_choice.has_nested)),                                  \
		ROW_FLAG(0, "only-instrumented",                                                  \
			 "trace only functions that the compiler instrumented: -pg, -mfentry",    \
			 RECORDOPTS_AT(user_choice.only_counted))

/* … with those of the kernel that they call. */
#define RECORDOPTS_ROW_KERNEL_DEPTH                                                \
	ROW_CALL(0, "kernel-depth", "N",                                           \
		 "trace functions of the kernel, too, at most N nested calls: -p " \
		 "function_graph --max-graph-depth N",                             \
		 recordopts_kernel_depth)

/* … with their arguments and return values. */
#define RECORDOPTS_ROWS_USER_VALUES                                                              \
	ROW_CALL(0, "args", NULL,                                                                \
		 "record arguments and return values of all functions whose types are known",    \
		 recordopts_auto_values),                                                        \
		ROW_CALL(0, "arg", "FUNC@SPEC",                                                  \
			 "record these arguments: FUNC@arg1,arg2/s or 'FUNC(n, p->name)'; FUNC " \
			 "alone: all",                                                           \
			 recordopts_arg),                                                        \
		ROW_CALL(0, "retval", "FUNC@SPEC",                                               \
			 "record the return value: FUNC@retval/d; FUNC alone: by its type",      \
			 recordopts_retval),                                                     \
		ROW_FLAG(0, "plain-values",                                                      \
			 "record values in uftrace's forms, for export --uftrace",               \
			 RECORDOPTS_AT(user_values.is_plain))

/* … and which of their calls. */
#define RECORDOPTS_ROWS_USER_CALLS                                                               \
	ROW_CALL(0, "if", "FUNC: COND",                                                          \
		 "trace only calls of FUNC whose arguments fulfil the condition: 'FUNC: n > 10 " \
		 "&& flag != 0'",                                                                \
		 recordopts_condition),                                                          \
		ROW_CALL(0, "user-full", "HOW",                                                  \
			 "if calls come faster than they can be stored: wait (default) or drop", \
			 recordopts_user_full, .complete = "wait drop")

/* Functions of the command's programs, all of it. */
#define RECORDOPTS_FUNCTIONS                                              \
	ROW_HEADING("functions of programs"), RECORDOPTS_ROWS_USER_WHICH, \
		RECORDOPTS_ROW_KERNEL_DEPTH, RECORDOPTS_ROWS_USER_VALUES, \
		RECORDOPTS_ROWS_USER_CALLS

/* Samples: how. */
#define RECORDOPTS_ROWS_STACKS                                                                    \
	ROW_CALL(0, "stacks", "KIND",                                                             \
		 "how to find callers in user code: fp (frame pointers, default), dwarf[,BYTES] " \
		 "(copies of stacks), lbr (the processor's record), none",                        \
		 recordopts_stacks, .complete = "fp dwarf lbr none"),                             \
		ROW_CALL(0, "off-cpu", "MIN",                                                     \
			 "also sample waits: each one of at least MIN (100us, 2ms) becomes a "    \
			 "sample with its length",                                                \
			 recordopts_off_cpu, .arg_optional = true),                               \
		ROW_FLAG(0, "no-inherit",                                                         \
			 "samples: leave out threads and processes that start later",             \
			 RECORDOPTS_AT(samples.no_inherit))

#define RECORDOPTS_ROWS_COUNTERS                                                                  \
	ROW_CALL(0, "counters", "EVENT,…",                                                        \
		 "also record how much these events grow, for curves in the viewer; names as in " \
		 "sonde counters",                                                                \
		 recordopts_counters),                                                            \
		ROW_CALL(0, "counters-interval", "MS",                                            \
			 "read the counters every MS milliseconds (default: 100)",                \
			 recordopts_counters_interval)

#define RECORDOPTS_SAMPLES                                                                       \
	ROW_HEADING("samples"),                                                                  \
		ROW_CALL(0, "sample", "WHAT",                                                    \
			 "sample where the CPU time goes: RATE (samples a second), EVENT, or "   \
			 "EVENT,PERIOD (default: cycles or cpu-clock, 997 a second)",            \
			 recordopts_sample, .arg_optional = true),                               \
		ROW_FLAG(0, "sample-all", "sample all processes, not only those of the command", \
			 RECORDOPTS_AT(samples.is_everywhere)),                                  \
		ROW_FLAG(0, "sample-threads",                                                    \
			 "of -P, sample only these threads, not their processes",                \
			 RECORDOPTS_AT(samples.only_threads)),                                   \
		RECORDOPTS_ROWS_STACKS, RECORDOPTS_ROWS_COUNTERS

/* What profile adds. */
#define RECORDOPTS_PROFILE                                                                        \
	ROW_HEADING("profiling"),                                                                 \
		ROW_FLAG('S', NULL, "record only the events and the tracer given",                \
			 RECORDOPTS_AT(only_named)),                                              \
		ROW_FLAG('G', NULL, "account interrupts to the CPU, not to the interrupted task", \
			 RECORDOPTS_AT(global_irqs)),                                             \
		ROW_CALL('H', NULL, "HOOK",                                                       \
			 "measure a pair of events: START,FIELD[,PID]/END,FIELD[,FLAGS]",         \
			 recordopts_hook),                                                        \
		ROW_FLAG(0, "by-comm", "group tasks by name", RECORDOPTS_AT(by_comm))

/* Where else the data goes, where else it comes from. */
#define RECORDOPTS_NETWORK                                                                        \
	ROW_HEADING("network and guests"),                                                        \
		ROW_STRING('N', "host", "HOST:PORT",                                              \
			   "send the trace to 'sonde listen' or 'trace-cmd listen' on this host", \
			   RECORDOPTS_AT(host)),                                                  \
		ROW_STRING('V', "vsock", "CID:PORT", "like -N, but from a guest to its host",     \
			   RECORDOPTS_AT(vsock)),                                                 \
		ROW_FLAG('t', NULL, "use TCP instead of UDP", RECORDOPTS_AT(tcp)),                \
		ROW_STRING(0, "key", "FILE",                                                      \
			   "file with the key that both sides share; needs sonde on both sides",  \
			   RECORDOPTS_AT(key), .complete = "file"),                               \
		ROW_CALL('A', NULL, "GUEST",                                                      \
			 "apply the following options to this guest's agent: NAME[@CID][:PORT] "  \
			 "or an address",                                                         \
			 recordopts_guest),                                                       \
		ROW_NUMBER(0, "tsync-interval", "MS",                                             \
			   "compare the clocks of guests this often (0: at the start and the "    \
			   "end; -1: never)",                                                     \
			   RECORDOPTS_AT(tsync_ms)),                                              \
		ROW_FLAG(0, "nofifos",                                                            \
			 "guests: use sockets even if 'sonde setup-guest' created FIFOs",         \
			 RECORDOPTS_AT(no_fifos)),                                                \
		ROW_STRING(0, "proxy", "CID:PORT",                                                \
			   "not supported: run 'sonde agent' on the host and record it with -A "  \
			   "NAME@2",                                                              \
			   RECORDOPTS_AT(proxy)),                                                 \
		ROW_FLAG(0, "notimeout", "accepted for compatibility; has no effect",             \
			 RECORDOPTS_AT(no_timeout))

#endif
