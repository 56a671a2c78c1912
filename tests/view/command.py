"""The first choice of lanes: the tasks of the command that was recorded come first; without switches, those with events.

covers: V03 B02
"""
import struct
import sys
import tempfile

from answers import trace
from server import ROOT, Server, check, same

sys.path.insert(0, str(ROOT / "tests/lib"))
import tracedat     # noqa: E402  (found through the line above)

MS = 1_000_000
RECORDER, COMMAND, CHILD, GRANDCHILD, BUSY = 50, 60, 61, 62, 70
NAMES = {RECORDER: "sonde", COMMAND: "prog", CHILD: "thr-0", GRANDCHILD: "thr-1"} | {BUSY + i: f"busy{i}" for i in range(9)}
SWITCH = ["char prev_comm[16]", "int prev_pid", "int prev_prio", "long prev_state", "char next_comm[16]",
          "int next_pid", "int next_prio"]
WAKING = ["char comm[16]", "int pid", "int prio", "int target_cpu"]


class Recording:
    """One CPU, on which the recorder runs first."""

    def __init__(self):
        self.trace = t = tracedat.Trace(7)
        t.cmdlines = NAMES
        self.switch = t.event("sched", "sched_switch", SWITCH, '"%d ==> %d", REC->prev_pid, REC->next_pid')
        self.waking = t.event("sched", "sched_waking", WAKING, '"pid=%d", REC->pid')
        self.new = t.event("sched", "sched_wakeup_new", WAKING, '"pid=%d", REC->pid')
        self.now, self.runs = MS, RECORDER

    def to(self, pid, ms):
        """After so many milliseconds another task runs."""
        self.now += int(ms * MS)
        self.trace.top.cpu(0).add(self.now, self.switch(
            pid=self.runs, prev_comm=NAMES[self.runs], prev_pid=self.runs, prev_prio=120, prev_state=1,
            next_comm=NAMES[pid], next_pid=pid, next_prio=120))
        self.runs = pid

    def wake(self, event, pid):
        self.now += 1000
        data = bytearray(event(pid=self.runs, comm=NAMES[pid], prio=120))
        field = next(f for f in event.fields if f.name == "pid")        # in a call, pid is the task of the event
        struct.pack_into("<i", data, field.offset, pid)
        self.trace.top.cpu(0).add(self.now, bytes(data))


def first_tasks(recording):
    with tempfile.NamedTemporaryFile(suffix=".dat") as file:
        recording.trace.write(file.name)
        with Server(file.name) as view:
            lanes = view.get("api/info")["lanes"]
    return [int(spec.split(":")[2]) for spec in lanes if spec.startswith("task:")]


def test_command_comes_first():
    """What the recorder woke first, and all that was forked by it; then those that ran longest."""
    r = Recording()
    r.to(BUSY, .1)
    r.to(RECORDER, .1)
    r.wake(r.waking, BUSY)              # seen before: it was not begun by the recorder
    r.wake(r.waking, COMMAND)
    r.to(COMMAND, .1)
    r.wake(r.new, CHILD)
    r.to(CHILD, .1)
    r.wake(r.new, GRANDCHILD)
    r.to(GRANDCHILD, .1)
    for i in range(1, 9):
        r.wake(r.new, BUSY + i)         # forked by the grandchild
        r.to(BUSY + i, .01)
        r.to(GRANDCHILD, 5 + i)
    tasks = first_tasks(r)
    same(len(tasks), 8, "tasks at first")
    check(BUSY not in tasks and RECORDER not in tasks, f"the recorder, or another, is among them: {tasks}")


def test_command_among_busy_tasks():
    """The command hardly runs, others do all the time."""
    r = Recording()
    r.wake(r.waking, COMMAND)
    r.to(COMMAND, .1)
    r.wake(r.new, CHILD)
    r.to(CHILD, .1)
    for i in range(9):
        r.to(BUSY + i, .1)
        r.wake(r.waking, BUSY + (i + 1) % 9)
        r.to(RECORDER, 5 + i)
    tasks = first_tasks(r)
    same(set(tasks[:2]), {COMMAND, CHILD}, "the first two tasks")
    same(tasks[2:], [BUSY + i for i in range(8, 2, -1)], "then the busiest")


def test_lanes_without_switches():
    """Tasks and CPUs of a trace of functions: runs of events, and an end where nobody tells that they go on."""
    with Server(trace("function-all")) as view:
        lanes = view.get("api/info")["lanes"]
        check({"cpu:0:0", "all:0:0", "task:0:250", "task:0:15"} <= set(lanes), f"lanes: {lanes}")
    with Server(trace("probes")) as view:
        rows, t = [r for r in view.rows() if r["pid"] == 219], 0
        wanted = []
        for r in rows:
            if not wanted or r["ts"] - wanted[-1][1] >= 10 * MS:
                wanted.append([r["ts"], r["ts"]])
            wanted[-1][1] = r["ts"]
        got, step = [], "nearest"
        while True:
            span = view.get(f"api/span?lane=task:0:219&t={t}&row=0&step={step}")
            if "none" in span:
                break
            got.append([span["start"], span["end"]])
            t, step = span["start"], "next"
        check(len(wanted) > 5, "too few events are far apart")
        same([g for g in got if g in wanted], got, "runs of events")
        same(len(got), len(wanted), "how many there are")
