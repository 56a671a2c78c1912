// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table.c - the commands and options of trace-cmd 3.1.6, as rows.
 *
 * A row contains exactly the words that trace-cmd accepts; options that only sonde's command has
 * are refused here, as in trace-cmd. `to` is sonde's name of an option, if it differs. The help
 * words are sonde's own; their layout is trace-cmd's.
 */
#include "cli/as/tracecmd/tracecmd_int.h"
#include "cli/command.h"

extern const struct command cmd_mem, cmd_split, cmd_dump, cmd_convert, cmd_restore, cmd_listen,
	cmd_setup_guest, cmd_agent;

#define VERBOSE                                                        \
	{                                                              \
		0, "verbose", '?', TC_DROP, "how much it says: 0 to 6" \
	}

/* The common options of record and similar commands. */
#define TRACING_OPTIONS                                                                        \
	{'e', NULL, ':', NULL, "record this event, system, or all"},                           \
		{'f', NULL, ':', NULL, "filter of the preceding -e"},                          \
		{'R', NULL, ':', NULL, "trigger of the preceding -e"},                         \
		{'p', NULL, ':', NULL, "use this tracer"},                                     \
		{'F', NULL, 0, NULL, "trace only the command"},                                \
		{'P', NULL, ':', NULL, "trace only these pids"},                               \
		{'c', NULL, 0, NULL, "with -F or -P: also children"},                          \
		{'C', NULL, ':', NULL, "trace clock"},                                         \
		{'T', NULL, 0, NULL, "record a stack with every event"},                       \
		{'l', NULL, ':', NULL, "trace only this function"},                            \
		{'g', NULL, ':', NULL, "trace the call graph of this function"},               \
		{'n', NULL, ':', NULL, "do not trace this function"},                          \
		{'m', NULL, ':', NULL, "keep the last kilobytes of each CPU"},                 \
		{'M', NULL, ':', NULL, "mask of CPUs"},                                        \
		{'v', NULL, 0, NULL, "disable the events of the following -e"},                \
		{'d', NULL, 0, NULL, "start with the function tracer off"},                    \
		{'D', NULL, 0, NULL, "switch function tracing off globally"},                  \
		{'O', NULL, ':', NULL, "set a tracing option, or noOPTION"},                   \
		{'b', NULL, ':', NULL, "kilobytes of each CPU's buffer"},                      \
		{'B', NULL, ':', NULL, "instance for the following options"},                  \
		{'i', NULL, 0, NULL, "ignore events that do not exist"},                       \
		{'q', "quiet", 0, NULL, "print only errors"},                                  \
		{0, "module", ':', NULL, "trace only functions of this module"},               \
		{0, "func-stack", 0, NULL, "record a stack with every function"},              \
		{0, "max-graph-depth", ':', NULL, "depth of the function graph"},              \
		{0, "cmdlines-size", ':', NULL, "number of task names that the kernel keeps"}, \
		{0, "no-filter", 0, NULL, "include the events of the recorder"},               \
		{0, "user", ':', NULL, "run the command as this user"},                        \
		{0, "stderr", 0, NULL, NULL}, {0, "debug", 0, TC_DROP, NULL}, VERBOSE,         \
	{                                                                                      \
		'a', NULL, 0, NULL, NULL                                                       \
	}

#define RECORDER_OPTIONS                                                                         \
	{'o', NULL, ':', NULL, "output file (default: trace.dat)"},                              \
		{'r', NULL, ':', NULL, "real-time priority of the recorder"},                    \
		{'s', NULL, ':', NULL, "poll interval in microseconds"},                         \
		{'S', NULL, 0, NULL, "profile: only the given events"},                          \
		{'G', NULL, 0, NULL, "profile: interrupts belong to no task"},                   \
		{'H', NULL, ':', NULL, "profile: a pair of events"},                             \
		{'N', NULL, ':', NULL, "host:port of a listener"},                               \
		{'V', NULL, ':', NULL, "cid:port of a listener"},                                \
		{'t', NULL, 0, NULL, "with -N: TCP"},                                            \
		{'A', NULL, ':', NULL, "guest for the following options"},                       \
		{'k', NULL, 0, NULL, "keep the settings at the end"},                            \
		{0, "temp", ':', NULL, "directory for temporary data"},                          \
		{0, "by-comm", 0, NULL, "profile: group tasks by name"},                         \
		{0, "profile", 0, NULL, "the events of report --profile"},                       \
		{0, "date", 0, NULL, "record the time of day"},                                  \
		{0, "ts-offset", ':', NULL, "add this to all times"},                            \
		{0, "proc-map", 0, NULL, "record the memory maps of the traced tasks"},          \
		{0, "tsc2nsec", 0, NULL, "record the frequency of the clock"},                   \
		{0, "tsync-interval", ':', NULL, "interval of clock comparisons, ms"},           \
		{0, "poll", 0, NULL, "never sleep"}, {0, "nosplice", 0, NULL, "read and write"}, \
		{0, "nofifos", 0, NULL, "no FIFOs for guests"}, {0, "notimeout", 0, NULL, NULL}, \
		{0, "name", ':', NULL, "name of the preceding guest"},                           \
		{0, "proxy", ':', NULL, "way to the agent"},                                     \
		{0, "file-version", ':', NULL, "6 or 7"},                                        \
	{                                                                                        \
		0, "compression", ':', NULL, "any, none, zstd or zlib"                           \
	}

