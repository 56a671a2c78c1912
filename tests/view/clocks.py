"""Every clock of the kernel has its own unit, in what the page is told, in pictures and in Why.

covers: B02
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tracedat     # noqa: E402  (found through the line above)
from server import SONDE, Server, check, same  # noqa: E402

START, STEP = 5_000_000, 20_000
NS = {"local", "global", "perf", "mono", "mono_raw", "boot", "tai", "tsc2nsec"}
# name: nanoseconds of its unit, or what it counts; uptime is clock_t, 100 in a second
UNITS = {**{name: (1, "") for name in NS}, "uptime": (10_000_000, ""), "counter": (0, "counts"), "x86-tsc": (0, "cycles"),
         "ppc-tb": (0, "ticks")}
# how 20 000 of its units are written
WORDS = {"uptime": "200 s", "counter": "20000 counts", "x86-tsc": "20000 cycles", "ppc-tb": "20000 ticks"}


def write_trace(place, clock):
    t = tracedat.Trace(version=7, clock=clock)
    switch = t.event("sched", "sched_switch", [
        "char prev_comm[16]", "pid_t prev_pid", "int prev_prio", "long prev_state", "char next_comm[16]",
        "pid_t next_pid", "int next_prio"], '"%d ==> %d", REC->prev_pid, REC->next_pid')
    for i, (before, after) in enumerate([(0, 10), (10, 11), (11, 0), (0, 10)]):
        t.top.cpu(0).add(START + i * STEP, switch(pid=before, prev_comm=f"t{before}", prev_pid=before,
                                                  prev_state=0, next_comm=f"t{after}", next_pid=after))
    path = pathlib.Path(place) / f"{clock}.dat"
    t.write(path)
    return path


def test_units_of_clocks():
    """unit_ns and counted of api/info; lengths in a picture; the sentences of Why."""
    with tempfile.TemporaryDirectory() as place:
        for clock, (unit_ns, counted) in UNITS.items():
            path, words = write_trace(place, clock), WORDS.get(clock, "20 µs")
            with Server(path) as view:
                info = view.get("api/info")
                same((info["clock"], info["unit_ns"], info["counted"], info["unit"]),
                     (clock, unit_ns, counted, "ns" if unit_ns else "count"), "its unit")
                task = next(t[0] for t in view.get("api/tasks")["tasks"] if t[2] == 10)
                why = " ".join(p["why"] for p in view.get(f"api/why?task={task}")["path"])
                check(re.search(words.replace("20 µs", r"20\.000 µs").replace("200 s", r"200\.000 s"), why), f"{clock}: {why}")
            svg = subprocess.run([SONDE, "export", "--svg", "--lanes", "cpu:0:0", path], capture_output=True, check=True).stdout.decode()
            check(f"<title>t10-10 {words}</title>" in svg, f"{clock}: {re.findall('<title>.*?</title>', svg)}")
            page = subprocess.run([SONDE, "export", "--html", "--lanes", "cpu:0:0", path], capture_output=True, check=True).stdout.decode()
            check(f'"unit_ns":{unit_ns}' in page, f"{clock}: the saved page does not know the unit")
        # a distance with a unit is one also on a clock that report prints as a bare number
        part = subprocess.run([SONDE, "export", "--svg", "--lanes", "cpu:0:0", "--from", "+10us", "--to", "+30us", f"{place}/boot.dat"],
                              capture_output=True, check=False)
        check(b"10 \xc2\xb5s to 30 \xc2\xb5s" in part.stdout, f"{part.stderr} {part.stdout[:300]}")
