"""A host and its guest, opened together: how much time of the guest's tasks the host did not run them.

The golden pair has one CPU each; the made one has two of both, a host that is shorter than its guest, and a virtual CPU
whose thread sleeps, waits and moves.

covers: B02 B07 K03
"""
import collections
import random
import struct
import sys
import tempfile

from answers import trace
from server import ROOT, Server, check, report, same

sys.path.insert(0, str(ROOT / "tests/lib"))
import tracedat     # noqa: E402  (found through the line above)

TRACEID, GUEST = 11, 13
SWITCH = ["char prev_comm[16]", "int prev_pid", "int prev_prio", "long prev_state", "char next_comm[16]",
          "int next_pid", "int next_prio"]
HOST_END, GUEST_END = 800_000, 1_000_000


def runs(events):
    """[(start, end, cpu, pid)] of who ran. Who is there unseen came after the last event: nobody knows when."""
    found, now, last, left = [], {}, {}, {}
    for e in events:
        cpu, ts, pid = e["cpu"], e["ts"], e["pid"]
        since, who = now.setdefault(cpu, (ts, pid))
        if pid not in (who, left.get(cpu)):
            found.append((since, last[cpu], cpu, who))
            since, who = now[cpu] = ts, pid
        last[cpu], left[cpu] = ts, None
        if e["event"] == "sched_switch":
            found.append((since, ts, cpu, who))
            now[cpu], left[cpu] = (ts, e["fields"]["next_pid"]), pid
    end = max(last.values())
    return found + [(since, end, cpu, pid) for cpu, (since, pid) in now.items()]


def named_at(events, pid):
    """When a thread is first told of."""
    of = lambda e: [e["pid"], *(v for k, v in e.get("fields", {}).items() if k in ("pid", "prev_pid", "next_pid"))]
    return min(e["ts"] for e in events if pid in of(e))


def common(spans, start, end):
    return sum(max(0, min(b, end) - max(a, start)) for a, b in spans)


def stolen(host, guest, threads, start, end):
    """By pid, and by CPU: [running, stolen, unknown], in [start, end]. threads: of each virtual CPU."""
    on, ran, host_end = {}, runs(host), max(e["ts"] for e in host)
    for cpu, pid in threads.items():
        on[cpu] = named_at(host, pid), [(a, b) for a, b, _, who in ran if who == pid]
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for a, b, cpu, pid in runs(guest):
        a, b = max(a, start), min(b, end)
        if b <= a or not pid:
            continue
        since, times = on[cpu]
        known = common([(since, host_end)], a, b)
        for key in (pid, ("CPU", cpu)):
            for i, ns in enumerate((b - a, known - common(times, a, b), b - a - known)):
                sums[key][i] += ns
    return sums


def compare(view, host, guest, threads, ranges):
    begin = int(view.get("api/info")["origin"])
    tasks = {t[0]: t for t in view.get("api/tasks")["tasks"]}
    n_stolen = n_unknown = 0
    for start, end in ranges:
        wanted = stolen(host, guest, threads, begin + start, begin + end)
        got = view.get(f"api/stats?what=tasks&from={start}&to={end}")
        for t in got["tasks"]:
            _, machine, pid, *_ = tasks[t["task"]]
            if not machine:
                check("stolen" not in t, f"time is stolen from a task of the host: {t}")
                continue
            same([t["states"][1], t["stolen"], t["stolen_unknown"]], wanted.pop(pid, [0, 0, 0]), f"task {pid}, {start} to {end}")
            n_stolen += t["stolen"] > 0
            n_unknown += t["stolen_unknown"] > 0
        for c in got["cpus"]:
            if c["machine"]:
                same([c["busy"], c["stolen"], c["stolen_unknown"]], wanted.pop(("CPU", c["cpu"]), [0, 0, 0]), f"CPU {c['cpu']}, {start} to {end}")
            else:
                check("stolen" not in c, "time is stolen from a CPU of the host")
        same({k: v for k, v in wanted.items() if v[0]}, {}, "tasks that are not in the answer")
    check(n_stolen > len(ranges), f"{n_stolen} times stolen in {len(ranges)} ranges")
    return n_unknown


