/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recordopts.h - the options that say what to trace and how: those of record, start, set, stream,
 * profile, extract and agent.
 *
 * A command puts `struct live_request` first in its options (or uses it alone), begins with
 * recordopts_init(), and builds its table out of the groups of rows below. The order of options matters
 * as in trace-cmd: -f and -R belong to the -e before them, -v turns the -e after it off, and after -B
 * everything goes to that instance.
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
 * The rest of a command line, n as command_parse() gave it: prints the kernel's boot line if that is
 * wanted, else calls go with the command or NULL. needs: the sentence for who names nothing to trace.
 * Releases o.
 */
int recordopts_carry_out(struct live_request *o, int n, char **argv, const char *needs,
			 int (*go)(struct live_request *o, char **argv, struct errmsg *err),
			 struct errmsg *err);

/* --boot: the kernel's parameters that would do the same. */
int recordopts_print_bootline(const struct plan *plan, struct errmsg *err);

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
int recordopts_verbose(void *opts, const char *value, struct errmsg *err);

#define RECORDOPTS_AT(field) offsetof(struct live_request, field)

/* --- rows that several groups have ------------------------------------------------------------- */

#define RECORDOPTS_ROW_PROBE                                                                     \
	{                                                                                        \
		.kind = OPTION_CALL, .name = "probe", .arg = "DEFINITION",                       \
		.help = "define a probe in the kernel's own syntax: 'p:name function arg=%di'; " \
			"removed at the end",                                                    \
		.apply = recordopts_probe                                                        \
	}

/* Where definitions of probes (-e) are looked up. */
#define RECORDOPTS_ROWS_LOOKUP                                                                  \
	{.kind = OPTION_STRING,                                                                 \
	 .name = "vmlinux",                                                                     \
	 .arg = "FILE",                                                                         \
	 .help = "probes: read debug information of the kernel (vmlinux) or of a module (.ko) " \
		 "from FILE",                                                                   \
	 .offset = RECORDOPTS_AT(plan.vmlinux),                                                 \
	 .complete = "file"},                                                                   \
		{.kind = OPTION_STRING,                                                         \
		 .name = "debug-dir",                                                           \
		 .arg = "DIR",                                                                  \
		 .help = "probes: look for separate debug information here (default: "          \
			 "/usr/lib/debug)",                                                     \
		 .offset = RECORDOPTS_AT(plan.debug_dir),                                       \
		 .complete = "dir"},                                                            \
	{                                                                                       \
		.kind = OPTION_STRING, .name = "source", .arg = "DIR",                          \
		.help = "probes: look for source files here",                                   \
		.offset = RECORDOPTS_AT(plan.source_dir), .complete = "file"                    \
	}

#define RECORDOPTS_ROW_SIZE                                                             \
	{                                                                               \
		.kind = OPTION_CALL, .letter = 'b', .name = "buffer-size", .arg = "KB", \
		.help = "size of the kernel's buffer for each CPU; also 16M, 1G",       \
		.apply = recordopts_size                                                \
	}

#define RECORDOPTS_ROW_CPUMASK                                                        \
	{                                                                             \
		.kind = OPTION_CALL, .letter = 'M', .name = "cpumask", .arg = "MASK", \
		.help = "trace only these CPUs: a hexadecimal mask, or -1 for all",   \
		.apply = recordopts_cpumask                                           \
	}

#define RECORDOPTS_ROW_CLOCK(more)                                                   \
	{                                                                            \
		.kind = OPTION_CALL, .letter = 'C', .name = "clock", .arg = "CLOCK", \
		.help = "trace clock: local, global, mono, boot, x86-tsc …" more,    \
		.apply = recordopts_clock                                            \
	}

#define RECORDOPTS_ROW_OPTION                                                             \
	{                                                                                 \
		.kind = OPTION_CALL, .letter = 'O', .arg = "OPTION",                      \
		.help = "switch a tracing option of the kernel on, or off with noOPTION", \
		.apply = recordopts_option                                                \
	}

