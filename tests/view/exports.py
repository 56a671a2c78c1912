"""What `sonde export` and api/export write, read by readers of our own.

covers: B02
"""
import base64
import collections
import hashlib
import json
import re
import struct
import subprocess
import xml.etree.ElementTree as xml

from answers import trace
from server import ROOT, SONDE, Server, check, report, same


def export(kind, name, *options, status=0):
    run = subprocess.run([SONDE, "export", f"--{kind}", trace(name), *options], capture_output=True, timeout=300)
    same(run.returncode, status, f"export of {name}: {run.stderr.decode()[-500:]}")
    return run.stdout


# Protobuf, as far as needed: a message is a list of (field number, value).

def varint(data, pos):
    value = shift = 0
    while True:
        byte = data[pos]
        value |= (byte & 127) << shift
        pos, shift = pos + 1, shift + 7
        if byte < 128:
            return value, pos


def message(data):
    pos, fields = 0, []
    while pos < len(data):
        key, pos = varint(data, pos)
        if key & 7 == 0:
            value, pos = varint(data, pos)
        else:
            same(key & 7, 2, "type of a field")
            size, pos = varint(data, pos)
            value, pos = data[pos:pos + size], pos + size
            same(len(value), size, "length of a field")
        fields.append((key >> 3, value))
    return fields


def first(fields, number, default=None):
    return next((v for n, v in fields if n == number), default)


def signed(value):
    return struct.unpack("<q", struct.pack("<Q", value))[0]


def ftrace_events(data):
    """(cpu, fields of the event) of all bundles, in time order."""
    events = []
    for number, packet in message(data):
        same(number, 1, "a packet")
        bundle = first(message(packet), 1)
        if bundle is not None:
            bundle = message(bundle)
            events += [(first(bundle, 1), message(v)) for n, v in bundle if n == 2]
    return sorted(events, key=lambda e: first(e[1], 1))


def test_perfetto_events():
    """Every event once, with its time, CPU, pid and fields."""
    for name in ("events-v7-none", "events-v7-zstd", "probes", "made-v6-be-4-4096"):
        wanted = [e for e in report(trace(name)) if e["event"]]
        got = ftrace_events(export("perfetto", name))
        same(len(got), len(wanted), f"{name}: events")
        by_place = collections.Counter((e["ts"], e["cpu"], e["pid"] & 0xffffffff) for e in wanted)
        same(collections.Counter((first(f, 1), cpu, first(f, 2)) for cpu, f in got), by_place, f"{name}: places")
    switches = {(e["ts"], e["cpu"]): e["fields"] for e in report(trace("events-v7-none"))
                if e["event"] == "sched_switch"}
    found = 0
    for cpu, fields in ftrace_events(export("perfetto", "events-v7-none")):
        body = first(fields, 4)
        if body is None:
            continue
        body, found = message(body), found + 1
        wanted = switches[first(fields, 1), cpu]
        same((first(body, 1).decode(), signed(first(body, 2)), signed(first(body, 4)), first(body, 5).decode(),
              signed(first(body, 6)), signed(first(body, 7))),
             (wanted["prev_comm"], wanted["prev_pid"], wanted["prev_state"], wanted["next_comm"],
              wanted["next_pid"], wanted["next_prio"]), "a switch")
    same(found, len(switches), "switches")
    for cpu, fields in ftrace_events(export("perfetto", "probes")):
        generic = first(fields, 327)
        if generic is not None:
            check(first(message(generic), 1), "a generic event without a name")


def test_perfetto_functions():
    """Slices: every begin has its end, names are those of the report."""
    events = report(trace("fgraph-vfs"))
    begins = collections.Counter(e["info"].split("|")[-1].strip().split("(")[0] for e in events
                                 if e["event"] == "funcgraph_entry")
    names, depth = collections.Counter(), collections.Counter()
    tracks = set()
    for _, packet in message(export("perfetto", "fgraph-vfs")):
        packet = message(packet)
        if first(packet, 60):
            tracks.add(first(message(first(packet, 60)), 1))
        if first(packet, 11):
            event = message(first(packet, 11))
            track, kind = first(event, 11), first(event, 9)
            check(track in tracks, "a slice without a track")
            depth[track] += {1: 1, 2: -1}[kind]
            check(depth[track] >= 0, "an end without a begin")
            if kind == 1:
                names[first(event, 23).decode()] += 1
    same(names, begins, "functions")