static const struct tc_option record_options[] = {TRACING_OPTIONS, RECORDER_OPTIONS, {0}};

static const struct tc_option start_options[] = {
	TRACING_OPTIONS,
	RECORDER_OPTIONS,
	{0, "fork", 0, NULL, "do not wait for the command"},
	{0},
};

static const struct tc_option extract_options[] = {
	{'o', NULL, ':', NULL, "output file (default: trace.dat)"},
	{'B', NULL, ':', NULL, "this instance"},
	{'a', NULL, 0, NULL, "all instances"},
	{'t', NULL, 0, NULL, "also the top level"},
	{'s', NULL, 0, NULL, "the snapshot"},
	{'k', NULL, 0, NULL, NULL},
	{0, "date", 0, NULL, "record the time of day"},
	{0, "ts-offset", ':', NULL, NULL},
	{0, "compression", ':', NULL, NULL},
	{0, "file-version", ':', NULL, NULL},
	{'q', "quiet", 0, NULL, NULL},
	/* options of record that trace-cmd accepts and ignores */
	{'p', NULL, ':', TC_DROP, NULL},
	{'O', NULL, ':', TC_DROP, NULL},
	{'f', NULL, ':', TC_DROP, NULL},
	{'F', NULL, 0, TC_DROP, NULL},
	{'c', NULL, 0, TC_DROP, NULL},
	{'r', NULL, ':', TC_DROP, NULL},
	{'g', NULL, ':', TC_DROP, NULL},
	{'l', NULL, ':', TC_DROP, NULL},
	{'n', NULL, ':', TC_DROP, NULL},
	{'P', NULL, ':', TC_DROP, NULL},
	{'N', NULL, ':', TC_DROP, NULL},
	{'b', NULL, ':', TC_DROP, NULL},
	{'i', NULL, 0, TC_DROP, NULL},
	{'T', NULL, 0, TC_DROP, NULL},
	{0, "stderr", 0, NULL, NULL},
	{0, "debug", 0, TC_DROP, NULL},
	VERBOSE,
	{0},
};

static const struct tc_option switch_options[] = {
	{'B', NULL, ':', NULL, "this instance; repeatable"},
	{'a', NULL, 0, NULL, "all instances"},
	{'t', NULL, 0, NULL, "with -B: also the top level"},
	{0},
};

static const struct tc_option clear_options[] = {
	{'B', NULL, ':', NULL, "this instance; repeatable"},
	{'a', "all", 0, NULL, "all instances and the top level"},
	{0},
};

static const struct tc_option reset_options[] = {
	{'b', NULL, ':', NULL, "kilobytes of each CPU's buffer"},
	{'d', NULL, 0, NULL, "remove the preceding instance"},
	{'B', NULL, ':', NULL, "this instance; repeatable"},
	{'a', NULL, 0, NULL, "all instances"},
	{'t', NULL, 0, NULL, "also the top level"},
	{0},
};

static const struct tc_option show_options[] = {
	{'p', NULL, 0, NULL, "consume events as they arrive"},
	{'s', NULL, 0, NULL, "the snapshot"},
	{'c', NULL, ':', NULL, "of this CPU"},
	{'B', NULL, ':', NULL, "use this instance"},
	{'f', NULL, 0, NULL, "print the name of the file first"},
	{0, "tracing_on", 0, "tracing_on", ""},
	{0, "current_tracer", 0, "current_tracer", ""},
	{0, "buffer_size", 0, "buffer_size_kb", ""},
	{0, "buffer_total_size", 0, "buffer_total_size_kb", ""},
	{0, "ftrace_filter", 0, "set_ftrace_filter", ""},
	{0, "ftrace_notrace", 0, "set_ftrace_notrace", ""},
	{0, "ftrace_pid", 0, "set_ftrace_pid", ""},
	{0, "graph_function", 0, "set_graph_function", ""},
	{0, "graph_notrace", 0, "set_graph_notrace", ""},
	{0, "cpumask", 0, "tracing_cpumask", ""},
	{0},
};

