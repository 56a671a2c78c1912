"""The cases: which options on which traces.

Rows are command lines of report. FILE stands for the trace; without it the trace comes last. Every
row of OPTIONS runs on CORE, a handful of small traces that differ in everything, on those it names,
and on two of the larger recorded ones, which follow from its text. So each option meets at least
seven traces, each recorded trace meets a good part of the options, and no run takes minutes.
"""
import pathlib
import shlex
import zlib
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent

CORE = ["tour", "made-v6-le-8-4096", "made-v7-be-4-8192-zstd", "made-instances-v7", "made-formats",
        "probes", "function-filtered"]
LARGER = ["events-v6", "events-v7-none", "events-v7-zstd", "clock-tsc", "fgraph-vfs", "follow",
          "function-all", "instances-mono", "profile", "stacks", "all-events", "lost-events"]
TIMES = ["made-clock-*", "made-time-*", "made-times", "clock-tsc", "instances-mono"]

# options, traces besides CORE (patterns)
OPTIONS = [
    # how lines look
    ("-t", []),
    ("-l", ["made-flags*", "made-stacks-le8"]),
    ("-l -t", ["made-flags"]),
    ("-R", ["made-raw-*", "made-odd-formats-*", "made-grammar-le8", "made-flags", "made-printk-le8",
            "made-noise-small", "made-past-records", "made-other-byte-order", "stacks", "profile"]),
    ("-l -R", ["made-raw-le8"]),
    ("-R -t -N", []),
    ("-r sched_switch", []),
    ("-r 'sched_.*' -r function -r irq", ["follow"]),
    ("-r '.*'", ["made-raw-be4"]),
    ("-r nosuch", []),
    ("-n 'sched_switch'", []),
    ("-n sched -n function -n ftrace", ["made-graph", "made-tasks"]),
    ("-n '.*' -l", ["made-functions"]),
    ("-N", ["made-graph", "made-functions", "made-tasks", "made-stacks-*", "made-printk-le8"]),
    ("-N -l -t", ["made-noise-large", "made-noise-edges"]),
    ("-L", ["made-graph", "made-functions"]),
    ("-O parent", ["made-functions", "made-symbols"]),
    ("-O ftrace:parent -O ftrace:offset", ["made-functions", "made-symbols", "function-all"]),
    ("-O ftrace:indent=0", ["made-functions", "function-all"]),
    ("-O indent=0 -O parent=1 -O offset=1", ["made-functions"]),
    ("-O fgraph:tailprint", ["made-graph", "fgraph-vfs"]),
    ("-O fgraph:depth", ["made-graph", "fgraph-vfs"]),
    ("-O tailprint -O depth=1 -O parent", ["made-graph", "profile"]),
    ("-w", ["made-wakeups", "made-tasks", "made-deadline"]),
    ("-w -t", ["made-wakeups"]),
    ("-w -l -R", ["made-wakeups"]),
    ("-w -N", ["made-wakeups"]),
    ("-w -F sched_switch:next_prio==120 -i FILE", ["made-wakeups"]),
    ("-q", []),
    ("-q -R -N", []),
    ("--boundary", ["made-missed", "lost-events", "made-times"]),
    ("--debug", ["made-missed", "made-times", "made-many-cpus-*", "made-empty-*"]),
    ("--debug -R", []),
    ("--debug -V3", []),
    ("-q --debug -t", []),
    ("--debug -q", []),
    ("--debug --cpus -i FILE -i made-instances-v6.dat", []),
    ("--debug --uname -i FILE -i made-instances-v6.dat", []),
    ("-V", ["made-instances-v6"]),
    ("--verbose", []),
    ("-V3", []),
    ("--verbose=warn", []),
    ("--verbose=4 -E", []),
    ("--verbose=nosuch", []),
    # which events
    ("--cpu 0", ["made-many-cpus-v6"]),
    ("--cpu 1", ["made-many-cpus-v7"]),
    ("--cpu 0,1", []),
    ("--cpu 1,0", []),
    ("--cpu 0-1", []),
    ("--cpu 0:1", []),
    ("--cpu 1-7", ["made-many-cpus-v6"]),
    ("--cpu 0,2-3,1499", ["made-many-cpus-*"]),
    ("--cpu 9", []),
    ("--cpu 0 -l -t", []),
    ("--cpu x", []),
    ("--pid 0", ["made-tasks"]),
    ("--pid 1", ["made-tasks", "made-wakeups"]),
    ("--pid 1,7", ["made-tasks"]),
    ("--pid 7 --pid 8", []),
    ("--comm worker", []),
    ("--comm sleep,sh", ["follow"]),
    ("--comm 'two words' --pid 9", ["made-tasks"]),
    ("--comm nosuch", []),
    ("-I", ["made-flags"]),
    ("-S", ["made-flags"]),
    ("-I -S", ["made-flags"]),
    ("-T", []),
    ("-T --pid 3,4 --comm worker --pid 5", ["made-tasks"]),
    ("-F '.*' -i FILE", []),
    ("-F '.*:common_pid == 0' -i FILE", []),
    ("-i FILE -F '.*:common_pid == 0'", []),
    ("-i FILE -F '.*:common_pid == 0' -v -F '.*:common_flags & 1'", []),
    ("-v -F '.*:common_pid == 0' -i FILE", []),
    ("-F '.*:common_pid > 0' -v -F '.*:CPU == 1' -l -i FILE", []),
    ("-v -v", []),
    ("-F 'sys_exit:ret == -2'", ["follow", "events-v7-zstd"]),
    ("-F 'sched_switch:prev_pid == 0 prev_prio == 120'", []),
    ("-F 'sched_switch:prev_pid <> 3'", []),
    ("-F 'sched_switch:prev_pid == 12ab'", []),
    # time
    ("--ts-diff", TIMES),
    ("--ts-diff -t", TIMES),
    ("--ts-diff -l -R", []),
    ("--ts-check", ["made-times"]),
    ("--raw-ts", TIMES),
    ("--raw-ts --ts-diff -t", TIMES),
    ("--align-ts", TIMES),
    ("--align-ts -t --ts-diff", TIMES),
    ("--align-ts --raw-ts", TIMES),
    ("--nodate", TIMES),
    ("--nodate -t", TIMES),
    ("--ts2secs 1000", TIMES[:2]),
    ("--ts2secs 3000000000 -t", TIMES[:2]),
    ("--ts2secs 1000000 --ts-diff", TIMES[:2]),
    ("-i FILE --ts2secs 2500000", TIMES[:2]),
    ("-i FILE --ts2secs 1000000 --nodate --align-ts", TIMES[:2]),
    ("-i FILE --ts-offset 1000000", TIMES),
    ("-i FILE --ts-offset -1000000 -t", []),
    ("--ts-offset 5 -i FILE", []),
    # about the file
    ("-e", []),
    ("-p", ["made-v6-be-4-65536"]),
    ("-e -p", []),
    ("-f", ["made-symbols", "made-grammar-le8"]),
    ("-P", ["made-printk-le8", "made-printk-be4"]),
    ("-E", ["made-grammar-le8", "all-events"]),
    ("-f -E", []),
    ("--events", ["made-odd-formats-le8", "made-v6-be-4-4096", "made-clock-boot-v6"]),
    ("--event sched", ["made-tasks", "made-wakeups"]),
    ("--event sched:sched_switch", ["made-tasks", "made-wakeups"]),
    ("--event ':sched'", ["made-tasks"]),
    ("--event '.*wake.*'", ["made-tasks"]),
    ("--event nosuch", ["made-tasks"]),
    ("--check-events", ["made-odd-formats-le8", "made-printk-le8", "all-events"]),
    ("--cpus", ["made-many-cpus-*", "made-empty-*"]),
    ("--first-event", TIMES + ["made-guest-*"]),
    ("--last-event", TIMES + ["made-guest-*", "made-missed"]),
    ("--first-event --last-event -t", ["made-many-cpus-*"]),
    ("--first-event --raw-ts --ts2secs 1000", TIMES),
    ("--stat", ["made-many-cpus-*", "made-empty-*", "made-latency-v7", "made-latency-v6"]),
    ("--uname", ["made-latency-v7"]),
    ("--version", []),
    ("--uname --version", []),
    ("--stat --uname", []),
    ("--uname -F nosuch", []),
    ("--kallsyms extra-symbols", ["made-functions", "made-symbols", "made-stacks-le8", "fgraph-vfs"]),
    ("--kallsyms extra-symbols -f", ["made-symbols"]),
    ("--kallsyms nosuch-file", []),
    # inputs
    ("-i FILE", []),
    ("-i FILE -i tour.dat", ["made-missed"]),
    ("-i tour.dat -i FILE", []),
    ("-i FILE -i FILE", []),
    ("-i FILE -i tour.dat -i made-clock-boot-v7.dat", []),
    ("-t -i FILE -i made-v7-be-4-8192-zstd.dat", []),
    ("-R -i FILE -i made-formats.dat", []),
    ("-l -i FILE -i made-instances-v6.dat", []),
    ("-N -i FILE -i tour.dat", []),
    ("--ts-diff -i FILE -i tour.dat", []),
    ("--align-ts -i FILE -i tour.dat", []),
    ("--raw-ts -i FILE -i clock-tsc.dat", []),
    ("--boundary -i FILE -i tour.dat", []),
    ("--debug -i FILE -i made-instances-v6.dat", []),
    ("--cpu 0 -i FILE -i tour.dat", []),
    ("-I -i FILE -i tour.dat", []),
    ("-i FILE -i tour.dat --ts-offset 100000000", []),
    ("-i made-clock-boot-v6.dat -i FILE --ts2secs 1000000 --ts-offset 77", TIMES),
    ("-i FILE --ts2secs 1000000 -i made-clock-counter-v6.dat", ["made-clock-x86-tsc-v7"]),
    ("--ts2secs 1000000 -i FILE -i made-clock-counter-v6.dat", ["made-clock-x86-tsc-v7"]),
    ("-i FILE --ts-offset 5000 -i tour.dat", []),
    ("-i FILE -i tour.dat -F sched_switch", []),
    ("-F '.*:common_pid == 0' -i FILE -i tour.dat", []),
    ("--pid 0 -i FILE -i tour.dat", []),
    ("-T -F '.*:common_pid == 0' -i FILE -i tour.dat", []),
    ("--uname -i FILE -i tour.dat", []),
    ("--stat -i FILE -i tour.dat", []),
    ("--cpus --first-event -i FILE -i tour.dat", []),
    ("-E -i FILE -i tour.dat", []),
    ("-w -i FILE -i tour.dat", []),
    ("-i made-host.dat -i FILE", ["made-guest-*"]),
    ("-i FILE -i made-host.dat -t", ["made-guest-*"]),
    ("-i made-host.dat -i FILE --raw-ts", ["made-guest-*"]),
    ("-i FILE -i nosuch-file.dat", []),
    ("-i FILE tour.dat", []),
    ("FILE tour.dat", []),
    ("--nosuch-option", []),
]

