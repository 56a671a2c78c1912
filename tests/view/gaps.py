"""Where data is missing, lanes say unknown: of CPUs and of tasks, in answers and pictures.

covers: K03 K06
"""
import re
import subprocess
import tempfile

from answers import origin, trace
from server import SONDE, Server, check, report, same

UNKNOWN, RUNNING, RUNNABLE, PREEMPTED = 0, 1, 2, 3
NOBODY = 65535
CUT_AT = 1_200_000      # bytes of events-v7-zstd.dat: from 1.75 s on CPU 1 has no data, CPU 0 has


def cut_trace(place):
    whole = trace("events-v7-zstd").read_bytes()
    check(len(whole) > CUT_AT, "the golden trace is too short to be cut")
    path = f"{place}/cut.dat"
    with open(path, "wb") as f:
        f.write(whole[:CUT_AT])
    return path


def spans_of(view, lane):
    """All spans of a lane, in order."""
    spans, t = [], 0
    step = "at"
    while True:
        span = view.get(f"api/span?lane={lane}&t={t}&row=0&step={step}")
        if "none" not in span:
            spans.append(span)
            t = span["start"]
        elif step == "next":
            return spans
        step = "next"


def idle_or_dark(spans, start, end):
    """Did this CPU become idle, or dark, in (start, end)?"""
    last = None
    for span in spans:
        if last is not None and span["start"] > last and start < last < end:
            return True
        if span["value"] == NOBODY and start < span["start"] < end:
            return True
        last = span["end"]
    return False


def test_unknown_states_of_a_cut_trace():
    """A task that waits while a CPU has no data is unknown, unless where it runs next shows that it waited."""
    with tempfile.TemporaryDirectory() as place, Server(cut_trace(place)) as view:
        end = view.get("api/info")["duration"]
        cpu1 = spans_of(view, "cpu:0:1")
        same(cpu1[-1]["value"], NOBODY, "who runs on CPU 1 in the end")
        dark, cpu0 = cpu1[-1]["start"], spans_of(view, "cpu:0:0")
        n_unknown = n_waits = 0
        for task in view.get("api/tasks")["tasks"]:
            if not task[2]:
                continue
            spans = spans_of(view, f"task:0:{task[2]}")
            for at, span in enumerate(spans):
                after = spans[at + 1] if at + 1 < len(spans) else None
                same(span["end"], after["start"] if after else end, f"end of a state of {task[4]}")
                n_unknown += span["value"] == UNKNOWN and span["start"] >= dark
                if span["value"] not in (RUNNABLE, PREEMPTED) or span["end"] <= dark:
                    continue
                if after and after["value"] == UNKNOWN:
                    check(after["start"] <= dark or span["end"] == after["start"], "a wait goes on in the dark")
                    same(span["end"], max(dark, span["start"]), f"how long {task[4]} surely waits")
                    continue
                n_waits += 1
                check(after and after["value"] == RUNNING, f"{task[4]} waits from {span['start']} and does not run")
                check(not idle_or_dark(cpu0, span["start"], span["end"]),
                      f"{task[4]} waits from {span['start']} for CPU 0, which is idle")
        check(n_unknown > 5 and n_waits > 5, f"{n_unknown} times unknown, {n_waits} waits")


def test_unknown_states_of_a_range():
    """A range says the same as the whole, whether it begins or ends where nobody knows."""
    with tempfile.TemporaryDirectory() as place, Server(cut_trace(place)) as view:
        end = view.get("api/info")["duration"]
        for task in view.get("api/tasks")["tasks"]:
            if task[4] not in ("rcu_preempt", "trace-cmd", "ls"):
                continue
            spans = spans_of(view, f"task:0:{task[2]}")
            for tenth in range(10):
                start, stop = end * tenth // 10, end * (tenth + 1) // 10
                wanted = [0] * 9
                for span in spans:
                    wanted[span["value"]] += max(0, min(stop, span["end"]) - max(start, span["start"]))
                got = [t for t in view.get(f"api/stats?what=tasks&from={start}&to={stop}")["tasks"]
                       if t["task"] == task[0]]
                same(got[0]["states"] if got else [0] * 9, wanted, f"states of {task[4]} from {start} to {stop}")


def test_unknown_in_tiles_and_pictures():
    """The sums of a zoomed out lane have the unknown time, and a picture has stripes for it."""
    with tempfile.TemporaryDirectory() as place:
        path = cut_trace(place)
        with Server(path) as view:
            pid = next(t[2] for t in view.get("api/tasks")["tasks"] if t[4] == "rcu_preempt")
            lane = f"task:0:{pid}"
            unknown = sum(s["end"] - s["start"] for s in spans_of(view, lane) if s["value"] == UNKNOWN)
            for level in (12, 16, 20, 22, 26):
                tiles, got = view.get("api/info")["duration"] >> (level + 10), 0
                for tile in view.tiles([[lane, level, n] for n in range(tiles + 1)]):
                    got += sum((x1 - x0) * weight / 65535 * 2 ** level
                               for x0, x1, value, weight, _, _ in tile["records"] if value == UNKNOWN)
                check(abs(got - unknown) < unknown / 100, f"level {level}: {got} of {unknown} ns unknown")
        svg = subprocess.run([SONDE, "export", "--svg", "--lanes", f"cpu:0:1,{lane}", "-o", "-", path],
                             capture_output=True, check=False).stdout.decode()
        check('<pattern id="s0"' in svg, "no stripes")
        for spec in ("cpu:0:1", lane):
            group = re.search(f'data-lane="{spec}">(.*?)</g>', svg, re.S).group(1)
            check('fill="url(#s0)"><title>unknown' in group, f"nothing is unknown in the picture of {spec}")