#define RECORDOPTS_ROWS_TOP                                                                  \
	{.kind = OPTION_FLAG,                                                                \
	 .name = "top",                                                                      \
	 .help = "trace in the top-level buffer, not in an instance of sonde's own",         \
	 .offset = RECORDOPTS_AT(plan.use_top)},                                             \
	{                                                                                    \
		.kind = OPTION_FLAG, .name = "take-over",                                    \
		.help = "use the top-level buffer even if another program is tracing there", \
		.offset = RECORDOPTS_AT(plan.take_over)                                      \
	}

#define RECORDOPTS_ROW_PID(before)                                                 \
	{                                                                          \
		.kind = OPTION_CALL, .letter = 'P', .name = "pid", .arg = "PID,…", \
		.help = before "trace only these threads", .apply = recordopts_pid \
	}

#define RECORDOPTS_ROWS_SELF(before)                                            \
	{.kind = OPTION_FLAG,                                                   \
	 .name = "self",                                                        \
	 .help = before "include the activity of sonde itself",                 \
	 .offset = RECORDOPTS_AT(plan.trace_self)},                             \
	{                                                                       \
		.kind = OPTION_FLAG, .name = "no-filter",                       \
		.help = before "same as --self (the name that trace-cmd uses)", \
		.offset = RECORDOPTS_AT(plan.trace_self)                        \
	}

#define RECORDOPTS_ROW_USER                                                           \
	{                                                                             \
		.kind = OPTION_STRING, .name = "user", .arg = "USER",                 \
		.help = "run the command as this user", .offset = RECORDOPTS_AT(user) \
	}

#define RECORDOPTS_ROW_QUIET                                                                      \
	{                                                                                         \
		.kind = OPTION_FLAG, .letter = 'q', .name = "quiet", .help = "print only errors", \
		.offset = RECORDOPTS_AT(quiet)                                                    \
	}

/* --- groups ------------------------------------------------------------------------------------ */

