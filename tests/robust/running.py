"""Runs the program on something bad and measures what it costs.

    r = sonde("report", path)     r.status, r.out, r.err, r.seconds, r.anonymous_mb
    trouble = sane(r)             what no input may cause, as a text; "" if nothing

A run may take SECONDS of CPU time (or WALL_SECONDS in all, should it sleep) and MEMORY_MB of memory
that is not the mapped file. That is far above what a linear program needs for the inputs here and
far below what an endless loop or a square takes.
"""
import os
import pathlib
import signal
import subprocess
import threading
import time

SONDE = os.environ["SONDE"]
GOLDEN = pathlib.Path(os.environ["GOLDEN"])
SECONDS = 20
WALL_SECONDS = 120
MEMORY_MB = 200     # hostile.held_chunks takes 125 to 155: how much is held depends on when threads run


class Result:
    def __init__(self, status, out, err, seconds, anonymous_mb):
        self.status, self.out, self.err = status, out, err
        self.seconds, self.anonymous_mb = seconds, anonymous_mb


def anonymous_kb(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = [line.split()[1] for line in text.splitlines() if line.startswith("RssAnon:")]
    return int(found[0]) if found else 0


class Watch(threading.Thread):
    """Looks at a process's memory every few milliseconds until it has ended."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.peak_kb, self.over = pid, 0, False
        self.start()

    def run(self):
        while not self.over:
            self.peak_kb = max(self.peak_kb, anonymous_kb(self.pid))
            time.sleep(0.01)

    def stop(self):
        self.over = True
        self.join()
        return self.peak_kb / 1024


# Not with preexec_fn: that forks, and the process that holds the traces is large.
LIMITED = ["prlimit", f"--cpu={SECONDS}", "--core=0"]


def sonde(*argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=None,
          most=None):
    """most: so many bytes of the output are enough; the rest is read and dropped."""
    start = time.monotonic()
    proc = subprocess.Popen([*LIMITED, SONDE, *map(str, argv)], stdin=stdin, stdout=stdout,
                            stderr=subprocess.PIPE, env=os.environ | (env or {}))
    watch = Watch(proc.pid)
    timer = threading.Timer(WALL_SECONDS, proc.kill)
    timer.start()
    errors = []
    reader = threading.Thread(target=lambda: errors.append(proc.stderr.read()))
    reader.start()
    out = b""
    if proc.stdout:
        out = proc.stdout.read(-1 if most is None else most)
        while most is not None and proc.stdout.read(1 << 20):
            pass
        proc.stdout.close()
    status = proc.wait()
    reader.join()
    proc.stderr.close()
    in_time = timer.is_alive() and status not in (-signal.SIGXCPU, -signal.SIGKILL)
    timer.cancel()
    return Result(status if in_time else None, out.decode(errors="replace"),
                  errors[0].decode(errors="replace"), time.monotonic() - start, watch.stop())


def sane(r, statuses=(0, 1)):
    """Ended by itself, in time and memory, with a status that means something; 1 has a reason."""
    if r.status is None:
        return f"took longer than {r.seconds:.0f} s\n{r.err[-2000:]}"
    if r.status not in statuses:
        return f"exit status {r.status}, wanted {' or '.join(map(str, statuses))}\n{r.err[-3000:]}"
    if r.anonymous_mb > MEMORY_MB:
        return f"took {r.anonymous_mb:.0f} MB of memory"
    if r.status == 1 and not r.err.startswith("sonde: "):
        return f"failed without a reason\n{r.err[-2000:]}"
    return ""
