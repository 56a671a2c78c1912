"""Small traces whose lanes can be told beforehand: each function writes one and checks it.

A check gets a Bench: `new()` is a trace with the events of the scheduler, `lanes()` what a lane of it holds. Times
are in nanoseconds since the first event, which is always at 0.
"""
import json
import struct
import subprocess
import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracedat
from usertrace import UserTrace

SECOND = 1_000_000_000
(UNKNOWN, RUNNING, RUNNABLE, PREEMPTED, SLEEPING, BLOCKED, STOPPED, IDLE, DEAD) = range(9)
EXACT, MISSED, FOUND, OPEN_START, OPEN_END, WAKER, TAKEN, NOT_KNOWN = (1 << i for i in range(8))
NOBODY = NOT_KNOWN | OPEN_START | OPEN_END       # of a CPU: who runs is not known
LOST = NOBODY | MISSED                           # … because events were lost
NO_TASK = 65535
FLAGS = '"%s", __print_flags(REC->prev_state, "|", '
NEW_BITS = '{ 0x1, "S" }, { 0x2, "D" }, { 0x4, "T" }, { 0x8, "t" }, { 0x10, "X" }, { 0x20, "Z" }, ' \
           '{ 0x40, "P" }, { 0x80, "I" })'
OLD_BITS = '{ 1, "S" }, { 2, "D" }, { 4, "T" }, { 8, "t" }, { 16, "Z" }, { 32, "X" }, { 64, "x" }, { 128, "W" })'


class Bench:
    def __init__(self, lanesof, place):
        self.program, self.place = lanesof, pathlib.Path(place)
        self.paths = []

    def new(self, bits=NEW_BITS, name="made"):
        t = tracedat.Trace(version=6)
        t.name = name
        t.switch = t.event("sched", "sched_switch", [
            "char prev_comm[16]", "pid_t prev_pid", "int prev_prio", "long prev_state",
            "char next_comm[16]", "pid_t next_pid", "int next_prio"], FLAGS + bits)
        t.waking = t.event("sched", "sched_waking", ["char comm[16]", "pid_t pid", "int prio", "int target_cpu"],
                           '"%s:%d", REC->comm, REC->pid')
        t.newborn = t.event("sched", "sched_wakeup_new",
                            ["char comm[16]", "pid_t pid", "int prio", "int target_cpu"],
                            '"%s:%d", REC->comm, REC->pid')
        t.mark = t.event("demo", "mark", ["int n"], '"%d", REC->n')
        return t

    def write(self, *traces):
        self.paths = []
        for t in traces:
            # "+name": of the same machine as the one before
            name = t.name.lstrip("+")
            t.write(self.place / f"{name}.dat")
            self.paths.append(("+" if t.name != name else "") + str(self.place / f"{name}.dat"))

    def lanesof(self, *argv):
        done = subprocess.run([self.program, ",".join(self.paths), *map(str, argv)], capture_output=True, text=True)
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    def spans(self, spec, *keys):
        keys = keys or ("start", "end", "label", "row")
        return [tuple(s[k] for k in keys) for s in self.lanesof("lane", spec)[0]]

    def states(self, pid):
        return next(r["spans"] for r in self.lanesof("states")[0] if r["pid"] == pid)


def switch(t, cpu, ts, prev, state, after):
    t.top.cpu(cpu).add(SECOND + ts, t.switch(pid=prev, prev_comm=f"t{prev}", prev_pid=prev, prev_state=state,
                                            next_comm=f"t{after}", next_pid=after))


def wake(t, cpu, ts, waker, pid, flags=0):
    t.top.cpu(cpu).add(SECOND + ts, record_of(t.waking, waker, flags, comm=f"t{pid}", pid=pid))


def record_of(event, by, flags=0, **values):
    """An event that has a field `pid` of its own, besides who caused it."""
    data = bytearray(event(pid=by, flags=flags, **{k: v for k, v in values.items() if k != "pid"}))
    if "pid" in values:
        field = next(f for f in event.fields if f.name == "pid")
        struct.pack_into("<i", data, field.offset, values["pid"])
    return bytes(data)


def mark(t, cpu, ts, pid):
    t.top.cpu(cpu).add(SECOND + ts, t.mark(pid=pid, n=cpu))


def begin(t, cpus=1, pids=()):
    """The first event of each CPU, by who runs there: pids, else the idle task."""
    for cpu in range(cpus):
        mark(t, cpu, 0, pids[cpu] if cpu < len(pids) else 0)


def end(t, ts, cpus=1, pids=()):
    for cpu in range(cpus):
        mark(t, cpu, ts, pids[cpu] if cpu < len(pids) else 0)


