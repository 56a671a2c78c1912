"""Arguments and return values of user functions: in the viewer's answers and in what it exports.

The oracle is `sonde report --json`: the events of the calls, paired by their depth.

covers: V04
"""
import collections
import html
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from exports import first, message
from following import wait_for
from server import ROOT, SONDE, Server, Skip, check, same


def build(place):
    if not shutil.which("gcc"):
        raise Skip("gcc is not installed")
    program = f"{place}/calling"
    subprocess.run(["gcc", "-g", "-O1", "-pthread", "-o", program, ROOT / "tests/browser/calling.c"], check=True)
    return program


class Recording:
    """with Recording("--args") as path: a trace of tests/browser/calling.c"""

    def __init__(self, *options):
        self.options = options

    def __enter__(self):
        self.place = tempfile.TemporaryDirectory(prefix="sonde-values-")
        program, path = build(self.place.name), f"{self.place.name}/t.dat"
        run = subprocess.run([SONDE, "record", "-q", "-u", *self.options, "-o", path, "--", program],
                             capture_output=True, text=True, timeout=120)
        same(run.returncode, 0, f"status of record: {run.stderr}")
        return pathlib.Path(path)

    def __exit__(self, *_):
        self.place.cleanup()


def calls_of(path):
    """[(pid, depth, start, name, args or None, ret or None)] of all calls, from the events."""
    run = subprocess.run([SONDE, "report", "--json", path], capture_output=True, text=True, timeout=120)
    out, opened, origin = [], {}, None
    for line in run.stdout.splitlines():
        e = json.loads(line)
        origin = e["ts"] if origin is None else origin
        if not e["event"].startswith("user_"):
            continue
        fields, step = e["fields"], e["event"].split("_")[1]
        place = e["pid"], fields["depth"]
        if step == "exit":
            opened[place][5] = fields.get("ret")
        elif step in ("entry", "call"):
            opened[place] = [*place, e["ts"] - origin, e["function"], fields.get("args") or None, fields.get("ret")]
            out.append(opened[place])
    check(len(out) > 20, f"calls: {out}")
    return out


def text(name, args, ret):
    return f"{name}({args or ''})" + (f" = {ret}" if ret is not None else "")


def test_values_of_calls():
    """api/span and api/values have those of every call, api/stats?what=list those of every call of a name."""
    with Recording("--args") as path, Server(path) as view:
        calls = calls_of(path)
        same(view.get("api/info")["has"]["values"], True, "has")
        check(any(a and r for *_, a, r in calls), "no call has arguments and a return value")
        for pid, depth, start, name, args, ret in calls:
            span = view.get(f"api/span?lane=calls:0:{pid}&t={start}&row={depth}")
            same((span["start"], span["label"], span.get("args"), span.get("ret")), (start, name, args, ret), "a span")
        by_lane = collections.defaultdict(list)
        for call in calls:
            by_lane[call[0]].append(call)
        for pid, own in by_lane.items():
            at = ",".join(f"{c[1]}:{c[2]}" for c in own)
            got = view.get(f"api/values?lane=calls:0:{pid}&at={at},200:5")["values"]
            same([(v["start"], v.get("args"), v.get("ret")) for v in got[:-1]], [(c[2], c[4], c[5]) for c in own], "values")
            same(got[-1], None, "a place without a call")
        lanes = ",".join(f"calls:0:{pid}" for pid in by_lane)
        rows = view.get(f"api/stats?what=list&lanes={lanes}&name=weigh&order=first&from=0&to={2**47}")["rows"]
        same([(r["start"], r.get("args"), r.get("ret")) for r in rows],
             [(c[2], c[4], c[5]) for c in sorted(calls, key=lambda c: c[2]) if c[3] == "weigh"], "the list")
        same(view.get("api/values?lane=calls:0:1&at=0:1", status=400)["error"], "The trace has no task 1 on machine 0.", "a lane")
        same(view.get(f"api/values?lane=calls:0:{pid}&at=nonsense")["values"], [], "no places")


def test_calls_without_values():
    """Without --args nothing of them is there."""
    with Recording() as path, Server(path) as view:
        same(view.get("api/info")["has"]["values"], False, "has")
        pid, depth, start, name, _, _ = calls_of(path)[0]
        span = view.get(f"api/span?lane=calls:0:{pid}&t={start}&row={depth}")
        same(span["label"], name, "label")
        check("args" not in span and "ret" not in span, f"values: {span}")


