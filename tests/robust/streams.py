"""Where the input comes from and where the output goes to, when that is no ordinary file."""
import os
import signal
import socket
import subprocess
import threading
import time

from running import GOLDEN, SONDE, WALL_SECONDS, sane, sonde
from tracedat import Trace

TRACE = GOLDEN / "events-v6.dat"


def expect(r, status, *words):
    """The status, and a sentence on stderr that has these words; no words: nothing there."""
    trouble = sane(r, (status,))
    if trouble:
        return trouble
    missing = [w for w in words if w not in r.err]
    if missing or (not words and r.err):
        return f"stderr should{' say ' + missing[0] if missing else ' be empty'}:\n{r.err}"
    return ""


def same_as_file(r):
    return expect(r, 0) or ("" if r.out == sonde("report", TRACE).out else "the reports differ")


def from_stdin(work):
    with open(TRACE, "rb") as file:
        return same_as_file(sonde("report", "-i", "-", stdin=file))


def from_pipe(work):
    with subprocess.Popen(["cat", TRACE], stdout=subprocess.PIPE) as cat:
        return same_as_file(sonde("report", "-i", "-", stdin=cat.stdout))


def from_fifo(work):
    fifo = work / "fifo"
    os.mkfifo(fifo)
    with subprocess.Popen(["cp", TRACE, fifo]):
        return same_as_file(sonde("report", fifo))


def from_long_pipe(work):
    """More than is kept in memory."""
    with subprocess.Popen(["sh", "-c", f"cat '{TRACE}'; head -c 250000000 /dev/zero"],
                          stdout=subprocess.PIPE) as cat:
        return same_as_file(sonde("report", "-i", "-", stdin=cat.stdout, env={"TMPDIR": str(work)}))


# Every command that opens a file that the user names; PIPE is its place.
FROM_PIPE = ["report PIPE", "report -i PIPE", "report TRACE -i PIPE", "report --profile PIPE", "info PIPE", "dump PIPE",
             "hist PIPE", "mem PIPE", "check-events PIPE", "list -e -i PIPE", "export --chrome PIPE",
             "export --svg PIPE", "convert -i PIPE -o OUT", "split -i PIPE -o OUT", "restore -o OUT PIPE",
             "attach -s 1 PIPE TRACE 1", "count -e sched -i PIPE", "latency -e a -e b -i PIPE",
             "functions -i PIPE", "replay PIPE", "graph -i PIPE", "flame -o OUT PIPE", "as trace-cmd report PIPE",
             "report --kallsyms PIPE TRACE",
             "view --no-browser --no-cache PIPE", "view --no-browser --no-cache TRACE PIPE",
             "view --no-browser PIPE"]


def open_for_writing(fifo, proc):
    """Waits until the program has opened the pipe, too; None: it has ended."""
    while proc.poll() is None:
        try:
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:             # ENXIO: nobody reads
            time.sleep(0.01)
    return None


def silent_pipe(work):
    """Ctrl-C ends whoever waits for a pipe into which nothing is written."""
    fifo = work / "silent"
    os.mkfifo(fifo)
    places = {"PIPE": fifo, "TRACE": TRACE, "OUT": work / "out.dat"}
    for line in FROM_PIPE:
        proc = subprocess.Popen([SONDE, *(places.get(word, word) for word in line.split())],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        fd = open_for_writing(fifo, proc)
        if fd is None:
            return f"{line} does not open it: {proc.communicate()[1]}"
        proc.send_signal(signal.SIGINT)
        try:
            proc.communicate(timeout=WALL_SECONDS)
        except subprocess.TimeoutExpired:
            proc.kill()
            proc.communicate()
            return f"{line} ignores SIGINT"
        finally:
            os.close(fd)
    return ""


def viewed_pipe(work):
    """A pipe can be viewed. It is opened once: its writer fails when a reader comes and goes."""
    fifo = work / "viewed"
    os.mkfifo(fifo)
    with subprocess.Popen(["cp", TRACE, fifo], stderr=subprocess.PIPE, text=True) as writer, \
            subprocess.Popen([SONDE, "view", "--no-browser", "--no-cache", fifo], stdout=subprocess.PIPE,
                             text=True) as view:
        killer = threading.Timer(WALL_SECONDS, view.kill)
        killer.start()
        address = view.stdout.readline()
        killer.cancel()
        view.terminate()
        if not address.startswith("http://"):
            writer.kill()
            return f"it is not served; its writer says: {writer.stderr.read()}"
    return ""


def odd_files(work):
    """What is no file is refused in a sentence."""
    os.mkfifo(work / "odd")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(work / "socket"))
        rows = (("view", "--live", work / "odd"), "not an ordinary file"), \
            (("view", work / "socket"), "socket"), (("report", work / "socket"), "socket"), \
            (("view", work), "directory"), (("report", work), "directory"), \
            (("listen", "-p", "0", "-d", "/dev/null"), "Not a directory"), \
            (("listen", "-p", "0", "-d", work / "socket"), "Not a directory")
        for words, said in rows:
            trouble = expect(sonde(*words), 2 if "--live" in words else 1, said)
            if trouble:
                return f"{words}: {trouble}"
    # the symbols are missing, and the disk is not full
    r = sonde("report", "--kallsyms", "/dev/zero", GOLDEN / "tour.dat")
    return sane(r, (0, 1))