def check_states(b):
    """The rules of states.h, one task each."""
    t = b.new()
    begin(t, 2, (10, 20))
    switch(t, 0, 1000, 10, 1, 0)            # 10: ran since the beginning, sleeps
    wake(t, 1, 1500, 20, 10)                # … is woken
    switch(t, 0, 1700, 0, 0, 10)            # … runs
    wake(t, 1, 1900, 20, 10)                # woken on its way out
    switch(t, 0, 2000, 10, 2, 0)            # … so it is runnable though the switch says D
    switch(t, 0, 2200, 0, 0, 10)
    wake(t, 1, 2300, 20, 10)                # woken before it got to sleep; it goes on
    switch(t, 0, 2500, 10, 1, 0)            # … and sleeps really, later
    wake(t, 1, 2700, 20, 10, flags=0x08)    # … until an interrupt wakes it
    switch(t, 0, 2800, 0, 0, 10)
    switch(t, 0, 3000, 10, 0x100, 11)       # preempted by 11
    switch(t, 0, 3100, 11, 0x80, 10)        # 11 idles
    switch(t, 1, 3150, 20, 0x20, 0)         # 20 is dead
    switch(t, 0, 3200, 10, 4, 0)            # stopped
    t.top.cpu(1).add(SECOND + 3300, record_of(t.newborn, 0, comm="t12", pid=12))
    switch(t, 1, 3400, 0, 0, 12)
    end(t, 4000, 2, (0, 12))
    b.write(t)
    wanted = {
        10: [[0, 1000, RUNNING, 0, -1, 1], [1000, 1500, SLEEPING, 0, -1, 0], [1500, 1700, RUNNABLE, 0, 20, 0],
             [1700, 2000, RUNNING, 0, -1, 0], [2000, 2200, RUNNABLE, 0, 20, 0], [2200, 2500, RUNNING, 0, -1, 0],
             [2500, 2700, SLEEPING, 0, -1, 0], [2700, 2800, RUNNABLE, 0, 20, 4], [2800, 3000, RUNNING, 0, -1, 0],
             [3000, 3100, PREEMPTED, 0, -1, 0], [3100, 3200, RUNNING, 0, -1, 0], [3200, 4000, STOPPED, 0, -1, 2]],
        11: [[3000, 3100, RUNNING, 0, -1, 0], [3100, 4000, IDLE, 0, -1, 2]],
        20: [[0, 3150, RUNNING, 1, -1, 1], [3150, 4000, DEAD, 1, -1, 2]],
        12: [[3300, 3400, RUNNABLE, -1, 0, 0], [3400, 4000, RUNNING, 1, -1, 2]],
    }
    for pid, spans in wanted.items():
        got = b.states(pid)
        if got != spans:
            yield f"pid {pid}: {got} for {spans}"


def check_old_bits(b):
    """16 was Z and 32 X, then the other way round; 64 was x: names count, not numbers."""
    t = b.new(bits=OLD_BITS)
    begin(t)
    switch(t, 0, 1000, 10, 16, 11)
    switch(t, 0, 2000, 11, 128, 12)
    switch(t, 0, 3000, 12, 1 | 128, 0)
    end(t, 4000)
    b.write(t)
    for pid, state in ((10, DEAD), (11, PREEMPTED), (12, SLEEPING)):
        if b.states(pid)[-1][2] != state:
            yield f"pid {pid} became {b.states(pid)[-1]}, not {state}"


def check_idle_is_not_busy(b):
    """3 % of the time is 3 % of the area, however far away. covers: Q02"""
    t = b.new()
    begin(t)
    n, period = 2000, 1_000_000
    for i in range(n):
        switch(t, 0, i * period + 1000, 0, 0, 10)
        switch(t, 0, i * period + 31000, 10, 1, 0)
    end(t, n * period)
    b.write(t)
    busy = n * 30000
    for level in (10, 14, 17, 20, 23, 26, 31, 36):
        n_tiles = (n * period >> (level + 10)) + 1
        area = sum((x1 - x0) * weight / 65535 * 2 ** level
                   for x0, x1, _, weight, _, _ in b.lanesof("tiles", "cpu:0:0", level, n_tiles)[0])
        if abs(area - busy) > busy * 0.001 + 2 ** level / 65535:
            yield f"level {level}: {area:.0f} of {busy} ns"
        # a task's lane has the shares of its states
        running = sum((x1 - x0) * weight / 65535 * 2 ** level
                      for x0, x1, value, weight, _, _ in b.lanesof("tiles", "task:0:10", level, n_tiles)[0]
                      if value == RUNNING)
        if abs(running - busy) > busy * 0.002 + 2 ** level / 8192:
            yield f"level {level}: running {running:.0f} of {busy} ns"


