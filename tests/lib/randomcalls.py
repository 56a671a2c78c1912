#!/usr/bin/env python3
"""Writes a trace of random calls: randomcalls.py OUT.dat user|kernel SEED [lossy] [packed]

Tasks call, return and change their CPU at random; some stay deep for long. lossy: some events are
missing, with a mark of the kernel (missed events) and without, so that returns have no call, calls
no return, and depths jump. It is for comparing one way through a trace with another.
"""
import random
import sys

from tracedat import Trace
from usertrace import UserTrace

N_EVENTS, N_TASKS, N_CPUS, N_FUNCS, DEEPEST = 9000, 4, 3, 12, 30
SECOND = 1_000_000_000


class Kernel:
    """The calls of the kernel, with the methods of UserTrace that are used here."""

    def __init__(self, trace, names):
        self.enter, self.exit = trace.ftrace("funcgraph_entry"), trace.ftrace("funcgraph_exit")
        self.addresses = {name: 0xffffffff81000000 + i * 256 for i, name in enumerate(names)}
        trace.kallsyms = "".join(f"{a:x} T {name}\n" for name, a in self.addresses.items())
        self.buffer = trace.top

    def entry(self, pid, name, depth, now):
        return self.enter(pid=pid, func=self.addresses[name], depth=depth)

    def leave(self, pid, name, depth, now, start):
        return self.exit(pid=pid, func=self.addresses[name], depth=depth, calltime=start,
                         rettime=now)


class User:
    def __init__(self, trace, names):
        self.calls = UserTrace(trace, names)
        self.buffer = self.calls.buffer

    def entry(self, pid, name, depth, now):
        return self.calls.entry(pid=pid, func=self.calls.func(name), depth=depth)

    def leave(self, pid, name, depth, now, start):
        return self.calls.exit(pid=pid, func=self.calls.func(name), depth=depth)

    def whole(self, pid, name, depth, ns):
        return self.calls.call(pid=pid, func=self.calls.func(name), depth=depth, duration=ns)


def step(rng, kind, task, now):
    """The next event of a task: its payload."""
    deep, pid = len(task["open"]), task["pid"]
    name = f"f{rng.randrange(N_FUNCS)}"
    if deep and (deep >= task["deepest"] or rng.random() < 0.45):
        name, start = task["open"].pop()
        return kind.leave(pid, name, deep - 1, now, start)
    if hasattr(kind, "whole") and rng.random() < 0.4:
        return kind.whole(pid, name, deep, rng.randrange(1, 90))
    task["open"].append((name, now))
    return kind.entry(pid, name, deep, now)


def main():
    out, which, seed, *words = sys.argv[1:]
    rng = random.Random(int(seed))
    trace = Trace(7, clock="mono_raw", compression="zlib" if "packed" in words else "none")
    trace.chunk_pages = 2
    kind = {"user": User, "kernel": Kernel}[which](trace, [f"f{i}" for i in range(N_FUNCS)])
    first = 0 if which == "kernel" else 100      # the idle task has a stack on each CPU
    tasks = [{"pid": first and first + i, "cpu": i % N_CPUS, "open": [], "deepest": DEEPEST}
             for i in range(N_CPUS if not first else N_TASKS)]
    tasks += [{"pid": 200, "cpu": 0, "open": [], "deepest": 3}]
    trace.cmdlines = {t["pid"]: f"task{t['pid']}" for t in tasks if t["pid"]}
    now, last, missed = SECOND, {}, {}
    for _ in range(N_EVENTS):
        task = rng.choice(tasks)
        if rng.random() < 0.02 and task["pid"]:
            task["cpu"] = rng.randrange(N_CPUS)
        now += rng.choice([0, 1, 7, 100, 3000])
        payload, cpu = step(rng, kind, task, now), task["cpu"]
        if "lossy" in words and rng.random() < 0.01:
            if rng.random() < 0.3:
                missed[cpu] = rng.choice([-1, 5])
            continue
        kind.buffer.cpu(cpu).add(now, payload, missed.pop(cpu, None))
        last[cpu] = now
    trace.write(out)


if __name__ == "__main__":
    main()