static const struct tc_option snapshot_options[] = {
	{'s', NULL, 0, NULL, "take a snapshot"}, {'r', NULL, 0, NULL, "empty the snapshot"},
	{'f', NULL, 0, NULL, "free its memory"}, {'B', NULL, ':', NULL, "use this instance"},
	{'c', NULL, ':', NULL, "of this CPU"},	 {0},
};

static const struct tc_option stack_options[] = {
	{0, "start", 0, NULL, "stack tracer on"},
	{0, "stop", 0, NULL, "stack tracer off"},
	{0, "reset", 0, NULL, "reset the deepest stack"},
	VERBOSE,
	{0},
};

static const struct tc_option stat_options[] = {
	{'B', NULL, ':', NULL, "use this instance"},
	{'t', NULL, 0, NULL, "with -B: also the top level"},
	{'o', NULL, 0, NULL, "also all options"},
	{0},
};

static const struct tc_option list_options[] = {
	{'e', NULL, '?', NULL, "events; with -F their fields, --full with print formats"},
	{'F', NULL, 0, NULL, NULL},
	{0, "full", 0, NULL, NULL},
	{'R', NULL, 0, NULL, "with -e: triggers"},
	{'l', NULL, 0, NULL, "with -e: filters"},
	{'s', NULL, 0, NULL, "systems of events"},
	{'t', NULL, 0, NULL, "tracers"},
	{'p', NULL, 0, NULL, NULL},
	{'o', NULL, 0, NULL, "options of the tracer"},
	{'f', NULL, '?', NULL, "functions that can be traced"},
	{'P', NULL, 0, NULL, "plugins"},
	{'O', NULL, 0, NULL, "options of plugins"},
	{'B', NULL, 0, NULL, "instances"},
	{'C', NULL, 0, NULL, "clocks"},
	{'c', NULL, 0, NULL, "compressions"},
	{0, "debug", 0, TC_DROP, NULL},
	{0, "verbose", '?', TC_DROP, NULL},
	{0},
};

static const struct tc_option report_options[] = {
	{'i', NULL, ':', NULL, "input, or trace.dat"},
	{'e', NULL, 0, NULL, "byte order"},
	{'f', NULL, 0, NULL, "functions"},
	{'p', NULL, 0, NULL, "size of a page"},
	{'P', NULL, 0, NULL, "formats of printk"},
	{'E', NULL, 0, NULL, "events"},
	{0, "events", 0, NULL, "their formats"},
	{0, "event", ':', NULL, "formats of these"},
	{'F', NULL, ':', NULL, "filter"},
	{'v', NULL, 0, NULL, "invert the following filters"},
	{'T', NULL, 0, NULL, "print the filters"},
	{'I', NULL, 0, NULL, "omit events in hardirqs"},
	{'S', NULL, 0, NULL, "omit events in softirqs"},
	{'t', NULL, 0, NULL, "nanoseconds"},
	{'l', NULL, 0, NULL, "latency format"},
	{'R', NULL, 0, NULL, "raw fields"},
	{'r', NULL, ':', NULL, "raw fields of these events"},
	{'n', NULL, ':', NULL, "no plugin for these events"},
	{'N', NULL, 0, NULL, "no plugins"},
	{'L', NULL, 0, NULL, "no plugins of the system"},
	{'O', NULL, ':', NULL, "option of a plugin"},
	{'w', NULL, 0, NULL, "wakeup latencies"},
	{'q', NULL, 0, NULL, "print less"},
	{'V', "verbose", '?', NULL, "print more messages"},
	{'G', NULL, 0, NULL, "profile: interrupts belong to no task"},
	{'H', NULL, ':', NULL, "profile: a pair of events"},
	{0, "profile", 0, NULL, "where the time went"},
	{0, "by-comm", 0, NULL, "profile: group tasks by name"},
	{0, "cpu", ':', NULL, "only these CPUs"},
	{0, "pid", ':', NULL, "trace only these pids"},
	{0, "comm", ':', NULL, "only tasks of these names"},
	{0, "cpus", 0, NULL, "CPUs with data"},
	{0, "first-event", 0, NULL, "times of the first events"},
	{0, "last-event", 0, NULL, "times of the last events"},
	{0, "check-events", 0, NULL, "check that all formats can be parsed"},
	{0, "stat", 0, NULL, "statistics of the buffers"},
	{0, "uname", 0, NULL, "uname of the recorded machine"},
	{0, "version", 0, NULL, "version of the recorder"},
	{0, "boundary", 0, NULL, NULL},
	{0, "kallsyms", ':', NULL, "more symbols"},
	{0, "nodate", 0, NULL, "ignore the time of day"},
	{0, "raw-ts", 0, NULL, "times as recorded"},
	{0, "align-ts", 0, NULL, "start the times at 0"},
	{0, "ts-offset", ':', NULL, "add to all times of the file before"},
	{0, "ts2secs", ':', NULL, "clock ticks per second"},
	{0, "ts-diff", 0, NULL, "times between events"},
	{0, "ts-check", 0, NULL, "check that time does not run backwards"},
	{0, "debug", 0, NULL, NULL},
	{0},
};