def check_missed(b):
    """Lost events are marked, and where the rest does not fit together nothing is made up."""
    t = b.new()
    begin(t)
    switch(t, 0, 1000, 0, 0, 10)
    page = t.top.cpu(0).page(SECOND + 5000, missed=7)
    page.event(0, t.switch(pid=11, prev_comm="t11", prev_pid=11, prev_state=1, next_comm="t0", next_pid=0))
    end(t, 8000)
    b.write(t)
    flags = [r[5] for r in b.lanesof("tiles", "all:0:0", 6, 1)[0]]
    if sum(bool(f & MISSED) for f in flags) != 1:
        yield f"marks of lost events: {flags}"
    if not b.spans("cpu:0:0", "start", "end", "value", "flags") == [(1000, 5000, NO_TASK, LOST)]:
        yield f"the CPU: {b.spans('cpu:0:0', 'start', 'end', 'value', 'flags')}"
    if b.states(10) != [[1000, 8000, UNKNOWN, 0, -1, 2]]:
        yield f"who was on the CPU: {b.states(10)}"
    t = b.new()                             # the same task on both sides: what was in between is not known
    begin(t, 1, (10,))
    mark(t, 0, 1000, 10)
    page = t.top.cpu(0).page(SECOND + 5000, missed=7)
    page.event(0, t.mark(pid=10, n=1))
    switch(t, 0, 6000, 10, 1, 0)
    end(t, 8000)
    b.write(t)
    if b.states(10) != [[0, 1000, RUNNING, 0, -1, 3], [1000, 5000, UNKNOWN, 0, -1, 0], [5000, 6000, RUNNING, 0, -1, 1],
                        [6000, 8000, SLEEPING, 0, -1, 2]]:
        yield f"on both sides: {b.states(10)}"


def check_unseen(b):
    """Switches that are missing, with nothing that says so: every event tells who is there. covers: Q09"""
    t = b.new()
    begin(t, 2)
    switch(t, 0, 1000, 0, 0, 10)            # 10 comes, and nobody sees it go
    mark(t, 0, 1500, 10)
    wake(t, 1, 2500, 0, 11)                 # 11 is woken, and nobody sees it come
    switch(t, 0, 3000, 11, 1, 12)           # … but go
    mark(t, 0, 3100, 11)                    # still on its way out
    mark(t, 0, 3500, 12)
    mark(t, 0, 3600, 13)                    # 13 is there instead of 12
    mark(t, 0, 3900, 13)
    switch(t, 0, 4000, 13, 2, 0)
    mark(t, 0, 6000, 0)
    b.write(t)
    wanted = {
        10: [[1000, 1500, RUNNING, 0, -1, 2], [1500, 6000, UNKNOWN, 0, -1, 2]],
        11: [[2500, 3000, UNKNOWN, -1, -1, 0], [3000, 6000, SLEEPING, 0, -1, 2]],
        12: [[3000, 3500, RUNNING, 0, -1, 2], [3500, 6000, UNKNOWN, 0, -1, 2]],
        13: [[3600, 4000, RUNNING, 0, -1, 1], [4000, 6000, BLOCKED, 0, -1, 2]],
    }
    for pid, spans in wanted.items():
        if b.states(pid) != spans:
            yield f"pid {pid}: {b.states(pid)} for {spans}"
    got = b.spans("cpu:0:0", "start", "end", "flags")
    if got != [(1000, 1500, OPEN_END), (1500, 3000, NOBODY), (3000, 3500, OPEN_END), (3500, 3600, NOBODY),
               (3600, 4000, OPEN_START)]:
        yield f"CPU 0: {got}"


def check_moved(b):
    """Who runs on a CPU when its data ends, and is met elsewhere later, has gone."""
    t = b.new()
    begin(t, 2)
    switch(t, 0, 1000, 0, 0, 10)
    mark(t, 0, 1200, 10)
    mark(t, 1, 3000, 10)
    switch(t, 1, 4000, 10, 1, 0)
    mark(t, 1, 5000, 0)
    b.write(t)
    if b.states(10) != [[1000, 1200, RUNNING, 0, -1, 2], [1200, 3000, UNKNOWN, 0, -1, 0], [3000, 4000, RUNNING, 1, -1, 1],
                        [4000, 5000, SLEEPING, 1, -1, 2]]:
        yield f"10: {b.states(10)}"
    if b.spans("cpu:0:0", "start", "end", "flags") != [(1000, 1200, OPEN_END), (1200, 5000, NOBODY)]:
        yield f"CPU 0: {b.spans('cpu:0:0', 'start', 'end', 'flags')}"


