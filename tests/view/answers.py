"""What the api answers, against what `sonde report --json` says of the same traces.

covers: B02 B07 B11 K01 K04 K07 Q09 Q18 V03
"""
import bisect
import collections
import json
import os
import pathlib
import re
import struct
import sys
import tempfile

from server import GOLDEN, ROOT, Problem, Server, check, report, same

sys.path.insert(0, str(ROOT / "tests/lib"))
import growth       # noqa: E402  (found through the line above)
import tracedat     # noqa: E402

# every shape: versions, compression, byte order, word size, several buffers, clocks, losses, damage
TRACES = ["tour", "events-v6", "events-v7-none", "stacks", "fgraph-vfs", "lost-events", "instances-mono",
          "clock-tsc", "function-filtered", "probes", "made-v6-be-4-4096", "made-v7-be-8-65536",
          "made-clock-counter-v7", "made-missed", "made-many-cpus-v7", "made-instances-v6",
          "made-cut-v7zstd", "made-damaged-record", "made-formats"]


def trace(name):
    path = GOLDEN / f"{name}.dat"
    if not path.exists():
        raise Problem(f"{path} is missing")
    return path


def origin(view):
    return int(view.get("api/info")["origin"])


def test_rows():
    """Every row of every shape of trace: time, CPU, pid, event, text."""
    for name in TRACES:
        with Server(trace(name)) as view:
            events, rows, start = report(trace(name)), view.rows(), origin(view)
            same(len(rows), len(events), f"{name}: number of events")
            key = lambda e: (e["ts"], e["cpu"])
            # the order of events at the same moment on several CPUs is not fixed
            wanted = sorted(((e["ts"] - start, e["cpu"], e["pid"], e["event"], e.get("system"),
                              e.get("info", "")) for e in events), key=lambda e: e[:2])
            got = sorted(((r["ts"], r["cpu"], r["pid"], r["event"], r["system"], r["info"])
                          for r in rows), key=lambda e: e[:2])
            for one, other in zip(got, wanted):
                same(one, other, f"{name}: a row")
            same([r["row"] for r in rows], list(range(len(rows))), f"{name}: numbers of rows")
            check(all(a["ts"] <= b["ts"] for a, b in zip(rows, rows[1:])), f"{name}: not in time order")
            same(sorted(r.get("missed", 0) for r in rows),
                 sorted(e.get("missed", 0) if e.get("missed", 0) is not None else -1 for e in events),
                 f"{name}: lost events")


