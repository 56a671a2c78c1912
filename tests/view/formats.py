"""What `sonde export` writes for other programs, judged by what is not ours: protoc, and the rules of the format.

    --perfetto   protoc decodes it with perfetto.proto; names, times, fields and counts against `sonde report --json`
    --chrome     the members that each kind of event must have; B and E in pairs; X with its length

covers: B02
"""
import collections
import json
import pathlib
import re
import shutil
import subprocess

from answers import trace
from exports import export
from gaps import spans_of
from server import SONDE, Server, Skip, check, report, same

HERE = pathlib.Path(__file__).resolve().parent
TRACES = ("events-v7-none", "events-v7-zstd", "probes", "follow", "instances-mono", "made-v6-be-4-4096")
LINE = re.compile(r"^ *(?:(?P<key>[\w.]+)(?:: (?P<value>.*)| \{)|(?P<end>\}))$")
ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)")
LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}


def text_of(value):
    """A string as protoc prints it."""
    def back(found):
        code = found[1]
        return bytes([int(code, 8)]) if code.isdigit() else LETTERS.get(code, code)
    return ESCAPE.sub(back, value[1:-1].encode()).decode("utf-8", "replace")


def decode(data, what):
    """protoc's text as lists of (name, value), value: int, str, or such a list."""
    if not shutil.which("protoc"):
        raise Skip("protoc is not installed")
    run = subprocess.run(["protoc", "--decode=Trace", f"-I{HERE}", "perfetto.proto"], input=data, capture_output=True,
                         timeout=120)
    same((run.returncode, run.stderr), (0, b""), f"{what}: protoc")
    top = []
    stack = [top]
    for line in run.stdout.decode().splitlines():
        found = LINE.match(line)
        check(found, f"{what}: protoc says {line!r}")
        if found["end"]:
            stack.pop()
            continue
        check(not found["key"][0].isdigit(), f"{what}: a field that the schema does not have: {line.strip()}")
        value = found["value"]
        if value is None:
            stack[-1].append((found["key"], []))
            stack.append(stack[-1][-1][1])
        elif value[0] == '"':
            stack[-1].append((found["key"], text_of(value)))
        else:
            stack[-1].append((found["key"], int(value) if re.fullmatch(r"-?\d+", value) else value))
    same(len(stack), 1, f"{what}: messages that are open")
    return top


def ftrace(packets):
    """(machine, CPU, {timestamp, pid}, name of the event, its fields) of every event."""
    for _, packet in packets:
        members = dict(packet)
        for _, event in [e for e in members.get("ftrace_events", []) if e[0] == "event"]:
            head = dict(event)
            names = [n for n in head if n not in ("timestamp", "pid")]
            same(len(names), 1, f"kinds of an event: {event}")
            body = head.pop(names[0])
            if names[0] == "generic":
                fields = [dict(v) for n, v in body if n == "field"]
                fields = {f.pop("name"): next(iter(f.values()), None) for f in fields}
                yield members.get("machine_id", 0), dict(members["ftrace_events"])["cpu"], head, dict(body)["event_name"], fields
            else:
                yield members.get("machine_id", 0), dict(members["ftrace_events"])["cpu"], head, names[0], dict(body)


def values_agree(name, fields, wanted):
    """Every number and text of an event is the report's; a number may be a name there, then it is left out."""
    for key, value in fields.items():
        other = wanted.get(key)
        if isinstance(other, bool) or not isinstance(other, (int, str)) or isinstance(other, str) != isinstance(value, str):
            continue
        if isinstance(value, int):
            same(value & (1 << 64) - 1, other & (1 << 64) - 1, f"{name}.{key}")
        else:
            same(value, other.split("\0")[0], f"{name}.{key}")


def test_perfetto_by_protoc():
    """Every event is there once, with its time, place and fields; nothing that the schema does not know."""
    compared = 0
    for name in TRACES:
        wanted = collections.defaultdict(list)
        for e in report(trace(name)):
            if e["event"] and not e["event"].startswith("funcgraph_"):
                wanted[e["ts"], e["cpu"], e["pid"] & 0xffffffff, e["event"]].append(e["fields"])
        for _, cpu, head, event, fields in ftrace(decode(export("perfetto", name), name)):
            place = head["timestamp"], cpu, head["pid"], event
            check(wanted[place], f"{name}: {place} is not in the report")
            values_agree(event, fields, wanted[place].pop(0))
            compared += len(fields)
        left = [place for place, events in wanted.items() if events]
        same(left, [], f"{name}: events that are left out")
    check(compared > 10000, f"only {compared} fields were compared")