def from_empty(work):
    empty = work / "empty.dat"
    empty.touch()
    return expect(sonde("report", empty), 1, "empty.dat is empty", "no trace file")


def from_endless(work):
    """A stream without end that is no trace."""
    return expect(sonde("report", "/dev/zero"), 1, "/dev/zero", "not a trace file")


def from_closed(work):
    r = subprocess.run(f"'{SONDE}' report -i - <&-", shell=True, capture_output=True, text=True)
    return "" if r.returncode == 1 and "standard input" in r.stderr else str(r)


def cut_while_reading(work):
    """The file is truncated while the program waits for somebody to read its output."""
    trace = Trace(6)
    tick = trace.event("demo", "tick", ["int count", "char pad[200]"], '"%d", REC->count')
    for i in range(200000):
        trace.top.cpu(0).add(1000 + i, tick(count=i))
    path = work / "shrinks.dat"
    trace.write(path)
    proc = subprocess.Popen([SONDE, "report", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    proc.stdout.read(100)
    os.truncate(path, 8192)
    _, err = proc.communicate(timeout=WALL_SECONDS)
    if proc.returncode != 1 or b"truncated while it was being read" not in err:
        return f"exit status {proc.returncode}\n{err.decode()}"
    return ""


# What is printed or written (to OUT) must be the same bytes each time.
REPEATED = ["report", "report --json", "report -w", "report --profile", "report --profile --json", "hist", "mem", "info",
            "info --json", "dump --all", "list -e -i", "functions -i", "replay", "graph -i", "flame",
            "export --folded", "count -e sched --by $comm -i",
            "count -e sched_switch --by prev_comm,next_comm --json -i",
            "latency -e sched_waking -e sched_switch --by-field pid=next_pid --by $comm -i",
            "convert --compression zstd -o OUT -i", "split -m 1 -o OUT -i",
            "export --chrome", "export --perfetto", "export --svg", "export --html"]


def repeated(work):
    """Nothing depends on the number of threads, nor on where a table puts its rows."""
    place = work / "repeated"
    place.mkdir()
    for trace in ("tour.dat", "lost-events.dat", "events-v7-zstd.dat"):
        for line in REPEATED:
            seen = set()
            for jobs in ("1", "2", "8", "2"):
                words = ["out.dat" if word == "OUT" else word for word in line.split()]
                run = subprocess.run([SONDE, *words, GOLDEN / trace], cwd=place, stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL, env={**os.environ, "SONDE_JOBS": jobs})
                files = sorted(place.iterdir())
                seen.add((run.returncode, run.stdout, *(file.read_bytes() for file in files)))
                for file in files:
                    file.unlink()
            if len(seen) > 1:
                return f"{line} {trace}: {len(seen)} different results of 4"
    return ""


def to_full_disk(work):
    for argv in (["report", TRACE], ["report", "-E", TRACE], ["report", "--uname", TRACE],
                 ["report", "--json", TRACE], ["info", TRACE], ["--help"]):
        with open("/dev/full", "wb") as full:
            trouble = expect(sonde(*argv, stdout=full), 1, "No space left on device")
        if trouble:
            return f"{argv[:2]}: {trouble}"
    return ""


def to_closed(work):
    for words in (f"report '{TRACE}'", f"report -E '{TRACE}'", "--version"):
        r = subprocess.run(f"'{SONDE}' {words} >&-", shell=True, capture_output=True, text=True)
        if r.returncode != 1 or not r.stderr.startswith("sonde: "):
            return f"{words}: {r}"
    return ""


def to_head(work):
    """The reader leaves: a quiet end, as if SIGPIPE had done it."""
    for argv in (["report", TRACE], ["report", "-f", TRACE],
                 ["report", "--events", GOLDEN / "all-events.dat"], ["as", "trace-cmd", "report", TRACE]):
        proc = subprocess.Popen([SONDE, *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        proc.stdout.read(50)
        proc.stdout.close()
        killer = threading.Timer(WALL_SECONDS, proc.kill)
        killer.start()
        start, err, status = time.monotonic(), proc.stderr.read(), proc.wait()
        killer.cancel()
        proc.stderr.close()
        if status not in (141, -13) or err:
            return f"{argv[1]}: exit status {status} after {time.monotonic() - start:.1f} s\n{err}"
    return ""


def to_slow_reader(work):
    """Memory does not grow while nobody reads."""
    proc = subprocess.Popen([SONDE, "report", TRACE], stdout=subprocess.PIPE)
    time.sleep(1)
    text = open(f"/proc/{proc.pid}/status").read()
    anonymous = int(text.split("RssAnon:")[1].split()[0]) // 1024
    out, _ = proc.communicate()
    if proc.returncode != 0 or anonymous > 100:
        return f"exit status {proc.returncode}, {anonymous} MB"
    return "" if out.decode(errors="replace") == sonde("report", TRACE).out else "the reports differ"


def tests():
    for test in (from_stdin, from_pipe, from_fifo, from_long_pipe, silent_pipe, viewed_pipe, odd_files,
                 repeated, from_empty, from_endless,
                 from_closed, cut_while_reading, to_full_disk, to_closed, to_head,
                 to_slow_reader):
        yield "stream-" + test.__name__.replace("_", "-"), test
