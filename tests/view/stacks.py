"""Flame graphs of stacks: the kernel's, and the program's that called it.

covers: K07 B07
"""
import sys
import tempfile

from server import ROOT, Server, report, same

sys.path.insert(0, str(ROOT / "tests/lib"))
import tracedat     # noqa: E402  (found through the line above)

KERNEL = 0xffffffff81000000
LINES = "".join("\\t=> %ps\\n" for _ in range(8))
SWITCH = ["char prev_comm[16]", "int prev_pid", "int prev_prio", "long prev_state", "char next_comm[16]",
          "int next_pid", "int next_prio"]


class Maker:
    """A trace of one CPU; add() puts an event with its stacks behind it."""

    def __init__(self):
        self.trace = t = tracedat.Trace(7)
        t.kallsyms = "".join(f"{KERNEL + 0x100 * i:016x} T func_{i}\n" for i in range(9))
        t.cmdlines = {7: "worker", 8: "other"}
        self.tick = t.event("demo", "tick", ["int n"], '"%d", REC->n')
        self.switch = t.event("sched", "sched_switch", SWITCH, '"%d ==> %d", REC->prev_pid, REC->next_pid')
        self.kernel = t.ftrace("kernel_stack")
        self.user = tracedat.Event(t, "user_stack", 12, ["unsigned int tgid", "unsigned long caller[8]"],
                                   f'"{LINES}", ' + ", ".join(f"(void *)REC->caller[{i}]" for i in range(8)))
        t.ftrace_events.append(self.user)
        self.now = 1_000_000

    def add(self, event, kernel=(), user=(), pid=7, after=1000):
        self.now += after
        cpu = self.trace.top.cpu(0)
        cpu.add(self.now, event)
        if kernel:
            frames = [KERNEL + 0x100 * n + 5 for n in kernel] + [2 ** 64 - 1]
            cpu.add(self.now + 1, self.kernel(pid=pid, size=len(frames) - 1, caller=frames))
        if user:
            cpu.add(self.now + 2, self.user(pid=pid, tgid=pid, caller=list(user) + [0] * (8 - len(user))))

    def leave(self, prev, following, state, **stacks):
        self.add(self.switch(pid=prev, prev_pid=prev, prev_state=state, next_pid=following), pid=prev, **stacks)


def paths(node, above=()):
    """{(frames from the root): value of their own}"""
    at = (*above, node["name"])
    own = node["value"] - sum(c["value"] for c in node.get("children", []))
    found = {at[1:]: own} if own else {}
    for child in node.get("children", []):
        found |= paths(child, at)
    return found


def named_by_report(path):
    """Frames of the first user_stack, as report writes them."""
    info = next(e["info"] for e in report(path) if e["event"] == "user_stack")
    return [line.split("=> ")[1] for line in info.splitlines()]


def test_flame_of_user_stacks():
    """A program's frames are below the kernel's of the same event, with the names that report gives them."""
    m = Maker()
    for _ in range(3):
        m.add(m.tick(pid=7, n=1), kernel=(1, 2), user=(0x401234, 0x401300))
    m.add(m.tick(pid=7, n=2), user=(0x401300,))
    m.add(m.tick(pid=7, n=3), kernel=(1, 2))
    m.add(m.tick(pid=7, n=3))
    m.trace.top.cpu(0).add(m.now + 1, m.user(pid=7, tgid=7, caller=[0] * 8))       # no frames: no stack
    m.add(m.tick(pid=8, n=4), user=(0x401300,), pid=8)      # not of the stack before it
    m.add(m.tick(pid=7, n=5), kernel=(3,), user=tuple(range(0x1000, 0x1008)))
    with tempfile.NamedTemporaryFile(suffix=".dat") as file:
        m.trace.write(file.name)
        inner, outer = named_by_report(file.name)[:2]
        with Server(file.name) as view:
            flame = view.get("api/stats?what=flame")
            by_tick = view.get("api/stats?what=flame&by=demo/tick")
            same(view.get("api/info")["has"]["stacks"], True, "it has stacks")
            ticks = [r for r in view.rows() if r["event"] == "tick"]
            got = [view.get(f"api/event?ref={r['ref']}").get("stack") for r in ticks]
    eight = tuple(hex(a) for a in reversed(range(0x1000, 0x1008)))
    wanted = {("worker-7", outer, inner, "func_2", "func_1"): 3, ("worker-7", outer): 1, ("worker-7", "func_2", "func_1"): 1,
              ("other-8", outer): 1, ("worker-7", *eight, "func_3"): 1}
    both = ["func_1", "func_2", inner, outer]
    same(got, [both] * 3 + [[outer], ["func_1", "func_2"], [], [outer], ["func_3", *eight[::-1]]], "stacks in details")
    same(paths(flame["root"]), wanted, "stacks")
    same(paths(by_tick["root"]), wanted, "stacks of one event")
    same([c["n"] for c in flame["choices"] if c["by"] == "demo/tick"], [7], "how many events have stacks")


def test_off_cpu_of_user_stacks():
    """Time off the CPU has the program's frames as well."""
    m = Maker()
    m.leave(8, 7, 1, kernel=(4,), user=(0x500000,))
    m.leave(7, 8, 1, kernel=(1, 2), user=(0x401234,))
    m.leave(8, 7, 1, after=50_000)
    m.leave(7, 8, 1, user=(0x401234,))
    m.leave(8, 7, 1, after=70_000)
    with tempfile.NamedTemporaryFile(suffix=".dat") as file:
        m.trace.write(file.name)
        with Server(file.name) as view:
            got = paths(view.get("api/stats?what=offcpu")["root"])
    same(got.get(("worker-7", "0x401234", "func_2", "func_1")), 50_000, f"with both stacks, of {got}")
    same(got.get(("worker-7", "0x401234")), 70_000, f"with the program's alone, of {got}")