def test_perfetto_slices_by_protoc():
    """Functions: every slice has a track, begins where the report says, and is named so."""
    for name in ("fgraph-vfs", "tour"):
        wanted = collections.Counter((e["ts"], e["info"].split("|")[-1].strip().split("(")[0]) for e in report(trace(name))
                                     if e["event"] == "funcgraph_entry")
        got, depth, tracks, last = collections.Counter(), collections.Counter(), {}, {}
        for _, packet in decode(export("perfetto", name), name):
            packet = dict(packet)
            if "track_descriptor" in packet:
                track = dict(packet["track_descriptor"])
                check("name" in track or "thread" in track, f"{name}: a track without a name")
                tracks[track["uuid"]] = track
            if "track_event" not in packet:
                continue
            event = dict(packet["track_event"])
            uuid = event["track_uuid"]
            check(uuid in tracks, f"{name}: a slice without a track")
            check(packet["timestamp"] >= last.get(uuid, 0), f"{name}: a track goes back in time")
            last[uuid] = packet["timestamp"]
            depth[uuid] += {"TYPE_SLICE_BEGIN": 1, "TYPE_SLICE_END": -1}[event["type"]]
            check(depth[uuid] >= 0, f"{name}: an end without a begin")
            if event["type"] == "TYPE_SLICE_BEGIN":
                got[packet["timestamp"], event["name"]] += 1
        same(sum(got.values()), sum(wanted.values()), f"{name}: slices")
        same(got - wanted, collections.Counter(), f"{name}: names and times")


def test_perfetto_of_two_machines():
    """A host and its guest: two machines, on one clock."""
    paths = [trace("nested"), trace("nested-inner")]
    run = subprocess.run([SONDE, "export", "--perfetto", *paths], capture_output=True, timeout=120)
    same(run.returncode, 0, run.stderr.decode())
    got = collections.Counter((machine, cpu, head["timestamp"], event) for machine, cpu, head, event, _
                              in ftrace(decode(run.stdout, "nested")))
    files = {path.name: n for n, path in enumerate(paths)}
    merged = report(*paths)
    ids = sorted({place[0] for place in got})
    same(len(ids), 2, "machines")
    wanted = collections.Counter((ids[files[e["file"]]], e["cpu"], e["ts"], e["event"]) for e in merged)
    same(got, wanted, "events of both")


def test_chrome_of_two_machines():
    """The CPUs of a guest are a process of their own, with a name."""
    run = subprocess.run([SONDE, "export", "--chrome", trace("nested"), trace("nested-inner")], capture_output=True, timeout=120)
    same(run.returncode, 0, run.stderr.decode())
    events = json.loads(run.stdout)["traceEvents"]
    named = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    on_cpus = {e["pid"] for e in events if e["ph"] == "X" and e["cat"] == "sched"}
    same({pid: named.get(pid) for pid in on_cpus}, {0: "CPUs", 10_000_000: "CPUs of machine 1"}, "names of the machines' CPUs")


STATES = ("unknown", "running", "runnable", "preempted", "sleeping", "blocked", "stopped", "idle", "dead")
STATES_PID = 9_999_999      # the process whose threads are states of tasks

MUST_HAVE = {"X": {"ts", "dur", "name", "cat"}, "B": {"ts", "name", "cat"}, "E": {"ts"},
             "i": {"ts", "name", "cat", "s", "args"}, "M": {"name", "args"}}


