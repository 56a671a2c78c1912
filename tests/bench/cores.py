"""All CPUs: how long sonde takes with several threads, and how often they wait for each other.

Many more threads than CPUs stand for a large machine: they must not be slower than two.
"""
import json
import os
import statistics
import subprocess

MANY = 16


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


class Cores:
    """medians, seconds: those of run. large, packed: the traces, from inputs."""

    def __init__(self, sonde, runs, medians, seconds, large, packed):
        self.sonde, self.runs, self.medians, self.seconds = sonde, runs, medians, seconds
        self.large, self.packed = large, packed

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
        return rows