def check_files(b):
    """A file behind another tells anew what runs; in between nobody knows. covers: V03"""
    one, two = b.new(name="one"), b.new(name="+two")
    begin(one, 2, (10,))
    switch(one, 0, 1000, 10, 1, 11)
    end(one, 2000, 2, (11,))
    for cpu, ts, pid in ((0, 7000, 11), (1, 7500, 12)):
        mark(two, cpu, ts, pid)
    switch(two, 1, 8000, 12, 1, 10)
    end(two, 9000, 2, (11, 10))
    b.write(one, two)
    wanted = {
        10: [[0, 1000, RUNNING, 0, -1, 1], [1000, 2000, SLEEPING, 0, -1, 2], [2000, 8000, UNKNOWN, 0, -1, 0],
             [8000, 9000, RUNNING, 1, -1, 2]],
        11: [[1000, 2000, RUNNING, 0, -1, 2], [2000, 7000, UNKNOWN, 0, -1, 0], [7000, 9000, RUNNING, 0, -1, 3]],
        12: [[7500, 8000, RUNNING, 1, -1, 1], [8000, 9000, SLEEPING, 1, -1, 2]],
    }
    for pid, spans in wanted.items():
        if b.states(pid) != spans:
            yield f"pid {pid}: {b.states(pid)} for {spans}"
    got = b.spans("cpu:0:1", "start", "end", "flags")
    if got != [(2000, 7500, NOBODY), (7500, 8000, OPEN_START), (8000, 9000, OPEN_END)]:
        yield f"CPU 1: {got}"
    answer = b.lanesof("tasks", -1, 0, 9000)[0][1]
    if [[c["busy"], c["idle"], c["unknown"]] for c in answer["cpus"]] != [[4000, 0, 5000], [1500, 2000, 5500]]:
        yield f"in numbers: {answer['cpus']}"


def check_system_calls(b):
    """A call that nobody saw begin began after its task did; one without an end ended with its task or its file, or
    when the task made the next one, which is in the same row."""
    one, two = b.new(name="one"), b.new(name="+two")
    calls = [[t.event("raw_syscalls", f"sys_{w}", ["long id", "long ret"], '"NR %ld", REC->id') for w in ("enter", "exit")]
             for t in (one, two)]
    begin(one, 1, (10,))
    one.top.cpu(0).add(SECOND + 1000, record_of(one.newborn, 10, comm="t11", pid=11))
    switch(one, 0, 1500, 10, 0, 11)
    one.top.cpu(0).add(SECOND + 1600, calls[0][1](pid=11, id=56, ret=0))
    one.top.cpu(0).add(SECOND + 2000, calls[0][0](pid=11, id=231))
    switch(one, 0, 2500, 11, 0x20, 10)      # 11 is dead
    one.top.cpu(0).add(SECOND + 2600, calls[0][0](pid=10, id=0))
    end(one, 3000, 1, (10,))
    mark(two, 0, 7000, 10)
    two.top.cpu(0).add(SECOND + 8000, calls[1][1](pid=10, id=0, ret=1))
    two.top.cpu(0).add(SECOND + 8100, calls[1][0](pid=10, id=0))
    two.top.cpu(0).add(SECOND + 8300, calls[1][0](pid=10, id=1))
    two.top.cpu(0).add(SECOND + 8400, calls[1][1](pid=10, id=1, ret=1))
    end(two, 9000, 1, (10,))
    b.write(one, two)
    for pid, wanted in ((11, [(0, 1000, 1600, OPEN_START), (0, 2000, 2500, OPEN_END)]),
                        (10, [(0, 2600, 3000, OPEN_END), (0, 7000, 8000, OPEN_START), (0, 8100, 8300, OPEN_END),
                              (0, 8300, 8400, 0)])):
        got = b.spans(f"sys:0:{pid}", "row", "start", "end", "flags")
        if got != wanted:
            yield f"calls of {pid}: {got}"