def test_chrome_by_its_rules():
    """Every event has its members, of their types; B and E are pairs on each thread; times do not go back."""
    for name in ("events-v7-none", "events-v7-zstd", "fgraph-vfs", "tour", "profile", "instances-mono"):
        whole = json.loads(export("chrome", name))
        same(set(whole), {"displayTimeUnit", "traceEvents"}, f"{name}: members")
        open_slices, kinds, last = collections.defaultdict(list), collections.Counter(), {}
        for e in whole["traceEvents"]:
            kinds[e["ph"]] += 1
            check(e["ph"] in MUST_HAVE and MUST_HAVE[e["ph"]] | {"ph", "pid", "tid"} <= set(e), f"{name}: {e}")
            check(all(isinstance(e[k], int) for k in ("pid", "tid")), f"{name}: {e}")
            check(isinstance(e.get("name", ""), str) and e.get("name", "x"), f"{name}: a name: {e}")
            for key in {"ts", "dur"} & set(e):
                check(isinstance(e[key], (int, float)) and e[key] >= 0, f"{name}: {key} of {e}")
            thread = e["pid"], e["tid"]
            if e["ph"] in "BE":
                check(e["ts"] >= last.get(thread, 0), f"{name}: back in time: {e}")
                last[thread] = e["ts"]
            if e["ph"] == "B":
                open_slices[thread].append(e)
            elif e["ph"] == "E":
                check(open_slices[thread], f"{name}: an end without a begin: {e}")
                open_slices[thread].pop()
        left = {thread: events for thread, events in open_slices.items() if events}
        same(left, {}, f"{name}: begins without an end")
        same(kinds["B"], kinds["E"], f"{name}: begins and ends")
        check(kinds["M"] > 0, f"{name}: no names")


def test_chrome_interrupts():
    """Interrupts are spans on the CPU, from each entry to the exit that follows there."""
    for name in ("events-v7-zstd", "events-v6"):
        wanted, begun, events = collections.Counter(), {}, report(trace(name))
        for e in events:
            level, _, what = e["event"].rpartition("_")
            if level not in ("irq_handler", "softirq") or what not in ("entry", "exit"):
                continue
            if what == "entry":
                label = e["fields"]["name"] if level == "irq_handler" else e["info"].split("action=")[1].rstrip("]")
                begun[e["cpu"], level] = e["ts"], label
            elif (e["cpu"], level) in begun:
                ts, label = begun.pop((e["cpu"], level))
                wanted[e["cpu"], level, label, ts - events[0]["ts"], e["ts"] - ts] += 1
        got = collections.Counter(
            (e["tid"], "softirq" if e["cat"] == "softirq" else "irq_handler", e["name"], round(e["ts"] * 1000),
             round(e["dur"] * 1000))
            for e in json.loads(export("chrome", name))["traceEvents"] if e["ph"] == "X" and e["cat"] in ("irq", "softirq"))
        same(got - wanted, collections.Counter(), f"{name}: spans that are not in the report")
        same(wanted - got, collections.Counter(), f"{name}: spans that are left out")
        check(sum(got.values()) > 100, f"{name}: hardly any interrupts")


def test_chrome_states():
    """States of tasks are those of the page's lanes, each task a thread of one process; a range has its part."""
    for name in ("events-v7-zstd", "lost-events"):
        got, names = collections.defaultdict(list), {}
        for e in json.loads(export("chrome", name))["traceEvents"]:
            if e.get("cat") == "state":
                got[e["tid"]].append((e["name"], round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)))
            elif e["ph"] == "M" and e["name"] == "thread_name" and e["pid"] == STATES_PID:
                names[e["tid"]] = e["args"]["name"]
        with Server(trace(name)) as view:
            tasks = {t[2]: t[4] for t in view.get("api/tasks")["tasks"] if t[2]}
            wanted = {pid: [(STATES[s["value"]], s["start"], s["end"]) for s in spans_of(view, f"task:0:{pid}")]
                      for pid, comm in tasks.items() if comm not in ("rcu_preempt", "ls")}    # which have thousands
        for pid, spans in wanted.items():
            same(got.get(pid, []), spans, f"{name}: states of {tasks[pid]}")
            check(not spans or names[pid] == f"{tasks[pid]}-{pid}", f"{name}: {pid} is called {names.get(pid)}")
        check("unknown" in {s[0] for spans in got.values() for s in spans} or name != "lost-events", "nothing is unknown")
    part = [e for e in json.loads(export("chrome", "events-v7-zstd", "--from", "+1s", "--to", "+1100ms"))["traceEvents"]
            if e.get("cat") == "state"]
    check(part and all(0 <= e["ts"] and e["ts"] + e["dur"] <= 100_000 for e in part), "states of a range")