/* What to trace. */
#define RECORDOPTS_EVENTS                                                                          \
	{.kind = OPTION_HEADING, .help = "what to trace"},                                         \
		{.kind = OPTION_CALL,                                                              \
		 .letter = 'e',                                                                    \
		 .name = "event",                                                                  \
		 .arg = "EVENT",                                                                   \
		 .help = "record this event: SYSTEM, SYSTEM:EVENT, EVENT, a glob, all, or a "      \
			 "probe such as 'vfs_read(file, count)'",                                  \
		 .apply = recordopts_event},                                                       \
		{.kind = OPTION_CALL,                                                              \
		 .letter = 'f',                                                                    \
		 .name = "filter",                                                                 \
		 .arg = "FILTER",                                                                  \
		 .help = "record the preceding -e only where this is true: 'pid == 1 && prio < "   \
			 "100'",                                                                   \
		 .apply = recordopts_filter},                                                      \
		{.kind = OPTION_CALL,                                                              \
		 .letter = 'R',                                                                    \
		 .name = "trigger",                                                                \
		 .arg = "TRIGGER",                                                                 \
		 .help = "set a trigger on the preceding -e: stacktrace, traceoff, hist:keys=pid " \
			 "…",                                                                      \
		 .apply = recordopts_trigger},                                                     \
		{.kind = OPTION_CALL,                                                              \
		 .letter = 'v',                                                                    \
		 .help = "exclude the events of the following -e",                                 \
		 .apply = recordopts_negate},                                                      \
		{.kind = OPTION_CALL,                                                              \
		 .letter = 'p',                                                                    \
		 .name = "tracer",                                                                 \
		 .arg = "TRACER",                                                                  \
		 .help = "use this tracer: function, function_graph, irqsoff, wakeup, timerlat …", \
		 .apply = recordopts_tracer},                                                      \
		{.kind = OPTION_CALL,                                                              \
		 .letter = 'l',                                                                    \
		 .arg = "FUNCTION",                                                                \
		 .help = "trace only these functions (globs), or set a filter command: "           \
			 "FUNCTION:COMMAND[:COUNT]",                                               \
		 .apply = recordopts_function},                                                    \
		{.kind = OPTION_CALL,                                                              \
		 .letter = 'n',                                                                    \
		 .arg = "FUNCTION",                                                                \
		 .help = "do not trace these functions",                                           \
		 .apply = recordopts_no_function},                                                 \
		{.kind = OPTION_CALL,                                                              \
		 .letter = 'g',                                                                    \
		 .arg = "FUNCTION",                                                                \
		 .help = "function_graph: trace these functions and everything they call",         \
		 .apply = recordopts_graph},                                                       \
		{.kind = OPTION_CALL,                                                              \
		 .name = "graph-notrace",                                                          \
		 .arg = "FUNCTION",                                                                \
		 .help = "function_graph: do not trace these functions or anything they call",     \
		 .apply = recordopts_no_graph},                                                    \
		{.kind = OPTION_CALL,                                                              \
		 .name = "module",                                                                 \
		 .arg = "MODULE",                                                                  \
		 .help = "trace only functions of this module",                                    \
		 .apply = recordopts_module},                                                      \
		{.kind = OPTION_NUMBER,                                                            \
		 .name = "max-graph-depth",                                                        \
		 .arg = "N",                                                                       \
		 .help = "function_graph: trace at most N nested calls",                           \
		 .offset = RECORDOPTS_AT(plan.graph_depth)},                                       \
		{.kind = OPTION_FLAG,                                                              \
		 .letter = 'T',                                                                    \
		 .help = "record a kernel stack with every event",                                 \
		 .offset = RECORDOPTS_AT(plan.stacks)},                                            \
		{.kind = OPTION_FLAG,                                                              \
		 .name = "func-stack",                                                             \
		 .help = "record a kernel stack with every function; use it with -l",              \
		 .offset = RECORDOPTS_AT(plan.func_stack)},                                        \
		{.kind = OPTION_FLAG,                                                              \
		 .letter = 'F',                                                                    \
		 .help = "trace only the command's first thread",                                  \
		 .offset = RECORDOPTS_AT(plan.only_command)},                                      \
		RECORDOPTS_ROW_PID(""),                                                            \
		{.kind = OPTION_FLAG,                                                              \
		 .letter = 'c',                                                                    \
		 .help = "with -F or -P: also trace their other threads and their children",       \
		 .offset = RECORDOPTS_AT(plan.children)},                                          \
		RECORDOPTS_ROW_PROBE, RECORDOPTS_ROWS_LOOKUP, RECORDOPTS_ROWS_SELF(""),            \
	{                                                                                          \
		.kind = OPTION_FLAG, .letter = 'i', .help = "ignore events that do not exist",     \
		.offset = RECORDOPTS_AT(plan.ignore_unknown)                                       \
	}

