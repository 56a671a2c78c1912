"""Runs in a lab guest: what recording costs, sonde and trace-cmd one after the other, as JSON.

    recording.py LOAD finish MB    seconds from the end of the load to the end of the recorder, and the most
                                   disk it took beside the size of its file, for a recording of MB
    recording.py LOAD loss SECONDS  events lost and CPU seconds of the recorder at several sizes of buffer,
                                   while two processes make system calls; the medians of three runs

    recording.py LOAD live CHUNKS NAME…  for each question: microseconds that the load takes longer while the kernel
                                   counts or measures, and while the same events are recorded
    recording.py LOAD mark          microseconds that a mark takes, and a line of the kernel's log on its console

Both programs use the top level of tracefs, the same events and buffers, and no compression. "live" needs no guest:
it records into a buffer of its own.
"""
import json
import os
import signal
import subprocess
import sys
import threading
import time

LOAD = sys.argv[1]
RUNS = 3        # of each size of buffer; the median is taken
TRACING = os.environ["TRACING"]
PROGRAMS = {"sonde": ["sonde", "record", "-q", "--top"], "peer": ["trace-cmd", "record", "-q"]}


def start(program, words):
    argv = PROGRAMS[program] + ["--compression", "none"] + words
    return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)


def clear():
    with open(f"{TRACING}/trace", "w"):
        pass


def blocks(path):
    """Bytes on the disk that holds path."""
    fs = os.statvfs(path)
    return (fs.f_blocks - fs.f_bfree) * fs.f_frsize


class DiskWatch(threading.Thread):
    def __init__(self, path):
        super().__init__(daemon=True)
        self.path, self.before, self.peak, self.done = path, blocks(path), 0, False

    def run(self):
        while not self.done:
            self.peak = max(self.peak, blocks(self.path) - self.before)
            time.sleep(0.01)


def finish(program, megabytes, disk):
    """The load writes into the buffer itself: lines of 1000 bytes."""
    path = f"{disk}/{program}.dat"
    clear()
    watch = DiskWatch(disk)
    watch.start()
    proc = start(program, ["-b", "20000", "-o", path, "-e", "sched:sched_process_exit", LOAD, "marks",
                           str(megabytes * 1000), f"{TRACING}/trace_marker"])
    out, _ = proc.communicate()
    ended = time.time()
    watch.done = True
    watch.join()
    size = os.stat(path).st_size
    load_ended = float([w for w in out.decode().split() if w.replace(".", "", 1).isdigit()][0])
    os.unlink(path)
    os.sync()
    return {"seconds": ended - load_ended, "size": size, "peak": watch.peak}


def lost(path):
    """Events that the kernel overwrote before they were read, from the statistics in the file."""
    text = subprocess.run(["sonde", "report", "--stat", "-i", path], capture_output=True, text=True).stdout
    total = 0
    for line in text.splitlines():
        words = line.split(":")
        if len(words) == 2 and words[0].strip() in ("overrun", "dropped events"):
            total += int(words[1])
    return total


def loss(program, kilobytes, seconds):
    path = os.path.join(os.environ["TMPDIR"], f"{program}.dat")     # memory: no disk is in the way
    clear()
    proc = start(program, ["-b", str(kilobytes), "-o", path, "-e", "raw_syscalls"])
    while open(f"{TRACING}/tracing_on").read().strip() != "1" or not \
            open(f"{TRACING}/set_event").read().strip():
        time.sleep(0.1)
    time.sleep(1)
    subprocess.run([LOAD, "calls", "2", str(seconds)], stdout=subprocess.DEVNULL, check=True)
    proc.send_signal(signal.SIGINT)
    proc.stdout.read()
    _, status, usage = os.wait4(proc.pid, 0)
    proc.returncode = status
    info = json.loads(subprocess.run(["sonde", "info", "--json", path], capture_output=True).stdout)
    result = {"kb": kilobytes, "lost": lost(path), "events": info["events"],
              "cpu": usage.ru_utime + usage.ru_stime}
    os.unlink(path)
    return result


