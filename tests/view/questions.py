"""`sonde why` and `sonde states` on a terminal, against what the page is told of the same trace and range.

covers: B07
"""
import json
import subprocess
import tempfile

import guests
from answers import trace
from command import BUSY, CHILD, COMMAND, GRANDCHILD, MS, RECORDER, Recording
from server import SONDE, Server, check, same
from stacks import KERNEL, Maker

STATES = ["unknown", "running", "runnable", "preempted", "sleeping", "blocked", "stopped", "idle", "dead"]
TRACES = ["tour", "events-v6", "events-v7-zstd", "stacks", "lost-events", "instances-mono", "clock-tsc"]
COUNTS = ["switches", "wakeups", "migrations", "preemptions", "max_wait", "max_wait_more"]


def sonde(*argv):
    run = subprocess.run([SONDE, *map(str, argv)], capture_output=True, timeout=300)
    check(run.returncode in (0, 1) and run.stdout, f"{argv}: status {run.returncode}, {run.stderr[-500:]}")
    return json.loads(run.stdout)


class Page:
    """A page, and what is needed to ask the same on a terminal."""

    def __init__(self, view, paths):
        info = view.get("api/info")
        self.view, self.paths, self.origin, self.end = view, paths, int(info["origin"]), info["duration"]
        self.in_time = info.get("unit_ns", 1) == 1
        self.machines = [m["name"] for m in info["machines"]]
        self.tasks = {t[0]: t for t in view.get("api/tasks")["tasks"]}

    def name(self, number):
        if number < 0:
            return "others" if number == -2 else None
        _, machine, pid, _, comm, *_ = self.tasks[number]
        before = f"{self.machines[machine]}:" if len(self.machines) > 1 else ""
        return f"{before}{comm or '<...>'}-{pid}"

    def time(self, t):
        """As --from takes it, with all digits."""
        t += self.origin
        return f"{t // 10**9}.{t % 10**9:09}" if self.in_time else str(t)

    def range(self, low, high):
        return ["--from", self.time(low), "--to", self.time(high)]

    def ranges(self):
        return (0, self.end), (self.end // 3, self.end // 2), (self.end // 2, self.end // 2 + 1000)


def same_owners(page, got, wanted, what):
    same([(o["task"], o["ns"]) for o in got], [(page.name(o["task"]), o["ns"]) for o in wanted], what)


def compare_piece(page, got, wanted, what):
    same((got["start"] - page.origin, got["end"] - page.origin, got["task"], got["state"], got["cpu"], got["depth"],
          got["why"], got["waker"]),
         (wanted["start"], wanted["end"], page.name(wanted["task"]), STATES[wanted["state"]], wanted["cpu"],
          wanted["depth"], wanted["why"], page.name(wanted["waker"])), what)
    same((got.get("in"), got.get("function")), (wanted.get("in"), wanted.get("function")), f"{what}: functions")
    same(got.get("interrupt"), wanted.get("irq", {}).get("name"), f"{what}: interrupt")
    for key in ("had", "stolen_by"):
        same(key in got, key in wanted, f"{what}: {key}")
        same_owners(page, got.get(key, []), wanted.get(key, []), f"{what}: {key}")
    for key in ("stolen", "stolen_asleep", "stolen_unknown"):
        same(got.get(key), wanted.get(key), f"{what}: {key}")


def compare_why(page, low, high, n_tasks):
    """The paths of the tasks that ran longest. Returns the number of pieces."""
    n = 0
    for t in sorted((t for t in page.tasks.values() if t[2]), key=lambda t: -t[6])[:n_tasks]:
        wanted = page.view.get(f"api/why?task={t[0]}&from={low}&to={high}")
        got = sonde("why", "--json", "--task", page.name(t[0]), *page.range(low, high), *page.paths)
        what = f"{page.paths[0]}: {t[4]}-{t[2]} from {low}"
        same((got["task"], got["from"] - page.origin, got["to"] - page.origin),
             (page.name(t[0]), wanted["from"], wanted["to"]), what)
        same(len(got["path"]), len(wanted["path"]), f"{what}: pieces")
        for a, b in zip(got["path"], wanted["path"]):
            compare_piece(page, a, b, what)
        # equal sums stand in the order of the tasks' numbers, which differ
        same(sorted((s["task"], s["state"], s["ns"]) for s in got["sums"]),
             sorted((page.name(s["task"]), STATES[s["state"]], s["ns"]) for s in wanted["sums"]), f"{what}: sums")
        same(sorted((o["task"], o["ns"]) for o in got["had"]),
             sorted((page.name(o["task"]), o["ns"]) for o in wanted["had"]), f"{what}: had")
        n += len(got["path"])
    return n


def compare_states(page, low, high):
    wanted = page.view.get(f"api/stats?what=tasks&from={low}&to={high}")
    got = sonde("states", "--json", *page.range(low, high), *page.paths)
    what = f"{page.paths[0]}: states from {low}"
    rows = {t["task"]: t for t in got["tasks"]}
    same(len(rows), len(wanted["tasks"]), f"{what}: number of tasks")
    for t in wanted["tasks"]:
        row = rows[page.name(t["task"])]
        same([row[s] for s in STATES], t["states"], f"{what}: times of {row['task']}")
        same([row[c] for c in COUNTS], [t[c] for c in COUNTS], f"{what}: counts of {row['task']}")
        same(row["max_wait_at"], t["max_wait_at"] + page.origin if t["max_wait"] else 0, f"{what}: longest wait")
        same((row.get("stolen"), row.get("stolen_unknown")), (t.get("stolen"), t.get("stolen_unknown")), f"{what}: stolen")
    key = lambda c: tuple(c[k] for k in ("cpu", "busy", "idle", "unknown", "switches"))
    same(sorted(map(key, got["cpus"])), sorted(map(key, wanted["cpus"])), f"{what}: CPUs")
    same([t["running"] for t in got["tasks"]], sorted((t["running"] for t in got["tasks"]), reverse=True), f"{what}: order")
    for by in ("comm", "process"):
        groups = sonde("states", "--json", "--by", by, *page.range(low, high), *page.paths)["tasks"]
        same([sum(g[s] for g in groups) for s in STATES], [sum(t["states"][i] for t in wanted["tasks"]) for i in range(9)],
             f"{what}: sums by {by}")
        same(sum(g["tasks"] for g in groups), len(rows), f"{what}: tasks by {by}")


def compare(*paths, n_tasks=3):
    with Server(*paths) as view:
        page, n = Page(view, paths), 0
        for low, high in page.ranges():
            compare_states(page, low, high)
            n += compare_why(page, low, high, n_tasks)
        check(n, f"{paths[0]}: no path has a piece")


def test_questions_of_recorded_traces():
    """Versions, clocks, instances, lost events."""
    for name in TRACES:
        compare(trace(name))


def test_questions_of_a_cut_trace():
    with tempfile.NamedTemporaryFile(suffix=".dat") as file:
        file.write(trace("lost-events").read_bytes()[:1_000_000])
        file.flush()
        compare(file.name)


def test_questions_of_a_host_and_its_guest():
    """The golden pair, and the made one, of which time is stolen."""
    compare(trace("nested"), trace("nested-inner"))
    with tempfile.TemporaryDirectory() as place:
        compare(*guests.made(place))


def chain():
    """A command waits for its child, which waits for another, which waits for a fourth: each wakes the one before."""
    r = Recording()

    def run(ms, event, pid):
        """Who is there runs so long, wakes somebody and goes to sleep."""
        r.now += ms * MS
        r.wake(event, pid)
        r.to(pid, 0.001)

    run(1, r.waking, COMMAND)
    run(2, r.new, CHILD)
    run(3, r.new, GRANDCHILD)
    run(4, r.waking, BUSY)
    run(5, r.waking, GRANDCHILD)
    run(6, r.waking, CHILD)
    run(7, r.waking, COMMAND)
    r.to(RECORDER, 8)
    return r


def test_questions_of_a_made_chain():
    """Without --task it is the command; its path goes to those it waited for."""
    with tempfile.NamedTemporaryFile(suffix=".dat") as file:
        chain().trace.write(file.name)
        compare(file.name, n_tasks=5)
        got = sonde("why", "--json", file.name)
        same(got["task"], f"prog-{COMMAND}", "the command")
        ran = [(p["task"], p["ns"] // MS) for p in got["path"] if p["state"] == "running" and p["ns"] > MS]
        same(ran, [("prog-60", 2), ("thr-0-61", 3), ("thr-1-62", 4), ("busy0-70", 5), ("thr-1-62", 6), ("thr-0-61", 7),
                   ("prog-60", 8)], "who ran on the path")
        same(sum(p["ns"] for p in got["path"]), got["to"] - got["from"], "length of the path")


def test_command_answers_its_recorder():
    """The waking of the command was not recorded; exec() in it wakes the recorder."""
    r = Recording()
    r.execs = r.trace.event("sched", "sched_process_exec", ["int pid", "int old_pid"], '"pid=%d", REC->pid')
    r.to(BUSY, .1)
    r.wake(r.waking, RECORDER)      # whoever wakes a recorder is not yet its command
    r.to(COMMAND, .1)
    r.trace.top.cpu(0).add(r.now, r.execs(pid=COMMAND, old_pid=COMMAND))
    r.wake(r.waking, RECORDER)
    r.to(RECORDER, 3)
    r.wake(r.waking, BUSY + 1)      # of another recorder, later
    r.to(BUSY + 1, 3)
    with tempfile.NamedTemporaryFile(suffix=".dat") as file:
        r.trace.write(file.name)
        same(sonde("why", "--json", file.name)["task"], f"prog-{COMMAND}", "the command")
        got = subprocess.run([SONDE, "why", "--task", "nobody", file.name], capture_output=True, text=True)
        check(got.returncode == 1 and "no task 'nobody'" in got.stderr, f"a task that is not there: {got.stderr}")


def test_questions_without_wakings():
    """Who woke a task is not known, and what to record is said."""
    r = Recording()
    for pid, ms in ((COMMAND, 1), (CHILD, 2), (COMMAND, 3), (RECORDER, 4)):
        r.to(pid, ms)
    with tempfile.NamedTemporaryFile(suffix=".dat") as file:
        r.trace.write(file.name)
        compare(file.name)
        got = subprocess.run([SONDE, "why", "--task", "prog", file.name], capture_output=True, text=True)
        same(got.returncode, 0, "status")
        check("its waker is unknown" in got.stdout, f"a sleep without a waker: {got.stdout}")
        check("no sched_waking or sched_wakeup events" in got.stdout and "-e sched" in got.stdout, f"what to record: {got.stdout}")


def test_questions_of_a_long_path():
    """A path that has more steps than are followed says so."""
    r = Recording()
    for _ in range(9000):
        r.wake(r.waking, CHILD)
        r.to(CHILD, .001)
        r.wake(r.waking, COMMAND)
        r.to(COMMAND, .001)
    r.to(RECORDER, 1)
    with tempfile.NamedTemporaryFile(suffix=".dat") as file:
        r.trace.write(file.name)
        got = sonde("why", "--json", "--task", "prog", file.name)
        check(got["has_more"] and len(got["path"]) > 20000, f"{len(got['path'])} steps, more: {got['has_more']}")
        same(sum(p["ns"] for p in got["path"]), got["to"] - got["from"], "length of the path")
        text = subprocess.run([SONDE, "why", "--task", "prog", file.name], capture_output=True, text=True).stdout
        check("choose a shorter range" in text, f"no hint: {text[-500:]}")
        got = sonde("why", "--json", "--task", "prog", "--to", "+1ms", file.name)
        check(not got["has_more"], "more of a short range")


def test_questions_name_the_place_of_a_sleep():
    """The first frame that says what a task waits for; only of the switch's own stack."""
    m = Maker()
    names = ["func_0", "schedule", "io_schedule", "bit_wait_io", "__wait_on_bit", "sync_buffer", "fsync"]
    m.trace.kallsyms = "".join(f"{KERNEL + 0x100 * i:016x} T {name}\n" for i, name in enumerate(names))
    m.leave(8, 7, 1, kernel=(1, 6))
    m.leave(7, 8, 2, kernel=(1, 2, 3, 4, 5, 6))
    m.leave(8, 7, 1, after=50_000)                                      # no stack
    m.add(m.tick(pid=7, n=1), kernel=(6,))
    m.leave(7, 8, 1)                                                    # none either, though one is near
    m.leave(8, 7, 1, after=20_000, kernel=(1,))
    with tempfile.NamedTemporaryFile(suffix=".dat") as file:
        m.trace.write(file.name)
        got = [(p["state"], p.get("in")) for p in sonde("why", "--json", "--task", 7, file.name)["path"]]
        sleeps = [p for p in got if p[0] in ("sleeping", "blocked")]
        same(sleeps, [("blocked", "sync_buffer"), ("sleeping", None)], f"sleeps of {got}")
        text = subprocess.run([SONDE, "why", "-t", "worker", file.name], capture_output=True, text=True).stdout
        check("is blocked in sync_buffer" in text, text)