/* How the kernel is to do it. */
#define RECORDOPTS_KERNEL                                                                         \
	{.kind = OPTION_HEADING, .help = "buffers and the kernel"},                               \
		{.kind = OPTION_CALL,                                                             \
		 .letter = 'B',                                                                   \
		 .name = "instance",                                                              \
		 .arg = "INSTANCE",                                                               \
		 .help = "apply the following options to this instance; create it if necessary",  \
		 .apply = recordopts_buffer},                                                     \
		RECORDOPTS_ROW_SIZE,                                                              \
		{.kind = OPTION_CALL,                                                             \
		 .name = "subbuf-size",                                                           \
		 .arg = "KB",                                                                     \
		 .help = "size of a sub-buffer (Linux 6.8 or later)",                             \
		 .apply = recordopts_subbuf},                                                     \
		RECORDOPTS_ROW_CPUMASK,                                                           \
		RECORDOPTS_ROW_CLOCK("; tsc2nsec is x86-tsc shown in nanoseconds"),               \
		RECORDOPTS_ROW_OPTION,                                                            \
		{.kind = OPTION_FLAG,                                                             \
		 .letter = 'd',                                                                   \
		 .help = "switch the function-trace option off before tracing starts",            \
		 .offset = RECORDOPTS_AT(plan.functions_off)},                                    \
		{.kind = OPTION_FLAG,                                                             \
		 .letter = 'D',                                                                   \
		 .help = "like -d, and also switch ftrace_enabled off",                           \
		 .offset = RECORDOPTS_AT(plan.ftrace_off)},                                       \
		{.kind = OPTION_CALL,                                                             \
		 .name = "cmdlines-size",                                                         \
		 .arg = "N",                                                                      \
		 .help = "number of task names that the kernel keeps",                            \
		 .apply = recordopts_cmdlines},                                                   \
		{.kind = OPTION_NUMBER,                                                           \
		 .name = "threshold",                                                             \
		 .arg = "US",                                                                     \
		 .help = "latency and graph tracers: record only what takes longer than US "      \
			 "microseconds",                                                          \
		 .offset = RECORDOPTS_AT(plan.threshold_us)},                                     \
		RECORDOPTS_ROWS_TOP,                                                              \
	{                                                                                         \
		.kind = OPTION_FLAG, .name = "boot",                                              \
		.help = "record nothing; print the kernel parameters that set up the same trace " \
			"at boot",                                                                \
		.offset = RECORDOPTS_AT(boot)                                                     \
	}

/* What probes may cost. */
#define RECORDOPTS_ROWS_RATE                                                         \
	{.kind = OPTION_CALL,                                                        \
	 .name = "max-rate",                                                         \
	 .arg = "N",                                                                 \
	 .help = "switch off a probe (-e) that fires more than N times a second",    \
	 .apply = recordopts_max_rate},                                              \
	{                                                                            \
		.kind = OPTION_FLAG, .name = "estimate",                             \
		.help = "before recording, count briefly how often the probes fire", \
		.offset = RECORDOPTS_AT(plan.estimate)                               \
	}

/* How the recorder works. */
#define RECORDOPTS_RECORDER                                                                        \
	{.kind = OPTION_HEADING, .help = "how to record"}, RECORDOPTS_ROWS_RATE,                   \
		{.kind = OPTION_CALL,                                                              \
		 .letter = 's',                                                                    \
		 .arg = "US",                                                                      \
		 .help = "poll for data every US microseconds, instead of waiting for the kernel " \
			 "to wake the recorder",                                                   \
		 .apply = recordopts_sleep},                                                       \
		{.kind = OPTION_NUMBER,                                                            \
		 .letter = 'r',                                                                    \
		 .name = "rt-prio",                                                                \
		 .arg = "PRIO",                                                                    \
		 .help = "run the recorder with this real-time priority (SCHED_FIFO)",             \
		 .offset = RECORDOPTS_AT(rt_priority)},                                            \
		{.kind = OPTION_FLAG,                                                              \
		 .name = "nosplice",                                                               \
		 .help = "copy data with read and write, not with splice",                         \
		 .offset = RECORDOPTS_AT(no_splice)},                                              \
		{.kind = OPTION_FLAG,                                                              \
		 .name = "poll",                                                                   \
		 .help = "never sleep: shortest delay, but one CPU is always busy",                \
		 .offset = RECORDOPTS_AT(busy)},                                                   \
		{.kind = OPTION_FLAG,                                                              \
		 .letter = 'k',                                                                    \
		 .help = "keep the tracing settings when the recording ends",                      \
		 .offset = RECORDOPTS_AT(keep)},                                                   \
		{.kind = OPTION_FLAG,                                                              \
		 .letter = 'K',                                                                    \
		 .help = "keep the settings that the instance already has",                        \
		 .offset = RECORDOPTS_AT(plan.keep_before)},                                       \
		RECORDOPTS_ROW_USER, RECORDOPTS_ROW_QUIET,                                         \
		{.kind = OPTION_FLAG,                                                              \
		 .name = "stderr",                                                                 \
		 .help = "profile: write the result to standard error",                            \
		 .offset = RECORDOPTS_AT(to_stderr)},                                              \
		{.kind = OPTION_CALL,                                                              \
		 .name = "verbose",                                                                \
		 .arg = "LEVEL",                                                                   \
		 .arg_optional = true,                                                             \
		 .help = "record: explain the overhead at the end; LEVEL has no effect",           \
		 .apply = recordopts_verbose},                                                     \
	{                                                                                          \
		.kind = OPTION_FLAG, .name = "debug",                                              \
		.help = "accepted for compatibility; has no effect",                               \
		.offset = RECORDOPTS_AT(debug)                                                     \
	}