static const struct tc_option hist_options[] = {
	{'i', NULL, ':', NULL, "input, or trace.dat"},
	{'P', NULL, 0, NULL, "all pids together"},
	{0},
};

static const struct tc_option mem_options[] = {{'i', NULL, ':', NULL, "input"}, {0}};

static const struct tc_option split_options[] = {
	{'i', NULL, ':', NULL, "input, or trace.dat"},
	{'o', NULL, ':', NULL, "output: .1 and so on are added"},
	{'s', NULL, ':', NULL, "seconds"},
	{'m', NULL, ':', NULL, "milliseconds"},
	{'u', NULL, ':', NULL, "microseconds"},
	{'e', NULL, ':', NULL, "events"},
	{'p', NULL, ':', NULL, "pages"},
	{'r', NULL, 0, NULL, "repeat until the end"},
	{'c', NULL, 0, NULL, "keep the last kilobytes of each CPU"},
	{'C', NULL, ':', NULL, "only this CPU"},
	{0},
};

static const struct tc_option dump_options[] = {
	{'i', NULL, ':', NULL, "input, or trace.dat"},
	{'v', "validate", 0, NULL, "check whether the file is valid"},
	{0, "all", 0, NULL, "show everything"},
	{0, "summary", 0, NULL, "an overview"},
	{0, "head-page", 0, NULL, "header page"},
	{0, "head-event", 0, NULL, "header event"},
	{0, "ftrace-events", 0, NULL, "formats of ftrace"},
	{0, "systems", 0, NULL, "systems"},
	{0, "events", 0, NULL, "formats"},
	{0, "kallsyms", 0, NULL, "symbols"},
	{0, "printk", 0, NULL, "formats of printk"},
	{0, "cmd-lines", 0, NULL, "names of tasks"},
	{0, "options", 0, NULL, "options"},
	{0, "flyrecord", 0, NULL, "places of the data"},
	{0, "clock", 0, NULL, "trace clock"},
	{0, "sections", 0, NULL, "sections (version 7)"},
	{0, "strings", 0, NULL, "strings (version 7)"},
	{0, "verbose", '?', NULL, NULL},
	{0},
};

static const struct tc_option convert_options[] = {
	{'i', NULL, ':', NULL, "input, or trace.dat"},
	{'o', NULL, ':', NULL, "output; or the last word"},
	{0, "file-version", ':', NULL, "6 or 7"},
	{0, "compression", ':', NULL, "any, none, zstd or zlib"},
	{0},
};

static const struct tc_option restore_options[] = {
	{'c', NULL, 0, NULL, "write only a partial file, trace-partial.dat"},
	{'t', NULL, ':', NULL, "tracing directory"},
	{'k', NULL, ':', NULL, "symbols"},
	{'o', NULL, ':', NULL, "output"},
	{'i', NULL, ':', NULL, "partial file to read"},
	{0},
};

static const struct tc_option listen_options[] = {
	{'p', NULL, ':', NULL, "port"},
	{'V', NULL, 0, NULL, "vsock"},
	{'D', NULL, 0, NULL, "in the background"},
	{'o', NULL, ':', NULL, "beginning of the file names"},
	{'d', NULL, ':', NULL, "directory of the files"},
	{'l', NULL, ':', NULL, "log"},
	{0, "verbose", '?', NULL, NULL},
	{0, "debug", 0, NULL, NULL},
	{0},
};