def check_interrupts(b):
    """Handlers nest; names come from the record, the print format, or the event. covers: K06"""
    t = b.new()
    entry = t.event("irq", "irq_handler_entry", ["int irq", "__data_loc char[] name"], '"%d", REC->irq')
    leave = t.event("irq", "irq_handler_exit", ["int irq", "int ret"], '"%d", REC->irq')
    soft = [t.event("irq", f"softirq_{w}", ["unsigned int vec"],
                    '"%s", __print_symbolic(REC->vec, { 1, "TIMER" }, { 9, "RCU" })') for w in ("entry", "exit")]
    local = [t.event("irq_vectors", f"local_timer_{w}", ["int vector"], '"%d", REC->vector') for w in ("entry", "exit")]
    begin(t)
    c = t.top.cpu(0)
    for ts, record in [(50, leave(irq=9)), (1000, entry(irq=4, name="ttyS0")), (1100, entry(irq=5, name="eth0")),
                       (1200, leave(irq=5)), (1500, leave(irq=4)), (2000, local[0](vector=236)),
                       (2017, local[1](vector=236)), (3000, entry(irq=4, name="ttyS0"))]:
        c.add(SECOND + ts, record)
    for ts, record in [(3100, soft[0](vec=1)), (3200, soft[1](vec=1)), (3200, soft[0](vec=9)), (3300, soft[1](vec=9))]:
        c.add(SECOND + ts, record)
    end(t, 4000)
    b.write(t)
    got = b.spans("irq:0:0", "start", "end", "label", "row", "flags")
    wanted = [(0, 50, "?", 0, OPEN_START), (1000, 1500, "ttyS0", 0, 0), (1100, 1200, "eth0", 1, 0),
              (2000, 2017, "local_timer", 0, 0), (3000, 4000, "ttyS0", 0, OPEN_END)]
    if got != wanted:
        yield f"irq: {got}"
    if b.spans("softirq:0:0") != [(3100, 3200, "TIMER", 0), (3200, 3300, "RCU", 0)]:
        yield f"softirq: {b.spans('softirq:0:0')}"


def check_user_calls(b):
    """Calls of a program, and those of the kernel on top of them, also on one that is a single event. covers: V04"""
    t = b.new()
    t.kallsyms = "0000000000001000 T sys_read\n0000000000002000 T end\n"
    enter, leave = t.ftrace("funcgraph_entry"), t.ftrace("funcgraph_exit")
    user = UserTrace(t, ["main", "work", "leaf"], clock="local")
    begin(t, 2)
    c = t.top.cpu(0)
    task = user.task(10, cpu=0, now=SECOND + 1000)
    task.enter("main").run(100).call("leaf", 500)       # 1100 … 1600
    c.add(SECOND + 1200, enter(pid=10, func=0x1000, depth=0))
    c.add(SECOND + 1300, leave(pid=10, func=0x1000, depth=0, calltime=1, rettime=101))
    c.add(SECOND + 1700, enter(pid=10, func=0x1000, depth=0))
    c.add(SECOND + 1800, leave(pid=10, func=0x1000, depth=0, calltime=1, rettime=101))
    task.now, task.cpu = SECOND + 2000, 1
    task.enter("work").run(500).leave().run(500).leave()
    task.open, task.now = ["work"], SECOND + 3500
    task.leave()                                        # its beginning was not recorded
    user.finish()
    end(t, 4000, 2)
    b.write(t)
    got = b.spans("calls:0:10", "start", "end", "label", "row", "flags")
    wanted = [(1000, 3000, "main", 0, 0), (1100, 1600, "leaf", 1, 0), (1200, 1300, "sys_read", 2, 0),
              (1700, 1800, "sys_read", 1, 0), (2000, 2500, "work", 1, 0), (3000, 3500, "work", 0, OPEN_START)]
    if sorted(got) != wanted:
        yield f"functions: {got}"
    answer, _ = b.lanesof("functions", 10, 0, 3000)
    rows = {r["name"]: (r["calls"], r["total"], r["self"], r["max"]) for r in answer[1]["functions"]}
    if rows != {"main": (1, 2000, 900, 2000), "leaf": (1, 500, 400, 500), "sys_read": (2, 200, 200, 100),
                "work": (1, 500, 500, 500)}:
        yield f"in numbers: {rows}"


