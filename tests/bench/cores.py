"""All CPUs: how long sonde takes with several threads, and how often they wait for each other.

Many more threads than CPUs stand for a large machine: they must not be slower than two. For the parallel
scans the CPU time of each thread counts, so that other load on the machine hardly matters: the busier one of
two threads is what a scan would take on two free CPUs.
"""
import json
import os
import pathlib
import statistics
import subprocess
import time

MANY = 16
POLL_S = 0.001


def n_events(sonde, path):
    out = subprocess.run([sonde, "info", "--json", path], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(out)["events"]


def switches(argv):
    """How often the threads of a command gave up a CPU to wait."""
    with open(os.devnull, "wb") as null:
        program = subprocess.Popen([str(a) for a in argv], stdout=null,
                                   env=os.environ | {"SONDE_JOBS": str(MANY)})
        _, status, usage = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise RuntimeError(f"{' '.join(map(str, argv))}: ended with status {program.returncode}")
    return usage.ru_nvcsw


def thread_seconds(argv, n_threads):
    """CPU time of each thread of a command; what a thread does in its last millisecond may be missing."""
    seen = {}
    with open(os.devnull, "wb") as null:
        program = subprocess.Popen([str(a) for a in argv], stdout=null,
                                   env=os.environ | {"SONDE_JOBS": str(n_threads)})
        tasks = pathlib.Path(f"/proc/{program.pid}/task")
        while program.poll() is None:
            try:
                for task in tasks.iterdir():
                    seen[task.name] = int((task / "schedstat").read_text().split()[0]) / 1e9
            except OSError:
                pass        # the thread or the program has just ended
            time.sleep(POLL_S)
    if program.returncode:
        raise RuntimeError(f"{' '.join(map(str, argv))}: ended with status {program.returncode}")
    return list(seen.values())


class Cores:
    """medians, seconds: those of run. large, packed, calls, packed_calls: the traces, from inputs."""

    def __init__(self, sonde, runs, medians, seconds, traces):
        self.sonde, self.runs, self.medians, self.seconds = sonde, runs, medians, seconds
        self.large, self.packed, self.calls, self.packed_calls = traces

    def against(self, ours, theirs, words, trace):
        """The time with `ours` threads, beside that with `theirs`."""
        def measure(inputs):
            argv = [self.sonde, *words, trace(inputs)]
            return self.medians(self.runs, *(lambda n=n: self.seconds(argv, {"SONDE_JOBS": str(n)})
                                             for n in (ours, theirs)))
        return measure

    def waits(self, words, trace):
        """For each million events, with many threads."""
        def measure(inputs):
            argv = [self.sonde, *words, trace(inputs)]
            n = statistics.median(switches(argv) for _ in range(self.runs))
            return n / n_events(self.sonde, trace(inputs)) * 1e6, None
        return measure

    def busiest(self, words, trace):
        """CPU time of the busier one of two threads, beside that of one alone."""
        def measure(inputs):
            argv = [self.sonde, *words, trace(inputs)]
            return self.medians(self.runs, lambda: max(thread_seconds(argv, 2)),
                                lambda: sum(thread_seconds(argv, 1)))
        return measure

    def speed(self, words, trace):
        """Million events of the file for each second of CPU time of two threads together."""
        def measure(inputs):
            argv = [self.sonde, *words, trace(inputs)]
            taken, = self.medians(self.runs, lambda: sum(thread_seconds(argv, 2)))
            return n_events(self.sonde, trace(inputs)) / taken / 1e6, None
        return measure

    def scans(self, count, latency):
        rows = {}
        kinds = {"count": (count, self.large), "latency": (latency, self.large),
                 "count-zstd": (count, self.packed),
                 "functions": (("functions",), self.calls), "graph": (("graph",), self.calls),
                 "functions-zstd": (("functions",), self.packed_calls)}
        for name, (words, trace) in kinds.items():
            what = words[0] + (" of a packed trace" if "-zstd" in name else "")
            rows[f"scan-{name}"] = (f"{what}: CPU time of the busier of two threads, against one thread",
                                    self.busiest(words, trace), "s", "faster", 1.8)
            rows[f"scan-{name}-core"] = (f"{what}: million events a second and core, two threads",
                                         self.speed(words, trace), "M/s", "at least",
                                         10 if "-zstd" in name else 20)
        return rows

    def figures(self, latency):
        count = ("count", "-e", "sched_switch", "-i")
        kinds = {"": ("report", ("report",), self.large),
                 "-zstd": ("report of a packed trace", ("report",), self.packed),
                 "-json": ("report --json", ("report", "--json"), self.large)}
        rows = {"workers": ("report with two workers, against one",
                            self.against(2, 1, ("report",), self.large), "s", "faster", 1.8),
                "workers-count": ("count with two workers, against one",
                                  self.against(2, 1, count, self.large), "s", "faster", 1.8),
                "workers-latency": ("latency with two workers, against one",
                                    self.against(2, 1, latency, self.large), "s", "faster", 1.8)}
        for name, (what, words, trace) in kinds.items():
            rows[f"workers-many{name}"] = (f"{what} with {MANY} workers, against two",
                                           self.against(MANY, 2, words, trace), "s", "share", 1.1)
            rows[f"workers-waits{name}"] = (f"{what}: waits of {MANY} workers, for each million events",
                                            self.waits(words, trace), "", "at most", 100)
        return rows | self.scans(count, latency)