def test_chrome():
    """Valid JSON; spans do not overlap; every event is there."""
    for name in ("events-v7-none", "events-v7-zstd", "fgraph-vfs"):
        data = json.loads(export("chrome", name))["traceEvents"]
        wanted = [e for e in report(trace(name)) if e["event"] and not e["event"].startswith("funcgraph_")]
        got = [e for e in data if e["ph"] == "i"]
        same(collections.Counter(e["name"] for e in got), collections.Counter(e["event"] for e in wanted),
             f"{name}: instants")
        start = min(e["ts"] for e in report(trace(name)))
        same(sorted(round(e["ts"] * 1000) for e in got), sorted(e["ts"] - start for e in wanted), f"{name}: times")
        runs = collections.defaultdict(list)
        for e in data:
            if e["ph"] == "X" and e["cat"] == "sched":
                runs[e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
        for spans in runs.values():
            check(all(a[1] <= b[0] + 0.0011 for a, b in zip(spans, spans[1:])), f"{name}: spans overlap")
        depth = collections.Counter()
        for e in data:
            depth[e["pid"], e["tid"]] += {"B": 1, "E": -1}.get(e["ph"], 0)
            check(depth[e["pid"], e["tid"]] >= 0, f"{name}: an end without a begin")
    names = {e["name"] for e in json.loads(export("chrome", "events-v7-zstd"))["traceEvents"]
             if e.get("cat") == "syscall"}
    check({"read", "write"} & names, f"system calls: {sorted(names)[:9]}")


def test_range():
    """--from and --to."""
    events = report(trace("events-v7-none"))
    start = events[0]["ts"]
    got = ftrace_events(export("perfetto", "events-v7-none", "--from", "+100ms", "--to", "+200ms"))
    same(len(got), len([e for e in events if 100_000_000 <= e["ts"] - start <= 200_000_000]), "events")


def test_pictures():
    """SVG is XML with a rectangle for every run; HTML holds it, the numbers and the events."""
    svg = xml.fromstring(export("svg", "events-v7-none", "--lanes", "cpu:0:0,cpu:0:1,task:0:15", "--from", "+1s",
                                "--to", "+1010ms"))
    space = "{http://www.w3.org/2000/svg}"
    titles = [t.text for t in svg.iter(f"{space}title")]
    check(len(titles) > 10, f"{len(titles)} spans in 10 ms")
    events = report(trace("events-v7-none"))
    start = events[0]["ts"]
    ran = {f"{e['fields']['next_comm']}-{e['fields']['next_pid']}" for e in events
           if e["event"] == "sched_switch" and 1_000_000_000 <= e["ts"] - start <= 1_010_000_000}
    drawn = {t.split(" ")[0] for t in titles}
    check(drawn & ran, f"{drawn} are drawn, {ran} ran")
    check("CPU 1" in {t.text for t in svg.iter(f"{space}text")}, "no label")
    page = export("html", "events-v7-none").decode()
    check("<svg" in page and "http://" not in page.replace("http://www.w3.org/2000/svg", "") and
          "https://" not in page, "the page needs something from elsewhere")
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))
    same(data["total"], len(events), "events")
    same(len(data["rows"]), min(2000, len(events)), "rows")
    same(sum(k[1] for k in data["events"]["kinds"]), len(events), "counts")
    check("first 2000 of" in page, "it does not say that there are more events")


def test_marks_and_range_in_pictures():
    """A picture has the marks and the range, where they are in it: from the command and from the page."""
    def places(svg):
        return {name: float(x) for x, name in re.findall(r'<g class="mark" data-x="([\d.]+)"[^>]*>.*?<text[^>]*>([^<]*)</text></g>', svg)}

    ends = ("--lanes", "cpu:0:0", "--from", "+1s", "--to", "+1010ms", "--width", "1000")
    svg = export("svg", "events-v7-none", *ends, "--mark", "+1002ms", "--mark", "+1005ms", "--mark", "+2s",
                 "--range", "+1004ms,+1006ms").decode()
    xml.fromstring(svg)
    same(places(svg), {"A": 200.0, "B": 500.0, "2 ms": 500.0}, "marks and the range, in pixels")
    check('<rect x="400.00"' in svg and "range 2 ms" in svg, "the range is not drawn")
    page = export("html", "events-v7-none", *ends, "--mark", "+1002ms").decode()
    check(places(page)["A"] == 200.0, "the page has no mark")
    for words, said in (("+1x", b"--mark"), ("1.2.3", b"--mark")):
        run = subprocess.run([SONDE, "export", "--svg", "--mark", words, trace("events-v7-none")], capture_output=True, check=False)
        check(run.returncode and said in run.stderr, f"{words}: {run.stderr!r}")
    run = subprocess.run([SONDE, "export", "--svg", "--range", "+1s", trace("events-v7-none")], capture_output=True, check=False)
    check(run.returncode and b"--range needs two times" in run.stderr, f"{run.stderr!r}")
    with Server(trace("events-v7-none")) as view:
        ask = "api/export?what=svg&lanes=cpu:0:0&width=1000&from=1000000000&to=1010000000"
        body = view.ask("GET", view.path(f"{ask}&marks=A:1002000000,AB:1005000000,x,:3&range=1004000000,1006000000"))[2].decode()
        same(places(body), {"A": 200.0, "AB": 500.0, "2 ms": 500.0}, "marks and the range of the page")