def check_calls(b):
    """Functions of the kernel and of anybody: a lane knows only what enters and leaves. covers: B11"""
    t = b.new()
    t.kallsyms = "0000000000001000 T outer\n0000000000002000 T inner\n0000000000003000 T end\n"
    enter, leave = t.ftrace("funcgraph_entry"), t.ftrace("funcgraph_exit")
    mine = [t.event("app", f"parse_{w}", ["int n"], '"%d", REC->n') for w in ("enter", "exit")]
    probe = [t.event("uprobes", n, ["unsigned long __probe_ip"], '"%lx", REC->__probe_ip')
             for n in ("work", "work__return", "alone")]
    begin(t, 2)
    c, d = t.top.cpu(0), t.top.cpu(1)
    c.add(SECOND + 100, leave(pid=10, func=0x2000, depth=1, calltime=1000, rettime=1060))
    c.add(SECOND + 200, leave(pid=10, func=0x1000, depth=0, calltime=700, rettime=1160))
    c.add(SECOND + 1000, enter(pid=10, func=0x1000, depth=0))
    c.add(SECOND + 1100, enter(pid=10, func=0x2000, depth=1))
    c.add(SECOND + 1300, leave(pid=10, func=0x2000, depth=1, calltime=1, rettime=201))
    d.add(SECOND + 2000, leave(pid=10, func=0x1000, depth=0, calltime=1, rettime=1001))
    c.add(SECOND + 3000, enter(pid=10, func=0x1000, depth=0))
    for ts, record in [(3000, mine[0](pid=11, n=1)), (3100, probe[2](pid=11)), (3200, probe[0](pid=11)),
                       (3300, probe[1](pid=11)), (3500, mine[1](pid=11, n=1))]:
        d.add(SECOND + ts, record)
    end(t, 4000, 2)
    b.write(t)
    got = b.spans("calls:0:10", "start", "end", "label", "row", "flags")
    wanted = [(0, 200, "outer", 0, OPEN_START), (40, 100, "inner", 1, 0), (1000, 2000, "outer", 0, 0),
              (1100, 1300, "inner", 1, 0), (3000, 4000, "outer", 0, OPEN_END)]
    if got != wanted:
        yield f"functions of the kernel: {got}"
    if b.spans("calls:0:11") != [(3000, 3500, "parse", 0), (3200, 3300, "work", 1)]:
        yield f"functions of others: {b.spans('calls:0:11')}"
    answer, _ = b.lanesof("functions", 10, 500, 2500)
    rows = {r["name"]: (r["calls"], r["total"], r["self"], r["max"]) for r in answer[1]["functions"]}
    if rows != {"outer": (1, 1000, 800, 1000), "inner": (1, 200, 200, 200)}:
        yield f"in numbers: {rows}"
    answer, _ = b.lanesof("functions", -1, 1200, 2500)
    rows = {r["name"]: (r["calls"], r["total"], r["self"]) for r in answer[1]["functions"]}
    if rows != {"outer": (1, 800, 700), "inner": (1, 100, 100)}:
        yield f"cut at the edge: {rows}"
    for first, last, wanted in [(1400, 1900, {"outer": (1, 500, 500)}), (2100, 2900, {}),
                                (3210, 3290, {"outer": (0, 0, 0), "parse": (1, 80, 0), "work": (1, 80, 80)})]:
        answer, _ = b.lanesof("functions", -1, first, last)
        rows = {r["name"]: (r["calls"], r["total"], r["self"]) for r in answer[1]["functions"]}
        if rows != wanted:
            yield f"longer than the range {first} to {last}: {rows}"
    if {r["name"]: r["cut"] for r in answer[1]["functions"]} != {"outer": 1, "parse": 0, "work": 0}:
        yield f"what never returned: {answer[1]['functions']}"


def check_pairs(b):
    """Any two events, matched by a number; what overlaps goes below. covers: B11"""
    t = b.new()
    a, z = (t.event("block", n, ["u64 sector"], '"%llu", REC->sector') for n in ("issue", "complete"))
    begin(t, 2)
    for cpu, ts, record in [(0, 1000, a(pid=10, sector=1 << 40)), (1, 1100, a(pid=11, sector=2)),
                            (0, 1300, z(sector=2)), (1, 1400, a(pid=12, sector=3)), (0, 1500, z(sector=1 << 40)),
                            (0, 1600, z(sector=77)), (1, 1700, a(sector=3)), (1, 1900, z(sector=3)),
                            (1, 2000, a(sector=5))]:
        t.top.cpu(cpu).add(SECOND + ts, record)
    end(t, 3000, 2)
    b.write(t)
    got = b.spans("pair:0:block/issue:block/complete:sector", "start", "end", "label", "row", "flags")
    wanted = [(1000, 1500, f"sector {1 << 40}", 0, 0), (1100, 1300, "sector 2", 1, 0),
              (1700, 1900, "sector 3", 1, 0), (2000, 3000, "sector 5", 0, OPEN_END)]
    if got != wanted:
        yield f"pairs: {got}"
    if len(b.lanesof("lane", "event:0:block/issue")[0]) != 5:
        yield "a tracepoint as a lane has not all its events"
    got = b.lanesof("at", "event:0:block/issue", 0, "next", 1000, 1400)[0]
    if [g["start"] for g in got] != [1100, 1700]:
        yield f"the next event: {got}"


