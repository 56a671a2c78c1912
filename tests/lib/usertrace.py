"""Calls of functions of programs, as `sonde record -u` stores them, for made-up traces.

    from usertrace import UserTrace
    u = UserTrace(trace, names=["main", "work"], files={"work": "libwork.so"})
    t = u.task(pid=100, cpu=0, now=1_000_000)
    t.enter("main"); t.run(500); t.call("work", 2_000); t.cpu = 1; t.leave()

A buffer "user" has three events: user_entry, user_exit and, for a call that calls nothing traced,
user_call with its duration, at the time when it begins. `func` is (number + 1) << 4, and the file's
symbols name it. A Task keeps the open calls and the time; several may share a CPU as long as their
records come in the order of time, which write() arranges.
"""

FUNC = ["u32 func", "u32 depth"]
NAME = "(void *)(unsigned long)REC->func"
INDENT = 'REC->depth * 2, ""'


class Task:
    """One thread: where it runs, what it has open, what time it is."""

    def __init__(self, user, pid, cpu, now):
        self.user, self.pid, self.cpu, self.now = user, pid, cpu, now
        self.open = []

    def run(self, ns):
        """Time passes."""
        self.now += ns
        return self

    def emit(self, event, **values):
        self.user.add(self.cpu, self.now, event(pid=self.pid, **values))

    def enter(self, name):
        self.emit(self.user.entry, func=self.user.func(name), depth=len(self.open))
        self.open.append(name)
        return self

    def leave(self):
        name = self.open.pop()
        self.emit(self.user.exit, func=self.user.func(name), depth=len(self.open))
        return self

    def call(self, name, ns):
        """A call that calls nothing; ns passes."""
        self.emit(self.user.call, func=self.user.func(name), depth=len(self.open), duration=ns)
        return self.run(ns)


class UserTrace:
    """The buffer "user" of a trace."""

    def __init__(self, trace, names, files=None, clock="mono_raw"):
        self.numbers = {name: i for i, name in enumerate(names)}
        self.entry = trace.event("user", "user_entry", FUNC, f'"%*s%ps() {{", {INDENT}, {NAME}',
                                 ident=32701)
        self.exit = trace.event("user", "user_exit", FUNC, f'"%*s}} /* %ps */", {INDENT}, {NAME}',
                                ident=32702)
        self.call = trace.event(
            "user", "user_call", FUNC + ["u32 duration"],
            f'"%*s%ps(); /* %u.%03u us */", {INDENT}, {NAME}, REC->duration / 1000, '
            "REC->duration % 1000", ident=32703)
        files = files or {}
        trace.kallsyms = "".join(
            f"{self.func(name):016x} t {name}\t[{files.get(name, 'demo')}]\n"
            for name in names) + trace.kallsyms
        self.buffer = trace.instance("user", clock=clock)
        self.records = []       # (time, number, cpu, bytes)
        self.missed = {}        # {index of a record: count}: lost in front of it

    def func(self, name):
        return (self.numbers[name] + 1) << 4

    def task(self, pid, cpu=0, now=0):
        return Task(self, pid, cpu, now)

    def add(self, cpu, time, payload):
        self.records.append((time, len(self.records), cpu, payload))

    def lose(self, count):
        """Before the next record of any task, on its CPU, events were lost."""
        self.missed[len(self.records)] = count

    def finish(self):
        """Puts the records into the buffer, in the order of time."""
        for time, number, cpu, payload in sorted(self.records):
            self.buffer.cpu(cpu).add(time, payload, self.missed.get(number))
