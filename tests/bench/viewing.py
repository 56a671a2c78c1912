"""How fast the viewer answers: from its start to the first picture, and at any zoom.

    viewing.py SONDE FILE      prints all figures, in seconds

The page's own part (drawing) is measured in tests/browser; this is the program's.
"""
import http.client
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

LANES = 50
ZOOMS = 60
WIDTH = 1600        # pixels of lanes on a screen


class View:
    """A running `sonde view` with a connection to it."""

    def __init__(self, sonde, path, options=("--no-cache",)):
        self.start = time.monotonic()
        words = [sonde, "view", "--no-browser", *options, *([str(path)] if path else [])]
        self.proc = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        address = self.proc.stdout.readline().strip()
        _, _, host, self.token, _ = address.split("/")
        self.connection = http.client.HTTPConnection(host, timeout=120)

    def ask(self, path, body=None):
        self.connection.request("POST" if body else "GET", f"/{self.token}/{path}", body)
        answer = self.connection.getresponse()
        data = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {data[:200]}")
        return data

    def info(self):
        return json.loads(self.ask("api/info"))

    def indexed(self):
        while (info := self.info())["progress"] < 1:
            time.sleep(0.02)
        return info

    def tiles(self, lanes, level, numbers):
        body = {"seq": 1, "tiles": [[lane, level, n] for lane in lanes for n in numbers]}
        return self.ask("api/tiles", json.dumps(body))

    def end(self):
        self.connection.close()
        self.proc.send_signal(signal.SIGINT)
        self.proc.wait(60)
        self.proc.stdout.close()


def open_seconds(sonde, path):
    """From the start of the process to all that a first picture needs."""
    view = View(sonde, path)
    try:
        info = view.info()
        view.ask("")
        view.ask(f"api/density?n={WIDTH}")
        return time.monotonic() - view.start, info
    finally:
        view.end()


def choose_lanes(view, info):
    """CPUs, and the tasks that ran longest: their states, and ticks of the most frequent events."""
    lanes = [f"cpu:{m['n']}:{cpu}" for m in info["machines"] for cpu in m["cpus"]]
    tasks = sorted(json.loads(view.ask("api/tasks"))["tasks"], key=lambda t: -t[6])
    lanes += [f"task:{t[1]}:{t[2]}" for t in tasks if t[2]]
    kinds = sorted(json.loads(view.ask("api/kinds"))["kinds"], key=lambda k: -k["events"])
    lanes += [f"event:{k['machine']}:{k['system']}/{k['name']}" for k in kinds if k["events"]]
    return lanes[:LANES]


