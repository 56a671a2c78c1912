"""libsonde and its Python module: events and values a second of CPU time, in millions.

Each figure is the best of some rounds of a program of its own, so that other load hardly counts.
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUNDS = 3
PROGRAM = """
import sys, time
import sonde
trace = sonde.open(sys.argv[1])
begin, n = time.process_time(), 0
{work}
print(n / (time.process_time() - begin) / 1e6)
"""
EVENTS = """
for e in trace.events():
    n += 1
"""
VALUES = """
for e in trace.events("sched_switch"):
    n += e["next_pid"] >= 0
"""
COLUMNS = """
n = trace.columns("$ts", "$cpu", "$pid").n_rows
"""
FIELDS = """
n = trace.columns("$ts", "$cpu", "call_site", "bytes_req", events="kmalloc").n_rows
"""


def rate(sonde, work, trace):
    def measure(inputs):
        env = os.environ | {"PYTHONPATH": str(ROOT / "python"),
                            "SONDE_LIBRARY": str(pathlib.Path(sonde).parent / "libsonde.so.0")}
        best = 0.0
        for _ in range(ROUNDS):
            done = subprocess.run([sys.executable, "-c", PROGRAM.format(work=work), trace(inputs)], env=env, check=True,
                                  stdout=subprocess.PIPE, text=True)
            best = max(best, float(done.stdout))
        return best, None
    return measure


def figures(sonde, trace):
    rows = {"events": ("million events a second, in a loop in Python", EVENTS, 1),
            "values": ("million events of one kind a second, with a field, in Python", VALUES, 0.5),
            "columns": ("million events a second, as columns for Python", COLUMNS, 20),
            "fields": ("million events of one kind a second, as columns", FIELDS, 5)}
    return {f"library-{name}": (what, rate(sonde, work, trace), "", "at least", goal)
            for name, (what, work, goal) in rows.items()}
