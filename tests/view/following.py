"""A recording that is looked at while it goes on.

covers: B02
"""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from server import EXTRA, SONDE, Problem, Server, Skip, check, report, same

WAIT_S = 120


def need_tracing():
    if os.geteuid():
        raise Skip("needs root")
    with tempfile.TemporaryDirectory() as place:
        run = subprocess.run([SONDE, "record", "-q", "-e", "sched", "-o", f"{place}/t.dat", "true"],
                             capture_output=True, text=True, timeout=300)
    if run.returncode:
        raise Skip(f"nothing can be recorded here: {run.stderr.strip().splitlines()[-1:]}")


def wait_for(condition, what):
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.1)
    raise Problem(f"{what} did not happen within {WAIT_S} s")


def grows(view):
    """Waits until there is more than now."""
    before = view.get("api/info")["events"]
    return wait_for(lambda: view.get("api/info")["events"] > before, "a new event")


def test_live_recording():
    """Events come while it runs; Ctrl-C ends the recording and leaves nothing behind."""
    need_tracing()
    with tempfile.TemporaryDirectory() as place:
        with Server(options=("--live", "-e", "sched"), env={"TMPDIR": place}, wait=False) as view:
            grows(view)
            grows(view)
            wait_for(lambda: view.get("api/info")["events"] >= 50, "50 events")
            info, live = view.get("api/info"), view.get("api/live")
            check(info["live"] and live["live"], "it is not live")
            wait_for(lambda: view.get("api/info")["machines"][0]["sched"], "scheduling")
            status = pathlib.Path(f"/proc/{view.proc.pid}/status").read_text()
            check(EXTRA or "Seccomp:\t2" in status, "the server is not in its sandbox")
            check(EXTRA or "CapEff:\t0000000000000000" in status, "the server has capabilities")
            # scrolling back: rows that were there stay where they were
            rows = view.get("api/rows?row=0&n=50")["rows"]
            paused = view.post("api/live", {"pause": True})
            grows(view)
            same(view.get("api/live")["end"], paused["end"], "end while it is paused")
            # the first events that come may be older ones of another CPU
            wait_for(lambda: view.get("api/info")["duration"] > paused["end"], "going on while it is paused")
            same(view.get("api/rows?row=0&n=50")["rows"], rows, "the first rows")
            tile, = view.tiles([["cpu:0:0", 20, 0]])
            same(tile["kind"], "cpu", "a tile of a live trace")
            view.post("api/live", {"pause": False})
        same(os.listdir(place), [], "what is left in the temporary directory")


def test_live_command():
    """A command, and a file that stays; when the command ends the page can still be looked at."""
    need_tracing()
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "t.dat"
        path.write_bytes(b"an older file")
        with Server("sh", "-c", f"until [ -e {place}/enough ]; do sleep 0.1; done", wait=False,
                    options=("--live", "-e", "sched", "-o", str(path))) as view:
            pathlib.Path(place, "enough").touch()
            wait_for(lambda: not view.get("api/live")["live"], "the end of the command")
            info = view.indexed()
            same((info["events"], info["damage"]), (len(report(path)), []), "events after the end")
        check(path.exists(), "the file is gone")


def test_live_file():
    """A file that another sonde records."""
    need_tracing()
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "t.dat"
        recorder = subprocess.Popen([SONDE, "record", "-q", "-e", "sched", "-o", path], stderr=subprocess.PIPE)
        try:
            wait_for(lambda: path.exists() and path.stat().st_size, "the recording")
            with Server(path, options=("--live",), wait=False) as view:
                grows(view)
                check(view.get("api/live")["live"], "it is not live")
                recorder.send_signal(signal.SIGINT)
                same(recorder.wait(WAIT_S), 0, "the recorder")
                wait_for(lambda: not view.get("api/live")["live"], "the end")
                info = view.indexed()
                same((info["events"], info["damage"]), (len(report(path)), []), "events after the end")
        finally:
            if recorder.poll() is None:
                recorder.send_signal(signal.SIGTERM)
                recorder.wait(WAIT_S)
            recorder.stderr.close()


def test_live_without_being_told():
    """A file that is being recorded is followed, and complete when its recorder has ended; one that is done is not."""
    need_tracing()
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "t.dat"
        recorder = subprocess.Popen([SONDE, "record", "-q", "-e", "sched", "-o", path], stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: path.exists() and path.stat().st_size, "the recording")
            with Server(path, wait=False) as view:
                grows(view)
                check(view.get("api/live")["live"], "it is not live")
                recorder.send_signal(signal.SIGINT)
                same(recorder.wait(WAIT_S), 0, "the recorder")
                wait_for(lambda: not view.get("api/live")["live"], "the end")
                info = view.indexed()
                same((info["events"], info["damage"]), (len(report(path)), []), "events after the end")
            with Server(path) as view:
                same((view.get("api/live")["live"], view.indexed()["events"]), (False, info["events"]), "opened again")
        finally:
            if recorder.poll() is None:
                recorder.send_signal(signal.SIGTERM)
                recorder.wait(WAIT_S)