def test_stolen_time():
    paths = [trace("nested"), trace("nested-inner")]
    events = report(*paths)
    host, guest = ([e for e in events if e["file"] == path.name] for path in paths)
    thread = next(e["pid"] for e in host if e["event"] == "kvm_entry")
    with Server(*paths) as view:
        end = view.get("api/info")["duration"]
        ranges = [(end * i // 20, end * (i + 1) // 20) for i in range(6, 20)]
        compare(view, host, guest, {0: thread}, [(0, end), (950_000_000, 1_050_000_000), *ranges])


def machine(place, name, n_cpus, end, pids, rand, options):
    """A trace in which CPUs switch among pids at random; who sleeps or waits may go on anywhere."""
    t = tracedat.Trace(7)
    switch = t.event("sched", "sched_switch", SWITCH, '"%d ==> %d", REC->prev_pid, REC->next_pid')
    t.cmdlines = {pid: f"{name}-{pid}" for pid in pids}
    for ident, data in options:
        t.option(ident, data)
    running, now = [0] * n_cpus, 1000
    while now < end:
        cpu = rand.randrange(n_cpus)
        free = [p for p in (0, *pids) if (not p or p not in running) and p != running[cpu]]
        prev, running[cpu] = running[cpu], rand.choice(free)
        state = rand.choice([0, 1, 2]) if prev else 0
        t.top.cpu(cpu).add(now, switch(pid=prev, prev_pid=prev, prev_state=state, next_pid=running[cpu]))
        now += rand.choice([10, 700, 5000])
    for cpu in range(n_cpus):
        t.top.cpu(cpu).add(end + cpu, switch(pid=running[cpu], prev_pid=running[cpu], prev_state=1, next_pid=0))
    path = f"{place}/{name}.dat"
    t.write(path)
    return path


def made(place):
    rand = random.Random(6)
    listed = b"inner\0" + struct.pack("<QI", 77, 2) + struct.pack("<4I", 0, 21, 1, 22)
    return [machine(place, "host", 2, HOST_END, [21, 22, 23, 24], rand, [(TRACEID, struct.pack("<Q", 66)), (GUEST, listed)]),
            machine(place, "inner", 2, GUEST_END, [7, 8, 9], rand, [(TRACEID, struct.pack("<Q", 77))])]


def test_stolen_time_of_two_cpus():
    with tempfile.TemporaryDirectory() as place:
        paths = made(place)
        events = report(*paths)
        host, guest = ([e for e in events if e["file"] == f"{name}.dat"] for name in ("host", "inner"))
        check(len(host) > 200 and len(guest) > 200, "the made traces have too few events")
        with Server(*paths) as view:
            same([m.get("vcpus") for m in view.get("api/info")["machines"]][1],
                 [{"cpu": 0, "pid": 21}, {"cpu": 1, "pid": 22}], "threads of virtual CPUs")
            end = view.get("api/info")["duration"]
            n_unknown = compare(view, host, guest, {0: 21, 1: 22}, [(0, end), *((i, i + 90_001) for i in range(0, end, 70_003))])
            check(n_unknown > 3, f"{n_unknown} times it is not known, though the host's trace ends first")


def gaps(host, thread):
    """[(start, end, cpu)] when a thread does not run: which CPU of the host it waits for, None: it sleeps."""
    on = sorted(r for r in runs(host) if r[3] == thread)
    left = {e["ts"]: e["fields"]["prev_state"] & 0xff for e in host if e["event"] == "sched_switch" and e["fields"]["prev_pid"] == thread}
    woken = [e["ts"] for e in host if e["event"] == "sched_waking" and e["fields"]["pid"] == thread]
    found = []
    for (_, start, _, _), (end, _, cpu, _) in zip(on, on[1:]):
        at = next((t for t in woken if start <= t <= end), end) if left[start] else start
        found += [(start, at, None), (at, end, cpu)]
    return [g for g in found if g[1] > g[0]]


def compare_why(view, host, threads, tasks, ranges):
    """Every piece in which the guest's task runs: stolen, asleep, and who had the host's CPU instead."""
    begin = int(view.get("api/info")["origin"])
    pids = {t[0]: (t[1], t[2]) for t in view.get("api/tasks")["tasks"]}
    off, ran, n_by, n_asleep = {cpu: gaps(host, pid) for cpu, pid in threads.items()}, runs(host), 0, 0
    for task, (start, end) in ((t, r) for t in tasks for r in ranges):
        number = next(n for n, who in pids.items() if who == (1, task))
        answer, all_by = view.get(f"api/why?task={number}&from={start}&to={end}"), collections.Counter()
        for piece in (p for p in answer["path"] if p["state"] == 1):
            by, asleep = collections.Counter(), 0
            for a, b, cpu in off[piece["cpu"]]:
                a, b = max(a, begin + piece["start"]), min(b, begin + piece["end"])
                if cpu is None:
                    asleep += max(0, b - a)
                for c, d, where, who in ran:
                    if where == cpu and min(b, d) > max(a, c):
                        by[who] += min(b, d) - max(a, c)
            where = f"task {task}, {start} to {end}, {piece}"
            same([piece["stolen"], piece["stolen_asleep"]], [sum(by.values()) + asleep, asleep], where)
            same({pids[o["task"]][1]: o["ns"] for o in piece["stolen_by"]}, dict(by.most_common(8)), where)
            same([o["ns"] for o in piece["stolen_by"]], sorted(by.values(), reverse=True)[:8], where)
            check(("stolen by the host" in piece["why"]) == (piece["stolen"] > 0), where)
            most = pids[piece["stolen_by"][0]["task"]][1] if by else 0
            check(not by or (f"-{most} for " if most else "ran nobody for ") in piece["why"], where)
            all_by += by
            n_by, n_asleep = n_by + len(by), n_asleep + (asleep > 0)
        same({pids[o["task"]][1]: o["ns"] for o in answer["stolen_by"]}, dict(all_by), f"task {task}, {start} to {end}, all")
        same([k for p in answer["path"] for k in p if k.startswith("stolen") and p["state"] != 1], [], "what is stolen from who does not run")
    return n_by, n_asleep


def test_stolen_by_whom():
    paths = [trace("nested"), trace("nested-inner")]
    events = report(*paths)
    host = [e for e in events if e["file"] == paths[0].name]
    thread = next(e["pid"] for e in host if e["event"] == "kvm_entry")
    with Server(*paths) as view:
        # a task of the host is asked about, too
        number = next(t[0] for t in view.get("api/tasks")["tasks"] if t[1:3] == [0, thread])
        check("stolen" not in str([{**p, "why": ""} for p in view.get(f"api/why?task={number}&from=0&to=900000000")["path"]]), "stolen from the host")
        n_by, n_asleep = compare_why(view, host, {0: thread}, [94, 189, 303], [(976_000_000, 1_050_000_000), (1_200_000_000, 2_900_000_000)])
    check(n_by > 20 and n_asleep, f"{n_by} times somebody had the CPU, {n_asleep} times the thread slept")


def test_stolen_by_whom_of_two_cpus():
    with tempfile.TemporaryDirectory() as place:
        paths = made(place)
        host = [e for e in report(*paths) if e["file"] == "host.dat"]
        with Server(*paths) as view:
            n_by, n_asleep = compare_why(view, host, {0: 21, 1: 22}, [7, 8, 9], [(100_000, 700_000), (300_001, 333_333)])
    check(n_by > 50 and n_asleep > 10, f"{n_by} times somebody had the CPU, {n_asleep} times the thread slept")