/* The file that is written. */
#define RECORDOPTS_FILE                                                                           \
	{.kind = OPTION_HEADING, .help = "the trace file"},                                       \
		{.kind = OPTION_STRING,                                                           \
		 .letter = 'o',                                                                   \
		 .name = "output",                                                                \
		 .arg = "FILE",                                                                   \
		 .help = "write to this file (default: trace.dat)",                               \
		 .offset = RECORDOPTS_AT(output),                                                 \
		 .complete = "file"},                                                             \
		{.kind = OPTION_STRING,                                                           \
		 .name = "compression",                                                           \
		 .arg = "HOW",                                                                    \
		 .help = "compress with none, zstd, zlib or any (default: compress only symbols " \
			 "and formats)",                                                          \
		 .offset = RECORDOPTS_AT(compression),                                            \
		 .complete = "none zstd zlib any"},                                               \
		{.kind = OPTION_NUMBER,                                                           \
		 .name = "file-version",                                                          \
		 .arg = "6|7",                                                                    \
		 .help = "version of the file format (default: 7)",                               \
		 .offset = RECORDOPTS_AT(file_version)},                                          \
		{.kind = OPTION_CALL,                                                             \
		 .letter = 'm',                                                                   \
		 .name = "max-size",                                                              \
		 .arg = "KB",                                                                     \
		 .help = "keep only the last KB kilobytes of each CPU; also 16M, 1G",             \
		 .apply = recordopts_max_size},                                                   \
		{.kind = OPTION_STRING,                                                           \
		 .name = "temp",                                                                  \
		 .arg = "DIR",                                                                    \
		 .help = "keep the data here while recording, instead of in the file itself",     \
		 .offset = RECORDOPTS_AT(temp_dir),                                               \
		 .complete = "dir"},                                                              \
		{.kind = OPTION_FLAG,                                                             \
		 .letter = 'a',                                                                   \
		 .help = "write the formats of all events to the file, not only of the recorded " \
			 "ones",                                                                  \
		 .offset = RECORDOPTS_AT(all_formats)},                                           \
		{.kind = OPTION_FLAG,                                                             \
		 .name = "no-command-lines",                                                      \
		 .help = "do not record the command lines of processes",                          \
		 .offset = RECORDOPTS_AT(plan.no_commands)},                                      \
		{.kind = OPTION_FLAG,                                                             \
		 .name = "date",                                                                  \
		 .help = "record the offset to the time of day, so that reports can show it",     \
		 .offset = RECORDOPTS_AT(date)},                                                  \
		{.kind = OPTION_STRING,                                                           \
		 .name = "ts-offset",                                                             \
		 .arg = "N",                                                                      \
		 .help = "add N to every timestamp",                                              \
		 .offset = RECORDOPTS_AT(ts_offset)},                                             \
		{.kind = OPTION_FLAG,                                                             \
		 .name = "tsc2nsec",                                                              \
		 .help = "record the frequency of the x86-tsc clock, so that reports show "       \
			 "nanoseconds",                                                           \
		 .offset = RECORDOPTS_AT(tsc2nsec)},                                              \
	{                                                                                         \
		.kind = OPTION_FLAG, .name = "proc-map",                                          \
		.help = "record the memory maps of the traced tasks",                             \
		.offset = RECORDOPTS_AT(proc_map)                                                 \
	}