def test_saved_page_tells_what_is_missing():
    """A saved page says that its file is truncated, or that events were lost; one of a whole trace says nothing."""
    with tempfile.TemporaryDirectory() as place:
        for path, words in [(cut_trace(place), "the data of CPU 1 is truncated"), (trace("lost-events"), "The recording lost "),
                            (trace("events-v7-zstd"), None)]:
            page = subprocess.run([SONDE, "export", "--html", "--lanes", "cpu:0:1", "-o", "-", path],
                                  capture_output=True, check=False).stdout.decode()
            said = re.findall(r'<p class="warning" role="note">(.*?)</p>', page)
            check(any(words in line for line in said) if words else not said, f"{path}: the page says {said}")


def check_losses(view, lost, start, name):
    """api/loss goes through all places where report says that events were lost, forwards and backwards."""
    head = view.get("api/loss")
    same((head["places"], head["events"]), (len(lost), sum(n for _, n in lost if n > 0)), f"{name}: losses")
    same(head["counted"], all(n > 0 for _, n in lost), f"{name}: whether all were counted")
    for step, t, wanted in (("next", 0, sorted(lost)), ("previous", view.get("api/info")["duration"] + 1, sorted(lost)[::-1])):
        times = list(dict.fromkeys(ts for ts, _ in wanted if ts))     # 0 is not after 0
        got = []
        while "none" not in (loss := view.get(f"api/loss?t={t}&step={step}")):
            t = loss["ts"]
            if t:
                got.append(t)
            check((t, loss["missed"]) in lost, f"{name}: {loss} is not in the report")
            event = view.get(f"api/event?ref={loss['ref']}")
            same((event["ts"], event["cpu"], event["missed"]), (t, loss["cpu"], loss["missed"]), f"{name}: the event")
        same(got, times, f"{name}: {step} losses, from {start}")
    view.get("api/loss?step=at", 400)


def test_losses():
    """How many events were lost, and the way from one place to the next; the same with an index from another time."""
    for name in ("lost-events", "made-missed", "events-v7-zstd"):
        with tempfile.TemporaryDirectory() as cache:
            for _ in range(2):
                with Server(trace(name), options=(), env={"XDG_CACHE_HOME": cache}) as view:
                    start = origin(view)
                    lost = [(e["ts"] - start, -1 if e["missed"] is None else e["missed"])
                            for e in report(trace(name)) if e.get("missed", 0) != 0]
                    check(lost or name == "events-v7-zstd", f"{name} has lost nothing")
                    check_losses(view, lost, start, name)


def test_not_recorded_is_not_lost():
    """Time before a CPU's first event was not recorded: grey in pictures, without the flag of a loss. A loss is red."""
    for name in ("events-v7-zstd", "lost-events"):
        events = report(trace(name))
        start = min(e["ts"] for e in events)
        with Server(trace(name)) as view:
            cpus = view.get("api/info")["machines"][0]["cpus"]
            n_red = n_grey = 0
            for cpu in cpus:
                first = next(e for e in events if e["cpu"] == cpu)
                svg = view.ask("GET", view.path(f"api/export?what=svg&lanes=cpu:0:{cpu}"))[2].decode()
                red = svg.count('fill="url(#s0)"')
                flags = []
                for span in spans_of(view, f"cpu:0:{cpu}"):
                    if span["value"] != NOBODY:
                        continue
                    lost = bool(span["flags"] & 2)
                    n_red += lost
                    n_grey += not lost
                    flags.append(lost)
                    if span["end"] <= first["ts"] - start:
                        same(lost, bool(first.get("missed")), f"{name}: the time before the first event of CPU {cpu}")
                check(any(flags) or not red, f"{name}: nothing was lost on CPU {cpu}, and the picture is red")
                check("not recorded:" in svg or all(flags) or any(flags), f"{name}: the picture of CPU {cpu} does not say not recorded")
            same(n_red > 0, name == "lost-events", f"{name}: {n_red} red, {n_grey} grey times")
            # what a task did while a CPU lost events is not known for that reason
            red = [s for cpu in cpus for s in spans_of(view, f"cpu:0:{cpu}") if s["value"] == NOBODY and s["flags"] & 2]
            pid = next(t[2] for t in view.get("api/tasks")["tasks"] if t[4] == "rcu_preempt")
            for span in spans_of(view, f"task:0:{pid}"):
                if span["value"] == UNKNOWN and any(s["start"] < span["end"] and s["end"] > span["start"] for s in red):
                    check(span["flags"] & 2, f"{name}: {pid} from {span['start']} to {span['end']}, while events were lost")
            check(n_grey > 0 or name == "lost-events", f"{name}: nothing is grey")