def test_live_grows():
    """A filter and its hits, ticks and curves have what came since they were asked for first; loss is a number."""
    need_tracing()
    with tempfile.TemporaryDirectory() as place:
        with Server(options=("--live", "-e", "sched"), env={"TMPDIR": place}, wait=False) as view:
            grows(view)
            chosen = view.post("api/select", {"kinds": ["sched/sched_switch"], "expression": "sched_switch:next_pid>=0"})["id"]

            def total():
                return view.get(f"api/rows?sel={chosen}&row=0&n=1")["total"]

            def ticks(lane):
                tile, = view.tiles([[lane, 30, 0]])     # a thousand seconds
                return sum(r[2] for r in tile["records"])

            for what in (total, lambda: ticks(f"found:{chosen}"), lambda: ticks("event:0:sched/sched_switch"),
                         lambda: ticks("all:0:0"),
                         lambda: len(view.tiles([["field:0:sched/sched_switch:next_pid", 28, 0]])[0]["records"])):
                before = what()
                wait_for(lambda what=what, before=before: what() > before, "more of what was there before")
            check(isinstance(view.get("api/live")["lost"], int), "nobody knows what was lost")
            events = view.get(f"api/rows?sel={chosen}&row=0&n=100")["rows"]
            same({e["event"] for e in events}, {"sched_switch"}, "what is selected")


def test_live_names():
    """Names of tasks that no event tells are known when the recording has ended."""
    need_tracing()
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "t.dat"
        # several: one alone may come and go without its name being noted
        with Server("sh", "-c", "sleep 1; for i in 1 2 3 4 5 6; do cat /dev/null; done", options=("--live", "-e", "raw_syscalls", "-o", str(path)),
                    wait=False) as view:
            wait_for(lambda: not view.get("api/live")["live"], "the end of the command")
            view.indexed()
            shown = {t[2]: t[4] for t in view.get("api/tasks")["tasks"] if t[5]}
            told = {e["pid"]: e["comm"] for e in report(path)}
            check("cat" in told.values(), f"cat was not recorded: {set(told.values())}")
            wrong = {pid: (shown[pid], comm) for pid, comm in told.items() if pid and shown[pid] != (comm or "<...>")}
            same(wrong, {}, "names")


def test_live_renamed():
    """A task's name is the one it has now, also while it is recorded; the origin never moves."""
    need_tracing()
    with tempfile.TemporaryDirectory() as place:
        where = pathlib.Path(place)
        for name, program in (("sonde-one", "sh"), ("sonde-two", "sleep")):
            shutil.copy(shutil.which(program), where / name)
        os.mkfifo(where / "go")
        with Server(str(where / "sonde-one"), "-c", f"read x < {place}/go; exec {place}/sonde-two 600",
                    options=("--live", "-e", "sched", "-o", f"{place}/t.dat"), wait=False) as view:
            def named(name):
                return [t for t in view.get("api/tasks")["tasks"] if t[4] == name]

            (task,) = wait_for(lambda: named("sonde-one"), "the task's first name")
            origin = view.get("api/info")["origin"]
            check(origin != "0", "there are events, but no origin")
            with open(where / "go", "w") as go:
                go.write("x\n")
            (now,) = wait_for(lambda: named("sonde-two"), "the task's second name")
            same(now[:3], task[:3], "the task that has another name now")
            check(view.get("api/live")["live"], "the recording has ended")
            os.kill(task[2], signal.SIGTERM)
            wait_for(lambda: not view.get("api/live")["live"], "the end of the command")
            same((view.get("api/info")["origin"], len(named("sonde-two"))), (origin, 1), "origin and name in the end")


def test_live_trouble():
    """What cannot be recorded is told by the recorder, and is the exit status."""
    for argv, words in ((["--live", "nosuch.dat"], "nosuch.dat"), (["-e", "sched", "x.dat"], "--live"),
                        (["--live", "-e", "nosuch_event_at_all"], "nosuch_event_at_all")):
        run = subprocess.run([SONDE, "view", "--no-browser", *argv], capture_output=True, text=True, timeout=300)
        check(run.returncode and words in run.stderr and not run.stdout, f"{argv}: {run}")