# Options that filter; with instances trace-cmd dies in the end.
FILTERS = [line for line in (HERE / "filters").read_text().splitlines()
           if line and not line.startswith("#")]
FILTERED = ["tour", "made-tasks", "function-filtered"]


@dataclass
class Case:
    options: str
    trace: str
    words: list
    place: str = "."        # where it runs
    name: str = field(init=False)

    def __post_init__(self):
        where = "" if self.place == "." else f"@{self.place}"
        self.name = f"{self.options or 'plain'}/{self.trace}{where}".replace(": ", ":")


def make(options, trace):
    file = f"{trace}.dat"
    words = [file if word == "FILE" else word for word in shlex.split(options)]
    return Case(options, trace, words if "FILE" in shlex.split(options) else words + [file])


def matching(patterns, traces):
    """Traces by name, in the order of the patterns, each once."""
    found = []
    for pattern in patterns:
        found += [t for t in traces if pathlib.PurePath(t).match(pattern) and t not in found]
    return found


def some_larger(options, n):
    number = zlib.crc32(options.encode())
    return [LARGER[(number >> 8 * i) % len(LARGER)] for i in range(n)]


def cases(traces, everything=False):
    """The cases for the given names of traces; everything: with all the larger ones."""
    yield from (make("", trace) for trace in traces)
    for options, more in OPTIONS:
        chosen = [*CORE, *more, *(LARGER if everything else some_larger(options, 2))]
        yield from (make(options, t) for t in matching(chosen, traces))
    for options in FILTERS:
        chosen = [*FILTERED, *(LARGER if everything else some_larger(options, 1))]
        yield from (make(options, t) for t in matching(chosen, traces))
    for options in ("", "-t", "--uname", "-F sched_switch", "-i trace.dat"):
        yield Case(options, "trace", shlex.split(options), "here")