def slices(data):
    """[name, arguments, return value] of Perfetto's slices."""
    out, opened = [], collections.defaultdict(list)
    packets = [message(p) for _, p in message(data)]
    for packet in sorted((p for p in packets if first(p, 11)), key=lambda p: first(p, 8)):
        event = message(first(packet, 11))
        notes = [message(v) for n, v in event if n == 4]
        notes = {first(n, 10).decode(): first(n, 6).decode() for n in notes}
        if first(event, 9) == 1:
            out.append([first(event, 23).decode(), notes.get("arguments"), None])
            opened[first(event, 11)].append(out[-1])
        else:
            opened[first(event, 11)].pop()[2] = notes.get("retval")
    return out


def chrome_slices(data):
    out, opened = [], collections.defaultdict(list)
    for e in json.loads(data)["traceEvents"]:
        args = e.get("args", {})
        if e["ph"] in "BX" and e.get("cat") == "user":
            out.append([e["name"], args.get("arguments"), args.get("retval")])
            if e["ph"] == "B":
                opened[e["tid"]].append(out[-1])
        elif e["ph"] == "E":
            opened[e["tid"]].pop()[2] = args.get("retval")
    return out


def test_exported_values():
    with Recording("--args") as path:
        calls = calls_of(path)
        wanted = sorted(map(str, ([c[3], c[4], c[5]] for c in calls)))

        def export(*options):
            return subprocess.run([SONDE, "export", *options, path], capture_output=True, timeout=120, check=True).stdout

        same(sorted(map(str, slices(export("--perfetto")))), wanted, "Perfetto")
        same(sorted(map(str, chrome_slices(export("--chrome")))), wanted, "Chrome")
        for kind in "--svg", "--html":
            picture = html.unescape(export(kind).decode())
            for c in calls:
                if c[3] in ("parse_line", "main"):
                    check(f"<title>{text(*c[3:])}, " in picture, f"{kind} has no {text(*c[3:])}")
            check(f">{text(*calls[0][3:])}</text>" in picture, f"{kind}: no text in the box of main")


def named_calls(view):
    """Tasks and texts of the calls of `calling` that the viewer has so far."""
    total = view.get("api/info")["events"]
    rows = view.get(f"api/rows?row={max(0, total - 900)}&n=900")["rows"]
    return [(r["comm"], r["info"].strip()) for r in rows if r["comm"] == "calling"]


def running(program):
    """Whether a process runs this program."""
    for link in pathlib.Path("/proc").glob("[0-9]*/exe"):
        try:
            if os.readlink(link) == str(program):
                return True
        except OSError:
            continue
    return False


def test_live_functions_of_a_started_program():
    """Live, a program that the command starts has its name, and its functions have theirs; the same if the recorder dies."""
    with tempfile.TemporaryDirectory() as place:
        program, path, stop = build(place), pathlib.Path(place) / "t.dat", pathlib.Path(place) / "stop"
        recorder = subprocess.Popen([SONDE, "record", "-q", "-u", "--args", "-o", path, "--", "sh", "-c",
                                     f"{program} {stop}; true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: path.exists() and path.stat().st_size, "the recording")
            with Server(path, options=("--live",), wait=False) as view:
                wait_for(lambda: len(named_calls(view)) > 20, "calls of the program")
                calls = named_calls(view)
                check(not any("0x" in text.split("(")[0] for _, text in calls), f"a function without a name: {calls}")
                check(any(text.startswith('read_word("word", ') for _, text in calls), f"calls: {calls}")
                # its threads have the same name; only the first one calls parse_line
                labels = [view.get(f"api/span?lane=calls:0:{t[2]}&t=0&row=1&step=next").get("label")
                          for t in view.get("api/tasks")["tasks"] if t[4] == "calling"]
                check("parse_line" in labels, f"calls inside main: {labels}")
            recorder.kill()
            recorder.wait()
            run = subprocess.run([SONDE, "report", path], capture_output=True, text=True, timeout=120)
            check("calling-" in run.stdout and "parse_line(" in run.stdout, f"after the recorder's death: {run.stdout[-500:]}")
        finally:
            stop.touch()
            recorder.kill()
            recorder.wait()
            wait_for(lambda: not running(program), "the end of the program")    # before its file is removed