def zoom(rng, duration):
    """A range that a user may look at: its level, and the numbers of its tiles."""
    span = duration / 2 ** rng.uniform(0, 20)
    start = rng.uniform(0, duration - span)
    level = max(0, int(span / WIDTH).bit_length() - 1)
    size = 1024 << level
    return level, range(int(start // size), int((start + span) // size) + 1)


def zoom_seconds(sonde, path):
    """p95 of a picture of 50 lanes anywhere: (cold: asked for the first time, warm: again, lanes, first)."""
    view = View(sonde, path)
    try:
        info = view.indexed()
        lanes, rng = choose_lanes(view, info), random.Random(7)
        began = time.monotonic()
        view.tiles(lanes, *zoom(rng, info["duration"]))     # lanes are built when first asked for
        first = time.monotonic() - began
        places = [zoom(rng, info["duration"]) for _ in range(ZOOMS)]
        results = []
        for _ in range(2):
            times = []
            for place in places:
                began = time.monotonic()
                view.tiles(lanes, *place)
                times.append(time.monotonic() - began)
            results.append(statistics.quantiles(times, n=20)[-1])
        return *results, len(lanes), first
    finally:
        view.end()


def one_of_each(view, info):
    """Lanes of every kind that the trace has events for, the busiest of each."""
    tasks = sorted((t for t in json.loads(view.ask("api/tasks"))["tasks"] if t[2]), key=lambda t: -t[6])
    kinds = {f"{k['system']}/{k['name']}": k["events"] for k in json.loads(view.ask("api/kinds"))["kinds"]}
    yield "task", f"task:0:{tasks[0][2]}"
    yield "event", "event:0:" + max(kinds, key=kinds.get)
    if kinds.get("irq/irq_handler_entry"):
        yield "interrupts", f"irq:0:{info['machines'][0]['cpus'][-1]}"
    if kinds.get("raw_syscalls/sys_enter"):
        yield "system calls", f"sys:0:{tasks[0][2]}"
    if kinds.get("sched/sched_waking"):
        yield "curve", "field:0:sched/sched_waking:pid"
        yield "pairs", "pair:0:sched/sched_waking:sched/sched_switch:pid:next_pid"


def lane_seconds(sonde, path):
    """How long a lane takes that is asked for alone and for the first time: {what: seconds}."""
    view = View(sonde, path)
    try:
        info = view.indexed()
        level = max(0, int(info["duration"] / WIDTH).bit_length() - 1)
        took = {}
        for what, lane in one_of_each(view, info):
            began = time.monotonic()
            view.tiles([lane], level, range(2))
            took[what] = time.monotonic() - began
        return took
    finally:
        view.end()


PING = """
import os, sys, time
(a, b), (c, d) = os.pipe(), os.pipe()
if os.fork() == 0:
    while os.read(a, 1) == b"x":
        os.write(d, b"x")
    os._exit(0)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    os.write(b, b"x")
    os.read(c, 1)
os.write(b, b"q")
os.wait()
"""
LIVE_SECONDS = 25


def live_seconds(sonde):
    """A recording of 100 000 events a second and more: p95 of what a page asks for, by how much it was further
    behind at most than at best, MB, events a second."""
    pings = [subprocess.Popen([sys.executable, "-c", PING, str(LIVE_SECONDS)]) for _ in range(2)]
    view = View(sonde, None, ("--live", "-e", "sched"))
    times, ends, began = [], [], time.monotonic()
    try:
        while time.monotonic() - began < LIVE_SECONDS:
            asked = time.monotonic()
            info = view.info()
            if info["duration"]:
                level = 22
                last = info["duration"] >> (level + 10)
                view.tiles(info["lanes"], level, range(max(0, last - 1), last + 1))
                ends.append(asked - info["duration"] / 1e9)
            times.append(time.monotonic() - asked)
            time.sleep(0.1)
        with open(f"/proc/{view.proc.pid}/status") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        return statistics.quantiles(times, n=20)[-1], max(ends) - min(ends), peak / 1024, info["events"] / LIVE_SECONDS
    finally:
        view.end()
        for ping in pings:
            ping.wait()


def reopen_seconds(sonde, path):
    """With the index of the time before."""
    with tempfile.TemporaryDirectory() as cache:
        options = ("--cache-dir", cache)
        view = View(sonde, path, options)
        try:
            view.indexed()
            end = time.monotonic() + 60
            while not any(not n.startswith(".") and "tmp" not in n for n in os.listdir(cache)) and time.monotonic() < end:
                time.sleep(0.1)
        finally:
            view.end()
        view = View(sonde, path, options)
        try:
            view.indexed()
            return time.monotonic() - view.start
        finally:
            view.end()


def main():
    sonde, path = sys.argv[1:]
    print(f"open {open_seconds(sonde, path)[0]:.3f}")
    cold, warm, n, first = zoom_seconds(sonde, path)
    print(f"zoom of {n} lanes: first {first:.3f}, cold p95 {cold:.3f}, warm p95 {warm:.3f}")
    print("first of its kind: " + ", ".join(f"{what} {s:.3f}" for what, s in lane_seconds(sonde, path).items()))
    print(f"reopen {reopen_seconds(sonde, path):.3f}")
    if not os.geteuid():
        print("live: p95 {:.3f}, behind {:.1f} s, {:.0f} MB, {:.0f} events/s".format(*live_seconds(sonde)))


if __name__ == "__main__":
    main()