def check_fields(b):
    """Any number over time, signed or not, and its steps. covers: B11"""
    t = b.new()
    count = t.event("demo", "count", ["int n", "u16 small"], '"%d", REC->n')
    begin(t, 2)
    values = [(1000, 5), (2000, -7), (2100, 3), (2200, 9), (8000, 1)]
    for i, (ts, n) in enumerate(values):
        t.top.cpu(i % 2).add(SECOND + ts, count(pid=10 + i % 2, n=n, small=65535 - i))
    end(t, 10000, 2)
    b.write(t)
    got = [(s["start"], s["number"]) for s in b.lanesof("lane", "field:0:demo/count:n")[0]]
    if got != values:
        yield f"samples: {got}"
    got = [(s["start"], s["number"]) for s in b.lanesof("lane", "field:0:demo/count:small:11")[0]]
    if got != [(2000, 65534), (2200, 65532)]:
        yield f"of one task: {got}"
    got = b.lanesof("tiles", "field:0:demo/count:n", 10, 1)[0]
    wanted = [[1000 / 1024, 2000 / 1024, 5, 5], [2000 / 1024, 2100 / 1024, -7, -7], [2100 / 1024, 3, 3, 9],
              [3, 8000 / 1024, 9, 9], [8000 / 1024, 10000 / 1024, 1, 1]]
    if [[round(x, 4) for x in r] for r in got] != [[round(x, 4) for x in r] for r in wanted]:
        yield f"a tile: {got}"


def check_vcpu(b):
    """A virtual CPU, by the thread of the host that runs it: in the guest, or out of it for a reason. covers: V03"""
    host, guest = b.new(name="host"), b.new(name="guest")
    host.option(tracedat.TRACEID, struct.pack("<Q", 5))
    host.option(tracedat.GUEST, b"guest\0" + struct.pack("<QIIIII", 99, 2, 0, 70, 1, 71))
    guest.option(tracedat.TRACEID, struct.pack("<Q", 99))
    enter = host.event("kvm", "kvm_entry", ["unsigned int vcpu_id"], '"%u", REC->vcpu_id')
    leave = host.event("kvm", "kvm_exit", ["unsigned int exit_reason", "u32 isa"], '"%u", REC->exit_reason')
    begin(host, 2)
    begin(guest)
    for cpu, ts, record in [(0, 1000, enter(pid=71, vcpu_id=1)), (0, 1400, leave(pid=71, exit_reason=12, isa=1)),
                            (1, 1500, enter(pid=71, vcpu_id=1)), (1, 1600, enter(pid=70, vcpu_id=0))]:
        host.top.cpu(cpu).add(SECOND + ts, record)
    end(host, 2000, 2)
    end(guest, 2000)
    b.write(host, guest)
    got = b.spans("vcpu:1:1", "start", "end", "label", "flags")
    if got != [(1000, 1400, "guest", 0), (1400, 1500, "HLT", 0), (1500, 2000, "guest", OPEN_END)]:
        yield f"by the guest's number: {got}"
    if b.spans("vcpu:0:71", "start", "end", "label", "flags") != got:
        yield "by the host's thread it is another"


def check_without_switches(b):
    """No sched events: a CPU shows whose events it has, and no more."""
    t = b.new()
    for ts, pid in ((0, 10), (100, 10), (300, 11), (500, 0), (600, 11), (900, 11)):
        t.top.cpu(0).add(SECOND + ts, t.mark(pid=pid, n=ts))
    b.write(t)
    got = b.spans("cpu:0:0", "start", "end", "flags")
    both = OPEN_START | OPEN_END
    if got != [(0, 100, both), (300, 300, both), (600, 900, both)]:
        yield f"the CPU: {got}"
    if b.spans("task:0:11", "start", "end", "value") != [(300, 300, RUNNING), (600, 900, RUNNING)]:
        yield f"the task: {b.spans('task:0:11')}"


def check_why(b):
    """Who is waited for: down to the one that did the work. covers: B07"""
    t = b.new()
    begin(t, 2, (10, 11))
    switch(t, 0, 1000, 10, 1, 0)            # 10 sleeps: 11 will wake it
    switch(t, 1, 1500, 11, 2, 12)           # 11 is blocked: 12 will wake it
    wake(t, 1, 3000, 12, 11)
    switch(t, 0, 3100, 0, 0, 11)
    wake(t, 0, 4000, 11, 10)
    switch(t, 0, 4500, 11, 1, 10)           # 10 waited for CPU 0, which 11 had
    end(t, 6000, 2, (10, 12))
    b.write(t)
    answer, _ = b.lanesof("why", 10, 0, 5000)
    pids, why = answer
    got = [(p["start"], p["end"], pids[p["task"]], p["state"], p["depth"]) for p in why["path"]]
    wanted = [(0, 1000, 10, RUNNING, 0), (1000, 1500, 11, RUNNING, 1), (1500, 3000, 12, RUNNING, 2),
              (3000, 3100, 11, RUNNABLE, 1), (3100, 4000, 11, RUNNING, 1), (4000, 4500, 10, RUNNABLE, 0),
              (4500, 5000, 10, RUNNING, 0)]
    if got != wanted:
        yield f"path: {got}"
    if not any(p["why"] == "waits for CPU 0, which runs t11-11" for p in why["path"]):
        yield f"words: {[p['why'] for p in why['path']]}"