def test_event():
    """Fields, flags and stacks of single events."""
    for name in ["stacks", "events-v6", "fgraph-vfs", "made-formats"]:
        with Server(trace(name)) as view:
            events, start = report(trace(name)), origin(view)
            by_place = collections.defaultdict(list)
            for e in events:
                by_place[e["ts"] - start, e["cpu"]].append(e)
            rows = view.rows()
            for row in rows[:40] + rows[len(rows) // 2:][:40] + rows[-40:]:
                got = view.get(f"api/event?ref={row['ref']}")
                for member in row:
                    same(got[member], row[member], f"{name}: {member} of an event")
                wanted = [e for e in by_place[row["ts"], row["cpu"]]
                          if e["event"] == row["event"] and e.get("info", "") == row["info"]]
                check(wanted, f"{name}: {row} is not in the report")
                same(got.get("fields"), wanted[0].get("fields"), f"{name}: fields of {row['event']}")
                if row["event"]:
                    check(len(got["latency"]) >= 5, f"flags {got['latency']!r}")
            if name == "stacks":
                first = next(i for i, r in enumerate(rows) if r["event"] == "sched_switch")
                stack = view.get(f"api/event?ref={rows[first]['ref']}")["stack"]
                follows = next(e for e in events if e["event"] == "kernel_stack" and
                               e["cpu"] == rows[first]["cpu"] and e["ts"] - start >= rows[first]["ts"])
                same(stack, [f.get("symbol", f["addr"]) for f in follows["stack"]], "stack of a switch")
            view.get("api/event?ref=9007199254740991", 404)
            view.get("api/event?ref=9007199254740993", 400)
            view.get("api/event?ref=-1", 400)
            view.get("api/event", 400)


def test_tasks_and_kinds():
    """Who is in the trace, what is in it, and how often."""
    for name in ["tour", "events-v7-none", "instances-mono", "function-filtered"]:
        with Server(trace(name)) as view:
            events, info = report(trace(name)), view.get("api/info")
            same(info["events"], len(events), f"{name}: events")
            same(info["title"], f"{name}.dat", "title")
            same(int(info["origin"]), min(e["ts"] for e in events), f"{name}: origin")
            same(info["duration"], max(e["ts"] for e in events) - int(info["origin"]), f"{name}: duration")
            same(info["machines"][0]["cpus"], sorted({e["cpu"] for e in events}), f"{name}: CPUs")
            counts = collections.Counter((e.get("system"), e["event"]) for e in events)
            got = collections.Counter()
            kinds = view.get("api/kinds")["kinds"]
            for kind in kinds:
                got[kind["system"], kind["name"]] += kind["events"]
            same(+got, counts, f"{name}: kinds")
            fields = {(e["system"], e["event"]): e["fields"].keys() for e in events if e.get("fields")}
            for kind in kinds:
                if (kind["system"], kind["name"]) in fields and kind["name"] != "kernel_stack":
                    same([f["name"] for f in kind["fields"]], list(fields[kind["system"], kind["name"]]),
                         f"{name}: fields of {kind['name']}")
            tasks = view.get("api/tasks")["tasks"]
            same([t[0] for t in tasks], list(range(len(tasks))), "numbers of tasks")
            same({t[2]: t[5] for t in tasks if t[5]}, dict(collections.Counter(e["pid"] for e in events)),
                 f"{name}: events of tasks")
            names = collections.defaultdict(set)
            for e in events:
                names[e["pid"]].add(e["comm"])
                for field in e.get("fields", {}):
                    pid = field.replace("comm", "pid")
                    if field.endswith("comm") and pid in e["fields"]:
                        names[e["fields"][pid]].add(e["fields"][field])
            for t in tasks:
                if t[2] and names[t[2]] - {None}:
                    check(t[4] in names[t[2]], f"{name}: {t[2]} is called {t[4]!r}, not one of {names[t[2]]}")


def test_processes():
    """Which process a thread belongs to, and the command line of each that has a task in the trace."""
    with Server(trace("made-processes")) as view:
        same({t[2]: t[3] for t in view.get("api/tasks")["tasks"] if t[2]}, {20: 20, 21: 20, 30: 30, 31: 30, 40: 40},
             "processes of tasks")
        same(view.get("api/processes"), {"processes": [[0, 20, "/bin/prog -v 'two words' 'it'\\''s' ''"],
                                                       [0, 30, "sonde record"], [0, 40, "other --long …"]]}, "command lines")
    with Server(trace("tour")) as view:
        same(view.get("api/processes"), {"processes": []}, "a trace without")


def test_density():
    """Bytes per bucket: all of them together are the trace."""
    with Server(trace("events-v7-none"), wait=False) as view:
        for n in (1, 7, 1000):
            streams = view.get(f"api/density?n={n}")["streams"]
            check(all(len(s["values"]) == n for s in streams), f"{n} buckets")
            total = sum(sum(s["values"]) for s in streams)
            size = trace("events-v7-none").stat().st_size
            check(0.02 * size < total <= size, f"{total} bytes of {size} with {n} buckets")
        view.get("api/density?n=5000", 400)
        view.get("api/density?from=5&to=4", 400)
        view.get("api/density?from=x", 400)
        view.get("api/density?from=281474976710656", 400)


def test_select():
    """By kind, task, CPU, expression, text and regular expression."""
    with Server(trace("events-v7-none")) as view:
        events, start = report(trace("events-v7-none")), origin(view)
        tasks = {(t[2]): t[0] for t in view.get("api/tasks")["tasks"]}
        pid = collections.Counter(e["pid"] for e in events if e["pid"]).most_common(1)[0][0]
        line = lambda e: f"{e['comm']}-{e['pid']} {e['event']} {e['info']}"
        rows = [
            ({}, lambda e: True),
            ({"kinds": ["sched/sched_switch"]}, lambda e: e["event"] == "sched_switch"),
            ({"kinds": ["timer"]}, lambda e: e["system"] == "timer"),
            ({"kinds": []}, lambda e: False),
            ({"tasks": [f"0:{pid}"]}, lambda e: e["pid"] == pid),
            ({"cpus": ["0:1"]}, lambda e: e["cpu"] == 1),
            ({"cpus": ["1:1"]}, lambda e: False),
            ({"kinds": ["sched/sched_switch"], "cpus": ["0:0"], "tasks": ["0:0"]},
             lambda e: e["event"] == "sched_switch" and e["cpu"] == 0 and e["pid"] == 0),
            ({"expression": "sched_switch:prev_pid==0"},
             lambda e: e["event"] == "sched_switch" and e["fields"]["prev_pid"] == 0),
            ({"text": "HRTIMER_EXPIRE"}, lambda e: "hrtimer_expire" in line(e).lower()),
            ({"text": "^nothing starts so", "regex": True}, lambda e: False),
            ({"text": "rcu_(preempt|sched)", "regex": True},
             lambda e: re.search("rcu_(preempt|sched)", line(e), re.I)),
        ]
        for body, fits in rows:
            wanted = [e for e in events if fits(e)]
            got = view.post("api/select", body)
            if "text" not in body:      # names of tasks differ where they changed
                same(got["count"], len(wanted), f"count of {body}")
            same(view.post("api/select", body)["id"], got["id"], "the same body, another number")
            found = view.rows(sel=got["id"])
            if "text" not in body:
                same([r["ts"] for r in found], sorted(e["ts"] - start for e in wanted), f"rows of {body}")
            elif "regex" not in body:
                check(all(body["text"].lower() in line(r).lower() for r in found), f"rows of {body}")
                check(len(found) >= len([e for e in wanted if body["text"].lower() in e["event"]]), "hits")
            for at in (0, len(found) // 2, len(found) - 1):
                if not found:
                    break
                ref, ts = found[at]["ref"], found[at]["ts"]
                same(view.get(f"api/row?sel={got['id']}&ref={ref}")["row"], at, "row of an event")
                times = [r["ts"] for r in found]
                same(view.get(f"api/rank?sel={got['id']}&t={ts}")["row"], bisect.bisect_left(times, ts), "rank")
                after, before = bisect.bisect_right(times, ts), bisect.bisect_left(times, ts) - 1
                hit = view.get(f"api/hit?sel={got['id']}&t={ts}&step=next")
                same(hit.get("ts"), times[after] if after < len(times) else None, "next hit")
                hit = view.get(f"api/hit?sel={got['id']}&t={ts}&step=previous")
                same(hit.get("ts"), times[before] if before >= 0 else None, "previous hit")
        for body in ({"expression": "sched_switch:prev_pid=="}, {"text": "(", "regex": True}, {"kinds": 3},
                     {"tasks": ["x"]}, {"tasks": [3]}, {"cpus": ["1"]}, {"text": 5}, []):
            check(view.post("api/select", body, 400)["error"], f"{body} is refused without a sentence")


def test_search_finds_what_is_listed():
    """Names of system calls, which are not in the trace but in the list."""
    with Server(trace("events-v7-zstd")) as view:
        rows = view.rows()
        for word in ("clock_nanosleep", "nr 0 read", "execve ("):
            wanted = [r["ref"] for r in rows if word in r["info"].lower()]
            for body in ({"text": word}, {"text": word.replace("(", "[(]"), "regex": True}):
                found = view.rows(sel=view.post("api/select", body)["id"])
                same([r["ref"] for r in found], wanted, f"{body}")
            check(wanted or word != "clock_nanosleep", f"no event has {word} in its line")


def test_selections_are_kept():
    """The sixteen last used, no more."""
    with Server(trace("tour")) as view:
        ids = [view.post("api/select", {"text": f"x{i}"})["id"] for i in range(16)]
        view.get(f"api/rows?sel={ids[0]}")
        view.post("api/select", {"text": "one more"})
        view.get(f"api/rows?sel={ids[0]}")
        check("again" in view.get(f"api/rows?sel={ids[1]}", 404)["error"], "no remedy")
        view.get("api/rows?sel=99999", 404)


def switches(events, cpu, start):
    """[(time, pid that runs from then on)] of a CPU."""
    return [(e["ts"] - start, e["fields"]["next_pid"]) for e in events
            if e["event"] == "sched_switch" and e["cpu"] == cpu]


def test_tiles():
    """What CPUs ran, from tiles of every level, is what the switches say."""
    with Server(trace("events-v7-none")) as view:
        events, info = report(trace("events-v7-none")), view.get("api/info")
        start, tasks = int(info["origin"]), {t[0]: t[2] for t in view.get("api/tasks")["tasks"]}
        for cpu in info["machines"][0]["cpus"]:
            runs = switches(events, cpu, start)
            busy = sum(b[0] - a[0] for a, b in zip(runs, runs[1:]) if a[1])
            for level in (0, 12, 16, 20, 24):
                tile_ns = 1024 << level
                if level == 0:      # around one switch: exact
                    number = runs[5][0] // tile_ns
                    tile, = view.tiles([[f"cpu:0:{cpu}", 0, number]])
                    edges = {round(number * tile_ns + x) for r in tile["records"] for x in r[:2]}
                    inside = {t for t, _ in runs if number * tile_ns <= t < (number + 1) * tile_ns}
                    check(inside <= edges, f"switches at {inside - edges} are not in the tile")
                    continue
                wanted = [[f"cpu:0:{cpu}", level, n] for n in range(info["duration"] // tile_ns + 1)]
                if len(wanted) > 1024:
                    continue
                area = 0
                for tile in view.tiles(wanted):
                    same((tile["kind"], tile["whole"]), ("cpu", 1), "tile")
                    for x0, x1, value, weight, _, flags in tile["records"]:
                        check(0 <= x0 <= x1 <= 1024.001, f"{x0} to {x1}")
                        if value == 65535 or tasks[value]:      # 65535: nobody knows; its weight is the rest
                            area += (min(x1, 1024) - x0) * (1 << level) * weight / 65535
                # open at both ends, and weights are 16 bits
                check(abs(area - busy) < 0.03 * busy + (runs[0][0] + info["duration"] - runs[-1][0]),
                      f"CPU {cpu}, level {level}: {area:.0f} ns busy, not {busy}")
        refused = view.tiles([["nosuch:0:0", 10, 0], ["cpu:0:0", 99, 0], ["cpu:0:0", 10, 1 << 50],
                              ["cpu:0:0", "x", 0], [], 5, ["cpu:0:99", 10, 0], ["cpu:0:0", 20, 0]])
        check(all(isinstance(t, str) and t for t in refused[:6]), f"not refused: {refused[:6]}")
        same(refused[7]["kind"], "cpu", "the tile behind refused ones")
        same(view.ask("POST", view.path("api/tiles"), b'{"tiles":[' + b"[],".join([b""] * 1030) + b"[]]}")[0],
             400, "too many tiles")


def test_spans_and_labels():
    """What stands at a moment, and the way from one to the next."""
    with Server(trace("events-v7-zstd")) as view:
        events, start = report(trace("events-v7-zstd")), origin(view)
        tasks = {t[0]: t[2] for t in view.get("api/tasks")["tasks"]}
        runs = switches(events, 0, start)
        for (a, pid), (b, _) in list(zip(runs, runs[1:]))[5:60:7]:
            span = view.get(f"api/span?lane=cpu:0:0&t={(a + b) // 2}")
            if pid:
                same((span["start"], span["end"], tasks[span["value"]]), (a, b, pid), "span of a CPU")
        view.get("api/span?lane=nosuch&t=0", 400)
        view.get("api/span?t=0", 400)
        view.get("api/span?lane=cpu:0:0&t=0&step=sideways", 400)
        check(view.get("api/span?lane=cpu:0:0&t=281474976710655").get("none"), "a span after the end")
    with Server(trace("fgraph-vfs")) as view:
        lane = next((s for s in view.get("api/info")["lanes"] if s.startswith("calls:")), None)
        check(lane, "no lane with functions is offered")
        span = view.get(f"api/span?lane={lane}&t=0&row=0&step=next")
        check(span["label"], f"{span} has no label")
        same(view.get(f"api/labels?lane={lane}&ids={span['value']}")["labels"], [span["label"]], "label")


def test_stats():
    """Counts and times of a range."""
    with Server(trace("events-v7-zstd")) as view:
        events, info = report(trace("events-v7-zstd")), view.get("api/info")
        start = int(info["origin"])
        kinds = {k["n"]: k["name"] for k in view.get("api/kinds")["kinds"]}
        tasks = {t[0]: t[2] for t in view.get("api/tasks")["tasks"]}
        for low, high in ((0, info["duration"]), (info["duration"] // 3, info["duration"] // 2)):
            part = [e for e in events if low <= e["ts"] - start <= high]
            got = view.get(f"api/stats?what=events&from={low}&to={high}")
            same(got["total"], len(part), "events of a range")
            same({kinds[n]: count for n, count in got["kinds"] if count},
                 dict(collections.Counter(e["event"] for e in part)), "kinds of a range")
            busy = collections.Counter()
            for cpu in info["machines"][0]["cpus"]:
                runs = switches(events, cpu, start)
                for (a, pid), (b, _) in zip(runs, runs[1:] + [(info["duration"], 0)]):
                    busy[pid] += max(0, min(b, high) - max(a, low))
            got = view.get(f"api/stats?what=tasks&from={low}&to={high}")
            for task in got["tasks"]:
                pid = tasks[task["task"]]
                if pid and busy[pid]:
                    # what ran before its CPU's first switch is known from that switch's prev
                    check(abs(task["states"][1] - busy[pid]) < 0.05 * (high - low),
                          f"{pid} ran {task['states'][1]} ns, not {busy[pid]}")
        wakeups = view.get("api/stats?what=wakeups")
        check(wakeups["n"] > 0 and wakeups["min"] <= wakeups["p50"] <= wakeups["max"], f"{wakeups}")
        same(sum(b[2] for b in wakeups["buckets"]), wakeups["n"], "buckets of wakeups")
        for what in ("functions", "flame", "offcpu"):
            view.get(f"api/stats?what={what}")
        view.get("api/stats?what=nothing", 400)
        view.get("api/stats", 400)
        view.get("api/stats?what=tasks&from=9&to=8", 400)
        view.get("api/stats?what=wakeups&task=60000", 404)


def test_numbers_of_a_filter():
    """A filter of several tasks narrows wakeups, and the tables of a saved page."""
    with Server(trace("events-v7-zstd")) as view:
        tasks = sorted((t for t in view.get("api/tasks")["tasks"] if t[2]), key=lambda t: -t[6])[:3]
        each = [view.get(f"api/stats?what=wakeups&task={t[0]}") for t in tasks]
        sel = view.post("api/select", {"tasks": [f"0:{t[2]}" for t in tasks]})["id"]
        both = view.get(f"api/stats?what=wakeups&sel={sel}")
        same((both["n"], both["max"]), (sum(w["n"] for w in each), max(w["max"] for w in each)), "wakeups")
        check(0 < both["n"] < view.get("api/stats?what=wakeups")["n"], "wakeups of some")
        same({w["task"] for w in both["worst"]} - {t[0] for t in tasks}, set(), "tasks of the longest waits")
        _, _, page = view.ask("GET", view.path(f"api/export?what=html&lanes=cpu:0:0&sel={sel}"))
        data = json.loads(re.search(r'id="data">(.*?)</script>', page.decode(), re.S).group(1))
        same({t["task"] for t in data["tasks"]["tasks"]}, {t[0] for t in tasks}, "tasks of the saved page")
        same(sum(n for _, n in data["events"]["kinds"]), sum(t[5] for t in tasks), "events of the saved page")
        # a filter that is not about tasks leaves them all
        sel = view.post("api/select", {"kinds": ["sched_switch"]})["id"]
        same(view.get(f"api/stats?what=wakeups&sel={sel}"), view.get("api/stats?what=wakeups"), "wakeups of all")


def test_spans():
    """Lanes in one request: those without spans, or that are none, are named; what is too much is left out."""
    with Server(trace("events-v7-zstd")) as view:
        events, start = report(trace("events-v7-zstd")), origin(view)
        begun, lengths = {}, collections.defaultdict(list)
        for e in events:
            if e["event"] == "softirq_entry":
                begun[e["cpu"]] = e
            elif e["event"] == "softirq_exit" and e["cpu"] in begun:
                first = begun.pop(e["cpu"])
                lengths[first["fields"]["vec"]].append((e["ts"] - first["ts"], first["ts"] - start, first["cpu"]))
        got = view.get("api/stats?what=spans&lanes=softirq:0:0,cpu:0:0,softirq:0:1,nosuch:0,softirq:0:0,sys:0:99999999")
        same([r["lane"] for r in got["refused"]], ["cpu:0:0", "nosuch:0", "sys:0:99999999"], "refused lanes")
        check(all(r["why"] for r in got["refused"]), "no reason")
        whole = [x for one in lengths.values() for x in one]
        row = got["rows"][0]
        check("name" not in row, "the first row has a name")
        same((row["n"], row["total"], (row["max"], row["max_at"], int(row["max_lane"].split(":")[2]))),
             (len(whole), sum(x[0] for x in whole), max(whole)), "all softirqs")
        same(sorted((r["n"], r["max"]) for r in got["rows"][1:] if r["n"]),
             sorted((len(one), max(one)[0]) for one in lengths.values()), "by name")
        same(view.get("api/stats?what=spans")["rows"], [], "no lanes")
        many = ",".join(f"softirq:0:{cpu}" for cpu in range(400))
        same(view.get(f"api/stats?what=spans&lanes={many}")["rows"], got["rows"], "with CPUs that are not there")
        same(view.get("api/stats?what=spans&from=0&to=0&lanes=softirq:0:0")["rows"], [], "an empty range")
    with Server(trace("stacks")) as view:
        flame = view.get("api/stats?what=flame")
        same((flame["unit"], flame["by"]), ("stacks", "stacks"), "stacks of events")
        for choice in flame["choices"][1:]:
            one = view.get(f"api/stats?what=flame&by={choice['by']}")
            same((one["by"], one["root"]["value"]), (choice["by"], choice["n"]), "stacks of one event")
        for by in ("functions", "no/such", "%22%3Cx", "/", ""):
            one = view.get(f"api/stats?what=flame&by={by}")
            check(one["root"]["value"] in (0, flame["root"]["value"]), f"by={by}")


def test_why():
    """The path of a task covers its range without gaps."""
    with Server(trace("events-v7-none")) as view:
        info = view.get("api/info")
        tasks = [t for t in view.get("api/tasks")["tasks"] if t[2] and t[6]]
        task = max(tasks, key=lambda t: t[6])
        low, high = task[7], task[8]
        path = view.get(f"api/why?task={task[0]}&from={low}&to={high}")["path"]
        check(path, "no path")
        same((path[0]["start"], path[-1]["end"]), (low, high), "ends of the path")
        check(all(a["end"] == b["start"] for a, b in zip(path, path[1:])), "a gap in the path")
        check(all(p["why"] for p in path), "a piece without a reason")
        view.get("api/why", 400)
        check(info["duration"] >= high, "duration")


def test_arrows():
    """Who woke whom, and when it ran."""
    with Server(trace("events-v7-none")) as view:
        events, start = report(trace("events-v7-none")), origin(view)
        tasks = {t[0]: t[2] for t in view.get("api/tasks")["tasks"]}
        wakings = [e for e in events if e["event"] == "sched_waking"]
        name = "sched_waking" if wakings else "sched_wakeup"
        wakings = sorted((e["ts"] - start, e["pid"], e["cpu"], e["fields"]["pid"]) for e in events
                         if e["event"] == name)
        runs = sorted((e["ts"] - start, e["fields"]["next_pid"], e["cpu"]) for e in events
                      if e["event"] == "sched_switch")
        answer = view.get("api/arrows?max=300")
        got = {(a[0], tasks[a[1]], a[2], tasks[a[3]]): (a[4], a[5]) for a in answer["arrows"]}
        check(len(wakings) <= 300 or answer["more"], "more is not told")
        found = 0
        for waking in wakings[:250]:
            if waking not in got:
                continue
            found += 1
            later = next(((t, cpu) for t, pid, cpu in runs if pid == waking[3] and t >= waking[0]), None)
            if later and later[0] - waking[0] < 1e9:
                same(got[waking], later, f"end of the arrow of {waking}")
        check(found > 200 or found == len(wakings), f"{found} of {len(wakings)} wakings have an arrow")
        view.get("api/arrows?max=99999999", 400)


def test_several_files():
    """Two files on one time line, and their events in order."""
    paths = [trace("events-v6"), trace("events-v7-none")]
    with Server(*paths) as view:
        events, info = report(*paths), view.get("api/info")
        same(info["events"], len(events), "events of both")
        same(info["title"], "events-v6.dat and 1 more", "title")
        same(sorted(r["ts"] for r in view.rows()), sorted(e["ts"] - int(info["origin"]) for e in events),
             "times")


def test_aligned_files():
    """--align: files that are compared begin at the same time, each on a machine of its own."""
    paths = [trace("events-v6"), trace("events-v7-none")]
    with Server(*paths, options=("--no-cache", "--align")) as view:
        rows, info = view.rows(), view.get("api/info")
        same([pathlib.Path(m["name"]).name for m in info["machines"]], [p.name for p in paths], "machines")
        for machine, path in enumerate(paths):
            times = [e["ts"] for e in report(path)]
            first = min(times)
            same(sorted(r["ts"] for r in rows if r["machine"] == machine), sorted(t - first for t in times),
                 f"times of {path.name}")


def test_damage():
    """What is missing is told, and the rest is shown."""
    with Server(trace("made-cut-v7")) as view:
        check(view.get("api/info")["damage"], "no word of the damage")


def test_many_tasks():
    """More tasks than the viewer has numbers for: it says so, and events of the others keep their names. Lanes beyond
    the ceiling replace others, and come back the same."""
    n_tasks, n_lanes = 65_700, 4_200
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "many.dat")
        growth.tasks(n_tasks).write(path)
        with Server(path) as view:
            said = view.get("api/info")["limits"]
            check(len(said) == 1 and "65 535 tasks or more" in said[0] and "sonde split" in said[0], f"limits: {said}")
            tasks = view.get("api/tasks")["tasks"]
            same(len(tasks), 65_535, "tasks with a number")
            missing = next(iter(set(range(1, n_tasks + 1)) - {t[2] for t in tasks}))
            row = view.get(f"api/rows?row={missing - 1}&n=1")["rows"][0]
            check(f"t{missing}" in json.dumps(row), f"the event of task {missing}: {row}")
            _, _, body = view.ask("GET", view.path("api/export?what=html&lanes=cpu:0:0"))
            check(b"65 535 tasks or more" in body, "the saved page does not say so")
            pids = [t[2] for t in tasks if t[2]][:n_lanes]
            first = view.tiles([[f"task:0:{pids[0]}", 20, 0, 0]])
            for i in range(0, n_lanes, 60):
                view.tiles([[f"task:0:{pid}", 20, 0, 0] for pid in pids[i:i + 60]])
            same(view.tiles([[f"task:0:{pids[0]}", 20, 0, 0]]), first, "a lane that was forgotten and built again")
    with Server(trace("events-v7-none")) as view:
        same(view.get("api/info")["limits"], [], "limits of a small trace")


def test_live_of_a_file():
    """A finished file is not live."""
    with Server(trace("tour")) as view:
        live = view.get("api/live")
        same((live["live"], live["paused"]), (False, False), "live")
        same(live["end"], view.get("api/info")["duration"], "end")
        same(view.post("api/live", {"pause": True})["paused"], True, "pause")
        same(view.post("api/live", {"pause": False})["paused"], False, "pause")
        view.post("api/live", {"pause": 1}, 400)




def make_host_and_guest(place):
    """A host that runs two virtual CPUs in threads 70 and 71, and the guest, 1 ms behind the host's clock."""
    second = 1_000_000_000
    host, guest = tracedat.Trace(7), tracedat.Trace(7)
    host.option(tracedat.TRACEID, struct.pack("<Q", 5))
    host.option(tracedat.GUEST, b"debian\0" + struct.pack("<QIIIII", 99, 2, 0, 70, 1, 71))
    guest.option(tracedat.TRACEID, struct.pack("<Q", 99))
    sample = struct.pack("<I", 1) + struct.pack("<3q", second, 1_000_000, 1)
    guest.option(tracedat.TIME_SHIFT, struct.pack("<QII", 5, 0, 2) + 2 * sample + 2 * struct.pack("<q", 0))
    for trace_of, pid in ((host, 70), (guest, 2)):
        tick = trace_of.event("demo", "tick", ["int n"], '"%d", REC->n')
        for i in range(40):
            trace_of.top.cpu(i % 2).add(second + i * 100_000, tick(pid=pid + i % 2, n=i))
    host.write(place / "host.dat")
    guest.write(place / "guest.dat")
    return place / "host.dat", place / "guest.dat"


def test_guest():
    """A guest is a machine below its host, on the host's clock, with its virtual CPUs' threads."""
    with tempfile.TemporaryDirectory() as place:
        paths = make_host_and_guest(pathlib.Path(place))
        with Server(*paths) as view:
            info, events = view.get("api/info"), report(*paths)
            machines = info["machines"]
            same([(m["name"], m["guest_of"]) for m in machines], [("host.dat", -1), ("debian", 0)], "machines")
            same(machines[1]["vcpus"], [{"cpu": 0, "pid": 70}, {"cpu": 1, "pid": 71}], "virtual CPUs")
            check("vcpu:1:0" not in info["lanes"], "a lane of a virtual CPU, though the host tells nothing of it")
            rows = view.rows()
            same(sorted((r["ts"], r["machine"], r["pid"]) for r in rows),
                 sorted((e["ts"] - int(info["origin"]), int(e["file"] == "guest.dat"), e["pid"]) for e in events),
                 "rows")
            same({(t[1], t[2]) for t in view.get("api/tasks")["tasks"] if t[5]}, {(0, 70), (0, 71), (1, 2), (1, 3)},
                 "tasks")
        with Server(paths[0], paths[0]) as view:       # the same machine twice: one machine, if it says its name
            same(len(view.get("api/info")["machines"]), 2, "machines without a name")


def test_single_spans():
    """The spans of one name, one by one: all are counted, the first of an order are listed."""
    with Server(trace("events-v7-zstd")) as view:
        events, start = report(trace("events-v7-zstd")), origin(view)
        begun, spans = {}, []
        for e in events:
            if e["event"] == "irq_handler_entry":
                begun[e["cpu"]] = e
            elif e["event"] == "irq_handler_exit" and e["cpu"] in begun:
                b = begun.pop(e["cpu"])
                spans.append((b["fields"]["name"], e["cpu"], b["ts"] - start, e["ts"] - start))
        name = collections.Counter(s[0] for s in spans).most_common(1)[0][0]
        mine = [s for s in spans if s[0] == name]
        ask = f"api/stats?what=list&lanes=irq:0:0,irq:0:1,irq:0:1&name={name}"
        orders = {"longest": lambda s: (s[2] - s[3], s[2]), "shortest": lambda s: (s[3] - s[2], s[2]),
                  "first": lambda s: s[2], "last": lambda s: -s[2]}
        for order, key in orders.items():
            got = view.get(f"{ask}&order={order}&n=20")
            same(got["n"], len(mine), f"spans of {name}")
            same(got["total"], sum(s[3] - s[2] for s in mine), "their time")
            same([(int(r["lane"].split(":")[2]), r["start"], r["end"]) for r in got["rows"]],
                 [s[1:] for s in sorted(mine, key=key)[:20]], f"the {order}")
        low, high = mine[len(mine) // 3][2], mine[len(mine) // 2][2]
        got = view.get(f"{ask}&from={low}&to={high}&n=5000")
        same(got["n"], len([s for s in mine if s[2] <= high and s[3] > low]), "spans that touch a range")
        same(view.get("api/stats?what=list&lanes=irq:0:0&name=nosuch")["n"], 0, "a name that is not there")
        # lanes of CPUs and tasks have values instead of names
        pid = view.get("api/tasks")["tasks"][3]
        got = view.get(f"api/stats?what=list&lanes=cpu:0:0,irq:0:0&value={pid[0]}&order=first")
        same([r["lane"] for r in got["refused"]], ["irq:0:0"], "lanes without such a value")
        for row in got["rows"][:5]:
            at = view.get(f"api/span?lane={row['lane']}&t={row['start']}")
            same((at["start"], at["value"]), (row["start"], pid[0]), "a run of the task")
        view.get(f"{ask}&order=any", 400)
        view.get(f"{ask}&n=5001", 400)
