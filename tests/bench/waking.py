"""What it costs two processes that wake each other to be recorded, by `sonde sched record` and by `perf sched record`.

The load is perf bench sched pipe on one CPU, and nothing else, with a real-time priority: other programs are not
recorded in between. Its CPU time counts, and of all rounds the shortest: caches and cores that are shared with others
only make it longer.
"""
import functools
import os
import re
import subprocess
import sys
import tempfile

LOAD = ["chrt", "-f", "50", "taskset", "-c", "1", "perf", "bench", "sched", "pipe", "-l", "50000"]
TIMED = """import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"CPU time: {used.ru_utime + used.ru_stime} s")"""
ROUNDS = 15


def seconds(*recorder):
    run = subprocess.run([*recorder, sys.executable, "-c", TIMED, *LOAD], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, check=True)
    return float(re.search(r"CPU time: ([\d.]+)", run.stdout)[1])


@functools.cache
def minima(sonde):
    """Alone, with sonde sched record, with perf sched record; in turns, and measured once for all figures."""
    if os.geteuid():
        sys.exit("the figures sched-record* need root")
    with tempfile.TemporaryDirectory() as directory:
        recorders = [[], [sonde, "sched", "record", "-q", "-o", f"{directory}/trace.dat"],
                     ["perf", "sched", "record", "-o", f"{directory}/perf.data"]]
        rounds = [[seconds(*recorder) for recorder in recorders] for _ in range(ROUNDS)]
    return [min(taken) for taken in zip(*rounds)]