def check_stacks(b):
    """Off the CPU, by the stack it left with; without stacks, by who woke it. covers: K07 B07"""
    t = b.new()
    t.kallsyms = "0000000000001000 T sys_read\n0000000000002000 T schedule\n0000000000003000 T end\n"
    stack = t.ftrace("kernel_stack")
    begin(t, 2, (10, 11))
    switch(t, 0, 1000, 10, 1, 0)
    t.top.cpu(0).add(SECOND + 1000, stack(pid=10, size=2, caller=[0x2000, 0x1000]))
    wake(t, 1, 2000, 11, 10)
    switch(t, 0, 2500, 0, 0, 10)
    end(t, 4000, 2, (10, 11))
    b.write(t)
    root = b.lanesof("offcpu", 10, 0, 4000)[0][1]["root"]
    if root != {"name": "all", "value": 1500, "children": [
            {"name": "sys_read", "value": 1500, "children": [{"name": "schedule", "value": 1500}]}]}:
        yield f"by stack: {root}"
    answer = b.lanesof("offcpu", 10, 1500, 2200)[0][1]
    if answer["root"]["value"] != 700:
        yield f"cut at the edges: {answer}"
    t = b.new()
    begin(t, 2, (10, 11))
    switch(t, 0, 1000, 10, 1, 0)
    wake(t, 1, 2000, 11, 10)
    switch(t, 0, 2500, 0, 0, 10)
    end(t, 4000, 2, (10, 11))
    b.write(t)
    answer = b.lanesof("offcpu", 10, 0, 4000)[0][1]
    if [(c["name"], c["value"], c["children"][0]["name"]) for c in answer["root"]["children"]] != [
            ("sleeping", 1000, "woken by <...>-11"), ("runnable", 500, "waits for a CPU")]:
        yield f"by waker: {answer}"
    if "-T" not in answer.get("why_empty", ""):
        yield "it does not say that there are no stacks"


def check_snapping(b):
    """What is at, near, before and after a time, and the events it hangs on. covers: K05"""
    t = b.new()
    begin(t)
    for ts, prev, after in ((1000, 0, 10), (1200, 10, 0), (5000, 0, 11), (5300, 11, 10), (6000, 10, 0)):
        switch(t, 0, ts, prev, 1, after)
    end(t, 8000)
    b.write(t)
    for step, at, wanted in (("at", 1100, 1000), ("at", 1200, None), ("nearest", 1500, 1000), ("nearest", 4000, 5000),
                             ("next", 1000, 5000), ("next", 5000, 5300), ("next", 5300, None),
                             ("previous", 5300, 5000), ("previous", 5000, 1000), ("previous", 1000, None)):
        got = b.lanesof("at", "cpu:0:0", 0, step, at)[0][0]
        if got.get("start") != wanted:
            yield f"{step} {at}: {got}"
        if got and got["refs"] != [True, True]:
            yield f"{step} {at}: the events are not found"


def check_wrong_names(b):
    """A lane that there is not is refused with a sentence."""
    t = b.new()
    begin(t)
    end(t, 1000)
    b.write(t)
    for spec in ("", "cpu", "cpu:0", "cpu:0:x", "cpu:0:1:2", "cpu:0:77", "cpu:9:0", "task:0:4711", "task:0:0",
                 "event:0:demo", "event:0:demo/nothing", "field:0:demo/mark:nothing", "field:0:demo/mark:n:cpu",
                 "pair:0:demo/mark:demo/mark", "pair:0:demo/mark:demo/mark:nothing", "found:7", "irq:0:0",
                 "calls:0:0", "sys:0:0", "what:0:0", "cpu:0:99999999999999999999", "a" * 3000, "::::::::::"):
        answer, complaint = b.lanesof("lane", spec)
        if answer or not complaint.startswith("lanesof: ") or not complaint.rstrip().endswith("."):
            yield f"{spec[:40]!r}: {answer} {complaint!r}"


CHECKS = {name[6:].replace("_", "-"): check for name, check in list(globals().items()) if name.startswith("check_")}