# What is recorded, and asked: load, words of both, words of the question. The load's only system call is getppid, which
# calls that function once.
ENTRY = ["-e", "raw_syscalls:sys_enter"]
BOTH = [*ENTRY, "-e", "raw_syscalls:sys_exit"]
WAKE = ["-e", "sched:sched_waking", "-e", "sched:sched_switch"]
FILTER = ["-f", "id != 1 && common_pid > 1"]
CHILDREN = ["--only-command", "-c"]
COUNT = ["sonde", "count", "-q"]
LATENCY = ["sonde", "latency", "-q"]
QUESTIONS = {
    "count-live": ("work", ENTRY, [*COUNT, "--by", "id"]),
    "count-live-by": ("work", ENTRY, [*COUNT, "--by", "$comm,id"]),
    "count-live-filter": ("work", [*ENTRY, *FILTER], [*COUNT, "--by", "id"]),
    "count-live-children": ("work", [*ENTRY, *CHILDREN], [*COUNT, "--by", "id"]),
    "count-probe": ("work", ["-e", "__task_pid_nr_ns(type)"], [*COUNT, "--by", "type"]),
    "count-joined": ("work", ["-e", "__task_pid_nr_ns%return($retval, type)"], [*COUNT, "--by", "ret,type"]),
    "latency-live": ("work", BOTH, LATENCY),
    "latency-live-by": ("work", BOTH, [*LATENCY, "--by", "$comm"]),
    "latency-live-pid": ("work", BOTH, [*LATENCY, "--by", "$pid"]),
    "latency-live-id": ("work", BOTH, [*LATENCY, "--by", "id"]),
    "latency-live-filter": ("work", [*ENTRY, *FILTER, "-e", "raw_syscalls:sys_exit", *FILTER], LATENCY),
    "latency-live-children": ("work", [*BOTH, *CHILDREN], LATENCY),
    "latency-live-field": ("wake", WAKE, [*LATENCY, "--by-field", "pid=next_pid"]),
    "latency-live-field-by": ("wake", WAKE, [*LATENCY, "--by-field", "pid=next_pid", "--by", "comm"]),
}
RECORD = ["sonde", "record", "-q", "-b", "8192", "-o", "r.dat"]
ROUNDS = 11
PROCESSES = {"work": "2", "wake": "1"}


def live(chunks, names):
    """What the load takes longer each way, without what it takes alone. Rounds alternate; of each way a quick one
    counts (two of eleven are quicker): a virtual machine is slower for seconds when its neighbours are busy.

    The recorder's own share is not in it (record-cpu has that). On Debian's 6.1, emulated, a system call takes 0.41 us;
    with the event recorded 1.22, counted by a BPF program 0.77 (without keys 0.63, of which most is the kernel's slow
    way into a traced system call), by a hist trigger 1.50: for that the kernel makes the event's record first. A
    system call with the function as a kprobe recorded takes 1.67, counted at the function 0.80, at the kprobe 1.14.
    """
    ways = {}
    for name in names:
        load, events, question = QUESTIONS[name]
        ways[load] = (load, [])
        ways[" ".join(events)] = (load, [*RECORD, *("-F" if w == "--only-command" else w for w in events)])
        ways[name] = (load, [*question, "-o", f"table.{name}", *events])
    taken = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way, (load, words) in ways.items():
            argv = [*words, LOAD, load, PROCESSES[load], str(chunks)]
            out = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
            taken[way].append(float(out.split()[0]))
    quick = {way: sorted(times)[ROUNDS // 5] for way, times in taken.items()}
    for name in names:
        text = open(f"table.{name}").read()
        if "by the kernel" not in text:
            sys.exit(f"the kernel did not do it: no 'by the kernel' in {text}")
        os.unlink(f"table.{name}")
    os.unlink("r.dat")
    return {name: (quick[name] - quick[load], quick[" ".join(events)] - quick[load])
            for name, (load, events, _) in QUESTIONS.items() if name in names}


def mark():
    """The kernel's log goes to the serial line, as on a machine without a screen."""
    def each(n, path):
        argv = [LOAD, "mark", str(n), path]
        return float(subprocess.run(argv, check=True, capture_output=True, text=True).stdout) / n * 1e6

    with open("/proc/sys/kernel/printk_devkmsg", "w") as limit:
        limit.write("on\n")     # or lines beyond ten are dropped
    marker = each(20000, f"{TRACING}/trace_marker")
    clear()
    return {"mark": marker, "log": each(300, "/dev/kmsg")}


def main():
    if sys.argv[2] == "finish":
        disk = sys.argv[4]
        result = {p: finish(p, int(sys.argv[3]), disk) for p in ("sonde", "peer")}
    elif sys.argv[2] == "mark":
        result = mark()
    elif sys.argv[2] == "live":
        result = live(int(sys.argv[3]), sys.argv[4:])
    else:
        # what opening and closing costs: the symbols, above all; it is not recording
        result = {p: [] for p in PROGRAMS}
        for kb in (64, 128, 256, 512, 1408):
            rows = {p: [] for p in PROGRAMS}
            for _ in range(RUNS):       # in turn: what else the host does hits both
                for program, row in rows.items():
                    row.append(loss(program, kb, float(sys.argv[3])))
            for program, row in rows.items():
                result[program].append(sorted(row, key=lambda r: r["lost"])[RUNS // 2])
        for program in result:
            idle = loss(program, 1408, 0)["cpu"]
            for row in result[program]:
                row["idle_cpu"] = idle
    print(json.dumps(result))


main()