def test_saved_page_runs_one_script():
    """Its policy names the hash of the script that is in it, and allows no other; tests/browser opens it."""
    page = export("html", "tour").decode()
    policy = re.search('Content-Security-Policy" content="([^"]*)"', page).group(1)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    script = re.search(r'<script type="module">(.*?)</script>', page, re.S).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    same(rules["script-src"], f"'sha256-{digest}'", "scripts")
    same((rules["default-src"], rules["base-uri"], rules["form-action"]), ("'none'",) * 3, "all else")


def test_scale_of_a_counter():
    """It is of what is in the picture, with the value that was there when it begins."""
    name, lane = "events-v7-zstd", "field:0:raw_syscalls/sys_exit:ret"
    events = report(trace(name))
    start = min(e["ts"] for e in events)
    all_of = [(e["ts"] - start, e["fields"]["ret"]) for e in events if e["event"] == "sys_exit"]
    for first, last in ((0, len(all_of) - 1), (100, 140), (500, 501), (len(all_of) // 2, len(all_of) // 2 + 300)):
        begin, end = all_of[first][0] + 1, all_of[last][0] + 1     # the value of `first` lasts
        svg = export("svg", name, "--lanes", lane, "--from", f"+{begin}ns", "--to", f"+{end}ns").decode()
        got = [float(v) for v in re.findall('text-anchor="end">([^<]+)</text>', svg)[:2]]
        seen = [value for ts, value in all_of[first:] if ts <= end]
        wanted = [float(f"{v:.10g}") for v in (max(seen), min(seen))]
        same(got, wanted, f"scale from {begin} to {end}")


def test_export_over_http():
    """The same through the page's api, and rows as report prints them."""
    with Server(trace("events-v7-none")) as view:
        for what, kind, start in (("svg", "image/svg+xml", b"<svg"), ("html", "text/html", b"<!doctype"),
                                  ("csv", "text/csv", b"ts,cpu"), ("json", "application/json", b"[")):
            status, headers, body = view.ask("GET", view.path(f"api/export?what={what}&lanes=cpu:0:0&to=50000000"))
            same(status, 200, what)
            check(headers["Content-Type"].startswith(kind) and body.startswith(start), f"{what}: {headers}")
            same(headers["Content-Disposition"], f'attachment; filename="events-v7-none.{what}"', "to be saved as")
        events, begin = report(trace("events-v7-none")), int(view.get("api/info")["origin"])
        _, _, body = view.ask("GET", view.path("api/export?what=json&from=10000000&to=50000000"))
        rows = json.loads(body)
        same(len(body.splitlines()), len(rows) + 2, "a line for each event")
        wanted = [e for e in events if 10_000_000 <= e["ts"] - begin <= 50_000_000]
        key = lambda e: (e["ts"], e["cpu"], e["event"], e["info"], json.dumps(e["fields"]))
        same(sorted(map(key, rows)), sorted(map(key, wanted)), "rows")
        _, _, body = view.ask("GET", view.path("api/export?what=json&from=1&to=1"))
        same(json.loads(body), [], "no events")
        view.get("api/export?what=exe&lanes=cpu:0:0", 400)
        view.get("api/export?what=svg", 400)
        for lanes in ("nosuch:0:1", "cpu:0:0,nosuch:0:1", "cpu:0:x"):
            for what in ("svg", "html"):
                got = view.get(f"api/export?what={what}&lanes={lanes}", 400)
                check("is not the name of a lane" in got["error"], f"{what} of {lanes}: {got}")
        _, _, body = view.ask("GET", view.path("api/export?what=svg&lanes=cpu:0:0,field:0:sched/sched_switch:nosuch"))
        check(b"nosuch" in body and b'data-lane="cpu:0:0"' in body, "a lane that this trace cannot have is drawn with the reason")
        view.get("api/export?what=svg&lanes=cpu:0:0&width=99999", 400)
    with Server(trace("events-v7-none"), trace("events-v6")) as view:
        _, headers, _ = view.ask("GET", view.path("api/export?what=csv&to=1000"))
        same(headers["Content-Disposition"], 'attachment; filename="events-v7-none_and_1_more.csv"', "to be saved as")


def test_one_form_at_a_time():
    """Two forms are two files; none is a mistake."""
    for forms, words in ((("--svg", "--html"), b"--svg and --html are two files"), (("--chrome", "--html"), b"two files"),
                         ((), b"needs one of")):
        run = subprocess.run([SONDE, "export", *forms, trace("events-v7-none")], capture_output=True, check=False)
        check(run.returncode and words in run.stderr, f"{forms}: {run.returncode} {run.stderr!r}")


def test_man_page_names_all_lanes():
    """sonde-export(1) names each type of lane that the program knows."""
    run = subprocess.run([SONDE, "export", "--svg", "--lanes", "nosuch:0:1", trace("events-v7-none")], capture_output=True,
                         check=False)
    types = re.findall(r"\w+", run.stderr.decode().split("there are")[1].replace(" and ", " "))
    check(len(types) > 10, f"types of lanes: {types}")
    page = (ROOT / "doc/man/sonde-export.1.in").read_text()
    same([word for word in types if f"{word}:" not in page], [], "types of lanes that the man page does not name")