static const struct tc_option agent_options[] = {
	{'p', NULL, ':', NULL, "port"},
	{'D', NULL, 0, NULL, "in the background"},
	{'N', NULL, ':', NULL, "TCP, and only for this client"},
	{'P', NULL, ':', NULL, "act as proxy for the guest with this CID"},
	{0, "verbose", '?', NULL, NULL},
	{0, "debug", 0, NULL, NULL},
	{0, "notimeout", 0, NULL, NULL},
	{0},
};

static const struct tc_option guest_options[] = {
	{'c', NULL, ':', NULL, "CPUs of the guest"},
	{'p', NULL, ':', NULL, "permissions"},
	{'g', NULL, ':', NULL, "group"},
	{'a', NULL, 0, NULL, "add them to the guest's configuration"},
	{0},
};

static const struct tc_option check_options[] = {
	{'N', NULL, 0, NULL, "no plugins"},
	{0, "verbose", '?', TC_DROP, NULL},
	{0},
};

static const struct tc_option no_options[] = {{0}};

const struct tc_command tracecmd_commands[] = {
	{"record", "record a trace into a file", "[options] [command ...]", record_options, true,
	 tc_run_record},
	{"set", "change settings", "[options]", start_options, true, tc_run_set},
	{"start", "trace without a file", "[options] [command ...]", start_options, true,
	 tc_run_start},
	{"extract", "save the kernel's buffers to a file", "[options]", extract_options, true,
	 tc_run_extract},
	{"stop", "stop writing to the kernel's buffers", "[-B buf ...] [-a] [-t]", switch_options,
	 false, tc_run_stop},
	{"restart", "resume after stop", "[-B buf ...] [-a] [-t]", switch_options, false,
	 tc_run_restart},
	{"show", "print the kernel's buffers", "[-p|-s] [-c cpu] [-B buf] [options]", show_options,
	 false, tc_run_show},
	{"reset", "switch all tracing off and empty the buffers",
	 "[-b size] [-B buf] [-a] [-d] [-t]", reset_options, false, tc_run_reset},
	{"clear", "empty the buffers", "[-B buf] [-a]", clear_options, true, tc_run_clear},
	{"report", "print the trace in a file", "[-i file] [options]", report_options, true,
	 tc_run_report},
	{"stream", "trace and print events as they happen", "[options] [command ...]",
	 record_options, true, tc_run_stream},
	{"profile", "trace and report where the time went", "[options] [command ...]",
	 record_options, true, tc_run_profile},
	{"hist", "print a histogram of a file", "[-i file] [-P] [file]", hist_options, true,
	 tc_run_hist},
	{"mem", NULL, "[-i file]", mem_options, true, tc_run_same, &cmd_mem},
	{"stat", "print the settings", "[-B buf] [-t] [-o]", stat_options, false, tc_run_stat},
	{"split", "cut a file into smaller ones", "[options] -o file [start [end]]", split_options,
	 true, tc_run_same, &cmd_split},
	{"options", "list the options of plugins", "", no_options, false, tc_run_options},
	{"listen", "receive traces over the network", "-p port [options]", listen_options, true,
	 tc_run_same, &cmd_listen},
	{"agent", "let a host trace this machine", "-p port [-D] [-N client] [-P cid]",
	 agent_options, true, tc_run_same, &cmd_agent},
	{"setup-guest", "create FIFOs for a guest", "[-c cpus] [-p perm] [-g group] [-a] guest",
	 guest_options, true, tc_run_same, &cmd_setup_guest},
	{"list", "list events, tracers, options and more", "[options]", list_options, false,
	 tc_run_list, .by_hand = true},
	{"restore", "restore a file after a crash of the recorder",
	 "[-c] [-o file] [-i file] cpu-file ...", restore_options, true, tc_run_same, &cmd_restore},
	{"snapshot", "take, print or drop a snapshot", "[-s] [-r] [-f] [-B buf] [-c cpu]",
	 snapshot_options, false, tc_run_snapshot},
	{"stack", "switch the stack tracer on or off, or print its result",
	 "[--start] [--stop] [--reset]", stack_options, true, tc_run_stack},
	{"check-events", "check the formats of all events", "[-N]", check_options, true,
	 tc_run_check_events},
	{"dump", "print the metadata of a file", "[options]", dump_options, true, tc_run_same,
	 &cmd_dump},
	{"convert", "change the version of a file", "[options]", convert_options, true, tc_run_same,
	 &cmd_convert},
	{"help", NULL, "", no_options, false, tc_run_help},
	{"-h", NULL, "", no_options, false, tc_run_help},
	{0},
};