/* What profile adds. */
#define RECORDOPTS_PROFILE                                                                \
	{.kind = OPTION_HEADING, .help = "profiling"},                                    \
		{.kind = OPTION_FLAG,                                                     \
		 .letter = 'S',                                                           \
		 .help = "record only the events and the tracer given",                   \
		 .offset = RECORDOPTS_AT(only_named)},                                    \
		{.kind = OPTION_FLAG,                                                     \
		 .letter = 'G',                                                           \
		 .help = "account interrupts to the CPU, not to the interrupted task",    \
		 .offset = RECORDOPTS_AT(global_irqs)},                                   \
		{.kind = OPTION_CALL,                                                     \
		 .letter = 'H',                                                           \
		 .arg = "HOOK",                                                           \
		 .help = "measure a pair of events: START,FIELD[,PID]/END,FIELD[,FLAGS]", \
		 .apply = recordopts_hook},                                               \
	{                                                                                 \
		.kind = OPTION_FLAG, .name = "by-comm", .help = "group tasks by name",    \
		.offset = RECORDOPTS_AT(by_comm)                                          \
	}

/* Where else the data goes, where else it comes from. */
#define RECORDOPTS_NETWORK                                                                        \
	{.kind = OPTION_HEADING, .help = "network and guests"},                                   \
		{.kind = OPTION_STRING,                                                           \
		 .letter = 'N',                                                                   \
		 .name = "host",                                                                  \
		 .arg = "HOST:PORT",                                                              \
		 .help = "send the trace to 'sonde listen' or 'trace-cmd listen' on this host",   \
		 .offset = RECORDOPTS_AT(host)},                                                  \
		{.kind = OPTION_STRING,                                                           \
		 .letter = 'V',                                                                   \
		 .name = "vsock",                                                                 \
		 .arg = "CID:PORT",                                                               \
		 .help = "like -N, but from a guest to its host",                                 \
		 .offset = RECORDOPTS_AT(vsock)},                                                 \
		{.kind = OPTION_FLAG,                                                             \
		 .letter = 't',                                                                   \
		 .help = "use TCP instead of UDP",                                                \
		 .offset = RECORDOPTS_AT(tcp)},                                                   \
		{.kind = OPTION_STRING,                                                           \
		 .name = "key",                                                                   \
		 .arg = "FILE",                                                                   \
		 .help = "file with the key that both sides share; needs sonde on both sides",    \
		 .offset = RECORDOPTS_AT(key),                                                    \
		 .complete = "file"},                                                             \
		{.kind = OPTION_CALL,                                                             \
		 .letter = 'A',                                                                   \
		 .arg = "GUEST",                                                                  \
		 .help = "apply the following options to this guest's agent: NAME[@CID][:PORT] "  \
			 "or an address",                                                         \
		 .apply = recordopts_guest},                                                      \
		{.kind = OPTION_NUMBER,                                                           \
		 .name = "tsync-interval",                                                        \
		 .arg = "MS",                                                                     \
		 .help = "compare the clocks of guests this often (0: at the start and the end; " \
			 "-1: never)",                                                            \
		 .offset = RECORDOPTS_AT(tsync_ms)},                                              \
		{.kind = OPTION_FLAG,                                                             \
		 .name = "nofifos",                                                               \
		 .help = "guests: use sockets even if 'sonde setup-guest' created FIFOs",         \
		 .offset = RECORDOPTS_AT(no_fifos)},                                              \
		{.kind = OPTION_STRING,                                                           \
		 .name = "proxy",                                                                 \
		 .arg = "CID:PORT",                                                               \
		 .help = "not supported: run 'sonde agent' on the host and record it with -A "    \
			 "NAME@2",                                                                \
		 .offset = RECORDOPTS_AT(proxy)},                                                 \
	{                                                                                         \
		.kind = OPTION_FLAG, .name = "notimeout",                                         \
		.help = "accepted for compatibility; has no effect",                              \
		.offset = RECORDOPTS_AT(no_timeout)                                               \
	}

#endif
